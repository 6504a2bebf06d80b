//! Running obligations: attempts on all cores, then the cache, then the solver, then the report.

use crate::cache::{Answer, Cache, Entry, key};
use crate::claims::Open;
use crate::goal::Goal;
use crate::number::{self, Model};
use crate::obligation::{Attempt, Fate, Task, folds};
use crate::report::{Checked, MutantTally, Outcome, Report, Survivor};
use crate::smt;
use crate::term::Function;
use crate::term::fired::{self, Fired};
use crate::verdict::{How, Verdict};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lockstep_core::parallel::{cores, parallel};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::{Duration, Instant};

/// How to run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Only obligations whose name contains this.
    pub filter: Option<String>,
    /// Shows progress on standard error if that is a terminal.
    pub progress: bool,
    /// Time for one attempt of the solver at one query.
    pub timeout: Duration,
    /// The tasks are all there are, and no filter keeps any back: every listed fold must have fired, every reason must be needed, and answers that
    /// nobody asks for go.
    pub complete: bool,
    /// Threads; 0 for one a core.
    pub threads: usize,
    /// Puts what the cache does not know to the solver, if there is one. Without, answers of any solver count.
    pub ask: bool,
    /// Reasons why surviving mutants are no fault, by `obligation: mutant`.
    pub reasons: BTreeMap<String, String>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            filter: None,
            progress: false,
            timeout: Duration::from_secs(20),
            complete: false,
            threads: 0,
            ask: true,
            reasons: BTreeMap::new(),
        }
    }
}

/// What a query came to.
#[derive(Clone, Debug)]
enum Reply {
    Unsat,
    Sat(Model),
    Unknown(String),
}

/// A query and who asks it.
struct Query {
    text: String,
    #[cfg_attr(not(feature = "solver"), allow(dead_code))]
    goal: Goal,
    asked_by: String,
}

/// Runs the tasks. New answers go into the cache; if the tasks are all there are, answers that nobody asks for go out of it.
pub fn run(tasks: &[Task], cache: &mut Cache, settings: &Settings) -> Report {
    let start = Instant::now();
    let tasks: Vec<&Task> = tasks
        .iter()
        .filter(|t| settings.filter.as_ref().is_none_or(|f| t.name.contains(f.as_str())))
        .collect();
    let threads = if settings.threads == 0 { cores() } else { settings.threads };
    let boundaries = number::boundaries();
    let bar = bar(settings, "proving", tasks.len());
    fired::forget();
    let mut fired = Fired::default();
    let mut attempts: Vec<Attempt> = Vec::new();
    for (some, folds) in parallel(threads, &tasks, &|| bar.inc(1), |task| {
        fired::recording(|| {
            let mut attempts = (task.run)(&boundaries);
            attempts.iter_mut().filter(|a| a.settled.is_none()).for_each(|a| a.on_numbers(&boundaries));
            attempts
        })
    }) {
        attempts.extend(some);
        fired.extend(folds);
    }
    bar.finish_and_clear();
    let terms = start.elapsed();

    let mut asking = Asking {
        cache,
        settings,
        threads,
        replies: HashMap::new(),
        keys: HashMap::new(),
        cached: 0,
        asked: 0,
        refuted: false,
    };
    // What is refuted keeps the run from passing, whatever the solver makes of the rest.
    asking.refuted = attempts.iter().any(|a| matches!(a.settled, Some(Verdict::Refuted(_))));
    let timeout = if asking.refuted { settings.timeout.min(MOMENT) } else { settings.timeout };
    for _ in 0..REVISIONS {
        // A part that takes long is a bad part: there are others.
        asking.parts(&opens(&attempts, &settings.reasons).0, timeout.min(MOMENT));
        let (revised, folds) = fired::recording(|| asking.revise(&mut attempts, &boundaries));
        fired.extend(folds);
        if !revised {
            break;
        }
    }
    // Everything has been folded that is going to be.
    let folds = folds::attempts(&fired, settings.complete, threads, &boundaries);
    asking.refuted |= folds.iter().any(|a| matches!(a.settled, Some(Verdict::Refuted(_))));
    attempts.extend(folds);
    let timeout = if asking.refuted { settings.timeout.min(MOMENT) } else { settings.timeout };
    let (claims, mutants) = opens(&attempts, &settings.reasons);
    asking.round(&claims, timeout);
    asking.round(&mutants, timeout.min(MUTANT));
    let Asking { replies, keys: by_goal, cached, asked, .. } = asking;
    let queries = replies.len();
    if settings.complete && settings.ask {
        cache.retain(|key| replies.contains_key(key));
    }

    let direct = |open: &Open| by_goal.get(&open.goal).and_then(|key| replies.get(key));
    let reply_of = |open: &Open| match direct(open) {
        Some(reply) => Some(reply),
        None => open
            .first()
            .iter()
            .map(direct)
            .find(|r| !matches!(r, Some(Reply::Unsat)))
            .unwrap_or(Some(&Reply::Unsat)),
    };
    let mut used = HashSet::new();
    let outcomes = attempts.iter().map(|a| outcome(a, &reply_of, settings, &mut used)).collect();
    let unused = if settings.complete {
        settings.reasons.keys().filter(|key| !used.contains(*key)).cloned().collect()
    } else {
        Vec::new()
    };
    let checks = if settings.ask { checks(threads, settings) } else { Vec::new() };
    Report {
        outcomes,
        checks,
        lost: Vec::new(),
        unused_reasons: unused,
        solver: (settings.ask && cfg!(feature = "solver")).then(solver),
        cached_by: cache.solvers(),
        queries,
        cached,
        asked,
        seconds_terms: terms.as_secs_f64(),
        seconds: start.elapsed().as_secs_f64(),
    }
}

