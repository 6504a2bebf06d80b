//! Every compiled program of the corpus: lowering by nodes and lowering by words both agree with the reference, under any options. A result cannot be
//! read after a branch.

use crate::flow::{Random, Tally, compare, first_lane};
use crate::material::material;
use lockstep_core::host::{Environment, LaneInput};
use lockstep_core::isa::lowering::Mode;
use lockstep_core::isa::utgard_gp::UtgardGp;
use lockstep_core::isa::{Context, End, Format, Options, Syntax, Tables};

fn check_program(name: &str, program: &<UtgardGp as Format>::Program, seed: u64, tally: &mut Tally) {
    let mut r = Random(seed);
    let entry = &UtgardGp::entries(program)[0];
    let mut env = Environment {
        constants: (0..32).map(|_| r.four()).collect(),
        fuel: 40,
        lanes: (0..8).map(|_| LaneInput { slots: (0..16).map(|_| r.four()).collect() }).collect(),
        ..Environment::default()
    };
    UtgardGp::preset(program, entry, &mut env);
    let options = if seed > 0 { r.options::<UtgardGp>() } else { Options::new(UtgardGp::option_specs()) };
    let cx: Context<'_, UtgardGp> = Context { program, entry, options: &options };
    compare(&format!("{name}, seed {seed}"), cx, &env, &[Mode::Nodes, Mode::Fallback], tally);
}

#[test]
fn both_lowerings_of_compiled_programs_agree() {
    let Some(folder) = material("utgard-gp/open") else { return };
    let mut tally = Tally::default();
    let mut files = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|e| e != "bin") {
            continue;
        }
        let program = UtgardGp::decode(&std::fs::read(&path).unwrap()).unwrap();
        files += 1;
        for seed in 0..6 {
            check_program(&path.file_name().unwrap().to_string_lossy(), &program, seed, &mut tally);
        }
    }
    let [finished, other @ ..] = tally.ends;
    assert!(files > 80 && finished > 10 * other.iter().sum::<u32>(), "{files} files, {tally:?}");
    assert_eq!(tally.refused, 0, "programs that need too many nodes");
}

/// Results are not carried from one basic block to the next, whether the branch between them is taken or not: a read returns poison instead.
#[test]
fn results_do_not_outlive_a_branch() {
    let env = Environment {
        constants: vec![[0.0, 2.0, 1.0, 0.0]],
        fuel: 10,
        lanes: vec![LaneInput::default()],
        ..Environment::default()
    };
    let read = "acc[1].mov(acc[0].out[1]), store[0].varying(1, acc[1].out, unused);";
    let stored = |first: &str| {
        let text = format!("acc[0].mov(uniform.y), pass.mov(uniform.{first};\nnext: {read}\nend: nop;");
        let program = UtgardGp::assemble(&text).unwrap();
        let entry = &UtgardGp::entries(&program)[0];
        let options = Options::new(UtgardGp::option_specs());
        let cx: Context<'_, UtgardGp> = Context { program: &program, entry, options: &options };
        let left = first_lane(&text, cx, &env, &[Mode::Nodes, Mode::Fallback]);
        assert_eq!(left.end, End::Finished);
        left.outputs[&(1, 0)]
    };
    assert_eq!(stored("x)"), 2.0);
    assert!(stored("x), branch(end), unknown_1(13)").is_nan(), "a branch that is not taken");
    assert!(stored("z), branch(next), unknown_1(13)").is_nan(), "a branch that is taken");
}
