// What tiles do with the constraints of one kind: after its own file, `project.wgsl` and numbers of the kind
// (WORDS, IS_DAMPED). The names of all of them get the number of the kind, as there are several in a shader;
// `params` and `part` are those of the kind. See `tiles.wgsl`.

// A constraint of a tile.
struct Entry {
    row: u32,                    // of `lambda` and slots; NOTHING for none
    places: array<u32, WORDS>,   // of its particles in the tile, two in a word
    rest: array<f32, P>,
    old: f32,                    // its multiplier
}

// What a lane has read of the constraints that it solves next, all before it needs any of it.
struct Begun {
    soon: Entry,
    later: Entry,
    reads: Cursor,
    alike: vec4f,                // what they hold by, where all hold alike
}

fn begin(head: u32, lane: u32) -> Begun {
    let first = cursor_at(head, part);
    let second = after(first);
    let alike = hold_of(part.hold, 0u);
    return Begun(read_entry(first, lane), read_entry(second, lane), after(second), alike);
}

// Solves colour after colour. Two constraints of a lane are read while one before them is solved.
fn solve_colors(head: u32, lane: u32, begun: Begun, is_plain: bool) {
    let list = head + given.table.list;
    let alike = begun.alike;
    let alpha = alike.x / (params.h * params.h);
    var soon = begun.soon;
    var later = begun.later;
    var reads = begun.reads;
    var at = cursor_at(head, part);
    for (var color = 0u; color < part.colors; color++) {
        var end = at.end;
        loop {
            let now = soon;
            soon = later;
            later = read_entry(reads, lane);
            reads = after(reads);
            at = after(at);
            if now.row == NOTHING || now.places[0] == NOTHING {
                // A lane without a constraint.
            } else if is_plain && !IS_DAMPED {
                project_plainly(now, alpha);
            } else {
                project_here(now, list, alike);
            }
            if at.row >= end {
                if !goes_on(color, part) {
                    break;
                }
                color++;
                end = at.end;
            }
        }
        workgroupBarrier();
    }
}

fn read_entry(at: Cursor, lane: u32) -> Entry {
    var entry: Entry;
    entry.row = NOTHING;
    let row = at.row + lane;
    if row < at.end {
        entry.row = row;
        for (var word = 0u; word < WORDS; word++) {
            entry.places[word] = tiles[part.places + row * WORDS + word];
        }
        for (var p = 0u; p < P; p++) {
            entry.rest[p] = bitcast<f32>(tiles[part.rest + row * u32(P) + p]);
        }
        if (params.flags & FIRST_ITERATION) == 0u {
            entry.old = lambda[row];
        }
    }
    return entry;
}

fn place_of(entry: Entry, k: u32) -> u32 {
    return (entry.places[k / 2u] >> (16u * (k % 2u))) & 0xffffu;
}

// As `project`, on rows of the tile that are positions, by XPBD without dashpots.
fn project_plainly(entry: Entry, alpha: f32) {
    var x: array<vec3f, N>;
    var w: array<f32, N>;
    for (var k = 0u; k < N; k++) {
        let row = rows_here[place_of(entry, k)];
        w[k] = row.w;
        x[k] = row.xyz;
    }
    let old = entry.old;
    let e = eval(x, entry.rest);
    let by = div_or_zero(-e.c - alpha * old, weighted_gradient(e.grad, w) + alpha);
    let d_lambda = allowed(old, params.omega * by);
    lambda[entry.row] = old + d_lambda;
    for (var k = 0u; k < N; k++) {
        rows_here[place_of(entry, k)] = vec4f(x[k] + e.grad[k] * (w[k] * d_lambda), w[k]);
    }
}

// As `project`, on rows of the tile.
fn project_here(entry: Entry, list: u32, alike: vec4f) {
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
    let old = entry.old;
    let e = eval(x, entry.rest);
    let sum = weighted_gradient(e.grad, w);
    let by = change(held, particles, rows, e, vec2f(old, sum));
    let d_lambda = allowed(old, params.omega * by);
    lambda[entry.row] = old + d_lambda;
    for (var k = 0u; k < N; k++) {
        rows_here[place_of(entry, k)] = vec4f(rows[k] + e.grad[k] * (w[k] * d_lambda), w[k]);
    }
}
