//! The state of a program under construction: registers written, values not read yet, and outputs still to be written.

use super::range::{self, Range, hull};
use lockstep_core::isa::Stage;
use lockstep_core::isa::pica200::opcode::{Opcode, SourceComponents};
use lockstep_core::isa::pica200::program::{
    DESCRIPTORS, Descriptor, Instruction, Register, Source, Target, reverse,
};
use lockstep_core::isa::pica200::reads::source_mask;
use lockstep_core::isa::pica200::word::fields;

/// The number of temporaries.
pub(super) const TEMPORARIES: usize = 16;
/// The number of descriptors that `mad` can address.
const TERNARY: usize = 32;

/// A set of components for each temporary.
pub(super) type Masks = [u8; TEMPORARIES];

/// The facts known about a component of a temporary that has been written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    pub(super) range: Range,
    /// Whether no instruction has read the value yet.
    pub(super) unread: bool,
}

/// A region that only some lanes run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Branch {
    /// The components that were unread at the start of the region.
    pub(super) before: Masks,
    /// The unread components that only the other branch has written; this branch may write them too.
    pub(super) merge: Masks,
}

/// A word of a part, with targets still relative to the part's start.
#[derive(Clone, Copy, Debug)]
pub(super) enum Word {
    /// A word that needs no linking.
    Plain(Instruction),
    /// A word, and its descriptor as an index into [`Body::descriptors`]. Linking assigns the final number of the descriptor. Descriptors used by
    /// `mad` get the lowest numbers, because `mad` can address only the first 32.
    Described(Instruction, u8),
    /// A control-flow word with a target in the same part.
    Flow(Instruction),
    /// A call of a procedure.
    Call(Instruction, usize),
}

/// A part of the program: the main program or a procedure.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    pub(super) words: Vec<Word>,
    /// The components of temporaries that the part reads.
    pub(super) reads: Masks,
    /// The components of temporaries that the part writes.
    pub(super) writes: Masks,
    /// The depth of nested calls inside the part.
    pub(super) depth: usize,
    /// Whether the part is complete, so that it can be called again.
    pub(super) done: bool,
    /// The last position that control flow may reach other than from the preceding word.
    pub(super) landing: usize,
}

/// An output to be written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Output {
    pub(super) number: u8,
    /// The components that have not been written yet.
    pub(super) left: u8,
}

/// The state of the program under construction.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools)] // independent flags
pub(super) struct Body {
    pub(super) stage: Stage,
    pub(super) parts: Vec<Part>,
    /// The index of the part being written.
    pub(super) part: usize,
    /// The descriptors, each with whether `mad` uses it; linking puts the descriptors used by `mad` first.
    pub(super) descriptors: Vec<(Descriptor, bool)>,
    pub(super) cells: [[Option<Cell>; 4]; TEMPORARIES],
    /// The number of temporaries in use. The number is kept small, so that temporaries are rewritten often.
    pub(super) working: usize,
    /// A bit set of the temporaries used as loop counters.
    pub(super) pinned: u16,
    pub(super) branches: Vec<Branch>,
    /// The enclosing regions that may run several times, each with the components written before it.
    pub(super) repeats: Vec<Masks>,
    /// The number of enclosing loops of this part.
    pub(super) loops: usize,
    /// The depth of nested blocks in this part.
    pub(super) depth: usize,
    /// The depth of enclosing calls.
    pub(super) calls: usize,
    pub(super) outputs: Vec<Output>,
    /// The inputs preferred for reads.
    pub(super) inputs: Vec<u8>,
    /// The uniforms preferred for reads.
    pub(super) uniforms: Vec<u8>,
    /// Whether `a0.x`, `a0.y` and `aL` differ between lanes; `None` if the register has not been set.
    pub(super) address: [Option<bool>; 3],
    /// The address register that the next instruction must use.
    pub(super) index: Option<u8>,
    /// Whether the condition bits have been set.
    pub(super) compared: bool,
    /// Whether rules of warning level may be broken.
    pub(super) allows_warnings: bool,
}

impl Body {
    pub(super) fn new(stage: Stage) -> Body {
        Body {
            stage,
            parts: vec![Part::default()],
            part: 0,
            descriptors: Vec::new(),
            cells: [[None; 4]; TEMPORARIES],
            working: 4,
            pinned: 0,
            branches: Vec::new(),
            repeats: Vec::new(),
            loops: 0,
            depth: 0,
            calls: 0,
            outputs: Vec::new(),
            inputs: Vec::new(),
            uniforms: Vec::new(),
            address: [None; 3],
            index: None,
            compared: false,
            allows_warnings: false,
        }
    }

