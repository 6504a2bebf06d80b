//! What every unit's result is, block by block: a number, a stage of a complex function, or nothing.

use super::super::names::LETTERS;
use super::super::opcode::Op;
use super::super::program::{Target, Word};
use super::super::rules::Rule;
use super::super::source::{ResultOf, Source, Stored};
use super::super::validate::violation;
use super::flow::{State, stores};
use crate::isa::Violation;

/// Which value something is, within a block. Two equal ones are the same number, moves apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    /// What a unit computed in a word.
    Result(u32, ResultOf),
    /// Component of an attribute.
    Attribute(u8, u8),
    /// Component of a register in one of its epochs, where no store of this block tells what it holds.
    Register(u8, u8, u32),
    /// Component of a uniform or temporary: slot, offset register, component, epochs of the temporaries and of the register.
    Load(u16, u8, u8, [u32; 2]),
    /// An identity, or what could not be told.
    Other,
}

/// A table lookup that begins a complex function.
type Lookup = Op;

/// What a result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    /// A number.
    Number(Which),
    /// What preexp2 gives.
    Fixed(Which),
    /// What a table lookup gives of an operand.
    Looked(Lookup, Which),
    /// What complex2 gives of an operand.
    Square(Which),
    /// What complex1 gives for log2.
    Logarithm,
    /// What complex1 gives, one word too early.
    Late,
    /// The unit was idle, or did something that no document knows.
    Nothing,
    /// A violation that has been noted: whatever reads it is not to blame.
    Blamed,
    /// A word before the block.
    Outside,
}

/// What a word leaves to the next ones.
#[derive(Clone, Copy)]
struct Left {
    results: [Value; 6],
    /// What complex1 gives, which the word after the next one sees.
    late: Option<Value>,
    port0: [Value; 4],
}

const OUTSIDE: Left = Left { results: [Value::Outside; 6], late: None, port0: [Value::Outside; 4] };

struct Block {
    word: u32,
    found: Vec<Violation>,
    /// What the two words before left, the nearer first.
    before: [Left; 2],
    /// What this word's ports read.
    port0: [Value; 4],
    port1: [Value; 4],
    load: [Value; 4],
    registers: Epochs,
    held: Held,
    /// Temporaries at 0, and address registers 1 to 3.
    slow: Epochs,
}

/// How often each of up to 64 things has changed so far, and what will change next: reads of one epoch give one value.
struct Epochs {
    numbers: [u32; 64],
    /// What arrives 1, 2, 3, 4 words from now.
    arriving: [u64; 4],
}

impl Epochs {
    const NEW: Epochs = Epochs { numbers: [0; 64], arriving: [0; 4] };

    fn next_word(&mut self) {
        let mut changed = self.arriving[0];
        while changed != 0 {
            self.numbers[changed.trailing_zeros() as usize] += 1;
            changed &= changed - 1;
        }
        self.arriving = [self.arriving[1], self.arriving[2], self.arriving[3], 0];
    }
}

/// What registers hold of numbers that this block computed: a compiler puts one away and still takes it from unit to unit.
struct Held {
    /// By register and component; `None` where the block cannot tell.
    now: [Option<Which>; 64],
    /// What the stores of the last three words hold, by store unit and component, the oldest first.
    coming: [[Option<(usize, Which)>; 4]; 3],
}

impl Held {
    const NEW: Held = Held { now: [None; 64], coming: [[None; 4]; 3] };

    /// What arrives: registers that change, of which a store of this block says what they hold.
    fn next_word(&mut self, mut changed: u64) {
        while changed != 0 {
            self.now[changed.trailing_zeros() as usize] = None;
            changed &= changed - 1;
        }
        for (scalar, which) in self.coming[0].into_iter().flatten() {
            self.now[scalar] = Some(which);
        }
        self.coming = [self.coming[1], self.coming[2], [None; 4]];
    }

    /// The stores of a word whose units give `results`.
    fn store(&mut self, word: &Word, results: &[Value; 6]) {
        for (unit, store) in word.store.iter().enumerate() {
            let Target::Register(n) = store.target() else { continue };
            for (component, stored) in store.stored().into_iter().enumerate() {
                let Stored::Result(of) = stored else { continue };
                if let Value::Number(which) = results[of as usize]
                    && which != Which::Other
                {
                    let component = 2 * unit + component;
                    self.coming[2][component] = Some((usize::from(n & 15) * 4 + component, which));
                }
            }
        }
    }
}

