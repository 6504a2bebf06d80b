//! ALU slots: parses the lines of the vector and scalar halves, and builds the slot from them.

use super::super::names::{
    ABS_CONST, ADDR_A0, CLAMP, CONST0_REL, CONST1_REL, FILL, OP, PRED_COND, SCALAR_ALIASES, SDEST, SRC2, ZERO,
};
use super::super::opcode::{SCALAR_TABLE, ScalarOp, ScalarShape, VECTOR_TABLE, VectorOp};
use super::super::program::{Alu, Source};
use super::line::{Line, Reported};
use super::operands::{Address, Dest, Operand, predicated};
use crate::binary::exact;
use crate::text::{self, Diagnostic, Span, Token};

/// A parsed vector half with its attributes, and the scalar half of the same slot.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools)] // bits of the slot
pub(super) struct Vector {
    span: Span,
    op: u8,
    predicate: Option<bool>,
    dest: Dest,
    operands: Vec<Operand>,
    clamp: bool,
    zero: bool,
    abs_const: bool,
    addr_a0: bool,
    const_rel: [bool; 2],
    pred_cond: bool,
    src2: Option<Operand>,
    fill: Option<Scalar>,
    /// The scalar half from the line below the vector half, if there is one.
    pub(super) scalar: Option<Scalar>,
}

/// A parsed scalar half, from a line of its own or from FILL.
#[derive(Debug)]
pub(super) struct Scalar {
    span: Span,
    op: u8,
    dest: Option<Dest>,
    operands: Vec<Operand>,
    clamp: bool,
    sdest: Option<u8>,
}

/// Looks up a scalar operation by mnemonic or alias.
pub(super) fn scalar_op(name: &str) -> Option<ScalarOp> {
    let alias = SCALAR_ALIASES.iter().find(|(alias, _)| *alias == name);
    alias.map_or_else(|| ScalarOp::from_mnemonic(name), |(_, op)| Some(*op))
}

