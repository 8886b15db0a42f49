// The picture of a world: sky, floor, triangles, balls, rods and lines under one sun with shadows.
// Positions are in m, colours linear until `finish`. Filled in by: draw.rs

struct View {
    // The world in the picture; depth is 1 near and 0 far.
    projection: mat4x4f,
    // The world as the sun sees it; depth is 0 near the sun and 1 far.
    sun_projection: mat4x4f,
    // Places of the picture in the world, to find the direction of a pixel.
    unprojection: mat4x4f,
    // xyz: where the eye is; w: pixels per point.
    eye: vec4f,
    // xyz: towards the sun; w: side of a texel of the shadow map (m).
    to_sun: vec4f,
    // rgb: the sun's light; w: 1 if there are shadows.
    sun_light: vec4f,
    // rgb: straight up; w: brightness of the sky's light.
    zenith: vec4f,
    // rgb: at the horizon.
    horizon: vec4f,
    // rgb: the floor; w: its height (m).
    floor: vec4f,
    // x: side of a field (m); y: contrast; z: reach (m); w: 2 solid, 1 lines, 0 none.
    fields: vec4f,
    // xyz: what the camera looks at.
    target_point: vec4f,
    // Columns and rows of the picture (pixels).
    size: vec4f,
};

@group(0) @binding(0) var<uniform> view: View;
@group(1) @binding(0) var shadow_map: texture_depth_2d;
@group(1) @binding(1) var shadow_sampler: sampler_comparison;
@group(2) @binding(0) var coat_color: texture_2d<f32>;
@group(2) @binding(1) var coat_normals: texture_2d<f32>;
@group(2) @binding(2) var coat_sampler: sampler;

struct Surface {
    @builtin(position) place: vec4f,
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(2) color: vec3f,
};

fn surface(position: vec3f, normal: vec3f, color: vec3f) -> Surface {
    return Surface(view.projection * vec4f(position, 1.0), position, normal, color);
}

// ---- Light -------------------------------------------------------------------------------------

// Part of the sun that is seen, 0 to 1: the mean of nine comparisons, each of four texels
// (percentage-closer filtering: Reeves, Salesin and Cook 1987).
fn sunshine(position: vec3f, normal: vec3f) -> f32 {
    if (view.sun_light.w < 0.5) {
        return 1.0;
    }
    // Lifted off its own shadow: more where the sun grazes the surface.
    let slope = 1.0 - abs(dot(normal, view.to_sun.xyz));
    let lifted = position + normal * view.to_sun.w * (1.0 + 2.0 * slope);
    let seen = view.sun_projection * vec4f(lifted, 1.0);
    let at = seen.xy * vec2f(0.5, -0.5) + 0.5;
    if (any(at < vec2f(0.0)) || any(at > vec2f(1.0))) {
        return 1.0;
    }
    // What is behind all that casts shadows is shaded by it too.
    let depth = min(seen.z, 1.0) - 0.0005;
    let texel = 1.0 / vec2f(textureDimensions(shadow_map));
    var sum = 0.0;
    for (var i = -1; i <= 1; i++) {
        for (var j = -1; j <= 1; j++) {
            let tap = at + vec2f(f32(i), f32(j)) * texel;
            sum += textureSampleCompareLevel(shadow_map, shadow_sampler, tap, depth);
        }
    }
    return sum / 9.0;
}

fn sky_towards(direction: vec3f) -> vec3f {
    let height = clamp(direction.y, 0.0, 1.0);
    return mix(view.horizon.rgb, view.zenith.rgb, pow(height, 0.55));
}

// Light that comes back from a matt surface with a little gloss (Blinn 1977).
fn lit(position: vec3f, normal: vec3f, color: vec3f, is_front: bool) -> vec3f {
    let to_eye = normalize(view.eye.xyz - position);
    var n = normalize(normal + vec3f(0.0, 1e-8, 0.0));
    // Both sides are seen; the back is the darker one.
    if (dot(n, to_eye) < 0.0) {
        n = -n;
    }
    let base = select(color * 0.75, color, is_front);
    let towards = dot(n, view.to_sun.xyz);
    let sun = max(towards, 0.0) * sunshine(position, n);
    // Thin things let some light through.
    let through = 0.25 * max(-towards, 0.0);
    let open = 0.5 + 0.5 * n.y;
    let bounced = view.floor.rgb * 0.7;
    let sky = mix(bounced, mix(view.horizon.rgb, view.zenith.rgb, 0.5), open) * view.zenith.w;
    let half_way = normalize(view.to_sun.xyz + to_eye);
    let gloss = 0.25 * pow(max(dot(n, half_way), 0.0), 60.0) * step(0.0, towards) * sun;
    let rim = 0.06 * pow(1.0 - abs(dot(n, to_eye)), 4.0);
    return base * (view.sun_light.rgb * (sun + through) * 0.75 + sky)
        + view.sun_light.rgb * gloss + sky * rim;
}

