//! The typed form of an A2xx file: shaders of clauses and slots, and what stands around them. It carries every bit.

mod vertex;

use super::layout;
use super::opcode::{CfOp, FetchOp, ScalarOp, VectorOp};
use crate::isa::Stage;
pub use vertex::Numbers;

/// The version number of Adreno A2xx.
pub const ADRENO: u32 = 0;
/// The version number of Xenos.
pub const XENOS: u32 = 1;

macro_rules! bits_of {
    ($type:ident, $word:ty, $layout:path, $($field:ident: $int:ty),*) => {
        impl $type {
            /// The fields of a word; bits above it do not count.
            #[inline]
            pub fn from_word(word: $word) -> $type {
                let [$($field),*] = $layout.split(&word);
                $type { $($field: $field as $int),* }
            }

            /// The word with these fields; a field wider than its place is cut.
            #[inline]
            pub fn to_word(&self) -> $word {
                $layout.join(&[$(<$word>::from(self.$field)),*], 0)
            }
        }
    };
}

/// NOP and MARK_VS_FETCH_DONE.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Plain {
    /// Bits 0 to 42, which mean nothing.
    pub payload: u64,
    /// Address mode.
    pub absolute: u8,
    /// Operation number.
    pub opcode: u8,
}

/// A clause that runs slots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Exec {
    /// First slot, counted from the beginning of the shader.
    pub addr: u16,
    /// Number of slots, 0 to 6; 7 is a violation.
    pub cnt: u8,
    /// Hint that the thread may be switched.
    pub yields: u8,
    /// Two bits a slot: bit 2k is 1 for FETCH and 0 for ALU, bit 2k + 1 says that slot k waits for those before.
    pub seq: u16,
    /// One bit a slot: the fetch goes through the vertex cache.
    pub vc: u8,
    /// Bits 34 to 41: the Boolean constant of the clauses that test one; in the others bit 7 is PRED_CLEAN and the rest is zero.
    pub bool_addr: u8,
    /// Value that predicate or Boolean constant are to have.
    pub cond: u8,
    /// Address mode.
    pub absolute: u8,
    /// Operation number.
    pub opcode: u8,
}

/// LOOP_START.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LoopStart {
    /// Clause to go to if the loop counts none.
    pub addr: u16,
    /// Keeps aL.
    pub repeat: u8,
    /// Bits 14 and 15.
    pub zero14: u8,
    /// Loop constant.
    pub loop_id: u8,
    /// Bits 21 to 42.
    pub zero21: u32,
    /// Address mode.
    pub absolute: u8,
    /// Operation number.
    pub opcode: u8,
}

/// LOOP_END.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LoopEnd {
    /// First clause of the body.
    pub addr: u16,
    /// Bits 13 to 15.
    pub zero13: u8,
    /// Loop constant.
    pub loop_id: u8,
    /// Whether the loop ends once the predicate is `cond`.
    pub pred_break: u8,
    /// Bits 22 to 41.
    pub zero22: u32,
    /// Value of the predicate that ends the loop.
    pub cond: u8,
    /// Address mode.
    pub absolute: u8,
    /// Operation number.
    pub opcode: u8,
}

/// COND_CALL, RETURN (of which only operation and address mode count) and COND_JMP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Branch {
    /// Clause to go to.
    pub addr: u16,
    /// Whether it goes whatever the condition.
    pub unconditional: u8,
    /// Whether the condition is the predicate, not a Boolean constant.
    pub predicated: u8,
    /// Bits 15 to 32.
    pub zero15: u32,
    /// Hint: 1 forward, 0 backward.
    pub direction: u8,
    /// Boolean constant.
    pub bool_addr: u8,
    /// Value that predicate or Boolean constant are to have.
    pub cond: u8,
    /// Address mode.
    pub absolute: u8,
    /// Operation number.
    pub opcode: u8,
}

/// ALLOC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Alloc {
    /// How many, in a count that differs between compilers.
    pub size: u8,
    /// Bits 4 to 39.
    pub zero4: u64,
    /// Hint.
    pub no_serial: u8,
    /// 0 none, 1 position, 2 parameters or pixel colour, 3 memory.
    pub buffer: u8,
    /// Bit 43 (fd-hdr).
    pub alloc_mode: u8,
    /// Operation number.
    pub opcode: u8,
}

