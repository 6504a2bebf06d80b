//! The assembler: reads assembly text and reports every error it finds.
//!
//! ```text
//! ps_3_0                                  // also ps.1.4, vs_2_a
//! def c0, 0.5, -1, 2e-3, 0                ; comments begin with //, ; or #
//! dcl_texcoord0 v0.xy
//! dcl_2d s0
//! texld r0, v0, s0
//! (!p0.x) mad_sat_pp r0.xyz, r0_abs, c0.x, -c[a0.x + 3]
//! ```
//!
//! Case is ignored, a short swizzle repeats its last letter, and rgba may be used for xyzw. Lockstep's own spellings are explained in
//! [`super::disassemble`]. Listings of vkd3d-shader and MojoShader are accepted too.

#![deny(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap)]

mod immediates;
mod instruction;
mod line;
mod listing;
mod operands;

use super::decode::{self, MAX_FILE_SIZE};
use super::disassemble::head;
use super::opcode;
use super::profile::Profile;
use super::program::{Comment, Instruction, Program, Version};
use super::word::{CommentWord, InstructionWord, MAX_COMMENT, VersionWord};
use crate::binary::{Cursor, exact};
use crate::isa::Stage;
use crate::text::{Diagnostic, Lexer, Span, Token, WithSpans, count, nearest};
use line::{Line, Reported};
use listing::Preface;

pub use crate::text::MAX_ERRORS;

/// The name of the directive for a version token.
const VERSION: &str = VersionWord::LAYOUT.name;
/// The name of the directive for a comment in the bytecode.
const COMMENT: &str = CommentWord::LAYOUT.name;

/// Assembles a program from text.
///
/// # Errors
/// All errors found, sorted by span, up to [`MAX_ERRORS`]. A line with an error adds nothing, but the lines after it are still read.
pub fn assemble(text: &str) -> Result<Program, Vec<Diagnostic>> {
    assemble_with_spans(text).map(|(program, _)| program)
}

/// Assembles a program like [`assemble`], and returns the span of each instruction too.
///
/// # Errors
/// As for [`assemble`].
pub fn assemble_with_spans(text: &str) -> Result<WithSpans<Program>, Vec<Diagnostic>> {
    let mut unit = Assembler {
        version: None,
        headed: false,
        ended: false,
        program: empty(),
        spans: Vec::new(),
        size: 8,
    };
    let mut errors = Vec::new();
    let mut preface = Preface::default();
    let mut lexer = Lexer::new(text, &["//", ";", "#"]);
    let mut tokens = Vec::new();
    let mut last = Span { line: 1, column: 1, offset: 0, len: 0 };
    while errors.len() < MAX_ERRORS {
        let read = lexer.line(&mut tokens);
        let remark = !tokens.is_empty() && preface.skip_line(&tokens, tokens.first().is_some_and(is_header));
        if remark {
            last = tokens.last().map_or(last, Token::end);
        } else if let Some(error) = read.too_long {
            errors.push(error);
        } else if let Some(t) = tokens.last() {
            last = t.end();
            let mut line = Line::new(&tokens, last, &mut errors, super::D3d9);
            // An error is recorded by `line`, so its result is not needed.
            let _ = unit.line(&mut line);
        }
        if unit.size > MAX_FILE_SIZE {
            errors.push(Diagnostic::new(last, format!("a program can have at most {MAX_FILE_SIZE} bytes")));
            break;
        }
        if !read.more {
            break;
        }
    }
    if preface.is_open() {
        errors.push(Diagnostic::new(last, "no program follows: the listing has no 'OUTPUT:'"));
    } else if errors.is_empty() && unit.version.is_none() {
        let error = Diagnostic::new(last, "the version is missing");
        errors.push(error.with_help("begin with a line such as 'vs_3_0'"));
    }
    errors.sort_by_key(|error| error.span);
    errors.truncate(MAX_ERRORS);
    if errors.is_empty() { Ok((unit.program, unit.spans)) } else { Err(errors) }
}

