//! The tables of an instruction set: opcodes, word layouts, options, facets and sources. The manual, coverage points, rule instances and requests to
//! generators are derived from them.

use super::{Format, Legality, OptionSpec, Source, facet, manual};
use crate::binary::Layout;

/// A program for the proof of one lowering rule.
#[derive(Clone, Debug)]
pub struct RuleInstance<P> {
    /// Opcode, stage, version and modifier class.
    pub name: String,
    /// The program: the instruction and the context it needs.
    pub program: P,
    /// Whether to try mutants of its lowering: true if no other program contains the rule in this form.
    pub mutate: bool,
}

/// The description of an opcode for tools that are independent of the instruction set.
#[derive(Clone, Copy, Debug)]
pub struct OpcodeInfo {
    /// Number in its encoding.
    pub number: u32,
    /// Name in the instruction set's assembly syntax.
    pub mnemonic: &'static str,
    /// Its effect, in one line.
    pub meaning: &'static str,
    /// The document and section that define it, with the evidence tag.
    pub source: &'static str,
}

/// A coverage point: one instruction's opcode and one of its modifiers. Used for coverage and signatures.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CoverPoint {
    /// The mnemonic.
    pub opcode: &'static str,
    /// The modifier class: mask, swizzle, register file, option word, stage or version, as `what=which`.
    pub modifier: String,
}

/// Describes an instruction set as data.
pub trait Tables: Format {
    /// The options: the points on which the documents disagree, each with its choices; the first is the default. None, by default.
    fn option_specs() -> &'static [OptionSpec] {
        &[]
    }
    /// Every opcode.
    fn opcodes() -> &'static [OpcodeInfo];
    /// Every bit layout.
    fn layouts() -> &'static [Layout];
    /// The sources of the facts in the tables: every tag that they cite.
    fn sources() -> &'static [Source];
    /// The table of an instruction's facets. Coverage points ([`facet::points`]) and instances of lowering rules ([`facet::rule_instances`]) come
    /// from it.
    fn facets() -> &'static facet::Table<Self::Program>;
    /// [`facet::Table::points`] for many instructions of a program, in time near-linear in their number. Override it where points depend on more than
    /// the instruction.
    fn classifier(program: &Self::Program) -> impl Fn(u32) -> Vec<CoverPoint> {
        move |word| Self::facets().points(program, word)
    }
    /// The manual, printed from the tables. Override it to add text and tables of the instruction set's own.
    fn manual() -> String
    where
        Self: Legality,
    {
        manual::plain::<Self>()
    }
}
