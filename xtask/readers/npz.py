"""NPZ in numpy."""

import numpy
from expected import FOLDER, Report, Run

run = Run("run")
report = Report(f"numpy {numpy.__version__}", run)
arrays = numpy.load(FOLDER / "npz/run.npz")
report.equal(len(arrays["times"]), len(run.frames), "frames")
for number, frame in enumerate(run.frames):
    report.positions([arrays["times"][number]], [frame["time"]], "time")
    for name, part in run.parts(number).items():
        report.positions(arrays[f"{name}.positions"][number], part["positions"], name)
        report.same(arrays[f"{name}.triangles"], part["triangles"], name)
        for attribute, values in part["numbers"].items():
            report.positions(arrays[f"{name}.{attribute}"][number], values, attribute)
report.close()
