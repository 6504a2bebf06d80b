//! Claims: pairs of terms that must be equal for an obligation to hold, collected path by path.

use crate::goal::{Goal, Names};
use crate::number;
use crate::sabotage::{self, Sabotage};
use crate::term::{Explored, Map, Path, Term, Terms};
use crate::verdict::Counterexample;
use lockstep_core::value::Domain;
use std::collections::HashSet;

/// A claim that is not settled yet, because its sides are different terms.
#[derive(Clone, Debug)]
pub struct OpenGoal {
    /// The subject of the claim: a register component, an output, the next instruction.
    pub what: String,
    /// The goal.
    pub goal: Goal,
    /// The names of the goal's symbols.
    pub names: Names,
    /// Smaller goals that together imply the goal.
    pub parts: Option<Vec<OpenGoal>>,
    /// An error in the splitting into parts; the verdict on the claim is then unknown, regardless of the answers for the parts.
    pub fault: Option<String>,
}

impl OpenGoal {
    /// Searches for smaller goals that imply this one and are not among the failed ones.
    pub fn reduce(&mut self, boundaries: &[u32], failed: &HashSet<Goal>) {
        match crate::reduce::reduce(self, boundaries, failed) {
            Ok(parts) => self.parts = parts,
            Err(fault) => self.fault = Some(fault),
        }
    }

    /// Returns the goals to put to the solver first: the parts, or the goal itself if there are none.
    pub fn first_goals(&self) -> &[OpenGoal] {
        self.parts.as_deref().unwrap_or(std::slice::from_ref(self))
    }

    /// Returns the counterexample given by these values of the goal's terms.
    pub fn counterexample(&self, values: &[u32]) -> Counterexample {
        Counterexample::new(&self.what, &self.goal, &self.names, values)
    }
}

/// The claims of an obligation before the solver is used.
#[derive(Clone, Debug, Default)]
pub struct Claims {
    /// The number of claims settled because both sides are the same term.
    pub settled: u64,
    /// The number of claims whose sides are different terms.
    pub unsettled: u64,
    /// The goals that imply the unsettled claims. Claims about the same pair of terms are one goal, which covers all paths on which they were made.
    pub open: Vec<OpenGoal>,
    /// The number of paths that were followed before the limit was reached; `None` if all paths were followed.
    pub cut: Option<u64>,
    /// A required claim that was not made; then nothing is proved.
    pub missed: Option<String>,
}

impl Claims {
    /// Returns the number of claims.
    pub fn count(&self) -> u64 {
        self.settled + self.unsettled
    }

    /// Returns a counterexample to a claim for which `is_wanted` returns true; `None` if none of the draws refutes such a claim.
    pub fn refute(
        &self,
        boundaries: &[u32],
        draws: std::ops::Range<u64>,
        is_wanted: &dyn Fn(&OpenGoal) -> bool,
    ) -> Option<Counterexample> {
        let mut values = Vec::new();
        self.open
            .iter()
            .filter(|open| is_wanted(open))
            .find(|open| number::search(&open.goal, boundaries, draws.clone(), &mut values))
            .map(|open| open.counterexample(&values))
    }
}

impl Claims {
    /// Whether one of these draws refutes a claim.
    pub fn is_refuted(&self, boundaries: &[u32], draws: std::ops::Range<u64>) -> bool {
        let mut values = Vec::new();
        self.open.iter().any(|open| number::search(&open.goal, boundaries, draws.clone(), &mut values))
    }
}

/// Collects the claims made on terms of one arena.
#[derive(Debug, Default)]
pub struct ClaimBuilder {
    settled: u64,
    /// Pairs of different terms in the order of the claims, with the first claim's subject and the paths on which they are claimed to be equal.
    pairs: Vec<((Term, Term), String, Vec<Path>)>,
    known: Map<(Term, Term), usize>,
    unsettled: u64,
    /// The number of paths that were followed before the limit was reached; `None` if all paths were followed.
    pub cut: Option<u64>,
    missed: Option<String>,
    /// If set, unsettled claims are only listed, each with its subject and both sides.
    listed: Option<Vec<(String, Term, Term)>>,
}

