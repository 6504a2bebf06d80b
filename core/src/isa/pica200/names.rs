//! Names in assembly text, for assembler and disassembler.

use super::opcode::{Format, MaskRule, Opcode};
use super::program::{Descriptor, Instruction, Register, Target, mask_bit, selector};
use super::registers::File;
use super::word::{Condition, Index, fields};
use crate::isa::component;

/// The name of the address register, whose components serve as indices.
pub(super) const ADDRESS: &str = "a0";
/// The name of the condition register.
pub(super) const CONDITION: &str = "cmp";

/// The keyword that reverses the winding of a primitive.
pub(super) const INVERTED: &str = "inv";

/// The component letters: xyzw, rgba and stpq. The disassembler prints the first of the three (S5).
pub(super) const LETTERS: [[char; 4]; 3] =
    [component::LETTERS, component::COLOUR_LETTERS, ['s', 't', 'p', 'q']];

/// The semantics of outputs, with their numbers in a file (S2, S5). If a number has several names, the first one is printed.
pub(super) const SEMANTICS: [(&str, u16); 17] = [
    ("position", 0),
    ("pos", 0),
    ("normalquat", 1),
    ("nquat", 1),
    ("color", 2),
    ("clr", 2),
    ("texcoord0", 3),
    ("tcoord0", 3),
    ("texcoord0w", 4),
    ("tcoord0w", 4),
    ("texcoord1", 5),
    ("tcoord1", 5),
    ("texcoord2", 6),
    ("tcoord2", 6),
    ("view", 8),
    ("dummy", 9),
    ("generic", 9),
];

/// Returns the printed name of a source register.
pub(super) fn source_name(register: Register) -> String {
    match register {
        Register::Input(n) => File::Input.register(n),
        Register::Temporary(n) => File::Temporary.register(n),
        Register::Uniform(n) => File::Float.register(n),
    }
}

/// Returns the printed name of a destination register.
pub(super) fn target_name(target: Target) -> String {
    match target {
        Target::Output(n) => File::Output.register(n),
        Target::Temporary(n) => File::Temporary.register(n),
    }
}

/// Returns the printed name of the register selected by an `idx` field; empty for none.
pub(super) fn index_name(idx: u8) -> &'static str {
    Index::from_number(idx).filter(|index| *index != Index::None).map_or("", Index::name)
}

/// Returns the mask of a descriptor as text: an empty string for all four components, `_` for none.
pub(super) fn mask_name(mask: u8) -> String {
    match mask & 0xf {
        0xf => String::new(),
        0 => "_".to_owned(),
        mask => (0..4).filter(|k| mask & mask_bit(*k) != 0).map(|k| LETTERS[0][k]).collect(),
    }
}

/// Returns a selector as text, without repetitions of the last letter.
pub(super) fn select_name(select: u8) -> String {
    let mut letters: Vec<char> = (0..4).map(|c| LETTERS[0][super::program::component(select, c)]).collect();
    while let [.., a, b] = letters[..] {
        if a != b {
            break;
        }
        letters.pop();
    }
    letters.into_iter().collect()
}

/// Returns the bits of a descriptor that must agree for an instruction to use it, given the descriptor's write mask. The bits of absent sources are
/// not included, nor, for most operations, the selectors of components that no result uses. picasso shares descriptors between instructions by the
/// same rule (S5).
pub(super) fn significant_bits(op: Opcode, mask: u8) -> u32 {
    let components = |wanted: [bool; 4]| selector(wanted.map(|wanted| if wanted { 3 } else { 0 }));
    let writes = |component| mask & mask_bit(component) != 0;
    let all = 0xff;
    let own = components([writes(0), writes(1), writes(2), writes(3)]);
    let xyz = components([true, true, true, false]);
    let x = components([true, false, false, false]);
    let (a, b, c) = match op {
        Opcode::Dp3 => (xyz, xyz, 0),
        Opcode::Dph | Opcode::Dphi => (xyz, all, 0),
        Opcode::Ex2 | Opcode::Lg2 | Opcode::Rcp | Opcode::Rsq => (x, 0, 0),
        Opcode::Mova => (components([writes(0), writes(1), false, false]), 0, 0),
        // picasso treats the whole second selector as significant, although z and w are not compared.
        Opcode::Cmp => (components([true, true, false, false]), all, 0),
        Opcode::Dp4 | Opcode::Dst | Opcode::Dsti | Opcode::Litp => (all, all, 0),
        _ => (own, own, own),
    };
    let sources = op.sources();
    let negate = |n: usize| u8::from(sources > n);
    let select = |n: usize, select: u8| if sources > n { select } else { 0 };
    let mask = if op.row().mask == MaskRule::Unused { 0 } else { 0xf };
    Descriptor {
        mask,
        negate1: negate(0),
        select1: select(0, a),
        negate2: negate(1),
        select2: select(1, b),
        negate3: negate(2),
        select3: select(2, c),
        flag: 0,
    }
    .to_word()
}

/// Returns the fields of an instruction that its operands do not express, with their default values.
pub(super) fn implicit_fields(instruction: &Instruction) -> Vec<(&'static str, u32)> {
    let Some(op) = instruction.op() else { return Vec::new() };
    match (op.row().format, instruction) {
        (Format::Plain, _) => vec![(fields::IGNORED, 0)],
        (Format::Unary, _) if op == Opcode::Mova => vec![(fields::UNUSED, 0), (fields::DST, 0)],
        (Format::Unary | Format::Emission, _) => vec![(fields::UNUSED, 0)],
        (Format::Conditional, Instruction::Conditional(i)) => {
            let mut fields = vec![(fields::UNUSED, 0)];
            match op {
                Opcode::Breakc => fields.extend([(fields::NUM, 0), (fields::DST, 0)]),
                Opcode::Call => fields.extend([(fields::CONDOP, 0), (fields::REFX, 0), (fields::REFY, 0)]),
                Opcode::Jmpc => fields.push((fields::NUM, 0)),
                _ => {}
            }
            if op != Opcode::Call {
                // Assemblers set a reference that the condition does not use to 1 (S5).
                match Condition::from_number(i.condop) {
                    Some(Condition::X) => fields.push((fields::REFY, 1)),
                    Some(Condition::Y) => fields.push((fields::REFX, 1)),
                    _ => {}
                }
            }
            fields
        }
        (Format::Uniform, Instruction::Uniform(i)) => match op {
            // In text, `!` sets the lowest bit of `num`.
            Opcode::Jmpu => vec![(fields::UNUSED, 0), (fields::NUM, u32::from(i.is_inverted()))],
            Opcode::Loop => vec![(fields::UNUSED, 0), (fields::NUM, 0)],
            _ => vec![(fields::UNUSED, 0)],
        },
        _ => Vec::new(),
    }
}
