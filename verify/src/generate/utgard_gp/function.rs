//! Generation of complex functions: the lookup (in the complex unit), the square (operation `complex2`), and the final step (`complex1`), each with
//! a path for its operand.

use super::backward::{BackwardBuilder, WINDOW};
use super::request::{MIN_BITS, ValueRequest};
use crate::generate::Entropy;
use lockstep_core::isa::utgard_gp::opcode::Op;
use lockstep_core::isa::utgard_gp::program::Load;
use lockstep_core::isa::utgard_gp::source::{ResultOf, Source};

/// The origin of a function's operand, which several words of the function may read.
#[derive(Clone, Copy, Debug)]
enum Origin {
    /// The result of a unit this many words before complex1.
    Unit(ResultOf, usize),
    /// A component at read port 0, of an attribute if the first field is true, otherwise of a register.
    Port0(bool, u8, u8),
    /// A component of a register at read port 1.
    Port1(u8, u8),
    /// A component of a uniform.
    Load(Load, u8),
}

/// The units that can move a value without changing it.
const MOVERS: [ResultOf; 5] =
    [ResultOf::Acc0, ResultOf::Acc1, ResultOf::Mul0, ResultOf::Mul1, ResultOf::Pass];

fn code(of: ResultOf, age: usize) -> Option<u8> {
    Source::Result { of, age: age as u8 }.code()
}

impl BackwardBuilder {
    /// Places a function whose last step is `at` words before the current word. Returns false, and changes nothing, if no placement is found in three
    /// attempts, or in fewer if the entropy is exhausted.
    pub(super) fn function(
        &mut self,
        e: &mut Entropy<'_>,
        at: usize,
        f: Op,
        of: Option<ValueRequest>,
    ) -> bool {
        for _ in 0..3 {
            let mut trial = self.clone();
            if trial.place(e, at, f, of).is_some() {
                *self = trial;
                return true;
            }
            if e.is_exhausted() {
                break;
            }
        }
        false
    }

    fn place(&mut self, e: &mut Entropy<'_>, at: usize, f: Op, of: Option<ValueRequest>) -> Option<()> {
        use ResultOf::{Complex, Mul0, Mul1, Pass};
        if !self.open || at + 4 >= WINDOW {
            return None;
        }
        let last = &self.plans[at];
        let looks = &self.plans[at + 1];
        let room = last.is_free(Mul0) && last.is_free(Mul1) && last.mul_op.is_none();
        let mixed = looks.mul_op.is_none_or(|op| op == Op::Mul);
        if !(room && looks.is_free(Mul0) && looks.is_free(Complex) && mixed) {
            return None;
        }
        for (at, of) in [(at, Mul0), (at, Mul1), (at + 1, Mul0), (at + 1, Complex)] {
            self.plan(at).taken[of as usize] = true;
        }
        self.plan(at).mul_op = Some(Op::Complex1);
        self.plan(at + 1).mul_op = Some(Op::Complex2);
        let [look, a, b, d] = if f == Op::Exp2 {
            if !self.plans[at + 2].is_free(Pass) {
                return None;
            }
            let x = self.operand(e, at + 2, false, ValueRequest::SMALL);
            let plan = self.plan(at + 2);
            plan.taken[Pass as usize] = true;
            (plan.word.pass_op, plan.word.pass_src) = (Op::Preexp2.number(), x);
            let [now, later] = [code(Pass, 1)?, code(Pass, 2)?];
            [now, now, now, later]
        } else {
            let want =
                of.unwrap_or(if f == Op::Rcp { ValueRequest::NONZERO } else { ValueRequest::POSITIVE });
            let origin = self.origin(e, at, f, want)?;
            [
                self.operand_path(e, at, 1, origin, false, want)?,
                self.operand_path(e, at, 1, origin, false, want)?,
                self.operand_path(e, at, 1, origin, true, want)?,
                self.operand_path(e, at, 0, origin, true, want)?,
            ]
        };
        let sloppy = self.allows_warnings && e.chance(40);
        let plan = self.plan(at);
        let [m0, m1] = &mut plan.word.mul;
        let [looked, square] = [code(Complex, 1)?, code(Mul0, 1)?];
        (m0.a, m0.b, m1.a, m1.b) = (looked, square, looked, d);
        m0.neg = u8::from(sloppy);
        let plan = self.plan(at + 1);
        (plan.word.mul[0].a, plan.word.mul[0].b) = (a, b);
        plan.word.mul[0].neg = u8::from(sloppy && e.chance(50));
        (plan.word.complex_op, plan.word.complex_src) = (f.number(), look);
        Some(())
    }

