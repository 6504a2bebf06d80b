//! The typed form of an A2xx file: shaders, which consist of clauses and slots, and the bytes around them. Every bit of the file is represented.

mod vertex;

use super::opcode::{CfOp, FetchOp, ScalarOp, VectorOp};
use super::word::{ExecWithoutBool, MAX_RUN, PairRegister, PairSwizzle, Register, Sequence};
use crate::binary::List;
use crate::isa::Stage;
use smallvec::SmallVec;

pub use super::format::Numbers;
pub use super::word::{Alloc, Alu, Branch, Exec, LoopEnd, LoopStart, Plain, Texture, Vertex};

/// The version number of Adreno A2xx.
pub const ADRENO: u32 = 0;
/// The version number of Xenos.
pub const XENOS: u32 = 1;

/// A control-flow clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Clause {
    /// NOP, MARK_VS_FETCH_DONE.
    Plain(Plain),
    /// EXEC and its variants.
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

/// A slot after the clauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slot {
    /// A slot that clauses run as ALU.
    Alu(Alu),
    /// A slot that clauses run as FETCH, with opcode 0.
    Vertex(Vertex),
    /// A slot that clauses run as FETCH, with another opcode.
    Texture(Texture),
    /// A slot that no clause runs, or that clauses run both as ALU and as FETCH: three dwords, lowest first.
    Raw([u32; 3]),
}

/// A shader: its clauses, then its slots.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shader {
    /// Clauses, two for each slot of the control-flow area.
    pub clauses: Vec<Clause>,
    /// The slots after the clauses. The first has the number `clauses.len() / 2` in the addresses of EXEC.
    pub slots: Vec<Slot>,
    /// Dwords after the last whole slot, at most two.
    pub tail: Vec<u32>,
    /// The stage stated by the container; `None` if it states none.
    pub stage: Option<Stage>,
}

/// The byte order of dwords.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// Lowest byte first: Adreno.
    #[default]
    Little,
    /// Highest byte first: Xenos.
    Big,
}

/// The kind of container of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Kind {
    /// No container: the file is one shader.
    #[default]
    Bare,
    /// An object of the Xenos compiler.
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
    /// The kind of container.
    pub kind: Kind,
    /// Byte order of the shaders' dwords.
    pub order: Order,
    /// The shaders in file order; at least one.
    pub shaders: Vec<Shader>,
    /// Bytes before the first shader, between shaders, and after the last: one element more than there are shaders.
    pub gaps: Vec<Vec<u8>>,
}

/// The mode of a slot that a clause runs, as encoded in SEQ and VC of the clause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mode {
    /// Whether the slot is run as FETCH rather than ALU.
    pub fetch: bool,
    /// Whether the slot waits for earlier slots.
    pub serial: bool,
    /// Whether the fetch uses the vertex cache.
    pub cached: bool,
}

/// An operand of an ALU slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(clippy::struct_excessive_bools)] // bits of the slot
pub struct Source {
    /// Register or constant number.
    pub number: u8,
    /// Whether the operand is a register rather than a constant.
    pub register: bool,
    /// Whether the number is relative: registers to aL, constants to aL or, with [`Alu::addr_a0`], a0.
    pub relative: bool,
    /// Whether the absolute value is taken. For constants this applies to the whole slot.
    pub absolute: bool,
    /// Whether the operand is negated, after taking the absolute value.
    pub negated: bool,
    /// Swizzle in the relative encoding of [`component`].
    pub swizzle: u8,
}

/// The elements of the relative swizzle of an operand: for each channel, a number that is added to the channel's own.
const RELATIVE_SWIZZLE: List<4> = List::of(&Alu::swz1);

const _: () = {
    let width = Alu::swz1.width;
    assert!(Alu::swz2.width == width && Alu::swz3.width == width, "all operands have the same swizzle");
};

/// Returns the component that channel `channel` reads.
#[inline(always)]
pub fn component(swizzle: u8, channel: usize) -> usize {
    (usize::from(RELATIVE_SWIZZLE.get(swizzle, channel)) + channel) & 3
}

/// Returns the relative swizzle with which channels 0 to 3 read these components.
pub fn swizzle(components: [usize; 4]) -> u8 {
    RELATIVE_SWIZZLE
        .join(std::array::from_fn(|channel| (components[channel].wrapping_sub(channel) & 3) as u8))
}

