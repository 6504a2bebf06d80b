//! The assembler: parses text to a program and reports every error.
//!
//! ```text
//! version 2 fragment                          // or: agal 2 fs
//! tex ft0, v0.xy, fs0 <2d,linear,miplinear,repeat>
//! mul oc, ft0, fc0.x                          # comments begin with // or #
//! ```
//!
//! A source without a swizzle reads as `.xyzw`, a short swizzle repeats its last letter, and rgba may replace xyzw. A number among the sampler
//! options is the level-of-detail bias. For `.token` see [`super::disassemble`].

#![deny(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap)]

mod instruction;
mod operands;

use super::decode::{self, MAX_FILE_SIZE};
use super::opcode::{Opcode, TABLE};
use super::program::{Program, Token};
use super::word::{HEADER, TOKEN};
use super::{FRAGMENT, HEAD, VERTEX};
use crate::isa::Stage;
use crate::text::{self, Diagnostic, Kind, Lexer, QUOTED, Reported, Span, WithSpans, nearest, quote};

pub use crate::text::MAX_ERRORS;

/// Assembles text.
///
/// # Errors
/// All errors in text order, up to [`MAX_ERRORS`]. A line with an error adds nothing to the program, but the following lines are still parsed.
pub fn assemble(text: &str) -> Result<Program, Vec<Diagnostic>> {
    assemble_with_spans(text).map(|(program, _)| program)
}

/// Like [`assemble`], but also returns the span of each instruction.
///
/// # Errors
/// As for [`assemble`].
pub fn assemble_with_spans(text: &str) -> Result<WithSpans<Program>, Vec<Diagnostic>> {
    let mut program = Program { version: 1, stage: Stage::Vertex, tokens: Vec::new() };
    let mut spans = Vec::new();
    let mut stage = None;
    let mut headed = false;
    let mut errors = Vec::new();
    let mut lexer = Lexer::new(text, &["//", "#"]);
    let mut tokens = Vec::new();
    let mut last = Span { line: 1, column: 1, offset: 0, len: 0 };
    while errors.len() < MAX_ERRORS {
        let read = lexer.line(&mut tokens);
        if let Some(error) = read.too_long {
            errors.push(error);
        } else if let Some(t) = tokens.last() {
            last = t.end();
            let mut line = Line::new(&tokens, last, &mut errors, HeaderFacts { stage });
            if line.is_header() {
                let header = line.header();
                if headed {
                    line.errors.push(Diagnostic::new(
                        tokens[0].span,
                        "the version may be given only once, on the first line",
                    ));
                } else if let Some((version, s)) = header {
                    (program.version, program.stage, stage) = (version, s, Some(s));
                }
                headed = true;
            } else {
                if !headed {
                    headed = true;
                    let error = Diagnostic::new(
                        tokens[0].span,
                        "the version is missing before the first instruction",
                    );
                    line.errors.push(error.with_help("begin with a line such as 'version 1 fragment'"));
                }
                if let Some(token) = line.instruction() {
                    program.tokens.push(token);
                    spans.push(Some(tokens[0].span));
                }
            }
        }
        if program.tokens.len() > (MAX_FILE_SIZE - HEADER) / TOKEN {
            errors.push(Diagnostic::new(
                last,
                format!("a program can have at most {} instructions", (MAX_FILE_SIZE - HEADER) / TOKEN),
            ));
            break;
        }
        if !read.more {
            break;
        }
    }
    if errors.is_empty() && program.tokens.is_empty() {
        errors.push(Diagnostic::new(last, "a program must have at least one instruction"));
    }
    errors.truncate(MAX_ERRORS);
    if errors.is_empty() { Ok((program, spans)) } else { Err(errors) }
}

/// Facts from the header that are needed to parse a line.
struct HeaderFacts {
    /// The stage in the header. `None` without a valid header, in which case register names of both stages are accepted.
    stage: Option<Stage>,
}

/// A line of text, with the parsers of this assembler.
type Line<'t, 'e> = text::Line<'t, 'e, HeaderFacts>;

impl Line<'_, '_> {
    fn is_header(&self) -> bool {
        self.peek().is_some_and(|t| matches!(t.text, HEAD | "agal"))
    }

    /// Checks that the line has no further tokens.
    fn expect_line_end(&mut self) -> Result<(), Reported> {
        match self.peek() {
            None => Ok(()),
            Some(t) if t.kind == Kind::Punct(';') => {
                let help = "an instruction ends with its line; comments begin with // or #";
                Err(self.error_help(t.span, "';' is not allowed here", help))
            }
            Some(_) => Err(self.expected("the end of the line")),
        }
    }

    // ---- lines

    fn header(&mut self) -> Option<(u32, Stage)> {
        self.at += 1;
        let Some(Ok(version)) = self.peek().and_then(text::Token::integer).map(u32::try_from) else {
            self.expected("the version, a number of 32 bits");
            return None;
        };
        self.at += 1;
        let stage = match self.peek().map(|t| t.text) {
            Some(VERTEX | "vs") => Stage::Vertex,
            Some(FRAGMENT | "fs") => Stage::Fragment,
            _ => {
                self.expected("'vertex' or 'fragment'");
                return None;
            }
        };
        self.at += 1;
        self.expect_line_end().ok()?;
        Some((version, stage))
    }

    fn instruction(&mut self) -> Option<Token> {
        if self.take_punct('.') {
            return self.raw().ok();
        }
        let Some(word) = self.identifier() else {
            self.expected("an instruction");
            return None;
        };
        let op = Opcode::from_mnemonic(word.text);
        if op.is_none() {
            let message = format!("there is no instruction {}", quote(Some(&word)));
            let help = nearest(word.text, TABLE.iter().map(|row| row.mnemonic));
            match help {
                Some(name) => self.error_help(word.span, message, format!("did you mean '{name}'?")),
                None => self.error(word.span, message),
            };
        }
        let operands = self.operands().ok()?;
        self.token(word.span, op?, &operands).ok()
    }

    /// Parses `.token` and its four words.
    fn raw(&mut self) -> Result<Token, Reported> {
        if self.identifier().is_none_or(|t| t.text != "token") {
            self.at = 1;
            let span = self.next_span();
            return Err(self.error_help(
                span,
                "the only directive is '.token'",
                ".token OPCODE, DESTINATION, SOURCE, SOURCE",
            ));
        }
        let mut bytes = [0; TOKEN];
        let mut at = 0;
        for (k, (word_name, len)) in [
            ("the opcode word", 4),
            ("the destination word", 4),
            ("the first source word", 8),
            ("the second source word", 8),
        ]
        .into_iter()
        .enumerate()
        {
            if k > 0 && !self.take_punct(',') {
                return Err(self.expected("','"));
            }
            let value = self.peek().and_then(text::Token::integer);
            let Some(value) = value.filter(|v| len == 8 || u32::try_from(*v).is_ok()) else {
                return Err(self.expected(&format!("{word_name}, a number of {} bits", 8 * len)));
            };
            bytes[at..at + len].copy_from_slice(&value.to_le_bytes()[..len]);
            self.at += 1;
            at += len;
        }
        self.expect_line_end()?;
        Ok(decode::token(&bytes))
    }
}
