//! Every compiled program of the corpus: both ways of lowering agree with the reference, under any options.

use crate::flow::{Random, Tally, compare};
use crate::material::material;
use lockstep_core::host::{Environment, LaneInput};
use lockstep_core::isa::lowering::Mode;
use lockstep_core::isa::utgard_gp::UtgardGp;
use lockstep_core::isa::{Context, Format, Options, Tables};

fn run(name: &str, program: &<UtgardGp as Format>::Program, seed: u64, tally: &mut Tally) {
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
            run(&path.file_name().unwrap().to_string_lossy(), &program, seed, &mut tally);
        }
    }
    let [finished, other @ ..] = tally.ends;
    assert!(files > 80 && finished > 10 * other.iter().sum::<u32>(), "{files} files, {tally:?}");
    assert_eq!(tally.refused, 0, "programs that need too many nodes");
}
