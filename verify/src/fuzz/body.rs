//! The bodies of the fuzz targets, which judge one input.

use super::input::{Input, is_left_out, isas, read};
use super::{Answer, NotCompared, Target, Violated, mutator_cache};
use crate::case::{Case, Resolved};
use crate::corpus::Suspect;
use crate::engine::{Statistics, Validated};
use crate::generate::{Entropy, Generate, Mutant, Runs, any_case, vary, with_registers};
use crate::oracle::{Comparison, Engines, Failure, Oracle, Skip, Verdict, ask_isa};
use lockstep_core::host::Environment;
use lockstep_core::isa::{Context, Isa};
use lockstep_core::text::Diagnostic;
use lockstep_core::with_isa;

/// The number of environments in which a program is run: that of its case, and others that differ in inputs, words of buffers and a few constants.
/// Decoding, validation, lowering and planning are done once for all of them.
pub const ENVIRONMENTS: u32 = 4;

/// One in this many generated cases has initial registers.
const WITH_REGISTERS: u64 = 8;

/// Judges one input. The answer depends only on the input (and `LOCKSTEP_ISA`).
pub fn judge(target: Target, data: &[u8]) -> Answer {
    judge_in(target, data, ENVIRONMENTS)
}

/// Like [`judge`], with another number of environments. The case's own environment is always used; targets that run nothing ignore the number.
pub fn judge_in(target: Target, data: &[u8], environments: u32) -> Answer {
    match target {
        Target::Cases => return cases(data),
        Target::Generated => return generated(data, environments),
        Target::Execution => {
            if let Some(isa) = mutator_cache::isa_of(data).filter(|isa| !is_left_out(*isa))
                && let Some(answer) = with_isa!(isa, I => judge_stored_mutant::<I>(data, environments))
            {
                return answer;
            }
        }
        Target::Bytes | Target::Text | Target::Rewriting => {}
    }
    match read(data) {
        Input::Unreadable => Answer::NotCompared(NotCompared::Unreadable),
        Input::OtherIsa => Answer::NotCompared(NotCompared::OtherIsa),
        Input::Raw(isa, bytes) => with_isa!(isa, I => judge_raw::<I>(target, bytes)),
        Input::Case(case) => with_isa!(case.isa, I => judge_case_in::<I>(target, *case, data, environments)),
    }
}

/// Judges raw bytes or a text of the instruction set `I`. For targets that need a case, nothing is compared.
pub fn judge_raw<I: Isa>(target: Target, bytes: &[u8]) -> Answer {
    match target {
        Target::Text => text_of::<I>(bytes),
        Target::Bytes => asked::<I>(Oracle::Bytes, Case::bare(I::ID, bytes)),
        _ => Answer::NotCompared(NotCompared::Unreadable),
    }
}

/// Judges a case of the instruction set `I`. `data` is the fuzzer's input from which the case was read.
pub fn judge_case<I: Generate>(target: Target, case: Case, data: &[u8]) -> Answer {
    judge_case_in::<I>(target, case, data, ENVIRONMENTS)
}

/// Like [`judge_case`], with another number of environments.
fn judge_case_in<I: Generate>(target: Target, case: Case, data: &[u8], environments: u32) -> Answer {
    match target {
        Target::Execution | Target::Generated => execution::<I>(case, data, environments),
        Target::Bytes => asked::<I>(Oracle::Bytes, case),
        Target::Rewriting => asked::<I>(Oracle::Rewriting, case),
        Target::Text | Target::Cases => asked::<I>(Oracle::Text, case),
    }
}

/// Generates a case from the bytes, the first of which selects the instruction set, and runs it.
fn generated(data: &[u8], environments: u32) -> Answer {
    let taken = isas();
    let Some((first, choices)) = data.split_first() else {
        return Answer::NotCompared(NotCompared::Unreadable);
    };
    let Some(isa) = taken.get(usize::from(*first) % taken.len().max(1)) else {
        return Answer::NotCompared(NotCompared::OtherIsa);
    };
    with_isa!(*isa, I => {
        judge_case_in::<I>(Target::Generated, generated_case::<I>(choices), data, environments)
    })
}

