//! The parser of registers, swizzles, indices, conditions, comparison operators and values of constants.

use super::super::names::{ADDRESS, CONDITION, LETTERS};
use super::super::program::{Descriptor, component, mask_bit, selector};
pub(super) use super::super::registers::File;
use super::super::word::{Comparison, Condition, Index};
use super::line::{Line, Read, quote};
use crate::binary::exact;
use crate::isa::component::NAMES;
use crate::text::Reported;
use crate::text::{Kind, Span, Token, nearest};
use smallvec::SmallVec;
use std::collections::HashMap;

/// The register, selector and sign that a name denotes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Alias {
    pub(super) file: File,
    pub(super) number: u16,
    pub(super) select: u8,
    pub(super) negate: bool,
}

/// Returns the number of the component x or y, in either case; `None` for any other text.
fn x_or_y(text: &str) -> Option<usize> {
    NAMES[..2].iter().position(|name| name.eq_ignore_ascii_case(text))
}

impl Alias {
    pub(super) fn register(file: File, number: u16) -> Alias {
        Alias { file, number, select: Descriptor::XYZW, negate: false }
    }
}

/// The register that each name denotes.
pub(super) type Aliases<'t> = HashMap<&'t str, Alias>;

/// A parsed register operand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    pub(super) span: Span,
    pub(super) file: File,
    pub(super) number: u16,
    /// The address register of the index: 0 for none.
    pub(super) idx: u8,
    pub(super) negate: bool,
    pub(super) select: u8,
    /// The named components, as a write mask in a descriptor's format.
    pub(super) mask: u8,
    /// Whether components are omitted with `_`, which is allowed only in a write mask.
    pub(super) holes: bool,
}

/// Components after a dot, both as a selector and as a write mask.
struct Components {
    select: u8,
    mask: u8,
    holes: bool,
}

/// Returns the register denoted by a word such as `r12`. Its number may be too large for the register file.
pub(super) fn register(word: &str) -> Option<(File, u32)> {
    let mut chars = word.chars();
    let first = chars.next()?;
    let digits = chars.as_str();
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let file = File::from_letter(first)?;
    // A number too large for 32 bits is too large for any file.
    Some((file, digits.parse().unwrap_or(u32::MAX)))
}

