//! An encoder for the few forms of AVX2 and AVX-512 instructions that the compiler emits.
//!
//! Vector instructions are VEX-encoded with 256 bits or EVEX-encoded with 512 bits; the same table of opcodes serves both. Memory operands are a base
//! register and a displacement, or a vector of the constant pool, which follows the code. Source of the encodings: Intel 64 and IA-32 Architectures
//! Software Developer's Manual, volume 2, chapter 2 (VEX and EVEX prefixes) and the opcode pages.

/// Bytes of a vector in the constant pool.
const VECTOR: usize = 64;

/// The width of the vectors, and with it the encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    /// 256 bits: 8 numbers, VEX encoding, 16 registers.
    Ymm,
    /// 512 bits: 16 numbers, EVEX encoding, 32 registers.
    Zmm,
}

impl Width {
    /// The number of 32-bit numbers in a vector.
    pub(super) fn lanes(self) -> usize {
        match self {
            Width::Ymm => 8,
            Width::Zmm => 16,
        }
    }

    /// The number of vector registers.
    pub(super) fn registers(self) -> u8 {
        match self {
            Width::Ymm => 16,
            Width::Zmm => 32,
        }
    }
}

/// A vector register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct V(pub(super) u8);

/// A mask register, `k1` to `k7` (`k0` as a write mask means none).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct K(pub(super) u8);

/// The base register of a memory operand. All of these registers can be encoded without a SIB byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    /// `rdi`: the first row. Used for rows that hold the same value in every lane.
    Rows = 7,
    /// `r8`: the current group of lanes in the first row.
    Group = 8,
    /// `r9`: the current group of lanes in the first input.
    Inputs = 9,
    /// `r10`: the current group of lanes in the first output.
    Outputs = 10,
    /// `r11`: the current group of lanes in the row of truth values that marks the active lanes.
    Mask = 11,
}

/// The last source of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Src {
    /// A register.
    V(V),
    /// Memory.
    Mem(Base, i32),
    /// A vector of the constant pool, by number.
    Const(u16),
}

impl From<V> for Src {
    fn from(v: V) -> Src {
        Src::V(v)
    }
}

/// The mandatory prefix, the opcode map and the opcode of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Opcode {
    /// 0 none, 1 `66`, 2 `F3`, 3 `F2`.
    prefix: u8,
    /// 1 `0F`, 2 `0F 38`, 3 `0F 3A`.
    map: u8,
    number: u8,
}

macro_rules! opcodes {
    ($($name:ident = $prefix:literal $map:literal $opcode:literal;)*) => {
        $(pub(super) const $name: Opcode = Opcode { prefix: $prefix, map: $map, number: $opcode };)*
    };
}

opcodes! {
    ADDPS = 0 1 0x58;
    MULPS = 0 1 0x59;
    SUBPS = 0 1 0x5c;
    MINPS = 0 1 0x5d;
    DIVPS = 0 1 0x5e;
    MAXPS = 0 1 0x5f;
    SQRTPS = 0 1 0x51;
    CVTDQ2PS = 0 1 0x5b;
    CVTTPS2DQ = 2 1 0x5b;
    AND = 1 1 0xdb;
    ANDN = 1 1 0xdf;
    OR = 1 1 0xeb;
    XOR = 1 1 0xef;
    ADDD = 1 1 0xfe;
    SUBD = 1 1 0xfa;
    MULLD = 1 2 0x40;
    SHRLVD = 1 2 0x45;
    SHRAVD = 1 2 0x46;
    SHLLVD = 1 2 0x47;
    FMA213PS = 1 2 0xa8;
    ROUNDPS = 1 3 0x08;
    CMPPS = 0 1 0xc2;
}

// 256 bits only: comparisons into vectors of truth values, and blends and stores masked by such vectors.
opcodes! {
    CMPEQD_VEX = 1 1 0x76;
    CMPGTD_VEX = 1 1 0x66;
    BLENDVPS_VEX = 1 3 0x4a;
    MASKMOVPS_VEX = 1 2 0x2e;
}

// 512 bits only: comparisons into mask registers, blends masked by such registers, ternary logic, and the expansion of a mask register to a vector.
opcodes! {
    CMPD_EVEX = 1 3 0x1f;
    CMPUD_EVEX = 1 3 0x1e;
    BLENDMPS_EVEX = 1 2 0x65;
    TERNLOGD_EVEX = 1 3 0x25;
    MOVM2D_EVEX = 2 2 0x38;
}

const LOAD: Opcode = Opcode { prefix: 0, map: 1, number: 0x10 };
const STORE: Opcode = Opcode { prefix: 0, map: 1, number: 0x11 };
/// Shift by an immediate; the register field of ModRM selects the kind of shift.
const SHIFT: Opcode = Opcode { prefix: 1, map: 1, number: 0x72 };

/// A write mask: the lanes of the destination that an EVEX instruction writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mask {
    k: u8,
    zero: bool,
}

impl Mask {
    pub(super) const NONE: Mask = Mask { k: 0, zero: false };

