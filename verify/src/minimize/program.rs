//! Shrinking programs through their edits.

use super::{Judge, Size};
use crate::case::Case;
use lockstep_core::isa::{Context, Edit, Isa, Options};

pub(super) fn shrink<I: Isa>(case: &mut Case, judge: &mut Judge<'_>) {
    remove_runs::<I>(case, judge);
    // Any edit that makes the program smaller, until none does.
    let Ok(mut current) = I::decode(&case.bytes) else { return };
    loop {
        let mut progress = false;
        let mut least = size::<I>(&current);
        // The list is made for an earlier program once an edit has been taken; edits that no longer fit do not apply.
        for edit in I::edits(&current) {
            let Some(edited) = I::apply(&current, &edit) else { continue };
            // Most edits leave the number of instructions, and only then is there more to weigh.
            let words = words::<I>(&edited);
            if words < least.0 || (words == least.0 && size::<I>(&edited) < least) {
                let candidate = case.with_program::<I>(&edited);
                if judge.keeps_failing(&candidate) {
                    *case = candidate;
                    least = size::<I>(&edited);
                    current = edited;
                    progress = true;
                }
            }
            if judge.exhausted() {
                return;
            }
        }
        if !progress {
            return;
        }
    }
}

/// Removes runs of instructions, long ones first.
fn remove_runs<I: Isa>(case: &mut Case, judge: &mut Judge<'_>) {
    let Ok(program) = I::decode(&case.bytes) else { return };
    let mut run = words::<I>(&program).next_power_of_two();
    while run > 0 && !judge.exhausted() {
        let mut at = 0;
        loop {
            let Ok(current) = I::decode(&case.bytes) else { return };
            let words = words::<I>(&current);
            if at >= words || judge.exhausted() {
                break;
            }
            let edit = Edit::Remove { at, count: run.min(words - at) };
            let shorter = I::apply(&current, &edit).map(|p| case.with_program::<I>(&p));
            match shorter {
                Some(candidate) if judge.keeps_failing(&candidate) => *case = candidate,
                _ => at += run,
            }
        }
        run /= 2;
    }
}

fn words<I: Isa>(program: &I::Program) -> u32 {
    let options = Options::new(I::axes());
    I::entries(program).first().map_or(0, |entry| I::words(&Context { program, entry, options: &options }))
}

fn size<I: Isa>(program: &I::Program) -> Size {
    let bytes = I::encode(program);
    let sum = bytes.iter().map(|b| u64::from(*b)).sum();
    (words::<I>(program), I::disassemble(program).len(), sum)
}
