//! The opcode tables of clauses, of the vector and scalar halves of ALU slots, and of fetches. Decoder, assembler, validator, generator, coverage and
//! the printed manual all use them.
//!
//! Each of the four tables has its own opcode numbers. In [`INFO`], numbers of the vector half are offset by [`VECTOR_BASE`], numbers of the scalar
//! half by [`SCALAR_BASE`], and numbers of fetches by [`FETCH_BASE`].

use crate::isa::OpcodeInfo;

/// First number of the vector half in [`INFO`].
pub const VECTOR_BASE: u32 = 0x100;
/// First number of the scalar half in [`INFO`].
pub const SCALAR_BASE: u32 = 0x200;
/// First number of fetches in [`INFO`].
pub const FETCH_BASE: u32 = 0x300;

/// A row of an opcode table.
#[derive(Clone, Copy, Debug)]
pub struct Row<T: 'static> {
    /// The enum value.
    pub opcode: T,
    /// The opcode number in the field.
    pub number: u8,
    /// The mnemonic in assembly text.
    pub mnemonic: &'static str,
    /// The mnemonic in listings of the Xenos compiler.
    pub xdk: &'static str,
    /// The operation's effect, in one line.
    pub meaning: &'static str,
    /// Source and evidence tag.
    pub source: &'static str,
}

macro_rules! opcodes {
    ($(#[$doc:meta])* $type:ident $table:ident $source:literal $($variant:ident $number:literal $name:literal $xdk:literal $meaning:literal;)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum $type { $(#[doc = $meaning] $variant = $number,)* }

        /// The opcode table, sorted by number.
        pub static $table: &[Row<$type>] = &[$(Row {
            opcode: $type::$variant, number: $number, mnemonic: $name, xdk: $xdk, meaning: $meaning, source: $source,
        },)*];

        impl $type {
            /// Returns the opcode's row in the table.
            #[inline]
            pub fn row(self) -> &'static Row<$type> {
                static ROW: [u8; 64] = indices(&[$($number),*]);
                &$table[usize::from(ROW[self as usize])]
            }

            /// Returns the mnemonic in assembly text.
            pub const fn mnemonic(self) -> &'static str {
                match self { $($type::$variant => $name,)* }
            }

            /// Returns the opcode with this number; `None` if it is unassigned.
            #[inline]
            pub fn from_number(number: u8) -> Option<$type> {
                match number { $($number => Some($type::$variant),)* _ => None }
            }

            /// Returns the opcode with this mnemonic.
            pub fn from_mnemonic(name: &str) -> Option<$type> {
                $table.iter().find(|row| row.mnemonic == name).map(|row| row.opcode)
            }
        }
    };
}

/// Returns, for each opcode number, its index in `numbers`; 0 for numbers that are not in the list.
const fn indices(numbers: &[u8]) -> [u8; 64] {
    let mut indices = [0; 64];
    let mut k = 0;
    while k < numbers.len() {
        indices[numbers[k] as usize] = k as u8;
        k += 1;
    }
    indices
}

opcodes! {
    /// The operation of a control-flow clause.
    CfOp CF_TABLE "xenia, mesa (fd-hdr, mesa, xenia) [H]"
    Nop 0 "NOP" "cnop" "has no effect";
    Exec 1 "EXEC" "exec" "runs CNT slots starting at ADDR";
    ExecEnd 2 "EXEC_END" "exece" "runs CNT slots, then ends the program";
    CondExec 3 "COND_EXEC" "cexec" "runs CNT slots if the Boolean constant BOOL_ADDR is COND";
    CondExecEnd 4 "COND_EXEC_END" "cexece" "if the Boolean constant BOOL_ADDR is COND, runs CNT slots, then ends the program";
    CondPredExec 5 "COND_PRED_EXEC" "(p0) exec" "runs CNT slots if the predicate is COND";
    CondPredExecEnd 6 "COND_PRED_EXEC_END" "(p0) exece" "if the predicate is COND, runs CNT slots, then ends the program";
    LoopStart 7 "LOOP_START" "loop" "begins a loop with the count in loop constant LOOP_ID, or jumps to ADDR if the count is 0";
    LoopEnd 8 "LOOP_END" "endloop" "jumps to ADDR unless all iterations are done or the loop breaks";
    CondCall 9 "COND_CALL" "ccall" "calls the clause ADDR if the condition holds";
    Return 10 "RETURN" "ret" "returns from a call";
    CondJmp 11 "COND_JMP" "cjmp" "jumps to the clause ADDR if the condition holds";
    Alloc 12 "ALLOC" "alloc" "reserves space for exports";
    CondExecPredClean 13 "COND_EXEC_PRED_CLEAN" "cexec" "as COND_EXEC; no instruction changes the predicate";
    CondExecPredCleanEnd 14 "COND_EXEC_PRED_CLEAN_END" "cexece" "as COND_EXEC_END; no instruction changes the predicate";
    MarkVsFetchDone 15 "MARK_VS_FETCH_DONE" "-" "states that no vertex fetch follows";
}

