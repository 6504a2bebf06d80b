//! Reports violations of rules as a linter does: with file, entry, instruction and source of the rule, at levels that the user can change.

mod lines;

pub use lines::{add_byte_positions, add_positions, position_in_text};

use crate::case::{Case, CaseError, EntryRef};
use crate::sources::spelled_out;
use lockstep_core::isa::{Isa, IsaId, Level, Violation};
use lockstep_core::with_isa;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A violation of a rule, with everything needed to locate it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocatedViolation {
    /// The instruction set of the program.
    pub isa: IsaId,
    /// The number of the program's own entry that was checked; `None` for an entry given in a case.
    pub entry: Option<u16>,
    /// The level after the user's settings.
    pub level: Level,
    /// The rule's number. This is the vendor's number if there is one, such as Flash's error number for AGAL.
    pub rule: u16,
    /// The instruction that breaks the rule, counted from 0; `None` if the program as a whole does.
    pub instruction: Option<u32>,
    /// The line of the instruction in the file, from 1, if known (see [`add_positions`]).
    pub line: Option<u32>,
    /// The column at which the instruction begins, from 1, if known.
    pub column: Option<u32>,
    /// The offset in the file of the instruction's first byte, if known (see [`add_byte_positions`]).
    pub byte_offset: Option<u64>,
    /// The length of the instruction in bytes, if known.
    pub byte_length: Option<u64>,
    /// The instruction as assembly text.
    pub text: Option<String>,
    /// The violation as a sentence.
    pub message: String,
    /// The source of the rule, as cited.
    pub source: String,
    /// The cited sources, with titles.
    pub sources: Vec<String>,
}

impl std::fmt::Display for LocatedViolation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self.level {
            Level::Warning => "warning",
            Level::Error => "error",
        })?;
        write!(f, "[{}:{}]: ", self.isa, self.rule)?;
        // Most programs have a single entry, number 0, so only other numbers are printed.
        if let Some(entry) = self.entry.filter(|entry| *entry > 0) {
            write!(f, "entry {entry}, ")?;
        }
        if let Some(at) = self.instruction {
            write!(f, "instruction {at}: ")?;
        }
        write!(f, "{} ({})", self.message, self.source)?;
        match &self.text {
            Some(text) => write!(f, "\n  {text}"),
            None => Ok(()),
        }
    }
}

impl LocatedViolation {
    /// Returns the location as `file:line:column`, without the parts that are unknown.
    pub fn location(&self, file: &str) -> String {
        match (self.line, self.column) {
            (Some(line), Some(column)) => format!("{file}:{line}:{column}"),
            (Some(line), None) => format!("{file}:{line}"),
            _ => file.to_owned(),
        }
    }
}

/// The user's levels for rules. A rule is named by its number, with or without its instruction set: `agal:3646` or `3646`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Levels {
    /// Rules whose violations are reported as warnings, regardless of their default level.
    pub warn: BTreeSet<String>,
    /// Rules whose violations are not reported.
    pub allow: BTreeSet<String>,
}

impl Levels {
    /// Returns the level at which violations of a rule are reported; `None` if they are not reported. `level` is the rule's default level.
    pub fn of(&self, isa: IsaId, rule: u16, level: Level) -> Option<Level> {
        let named = |rules: &BTreeSet<String>| {
            rules.contains(&rule.to_string()) || rules.contains(&format!("{isa}:{rule}"))
        };
        match (named(&self.allow), named(&self.warn)) {
            (true, _) => None,
            (_, true) => Some(Level::Warning),
            _ => Some(level),
        }
    }

    /// Returns the same settings with every rule's full name: instruction set and number.
    ///
    /// # Errors
    /// If a name does not name exactly one rule, or a rule is in both lists. The error describes the first problem.
    pub fn checked(&self) -> Result<Levels, String> {
        let named = |rules: &BTreeSet<String>| -> Result<BTreeSet<String>, String> {
            rules.iter().map(|rule| one_rule(rule)).collect()
        };
        let Levels { warn, allow } = Levels { warn: named(&self.warn)?, allow: named(&self.allow)? };
        match warn.intersection(&allow).next() {
            Some(rule) => Err(format!("{rule} is in both lists, `warn` and `allow`")),
            None => Ok(Levels { warn, allow }),
        }
    }

