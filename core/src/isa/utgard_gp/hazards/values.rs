//! Analysis of units' results, block by block: each result is a number, a stage of a complex function, or nothing.

use super::super::opcode::Op;
use super::super::program::{Target, Word};
use super::super::rules::Rule;
use super::super::source::{ResultOf, Source, StoreSource};
use super::super::validate::violation;
use super::flow::{State, stores};
use crate::isa::Violation;
use crate::isa::component::NAMES;

/// The identity of a value within a block. Values with equal identities are the same number; moves preserve the identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NumberId {
    /// The result of a unit: the word's index and the unit.
    Result(u32, ResultOf),
    /// An attribute's number and component.
    Attribute(u8, u8),
    /// A register's number, component and epoch, if no store of this block defines its value.
    Register(u8, u8, u32),
    /// A component of a uniform or temporary: slot, offset register, component, and the epochs of the temporaries and of the offset register.
    Load(u16, u8, u8, [u32; 2]),
    /// An identity operand, or an unknown value. It counts as different from every value, itself included.
    Other,
}

/// The operation of a table lookup, with which a complex function begins.
type Lookup = Op;

/// The kind of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    /// A number.
    Number(NumberId),
    /// The result of preexp2 for an operand.
    Preexp2Result(NumberId),
    /// The result of the table lookup for an operand.
    LookupResult(Lookup, NumberId),
    /// The result of complex2 for an operand.
    Complex2Result(NumberId),
    /// The result of complex1 for log2.
    Logarithm,
    /// The result of complex1, read one word too early.
    ReadTooEarly,
    /// The unit was idle, or its operation is undocumented.
    Nothing,
    /// A value whose violation has been reported; its readers are not reported again.
    AlreadyReported,
    /// The result of a word outside this block, before its first word.
    Outside,
}

/// The values of a word that later words can read.
#[derive(Clone, Copy)]
struct WordResults {
    results: [Value; 6],
    /// The result of complex1, which only the word after the next can read.
    complex1_result: Option<Value>,
    port0: [Value; 4],
}

const OUTSIDE: WordResults =
    WordResults { results: [Value::Outside; 6], complex1_result: None, port0: [Value::Outside; 4] };

struct Block {
    word: u32,
    found: Vec<Violation>,
    /// The values of the previous two words, the most recent first.
    before: [WordResults; 2],
    /// The values that this word's read port 0 provides.
    port0: [Value; 4],
    /// The values that this word's read port 1 provides.
    port1: [Value; 4],
    /// The values that this word's load port provides.
    load: [Value; 4],
    registers: Epochs,
    held: KnownRegisters,
    /// The epochs of the temporaries (element 0) and of address registers 1 to 3.
    slow: Epochs,
}

/// Epochs: how often each of up to 64 elements has changed, and which changes are pending. Reads within one epoch return the same value.
struct Epochs {
    numbers: [u32; 64],
    /// Masks of the elements that change 1, 2, 3, 4 words from now.
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

/// Registers that hold numbers computed in this block. Needed because compilers read one number both from a register and directly from the unit.
struct KnownRegisters {
    /// The number in each register component; `None` if unknown.
    now: [Option<NumberId>; 64],
    /// The stores of the last three words, oldest first: for each store unit and component, the register component and its value.
    in_flight: [[Option<(usize, NumberId)>; 4]; 3],
}

impl KnownRegisters {
    const NEW: KnownRegisters = KnownRegisters { now: [None; 64], in_flight: [[None; 4]; 3] };

    /// Applies the stores that arrive: changed registers become unknown, unless a store of this block defines their value.
    fn next_word(&mut self, mut changed: u64) {
        while changed != 0 {
            self.now[changed.trailing_zeros() as usize] = None;
            changed &= changed - 1;
        }
        for (scalar, id) in self.in_flight[0].into_iter().flatten() {
            self.now[scalar] = Some(id);
        }
        self.in_flight = [self.in_flight[1], self.in_flight[2], [None; 4]];
    }

