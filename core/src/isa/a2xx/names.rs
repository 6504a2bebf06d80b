//! Names in assembly text: aliases, formats, and the attributes of clauses and fetches. Assembler and disassembler both read these
//! tables.
//!
//! Names are those of the listings of freedreno and mesa. What these leave out is spelt by further attributes; the ones for reserved
//! bits bear the name of the field in [`super::layout`] in capitals.

use super::layout::{ALLOC, BRANCH, COND_EXEC, EXEC, LOOP_END, LOOP_START, PLAIN};
use super::opcode::CfOp;
use crate::binary::{Bits, Layout};

/// How the value of an attribute is written.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    /// Not at all: the attribute's presence is the value 1.
    Flag,
    /// In hexadecimal.
    Hex,
    /// In decimal.
    Decimal,
    /// In decimal, the field being in two's complement.
    Signed,
    /// As one of these names, by value, or in decimal.
    Names(&'static [&'static str]),
}

/// A field that is written as `NAME` or `NAME(value)`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attribute {
    /// As written.
    pub(super) name: &'static str,
    /// The field.
    pub(super) field: &'static str,
    /// How its value is written.
    pub(super) form: Form,
    /// The value of fields that are not written.
    pub(super) default: u64,
    /// Whether it is written even with that value.
    pub(super) always: bool,
}

const fn flag(name: &'static str, field: &'static str) -> Attribute {
    Attribute { name, field, form: Form::Flag, default: 0, always: false }
}
const fn some(name: &'static str, field: &'static str, form: Form) -> Attribute {
    Attribute { name, field, form, default: 0, always: false }
}
const fn always(name: &'static str, field: &'static str, form: Form) -> Attribute {
    Attribute { name, field, form, default: 0, always: true }
}
const fn unless(name: &'static str, field: &'static str, form: Form, default: u64) -> Attribute {
    Attribute { name, field, form, default, always: false }
}
use Form::{Decimal, Hex, Names, Signed};

const YIELD: Attribute = flag("YIELD", "yield");
const VC: Attribute = some("VC", "vc", Hex);
const BOOL: Attribute = some("BOOL_ADDR", "bool_addr", Hex);
const ABSOLUTE: Attribute = flag("ABSOLUTE_ADDR", "address_mode");
const ADDR: Attribute = always("ADDR", "addr", Hex);
const CNT: Attribute = always("CNT", "cnt", Hex);
const COND: Attribute = always("COND", "cond", Decimal);
const LOOP_ID: Attribute = always("LOOP_ID", "loop_id", Decimal);
const EXEC_LOW: Attribute = some("BOOL_ADDR", "zero34", Hex);
const PRED_CLEAN: Attribute = flag("PRED_CLEAN", "pred_clean");

/// The attributes of a clause in the order of printing, with the layout they are fields of. `SEQ` of EXEC, and `COND` and
/// `BOOL_COND` of branches, are not among them: see [`super::disassemble`].
pub(super) fn clause_attributes(op: CfOp) -> (&'static Layout, &'static [Attribute]) {
    use CfOp::{
        Alloc, CondCall, CondExec, CondExecEnd, CondExecPredClean, CondExecPredCleanEnd, CondJmp,
        CondPredExec, CondPredExecEnd, Exec, ExecEnd, LoopEnd, LoopStart, MarkVsFetchDone, Nop, Return,
    };
    match op {
        Nop | MarkVsFetchDone => (&PLAIN, const { &[some("PAYLOAD", "payload", Hex), ABSOLUTE] }),
        Exec | ExecEnd => (
            &EXEC,
            const { &[ADDR, CNT, YIELD, VC, EXEC_LOW, PRED_CLEAN, ABSOLUTE, some("COND", "cond", Decimal)] },
        ),
        CondPredExec | CondPredExecEnd => {
            (&EXEC, const { &[ADDR, CNT, YIELD, VC, EXEC_LOW, PRED_CLEAN, ABSOLUTE, COND] })
        }
        CondExec | CondExecEnd | CondExecPredClean | CondExecPredCleanEnd => {
            (&COND_EXEC, const { &[ADDR, CNT, YIELD, VC, BOOL, ABSOLUTE, COND] })
        }
        LoopStart => (
            &LOOP_START,
            const {
                &[
                    ADDR,
                    LOOP_ID,
                    ABSOLUTE,
                    flag("REPEAT", "repeat"),
                    some("ZERO14", "zero14", Hex),
                    some("ZERO21", "zero21", Hex),
                ]
            },
        ),
        LoopEnd => (
            &LOOP_END,
            const {
                &[
                    ADDR,
                    LOOP_ID,
                    ABSOLUTE,
                    flag("PRED_BREAK", "pred_break"),
                    some("COND", "cond", Decimal),
                    some("ZERO13", "zero13", Hex),
                    some("ZERO22", "zero22", Hex),
                ]
            },
        ),
        CondCall | Return | CondJmp => (
            &BRANCH,
            const {
                &[
                    ADDR,
                    always("DIR", "direction", Decimal),
                    flag("FORCE_CALL", "unconditional"),
                    BOOL,
                    ABSOLUTE,
                    some("ZERO15", "zero15", Hex),
                ]
            },
        ),
        Alloc => (
            &ALLOC,
            const {
                &[
                    always("SIZE", "size", Hex),
                    flag("NO_SERIAL", "no_serial"),
                    flag("ALLOC_MODE", "alloc_mode"),
                    some("ZERO4", "zero4", Hex),
                ]
            },
        ),
    }
}

