//! What a reader wants of a value: size, sign, and whether lanes can be told apart by it.
//!
//! Programs are made from their end to their beginning, so what a value will be is not known when it is asked for; what it should be is.
//! Only the generator's taste depends on this.

/// The least `bits` that any value has: attributes and uniforms are up to 8 in size.
pub(super) const LEAST: i32 = 3;

/// What is wanted of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(clippy::struct_excessive_bools)] // they go together in many ways
pub(super) struct Want {
    /// At most 2 to this power in size.
    pub(super) bits: i32,
    /// Above zero.
    pub(super) positive: bool,
    /// Different from lane to lane.
    pub(super) varies: bool,
    /// Hardly ever zero.
    pub(super) solid: bool,
    /// 0 or 1, and both occur.
    pub(super) truth: bool,
    /// The literal with this number and nothing else.
    pub(super) exact: Option<u8>,
}

impl Want {
    /// A number, whatever it is.
    pub(super) const ANY: Want =
        Want { bits: 40, positive: false, varies: false, solid: false, truth: false, exact: None };
    /// What an output should be.
    pub(super) const OUTPUT: Want = Want { varies: true, ..Want::ANY };
    /// A condition.
    pub(super) const TRUTH: Want = Want { truth: true, ..Want::ANY };
    /// A small number that differs from lane to lane: an index, a power.
    pub(super) const SMALL: Want = Want { bits: LEAST, varies: true, ..Want::ANY };
    /// The operand of a logarithm or a root.
    pub(super) const POSITIVE: Want = Want { bits: 20, positive: true, varies: true, ..Want::ANY };
    /// The operand of a reciprocal.
    pub(super) const SOLID: Want = Want { bits: 20, solid: true, varies: true, ..Want::ANY };

    pub(super) fn exactly(literal: u8) -> Want {
        Want { exact: Some(literal), ..Want::ANY }
    }

    pub(super) fn with_bits(self, bits: i32) -> Want {
        Want { bits: bits.max(LEAST), ..self }
    }

    /// What suits two readers; `None` if nothing does.
    pub(super) fn merge(self, other: Want) -> Option<Want> {
        if self.exact != other.exact {
            return None;
        }
        let merged = Want {
            bits: self.bits.min(other.bits),
            positive: self.positive || other.positive,
            varies: self.varies || other.varies,
            solid: self.solid || other.solid,
            truth: self.truth || other.truth,
            exact: self.exact,
        };
        let rich = merged.positive || merged.varies || merged.solid;
        (!(merged.truth && rich)).then_some(merged)
    }

    /// Whether a value of few kinds will do: a truth, a sign.
    pub(super) fn takes_few(self) -> bool {
        !(self.positive || self.varies || self.solid)
    }

    /// Whether an ordinary number will do, up to 8 in size and of either sign.
    pub(super) fn takes_ordinary(self) -> bool {
        !self.positive && self.exact.is_none()
    }
}
