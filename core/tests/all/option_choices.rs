//! Every choice of every option, except those that [`undistinguished`] lists, changes the behaviour of some instance of a lowering rule.
//!
//! Proofs about options use these instances. If no instance distinguishes a choice from the default, no proof covers that choice. The reference runs
//! each instruction of an instance with random register values, once under the default and once under the choice.

use crate::drawn_steps::{environment, stepped};
use crate::flow::Random;
use lockstep_core::host::Environment;
use lockstep_core::ir::{Ty, VarKey};
use lockstep_core::isa::facet::rule_instances;
use lockstep_core::isa::lowering::lower_with_nodes;
use lockstep_core::isa::{Context, Isa, IsaId, Options};
use lockstep_core::with_isa;
use std::collections::{BTreeMap, BTreeSet};

/// Returns the choices under which every instance of a lowering rule behaves as under the default, as `option=choice`.
fn idle_choices<I: Isa>() -> Vec<String> {
    let mut r = Random(0x0b7);
    let pool: Vec<Environment> = (0..24).map(|_| environment(&mut r)).collect();
    let mut open: BTreeSet<(usize, u8)> = BTreeSet::new();
    for (option, spec) in I::option_specs().iter().enumerate() {
        open.extend((1..spec.choices.len() as u8).map(|choice| (option, choice)));
    }
    for instance in rule_instances::<I>() {
        for entry in &I::entries(&instance.program) {
            let mut options = Options::new(I::option_specs());
            let lowered =
                lower_with_nodes(&Context::<I> { program: &instance.program, entry, options: &options });
            let Ok((program, nodes)) = lowered else { continue };
            let types: BTreeMap<VarKey, Ty> = program.vars.iter().map(|var| (var.key, var.ty)).collect();
            for (_, control) in &nodes {
                for (seed, env) in (0..).zip(&pool) {
                    if open.is_empty() {
                        return Vec::new();
                    }
                    options.take_read();
                    let run = |options: &Options| {
                        let cx = Context::<I> { program: &instance.program, entry, options };
                        stepped(&cx, control, &types, env, seed).0
                    };
                    let plain = run(&options);
                    let read = options.take_read();
                    if open.iter().all(|(option, _)| read >> option & 1 == 0) {
                        break;
                    }
                    open.retain(|(option, choice)| {
                        if read >> option & 1 == 0 {
                            return true;
                        }
                        options.set(*option, *choice);
                        let other = run(&options);
                        options.set(*option, 0);
                        format!("{plain:?}") == format!("{other:?}")
                    });
                }
            }
        }
    }
    let name = |(option, choice): (usize, u8)| {
        let spec = &I::option_specs()[option];
        format!("{}={}", spec.name, spec.choices[usize::from(choice)])
    };
    open.into_iter().map(name).collect()
}

/// Returns the choices that no rule instance distinguishes from the default, each with the reason. Test vectors show the effect of those choices that
/// change numbers.
fn undistinguished(isa: IsaId) -> &'static [(&'static str, &'static str)] {
    match isa {
        IsaId::Agal => &[
            ("direct_fields=ignore", LEGALITY),
            ("sampler_reuse=accept", LEGALITY),
            ("mask_w=accept", LEGALITY),
        ],
        IsaId::D3d9 => &[
            ("pow_zero=one", "the formula gives 1, too, unless zero_times=ieee"),
            ("vertex_processing=software", LEGALITY),
        ],
        IsaId::Pica200 => &[],
        IsaId::A2xx => &[
            (
                "dot=xyzw_first",
                "it shows only with a first product of -0, which exists only under legacy_multiply=ieee",
            ),
            ("stride_unit=bytes", VERSION),
            ("mini_fetch=never", VERSION),
            ("half_float=ieee", VERSION),
        ],
        IsaId::UtgardGp => &[("unwritten=nan", "steps begin with registers that something has written")],
        IsaId::Unlisted(_) => &[],
    }
}

const LEGALITY: &str = "it concerns which programs are legal, not what a program does";
const VERSION: &str =
    "it is the default of the version of the rule instances; the other choice is the default of Xenos";

#[test]
fn each_choice_of_each_option_makes_a_difference_to_some_rule_instance() {
    let all: Vec<_> =
        IsaId::ALL.iter().map(|isa| (*isa, with_isa!(*isa, I => idle_choices::<I>()))).collect();
    for (isa, idle) in all {
        let known: Vec<&str> = undistinguished(isa).iter().map(|(choice, _)| *choice).collect();
        assert_eq!(idle, known, "{isa}: choices of options that are in no proof of a lowering rule");
    }
}