opcodes! {
    /// The operation of the vector half of an ALU slot.
    VectorOp VECTOR_TABLE "xdk, xenia (fd-hdr, mesa, xenia, xdk) [H]"
    Add 0 "ADDv" "add" "a + b";
    Mul 1 "MULv" "mul" "a * b, where zero times anything is zero";
    Max 2 "MAXv" "max" "a >= b ? a : b";
    Min 3 "MINv" "min" "a < b ? a : b";
    Sete 4 "SETEv" "seq" "a == b ? 1 : 0";
    Setgt 5 "SETGTv" "sgt" "a > b ? 1 : 0";
    Setgte 6 "SETGTEv" "sge" "a >= b ? 1 : 0";
    Setne 7 "SETNEv" "sne" "a != b ? 1 : 0";
    Frac 8 "FRACv" "frc" "a - floor(a)";
    Trunc 9 "TRUNCv" "trunc" "a rounded toward zero";
    Floor 10 "FLOORv" "floor" "a rounded down";
    Muladd 11 "MULADDv" "mad" "a * b + c, where zero times anything is zero";
    Cnde 12 "CNDEv" "cndeq" "a == 0 ? b : c";
    Cndgte 13 "CNDGTEv" "cndge" "a >= 0 ? b : c";
    Cndgt 14 "CNDGTv" "cndgt" "a > 0 ? b : c";
    Dot4 15 "DOT4v" "dp4" "sum of a * b over x, y, z, w, in every component";
    Dot3 16 "DOT3v" "dp3" "sum of a * b over x, y, z, in every component";
    Dot2add 17 "DOT2ADDv" "dp2add" "a.x * b.x + a.y * b.y + c.x, in every component";
    Cube 18 "CUBEv" "cube" "face and coordinates of a direction: x = t, y = s, z = 2 * major axis, w = face";
    Max4 19 "MAX4v" "max4" "the largest of the four components of a, in every component";
    PredSetePush 20 "PRED_SETE_PUSHv" "setp_eq_push" "p = a.w == 0 && b.w == 0; a.x == 0 && b.x == 0 ? 0 : a.x + 1, in every component";
    PredSetnePush 21 "PRED_SETNE_PUSHv" "setp_ne_push" "p = a.w == 0 && b.w != 0; a.x == 0 && b.x != 0 ? 0 : a.x + 1, in every component";
    PredSetgtPush 22 "PRED_SETGT_PUSHv" "setp_gt_push" "p = a.w == 0 && b.w > 0; a.x == 0 && b.x > 0 ? 0 : a.x + 1, in every component";
    PredSetgtePush 23 "PRED_SETGTE_PUSHv" "setp_ge_push" "p = a.w == 0 && b.w >= 0; a.x == 0 && b.x >= 0 ? 0 : a.x + 1, in every component";
    Kille 24 "KILLEv" "kill_eq" "kills the pixel if a == b in some component; result 1 if so, else 0, in every component";
    Killgt 25 "KILLGTv" "kill_gt" "kills the pixel if a > b in some component; result 1 if so, else 0, in every component";
    Killgte 26 "KILLGTEv" "kill_ge" "kills the pixel if a >= b in some component; result 1 if so, else 0, in every component";
    Killne 27 "KILLNEv" "kill_ne" "kills the pixel if a != b in some component; result 1 if so, else 0, in every component";
    Dst 28 "DSTv" "dst" "(1, a.y * b.y, a.z, b.w)";
    Mova 29 "MOVAv" "maxa" "a0 = floor(a.w + 0.5) clamped to -256..255; result a >= b ? a : b";
}

