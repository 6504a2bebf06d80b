//! The optimized executor as an engine.

use super::outcome::{LaneOutcome, Outcome, Validated};
use lockstep_core::exec::{Batch, Compiled, Fault, Level, Plan, Planner};
use lockstep_core::host::Environment;
use lockstep_core::ir::Program;
use lockstep_core::isa::{Entry, output_number};
use lockstep_core::value::FreedomSet;
use lockstep_validate::{Invalid, Validator};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::ops::{Deref, DerefMut};

/// An executor tier: the wide interpreter at a vector level of the processor, or the compiler to machine code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tier(pub Level);

impl Tier {
    /// Returns every tier of this machine, slowest first.
    pub fn available() -> Vec<Tier> {
        Level::available().map(Tier).collect()
    }

    /// Returns the fastest tier of this machine.
    pub fn best() -> Tier {
        Tier(Level::detect())
    }
}

impl std::fmt::Display for Tier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self.0 {
            Level::Portable => "portable",
            Level::Avx2 => "avx2",
            Level::Avx512 => "avx512",
            Level::Jit256 => "jit256",
            Level::Jit512 => "jit512",
        })
    }
}

thread_local! {
    /// The executors of this thread that are not in use.
    static IDLE: RefCell<Vec<Executor>> = const { RefCell::new(Vec::new()) };
    /// The code validator of this thread.
    static MEMORY: RefCell<Memory> = RefCell::default();
}

/// The maximum number of idle executors that a thread keeps: one for each kind of lowering.
const MAX_IDLE: usize = 2;

/// An executor borrowed from the thread's pool, so that its memory is reused for later cases.
pub struct PooledExecutor(Executor);

impl PooledExecutor {
    /// Takes an idle executor from the pool, or creates one.
    pub fn any() -> PooledExecutor {
        PooledExecutor(IDLE.with_borrow_mut(Vec::pop).unwrap_or_default())
    }
}

impl Deref for PooledExecutor {
    type Target = Executor;
    fn deref(&self) -> &Executor {
        &self.0
    }
}

impl DerefMut for PooledExecutor {
    fn deref_mut(&mut self) -> &mut Executor {
        &mut self.0
    }
}

impl Drop for PooledExecutor {
    fn drop(&mut self) {
        // After a panic, the executor's memory may be in an inconsistent state.
        if std::thread::panicking() {
            return;
        }
        let executor = std::mem::take(&mut self.0);
        // While a thread ends, its pool may already be dropped.
        let _ = IDLE.try_with(|idle| {
            let mut idle = idle.borrow_mut();
            if idle.len() < MAX_IDLE {
                idle.push(executor);
            }
        });
    }
}

/// An executor; its memory is reused from run to run.
#[derive(Default)]
pub struct Executor {
    level: Option<Level>,
    planner: Planner,
    plan: Plan,
    batch: Batch,
    /// Machine code, one for each compiled tier that was requested; its memory is reused.
    codes: Vec<Compiled>,
    /// The number of elements at the start of `codes` that contain validated code of the current plan.
    validated: usize,
}

/// Validates code and keeps the most recent results, since a program is usually judged in several environments.
#[derive(Default)]
struct Memory {
    validator: Validator,
    last: VecDeque<(Plan, Vec<u8>, u64)>,
}

impl Memory {
    /// Validates the compiled code of a plan, or finds it among the recent results. Returns its number of processor instructions.
    fn instructions(&mut self, plan: &Plan, compiled: &Compiled) -> Result<u64, Invalid> {
        let bytes = compiled.bytes();
        if let Some(known) = self.last.iter().find(|known| known.1 == bytes && known.0 == *plan) {
            return Ok(known.2);
        }
        let instructions = self.validator.validate(plan, compiled)?.instructions;
        if self.last.len() == MAX_REMEMBERED {
            self.last.pop_front();
        }
        self.last.push_back((plan.clone(), bytes.to_vec(), instructions));
        Ok(instructions)
    }
}

/// The maximum number of recent results: one for each combination of lowering and compiled tier of a program.
const MAX_REMEMBERED: usize = 4;

impl Executor {
    /// Creates an executor of this tier.
    pub fn new(tier: Tier) -> Executor {
        Executor { level: Some(tier.0), ..Executor::default() }
    }

    /// Plans and runs a program on every lane of an environment.
    pub fn run(&mut self, entry: &Entry, program: &Program, env: &Environment) -> Outcome {
        self.plan(program);
        self.finish(entry, env)
    }

    /// Plans a program for [`Executor::run_on`].
    pub fn plan(&mut self, program: &Program) {
        self.validated = 0;
        self.planner.plan(program, &mut self.plan);
    }

