//! Register names in assembly text, by stage, for assembler and disassembler. The names of sampler options are declared with the sampler's fields in
//! [`word`](super::word).

use super::program::File;
use super::registers::{FURTHER_COLOURS, REGISTER_NAMES};
use crate::isa::{Stage, component};

/// Returns the printed name of a register file, without a register number.
pub(super) fn file_name(file: File, stage: Stage) -> &'static str {
    // Every stage but fragment uses the names of vertex programs.
    let stage = if stage == Stage::Fragment { stage } else { Stage::Vertex };
    REGISTER_NAMES
        .iter()
        .find(|r| r.file == file && r.stage.is_none_or(|s| s == stage))
        .map_or("?", |r| r.name)
}

/// Returns the printed name of a register.
///
/// Registers that exist only once are printed without a number: `op`, `oc`, `fd`, `iid`. The further colours are `fo1` to `fo3` in every version. A
/// number that does not exist is still printed, as in `op1`.
pub(super) fn register_name(file: File, number: u16, stage: Stage) -> String {
    let name = file_name(file, stage);
    match (file, number) {
        (File::Output | File::Depth | File::Instance, 0) => name.to_owned(),
        (File::Output, _) if stage == Stage::Fragment => format!("{FURTHER_COLOURS}{number}"),
        _ => format!("{name}{number}"),
    }
}

/// The prefix of the option that sets bits 24 to 31 of a sampler, such as `padding_e4`; two hexadecimal digits follow. The bits should be zero, but
/// Adobe's C++ assembler encodes a swizzle in them.
pub(super) const PADDING: &str = "padding_";

/// The letters of the components, in both alphabets.
pub(super) const LETTERS: [[char; 4]; 2] = [component::LETTERS, component::COLOUR_LETTERS];

/// Returns the printed name of an output slot.
pub(super) fn output_name(stage: Stage, slot: u16) -> String {
    match (stage, slot) {
        (Stage::Fragment, 4) => register_name(File::Depth, 0, stage),
        (Stage::Fragment, _) | (_, 0) => register_name(File::Output, slot, stage),
        _ => register_name(File::Varying, slot - 1, stage),
    }
}

/// Returns the printed name of an input slot.
pub(super) fn input_name(stage: Stage, slot: u16) -> String {
    match (stage, slot) {
        (_, 32) => register_name(File::Instance, 0, stage),
        (Stage::Fragment, _) => register_name(File::Varying, slot, stage),
        _ => register_name(File::Attribute, slot, stage),
    }
}

/// Returns the printed name of a constant.
pub(super) fn constant_name(stage: Stage, slot: i32) -> String {
    format!("{}{slot}", file_name(File::Constant, stage))
}
