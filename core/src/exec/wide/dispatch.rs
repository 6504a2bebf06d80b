//! The loop over blocks and the loop over instructions.

use super::machine::{Machine, lanes_of};
use super::{Row, kernels, lanes, quad};
use crate::exec::jit::Frame;
use crate::exec::{Compiled, Inst, Kernel, PlanTerminator, WIDTH};

/// Runs the code until no block has pending lanes.
#[inline(always)]
pub(super) fn run<const N: usize>(m: &mut Machine<'_>) {
    let plan = m.plan;
    // Inputs and outputs are copied here, because this function is compiled for the widest instructions of the level.
    for (&(_, row), values) in plan.inputs().iter().zip(m.inputs.chunks_exact(WIDTH)) {
        if let Some(values) = values[m.lane_offset..].first_chunk() {
            kernels::load_row::<N>(&mut m.rows[row as usize].0, values);
        }
    }
    while let Some(number) = m.control.next() {
        let block = plan.blocks()[number as usize];
        step::<N>(m, &plan.code()[block.start as usize..block.end as usize]);
        follow_terminator::<N>(m, block.terminator);
    }
    for (&(_, row), values) in plan.outputs().iter().zip(m.outputs.chunks_exact_mut(WIDTH)) {
        if let Some(values) = values[m.lane_offset..].first_chunk_mut() {
            kernels::store_row::<N>(values, &m.rows[row as usize].0);
        }
    }
}

/// Makes the active lanes pending in the blocks that run next.
#[inline(always)]
fn follow_terminator<const N: usize>(m: &mut Machine<'_>, transfer: PlanTerminator) {
    let active = m.control.active;
    match transfer {
        PlanTerminator::Jump(to) => m.control.send(to, active),
        PlanTerminator::Branch { condition, yes, no } => {
            let holds = lanes_of::<N>(&m.rows[condition as usize].0);
            m.control.send(yes, active & holds);
            m.control.send(no, active & !holds);
        }
        PlanTerminator::Switch { index, start, len } => {
            let targets = &m.plan.targets()[start as usize..(start + len) as usize];
            let index = m.rows[index as usize];
            let mut rest = active;
            while rest != 0 {
                let lane = rest.trailing_zeros() as usize;
                let at = (index.0[lane] as usize).min(targets.len() - 1);
                // All lanes with the same target are sent at once.
                let mut same = 0;
                for i in 0..N {
                    same |= u64::from((index.0[i] as usize).min(targets.len() - 1) == at) << i;
                }
                m.control.send(targets[at], rest & same);
                rest &= !same;
            }
        }
        PlanTerminator::Return => {}
        PlanTerminator::Hang => m.control.end.hung |= active,
    }
}

/// Runs compiled code until no block has pending lanes. Compiled code may read inputs from and store outputs to the slices of the machine, outside
/// the rows. The slices must be long enough for the inputs and outputs of the plan.
#[inline(always)]
pub(super) fn run_compiled<const N: usize>(m: &mut Machine<'_>, compiled: &Compiled) {
    let plan = m.plan;
    assert!(m.rows.len() >= plan.rows() as usize, "fewer rows than the plan has");
    let reaches =
        |numbers: usize, count: usize| count == 0 || numbers >= (count - 1) * WIDTH + m.lane_offset + N;
    assert!(reaches(m.inputs.len(), plan.inputs().len()), "fewer inputs than the plan has");
    assert!(reaches(m.outputs.len(), plan.outputs().len()), "fewer outputs than the plan has");
    if compiled.reads_input_rows() {
        for (&(_, row), values) in plan.inputs().iter().zip(m.inputs.chunks(WIDTH)) {
            if let Some(values) = values[m.lane_offset..].first_chunk() {
                kernels::load_row::<N>(&mut m.rows[row as usize].0, values);
            }
        }
    }
    if compiled.is_straight() {
        run_parts::<N>(m, compiled, plan.entry() as usize);
    } else {
        while let Some(number) = m.control.next() {
            run_parts::<N>(m, compiled, number as usize);
            follow_terminator::<N>(m, plan.blocks()[number as usize].terminator);
        }
    }
    for &k in compiled.unstored() {
        let row = plan.outputs()[k as usize].1;
        if let Some(values) = m.outputs[k as usize * WIDTH + m.lane_offset..].first_chunk_mut() {
            kernels::store_row::<N>(values, &m.rows[row as usize].0);
        }
    }
}

