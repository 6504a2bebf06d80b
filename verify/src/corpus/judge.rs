//! Judges one item: checks every oracle's claim on a program or case, or runs the vectors of a vector file.

use super::contradiction::{contradiction, sentence};
use super::vector::line_of;
use super::{Content, Item, Strictness, explained, run_vector};
use crate::blame::Exhibit;
use crate::case::{Case, EntryRef, MAX_LANES};
use crate::engine::Statistics;
use crate::generate::{Entropy, with_registers};
use crate::legality::{Levels, LocatedViolation as Violation, add_byte_positions, add_positions, violations};
use crate::oracle::{Oracle, Skip, Verdict, ask, caught};
use lockstep_core::isa::IsaId;
use lockstep_core::with_isa;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The heading for a vector that contradicts the reference: either the vector or the reference is wrong.
pub const CONTRADICTED: &str = "reference contradicted";

/// The kind of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A program, run on generated environments.
    Program,
    /// A case with its own environment.
    Case,
    /// A file of vectors.
    Vectors,
}

/// A failed claim, before triage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Suspect {
    /// The claim that failed.
    pub oracle: Oracle,
    /// The case that violates the claim.
    pub case: Case,
}

/// The signature of a problem, and its position.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProblemKey {
    /// The problem's class: the part of its signature after the instruction set and the claim.
    pub signature: String,
    /// The line of the file that the problem refers to, from 1.
    pub line: Option<u32>,
    /// The byte offset in the file that the problem refers to, and the number of bytes to show.
    pub bytes: Option<(u64, u64)>,
    /// The program with the instruction at fault marked, if there is one.
    pub exhibit: Option<Exhibit>,
    /// All details of the problem; `None` if its sentence is complete.
    pub detail: Option<String>,
}

/// The result of judging an item.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[allow(clippy::struct_excessive_bools)] // independent flags, like the columns of a report
pub struct Judgement {
    /// The item's name.
    pub name: String,
    /// The path the item was read from.
    pub path: String,
    /// The item's instruction set.
    pub isa: IsaId,
    /// The item's kind.
    pub kind: Kind,
    /// Whether the item's bytes decode.
    pub decoded: bool,
    /// Whether decoding and encoding returned the same bytes.
    pub bytes: bool,
    /// Whether disassembling and assembling returned the same program.
    pub text: bool,
    /// Whether both the validator and the lowering accept the program.
    pub valid: bool,
    /// Why the item or one of its entries was not run, or gave no result that could be compared.
    pub refused: Option<String>,
    /// The parts of the case that exceed the limits. The case was run with these parts cut to the limits.
    pub cut: Vec<String>,
    /// The number of environments in which something was compared.
    pub runs: u64,
    /// The number of environments in which only the way lanes ended could be compared.
    pub idle: u64,
    /// The number of lanes run on both engines.
    pub lanes: u64,
    /// Statistics of the comparison between reference and executor.
    pub compared: Statistics,
    /// The number of components compared before and after rewriting.
    pub rewritten: u64,
    /// The number of components compared between the engines in runs with initial registers: outputs and control registers.
    pub registers: u64,
    /// The number of vectors that passed.
    pub vectors: u64,
    /// The rules that the program breaks, for each of its entries. Empty for programs of a covering array.
    pub violations: Vec<Violation>,
    /// Problems other than a failed claim about a case, such as a program of our own corpora that is refused, or a vector that does not hold.
    pub problems: Vec<String>,
    /// The key of each problem.
    #[serde(skip)]
    pub problem_keys: Vec<ProblemKey>,
    /// The claims that failed for this item.
    pub failed: BTreeSet<Oracle>,
    /// The cases on which claims failed.
    #[serde(skip)]
    pub suspects: Vec<Suspect>,
}

impl Judgement {
    /// Whether the item has no failed claim and no problem.
    pub fn is_clean(&self) -> bool {
        self.problems.is_empty() && self.failed.is_empty()
    }

    fn record_failure(&mut self, oracle: Oracle, case: &Case) {
        self.failed.insert(oracle);
        self.suspects.push(Suspect { oracle, case: case.clone() });
    }

