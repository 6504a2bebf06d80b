//! The interface of a program: its inputs, outputs and resources.
//!
//! Inputs 64 and up are the initial values of temporaries, if the entry lists them.

use super::limits::count;
use super::program::{File, Program};
use super::reads::{is_file, reads_under_any_options};
use crate::isa::{Entry, Interface, Port, Stage};
use std::collections::{BTreeMap, BTreeSet};

/// The input slot of the instance number; attribute n and varying n have slot n.
pub const INSTANCE_SLOT: u16 = 32;
/// The output slot of the position; varying n has slot n + 1.
pub const POSITION_SLOT: u16 = 0;
/// The output slot of the fragment's depth; colour n has slot n.
pub const DEPTH_SLOT: u16 = 4;

/// Returns the only entry of a program, which has the stage and version of the header and starts at the first instruction.
pub fn entries(program: &Program) -> Vec<Entry> {
    vec![Entry {
        stage: program.stage,
        start: 0,
        version: program.version,
        interface: interface(program),
        extra: [0; 4],
    }]
}

/// Returns the slot of an input register; `None` if it exists in no version.
pub fn input_slot(stage: Stage, file: File, number: u16) -> Option<u16> {
    let fragment = stage == Stage::Fragment;
    match file {
        File::Attribute if !fragment && number < 16 => Some(number),
        File::Varying if fragment && number < 10 => Some(number),
        File::Instance if !fragment && number == 0 => Some(INSTANCE_SLOT),
        _ => None,
    }
}

/// Returns the slot of an output register; `None` if it exists in no version.
pub fn output_slot(stage: Stage, file: File, number: u16) -> Option<u16> {
    match (stage == Stage::Fragment, file) {
        (false, File::Output) if number == 0 => Some(POSITION_SLOT),
        (false, File::Varying) if number < 10 => Some(number + 1),
        (true, File::Output) if number < DEPTH_SLOT => Some(number),
        (true, File::Depth) if number == 0 => Some(DEPTH_SLOT),
        _ => None,
    }
}

/// Collects the registers that a program reads and writes on any path. Inputs and outputs that no version has are
/// ignored, and constants and samplers that this version does not have.
fn interface(program: &Program) -> Interface {
    let Program { version, stage, ref tokens } = *program;
    let all = count(version, stage, File::Constant);
    let mut inputs = BTreeMap::<u16, u8>::new();
    let mut outputs = BTreeMap::<u16, u8>::new();
    let mut samplers = BTreeSet::new();
    let mut constants = 0;
    for token in tokens {
        reads_under_any_options(token, |read| {
            let Some(file) = File::from_number(read.file) else { return };
            match (file, read.number) {
                // An index can reach every constant.
                (File::Constant, None) => constants = all,
                (File::Constant, Some(number)) if number < all => constants = constants.max(number + 1),
                (_, Some(number)) => {
                    if let Some(slot) = input_slot(stage, file, number) {
                        *inputs.entry(slot).or_default() |=
                            if file == File::Instance { 1 } else { read.mask };
                    }
                }
                _ => {}
            }
        });
        let Some(op) = token.op() else { continue };
        if op.has_dest()
            && let Some(file) = File::from_number(token.dest.file)
            && let Some(slot) = output_slot(stage, file, token.dest.number)
        {
            *outputs.entry(slot).or_default() |= token.dest.mask;
        }
        if let Some(sampler) = token.sampler()
            && is_file(sampler.file, File::Sampler)
            && sampler.number < count(version, stage, File::Sampler)
        {
            samplers.insert(sampler.number as u8);
        }
    }
    let ports =
        |slots: BTreeMap<u16, u8>| slots.into_iter().map(|(slot, mask)| Port { slot, mask }).collect();
    Interface {
        inputs: ports(inputs),
        outputs: ports(outputs),
        constants,
        ints: 0,
        bools: 0,
        samplers: samplers.into_iter().collect(),
    }
}
