//! Runs the bodies of the fuzz targets on inputs that depend only on fixed seeds. Every claim holds, and enough inputs reach the comparison.

use lockstep::fuzz::{Answer, Keep, Tally, Target, crossover, judge, mutate, run, seeds};
use lockstep::generate::Entropy;
use lockstep_core::isa::IsaId;
use std::path::Path;

const LARGEST: usize = 1 << 16;

fn corpora() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../corpora"))
}

/// Replaces libFuzzer's own mutator: changes, inserts or removes a few bytes.
fn byte_mutator(data: &mut [u8], size: usize, max_size: usize) -> usize {
    let mut e =
        Entropy::seeded(data[..size].iter().fold(size as u64, |h, b| h.rotate_left(5) ^ u64::from(*b)));
    let mut bytes = data[..size].to_vec();
    for _ in 0..e.between(1, 4) {
        let at = e.below(bytes.len() + 1);
        match e.below(3) {
            0 if at < bytes.len() => bytes[at] = e.bits() as u8,
            1 if at < bytes.len() => drop(bytes.remove(at)),
            _ => bytes.insert(at, e.bits() as u8),
        }
    }
    bytes.truncate(max_size);
    data[..bytes.len()].copy_from_slice(&bytes);
    bytes.len()
}

/// Judges `count` inputs that are derived from the seeds by mutation and crossover, and returns their tally.
fn breed(isa: IsaId, target: Target, count: u32) -> Tally {
    let mut pool: Vec<Vec<u8>> =
        seeds(target, corpora(), &[isa]).expect("the corpora can be read").into_iter().map(|s| s.1).collect();
    assert!(pool.len() >= 64, "{} seeds", pool.len());
    let mut tally = Tally::default();
    let mut data = vec![0; LARGEST];
    for seed in 0..count {
        let mut e = Entropy::seeded(u64::from(seed));
        let size = if e.chance(10) {
            let [a, b] = [0, 1].map(|_| e.below(pool.len()));
            crossover(&pool[a], &pool[b], &mut data, seed)
        } else {
            let parent = &pool[e.below(pool.len())];
            let size = parent.len().min(LARGEST);
            data[..size].copy_from_slice(&parent[..size]);
            mutate(target, &mut data, size, LARGEST, seed, byte_mutator)
        };
        let input = &data[..size];
        let answer = judge(target, input);
        tally.add(&answer);
        if matches!(answer, Answer::Fails(_)) {
            // A failure panics with the minimised finding.
            run(target, input);
        }
        // Only a tenth of the compared inputs replace a member of the pool, because the pool should stay close to the corpus.
        let at = e.below(pool.len());
        if e.chance(10) && matches!(answer, Answer::Compared(_)) {
            pool[at] = input.to_vec();
        }
    }
    println!("{isa}, {}: {tally}", target.name());
    tally
}

/// Checks the share of compared inputs of each instruction set separately, because a low share of one would not be visible in the total.
fn check_target(target: Target, count: u32, least: f64) {
    for &isa in IsaId::ALL {
        let tally = breed(isa, target, count);
        assert_eq!(tally.inputs, u64::from(count));
        assert!(tally.share() >= least, "{isa}, {}: {tally}; at least {least} % are wanted", target.name());
    }
}

#[test]
fn bytes_decode_losslessly_or_are_rejected() {
    check_target(Target::Bytes, 2000, 85.0);
}

#[test]
fn text_parses_without_panic_and_round_trips() {
    check_target(Target::Text, 2000, 50.0);
}

#[test]
fn executor_equals_reference() {
    check_target(Target::Execution, 1500, 85.0);
}

#[test]
fn rewriting_keeps_ir_meaning() {
    check_target(Target::Rewriting, 1500, 85.0);
}

#[test]
fn cases_parse_without_panic() {
    check_target(Target::Cases, 2000, 40.0);
}

/// The inputs of this target are choices of a generator, so any input results in a program.
#[test]
fn generated_programs_run_alike() {
    let mut pool: Vec<Vec<u8>> = seeds(Target::Generated, corpora(), IsaId::ALL)
        .expect("these seeds are not read from files")
        .into_iter()
        .map(|seed| seed.1)
        .collect();
    let mut tally = Tally::default();
    let mut isas = std::collections::HashSet::new();
    let mut data = vec![0; LARGEST];
    for number in 0..4000 {
        let at = number as usize % pool.len();
        let size = pool[at].len();
        data[..size].copy_from_slice(&pool[at]);
        let size = mutate(Target::Generated, &mut data, size, LARGEST, number, byte_mutator);
        let input = &data[..size];
        tally.add(&judge(Target::Generated, input));
        assert_eq!(run(Target::Generated, input), Keep::Yes);
        isas.extend(input.first().map(|first| usize::from(*first) % IsaId::ALL.len()));
        pool[at] = input.to_vec();
    }
    assert_eq!(isas.len(), IsaId::ALL.len());
    assert!(tally.share() >= 85.0, "{tally}");
}

#[test]
fn mutation_is_a_function_of_input_and_seed() {
    let seed = &seeds(Target::Execution, corpora(), IsaId::ALL).expect("the corpora can be read")[0].1;
    let child = |number| {
        let mut data = vec![0; LARGEST];
        data[..seed.len()].copy_from_slice(seed);
        let size = mutate(Target::Execution, &mut data, seed.len(), LARGEST, number, byte_mutator);
        data.truncate(size);
        data
    };
    assert_eq!(child(7), child(7));
    let children: std::collections::HashSet<Vec<u8>> = (0..100).map(child).collect();
    assert!(children.len() > 80, "only {} of 100 children differ", children.len());
}

#[test]
fn outputs_do_not_exceed_the_requested_size() {
    let all = seeds(Target::Execution, corpora(), IsaId::ALL).expect("the corpora can be read");
    for (at, (_, parent)) in all.iter().enumerate() {
        let room = parent.len() / 2;
        let mut data = parent.clone();
        assert!(
            mutate(Target::Execution, &mut data, parent.len(), room, at as u32, |_, _, most| most) <= room
        );
        let mut out = vec![0; room];
        assert!(crossover(parent, &all[0].1, &mut out, at as u32) <= room);
    }
}

#[test]
fn hostile_bytes_are_judged_quickly_without_panic() {
    let mut inputs: Vec<Vec<u8>> = vec![vec![], vec![0], vec![0xff; 1 << 20], b"LSC1".to_vec()];
    for isa in IsaId::ALL {
        // Lengths that claim far more data than there is.
        let named = |rest: &[u8]| [&[isa.number()], rest].concat();
        inputs.push([&b"LSC1"[..], &[isa.number(), 0xff, 0xff, 0xff, 0xff, 0x0f]].concat());
        inputs.push(named(&[]));
        inputs.push(named("(".repeat(1 << 20).as_bytes()));
        inputs.push(named("[".repeat(1 << 20).as_bytes()));
        inputs.push(named(&vec![0; 1 << 16]));
        inputs.push(named(&vec![0xff; 1 << 16]));
    }
    inputs.push("a=".repeat(1 << 18).into_bytes());
    inputs.push("[".repeat(1 << 16).into_bytes());
    for input in &inputs {
        for target in Target::ALL {
            let start = std::time::Instant::now();
            assert_eq!(run(target, input), Keep::Yes);
            assert!(start.elapsed().as_secs() < 10, "{}: {:?}", target.name(), &input[..input.len().min(8)]);
        }
    }
}