/// A control-flow clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Clause {
    /// NOP, MARK_VS_FETCH_DONE.
    Plain(Plain),
    /// EXEC and its kin.
    Exec(Exec),
    /// LOOP_START.
    LoopStart(LoopStart),
    /// LOOP_END.
    LoopEnd(LoopEnd),
    /// COND_CALL, RETURN, COND_JMP.
    Branch(Branch),
    /// ALLOC.
    Alloc(Alloc),
}

/// An ALU slot: a vector operation and a scalar one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Alu {
    /// Register of the vector result, or the export of both results.
    pub vdest: u8,
    /// `vdest` is relative to aL; means nothing for exports.
    pub vdest_rel: u8,
    /// Constants are read without sign (xenia); the same bit is called low precision by fd-hdr.
    pub abs_const: u8,
    /// Register of the scalar result; means nothing for exports.
    pub sdest: u8,
    /// `sdest` is relative to aL; for exports, components that neither half writes become 0.
    pub sdest_rel: u8,
    /// Both results go to export `vdest`.
    pub export: u8,
    /// Components of the vector result written, bit 0 = x.
    pub vmask: u8,
    /// Components written with the scalar result.
    pub smask: u8,
    /// The vector result is clamped to 0 … 1.
    pub vclamp: u8,
    /// The scalar result is clamped to 0 … 1 where it is written.
    pub sclamp: u8,
    /// Scalar operation, see [`ScalarOp::from_number`].
    pub sop: u8,
    /// Relative swizzle of source 3, see [`component`].
    pub swz3: u8,
    /// Relative swizzle of source 2.
    pub swz2: u8,
    /// Relative swizzle of source 1.
    pub swz1: u8,
    /// Source 3 is negated.
    pub neg3: u8,
    /// Source 2 is negated.
    pub neg2: u8,
    /// Source 1 is negated.
    pub neg1: u8,
    /// Value that the predicate is to have.
    pub pred_cond: u8,
    /// The slot runs only if the predicate is `pred_cond`.
    pub pred_en: u8,
    /// Relative constants are relative to a0, not to aL.
    pub addr_a0: u8,
    /// The second and third of the constants among the sources are relative.
    pub const1_rel: u8,
    /// The first constant among the sources is relative.
    pub const0_rel: u8,
    /// Source 3: a [`Source`] by `sel3`.
    pub src3: u8,
    /// Source 2.
    pub src2: u8,
    /// Source 1.
    pub src1: u8,
    /// Vector operation, see [`VectorOp::from_number`].
    pub vop: u8,
    /// Source 3 is a register, not a constant.
    pub sel3: u8,
    /// Source 2 is a register.
    pub sel2: u8,
    /// Source 1 is a register.
    pub sel1: u8,
}

/// A FETCH slot with opcode 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Vertex {
    /// Operation number, 0.
    pub opcode: u8,
    /// Register that holds the index.
    pub src: u8,
    /// `src` is relative to aL.
    pub src_rel: u8,
    /// Register of the result.
    pub dst: u8,
    /// `dst` is relative to aL.
    pub dst_rel: u8,
    /// Bit 19, which is to be 1.
    pub one19: u8,
    /// Third of the number of the vertex constant.
    pub const_index: u8,
    /// The rest of that number: the constant is `3 * const_index + const_sub`.
    pub const_sub: u8,
    /// Hint.
    pub prefetch: u8,
    /// Component of the index.
    pub src_component: u8,
    /// Three bits a component: 0 to 3 a component, 4 zero, 5 one, 6 invalid, 7 keep.
    pub dst_swizzle: u16,
    /// The format's numbers are signed.
    pub signed: u8,
    /// The format's integers are not normalised.
    pub integer: u8,
    /// Signed normalised numbers have no zero.
    pub no_zero: u8,
    /// The index is rounded to nearest, not down.
    pub round_index: u8,
    /// Format, mesa, xenia.
    pub format: u8,
    /// Bits 54 and 55.
    pub zero54: u8,
    /// Power of two that the value is multiplied by, in two's complement of 6 bits.
    pub exp_adjust: u8,
    /// Bit 62: on Xenos the address of the fetch before is used again.
    pub mini_fetch: u8,
    /// The fetch runs only if the predicate is `pred_cond`.
    pub pred_en: u8,
    /// Distance of elements.
    pub stride: u8,
    /// Distance from the buffer's beginning, in two's complement of 23 bits.
    pub offset: u32,
    /// Value that the predicate is to have.
    pub pred_cond: u8,
}

