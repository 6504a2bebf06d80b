//! Complex functions, whose operand comes to their parts in every way.

use super::feed::{Feed, attribute, bare, feed, moves, result};
use super::{List, feeds, stores};
use crate::isa::utgard_gp::classes::numbers;
use crate::isa::utgard_gp::opcode::Op;
use crate::isa::utgard_gp::program::{Mul, Word};
use crate::isa::utgard_gp::source::{IDENTITY, ResultOf, Source};

/// A word with a lookup and a square.
fn look(mut word: Word, f: Op, code: u8, squared: [u8; 2], neg: u8) -> Word {
    (word.complex_op, word.complex_src) = (f.row().number, code);
    word.mul_op = Op::Complex2.row().number;
    word.mul[0] = Mul { a: squared[0], b: squared[1], neg };
    word
}

/// A word that makes a number of them, and those that bring it to an output.
fn make(mut word: Word, f: Op, d: u8, neg: u8) -> [Word; 3] {
    word.mul_op = Op::Complex1.row().number;
    word.mul = [Mul { a: 22, b: 18, neg }, Mul { a: 22, b: d, neg: 0 }];
    let op = if f == Op::Log2 { Op::Postlog2 } else { Op::PassMov };
    let mut end = Word { pass_op: op.row().number, pass_src: 26, ..bare() };
    stores(&mut end, 0, [Some(ResultOf::Pass), None]);
    [word, bare(), end]
}

/// A function of an operand that the lookup and the square read; complex1 reads it straight from where it came from.
fn read_by_lookup(f: Op, kind: &str, feed: &Feed, lane: u8) -> Vec<Word> {
    let mut word = feed.word();
    let code = feed.code;
    // The complex unit's result can be no second operand.
    let second = if kind == "complex.1" {
        word = attribute(word);
        lane
    } else {
        code
    };
    let d = match kind {
        "register0.1" | "attribute.1" => code - 28,
        _ if result(kind).is_some() => lane,
        _ => code,
    };
    let last = match kind {
        "register0.1" => feed.before[0],
        "register0" | "register1" | "load" => feed.word(),
        _ => attribute(bare()),
    };
    let mut words = feed.before.clone();
    words.push(look(word, f, code, [code, second], 0));
    words.extend(make(last, f, d, 0));
    words
}

/// A function whose last step reads the operand in some way.
fn read_by_last(f: Op, kind: &str, lane: u8, neg: u8) -> Vec<Word> {
    let from = feed(kind, lane);
    let (mut before, mut looks, mut last, d) = (Vec::new(), attribute(bare()), bare(), from.code);
    let mut code = lane;
    match kind {
        "attribute" => last = attribute(last),
        "register0" | "register1" | "load" => {
            (looks, last, code) = (from.word(), from.word(), from.code);
        }
        "register0.1" => looks = from.before[0],
        "attribute.1" => {}
        _ => match result(kind) {
            Some((of, 1)) => looks = moves(looks, of, lane),
            Some((of, _)) => before.push(moves(attribute(bare()), of, lane)),
            None => {}
        },
    }
    let looks = look(looks, f, code, [code, code], neg);
    before.push(looks);
    before.extend(make(last, f, d, neg));
    before
}

/// 2 to the power of an operand.
fn power(feed: &Feed) -> Vec<Word> {
    let mut words = feed.before.clone();
    words.push(Word { pass_op: Op::Preexp2.row().number, pass_src: feed.code, ..feed.word() });
    words.push(look(bare(), Op::Exp2, 20, [20, 20], 0));
    words.extend(make(bare(), Op::Exp2, 23, 0));
    words
}

pub(super) fn functions(list: &mut List) {
    for (k, kind) in numbers(false).into_iter().enumerate() {
        let lane = (k & 3) as u8;
        for f in [Op::Rcp, Op::Rsqrt, Op::Log2] {
            let words = read_by_lookup(f, kind, &feed(kind, lane), lane);
            list.push(format!("{} a={kind}", f.row().qualified), kind == "attribute", words);
        }
    }
    for offset in 1..=3 {
        for f in [Op::Rcp, Op::Rsqrt, Op::Log2] {
            let words = read_by_lookup(f, "load", &feed("load", 1).with_offset(offset), 1);
            list.push(format!("{} offset={offset}", f.row().qualified), false, words);
        }
    }
    let last = numbers(true).into_iter().filter(|kind| !matches!(*kind, "identity" | "mul0.1"));
    for (k, kind) in last.enumerate() {
        let words = read_by_last(Op::Rcp, kind, (k & 3) as u8, u8::from(k == 0));
        list.push(format!("mul.complex1 d={kind}"), k == 0, words);
    }
    for feed in feeds(false) {
        list.push(format!("pass.preexp2 a={}", feed.name), feed.is_plain(), power(&feed));
    }
    // The other multiplier goes on multiplying.
    for (form, b) in [("product", 1), ("move", IDENTITY)] {
        let mut looks = look(attribute(bare()), Op::Rcp, 0, [0, 0], 0);
        looks.mul[1] = Mul { a: 2, b, neg: 1 };
        stores(&mut looks, 1, [Some(ResultOf::Mul1), None]);
        let mut words = vec![looks];
        words.extend(make(attribute(bare()), Op::Rcp, 0, 0));
        list.push(format!("mul.mul beside complex2 {form}"), false, words);
    }
    // A branch on what postlog2 gives.
    let log = read_by_lookup(Op::Log2, "attribute", &feed("attribute", 0), 0);
    let mut branching = log.clone();
    if let Some(end) = branching.last_mut() {
        (end.branch, end.unknown_1, end.store) = (1, 13, Word::default().store);
        end.set_target(5);
    }
    let code = Source::Port0(1).code().unwrap_or_default();
    let mut store = Word { pass_src: code, ..attribute(bare()) };
    stores(&mut store, 0, [Some(ResultOf::Pass), None]);
    branching.extend([store, Word { pass_src: 0, ..store }]);
    list.push("branch forward on a logarithm".to_owned(), false, branching);
}