/// What ALLOC reserves, by the value of its field; several words are one name.
pub(super) const BUFFERS: [&str; 4] = ["NO ALLOC", "POSITION", "PARAM/PIXEL", "MEMORY"];
/// The seed's word for `POSITION`.
pub(super) const COORD: &str = "COORD";

const FILTERS: &[&str] = &["POINT", "LINEAR", "BASEMAP"];
const ANISO: &[&str] = &["DISABLED", "MAX_1_1", "MAX_2_1", "MAX_4_1", "MAX_8_1", "MAX_16_1"];
const KERNELS: &[&str] = &["2x4_SYM", "2x4_ASYM", "4x2_SYM", "4x2_ASYM", "4x4_SYM", "4x4_ASYM"];

/// The attributes of VERTEX behind format and signs. `CONST` has two numbers and is not among them.
pub(super) static VERTEX: &[Attribute] = &[
    always("STRIDE", "stride", Decimal),
    some("OFFSET", "offset", Signed),
    some("PREFETCH", "prefetch", Decimal),
    flag("MINI_FETCH", "mini_fetch"),
    flag("ROUND_INDEX", "round_index"),
    flag("NO_ZERO", "no_zero"),
    some("EXP_ADJUST", "exp_adjust", Signed),
    unless("ONE19", "one19", Decimal, 1),
    some("ZERO54", "zero54", Hex),
];

/// The attributes of texture fetches. `OFFSET` has three numbers and is not among them.
pub(super) static TEXTURE: &[Attribute] = &[
    always("CONST", "const_index", Decimal),
    flag("VALID_ONLY", "valid_only"),
    flag("DENORM", "denorm"),
    unless("MAG", "mag_filter", Names(FILTERS), 3),
    unless("MIN", "min_filter", Names(FILTERS), 3),
    unless("MIP", "mip_filter", Names(FILTERS), 3),
    unless("ANISO", "aniso_filter", Names(ANISO), 7),
    unless("ARBITRARY", "arbitrary_filter", Names(KERNELS), 7),
    unless("VOL_MAG", "vol_mag_filter", Names(FILTERS), 3),
    unless("VOL_MIN", "vol_min_filter", Names(FILTERS), 3),
    unless("LOD", "use_comp_lod", Decimal, 1),
    some("LOD_BIAS", "lod_bias", Signed),
    some("REG_LOD", "use_reg_lod", Decimal),
    flag("USE_REG_GRADIENTS", "use_reg_gradients"),
    always("LOCATION", "sample_location", Names(&["CENTROID", "CENTER"])),
    some("DIM", "dimension", Names(&["1D", "2D", "3D", "CUBE"])),
    some("ZERO73", "zero73", Hex),
];

impl Attribute {
    /// Writes it, a blank before it; `word` has the layout's bits.
    pub(super) fn write(&self, text: &mut String, layout: &Layout, word: u128) {
        use std::fmt::Write as _;
        let Some(field) = layout.field(self.field) else { return };
        let value = word.get(field) as u64;
        let name = self.name;
        // Writing to a string cannot fail.
        let _ = match self.form {
            Form::Flag => write!(text, " {name}"),
            Form::Hex => write!(text, " {name}({value:#x})"),
            Form::Decimal => write!(text, " {name}({value})"),
            Form::Signed => write!(text, " {name}({})", signed(value, field.width)),
            Form::Names(names) => match names.get(value as usize) {
                Some(value) => write!(text, " {name}({value})"),
                None => write!(text, " {name}({value})"),
            },
        };
    }