pub(super) fn hazards(words: &[Word], leaders: &[bool], states: &[Option<State>]) -> Vec<Violation> {
    let mut block = Block {
        word: 0,
        found: Vec::new(),
        before: [OUTSIDE; 2],
        port0: [Value::Outside; 4],
        port1: [Value::Outside; 4],
        load: [Value::Outside; 4],
        registers: Epochs::NEW,
        held: Held::NEW,
        slow: Epochs::NEW,
    };
    for (k, word) in words.iter().enumerate() {
        block.word = k as u32;
        if leaders[k] {
            block.enter(states[k].as_ref());
        } else {
            block.held.next_word(block.registers.arriving[0]);
            block.registers.next_word();
            block.slow.next_word();
        }
        block.run(word);
    }
    block.found
}

impl Block {
    /// Begins a block. Stores before it may still be on their way.
    fn enter(&mut self, state: Option<&State>) {
        self.before = [OUTSIDE; 2];
        self.held = Held::NEW;
        let state = state.unwrap_or(&State::START);
        // A store that takes at least so many words may arrive after any of them.
        let [one, two] = state.registers;
        self.registers.arriving = [one, two, 0, 0];
        let [one, two, three] = state.slow.map(u64::from);
        self.slow.arriving = [one, two, three, 0];
    }

    fn run(&mut self, word: &Word) {
        self.ports(word);
        let mut results = ResultOf::ALL.map(|of| self.result(word, of));
        // What complex1 gives is not there for the next word, only for the one after.
        let late = (word.result_op(ResultOf::Mul0) == Some(Op::Complex1))
            .then(|| std::mem::replace(&mut results[ResultOf::Mul0 as usize], Value::Late));
        self.held.store(word, &results);
        if word.address_set().is_some_and(|set| !set.from_pass) {
            self.number(Source::decode(word.complex_src, false), ResultOf::Complex);
        }
        self.before = [Left { results, late, port0: self.port0 }, self.before[0]];
        if let Some(late) = self.before[1].late.take() {
            self.before[1].results[ResultOf::Mul0 as usize] = late;
        }
        let (registers, _, temporary) = stores(word);
        // A store at i is read from i + 3 on, a temporary or an address register from i + 4 on.
        self.registers.arriving[2] |= registers;
        let address = word.address_set().and_then(|set| set.later);
        for changed in temporary.then_some(0).into_iter().chain(address) {
            self.slow.arriving[3] |= 1 << changed;
        }
    }

    fn ports(&mut self, word: &Word) {
        let (epochs, held) = (&self.registers.numbers, &self.held.now);
        let register = |n: u8, c: u8| {
            let scalar = usize::from(n & 15) * 4 + usize::from(c);
            Value::Number(held[scalar].unwrap_or(Which::Register(n & 15, c, epochs[scalar])))
        };
        let components = [0, 1, 2, 3];
        self.port0 = components.map(|c| match word.port0_attribute {
            0 => register(word.port0, c),
            _ => Value::Number(Which::Attribute(word.port0, c)),
        });
        self.port1 = components.map(|c| register(word.port1, c));
        let load = word.load;
        let offset = load.register().map_or(0, |register| self.slow.numbers[register]);
        let epochs = [self.slow.numbers[0], offset];
        self.load = components.map(|c| Value::Number(Which::Load(load.address, load.offset, c, epochs)));
    }

    /// What an operand is; what is wrong with reading it at all is noted.
    fn value(&mut self, source: Source, reader: ResultOf) -> Value {
        let at = |c: u8| usize::from(c & 3);
        let value = match source {
            Source::Port0(c) => self.port0[at(c)],
            Source::Port1(c) => self.port1[at(c)],
            Source::Load(c) => self.load[at(c)],
            Source::Port0Before(c) => self.before[0].port0[at(c)],
            Source::Result { of, age } => self.before[usize::from(age > 1)].results[of as usize],
            Source::Identity => Value::Number(Which::Other),
            // Idle units are not looked at, and unknown codes have been noted.
            Source::Unused | Source::Unknown(_) => Value::Blamed,
        };
        let rule = match (source, value) {
            (Source::Port0Before(_), Value::Outside) => Rule::PortHistory,
            (_, Value::Outside) => Rule::BlockHistory,
            (_, Value::Nothing) => Rule::IdleResult,
            (_, Value::Late) => Rule::Complex1Early,
            _ => return value,
        };
        self.note(rule, source, reader);
        Value::Blamed
    }

    fn note(&mut self, rule: Rule, source: Source, reader: ResultOf) {
        let operand = match source {
            Source::Result { of, age } => format!("{}.out[{age}]", of.name()),
            Source::Port0Before(c) => format!("port 0 {}[1]", LETTERS[usize::from(c & 3)]),
            _ => "its operands".to_owned(),
        };
        let what = format!("{} reads {operand}", reader.name());
        self.found.push(violation(rule, Some(self.word), &what));
    }

    /// An operand that has to be a number.
    fn number(&mut self, source: Source, reader: ResultOf) -> Which {
        match self.value(source, reader) {
            Value::Number(which) => which,
            Value::Blamed => Which::Other,
            _ => {
                self.note(Rule::Stage, source, reader);
                Which::Other
            }
        }
    }

