//! Facts that other people tested on real drivers, consoles and players. The facts are in `ISA/witness` of the material that is not part of the
//! project (see `crate::material`), in files with one JSON object per line.
//!
//! Each submodule reads the lines of one instruction set, whose format its `FORMAT.md` defines, and checks every line. A fact that does not hold must
//! be listed by its `id` as an exception with a reason. The test fails if an exception is not needed.

mod agal;
mod d3d9;
mod pica200;

use crate::material::material;
use lockstep::case::Resolved;
use lockstep::engine::{Executor, Outcome, Tier, reference};
use lockstep::generate::Generate;
use lockstep_core::isa::lower;
use lockstep_core::isa::lowering::Mode;
use serde::Deserialize;
use std::collections::BTreeSet;

/// The `id` of a fact that may fail, and the reason.
pub(crate) type Exception = (&'static str, &'static str);

/// The results for the facts of a file.
pub(crate) struct Facts {
    exceptions: &'static [Exception],
    used: BTreeSet<&'static str>,
    held: usize,
    failed: Vec<String>,
}

impl Facts {
    /// Returns results without any fact.
    pub(crate) fn new(exceptions: &'static [Exception]) -> Facts {
        Facts { exceptions, used: BTreeSet::new(), held: 0, failed: Vec::new() }
    }

    /// Records whether the fact `id` holds.
    pub(crate) fn judge(&mut self, id: &str, result: Result<(), String>) {
        match result {
            Ok(()) => self.held += 1,
            Err(wrong) => match self.exceptions.iter().find(|(excepted, _)| *excepted == id) {
                Some((excepted, _)) => _ = self.used.insert(excepted),
                None => self.failed.push(format!("{id}: {wrong}")),
            },
        }
    }

    /// Fails if a fact failed, an exception was not needed, or not all of the facts were judged.
    pub(crate) fn finish(self, count: usize) {
        println!("{} facts hold, {} are exceptions", self.held, self.used.len());
        assert!(self.failed.is_empty(), "{} facts fail:\n{}", self.failed.len(), self.failed.join("\n"));
        for (id, reason) in self.exceptions {
            assert!(self.used.contains(id), "an exception that is not needed: {id} ({reason})");
        }
        assert_eq!(self.held + self.used.len(), count, "as FORMAT.md counts them");
    }
}

/// Reads the lines of a file of facts. If the material is missing, prints what is skipped and returns `None`.
pub(crate) fn lines<F: for<'de> Deserialize<'de>>(folder: &str, file: &str) -> Option<Vec<F>> {
    let path = material(folder)?.join("witness").join(file);
    let text = std::fs::read_to_string(&path).expect("the file of facts");
    let line = |line: &str| {
        serde_json::from_str(line).unwrap_or_else(|e| panic!("{file}: not as in FORMAT.md: {e}\n{line}"))
    };
    Some(text.lines().map(line).collect())
}

/// Returns the outcomes of a case on the reference and the executor.
///
/// # Errors
/// If a rule refuses the program.
pub(crate) fn outcomes<I: Generate>(resolved: &Resolved<I>) -> Result<[(&'static str, Outcome); 2], String> {
    let cx = resolved.context();
    let lowered = lower(&cx, Mode::Auto).map_err(|error| error.to_string())?;
    let executed = Executor::new(Tier::best_interpreted()).run(cx.entry, &lowered, &resolved.env);
    Ok([("reference", reference(&cx, &resolved.env)), ("executor", executed)])
}