impl<'t> Line<'t, '_> {
    /// Parses a register with sign, index and components.
    pub(super) fn operand(&mut self, aliases: &Aliases<'t>) -> Read<Operand> {
        let span = self.next_span();
        let mut negate = false;
        while self.take_punct('-') {
            negate = !negate;
        }
        let word = self.name("a register")?;
        let mut base = self.base(word, aliases)?;
        let (mut offset, mut idx) = (0, 0);
        if self.take_punct('[') {
            (idx, offset) = self.index()?;
        }
        let number = i64::from(base.number) + offset;
        let outside = !(0..i64::from(base.file.count())).contains(&number);
        if outside {
            let message = format!("there is no register {}{number}", base.file.letter());
            return Err(self.error(word.span, message));
        }
        base.number = exact::<u16, _>(number);
        let components = if self.take_punct('.') { Some(self.components()?) } else { None };
        let (select, mask, holes) = match components {
            Some(c) => {
                // The swizzle selects among the components of the alias.
                let select = selector(
                    [0, 1, 2, 3]
                        .map(|lane| exact::<u8, _>(component(base.select, component(c.select, lane)))),
                );
                let mask = if base.select == Descriptor::XYZW { c.mask } else { mask_of(select) };
                (select, if c.mask == 0 { 0 } else { mask }, c.holes)
            }
            None => (base.select, mask_of(base.select), false),
        };
        Ok(Operand {
            span,
            file: base.file,
            number: base.number,
            idx,
            negate: negate != base.negate,
            select,
            mask,
            holes,
        })
    }

    /// Parses a register of a file without sign, index and components, and returns its number. `expected` describes the register in errors.
    pub(super) fn plain_register(&mut self, aliases: &Aliases<'t>, file: File, expected: &str) -> Read<u16> {
        let operand = self.operand(aliases)?;
        if operand.file != file {
            return Err(self.error(operand.span, format!("expected {expected}")));
        }
        if operand.negate || operand.idx != 0 || operand.select != Descriptor::XYZW || operand.holes {
            let message = format!("expected {expected}, without sign, index and components");
            return Err(self.error(operand.span, message));
        }
        Ok(operand.number)
    }

    fn base(&mut self, word: Token<'t>, aliases: &Aliases<'t>) -> Read<Alias> {
        if let Some(alias) = aliases.get(word.text) {
            return Ok(*alias);
        }
        if let Some((file, number)) = register(word.text) {
            if number < u32::from(file.count()) {
                return Ok(Alias::register(file, exact::<u16, _>(number)));
            }
            let most = file.count() - 1;
            let letter = file.letter();
            let message = format!("there is no register {}", quote(Some(&word)));
            return Err(self.error_help(
                word.span,
                message,
                format!("the registers are {letter}0 to {letter}{most}"),
            ));
        }
        let message = format!("there is no register {}", quote(Some(&word)));
        Err(match nearest(word.text, aliases.keys().copied()) {
            Some(name) => self.error_help(word.span, message, format!("did you mean '{name}'?")),
            None => self.error_help(
                word.span,
                message,
                "registers are o, v, r, c, i or b with a number, and the names of .alias, .fvec, .in and the like",
            ),
        })
    }

    /// Parses an index after its opening bracket: address register and offset.
    fn index(&mut self) -> Read<(u8, i64)> {
        let mut idx = 0;
        let mut offset = 0;
        let mut negative;
        let mut first = true;
        loop {
            let span = self.next_span();
            if first {
                negative = self.take_punct('-');
            } else if self.take_punct('-') {
                negative = true;
            } else if self.take_punct('+') {
                negative = false;
            } else {
                self.expect(']')?;
                return Ok((idx, offset));
            }
            if let Some(number) = self.peek().and_then(Token::integer) {
                self.skip();
                let number = i64::try_from(number).unwrap_or(i64::MAX).min(1 << 20);
                offset += if negative { -number } else { number };
            } else if let Some(chosen) = self.address() {
                if negative || idx != 0 {
                    return Err(self.error(span, "an index can only add, and only one address register"));
                }
                idx = chosen;
            } else {
                return Err(self.expected("a number, a0.x, a0.y or aL"));
            }
            first = false;
        }
    }

    /// Parses an address register, if there is one.
    fn address(&mut self) -> Option<u8> {
        let word = self.peek().filter(|t| t.kind == Kind::Identifier)?.text;
        let plain = |name: &str| {
            let mut names = Index::NAMES.iter().skip(1);
            names.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, idx)| *idx)
        };
        let chosen = if word.eq_ignore_ascii_case(ADDRESS) {
            let dotted = self.ahead(1).is_some_and(|t| t.kind == Kind::Punct('.'));
            match self.ahead(2).filter(|_| dotted).map(|t| t.text) {
                Some(letter) => ([Index::A0X, Index::A0Y][x_or_y(letter)?] as u8, 3),
                None => (Index::A0X as u8, 1),
            }
        } else {
            (plain(word)?, 1)
        };
        self.skip_tokens(chosen.1);
        Some(chosen.0)
    }

    fn skip_tokens(&mut self, tokens: usize) {
        for _ in 0..tokens {
            self.skip();
        }
    }

    /// Parses component letters after the dot. `_` omits a component, as in `.x_z_`; only a write mask may use it.
    fn components(&mut self) -> Read<Components> {
        let Some(token) = self.identifier() else { return Err(self.expected("component letters")) };
        let mut alphabet = None;
        let mut named = SmallVec::<[u8; 5]>::new();
        let (mut mask, mut last, mut holes) = (0u8, 0u8, false);
        for c in token.text.chars() {
            let c = c.to_ascii_lowercase();
            if c != '_' {
                let found = LETTERS.iter().enumerate().find_map(|(alphabet, letters)| {
                    letters.iter().position(|l| *l == c).map(|k| (exact::<u8, _>(k), alphabet))
                });
                let Some((component, found_alphabet)) = found else {
                    let message = format!("{} is not a swizzle or a write mask", quote(Some(&token)));
                    let help = "components are x, y, z and w, or r, g, b and a, or s, t, p and q";
                    return Err(self.error_help(token.span, message, help));
                };
                if alphabet.replace(found_alphabet).is_some_and(|previous| previous != found_alphabet) {
                    return Err(self.error(token.span, "the letters xyzw, rgba and stpq cannot be mixed"));
                }
                last = component;
                mask |= mask_bit(component.into());
            }
            holes |= c == '_';
            named.push(last);
            if named.len() > 4 {
                return Err(self.error(token.span, "there are at most four components"));
            }
        }
        let select = selector(std::array::from_fn(|k| named.get(k).copied().unwrap_or(last)));
        Ok(Components { select, mask, holes })
    }

    /// Parses a write mask: components after a dot. Without a dot, all components are written.
    pub(super) fn mask(&mut self) -> Read<u8> {
        if self.take_punct('.') { self.components().map(|c| c.mask) } else { Ok(0xf) }
    }

    /// Parses the mask of an operand descriptor.
    pub(super) fn mask_word(&mut self) -> Read<u8> {
        self.components().map(|c| c.mask)
    }

    /// Parses the sign and selector of an operand descriptor.
    pub(super) fn select_word(&mut self) -> Read<(u8, u8)> {
        let negate = self.take_punct('-');
        let span = self.next_span();
        let c = self.components()?;
        if c.holes {
            return Err(self.error(span, "only a write mask may leave components out"));
        }
        Ok((u8::from(negate), c.select))
    }

    /// Parses a comparison operator: a symbol, two letters, or its number.
    pub(super) fn operator(&mut self) -> Read<u8> {
        let Some(token) = self.peek() else { return Err(self.expected("a comparison")) };
        if token.kind == Kind::Identifier {
            if let Some(comparison) = Comparison::from_name(&token.text.to_ascii_lowercase()) {
                self.skip();
                return Ok(comparison as u8);
            }
        } else if token.kind == Kind::Number {
            return self.number("a comparison", 7).map(exact::<u8, _>);
        } else {
            // Two characters are tried before one, so that `<=` is not read as `<`.
            let both: String = [Some(token), self.ahead(1)].into_iter().flatten().map(|t| t.text).collect();
            for (name, len) in [(both.as_str(), 2), (token.text, 1)] {
                if let Some(comparison) = Comparison::from_name(name) {
                    self.skip_tokens(len);
                    return Ok(comparison as u8);
                }
            }
        }
        let printed = Comparison::PRINTED;
        let other = Comparison::NAMES.iter().map(|(name, _)| *name).filter(|name| !printed.contains(name));
        let other: Vec<&str> = other.collect();
        Err(self.expected(&format!("a comparison: {}, or {}", printed.join(", "), other.join(", "))))
    }

    /// Parses a condition. Returns how its tests are combined, and the values that `cmp.x` and `cmp.y` are compared with.
    pub(super) fn condition(&mut self) -> Read<(u8, u8, u8)> {
        let span = self.next_span();
        let (first, first_value) = self.test()?;
        let and = self.is_punct('&')
            || self.peek().is_some_and(|t| t.text.eq_ignore_ascii_case(Condition::Both.name()));
        let or = self.is_punct('|')
            || self.peek().is_some_and(|t| t.text.eq_ignore_ascii_case(Condition::Either.name()));
        // An unused reference is set to 1 (S5).
        let mut values = [1, 1];
        values[first] = first_value;
        if !and && !or {
            return Ok(([Condition::X, Condition::Y][first] as u8, values[0], values[1]));
        }
        self.skip();
        if !self.take_punct('&') {
            self.take_punct('|');
        }
        let (second, second_value) = self.test()?;
        if first == second {
            return Err(self.error(span, "a condition can test each of cmp.x and cmp.y only once"));
        }
        values[second] = second_value;
        let both = if and { Condition::Both } else { Condition::Either };
        Ok((both as u8, values[0], values[1]))
    }

    /// Parses a test, `cmp.x` or `!cmp.y`. Returns the index of the bit and its required value.
    fn test(&mut self) -> Read<(usize, u8)> {
        let mut value = 1;
        while self.take_punct('!') {
            value ^= 1;
        }
        let named = self.word(CONDITION) || self.word("cc");
        if !named || !self.take_punct('.') {
            return Err(self.expected("cmp.x or cmp.y"));
        }
        match self.identifier().and_then(|t| x_or_y(t.text)) {
            Some(bit) => Ok((bit, value)),
            None => Err(self.expected("x or y after 'cmp.'")),
        }
    }

    /// Parses a component of a float constant: decimal numbers joined by `*` and `/`, or a word that contains the bits of an f24, in hexadecimal.
    pub(super) fn float(&mut self) -> Read<u32> {
        let span = self.next_span();
        if let Some(token) = self.peek().filter(|t| t.text.starts_with("0x") || t.text.starts_with("0X")) {
            self.skip();
            return match token.integer().map(u32::try_from) {
                Some(Ok(word)) => Ok(word),
                _ => Err(self.error(
                    span,
                    "a hexadecimal number is the word that contains the f24, so it must fit 32 bits",
                )),
            };
        }
        let mut value = self.decimal()?;
        loop {
            if self.take_punct('*') {
                value *= self.decimal()?;
            } else if self.take_punct('/') {
                value /= self.decimal()?;
            } else {
                #[allow(clippy::cast_possible_truncation)] // the text states a float, which is rounded
                let value = value as f32;
                return Ok(super::super::number::to_f24(value));
            }
        }
    }

    /// Parses a decimal number with an optional sign.
    fn decimal(&mut self) -> Read<f64> {
        let span = self.next_span();
        let negative = self.take_punct('-');
        if !negative {
            self.take_punct('+');
        }
        let pointed = self.take_punct('.');
        let Some(token) = self.peek().filter(|t| t.kind == Kind::Number) else {
            return Err(self.expected("a number"));
        };
        self.skip();
        let text = token.text.strip_suffix(['f', 'F']).unwrap_or(token.text);
        let text = if pointed { format!("0.{text}") } else { text.to_owned() };
        match text.parse::<f32>() {
            Ok(value) => Ok(f64::from(if negative { -value } else { value })),
            Err(_) => Err(self.error(span, "expected a number")),
        }
    }

    /// Parses a byte of an integer constant.
    pub(super) fn byte(&mut self) -> Read<u8> {
        let span = self.next_span();
        let negative = self.take_punct('-');
        let value = self.peek().and_then(Token::integer);
        match value {
            Some(n @ 0..=255) if !negative => {
                self.skip();
                Ok(exact(n))
            }
            Some(n @ 0..=128) => {
                self.skip();
                Ok(exact::<u8, _>(n).wrapping_neg())
            }
            _ => Err::<u8, Reported>(self.error(span, "an integer constant must be from -128 to 255")),
        }
    }
}

/// Returns the components that a selector reads, as a mask in a descriptor's format.
fn mask_of(select: u8) -> u8 {
    (0..4).fold(0, |mask, c| mask | mask_bit(component(select, c)))
}
