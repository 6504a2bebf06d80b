//! Excerpts: programs made of a few words of another program, changed so that they can run on their own.

use super::super::facts::{Facts, Literals};
use super::super::opcode::{Op, Unit};
use super::super::program::{Program, Store, Word};
use super::super::source::{NOT_STORED, ResultOf, Source, StoreSource};
use super::super::word::FieldId::{
    self, Acc0Src0, Acc0Src1, Acc1Src0, Acc1Src1, ComplexSrc, Mul0Src0, Mul0Src1, Mul1Src0, Mul1Src1, PassSrc,
};
use super::Part;
use crate::binary::exact;
use std::ops::Range;

/// The operand fields of a word's units, each with whether it is the second operand of its unit.
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

/// Returns programs made of the words in `range` only. Operands that read ports, or results from before the range, are replaced by components of
/// attribute 0, in turn; loads with an address register are kept. One program keeps the stores and the branch of the last word. For each result of
/// the last word, another program stores only that result, to component x of varying 0. Each program also has a variant in which moves and products
/// replace the stages of complex functions, because other stages may be outside the range. If the range begins with the first word and contains no
/// branch, the unchanged words are also used, with one result of the last word stored.
pub fn excerpts(program: &Program, range: Range<u32>) -> Vec<Program> {
    let Some(words) = program.words.get(range.start as usize..range.end as usize) else { return Vec::new() };
    let Some(last) = words.last() else { return Vec::new() };
    let position = program.facts.position.map(|_| 0);
    let own = Facts { position, ..Facts::default() };
    let plain: Vec<Word> = words.iter().map(Word::without_function_steps).collect();
    let mut all = Vec::new();
    for words in [words, &plain] {
        let facts = Facts { position: program.facts.position, ..Facts::default() };
        all.extend(with_effects(words, range.start).map(|words| Program { words, tail: Vec::new(), facts }));
    }
    let mut forms = vec![(with_replaced_operands(words), own.clone()), (with_replaced_operands(&plain), own)];
    if range.start == 0 && words.iter().all(|word| word.branch == 0) {
        forms.push((words.to_vec(), Facts { prefetch: None, position, ..program.facts.clone() }));
    }
    let live: Vec<ResultOf> = ResultOf::ALL.into_iter().filter(|of| last.result_op(*of).is_some()).collect();
    for (words, facts) in forms {
        for of in &live {
            let mut words = words.clone();
            if let Some(last) = words.last_mut() {
                let sources = [StoreSource::Result(*of).code(), NOT_STORED];
                *last = last.without_effects();
                last.store[0] = Store { sources, address: 0, varying: 1, temporary: 0 };
            }
            all.push(Program { words, tail: Vec::new(), facts: facts.clone() });
        }
    }
    all
}

/// Returns the words as [`with_replaced_operands`] does, but keeps the stores and the branch of the last word; `None` if the last word has neither. A
/// branch to a word outside the range goes to the first word instead. `start` is the index of the first word in the program.
fn with_effects(words: &[Word], start: u32) -> Option<Vec<Word>> {
    let mut isolated = with_replaced_operands(words);
    let (last, whole) = (isolated.last_mut()?, words.last()?);
    last.store = whole.store;
    if whole.branch != 0 {
        last.branch = whole.branch;
        let target = whole.target().checked_sub(start).filter(|target| (*target as usize) < words.len());
        last.set_target(target.unwrap_or(0))?;
    }
    last.unknown_1 = whole.unknown_1;
    (*last != last.without_effects()).then_some(isolated)
}