    /// Returns the number of words in all parts.
    pub(super) fn size(&self) -> usize {
        self.parts.iter().map(|part| part.words.len()).sum()
    }

    /// Returns the part being written.
    pub(super) fn current_part(&mut self) -> &mut Part {
        &mut self.parts[self.part]
    }

    /// Returns the position of the next word in this part.
    pub(super) fn at(&self) -> usize {
        self.parts[self.part].words.len()
    }

    /// Returns the operation of this part's last word.
    pub(super) fn last(&self) -> Option<Opcode> {
        match self.parts[self.part].words.last()? {
            Word::Plain(i) | Word::Described(i, _) | Word::Flow(i) | Word::Call(i, _) => i.op(),
        }
    }

    /// Whether the main program is being written, at a position that every lane runs exactly once.
    pub(super) fn runs_exactly_once(&self) -> bool {
        self.part == 0 && self.branches.is_empty() && self.repeats.is_empty()
    }

    /// Returns the components of a temporary that have been written.
    pub(super) fn written(&self, number: usize) -> u8 {
        self.mask_of(number, |_| true)
    }

    /// Returns the unread components of a temporary; a loop counter has none.
    pub(super) fn unread(&self, number: usize) -> u8 {
        if self.pinned >> number & 1 == 1 { 0 } else { self.mask_of(number, |cell| cell.unread) }
    }

    fn mask_of(&self, number: usize, which: impl Fn(&Cell) -> bool) -> u8 {
        let cells = self.cells[number].iter().enumerate();
        cells.filter(|(_, cell)| cell.as_ref().is_some_and(&which)).fold(0, |mask, (c, _)| mask | 1 << c)
    }

    /// Returns the temporaries with unread components.
    pub(super) fn unread_temporaries(&self) -> Vec<usize> {
        (0..TEMPORARIES).filter(|n| self.unread(*n) != 0).collect()
    }

    pub(super) fn masks(&self, which: impl Fn(&Body, usize) -> u8) -> Masks {
        std::array::from_fn(|n| which(self, n))
    }

    /// Returns the range of the value that a source provides for a component of the instruction.
    pub(super) fn component_range(&self, source: &Source, component: usize) -> Range {
        let range = match source.register {
            Register::Input(_) => Range::INPUT,
            Register::Temporary(n) => {
                self.cells[usize::from(n)][source.component(component)].map_or(Range::ZERO, |cell| cell.range)
            }
            Register::Uniform(_) => {
                let address = source.idx.checked_sub(1).and_then(|k| self.address[usize::from(k) % 3]);
                Range { varies: address == Some(true), ..Range::CONSTANT }
            }
        };
        if source.negate { range.negated() } else { range }
    }

    /// Returns the hull of the ranges of some components of a source.
    pub(super) fn hull_of(&self, source: &Source, read_mask: u8) -> Range {
        let ranges: Vec<Range> =
            components_of(read_mask).map(|lane| self.component_range(source, lane)).collect();
        hull(&ranges)
    }

    fn mark(&mut self, source: &Source, read_mask: u8) {
        if let Register::Temporary(n) = source.register {
            let mask = components_of(read_mask).fold(0, |mask, lane| mask | 1 << source.component(lane));
            self.record_read(usize::from(n), mask);
        }
    }

    /// Records that components of a temporary are read.
    pub(super) fn record_read(&mut self, n: usize, mask: u8) {
        self.current_part().reads[n] |= mask;
        // A component that is read only inside a branch stays unread, since nothing reads it if the branch is not taken.
        let waits = self.branches.first().map_or(0, |b| b.before[n]);
        for c in components_of(mask & !waits) {
            if let Some(cell) = &mut self.cells[n][c] {
                cell.unread = false;
            }
        }
    }

    /// Records the ranges of written components of a temporary.
    pub(super) fn record_write(&mut self, n: usize, mask: u8, ranges: &[Range; 4]) {
        let inside = !self.branches.is_empty();
        self.current_part().writes[n] |= mask;
        for c in components_of(mask) {
            let cell = &mut self.cells[n][c];
            let before = cell.map_or(Range::ZERO, |cell| cell.range);
            let range = if inside { before.or(ranges[c]) } else { ranges[c] };
            *cell = Some(Cell { range, unread: true });
        }
    }

