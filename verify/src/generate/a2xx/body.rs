//! The state of a shader under construction: registers written, values not read yet, and exports still to be written.

use super::range::{Range, hull};
use lockstep_core::isa::Stage;
use lockstep_core::isa::a2xx::program::{Branch, Clause, Exec, Slot};

/// The number of general registers.
pub(super) const REGISTERS: usize = 64;

/// A set of components for each register.
pub(super) type Masks = [u8; REGISTERS];

/// The facts known about one component of a register. A component that no instruction has written contains an input.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    pub(super) range: Range,
    /// Whether the component has been written.
    pub(super) written: bool,
    /// Whether no instruction has read the value yet.
    pub(super) unread: bool,
}

/// A clause, slot or label under construction, before addresses are assigned.
#[derive(Clone, Copy, Debug)]
pub(super) enum Item {
    /// A slot of the open clause, or of a new clause if none is open.
    Slot(Slot),
    /// The start of a clause that runs the slots that follow.
    Head(Exec),
    /// A clause without a jump target.
    Clause(Clause),
    /// A clause whose jump target is this label.
    To(Clause, usize),
    /// A call of the part with this number.
    Call(Branch, usize),
    /// A label: a position that clauses may jump to.
    Label(usize),
}

/// A part of the shader: the main program or a procedure.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    pub(super) items: Vec<Item>,
    pub(super) reads: Vec<(usize, u8)>,
    pub(super) writes: Vec<(usize, u8)>,
    /// The depth of nested calls inside this part.
    pub(super) depth: usize,
    /// The depth of nested loops inside this part.
    pub(super) loops: usize,
    /// The number of loops around the first call of this part.
    pub(super) around: usize,
    /// Whether the part is complete, so that it can be called again.
    pub(super) done: bool,
}

/// A region that only some lanes run, or that may run more than once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope {
    /// The components that were unread at the start of the region.
    pub(super) before: Masks,
    /// Whether the region may run more than once.
    pub(super) repeats: bool,
}

/// The state of the shader under construction.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools)] // independent flags
pub(super) struct Body {
    /// The requested mnemonic; empty if none is requested.
    pub(super) opcode: &'static str,
    pub(super) stage: Stage,
    pub(super) xenos: bool,
    /// Whether there is a vertex fetch that is not a mini fetch.
    pub(super) has_full_fetch: bool,
    pub(super) parts: Vec<Part>,
    /// The index of the part being written.
    pub(super) part: usize,
    pub(super) labels: usize,
    pub(super) cells: [[Cell; 4]; REGISTERS],
    /// The input registers preferred for reads.
    pub(super) inputs: Vec<u8>,
    /// The registers preferred for writes.
    pub(super) working: Vec<u8>,
    pub(super) constants: Vec<u8>,
    /// A bit set of the registers used as loop counters.
    pub(super) pinned: u64,
    pub(super) scopes: Vec<Scope>,
    /// The number of enclosing hardware loops, including those around calls of this part.
    pub(super) loops: usize,
    pub(super) calls: usize,
    /// The depth of nested scopes in this part.
    pub(super) depth: usize,
    /// Whether all exports have been allocated at the start, so that an export may be written anywhere.
    pub(super) early: bool,
    /// The exports still to be written, each with its write mask.
    pub(super) exports: Vec<(u8, u8)>,
    /// Whether the predicate differs between lanes; `None` if it has not been set.
    pub(super) predicate: Option<bool>,
    /// Whether a0 has been set.
    pub(super) a0: bool,
    /// Whether the next source is preferably a constant relative to a0.
    pub(super) use_a0: bool,
    /// The range of the previous scalar result.
    pub(super) previous: Range,
    /// Whether no instruction has read the previous scalar result yet.
    pub(super) previous_unread: bool,
    /// Whether the program may use relative addressing.
    pub(super) relative: bool,
    /// Whether rules of warning level may be broken.
    pub(super) allows_warnings: bool,
    /// Whether a step emits exactly one slot.
    pub(super) single_slot: bool,
    /// The buffers fetched from so far, with the format used for each.
    pub(super) buffers: Vec<(u8, u8)>,
}

impl Body {
    pub(super) fn new(stage: Stage, opcode: &'static str) -> Body {
        let cell = Cell { range: Range::INPUT, written: false, unread: false };
        Body {
            opcode,
            stage,
            xenos: false,
            has_full_fetch: false,
            parts: vec![Part::default()],
            part: 0,
            labels: 0,
            cells: [[cell; 4]; REGISTERS],
            inputs: vec![0, 1],
            working: vec![2, 3, 4, 5],
            constants: vec![0],
            pinned: 0,
            scopes: Vec::new(),
            loops: 0,
            calls: 0,
            depth: 0,
            early: false,
            exports: Vec::new(),
            predicate: None,
            a0: false,
            use_a0: false,
            previous: Range::ZERO,
            previous_unread: false,
            relative: false,
            allows_warnings: false,
            single_slot: false,
            buffers: Vec::new(),
        }
    }

