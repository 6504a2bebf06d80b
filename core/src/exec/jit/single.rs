//! Code for one instruction of the encoder at a time, as functions over rows, to compare definitions of its semantics with the processor.

use super::compile::Compiler;
use super::encode::*;
use super::{CompileError, Compiled, Frame, Level, Part, Row, RunCode};
use crate::exec::{StandardMode, WIDTH};

/// One instruction of the encoder, with loads of its operands (rows 0, 1 and 2) and a store of its result (row 3).
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// The instruction's mnemonic with its immediate or predicate, or a description such as `blend by sign`.
    pub name: &'static str,
    /// The number of operands.
    pub operands: usize,
    emit: Emit,
}

#[derive(Clone, Copy, Debug)]
enum Emit {
    /// `dst = op a`.
    Unary(Opcode),
    UnaryImm(Opcode, u8),
    /// `dst = a op b`.
    Binary(Opcode),
    /// `dst = a op b`, 256 bits.
    BinaryVex(Opcode),
    /// `dst = dst op a, b`.
    Ternary(Opcode),
    TernaryImm(Opcode, u8),
    ShiftRight(u8),
    /// A comparison into truth values, or into a mask that is expanded to truth values.
    Compare(u8),
    /// A comparison of integers into a mask that is expanded to truth values, 512 bits.
    CompareMask(Opcode, u8),
    /// A comparison of a and b in the lanes in which c < 0, 512 bits.
    CompareMasked,
    /// The conjunction of a comparison of a and b with c < 0, 512 bits.
    BothMasks,
    /// a where c < 0, else b: by the sign of a vector, or by a mask.
    Blend,
    /// `a op b` where c < 0, else 0; 512 bits.
    ZeroMasked(Opcode),
    /// `a op b` where c < 0, else c; 512 bits.
    MergeMasked(Opcode),
    /// Stores a where c < 0 over the result row.
    StoreMasked,
    /// a + b, where b is a memory operand.
    AddMemory,
    /// a + this constant, an operand in the constant pool.
    AddConstant(u32),
}

macro_rules! forms {
    ($($name:literal $operands:literal $emit:expr;)*) => {
        &[$(Form { name: $name, operands: $operands, emit: $emit }),*]
    };
}

