//! Wherever a choice of an option changes what an instruction does, the reference records the option's Freedom, the point that the documents leave
//! open; [`ELSEWHERE`] lists the exceptions. A differing result of another implementation is explained by a choice only if the option's Freedom was
//! recorded.
//!
//! Each instruction of each instance of a lowering rule is run with random register values, under the default and under each choice of each option
//! that it reads.

use crate::drawn_steps::{environment, stepped};
use crate::flow::Random;
use lockstep_core::host::Environment;
use lockstep_core::ir::{Ty, VarKey};
use lockstep_core::isa::facet::rule_instances;
use lockstep_core::isa::lowering::lower_with_nodes;
use lockstep_core::isa::{Context, Isa, IsaId, Options};
use lockstep_core::with_isa;
use std::collections::{BTreeMap, BTreeSet};

/// The number of environments in which an instruction is run.
const ENVIRONMENTS: usize = 6;

/// Choices that change a step which does not record their Freedom, each with the reason.
const ELSEWHERE: &[(IsaId, &str, &str)] = &[
    (IsaId::D3d9, "scratch=nan", "it is recorded where the register is read, if it is read"),
    (IsaId::Pica200, "loop_address=start", "it is recorded where the inner loop ends, if it ends"),
    (IsaId::Pica200, "loop_width=byte", "it changes numbers below 0, which aL never has"),
];

/// Returns the choices that change a step in which the default does not record their Freedom, each with such a step.
fn unrecorded<I: Isa>() -> BTreeMap<String, String> {
    let mut r = Random(0xf3ee);
    let pool: Vec<Environment> = (0..ENVIRONMENTS).map(|_| environment(&mut r)).collect();
    let (mut wrong, mut changed) = (BTreeMap::new(), BTreeSet::new());
    for instance in rule_instances::<I>() {
        for entry in &I::entries(&instance.program) {
            let mut options = Options::new(I::option_specs());
            let lowered =
                lower_with_nodes(&Context::<I> { program: &instance.program, entry, options: &options });
            let Ok((program, nodes)) = lowered else { continue };
            let types: BTreeMap<VarKey, Ty> = program.vars.iter().map(|var| (var.key, var.ty)).collect();
            for (_, control) in &nodes {
                for (seed, env) in (0..).zip(&pool) {
                    options.take_read();
                    let run = |options: &Options| {
                        let cx = Context::<I> { program: &instance.program, entry, options };
                        stepped(&cx, control, &types, env, seed)
                    };
                    let (plain, freedoms) = run(&options);
                    let read = options.take_read();
                    if read == 0 {
                        break;
                    }
                    let plain = format!("{plain:?}");
                    for (option, spec) in I::option_specs().iter().enumerate() {
                        if read >> option & 1 == 0 {
                            continue;
                        }
                        for choice in 1..spec.choices.len() as u8 {
                            options.set(option, choice);
                            let differs = format!("{:?}", run(&options).0) != plain;
                            let name = format!("{}={}", spec.name, spec.choices[usize::from(choice)]);
                            if differs && !freedoms.contains(spec.freedom) {
                                let at = I::disassemble_word(&instance.program, I::control_word(control));
                                wrong
                                    .entry(name.clone())
                                    .or_insert_with(|| format!("{}: {at}", instance.name));
                            }
                            if differs {
                                changed.insert(name);
                            }
                        }
                        options.set(option, 0);
                    }
                }
            }
        }
    }
    assert!(changed.len() > 10, "{}: only {changed:?} changed anything", I::ID);
    wrong
}

#[test]
fn a_choice_that_changes_a_step_has_its_freedom_recorded() {
    for &isa in IsaId::ALL {
        let wrong = with_isa!(isa, I => unrecorded::<I>());
        let known = ELSEWHERE.iter().filter(|row| row.0 == isa).map(|row| row.1);
        let found: BTreeSet<&str> = wrong.keys().map(String::as_str).collect();
        assert_eq!(
            found,
            known.collect(),
            "{isa}: choices that change a step although the step does not record their Freedom: {wrong:#?}"
        );
    }
}
