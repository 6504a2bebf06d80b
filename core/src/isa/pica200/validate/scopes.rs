//! What the words of flow open, and how that nests, as far as the text tells.

use super::super::opcode::Opcode;
use super::super::program::{CALL_DEPTH, IF_DEPTH, LOOP_DEPTH, Program};
use std::collections::{BTreeMap, HashMap};

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
    all: Vec<Scope>,
    /// Words that may be run with a loop open.
    in_loop: Vec<bool>,
    /// Words whose scope is deeper than the rings hold, for calls, blocks and loops.
    deep: HashMap<u32, [bool; 3]>,
    /// How many blocks and loops end behind a word.
    ends: BTreeMap<u32, u32>,
    /// The second arms: the first word, and the word behind.
    arms: Vec<(u32, u32)>,
}

fn scopes_of(program: &Program, at: u32) -> Vec<Scope> {
    let instruction = &program.code[at as usize];
    let (Some(op), Some((dst, num))) = (instruction.op(), instruction.flow()) else { return Vec::new() };
    let (dst, num) = (u32::from(dst), u32::from(num));
    match op {
        Opcode::Call | Opcode::Callc | Opcode::Callu => {
            vec![Scope { kind: Kind::Call, at, first: dst, behind: dst + num }]
        }
        Opcode::Loop => vec![Scope { kind: Kind::Loop, at, first: at + 1, behind: dst + 1 }],
        // The ring holds an entry in the first branch only.
        Opcode::Ifc | Opcode::Ifu => vec![Scope { kind: Kind::If, at, first: at + 1, behind: dst }],
        _ => Vec::new(),
    }
}

impl Scopes {
    pub(super) fn new(program: &Program, reach: &[bool]) -> Scopes {
        let reached = || (0..reach.len() as u32).filter(|at| reach[*at as usize]);
        let scopes: Vec<Scope> = reached().flat_map(|at| scopes_of(program, at)).collect();
        let mut ends = BTreeMap::new();
        for scope in scopes.iter().filter(|s| s.kind != Kind::Call && s.behind > s.at) {
            *ends.entry(scope.behind).or_default() += 1;
        }
        let in_loop = in_loop(program, &scopes, &ends);
        let arms = reached().filter_map(|at| second_arm(program, at)).collect();
        let mut found = Scopes { in_loop, all: scopes, deep: HashMap::new(), ends, arms };
        found.measure();
        found
    }

    /// Whether a word may be run with a loop open.
    pub(super) fn in_loop(&self, at: u32) -> bool {
        self.in_loop.get(at as usize).copied().unwrap_or(false)
    }

    /// Whether a word is the last of any scope. An `else` branch is none: nothing waits for its end.
    pub(super) fn ends_scope(&self, at: u32) -> bool {
        self.all.iter().any(|s| s.behind == at + 1 && s.first < s.behind)
    }

    /// Whether a word is the last of a loop.
    pub(super) fn ends_loop(&self, at: u32) -> bool {
        self.all.iter().any(|s| s.kind == Kind::Loop && s.behind == at + 1 && s.first < s.behind)
    }

    /// Whether a block or loop that a word opens ends where another does.
    pub(super) fn shares_end(&self, at: u32) -> bool {
        let own = self.all.iter().filter(|s| s.at == at && s.kind != Kind::Call && s.behind > s.at);
        own.into_iter().any(|s| self.ends.get(&s.behind).is_some_and(|count| *count > 1))
    }

    /// Whether a block or loop that a word opens ends before it begins.
    pub(super) fn is_backwards(&self, at: u32) -> bool {
        self.all.iter().any(|s| s.at == at && s.kind != Kind::Call && s.behind <= s.at + 1)
    }

    /// Whether the text of a loop has the word.
    pub(super) fn in_text_of_loop(&self, at: u32) -> bool {
        self.all.iter().any(|s| s.kind == Kind::Loop && (s.first..s.behind).contains(&at))
    }

