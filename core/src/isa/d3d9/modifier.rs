//! Source modifiers, one table row each: number, name, syntax, where they are legal, and their effect on value bounds.
//!
//! The reference implements each modifier. The lowering implements it again, independently, from the documents.

use crate::binary::vocabulary;

/// The operands on which the documents allow a modifier. The validator checks further conditions on the instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowed {
    /// Any numeric source.
    Everywhere,
    /// Any numeric source, except in texture instructions of ps_1_x.
    NotEarlyTextures,
    /// Sources of arithmetic in ps_1_x; `_bx2` also in some texture instructions of ps_1_0 to ps_1_3.
    Early,
    /// Sources of arithmetic in ps_1_4.
    Ps14Arithmetic,
    /// Numeric sources in 3_0 and later.
    Sm3,
    /// Sources of texture instructions in ps_1_4.
    Division,
    /// Boolean conditions.
    Condition,
}

/// The effect of a modifier on the bounds of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bounds {
    /// `x * a + b` for the pair `(a, b)`.
    Linear(f32, f32),
    /// The magnitude of x, times this factor.
    Magnitude(f32),
    /// x divided by this component of the same register.
    DividedBy(u8),
}

/// The properties of a modifier: a row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The text before the register.
    pub before: &'static str,
    /// The possible texts after the register. The first one is printed.
    pub after: &'static [&'static str],
    /// The operands on which the modifier is legal.
    pub allowed: Allowed,
    /// How the modifier changes the bounds of a value.
    pub bounds: Bounds,
    /// The modifier whose result is the negation of this one's; `None` if there is none.
    pub negated: Option<Modifier>,
}

