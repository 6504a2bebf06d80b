//! The state of a program under construction: registers written, values not read yet, and outputs still to be written.

use super::range::{self, Range, hull};
use lockstep_core::isa::d3d9::limits::{Limits, limits};
use lockstep_core::isa::d3d9::opcode::{Opcode, SourceComponents};
use lockstep_core::isa::d3d9::profile::{Profile, Profiles};
use lockstep_core::isa::d3d9::program::{File, Instruction, Modifier, Program, Relative, Source};
use lockstep_core::isa::d3d9::reads::{Needed, coordinates, needed};
use lockstep_core::isa::d3d9::rules::Rule;
use lockstep_core::isa::d3d9::slots::slots;
use lockstep_core::isa::d3d9::validate::validate;
use lockstep_core::isa::d3d9::word::TextureType;
use lockstep_core::isa::{Entry, Interface, Level, Violation};

/// The facts known about a component of a register that has been written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    pub(super) range: Range,
    /// Whether no instruction has read the value yet.
    pub(super) unread: bool,
}

/// An output to be written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Output {
    pub(super) file: File,
    pub(super) number: u16,
    /// The components that have not been written yet.
    pub(super) left: u8,
}

/// The number of registers tracked: temporaries, texture registers, the predicate and the address register.
pub(super) const PLACES: usize = 42;
/// The number of registers that hold numbers.
const NUMBERS: usize = 40;
const TEXTURES: usize = 32;
pub(super) const PREDICATE: usize = 40;
pub(super) const ADDRESS: usize = 41;

type Cells = [[Option<Cell>; 4]; PLACES];

/// The state of the program under construction.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools)] // independent flags
pub(super) struct Body {
    pub(super) profile: Profile,
    /// Declarations and definitions.
    pub(super) heads: Vec<Instruction>,
    /// The instructions of the main program, and of each subroutine by label.
    pub(super) parts: Vec<Vec<Instruction>>,
    /// The index of the part being written.
    pub(super) part: usize,
    cells: Cells,
    /// The number of temporaries in use. The number is kept small, so that temporaries are rewritten often.
    pub(super) working: u16,
    /// For each open condition, the components that were unread when it began.
    pub(super) unread_at_start: Vec<[u8; PLACES]>,
    pub(super) outputs: Vec<Output>,
    /// The inputs preferred for reads.
    pub(super) inputs: Vec<(File, u16)>,
    /// The constants preferred for reads.
    pub(super) constants: Vec<u16>,
    /// Samplers with their texture types.
    pub(super) samplers: Vec<(u16, u8)>,
    /// The two constants that sincos needs, once defined.
    pub(super) series: Option<[u16; 2]>,
    /// Whether rules of warning level may be broken.
    pub(super) allows_warnings: bool,
    /// Whether the device has the capabilities that some instructions of 2_x need.
    pub(super) capable: bool,
    /// Whether constants are read with `_abs`.
    pub(super) abs_constants: bool,
    /// The number of open conditions on which lanes may diverge.
    pub(super) dynamic: u16,
    /// The number of open conditions that are equal in all lanes.
    pub(super) fixed: u16,
    /// The number of open `rep` and `loop` blocks.
    pub(super) repeats: u16,
    /// The number of open `loop` blocks in this part.
    pub(super) loops: u16,
    /// The depth of nested calls.
    pub(super) calls: u16,
    /// The number of control-flow instructions.
    pub(super) flows: u16,
    /// The register components that a subroutine may write: those with a value earlier in the text. `None` in the main program.
    pub(super) writable: Option<[u8; PLACES]>,
    /// Whether the program has two phases.
    pub(super) phased: bool,
    /// Whether the first of two phases is being written.
    pub(super) first: bool,
    /// The number of arithmetic slots used in this phase.
    pub(super) used: u32,
    /// The registers before the first instruction of a co-issued pair, which the second one reads.
    before: Option<Box<Cells>>,
}

impl Body {
    pub(super) fn new(profile: Profile) -> Body {
        Body {
            profile,
            heads: Vec::new(),
            parts: vec![Vec::new()],
            part: 0,
            cells: [[None; 4]; PLACES],
            working: 0,
            unread_at_start: Vec::new(),
            outputs: Vec::new(),
            inputs: Vec::new(),
            constants: Vec::new(),
            samplers: Vec::new(),
            series: None,
            allows_warnings: false,
            capable: false,
            abs_constants: false,
            dynamic: 0,
            fixed: 0,
            repeats: 0,
            loops: 0,
            calls: 0,
            flows: 0,
            writable: None,
            phased: false,
            first: false,
            used: 0,
            before: None,
        }
    }

    pub(super) fn is_pixel(&self) -> bool {
        self.profile.is_pixel()
    }

