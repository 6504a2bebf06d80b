//! Settings of the integer and Boolean constants that control loops and branches, for runs of whole programs.

use lockstep_core::host::Environment;
use lockstep_core::ir::{self, Op};
use lockstep_core::isa::{Context, Format};

/// The number of integer constants, and of Boolean constants, in a setting.
const SLOTS: usize = 256;

/// Returns the setting with this number, from 0 to 2: loop counts are `number`, and conditions are false, true, or true in every second slot.
pub(super) fn control_constants(number: usize) -> Environment {
    let ints = (0..SLOTS).map(|slot| [number as i32, 1, 1 + slot as i32 % 2, 1]).collect();
    let bools = (0..SLOTS).map(|slot| [false, true, slot % 2 == 0][number % 3]).collect();
    Environment { ints, bools, ..Environment::default() }
}

/// Describes a control constant that has the same value in all these settings although the program does not define it; `None` if there is none.
/// Boolean constants must be both false and true, and loop counts must differ. Only constants that the lowered program reads are checked.
pub(super) fn find_unvaried_constant<I: Format>(
    cx: &Context<'_, I>,
    program: &ir::Program,
    settings: &[Environment],
) -> Option<String> {
    // Constants fixed by the program have their value in every setting.
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
    let controls_flow = |op: &Op| match op {
        Op::BoolUniform(_) => true,
        // The loop count; the other components are the start and the step of the loop counter.
        Op::IntUniform(n) => n % 4 == 0,
        _ => false,
    };
    let mut all = program.insts.iter().map(|inst| inst.op).filter(controls_flow);
    let only = all.find(|op| varies(&free, *op) && !varies(settings, *op))?;
    Some(format!("{only:?} with more than one value"))
}