/// The selectors of the components of a fetch result. Selectors 0 to 3 are components of the fetched value.
pub const RESULT_SWIZZLE: List<4> = List::of(&Vertex::dst_swizzle);
/// The selector for the number 0.
pub const ZERO: u8 = 4;
/// The selector for the number 1.
pub const ONE: u8 = 5;
/// The invalid selector.
pub const INVALID: u8 = 6;
/// The selector for a component that keeps its old value.
pub const KEEP: u8 = 7;
/// The selectors of the coordinates of a texture fetch.
pub const COORDINATE_SWIZZLE: List<3> = List::of(&Texture::src_swizzle);

const _: () = assert!(Texture::dst_swizzle.width == Vertex::dst_swizzle.width, "both kinds have one result");

impl Source {
    /// Returns the operand's byte in the slot: a register number with its flags, or a constant number, whose flags are elsewhere in the slot.
    ///
    /// # Panics
    /// If the register number is out of range.
    pub fn byte(&self) -> u8 {
        let Source { number, register, relative, absolute, .. } = *self;
        let (relative, absolute) = (relative.into(), absolute.into());
        if register { Register { number, relative, absolute }.to_word() } else { number }
    }
}

impl Alu {
    /// Returns the vector opcode; `None` if its number is unassigned.
    #[inline]
    pub fn vector(&self) -> Option<VectorOp> {
        crate::work::count_work(1);
        VectorOp::from_number(self.vop)
    }

    /// Returns the scalar opcode; `None` if its number is unassigned.
    #[inline]
    pub fn scalar(&self) -> Option<ScalarOp> {
        ScalarOp::from_number(self.sop)
    }

    /// Returns source 1, 2 or 3, decoded independently of the opcodes. If the scalar opcode has
    /// [`ScalarShape::Constant`](super::opcode::ScalarShape::Constant), the result for source 3 is only what the vector half reads; see
    /// [`Alu::constant_operands`].
    pub fn source(&self, source_number: u8) -> Source {
        let (byte, sel, swizzle, neg) = match source_number {
            1 => (self.src1, self.sel1, self.swz1, self.neg1),
            2 => (self.src2, self.sel2, self.swz2, self.neg2),
            _ => (self.src3, self.sel3, self.swz3, self.neg3),
        };
        let (register, negated) = (sel != 0, neg != 0);
        if register {
            let Register { number, relative, absolute } = Register::from_word(byte);
            Source { number, register, relative: relative != 0, absolute: absolute != 0, negated, swizzle }
        } else {
            Source {
                number: byte,
                register,
                relative: self.constant_relative(source_number),
                absolute: self.abs_const != 0,
                negated,
                swizzle,
            }
        }
    }

    /// Sets number, file, swizzle and sign of source 1, 2 or 3, and the flags of a register. The flags of constants are unchanged.
    ///
    /// # Panics
    /// If the register number is out of range.
    pub fn set_source(&mut self, source_number: u8, source: &Source) {
        let (src, sel, swz, neg) = match source_number {
            1 => (&mut self.src1, &mut self.sel1, &mut self.swz1, &mut self.neg1),
            2 => (&mut self.src2, &mut self.sel2, &mut self.swz2, &mut self.neg2),
            _ => (&mut self.src3, &mut self.sel3, &mut self.swz3, &mut self.neg3),
        };
        (*src, *sel, *swz, *neg) =
            (source.byte(), source.register.into(), source.swizzle, source.negated.into());
    }

    /// Whether the constant in a source, 1 to 3, is relative. The first constant among sources 1, 2 and 3 has a flag of its own; the others share
    /// one.
    pub fn constant_relative(&self, source_number: u8) -> bool {
        let before = [self.sel1, self.sel2];
        let first = before[..usize::from(source_number.clamp(1, 3)) - 1].iter().all(|sel| *sel != 0);
        if first { self.const0_rel != 0 } else { self.const1_rel != 0 }
    }

