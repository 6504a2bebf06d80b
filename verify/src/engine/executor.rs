//! The optimized executor as an engine.

use super::outcome::{LaneOutcome, Outcome, Validated};
use super::planned::Planned;
use lockstep_core::exec::{Batch, Fault, Level, Plan, Planner};
use lockstep_core::host::Environment;
use lockstep_core::ir::Program;
use lockstep_core::isa::{Entry, output_number};
use lockstep_core::value::FreedomSet;
use std::cell::RefCell;
use std::ops::{Deref, DerefMut};

/// An executor tier: the wide interpreter at a vector level of the processor, or the compiler to machine code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tier(pub Level);

impl Tier {
    /// Returns every tier of this machine: those of the interpreter, slowest first, then the compiled ones.
    pub fn available() -> Vec<Tier> {
        Level::available().map(Tier).collect()
    }

    /// Returns the fastest tier of the interpreter on this machine.
    pub fn best_interpreted() -> Tier {
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
        let mut executor = std::mem::take(&mut self.0);
        std::mem::take(&mut executor.current).keep();
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
    batch: Batch,
    /// The plan of the next program, while it is compared with the current plan and with those that the thread keeps for later runs.
    scratch: Plan,
    current: Planned,
}

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
        self.planner.plan(program, &mut self.scratch);
        if *self.current.plan() != self.scratch {
            let next = Planned::take(&mut self.scratch);
            std::mem::replace(&mut self.current, next).keep();
        }
    }

    /// Compiles the planned program for each compiled tier among `tiers`, and validates the machine code: see [`lockstep_validate`].
    /// [`Executor::run_on`] then runs this code. Code that was validated for an equal plan is reused.
    ///
    /// # Errors
    /// If code cannot be generated or is rejected: the first such tier, and the reason.
    pub fn validate(&mut self, tiers: &[Tier]) -> Result<Validated, (Tier, String)> {
        let mut all = Validated::default();
        for (k, tier) in tiers.iter().filter(|tier| tier.0.is_compiled()).enumerate() {
            all.instructions += self.current.compile(k, tier.0).map_err(|error| (*tier, error))?;
            all.compilations += 1;
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
        let struck = self.current.plant(fault);
        (self.finish(entry, env), struck)
    }

    fn finish(&mut self, entry: &Entry, env: &Environment) -> Outcome {
        let level = self.level.unwrap_or_else(Level::detect);
        let _span = tracing::debug_span!("run", ?level, lanes = env.lanes.len()).entered();
        match self.current.code(level) {
            Some(code) => self.batch.run_compiled(self.current.plan(), env, code),
            None => {
                self.batch.run(self.current.plan(), env, level);
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
            let alone = |program: &Program| Executor::new(Tier::best_interpreted()).run(entry, program, env);
            let (wanted, replaced) = (alone(&right), alone(&other));
            assert_ne!(wanted, replaced);
            executor.plan(&right);
            assert_eq!(executor.validate(&[tier]).unwrap().compilations, 1);
            let run = |executor: &mut Executor| executor.run_on(&[tier], entry, env).next().unwrap().1;
            assert_eq!(run(&mut executor), wanted);
            // After the code is replaced by that of another program, the other program runs.
            let mut plan = Plan::default();
            Planner::default().plan(&other, &mut plan);
            executor.current.codes[0].compiled.replace(&plan, tier.0).unwrap();
            assert_eq!(run(&mut executor), replaced);
        }
    }

    #[test]
    fn code_is_reused_for_an_equal_plan_only() {
        let case = |text: &str| {
            let bytes = Agal::encode(&Agal::assemble(&format!("version 1 vertex\n{text}\n")).unwrap());
            Case::bare(IsaId::Agal, &bytes)
        };
        let cases = ["sge op, va0, va0", "slt op, va0, va0", "sub op, va0, va0"].map(case);
        let resolved = cases.each_ref().map(|case| case.resolve::<Agal>().unwrap());
        let programs = resolved.each_ref().map(|resolved| lowered(resolved).unwrap());
        let entry = &resolved[0].entry;
        let env = &Environment { lanes: vec![LaneInput::default(); 3], ..Environment::default() };
        let compiled: Vec<Tier> = Tier::available().into_iter().filter(|tier| tier.0.is_compiled()).collect();
        // Returns the number of instructions of a program's code, compiled on a thread that has no known plans.
        let alone = |program: &Program, tier: &Tier| {
            let size = || {
                let mut executor = Executor::default();
                executor.plan(program);
                executor.validate(std::slice::from_ref(tier)).unwrap().instructions
            };
            std::thread::scope(|scope| scope.spawn(size).join().unwrap())
        };
        let orders = [
            compiled.clone(),
            compiled.iter().rev().copied().collect(),
            compiled.iter().take(1).copied().collect(),
            compiled.iter().rev().take(1).copied().collect(),
        ];
        // An executor outside the pool drops the plan that it takes from the known ones, so these programs run beforehand.
        let wanted = programs
            .each_ref()
            .map(|program| Executor::new(Tier::best_interpreted()).run(entry, program, env));
        let mut damaging = Executor::default();
        // Program 2 is first run on one tier, then on the other.
        for (round, at) in [0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 2, 2, 2, 1, 1].into_iter().enumerate() {
            let wanted = &wanted[at];
            let tiers = &orders[round % orders.len()];
            // Two executors of the pool are in use at a time.
            let (mut executor, mut other) = (PooledExecutor::any(), PooledExecutor::any());
            executor.plan(&programs[at]);
            other.plan(&programs[(at + 1) % 3]);
            let validated = executor.validate(tiers).unwrap();
            assert_eq!(validated.compilations, tiers.len() as u64);
            assert_eq!(
                validated.instructions,
                tiers.iter().map(|tier| alone(&programs[at], tier)).sum::<u64>()
            );
            assert!(tiers.iter().all(|tier| executor.current.code(tier.0).is_some()), "round {round}");
            for (tier, outcome) in executor.run_on(tiers, entry, env) {
                assert_eq!(&outcome, wanted, "round {round}, {tier}");
            }
            // A damaged plan has no code, and is not taken for the plan of its program.
            let fault = Fault { target: lockstep_core::exec::Target::At(0), bit: 30 };
            for tier in &compiled {
                damaging.plan(&programs[at]);
                damaging.validate(tiers).unwrap();
                damaging.level = Some(tier.0);
                let damaged = damaging.run_with_fault(entry, &programs[at], env, fault);
                assert_eq!(damaged, Executor::new(*tier).run_with_fault(entry, &programs[at], env, fault));
                assert!(damaged.1 > 0 && damaged.0 != *wanted, "round {round}, {tier}");
            }
        }
    }
}
