//! Tests of compiled code, decoded by an independent decoder, and of limits.

use super::*;
use crate::exec::{Planner, WIDTH, plan};
use crate::ir::random::{Rules, Source, program};
use iced_x86::{
    CpuidFeature, Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, OpAccess,
    Register,
};

/// Whether a level includes a feature: those that [`Level::is_available`] checks, and the baseline.
fn includes_feature(level: Level, feature: CpuidFeature) -> bool {
    use CpuidFeature::*;
    match feature {
        INTEL8086 | INTEL386 | X64 | AVX | AVX2 | FMA => true,
        AVX512F | AVX512VL | AVX512DQ | AVX512BW => level == Level::Jit512,
        _ => false,
    }
}

/// The instructions of compiled code, without its constants.
fn instructions(compiled: &Compiled) -> Vec<Instruction> {
    let code = &compiled.bytes()[..compiled.compiler.code.end()];
    let mut all = Vec::new();
    let mut decoder = Decoder::new(64, code, DecoderOptions::NONE);
    while decoder.can_decode() {
        all.push(decoder.decode());
    }
    all
}

/// Panics if an instruction does not belong to the level, or accesses anything that compiled code may not.
fn inspect(
    level: Level,
    plan: &Plan,
    compiled: &Compiled,
    instruction: &Instruction,
    info: &mut InstructionInfoFactory,
) {
    assert!(!instruction.is_invalid(), "at {:#x}", instruction.ip());
    for feature in instruction.cpuid_features() {
        assert!(includes_feature(level, *feature), "{instruction}: {feature:?}");
    }
    let used = info.info(instruction);
    for register in used.used_registers() {
        let writes = !matches!(register.access(), OpAccess::Read | OpAccess::CondRead);
        let register = register.register().full_register();
        let returns = instruction.flow_control() == FlowControl::Return;
        let may_change = register.is_vector_register()
            || register.is_k()
            || (returns && register == Register::RSP)
            || [
                Register::RCX,
                Register::RSI,
                Register::RDI,
                Register::R8,
                Register::R9,
                Register::R10,
                Register::R11,
            ]
            .contains(&register);
        assert!(may_change || !writes, "{instruction} changes {register:?}");
        // The mask of the active lanes (K1) must not be changed, except where it is loaded from ESI.
        assert!(
            register != Register::K1 || !writes || instruction.op1_register() == Register::ESI,
            "{instruction}"
        );
    }
    for memory in used.used_memory() {
        let (displacement, size) = (memory.displacement() as i32, memory.memory_size().size() as i32);
        let writes = !matches!(memory.access(), OpAccess::Read | OpAccess::CondRead);
        let rows = |count: usize| 0 <= displacement && displacement + size <= (count * 4 * WIDTH) as i32;
        let inside = match memory.base() {
            Register::RDI if size == 8 => !writes && displacement < size_of::<Frame>() as i32,
            Register::RDI => !writes && rows(plan.rows() as usize),
            Register::R8 => rows(plan.rows() as usize),
            Register::R9 => !writes && rows(plan.inputs().len()),
            Register::R10 => rows(plan.outputs().len()),
            Register::R11 => !writes && rows(1),
            Register::None => !writes && (displacement as usize + size as usize) <= compiled.bytes().len(),
            Register::RSP => instruction.flow_control() == FlowControl::Return,
            _ => false,
        };
        assert!(inside, "{instruction}");
    }
    if matches!(instruction.flow_control(), FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch)
    {
        assert!(instruction.near_branch_target() < compiled.compiler.code.end() as u64, "{instruction}");
    }
}

fn levels() -> impl Iterator<Item = Level> {
    Level::available().filter(|level| level.is_compiled())
}

#[test]
fn an_independent_decoder_finds_only_allowed_instructions_and_accesses() {
    let (mut planner, mut plan, mut info) =
        (Planner::default(), Plan::default(), InstructionInfoFactory::new());
    for level in levels() {
        let (mut compiled, mut read) = (Compiled::default(), 0);
        for seed in 0..200 {
            planner.plan(&program(&mut Source::seeded(seed), Rules::Lax), &mut plan);
            compiled.replace(&plan, level).unwrap();
            for instruction in instructions(&compiled) {
                inspect(level, &plan, &compiled, &instruction, &mut info);
                read += 1;
            }
        }
        assert!(read > 20_000, "{read}");
    }
}

