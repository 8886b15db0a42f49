"""W1 in PositionBasedDynamics (pip install pypbd numpy); see peer_grid.py."""

from peer_grid import COMPLIANCE, FRAME, Grid, need

pbd = need("pypbd")
need("numpy")
grid = Grid()

simulation = pbd.Simulation.getCurrent()
simulation.initDefault()
model = simulation.getModel()
particles = model.getParticles()
for i, point in enumerate(grid.points):
    particles.addVertex(point)
    particles.setMass(i, 0.0 if i in grid.pinned else 1.0)
for a, b in grid.links:
    model.addDistanceConstraint_XPBD(a, b, 1.0 / COMPLIANCE)
pbd.TimeManager.getCurrent().setTimeStepSize(FRAME)
stepper = simulation.getTimeStep()
stepper.setValueUInt(pbd.TimeStepController.NUM_SUB_STEPS, grid.substeps)
stepper.setValueUInt(pbd.TimeStepController.MAX_ITERATIONS, grid.iterations)
# The first step colours; one of hardly any length does no more.
pbd.TimeManager.getCurrent().setTimeStepSize(1e-9)
stepper.step(model)
pbd.TimeManager.getCurrent().setTimeStepSize(FRAME)
grid.measure(
    lambda: stepper.step(model),
    lambda: [particles.getPosition(i) for i in range(len(grid.points))],
)
