//! Answers queries: from the cache first, then from the solver. Every answer that can be checked by evaluation is checked.
//!
//! A model is re-evaluated, whether it is from the cache or from the solver. An `unsat` answer must survive evaluation on random values. [`Recheck`]
//! selects the cached answers that the solver checks again. Answers are written every few seconds, so a killed run keeps
//! most of its results.

use crate::cache::{Answer, Cache, Entry, Fault, key};
use crate::claims::OpenGoal;
use crate::goal::Goal;
use crate::number::{self, Model};
use crate::obligation::Obligation;
use crate::report::Checked;
use crate::run::{Settings, UNITS_PER_SECOND, progress_bar};
use crate::smt;
use crate::term::Function;
use rayon::ThreadPool;
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Selects the cached answers that are put to the solver again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Recheck {
    /// No answer is put to the solver again; answers are only checked by evaluation.
    #[default]
    Nothing,
    /// All cheap answers, and those of the others that are due in this turn. Each of them is due in one of [`TURNS`] consecutive turns.
    Turn(u64),
    /// All answers.
    Everything,
}

/// The cost below which an answer is cheap, in the solver's units of work: about one second.
const CHEAP_COST: u64 = UNITS_PER_SECOND;
/// The number of turns into which the answers that are not cheap are divided.
pub const TURNS: u64 = 8;
/// The draws (numbers of random assignments) that an `unsat` answer must survive. Goals are evaluated on other draws before they are put to the
/// solver.
const DRAWS: std::ops::Range<u64> = 1 << 20..(1 << 20) + 400;
/// The largest goal, in terms, that is still put to the solver after an obligation has been refuted.
const SMALL_GOAL: usize = 16;
/// The reason given for obligations that an interrupt left unknown.
pub(crate) const INTERRUPTED: &str = "interrupted";
/// New answers are written to the file after this time or after [`FLUSH_COUNT`] answers, whichever is first.
const FLUSH_INTERVAL: Duration = Duration::from_secs(2);
const FLUSH_COUNT: usize = 32;

impl Recheck {
    /// Whether a cached answer is put to the solver again.
    pub fn wants(&self, entry: &Entry) -> bool {
        match self {
            Recheck::Nothing => false,
            Recheck::Everything => true,
            Recheck::Turn(_) if entry.cost < CHEAP_COST => true,
            Recheck::Turn(turn) => turn_of(&entry.key) == turn % TURNS,
        }
    }
}

/// Returns the turn in which an answer that is not cheap is due. It depends only on the answer's key, so that new answers change no other's turn.
/// A key that is no hexadecimal number is due in turn 0.
fn turn_of(key: &str) -> u64 {
    key.get(..8).and_then(|start| u64::from_str_radix(start, 16).ok()).unwrap_or(0) % TURNS
}

/// The answer to a query.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    Unsat,
    Sat(Model),
    Unknown(String),
}

/// A query with the obligation that needs it.
struct Query {
    key: String,
    goal: Goal,
    asked_by: String,
    /// The cached answer, if the solver is to check it.
    known: Option<Entry>,
}

/// The queries and answers of a run.
pub(crate) struct Queries<'a> {
    pub(crate) cache: &'a mut Cache,
    pub(crate) settings: &'a Settings,
    pub(crate) pool: &'a ThreadPool,
    pub(crate) boundaries: &'a [u32],
    pub(crate) replies: HashMap<String, Reply>,
    pub(crate) keys: HashMap<Goal, String>,
    /// Keys of the checks of domain operations, whose answers are in the cache too.
    pub(crate) domain: HashSet<String>,
    pub(crate) cached: usize,
    pub(crate) asked: usize,
    /// The number of queries put to the solver whose answer was in the cache.
    pub(crate) rechecked: usize,
    /// The cheap cached answers that this run has to put to the solver again if it uses them: keys, each with the obligation that the entry names.
    /// Collected from the cache before the first query, and not where answers are looked up, so that an answer that is used by mistake is noticed.
    due: BTreeMap<String, String>,
    /// The keys that were put to the solver.
    solved: HashSet<String>,
    /// Problems with the cache or the solver.
    pub(crate) faults: Vec<Fault>,
    /// Whether an obligation has been refuted. If so, only small goals are still put to the solver.
    pub(crate) refuted: bool,
}

