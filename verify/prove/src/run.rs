//! Runs obligations: by building and evaluating terms on all cores, then from the cache, then with the solver. Produces the report.

use crate::asking::{HAS_SOLVER, Queries, Recheck, Reply, solver};
use crate::cache::Cache;
use crate::claims::OpenGoal;
use crate::number;
use crate::obligation::{Kind, MutantStatus, Obligation, Task, folds, probes};
use crate::report::{MutantTally, Outcome, Report, Survivor};
use crate::term::fired::{self, Fired};
use crate::verdict::{ProofMeans, Verdict};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rayon::prelude::*;
use std::collections::{BTreeMap, HashSet};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use tracing::field::Empty;

/// Settings of a run.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools)] // a set of switches
pub struct Settings {
    /// If set, only tasks whose name contains this text are run.
    pub filter: Option<String>,
    /// Whether to show progress on standard error if standard error is a terminal.
    pub progress: bool,
    /// The limit of one attempt of the solver at one query, in the solver's own units of work. The limit is not a time, because what is proved must
    /// not depend on the load of the machine.
    pub limit: u32,
    /// Whether the tasks are all that exist and no filter is set. In such a run every listed fold must fire, every recorded reason must be needed,
    /// and, with `use_solver`, cached answers that no obligation needs are dropped.
    pub complete: bool,
    /// The number of threads; 0 means one for each core.
    pub threads: usize,
    /// Whether queries without a cached answer are put to the solver, if one is linked. If false, a cached answer is used whichever solver gave it.
    pub use_solver: bool,
    /// Which cached answers are put to the solver again.
    pub recheck: Recheck,
    /// Whether the operations of the domain are checked too. With a filter they are not checked.
    pub check_domain: bool,
    /// Reasons why surviving mutants are acceptable, by [`Survivor::key`]: `obligation: mutant`, and for some mutants also why no claim fails.
    pub reasons: BTreeMap<String, String>,
    /// Whether to stop early; called before each task and each query.
    pub stop: Option<fn() -> bool>,
}

impl Settings {
    /// Whether the run is to end with the results so far.
    pub fn is_stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop())
    }
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            filter: None,
            progress: false,
            limit: LIMIT,
            complete: false,
            threads: 0,
            use_solver: true,
            recheck: Recheck::Nothing,
            check_domain: true,
            reasons: BTreeMap::new(),
            stop: None,
        }
    }
}

