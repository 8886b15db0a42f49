// W1 in Jolt's soft bodies in WebAssembly (npm install jolt-physics). Usage, cloth and output are
// those of peer_grid.py; Jolt always takes substeps of one iteration.
let initJolt;
try {
  initJolt = (await import("jolt-physics/wasm-compat")).default;
} catch {
  process.exit(3);
}
const [work, size, rounds, frames, how, probe] = process.argv.slice(2);
if (probe) process.exit(0);
if (work !== "w1" || how !== "sub") throw new Error(`there is no ${work} ${how} here`);
const [n, substeps, count] = [size, rounds, frames].map(Number);
const [SPACING, FRAME, COMPLIANCE] = [0.1, 1 / 60, 1e-6]; // m, s, m/N

const Jolt = await initJolt();
const settings = new Jolt.JoltSettings();
const LAYER = 0;
const pairs = new Jolt.ObjectLayerPairFilterTable(1);
const broad = new Jolt.BroadPhaseLayerInterfaceTable(1, 1);
broad.MapObjectToBroadPhaseLayer(LAYER, new Jolt.BroadPhaseLayer(0));
settings.mObjectLayerPairFilter = pairs;
settings.mBroadPhaseLayerInterface = broad;
settings.mObjectVsBroadPhaseLayerFilter = new Jolt.ObjectVsBroadPhaseLayerFilterTable(broad, 1, pairs, 1);
const jolt = new Jolt.JoltInterface(settings);
const system = jolt.GetPhysicsSystem();
system.SetGravity(new Jolt.Vec3(0, -9.81, 0));

const shared = new Jolt.SoftBodySharedSettings();
const points = [];
for (let j = 0; j < n; j++)
  for (let i = 0; i < n; i++) {
    const vertex = new Jolt.SoftBodySharedSettingsVertex();
    points.push([i * SPACING, 0, j * SPACING]);
    vertex.mPosition = new Jolt.Float3(i * SPACING, 0, j * SPACING);
    vertex.mInvMass = j === 0 && (i === 0 || i === n - 1) ? 0 : 1;
    shared.mVertices.push_back(vertex);
  }
const links = [];
for (let j = 0; j < n; j++)
  for (let i = 0; i < n; i++) {
    const a = j * n + i;
    if (i + 1 < n) links.push([a, a + 1]);
    if (j + 1 < n) links.push([a, a + n]);
    if (i + 1 < n && j + 1 < n) links.push([a, a + n + 1], [a + 1, a + n]);
  }
for (const [a, b] of links) shared.mEdgeConstraints.push_back(new Jolt.SoftBodySharedSettingsEdge(a, b, COMPLIANCE));
shared.CalculateEdgeLengths();
shared.Optimize();
const creation = new Jolt.SoftBodyCreationSettings(shared, new Jolt.RVec3(0, 0, 0), Jolt.Quat.prototype.sIdentity(), LAYER);
creation.mNumIterations = substeps;
creation.mLinearDamping = 0;
creation.mAllowSleeping = false;
creation.mUpdatePosition = false;
const bodies = system.GetBodyInterface();
const body = bodies.CreateSoftBody(creation);
bodies.AddBody(body.GetID(), Jolt.EActivation_Activate);

const start = performance.now();
for (let frame = 0; frame < count; frame++) jolt.Step(FRAME, 1);
const ms = (performance.now() - start) / count;
const vertices = Jolt.castObject(body.GetMotionProperties(), Jolt.SoftBodyMotionProperties).GetVertices();
const at = points.map((_, i) => {
  const x = vertices.at(i).mPosition;
  return [x.GetX(), x.GetY(), x.GetZ()];
});
const distance = (x, [a, b]) => Math.hypot(...x[a].map((c, k) => c - x[b][k]));
const squares = links.reduce((sum, link) => sum + (distance(at, link) / distance(points, link) - 1) ** 2, 0);
const rms_strain = Math.sqrt(squares / links.length);
console.log(JSON.stringify({ ms_per_frame: ms, Mproj_s: (links.length * substeps) / ms / 1e3, rms_strain }));