// Khronos PBR Neutral, as the program's own renderer has it; then sRGB.
fn finish(light: vec3f) -> vec4f {
    let l = max(light, vec3f(0.0));
    let x = min(l.r, min(l.g, l.b));
    let offset = select(0.04, x - 6.25 * x * x, x < 0.08);
    var color = l - offset;
    let peak = max(color.r, max(color.g, color.b));
    if (peak >= 0.76) {
        let d = 0.24;
        let new_peak = 1.0 - d * d / (peak + d - 0.76);
        let pale = 1.0 - 1.0 / (0.15 * (peak - new_peak) + 1.0);
        color = mix(color * (new_peak / peak), vec3f(new_peak), pale);
    }
    let low = color * 12.92;
    let high = 1.055 * pow(max(color, vec3f(1e-5)), vec3f(1.0 / 2.4)) - 0.055;
    return vec4f(select(high, low, color <= vec3f(0.0031308)), 1.0);
}

// ---- Triangles ---------------------------------------------------------------------------------

struct Woven {
    @builtin(position) place: vec4f,
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(2) color: vec3f,
    // Where on the cloth (m); far beyond any on what is none.
    @location(3) on_cloth: vec2f,
};

@vertex
fn mesh_vertex(
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(2) color: vec3f,
    @location(3) on_cloth: vec2f,
) -> Woven {
    let place = view.projection * vec4f(position, 1.0);
    return Woven(place, position, normal, color, on_cloth);
}

@vertex
fn mesh_shadow(@location(0) position: vec3f) -> @builtin(position) vec4f {
    return view.sun_projection * vec4f(position, 1.0);
}

// Width of a stripe, pitch of the threads and half their thickness (m).
const STRIPE: f32 = 0.02;
const PITCH: f32 = 0.003;
const THREAD: f32 = 2.5e-4;

// Share of a pixel that stripes as wide as their gaps cover, along one direction.
fn stripes(at: f32, blur: f32) -> f32 {
    // The integral of a square wave, over the width of a pixel.
    let low = (at - 0.5 * blur) / (2.0 * STRIPE);
    let high = (at + 0.5 * blur) / (2.0 * STRIPE);
    let below = floor(low) * 0.5 + min(fract(low), 0.5);
    let above = floor(high) * 0.5 + min(fract(high), 0.5);
    return clamp((above - below) / max(high - low, 1e-6), 0.0, 1.0);
}

@fragment
fn surface_fragment(in: Woven, @builtin(front_facing) is_front: bool) -> @location(0) vec4f {
    let dx = dpdx(in.position);
    let dy = dpdy(in.position);
    let uv_dx = dpdx(in.on_cloth);
    let uv_dy = dpdy(in.on_cloth);
    var normal = in.normal;
    var color = in.color;
    if (in.on_cloth.x < 1e8) {
        let blur = abs(uv_dx) + abs(uv_dy);
        // Coloured threads cross white ones: where both are coloured it is darkest.
        let crossed = stripes(in.on_cloth.x, blur.x) + stripes(in.on_cloth.y, blur.y);
        color = in.color * (1.15 - 0.22 * crossed);
        // Threads go over and under each other: h = A sin(πu/p) sin(πv/p). A normal map without a map:
        // Mikkelsen 2010, "Bump Mapping Unparametrized Surfaces on the GPU". From afar it fades.
        let fade = 1.0 - smoothstep(0.12, 0.35, max(blur.x, blur.y) / PITCH);
        let turn = in.on_cloth * (3.14159265 / PITCH);
        let slope = THREAD * 3.14159265 / PITCH * fade
            * vec2f(cos(turn.x) * sin(turn.y), sin(turn.x) * cos(turn.y));
        let n = normalize(in.normal + vec3f(0.0, 1e-8, 0.0));
        let r1 = cross(dy, n);
        let r2 = cross(n, dx);
        let area = dot(dx, r1);
        let up = sign(area) * (dot(slope, uv_dx) * r1 + dot(slope, uv_dy) * r2);
        normal = abs(area) * n - up;
        // Less than a pixel of it is seen: the surface as it is.
        normal = select(n, normal / length(normal), length(normal) > 1e-20);
    }
    return finish(lit(in.position, normal, color, is_front));
}

