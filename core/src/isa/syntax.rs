//! The syntax of an instruction set: assembly text, and the names of registers, slots and variables in it.

use super::{Entry, Format};
use crate::ir::VarKey;
use crate::text::{Diagnostic, WithSpans};

/// Reads and writes assembly text.
pub trait Syntax: Format {
    /// Reads assembly text. Also returns the span of each instruction in the text, by its number; none for instructions without text of their own.
    ///
    /// # Errors
    /// All errors found, not just the first, with their spans.
    fn assemble_with_spans(text: &str) -> Result<WithSpans<Self::Program>, Vec<Diagnostic>>;
    /// [`Syntax::assemble_with_spans`] without the spans.
    ///
    /// # Errors
    /// All errors found, with their spans.
    fn assemble(text: &str) -> Result<Self::Program, Vec<Diagnostic>> {
        Self::assemble_with_spans(text).map(|(program, _)| program)
    }
    /// Writes assembly text that assembles to the same program.
    fn disassemble(program: &Self::Program) -> String;
    /// One instruction as text.
    fn disassemble_word(program: &Self::Program, word: u32) -> String;
    /// Whether a line clearly begins an assembly text of this instruction set, such as a version or a directive. Never, by default, where a text may
    /// begin with any instruction.
    fn begins_text(_line: &str) -> bool {
        false
    }
    /// A description of a text that another tool prints about programs and that is not a dialect of the assembler, recognised by its contents; `None`
    /// for any other text.
    fn foreign_report(_text: &str) -> Option<&'static str> {
        None
    }
    /// Name of an output slot in assembly syntax.
    fn output_name(entry: &Entry, slot: u16) -> String;
    /// Name of an input slot in assembly syntax.
    fn input_name(entry: &Entry, slot: u16) -> String;
    /// Name of a slot of the float constant file in assembly syntax.
    fn constant_name(_entry: &Entry, slot: i32) -> String {
        format!("c{slot}")
    }
    /// Name of an effect's destination in assembly syntax; a number within its kind if it has no name.
    fn effect_name(_entry: &Entry, kind: u8, index: u16) -> String {
        format!("effect {kind}.{index}")
    }
    /// Name of a variable that the lowering declared.
    fn var_name(entry: &Entry, key: VarKey) -> String;
}
