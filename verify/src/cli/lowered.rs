//! Lowers a case's program with both kinds of lowering, as far as they apply.

use super::Failure;
use super::input::refused;
use lockstep_core::ir::Program;
use lockstep_core::isa::lowering::{LowerError, Mode};
use lockstep_core::isa::{Context, Legality, Lowering, lower};
use std::path::Path;

/// The results of lowering a program.
pub(super) struct Lowered {
    /// The lowered programs, each with the name of the kind of lowering: "nodes" or "fallback".
    pub(super) lowerings: Vec<(&'static str, Program)>,
    /// The kind of lowering that does not apply to the program, and why.
    pub(super) left_out: Option<String>,
}

impl Lowered {
    /// Lowers a program that was read from a file.
    ///
    /// # Errors
    /// If lowering rejects the program.
    pub(super) fn all<I: Legality + Lowering>(cx: &Context<'_, I>, file: &Path) -> Result<Lowered, Failure> {
        let refused = |error: LowerError| refused(file, &error);
        let fallback = I::has_fallback(cx).then(|| lower(cx, Mode::Fallback));
        let mut all = Lowered { lowerings: Vec::new(), left_out: None };
        match lower(cx, Mode::Nodes) {
            Ok(program) => all.lowerings.push(("nodes", program)),
            // The control flow of some programs has too many states for lowering state by state; the fallback has no such limit.
            Err(error) if matches!(fallback, Some(Ok(_))) => all.left_out = Some(format!("nodes: {error}")),
            // There is no fallback either (`Lowering::has_fallback`), so only the reference runs this program.
            Err(error @ LowerError::TooManyNodes) if fallback.is_none() => {
                all.left_out = Some(format!("nodes: {error}; and the program has no fallback"));
            }
            Err(error) => return Err(refused(error)),
        }
        if let Some(program) = fallback {
            all.lowerings.push(("fallback", program.map_err(refused)?));
        }
        Ok(all)
    }
}
