//! The layouts of all PICA200 words: instructions by format, operand descriptors, and the values of constants. Each field of each word is declared
//! once, here.

#![deny(clippy::cast_possible_truncation)]

use super::opcode::{Format, Opcode};
use super::program::Target;
use crate::binary::FieldKind::{Choice, Elements, Reserved};
use crate::binary::{Bits, Field, Layout, exact, vocabulary, words};

const FORMATS: &str = "S1";
/// The source of words that Lockstep itself defines: the additional numbers of an entry.
const ENTRY: &str = "an additional number of an entry";

vocabulary! {
    /// The kind of a DVLE: the stage of its entry.
    pub enum DvleKind {
        /// A vertex program.
        Vertex = 0 "vertex",
        /// A geometry program.
        Geometry = 1 "geometry",
    }

    /// The kind of a constant in a file: the register file of the uniform that it sets.
    pub enum ConstantKind {
        /// A Boolean uniform.
        Boolean = 0 "b",
        /// An integer uniform.
        Integer = 1 "i",
        /// A float uniform.
        Float = 2 "c",
    }

    /// How primitives are assembled for a geometry program. The aliases are picasso's former spellings (S5).
    pub enum GeometryMode {
        /// The vertices are the program's inputs.
        Point = 0 "point",
        /// A uniform holds the number of vertices, and the uniforms after it hold the vertices.
        Variable = 1 "variable" | "subdivision",
        /// The vertices start at the stated uniform.
        Fixed = 2 "fixed" | "particle",
    }

    /// The index register of a uniform read. `a1` and `a2` are picasso's spellings (S5).
    pub enum Index {
        /// None.
        None = 0 "none",
        /// The address register `a0.x`.
        A0X = 1 "a0.x",
        /// The address register `a0.y`.
        A0Y = 2 "a0.y" | "a1",
        /// The loop counter.
        Loop = 3 "aL" | "lcnt" | "a2",
    }

    /// The comparison of `cmp`; 6 and 7 have no known meaning (S1). The names in letters are picasso's (S5).
    pub enum Comparison {
        /// Equal.
        Equal = 0 "==" | "eq",
        /// Not equal.
        NotEqual = 1 "!=" | "ne",
        /// Less.
        Less = 2 "<" | "lt",
        /// Less or equal.
        LessEqual = 3 "<=" | "le",
        /// Greater.
        Greater = 4 ">" | "gt",
        /// Greater or equal.
        GreaterEqual = 5 ">=" | "ge",
    }

    /// How the two tests of a condition combine.
    pub enum Condition {
        /// Either holds.
        Either = 0 "or",
        /// Both hold.
        Both = 1 "and",
        /// The test of x holds.
        X = 2 "x",
        /// The test of y holds.
        Y = 3 "y",
    }
}

