//! Fuzzers draw edits by number with `edit_at`. Every edit that `edits` lists has a number, and any other edit with a number does not apply.

use lockstep_core::isa::facet::rule_instances;
use lockstep_core::isa::{Edit, Isa, IsaId};
use lockstep_core::with_isa;
use std::collections::HashSet;

fn check<I: Isa>() {
    let mut all = 0;
    for instance in rule_instances::<I>().iter().step_by(7) {
        let numbers = 0..I::edit_count(&instance.program);
        let drawn: HashSet<Edit> =
            numbers.filter_map(|number| I::edit_at(&instance.program, number)).collect();
        let listed: HashSet<Edit> = I::edits(&instance.program).into_iter().collect();
        let lost: Vec<&Edit> = listed.difference(&drawn).collect();
        assert!(lost.is_empty(), "{}: {lost:?} have no number", instance.name);
        // Some edits at a place do not apply to a program, such as exchanging its last instruction with the next.
        let mut more = drawn.difference(&listed);
        let wrong = more.find(|edit| I::apply(&instance.program, edit).is_some());
        assert_eq!(wrong, None, "{}: an edit applies that is not listed", instance.name);
        all += drawn.len();
    }
    assert!(all > 1000, "{}: {all} edits", I::ID);
}

#[test]
fn every_edit_of_a_program_has_a_number() {
    for &isa in IsaId::ALL {
        with_isa!(isa, I => check::<I>());
    }
}
