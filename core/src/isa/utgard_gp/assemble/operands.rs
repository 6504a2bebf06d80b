//! Parses operands of units and of stores.

use super::super::names::component;
use super::super::source::{ALSO_UNUSED, NOTHING, ResultOf, Source, StoreSource};
use super::super::vocabulary::{IDENTITY, MARK, OUT, Port, UNKNOWN, UNKNOWN_STORE, UNUSED, Unit};
use super::super::word::FieldId;
use super::item::Items;
use super::{Reported, quote};
use crate::binary::exact;
use crate::text::{Kind, Span, nearest};

/// An operand of a unit as written.
pub(super) struct Operand {
    pub(super) source: Source,
    pub(super) negated: bool,
    pub(super) span: Span,
}

/// The names with which an operand can begin, for suggestions.
fn operands() -> impl Iterator<Item = &'static str> {
    let ports = Port::NAMES.iter().map(|(name, _)| *name);
    ports.chain(Unit::PRINTED).chain([IDENTITY, UNUSED])
}

impl<'t> Items<'_, 't, '_> {
    /// Parses the operands between parentheses.
    pub(super) fn operands(&mut self) -> Result<Vec<Operand>, Reported> {
        let mut all = Vec::with_capacity(4);
        self.expect('(')?;
        loop {
            all.push(self.operand()?);
            if !self.skip_punct(',') {
                break;
            }
        }
        self.expect(')')?;
        Ok(all)
    }

    fn operand(&mut self) -> Result<Operand, Reported> {
        let negated = self.skip_punct('-');
        let span = self.next_span();
        let Some(word) = self.identifier() else { return Err(self.expected("an operand")) };
        let source = match (Port::from_name(word.text), word.text) {
            (Some(Port::Attribute), _) => self.port0_source(true, span)?,
            (Some(Port::Register), _) if self.index(1)? == 0 => self.port0_source(false, span)?,
            (Some(Port::Register), _) => {
                self.expect('.')?;
                Source::Port1(self.component()?)
            }
            (Some(Port::Load), _) => {
                self.expect('.')?;
                Source::Load(self.component()?)
            }
            (None, IDENTITY) => Source::Identity,
            (None, UNUSED) => Source::Unused,
            (None, text) => match unknown(text) {
                Some(source) => source,
                None => self.result(&word, span)?,
            },
        };
        Ok(Operand { source, negated, span })
    }

    /// Parses an operand that is an earlier result, after the unit's name.
    fn result(&mut self, word: &crate::text::Token<'t>, span: Span) -> Result<Source, Reported> {
        let of = self.unit(word)?;
        self.expect_out("")?;
        let age = self.index(2)?;
        if age == 0 {
            return Err(self.error_help(
                span,
                "a unit cannot read a result of its own word",
                "out[1] is the result of the previous word",
            ));
        }
        Ok(Source::Result { of, age: exact(age) })
    }

    /// Expects `.out`; `why` is appended to the error message.
    fn expect_out(&mut self, why: &str) -> Result<(), Reported> {
        self.expect('.')?;
        if self.identifier().is_none_or(|t| t.text != OUT) {
            self.at -= usize::from(self.at > 0);
            return Err(self.expected(&format!("'{OUT}'{why}")));
        }
        Ok(())
    }

    /// Parses an operand that read port 0 provides, in this word or the previous one.
    fn port0_source(&mut self, attribute: bool, span: Span) -> Result<Source, Reported> {
        self.expect('.')?;
        let component = self.component()?;
        if self.is_punct('[') {
            if self.index(1)? == 1 {
                return Ok(Source::Port0Before(component));
            }
            return Err(self.error_help(
                span,
                "only a value that the previous word read can be read here",
                "write [1] for the value that the previous word read",
            ));
        }
        self.set(FieldId::Register0Attribute, u16::from(attribute), span)?;
        Ok(Source::Port0(component))
    }

    fn component(&mut self) -> Result<u8, Reported> {
        let found = self.peek().filter(|t| t.kind == Kind::Identifier).and_then(|t| component(t.text));
        if found.is_none() {
            return Err(self.expected("a component: x, y, z or w"));
        }
        self.at += 1;
        found.ok_or(Reported)
    }

    /// Parses a number in brackets, up to `most`.
    pub(super) fn index(&mut self, most: u64) -> Result<u64, Reported> {
        self.expect('[')?;
        let value = self.number(most)?;
        self.expect(']')?;
        Ok(value)
    }

    /// Returns the unit named `word`, and parses its index in brackets if it has one.
    fn unit(&mut self, word: &crate::text::Token<'t>) -> Result<ResultOf, Reported> {
        let Some(unit) = Unit::from_name(word.text) else {
            let message = format!("there is no operand {}", quote(Some(word)));
            let help = nearest(word.text, operands()).map(|n| format!("did you mean '{n}'?"));
            return Err(self.error_maybe(word.span, message, help));
        };
        let index = if self.is_punct('[') { Some(self.index(1)?) } else { None };
        ResultOf::of_unit(unit, index).ok_or_else(|| {
            let help = "units are acc[0], acc[1], mul[0], mul[1], pass and complex";
            self.error_help(
                word.span,
                format!("the index of unit {} is missing or not allowed", quote(Some(word))),
                help,
            )
        })
    }

    /// Parses the result that is stored to a component; returns the store code.
    pub(super) fn stored(&mut self) -> Result<u16, Reported> {
        let Some(word) = self.identifier() else { return Err(self.expected("a result such as acc[0].out")) };
        let stored = match word.text {
            UNUSED | NOTHING => StoreSource::Nothing,
            // lima_compiler prints the undocumented store code as `unknown_1`, which is also the name of a field.
            UNKNOWN_STORE | MARK => StoreSource::Unknown,
            _ => {
                let of = self.unit(&word)?;
                self.expect_out(": a store writes results of its own word")?;
                StoreSource::Result(of)
            }
        };
        Ok(u16::from(stored.code()))
    }
}

/// Parses an undocumented operand code, written as a prefix and a number.
fn unknown(text: &str) -> Option<Source> {
    let number: u8 = text.strip_prefix(UNKNOWN)?.parse().ok()?;
    let source = Source::Unknown(ALSO_UNUSED.checked_add(number)?);
    source.code().map(|_| source)
}
