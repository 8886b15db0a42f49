"""What a run should hold, and how far what a program read is from it."""

import json
import pathlib
import sys

import numpy

FOLDER = pathlib.Path(sys.argv[1])
# Of the size of the scene.
TOLERANCE = 1e-6


class Run:
    """The frames of a run, as `crates/pliant_io/examples/formats.rs` wrote them."""

    def __init__(self, name):
        self.name = name
        whole = json.loads((FOLDER / f"{name}.json").read_text())
        self.frames, self.fps = whole["frames"], whole["fps"]
        everything = numpy.vstack([part["positions"] for part in self.frames[0]["parts"]])
        self.size = float(numpy.ptp(everything, axis=0).max())

    def parts(self, frame):
        return {part["name"]: part for part in self.frames[frame]["parts"]}


class Report:
    """Compares, and says at the end how many numbers agreed and how well."""

    def __init__(self, what, run):
        self.what, self.run, self.worst, self.count = what, run, 0.0, 0

    def positions(self, found, expected, where):
        found, expected = numpy.asarray(found, float), numpy.asarray(expected, float)
        if found.shape != expected.shape:
            sys.exit(f"{self.what}: {where}: {found.shape} numbers, expected {expected.shape}")
        if not found.size:
            sys.exit(f"{self.what}: {where}: there is nothing to compare")
        error = float(numpy.abs(found - expected).max()) / self.run.size
        if not error <= TOLERANCE:
            sys.exit(f"{self.what}: {where}: {error:.3g} of the size apart")
        self.worst, self.count = max(self.worst, error), self.count + found.size

    def same(self, found, expected, where):
        if list(map(list, found)) != list(map(list, expected)):
            sys.exit(f"{self.what}: {where}: other triangles than were written")

    def equal(self, found, expected, where):
        if found != expected:
            sys.exit(f"{self.what}: {where}: {found}, expected {expected}")

    def close(self):
        print(f"{self.what}: {self.count} numbers agree, {self.worst:.1e} of the size at worst")