words! {
    /// Format 0: `end`, `nop`, `emit`, `break`.
    pub struct Plain in u32, 32 bits, "format 0" from FORMATS;
    {
        /// Bits that every engine ignores.
        ignored: u32 [26] Reserved,
        /// Opcode number.
        opcode: u8 [6],
    }

    /// Format 1.
    pub struct Binary in u32, 32 bits, "format 1" from FORMATS;
    {
        /// Number of the operand descriptor.
        desc: u8 [7],
        /// Second source: 0 to 15 are v0 to v15, 16 to 31 r0 to r15.
        src2: u8 [5],
        /// First source: 0 to 15 are v0 to v15, 16 to 31 r0 to r15, 32 to 127 c0 to c95.
        src1: u8 [7],
        /// Register that is added to the number of a uniform in the first source.
        idx: u8 [2] Choice(Index::CHOICES),
        /// Destination: 0 to 15 are o0 to o15, 16 to 31 r0 to r15.
        dst: u8 [5],
        /// Opcode number.
        opcode: u8 [6],
    }

    /// Format 1i.
    pub struct BinaryInverse in u32, 32 bits, "format 1i" from FORMATS;
    {
        /// Number of the operand descriptor.
        desc: u8 [7],
        /// Second source: 0 to 15 are v0 to v15, 16 to 31 r0 to r15, 32 to 127 c0 to c95.
        src2: u8 [7],
        /// First source: 0 to 15 are v0 to v15, 16 to 31 r0 to r15.
        src1: u8 [5],
        /// Register that is added to the number of a uniform in the second source.
        idx: u8 [2] Choice(Index::CHOICES),
        /// Destination: 0 to 15 are o0 to o15, 16 to 31 r0 to r15.
        dst: u8 [5],
        /// Opcode number.
        opcode: u8 [6],
    }

    /// Format 1u. `mova` ignores the destination.
    pub struct Unary in u32, 32 bits, "format 1u" from FORMATS;
    {
        /// Number of the operand descriptor.
        desc: u8 [7],
        /// Bits that every engine ignores.
        unused: u8 [5] Reserved,
        /// Source: 0 to 15 are v0 to v15, 16 to 31 r0 to r15, 32 to 127 c0 to c95.
        src1: u8 [7],
        /// Register that is added to the number of a uniform in the source.
        idx: u8 [2] Choice(Index::CHOICES),
        /// Destination: 0 to 15 are o0 to o15, 16 to 31 r0 to r15.
        dst: u8 [5],
        /// Opcode number.
        opcode: u8 [6],
    }

    /// Format 1c: `cmp`.
    pub struct Compare in u32, 32 bits, "format 1c" from FORMATS;
    {
        /// Number of the operand descriptor.
        desc: u8 [7],
        /// Second source: 0 to 15 are v0 to v15, 16 to 31 r0 to r15.
        src2: u8 [5],
        /// First source: 0 to 15 are v0 to v15, 16 to 31 r0 to r15, 32 to 127 c0 to c95.
        src1: u8 [7],
        /// Register that is added to the number of a uniform in the first source.
        idx: u8 [2] Choice(Index::CHOICES),
        /// Operator for y; 6 and 7 have no known meaning.
        /// See [`Comparison`].
        cmpy: u8 [3] Choice(Comparison::CHOICES),
        /// Operator for x; 6 and 7 have no known meaning.
        /// See [`Comparison`].
        cmpx: u8 [3] Choice(Comparison::CHOICES),
        /// The upper five bits of the opcode number.
        opcode: u8 [5],
    }

    /// Format 2: `breakc`, `call`, `callc`, `ifc`, `jmpc`.
    pub struct Conditional in u32, 32 bits, "format 2" from FORMATS;
    {
        /// Number of words of the procedure that is called, or of the else branch of `ifc`.
        num: u8 [8],
        /// Bits that every engine ignores.
        unused: u8 [2] Reserved,
        /// Target address, in words.
        dst: u16 [12],
        /// How the tests of cmp.x and cmp.y combine.
        /// See [`Condition`].
        condop: u8 [2] Choice(Condition::CHOICES),
        /// Value that cmp.y is compared with.
        refy: u8 [1],
        /// Value that cmp.x is compared with.
        refx: u8 [1],
        /// Opcode number.
        opcode: u8 [6],
    }

    /// Format 3: `callu`, `ifu`, `jmpu`, `for`.
    pub struct Uniform in u32, 32 bits, "format 3" from FORMATS;
    {
        /// Number of words of the procedure that is called, or of the else branch of `ifu`; bit 0 of `jmpu` inverts the Boolean.
        num: u8 [8],
        /// Bits that every engine ignores.
        unused: u8 [2] Reserved,
        /// Target address, in words; of a loop, address of the last word of its body.
        dst: u16 [12],
        /// Number of the Boolean uniform; of a loop, number of the integer uniform, of which engines use only two bits.
        id: u8 [4],
        /// Opcode number.
        opcode: u8 [6],
    }

    /// Format 4: `setemit`.
    pub struct Emission in u32, 32 bits, "format 4" from FORMATS;
    {
        /// Bits that every engine ignores.
        unused: u32 [22] Reserved,
        /// Whether the winding order of the primitive is reversed.
        winding: u8 [1],
        /// Whether the vertex completes a primitive.
        prim: u8 [1],
        /// Vertex slot, 0 to 2.
        vtx: u8 [2],
        /// Opcode number.
        opcode: u8 [6],
    }

    /// Format 5: `mad`.
    pub struct Ternary in u32, 32 bits, "format 5" from FORMATS;
    {
        /// Number of the operand descriptor, 0 to 31.
        desc: u8 [5],
        /// Third source: 0 to 15 are v0 to v15, 16 to 31 r0 to r15.
        src3: u8 [5],
        /// Second source: 0 to 15 are v0 to v15, 16 to 31 r0 to r15, 32 to 127 c0 to c95.
        src2: u8 [7],
        /// First source: 0 to 15 are v0 to v15, 16 to 31 r0 to r15.
        src1: u8 [5],
        /// Register that is added to the number of a uniform in the second source.
        idx: u8 [2] Choice(Index::CHOICES),
        /// Destination: 0 to 15 are o0 to o15, 16 to 31 r0 to r15.
        dst: u8 [5],
        /// The upper three bits of the opcode number.
        opcode: u8 [3],
    }

    /// Format 5i: `madi`.
    pub struct TernaryInverse in u32, 32 bits, "format 5i" from FORMATS;
    {
        /// Number of the operand descriptor, 0 to 31.
        desc: u8 [5],
        /// Third source: 0 to 15 are v0 to v15, 16 to 31 r0 to r15, 32 to 127 c0 to c95.
        src3: u8 [7],
        /// Second source: 0 to 15 are v0 to v15, 16 to 31 r0 to r15.
        src2: u8 [5],
        /// First source: 0 to 15 are v0 to v15, 16 to 31 r0 to r15.
        src1: u8 [5],
        /// Register that is added to the number of a uniform in the third source.
        idx: u8 [2] Choice(Index::CHOICES),
        /// Destination: 0 to 15 are o0 to o15, 16 to 31 r0 to r15.
        dst: u8 [5],
        /// The upper three bits of the opcode number.
        opcode: u8 [3],
    }

    /// A word whose opcode has no known meaning.
    pub struct Unknown in u32, 32 bits, "unknown" from FORMATS;
    {
        /// All bits except the opcode.
        bits: u32 [26],
        /// Opcode number.
        opcode: u8 [6],
    }

    /// An operand descriptor: write mask, and swizzle and sign of each source.
    pub struct Descriptor in u32, 32 bits, "descriptor" from "S1";
    {
        /// Components written: bit 3 = x, bit 2 = y, bit 1 = z, bit 0 = w.
        /// See [`mask_bit`].
        mask: u8 [4],
        /// Whether the first source is negated.
        negate1: u8 [1],
        /// For each component, the number of the component of the first source that is read, 0 = x: two bits each, those of w lowest.
        select1: u8 [8] Elements(2),
        /// Whether the second source is negated.
        negate2: u8 [1],
        /// For each component, the number of the component of the second source that is read, 0 = x: two bits each, those of w lowest.
        select2: u8 [8] Elements(2),
        /// Whether the third source is negated.
        negate3: u8 [1],
        /// For each component, the number of the component of the third source that is read, 0 = x: two bits each, those of w lowest.
        select3: u8 [8] Elements(2),
        /// Bit 31, which has no known effect.
        flag: u8 [1] Reserved,
    }

    /// A component of a float constant in a file: an f24 in the low bits.
    pub struct Float in u32, 32 bits, "float component" from "S2";
    {
        /// Mantissa, without the leading 1.
        mantissa: u16 [16],
        /// Exponent, with a bias of 63.
        exponent: u8 [7],
        /// 1 if negative.
        sign: u8 [1],
        /// Bits above the value.
        zero: u8 [8] Reserved,
    }

    /// The first word of an integer constant in a file.
    pub struct Integer in u32, 32 bits, "integer constant" from "S2";
    {
        /// Number of passes of a loop, minus one.
        x: u8 [8],
        /// Initial value of aL.
        y: u8 [8],
        /// Increment of aL per pass.
        z: u8 [8],
        /// A byte without known meaning.
        w: u8 [8],
    }

    /// The first word of a Boolean constant in a file.
    pub struct Boolean in u32, 32 bits, "boolean constant" from "S2";
    {
        /// 1 for true.
        value: u8 [1],
        /// Bits above the value.
        zero: u32 [31] Reserved,
    }

    /// Number 1 of `Entry::extra`: the registers of an emitted vertex.
    pub struct Emitted in u32, 32 bits, "emitted outputs" from ENTRY;
    {
        /// Output registers of an emitted vertex, bit n for register n.
        outputs: u16 [16] Elements(1),
        /// Bits above the mask.
        zero: u16 [16] Reserved,
    }

    /// Number 2 of `Entry::extra`: how primitives are assembled for a geometry program, see [`Dvle`](super::container::Dvle).
    pub struct Geometry in u32, 32 bits, "geometry mode" from ENTRY;
    {
        /// How primitives are assembled for a geometry program.
        /// See [`GeometryMode`].
        mode: u8 [8] Choice(GeometryMode::CHOICES),
        /// Fixed mode: number of the first uniform that holds vertices.
        fixed_start: u8 [8],
        /// Variable mode: number of vertices that have all attributes.
        variable_vertices: u8 [8],
        /// Fixed mode: number of vertices.
        fixed_vertices: u8 [8],
    }
}