fn empty() -> Program {
    Program {
        version: Profile::Vs30.version(),
        instructions: Vec::new(),
        comments: Vec::new(),
        tail: Vec::new(),
    }
}

/// The state of the assembler while it reads lines.
struct Assembler {
    version: Option<Version>,
    /// Whether the version line has been read, or its absence reported.
    headed: bool,
    ended: bool,
    program: Program,
    /// The span of each instruction.
    spans: Vec<Option<Span>>,
    /// A lower bound on the size of the encoded program in bytes.
    size: usize,
}

impl Assembler {
    fn line(&mut self, line: &mut Line<'_, '_>) -> Result<(), Reported> {
        if line.take_punct('.') {
            return self.directive(line);
        }
        if line.peek().is_some_and(|t| is_header(t)) {
            let span = line.next_span();
            let version = header(line);
            return self.set_version(line, span, version);
        }
        if !self.headed {
            self.headed = true;
            let help = "begin with a line such as 'vs_3_0'";
            line.error_help(line.next_span(), "the version is missing before the first instruction", help);
        }
        // Without a version, the text is read as vs_3_0.
        let version = self.version.unwrap_or(Profile::Vs30.version());
        if line.peek().is_some_and(|t| t.text.eq_ignore_ascii_case("end")) {
            line.skip();
            self.ended = true;
            return line.expect_end();
        }
        let span = line.next_span();
        let instruction = line.instruction(version)?;
        self.push(line, span, instruction)
    }

    /// Whether the program contains nothing yet except the version.
    fn is_empty(&self) -> bool {
        let Program { version: _, instructions, comments, tail } = &self.program;
        instructions.is_empty() && comments.is_empty() && tail.is_empty() && !self.ended
    }

    fn push(
        &mut self,
        line: &mut Line<'_, '_>,
        span: Span,
        instruction: Instruction,
    ) -> Result<(), Reported> {
        if self.ended {
            return Err(line.error(span, "no instruction can follow 'end'"));
        }
        self.size += 4 * (1 + instruction.length());
        self.program.instructions.push(instruction);
        self.spans.push(Some(span));
        Ok(())
    }

    fn set_version(
        &mut self,
        line: &mut Line<'_, '_>,
        span: Span,
        version: Result<Version, Reported>,
    ) -> Result<(), Reported> {
        let first = !std::mem::replace(&mut self.headed, true);
        let version = version?;
        if !first {
            // Before the first instruction, the same version may be repeated: a user may have added a version line above a complete listing.
            return match self.version {
                Some(known) if known == version && self.is_empty() => line.expect_end(),
                Some(known) if self.is_empty() => {
                    let message = format!(
                        "the version here is {}, but the text above says {}",
                        head(version),
                        head(known)
                    );
                    Err(line.error(span, message))
                }
                _ => Err(line.error(span, "the version may be given only once, before everything else")),
            };
        }
        self.version = Some(version);
        self.program.version = version;
        line.expect_end()
    }

