"""W1 for engines with Python: what it is made of, and what is printed.

usage: peer_NAME.py w1 SIZE ROUNDS FRAMES it|sub [probe|gpu]

A cloth of SIZE x SIZE particles of 1 kg, 0.1 m apart, hangs by two corners; links go to all eight
neighbours. ROUNDS is iterations (it) or substeps of one iteration (sub) of a frame of 1/60 s.
The line has the keys of bench/floor.cpp. Exit code 3: the package is not installed. With `gpu`, what can run on one
does, and frames are measured as by `gpu_time` of pliant_gpu: a second after the start, in batches of FRAMES.
"""

import importlib
import json
import math
import statistics
import sys
import time

SPACING = 0.1  # m
FRAME = 1.0 / 60.0  # s
COMPLIANCE = 1e-6  # m/N, as in bench/floor.cpp
BATCHES = 15


def need(package):
    """The package, or the exit code that says it is missing."""
    try:
        return importlib.import_module(package)
    except ImportError:
        sys.exit(3)


class Grid:
    def __init__(self):
        _, work, size, rounds, frames, how, *more = sys.argv
        if "probe" in more:
            sys.exit(0)
        self.on_gpu = "gpu" in more
        if work != "w1":
            sys.exit(f"there is no {work} here")
        self.size, self.rounds, self.frames = int(size), int(rounds), int(frames)
        self.substeps, self.iterations = (self.rounds, 1) if how == "sub" else (1, self.rounds)
        n = self.size
        self.points = [(i * SPACING, 0.0, j * SPACING) for j in range(n) for i in range(n)]
        self.pinned = {0, n - 1}
        self.links = []
        for j in range(n):
            for i in range(n):
                a = j * n + i
                if i + 1 < n:
                    self.links.append((a, a + 1))
                if j + 1 < n:
                    self.links.append((a, a + n))
                if i + 1 < n and j + 1 < n:
                    self.links += [(a, a + n + 1), (a + 1, a + n)]

    def measure(self, step, positions):
        """Times `step`, which takes a frame, and prints the line; `positions` gives the points."""
        start = time.perf_counter()
        for _ in range(self.frames):
            step()
        seconds = (time.perf_counter() - start) / self.frames
        self.print_line(seconds, self.strain(positions()))

    def measure_queued(self, step, positions, wait, frames):
        """The same for steps of so many frames that are queued, until `wait` waits for them."""
        for _ in range(round(1.0 / FRAME / frames)):
            step()
        wait()
        strain, times = self.strain(positions()), []
        for _ in range(BATCHES):
            start = time.perf_counter()
            for _ in range(self.frames):
                step()
            wait()
            times.append((time.perf_counter() - start) / self.frames / frames)
        self.print_line(statistics.median(times), strain)

    def strain(self, end):
        squares = 0.0
        for a, b in self.links:
            rest = math.dist(self.points[a], self.points[b])
            squares += (math.dist(end[a], end[b]) / rest - 1.0) ** 2
        return math.sqrt(squares / len(self.links))

    def print_line(self, seconds, strain):
        rate = len(self.links) * self.rounds / seconds / 1e6
        print(json.dumps({"ms_per_frame": seconds * 1e3, "Mproj_s": rate, "rms_strain": strain}))
