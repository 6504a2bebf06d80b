//! Minimises programs by the instruction set's edits.

use super::{FailurePredicate, Size};
use crate::case::{Case, EntryRef};
use lockstep_core::isa::{Context, Edit, Edits, Isa, Syntax, Tables};

pub(super) fn shrink<I: Isa>(case: &mut Case, predicate: &mut FailurePredicate<'_>) {
    remove_runs::<I>(case, predicate);
    // Applies edits that make the program smaller until no edit does.
    let Ok(mut current) = I::decode(&case.bytes) else { return };
    loop {
        let mut progress = false;
        let mut least = size::<I>(case, &current);
        // After an edit has been taken, the list still refers to the program before it; edits that no longer apply are skipped.
        for edit in I::edits(&current) {
            let Some(edited) = I::apply(&current, &edit) else { continue };
            // The full size is compared only if the number of instructions is unchanged, which is the case for most edits.
            let words = words::<I>(case, &edited);
            if words < least.0 || (words == least.0 && size::<I>(case, &edited) < least) {
                let candidate = case.with_program::<I>(&edited);
                if predicate.keeps_failing(&candidate) {
                    tracing::debug!(?edit, "edit accepted");
                    *case = candidate;
                    least = size::<I>(case, &edited);
                    current = edited;
                    progress = true;
                }
            }
            if predicate.exhausted() {
                return;
            }
        }
        if !progress {
            return;
        }
    }
}

/// Removes the program's container and unreferenced table rows, if the case is then smaller and still fails. Constants defined in the container are
/// moved to the environment.
pub(super) fn strip<I: Isa>(case: &mut Case, predicate: &mut FailurePredicate<'_>) {
    let Ok(program) = I::decode(&case.bytes) else { return };
    let Ok(entry) = case.entry::<I>(&program) else { return };
    let Some(stripped) = I::strip(&program, &entry) else { return };
    let mut candidate = case.with_program::<I>(&stripped);
    I::preset(&program, &entry, &mut candidate.env);
    if let EntryRef::Own(at) = &mut candidate.entry {
        *at = 0;
    }
    if size::<I>(&candidate, &stripped) < size::<I>(case, &program) && predicate.keeps_failing(&candidate) {
        *case = candidate;
    }
}

/// Removes runs of consecutive instructions, long runs first.
fn remove_runs<I: Tables + Edits>(case: &mut Case, predicate: &mut FailurePredicate<'_>) {
    let Ok(program) = I::decode(&case.bytes) else { return };
    let mut run = words::<I>(case, &program).next_power_of_two();
    while run > 0 && !predicate.exhausted() {
        let mut at = 0;
        loop {
            let Ok(current) = I::decode(&case.bytes) else { return };
            let words = words::<I>(case, &current);
            if at >= words || predicate.exhausted() {
                break;
            }
            let edit = Edit::Remove { at, count: run.min(words - at) };
            let shorter = I::apply(&current, &edit).map(|p| case.with_program::<I>(&p));
            match shorter {
                Some(candidate) if predicate.keeps_failing(&candidate) => *case = candidate,
                _ => at += run,
            }
        }
        run /= 2;
    }
}

/// Returns the number of the program's instructions, as counted for the case's entry; 0 if the case's entry or one of its options does not exist.
pub(super) fn words<I: Tables>(case: &Case, program: &I::Program) -> u32 {
    let (Ok(entry), Ok(options)) = (case.entry::<I>(program), case.options::<I>()) else { return 0 };
    I::instruction_count(&Context { program, entry: &entry, options: &options })
}

/// Returns the size of a program: its number of instructions, the length of its listing, and the sum of its bytes.
pub(super) fn size<I: Syntax + Tables>(case: &Case, program: &I::Program) -> Size {
    let bytes = I::encode(program);
    let sum = bytes.iter().map(|b| u64::from(*b)).sum();
    (words::<I>(case, program), I::disassemble(program).len(), sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{compare, reference};
    use crate::generate::{Entropy, any_case};
    use lockstep_core::isa::IsaId;
    use lockstep_core::with_isa;

    /// Strips generated programs at each of their entries, if there are several. Each stripped case must run like the original. Returns how many
    /// stripped cases start at an entry other than the first.
    fn later_entries_stripped<I: Isa>() -> u32 {
        let mut later = 0;
        for seed in 0..200 {
            let mut case = any_case(I::ID, &mut Entropy::seeded(seed));
            let Ok(program) = I::decode(&case.bytes) else { continue };
            let entries = I::entry_count(&program);
            for at in (0..entries).filter(|_| entries > 1) {
                case.entry = EntryRef::Own(at as u16);
                let Ok(resolved) = case.resolve::<I>() else { continue };
                if !resolved.is_legal() || I::strip(&program, &resolved.entry).is_none() {
                    continue;
                }
                let expected = reference(&resolved.context(), &resolved.env);
                let mut equivalent = |candidate: &Case| {
                    candidate.resolve::<I>().is_ok_and(|other| {
                        let run = reference(&other.context(), &other.env);
                        other.is_legal() && compare(&resolved.entry, &expected, &run).is_ok()
                    })
                };
                let mut small = case.clone();
                strip::<I>(&mut small, &mut FailurePredicate { fails: &mut equivalent, tries: 0 });
                assert!(small.bytes.len() < case.bytes.len(), "{} seed {seed}, entry {at}", I::ID);
                later += u32::from(at > 0);
            }
        }
        later
    }

    #[test]
    fn a_program_is_taken_out_of_its_container_at_any_entry() {
        let later: Vec<(IsaId, u32)> = IsaId::ALL
            .iter()
            .map(|isa| (*isa, with_isa!(*isa, I => later_entries_stripped::<I>())))
            .collect();
        // Programs of the other instruction sets have one entry.
        for (isa, later) in later {
            let several = matches!(isa, IsaId::Pica200 | IsaId::A2xx);
            assert_eq!(later > 3, several, "{isa}: {later}");
        }
    }
}