/// Runs the parts of a block.
#[inline(always)]
fn run_parts<const N: usize>(m: &mut Machine<'_>, compiled: &Compiled, block: usize) {
    for part in compiled.parts(block) {
        // The frame is created again for each part, because the interpreter borrows the rows in between.
        let mut frame = Frame {
            rows: m.rows.as_mut_ptr(),
            inputs: m.inputs.as_ptr().wrapping_add(m.lane_offset),
            outputs: m.outputs.as_mut_ptr().wrapping_add(m.lane_offset),
            active: m.control.active,
            mask: &raw const m.control.mask,
            groups: 0,
        };
        // SAFETY: `run_compiled` compared the rows, inputs and outputs with the plan's, and is built for the features of the code's level.
        let rest = unsafe { compiled.part(part, &mut frame, N, m.control.is_partial()) };
        if let Some(range) = rest {
            step::<N>(m, &m.plan.code()[range]);
        }
    }
}

/// Runs the prologue, over whole rows.
#[inline(always)]
pub(super) fn prologue(m: &mut Machine<'_>) {
    m.control.present = u64::MAX;
    m.control.active = u64::MAX;
    step::<WIDTH>(m, m.plan.prologue());
}

/// Runs a sequence of instructions.
#[inline(always)]
fn step<const N: usize>(m: &mut Machine<'_>, code: &[Inst]) {
    let plan = m.plan;
    let pool = plan.pool();
    // Every unsafe access below relies on this and on `Plan::is_sound`, which was checked for every plan.
    assert!(m.rows.len() >= plan.rows() as usize, "fewer rows than the plan has");

    macro_rules! source {
        ($rows:ident, $slot:expr) => {
            // SAFETY: the slot is an operand of a sound plan, so it is below `plan.rows()` and inside `m.rows`; the only references to that row are
            // shared ones to operands of the same instruction, since its destination is another row. Tested by
            // `a_sound_plan_names_rows_that_exist_and_do_not_overlap`.
            unsafe { &(*$rows.add($slot as usize)).0 }
        };
    }
    macro_rules! target {
        ($rows:ident, $inst:expr) => {
            // SAFETY: as above: a row inside `m.rows`, and not among the operands of this instruction.
            unsafe { &mut (*$rows.add($inst.dst as usize)).0 }
        };
    }

    for inst in code {
        // The pointer is derived again for each instruction, because an instruction that borrows `m.rows` invalidates every pointer derived before.
        let rows: *mut Row = m.rows.as_mut_ptr();
        let restore = inst.masked && m.control.is_partial();
        if restore {
            kernels::copy::<N>(&mut m.control.saved.0, source!(rows, inst.dst));
        }
        macro_rules! lane_wise {
            ($name:ident, 1) => {
                kernels::$name::<N>(target!(rows, inst), source!(rows, inst.src[0]))
            };
            ($name:ident, 2) => {
                kernels::$name::<N>(target!(rows, inst), source!(rows, inst.src[0]), source!(rows, inst.src[1]))
            };
            ($name:ident, 3) => {
                kernels::$name::<N>(target!(rows, inst), source!(rows, inst.src[0]), source!(rows, inst.src[1]), source!(rows, inst.src[2]))
            };
            ($name:ident, 4) => {
                kernels::$name::<N>(
                    target!(rows, inst),
                    source!(rows, inst.src[0]),
                    source!(rows, inst.src[1]),
                    source!(rows, inst.src[2]),
                    source!(rows, inst.src[3]),
                )
            };
            ($name:ident, [$($k:literal)+]) => {{
                let p = &pool[inst.pool_range()];
                kernels::$name::<N>(target!(rows, inst), $(source!(rows, p[$k])),+)
            }};
        }
        match inst.kernel {
            Kernel::Copy => lane_wise!(copy, 1),
            Kernel::Neg => lane_wise!(neg, 1),
            Kernel::Abs => lane_wise!(abs, 1),
            Kernel::Sqrt => lane_wise!(sqrt, 1),
            Kernel::Floor => lane_wise!(floor, 1),
            Kernel::Trunc => lane_wise!(trunc, 1),
            Kernel::RoundEven => lane_wise!(round_even, 1),
            Kernel::Exp2 => lane_wise!(exp2, 1),
            Kernel::Log2 => lane_wise!(log2, 1),
            Kernel::Sin => lane_wise!(sin, 1),
            Kernel::Cos => lane_wise!(cos, 1),
            Kernel::NarrowNearest => lane_wise!(narrow_nearest, 1),
            Kernel::NarrowZero => lane_wise!(narrow_zero, 1),
            Kernel::NarrowZeroSaturate => lane_wise!(narrow_zero_saturate, 1),
            Kernel::Flush => lane_wise!(flush, 1),
            Kernel::FlushF24 => lane_wise!(flush_f24, 1),
            Kernel::FlushF24Unsigned => lane_wise!(flush_f24_unsigned, 1),
            Kernel::FlushSign => lane_wise!(flush_sign, 1),
            Kernel::TruncI => lane_wise!(trunc_i, 1),
            Kernel::ToF => lane_wise!(to_f, 1),
            Kernel::Bits => lane_wise!(bits, 1),
            Kernel::Not => lane_wise!(not, 1),
            Kernel::Add => lane_wise!(add, 2),
            Kernel::Sub => lane_wise!(sub, 2),
            Kernel::Mul => lane_wise!(mul, 2),
            Kernel::Div => lane_wise!(div, 2),
            Kernel::Min => lane_wise!(min, 2),
            Kernel::Max => lane_wise!(max, 2),
            Kernel::Mulz => lane_wise!(mulz, 2),
            Kernel::MulzInf => lane_wise!(mulz_inf, 2),
            Kernel::Lt => lane_wise!(lt, 2),
            Kernel::Le => lane_wise!(le, 2),
            Kernel::Eq => lane_wise!(eq, 2),
            Kernel::IEq => lane_wise!(ieq, 2),
            Kernel::ILtS => lane_wise!(ilts, 2),
            Kernel::ILtU => lane_wise!(iltu, 2),
            Kernel::IAdd => lane_wise!(iadd, 2),
            Kernel::ISub => lane_wise!(isub, 2),
            Kernel::IMul => lane_wise!(imul, 2),
            Kernel::And => lane_wise!(and, 2),
            Kernel::Or => lane_wise!(or, 2),
            Kernel::Xor => lane_wise!(xor, 2),
            Kernel::Shl => lane_wise!(shl, 2),
            Kernel::ShrU => lane_wise!(shru, 2),
            Kernel::ShrS => lane_wise!(shrs, 2),
            Kernel::Fma => lane_wise!(fma, 3),
            Kernel::Select => lane_wise!(select, 3),
            Kernel::MulAdd => lane_wise!(mul_add, 3),
            Kernel::MulSub => lane_wise!(mul_sub, 3),
            Kernel::NegMulAdd => lane_wise!(neg_mul_add, 3),
            Kernel::Clamp => lane_wise!(clamp, 3),
            Kernel::SelectLt => lane_wise!(select_lt, 4),
            Kernel::SelectLe => lane_wise!(select_le, 4),
            Kernel::SelectEq => lane_wise!(select_eq, 4),
            Kernel::Dot2 => lane_wise!(dot2, 4),
            Kernel::Dot3 => lane_wise!(dot3, [0 1 2 3 4 5]),
            Kernel::Dot4 => lane_wise!(dot4, [0 1 2 3 4 5 6 7]),
            Kernel::Chain2 => lane_wise!(chain2, [0 1 2 3 4]),
            Kernel::Chain3 => lane_wise!(chain3, [0 1 2 3 4 5 6]),
            Kernel::RoundF24 => lane_wise!(round_f24, 1),
            Kernel::AddF24 => lane_wise!(add_f24, 2),
            Kernel::SubF24 => lane_wise!(sub_f24, 2),
            Kernel::MulF24 => lane_wise!(mul_f24, 2),
            Kernel::MulAddF24 => lane_wise!(mul_add_f24, 3),
            Kernel::Dot2F24 => lane_wise!(dot2_f24, 4),
            Kernel::Dot3F24 => lane_wise!(dot3_f24, [0 1 2 3 4 5]),
            Kernel::Dot4F24 => lane_wise!(dot4_f24, [0 1 2 3 4 5 6 7]),
            Kernel::Chain2F24 => lane_wise!(chain2_f24, [0 1 2 3 4]),
            Kernel::Chain3F24 => lane_wise!(chain3_f24, [0 1 2 3 4 5 6]),
            Kernel::AddFlush => lane_wise!(add_flush, 2),
            Kernel::SubFlush => lane_wise!(sub_flush, 2),
            Kernel::MulFlush => lane_wise!(mul_flush, 2),
            Kernel::MulAddFlush => lane_wise!(mul_add_flush, 3),
            Kernel::Dot2Flush => lane_wise!(dot2_flush, 4),
            Kernel::Dot3Flush => lane_wise!(dot3_flush, [0 1 2 3 4 5]),
            Kernel::Dot4Flush => lane_wise!(dot4_flush, [0 1 2 3 4 5 6 7]),
            Kernel::Chain2Flush => lane_wise!(chain2_flush, [0 1 2 3 4]),
            Kernel::Chain3Flush => lane_wise!(chain3_flush, [0 1 2 3 4 5 6]),
            Kernel::Flip => {
                let lanes = u64::from(inst.src[0]) | u64::from(inst.src[1]) << 32;
                for (lane, value) in target!(rows, inst).iter_mut().enumerate() {
                    *value ^= if lanes >> lane & 1 == 1 { inst.imm } else { 0 };
                }
            }
            Kernel::UniformAt => {
                lanes::uniform_at(m.env, N, target!(rows, inst), source!(rows, inst.src[0]), inst.imm);
            }
            Kernel::QuadInput => {
                quad::other_lane::<N>(target!(rows, inst), source!(rows, inst.src[0]), inst.imm);
            }
            Kernel::DdxFine => {
                derivative::<N>(m, target!(rows, inst), source!(rows, inst.src[0]), true, true);
            }
            Kernel::DdxCoarse => {
                derivative::<N>(m, target!(rows, inst), source!(rows, inst.src[0]), true, false);
            }
            Kernel::DdyFine => {
                derivative::<N>(m, target!(rows, inst), source!(rows, inst.src[0]), false, true);
            }
            Kernel::DdyCoarse => {
                derivative::<N>(m, target!(rows, inst), source!(rows, inst.src[0]), false, false);
            }
            Kernel::Load => lanes::load(m.rows, N, plan.arrays()[inst.imm as usize], *inst),
            Kernel::Store => {
                lanes::store(m.rows, m.control.active, plan.arrays()[inst.imm as usize], *inst);
            }
            Kernel::Sample => lanes::texture::<N>(m, m.control.active, *inst),
            Kernel::Fetch => lanes::buffer(m, m.control.active, *inst),
            Kernel::Effect => lanes::effect(m, m.control.active, *inst),
            Kernel::Fuel => m.control.take_fuel::<N>(inst.imm),
            Kernel::Kill => {
                m.control.end.killed |= m.control.active & lanes_of::<N>(source!(rows, inst.src[0]));
            }
        }
        if restore {
            let rows: *mut Row = m.rows.as_mut_ptr();
            let control = &*m.control;
            let d = target!(rows, inst);
            for i in 0..N {
                d[i] = control.mask.0[i] & d[i] | !control.mask.0[i] & control.saved.0[i];
            }
        }
    }
}

#[inline(always)]
fn derivative<const N: usize>(m: &Machine<'_>, d: &mut [u32; WIDTH], a: &[u32; WIDTH], x: bool, fine: bool) {
    let active = if m.plan.quads() { m.control.active } else { 0 };
    quad::derivative::<N>(d, a, active, x, fine);
}
