//! Plans with their validated machine code. Each thread keeps its most recent plans, since a program is usually run in several environments, and an
//! executor from the thread's pool may be used for another kind of lowering each time.

use lockstep_core::exec::{Compiled, Fault, Level, Plan};
use lockstep_validate::Validator;
use std::cell::RefCell;
use std::collections::VecDeque;

thread_local! {
    /// The code validator of this thread.
    static VALIDATOR: RefCell<Validator> = RefCell::default();
    /// The known plans: the most recent plans of this thread that no executor holds. Those without validated code are at the end.
    static KNOWN: RefCell<VecDeque<Planned>> = const { RefCell::new(VecDeque::new()) };
}

/// The maximum number of known plans. A program has one for each kind of lowering.
const MAX_KNOWN: usize = 4;

/// A plan and its machine code.
#[derive(Default)]
pub(super) struct Planned {
    plan: Plan,
    /// Machine code, one for each compiled tier that was requested; its memory is reused.
    pub(super) codes: Vec<Code>,
    /// The number of elements at the start of `codes` that contain validated code of the plan.
    validated: usize,
}

/// Machine code, and the number of its processor instructions that were validated.
#[derive(Default)]
pub(super) struct Code {
    pub(super) compiled: Compiled,
    instructions: u64,
}

impl Planned {
    /// Takes the known plan that equals `plan`, with its code. If there is none, returns `plan` without
    /// validated code, and `plan` gets the memory of a discarded known plan, if any.
    pub(super) fn take(plan: &mut Plan) -> Planned {
        KNOWN.with_borrow_mut(|known| {
            let equal = known.iter().position(|known| known.plan == *plan);
            if let Some(equal) = equal.and_then(|at| known.remove(at)) {
                return equal;
            }
            let oldest = if known.len() == MAX_KNOWN { known.pop_back() } else { None };
            let mut new = oldest.unwrap_or_default();
            std::mem::swap(&mut new.plan, plan);
            new.validated = 0;
            new
        })
    }

    /// Keeps the plan with its code for later runs.
    pub(super) fn keep(self) {
        // While a thread ends, its known plans may already be dropped.
        let _ = KNOWN.try_with(|known| {
            let mut known = known.borrow_mut();
            if self.validated > 0 {
                known.push_front(self);
            } else {
                known.push_back(self);
            }
            known.truncate(MAX_KNOWN);
        });
    }

    pub(super) fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Plants a fault into the plan. Returns the number of instructions that it affects.
    pub(super) fn plant(&mut self, fault: Fault) -> usize {
        // The code is that of the plan without the fault.
        self.validated = 0;
        self.plan.plant(fault)
    }

    /// Returns the validated code of a level, if there is any.
    pub(super) fn code(&self, level: Level) -> Option<&Compiled> {
        let mut codes = self.codes[..self.validated].iter().map(|code| &code.compiled);
        codes.find(|code| code.level() == level)
    }

    /// Compiles the plan and validates the machine code as element `k` of `codes`, unless this is done already. Returns the number of its processor
    /// instructions.
    ///
    /// # Errors
    /// If code cannot be generated or is rejected: the reason.
    pub(super) fn compile(&mut self, k: usize, level: Level) -> Result<u64, String> {
        if k == self.codes.len() {
            self.codes.push(Code::default());
        }
        let Planned { plan, codes, validated } = self;
        let code = &mut codes[k];
        if k < *validated && code.compiled.level() == level {
            return Ok(code.instructions);
        }
        // Element `k` and all later ones no longer count as validated.
        *validated = k;
        code.compiled.replace(plan, level).map_err(|error| error.to_string())?;
        let found = VALIDATOR.with_borrow_mut(|validator| validator.validate(plan, &code.compiled));
        code.instructions = found.map_err(|error| error.to_string())?.instructions;
        *validated = k + 1;
        Ok(code.instructions)
    }
}
