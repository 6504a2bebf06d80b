//! Pairs of facet values that cannot occur together.

/// Two values that no instruction of a legal program shows together for one opcode. Each side is `facet=value`, or a facet name for all of its
/// values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Infeasible {
    /// One side.
    pub a: &'static str,
    /// The other side.
    pub b: &'static str,
    /// The reason, in a sentence.
    pub why: &'static str,
    /// The numbers of the error-level rules, one of which an instruction with both values would break; empty if no encoding expresses both.
    pub rules: &'static [u16],
    /// Whether the pair is excluded only within a unit: two units of one instruction with the same opcode may show one value each.
    pub in_unit: bool,
}

impl Infeasible {
    /// A pair that no instruction shows.
    pub const fn in_word(a: &'static str, b: &'static str, why: &'static str) -> Infeasible {
        Infeasible { a, b, why, rules: &[], in_unit: false }
    }

    /// A pair that no single unit shows.
    pub const fn in_unit(a: &'static str, b: &'static str, why: &'static str) -> Infeasible {
        Infeasible { a, b, why, rules: &[], in_unit: true }
    }

    /// The same pair, forbidden by these rules.
    pub const fn by(self, rules: &'static [u16]) -> Infeasible {
        Infeasible { rules, ..self }
    }

    /// Whether the row covers these two values, in either order.
    pub fn is_about(&self, a: &str, b: &str) -> bool {
        sides_match([self.a, self.b], [a, b])
    }
}

/// Whether two sides match two modifiers, in either order. A side is `kind=value`, or a kind for all of its values.
pub fn sides_match(sides: [&str; 2], [a, b]: [&str; 2]) -> bool {
    means(sides[0], a) && means(sides[1], b) || means(sides[0], b) && means(sides[1], a)
}

/// Whether a side matches a modifier.
pub(super) fn means(side: &str, modifier: &str) -> bool {
    side == modifier || modifier.split_once('=').is_some_and(|(kind, _)| side == kind)
}
