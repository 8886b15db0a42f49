// A constant force on chosen particles. CPU twin: point.rs
fn point(force: u32, i: u32) -> vec3f {
    if !acts_on(force, i) {
        return vec3f(0.0);
    }
    return vec3f(number(force, 0u), number(force, 1u), number(force, 2u)) * traits[i].inverse_mass;
}