/// The forms of both widths.
const COMMON: &[Form] = forms! {
    "VADDPS" 2 Emit::Binary(ADDPS);
    "VMULPS" 2 Emit::Binary(MULPS);
    "VSUBPS" 2 Emit::Binary(SUBPS);
    "VMINPS" 2 Emit::Binary(MINPS);
    "VDIVPS" 2 Emit::Binary(DIVPS);
    "VMAXPS" 2 Emit::Binary(MAXPS);
    "VSQRTPS" 1 Emit::Unary(SQRTPS);
    "VCVTDQ2PS" 1 Emit::Unary(CVTDQ2PS);
    "VCVTTPS2DQ" 1 Emit::Unary(CVTTPS2DQ);
    "VPAND" 2 Emit::Binary(AND);
    "VPANDN" 2 Emit::Binary(ANDN);
    "VPOR" 2 Emit::Binary(OR);
    "VPXOR" 2 Emit::Binary(XOR);
    "VPADDD" 2 Emit::Binary(ADDD);
    "VPSUBD" 2 Emit::Binary(SUBD);
    "VPMULLD" 2 Emit::Binary(MULLD);
    "VPSRLVD" 2 Emit::Binary(SHRLVD);
    "VPSRAVD" 2 Emit::Binary(SHRAVD);
    "VPSLLVD" 2 Emit::Binary(SHLLVD);
    "VFMADD213PS" 3 Emit::Ternary(FMA213PS);
    "VROUNDPS 8" 1 Emit::UnaryImm(ROUNDPS, 8);
    "VROUNDPS 9" 1 Emit::UnaryImm(ROUNDPS, 9);
    "VROUNDPS 11" 1 Emit::UnaryImm(ROUNDPS, 11);
    "VPSRLD 7" 1 Emit::ShiftRight(7);
    "VPSRLD 31" 1 Emit::ShiftRight(31);
    "VPSRLD 32" 1 Emit::ShiftRight(32);
    "VCMPPS EQ_OQ" 2 Emit::Compare(0x00);
    "VCMPPS LT_OS" 2 Emit::Compare(0x01);
    "VCMPPS LE_OS" 2 Emit::Compare(0x02);
    "VCMPPS UNORD_Q" 2 Emit::Compare(0x03);
    "VCMPPS NEQ_UQ" 2 Emit::Compare(0x04);
    "VCMPPS NLT_US" 2 Emit::Compare(0x05);
    "VCMPPS NLE_US" 2 Emit::Compare(0x06);
    "VCMPPS ORD_Q" 2 Emit::Compare(0x07);
    "VCMPPS EQ_UQ" 2 Emit::Compare(0x08);
    "VCMPPS NGE_US" 2 Emit::Compare(0x09);
    "VCMPPS NGT_US" 2 Emit::Compare(0x0a);
    "VCMPPS FALSE_OQ" 2 Emit::Compare(0x0b);
    "VCMPPS NEQ_OQ" 2 Emit::Compare(0x0c);
    "VCMPPS GE_OS" 2 Emit::Compare(0x0d);
    "VCMPPS GT_OS" 2 Emit::Compare(0x0e);
    "VCMPPS TRUE_UQ" 2 Emit::Compare(0x0f);
    "VCMPPS EQ_OS" 2 Emit::Compare(0x10);
    "VCMPPS LT_OQ" 2 Emit::Compare(0x11);
    "VCMPPS LE_OQ" 2 Emit::Compare(0x12);
    "VCMPPS UNORD_S" 2 Emit::Compare(0x13);
    "VCMPPS NEQ_US" 2 Emit::Compare(0x14);
    "VCMPPS NLT_UQ" 2 Emit::Compare(0x15);
    "VCMPPS NLE_UQ" 2 Emit::Compare(0x16);
    "VCMPPS ORD_S" 2 Emit::Compare(0x17);
    "VCMPPS EQ_US" 2 Emit::Compare(0x18);
    "VCMPPS NGE_UQ" 2 Emit::Compare(0x19);
    "VCMPPS NGT_UQ" 2 Emit::Compare(0x1a);
    "VCMPPS FALSE_OS" 2 Emit::Compare(0x1b);
    "VCMPPS NEQ_OS" 2 Emit::Compare(0x1c);
    "VCMPPS GE_OQ" 2 Emit::Compare(0x1d);
    "VCMPPS GT_OQ" 2 Emit::Compare(0x1e);
    "VCMPPS TRUE_US" 2 Emit::Compare(0x1f);
    "blend by sign" 3 Emit::Blend;
    "store by sign" 3 Emit::StoreMasked;
    "VADDPS from memory" 2 Emit::AddMemory;
    "VADDPS with a constant" 1 Emit::AddConstant(0x2000_0000);
};

/// The forms that have only 256 bits.
const VEX: &[Form] = forms! {
    "VPCMPEQD" 2 Emit::BinaryVex(CMPEQD_VEX);
    "VPCMPGTD" 2 Emit::BinaryVex(CMPGTD_VEX);
};

