//! Bitwise equality of cases and environments. The derived equality would treat -0 as equal to 0, and a NaN as different from itself.

use crate::case::Case;
use lockstep_core::host::{Environment, Texels, Texture};

/// Whether two cases are equal in every bit.
pub(crate) fn is_same(a: &Case, b: &Case) -> bool {
    let Case { isa, bytes, entry, options, env } = a;
    (isa, bytes, entry, options) == (&b.isa, &b.bytes, &b.entry, &b.options)
        && is_same_environment(env, &b.env)
}

/// Whether two environments are equal in every bit.
pub(crate) fn is_same_environment(a: &Environment, b: &Environment) -> bool {
    let Environment { constants, ints, bools, textures, buffers, fuel, effects, lanes } = a;
    (ints, bools, buffers, fuel, effects) == (&b.ints, &b.bools, &b.buffers, &b.fuel, &b.effects)
        && are_same(constants, &b.constants)
        && textures.len() == b.textures.len()
        && textures.iter().zip(&b.textures).all(|(a, b)| is_same_texture(a, b))
        && lanes.len() == b.lanes.len()
        && lanes.iter().zip(&b.lanes).all(|(a, b)| are_same(&a.slots, &b.slots))
}

fn is_same_texture(a: &Texture, b: &Texture) -> bool {
    // The equality of sampler states compares bits.
    let Texture { dimension, size, levels, state, texels } = a;
    let is_same_source = match (texels, &b.texels) {
        (Texels::Explicit(a), Texels::Explicit(b)) => are_same(a, b),
        (Texels::Ramp { base, slope }, Texels::Ramp { base: other, slope: other_slope }) => {
            are_same(&[*base], &[*other]) && slope.to_bits() == other_slope.to_bits()
        }
        (a, b) => a == b,
    };
    (dimension, size, levels, state) == (&b.dimension, &b.size, &b.levels, &b.state) && is_same_source
}

fn are_same(a: &[[f32; 4]], b: &[[f32; 4]]) -> bool {
    let bits = |vectors: &[[f32; 4]]| vectors.iter().map(|v| v.map(f32::to_bits)).collect::<Vec<_>>();
    a.len() == b.len() && bits(a) == bits(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_core::host::LaneInput;
    use lockstep_core::isa::IsaId;

    /// Returns the places of an environment that hold floats: a name for each, and a function that borrows the place in a case.
    fn places() -> Vec<(&'static str, fn(&mut Case) -> &mut f32)> {
        fn ramp(case: &mut Case) -> (&mut [f32; 4], &mut f32) {
            let Texels::Ramp { base, slope } = &mut case.env.textures[1].texels else { panic!("no ramp") };
            (base, slope)
        }
        vec![
            ("a constant", |c| &mut c.env.constants[1][2]),
            ("an input", |c| &mut c.env.lanes[1].slots[1][3]),
            ("a texel", |c| match &mut c.env.textures[0].texels {
                Texels::Explicit(texels) => &mut texels[1][0],
                _ => panic!("no texels"),
            }),
            ("the base of a ramp", |c| &mut ramp(c).0[1]),
            ("the slope of a ramp", |c| ramp(c).1),
            ("a border", |c| &mut c.env.textures[0].state.border[3]),
            ("a bias", |c| &mut c.env.textures[1].state.lod_bias),
        ]
    }

    #[test]
    fn floats_at_every_place_are_compared_by_their_bits() {
        let mut case = Case::bare(IsaId::Agal, &[]);
        let texels = Texels::Explicit(vec![[0.0; 4]; 2]);
        let ramp = Texels::Ramp { base: [0.0; 4], slope: 0.0 };
        case.env.textures = [texels, ramp].map(|texels| Texture { texels, ..Texture::default() }).into();
        case.env.constants = vec![[0.0; 4]; 2];
        case.env.lanes = vec![LaneInput { slots: vec![[0.0; 4]; 2] }; 2];
        for (name, place) in places() {
            for value in [0.0, -0.0, 1.0, f32::NAN, -f32::NAN] {
                *place(&mut case) = value;
                let mut other = case.clone();
                for changed in [0.0, -0.0, 1.0, f32::NAN, -f32::NAN] {
                    *place(&mut other) = changed;
                    let expected = value.to_bits() == changed.to_bits();
                    assert_eq!(is_same(&case, &other), expected, "{name}: {value}, {changed}");
                }
            }
            *place(&mut case) = 0.0;
        }
    }
}
