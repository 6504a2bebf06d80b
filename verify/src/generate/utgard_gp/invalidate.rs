//! Invalidation of a valid program: makes one change, which usually violates a rule.

use crate::generate::Entropy;
use lockstep_core::isa::utgard_gp::opcode::Op;
use lockstep_core::isa::utgard_gp::program::{Program, Word};
use lockstep_core::isa::utgard_gp::source::{ALSO_UNUSED, NOT_STORED, UNUSED};
use lockstep_core::isa::utgard_gp::vocabulary::Mark;
use lockstep_core::isa::utgard_gp::word::FieldId;

/// The operand fields.
const OPERANDS: [FieldId; 10] = [
    FieldId::Mul0Src0,
    FieldId::Mul0Src1,
    FieldId::Mul1Src0,
    FieldId::Mul1Src1,
    FieldId::Acc0Src0,
    FieldId::Acc0Src1,
    FieldId::Acc1Src0,
    FieldId::Acc1Src1,
    FieldId::ComplexSrc,
    FieldId::PassSrc,
];
const STORED: [FieldId; 4] =
    [FieldId::Store0SrcX, FieldId::Store0SrcY, FieldId::Store1SrcZ, FieldId::Store1SrcW];
/// Operation numbers that no document defines.
const UNKNOWN: [(FieldId, &[u16]); 4] = [
    (FieldId::AccOp, &[3]),
    (FieldId::MulOp, &[2, 5, 6, 7]),
    (FieldId::ComplexOp, &[1, 6, 7, 8, 10, 11]),
    (FieldId::PassOp, &[0, 1, 3, 7]),
];

/// Returns one of `fields`, preferably one whose value in the word is not `nothing`.
fn used(e: &mut Entropy<'_>, word: &Word, fields: &[FieldId], nothing: u16) -> FieldId {
    let used: Vec<FieldId> = fields.iter().copied().filter(|f| word.field(*f) != nothing).collect();
    let any = e.below(fields.len());
    e.pick(&used).copied().unwrap_or(fields[any])
}

pub(super) fn invalidate(e: &mut Entropy<'_>, program: &mut Program) {
    let count = program.words.len();
    let at = e.below(count);
    let set = |program: &mut Program, field: FieldId, value: u16| {
        let word = program.words[at];
        program.words[at] = word.with_field(field, value).unwrap_or(word);
    };
    let operand = used(e, &program.words[at], &OPERANDS, u16::from(UNUSED));
    match e.weighted(&[12, 10, 16, 8, 8, 8, 8, 8, 10, 6, 6]) {
        0 => {
            let (field, numbers) = UNKNOWN[e.below(4)];
            let number = e.pick(numbers).copied().unwrap_or_default();
            set(program, field, number);
        }
        1 => set(program, operand, u16::from(ALSO_UNUSED) + e.below(4) as u16),
        // The operand becomes a value of an earlier word, such as a result of an idle unit or a stage of a complex function.
        2 => set(program, operand, e.between(16, 31) as u16),
        3 => set(program, operand, u16::from(UNUSED)),
        4 => {
            let field = used(e, &program.words[at], &STORED, u16::from(NOT_STORED));
            set(program, field, e.below(8) as u16);
        }
        5 => {
            let field = [
                FieldId::Store0Temporary,
                FieldId::Store1Temporary,
                FieldId::Store0Varying,
                FieldId::Store1Varying,
            ][e.below(4)];
            set(program, field, 1);
        }
        6 => set(program, FieldId::LoadOffset, e.below(7) as u16),
        7 => branch(e, &mut program.words, at),
        // Removes, swaps or inserts words, so that results are no longer where their readers expect them.
        8 => match e.below(3) {
            0 if count > 1 => drop(program.words.remove(at)),
            1 if at + 1 < count => program.words.swap(at, at + 1),
            _ => program.words.insert(at, Word::default()),
        },
        9 => {
            let field = FieldId::ALL[e.below(FieldId::ALL.len())];
            set(program, field, e.bits() as u16);
        }
        _ => match e.below(4) {
            0 => program.tail = vec![1 + e.below(255) as u8; e.between(1, 15)],
            1 => set(program, FieldId::Unknown1, e.below(16) as u16),
            2 => program.facts.prefetch = Some(e.below(count + 2) as u16),
            _ => program.facts.position = Some(e.below(16) as u16),
        },
    }
}

/// Adds or changes a branch: removes its condition, makes the condition a stage of a complex function, or sets a random target or one past the end.
fn branch(e: &mut Entropy<'_>, words: &mut [Word], at: usize) {
    let count = words.len();
    let branches: Vec<usize> = (0..count).filter(|k| words[*k].branch != 0).collect();
    let at = e.pick(&branches).copied().unwrap_or(at);
    let word = &mut words[at];
    (word.branch, word.unknown_1) = (1, Mark::Branch as u8);
    let target = match e.below(4) {
        0 => (count + e.below(4)).min(511),
        1 => {
            word.pass_src = UNUSED;
            return;
        }
        2 => {
            word.pass_op = Op::Preexp2.number();
            return;
        }
        _ => e.below(count),
    };
    // Setting fails for a target beyond the target field's range, which a long program may have; the old target then stays.
    let _ = word.set_target(target as u32);
}
