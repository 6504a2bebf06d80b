//! The interface of a program: stage, inputs, constants, buffers and samplers.
//!
//! Inputs are numbered like the general registers that hold them at the start: for a vertex, R0.x is its index; for a pixel, R0 and up are the
//! interpolated parameters. Inputs 64 to 66 are the initial values of a0, the predicate and PS. The only outputs are the final values of a0, the
//! predicate and PS, at the same slots, because exports are effects. `ints` counts loop constants, `bools` Boolean constants, `samplers` texture
//! constants.
//!
//! [`Entry::version`] is [`ADRENO`] or [`XENOS`]. [`Entry::extra`] is a bit set of the vertex constants (buffers) that VERTEX reads,
//! three dwords for numbers 0 to 95, lowest first; the fourth is 0.

use super::flow;
use super::limits::POSITION;
use super::opcode::{FetchOp, ScalarShape, VectorOp};
use super::program::{
    Alu, COORDINATE_SWIZZLE, Clause, Exec, KEEP, Order, Program, RESULT_SWIZZLE, Shader, Slot, component,
};
use super::word::Buffer;
use crate::isa::worklist::Worklist;
use crate::isa::{Entry, Interface, Port, Stage};
use std::collections::BTreeSet;

pub use super::program::{ADRENO, XENOS};

/// Number of general registers.
pub const REGISTERS: u16 = 64;
/// Number of float constants that a relative read can reach.
pub const CONSTANTS: u16 = 512;

/// Returns the entries of a program: each of its shaders, from its first clause. If the container does not state the stage, it is inferred from
/// allocations, exports and fetches.
pub fn entries(program: &Program) -> Vec<Entry> {
    let mut start = 0;
    let mut entries = Vec::with_capacity(program.shaders.len());
    for shader in &program.shaders {
        entries.push(entry_at(program, shader, start));
        start += shader.words() as u32;
    }
    entries
}

/// Returns element `number` of [`entries`].
pub fn entry(program: &Program, number: usize) -> Option<Entry> {
    Some(entry_at(program, program.shaders.get(number)?, program.first_word(number)))
}

fn entry_at(program: &Program, shader: &Shader, start: u32) -> Entry {
    let version = if program.order == Order::Big { XENOS } else { ADRENO };
    let (interface, buffers) = interface(shader);
    let [a, b, c] = [0, 32, 64].map(|low| (buffers >> low) as u32);
    Entry { stage: stage_of(shader), start, version, interface, extra: [a, b, c, 0] }
}

/// Returns the shader that an entry runs.
pub fn shader_of<'a>(program: &'a Program, entry: &Entry) -> Option<&'a Shader> {
    program.find(entry.start).filter(|(_, at)| *at == 0).map(|(shader, _)| shader)
}

/// Returns the stage stated by the container. Without one, the stage is vertex if the shader fetches vertices, allocates a position, or exports to 62
/// or above, and fragment otherwise.
pub fn stage_of(shader: &Shader) -> Stage {
    shader.stage.unwrap_or_else(|| {
        crate::work::count_work(shader.clauses.len() + shader.slots.len());
        let position = shader
            .clauses
            .iter()
            .any(|c| matches!(c, Clause::Alloc(a) if a.buffer == Buffer::Position as u8));
        let vertex = shader.slots.iter().any(|slot| match slot {
            Slot::Vertex(_) => true,
            Slot::Alu(alu) => alu.export != 0 && alu.vdest >= POSITION,
            Slot::Texture(_) | Slot::Raw(_) => false,
        });
        if position || vertex { Stage::Vertex } else { Stage::Fragment }
    })
}

/// Returns the number of lanes that run together: four (a quad) if a fragment shader reads other lanes' coordinates, otherwise one.
pub fn group(program: &Program, entry: &Entry) -> u8 {
    let across = |slot: &Slot| match slot {
        Slot::Texture(t) => match t.op() {
            Some(FetchOp::GetGradients) => true,
            None => false,
            Some(op) if op.sets_state() => false,
            Some(_) => t.use_comp_lod != 0 && t.use_reg_gradients == 0,
        },
        _ => false,
    };
    let any = || shader_of(program, entry).is_some_and(|shader| shader.slots.iter().any(across));
    if entry.stage == Stage::Fragment && any() { 4 } else { 1 }
}

/// A set of components of general registers: bit `component` of element `k` is a component of register `k`.
type Components = [u8; REGISTERS as usize];