    /// What a unit gives in this word.
    fn result(&mut self, word: &Word, of: ResultOf) -> Value {
        let Some(op) = word.result_op(of) else { return Value::Nothing };
        let made = Value::Number(Which::Result(self.word, of));
        match of {
            ResultOf::Acc0 | ResultOf::Acc1 => {
                let acc = word.acc[of as usize];
                let first = self.number(Source::decode(acc.a, false), of);
                if !matches!(op, Op::Floor | Op::Sign) {
                    self.number(Source::decode(acc.b, true), of);
                }
                // A move gives the same number, but for subnormals and NaN, which do not matter to the pattern.
                if acc.is_move(word.acc_op) && acc.neg_a == 0 && first != Which::Other {
                    return Value::Number(first);
                }
                made
            }
            ResultOf::Mul0 | ResultOf::Mul1 => self.multiplied(word, of, op),
            ResultOf::Pass => self.passed(word, op),
            ResultOf::Complex => self.looked_up(word, op),
        }
    }

    fn multiplied(&mut self, word: &Word, of: ResultOf, op: Op) -> Value {
        let [m0, m1] = word.mul;
        let made = Value::Number(Which::Result(self.word, of));
        match op {
            Op::Complex1 => {
                let codes = [(m0.a, false), (m0.b, true), (m1.a, false), (m1.b, true)];
                let operands = codes.map(|(code, second)| self.value(Source::decode(code, second), of));
                self.function(operands, of)
            }
            Op::Complex2 => {
                let operands =
                    [self.value(Source::decode(m0.a, false), of), self.value(Source::decode(m0.b, true), of)];
                match operands {
                    [Value::Number(a), Value::Number(b)] | [Value::Fixed(a), Value::Fixed(b)]
                        if a == b && a != Which::Other =>
                    {
                        Value::Square(a)
                    }
                    _ => self.no_pattern(&operands, of),
                }
            }
            Op::Select => {
                for (code, second) in [(m0.b, true), (m0.a, false), (m1.a, false)] {
                    self.number(Source::decode(code, second), of);
                }
                made
            }
            _ => {
                let mul = if of == ResultOf::Mul0 { m0 } else { m1 };
                let first = self.number(Source::decode(mul.a, false), of);
                let second = Source::decode(mul.b, true);
                self.number(second, of);
                if second == Source::Identity && mul.neg == 0 && first != Which::Other {
                    return Value::Number(first);
                }
                made
            }
        }
    }

    /// What complex1 makes of its operands.
    fn function(&mut self, operands: [Value; 4], of: ResultOf) -> Value {
        if let [Value::Looked(f, x), Value::Square(square), Value::Looked(g, again), last] = operands
            && (f, x) == (g, again)
            && x == square
        {
            let function = Value::Number(Which::Result(self.word, of));
            match (f, last) {
                (Op::Exp2, Value::Fixed(p)) if p == x => return function,
                (Op::Log2, Value::Number(n)) if n == x => return Value::Logarithm,
                (Op::Rcp | Op::Rsqrt, Value::Number(n)) if n == x => return function,
                _ => {}
            }
        }
        self.no_pattern(&operands, of)
    }

    /// Operands that do not fit together; those that have been noted already are enough to say.
    fn no_pattern(&mut self, operands: &[Value], of: ResultOf) -> Value {
        if !operands.contains(&Value::Blamed) {
            self.note(Rule::Pattern, Source::Unused, of);
        }
        Value::Blamed
    }

    fn passed(&mut self, word: &Word, op: Op) -> Value {
        let of = ResultOf::Pass;
        let source = Source::decode(word.pass_src, false);
        let made = Which::Result(self.word, of);
        match op {
            Op::Postlog2 => match self.value(source, of) {
                Value::Logarithm => Value::Number(made),
                other => self.no_pattern(&[other], of),
            },
            Op::Preexp2 => {
                self.number(source, of);
                Value::Fixed(made)
            }
            Op::PassMov => match self.number(source, of) {
                Which::Other => Value::Number(made),
                which => Value::Number(which),
            },
            _ => {
                self.number(source, of);
                Value::Number(made)
            }
        }
    }

    fn looked_up(&mut self, word: &Word, op: Op) -> Value {
        let of = ResultOf::Complex;
        let source = Source::decode(word.complex_src, false);
        let made = Value::Number(Which::Result(self.word, of));
        match op {
            Op::ComplexMov => match self.number(source, of) {
                Which::Other => made,
                which => Value::Number(which),
            },
            Op::Exp2 => match self.value(source, of) {
                Value::Fixed(which) => Value::Looked(op, which),
                other => self.no_pattern(&[other], of),
            },
            _ => match self.number(source, of) {
                Which::Other => Value::Blamed,
                which => Value::Looked(op, which),
            },
        }
    }
}