    /// Returns the ranges of a result's components.
    pub(super) fn results(&self, op: Opcode, mask: u8, sources: &[Source]) -> [Range; 4] {
        let own = !matches!(op.row().sources_read, SourceComponents::First(_));
        std::array::from_fn(|c| {
            let of = |n: usize| {
                let Some(source) = sources.get(n) else { return Range::ZERO };
                if own {
                    self.component_range(source, c)
                } else {
                    self.hull_of(source, source_mask(op, n, mask))
                }
            };
            range::result(op, c, [of(0), of(1), of(2)])
        })
    }

    /// Whether the table has room for another descriptor, not counting a reserve. `ternary` means that the descriptor is for `mad`.
    pub(super) fn has_room(&self, ternary: bool) -> bool {
        let named = self.descriptors.iter().filter(|(_, t)| *t).count();
        self.descriptors.len() + 40 < DESCRIPTORS && (!ternary || named + 4 < TERNARY)
    }

    /// Returns the index of a descriptor, which is added if necessary. If the table is full, returns the index of
    /// another descriptor that the instruction can address.
    fn describe(&mut self, descriptor: Descriptor, ternary: bool) -> u8 {
        let named = self.descriptors.iter().filter(|(_, t)| *t).count();
        let found = self
            .descriptors
            .iter()
            .position(|(d, t)| *d == descriptor && (*t || !ternary || named < TERNARY));
        let number = match found {
            Some(number) => number,
            None if self.descriptors.len() < DESCRIPTORS && (!ternary || named < TERNARY) => {
                self.descriptors.push((descriptor, false));
                self.descriptors.len() - 1
            }
            None => self.descriptors.iter().position(|(_, t)| *t || !ternary).unwrap_or_default(),
        };
        self.descriptors[number].1 |= ternary;
        number as u8
    }

    /// Appends an arithmetic instruction and records what it reads and writes. Bit 0 of `mask` is x, `operators` are those of `cmp`, and `unused`
    /// provides the don't-care bits of a new descriptor.
    pub(super) fn emit(
        &mut self,
        op: Opcode,
        target: Option<Target>,
        mask: u8,
        sources: &[Source],
        operators: [u8; 2],
        unused: Descriptor,
    ) {
        let ranges = self.results(op, mask, sources);
        let mut descriptor = Descriptor { mask: reverse(mask), ..unused };
        let mut instruction = Instruction::from_word(op.row().number << 26);
        for (n, source) in sources.iter().enumerate() {
            descriptor = descriptor.with_source(n, source.negate, source.select);
            instruction = instruction.with_source(n, source.register.number());
            if op.wide() == Some(n) {
                instruction = instruction.with_field(fields::IDX, u32::from(source.idx));
            }
        }
        let number = self.describe(descriptor, sources.len() > 2);
        if let Some(target) = target {
            instruction = instruction.with_field(fields::DST, u32::from(target.number()));
        }
        let [x, y] = operators.map(u32::from);
        if op == Opcode::Cmp {
            instruction = instruction.with_field(fields::CMPX, x).with_field(fields::CMPY, y);
        }
        for (n, source) in sources.iter().enumerate() {
            self.mark(source, source_mask(op, n, mask));
        }
        match target {
            Some(Target::Temporary(n)) => self.record_write(usize::from(n), mask, &ranges),
            Some(Target::Output(n)) => {
                if let Some(output) = self.outputs.iter_mut().find(|o| o.number == n) {
                    output.left &= !mask;
                }
            }
            None => {}
        }
        if op == Opcode::Mova
            && let Some(source) = sources.first()
        {
            for c in (0..2).filter(|c| mask >> c & 1 == 1) {
                self.address[c] = Some(self.component_range(source, c).varies);
            }
        }
        self.compared |= matches!(op, Opcode::Cmp | Opcode::Litp);
        self.push(Word::Described(instruction, number));
    }

    /// Appends a word.
    pub(super) fn push(&mut self, word: Word) {
        self.current_part().words.push(word);
    }

    /// Appends a word without operands.
    pub(super) fn bare(&mut self, op: Opcode) {
        self.push(Word::Plain(Instruction::from_word(op.row().number << 26)));
    }

    /// Begins a region that only some lanes run.
    pub(super) fn enter(&mut self, merge: Masks) {
        let before = self.masks(Body::unread);
        self.branches.push(Branch { before, merge });
    }
}

/// Returns the indices of the set bits, 0 to 3.
pub(super) fn components_of(mask: u8) -> impl Iterator<Item = usize> {
    (0..4).filter(move |lane| mask >> lane & 1 == 1)
}
