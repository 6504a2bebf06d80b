//! The check of exp2, log2, sin and cos on chosen arguments against results from independent calculations.
//!
//! All engines share one implementation, so a comparison of engines cannot find its errors. The expected results are the true values, computed to
//! 1,200 bits and rounded to nearest even, as [`crate::value::elementary`] defines the results. Arguments of sin and cos are on both sides of 2^20,
//! where the argument reduction changes.

use super::run_result::RunResult;
use crate::exec::{Batch, Level, plan};
use crate::host::{Environment, LaneInput};
use crate::ir::{BlockId, Builder, Op, Program, Terminator, Ty, VarKey};
use crate::value::FUn;

/// Function, argument and result, as bits.
const VECTORS: [(FUn, u32, u32); 52] = [
    (FUn::Sin, 0x3f80_0000, 0x3f57_6aa4),
    (FUn::Cos, 0x3f80_0000, 0x3f0a_5140),
    (FUn::Sin, 0x4049_0fdb, 0xb3bb_bd2e),
    (FUn::Cos, 0x4049_0fdb, 0xbf80_0000),
    (FUn::Sin, 0x3fc9_0fdb, 0x3f80_0000),
    (FUn::Cos, 0x3fc9_0fdb, 0xb33b_bd2e),
    (FUn::Sin, 0x42c8_0000, 0xbf01_a12e),
    (FUn::Cos, 0x42c8_0000, 0x3f5c_c0ee),
    (FUn::Sin, 0x4980_0000, 0x3ea9_3666),
    (FUn::Cos, 0x4980_0000, 0x3f71_9d6d),
    (FUn::Sin, 0x4980_0001, 0x3ee4_2388),
    (FUn::Cos, 0x4980_0001, 0x3f65_2e79),
    (FUn::Sin, 0x497f_ffff, 0x3e8a_b32c),
    (FUn::Cos, 0x497f_ffff, 0x3f76_6d7a),
    (FUn::Sin, 0x4b00_0001, 0xbf06_7728),
    (FUn::Cos, 0x4b00_0001, 0xbf59_d77f),
    (FUn::Sin, 0x4c5e_1a3b, 0xbf32_be26),
    (FUn::Cos, 0x4c5e_1a3b, 0x3f37_4483),
    (FUn::Sin, 0x5000_0000, 0x3f51_c81c),
    (FUn::Cos, 0x5000_0000, 0x3f12_b918),
    (FUn::Sin, 0x5a2b_19c7, 0xbf4d_9ce8),
    (FUn::Cos, 0x5a2b_19c7, 0x3f18_8295),
    (FUn::Sin, 0x60ad_78ec, 0x3f28_1569),
    (FUn::Cos, 0x60ad_78ec, 0x3f41_1723),
    (FUn::Sin, 0x6a09_e667, 0xbf42_d841),
    (FUn::Cos, 0x6a09_e667, 0x3f26_0bf9),
    (FUn::Sin, 0x71a2_b3c5, 0x3f44_1346),
    (FUn::Cos, 0x71a2_b3c5, 0xbf24_9785),
    (FUn::Sin, 0x7b3f_00d1, 0xbf57_7af1),
    (FUn::Cos, 0x7b3f_00d1, 0xbf0a_37dc),
    (FUn::Sin, 0x7f7f_ffff, 0xbf05_99b3),
    (FUn::Cos, 0x7f7f_ffff, 0x3f5a_5f96),
    (FUn::Sin, 0xcb99_aa77, 0x3b17_2d0d),
    (FUn::Cos, 0xcb99_aa77, 0xbf7f_ffd3),
    (FUn::Sin, 0xf149_f2ca, 0x3f4a_89b0),
    (FUn::Cos, 0xf149_f2ca, 0xbf1c_9222),
    (FUn::Exp2, 0x3f00_0000, 0x3fb5_04f3),
    (FUn::Exp2, 0x4020_0000, 0x40b5_04f3),
    (FUn::Exp2, 0xc120_0001, 0x3a7f_fff5),
    (FUn::Exp2, 0x42fe_0000, 0x7f00_0000),
    (FUn::Exp2, 0x42ff_ffff, 0x7f7f_ffa7),
    (FUn::Exp2, 0xc2fc_8000, 0x006b_a27e),
    (FUn::Exp2, 0xc314_3333, 0x0000_0002),
    (FUn::Exp2, 0x3a00_0000, 0x3f80_0b18),
    (FUn::Log2, 0x3f80_0001, 0x3438_aa3a),
    (FUn::Log2, 0x4040_0000, 0x3fca_e00d),
    (FUn::Log2, 0x0000_0001, 0xc315_0000),
    (FUn::Log2, 0x007f_ffff, 0xc2fc_0000),
    (FUn::Log2, 0x7f7f_ffff, 0x4300_0000),
    (FUn::Log2, 0x3f7f_ffff, 0xb3b8_aa3c),
    (FUn::Log2, 0x4120_0000, 0x4054_9a78),
    (FUn::Log2, 0x2f3f_abcd, 0xc201_ab88),
];

/// Numbers of lanes in a batch: one more than a full block, and one.
const SIZES: [usize; 2] = [65, 1];

fn program(op: FUn) -> Program {
    let mut b = Builder::new(1);
    let x = b.op(Op::Input(0), &[]);
    let result = b.un(op, x);
    let var = b.var(VarKey { file: 0, index: 0, component: 0 }, Ty::F32, 0);
    b.write(var, result);
    b.output(0, var);
    b.end_block(0, Terminator::Return);
    b.finish(BlockId(0))
}

/// Checks every engine against every vector. Returns the number of results compared for each engine, and a message for each failed vector.
pub fn functions(levels: &[Level]) -> (u64, Vec<String>) {
    let (mut batch, mut seen, mut results, mut wrong) = (Batch::new(), RunResult::default(), 0, Vec::new());
    for (op, argument, expected) in VECTORS {
        let program = program(op);
        let plan = plan(&program);
        let mut differs = None;
        for lanes in SIZES {
            let slots = vec![[f32::from_bits(argument); 4]];
            let env = Environment { lanes: vec![LaneInput { slots }; lanes], ..Environment::default() };
            let mut compare = |engine: &str, seen: &RunResult| {
                for (lane, at) in seen.starts.iter().enumerate() {
                    // The lane's first three words are how it ended, its kill mark and the number of its effects. The output follows.
                    let got = seen.words[*at as usize + 3];
                    results += 1;
                    if got != expected {
                        differs.get_or_insert(format!(
                            "{op:?} of {argument:#010x}, {engine}, lane {lane}: {got:#010x}, expected {expected:#010x}"
                        ));
                    }
                }
            };
            seen.evaluate(&program, &env);
            compare("the evaluator", &seen);
            for level in levels {
                batch.run(&plan, &env, *level);
                batch.assert_compiled();
                seen.take_batch(&program, &batch);
                compare(&format!("{level:?}"), &seen);
            }
        }
        wrong.extend(differs);
    }
    (results / (1 + levels.len() as u64), wrong)
}

/// The number of vectors.
pub const FUNCTION_VECTORS: u64 = VECTORS.len() as u64;
