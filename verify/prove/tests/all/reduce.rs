//! Splitting a goal into parts: if the parts hold, so does the goal. Here both are evaluated, on all small choices between two unknowns.

use lockstep_core::value::FCmp;
use lockstep_prove::claims::OpenGoal;
use lockstep_prove::goal::Goal;
use lockstep_prove::number::{boundaries, search};
use lockstep_prove::reduce::reduce;
use lockstep_prove::term::{Arena, Node, Term, Ty};
use std::collections::HashSet;

/// The draws on which a goal and its parts are evaluated: more than `reduce` itself uses.
const DRAWS: std::ops::Range<u64> = 0..4000;

/// A condition that never holds, one that always does, and two that sometimes do.
fn conditions(arena: &mut Arena) -> [Term; 4] {
    let [u, v] = ["u", "v"].map(|name| arena.unknown(Ty::F, name));
    let never = arena.intern(Node::Cmp(FCmp::Lt, u, u));
    let always = arena.intern(Node::Not(never));
    let less = arena.intern(Node::Cmp(FCmp::Lt, u, v));
    [never, always, less, arena.unknown(Ty::B, "p")]
}

/// `c ? (d ? first : second) : third`.
fn choice(arena: &mut Arena, [c, d]: [Term; 2], [first, second, third]: [Term; 3]) -> Term {
    let inner = arena.intern(Node::Sel(Ty::F, d, first, second));
    arena.intern(Node::Sel(Ty::F, c, inner, third))
}

#[test]
fn parts_that_hold_make_a_goal_that_holds() {
    let boundaries = boundaries();
    let mut values = Vec::new();
    let (mut split, mut whole) = (0, 0);
    for number in 0..4 * 4 * 8 * 8u32 {
        let arena = &mut Arena::default();
        let all = conditions(arena);
        let [x, y] = ["x", "y"].map(|name| arena.unknown(Ty::F, name));
        let pair = [all[number as usize & 3], all[number as usize >> 2 & 3]];
        let leaves = |bits: u32| [0, 1, 2].map(|k| if bits >> k & 1 == 0 { x } else { y });
        let (left, right) = (leaves(number >> 4), leaves(number >> 7));
        let (left, right) = (choice(arena, pair, left), choice(arena, pair, right));
        if left == right {
            continue;
        }
        let (goal, names) = Goal::new(arena, left, right);
        let open = OpenGoal { what: "test".to_owned(), goal, names, parts: None, fault: None };
        let Ok(Some(parts)) = reduce(&open, &boundaries, &HashSet::new()) else {
            whole += 1;
            continue;
        };
        split += 1;
        let holds = parts.iter().all(|part| !search(&part.goal, &boundaries, DRAWS, &mut values));
        let wrong = search(&open.goal, &boundaries, DRAWS, &mut values);
        assert!(!(holds && wrong), "choice {number}: the parts hold and the goal does not");
    }
    assert!(split > 50 && whole > 50, "{split} split, {whole} not");
}
