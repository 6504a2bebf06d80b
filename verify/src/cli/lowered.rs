//! Lowers a case's program in every way that applies to it.

use super::Failure;
use super::input::refused;
use lockstep_core::ir::Program;
use lockstep_core::isa::lowering::{LowerError, Mode};
use lockstep_core::isa::{Context, Legality, Lowering, lower};
use std::path::Path;

/// Lowered programs.
pub(super) struct Lowered {
    /// The programs by name of the way: "nodes" and "fallback".
    pub(super) ways: Vec<(&'static str, Program)>,
    /// The way of lowering that is not used for the program, and why.
    pub(super) left_out: Option<String>,
}

impl Lowered {
    /// Lowers a program that was read from a file.
    ///
    /// # Errors
    /// If it is refused.
    pub(super) fn all<I: Legality + Lowering>(cx: &Context<'_, I>, file: &Path) -> Result<Lowered, Failure> {
        let refused = |error: LowerError| refused(file, &error);
        let fallback = I::has_fallback(cx).then(|| lower(cx, Mode::Fallback));
        let mut all = Lowered { ways: Vec::new(), left_out: None };
        match lower(cx, Mode::Nodes) {
            Ok(program) => all.ways.push(("nodes", program)),
            // The control flow of some programs has too many states for lowering state by state; the fallback has no such limit.
            Err(error) if matches!(fallback, Some(Ok(_))) => all.left_out = Some(format!("nodes: {error}")),
            // Lanes of its quads would reconverge elsewhere in the fallback: only the reference runs it.
            Err(error @ LowerError::TooManyNodes) if fallback.is_none() => {
                all.left_out = Some(format!("nodes: {error}; and the fallback is not exact for it"));
            }
            Err(error) => return Err(refused(error)),
        }
        if let Some(program) = fallback {
            all.ways.push(("fallback", program.map_err(refused)?));
        }
        Ok(all)
    }
}
