//! The assembler: reads assembly text and reports all errors found, up to [`MAX_ERRORS`].
//!
//! ```text
//! .utgard_gp vertex                            // the instruction set and stage; optional
//! .prefetch 4                                  // facts about the program, one per line; also .position, .literals and others
//! again:                                       // a label
//! uniform.load(5, addr[1]), attribute.load(1), // a statement is one word and may span several lines
//!     acc[0].add(uniform.x, -attribute.x), store[0].varying(0, acc[0].out, unused);
//! pass.mov(acc[0].out[1]), branch(again), unknown_1(13);
//! nop;
//! load_addr=5, mul0_src0=12;                   // any field by name, alone or among items
//! ```
//!
//! Words that begin with `000:` are a listing printed by Mesa's compiler; the module `listing` reads them. The head, facts and comments may precede
//! it.
//!
//! `position(FORM, …);` and `point_size(FORM, …);` expand to several words: see `macros`.
//!
//! The items and fields of a statement may be in any order; it is an error if two of them set one field to different values. Names that lima_compiler
//! and open-gpu-tools print are also accepted: `acc[0].pass`, `complex.st_addr`, `pass.op4`, `attrib.x[1]`, `temporary.load`. The syntax is explained
//! in [`super::disassemble`].

#![deny(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap)]

mod draft;
mod expand;
mod item;
mod listing;
mod operands;
mod unit;

use super::container::{self, MAX_FILE_SIZE};
use super::disassemble::HEAD;
use super::facts::{Fact, Facts, LITERAL};
use super::program::Program;
use crate::binary::exact;
use crate::isa::Stage;
use crate::text::{Diagnostic, Kind, Lexer, Reported, Span, Token, WithSpans, nearest, quote_or};
use draft::Draft;
use std::collections::HashMap;

pub use crate::text::MAX_ERRORS;

/// Reads assembly text.
///
/// # Errors
/// All errors found, sorted by span, up to [`MAX_ERRORS`]. After an error the rest of the statement and later statements are still read.
pub fn assemble(text: &str) -> Result<Program, Vec<Diagnostic>> {
    assemble_with_spans(text).map(|(program, _)| program)
}

/// Reads assembly text like [`assemble`], and also returns the span of each instruction.
///
/// # Errors
/// The same errors as [`assemble`].
pub fn assemble_with_spans(text: &str) -> Result<WithSpans<Program>, Vec<Diagnostic>> {
    let listing = listing::begin(text);
    // If the text contains a listing, only what precedes it is assembled here: the head, facts and comments.
    let own = listing.map_or(text, |start| &text[..start]);
    let mut source = Assembler {
        lexer: Lexer::new(own, &["//", "#"]),
        program: Program { words: Vec::new(), tail: Vec::new(), facts: Facts::default() },
        spans: Vec::new(),
        facts_given: [false; Fact::ALL.len() + 1],
        begun: false,
        labels: HashMap::new(),
        unresolved: Vec::new(),
        errors: Vec::new(),
        end: Span { line: 1, column: 1, offset: 0, len: 0 },
    };
    while source.errors.len() < MAX_ERRORS && source.next() {}
    if let Some(start) = listing {
        listing::read(&mut source, text, start);
    }
    source.finish()
}

/// The state of the assembler while it reads a text.
struct Assembler<'t> {
    lexer: Lexer<'t>,
    program: Program,
    /// The span of each word.
    spans: Vec<Option<Span>>,
    /// Whether each fact has been given so far, indexed by [`Fact`]; the last element is for `.literals`.
    facts_given: [bool; Fact::ALL.len() + 1],
    /// Whether a directive, a label or a statement has been read.
    begun: bool,
    labels: HashMap<&'t str, u32>,
    /// The indices of words whose branch names a label, each with the label's token.
    unresolved: Vec<(usize, Token<'t>)>,
    errors: Vec<Diagnostic>,
    end: Span,
}

fn quote(token: Option<&Token<'_>>) -> String {
    quote_or(token, "the end")
}

impl<'t> Assembler<'t> {
    fn error(&mut self, span: Span, message: impl Into<String>, help: Option<String>) {
        self.errors.push(Diagnostic { span, message: message.into(), help });
    }

