//! The interface of a program: the slots of its inputs and outputs, and the resources it uses.
//!
//! | | slots |
//! |---|---|
//! | inputs of vertex shaders | v0 to v15: 0 to 15 |
//! | inputs of pixel shaders | v: register number, t: 16 and up, vPos: 32, vFace: 33 |
//! | outputs of vertex shaders before 3_0 | oPos 0, oFog 1, oPts 2, oD 4 and up, oT 8 and up |
//! | outputs of vertex shaders of 3_0 and later | o: register number |
//! | outputs of pixel shaders | oC: register number (before 2_0: r0 is slot 0); depth: 4 |
//! | initial values | r: 64 and up, a0: 96, p0: 97, aL: 98 |
//! | final values | a0: 96, p0: 97, aL: 98 |
//!
//! Before 2_0, a texture stage has state that is not in a register, so Lockstep passes it in float constants. Constant [`FIRST_STAGE_CONSTANT`] + 2n
//! contains the bump-environment matrix of stage n (m00, m01, m10, m11); the next constant contains its luminance scale in x and offset in y. The
//! first element of [`Entry::extra`] contains the types of the bound textures, see [`stage_textures`].

use super::limits::count;
use super::opcode::Opcode;
use super::profile::Profile;
use super::program::{Dest, File, Instruction, Program, Version, constant_number};
use super::reads::{ReadResource, Textures, has_texture_registers, reads, reads_texture};
use super::word::{STAGE_TEXTURES, TextureType, VersionWord};
use crate::host::Environment;
use crate::isa::{Entry, Interface, Port, Stage};
use std::collections::{BTreeMap, BTreeSet};

/// The input slot of t0.
pub const COORDINATES_SLOT: u16 = 16;
/// The input slot of vPos.
pub const VPOS_SLOT: u16 = 32;
/// The input slot of vFace.
pub const FACE_SLOT: u16 = 33;
/// The output slot of oD0.
pub const COLOR_SLOT: u16 = 4;
/// The output slot of oT0.
pub const COORDINATES_OUT_SLOT: u16 = 8;
/// The output slot of a pixel shader's depth.
pub const DEPTH_SLOT: u16 = 4;
/// The number of the float constant that contains the bump-environment matrix of stage 0, before 2_0.
pub const FIRST_STAGE_CONSTANT: u16 = 8;

/// Returns the only entry of a program: its version is that of the version token, and it starts at the first instruction.
pub fn entries(program: &Program) -> Vec<Entry> {
    let Version { stage, major, .. } = program.version;
    let textures = if program.version.is_pixel() && major < 2 { stage_textures(program) } else { 0 };
    vec![Entry {
        stage,
        start: 0,
        version: program.version.number(),
        interface: interface(program),
        extra: [textures, 0, 0, 0],
    }]
}

/// Writes the constants that a program defines into an environment. The constants replace existing values; of several definitions, the last one is
/// used (MS).
pub fn preset(program: &Program, env: &mut Environment) {
    for i in &program.instructions {
        let Some(dest) = &i.dest else { continue };
        match (i.op(), &i.immediates[..]) {
            (Some(Opcode::Def), &[x, y, z, w]) => {
                if let Some(number) = dest.constant() {
                    set_element(&mut env.constants, number, [x, y, z, w].map(f32::from_bits), [0.0; 4]);
                }
            }
            (Some(Opcode::Defi), &[x, y, z, w]) if dest.is(File::Int) => {
                set_element(&mut env.ints, dest.number, [x, y, z, w].map(|v| v as i32), [0; 4]);
            }
            (Some(Opcode::Defb), &[value]) if dest.is(File::Bool) => {
                set_element(&mut env.bools, dest.number, value != 0, false);
            }
            _ => {}
        }
    }
}

/// Sets element `at`. A vector that is too short is first extended with `filler`.
fn set_element<T: Copy>(values: &mut Vec<T>, at: u16, value: T, filler: T) {
    let at = usize::from(at);
    if values.len() <= at {
        values.resize(at + 1, filler);
    }
    values[at] = value;
}

/// Returns the version of an entry.
pub fn version(entry: &Entry) -> Version {
    let stage = if entry.stage == Stage::Fragment { Stage::Fragment } else { Stage::Vertex };
    let VersionWord { minor, major, .. } = VersionWord::from_word(entry.version);
    Version { stage, major, minor }
}

