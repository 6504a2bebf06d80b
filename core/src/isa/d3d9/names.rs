//! Names in assembly text, shared by assembler and disassembler.

use super::interface::{input_register, output_register};
use super::opcode::{Opcode, TABLE};
use super::program::{Comparison, File, Instruction, Version, constant_file, constant_number};
use super::registers::{REGISTER_NAMES, RegisterName};
use super::word::{Control, SWIZZLE};
use crate::isa::component;

/// Returns the letters before the register numbers of a file; `None` if the version has no such file or its registers are not numbered.
pub(super) fn file_name(version: Version, file: u8) -> Option<&'static str> {
    let file = if constant_number(file, 0).is_some() { File::Constant as u8 } else { file };
    REGISTER_NAMES
        .iter()
        .find(|r| r.file as u8 == file && r.single.is_none() && r.versions.has(version))
        .map(|r| r.name)
}

/// Returns the name of a register, if it has one.
pub(super) fn register_name(version: Version, file: u8, number: u16) -> Option<String> {
    if let Some(name) = file_name(version, file) {
        return Some(format!("{name}{}", constant_number(file, number).unwrap_or(number)));
    }
    REGISTER_NAMES
        .iter()
        .find(|r| r.file as u8 == file && r.single == Some(number))
        .map(|r| r.name.to_owned())
}

/// The register that a name denotes. `number` is `None` if the name has no digits, as `c` in `c[a0.x]`, where an index in brackets follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NamedRegister {
    pub(super) file: File,
    pub(super) number: Option<u16>,
}

/// Returns the register with this name; upper and lower case are equivalent.
pub(super) fn register(version: Version, text: &str) -> Option<NamedRegister> {
    let digits = text.len() - text.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (letters, number) = text.split_at(digits);
    let here = |r: &&RegisterName| r.versions.has(version) && r.name.eq_ignore_ascii_case(letters);
    let row = REGISTER_NAMES.iter().find(here)?;
    match (row.single, number) {
        (Some(single), "") => Some(NamedRegister { file: row.file, number: Some(single) }),
        (Some(_), _) => None,
        (None, "") => Some(NamedRegister { file: row.file, number: None }),
        (None, _) => {
            let number = number.parse().ok()?;
            let (file, number) = encoded_register(row.file, number)?;
            Some(NamedRegister { file, number: Some(number) })
        }
    }
}

/// Returns the register file and the number within it for a register number in assembly text; `None` if the encoding has no such register.
pub(super) fn encoded_register(file: File, number: u16) -> Option<(File, u16)> {
    match (file, number) {
        (File::Constant, 0..8192) => Some(constant_file(number)),
        (_, 0..2048) => Some((file, number)),
        _ => None,
    }
}

/// Returns the register names of a version, without numbers, for suggestions.
pub(super) fn register_names(version: Version) -> impl Iterator<Item = &'static str> {
    REGISTER_NAMES.iter().filter(move |r| r.versions.has(version)).map(|r| r.name)
}

/// The names of Booleans, indexed by value.
pub(super) const BOOLEANS: [&str; 2] = ["false", "true"];

/// The component letters in both spellings, `xyzw` and `rgba`.
pub(super) const LETTERS: [[char; 4]; 2] = [component::LETTERS, component::COLOUR_LETTERS];

/// The name of the opcode `sub` in vertex shaders. There the mnemonic `sub` denotes `add` with the second source negated (SEED).
pub(super) const SUB_OPCODE: &str = "sub_opcode";

const PROJECT: u8 = Control::Project as u8;
const BIAS: u8 = Control::Bias as u8;

/// Further mnemonics of opcodes, each with the opcode and opcode control. Those of `ifc`, `breakc` and `setp` are `if`, `break` and `setp` with the
/// suffix of the comparison, which determines the control instead.
pub(super) const ALIASES: [(&str, Opcode, u8); 7] = [
    ("texldp", Opcode::Tex, PROJECT),
    ("texldb", Opcode::Tex, BIAS),
    ("tex", Opcode::Tex, 0),
    ("texcrd", Opcode::Texcoord, 0),
    (Opcode::If.mnemonic(), Opcode::Ifc, 0),
    (Opcode::Break.mnemonic(), Opcode::Breakc, 0),
    (Opcode::Setp.mnemonic(), Opcode::Setp, 0),
];