impl ClaimBuilder {
    /// Makes a builder that only lists claims, including repeated ones.
    pub fn listing() -> ClaimBuilder {
        ClaimBuilder { listed: Some(Vec::new()), ..ClaimBuilder::default() }
    }

    /// Returns the listed claims: the subject of each and both sides, which are different terms.
    pub fn listed(&self) -> &[(String, Term, Term)] {
        self.listed.as_deref().unwrap_or_default()
    }

    /// Claims that two values are equal on the current path.
    pub fn claim_equal(&mut self, d: &Terms, what: impl FnOnce() -> String, left: Term, right: Term) {
        if left == right
            || d.under_path(left) == d.under_path(right)
            || sabotage::is(Sabotage::EqualityAlways)
        {
            self.settled += 1;
            return;
        }
        if let Some(listed) = &mut self.listed {
            self.unsettled += 1;
            return listed.push((what(), left, right));
        }
        let at = *self.known.entry((left, right)).or_insert_with(|| {
            self.pairs.push(((left, right), what(), Vec::new()));
            self.pairs.len() - 1
        });
        self.pairs[at].2.push(d.path());
        self.unsettled += 1;
    }

    /// Claims that a known truth value is true: if `holds` is false, the claim is that no input takes the current path.
    pub fn claim_holds(&mut self, d: &Terms, what: impl FnOnce() -> String, holds: bool) {
        let (left, right) = (d.b(true).0, d.b(holds).0);
        self.claim_equal(d, what, left, right);
    }

    /// Returns the number of claims made.
    pub fn claim_count(&self) -> u64 {
        self.settled + self.unsettled
    }

    /// Records a required claim that was not made.
    pub fn record_missing(&mut self, what: impl FnOnce() -> String) {
        self.missed.get_or_insert_with(what);
    }

    /// Records whether all paths were followed.
    pub fn record_exploration(&mut self, explored: Explored, paths: u64) {
        match explored {
            Explored::All => {}
            Explored::Cut => self.cut = Some(paths),
            Explored::Gap(what) => self.record_missing(|| what.to_owned()),
        }
    }

    /// Returns the claims made so far; claims about the same pair of terms become one goal.
    pub fn claims(&self, d: &Terms) -> Claims {
        let mut missed = self.missed.clone();
        let mut covered = 0;
        let lost = usize::from(sabotage::is(Sabotage::GoalLost));
        let open = self.pairs.iter().skip(lost).map(|(pair, what, paths)| {
            let (goal, names) = Self::goal(d, *pair, paths);
            let within = Self::paths(d, paths);
            let is_within =
                |path: &Path| within.iter().any(|some| some.iter().all(|q| path.taken().contains(q)));
            covered += paths.iter().filter(|path| is_within(path)).count() as u64;
            OpenGoal { what: what.clone(), goal, names, parts: None, fault: None }
        });
        let open: Vec<OpenGoal> = open.collect();
        // Each claim must be on a path that some goal covers.
        if covered != self.unsettled {
            missed.get_or_insert_with(|| format!("{covered} of {} claims are in a goal", self.unsettled));
        }
        Claims { settled: self.settled, unsettled: self.unsettled, open, cut: self.cut, missed }
    }

    /// Whether one of these draws refutes a claim made so far.
    pub fn is_refuted(&self, d: &Terms, boundaries: &[u32], draws: std::ops::Range<u64>) -> bool {
        let mut values = Vec::new();
        self.pairs.iter().any(|(pair, _, paths)| {
            number::search(&Self::goal(d, *pair, paths).0, boundaries, draws.clone(), &mut values)
        })
    }

    fn goal(d: &Terms, (left, right): (Term, Term), paths: &[Path]) -> (Goal, Names) {
        Goal::on_paths(&Self::paths(d, paths), &d.arena(), left, right)
    }

    /// Simplifies paths: removes conditions that make no difference.
    fn paths(d: &Terms, paths: &[Path]) -> Vec<Vec<(Term, bool)>> {
        let paths: Vec<&[(Term, bool)]> = paths.iter().map(Path::taken).collect();
        let mut paths = Tree::new(&paths, 0).paths();
        if sabotage::is(Sabotage::GoalPathLost) && paths.len() > 1 {
            paths.remove(0);
        }
        if sabotage::is(Sabotage::LiteralCondition)
            && let Some(condition) = paths.iter_mut().find_map(|path| path.first_mut())
        {
            condition.0 = d.b(!condition.1).0;
        }
        paths
    }
}