/// Runs the tasks. New answers are added to the cache. A complete run with `use_solver` set, unless it is stopped, also removes answers that no
/// obligation needs.
pub fn run(tasks: &[Task], cache: &mut Cache, settings: &Settings) -> Report {
    let start = Instant::now();
    let tasks: Vec<&Task> = tasks
        .iter()
        .filter(|t| settings.filter.as_ref().is_none_or(|f| t.name.contains(f.as_str())))
        .collect();
    let pool = crate::pool::threads(settings.threads);
    let boundaries = number::boundaries();
    let bar = progress_bar(settings, "proving", tasks.len());
    fired::forget();
    let fired = Mutex::new(Fired::default());
    let of_task = |task: &&Task| {
        let span = tracing::debug_span!("obligations", task = task.name, count = Empty);
        let _span = span.enter();
        if settings.is_stopped() {
            return Vec::new();
        }
        let (obligations, folds) = fired::recording(|| {
            let mut obligations = task.obligations(&boundaries);
            for obligation in obligations.iter_mut().filter(|a| a.settled.is_none()) {
                let _span = tracing::debug_span!("numbers", name = obligation.name).entered();
                obligation.evaluate_claims(&boundaries);
            }
            span.record("count", obligations.len());
            obligations
        });
        fired.lock().unwrap_or_else(PoisonError::into_inner).extend(folds);
        obligations
    };
    // Tasks differ by orders of magnitude, so each is a batch of its own.
    let obligations: Vec<Vec<Obligation>> =
        pool.install(|| tasks.par_iter().with_max_len(1).map(of_task).inspect(|_| bar.inc(1)).collect());
    let mut obligations: Vec<Obligation> = obligations.into_iter().flatten().collect();
    let mut fired = fired.into_inner().unwrap_or_else(PoisonError::into_inner);
    bar.finish_and_clear();
    let terms = start.elapsed();

    let mut asking = Queries::new(cache, settings, &pool, &boundaries);
    // A refutation fails the run, whatever the solver finds for the rest.
    asking.refuted = obligations.iter().any(|a| matches!(a.settled, Some(Verdict::Refuted(_))));
    let limit = if asking.refuted { settings.limit.min(SHORT_LIMIT) } else { settings.limit };
    for _ in 0..REVISIONS {
        // A part that takes long is a bad split; there are other ways to split.
        asking.ask_parts(&open_goals(&obligations, &settings.reasons).0, limit.min(SHORT_LIMIT));
        let (revised, folds) = fired::recording(|| asking.revise(&mut obligations));
        fired.extend(folds);
        if !revised {
            break;
        }
    }
    // No further folds will fire.
    let complete = settings.complete && !settings.is_stopped();
    let began = Instant::now();
    let folds = folds::obligations(&fired, complete, &pool, &boundaries);
    let seconds_folds = began.elapsed().as_secs_f64();
    asking.refuted |= folds.iter().any(|a| matches!(a.settled, Some(Verdict::Refuted(_))));
    obligations.extend(folds);
    let limit = if asking.refuted { settings.limit.min(SHORT_LIMIT) } else { settings.limit };
    let (claims, mutants) = open_goals(&obligations, &settings.reasons);
    asking.ask_all(&claims, limit);
    asking.ask_all(&mutants, limit.min(MUTANT_LIMIT));
    if matches!(settings.recheck, Recheck::Everything) {
        // A reason states that the solver gave no answer for a mutant. Where everything is asked again, so are these mutants, once each: after an
        // answer the reason is no longer needed; without one it still holds.
        asking.ask_all(&open_goals(&obligations, &BTreeMap::new()).1, limit.min(FIRST_LIMIT));
    }
    let wanted = settings.check_domain && settings.filter.is_none() && !settings.is_stopped();
    let checks = if wanted { asking.check_domain() } else { Vec::new() };
    // A run with a refuted obligation puts fewer queries to the solver, and fails anyway.
    let not_again =
        if asking.refuted || settings.is_stopped() { Vec::new() } else { asking.used_without_recheck() };
    let Queries { replies, keys: by_goal, domain, cached, asked, rechecked: again, faults, .. } = asking;
    let queries = replies.len();
    let stopped = settings.is_stopped();
    if settings.complete && settings.use_solver && !stopped {
        cache.retain(|key| replies.contains_key(key) || domain.contains(key));
    }

    let direct = |open: &OpenGoal| by_goal.get(&open.goal).and_then(|key| replies.get(key));
    let reply_of = |open: &OpenGoal| match direct(open) {
        Some(reply) => Some(reply),
        None => open
            .first_goals()
            .iter()
            .map(direct)
            .find(|r| !matches!(r, Some(Reply::Unsat)))
            .unwrap_or(Some(&Reply::Unsat)),
    };
    let mut used = HashSet::new();
    let outcomes = obligations.iter().map(|a| outcome(a, &reply_of, settings, &mut used)).collect();
    let unused = if settings.complete && !stopped {
        settings.reasons.keys().filter(|key| !used.contains(*key)).cloned().collect()
    } else {
        Vec::new()
    };
    Report {
        outcomes,
        checks,
        lost: Vec::new(),
        stopped,
        unused_reasons: unused,
        solver: (settings.use_solver && HAS_SOLVER).then(solver),
        cached_by: cache.solvers(),
        queries,
        cached,
        asked,
        again,
        not_again,
        faults,
        seconds_terms: terms.as_secs_f64(),
        seconds_folds,
        seconds: start.elapsed().as_secs_f64(),
    }
}

/// The maximum number of times that goals are split into other parts because some parts did not hold.
const REVISIONS: usize = 4;

/// The default limit of one attempt of the solver: about 15 seconds.
const LIMIT: u32 = 60_000_000;

/// The limit for queries that are worth only a short attempt.
const SHORT_LIMIT: u32 = 8_000_000;

/// The approximate number of units of work that the solver does per second. Limits are counted in units, so that they do not depend on the load of a
/// machine.
pub(crate) const UNITS_PER_SECOND: u64 = 4_000_000;

/// The limit of the solver's first attempt at a query, which takes a little more than a second. If the run's limit is not higher, there is no second
/// attempt.
pub(crate) const FIRST_LIMIT: u32 = 5_000_000;

/// The limit for a mutant. Every mutant without a known reason is decided within a tenth of this limit.
const MUTANT_LIMIT: u32 = 24_000_000;

