//! The bit layouts of an A2xx program: clauses of 48 bits, two per slot, and ALU and FETCH slots of 96 bits.
//!
//! Bit numbers of slots run through all three dwords: bit 32 is bit 0 of dword 1.

#![deny(clippy::cast_possible_truncation)]

use super::format;
use super::names::KINDS;
use super::opcode::{CfOp, FetchOp};
use crate::binary::FieldKind::{Choice, Elements, Fixed, Reserved, Signed};
use crate::binary::{Layout, vocabulary, words};

/// Size of a slot in bytes.
pub const SLOT: usize = 12;
/// Size of a clause in bits.
pub const CLAUSE_BITS: u32 = 48;
/// Maximum number of slots that a clause runs: SEQ and VC describe only six.
pub const MAX_RUN: u8 = 6;

const CF: &str = "xenia, mesa (fd-hdr, mesa, xenia)";
const ALU_SOURCE: &str = "fd-hdr, xenia (fd-hdr, mesa, xenia; checked on 812 slots)";
const FETCH_SOURCE: &str = "xenia, mesa (fd-hdr, mesa, xenia; checked on 115 slots)";
const PACKET_SOURCE: &str = "fd-notes, mesa";

vocabulary! {
    /// The type of a packet of a command stream, which determines its length.
    pub enum PacketKind {
        /// Writes consecutive registers.
        Registers = 0 "registers",
        /// Writes two registers.
        TwoRegisters = 1 "two registers",
        /// A packet that consists only of its header.
        Filler = 2 "filler",
        /// A command with an opcode.
        Command = 3 "command",
    }

    /// The address mode of a clause. Its effect is unknown: in every known file, addresses count from the beginning of the shader.
    pub enum AddressMode {
        /// The value in every known file.
        Relative = 0 "relative",
        /// Not used in any known file; xenia uses the same two names for indexing by aL (relative) and by a0 (absolute).
        Absolute = 1 "absolute",
    }

    /// The buffer that ALLOC reserves.
    pub enum Buffer {
        /// No buffer.
        None = 0 "NO ALLOC" as "none",
        /// The position; COORD is its name in SEED.
        Position = 1 "POSITION" as "position" | "COORD",
        /// Parameters of a vertex shader, or colours of a fragment shader.
        Parameters = 2 "PARAM/PIXEL" as "parameters",
        /// The buffer of memory exports.
        Memory = 3 "MEMORY" as "memory",
    }

    /// The direction hint of a branch.
    pub enum Direction {
        /// To an earlier clause.
        Backward = 0 "backward",
        /// To a later clause.
        Forward = 1 "forward",
    }

    /// The file of an ALU source.
    pub enum Bank {
        /// A constant.
        Constant = 0 "constant",
        /// A register.
        Register = 1 "register",
    }

    /// The interpretation of integers in a vertex format.
    pub enum Integers {
        /// Normalised fractions.
        Normalised = 0 "normalised",
        /// Integer values.
        Integer = 1 "integer",
    }

    /// The mapping of signed normalised numbers.
    pub enum SignedZero {
        /// Two bit patterns represent -1.
        Clamped = 0 "clamped at -1",
        /// No bit pattern represents zero.
        NoZero = 1 "no zero",
    }

    /// How the index of a vertex fetch is rounded.
    pub enum IndexRounding {
        /// Rounded down.
        Floor = 0 "floor",
        /// Rounded to nearest.
        Nearest = 1 "nearest",
    }

    /// Texel filters.
    pub enum Filter {
        /// The nearest texel, without filtering.
        Point = 0 "POINT" as "point",
        /// Blends neighbouring texels.
        Linear = 1 "LINEAR" as "linear",
        /// Only the largest level is read.
        BaseMap = 2 "BASEMAP" as "basemap",
        /// Taken from the texture constant.
        Constant = 3 "from the constant" as "constant",
    }

    /// Maximum number of samples of an anisotropic filter.
    pub enum Anisotropy {
        /// Anisotropic filtering is disabled.
        Disabled = 0 "DISABLED" as "off",
        /// One sample.
        Max1 = 1 "MAX_1_1" as "1",
        /// Two samples.
        Max2 = 2 "MAX_2_1" as "2",
        /// Four samples.
        Max4 = 3 "MAX_4_1" as "4",
        /// Eight samples.
        Max8 = 4 "MAX_8_1" as "8",
        /// Sixteen samples.
        Max16 = 5 "MAX_16_1" as "16",
        /// Taken from the texture constant.
        Constant = 7 "from the constant" as "constant",
    }

    /// Filter kernels, by width and height.
    pub enum Kernel {
        /// Symmetric, two by four.
        SymmetricTwoByFour = 0 "2x4_SYM" as "2x4_sym",
        /// Asymmetric, two by four.
        AsymmetricTwoByFour = 1 "2x4_ASYM" as "2x4_asym",
        /// Symmetric, four by two.
        SymmetricFourByTwo = 2 "4x2_SYM" as "4x2_sym",
        /// Asymmetric, four by two.
        AsymmetricFourByTwo = 3 "4x2_ASYM" as "4x2_asym",
        /// Symmetric, four by four.
        SymmetricFourByFour = 4 "4x4_SYM" as "4x4_sym",
        /// Asymmetric, four by four.
        AsymmetricFourByFour = 5 "4x4_ASYM" as "4x4_asym",
        /// Taken from the texture constant.
        Constant = 7 "from the constant" as "constant",
    }

    /// The position within a pixel at which a texture is sampled.
    pub enum Location {
        /// At the centroid.
        Centroid = 0 "CENTROID" as "centroid",
        /// At the centre.
        Center = 1 "CENTER" as "center",
    }

    /// The shape of a texture on Xenos. Adreno takes the shape from the texture constant.
    pub enum Dimension {
        /// One-dimensional.
        One = 0 "1D" as "1d",
        /// Two-dimensional.
        Two = 1 "2D" as "2d",
        /// Three-dimensional.
        Three = 2 "3D" as "3d",
        /// A cube map.
        Cube = 3 "CUBE" as "cube",
    }
}

