//! The forms of words, as small programs for the proofs of the lowering rules: every operation with every kind of operand in every place,
//! every store and every branch, each with no more words around it than it needs.

mod feed;
mod functions;

use super::classes::numbers;
use super::facts::Facts;
use super::opcode::{Op, TABLE, Unit};
use super::program::{Acc, Load, Mul, Program, Word};
use super::source::{IDENTITY, NOT_STORED, ResultOf, Stored, UNUSED};
use crate::isa::RuleProgram;
use feed::{Feed, feed};

/// Collects forms.
pub(super) struct List {
    all: Vec<RuleProgram<Program>>,
}

impl List {
    fn push(&mut self, name: String, mutate: bool, words: Vec<Word>) {
        self.push_with(name, mutate, words, Facts::default());
    }

    fn push_with(&mut self, name: String, mutate: bool, words: Vec<Word>, facts: Facts) {
        let program = Program { words, tail: Vec::new(), facts };
        self.all.push(RuleProgram { name, program, mutate });
    }

    /// A form of one word in question: `fill` gives it the operand that `feed` has prepared.
    fn fed(&mut self, op: Op, place: &str, feed: &Feed, fill: impl Fn(&mut Word, u8)) {
        let mut words = feed.before.clone();
        let mut word = feed.word();
        fill(&mut word, feed.code);
        words.push(word);
        // Each operation is tried on mutants with operands that nothing is done to; what is done to bring others is tried with moves.
        let mutate = feed.is_plain() || (feed.brings && op == Op::PassMov);
        self.push(format!("{} {place}={}", op.row().qualified, feed.name), mutate, words);
    }
}

/// The operands of a place, one of each kind, and loads with each offset.
fn feeds(second: bool) -> Vec<Feed> {
    let kinds = numbers(second).into_iter().enumerate();
    let mut all: Vec<Feed> = kinds.map(|(lane, kind)| feed(kind, (lane & 3) as u8)).collect();
    all.extend((1..=3).map(|offset| feed("load", offset).with_offset(offset)));
    all
}

/// Stores results of a word to x and y, or to z and w, of varying 0.
fn stores(word: &mut Word, unit: usize, of: [Option<ResultOf>; 2]) {
    word.store[unit].varying = 1;
    word.store[unit].sources = of.map(|of| of.map_or(NOT_STORED, |of| Stored::Result(of).code()));
}

fn accs(list: &mut List) {
    for row in TABLE.iter().filter(|row| row.unit == Unit::Acc) {
        let two = !matches!(row.op, Op::Floor | Op::Sign);
        for (k, feed) in feeds(false).iter().enumerate() {
            list.fed(row.op, "a", feed, |word, code| {
                word.acc_op = row.number;
                let b = if two { 13 } else { UNUSED };
                word.acc[k & 1] =
                    Acc { a: code, b, neg_a: ((k / 2) & 1) as u8, neg_b: u8::from(two && (k / 4) & 1 == 1) };
                stores(word, 0, [ResultOf::ALL[k & 1], ResultOf::ALL[k & 1]].map(Some));
                word.store[0].sources[1] = NOT_STORED;
            });
        }
        for (k, feed) in feeds(true).iter().enumerate().filter(|_| two) {
            list.fed(row.op, "b", feed, |word, code| {
                word.acc_op = row.number;
                word.acc[k & 1] =
                    Acc { a: 12, b: code, neg_a: ((k / 4) & 1) as u8, neg_b: ((k / 2) & 1) as u8 };
                stores(word, 0, [Some(ResultOf::ALL[k & 1]), None]);
            });
        }
    }
    let mut both = Word { acc_op: 0, port0_attribute: 1, ..Word::default() };
    both.acc = [Acc { a: 0, b: IDENTITY, neg_a: 0, neg_b: 1 }, Acc { a: 1, b: 2, neg_a: 1, neg_b: 1 }];
    stores(&mut both, 0, [Some(ResultOf::Acc0), Some(ResultOf::Acc1)]);
    list.push("acc.add move and sum".to_owned(), true, vec![both]);
}

