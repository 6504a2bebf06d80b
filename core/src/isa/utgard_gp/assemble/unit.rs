//! Parses the operations of units.

use super::super::names::{op_names, op_number};
use super::super::opcode::{Op, Shape, Unit, is_mul1_separate};
use super::super::source::{IDENTITY, ResultOf, Source};
use super::super::vocabulary::MOVE;
use super::super::word::FieldId;
use super::item::Items;
use super::operands::Operand;
use super::{Reported, quote};
use crate::text::{Kind, Span, Token, count, nearest};

/// The names of a move in a unit that has no move operation: the name in this syntax, and the name in other tools.
const MOVES: [&str; 2] = [MOVE, Unit::Pass.name()];

impl<'t> Items<'_, 't, '_> {
    /// Parses `.name` of an operation and returns its number, or `None` for a move.
    fn op(&mut self, unit: Unit, moves: bool) -> Result<(Option<u8>, Token<'t>), Reported> {
        self.expect('.')?;
        let Some(name) = self.identifier() else { return Err(self.expected("an operation")) };
        if moves && MOVES.contains(&name.text) {
            return Ok((None, name));
        }
        match op_number(unit, name.text) {
            Some(number) => Ok((Some(number), name)),
            None => {
                let message = format!("there is no such operation: {}", quote(Some(&name)));
                let known = op_names(unit).chain(moves.then_some(MOVE));
                let help = nearest(name.text, known).map(|n| format!("did you mean '{n}'?"));
                Err(self.error_maybe(name.span, message, help))
            }
        }
    }

    /// Returns the code of an operand in the first or second position.
    fn code(&mut self, operand: &Operand, second: bool) -> Result<u16, Reported> {
        let (source, span) = (operand.source, operand.span);
        if second && matches!(source, Source::Result { of: ResultOf::Complex, .. }) {
            let help = "as a second operand, the code of complex means 1.0 or +0.0; swap the operands, or move the result through another unit first";
            return Err(self.error_help(span, "a complex result cannot be a second operand", help));
        }
        if !second && source == Source::Identity {
            return Err(self.error_help(
                span,
                "only a second operand can be the identity",
                "as a first operand, the code of the identity means complex.out[1]",
            ));
        }
        match source.code() {
            Some(code) => Ok(u16::from(code)),
            None => Err(self.error(span, "a result of the complex unit cannot be read two words later")),
        }
    }

    fn reject_negated(&mut self, operands: &[Operand], help: &str) -> Result<(), Reported> {
        match operands.iter().find(|o| o.negated) {
            Some(o) => Err(self.error_help(o.span, "this operand cannot be negated", help)),
            None => Ok(()),
        }
    }

    fn arity(&mut self, name: &Token<'_>, found: usize, wanted: usize) -> Result<(), Reported> {
        if found == wanted {
            return Ok(());
        }
        let wanted = count(wanted, "operand");
        Err(self.error(name.span, format!("{} takes {wanted}, not {found}", quote(Some(name)))))
    }

    pub(super) fn multiplier(&mut self, second: bool, negated: bool, span: Span) -> Result<(), Reported> {
        use FieldId::{Mul0Neg, Mul0Src0, Mul0Src1, Mul1Neg, Mul1Src0, Mul1Src1};
        let (op, name) = self.op(Unit::Mul, true)?;
        let is = |known: Op| op == Some(known.number());
        if op.is_some() && !is(Op::Mul) && (second || !is(Op::Complex2)) {
            let help = if is(Op::Complex2) {
                "complex2 is an operation of mul[0]"
            } else {
                "write mul.NAME(a, b, c, d)"
            };
            let message = format!("{} is not an operation of one multiplier", quote(Some(&name)));
            return Err(self.error_help(name.span, message, help));
        }
        let operands = self.operands()?;
        self.arity(&name, operands.len(), if op.is_none() { 1 } else { 2 })?;
        // Negation applies to the result, whichever operand has the minus sign.
        let negated = operands.iter().fold(negated, |n, o| n ^ o.negated);
        let [a, b, neg] = if second { [Mul1Src0, Mul1Src1, Mul1Neg] } else { [Mul0Src0, Mul0Src1, Mul0Neg] };
        if second {
            self.draft.mul1 = Some(span);
        } else {
            self.set(FieldId::MulOp, u16::from(op.unwrap_or(Op::Mul.number())), span)?;
        }
        let first = self.code(&operands[0], false)?;
        let other = match operands.get(1) {
            Some(o) => self.code(o, true)?,
            None => u16::from(IDENTITY),
        };
        self.set(a, first, span)?;
        self.set(b, other, span)?;
        self.set(neg, u16::from(negated), span)
    }

