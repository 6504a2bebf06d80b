//! The assembler: reads assembly text and reports every error it finds.
//!
//! ```text
//! .a2xx vertex                            ; optional, and so is the stage
//! EXEC ADDR(0x3) CNT(0x1)                 ; comments begin with ; or //
//!    (S)FETCH:  VERTEX  R1.xyz1 = R0.x FMT_32_32_32_FLOAT SIGNED STRIDE(12) CONST(10)
//! ALLOC POSITION SIZE(0x0)
//! EXEC
//!       ALU:  MAXv  export62 = R1, R1
//! ALLOC PARAM/PIXEL SIZE(0x0)
//! EXEC_END
//! ```
//!
//! Slots are listed below the clause that runs them. In this form ADDR and CNT are optional; if present, they are checked against the lines. A
//! listing in memory order, with all clauses first, is also accepted. If the last slot of clauses contains only one clause, the other is NOP. In
//! addition to the spellings of [`super::disassemble`], those of the document SEED are accepted: COORD, RCP, RSQ, MOV, and CONST of VERTEX with one
//! number (the second is then 0). A FETCH may continue on the next line if its CONST is there. A listing with raw words before its lines, as Mesa and
//! freedreno print it, is read from these words; only comments and `.a2xx` may precede it. Lines that begin with `@`, headers of freedreno's
//! assembler, do not affect the program's words and are skipped.

#![deny(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap)]

mod alu;
mod clause;
mod fetch;
mod line;
mod listing;
mod operands;
mod shader;

use super::decode::{self, MAX_FILE_SIZE};
use super::disassemble::{BIG_ENDIAN, CONTAINER, CONTAINERS, HEAD, SHADER, kind_name};
use super::encode;
use super::interface::stage_of;
use super::names::{CONST, KINDS};
use super::program::{Kind, Order, Program, Shader};
use crate::isa::Stage;
use crate::text::{Diagnostic, Kind as Token, Lexer, Span, WithSpans};
use line::Line;
use shader::ParsedShader;

pub use crate::text::MAX_ERRORS;

/// The markers that begin comments: semicolon (Mesa and this assembler), and two slashes, as often written above a listing.
const COMMENTS: [&str; 2] = [";", "//"];

/// Assembles text.
///
/// # Errors
/// All errors found, sorted by span, up to [`MAX_ERRORS`]. A line with an error adds nothing to the program, but the following lines are still
/// parsed.
pub fn assemble(text: &str) -> Result<Program, Vec<Diagnostic>> {
    assemble_with_spans(text).map(|(program, _)| program)
}

/// Like [`assemble`], but also returns the span of each instruction.
///
/// # Errors
/// As for [`assemble`].
pub fn assemble_with_spans(text: &str) -> Result<WithSpans<Program>, Vec<Diagnostic>> {
    if listing::is_listing(text) {
        return listing::read(text);
    }
    let mut reader = Assembler::default();
    let mut lexer = Lexer::new(text, &COMMENTS);
    let mut held: Vec<crate::text::Token<'_>> = Vec::new();
    while reader.errors.len() < MAX_ERRORS {
        let mut tokens = Vec::new();
        let read = lexer.line(&mut tokens);
        if let Some(error) = read.too_long {
            reader.errors.push(error);
            tokens.clear();
        } else if lacks_const(&held) && is_continuation(&tokens) {
            held.append(&mut tokens);
        }
        if !tokens.is_empty() {
            reader.complete_line(&held);
            held = tokens;
        }
        if !read.more {
            break;
        }
    }
    reader.complete_line(&held);
    reader.finish()
}

