//! Obligations about the words of the fallback: one for each reachable word and each choice of an option that the word reads, and more that cover any
//! two choices of options that words read together, each pair for the first word of an opcode only. The initial state has the same kinds of
//! obligations.

use super::fallback::Fallback;
use super::lowering::setting_name;
use super::pairs::PairsToCover;
use super::programs::single_changes;
use super::registers::Registers;
use super::{
    Kind, MutantStatus, NamedProgram, Obligation, ObligationSpan, Task, entries, expected, mutant_status,
    refused,
};
use crate::claims::ClaimBuilder;
use crate::mutate::{Mutation, drops_in, initial_mutant};
use crate::term::{Set, Terms};
use lockstep_core::ir;
use lockstep_core::isa::lowering;
use lockstep_core::isa::lowering::Nodes;
use lockstep_core::isa::{Context, Entry, Isa, Legality, Level, Lowering, Options, Refinement, Syntax};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The maximum number of mutants of the initial state that are tried under default options.
const INITIAL_MUTANTS: usize = 12;

pub(super) fn tasks<I: Isa>(programs: &[NamedProgram]) -> Vec<Task> {
    programs
        .iter()
        .map(|(name, bytes)| {
            let name = format!("{} {} {name}", I::ID, Kind::Fallback.name());
            let bytes = Arc::new(bytes.clone());
            let (again, its_bytes) = (name.clone(), Arc::clone(&bytes));
            Task::new(name.clone(), move |boundaries| obligations::<I>(&name, &bytes, boundaries)).expecting(
                Kind::Fallback,
                move |all| {
                    I::decode(&its_bytes)
                        .map(|program| expected::missing_obligations::<I>(&again, &program, true, all))
                        .unwrap_or_default()
                },
            )
        })
        .collect()
}

fn obligations<I: Isa>(name: &str, bytes: &[u8], boundaries: &[u32]) -> Vec<Obligation> {
    let program = match I::decode(bytes) {
        Ok(program) => program,
        Err(error) => return vec![refused(Kind::Fallback, name.to_owned(), &error)],
    };
    let mut all = Vec::new();
    for (entry, number) in entries::<I>(&program) {
        prove_entry::<I>(&format!("{name}{number}"), &program, &entry, boundaries, &mut all);
    }
    all
}

/// A program lowered by the fallback and by nodes, with the options that the lowering of each word read.
struct Lowered<C> {
    fallback: ir::Program,
    nodes: (ir::Program, Nodes<C>),
    reads: BTreeMap<u32, u64>,
    /// The options read up to the end of the first word, as a bit mask.
    first: u64,
}

impl<C> Lowered<C> {
    fn read_by_word(&self, word: u32) -> u64 {
        self.reads.get(&word).copied().unwrap_or(0)
    }
}

fn lower<I: Legality + Lowering>(cx: &Context<'_, I>) -> Result<Lowered<I::ControlState>, String> {
    if let Some(violation) = I::validate(cx).into_iter().find(|v| v.level == Level::Error) {
        return Err(violation.to_string());
    }
    let nodes = lowering::lower_with_nodes(cx).map_err(|error| error.to_string())?;
    let (mut reads, mut first) = (BTreeMap::new(), None);
    cx.options.take_read();
    let fallback = lowering::lower_by_words(cx, |word| {
        let read = cx.options.take_read();
        first.get_or_insert(read);
        reads.insert(word, read);
    });
    let fallback = fallback.map_err(|error| error.to_string())?;
    Ok(Lowered { fallback, nodes, reads, first: first.unwrap_or(0) })
}

/// The point in a program that an obligation is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum ProgramPoint {
    /// The state before the first word.
    Initial,
    /// A word, by its number.
    Word(u32),
}

impl ProgramPoint {
    /// Returns the obligation's name, given the program's name under some setting.
    fn obligation_name(self, setting: &str) -> String {
        format!("{setting}: {self}")
    }
}

impl std::fmt::Display for ProgramPoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ProgramPoint::Initial => f.write_str("beginning"),
            ProgramPoint::Word(word) => write!(f, "word {word}"),
        }
    }
}