    /// Records the stores of a word whose units have these results.
    fn store(&mut self, word: &Word, results: &[Value; 6]) {
        for (unit, store) in word.store.iter().enumerate() {
            let Target::Register(n) = store.target() else { continue };
            for (component, stored) in store.stored().into_iter().enumerate() {
                let StoreSource::Result(of) = stored else { continue };
                if let Value::Number(id) = results[of as usize]
                    && id != NumberId::Other
                {
                    let component = 2 * unit + component;
                    self.in_flight[2][component] = Some((usize::from(n & 15) * 4 + component, id));
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
        held: KnownRegisters::NEW,
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
    /// Begins a block. Stores from earlier blocks may still be pending.
    fn enter(&mut self, state: Option<&State>) {
        self.before = [OUTSIDE; 2];
        self.held = KnownRegisters::NEW;
        let state = state.unwrap_or(&State::START);
        // The remaining delay of a store may differ between the paths to this block: its target changes in every word in which it may arrive.
        let [one, two] = state.registers;
        self.registers.arriving = [one, two, 0, 0];
        let [one, two, three] = state.slow.map(u64::from);
        self.slow.arriving = [one, two, three, 0];
    }

    fn run(&mut self, word: &Word) {
        self.ports(word);
        let mut results = ResultOf::ALL.map(|of| self.result(word, of));
        // The result of complex1 is not available to the next word, only to the one after.
        let complex1_result = (word.result_op(ResultOf::Mul0) == Some(Op::Complex1))
            .then(|| std::mem::replace(&mut results[ResultOf::Mul0 as usize], Value::ReadTooEarly));
        self.held.store(word, &results);
        if word.address_set().is_some_and(|set| !set.from_pass) {
            self.number(Source::decode(word.complex_src, false), ResultOf::Complex);
        }
        self.before = [WordResults { results, complex1_result, port0: self.port0 }, self.before[0]];
        if let Some(complex1_result) = self.before[1].complex1_result.take() {
            self.before[1].results[ResultOf::Mul0 as usize] = complex1_result;
        }
        let (registers, _, temporary) = stores(word);
        // A store in word i can be read from i + 3 on, a temporary or an address register from i + 4 on.
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
            Value::Number(held[scalar].unwrap_or(NumberId::Register(n & 15, c, epochs[scalar])))
        };
        let components = [0, 1, 2, 3];
        self.port0 = components.map(|c| match word.port0_attribute {
            0 => register(word.port0, c),
            _ => Value::Number(NumberId::Attribute(word.port0, c)),
        });
        self.port1 = components.map(|c| register(word.port1, c));
        let load = word.load;
        let offset = load.register().map_or(0, |register| self.slow.numbers[register]);
        let epochs = [self.slow.numbers[0], offset];
        self.load = components.map(|c| Value::Number(NumberId::Load(load.address, load.offset, c, epochs)));
    }

    /// Returns the value of an operand. Reports the operand if it cannot be read at all.
    fn value(&mut self, source: Source, reader: ResultOf) -> Value {
        let at = |c: u8| usize::from(c & 3);
        let value = match source {
            Source::Port0(c) => self.port0[at(c)],
            Source::Port1(c) => self.port1[at(c)],
            Source::Load(c) => self.load[at(c)],
            Source::Port0Before(c) => self.before[0].port0[at(c)],
            Source::Result { of, age } => self.before[usize::from(age > 1)].results[of as usize],
            Source::Identity => Value::Number(NumberId::Other),
            // Idle units are not analysed, and unknown codes have already been reported.
            Source::Unused | Source::Unknown(_) => Value::AlreadyReported,
        };
        let rule = match (source, value) {
            (Source::Port0Before(_), Value::Outside) => Rule::PortHistory,
            (_, Value::Outside) => Rule::BlockHistory,
            (_, Value::Nothing) => Rule::IdleResult,
            (_, Value::ReadTooEarly) => Rule::Complex1Early,
            _ => return value,
        };
        self.report(rule, source, reader);
        Value::AlreadyReported
    }

    fn report(&mut self, rule: Rule, source: Source, reader: ResultOf) {
        let operand = match source {
            Source::Result { of, age } => format!("{}.out[{age}]", of.name()),
            Source::Port0Before(c) => format!("port 0 {}[1]", NAMES[usize::from(c & 3)]),
            _ => "its operands".to_owned(),
        };
        let what = format!("{} reads {operand}", reader.name());
        self.found.push(violation(rule, Some(self.word), &what));
    }

    /// Returns the identity of an operand. Reports the operand if it is not a number.
    fn number(&mut self, source: Source, reader: ResultOf) -> NumberId {
        match self.value(source, reader) {
            Value::Number(id) => id,
            Value::AlreadyReported => NumberId::Other,
            _ => {
                self.report(Rule::Stage, source, reader);
                NumberId::Other
            }
        }
    }

    /// Returns the result of a unit in this word.
    fn result(&mut self, word: &Word, of: ResultOf) -> Value {
        let Some(op) = word.result_op(of) else { return Value::Nothing };
        let made = Value::Number(NumberId::Result(self.word, of));
        match of {
            ResultOf::Acc0 | ResultOf::Acc1 => {
                let acc = word.acc[of as usize];
                let first = self.number(Source::decode(acc.a, false), of);
                if op.reads_second() {
                    self.number(Source::decode(acc.b, true), of);
                }
                // A move yields the same number, except for subnormals and NaN, which do not matter here.
                if acc.is_move(word.acc_op) && acc.neg_a == 0 && first != NumberId::Other {
                    return Value::Number(first);
                }
                made
            }
            ResultOf::Mul0 | ResultOf::Mul1 => self.multiplier_value(word, of, op),
            ResultOf::Pass => self.pass_value(word, op),
            ResultOf::Complex => self.complex_value(word, op),
        }
    }

    fn multiplier_value(&mut self, word: &Word, of: ResultOf, op: Op) -> Value {
        let [m0, m1] = word.mul;
        let made = Value::Number(NumberId::Result(self.word, of));
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
                    [Value::Number(a), Value::Number(b)]
                    | [Value::Preexp2Result(a), Value::Preexp2Result(b)]
                        if a == b && a != NumberId::Other =>
                    {
                        Value::Complex2Result(a)
                    }
                    _ => self.report_broken_pattern(&operands, of),
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
                if second == Source::Identity && mul.neg == 0 && first != NumberId::Other {
                    return Value::Number(first);
                }
                made
            }
        }
    }

    /// Returns the result of complex1.
    fn function(&mut self, operands: [Value; 4], of: ResultOf) -> Value {
        if let [Value::LookupResult(f, x), Value::Complex2Result(square), Value::LookupResult(g, again), last] =
            operands
            && (f, x) == (g, again)
            && x == square
        {
            let function = Value::Number(NumberId::Result(self.word, of));
            match (f, last) {
                (Op::Exp2, Value::Preexp2Result(p)) if p == x => return function,
                (Op::Log2, Value::Number(n)) if n == x => return Value::Logarithm,
                (Op::Rcp | Op::Rsqrt, Value::Number(n)) if n == x => return function,
                _ => {}
            }
        }
        self.report_broken_pattern(&operands, of)
    }

    /// Reports operands that do not form a complex function, unless one of them has already been reported.
    fn report_broken_pattern(&mut self, operands: &[Value], of: ResultOf) -> Value {
        if !operands.contains(&Value::AlreadyReported) {
            self.report(Rule::Pattern, Source::Unused, of);
        }
        Value::AlreadyReported
    }

    fn pass_value(&mut self, word: &Word, op: Op) -> Value {
        let of = ResultOf::Pass;
        let source = Source::decode(word.pass_src, false);
        let made = NumberId::Result(self.word, of);
        match op {
            Op::Postlog2 => match self.value(source, of) {
                Value::Logarithm => Value::Number(made),
                other => self.report_broken_pattern(&[other], of),
            },
            Op::Preexp2 => {
                self.number(source, of);
                Value::Preexp2Result(made)
            }
            Op::PassMov => match self.number(source, of) {
                NumberId::Other => Value::Number(made),
                id => Value::Number(id),
            },
            _ => {
                self.number(source, of);
                Value::Number(made)
            }
        }
    }

    fn complex_value(&mut self, word: &Word, op: Op) -> Value {
        let of = ResultOf::Complex;
        let source = Source::decode(word.complex_src, false);
        let made = Value::Number(NumberId::Result(self.word, of));
        match op {
            Op::ComplexMov => match self.number(source, of) {
                NumberId::Other => made,
                id => Value::Number(id),
            },
            Op::Exp2 => match self.value(source, of) {
                Value::Preexp2Result(id) => Value::LookupResult(op, id),
                other => self.report_broken_pattern(&[other], of),
            },
            _ => match self.number(source, of) {
                NumberId::Other => Value::AlreadyReported,
                id => Value::LookupResult(op, id),
            },
        }
    }
}
