//! What the words of flow open, and how that nests, as far as the text tells.

use super::super::opcode::Opcode;
use super::super::program::{CALL_DEPTH, IF_DEPTH, LOOP_DEPTH, Program};
use crate::work::looks_at;
use std::collections::{BinaryHeap, HashMap};

/// What a scope is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Call,
    If,
    Loop,
}

/// A scope: the words from `first` up to `behind`, opened at `at`.
#[derive(Clone, Copy, Debug)]
struct Scope {
    kind: Kind,
    at: u32,
    first: u32,
    behind: u32,
}

/// The scopes of a program.
pub(super) struct Scopes {
    /// In the order of the words that open them, each of which opens one at most.
    all: Vec<Scope>,
    /// By word: one more than the place of the scope that it opens.
    by_word: Vec<u32>,
    /// Words that may be run with a loop open.
    in_loop: Vec<bool>,
    /// Words that the text of a loop has.
    in_text: Vec<bool>,
    /// By the word behind it: whether a scope that holds anything ends there, and whether a loop does.
    ended: HashMap<u32, bool>,
    /// Words whose scope is deeper than the rings hold, for calls, blocks and loops.
    deep: HashMap<u32, [bool; 3]>,
    /// How many blocks and loops end behind a word.
    ends: HashMap<u32, u32>,
    /// By the word behind them: the first word of the scope that begins first, of all and of those of calls alone.
    begins: HashMap<u32, [u32; 2]>,
    /// By word: of the second arms that have it, the latest first word and the earliest word behind.
    arms: Vec<Option<(u32, u32)>>,
}

fn scope_of(program: &Program, at: u32) -> Option<Scope> {
    let instruction = &program.code[at as usize];
    let (op, (dst, num)) = (instruction.op()?, instruction.flow()?);
    let (dst, num) = (u32::from(dst), u32::from(num));
    match op {
        Opcode::Call | Opcode::Callc | Opcode::Callu => {
            Some(Scope { kind: Kind::Call, at, first: dst, behind: dst + num })
        }
        Opcode::Loop => Some(Scope { kind: Kind::Loop, at, first: at + 1, behind: dst + 1 }),
        // The ring holds an entry in the first branch only.
        Opcode::Ifc | Opcode::Ifu => Some(Scope { kind: Kind::If, at, first: at + 1, behind: dst }),
        _ => None,
    }
}

impl Scopes {
    pub(super) fn new(program: &Program, reach: &[bool]) -> Scopes {
        let reached = (0..reach.len() as u32).filter(|at| reach[*at as usize]);
        let all: Vec<Scope> = reached.filter_map(|at| scope_of(program, at)).collect();
        let mut by_word = vec![0; program.code.len()];
        let (mut ends, mut ended, mut begins) = (HashMap::new(), HashMap::new(), HashMap::new());
        for (number, scope) in (1..).zip(&all) {
            by_word[scope.at as usize] = number;
            if scope.kind != Kind::Call && scope.behind > scope.at {
                *ends.entry(scope.behind).or_default() += 1;
            }
            if scope.first < scope.behind {
                *ended.entry(scope.behind).or_default() |= scope.kind == Kind::Loop;
            }
            let [any, call] = begins.entry(scope.behind).or_insert([u32::MAX; 2]);
            *any = scope.first.min(*any);
            if scope.kind == Kind::Call {
                *call = scope.first.min(*call);
            }
        }
        let in_loop = in_loop(program, &all, &by_word, &ends);
        let deep = too_deep(&all);
        let in_text = in_text_of_loops(&all, program.code.len());
        let arms = (0..reach.len() as u32).filter(|at| reach[*at as usize]);
        let arms = innermost(&arms.filter_map(|at| second_arm(program, at)).collect::<Vec<_>>());
        Scopes { all, by_word, in_loop, in_text, ended, deep, ends, begins, arms }
    }

    /// The block or loop that a word opens.
    fn own(&self, at: u32) -> Option<&Scope> {
        let number = self.by_word.get(at as usize)?.checked_sub(1)?;
        self.all.get(number as usize).filter(|scope| scope.kind != Kind::Call)
    }

    /// Whether a word may be run with a loop open.
    pub(super) fn in_loop(&self, at: u32) -> bool {
        self.in_loop.get(at as usize).copied().unwrap_or(false)
    }

    /// Whether a word is the last of any scope. An `else` branch is none: nothing waits for its end.
    pub(super) fn ends_scope(&self, at: u32) -> bool {
        self.ended.contains_key(&(at + 1))
    }

    /// Whether a word is the last of a loop.
    pub(super) fn ends_loop(&self, at: u32) -> bool {
        self.ended.get(&(at + 1)).copied().unwrap_or(false)
    }

