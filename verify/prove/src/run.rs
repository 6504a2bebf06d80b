//! Running obligations: attempts on all cores, then the cache, then the solver, then the report.

use crate::asking::{Again, Asking, HAS_SOLVER, Reply, solver};
use crate::cache::Cache;
use crate::claims::Open;
use crate::number;
use crate::obligation::{Attempt, Fate, Kind, Task, folds, probes};
use crate::report::{MutantTally, Outcome, Report, Survivor};
use crate::term::fired::{self, Fired};
use crate::verdict::{How, Verdict};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lockstep_core::parallel::{cores, parallel};
use std::collections::{BTreeMap, HashSet};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use tracing::field::Empty;

/// How to run.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools)] // a set of switches
pub struct Settings {
    /// Only obligations whose name contains this.
    pub filter: Option<String>,
    /// Shows progress on standard error if that is a terminal.
    pub progress: bool,
    /// What one attempt of the solver at one query may cost, in the solver's own units. It is never a time: what is proved must not depend on
    /// how busy a machine is.
    pub limit: u32,
    /// The tasks are all there are, and no filter keeps any back: every listed fold must have fired, every reason must be needed, and answers that
    /// nobody asks for go.
    pub complete: bool,
    /// Threads; 0 for one a core.
    pub threads: usize,
    /// Puts what the cache does not know to the solver, if there is one. Without, answers of any solver count.
    pub ask: bool,
    /// Which answers of the cache are put to the solver again.
    pub again: Again,
    /// Whether the operations of the domain are checked, too; a filter leaves them out in any case.
    pub domain: bool,
    /// Reasons why surviving mutants are no fault, by `obligation: mutant`.
    pub reasons: BTreeMap<String, String>,
    /// Whether to stop early; asked before each task and each question.
    pub stop: Option<fn() -> bool>,
}

impl Settings {
    /// Whether the run is to end with what is known.
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
            ask: true,
            again: Again::Nothing,
            domain: true,
            reasons: BTreeMap::new(),
            stop: None,
        }
    }
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
    let fired = Mutex::new(Fired::default());
    let attempts = parallel(threads, &tasks, &|| bar.inc(1), |task| {
        let span = tracing::debug_span!("obligations", task = task.name, count = Empty);
        let _span = span.enter();
        if settings.is_stopped() {
            return Vec::new();
        }
        let (attempts, folds) = fired::recording(|| {
            let mut attempts = task.attempts(&boundaries);
            for attempt in attempts.iter_mut().filter(|a| a.settled.is_none()) {
                let _span = tracing::debug_span!("numbers", name = attempt.name).entered();
                attempt.on_numbers(&boundaries);
            }
            span.record("count", attempts.len());
            attempts
        });
        fired.lock().unwrap_or_else(PoisonError::into_inner).extend(folds);
        attempts
    });
    let mut attempts: Vec<Attempt> = attempts.into_iter().flatten().collect();
    let mut fired = fired.into_inner().unwrap_or_else(PoisonError::into_inner);
    bar.finish_and_clear();
    let terms = start.elapsed();

    let mut asking = Asking::new(cache, settings, threads, &boundaries);
    // What is refuted keeps the run from passing, whatever the solver makes of the rest.
    asking.refuted = attempts.iter().any(|a| matches!(a.settled, Some(Verdict::Refuted(_))));
    let limit = if asking.refuted { settings.limit.min(MOMENT) } else { settings.limit };
    for _ in 0..REVISIONS {
        // A part that takes long is a bad part: there are others.
        asking.parts(&opens(&attempts, &settings.reasons).0, limit.min(MOMENT));
        let (revised, folds) = fired::recording(|| asking.revise(&mut attempts));
        fired.extend(folds);
        if !revised {
            break;
        }
    }
    // Everything has been folded that is going to be.
    let complete = settings.complete && !settings.is_stopped();
    let began = Instant::now();
    let folds = folds::attempts(&fired, complete, threads, &boundaries);
    let seconds_folds = began.elapsed().as_secs_f64();
    asking.refuted |= folds.iter().any(|a| matches!(a.settled, Some(Verdict::Refuted(_))));
    attempts.extend(folds);
    let limit = if asking.refuted { settings.limit.min(MOMENT) } else { settings.limit };
    let (claims, mutants) = opens(&attempts, &settings.reasons);
    asking.round(&claims, limit);
    asking.round(&mutants, limit.min(MUTANT));
    if matches!(settings.again, Again::Everything) {
        // A reason says that the solver has been in vain over a mutant; where everything is asked again, so is that, once each: a reason that an
        // attempt shows to be wrong is not needed any more, and what goes beyond the attempt is what the reason says.
        asking.round(&opens(&attempts, &BTreeMap::new()).1, limit.min(ONCE));
    }
    let wanted = settings.domain && settings.filter.is_none() && !settings.is_stopped();
    let checks = if wanted { asking.domain() } else { Vec::new() };
    let Asking { replies, keys: by_goal, domain, cached, asked, again, faults, .. } = asking;
    let queries = replies.len();
    let stopped = settings.is_stopped();
    if settings.complete && settings.ask && !stopped {
        cache.retain(|key| replies.contains_key(key) || domain.contains(key));
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
        solver: (settings.ask && HAS_SOLVER).then(solver),
        cached_by: cache.solvers(),
        queries,
        cached,
        asked,
        again,
        faults,
        seconds_terms: terms.as_secs_f64(),
        seconds_folds,
        seconds: start.elapsed().as_secs_f64(),
    }
}