// A surface with a picture and a normal map. The gradients of u and v over the surface stand for
// tangents (Mikkelsen 2010, as above), so that cuts and folds need no others.
@fragment
fn dressed_fragment(in: Woven, @builtin(front_facing) is_front: bool) -> @location(0) vec4f {
    let dx = dpdx(in.position);
    let dy = dpdy(in.position);
    let uv_dx = dpdx(in.on_cloth);
    let uv_dy = dpdy(in.on_cloth);
    let color = in.color * textureSample(coat_color, coat_sampler, in.on_cloth).rgb;
    let bump = textureSample(coat_normals, coat_sampler, in.on_cloth).rgb * 2.0 - 1.0;
    let n = normalize(in.normal + vec3f(0.0, 1e-8, 0.0));
    let r1 = cross(dy, n);
    let r2 = cross(n, dx);
    let side = sign(dot(dx, r1));
    let along_u = side * (r1 * uv_dx.x + r2 * uv_dy.x);
    let along_v = side * (r1 * uv_dx.y + r2 * uv_dy.y);
    let scale = inverseSqrt(max(max(dot(along_u, along_u), dot(along_v, along_v)), 1e-30));
    // Green points up in the picture, v down.
    let bent = (along_u * bump.x - along_v * bump.y) * scale + n * max(bump.z, 0.05);
    return finish(lit(in.position, bent, color, is_front));
}

// Balls and rods have no back that could be seen.
@fragment
fn round_fragment(in: Surface) -> @location(0) vec4f {
    return finish(lit(in.position, in.normal, in.color, true));
}

// ---- Balls and rods: instances of a unit ball and a unit rod -----------------------------------

@vertex
fn ball_vertex(
    @location(0) unit: vec3f,
    @location(1) center: vec3f,
    @location(2) radius: f32,
    @location(3) color: vec3f,
) -> Surface {
    return surface(center + unit * radius, unit, color);
}

@vertex
fn ball_shadow(
    @location(0) unit: vec3f,
    @location(1) center: vec3f,
    @location(2) radius: f32,
) -> @builtin(position) vec4f {
    return view.sun_projection * vec4f(center + unit * radius, 1.0);
}

// A direction across `along`: x and y of `unit` run around it.
fn across(along: vec3f, unit: vec3f) -> vec3f {
    let helper = select(vec3f(1.0, 0.0, 0.0), vec3f(0.0, 1.0, 0.0), abs(along.x) > 0.7);
    let u = normalize(cross(along, helper));
    return u * unit.x + cross(along, u) * unit.y;
}

@vertex
fn rod_vertex(
    @location(0) unit: vec3f,
    @location(1) begin: vec3f,
    @location(2) radius: f32,
    @location(3) end: vec3f,
    @location(4) color: vec3f,
) -> Surface {
    let normal = across(normalize(end - begin + vec3f(0.0, 1e-9, 0.0)), unit);
    return surface(mix(begin, end, unit.z) + normal * radius, normal, color);
}

@vertex
fn rod_shadow(
    @location(0) unit: vec3f,
    @location(1) begin: vec3f,
    @location(2) radius: f32,
    @location(3) end: vec3f,
) -> @builtin(position) vec4f {
    let normal = across(normalize(end - begin + vec3f(0.0, 1e-9, 0.0)), unit);
    return view.sun_projection * vec4f(mix(begin, end, unit.z) + normal * radius, 1.0);
}

// ---- Lines: two triangles each, as wide on the screen at any distance ---------------------------

struct Ribbon {
    @builtin(position) place: vec4f,
    @location(0) color: vec3f,
};

