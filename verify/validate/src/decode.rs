//! The decoder of machine code: turns the bytes of a function into instructions. The decoder shares nothing with the encoder and accepts only a
//! closed list of instructions.

use crate::error::{Invalid, Reason};
use crate::operation::Operation;
use crate::sequence::Vector;
use iced_x86::{Code, CpuidFeature, Decoder, DecoderOptions, OpKind, Register, RoundingControl};
use lockstep_core::exec::Level;

/// A general-purpose register, by number.
pub(crate) type Gpr = u8;

/// A memory operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Memory {
    /// A base register and a displacement.
    Based(Gpr, i64),
    /// An offset in the bytes of the code, where the constants are.
    Code(u64),
}

/// A source operand of a vector instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    V(u8),
    Memory(Memory),
}

/// The destination of a vector instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A vector register. With a mask, only the lanes in the mask receive the result; the other lanes become 0 if `zero` is set, otherwise they keep
    /// their values.
    V { register: u8, mask: Option<u8>, zero: bool },
    /// A mask register. With a mask, lanes outside that mask become 0.
    K { register: u8, mask: Option<u8> },
}

/// The lanes that a store writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StoreMask {
    Always,
    Mask(u8),
    Sign(u8),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Vector {
        operation: Operation,
        target: Target,
        sources: [Operand; 3],
    },
    /// Selects the second source where the mask is set, otherwise the first.
    Blend {
        register: u8,
        mask: u8,
        no: u8,
        yes: Operand,
    },
    Store {
        memory: Memory,
        source: u8,
        when: StoreMask,
    },
    /// Sets the lanes of a mask to all ones and the other lanes to 0.
    Spread {
        register: u8,
        mask: u8,
    },
    BothMasks {
        register: u8,
        a: u8,
        b: u8,
    },
    MaskFrom {
        register: u8,
        gpr: Gpr,
    },
    LoadField {
        gpr: Gpr,
        memory: Memory,
    },
    Move {
        to: Gpr,
        from: Gpr,
    },
    TestLanes {
        gpr: Gpr,
        lanes: usize,
    },
    ShiftRight {
        gpr: Gpr,
        count: u8,
    },
    Add {
        gpr: Gpr,
        value: i64,
    },
    Decrement {
        gpr: Gpr,
    },
    /// A jump to the instruction with index `to`, taken if the zero flag equals `zero`.
    Jump {
        to: usize,
        zero: bool,
    },
    ClearUpper,
    Return,
}

/// A decoded instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Instruction {
    pub(crate) offset: usize,
    pub(crate) len: usize,
    pub(crate) kind: Kind,
}

/// A decoded function.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) instructions: Vec<Instruction>,
    /// The index of the loop's first instruction, the target of the only backward jump.
    pub(crate) head: usize,
    /// The index of the backward jump to `head`.
    pub(crate) back: usize,
}

/// Whether every processor of a level has this feature.
fn has_feature(level: Level, feature: CpuidFeature) -> bool {
    use CpuidFeature::{AVX, AVX2, AVX512BW, AVX512DQ, AVX512F, AVX512VL, FMA, INTEL386, INTEL8086, X64};
    match feature {
        INTEL8086 | INTEL386 | X64 | AVX | AVX2 | FMA => true,
        AVX512F | AVX512VL | AVX512DQ | AVX512BW => level == Level::Jit512,
        _ => false,
    }
}