    /// Returns the constant and the register operand of a scalar operation that reads both. In both, `swizzle` is a plain component number. The
    /// negation bit and the bit for absolute constants apply to both operands.
    pub fn constant_operands(&self) -> (Source, Source) {
        let negated = self.neg3 != 0;
        let absolute = self.abs_const != 0;
        let PairSwizzle { high, component: of_register, .. } = PairSwizzle::from_word(self.swz3);
        let constant = Source {
            number: self.src3,
            register: false,
            relative: self.constant_relative(3),
            absolute,
            negated,
            swizzle: component(self.swz3, 3) as u8,
        };
        let register = Source {
            number: PairRegister { op: self.sop & 1, sel: self.sel3, high }.to_word(),
            register: true,
            relative: false,
            absolute,
            negated,
            swizzle: of_register,
        };
        (constant, register)
    }

    /// Sets the operands of a scalar operation that reads a constant and a register: the components of both, and the register's number except for its
    /// lowest bit, which is part of the opcode.
    ///
    /// # Panics
    /// If the register number is out of range.
    pub fn set_constant_operands(&mut self, constant: usize, number: u8, register: usize) {
        assert!(u128::from(number) <= Register::number.max(), "there is no register {number}");
        let PairRegister { op: _, sel, high } = PairRegister::from_word(number);
        let pair = PairSwizzle::from_word(swizzle([register, 0, 0, constant]));
        (self.sel3, self.swz3) = (sel, PairSwizzle { high, ..pair }.to_word());
    }

    /// Returns the channels of source 3 from which a two-operand scalar operation reads a and b under the default option: W and X, or W and Z if the
    /// vector operation has three sources (xdk, canary).
    pub fn scalar_channels(&self) -> (usize, usize) {
        let three = self.vector().is_some_and(|op| op.sources() == 3);
        (3, if three { 2 } else { 0 })
    }
}

/// Register 0 without modifiers: the default of an unused operand. The text omits an unused operand with this value.
pub const R0: Source =
    Source { number: 0, register: true, relative: false, absolute: false, negated: false, swizzle: 0 };

impl Shader {
    /// Returns the number of words, which are clauses and slots.
    pub fn words(&self) -> usize {
        crate::work::count_work(1);
        self.clauses.len() + self.slots.len()
    }
}

impl Program {
    /// Returns the shader that contains a word, and the word's index in it. The words of all shaders are numbered consecutively; in each shader,
    /// clauses precede slots.
    pub fn find(&self, word: u32) -> Option<(&Shader, usize)> {
        let (k, at) = self.locate(word)?;
        Some((&self.shaders[k], at))
    }

    /// Returns the index of the shader that contains a word, and the word's index in that shader; `None` if there is no such word.
    pub fn locate(&self, word: u32) -> Option<(usize, usize)> {
        let mut at = word as usize;
        for (k, shader) in self.shaders.iter().enumerate() {
            match at.checked_sub(shader.words()) {
                Some(rest) => at = rest,
                None => return Some((k, at)),
            }
        }
        None
    }

    /// Returns the number of the first word of a shader.
    pub fn first_word(&self, shader: usize) -> u32 {
        self.shaders.iter().take(shader).map(Shader::words).sum::<usize>() as u32
    }

    /// Iterates over the shaders, each with the number of its first word.
    pub fn shaders_from(&self) -> impl Iterator<Item = (u32, &Shader)> {
        self.shaders.iter().scan(0, |next, shader| {
            let first = *next;
            *next += shader.words() as u32;
            Some((first, shader))
        })
    }

    /// Returns the number of words of all shaders.
    pub fn words(&self) -> u32 {
        self.first_word(self.shaders.len())
    }

    /// Returns the number of steps in one pass over all clauses. Each clause counts once, and each slot once per clause that runs it.
    pub fn steps(&self) -> u64 {
        let of = |clause: &Clause| match clause {
            Clause::Exec(exec) => 1 + u64::from(exec.slot_count()),
            _ => 1,
        };
        self.shaders.iter().flat_map(|shader| &shader.clauses).map(of).sum()
    }
}

impl Texture {
    /// Returns the opcode; `None` if its number is unassigned.
    #[inline]
    pub fn op(&self) -> Option<FetchOp> {
        FetchOp::from_number(self.opcode)
    }
}

impl Exec {
    /// Returns the opcode.
    pub fn op(&self) -> CfOp {
        crate::work::count_work(1);
        CfOp::from_bits(self.opcode)
    }

    /// Returns the word decoded as a clause that tests no Boolean constant; `None` if it tests one.
    fn without_bool(&self) -> Option<ExecWithoutBool> {
        (!self.op().tests_bool()).then(|| ExecWithoutBool::from_word(self.to_word()))
    }

