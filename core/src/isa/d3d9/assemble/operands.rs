//! Parses registers, swizzles, write masks and modifiers.

use super::super::names::{self, LETTERS, NamedRegister, encoded_register};
use super::super::program::{Dest, File, Index, Modifier, Relative, Source, Version, constant_number};
use super::super::registers::ADDRESS_NAME;
use super::super::word::SWIZZLE;
use super::line::{Line, QUOTED, Reported, quote};
use super::listing;
use crate::binary::exact;
use crate::text::{Kind, Span, Token, nearest};

/// A register as parsed, with the modifier suffix after its name.
struct ParsedRegister<'t> {
    file: u8,
    number: u16,
    relative: Relative,
    /// The modifier suffix, such as `_abs`; empty if there is none.
    suffix: &'t str,
    span: Span,
}

impl<'t> Line<'t, '_> {
    /// Parses a destination, such as `r0.xyz`.
    pub(super) fn dest(&mut self, version: Version) -> Result<Dest, Reported> {
        let written = self.register(version)?;
        if !written.suffix.is_empty() {
            let help = "result modifiers follow the name of the instruction, as in 'add_sat'";
            return Err(self.error_help(written.span, "a destination cannot have a source modifier", help));
        }
        let mask = match self.letters()? {
            None => 15,
            Some((span, components)) => {
                if !components.is_sorted_by(|a, b| a < b) {
                    return Err(
                        self.error(span, "the components of a destination must be in order and not repeated")
                    );
                }
                components.iter().fold(0, |mask, c| mask | 1 << c)
            }
        };
        let ParsedRegister { file, number, relative, .. } = written;
        Ok(Dest { number, file, relative, zero14: 0, mask, modifier: 0, shift: 0, one31: 1 })
    }

    /// Parses a source, such as `-r0_abs.xyzw`.
    pub(super) fn source(&mut self, version: Version) -> Result<Source, Reported> {
        let span = self.next_span();
        let before = self.before()?;
        // VKD writes `|r0.x|` for `r0_abs.x`.
        let bars = self.take_punct('|');
        let mut written = self.register(version)?;
        if bars && written.suffix.is_empty() {
            written.suffix = Modifier::Abs.row().after[0];
        } else if bars {
            return Err(self.error(span, "a source between bars cannot have another modifier after it"));
        }
        let same = |(b, a, _): &(&str, &str, _)| *b == before && a.eq_ignore_ascii_case(written.suffix);
        let Some((.., modifier)) = Modifier::spellings().find(same) else {
            let cut: String = written.suffix.chars().take(QUOTED).collect();
            let known = Modifier::spellings().map(|(_, a, _)| a).filter(|a| !a.is_empty());
            let message = match (before, cut.as_str()) {
                (before, "") => format!("there is no modifier '{before}'"),
                ("", after) => format!("there is no modifier '{after}'"),
                (before, after) => format!("the modifiers '{before}' and '{after}' cannot be combined"),
            };
            return Err(match nearest(&cut, known) {
                Some(name) if !name.eq_ignore_ascii_case(&cut) => {
                    self.error_help(written.span, message, format!("did you mean '{name}'?"))
                }
                _ => self.error(span, message),
            });
        };
        let swizzle = self.swizzle()?;
        if bars && !self.take_punct('|') {
            return Err(self.expected("'|'"));
        }
        let ParsedRegister { file, number, relative, .. } = written;
        Ok(Source { number, file, relative, zero14: 0, swizzle, modifier: modifier as u8, one31: 1 })
    }

    /// Parses the text before a register: `-`, `!` or `1-`; otherwise returns an empty string.
    fn before(&mut self) -> Result<&'static str, Reported> {
        if self.take_punct('-') {
            return Ok("-");
        }
        if self.take_punct('!') {
            return Ok("!");
        }
        if self.peek().is_some_and(|t| t.kind == Kind::Number && t.text == "1")
            && self.ahead(1).is_some_and(|t| t.kind == Kind::Punct('-'))
        {
            self.skip();
            self.skip();
            return Ok("1-");
        }
        if self.peek().is_some_and(|t| t.kind == Kind::Number) {
            let help = "an immediate cannot be an operand: set a constant with def, defi or defb";
            return Err(self.error_help(self.next_span(), "an operand must be a register", help));
        }
        Ok("")
    }

    fn register(&mut self, version: Version) -> Result<ParsedRegister<'t>, Reported> {
        let Some(word) = self.identifier() else { return Err(self.expected("a register")) };
        let split = word.text.find('_').unwrap_or(word.text.len());
        let (name, mut suffix) = word.text.split_at(split);
        let named = names::register(version, name)
            .or_else(|| names::register(version, listing::without_number(name)?));
        let Some(NamedRegister { file, number }) = named else {
            return Err(self.unknown_register(version, word, name));
        };
        let mut written = ParsedRegister {
            file: file as u8,
            number: 0,
            relative: Relative::Direct,
            suffix,
            span: word.span,
        };
        if !self.is_punct('[') {
            let Some(number) = number else { return Err(self.missing_number(word)) };
            written.number = number;
            return Ok(written);
        }
        if names::file_name(version, file as u8).is_none() {
            return Err(self.error(word.span, "this name denotes a single register, which cannot be indexed"));
        }
        self.skip();
        let base = number.map_or(0, |n| constant_number(file as u8, n).unwrap_or(n));
        let (relative, offset) = self.index(version)?;
        let total = offset.checked_add(base).and_then(|n| encoded_register(file, n));
        let Some((file, number)) = total else {
            return Err(self.error(word.span, "the register number is too large"));
        };
        if suffix.is_empty()
            && let Some(t) = self.peek().filter(|t| t.text.starts_with('_'))
        {
            suffix = t.text;
            self.skip();
        }
        Ok(ParsedRegister { file: file as u8, number, relative, suffix, span: word.span })
    }

    fn missing_number(&mut self, word: Token<'_>) -> Reported {
        self.error(word.span, format!("{} needs a number", quote(Some(&word))))
    }

    fn unknown_register(&mut self, version: Version, word: Token<'_>, name: &str) -> Reported {
        let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let message = format!("there is no register {}", quote(Some(&word)));
        let known = names::register_names(version).any(|n| n.eq_ignore_ascii_case(letters));
        if known {
            let single = names::register(version, letters).is_some_and(|named| named.number.is_some());
            let help = if single {
                format!("'{letters}' is a single register: write it without a number")
            } else {
                format!("the number after '{letters}' is too large")
            };
            return self.error_help(word.span, message, help);
        }
        match nearest(letters, names::register_names(version)) {
            Some(near) => self.error_help(word.span, message, format!("did you mean '{near}'?")),
            None => self.error(word.span, message),
        }
    }

    /// Parses the index after `[`: at most one index register, and numbers whose sum is returned.
    fn index(&mut self, version: Version) -> Result<(Relative, u16), Reported> {
        let span = self.next_span();
        let mut offset = 0u16;
        let mut relative = Relative::Direct;
        loop {
            if self.peek().is_some_and(|t| t.kind == Kind::Number) {
                let number = exact::<u16, _>(self.word(8191)?);
                let Some(sum) = offset.checked_add(number) else {
                    return Err(self.error(span, "the register number is too large"));
                };
                offset = sum;
            } else if relative.is_relative() {
                return Err(self.expected("a number, as only one register can index"));
            } else {
                relative = self.index_register(version)?;
            }
            if self.take_punct(']') {
                return Ok((relative, offset));
            }
            if !self.take_punct('+') {
                return Err(self.expected("'+' or ']'"));
            }
        }
    }

    fn index_register(&mut self, version: Version) -> Result<Relative, Reported> {
        let Some(word) = self.identifier() else { return Err(self.expected("a register or a number")) };
        if !version.has_lengths() {
            // Before version 2 the only index is a0.x: the encoding has no bits for another register or component.
            let letters = self.letters()?;
            let x = letters.is_some_and(|(_, components)| components.iter().all(|c| *c == 0));
            if x && word.text.eq_ignore_ascii_case(ADDRESS_NAME) {
                return Ok(Relative::Implied);
            }
            return Err(self.error(word.span, "before version 2 only a0.x can index"));
        }
        let named = names::register(version, word.text)
            .or_else(|| names::register(version, listing::without_number(word.text)?));
        let Some(NamedRegister { file, number }) = named else {
            return Err(self.unknown_register(version, word, word.text));
        };
        let Some(number) = number else { return Err(self.missing_number(word)) };
        let span = self.next_span();
        let swizzle = self.swizzle()?;
        // As in the native assembler, aL has no components.
        if file == File::Loop && swizzle != Source::XYZW {
            return Err(self.error(span, "aL has no components"));
        }
        Ok(Relative::Indexed(Index {
            number,
            file: file as u8,
            zero13: 0,
            zero14: 0,
            swizzle,
            modifier: 0,
            one31: 1,
        }))
    }

    fn swizzle(&mut self) -> Result<u8, Reported> {
        let Some((_, components)) = self.letters()? else { return Ok(Source::XYZW) };
        let last = components.last().copied().unwrap_or(0);
        Ok(SWIZZLE.join(std::array::from_fn(|c| components.get(c).copied().unwrap_or(last))))
    }

    /// Parses a dot and one to four components; returns `None` if there is no dot.
    fn letters(&mut self) -> Result<Option<(Span, Vec<u8>)>, Reported> {
        if !self.take_punct('.') {
            return Ok(None);
        }
        let Some(word) = self.identifier() else { return Err(self.expected("components after '.'")) };
        // The native assembler allows `xyzw` and `rgba` to be mixed in one swizzle or mask: `.xygb`.
        let component = |c: char| {
            let of = |letters: &[char; 4]| letters.iter().position(|l| *l == c.to_ascii_lowercase());
            LETTERS.iter().find_map(of).map(exact::<u8, _>)
        };
        let components: Option<Vec<u8>> = word.text.chars().take(5).map(component).collect();
        match components.filter(|c| c.len() <= 4) {
            Some(components) => Ok(Some((word.span, components))),
            None => {
                let message = format!("{} is not a swizzle or a write mask", quote(Some(&word)));
                Err(self.error_help(word.span, message, "write one to four of the letters xyzw or rgba"))
            }
        }
    }
}
