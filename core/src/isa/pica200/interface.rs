//! The entries of a program, with the inputs, outputs and resources of each.
//!
//! Input slot n is `vn`, output slot n is `on`. The initial values of other registers can be inputs too: slot 16 + n is `rn`; slot 32 holds `a0.x`,
//! `a0.y` and `aL` in x, y and z, truncated to integers; slot 33 holds `cmp.x` and `cmp.y` in x and y, true unless zero. Output slots 32 and 33 hold
//! the final values of the same registers. An entry lists them only if the user asks for them; registers without an initial value are zero. The
//! additional numbers of an entry ([`Entry::extra`]) are:
//!
//! | number | meaning |
//! |---|---|
//! | 0 | the index of the DVLE, or [`NO_DVLE`] for a raw program |
//! | 1 | the registers of an emitted vertex, as [`Emitted`] |
//! | 2 | how primitives are assembled, as [`Geometry`] |
//! | 3 | 0 |

#![deny(clippy::cast_possible_truncation)]

use super::container::Dvle;
use super::number::from_f24;
use super::opcode::Opcode;
use super::program::{Container, MEMORY, Program, Register, Target, UNIFORMS};
use super::reads::{reads, write};
use super::word::{Boolean, ConstantKind, DvleKind, Emitted, Geometry, Integer};
use crate::host::Environment;
use crate::isa::{Entry, Interface, Port, Stage};

/// The input slot of `r0`.
pub const FIRST_TEMPORARY_SLOT: u16 = 16;
/// The input and output slot of the address registers.
pub const ADDRESS_SLOT: u16 = 32;
/// The input and output slot of the condition bits.
pub const CONDITION_SLOT: u16 = ADDRESS_SLOT + 1;

/// The DVLE index in entries of raw programs, which have no DVLE.
pub const NO_DVLE: u32 = u32::MAX;

/// Returns the registers of an emitted vertex, bit n for `on`.
pub fn output_mask(entry: &Entry) -> u16 {
    Emitted::from_word(entry.extra[1]).outputs
}

/// Returns number 1 of [`Entry::extra`] for an output mask.
fn emitted(outputs: u16) -> u32 {
    Emitted { outputs, zero: 0 }.to_word()
}

/// Returns the index of an entry's DVLE; `None` for a raw program.
pub(super) fn dvle_index(entry: &Entry) -> Option<usize> {
    usize::try_from(entry.extra[0]).ok().filter(|_| entry.extra[0] != NO_DVLE)
}

/// Returns one entry for each DVLE, in order; for a raw program, the only entry.
pub fn entries(program: &Program) -> Vec<Entry> {
    let mut search = Search::new(program);
    (0..entry_count(program)).filter_map(|number| entry_of(program, number, &mut search)).collect()
}

/// Returns the number of entries.
pub fn entry_count(program: &Program) -> usize {
    match &program.container {
        Container::Raw(_) => 1,
        Container::Shbin(shbin) => shbin.dvles.len(),
    }
}

/// Returns one of the [`entries`], by index.
pub fn entry(program: &Program, number: usize) -> Option<Entry> {
    entry_of(program, number, &mut Search::new(program))
}

fn entry_of(program: &Program, number: usize, search: &mut Search) -> Option<Entry> {
    Some(match &program.container {
        Container::Raw(_) if number > 0 => return None,
        Container::Raw(raw) => {
            entry_at(program, raw.stage, raw.start, [NO_DVLE, emitted(raw.output_mask), 0, 0], search)
        }
        Container::Shbin(shbin) => {
            let dvle = shbin.dvles.get(number)?;
            let Dvle { output_mask, mode, fixed_start, variable_vertices, fixed_vertices, .. } = *dvle;
            let geometry = Geometry { mode, fixed_start, variable_vertices, fixed_vertices };
            let extra = [u32::try_from(number).ok()?, emitted(output_mask), geometry.to_word(), 0];
            entry_at(program, stage(dvle), dvle.main, extra, search)
        }
    })
}

/// Returns the stage of a DVLE. Unknown kinds count as vertex programs; the validator reports them.
pub fn stage(dvle: &Dvle) -> Stage {
    match DvleKind::from_number(dvle.kind) {
        Some(DvleKind::Geometry) => Stage::Geometry,
        Some(DvleKind::Vertex) | None => Stage::Vertex,
    }
}

fn entry_at(program: &Program, stage: Stage, start: u32, extra: [u32; 4], search: &mut Search) -> Entry {
    Entry { stage, start, version: 0, interface: interface(program, stage, start, search), extra }
}

/// Returns, for each word, whether it may be reachable from `start`. Unreachable words can be included: every condition is assumed to have both
/// values, and every end of a scope that a reachable word opens counts as reached. Words after the code are `end`.
pub fn reachable(program: &Program, start: u32) -> Vec<bool> {
    let mut search = Search::new(program);
    search.run(program, start);
    search.seen
}

