//! The obligations about folds that fired. All other proofs rely on these folds.
//!
//! The fired folds are reduced to rules. Each rule is evaluated on random values, then with other literals, and finally put to the solver. A listed
//! fold that never fired is an error: nothing has proved it, and nothing needs it.

use super::{DRAWS, Kind, MutantStatus, Obligation, ObligationSpan, mutant_status};
use crate::claims::{Claims, OpenGoal};
use crate::goal::Goal;
use crate::number::search;
use crate::rules::{Rule, Rules, names, normal_form, text};
use crate::smt;
use crate::term::arm::Arm;
use crate::term::axiom::{AXIOMS, Statement};
use crate::term::fired::{Fired, forget, recording};
use crate::term::folds::FOLDS;
use crate::term::signs::SIGN_FOLDS;
use crate::term::{Arena, Node, Term, Ty};
use crate::verdict::{Counterexample, ProofMeans, Verdict};
use lockstep_core::value::{BBin, FBin, FCmp, FUn, IBin, ICmp};
use rayon::ThreadPool;
use rayon::prelude::*;

/// The maximum number of refuted folds that are shown.
const MAX_SHOWN: usize = 8;
/// The number of pairs of literals replaced in a rule. Each replacement is tried on [`DRAWS_PER_COMBINATION`] draws.
const EXTRA_COMBINATIONS: usize = 400;
const DRAWS_PER_COMBINATION: u64 = 48;

/// Returns the obligations about the folds that fired. If `complete`, every listed fold must have fired, and every arm of the constructor.
pub fn obligations(fired: &Fired, complete: bool, pool: &ThreadPool, boundaries: &[u32]) -> Vec<Obligation> {
    let mut all = Vec::new();
    let mut rules = commutativity_rules(boundaries, &mut all);
    let pairs: Vec<&Goal> = fired.pairs.values().collect();
    // Smallest first, whichever thread recorded them.
    let key = |goal: &&Goal| (goal.nodes.len(), smt::query(goal));
    let keys = pool.install(|| pairs.par_iter().map(key).collect::<Vec<_>>());
    let mut pairs: Vec<_> = keys.into_iter().zip(pairs).collect();
    pairs.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    for (_, goal) in pairs {
        if !rules.contains_rule_for(goal)
            && let Err(values) = rules.learn(goal, boundaries)
        {
            add_refuted(&mut all, "a fold that fired", goal, &values);
        }
    }
    check_literals(fired, &mut all);
    let known = rules.all();
    let tried = |rule: &&Rule| other_literals(&rule.instance, boundaries);
    let wrong = map_rules(pool, &known, tried);
    for (goal, values) in wrong.into_iter().flatten() {
        add_refuted(&mut all, "a fold that fired, with other literals", &goal, &values);
    }
    if complete {
        all.extend(FOLDS.iter().chain(SIGN_FOLDS).filter_map(|fold| {
            let listed = fired_by(fold.node);
            let missing = listed.pairs.values().any(|pair| !rules.contains_rule_for(pair));
            missing.then(|| {
                let reason = "the fold is listed but has not fired".to_owned();
                let name = format!("{} {}", Kind::Fold.name(), fold.name);
                Obligation::settled(Kind::Fold, name, Verdict::Unknown { reason })
            })
        }));
        let idle = Arm::ALL.iter().filter(|arm| !fired.arms.contains_key(arm));
        all.extend(idle.map(|arm| {
            let reason = "this arm of the term constructor has not fired".to_owned();
            let name = format!("{} at {}", Kind::Fold.name(), arm.name());
            Obligation::settled(Kind::Fold, name, Verdict::Unknown { reason })
        }));
    }
    let axioms = axioms();
    let open: Vec<&Rule> = known.into_iter().filter(|rule| !axioms.contains(&rule.goal)).collect();
    all.extend(map_rules(pool, &open, |rule| rule_obligation(rule, boundaries)));
    all
}

/// Applies `work` to each rule; on the current thread if the pool has only one.
fn map_rules<R: Send>(pool: &ThreadPool, rules: &[&Rule], work: impl Fn(&&Rule) -> R + Sync) -> Vec<R> {
    if pool.current_num_threads() == 1 {
        return rules.iter().map(work).collect();
    }
    pool.install(|| rules.par_iter().map(&work).collect())
}