fn muls(list: &mut List) {
    for (place, second) in [("a", false), ("b", true)] {
        for (k, feed) in feeds(second).iter().enumerate() {
            list.fed(Op::Mul, place, feed, |word, code| {
                let (a, b) = if second { (12, code) } else { (code, 13) };
                word.mul[k & 1] = Mul { a, b, neg: ((k / 2) & 1) as u8 };
                stores(word, 1, [Some([ResultOf::Mul0, ResultOf::Mul1][k & 1]), None]);
            });
        }
    }
    let select = |word: &mut Word, condition, a, b, neg| {
        word.mul_op = Op::Select.row().number;
        word.mul = [Mul { a, b: condition, neg }, Mul { a: b, b: UNUSED, neg: 0 }];
        stores(word, 0, [None, Some(ResultOf::Mul0)]);
    };
    for feed in feeds(true) {
        list.fed(Op::Select, "condition", &feed, |word, code| select(word, code, 13, 14, 0));
    }
    for (k, feed) in feeds(false).iter().enumerate() {
        list.fed(Op::Select, "a", feed, |word, code| select(word, 13, code, 14, u8::from(k == 0)));
        list.fed(Op::Select, "b", feed, |word, code| select(word, 13, 14, code, 0));
    }
}

/// The pass and the complex unit, as far as what they give is a number or goes to an address register.
fn singles(list: &mut List) {
    for feed in feeds(false) {
        for op in [Op::PassMov, Op::Clamp] {
            list.fed(op, "a", &feed, |word, code| {
                (word.pass_op, word.pass_src) = (op.row().number, code);
                stores(word, 0, [Some(ResultOf::Pass), None]);
            });
        }
        for op in [Op::ComplexMov, Op::SetAddr0, Op::SetAddr1, Op::SetAddr2, Op::SetAddr3] {
            list.fed(op, "a", &feed, |word, code| {
                (word.complex_op, word.complex_src) = (op.row().number, code);
                if op == Op::ComplexMov {
                    stores(word, 0, [Some(ResultOf::Complex), None]);
                }
            });
        }
    }
    for offset in 1..=3 {
        let mut clamp = Word { pass_op: Op::Clamp.row().number, pass_src: 0, ..Word::default() };
        (clamp.port0_attribute, clamp.load) = (1, Load { address: 3, offset });
        stores(&mut clamp, 0, [Some(ResultOf::Pass), None]);
        list.push(format!("pass.clamp offset={offset}"), false, vec![clamp]);
        // Set, and read when it has arrived.
        let mut set = Word { complex_op: 12 + offset, complex_src: 0, ..Word::default() };
        set.port0_attribute = 1;
        let mut read = Word { pass_src: 12, load: Load { address: 3, offset }, ..Word::default() };
        stores(&mut read, 0, [Some(ResultOf::Pass), None]);
        let wait = Word::default();
        list.push(format!("address register {offset} arrives"), false, vec![set, wait, wait, wait, read]);
    }
}

/// Address registers set from pass: register 0 is used by the next store, register 1 when it has arrived.
fn addresses_from_pass(list: &mut List) {
    let set = |op: Op| {
        let mut word = Word { pass_op: op.row().number, pass_src: 0, port0_attribute: 1, ..Word::default() };
        word.complex_op = Op::SetAddr01.row().number;
        word
    };
    list.push("complex.set_addr01 from=pass".to_owned(), true, vec![set(Op::PassMov)]);
    list.push("complex.set_addr01 of a clamp".to_owned(), false, vec![set(Op::Clamp)]);
    let mut store = set(Op::PassMov);
    stores(&mut store, 0, [Some(ResultOf::Pass), None]);
    (store.store[0].varying, store.store[0].temporary, store.unknown_1) = (0, 1, 12);
    let mut read = Word { pass_src: 12, load: Load { address: 3, offset: 1 }, ..Word::default() };
    stores(&mut read, 0, [Some(ResultOf::Pass), None]);
    let wait = Word::default();
    list.push("address registers of pass arrive".to_owned(), false, vec![store, wait, wait, wait, read]);
}

/// A word in which every unit gives something, from attributes alone; `complex` tells whether the complex unit does.
fn busy(complex: bool) -> Word {
    let mut word = Word { pass_src: 0, port0_attribute: 1, port0: 2, ..Word::default() };
    word.acc = [Acc { a: 0, b: IDENTITY, neg_a: 0, neg_b: 1 }, Acc { a: 1, b: IDENTITY, neg_a: 0, neg_b: 1 }];
    word.mul = [Mul { a: 2, b: IDENTITY, neg: 0 }, Mul { a: 3, b: IDENTITY, neg: 1 }];
    if complex {
        (word.complex_op, word.complex_src) = (Op::ComplexMov.row().number, 1);
    }
    word
}

