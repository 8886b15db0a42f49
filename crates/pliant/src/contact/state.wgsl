// Words of the state of contact. CPU twin: state.rs

const ARRIVED = 0u;     // workgroups that have looked at paths, and 65536 for each that has found one left
const FARTHEST = 1u;    // how far a particle moves in this substep (m, as bits)
const AGE = 2u;         // substeps since the search
const LIFE = 3u;        // substeps that its pairs are for
const LEFT = 4u;        // substeps of the step that are left
const OLD = 5u;         // pairs of the search before
const PAIRS = 6u;       // what there is, whether or not it fits: pairs,
const TOUCHES = 7u;     // pairs that touch, in sweeps that are even,
const ENTRIES = 8u;     // boxes in cells,
const GIANTS = 9u;      // boxes in many cells,
const WRONG = 10u;      // pairs on their wrong side, and vertices that may be in a solid,
const MEETINGS = 11u;   // elements whose boxes overlap
const MOST = 12u;       // the most that there was of each of these six in this step
const SEARCHES = 18u;   // in this step
const CONTACTS = 19u;   // pairs that touched in the last substep
const TOO_NEAR = 20u;   // by how much a pair is too near (m, as bits)
const SHARE = 21u;      // the same over the distance that the pair ought to keep (as bits)
const WAYS_OUT = 22u;   // notes about vertices that are led out of solids: see tangle.wgsl
const ODD_TOUCHES = 23u; // pairs that touch, in the other sweeps
const STILL_IN = 24u;   // times that two solids were in each other at the search before
// Of each two solids that began in each other:
const ENTANGLED = 25u;  // how far the deepest vertex has to go (m, as bits); 0 if none is inside
const GONE = 26u;       // how far they have gone since the search (m, as bits), or APART
const ENTANGLED_STATE = 2u;

const APART = 0xffffffffu; // they have come apart