/// Generates a case from bytes. One in [`WITH_REGISTERS`] also has initial registers; these are drawn separately, so that the bytes give the same
/// program and inputs as without them.
fn generated_case<I: Generate>(choices: &[u8]) -> Case {
    let case = any_case(I::ID, &mut Entropy::from_bytes(choices));
    let sum: u64 = choices.iter().map(|byte| u64::from(*byte)).sum();
    let has_registers = sum.is_multiple_of(WITH_REGISTERS);
    let drawn = has_registers.then(|| with_registers::<I>(&mut Entropy::seeded(sum), &case));
    drawn.flatten().unwrap_or(case)
}

fn asked<I: Isa>(oracle: Oracle, case: Case) -> Answer {
    let verdict = ask_isa::<I>(oracle, &case);
    judged(oracle, case, verdict)
}

fn judged(oracle: Oracle, case: Case, verdict: Verdict) -> Answer {
    match verdict {
        Verdict::Holds(statistics) => Answer::Compared(statistics),
        Verdict::Skipped(skip) => Answer::NotCompared(NotCompared::Skip(skip)),
        Verdict::Fails(failure) => {
            Answer::Fails(Box::new(Violated { suspect: Some(Suspect { oracle, case }), failure }))
        }
    }
}

fn failed(between: &str, message: String) -> Answer {
    let failure = Failure { between: between.to_owned(), message, difference: None, word: None, line: None };
    Answer::Fails(Box::new(Violated { suspect: None, failure }))
}

/// Judges the mutant that the mutator stored, without parsing its bytes; `None` if no resolved mutant with these bytes is stored.
fn judge_stored_mutant<I: Generate>(data: &[u8], environments: u32) -> Option<Answer> {
    let Mutant { case, program, runs } = mutator_cache::take_mutant::<I>(data)?;
    let Runs { entry, options, is_legal } = runs?;
    let resolved = Resolved::<I>::new(program?, entry, options, case.env.clone());
    Some(run(case, resolved, is_legal, data, environments))
}

fn execution<I: Generate>(case: Case, data: &[u8], environments: u32) -> Answer {
    match case.resolve::<I>() {
        Ok(resolved) => run(case, resolved, false, data, environments),
        Err(error) => Answer::NotCompared(NotCompared::Skip(Skip::Unresolved(error))),
    }
}

/// Runs a case in its own environment and in others. One input in sixteen is run on every tier with both kinds of lowering, all others on the best
/// tier with the default lowering.
fn run<I: Generate>(
    case: Case,
    resolved: Resolved<I>,
    is_legal: bool,
    data: &[u8],
    environments: u32,
) -> Answer {
    let sum = checksum(data);
    let engines = if sum.is_multiple_of(16) { Engines::all() } else { Engines::fast() };
    let Resolved { program, entry, options, env, .. } = resolved;
    let cx = Context::<I> { program: &program, entry: &entry, options: &options };
    match Comparison::new(cx, &engines, is_legal) {
        Ok(mut comparison) => {
            in_environments(case, &cx, env, environments, sum, |env| comparison.compare(env))
        }
        Err(verdict) => judged(Oracle::Execution, case, verdict),
    }
}

/// Compares a case in its own environment and, if the claim holds there, in others, which depend on the seed. If another environment fails, the
/// reported case contains that environment.
fn in_environments<I: Generate>(
    mut case: Case,
    cx: &Context<'_, I>,
    mut env: Environment,
    environments: u32,
    seed: u32,
    mut compare: impl FnMut(&Environment) -> Verdict,
) -> Answer {
    let mut verdict = compare(&env);
    let Verdict::Holds(statistics) = &mut verdict else { return judged(Oracle::Execution, case, verdict) };
    let mut e = Entropy::seeded(seed.into());
    let needs = I::needs(cx);
    for _ in 1..environments {
        vary(&mut e, &cx.entry.interface, &needs, &mut env);
        I::preset(cx.program, cx.entry, &mut env);
        match compare(&env) {
            // The counts of omitted lowerings and of validated code are the same in every environment, so they are added once.
            Verdict::Holds(more) => {
                let validated = Validated::default();
                *statistics += Statistics { no_fallback: 0, too_many: 0, validated, ..more };
            }
            Verdict::Skipped(_) => {}
            failure @ Verdict::Fails(_) => {
                case.env = env;
                return judged(Oracle::Execution, case, failure);
            }
        }
    }
    judged(Oracle::Execution, case, verdict)
}

