//! Names in assembly text, shared by assembler and disassembler: prefixes, suffixes, aliases, and the attributes of clauses and fetches.
//!
//! Names are those of the listings of freedreno and Mesa. Fields that those listings omit have additional attributes. An attribute for reserved bits
//! has the name of the field in [`super::word`], in capitals; only the bits that COND_EXEC uses for `BOOL_ADDR` have this name in every EXEC.

use super::opcode::{CfOp, ScalarOp};
use super::word::{
    Alloc as AllocWord, Anisotropy, Branch, Exec as ExecWord, ExecWithoutBool, Filter, Kernel,
    LoopEnd as LoopEndWord, LoopStart as LoopStartWord, Plain, Texture, Vertex,
};
use crate::binary::{Bits, Field, FieldKind};
use crate::isa::component;

/// The text form of an attribute's value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    /// No value: the attribute's presence means 1.
    Flag,
    /// A hexadecimal number.
    Hex,
    /// A decimal number.
    Decimal,
    /// A decimal number; the field is in two's complement.
    Signed,
    /// The value's name in the field's declaration, or a decimal number if it has none.
    Names,
}

/// A field that is written as `NAME` or `NAME(value)`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attribute {
    /// The name in text.
    pub(super) name: &'static str,
    /// The field of the word.
    pub(super) field: Field,
    /// The text form of the value.
    pub(super) form: Form,
    /// The field's value if the attribute is absent from the text.
    pub(super) default: u64,
    /// Whether the attribute is printed even if the field has the default value.
    pub(super) always: bool,
}

/// An attribute without a value, for a field of one bit.
const fn flag(name: &'static str, field: Field) -> Attribute {
    Attribute { name, field, form: Form::Flag, default: 0, always: false }
}
/// An attribute that is printed if the field is not 0.
const fn nonzero(name: &'static str, field: Field, form: Form) -> Attribute {
    Attribute { name, field, form, default: 0, always: false }
}
/// An attribute that is always printed.
const fn always(name: &'static str, field: Field, form: Form) -> Attribute {
    Attribute { name, field, form, default: 0, always: true }
}
/// An attribute that is printed unless the field has the default value.
const fn unless(name: &'static str, field: Field, form: Form, default: u64) -> Attribute {
    Attribute { name, field, form, default, always: false }
}
use Form::{Decimal, Hex, Names, Signed};

// Attributes that several clauses share.
const fn addr(field: Field) -> Attribute {
    always(ADDR, field, Hex)
}
const fn loop_id(field: Field) -> Attribute {
    always("LOOP_ID", field, Decimal)
}
const fn bool_addr(field: Field) -> Attribute {
    nonzero(BOOL_ADDR, field, Hex)
}
const fn absolute(field: Field) -> Attribute {
    flag("ABSOLUTE_ADDR", field)
}
const fn yield_hint(field: Field) -> Attribute {
    flag("YIELD", field)
}
const fn count(field: Field) -> Attribute {
    always(CNT, field, Hex)
}
const fn vertex_cache(field: Field) -> Attribute {
    nonzero("VC", field, Hex)
}

// Names that are not in an attribute table, or that are used outside the tables, too.
pub(super) const ADDR: &str = "ADDR";
pub(super) const CNT: &str = "CNT";
pub(super) const SEQ: &str = "SEQ";
pub(super) const DIR: &str = "DIR";
pub(super) const COND: &str = "COND";
pub(super) const BOOL_COND: &str = "BOOL_COND";
pub(super) const BOOL_ADDR: &str = "BOOL_ADDR";
pub(super) const FORCE_CALL: &str = "FORCE_CALL";
pub(super) const LOD: &str = "LOD";
pub(super) const LOD_BIAS: &str = "LOD_BIAS";
pub(super) const CONST: &str = "CONST";
pub(super) const OFFSET: &str = "OFFSET";
pub(super) const SIGNED: &str = "SIGNED";
pub(super) const UNSIGNED: &str = "UNSIGNED";
pub(super) const NORMALIZED: &str = "NORMALIZED";
pub(super) const TYPE: &str = "TYPE";
pub(super) const FORMAT: &str = "FMT_";
/// The mnemonic of operations whose number is unassigned.
pub(super) const OP: &str = "OP";
/// Suffixes of predicated instructions, indexed by the required value.
pub(super) const PREDICATED: [&str; 2] = ["NE", "EQ"];
/// The attribute for a required predicate value in a slot that does not test the predicate.
pub(super) const PRED_COND: &str = "PRED_COND";
pub(super) const CLAMP: &str = "CLAMP";
pub(super) const ZERO: &str = "ZERO";
pub(super) const ABS_CONST: &str = "ABS_CONST";
pub(super) const ADDR_A0: &str = "ADDR_A0";
pub(super) const CONST0_REL: &str = "CONST0_REL";
pub(super) const CONST1_REL: &str = "CONST1_REL";
pub(super) const SRC2: &str = "SRC2";
pub(super) const FILL: &str = "FILL";
pub(super) const SDEST: &str = "SDEST";
/// The prefixes of slot lines, indexed by 0 for ALU and 1 for FETCH.
pub(super) const KINDS: [&str; 2] = ["ALU", "FETCH"];
/// The address registers: aL for loops, a0 for constants.
pub(super) const A_L: &str = "aL";
pub(super) const A_0: &str = "a0";
/// The prefixes of register numbers and of constant numbers.
pub(super) const REGISTER: &str = "R";
pub(super) const CONSTANT: &str = "C";
/// The prefix of exports.
pub(super) const EXPORT: &str = "export";

