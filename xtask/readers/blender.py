"""USD, PC2, MDD, OBJ, PLY and glTF in Blender."""

import bpy
import numpy
from expected import FOLDER, Report, Run

WHO = f"Blender {bpy.app.version_string}"


def empty():
    bpy.ops.wm.read_factory_settings(use_empty=True)


def shown_mesh(thing):
    """The object after modifiers, in the frame that is shown, and its mesh."""
    shown = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return shown, shown.to_mesh()


def faces(thing):
    """The corners of its faces, in the frame that is shown."""
    shown, mesh = shown_mesh(thing)
    corners = [list(face.vertices) for face in mesh.polygons]
    shown.to_mesh_clear()
    return corners


def world_positions(thing):
    """Where the vertices are after modifiers, in the frame that is shown, y up."""
    shown, mesh = shown_mesh(thing)
    points = numpy.empty(3 * len(mesh.vertices), numpy.float32)
    mesh.vertices.foreach_get("co", points)
    points = numpy.c_[points.reshape(-1, 3), numpy.ones(len(mesh.vertices))]
    x, y, z = (numpy.array(shown.matrix_world) @ points.T)[:3]
    shown.to_mesh_clear()
    return numpy.c_[x, z, -y]


def meshes():
    return {t.name.split(".")[0]: t for t in bpy.context.scene.objects if t.type == "MESH"}


def imported_by(operator, path, **options):
    empty()
    operator(filepath=str(path), **options)
    return meshes()


def usd(name):
    run = Run(name)
    report = Report(f"{WHO}, USD, {name}", run)
    things = imported_by(bpy.ops.wm.usd_import, FOLDER / f"usd/{name}.usda")
    for number in range(len(run.frames)):
        bpy.context.scene.frame_set(number)
        for part_name, part in run.parts(number).items():
            if part["triangles"]:
                report.positions(world_positions(things[part_name]), part["positions"], part_name)
                report.same(faces(things[part_name]), part["triangles"], part_name)
    report.close()


def point_cache(ending, kind):
    run = Run("run")
    report = Report(f"{WHO}, {kind}", run)
    for part_name, part in run.parts(0).items():
        if not part["triangles"]:
            continue
        path = FOLDER / f"{ending}/run_{part_name}.obj"
        thing = imported_by(bpy.ops.wm.obj_import, path)[part_name]
        cache = thing.modifiers.new("cache", "MESH_CACHE")
        cache.cache_format, cache.filepath = kind, str(path.with_suffix(f".{ending}"))
        cache.frame_start, cache.interpolation = 0, "NONE"
        for number in range(len(run.frames)):
            bpy.context.scene.frame_set(number)
            expected = run.parts(number)[part_name]["positions"]
            report.positions(world_positions(thing), expected, part_name)
    report.close()


def sequence(ending, operator, **options):
    run = Run("run")
    report = Report(f"{WHO}, {ending.upper()}", run)
    for number, frame in enumerate(run.frames):
        things = imported_by(operator, FOLDER / f"{ending}/run_{number:05}.{ending}", **options)
        parts = frame["parts"]
        if len(things) == 1:
            expected = numpy.vstack([part["positions"] for part in parts])
            report.positions(world_positions(*things.values()), expected, ending)
            mesh = next(iter(things.values())).data
            speed = numpy.array([value.value for value in mesh.attributes["speed"].data])
            wanted = numpy.concatenate([part["numbers"]["speed"] for part in parts])
            report.positions(speed, wanted, "speed")
            continue
        for part in parts:
            report.positions(world_positions(things[part["name"]]), part["positions"], part["name"])
    report.close()


def gltf():
    run = Run("run")
    report = Report(f"{WHO}, glTF", run)
    bpy.context.scene.render.fps = int(run.fps)
    empty()
    bpy.context.scene.render.fps = int(run.fps)
    bpy.ops.import_scene.gltf(filepath=str(FOLDER / "gltf/run.glb"))
    things = meshes()
    for number, frame in enumerate(run.frames):
        moment = frame["time"] * bpy.context.scene.render.fps
        bpy.context.scene.frame_set(int(moment), subframe=moment % 1)
        for part_name, part in run.parts(number).items():
            if part["triangles"]:
                report.positions(world_positions(things[part_name]), part["positions"], part_name)
    report.close()


usd("run")
usd("cut")
point_cache("pc2", "PC2")
point_cache("mdd", "MDD")
sequence("obj", bpy.ops.wm.obj_import)
sequence("ply", bpy.ops.wm.ply_import, forward_axis="NEGATIVE_Z", up_axis="Y")
gltf()