opcodes! {
    /// The operation of the scalar half of an ALU slot.
    ScalarOp SCALAR_TABLE "xdk, xenia (fd-hdr, mesa, xenia, xdk) [H]"
    Adds 0 "ADDs" "adds" "a + b";
    AddPrevs 1 "ADD_PREVs" "adds_prev" "a + PS";
    Muls 2 "MULs" "muls" "a * b, where zero times anything is zero";
    MulPrevs 3 "MUL_PREVs" "muls_prev" "a * PS, where zero times anything is zero";
    MulPrev2s 4 "MUL_PREV2s" "muls_prev2" "-FLT_MAX if PS is -FLT_MAX or not finite, or b is not finite or <= 0; else a * PS, where zero times anything is zero";
    Maxs 5 "MAXs" "maxs" "a >= b ? a : b";
    Mins 6 "MINs" "mins" "a < b ? a : b";
    Setes 7 "SETEs" "seqs" "a == 0 ? 1 : 0";
    Setgts 8 "SETGTs" "sgts" "a > 0 ? 1 : 0";
    Setgtes 9 "SETGTEs" "sges" "a >= 0 ? 1 : 0";
    Setnes 10 "SETNEs" "snes" "a != 0 ? 1 : 0";
    Fracs 11 "FRACs" "frcs" "a - floor(a)";
    Truncs 12 "TRUNCs" "truncs" "a rounded toward zero";
    Floors 13 "FLOORs" "floors" "a rounded down";
    ExpIeee 14 "EXP_IEEE" "exp" "2 to the power of a";
    LogClamp 15 "LOG_CLAMP" "logc" "base-2 logarithm of a; -infinity becomes -FLT_MAX";
    LogIeee 16 "LOG_IEEE" "log" "base-2 logarithm of a";
    RecipClamp 17 "RECIP_CLAMP" "rcpc" "1 / a; an infinite result becomes FLT_MAX with its sign";
    RecipFf 18 "RECIP_FF" "rcpf" "1 / a; an infinite result becomes zero with its sign";
    RecipIeee 19 "RECIP_IEEE" "rcp" "1 / a";
    RecipsqClamp 20 "RECIPSQ_CLAMP" "rsqc" "1 / square root of a; an infinite result becomes FLT_MAX with its sign";
    RecipsqFf 21 "RECIPSQ_FF" "rsqf" "1 / square root of a; an infinite result becomes zero with its sign";
    RecipsqIeee 22 "RECIPSQ_IEEE" "rsq" "1 / square root of a";
    Movas 23 "MOVAs" "maxas" "a0 = floor(a + 0.5) clamped to -256..255; result a >= b ? a : b";
    MovaFloors 24 "MOVA_FLOORs" "maxasf" "a0 = floor(a) clamped to -256..255; result a >= b ? a : b";
    Subs 25 "SUBs" "subs" "a - b";
    SubPrevs 26 "SUB_PREVs" "subs_prev" "a - PS";
    PredSetes 27 "PRED_SETEs" "setp_eq" "p = a == 0; p ? 0 : 1";
    PredSetnes 28 "PRED_SETNEs" "setp_ne" "p = a != 0; p ? 0 : 1";
    PredSetgts 29 "PRED_SETGTs" "setp_gt" "p = a > 0; p ? 0 : 1";
    PredSetgtes 30 "PRED_SETGTEs" "setp_ge" "p = a >= 0; p ? 0 : 1";
    PredSetInvs 31 "PRED_SET_INVs" "setp_inv" "p = a == 1; p ? 0 : a == 0 ? 1 : a";
    PredSetPops 32 "PRED_SET_POPs" "setp_pop" "p = a - 1 <= 0; p ? 0 : a - 1";
    PredSetClrs 33 "PRED_SET_CLRs" "setp_clr" "p = false; FLT_MAX";
    PredSetRestores 34 "PRED_SET_RESTOREs" "setp_rstr" "p = a == 0; p ? 0 : a";
    Killes 35 "KILLEs" "kills_eq" "kills the pixel if a == 0; result 1 if so, else 0";
    Killgts 36 "KILLGTs" "kills_gt" "kills the pixel if a > 0; result 1 if so, else 0";
    Killgtes 37 "KILLGTEs" "kills_ge" "kills the pixel if a >= 0; result 1 if so, else 0";
    Killnes 38 "KILLNEs" "kills_ne" "kills the pixel if a != 0; result 1 if so, else 0";
    Killones 39 "KILLONEs" "kills_one" "kills the pixel if a == 1; result 1 if so, else 0";
    SqrtIeee 40 "SQRT_IEEE" "sqrt" "square root of a";
    MulConst0 42 "MUL_CONST_0" "mulsc" "constant a * register b, where zero times anything is zero";
    MulConst1 43 "MUL_CONST_1" "mulsc" "constant a * register b, where zero times anything is zero; the register's number is odd";
    AddConst0 44 "ADD_CONST_0" "addsc" "constant a + register b";
    AddConst1 45 "ADD_CONST_1" "addsc" "constant a + register b; the register's number is odd";
    SubConst0 46 "SUB_CONST_0" "subsc" "constant a - register b";
    SubConst1 47 "SUB_CONST_1" "subsc" "constant a - register b; the register's number is odd";
    Sin 48 "SIN" "sin" "sine of a in radians";
    Cos 49 "COS" "cos" "cosine of a in radians";
    RetainPrev 50 "RETAIN_PREV" "retain_prev" "PS, which is unchanged";
}

