//! The opcode × modifier classes that coverage is counted in.
//!
//! A word belongs to classes of every unit that does something in it: which of two equal units (`unit`), where each operand comes from
//! (`a`, `b`, `d`), which component of a port or a load (`lane`), what is negated (`sign`), whether it is a move (`form`), which address
//! register a load adds (`offset`), whence an address comes that is no operand (`from`); of stores what is stored (`source`) and to which components (`lanes`); of branches the way
//! (`direction`), the target's ninth bit (`target`) and what computes the condition (`condition`). Classes are not combined with one
//! another.

use super::names::LETTERS;
use super::opcode::{Op, TABLE, Unit};
use super::program::{Load, Program, Target, Word};
use super::source::{IDENTITY, NOT_STORED, ResultOf, Source, Stored};
use crate::isa::ClassPoint;

/// Where operands come from: results by unit and age.
const RESULTS: [(ResultOf, u8, &str); 11] = [
    (ResultOf::Acc0, 1, "acc0.1"),
    (ResultOf::Acc1, 1, "acc1.1"),
    (ResultOf::Mul0, 1, "mul0.1"),
    (ResultOf::Mul1, 1, "mul1.1"),
    (ResultOf::Pass, 1, "pass.1"),
    (ResultOf::Complex, 1, "complex.1"),
    (ResultOf::Acc0, 2, "acc0.2"),
    (ResultOf::Acc1, 2, "acc1.2"),
    (ResultOf::Mul0, 2, "mul0.2"),
    (ResultOf::Mul1, 2, "mul1.2"),
    (ResultOf::Pass, 2, "pass.2"),
];

/// What comes through ports.
const PORTS: [&str; 6] = ["attribute", "register0", "attribute.1", "register0.1", "register1", "load"];

const STORED: [&str; 6] = ["acc0", "acc1", "mul0", "mul1", "pass", "complex"];

/// The class of an operand and, of a port, its component.
fn operand(code: u8, second: bool, word: &Word, before: Option<&Word>) -> Option<(&'static str, Option<u8>)> {
    let port0 = |w: &Word, attribute, register| if w.port0_attribute != 0 { attribute } else { register };
    Some(match Source::decode(code, second) {
        Source::Port0(c) => (port0(word, "attribute", "register0"), Some(c)),
        Source::Port0Before(c) => (port0(before?, "attribute.1", "register0.1"), Some(c)),
        Source::Port1(c) => ("register1", Some(c)),
        Source::Load(c) => ("load", Some(c)),
        Source::Identity => ("identity", None),
        Source::Result { of, age } => {
            let (.., name) = RESULTS.iter().find(|(o, a, _)| (*o, *a) == (of, age))?;
            (name, None)
        }
        Source::Unused | Source::Unknown(_) => return None,
    })
}

/// The classes of a word being collected.
struct Classes<'p> {
    word: &'p Word,
    before: Option<&'p Word>,
    found: Vec<ClassPoint>,
}

