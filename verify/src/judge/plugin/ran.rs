//! Reads the results of a library's `run` function.

use super::abi::{Batch, Effect, MAX_EFFECTS, status};
use super::guarded::Guarded;
use super::request::{ProgramView, RunView};
use super::room::{GUARD, Outcome, Text, malformed_answer, read_verdict};
use crate::judge::subject::{Bits, EffectData, Failure, LaneData, LaneStatus, Ran, Verdict};
use std::collections::BTreeMap;

/// The initial capacity for effects.
const INITIAL_CAPACITY: usize = 1 << 10;
/// The initial content of outputs and final registers: a NaN with an unusual payload, which stays where the library writes nothing.
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
            // A lane that ended early is a finding in itself, and a killed lane needs no outputs.
            let must_write = status == LaneStatus::Finished && *killed == 0;
            let written = program.outputs.iter().zip(&program.masks).zip(&outputs[number * width..]);
            let outputs: BTreeMap<_, _> = written
                .map(|((name, mask), bits)| {
                    let mut register = bits.map(|bits| Some(Bits(bits)));
                    for (component, value) in register.iter_mut().enumerate() {
                        *value = value.filter(|_| mask >> component & 1 == 1);
                    }
                    // What a killed lane does not write is not compared.
                    if *killed != 0 {
                        for value in &mut register {
                            *value = value.filter(|bits| bits.0 != UNWRITTEN[0]);
                        }
                    }
                    if must_write {
                        check_written(number, "output", name, &register)?;
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
                if must_write {
                    check_written(number, "final register", name, &register)?;
                }
                Ok((name.clone(), register))
            });
            let finals: BTreeMap<_, _> = finals.collect::<Result<_, Failure>>()?;
            Ok(LaneData { status, killed: *killed != 0, outputs, finals, effects })
        };
        ends.zip(0..).map(lane).collect()
    }
}

/// Checks that no component of a lane's register still has its content from before the call.
fn check_written(lane: usize, kind: &str, name: &str, register: &[Option<Bits>; 4]) -> Result<(), Failure> {
    if register.contains(&Some(Bits(UNWRITTEN[0]))) {
        return Err(malformed_answer(format!("lane {lane}: the {kind} {name} is not written")));
    }
    Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Case;
    use crate::judge::plugin::abi::verdict;
    use crate::judge::{Ability, Profile, Question, RunData, prepare};
    use lockstep_core::host::{Environment, LaneInput};
    use lockstep_core::isa::Syntax;
    use lockstep_core::isa::d3d9::D3d9;

    #[test]
    fn a_final_register_that_is_given_but_not_written_is_refused() {
        let program = D3d9::assemble("vs_2_0\ndcl_position v0\nmova a0.x, v0.x\nmov oPos, v0\n").unwrap();
        let env = Environment { lanes: vec![LaneInput::default()], fuel: 9, ..Environment::default() };
        let prepared = prepare(&Case::new::<D3d9>(&program, env), &Profile::default(), &[Ability::Run]);
        let Ok(prepared) = prepared else { panic!("it is not asked") };
        let Question::Run(data) = &prepared.questions[0] else { panic!("no run") };
        let data = RunData { finals: [("a0".to_owned(), "x".to_owned())].into(), ..(**data).clone() };
        let program = ProgramView::new(&data.program);
        let run = RunView::new(&data, &program);
        let answer = |given| {
            let mut buffers = RunBuffers::new();
            buffers.raw(&program, &run, std::ptr::null_mut());
            buffers.status.reset(1, status::FINISHED);
            buffers.outputs.reset(1, [0; 4]);
            buffers.final_masks.reset(1, given);
            buffers.read(verdict::ACCEPTED, &program, &run)
        };
        assert!(matches!(answer(0), Ok(Outcome::Answer(_))));
        let Err(failure) = answer(1) else { panic!("no failure") };
        assert_eq!(failure.message, "lane 0: the final register a0 is not written");
    }
}
