use super::*;
use crate::ir::{BlockId, Builder, Op, Program, Terminator, Ty, VarKey};

/// Returns a program with three blocks, a branch, a dot product, an array and an output.
fn sample() -> Program {
    let mut b = Builder::new(1);
    let x = b.op(Op::Input(0), &[]);
    let y = b.op(Op::Input(5), &[]);
    let (p, q) = (b.mul(x, y), b.mul(y, y));
    let sum = b.add(p, q);
    let more = b.mul(sum, x);
    let sum = b.add(more, sum);
    let third = b.mul(x, x);
    let sum = b.add(sum, third);
    let array = b.array(0, 3);
    let index = b.op(Op::TruncI, &[x]);
    b.op(Op::Store(array), &[index, sum]);
    let element = b.op(Op::Load(array), &[index]);
    let var = b.var(VarKey { file: 0, index: 0, component: 0 }, Ty::F32, 0);
    b.write(var, element);
    b.output(0, var);
    let condition = b.cmp(crate::value::FCmp::Lt, x, y);
    b.end_block(0, Terminator::Branch(condition, BlockId(1), BlockId(2)));
    let value = b.read(var);
    let index = b.i(1);
    let other = b.op(Op::Load(array), &[index]);
    let value = b.add(value, other);
    b.write(var, value);
    b.end_block(1, Terminator::Jump(BlockId(2)));
    b.end_block(2, Terminator::Return);
    b.finish(BlockId(0))
}

#[test]
fn a_sound_plan_names_rows_that_exist_and_do_not_overlap() {
    let good = plan(&sample());
    assert!(good.is_sound());
    let rows = good.rows();
    assert!(good.code().iter().any(|i| i.n > 0), "no instruction uses the pool: {good:#?}");
    for at in 0..good.code().len() {
        let inst = good.code()[at];
        if inst.kernel.has_row() {
            let mut bad = good.clone();
            bad.code[at].dst = rows;
            assert!(!bad.is_sound(), "{inst:?}");
        }
        for k in 0..inst.kernel.operands() {
            let mut bad = good.clone();
            bad.code[at].src[k] = rows;
            assert!(!bad.is_sound(), "{inst:?}");
            if inst.kernel.has_row() {
                bad.code[at].src[k] = inst.dst;
                assert!(!bad.is_sound(), "{inst:?}");
            }
        }
        for k in inst.pool_range() {
            let mut bad = good.clone();
            for row in [rows, inst.dst] {
                bad.pool[k] = row;
                assert!(!bad.is_sound(), "{inst:?}");
            }
        }
        if inst.n > 0 {
            let mut bad = good.clone();
            bad.code[at].imm = bad.pool.len() as u32;
            assert!(!bad.is_sound(), "{inst:?}");
            bad = good.clone();
            bad.code[at].n -= 1;
            assert!(!bad.is_sound(), "{inst:?}");
        }
        if matches!(inst.kernel, Kernel::Load | Kernel::Store) {
            let mut bad = good.clone();
            bad.code[at].imm = 1;
            assert!(!bad.is_sound(), "{inst:?}");
        }
    }
    let corruptions: [fn(&mut Plan); 9] = [
        |p| p.entry = p.blocks.len() as u32,
        |p| p.blocks[0].end = p.code.len() as u32 + 1,
        |p| p.blocks[0].terminator = PlanTerminator::Jump(p.blocks.len() as u32),
        |p| p.blocks[0].terminator = PlanTerminator::Branch { condition: p.rows, yes: 0, no: 0 },
        |p| p.blocks[0].terminator = PlanTerminator::Switch { index: 0, start: 0, len: 1 },
        |p| p.arrays[0].len = p.rows + 1,
        |p| p.inputs[0].1 = p.rows,
        |p| p.outputs[0].1 = p.rows,
        |p| p.scalars.push((p.rows, Scalar::Bits(0))),
    ];
    for (k, corrupt) in corruptions.into_iter().enumerate() {
        let mut bad = good.clone();
        corrupt(&mut bad);
        assert!(!bad.is_sound(), "{k}");
    }
}

/// Returns the plan of a sum of four products in which `rounding` is applied to the result of each step.
fn rounded_sum(product: Op, rounding: &[Op]) -> Plan {
    let mut b = Builder::new(1);
    let round = |b: &mut Builder, value| rounding.iter().fold(value, |value, op| b.op(*op, &[value]));
    let mut sum = None;
    for k in 0..4 {
        let args = [b.op(Op::Input(k), &[]), b.op(Op::Input(k + 4), &[])];
        let value = b.op(product, &args);
        let value = round(&mut b, value);
        sum = Some(match sum {
            None => value,
            Some(sum) => {
                let sum = b.add(sum, value);
                round(&mut b, sum)
            }
        });
    }
    let var = b.var(VarKey { file: 0, index: 0, component: 0 }, Ty::F32, 0);
    b.write(var, sum.unwrap());
    b.output(0, var);
    b.end_block(0, Terminator::Return);
    plan(&b.finish(BlockId(0)))
}

#[test]
fn rounded_products_of_a_sum_become_one_instruction_with_all_their_roundings() {
    use crate::ir::Flush;
    use crate::value::{FUn, Narrow};
    let f24 = [Op::Un(FUn::Narrow(Narrow::F24Zero)), Op::Flush(Flush::F24Unsigned)];
    let flush = [Op::Flush(Flush::Subnormal)];
    let kernels = |plan: Plan| plan.code().iter().map(|i| i.kernel).collect::<Vec<_>>();
    assert_eq!(kernels(rounded_sum(Op::MulzInf, &f24)), [Kernel::Dot4F24]);
    assert_eq!(kernels(rounded_sum(Op::Mul, &flush)), [Kernel::Dot4Flush]);
    // There are no combined kernels for these two pairs of product and rounding.
    assert!(kernels(rounded_sum(Op::Mul, &f24)).len() > 4);
    assert!(kernels(rounded_sum(Op::MulzInf, &[Op::Flush(Flush::F24)])).len() > 4);
}

#[test]
fn products_of_a_sum_become_one_instruction() {
    let plan = plan(&sample());
    let kernels: Vec<Kernel> = plan.code().iter().map(|i| i.kernel).collect();
    assert!(kernels.contains(&Kernel::Dot2), "{kernels:?}");
    assert!(kernels.contains(&Kernel::Chain2), "{kernels:?}");
    assert!(
        !kernels.contains(&Kernel::Mul) && kernels.iter().filter(|k| **k == Kernel::Add).count() == 1,
        "{kernels:?}"
    );
}