impl Classes<'_> {
    fn class(&mut self, opcode: &'static str, what: &str, which: &str) {
        let point = ClassPoint { opcode, modifier: format!("{what}={which}") };
        if !self.found.contains(&point) {
            self.found.push(point);
        }
    }

    fn operand(&mut self, op: Op, what: &str, code: u8, second: bool) {
        let name = op.row().qualified;
        let Some((which, lane)) = operand(code, second, self.word, self.before) else { return };
        self.class(name, what, which);
        if let Some(lane) = lane {
            self.class(name, "lane", LETTERS[usize::from(lane & 3)]);
        }
        if which == "load" {
            self.offset(name);
        }
    }

    fn offset(&mut self, name: &'static str) {
        let offset = match self.word.load.offset {
            Load::NO_OFFSET => "none",
            1 => "1",
            2 => "2",
            3 => "3",
            _ => return,
        };
        self.class(name, "offset", offset);
    }

    fn units(&mut self) {
        let word = self.word;
        for (k, of) in [ResultOf::Acc0, ResultOf::Acc1].into_iter().enumerate() {
            let Some(op) = word.result_op(of) else { continue };
            let (name, acc) = (op.row().qualified, word.acc[k]);
            self.class(name, "unit", ["acc0", "acc1"][k]);
            self.operand(op, "a", acc.a, false);
            let two = !matches!(op, Op::Floor | Op::Sign);
            if two {
                self.operand(op, "b", acc.b, true);
            }
            let sign = match (acc.neg_a != 0, two && acc.neg_b != 0) {
                (false, false) => "none",
                (true, false) => "a",
                (false, true) => "b",
                (true, true) => "both",
            };
            self.class(name, "sign", sign);
            if op == Op::Add {
                self.class(name, "form", if acc.is_move(word.acc_op) { "move" } else { "sum" });
            }
        }
        self.muls();
        for (of, code) in [(ResultOf::Complex, word.complex_src), (ResultOf::Pass, word.pass_src)] {
            let address = word.address_set().filter(|_| of == ResultOf::Complex);
            let op = word.result_op(of).or_else(|| address.and_then(|_| word.named_op(Unit::Complex)));
            let Some(op) = op else { continue };
            if op == Op::SetAddr01 {
                self.class(op.row().qualified, "from", "pass");
                continue;
            }
            self.operand(op, "a", code, false);
            if op == Op::Clamp {
                self.offset(op.row().qualified);
            }
        }
    }

    fn muls(&mut self) {
        let word = self.word;
        let [m0, m1] = word.mul;
        let sign = |neg: u8| if neg != 0 { "result" } else { "none" };
        for (of, mul) in [(ResultOf::Mul0, m0), (ResultOf::Mul1, m1)] {
            let Some(op) = word.result_op(of) else { continue };
            let name = op.row().qualified;
            self.class(name, "sign", sign(mul.neg));
            match op {
                // A and C are the lookup, B the square: only D may come from anywhere.
                Op::Complex1 => self.operand(op, "d", m1.b, true),
                Op::Complex2 => self.operand(op, "a", m0.a, false),
                Op::Select => {
                    self.operand(op, "condition", m0.b, true);
                    self.operand(op, "a", m0.a, false);
                    self.operand(op, "b", m1.a, false);
                }
                _ => {
                    let unit = match (of, word.named_op(Unit::Mul)) {
                        (ResultOf::Mul0, _) => "mul0",
                        (_, Some(Op::Complex2)) => "mul1 beside complex2",
                        _ => "mul1",
                    };
                    self.class(name, "unit", unit);
                    self.class(name, "form", if mul.b == IDENTITY { "move" } else { "product" });
                    self.operand(op, "a", mul.a, false);
                    self.operand(op, "b", mul.b, true);
                }
            }
        }
    }

    fn stores(&mut self) {
        for (unit, store) in self.word.store.iter().enumerate() {
            let name = match store.target() {
                Target::Register(_) => "store.register",
                Target::Varying(_) => "store.varying",
                Target::Temporary => "store.temporary",
                Target::Unknown => continue,
            };
            let lanes = match store.sources.map(|s| s != NOT_STORED) {
                [true, true] => ["xy", "zw"][unit],
                [true, false] => ["x", "z"][unit],
                [false, true] => ["y", "w"][unit],
                [false, false] => continue,
            };
            self.class(name, "lanes", lanes);
            for stored in store.stored() {
                if let Stored::Result(of) = stored {
                    self.class(name, "source", STORED[of as usize]);
                }
            }
        }
    }

    fn branch(&mut self, at: u32) {
        if self.word.branch == 0 {
            return;
        }
        let target = self.word.target();
        let direction = match target.cmp(&at) {
            std::cmp::Ordering::Less => "backward",
            std::cmp::Ordering::Equal => "itself",
            std::cmp::Ordering::Greater => "forward",
        };
        self.class("branch", "direction", direction);
        self.class("branch", "target", if target < 256 { "low" } else { "high" });
        if let Some(op) = self.word.result_op(ResultOf::Pass) {
            self.class("branch", "condition", op.row().name);
        }
    }
}

