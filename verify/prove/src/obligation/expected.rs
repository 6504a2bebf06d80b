//! The settings of options that there must be obligations about, worked out apart from what makes these: every choice of every option that a program's
//! lowering reads, or its reference on numbers.

use super::{Attempt, entries};
use crate::term::Map;
use crate::verdict::Verdict;
use lockstep_core::host::{Bound, Environment};
use lockstep_core::ir::eval::Scalar;
use lockstep_core::ir::{self, Ty, VarKey};
use lockstep_core::isa::{self, Context, Isa, Options, Running};
use lockstep_core::value::Concrete;
use std::collections::BTreeMap;

/// What registers hold when the reference is run.
const NUMBERS: [f32; 3] = [1.5, 0.0, f32::NEG_INFINITY];

/// Whether an obligation has a name, or one that goes on behind a colon; or is refused altogether.
pub(super) fn is_among(name: &str, all: &[Attempt]) -> bool {
    all.iter().any(|attempt| match attempt.name.strip_prefix(name) {
        Some(rest) => rest.is_empty() || rest.starts_with(':'),
        None => {
            matches!(attempt.settled, Some(Verdict::NotApplicable { .. }))
                && name.starts_with(attempt.name.as_str())
        }
    })
}

/// The names of obligations about a program, from each of its entries, with one option changed; `words` if they are about its fallback.
pub(super) fn changes<I: Isa>(name: &str, program: &I::Program, words: bool) -> Vec<String> {
    let mut names = Vec::new();
    for (entry, number) in entries::<I>(program) {
        let options = Options::new(I::axes());
        let cx: Context<'_, I> = Context { program, entry: &entry, options: &options };
        let mut by_word: BTreeMap<u32, u64> = BTreeMap::new();
        if words && ir::lower_by_words(&cx, |word| _ = by_word.insert(word, options.take_read())).is_err() {
            continue;
        }
        let Ok((lowered, nodes)) = ir::lower_with_nodes(&cx) else { continue };
        if words {
            options.take_read();
        }
        // Words that lanes do not come to have no obligations; what is read before the first is noted with it.
        let first = by_word.keys().next().copied();
        let come_to = nodes.iter().map(|(_, config)| I::config_word(config)).chain(first);
        let lowering = come_to.filter_map(|word| by_word.get(&word)).fold(0, |all, read| all | read);
        let env = Environment::default();
        let lanes = usize::from(lowered.group.max(1));
        let types: Map<VarKey, Ty> = lowered.vars.iter().map(|var| (var.key, var.ty)).collect();
        // A rule is a few nodes; in a program one opcode is at many.
        let numbers = if nodes.len() < NUMBERS.len() * 3 { NUMBERS.len() } else { 1 };
        let all = nodes.iter().flat_map(|(_, config)| NUMBERS[..numbers].iter().map(move |n| (config, *n)));
        for (config, number) in all {
            let mut host = Bound::<false>::new(&env, 0);
            // Whatever type a register is of, it gets the number.
            let lane: I::Lane<Concrete> = I::refine(&Concrete, &cx, config, &mut |key| {
                Scalar::literal(&Concrete, types.get(&key).copied().unwrap_or(Ty::F32), number.to_bits())
            });
            let mut group = vec![Running { lane, fuel: 1, end: None }; lanes];
            isa::run::step(&mut Concrete, &mut host, &cx, &mut group);
        }
        let read = options.take_read() | lowering;
        for (_, axis) in I::axes().iter().enumerate().filter(|(k, _)| read >> k & 1 == 1) {
            names.extend(
                axis.choices.iter().skip(1).map(|choice| format!("{name}{number} {}={choice}", axis.name)),
            );
        }
    }
    names
}
