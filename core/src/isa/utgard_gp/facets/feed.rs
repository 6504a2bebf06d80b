//! Supplies operands: sets ports, and adds moves in earlier words, so that a unit can read a number from a given source.

use crate::binary::exact;
use crate::isa::utgard_gp::opcode::{Op, is_mul1_separate};
use crate::isa::utgard_gp::program::{Acc, Load, Mul, Word};
use crate::isa::utgard_gp::source::{IDENTITY, NOT_STORED, ResultOf, Source, StoreSource};

/// The number of the attribute that generated operands read.
const ATTRIBUTE: u8 = 3;
/// The numbers of the registers that generated operands read through read port 0 and read port 1.
const REGISTER: [u8; 2] = [6, 9];

/// An operand of a unit. The index selects one of two equal units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OperandSlot {
    MulA(usize),
    MulB(usize),
    AccA(usize),
    AccB(usize),
    Complex,
    Pass,
}

impl OperandSlot {
    const ALL: [OperandSlot; 10] = [
        OperandSlot::MulA(0),
        OperandSlot::MulB(0),
        OperandSlot::MulA(1),
        OperandSlot::MulB(1),
        OperandSlot::AccA(0),
        OperandSlot::AccB(0),
        OperandSlot::AccA(1),
        OperandSlot::AccB(1),
        OperandSlot::Complex,
        OperandSlot::Pass,
    ];

    /// Returns the operand's code.
    pub(super) fn code(self, word: &Word) -> u8 {
        match self {
            OperandSlot::MulA(k) => word.mul[k].a,
            OperandSlot::MulB(k) => word.mul[k].b,
            OperandSlot::AccA(k) => word.acc[k].a,
            OperandSlot::AccB(k) => word.acc[k].b,
            OperandSlot::Complex => word.complex_src,
            OperandSlot::Pass => word.pass_src,
        }
    }

    /// Sets the operand's code.
    pub(super) fn set(self, word: &mut Word, code: u8) {
        match self {
            OperandSlot::MulA(k) => word.mul[k].a = code,
            OperandSlot::MulB(k) => word.mul[k].b = code,
            OperandSlot::AccA(k) => word.acc[k].a = code,
            OperandSlot::AccB(k) => word.acc[k].b = code,
            OperandSlot::Complex => word.complex_src = code,
            OperandSlot::Pass => word.pass_src = code,
        }
    }

    /// Whether the operand's code has the meaning for second operands.
    pub(super) fn is_second(self) -> bool {
        matches!(self, OperandSlot::MulB(_) | OperandSlot::AccB(_))
    }

    /// Returns the source that the operand reads.
    pub(super) fn source(self, word: &Word) -> Source {
        Source::decode(self.code(word), self.is_second())
    }

    /// Exchanges two operand codes in all operands of a word.
    pub(super) fn exchange(word: &mut Word, codes: [u8; 2]) {
        for slot in OperandSlot::ALL {
            let [a, b] = codes;
            let code = slot.code(word);
            if code == a || code == b {
                slot.set(word, a ^ b ^ code);
            }
        }
    }
}

/// Returns a word without effect, whose load port is set as in all words generated here.
pub(super) fn bare() -> Word {
    Word { load: Load { address: 2, offset: Load::NO_OFFSET }, ..Word::default() }
}

/// Returns the word with read port 0 set to the attribute.
pub(super) fn attribute(mut word: Word) -> Word {
    (word.port0_attribute, word.port0) = (1, ATTRIBUTE);
    word
}

/// Stores results of a word to x and y, or to z and w, of varying 0.
pub(super) fn stores(word: &mut Word, unit: usize, of: [Option<ResultOf>; 2]) {
    word.store[unit].varying = 1;
    word.store[unit].sources = of.map(|of| of.map_or(NOT_STORED, |of| StoreSource::Result(of).code()));
}

/// Words under modification, one of which is the current word.
#[derive(Clone, Debug)]
pub(super) struct Words {
    pub(super) all: Vec<Word>,
    /// Index of the current word; adjusted when words are inserted before it.
    pub(super) at: usize,
    /// Operands that are about to be overwritten and so do not count as readers of ports, each with its word's index relative to the current word.
    pub(super) open: Vec<(isize, OperandSlot)>,
}