impl<'a> Queries<'a> {
    pub(crate) fn new(
        cache: &'a mut Cache,
        settings: &'a Settings,
        pool: &'a ThreadPool,
        boundaries: &'a [u32],
    ) -> Self {
        let faults = cache.faults().to_vec();
        let can_ask = settings.use_solver && HAS_SOLVER && settings.recheck != Recheck::Nothing;
        let is_due = |entry: &&Entry| can_ask && is_current(entry) && entry.cost < CHEAP_COST;
        let due = cache.entries().filter(is_due).map(|entry| (entry.key.clone(), entry.asked_by.clone()));
        let due = due.collect();
        Queries {
            cache,
            settings,
            pool,
            boundaries,
            replies: HashMap::new(),
            keys: HashMap::new(),
            domain: HashSet::new(),
            cached: 0,
            asked: 0,
            rechecked: 0,
            due,
            solved: HashSet::new(),
            faults,
            refuted: false,
        }
    }

    /// Obtains the answers to the queries for the parts of every goal.
    pub(crate) fn ask_parts(&mut self, opens: &[(&OpenGoal, &str)], limit: u32) {
        let parts =
            opens.iter().flat_map(|(open, name)| open.first_goals().iter().map(move |part| (part, *name)));
        self.ask(parts.collect(), limit);
    }

    /// Obtains the answers to the queries for the parts of every goal, then for each whole goal that has a part that does not hold.
    pub(crate) fn ask_all(&mut self, opens: &[(&OpenGoal, &str)], limit: u32) {
        self.ask_parts(opens, limit);
        let whole = opens.iter().copied().filter(|(open, _)| self.has_failed(open)).collect();
        self.ask(whole, limit);
    }

    /// Returns the cheap cached answers that the run used without putting them to the solver again, and those that it needed but dropped unchecked.
    /// Empty unless [`Recheck`] selects answers.
    pub(crate) fn used_without_recheck(&self) -> Vec<String> {
        let used = |key: &str| self.replies.contains_key(key) || self.domain.contains(key);
        let missed = self.due.iter().filter(|(key, _)| used(key) && !self.solved.contains(*key));
        missed.map(|(key, asked_by)| format!("query {key} ({asked_by})")).collect()
    }

    /// Whether a goal has been answered and the answer is not `unsat`.
    fn fails(&self, goal: &Goal) -> bool {
        self.keys.get(goal).and_then(|k| self.replies.get(k)).is_some_and(|r| !matches!(r, Reply::Unsat))
    }

    /// Whether a goal has parts and some of them fail.
    fn has_failed(&self, open: &OpenGoal) -> bool {
        open.parts.as_ref().is_some_and(|parts| parts.iter().any(|part| self.fails(&part.goal)))
    }

    /// For each goal with a part that does not hold, searches for values that refute the goal, then for other parts. Returns whether any goal had
    /// such a part.
    pub(crate) fn revise(&self, obligations: &mut [Obligation]) -> bool {
        let failed: HashSet<Goal> = self.keys.keys().filter(|goal| self.fails(goal)).cloned().collect();
        let mut any = false;
        for obligation in obligations.iter_mut().filter(|a| a.settled.is_none()) {
            any |= obligation.revise(self.boundaries, &failed, &|open| self.has_failed(open));
        }
        any
    }

    /// Returns the cached answer to a query. An entry that evaluation contradicts is dropped instead.
    fn from_cache(&mut self, key: &str, goal: &Goal) -> Option<Entry> {
        let entry = self.cache.get(key).filter(|e| !self.settings.use_solver || is_current(e))?.clone();
        match contradiction(&entry.answer, goal, self.boundaries) {
            None => Some(entry),
            Some(what) => {
                self.faults.push(Fault {
                    what: format!(
                        "the cache says {} to query {key} ({}), {what}",
                        entry.answer.name(),
                        entry.asked_by
                    ),
                    contradicted: true,
                });
                self.cache.remove(key);
                None
            }
        }
    }