    /// Whether instructions with this mnemonic are requested.
    pub(super) fn is_requested(&self, mnemonic: &str) -> bool {
        self.opcode == mnemonic
    }

    /// Returns the part being written.
    pub(super) fn current_part(&mut self) -> &mut Part {
        &mut self.parts[self.part]
    }

    pub(super) fn push(&mut self, item: Item) {
        self.current_part().items.push(item);
    }

    pub(super) fn label(&mut self) -> usize {
        self.labels += 1;
        self.labels - 1
    }

    /// Returns the number of slots in this part.
    pub(super) fn at(&self) -> usize {
        self.parts[self.part].items.iter().filter(|i| matches!(i, Item::Slot(_))).count()
    }

    /// Returns the number of items in all parts: slots, clauses and labels.
    pub(super) fn size(&self) -> usize {
        self.parts.iter().map(|part| part.items.len()).sum()
    }

    /// Whether every lane runs this position exactly once.
    pub(super) fn runs_exactly_once(&self) -> bool {
        self.part == 0 && self.scopes.is_empty()
    }

    pub(super) fn is_repeated(&self) -> bool {
        self.scopes.iter().any(|scope| scope.repeats)
    }

    /// Whether an export may be emitted here. The last export is kept for the end.
    pub(super) fn may_export(&self) -> bool {
        self.early && self.runs_exactly_once() && self.exports.len() > 1
    }

    fn mask_of(&self, number: usize, which: impl Fn(&Cell) -> bool) -> u8 {
        let cells = self.cells[number].iter().enumerate();
        cells.filter(|(_, cell)| which(cell)).fold(0, |mask, (c, _)| mask | 1 << c)
    }

    /// Returns the unread components of a register; a loop counter has none.
    pub(super) fn unread(&self, number: usize) -> u8 {
        if self.pinned >> number & 1 == 1 { 0 } else { self.mask_of(number, |cell| cell.unread) }
    }

    pub(super) fn written(&self, number: usize) -> u8 {
        self.mask_of(number, |cell| cell.written)
    }

    /// Returns the registers with unread components.
    pub(super) fn unread_registers(&self) -> Vec<usize> {
        (0..REGISTERS).filter(|n| self.unread(*n) != 0).collect()
    }

    pub(super) fn masks(&self) -> Masks {
        std::array::from_fn(|n| self.unread(n))
    }

    /// Returns the hull of the ranges of some components of a register.
    pub(super) fn hull_of(&self, number: usize, mask: u8) -> Range {
        let ranges: Vec<Range> = bits(mask).map(|c| self.cells[number][c].range).collect();
        hull(&ranges)
    }

    /// Records that components of a register are read.
    pub(super) fn mark(&mut self, number: usize, mask: u8) {
        let part = self.part;
        self.parts[part].reads.push((number, mask));
        // A component that is read only inside a branch stays unread, since nothing reads it if the branch is not taken.
        let waits = self.scopes.iter().find(|s| !s.repeats).map_or(0, |s| s.before[number]);
        for c in bits(mask & !waits) {
            self.cells[number][c].unread = false;
        }
    }

    /// Records the ranges of written components. `sure` means that every lane that runs this position writes them.
    pub(super) fn record_write(&mut self, number: usize, mask: u8, ranges: &[Range; 4], sure: bool) {
        let part = self.part;
        self.parts[part].writes.push((number, mask));
        let inside = !self.scopes.is_empty() || !sure;
        for c in bits(mask) {
            let cell = &mut self.cells[number][c];
            let range = if inside { cell.range.or(ranges[c]) } else { ranges[c] };
            *cell = Cell { range, written: true, unread: true };
        }
    }

    /// Begins a region that only some lanes run, or that may run again.
    pub(super) fn enter(&mut self, repeats: bool) {
        let before = self.masks();
        self.scopes.push(Scope { before, repeats });
        self.depth += 1;
    }

    pub(super) fn leave(&mut self) {
        self.scopes.pop();
        self.depth -= 1;
    }
}

/// Returns the indices of the set bits, 0 to 3.
pub(super) fn bits(mask: u8) -> impl Iterator<Item = usize> {
    (0..4).filter(move |c| mask >> c & 1 == 1)
}