/// The forms that have only 512 bits.
const EVEX: &[Form] = forms! {
    "VPCMPD EQ" 2 Emit::CompareMask(CMPD_EVEX, 0);
    "VPCMPD LT" 2 Emit::CompareMask(CMPD_EVEX, 1);
    "VPCMPD LE" 2 Emit::CompareMask(CMPD_EVEX, 2);
    "VPCMPD FALSE" 2 Emit::CompareMask(CMPD_EVEX, 3);
    "VPCMPD NEQ" 2 Emit::CompareMask(CMPD_EVEX, 4);
    "VPCMPD NLT" 2 Emit::CompareMask(CMPD_EVEX, 5);
    "VPCMPD NLE" 2 Emit::CompareMask(CMPD_EVEX, 6);
    "VPCMPD TRUE" 2 Emit::CompareMask(CMPD_EVEX, 7);
    "VPCMPUD EQ" 2 Emit::CompareMask(CMPUD_EVEX, 0);
    "VPCMPUD LT" 2 Emit::CompareMask(CMPUD_EVEX, 1);
    "VPCMPUD LE" 2 Emit::CompareMask(CMPUD_EVEX, 2);
    "VPCMPUD FALSE" 2 Emit::CompareMask(CMPUD_EVEX, 3);
    "VPCMPUD NEQ" 2 Emit::CompareMask(CMPUD_EVEX, 4);
    "VPCMPUD NLT" 2 Emit::CompareMask(CMPUD_EVEX, 5);
    "VPCMPUD NLE" 2 Emit::CompareMask(CMPUD_EVEX, 6);
    "VPCMPUD TRUE" 2 Emit::CompareMask(CMPUD_EVEX, 7);
    "VCMPPS in the lanes of a mask" 3 Emit::CompareMasked;
    "KANDW" 3 Emit::BothMasks;
    "VPTERNLOGD AC" 3 Emit::TernaryImm(TERNLOGD_EVEX, 0xac);
    "VPTERNLOGD CA" 3 Emit::TernaryImm(TERNLOGD_EVEX, 0xca);
    "VPTERNLOGD 96" 3 Emit::TernaryImm(TERNLOGD_EVEX, 0x96);
    "VPTERNLOGD 1D" 3 Emit::TernaryImm(TERNLOGD_EVEX, 0x1d);
    "VPORD, zeroing" 3 Emit::ZeroMasked(OR);
    "VPANDD, zeroing" 3 Emit::ZeroMasked(AND);
    "VPORD, merging" 3 Emit::MergeMasked(OR);
    "VPANDD, merging" 3 Emit::MergeMasked(AND);
};

/// The forms for a level, including immediates that the compiler never emits; none for a level of the interpreter.
pub fn forms(level: Level) -> Vec<Form> {
    match level {
        Level::Jit256 => [COMMON, VEX].concat(),
        Level::Jit512 => [COMMON, EVEX].concat(),
        _ => Vec::new(),
    }
}

/// Machine code for one form, callable as a function on rows of [`WIDTH`] lanes.
#[derive(Debug)]
pub struct Single(Compiled);

const OPERANDS: usize = 3;

/// The displacement of the result row, which follows the operands.
const RESULT: i32 = OPERANDS as i32 * super::registers::ROW;

impl Single {
    /// Compiles the function for a form.
    ///
    /// # Errors
    /// If the level is not a compiled one, the processor lacks it, or there is no memory for code.
    pub fn new(form: Form, level: Level) -> Result<Single, CompileError> {
        let width = match level {
            Level::Jit256 if level.is_available() => Width::Ymm,
            Level::Jit512 if level.is_available() => Width::Zmm,
            _ => return Err(CompileError::Level(level)),
        };
        let mut compiler = Compiler::default();
        let code = &mut compiler.code;
        code.emit_prologue();
        let loop_start = code.bytes.len();
        form.emit.emit(code, width);
        code.emit_loop_end(width, loop_start);
        code.finish();
        let mut compiled = Compiled { compiler, ..Compiled::default() };
        compiled.compiler.parts.push(Part::Compiled(RunCode::default(), 0..0));
        compiled.code_bytes = compiled.compiler.code.bytes.len();
        compiled.memory.fill(&compiled.compiler.code.bytes)?;
        compiled.width = Some(width);
        Ok(Single(compiled))
    }

    /// The machine code. The function begins at the first byte.
    pub fn bytes(&self) -> &[u8] {
        self.0.bytes()
    }