/// Returns the open goals of the obligations and those of their mutants, each with the obligation's name. Mutants with a recorded reason are
/// left out.
#[allow(clippy::type_complexity)] // two lists of pairs
fn open_goals<'a>(
    obligations: &'a [Obligation],
    reasons: &BTreeMap<String, String>,
) -> (Vec<(&'a OpenGoal, &'a str)>, Vec<(&'a OpenGoal, &'a str)>) {
    let (mut claims, mut mutants) = (Vec::new(), Vec::new());
    for obligation in obligations {
        if obligation.settled.is_none() {
            claims.extend(obligation.claims.open.iter().map(|open| (open, obligation.name.as_str())));
        }
        for (mutant, status) in &obligation.mutants {
            let status = if let MutantStatus::NeedsReason(status) = status { status } else { status };
            if let MutantStatus::OpenGoal(open) = status {
                // The recorded reason is that the solver gave no answer for the mutant in an earlier run.
                if reasons.contains_key(&format!("{}: {mutant}", obligation.name)) {
                    continue;
                }
                mutants.extend(open.iter().map(|open| (open, obligation.name.as_str())));
            }
        }
    }
    (claims, mutants)
}

pub(crate) fn progress_bar(settings: &Settings, what: &'static str, n: usize) -> ProgressBar {
    let target = if settings.progress { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(n as u64), target);
    if let Ok(style) = ProgressStyle::with_template("{msg} [{bar:40}] {pos}/{len} {eta}") {
        bar.set_style(style);
    }
    bar.set_message(what);
    bar
}

fn outcome<'r>(
    obligation: &Obligation,
    reply_of: &dyn Fn(&OpenGoal) -> Option<&'r Reply>,
    settings: &Settings,
    used: &mut HashSet<String>,
) -> Outcome {
    let mutants = mutants(obligation, reply_of, settings, used);
    let verdict = match verdict_of(obligation, reply_of) {
        verdict if obligation.kind == Kind::FalseClaim => {
            probes::verdict(verdict, obligation.settled.is_some())
        }
        Verdict::Proved { .. } | Verdict::Bounded { .. } | Verdict::Tested { .. }
            if mutants.refuted == 0 && obligation.needs_witness() =>
        {
            Verdict::Unknown {
                reason: "none of its mutants is refuted, so the claim may hold for any program".to_owned(),
            }
        }
        verdict => verdict,
    };
    tracing::trace!(obligation = obligation.name, claims = obligation.claims.count(), ?verdict);
    Outcome {
        kind: obligation.kind,
        name: obligation.name.clone(),
        claims: obligation.claims.count(),
        verdict,
        mutants,
    }
}

fn verdict_of<'r>(obligation: &Obligation, reply_of: &dyn Fn(&OpenGoal) -> Option<&'r Reply>) -> Verdict {
    if let Some(verdict) = &obligation.settled {
        return verdict.clone();
    }
    let mut how = ProofMeans::SameTerm;
    let mut unknown =
        obligation.claims.missed.as_ref().map(|what| format!("the claims are incomplete: {what}"));
    for open in &obligation.claims.open {
        if let Some(fault) = &open.fault {
            unknown = Some(format!("{}: {fault}", open.what));
        }
        match reply_of(open) {
            // Small goals proved by the solver and combined by congruence count as lemmas.
            Some(Reply::Unsat) => {
                how = how.max(if open.parts.is_some() { ProofMeans::Lemma } else { ProofMeans::Solver });
            }
            Some(Reply::Sat(model)) => {
                // Recomputed from the model, so that the cache is not trusted.
                let mut values = Vec::new();
                number::evaluate(&open.goal, &mut model.clone(), &mut values);
                if number::refutes(&open.goal, &values) {
                    return Verdict::Refuted(Box::new(open.counterexample(&values)));
                }
                unknown = Some(format!("{}: a model that evaluation does not confirm", open.what));
            }
            Some(Reply::Unknown(reason)) => unknown = Some(format!("{}: {reason}", open.what)),
            None => unknown = Some(format!("{}: it was not put to the solver", open.what)),
        }
    }
    match (unknown, obligation.claims.cut.or(obligation.fuel)) {
        (Some(reason), _) => Verdict::Unknown { reason },
        (None, Some(bound)) if obligation.kind == Kind::Program => Verdict::Bounded { bound },
        // Only whole programs may have more paths than can be followed.
        (None, Some(bound)) => {
            Verdict::Unknown { reason: format!("only {bound} of its paths were followed") }
        }
        (None, None) if obligation.claims.count() == 0 => {
            Verdict::Unknown { reason: "it has no claims".to_owned() }
        }
        (None, None) => Verdict::Proved { how },
    }
}