/// How often a goal is cut into other parts because some of its parts did not hold.
const REVISIONS: usize = 4;

/// What an attempt of the solver may cost; about a quarter of a minute.
const LIMIT: u32 = 60_000_000;

/// What one may cost at what is only worth a moment.
const MOMENT: u32 = 8_000_000;

/// What the solver's first attempt at a query may cost, and the only one where no more is allowed; about a second.
pub(crate) const ONCE: u32 = 5_000_000;

/// What one may cost at a mutant. All but those whose reasons are known are judged for a tenth of it.
const MUTANT: u32 = 24_000_000;

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
            let fate = if let Fate::Lasting(fate) = fate { fate } else { fate };
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

pub(crate) fn bar(settings: &Settings, what: &'static str, n: usize) -> ProgressBar {
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
        verdict if attempt.kind == Kind::FalseClaim => probes::verdict(verdict, attempt.settled.is_some()),
        Verdict::Proved { .. } | Verdict::Bounded { .. } | Verdict::Tested { .. }
            if mutants.refuted == 0 && attempt.needs_witness() =>
        {
            Verdict::Unknown {
                reason: "none of its mutants is refuted, so it may hold of anything".to_owned(),
            }
        }
        verdict => verdict,
    };
    tracing::trace!(obligation = attempt.name, claims = attempt.claims.count(), ?verdict);
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
    let mut unknown = attempt.claims.missed.as_ref().map(|what| format!("not all was claimed: {what}"));
    for open in &attempt.claims.open {
        if let Some(fault) = &open.fault {
            unknown = Some(format!("{}: {fault}", open.what));
        }
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
        (None, Some(bound)) if attempt.kind == Kind::Program => Verdict::Bounded { bound },
        // Only whole programs have more ways through them than anybody could follow.
        (None, Some(bound)) => {
            Verdict::Unknown { reason: format!("only {bound} of its paths were followed") }
        }
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
    let survives = |tally: &mut MutantTally, used: &mut HashSet<String>, key: String| {
        let reason = settings.reasons.get(&key).cloned();
        used.insert(key.clone());
        tally.surviving.push(Survivor { key, reason });
    };
    for (name, fate) in &attempt.mutants {
        tally.all += 1;
        let key = format!("{}: {name}", attempt.name);
        let (fate, lasting) = match fate {
            Fate::Lasting(fate) => (fate.as_ref(), true),
            fate => (fate, false),
        };
        match (decided(fate, reply_of), fate) {
            (Decided::Refuted, _) => tally.refuted += 1,
            (Decided::Equivalent, _) if lasting => survives(&mut tally, used, format!("{key}: {LASTING}")),
            (Decided::Equivalent, _) => tally.equivalent += 1,
            (Decided::No, Fate::OfRule) if !lasting => tally.of_rules.push(name.clone()),
            (Decided::No, Fate::Unclaimed(why)) => survives(&mut tally, used, format!("{key}: {why}")),
            (Decided::No, _) => survives(&mut tally, used, key),
        }
    }
    tally
}

/// What the key of a mutant ends with that drops an effect or a kill mark and is equivalent.
const LASTING: &str = "an effect or a kill mark is dropped, and nothing misses it";

/// What is known of a mutant with the solver's replies.
enum Decided {
    Refuted,
    Equivalent,
    No,
}

fn decided<'r>(fate: &Fate, reply_of: &dyn Fn(&Open) -> Option<&'r Reply>) -> Decided {
    let open = match fate {
        Fate::Refuted => return Decided::Refuted,
        Fate::Equivalent => return Decided::Equivalent,
        Fate::Open(open) => open,
        _ => return Decided::No,
    };
    let replies: Vec<Option<&Reply>> = open.iter().map(reply_of).collect();
    if replies.iter().any(|r| matches!(r, Some(Reply::Sat(_)))) {
        return Decided::Refuted;
    }
    let proved =
        replies.iter().all(|r| matches!(r, Some(Reply::Unsat))) && open.iter().all(|o| o.fault.is_none());
    if proved { Decided::Equivalent } else { Decided::No }
}
