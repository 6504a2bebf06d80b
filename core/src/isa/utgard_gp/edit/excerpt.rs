//! Excerpts: a few words of a program that can run on their own.

use super::super::facts::{Facts, Literals};
use super::super::program::{Program, Store, Word};
use super::super::source::{NOT_STORED, ResultOf, Source, Stored};
use super::super::word::FieldId::{
    self, Acc0Src0, Acc0Src1, Acc1Src0, Acc1Src1, ComplexSrc, Mul0Src0, Mul0Src1, Mul1Src0, Mul1Src1, PassSrc,
};
use super::Part;
use std::ops::Range;

/// The operand fields of a word's units, and whether each is the second operand of its unit.
const OPERANDS: [(FieldId, bool); 10] = [
    (Mul0Src0, false),
    (Mul0Src1, true),
    (Mul1Src0, false),
    (Mul1Src1, true),
    (Acc0Src0, false),
    (Acc0Src1, true),
    (Acc1Src0, false),
    (Acc1Src1, true),
    (ComplexSrc, false),
    (PassSrc, false),
];

/// Programs made of these words only, one for each result of the last word, which is stored to component x of varying 0. Operands from outside the
/// range are replaced by components of attribute 0, in turn; there are no other stores and no branch. If the range begins with the first word, it is
/// also tried unchanged, truncated after the result.
pub fn excerpts(program: &Program, range: Range<u32>) -> Vec<Program> {
    let Some(words) = program.words.get(range.start as usize..range.end as usize) else { return Vec::new() };
    let Some(last) = words.last() else { return Vec::new() };
    let position = program.facts.position.map(|_| 0);
    let mut forms = vec![(fed(words), Facts { position, ..Facts::default() })];
    if range.start == 0 && words.iter().all(|word| word.branch == 0) {
        forms.push((words.to_vec(), Facts { prefetch: None, position, ..program.facts.clone() }));
    }
    let live: Vec<ResultOf> = ResultOf::ALL.into_iter().filter(|of| last.result_op(*of).is_some()).collect();
    let mut all = Vec::new();
    for (words, facts) in forms {
        for of in &live {
            let mut words = words.clone();
            if let Some(last) = words.last_mut() {
                let sources = [Stored::Result(*of).code(), NOT_STORED];
                *last = last.without_effects();
                last.store[0] = Store { sources, address: 0, varying: 1, temporary: 0 };
            }
            all.push(Program { words, tail: Vec::new(), facts: facts.clone() });
        }
    }
    all
}

/// The words without effects, with operands from outside replaced by components of attribute 0.
fn fed(words: &[Word]) -> Vec<Word> {
    let mut component = 0;
    let mut alone = Vec::with_capacity(words.len());
    for (before, word) in words.iter().enumerate() {
        let mut word = word.without_effects();
        // If an address register is added to the slot, the load is kept: it is the use of that register.
        let addressed = word.load.register().is_some();
        let mut reads_attribute = false;
        for (field, second) in OPERANDS {
            let stays = match Source::decode(word.field(field) as u8, second) {
                Source::Result { age, .. } => usize::from(age) <= before,
                Source::Identity | Source::Unused => true,
                Source::Load(_) => addressed,
                _ => false,
            };
            if !stays {
                word = word.with_field(field, component & 3).unwrap_or(word);
                component += 1;
                reads_attribute = true;
            }
        }
        let nop = Word::default();
        word.load = if addressed { word.load } else { nop.load };
        word.port1 = nop.port1;
        (word.port0, word.port0_attribute) = (0, u8::from(reads_attribute));
        alone.push(word);
    }
    alone
}

/// The program without literals, whose values then come from the environment's constants, and without facts that only a driver needs.
pub fn strip(program: &Program) -> Option<Program> {
    let facts = Facts { prefetch: None, literals: Literals::default(), ..program.facts.clone() };
    let stripped = Program { words: program.words.clone(), tail: Vec::new(), facts };
    (stripped != *program).then_some(stripped)
}

impl Word {
    /// The word without stores and branch.
    fn without_effects(&self) -> Word {
        [Part::Store0, Part::Store1, Part::Branch].into_iter().fold(*self, |word, part| part.remove(&word))
    }
}
