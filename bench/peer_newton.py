"""W1 in Newton's XPBD on the CPU, or on a GPU of NVIDIA (pip install newton); see peer_grid.py.

All springs are solved at once from the same positions, and what they ask for is added up, not
averaged: eight stiff ones at a particle overshoot, so the cloth does not hold together and the row
has a time but no ratio.
"""

from peer_grid import COMPLIANCE, FRAME, Grid, need

wp = need("warp")
newton = need("newton")
grid = Grid()

wp.config.quiet = True
device = "cuda:0" if grid.on_gpu else "cpu"
wp.set_device(device)
builder = newton.ModelBuilder(up_axis=newton.Axis.Y, gravity=(0.0, -9.81, 0.0))
for i, point in enumerate(grid.points):
    mass = 0.0 if i in grid.pinned else 1.0
    builder.add_particle(pos=point, vel=(0.0, 0.0, 0.0), mass=mass, radius=0.0)
for a, b in grid.links:
    builder.add_spring(a, b, ke=1.0 / COMPLIANCE, kd=0.0, control=0.0)
model = builder.finalize(device=device)
model.particle_grid = None  # particles do not touch each other
solver = newton.solvers.SolverXPBD(model, iterations=grid.iterations)
states = [model.state(), model.state()]
control = model.control()


def frame():
    for _ in range(grid.substeps):
        states[0].clear_forces()
        solver.step(states[0], states[1], control, None, FRAME / grid.substeps)
        states.reverse()


# The kernels are compiled in the first step; after that the cloth is put back.
frame()
states = [model.state(), model.state()]


def positions():
    return states[0].particle_q.numpy().astype(float)


if grid.on_gpu:
    # Two frames, after which the states are where they were, as one graph.
    with wp.ScopedCapture() as capture:
        frame()
        frame()
    grid.measure_queued(lambda: wp.capture_launch(capture.graph), positions, wp.synchronize, 2)
else:
    grid.measure(frame, positions)