opcodes! {
    /// The operation of a FETCH slot.
    FetchOp FETCH_TABLE "xenia, mesa (fd-hdr, mesa, xenia) [H]"
    Vertex 0 "VERTEX" "vfetch" "a vertex attribute from a buffer";
    Sample 1 "SAMPLE" "tfetch" "a filtered texel";
    GetBorderColorFrac 16 "GET_BORDER_COLOR_FRAC" "getBCF" "fraction of the border colour in the texel that SAMPLE would return";
    GetCompTexLod 17 "GET_COMP_TEX_LOD" "getCompTexLOD" "level of detail that SAMPLE would compute";
    GetGradients 18 "GET_GRADIENTS" "getGradients" "derivatives of the first two components: of x along x and y, then of y along x and y (xenia)";
    GetWeights 19 "GET_WEIGHTS" "getWeights" "weights of the texels that SAMPLE would blend";
    SetTexLod 24 "SET_TEX_LOD" "setTexLOD" "sets the level of detail for SAMPLE with REG_LOD";
    SetGradientsH 25 "SET_GRADIENTS_H" "setGradientH" "sets the derivatives along x for SAMPLE with USE_REG_GRADIENTS";
    SetGradientsV 26 "SET_GRADIENTS_V" "setGradientV" "sets the derivatives along y for SAMPLE with USE_REG_GRADIENTS";
}

/// The kinds of operands that a scalar operation reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScalarShape {
    /// No operands.
    None,
    /// One component of source 3.
    One,
    /// One component of source 3, and the previous scalar result.
    OnePrevious,
    /// Two components of source 3.
    Two,
    /// Two components of source 3, and the previous scalar result.
    TwoPrevious,
    /// A component of a constant and a component of a register, encoded in fields that all other operations use differently.
    Constant,
}

impl CfOp {
    /// Returns the opcode with this number. Only the low four bits are used; all sixteen numbers are assigned.
    #[inline]
    pub fn from_bits(number: u8) -> CfOp {
        CF_TABLE[usize::from(number & 15)].opcode
    }

