//! Tests of the core through its public interface. All tests are in one executable, because every further executable has to be linked and
//! instantiates generic code again.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot continue fails

mod a2xx;
mod agal;
mod capabilities;
mod d3d9;
mod diagnostics;
mod drawn_steps;
mod exec_equals_eval;
mod exec_kernels;
mod exec_partial_quads;
mod exec_registers;
mod exec_streams;
mod flow;
mod host_access;
mod host_bound;
mod host_definition;
mod host_rows;
mod host_sampler;
mod independence;
mod interface_slots;
mod interfaces;
mod ir_liveness;
mod ir_outcome;
mod ir_rewrite;
mod ir_rules;
mod ir_text;
mod ir_verify;
mod limits;
mod material;
mod material_notes;
mod named;
mod numbered_edits;
mod option_choices;
mod option_freedoms;
mod pica200;
mod refinements;
mod rule_instances;
mod same_files;
mod swizzles;
mod texture_reads;
mod utgard_gp;
mod value_ranges;
