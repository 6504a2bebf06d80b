//! The scopes that control-flow words open, and their static nesting.

use super::super::opcode::Opcode;
use super::super::program::{CALL_DEPTH, IF_DEPTH, LOOP_DEPTH, Program};
use crate::work::count_work;
use std::collections::{BinaryHeap, HashMap};

/// The kind of a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Call,
    If,
    Loop,
}

/// A scope: the words from `first` to before `past_end`, opened by the word `at`.
#[derive(Clone, Copy, Debug)]
struct Scope {
    kind: Kind,
    at: u32,
    first: u32,
    past_end: u32,
}

/// The scopes that the reachable words of a program open.
pub(super) struct Scopes {
    /// All scopes, in the order of the words that open them. Each word opens at most one scope.
    all: Vec<Scope>,
    /// By word: one more than the index of the scope that it opens, or 0.
    by_word: Vec<u32>,
    /// Words that may be executed inside a loop.
    in_loop: Vec<bool>,
    /// Words in the body of a loop, by their position in the program.
    in_text: Vec<bool>,
    /// By the word after the end of nonempty scopes: whether one of the scopes that end there is a loop.
    ended: HashMap<u32, bool>,
    /// Words whose scope is nested deeper than the hardware stacks hold, for calls, blocks and loops.
    deep: HashMap<u32, [bool; 3]>,
    /// The number of blocks and loops with the same end, by the word after the end.
    ends: HashMap<u32, u32>,
    /// By the word after the end of scopes: the first word of the earliest scope that ends there, among all scopes and among calls alone.
    begins: HashMap<u32, [u32; 2]>,
    /// By word: the latest first word and the earliest end of the second arms that contain the word.
    arms: Vec<Option<(u32, u32)>>,
}

