//! Streams in every floating-point mode of the caller.

use lockstep_core::exec::{Batch, CallerMode, Compiled, Level, WIDTH, plan};
use lockstep_core::host::Environment;
use lockstep_core::ir::{BlockId, Builder, Op, Program, Terminator, Ty, VarKey};

/// The two operands of each lane: their quotient is 1/3, and half of the first is a subnormal number.
const OPERANDS: [f32; 2] = [f32::MIN_POSITIVE, 3.0 * f32::MIN_POSITIVE];

/// Builds a program whose outputs are the quotient of the inputs and half of the first input. With `fuel`, its lanes may end early.
fn program(fuel: bool) -> Program {
    let mut b = Builder::new(1);
    let [x, y] = [0, 1].map(|k| b.op(Op::Input(k), &[]));
    if fuel {
        b.op(Op::Fuel(1), &[]);
    }
    let half = b.f(0.5);
    let values = [b.div(x, y), b.mul(x, half)];
    for (number, value) in (0..).zip(values) {
        let var = b.var(VarKey { file: 0, index: number, component: 0 }, Ty::F32, 0);
        b.write(var, value);
        b.output(number, var);
    }
    b.end_block(0, Terminator::Return);
    b.finish(BlockId(0))
}

#[test]
fn streams_are_right_in_every_floating_point_mode_of_the_caller() {
    // 1/3 to nearest, and 2^-127.
    let expected = [0x3eaa_aaab, 0x0040_0000];
    let env = Environment { fuel: 1, ..Environment::default() };
    for plan in [false, true].map(|fuel| plan(&program(fuel))) {
        for lanes in [1, 8, 16, 17, 64, 65, 130] {
            let blocks = usize::div_ceil(lanes, WIDTH);
            let inputs: Vec<f32> = (0..2 * blocks * WIDTH).map(|n| OPERANDS[n / WIDTH % 2]).collect();
            for (mode, level) in
                CallerMode::ALL.into_iter().flat_map(|mode| Level::available().map(move |l| (mode, l)))
            {
                let compiled = level.is_compiled().then(|| Compiled::new(&plan, level).unwrap());
                // Once given only the level, so that the call compiles the plan itself if the level needs it, and once with code compiled above.
                for code in [None, compiled.as_ref()] {
                    let (mut batch, mut outputs) = (Batch::new(), vec![0.0; 2 * blocks * WIDTH]);
                    let ((), kept) = mode.during(|| match code {
                        Some(code) => batch.stream_compiled(&plan, &env, code, &inputs, &mut outputs, lanes),
                        None => batch.stream(&plan, &env, level, &inputs, &mut outputs, lanes),
                    });
                    assert!(kept, "{mode:?}, {level:?}, {lanes} lanes: the caller's mode is not restored");
                    for lane in 0..lanes {
                        let value =
                            |k: usize| outputs[(lane / WIDTH * 2 + k) * WIDTH + lane % WIDTH].to_bits();
                        assert_eq!(
                            [value(0), value(1)],
                            expected,
                            "{mode:?}, {level:?}, lane {lane} of {lanes}"
                        );
                    }
                }
            }
        }
    }
}