/// A FETCH slot with another opcode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Texture {
    /// Operation number, see [`FetchOp::from_number`]; not 0.
    pub opcode: u8,
    /// Register that holds the coordinates.
    pub src: u8,
    /// `src` is relative to aL.
    pub src_rel: u8,
    /// Register of the result.
    pub dst: u8,
    /// `dst` is relative to aL.
    pub dst_rel: u8,
    /// Only valid pixels fetch.
    pub valid_only: u8,
    /// Texture constant.
    pub const_index: u8,
    /// Coordinates count texels.
    pub denorm: u8,
    /// Two bits for each of three coordinates.
    pub src_swizzle: u8,
    /// As in [`Vertex::dst_swizzle`].
    pub dst_swizzle: u16,
    /// Filter where a texel covers pixels: 0 point, 1 linear, 2 base map, 3 from the constant.
    pub mag_filter: u8,
    /// Filter where a pixel covers texels.
    pub min_filter: u8,
    /// Filter between levels.
    pub mip_filter: u8,
    /// 0 off, 1 to 5 at most 1, 2, 4, 8, 16 to 1, 6 invalid, 7 from the constant.
    pub aniso_filter: u8,
    /// 0 to 5 kernels, 6 invalid, 7 from the constant.
    pub arbitrary_filter: u8,
    /// Filter between slices where a texel covers pixels.
    pub vol_mag_filter: u8,
    /// Filter between slices where a pixel covers texels.
    pub vol_min_filter: u8,
    /// The level of detail is computed from the coordinates' derivatives.
    pub use_comp_lod: u8,
    /// The level of detail is that of SET_TEX_LOD: two bits in fd-hdr.
    pub use_reg_lod: u8,
    /// The fetch runs only if the predicate is `pred_cond`.
    pub pred_en: u8,
    /// Derivatives are those of SET_GRADIENTS.
    pub use_reg_gradients: u8,
    /// 0 centroid, 1 centre.
    pub sample_location: u8,
    /// In sixteenths, two's complement of 7 bits.
    pub lod_bias: u8,
    /// Bits 73 to 77.
    pub zero73: u8,
    /// 0 1D, 1 2D, 2 3D, 3 cube on Xenos; Adreno takes it from the constant.
    pub dimension: u8,
    /// In half texels, two's complement of 5 bits.
    pub offset_x: u8,
    /// Likewise.
    pub offset_y: u8,
    /// Likewise.
    pub offset_z: u8,
    /// Value that the predicate is to have.
    pub pred_cond: u8,
}

/// A slot behind the clauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slot {
    /// Clauses run it as ALU.
    Alu(Alu),
    /// Clauses run it as FETCH, and its opcode is 0.
    Vertex(Vertex),
    /// Clauses run it as FETCH, and its opcode is not 0.
    Texture(Texture),
    /// No clause refers to it, or clauses of both kinds do: three dwords, the lowest first.
    Raw([u32; 3]),
}

/// One shader: its clauses, then its slots.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shader {
    /// Clauses, two for each slot of the control-flow area.
    pub clauses: Vec<Clause>,
    /// The other slots. The first has the number `clauses.len() / 2` in the addresses of EXEC.
    pub slots: Vec<Slot>,
    /// Dwords behind the last whole slot, at most two.
    pub tail: Vec<u32>,
    /// The stage that the container names.
    pub stage: Option<Stage>,
}

/// Order of the bytes of a dword.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// Lowest byte first: Adreno.
    #[default]
    Little,
    /// Highest byte first: Xenos.
    Big,
}

/// What shaders stand in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Nothing: the file is one shader.
    #[default]
    Bare,
    /// The Xenos compiler's object.
    Xenos,
    /// The program binary of Qualcomm's driver: three vertex shaders and a fragment shader among sections.
    Driver,
    /// A command stream with CP_IM_LOAD_IMMEDIATE packets.
    Packets,
    /// A trace with driver programs or command streams in its sections.
    Trace,
}

/// A file: shaders, and the bytes around them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// What the shaders stand in.
    pub kind: Kind,
    /// Order of the bytes of the shaders' dwords.
    pub order: Order,
    /// In the order of the file; at least one.
    pub shaders: Vec<Shader>,
    /// Bytes before the first shader, between shaders, and behind the last: one more than there are shaders.
    pub gaps: Vec<Vec<u8>>,
}

