//! The parser of operands.

use super::super::names::{LETTERS, PADDING, file_name};
use super::super::program::{File, Sampler};
use super::super::registers::{REGISTER_NAMES, RegisterName};
use super::super::word::OPTION_FIELDS;
use super::{Line, QUOTED, Reported, quote};
use crate::binary::exact;
use crate::isa::Stage;
use crate::text::{self, Kind, Span, nearest};

/// An operand as parsed, not yet checked against its instruction.
pub(super) struct Operand<'t> {
    pub(super) span: Span,
    pub(super) file: File,
    pub(super) number: u16,
    pub(super) index: Option<Index>,
    /// The component letters after the dot.
    pub(super) letters: Option<text::Token<'t>>,
    pub(super) options: Option<(Span, Sampler)>,
}

/// The index of an indexed operand, in brackets.
pub(super) struct Index {
    pub(super) file: File,
    pub(super) number: u16,
    pub(super) component: u8,
    pub(super) offset: u8,
}

impl<'t> Line<'t, '_> {
    /// Parses all operands. Continues after most errors, so that several errors of a line are reported.
    pub(super) fn operands(&mut self) -> Result<Vec<Operand<'t>>, Reported> {
        let mut operands = Vec::new();
        let mut sound = true;
        while self.peek().is_some() {
            if let Ok(operand) = self.operand() {
                operands.push(operand);
            } else {
                sound = false;
                self.skip_operand();
            }
            if self.take_punct(',') {
                if self.peek().is_none() {
                    self.expected("an operand after ','");
                    sound = false;
                }
            } else if let Some(t) = self.peek() {
                sound = false;
                if t.kind == Kind::Identifier {
                    let message = format!("a comma is missing before {}", quote(Some(t)));
                    self.error_help(t.span, message, "operands are separated by commas");
                } else if self.expect_line_end().is_err() {
                    break;
                }
            }
        }
        if sound { Ok(operands) } else { Err(Reported) }
    }

    /// Skips to the next comma outside sampler options.
    fn skip_operand(&mut self) {
        let mut options = false;
        while let Some(t) = self.peek() {
            match t.kind {
                Kind::Punct('<') => options = true,
                Kind::Punct('>') => options = false,
                Kind::Punct(',') if !options => break,
                _ => {}
            }
            self.at += 1;
        }
    }

    fn operand(&mut self) -> Result<Operand<'t>, Reported> {
        let Some(word) = self.identifier() else { return Err(self.expected("a register")) };
        let mut operand = if self.is_punct('[') {
            let name = self.name(&word, word.text)?;
            let index = self.index(name)?;
            Operand {
                span: word.span,
                file: name.file,
                number: 0,
                index: Some(index),
                letters: None,
                options: None,
            }
        } else {
            let (file, number) = self.register(&word)?;
            Operand { span: word.span, file, number, index: None, letters: None, options: None }
        };
        if self.take_punct('.') {
            let span = self.next_span();
            match self.identifier() {
                Some(letters) => operand.letters = Some(letters),
                None => return Err(self.error(span, "expected component letters after '.'")),
            }
        }
        if self.is_punct('<') {
            operand.options = Some((self.next_span(), self.options()?));
        }
        Ok(operand)
    }

    /// Looks up a register file by `letters`, the register name without its number.
    fn name(&mut self, word: &text::Token<'t>, letters: &str) -> Result<&'static RegisterName, Reported> {
        let Some(name) = REGISTER_NAMES.iter().find(|r| r.name == letters) else {
            let message = format!("there is no register {}", quote(Some(word)));
            let lower = word.text.to_ascii_lowercase();
            let letters = lower.trim_end_matches(|c: char| c.is_ascii_digit());
            let here = REGISTER_NAMES
                .iter()
                .filter(|r| r.stage.is_none_or(|s| self.known.stage.is_none_or(|t| s == t)));
            let help = match here.clone().find(|r| r.name == letters) {
                Some(r) => format!("did you mean '{}'?", r.name),
                None => format!("the registers are {}", here.map(|r| r.name).collect::<Vec<_>>().join(", ")),
            };
            return Err(self.error_help(word.span, message, help));
        };
        if let (Some(stage), Some(valid)) = (self.known.stage, name.stage)
            && stage != valid
        {
            let [other, this] = [valid, stage].map(Stage::name);
            let message =
                format!("'{}' is a register of {other} programs, and this is a {this} program", name.name);
            return Err(self.error_help(
                word.span,
                message,
                format!("in {this} programs its name is '{}'", file_name(name.file, stage)),
            ));
        }
        Ok(name)
    }

    /// Parses a register name with its number.
    fn register(&mut self, word: &text::Token<'t>) -> Result<(File, u16), Reported> {
        let letters = word.text.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = &word.text[letters.len()..];
        let name = self.name(word, letters)?;
        if digits.is_empty() {
            if name.number_optional {
                return Ok((name.file, 0));
            }
            return Err(self.error_help(
                word.span,
                format!("'{letters}' needs a register number"),
                format!("for example {letters}0"),
            ));
        }
        match digits.parse() {
            Ok(number) => Ok((name.file, number)),
            Err(_) => Err(self.error(word.span, "a register number has at most 16 bits")),
        }
    }

    /// Parses an index such as `[va0.x+3]`, starting at the bracket.
    fn index(&mut self, name: &RegisterName) -> Result<Index, Reported> {
        self.at += 1;
        if let Some(number) = self.peek().and_then(text::Token::integer) {
            let span = self.next_span();
            return Err(self.error_help(
                span,
                "an index is a register component, not a number",
                format!("write {}{number}", name.name),
            ));
        }
        let Some(word) = self.identifier() else { return Err(self.expected("an index register")) };
        let (file, number) = self.register(&word)?;
        if !self.take_punct('.') {
            let span = self.next_span();
            return Err(self.error_help(
                span,
                "an index must name one component",
                format!("write {}.x", word.text.chars().take(QUOTED).collect::<String>()),
            ));
        }
        let span = self.next_span();
        let letter = self.identifier().map(|t| t.text).and_then(|text| {
            let mut chars = text.chars();
            let first = chars.next()?;
            if chars.next().is_some() { None } else { component(first) }
        });
        let Some((component, _)) = letter else {
            return Err(self.error(span, "an index must name one component, x, y, z or w"));
        };
        let mut offset = 0;
        if self.is_punct('-') {
            let span = self.next_span();
            return Err(self.error_help(
                span,
                "an index offset must be from 0 to 255",
                "some assemblers store a negative offset -n as 256-n; write that if it is meant",
            ));
        }
        if self.take_punct('+') {
            match self.peek().and_then(text::Token::integer).map(u8::try_from) {
                Some(Ok(n)) => offset = n,
                _ => return Err(self.expected("an index offset, 0 to 255")),
            }
            self.at += 1;
        }
        if !self.take_punct(']') {
            return Err(self.expected("']'"));
        }
        Ok(Index { file, number, component: exact(component), offset })
    }

    /// Parses sampler options such as `<2d,linear,-0.5>`, starting at the bracket.
    fn options(&mut self) -> Result<Sampler, Reported> {
        self.at += 1;
        let mut sampler = Sampler { file: File::Sampler as u8, ..Sampler::default() };
        let mut option_names: [Option<&'static str>; 6] = [None; 6];
        let mut biased = false;
        let mut sound = true;
        loop {
            let span = self.next_span();
            let negative = self.is_punct('-');
            if self.take_punct('>') {
                break;
            }
            if self.take_punct(',') {
                continue;
            }
            let signed = negative || self.is_punct('+');
            self.at += usize::from(signed);
            let Some(token) = self.peek().filter(|t| matches!(t.kind, Kind::Identifier | Kind::Number))
            else {
                return Err(self.expected("a sampler option or '>'"));
            };
            self.at += 1;
            let mut options =
                OPTION_FIELDS.iter().enumerate().flat_map(|(n, f)| f.values.iter().map(move |v| (n, f, v)));
            if let Some((n, field, &(name, value))) =
                options.find(|(.., (name, _))| *name == token.text && !signed)
            {
                let slot = (field.get_mut)(&mut sampler);
                if field.flags {
                    *slot |= value;
                    continue;
                }
                if let Some(before) = option_names[n]
                    && *slot != value
                {
                    self.error(token.span, format!("'{name}' contradicts '{before}'"));
                    sound = false;
                    continue;
                }
                *slot = value;
                option_names[n] = Some(name);
            } else if let Some(digits) = token.text.strip_prefix(PADDING).filter(|_| !signed) {
                match u8::from_str_radix(digits, 16) {
                    Ok(bits) if digits.len() == 2 => sampler.zero24 = bits,
                    _ => {
                        let help = "for example padding_e4, which Adobe's C++ assembler leaves there";
                        self.error_help(token.span, "the bits must be two hexadecimal digits", help);
                        sound = false;
                    }
                }
            } else if let Some(value) = token.float() {
                let eighths = if negative { -8.0 } else { 8.0 } * value;
                if eighths.fract() != 0.0 || !(-128.0..=127.0).contains(&eighths) {
                    let help = "a number here is the bias of the level of detail";
                    self.error_help(span, "a bias must be a multiple of 0.125 from -16 to 15.875", help);
                    sound = false;
                } else if biased {
                    self.error(span, "the bias may be given only once");
                    sound = false;
                }
                biased = true;
                #[allow(clippy::cast_possible_truncation)] // checked: a whole number from -128 to 127
                let eighths = eighths as i8;
                sampler.bias = eighths.cast_unsigned();
            } else {
                let message = format!("there is no sampler option {}", quote(Some(token)));
                match nearest(token.text, OPTION_FIELDS.iter().flat_map(|f| f.values).map(|(name, _)| *name))
                {
                    Some(name) => self.error_help(token.span, message, format!("did you mean '{name}'?")),
                    None => self.error(token.span, message),
                };
                sound = false;
            }
        }
        if sound { Ok(sampler) } else { Err(Reported) }
    }
}

/// Returns the component that a letter names and the index of its alphabet: 0 for xyzw, 1 for rgba.
pub(super) fn component(letter: char) -> Option<(usize, usize)> {
    LETTERS
        .iter()
        .enumerate()
        .find_map(|(alphabet, letters)| letters.iter().position(|l| *l == letter).map(|c| (c, alphabet)))
}