impl Function {
    /// Decodes the function at `entry`, whose vectors have this length, up to its return.
    pub(crate) fn decode(
        bytes: &[u8],
        entry: usize,
        vector: Vector,
        level: Level,
    ) -> Result<Function, Invalid> {
        let mut decoder = Decoder::new(64, bytes, DecoderOptions::NONE);
        let refused = |offset: usize, reason| Invalid::Code { offset, reason };
        decoder.set_position(entry).map_err(|_| refused(entry, Reason::NoInstruction))?;
        decoder.set_ip(entry as u64);
        let mut instructions = Vec::new();
        let mut jumps = Vec::new();
        loop {
            let offset = decoder.position();
            if !decoder.can_decode() {
                return Err(refused(offset, Reason::NoInstruction));
            }
            let raw = decoder.decode();
            if raw.is_invalid() {
                return Err(refused(offset, Reason::NoInstruction));
            }
            if !raw.cpuid_features().iter().all(|feature| has_feature(level, *feature)) {
                return Err(refused(offset, Reason::Level(name(&raw))));
            }
            let kind = Reader { raw: &raw, vector }.kind().map_err(|reason| refused(offset, reason))?;
            if let Kind::Jump { .. } = kind {
                jumps.push((instructions.len(), raw.near_branch_target()));
            }
            instructions.push(Instruction { offset, len: raw.len(), kind });
            if kind == Kind::Return {
                break;
            }
        }
        let mut back = None;
        let mut backwards = 0;
        for (at, target) in jumps {
            let offset = instructions[at].offset;
            let found = instructions.binary_search_by_key(&target, |i| i.offset as u64);
            let index = found.map_err(|_| refused(offset, Reason::Target(target)))?;
            if let Kind::Jump { to, .. } = &mut instructions[at].kind {
                *to = index;
            }
            if index <= at {
                backwards += 1;
                back = Some((at, index));
            }
        }
        match back {
            Some((back, head)) if backwards == 1 => Ok(Function { instructions, head, back }),
            _ => Err(refused(entry, Reason::Loops(backwards))),
        }
    }
}

fn name(raw: &iced_x86::Instruction) -> String {
    format!("{:?}", raw.code())
}

/// A reader of one instruction.
struct Reader<'a> {
    raw: &'a iced_x86::Instruction,
    vector: Vector,
}

/// The positions of a vector instruction's sources among its operands.
#[derive(Clone, Copy)]
enum Form {
    /// The first operand is the destination, and the sources follow.
    Plain,
    /// The first operand is both the destination and the first source.
    Destructive,
}

