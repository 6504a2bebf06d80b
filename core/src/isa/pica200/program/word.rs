//! Words as typed values: instructions by format, and operand descriptors.

use super::super::layout;
use super::super::opcode::{Format, Opcode};
use super::Target;
use crate::binary::{Bits, Layout};

macro_rules! words {
    ($($(#[$doc:meta])* $type:ident, $layout:path { $($(#[$field_doc:meta])* $field:ident: $int:ty),* $(,)? })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $type {
            $($(#[$field_doc])* pub $field: $int,)*
        }

        impl $type {
            /// The fields of a word.
            #[inline]
            pub fn from_word(word: u32) -> $type {
                let [$($field),*] = $layout.split(&word);
                $type { $($field: $field as $int),* }
            }

            /// The word with these fields; a field wider than its place is cut.
            #[inline]
            pub fn to_word(&self) -> u32 {
                $layout.join(&[$(u32::from(self.$field)),*], 0)
            }
        }
    )*};
}

words! {
    /// Format 0: `end`, `nop`, `emit`, `break`.
    Plain, layout::PLAIN {
        /// Bits that no engine looks at.
        ignored: u32,
        /// Opcode number.
        opcode: u8,
    }
    /// Format 1.
    Binary, layout::BINARY {
        /// Descriptor.
        desc: u8,
        /// Second source, narrow.
        src2: u8,
        /// First source, wide.
        src1: u8,
        /// Address register of the first source.
        idx: u8,
        /// Destination.
        dst: u8,
        /// Opcode number.
        opcode: u8,
    }
    /// Format 1i.
    BinaryInverse, layout::BINARY_INVERSE {
        /// Descriptor.
        desc: u8,
        /// Second source, wide.
        src2: u8,
        /// First source, narrow.
        src1: u8,
        /// Address register of the second source.
        idx: u8,
        /// Destination.
        dst: u8,
        /// Opcode number.
        opcode: u8,
    }
    /// Format 1u. `mova` has no use for the destination.
    Unary, layout::UNARY {
        /// Descriptor.
        desc: u8,
        /// Bits that no engine looks at.
        unused: u8,
        /// Source, wide.
        src1: u8,
        /// Address register of the source.
        idx: u8,
        /// Destination.
        dst: u8,
        /// Opcode number.
        opcode: u8,
    }
    /// Format 1c: `cmp`.
    Compare, layout::COMPARE {
        /// Descriptor.
        desc: u8,
        /// Second source, narrow.
        src2: u8,
        /// First source, wide.
        src1: u8,
        /// Address register of the first source.
        idx: u8,
        /// Operator for y, see [`super::super::opcode::COMPARISONS`].
        cmpy: u8,
        /// Operator for x.
        cmpx: u8,
        /// The upper five bits of the opcode number.
        opcode: u8,
    }
    /// Format 2: `breakc`, `call`, `callc`, `ifc`, `jmpc`.
    Conditional, layout::CONDITIONAL {
        /// Number of words.
        num: u8,
        /// Bits that no engine looks at.
        unused: u8,
        /// Word.
        dst: u16,
        /// How the tests combine: 0 either, 1 both, 2 that of x, 3 that of y.
        condop: u8,
        /// What `cmp.y` is compared with.
        refy: u8,
        /// What `cmp.x` is compared with.
        refx: u8,
        /// Opcode number.
        opcode: u8,
    }
    /// Format 3: `callu`, `ifu`, `jmpu`, `for`.
    Uniform, layout::UNIFORM {
        /// Number of words; for `jmpu` bit 0 inverts the Boolean.
        num: u8,
        /// Bits that no engine looks at.
        unused: u8,
        /// Word.
        dst: u16,
        /// Number of the Boolean or, for `for`, of the integer uniform, of which engines look at two bits.
        id: u8,
        /// Opcode number.
        opcode: u8,
    }
    /// Format 4: `setemit`.
    Emission, layout::EMISSION {
        /// Bits that no engine looks at.
        unused: u32,
        /// Whether the primitive's order is reversed.
        winding: u8,
        /// Whether the vertex completes a primitive.
        prim: u8,
        /// Vertex slot.
        vtx: u8,
        /// Opcode number.
        opcode: u8,
    }
    /// Format 5: `mad`.
    Ternary, layout::TERNARY {
        /// Descriptor, 0 to 31.
        desc: u8,
        /// Third source, narrow.
        src3: u8,
        /// Second source, wide.
        src2: u8,
        /// First source, narrow.
        src1: u8,
        /// Address register of the second source.
        idx: u8,
        /// Destination.
        dst: u8,
        /// The upper three bits of the opcode number.
        opcode: u8,
    }
    /// Format 5i: `madi`.
    TernaryInverse, layout::TERNARY_INVERSE {
        /// Descriptor, 0 to 31.
        desc: u8,
        /// Third source, wide.
        src3: u8,
        /// Second source, narrow.
        src2: u8,
        /// First source, narrow.
        src1: u8,
        /// Address register of the third source.
        idx: u8,
        /// Destination.
        dst: u8,
        /// The upper three bits of the opcode number.
        opcode: u8,
    }
    /// A word whose opcode has no known meaning.
    Unknown, layout::UNKNOWN {
        /// The other bits.
        bits: u32,
        /// Opcode number.
        opcode: u8,
    }
    /// An operand descriptor: write mask, and swizzle and sign of each source.
    Descriptor, layout::DESCRIPTOR {
        /// Components written: bit 3 = x, 2 = y, 1 = z, 0 = w.
        mask: u8,
        /// Whether the first source is negated.
        negate1: u8,
        /// Selector of the first source.
        select1: u8,
        /// Whether the second source is negated.
        negate2: u8,
        /// Selector of the second source.
        select2: u8,
        /// Whether the third source is negated.
        negate3: u8,
        /// Selector of the third source.
        select3: u8,
        /// Bit 31, without known effect.
        flag: u8,
    }
}

/// One instruction. Every word is one; the opcode in it says which of these it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Instruction {
    /// Format 0.
    Plain(Plain),
    /// Format 1.
    Binary(Binary),
    /// Format 1i.
    BinaryInverse(BinaryInverse),
    /// Format 1u.
    Unary(Unary),
    /// Format 1c.
    Compare(Compare),
    /// Format 2.
    Conditional(Conditional),
    /// Format 3.
    Uniform(Uniform),
    /// Format 4.
    Emission(Emission),
    /// Format 5.
    Ternary(Ternary),
    /// Format 5i.
    TernaryInverse(TernaryInverse),
    /// An opcode without known meaning.
    Unknown(Unknown),
}

impl Instruction {
    /// The instruction that a word is.
    #[inline]
    pub fn from_word(word: u32) -> Instruction {
        match Opcode::format_of(word >> 26) {
            Some(Format::Plain) => Instruction::Plain(Plain::from_word(word)),
            Some(Format::Binary) => Instruction::Binary(Binary::from_word(word)),
            Some(Format::BinaryInverse) => Instruction::BinaryInverse(BinaryInverse::from_word(word)),
            Some(Format::Unary) => Instruction::Unary(Unary::from_word(word)),
            Some(Format::Compare) => Instruction::Compare(Compare::from_word(word)),
            Some(Format::Conditional) => Instruction::Conditional(Conditional::from_word(word)),
            Some(Format::Uniform) => Instruction::Uniform(Uniform::from_word(word)),
            Some(Format::Emission) => Instruction::Emission(Emission::from_word(word)),
            Some(Format::Ternary) => Instruction::Ternary(Ternary::from_word(word)),
            Some(Format::TernaryInverse) => Instruction::TernaryInverse(TernaryInverse::from_word(word)),
            None => Instruction::Unknown(Unknown::from_word(word)),
        }
    }

    /// The word.
    #[inline]
    pub fn to_word(&self) -> u32 {
        match self {
            Instruction::Plain(i) => i.to_word(),
            Instruction::Binary(i) => i.to_word(),
            Instruction::BinaryInverse(i) => i.to_word(),
            Instruction::Unary(i) => i.to_word(),
            Instruction::Compare(i) => i.to_word(),
            Instruction::Conditional(i) => i.to_word(),
            Instruction::Uniform(i) => i.to_word(),
            Instruction::Emission(i) => i.to_word(),
            Instruction::Ternary(i) => i.to_word(),
            Instruction::TernaryInverse(i) => i.to_word(),
            Instruction::Unknown(i) => i.to_word(),
        }
    }

    /// The layout of its word.
    pub fn layout(&self) -> &'static Layout {
        match self {
            Instruction::Plain(_) => &layout::PLAIN,
            Instruction::Binary(_) => &layout::BINARY,
            Instruction::BinaryInverse(_) => &layout::BINARY_INVERSE,
            Instruction::Unary(_) => &layout::UNARY,
            Instruction::Compare(_) => &layout::COMPARE,
            Instruction::Conditional(_) => &layout::CONDITIONAL,
            Instruction::Uniform(_) => &layout::UNIFORM,
            Instruction::Emission(_) => &layout::EMISSION,
            Instruction::Ternary(_) => &layout::TERNARY,
            Instruction::TernaryInverse(_) => &layout::TERNARY_INVERSE,
            Instruction::Unknown(_) => &layout::UNKNOWN,
        }
    }

    /// A field by its name in the layout; 0 if there is none.
    pub fn field(&self, name: &str) -> u32 {
        self.layout().field(name).map_or(0, |field| self.to_word().get(field))
    }

    /// The instruction with a field, by its name in the layout, set to a value, which is cut; the same if there is no such field.
    pub fn with_field(&self, name: &str, value: u32) -> Instruction {
        let Some(field) = self.layout().field(name) else { return *self };
        let word = self.to_word();
        let cleared = word ^ 0u32.with(field, &word.get(field));
        Instruction::from_word(cleared.with(field, &value))
    }

    /// The operation; `None` for a number without known meaning.
    #[inline]
    pub fn op(&self) -> Option<Opcode> {
        crate::work::looks_at(1);
        let number = match self {
            Instruction::Plain(i) => i.opcode,
            Instruction::Binary(i) => i.opcode,
            Instruction::BinaryInverse(i) => i.opcode,
            Instruction::Unary(i) => i.opcode,
            Instruction::Compare(i) => i.opcode << 1,
            Instruction::Conditional(i) => i.opcode,
            Instruction::Uniform(i) => i.opcode,
            Instruction::Emission(i) => i.opcode,
            Instruction::Ternary(i) => i.opcode << 3,
            Instruction::TernaryInverse(i) => i.opcode << 3,
            Instruction::Unknown(i) => i.opcode,
        };
        Opcode::from_number(u32::from(number))
    }

    /// Number of its descriptor, if it has one.
    #[inline]
    pub fn desc(&self) -> Option<u8> {
        match self {
            Instruction::Binary(i) => Some(i.desc),
            Instruction::BinaryInverse(i) => Some(i.desc),
            Instruction::Unary(i) => Some(i.desc),
            Instruction::Compare(i) => Some(i.desc),
            Instruction::Ternary(i) => Some(i.desc),
            Instruction::TernaryInverse(i) => Some(i.desc),
            _ => None,
        }
    }

    /// Its destination register, if it writes one.
    #[inline]
    pub fn dst(&self) -> Option<Target> {
        let number = match self {
            Instruction::Binary(i) => i.dst,
            Instruction::BinaryInverse(i) => i.dst,
            Instruction::Unary(i) if self.op() != Some(Opcode::Mova) => i.dst,
            Instruction::Ternary(i) => i.dst,
            Instruction::TernaryInverse(i) => i.dst,
            _ => return None,
        };
        Some(Target::from_number(number))
    }

    /// Register number and address register of each source; `None` behind the last.
    #[inline]
    pub fn sources(&self) -> [Option<(u8, u8)>; 3] {
        match self {
            Instruction::Binary(i) => [Some((i.src1, i.idx)), Some((i.src2, 0)), None],
            Instruction::BinaryInverse(i) => [Some((i.src1, 0)), Some((i.src2, i.idx)), None],
            Instruction::Unary(i) => [Some((i.src1, i.idx)), None, None],
            Instruction::Compare(i) => [Some((i.src1, i.idx)), Some((i.src2, 0)), None],
            Instruction::Ternary(i) => [Some((i.src1, 0)), Some((i.src2, i.idx)), Some((i.src3, 0))],
            Instruction::TernaryInverse(i) => [Some((i.src1, 0)), Some((i.src2, 0)), Some((i.src3, i.idx))],
            _ => [None; 3],
        }
    }

    /// Destination word and number of words, for flow.
    #[inline]
    pub fn flow(&self) -> Option<(u16, u8)> {
        match self {
            Instruction::Conditional(i) => Some((i.dst, i.num)),
            Instruction::Uniform(i) => Some((i.dst, i.num)),
            _ => None,
        }
    }
}