    /// Whether the clause runs slots.
    #[inline]
    pub fn is_exec(self) -> bool {
        use CfOp::{
            CondExec, CondExecEnd, CondExecPredClean, CondExecPredCleanEnd, CondPredExec, CondPredExecEnd,
            Exec, ExecEnd,
        };
        matches!(
            self,
            Exec | ExecEnd
                | CondExec
                | CondExecEnd
                | CondPredExec
                | CondPredExecEnd
                | CondExecPredClean
                | CondExecPredCleanEnd
        )
    }

    /// Whether the program ends after the clause, if its condition is true.
    #[inline]
    pub fn is_end(self) -> bool {
        use CfOp::{CondExecEnd, CondExecPredCleanEnd, CondPredExecEnd, ExecEnd};
        matches!(self, ExecEnd | CondExecEnd | CondPredExecEnd | CondExecPredCleanEnd)
    }

    /// Whether the clause is conditional on a Boolean constant.
    #[inline]
    pub fn tests_bool(self) -> bool {
        use CfOp::{CondExec, CondExecEnd, CondExecPredClean, CondExecPredCleanEnd};
        matches!(self, CondExec | CondExecEnd | CondExecPredClean | CondExecPredCleanEnd)
    }

    /// Whether the clause is conditional on the predicate.
    #[inline]
    pub fn tests_predicate(self) -> bool {
        matches!(self, CfOp::CondPredExec | CfOp::CondPredExecEnd)
    }
}

impl FetchOp {
    /// Whether the operation sets state for later texture reads and writes no register.
    pub const fn sets_state(self) -> bool {
        matches!(self, FetchOp::SetTexLod | FetchOp::SetGradientsH | FetchOp::SetGradientsV)
    }
}

impl VectorOp {
    /// Returns the number n of sources. The operation reads sources 1 to n.
    #[inline]
    pub fn sources(self) -> usize {
        use VectorOp::{Cnde, Cndgt, Cndgte, Dot2add, Floor, Frac, Max4, Muladd, Trunc};
        match self {
            Frac | Trunc | Floor | Max4 => 1,
            Muladd | Cnde | Cndgte | Cndgt | Dot2add => 3,
            _ => 2,
        }
    }

    /// Returns the channels of a source, 1 to 3, on which the result components in `mask` and any side effect of the operation may depend. For
    /// operations that combine components, the channels do not depend on `mask`. The lowering has a function of its own, written independently from
    /// the documents.
    pub fn channels(self, source_number: u8, mask: u8) -> u8 {
        use VectorOp::{Cube, Dot2add, Dot3, Dot4, Dst, Max4, Mova};
        match self {
            Dot4 | Max4 => 0xf,
            Cube if source_number == 1 => 0b1101,
            Cube => 0,
            _ if self.kills() => 0xf,
            Dot3 => 0b0111,
            Dot2add if source_number == 3 => 0b0001,
            Dot2add => 0b0011,
            _ if self.sets_predicate() => 0b1001,
            Dst if source_number == 1 => 0b0110,
            Dst => 0b1010,
            Mova if source_number == 1 => mask | 0b1000,
            _ => mask,
        }
    }

    /// Whether the operation may kill the lane.
    #[inline]
    pub fn kills(self) -> bool {
        use VectorOp::{Kille, Killgt, Killgte, Killne};
        matches!(self, Kille | Killgt | Killgte | Killne)
    }

    /// Whether the operation sets the predicate.
    #[inline]
    pub fn sets_predicate(self) -> bool {
        use VectorOp::{PredSetePush, PredSetgtPush, PredSetgtePush, PredSetnePush};
        matches!(self, PredSetePush | PredSetnePush | PredSetgtPush | PredSetgtePush)
    }
}

impl ScalarOp {
    /// Returns the kind of operands that the operation reads.
    #[inline]
    pub fn shape(self) -> ScalarShape {
        use ScalarOp::{
            AddConst0, AddConst1, AddPrevs, Adds, Maxs, Mins, MovaFloors, Movas, MulConst0, MulConst1,
            MulPrev2s, MulPrevs, Muls, PredSetClrs, RetainPrev, SubConst0, SubConst1, SubPrevs, Subs,
        };
        match self {
            PredSetClrs | RetainPrev => ScalarShape::None,
            AddPrevs | MulPrevs | SubPrevs => ScalarShape::OnePrevious,
            MulPrev2s => ScalarShape::TwoPrevious,
            Adds | Muls | Maxs | Mins | Movas | MovaFloors | Subs => ScalarShape::Two,
            MulConst0 | MulConst1 | AddConst0 | AddConst1 | SubConst0 | SubConst1 => ScalarShape::Constant,
            _ => ScalarShape::One,
        }
    }