/// Returns the slot of an input register; `None` if the file holds no inputs in this stage, or if no version of either stage has the number.
pub fn input_slot(version: Version, file: u8, number: u16) -> Option<u16> {
    match (version.is_pixel(), File::from_number(file)?) {
        (_, File::Input) if number < 16 => Some(number),
        (true, File::Address) if number < 8 => Some(COORDINATES_SLOT + number),
        (true, File::Misc) if number < 2 => Some(VPOS_SLOT + number),
        _ => None,
    }
}

/// Returns the slot of an output register; `None` if the file holds no outputs in this version, or if no version has this number in the file.
pub fn output_slot(version: Version, file: u8, number: u16) -> Option<u16> {
    match (version.is_pixel(), version.major >= 3, File::from_number(file)?) {
        (false, false, File::Rasterizer) if number < 3 => Some(number),
        (false, false, File::ColorOut) if number < 2 => Some(COLOR_SLOT + number),
        (false, false, File::CoordinateOut) if number < 8 => Some(COORDINATES_OUT_SLOT + number),
        (false, true, File::CoordinateOut) if number < 16 => Some(number),
        (true, _, File::PixelColor) if number < 4 && version.major >= 2 => Some(number),
        (true, _, File::PixelDepth) if number == 0 => Some(DEPTH_SLOT),
        (true, _, File::Temporary) if number == 0 && version.major < 2 => Some(0),
        _ => None,
    }
}

/// Returns the file and number of the register with an input slot.
pub fn input_register(version: Version, slot: u16) -> (File, u16) {
    match slot {
        FACE_SLOT | VPOS_SLOT => (File::Misc, slot - VPOS_SLOT),
        COORDINATES_SLOT.. if version.is_pixel() => (File::Address, slot - COORDINATES_SLOT),
        _ => (File::Input, slot),
    }
}

/// Returns the file and number of the register with an output slot.
pub fn output_register(version: Version, slot: u16) -> (File, u16) {
    match (version.is_pixel(), version.major) {
        (true, _) if slot == DEPTH_SLOT => (File::PixelDepth, 0),
        (true, 1) => (File::Temporary, slot),
        (true, _) => (File::PixelColor, slot),
        (false, 3..) => (File::CoordinateOut, slot),
        (false, _) if slot >= COORDINATES_OUT_SLOT => (File::CoordinateOut, slot - COORDINATES_OUT_SLOT),
        (false, _) if slot >= COLOR_SLOT => (File::ColorOut, slot - COLOR_SLOT),
        (false, _) => (File::Rasterizer, slot),
    }
}

/// Returns the texture type that a sampler is declared with: 1 is 1d, 2 is 2d, 3 is cube, 4 is volume; `None` if undeclared.
pub fn declared_texture(program: &Program, sampler: u16) -> Option<u8> {
    Some(Textures::of(program).get(sampler)).filter(|t| *t != 0)
}

/// Returns the texture types of the eight stages of a shader before 2_0, packed as [`STAGE_TEXTURES`] with the numbers of [`declared_texture`]. These
/// shaders do not declare texture types, and a stage may have any texture bound; the type is the one that the reading instruction is designed for.
pub fn stage_textures(program: &Program) -> u32 {
    let mut types = [0; 8];
    for i in &program.instructions {
        let (Some(op), Some(dest)) = (i.op(), &i.dest) else { continue };
        let Some(own) = types.get_mut(usize::from(dest.number)).filter(|_| reads_texture(op)) else {
            continue;
        };
        let cube = matches!(op, Opcode::Texm3x3tex | Opcode::Texm3x3spec | Opcode::Texm3x3vspec);
        // If one instruction reads the stage as a cube and another as a 2D texture, the cube is used.
        *own = (if cube { TextureType::Cube } else { TextureType::Plane } as u8).max(*own);
    }
    STAGE_TEXTURES.join(types)
}

/// Returns the slot and mask of an output that an instruction writes in addition to its destination.
fn implied_output(op: Opcode) -> Option<(u16, u8)> {
    matches!(op, Opcode::Texdepth | Opcode::Texm3x2depth).then_some((DEPTH_SLOT, 1))
}

/// Whether an instruction writes its destination when it runs. texkill and texdepth read it instead; declarations and definitions do not run.
pub(super) fn writes(op: Opcode) -> bool {
    !matches!(
        op,
        Opcode::Texkill | Opcode::Texdepth | Opcode::Dcl | Opcode::Def | Opcode::Defi | Opcode::Defb
    )
}

