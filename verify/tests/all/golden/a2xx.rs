//! Compares runs of real A2xx programs with those of an independent interpreter. The runs are in `a2xx/golden` of the material that is not part of
//! the project (see `crate::material`).
//!
//! `FORMAT.md` there documents how the runs were made. Each run states the bits of every register, constant and fetched value. Each fetch slot gets a
//! constant of its own, which refers to a buffer or a texture with only the stated value, so the fetch returns that value. Exports are compared bit
//! for bit on the reference and the executor. The final predicate and registers are compared bit for bit on the reference and the lowered program.
//! All NaNs are equal. The interpreter does not flush subnormal results, so the option `denormal_result` is `keep`.

use super as golden;
use super::{Bits, ComparedComponent, Exception, Registers, Runs, Tally, flip_lowest_bit, outcomes, slots};
use lockstep::case::{Case, EntryRef, Resolved};
use lockstep_core::host::{
    Buffer, ConcreteHost, Dimension, EffectRecord, Environment, LaneInput, Texels, Texture,
};
use lockstep_core::ir::VarKey;
use lockstep_core::ir::eval::{self, Scalar};
use lockstep_core::isa::a2xx::program::{Program, Slot};
use lockstep_core::isa::a2xx::variables::File as Bank;
use lockstep_core::isa::a2xx::{A2xx, decode, encode};
use lockstep_core::isa::lowering::Mode;
use lockstep_core::isa::{Format, IsaId, Port, Stage, lower, run, variable_keys};
use lockstep_core::value::Concrete;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Components that may differ.
const EXCEPTIONS: [Exception; 3] = [libm("export0#0.y"), libm("export0#0.z"), libm("R1.x")];

const fn libm(component: &'static str) -> Exception {
    let reason = "FORMAT.md: SIN and EXP are those of libm there and correctly rounded here; the only run in which they differ";
    Exception { file: "xenos_scanline_ps_PSScanline", run: 14, component, reason }
}

/// The maximum number of effects that a lane may record.
const MAX_EFFECTS: u32 = 64;
/// The number of the vertex format FMT_32_32_32_32_FLOAT.
const FOUR_FLOATS: u8 = 38;

/// An export: number, mask, and the components that are written.
type Export = (u16, u8, [Option<Bits>; 4]);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Run {
    n: u32,
    #[serde(rename = "class")]
    _class: String,
    r: Registers,
    c: Registers,
    f: BTreeMap<u16, [Bits; 4]>,
    status: String,
    p: u8,
    exports: Vec<Export>,
    r_end: Registers,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    #[serde(rename = "format")]
    _format: String,
    #[serde(rename = "file")]
    program: String,
    #[serde(rename = "sha256")]
    _sha256: String,
    stage: String,
    cf_slots: usize,
    fetch: BTreeMap<u16, String>,
    runs: Vec<Run>,
}

/// Returns the program changed so that every fetch has a fetch constant of its own, whose number is the index of the fetch. Vertex fetches also
/// get the format of the buffer, and texture fetches are not filtered.
fn prepared(name: &str, file: &File, bytes: &[u8]) -> Vec<u8> {
    let mut program: Program = decode::decode(bytes).expect("decodes");
    let shader = &mut program.shaders[0];
    assert_eq!(shader.clauses.len() / 2, file.cf_slots, "{name}: the slots of clauses");
    let mut fetches = BTreeMap::new();
    for (at, slot) in (file.cf_slots as u16..).zip(&mut shader.slots) {
        let number = file.fetch.keys().take_while(|other| **other < at).count() as u8;
        let kind = match slot {
            Slot::Vertex(v) => {
                (v.const_index, v.const_sub) = (number / 3, number % 3);
                (v.format, v.stride, v.offset, v.exp_adjust) = (FOUR_FLOATS, 0, 0, 0);
                "VERTEX".to_owned()
            }
            Slot::Texture(t) => {
                t.const_index = number;
                // The texture has one texel and is not filtered, so the result of the fetch does not depend on the coordinates.
                (t.mag_filter, t.min_filter, t.mip_filter) = (0, 0, 2);
                if t.opcode == 1 { "SAMPLE".to_owned() } else { format!("OP{}", t.opcode) }
            }
            Slot::Alu(_) | Slot::Raw(_) => continue,
        };
        fetches.insert(at, kind);
    }
    assert_eq!(fetches, file.fetch, "{name}: the fetches");
    encode::encode(&program)
}

/// Returns the environment of a run.
fn environment(file: &File, run: &Run) -> Environment {
    let supplied = |at: &u16| run.f.get(at).map_or([0.0; 4], |four| four.map(|b| b.0));
    let buffer = |at| Buffer { words: supplied(at).map(f32::to_bits).to_vec() };
    let texture = |at| Texture {
        dimension: Dimension::Two,
        size: [1; 3],
        levels: 1,
        texels: Texels::Explicit(vec![supplied(at)]),
        ..Texture::default()
    };
    Environment {
        constants: slots(&run.c),
        buffers: file.fetch.keys().map(buffer).collect(),
        textures: file.fetch.keys().map(texture).collect(),
        fuel: 1 << 13,
        effects: MAX_EFFECTS,
        lanes: vec![LaneInput { slots: slots(&run.r) }],
        ..Environment::default()
    }
}