/// Returns the mnemonic of an instruction with the suffix of its comparison, but without other suffixes; `None` if the opcode is unknown or its
/// control has no name.
pub(super) fn mnemonic(version: Version, instruction: &Instruction) -> Option<String> {
    let op = instruction.op()?;
    let before_ps14 = version.is_pixel() && version.major < 2 && version.minor < 4;
    let name = match (op, instruction.control) {
        (Opcode::Tex, PROJECT) => "texldp",
        (Opcode::Tex, BIAS) => "texldb",
        (Opcode::Tex, 0) if before_ps14 => "tex",
        (Opcode::Texcoord, 0) if !before_ps14 => "texcrd",
        (Opcode::Sub, 0) if !version.is_pixel() => SUB_OPCODE,
        (op, control) if op.compares() => {
            let suffix = Comparison::from_number(control)?.name();
            let (name, ..) = ALIASES.iter().find(|(_, o, _)| *o == op)?;
            return Some(format!("{name}_{suffix}"));
        }
        (op, 0) => op.row().mnemonic,
        _ => return None,
    };
    Some(name.to_owned())
}

/// Returns all mnemonics, for suggestions.
pub(super) fn mnemonics() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|r| r.mnemonic).chain(ALIASES.iter().map(|a| a.0)).chain([SUB_OPCODE])
}

/// Returns a swizzle as text, with its dot: nothing for the identity, and without repetitions of the last letter.
pub(super) fn swizzle_text(swizzle: u8) -> String {
    if swizzle == super::program::Source::XYZW {
        return String::new();
    }
    let mut components = SWIZZLE.split(swizzle).to_vec();
    while let [.., a, b] = components[..] {
        if a != b {
            break;
        }
        components.pop();
    }
    let letters = components.iter().map(|c| LETTERS[0][usize::from(*c)]);
    std::iter::once('.').chain(letters).collect()
}

/// Returns a write mask as text, with its dot: nothing for the full mask, and `None` for the empty mask, which has no spelling.
pub(super) fn mask_text(mask: u8) -> Option<String> {
    match mask {
        0 => None,
        15 => Some(String::new()),
        _ => {
            let letters = (0..4).filter(|c| mask >> c & 1 != 0).map(|c| LETTERS[0][c]);
            Some(std::iter::once('.').chain(letters).collect())
        }
    }
}

/// Returns the printed name of a register; for a register without a name, its file and number.
pub(super) fn printed_name(version: Version, file: u8, number: u16) -> String {
    register_name(version, file, number).unwrap_or_else(|| format!("?{file}.{number}"))
}

/// Returns the printed name of a register component.
pub fn component_name(version: Version, file: u8, number: u16, component: u8) -> String {
    format!("{}.{}", printed_name(version, file, number), LETTERS[0][usize::from(component & 3)])
}

/// Returns the printed name of an input slot.
pub fn input_name(version: Version, slot: u16) -> String {
    let (file, number) = input_register(version, slot);
    printed_name(version, file as u8, number)
}

/// Returns the printed name of an output slot.
pub fn output_name(version: Version, slot: u16) -> String {
    let (file, number) = output_register(version, slot);
    printed_name(version, file as u8, number)
}

#[cfg(test)]
mod tests {
    use super::super::interface::{input_slot, output_slot};
    use super::super::profile::Profile;
    use super::*;

    /// Each slot has the same name as the register that occupies it.
    #[test]
    fn slots_are_named_after_their_registers() {
        let mut found = 0;
        for profile in Profile::ALL {
            let version = profile.version();
            for (file, number) in (0..20).flat_map(|file| (0..20).map(move |number| (file, number))) {
                let named = register_name(version, file, number);
                if let Some(slot) = input_slot(version, file, number) {
                    assert_eq!(Some(input_name(version, slot)), named);
                    found += 1;
                }
                if let Some(slot) = output_slot(version, file, number) {
                    assert_eq!(Some(output_name(version, slot)), named);
                    found += 1;
                }
            }
        }
        assert!(found > 300, "{found}");
        assert_eq!(component_name(Profile::Vs30.version(), File::Temporary as u8, 3, 1), "r3.y");
    }
}