impl Descriptor {
    /// The selector that leaves components where they are.
    pub const XYZW: u8 = 0x1b;

    /// Whether component `lane`, 0 = x, is written.
    #[inline]
    pub fn writes(&self, lane: usize) -> bool {
        self.mask >> (3 - lane) & 1 == 1
    }

    /// The mask with bit 0 = x, as everywhere outside descriptors.
    #[inline]
    pub fn write_mask(&self) -> u8 {
        reverse(self.mask)
    }

    /// Sign and selector of source `n`, counted from 0.
    #[inline]
    pub fn source(&self, n: usize) -> (bool, u8) {
        match n {
            0 => (self.negate1 != 0, self.select1),
            1 => (self.negate2 != 0, self.select2),
            _ => (self.negate3 != 0, self.select3),
        }
    }
}

impl Default for Descriptor {
    /// Writes everything and permutes nothing.
    fn default() -> Descriptor {
        let select = Descriptor::XYZW;
        let (select1, select2, select3) = (select, select, select);
        Descriptor { mask: 0xf, negate1: 0, select1, negate2: 0, select2, negate3: 0, select3, flag: 0 }
    }
}

/// Four bits in opposite order.
#[inline]
pub fn reverse(mask: u8) -> u8 {
    mask.reverse_bits() >> 4
}
