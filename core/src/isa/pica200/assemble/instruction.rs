//! Parses instructions: mnemonic, operands and annotations.

use super::super::names::{ADDRESS, INVERTED, implicit_fields};
use super::super::opcode::{Format, Opcode, TABLE};
use super::super::program::{
    Binary, BinaryInverse, Compare, Conditional, Descriptor, Emission, Instruction, Plain, Ternary,
    TernaryInverse, Unary, Uniform,
};
use super::super::word::{Index, fields, opcode_bits};
use super::descriptor::NeededDescriptor;
use super::line::{Line, Read, quote};
use super::operands::{Aliases, File, Operand};
use crate::binary::{Field, exact};
use crate::text::{Kind, Span, Token, nearest};

/// The target of a control-flow instruction.
#[derive(Clone, Copy, Debug)]
pub(super) enum JumpTarget<'t> {
    /// An address.
    Word(u16),
    /// A label of the same source, or, for a call without a word count, a procedure.
    Name(Token<'t>),
    /// The target follows from the scope that the instruction opens.
    Scope,
}

/// A parsed instruction.
#[derive(Clone, Debug)]
pub(super) struct ParsedInstruction<'t> {
    pub(super) span: Span,
    pub(super) instruction: Instruction,
    pub(super) needed_descriptor: Option<NeededDescriptor>,
    pub(super) target: Option<JumpTarget<'t>>,
    /// Whether the text gives the word count.
    pub(super) counted: bool,
}

