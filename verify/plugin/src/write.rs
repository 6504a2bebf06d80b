//! Writes the engines' results into buffers of the host.

use super::verdict_number;
use lockstep::judge::plugin::abi::{
    Batch, Decoded, Effect, Environment, NAME, NOT_OFFERED, Program, Room, Step, Trace, Write, status,
    verdict,
};
use lockstep::judge::{Bits, Decoded as DecodedData, LaneStatus, Ran, Traced, Verdict};

/// Writes text or bytes; `None` is written as an empty text, which means "not offered".
///
/// # Safety
/// `room` is valid as the header requires.
pub(crate) unsafe fn text(room: *mut Room, bytes: Option<&[u8]>) {
    let bytes = bytes.unwrap_or_default();
    // SAFETY: the caller guarantees a valid buffer; at most its capacity is written.
    unsafe {
        let fits = bytes.len().min((*room).capacity);
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), (*room).at.cast::<u8>(), fits);
        (*room).length = bytes.len();
    }
}

/// Writes the result of decoding, and returns the number of its verdict.
///
/// # Safety
/// The buffers are as the header requires.
pub(crate) unsafe fn decoded(to: &mut Decoded, said: &DecodedData) -> u32 {
    let instructions = said.instructions.as_ref().map(|all| {
        let line = |instruction: &lockstep::judge::InstructionData| {
            let fields = instruction.fields.iter().map(|(facet, value)| format!("\t{facet}={value}"));
            format!("{}{}\n", instruction.opcode, fields.collect::<String>())
        };
        all.iter().map(line).collect::<String>()
    });
    to.consumed = said.consumed.unwrap_or(NOT_OFFERED);
    // SAFETY: the caller guarantees it: see `# Safety` of this function.
    unsafe {
        text(&raw mut to.text, said.text.as_deref().map(str::as_bytes));
        text(&raw mut to.encoded, said.encoded.as_ref().map(|bytes| bytes.0.as_slice()));
        text(&raw mut to.instructions, instructions.as_deref().map(str::as_bytes));
        text(&raw mut to.message, said.message.as_deref().map(str::as_bytes));
    }
    verdict_number(said.verdict)
}

/// Writes the results of a run, and returns the number of their verdict.
///
/// # Safety
/// The structures are valid as the header requires, and the results are those of this program.
pub(crate) unsafe fn ran(to: &mut Batch, program: &Program, environment: &Environment, said: &Ran) -> u32 {
    // SAFETY: the caller guarantees it: see `# Safety` of this function.
    unsafe { text(&raw mut to.message, said.message.as_deref().map(str::as_bytes)) };
    if said.verdict != Verdict::Accepted {
        return verdict_number(said.verdict);
    }
    for (number, lane) in said.lanes.iter().enumerate() {
        for output in 0..program.output_count {
            // SAFETY: the header guarantees this many outputs, each with its name, and this many lanes.
            unsafe {
                let name = std::ffi::CStr::from_ptr((*program.outputs.add(output)).name).to_string_lossy();
                let Some(bits) = lane.outputs.get(name.as_ref()) else { return verdict::FAILED };
                let bits = bits.map(|bits| bits.unwrap_or_default().0);
                to.outputs.add(number * program.output_count + output).write(bits);
            }
        }
        for register in 0..environment.final_count {
            // SAFETY: the header guarantees this many final registers, each with its name, and room for each of them in this many lanes.
            unsafe {
                let name =
                    std::ffi::CStr::from_ptr((*environment.finals.add(register)).name).to_string_lossy();
                let bits = lane.finals.get(name.as_ref()).copied().unwrap_or_default();
                let given: u32 = (0..4).filter(|c| bits[*c].is_some()).map(|c| 1u32 << c).sum();
                // A component counts as given if every lane gives it.
                let mask = to.final_masks.add(register);
                *mask = if number == 0 { given } else { *mask & given };
                let bits = bits.map(|bits| bits.unwrap_or_default().0);
                to.finals.add(number * environment.final_count + register).write(bits);
            }
        }
        for effect in &lane.effects {
            let written = |c: usize| effect.bits[c].is_some();
            let raw = Effect {
                lane: number as u32,
                kind: u32::from(effect.kind),
                index: u32::from(effect.index),
                mask: (0..4).filter(|c| written(*c)).map(|c| 1 << c).sum(),
                bits: effect.bits.map(|bits| bits.map_or(0, |Bits(bits)| bits)),
            };
            if to.effect_count < to.effect_capacity {
                // SAFETY: the check above guarantees room for another element.
                unsafe { to.effects.add(to.effect_count).write(raw) };
            }
            to.effect_count += 1;
        }
        let end = match lane.status {
            LaneStatus::Finished => status::FINISHED,
            LaneStatus::OutOfFuel => status::OUT_OF_FUEL,
            LaneStatus::Trap => status::TRAP,
        };
        // SAFETY: the header guarantees this many lanes.
        unsafe {
            to.status.add(number).write(end);
            to.killed.add(number).write(u32::from(lane.killed));
        }
    }
    verdict::ACCEPTED
}

/// Writes the steps of a run, and returns the number of their verdict.
///
/// # Safety
/// The buffers are as the header requires.
pub(crate) unsafe fn traced(to: &mut Trace, said: &Traced) -> u32 {
    // SAFETY: the caller guarantees it: see `# Safety` of this function.
    unsafe { text(&raw mut to.message, said.message.as_deref().map(str::as_bytes)) };
    for (lane, steps) in said.steps.iter().enumerate() {
        for step in steps {
            let mut writes = 0;
            // Registers whose names are longer than `NAME` bytes, as some of the control unit are, are left out.
            for (name, bits) in step.writes.iter().filter(|(name, _)| name.len() <= NAME) {
                let mut raw = Write { name: [0; NAME], bits: bits.0 };
                raw.name[..name.len()].copy_from_slice(name.as_bytes());
                if to.write_count < to.write_capacity {
                    // SAFETY: the check above guarantees room for another element.
                    unsafe { to.writes.add(to.write_count).write(raw) };
                }
                to.write_count += 1;
                writes += 1;
            }
            if to.step_count < to.step_capacity {
                // SAFETY: the check above guarantees room for another element.
                unsafe {
                    to.steps.add(to.step_count).write(Step { lane: lane as u32, word: step.word, writes });
                };
            }
            to.step_count += 1;
        }
    }
    verdict_number(said.verdict)
}