    /// Whether the clause has the flag PRED_CLEAN, which states that no instruction changes the predicate. Only clauses that test no Boolean constant
    /// have the flag.
    pub fn pred_clean(&self) -> bool {
        self.without_bool().is_some_and(|word| word.pred_clean != 0)
    }

    /// Whether a reserved bit is set. Only clauses that test no Boolean constant have reserved bits: all bits of the constant's field except
    /// PRED_CLEAN.
    pub fn has_reserved_bits(&self) -> bool {
        self.without_bool().is_some_and(|word| word.has_reserved())
    }

    const SEQ: List<{ MAX_RUN as usize }> = List::of(&Exec::seq);
    const VC: List<{ MAX_RUN as usize }> = List::of(&Exec::vc);

    /// Returns the SEQ element of slot `k` of the clause.
    fn sequence(&self, k: usize) -> Sequence {
        Sequence::from_word(Self::SEQ.get(self.seq, k))
    }

    /// Whether slot `k` of the clause is a FETCH.
    pub fn is_fetch(&self, k: u8) -> bool {
        self.sequence(k.into()).fetch != 0
    }

    /// Whether slot `k` of the clause waits for earlier slots.
    pub fn is_serial(&self, k: u8) -> bool {
        self.sequence(k.into()).serial != 0
    }

    /// Returns the modes of all six slots. The modes of slots that the clause does not run should be the default.
    pub fn modes(&self) -> [Mode; MAX_RUN as usize] {
        let cached = Self::VC.split(self.vc);
        std::array::from_fn(|k| {
            let Sequence { fetch, serial } = self.sequence(k);
            Mode { fetch: fetch != 0, serial: serial != 0, cached: cached[k] != 0 }
        })
    }

    /// Returns the modes of the slots that the clause runs.
    pub fn run_modes(&self) -> SmallVec<[Mode; MAX_RUN as usize]> {
        self.modes().into_iter().take(self.slot_count().into()).collect()
    }

    /// Sets the modes of all six slots.
    pub fn set_modes(&mut self, modes: [Mode; MAX_RUN as usize]) {
        let sequence = |mode: Mode| Sequence { fetch: mode.fetch.into(), serial: mode.serial.into() };
        self.seq = Self::SEQ.join(modes.map(|mode| sequence(mode).to_word()));
        self.vc = Self::VC.join(modes.map(|mode| mode.cached.into()));
    }

    /// Whether the SEQ element of a slot that the clause does not run is nonzero.
    pub fn has_stray_sequence(&self) -> bool {
        (self.slot_count()..MAX_RUN).any(|k| self.sequence(k.into()) != Sequence::default())
    }

    /// Returns the number of slots that the clause runs: CNT, limited to six, because SEQ encodes the kinds of only six slots.
    pub fn slot_count(&self) -> u8 {
        crate::work::count_work(1);
        self.cnt.min(MAX_RUN)
    }
}

impl Clause {
    /// Returns the opcode.
    pub fn op(&self) -> CfOp {
        crate::work::count_work(1);
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

    /// Decodes a clause from the lower 48 bits of `word`.
    pub fn from_word(word: u64) -> Clause {
        use CfOp::{
            Alloc, CondCall, CondExec, CondExecEnd, CondExecPredClean, CondExecPredCleanEnd, CondJmp,
            CondPredExec, CondPredExecEnd, Exec, ExecEnd, LoopEnd, LoopStart, MarkVsFetchDone, Nop, Return,
        };
        // All clauses have their opcode in the same bits.
        match CfOp::from_bits(self::Plain::from_word(word).opcode) {
            Nop | MarkVsFetchDone => Clause::Plain(Plain::from_word(word)),
            LoopStart => Clause::LoopStart(self::LoopStart::from_word(word)),
            LoopEnd => Clause::LoopEnd(self::LoopEnd::from_word(word)),
            CondCall | Return | CondJmp => Clause::Branch(Branch::from_word(word)),
            Alloc => Clause::Alloc(self::Alloc::from_word(word)),
            Exec | ExecEnd | CondExec | CondExecEnd | CondPredExec | CondPredExecEnd | CondExecPredClean
            | CondExecPredCleanEnd => Clause::Exec(self::Exec::from_word(word)),
        }
    }

    /// Encodes the clause as a word.
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