/// One entry of a program, whose words are proved under non-default options.
struct EntryProof<'a, 'e, I: Lowering> {
    name: &'a str,
    program: &'a I::Program,
    entry: &'a Entry,
    d: Terms,
    registers: Registers<'e>,
    /// The options read under the defaults.
    reads: BTreeMap<ProgramPoint, u64>,
    /// Sets of control states that lanes can be in; the set under the defaults comes first.
    invariants: Vec<Set<I::ControlState>>,
    boundaries: &'a [u32],
    all: &'a mut Vec<Obligation>,
}

fn prove_entry<I: Isa>(
    name: &str,
    program: &I::Program,
    entry: &Entry,
    boundaries: &[u32],
    all: &mut Vec<Obligation>,
) {
    let options = Options::new(I::option_specs());
    let cx: Context<'_, I> = Context { program, entry, options: &options };
    let lowered = match lower(&cx) {
        Ok(lowered) => lowered,
        Err(reason) => return all.push(refused(Kind::Fallback, name.to_owned(), &reason)),
    };
    let (d, mut registers) = (Terms::default(), Registers::new(entry));
    let Some(mut simulation) = Fallback::new(&d, cx, &lowered.fallback, &lowered.nodes, &mut registers)
    else {
        return all.push(refused(Kind::Fallback, name.to_owned(), &"no block dispatches"));
    };
    options.take_read();
    let first_name = ProgramPoint::Initial.obligation_name(name);
    let initial =
        prove_initial_state(&mut simulation, &d, &lowered.fallback, first_name, INITIAL_MUTANTS, boundaries);
    all.push(initial);
    let mut reads = BTreeMap::from([(ProgramPoint::Initial, lowered.first | options.take_read())]);
    for word in simulation.words() {
        let name = ProgramPoint::Word(word).obligation_name(name);
        let span = ObligationSpan::begin(Kind::Fallback, &name);
        let mut obligation = prove_word(&mut simulation, &d, &lowered.fallback, word, name);
        reads.insert(ProgramPoint::Word(word), lowered.read_by_word(word) | options.take_read());
        obligation.mutants = mutants(&mut simulation, &d, &lowered.fallback, word, boundaries);
        options.take_read();
        all.push(span.end(obligation));
    }
    let every = lowered.reads.values().chain(reads.values()).fold(0, |all, one| all | one);
    let invariants = vec![simulation.into_invariant()];
    let mut settings =
        EntryProof::<I> { name, program, entry, d, registers, reads, invariants, boundaries, all };
    let pairs = settings.prove_single_changes(every);
    settings.prove_pairs(pairs.keep_first_per_opcode::<I>(program));
}

impl<I: Isa> EntryProof<'_, '_, I> {
    /// Returns the options that `point` reads under the defaults.
    fn reads(&self, point: ProgramPoint) -> u64 {
        self.reads.get(&point).copied().unwrap_or(0)
    }

    /// Proves each choice of each option in `option_set` by itself, at every point that reads the option. Returns the pairs of choices to be
    /// covered.
    fn prove_single_changes(&mut self, option_set: u64) -> PairsToCover {
        let mut pairs = PairsToCover::default();
        for other in single_changes::<I>(option_set) {
            let changed = changed(&other);
            let option = changed.trailing_zeros() as usize;
            let choice = (option, other.peek(option));
            for (point, read) in self.prove_under(&other, &|_| false) {
                if self.reads(point) & changed != 0 {
                    pairs.record_read::<I>(point, choice, read);
                }
            }
        }
        pairs
    }

    /// Proves pairs of choices at every point that reads both options. First, a few settings each contain many pairs. Then each pair gets a setting
    /// of its own if another choice in its first setting prevented one of the two options from being read.
    fn prove_pairs(&mut self, mut pairs: PairsToCover) {
        let array = pairs.covering_array::<I>();
        for other in &array {
            for (point, read) in self.prove_under(other, &|point| pairs.is_open(point, other)) {
                pairs.remove_covered(point, other, read);
            }
        }
        for other in pairs.one_setting_per_pair::<I>().iter().filter(|other| !array.contains(other)) {
            self.prove_under(other, &|point| pairs.is_open(point, other));
        }
    }

