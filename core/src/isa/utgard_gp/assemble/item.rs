//! Items of a statement: each sets some fields of its word.

use super::super::opcode::Unit;
use super::super::word::FieldId;
use super::draft::Draft;
use super::{Noted, quote};
use crate::binary::Use;
use crate::text::{Diagnostic, Kind, Place, Token, nearest};

/// The tokens of a statement and what goes with them.
pub(super) struct Items<'a, 't, 'e> {
    pub(super) tokens: &'a [Token<'t>],
    pub(super) at: usize,
    pub(super) end: Place,
    pub(super) draft: &'a mut Draft<'t>,
    pub(super) errors: &'e mut Vec<Diagnostic>,
}

/// What items begin with, for suggestions.
const ITEMS: [&str; 12] = [
    "nop",
    "uniform",
    "temporary",
    "attribute",
    "register",
    "mul",
    "acc",
    "complex",
    "pass",
    "store",
    "branch",
    "unknown_1",
];

impl<'t> Items<'_, 't, '_> {
    pub(super) fn peek(&self) -> Option<&Token<'t>> {
        self.tokens.get(self.at)
    }

    pub(super) fn place(&self) -> Place {
        self.peek().map_or(self.end, |t| t.place)
    }

    pub(super) fn is_sign(&self, sign: char) -> bool {
        self.peek().is_some_and(|t| t.kind == Kind::Sign(sign))
    }

    /// Passes a sign if it is there.
    pub(super) fn sign(&mut self, sign: char) -> bool {
        let there = self.is_sign(sign);
        self.at += usize::from(there);
        there
    }

    pub(super) fn identifier(&mut self) -> Option<Token<'t>> {
        let token = *self.peek().filter(|t| t.kind == Kind::Identifier)?;
        self.at += 1;
        Some(token)
    }

    pub(super) fn error(&mut self, place: Place, message: impl Into<String>) -> Noted {
        self.error_maybe(place, message, None)
    }

    pub(super) fn error_help(
        &mut self,
        place: Place,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Noted {
        self.error_maybe(place, message, Some(help.into()))
    }

    pub(super) fn error_maybe(
        &mut self,
        place: Place,
        message: impl Into<String>,
        help: Option<String>,
    ) -> Noted {
        self.errors.push(Diagnostic { place, message: message.into(), help });
        Noted
    }

    pub(super) fn expected(&mut self, what: &str) -> Noted {
        let message = format!("expected {what}, found {}", quote(self.peek()));
        self.error(self.place(), message)
    }

    pub(super) fn expect(&mut self, sign: char) -> Result<(), Noted> {
        if self.sign(sign) { Ok(()) } else { Err(self.expected(&format!("'{sign}'"))) }
    }

    pub(super) fn number(&mut self, most: u64) -> Result<u64, Noted> {
        match self.peek().and_then(Token::integer).filter(|v| *v <= most) {
            Some(value) => {
                self.at += 1;
                Ok(value)
            }
            None => Err(self.expected(&format!("a number from 0 to {most}"))),
        }
    }

    /// Sets a field; that it was set otherwise before is noted.
    pub(super) fn set(&mut self, id: FieldId, value: u16, place: Place) -> Result<(), Noted> {
        let Err(old) = self.draft.set(id, value, place) else { return Ok(()) };
        let name = id.field().name;
        let value_name = |value: u16| match id.field().holds {
            Use::Choice(names) => names.iter().find(|(v, _)| *v == u64::from(value)).map(|(_, n)| *n),
            _ => None,
        };
        let shown =
            |value: u16| value_name(value).map_or_else(|| value.to_string(), |n| format!("{value} ({n})"));
        let help = match id {
            FieldId::AccOp => "both adders have one operation",
            FieldId::MulOp => "both multipliers have one operation; only complex2 lets mul[1] multiply",
            FieldId::Register0Attribute | FieldId::Register0Addr => {
                "read port 0 reads one register or one attribute a word"
            }
            FieldId::Register1Addr => "read port 1 reads one register a word",
            FieldId::LoadAddr | FieldId::LoadOffset => "one uniform or temporary is loaded a word",
            _ => "a field has one value",
        };
        let message = format!("{name} would be {}, but is already {}", shown(value), shown(old));
        Err(self.error_help(place, message, help))
    }

    /// Reads all items; what is wrong with one does not keep the next from being read.
    pub(super) fn read(&mut self) {
        if let [only] = self.tokens
            && only.text == "nop"
        {
            return;
        }
        loop {
            let start = self.at;
            if self.item().is_err() {
                // From its beginning, to know which commas are its own.
                self.at = start;
            } else if self.at < self.tokens.len() && !self.is_sign(',') {
                self.expected("',' or ';'");
            }
            self.skip_to_comma();
            if self.at >= self.tokens.len() {
                break;
            }
        }
        let mul_op = self.draft.get(FieldId::MulOp);
        if let Some(place) = self.draft.mul1.filter(|_| !matches!(mul_op, 0 | 3)) {
            self.error_help(
                place,
                "mul[1] cannot multiply beside a wide operation",
                "both multipliers have one operation; only complex2 lets mul[1] multiply",
            );
        }
        if let Some(label) = self.draft.label
            && (self.draft.is_set(FieldId::BranchTarget) || self.draft.is_set(FieldId::BranchTargetLo))
        {
            self.error(label.place, "the target is given twice");
        }
    }

    /// Past the next comma that is not between parentheses.
    fn skip_to_comma(&mut self) {
        let mut depth = 0usize;
        while let Some(token) = self.peek() {
            let kind = token.kind;
            self.at += 1;
            match kind {
                Kind::Sign('(') => depth += 1,
                Kind::Sign(')') => depth = depth.saturating_sub(1),
                Kind::Sign(',') if depth == 0 => {
                    if self.at == self.tokens.len() {
                        self.expected("an item after ','");
                    }
                    return;
                }
                _ => {}
            }
        }
    }

    fn item(&mut self) -> Result<(), Noted> {
        let place = self.place();
        let negated = self.sign('-');
        let Some(word) = self.identifier() else { return Err(self.expected("an item")) };
        if negated && word.text != "mul" {
            return Err(self.error_help(
                place,
                "only a multiplier's result can be negated",
                "negate operands of acc",
            ));
        }
        if self.is_sign('=') {
            return self.field(&word);
        }
        match word.text {
            "uniform" | "temporary" => self.load(place),
            "attribute" => self.port0(true, place),
            "register" => match self.index(1)? {
                0 => self.port0(false, place),
                _ => {
                    self.load_of_port()?;
                    let register = self.number(15)? as u16;
                    self.expect(')')?;
                    self.set(FieldId::Register1Addr, register, place)
                }
            },
            "mul" if self.is_sign('[') => {
                let index = self.index(1)?;
                self.multiplier(index == 1, negated, place)
            }
            "mul" if negated => {
                Err(self.error_help(place, "a wide operation has no sign here", "write mul0_neg=1"))
            }
            "mul" => self.wide(place),
            "acc" => {
                let index = self.index(1)?;
                self.adder(index == 1, place)
            }
            "complex" => self.single(Unit::Complex, FieldId::ComplexOp, FieldId::ComplexSrc, place),
            "pass" => self.single(Unit::Pass, FieldId::PassOp, FieldId::PassSrc, place),
            "store" => {
                let index = self.index(1)?;
                self.store(index == 1, place)
            }
            "branch" => self.branch(place),
            "unknown_1" => {
                self.expect('(')?;
                let value = self.number(15)? as u16;
                self.expect(')')?;
                self.set(FieldId::Unknown1, value, place)
            }
            "nop" => Err(self.error(place, "'nop' stands alone")),
            text => {
                let message = format!("there is no item {}", quote(Some(&word)));
                let fields = FieldId::ALL.iter().map(|id| id.field().name);
                let help =
                    nearest(text, ITEMS.into_iter().chain(fields)).map(|n| format!("did you mean '{n}'?"));
                Err(self.error_maybe(word.place, message, help))
            }
        }
    }

    /// `field=value`, after the name.
    fn field(&mut self, word: &Token<'t>) -> Result<(), Noted> {
        let Some(id) = FieldId::from_name(word.text) else {
            let help = nearest(word.text, FieldId::ALL.iter().map(|id| id.field().name));
            let message = format!("there is no field {}", quote(Some(word)));
            return Err(self.error_maybe(word.place, message, help.map(|n| format!("did you mean '{n}'?"))));
        };
        self.at += 1;
        let value = self.number(id.field().max() as u64)? as u16;
        self.set(id, value, word.place)
    }

    /// `.load(`
    fn load_of_port(&mut self) -> Result<(), Noted> {
        self.expect('.')?;
        match self.identifier() {
            Some(t) if t.text == "load" => self.expect('('),
            Some(t) => Err(self.error(t.place, format!("expected 'load', found {}", quote(Some(&t))))),
            None => Err(self.expected("'load'")),
        }
    }

    fn load(&mut self, place: Place) -> Result<(), Noted> {
        self.load_of_port()?;
        let slot = self.number(511)? as u16;
        let mut offset = 7;
        if self.sign(',') {
            match self.identifier() {
                Some(t) if t.text == "addr" => offset = self.index(7)? as u16,
                _ => return Err(self.expected("an address register such as addr[1]")),
            }
        }
        self.expect(')')?;
        self.set(FieldId::LoadAddr, slot, place)?;
        self.set(FieldId::LoadOffset, offset, place)
    }

    fn port0(&mut self, attribute: bool, place: Place) -> Result<(), Noted> {
        self.load_of_port()?;
        let register = self.number(15)? as u16;
        self.expect(')')?;
        self.set(FieldId::Register0Addr, register, place)?;
        self.set(FieldId::Register0Attribute, u16::from(attribute), place)
    }

    fn store(&mut self, second: bool, place: Place) -> Result<(), Noted> {
        use FieldId::{
            Store0Addr, Store0SrcX, Store0SrcY, Store0Temporary, Store0Varying, Store1Addr, Store1SrcW,
            Store1SrcZ, Store1Temporary, Store1Varying,
        };
        self.expect('.')?;
        let kind = self.identifier();
        let (varying, temporary) = match kind.map(|t| t.text) {
            Some("register") => (0, 0),
            Some("varying") => (1, 0),
            Some("temporary") => (0, 1),
            _ => {
                self.at -= usize::from(kind.is_some());
                return Err(self.expected("'register', 'varying' or 'temporary'"));
            }
        };
        self.expect('(')?;
        // A temporary's place is in address register 0; other listings print the address field all the same.
        let address = if temporary == 0 || self.peek().is_some_and(|t| t.kind == Kind::Number) {
            let address = self.number(15)? as u16;
            self.expect(',')?;
            Some(address)
        } else {
            None
        };
        let first = self.stored()?;
        self.expect(',')?;
        let other = self.stored()?;
        self.expect(')')?;
        let [a, b, to, is_varying, is_temporary] = if second {
            [Store1SrcZ, Store1SrcW, Store1Addr, Store1Varying, Store1Temporary]
        } else {
            [Store0SrcX, Store0SrcY, Store0Addr, Store0Varying, Store0Temporary]
        };
        self.set(a, first, place)?;
        self.set(b, other, place)?;
        self.set(is_temporary, temporary, place)?;
        if temporary == 0 {
            self.set(is_varying, varying, place)?;
        }
        if let Some(address) = address {
            self.set(to, address, place)?;
        }
        Ok(())
    }

    fn branch(&mut self, place: Place) -> Result<(), Noted> {
        self.expect('(')?;
        self.set(FieldId::Branch, 1, place)?;
        if let Some(label) = self.identifier() {
            if self.draft.label.replace(label).is_some() {
                return Err(self.error(label.place, "the target is given twice"));
            }
        } else {
            let target = self.number(511)? as u16;
            self.set(FieldId::BranchTarget, target & 0xff, place)?;
            self.set(FieldId::BranchTargetLo, u16::from(target < 0x100), place)?;
        }
        self.expect(')')
    }
}
