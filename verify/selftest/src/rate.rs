//! The result for each fault, and the rates of detection.

use super::{End, Fault, Gate, Outcome};
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter, Write};

/// A minimised program with this many instructions or more counts as too long.
const LONG_PROGRAM: u32 = 12;

/// The result for a fault.
pub struct FaultResult<'a> {
    /// The fault.
    pub fault: &'a Fault,
    /// The gate that detected the fault.
    pub seen: Option<Gate>,
    /// How that gate ended.
    how: &'static str,
    /// The gates that did not detect the fault but did not end clean either, and how they ended.
    inconclusive_gates: Vec<(Gate, End)>,
    /// The total time of all gates that were run, in seconds.
    seconds: f64,
    /// The number of instructions of the smallest minimised case, if that gate wrote one.
    instruction_count: Option<u32>,
    /// Whether the finding names the fault. `None` if there is nothing to name, for example if a test detected the fault.
    names_fault: Option<bool>,
    /// Whether a marked instruction has an opcode that the fault affects. `None` if no instruction is marked or there is nothing to name.
    marks: Option<bool>,
    /// The test that detected the fault, if a test did.
    test: Option<String>,
}

impl<'a> FaultResult<'a> {
    /// Computes the result from the outcomes of the gates, in the order in which they were run.
    pub fn of(fault: &'a Fault, outcomes: &[Outcome]) -> FaultResult<'a> {
        let red = outcomes.iter().find(|o| o.end.detects(fault));
        let strange = outcomes.iter().filter(|o| !o.end.detects(fault) && o.end != End::Clean);
        let text = red.map(|o| o.text.to_lowercase()).unwrap_or_default();
        let guilty = if fault.marks.is_empty() { &fault.expect } else { &fault.marks };
        let named = fault.expect.iter().any(|e| text.contains(&e.to_lowercase()));
        FaultResult {
            fault,
            seen: red.map(|o| o.gate),
            how: red.map_or("", |o| o.end.name()),
            inconclusive_gates: strange.map(|o| (o.gate, o.end)).collect(),
            seconds: outcomes.iter().map(|o| o.seconds).sum(),
            instruction_count: red.and_then(|o| o.instruction_count),
            names_fault: red.filter(|o| o.test.is_none() && !fault.expect.is_empty()).map(|_| named),
            marks: red.filter(|o| !guilty.is_empty() && !o.marked_instructions.is_empty()).map(|o| {
                let is_marked = |name: &String| {
                    o.marked_instructions.iter().any(|marked| marked.contains(&name.to_lowercase()))
                };
                guilty.iter().any(is_marked)
            }),
            test: red.and_then(|o| o.test.clone()),
        }
    }

    /// Whether the fault is detected as its row requires, or is undetected with a stated reason.
    pub fn is_as_expected(&self) -> bool {
        self.deviations().is_empty()
    }

    /// Returns the deviations from the row, each as a predicate for a sentence about the fault.
    pub fn deviations(&self) -> Vec<String> {
        let fault = self.fault;
        let Some(seen) = self.seen else {
            if fault.reason.is_some() {
                return Vec::new();
            }
            let strange = self
                .inconclusive_gates
                .iter()
                .map(|(gate, end)| format!(" ({}: {})", gate.name(), end.name()));
            return vec![format!("is detected by no gate{}", strange.collect::<String>())];
        };
        let mut wrong = Vec::new();
        if fault.reason.is_some() {
            wrong.push("is detected, so 'reason' of its row is out of date".to_owned());
        }
        // The row's gate is always run, before the others.
        if let Some(by) = Gate::of(fault).filter(|by| *by != seen) {
            let test = self.test.as_ref().map_or(String::new(), |test| format!(" ({test})"));
            wrong.push(format!(
                "is detected by {}{test}, not by {}, which its row names",
                seen.name(),
                by.name()
            ));
        }
        if fault.ends.as_deref().is_some_and(|ends| ends != self.how) {
            wrong.push(format!("is detected, but its gate does not end as its row states: {}", self.how));
        }
        if let Some(count) = self.instruction_count.filter(|count| *count >= LONG_PROGRAM) {
            wrong.push(format!("is detected, but the smallest finding has {count} instructions left"));
        }
        match (self.names_fault, &fault.unnamed) {
            (Some(false), None) => {
                wrong.push(format!("is detected, but no finding names {:?}", fault.expect));
            }
            (Some(true), Some(_)) => {
                wrong.push("is named by a finding, so 'unnamed' of its row is out of date".to_owned());
            }
            _ => {}
        }
        match (self.marks, &fault.mismarked) {
            (Some(false), None) => {
                wrong.push("is detected, but the finding marks another instruction".to_owned());
            }
            (Some(true), Some(_)) => {
                wrong.push("is marked by a finding, so 'mismarked' of its row is out of date".to_owned());
            }
            _ => {}
        }
        wrong
    }

    /// The header line of the table whose rows are [`FaultResult::line`].
    pub const HEAD: &'static str =
        "table\tname\tfile\tblind\tgate\tend\tseconds\tinstructions\tnamed\tmarked\ttest\n";

    /// Returns the fault's row of the table.
    pub fn line(&self) -> String {
        let gate = self.seen.map_or("-", Gate::name);
        let count = self.instruction_count.map_or_else(|| "-".to_owned(), |n| n.to_string());
        let said = |right: Option<bool>| right.map_or("-", |right| if right { "right" } else { "wrong" });
        let (named, marks, test) =
            (said(self.names_fault), said(self.marks), self.test.as_deref().unwrap_or("-"));
        let blind = if self.fault.blind { "blind" } else { "-" };
        let (Fault { table, name, file, .. }, how, seconds) = (self.fault, self.how, self.seconds);
        format!(
            "{table}\t{name}\t{file}\t{blind}\t{gate}\t{how}\t{seconds:.1}\t{count}\t{named}\t{marks}\t{test}\n"
        )
    }
}

impl Display for FaultResult<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let gate = self.seen.map_or("nothing", Gate::name);
        write!(
            f,
            "{:<18} {:<34} {gate:<9} {:<12} {:>6.1} s",
            self.fault.table, self.fault.name, self.how, self.seconds
        )?;
        if let Some(count) = self.instruction_count {
            write!(f, "  {count} left")?;
        }
        match self.names_fault {
            Some(true) => f.write_str("  names it")?,
            Some(false) => f.write_str("  does not name it")?,
            None => {}
        }
        match self.marks {
            Some(true) => f.write_str(", marks it")?,
            Some(false) => f.write_str(", marks another instruction")?,
            None => {}
        }
        self.test.as_ref().map_or(Ok(()), |test| write!(f, "  {test}"))
    }
}