/// The attributes of a clause in printing order. `SEQ` of EXEC, and `COND` and `BOOL_COND` of branches, are not included: see [`super::disassemble`].
pub(super) fn clause_attributes(op: CfOp) -> &'static [Attribute] {
    use CfOp::{
        Alloc, CondCall, CondExec, CondExecEnd, CondExecPredClean, CondExecPredCleanEnd, CondJmp,
        CondPredExec, CondPredExecEnd, Exec, ExecEnd, LoopEnd, LoopStart, MarkVsFetchDone, Nop, Return,
    };
    match op {
        Nop | MarkVsFetchDone => {
            const { &[nonzero("PAYLOAD", Plain::payload, Hex), absolute(Plain::absolute)] }
        }
        Exec | ExecEnd => const { &exec(nonzero(COND, ExecWithoutBool::cond, Decimal)) },
        CondPredExec | CondPredExecEnd => const { &exec(always(COND, ExecWithoutBool::cond, Decimal)) },
        CondExec | CondExecEnd | CondExecPredClean | CondExecPredCleanEnd => {
            const {
                &[
                    addr(ExecWord::addr),
                    count(ExecWord::cnt),
                    yield_hint(ExecWord::yields),
                    vertex_cache(ExecWord::vc),
                    bool_addr(ExecWord::bool_addr),
                    absolute(ExecWord::absolute),
                    always(COND, ExecWord::cond, Decimal),
                ]
            }
        }
        LoopStart => {
            const {
                &[
                    addr(LoopStartWord::addr),
                    loop_id(LoopStartWord::loop_id),
                    absolute(LoopStartWord::absolute),
                    flag("REPEAT", LoopStartWord::repeat),
                    nonzero("ZERO14", LoopStartWord::zero14, Hex),
                    nonzero("ZERO21", LoopStartWord::zero21, Hex),
                ]
            }
        }
        LoopEnd => {
            const {
                &[
                    addr(LoopEndWord::addr),
                    loop_id(LoopEndWord::loop_id),
                    absolute(LoopEndWord::absolute),
                    flag("PRED_BREAK", LoopEndWord::pred_break),
                    nonzero(COND, LoopEndWord::cond, Decimal),
                    nonzero("ZERO13", LoopEndWord::zero13, Hex),
                    nonzero("ZERO22", LoopEndWord::zero22, Hex),
                ]
            }
        }
        CondCall | Return | CondJmp => {
            const {
                &[
                    addr(Branch::addr),
                    always(DIR, Branch::direction, Decimal),
                    flag(FORCE_CALL, Branch::unconditional),
                    bool_addr(Branch::bool_addr),
                    absolute(Branch::absolute),
                    nonzero("ZERO15", Branch::zero15, Hex),
                ]
            }
        }
        Alloc => {
            const {
                &[
                    always("SIZE", AllocWord::size, Hex),
                    flag("NO_SERIAL", AllocWord::no_serial),
                    flag("ALLOC_MODE", AllocWord::alloc_mode),
                    nonzero("ZERO4", AllocWord::zero4, Hex),
                ]
            }
        }
    }
}

