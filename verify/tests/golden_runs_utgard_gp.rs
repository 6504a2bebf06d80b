//! Real programs of Utgard GP against two other evaluations: the runs of `../shared/corpora/utgard-gp/golden`.
//!
//! `FORMAT.md` there says how they were made. Each run gives every attribute and every slot that is read as bits, literals too, so the bare words
//! run in the same environment, on the reference and on the executor. What they give is compared with
//!
//! * `model`, another model of the words whose policies are our defaults: bit for bit, a NaN being a NaN;
//! * `nir`, what the compiler was given, where it is known: bit for bit where the value came through no complex function (or through rcp alone,
//!   which is correctly rounded on both sides), else `|ours - theirs| <= (amp 2^-22 + 4 * 2^-23) |theirs|`, `FORMAT.md`'s tolerance for functions
//!   as good as those of C. In runs with a tag, whose values are one policy of several, the tolerance holds throughout. Where `amp` is above 1000 nothing is compared.

#![allow(clippy::expect_used)] // a test that cannot go on fails

mod golden;

use golden::{Bits, Exception, Place, Places, Registers, Tally, golden, outcomes, slots};
use lockstep::case::{Case, EntryRef};
use lockstep_core::host::{Environment, LaneInput};
use lockstep_core::isa::IsaId;
use lockstep_core::isa::utgard_gp::UtgardGp;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Components that may differ; a reason begins with the tag of the run that explains it.
const EXCEPTIONS: [Exception; 0] = [];

/// What an evaluation gave, by varying; `None` is not written.
type Outputs = BTreeMap<u16, [Option<Bits>; 4]>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Run {
    n: u32,
    #[serde(rename = "class")]
    _class: String,
    a: Registers,
    u: Registers,
    #[serde(rename = "pre")]
    _pre: Option<[Bits; 4]>,
    nir: Option<Outputs>,
    model: Outputs,
    #[serde(rename = "rel")]
    _rel: Option<serde_json::Value>,
    #[serde(rename = "steps")]
    _steps: Option<u32>,
    #[serde(default)]
    amp: BTreeMap<u16, [Option<f64>; 4]>,
    #[serde(default)]
    tags: Vec<String>,
}

#[derive(Deserialize)]
struct File {
    format: String,
    #[serde(rename = "file")]
    program: String,
    mode: String,
    /// Complex functions on the way to a component, a letter for each.
    #[serde(default)]
    via: BTreeMap<u16, [Option<String>; 4]>,
    runs: Vec<Run>,
}

/// How many components were held against which evaluation, over two engines.
#[derive(Default)]
struct Counts {
    model: u64,
    nir_bits: u64,
    nir_near: u64,
    nir_unstable: u64,
    tagged: u32,
}

fn read(path: &Path) -> (String, File) {
    let (name, file): (String, File) = golden::read(path);
    assert_eq!(file.format, "utgard-gp-golden-1", "{name}");
    (name, file)
}

/// The number of a file's components in a table by varying.
fn entry<T: Clone>(table: &BTreeMap<u16, [Option<T>; 4]>, varying: u16, c: usize) -> Option<T> {
    table.get(&varying).and_then(|four| four[c].clone())
}