    /// Whether it is written for such a word.
    pub(super) fn is_written(&self, layout: &Layout, word: u128) -> bool {
        let value = layout.field(self.field).map_or(0, |field| word.get(field) as u64);
        self.always || value != self.default
    }
}

/// The value of a field in two's complement.
pub(super) fn signed(value: u64, width: u8) -> i64 {
    let unused = 64 - u32::from(width);
    (value << unused) as i64 >> unused
}

/// Further names of scalar operations; the second is the printed one.
pub(super) static SCALAR_ALIASES: [(&str, &str); 3] =
    [("RCP", "RECIP_IEEE"), ("RSQ", "RECIPSQ_IEEE"), ("MOV", "MAXs")];

/// The letters of components; the others are for results of fetches only: the constants 0 and 1, an invalid selection, and keep.
pub(super) const LETTERS: [char; 8] = ['x', 'y', 'z', 'w', '0', '1', '?', '_'];

/// Formats of surfaces and vertices by number, without `FMT_` (mesa, xenia, Adreno's names).
pub(super) static FORMATS: [Option<&str>; 64] = {
    let mut table = [None; 64];
    let named: [(usize, &str); 54] = [
        (0, "1_REVERSE"),
        (1, "1"),
        (2, "8"),
        (3, "1_5_5_5"),
        (4, "5_6_5"),
        (5, "6_5_5"),
        (6, "8_8_8_8"),
        (7, "2_10_10_10"),
        (8, "8_A"),
        (9, "8_B"),
        (10, "8_8"),
        (11, "Cr_Y1_Cb_Y0"),
        (12, "Y1_Cr_Y0_Cb"),
        (13, "5_5_5_1"),
        (14, "8_8_8_8_A"),
        (15, "4_4_4_4"),
        (16, "8_8_8"),
        (18, "DXT1"),
        (19, "DXT2_3"),
        (20, "DXT4_5"),
        (21, "10_10_10_2"),
        (22, "24_8"),
        (24, "16"),
        (25, "16_16"),
        (26, "16_16_16_16"),
        (27, "16_EXPAND"),
        (28, "16_16_EXPAND"),
        (29, "16_16_16_16_EXPAND"),
        (30, "16_FLOAT"),
        (31, "16_16_FLOAT"),
        (32, "16_16_16_16_FLOAT"),
        (33, "32"),
        (34, "32_32"),
        (35, "32_32_32_32"),
        (36, "32_FLOAT"),
        (37, "32_32_FLOAT"),
        (38, "32_32_32_32_FLOAT"),
        (39, "ATI_TC_RGB"),
        (40, "ATI_TC_RGBA"),
        (41, "ATI_TC_555_565_RGB"),
        (42, "ATI_TC_555_565_RGBA"),
        (43, "ATI_TC_RGBA_INTERP"),
        (44, "ATI_TC_555_565_RGBA_INTERP"),
        (46, "ETC1_RGBA_INTERP"),
        (47, "ETC1_RGB"),
        (48, "ETC1_RGBA"),
        (49, "DXN"),
        (51, "2_3_3"),
        (54, "2_10_10_10_AS_16x4"),
        (55, "10_10_10_2_AS_16x4"),
        (57, "32_32_32_FLOAT"),
        (58, "DXT3A"),
        (59, "DXT5A"),
        (60, "CTX1"),
    ];
    let mut k = 0;
    while k < named.len() {
        table[named[k].0] = Some(named[k].1);
        k += 1;
    }
    table
};

/// The printed comment on an export, if it has a fixed meaning.
pub(super) fn export_comment(stage: crate::isa::Stage, number: u8) -> Option<&'static str> {
    use crate::isa::Stage::{Fragment, Vertex};
    match (stage, number) {
        (Vertex, 62) => Some("gl_Position"),
        (Vertex, 63) => Some("gl_PointSize"),
        (Fragment, 0) => Some("gl_FragColor"),
        _ => None,
    }
}