/// An operand of an ALU slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(clippy::struct_excessive_bools)] // bits of the slot
pub struct Source {
    /// Register or constant number.
    pub number: u8,
    /// Whether it is a register.
    pub register: bool,
    /// Whether the number is relative: registers to aL, constants to aL or, with [`Alu::addr_a0`], a0.
    pub relative: bool,
    /// Whether the sign is dropped. For constants it is for all of the slot.
    pub absolute: bool,
    /// Whether it is negated, after that.
    pub negated: bool,
    /// Relative swizzle.
    pub swizzle: u8,
}

/// The component that channel `channel` reads by a relative swizzle: two bits a channel, added to the channel's own number.
#[inline(always)]
pub fn component(swizzle: u8, channel: usize) -> usize {
    (usize::from(swizzle >> (2 * channel)) + channel) & 3
}

/// The relative swizzle that reads these components.
pub fn swizzle(components: [usize; 4]) -> u8 {
    components.iter().enumerate().fold(0, |bits, (channel, component)| {
        bits | ((component.wrapping_sub(channel) & 3) << (2 * channel)) as u8
    })
}

impl Alu {
    /// The vector operation, if the number is one.
    #[inline]
    pub fn vector(&self) -> Option<VectorOp> {
        crate::work::looks_at(1);
        VectorOp::from_number(self.vop)
    }

    /// The scalar operation, if the number is one.
    #[inline]
    pub fn scalar(&self) -> Option<ScalarOp> {
        ScalarOp::from_number(self.sop)
    }

    /// Source 1, 2 or 3 as fields say that do not look at the operations. Where the scalar operation is of the constant shape,
    /// source 3 is what the vector half sees; see [`Alu::constant_operands`].
    pub fn source(&self, which: u8) -> Source {
        let (byte, sel, swizzle, neg) = match which {
            1 => (self.src1, self.sel1, self.swz1, self.neg1),
            2 => (self.src2, self.sel2, self.swz2, self.neg2),
            _ => (self.src3, self.sel3, self.swz3, self.neg3),
        };
        let register = sel != 0;
        Source {
            number: if register { byte & 0x3f } else { byte },
            register,
            relative: if register { byte & 0x40 != 0 } else { self.constant_relative(which) },
            absolute: if register { byte & 0x80 != 0 } else { self.abs_const != 0 },
            negated: neg != 0,
            swizzle,
        }
    }

    /// Whether the constant in source `which` is relative: the first constant among sources 1, 2 and 3 has its own flag, the others
    /// share one.
    pub fn constant_relative(&self, which: u8) -> bool {
        let before = [self.sel1, self.sel2];
        let first = before[..usize::from(which.clamp(1, 3)) - 1].iter().all(|sel| *sel != 0);
        if first { self.const0_rel != 0 } else { self.const1_rel != 0 }
    }

    /// The operands of a scalar operation of the constant shape: the constant, whose `swizzle` is a plain component, and the
    /// register, likewise. Both are negated alike.
    pub fn constant_operands(&self) -> (Source, Source) {
        let negated = self.neg3 != 0;
        let absolute = self.abs_const != 0;
        let constant = Source {
            number: self.src3,
            register: false,
            relative: self.constant_relative(3),
            absolute,
            negated,
            swizzle: component(self.swz3, 3) as u8,
        };
        let register = Source {
            number: self.sop & 1 | (self.sel3 & 1) << 1 | self.swz3 & 0x3c,
            register: true,
            relative: false,
            absolute,
            negated,
            swizzle: component(self.swz3, 0) as u8,
        };
        (constant, register)
    }

    /// The channels of source 3 that the operands a and b of a scalar operation with two operands read: W and X, or W and Z beside a
    /// vector operation with three (xdk, mesa).
    pub fn scalar_channels(&self) -> (usize, usize) {
        let three = self.vector().is_some_and(|op| op.sources() == 3);
        (3, if three { 2 } else { 0 })
    }
}

/// Register 0 as it is: what unused operands are taken to be where text does not tell.
pub const R0: Source =
    Source { number: 0, register: true, relative: false, absolute: false, negated: false, swizzle: 0 };

impl Shader {
    /// Number of words: clauses, then slots.
    pub fn words(&self) -> usize {
        crate::work::looks_at(1);
        self.clauses.len() + self.slots.len()
    }
}

impl Program {
    /// The shader that a word belongs to, and its number there: clauses are counted first, then slots. Words of several shaders
    /// are counted on.
    pub fn find(&self, word: u32) -> Option<(&Shader, usize)> {
        let (k, at) = self.place(word)?;
        Some((&self.shaders[k], at))
    }

