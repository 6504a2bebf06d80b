//! The state of a program under construction: registers written, values not read yet, and outputs still to be written.

use super::range::{self, Range, hull};
use lockstep_core::isa::Stage;
use lockstep_core::isa::agal::limits;
use lockstep_core::isa::agal::opcode::{Opcode, Row, Shape, SourceComponents};
use lockstep_core::isa::agal::program::{Dest, File, Program, Sampler, Source, SourceOrSampler, Token};
use lockstep_core::isa::agal::reads::source_mask;

/// The facts known about a component of a temporary that has been written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    pub(super) range: Range,
    /// Whether no instruction has read the value yet.
    pub(super) unread: bool,
}

/// A conditional block that is still open.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    /// Whether the `els` of the block has been emitted.
    pub(super) in_else: bool,
    /// Whether the current branch has no instruction yet.
    pub(super) empty: bool,
    /// For each temporary, the components that were unread at the start of the block.
    pub(super) before: [u8; TEMPORARIES],
    /// For each temporary, the unread components that only the first branch has written: the second branch may write them too.
    pub(super) merge: [u8; TEMPORARIES],
}

/// An output to be written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Output {
    pub(super) file: File,
    pub(super) number: u16,
    /// The components that have not been written yet.
    pub(super) left: u8,
}

/// The number of temporaries in the version that has the most.
pub(super) const TEMPORARIES: usize = 26;

/// The state of the program under construction.
#[derive(Clone, Debug)]
pub(super) struct Body {
    pub(super) program: Program,
    pub(super) cells: [[Option<Cell>; 4]; TEMPORARIES],
    /// The number of temporaries in use. The number is kept small, so that temporaries are rewritten often.
    pub(super) working: u16,
    pub(super) samplers: [Option<Sampler>; 16],
    pub(super) blocks: Vec<Block>,
    pub(super) outputs: Vec<Output>,
    /// The registers preferred for reads, by file.
    pub(super) preferred: [Vec<u16>; 8],
    /// Whether rules of warning level may be broken.
    pub(super) allows_warnings: bool,
}

impl Body {
    pub(super) fn new(stage: Stage, version: u32) -> Body {
        Body {
            program: Program { version, stage, tokens: Vec::new() },
            cells: [[None; 4]; TEMPORARIES],
            working: 0,
            samplers: [None; 16],
            blocks: Vec::new(),
            outputs: Vec::new(),
            preferred: Default::default(),
            allows_warnings: false,
        }
    }

    pub(super) fn is_fragment(&self) -> bool {
        self.program.stage == Stage::Fragment
    }

    /// Returns the number of registers of a file.
    pub(super) fn count(&self, file: File) -> u16 {
        limits::count(self.program.version, self.program.stage, file)
    }

    /// Returns the maximum number of instructions.
    pub(super) fn most(&self) -> usize {
        limits::limits(self.program.version).instructions as usize
    }

    /// Returns the file of per-lane inputs: attributes or varyings.
    pub(super) fn input_file(&self) -> File {
        if self.is_fragment() { File::Varying } else { File::Attribute }
    }

    /// Returns the components of a temporary that have been written.
    pub(super) fn written(&self, number: u16) -> u8 {
        self.mask_of(number, |_| true)
    }

    /// Returns the unread components of a temporary.
    pub(super) fn unread(&self, number: u16) -> u8 {
        self.mask_of(number, |cell| cell.unread)
    }

    fn mask_of(&self, number: u16, which: impl Fn(&Cell) -> bool) -> u8 {
        let cells = self.cells.get(usize::from(number)).into_iter().flatten().enumerate();
        cells.filter(|(_, cell)| cell.as_ref().is_some_and(&which)).fold(0, |mask, (c, _)| mask | 1 << c)
    }

    /// Returns the temporaries with unread components.
    pub(super) fn unread_temporaries(&self) -> Vec<u16> {
        (0..TEMPORARIES as u16).filter(|n| self.unread(*n) != 0).collect()
    }

    /// Returns the range of a component of a register.
    fn component(&self, file: u8, number: u16, component: usize) -> Range {
        match File::from_number(file) {
            Some(File::Temporary) => {
                let cell = self.cells.get(usize::from(number)).and_then(|cells| cells[component]);
                cell.map_or(Range::ZERO, |cell| cell.range)
            }
            Some(File::Constant) => Range::CONSTANT,
            _ => Range::INPUT,
        }
    }

    /// Returns the range of the value that a source provides for a component of the instruction.
    pub(super) fn component_range(&self, source: &Source, component: usize) -> Range {
        if source.indirect != 0 {
            let index = self.component(source.index_file, source.number, source.index_component.into());
            return Range { varies: index.varies, ..Range::CONSTANT };
        }
        self.component(source.file, source.number, source.component(component))
    }

    /// Returns the hull of the ranges of some components of a source.
    pub(super) fn hull_of(&self, source: &Source, read_mask: u8) -> Range {
        let ranges: Vec<Range> =
            components_of(read_mask).map(|lane| self.component_range(source, lane)).collect();
        hull(&ranges)
    }