    /// Whether a block or loop that a word opens ends with a scope around it, other than two first arms or loops that end at one word. A
    /// first arm whose second one ends there goes past the end of the scope around; what ends with a call keeps it from coming back.
    pub(super) fn ends_with_outer(&self, program: &Program, at: u32) -> bool {
        let around = |s: &&Scope| s.at != at && (s.first..s.behind).contains(&at);
        let ends_at = |end: u32, calls_only: bool| {
            self.all.iter().filter(around).any(|s| s.behind == end && (s.kind == Kind::Call || !calls_only))
        };
        let own = self.all.iter().filter(|s| s.at == at && s.kind != Kind::Call && s.behind > s.at);
        own.into_iter().any(|s| ends_at(s.behind, true))
            || second_arm(program, at).is_some_and(|(_, behind)| ends_at(behind, false))
    }

    /// Whether a jump from `at` to `to` leads into a second arm from outside of it.
    pub(super) fn is_into_arm(&self, at: u32, to: u32) -> bool {
        let inside = |arm: &(u32, u32), word: u32| (arm.0..arm.1).contains(&word);
        self.arms.iter().any(|arm| inside(arm, to) && !inside(arm, at))
    }

    /// Whether what a word opens is deeper than the rings of calls, blocks and loops hold.
    pub(super) fn too_deep(&self, at: u32) -> [bool; 3] {
        self.deep.get(&at).copied().unwrap_or_default()
    }

    /// Finds the scopes that are too deep: by the text for those inside one another, and along chains of calls.
    fn measure(&mut self) {
        let mut best: HashMap<u32, [usize; 3]> = HashMap::new();
        // A chain that is longer than any ring can hold says no more, so each round of calls is looked at only this often.
        let rounds = CALL_DEPTH.max(IF_DEPTH).max(LOOP_DEPTH) + 2;
        for _ in 0..rounds {
            let mut changed = false;
            for scope in &self.all {
                let mut depth = [0; 3];
                for outer in self.all.iter().filter(|o| o.first <= scope.at && scope.at < o.behind) {
                    if outer.at == scope.at {
                        // A call that runs itself.
                        depth[outer.kind as usize] = rounds;
                        continue;
                    }
                    // What is around the outer one counts only if a call leads there; else it is around this one, too.
                    let around = best.get(&outer.at).copied().unwrap_or_default();
                    for k in 0..3 {
                        depth[k] = depth[k].max(around[k]);
                    }
                }
                depth[scope.kind as usize] = (depth[scope.kind as usize] + 1).min(rounds);
                if best.get(&scope.at) != Some(&depth) {
                    best.insert(scope.at, depth);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        let limits = [CALL_DEPTH, IF_DEPTH, LOOP_DEPTH];
        for scope in &self.all {
            let k = scope.kind as usize;
            let depth = best.get(&scope.at).copied().unwrap_or_default();
            if depth[k] > limits[k] {
                self.deep.entry(scope.at).or_default()[k] = true;
            }
        }
    }
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
fn in_loop(program: &Program, scopes: &[Scope], ends: &BTreeMap<u32, u32>) -> Vec<bool> {
    let len = program.code.len() as u32;
    let loops = || scopes.iter().filter(|s| s.kind == Kind::Loop);
    let calls = || scopes.iter().filter(|s| s.kind == Kind::Call);
    let irregular = loops().any(|body| {
        body.behind <= body.first
            || ends.get(&body.behind).is_some_and(|count| *count > 1)
            || calls().any(|c| (c.first..c.behind).contains(&body.at) && body.behind > c.behind)
    });
    let mut inside = vec![irregular; len as usize];
    let mut open: Vec<(u32, u32)> = loops().map(|s| (s.first, s.behind)).collect();
    while let Some((first, behind)) = open.pop() {
        let range = first.min(len)..behind.min(len);
        if range.clone().all(|at| inside[at as usize]) {
            continue;
        }
        for at in range.clone() {
            inside[at as usize] = true;
        }
        open.extend(calls().filter(|c| range.contains(&c.at)).map(|c| (c.first, c.behind)));
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
        return vec![true; len as usize];
    }
    inside
}