/// The domain check; a filter leaves it out.
#[cfg(feature = "solver")]
fn checks(threads: usize, settings: &Settings) -> Vec<Checked> {
    if settings.filter.is_some() {
        return Vec::new();
    }
    let all: Vec<usize> = (0..crate::check::count()).collect();
    let bar = bar(settings, "comparing numbers with the solver", all.len());
    let checks = parallel(threads, &all, &|| bar.inc(1), |k| crate::check::check(*k));
    bar.finish_and_clear();
    checks.into_iter().flatten().collect()
}
#[cfg(not(feature = "solver"))]
fn checks(_: usize, _: &Settings) -> Vec<Checked> {
    Vec::new()
}

/// How often a goal is cut into other parts because some of its parts did not hold.
const REVISIONS: usize = 4;

/// Terms of a goal that is put to the solver even though something is refuted.
const SMALL: usize = 16;

/// Time for one attempt of the solver at what is only worth a moment.
const MOMENT: Duration = Duration::from_secs(2);

/// Time for one attempt of the solver at a mutant. All but those whose reasons are known are judged within a tenth of it, on a machine that
/// does nothing else.
const MUTANT: Duration = Duration::from_secs(6);

/// What obligations leave open, and what their mutants leave open, each with the obligation's name.
#[allow(clippy::type_complexity)] // two lists of pairs
fn opens<'a>(
    attempts: &'a [Attempt],
    reasons: &BTreeMap<String, String>,
) -> (Vec<(&'a Open, &'a str)>, Vec<(&'a Open, &'a str)>) {
    let (mut claims, mut mutants) = (Vec::new(), Vec::new());
    for attempt in attempts {
        if attempt.settled.is_none() {
            claims.extend(attempt.claims.open.iter().map(|open| (open, attempt.name.as_str())));
        }
        for (mutant, fate) in &attempt.mutants {
            if let Fate::Open(open) = fate {
                // The solver has been in vain over these before.
                if reasons.contains_key(&format!("{}: {mutant}", attempt.name)) {
                    continue;
                }
                mutants.extend(open.iter().map(|open| (open, attempt.name.as_str())));
            }
        }
    }
    (claims, mutants)
}

/// The state of asking.
struct Asking<'a> {
    cache: &'a mut Cache,
    settings: &'a Settings,
    threads: usize,
    replies: HashMap<String, Reply>,
    keys: HashMap<Goal, String>,
    cached: usize,
    asked: usize,
    /// An obligation is refuted, so that goals are only put to the solver if they are small.
    refuted: bool,
}