/// A search for reachable words. Its buffers are reused for each start, since a file can have many entries.
struct Search {
    seen: Vec<bool>,
    /// The words for which `seen` is true.
    met: Vec<u32>,
    open: Vec<u32>,
}

impl Search {
    fn new(program: &Program) -> Search {
        let len = program.code.len().min(MEMORY as usize);
        Search { seen: vec![false; len], met: Vec::new(), open: Vec::new() }
    }

    /// Finds the words reachable from `start`.
    fn run(&mut self, program: &Program, start: u32) {
        let Search { seen, met, open } = self;
        met.drain(..).for_each(|at| seen[at as usize] = false);
        open.push(start);
        while let Some(at) = open.pop() {
            let Some(mark) = seen.get_mut(at as usize) else { continue };
            if std::mem::replace(mark, true) {
                continue;
            }
            met.push(at);
            let instruction = &program.code[at as usize];
            let op = instruction.op();
            if op == Some(Opcode::End) {
                continue;
            }
            open.push(at + 1);
            let Some((dst, num)) = instruction.flow() else { continue };
            match op {
                Some(Opcode::Breakc) | None => {}
                Some(Opcode::Loop) => open.push(u32::from(dst) + 1),
                Some(Opcode::Ifc | Opcode::Ifu) => {
                    open.extend([u32::from(dst), u32::from(dst) + u32::from(num)]);
                }
                Some(_) => open.push(u32::from(dst)),
            }
        }
    }
}

/// Returns the registers that reachable words read and write. A geometry program has no outputs: the vertices that it emits are effects.
fn interface(program: &Program, stage: Stage, start: u32, search: &mut Search) -> Interface {
    let (mut inputs, mut outputs) = ([0u8; 16], [0u8; 16]);
    let mut interface = Interface::default();
    search.run(program, start);
    for instruction in search.met.iter().map(|at| &program.code[*at as usize]) {
        reads(program, instruction, |read| match read.register {
            Register::Input(n) => inputs[usize::from(n)] |= read.mask,
            Register::Temporary(_) => {}
            // An index can reach every uniform.
            Register::Uniform(_) if read.idx != 0 => interface.constants = UNIFORMS,
            Register::Uniform(n) if read.mask != 0 => {
                interface.constants = interface.constants.max(u16::from(n) + 1);
            }
            Register::Uniform(_) => {}
        });
        if let Some((Target::Output(n), mask)) = write(program, instruction) {
            outputs[usize::from(n)] |= mask;
        }
        if let super::program::Instruction::Uniform(i) = instruction {
            if instruction.op() == Some(Opcode::Loop) {
                interface.ints = interface.ints.max(u16::from(i.integer()) + 1);
            } else {
                interface.bools = interface.bools.max(u16::from(i.id) + 1);
            }
        }
    }
    let ports = |masks: [u8; 16]| {
        let ports = (0..).zip(masks).filter(|(_, mask)| *mask != 0);
        ports.map(|(slot, mask)| Port { slot, mask }).collect()
    };
    interface.inputs = ports(inputs);
    if stage == Stage::Vertex {
        interface.outputs = ports(outputs);
    }
    interface
}

/// Writes the constants of the entry's DVLE to an environment, as a loader does. Constants of an unknown kind, or whose id is not that of a uniform,
/// are skipped.
pub fn preset(program: &Program, entry: &Entry, env: &mut Environment) {
    fn slot<T: Clone + Default>(file: &mut Vec<T>, id: u16, count: u16) -> Option<&mut T> {
        if id >= count {
            return None;
        }
        if file.len() <= usize::from(id) {
            file.resize(usize::from(id) + 1, T::default());
        }
        file.get_mut(usize::from(id))
    }
    let Container::Shbin(shbin) = &program.container else { return };
    let Some(dvle) = dvle_index(entry).and_then(|n| shbin.dvles.get(n)) else { return };
    for constant in &dvle.constants.rows {
        match constant.known_kind() {
            Some(ConstantKind::Boolean) => {
                if let Some(value) = slot(&mut env.bools, constant.id, 16) {
                    *value = Boolean::from_word(constant.words[0]).value != 0;
                }
            }
            Some(ConstantKind::Integer) => {
                if let Some(value) = slot(&mut env.ints, constant.id, 4) {
                    let Integer { x, y, z, w } = Integer::from_word(constant.words[0]);
                    *value = [x, y, z, w].map(i32::from);
                }
            }
            Some(ConstantKind::Float) => {
                if let Some(value) = slot(&mut env.constants, constant.id, UNIFORMS) {
                    *value = constant.words.map(from_f24);
                }
            }
            None => {}
        }
    }
}
