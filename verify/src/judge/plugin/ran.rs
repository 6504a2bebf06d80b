//! Reads the results of a library's `run` function.

use super::abi::{Batch, Effect, MAX_EFFECTS, status};
use super::guarded::Guarded;
use super::request::{ProgramView, RunView};
use super::room::{GUARD, Outcome, Text, malformed_answer, read_verdict};
use crate::judge::subject::{Bits, EffectData, Failure, LaneData, LaneStatus, Ran, Verdict};
use std::collections::BTreeMap;

/// The initial capacity for effects.
const INITIAL_CAPACITY: usize = 1 << 10;
/// The initial content of outputs: a NaN with an unusual payload, which an output that the library does not write keeps.
const UNWRITTEN: [u32; 4] = [0x7fc0_dead; 4];

/// Buffers for the results of a run.
pub(super) struct RunBuffers {
    status: Guarded<u32>,
    killed: Guarded<u32>,
    outputs: Guarded<[u32; 4]>,
    effects: Guarded<Effect>,
    finals: Guarded<[u32; 4]>,
    final_masks: Guarded<u32>,
    /// The capacity for effects in the next call.
    next_capacity: usize,
    message: Text,
    raw: Batch,
}

impl RunBuffers {
    pub(super) fn new() -> RunBuffers {
        let guard = u32::from_ne_bytes([GUARD; 4]);
        let effect = Effect { lane: guard, kind: guard, index: guard, mask: guard, bits: [guard; 4] };
        let mut message = Text::new("message");
        let raw = Batch {
            size: size_of::<Batch>(),
            status: std::ptr::null_mut(),
            killed: std::ptr::null_mut(),
            outputs: std::ptr::null_mut(),
            effects: std::ptr::null_mut(),
            effect_capacity: 0,
            effect_count: 0,
            lane: std::ptr::null_mut(),
            message: message.room(),
            finals: std::ptr::null_mut(),
            final_masks: std::ptr::null_mut(),
        };
        RunBuffers {
            status: Guarded::new(guard),
            killed: Guarded::new(guard),
            outputs: Guarded::new([guard; 4]),
            effects: Guarded::new(effect),
            finals: Guarded::new([guard; 4]),
            final_masks: Guarded::new(guard),
            next_capacity: INITIAL_CAPACITY,
            message,
            raw,
        }
    }

    /// Clears the buffers for a call and returns the structure that the library fills. `lane` receives the number of the lane that is being run.
    pub(super) fn raw(&mut self, program: &ProgramView<'_>, run: &RunView<'_>, lane: *mut u32) -> *mut Batch {
        let (lanes, _) = run.lanes();
        self.status.reset(lanes, status::NOT_RUN);
        self.killed.reset(lanes, 0);
        self.outputs.reset(lanes * program.outputs.len(), UNWRITTEN);
        self.effects.reset(self.next_capacity, Effect::default());
        let finals = run.registers().finals.len();
        self.finals.reset(lanes * finals, UNWRITTEN);
        self.final_masks.reset(finals, 0);
        self.raw = Batch {
            size: size_of::<Batch>(),
            status: self.status.at(),
            killed: self.killed.at(),
            outputs: self.outputs.at(),
            effects: self.effects.at(),
            effect_capacity: self.effects.capacity(),
            effect_count: 0,
            lane,
            message: self.message.room(),
            finals: self.finals.at(),
            final_masks: self.final_masks.at(),
        };
        &raw mut self.raw
    }

    /// Reads the results of the call.
    ///
    /// # Errors
    /// If the results are malformed, or the library reports a failure.
    pub(super) fn read(
        &mut self,
        returned: u32,
        program: &ProgramView<'_>,
        run: &RunView<'_>,
    ) -> Result<Outcome<Ran>, Failure> {
        let intact = [
            ("status", self.status.is_intact()),
            ("killed", self.killed.is_intact()),
            ("outputs", self.outputs.is_intact()),
            ("effects", self.effects.is_intact()),
            ("finals", self.finals.is_intact()),
            ("final_masks", self.final_masks.is_intact()),
        ];
        if let Some((name, _)) = intact.iter().find(|(_, intact)| !intact) {
            return Err(malformed_answer(format!("it wrote past the end of '{name}'")));
        }
        let (asked, capacity) = (self.raw.effect_count, self.effects.capacity());
        self.next_capacity = INITIAL_CAPACITY;
        if asked > MAX_EFFECTS || asked > capacity && capacity > INITIAL_CAPACITY {
            let message = format!(
                "the library announces {asked} effects, but there is room for {capacity}; at most {MAX_EFFECTS} are allowed"
            );
            return Err(malformed_answer(message));
        }
        let more = asked > capacity;
        if more {
            self.next_capacity = asked;
        }
        if self.message.take(&self.raw.message)? || more {
            return Ok(Outcome::Again);
        }
        let message = self.message.text();
        let verdict = read_verdict(returned, message.clone())?;
        let lanes = if verdict == Verdict::Accepted { self.lanes(program, run)? } else { Vec::new() };
        Ok(Outcome::Answer(Ran { verdict, lanes, message }))
    }