/// The names of fields that several formats share or that are looked up by name, taken from the declarations of the fields.
pub mod fields {
    use super::{Binary, Compare, Conditional, Emission, Plain, Ternary, Uniform, Unknown};

    /// Destination register, or target address of control flow.
    pub const DST: &str = Conditional::dst.name;
    /// Number of words of a procedure or an else branch; for `jmpu`, bit 0 inverts the Boolean.
    pub const NUM: &str = Conditional::num.name;
    /// Value that cmp.x is compared with.
    pub const REFX: &str = Conditional::refx.name;
    /// Value that cmp.y is compared with.
    pub const REFY: &str = Conditional::refy.name;
    /// How the tests of cmp.x and cmp.y combine.
    pub const CONDOP: &str = Conditional::condop.name;
    /// Bits that every engine ignores in a format with operands.
    pub const UNUSED: &str = Conditional::unused.name;
    /// Bits that every engine ignores in a format without operands.
    pub const IGNORED: &str = Plain::ignored.name;
    /// Address register that is added to the number of a uniform in a source.
    pub const IDX: &str = Binary::idx.name;
    /// Number of the operand descriptor.
    pub const DESC: &str = Binary::desc.name;
    /// First source.
    pub const SRC1: &str = Ternary::src1.name;
    /// Second source.
    pub const SRC2: &str = Ternary::src2.name;
    /// Third source.
    pub const SRC3: &str = Ternary::src3.name;
    /// All sources.
    pub const SOURCES: [&str; 3] = [SRC1, SRC2, SRC3];
    /// Comparison operator for x.
    pub const CMPX: &str = Compare::cmpx.name;
    /// Comparison operator for y.
    pub const CMPY: &str = Compare::cmpy.name;
    /// Number of the uniform.
    pub const ID: &str = Uniform::id.name;
    /// Vertex slot.
    pub const VTX: &str = Emission::vtx.name;
    /// Whether the vertex completes a primitive.
    pub const PRIM: &str = Emission::prim.name;
    /// Whether the winding order of the primitive is reversed.
    pub const WINDING: &str = Emission::winding.name;
    /// All bits except the opcode of a word without known meaning.
    pub const BITS: &str = Unknown::bits.name;
}

