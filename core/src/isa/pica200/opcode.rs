//! The opcode table. Decoder, assembler, validator, generator, coverage and the printed manual all read it.
//!
//! Sources are cited by the tags of [`super::sources::SOURCES`].

use crate::isa::{OpcodeInfo, Stage};

/// The format of an instruction word; the structs of the same names are in [`super::word`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Format {
    /// Format 0: no operands.
    Plain,
    /// Format 1: two sources, the first wide.
    Binary,
    /// Format 1i: two sources, the second wide.
    BinaryInverse,
    /// Format 1u: one source.
    Unary,
    /// Format 1c: two sources and two operators.
    Compare,
    /// Format 2: control flow on the condition bits.
    Conditional,
    /// Format 3: control flow on a Boolean uniform, or a loop over an integer uniform.
    Uniform,
    /// Format 4: settings for the next emitted vertex.
    Emission,
    /// Format 5: three sources, the second wide.
    Ternary,
    /// Format 5i: three sources, the third wide.
    TernaryInverse,
}

/// The meaning of the write mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MaskRule {
    /// The components of a vector result to write.
    Components,
    /// The components that receive one scalar result.
    Broadcast,
    /// `a0.x` and `a0.y`; z and w have no effect.
    Address,
    /// The mask is not used.
    Unused,
}

/// The components of a source, after swizzling, that a result depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SourceComponents {
    /// The same component as that of the result.
    Own,
    /// The first n components, from x.
    First(u8),
    /// For `dst`: y of both sources, z of the first source, w of the second source.
    Distance,
    /// For `litp`: x, y and w.
    Light,
    /// None: there are no sources.
    None,
}

macro_rules! opcodes {
    ($($variant:ident $number:literal $(..= $last:literal)? $name:literal [$($alias:literal),*] $format:ident, $mask:ident, $sources_read:expr, $stages:ident, $meaning:literal, $source:literal;)*) => {
        /// The operations, in the order of [`TABLE`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Opcode { $(#[doc = $meaning] $variant,)* }

        /// The table, by ascending number.
        pub static TABLE: &[Row] = &[$(Row {
            opcode: Opcode::$variant, number: $number, last: [$number $(, $last)?][[$number $(, $last)?].len() - 1], mnemonic: $name,
            aliases: &[$($alias),*], format: Format::$format, mask: MaskRule::$mask, sources_read: $sources_read, stages: $stages,
            meaning: $meaning, source: $source,
        },)*];

        /// The table in the form common to all instruction sets.
        pub static INFO: &[OpcodeInfo] = &[$(OpcodeInfo {
            number: $number, mnemonic: $name, meaning: $meaning, source: $source,
        },)*];
    };
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The operation.
    pub opcode: Opcode,
    /// The value of bits 26 to 31 of the operation's words; the lowest value if the opcode field of these words is shorter than 6 bits.
    pub number: u32,
    /// The highest value of bits 26 to 31 of the operation's words.
    pub last: u32,
    /// Name in assembly text.
    pub mnemonic: &'static str,
    /// Other names: those of nihstro, of emulators, and of SEED.
    pub aliases: &'static [&'static str],
    /// The format of the instruction word.
    pub format: Format,
    /// The meaning of the write mask.
    pub mask: MaskRule,
    /// The source components that a component of the result depends on.
    pub sources_read: SourceComponents,
    /// Stages that have the opcode.
    pub stages: &'static [Stage],
    /// The meaning in one line.
    pub meaning: &'static str,
    /// Source and evidence tag.
    pub source: &'static str,
}

const BOTH: &[Stage] = &[Stage::Vertex, Stage::Geometry];
const GS: &[Stage] = &[Stage::Geometry];
use SourceComponents::{Distance, First, Light, None as Nothing, Own};