/// Returns the commutativity rules of every operation that [`Node::commutes`] lists. Adds a refuted obligation to `all` for each that is wrong.
fn commutativity_rules(boundaries: &[u32], all: &mut Vec<Obligation>) -> Rules {
    let mut rules = Rules::default();
    let mut arena = Arena::default();
    let [x, y] = ["x", "y"].map(|name| arena.unknown(Ty::F, name));
    let [i, j] = ["i", "j"].map(|name| arena.unknown(Ty::I, name));
    let [p, q] = ["p", "q"].map(|name| arena.unknown(Ty::B, name));
    use IBin::{Add, And, Mul, Or, Shl, ShrS, ShrU, Sub, Xor};
    let nodes = [FBin::Add, FBin::Mul, FBin::Div].map(|op| Node::Bin(op, x, y)).into_iter();
    let nodes = nodes.chain([FCmp::Lt, FCmp::Le, FCmp::Eq].map(|op| Node::Cmp(op, x, y)));
    let nodes = nodes.chain([Add, Sub, Mul, And, Or, Xor, Shl, ShrU, ShrS].map(|op| Node::IBin(op, i, j)));
    let nodes = nodes.chain([ICmp::Eq, ICmp::LtS, ICmp::LtU].map(|op| Node::ICmp(op, i, j)));
    let nodes = nodes.chain([BBin::And, BBin::Or, BBin::Xor].map(|op| Node::Logic(op, p, q)));
    for node in nodes.filter(Node::commutes) {
        let mut operands = node.operands().into_iter().rev();
        let exchanged = node.map(|t| operands.next().unwrap_or(t));
        let (left, right) = (arena.intern(node), arena.intern(exchanged));
        let (goal, _) = Goal::new(&arena, left, right);
        if let Err(values) = rules.learn(&goal, boundaries) {
            add_refuted(all, "an exchange of operands", &goal, &values);
        }
    }
    rules
}

/// Builds a node, whose operands are not folded, and returns the folds that fire when the node itself is folded. Forgets
/// the folds that this thread recorded before.
fn fired_by(node: fn(&mut Arena) -> Node) -> Fired {
    forget();
    let mut arena = Arena::default();
    let node = node(&mut arena);
    recording(|| arena.fold(node)).1
}

fn axioms() -> Vec<Goal> {
    let goal = |sides: fn(&mut Arena) -> (Term, Term)| {
        let mut arena = Arena::default();
        let (left, right) = sides(&mut arena);
        normal_form(&Goal::new(&arena, left, right).0)
    };
    let folds = AXIOMS.iter().filter_map(|axiom| match axiom.statement {
        Statement::Fold(sides) => Some(sides),
        Statement::Asserted(..) => None,
    });
    folds.map(goal).collect()
}

fn add_refuted(all: &mut Vec<Obligation>, what: &str, goal: &Goal, values: &[u32]) {
    let shown = all.iter().filter(|a| matches!(a.settled, Some(Verdict::Refuted(_)))).count();
    if shown < MAX_SHOWN {
        let example = Counterexample::new(what, goal, &names(goal), values);
        let name = format!("{} {}", Kind::Fold.name(), text(goal));
        all.push(Obligation::settled(Kind::Fold, name, Verdict::Refuted(Box::new(example))));
    }
}

/// Checks the folds of operations on literals, which contain no unknowns.
fn check_literals(fired: &Fired, all: &mut Vec<Obligation>) {
    let (mut values, mut right) = (Vec::new(), 0u64);
    for goal in fired.literals.values() {
        if search(goal, &[], 0..1, &mut values) {
            add_refuted(all, "an operation on literals", goal, &values);
        } else {
            right += 1;
        }
    }
    if right > 0 {
        let name = format!("{} of {right} operations on literals", Kind::Fold.name());
        // At least one result must differ when changed. A single one may not, since NaN negated is NaN.
        let wrong =
            fired.literals.values().any(|goal| search(&with_wrong_result(goal), &[], 0..1, &mut values));
        let wrong = if wrong { MutantStatus::Refuted } else { MutantStatus::Equivalent };
        let obligation =
            Obligation::settled(Kind::Fold, name, Verdict::Proved { how: ProofMeans::Enumeration });
        all.push(obligation.with_mutant("results changed", wrong));
    }
}

