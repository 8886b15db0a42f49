"""USD in usd-core."""

from expected import FOLDER, Report, Run
from pxr import Usd, UsdGeom

for name in ["run", "cut"]:
    run = Run(name)
    report = Report(f"usd-core {'.'.join(map(str, Usd.GetVersion()))}, {name}", run)
    path = str(FOLDER / f"usd/{name}.usda")
    stage = Usd.Stage.Open(path)
    report.equal(UsdGeom.GetStageUpAxis(stage), "Y", "up axis")
    report.equal(UsdGeom.GetStageMetersPerUnit(stage), 1.0, "metres per unit")
    report.equal(stage.GetTimeCodesPerSecond(), run.fps, "time codes per second")
    report.equal(stage.GetEndTimeCode(), len(run.frames) - 1, "last frame")
    for number in range(len(run.frames)):
        for part_name, part in run.parts(number).items():
            prim = stage.GetPrimAtPath(f"/World/{part_name}")
            points = UsdGeom.PointBased(prim).GetPointsAttr().Get(number)
            report.positions(points, part["positions"], part_name)
            for attribute, values in part["numbers"].items():
                primvar = UsdGeom.PrimvarsAPI(prim).GetPrimvar(attribute)
                report.equal(primvar.GetInterpolation(), "vertex", attribute)
                report.positions(primvar.Get(number), values, attribute)
            if part["triangles"]:
                mesh = UsdGeom.Mesh(prim)
                report.equal(set(mesh.GetFaceVertexCountsAttr().Get(number)), {3}, "corners")
                corners = mesh.GetFaceVertexIndicesAttr().Get(number)
                found = [corners[k : k + 3] for k in range(0, len(corners), 3)]
                report.same(found, part["triangles"], part_name)
    report.close()