opcodes! {
    Add 0x00 "add" [] Binary, Components, Own, BOTH, "a + b", "S1";
    Dp3 0x01 "dp3" [] Binary, Broadcast, First(3), BOTH, "a.x*b.x + a.y*b.y + a.z*b.z to every masked component", "S1; citra #948 for w";
    Dp4 0x02 "dp4" [] Binary, Broadcast, First(4), BOTH, "a.x*b.x + a.y*b.y + a.z*b.z + a.w*b.w to every masked component", "S1";
    Dph 0x03 "dph" [] Binary, Broadcast, First(4), BOTH, "dp4 with 1 in place of a.w", "S1; HW citra #1057";
    Dst 0x04 "dst" [] Binary, Components, Distance, BOTH, "{1, a.y*b.y, a.z, b.w}", "REF S1, S8";
    Ex2 0x05 "ex2" ["exp"] Unary, Broadcast, First(1), BOTH, "2 to the power of a.x", "HW S9";
    Lg2 0x06 "lg2" ["log"] Unary, Broadcast, First(1), BOTH, "base-2 logarithm of a.x", "HW S9";
    Litp 0x07 "litp" ["lit"] Unary, Components, Light, BOTH, "{max(a.x, 0), a.y clamped to +-127.99609375, 0, max(a.w, 0)}; cmp.x = a.x >= 0, cmp.y = a.w >= 0", "HW S1 rev 22377, S7";
    Mul 0x08 "mul" [] Binary, Components, Own, BOTH, "a * b", "S1; HW S9 for 0 * infinity";
    Sge 0x09 "sge" [] Binary, Components, Own, BOTH, "a >= b ? 1 : 0", "HW S9";
    Slt 0x0a "slt" [] Binary, Components, Own, BOTH, "a < b ? 1 : 0", "HW S9";
    Flr 0x0b "flr" [] Unary, Components, Own, BOTH, "the largest integer not above a", "HW S1";
    Max 0x0c "max" [] Binary, Components, Own, BOTH, "a > b ? a : b", "HW S9";
    Min 0x0d "min" [] Binary, Components, Own, BOTH, "a < b ? a : b", "HW S9";
    Rcp 0x0e "rcp" [] Unary, Broadcast, First(1), BOTH, "1 / a.x", "HW S9, citra #1062";
    Rsq 0x0f "rsq" [] Unary, Broadcast, First(1), BOTH, "1 / square root of a.x", "HW S9, citra #1062";
    Mova 0x12 "mova" [] Unary, Address, Own, BOTH, "a0.x, a0.y = a.x, a.y truncated to integers", "REF S3, S7; citra #1079";
    Mov 0x13 "mov" [] Unary, Components, Own, BOTH, "a", "S1";
    Dphi 0x18 "dphi" [] BinaryInverse, Broadcast, First(4), BOTH, "as dph", "HW S9";
    Dsti 0x19 "dsti" [] BinaryInverse, Components, Distance, BOTH, "as dst", "REF S1, S8";
    Sgei 0x1a "sgei" [] BinaryInverse, Components, Own, BOTH, "as sge", "HW S9";
    Slti 0x1b "slti" [] BinaryInverse, Components, Own, BOTH, "as slt", "HW S9";
    Break 0x20 "break" [] Plain, Unused, Nothing, BOTH, "leaves the innermost loop", "HW S1 rev 20748";
    Nop 0x21 "nop" ["end2"] Plain, Unused, Nothing, BOTH, "nothing", "S1; is called END2 in SEED";
    End 0x22 "end" ["end1"] Plain, Unused, Nothing, BOTH, "ends the program, even inside calls, blocks and loops", "REF S1, S3; is called END1 in SEED";
    Breakc 0x23 "breakc" [] Conditional, Unused, Nothing, BOTH, "leaves the innermost loop if the condition holds", "HW S1 rev 20748";
    Call 0x24 "call" [] Conditional, Unused, Nothing, BOTH, "runs NUM words from DST", "HW S1 rev 20748";
    Callc 0x25 "callc" [] Conditional, Unused, Nothing, BOTH, "calls if the condition holds", "HW S1 rev 20748";
    Callu 0x26 "callu" [] Uniform, Unused, Nothing, BOTH, "calls if the Boolean is true", "HW S1 rev 20748; is called CALLC in SEED";
    Ifu 0x27 "ifu" [] Uniform, Unused, Nothing, BOTH, "if the Boolean is true, runs the words before DST and skips NUM words; if false, runs from DST", "HW S1 rev 20748";
    Ifc 0x28 "ifc" [] Conditional, Unused, Nothing, BOTH, "if the condition holds, runs the words before DST and skips NUM words; if not, runs from DST", "HW S1 rev 20748; is called IF? in SEED";
    Loop 0x29 "for" ["loop"] Uniform, Unused, Nothing, BOTH, "runs the words up to and including DST i.x + 1 times; aL starts at i.y and grows by i.z", "HW S1 rev 20748; citra #2848; REF for the number of passes and aL";
    Emit 0x2a "emit" [] Plain, Unused, Nothing, GS, "emits a vertex from the output registers", "S1; HW azahar #2338 for the two banks";
    Setemit 0x2b "setemit" ["sete"] Emission, Unused, Nothing, GS, "chooses the vertex slot of the next emit, whether it completes a primitive, and its winding", "S1, S5";
    Jmpc 0x2c "jmpc" [] Conditional, Unused, Nothing, BOTH, "jumps to DST if the condition holds", "HW S1 rev 20748";
    Jmpu 0x2d "jmpu" [] Uniform, Unused, Nothing, BOTH, "jumps to DST if the Boolean is true, or, when bit 0 of NUM is set, if it is false", "HW citra #1369";
    Cmp 0x2e ..= 0x2f "cmp" ["cmp1", "cmp2"] Compare, Unused, Own, BOTH, "cmp.x = a.x CMPX b.x, cmp.y = a.y CMPY b.y", "S1; SEED has two, CMP1 and CMP2";
    Madi 0x30 ..= 0x37 "madi" [] TernaryInverse, Components, Own, BOTH, "a * b + c", "S1; HW nihstro #47, citra #1479, #974";
    Mad 0x38 ..= 0x3f "mad" [] Ternary, Components, Own, BOTH, "a * b + c", "S1; HW nihstro #47, citra #1479, #974";
}