    /// The number of the shader that a word belongs to, and the word's number there.
    pub fn place(&self, word: u32) -> Option<(usize, usize)> {
        let mut at = word as usize;
        for (k, shader) in self.shaders.iter().enumerate() {
            match at.checked_sub(shader.words()) {
                Some(rest) => at = rest,
                None => return Some((k, at)),
            }
        }
        None
    }

    /// The number of a shader's first word.
    pub fn first_word(&self, shader: usize) -> u32 {
        self.shaders.iter().take(shader).map(Shader::words).sum::<usize>() as u32
    }

    /// The shaders, each with the number of its first word.
    pub fn shaders_from(&self) -> impl Iterator<Item = (u32, &Shader)> {
        self.shaders.iter().scan(0, |next, shader| {
            let first = *next;
            *next += shader.words() as u32;
            Some((first, shader))
        })
    }

    /// Number of words.
    pub fn words(&self) -> u32 {
        self.first_word(self.shaders.len())
    }
}

impl Texture {
    /// The operation, if the number is one.
    #[inline]
    pub fn op(&self) -> Option<FetchOp> {
        FetchOp::from_number(self.opcode)
    }
}

impl Exec {
    /// The operation.
    pub fn op(&self) -> CfOp {
        crate::work::looks_at(1);
        CfOp::from_bits(self.opcode)
    }

    /// Whether no instruction changes the predicate: a flag where no Boolean constant stands.
    pub fn pred_clean(&self) -> bool {
        !self.op().tests_bool() && self.bool_addr & 0x80 != 0
    }

    /// Whether slot `k` of those it runs is a FETCH.
    pub fn is_fetch(&self, k: u8) -> bool {
        self.seq >> (2 * u32::from(k)) & 1 != 0
    }

    /// Whether slot `k` of those it runs waits for those before.
    pub fn is_serial(&self, k: u8) -> bool {
        self.seq >> (2 * u32::from(k) + 1) & 1 != 0
    }

    /// The slots whose kind it gives: CNT, but six at most.
    pub fn run(&self) -> u8 {
        crate::work::looks_at(1);
        self.cnt.min(layout::MOST_RUN)
    }
}

impl Clause {
    /// Its operation.
    pub fn op(&self) -> CfOp {
        crate::work::looks_at(1);
        let number = match self {
            Clause::Plain(c) => c.opcode,
            Clause::Exec(c) => c.opcode,
            Clause::LoopStart(c) => c.opcode,
            Clause::LoopEnd(c) => c.opcode,
            Clause::Branch(c) => c.opcode,
            Clause::Alloc(c) => c.opcode,
        };
        CfOp::from_bits(number)
    }

    /// The clause in the lower 48 bits of a word.
    pub fn from_word(word: u64) -> Clause {
        use CfOp::{
            Alloc, CondCall, CondExec, CondExecEnd, CondExecPredClean, CondExecPredCleanEnd, CondJmp,
            CondPredExec, CondPredExecEnd, Exec, ExecEnd, LoopEnd, LoopStart, MarkVsFetchDone, Nop, Return,
        };
        match CfOp::from_bits((word >> 44) as u8) {
            Nop | MarkVsFetchDone => Clause::Plain(Plain::from_word(word)),
            LoopStart => Clause::LoopStart(self::LoopStart::from_word(word)),
            LoopEnd => Clause::LoopEnd(self::LoopEnd::from_word(word)),
            CondCall | Return | CondJmp => Clause::Branch(Branch::from_word(word)),
            Alloc => Clause::Alloc(self::Alloc::from_word(word)),
            Exec | ExecEnd | CondExec | CondExecEnd | CondPredExec | CondPredExecEnd | CondExecPredClean
            | CondExecPredCleanEnd => Clause::Exec(self::Exec::from_word(word)),
        }
    }

    /// Its word.
    pub fn to_word(&self) -> u64 {
        match self {
            Clause::Plain(c) => c.to_word(),
            Clause::Exec(c) => c.to_word(),
            Clause::LoopStart(c) => c.to_word(),
            Clause::LoopEnd(c) => c.to_word(),
            Clause::Branch(c) => c.to_word(),
            Clause::Alloc(c) => c.to_word(),
        }
    }
}

impl Exec {
    /// The fields of a word.
    #[inline]
    pub fn from_word(word: u64) -> Exec {
        if CfOp::from_bits((word >> 44) as u8).tests_bool() {
            let [addr, cnt, yields, seq, vc, bool_addr, cond, absolute, opcode] =
                layout::COND_EXEC.split(&word);
            Exec::of([addr, cnt, yields, seq, vc, bool_addr, cond, absolute, opcode])
        } else {
            let [addr, cnt, yields, seq, vc, zero34, pred_clean, cond, absolute, opcode] =
                layout::EXEC.split(&word);
            Exec::of([addr, cnt, yields, seq, vc, zero34 | pred_clean << 7, cond, absolute, opcode])
        }
    }