    /// Chooses the origin of the operand.
    fn origin(&mut self, e: &mut Entropy<'_>, at: usize, f: Op, want: ValueRequest) -> Option<Origin> {
        let requested = [f, Op::Complex1, Op::Complex2].into_iter().any(|op| self.is_requested(op));
        // Attributes and uniforms may be negative.
        let raw = requested || f == Op::Rcp || e.chance(14);
        let registers = if self.may_read_storage { 5 } else { 0 };
        let c = e.below(4) as u8;
        let number = e.below(usize::from(self.registers.max(1))) as u8;
        match e.weighted(&[16, 6, if raw { 8 } else { 0 }, registers, registers, if raw { 8 } else { 0 }]) {
            0 | 1 => {
                let back = 2 + usize::from(e.chance(35));
                let of = MOVERS[e.below(MOVERS.len())];
                self.result(at + back, of, want.with_bits(20), true).then_some(Origin::Unit(of, back))
            }
            2 => Some(Origin::Port0(true, e.pick(&self.attributes).copied()?, c)),
            3 => Some(Origin::Port0(false, number, c)),
            4 => Some(Origin::Port1(number, c)),
            _ => {
                let offset = if self.indexing && e.chance(60) && self.may_read_storage {
                    1 + e.below(3) as u8
                } else {
                    Load::NO_OFFSET
                };
                Some(Origin::Load(
                    Load { address: e.below(usize::from(self.uniforms.max(1))) as u16, offset },
                    c,
                ))
            }
        }
    }

    /// Finds a path for the operand to a unit of the word `back` words before complex1. The word of complex1 is `at` words before the
    /// current word.
    #[allow(clippy::too_many_arguments)]
    fn operand_path(
        &mut self,
        e: &mut Entropy<'_>,
        at: usize,
        back: usize,
        origin: Origin,
        second: bool,
        want: ValueRequest,
    ) -> Option<u8> {
        let here = at + back;
        for attempt in 0..8 {
            // The operand is read directly, or moved through another unit: sometimes at random, and always after five attempts.
            let through = e.chance(35) || attempt > 4;
            let found = match origin {
                Origin::Unit(of, made) => {
                    let age = made - back;
                    if age <= 2 && !(through && age == 2) {
                        code(of, age).filter(|_| !(second && of == ResultOf::Complex))
                    } else {
                        let age = 1 + usize::from(made - back > 2 && e.chance(50));
                        let (by, place) = (Self::move_unit(e, age, second), here + age);
                        let from = (made + at).checked_sub(place).filter(|age| (1..=2).contains(age));
                        from.and_then(|from| code(of, from))
                            .filter(|_| self.plans[place].can_move(by))
                            .and_then(|from| {
                                self.plan(place).fill_move(by, from);
                                code(by, age)
                            })
                    }
                }
                _ if through => {
                    let age = 1 + e.below(2);
                    let (by, place) = (Self::move_unit(e, age, second), here + age);
                    if place < WINDOW && self.plans[place].can_move(by) {
                        let from = self.leaf(place, origin, want);
                        from.and_then(|from| {
                            self.plan(place).fill_move(by, from);
                            code(by, age)
                        })
                    } else {
                        None
                    }
                }
                _ => {
                    let before = matches!(origin, Origin::Port0(..)) && e.chance(35);
                    let there = self.leaf(here + usize::from(before), origin, want);
                    there.map(|code| if before { code + 28 } else { code })
                }
            };
            if found.is_some() {
                return found;
            }
            if e.is_exhausted() {
                return None;
            }
        }
        None
    }

    /// Chooses the unit that moves an operand.
    fn move_unit(e: &mut Entropy<'_>, age: usize, second: bool) -> ResultOf {
        if age == 1 && !second && e.chance(25) {
            return ResultOf::Complex;
        }
        MOVERS[e.below(MOVERS.len())]
    }

    /// Reads an operand directly from a port of a word, if the port can read it.
    fn leaf(&mut self, at: usize, origin: Origin, want: ValueRequest) -> Option<u8> {
        if at >= WINDOW {
            return None;
        }
        let want = want.with_bits(20.max(MIN_BITS));
        match origin {
            Origin::Port0(attribute, number, c) => {
                if self.plans[at].port0.is_some_and(|known| known != (attribute, number))
                    || (!attribute && !self.read_register(number, c, want, at))
                {
                    return None;
                }
                self.plan(at).port0 = Some((attribute, number));
                Source::Port0(c).code()
            }
            Origin::Port1(number, c) => {
                if self.plans[at].port1.is_some_and(|known| known != number)
                    || !self.read_register(number, c, want, at)
                {
                    return None;
                }
                self.plan(at).port1 = Some(number);
                Source::Port1(c).code()
            }
            Origin::Load(load, c) => {
                if self.plans[at].load.is_some_and(|known| known != load) {
                    return None;
                }
                self.note_load(load, at);
                self.plan(at).load = Some(load);
                self.plan(at).function_loads = true;
                Source::Load(c).code()
            }
            Origin::Unit(..) => None,
        }
    }
}
