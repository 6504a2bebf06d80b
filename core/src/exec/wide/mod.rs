//! The wide interpreter: runs each instruction for a whole block of lanes before the next instruction.

// Most loops have a fixed length and run over several rows at once. Written with indices, they are uniform, and the compiler vectorises them.
#![allow(clippy::needless_range_loop)]

mod dispatch;
mod kernels;
mod lanes;
mod machine;
mod quad;

pub(super) use machine::{BlockEnd, Control, Machine};

use super::{Compiled, Level, WIDTH};

/// A row: one number for each lane of a block.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Row(pub(super) [u32; WIDTH]);

impl Row {
    pub(super) const ZERO: Row = Row([0; WIDTH]);
}

/// The number of lanes in a small block.
pub(super) const SMALL: usize = 8;

macro_rules! builds {
    ($(#[$attribute:meta])* $large:ident, $small:ident, $prologue:ident, $compiled:ident) => {
        $(#[$attribute])*
        fn $large(machine: &mut Machine<'_>) {
            dispatch::run::<WIDTH>(machine);
        }
        $(#[$attribute])*
        fn $small(machine: &mut Machine<'_>) {
            dispatch::run::<SMALL>(machine);
        }
        $(#[$attribute])*
        fn $prologue(machine: &mut Machine<'_>) {
            dispatch::prologue(machine);
        }
        $(#[$attribute])*
        fn $compiled(machine: &mut Machine<'_>, compiled: &Compiled, part: Part) {
            match part {
                Part::Small => dispatch::run_compiled::<SMALL>(machine, compiled),
                _ => dispatch::run_compiled::<WIDTH>(machine, compiled),
            }
        }
    };
}

builds!(portable, portable_small, portable_prologue, portable_compiled);
#[cfg(target_arch = "x86_64")]
builds!(
    #[target_feature(enable = "avx2,fma")]
    avx2,
    avx2_small,
    avx2_prologue,
    avx2_compiled
);
#[cfg(target_arch = "x86_64")]
builds!(
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")]
    avx512,
    avx512_small,
    avx512_prologue,
    avx512_compiled
);

/// The part of a machine's plan to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The prologue, on full rows.
    Prologue,
    /// The code, on [`WIDTH`] lanes.
    Large,
    /// The code, on [`SMALL`] lanes.
    Small,
}

/// Runs compiled code; `part` must not be the prologue.
pub(super) fn run_compiled(level: Level, part: Part, machine: &mut Machine<'_>, compiled: &Compiled) {
    match level.interpreter() {
        // SAFETY: the code was compiled for this level, and `Compiled::replace` checked `is_available` first. Tested by
        // `every_level_equals_the_evaluator`.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512_compiled(machine, compiled, part) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { avx2_compiled(machine, compiled, part) },
        _ => portable_compiled(machine, compiled, part),
    }
}

/// Runs a part of the machine's plan with the instructions of `level`, or with portable ones if the processor lacks them.
pub(super) fn run(level: Level, part: Part, machine: &mut Machine<'_>) {
    let level = if level.is_available() { level.interpreter() } else { Level::Portable };
    match (level, part) {
        // SAFETY: `is_available` detected the features on this processor. Tested by `every_level_equals_the_evaluator`.
        #[cfg(target_arch = "x86_64")]
        (Level::Avx512, part) => unsafe {
            match part {
                Part::Prologue => avx512_prologue(machine),
                Part::Large => avx512(machine),
                Part::Small => avx512_small(machine),
            }
        },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        (Level::Avx2, part) => unsafe {
            match part {
                Part::Prologue => avx2_prologue(machine),
                Part::Large => avx2(machine),
                Part::Small => avx2_small(machine),
            }
        },
        (_, Part::Prologue) => portable_prologue(machine),
        (_, Part::Large) => portable(machine),
        (_, Part::Small) => portable_small(machine),
    }
}
