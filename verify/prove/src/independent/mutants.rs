//! The second road tried on mistakes: mutants of lowered rules on which numbers show a difference. None may be confirmed.

use super::agree::Pair;
use super::query::{Query, Reply, Way, ask};
use super::replay::{Drawn, differ, hash};
use crate::mutate::mutations;
use lockstep_core::ir::{self, BlockId};
use lockstep_core::isa::{Context, Isa, IsaId, Options, RuleProgram};
use serde::Serialize;

/// A mutant that numbers refute, and whether Z3 confirmed it all the same.
#[derive(Clone, Debug, Serialize)]
pub struct Judged {
    /// Instruction set.
    pub isa: IsaId,
    /// Obligation and mutant.
    pub name: String,
    /// Z3 found its query to have no model, with or without lemmas: a fault of the second road.
    pub confirmed: bool,
}

/// Draws of numbers that may refute a mutant.
const DRAWS: u64 = 60;
/// Effort for one query.
const EFFORT: u32 = 4_000_000;

/// At most so many mutants of a rule under default options, those that the seed is for, that numbers refute.
pub fn of_rule<I: Isa>(name: &str, rule: &RuleProgram<I::Program>, most: usize, seed: u64) -> Vec<Judged> {
    let mut all = Vec::new();
    let options = Options::new(I::axes());
    for entry in I::entries(&rule.program).into_iter().take(1) {
        let cx: Context<'_, I> = Context { program: &rule.program, entry: &entry, options: &options };
        let Ok((program, nodes)) = ir::lower_with_nodes(&cx) else { continue };
        let pair = Pair::new(cx, &program, &nodes);
        let blocks: Vec<u32> = (0..program.blocks.len() as u32).collect();
        let mut mutations = mutations(&program, &blocks);
        mutations.sort_by_cached_key(|mutation| hash(seed, &format!("{name} {}", mutation.name)));
        for mutation in mutations {
            if all.len() >= most {
                break;
            }
            let mutant = mutation.apply(&program);
            let parts = pair.parts_of(&program, BlockId(mutation.block));
            if !(0..DRAWS).any(|draw| differ(&pair, &mutant, &parts, &Drawn(mix(seed, draw)))) {
                continue;
            }
            let unsat = |text: &str| matches!(ask(text, EFFORT, Way::Incremental), Reply::Unsat);
            // A mutant that has no query is not confirmed.
            let confirmed = Query::new(&pair, &mutant, &parts).is_ok_and(|query| {
                unsat(&query.text) || query.with_lemmas().is_some_and(|text| unsat(&text))
            });
            all.push(Judged { isa: I::ID, name: format!("{name}: {}", mutation.name), confirmed });
        }
    }
    all
}

fn mix(seed: u64, draw: u64) -> u64 {
    hash(seed, &draw.to_string())
}
