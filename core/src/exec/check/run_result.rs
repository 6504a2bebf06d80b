//! The observable results of a run as words, used to compare the evaluator with a batch.

use crate::exec::Batch;
use crate::host::End;
use crate::host::{ConcreteHost, EffectRecord, Environment};
use crate::ir::eval::{self, Lane, Scalar, Stop};
use crate::ir::{Program, Ty};
use crate::value::{Concrete, canonical_bits};

/// The result words of every lane: how it ended, its kill mark, its effects, its outputs in the program's order. NaNs are canonical.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunResult {
    /// The words of all lanes, one lane after the other.
    pub words: Vec<u32>,
    /// The index in `words` at which each lane starts.
    pub starts: Vec<u32>,
}

impl RunResult {
    fn clear(&mut self) {
        self.words.clear();
        self.starts.clear();
    }

    fn push_lane(&mut self, end: End, killed: bool, effects: &[EffectRecord]) {
        self.starts.push(self.words.len() as u32);
        self.words.extend([end as u32, u32::from(killed), effects.len() as u32]);
        for effect in effects {
            let head = u32::from(effect.kind) << 24 | u32::from(effect.mask) << 16 | u32::from(effect.index);
            self.words.push(head);
            self.words.extend(effect.values.map(canonical_bits));
        }
    }

    /// Takes the results of `batch` after a run of `program`.
    pub fn take_batch(&mut self, program: &Program, batch: &Batch) {
        self.clear();
        for lane in 0..batch.lanes() {
            self.push_lane(batch.end(lane), batch.is_killed(lane), batch.effects(lane));
            for &(number, var) in &program.outputs {
                let value = batch.output(lane, number);
                self.words.push(if program.var(var).ty == Ty::F32 {
                    canonical_bits(value)
                } else {
                    value.to_bits()
                });
            }
        }
    }

    /// Runs the evaluator over all lanes of `env`, one group (a lane or a quad) at a time, and takes the results. A quad is always whole:
    /// lanes beyond the last one are helper lanes with inputs of zero.
    pub fn evaluate(&mut self, program: &Program, env: &Environment) {
        self.clear();
        let group = usize::from(program.group);
        let mut host = ConcreteHost::<false>::new(env, 0);
        for base in (0..env.lanes.len()).step_by(group) {
            host.restart(base);
            let mut lanes: Vec<Lane<Concrete>> =
                (0..group).map(|_| Lane::new(&Concrete, &mut host, program, env.fuel)).collect();
            eval::run(&mut Concrete, &mut host, program, &mut lanes);
            for (k, lane) in lanes.iter().enumerate().take(env.lanes.len() - base) {
                let end = match (lane.stop, host.overflowed(k)) {
                    (Some(Stop::OutOfFuel), _) => End::OutOfFuel,
                    (Some(Stop::Hung), _) => End::Hung,
                    (_, true) => End::EffectsFull,
                    _ => End::Finished,
                };
                self.push_lane(end, lane.killed, host.records(k));
                let outputs = program.outputs.iter().map(|(_, var)| match &lane.vars[var.0 as usize] {
                    Scalar::F(v) => canonical_bits(*v),
                    Scalar::I(v) => *v as u32,
                    Scalar::B(v) => 0u32.wrapping_sub(u32::from(*v)),
                });
                self.words.extend(outputs);
            }
        }
    }

    /// Describes the first difference as text, with `self` as the expected result; `None` if both results are equal.
    pub fn difference(&self, other: &RunResult) -> Option<String> {
        if self == other {
            return None;
        }
        let at = self.words.iter().zip(&other.words).position(|(a, b)| a != b);
        let at = at.unwrap_or_else(|| self.words.len().min(other.words.len()));
        let lane = self.starts.partition_point(|start| *start as usize <= at).saturating_sub(1);
        let word =
            |seen: &RunResult| seen.words.get(at).map_or("nothing".to_owned(), |w| format!("{w:#010x}"));
        Some(format!("lane {lane} of {}: {}, expected {}", self.starts.len(), word(other), word(self)))
    }

    /// Returns `hash` continued with these words (FNV-1a on words instead of bytes).
    pub fn hash(&self, hash: u64) -> u64 {
        self.words.iter().fold(hash, |h, word| (h ^ u64::from(*word)).wrapping_mul(0x0100_0000_01b3))
    }
}

/// The initial value for [`RunResult::hash`].
pub(super) const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
