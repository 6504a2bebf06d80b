//! From text to a program, with every error found.
//!
//! ```text
//! version 2 fragment                          // or: agal 2 fs
//! tex ft0, v0.xy, fs0 <2d,linear,miplinear,repeat>
//! mul oc, ft0, fc0.x                          # comments begin with // or #
//! ```
//!
//! A source without a swizzle is read as `.xyzw`, a short swizzle repeats its last letter, and rgba may stand for xyzw. The number among
//! sampler options is the bias of the level of detail. `.token` is explained in [`super::disassemble`].

use super::decode::{self, LIMIT};
use super::layout::{HEADER, TOKEN};
use super::names::{LETTERS, OPTIONS, OptionField, REGISTERS, RegisterName, file_name};
use super::opcode::{Opcode, Shape, TABLE};
use super::program::{Dest, File, Program, Sampler, Second, Source, Token};
use crate::isa::Stage;
use crate::text::{self, Diagnostic, Kind, Lexer, Place, nearest};

/// No more errors than this are reported.
pub const MOST_ERRORS: usize = 100;

/// Text that a message repeats is cut to this many characters.
const QUOTED: usize = 40;

/// Reads assembly text.
///
/// # Errors
/// Everything found wrong, by place, up to [`MOST_ERRORS`]. A line with an error contributes nothing, but its successors are read.
pub fn assemble(text: &str) -> Result<Program, Vec<Diagnostic>> {
    let mut program = Program { version: 1, stage: Stage::Vertex, tokens: Vec::new() };
    let mut stage = None;
    let mut headed = false;
    let mut errors = Vec::new();
    let mut lexer = Lexer::new(text, &["//", "#"]);
    let mut tokens = Vec::new();
    let mut last = Place { line: 1, column: 1, offset: 0, len: 0 };
    while errors.len() < MOST_ERRORS {
        tokens.clear();
        let more = loop {
            match lexer.next() {
                None => break false,
                Some(t) if t.kind == Kind::Newline => break true,
                Some(t) => tokens.push(t),
            }
        };
        if let Some(t) = tokens.last() {
            let column = t.place.column.saturating_add(t.text.chars().count() as u32);
            last = Place { column, offset: t.place.offset.saturating_add(t.place.len), len: 0, ..t.place };
            let mut line = Line { tokens: &tokens, at: 0, end: last, stage, errors: &mut errors };
            if line.is_header() {
                let header = line.header();
                if headed {
                    line.errors.push(Diagnostic::new(
                        tokens[0].place,
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
                        tokens[0].place,
                        "the version is missing before the first instruction",
                    );
                    line.errors.push(error.with_help("begin with a line such as 'version 1 fragment'"));
                }
                if let Some(token) = line.instruction() {
                    program.tokens.push(token);
                }
            }
        }
        if program.tokens.len() > (LIMIT - HEADER) / TOKEN {
            errors.push(Diagnostic::new(
                last,
                format!("a program has at most {} instructions", (LIMIT - HEADER) / TOKEN),
            ));
            break;
        }
        if !more {
            break;
        }
    }
    if errors.is_empty() && program.tokens.is_empty() {
        errors.push(Diagnostic::new(last, "a program has at least one instruction"));
    }
    errors.truncate(MOST_ERRORS);
    if errors.is_empty() { Ok(program) } else { Err(errors) }
}

/// Marks a line that is given up; what is wrong has been noted.
struct Noted;

/// The tokens of a line and what goes with them.
struct Line<'t, 'e> {
    tokens: &'t [text::Token<'t>],
    at: usize,
    end: Place,
    /// `None` if no header has told it: then the names of both stages are accepted.
    stage: Option<Stage>,
    errors: &'e mut Vec<Diagnostic>,
}

/// An operand as written, not yet held against what its instruction wants.
struct Operand<'t> {
    place: Place,
    file: File,
    number: u16,
    index: Option<Index>,
    /// The letters after the point.
    letters: Option<text::Token<'t>>,
    options: Option<(Place, Sampler)>,
}

/// What stands in brackets.
struct Index {
    file: File,
    number: u16,
    component: u8,
    offset: u8,
}

fn quote(token: Option<&text::Token<'_>>) -> String {
    match token {
        None => "the end of the line".to_owned(),
        Some(t) if t.text.chars().nth(QUOTED).is_some() => {
            format!("'{}…'", t.text.chars().take(QUOTED).collect::<String>())
        }
        Some(t) => format!("'{}'", t.text),
    }
}