    fn ask(&mut self, opens: Vec<(&OpenGoal, &str)>, limit: u32) {
        let mut missing: BTreeMap<String, Query> = BTreeMap::new();
        for (open, name) in opens {
            if self.keys.contains_key(&open.goal) {
                continue;
            }
            let text = smt::query(&open.goal);
            let key = key(&text);
            self.keys.insert(open.goal.clone(), key.clone());
            if self.replies.contains_key(&key) || missing.contains_key(&key) {
                continue;
            }
            // A query that was unknown within a lower limit is put to the solver again with the higher one.
            let known = self.from_cache(&key, &open.goal).filter(
                |e| !matches!(e.answer, Answer::Unknown(tried) if tried < limit && self.settings.use_solver),
            );
            let due =
                |entry: &Entry| self.settings.use_solver && HAS_SOLVER && self.settings.recheck.wants(entry);
            match known {
                // After a refutation, large goals are not put to the solver, so their cached answers are not checked.
                Some(entry) if !(due(&entry) && is_worth_asking(self.refuted, &open.goal)) => {
                    self.replies.insert(key, reply(&entry.answer));
                    self.cached += 1;
                }
                known => {
                    let (goal, asked_by) = (open.goal.clone(), name.to_owned());
                    missing.insert(key.clone(), Query { key, goal, asked_by, known });
                }
            }
        }
        let missing: Vec<Query> = missing.into_values().collect();
        let bar = progress_bar(self.settings, "solving", missing.len());
        let (settings, refuted, boundaries) = (self.settings, self.refuted, self.boundaries);
        let cache = Mutex::new((&mut *self.cache, Instant::now(), 0));
        let solved = Mutex::new(HashSet::new());
        let ask = |query: &Query| {
            if !settings.use_solver || !HAS_SOLVER {
                let lack = if HAS_SOLVER {
                    ""
                } else {
                    ", and this build has no solver (lockstep's feature `prove`)"
                };
                return Err(format!("not in the cache{lack}"));
            }
            if settings.is_stopped() {
                return Err(INTERRUPTED.to_owned());
            }
            if !is_worth_asking(refuted, &query.goal) {
                return Err("not put to the solver, since another obligation is refuted".to_owned());
            }
            let (answer, cost) = solve(&query.goal, recheck_limit(query.known.as_ref(), limit));
            solved.lock().unwrap_or_else(PoisonError::into_inner).insert(query.key.clone());
            if let Some(what) = contradiction(&answer, &query.goal, boundaries) {
                return Err(format!("the solver says {}, {what}", answer.name()));
            }
            let agrees = query.known.as_ref().is_some_and(|known| known.answer.name() == answer.name());
            let entry = Entry::new(query.key.clone(), solver(), answer.clone(), cost, query.asked_by.clone());
            if !agrees && let Ok(mut guard) = cache.lock() {
                let (cache, written, back) = &mut *guard;
                cache.insert(entry);
                *back += 1;
                if *back >= FLUSH_COUNT || written.elapsed() > FLUSH_INTERVAL {
                    // An error is reported by the final write.
                    let _ = cache.write();
                    (*written, *back) = (Instant::now(), 0);
                }
            }
            Ok(answer)
        };
        let queries = missing.par_iter().with_max_len(1);
        let answers: Vec<Result<Answer, String>> =
            self.pool.install(|| queries.map(ask).inspect(|_| bar.inc(1)).collect());
        bar.finish_and_clear();
        let solved = solved.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.asked += solved.len();
        self.rechecked += missing.iter().filter(|q| q.known.is_some() && solved.contains(&q.key)).count();
        for (query, answer) in missing.into_iter().zip(answers) {
            let now = match &answer {
                Ok(answer) => answer.name(),
                Err(reason) => reason,
            };
            // A query that was not put to the solver contradicts nothing.
            let was_asked = solved.contains(&query.key);
            if let Some(known) = query.known.filter(|known| was_asked && known.answer.name() != now) {
                let (said, key) = (known.answer.name(), &query.key);
                let what = format!(
                    "the cache says {said} to query {key} (asked by {}), but asking {} again gave: {now}",
                    known.asked_by,
                    solver()
                );
                self.faults.push(Fault { what, contradicted: true });
            }
            self.replies.insert(query.key, answer.map_or_else(Reply::Unknown, |answer| reply(&answer)));
        }
        self.solved.extend(solved);
    }

