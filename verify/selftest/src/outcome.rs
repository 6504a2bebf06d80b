//! Gates: the checks that can detect a planted fault, and how they end.

use super::Fault;

/// A check that can detect a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// `lockstep check` without proofs.
    Programs,
    /// The tests listed as failing under the fault, in its row or in `seen.txt`.
    Tests,
    /// Generated cases, run through the bodies of the fuzz targets.
    Bodies,
    /// `lockstep prove`.
    Proofs,
    /// All tests of the workspace.
    AllTests,
}

impl Gate {
    /// All gates, the cheapest first.
    pub const ALL: [Gate; 5] = [Gate::Programs, Gate::Tests, Gate::Bodies, Gate::Proofs, Gate::AllTests];

    /// Returns the gate that must detect a fault: the one that its row names, or else [`Gate::Tests`] if the fault exists to make tests fail.
    pub fn of(fault: &Fault) -> Option<Gate> {
        let by = Gate::ALL.into_iter().find(|gate| fault.by.as_deref() == Some(gate.name()));
        by.or(fault.is_for_tests().then_some(Gate::Tests))
    }

    /// Returns the order in which gates are run for a fault. The gate that must detect the fault (see [`Gate::of`]) is first, so that it is always
    /// run. The other gates follow, the cheapest first.
    pub fn order(fault: &Fault) -> Vec<Gate> {
        let own = Gate::of(fault);
        let mut order: Vec<Gate> = own.into_iter().chain(Gate::ALL).collect();
        let behind = order.iter().skip(1).position(|gate| own == Some(*gate));
        if let Some(at) = behind {
            order.remove(at + 1);
        }
        order
    }

    /// Returns the gate's name in rows and tables.
    pub fn name(self) -> &'static str {
        match self {
            Gate::Programs => "programs",
            Gate::Proofs => "proofs",
            Gate::Bodies => "bodies",
            Gate::Tests => "tests",
            Gate::AllTests => "all tests",
        }
    }
}

/// How a gate ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The gate found nothing wrong.
    Clean,
    /// The gate reported a failure.
    Findings,
    /// The gate could not read its input.
    Unreadable,
    /// The gate could not decide.
    Inconclusive,
    /// The process was ended by a signal, or with an exit code that the gate does not use, such as that of a panic.
    Crash,
    /// The process was ended by the timeout.
    Hang,
    /// The gate was not run, for this reason.
    NotRun(&'static str),
}

impl End {
    /// Returns the end that an exit code represents. A code of `None` means that a signal ended the process.
    pub fn of(gate: Gate, code: Option<i32>) -> End {
        match code {
            Some(0) => End::Clean,
            Some(1) => End::Findings,
            Some(2) => End::Unreadable,
            Some(3) => End::Inconclusive,
            // In these gates, a violated claim or a failed test panics, which gives exit code 101.
            Some(101) if matches!(gate, Gate::Bodies | Gate::Tests | Gate::AllTests) => End::Findings,
            _ => End::Crash,
        }
    }

    /// Returns the name used in rows and tables.
    pub fn name(self) -> &'static str {
        match self {
            End::Clean => "clean",
            End::Findings => "findings",
            End::Unreadable => "unreadable",
            End::Inconclusive => "inconclusive",
            End::Crash => "crash",
            End::Hang => "hang",
            End::NotRun(why) => why,
        }
    }

    /// Whether a gate that ends in this way has detected the fault. The machine may have caused any end other than findings, so such an end counts
    /// only if the row states that the fault causes it.
    pub fn detects(self, fault: &Fault) -> bool {
        self == End::Findings || fault.ends.as_deref() == Some(self.name())
    }
}

/// The result of running one gate.
pub struct Outcome {
    /// The gate.
    pub gate: Gate,
    /// How the gate ended.
    pub end: End,
    /// How long the gate took, in seconds.
    pub seconds: f64,
    /// The failures that the gate reported.
    pub text: String,
    /// The number of instructions of the smallest minimised case, if one was written.
    pub instruction_count: Option<u32>,
    /// The opcodes and the text of marked instructions, in lower case; empty if no instruction is marked.
    pub marked_instructions: Vec<String>,
    /// The executable and the test that failed; the executable alone if it detected the fault but no test reported a failure.
    pub test: Option<String>,
}

impl Outcome {
    /// Returns the outcome of a gate that was not run.
    pub fn not_run(gate: Gate, how: &'static str) -> Outcome {
        Outcome {
            gate,
            end: End::NotRun(how),
            seconds: 0.0,
            text: String::new(),
            instruction_count: None,
            marked_instructions: Vec::new(),
            test: None,
        }
    }