fn resolved(bytes: &[u8], file: &File, run: &Run) -> Resolved<A2xx> {
    let program = A2xx::decode(bytes).expect("decodes");
    let mut entry = A2xx::entries(&program).swap_remove(0);
    entry.stage = if file.stage == "vs" { Stage::Vertex } else { Stage::Fragment };
    entry.interface.inputs = run.r.keys().map(|slot| Port { slot: *slot, mask: 15 }).collect();
    let case = Case {
        isa: IsaId::A2xx,
        bytes: bytes.to_vec(),
        entry: EntryRef::Given(entry),
        options: BTreeMap::from([("denormal_result".to_owned(), "keep".to_owned())]),
        env: environment(file, run),
    };
    case.resolve::<A2xx>().expect("decodes")
}

const XYZW: [&str; 4] = ["x", "y", "z", "w"];

fn exports(at: &ComparedComponent<'_>, expected: &[Export], effects: &[EffectRecord], tally: &mut Tally) {
    let shape = |number: u16, mask: u8| (number, mask);
    assert_eq!(
        effects.iter().map(|e| shape(e.index, e.mask)).collect::<Vec<_>>(),
        expected.iter().map(|e| shape(e.0, e.1)).collect::<Vec<_>>(),
        "{} run {} {}: the exports",
        at.file,
        at.run,
        at.ours
    );
    for (k, (effect, (number, _, values))) in effects.iter().zip(expected).enumerate() {
        for (c, theirs) in values.iter().enumerate() {
            let Some(Bits(theirs)) = theirs else { continue };
            let component = format!("export{number}#{k}.{}", XYZW[c]);
            tally.compare_bits(
                &ComparedComponent { component: &component, ..*at },
                effect.values[c],
                *theirs,
            );
        }
    }
}

/// Compares the final predicate, and the final values of the registers that the program names.
fn compare_end(
    at: &ComparedComponent<'_>,
    run: &Run,
    predicate: bool,
    register: impl Fn(u16, usize) -> f32,
    tally: &mut Tally,
) {
    assert_eq!(predicate, run.p != 0, "{} run {} {}: the predicate", at.file, at.run, at.ours);
    for (number, theirs) in &run.r_end {
        for (c, Bits(theirs)) in theirs.iter().enumerate() {
            let component = format!("R{number}.{}", XYZW[c]);
            tally.compare_bits(
                &ComparedComponent { component: &component, ..*at },
                register(*number, c),
                *theirs,
            );
        }
    }
}

fn check_end(at: &ComparedComponent<'_>, recorded: &Run, resolved: &Resolved<A2xx>, tally: &mut Tally) {
    let cx = resolved.context();
    let mut d = Concrete;
    let mut host = ConcreteHost::<false>::new(&resolved.env, 0);
    let mut group = run::start::<A2xx, _, _>(&d, &mut host, &cx, 1, resolved.env.fuel);
    run::run(&mut d, &mut host, &cx, &mut group);
    let lane = &group[0].lane;
    let register = |n: u16, c: usize| lane.registers[usize::from(n)][c];
    compare_end(&ComparedComponent { ours: "reference", ..*at }, recorded, lane.predicate, register, tally);

    let program = lower(&cx, Mode::Auto).unwrap_or_else(|error| panic!("{error}"));
    let mut host = ConcreteHost::<false>::new(&resolved.env, 0);
    let mut lanes = [eval::Lane::new(&d, &mut host, &program, resolved.env.fuel)];
    eval::run(&mut d, &mut host, &program, &mut lanes);
    let vars: BTreeMap<VarKey, usize> =
        variable_keys(&program).map(|(var, key)| (key, var.0 as usize)).collect();
    let held = |key: VarKey| vars.get(&key).map(|at| &lanes[0].vars[*at]);
    // A register that is never read or written has no variable.
    let before = |n: u16, c: usize| recorded.r.get(&n).map_or(0.0, |four| four[c].0);
    let register = |n: u16, c: usize| match held(Bank::Register.key(n.into(), c)) {
        Some(Scalar::F(value)) => *value,
        _ => before(n, c),
    };
    let predicate = matches!(held(Bank::Flag.key(0, 0)), Some(Scalar::B(true)));
    compare_end(&ComparedComponent { ours: "lowered", ..*at }, recorded, predicate, register, tally);
}

impl Runs for A2xx {
    type File = File;
    type Counts = ();
    const FORMAT: &'static str = "a2xx-golden-1";
    const EXCEPTIONS: &'static [Exception] = &EXCEPTIONS;
    const TOTAL: (u32, u32) = (71, 1168);

    fn check(root: &Path, name: &str, file: &File, tally: &mut Tally, (): &mut ()) {
        let bytes = std::fs::read(root.join("open").join(&file.program)).expect("the program that was run");
        let bytes = prepared(name, file, &bytes);
        for run in &file.runs {
            assert_eq!(run.status, "ok", "{name} run {}", run.n);
            let resolved = resolved(&bytes, file, run);
            let at = ComparedComponent { file: name, run: run.n, component: "", ours: "", theirs: "xenia" };
            for (ours, outcome) in outcomes(&resolved) {
                exports(&ComparedComponent { ours, ..at }, &run.exports, &outcome.lanes[0].effects, tally);
            }
            check_end(&at, run, &resolved, tally);
            tally.runs += 1;
        }
    }

    fn spoil(file: &mut File) -> Option<usize> {
        file.runs.truncate(1);
        let run = &mut file.runs[0];
        flip_lowest_bit(run.exports.first_mut()?.2.iter_mut().flatten().next()?);
        flip_lowest_bit(&mut run.r_end.values_mut().next()?[0]);
        // Two comparisons of the export, on both engines, and two of the register, on the reference and in the lowered program.
        Some(4)
    }
}

#[test]
fn golden_runs_of_a2xx_have_the_same_bits() {
    golden::check_all_runs::<A2xx>();
}

#[test]
fn a_changed_lowest_bit_is_detected_in_exports_and_registers() {
    golden::check_detection::<A2xx>();
}
