//! The assembler: reads assembly text and reports every error it finds.
//!
//! The syntax is that of picasso (S5):
//!
//! ```text
//! .fvec projection[4]                 ; uniforms: also .ivec, .bool
//! .constf one(1.0, 1.0, 1.0, 1.0)     ; constants: also .consti, .constfa, .setf, .seti, .setb
//! .in position                        ; or: .in position v0
//! .out outpos position                ; or: .out outpos position o0.xyzw
//! .proc main
//!     dp4 outpos.x, projection[0], position
//!     cmp r0, lt, ge, r1              ; or: cmp r0, <, >=, r1
//!     ifc cmp.x && !cmp.y
//!         mul r2, projection[a0.x+2], r0.wzyx
//!     .else
//!         call helper
//!     .end
//!     end
//! .end
//! ```
//!
//! The instruction names of nihstro and of the draft of 2014 (SEED) are accepted too. Additions to picasso's syntax: `dst`, `litp` and `break`;
//! addresses and word counts in place of names (`call 0x38, 2`, `ifu b3, 0x29, 1`, `for i2, 0x31`); `@3` after an instruction, which selects its
//! descriptor; `{unused=1}`, which sets a field that no operand sets; `.word`; `.shader`, which begins the next source of a file; `.padding off`,
//! which is picasso's option `-n`; and the directives of [`super::disassemble`], which specify tables and containers exactly.

#![deny(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap)]

mod descriptor;
mod flow;
mod instruction;
mod line;
mod link;
mod operands;
mod parts;
mod source;

use super::decode::MAX_FILE_SIZE;
use super::program::{DescriptorRow, Instruction, Program};
use crate::binary::exact;
use crate::text::{Diagnostic, Kind, Lexer, Span, Token, WithSpans, nearest};
use flow::Code;
use instruction::ParsedInstruction;
use line::{Line, Read, quote};
use operands::File;
use parts::{BytesDestination, ContainerForm};
use source::{SharedTable, UniformAllocator, Unit};

pub use crate::text::MAX_ERRORS;

/// The word for true in `.padding` and `.setb`.
const ON: &str = "on";
/// The word for false in `.padding` and `.setb`.
const OFF: &str = "off";

/// The maximum number of instructions read: as many as a file can hold. Program memory is smaller.
const MAX_CODE_WORDS: usize = MAX_FILE_SIZE / 4;

/// Directives for sources and code.
const DIRECTIVES: [&str; 22] = [
    "proc", "else", "end", "alias", "fvec", "ivec", "bool", "constf", "consti", "constfa", "setf", "seti",
    "setb", "in", "out", "entry", "nodvle", "gsh", "shader", "padding", "word", "opdesc",
];

/// Assembles a program from text.
///
/// # Errors
/// All errors, up to [`MAX_ERRORS`]: first those of single lines, then those of the whole program. Lines after an error are still read.
pub fn assemble(text: &str) -> Result<Program, Vec<Diagnostic>> {
    assemble_with_spans(text).map(|(program, _)| program)
}

/// Assembles a program like [`assemble`], and returns the span of each instruction too.
///
/// # Errors
/// As for [`assemble`].
pub fn assemble_with_spans(text: &str) -> Result<WithSpans<Program>, Vec<Diagnostic>> {
    let mut lexer = Lexer::new(text, &[";", "//"]);
    let mut tokens = Vec::new();
    let mut end = Span { line: 1, column: 1, offset: 0, len: 0 };
    let mut assembler = Assembler::new(end);
    while assembler.errors.len() < MAX_ERRORS {
        let read = lexer.line(&mut tokens);
        if let Some(error) = read.too_long {
            assembler.errors.push(error);
        } else if let Some(t) = tokens.last() {
            end = t.end();
            assembler.line(&tokens, end);
        }
        if !read.more {
            break;
        }
    }
    let spans = assembler.code.words.iter().map(|word| Some(word.span)).collect();
    assembler.link(end).map(|program| (program, spans))
}

/// The state of the assembler.
struct Assembler<'t> {
    errors: Vec<Diagnostic>,
    code: Code<'t>,
    /// The rows of the descriptor table given by `.opdesc`.
    rows: Vec<DescriptorRow>,
    /// The sources, at least one; the last one is being read.
    units: Vec<Unit<'t>>,
    pool: UniformAllocator,
    shared: SharedTable<'t>,
    form: ContainerForm,
    bytes_destination: BytesDestination,
}

