//! The reasons for which code is refused.

/// The reason for which the code of a plan is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Invalid {
    /// An instruction, or its effect, is not allowed.
    #[error("at byte {offset}: {reason}")]
    Code {
        /// The offset of the instruction in the code.
        offset: usize,
        /// The reason.
        reason: Reason,
    },
    /// The results of a function differ from the plan's.
    #[error("the function at byte {function}: {what}")]
    Result {
        /// The offset of the function.
        function: usize,
        /// The difference, as a sentence.
        what: String,
    },
    /// The layout that the compiler declares for the code does not match the plan, or the validator knows no sequence for a kernel of the plan.
    #[error("{0}")]
    Layout(String),
}

/// The reason for which an instruction is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// The bytes are not an instruction, or end within one.
    #[error("the bytes are not a complete instruction")]
    NoInstruction,
    /// The instruction is not in the closed list.
    #[error("{0} is not among the instructions that compiled code may contain")]
    Unlisted(String),
    /// The instruction is in the list, but not in this form.
    #[error("{0} is in a form that compiled code does not have")]
    Form(String),
    /// The level does not guarantee that the processor has the instruction.
    #[error("{0} is not available at this level")]
    Level(String),
    /// The length of the instruction's vectors differs from that of its function.
    #[error("{0} has vectors of a different length than its function")]
    Length(String),
    /// The target of a jump is not an instruction of the function.
    #[error("a jump to byte {0}, where no instruction of the function begins")]
    Target(u64),
    /// The function has no loop, or more than one.
    #[error("the function has {0} backward jumps, but must have exactly one")]
    Loops(usize),
    /// A general-purpose register does not hold the value that the instruction needs.
    #[error("register {register} holds {found} here, where {needed} is needed")]
    Register {
        /// The register's number.
        register: u8,
        /// The register's contents.
        found: String,
        /// The contents that are needed.
        needed: &'static str,
    },
    /// The callee-saved register of this number is changed.
    #[error("register {0}, which a call preserves, is changed")]
    Preserved(u8),
    /// The flags are not the result of a test that the jump may depend on.
    #[error("the flags that a conditional jump reads are not the result of a suitable test")]
    Flags,
    /// A vector or mask register is read before it is set.
    #[error("{0} is read before it is set")]
    Unset(String),
    /// A memory operand accesses memory that compiled code may not access, or memory of other lanes.
    #[error("memory operand: {0}")]
    Memory(String),
    /// At the end of the loop, a register does not have its value for the next group of lanes.
    #[error("the loop continues with register {register} holding {found}; it must hold {expected}")]
    Step {
        /// The register's number.
        register: u8,
        /// The register's contents.
        found: String,
        /// The required contents.
        expected: String,
    },
    /// The loop over groups of lanes does not have the required form; the string describes how.
    #[error("{0}")]
    Groups(&'static str),
}