/// Returns the interface of a shader, and its vertex constants as a bit set: everything that the shader may read on any path. Operands whose value is
/// never used do not count.
fn interface(shader: &Shader) -> (Interface, u128) {
    let mut inputs = [0; REGISTERS as usize];
    let mut constants = 0;
    let mut buffers = 0u128;
    let (mut ints, mut bools) = (0, 0);
    let mut samplers = BTreeSet::new();
    let written = written_before(shader);
    for (index, clause) in shader.clauses.iter().enumerate() {
        let Some(before) = &written[index] else { continue };
        match clause {
            Clause::LoopStart(l) => ints = ints.max(u16::from(l.loop_id) + 1),
            Clause::LoopEnd(l) => ints = ints.max(u16::from(l.loop_id) + 1),
            Clause::Branch(b) if b.unconditional == 0 && b.predicated == 0 => {
                bools = bools.max(u16::from(b.bool_addr) + 1);
            }
            Clause::Exec(e) => {
                if e.op().tests_bool() {
                    bools = bools.max(u16::from(e.bool_addr) + 1);
                }
                let mut known = *before;
                for slot in run_slots(shader, e) {
                    reads(slot, |read| match read {
                        Read::Register(number, mask) => inputs[number] |= mask & !known[number],
                        Read::AnyRegister(mask) => {
                            for (input, known) in inputs.iter_mut().zip(&known) {
                                *input |= mask & !known;
                            }
                        }
                        Read::Constant(number) => constants = constants.max(u16::from(number) + 1),
                        Read::AnyConstant => constants = CONSTANTS,
                        Read::Buffer(number) => buffers |= 1 << number,
                        Read::Texture(number) => {
                            samplers.insert(number);
                        }
                    });
                    writes(slot, &mut known);
                }
            }
            _ => {}
        }
    }
    let inputs = inputs.iter().enumerate().filter(|(_, mask)| **mask != 0);
    let interface = Interface {
        inputs: inputs.map(|(k, mask)| Port { slot: k as u16, mask: *mask }).collect(),
        outputs: Vec::new(),
        constants,
        ints,
        bools,
        samplers: samplers.into_iter().collect(),
    };
    (interface, buffers)
}

/// Iterates over the existing slots that a clause runs.
pub(super) fn run_slots<'a>(shader: &'a Shader, e: &Exec) -> impl Iterator<Item = &'a Slot> + use<'a> {
    let area = shader.clauses.len() / 2;
    let (addr, count) = (usize::from(e.addr), e.slot_count());
    (0..usize::from(count))
        .filter_map(move |k| (addr + k).checked_sub(area))
        .filter_map(|at| shader.slots.get(at))
}

/// Returns the components that are certainly written before each clause; `None` for an unreachable clause.
fn written_before(shader: &Shader) -> Vec<Option<Components>> {
    let nothing = Some([0; REGISTERS as usize]);
    let mut before = vec![None; shader.clauses.len()];
    let mut open = Worklist::new(shader.clauses.len());
    if let Some(first) = before.first_mut() {
        *first = nothing;
        open.insert(0);
    }
    // A clause is visited again only after a bit of its mask was cleared, so there are few visits. The bound is only a safeguard.
    let mut left = 64 * shader.clauses.len() + 64;
    while let Some(index) = open.pop_first() {
        let (Some(clause), Some(Some(start))) = (shader.clauses.get(index), before.get(index)) else {
            continue;
        };
        let mut after = *start;
        if let Clause::Exec(e) = clause
            && !e.op().tests_bool()
            && !e.op().tests_predicate()
        {
            run_slots(shader, e).for_each(|slot| writes(slot, &mut after));
        }
        left = left.saturating_sub(1);
        if left == 0 {
            // If the bound is exceeded, assume that nothing is written.
            return vec![nothing; shader.clauses.len()];
        }
        // The analysis does not track whether a RETURN has a call to return from; both cases are included.
        let next = flow::successors(index, clause, false);
        for to in next.map(|s| s.index) {
            let Some(known) = before.get_mut(to) else { continue };
            let known = known.get_or_insert_with(|| {
                open.insert(to);
                after
            });
            for (known, after) in known.iter_mut().zip(&after) {
                if *known & !after != 0 {
                    *known &= after;
                    open.insert(to);
                }
            }
        }
    }
    before
}

/// A resource that a slot reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Read {
    /// Components of a general register: register number and mask.
    Register(usize, u8),
    /// Components, given by a mask, of a general register whose number is computed at run time.
    AnyRegister(u8),
    /// A float constant.
    Constant(u8),
    /// A float constant whose number is computed at run time.
    AnyConstant,
    /// A vertex constant.
    Buffer(u8),
    /// A texture constant.
    Texture(u8),
}

