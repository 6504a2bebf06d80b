//! Real programs against another translator on a software rasteriser: the runs of `../shared/corpora/agal/golden`.
//!
//! `FORMAT.md` there says how they were made. Each run gives every input as bits, so the same environment is built here, the reference and the
//! executor run it, and every component that the program writes is compared with `softpipe`:
//!
//! ```text
//! |ours - theirs| <= max(1e-5, 8 d) |theirs| + 1e-6 m
//! ```
//!
//! with `d` the greatest relative difference between the two rasterisers in that run and `m` the greatest magnitude among the run's inputs and
//! constants; zeros of either sign are equal.

#![allow(clippy::expect_used)] // a test that cannot go on fails

use lockstep::case::{Case, EntryRef};
use lockstep::corpus::real_corpora;
use lockstep::engine::{Executor, Outcome, Tier, reference};
use lockstep_core::host::{Dimension, Environment, LaneInput, Texels, Texture};
use lockstep_core::ir::Mode;
use lockstep_core::isa::agal::Agal;
use lockstep_core::isa::{Isa, IsaId, lower};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// Components that may be outside the tolerance: file without its endings, run, component, and why.
const EXCEPTIONS: [(&str, u32, &str, &str); 0] = [];

type Registers = BTreeMap<u16, [Bits; 4]>;

/// Eight hexadecimal digits: the bits of a binary32.
#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
struct Bits(f32);