/// Paths as a decision tree: the answers on a path so far determine its next condition. A condition whose two answers lead to the same subtree is
/// omitted.
#[derive(Clone, PartialEq, Eq)]
enum Tree {
    /// Every path through this node is one of the given paths.
    Within,
    /// The conditions tested at this node, one for each exploration, with the subtrees for true and false.
    Ask(Vec<(Term, Tree, Tree)>),
}

impl Tree {
    /// Builds the tree of paths that agree on the first `depth` conditions.
    fn new(paths: &[&[(Term, bool)]], depth: usize) -> Tree {
        let mut asked: Vec<Term> = Vec::new();
        for path in paths {
            match path.get(depth) {
                None => return Tree::Within,
                Some((question, _)) if asked.contains(question) => {}
                Some((question, _)) => asked.push(*question),
            }
        }
        let mut questions = Vec::new();
        for question in asked {
            let follow = |answer: bool| {
                let some = paths.iter().copied().filter(|path| path[depth] == (question, answer));
                Tree::new(&some.collect::<Vec<_>>(), depth + 1)
            };
            let (yes, no) = (follow(true), follow(false));
            match (yes == no, yes) {
                (false, yes) => questions.push((question, yes, no)),
                (true, Tree::Within) => return Tree::Within,
                (true, Tree::Ask(more)) => questions.extend(more),
            }
        }
        Tree::Ask(questions)
    }

    /// Returns the paths of the tree, without the conditions that make no difference.
    fn paths(&self) -> Vec<Vec<(Term, bool)>> {
        let Tree::Ask(questions) = self else { return vec![Vec::new()] };
        let mut all = Vec::new();
        for (question, yes, no) in questions {
            for (answer, tree) in [(true, yes), (false, no)] {
                for mut path in tree.paths() {
                    path.insert(0, (*question, answer));
                    all.push(path);
                }
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{Node, explore};
    use lockstep_core::value::{FBin, FUn};

    #[test]
    fn claims_about_one_pair_become_one_goal_with_all_paths() {
        let d = Terms::default();
        let (p, q, x, y) = (d.unknown_b("p"), d.unknown_b("q"), d.unknown_f("x"), d.unknown_f("y"));
        let negated = d.un(FUn::Neg, &x);
        let sum = d.bin(FBin::Add, &x, &y);
        let mut claiming = ClaimBuilder::default();
        explore(&d, 9, || {
            let mut now = d.clone();
            let (first, second) = (now.decide(&p), now.decide(&q));
            claiming.claim_equal(&d, || "everywhere".into(), negated.0, x.0);
            claiming.claim_equal(&d, || "nowhere else".into(), x.0, x.0);
            if second {
                claiming.claim_equal(&d, || "where the second holds".into(), sum.0, x.0);
            }
            if first && !second {
                claiming.claim_equal(&d, || "on one path".into(), sum.0, y.0);
            }
        });
        let claims = claiming.claims(&d);
        assert_eq!((claims.settled, claims.unsettled, claims.count()), (4, 7, 11));
        let under: Vec<_> = claims.open.iter().map(|o| (o.what.as_str(), o.goal.paths.clone())).collect();
        // The first condition makes no difference to the second goal.
        let is = |k: usize, name: &str, t: Term| {
            let Node::Unknown(_, f) = claims.open[k].goal.node(t) else { return false };
            claims.open[k].names[f.0 as usize] == name
        };
        assert_eq!(under[0], ("everywhere", vec![vec![]]));
        assert!(matches!(under[1].1.as_slice(), [path] if matches!(path[..], [(t, true)] if is(1, "q", t))));
        let [only] = under[2].1.as_slice() else { panic!("{under:?}") };
        assert!(matches!(only[..], [(t, true), (u, false)] if is(2, "p", t) && is(2, "q", u)));
        assert!(claims.refute(&number::boundaries(), 0..24, &|_| true).is_some());
    }
}