impl<'t> Line<'t, '_> {
    /// Parses the `(number)` after `OP`: the opcode of an operation without a name.
    fn operation(&mut self, max: u64) -> Result<u8, Reported> {
        self.expect('(')?;
        let number = self.number("an operation", max)?;
        self.expect(')')?;
        Ok(exact(number))
    }

    /// Parses a vector half, starting at its mnemonic.
    pub(super) fn vector(&mut self) -> Result<Vector, Reported> {
        let Some(word) = self.identifier() else { return Err(self.expected("a vector operation")) };
        let is_name = |name: &str| name == OP || VectorOp::from_mnemonic(name).is_some();
        let Some((name, predicate)) = predicated(&word, is_name) else {
            if scalar_op(word.text).is_some() {
                let help = "write the vector half first, for example MAXv R0.____ = R0, R0";
                let message = format!("'{}' is a scalar operation", word.text);
                return Err(self.error_help(word.span, message, help));
            }
            return Err(self.unknown(&word, "vector operation", VECTOR_TABLE.iter().map(|row| row.mnemonic)));
        };
        let op = match VectorOp::from_mnemonic(name) {
            Some(op) => op as u8,
            None => self.operation(31)?,
        };
        let dest = self.dest()?;
        self.expect('=')?;
        let mut operands = vec![self.operand()?];
        while self.take_punct(',') {
            operands.push(self.operand()?);
        }
        let mut vector = Vector {
            span: word.span,
            op,
            predicate,
            dest,
            operands,
            clamp: false,
            zero: false,
            abs_const: false,
            addr_a0: false,
            const_rel: [false; 2],
            pred_cond: false,
            src2: None,
            fill: None,
            scalar: None,
        };
        while let Some(flag) = self.peek() {
            self.at += 1;
            match flag.text {
                CLAMP => vector.clamp = true,
                ZERO => vector.zero = true,
                ABS_CONST => vector.abs_const = true,
                ADDR_A0 => vector.addr_a0 = true,
                CONST0_REL => vector.const_rel[0] = true,
                CONST1_REL => vector.const_rel[1] = true,
                PRED_COND => vector.pred_cond = true,
                SRC2 => {
                    self.expect('(')?;
                    vector.src2 = Some(self.operand()?);
                    self.expect(')')?;
                }
                FILL => vector.fill = Some(self.fill()?),
                _ => {
                    let names =
                        [CLAMP, ZERO, ABS_CONST, ADDR_A0, CONST0_REL, CONST1_REL, PRED_COND, SRC2, FILL];
                    return Err(self.unknown(flag, "attribute of an ALU slot", names));
                }
            }
        }
        Ok(vector)
    }

    fn scalar_name(&mut self, word: &Token<'t>) -> Result<u8, Reported> {
        match scalar_op(word.text) {
            Some(op) => Ok(op as u8),
            None if word.text == OP => self.operation(63),
            None => {
                let names = SCALAR_TABLE.iter().map(|row| row.mnemonic);
                Err(self.unknown(word, "scalar operation", names))
            }
        }
    }

    /// Parses the rest of a scalar half after its mnemonic, `word`.
    pub(super) fn scalar(&mut self, word: &Token<'t>) -> Result<Scalar, Reported> {
        let op = self.scalar_name(word)?;
        let dest = Some(self.dest()?);
        let mut operands = Vec::new();
        if self.take_punct('=') {
            operands.push(self.operand()?);
            while self.take_punct(',') {
                operands.push(self.operand()?);
            }
        }
        let mut scalar = Scalar { span: word.span, op, dest, operands, clamp: false, sdest: None };
        while let Some(flag) = self.peek() {
            self.at += 1;
            match flag.text {
                CLAMP => scalar.clamp = true,
                SDEST => {
                    self.expect('(')?;
                    scalar.sdest = Some(exact::<u8, _>(self.number("a register number", 63)?));
                    self.expect(')')?;
                }
                _ => return Err(self.unknown(flag, "attribute of a scalar half", [CLAMP, SDEST])),
            }
        }
        Ok(scalar)
    }

    /// Parses the argument of FILL, such as `(MAXs R4 = -C3 CLAMP)`.
    fn fill(&mut self) -> Result<Scalar, Reported> {
        self.expect('(')?;
        let Some(word) = self.identifier() else { return Err(self.expected("a scalar operation")) };
        let op = self.scalar_name(&word)?;
        let mut scalar =
            Scalar { span: word.span, op, dest: None, operands: Vec::new(), clamp: false, sdest: None };
        // A destination is recognised by the '=' after it.
        let here = self.at;
        let rest = &self.tokens[here.min(self.tokens.len())..];
        let until = rest.iter().position(|t| t.text == ")").unwrap_or(rest.len());
        if rest[..until].iter().any(|t| t.text == "=") {
            scalar.dest = Some(self.dest()?);
            self.expect('=')?;
        }
        if !self.is_punct(')') && self.peek().is_none_or(|t| t.text != CLAMP) {
            scalar.operands.push(self.operand()?);
        }
        scalar.clamp = self.take_word(CLAMP);
        self.expect(')')?;
        Ok(scalar)
    }
}

impl Vector {
    /// Builds the ALU slot from both halves.
    pub(super) fn slot(&self, errors: &mut Vec<Diagnostic>) -> Option<Alu> {
        let mut build = Build { alu: Alu::default(), constants: Vec::new(), errors };
        build.set_slot(self).ok()?;
        Some(build.alu)
    }
}

struct Build<'e> {
    alu: Alu,
    /// The constant operands: source number 1 to 3, address register if relative, and span.
    constants: Vec<(u8, Option<Address>, Span)>,
    errors: &'e mut Vec<Diagnostic>,
}

