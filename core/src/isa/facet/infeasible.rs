//! Pairs of values that cannot meet.

/// Two values that no instruction of a legal program shows together for one opcode. Each side is `facet=value`, or a facet for all of its
/// values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Infeasible {
    /// One.
    pub a: &'static str,
    /// The other.
    pub b: &'static str,
    /// Why, in a sentence.
    pub why: &'static str,
    /// The rules at error level, by number, of which an instruction with both would break one; none where no word says both.
    pub rules: &'static [u16],
    /// Whether the rule holds for each unit alone: two units of the word with the same opcode may show one value each.
    pub in_unit: bool,
}

impl Infeasible {
    /// No instruction shows both.
    pub const fn in_word(a: &'static str, b: &'static str, why: &'static str) -> Infeasible {
        Infeasible { a, b, why, rules: &[], in_unit: false }
    }

    /// No single unit shows both.
    pub const fn in_unit(a: &'static str, b: &'static str, why: &'static str) -> Infeasible {
        Infeasible { a, b, why, rules: &[], in_unit: true }
    }

    /// The same, forbidden by rules.
    pub const fn by(self, rules: &'static [u16]) -> Infeasible {
        Infeasible { rules, ..self }
    }

    /// Whether these two are meant, in either order.
    pub fn is_about(&self, a: &str, b: &str) -> bool {
        are_meant([self.a, self.b], [a, b])
    }
}

/// Whether two sides mean two modifiers, in either order. A side is `kind=value`, or a kind for all of its values.
pub fn are_meant(sides: [&str; 2], [a, b]: [&str; 2]) -> bool {
    means(sides[0], a) && means(sides[1], b) || means(sides[0], b) && means(sides[1], a)
}

/// Whether a side means a modifier.
pub(super) fn means(side: &str, modifier: &str) -> bool {
    side == modifier || modifier.split_once('=').is_some_and(|(kind, _)| side == kind)
}