/// Folds the left side of an instance with other literals, and returns a goal that evaluation refutes, if there is one.
fn other_literals(instance: &Goal, boundaries: &[u32]) -> Option<(Goal, Vec<u32>)> {
    // Literals are identified as operands, since one literal may occur in several places.
    let mut places: Vec<(usize, usize, u32)> = Vec::new();
    for term in instance.subterms(instance.left) {
        for (k, operand) in instance.node(term).operands().iter().enumerate() {
            if instance.node(*operand).literal().is_some() {
                let others = replacement_literals(instance.node(*operand)).into_iter();
                places.extend(others.map(|bits| (term.0 as usize, k, bits)));
            }
        }
    }
    let mut values = Vec::new();
    let ways = if places.is_empty() { 0 } else { places.len() + EXTRA_COMBINATIONS };
    for way in 0..ways {
        // First replaces each literal alone, then pairs of literals.
        let far = way.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
        let changes =
            [places[way % places.len()], places[if way < places.len() { way } else { far % places.len() }]];
        let mut arena = Arena::default();
        let mut copies: Vec<Term> = Vec::new();
        let built = |arena: &mut Arena, at: usize, copies: &[Term]| {
            let mut k = 0;
            let node = &instance.nodes[at];
            let types: Vec<Ty> = node.operands().iter().map(|t| instance.node(*t).ty()).collect();
            node.map(|t| {
                let change = changes.iter().find(|(term, operand, _)| (*term, *operand) == (at, k));
                k += 1;
                match (change, types[k - 1]) {
                    (None, _) => copies[t.0 as usize],
                    (Some((.., bits)), Ty::F) => arena.intern(Node::LitF(*bits)),
                    (Some((.., bits)), Ty::I) => arena.intern(Node::LitI(*bits as i32)),
                    (Some((.., bits)), Ty::B) => arena.intern(Node::LitB(*bits != 0)),
                }
            })
        };
        for (at, node) in instance.nodes.iter().enumerate().take(instance.left.0 as usize) {
            let copy = match node {
                Node::Unknown(ty, f) => arena.unknown(*ty, &f.0.to_string()),
                _ => {
                    let node = built(&mut arena, at, &copies);
                    arena.intern(node)
                }
            };
            copies.push(copy);
        }
        let node = built(&mut arena, instance.left.0 as usize, &copies);
        let (plain, folded) = (arena.intern(node.clone()), arena.fold(node));
        if plain != folded {
            let (goal, _) = Goal::new(&arena, plain, folded);
            if search(&goal, boundaries, 0..DRAWS_PER_COMBINATION, &mut values) {
                return Some((goal, values));
            }
        }
    }
    None
}

/// Returns the literals tried in place of `literal`: values at which folds may behave differently.
fn replacement_literals(literal: &Node) -> Vec<u32> {
    let least = f32::MIN_POSITIVE;
    match literal {
        Node::LitF(_) => [0.0, 1.0, 2.0, 0.5, 5.0, least, least.next_up(), least.next_down(), least * 2.0]
            .into_iter()
            .chain([f32::MAX, f32::INFINITY])
            .flat_map(|v: f32| [v.to_bits(), (-v).to_bits()])
            .chain([lockstep_core::value::CANONICAL_NAN])
            .collect(),
        Node::LitI(_) => [0, 1, -1, 2, 5, 7, 31, 32, i32::MAX, i32::MAX - 1, i32::MIN, i32::MIN + 1]
            .map(|v| v as u32)
            .to_vec(),
        _ => vec![0, 1],
    }
}

/// Returns the goal with its result changed.
fn with_wrong_result(goal: &Goal) -> Goal {
    let mut arena = goal.arena(&names(goal));
    let right = goal.right;
    let changed = match arena.ty(right) {
        Ty::F => Node::Un(FUn::Neg, right),
        Ty::I => Node::IBin(IBin::Add, right, arena.intern(Node::LitI(1))),
        Ty::B => Node::Not(right),
    };
    let changed = arena.intern(changed);
    Goal::on_paths(&goal.paths, &arena, goal.left, changed).0
}

