//! Assembles the lines of a shader: assigns slots to clauses, and positions to slots.

use super::super::decode::MAX_FILE_SIZE;
use super::super::encode::slot_words;
use super::super::names::{KINDS, OP};
use super::super::opcode::{CfOp, SCALAR_TABLE};
use super::super::program::{Clause, Plain, Slot};
use super::super::word::{Exec, MAX_RUN, SLOT, SlotDwords};
use super::alu::{Vector, scalar_op};
use super::clause;
use super::line::{Line, Reported};
use crate::binary::exact;
use crate::isa::Stage;
use crate::text::{Diagnostic, Kind, Span, Token, count};
use std::collections::BTreeMap;

/// A parsed clause.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools)] // one per attribute
pub(super) struct Item {
    span: Span,
    pub(super) clause: Clause,
    /// Whether the clause has the attribute ADDR in the text; likewise for CNT, SEQ and DIR.
    pub(super) has_addr: bool,
    pub(super) has_cnt: bool,
    pub(super) has_seq: bool,
    pub(super) has_dir: bool,
    /// Indices of the lines of slots below the clause.
    lines: Vec<usize>,
}

impl Item {
    pub(super) fn new(span: Span) -> Item {
        let clause = Clause::Plain(Plain::default());
        Item {
            span,
            clause,
            has_addr: false,
            has_cnt: false,
            has_seq: false,
            has_dir: false,
            lines: Vec::new(),
        }
    }
}

/// A parsed slot.
#[derive(Debug)]
struct SlotLine {
    span: Span,
    /// The slot's position in the shader, if the line contains it.
    label: Option<u32>,
    serial: bool,
    /// Whether the slot is a FETCH; `None` if the line does not state the kind.
    fetch: Option<bool>,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Words([u32; 3]),
    Alu(Box<Vector>),
}

/// A parsed shader.
#[derive(Debug)]
pub(super) struct ParsedShader {
    pub(super) span: Span,
    /// The stage that the text names, and its span.
    pub(super) stage: Option<(Stage, Span)>,
    /// Whether the following lines belong to this shader.
    pub(super) open: bool,
    items: Vec<Item>,
    lines: Vec<SlotLine>,
    /// Whether the previous line was a vector half, which a scalar half may follow.
    after_vector_half: bool,
    pub(super) tail: Vec<u32>,
}

impl ParsedShader {
    pub(super) fn new(span: Span, stage: Option<(Stage, Span)>) -> ParsedShader {
        let (items, lines, tail) = (Vec::new(), Vec::new(), Vec::new());
        ParsedShader { span, stage, open: true, items, lines, after_vector_half: false, tail }
    }

    /// Returns the number of slots that contain clauses.
    pub(super) fn area(&self) -> usize {
        self.items.len().div_ceil(2)
    }

    pub(super) fn line(&mut self, line: &mut Line<'_, '_>) {
        // Failures have already been recorded.
        let _ = self.read(line).and_then(|()| line.expect_end());
    }

    fn read(&mut self, line: &mut Line<'_, '_>) -> Result<(), Reported> {
        let half = std::mem::take(&mut self.after_vector_half);
        let first = line.peek().copied();
        if first.is_some_and(|t| {
            t.kind == Kind::Number || matches!(t.text, "(" | "RAW") || KINDS.contains(&t.text)
        }) {
            return self.slot(line);
        }
        let Some(word) = line.identifier() else {
            return Err(line.expected("a clause, 'ALU:' or 'FETCH:'"));
        };
        if word.text == OP || scalar_op(word.text).is_some() {
            let scalar = line.scalar(&word)?;
            return match self.lines.last_mut().map(|l| &mut l.content) {
                Some(Content::Alu(vector)) if half => {
                    vector.scalar = Some(scalar);
                    Ok(())
                }
                _ => Err(line.error(word.span, "a scalar half must be below the line of its vector half")),
            };
        }
        match CfOp::from_mnemonic(word.text) {
            Some(op) => {
                let item = line.clause(op, &word);
                // A clause with an error is kept, so that the slots below it belong to a clause.
                let (item, noted) = match item {
                    Ok(item) => (item, Ok(())),
                    Err(noted) => (Item::new(word.span), Err(noted)),
                };
                self.items.push(item);
                noted
            }
            None => {
                let scalars = SCALAR_TABLE.iter().map(|row| row.mnemonic);
                Err(line.unknown(&word, "clause or scalar operation", clause::names().chain(scalars)))
            }
        }
    }

