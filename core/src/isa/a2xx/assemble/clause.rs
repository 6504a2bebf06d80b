//! Parses control-flow clauses.

use super::super::names::{ADDR, Attribute, BOOL_ADDR, BOOL_COND, CNT, COND, DIR, SEQ, clause_attributes};
use super::super::opcode::{CF_TABLE, CfOp};
use super::super::program::Clause;
use super::super::word::{Alloc, Branch, Buffer, Exec, ExecWithoutBool, Plain};
use super::line::{Line, Reported, set};
use super::shader::Item;
use crate::binary::exact;
use crate::text::Token;

impl<'t> Line<'t, '_> {
    /// Parses the rest of a clause after its mnemonic, `word`.
    pub(super) fn clause(&mut self, op: CfOp, word: &Token<'t>) -> Result<Item, Reported> {
        let attributes = clause_attributes(op);
        // The opcode has the same position in all clauses.
        let mut bits = set(0, &Plain::opcode, op as u64);
        if op == CfOp::Alloc {
            bits = set(bits, &Alloc::buffer, self.buffer()?);
        }
        let mut item = Item::new(word.span);
        let mut seen: Vec<&str> = Vec::new();
        while let Some(name) = self.attribute_name(&mut seen)? {
            match (name.text, op) {
                (SEQ, _) if op.is_exec() => {
                    self.expect('(')?;
                    bits = set(bits, &Exec::seq, self.number(SEQ, Exec::seq.max_u64())?);
                    self.expect(')')?;
                    item.has_seq = true;
                    continue;
                }
                (COND | BOOL_COND, CfOp::CondCall | CfOp::CondJmp | CfOp::Return) => {
                    self.expect('(')?;
                    bits = set(bits, &Branch::cond, self.number(name.text, Branch::cond.max_u64())?);
                    self.expect(')')?;
                    bits = set(bits, &Branch::predicated, u64::from(name.text == COND));
                    continue;
                }
                // Mesa prints bit 41 of every EXEC as part of the number of a Boolean constant.
                (BOOL_ADDR, _) if op.is_exec() && !op.tests_bool() => {
                    self.expect('(')?;
                    let value = self.number(BOOL_ADDR, Exec::bool_addr.max_u64())?;
                    self.expect(')')?;
                    let ExecWithoutBool { zero34, pred_clean, .. } = ExecWithoutBool::from_word(
                        Exec { bool_addr: exact(value), ..Exec::default() }.to_word(),
                    );
                    bits = set(bits, &ExecWithoutBool::zero34, zero34.into());
                    if pred_clean != 0 {
                        bits = set(bits, &ExecWithoutBool::pred_clean, 1);
                    }
                    continue;
                }
                _ => {}
            }
            let Some(attribute) = attributes.iter().find(|a| a.name == name.text) else {
                let names = attributes.iter().map(|a: &Attribute| a.name);
                let noun = format!("attribute of {}", op.row().mnemonic);
                return Err(self.unknown(name, &noun, names));
            };
            bits = set(bits, &attribute.field, self.value(attribute)?);
            item.has_addr |= name.text == ADDR;
            item.has_cnt |= name.text == CNT;
            item.has_dir |= name.text == DIR;
        }
        if seen.contains(&COND) && seen.contains(&BOOL_COND) {
            return Err(self.error(word.span, "a branch tests either the predicate or a Boolean constant"));
        }
        item.clause = if op.is_exec() {
            Clause::Exec(Exec::from_word(exact::<u64, _>(bits)))
        } else {
            Clause::from_word(exact::<u64, _>(bits))
        };
        Ok(item)
    }

    /// Parses the buffer that an ALLOC reserves.
    fn buffer(&mut self) -> Result<u64, Reported> {
        if let Some((_, number)) = Buffer::NAMES.iter().find(|(name, _)| self.phrase(name)) {
            return Ok(u64::from(*number));
        }
        let [first @ .., last] = Buffer::PRINTED;
        let help = format!("the buffers are {} and {last}", first.join(", "));
        Err(self.error_help(self.next_span(), "ALLOC must name the buffer that it reserves", help))
    }
}

/// Returns the mnemonics of all clauses.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    CF_TABLE.iter().map(|row| row.mnemonic)
}