/// Without the units that do not count.
fn only(word: &mut Word, kept: &[ResultOf]) {
    let nop = Word::default();
    for (of, k) in [(ResultOf::Acc0, 0), (ResultOf::Acc1, 1)] {
        if !kept.contains(&of) {
            word.acc[k] = nop.acc[k];
        }
    }
    for (of, k) in [(ResultOf::Mul0, 0), (ResultOf::Mul1, 1)] {
        if !kept.contains(&of) {
            word.mul[k] = nop.mul[k];
        }
    }
    if !kept.contains(&ResultOf::Pass) && word.branch == 0 {
        word.pass_src = UNUSED;
    }
}

fn stored(list: &mut List) {
    let masks: [(&str, usize, [bool; 2]); 6] = [
        ("x", 0, [true, false]),
        ("y", 0, [false, true]),
        ("xy", 0, [true, true]),
        ("z", 1, [true, false]),
        ("w", 1, [false, true]),
        ("zw", 1, [true, true]),
    ];
    for target in ["register", "varying", "temporary"] {
        for (k, (lanes, unit, mask)) in masks.into_iter().enumerate() {
            // Each of the six once at least.
            let sources = [ResultOf::ALL[k], ResultOf::ALL[if k == 1 { 1 } else { (k + 1) % 6 }]];
            let used: Vec<ResultOf> =
                sources.into_iter().zip(mask).filter(|(_, m)| *m).map(|(s, _)| s).collect();
            let complex = used.contains(&ResultOf::Complex);
            let mut word = busy(complex);
            only(&mut word, &used);
            stores(&mut word, unit, [0, 1].map(|c| mask[c].then_some(sources[c])));
            word.store[unit].varying = u8::from(target == "varying");
            let mut words = Vec::new();
            match target {
                "register" => word.store[unit].address = 5,
                "temporary" => {
                    word.store[unit].temporary = 1;
                    word.unknown_1 = 12;
                    if complex {
                        // The unit has something else to do, so the address is set before.
                        let before =
                            Word { complex_op: 12, complex_src: 0, port0_attribute: 1, ..Word::default() };
                        words.push(before);
                    } else {
                        (word.complex_op, word.complex_src) = (12, 3);
                    }
                }
                _ => {}
            }
            words.push(word);
            if target == "register" {
                // Read when it arrives, not before.
                let mut read =
                    Word { pass_src: 4 + 2 * unit as u8 + u8::from(!mask[0]), port1: 5, ..Word::default() };
                stores(&mut read, 0, [Some(ResultOf::Pass), None]);
                words.extend([Word::default(), Word::default(), read]);
            }
            list.push(format!("store.{target} {lanes}"), k == 0, words);
        }
    }
    // A temporary is loaded when it has arrived.
    let mut store = busy(false);
    only(&mut store, &[ResultOf::Pass]);
    stores(&mut store, 0, [Some(ResultOf::Pass), None]);
    (store.store[0].varying, store.store[0].temporary, store.unknown_1) = (0, 1, 12);
    (store.complex_op, store.complex_src) = (12, 3);
    let mut read =
        Word { pass_src: 12, load: Load { address: 3, offset: Load::NO_OFFSET }, ..Word::default() };
    stores(&mut read, 0, [Some(ResultOf::Pass), None]);
    let wait = Word::default();
    list.push("a temporary arrives".to_owned(), false, vec![store, wait, wait, wait, read]);
}

