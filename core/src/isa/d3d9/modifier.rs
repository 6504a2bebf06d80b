//! Source modifiers, one row each: number, name, spelling, where they are legal, and their effect on bounds.
//!
//! The reference defines what a modifier computes. The lowering defines it again, independently, from the documents.

use crate::binary::vocabulary;

/// Where the documents allow a modifier. The validator checks the further conditions on the instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowed {
    /// On every number.
    Everywhere,
    /// On every number except in texture instructions of ps_1_x.
    NotEarlyTextures,
    /// On arithmetic of ps_1_x.
    Early,
    /// On arithmetic of ps_1_4.
    Late,
    /// On numbers in 3_0 and later.
    Third,
    /// On the sources of texture instructions of ps_1_4.
    Division,
    /// On Boolean conditions.
    Condition,
}

/// The effect of a modifier on the bounds of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bounds {
    /// `x * a + b`.
    Linear(f32, f32),
    /// The magnitude, times this factor.
    Magnitude(f32),
    /// The value is divided by this component of the register.
    DividedBy(u8),
}

/// The properties of a modifier.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The text before the register.
    pub before: &'static str,
    /// The possible texts after the register. The first one is printed.
    pub after: &'static [&'static str],
    /// Where it is legal.
    pub allowed: Allowed,
    /// Its effect on bounds.
    pub bounds: Bounds,
    /// The modifier with the same result, negated.
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
            /// The properties of the modifier.
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
    X2 = 7 "x2": "" ["_x2"], Late, Bounds::Linear(2.0, 0.0), Some(Modifier::X2Neg);
    /// -(2 * x).
    X2Neg = 8 "x2neg": "-" ["_x2"], Late, Bounds::Linear(-2.0, 0.0), Some(Modifier::X2);
    /// x / z.
    Dz = 9 "dz": "" ["_dz", "_db"], Division, Bounds::DividedBy(2), None;
    /// x / w.
    Dw = 10 "dw": "" ["_dw", "_da"], Division, Bounds::DividedBy(3), None;
    /// |x|.
    Abs = 11 "abs": "" ["_abs"], Third, Bounds::Magnitude(1.0), Some(Modifier::AbsNeg);
    /// -|x|.
    AbsNeg = 12 "absneg": "-" ["_abs"], Third, Bounds::Magnitude(-1.0), Some(Modifier::Abs);
    /// Logical not, of Booleans.
    Not = 13 "not": "!" [""], Condition, Bounds::Linear(1.0, 0.0), None;
}

impl Modifier {
    /// The modifier with the same result, negated, if there is one.
    pub fn negated(self) -> Option<Modifier> {
        self.row().negated
    }

    /// The component that the modifier divides by, as a mask; 0 if it does not divide.
    pub fn divisor(self) -> u8 {
        if let Bounds::DividedBy(component) = self.row().bounds { 1 << component } else { 0 }
    }

    /// Every spelling of a modifier: the text before and after the register. The printed spellings come first.
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

/// The number of modifiers in a facet: of those on numbers without division, of those plus the one on conditions, and of all.
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

/// The facet values, ordered so that the values of each source are a prefix.
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
    fn each_spelling_is_of_one_modifier_and_each_modifier_is_a_value() {
        let spelt: BTreeSet<_> = Modifier::spellings().map(|(before, after, _)| (before, after)).collect();
        assert_eq!(spelt.len(), Modifier::spellings().count());
        let values: BTreeSet<_> = VALUES.into_iter().collect();
        assert_eq!(values, Modifier::ALL.map(Modifier::name).into_iter().collect());
    }
}