words! {
    /// The dwords of a slot in file order.
    pub struct SlotDwords in u128, 96 bits, "dwords of a slot" from CF;
    {
        /// Dword 0.
        dword0: u32 [32],
        /// Dword 1.
        dword1: u32 [32],
        /// Dword 2.
        dword2: u32 [32],
    }

    /// The two clauses in a slot of the control-flow area.
    pub struct ClausePair in u128, 96 bits, "clauses of a slot" from CF;
    {
        /// The clause with the even number.
        even: u64 [48],
        /// The clause with the odd number, which runs next.
        odd: u64 [48],
    }

    /// The header of a packet of a command stream. Bits 0 to 15 have this meaning only in commands.
    pub struct PacketHeader in u32, 32 bits, "packet header" from PACKET_SOURCE;
    {
        /// Flags of a command.
        flags: u8 [8],
        /// Opcode of a command.
        opcode: u8 [8],
        /// Number of dwords after the header, minus one.
        count: u16 [14],
        /// Type of the packet.
        kind "type": u8 [2] Choice(PacketKind::CHOICES),
    }

    /// The second dword after the header of CP_IM_LOAD_IMMEDIATE.
    pub struct LoadedRange in u32, 32 bits, "range that CP_IM_LOAD_IMMEDIATE loads" from PACKET_SOURCE;
    {
        /// Number of dwords of the shader.
        size: u16 [16],
        /// Position in the instruction memory.
        start: u16 [16],
    }

    /// The layout of NOP and MARK_VS_FETCH_DONE.
    #[derive(Default)]
    pub struct Plain in u64, 48 bits, "NOP, MARK_VS_FETCH_DONE" from CF;
    {
        /// Bits 0 to 42, unused.
        payload: u64 [43] Reserved,
        /// Address mode.
        absolute "address_mode": u8 [1] Choice(AddressMode::CHOICES),
        /// Operation number.
        opcode: u8 [4],
    }

    /// The layout of [`Exec`] for clauses that test no Boolean constant: the same word, with other names for bits 34 to 41.
    #[derive(Default)]
    pub struct ExecWithoutBool in u64, 48 bits, "EXEC, EXEC_END, COND_PRED_EXEC, COND_PRED_EXEC_END" from CF;
    {
        /// First slot, counted from the beginning of the shader.
        addr: u16 [12],
        /// Number of slots that the clause runs, 0 to 6; 7 is illegal.
        cnt: u8 [3],
        /// Hint that another thread may be scheduled.
        yields "yield": u8 [1],
        /// Two bits for each slot: bit 0 is 1 for FETCH and 0 for ALU, bit 1 is 1 if the slot waits for earlier slots.
        /// See [`Sequence`].
        seq: u16 [12] Elements(2),
        /// One bit per slot: whether the fetch uses the vertex cache.
        vc: u8 [6] Elements(1),
        /// Reserved; should be zero.
        zero34: u8 [7] Reserved,
        /// 1 if no instruction changes the predicate.
        pred_clean: u8 [1],
        /// The required value of the predicate, if the operation tests it.
        cond: u8 [1],
        /// Address mode.
        absolute "address_mode": u8 [1] Choice(AddressMode::CHOICES),
        /// Operation number.
        opcode: u8 [4],
    }

    /// A clause that runs slots, unconditionally or depending on the predicate or a Boolean constant. Which bits are reserved depends on the
    /// operation: [`Exec::has_reserved_bits`].
    #[derive(Default)]
    pub struct Exec in u64, 48 bits, "COND_EXEC, COND_EXEC_END, COND_EXEC_PRED_CLEAN, COND_EXEC_PRED_CLEAN_END" from CF;
    {
        /// First slot, counted from the beginning of the shader.
        addr: u16 [12],
        /// Number of slots that the clause runs, 0 to 6; 7 is illegal.
        cnt: u8 [3],
        /// Hint that another thread may be scheduled.
        yields "yield": u8 [1],
        /// Two bits for each slot: bit 0 is 1 for FETCH and 0 for ALU, bit 1 is 1 if the slot waits for earlier slots.
        /// See [`Sequence`].
        seq: u16 [12] Elements(2),
        /// One bit per slot: whether the fetch uses the vertex cache.
        vc: u8 [6] Elements(1),
        /// Number of the Boolean constant that is tested.
        /// For clauses that test none, see [`ExecWithoutBool`].
        bool_addr: u8 [8],
        /// The required value of the predicate or Boolean constant.
        cond: u8 [1],
        /// Address mode.
        absolute "address_mode": u8 [1] Choice(AddressMode::CHOICES),
        /// Operation number.
        opcode: u8 [4],
    }

    /// The layout of LOOP_START.
    #[derive(Default)]
    pub struct LoopStart in u64, 48 bits, (CfOp::LoopStart.mnemonic()) from CF;
    {
        /// Number of the clause that runs next if the loop has no passes.
        addr: u16 [13],
        /// 1 to keep aL, by continuing from the earlier pass count.
        repeat: u8 [1],
        /// Bits 14 and 15, reserved.
        zero14: u8 [2] Reserved,
        /// Number of the loop constant.
        loop_id: u8 [5],
        /// Bits 21 to 42, reserved.
        zero21: u32 [22] Reserved,
        /// Address mode.
        absolute "address_mode": u8 [1] Choice(AddressMode::CHOICES),
        /// Operation number.
        opcode: u8 [4],
    }

    /// The layout of LOOP_END.
    #[derive(Default)]
    pub struct LoopEnd in u64, 48 bits, (CfOp::LoopEnd.mnemonic()) from CF;
    {
        /// Number of the first clause of the body.
        addr: u16 [13],
        /// Bits 13 to 15, reserved.
        zero13: u8 [3] Reserved,
        /// Number of the loop constant.
        loop_id: u8 [5],
        /// Whether the loop ends once the predicate is `cond`.
        pred_break: u8 [1],
        /// Bits 22 to 41, reserved.
        zero22: u32 [20] Reserved,
        /// Value of the predicate that ends the loop.
        cond: u8 [1],
        /// Address mode.
        absolute "address_mode": u8 [1] Choice(AddressMode::CHOICES),
        /// Operation number.
        opcode: u8 [4],
    }

    /// COND_CALL, RETURN (which uses only operation and address mode) and COND_JMP.
    #[derive(Default)]
    pub struct Branch in u64, 48 bits, "COND_CALL, RETURN, COND_JMP" from CF;
    {
        /// Number of the target clause.
        addr: u16 [13],
        /// Whether the branch is always taken.
        unconditional: u8 [1],
        /// Whether the condition is the predicate instead of a Boolean constant.
        predicated: u8 [1],
        /// Bits 15 to 32, reserved.
        zero15: u32 [18] Reserved,
        /// Hint about the direction of the branch.
        direction: u8 [1] Choice(Direction::CHOICES),
        /// Number of the Boolean constant.
        bool_addr: u8 [8],
        /// The required value of the predicate or Boolean constant.
        cond: u8 [1],
        /// Address mode.
        absolute "address_mode": u8 [1] Choice(AddressMode::CHOICES),
        /// Operation number.
        opcode: u8 [4],
    }

    /// The layout of ALLOC.
    #[derive(Default)]
    pub struct Alloc in u64, 48 bits, (CfOp::Alloc.mnemonic()) from CF;
    {
        /// Amount to reserve; its unit differs between compilers.
        size: u8 [4],
        /// Bits 4 to 39, reserved.
        zero4: u64 [36] Reserved,
        /// Hint that the reserved space needs no ordering.
        no_serial: u8 [1],
        /// Buffer in which space is reserved.
        /// See [`Buffer`].
        buffer: u8 [2] Choice(Buffer::CHOICES),
        /// Allocation mode, whose effect is unknown (fd-hdr).
        alloc_mode: u8 [1],
        /// Operation number.
        opcode: u8 [4],
    }

    /// An ALU slot, which consists of a vector and a scalar operation.
    #[derive(Default)]
    pub struct Alu in u128, 96 bits, (KINDS[0]) from ALU_SOURCE;
    {
        /// Register of the vector result, or the export of both results.
        vdest: u8 [6],
        /// Whether `vdest` is relative to aL; unused for exports.
        vdest_rel: u8 [1],
        /// Whether the absolute value of constants is taken (xenia); fd-hdr calls this bit low precision.
        abs_const: u8 [1],
        /// Register of the scalar result; unused for exports.
        sdest: u8 [6],
        /// Whether `sdest` is relative to aL; for exports, whether components that neither half writes become 0.
        sdest_rel: u8 [1],
        /// Whether both results are written to export `vdest`.
        export: u8 [1],
        /// Components of the vector result written, bit 0 = x.
        vmask: u8 [4],
        /// Components to which the scalar result is written, bit 0 = x.
        smask: u8 [4],
        /// Whether the vector result is clamped to 0 … 1.
        vclamp: u8 [1],
        /// Whether the scalar result is clamped to 0 … 1 when it is written; the previous scalar result is not clamped.
        sclamp: u8 [1],
        /// Scalar operation.
        /// See [`ScalarOp`](super::opcode::ScalarOp).
        sop: u8 [6],
        /// Relative swizzle of source 3: number n of the list plus n, modulo 4, is the component that is read for component n.
        /// See [`component`](super::program::component).
        swz3: u8 [8] Elements(2),
        /// Relative swizzle of source 2, like that of source 3.
        swz2: u8 [8] Elements(2),
        /// Relative swizzle of source 1, like that of source 3.
        swz1: u8 [8] Elements(2),
        /// Whether source 3 is negated.
        neg3: u8 [1],
        /// Whether source 2 is negated.
        neg2: u8 [1],
        /// Whether source 1 is negated.
        neg1: u8 [1],
        /// The required value of the predicate.
        pred_cond: u8 [1],
        /// Whether the slot runs only if the predicate equals `pred_cond`.
        pred_en: u8 [1],
        /// Whether relative constants use a0 instead of aL.
        addr_a0: u8 [1],
        /// Whether the second and third constants among the sources are relative.
        const1_rel: u8 [1],
        /// Whether the first constant among the sources is relative.
        const0_rel: u8 [1],
        /// Source 3: a register source or the number of a constant, as selected by `sel3`.
        /// See [`Register`].
        src3: u8 [8],
        /// Source 2, like source 3.
        src2: u8 [8],
        /// Source 1, like source 3.
        src1: u8 [8],
        /// Vector operation.
        /// See [`VectorOp`](super::opcode::VectorOp).
        vop: u8 [5],
        /// Whether source 3 is a register rather than a constant.
        sel3: u8 [1] Choice(Bank::CHOICES),
        /// Whether source 2 is a register rather than a constant.
        sel2: u8 [1] Choice(Bank::CHOICES),
        /// Whether source 1 is a register rather than a constant.
        sel1: u8 [1] Choice(Bank::CHOICES),
    }

    /// The SEQ element of a slot that a clause runs.
    #[derive(Default)]
    pub struct Sequence in u8, 2 bits, "SEQ of a slot" from CF;
    {
        /// 1 for FETCH, 0 for ALU.
        fetch: u8 [1],
        /// Whether the slot waits for earlier slots.
        serial: u8 [1],
    }

    /// A register source of an ALU slot.
    pub struct Register in u8, 8 bits, "register source" from ALU_SOURCE;
    {
        /// Register number.
        number: u8 [6],
        /// Whether the number is relative to aL.
        relative: u8 [1],
        /// Whether the absolute value is taken.
        absolute: u8 [1],
    }

    /// The swizzle of source 3 in a scalar operation that reads a constant and a register: the components of both, and most of the register's number.
    pub struct PairSwizzle in u8, 8 bits, "swizzle of a constant and a register" from ALU_SOURCE;
    {
        /// Component of the register.
        component: u8 [2],
        /// Bits 2 to 5 of the register's number.
        /// See [`PairRegister`].
        high: u8 [4],
        /// Component of the constant, relative to component w: 0 is w, 1 is x.
        constant: u8 [2],
    }

    /// The field `use_reg_lod`. Its first bit selects the level of detail set by SET_TEX_LOD; the second is assumed to do so too.
    pub struct RegLod in u8, 2 bits, "use_reg_lod" from FETCH_SOURCE;
    {
        /// Whether the level of detail set by SET_TEX_LOD is used.
        common: u8 [1],
        /// A second bit that fd-hdr has in the field; its meaning is unknown and assumed to be that of the first.
        adreno: u8 [1],
    }

    /// The register number in a scalar operation that reads a constant and a register. It is spread over three fields.
    pub struct PairRegister in u8, 6 bits, "register beside a constant" from ALU_SOURCE;
    {
        /// Bit 0 of the register's number, which is the lowest bit of `sop`.
        op: u8 [1],
        /// Bit 1 of the register's number, which is stored in `sel3`.
        sel: u8 [1],
        /// Bits 2 to 5 of the register's number, which are stored in `swz3`.
        /// See [`PairSwizzle`].
        high: u8 [4],
    }

    /// A FETCH slot with opcode 0.
    #[derive(Default)]
    pub struct Vertex in u128, 96 bits, (FetchOp::Vertex.mnemonic()) from FETCH_SOURCE;
    {
        /// Operation number, 0.
        opcode: u8 [5],
        /// Register that contains the index.
        src: u8 [6],
        /// Whether `src` is relative to aL.
        src_rel: u8 [1],
        /// Register of the result.
        dst: u8 [6],
        /// Whether `dst` is relative to aL.
        dst_rel: u8 [1],
        /// Bit 19, which should be 1.
        one19: u8 [1] Fixed(1),
        /// Number of the vertex constant divided by 3, rounded down.
        const_index: u8 [5],
        /// Remainder of that division: the vertex constant is `3 * const_index + const_sub`.
        const_sub: u8 [2],
        /// Prefetch hint.
        prefetch: u8 [3],
        /// Component of the index.
        src_component: u8 [2],
        /// A selector of three bits for each component: 0 to 3 a fetched component, 4 zero, 5 one, 6 invalid, 7 keep the old value.
        dst_swizzle: u16 [12] Elements(3),
        /// Whether the format's numbers are signed.
        signed: u8 [1],
        /// Whether the format's integers are not normalised.
        integer: u8 [1] Choice(Integers::CHOICES),
        /// Whether signed normalised numbers have no zero.
        no_zero: u8 [1] Choice(SignedZero::CHOICES),
        /// Whether the index is rounded to nearest instead of down.
        round_index: u8 [1] Choice(IndexRounding::CHOICES),
        /// Format number (mesa, xenia).
        format: u8 [6] Choice(&format::LISTED),
        /// Bits 54 and 55, reserved.
        zero54: u8 [2] Reserved,
        /// Exponent of the power of two that scales the value, two's complement of 6 bits.
        exp_adjust: u8 [6] Signed,
        /// Bit 62: on Xenos, the address of the last fetch without this bit is reused.
        mini_fetch: u8 [1],
        /// Whether the fetch runs only if the predicate equals `pred_cond`.
        pred_en: u8 [1],
        /// Distance between elements, in bytes or dwords (option `stride_unit`).
        stride: u8 [8],
        /// Offset from the beginning of the buffer, two's complement of 23 bits, in the unit of `stride`.
        offset: u32 [23] Signed,
        /// The required value of the predicate.
        pred_cond: u8 [1],
    }

    /// A FETCH slot with an opcode other than 0.
    #[derive(Default)]
    pub struct Texture in u128, 96 bits, "SAMPLE and other texture fetches" from FETCH_SOURCE;
    {
        /// Operation number, not 0.
        /// See [`FetchOp`].
        opcode: u8 [5],
        /// Register that contains the coordinates.
        src: u8 [6],
        /// Whether `src` is relative to aL.
        src_rel: u8 [1],
        /// Register of the result.
        dst: u8 [6],
        /// Whether `dst` is relative to aL.
        dst_rel: u8 [1],
        /// Whether only valid pixels fetch.
        valid_only: u8 [1],
        /// Number of the texture constant.
        const_index: u8 [5],
        /// Whether coordinates are in texels.
        denorm: u8 [1],
        /// Source component of each of the three coordinates, two bits each.
        src_swizzle: u8 [6] Elements(2),
        /// A selector of three bits for each component: 0 to 3 a fetched component, 4 zero, 5 one, 6 invalid, 7 keep the old value.
        dst_swizzle: u16 [12] Elements(3),
        /// Magnification filter.
        mag_filter: u8 [2] Choice(Filter::CHOICES),
        /// Minification filter.
        min_filter: u8 [2] Choice(Filter::CHOICES),
        /// Filter between mip levels.
        mip_filter: u8 [2] Choice(Filter::CHOICES),
        /// Maximum anisotropy; 6 is invalid.
        /// See [`Anisotropy`].
        aniso_filter: u8 [3] Choice(Anisotropy::CHOICES),
        /// Filter kernel; 6 is invalid.
        /// See [`Kernel`].
        arbitrary_filter: u8 [3] Choice(Kernel::CHOICES),
        /// Magnification filter between slices of a volume.
        vol_mag_filter: u8 [2] Choice(Filter::CHOICES),
        /// Minification filter between slices of a volume.
        vol_min_filter: u8 [2] Choice(Filter::CHOICES),
        /// Whether the level of detail is computed from the derivatives of the coordinates.
        use_comp_lod: u8 [1],
        /// Whether the level of detail is the one set by SET_TEX_LOD.
        /// See [`RegLod`].
        use_reg_lod: u8 [2],
        /// Whether the fetch runs only if the predicate equals `pred_cond`.
        pred_en: u8 [1],
        /// Whether derivatives are those set by SET_GRADIENTS_H and SET_GRADIENTS_V.
        use_reg_gradients: u8 [1],
        /// Position within the pixel at which the texture is sampled.
        sample_location: u8 [1] Choice(Location::CHOICES),
        /// Level-of-detail bias in sixteenths, two's complement of 7 bits.
        lod_bias: u8 [7] Signed,
        /// Bits 73 to 77, reserved.
        zero73: u8 [5] Reserved,
        /// Shape of the texture on Xenos; Adreno takes it from the constant.
        dimension: u8 [2] Choice(Dimension::CHOICES),
        /// Offset of x in half texels, two's complement of 5 bits.
        offset_x: u8 [5] Signed,
        /// Offset of y in half texels, two's complement of 5 bits.
        offset_y: u8 [5] Signed,
        /// Offset of z in half texels, two's complement of 5 bits.
        offset_z: u8 [5] Signed,
        /// The required value of the predicate.
        pred_cond: u8 [1],
    }
}