@vertex
fn line_vertex(
    @builtin(vertex_index) index: u32,
    @location(1) begin: vec3f,
    @location(2) width: f32,
    @location(3) end: vec3f,
    @location(4) color: vec3f,
) -> Ribbon {
    var a = view.projection * vec4f(begin, 1.0);
    var b = view.projection * vec4f(end, 1.0);
    // What is behind the eye is cut off where the picture begins.
    let near = 1e-4;
    if (a.w < near && b.w < near) {
        return Ribbon(vec4f(0.0, 0.0, 2.0, 1.0), color);
    }
    if (a.w < near) {
        a = mix(a, b, (near - a.w) / (b.w - a.w));
    } else if (b.w < near) {
        b = mix(b, a, (near - b.w) / (a.w - b.w));
    }
    let pixels = view.size.xy * 0.5;
    let along = (b.xy / b.w - a.xy / a.w) * pixels;
    let direction = along / max(length(along), 1e-6);
    let side = vec2f(-direction.y, direction.x) / pixels * width * view.eye.w * 0.5;
    // Two triangles: left begin, left end, right end; left begin, right end, right begin.
    let is_end = index == 1u || index == 2u || index == 4u;
    let is_left = index == 0u || index == 1u || index == 3u;
    let place = select(a, b, is_end);
    let off = select(-side, side, is_left) * place.w;
    // A little nearer than the surface that the line lies on.
    return Ribbon(vec4f(place.xy + off, place.z * 1.002, place.w), color);
}

@fragment
fn line_fragment(in: Ribbon) -> @location(0) vec4f {
    return finish(in.color);
}

// ---- Sky and floor: one triangle over the whole picture -----------------------------------------

struct Backdrop {
    @builtin(position) place: vec4f,
    @location(0) far: vec3f,
};

fn backdrop(index: u32, depth: f32) -> Backdrop {
    let at = vec2f(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0);
    // Depth 0.1 is in the picture whatever near and far are.
    let world = view.unprojection * vec4f(at, 0.1, 1.0);
    return Backdrop(vec4f(at, depth, 1.0), world.xyz / world.w);
}

@vertex
fn sky_vertex(@builtin(vertex_index) index: u32) -> Backdrop {
    return backdrop(index, 0.0);
}

@fragment
fn sky_fragment(in: Backdrop) -> @location(0) vec4f {
    let direction = normalize(in.far - view.eye.xyz);
    return finish(sky_towards(direction));
}

struct FloorVertex {
    @builtin(position) place: vec4f,
    @location(0) position: vec3f,
};

// A square around what is looked at, as far as the floor reaches.
@vertex
fn floor_vertex(@builtin(vertex_index) index: u32) -> FloorVertex {
    let side = 3.0 * view.fields.z;
    var corners = array(vec2f(-1.0, -1.0), vec2f(-1.0, 1.0), vec2f(1.0, 1.0),
                        vec2f(-1.0, -1.0), vec2f(1.0, 1.0), vec2f(1.0, -1.0));
    let at = view.target_point.xz + corners[index] * side;
    let position = vec3f(at.x, view.floor.w, at.y);
    return FloorVertex(view.projection * vec4f(position, 1.0), position);
}

// Share of a pixel that lines of a pattern with period 1 cover.
fn grid(at: vec2f, width: f32) -> f32 {
    let blur = max(fwidth(at), vec2f(1e-6));
    let off = abs(fract(at - 0.5) - 0.5);
    let line = 1.0 - smoothstep(vec2f(0.0), blur * (width + 0.5), off);
    // Far away there is nothing but lines: they fade instead.
    let fade = 1.0 - clamp(max(blur.x, blur.y) * 2.0, 0.0, 1.0);
    return max(line.x, line.y) * fade;
}

@fragment
fn floor_fragment(in: FloorVertex) -> @location(0) vec4f {
    let distance = length(in.position - vec3f(view.target_point.x, view.floor.w, view.target_point.z));
    let fade = smoothstep(0.35 * view.fields.z, 2.2 * view.fields.z, distance);
    let cell = max(view.fields.x, 1e-6);
    let lines = max(0.35 * grid(in.position.xz / cell, 0.6), 0.6 * grid(in.position.xz / (5.0 * cell), 0.9));
    if (view.fields.w < 1.5) {
        let color = finish(view.horizon.rgb * 0.35).rgb;
        return vec4f(color, lines * (1.0 - fade));
    }
    let sun = max(view.to_sun.y, 0.0) * sunshine(in.position, vec3f(0.0, 1.0, 0.0));
    let sky = mix(view.horizon.rgb, view.zenith.rgb, 0.5) * view.zenith.w;
    let color = view.floor.rgb * (1.0 - view.fields.y * lines * 3.0);
    let light = color * (view.sun_light.rgb * sun * 0.75 + sky);
    return vec4f(finish(light).rgb, 1.0 - fade);
}
