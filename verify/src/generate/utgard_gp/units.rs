//! Fills the units of a word with operations that compute the requested values.

use super::backward::BackwardBuilder;
use super::plan::Goal;
use super::request::{MIN_BITS, ValueRequest};
use crate::generate::Entropy;
use lockstep_core::isa::utgard_gp::opcode::Op;
use lockstep_core::isa::utgard_gp::program::Load;
use lockstep_core::isa::utgard_gp::source::{IDENTITY, ResultOf, UNUSED};

/// The operations of adders.
const ACC: [Op; 7] = [Op::Add, Op::Floor, Op::Sign, Op::Ge, Op::Lt, Op::Min, Op::Max];

impl BackwardBuilder {
    /// Fills every unit of the word at the front with an operation that computes the value requested of it.
    pub(super) fn compute(&mut self, e: &mut Entropy<'_>) {
        if let Some(goal) = self.take(ResultOf::Pass) {
            self.pass(e, goal);
        }
        if let Some(goal) = self.take(ResultOf::Complex) {
            let code = self.operand(e, 0, false, goal.want);
            self.plan(0).fill_move(ResultOf::Complex, code);
        }
        self.muls(e);
        self.accs(e);
    }

    fn take(&mut self, of: ResultOf) -> Option<Goal> {
        self.plan(0).goals[of as usize].take()
    }

    fn pass(&mut self, e: &mut Entropy<'_>, goal: Goal) {
        let want = goal.want;
        let requested = |op| u32::from(self.is_requested(op)) * 60;
        let rich = !want.truth && want.exact.is_none() && want.bits >= 8;
        let log = if self.open && rich && !want.positive { 14 + requested(Op::Postlog2) } else { 0 };
        let clamp = if rich && !want.positive { 14 + requested(Op::Clamp) } else { 0 };
        match e.weighted(&[20 + requested(Op::PassMov), clamp, log]) {
            1 if self.limits(e, want) => {
                let code = self.operand(e, 0, false, want);
                self.passes(Op::Clamp, code);
            }
            2 if self.function(e, 2, Op::Log2, None) => self.passes(Op::Postlog2, 26),
            _ => {
                let code = self.operand(e, 0, false, want);
                self.passes(Op::PassMov, code);
            }
        }
    }

    pub(super) fn passes(&mut self, op: Op, code: u8) {
        let plan = self.plan(0);
        plan.taken[ResultOf::Pass as usize] = true;
        (plan.word.pass_op, plan.word.pass_src) = (op.number(), code);
    }

    /// Makes the load port read the limits of a clamp. Returns false if it cannot.
    fn limits(&mut self, e: &mut Entropy<'_>, want: ValueRequest) -> bool {
        let known = self.plans[0].load;
        let load = if !want.varies && self.indexing && self.may_read_storage && e.chance(20) {
            let offset = 1 + e.below(3) as u8;
            Load { address: e.between(0, 8) as u16, offset }
        } else if self.literals {
            Load { address: self.uniforms, offset: Load::NO_OFFSET }
        } else if !want.varies {
            Load { address: e.below(usize::from(self.uniforms.max(1))) as u16, offset: Load::NO_OFFSET }
        } else {
            return false;
        };
        if known.is_some_and(|known| known != load) || (load.register().is_some() && !self.may_read_storage) {
            return false;
        }
        if known.is_none() {
            self.note_load(load, 0);
            self.plan(0).load = Some(load);
        }
        true
    }

    fn muls(&mut self, e: &mut Entropy<'_>) {
        let goals = [self.take(ResultOf::Mul0), self.take(ResultOf::Mul1)];
        if let [Some(goal), None] = goals
            && !self.plans[0].taken[ResultOf::Mul1 as usize]
            && self.plans[0].mul_op.is_none()
        {
            let want = goal.want;
            let requested = |op| u32::from(self.is_requested(op)) * 80;
            let rich = self.open && !goal.soon && !want.truth && want.exact.is_none();
            let weight = |op, fits: bool| if fits { 16 + requested(op) } else { 0 };
            let weights = [
                30 + requested(Op::Mul),
                weight(Op::Select, want.exact.is_none() && want.bits > MIN_BITS),
                weight(Op::Rcp, rich && !want.positive && want.bits >= 12),
                weight(Op::Rsqrt, rich && want.bits >= 12),
                weight(Op::Exp2, rich && want.bits >= 9) + requested(Op::Preexp2),
                if rich && want.bits >= 12 { requested(Op::Complex1) + requested(Op::Complex2) } else { 0 },
            ];
            let done = match e.weighted(&weights) {
                1 => {
                    self.select(e, want);
                    true
                }
                2 => self.function(e, 0, Op::Rcp, None),
                3 | 5 => self.function(e, 0, Op::Rsqrt, None),
                4 => rich && want.bits >= 9 && self.function(e, 0, Op::Exp2, None),
                _ => false,
            };
            if done {
                return;
            }
        }
        for (k, goal) in goals.into_iter().enumerate() {
            if let Some(goal) = goal {
                self.product(e, k, goal.want);
            }
        }
    }