#[test]
fn lane_wise_kernels_are_compiled_except_the_elementary_functions() {
    let elementary = [Kernel::Exp2, Kernel::Log2, Kernel::Sin, Kernel::Cos];
    for kernel in Kernel::ALL {
        let expected = kernel.is_lane_wise() && !elementary.contains(kernel);
        assert_eq!(kernels::is_compiled(*kernel), expected, "{kernel:?}");
    }
}

#[test]
fn a_level_without_a_compiler_is_refused() {
    let plan = plan(&program(&mut Source::seeded(1), Rules::Lax));
    for level in [Level::Portable, Level::Avx2, Level::Avx512] {
        assert!(matches!(Compiled::new(&plan, level), Err(CompileError::Level(l)) if l == level));
    }
}

#[test]
fn code_size_grows_linearly_with_the_plan() {
    let plan_of = |n: u32| {
        let mut b = crate::ir::Builder::new(1);
        let var = b.var(crate::ir::VarKey { file: 0, index: 0, component: 0 }, crate::ir::Ty::F32, 0);
        let mut x = b.op(crate::ir::Op::Input(0), &[]);
        for k in 0..n {
            let y = b.op(crate::ir::Op::Input((k % 40) as u16), &[]);
            let product = b.mul(x, y);
            x = b.op(crate::ir::Op::Max, &[product, y]);
        }
        b.write(var, x);
        b.output(0, var);
        b.end_block(0, crate::ir::Terminator::Return);
        plan(&b.finish(crate::ir::BlockId(0)))
    };
    for level in levels() {
        let size = |n| Compiled::new(&plan_of(n), level).unwrap().code_bytes();
        let (small, large) = (size(1000), size(4000));
        assert!(large < 5 * small, "{small} {large}");
    }
}

#[test]
fn code_belongs_to_plans_of_its_size() {
    let [own, other] = [1, 2].map(|seed| plan(&program(&mut Source::seeded(seed), Rules::Lax)));
    assert_ne!(extent(&own), extent(&other));
    for level in levels() {
        let compiled = Compiled::new(&own, level).unwrap();
        assert!(compiled.fits(&own) && !compiled.fits(&other));
        assert!(!Compiled::default().fits(&Plan::default()));
    }
}

#[test]
fn a_rounded_dot_product_fits_in_the_registers_beside_its_operands_for_a_part_of_the_lanes() {
    use crate::ir::{BlockId, Builder, Flush, Op, Terminator, Ty, Value, VarKey};
    use crate::value::{FCmp, FUn, Narrow};
    let mut b = Builder::new(1);
    let vars = [0, 1].map(|index| b.var(VarKey { file: 0, index, component: 0 }, Ty::F32, 0));
    let (x, y) = (b.op(Op::Input(0), &[]), b.op(Op::Input(1), &[]));
    let condition = b.cmp(FCmp::Lt, x, y);
    b.end_block(0, Terminator::Branch(condition, BlockId(1), BlockId(2)));
    let round = |b: &mut Builder, value: Value| {
        let narrow = b.un(FUn::Narrow(Narrow::F24Zero), value);
        b.op(Op::Flush(Flush::F24Unsigned), &[narrow])
    };
    // The operands are computed before and used after the dot product, so that all are in registers.
    let operands: Vec<Value> = (0..8)
        .map(|k| {
            let x = b.op(Op::Input(k), &[]);
            b.un(FUn::Sqrt, x)
        })
        .collect();
    let mut sum = None;
    for pair in operands.chunks(2) {
        let product = b.op(Op::MulzInf, pair);
        let product = round(&mut b, product);
        sum = Some(match sum {
            None => product,
            Some(sum) => {
                let sum = b.add(sum, product);
                round(&mut b, sum)
            }
        });
    }
    b.write(vars[0], sum.unwrap());
    let least = operands.iter().copied().reduce(|a, c| b.op(Op::Min, &[a, c])).unwrap();
    b.write(vars[1], least);
    b.end_block(1, Terminator::Jump(BlockId(2)));
    b.end_block(2, Terminator::Return);
    vars.iter().enumerate().for_each(|(k, var)| b.output(k as u16, *var));
    let plan = plan(&b.finish(BlockId(0)));
    assert!(plan.code().iter().any(|inst| inst.kernel == Kernel::Dot4F24), "{plan:#?}");
    for level in levels() {
        assert!(Compiled::new(&plan, level).is_ok(), "{level:?}");
    }
}