    /// Whether a block or loop that a word opens ends where another does.
    pub(super) fn shares_end(&self, at: u32) -> bool {
        let own = self.own(at).filter(|scope| scope.behind > scope.at);
        own.is_some_and(|scope| self.ends.get(&scope.behind).is_some_and(|count| *count > 1))
    }

    /// Whether a block or loop that a word opens ends before it begins.
    pub(super) fn is_backwards(&self, at: u32) -> bool {
        self.own(at).is_some_and(|scope| scope.behind <= scope.at + 1)
    }

    /// Whether the text of a loop has the word.
    pub(super) fn in_text_of_loop(&self, at: u32) -> bool {
        self.in_text.get(at as usize).copied().unwrap_or(false)
    }

    /// Whether a block or loop that a word opens ends with a scope around it, other than two first arms or loops that end at one word. A
    /// first arm whose second one ends there goes past the end of the scope around; what ends with a call keeps it from coming back.
    pub(super) fn ends_with_outer(&self, program: &Program, at: u32) -> bool {
        // What the word itself opens begins behind it.
        let ends_at = |end: u32, calls_only: bool| {
            let begins = self.begins.get(&end);
            end > at && begins.is_some_and(|begins| begins[usize::from(calls_only)] <= at)
        };
        self.own(at).is_some_and(|scope| ends_at(scope.behind, true))
            || second_arm(program, at).is_some_and(|(_, behind)| ends_at(behind, false))
    }

    /// Whether a jump from `at` to `to` leads into a second arm from outside of it.
    pub(super) fn is_into_arm(&self, at: u32, to: u32) -> bool {
        let arm = self.arms.get(to as usize).copied().flatten();
        arm.is_some_and(|(first, behind)| at < first || behind <= at)
    }

    /// Whether what a word opens is deeper than the rings of calls, blocks and loops hold.
    pub(super) fn too_deep(&self, at: u32) -> [bool; 3] {
        self.deep.get(&at).copied().unwrap_or_default()
    }
}

/// By word, of the ranges that have it the latest first word and the earliest word behind; `None` where there is none.
fn innermost(ranges: &[(u32, u32)]) -> Vec<Option<(u32, u32)>> {
    let range = |k: usize| ranges[k];
    let words = 0..ranges.iter().map(|(_, behind)| *behind).max().unwrap_or(0);
    let first = largest_around(ranges.len(), range, words.clone(), |k| ranges[k].0);
    let left = largest_around(ranges.len(), range, words, |k| u32::MAX - ranges[k].1);
    first.into_iter().zip(left).map(|(first, left)| Some((first?, u32::MAX - left?))).collect()
}

/// By word, whether the text of a loop has it.
fn in_text_of_loops(all: &[Scope], words: usize) -> Vec<bool> {
    // How many more begin at a word than end there.
    let mut more = vec![0i32; words + 1];
    for scope in all.iter().filter(|s| s.kind == Kind::Loop && s.first < s.behind) {
        more[(scope.first as usize).min(words)] += 1;
        more[(scope.behind as usize).min(words)] -= 1;
    }
    let mut open = 0;
    let open = more[..words].iter().map(|more| {
        open += more;
        open > 0
    });
    open.collect()
}

/// For each scope, the largest of `value` over the scopes around the word that opens it; `None` where there is none. `all` ascends by that
/// word.
fn around<T: Ord + Copy>(all: &[Scope], value: impl Fn(usize) -> T) -> Vec<Option<T>> {
    let range = |k: usize| (all[k].first, all[k].behind);
    largest_around(all.len(), range, all.iter().map(|scope| scope.at), value)
}

/// For each of `words`, which ascend, the largest of `value` over those of `count` ranges that have it; `None` where there is none. Takes
/// time near-linear in both.
fn largest_around<T: Ord + Copy>(
    count: usize,
    range: impl Fn(usize) -> (u32, u32),
    words: impl Iterator<Item = u32>,
    value: impl Fn(usize) -> T,
) -> Vec<Option<T>> {
    let mut by_first: Vec<usize> = (0..count).filter(|k| range(*k).0 < range(*k).1).collect();
    by_first.sort_by_key(|k| range(*k).0);
    let mut coming = by_first.into_iter().peekable();
    // What has begun, the largest on top; what has ended goes once it is there.
    let mut begun: BinaryHeap<(T, u32)> = BinaryHeap::new();
    let largest = |word: u32| {
        looks_at(1);
        while let Some(outer) = coming.next_if(|k| range(*k).0 <= word) {
            begun.push((value(outer), range(outer).1));
        }
        while begun.peek().is_some_and(|(_, behind)| *behind <= word) {
            begun.pop();
        }
        begun.peek().map(|(value, _)| *value)
    };
    words.map(largest).collect()
}