/// All layouts.
pub static LAYOUTS: [Layout; 15] = [
    Plain::LAYOUT,
    Binary::LAYOUT,
    BinaryInverse::LAYOUT,
    Unary::LAYOUT,
    Compare::LAYOUT,
    Conditional::LAYOUT,
    Uniform::LAYOUT,
    Emission::LAYOUT,
    Ternary::LAYOUT,
    TernaryInverse::LAYOUT,
    Unknown::LAYOUT,
    Descriptor::LAYOUT,
    Float::LAYOUT,
    Integer::LAYOUT,
    Boolean::LAYOUT,
];

/// The layouts of Lockstep's own words.
pub static OWN_LAYOUTS: [Layout; 2] = [Emitted::LAYOUT, Geometry::LAYOUT];

/// Returns the opcode number for the value of an opcode field. A shorter field contains the upper bits of the number.
#[inline]
const fn opcode_number(field: &Field, value: u8) -> u8 {
    value << (Unknown::opcode.width - field.width)
}

/// Returns the value of an opcode field for an operation.
///
/// # Panics
/// If the operation's number has bits that the field does not hold.
pub fn opcode_bits(field: &Field, op: Opcode) -> u8 {
    let number: u8 = exact(op.row().number);
    let value = number >> (Unknown::opcode.width - field.width);
    assert_eq!(opcode_number(field, value), number, "the opcode field of {op:?} holds its number");
    value
}