    /// Checks every domain operation by comparing concrete results with the solver's. Without a solver, returns only the operations whose check is
    /// in the cache.
    pub(crate) fn check_domain(&mut self) -> Vec<Checked> {
        let all: Vec<usize> = (0..crate::check::count()).collect();
        let bar = progress_bar(self.settings, "comparing evaluation with the solver", all.len());
        let (settings, cache) = (self.settings, &*self.cache);
        let check = |number: &usize| {
            let literals = crate::check::literals(*number)?;
            let key = literals.key();
            let known = cache
                .get(&key)
                .filter(|e| e.answer == Answer::Unsat && (!settings.use_solver || is_current(e)));
            let tuples = literals.rows.len() as u64;
            let checked = |difference| Checked { operation: literals.operation.clone(), tuples, difference };
            if known.is_some_and(|e| !(settings.use_solver && HAS_SOLVER && settings.recheck.wants(e))) {
                return Some((key, checked(None), false));
            }
            if !(settings.use_solver && HAS_SOLVER) {
                return None;
            }
            let difference = compare(&literals);
            Some((key, checked(difference), true))
        };
        let operations = all.par_iter().with_max_len(1);
        let checks: Vec<Option<(String, Checked, bool)>> =
            self.pool.install(|| operations.map(check).inspect(|_| bar.inc(1)).collect());
        bar.finish_and_clear();
        let mut checked = Vec::new();
        for (key, check, anew) in checks.into_iter().flatten() {
            if anew && check.difference.is_none() && self.cache.get(&key).is_none_or(|e| !is_current(e)) {
                let name = format!("domain {}", check.operation);
                self.cache.insert(Entry::new(key.clone(), solver(), Answer::Unsat, check.tuples, name));
            }
            if check.difference.is_some() {
                self.cache.remove(&key);
            }
            if anew {
                self.solved.insert(key.clone());
            }
            self.domain.insert(key);
            checked.push(check);
        }
        checked
    }
}

/// Whether a goal is still put to the solver: after a refutation, only small goals are.
fn is_worth_asking(refuted: bool, goal: &Goal) -> bool {
    !refuted || goal.nodes.len() <= SMALL_GOAL
}

/// Returns the limit for a query: for one whose answer is in the cache, at least what that answer cost, so that the solver has the same chance to
/// find it. An attempt that gave no answer is repeated within its own limit.
fn recheck_limit(known: Option<&Entry>, limit: u32) -> u32 {
    match known.map(|entry| (&entry.answer, entry.cost)) {
        Some((Answer::Unknown(tried), _)) => *tried,
        Some((_, cost)) => limit.max(u32::try_from(cost).unwrap_or(u32::MAX)),
        None => limit,
    }
}

/// Returns how evaluation contradicts an answer; `None` if it does not.
fn contradiction(answer: &Answer, goal: &Goal, boundaries: &[u32]) -> Option<&'static str> {
    let mut values = Vec::new();
    match reply(answer) {
        Reply::Sat(mut model) => {
            number::evaluate(goal, &mut model, &mut values);
            (!number::refutes(goal, &values)).then_some("with a model that evaluation does not confirm")
        }
        Reply::Unsat => {
            number::search(goal, boundaries, DRAWS, &mut values).then_some("and evaluation refutes it")
        }
        Reply::Unknown(_) => None,
    }
}

fn reply(answer: &Answer) -> Reply {
    match answer {
        Answer::Unsat => Reply::Unsat,
        Answer::Sat(values) => {
            let values =
                values.iter().map(|(f, operands, v)| ((Function(*f), operands.clone()), *v)).collect();
            Reply::Sat(Model { values })
        }
        Answer::Unknown(limit) => {
            Reply::Unknown(format!("the solver gave no answer within {limit} units of work"))
        }
    }
}

