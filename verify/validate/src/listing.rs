//! The disassembly of compiled functions.

use iced_x86::{Decoder, DecoderOptions, Formatter, IntelFormatter, Mnemonic};

/// A disassembled instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The offset of the instruction's first byte.
    pub offset: usize,
    /// The instruction's length in bytes.
    pub len: usize,
    /// The instruction in Intel syntax; addresses of constants and jump targets are offsets in the bytes.
    pub text: String,
}

/// Disassembles the function at an offset of [`lockstep_core::exec::Compiled::bytes`], up to its return. Bytes that are not an instruction give the
/// text `(bad)`.
pub fn listing(bytes: &[u8], entry: usize) -> Vec<Line> {
    let mut decoder = Decoder::new(64, bytes, DecoderOptions::NONE);
    let mut formatter = IntelFormatter::new();
    formatter.options_mut().set_first_operand_char_index(0);
    formatter.options_mut().set_space_after_operand_separator(true);
    formatter.options_mut().set_hex_prefix("0x");
    formatter.options_mut().set_hex_suffix("");
    formatter.options_mut().set_branch_leading_zeros(false);
    formatter.options_mut().set_rip_relative_addresses(false);
    formatter.options_mut().set_uppercase_hex(false);
    let mut lines = Vec::new();
    if decoder.set_position(entry).is_err() {
        return lines;
    }
    decoder.set_ip(entry as u64);
    while decoder.can_decode() {
        let offset = decoder.position();
        let instruction = decoder.decode();
        let mut text = String::new();
        formatter.format(&instruction, &mut text);
        lines.push(Line { offset, len: instruction.len(), text });
        if instruction.mnemonic() == Mnemonic::Ret {
            break;
        }
    }
    lines
}
