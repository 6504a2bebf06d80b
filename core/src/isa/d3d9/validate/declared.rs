//! Rules about declarations and definitions, and rules that require a register to be declared, defined or written before an instruction uses it.

use super::super::ctab::usage_name;
use super::super::interface::writes;
use super::super::names::printed_name;
use super::super::opcode::{Kind, Opcode};
use super::super::program::{Dest, File, Instruction, Program, Usage};
use super::super::reads::{ReadResource, has_texture_registers, is_scratch, reads};
use super::super::rules::Rule;
use super::super::word::TextureType;
use super::Checker;
use std::collections::BTreeMap;

/// The usage number of positions.
pub(super) const POSITION: u8 = 0;
/// The usage number of point sizes.
pub(super) const POINT_SIZE: u8 = 4;
const TESSFACTOR: u8 = 8;
const POSITIONT: u8 = 9;
const SAMPLE: u8 = 13;

/// The written components of registers, for the files whose registers must be written before they are read.
#[derive(Clone, Copy, Default)]
struct Written {
    temporaries: [u8; 32],
    /// Texture registers of ps_1_0 to ps_1_3.
    textures: [u8; 16],
    address: u8,
    predicate: u8,
}

impl Written {
    fn components_mut(&mut self, pixel: bool, file: u8, number: u16) -> Option<&mut u8> {
        let number = usize::from(number);
        match File::from_number(file)? {
            File::Temporary => self.temporaries.get_mut(number),
            File::Address if pixel => self.textures.get_mut(number),
            File::Address => Some(&mut self.address),
            File::Predicate => Some(&mut self.predicate),
            _ => None,
        }
    }
}

/// Everything that has been declared, defined and written so far.
pub(super) struct Declared {
    written: Written,
    /// The state before the previous instruction. The second instruction of a co-issued pair reads this state.
    before: Written,
    /// Components of temporaries that a macro has used as scratch since they were last written.
    destroyed: [u8; 32],
    samplers: u32,
    inputs: [u8; 16],
    coordinates: [u8; 16],
    misc: [u8; 2],
    pub(super) outputs: [u8; 16],
    /// The usage and index of each output.
    pub(super) usages: [Option<(u8, u8)>; 16],
    defined: BTreeMap<(u8, u16), [u32; 4]>,
    started: bool,
    /// Whether the program declares inputs at all. Shaders for Direct3D 8 do not declare inputs.
    declares: bool,
}

impl Declared {
    pub(super) fn new(program: &Program) -> Declared {
        let dcl =
            |i: &Instruction| i.op() == Some(Opcode::Dcl) && i.dest.is_some_and(|d| !d.is(File::Sampler));
        Declared {
            written: Written::default(),
            before: Written::default(),
            destroyed: [0; 32],
            samplers: 0,
            inputs: [0; 16],
            coordinates: [0; 16],
            misc: [0; 2],
            outputs: [0; 16],
            usages: [None; 16],
            defined: BTreeMap::new(),
            started: false,
            declares: program.instructions.iter().any(dcl),
        }
    }

    /// Returns the values of an integer constant, if the program defines it.
    pub(super) fn int(&self, number: u16) -> Option<[u32; 4]> {
        self.defined.get(&(File::Int as u8, number)).copied()
    }

    pub(super) fn check(&mut self, c: &mut Checker<'_>, i: &Instruction, op: Opcode) {
        if op.row().kind == Kind::Declaration {
            self.declaration(c, i, op);
            return;
        }
        self.started = true;
        self.reads(c, i);
        let state = self.written;
        for (_, source) in i.sources.iter().enumerate().filter(|(k, _)| is_scratch(op, *k)) {
            if let Some(destroyed) = self.destroyed.get_mut(usize::from(source.number)) {
                *destroyed = 15;
            }
        }
        if let Some(dest) = i.dest.filter(|_| writes(op)) {
            self.write(c, &dest);
        }
        self.before = state;
    }

    fn write(&mut self, c: &mut Checker<'_>, dest: &Dest) {
        if dest.is(File::Temporary)
            && let Some(destroyed) = self.destroyed.get_mut(usize::from(dest.number))
        {
            *destroyed &= !dest.mask;
        }
        if let Some(written) = self.written.components_mut(c.is_pixel(), dest.file, dest.number) {
            *written |= dest.mask;
        }
        let is_vs3_output = !c.is_pixel() && c.major() >= 3 && dest.is(File::CoordinateOut);
        if is_vs3_output && !dest.relative.is_relative() {
            let declared = self.outputs.get(usize::from(dest.number)).copied().unwrap_or(15);
            c.report_if(Rule::OutputUndeclared, dest.mask & !declared != 0);
        }
    }