    /// Combines these settings with `later`, which takes precedence. Both must have been returned by [`Levels::checked`].
    pub fn then(self, later: &Levels) -> Levels {
        let without = |rules: BTreeSet<String>, other: &BTreeSet<String>| &rules - other;
        Levels {
            warn: &without(self.warn, &later.allow) | &later.warn,
            allow: &without(self.allow, &later.warn) | &later.allow,
        }
    }
}

/// Returns the full name of a rule.
fn one_rule(rule: &str) -> Result<String, String> {
    let malformed = || format!("'{rule}' is not a rule: NUMBER or ISA:NUMBER, as in agal:3646");
    let (isa, number) = match rule.split_once(':') {
        Some((isa, number)) => (Some(isa.parse::<IsaId>().map_err(|_| malformed())?), number),
        None => (None, rule),
    };
    let number: u16 = number.parse().map_err(|_| malformed())?;
    let has = |isa: &IsaId| with_isa!(*isa, I => I::rules().iter().any(|rule| rule.code == number));
    let sets = isa.as_ref().map_or(IsaId::ALL, std::slice::from_ref);
    let mut named: Vec<String> =
        sets.iter().filter(|isa| has(isa)).map(|isa| format!("{isa}:{number}")).collect();
    match named.len() {
        0 => Err(format!(
            "there is no rule '{rule}': `lockstep isa NAME` lists the rules of an instruction set"
        )),
        1 => Ok(named.swap_remove(0)),
        _ => Err(format!("'{rule}' is a rule of several instruction sets: write {}", named.join(" or "))),
    }
}

/// Returns the violations in a case's program at the case's entry, in program order, except those of rules that `levels` allows.
///
/// # Errors
/// If the case cannot be run.
pub fn violations(case: &Case, levels: &Levels) -> Result<Vec<LocatedViolation>, CaseError> {
    with_isa!(case.isa, I => violations_of::<I>(case, levels))
}

/// Returns the violations in a case's program at each of the program's own entries, entry by entry, except those of rules that `levels` allows.
///
/// # Errors
/// If the program has no entry, or an entry cannot be run.
pub fn violations_at_all(case: &Case, levels: &Levels) -> Result<Vec<LocatedViolation>, CaseError> {
    let mut all = Vec::new();
    // A program without entries is checked at entry 0, which returns the error.
    for entry in 0..entry_count(case).max(1) {
        let entry = EntryRef::Own(u16::try_from(entry).unwrap_or(u16::MAX));
        all.extend(violations(&Case { entry, ..case.clone() }, levels)?);
    }
    Ok(all)
}

fn violations_of<I: Isa>(case: &Case, levels: &Levels) -> Result<Vec<LocatedViolation>, CaseError> {
    let resolved = case.resolve::<I>()?;
    let entry = match case.entry {
        EntryRef::Own(at) => Some(at),
        EntryRef::Given(_) => None,
    };
    let reported = |violation: Violation| {
        let level = levels.of(I::ID, violation.code, violation.level)?;
        let text = violation.word.map(|word| I::disassemble_word(&resolved.program, word).trim().to_owned());
        let Violation { code: rule, level: _, word: instruction, message, source } = violation;
        let (source, sources) = (source.to_owned(), spelled_out(I::ID, &[source]));
        let (line, column, byte_offset, byte_length) = (None, None, None, None);
        let isa = I::ID;
        Some(LocatedViolation {
            isa,
            entry,
            level,
            rule,
            instruction,
            line,
            column,
            byte_offset,
            byte_length,
            text,
            message,
            source,
            sources,
        })
    };
    Ok(I::validate(&resolved.context()).into_iter().filter_map(reported).collect())
}

/// Returns the sources that violations cite, with titles, without duplicates.
pub fn sources<'v>(found: impl IntoIterator<Item = &'v LocatedViolation>) -> Vec<&'v str> {
    let mut all: Vec<&str> = Vec::new();
    for source in found.into_iter().flat_map(|violation| &violation.sources) {
        if !all.contains(&source.as_str()) {
            all.push(source);
        }
    }
    all
}

