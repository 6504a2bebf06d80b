//! The syntax of an instruction set: assembly text, and the names of registers, slots and variables in it.

use super::registers::register;
use super::{Entry, Format};
use crate::ir::VarKey;
use crate::text::{Diagnostic, WithSpans};

/// Reads and writes assembly text.
pub trait Syntax: Format {
    /// Assembles text. Also returns the span of each instruction in the text, by instruction number; `None` for instructions without text of their
    /// own.
    ///
    /// # Errors
    /// All errors found, up to [`MAX_ERRORS`](crate::text::MAX_ERRORS), with their spans.
    fn assemble_with_spans(text: &str) -> Result<WithSpans<Self::Program>, Vec<Diagnostic>>;
    /// [`Syntax::assemble_with_spans`] without the spans.
    ///
    /// # Errors
    /// The same errors as [`Syntax::assemble_with_spans`].
    fn assemble(text: &str) -> Result<Self::Program, Vec<Diagnostic>> {
        Self::assemble_with_spans(text).map(|(program, _)| program)
    }
    /// Disassembles a program to text that assembles to the same program.
    fn disassemble(program: &Self::Program) -> String;
    /// Disassembles one instruction.
    fn disassemble_word(program: &Self::Program, word: u32) -> String;
    /// Whether a line clearly begins an assembly text of this instruction set, for instance with a version or a directive. The default is false, for
    /// syntaxes in which a text may begin with any instruction.
    fn begins_text(_line: &str) -> bool {
        false
    }
    /// Recognises, by its contents, a report that another tool prints about programs and that is not assembly text. Returns a description of the
    /// report; `None` for any other text.
    fn foreign_report(_text: &str) -> Option<&'static str> {
        None
    }
    /// Returns the name of an output slot in assembly syntax.
    fn output_name(entry: &Entry, slot: u16) -> String {
        register::<Self>(entry, slot)
            .map_or_else(|| Self::own_output_name(entry, slot), |register| register.name)
    }
    /// Returns the name of an input slot in assembly syntax.
    fn input_name(entry: &Entry, slot: u16) -> String {
        register::<Self>(entry, slot)
            .map_or_else(|| Self::own_input_name(entry, slot), |register| register.name)
    }
    /// Returns the name of an output slot that is not the slot of a [`register`].
    fn own_output_name(entry: &Entry, slot: u16) -> String;
    /// Returns the name of an input slot that is not the slot of a [`register`].
    fn own_input_name(entry: &Entry, slot: u16) -> String;
    /// Returns the name of a float constant in assembly syntax.
    fn constant_name(_entry: &Entry, slot: i32) -> String {
        format!("c{slot}")
    }
    /// Returns the name of an effect's destination in assembly syntax; `effect KIND.INDEX` if the destination has no name.
    fn effect_name(_entry: &Entry, kind: u8, index: u16) -> String {
        format!("effect {kind}.{index}")
    }
    /// Returns the name of a variable that the lowering declared.
    fn var_name(entry: &Entry, key: VarKey) -> String;
}
