//! Lanes that do not fill their last quad: helpers with inputs of zero complete it, in the executor and in the evaluator.

use lockstep_core::exec::{Batch, Level, plan};
use lockstep_core::host::{Environment, LaneInput};
use lockstep_core::ir::{Builder, Op, Terminator, Ty, VarKey};

/// Returns a program whose output is the derivative in x of input 0.
fn derivative() -> lockstep_core::ir::Program {
    let mut b = Builder::new(4);
    let out = b.var(VarKey { file: 0, index: 0, component: 0 }, Ty::F32, 0);
    b.output(0, out);
    let input = b.op(Op::Input(0), &[]);
    let change = b.op(Op::Ddx { fine: true }, &[input]);
    b.write(out, change);
    let entry = b.end_block(0, Terminator::Return);
    b.finish(entry)
}

#[test]
fn the_last_quad_is_completed_with_zeros() {
    let plan = plan(&derivative());
    let mut batch = Batch::new();
    for level in Level::available() {
        // Longer runs first, so that rows contain stale numbers in the helpers' lanes.
        for lanes in [130usize, 67, 64, 13, 11, 7, 3, 2, 1] {
            let lane = |l: usize| LaneInput { slots: vec![[(l * l + 1) as f32, 0.0, 0.0, 0.0]] };
            let env = Environment { lanes: (0..lanes).map(lane).collect(), ..Environment::default() };
            batch.run(&plan, &env, level);
            for l in 0..lanes {
                // Definition of Ddx: the right neighbour's value minus the left one's, where a helper's value is 0.
                let value = |l: usize| if l < lanes { (l * l + 1) as f32 } else { 0.0 };
                let expected = value(l | 1) - value(l & !1);
                assert_eq!(batch.output(l, 0), expected, "{level:?}, lane {l} of {lanes}");
            }
        }
    }
}