    fn lanes(&self, program: &ProgramView<'_>, run: &RunView<'_>) -> Result<Vec<LaneData>, Failure> {
        let (all, asked) = run.lanes();
        let mut effects: Vec<Vec<EffectData>> = vec![Vec::new(); all];
        for (effect, number) in self.effects.written(self.raw.effect_count).iter().zip(0..) {
            let (data, lane) = read_effect(effect, number)?;
            let lane = effects.get_mut(lane);
            lane.ok_or_else(|| {
                malformed_answer(format!("effect {number} is of lane {} of {all}", effect.lane))
            })?
            .push(data);
        }
        let width = program.outputs.len();
        let outputs = self.outputs.written(all * width);
        let registers = run.registers();
        let asked_finals = registers.finals.len();
        let (finals, masks) =
            (self.finals.written(all * asked_finals), self.final_masks.written(asked_finals));
        let ends = self.status.written(asked).iter().zip(self.killed.written(asked)).zip(effects);
        let lane = |(((end, killed), effects), number): (((&u32, &u32), Vec<EffectData>), usize)| {
            let status = match *end {
                status::FINISHED => LaneStatus::Finished,
                status::OUT_OF_FUEL => LaneStatus::OutOfFuel,
                status::TRAP => LaneStatus::Trap,
                status::NOT_RUN => return Err(malformed_answer(format!("lane {number} was not run"))),
                other => {
                    return Err(malformed_answer(format!(
                        "lane {number} has the status {other}, which does not exist"
                    )));
                }
            };
            let written = program.outputs.iter().zip(&program.masks).zip(&outputs[number * width..]);
            let outputs: BTreeMap<_, _> = written
                .map(|((name, mask), bits)| {
                    let mut register = bits.map(|bits| Some(Bits(bits)));
                    for (component, value) in register.iter_mut().enumerate() {
                        *value = value.filter(|_| mask >> component & 1 == 1);
                    }
                    // A killed lane needs no outputs: what it does not write is not compared.
                    if *killed != 0 {
                        for value in &mut register {
                            *value = value.filter(|bits| bits.0 != UNWRITTEN[0]);
                        }
                    }
                    // A lane that ended early, which is a finding in itself, needs none, either.
                    if status == LaneStatus::Finished
                        && *killed == 0
                        && register.contains(&Some(Bits(UNWRITTEN[0])))
                    {
                        let message = format!("lane {number}: the output {name} is not written");
                        return Err(malformed_answer(message));
                    }
                    Ok((name.clone(), register))
                })
                .collect::<Result<_, Failure>>()?;
            let given = registers.final_names.iter().zip(&registers.finals).zip(masks);
            let finals = given.zip(&finals[number * asked_finals..]).map(|(((name, asked), mask), bits)| {
                let mut register = bits.map(|bits| Some(Bits(bits)));
                for (component, value) in register.iter_mut().enumerate() {
                    *value = value.filter(|_| (asked.mask & mask) >> component & 1 == 1);
                }
                (name.clone(), register)
            });
            Ok(LaneData { status, killed: *killed != 0, outputs, finals: finals.collect(), effects })
        };
        ends.zip(0..).map(lane).collect()
    }
}

/// Reads an effect, and the number of its lane.
fn read_effect(effect: &Effect, number: u32) -> Result<(EffectData, usize), Failure> {
    let (Ok(kind), Ok(index), 0..=15) = (u8::try_from(effect.kind), u16::try_from(effect.index), effect.mask)
    else {
        let Effect { kind, index, mask, .. } = effect;
        return Err(malformed_answer(format!(
            "effect {number} has kind {kind}, index {index} and mask {mask}; the maxima are 255, 65535 and 15"
        )));
    };
    let mut bits = effect.bits.map(|bits| Some(Bits(bits)));
    for (component, value) in bits.iter_mut().enumerate() {
        *value = value.filter(|_| effect.mask >> component & 1 == 1);
    }
    Ok((EffectData { kind, index, bits }, effect.lane as usize))
}
