//! Runs the independent prover over instruction sets.

use super::instance::{Rule, rules};
use super::judge::Memo;
use super::lemma;
use super::mutants::MutantVerdict;
use super::replay::hash;
use super::report::{LemmaResult, Report};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lockstep_core::isa::IsaId;
use rayon::ThreadPool;
use rayon::prelude::*;
use std::time::{Duration, Instant};

/// A sample of the obligations, drawn by a seed.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The maximum number of rules for each instruction set.
    pub rules: usize,
    /// The maximum number of option settings for each entry of a rule.
    pub settings: usize,
}

/// Settings of a run.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// If set, only rules whose name contains this text are judged.
    pub filter: Option<String>,
    /// If set, only a sample is judged.
    pub sample: Option<Sample>,
    /// The seed of the sample and of the mutants, such as the hash of a commit.
    pub seed: String,
    /// The number of mutants to judge for each instruction set, among those that evaluation refutes.
    pub mutants: usize,
    /// The number of threads; 0 means one for each core.
    pub threads: usize,
    /// Whether to show progress on standard error if standard error is a terminal.
    pub progress: bool,
}

/// Judges the lowering rules of these instruction sets.
pub fn run(isas: &[IsaId], settings: &Settings) -> Report {
    run_rules(isas, &|isa| lockstep_core::with_isa!(isa, I => rules::<I>()), settings)
}

/// Judges the given rules of each instruction set.
pub(crate) fn run_rules(isas: &[IsaId], rules: &dyn Fn(IsaId) -> Vec<Rule>, settings: &Settings) -> Report {
    let start = Instant::now();
    let pool = crate::pool::threads(settings.threads);
    let seed = hash(0, &settings.seed);
    let mut chosen: Vec<Rule> = Vec::new();
    let mut mutated: Vec<Vec<Rule>> = Vec::new();
    for isa in isas {
        let mut all: Vec<Rule> = rules(*isa);
        all.retain(|rule| settings.filter.as_ref().is_none_or(|f| rule.name.contains(f.as_str())));
        let by_seed = |rule: &Rule| hash(seed, &rule.name);
        if settings.mutants > 0 {
            let mut some: Vec<Rule> = rules(*isa);
            some.retain(|rule| rule.mutate && all.iter().any(|r| r.name == rule.name));
            some.sort_by_cached_key(by_seed);
            // More rules than needed, since some rules have no mutants that evaluation refutes.
            some.truncate(settings.mutants * 2 + 8);
            mutated.push(some);
        }
        if let Some(sample) = &settings.sample {
            all.sort_by_cached_key(by_seed);
            // At least half of the sample are rules whose options are combined, if there are enough of these.
            let (mut combined, mut others): (Vec<Rule>, Vec<Rule>) = all.into_iter().partition(|r| r.mutate);
            combined.truncate(sample.rules.div_ceil(2).max(sample.rules.saturating_sub(others.len())));
            others.truncate(sample.rules - combined.len());
            combined.append(&mut others);
            all = combined;
        }
        chosen.extend(all);
    }
    let memo = Memo::default();
    let some = settings.sample.as_ref().map(|sample| (sample.settings, seed));
    let bar = progress_bar(settings, "asking Z3", chosen.len());
    let judge = |rule: &Rule| (rule.judge)(&memo, some);
    let rules = chosen.par_iter().with_max_len(1);
    let outcomes: Vec<Vec<_>> = pool.install(|| rules.map(judge).inspect(|_| bar.inc(1)).collect());
    let mut outcomes = outcomes.concat();
    bar.finish_and_clear();
    outcomes.sort_by(|a, b| (a.isa, &a.name).cmp(&(b.isa, &b.name)));
    let distinct = memo.into_inner().map(|memo| memo.len()).unwrap_or_default();

    let mutants = mutated.iter().flat_map(|rules| judge_mutants(rules, settings, &pool, seed)).collect();

    let prove = |lemma: &lemma::Lemma| LemmaResult {
        name: lemma.name.to_owned(),
        difference: lemma::prove(lemma, lemma::SOLVER_LIMIT).err(),
    };
    let lemmas = pool.install(|| lemma::LEMMAS.par_iter().map(prove).collect());
    Report {
        // With a filter, an instruction set may have no obligations.
        wanted: if settings.filter.is_none() { isas.to_vec() } else { Vec::new() },
        disagreements: Vec::new(),
        outcomes,
        distinct,
        mutants,
        wanted_mutants: settings.mutants,
        lemmas,
        threads: pool.current_num_threads(),
        seconds: start.elapsed().as_secs_f64(),
    }
}

/// Judges the requested number of mutants of these rules, or all that evaluation refutes if there are fewer.
fn judge_mutants(rules: &[Rule], settings: &Settings, pool: &ThreadPool, seed: u64) -> Vec<MutantVerdict> {
    // First, each rule provides a few more than needed on average, since some rules have few. If that is not enough, the number for each rule is
    // doubled while this yields more.
    let mut each = (settings.mutants * 3 / 2).div_ceil(rules.len().max(1)).max(1);
    let mut before = 0;
    loop {
        let bar = progress_bar(settings, "trying mutants", rules.len());
        let rules = rules.par_iter().with_max_len(1);
        let mutants = |rule: &Rule| (rule.mutants)(each, seed);
        let found: Vec<Vec<_>> = pool.install(|| rules.map(mutants).inspect(|_| bar.inc(1)).collect());
        let found: Vec<MutantVerdict> = found.concat();
        bar.finish_and_clear();
        // All errors are kept.
        let (mut found, errors): (Vec<_>, Vec<_>) = found.into_iter().partition(|m| m.error.is_none());
        if found.len() >= settings.mutants || found.len() == before {
            found.truncate(settings.mutants);
            found.extend(errors);
            return found;
        }
        before = found.len();
        each *= 2;
    }
}

fn progress_bar(settings: &Settings, what: &'static str, length: usize) -> ProgressBar {
    let bar = ProgressBar::new(length as u64);
    bar.set_draw_target(if settings.progress {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    });
    if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}") {
        bar.set_style(style);
    }
    bar.set_message(what);
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a rule with `count` mutants that evaluation refutes.
    fn with_mutants(number: usize, count: usize) -> Rule {
        let name = format!("rule {number}");
        let mutant = |of: &str| MutantVerdict {
            isa: IsaId::Agal,
            name: of.to_owned(),
            tried: vec![],
            confirmed: None,
            error: None,
        };
        let mutants = {
            let name = name.clone();
            move |most: usize, _| (0..count.min(most)).map(|at| mutant(&format!("{name}: {at}"))).collect()
        };
        Rule {
            name,
            isa: IsaId::Agal,
            mutate: true,
            judge: Box::new(|_, _| vec![]),
            mutants: Box::new(mutants),
        }
    }

    #[test]
    fn other_rules_compensate_for_rules_with_few_mutants() {
        let of = |has: &[usize], mutants: usize| {
            let rules: Vec<Rule> = has.iter().enumerate().map(|(at, has)| with_mutants(at, *has)).collect();
            judge_mutants(&rules, &Settings { mutants, ..Settings::default() }, &crate::pool::threads(1), 0)
                .len()
        };
        // At first three mutants are requested of each rule, but only the last rule has that many.
        assert_eq!(of(&[0, 1, 0, 1, 50], 10), 10);
        // All mutants that exist.
        assert_eq!(of(&[0, 1, 0, 1, 5], 10), 7);
        assert_eq!(of(&[0, 0], 10), 0);
        assert_eq!(of(&[], 10), 0);
    }
}