macro_rules! modifiers {
    ($(
        $(#[$doc:meta])*
        $name:ident = $number:literal $text:literal:
            $before:literal $after:expr, $allowed:ident, $bounds:expr, $negated:expr;
    )*) => {
        vocabulary! {
            /// Source modifiers.
            pub enum Modifier {
                $($(#[$doc])* $name = $number $text,)*
            }
        }

        impl Modifier {
            /// Returns the properties of the modifier.
            pub const fn row(self) -> &'static Row {
                match self {
                    $(Modifier::$name => &Row {
                        before: $before,
                        after: &$after,
                        allowed: Allowed::$allowed,
                        bounds: $bounds,
                        negated: $negated,
                    },)*
                }
            }
        }
    };
}

modifiers! {
    /// x.
    None = 0 "none": "" [""], Everywhere, Bounds::Linear(1.0, 0.0), Some(Modifier::Neg);
    /// -x.
    Neg = 1 "neg": "-" [""], NotEarlyTextures, Bounds::Linear(-1.0, 0.0), Some(Modifier::None);
    /// x - 0.5.
    Bias = 2 "bias": "" ["_bias"], Early, Bounds::Linear(1.0, -0.5), Some(Modifier::BiasNeg);
    /// -(x - 0.5).
    BiasNeg = 3 "biasneg": "-" ["_bias"], Early, Bounds::Linear(-1.0, 0.5), Some(Modifier::Bias);
    /// 2 * (x - 0.5).
    Bx2 = 4 "bx2": "" ["_bx2"], Early, Bounds::Linear(2.0, -1.0), Some(Modifier::Bx2Neg);
    /// -(2 * (x - 0.5)).
    Bx2Neg = 5 "bx2neg": "-" ["_bx2"], Early, Bounds::Linear(-2.0, 1.0), Some(Modifier::Bx2);
    /// 1 - x.
    Complement = 6 "complement": "1-" [""], Early, Bounds::Linear(-1.0, 1.0), None;
    /// 2 * x.
    X2 = 7 "x2": "" ["_x2"], Ps14Arithmetic, Bounds::Linear(2.0, 0.0), Some(Modifier::X2Neg);
    /// -(2 * x).
    X2Neg = 8 "x2neg": "-" ["_x2"], Ps14Arithmetic, Bounds::Linear(-2.0, 0.0), Some(Modifier::X2);
    /// x / z.
    Dz = 9 "dz": "" ["_dz", "_db"], Division, Bounds::DividedBy(2), None;
    /// x / w.
    Dw = 10 "dw": "" ["_dw", "_da"], Division, Bounds::DividedBy(3), None;
    /// |x|.
    Abs = 11 "abs": "" ["_abs"], Sm3, Bounds::Magnitude(1.0), Some(Modifier::AbsNeg);
    /// -|x|.
    AbsNeg = 12 "absneg": "-" ["_abs"], Sm3, Bounds::Magnitude(-1.0), Some(Modifier::Abs);
    /// Logical not, of Booleans.
    Not = 13 "not": "!" [""], Condition, Bounds::Linear(1.0, 0.0), None;
}

impl Bounds {
    /// Returns the bounds of the modified value, for a value from `low` to `high`; `None` for a quotient, which may have any size.
    pub fn of(self, low: f32, high: f32) -> Option<(f32, f32)> {
        let size = low.abs().max(high.abs());
        match self {
            Bounds::Linear(a, b) if a < 0.0 => Some((high * a + b, low * a + b)),
            Bounds::Linear(a, b) => Some((low * a + b, high * a + b)),
            Bounds::Magnitude(sign) if sign < 0.0 => Some((-size, 0.0)),
            Bounds::Magnitude(_) => Some((0.0, size)),
            Bounds::DividedBy(_) => None,
        }
    }
}

impl Modifier {
    /// Returns the modifier whose result is the negation of this one's, if there is one.
    pub fn negated(self) -> Option<Modifier> {
        self.row().negated
    }

    /// Returns the component that the modifier divides by, as a mask; 0 if it does not divide.
    pub fn divisor(self) -> u8 {
        if let Bounds::DividedBy(component) = self.row().bounds { 1 << component } else { 0 }
    }

    /// Returns every spelling of each modifier: the text before and after the register. The printed spellings come first.
    pub fn spellings() -> impl Iterator<Item = (&'static str, &'static str, Modifier)> {
        let part = |printed: bool| {
            Modifier::ALL.into_iter().flat_map(move |modifier| {
                let Row { before, after, .. } = *modifier.row();
                let (first, others) = after.split_at(1);
                (if printed { first } else { others }).iter().map(move |after| (before, *after, modifier))
            })
        };
        part(true).chain(part(false))
    }
}

/// The number of modifiers in the facets of the third and fourth source (all except division and `not`), of the second source (all except division)
/// and of the first source (all).
pub(super) const COUNTS: [usize; 3] = {
    let mut counts = [0; 3];
    let mut k = 0;
    while k < Modifier::ALL.len() {
        let rank = rank(Modifier::ALL[k]);
        let mut at = rank;
        while at < 3 {
            counts[at] += 1;
            at += 1;
        }
        k += 1;
    }
    counts
};

const fn rank(modifier: Modifier) -> usize {
    match modifier.row().allowed {
        Allowed::Division => 2,
        Allowed::Condition => 1,
        _ => 0,
    }
}

/// The facet values, ordered so that the modifiers of each count in [`COUNTS`] are a prefix.
pub(super) const VALUES: [&str; Modifier::ALL.len()] = {
    let mut values = [""; Modifier::ALL.len()];
    let (mut at, mut wanted) = (0, 0);
    while wanted < COUNTS.len() {
        let mut k = 0;
        while k < Modifier::ALL.len() {
            if rank(Modifier::ALL[k]) == wanted {
                values[at] = Modifier::ALL[k].name();
                at += 1;
            }
            k += 1;
        }
        wanted += 1;
    }
    values
};

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn double_negation_is_the_identity_on_bounds() {
        for modifier in Modifier::ALL {
            let Some(negated) = modifier.negated() else { continue };
            assert_eq!(negated.negated(), Some(modifier));
            assert_eq!(negated.row().after, modifier.row().after);
            let mut signs = [modifier, negated].map(|m| m.row().before);
            signs.sort_unstable();
            assert_eq!(signs, ["", "-"], "{modifier:?}");
            match (modifier.row().bounds, negated.row().bounds) {
                (Bounds::Linear(a, b), Bounds::Linear(c, d)) => assert_eq!((a, b), (-c, -d), "{modifier:?}"),
                (Bounds::Magnitude(a), Bounds::Magnitude(b)) => assert_eq!(a, -b, "{modifier:?}"),
                other => panic!("{modifier:?}: {other:?}"),
            }
        }
    }

    #[test]
    fn each_spelling_denotes_one_modifier_and_each_modifier_is_a_facet_value() {
        let spelt: BTreeSet<_> = Modifier::spellings().map(|(before, after, _)| (before, after)).collect();
        assert_eq!(spelt.len(), Modifier::spellings().count());
        let values: BTreeSet<_> = VALUES.into_iter().collect();
        assert_eq!(values, Modifier::ALL.map(Modifier::name).into_iter().collect());
    }
}
