//! What notices faults, and how that ends.

use super::Fault;

/// What notices faults, the cheapest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gate {
    /// `lockstep check` without proofs.
    Programs,
    /// Generated cases through the bodies of the fuzz targets.
    Bodies,
    /// `lockstep prove`.
    Proofs,
    /// A test.
    Tests,
}

impl Gate {
    /// All of them.
    pub const ALL: [Gate; 4] = [Gate::Programs, Gate::Bodies, Gate::Proofs, Gate::Tests];

    /// What rows and tables call it.
    pub fn name(self) -> &'static str {
        match self {
            Gate::Programs => "programs",
            Gate::Proofs => "proofs",
            Gate::Bodies => "bodies",
            Gate::Tests => "tests",
        }
    }
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It says that all is well.
    Clean,
    /// It says that something is wrong.
    Findings,
    /// It could not read what it was given.
    Unreadable,
    /// It could not decide.
    Inconclusive,
    /// It died, by a signal or by a panic that nothing caught.
    Crash,
    /// It was ended when its time was up.
    Hang,
    /// It was not run.
    NotRun(&'static str),
}

impl End {
    /// The end that an exit status stands for; `None` is a signal.
    pub fn of(gate: Gate, code: Option<i32>) -> End {
        match code {
            Some(0) => End::Clean,
            Some(1) => End::Findings,
            Some(2) => End::Unreadable,
            Some(3) => End::Inconclusive,
            // A claim or a test that fails panics.
            Some(101) if matches!(gate, Gate::Bodies | Gate::Tests) => End::Findings,
            _ => End::Crash,
        }
    }

    /// What rows and tables call it.
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

    /// Whether a gate that ends so has noticed the fault. A crash, a hang and the like may be the machine's: they count where the row says that the
    /// fault makes one.
    pub fn notices(self, fault: &Fault) -> bool {
        self == End::Findings || fault.ends.as_deref() == Some(self.name())
    }
}

/// What came of one process.
pub struct Outcome {
    /// Which gate.
    pub gate: Gate,
    /// How it ended.
    pub end: End,
    /// How long it took.
    pub seconds: f64,
    /// What it says is wrong.
    pub text: String,
    /// Instructions of the smallest minimised case, if one was written.
    pub lines: Option<u32>,
    /// The opcodes of marked instructions, in lower case; empty where none is marked.
    pub marked: Vec<String>,
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
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_findings_and_what_a_row_says_count_as_noticed() {
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
}