/// One instruction. Every word decodes; its opcode determines the variant.
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
    /// Decodes a word.
    #[inline]
    pub fn from_word(word: u32) -> Instruction {
        match Opcode::format_of(word.get(&Unknown::opcode)) {
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

    /// Encodes the instruction.
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

    /// Returns the layout of the instruction word.
    pub fn layout(&self) -> &'static Layout {
        match self {
            Instruction::Plain(_) => &Plain::LAYOUT,
            Instruction::Binary(_) => &Binary::LAYOUT,
            Instruction::BinaryInverse(_) => &BinaryInverse::LAYOUT,
            Instruction::Unary(_) => &Unary::LAYOUT,
            Instruction::Compare(_) => &Compare::LAYOUT,
            Instruction::Conditional(_) => &Conditional::LAYOUT,
            Instruction::Uniform(_) => &Uniform::LAYOUT,
            Instruction::Emission(_) => &Emission::LAYOUT,
            Instruction::Ternary(_) => &Ternary::LAYOUT,
            Instruction::TernaryInverse(_) => &TernaryInverse::LAYOUT,
            Instruction::Unknown(_) => &Unknown::LAYOUT,
        }
    }

    /// Returns a field by its name in the layout; 0 if the layout has no such field.
    pub fn field(&self, name: &str) -> u32 {
        self.layout().field(name).map_or(0, |field| self.to_word().get(field))
    }

    /// Returns the instruction with the field of this name set to a value; unchanged if the layout has no such field.
    ///
    /// # Panics
    /// If the value does not fit the field.
    #[must_use]
    pub fn with_field(&self, name: &str, value: u32) -> Instruction {
        let Some(field) = self.layout().field(name) else { return *self };
        let Some(word) = field.replace_in(self.to_word(), value) else {
            panic!("{value} does not fit '{name}', which has {} bits", field.width);
        };
        Instruction::from_word(word)
    }

    /// Returns the operation; `None` for an unknown opcode number.
    #[inline]
    pub fn op(&self) -> Option<Opcode> {
        crate::work::count_work(1);
        let number = match self {
            Instruction::Plain(i) => i.opcode,
            Instruction::Binary(i) => i.opcode,
            Instruction::BinaryInverse(i) => i.opcode,
            Instruction::Unary(i) => i.opcode,
            Instruction::Compare(i) => opcode_number(&Compare::opcode, i.opcode),
            Instruction::Conditional(i) => i.opcode,
            Instruction::Uniform(i) => i.opcode,
            Instruction::Emission(i) => i.opcode,
            Instruction::Ternary(i) => opcode_number(&Ternary::opcode, i.opcode),
            Instruction::TernaryInverse(i) => opcode_number(&TernaryInverse::opcode, i.opcode),
            Instruction::Unknown(i) => i.opcode,
        };
        Opcode::from_number(u32::from(number))
    }

    /// Returns the number of the descriptor, if the format has one.
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

    /// Returns the destination register, if the instruction writes one.
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

    /// Returns the register number and the index (`idx`) of each source; `None` after the last source.
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

    /// Returns the instruction with the register number of source `n`, counted from 0, replaced; unchanged if there is no such source.
    ///
    /// # Panics
    /// If the number does not fit the field, as the number of a uniform does not fit a narrow source.
    #[must_use]
    pub fn with_source(&self, n: usize, number: u8) -> Instruction {
        fields::SOURCES.get(n).map_or(*self, |field| self.with_field(field, number.into()))
    }

    /// Returns the fields `dst` and `num` of a control-flow instruction in format 2 or 3; `None` for other formats.
    #[inline]
    pub fn flow(&self) -> Option<(u16, u8)> {
        match self {
            Instruction::Conditional(i) => Some((i.dst, i.num)),
            Instruction::Uniform(i) => Some((i.dst, i.num)),
            _ => None,
        }
    }
}

