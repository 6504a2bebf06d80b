//! What came of each fault, and rates.

use super::gate::{Gate, Outcome};
use lockstep_selftest::Fault;
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter, Write};

/// What came of a fault.
pub(super) struct Fate<'a> {
    pub(super) fault: &'a Fault,
    /// The gate that saw it.
    pub(super) seen: Option<Gate>,
    /// How that gate ended.
    how: &'static str,
    /// Seconds over all gates asked.
    seconds: f64,
    lines: Option<u32>,
    /// Whether the finding names what is wrong; `None` where there is nothing to name.
    right: Option<bool>,
    /// Whether a marked instruction is of an opcode that the fault is in; `None` where none is marked or there is nothing to name.
    marks: Option<bool>,
}

impl<'a> Fate<'a> {
    pub(super) fn of(fault: &'a Fault, outcomes: &[Outcome]) -> Fate<'a> {
        let red = outcomes.iter().find(|o| o.red);
        let text = red.map(|o| o.text.to_lowercase()).unwrap_or_default();
        let named = fault.expect.iter().any(|e| text.contains(&e.to_lowercase()));
        Fate {
            fault,
            seen: red.map(|o| o.gate),
            how: red.map_or("", |o| o.how),
            seconds: outcomes.iter().map(|o| o.seconds).sum(),
            lines: red.and_then(|o| o.lines),
            right: red.filter(|_| !fault.expect.is_empty()).map(|_| named),
            marks: red.filter(|o| !fault.expect.is_empty() && !o.marked.is_empty()).map(|o| {
                let is_marked = |name: &String| o.marked.iter().any(|m| m.contains(&name.to_lowercase()));
                fault.expect.iter().any(is_marked)
            }),
        }
    }

    /// Whether it is noticed, or has a reason not to be.
    pub(super) fn is_well(&self) -> bool {
        self.seen.is_some() != self.fault.reason.is_some()
    }

    /// A row of the table: room, name, blind, gate, how, seconds, lines, right.
    pub(super) fn line(&self) -> String {
        let gate = self.seen.map_or("-", Gate::name);
        let lines = self.lines.map_or_else(|| "-".to_owned(), |n| n.to_string());
        let right = self.right.map_or("-", |right| if right { "right" } else { "wrong" });
        let blind = if self.fault.blind { "blind" } else { "-" };
        let (room, name, how, seconds) = (&self.fault.room, &self.fault.name, self.how, self.seconds);
        format!("{room}\t{name}\t{blind}\t{gate}\t{how}\t{seconds:.1}\t{lines}\t{right}\n")
    }
}

impl Display for Fate<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let gate = self.seen.map_or("nothing", Gate::name);
        write!(
            f,
            "{:<10} {:<34} {gate:<9} {:<12} {:>6.1} s",
            self.fault.room, self.fault.name, self.how, self.seconds
        )?;
        if let Some(lines) = self.lines {
            write!(f, "  {lines} left")?;
        }
        match self.right {
            Some(true) => f.write_str("  names it")?,
            Some(false) => f.write_str("  does not name it")?,
            None => {}
        }
        match self.marks {
            Some(true) => f.write_str(", marks it"),
            Some(false) => f.write_str(", marks another instruction"),
            None => Ok(()),
        }
    }
}

/// Rates by room and by gate. Faults with a reason do not count.
pub(super) fn rates(results: &[Fate<'_>]) -> String {
    let counted: Vec<&Fate<'_>> = results.iter().filter(|r| r.fault.reason.is_none()).collect();
    let mut rooms: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for result in &counted {
        let (seen, all) = rooms.entry(result.fault.room.as_str()).or_default();
        *seen += usize::from(result.seen.is_some());
        *all += 1;
    }
    let mut text = String::new();
    let mut row = |name: &str, seen: usize, all: usize| {
        let share = 100.0 * seen as f64 / all.max(1) as f64;
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name:<14} {seen:>4} of {all:>4}  {share:>5.1} %");
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
    let named: Vec<bool> = counted.iter().filter_map(|r| r.right).collect();
    row("named", named.iter().filter(|right| **right).count(), named.len());
    let marks: Vec<bool> = counted.iter().filter_map(|r| r.marks).collect();
    row("marked", marks.iter().filter(|right| **right).count(), marks.len());
    let reasons = results.len() - counted.len();
    if reasons > 0 {
        let _ = writeln!(text, "{reasons} more have a reviewed reason not to be noticed");
    }
    let mut lines: Vec<u32> = counted.iter().filter_map(|r| r.lines).collect();
    lines.sort_unstable();
    if let (Some(most), Some(middle)) = (lines.last(), lines.get(lines.len() / 2)) {
        let _ = writeln!(text, "lines left: {middle} in the middle, {most} at most");
    }
    text
}
