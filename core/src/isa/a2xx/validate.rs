//! The validator: checks a shader against the rules. [`super::rules`] defines the rules and their levels.

use super::A2xx;
use super::decode::{Runs, kinds};
use super::flow::{successors, walk};
use super::interface::{ADRENO, REGISTERS, XENOS, run_slots};
use super::limits::{ADRENO_ADDR, HIGHEST_SIZE, MAX_NESTING, MAX_SLOTS, export_buffer};
use super::opcode::{CfOp, ScalarOp, VectorOp};
use super::program::{Alu, Clause, Exec, INVALID, Program, RESULT_SWIZZLE, Shader, Slot, Texture, Vertex};
use super::rules::Rule;
use super::word::{Anisotropy, Buffer, Kernel, RegLod};
use crate::isa::registers::{is_final, is_initial};
use crate::isa::{Entry, Stage, Violation, are_valid_ports, violation};
use std::collections::BTreeMap;

/// Returns all violations: those of the whole program first, then those of clauses, then those of slots. Slots are checked only if a reachable clause
/// runs them.
pub fn validate(program: &Program, entry: &Entry) -> Vec<Violation> {
    let mut found = Vec::new();
    let location = program.locate(entry.start).filter(|(_, at)| *at == 0);
    let Some((k, _)) = location else {
        report(&mut found, Rule::EntryMismatch, None);
        return found;
    };
    let shader = &program.shaders[k];
    let straight = |clause: &Clause| matches!(clause, Clause::Plain(_) | Clause::Exec(_) | Clause::Alloc(_));
    let mut check = Check {
        shader,
        entry,
        first: entry.start,
        found,
        straight: shader.clauses.iter().all(straight),
        reached: vec![false; shader.clauses.len()],
        allocated: [false; 4],
        has_full_fetch: false,
        parameters: None,
        exported: BTreeMap::new(),
    };
    check.check_program();
    check.check_clauses();
    check.check_slots();
    // The checks of clauses also report slots, so the order is not yet that of the words.
    violation::sort(&mut check.found);
    check.found
}

fn report(found: &mut Vec<Violation>, rule: Rule, word: Option<u32>) {
    found.push(rule.row().violation(word));
}

struct Check<'a> {
    shader: &'a Shader,
    entry: &'a Entry,
    /// Number of the shader's first word.
    first: u32,
    found: Vec<Violation>,
    /// Whether the shader has no loops, calls or jumps.
    straight: bool,
    /// Whether each clause is reachable.
    reached: Vec<bool>,
    /// For each buffer, whether an earlier ALLOC reserves it, in program order.
    allocated: [bool; 4],
    /// Whether a vertex fetch without MINI_FETCH has occurred so far, in program order.
    has_full_fetch: bool,
    /// The maximum SIZE of the ALLOCs for parameters.
    parameters: Option<u8>,
    /// For each export, the components that earlier slots write unconditionally.
    exported: BTreeMap<u8, u8>,
}