/// The attributes of EXEC and COND_PRED_EXEC, with and without END, which test no Boolean constant.
const fn exec(cond: Attribute) -> [Attribute; 8] {
    [
        addr(ExecWithoutBool::addr),
        count(ExecWithoutBool::cnt),
        yield_hint(ExecWithoutBool::yields),
        vertex_cache(ExecWithoutBool::vc),
        nonzero(BOOL_ADDR, ExecWithoutBool::zero34, Hex),
        flag("PRED_CLEAN", ExecWithoutBool::pred_clean),
        absolute(ExecWithoutBool::absolute),
        cond,
    ]
}

/// The attributes of VERTEX after format and signedness. `CONST`, which has two numbers, is not included.
pub(super) static VERTEX: &[Attribute] = &[
    always("STRIDE", Vertex::stride, Decimal),
    nonzero(OFFSET, Vertex::offset, Signed),
    nonzero("PREFETCH", Vertex::prefetch, Decimal),
    flag("MINI_FETCH", Vertex::mini_fetch),
    flag("ROUND_INDEX", Vertex::round_index),
    flag("NO_ZERO", Vertex::no_zero),
    nonzero("EXP_ADJUST", Vertex::exp_adjust, Signed),
    unless("ONE19", Vertex::one19, Decimal, 1),
    nonzero("ZERO54", Vertex::zero54, Hex),
];

/// The attributes of texture fetches. `OFFSET`, which has three numbers, is not included.
pub(super) static TEXTURE: &[Attribute] = &[
    always(CONST, Texture::const_index, Decimal),
    flag("VALID_ONLY", Texture::valid_only),
    flag("DENORM", Texture::denorm),
    unless("MAG", Texture::mag_filter, Names, Filter::Constant as u64),
    unless("MIN", Texture::min_filter, Names, Filter::Constant as u64),
    unless("MIP", Texture::mip_filter, Names, Filter::Constant as u64),
    unless("ANISO", Texture::aniso_filter, Names, Anisotropy::Constant as u64),
    unless("ARBITRARY", Texture::arbitrary_filter, Names, Kernel::Constant as u64),
    unless("VOL_MAG", Texture::vol_mag_filter, Names, Filter::Constant as u64),
    unless("VOL_MIN", Texture::vol_min_filter, Names, Filter::Constant as u64),
    unless(LOD, Texture::use_comp_lod, Decimal, 1),
    nonzero(LOD_BIAS, Texture::lod_bias, Signed),
    nonzero("REG_LOD", Texture::use_reg_lod, Decimal),
    flag("USE_REG_GRADIENTS", Texture::use_reg_gradients),
    always("LOCATION", Texture::sample_location, Names),
    nonzero("DIM", Texture::dimension, Names),
    nonzero("ZERO73", Texture::zero73, Hex),
];

impl Attribute {
    /// Returns the names of the field's values, if values are printed by name.
    pub(super) fn names(&self) -> &'static [(u64, &'static str)] {
        match (self.form, self.field.kind) {
            (Form::Names, FieldKind::Choice(names)) => names,
            _ => &[],
        }
    }

    /// Prints the attribute, preceded by a space.
    pub(super) fn write(&self, text: &mut String, word: u128) {
        use std::fmt::Write as _;
        let value = word.get(&self.field) as u64;
        let name = self.name;
        // Writing to a string cannot fail.
        let _ = match self.form {
            Form::Flag => write!(text, " {name}"),
            Form::Hex => write!(text, " {name}({value:#x})"),
            Form::Decimal => write!(text, " {name}({value})"),
            Form::Signed => write!(text, " {name}({})", self.field.signed(value)),
            Form::Names => match self.names().iter().find(|(number, _)| *number == value) {
                Some((_, value)) => write!(text, " {name}({value})"),
                None => write!(text, " {name}({value})"),
            },
        };
    }

    /// Whether the attribute is printed for this word.
    pub(super) fn is_written(&self, word: u128) -> bool {
        self.always || word.get(&self.field) as u64 != self.default
    }
}

/// Aliases of scalar operations.
pub(super) static SCALAR_ALIASES: [(&str, ScalarOp); 3] =
    [("RCP", ScalarOp::RecipIeee), ("RSQ", ScalarOp::RecipsqIeee), ("MOV", ScalarOp::Maxs)];

/// The component letters. The letters after w occur only in results of fetches: the constants 0 and 1, the invalid selector, and a component that
/// keeps its value.
pub(super) const LETTERS: [char; 8] = {
    let [x, y, z, w] = component::LETTERS;
    [x, y, z, w, '0', '1', '?', '_']
};
