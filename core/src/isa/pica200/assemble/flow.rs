//! Blocks and procedures, and insertion of the `nop`s that keep the ends of scopes separate.

use super::super::opcode::Opcode;
use super::super::program::{Instruction, MEMORY, Plain};
use super::instruction::{JumpTarget, ParsedInstruction};
use super::line::{Line, Read, quote};
use crate::binary::exact;
use crate::isa::pica200::word::fields;
use crate::text::{Span, Token};
use std::collections::HashMap;

/// Maximum nesting depth of blocks.
const MAX_NESTING: usize = 64;

/// An open block.
#[derive(Clone, Copy, Debug)]
struct Block<'t> {
    kind: Kind<'t>,
    /// Address of the instruction that opened the block, or of a procedure's first instruction.
    at: usize,
    /// Address of its `.else` branch, if it has one.
    else_address: Option<usize>,
    span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind<'t> {
    Procedure(&'t str),
    If,
    Loop,
}

/// The code under construction, with its blocks.
pub(super) struct Code<'t> {
    pub(super) words: Vec<ParsedInstruction<'t>>,
    /// The index of the source of each word.
    pub(super) units: Vec<usize>,
    /// Address and number of words of each procedure.
    pub(super) procedures: HashMap<&'t str, (usize, usize)>,
    /// Whether a `nop` is inserted at the end of a scope that needs one.
    pub(super) padding: bool,
    blocks: Vec<Block<'t>>,
    /// Whether the previous word is the last word of a conditional or a loop.
    ended: bool,
}

/// Whether picasso inserts a `nop` between an operation and the end of a scope (S5). In the last word of a scope, a jump is lost, and a call or break
/// ends together with the scope (S1).
fn needs_padding_after(op: Option<Opcode>, block: Kind<'_>) -> bool {
    match op {
        Some(Opcode::Jmpc | Opcode::Jmpu | Opcode::Call | Opcode::Callc | Opcode::Callu) => true,
        Some(Opcode::Break | Opcode::Breakc) => block == Kind::Loop,
        _ => false,
    }
}

impl<'t> Code<'t> {
    pub(super) fn new() -> Code<'t> {
        Code {
            words: Vec::new(),
            units: Vec::new(),
            procedures: HashMap::new(),
            padding: true,
            blocks: Vec::new(),
            ended: false,
        }
    }

    /// Returns the span of the innermost block that is still open.
    pub(super) fn open(&self) -> Option<Span> {
        self.blocks.last().map(|block| block.span)
    }

    /// Appends an instruction, which may open a block.
    pub(super) fn push(
        &mut self,
        line: &mut Line<'t, '_>,
        pending: ParsedInstruction<'t>,
        unit: usize,
    ) -> Read<()> {
        if self.words.len() >= super::MAX_CODE_WORDS {
            return Err(line.error(pending.span, "there are more instructions than a file can hold"));
        }
        if matches!(pending.target, Some(JumpTarget::Scope)) {
            let kind = if pending.instruction.op() == Some(Opcode::Loop) { Kind::Loop } else { Kind::If };
            self.begin(line, kind, pending.span)?;
        }
        self.ended = false;
        self.words.push(pending);
        self.units.push(unit);
        Ok(())
    }

    fn begin(&mut self, line: &mut Line<'t, '_>, kind: Kind<'t>, span: Span) -> Read<()> {
        if self.blocks.len() >= MAX_NESTING {
            return Err(line.error(span, format!("blocks are nested more than {MAX_NESTING} deep")));
        }
        self.blocks.push(Block { kind, at: self.words.len(), else_address: None, span });
        Ok(())
    }

    /// Parses `.proc name`.
    pub(super) fn procedure(&mut self, line: &mut Line<'t, '_>) -> Read<()> {
        let name: Token<'t> = line.name("a name")?;
        line.expect_end()?;
        let open = self.blocks.iter().any(|b| b.kind == Kind::Procedure(name.text));
        if open || self.procedures.contains_key(name.text) {
            let message = format!("the procedure {} is defined twice", quote(Some(&name)));
            return Err(line.error(name.span, message));
        }
        self.begin(line, Kind::Procedure(name.text), name.span)
    }

    /// Inserts a `nop`, unless padding is off.
    fn pad(&mut self, span: Span, unit: usize) {
        if self.padding {
            let nop = Plain { ignored: 0, opcode: exact(Opcode::Nop.row().number) };
            let instruction = Instruction::Plain(nop);
            self.words.push(ParsedInstruction {
                span,
                instruction,
                needed_descriptor: None,
                target: None,
                counted: false,
            });
            self.units.push(unit);
        }
    }

    /// Pads the end of a scope or of a branch, if necessary.
    fn pad_end(&mut self, block: &Block<'t>, span: Span, unit: usize) {
        // The word that opened the block is not part of its body. A procedure has no such word.
        let body_len = self.words.len() - block.at - usize::from(!matches!(block.kind, Kind::Procedure(_)));
        let last = self.words.last().and_then(|word| word.instruction.op());
        if self.ended || body_len == 0 || needs_padding_after(last, block.kind) {
            self.pad(span, unit);
        }
        self.ended = false;
    }

    /// Parses `.else`.
    pub(super) fn else_branch(&mut self, line: &mut Line<'t, '_>, span: Span, unit: usize) -> Read<()> {
        line.expect_end()?;
        let Some(block) = self.blocks.last().copied().filter(|b| b.kind == Kind::If) else {
            return Err(line.error(span, ".else without ifc or ifu"));
        };
        if block.else_address.is_some() {
            return Err(line.error(span, "this block already has an .else"));
        }
        self.pad_end(&block, span, unit);
        let here = self.words.len();
        if let Some(block) = self.blocks.last_mut() {
            block.else_address = Some(here);
        }
        self.set(line, block.at, fields::DST, here, span)
    }

    /// Parses `.end`.
    pub(super) fn end(&mut self, line: &mut Line<'t, '_>, span: Span, unit: usize) -> Read<()> {
        line.expect_end()?;
        let Some(block) = self.blocks.pop() else {
            return Err(line.error(span, ".end without a block"));
        };
        self.pad_end(&block, span, unit);
        let here = self.words.len();
        match block.kind {
            Kind::Procedure(name) => {
                self.procedures.insert(name, (block.at, here - block.at));
                Ok(())
            }
            Kind::Loop => {
                self.ended = true;
                self.set(line, block.at, fields::DST, here.saturating_sub(1), span)
            }
            Kind::If => {
                self.ended = true;
                match block.else_address {
                    None => self.set(line, block.at, fields::DST, here, span),
                    Some(other) => self.set(line, block.at, fields::NUM, here - other, span),
                }
            }
        }
    }

    /// Sets a field of the instruction that opened a block.
    fn set(&mut self, line: &mut Line<'t, '_>, at: usize, field: &str, value: usize, span: Span) -> Read<()> {
        let most = if field == fields::NUM { 255 } else { MEMORY as usize - 1 };
        if value > most {
            let message = format!(
                "the end of the block is out of reach: the field would have to be {value}, but its maximum is {most}"
            );
            return Err(line.error(span, message));
        }
        if let Some(word) = self.words.get_mut(at) {
            word.instruction = word.instruction.with_field(field, exact::<u32, _>(value));
        }
        Ok(())
    }
}