impl Asking<'_> {
    /// Asks for the parts of every goal.
    fn parts(&mut self, opens: &[(&Open, &str)], timeout: Duration) {
        let parts = opens.iter().flat_map(|(open, name)| open.first().iter().map(move |part| (part, *name)));
        self.ask(parts.collect(), timeout);
    }

    /// Asks for the parts of every goal, then for the goals of which some part does not hold.
    fn round(&mut self, opens: &[(&Open, &str)], timeout: Duration) {
        self.parts(opens, timeout);
        let whole = opens.iter().copied().filter(|(open, _)| self.has_failed(open)).collect();
        self.ask(whole, timeout);
    }

    /// Whether a goal has been asked for and is not known to hold.
    fn fails(&self, goal: &Goal) -> bool {
        self.keys.get(goal).and_then(|k| self.replies.get(k)).is_some_and(|r| !matches!(r, Reply::Unsat))
    }

    /// Whether a goal has parts and some of them fail.
    fn has_failed(&self, open: &Open) -> bool {
        open.parts.as_ref().is_some_and(|parts| parts.iter().any(|part| self.fails(&part.goal)))
    }

    /// Looks for numbers that refute the goals of which some parts have failed, and else for other parts; says whether there was any
    /// need.
    fn revise(&self, attempts: &mut [Attempt], boundaries: &[u32]) -> bool {
        let failed: HashSet<Goal> = self.keys.keys().filter(|goal| self.fails(goal)).cloned().collect();
        let mut any = false;
        for attempt in attempts.iter_mut().filter(|a| a.settled.is_none()) {
            any |= attempt.revise(boundaries, &failed, &|open| self.has_failed(open));
        }
        any
    }

    /// Whether the solver is to be troubled with a query.
    fn worth_asking(&self, query: &Query) -> bool {
        !self.refuted || query.goal.nodes.len() <= SMALL
    }

    fn ask(&mut self, opens: Vec<(&Open, &str)>, timeout: Duration) {
        let mut missing: BTreeMap<String, Query> = BTreeMap::new();
        for (open, name) in opens {
            if self.keys.contains_key(&open.goal) {
                continue;
            }
            let text = smt::query(&open.goal);
            let key = key(&text);
            self.keys.insert(open.goal.clone(), key.clone());
            if self.replies.contains_key(&key) {
                continue;
            }
            match self.cache.get(&key).filter(|e| !self.settings.ask || current(e)) {
                Some(entry) => {
                    self.replies.insert(key, reply(&entry.answer));
                    self.cached += 1;
                }
                None => {
                    missing.insert(key, Query { text, goal: open.goal.clone(), asked_by: name.to_owned() });
                }
            }
        }
        let missing: Vec<(String, Query)> = missing.into_iter().collect();
        let bar = bar(self.settings, "solving", missing.len());
        let solved = parallel(self.threads, &missing, &|| bar.inc(1), |(_, query)| {
            if !self.settings.ask {
                Err("not in the cache".to_owned())
            } else if !self.worth_asking(query) {
                Err("not asked, since another obligation is refuted".to_owned())
            } else {
                ask(query, timeout)
            }
        });
        bar.finish_and_clear();
        if self.settings.ask && cfg!(feature = "solver") {
            self.asked += missing.iter().filter(|(_, query)| self.worth_asking(query)).count();
        }
        for ((key, query), answer) in missing.into_iter().zip(solved) {
            let reply = match answer {
                Ok(answer) => {
                    let reply = reply(&answer);
                    self.cache.insert(Entry {
                        key: key.clone(),
                        solver: solver(),
                        answer,
                        asked_by: query.asked_by,
                    });
                    reply
                }
                Err(reason) => Reply::Unknown(reason),
            };
            self.replies.insert(key, reply);
        }
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
    }
}

/// The solver at hand, with its version.
#[cfg(feature = "solver")]
fn solver() -> String {
    crate::solve::version()
}
#[cfg(not(feature = "solver"))]
fn solver() -> String {
    String::new()
}

/// With a solver at hand only its own answers count; without one, anybody's.
fn current(entry: &Entry) -> bool {
    !cfg!(feature = "solver") || entry.solver == solver()
}