    /// Records a problem and the end of its signature.
    pub fn record_problem(&mut self, signature: String, problem: String) {
        self.problem_keys.push(ProblemKey { signature, ..ProblemKey::default() });
        self.problems.push(problem);
    }

    /// Records the reason something was not run; only the first reason is kept.
    fn refuse(&mut self, reason: String) {
        self.refused.get_or_insert(reason);
    }
}

/// Returns a judgement of an item in which nothing has been checked yet.
pub fn empty_judgement(item: &Item) -> Judgement {
    let kind = match &item.content {
        Content::Program { .. } => Kind::Program,
        Content::Case(_) => Kind::Case,
        Content::Vectors { .. } => Kind::Vectors,
    };
    Judgement {
        name: item.name.clone(),
        path: item.path.display().to_string(),
        isa: item.content.isa(),
        kind,
        decoded: false,
        bytes: false,
        text: false,
        valid: false,
        refused: None,
        cut: Vec::new(),
        runs: 0,
        idle: 0,
        lanes: 0,
        compared: Statistics::default(),
        rewritten: 0,
        registers: 0,
        vectors: 0,
        violations: Vec::new(),
        problems: Vec::new(),
        problem_keys: Vec::new(),
        failed: BTreeSet::new(),
        suspects: Vec::new(),
    }
}

