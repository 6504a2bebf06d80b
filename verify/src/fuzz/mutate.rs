//! Mutates inputs: cases by their structure, texts as the case or program that they represent, anything else by the fuzzer's own mutator. Some inputs
//! are replaced by generated ones.

use super::input::{Input, isas, read};
use super::{Target, mutator_cache};
use crate::case::Case;
use crate::generate::{self, Entropy, Generate, Mutant};
use lockstep_core::isa::{Isa, IsaId, Syntax};
use lockstep_core::with_isa;

/// The number of retries if a mutant is unlikely to be compared. If all retries fail, an unsuitable mutant is kept.
const TRIES: u32 = 2;

/// Changes the input in `data[..size]` in place and returns its new size, at most `max_size`. The result depends only on input and seed.
///
/// `blind` is the fuzzer's own mutator (data, size, maximum size; returns the new size), which uses the dictionary and recorded comparisons.
pub fn mutate(
    target: Target,
    data: &mut [u8],
    size: usize,
    max_size: usize,
    seed: u32,
    blind: impl Fn(&mut [u8], usize, usize) -> usize,
) -> usize {
    let mut e = Entropy::seeded(u64::from(seed));
    let size = size.min(data.len());
    let max_size = max_size.min(data.len());
    if target == Target::Generated {
        return blind(data, size, max_size);
    }
    let input = &data[..size];
    let changed = match Case::from_bytes(input) {
        // In half of the mutations the encoding itself is mutated; otherwise no input would ever be rejected.
        Some(_) if target == Target::Cases && e.chance(50) => None,
        Some(case) => Some(with_isa!(case.isa, I => child::<I>(target, case, &mut e))),
        None if e.chance(odds_of_fresh(target)) => fresh(target, isa_of(input), &mut e),
        None if e.chance(50) => mutated_text(target, input, &mut e),
        None => None,
    };
    match changed {
        Some(bytes) if bytes.len() <= max_size => {
            data[..bytes.len()].copy_from_slice(&bytes);
            bytes.len()
        }
        // If the mutated case is too large, the input stays as it is: a truncated case does not decode.
        Some(_) if size <= max_size => size,
        _ => blind(data, size, max_size),
    }
}

/// Mutates a case and returns the bytes of the result, preferably one that suits the target. [`Target::Execution`] stores the decoded mutant for
/// [`super::judge`].
fn child<I: Generate>(target: Target, case: Case, e: &mut Entropy<'_>) -> Vec<u8> {
    let mut parent = Mutant::<I>::decoded(case);
    // Mutants of an unsuitable case are unsuitable, too. Such a case seldom remains a parent, so that it does not crowd out the others.
    if !suits(target, &mut parent) && e.chance(70) {
        parent = Mutant::decoded(generate::any_case(I::ID, e));
    }
    let mut child = generate::child(&mut parent, e);
    for _ in 0..TRIES {
        if suits(target, &mut child) {
            break;
        }
        child = generate::child(&mut parent, e);
    }
    let bytes = child.case.to_bytes();
    if target == Target::Execution {
        mutator_cache::store_mutant(&bytes, child);
    }
    bytes
}

/// Whether a case is likely to be compared, determined without running it.
fn suits<I: Isa>(target: Target, mutant: &mut Mutant<I>) -> bool {
    match target {
        Target::Cases | Target::Generated => true,
        Target::Bytes | Target::Text => mutant.program.is_some() || I::decode(&mutant.case.bytes).is_ok(),
        Target::Execution | Target::Rewriting => mutant.is_legal(),
    }
}

/// Mutates text as the case or program that it represents; `None` if it represents neither.
fn mutated_text(target: Target, input: &[u8], e: &mut Entropy<'_>) -> Option<Vec<u8>> {
    match target {
        Target::Cases => {
            let case = Case::from_text(std::str::from_utf8(input).ok()?).ok()?;
            Some(generate::mutate(&case, e).to_text(None).into_bytes())
        }
        Target::Text => {
            let Input::Raw(isa, text) = read(input) else { return None };
            with_isa!(isa, I => {
                let program = I::assemble(std::str::from_utf8(text).ok()?).ok()?;
                let case = generate::mutate(&Case::bare(isa, &I::encode(&program)), e);
                Some([&[isa.number()], self::text::<I>(&case.bytes)?.as_bytes()].concat())
            })
        }
        _ => None,
    }
}

/// Returns the percentage of inputs other than binary cases that are replaced by a generated one.
fn odds_of_fresh(target: Target) -> usize {
    match target {
        // The bytes are the generator's choices, so all bytes are valid.
        Target::Generated => 0,
        // These targets accept only binary cases.
        Target::Execution | Target::Rewriting => 100,
        // Random byte changes rarely preserve a binary program, but often a text.
        Target::Bytes => 50,
        Target::Text | Target::Cases => 25,
    }
}

/// Returns the instruction set that an input names, if any.
fn isa_of(input: &[u8]) -> Option<IsaId> {
    match read(input) {
        Input::Case(case) => Some(case.isa),
        Input::Raw(isa, _) => Some(isa),
        Input::OtherIsa | Input::Unreadable => {
            Case::from_text(std::str::from_utf8(input).ok()?).ok().map(|case| case.isa)
        }
    }
}

/// Generates an input in a form that the target accepts, of the given instruction set if there is one, so that the instruction sets stay balanced.
fn fresh(target: Target, isa: Option<IsaId>, e: &mut Entropy<'_>) -> Option<Vec<u8>> {
    let taken = isas();
    let isa = isa.filter(|isa| taken.contains(isa)).or_else(|| e.pick(&taken).copied())?;
    let case = generate::any_case(isa, e);
    let raw = |bytes: &[u8]| [&[isa.number()], bytes].concat();
    Some(match target {
        Target::Text if e.chance(75) => raw(with_isa!(isa, I => text::<I>(&case.bytes))?.as_bytes()),
        Target::Cases if e.chance(75) => case.to_text(None).into_bytes(),
        _ => case.to_bytes(),
    })
}

fn text<I: Syntax>(bytes: &[u8]) -> Option<String> {
    I::decode(bytes).ok().map(|program| I::disassemble(&program))
}

/// Writes a combination of two inputs into `out` and returns its size. Two cases are combined to a case; otherwise the beginning of one input is
/// joined to the end of the other. If the combination does not fit, the result is the first input, cut to the size of `out`.
pub fn crossover(first: &[u8], second: &[u8], out: &mut [u8], seed: u32) -> usize {
    let mut e = Entropy::seeded(u64::from(seed));
    let (head, tail) = (e.below(first.len() + 1), e.below(second.len() + 1));
    let bytes = match (Case::from_bytes(first), Case::from_bytes(second)) {
        // Cases whose programs cannot be combined can still exchange environments; a program that decodes is kept.
        (Some(a), Some(b)) => {
            let crossed = generate::crossover(&a, &b, &mut e);
            let (program, other) = if decodes(&b) { (b, a) } else { (a, b) };
            crossed.unwrap_or(Case { env: other.env, ..program }).to_bytes()
        }
        _ => [&first[..head], &second[tail..]].concat(),
    };
    let bytes = if bytes.len() <= out.len() { &bytes } else { &first[..first.len().min(out.len())] };
    out[..bytes.len()].copy_from_slice(bytes);
    bytes.len()
}

fn decodes(case: &Case) -> bool {
    with_isa!(case.isa, I => I::decode(&case.bytes).is_ok())
}

/// Returns the generated case of a seed.
pub(super) fn generated(isa: IsaId, seed: u32) -> Case {
    generate::any_case(isa, &mut Entropy::seeded(u64::from(seed)))
}