    /// Under the options `other`, proves the points that differ from all points already proved, and those for which `wanted` returns true. Returns
    /// the proved points, each with the options that it reads. If `other` changes only one option, all points that read this option are proved.
    fn prove_under(
        &mut self,
        other: &Options,
        wanted: &dyn Fn(ProgramPoint) -> bool,
    ) -> Vec<(ProgramPoint, u64)> {
        let cx: Context<'_, I> = Context { program: self.program, entry: self.entry, options: other };
        let setting = format!("{}{}", self.name, setting_name(other));
        let lowered = match lower(&cx) {
            Ok(lowered) => lowered,
            Err(reason) => {
                self.all.push(refused(Kind::Fallback, setting, &reason));
                return Vec::new();
            }
        };
        let d = &self.d;
        let Some(mut simulation) =
            Fallback::new(d, cx, &lowered.fallback, &lowered.nodes, &mut self.registers)
        else {
            self.all.push(refused(Kind::Fallback, setting, &"no block dispatches"));
            return Vec::new();
        };
        let (changed, single) = (changed(other), other.changed().count() == 1);
        let reads = |point: ProgramPoint| self.reads.get(&point).is_some_and(|read| read & changed != 0);
        // A word that reads none of the changed options is the same word, unless lanes can reach it in other control states.
        let alike = self.invariants.first() == Some(simulation.invariant());
        let known = self.invariants.contains(simulation.invariant());
        let differs = |point: ProgramPoint| {
            if alike { single && reads(point) } else { single || !known || reads(point) }
        };
        let mut proved = Vec::new();
        other.take_read();
        if wanted(ProgramPoint::Initial) || single && reads(ProgramPoint::Initial) {
            let name = ProgramPoint::Initial.obligation_name(&setting);
            let initial =
                prove_initial_state(&mut simulation, d, &lowered.fallback, name, 1, self.boundaries);
            self.all.push(initial);
            proved.push((ProgramPoint::Initial, lowered.first | other.take_read()));
        }
        for word in simulation.words() {
            let point = ProgramPoint::Word(word);
            if differs(point) || wanted(point) {
                let name = point.obligation_name(&setting);
                other.take_read();
                let obligation =
                    prove_word_with_drop(&mut simulation, d, &lowered.fallback, word, name, self.boundaries);
                self.all.push(obligation);
                proved.push((point, lowered.read_by_word(word) | other.take_read()));
            }
        }
        let invariant = simulation.into_invariant();
        if !known {
            self.invariants.push(invariant);
        }
        proved
    }
}

/// Returns the set of options that are not at their defaults, as bits.
fn changed(options: &Options) -> u64 {
    let choices = options.choices().iter().enumerate();
    choices.filter(|(_, choice)| **choice != 0).fold(0, |all, (option, _)| all | 1 << option)
}

fn prove_initial_state<I: Syntax + Refinement>(
    simulation: &mut Fallback<'_, '_, '_, I>,
    d: &Terms,
    program: &ir::Program,
    name: String,
    mutants: usize,
    boundaries: &[u32],
) -> Obligation {
    let span = ObligationSpan::begin(Kind::Fallback, &name);
    let mut claims = ClaimBuilder::default();
    simulation.start(d, program, &mut claims);
    let mut obligation = Obligation::new(Kind::Fallback, name, claims.claims(d));
    // The number of the first word, which always exists, and others evenly spaced.
    let first = simulation.counter();
    let apart = program.vars.len().div_ceil(mutants.max(1)).max(1);
    let others = (0..program.vars.len()).step_by(apart).skip(1).filter(|n| *n != first);
    for mutation in std::iter::once(first).chain(others).filter_map(|n| initial_mutant(program, n)) {
        let mut claims = ClaimBuilder::default();
        simulation.start(d, &mutation.apply(program), &mut claims);
        obligation.mutants.push((mutation.name, mutant_status(claims.claims(d), false, boundaries)));
    }
    span.end(obligation)
}

