//! Pairs of facet values that cannot occur together.

/// Two facet values that no instruction of a legal program has together for one opcode. Each side is `facet=value`, or the name of a facet, which
/// stands for all its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Infeasible {
    /// The first side.
    pub a: &'static str,
    /// The second side.
    pub b: &'static str,
    /// The reason, as one sentence.
    pub why: &'static str,
    /// The numbers of rules of error level. An instruction with both values violates at least one of these rules. For each rule, a test in
    /// `facet::law` requires a program made by setters that violates the rule because of the two values. Empty if no encoding can express both
    /// values, or setters refuse to set both.
    pub rules: &'static [u16],
    /// Whether the pair is excluded only within one unit. Then two units of an instruction word that have the same opcode may have one of the values
    /// each.
    pub in_unit: bool,
}

impl Infeasible {
    /// A pair that no instruction word has, because no encoding expresses both values or no setter makes both.
    /// [`Infeasible::by`] names rules as the reason instead.
    pub const fn in_word(a: &'static str, b: &'static str, why: &'static str) -> Infeasible {
        Infeasible { a, b, why, rules: &[], in_unit: false }
    }

    /// A pair that no single unit has, for the reasons of [`Infeasible::in_word`].
    pub const fn in_unit(a: &'static str, b: &'static str, why: &'static str) -> Infeasible {
        Infeasible { a, b, why, rules: &[], in_unit: true }
    }

    /// Returns the same pair, excluded because each instruction with both values violates at least one of `rules`.
    pub const fn by(self, rules: &'static [u16]) -> Infeasible {
        Infeasible { rules, ..self }
    }

    /// Whether this row covers these two values, in either order.
    pub fn covers(&self, a: &str, b: &str) -> bool {
        sides_match([self.a, self.b], [a, b])
    }
}

/// Whether the two sides of a row match two values, each given as `facet=value`, in either order. A side is `facet=value`, or only a facet, which
/// stands for all its values.
pub fn sides_match(sides: [&str; 2], [a, b]: [&str; 2]) -> bool {
    side_matches(sides[0], a) && side_matches(sides[1], b)
        || side_matches(sides[0], b) && side_matches(sides[1], a)
}

/// Whether one side of a row matches a value, given as `facet=value`.
pub(super) fn side_matches(side: &str, modifier: &str) -> bool {
    side == modifier || modifier.split_once('=').is_some_and(|(kind, _)| side == kind)
}