impl SlotDwords {
    /// Returns the bits of a slot with these dwords.
    pub fn join([dword0, dword1, dword2]: [u32; 3]) -> u128 {
        SlotDwords { dword0, dword1, dword2 }.to_word()
    }

    /// Returns the dwords of a slot with these bits.
    pub fn split(slot: u128) -> [u32; 3] {
        let SlotDwords { dword0, dword1, dword2 } = SlotDwords::from_word(slot);
        [dword0, dword1, dword2]
    }
}

/// The layouts outside of the words of instructions: parts of their fields, the dwords and the clauses of a slot, and packets of a command stream.
pub static OUTER_LAYOUTS: [Layout; 9] = [
    Sequence::LAYOUT,
    Register::LAYOUT,
    PairSwizzle::LAYOUT,
    PairRegister::LAYOUT,
    RegLod::LAYOUT,
    SlotDwords::LAYOUT,
    ClausePair::LAYOUT,
    PacketHeader::LAYOUT,
    LoadedRange::LAYOUT,
];

/// The layouts of clauses and of slots.
pub static LAYOUTS: [Layout; 10] = [
    Plain::LAYOUT,
    ExecWithoutBool::LAYOUT,
    Exec::LAYOUT,
    LoopStart::LAYOUT,
    LoopEnd::LAYOUT,
    Branch::LAYOUT,
    Alloc::LAYOUT,
    Alu::LAYOUT,
    Vertex::LAYOUT,
    Texture::LAYOUT,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_of_a_subfield_survives_both_conversions() {
        fn check<T>(layout: &Layout, from_word: impl Fn(u8) -> T, to_word: impl Fn(&T) -> u8) {
            assert!(layout.tiles(), "{}", layout.name);
            for value in 0..1u16 << layout.bits {
                let value = u8::try_from(value).unwrap();
                assert_eq!(to_word(&from_word(value)), value, "{}", layout.name);
            }
        }
        check(&Sequence::LAYOUT, Sequence::from_word, Sequence::to_word);
        check(&Register::LAYOUT, Register::from_word, Register::to_word);
        check(&PairSwizzle::LAYOUT, PairSwizzle::from_word, PairSwizzle::to_word);
        check(&PairRegister::LAYOUT, PairRegister::from_word, PairRegister::to_word);
        check(&RegLod::LAYOUT, RegLod::from_word, RegLod::to_word);
    }

    /// Every bit of a container's word keeps its position, and the fields have the positions that the hardware uses.
    #[test]
    fn every_bit_of_a_container_word_survives_both_conversions() {
        for bit in 0..96 {
            let slot = 1u128 << bit;
            assert_eq!(SlotDwords::join(SlotDwords::split(slot)), slot);
            assert_eq!(SlotDwords::split(slot)[bit / 32], 1 << (bit % 32));
            let pair = ClausePair::from_word(slot);
            assert_eq!(pair.to_word(), slot);
            assert_eq!([pair.even, pair.odd][bit / 48], 1 << (bit % 48));
        }
        for bit in 0..32 {
            assert_eq!(PacketHeader::from_word(1 << bit).to_word(), 1 << bit);
            assert_eq!(LoadedRange::from_word(1 << bit).to_word(), 1 << bit);
        }
        let header = PacketHeader { flags: 0x12, opcode: 0x34, count: 0x1567, kind: 3 };
        assert_eq!(header.to_word(), 0xd567_3412);
        assert_eq!(LoadedRange { size: 0x1234, start: 0x5678 }.to_word(), 0x5678_1234);
    }
}