    pub(super) fn major(&self) -> u8 {
        self.profile.major()
    }

    /// Whether the version is one of ps_1_0 to ps_1_4.
    pub(super) fn is_ps1(&self) -> bool {
        Profiles::PS1.has(self.profile)
    }

    /// Whether the version is one of ps_1_0 to ps_1_3.
    pub(super) fn is_ps1_0_to_ps1_3(&self) -> bool {
        Profiles::PS13.has(self.profile)
    }

    pub(super) fn limits(&self) -> &'static Limits {
        limits(self.profile)
    }

    /// Whether the version and the device have predicates.
    pub(super) fn has_predicates(&self) -> bool {
        let has = Profiles::VS2X.or(Profiles::PS2X).has(self.profile);
        has && (self.limits().predicates.guaranteed > 0 || self.capable)
    }

    /// Returns the number of temporaries.
    pub(super) fn temporaries(&self) -> u16 {
        let bound = self.limits().temporaries;
        if self.capable { bound.maximum } else { bound.guaranteed }
    }

    /// Returns the number of instructions so far, in all parts.
    pub(super) fn size(&self) -> usize {
        self.parts.iter().map(Vec::len).sum()
    }

    /// Returns the index of a tracked register.
    pub(super) fn place(&self, file: u8, number: u16) -> Option<usize> {
        let number = usize::from(number);
        match File::from_number(file)? {
            File::Temporary => (number < TEXTURES).then_some(number),
            File::Address if self.is_ps1_0_to_ps1_3() => (number < 8).then_some(TEXTURES + number),
            File::Address if !self.is_pixel() => Some(ADDRESS),
            File::Predicate => Some(PREDICATE),
            _ => None,
        }
    }

    /// Returns the register with this index, which must be one that holds numbers.
    pub(super) fn register(place: usize) -> (File, u16) {
        if place < TEXTURES {
            (File::Temporary, place as u16)
        } else {
            (File::Address, (place - TEXTURES) as u16)
        }
    }

    fn read_cells(&self) -> &Cells {
        self.before.as_deref().unwrap_or(&self.cells)
    }

    /// Starts a co-issued instruction, which reads the registers as they were before the preceding instruction.
    pub(super) fn begin_coissue(&mut self, before: &Body) {
        self.before = Some(Box::new(before.cells));
    }

    /// Ends the generation of a co-issued pair for which no second instruction was found.
    pub(super) fn end_coissue(&mut self) {
        self.before = None;
    }

    /// Returns the components of a register that have been written.
    pub(super) fn written(&self, place: usize) -> u8 {
        mask_of(&self.read_cells()[place], |_| true)
    }

    /// Returns the unread components of a register.
    pub(super) fn unread(&self, place: usize) -> u8 {
        mask_of(&self.cells[place], |cell| cell.unread)
    }

    /// Returns the numeric registers with unread components.
    pub(super) fn unread_registers(&self) -> Vec<usize> {
        (0..NUMBERS).filter(|place| self.unread(*place) != 0).collect()
    }

    /// Returns the numeric registers that have been written.
    pub(super) fn written_registers(&self) -> Vec<usize> {
        (0..NUMBERS).filter(|place| self.written(*place) != 0).collect()
    }

    /// Returns the range of a component of a register.
    fn component(&self, file: u8, number: u16, component: usize) -> Range {
        if let Some(place) = self.place(file, number) {
            return self.read_cells()[place][component].map_or(Range::ZERO, |cell| cell.range);
        }
        match File::from_number(file) {
            Some(File::Constant) if self.is_ps1() => Range { low: -1.0, high: 1.0, ..Range::CONSTANT },
            Some(File::Constant) => Range::CONSTANT,
            // Colours are not clamped.
            _ => Range::INPUT,
        }
    }

    /// Returns the range of the value that a source provides for a component of the instruction.
    pub(super) fn component_range(&self, source: &Source, component: usize) -> Range {
        let range = if source.relative.is_relative() {
            let varies = matches!(&source.relative, Relative::Indexed(by) if by.file != File::Loop as u8)
                || source.file == File::Input as u8;
            Range { varies, ..Range::CONSTANT }
        } else {
            self.component(source.file, source.number, source.component(component))
        };
        range::modified(range, source.modifier)
    }

    /// Returns the hull of the ranges of some components of a source.
    pub(super) fn hull_of(&self, source: &Source, read_mask: u8) -> Range {
        let ranges: Vec<Range> =
            components_of(read_mask).map(|lane| self.component_range(source, lane)).collect();
        hull(&ranges)
    }

    fn mark(&mut self, place: usize, mask: u8) {
        // A component that is read only inside a branch stays unread, since nothing reads it if the branch is not taken.
        let waits = self.unread_at_start.first().map_or(0, |w| w[place]);
        for c in components_of(mask & !waits) {
            if let Some(cell) = &mut self.cells[place][c] {
                cell.unread = false;
            }
        }
    }

    /// Marks a register as read.
    pub(super) fn mark_read(&mut self, place: usize) {
        self.cells[place].iter_mut().flatten().for_each(|cell| cell.unread = false);
    }

    /// Marks components of a register as unwritten.
    pub(super) fn mark_unwritten(&mut self, place: usize, mask: u8) {
        components_of(mask).for_each(|c| self.cells[place][c] = None);
    }

    /// Returns the unread components of each register.
    pub(super) fn unread_masks(&self) -> [u8; PLACES] {
        std::array::from_fn(|place| self.unread(place))
    }

    /// Returns the written components of each register.
    pub(super) fn written_masks(&self) -> [u8; PLACES] {
        std::array::from_fn(|place| self.written(place))
    }

    /// Returns the texture type of a sampler.
    pub(super) fn texture_type(&self, sampler: u16) -> u8 {
        self.samplers.iter().find(|(n, _)| *n == sampler).map_or(2, |(_, t)| *t)
    }

    /// Returns the components of source `k` that an instruction needs.
    pub(super) fn source_mask(&self, i: &Instruction, op: Opcode, k: usize) -> u8 {
        source_mask(self, i, op, k)
    }

    /// Appends an instruction and records what it reads and writes.
    pub(super) fn emit(&mut self, i: Instruction) {
        let Some(op) = i.op() else { return };
        let needs: Vec<u8> = (0..i.sources.len()).map(|k| source_mask(self, &i, op, k)).collect();
        let own = matches!(op.row().sources_read, SourceComponents::Own | SourceComponents::Bump);
        let whole: [Range; 4] =
            std::array::from_fn(|k| i.sources.get(k).map_or(Range::ZERO, |s| self.hull_of(s, needs[k])));
        let results: [Range; 4] = std::array::from_fn(|c| {
            let here = |k: usize| i.sources.get(k).map_or(Range::ZERO, |s| self.component_range(s, c));
            range::result(op, &if own { std::array::from_fn(here) } else { whole })
        });
        for (k, source) in i.sources.iter().enumerate() {
            self.mark_index(&source.relative);
            if op == Opcode::Sgn && k > 0 {
                continue;
            }
            let mut mask = components_of(needs[k]).fold(0, |mask, lane| mask | 1 << source.component(lane));
            mask |= Modifier::from_number(source.modifier).map_or(0, Modifier::divisor);
            let rows = if k == 1 { op.rows().unwrap_or(1) } else { 1 };
            for row in 0..u16::from(rows) {
                if let Some(place) = self.place(source.file, source.number + row)
                    && !source.relative.is_relative()
                {
                    self.mark(place, mask);
                }
            }
        }
        if let (Opcode::Sgn, [_, a, b]) = (op, &i.sources[..]) {
            for scratch in [a.number, b.number] {
                self.mark_unwritten(usize::from(scratch) % NUMBERS, 15);
            }
        }
        if let Some(p) = &i.predicate {
            let mask = i.dest.map_or(15, |d| d.mask);
            let read = components_of(mask).fold(0, |m, lane| m | 1 << p.component(lane));
            self.mark(PREDICATE, read);
        }
        self.before = None;
        self.used += slots(&i, op, self.profile, false).arithmetic;
        if let Some(dest) = &i.dest {
            self.mark_index(&dest.relative);
            match op {
                Opcode::Texkill | Opcode::Texdepth => {
                    if let Some(place) = self.place(dest.file, dest.number) {
                        self.mark(place, 15);
                    }
                }
                _ => self.write(&i, &results),
            }
        }
        self.parts[self.part].push(i);
    }

    fn mark_index(&mut self, relative: &Relative) {
        match relative {
            Relative::Indexed(by) if by.file == File::Address as u8 => {
                self.mark(ADDRESS, 1 << (by.swizzle & 3));
            }
            Relative::Implied => self.mark(ADDRESS, 1),
            _ => {}
        }
    }

    fn write(&mut self, i: &Instruction, results: &[Range; 4]) {
        let Some(dest) = &i.dest else { return };
        if dest.relative.is_relative() {
            return;
        }
        let conditional = !self.unread_at_start.is_empty() || i.predicate.is_some();
        if let Some(place) = self.place(dest.file, dest.number) {
            for c in components_of(dest.mask) {
                let range = range::written(results[c], dest.exponent(), dest.saturates());
                let cell = &mut self.cells[place][c];
                let before = cell.map_or(Range::ZERO, |cell| cell.range);
                let range = if conditional { before.or(range) } else { range };
                *cell = Some(Cell { range, unread: true });
            }
            return;
        }
        let output = self.outputs.iter_mut().find(|o| o.file as u8 == dest.file && o.number == dest.number);
        if let Some(output) = output {
            output.left &= !dest.mask;
            if output.file == File::PixelDepth {
                output.left = 0;
            }
        }
    }

    /// Begins a conditional region.
    pub(super) fn enter(&mut self) {
        let now = self.unread_masks();
        self.unread_at_start.push(now);
    }

    /// Ends a conditional region.
    pub(super) fn leave(&mut self) {
        self.unread_at_start.pop();
    }

    /// Whether an instruction is legal here according to the rules about single instructions.
    pub(super) fn allows(&self, i: &Instruction) -> bool {
        let mut instructions = self.heads.clone();
        let bare = || Instruction::new(Opcode::Phase);
        if self.phased && !self.first {
            instructions.push(bare());
        }
        if i.coissue != 0 {
            instructions.extend(self.parts[self.part].last().cloned());
        }
        let at = instructions.len() as u32;
        instructions.push(i.clone());
        if self.phased && self.first {
            instructions.push(bare());
        }
        let program = self.program(instructions);
        let is_separate = |code: u16| {
            // The generator tracks writes and loops itself, so these rules are not checked here.
            [Rule::Unwritten, Rule::UnwrittenComponent, Rule::LoopOutside]
                .iter()
                .any(|r| r.row().code == code)
        };
        Body::violations(&program)
            .iter()
            .filter(|v| v.word == Some(at) && !is_separate(v.code))
            .all(|v| v.level < Level::Error && (self.allows_warnings || self.allows_warning(v)))
    }

    /// Whether this program may contain the violation even if other warnings are not allowed: only certain ones, and only if the device is capable.
    pub(super) fn allows_warning(&self, v: &Violation) -> bool {
        use Rule::{
            DepthVersion, FlowCapability, LabelRange, PredicateCapability, RangeCapability, SlotsCapability,
            SwizzleCapability,
        };
        let of = [
            DepthVersion,
            FlowCapability,
            LabelRange,
            PredicateCapability,
            RangeCapability,
            SlotsCapability,
            SwizzleCapability,
        ];
        v.level < Level::Error && self.capable && of.iter().any(|rule| rule.row().code == v.code)
    }

    /// Returns a program of this version with these instructions.
    pub(super) fn program(&self, instructions: Vec<Instruction>) -> Program {
        let version = self.profile.version();
        Program { version, instructions, comments: Vec::new(), tail: Vec::new() }
    }

    /// Returns the violations in a program of this version.
    fn violations(program: &Program) -> Vec<Violation> {
        let entry = Entry {
            stage: program.version.stage,
            start: 0,
            version: program.version.number(),
            interface: Interface::default(),
            extra: [0; 4],
        };
        validate(program, &entry)
    }

    /// Returns the whole program: declarations, main program, then subroutines.
    pub(super) fn whole(&self) -> Program {
        let mut instructions = self.heads.clone();
        for (label, part) in self.parts.iter().enumerate() {
            if label > 0 {
                let mut mark = Instruction::new(Opcode::Label);
                mark.sources.push(Source::register(File::Label, label as u16 - 1, Source::XYZW));
                instructions.push(mark);
            }
            instructions.extend(part.iter().cloned());
            if self.parts.len() > 1 {
                instructions.push(Instruction::new(Opcode::Ret));
            }
        }
        self.program(instructions)
    }
}

fn mask_of(cells: &[Option<Cell>; 4], which: impl Fn(&Cell) -> bool) -> u8 {
    components_of(15).filter(|c| cells[*c].as_ref().is_some_and(&which)).fold(0, |mask, c| mask | 1 << c)
}

/// Returns the indices of the set bits, 0 to 3.
pub(super) fn components_of(mask: u8) -> impl Iterator<Item = usize> {
    (0..4).filter(move |lane| mask >> lane & 1 == 1)
}

/// Returns the components of a source that an instruction needs, after swizzling. Its sources may not be chosen yet. For a source of which a
/// single component is needed, x and w are both returned: x stands for a replicated component, and w is read if the swizzle replicates none.
fn source_mask(body: &Body, i: &Instruction, op: Opcode, k: usize) -> u8 {
    let mask = i.dest.map_or(1, |d| d.mask);
    // Most textures are two-dimensional.
    let texture = i.sources.get(1).map_or(TextureType::Plane as u8, |s| body.texture_type(s.number));
    match needed(op, k, mask, body.profile.version(), i.control, coordinates(texture)) {
        Needed::Components(lanes) => lanes,
        Needed::Component => 9,
        Needed::Sampler | Needed::Single => 0,
    }
}
