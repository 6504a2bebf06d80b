//! Items of a statement: each sets some fields of its word.

use super::super::layout::FieldId;
use super::super::names::{op_names, op_number};
use super::super::opcode::Unit;
use super::super::source::{IDENTITY, ResultOf, Source};
use super::draft::Draft;
use super::operand::Operand;
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

    /// The name of an operation after a point, and its number. A move is told as `None`.
    fn op(&mut self, unit: Unit, moves: bool) -> Result<(Option<u8>, Token<'t>), Noted> {
        self.expect('.')?;
        let Some(name) = self.identifier() else { return Err(self.expected("an operation")) };
        if moves && matches!(name.text, "mov" | "pass") {
            return Ok((None, name));
        }
        match op_number(unit, name.text) {
            Some(number) => Ok((Some(number), name)),
            None => {
                let message = format!("there is no such operation: {}", quote(Some(&name)));
                let known = op_names(unit).chain(moves.then_some("mov"));
                let help = nearest(name.text, known).map(|n| format!("did you mean '{n}'?"));
                Err(self.error_maybe(name.place, message, help))
            }
        }
    }

    /// The code of an operand in its place.
    fn code(&mut self, operand: &Operand, second: bool) -> Result<u16, Noted> {
        let (source, place) = (operand.source, operand.place);
        if second && matches!(source, Source::Result { of: ResultOf::Complex, .. }) {
            let help =
                "there its code means 1.0 or +0.0; swap the operands, or move it through another unit first";
            return Err(self.error_help(place, "a complex result cannot be a second operand", help));
        }
        if !second && source == Source::Identity {
            return Err(self.error_help(
                place,
                "only a second operand can be the identity",
                "as first operand its code means complex.out[1]",
            ));
        }
        match source.code() {
            Some(code) => Ok(u16::from(code)),
            None => Err(self.error(place, "the complex unit has no result two words old")),
        }
    }

    fn unsigned(&mut self, operands: &[Operand], help: &str) -> Result<(), Noted> {
        match operands.iter().find(|o| o.negated) {
            Some(o) => Err(self.error_help(o.place, "this operand cannot be negated", help)),
            None => Ok(()),
        }
    }

    fn arity(&mut self, name: &Token<'_>, found: usize, wanted: usize) -> Result<(), Noted> {
        if found == wanted {
            return Ok(());
        }
        let s = if wanted == 1 { "" } else { "s" };
        Err(self.error(name.place, format!("{} takes {wanted} operand{s}, not {found}", quote(Some(name)))))
    }

    fn multiplier(&mut self, second: bool, negated: bool, place: Place) -> Result<(), Noted> {
        use FieldId::{Mul0Neg, Mul0Src0, Mul0Src1, Mul1Neg, Mul1Src0, Mul1Src1};
        let (op, name) = self.op(Unit::Mul, true)?;
        if !matches!(op, None | Some(0)) && (second || op != Some(3)) {
            let help = if op == Some(3) {
                "complex2 is an operation of mul[0]"
            } else {
                "write mul.NAME(a, b, c, d)"
            };
            let message = format!("{} is no operation of one multiplier", quote(Some(&name)));
            return Err(self.error_help(name.place, message, help));
        }
        let operands = self.operands()?;
        self.arity(&name, operands.len(), if op.is_none() { 1 } else { 2 })?;
        // The sign is the result's, wherever it stands.
        let negated = operands.iter().fold(negated, |n, o| n ^ o.negated);
        let [a, b, neg] = if second { [Mul1Src0, Mul1Src1, Mul1Neg] } else { [Mul0Src0, Mul0Src1, Mul0Neg] };
        if second {
            self.draft.mul1 = Some(place);
        } else {
            self.set(FieldId::MulOp, u16::from(op.unwrap_or(0)), place)?;
        }
        let first = self.code(&operands[0], false)?;
        let other = match operands.get(1) {
            Some(o) => self.code(o, true)?,
            None => u16::from(IDENTITY),
        };
        self.set(a, first, place)?;
        self.set(b, other, place)?;
        self.set(neg, u16::from(negated), place)
    }

    fn wide(&mut self, place: Place) -> Result<(), Noted> {
        use FieldId::{Mul0Src0, Mul0Src1, Mul1Src0, Mul1Src1, MulOp};
        let (op, name) = self.op(Unit::Mul, false)?;
        let op = op.unwrap_or(0);
        if matches!(op, 0 | 3) {
            let message = format!("{} is an operation of one multiplier", quote(Some(&name)));
            return Err(self.error_help(name.place, message, "write mul[0] or mul[1]"));
        }
        let operands = self.operands()?;
        let select = op == 4;
        self.arity(&name, operands.len(), if select { 3 } else { 4 })?;
        self.unsigned(&operands, "write mul0_neg=1 or mul1_neg=1; what they do here is not known")?;
        self.set(MulOp, u16::from(op), place)?;
        // The listings of select begin with the condition, which is the second operand of mul 0.
        let ids: &[(FieldId, bool)] = if select {
            &[(Mul0Src1, true), (Mul0Src0, false), (Mul1Src0, false)]
        } else {
            &[(Mul0Src0, false), (Mul0Src1, true), (Mul1Src0, false), (Mul1Src1, true)]
        };
        for (operand, (id, second)) in operands.iter().zip(ids) {
            let code = self.code(operand, *second)?;
            self.set(*id, code, place)?;
        }
        Ok(())
    }

    fn adder(&mut self, second: bool, place: Place) -> Result<(), Noted> {
        use FieldId::{
            Acc0Src0, Acc0Src0Neg, Acc0Src1, Acc0Src1Neg, Acc1Src0, Acc1Src0Neg, Acc1Src1, Acc1Src1Neg, AccOp,
        };
        let (op, name) = self.op(Unit::Acc, true)?;
        let operands = self.operands()?;
        let unary = matches!(op, None | Some(1 | 2));
        // Other listings print the operand that floor and sign ignore.
        if !(op.is_some() && unary && operands.len() == 2) {
            self.arity(&name, operands.len(), if unary { 1 } else { 2 })?;
        }
        let [a, neg_a, b, neg_b] = if second {
            [Acc1Src0, Acc1Src0Neg, Acc1Src1, Acc1Src1Neg]
        } else {
            [Acc0Src0, Acc0Src0Neg, Acc0Src1, Acc0Src1Neg]
        };
        self.set(AccOp, u16::from(op.unwrap_or(0)), place)?;
        let first = self.code(&operands[0], false)?;
        self.set(a, first, place)?;
        self.set(neg_a, u16::from(operands[0].negated), place)?;
        let (code, neg) = match operands.get(1) {
            Some(o) => (self.code(o, true)?, o.negated),
            // A move adds the negative identity, which keeps the sign of zero.
            None if op.is_none() => (u16::from(IDENTITY), true),
            None => return Ok(()),
        };
        self.set(b, code, place)?;
        self.set(neg_b, u16::from(neg), place)
    }

    /// The complex or the pass unit.
    fn single(&mut self, unit: Unit, op_field: FieldId, src: FieldId, place: Place) -> Result<(), Noted> {
        let (op, name) = self.op(unit, false)?;
        let operands = self.operands()?;
        self.arity(&name, operands.len(), 1)?;
        self.unsigned(&operands, "only acc negates operands")?;
        let code = self.code(&operands[0], false)?;
        self.set(op_field, u16::from(op.unwrap_or(0)), place)?;
        self.set(src, code, place)
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