    fn mark_read(&mut self, source: &Source, read_mask: u8, rows: u16) {
        if source.indirect != 0 {
            if source.index_file == File::Temporary as u8 {
                self.mark(source.number, 1 << (source.index_component & 3));
            }
        } else if source.file == File::Temporary as u8 {
            let mask = components_of(read_mask).fold(0, |mask, lane| mask | 1 << source.component(lane));
            (0..rows).for_each(|row| self.mark(source.number + row, mask));
        }
    }

    fn mark(&mut self, number: u16, mask: u8) {
        // A component that is read only inside a branch stays unread, since nothing reads it if the branch is not taken.
        let waits = self.blocks.first().map_or(0, |b| b.before.get(usize::from(number)).map_or(0, |m| *m));
        let mask = mask & !waits;
        let Some(cells) = self.cells.get_mut(usize::from(number)) else { return };
        for c in components_of(mask) {
            if let Some(cell) = &mut cells[c] {
                cell.unread = false;
            }
        }
    }

    /// Appends an instruction and records what it reads and writes.
    pub(super) fn emit(&mut self, row: &Row, dest: Dest, a: Source, b: SourceOrSampler) {
        let dimension = match &b {
            SourceOrSampler::Sampler(sampler) => sampler.dimension,
            SourceOrSampler::Source(_) => 0,
        };
        let lanes = source_mask(row, dest.mask, dimension);
        let second = match &b {
            SourceOrSampler::Source(source) if row.opcode.sources() > 1 => Some(*source),
            _ => None,
        };
        let own = matches!(row.sources_read, SourceComponents::Own);
        let whole = [Some(a), second].map(|s| s.map_or(Range::ZERO, |s| self.hull_of(&s, lanes)));
        let rows = rows(row);
        let results: [Range; 4] = std::array::from_fn(|c| {
            let [x, y] = if own {
                [Some(a), second].map(|s| s.map_or(Range::ZERO, |s| self.component_range(&s, c)))
            } else {
                whole
            };
            range::result(row.opcode, x, y)
        });
        if row.opcode.sources() > 0 {
            self.mark_read(&a, lanes, 1);
        }
        if let Some(second) = second {
            self.mark_read(&second, lanes, rows);
        }
        if let (SourceOrSampler::Sampler(sampler), true) = (&b, row.shape == Shape::Texture)
            && let Some(place) = self.samplers.get_mut(usize::from(sampler.number))
        {
            *place = place.or(Some(*sampler));
        }
        if row.opcode.has_dest() {
            self.write(&dest, &results);
        }
        self.program.tokens.push(Token { opcode: row.number, dest, a, b });
        self.enter_or_leave(row);
    }

    fn write(&mut self, dest: &Dest, results: &[Range; 4]) {
        let number = usize::from(dest.number);
        let inside = !self.blocks.is_empty();
        match File::from_number(dest.file) {
            Some(File::Temporary) if number < TEMPORARIES => {
                for c in components_of(dest.mask) {
                    let cell = &mut self.cells[number][c];
                    let before = cell.map_or(Range::ZERO, |cell| cell.range);
                    let range = if inside { before.or(results[c]) } else { results[c] };
                    *cell = Some(Cell { range, unread: true });
                }
            }
            Some(file) => {
                let output = self.outputs.iter_mut().find(|o| o.file == file && o.number == dest.number);
                if let Some(output) = output {
                    output.left &= !dest.mask;
                }
            }
            None => {}
        }
    }

    fn unread_masks(&self) -> [u8; TEMPORARIES] {
        std::array::from_fn(|n| self.unread(n as u16))
    }

    fn enter_or_leave(&mut self, row: &Row) {
        let now = self.unread_masks();
        match (row.shape, row.opcode) {
            (Shape::Marker, Opcode::Els) => {
                if let Some(block) = self.blocks.last_mut() {
                    (block.in_else, block.empty) = (true, true);
                    block.merge = std::array::from_fn(|n| now[n] & !block.before[n]);
                }
            }
            (Shape::Marker, _) => {
                self.blocks.pop();
            }
            _ => {
                if let Some(block) = self.blocks.last_mut() {
                    block.empty = false;
                }
                if row.shape == Shape::Compare {
                    let merge = [0; TEMPORARIES];
                    self.blocks.push(Block { in_else: false, empty: true, before: now, merge });
                }
            }
        }
    }
}

/// Returns the indices of the set bits, 0 to 3.
pub(super) fn components_of(mask: u8) -> impl Iterator<Item = usize> {
    (0..4).filter(move |lane| mask >> lane & 1 == 1)
}

/// Returns the number of consecutive registers that the second source reads.
pub(super) fn rows(row: &Row) -> u16 {
    match row.shape {
        Shape::Matrix { rows, .. } => u16::from(rows),
        _ => 1,
    }
}
