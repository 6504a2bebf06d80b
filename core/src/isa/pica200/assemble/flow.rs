//! Blocks, procedures, and the no-operations that keep ends of scopes apart.

use super::super::opcode::Opcode;
use super::super::program::{Instruction, MEMORY, Plain};
use super::instruction::{Goal, Pending};
use super::line::{Line, Read, quote};
use crate::isa::pica200::word::fields;
use crate::text::{Place, Token};
use std::collections::HashMap;

/// Blocks may be nested this deep.
const DEEPEST: usize = 64;

/// A block that is open.
#[derive(Clone, Copy, Debug)]
struct Block<'t> {
    kind: Kind<'t>,
    /// Word of the instruction that opened it, or of a procedure's first.
    at: usize,
    /// Where its `.else` branch begins.
    other: Option<usize>,
    place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind<'t> {
    Procedure(&'t str),
    If,
    Loop,
}

/// The code while it grows, and the blocks in it.
pub(super) struct Code<'t> {
    pub(super) words: Vec<Pending<'t>>,
    /// Which source each word is from.
    pub(super) units: Vec<usize>,
    /// First word and number of words of each procedure.
    pub(super) procedures: HashMap<&'t str, (usize, usize)>,
    /// Whether no-operations are put where the end of a scope needs one.
    pub(super) padding: bool,
    blocks: Vec<Block<'t>>,
    /// Whether the word before is the last of a scope that has just ended.
    ended: bool,
}

/// The operations that lose a jump, or gain one, as the last word of a scope (S1).
fn unfit_last(op: Option<Opcode>, block: Kind<'_>) -> bool {
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

    /// The block that is still open, if one is.
    pub(super) fn open(&self) -> Option<Place> {
        self.blocks.last().map(|block| block.place)
    }

    /// Appends an instruction, which may open a block.
    pub(super) fn push(&mut self, line: &mut Line<'t, '_>, pending: Pending<'t>, unit: usize) -> Read<()> {
        if self.words.len() >= super::LONGEST_CODE {
            return Err(line.error(pending.place, "there are more instructions than a file can hold"));
        }
        if matches!(pending.goal, Some(Goal::Scope)) {
            let kind = if pending.instruction.op() == Some(Opcode::Loop) { Kind::Loop } else { Kind::If };
            self.begin(line, kind, pending.place)?;
        }
        self.ended = false;
        self.words.push(pending);
        self.units.push(unit);
        Ok(())
    }

    fn begin(&mut self, line: &mut Line<'t, '_>, kind: Kind<'t>, place: Place) -> Read<()> {
        if self.blocks.len() >= DEEPEST {
            return Err(line.error(place, format!("blocks are nested more than {DEEPEST} deep")));
        }
        self.blocks.push(Block { kind, at: self.words.len(), other: None, place });
        Ok(())
    }

    /// `.proc name`
    pub(super) fn procedure(&mut self, line: &mut Line<'t, '_>) -> Read<()> {
        let name: Token<'t> = line.name("a name")?;
        line.finished()?;
        let open = self.blocks.iter().any(|b| b.kind == Kind::Procedure(name.text));
        if open || self.procedures.contains_key(name.text) {
            let message = format!("there is a procedure {} already", quote(Some(&name)));
            return Err(line.error(name.place, message));
        }
        self.begin(line, Kind::Procedure(name.text), name.place)
    }

    /// Puts a no-operation where one is wanted.
    fn pad(&mut self, place: Place, unit: usize) {
        if self.padding {
            let nop = Plain { ignored: 0, opcode: Opcode::Nop.row().number as u8 };
            let instruction = Instruction::Plain(nop);
            self.words.push(Pending { place, instruction, wanted: None, goal: None, counted: false });
            self.units.push(unit);
        }
    }

    /// Pads a scope, or a branch of one, that ends here.
    fn pad_end(&mut self, block: &Block<'t>, place: Place, unit: usize) {
        // The word that opened a block of instructions is not one of its own.
        let own = self.words.len() - block.at - usize::from(!matches!(block.kind, Kind::Procedure(_)));
        let last = self.words.last().and_then(|word| word.instruction.op());
        if self.ended || own == 0 || unfit_last(last, block.kind) {
            self.pad(place, unit);
        }
        self.ended = false;
    }

    /// `.else`
    pub(super) fn other(&mut self, line: &mut Line<'t, '_>, place: Place, unit: usize) -> Read<()> {
        line.finished()?;
        let Some(block) = self.blocks.last().copied().filter(|b| b.kind == Kind::If) else {
            return Err(line.error(place, ".else without ifc or ifu"));
        };
        if block.other.is_some() {
            return Err(line.error(place, "the block has an .else already"));
        }
        self.pad_end(&block, place, unit);
        let here = self.words.len();
        if let Some(block) = self.blocks.last_mut() {
            block.other = Some(here);
        }
        self.set(line, block.at, fields::DST, here, place)
    }

    /// `.end`
    pub(super) fn end(&mut self, line: &mut Line<'t, '_>, place: Place, unit: usize) -> Read<()> {
        line.finished()?;
        let Some(block) = self.blocks.pop() else {
            return Err(line.error(place, ".end without a block"));
        };
        self.pad_end(&block, place, unit);
        let here = self.words.len();
        match block.kind {
            Kind::Procedure(name) => {
                self.procedures.insert(name, (block.at, here - block.at));
                Ok(())
            }
            Kind::Loop => {
                self.ended = true;
                self.set(line, block.at, fields::DST, here.saturating_sub(1), place)
            }
            Kind::If => {
                self.ended = true;
                match block.other {
                    None => self.set(line, block.at, fields::DST, here, place),
                    Some(other) => self.set(line, block.at, fields::NUM, here - other, place),
                }
            }
        }
    }

    /// Sets a field of the instruction that opened a block.
    fn set(
        &mut self,
        line: &mut Line<'t, '_>,
        at: usize,
        field: &str,
        value: usize,
        place: Place,
    ) -> Read<()> {
        let most = if field == fields::NUM { 255 } else { MEMORY as usize - 1 };
        if value > most {
            let message = format!("the block ends too far away: {value} words, of at most {most}");
            return Err(line.error(place, message));
        }
        if let Some(word) = self.words.get_mut(at) {
            word.instruction = word.instruction.with_field(field, value as u32);
        }
        Ok(())
    }
}