/// Finds the scopes that are too deep: by the text for those inside one another, and along chains of calls.
fn too_deep(all: &[Scope]) -> HashMap<u32, [bool; 3]> {
    // A chain that is longer than any ring can hold says no more.
    let most = (CALL_DEPTH.max(IF_DEPTH).max(LOOP_DEPTH) + 2) as u8;
    let is_own = |scope: &Scope| scope.first <= scope.at && scope.at < scope.behind;
    let mut best = vec![[0u8; 3]; all.len()];
    // One round for each scope of a chain that counts, and for each call in it. Calls more than four deep have been noted by then.
    for _ in 0..4 * most {
        let [calls, ifs, loops] = [0, 1, 2].map(|k| around(all, |outer| best[outer][k]));
        let mut changed = false;
        for (at, scope) in all.iter().enumerate() {
            let mut depth = [calls[at], ifs[at], loops[at]].map(|depth| depth.unwrap_or(0));
            let own = &mut depth[scope.kind as usize];
            // A call that runs itself has no end to it.
            *own = if is_own(scope) { most } else { (*own + 1).min(most) };
            changed |= best[at] != depth;
            best[at] = depth;
        }
        if !changed {
            break;
        }
    }
    let limits = [CALL_DEPTH, IF_DEPTH, LOOP_DEPTH];
    let mut deep: HashMap<u32, [bool; 3]> = HashMap::new();
    for (scope, depth) in all.iter().zip(best) {
        let k = scope.kind as usize;
        if usize::from(depth[k]) > limits[k] {
            deep.entry(scope.at).or_default()[k] = true;
        }
    }
    deep
}

/// The second arm that a word opens: the first word, and the word behind.
fn second_arm(program: &Program, at: u32) -> Option<(u32, u32)> {
    let instruction = &program.code[at as usize];
    let (dst, num) = instruction.flow()?;
    let (dst, num) = (u32::from(dst), u32::from(num));
    (matches!(instruction.op(), Some(Opcode::Ifc | Opcode::Ifu)) && num > 0).then_some((dst, dst + num))
}

/// The words that may be run with a loop open: those of loops, and those of calls made there. Where a loop may be left open (a jump or a branch out
/// of it or of what it calls, an end that two scopes share or that lies before the beginning, a call that returns in its midst) that is every word.
fn in_loop(program: &Program, all: &[Scope], by_word: &[u32], ends: &HashMap<u32, u32>) -> Vec<bool> {
    let len = program.code.len();
    // Of the calls around each scope, the one that returns first: the largest by what is left to the end of the numbers.
    let calls: Vec<Scope> =
        all.iter().map(|s| if s.kind == Kind::Call { *s } else { Scope { behind: s.first, ..*s } }).collect();
    let returns = around(&calls, |call| u32::MAX - calls[call].behind);
    let irregular = all.iter().zip(returns).filter(|(s, _)| s.kind == Kind::Loop).any(|(body, returns)| {
        body.behind <= body.first
            || ends.get(&body.behind).is_some_and(|count| *count > 1)
            || returns.is_some_and(|left| body.behind > u32::MAX - left)
    });
    let mut inside = vec![irregular; len];
    if irregular {
        return inside;
    }
    // By word: itself while it is not known to be inside, else one further on that may not be.
    let mut outside: Vec<usize> = (0..=len).collect();
    let mut open: Vec<(u32, u32)> =
        all.iter().filter(|s| s.kind == Kind::Loop).map(|s| (s.first, s.behind)).collect();
    while let Some((first, behind)) = open.pop() {
        let behind = (behind as usize).min(len);
        let mut at = next_outside(&mut outside, (first as usize).min(len));
        while at < behind {
            inside[at] = true;
            outside[at] = at + 1;
            let scope = by_word[at].checked_sub(1).and_then(|number| all.get(number as usize));
            open.extend(scope.filter(|s| s.kind == Kind::Call).map(|s| (s.first, s.behind)));
            at = next_outside(&mut outside, at + 1);
        }
    }
    let leaves = |at: usize| {
        let instruction = &program.code[at];
        let aims = match (instruction.op(), instruction.flow()) {
            (Some(Opcode::Jmpc | Opcode::Jmpu), Some((dst, _))) => [dst; 2],
            (Some(Opcode::Ifc | Opcode::Ifu), Some((dst, num))) => [dst, dst + u16::from(num)],
            _ => return false,
        };
        aims.iter().any(|aim| !inside.get(usize::from(*aim)).copied().unwrap_or(false))
    };
    if (0..inside.len()).any(|at| inside[at] && leaves(at)) {
        return vec![true; len];
    }
    inside
}

/// The first word from `at` on that is not known to be inside.
fn next_outside(outside: &mut [usize], mut at: usize) -> usize {
    while outside[at] != at {
        outside[at] = outside[outside[at]];
        at = outside[at];
    }
    at
}
