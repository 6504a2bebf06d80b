//! A shader that is being changed by a setter, and the file that contains it.
//!
//! The stage is stated by containers, and implied only by some words. A file that consists of one shader must keep its stage. If its changed words no
//! longer imply it, the shader is put into a packet of a command stream.

use super::site::{ClauseOrSlot, WordKind};
use crate::binary::exact;
use crate::isa::a2xx::container::load_packet_header;
use crate::isa::a2xx::decode::decode_as;
use crate::isa::a2xx::edit::{each_target, pad_and_relocate};
use crate::isa::a2xx::encode::{encode, to_dwords};
use crate::isa::a2xx::interface::stage_of;
use crate::isa::a2xx::opcode::CfOp;
use crate::isa::a2xx::program::{Branch, Clause, Exec, Kind, LoopEnd, LoopStart, Order, Program, Shader};
use crate::isa::facet::{Site, Sited};

/// The loop constant that inserted loops use.
const LOOP: u8 = 1;

/// A copy of a shader that a setter changes, with the site of one of its words.
pub(super) struct Draft<'a> {
    program: &'a Program,
    /// Index of the shader in the program.
    number: usize,
    /// The changed shader, with its stage set explicitly.
    pub(super) shader: Shader,
    /// The position of the site's word in the shader.
    pub(super) position: ClauseOrSlot,
    unit: u8,
}

impl Draft<'_> {
    /// Copies the shader that contains a site.
    pub(super) fn of(program: &Program, site: Site) -> Option<Draft<'_>> {
        let (number, word) = program.locate(site.word)?;
        let mut shader = program.shaders[number].clone();
        shader.stage = Some(stage_of(&shader));
        let position = ClauseOrSlot::of(&shader, word);
        Some(Draft { program, number, shader, position, unit: site.unit })
    }

    /// Returns the word at the site, if it is of kind `T`.
    pub(super) fn word<T: WordKind>(&mut self) -> Option<&mut T> {
        T::of_mut(&mut self.shader, self.position)
    }

    /// Returns the program with the changed shader; `None` if encoding and decoding it would give another program.
    pub(super) fn finish(self) -> Option<Sited<Program>> {
        let Draft { program, number, shader, position, unit } = self;
        let at = match position {
            ClauseOrSlot::Clause(at) => at,
            ClauseOrSlot::Slot(at) => shader.clauses.len() + at,
        };
        let made = if program.kind == Kind::Bare || is_packet(program) {
            file(program.order, shader)?
        } else {
            let mut made = program.clone();
            made.shaders[number] = shader;
            made
        };
        let word = made.first_word(number) + exact::<u32, _>(at);
        let read = decode_as(&encode(&made), made.order).ok()?;
        (read == made).then_some((made, Site { word, unit }))
    }

    /// Inserts a loop around the clause that runs the slot, so that aL has a value. Does nothing if the clause is already in a loop. Fails if no
    /// clause runs the slot, if the clause is a conditional end, or if an address does not fit its field.
    pub(super) fn in_loop(&mut self) -> Option<()> {
        let ClauseOrSlot::Slot(slot) = self.position else { return None };
        let slot = self.shader.clauses.len() / 2 + slot;
        let runs =
            |e: &Exec| slot.checked_sub(e.addr.into()).is_some_and(|k| k < usize::from(e.slot_count()));
        let clauses = &self.shader.clauses;
        let at = clauses.iter().position(|c| matches!(c, Clause::Exec(e) if runs(e)))?;
        let mut depth = 0usize;
        for clause in &clauses[..at] {
            match clause {
                Clause::LoopStart(_) => depth += 1,
                Clause::LoopEnd(_) => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        if depth > 0 && clauses[at..].iter().any(|c| matches!(c, Clause::LoopEnd(_))) {
            return Some(());
        }
        let (mut start, mut end) = (loop_start(0, LOOP), loop_end(0, LOOP));
        (start.addr, end.addr) = (target(at + 3)?, target(at + 1)?);
        let mut after = vec![Clause::LoopEnd(end)];
        if let Clause::Exec(e) = &mut self.shader.clauses[at]
            && e.op().is_end()
        {
            if e.op() != CfOp::ExecEnd {
                return None;
            }
            e.opcode = CfOp::Exec as u8;
            after.push(Clause::Exec(Exec { opcode: CfOp::ExecEnd as u8, ..Exec::default() }));
        }
        self.insert(at, at + 1, &[Clause::LoopStart(start)], &after)
    }

    /// Inserts the clauses `before` in front of clause `start`, and the clauses `after` in front of clause `end`. Branches to `start` then lead to
    /// `before`.
    fn insert(&mut self, start: usize, end: usize, before: &[Clause], after: &[Clause]) -> Option<()> {
        let area = self.shader.clauses.len() / 2;
        let mut fits = true;
        each_target(&mut self.shader, |target| {
            let at = usize::from(*target);
            let more = if at > start { before.len() } else { 0 } + if at >= end { after.len() } else { 0 };
            let moved = self::target(at + more);
            fits &= moved.is_some();
            *target = moved.unwrap_or_default();
        });
        self.shader.clauses.splice(end..end, after.iter().copied());
        self.shader.clauses.splice(start..start, before.iter().copied());
        pad_and_relocate(&mut self.shader, area).filter(|()| fits)
    }
}

/// Changes the word of a site if it is of kind `T`. `change` returns `None` if it fails.
pub(super) fn change<T: WordKind>(
    program: &Program,
    site: Site,
    change: impl FnOnce(&mut T) -> Option<()>,
) -> Option<Sited<Program>> {
    let mut draft = Draft::of(program, site)?;
    change(draft.word()?)?;
    draft.finish()
}

/// Converts a clause number to an address field; `None` if it does not fit.
fn target(clause: usize) -> Option<u16> {
    u16::try_from(clause).ok().filter(|to| u128::from(*to) <= Branch::addr.max())
}

/// Returns a LOOP_START clause.
pub(super) fn loop_start(addr: u16, loop_id: u8) -> LoopStart {
    LoopStart { addr, loop_id, opcode: CfOp::LoopStart as u8, ..LoopStart::default() }
}

/// Returns a LOOP_END clause.
pub(super) fn loop_end(addr: u16, loop_id: u8) -> LoopEnd {
    LoopEnd { addr, loop_id, opcode: CfOp::LoopEnd as u8, ..LoopEnd::default() }
}

/// Returns a file that contains one shader with its stage set: bare words, or a packet if the words do not imply the stage. `None` if neither form
/// can represent the shader.
pub(super) fn file(order: Order, mut shader: Shader) -> Option<Program> {
    let stage = shader.stage.take();
    let current = stage_of(&shader);
    let (kind, first) = match stage.filter(|stage| *stage != current) {
        None => (Kind::Bare, Vec::new()),
        Some(_) if order == Order::Big => return None,
        Some(other) => {
            shader.stage = Some(other);
            (Kind::Packets, load_packet_header(other, to_dwords(&shader).len())?)
        }
    };
    Some(Program { kind, order, shaders: vec![shader], gaps: vec![first, Vec::new()] })
}

/// Whether a program is a single packet that loads a shader.
fn is_packet(program: &Program) -> bool {
    let ([shader], [first, last]) = (&program.shaders[..], &program.gaps[..]) else { return false };
    let head = shader.stage.and_then(|stage| load_packet_header(stage, to_dwords(shader).len()));
    program.kind == Kind::Packets && last.is_empty() && head.as_ref() == Some(first)
}