    fn token(&mut self) -> Option<Token<'t>> {
        let token = self.lexer.next()?;
        self.end = token.end();
        Some(token)
    }

    /// Reads a directive, a label or a statement. Returns whether there was one.
    fn next(&mut self) -> bool {
        let first = loop {
            match self.token() {
                None => return false,
                Some(t) if t.kind == Kind::Newline => {}
                Some(t) => break t,
            }
        };
        match first.kind {
            Kind::Punct('.') => {
                let mut tokens = Vec::new();
                while let Some(t) = self.token().filter(|t| t.kind != Kind::Newline) {
                    tokens.push(t);
                }
                self.directive(first.span, &tokens);
            }
            // An empty statement is an error, not a no-op.
            Kind::Punct(';') => {
                self.error(first.span, "there is nothing before this ';'", Some("write 'nop;'".to_owned()));
            }
            _ => {
                self.begun = true;
                let mut tokens = vec![first];
                loop {
                    match self.token() {
                        None => {
                            let help = Some("a word must end with ';'".to_owned());
                            self.error(self.end, "the last word does not end with ';'", help);
                            break;
                        }
                        Some(t) if t.kind == Kind::Newline => {}
                        Some(t) if t.kind == Kind::Punct(';') => break,
                        Some(t) if t.kind == Kind::Punct(':') && tokens.len() == 1 => {
                            self.label(&tokens[0]);
                            return true;
                        }
                        Some(t) => tokens.push(t),
                    }
                }
                self.statement(&tokens);
                // A macro expands to several words: all of them get the span of its statement.
                self.spans.resize(self.program.words.len(), Some(first.span));
            }
        }
        true
    }

    fn label(&mut self, name: &Token<'t>) {
        if name.kind != Kind::Identifier {
            return self.error(name.span, "a label must begin with a letter or '_'", None);
        }
        let word = exact::<u32, _>(self.program.words.len());
        if self.labels.insert(name.text, word).is_some() {
            self.error(name.span, format!("the label {} is defined twice", quote(Some(name))), None);
        }
    }

    fn statement(&mut self, tokens: &[Token<'t>]) {
        if self.expand(tokens) {
            return;
        }
        let mut draft = Draft::new();
        let mut items =
            item::Items { tokens, at: 0, end: self.end, draft: &mut draft, errors: &mut self.errors };
        items.read();
        if let Some(label) = draft.label {
            self.unresolved.push((self.program.words.len(), label));
        }
        let word = draft.word();
        if word.is_none() {
            self.error(self.end, "a value does not fit its field", None);
        }
        // A program that is too long is rejected at the end; until then its memory is proportional to the text.
        self.program.words.push(word.unwrap_or_default());
    }

    fn directive(&mut self, span: Span, tokens: &[Token<'t>]) {
        let Some((name, operands)) = tokens.split_first() else {
            return self.error(span, "a directive needs a name", None);
        };
        if name.text == HEAD {
            return self.head(name, operands);
        }
        self.begun = true;
        let known = Fact::PRINTED.into_iter().chain(["literals", LITERAL, "tail", HEAD]);
        if !known.clone().any(|directive| directive == name.text) {
            let message = format!("there is no directive {}", quote(Some(name)));
            let help = nearest(name.text, known).map(|n| format!("did you mean '.{n}'?"));
            return self.error(name.span, message, help);
        }
        let mut values = Vec::with_capacity(operands.len());
        for token in operands {
            match token.integer().and_then(|v| u32::try_from(v).ok()) {
                Some(value) => values.push((value, token.span)),
                None => {
                    let message = format!("expected a number of 32 bits, found {}", quote(Some(token)));
                    return self.error(token.span, message, None);
                }
            }
        }
        let limit = |most: u32| values.iter().find(|(v, _)| *v > most).map(|(_, span)| *span);
        match name.text {
            LITERAL => self.program.facts.literals.bits.extend(values.iter().map(|(v, _)| *v)),
            "tail" => {
                if let Some(span) = limit(0xff) {
                    return self.error(span, "'.tail' takes numbers from 0 to 255, one for each byte", None);
                }
                self.program.tail.extend(values.iter().map(|(v, _)| exact::<u8, _>(*v)));
            }
            text => {
                // The flag after those of the facts is that of the directive for literals.
                let fact = Fact::from_name(text);
                let at = fact.map_or(Fact::ALL.len(), |fact| fact as usize);
                let [(value, _)] = values[..] else {
                    return self.error(name.span, format!("'.{text}' takes exactly one number"), None);
                };
                let (most, expected) = fact.map_or((u16::MAX, "a number from 0 to 65535"), Fact::limit);
                if let Some(span) = limit(most.into()) {
                    return self.error(span, format!("'.{text}' takes {expected}"), None);
                }
                if std::mem::replace(&mut self.facts_given[at], true) {
                    return self.error(name.span, format!("'.{text}' may be given only once"), None);
                }
                let (facts, value) = (&mut self.program.facts, exact::<u16, _>(value));
                match fact {
                    Some(fact) => facts.set_number(fact, value),
                    None => facts.literals.slot = value,
                }
            }
        }
    }

    /// Reads the head directive. It has no operand other than the stage, and there is only one stage.
    fn head(&mut self, name: &Token<'t>, operands: &[Token<'t>]) {
        if std::mem::replace(&mut self.begun, true) {
            return self.error(
                name.span,
                "this directive may be given only once, before everything else",
                None,
            );
        }
        if let Some(wrong) =
            operands.iter().enumerate().find(|(n, t)| *n > 0 || t.text != Stage::Vertex.name())
        {
            let message = format!("expected 'vertex' and nothing after it, found {}", quote(Some(wrong.1)));
            self.error(wrong.1.span, message, None);
        }
    }

    /// Resolves labels and checks limits on the whole program.
    fn finish(mut self) -> Result<WithSpans<Program>, Vec<Diagnostic>> {
        for (word, label) in std::mem::take(&mut self.unresolved) {
            match self.labels.get(label.text) {
                Some(target) if self.program.words[word].set_target(*target).is_some() => {}
                Some(_) => self.error(label.span, "a branch can only reach words 0 to 511", None),
                None => {
                    let message = format!("there is no label {}", quote(Some(&label)));
                    let help = nearest(label.text, self.labels.keys().copied());
                    self.error(label.span, message, help.map(|n| format!("did you mean '{n}'?")));
                }
            }
        }
        if self.errors.is_empty() && self.program.words.is_empty() {
            self.error(
                self.end,
                "a program must have at least one word",
                Some("the shortest program is 'nop;'".to_owned()),
            );
        }
        if self.errors.is_empty() && container::size(&self.program) > MAX_FILE_SIZE {
            self.error(self.end, format!("a program can have at most {MAX_FILE_SIZE} bytes"), None);
        }
        self.errors.sort_by_key(|e| e.span);
        self.errors.truncate(MAX_ERRORS);
        if self.errors.is_empty() { Ok((self.program, self.spans)) } else { Err(self.errors) }
    }
}