fn prove_word<I: Syntax + Refinement>(
    simulation: &mut Fallback<'_, '_, '_, I>,
    d: &Terms,
    program: &ir::Program,
    word: u32,
    name: String,
) -> Obligation {
    let mut claims = ClaimBuilder::default();
    simulation.claim_word(d, program, word, &mut claims);
    Obligation::new(Kind::Fallback, name, claims.claims(d))
}

/// Returns the status of mutants of a word, up to the first that is refuted: one of its writes or effects dropped (which one depends on the number of
/// the word), the last one dropped, another word run in its place. Mutants that evaluation does not decide are left to the solver only if none is
/// refuted.
fn mutants<I: Syntax + Refinement>(
    simulation: &mut Fallback<'_, '_, '_, I>,
    d: &Terms,
    program: &ir::Program,
    word: u32,
    boundaries: &[u32],
) -> Vec<(String, MutantStatus)> {
    let Some(block) = simulation.block_of(program, word) else { return Vec::new() };
    let drops: Vec<Mutation> = drops_in(program, block).collect();
    let some = (word as usize * 7).checked_rem(drops.len()).and_then(|k| drops.get(k));
    // A mutant is a whole program, so each is built only when needed.
    let all = some.into_iter().chain(drops.last()).map(Some).chain([None]);
    let mut tried: Vec<(String, MutantStatus)> = Vec::new();
    for mutation in all {
        let (name, mutant) = match mutation {
            Some(mutation) if tried.iter().any(|(other, _)| *other == mutation.name) => continue,
            Some(mutation) => (mutation.name.clone(), mutation.apply(program)),
            None => simulation.with_wrong_word(program, word),
        };
        let mut claims = ClaimBuilder::default();
        simulation.claim_mutant(d, &mutant, word, &mut claims);
        let mutant_status = mutant_status(claims.claims(d), false, boundaries);
        let mutant_status = mutation
            .into_iter()
            .fold(mutant_status, |mutant_status, mutation| mutant_status.of(mutation, program));
        let refuted = matches!(mutant_status, MutantStatus::Refuted);
        tried.push((name, mutant_status));
        if refuted {
            tried.retain(|(_, mutant_status)| !matches!(mutant_status, MutantStatus::OpenGoal(_)));
            break;
        }
    }
    tried
}

/// Proves a word under non-default options. The witness is a dropped write whose loss is detected; if none is found, mutants of the word are tried.
fn prove_word_with_drop<I: Syntax + Refinement>(
    simulation: &mut Fallback<'_, '_, '_, I>,
    d: &Terms,
    program: &ir::Program,
    word: u32,
    name: String,
    boundaries: &[u32],
) -> Obligation {
    let span = ObligationSpan::begin(Kind::Fallback, &name);
    let mut claims = ClaimBuilder::default();
    let missed = simulation.claim_word_and_find_drop(d, program, word, &mut claims);
    let mut obligation = Obligation::new(Kind::Fallback, name, claims.claims(d));
    obligation.mutants = match missed {
        Some(mutant) => vec![(mutant, MutantStatus::Refuted)],
        None => mutants(simulation, d, program, word, boundaries),
    };
    span.end(obligation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_core::isa::Format;
    use lockstep_core::isa::pica200::Pica200;

    /// One option decides whether lanes run on after a `break` outside a loop, another whether an empty call waits for its return. Together they lead
    /// to a set of control states to which neither leads alone. Word 6 reads neither option.
    #[test]
    fn words_are_proved_again_in_control_states_that_only_several_options_lead_to() {
        let text = ".raw vertex, outputs=0x1, entry=0x0\njmpc cmp.x, 3\nfor i0, 5\njmpc cmp.y, 4\nbreak\nnop\ncall 7, 0\nmov o0, v0\nend";
        let program = Pica200::encode(&Pica200::assemble(text).unwrap());
        let all = obligations::<Pica200>("test", &program, &crate::number::boundaries());
        let names: Vec<&str> = all.iter().map(|obligation| obligation.name.as_str()).collect();
        let both =
            |name: &&&str| ["empty_call=", "stray_break=", ": word 6"].iter().all(|part| name.contains(part));
        assert!(names.iter().any(|name| both(&name)), "{names:#?}");
    }
}
