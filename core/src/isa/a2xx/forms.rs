//! Programs that together have every opcode in every class.

use super::program::Program;
use crate::isa::RuleProgram;

/// The programs.
pub(super) fn forms() -> Vec<RuleProgram<Program>> {
    Vec::new()
}