impl Uniform {
    /// The bit of `num` that inverts the Boolean of `jmpu`.
    pub const INVERTED: u8 = 1;
    /// The bits of `id` that select the integer uniform of `for`.
    const INTEGER: u8 = 3;

    /// Whether `jmpu` inverts its Boolean.
    #[inline]
    pub fn is_inverted(&self) -> bool {
        self.num & Uniform::INVERTED != 0
    }

    /// Returns the instruction with the inversion bit of `jmpu` set to `inverted`. The other bits of `num` are unchanged.
    #[must_use]
    pub fn with_inverted(self, inverted: bool) -> Uniform {
        let others = self.num & !Uniform::INVERTED;
        Uniform { num: if inverted { others | Uniform::INVERTED } else { others }, ..self }
    }

    /// Returns the number of the integer uniform of `for`: engines use two bits of `id`.
    #[inline]
    pub fn integer(&self) -> u8 {
        self.id & Uniform::INTEGER
    }
}

impl Descriptor {
    /// The selector of the identity swizzle.
    pub const XYZW: u8 = 1 << (2 * place(1)) | 2 << (2 * place(2)) | 3 << (2 * place(3));

    /// Whether component `c`, 0 = x, is written.
    #[inline]
    pub fn writes(&self, c: usize) -> bool {
        self.mask & mask_bit(c) != 0
    }

    /// Returns the write mask with bit 0 = x, as everywhere outside descriptors.
    #[inline]
    pub fn write_mask(&self) -> u8 {
        reverse(self.mask)
    }

    /// Returns the descriptor with sign and selector of source `n`, counted from 0, replaced.
    #[must_use]
    pub fn with_source(self, n: usize, negate: bool, select: u8) -> Descriptor {
        let sign = u8::from(negate);
        match n {
            0 => Descriptor { negate1: sign, select1: select, ..self },
            1 => Descriptor { negate2: sign, select2: select, ..self },
            _ => Descriptor { negate3: sign, select3: select, ..self },
        }
    }

    /// Returns the sign (whether the source is negated) and the selector of source `n`, counted from 0.
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
    /// Returns a descriptor with the full write mask, identity selectors and positive sources.
    fn default() -> Descriptor {
        let select = Descriptor::XYZW;
        let (select1, select2, select3) = (select, select, select);
        Descriptor { mask: 0xf, negate1: 0, select1, negate2: 0, select2, negate3: 0, select3, flag: 0 }
    }
}

/// Returns the position of a component, 0 = x, among the bits of a descriptor's mask and the elements of its selectors. The lowest position holds w
/// and the highest x. The function is its own inverse.
#[inline(always)]
pub const fn place(component: usize) -> usize {
    3 - component
}

/// Returns the bit of a component, 0 = x, in the mask of a descriptor.
#[inline(always)]
pub const fn mask_bit(component: usize) -> u8 {
    1 << place(component)
}

/// Converts the mask of a descriptor to a mask with bit 0 = x, or back.
#[inline]
pub fn reverse(mask: u8) -> u8 {
    (0..4).fold(0, |reversed, c| reversed | (mask >> place(c) & 1) << c)
}