fn branches(list: &mut List) {
    let branch = |op: Op, target: u32| {
        let mut word = Word { pass_op: op.row().number, pass_src: 0, port0_attribute: 1, ..Word::default() };
        (word.branch, word.unknown_1) = (1, 13);
        word.set_target(target);
        word
    };
    let end = |component: u8| {
        let mut word = Word { pass_src: component, port0_attribute: 1, ..Word::default() };
        stores(&mut word, 0, [Some(ResultOf::Pass), None]);
        word
    };
    list.push("branch forward".to_owned(), true, vec![branch(Op::PassMov, 2), end(1), end(2)]);
    list.push("branch forward on a clamp".to_owned(), false, vec![branch(Op::Clamp, 2), end(1), end(2)]);
    list.push("branch itself".to_owned(), true, vec![branch(Op::PassMov, 0), end(1)]);
    list.push("branch backward".to_owned(), true, vec![end(1), branch(Op::PassMov, 0), end(2)]);
    // A store in the branch and what is read after it: the bubbles.
    for (name, target) in [("forward", 2), ("backward", 0)] {
        let mut storing = branch(Op::PassMov, target);
        storing.store[0] = super::program::Store {
            sources: [Stored::Result(ResultOf::Pass).code(), NOT_STORED],
            address: 4,
            varying: 0,
            temporary: 0,
        };
        let mut read = Word { pass_src: 4, port1: 4, ..Word::default() };
        stores(&mut read, 0, [Some(ResultOf::Pass), None]);
        list.push(format!("branch {name} with a store"), false, vec![read, storing, read]);
    }
    // The ninth bit of a target. The words between do nothing.
    let mut far = vec![branch(Op::PassMov, 256)];
    far.resize(256, Word::default());
    far.push(end(1));
    list.push("branch far".to_owned(), false, far);
}

/// The step after the program: options change it only where the facts say where position, point size and the viewport's slots are.
fn outputs(list: &mut List) {
    let mut word = Word { port0_attribute: 1, ..Word::default() };
    word.acc = [0, 1].map(|a| Acc { a, b: IDENTITY, neg_a: 0, neg_b: 1 });
    word.mul = [2, 3].map(|a| Mul { a, b: IDENTITY, neg: 0 });
    stores(&mut word, 0, [Some(ResultOf::Acc0), Some(ResultOf::Acc1)]);
    stores(&mut word, 1, [Some(ResultOf::Mul0), Some(ResultOf::Mul1)]);
    let facts = |position, point_size| Facts {
        position: Some(position),
        point_size: Some(point_size),
        viewport_scale: Some(4),
        viewport_offset: Some(7),
        ..Facts::default()
    };
    list.push_with("outputs position".to_owned(), true, vec![word], facts(0, 3));
    list.push_with("outputs point size".to_owned(), false, vec![word], facts(3, 0));
    // Where the last word branches, the step is taken only by lanes that end.
    let mut again = word;
    (again.pass_src, again.branch, again.unknown_1) = (0, 1, 13);
    again.set_target(0);
    list.push_with("outputs after a branch".to_owned(), false, vec![word, again], facts(0, 3));
}

/// The programs.
pub fn forms() -> Vec<RuleProgram<Program>> {
    let mut list = List { all: Vec::new() };
    accs(&mut list);
    muls(&mut list);
    singles(&mut list);
    addresses_from_pass(&mut list);
    functions::functions(&mut list);
    stored(&mut list);
    branches(&mut list);
    outputs(&mut list);
    list.all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::utgard_gp::{UtgardGp, decode, encode};
    use crate::isa::{Context, Isa, Level, Options};
    use std::collections::BTreeSet;

    #[test]
    fn forms_are_legal_small_and_together_in_every_class() {
        let all = forms();
        let mut names: Vec<&str> = all.iter().map(|form| form.name.as_str()).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|w| w[0] != w[1]), "names are unique");
        let options = Options::new(UtgardGp::axes());
        let mut seen = BTreeSet::new();
        for RuleProgram { name, program, .. } in &all {
            assert_eq!(decode::decode(&encode::encode(program)).as_ref(), Ok(program), "{name}");
            let entry = &UtgardGp::entries(program)[0];
            let cx = Context { program, entry, options: &options };
            let broken: Vec<_> =
                UtgardGp::validate(&cx).into_iter().filter(|v| v.level == Level::Error).collect();
            assert!(broken.is_empty(), "{name}: {broken:?}\n{}", UtgardGp::disassemble(program));
            assert!(program.words.len() <= 8 || name == "branch far", "{name}");
            seen.extend((0..program.words.len() as u32).flat_map(|w| UtgardGp::classes(program, w)));
        }
        let missing: Vec<_> = UtgardGp::all_classes().into_iter().filter(|c| !seen.contains(c)).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