impl TryFrom<String> for Bits {
    type Error = std::num::ParseIntError;
    fn try_from(text: String) -> Result<Bits, Self::Error> {
        u32::from_str_radix(&text, 16).map(|bits| Bits(f32::from_bits(bits)))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sampler {
    #[serde(rename = "type")]
    dimension: String,
    rgba: [Bits; 4],
    k: Bits,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Run {
    n: u32,
    #[serde(rename = "class")]
    _class: String,
    #[serde(default)]
    va: Registers,
    #[serde(default)]
    v: Registers,
    #[serde(default)]
    c: Registers,
    #[serde(default)]
    s: BTreeMap<u16, Sampler>,
    #[serde(default)]
    dvx: Registers,
    #[serde(default)]
    dvy: Registers,
    kill: Option<u8>,
    out: BTreeMap<String, BTreeMap<String, [Bits; 4]>>,
    d: f64,
}

#[derive(Deserialize)]
struct File {
    format: String,
    #[serde(rename = "file")]
    program: String,
    #[serde(rename = "type")]
    stage: String,
    written: BTreeMap<String, String>,
    runs: Vec<Run>,
}

/// The registers of a file as a dense table, `step` added `times` over.
fn slots(base: &Registers, steps: [(&Registers, f32); 2]) -> Vec<[f32; 4]> {
    let len = base.keys().last().map_or(0, |last| usize::from(*last) + 1);
    let mut slots = vec![[0.0; 4]; len];
    for (slot, value) in base {
        let at = &mut slots[usize::from(*slot)];
        for c in 0..4 {
            // As FORMAT.md has it: varying + (px * dvx + py * dvy).
            let step: f32 = steps.iter().map(|(by, n)| by.get(slot).map_or(0.0, |by| by[c].0) * n).sum();
            at[c] = value[c].0 + step;
        }
    }
    slots
}

fn environment(run: &Run, fragment: bool) -> Environment {
    let none = Registers::new();
    let lane = |slots| LaneInput { slots };
    let lanes = if fragment {
        let pixel = |px: f32, py: f32| lane(slots(&run.v, [(&run.dvx, px), (&run.dvy, py)]));
        vec![pixel(0.0, 0.0), pixel(1.0, 0.0), pixel(0.0, 1.0), pixel(1.0, 1.0)]
    } else {
        vec![lane(slots(&run.va, [(&none, 0.0), (&none, 0.0)]))]
    };
    let units = run.s.keys().last().map_or(0, |last| *last + 1);
    let textures = (0..units).map(|unit| {
        run.s.get(&unit).map_or_else(Texture::default, |s| Texture {
            dimension: if s.dimension == "cube" { Dimension::Cube } else { Dimension::Two },
            size: [1; 3],
            levels: 1,
            texels: Texels::Ramp { base: s.rgba.map(|b| b.0), slope: s.k.0 },
            ..Texture::default()
        })
    });
    Environment {
        constants: slots(&run.c, [(&none, 0.0), (&none, 0.0)]),
        textures: textures.collect(),
        fuel: 1 << 12,
        lanes,
        ..Environment::default()
    }
}

/// The greatest magnitude among inputs and constants.
fn magnitude(run: &Run) -> f64 {
    let registers = [&run.va, &run.v, &run.c].into_iter().flat_map(BTreeMap::values);
    let samplers = run.s.values().map(|s| &s.rgba);
    registers.chain(samplers).flatten().map(|b| f64::from(b.0.abs())).fold(0.0, f64::max)
}

#[derive(Default)]
struct Tally {
    files: u32,
    runs: u32,
    components: u64,
    bits: u64,
    outside: Vec<String>,
    used: BTreeSet<(String, u32, String)>,
}

fn compare(
    file: &File,
    name: &str,
    run: &Run,
    engine: &str,
    outcome: &Outcome,
    tally: &mut Tally,
    program: &Program,
) {
    let expected = &run.out["softpipe"];
    let (relative, absolute) = (f64::max(1e-5, 8.0 * run.d), 1e-6 * magnitude(run));
    let lane = &outcome.lanes[0];
    assert_eq!(lane.killed, run.kill.unwrap_or(0) == 1, "{name} run {} {engine}: the kill mark", run.n);
    for (register, components) in &file.written {
        for component in components.chars() {
            let c = "xyzw".find(component).expect("a component");
            let theirs = expected[register][c].0;
            let ours = lane.outputs[program.place(register, c)];
            tally.components += 1;
            tally.bits += u64::from(ours.to_bits() == theirs.to_bits() || (ours == 0.0 && theirs == 0.0));
            let allowed = relative * f64::from(theirs).abs() + absolute;
            let off = (f64::from(ours) - f64::from(theirs)).abs();
            // Written so that a NaN is outside.
            if off <= allowed {
                continue;
            }
            let at = format!("{register}.{component}");
            if EXCEPTIONS.iter().any(|(f, n, c, _)| (*f, *n, *c) == (name, run.n, at.as_str())) {
                tally.used.insert((name.to_owned(), run.n, at));
                continue;
            }
            tally.outside.push(format!(
                "{name} run {} {at} {engine}: {ours:?}, softpipe has {theirs:?}, off by {off:e} where {allowed:e} is allowed",
                run.n
            ));
        }
    }
}

/// Where outputs stand.
struct Program {
    places: BTreeMap<(String, usize), usize>,
}

impl Program {
    fn place(&self, register: &str, component: usize) -> usize {
        *self
            .places
            .get(&(register.to_owned(), component))
            .unwrap_or_else(|| panic!("{register}.{component} is no output"))
    }
}

fn read(path: &std::path::Path) -> (String, File) {
    let name = path.file_name().expect("a file").to_string_lossy().replace(".runs.json", "");
    let file: File =
        serde_json::from_slice(&std::fs::read(path).expect("readable")).expect("the format of FORMAT.md");
    assert_eq!(file.format, "agal-golden-1", "{name}");
    (name, file)
}

fn check(root: &std::path::Path, name: &str, file: &File, tally: &mut Tally) {
    let bytes = std::fs::read(root.join(&file.program)).expect("the program of the runs");
    let fragment = file.stage == "fragment";
    for run in &file.runs {
        let case = Case {
            isa: IsaId::Agal,
            bytes: bytes.clone(),
            entry: EntryRef::Own(0),
            options: BTreeMap::new(),
            env: environment(run, fragment),
        };
        let resolved = case.resolve::<Agal>().expect("decodes");
        let cx = resolved.context();
        let outputs = cx.entry.interface.outputs.iter().flat_map(|port| {
            (0..4).filter(|c| port.mask >> c & 1 == 1).map(|c| (Agal::output_name(cx.entry, port.slot), c))
        });
        let program = Program { places: outputs.enumerate().map(|(at, key)| (key, at)).collect() };
        let lowered = lower(&cx, Mode::Auto).unwrap_or_else(|error| panic!("{name}: {error}"));
        compare(file, name, run, "reference", &reference(&cx, &resolved.env), tally, &program);
        let executed = Executor::new(Tier::best()).run(cx.entry, &lowered, &resolved.env);
        compare(file, name, run, "executor", &executed, tally, &program);
        tally.runs += 1;
    }
    tally.files += 1;
}

/// The folder `agal` of the real programs and the files of runs in it, or `None` after saying what is skipped.
fn golden() -> Option<(std::path::PathBuf, Vec<std::path::PathBuf>)> {
    let Some(root) =
        real_corpora(None).map(|root| root.join("agal")).filter(|root| root.join("golden").is_dir())
    else {
        eprintln!("skipped: ../shared/corpora/agal/golden is not there, so no run was compared");
        return None;
    };
    let folder = std::fs::read_dir(root.join("golden")).expect("a folder");
    let paths = folder.map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<_> = paths.filter(|path| path.to_string_lossy().ends_with(".runs.json")).collect();
    paths.sort();
    Some((root, paths))
}

#[test]
fn golden_runs_of_agal_match_within_the_tolerance() {
    let Some((root, paths)) = golden() else { return };
    let mut tally = Tally::default();
    for path in &paths {
        let (name, file) = read(path);
        check(&root, &name, &file, &mut tally);
    }
    println!(
        "{} files, {} runs, {} components compared over two engines, {} with the same bits, {} exceptions",
        tally.files,
        tally.runs,
        tally.components,
        tally.bits,
        EXCEPTIONS.len()
    );
    assert!(tally.outside.is_empty(), "{} outside:\n{}", tally.outside.len(), tally.outside.join("\n"));
    assert!(tally.components > 0 && tally.runs > 0, "nothing was compared");
    for (file, run, component, reason) in EXCEPTIONS {
        let key = (file.to_owned(), run, component.to_owned());
        assert!(
            tally.used.contains(&key),
            "an exception that nothing needs: {file} run {run} {component} ({reason})"
        );
    }
}

#[test]
fn a_run_outside_the_tolerance_is_noticed() {
    let Some((root, paths)) = golden() else { return };
    let (name, mut file) = read(paths.first().expect("a file of runs"));
    file.runs.truncate(1);
    let run = &mut file.runs[0];
    // Nearest to what is allowed: a little more than the tolerance in one component.
    let allowed = f64::max(1e-5, 8.0 * run.d);
    let m = magnitude(run);
    let value = run.out.get_mut("softpipe").and_then(|out| out.values_mut().next()).expect("an output");
    let moved = f64::from(value[0].0) + 1.5 * (allowed * f64::from(value[0].0).abs() + 1e-6 * m);
    value[0] = Bits(moved as f32);
    let mut tally = Tally::default();
    check(&root, &name, &file, &mut tally);
    // One for each engine.
    assert_eq!(tally.outside.len(), 2, "{:?}", tally.outside);
}
