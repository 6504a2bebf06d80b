//! Gates that detect faults, and the ways they end.

use super::Fault;

/// A check that can detect a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// `lockstep check` without proofs.
    Programs,
    /// The tests listed as failing under the fault, in its row or in `seen.txt`.
    Tests,
    /// Generated cases through the bodies of the fuzz targets.
    Bodies,
    /// `lockstep prove`.
    Proofs,
    /// All tests.
    AllTests,
}

impl Gate {
    /// All gates, the cheapest first.
    pub const ALL: [Gate; 5] = [Gate::Programs, Gate::Tests, Gate::Bodies, Gate::Proofs, Gate::AllTests];

    /// The last gate that may detect a fault, if its row names one. For faults that exist for tests it is the tests.
    pub fn of(fault: &Fault) -> Option<Gate> {
        let by = Gate::ALL.into_iter().find(|gate| fault.by.as_deref() == Some(gate.name()));
        by.or(fault.is_for_tests().then_some(Gate::Tests))
    }

    /// The order in which gates are run for a fault: first the one of its row, so that this one is run whatever others detect, then the rest.
    pub fn order(fault: &Fault) -> Vec<Gate> {
        let own = Gate::of(fault);
        let mut order: Vec<Gate> = own.into_iter().chain(Gate::ALL).collect();
        let behind = order.iter().skip(1).position(|gate| own == Some(*gate));
        if let Some(at) = behind {
            order.remove(at + 1);
        }
        order
    }

    /// The name in rows and tables.
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

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It found nothing wrong.
    Clean,
    /// It reported a failure.
    Findings,
    /// It could not read its input.
    Unreadable,
    /// It could not decide.
    Inconclusive,
    /// It was ended by a signal or an uncaught panic.
    Crash,
    /// It was ended by the timeout.
    Hang,
    /// It was not run.
    NotRun(&'static str),
}

impl End {
    /// The end that an exit code stands for; `None` is a signal.
    pub fn of(gate: Gate, code: Option<i32>) -> End {
        match code {
            Some(0) => End::Clean,
            Some(1) => End::Findings,
            Some(2) => End::Unreadable,
            Some(3) => End::Inconclusive,
            // A claim or a test that fails panics.
            Some(101) if matches!(gate, Gate::Bodies | Gate::Tests | Gate::AllTests) => End::Findings,
            _ => End::Crash,
        }
    }

    /// The name in rows and tables.
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

    /// Whether a gate with this end has detected the fault. A crash, a hang and the like may be caused by the machine: they count only where the row
    /// says that the fault causes one.
    pub fn notices(self, fault: &Fault) -> bool {
        self == End::Findings || fault.ends.as_deref() == Some(self.name())
    }
}

/// The result of one process.
pub struct Outcome {
    /// The gate.
    pub gate: Gate,
    /// How it ended.
    pub end: End,
    /// How long it took.
    pub seconds: f64,
    /// What it reported as wrong.
    pub text: String,
    /// The number of instructions of the smallest minimised case, if one was written.
    pub lines: Option<u32>,
    /// The opcodes of marked instructions and their text, in lower case; empty if none is marked.
    pub marked: Vec<String>,
    /// The test that failed, with its executable, or the executable alone if it ended early.
    pub test: Option<String>,
}

impl Outcome {
    /// A gate that was not run.
    pub fn nothing(gate: Gate, how: &'static str) -> Outcome {
        Outcome {
            gate,
            end: End::NotRun(how),
            seconds: 0.0,
            text: String::new(),
            lines: None,
            marked: Vec::new(),
            test: None,
        }
    }

    /// This outcome and that of a later run of the same gate, as one: it detects the fault if one of them does.
    #[must_use]
    pub fn and(self, later: Outcome, fault: &Fault) -> Outcome {
        let end = [self.end, later.end].into_iter().find(|end| end.notices(fault));
        let strange = || [self.end, later.end].into_iter().find(|end| *end != End::Clean);
        Outcome {
            gate: self.gate,
            end: end.or_else(strange).unwrap_or(End::Clean),
            seconds: self.seconds + later.seconds,
            text: self.text + &later.text,
            lines: self.lines.into_iter().chain(later.lines).min(),
            marked: [self.marked, later.marked].concat(),
            test: self.test.or(later.test),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_findings_and_expected_output_count_as_detected() {
        let row = |ends: &str| -> Fault {
            let text =
                format!("name = 'n'\nisa = 'all'\nfile = 'f'\nfind = 'a'\nwith = 'b'\nbreaks = 'c'\n{ends}");
            toml::from_str(&text).unwrap()
        };
        let (plain, hangs) = (row(""), row("ends = 'hang'"));
        let codes = [Some(0), Some(1), Some(2), Some(3), Some(101), Some(134), None];
        let noticed = |gate, fault: &Fault| codes.map(|code| End::of(gate, code).notices(fault));
        let one = [false, true, false, false, false, false, false];
        assert_eq!(noticed(Gate::Programs, &plain), one);
        assert_eq!(noticed(Gate::Proofs, &plain), one);
        let panics = [false, true, false, false, true, false, false];
        assert_eq!(noticed(Gate::Tests, &plain), panics);
        assert_eq!(noticed(Gate::Bodies, &plain), panics);
        assert!(!End::Hang.notices(&plain) && End::Hang.notices(&hangs));
        assert!(!End::Crash.notices(&hangs) && End::Findings.notices(&hangs));
        assert!(End::Crash.notices(&row("ends = 'crash'")));
        assert!(!End::NotRun("no test").notices(&plain));
    }

    #[test]
    fn two_runs_of_a_gate_detect_what_one_of_them_does() {
        let row = "name = 'n'\nisa = 'all'\nfile = 'f'\nfind = 'a'\nwith = 'b'\nbreaks = 'c'\n";
        let fault: Fault = toml::from_str(row).unwrap();
        let run = |end, text: &str, lines| Outcome {
            end,
            seconds: 1.5,
            text: text.to_owned(),
            lines,
            marked: vec![text.to_owned()],
            ..Outcome::nothing(Gate::Programs, "")
        };
        let ends = |first, second| run(first, "", None).and(run(second, "", None), &fault).end;
        assert_eq!(ends(End::Clean, End::Clean), End::Clean);
        assert_eq!(ends(End::Clean, End::Findings), End::Findings);
        assert_eq!(ends(End::Findings, End::Clean), End::Findings);
        assert_eq!(ends(End::Hang, End::Findings), End::Findings);
        assert_eq!(ends(End::Clean, End::Hang), End::Hang);
        let both = run(End::Findings, "mov", Some(7)).and(run(End::Findings, "add", Some(3)), &fault);
        assert_eq!((both.text.as_str(), both.lines, both.seconds), ("movadd", Some(3), 3.0));
        assert_eq!(both.marked, ["mov", "add"]);
    }

    #[test]
    fn the_gate_of_a_row_runs_first() {
        let order = |by: &str, room: &str| -> Vec<&'static str> {
            let text =
                format!("name = 'n'\nisa = 'all'\nfile = 'f'\nfind = 'a'\nwith = 'b'\nbreaks = 'c'\n{by}");
            let fault = Fault { room: room.to_owned(), ..toml::from_str(&text).unwrap() };
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
