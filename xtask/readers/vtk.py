"""VTK files and their list in PyVista."""

import numpy
import pyvista
from expected import FOLDER, Report, Run

for name in ["run", "cut"]:
    run = Run(name)
    report = Report(f"PyVista {pyvista.__version__}, {name}", run)
    reader = pyvista.get_reader(str(FOLDER / f"vtk/{name}.pvd"))
    computed = pyvista.get_reader(str(FOLDER / f"vtk/{name}_computed.pvd"))
    report.equal(len(reader.time_values), len(run.frames), "frames")
    for number, frame in enumerate(run.frames):
        reader.set_active_time_point(number)
        computed.set_active_time_point(number)
        surface, cells = reader.read()[0], computed.read()[0]
        report.positions([reader.active_time_value], [frame["time"]], "time")
        parts = frame["parts"]
        report.positions(surface.points, numpy.vstack([p["positions"] for p in parts]), "points")
        for attribute in parts[0]["numbers"]:
            values = numpy.concatenate([p["numbers"][attribute] for p in parts])
            report.positions(surface.point_data[attribute], values, attribute)
        first = numpy.cumsum([0] + [len(p["positions"]) for p in parts])
        expected = [[i + k for i in t] for p, k in zip(parts, first) for t in p["triangles"]]
        faces = surface.regular_faces if surface.n_faces else []
        report.same(faces, expected, "triangles")
        kinds = list(cells.celltypes)
        report.equal(kinds.count(pyvista.CellType.TETRA), frame["tets"], "tetrahedra")
        report.equal(kinds.count(pyvista.CellType.LINE), frame["links"], "links")
    report.close()