fn scope_of(program: &Program, at: u32) -> Option<Scope> {
    let instruction = &program.code[at as usize];
    let (op, (dst, num)) = (instruction.op()?, instruction.flow()?);
    let (dst, num) = (u32::from(dst), u32::from(num));
    match op {
        Opcode::Call | Opcode::Callc | Opcode::Callu => {
            Some(Scope { kind: Kind::Call, at, first: dst, past_end: dst + num })
        }
        Opcode::Loop => Some(Scope { kind: Kind::Loop, at, first: at + 1, past_end: dst + 1 }),
        // The stack has a frame for the branch only while the first arm runs.
        Opcode::Ifc | Opcode::Ifu => Some(Scope { kind: Kind::If, at, first: at + 1, past_end: dst }),
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
            if scope.kind != Kind::Call && scope.past_end > scope.at {
                *ends.entry(scope.past_end).or_default() += 1;
            }
            if scope.first < scope.past_end {
                *ended.entry(scope.past_end).or_default() |= scope.kind == Kind::Loop;
            }
            let [any, call] = begins.entry(scope.past_end).or_insert([u32::MAX; 2]);
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

    /// Returns the block or loop that a word opens.
    fn opened_by(&self, at: u32) -> Option<&Scope> {
        let number = self.by_word.get(at as usize)?.checked_sub(1)?;
        self.all.get(number as usize).filter(|scope| scope.kind != Kind::Call)
    }

    /// Whether a word may be executed inside a loop.
    pub(super) fn in_loop(&self, at: u32) -> bool {
        self.in_loop.get(at as usize).copied().unwrap_or(false)
    }

    /// Whether a word is the last word of any scope. A second arm is not a scope, because no stack contains its end.
    pub(super) fn ends_scope(&self, at: u32) -> bool {
        self.ended.contains_key(&(at + 1))
    }

    /// Whether a word is the last word of a loop's body.
    pub(super) fn ends_loop(&self, at: u32) -> bool {
        self.ended.get(&(at + 1)).copied().unwrap_or(false)
    }

    /// Whether a block or loop that a word opens ends at the same word as another block or loop.
    pub(super) fn shares_end(&self, at: u32) -> bool {
        let own = self.opened_by(at).filter(|scope| scope.past_end > scope.at);
        own.is_some_and(|scope| self.ends.get(&scope.past_end).is_some_and(|count| *count > 1))
    }

    /// Whether the end of a block or loop that a word opens is not after its beginning.
    pub(super) fn is_backwards(&self, at: u32) -> bool {
        self.opened_by(at).is_some_and(|scope| scope.past_end <= scope.at + 1)
    }

    /// Whether a word is in the body of a loop, by its position in the program.
    pub(super) fn in_text_of_loop(&self, at: u32) -> bool {
        self.in_text.get(at as usize).copied().unwrap_or(false)
    }

    /// Whether the first arm or the loop that a word opens ends together with an enclosing call, which it prevents from returning, or its second arm
    /// ends together with any enclosing scope, whose end the first arm then jumps past. [`Scopes::shares_end`] finds first arms and loops that end
    /// together.
    pub(super) fn ends_with_outer(&self, program: &Program, at: u32) -> bool {
        // The scope that the word at `at` opens begins after that word.
        let ends_at = |end: u32, calls_only: bool| {
            let begins = self.begins.get(&end);
            end > at && begins.is_some_and(|begins| begins[usize::from(calls_only)] <= at)
        };
        self.opened_by(at).is_some_and(|scope| ends_at(scope.past_end, true))
            || second_arm(program, at).is_some_and(|(_, past_end)| ends_at(past_end, false))
    }

    /// Whether a jump from `at` to `to` enters a second arm from outside.
    pub(super) fn is_into_arm(&self, at: u32, to: u32) -> bool {
        let arm = self.arms.get(to as usize).copied().flatten();
        arm.is_some_and(|(first, past_end)| at < first || past_end <= at)
    }

    /// Whether the scope that a word opens is nested deeper than the hardware stack holds, for calls, blocks and loops.
    pub(super) fn too_deep(&self, at: u32) -> [bool; 3] {
        self.deep.get(&at).copied().unwrap_or_default()
    }
}

/// Returns, for each word, the latest first word and the earliest end of the ranges that contain the word; `None` if no range contains it.
fn innermost(ranges: &[(u32, u32)]) -> Vec<Option<(u32, u32)>> {
    let range = |k: usize| ranges[k];
    let words = 0..ranges.iter().map(|(_, past_end)| *past_end).max().unwrap_or(0);
    let first = largest_enclosing(ranges.len(), range, words.clone(), |k| ranges[k].0);
    let left = largest_enclosing(ranges.len(), range, words, |k| u32::MAX - ranges[k].1);
    first.into_iter().zip(left).map(|(first, left)| Some((first?, u32::MAX - left?))).collect()
}

/// Returns, for each word, whether it is in the body of a loop, by its position in the program.
fn in_text_of_loops(all: &[Scope], words: usize) -> Vec<bool> {
    // For each word, the number of loop bodies that begin there minus the number of those that end before it.
    let mut more = vec![0i32; words + 1];
    for scope in all.iter().filter(|s| s.kind == Kind::Loop && s.first < s.past_end) {
        more[(scope.first as usize).min(words)] += 1;
        more[(scope.past_end as usize).min(words)] -= 1;
    }
    let mut open = 0;
    let open = more[..words].iter().map(|more| {
        open += more;
        open > 0
    });
    open.collect()
}

/// Returns, for each scope, the largest `value` among the scopes around the word that opens the scope; `None` if there are none. `all` must be sorted
/// by the words that open the scopes.
fn around<T: Ord + Copy>(all: &[Scope], value: impl Fn(usize) -> T) -> Vec<Option<T>> {
    let range = |k: usize| (all[k].first, all[k].past_end);
    largest_enclosing(all.len(), range, all.iter().map(|scope| scope.at), value)
}

/// Returns, for each of `words`, the largest `value` of the ranges that contain the word; `None` if no range contains it. There are `count` ranges,
/// and `words` must ascend. The time is nearly linear in the numbers of ranges and words.
fn largest_enclosing<T: Ord + Copy>(
    count: usize,
    range: impl Fn(usize) -> (u32, u32),
    words: impl Iterator<Item = u32>,
    value: impl Fn(usize) -> T,
) -> Vec<Option<T>> {
    let mut by_first: Vec<usize> = (0..count).filter(|k| range(*k).0 < range(*k).1).collect();
    by_first.sort_by_key(|k| range(*k).0);
    let mut coming = by_first.into_iter().peekable();
    // The ranges that have begun so far, the one with the largest value on top. A range that has ended is removed when it reaches the top.
    let mut begun: BinaryHeap<(T, u32)> = BinaryHeap::new();
    let largest = |word: u32| {
        count_work(1);
        while let Some(outer) = coming.next_if(|k| range(*k).0 <= word) {
            begun.push((value(outer), range(outer).1));
        }
        while begun.peek().is_some_and(|(_, past_end)| *past_end <= word) {
            begun.pop();
        }
        begun.peek().map(|(value, _)| *value)
    };
    words.map(largest).collect()
}

/// Finds the scopes that are nested too deep, both by their position in the program and along chains of calls.
fn too_deep(all: &[Scope]) -> HashMap<u32, [bool; 3]> {
    // Depths beyond the size of the largest stack need not be distinguished.
    let most = (CALL_DEPTH.max(IF_DEPTH).max(LOOP_DEPTH) + 2) as u8;
    let is_own = |scope: &Scope| scope.first <= scope.at && scope.at < scope.past_end;
    let mut best = vec![[0u8; 3]; all.len()];
    // One round for each scope of a relevant chain, and for each call in it. Calls nested more than four deep have been reported by then.
    for _ in 0..4 * most {
        let [calls, ifs, loops] = [0, 1, 2].map(|k| around(all, |outer| best[outer][k]));
        let mut changed = false;
        for (at, scope) in all.iter().enumerate() {
            let mut depth = [calls[at], ifs[at], loops[at]].map(|depth| depth.unwrap_or(0));
            let own = &mut depth[scope.kind as usize];
            // A call whose range contains it recurses without bound.
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

/// Returns the second arm of the branch at a word: its first word, and the word after it; `None` if there is no second arm.
fn second_arm(program: &Program, at: u32) -> Option<(u32, u32)> {
    let instruction = &program.code[at as usize];
    let (dst, num) = instruction.flow()?;
    let (dst, num) = (u32::from(dst), u32::from(num));
    (matches!(instruction.op(), Some(Opcode::Ifc | Opcode::Ifu)) && num > 0).then_some((dst, dst + num))
}

/// Returns, for each word, whether it may be executed inside a loop: the words of loop bodies, and of ranges that are called from there. If a loop
/// may be left while its frame stays on the stack, every word counts as inside. This can happen by a jump or branch out of the body or of a range
/// called from it, by an end that two scopes share or that is not after the beginning, or by a call that returns in the middle of the body.
fn in_loop(program: &Program, all: &[Scope], by_word: &[u32], ends: &HashMap<u32, u32>) -> Vec<bool> {
    let len = program.code.len();
    // For each scope, the earliest end of the calls around it. The end is complemented, because `around` returns the largest value.
    let calls: Vec<Scope> = all
        .iter()
        .map(|s| if s.kind == Kind::Call { *s } else { Scope { past_end: s.first, ..*s } })
        .collect();
    let returns = around(&calls, |call| u32::MAX - calls[call].past_end);
    let irregular = all.iter().zip(returns).filter(|(s, _)| s.kind == Kind::Loop).any(|(body, returns)| {
        body.past_end <= body.first
            || ends.get(&body.past_end).is_some_and(|count| *count > 1)
            || returns.is_some_and(|left| body.past_end > u32::MAX - left)
    });
    let mut inside = vec![irregular; len];
    if irregular {
        return inside;
    }
    // A union-find structure. By word: the word itself while it is not known to be inside a loop, otherwise a later word that may be outside.
    let mut outside: Vec<usize> = (0..=len).collect();
    let mut open: Vec<(u32, u32)> =
        all.iter().filter(|s| s.kind == Kind::Loop).map(|s| (s.first, s.past_end)).collect();
    while let Some((first, past_end)) = open.pop() {
        let past_end = (past_end as usize).min(len);
        let mut at = next_outside(&mut outside, (first as usize).min(len));
        while at < past_end {
            inside[at] = true;
            outside[at] = at + 1;
            let scope = by_word[at].checked_sub(1).and_then(|number| all.get(number as usize));
            open.extend(scope.filter(|s| s.kind == Kind::Call).map(|s| (s.first, s.past_end)));
            at = next_outside(&mut outside, at + 1);
        }
    }
    let leaves = |at: usize| {
        let instruction = &program.code[at];
        let targets = match (instruction.op(), instruction.flow()) {
            (Some(Opcode::Jmpc | Opcode::Jmpu), Some((dst, _))) => [dst; 2],
            (Some(Opcode::Ifc | Opcode::Ifu), Some((dst, num))) => [dst, dst + u16::from(num)],
            _ => return false,
        };
        targets.iter().any(|target| !inside.get(usize::from(*target)).copied().unwrap_or(false))
    };
    if (0..inside.len()).any(|at| inside[at] && leaves(at)) {
        return vec![true; len];
    }
    inside
}

/// Returns the first word, from `at` on, that is not known to be inside a loop.
fn next_outside(outside: &mut [usize], mut at: usize) -> usize {
    while outside[at] != at {
        outside[at] = outside[outside[at]];
        at = outside[at];
    }
    at
}