impl Opcode {
    /// Returns the opcode's row of the table.
    #[inline]
    pub fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }

    /// Returns the operation of words with this value in bits 26 to 31.
    #[inline]
    pub fn from_number(number: u32) -> Option<Opcode> {
        static ROWS: [Option<Opcode>; 64] = {
            let mut rows = [None; 64];
            let mut at = 0;
            while at < TABLE.len() {
                let mut number = TABLE[at].number;
                while number <= TABLE[at].last {
                    rows[number as usize] = Some(TABLE[at].opcode);
                    number += 1;
                }
                at += 1;
            }
            rows
        };
        ROWS.get(number as usize).copied().flatten()
    }

    /// Returns the format of words with this value in bits 26 to 31.
    #[inline]
    pub fn format_of(number: u32) -> Option<Format> {
        static FORMATS: [Option<Format>; 64] = {
            let mut formats = [None; 64];
            let mut at = 0;
            while at < TABLE.len() {
                let mut number = TABLE[at].number;
                while number <= TABLE[at].last {
                    formats[number as usize] = Some(TABLE[at].format);
                    number += 1;
                }
                at += 1;
            }
            formats
        };
        FORMATS.get(number as usize).copied().flatten()
    }

    /// Returns the operation with this name or alias, ignoring case.
    pub fn from_mnemonic(name: &str) -> Option<Opcode> {
        TABLE
            .iter()
            .find(|row| {
                row.mnemonic.eq_ignore_ascii_case(name)
                    || row.aliases.iter().any(|a| a.eq_ignore_ascii_case(name))
            })
            .map(|row| row.opcode)
    }

    /// Whether the operation writes an output or temporary register, as opposed to a0, aL and the condition bits.
    #[inline]
    pub fn has_dest(self) -> bool {
        matches!(self.row().mask, MaskRule::Components | MaskRule::Broadcast)
    }

    /// Whether instructions with this opcode have an operand descriptor.
    #[inline]
    pub fn has_descriptor(self) -> bool {
        self.sources() > 0
    }

    /// Returns the number of register sources.
    #[inline]
    pub fn sources(self) -> usize {
        match self.row().format {
            Format::Unary => 1,
            Format::Binary | Format::BinaryInverse | Format::Compare => 2,
            Format::Ternary | Format::TernaryInverse => 3,
            Format::Plain | Format::Conditional | Format::Uniform | Format::Emission => 0,
        }
    }

    /// Returns the index of the wide source, counted from 0; `None` if the format has no sources. Only the wide source can name uniforms and be
    /// indexed by an address register.
    #[inline]
    pub fn wide(self) -> Option<usize> {
        match self.row().format {
            Format::Unary | Format::Binary | Format::Compare => Some(0),
            Format::BinaryInverse | Format::Ternary => Some(1),
            Format::TernaryInverse => Some(2),
            Format::Plain | Format::Conditional | Format::Uniform | Format::Emission => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opcode_numbers_ascend_and_find_their_rows() {
        assert!(TABLE.windows(2).all(|w| w[0].last < w[1].number));
        let mut found = 0;
        for number in 0..0x200 {
            if let Some(opcode) = Opcode::from_number(number) {
                assert!((opcode.row().number..=opcode.row().last).contains(&number));
                found += 1;
            }
        }
        // S1 lists 10 of the 64 numbers as unknown: 10, 11, 14 to 17 and 1C to 1F (hexadecimal).
        assert_eq!(found, 64 - 10);
        for row in TABLE {
            assert_eq!(Opcode::from_mnemonic(row.mnemonic), Some(row.opcode));
            assert_eq!(Opcode::from_mnemonic(&row.mnemonic.to_uppercase()), Some(row.opcode));
        }
    }
}
