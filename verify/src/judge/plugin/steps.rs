//! Reads the results of a library's `trace` function: the steps of a run.

use super::abi::{MAX_STEPS, NAME, Step, Trace, Write};
use super::guarded::Guarded;
use super::request::RunView;
use super::room::{GUARD, Outcome, Text, malformed_answer, read_verdict};
use crate::judge::subject::{Bits, Failure, StepData, Traced, Verdict};
use std::collections::BTreeMap;

/// The initial capacity for steps, and for writes.
const INITIAL_CAPACITY: usize = 1 << 10;

/// Buffers for the steps of a run.
pub(super) struct TraceBuffers {
    steps: Guarded<Step>,
    writes: Guarded<Write>,
    /// The capacity for steps, and for writes, in the next call.
    next_capacity: [usize; 2],
    message: Text,
    raw: Trace,
}

impl TraceBuffers {
    pub(super) fn new() -> TraceBuffers {
        let guard = u32::from_ne_bytes([GUARD; 4]);
        let mut message = Text::new("message");
        let raw = Trace {
            size: size_of::<Trace>(),
            steps: std::ptr::null_mut(),
            step_capacity: 0,
            step_count: 0,
            writes: std::ptr::null_mut(),
            write_capacity: 0,
            write_count: 0,
            lane: std::ptr::null_mut(),
            message: message.room(),
        };
        TraceBuffers {
            steps: Guarded::new(Step { lane: guard, word: guard, writes: guard }),
            writes: Guarded::new(Write { name: [GUARD; NAME], bits: guard }),
            next_capacity: [INITIAL_CAPACITY; 2],
            message,
            raw,
        }
    }

    /// Clears the buffers for a call and returns the structure that the library fills. `lane` receives the number of the lane that is being run.
    pub(super) fn raw(&mut self, lane: *mut u32) -> *mut Trace {
        let [steps, writes] = self.next_capacity;
        self.steps.reset(steps, Step::default());
        self.writes.reset(writes, Write::default());
        self.raw = Trace {
            size: size_of::<Trace>(),
            steps: self.steps.at(),
            step_capacity: self.steps.capacity(),
            step_count: 0,
            writes: self.writes.at(),
            write_capacity: self.writes.capacity(),
            write_count: 0,
            lane,
            message: self.message.room(),
        };
        &raw mut self.raw
    }

    /// Reads the results of the call.
    ///
    /// # Errors
    /// If the results are malformed, or the library reports a failure.
    pub(super) fn read(&mut self, returned: u32, run: &RunView<'_>) -> Result<Outcome<Traced>, Failure> {
        if !self.steps.is_intact() || !self.writes.is_intact() {
            return Err(malformed_answer("it wrote past the end of its steps or of their writes"));
        }
        let asked = [self.raw.step_count, self.raw.write_count];
        let given = [self.steps.capacity(), self.writes.capacity()];
        self.next_capacity = [INITIAL_CAPACITY; 2];
        let more = asked.iter().zip(given).any(|(asked, given)| *asked > given);
        // A request for larger buffers is granted once.
        if asked.iter().any(|asked| *asked > MAX_STEPS) || more && given != [INITIAL_CAPACITY; 2] {
            let [steps, writes] = asked;
            let message = format!(
                "the library announces {steps} steps and {writes} writes, but there is room for {given:?}; at most {MAX_STEPS} are allowed"
            );
            return Err(malformed_answer(message));
        }
        if more {
            self.next_capacity = asked.map(|asked| asked.max(INITIAL_CAPACITY));
        }
        if self.message.take(&self.raw.message)? || more {
            return Ok(Outcome::Again);
        }
        let message = self.message.text();
        let verdict = read_verdict(returned, message.clone())?;
        let steps = if verdict == Verdict::Accepted { self.lanes(run)? } else { Vec::new() };
        Ok(Outcome::Answer(Traced { verdict, steps, message }))
    }