    /// Combines this outcome with that of a later run of the same gate: the fault is detected if either run detects it.
    #[must_use]
    pub fn and(self, later: Outcome, fault: &Fault) -> Outcome {
        let end = [self.end, later.end].into_iter().find(|end| end.detects(fault));
        let strange = || [self.end, later.end].into_iter().find(|end| *end != End::Clean);
        Outcome {
            gate: self.gate,
            end: end.or_else(strange).unwrap_or(End::Clean),
            seconds: self.seconds + later.seconds,
            text: self.text + &later.text,
            instruction_count: self.instruction_count.into_iter().chain(later.instruction_count).min(),
            marked_instructions: [self.marked_instructions, later.marked_instructions].concat(),
            test: self.test.or(later.test),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_findings_and_expected_ends_count_as_detected() {
        let row = |ends: &str| -> Fault {
            let text =
                format!("name = 'n'\nisa = 'all'\nfile = 'f'\nfind = 'a'\nwith = 'b'\nbreaks = 'c'\n{ends}");
            toml::from_str(&text).unwrap()
        };
        let (plain, hangs) = (row(""), row("ends = 'hang'"));
        let codes = [Some(0), Some(1), Some(2), Some(3), Some(101), Some(134), None];
        let noticed = |gate, fault: &Fault| codes.map(|code| End::of(gate, code).detects(fault));
        let one = [false, true, false, false, false, false, false];
        assert_eq!(noticed(Gate::Programs, &plain), one);
        assert_eq!(noticed(Gate::Proofs, &plain), one);
        let panics = [false, true, false, false, true, false, false];
        assert_eq!(noticed(Gate::Tests, &plain), panics);
        assert_eq!(noticed(Gate::Bodies, &plain), panics);
        assert!(!End::Hang.detects(&plain) && End::Hang.detects(&hangs));
        assert!(!End::Crash.detects(&hangs) && End::Findings.detects(&hangs));
        assert!(End::Crash.detects(&row("ends = 'crash'")));
        assert!(!End::NotRun("no test").detects(&plain));
    }

    #[test]
    fn two_runs_of_a_gate_detect_a_fault_if_one_of_them_does() {
        let row = "name = 'n'\nisa = 'all'\nfile = 'f'\nfind = 'a'\nwith = 'b'\nbreaks = 'c'\n";
        let fault: Fault = toml::from_str(row).unwrap();
        let run = |end, text: &str, instruction_count| Outcome {
            end,
            seconds: 1.5,
            text: text.to_owned(),
            instruction_count,
            marked_instructions: vec![text.to_owned()],
            ..Outcome::not_run(Gate::Programs, "")
        };
        let ends = |first, second| run(first, "", None).and(run(second, "", None), &fault).end;
        assert_eq!(ends(End::Clean, End::Clean), End::Clean);
        assert_eq!(ends(End::Clean, End::Findings), End::Findings);
        assert_eq!(ends(End::Findings, End::Clean), End::Findings);
        assert_eq!(ends(End::Hang, End::Findings), End::Findings);
        assert_eq!(ends(End::Clean, End::Hang), End::Hang);
        let both = run(End::Findings, "mov", Some(7)).and(run(End::Findings, "add", Some(3)), &fault);
        assert_eq!((both.text.as_str(), both.instruction_count, both.seconds), ("movadd", Some(3), 3.0));
        assert_eq!(both.marked_instructions, ["mov", "add"]);
    }

    #[test]
    fn the_gate_of_a_row_runs_first() {
        let order = |by: &str, room: &str| -> Vec<&'static str> {
            let text =
                format!("name = 'n'\nisa = 'all'\nfile = 'f'\nfind = 'a'\nwith = 'b'\nbreaks = 'c'\n{by}");
            let fault = Fault { table: room.to_owned(), ..toml::from_str(&text).unwrap() };
            Gate::order(&fault).into_iter().map(Gate::name).collect()
        };
        let cheapest = ["programs", "tests", "bodies", "proofs", "all tests"];
        assert_eq!(order("", "agal"), cheapest);
        assert_eq!(order("by = 'programs'", "agal"), cheapest);
        for of_tests in [order("by = 'tests'", "agal"), order("", "tests/agal")] {
            assert_eq!(of_tests, ["tests", "programs", "bodies", "proofs", "all tests"]);
        }
        assert_eq!(order("by = 'bodies'", "agal"), ["bodies", "programs", "tests", "proofs", "all tests"]);
        assert_eq!(order("by = 'proofs'", "agal"), ["proofs", "programs", "tests", "bodies", "all tests"]);
    }
}