/// Returns the channels that count as read in source `source_number` of a vector operation. A channel that may affect the result in one source counts
/// as read in all of them; only for DOT2ADD each source counts by itself. For CUBE all channels count, because compilers distribute the components of
/// the direction over both sources.
fn channels(alu: &Alu, op: VectorOp, source_number: u8) -> u8 {
    match op {
        VectorOp::Cube => 0xf,
        VectorOp::Dot2add => op.channels(source_number, alu.vmask),
        _ => (1..=op.sources() as u8).fold(0, |all, n| all | op.channels(n, alu.vmask)),
    }
}

/// Calls `each` for each resource that a slot reads.
pub(super) fn reads(slot: &Slot, mut each: impl FnMut(Read)) {
    match slot {
        Slot::Alu(alu) => {
            let mut source = |n: u8, channels: u8| {
                let s = alu.source(n);
                let mask = (0..4)
                    .filter(|c| channels >> c & 1 != 0)
                    .fold(0, |mask, c| mask | 1 << component(s.swizzle, c));
                match (s.register, s.relative) {
                    _ if mask == 0 => {}
                    (true, false) => each(Read::Register(usize::from(s.number), mask)),
                    (true, true) => each(Read::AnyRegister(mask)),
                    (false, false) => each(Read::Constant(s.number)),
                    (false, true) => each(Read::AnyConstant),
                }
            };
            if let Some(op) = alu.vector() {
                for n in 1..=op.sources() as u8 {
                    source(n, channels(alu, op, n));
                }
            }
            match alu.scalar().map(super::opcode::ScalarOp::shape) {
                Some(ScalarShape::One | ScalarShape::OnePrevious) => source(3, 0b1000),
                // The two channels depend on an option: W and X, W and Z, or Z and W.
                Some(ScalarShape::Two | ScalarShape::TwoPrevious) => source(3, 0b1101),
                Some(ScalarShape::Constant) => {
                    let (constant, register) = alu.constant_operands();
                    each(if constant.relative { Read::AnyConstant } else { Read::Constant(constant.number) });
                    each(Read::Register(usize::from(register.number), 1 << register.swizzle));
                }
                Some(ScalarShape::None) | None => {}
            }
        }
        Slot::Vertex(v) => {
            each(Read::Buffer(3 * v.const_index + v.const_sub));
            fetch_source(v.src, v.src_rel, 1 << v.src_component, each);
        }
        Slot::Texture(t) => {
            each(Read::Texture(t.const_index));
            let mask = COORDINATE_SWIZZLE.split(t.src_swizzle).iter().fold(0, |mask, c| mask | 1 << c);
            fetch_source(t.src, t.src_rel, mask, each);
        }
        Slot::Raw(_) => {}
    }
}

/// Calls `each` for the register from which a fetch reads its index or coordinates.
fn fetch_source(number: u8, relative: u8, mask: u8, mut each: impl FnMut(Read)) {
    each(if relative != 0 {
        Read::AnyRegister(mask)
    } else {
        Read::Register(usize::from(number & 63), mask)
    });
}

/// Adds the components that a slot certainly writes to `written`.
fn writes(slot: &Slot, written: &mut Components) {
    match slot {
        Slot::Alu(alu) if alu.export == 0 && alu.pred_en == 0 => {
            for (number, relative, mask) in
                [(alu.vdest, alu.vdest_rel, alu.vmask), (alu.sdest, alu.sdest_rel, alu.smask)]
            {
                if relative == 0 {
                    written[usize::from(number & 63)] |= mask;
                }
            }
        }
        Slot::Vertex(v) if v.pred_en == 0 && v.dst_rel == 0 => {
            written[usize::from(v.dst & 63)] |= fetch_mask(v.dst_swizzle);
        }
        Slot::Texture(t) if t.pred_en == 0 && t.dst_rel == 0 && !t.op().is_some_and(FetchOp::sets_state) => {
            written[usize::from(t.dst & 63)] |= fetch_mask(t.dst_swizzle);
        }
        _ => {}
    }
}

/// Returns the components that the destination swizzle of a fetch writes.
pub(super) fn fetch_mask(swizzle: u16) -> u8 {
    (0..4).filter(|c| RESULT_SWIZZLE.get(swizzle, *c) != KEEP).fold(0, |mask, c| mask | 1 << c)
}