/// Returns the words without stores and branches. Operands that read ports, or results from before the words, become components of attribute 0.
fn with_replaced_operands(words: &[Word]) -> Vec<Word> {
    let mut component = 0;
    let mut isolated = Vec::with_capacity(words.len());
    for (before, word) in words.iter().enumerate() {
        let mut word = word.without_effects();
        // If the load adds an address register to its slot, it is kept, because loads are the only use of address registers there.
        let addressed = word.load.register().is_some();
        let mut reads_attribute = false;
        for (field, is_second) in OPERANDS {
            let stays = match Source::decode(exact::<u8, _>(word.field(field)), is_second) {
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
        isolated.push(word);
    }
    isolated
}

/// Returns the program without its tail, its prefetch fact and its literals, whose values then come from the environment's constants. `None` if the
/// program has none of these.
pub fn strip(program: &Program) -> Option<Program> {
    let facts = Facts { prefetch: None, literals: Literals::default(), ..program.facts.clone() };
    let stripped = Program { words: program.words.clone(), tail: Vec::new(), facts };
    (stripped != *program).then_some(stripped)
}

impl Word {
    /// Returns the word with moves in place of the steps of a complex function in the pass and complex units, and with products in place of those in
    /// the multipliers.
    fn without_function_steps(&self) -> Word {
        let mut word = *self;
        let is = |unit, number, ops: &[Op]| Op::from_number(unit, number).is_some_and(|op| ops.contains(&op));
        if is(Unit::Pass, word.pass_op, &[Op::Preexp2, Op::Postlog2]) {
            word.pass_op = Op::PassMov.number();
        }
        if is(Unit::Mul, word.mul_op, &[Op::Complex1, Op::Complex2]) {
            word.mul_op = Op::Mul.number();
        }
        if is(Unit::Complex, word.complex_op, &[Op::Exp2, Op::Log2, Op::Rsqrt, Op::Rcp]) {
            word.complex_op = Op::ComplexMov.number();
        }
        word
    }

    /// Returns the word without stores and branch.
    fn without_effects(&self) -> Word {
        [Part::Store0, Part::Store1, Part::Branch].into_iter().fold(*self, |word, part| part.remove(&word))
    }
}

#[cfg(test)]
mod tests {
    use crate::isa::utgard_gp::UtgardGp;
    use crate::isa::{Edits, Syntax};

    /// Returns the excerpts of one word, as text without spaces and comments.
    fn excerpts_of(text: &str, word: u32) -> Vec<String> {
        let program = UtgardGp::assemble(text).unwrap();
        let excerpts = UtgardGp::excerpts(&program, word..word + 1);
        let plain = |text: String| -> String {
            let lines = text.lines().filter(|line| !line.starts_with('.'));
            lines.map(|line| line.split("//").next().unwrap_or_default()).collect::<String>()
        };
        excerpts
            .iter()
            .map(|p| plain(UtgardGp::disassemble(p)).split_whitespace().collect::<Vec<_>>().join(" "))
            .collect()
    }

    #[test]
    fn the_last_word_keeps_its_stores_and_branch_and_stages_of_functions_are_moves() {
        let head = ".utgard_gp vertex\n.position 0\nattribute.load(0), pass.mov(attribute.x);\nnop;\n";
        let stores = "mul[0].mov(pass.out[2]), pass.postlog2(mul[0].out[2]), store[0].varying(3, pass.out, unused), store[1].varying(0, \
                      mul[0].out, unused);\n";
        let all = excerpts_of(&format!("{head}{stores}"), 2);
        let wanted = "attribute.load(0), mul[0].mov(attribute.x), pass.mov(attribute.y), store[0].varying(3, pass.out, unused), \
                      store[1].varying(0, mul[0].out, unused);";
        assert!(all.iter().any(|text| text == wanted), "{all:#?}");
        let isolated = "attribute.load(0), mul[0].mov(attribute.x), pass.mov(attribute.y), store[0].varying(0, mul[0].out, unused);";
        assert!(all.iter().any(|text| text == isolated), "{all:#?}");
        let all = excerpts_of(&format!("{head}pass.mov(pass.out[2]), branch(0);\n"), 2);
        let wanted = "attribute.load(0), pass.mov(attribute.x), branch(l0);";
        assert!(all.iter().any(|text| text.ends_with(wanted)), "{all:#?}");
    }
}
