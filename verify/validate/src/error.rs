//! Why code is refused.

/// Why the code of a plan is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Invalid {
    /// An instruction, or what it does, is not allowed.
    #[error("at byte {offset}: {reason}")]
    Code {
        /// The offset of the instruction in the code.
        offset: usize,
        /// Why.
        reason: Reason,
    },
    /// A function does not compute what the plan does.
    #[error("the function at byte {function}: {what}")]
    Result {
        /// The offset of the function.
        function: usize,
        /// What differs.
        what: String,
    },
    /// The compiler's statement about the code does not fit the plan.
    #[error("{0}")]
    Layout(String),
}

/// Why an instruction is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// The bytes are no instruction, or end within one.
    #[error("no instruction")]
    NoInstruction,
    /// The instruction is none of the closed list.
    #[error("{0} is none of the instructions that compiled code consists of")]
    Unlisted(String),
    /// The instruction is of the list, in a form that is not.
    #[error("{0} is in a form that compiled code does not have")]
    Form(String),
    /// The processor need not have the instruction.
    #[error("{0} is not of the level")]
    Level(String),
    /// Vectors of another length than that of the function.
    #[error("{0} has vectors of another length than its function")]
    Length(String),
    /// A jump does not go to an instruction of the function.
    #[error("a jump to byte {0}, where no instruction of the function begins")]
    Target(u64),
    /// The function has no loop, or several.
    #[error("the function has {0} jumps back, where one is expected")]
    Loops(usize),
    /// A general register does not hold what the instruction needs.
    #[error("register {register} holds {found} here, which does not do for {needed}")]
    Register {
        /// The register's number.
        register: u8,
        /// What it holds.
        found: String,
        /// What it is needed for.
        needed: &'static str,
    },
    /// A register that a call preserves is changed.
    #[error("register {0}, which a call preserves, is changed")]
    Preserved(u8),
    /// The flags do not say what a jump needs.
    #[error("a jump on flags that do not say what it asks")]
    Flags,
    /// A vector or mask register is read before it is set.
    #[error("{0} is read before it is set")]
    Unset(String),
    /// A memory operand outside what compiled code may access.
    #[error("memory operand: {0}")]
    Memory(String),
    /// The loop does not go from one group of lanes to the next.
    #[error("the loop goes on with register {register} holding {found}, where {expected} is due")]
    Step {
        /// The register's number.
        register: u8,
        /// What it holds.
        found: String,
        /// What it has to hold.
        expected: String,
    },
    /// The function ends, or goes on, with groups of lanes in another state.
    #[error("{0}")]
    Groups(&'static str),
}