/// The port that provides a number, possibly through several moves.
#[derive(Clone, Copy, Debug)]
pub(super) enum Origin {
    Port0 { attribute: bool, component: u8 },
    Port1(u8),
    Load(u8, Load),
}

impl Words {
    /// Returns the current word.
    pub(super) fn word(&mut self) -> &mut Word {
        &mut self.all[self.at]
    }

    /// Inserts words and adjusts branch targets; `None` if a branch cannot reach its target any more.
    pub(super) fn insert(&mut self, at: usize, new: &[Word]) -> Option<()> {
        for word in self.all.iter_mut().filter(|word| word.branch != 0) {
            let target = word.target() as usize;
            word.set_target(exact::<u32, _>(target + if target >= at { new.len() } else { 0 }))?;
        }
        self.all.splice(at..at, new.iter().copied());
        self.at += if self.at >= at { new.len() } else { 0 };
        Some(())
    }

    /// Returns the index of the word `age` words before the current one; words are inserted if there are too few.
    fn before(&mut self, age: u8) -> Option<usize> {
        let missing = usize::from(age).saturating_sub(self.at);
        self.insert(0, &vec![bare(); missing])?;
        self.at.checked_sub(age.into())
    }

    fn is_open(&self, at: usize, slot: OperandSlot) -> bool {
        self.open.iter().any(|(word, open)| self.at.checked_add_signed(*word) == Some(at) && *open == slot)
    }

    /// Whether `matches` holds for any operand of a word or of the next word. `matches` receives the source, and whether the operand is in the next
    /// word.
    fn is_read(&self, at: usize, matches: impl Fn(Source, bool) -> bool) -> bool {
        let reads = |at: usize, next: bool| {
            self.all.get(at).is_some_and(|word| {
                OperandSlot::ALL
                    .into_iter()
                    .any(|slot| !self.is_open(at, slot) && matches(slot.source(word), next))
            })
        };
        reads(at, false) || reads(at + 1, true)
    }

    /// Sets read port 0 of a word to the attribute or the register, unless another source is being read through it.
    fn port0(&mut self, at: usize, attribute: bool) -> Option<()> {
        let number = if attribute { ATTRIBUTE } else { REGISTER[0] };
        let set = (u8::from(attribute), number);
        // The index may be one past the last word.
        let word = self.all.get(at)?;
        let is = (word.port0_attribute, word.port0);
        let through = |source: Source, next: bool| match source {
            Source::Port0(_) => !next,
            Source::Port0Before(_) => next,
            _ => false,
        };
        if is != set && self.is_read(at, through) {
            return None;
        }
        (self.all[at].port0_attribute, self.all[at].port0) = set;
        Some(())
    }

    /// Makes a unit of a word move component `component` of the attribute, or of the load if port 0 is in use. If the unit already has a result,
    /// nothing changes.
    pub(super) fn produce(&mut self, at: usize, of: ResultOf, component: u8) -> Option<()> {
        let word = self.all[at];
        if word.result_op(of).is_some() {
            return Some(());
        }
        let nop = Word::default();
        let fits = match of {
            ResultOf::Acc0 | ResultOf::Acc1 => word.acc_op == Op::Add.number() || word.acc == nop.acc,
            ResultOf::Mul0 => word.mul_op == Op::Mul.number() || word.mul == nop.mul,
            ResultOf::Mul1 => is_mul1_separate(word.mul_op) || word.mul == nop.mul,
            ResultOf::Pass => true,
            ResultOf::Complex => word.complex_op == 0,
        };
        if !fits {
            return None;
        }
        let port = self.port0(at, true).map(|()| Source::Port0(component));
        let code = port.unwrap_or(Source::Load(component)).code()?;
        let word = &mut self.all[at];
        match of {
            ResultOf::Acc0 | ResultOf::Acc1 => {
                word.acc_op = Op::Add.number();
                word.acc[of as usize] = Acc { a: code, b: IDENTITY, neg_a: 0, neg_b: 1 };
            }
            ResultOf::Mul0 | ResultOf::Mul1 => {
                let mul = Mul { a: code, b: IDENTITY, neg: 0 };
                if word.mul == nop.mul {
                    word.mul_op = Op::Mul.number();
                }
                word.mul[usize::from(of == ResultOf::Mul1)] = mul;
            }
            ResultOf::Pass => (word.pass_op, word.pass_src) = (Op::PassMov.number(), code),
            ResultOf::Complex => {
                (word.complex_op, word.complex_src) = (Op::ComplexMov.number(), code);
            }
        }
        Some(())
    }