    fn slot(&mut self, line: &mut Line<'_, '_>) -> Result<(), Reported> {
        let span = line.next_span();
        let mut label = None;
        if line.peek().and_then(Token::integer).is_some() {
            label =
                Some(exact::<u32, _>(line.number("the number of a slot", (MAX_FILE_SIZE / SLOT) as u64)?));
            line.expect(':')?;
        }
        let serial = line.take_punct('(');
        if serial {
            if !line.take_word("S") {
                return Err(line.expected("'S'"));
            }
            line.expect(')')?;
        }
        let fetch = match line.identifier().map(|t| t.text) {
            Some(kind) if kind == KINDS[0] => Some(false),
            Some(kind) if kind == KINDS[1] => Some(true),
            Some("RAW") if !serial => None,
            _ => {
                line.at = line.at.saturating_sub(1);
                return Err(line.expected("'ALU:' or 'FETCH:'"));
            }
        };
        if fetch.is_some() {
            line.expect(':')?;
        }
        let content = if fetch.is_none() || line.take_word("RAW") {
            Content::Words(line.raw()?)
        } else if fetch == Some(true) {
            Content::Words(SlotDwords::split(line.fetch()?))
        } else {
            self.after_vector_half = true;
            Content::Alu(Box::new(line.vector()?))
        };
        if label.is_none() {
            match self.items.last_mut() {
                Some(item) => item.lines.push(self.lines.len()),
                None => return Err(line.error(span, "slots must be below clauses")),
            }
        }
        self.lines.push(SlotLine { span, label, serial, fetch, content });
        Ok(())
    }

    /// Returns the words of the shader, and the span of each clause and slot in the text; `None` if there are errors.
    pub(super) fn dwords(&self, errors: &mut Vec<Diagnostic>) -> Option<(Vec<u32>, Vec<Option<Span>>)> {
        if !errors.is_empty() {
            // After errors in other lines no slot is placed, but errors within ALU slots are still reported.
            for line in &self.lines {
                if let Content::Alu(vector) = &line.content {
                    let _ = vector.slot(errors);
                }
            }
            return None;
        }
        if self.items.is_empty() {
            errors.push(Diagnostic::new(self.span, "a shader has at least one clause"));
            return None;
        }
        let mut placing = Placing {
            shader: self,
            slots: BTreeMap::new(),
            next: self.area(),
            clauses: Vec::with_capacity(self.items.len() + 1),
            errors,
        };
        placing.place_slots();
        if !placing.errors.is_empty() {
            return None;
        }
        let Placing { slots, mut clauses, .. } = placing;
        if clauses.len() % 2 != 0 {
            clauses.push(Clause::Plain(Plain::default()));
        }
        let mut spans: Vec<Option<Span>> = self.items.iter().map(|item| Some(item.span)).collect();
        spans.resize(clauses.len(), None);
        spans.extend(slots.values().map(|k| self.lines.get(*k).map(|line| line.span)));
        let words = |k: usize| match &self.lines[k].content {
            Content::Words(words) => Some(*words),
            Content::Alu(vector) => vector.slot(errors).map(|alu| slot_words(&Slot::Alu(alu))),
        };
        let slots: Option<Vec<[u32; 3]>> = slots.values().copied().map(words).collect();
        let shader = super::Shader {
            clauses,
            slots: slots?.into_iter().map(Slot::Raw).collect(),
            tail: self.tail.clone(),
            stage: None,
        };
        Some((super::encode::to_dwords(&shader), spans))
    }
}

struct Placing<'p, 'e> {
    shader: &'p ParsedShader,
    /// The line index of each slot, by slot position.
    slots: BTreeMap<usize, usize>,
    /// The position after the highest slot placed so far; at first, after the clauses.
    next: usize,
    clauses: Vec<Clause>,
    errors: &'e mut Vec<Diagnostic>,
}

