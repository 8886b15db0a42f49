// What tiles do with the constraints of one kind: after its own file, `project.wgsl` and numbers of the kind
// (PLACES, WORDS, IS_DAMPED). The names of all of them get the number of the kind, as there are several in a shader;
// `params` and `part` are those of the kind. See `tiles.wgsl`.

// A constraint of a tile.
struct Entry {
    row: u32,                    // of `lambda` and slots
    words: array<u32, WORDS>,    // places of its particles in the tile, two in a word, and rest values
    old: f32,                    // its multiplier, if it has been solved before
}

// What a lane has read of the constraints that it solves next, all before it needs any of it.
struct Begun {
    soon: Entry,
    later: Entry,
    reads: Cursor,
    alike: vec4f,                // what they hold by, where all hold alike
}

fn begin(lane: u32) -> Begun {
    let first = first_of(part);
    let second = after(first);
    let alike = hold_of(part.hold, 0u);
    return Begun(read_entry(first, lane), read_entry(second, lane), after(second), alike);
}

// Solves step after step. Two constraints of a lane are read while one before them is solved.
fn solve_steps(list: u32, lane: u32, begun: Begun, is_first: bool) {
    let alike = begun.alike;
    let alpha = alike.x / (params.h * params.h);
    var soon = begun.soon;
    var later = begun.later;
    var reads = begun.reads;
    for (var step = 0u; step < part.steps; step++) {
        let now = soon;
        soon = later;
        later = read_entry(reads, lane);
        reads = after(reads);
        if now.words[0] == NOTHING {
            // A lane without a constraint.
        } else if IS_PLAIN && !IS_DAMPED {
            // Lanes need fewer registers for this, so that more tiles are solved at once.
            project_plainly(now, alpha, is_first);
        } else {
            project_here(now, list, alike, is_first);
        }
        workgroupBarrier();
    }
}

fn read_entry(at: Cursor, lane: u32) -> Entry {
    var entry: Entry;
    entry.words[0] = NOTHING;
    let row = at.row + lane;
    if row < at.end {
        entry.row = row;
        for (var k = 0u; k < WORDS; k++) {
            entry.words[k] = tiles[part.rows + row * WORDS + k];
        }
        if !IS_ONCE {
            entry.old = lambda[row];
        }
    }
    return entry;
}

fn place_of(entry: Entry, k: u32) -> u32 {
    return (entry.words[k / 2u] >> (16u * (k % 2u))) & 0xffffu;
}

fn rest_of(entry: Entry) -> array<f32, P> {
    var rest: array<f32, P>;
    for (var p = 0u; p < P; p++) {
        rest[p] = bitcast<f32>(entry.words[PLACES + p]);
    }
    return rest;
}

// What a constraint has of its multiplier: nothing in the first iteration, though it is read there as well, since a
// branch around the read takes longer.
fn multiplier_of(entry: Entry, is_first: bool) -> f32 {
    return select(entry.old, 0.0, IS_ONCE || is_first);
}

// As `project`, on rows of the tile that are positions, by XPBD without dashpots.
fn project_plainly(entry: Entry, alpha: f32, is_first: bool) {
    var x: array<vec3f, N>;
    var w: array<f32, N>;
    for (var k = 0u; k < N; k++) {
        let row = rows_here[place_of(entry, k)];
        w[k] = row.w;
        x[k] = row.xyz;
    }
    let old = multiplier_of(entry, is_first);
    let e = eval(x, rest_of(entry));
    let by = div_or_zero(-e.c - alpha * old, weighted_gradient(e.grad, w) + alpha);
    let d_lambda = allowed(old, params.omega * by);
    lambda[entry.row] = old + d_lambda;
    for (var k = 0u; k < N; k++) {
        rows_here[place_of(entry, k)] = vec4f(x[k] + e.grad[k] * (w[k] * d_lambda), w[k]);
    }
}

// As `project`, on rows of the tile.
fn project_here(entry: Entry, list: u32, alike: vec4f, is_first: bool) {
    var held = alike;
    if params.hold_mask != 0u {
        held = hold_of(part.hold, tiles[given.table.slots + entry.row] & 0x7fffffffu);
    }
    let is_carried = (params.flags & CARRIED) != 0u;
    var particles: array<u32, N>;
    var rows: array<vec3f, N>;
    var x: array<vec3f, N>;
    var w: array<f32, N>;
    for (var k = 0u; k < N; k++) {
        let row = rows_here[place_of(entry, k)];
        rows[k] = row.xyz;
        w[k] = row.w;
        x[k] = row.xyz;
        if is_carried || held.y > 0.0 {
            particles[k] = tiles[list + place_of(entry, k)];
        }
        if is_carried {
            x[k] += predicted[particles[k]].xyz;
        }
    }
    let old = multiplier_of(entry, is_first);
    let e = eval(x, rest_of(entry));
    let sum = weighted_gradient(e.grad, w);
    let by = change(held, particles, rows, e, vec2f(old, sum));
    let d_lambda = allowed(old, params.omega * by);
    lambda[entry.row] = old + d_lambda;
    for (var k = 0u; k < N; k++) {
        rows_here[place_of(entry, k)] = vec4f(rows[k] + e.grad[k] * (w[k] * d_lambda), w[k]);
    }
}
