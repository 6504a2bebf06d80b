//! Parses registers, constants and exports with their modifiers, swizzles and write masks.

use super::super::names::{A_0, A_L, CONSTANT, EXPORT, LETTERS, PREDICATED, REGISTER};
use super::super::program::{COORDINATE_SWIZZLE, RESULT_SWIZZLE, swizzle};
use super::super::word::Alu;
use super::line::{Line, Reported};
use crate::binary::exact;
use crate::text::{Span, Token};

/// The address register of a relative operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Address {
    A0,
    Al,
}

/// A source operand as parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Operand {
    pub(super) span: Span,
    pub(super) register: bool,
    pub(super) number: u8,
    pub(super) relative: Option<Address>,
    pub(super) absolute: bool,
    pub(super) negated: bool,
    /// The components after the point; there are none, one or four.
    pub(super) components: Vec<usize>,
}

/// A destination operand as parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dest {
    pub(super) span: Span,
    pub(super) export: bool,
    pub(super) number: u8,
    pub(super) relative: bool,
    pub(super) mask: u8,
}

/// The prefix of general registers, and the highest register number.
const R: (&str, u64) = (REGISTER, Alu::vdest.max_u64());

impl Operand {
    /// Returns the swizzle in the encoding of the slot, which is relative to the channel.
    pub(super) fn swizzle(&self) -> u8 {
        match self.components[..] {
            [x] => swizzle([x; 4]),
            [x, y, z, w] => swizzle([x, y, z, w]),
            _ => 0,
        }
    }
}

/// Returns the component for a letter.
fn component(letter: char) -> Option<usize> {
    LETTERS[..4].iter().position(|l| *l == letter)
}