    pub(super) fn wide(&mut self, span: Span) -> Result<(), Reported> {
        use FieldId::{Mul0Src0, Mul0Src1, Mul1Src0, Mul1Src1, MulOp};
        let (op, name) = self.op(Unit::Mul, false)?;
        let op = op.unwrap_or(Op::Mul.number());
        if is_mul1_separate(op) {
            let message = format!("{} is an operation of one multiplier", quote(Some(&name)));
            return Err(self.error_help(name.span, message, "write mul[0] or mul[1]"));
        }
        let operands = self.operands()?;
        let select = op == Op::Select.number();
        self.arity(&name, operands.len(), if select { 3 } else { 4 })?;
        self.reject_negated(&operands, "write mul0_neg=1 or mul1_neg=1; their effect here is unknown")?;
        self.set(MulOp, u16::from(op), span)?;
        // Listings print the condition of a select first, although it is the second operand of mul 0.
        let ids: &[(FieldId, bool)] = if select {
            &[(Mul0Src1, true), (Mul0Src0, false), (Mul1Src0, false)]
        } else {
            &[(Mul0Src0, false), (Mul0Src1, true), (Mul1Src0, false), (Mul1Src1, true)]
        };
        for (operand, (id, second)) in operands.iter().zip(ids) {
            let code = self.code(operand, *second)?;
            self.set(*id, code, span)?;
        }
        Ok(())
    }

    pub(super) fn adder(&mut self, second: bool, span: Span) -> Result<(), Reported> {
        use FieldId::{
            Acc0Src0, Acc0Src0Neg, Acc0Src1, Acc0Src1Neg, Acc1Src0, Acc1Src0Neg, Acc1Src1, Acc1Src1Neg, AccOp,
        };
        let (op, name) = self.op(Unit::Acc, true)?;
        let operands = self.operands()?;
        let known = op.and_then(|number| Op::from_number(Unit::Acc, number));
        let unary = op.is_none() || known.is_some_and(|op| op.row().shape == Shape::One);
        // Listings of other tools print the second operand, which floor and sign ignore.
        if !(op.is_some() && unary && operands.len() == 2) {
            self.arity(&name, operands.len(), if unary { 1 } else { 2 })?;
        }
        let [a, neg_a, b, neg_b] = if second {
            [Acc1Src0, Acc1Src0Neg, Acc1Src1, Acc1Src1Neg]
        } else {
            [Acc0Src0, Acc0Src0Neg, Acc0Src1, Acc0Src1Neg]
        };
        self.set(AccOp, u16::from(op.unwrap_or(Op::Add.number())), span)?;
        let first = self.code(&operands[0], false)?;
        self.set(a, first, span)?;
        self.set(neg_a, u16::from(operands[0].negated), span)?;
        let (code, neg) = match operands.get(1) {
            Some(o) => (self.code(o, true)?, o.negated),
            // A move adds the negated identity, which preserves the sign of zero.
            None if op.is_none() => (u16::from(IDENTITY), true),
            None => return Ok(()),
        };
        self.set(b, code, span)?;
        self.set(neg_b, u16::from(neg), span)
    }

    /// Parses an operation of the complex or pass unit.
    pub(super) fn single(
        &mut self,
        unit: Unit,
        op_field: FieldId,
        src: FieldId,
        span: Span,
    ) -> Result<(), Reported> {
        let (op, name) = self.op(unit, false)?;
        let row = op.and_then(|number| Op::from_number(unit, number)).map(Op::row);
        let empty = self.tokens.get(self.at + 1).is_some_and(|token| token.kind == Kind::Punct(')'));
        if empty && row.is_some_and(|row| row.shape == Shape::FromPass) {
            self.expect('(')?;
            self.expect(')')?;
            return self.set(op_field, u16::from(op.unwrap_or(0)), span);
        }
        let operands = self.operands()?;
        self.arity(&name, operands.len(), 1)?;
        self.reject_negated(&operands, "only acc negates operands")?;
        let code = self.code(&operands[0], false)?;
        self.set(op_field, u16::from(op.unwrap_or(0)), span)?;
        self.set(src, code, span)
    }
}
