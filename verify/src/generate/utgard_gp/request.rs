//! Value requests: the requirements for a value's size and sign, and whether it differs between lanes.
//!
//! Programs are built backwards, so when a value is requested, its range is not known yet, only its requirements. Only the generator's choices depend
//! on the requirements.

/// The minimum `bits` of any request: attributes and uniforms have magnitudes up to 8.
pub(super) const MIN_BITS: i32 = 3;

/// The requirements for a value.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(clippy::struct_excessive_bools)] // independent flags
pub(super) struct ValueRequest {
    /// The magnitude is at most 2 to the power of `bits`.
    pub(super) bits: i32,
    /// The value is above zero.
    pub(super) positive: bool,
    /// The value differs between lanes.
    pub(super) varies: bool,
    /// The value is zero for almost no inputs.
    pub(super) nonzero: bool,
    /// The value is 0 or 1, and both occur.
    pub(super) truth: bool,
    /// The value is exactly the literal with this number.
    pub(super) exact: Option<u8>,
}

impl ValueRequest {
    /// The request for any number.
    pub(super) const ANY: ValueRequest =
        ValueRequest { bits: 40, positive: false, varies: false, nonzero: false, truth: false, exact: None };
    /// The requirements for an output.
    pub(super) const OUTPUT: ValueRequest = ValueRequest { varies: true, ..ValueRequest::ANY };
    /// The request for a condition.
    pub(super) const TRUTH: ValueRequest = ValueRequest { truth: true, ..ValueRequest::ANY };
    /// The request for a small number that differs between lanes, such as an index or a power.
    pub(super) const SMALL: ValueRequest = ValueRequest { bits: MIN_BITS, varies: true, ..ValueRequest::ANY };
    /// The request for the operand of a logarithm or a root.
    pub(super) const POSITIVE: ValueRequest =
        ValueRequest { bits: 20, positive: true, varies: true, ..ValueRequest::ANY };
    /// The request for the operand of a reciprocal.
    pub(super) const NONZERO: ValueRequest =
        ValueRequest { bits: 20, nonzero: true, varies: true, ..ValueRequest::ANY };

    pub(super) fn exactly(literal: u8) -> ValueRequest {
        ValueRequest { exact: Some(literal), ..ValueRequest::ANY }
    }

    pub(super) fn with_bits(self, bits: i32) -> ValueRequest {
        ValueRequest { bits: bits.max(MIN_BITS), ..self }
    }

    /// Combines the requirements of two readers; `None` if they conflict.
    pub(super) fn merge(self, other: ValueRequest) -> Option<ValueRequest> {
        if self.exact != other.exact {
            return None;
        }
        let merged = ValueRequest {
            bits: self.bits.min(other.bits),
            positive: self.positive || other.positive,
            varies: self.varies || other.varies,
            nonzero: self.nonzero || other.nonzero,
            truth: self.truth || other.truth,
            exact: self.exact,
        };
        let rich = merged.positive || merged.varies || merged.nonzero;
        (!(merged.truth && rich)).then_some(merged)
    }

    /// Whether a value from a small set is acceptable, such as a truth value or a sign.
    pub(super) fn takes_few(self) -> bool {
        !(self.positive || self.varies || self.nonzero)
    }

    /// Whether an ordinary number is acceptable: magnitude up to 8 and either sign. Does not check whether a truth value is requested.
    pub(super) fn takes_ordinary(self) -> bool {
        !self.positive && self.exact.is_none()
    }
}
