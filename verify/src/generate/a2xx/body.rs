//! A shader under construction: what has been written, what has not been read yet, and what is still owed.

use super::range::{Range, hull};
use super::want::Target;
use lockstep_core::isa::Stage;
use lockstep_core::isa::a2xx::program::{Branch, Clause, Exec, Slot};

/// General registers.
pub(super) const REGISTERS: usize = 64;

/// A set of components for each register.
pub(super) type Masks = [u8; REGISTERS];

/// A component of a register. Those that nothing has written hold inputs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    pub(super) range: Range,
    /// Whether it has been written.
    pub(super) written: bool,
    /// Whether nothing has read it since.
    pub(super) unread: bool,
}

/// A piece of a part, whose places are not known yet.
#[derive(Clone, Copy, Debug)]
pub(super) enum Item {
    /// A slot of the clause that is open, or of a new one.
    Slot(Slot),
    /// Opens a clause for the slots behind it.
    Head(Exec),
    /// A clause that goes nowhere.
    Clause(Clause),
    /// A clause that goes to a label.
    To(Clause, usize),
    /// A call of another part.
    Call(Branch, usize),
    /// A place that clauses go to.
    Label(usize),
}

/// The main program, or a procedure.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    pub(super) items: Vec<Item>,
    pub(super) reads: Vec<(usize, u8)>,
    pub(super) writes: Vec<(usize, u8)>,
    /// How many calls, and loops, deep it goes.
    pub(super) depth: usize,
    pub(super) loops: usize,
    /// How many loops are around where it was first called.
    pub(super) around: usize,
    /// Whether it is finished, so that it can be called again.
    pub(super) done: bool,
}

/// What only some lanes run, or lanes run more than once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope {
    /// The components that were unread when it began.
    pub(super) before: Masks,
    /// Whether it may be run again.
    pub(super) repeats: bool,
}

/// The shader so far.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools)] // each on its own
pub(super) struct Body {
    pub(super) target: Target,
    pub(super) stage: Stage,
    pub(super) xenos: bool,
    pub(super) parts: Vec<Part>,
    /// The part that is being written.
    pub(super) part: usize,
    pub(super) labels: usize,
    pub(super) cells: [[Cell; 4]; REGISTERS],
    /// Registers that hold inputs and are read for preference, and those that are written.
    pub(super) inputs: Vec<u8>,
    pub(super) working: Vec<u8>,
    pub(super) constants: Vec<u8>,
    /// Registers that count something.
    pub(super) pinned: u64,
    pub(super) scopes: Vec<Scope>,
    /// Hardware loops around, over all parts.
    pub(super) loops: usize,
    pub(super) calls: usize,
    /// How deep scopes are nested in this part.
    pub(super) depth: usize,
    /// Whether what is exported has been reserved already, so that exports may be anywhere.
    pub(super) early: bool,
    /// Exports still owed, each with the components it may have.
    pub(super) exports: Vec<(u8, u8)>,
    /// Whether the predicate has been set, and if so whether lanes differ in it.
    pub(super) predicate: Option<bool>,
    /// Whether a0 has been set, and whether the next constant is to be relative to it.
    pub(super) a0: bool,
    pub(super) use_a0: bool,
    /// What the previous scalar holds, and whether it has been read.
    pub(super) previous: Range,
    pub(super) previous_unread: bool,
    /// Whether the program uses relative numbers now and then.
    pub(super) relative: bool,
    /// Whether rules of warning level may be broken.
    pub(super) sloppy: bool,
    /// Whether a step is one slot and no more.
    pub(super) tight: bool,
    /// Buffers fetched from so far, with the format read there.
    pub(super) buffers: Vec<(u8, u8)>,
}

impl Body {
    pub(super) fn new(stage: Stage, target: Target) -> Body {
        let cell = Cell { range: Range::INPUT, written: false, unread: false };
        Body {
            target,
            stage,
            xenos: false,
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
            sloppy: false,
            tight: false,
            buffers: Vec::new(),
        }
    }

    /// The part that is being written.
    pub(super) fn here(&mut self) -> &mut Part {
        &mut self.parts[self.part]
    }

    pub(super) fn push(&mut self, item: Item) {
        self.here().items.push(item);
    }

    pub(super) fn label(&mut self) -> usize {
        self.labels += 1;
        self.labels - 1
    }

    /// Slots of this part.
    pub(super) fn at(&self) -> usize {
        self.parts[self.part].items.iter().filter(|i| matches!(i, Item::Slot(_))).count()
    }

    /// Slots and clauses of all parts.
    pub(super) fn size(&self) -> usize {
        self.parts.iter().map(|part| part.items.len()).sum()
    }

    /// Whether every lane comes by here once.
    pub(super) fn plain(&self) -> bool {
        self.part == 0 && self.scopes.is_empty()
    }

    pub(super) fn repeats(&self) -> bool {
        self.scopes.iter().any(|scope| scope.repeats)
    }

    /// Whether an export may stand here.
    pub(super) fn may_export(&self) -> bool {
        self.early && self.plain() && self.exports.len() > 1
    }

    fn mask_of(&self, number: usize, which: impl Fn(&Cell) -> bool) -> u8 {
        let cells = self.cells[number].iter().enumerate();
        cells.filter(|(_, cell)| which(cell)).fold(0, |mask, (c, _)| mask | 1 << c)
    }

    /// Components of a register that wait to be read.
    pub(super) fn unread(&self, number: usize) -> u8 {
        if self.pinned >> number & 1 == 1 { 0 } else { self.mask_of(number, |cell| cell.unread) }
    }

    pub(super) fn written(&self, number: usize) -> u8 {
        self.mask_of(number, |cell| cell.written)
    }

    /// Registers with components that wait to be read.
    pub(super) fn waiting(&self) -> Vec<usize> {
        (0..REGISTERS).filter(|n| self.unread(*n) != 0).collect()
    }

    pub(super) fn masks(&self) -> Masks {
        std::array::from_fn(|n| self.unread(n))
    }

    /// The hull of some components of a register.
    pub(super) fn over(&self, number: usize, mask: u8) -> Range {
        let ranges: Vec<Range> = bits(mask).map(|c| self.cells[number][c].range).collect();
        hull(&ranges)
    }

    /// Notes that components of a register are read.
    pub(super) fn mark(&mut self, number: usize, mask: u8) {
        let part = self.part;
        self.parts[part].reads.push((number, mask));
        // What only a branch has read still waits: where the branch is not taken nothing has read it.
        let waits = self.scopes.iter().find(|s| !s.repeats).map_or(0, |s| s.before[number]);
        for c in bits(mask & !waits) {
            self.cells[number][c].unread = false;
        }
    }

    /// Gives components of a register their ranges; `sure` if every lane that comes by writes them.
    pub(super) fn put(&mut self, number: usize, mask: u8, ranges: &[Range; 4], sure: bool) {
        let part = self.part;
        self.parts[part].writes.push((number, mask));
        let inside = !self.scopes.is_empty() || !sure;
        for c in bits(mask) {
            let cell = &mut self.cells[number][c];
            let range = if inside { cell.range.or(ranges[c]) } else { ranges[c] };
            *cell = Cell { range, written: true, unread: true };
        }
    }

    /// Begins what only some lanes run, or lanes run again.
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

/// The numbers of the set bits, 0 to 3.
pub(super) fn bits(mask: u8) -> impl Iterator<Item = usize> {
    (0..4).filter(move |c| mask >> c & 1 == 1)
}