impl Line<'_, '_> {
    /// Parses an operand such as `R3`, `C[a0+5]` or `export62`. Returns the prefix of the file, the number and the address register.
    fn indexed(
        &mut self,
        files: &[(&'static str, u64)],
    ) -> Result<(&'static str, u8, Option<Address>), Reported> {
        let Some(word) = self.identifier() else {
            let names: Vec<_> = files.iter().map(|(name, _)| format!("{name}0")).collect();
            return Err(self.expected(&format!("a register such as {}", names.join(" or "))));
        };
        let letters = word.text.trim_end_matches(|c: char| c.is_ascii_digit());
        let Some((file, max)) = files.iter().find(|(name, _)| *name == letters) else {
            return Err(self.unknown(&word, "register", files.iter().map(|(name, _)| *name)));
        };
        let digits = &word.text[letters.len()..];
        let too_large = format!("{file} has numbers 0 to {max}");
        if !digits.is_empty() {
            return match digits.parse::<u64>() {
                Ok(number) if number <= *max => Ok((file, exact::<u8, _>(number), None)),
                _ => Err(self.error(word.span, too_large)),
            };
        }
        if !self.take_punct('[') {
            let help = format!("write {file}0, or {file}[aL+0]");
            return Err(self.error_help(word.span, "a register needs a number", help));
        }
        let span = self.next_span();
        let address = match self.identifier().map(|t| t.text) {
            Some(A_0) if *file == CONSTANT => Address::A0,
            Some(A_L) => Address::Al,
            Some(A_0) => {
                return Err(self.error(
                    span,
                    "only constants can be relative to a0; other registers are relative to aL",
                ));
            }
            _ => {
                return Err(self.error_help(
                    span,
                    "a register number can be relative only to a0 or aL",
                    "write C[a0+3]",
                ));
            }
        };
        let number = if self.take_punct('+') { self.number("a register number", *max)? } else { 0 };
        self.expect(']')?;
        Ok((file, exact::<u8, _>(number), Some(address)))
    }

    /// Parses a source operand.
    pub(super) fn operand(&mut self) -> Result<Operand, Reported> {
        let span = self.next_span();
        let negated = self.take_punct('-');
        let absolute = self.take_punct('|');
        let (file, number, relative) = self.indexed(&[R, (CONSTANT, Alu::src1.max_u64())])?;
        let register = file == REGISTER;
        let mut components = Vec::new();
        if self.take_punct('.') {
            let Some((span, letters)) = self.letters() else {
                return Err(self.expected("component letters"));
            };
            let named: Option<Vec<usize>> = letters.chars().map(component).collect();
            match named {
                Some(named) if matches!(named.len(), 1 | 4) => components = named,
                _ => {
                    let help = "for example .xyzw, or .x for .xxxx";
                    return Err(self.error_help(
                        span,
                        "a swizzle must have four of the letters x, y, z, w, or one",
                        help,
                    ));
                }
            }
        }
        if absolute {
            // Freedreno's assembler has no closing bar.
            self.take_punct('|');
            if !register {
                let help = "write ABS_CONST after the operands; bars with a constant are how older listings alias C128 and up";
                let message = "the absolute value of a single constant cannot be taken";
                return Err(self.error_help(span, message, help));
            }
        }
        Ok(Operand { span, register, number, relative, absolute, negated, components })
    }

    /// Parses the destination of an ALU slot.
    pub(super) fn dest(&mut self) -> Result<Dest, Reported> {
        let span = self.next_span();
        let (file, number, relative) = self.indexed(&[R, (EXPORT, Alu::vdest.max_u64())])?;
        let mut mask = 0xf;
        if self.take_punct('.') {
            let Some((span, letters)) = self.letters() else {
                return Err(self.expected("a write mask"));
            };
            mask = match write_mask(&letters) {
                Some(mask) => mask,
                None => {
                    let help = "for example .xy__, with each letter at its own position";
                    return Err(self.error_help(span, "a write mask must name components in order", help));
                }
            };
        }
        Ok(Dest { span, export: file == EXPORT, number, relative: relative.is_some(), mask })
    }

    /// Parses the destination of a fetch. Returns the register number, whether it is relative, and the destination swizzle.
    pub(super) fn fetch_dest(&mut self) -> Result<(u8, bool, u16), Reported> {
        let (_, number, relative) = self.indexed(&[R])?;
        let mut bits = 0x688;
        if self.take_punct('.') {
            let span = self.next_span();
            let letters = self.letters().map(|(_, letters)| letters).unwrap_or_default();
            let chosen: Option<Vec<u8>> =
                letters.chars().map(|c| LETTERS.iter().position(|l| *l == c).map(exact::<u8, _>)).collect();
            bits = match chosen.as_deref() {
                Some(&[x, y, z, w]) => RESULT_SWIZZLE.join([x, y, z, w]),
                _ => {
                    let help = "the letters are x, y, z, w, 0, 1, and _ for a component that keeps its value";
                    return Err(self.error_help(
                        span,
                        "the result of a fetch needs a swizzle of four letters",
                        help,
                    ));
                }
            };
        }
        Ok((number, relative.is_some(), bits))
    }

    /// Parses the source of a fetch. Returns the register number, whether it is relative, and the swizzle of `count` components.
    pub(super) fn fetch_source(&mut self, count: usize) -> Result<(u8, bool, u8), Reported> {
        let (_, number, relative) = self.indexed(&[R])?;
        self.expect('.')?;
        let span = self.next_span();
        let letters = self.letters().map(|(_, letters)| letters).unwrap_or_default();
        let named: Option<Vec<u8>> = letters.chars().map(|c| component(c).map(exact::<u8, _>)).collect();
        match named {
            Some(named) if named.len() == count => {
                let mut components = [0; 3];
                components[..count].copy_from_slice(&named);
                Ok((number, relative.is_some(), COORDINATE_SWIZZLE.join(components)))
            }
            _ => Err(self.error(
                span,
                format!("the source of this fetch must have {count} of the letters x, y, z, w"),
            )),
        }
    }
}

/// Parses a write mask: either four positions, with `_` for components that are not written, or the letters of the written components in order.
fn write_mask(letters: &str) -> Option<u8> {
    if letters.len() == 4 && letters.contains('_') {
        return letters.chars().enumerate().try_fold(0, |mask, (k, c)| match c {
            '_' => Some(mask),
            c if c == LETTERS[k] => Some(mask | 1 << k),
            _ => None,
        });
    }
    letters.chars().try_fold(0u8, |mask, c| {
        let bit = 1 << component(c)?;
        (mask < bit).then_some(mask | bit)
    })
}

/// Splits a mnemonic from its predicate suffix. Returns the mnemonic and the required value of the predicate, which is `None` without a suffix.
/// Returns `None` if `is_name` rejects the mnemonic.
pub(super) fn predicated<'t>(
    word: &Token<'t>,
    is_name: impl Fn(&str) -> bool,
) -> Option<(&'t str, Option<bool>)> {
    if is_name(word.text) {
        return Some((word.text, None));
    }
    [false, true].into_iter().find_map(|value| {
        let suffix = PREDICATED[usize::from(value)];
        word.text.strip_suffix(suffix).filter(|name| is_name(name)).map(|name| (name, Some(value)))
    })
}
