//! Source modifiers, a row each: number, name, how they are written, where they are legal, and what they do to bounds.
//!
//! What a modifier computes stands in the reference and, read from the documents a second time, in the lowering.

use crate::binary::vocabulary;

/// Where the documents allow a modifier; what else the instruction has to be is for the validator to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowed {
    /// On every number.
    Everywhere,
    /// On every number but those of texture instructions of ps_1_x.
    NotEarlyTextures,
    /// On arithmetic of ps_1_x.
    Early,
    /// On arithmetic of ps_1_4.
    Late,
    /// On numbers from 3_0 on.
    Third,
    /// On what texture instructions of ps_1_4 read.
    Division,
    /// On Boolean conditions.
    Condition,
}

/// What a modifier makes of a number, as far as bounds on it go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bounds {
    /// `x * a + b`.
    Linear(f32, f32),
    /// The magnitude, times this.
    Magnitude(f32),
    /// It is divided by this component of the register.
    DividedBy(u8),
}

/// What is said of a modifier.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// What is written before the register.
    pub before: &'static str,
    /// What is written after it; of several the first is printed.
    pub after: &'static [&'static str],
    /// Where it is legal.
    pub allowed: Allowed,
    /// What it makes of bounds.
    pub bounds: Bounds,
    /// The modifier that gives the same with the other sign.
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
            /// What is said of it.
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
    /// Not x, of Booleans.
    Not = 13 "not": "!" [""], Condition, Bounds::Linear(1.0, 0.0), None;
}

impl Modifier {
    /// The modifier that gives the same with the other sign, if there is one.
    pub fn negated(self) -> Option<Modifier> {
        self.row().negated
    }

    /// The component that it divides by, as a mask; none for most.
    pub fn divisor(self) -> u8 {
        if let Bounds::DividedBy(component) = self.row().bounds { 1 << component } else { 0 }
    }

    /// Every way to write a modifier: what stands before and after the register. Those that are printed come first.
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

/// How many modifiers a facet has: those of numbers that nothing divides, those and conditions, all.
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

/// The values of the facets, in an order in which each source has all from the first on.
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
    fn what_is_negated_twice_is_itself_and_has_the_other_bounds() {
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