/// Whether a solver is linked.
pub(crate) const HAS_SOLVER: bool = cfg!(feature = "solver");

/// Returns the name and version of the linked solver.
#[cfg(feature = "solver")]
pub(crate) fn solver() -> String {
    crate::solve::version()
}
#[cfg(not(feature = "solver"))]
pub(crate) fn solver() -> String {
    String::new()
}

/// Whether an entry may be used: with a solver linked, only if this solver gave the answer; without one, always.
fn is_current(entry: &Entry) -> bool {
    !HAS_SOLVER || entry.solver == solver()
}

#[cfg(feature = "solver")]
fn solve(goal: &Goal, limit: u32) -> (Answer, u64) {
    crate::solve::solve(goal, limit)
}
#[cfg(not(feature = "solver"))]
fn solve(_: &Goal, limit: u32) -> (Answer, u64) {
    (Answer::Unknown(limit), 0)
}

/// Returns the difference between the solver's results and the expected ones, if there is one.
#[cfg(feature = "solver")]
fn compare(literals: &crate::check::LiteralCheck) -> Option<String> {
    literals.compare()
}
#[cfg(not(feature = "solver"))]
fn compare(_: &crate::check::LiteralCheck) -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::boundaries;
    use crate::term::{Arena, Node, Ty};
    use lockstep_core::value::FBin;

    /// Returns the goal `x + y = y + x`, which holds, or `x + y = x * y`, which does not.
    fn open(holds: bool) -> OpenGoal {
        let mut a = Arena::default();
        let (x, y) = (a.unknown(Ty::F, "x"), a.unknown(Ty::F, "y"));
        let sum = a.intern(Node::Bin(FBin::Add, x, y));
        let other = a.intern(Node::Bin(if holds { FBin::Add } else { FBin::Mul }, y, x));
        let (goal, names) = Goal::new(&a, sum, other);
        OpenGoal { what: "test".into(), goal, names, parts: None, fault: None }
    }

    fn entry(open: &OpenGoal, answer: Answer, cost: u64) -> Entry {
        Entry::new(key(&smt::query(&open.goal)), solver(), answer, cost, "test".into())
    }

    /// Answers a query for which the cache holds `answer`. Returns the reply, the faults found, and the cache afterwards.
    fn ask_with_cached(open: &OpenGoal, answer: Answer, settings: &Settings) -> (Reply, Vec<Fault>, Cache) {
        let mut cache = Cache::default();
        cache.insert(entry(open, answer, 1));
        let boundaries = boundaries();
        let pool = crate::pool::threads(1);
        let mut asking = Queries::new(&mut cache, settings, &pool, &boundaries);
        asking.ask(vec![(open, "test")], 10_000_000);
        let reply = asking.replies.values().next().unwrap().clone();
        let faults = asking.faults;
        (reply, faults, cache)
    }

    fn replay() -> Settings {
        Settings { use_solver: false, ..Settings::default() }
    }

    #[test]
    fn a_run_without_a_solver_does_not_compare_the_operations_with_it() {
        let report = crate::replay(&[], &Cache::default(), &Settings::default());
        assert!(report.checks.is_empty(), "{:?}", report.checks);
    }

    #[test]
    fn answers_that_evaluation_contradicts_are_rejected() {
        let (one, two) = (1f32.to_bits(), 2f32.to_bits());
        let model = |x, y| Answer::Sat(vec![(0, vec![], x), (1, vec![], y)]);
        let (reply, faults, _) = ask_with_cached(&open(false), model(one, two), &replay());
        assert!(matches!(reply, Reply::Sat(_)) && faults.is_empty(), "1 + 2 is not 1 * 2");
        let (reply, faults, cache) = ask_with_cached(&open(false), model(two, two), &replay());
        assert!(matches!(reply, Reply::Unknown(_)) && faults.len() == 1, "2 + 2 is 2 * 2");
        assert!(faults[0].contradicted && cache.is_empty());
        let (reply, faults, _) = ask_with_cached(&open(false), Answer::Unsat, &replay());
        assert!(matches!(reply, Reply::Unknown(_)) && faults.len() == 1, "evaluation refutes it");
        let (reply, faults, _) = ask_with_cached(&open(true), Answer::Unsat, &replay());
        assert!(matches!(reply, Reply::Unsat) && faults.is_empty());
    }

    #[test]
    fn cheap_queries_are_always_rechecked() {
        let of = |cost: u64| {
            let entry = entry(&open(true), Answer::Unsat, cost);
            (0..TURNS).filter(|turn| Recheck::Turn(*turn).wants(&entry)).count() as u64
        };
        assert_eq!([0, 1, CHEAP_COST - 1].map(of), [TURNS; 3]);
        assert_eq!([CHEAP_COST, u64::MAX].map(of), [1; 2], "not cheap");
        let cheap = entry(&open(true), Answer::Unsat, 1);
        assert!(!Recheck::Nothing.wants(&cheap) && Recheck::Everything.wants(&cheap));
    }

    #[test]
    fn other_queries_are_rechecked_in_one_of_consecutive_turns() {
        let turn = Recheck::Turn;
        let dear =
            |k: u32| Entry::new(key(&k.to_string()), String::new(), Answer::Unsat, CHEAP_COST, String::new());
        // A given entry is due in exactly one of any `TURNS` consecutive turns, and the turns have about equally many entries.
        for first in [0, 5, 1234, u64::MAX - 2 * TURNS] {
            let turns = |k: u32| (first..first + TURNS).filter(|n| turn(*n).wants(&dear(k))).count();
            assert!((0..800).all(|k| turns(k) == 1), "from {first}");
        }
        for n in 0..TURNS {
            let many = (0..800).filter(|k| turn(n).wants(&dear(*k))).count();
            assert!((60..140).contains(&many), "{many} in turn {n}");
        }
        assert!(Recheck::Everything.wants(&dear(0)));
    }

    #[cfg(feature = "solver")]
    #[test]
    fn every_cheap_answer_that_was_used_has_to_be_asked_again() {
        let (one, two) = (open(true), open(false));
        let boundaries = boundaries();
        let pool = crate::pool::threads(1);
        let settings = Settings { recheck: Recheck::Turn(0), ..Settings::default() };
        // `forgotten`: the entries whose answers a run uses without asking.
        let of = |entries: &[Entry], answered: &[&OpenGoal], settings: &Settings, forgotten: &[Entry]| {
            let mut cache = Cache::default();
            for entry in entries {
                cache.insert(entry.clone());
            }
            let mut asking = Queries::new(&mut cache, settings, &pool, &boundaries);
            asking.replies.extend(forgotten.iter().map(|entry| (entry.key.clone(), Reply::Unsat)));
            asking.ask(answered.iter().map(|open| (*open, "test")).collect(), 10_000_000);
            (asking.used_without_recheck().len(), asking.rechecked)
        };
        let cheap = [entry(&one, Answer::Unsat, 1), entry(&two, Answer::Unsat, CHEAP_COST - 1)];
        assert_eq!(
            of(&cheap, &[&one], &settings, &[]),
            (0, 1),
            "the answer for `two` is not used, so it is not due"
        );
        assert_eq!(of(&cheap, &[], &settings, &cheap), (2, 0));
        assert_eq!(of(&cheap, &[&one], &settings, &cheap[1..]), (1, 1), "one is not enough");
        // No recheck is due for an answer that is not in the cache, that another solver gave, or that is expensive.
        let dear = entry(&one, Answer::Unsat, CHEAP_COST);
        let old = Entry::new(cheap[0].key.clone(), "Z3 0".into(), Answer::Unsat, 1, "test".into());
        assert_eq!(of(&[], &[&one], &settings, &[]), (0, 0));
        assert_eq!(of(std::slice::from_ref(&old), &[&one], &settings, &[]), (0, 0));
        assert_eq!(of(std::slice::from_ref(&old), &[], &settings, &cheap), (0, 0));
        assert_eq!(of(std::slice::from_ref(&dear), &[], &settings, &cheap), (0, 0));
        let all = Settings { recheck: Recheck::Everything, ..Settings::default() };
        assert_eq!(of(&[], &[&one], &all, &[]), (0, 0));
        assert_eq!(of(&cheap, &[], &Settings::default(), &cheap), (0, 0), "nothing was to be asked again");
    }

    #[cfg(feature = "solver")]
    #[test]
    fn a_goal_that_is_not_asked_contradicts_no_cached_answer() {
        // x + y = y + x with both sides negated so often that the goal is larger than those that are still put to the solver after a refutation.
        let mut a = Arena::default();
        let (x, y) = (a.unknown(Ty::F, "x"), a.unknown(Ty::F, "y"));
        let mut sides = [a.intern(Node::Bin(FBin::Add, x, y)), a.intern(Node::Bin(FBin::Add, y, x))];
        for _ in 0..SMALL_GOAL {
            sides = sides.map(|side| a.intern(Node::Un(lockstep_core::value::FUn::Neg, side)));
        }
        let (goal, names) = Goal::new(&a, sides[0], sides[1]);
        assert!(goal.nodes.len() > SMALL_GOAL);
        let large = OpenGoal { what: "test".into(), goal, names, parts: None, fault: None };
        let boundaries = boundaries();
        let pool = crate::pool::threads(1);
        let settings = Settings { recheck: Recheck::Everything, ..Settings::default() };
        for refuted in [false, true] {
            let mut cache = Cache::default();
            cache.insert(entry(&large, Answer::Unsat, 1));
            let mut asking = Queries::new(&mut cache, &settings, &pool, &boundaries);
            asking.refuted = refuted;
            asking.ask(vec![(&large, "test")], 10_000_000);
            assert!(matches!(asking.replies.values().next(), Some(Reply::Unsat)), "{:?}", asking.replies);
            assert_eq!(asking.faults, [], "refuted: {refuted}");
            assert_eq!((asking.rechecked, asking.cached), if refuted { (0, 1) } else { (1, 0) });
        }
    }

    #[test]
    fn a_recheck_has_at_least_the_limit_that_the_answer_needed() {
        let known = |answer: Answer, cost: u64| entry(&open(true), answer, cost);
        assert_eq!(recheck_limit(None, 7), 7);
        assert_eq!(recheck_limit(Some(&known(Answer::Unsat, 50)), 7), 50);
        assert_eq!(recheck_limit(Some(&known(Answer::Unsat, 5)), 7), 7);
        assert_eq!(recheck_limit(Some(&known(Answer::Unsat, u64::MAX)), 7), u32::MAX);
        assert_eq!(recheck_limit(Some(&known(Answer::Unknown(20), 50)), 7), 20);
    }

    #[cfg(feature = "solver")]
    #[test]
    fn a_flipped_answer_with_a_valid_checksum_is_detected_by_the_solver() {
        // A false claim that no random sample refutes: no square equals a certain number. (`x + y = x * y` would be refuted by a draw.)
        let mut a = Arena::default();
        let x = a.unknown(Ty::I, "x");
        let product = a.intern(Node::IBin(lockstep_core::value::IBin::Mul, x, x));
        let number = a.intern(Node::LitI(123_456_789i32.wrapping_mul(123_456_789)));
        let is = a.intern(Node::ICmp(lockstep_core::value::ICmp::Eq, product, number));
        let never = a.intern(Node::LitB(false));
        let (goal, names) = Goal::new(&a, is, never);
        let open = OpenGoal { what: "test".into(), goal, names, parts: None, fault: None };
        let (reply, faults, _) = ask_with_cached(&open, Answer::Unsat, &Settings::default());
        assert!(matches!(reply, Reply::Unsat) && faults.is_empty(), "not asked again: {faults:?}");
        let again = Settings { recheck: Recheck::Turn(0), ..Settings::default() };
        let (reply, faults, cache) = ask_with_cached(&open, Answer::Unsat, &again);
        assert!(matches!(reply, Reply::Sat(_)), "{reply:?}");
        assert!(
            faults.len() == 1 && faults[0].contradicted && faults[0].what.contains("says unsat"),
            "{faults:?}"
        );
        let mended = cache.get(&key(&smt::query(&open.goal))).unwrap();
        assert!(matches!(mended.answer, Answer::Sat(_)));
    }
}