impl Build<'_> {
    fn error(&mut self, span: Span, message: impl Into<String>) -> Reported {
        self.errors.push(Diagnostic::new(span, message));
        Reported
    }

    fn set_slot(&mut self, v: &Vector) -> Result<(), Reported> {
        self.alu.sop = ScalarOp::Maxs as u8;
        (self.alu.sel1, self.alu.sel2, self.alu.sel3) = (1, 1, 1);
        let op = VectorOp::from_number(v.op);
        self.alu.vop = v.op;
        self.alu.pred_en = u8::from(v.predicate.is_some());
        self.alu.pred_cond = u8::from(v.predicate.unwrap_or(v.pred_cond));
        self.alu.vdest = v.dest.number;
        self.alu.vdest_rel = u8::from(v.dest.relative);
        self.alu.export = u8::from(v.dest.export);
        self.alu.vmask = v.dest.mask;
        self.alu.vclamp = u8::from(v.clamp);
        self.alu.abs_const = u8::from(v.abs_const);
        if v.zero {
            if !v.dest.export {
                return Err(self.error(v.span, "ZERO is allowed only in exports"));
            }
            self.alu.sdest_rel = 1;
        }
        let sources = op.map_or(2, VectorOp::sources);
        let once = op == Some(VectorOp::Mova) && v.operands.len() == 1;
        if v.operands.len() != sources && !once {
            let message =
                format!("this operation takes {}, not {}", text::count(sources, "source"), v.operands.len());
            return Err(self.error(v.span, message));
        }
        match &v.operands[..] {
            [s1] => {
                self.set_source(1, s1);
                if once {
                    self.set_source(2, s1);
                }
            }
            [s1, s2] => {
                self.set_source(1, s1);
                self.set_source(2, s2);
            }
            [s3, s1, s2] => {
                self.set_source(3, s3);
                self.set_source(1, s1);
                self.set_source(2, s2);
            }
            _ => return Err(self.error(v.span, "an operation has at most three sources")),
        }
        if let Some(s2) = &v.src2 {
            if sources != 1 {
                return Err(self.error(s2.span, "SRC2 is allowed only with operations of one source"));
            }
            self.set_source(2, s2);
        }
        match (&v.scalar, &v.fill) {
            (Some(_), Some(fill)) => {
                return Err(self.error(
                    fill.span,
                    "a slot has only one scalar half: either on the next line or in FILL",
                ));
            }
            (Some(s), None) => self.set_scalar(v, s, sources == 3)?,
            (None, Some(s)) => self.set_fill(s, v.dest.export, sources == 3)?,
            (None, None) => {}
        }
        self.set_addresses(v)
    }

    /// Sets source 1, 2 or 3 of the slot.
    fn set_source(&mut self, source_number: u8, operand: &Operand) {
        if !operand.register {
            self.constants.push((source_number, operand.relative, operand.span));
        }
        let Operand { number, register, absolute, negated, .. } = *operand;
        let (relative, swizzle) = (operand.relative.is_some(), operand.swizzle());
        let source = Source { number, register, relative, absolute, negated, swizzle };
        self.alu.set_source(source_number, &source);
    }

    fn source3(&self) -> (u8, u8, u8, u8) {
        (self.alu.src3, self.alu.sel3, self.alu.swz3, self.alu.neg3)
    }

    fn set_scalar(&mut self, v: &Vector, s: &Scalar, shared: bool) -> Result<(), Reported> {
        self.alu.sop = s.op;
        self.alu.sclamp = u8::from(s.clamp);
        if let Some(dest) = s.dest {
            if dest.export != v.dest.export {
                return Err(self.error(dest.span, "either both halves of a slot export or neither does"));
            }
            self.alu.smask = dest.mask;
            if dest.export {
                if dest.relative != v.dest.relative || (dest.number != v.dest.number && s.sdest.is_some()) {
                    return Err(self.error(dest.span, "both halves of a slot must write the same export"));
                }
                // Older listings print SDEST for operations whose destination field the hardware does not read.
                self.alu.sdest = s.sdest.unwrap_or(dest.number);
            } else {
                if s.sdest.is_some() {
                    return Err(self.error(dest.span, "SDEST is allowed only in exports"));
                }
                self.alu.sdest = dest.number;
                self.alu.sdest_rel = u8::from(dest.relative);
            }
        }
        let shape = ScalarOp::from_number(s.op).map_or(ScalarShape::One, ScalarOp::shape);
        let before = self.source3();
        match (&s.operands[..], shape) {
            ([], ScalarShape::None) => return Ok(()),
            ([constant, register], ScalarShape::Constant) => self.set_constant(s, constant, register)?,
            ([a, b], ScalarShape::Two | ScalarShape::TwoPrevious) => {
                let ([ca], [cb]) = (&a.components[..], &b.components[..]) else {
                    return Err(
                        self.error(a.span, "each operand must name one component, for example R1.x, R1.y")
                    );
                };
                // The Xenos compiler's order: b in the first two channels, a in the last two.
                let both = Operand { components: vec![*cb, *cb, *ca, *ca], ..a.clone() };
                if (Operand { span: a.span, components: both.components.clone(), ..b.clone() }) != both {
                    return Err(self.error(b.span, "the two operands must be components of the same source"));
                }
                self.set_source(3, &both);
            }
            ([source], shape) if shape != ScalarShape::Constant => self.set_source(3, source),
            _ => {
                let message = match shape {
                    ScalarShape::Constant => "this operation takes two sources: a constant and a register",
                    ScalarShape::Two | ScalarShape::TwoPrevious => {
                        "this operation takes one source, or two components of one source"
                    }
                    _ => "this operation takes one source",
                };
                return Err(self.error(s.span, message));
            }
        }
        if shared && self.source3() != before {
            let message = "beside a vector operation with three sources the scalar half must read the first of them, with the same swizzle and sign";
            return Err(self.error(s.span, message));
        }
        Ok(())
    }

    /// Sets the operands of a scalar operation that reads one constant and one register.
    fn set_constant(&mut self, s: &Scalar, constant: &Operand, register: &Operand) -> Result<(), Reported> {
        let ([a], [b]) = (&constant.components[..], &register.components[..]) else {
            return Err(self.error(s.span, "each operand must name one component, for example C3.x, R5.y"));
        };
        if constant.register || !register.register || register.relative.is_some() || register.absolute {
            return Err(self.error(
                s.span,
                "the operands must be a constant and a register without modifiers, in that order",
            ));
        }
        if constant.negated != register.negated {
            return Err(self.error(register.span, "either both operands are negated or neither is"));
        }
        if register.number & 1 != s.op & 1 {
            let message = format!(
                "the operation's name must end in {}, the lowest bit of the register's number",
                register.number & 1
            );
            return Err(self.error(s.span, message));
        }
        self.constants.push((3, constant.relative, constant.span));
        self.alu.src3 = constant.number;
        self.alu.set_constant_operands(*a, register.number, *b);
        self.alu.neg3 = u8::from(constant.negated);
        Ok(())
    }

    fn set_fill(&mut self, s: &Scalar, export: bool, shared: bool) -> Result<(), Reported> {
        if !ScalarOp::from_number(s.op).is_some_and(ScalarOp::is_filler) {
            return Err(self.error(
                s.span,
                "FILL cannot hold an operation that has an effect: write it on a line of its own",
            ));
        }
        self.alu.sop = s.op;
        self.alu.sclamp = u8::from(s.clamp);
        if let Some(dest) = s.dest {
            if dest.export || (export && dest.relative) {
                return Err(self.error(
                    dest.span,
                    "the destination in FILL must be a register, and cannot be relative if the slot exports",
                ));
            }
            self.alu.sdest = dest.number;
            self.alu.sdest_rel |= u8::from(dest.relative);
        }
        match &s.operands[..] {
            [] => Ok(()),
            [operand, ..] if shared => Err(self.error(
                operand.span,
                "FILL cannot have a source here: source 3 belongs to the vector operation",
            )),
            [operand, ..] => {
                self.set_source(3, operand);
                Ok(())
            }
        }
    }

    /// Sets the bits that select which constants are relative, and the address register that they use.
    fn set_addresses(&mut self, v: &Vector) -> Result<(), Reported> {
        let mut chosen: [Option<bool>; 2] = [None; 2];
        let mut base = None;
        for (source_number, relative, span) in std::mem::take(&mut self.constants) {
            let before = [self.alu.sel1, self.alu.sel2];
            let first = before[..usize::from(source_number) - 1].iter().all(|sel| *sel != 0);
            let flag = &mut chosen[usize::from(!first)];
            if flag.is_some_and(|set| set != relative.is_some()) {
                let message = "the second and the third constant of a slot must both be relative, or neither";
                return Err(self.error(span, message));
            }
            *flag = Some(relative.is_some());
            let Some(address) = relative else { continue };
            if base.is_some_and(|before| before != address) {
                return Err(self
                    .error(span, "all relative constants of a slot must be relative to the same register"));
            }
            base = Some(address);
        }
        for (flag, chosen) in v.const_rel.iter().zip(&chosen) {
            if *flag && chosen.is_some() {
                let message = "write what the constant is relative to, for example C[aL+3]";
                return Err(self.error(v.span, message));
            }
        }
        if v.addr_a0 && base.is_some() {
            return Err(self.error(v.span, "ADDR_A0 is allowed only in slots without relative constants"));
        }
        self.alu.addr_a0 = u8::from(v.addr_a0 || base == Some(Address::A0));
        self.alu.const0_rel = u8::from(chosen[0].unwrap_or(v.const_rel[0]));
        self.alu.const1_rel = u8::from(chosen[1].unwrap_or(v.const_rel[1]));
        Ok(())
    }
}
