//! Constants that steer control, in the settings that whole programs are run with.

use lockstep_core::host::Environment;
use lockstep_core::ir::{self, Op};
use lockstep_core::isa::{Context, Isa};

/// Slots of those constants.
const SLOTS: usize = 256;

/// Integer and Boolean constants: loops of no pass, of one and of two, conditions that are false, true, and true in every second slot.
pub(super) fn control(number: usize) -> Environment {
    let ints = (0..SLOTS).map(|slot| [number as i32, 1, 1 + slot as i32 % 2, 1]).collect();
    let bools = (0..SLOTS).map(|slot| [false, true, slot % 2 == 0][number % 3]).collect();
    Environment { ints, bools, ..Environment::default() }
}

/// A constant that steers control and has but one value in all these settings, though the program does not say so itself: Boolean constants are
/// to have been both, loops to have been run a different number of times. Which constants there are is read from the lowered program.
pub(super) fn missed<I: Isa>(
    cx: &Context<'_, I>,
    program: &ir::Program,
    settings: &[Environment],
) -> Option<String> {
    // What the program says of its own constants holds in every setting.
    let free = |number: usize| {
        let mut own = Environment { ints: vec![[number as i32; 4]; SLOTS], ..Environment::default() };
        own.bools = vec![number > 0; SLOTS];
        I::preset(cx.program, cx.entry, &mut own);
        own
    };
    let free = [free(0), free(1)];
    let varies = |all: &[Environment], op: Op| {
        let value = |env: &Environment| match op {
            Op::BoolUniform(n) => env.bools.get(usize::from(n)).map(|v| i32::from(*v)),
            Op::IntUniform(n) => env.ints.get(usize::from(n / 4)).map(|v| v[usize::from(n % 4)]),
            _ => None,
        };
        all.iter().any(|env| value(env) != value(&all[0]))
    };
    let steers = |op: &Op| match op {
        Op::BoolUniform(_) => true,
        // The number of passes; the others are where a loop begins to count and by what.
        Op::IntUniform(n) => n % 4 == 0,
        _ => false,
    };
    let mut all = program.insts.iter().map(|inst| inst.op).filter(steers);
    let only = all.find(|op| varies(&free, *op) && !varies(settings, *op))?;
    Some(format!("{only:?} with more than one value"))
}
