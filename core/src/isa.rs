//! The trait [`Isa`]: everything that an instruction set has to provide, as a sum of smaller traits with one job each.
//!
//! | part | job |
//! |---|---|
//! | [`Format`] | bytes to programs and back; entries |
//! | [`Syntax`] | assembly text to programs and back; names |
//! | [`Tables`] | opcodes, layouts, options, facets, sources; the manual |
//! | [`Legality`] | rules, and which of them a program breaks |
//! | [`Reference`] | one instruction executed for a group of lanes, as the manual specifies |
//! | [`Lowering`] | instructions to IR; control states and their successors |
//! | [`Refinement`] | the mapping between the reference's state and the lowering's variables, in both directions |
//! | [`Edits`] | structural edits, for the minimiser and for mutations |
//!
//! Properties of the instruction sets:
//!
//! | | AGAL | D3D9 | PICA200 | A2xx | Utgard GP |
//! |---|---|---|---|---|---|
//! | word | 24-byte token | u32 tokens, lengths by version | u32, opcode field of 3 to 6 bits | 96-bit slot; two CF clauses in one | 128-bit VLIW |
//! | program parts ([`Format::Program`]) | header, tokens | version, instructions, comments, END, tail | SHBIN blocks, code, operand descriptors, uniforms, labels | CF area, ALU and FETCH slots, raw gaps, container | words |
//! | code without its container ([`Format::code`]) | tokens | everything up to and including END | words; descriptors as its table | the entry's shader | words |
//! | entries ([`Entry`]) | one, from the header | one, from the version token | one per DVLE; one for a raw program | one per shader | one, at the first word |
//! | number domain ([`crate::value`]) | binary32 | binary32, `mulz` by option | f24 by `narrow`, `flush`, `mulz` by option | binary32, flushed inputs, legacy multiply | binary32, flushed in two units, opaque stages of complex functions |
//! | environment ([`crate::host::Environment`]) | constants, samplers, attributes or varyings, instance id | constants, ints, bools, samplers | constants, ints, bools | constants, loop constants (`ints`), bools, samplers, buffers | constants (uniform slots), attributes |
//! | outputs ([`Reference::output`]) | position and varyings; colours and depth | position, fog, size, colours, coordinates; colours, depth | o0 to o15 | none: all results are effects | varyings |
//! | registers with an initial value ([`registers`]) | temporaries | temporaries, a0, p0, aL | temporaries, a0, aL, cmp | general registers, a0, predicate, PS | registers, address registers |
//! | control registers with a final value | none | a0, p0, aL | a0, aL, cmp | a0, predicate, PS | none |
//! | effects ([`crate::host::Effect`]), and kills | kills | kills | emitted vertices | exports, memory exports, kills | none |
//! | control state ([`Lowering::ControlState`]) | pc | pc, loop and call stacks | pc, three stacks that drop their oldest frame | clause, slot in it, call and loop stacks | pc, pipeline age, pending stores |
//! | conditions ([`lowering::BranchSelect`]) | two compared components | Booleans, predicate components, comparisons | two flags, Booleans | predicate, Booleans | pass result |
//! | loops ([`Op::Fuel`]) | none | rep, loop | LOOP, backward jumps | loop clauses, backward jumps | backward branches |
//! | calls ([`Reference::calls`]) | none | consume fuel | consume fuel if the call or the return jumps backwards | consume fuel | none |
//! | outline ([`Lowering::Outline`]) | ends of blocks | ends of blocks, enclosing loops, labels, samplers | the scopes that end at each word | clauses of a slot, enclosing loops | basic blocks, destinations of stores |
//! | indexable state ([`Op::Load`], [`Op::UniformAt`]) | constants | constants, inputs, outputs | constants | constants, general registers | uniforms, temporaries |
//! | quads ([`Reference::group`]) | fragment, derivatives and mip selection | pixel, likewise | none | pixel, likewise | none |
//! | hazards | none | co-issued and predicated instructions read the earlier state | descriptors shared by words; jumps lost on last words | both halves read before either writes; previous scalar | results one and two words old; store latencies |
//! | fallback ([`Lowering::lower_word`]) | static successors | computed return address | stacks in variables | stacks in variables | static successors, pending stores in variables |
//! | facets ([`Tables::facets`]) describe | operands, samplers, stages and versions | operands, results, co-issue; versions are contexts | operands, results, conditions, flow and vertices | clauses, halves of slots, fetches | units, stores and branches |
//!
//! If an instruction set needs something that these traits cannot express, change the traits.
//!
//! [`Op::Fuel`]: crate::ir::Op::Fuel
//! [`Op::Load`]: crate::ir::Op::Load
//! [`Op::UniformAt`]: crate::ir::Op::UniformAt

pub mod a2xx;
pub mod agal;
mod code;
pub mod component;
pub mod d3d9;
mod edit;
mod entry;
pub mod facet;
mod format;
mod forward;
mod label;
mod legality;
mod list;
pub mod lowering;
mod manual;
mod options;
pub mod pica200;
mod refinement;
pub mod registers;
mod rule;
pub mod run;
mod semantics;
pub mod source;
mod syntax;
mod tables;
pub mod utgard_gp;
mod violation;
mod worklist;

pub use crate::host::End;
pub use code::Code;
pub use edit::{Edit, Edits};
use entry::are_valid_ports;
pub use entry::{Entry, Interface, Port, Stage, output_number, port_mask};
pub use format::{Context, Format};
pub use label::{InputFile, Label};
pub use legality::{Legality, is_legal};
pub use list::{IsaId, panic_unlisted};
pub use lowering::{Lowering, lower};
pub use options::{OptionSpec, Options, OptionsError};
pub use refinement::{CONTROL, EFFECTS, KILLED, Refinement, State};
pub use registers::Register;
pub use rule::{RuleInfo, RuleRow};
pub use run::LaneState;
pub use semantics::Reference;
pub use source::Source;
pub use syntax::Syntax;
pub use tables::{CoverPoint, OpcodeInfo, RuleInstance, Tables, instruction_count};
pub use violation::{Level, Violation};

use forward::forward;

use crate::ir::{self, Var, VarKey};

/// An instruction set: the sum of its parts. Functions that need only some of the parts should name those traits instead.
pub trait Isa: Syntax + Tables + Legality + Refinement + Edits {}

impl<I: Syntax + Tables + Legality + Refinement + Edits> Isa for I {}

/// Iterates over the variables of a lowered program with their keys, in order of variable number.
pub fn variable_keys(program: &ir::Program) -> impl Iterator<Item = (Var, VarKey)> + '_ {
    program.vars.iter().enumerate().map(|(k, v)| (Var(k as u32), v.key))
}
