//! The second road tried on mistakes: mutants of lowered rules on which numbers show a difference. None may be confirmed.

use super::agree::Pair;
use super::judge::{How, Matter};
use super::query::{Query, Reply, Way, ask};
use super::replay::{Drawn, Noted, differ, hash};
use crate::mutate::mutations;
use lockstep_core::ir::{self, BlockId};
use lockstep_core::isa::{Context, Entry, Isa, IsaId, Options, RuleProgram};
use serde::Serialize;

/// A mutant that numbers refute, and whether Z3 confirmed it all the same.
#[derive(Clone, Debug, Serialize)]
pub struct Judged {
    /// Instruction set.
    pub isa: IsaId,
    /// Obligation and mutant.
    pub name: String,
    /// The rungs that it was a matter for.
    pub tried: Vec<How>,
    /// The first of them that found its query to have no model: a fault of the second road.
    pub confirmed: Option<How>,
}

/// Draws of numbers that may refute a mutant.
const DRAWS: u64 = 60;
/// Effort for one query.
const EFFORT: u32 = 4_000_000;

/// At most so many mutants of a rule that numbers refute, under default options or others, as the seed has it.
pub fn of_rule<I: Isa>(name: &str, rule: &RuleProgram<I::Program>, most: usize, seed: u64) -> Vec<Judged> {
    let mut all = Vec::new();
    for entry in I::entries(&rule.program).into_iter().take(1) {
        let options = setting::<I>(name, rule, &entry, seed);
        let changed: String = options.changed().map(|(axis, choice)| format!(" {axis}={choice}")).collect();
        let name = format!("{name}{changed}");
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
            let Some(values) = (0..DRAWS).find_map(|draw| {
                let drawn = Drawn(mix(seed, draw));
                let noted = Noted::new(&drawn);
                differ(&pair, &mutant, &parts, &noted).then(|| noted.values())
            }) else {
                continue;
            };
            // A mutant that has no query is not confirmed.
            let (mut tried, mut confirmed) = (Vec::new(), None);
            if let Ok(query) = Query::new(&pair, &mutant, &parts) {
                // On the numbers that refute it a query has a model for certain, so that no rung may say otherwise, however much it takes exactly;
                // and with all inputs known that costs little.
                let known = query.given(&values);
                let matter = Matter { pair: &pair, program: &mutant, parts: &parts };
                for how in How::LADDER {
                    let Some(confirms) = matter.confirms(&known, how) else { continue };
                    tried.push(how);
                    confirmed = confirmed.or(confirms.then_some(how));
                }
                let unsat = |text: &str| matches!(ask(text, EFFORT, Way::Incremental), Reply::Unsat);
                let open =
                    [(How::AnyFunctions, Some(query.text.clone())), (How::Lemmas, query.with_lemmas())];
                for (how, text) in open {
                    confirmed = confirmed.or(text.is_some_and(|text| unsat(&text)).then_some(how));
                }
            }
            all.push(Judged { isa: I::ID, name: format!("{name}: {}", mutation.name), tried, confirmed });
        }
    }
    all
}

/// For every second rule the defaults; for the others a choice of each option that their lowering reads, if it can be lowered so.
fn setting<I: Isa>(name: &str, rule: &RuleProgram<I::Program>, entry: &Entry, seed: u64) -> Options {
    let lowers = |options: &Options| {
        let cx: Context<'_, I> = Context { program: &rule.program, entry, options };
        ir::lower_with_nodes(&cx).is_ok()
    };
    let defaults = Options::new(I::axes());
    if hash(seed, name) & 1 == 0 || !lowers(&defaults) {
        return defaults;
    }
    let (read, mut drawn) = (defaults.take_read(), defaults.clone());
    for (axis, a) in I::axes().iter().enumerate().filter(|(axis, _)| read >> axis & 1 == 1) {
        let choice = hash(seed, &format!("{name} {}", a.name)) % a.choices.len() as u64;
        drawn.set(axis, choice as u8);
    }
    if lowers(&drawn) { drawn } else { defaults }
}

fn mix(seed: u64, draw: u64) -> u64 {
    hash(seed, &draw.to_string())
}