    fn directive(&mut self, line: &mut Line<'_, '_>) -> Result<(), Reported> {
        let span = line.next_span();
        let Some(word) = line.identifier() else { return Err(line.expected("a directive after '.'")) };
        match word.text {
            VERSION => {
                let version = line.word(u32::MAX).and_then(|w| {
                    let read = decode::version(&mut Cursor::new(&w.to_le_bytes()));
                    read.map_err(|e| line.error(span, e.problem.to_string()))
                });
                self.set_version(line, span, version)
            }
            "token" => {
                let words = line.words(u32::MAX)?;
                let instruction = self.token(line, span, &words)?;
                self.push(line, span, instruction)
            }
            COMMENT | "comment31" => {
                let words = if line.peek().is_some() { line.words(u32::MAX)? } else { Vec::new() };
                let zero31 = u8::from(word.text == "comment31");
                self.size += 4 * (1 + words.len());
                let before = exact::<u32, _>(self.program.instructions.len());
                self.program.comments.push(Comment { before, zero31, words });
                Ok(())
            }
            "more" => {
                let words = line.words(u32::MAX)?;
                let here = exact::<u32, _>(self.program.instructions.len());
                let Some(comment) = self.program.comments.last_mut().filter(|c| c.before == here) else {
                    return Err(
                        line.error(span, "there is no '.comment' above that this line could continue")
                    );
                };
                if comment.words.len() + words.len() > MAX_COMMENT {
                    return Err(line.error(span, format!("a comment can have at most {MAX_COMMENT} words")));
                }
                self.size += 4 * words.len();
                comment.words.extend(words);
                Ok(())
            }
            "tail" => {
                let bytes = line.words(255)?;
                self.size += bytes.len();
                self.program.tail.extend(bytes.into_iter().map(exact::<u8, _>));
                Ok(())
            }
            other => {
                let known = [VERSION, "token", COMMENT, "comment31", "more", "tail"];
                let help = match nearest(other, known) {
                    Some(name) => format!("did you mean '.{name}'?"),
                    None => format!("the directives are .{}", known.join(", .")),
                };
                Err(line.error_help(span, "there is no such directive", help))
            }
        }
    }

    /// Decodes an instruction given as raw words (`.token`).
    fn token(&self, line: &mut Line<'_, '_>, span: Span, words: &[u32]) -> Result<Instruction, Reported> {
        let first = words[0];
        if matches!(InstructionWord::from_word(first).opcode, opcode::COMMENT | opcode::END) {
            let help = "write a comment with '.comment'; the end token is added by the assembler";
            return Err(line.error_help(
                span,
                "this word is a comment or end token, not an instruction",
                help,
            ));
        }
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let mut cursor = Cursor::new(&bytes);
        // The decoder expects the first word to have been read already, as when it reads a file.
        let read =
            cursor.u32("opcode").and_then(|_| decode::instruction(&mut cursor, first, self.program.version));
        let instruction = read.map_err(|e| line.error(span, format!("{}: {}", e.field, e.problem)))?;
        if cursor.remaining() > 0 {
            let surplus = count(cursor.remaining() / 4, "word");
            let message = format!("the instruction ends {surplus} before the end of the list");
            return Err(line.error(span, message));
        }
        Ok(instruction)
    }
}

/// Whether a line that begins with this token is the version line.
fn is_header(first: &Token<'_>) -> bool {
    let lower = first.text.to_ascii_lowercase();
    matches!(lower.as_str(), "vs" | "ps") || lower.starts_with("vs_") || lower.starts_with("ps_")
}

/// Additional spellings of versions.
const VERSIONS: [(&str, Profile); 5] = [
    ("vs_2_1", Profile::Vs2x),
    ("vs_2_a", Profile::Vs2x),
    ("ps_2_1", Profile::Ps2x),
    ("ps_2_a", Profile::Ps2x),
    ("ps_2_b", Profile::Ps2x),
];

/// Parses a line that consists of a version, such as `vs_1_1` or `vs.1.1`.
fn header(line: &mut Line<'_, '_>) -> Result<Version, Reported> {
    let span = line.next_span();
    let mut name = String::new();
    while let Some(t) = line.peek() {
        name.push_str(&t.text.to_ascii_lowercase().replace('.', "_"));
        line.skip();
    }
    let others = VERSIONS.iter().map(|(n, p)| (*n, *p));
    let found = Profile::ALL.iter().map(|p| (p.name(), *p)).chain(others).find(|(n, _)| *n == name);
    if let Some((_, profile)) = found {
        return Ok(profile.version());
    }
    let message = format!("there is no version '{}'", name.chars().take(line::QUOTED).collect::<String>());
    let stage = if name.starts_with('p') { Stage::Fragment } else { Stage::Vertex };
    let known = Profile::ALL.iter().filter(|p| p.stage() == stage).map(|p| p.name()).collect::<Vec<_>>();
    Err(line.error_help(span, message, format!("the versions are {}", known.join(", "))))
}
