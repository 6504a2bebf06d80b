//! Facets of complex functions: all words of a function must read the same number, so a change to one operand changes all of them.

use super::feed::{OperandSlot, Words, attribute, bare, stores};
use super::{operands, units};
use crate::binary::exact;
use crate::isa::facet::{Site, Sited};
use crate::isa::utgard_gp::opcode::Op;
use crate::isa::utgard_gp::program::{Mul, Program, Word};
use crate::isa::utgard_gp::source::{ResultOf, Source, code_of};

/// The operands of the lookup and of complex2, the first stages of a function.
const FIRST: [OperandSlot; 3] = [OperandSlot::Complex, OperandSlot::MulA(0), OperandSlot::MulB(0)];
/// The operand code of the lookup's result in the next word.
const LOOKUP: u8 = code_of(ResultOf::Complex, 1);
/// The operand code of complex2's result in the next word.
const SQUARE: u8 = code_of(ResultOf::Mul0, 1);
/// The operand codes of preexp2's result one and two words later.
const PREEXP2: [u8; 2] = [code_of(ResultOf::Pass, 1), code_of(ResultOf::Pass, 2)];
/// The operand code of complex1's result, the function's, two words later.
const RESULT_OF_MUL0: u8 = code_of(ResultOf::Mul0, 2);

/// The last operand of complex1.
const LAST: OperandSlot = OperandSlot::MulB(1);

/// Returns the word with a lookup and a complex2 added, both with the operand `code`.
pub(super) fn add_lookup(mut word: Word, f: Op, code: u8) -> Word {
    (word.complex_op, word.complex_src) = (f.number(), code);
    word.mul_op = Op::Complex2.number();
    word.mul[0] = Mul { a: code, b: code, neg: 0 };
    word
}

/// Returns the word with the complex1 that combines the lookup and complex2.
pub(super) fn add_complex1(mut word: Word, d: u8) -> Word {
    word.mul_op = Op::Complex1.number();
    word.mul = [Mul { a: LOOKUP, b: SQUARE, neg: 0 }, Mul { a: LOOKUP, b: d, neg: 0 }];
    word
}

/// Returns the words of a function of component x of the attribute. The last word reads the function's result.
pub(super) fn function(f: Op) -> Vec<Word> {
    let op = if f == Op::Log2 { Op::Postlog2 } else { Op::PassMov };
    let end = Word { pass_op: op.number(), pass_src: RESULT_OF_MUL0, ..bare() };
    if f == Op::Exp2 {
        let first = Word { pass_op: Op::Preexp2.number(), pass_src: 0, ..attribute(bare()) };
        return vec![first, add_lookup(bare(), f, PREEXP2[0]), add_complex1(bare(), PREEXP2[1]), bare(), end];
    }
    vec![add_lookup(attribute(bare()), f, 0), add_complex1(attribute(bare()), 0), bare(), end]
}

/// Sets an operand of a unit to the code that `change` returns. If the unit belongs to a complex function, makes the rest of the function read the
/// same number. `change` receives the component that the operand had.
pub(super) fn change_operand(
    program: &Program,
    site: Site,
    slot: OperandSlot,
    change: impl FnOnce(&mut Words, u8) -> Option<u8>,
) -> Option<Sited<Program>> {
    let (word, op) = units::at(program, site)?;
    let component = operands::component_at(word, slot);
    let at = site.word as usize;
    let mut words = Words { all: program.words.clone(), at, open: vec![(0, slot)] };
    match op {
        // The operand of these operations is the result of an earlier step of the function.
        Op::Exp2 | Op::Postlog2 => return None,
        Op::Rcp | Op::Rsqrt | Op::Log2 | Op::Complex2 => {
            words.open = FIRST.map(|slot| (0, slot)).to_vec();
            words.open.push((1, LAST));
            let code = change(&mut words, component)?;
            let at = words.at;
            let origin = words.origin(at, Source::decode(code, false))?;
            // The complex unit's result cannot be a second operand.
            let is_first_only = Source::decode(code, true) != Source::decode(code, false);
            let second = if is_first_only { words.read(at, origin)? } else { code };
            for (slot, code) in FIRST.into_iter().zip([code, code, second]) {
                slot.set(words.word(), code);
            }
            let last = words.read(at + 1, origin)?;
            LAST.set(words.all.get_mut(at + 1)?, last);
        }
        Op::Complex1 => {
            words.open.extend(FIRST.map(|slot| (-1, slot)));
            let code = change(&mut words, component)?;
            LAST.set(words.word(), code);
            let at = words.at;
            let origin = words.origin(at, Source::decode(code, true))?;
            let first = words.read(at.checked_sub(1)?, origin)?;
            for slot in FIRST {
                slot.set(&mut words.all[at - 1], first);
            }
        }
        _ => {
            let code = change(&mut words, component)?;
            slot.set(words.word(), code);
        }
    }
    Some(finish(program, words, site.unit))
}

/// Returns the program with the changed words, and the site of the unit `unit` of the current word.
pub(super) fn finish(program: &Program, words: Words, unit: u8) -> Sited<Program> {
    let site = Site { word: exact(words.at), unit };
    (Program { words: words.all, tail: program.tail.clone(), facts: program.facts.clone() }, site)
}

/// Adds a lookup and a complex2 to the current word, and inserts the rest of the function after it.
pub(super) fn begin(words: &mut Words) -> Option<()> {
    let at = words.at;
    // Port 0 may already read a register; a load is always available.
    let code = words
        .provide(Source::Port0(0), true, 0, false)
        .or_else(|| words.provide(Source::Load(0), false, 0, false))?;
    let origin = words.origin(at, Source::decode(code, false))?;
    let word = words.word();
    *word = add_lookup(*word, Op::Rcp, code);
    let mut end = Word { pass_op: Op::PassMov.number(), pass_src: RESULT_OF_MUL0, ..bare() };
    stores(&mut end, 0, [Some(ResultOf::Pass), None]);
    end.store[0].address = 1;
    words.insert(at + 1, &[add_complex1(bare(), 0), bare(), end])?;
    words.open = vec![(1, LAST)];
    let last = words.read(at + 1, origin)?;
    LAST.set(words.all.get_mut(at + 1)?, last);
    Some(())
}