/// Returns the inputs, outputs and resources of a program. Every instruction counts, whether or not control reaches it. Registers that no version has
/// are ignored.
fn interface(program: &Program) -> Interface {
    let version = program.version;
    // For a version that does not exist, the limits of the latest version are used.
    let profile =
        version.profile().unwrap_or(if version.is_pixel() { Profile::Ps3sw } else { Profile::Vs3sw });
    let mut found = Found::new(program, profile);
    for instruction in &program.instructions {
        found.instruction(instruction);
    }
    let ports =
        |slots: BTreeMap<u16, u8>| slots.into_iter().map(|(slot, mask)| Port { slot, mask }).collect();
    Interface {
        inputs: ports(found.inputs),
        outputs: ports(found.outputs),
        constants: found.constants,
        ints: found.ints,
        bools: found.bools,
        samplers: found.samplers.into_iter().collect(),
    }
}

/// The inputs, outputs and resources found so far.
struct Found {
    version: Version,
    textures: Textures,
    profile: Profile,
    inputs: BTreeMap<u16, u8>,
    outputs: BTreeMap<u16, u8>,
    samplers: BTreeSet<u8>,
    constants: u16,
    ints: u16,
    bools: u16,
    /// The texture registers written so far, in versions that have such registers.
    written: u16,
}

impl Found {
    fn new(program: &Program, profile: Profile) -> Found {
        Found {
            version: program.version,
            textures: Textures::of(program),
            profile,
            inputs: BTreeMap::new(),
            outputs: BTreeMap::new(),
            samplers: BTreeSet::new(),
            constants: 0,
            ints: 0,
            bools: 0,
            written: 0,
        }
    }

    fn instruction(&mut self, i: &Instruction) {
        let Some(op) = i.op() else { return };
        reads(i, self.version, self.textures, |read| match read.resource {
            ReadResource::Coordinates(stage) => self.input(File::Address as u8, stage, read.mask),
            ReadResource::Register(file, Some(number)) => self.read(file, number, read.mask),
            ReadResource::Register(file, None) => self.read_any(file, read.mask),
        });
        if let Some((slot, mask)) = implied_output(op) {
            *self.outputs.entry(slot).or_default() |= mask;
        }
        let Some(dest) = &i.dest else { return };
        if self.version.major < 2 && self.version.is_pixel() {
            self.read_stage(op, dest);
        }
        if !writes(op) {
            return;
        }
        if dest.is(File::Address) {
            self.written |= 1 << (dest.number & 15);
        }
        if dest.relative.is_relative() {
            for number in 0..count(self.profile, File::CoordinateOut) {
                self.output(dest.file, number, dest.mask);
            }
        } else {
            self.output(dest.file, dest.number, dest.mask);
        }
    }

    /// Records the texture and the state constants of the stage that an instruction before 2_0 selects by its destination, if it reads them.
    fn read_stage(&mut self, op: Opcode, dest: &Dest) {
        if dest.number >= 8 {
            return;
        }
        if reads_texture(op) {
            self.samplers.insert(dest.number as u8);
        }
        if matches!(op, Opcode::Texbem | Opcode::Texbeml | Opcode::Bem) {
            self.constants = self.constants.max(FIRST_STAGE_CONSTANT + 2 * dest.number + 2);
        }
    }

    fn input(&mut self, file: u8, number: u16, mask: u8) {
        if let Some(slot) = input_slot(self.version, file, number) {
            *self.inputs.entry(slot).or_default() |= mask;
        }
    }

    fn output(&mut self, file: u8, number: u16, mask: u8) {
        if let Some(slot) = output_slot(self.version, file, number) {
            *self.outputs.entry(slot).or_default() |= mask;
        }
    }

    fn read(&mut self, file: u8, number: u16, mask: u8) {
        if let Some(constant) = constant_number(file, number) {
            self.constants = self.constants.max(constant + 1);
            return;
        }
        match File::from_number(file) {
            Some(File::Int) => self.ints = self.ints.max(number + 1),
            Some(File::Bool) => self.bools = self.bools.max(number + 1),
            Some(File::Sampler) if number < 16 => _ = self.samplers.insert(number as u8),
            // A texture register that no instruction has written yet still contains the input coordinates.
            Some(File::Address)
                if has_texture_registers(self.version) && self.written >> (number & 15) & 1 != 0 => {}
            _ => self.input(file, number, mask),
        }
    }

    /// Records reads of all registers of a file, for an indexed register.
    fn read_any(&mut self, file: u8, mask: u8) {
        if constant_number(file, 0).is_some() {
            self.constants = self.constants.max(count(self.profile, File::Constant));
        } else if file == File::Input as u8 {
            for number in 0..count(self.profile, File::Input) {
                self.input(file, number, mask);
            }
        }
    }
}