impl Placing<'_, '_> {
    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.errors.push(Diagnostic::new(span, message));
    }

    fn place_slots(&mut self) {
        let shader = self.shader;
        let flat = self.is_flat();
        for (index, item) in shader.items.iter().enumerate() {
            let mut clause = item.clause;
            match &mut clause {
                Clause::Exec(e) => {
                    let lines = if flat { &[][..] } else { &item.lines[..] };
                    if !item.has_addr {
                        match u16::try_from(self.next).ok().filter(|at| u128::from(*at) <= Exec::addr.max()) {
                            Some(addr) => e.addr = addr,
                            None => self.error(
                                item.span,
                                "the slots of this clause are beyond the range of its address field",
                            ),
                        }
                    }
                    if !item.has_cnt {
                        if lines.len() > usize::from(MAX_RUN) {
                            self.error(item.span, "a clause can run at most six slots");
                        }
                        e.cnt = u8::try_from(lines.len()).unwrap_or(MAX_RUN).min(MAX_RUN);
                    } else if !lines.is_empty() && usize::from(e.cnt) != lines.len() {
                        let message = format!(
                            "CNT says {}, but {} are listed below the clause",
                            count(e.cnt, "slot"),
                            lines.len()
                        );
                        self.error(item.span, message);
                    }
                    for (k, line) in lines.iter().enumerate() {
                        self.put(usize::from(e.addr) + k, *line);
                    }
                }
                Clause::Branch(b) if !item.has_dir && item.clause.op() != CfOp::Return => {
                    b.direction = u8::from(usize::from(b.addr) > index);
                }
                _ => {}
            }
            if let Some(line) = item.lines.first()
                && !flat
                && !matches!(clause, Clause::Exec(_))
            {
                let span = shader.lines[*line].span;
                self.error(span, "a slot must be below the clause that runs it: EXEC or a variant of it");
            }
            self.clauses.push(clause);
        }
        let lines: Vec<_> = shader.lines.iter().enumerate().map(|(k, l)| (k, l.label)).collect();
        for (k, label) in lines {
            match label {
                Some(label) => self.put(label as usize, k),
                None if flat => self.put(self.next, k),
                None => {}
            }
        }
        if let Some((missing, _)) = self
            .slots
            .keys()
            .enumerate()
            .map(|(k, at)| (shader.area() + k, *at))
            .find(|(want, at)| want != at)
        {
            self.error(shader.span, format!("slot {missing:#x} is missing, although later slots are given"));
        }
        if !self.errors.is_empty() {
            return;
        }
        for (index, item) in shader.items.iter().enumerate() {
            self.kinds(index, item);
        }
    }

    /// Whether the text lists all clauses first and then all slots: only the last clause has slots below it, and an earlier clause that runs slots
    /// does not state SEQ.
    fn is_flat(&self) -> bool {
        let Some((last, rest)) = self.shader.items.split_last() else { return false };
        let bare = |item: &Item| {
            !item.has_seq && item.lines.is_empty() && matches!(&item.clause, Clause::Exec(e) if e.cnt > 0)
        };
        rest.iter().all(|i| i.lines.is_empty()) && !last.lines.is_empty() && rest.iter().any(bare)
    }

    fn put(&mut self, at: usize, line: usize) {
        let span = self.shader.lines[line].span;
        if at < self.shader.area() {
            self.error(span, format!("slot {at:#x} is already taken by clauses"));
        } else if self.slots.insert(at, line).is_some() {
            self.error(span, format!("slot {at:#x} is given twice"));
        }
        self.next = self.next.max(at + 1);
    }

    /// Derives SEQ of a clause from the lines of the slots that it runs.
    fn kinds(&mut self, index: usize, item: &Item) {
        let Some(Clause::Exec(mut e)) = self.clauses.get(index).copied() else { return };
        if item.has_seq {
            return;
        }
        let mut modes = e.modes();
        for (k, mode) in (0..e.slot_count()).zip(&mut modes) {
            let at = usize::from(e.addr) + usize::from(k);
            let line = self.slots.get(&at).map(|line| &self.shader.lines[*line]);
            let Some((fetch, serial)) = line.and_then(|l| Some((l.fetch?, l.serial))) else {
                let message = format!("the text does not state whether slot {at:#x} is run as ALU or FETCH");
                let help = "list the slot below the clause, or give SEQ";
                self.errors.push(Diagnostic::new(item.span, message).with_help(help));
                return;
            };
            (mode.fetch, mode.serial) = (fetch, serial);
        }
        e.set_modes(modes);
        self.clauses[index] = Clause::Exec(e);
    }
}