impl<'t> Assembler<'t> {
    fn new(span: Span) -> Assembler<'t> {
        Assembler {
            errors: Vec::new(),
            code: Code::new(),
            rows: Vec::new(),
            units: vec![Unit::new(span)],
            pool: UniformAllocator::new(0),
            shared: SharedTable::new(),
            form: ContainerForm::Auto,
            bytes_destination: BytesDestination::None,
        }
    }

    /// Reads a line and records its errors.
    fn line(&mut self, tokens: &[Token<'t>], end: Span) {
        let mut errors = std::mem::take(&mut self.errors);
        let mut line = Line::new(tokens, end, &mut errors, super::Pica200);
        // An error is recorded in `errors` by `statement`, so its result is not needed.
        let _ = self.statement(&mut line);
        self.errors = errors;
    }

    fn unit(&mut self) -> &mut Unit<'t> {
        let last = self.units.len() - 1;
        &mut self.units[last]
    }

    fn statement(&mut self, line: &mut Line<'t, '_>) -> Read<()> {
        while line.is_identifier() && line.ahead(1).is_some_and(|t| t.kind == Kind::Punct(':')) {
            let name = line.name("a label")?;
            line.skip();
            let here = exact::<u32, _>(self.code.words.len());
            if self.unit().labels.insert(name.text, here).is_some() {
                return Err(
                    line.error(name.span, format!("the label {} is defined twice", quote(Some(&name))))
                );
            }
        }
        if line.is_done() {
            return Ok(());
        }
        let span = line.next_span();
        if line.take_punct('.') {
            return self.directive(line, span);
        }
        let pending = line.instruction(&self.unit().aliases)?;
        let unit = self.units.len() - 1;
        self.code.push(line, pending, unit)
    }

    fn directive(&mut self, line: &mut Line<'t, '_>, span: Span) -> Read<()> {
        let Some(word) = line.identifier() else { return Err(line.expected("a directive")) };
        let unit = self.units.len() - 1;
        if self.unit().in_array() && !matches!(word.text, "constfa" | "end") {
            return Err(line.error(word.span, "only .constfa and .end are allowed in an array of constants"));
        }
        let lower = word.text.to_ascii_lowercase();
        match lower.as_str() {
            "proc" => self.code.procedure(line),
            "else" => self.code.else_branch(line, span, unit),
            "end" if self.unit().in_array() => {
                let pool = self.pool.clone();
                self.unit().end_array(line, &pool)
            }
            "end" => self.code.end(line, span, unit),
            "alias" => self.unit().alias(line),
            "fvec" => self.uniforms(line, File::Float),
            "ivec" => self.uniforms(line, File::Int),
            "bool" => self.uniforms(line, File::Bool),
            "constf" | "consti" => {
                let file = if lower == "constf" { File::Float } else { File::Int };
                let pool = self.pool.clone();
                self.unit().named_constant(line, file, &pool)
            }
            "constfa" => self.unit().constant_array(line),
            "setf" => self.unit().set(line, File::Float),
            "seti" => self.unit().set(line, File::Int),
            "setb" => self.unit().set_bool(line),
            "in" => self.unit().input(line),
            "out" => self.unit().output(line),
            "gsh" => self.unit().geometry(line),
            "entry" => {
                let name = line.name("a procedure")?;
                self.unit().entry = Some(name);
                line.expect_end()
            }
            "nodvle" => {
                self.unit().no_dvle = true;
                line.expect_end()
            }
            "shader" => {
                if let Some(open) = self.code.open() {
                    line.error(open, "this block is not ended with .end");
                }
                self.units.push(Unit::new(span));
                line.expect_end()
            }
            "padding" => {
                if !line.word(ON) && !line.word(OFF) {
                    return Err(line.expected("on or off"));
                }
                self.code.padding = line.previous_token().is_some_and(|t| t.text.eq_ignore_ascii_case(ON));
                line.expect_end()
            }
            "word" => self.word(line, span, unit),
            "opdesc" => {
                let row = parts::descriptor(line)?;
                self.rows.push(row);
                Ok(())
            }
            parts::RAW | parts::DVLB if !matches!(self.form, ContainerForm::Auto) => {
                Err(line.error(span, "the container is given twice: a text has one .raw or .dvlb"))
            }
            parts::RAW => {
                self.form = ContainerForm::Raw(parts::raw(line)?);
                Ok(())
            }
            parts::DVLB => {
                self.form = ContainerForm::Shbin(Box::new(parts::shbin(line)?));
                Ok(())
            }
            _ if parts::DIRECTIVES.contains(&word.text) => match &mut self.form {
                ContainerForm::Shbin(shbin) => {
                    parts::container_directive(line, word, shbin, &mut self.bytes_destination)
                }
                _ => Err(line.error(span, "the parts of a container must come after .dvlb")),
            },
            _ => {
                let message = format!("there is no directive {}", quote(Some(&word)));
                Err(match nearest(&lower, DIRECTIVES.into_iter().chain(parts::DIRECTIVES)) {
                    Some(name) => line.error_help(word.span, message, format!("did you mean '.{name}'?")),
                    None => line.error(word.span, message),
                })
            }
        }
    }

    fn uniforms(&mut self, line: &mut Line<'t, '_>, file: File) -> Read<()> {
        let Some(unit) = self.units.last_mut() else { return Ok(()) };
        unit.uniforms(line, file, &mut self.pool, &mut self.shared)
    }

    /// Parses `.word 0x88000000`: an instruction as a raw word.
    fn word(&mut self, line: &mut Line<'t, '_>, span: Span, unit: usize) -> Read<()> {
        let word = exact::<u32, _>(line.number("a word", u64::from(u32::MAX))?);
        line.expect_end()?;
        let instruction = Instruction::from_word(word);
        let pending =
            ParsedInstruction { span, instruction, needed_descriptor: None, target: None, counted: false };
        self.code.push(line, pending, unit)
    }
}