/// The classes of a word; none for one that does nothing.
pub fn classes(program: &Program, word: u32) -> Vec<ClassPoint> {
    let at = word as usize;
    let Some(this) = program.words.get(at) else { return Vec::new() };
    let before = at.checked_sub(1).map(|k| &program.words[k]);
    let mut classes = Classes { word: this, before, found: Vec::with_capacity(24) };
    classes.units();
    classes.stores();
    classes.branch(word);
    classes.found
}

/// Where an operand that is a number may come from. A second operand cannot be the complex unit's result.
pub(super) fn numbers(second: bool) -> Vec<&'static str> {
    let results = RESULTS.iter().map(|r| r.2).filter(|name| !(second && *name == "complex.1"));
    let mut all: Vec<_> = PORTS.into_iter().chain(results).collect();
    if second {
        all.push("identity");
    }
    all
}

/// Every class that a word of a legal program can belong to: what generators must reach and corpora should cover.
pub fn all_classes() -> Vec<ClassPoint> {
    let mut all = Vec::new();
    let mut class = |opcode: &'static str, what: &str, names: &[&str]| {
        all.extend(names.iter().map(|which| ClassPoint { opcode, modifier: format!("{what}={which}") }));
    };
    for row in TABLE {
        let name = row.qualified;
        if row.op == Op::SetAddr01 {
            class(name, "from", &["pass"]);
            continue;
        }
        let ports = row.op != Op::Postlog2 && row.op != Op::Exp2;
        if ports {
            class(name, "lane", &LETTERS);
            class(name, "offset", &["none", "1", "2", "3"]);
        }
        match row.op {
            Op::Postlog2 => class(name, "a", &["mul0.2"]),
            // What preexp2 gave two words before is out of reach of complex1, which needs it too.
            Op::Exp2 => class(name, "a", &["pass.1"]),
            Op::Complex1 => {
                class(name, "sign", &["none", "result"]);
                // The square stands in mul 0.
                let last: Vec<_> =
                    numbers(true).into_iter().filter(|n| !matches!(*n, "identity" | "mul0.1")).collect();
                class(name, "d", &last);
            }
            Op::Complex2 => {
                class(name, "sign", &["none", "result"]);
                // The second operand is the same number, perhaps by another way.
                class(name, "a", &numbers(false));
            }
            Op::Select => {
                class(name, "sign", &["none", "result"]);
                class(name, "condition", &numbers(true));
                class(name, "a", &numbers(false));
                class(name, "b", &numbers(false));
            }
            Op::Mul => {
                class(name, "sign", &["none", "result"]);
                class(name, "unit", &["mul0", "mul1", "mul1 beside complex2"]);
                class(name, "form", &["move", "product"]);
                class(name, "a", &numbers(false));
                class(name, "b", &numbers(true));
            }
            _ if row.unit == Unit::Acc => {
                class(name, "unit", &["acc0", "acc1"]);
                class(name, "a", &numbers(false));
                class(name, "sign", &["none", "a"]);
                if !matches!(row.op, Op::Floor | Op::Sign) {
                    class(name, "b", &numbers(true));
                    class(name, "sign", &["b", "both"]);
                }
                if row.op == Op::Add {
                    class(name, "form", &["move", "sum"]);
                }
            }
            _ => class(name, "a", &numbers(false)),
        }
    }
    for name in ["store.register", "store.varying", "store.temporary"] {
        class(name, "lanes", &["x", "y", "xy", "z", "w", "zw"]);
        class(name, "source", &STORED);
    }
    class("branch", "direction", &["forward", "itself", "backward"]);
    class("branch", "target", &["low", "high"]);
    class("branch", "condition", &["mov", "postlog2", "clamp"]);
    all
}