fn mutants<'r>(
    obligation: &Obligation,
    reply_of: &dyn Fn(&OpenGoal) -> Option<&'r Reply>,
    settings: &Settings,
    used: &mut HashSet<String>,
) -> MutantTally {
    let mut tally = MutantTally::default();
    let survives = |tally: &mut MutantTally, used: &mut HashSet<String>, key: String| {
        let reason = settings.reasons.get(&key).cloned();
        used.insert(key.clone());
        tally.surviving.push(Survivor { key, reason });
    };
    for (name, status) in &obligation.mutants {
        tally.all += 1;
        let key = format!("{}: {name}", obligation.name);
        let (status, lasting) = match status {
            MutantStatus::NeedsReason(status) => (status.as_ref(), true),
            status => (status, false),
        };
        match (mutant_outcome(status, reply_of), status) {
            (MutantOutcome::Refuted, _) => tally.refuted += 1,
            (MutantOutcome::Equivalent, _) if lasting => {
                survives(&mut tally, used, format!("{key}: {UNDETECTED_DROP}"));
            }
            (MutantOutcome::Equivalent, _) => tally.equivalent += 1,
            (MutantOutcome::No, MutantStatus::DecidedByRule) if !lasting => tally.of_rules.push(name.clone()),
            (MutantOutcome::No, MutantStatus::Unclaimed(why)) => {
                survives(&mut tally, used, format!("{key}: {why}"));
            }
            (MutantOutcome::No, _) => survives(&mut tally, used, key),
        }
    }
    tally
}

/// The end of the key of a mutant that drops an effect or a kill mark and yet is equivalent.
const UNDETECTED_DROP: &str = "an effect or a kill mark is dropped, and nothing misses it";

/// The result for a mutant, given its status and the solver's replies; `No` if these do not decide it.
enum MutantOutcome {
    Refuted,
    Equivalent,
    No,
}

fn mutant_outcome<'r>(
    status: &MutantStatus,
    reply_of: &dyn Fn(&OpenGoal) -> Option<&'r Reply>,
) -> MutantOutcome {
    let open = match status {
        MutantStatus::Refuted => return MutantOutcome::Refuted,
        MutantStatus::Equivalent => return MutantOutcome::Equivalent,
        MutantStatus::OpenGoal(open) => open,
        _ => return MutantOutcome::No,
    };
    let replies: Vec<Option<&Reply>> = open.iter().map(reply_of).collect();
    if replies.iter().any(|r| matches!(r, Some(Reply::Sat(_)))) {
        return MutantOutcome::Refuted;
    }
    let proved =
        replies.iter().all(|r| matches!(r, Some(Reply::Unsat))) && open.iter().all(|o| o.fault.is_none());
    if proved { MutantOutcome::Equivalent } else { MutantOutcome::No }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::ClaimBuilder;
    use crate::term::Terms;

    #[test]
    fn a_goal_that_was_not_asked_is_not_proved() {
        let (d, mut claims) = (Terms::default(), ClaimBuilder::default());
        claims.claim_equal(&d, || "two numbers".to_owned(), d.unknown_f("x").0, d.unknown_f("y").0);
        let obligation = Obligation {
            kind: Kind::RewriteRule,
            name: "test".to_owned(),
            claims: claims.claims(&d),
            settled: None,
            fuel: None,
            mutants: Vec::new(),
        };
        assert_eq!(obligation.claims.open.len(), 1);
        let verdict = verdict_of(&obligation, &|_| None);
        assert!(matches!(verdict, Verdict::Unknown { .. }), "{verdict:?}");
        let verdict = verdict_of(&obligation, &|_| Some(&Reply::Unsat));
        assert_eq!(verdict, Verdict::Proved { how: ProofMeans::Solver });
    }

    #[test]
    fn a_mutant_is_equivalent_only_if_all_of_its_goals_are_proved() {
        let (d, mut claims) = (Terms::default(), ClaimBuilder::default());
        for name in ["x", "y"] {
            claims.claim_equal(&d, || name.to_owned(), d.unknown_f(name).0, d.unknown_f("z").0);
        }
        let open = claims.claims(&d).open;
        assert_eq!(open.len(), 2);
        let status = MutantStatus::OpenGoal(open);
        let outcome = |first: Option<&'static Reply>, second: Option<&'static Reply>| {
            mutant_outcome(&status, &|goal| if goal.what == "x" { first } else { second })
        };
        static UNSAT: Reply = Reply::Unsat;
        assert!(matches!(outcome(Some(&UNSAT), Some(&UNSAT)), MutantOutcome::Equivalent));
        for (first, second) in [(Some(&UNSAT), None), (None, Some(&UNSAT)), (None, None)] {
            assert!(matches!(outcome(first, second), MutantOutcome::No));
        }
    }
}