/// Whether a line is the first part of a FETCH: its CONST is missing.
fn lacks_const(tokens: &[crate::text::Token<'_>]) -> bool {
    let has = |text: &str| tokens.iter().any(|token| token.text == text);
    has(KINDS[1]) && !has(CONST)
}

/// Whether a line may continue a FETCH: it contains the CONST and is not itself a clause, slot or directive.
fn is_continuation(tokens: &[crate::text::Token<'_>]) -> bool {
    let own = |kind: Token| matches!(kind, Token::Punct(':' | '.' | '@' | '='));
    tokens.iter().any(|token| token.text == CONST) && !tokens.iter().any(|token| own(token.kind))
}

/// The stages a shader can have.
const STAGES: [Stage; 2] = [Stage::Vertex, Stage::Fragment];

/// Parses the stage in a directive, if there is one, and returns it with its span.
fn stage(line: &mut Line<'_, '_>) -> Result<Option<(Stage, Span)>, line::Reported> {
    let Some(word) = line.identifier() else { return Ok(None) };
    match STAGES.into_iter().find(|stage| stage.name() == word.text) {
        Some(stage) => Ok(Some((stage, word.span))),
        None => Err(line.unknown(&word, "stage", STAGES.map(Stage::name))),
    }
}

/// The state of the assembler between lines.
#[derive(Debug)]
struct Assembler {
    errors: Vec<Diagnostic>,
    kind: Kind,
    order: Order,
    gaps: Vec<Vec<u8>>,
    parsed: Vec<ParsedShader>,
    /// A lower bound on the size of the program in bytes: the size of a clause for each line, and all gaps. It limits the memory that a text can
    /// request before its program is encoded.
    min_size: usize,
    end: Span,
}

impl Default for Assembler {
    fn default() -> Self {
        Assembler {
            errors: Vec::new(),
            kind: Kind::Bare,
            order: Order::Little,
            gaps: vec![Vec::new()],
            parsed: Vec::new(),
            min_size: 0,
            end: Span { line: 1, column: 1, offset: 0, len: 0 },
        }
    }
}

impl Assembler {
    /// Parses a complete line, including its continuation.
    fn complete_line(&mut self, tokens: &[crate::text::Token<'_>]) {
        if let Some(token) = tokens.last() {
            self.end = token.end();
            self.line(tokens);
        }
    }

    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.errors.push(Diagnostic::new(span, message));
    }

    fn line(&mut self, tokens: &[crate::text::Token<'_>]) {
        let span = tokens[0].span;
        match tokens[0].kind {
            Token::Punct('@') => {}
            Token::Punct('.') => self.directive(tokens),
            _ => {
                self.min_size += super::word::SLOT / 2;
                if self.min_size > MAX_FILE_SIZE {
                    if self.errors.is_empty() {
                        self.error(span, too_large());
                    }
                    return;
                }
                if self.kind == Kind::Bare && self.parsed.is_empty() {
                    self.parsed.push(ParsedShader::new(span, None));
                }
                match self.parsed.last_mut() {
                    Some(shader) if shader.open => {
                        shader.line(&mut Line::new(tokens, self.end, &mut self.errors, super::A2xx));
                    }
                    _ => self.error(span, "a shader of a container begins with '.shader'"),
                }
            }
        }
    }

    fn directive(&mut self, tokens: &[crate::text::Token<'_>]) {
        let mut line = Line::new(tokens, self.end, &mut self.errors, super::A2xx);
        line.at = 1;
        let Some(word) = line.identifier() else {
            line.expected("a directive");
            return;
        };
        let started = !self.parsed.is_empty() || self.gaps.iter().any(|g| !g.is_empty());
        match word.text {
            BIG_ENDIAN | CONTAINER if started => {
                line.error(word.span, "this directive must come before everything else");
            }
            BIG_ENDIAN => self.order = Order::Big,
            HEAD if started || self.kind != Kind::Bare => {
                line.error(
                    word.span,
                    "this directive may be given only once, before the clauses of a bare shader",
                );
                return;
            }
            HEAD => {
                let Ok(stage) = stage(&mut line) else { return };
                self.parsed.push(ParsedShader::new(word.span, stage));
            }
            CONTAINER => {
                let name = line.identifier().map(|t| t.text);
                match CONTAINERS.into_iter().find(|k| Some(kind_name(*k)) == name) {
                    Some(kind) => {
                        self.kind = kind;
                        self.order = if kind == Kind::Xenos { Order::Big } else { Order::Little };
                    }
                    None => {
                        line.error_help(
                            word.span,
                            "there is no such container",
                            "the containers are xenos, driver, packets and trace",
                        );
                        return;
                    }
                }
            }
            "bytes" if self.kind != Kind::Bare => {
                if let Some(shader) = self.parsed.last_mut()
                    && shader.open
                {
                    shader.open = false;
                    self.gaps.push(Vec::new());
                }
                match line.bytes() {
                    Ok(bytes) => {
                        self.min_size += bytes.len();
                        if self.min_size <= MAX_FILE_SIZE
                            && let Some(gap) = self.gaps.last_mut()
                        {
                            gap.extend(bytes);
                        }
                    }
                    Err(_) => return,
                }
            }
            SHADER if self.kind != Kind::Bare => {
                if self.parsed.last().is_some_and(|p| p.open) {
                    self.gaps.push(Vec::new());
                }
                // Earlier shaders are already closed.
                if let Some(shader) = self.parsed.last_mut() {
                    shader.open = false;
                }
                let Ok(stage) = stage(&mut line) else { return };
                self.parsed.push(ParsedShader::new(word.span, stage));
            }
            "bytes" | SHADER => {
                line.error_help(
                    word.span,
                    "this directive is allowed only in a container",
                    "begin with '.container driver'",
                );
                return;
            }
            "tail" => match self.parsed.last_mut() {
                Some(shader) if shader.open => {
                    if let Ok(words) = line.tail() {
                        shader.tail = words;
                    }
                    return;
                }
                _ => {
                    line.error(word.span, "a tail needs a shader before it");
                    return;
                }
            },
            _ => {
                let names = [HEAD, BIG_ENDIAN, CONTAINER, "bytes", SHADER, "tail"];
                line.unknown(&word, "directive", names);
                return;
            }
        }
        // A failure has already been recorded in `errors`.
        let _ = line.expect_end();
    }

    fn finish(mut self) -> Result<WithSpans<Program>, Vec<Diagnostic>> {
        let mut shaders = Vec::new();
        let mut spans = Vec::new();
        let mut word_spans = Vec::new();
        let mut stages = Vec::new();
        for shader in std::mem::take(&mut self.parsed) {
            spans.push(shader.span);
            stages.push(shader.stage);
            if self.errors.len() < MAX_ERRORS
                && let Some((dwords, lines)) = shader.dwords(&mut self.errors)
            {
                shaders.push((dwords, shader.area()));
                word_spans.push(lines);
            }
        }
        if self.errors.is_empty() && shaders.is_empty() {
            self.error(self.end, "a program must have at least one clause");
        }
        let program = if self.errors.is_empty() { self.program(&shaders, &spans) } else { None };
        let program = program.filter(|program| self.check_stages(program, &stages));
        self.errors.sort_by_key(|e| e.span);
        self.errors.truncate(MAX_ERRORS);
        let program = program.ok_or(self.errors)?;
        // Data after the last slot that a clause runs is not an instruction, so it has no line.
        for (lines, shader) in word_spans.iter_mut().zip(&program.shaders) {
            lines.resize(shader.words(), None);
        }
        Ok((program, word_spans.concat()))
    }

    /// Checks that the shaders have the stages that the text names.
    fn check_stages(&mut self, program: &Program, named: &[Option<(Stage, Span)>]) -> bool {
        let wrong =
            program.shaders.iter().zip(named).find_map(|(shader, named)| check_stage_name(shader, *named));
        let right = wrong.is_none();
        self.errors.extend(wrong);
        right
    }

    /// Builds the program from the words. Fails if the words decode to a layout other than that of the text.
    fn program(&mut self, words: &[(Vec<u32>, usize)], spans: &[Span]) -> Option<Program> {
        let areas: Vec<_> = words.iter().map(|(_, area)| *area).collect();
        let shaders: Vec<Shader> = words.iter().map(|(words, _)| decode::from_dwords(words)).collect();
        let mut sound = true;
        for ((shader, area), span) in shaders.iter().zip(&areas).zip(spans) {
            if shader.clauses.len() != 2 * area {
                let message = format!(
                    "the EXEC addresses end the clauses at slot {:#x}, the text at slot {area:#x}",
                    shader.clauses.len() / 2
                );
                self.error(*span, message);
                sound = false;
            }
        }
        self.gaps.resize(shaders.len() + 1, Vec::new());
        let gaps = std::mem::take(&mut self.gaps);
        let program = Program { kind: self.kind, order: self.order, shaders, gaps };
        let bytes = encode::encode(&program);
        let last = self.end;
        // Gaps beyond the limit were not kept, so `bytes` lacks them.
        if bytes.len().max(self.min_size) > MAX_FILE_SIZE {
            self.error(last, too_large());
            return None;
        }
        match decode::decode_as(&bytes, self.order) {
            _ if !sound => None,
            Err(error) => {
                self.error(last, format!("the encoded program cannot be read back: {error}"));
                None
            }
            Ok(read) => {
                let lengths = |p: &Program| p.shaders.iter().map(Shader::words).collect::<Vec<_>>();
                if read.kind == program.kind
                    && read.gaps == program.gaps
                    && lengths(&read) == lengths(&program)
                {
                    return Some(read);
                }
                let message = format!(
                    "the encoded program reads back as a {} file with another layout",
                    kind_name(read.kind)
                );
                self.error(last, message);
                None
            }
        }
    }
}

/// The message for a program that is larger than a file can be.
fn too_large() -> String {
    format!("a program can have at most {MAX_FILE_SIZE} bytes")
}

/// Returns an error if the stage in the text is not the one that the words or the container imply. A binary file has no other record of the stage.
fn check_stage_name(shader: &Shader, named: Option<(Stage, Span)>) -> Option<Diagnostic> {
    let is = stage_of(shader);
    let (stage, span) = named.filter(|(stage, _)| *stage != is)?;
    let message =
        format!("this is a {} program, although the text calls it a {} program", is.name(), stage.name());
    let help = match shader.stage {
        Some(_) => "the container determines the stage",
        None => "a vertex program fetches vertices, allocates a position, or exports to 62 or 63",
    };
    Some(Diagnostic::new(span, message).with_help(help))
}