impl<'t> Line<'t, '_> {
    fn peek(&self) -> Option<&'t text::Token<'t>> {
        self.tokens.get(self.at)
    }

    fn place(&self) -> Place {
        self.peek().map_or(self.end, |t| t.place)
    }

    fn is_sign(&self, sign: char) -> bool {
        self.peek().is_some_and(|t| t.kind == Kind::Sign(sign))
    }

    /// Passes a sign if it is there.
    fn sign(&mut self, sign: char) -> bool {
        let there = self.is_sign(sign);
        self.at += usize::from(there);
        there
    }

    fn identifier(&mut self) -> Option<text::Token<'t>> {
        let token = *self.peek().filter(|t| t.kind == Kind::Identifier)?;
        self.at += 1;
        Some(token)
    }

    fn error(&mut self, place: Place, message: impl Into<String>) -> Noted {
        self.errors.push(Diagnostic::new(place, message));
        Noted
    }

    fn error_help(&mut self, place: Place, message: impl Into<String>, help: impl Into<String>) -> Noted {
        self.errors.push(Diagnostic::new(place, message).with_help(help));
        Noted
    }

    fn expected(&mut self, what: &str) -> Noted {
        let message = format!("expected {what}, found {}", quote(self.peek()));
        self.error(self.place(), message)
    }

    fn is_header(&self) -> bool {
        self.peek().is_some_and(|t| matches!(t.text, "version" | "agal"))
    }

    /// The rest of a line of which nothing may be left.
    fn finished(&mut self) -> Result<(), Noted> {
        match self.peek() {
            None => Ok(()),
            Some(t) if t.kind == Kind::Sign(';') => {
                let help = "an instruction ends with its line; comments begin with // or #";
                Err(self.error_help(t.place, "';' means nothing here", help))
            }
            Some(_) => Err(self.expected("the end of the line")),
        }
    }

    // ---- lines

    fn header(&mut self) -> Option<(u32, Stage)> {
        self.at += 1;
        let version = match self.peek().map(|t| t.integer().and_then(|v| u32::try_from(v).ok())) {
            Some(Some(version)) => {
                self.at += 1;
                version
            }
            _ => {
                self.expected("the version, a number of 32 bits");
                return None;
            }
        };
        let stage = match self.peek().map(|t| t.text) {
            Some("vertex" | "vs") => Stage::Vertex,
            Some("fragment" | "fs") => Stage::Fragment,
            _ => {
                self.expected("'vertex' or 'fragment'");
                return None;
            }
        };
        self.at += 1;
        self.finished().ok()?;
        Some((version, stage))
    }

    fn instruction(&mut self) -> Option<Token> {
        if self.sign('.') {
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
                Some(name) => self.error_help(word.place, message, format!("did you mean '{name}'?")),
                None => self.error(word.place, message),
            };
        }
        let operands = self.operands().ok()?;
        self.token(word.place, op?, &operands).ok()
    }

    /// `.token` and four words.
    fn raw(&mut self) -> Result<Token, Noted> {
        if self.identifier().is_none_or(|t| t.text != "token") {
            self.at = 1;
            let place = self.place();
            return Err(self.error_help(
                place,
                "the only directive is '.token'",
                ".token OPCODE, DESTINATION, SOURCE, SOURCE",
            ));
        }
        let mut bytes = [0; TOKEN];
        let mut at = 0;
        for (k, (what, len)) in [
            ("the opcode word", 4),
            ("the destination word", 4),
            ("the first source word", 8),
            ("the second source word", 8),
        ]
        .into_iter()
        .enumerate()
        {
            if k > 0 && !self.sign(',') {
                return Err(self.expected("','"));
            }
            let value = self.peek().and_then(text::Token::integer);
            match value {
                Some(value) if len == 8 || value <= u64::from(u32::MAX) => {
                    bytes[at..at + len].copy_from_slice(&value.to_le_bytes()[..len]);
                }
                _ => return Err(self.expected(&format!("{what}, a number of {} bits", 8 * len))),
            }
            self.at += 1;
            at += len;
        }
        self.finished()?;
        Ok(decode::token(&bytes))
    }

    // ---- operands

    /// The operands as written. Every one is looked at, whatever is wrong with the others.
    fn operands(&mut self) -> Result<Vec<Operand<'t>>, Noted> {
        let mut operands = Vec::new();
        let mut sound = true;
        while self.peek().is_some() {
            match self.operand() {
                Ok(operand) => operands.push(operand),
                Err(Noted) => {
                    sound = false;
                    // The next operand begins after the next comma that is not among sampler options.
                    let mut options = false;
                    while let Some(t) = self.peek() {
                        match t.kind {
                            Kind::Sign('<') => options = true,
                            Kind::Sign('>') => options = false,
                            Kind::Sign(',') if !options => break,
                            _ => {}
                        }
                        self.at += 1;
                    }
                }
            }
            if self.sign(',') {
                if self.peek().is_none() {
                    self.expected("an operand after ','");
                    sound = false;
                }
            } else if let Some(t) = self.peek() {
                sound = false;
                if t.kind == Kind::Identifier {
                    let message = format!("a comma is missing before {}", quote(Some(t)));
                    self.error_help(t.place, message, "operands are separated by commas");
                } else if self.finished().is_err() {
                    break;
                }
            }
        }
        if sound { Ok(operands) } else { Err(Noted) }
    }

    fn operand(&mut self) -> Result<Operand<'t>, Noted> {
        let Some(word) = self.identifier() else { return Err(self.expected("a register")) };
        let mut operand = if self.is_sign('[') {
            let name = self.name(&word, word.text)?;
            let index = self.index(name)?;
            Operand {
                place: word.place,
                file: name.file,
                number: 0,
                index: Some(index),
                letters: None,
                options: None,
            }
        } else {
            let (file, number) = self.register(&word)?;
            Operand { place: word.place, file, number, index: None, letters: None, options: None }
        };
        if self.sign('.') {
            let place = self.place();
            match self.identifier() {
                Some(letters) => operand.letters = Some(letters),
                None => return Err(self.error(place, "expected component letters after '.'")),
            }
        }
        if self.is_sign('<') {
            operand.options = Some((self.place(), self.options()?));
        }
        Ok(operand)
    }

    /// A register name without its number.
    fn name(&mut self, word: &text::Token<'t>, letters: &str) -> Result<&'static RegisterName, Noted> {
        let Some(name) = REGISTERS.iter().find(|r| r.name == letters) else {
            let message = format!("there is no register {}", quote(Some(word)));
            let lower = word.text.to_ascii_lowercase();
            let letters = lower.trim_end_matches(|c: char| c.is_ascii_digit());
            let here = REGISTERS.iter().filter(|r| r.stage.is_none_or(|s| self.stage.is_none_or(|t| s == t)));
            let help = match here.clone().find(|r| r.name == letters) {
                Some(r) => format!("did you mean '{}'?", r.name),
                None => format!("there are {}", here.map(|r| r.name).collect::<Vec<_>>().join(", ")),
            };
            return Err(self.error_help(word.place, message, help));
        };
        if let (Some(is), Some(wants)) = (self.stage, name.stage)
            && is != wants
        {
            let [of, in_] = [wants, is].map(|s| if s == Stage::Fragment { "fragment" } else { "vertex" });
            let message =
                format!("'{}' is a register of {of} programs, and this is a {in_} program", name.name);
            return Err(self.error_help(
                word.place,
                message,
                format!("here it is '{}'", file_name(name.file, is)),
            ));
        }
        Ok(name)
    }

    /// A register name with its number.
    fn register(&mut self, word: &text::Token<'t>) -> Result<(File, u16), Noted> {
        let letters = word.text.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = &word.text[letters.len()..];
        let name = self.name(word, letters)?;
        if digits.is_empty() {
            if name.single {
                return Ok((name.file, 0));
            }
            return Err(self.error_help(
                word.place,
                format!("'{letters}' needs a register number"),
                format!("for example {letters}0"),
            ));
        }
        match digits.parse() {
            Ok(number) => Ok((name.file, number)),
            Err(_) => Err(self.error(word.place, "a register number has at most 16 bits")),
        }
    }

    /// `[va0.x+3]`, from the bracket on.
    fn index(&mut self, name: &RegisterName) -> Result<Index, Noted> {
        self.at += 1;
        if let Some(number) = self.peek().and_then(text::Token::integer) {
            let place = self.place();
            return Err(self.error_help(
                place,
                "an index is a register component, not a number",
                format!("write {}{number}", name.name),
            ));
        }
        let Some(word) = self.identifier() else { return Err(self.expected("an index register")) };
        let (file, number) = self.register(&word)?;
        if !self.sign('.') {
            let place = self.place();
            return Err(self.error_help(
                place,
                "an index names one component",
                format!("write {}.x", word.text.chars().take(QUOTED).collect::<String>()),
            ));
        }
        let place = self.place();
        let letter = self.identifier().map(|t| t.text).and_then(|text| {
            let mut chars = text.chars();
            let first = chars.next()?;
            if chars.next().is_some() { None } else { component(first) }
        });
        let Some((component, _)) = letter else {
            return Err(self.error(place, "an index names one component, x, y, z or w"));
        };
        let mut offset = 0;
        if self.is_sign('-') {
            let place = self.place();
            return Err(self.error_help(
                place,
                "an index offset is 0 to 255",
                "some assemblers store a negative offset -n as 256-n; write that if it is meant",
            ));
        }
        if self.sign('+') {
            match self.peek().and_then(text::Token::integer).map(u8::try_from) {
                Some(Ok(n)) => offset = n,
                _ => return Err(self.expected("an index offset, 0 to 255")),
            }
            self.at += 1;
        }
        if !self.sign(']') {
            return Err(self.expected("']'"));
        }
        Ok(Index { file, number, component: component as u8, offset })
    }

    /// `<2d,linear,-0.5>`, from the bracket on.
    fn options(&mut self) -> Result<Sampler, Noted> {
        self.at += 1;
        let mut sampler = Sampler { file: File::Sampler as u8, ..Sampler::default() };
        let mut given: [Option<&'static str>; 6] = [None; 6];
        let mut biased = false;
        let mut sound = true;
        loop {
            let place = self.place();
            let negative = self.is_sign('-');
            if self.sign('>') {
                break;
            }
            if self.sign(',') {
                continue;
            }
            let signed = negative || self.is_sign('+');
            self.at += usize::from(signed);
            let Some(token) = self.peek().filter(|t| matches!(t.kind, Kind::Identifier | Kind::Number))
            else {
                return Err(self.expected("a sampler option or '>'"));
            };
            self.at += 1;
            if let Some(&(name, field, value)) =
                OPTIONS.iter().find(|(name, ..)| *name == token.text && !signed)
            {
                let slot = match field {
                    OptionField::Dimension => &mut sampler.dimension,
                    OptionField::Format => &mut sampler.format,
                    OptionField::Filter => &mut sampler.filter,
                    OptionField::Mip => &mut sampler.mip,
                    OptionField::Wrap => &mut sampler.wrap,
                    OptionField::Special => {
                        sampler.special |= value;
                        continue;
                    }
                };
                if let Some(before) = given[field as usize]
                    && *slot != value
                {
                    self.error(token.place, format!("'{name}' contradicts '{before}'"));
                    sound = false;
                    continue;
                }
                *slot = value;
                given[field as usize] = Some(name);
            } else if let Some(value) = token.float() {
                let eighths = if negative { -8.0 } else { 8.0 } * value;
                if eighths.fract() != 0.0 || !(-128.0..=127.0).contains(&eighths) {
                    let help = "a number here is the bias of the level of detail";
                    self.error_help(place, "a bias is a multiple of 0.125 from -16 to 15.875", help);
                    sound = false;
                } else if biased {
                    self.error(place, "the bias may be given only once");
                    sound = false;
                }
                biased = true;
                sampler.bias = (eighths as i8) as u8;
            } else {
                let message = format!("there is no sampler option {}", quote(Some(token)));
                match nearest(token.text, OPTIONS.iter().map(|(name, ..)| *name)) {
                    Some(name) => self.error_help(token.place, message, format!("did you mean '{name}'?")),
                    None => self.error(token.place, message),
                };
                sound = false;
            }
        }
        if sound { Ok(sampler) } else { Err(Noted) }
    }

    // ---- from operands to a token

    /// Holds the operands against what the instruction wants. Each is looked at, whatever is wrong with the others.
    fn token(&mut self, place: Place, op: Opcode, operands: &[Operand<'t>]) -> Result<Token, Noted> {
        let wanted = wanted(op);
        if operands.len() != wanted.len() {
            let count = match wanted.len() {
                0 => "no operands".to_owned(),
                1 => "1 operand".to_owned(),
                n => format!("{n} operands"),
            };
            let name = op.row().mnemonic;
            let message = format!("{name} takes {count}, not {}", operands.len());
            let help = format!("{name} {}", wanted.join(", "));
            return Err(self.error_help(place, message, help.trim_end()));
        }
        let mut token = Token {
            opcode: op.row().number,
            dest: Dest::default(),
            a: Source::default(),
            b: if op.has_sampler() {
                Second::Sampler(Sampler::default())
            } else {
                Second::Source(Source::default())
            },
        };
        let mut operands = operands.iter();
        let mut sound = true;
        if op.has_dest() {
            match operands.next().map(|o| self.dest(o)) {
                Some(Ok(dest)) => token.dest = dest,
                _ => sound = false,
            }
        }
        if op.sources() > 0 {
            match operands.next().map(|o| self.source(o)) {
                Some(Ok(source)) => token.a = source,
                _ => sound = false,
            }
        }
        if let Some(operand) = operands.next() {
            let second = match token.b {
                Second::Sampler(_) => self.sampler(operand).map(Second::Sampler),
                Second::Source(_) => self.source(operand).map(Second::Source),
            };
            match second {
                Ok(second) => token.b = second,
                Err(Noted) => sound = false,
            }
        }
        if sound { Ok(token) } else { Err(Noted) }
    }

    fn no_options(&mut self, operand: &Operand<'t>) -> Result<(), Noted> {
        match &operand.options {
            None => Ok(()),
            Some((place, _)) => {
                Err(self.error(*place, "only the last operand of a texture read has options"))
            }
        }
    }

    fn dest(&mut self, operand: &Operand<'t>) -> Result<Dest, Noted> {
        self.no_options(operand)?;
        if operand.index.is_some() {
            return Err(self.error(operand.place, "a destination cannot be indexed"));
        }
        let mut mask = 0xf;
        if let Some(letters) = &operand.letters {
            let lanes = self.letters(letters)?;
            if !lanes.is_sorted_by(|a, b| a < b) {
                let in_order: String = (0..4).filter(|k| lanes.contains(k)).map(|k| LETTERS[0][k]).collect();
                return Err(self.error_help(
                    letters.place,
                    "a write mask names components in order, each once",
                    format!("write '.{in_order}', and permute with the swizzle of a source"),
                ));
            }
            mask = lanes.iter().fold(0, |mask, k| mask | 1 << k);
        }
        Ok(Dest::register(operand.file, operand.number, mask))
    }

    fn source(&mut self, operand: &Operand<'t>) -> Result<Source, Noted> {
        self.no_options(operand)?;
        let mut swizzle = Source::XYZW;
        if let Some(letters) = &operand.letters {
            let lanes = self.letters(letters)?;
            // `letters` gives one to four of them.
            let last = lanes.len() - 1;
            swizzle = (0..4).fold(0, |bits, k| bits | (lanes[k.min(last)] as u8) << (2 * k));
        }
        let mut source = Source::register(operand.file, operand.number, swizzle);
        if let Some(index) = &operand.index {
            source.number = index.number;
            source.offset = index.offset;
            source.index_file = index.file as u8;
            source.index_component = index.component;
            source.indirect = 1;
        }
        Ok(source)
    }

    fn sampler(&mut self, operand: &Operand<'t>) -> Result<Sampler, Noted> {
        if operand.file != File::Sampler || operand.index.is_some() {
            let stage = self.stage.unwrap_or(Stage::Fragment);
            let help = format!("for example {}0 <2d,linear>", file_name(File::Sampler, stage));
            return Err(self.error_help(operand.place, "a texture read ends with a sampler", help));
        }
        if let Some(letters) = &operand.letters {
            return Err(self.error(letters.place, "a sampler has no swizzle"));
        }
        let default = Sampler { file: File::Sampler as u8, ..Sampler::default() };
        let options = operand.options.as_ref().map_or(default, |(_, sampler)| *sampler);
        Ok(Sampler { number: operand.number, ..options })
    }

    /// The components that one to four letters name.
    fn letters(&mut self, token: &text::Token<'t>) -> Result<Vec<usize>, Noted> {
        let mut lanes = Vec::with_capacity(4);
        let mut spelling = None;
        for c in token.text.chars() {
            let Some((lane, alphabet)) = component(c) else {
                let message = format!("{} names no components", quote(Some(token)));
                return Err(self.error_help(
                    token.place,
                    message,
                    "components are x, y, z and w, or r, g, b and a",
                ));
            };
            if spelling.replace(alphabet).is_some_and(|s| s != alphabet) {
                return Err(self.error(token.place, "xyzw and rgba do not mix"));
            }
            if lanes.len() == 4 {
                return Err(self.error(token.place, "there are at most four components"));
            }
            lanes.push(lane);
        }
        Ok(lanes)
    }
}

/// The component that a letter names, and which alphabet it is from.
fn component(letter: char) -> Option<(usize, usize)> {
    LETTERS.iter().enumerate().find_map(|(alphabet, letters)| {
        letters.iter().position(|l| *l == letter).map(|lane| (lane, alphabet))
    })
}

/// The operands of an instruction in words.
fn wanted(op: Opcode) -> &'static [&'static str] {
    match op.row().shape {
        Shape::Unary => &["destination", "source"],
        Shape::Binary => &["destination", "source", "source"],
        Shape::Matrix { .. } => &["destination", "vector", "first row"],
        Shape::Texture => &["destination", "coordinates", "sampler <options>"],
        Shape::Compare => &["source", "source"],
        Shape::Marker => &[],
        Shape::Kill => &["source"],
    }
}