impl Reader<'_> {
    fn form_error(&self) -> Reason {
        Reason::Form(name(self.raw))
    }

    fn kind(&self) -> Result<Kind, Reason> {
        let raw = self.raw;
        if raw.has_lock_prefix()
            || raw.has_rep_prefix()
            || raw.has_repne_prefix()
            || raw.segment_prefix() != Register::None
            || raw.is_broadcast()
            || raw.rounding_control() != RoundingControl::None
            || raw.suppress_all_exceptions()
        {
            return Err(self.form_error());
        }
        if let Some((vector, kind)) = self.vector_instruction()? {
            return if vector == self.vector { Ok(kind) } else { Err(Reason::Length(name(raw))) };
        }
        self.general()
    }

    fn vector_instruction(&self) -> Result<Option<(Vector, Kind)>, Reason> {
        use Form::{Destructive, Plain};
        use Operation as O;
        use Vector::{Bits256, Bits512};
        let imm = || self.raw.immediate8();
        let rounding = || match imm() {
            8 => Ok(O::RoundEven),
            9 => Ok(O::Floor),
            11 => Ok(O::Trunc),
            _ => Err(self.form_error()),
        };
        let within = |limit: u8| if imm() < limit { Ok(imm()) } else { Err(self.form_error()) };
        let (vector, form, operation) = match self.raw.code() {
            Code::VEX_Vaddps_ymm_ymm_ymmm256 => (Bits256, Plain, O::Add),
            Code::VEX_Vmulps_ymm_ymm_ymmm256 => (Bits256, Plain, O::Mul),
            Code::VEX_Vsubps_ymm_ymm_ymmm256 => (Bits256, Plain, O::Sub),
            Code::VEX_Vminps_ymm_ymm_ymmm256 => (Bits256, Plain, O::Min),
            Code::VEX_Vdivps_ymm_ymm_ymmm256 => (Bits256, Plain, O::Div),
            Code::VEX_Vmaxps_ymm_ymm_ymmm256 => (Bits256, Plain, O::Max),
            Code::VEX_Vsqrtps_ymm_ymmm256 => (Bits256, Plain, O::Sqrt),
            Code::VEX_Vcvtdq2ps_ymm_ymmm256 => (Bits256, Plain, O::FromInt),
            Code::VEX_Vcvttps2dq_ymm_ymmm256 => (Bits256, Plain, O::ToInt),
            Code::VEX_Vpand_ymm_ymm_ymmm256 => (Bits256, Plain, O::And),
            Code::VEX_Vpandn_ymm_ymm_ymmm256 => (Bits256, Plain, O::AndNot),
            Code::VEX_Vpor_ymm_ymm_ymmm256 => (Bits256, Plain, O::Or),
            Code::VEX_Vpxor_ymm_ymm_ymmm256 => (Bits256, Plain, O::Xor),
            Code::VEX_Vpaddd_ymm_ymm_ymmm256 => (Bits256, Plain, O::AddInt),
            Code::VEX_Vpsubd_ymm_ymm_ymmm256 => (Bits256, Plain, O::SubInt),
            Code::VEX_Vpmulld_ymm_ymm_ymmm256 => (Bits256, Plain, O::MulInt),
            Code::VEX_Vpsrlvd_ymm_ymm_ymmm256 => (Bits256, Plain, O::ShiftRight),
            Code::VEX_Vpsravd_ymm_ymm_ymmm256 => (Bits256, Plain, O::ShiftRightSigned),
            Code::VEX_Vpsllvd_ymm_ymm_ymmm256 => (Bits256, Plain, O::ShiftLeft),
            Code::VEX_Vfmadd213ps_ymm_ymm_ymmm256 => (Bits256, Destructive, O::Fma),
            Code::VEX_Vroundps_ymm_ymmm256_imm8 => (Bits256, Plain, rounding()?),
            Code::VEX_Vcmpps_ymm_ymm_ymmm256_imm8 => (Bits256, Plain, O::Compare(within(32)?)),
            Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256 => {
                (Bits256, Plain, O::CompareInt { unsigned: false, predicate: 0 })
            }
            // Predicate 6: not less than or equal.
            Code::VEX_Vpcmpgtd_ymm_ymm_ymmm256 => {
                (Bits256, Plain, O::CompareInt { unsigned: false, predicate: 6 })
            }
            Code::VEX_Vblendvps_ymm_ymm_ymmm256_ymm => (Bits256, Plain, O::BlendBySign),
            Code::VEX_Vmovups_ymm_ymmm256 => (Bits256, Plain, O::Copy),
            Code::VEX_Vpsrld_ymm_ymm_imm8 => (Bits256, Plain, O::ShiftRightBy(imm())),
            Code::EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er => (Bits512, Plain, O::Add),
            Code::EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er => (Bits512, Plain, O::Mul),
            Code::EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er => (Bits512, Plain, O::Sub),
            Code::EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae => (Bits512, Plain, O::Min),
            Code::EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er => (Bits512, Plain, O::Div),
            Code::EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae => (Bits512, Plain, O::Max),
            Code::EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er => (Bits512, Plain, O::Sqrt),
            Code::EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er => (Bits512, Plain, O::FromInt),
            Code::EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae => (Bits512, Plain, O::ToInt),
            Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32 => (Bits512, Plain, O::And),
            Code::EVEX_Vpandnd_zmm_k1z_zmm_zmmm512b32 => (Bits512, Plain, O::AndNot),
            Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32 => (Bits512, Plain, O::Or),
            Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32 => (Bits512, Plain, O::Xor),
            Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32 => (Bits512, Plain, O::AddInt),
            Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32 => (Bits512, Plain, O::SubInt),
            Code::EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32 => (Bits512, Plain, O::MulInt),
            Code::EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32 => (Bits512, Plain, O::ShiftRight),
            Code::EVEX_Vpsravd_zmm_k1z_zmm_zmmm512b32 => (Bits512, Plain, O::ShiftRightSigned),
            Code::EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32 => (Bits512, Plain, O::ShiftLeft),
            Code::EVEX_Vfmadd213ps_zmm_k1z_zmm_zmmm512b32_er => (Bits512, Destructive, O::Fma),
            Code::EVEX_Vrndscaleps_zmm_k1z_zmmm512b32_imm8_sae => (Bits512, Plain, rounding()?),
            Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae => (Bits512, Plain, O::Compare(within(32)?)),
            Code::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8 => {
                (Bits512, Plain, O::CompareInt { unsigned: false, predicate: within(8)? })
            }
            Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8 => {
                (Bits512, Plain, O::CompareInt { unsigned: true, predicate: within(8)? })
            }
            Code::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8 => (Bits512, Destructive, O::Ternary(imm())),
            Code::EVEX_Vmovups_zmm_k1z_zmmm512 => (Bits512, Plain, O::Copy),
            Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8 => (Bits512, Plain, O::ShiftRightBy(imm())),
            _ => return self.other_vector_instruction(),
        };
        let first = match form {
            Plain => 1,
            Destructive => 0,
        };
        // Absent sources repeat the first source; no operation reads them.
        let mut sources = [self.operand(first)?; 3];
        for (k, source) in sources.iter_mut().enumerate().take(operation.sources()) {
            *source = self.operand(first + k as u32)?;
        }
        // An OR of one register with itself under a zeroing mask keeps the register's lanes in the mask, so it is decoded as a masked copy.
        let kept = operation == O::Or && self.raw.zeroing_masking() && sources[0] == sources[1];
        let operation = if kept && matches!(sources[0], Operand::V(_)) { O::Copy } else { operation };
        Ok(Some((vector, Kind::Vector { operation, target: self.target()?, sources })))
    }

    /// Decodes vector instructions that are not a pure function of their sources, or whose sources are at other positions.
    fn other_vector_instruction(&self) -> Result<Option<(Vector, Kind)>, Reason> {
        let raw = self.raw;
        Ok(Some(match raw.code() {
            Code::VEX_Vmovups_ymmm256_ymm => {
                let (memory, source) = (self.memory(0)?, self.v(1)?);
                (Vector::Bits256, Kind::Store { memory, source, when: StoreMask::Always })
            }
            Code::VEX_Vmaskmovps_m256_ymm_ymm => {
                let (memory, when, source) = (self.memory(0)?, StoreMask::Sign(self.v(1)?), self.v(2)?);
                (Vector::Bits256, Kind::Store { memory, source, when })
            }
            Code::EVEX_Vmovups_zmmm512_k1z_zmm if !raw.zeroing_masking() => {
                let when = self.mask().map_or(StoreMask::Always, StoreMask::Mask);
                (Vector::Bits512, Kind::Store { memory: self.memory(0)?, source: self.v(1)?, when })
            }
            Code::EVEX_Vblendmps_zmm_k1z_zmm_zmmm512b32 if !raw.zeroing_masking() => {
                let mask = self.mask().ok_or_else(|| self.form_error())?;
                let (register, no, yes) = (self.v(0)?, self.v(1)?, self.operand(2)?);
                (Vector::Bits512, Kind::Blend { register, mask, no, yes })
            }
            Code::EVEX_Vpmovm2d_zmm_kr => {
                (Vector::Bits512, Kind::Spread { register: self.v(0)?, mask: self.k(1)? })
            }
            _ => return Ok(None),
        }))
    }

    fn general(&self) -> Result<Kind, Reason> {
        let raw = self.raw;
        let same = |a: u32, b: u32| raw.op_register(a) == raw.op_register(b);
        Ok(match raw.code() {
            Code::VEX_Kmovw_kr_r32 => Kind::MaskFrom { register: self.k(0)?, gpr: self.gpr32(1)? },
            Code::VEX_Kandw_kr_kr_kr => {
                Kind::BothMasks { register: self.k(0)?, a: self.k(1)?, b: self.k(2)? }
            }
            Code::Mov_r64_rm64 if raw.op1_kind() == OpKind::Memory => {
                Kind::LoadField { gpr: self.gpr(0)?, memory: self.memory(1)? }
            }
            Code::Mov_r64_rm64 | Code::Mov_rm64_r64 => Kind::Move { to: self.gpr(0)?, from: self.gpr(1)? },
            Code::Test_rm16_r16 if same(0, 1) => {
                Kind::TestLanes { gpr: self.register_number(0, Register::is_gpr16)?, lanes: 16 }
            }
            // Only low bytes are accepted: AH to DH are encoded with other register numbers.
            Code::Test_rm8_r8
                if same(0, 1)
                    && ![Register::AH, Register::BH, Register::CH, Register::DH]
                        .contains(&raw.op0_register()) =>
            {
                Kind::TestLanes { gpr: self.register_number(0, Register::is_gpr8)?, lanes: 8 }
            }
            Code::Shr_rm64_imm8 => Kind::ShiftRight { gpr: self.gpr(0)?, count: raw.immediate8() },
            Code::Add_rm64_imm8 => Kind::Add { gpr: self.gpr(0)?, value: raw.immediate8to64() },
            Code::Dec_rm64 => Kind::Decrement { gpr: self.gpr(0)? },
            // The target is resolved once all instructions have been decoded.
            Code::Je_rel32_64 => Kind::Jump { to: 0, zero: true },
            Code::Jne_rel32_64 => Kind::Jump { to: 0, zero: false },
            Code::VEX_Vzeroupper => Kind::ClearUpper,
            Code::Retnq => Kind::Return,
            _ => return Err(Reason::Unlisted(name(raw))),
        })
    }

    fn target(&self) -> Result<Target, Reason> {
        let (register, mask) = (self.raw.op0_register(), self.mask());
        if register.is_k() {
            Ok(Target::K { register: self.k(0)?, mask })
        } else {
            Ok(Target::V { register: self.v(0)?, mask, zero: self.raw.zeroing_masking() })
        }
    }

    fn mask(&self) -> Option<u8> {
        self.raw.has_op_mask().then(|| self.raw.op_mask().number() as u8)
    }

    fn operand(&self, k: u32) -> Result<Operand, Reason> {
        match self.raw.op_kind(k) {
            OpKind::Memory => Ok(Operand::Memory(self.memory(k)?)),
            _ => Ok(Operand::V(self.v(k)?)),
        }
    }

    /// Returns the register number of operand `k`, which must be a register of the kind that `is` accepts.
    fn register_number(&self, k: u32, is: impl Fn(Register) -> bool) -> Result<u8, Reason> {
        let register = self.raw.op_register(k);
        if self.raw.op_kind(k) != OpKind::Register || !is(register) {
            return Err(self.form_error());
        }
        let number = if register.is_gpr() { register.full_register().number() } else { register.number() };
        Ok(number as u8)
    }

    fn v(&self, k: u32) -> Result<u8, Reason> {
        self.register_number(k, |register| match self.vector {
            Vector::Bits256 => register.is_ymm(),
            Vector::Bits512 => register.is_zmm(),
        })
        .map_err(|reason| {
            let other_length = self.raw.op_register(k).is_vector_register();
            if other_length { Reason::Length(name(self.raw)) } else { reason }
        })
    }

    fn k(&self, k: u32) -> Result<u8, Reason> {
        self.register_number(k, Register::is_k)
    }

    fn gpr(&self, k: u32) -> Result<Gpr, Reason> {
        self.register_number(k, Register::is_gpr64)
    }

    fn gpr32(&self, k: u32) -> Result<Gpr, Reason> {
        self.register_number(k, Register::is_gpr32)
    }

    fn memory(&self, k: u32) -> Result<Memory, Reason> {
        let raw = self.raw;
        if raw.op_kind(k) != OpKind::Memory || raw.memory_index() != Register::None {
            return Err(self.form_error());
        }
        if raw.memory_base() == Register::RIP {
            return Ok(Memory::Code(raw.ip_rel_memory_address()));
        }
        if !raw.memory_base().is_gpr64() {
            return Err(self.form_error());
        }
        Ok(Memory::Based(raw.memory_base().number() as u8, raw.memory_displacement64() as i64))
    }
}