impl Check<'_> {
    fn report_if(&mut self, rule: Rule, at: Option<usize>, is_broken: bool) {
        if is_broken {
            report(&mut self.found, rule, at.map(|at| self.first + at as u32));
        }
    }

    fn area(&self) -> usize {
        self.shader.clauses.len() / 2
    }

    fn is_fragment(&self) -> bool {
        self.entry.stage == Stage::Fragment
    }

    // ---- the program as a whole

    fn check_program(&mut self) {
        let entry = self.entry;
        let ports = &entry.interface;
        let mismatch = self.shader.stage.is_some_and(|s| s != entry.stage)
            || entry.stage == Stage::Geometry
            || !matches!(entry.version, ADRENO | XENOS)
            || !are_valid_ports(&ports.inputs, |p| p.slot < REGISTERS || is_initial::<A2xx>(entry, p))
            || !are_valid_ports(&ports.outputs, |p| is_final::<A2xx>(entry, p));
        self.report_if(Rule::EntryMismatch, None, mismatch);
        let clauses = &self.shader.clauses;
        let (mut ends, mut off) = (false, false);
        let mut reached = vec![false; clauses.len()];
        let nop = Clause::from_word(0);
        walk(
            clauses.len(),
            |index| clauses.get(index).copied().unwrap_or(nop),
            |index, clause| {
                reached[index] = true;
                ends |= clause.op().is_end();
                off |= index + 1 == clauses.len()
                    && successors(index, clause, true).any(|s| s.index == clauses.len());
                clauses.len()
            },
        );
        self.reached = reached;
        self.report_if(Rule::NoEnd, None, !ends);
        self.report_if(Rule::RunsOff, None, off);
        self.report_if(Rule::TooLong, None, self.area() + self.shader.slots.len() > MAX_SLOTS);
    }

    // ---- clauses

    fn check_clauses(&mut self) {
        let nesting = self.nesting_faults();
        for (index, clause) in self.shader.clauses.iter().enumerate() {
            let at = Some(index);
            if !self.reached[index] {
                self.report_if(Rule::Unreached, at, clause.to_word() != 0);
                continue;
            }
            self.report_if(Rule::Depth, at, nesting.too_deep[index]);
            self.report_if(Rule::StrayEnd, at, nesting.stray[index]);
            self.check_clause(index, clause);
        }
    }

    fn check_clause(&mut self, index: usize, clause: &Clause) {
        let at = Some(index);
        let count = self.shader.clauses.len();
        let (reserved, absolute) = match clause {
            Clause::Plain(c) => {
                self.report_if(Rule::Payload, at, c.has_reserved());
                (false, c.absolute)
            }
            Clause::Exec(e) => {
                self.check_exec(at, e);
                (e.has_reserved_bits(), e.absolute)
            }
            Clause::LoopStart(l) => {
                self.report_if(Rule::Target, at, usize::from(l.addr) >= count);
                (l.has_reserved(), l.absolute)
            }
            Clause::LoopEnd(l) => {
                self.report_if(Rule::Target, at, usize::from(l.addr) >= count);
                (l.has_reserved(), l.absolute)
            }
            Clause::Branch(b) => {
                let has_target = clause.op() != CfOp::Return;
                self.report_if(Rule::Target, at, has_target && usize::from(b.addr) >= count);
                (b.has_reserved(), b.absolute)
            }
            Clause::Alloc(a) => {
                self.report_if(Rule::AllocSize, at, a.size > HIGHEST_SIZE);
                self.allocated[usize::from(a.buffer & 3)] = true;
                if Buffer::from_number(a.buffer) == Some(Buffer::Parameters) {
                    self.parameters = self.parameters.max(Some(a.size));
                }
                (a.has_reserved(), 0)
            }
        };
        self.report_if(Rule::Reserved, at, reserved);
        self.report_if(Rule::AddressMode, at, absolute != 0);
    }

    fn check_exec(&mut self, at: Option<usize>, e: &Exec) {
        let (area, end) = (self.area(), self.area() + self.shader.slots.len());
        let last = usize::from(e.addr) + usize::from(e.cnt);
        self.report_if(Rule::Count, at, e.cnt > e.slot_count());
        self.report_if(Rule::Range, at, e.cnt > 0 && (usize::from(e.addr) < area || last > end));
        self.report_if(Rule::Sequence, at, e.has_stray_sequence());
        self.report_if(Rule::Address9, at, self.entry.version == ADRENO && e.addr > ADRENO_ADDR);
        // Exports must have been reserved by an earlier ALLOC.
        let mut missing = false;
        for slot in run_slots(self.shader, e) {
            if let Slot::Alu(alu) = slot
                && alu.export != 0
            {
                let buffer = export_buffer(self.entry.stage, alu.vdest);
                missing |= buffer.is_some_and(|b| b > 0 && !self.allocated[usize::from(b & 3)]);
            }
        }
        self.report_if(Rule::NoAlloc, at, missing);
        self.check_repeated_exports(e);
        self.check_mini_fetches(e);
    }

    /// Checks that a vertex fetch without MINI_FETCH precedes each fetch with MINI_FETCH, in program order.
    fn check_mini_fetches(&mut self, e: &Exec) {
        let Some(first) = usize::from(e.addr).checked_sub(self.area()) else { return };
        for (k, slot) in run_slots(self.shader, e).enumerate() {
            let Slot::Vertex(vertex) = slot else { continue };
            self.has_full_fetch |= vertex.mini_fetch == 0;
            let at = self.shader.clauses.len() + first + k;
            self.report_if(Rule::NoFullFetch, Some(at), !self.has_full_fetch);
        }
    }

    /// Checks that no export component is written twice by unconditional clauses of a straight-line program.
    fn check_repeated_exports(&mut self, e: &Exec) {
        let Some(first) = usize::from(e.addr).checked_sub(self.area()) else { return };
        if !matches!(e.op(), CfOp::Exec | CfOp::ExecEnd) || !self.straight {
            return;
        }
        for (k, slot) in run_slots(self.shader, e).enumerate() {
            let Slot::Alu(alu) = slot else { continue };
            // Memory exports have ordering rules of their own.
            let buffer = export_buffer(self.entry.stage, alu.vdest).filter(|buffer| *buffer < 3);
            if alu.export == 0 || alu.pred_en != 0 || buffer.is_none() {
                continue;
            }
            // Zeros filled in by SDEST_REL may be overwritten, as the official compiler does.
            let mask = alu.vmask | alu.smask;
            let written = self.exported.entry(alu.vdest).or_default();
            let again = *written & mask != 0;
            *written |= mask;
            let at = self.shader.clauses.len() + first + k;
            self.report_if(Rule::ExportAgain, Some(at), again);
        }
    }

    /// Returns the clauses that, on some path, nest too deep or end a loop that has not begun.
    fn nesting_faults(&self) -> NestingFaults {
        let clauses = &self.shader.clauses;
        let mut faults =
            NestingFaults { too_deep: vec![false; clauses.len()], stray: vec![false; clauses.len()] };
        // A state is a clause with its loop and call depth; depths are at most MAX_NESTING, so a bit mask per clause suffices.
        const LEVELS: u8 = MAX_NESTING + 1;
        const { assert!(LEVELS as u32 * LEVELS as u32 <= u32::BITS) };
        let mut seen = vec![0u32; clauses.len()];
        let mut open = vec![(0usize, 0u8, 0u8)];
        while let Some((index, loops, calls)) = open.pop() {
            let Some(clause) = clauses.get(index) else { continue };
            let bit = 1 << (loops * LEVELS + calls);
            if seen[index] & bit != 0 {
                continue;
            }
            seen[index] |= bit;
            let next = index + 1;
            let deeper = |to: u16, loops: u8, calls: u8| (usize::from(to), loops, calls);
            match clause {
                Clause::LoopStart(_) if loops == MAX_NESTING => {
                    faults.too_deep[index] = true;
                }
                Clause::LoopStart(l) => open.extend([(next, loops + 1, calls), deeper(l.addr, loops, calls)]),
                Clause::LoopEnd(_) if loops == 0 => {
                    faults.stray[index] = true;
                }
                Clause::LoopEnd(l) => open.extend([(next, loops - 1, calls), deeper(l.addr, loops, calls)]),
                Clause::Branch(_) if clause.op() == CfOp::CondCall && calls == MAX_NESTING => {
                    faults.too_deep[index] = true;
                }
                Clause::Branch(b) if clause.op() == CfOp::CondCall => {
                    open.extend([(next, loops, calls), deeper(b.addr, loops, calls + 1)]);
                }
                _ => open.extend(successors(index, clause, calls > 0).map(|s| (s.index, loops, calls))),
            }
        }
        faults
    }

    // ---- slots

    fn check_slots(&mut self) {
        let shader = self.shader;
        let reached: Vec<Clause> = shader
            .clauses
            .iter()
            .zip(&self.reached)
            .map(|(c, reached)| if *reached { *c } else { Clause::from_word(0) })
            .collect();
        let kinds = kinds(&reached, self.area() + shader.slots.len());
        for (k, slot) in shader.slots.iter().enumerate() {
            if kinds[k] == Runs::default() {
                continue;
            }
            let at = Some(shader.clauses.len() + k);
            match slot {
                Slot::Alu(alu) => self.check_alu(at, alu),
                Slot::Vertex(v) => self.check_vertex(at, v),
                Slot::Texture(t) => self.check_texture(at, t),
                Slot::Raw(_) => self.report_if(Rule::BothKinds, at, true),
            }
        }
    }

    fn check_alu(&mut self, at: Option<usize>, alu: &Alu) {
        let (vector, scalar) = (alu.vector(), alu.scalar());
        self.report_if(Rule::VectorOpcode, at, vector.is_none());
        self.report_if(Rule::ScalarOpcode, at, scalar.is_none());
        let exports = alu.export != 0;
        if exports {
            let buffer = export_buffer(self.entry.stage, alu.vdest);
            self.report_if(Rule::ExportNumber, at, buffer.is_none());
            // Only Adreno's compilers store the number of parameters in SIZE.
            let counted = self.entry.version == ADRENO && !self.is_fragment() && buffer == Some(2);
            let beyond = self.parameters.is_some_and(|size| alu.vdest > size);
            self.report_if(Rule::ParameterSize, at, counted && beyond);
            self.report_if(Rule::ScalarDest, at, alu.smask != 0 && alu.sdest != alu.vdest);
            self.report_if(Rule::RelativeExport, at, alu.vdest_rel != 0);
        } else {
            let same = alu.vdest == alu.sdest && alu.vdest_rel == alu.sdest_rel;
            self.report_if(Rule::BothWrite, at, same && alu.vmask & alu.smask != 0);
        }
        self.report_if(Rule::PredicateUnused, at, alu.pred_cond != 0 && alu.pred_en == 0);
        let kills = vector.is_some_and(VectorOp::kills) || scalar.is_some_and(ScalarOp::kills);
        self.report_if(Rule::KillInVertex, at, kills && !self.is_fragment());
        self.report_if(Rule::AbsConst, at, alu.abs_const != 0 && self.entry.version == ADRENO);
    }

    fn check_vertex(&mut self, at: Option<usize>, v: &Vertex) {
        self.report_if(Rule::SubIndex, at, v.const_sub > 2);
        self.report_if(Rule::FetchSwizzle, at, has_invalid_selector(v.dst_swizzle));
        self.report_if(Rule::VertexBit, at, v.has_wrong_fixed());
        self.report_if(Rule::NoVertexFormat, at, v.components(self.entry.version).is_none());
        self.report_if(Rule::Reserved, at, v.has_reserved());
        self.report_if(Rule::PredicateUnused, at, v.pred_cond != 0 && v.pred_en == 0);
    }

    fn check_texture(&mut self, at: Option<usize>, t: &Texture) {
        self.report_if(Rule::FetchOpcode, at, t.op().is_none());
        self.report_if(Rule::FetchSwizzle, at, has_invalid_selector(t.dst_swizzle));
        self.report_if(
            Rule::Filter,
            at,
            Anisotropy::from_number(t.aniso_filter).is_none()
                || Kernel::from_number(t.arbitrary_filter).is_none(),
        );
        // Adreno takes the dimension from the constant; Xenos has only one bit of REG_LOD.
        let reserved =
            if self.entry.version == ADRENO { t.dimension } else { RegLod::from_word(t.use_reg_lod).adreno };
        self.report_if(Rule::Reserved, at, t.has_reserved() || reserved != 0);
        self.report_if(Rule::PredicateUnused, at, t.pred_cond != 0 && t.pred_en == 0);
    }
}

/// For each clause, whether it nests too deep, and whether it ends a loop that has not begun.
struct NestingFaults {
    too_deep: Vec<bool>,
    stray: Vec<bool>,
}

/// Whether a fetch result has the invalid selector 6.
fn has_invalid_selector(swizzle: u16) -> bool {
    RESULT_SWIZZLE.split(swizzle).contains(&INVALID)
}