#[cfg(feature = "solver")]
fn ask(query: &Query, timeout: Duration) -> Result<Answer, String> {
    debug_assert_eq!(query.text, smt::query(&query.goal));
    match crate::solve::solve(&query.goal, timeout) {
        crate::solve::Ended::Answer(answer) => Ok(answer),
        crate::solve::Ended::Unknown(reason) => Err(format!("the solver does not know: {reason}")),
    }
}
#[cfg(not(feature = "solver"))]
fn ask(query: &Query, _: Duration) -> Result<Answer, String> {
    Err(format!("not in the cache, and there is no solver (query of {} bytes)", query.text.len()))
}

fn bar(settings: &Settings, what: &'static str, n: usize) -> ProgressBar {
    let target = if settings.progress { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(n as u64), target);
    if let Ok(style) = ProgressStyle::with_template("{msg} [{bar:40}] {pos}/{len} {eta}") {
        bar.set_style(style);
    }
    bar.set_message(what);
    bar
}

fn outcome<'r>(
    attempt: &Attempt,
    reply_of: &dyn Fn(&Open) -> Option<&'r Reply>,
    settings: &Settings,
    used: &mut HashSet<String>,
) -> Outcome {
    let mutants = mutants(attempt, reply_of, settings, used);
    let verdict = match verdict_of(attempt, reply_of) {
        Verdict::Proved { .. } | Verdict::Bounded { .. }
            if mutants.refuted == 0 && attempt.needs_witness() =>
        {
            Verdict::Unknown {
                reason: "none of its mutants is refuted, so it may hold of anything".to_owned(),
            }
        }
        verdict => verdict,
    };
    Outcome {
        kind: attempt.kind,
        name: attempt.name.clone(),
        claims: attempt.claims.count(),
        verdict,
        mutants,
    }
}

fn verdict_of<'r>(attempt: &Attempt, reply_of: &dyn Fn(&Open) -> Option<&'r Reply>) -> Verdict {
    if let Some(verdict) = &attempt.settled {
        return verdict.clone();
    }
    let mut how = How::SameTerm;
    let mut unknown = None;
    for open in &attempt.claims.open {
        match reply_of(open) {
            // Small goals proved by the solver, joined by congruence, are lemmas.
            Some(Reply::Unsat) => how = how.max(if open.parts.is_some() { How::Lemma } else { How::Solver }),
            Some(Reply::Sat(model)) => {
                // Worked out again from the model: the cache is not believed.
                let mut values = Vec::new();
                number::evaluate(&open.goal, &mut model.clone(), &mut values);
                if number::refutes(&open.goal, &values) {
                    return Verdict::Refuted(Box::new(open.counterexample(&values)));
                }
                unknown = Some(format!("{}: a model that does not hold on numbers", open.what));
            }
            Some(Reply::Unknown(reason)) => unknown = Some(format!("{}: {reason}", open.what)),
            None => unknown = Some(format!("{}: nobody was asked", open.what)),
        }
    }
    match (unknown, attempt.claims.cut.or(attempt.fuel)) {
        (Some(reason), _) => Verdict::Unknown { reason },
        (None, Some(bound)) => Verdict::Bounded { bound },
        (None, None) if attempt.claims.count() == 0 => {
            Verdict::Unknown { reason: "it claims nothing".to_owned() }
        }
        (None, None) => Verdict::Proved { how },
    }
}

fn mutants<'r>(
    attempt: &Attempt,
    reply_of: &dyn Fn(&Open) -> Option<&'r Reply>,
    settings: &Settings,
    used: &mut HashSet<String>,
) -> MutantTally {
    let mut tally = MutantTally::default();
    for (name, fate) in &attempt.mutants {
        tally.all += 1;
        match fate {
            Fate::Refuted => tally.refuted += 1,
            Fate::Equivalent => tally.equivalent += 1,
            Fate::OfRule => tally.of_rules.push(name.clone()),
            Fate::Open(open) => {
                let replies: Vec<Option<&Reply>> = open.iter().map(reply_of).collect();
                if replies.iter().any(|r| matches!(r, Some(Reply::Sat(_)))) {
                    tally.refuted += 1;
                } else if replies.iter().all(|r| matches!(r, Some(Reply::Unsat))) {
                    tally.equivalent += 1;
                } else {
                    let key = format!("{}: {name}", attempt.name);
                    let reason = settings.reasons.get(&key).cloned();
                    used.insert(key.clone());
                    tally.surviving.push(Survivor { key, reason });
                }
            }
        }
    }
    tally
}