impl<'t> Line<'t, '_> {
    /// Returns the operation with this mnemonic. SEED's `IF?` is `ifc`, and its `CALLC` with a Boolean operand is `callu`.
    fn operation(&mut self, word: Token<'t>) -> Read<Opcode> {
        if word.text.eq_ignore_ascii_case("if") && self.take_punct('?') {
            return Ok(Opcode::Ifc);
        }
        let Some(op) = Opcode::from_mnemonic(word.text) else {
            let message = format!("there is no instruction {}", quote(Some(&word)));
            let names = TABLE.iter().flat_map(|row| row.aliases.iter().chain([&row.mnemonic]).copied());
            return Err(match nearest(word.text, names) {
                Some(name) => self.error_help(word.span, message, format!("did you mean '{name}'?")),
                None => self.error(word.span, message),
            });
        };
        let boolean = self.peek().is_some_and(|t| {
            t.kind == Kind::Identifier
                && super::operands::register(t.text).is_some_and(|(f, _)| f == File::Bool)
        });
        Ok(if op == Opcode::Callc && boolean { Opcode::Callu } else { op })
    }

    /// Parses an instruction, from its mnemonic on.
    pub(super) fn instruction(&mut self, aliases: &Aliases<'t>) -> Read<ParsedInstruction<'t>> {
        let Some(word) = self.identifier() else { return Err(self.expected("an instruction")) };
        let op = self.operation(word)?;
        let mut pending = match op.row().format {
            Format::Plain => {
                let plain = Plain { ignored: 0, opcode: exact(op.row().number) };
                pending(word.span, Instruction::Plain(plain))
            }
            Format::Binary | Format::BinaryInverse => self.binary(word.span, op, aliases)?,
            Format::Unary if op == Opcode::Mova => self.mova(word.span, aliases)?,
            Format::Unary => self.unary(word.span, op, aliases)?,
            Format::Compare => self.compare(word, aliases)?,
            Format::Ternary | Format::TernaryInverse => self.ternary(word.span, op, aliases)?,
            Format::Conditional => self.conditional(word.span, op)?,
            Format::Uniform => self.uniform(word.span, op, aliases)?,
            Format::Emission => self.emission(word.span)?,
        };
        self.annotations(&mut pending)?;
        self.expect_end()?;
        Ok(pending)
    }

    /// Parses `@3` and `{unused=1}` after the operands.
    fn annotations(&mut self, pending: &mut ParsedInstruction<'t>) -> Read<()> {
        let span = self.next_span();
        if self.take_punct('@') {
            let row = exact::<usize, _>(self.number("a descriptor", 127)?);
            match &mut pending.needed_descriptor {
                Some(needed) => needed.row = Some((row, span)),
                None => return Err(self.error(span, "this instruction has no descriptor")),
            }
        }
        if !self.take_punct('{') {
            return Ok(());
        }
        loop {
            let Some(token) = self.identifier() else { return Err(self.expected("a field")) };
            let known = implicit_fields(&pending.instruction);
            if !known.iter().any(|(name, _)| *name == token.text) {
                let message = format!("this instruction has no spare field {}", quote(Some(&token)));
                let names: Vec<_> = known.iter().map(|(name, _)| *name).collect();
                let help = if names.is_empty() {
                    "this instruction has no spare fields".into()
                } else {
                    format!("the spare fields are {}", names.join(", "))
                };
                return Err(self.error_help(token.span, message, help));
            }
            self.expect('=')?;
            let most = pending.instruction.layout().field(token.text).map_or(0, Field::max_u64);
            let value = exact::<u32, _>(self.number(token.text, most)?);
            pending.instruction = pending.instruction.with_field(token.text, value);
            if !self.take_punct(',') {
                break;
            }
        }
        self.expect('}')
    }

    /// Parses a destination: its number and write mask.
    fn dest(&mut self, aliases: &Aliases<'t>) -> Read<(u8, u8)> {
        let operand = self.operand(aliases)?;
        let number = match operand.file {
            File::Output | File::Temporary => exact::<u8, _>(operand.number) + operand.file.first(),
            _ => return Err(self.error(operand.span, "only o0 to o15 and r0 to r15 can be written")),
        };
        if operand.idx != 0 || operand.negate {
            return Err(self.error(operand.span, "a destination cannot have an address register or a sign"));
        }
        Ok((number, operand.mask))
    }

    /// Parses a comma and a source.
    fn source(&mut self, aliases: &Aliases<'t>) -> Read<(u8, Operand)> {
        self.expect(',')?;
        self.first_source(aliases)
    }

    fn first_source(&mut self, aliases: &Aliases<'t>) -> Read<(u8, Operand)> {
        let operand = self.operand(aliases)?;
        let number = match operand.file {
            File::Input | File::Temporary | File::Float => {
                exact::<u8, _>(operand.number) + operand.file.first()
            }
            _ => return Err(self.error(operand.span, "only v, r and c registers can be read")),
        };
        if operand.holes {
            return Err(self.error(operand.span, "only a write mask may leave components out"));
        }
        Ok((number, operand))
    }

    /// Rejects a uniform or an index in an operand field of 5 bits. `wide` names the source that allows both.
    fn narrow(&mut self, (number, operand): &(u8, Operand), wide: &str) -> Read<()> {
        if *number >= 0x20 {
            let help = format!("only the {wide} source of this instruction can be a uniform");
            return Err(self.error_help(operand.span, "a uniform cannot be read here", help));
        }
        if operand.idx != 0 {
            let help = format!("only the {wide} source of this instruction can be indexed");
            return Err(self.error_help(operand.span, "an address register cannot be used here", help));
        }
        Ok(())
    }

    fn binary(&mut self, span: Span, op: Opcode, aliases: &Aliases<'t>) -> Read<ParsedInstruction<'t>> {
        let (dst, mask) = self.dest(aliases)?;
        let a = self.source(aliases)?;
        let b = self.source(aliases)?;
        let inverse = match op {
            Opcode::Dph => Some(Opcode::Dphi),
            Opcode::Dst => Some(Opcode::Dsti),
            Opcode::Sge => Some(Opcode::Sgei),
            Opcode::Slt => Some(Opcode::Slti),
            _ => None,
        };
        // The plain mnemonic of an operation with an inverse form assembles to the form that fits the operands.
        let wide = |x: &(u8, Operand)| x.0 >= 0x20 || x.1.idx != 0;
        let op = inverse.filter(|_| !wide(&a) && wide(&b)).unwrap_or(op);
        let opcode = exact::<u8, _>(op.row().number);
        let instruction = if op.row().format == Format::BinaryInverse {
            self.narrow(&a, "second")?;
            let idx = b.1.idx;
            Instruction::BinaryInverse(BinaryInverse { desc: 0, src2: b.0, src1: a.0, idx, dst, opcode })
        } else {
            self.narrow(&b, "first")?;
            let idx = a.1.idx;
            Instruction::Binary(Binary { desc: 0, src2: b.0, src1: a.0, idx, dst, opcode })
        };
        Ok(described(span, instruction, mask, &[&a.1, &b.1]))
    }

    fn unary(&mut self, span: Span, op: Opcode, aliases: &Aliases<'t>) -> Read<ParsedInstruction<'t>> {
        let (dst, mask) = self.dest(aliases)?;
        let (src1, a) = self.source(aliases)?;
        let opcode = exact::<u8, _>(op.row().number);
        let instruction = Instruction::Unary(Unary { desc: 0, unused: 0, src1, idx: a.idx, dst, opcode });
        Ok(described(span, instruction, mask, &[&a]))
    }

    /// Parses `mova a0.xy, v0`. `a0` alone means `a0.x`, `a1` means `a0.y`, and `a01` means `a0.xy` (S5).
    fn mova(&mut self, span: Span, aliases: &Aliases<'t>) -> Read<ParsedInstruction<'t>> {
        let Some(to) = self.identifier() else { return Err(self.expected("a0.x, a0.y or a0.xy")) };
        let mask = match to.text.to_ascii_lowercase().as_str() {
            ADDRESS if self.is_punct('.') => self.mask()?,
            ADDRESS => 0b1000,
            name if Index::from_name(name) == Some(Index::A0Y) => 0b0100,
            "a01" => 0b1100,
            _ => {
                let message = format!("mova does not write {}", quote(Some(&to)));
                return Err(self.error_help(to.span, message, "it writes a0.x, a0.y or a0.xy"));
            }
        };
        let (src1, a) = self.source(aliases)?;
        let opcode = exact::<u8, _>(Opcode::Mova.row().number);
        let unary = Unary { desc: 0, unused: 0, src1, idx: a.idx, dst: 0, opcode };
        Ok(described(span, Instruction::Unary(unary), mask, &[&a]))
    }

    fn compare(&mut self, word: Token<'t>, aliases: &Aliases<'t>) -> Read<ParsedInstruction<'t>> {
        let a = self.first_source(aliases)?;
        self.expect(',')?;
        let span = self.next_span();
        let cmpx = self.operator()?;
        self.expect(',')?;
        let cmpy = self.operator()?;
        let b = self.source(aliases)?;
        self.narrow(&b, "first")?;
        // SEED counted the highest bit of the operator as part of the opcode.
        for (name, range) in Opcode::Cmp.row().aliases.iter().zip([0..=3, 4..=7]) {
            if word.text.eq_ignore_ascii_case(name) && !range.contains(&cmpx) {
                let help = "cmp1 takes ==, !=, < and <= for x, cmp2 the other operators, cmp all of them";
                return Err(self.error_help(span, format!("{name} does not have this operator"), help));
            }
        }
        let opcode = opcode_bits(&Compare::opcode, Opcode::Cmp);
        let compare = Compare { desc: 0, src2: b.0, src1: a.0, idx: a.1.idx, cmpy, cmpx, opcode };
        Ok(described(word.span, Instruction::Compare(compare), 0, &[&a.1, &b.1]))
    }

    fn ternary(&mut self, span: Span, op: Opcode, aliases: &Aliases<'t>) -> Read<ParsedInstruction<'t>> {
        let (dst, mask) = self.dest(aliases)?;
        let a = self.source(aliases)?;
        let b = self.source(aliases)?;
        let c = self.source(aliases)?;
        let wide = |x: &(u8, Operand)| x.0 >= 0x20 || x.1.idx != 0;
        let inverse = op == Opcode::Madi || !wide(&b) && wide(&c);
        self.narrow(&a, if inverse { "third" } else { "second" })?;
        let instruction = if inverse {
            self.narrow(&b, "third")?;
            let opcode = opcode_bits(&TernaryInverse::opcode, Opcode::Madi);
            let idx = c.1.idx;
            Instruction::TernaryInverse(TernaryInverse {
                desc: 0,
                src3: c.0,
                src2: b.0,
                src1: a.0,
                idx,
                dst,
                opcode,
            })
        } else {
            self.narrow(&c, "second")?;
            let opcode = opcode_bits(&Ternary::opcode, Opcode::Mad);
            let idx = b.1.idx;
            Instruction::Ternary(Ternary { desc: 0, src3: c.0, src2: b.0, src1: a.0, idx, dst, opcode })
        };
        Ok(described(span, instruction, mask, &[&a.1, &b.1, &c.1]))
    }

    /// Parses a target, which is an address or a name, and, if `count` is set, the word count after it. The word count is optional after a name,
    /// unless `scope` is set.
    fn target(&mut self, scope: bool, count: bool) -> Read<(JumpTarget<'t>, Option<u8>)> {
        let target = if let Some(n) = self.peek().and_then(Token::integer) {
            if n > 0xfff {
                return Err(self.expected("a word, 0 to 0xfff"));
            }
            self.skip();
            JumpTarget::Word(exact::<u16, _>(n))
        } else {
            JumpTarget::Name(self.name("a label or a word")?)
        };
        let mut num = None;
        if count && self.take_punct(',') {
            num = Some(exact::<u8, _>(self.number("a number of words", 255)?));
        }
        if count && num.is_none() && (scope || matches!(target, JumpTarget::Word(_))) {
            return Err(self.expected("',' and a number of words"));
        }
        Ok((target, num))
    }

    fn conditional(&mut self, span: Span, op: Opcode) -> Read<ParsedInstruction<'t>> {
        let opcode = exact::<u8, _>(op.row().number);
        let mut i = Conditional { num: 0, unused: 0, dst: 0, condop: 0, refy: 0, refx: 0, opcode };
        if op != Opcode::Call {
            (i.condop, i.refx, i.refy) = self.condition()?;
        }
        let (mut target, mut counted) = (None, false);
        if op == Opcode::Ifc && !self.is_punct(',') {
            target = Some(JumpTarget::Scope);
        } else if op != Opcode::Breakc {
            if op != Opcode::Call {
                self.expect(',')?;
            }
            let (to, num) = self.target(op == Opcode::Ifc, op != Opcode::Jmpc)?;
            target = Some(to);
            counted = num.is_some();
            i.num = num.unwrap_or(0);
        }
        let instruction = Instruction::Conditional(i);
        Ok(ParsedInstruction { span, instruction, needed_descriptor: None, target, counted })
    }

    fn uniform(&mut self, span: Span, op: Opcode, aliases: &Aliases<'t>) -> Read<ParsedInstruction<'t>> {
        let inverted = op == Opcode::Jmpu && self.take_punct('!');
        let operand = self.operand(aliases)?;
        let wanted = if op == Opcode::Loop { File::Int } else { File::Bool };
        let plain = operand.idx == 0 && !operand.negate && operand.select == Descriptor::XYZW;
        if operand.file != wanted || !plain {
            let expected = if op == Opcode::Loop {
                "an integer uniform, i0 to i3"
            } else {
                "a Boolean uniform, b0 to b15"
            };
            return Err(self.error(operand.span, format!("expected {expected}")));
        }
        let opcode = exact::<u8, _>(op.row().number);
        let mut i = Uniform { num: 0, unused: 0, dst: 0, id: exact(operand.number), opcode };
        let (mut target, mut counted) = (JumpTarget::Scope, false);
        let scope = matches!(op, Opcode::Ifu | Opcode::Loop);
        if !scope || self.is_punct(',') {
            self.expect(',')?;
            let (to, num) = self.target(scope, matches!(op, Opcode::Ifu | Opcode::Callu))?;
            (target, counted) = (to, num.is_some());
            i.num = num.unwrap_or(0);
        }
        if inverted {
            i.num = Uniform::INVERTED;
        }
        Ok(ParsedInstruction {
            span,
            instruction: Instruction::Uniform(i),
            needed_descriptor: None,
            target: Some(target),
            counted,
        })
    }

    fn emission(&mut self, span: Span) -> Read<ParsedInstruction<'t>> {
        let vtx = exact::<u8, _>(self.number("a vertex slot", 3)?);
        let opcode = exact::<u8, _>(Opcode::Setemit.row().number);
        let mut i = Emission { unused: 0, winding: 0, prim: 0, vtx, opcode };
        loop {
            let comma = self.take_punct(',');
            if self.word(fields::PRIM) || self.word("primitive") {
                i.prim = 1;
            } else if self.word(INVERTED) || self.word("invert") {
                i.winding = 1;
            } else if comma {
                return Err(self.expected("prim or inv"));
            } else {
                break;
            }
        }
        Ok(pending(span, Instruction::Emission(i)))
    }
}

fn pending<'t>(span: Span, instruction: Instruction) -> ParsedInstruction<'t> {
    ParsedInstruction { span, instruction, needed_descriptor: None, target: None, counted: false }
}

/// Returns an instruction with the descriptor that its operands need. Absent sources get zeros, as in picasso (S5).
fn described<'t>(
    span: Span,
    instruction: Instruction,
    mask: u8,
    sources: &[&Operand],
) -> ParsedInstruction<'t> {
    let of = |n: usize| sources.get(n).map_or((0, 0), |s| (u8::from(s.negate), s.select));
    let [(negate1, select1), (negate2, select2), (negate3, select3)] = [of(0), of(1), of(2)];
    let descriptor = Descriptor { mask, negate1, select1, negate2, select2, negate3, select3, flag: 0 };
    let needed_descriptor = Some(NeededDescriptor { descriptor, row: None });
    ParsedInstruction { needed_descriptor, ..pending(span, instruction) }
}
