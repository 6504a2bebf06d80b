//! Names in assembly text: aliases, formats, and the attributes of clauses and fetches. Assembler and disassembler both read these
//! tables.
//!
//! Names are those of the listings of freedreno and mesa. What these leave out is spelt by further attributes; the ones for reserved
//! bits bear the name of the field in [`super::word`] in capitals.

use super::opcode::CfOp;
use super::program::{Alloc as AllocWord, Branch, LoopEnd as LoopEndWord, LoopStart as LoopStartWord, Plain};
use super::word::{Anisotropy, CondExecWord, Dimension, ExecWord, FORMATS, Filter, Kernel, Location};
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
    /// As one of these names, or in decimal.
    Names(&'static [(u64, &'static str)]),
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
        Nop | MarkVsFetchDone => (&Plain::LAYOUT, const { &[some("PAYLOAD", "payload", Hex), ABSOLUTE] }),
        Exec | ExecEnd => (
            &ExecWord::LAYOUT,
            const { &[ADDR, CNT, YIELD, VC, EXEC_LOW, PRED_CLEAN, ABSOLUTE, some("COND", "cond", Decimal)] },
        ),
        CondPredExec | CondPredExecEnd => {
            (&ExecWord::LAYOUT, const { &[ADDR, CNT, YIELD, VC, EXEC_LOW, PRED_CLEAN, ABSOLUTE, COND] })
        }
        CondExec | CondExecEnd | CondExecPredClean | CondExecPredCleanEnd => {
            (&CondExecWord::LAYOUT, const { &[ADDR, CNT, YIELD, VC, BOOL, ABSOLUTE, COND] })
        }
        LoopStart => (
            &LoopStartWord::LAYOUT,
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
            &LoopEndWord::LAYOUT,
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
            &Branch::LAYOUT,
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
            &AllocWord::LAYOUT,
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
    unless("MAG", "mag_filter", Names(Filter::CHOICES), 3),
    unless("MIN", "min_filter", Names(Filter::CHOICES), 3),
    unless("MIP", "mip_filter", Names(Filter::CHOICES), 3),
    unless("ANISO", "aniso_filter", Names(Anisotropy::CHOICES), 7),
    unless("ARBITRARY", "arbitrary_filter", Names(Kernel::CHOICES), 7),
    unless("VOL_MAG", "vol_mag_filter", Names(Filter::CHOICES), 3),
    unless("VOL_MIN", "vol_min_filter", Names(Filter::CHOICES), 3),
    unless("LOD", "use_comp_lod", Decimal, 1),
    some("LOD_BIAS", "lod_bias", Signed),
    some("REG_LOD", "use_reg_lod", Decimal),
    flag("USE_REG_GRADIENTS", "use_reg_gradients"),
    always("LOCATION", "sample_location", Names(Location::CHOICES)),
    some("DIM", "dimension", Names(Dimension::CHOICES)),
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
            Form::Names(names) => match names.iter().find(|(number, _)| *number == value) {
                Some((_, value)) => write!(text, " {name}({value})"),
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

/// The name of a format of surfaces and vertices.
pub(super) fn format_name(number: u8) -> Option<&'static str> {
    FORMATS.iter().find(|(known, _)| *known == u64::from(number)).map(|(_, name)| *name)
}

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