    fn reads(&mut self, c: &mut Checker<'_>, i: &Instruction) {
        let version = c.program.version;
        let mut state = if i.coissue != 0 && c.is_ps1() { self.before } else { self.written };
        let destroyed = self.destroyed;
        reads(i, version, c.textures, |read| {
            let ReadResource::Register(file, Some(number)) = read.resource else { return };
            let name = || printed_name(version, file, number);
            let at = usize::from(number);
            match File::from_number(file) {
                Some(File::Sampler) if version.major >= 2 => {
                    let declared = at < 32 && self.samplers >> at & 1 != 0;
                    c.report_if_about(Rule::SamplerUndeclared, !declared, name);
                }
                Some(File::Input) => {
                    // Vertex shaders of Direct3D 8, which have version 1, declare nothing.
                    let needed = version.major >= 2 || !version.is_pixel() && self.declares;
                    let declared = self.inputs.get(at).copied().unwrap_or(15);
                    c.report_if_about(Rule::InputUndeclared, needed && read.mask & !declared != 0, name);
                }
                Some(File::Misc) => {
                    let declared = self.misc.get(at).copied().unwrap_or(15);
                    c.report_if_about(Rule::InputUndeclared, read.mask & !declared != 0, name);
                }
                Some(File::Address) if version.is_pixel() && !has_texture_registers(version) => {
                    let declared = self.coordinates.get(at).copied().unwrap_or(15);
                    let needed = version.major >= 2;
                    c.report_if_about(Rule::InputUndeclared, needed && read.mask & !declared != 0, name);
                }
                _ => {
                    let Some(written) = state.components_mut(version.is_pixel(), file, number) else {
                        return;
                    };
                    let destroyed = destroyed.get(at).copied().unwrap_or(0);
                    let destroyed = if file == File::Temporary as u8 { destroyed & read.mask } else { 0 };
                    c.report_if_about(Rule::ScratchRead, destroyed != 0, name);
                    // A destroyed component has contents, though they are undefined.
                    let missing = read.mask & !*written & !destroyed;
                    c.report_if_about(Rule::Unwritten, *written == 0 && destroyed == 0, name);
                    c.report_if_about(
                        Rule::UnwrittenComponent,
                        (*written | destroyed) != 0 && missing != 0,
                        name,
                    );
                }
            }
        });
    }

    fn declaration(&mut self, c: &mut Checker<'_>, i: &Instruction, op: Opcode) {
        if op == Opcode::Phase {
            // The w components of temporaries are lost at the end of the first phase.
            self.written.temporaries.iter_mut().for_each(|written| *written &= 7);
            return;
        }
        c.report_if(Rule::DeclarationOrder, self.started);
        let Some(dest) = &i.dest else { return };
        if let (Opcode::Dcl, Some(usage)) = (op, &i.usage) {
            self.dcl(c, dest, usage);
            return;
        }
        c.report_if(Rule::DefMask, dest.mask != 15 || dest.relative.is_relative());
        c.report_if(Rule::BoolValue, op == Opcode::Defb && i.immediates[0] > 1);
        let mut values = [0; 4];
        for (value, given) in values.iter_mut().zip(&i.immediates) {
            *value = *given;
        }
        let twice = self.defined.insert((dest.file, dest.number), values).is_some();
        c.report_if(Rule::DefinedTwice, twice);
    }

    fn dcl(&mut self, c: &mut Checker<'_>, dest: &Dest, usage: &Usage) {
        c.report_if(Rule::DclBits, usage.has_reserved() || usage.has_wrong_fixed());
        c.report_if(Rule::MaskEmpty, dest.mask == 0);
        let at = usize::from(dest.number);
        if dest.is(File::Sampler) {
            let texture = TextureType::from_number(usage.texture);
            c.report_if(Rule::TextureType, matches!(texture, None | Some(TextureType::None)));
            c.report_if(Rule::TextureLine, texture == Some(TextureType::Line));
            c.report_if(Rule::UsageUnwanted, (usage.usage | usage.index) != 0);
            let bit = if at < 32 { 1 << at } else { 0 };
            c.report_if(Rule::DeclaredTwice, self.samplers & bit != 0);
            self.samplers |= bit;
            return;
        }
        let plain = c.is_ps2() || dest.is(File::Misc);
        c.report_if(Rule::UsageUnwanted, plain && (usage.usage | usage.index) != 0 || usage.texture != 0);
        c.report_if(Rule::Usage, usage_name(usage.usage).is_none());
        if c.is_pixel() && c.major() >= 3 && dest.is(File::Input) {
            let position = usage.usage == POSITION && usage.index == 0;
            c.report_if(Rule::InputUsage, position || matches!(usage.usage, TESSFACTOR | POSITIONT | SAMPLE));
            c.report_if(Rule::InputUsageUnsure, usage.usage == POINT_SIZE);
        }
        let declared = match File::from_number(dest.file) {
            Some(File::Input) => self.inputs.get_mut(at),
            Some(File::Address) => self.coordinates.get_mut(at),
            Some(File::CoordinateOut) => {
                if let Some(slot) = self.usages.get_mut(at) {
                    *slot = Some((usage.usage, usage.index));
                }
                self.outputs.get_mut(at)
            }
            Some(File::Misc) => {
                let legal = if at == 0 { matches!(dest.mask, 1..=3) } else { dest.mask == 15 };
                c.report_if(Rule::DclMask, !legal);
                self.misc.get_mut(at)
            }
            _ => None,
        };
        let Some(declared) = declared else { return };
        let twice = *declared & dest.mask != 0;
        *declared |= dest.mask;
        c.report_if(Rule::DeclaredTwice, twice);
    }
}
