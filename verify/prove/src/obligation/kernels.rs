//! Kernels: compares the executor's code for each operation with the operation's meaning.

use super::{Kind, MutantStatus, Obligation, Task};
use crate::number::show;
use crate::term::Ty;
use crate::verdict::{Counterexample, Verdict};
use lockstep_core::exec::Level;
use lockstep_core::exec::check::{Extent, KernelReport, kernels};

/// Returns one task for each [`Level`] of the executor that this processor supports.
pub(super) fn tasks() -> Vec<Task> {
    Level::available()
        .map(|level| {
            let name = format!("{} {level:?}", Kind::Kernel.name());
            Task::new(name.clone(), move |_| {
                kernels(level, Extent::Boundary)
                    .into_iter()
                    .enumerate()
                    .map(|(k, report)| {
                        let name = format!("{name} {k} {}", report.op);
                        let wrong = if report.detects_corruption {
                            MutantStatus::Refuted
                        } else {
                            MutantStatus::Equivalent
                        };
                        Obligation::settled(Kind::Kernel, name, verdict(report))
                            .with_mutant("another result in any lane of the first batch", wrong)
                    })
                    .collect()
            })
        })
        .collect()
}

/// Returns the verdict on one kernel.
fn verdict(report: KernelReport) -> Verdict {
    match report.mismatch {
        None if report.count == 0 => Verdict::Unknown { reason: "nothing was run".to_owned() },
        None => Verdict::Tested { values: report.count },
        Some(m) => Verdict::Refuted(Box::new(Counterexample {
            what: report.op,
            inputs: m
                .operands
                .iter()
                .enumerate()
                .map(|(k, v)| (format!("operand {k}"), show(Ty::F, *v)))
                .collect(),
            path: Vec::new(),
            left: vec![("evaluator".to_owned(), show(Ty::F, m.expected))],
            right: vec![("executor".to_owned(), show(Ty::F, m.actual))],
        })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_that_was_not_run_is_not_tested() {
        let of = |count| {
            verdict(KernelReport { op: "add".to_owned(), count, mismatch: None, detects_corruption: true })
        };
        assert!(!of(0).is_green(), "{:?}", of(0));
        assert_eq!(of(1), Verdict::Tested { values: 1 });
    }
}