    /// Whether the operation may kill the lane.
    #[inline]
    pub fn kills(self) -> bool {
        use ScalarOp::{Killes, Killgtes, Killgts, Killnes, Killones};
        matches!(self, Killes | Killgts | Killgtes | Killnes | Killones)
    }

    /// Whether the operation sets the predicate.
    #[inline]
    pub fn sets_predicate(self) -> bool {
        (ScalarOp::PredSetes..=ScalarOp::PredSetRestores).contains(&self)
    }

    /// Whether compilers use the operation to fill slots without a scalar operation, because it affects only the previous scalar result. The driver's
    /// and freedreno's compilers use MAXs, Mesa uses ADDs, and the Xenos compiler RETAIN_PREV.
    #[inline]
    pub fn is_filler(self) -> bool {
        matches!(self, ScalarOp::Maxs | ScalarOp::Adds | ScalarOp::RetainPrev)
    }
}

/// All opcodes in the form common to all instruction sets: clauses, then vector, scalar, fetch.
pub static INFO: &[OpcodeInfo] = &INFO_ROWS;

const COUNT: usize = CF_TABLE.len() + VECTOR_TABLE.len() + SCALAR_TABLE.len() + FETCH_TABLE.len();

static INFO_ROWS: [OpcodeInfo; COUNT] = {
    const EMPTY: OpcodeInfo = OpcodeInfo { number: 0, mnemonic: "", meaning: "", source: "" };
    let mut rows = [EMPTY; COUNT];
    let mut at = 0;
    macro_rules! add {
        ($table:ident, $base:expr) => {{
            let mut k = 0;
            while k < $table.len() {
                let row = &$table[k];
                rows[at] = OpcodeInfo {
                    number: $base + row.number as u32,
                    mnemonic: row.mnemonic,
                    meaning: row.meaning,
                    source: row.source,
                };
                at += 1;
                k += 1;
            }
        }};
    }
    add!(CF_TABLE, 0);
    add!(VECTOR_TABLE, VECTOR_BASE);
    add!(SCALAR_TABLE, SCALAR_BASE);
    add!(FETCH_TABLE, FETCH_BASE);
    assert!(at == COUNT);
    rows
};

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn opcode_numbers_ascend_and_find_their_rows() {
        macro_rules! check {
            ($type:ident, $table:ident, $width:literal, $unassigned:expr) => {
                assert!($table.windows(2).all(|w| w[0].number < w[1].number));
                for row in $table {
                    assert_eq!($type::from_number(row.number), Some(row.opcode));
                    assert_eq!($type::from_mnemonic(row.mnemonic), Some(row.opcode));
                    assert_eq!(row.opcode.row().mnemonic, row.mnemonic);
                }
                let none: Vec<u8> = (0..$width).filter(|n| $type::from_number(*n).is_none()).collect();
                assert_eq!(none, $unassigned);
            };
        }
        // The numbers that are unassigned in xenia, mesa and xdk.
        check!(CfOp, CF_TABLE, 16, Vec::<u8>::new());
        check!(VectorOp, VECTOR_TABLE, 32, vec![30, 31]);
        check!(ScalarOp, SCALAR_TABLE, 64, [41].into_iter().chain(51..64).collect::<Vec<u8>>());
        check!(FetchOp, FETCH_TABLE, 32, (2..16).chain(20..24).chain(27..32).collect::<Vec<u8>>());
    }

    #[test]
    fn mnemonics_name_one_opcode_each() {
        let names: BTreeSet<_> = INFO.iter().map(|row| row.mnemonic).collect();
        assert_eq!(names.len(), INFO.len());
    }
}