    /// A mask that leaves the other lanes of the destination unchanged.
    pub(super) fn merge(k: K) -> Mask {
        Mask { k: k.0, zero: false }
    }

    /// A mask that sets the other lanes of the destination to 0.
    pub(super) fn zero(k: K) -> Mask {
        Mask { k: k.0, zero: true }
    }
}

/// A reference from the code to the constant pool.
#[derive(Clone, Copy, Debug)]
struct Fixup {
    /// The offset of the displacement.
    at: usize,
    /// The end of the instruction, from which the displacement counts.
    end: usize,
    constant: u16,
}

/// Machine code under construction, with its constant pool.
#[derive(Clone, Debug, Default)]
pub(super) struct Code {
    pub(super) bytes: Vec<u8>,
    constants: Vec<u32>,
    fixups: Vec<Fixup>,
    /// The length of the instructions, without the constant pool and the padding before it.
    instructions: usize,
}

impl Code {
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.constants.clear();
        self.fixups.clear();
    }

    /// Returns a vector of the constant pool with these bits in every lane. Adds the vector if the pool does not have it.
    pub(super) fn constant(&mut self, bits: u32) -> Src {
        let at = self.constants.iter().position(|c| *c == bits).unwrap_or_else(|| {
            self.constants.push(bits);
            self.constants.len() - 1
        });
        Src::Const(at as u16)
    }

    /// Appends the constant pool and resolves the references to it.
    pub(super) fn finish(&mut self) {
        self.instructions = self.bytes.len();
        self.bytes.resize(self.bytes.len().next_multiple_of(VECTOR), 0xcc);
        let pool = self.bytes.len();
        for constant in &self.constants {
            for _ in 0..VECTOR / 4 {
                self.bytes.extend_from_slice(&constant.to_le_bytes());
            }
        }
        for fixup in &self.fixups {
            let target = pool + usize::from(fixup.constant) * VECTOR;
            let distance = target as i64 - fixup.end as i64;
            self.bytes[fixup.at..fixup.at + 4].copy_from_slice(&(distance as i32).to_le_bytes());
        }
    }

    /// Returns the offset at which the instructions end. Padding and constants follow.
    #[cfg(test)]
    pub(super) fn end(&self) -> usize {
        self.instructions
    }

    fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    /// Emits the operand bytes: ModRM with `reg`, and the displacement. `scale` is the unit of an 8-bit displacement. For an operand in the constant
    /// pool, returns the offset of its displacement and the number of the constant.
    fn operands(&mut self, reg: u8, src: Src, scale: i32) -> Option<(usize, u16)> {
        let reg = (reg & 7) << 3;
        match src {
            Src::V(v) => self.byte(0xc0 | reg | v.0 & 7),
            Src::Mem(base, displacement) => {
                let base = base as u8 & 7;
                match i8::try_from(displacement / scale) {
                    Ok(short) if displacement % scale == 0 => {
                        self.byte(0x40 | reg | base);
                        self.byte(short as u8);
                    }
                    _ => {
                        self.byte(0x80 | reg | base);
                        self.bytes.extend_from_slice(&displacement.to_le_bytes());
                    }
                }
            }
            Src::Const(constant) => {
                self.byte(reg | 5);
                let at = self.bytes.len();
                self.bytes.extend_from_slice(&[0; 4]);
                return Some((at, constant));
            }
        }
        None
    }

    /// Emits one vector instruction: `reg` is the register in ModRM's register field, `vvvv` the one in the prefix (0 if the form has none).
    #[allow(clippy::too_many_arguments)] // the parts of one instruction
    fn vector(&mut self, width: Width, op: Opcode, reg: u8, vvvv: u8, src: Src, mask: Mask, imm: Option<u8>) {
        // The high bits of the register or base in ModRM's last field.
        let (b, x) = match src {
            Src::V(v) => (v.0 >> 3 & 1, v.0 >> 4 & 1),
            Src::Mem(base, _) => (base as u8 >> 3 & 1, 0),
            Src::Const(_) => (0, 0),
        };
        let scale = match width {
            Width::Ymm => {
                self.byte(0xc4);
                self.byte((reg >> 3 & 1 ^ 1) << 7 | 0x40 | (b ^ 1) << 5 | op.map);
                self.byte((!vvvv & 15) << 3 | 0x04 | op.prefix);
                1
            }
            Width::Zmm => {
                self.byte(0x62);
                self.byte(
                    (reg >> 3 & 1 ^ 1) << 7 | (x ^ 1) << 6 | (b ^ 1) << 5 | (reg >> 4 & 1 ^ 1) << 4 | op.map,
                );
                self.byte((!vvvv & 15) << 3 | 0x04 | op.prefix);
                self.byte(u8::from(mask.zero) << 7 | 0x40 | (vvvv >> 4 & 1 ^ 1) << 3 | mask.k);
                VECTOR as i32
            }
        };
        self.byte(op.number);
        let fixup = self.operands(reg, src, scale);
        if let Some(imm) = imm {
            self.byte(imm);
        }
        if let Some((at, constant)) = fixup {
            self.fixups.push(Fixup { at, end: self.bytes.len(), constant });
        }
    }

    /// `dst = a op b`.
    pub(super) fn op3(&mut self, width: Width, op: Opcode, dst: V, a: V, b: impl Into<Src>) {
        self.vector(width, op, dst.0, a.0, b.into(), Mask::NONE, None);
    }

    /// `dst = a op b` in the lanes of a mask; 512 bits only.
    pub(super) fn op3_masked(&mut self, op: Opcode, dst: V, a: V, b: impl Into<Src>, mask: Mask) {
        self.vector(Width::Zmm, op, dst.0, a.0, b.into(), mask, None);
    }

    /// `dst = op a`.
    pub(super) fn op2(&mut self, width: Width, op: Opcode, dst: V, a: impl Into<Src>) {
        self.vector(width, op, dst.0, 0, a.into(), Mask::NONE, None);
    }

    /// `dst = op a` with an immediate.
    pub(super) fn op2_imm(&mut self, width: Width, op: Opcode, dst: V, a: impl Into<Src>, imm: u8) {
        self.vector(width, op, dst.0, 0, a.into(), Mask::NONE, Some(imm));
    }

    /// `dst = a op b` with an immediate.
    pub(super) fn op3_imm(&mut self, width: Width, op: Opcode, dst: V, a: V, b: impl Into<Src>, imm: u8) {
        self.vector(width, op, dst.0, a.0, b.into(), Mask::NONE, Some(imm));
    }

    /// Compares into a mask register. If `among` is given, bits of lanes outside it become 0. 512 bits only.
    pub(super) fn compare(
        &mut self,
        op: Opcode,
        dst: K,
        a: V,
        b: impl Into<Src>,
        predicate: u8,
        among: Option<K>,
    ) {
        let mask = among.map_or(Mask::NONE, Mask::merge);
        self.vector(Width::Zmm, op, dst.0, a.0, b.into(), mask, Some(predicate));
    }

    /// `dst = a & b` on mask registers (`KANDW`).
    pub(super) fn and_masks(&mut self, dst: K, a: K, b: K) {
        self.raw(&[0xc5, 0x84 | (!a.0 & 15) << 3, 0x41, 0xc0 | dst.0 << 3 | b.0]);
    }

    /// Shifts by an immediate. `kind` is the opcode extension: 2 is a logical right shift.
    pub(super) fn shift(&mut self, width: Width, kind: u8, dst: V, a: V, count: u8) {
        self.vector(width, SHIFT, kind, dst.0, a.into(), Mask::NONE, Some(count));
    }

    /// Sets the lanes that a mask register selects to all ones, and the others to 0; 512 bits only.
    pub(super) fn spread(&mut self, dst: V, k: K) {
        self.vector(Width::Zmm, MOVM2D_EVEX, dst.0, 0, V(k.0).into(), Mask::NONE, None);
    }

    /// Loads or copies a vector.
    pub(super) fn load(&mut self, width: Width, dst: V, src: impl Into<Src>) {
        self.vector(width, LOAD, dst.0, 0, src.into(), Mask::NONE, None);
    }

    /// Stores a vector.
    pub(super) fn store(&mut self, width: Width, base: Base, displacement: i32, src: V) {
        self.vector(width, STORE, src.0, 0, Src::Mem(base, displacement), Mask::NONE, None);
    }

    /// Stores the lanes that a mask register selects; 512 bits only.
    pub(super) fn store_masked(&mut self, base: Base, displacement: i32, src: V, k: K) {
        self.vector(Width::Zmm, STORE, src.0, 0, Src::Mem(base, displacement), Mask::merge(k), None);
    }

    /// Stores the lanes whose sign bit in `truth` is set; 256 bits only.
    pub(super) fn store_where(&mut self, base: Base, displacement: i32, src: V, truth: V) {
        let target = Src::Mem(base, displacement);
        self.vector(Width::Ymm, MASKMOVPS_VEX, src.0, truth.0, target, Mask::NONE, None);
    }

    /// Appends the bytes of instructions that are not vector instructions.
    pub(super) fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Emits a forward jump with a two-byte opcode (`0F 8x`) and no target yet. Returns the argument for [`Code::patch_jump`].
    pub(super) fn jump_forward(&mut self, condition: u8) -> usize {
        self.raw(&[0x0f, 0x80 | condition, 0, 0, 0, 0]);
        self.bytes.len()
    }

    /// Sets the target of a forward jump to the current end of the code.
    pub(super) fn patch_jump(&mut self, jump: usize) {
        let distance = (self.bytes.len() - jump) as i32;
        self.bytes[jump - 4..jump].copy_from_slice(&distance.to_le_bytes());
    }

    /// Emits a conditional jump back to `target`.
    pub(super) fn jump_back(&mut self, condition: u8, target: usize) {
        let end = self.bytes.len() + 6;
        let distance = target as i64 - end as i64;
        self.raw(&[0x0f, 0x80 | condition]);
        self.bytes.extend_from_slice(&(distance as i32).to_le_bytes());
    }
}