    /// Compiles the planned program for each compiled tier among `tiers`, and validates the machine code: see [`lockstep_validate`].
    /// [`Executor::run_on`] then runs this code.
    ///
    /// # Errors
    /// If code cannot be generated or is rejected: the first such tier, and the reason.
    pub fn validate(&mut self, tiers: &[Tier]) -> Result<Validated, (Tier, String)> {
        let mut all = Validated::default();
        self.validated = 0;
        for (k, tier) in tiers.iter().filter(|tier| tier.0.is_compiled()).enumerate() {
            if k == self.codes.len() {
                self.codes.push(Compiled::default());
            }
            let code = &mut self.codes[k];
            code.replace(&self.plan, tier.0).map_err(|error| (*tier, error.to_string()))?;
            let found = MEMORY.with_borrow_mut(|memory| memory.instructions(&self.plan, code));
            all.compilations += 1;
            all.instructions += found.map_err(|error| (*tier, error.to_string()))?;
            self.validated = k + 1;
        }
        Ok(all)
    }

    /// Runs the planned program on each of these tiers.
    pub fn run_on<'a>(
        &'a mut self,
        tiers: &'a [Tier],
        entry: &'a Entry,
        env: &'a Environment,
    ) -> impl Iterator<Item = (Tier, Outcome)> + 'a {
        tiers.iter().map(|tier| {
            self.level = Some(tier.0);
            (*tier, self.finish(entry, env))
        })
    }

    /// Runs the program with a planted fault. Also returns the number of instructions that the fault affected; 0 means that nothing was changed.
    pub fn run_with_fault(
        &mut self,
        entry: &Entry,
        program: &Program,
        env: &Environment,
        fault: Fault,
    ) -> (Outcome, usize) {
        self.plan(program);
        let struck = self.plan.plant(fault);
        (self.finish(entry, env), struck)
    }

    fn finish(&mut self, entry: &Entry, env: &Environment) -> Outcome {
        let level = self.level.unwrap_or_else(Level::detect);
        let _span = tracing::debug_span!("run", ?level, lanes = env.lanes.len()).entered();
        match self.codes[..self.validated].iter().find(|code| code.level() == level) {
            Some(code) => self.batch.run_compiled(&self.plan, env, code),
            None => {
                self.batch.run(&self.plan, env, level);
                // A panic while a case is judged is reported as a finding of the case.
                self.batch.assert_compiled();
            }
        }
        let lanes = (0..self.batch.lanes()).map(|lane| {
            let components = entry.interface.components();
            let outputs = components.map(|(slot, c)| self.batch.output(lane, output_number(slot, c)));
            LaneOutcome {
                end: self.batch.end(lane),
                killed: self.batch.is_killed(lane),
                outputs: outputs.collect(),
                effects: self.batch.effects(lane).to_vec(),
            }
        });
        Outcome { lanes: lanes.collect(), freedoms: FreedomSet::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Case;
    use crate::stepping::lowered;
    use lockstep_core::host::LaneInput;
    use lockstep_core::isa::agal::Agal;
    use lockstep_core::isa::{Format, IsaId, Syntax};

    #[test]
    fn the_code_that_was_validated_is_the_code_that_runs() {
        let case = |text: &str| {
            let bytes = Agal::encode(&Agal::assemble(&format!("version 1 vertex\n{text}\n")).unwrap());
            Case::bare(IsaId::Agal, &bytes)
        };
        let cases = ["sge op, va0, va0", "slt op, va0, va0"].map(case);
        let resolved = cases.each_ref().map(|case| case.resolve::<Agal>().unwrap());
        let [right, other] = resolved.each_ref().map(|resolved| lowered(resolved).unwrap());
        let entry = &resolved[0].entry;
        let env = &Environment { lanes: vec![LaneInput::default(); 3], ..Environment::default() };
        for tier in Tier::available().into_iter().filter(|tier| tier.0.is_compiled()) {
            let mut executor = Executor::default();
            let alone = |program: &Program| Executor::new(Tier::best()).run(entry, program, env);
            let (wanted, replaced) = (alone(&right), alone(&other));
            assert_ne!(wanted, replaced);
            executor.plan(&right);
            assert_eq!(executor.validate(&[tier]).unwrap().compilations, 1);
            let run = |executor: &mut Executor| executor.run_on(&[tier], entry, env).next().unwrap().1;
            assert_eq!(run(&mut executor), wanted);
            // Code of another program in its place: that is what runs.
            let mut plan = Plan::default();
            Planner::default().plan(&other, &mut plan);
            executor.codes[0].replace(&plan, tier.0).unwrap();
            assert_eq!(run(&mut executor), replaced);
        }
    }
}