    /// Fills multiplier `k` with a product or a move.
    fn product(&mut self, e: &mut Entropy<'_>, k: usize, want: ValueRequest) {
        let half = BackwardBuilder::factor_bits(want.bits);
        let moves = want.truth || want.exact.is_some() || want.bits < 2 * MIN_BITS || e.chance(20);
        let square = want.positive && !moves;
        let a_want = if square {
            ValueRequest { positive: false, nonzero: true, ..want }.with_bits(half)
        } else if moves {
            want
        } else {
            want.with_bits(half)
        };
        let a = self.operand(e, 0, square, a_want);
        let b = if moves {
            IDENTITY
        } else if square && e.chance(70) {
            a
        } else {
            let other = if want.takes_few() {
                ValueRequest::ANY
            } else {
                ValueRequest { nonzero: true, ..ValueRequest::ANY }
            };
            let other = ValueRequest { positive: want.positive, ..other }.with_bits(half);
            self.operand(e, 0, true, other)
        };
        let neg = u8::from(!want.positive && !want.truth && want.exact.is_none() && e.chance(25));
        let plan = self.plan(0);
        plan.taken[if k == 0 { ResultOf::Mul0 } else { ResultOf::Mul1 } as usize] = true;
        plan.mul_op = plan.mul_op.or(Some(Op::Mul));
        let mul = &mut plan.word.mul[k];
        (mul.a, mul.b, mul.neg) = (a, b, neg);
    }

    fn select(&mut self, e: &mut Entropy<'_>, want: ValueRequest) {
        let condition = if e.chance(2) { IDENTITY } else { self.operand(e, 0, true, ValueRequest::TRUTH) };
        let a = self.operand(e, 0, false, want);
        let b = self.operand(e, 0, false, want);
        let neg = u8::from(self.allows_warnings && !want.positive && e.chance(40));
        let plan = self.plan(0);
        plan.mul_op = Some(Op::Select);
        plan.taken[ResultOf::Mul0 as usize] = true;
        plan.taken[ResultOf::Mul1 as usize] = true;
        let [m0, m1] = &mut plan.word.mul;
        (m0.a, m0.b, m0.neg) = (a, condition, neg);
        (m1.a, m1.b) = (b, UNUSED);
    }

    fn accs(&mut self, e: &mut Entropy<'_>) {
        let goals = [self.take(ResultOf::Acc0), self.take(ResultOf::Acc1)];
        if goals.iter().all(Option::is_none) {
            return;
        }
        let op = self.plans[0].acc_op.unwrap_or_else(|| self.acc_op(e, goals));
        self.plan(0).acc_op = Some(op);
        for (k, goal) in goals.into_iter().enumerate() {
            if let Some(goal) = goal {
                self.acc(e, k, op, goal.want);
            }
        }
    }

    /// Draws an operation that can compute the values requested of both adders.
    fn acc_op(&self, e: &mut Entropy<'_>, goals: [Option<Goal>; 2]) -> Op {
        let suits = |op: Op| {
            goals.iter().flatten().all(|goal| {
                let want = goal.want;
                match op {
                    Op::Add => true,
                    Op::Floor => !want.positive && !want.nonzero && !want.truth,
                    Op::Ge | Op::Lt => want.takes_few(),
                    Op::Sign => want.takes_few() && !want.truth,
                    _ => !want.truth,
                }
            })
        };
        let truth = goals.iter().flatten().any(|goal| goal.want.truth);
        let few = goals.iter().flatten().all(|goal| goal.want.takes_few());
        let weights = ACC.map(|op| {
            let usual = match op {
                Op::Add if truth => 1,
                Op::Add => 12,
                Op::Ge | Op::Lt if truth || few => 12,
                Op::Max => 4,
                Op::Sign => 7,
                _ => 3,
            };
            if suits(op) { usual + u32::from(self.is_requested(op)) * 60 } else { 0 }
        });
        ACC[e.weighted(&weights)]
    }

    fn acc(&mut self, e: &mut Entropy<'_>, k: usize, op: Op, want: ValueRequest) {
        let signed = !want.positive && !want.truth && want.exact.is_none();
        let mut signs = [e.chance(25), e.chance(25)].map(|negated| negated && signed);
        let codes = match op {
            Op::Add => {
                let moves = want.truth || want.exact.is_some() || want.bits <= MIN_BITS || e.chance(15);
                let part = if moves { want } else { want.with_bits(want.bits - 1) };
                let first = self.operand(e, 0, false, part);
                if moves {
                    signs[1] = true;
                    [first, IDENTITY]
                } else {
                    let other = ValueRequest { varies: false, nonzero: false, ..part };
                    [first, self.second(e, other)]
                }
            }
            _ if !op.reads_second() => {
                let first = self.operand(e, 0, false, ValueRequest { nonzero: true, ..want });
                // The second operand is ignored: Mesa encodes it as 0, other compilers as unused.
                signs[1] = false;
                [first, UNUSED]
            }
            Op::Ge | Op::Lt => {
                signs = [e.chance(25), e.chance(25)];
                let first = self.operand(e, 0, false, ValueRequest::OUTPUT.with_bits(20));
                [first, self.second(e, ValueRequest::ANY.with_bits(20))]
            }
            Op::Max if want.positive && e.chance(80) => {
                let both = ValueRequest { positive: false, nonzero: true, ..want };
                let first = self.operand(e, 0, true, both);
                let negated = e.below(2);
                signs = [negated == 0, negated == 1];
                [first, first]
            }
            _ => {
                let first = self.operand(e, 0, false, want);
                [first, self.second(e, want)]
            }
        };
        let plan = self.plan(0);
        plan.taken[k] = true;
        let acc = &mut plan.word.acc[k];
        [acc.a, acc.b] = codes;
        [acc.neg_a, acc.neg_b] = signs.map(u8::from);
    }

    /// Returns a second operand, which is sometimes the identity.
    fn second(&mut self, e: &mut Entropy<'_>, want: ValueRequest) -> u8 {
        if want.takes_few() && want.exact.is_none() && e.chance(4) {
            return IDENTITY;
        }
        self.operand(e, 0, true, want)
    }
}