    /// Makes component `component` of the given kind of source available to the current word, ignoring the component in `source`. Returns the operand
    /// code.
    pub(super) fn provide(
        &mut self,
        source: Source,
        attribute: bool,
        component: u8,
        is_second: bool,
    ) -> Option<u8> {
        let at = self.at;
        let source = match source {
            Source::Port0(_) => {
                self.port0(at, attribute)?;
                Source::Port0(component)
            }
            Source::Port0Before(_) => {
                let before = self.before(1)?;
                self.port0(before, attribute)?;
                Source::Port0Before(component)
            }
            Source::Port1(_) => {
                self.word().port1 = REGISTER[1];
                Source::Port1(component)
            }
            Source::Load(_) => Source::Load(component),
            Source::Result { of, age } => {
                let before = self.before(age)?;
                self.produce(before, of, component)?;
                source
            }
            Source::Identity => source,
            Source::Unused | Source::Unknown(_) => return None,
        };
        // The complex unit's result and the identity share a code.
        source.code().filter(|code| Source::decode(*code, is_second) == source)
    }

    /// Returns the origin of the number that a source of a word reads.
    pub(super) fn origin(&self, at: usize, source: Source) -> Option<Origin> {
        let word = self.all.get(at)?;
        let port0 =
            |word: &Word, component| Origin::Port0 { attribute: word.port0_attribute != 0, component };
        Some(match source {
            Source::Port0(component) => port0(word, component),
            Source::Port0Before(component) => port0(self.all.get(at.checked_sub(1)?)?, component),
            Source::Port1(component) => Origin::Port1(component),
            Source::Load(component) => Origin::Load(component, word.load),
            Source::Result { of, age } => {
                let at = at.checked_sub(usize::from(age))?;
                let word = self.all.get(at)?;
                let (slot, is_move) = match of {
                    ResultOf::Acc0 | ResultOf::Acc1 => {
                        let acc = word.acc[of as usize];
                        (OperandSlot::AccA(of as usize), acc.is_move(word.acc_op) && acc.neg_a == 0)
                    }
                    ResultOf::Mul0 | ResultOf::Mul1 => {
                        let k = usize::from(of == ResultOf::Mul1);
                        (OperandSlot::MulA(k), word.mul[k].b == IDENTITY && word.mul[k].neg == 0)
                    }
                    ResultOf::Pass => (OperandSlot::Pass, word.result_op(of) == Some(Op::PassMov)),
                    ResultOf::Complex => (OperandSlot::Complex, word.result_op(of) == Some(Op::ComplexMov)),
                };
                return if is_move { self.origin(at, slot.source(word)) } else { None };
            }
            _ => return None,
        })
    }

    /// Sets the ports of a word so that an operand can read the number of an origin. Returns the operand code.
    pub(super) fn read(&mut self, at: usize, origin: Origin) -> Option<u8> {
        match origin {
            Origin::Port0 { attribute, component } => {
                self.port0(at, attribute)?;
                Source::Port0(component).code()
            }
            Origin::Port1(component) => {
                self.all.get_mut(at)?.port1 = REGISTER[1];
                Source::Port1(component).code()
            }
            Origin::Load(component, load) => {
                let other = self.all.get(at)?.load != load;
                if other && self.is_read(at, |source, next| !next && matches!(source, Source::Load(_))) {
                    return None;
                }
                self.all[at].load = load;
                Source::Load(component).code()
            }
        }
    }
}
