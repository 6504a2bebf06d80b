//! Values that never meet.

/// Two values that no instruction of a legal program shows together for one opcode. Each side is `facet=value`, or a facet for all of its
/// values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Apart {
    /// One.
    pub a: &'static str,
    /// The other.
    pub b: &'static str,
    /// The rule that forbids them.
    pub why: &'static str,
    /// Whether the rule holds for each unit alone: two units of the word with the same opcode may show one value each.
    pub in_unit: bool,
}

impl Apart {
    /// No instruction shows both.
    pub const fn in_word(a: &'static str, b: &'static str, why: &'static str) -> Apart {
        Apart { a, b, why, in_unit: false }
    }

    /// No single unit shows both.
    pub const fn in_unit(a: &'static str, b: &'static str, why: &'static str) -> Apart {
        Apart { a, b, why, in_unit: true }
    }

    /// Whether these two are meant, in either order.
    pub fn is_about(&self, a: &str, b: &str) -> bool {
        let is = |side: &str, modifier: &str| {
            side == modifier || modifier.split_once('=').is_some_and(|(facet, _)| side == facet)
        };
        is(self.a, a) && is(self.b, b) || is(self.a, b) && is(self.b, a)
    }
}
