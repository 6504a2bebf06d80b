//! The kinds of units' results. The kinds are statically known, since results do not cross block boundaries.

use super::Outline;
use crate::isa::utgard_gp::opcode::Op;
use crate::isa::utgard_gp::program::{Program, Word};
use crate::isa::utgard_gp::source::{ResultOf, Source};

/// The kind of a unit's result: a number, a stage of a complex function, or nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitResultKind {
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

/// Returns the kind of a unit's result in word `at`, as seen from word `from`: nothing if `from` is not after `at`, or if a
/// block begins at a word after `at`, up to and including `from`.
pub fn kind(program: &Program, outline: &Outline, at: u32, of: ResultOf, from: u32) -> UnitResultKind {
    if at >= from || (at + 1..=from).any(|k| outline.is_leader(k)) {
        return UnitResultKind::Nothing;
    }
    program
        .words
        .get(at as usize)
        .map_or(UnitResultKind::Nothing, |word| of_unit(program, outline, at, word, of))
}

/// Returns the kind of an operand in word `at`.
pub(super) fn operand(program: &Program, outline: &Outline, at: u32, source: Source) -> UnitResultKind {
    match source {
        Source::Port0(_) | Source::Port1(_) | Source::Load(_) | Source::Identity => UnitResultKind::Number,
        Source::Port0Before(_) if at > 0 && !outline.is_leader(at) => UnitResultKind::Number,
        Source::Result { of, age } => at
            .checked_sub(age.into())
            .map_or(UnitResultKind::Nothing, |then| kind(program, outline, then, of, at)),
        Source::Port0Before(_) | Source::Unused | Source::Unknown(_) => UnitResultKind::Nothing,
    }
}

/// Returns the kind of a unit's result in word `at`.
pub(super) fn of_unit(
    program: &Program,
    outline: &Outline,
    at: u32,
    word: &Word,
    of: ResultOf,
) -> UnitResultKind {
    let Some(op) = word.result_op(of) else { return UnitResultKind::Nothing };
    let is = |code: u8, second: bool| operand(program, outline, at, Source::decode(code, second));
    let [m0, m1] = word.mul;
    match op {
        Op::Preexp2 if is(word.pass_src, false) == UnitResultKind::Number => UnitResultKind::Preexp2Result,
        Op::Postlog2 if is(word.pass_src, false) == UnitResultKind::Logarithm => UnitResultKind::Number,
        Op::Exp2 if is(word.complex_src, false) == UnitResultKind::Preexp2Result => {
            UnitResultKind::LookupResult(op)
        }
        Op::Log2 | Op::Rsqrt | Op::Rcp if is(word.complex_src, false) == UnitResultKind::Number => {
            UnitResultKind::LookupResult(op)
        }
        Op::Complex2 if matches!(is(m0.a, false), UnitResultKind::Number | UnitResultKind::Preexp2Result) => {
            UnitResultKind::Complex2Result
        }
        Op::Complex1 => match [is(m0.a, false), is(m0.b, true), is(m1.a, false), is(m1.b, true)] {
            [
                UnitResultKind::LookupResult(Op::Exp2),
                UnitResultKind::Complex2Result,
                UnitResultKind::LookupResult(Op::Exp2),
                UnitResultKind::Preexp2Result,
            ] => UnitResultKind::Number,
            [
                UnitResultKind::LookupResult(Op::Log2),
                UnitResultKind::Complex2Result,
                UnitResultKind::LookupResult(Op::Log2),
                UnitResultKind::Number,
            ] => UnitResultKind::Logarithm,
            [
                UnitResultKind::LookupResult(f @ (Op::Rcp | Op::Rsqrt)),
                UnitResultKind::Complex2Result,
                UnitResultKind::LookupResult(g),
                UnitResultKind::Number,
            ] if f == g => UnitResultKind::Number,
            _ => UnitResultKind::Nothing,
        },
        Op::Preexp2 | Op::Postlog2 | Op::Exp2 | Op::Log2 | Op::Rsqrt | Op::Rcp | Op::Complex2 => {
            UnitResultKind::Nothing
        }
        _ => UnitResultKind::Number,
    }
}