/// Returns the room (the part of the product) of a source file: its folder, to a fixed depth. Below `src/isa` this is the folder of an instruction
/// set. A file beside a folder of the same name belongs to the room of that folder.
fn room(file: &str) -> String {
    let parts: Vec<&str> = file.split('/').collect();
    let depth = match parts.as_slice() {
        ["core", "src", "isa", ..] => 4,
        ["core" | "verify", "src" | "tests", ..] => 3,
        ["verify", ..] => 2,
        _ => 1,
    };
    let room = parts.iter().take(depth).copied().collect::<Vec<_>>().join("/");
    room.strip_suffix(".rs").map(str::to_owned).unwrap_or(room)
}

/// Returns the detection rates by room and by gate as text. The room of a fault is the folder of the file that it changes, regardless of its table.
/// Faults with a reason for not being detected are not counted.
pub fn rates(results: &[FaultResult<'_>]) -> String {
    let counted: Vec<&FaultResult<'_>> = results.iter().filter(|r| r.fault.reason.is_none()).collect();
    let mut rooms: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for result in &counted {
        let (seen, all) = rooms.entry(room(&result.fault.file)).or_default();
        *seen += usize::from(result.seen.is_some());
        *all += 1;
    }
    let mut text = String::new();
    let mut row = |name: &str, seen: usize, all: usize| {
        let share = 100.0 * seen as f64 / all.max(1) as f64;
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name:<26} {seen:>4} of {all:>4}  {share:>5.1} %");
    };
    for (room, (seen, all)) in &rooms {
        row(room, *seen, *all);
    }
    let seen = counted.iter().filter(|r| r.seen.is_some()).count();
    row("all rooms", seen, counted.len());
    for gate in Gate::ALL {
        row(
            &format!("by {}", gate.name()),
            counted.iter().filter(|r| r.seen == Some(gate)).count(),
            counted.len(),
        );
    }
    let named: Vec<bool> = counted.iter().filter_map(|r| r.names_fault).collect();
    row("named", named.iter().filter(|right| **right).count(), named.len());
    let marks: Vec<bool> = counted.iter().filter_map(|r| r.marks).collect();
    row("marked", marks.iter().filter(|right| **right).count(), marks.len());
    let reasons = results.len() - counted.len();
    if reasons > 0 {
        let _ = writeln!(text, "{reasons} more have a reviewed reason not to be detected");
    }
    let mut counts: Vec<u32> = counted.iter().filter_map(|r| r.instruction_count).collect();
    counts.sort_unstable();
    if let (Some(most), Some(middle)) = (counts.last(), counts.get(counts.len() / 2)) {
        let _ = writeln!(text, "instructions left: median {middle}, maximum {most}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(gate: Gate, end: End, text: &str) -> Outcome {
        Outcome {
            gate,
            end,
            seconds: 0.0,
            text: text.to_owned(),
            instruction_count: None,
            marked_instructions: Vec::new(),
            test: None,
        }
    }

    #[test]
    fn rates_are_grouped_by_the_folders_of_the_faulty_files() {
        let fault = |file: &str| {
            let row =
                format!("name = 'n'\nisa = 'all'\nfile = '{file}'\nfind = 'a'\nwith = 'b'\nbreaks = 'c'\n");
            Fault { table: "one".to_owned(), ..toml::from_str(&row).unwrap() }
        };
        let files = [
            ("core/src/isa/agal/word.rs", true),
            ("core/src/isa/agal/lower/operands.rs", false),
            ("core/src/isa/agal.rs", true),
            ("core/src/isa/d3d9/word.rs", true),
            ("core/src/exec/jit/encode.rs", true),
            ("verify/src/proof.rs", true),
            ("verify/src/proof/account.rs", false),
            ("verify/prove/src/run.rs", false),
            ("corpora/README.md", true),
        ];
        let faults = files.map(|(file, _)| fault(file));
        let results: Vec<FaultResult<'_>> = faults
            .iter()
            .zip(files)
            .map(|(fault, (_, seen))| {
                let end = if seen { End::Findings } else { End::Clean };
                FaultResult::of(fault, &[outcome(Gate::Programs, end, "")])
            })
            .collect();
        let text = rates(&results);
        let rows: Vec<String> =
            text.lines().map(|l| l.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        let expected = [
            "core/src/exec 1 of 1 100.0 %",
            "core/src/isa/agal 2 of 3 66.7 %",
            "core/src/isa/d3d9 1 of 1 100.0 %",
            "corpora 1 of 1 100.0 %",
            "verify/prove 0 of 1 0.0 %",
            "verify/src/proof 1 of 2 50.0 %",
            "all rooms 6 of 9 66.7 %",
        ];
        assert_eq!(rows[..expected.len()], expected, "{text}");
    }

    #[test]
    fn a_fault_passes_if_detected_as_its_row_says() {
        let wrong = |row: &str, outcomes: &[Outcome]| {
            let head = "name = 'n'\nisa = 'all'\nfile = 'f'\nfind = 'a'\nwith = 'b'\nbreaks = 'c'\n";
            let fault: Fault = toml::from_str(&format!("{head}{row}")).unwrap();
            FaultResult::of(&fault, outcomes).deviations().join("; ")
        };
        let found = |text| [outcome(Gate::Programs, End::Findings, text)];
        assert_eq!(wrong("by = 'programs'\nexpect = ['mov']", &found("agal MOV differs")), "");
        assert!(wrong("expect = ['mov']", &found("add differs")).contains("no finding names"));
        assert_eq!(wrong("expect = ['mov']\nunnamed = 'w'", &found("add differs")), "");
        assert!(wrong("expect = ['mov']\nunnamed = 'w'", &found("mov")).contains("out of date"));
        assert!(wrong("reason = 'w'", &found("")).contains("out of date"));
        let marks = |opcode: &str| {
            let marked_instructions = vec![opcode.to_owned()];
            [Outcome { marked_instructions, ..outcome(Gate::Programs, End::Findings, "mov") }]
        };
        let row = "expect = ['mov']\nmarks = ['texld']";
        assert_eq!(wrong("expect = ['mov']", &marks("movv")), "");
        assert_eq!(wrong(row, &marks("texld")), "");
        assert!(wrong(row, &marks("mov")).contains("marks another"));
        assert_eq!(wrong(&format!("{row}\nmismarked = 'w'"), &marks("mov")), "");
        assert!(wrong(&format!("{row}\nmismarked = 'w'"), &marks("texld")).contains("out of date"));
        let long = |count| {
            let instruction_count = Some(count);
            [Outcome { instruction_count, ..outcome(Gate::Programs, End::Findings, "") }]
        };
        assert_eq!(wrong("", &long(LONG_PROGRAM - 1)), "");
        assert!(wrong("", &long(LONG_PROGRAM)).contains("12 instructions left"));
        let hang = [outcome(Gate::Programs, End::Hang, "")];
        assert_eq!(wrong("", &hang), "is detected by no gate (programs: hang)");
        assert_eq!(wrong("ends = 'hang'", &hang), "");
        assert!(wrong("ends = 'hang'", &found("")).contains("does not end as"));
        assert_eq!(wrong("reason = 'w'", &hang), "");
        let test = Outcome { test: Some("core/x y".to_owned()), ..outcome(Gate::Tests, End::Findings, "") };
        let late = [outcome(Gate::Programs, End::Clean, ""), test];
        assert!(wrong("by = 'programs'", &late).contains("tests (core/x y), not by programs"));
        assert!(wrong("by = 'bodies'", &late).contains("not by bodies"));
        assert_eq!(wrong("by = 'tests'\nexpect = ['mov']", &late), "");
        let unlisted = [outcome(Gate::Programs, End::Clean, ""), outcome(Gate::AllTests, End::Findings, "")];
        assert!(wrong("by = 'tests'", &unlisted).contains("all tests, not by tests"));
    }
}