    /// Runs the function on the operands of all lanes, and returns the result row. Before the run, the result row contains `before`.
    pub fn run(&self, operands: &[[u32; WIDTH]; OPERANDS], before: &[u32; WIDTH]) -> [u32; WIDTH] {
        let _mode = StandardMode::enter();
        let mut rows = [Row(operands[0]), Row(operands[1]), Row(operands[2]), Row(*before)];
        let mask = Row::ZERO;
        let mut frame = Frame {
            rows: rows.as_mut_ptr(),
            inputs: std::ptr::null(),
            outputs: std::ptr::null_mut(),
            active: 0,
            mask: &raw const mask,
            groups: 0,
        };
        // SAFETY: `Single::new` wrote code that accesses only these four rows, for a level that it found available. Tested by every test that runs
        // it.
        unsafe { self.0.part(0, &mut frame, WIDTH, false) };
        rows[OPERANDS].0
    }
}

impl Emit {
    fn emit(self, code: &mut Code, width: Width) {
        // Registers whose numbers need the high bits in the prefix.
        let [a, b, c, dst] = match width {
            Width::Zmm => [V(17), V(10), V(28), V(21)],
            Width::Ymm => [V(1), V(10), V(12), V(9)],
        };
        let (k, result_mask) = (K(2), K(5));
        for (row, v) in [a, b, c].into_iter().enumerate() {
            code.load(width, v, Src::Mem(Base::Group, row as i32 * super::registers::ROW));
        }
        code.load(width, dst, c);
        // Compares into mask register `k`: the bit of each lane in which c < 0 is set.
        let sign = |code: &mut Code| {
            let zero = code.constant(0);
            code.compare(CMPD_EVEX, k, c, zero, 1, None);
        };
        match self {
            Emit::Unary(op) => code.op2(width, op, dst, a),
            Emit::UnaryImm(op, imm) => code.op2_imm(width, op, dst, a, imm),
            Emit::Binary(op) | Emit::BinaryVex(op) => code.op3(width, op, dst, a, b),
            Emit::Ternary(op) => code.op3(width, op, dst, a, b),
            Emit::TernaryImm(op, imm) => code.op3_imm(width, op, dst, a, b, imm),
            Emit::ShiftRight(count) => code.shift(width, 2, dst, a, count),
            Emit::Compare(predicate) => match width {
                Width::Ymm => code.op3_imm(width, CMPPS, dst, a, b, predicate),
                Width::Zmm => {
                    code.compare(CMPPS, k, a, b, predicate, None);
                    code.spread(dst, k);
                }
            },
            Emit::CompareMask(op, predicate) => {
                code.compare(op, k, a, b, predicate, None);
                code.spread(dst, k);
            }
            Emit::CompareMasked => {
                sign(code);
                code.compare(CMPPS, result_mask, a, b, 1, Some(k));
                code.spread(dst, result_mask);
            }
            Emit::BothMasks => {
                sign(code);
                code.compare(CMPPS, result_mask, a, b, 1, None);
                code.and_masks(result_mask, result_mask, k);
                code.spread(dst, result_mask);
            }
            Emit::Blend => match width {
                Width::Ymm => code.op3_imm(width, BLENDVPS_VEX, dst, b, a, c.0 << 4),
                Width::Zmm => {
                    sign(code);
                    code.op3_masked(BLENDMPS_EVEX, dst, b, a, Mask::merge(k));
                }
            },
            Emit::ZeroMasked(op) => {
                sign(code);
                code.op3_masked(op, dst, a, b, Mask::zero(k));
            }
            Emit::MergeMasked(op) => {
                sign(code);
                code.op3_masked(op, dst, a, b, Mask::merge(k));
            }
            Emit::StoreMasked => {
                match width {
                    Width::Ymm => code.store_where(Base::Group, RESULT, a, c),
                    Width::Zmm => {
                        sign(code);
                        code.store_masked(Base::Group, RESULT, a, k);
                    }
                }
                return;
            }
            Emit::AddMemory => {
                code.op3(width, ADDPS, dst, a, Src::Mem(Base::Group, super::registers::ROW));
            }
            Emit::AddConstant(bits) => {
                let constant = code.constant(bits);
                code.op3(width, ADDPS, dst, a, constant);
            }
        }
        code.store(width, Base::Group, RESULT, dst);
    }
}