    fn lanes(&self, run: &RunView<'_>) -> Result<Vec<Vec<StepData>>, Failure> {
        let (all, asked) = run.lanes();
        let mut lanes: Vec<Vec<StepData>> = vec![Vec::new(); all];
        let mut rest = self.writes.written(self.raw.write_count);
        for (step, number) in self.steps.written(self.raw.step_count).iter().zip(0..) {
            let Some((own, others)) = rest.split_at_checked(step.writes as usize) else {
                let message = format!(
                    "step {number} announces {} writes, but only {} are left",
                    step.writes,
                    rest.len()
                );
                return Err(malformed_answer(message));
            };
            rest = others;
            let lane = lanes.get_mut(step.lane as usize);
            let lane =
                lane.ok_or_else(|| malformed_answer(format!("step {number} is of lane {}", step.lane)))?;
            let writes = own.iter().map(|write| Ok((name(write)?, Bits(write.bits))));
            let writes: Result<BTreeMap<_, _>, Failure> = writes.collect();
            lane.push(StepData { word: step.word, writes: writes? });
        }
        lanes.truncate(asked);
        Ok(lanes)
    }
}

/// Returns the name of the register that is written.
fn name(write: &Write) -> Result<String, Failure> {
    let length = write.name.iter().position(|byte| *byte == 0).unwrap_or(NAME);
    let text = std::str::from_utf8(&write.name[..length]);
    text.map(str::to_owned).map_err(|_| malformed_answer("the name of a register is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Case;
    use crate::judge::plugin::abi::verdict;
    use crate::judge::plugin::request::ProgramView;
    use crate::judge::{Ability, Profile, Question, prepare};
    use lockstep_core::host::{Environment, LaneInput};
    use lockstep_core::isa::Syntax;
    use lockstep_core::isa::agal::Agal;

    #[test]
    fn more_steps_or_more_writes_than_the_maximum_are_refused() {
        let program = Agal::assemble("version 1 vertex\nmov op, va0\n").unwrap();
        let env = Environment { lanes: vec![LaneInput::default()], fuel: 9, ..Environment::default() };
        let prepared = prepare(&Case::new::<Agal>(&program, env), &Profile::default(), &[Ability::Run]);
        let Ok(prepared) = prepared else { panic!("it is not asked") };
        let Question::Run(data) = &prepared.questions[0] else { panic!("no run") };
        let run = RunView::new(data, &ProgramView::new(&data.program));
        let announce = |steps, writes| {
            let mut buffers = TraceBuffers::new();
            buffers.raw(std::ptr::null_mut());
            [buffers.raw.step_count, buffers.raw.write_count] = [steps, writes];
            buffers.read(verdict::ACCEPTED, &run)
        };
        assert!(matches!(announce(MAX_STEPS, MAX_STEPS), Ok(Outcome::Again)));
        assert!(announce(MAX_STEPS + 1, 0).is_err());
        assert!(announce(0, MAX_STEPS + 1).is_err());
    }

    #[test]
    fn a_trace_has_the_lanes_that_were_asked_for_and_not_those_that_fill_a_quad() {
        let program = Agal::assemble("version 1 fragment\nmov oc, v0\n").unwrap();
        for count in 1..=8 {
            let lanes = vec![LaneInput::default(); count];
            let env = Environment { lanes, fuel: 9, ..Environment::default() };
            let prepared = prepare(&Case::new::<Agal>(&program, env), &Profile::default(), &[Ability::Run]);
            let Ok(prepared) = prepared else { panic!("it is not asked") };
            let Question::Run(data) = &prepared.questions[0] else { panic!("no run") };
            let run = RunView::new(data, &ProgramView::new(&data.program));
            assert_eq!(run.lanes(), (count.next_multiple_of(4), count));
            let mut buffers = TraceBuffers::new();
            buffers.raw(std::ptr::null_mut());
            let Ok(Outcome::Answer(traced)) = buffers.read(verdict::ACCEPTED, &run) else {
                panic!("no trace")
            };
            assert_eq!(traced.steps, vec![Vec::new(); count]);
        }
    }
}
