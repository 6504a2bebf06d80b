//! The obligations: each rule program, by each of its entries, under each setting of the options that its two sides read.

use super::agree::Pair;
use super::judge::{Matter, Memo, Verdict};
use super::query::Query;
use super::replay::hash;
use lockstep_core::ir;
use lockstep_core::isa::{Context, Entry, Isa, IsaId, Options, RuleProgram};
use serde::Serialize;
use std::sync::Arc;
use std::time::Instant;

/// An obligation and what came of it.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// Instruction set.
    pub isa: IsaId,
    /// Unique name: rule program and setting of options. The first road calls it the same.
    pub name: String,
    /// What the query is known by; empty if there is none.
    pub query: String,
    /// Claims in it.
    pub claims: u64,
    /// Paths in it.
    pub paths: u64,
    /// Questions of feasibility that were asked on the way.
    pub asked: u64,
    /// Time for it.
    pub seconds: f64,
    /// The verdict.
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// A rule program with its obligations.
pub struct Rule {
    /// Name, with which the names of its obligations begin.
    pub name: String,
    /// Of which instruction set.
    pub isa: IsaId,
    /// Whether mutants of its lowering are worth trying.
    pub mutate: bool,
    /// Judges the obligations; at most so many settings for each entry, those that the seed is for.
    #[allow(clippy::type_complexity)] // one function
    pub judge: Box<dyn Fn(&Memo, Option<(usize, u64)>) -> Vec<Outcome> + Send + Sync>,
    /// Judges mutants: see [`super::mutants`].
    #[allow(clippy::type_complexity)] // one function
    pub mutants: Box<dyn Fn(usize, u64) -> Vec<super::mutants::Judged> + Send + Sync>,
}

/// Every rule of an instruction set.
pub fn rules<I: Isa>() -> Vec<Rule> {
    I::forms()
        .into_iter()
        .map(|rule| {
            let name = format!("{} lowering rules {}", I::ID, rule.name);
            let (mutate, rule) = (rule.mutate, Arc::new(rule));
            let (for_judge, for_mutants) = (Arc::clone(&rule), rule);
            let (its_name, mutants_name) = (name.clone(), name.clone());
            Rule {
                name,
                isa: I::ID,
                mutate,
                judge: Box::new(move |memo, some| judge::<I>(&its_name, &for_judge, memo, some)),
                mutants: Box::new(move |most, seed| {
                    super::mutants::of_rule::<I>(&mutants_name, &for_mutants, most, seed)
                }),
            }
        })
        .collect()
}

fn judge<I: Isa>(
    name: &str,
    rule: &RuleProgram<I::Program>,
    memo: &Memo,
    some: Option<(usize, u64)>,
) -> Vec<Outcome> {
    let mut all = Vec::new();
    for entry in I::entries(&rule.program) {
        let mut settings = vec![Options::new(I::axes())];
        let mut at = 0;
        while let Some(options) = settings.get(at) {
            options.take_read();
            let changed: String =
                options.changed().map(|(axis, choice)| format!(" {axis}={choice}")).collect();
            all.push(one::<I>(format!("{name}{changed}"), rule, &entry, options, memo));
            // Options are combined in one form of each opcode; the others have them changed one by one.
            if rule.mutate || at == 0 {
                let read = options.take_read();
                let (from, options) = (settings.len(), options.clone());
                for (axis, a) in I::axes().iter().enumerate().filter(|(axis, _)| read >> axis & 1 == 1) {
                    for choice in 0..a.choices.len() as u8 {
                        let mut other = options.clone();
                        other.set(axis, choice);
                        if !settings.contains(&other) {
                            settings.push(other);
                        }
                    }
                }
                if let Some((most, seed)) = some {
                    let order = |options: &Options| {
                        hash(seed, &format!("{name} {:?}", options.changed().collect::<Vec<_>>()))
                    };
                    settings[from..].sort_by_key(order);
                    settings.truncate(most.max(1));
                }
            }
            at += 1;
        }
    }
    all
}

fn one<I: Isa>(
    name: String,
    rule: &RuleProgram<I::Program>,
    entry: &Entry,
    options: &Options,
    memo: &Memo,
) -> Outcome {
    let cx: Context<'_, I> = Context { program: &rule.program, entry, options };
    let open = |reason: String| Outcome {
        isa: I::ID,
        name: name.clone(),
        query: String::new(),
        claims: 0,
        paths: 0,
        asked: 0,
        seconds: 0.0,
        verdict: Verdict::Open { reason, query: String::new() },
    };
    let (program, nodes) = match ir::lower_with_nodes(&cx) {
        Ok(lowered) => lowered,
        Err(error) => return open(error.to_string()),
    };
    let start = Instant::now();
    let pair = Pair::new(cx, &program, &nodes);
    let parts = pair.parts(&program);
    let query = match Query::new(&pair, &program, &parts) {
        Ok(query) => query,
        Err(reason) => return open(reason),
    };
    let verdict = Matter { pair: &pair, program: &program, parts: &parts }.judge(&query, memo);
    Outcome {
        isa: I::ID,
        query: query.key(),
        claims: query.claims,
        paths: query.paths,
        asked: query.asked,
        seconds: start.elapsed().as_secs_f64(),
        verdict,
        name,
    }
}