/// Returns the number of a program's own entries; 0 if the program does not decode.
pub fn entry_count(case: &Case) -> usize {
    with_isa!(case.isa, I => I::decode(&case.bytes).map_or(0, |program| I::entries(&program).len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_core::isa::agal::Agal;
    use lockstep_core::isa::{Format, Syntax};

    /// Returns a case whose program writes to a constant register.
    fn case() -> Case {
        let text = "version 1 vertex\nmov vc0, va0\nmov op, va0\n";
        Case::bare(IsaId::Agal, &Agal::encode(&Agal::assemble(text).expect("text")))
    }

    #[test]
    fn a_violation_names_rule_instruction_text_and_source() {
        let found = violations(&case(), &Levels::default()).expect("a program");
        let first = found.iter().find(|v| v.rule == 3652).expect("a constant cannot be written");
        assert_eq!((first.level, first.instruction, first.entry), (Level::Error, Some(0), Some(0)));
        assert_eq!(first.text.as_deref(), Some("mov vc0, va0"));
        assert!(first.to_string().starts_with("error[agal:3652]: instruction 0: "), "{first}");
    }

    #[test]
    fn either_name_of_a_rule_changes_its_level() {
        for rule in ["3652", "agal:3652"] {
            let named = BTreeSet::from([rule.to_owned()]);
            let warn = Levels { warn: named.clone(), ..Levels::default() };
            let level = |levels: &Levels| {
                let found = violations(&case(), levels).expect("a program");
                found.iter().find(|v| v.rule == 3652).map(|v| v.level)
            };
            assert_eq!(level(&warn), Some(Level::Warning));
            assert_eq!(level(&Levels { allow: named, ..warn }), None);
        }
        let other = Levels { allow: BTreeSet::from(["d3d9:3652".to_owned()]), ..Levels::default() };
        assert_eq!(violations(&case(), &other), violations(&case(), &Levels::default()));
    }

    #[test]
    fn later_levels_of_a_rule_win_and_contradictions_are_errors() {
        let levels = |warn: &[&str], allow: &[&str]| {
            let set = |rules: &[&str]| rules.iter().map(|rule| (*rule).to_owned()).collect();
            Levels { warn: set(warn), allow: set(allow) }.checked()
        };
        assert_eq!(levels(&["3652"], &[]), levels(&["agal:3652"], &[]));
        let both = levels(&["3652"], &["agal:3652"]).expect_err("both lists name it");
        assert!(both.contains("agal:3652"), "{both}");
        let (warn, allow) =
            (levels(&["3652"], &[]).expect("a rule"), levels(&[], &["3652"]).expect("a rule"));
        for (first, later, all) in [(&warn, &allow, &allow), (&allow, &warn, &warn)] {
            assert_eq!(first.clone().then(later), *all);
            assert_eq!(first.clone().then(&Levels::default()), *first);
        }
    }

    #[test]
    fn a_name_must_match_exactly_one_rule() {
        let wrong = |rule: &str| {
            let levels = Levels { warn: BTreeSet::from([rule.to_owned()]), ..Levels::default() };
            levels.checked().err().unwrap_or_default()
        };
        for rule in ["3652", "agal:3652", "agal:1", "d3d9:1"] {
            assert_eq!(wrong(rule), "", "{rule}");
        }
        for rule in ["agal", "x:1", "agal:y", "70000"] {
            assert!(wrong(rule).contains(&format!("'{rule}' is not a rule")), "{rule}: {}", wrong(rule));
        }
        for rule in ["65000", "d3d9:3652"] {
            assert!(wrong(rule).contains(&format!("there is no rule '{rule}'")), "{rule}: {}", wrong(rule));
        }
        // Every instruction set has a rule 2.
        assert!(
            wrong("2").ends_with("write agal:2 or pica200:2 or utgard_gp:2 or a2xx:2 or d3d9:2"),
            "{}",
            wrong("2")
        );
    }
}