/// Makes the obligation of a rule. Its mutant, the rule with its result changed, must be refuted.
fn rule_obligation(rule: &Rule, boundaries: &[u32]) -> Obligation {
    let open = |goal: Goal| {
        let names = names(&goal);
        let open = OpenGoal { what: "the folded term".to_owned(), goal, names, parts: None, fault: None };
        Claims { unsettled: 1, open: vec![open], ..Claims::default() }
    };
    let name = format!("{} {}", Kind::Fold.name(), text(&rule.goal));
    let span = ObligationSpan::begin(Kind::Fold, &name);
    let mut obligation = Obligation::new(Kind::Fold, name, open(rule.goal.clone()));
    let goal = with_wrong_result(&rule.goal);
    let mut values = Vec::new();
    let mutant = if search(&goal, boundaries, 0..DRAWS, &mut values) {
        MutantStatus::Refuted
    } else {
        mutant_status(open(goal), false, boundaries)
    };
    obligation.mutants.push(("result changed".to_owned(), mutant));
    span.end(obligation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::boundaries;
    use crate::term::folds::AXIOM_FOLDS;
    use crate::term::planted::{Planted, planted};

    /// Returns the obligations for the folds that fire during some work, with a fault planted.
    fn folds(fault: Option<Planted>, work: fn(&mut Arena)) -> Vec<Obligation> {
        planted(fault, || {
            forget();
            let ((), fired) = recording(|| work(&mut Arena::default()));
            // Folding with other literals must use the planted fault too, so it runs on this thread.
            obligations(&fired, false, &crate::pool::threads(1), &boundaries())
        })
    }

    fn examples(obligations: &[Obligation]) -> Vec<String> {
        let refuted = obligations.iter().filter_map(|a| match &a.settled {
            Some(Verdict::Refuted(example)) => Some(format!("{}\n{example}", a.name)),
            _ => None,
        });
        refuted.collect()
    }

    fn zero_times(a: &mut Arena) {
        let (x, zero) = (a.unknown(Ty::F, "x"), a.intern(Node::LitF(0)));
        a.fold(Node::Bin(FBin::Mul, x, zero));
    }
    fn zero_plus(a: &mut Arena) {
        let (x, zero) = (a.unknown(Ty::F, "x"), a.intern(Node::LitF(0)));
        a.fold(Node::Bin(FBin::Add, zero, x));
    }
    fn row(name: &str, a: &mut Arena) {
        for fold in FOLDS.iter().filter(|fold| fold.name == name) {
            let node = (fold.node)(a);
            a.fold(node);
        }
    }
    fn nested_sum(a: &mut Arena) {
        row("(i + 5) + 7 = i + 12", a);
    }
    fn flush_twice(a: &mut Arena) {
        row("flush(flush x) = flush x", a);
    }

    #[test]
    fn planted_folds_are_refuted_with_an_instance() {
        let works: [(Planted, fn(&mut Arena), &str); 4] = [
            (Planted::TimesZero, zero_times, "Mul("),
            (Planted::PlusZero, zero_plus, "Add("),
            (Planted::Saturating, nested_sum, "IAdd("),
            (Planted::Threshold, flush_twice, "Select("),
        ];
        for (fault, work, operation) in works {
            assert_eq!(examples(&folds(None, work)), [""; 0], "{fault:?}");
            let examples = examples(&folds(Some(fault), work));
            assert!(!examples.is_empty(), "{fault:?} is not refuted");
            assert!(examples[0].contains(operation) && examples[0].contains(" = "), "{}", examples[0]);
        }
    }

    #[test]
    fn a_listed_fold_that_fires_nowhere_is_not_green() {
        let all = obligations(&Fired::default(), true, &crate::pool::threads(1), &boundaries());
        let missing = all.iter().filter(|a| matches!(a.settled, Some(Verdict::Unknown { .. }))).count();
        let idle = all.iter().filter(|a| a.name.starts_with("term folds at ")).count();
        assert_eq!(idle, Arm::ALL.len());
        // Commutativity is proved for every operation that has it.
        assert!(missing * 2 > FOLDS.len() + SIGN_FOLDS.len(), "{missing}");
    }

    #[test]
    fn instances_of_all_listed_folds_are_proved_or_sent_to_the_solver() {
        forget();
        let mut arena = Arena::default();
        let ((), fired) = recording(|| {
            for fold in FOLDS.iter().chain(SIGN_FOLDS).chain(AXIOM_FOLDS) {
                let node = (fold.node)(&mut arena);
                arena.fold(node);
            }
        });
        let all = obligations(&fired, true, &crate::pool::threads(2), &boundaries());
        assert_eq!(examples(&all), [""; 0]);
        assert!(all.iter().all(|a| !matches!(a.settled, Some(Verdict::Unknown { .. }))));
        assert!(
            all.iter()
                .filter(|a| a.settled.is_none())
                .all(|a| matches!(a.mutants[..], [(_, MutantStatus::Refuted)]))
        );
    }
}