/// Returns the 32-bit FNV-1a hash of the data.
pub(super) fn checksum(data: &[u8]) -> u32 {
    data.iter().fold(0x811c_9dc5, |h, byte| (h ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

fn text_of<I: Isa>(text: &[u8]) -> Answer {
    let Ok(text) = std::str::from_utf8(text) else { return Answer::NotCompared(NotCompared::Unreadable) };
    let between = "assemble / encode / decode";
    match I::assemble(text) {
        Ok(program) => {
            let bytes = I::encode(&program);
            match I::decode(&bytes) {
                Ok(again) if again == program => asked::<I>(Oracle::Text, Case::bare(I::ID, &bytes)),
                Ok(_) => failed(between, "the program read back differs".to_owned()),
                Err(error) => failed(between, format!("the assembled program does not decode: {error}")),
            }
        }
        Err(diagnostics) => match position_error(text, &diagnostics) {
            None => Answer::NotCompared(NotCompared::Unreadable),
            Some(message) => failed("assemble", message),
        },
    }
}

/// Returns the first error in the positions of diagnostics; a rejection without a diagnostic counts as an error. Lines are counted from 1 and end
/// with a line feed, columns are characters from 1, and offset and length are bytes.
pub fn position_error(text: &str, diagnostics: &[Diagnostic]) -> Option<String> {
    if diagnostics.is_empty() {
        return Some("text is refused without a reason".to_owned());
    }
    let outside = diagnostics.iter().find(|d| {
        let (start, end) = (d.span.offset as usize, d.span.offset as usize + d.span.len as usize);
        if !text.is_char_boundary(start) || !text.is_char_boundary(end) {
            return true;
        }
        let before = &text[..start];
        let line = before.rfind('\n').map_or(0, |at| at + 1);
        d.span.line as usize != 1 + before.matches('\n').count()
            || d.span.column as usize != 1 + before[line..].chars().count()
    });
    outside.map(|d| format!("the position of a diagnostic is wrong: {:?}, {}", d.span, d.message))
}

fn cases(data: &[u8]) -> Answer {
    let compared = Answer::Compared(Statistics { components: data.len() as u64, ..Statistics::default() });
    if let Some(case) = Case::from_bytes(data) {
        if is_left_out(case.isa) {
            return Answer::NotCompared(NotCompared::OtherIsa);
        }
        // Cases are compared as bytes, since they may contain a NaN.
        let written = case.to_bytes();
        return match Case::from_bytes(&written) {
            Some(again) if again.to_bytes() == written => {
                text_form(&case).map_or(compared, |m| failed("case / text", m))
            }
            Some(_) => failed("case / bytes", "the case read back differs".to_owned()),
            None => failed("case / bytes", "the bytes of a case do not read as a case".to_owned()),
        };
    }
    let Ok(text) = std::str::from_utf8(data) else { return Answer::NotCompared(NotCompared::Unreadable) };
    match Case::from_text(text) {
        Ok(case) if is_left_out(case.isa) => Answer::NotCompared(NotCompared::OtherIsa),
        Ok(case) => text_form(&case).map_or(compared, |m| failed("case / text", m)),
        Err(_) => Answer::NotCompared(NotCompared::Unreadable),
    }
}

/// Returns the first error in the text form of a case.
fn text_form(case: &Case) -> Option<String> {
    let text = case.to_text(None);
    match Case::from_text(&text) {
        // Text has a single spelling of NaN, as has the debug output, which contains every field.
        Ok(again) => (again.to_text(None) != text || format!("{again:?}") != format!("{case:?}"))
            .then(|| "the case read back from text differs".to_owned()),
        Err(error) => Some(format!("the text of a case does not read as a case: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{ProgramRequest, case};
    use lockstep_core::isa::agal::Agal;

    /// Judges a generated case in several environments with this comparison; also returns the environments, the case's own first.
    fn judged_by(mut compare: impl FnMut(usize) -> Verdict) -> (Answer, Vec<Environment>) {
        let case = case::<Agal>(&mut Entropy::seeded(5), &ProgramRequest::default());
        let resolved = case.resolve::<Agal>().expect("a generated case");
        let mut seen = Vec::new();
        let answer = in_environments(
            case.clone(),
            &resolved.context(),
            resolved.env.clone(),
            6,
            1,
            |env: &Environment| {
                seen.push(env.clone());
                compare(seen.len())
            },
        );
        assert_eq!(seen.first(), Some(&resolved.env));
        (answer, seen)
    }

    #[test]
    fn each_environment_is_compared_and_counted_and_they_differ() {
        let validated = Validated { compilations: 2, instructions: 9 };
        let one = Statistics { components: 3, nan: 2, uniform: 1, no_fallback: 1, too_many: 1, validated };
        let (answer, seen) = judged_by(|_| Verdict::Holds(one));
        let Answer::Compared(sum) = answer else { panic!("{answer:?}") };
        let expected =
            Statistics { components: 18, nan: 12, uniform: 6, no_fallback: 1, too_many: 1, validated };
        assert_eq!(sum, expected);
        assert_eq!(seen.len(), 6);
        for (n, env) in seen.iter().enumerate() {
            assert!(seen[..n].iter().all(|other| other.lanes != env.lanes), "environment {n}");
            let sizes = |env: &Environment| {
                let slots: Vec<usize> = env.lanes.iter().map(|lane| lane.slots.len()).collect();
                (slots, env.constants.len(), env.ints.len(), env.bools.len(), env.textures.len(), env.fuel)
            };
            assert_eq!(sizes(env), sizes(&seen[0]));
        }
    }

    #[test]
    fn a_failing_case_contains_the_environment_in_which_it_failed() {
        let fails_at = |place: usize| {
            move |n: usize| {
                let failure = Verdict::Fails(Failure::new("a / b", "planted"));
                if n == place { failure } else { Verdict::Holds(Statistics::default()) }
            }
        };
        for place in [1, 2, 6] {
            let (answer, seen) = judged_by(fails_at(place));
            let Answer::Fails(violated) = answer else { panic!("{answer:?}") };
            assert_eq!(seen.len(), place);
            assert_eq!(violated.suspect.map(|suspect| suspect.case.env).as_ref(), seen.last());
        }
        // If nothing can be compared in the case's own environment, no other is tried.
        let (answer, seen) = judged_by(|_| Verdict::Skipped(Skip::NothingCompared));
        assert!(matches!(answer, Answer::NotCompared(_)) && seen.len() == 1);
    }

    #[test]
    fn one_generated_case_in_eight_has_registers_and_the_others_are_unchanged() {
        use crate::case::EntryRef;
        use lockstep_core::isa::Format;
        use lockstep_core::isa::pica200::Pica200;
        let mut given = Vec::new();
        for last in 0..=63u8 {
            let choices = [7, 1, 4, 200, 31, 9, 90, 2, 60, last];
            let plain = any_case(Pica200::ID, &mut Entropy::from_bytes(&choices));
            let case = generated_case::<Pica200>(&choices);
            assert_eq!(case.bytes, plain.bytes);
            if matches!(case.entry, EntryRef::Given(_)) {
                given.push(last % 8);
            }
        }
        assert!(given.len() > 4 && given.iter().all(|last| *last == given[0]), "{given:?}");
    }
}
