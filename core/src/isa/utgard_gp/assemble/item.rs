//! Items of a statement: each sets some fields of its word.

use super::super::opcode::is_mul1_separate;
use super::super::program::{Load, Word};
use super::super::vocabulary::{ADDRESS, BRANCH, LOAD, MARK, NOP, Port, STORE, StoreKind, Unit};
use super::super::word::FieldId;
use super::draft::Draft;
use super::{Reported, quote};
use crate::binary::{FieldKind, exact};
use crate::text::{Diagnostic, Kind, Span, Token, nearest};

/// The tokens of a statement and the parser's state.
pub(super) struct Items<'a, 't, 'e> {
    pub(super) tokens: &'a [Token<'t>],
    pub(super) at: usize,
    pub(super) end: Span,
    pub(super) draft: &'a mut Draft<'t>,
    pub(super) errors: &'e mut Vec<Diagnostic>,
}

/// The names with which an item can begin, for suggestions.
fn items() -> impl Iterator<Item = &'static str> {
    let ports = Port::ALL.into_iter().map(Port::name);
    ports.chain(Unit::PRINTED).chain([NOP, STORE, BRANCH, MARK])
}

impl<'t> Items<'_, 't, '_> {
    pub(super) fn peek(&self) -> Option<&Token<'t>> {
        self.tokens.get(self.at)
    }

    pub(super) fn next_span(&self) -> Span {
        self.peek().map_or(self.end, |t| t.span)
    }

    pub(super) fn is_punct(&self, punct: char) -> bool {
        self.peek().is_some_and(|t| t.kind == Kind::Punct(punct))
    }

    /// Skips the given punctuation character if it is the next token. Returns whether it was.
    pub(super) fn skip_punct(&mut self, punct: char) -> bool {
        let there = self.is_punct(punct);
        self.at += usize::from(there);
        there
    }

    pub(super) fn identifier(&mut self) -> Option<Token<'t>> {
        let token = *self.peek().filter(|t| t.kind == Kind::Identifier)?;
        self.at += 1;
        Some(token)
    }

    pub(super) fn error(&mut self, span: Span, message: impl Into<String>) -> Reported {
        self.error_maybe(span, message, None)
    }

    pub(super) fn error_help(
        &mut self,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Reported {
        self.error_maybe(span, message, Some(help.into()))
    }

    pub(super) fn error_maybe(
        &mut self,
        span: Span,
        message: impl Into<String>,
        help: Option<String>,
    ) -> Reported {
        self.errors.push(Diagnostic { span, message: message.into(), help });
        Reported
    }

    pub(super) fn expected(&mut self, wanted: &str) -> Reported {
        let message = format!("expected {wanted}, found {}", quote(self.peek()));
        self.error(self.next_span(), message)
    }

    pub(super) fn expect(&mut self, punct: char) -> Result<(), Reported> {
        if self.skip_punct(punct) { Ok(()) } else { Err(self.expected(&format!("'{punct}'"))) }
    }

    pub(super) fn number(&mut self, most: u64) -> Result<u64, Reported> {
        match self.peek().and_then(Token::integer).filter(|v| *v <= most) {
            Some(value) => {
                self.at += 1;
                Ok(value)
            }
            None => Err(self.expected(&format!("a number from 0 to {most}"))),
        }
    }

    /// Sets a field; reports an error if it was already set to another value.
    pub(super) fn set(&mut self, id: FieldId, value: u16, span: Span) -> Result<(), Reported> {
        let Err(old) = self.draft.set(id, value, span) else { return Ok(()) };
        let name = id.field().name;
        let value_name = |value: u16| match id.field().kind {
            FieldKind::Choice(names) => names.iter().find(|(v, _)| *v == u64::from(value)).map(|(_, n)| *n),
            _ => None,
        };
        let shown =
            |value: u16| value_name(value).map_or_else(|| value.to_string(), |n| format!("{value} ({n})"));
        let help = match id {
            FieldId::AccOp => "both adders of a word execute the same operation",
            FieldId::MulOp => "both multipliers share one operation; only complex2 lets mul[1] multiply",
            FieldId::Register0Attribute | FieldId::Register0Addr => {
                "read port 0 reads one register or one attribute per word"
            }
            FieldId::Register1Addr => "read port 1 reads one register per word",
            FieldId::LoadAddr | FieldId::LoadOffset => "a word can load only one uniform or temporary",
            _ => "a field can have only one value",
        };
        let message = format!("{name} would have to be {}, but is already {}", shown(value), shown(old));
        Err(self.error_help(span, message, help))
    }

    /// Reads all items. After an error in one item, reading continues with the next.
    pub(super) fn read(&mut self) {
        if let [only] = self.tokens
            && only.text == NOP
        {
            return;
        }
        loop {
            let start = self.at;
            if self.item().is_err() {
                // Restart at the beginning of the item, so that commas inside it are recognised.
                self.at = start;
            } else if self.at < self.tokens.len() && !self.is_punct(',') {
                self.expected("',' or ';'");
            }
            self.skip_to_comma();
            if self.at >= self.tokens.len() {
                break;
            }
        }
        let mul_op = self.draft.get(FieldId::MulOp);
        if let Some(span) = self.draft.mul1.filter(|_| !u8::try_from(mul_op).is_ok_and(is_mul1_separate)) {
            self.error_help(
                span,
                "mul[1] cannot multiply in the word of a wide operation",
                "both multipliers share one operation; only complex2 lets mul[1] multiply",
            );
        }
        if let Some(label) = self.draft.label
            && (self.draft.is_set(FieldId::BranchTarget) || self.draft.is_set(FieldId::BranchTargetLo))
        {
            self.error(label.span, "the target of the branch is given twice");
        }
    }

    /// Skips past the next comma outside parentheses.
    fn skip_to_comma(&mut self) {
        let mut depth = 0usize;
        while let Some(token) = self.peek() {
            let kind = token.kind;
            self.at += 1;
            match kind {
                Kind::Punct('(') => depth += 1,
                Kind::Punct(')') => depth = depth.saturating_sub(1),
                Kind::Punct(',') if depth == 0 => {
                    if self.at == self.tokens.len() {
                        self.expected("an item after ','");
                    }
                    return;
                }
                _ => {}
            }
        }
    }

    fn item(&mut self) -> Result<(), Reported> {
        let span = self.next_span();
        let negated = self.skip_punct('-');
        let Some(word) = self.identifier() else { return Err(self.expected("an item")) };
        if negated && word.text != Unit::Mul.name() {
            return Err(self.error_help(
                span,
                "only a multiplier's result can be negated",
                "negate the operands of acc instead",
            ));
        }
        if self.is_punct('=') {
            return self.field(&word);
        }
        if let Some(port) = Port::from_name(word.text) {
            return self.port(port, span);
        }
        if let Some(unit) = Unit::from_name(word.text) {
            return self.compute(unit, negated, span);
        }
        match word.text {
            STORE => {
                let index = self.index(1)?;
                self.store(index == 1, span)
            }
            BRANCH => self.branch(span),
            MARK => {
                self.expect('(')?;
                let value = self.field_number(FieldId::Unknown1)?;
                self.expect(')')?;
                self.set(FieldId::Unknown1, value, span)
            }
            NOP => Err(self.error(span, "'nop' must be the only item of its word")),
            text => {
                let message = format!("there is no item {}", quote(Some(&word)));
                let fields = FieldId::ALL.iter().map(|id| id.field().name);
                let help = nearest(text, items().chain(fields)).map(|n| format!("did you mean '{n}'?"));
                Err(self.error_maybe(word.span, message, help))
            }
        }
    }

    /// Parses a port's load, after the port's name.
    fn port(&mut self, port: Port, span: Span) -> Result<(), Reported> {
        match port {
            Port::Load => self.load(span),
            Port::Attribute => self.port0(true, span),
            Port::Register if self.index(1)? == 0 => self.port0(false, span),
            Port::Register => {
                self.load_of_port()?;
                let register = self.field_number(FieldId::Register1Addr)?;
                self.expect(')')?;
                self.set(FieldId::Register1Addr, register, span)
            }
        }
    }

    /// Parses a unit's operation, after the unit's name.
    fn compute(&mut self, unit: Unit, negated: bool, span: Span) -> Result<(), Reported> {
        match unit {
            Unit::Mul if self.is_punct('[') => {
                let index = self.index(1)?;
                self.multiplier(index == 1, negated, span)
            }
            Unit::Mul if negated => Err(self.error_help(
                span,
                "the result of a wide operation cannot be negated here",
                "write mul0_neg=1",
            )),
            Unit::Mul => self.wide(span),
            Unit::Acc => {
                let index = self.index(1)?;
                self.adder(index == 1, span)
            }
            Unit::Complex => self.single(unit, FieldId::ComplexOp, FieldId::ComplexSrc, span),
            Unit::Pass => self.single(unit, FieldId::PassOp, FieldId::PassSrc, span),
        }
    }

    /// Parses a number that fits the field.
    fn field_number(&mut self, id: FieldId) -> Result<u16, Reported> {
        self.number(id.field().max_u64()).map(exact::<u16, _>)
    }

    /// Parses `=value` after a field's name, and sets the field.
    fn field(&mut self, word: &Token<'t>) -> Result<(), Reported> {
        let Some(id) = FieldId::from_name(word.text) else {
            let help = nearest(word.text, FieldId::ALL.iter().map(|id| id.field().name));
            let message = format!("there is no field {}", quote(Some(word)));
            return Err(self.error_maybe(word.span, message, help.map(|n| format!("did you mean '{n}'?"))));
        };
        self.at += 1;
        let value = self.field_number(id)?;
        self.set(id, value, word.span)
    }

    /// Parses `.load(`.
    fn load_of_port(&mut self) -> Result<(), Reported> {
        self.expect('.')?;
        match self.identifier() {
            Some(t) if t.text == LOAD => self.expect('('),
            Some(t) => Err(self.error(t.span, format!("expected '{LOAD}', found {}", quote(Some(&t))))),
            None => Err(self.expected("'load'")),
        }
    }

    fn load(&mut self, span: Span) -> Result<(), Reported> {
        self.load_of_port()?;
        let slot = self.field_number(FieldId::LoadAddr)?;
        let mut offset = u16::from(Load::NO_OFFSET);
        if self.skip_punct(',') {
            match self.identifier() {
                Some(t) if t.text == ADDRESS => {
                    offset = exact::<u16, _>(self.index(FieldId::LoadOffset.field().max_u64())?);
                }
                _ => return Err(self.expected("an address register such as addr[1]")),
            }
        }
        self.expect(')')?;
        self.set(FieldId::LoadAddr, slot, span)?;
        self.set(FieldId::LoadOffset, offset, span)
    }

    fn port0(&mut self, attribute: bool, span: Span) -> Result<(), Reported> {
        self.load_of_port()?;
        let register = self.field_number(FieldId::Register0Addr)?;
        self.expect(')')?;
        self.set(FieldId::Register0Addr, register, span)?;
        self.set(FieldId::Register0Attribute, u16::from(attribute), span)
    }

    fn store(&mut self, is_store1: bool, span: Span) -> Result<(), Reported> {
        use FieldId::{
            Store0Addr, Store0SrcX, Store0SrcY, Store0Temporary, Store0Varying, Store1Addr, Store1SrcW,
            Store1SrcZ, Store1Temporary, Store1Varying,
        };
        self.expect('.')?;
        let kind = self.identifier();
        let Some(stores) = kind.and_then(|t| StoreKind::from_name(t.text)) else {
            self.at -= usize::from(kind.is_some());
            return Err(self.expected("'register', 'varying' or 'temporary'"));
        };
        let [varying, temporary] =
            [StoreKind::Varying, StoreKind::Temporary].map(|other| u16::from(stores == other));
        self.expect('(')?;
        // A temporary is addressed by address register 0; other listings still print the address field.
        let address = if temporary == 0 || self.peek().is_some_and(|t| t.kind == Kind::Number) {
            let address = self.field_number(Store0Addr)?;
            self.expect(',')?;
            Some(address)
        } else {
            None
        };
        let first = self.stored()?;
        self.expect(',')?;
        let other = self.stored()?;
        self.expect(')')?;
        let [a, b, to, is_varying, is_temporary] = if is_store1 {
            [Store1SrcZ, Store1SrcW, Store1Addr, Store1Varying, Store1Temporary]
        } else {
            [Store0SrcX, Store0SrcY, Store0Addr, Store0Varying, Store0Temporary]
        };
        self.set(a, first, span)?;
        self.set(b, other, span)?;
        self.set(is_temporary, temporary, span)?;
        if temporary == 0 {
            self.set(is_varying, varying, span)?;
        }
        if let Some(address) = address {
            self.set(to, address, span)?;
        }
        Ok(())
    }

    fn branch(&mut self, span: Span) -> Result<(), Reported> {
        self.expect('(')?;
        self.set(FieldId::Branch, 1, span)?;
        if let Some(label) = self.identifier() {
            if self.draft.label.replace(label).is_some() {
                return Err(self.error(label.span, "the target of the branch is given twice"));
            }
        } else {
            let target = self.number(511)?;
            let mut word = Word::default();
            if word.set_target(exact::<u32, _>(target)).is_none() {
                return Err(self.error(span, "a branch can only reach words 0 to 511"));
            }
            for id in [FieldId::BranchTarget, FieldId::BranchTargetLo] {
                self.set(id, word.field(id), span)?;
            }
        }
        self.expect(')')
    }
}
