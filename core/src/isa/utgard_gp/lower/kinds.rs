//! The kinds of units' results. The kinds are statically known, since results do not cross block boundaries.

use super::Outline;
use crate::isa::utgard_gp::opcode::Op;
use crate::isa::utgard_gp::program::{Program, Word};
use crate::isa::utgard_gp::source::{ResultOf, Source};

/// The kind of a unit's result: a number, a stage of a complex function, or nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// No readable result.
    Nothing,
    /// A number.
    Number,
    /// The result of the table lookup for this function.
    LookupResult(Op),
    /// The result of complex2.
    Complex2Result,
    /// The result of preexp2.
    Preexp2Result,
    /// The result of complex1 for a logarithm.
    Logarithm,
}

/// Returns the kind of a unit's result in word `at`, as seen from word `from`: nothing if a block begins in between.
pub fn kind(program: &Program, outline: &Outline, at: u32, of: ResultOf, from: u32) -> Kind {
    if at >= from || (at + 1..=from).any(|k| outline.is_leader(k)) {
        return Kind::Nothing;
    }
    program.words.get(at as usize).map_or(Kind::Nothing, |word| of_unit(program, outline, at, word, of))
}

/// Returns the kind of an operand in word `at`.
pub(super) fn operand(program: &Program, outline: &Outline, at: u32, source: Source) -> Kind {
    match source {
        Source::Port0(_) | Source::Port1(_) | Source::Load(_) | Source::Identity => Kind::Number,
        Source::Port0Before(_) if at > 0 && !outline.is_leader(at) => Kind::Number,
        Source::Result { of, age } => {
            at.checked_sub(age.into()).map_or(Kind::Nothing, |then| kind(program, outline, then, of, at))
        }
        Source::Port0Before(_) | Source::Unused | Source::Unknown(_) => Kind::Nothing,
    }
}

/// Returns the kind of a unit's result in word `at`.
pub(super) fn of_unit(program: &Program, outline: &Outline, at: u32, word: &Word, of: ResultOf) -> Kind {
    let Some(op) = word.result_op(of) else { return Kind::Nothing };
    let is = |code: u8, second: bool| operand(program, outline, at, Source::decode(code, second));
    let [m0, m1] = word.mul;
    match op {
        Op::Preexp2 if is(word.pass_src, false) == Kind::Number => Kind::Preexp2Result,
        Op::Postlog2 if is(word.pass_src, false) == Kind::Logarithm => Kind::Number,
        Op::Exp2 if is(word.complex_src, false) == Kind::Preexp2Result => Kind::LookupResult(op),
        Op::Log2 | Op::Rsqrt | Op::Rcp if is(word.complex_src, false) == Kind::Number => {
            Kind::LookupResult(op)
        }
        Op::Complex2 if matches!(is(m0.a, false), Kind::Number | Kind::Preexp2Result) => Kind::Complex2Result,
        Op::Complex1 => match [is(m0.a, false), is(m0.b, true), is(m1.a, false), is(m1.b, true)] {
            [
                Kind::LookupResult(Op::Exp2),
                Kind::Complex2Result,
                Kind::LookupResult(Op::Exp2),
                Kind::Preexp2Result,
            ] => Kind::Number,
            [
                Kind::LookupResult(Op::Log2),
                Kind::Complex2Result,
                Kind::LookupResult(Op::Log2),
                Kind::Number,
            ] => Kind::Logarithm,
            [
                Kind::LookupResult(f @ (Op::Rcp | Op::Rsqrt)),
                Kind::Complex2Result,
                Kind::LookupResult(g),
                Kind::Number,
            ] if f == g => Kind::Number,
            _ => Kind::Nothing,
        },
        Op::Preexp2 | Op::Postlog2 | Op::Exp2 | Op::Log2 | Op::Rsqrt | Op::Rcp | Op::Complex2 => {
            Kind::Nothing
        }
        _ => Kind::Number,
    }
}