    fn of(fields: [u64; 9]) -> Exec {
        let [addr, cnt, yields, seq, vc, bool_addr, cond, absolute, opcode] = fields;
        Exec {
            addr: addr as u16,
            cnt: cnt as u8,
            yields: yields as u8,
            seq: seq as u16,
            vc: vc as u8,
            bool_addr: bool_addr as u8,
            cond: cond as u8,
            absolute: absolute as u8,
            opcode: opcode as u8,
        }
    }

    /// The word with these fields; a field wider than its place is cut.
    #[inline]
    pub fn to_word(&self) -> u64 {
        let Exec { addr, cnt, yields, seq, vc, bool_addr, cond, absolute, opcode } = *self;
        let [addr, seq] = [addr, seq].map(u64::from);
        let [cnt, yields, vc, bool_addr, cond, absolute, opcode] =
            [cnt, yields, vc, bool_addr, cond, absolute, opcode].map(u64::from);
        if self.op().tests_bool() {
            layout::COND_EXEC.join(&[addr, cnt, yields, seq, vc, bool_addr, cond, absolute, opcode], 0)
        } else {
            let [zero34, pred_clean] = [bool_addr & 0x7f, bool_addr >> 7];
            layout::EXEC.join(&[addr, cnt, yields, seq, vc, zero34, pred_clean, cond, absolute, opcode], 0)
        }
    }
}

bits_of!(Plain, u64, layout::PLAIN, payload: u64, absolute: u8, opcode: u8);
bits_of!(
    LoopStart, u64, layout::LOOP_START, addr: u16, repeat: u8, zero14: u8, loop_id: u8, zero21: u32, absolute: u8, opcode: u8
);
bits_of!(
    LoopEnd, u64, layout::LOOP_END, addr: u16, zero13: u8, loop_id: u8, pred_break: u8, zero22: u32, cond: u8, absolute: u8,
    opcode: u8
);
bits_of!(
    Branch, u64, layout::BRANCH, addr: u16, unconditional: u8, predicated: u8, zero15: u32, direction: u8, bool_addr: u8,
    cond: u8, absolute: u8, opcode: u8
);
bits_of!(Alloc, u64, layout::ALLOC, size: u8, zero4: u64, no_serial: u8, buffer: u8, alloc_mode: u8, opcode: u8);
bits_of!(
    Alu, u128, layout::ALU, vdest: u8, vdest_rel: u8, abs_const: u8, sdest: u8, sdest_rel: u8, export: u8, vmask: u8, smask: u8,
    vclamp: u8, sclamp: u8, sop: u8, swz3: u8, swz2: u8, swz1: u8, neg3: u8, neg2: u8, neg1: u8, pred_cond: u8, pred_en: u8,
    addr_a0: u8, const1_rel: u8, const0_rel: u8, src3: u8, src2: u8, src1: u8, vop: u8, sel3: u8, sel2: u8, sel1: u8
);
bits_of!(
    Vertex, u128, layout::VERTEX, opcode: u8, src: u8, src_rel: u8, dst: u8, dst_rel: u8, one19: u8, const_index: u8,
    const_sub: u8, prefetch: u8, src_component: u8, dst_swizzle: u16, signed: u8, integer: u8, no_zero: u8, round_index: u8,
    format: u8, zero54: u8, exp_adjust: u8, mini_fetch: u8, pred_en: u8, stride: u8, offset: u32, pred_cond: u8
);
bits_of!(
    Texture, u128, layout::TEXTURE, opcode: u8, src: u8, src_rel: u8, dst: u8, dst_rel: u8, valid_only: u8, const_index: u8,
    denorm: u8, src_swizzle: u8, dst_swizzle: u16, mag_filter: u8, min_filter: u8, mip_filter: u8, aniso_filter: u8,
    arbitrary_filter: u8, vol_mag_filter: u8, vol_min_filter: u8, use_comp_lod: u8, use_reg_lod: u8, pred_en: u8,
    use_reg_gradients: u8, sample_location: u8, lod_bias: u8, zero73: u8, dimension: u8, offset_x: u8, offset_y: u8,
    offset_z: u8, pred_cond: u8
);