/// A step of judging an item.
#[derive(Clone, Copy, Debug)]
pub enum JudgingStep<'a> {
    /// A claim about this case.
    Claim(Oracle, &'a Case),
    /// The vector with this name.
    Vector(&'a str),
}

/// Judges an item. Programs are run in the environments generated from `seeds`.
pub fn judge(item: &Item, seeds: std::ops::Range<u64>) -> Judgement {
    judge_with(item, seeds, &mut |_| {})
}

/// As [`judge`], but calls `asking` with each step before it is run, so that a step that ends the process can be identified.
pub fn judge_with(
    item: &Item,
    seeds: std::ops::Range<u64>,
    asking: &mut dyn FnMut(JudgingStep<'_>),
) -> Judgement {
    let _span = tracing::info_span!("judge", item = item.name).entered();
    let mut j = empty_judgement(item);
    match &item.content {
        Content::Vectors { isa, vectors } => {
            for (n, vector) in vectors.iter().enumerate() {
                asking(JudgingStep::Vector(&vector.name));
                match run_vector(*isa, vector) {
                    Ok(components) => {
                        j.vectors += 1;
                        j.compared.components += components;
                    }
                    Err(wrong) => {
                        let key = [&vector.name, &wrong.opcodes, &wrong.component]
                            .map(|part| part.replace(' ', "_"));
                        let contradiction = contradiction(*isa, vector, &wrong);
                        let problems = join_first(&wrong.problems);
                        let problem = match &contradiction {
                            Some(found) => {
                                format!(
                                    "vector {}: {}: {problems}; {}",
                                    vector.name,
                                    CONTRADICTED,
                                    sentence(found)
                                )
                            }
                            None => format!("vector {}: {problems}", vector.name),
                        };
                        j.record_problem(key.join("-"), problem);
                        if let Some(key) = j.problem_keys.last_mut() {
                            key.line = line_of_vector(item, n);
                            let (exhibit, detail) = explained(*isa, vector, &wrong, contradiction.as_ref());
                            (key.exhibit, key.detail) = (Some(exhibit), Some(detail));
                        }
                    }
                }
            }
        }
        Content::Program { .. } | Content::Case(_) => run_all(&mut j, item, seeds, asking),
    }
    tracing::debug!(lanes = j.lanes, components = j.compared.components, clean = j.is_clean(), "judged");
    j
}

/// Judges a program or a case. Every entry of a program of our own corpora must run, and produce something to compare in at least one environment.
fn run_all(
    j: &mut Judgement,
    item: &Item,
    seeds: std::ops::Range<u64>,
    asking: &mut dyn FnMut(JudgingStep<'_>),
) {
    let file = item.name.rsplit('/').next().unwrap_or_default().replace(' ', "_");
    if let Some(bytes) = item.content.program() {
        // If generating the cases crashes, this case reproduces the crash: it only decodes.
        asking(JudgingStep::Claim(Oracle::Bytes, &Case::bare(j.isa, bytes)));
    }
    let cases = caught(|| item.content.cases(seeds)).unwrap_or_else(|panic| {
        j.record_problem(format!("{file}-panic"), format!("no environment can be made for it: {panic}"));
        item.content.program().map(|bytes| Case::bare(j.isa, bytes)).into_iter().collect()
    });
    if let Content::Case(case) = &item.content {
        // If this panics, the following claims panic too and report it.
        j.cut = caught(|| case.cut()).unwrap_or_default();
    }
    for (n, cases) in cases.chunk_by(|a, b| a.entry == b.entry).enumerate() {
        let Some(first) = cases.first() else { continue };
        let (before, compared) = (j.refused.take(), j.compared.components);
        if n == 0 {
            structure(j, first, asking);
        }
        if item.strictness != Strictness::Drawn {
            // If this panics, the following claim about validity panics too and reports it.
            let found = caught(|| broken_rules(item, first)).unwrap_or_default();
            j.violations.extend(found);
        }
        let valid = check_claim(j, Oracle::Validity, first, asking);
        j.valid = valid && (n == 0 || j.valid);
        for case in cases {
            execution(j, case, asking);
        }
        if item.strictness != Strictness::Drawn || sum(&first.bytes).is_multiple_of(DRAWN_SHARE) {
            registers(j, first, asking);
        }
        let at = match &first.entry {
            EntryRef::Own(number) if *number > 0 => format!("entry {number}: "),
            _ => String::new(),
        };
        let nothing = j.compared.components == compared && j.failed.is_empty();
        if nothing && first.missing_part("").is_some() {
            let text = std::fs::read_to_string(&item.path).unwrap_or_default();
            j.refuse(format!("{at}{}", first.missing_part(&text).unwrap_or_default()));
        } else if nothing {
            let fuel = with_isa!(first.isa, I => first.resolve::<I>().map_or(first.env.fuel, |r| r.env.fuel));
            j.refuse(format!(
                "nothing was compared: it has no outputs, or no lane finished with fuel for {fuel} backward transfers and calls \
                 (`lockstep case new --fuel N` makes a case with more)"
            ));
        }
        if let Some(reason) = &j.refused
            && matches!(item.strictness, Strictness::Own | Strictness::Drawn)
        {
            let what = if j.kind == Kind::Case { "case" } else { "program" };
            let problem = format!("a {what} of the project's own corpora cannot be run: {at}{reason}");
            j.record_problem(file.clone(), problem);
        }
        j.refused = before.or_else(|| j.refused.take().map(|reason| at + &reason));
    }
    let left = caught(|| item.content.left_out()).unwrap_or(0);
    if left > 0 {
        j.refuse(format!(
            "{left} further entries were not run: the program is long and has very many entries"
        ));
    }
    if item.strictness == Strictness::Given && !j.decoded && j.failed.is_empty() {
        let reason = j.refused.clone().unwrap_or_else(|| "it does not decode".to_owned());
        j.record_problem(format!("{file}-unreadable"), format!("not a program of {}: {reason}", j.isa));
        if let Some(key) = j.problem_keys.last_mut() {
            key.bytes = undecoded(item);
        }
    }
}

/// Returns the rules that a program breaks at an entry, with lines if the item is a text file, or with byte positions if the item is the program
/// itself.
fn broken_rules(item: &Item, case: &Case) -> Vec<Violation> {
    let mut found = violations(case, &Levels::default()).unwrap_or_default();
    if let Content::Program { bytes, .. } = &item.content
        && !found.is_empty()
        && let Ok(file) = std::fs::read(&item.path)
    {
        if file == *bytes {
            add_byte_positions(&mut found, case.isa, bytes);
        } else if let Ok(text) = std::str::from_utf8(&file) {
            add_positions(&mut found, case.isa, text);
        }
    }
    found
}

/// Returns the offset at which decoding a binary file fails, and the number of bytes to show (0 or 1). `None` if the item was not read from a binary
/// file, or decodes.
fn undecoded(item: &Item) -> Option<(u64, u64)> {
    let Content::Program { isa, bytes } = &item.content else { return None };
    let file = std::fs::read(&item.path).ok().filter(|file| file == bytes)?;
    let error = with_isa!(*isa, I => I::decode(&file).err())?;
    Some((error.offset, u64::from(error.offset < file.len() as u64)))
}

/// Returns the line at which the `n`-th vector of an item's file begins.
fn line_of_vector(item: &Item, n: usize) -> Option<u32> {
    let text = std::fs::read_to_string(&item.path).ok()?;
    line_of(&text, n).and_then(|line| u32::try_from(line).ok())
}

/// Checks a claim, records a failure, and returns whether the claim holds.
fn check_claim(
    j: &mut Judgement,
    oracle: Oracle,
    case: &Case,
    asking: &mut dyn FnMut(JudgingStep<'_>),
) -> bool {
    asking(JudgingStep::Claim(oracle, case));
    match ask(oracle, case) {
        Verdict::Holds(_) => true,
        // The claims about execution also refuse an illegal program.
        Verdict::Skipped(skip) => {
            j.refuse(skip.to_string());
            false
        }
        Verdict::Fails(_) => {
            j.record_failure(oracle, case);
            false
        }
    }
}

/// Checks the claims that depend only on the bytes.
fn structure(j: &mut Judgement, case: &Case, asking: &mut dyn FnMut(JudgingStep<'_>)) {
    j.bytes = check_claim(j, Oracle::Bytes, case, asking);
    j.text = check_claim(j, Oracle::Text, case, asking);
    j.decoded = caught(|| with_isa!(case.isa, I => I::decode(&case.bytes).is_ok())).unwrap_or(false);
}

/// Checks the claims that depend on running the case.
fn execution(j: &mut Judgement, case: &Case, asking: &mut dyn FnMut(JudgingStep<'_>)) {
    asking(JudgingStep::Claim(Oracle::Execution, case));
    match ask(Oracle::Execution, case) {
        Verdict::Holds(statistics) => {
            j.compared += statistics;
            j.lanes += case.env.lanes.len().min(MAX_LANES) as u64;
            j.runs += 1;
        }
        // Other environments may compare more.
        Verdict::Skipped(Skip::NoLaneFinished | Skip::NothingCompared) => j.idle += 1,
        Verdict::Skipped(skip) => j.refuse(skip.to_string()),
        Verdict::Fails(_) => j.record_failure(Oracle::Execution, case),
    }
    asking(JudgingStep::Claim(Oracle::Rewriting, case));
    match ask(Oracle::Rewriting, case) {
        Verdict::Holds(statistics) => j.rewritten += statistics.components,
        Verdict::Skipped(_) => {}
        Verdict::Fails(_) => j.record_failure(Oracle::Rewriting, case),
    }
}

/// One in this many programs of covering arrays is also run with initial registers.
const DRAWN_SHARE: u64 = 4;

fn sum(bytes: &[u8]) -> u64 {
    bytes.iter().map(|byte| u64::from(*byte)).sum()
}

/// Checks the claim about execution on a variant of a case with random initial registers, which also compares control registers.
fn registers(j: &mut Judgement, case: &Case, asking: &mut dyn FnMut(JudgingStep<'_>)) {
    let seed = &mut Entropy::seeded(sum(&case.bytes));
    // If this panics, claims about the case itself panic too and report it.
    let varied = caught(|| with_isa!(case.isa, I => with_registers::<I>(seed, case)));
    let Ok(Some(varied)) = varied else { return };
    asking(JudgingStep::Claim(Oracle::Execution, &varied));
    match ask(Oracle::Execution, &varied) {
        Verdict::Holds(statistics) => j.registers += statistics.components,
        // The case itself is skipped for the same reason.
        Verdict::Skipped(_) => {}
        Verdict::Fails(_) => j.record_failure(Oracle::Execution, &varied),
    }
}

/// Joins the first few of a list of sentences.
fn join_first(all: &[String]) -> String {
    const MAX_SHOWN: usize = 4;
    let text = all.iter().take(MAX_SHOWN).cloned().collect::<Vec<_>>().join("; ");
    match all.len().saturating_sub(MAX_SHOWN) {
        0 => text,
        more => format!("{text}; and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_core::isa::{Format, Syntax};

    #[test]
    fn the_first_messages_are_shown_and_the_others_counted() {
        let all: Vec<String> = (0..7).map(|n| n.to_string()).collect();
        let told: Vec<String> = (0..=7).map(|count| join_first(&all[..count])).collect();
        let expected =
            ["", "0", "0; 1", "0; 1; 2", "0; 1; 2; 3", "0; 1; 2; 3; and 1 more", "0; 1; 2; 3; and 2 more"];
        assert_eq!(told[..7], expected);
        assert_eq!(told[7], "0; 1; 2; 3; and 3 more");
    }

    #[test]
    fn programs_are_also_run_with_initial_registers() {
        use lockstep_core::isa::d3d9::D3d9;
        let judged = |text: &str, strictness| {
            let bytes = D3d9::encode(&D3d9::assemble(text).expect("a program"));
            let content = Content::Program { isa: IsaId::D3d9, bytes };
            judge(&Item { name: "x".to_owned(), path: "x".into(), content, strictness }, 0..1)
        };
        let text = |number: u32| format!("vs_2_0\ndcl_position v0\nmov oPos, v0\nadd r{number}, r2, r3\n");
        // Eight lanes. The first count is that of oPos; the second adds a0, p0 and aL.
        let found = judged(&text(0), Strictness::Own);
        assert_eq!((found.compared.components, found.registers), (8 * 4, 8 * (4 + 4 + 4 + 1)));
        let drawn = (0..4).filter(|number| judged(&text(*number), Strictness::Drawn).registers > 0).count();
        assert_eq!(drawn, 1);
    }

    #[test]
    fn a_program_is_valid_only_if_each_of_its_entries_is() {
        use lockstep_core::isa::pica200::Pica200;
        // Two vertex programs; `emit` is only for geometry programs.
        let part = |name: &str, extra: &str| {
            format!(
                ".shader\n.in position v0\n.out pos position o0\n.entry {name}\n.proc {name}\n{extra}mov pos, v0\nend\n.end\n"
            )
        };
        let judged = |first: &str, second: &str| {
            let text = part("one", first).replacen(".shader\n", "", 1) + &part("two", second);
            let program = Pica200::assemble(&text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
            let content = Content::Program { isa: IsaId::Pica200, bytes: Pica200::encode(&program) };
            let item =
                Item { name: "x".to_owned(), path: "x".into(), content, strictness: Strictness::Foreign };
            judge(&item, 0..1)
        };
        let whole = judged("", "");
        assert!(whole.valid && whole.is_clean() && whole.refused.is_none(), "{whole:?}");
        for (first, second, at) in [("emit\n", "", ""), ("", "emit\n", "entry 1: "), ("emit\n", "emit\n", "")]
        {
            let found = judged(first, second);
            let refused = found.refused.as_deref().unwrap_or("");
            assert!(!found.valid && found.is_clean(), "{found:?}");
            assert_eq!(refused.starts_with("entry 1: "), !at.is_empty(), "{refused}");
        }
    }

    #[test]
    fn own_items_must_not_be_refused_and_foreign_ones_are_only_reported() {
        use lockstep_core::isa::agal::Agal;
        // Writes to a constant, which is an error.
        let bytes = Agal::encode(
            &Agal::assemble("version 1 vertex\nmov vc0, va0\nmov op, va0\n").expect("a program"),
        );
        let case = Case::bare(IsaId::Agal, &bytes);
        for content in [Content::Program { isa: IsaId::Agal, bytes }, Content::Case(Box::new(case))] {
            for strictness in [Strictness::Own, Strictness::Given, Strictness::Foreign] {
                let item =
                    Item { name: "x y".to_owned(), path: "x".into(), content: content.clone(), strictness };
                let found = judge(&item, 0..1);
                assert!(found.refused.is_some() && found.decoded, "{found:?}");
                assert_eq!(found.is_clean(), strictness != Strictness::Own, "{found:?}");
                assert_eq!(found.problem_keys.len(), found.problems.len());
            }
        }
    }
}