/// Holds a component against the source's meaning.
fn against_source(
    (file, run): (&File, &Run),
    (varying, c): (u16, usize),
    (at, value, theirs): (&Place<'_>, f32, f32),
    tally: &mut Tally,
    counts: &mut Counts,
) {
    let via = entry(&file.via, varying, c).expect("the functions on the way are given");
    let amp = entry(&run.amp, varying, c).unwrap_or(0.0);
    if run.tags.is_empty() && matches!(via.as_str(), "" | "R") {
        counts.nir_bits += 1;
        tally.compare_bits(at, value, theirs);
    } else if amp > 1000.0 {
        counts.nir_unstable += 1;
    } else {
        counts.nir_near += 1;
        let relative = amp * f64::exp2(-22.0) + 4.0 * f64::exp2(-23.0);
        tally.compare(at, value, theirs, relative * f64::from(theirs).abs());
    }
}

fn check(root: &Path, name: &str, file: &File, tally: &mut Tally, counts: &mut Counts) {
    let bytes = std::fs::read(root.join("open").join(&file.program)).expect("the program of the runs");
    for run in &file.runs {
        assert_eq!(run.nir.is_some(), file.mode == "nir+model", "{name} run {}", run.n);
        let case = Case {
            isa: IsaId::UtgardGp,
            bytes: bytes.clone(),
            entry: EntryRef::Own(0),
            options: BTreeMap::new(),
            env: Environment {
                constants: slots(&run.u),
                fuel: 1 << 12,
                lanes: vec![LaneInput { slots: slots(&run.a) }],
                ..Environment::default()
            },
        };
        let resolved = case.resolve::<UtgardGp>().expect("decodes");
        let places = Places::new::<UtgardGp>(&resolved.entry);
        for (ours, outcome) in outcomes(&resolved) {
            let outputs = &outcome.lanes[0].outputs;
            for (varying, four) in &run.model {
                for (c, theirs) in four.iter().enumerate() {
                    let Some(Bits(theirs)) = *theirs else { continue };
                    let component = format!("v{varying}.{}", ["x", "y", "z", "w"][c]);
                    let value = outputs[places.of(&format!("v{varying}"), c)];
                    let at = Place { file: name, run: run.n, component: &component, ours, theirs: "model" };
                    counts.model += 1;
                    tally.compare_bits(&at, value, theirs);
                    let Some(Bits(theirs)) = run.nir.as_ref().and_then(|nir| entry(nir, *varying, c)) else {
                        assert!(run.nir.is_none(), "{name} run {} {component}: only one evaluation", run.n);
                        continue;
                    };
                    let at = Place { theirs: "nir", ..at };
                    against_source((file, run), (*varying, c), (&at, value, theirs), tally, counts);
                }
            }
        }
        tally.runs += 1;
        counts.tagged += u32::from(!run.tags.is_empty());
    }
    tally.files += 1;
}

#[test]
fn golden_runs_of_utgard_gp_match_both_evaluations() {
    let Some((root, paths)) = golden::<UtgardGp>() else { return };
    let mut tally = Tally::new(&EXCEPTIONS);
    let mut counts = Counts::default();
    for path in &paths {
        let (name, file) = read(path);
        check(&root, &name, &file, &mut tally, &mut counts);
    }
    let Counts { model, nir_bits, nir_near, nir_unstable, tagged } = counts;
    println!(
        "{model} components held against the model bit for bit; against the source {nir_bits} bit for bit,"
    );
    println!(
        "{nir_near} within the tolerance, {nir_unstable} not as they are unstable; {tagged} runs with tags"
    );
    tally.finish();
}

#[test]
fn every_exception_has_the_tag_that_explains_it() {
    let Some((_, paths)) = golden::<UtgardGp>() else { return };
    for Exception { file: name, run, reason, .. } in EXCEPTIONS {
        let path = paths.iter().find(|path| path.ends_with(format!("{name}.runs.json")));
        let (_, file) = read(path.expect("the file of an exception"));
        let found = file.runs.iter().find(|found| found.n == run).expect("the run of an exception");
        let tag = reason.split(':').next().unwrap_or_default();
        assert!(found.tags.iter().any(|t| t == tag), "{name} run {run} has no tag '{tag}'");
    }
}

#[test]
fn the_next_number_is_noticed_in_both_evaluations() {
    let Some((root, paths)) = golden::<UtgardGp>() else { return };
    let files = paths.iter().map(|path| read(path));
    let (name, mut file) = files.into_iter().find(|(_, f)| f.mode == "nir+model").expect("a file with both");
    let exact = |via: &Option<String>| via.as_deref().is_some_and(|via| matches!(via, "" | "R"));
    let (varying, c) = (file.via.iter())
        .find_map(|(varying, four)| Some((*varying, four.iter().position(exact)?)))
        .expect("a component that must have the same bits");
    let untagged = |run: &Run| run.tags.is_empty();
    let at = file.runs.iter().position(untagged).expect("a run without tags");
    let mut run = file.runs.swap_remove(at);
    let next = |outputs: &mut Outputs| {
        let value = outputs.get_mut(&varying).and_then(|four| four[c].as_mut()).expect("a value");
        *value = Bits(f32::from_bits(value.0.to_bits() ^ 1));
    };
    next(&mut run.model);
    run.nir.as_mut().map(next).expect("both evaluations");
    file.runs = vec![run];
    let mut tally = Tally::new(&[]);
    check(&root, &name, &file, &mut tally, &mut Counts::default());
    // One for each engine of ours and each evaluation.
    assert_eq!(tally.outside.len(), 4, "{:?}", tally.outside);
}
