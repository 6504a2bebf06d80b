//! Compares real programs of Direct3D 9 with a rasteriser. The runs are in `d3d9/golden` of the material that is not part of the project (see
//! `crate::material`).
//!
//! `FORMAT.md` there documents how the runs were made: rasterisers ran a translator's GLSL, without interpolation and filtering. Each run states the
//! bits of every input, so the reference and the executor run in the same environment here. Every component that the program can write is compared
//! with softpipe, the rasteriser that `FORMAT.md` trusts most, within the tolerance [`rasteriser_tolerance`]. The options are set to the translator's
//! choices.

use super as golden;
use super::{
    Bits, ComparedComponent, Exception, OutputIndex, Ramp, Registers, Runs, Tally, golden, magnitude,
    outcomes, outcomes_of_refused, rasteriser_tolerance, slots,
};
use lockstep::case::{Case, EntryRef};
use lockstep_core::host::{Environment, LaneInput};
use lockstep_core::isa::d3d9::D3d9;
use lockstep_core::isa::d3d9::interface::{COORDINATES_SLOT, FIRST_STAGE_CONSTANT};
use lockstep_core::isa::{Format, IsaId};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

const PAIR_11: &str = "ps_1_1_wine_d3d9_visual_shader_code_11_coissue";
const PAIR_13: &str = "ps_1_3_wine_d3d9_visual_shader_code_13_coissue";

/// Components that may be outside the tolerance.
const EXCEPTIONS: [Exception; 32] = [
    in_order(PAIR_11, 5, "oC0.y"),
    in_order(PAIR_11, 5, "oC0.z"),
    in_order(PAIR_11, 12, "oC0.x"),
    in_order(PAIR_11, 12, "oC0.y"),
    in_order(PAIR_11, 12, "oC0.z"),
    in_order(PAIR_11, 13, "oC0.y"),
    in_order(PAIR_11, 13, "oC0.z"),
    in_order(PAIR_11, 14, "oC0.x"),
    in_order(PAIR_11, 14, "oC0.z"),
    in_order(PAIR_11, 15, "oC0.x"),
    in_order(PAIR_11, 15, "oC0.y"),
    in_order(PAIR_11, 15, "oC0.z"),
    in_order(PAIR_13, 0, "oC0.x"),
    in_order(PAIR_13, 0, "oC0.y"),
    in_order(PAIR_13, 0, "oC0.z"),
    in_order(PAIR_13, 1, "oC0.x"),
    in_order(PAIR_13, 1, "oC0.y"),
    in_order(PAIR_13, 3, "oC0.y"),
    in_order(PAIR_13, 3, "oC0.z"),
    in_order(PAIR_13, 4, "oC0.x"),
    in_order(PAIR_13, 5, "oC0.x"),
    in_order(PAIR_13, 5, "oC0.y"),
    in_order(PAIR_13, 5, "oC0.z"),
    in_order(PAIR_13, 6, "oC0.x"),
    in_order(PAIR_13, 6, "oC0.y"),
    in_order(PAIR_13, 6, "oC0.z"),
    in_order(PAIR_13, 9, "oC0.x"),
    in_order(PAIR_13, 9, "oC0.y"),
    in_order(PAIR_13, 9, "oC0.z"),
    in_order(PAIR_13, 13, "oC0.y"),
    in_order(PAIR_13, 13, "oC0.z"),
    in_order(PAIR_13, 14, "oC0.z"),
];

const fn in_order(file: &'static str, run: u32, component: &'static str) -> Exception {
    let reason =
        "coissue: the translator runs a pair in order, so the second instruction reads what the first wrote";
    Exception { file, run, component, reason }
}

/// A program that no Windows driver creates: it reads i16. The translator accepts it.
const REFUSED: &str = "vs_3_0_wine_d3d9_d3d9ex_vs_3_i16";

/// The rasteriser that is trusted most.
const TRUSTED: &str = "softpipe";

/// The translator's choices that are not the default (sources MS and 9ON12, with the patches that `FORMAT.md` describes).
const OPTIONS: [(&str, &str); 10] = [
    ("zero_times", "ieee"),
    ("reciprocal_zero", "max"),
    ("normalize_zero", "nan"),
    ("minmax_nan", "number"),
    ("sign_nan", "zero"),
    ("address_round", "away"),
    ("interpolation", "mix"),
    ("scalar_lane", "own"),
    ("vertex_processing", "software"),
    ("pixel_result", "keep"),
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Run {
    n: u32,
    #[serde(rename = "class")]
    _class: String,
    #[serde(default)]
    v: Registers,
    #[serde(default)]
    t: Registers,
    #[serde(default)]
    c: Registers,
    #[serde(default)]
    i: BTreeMap<u16, [i32; 4]>,
    #[serde(default)]
    b: BTreeMap<u16, u8>,
    #[serde(default)]
    s: BTreeMap<u16, Ramp>,
    #[serde(default)]
    dvx: Registers,
    #[serde(default)]
    dvy: Registers,
    kill: Option<u8>,
    out: BTreeMap<String, BTreeMap<String, Vec<Bits>>>,
    d: f64,
}

/// Returns values as a dense table, filled up with the default.
fn dense<T: Copy + Default>(values: &BTreeMap<u16, T>) -> Vec<T> {
    let len = values.keys().last().map_or(0, |last| usize::from(*last) + 1);
    let mut all = vec![T::default(); len];
    for (at, value) in values {
        all[usize::from(*at)] = *value;
    }
    all
}

impl Run {
    /// Returns the largest magnitude among the inputs, the float constants, and the textures' values at the origin.
    fn magnitude(&self) -> f64 {
        let registers = [&self.v, &self.t, &self.c].into_iter().flat_map(BTreeMap::values);
        magnitude(registers.chain(self.s.values().map(|s| &s.rgba)).flatten())
    }

    /// Returns the constants, including those that represent texture-stage state.
    fn constants(&self) -> Vec<[f32; 4]> {
        let mut constants = self.c.clone();
        for (stage, ramp) in &self.s {
            if let Some(matrix) = ramp.bem {
                constants.insert(FIRST_STAGE_CONSTANT + 2 * stage, matrix);
            }
            if let Some([scale, offset]) = ramp.lum {
                constants.insert(FIRST_STAGE_CONSTANT + 2 * stage + 1, [scale, offset, Bits(0.0), Bits(0.0)]);
            }
        }
        slots(&constants)
    }

    fn environment(&self, pixel: bool) -> Environment {
        let pixels: &[(f32, f32)] =
            if pixel { &[(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)] } else { &[(0.0, 0.0)] };
        Environment {
            constants: self.constants(),
            ints: dense(&self.i),
            bools: dense(&self.b).iter().map(|b| *b != 0).collect(),
            textures: golden::textures(&self.s),
            fuel: 1 << 12,
            lanes: pixels.iter().map(|(px, py)| self.lane(*px, *py)).collect(),
            ..Environment::default()
        }
    }

    /// Returns a lane's inputs. `FORMAT.md` defines them as input + (px * dvx + py * dvy).
    fn lane(&self, px: f32, py: f32) -> LaneInput {
        let mut inputs = self.v.clone();
        inputs.extend(self.t.iter().map(|(n, value)| (n + COORDINATES_SLOT, *value)));
        let zero = [Bits(0.0); 4];
        for (slot, value) in &mut inputs {
            let (dx, dy) = (self.dvx.get(slot).unwrap_or(&zero), self.dvy.get(slot).unwrap_or(&zero));
            for (c, component) in value.iter_mut().enumerate() {
                if !self.dvx.is_empty() || !self.dvy.is_empty() {
                    component.0 += px * dx[c].0 + py * dy[c].0;
                }
            }
        }
        LaneInput { slots: slots(&inputs) }
    }
}

#[derive(Deserialize)]
pub(super) struct File {
    #[serde(rename = "file")]
    program: String,
    version: String,
    written: BTreeMap<String, String>,
    #[serde(default)]
    suspect: Vec<String>,
    runs: Vec<Run>,
}

/// Returns our name of an output. The colour of pixel shaders before version 2_0 is in r0.
fn output<'a>(file: &File, register: &'a str) -> &'a str {
    if file.version.starts_with("ps_1") && register == "oC0" { "r0" } else { register }
}

/// The counts of killed runs, and of runs of files with a suspected fault.
#[derive(Default)]
pub(super) struct Counts {
    killed: u32,
    suspect: u32,
}

/// Returns a run as a case.
fn case(file: &File, run: &Run, bytes: &[u8]) -> Case {
    Case {
        isa: IsaId::D3d9,
        bytes: bytes.to_vec(),
        entry: EntryRef::Own(0),
        options: OPTIONS.into_iter().map(|(option, choice)| (option.into(), choice.into())).collect(),
        env: run.environment(file.version.starts_with("ps")),
    }
}

impl Runs for D3d9 {
    type File = File;
    type Counts = Counts;
    const FORMAT: &'static str = "d3d9-golden-1";
    const EXCEPTIONS: &'static [Exception] = &EXCEPTIONS;
    const TOTAL: (u32, u32) = (86, 1376);

    fn check(root: &Path, name: &str, file: &File, tally: &mut Tally, counts: &mut Counts) {
        let bytes = std::fs::read(root.join(&file.program)).expect("the program of the runs");
        for run in &file.runs {
            let resolved = case(file, run, &bytes).resolve::<D3d9>().expect("decodes");
            let output_index = OutputIndex::new::<D3d9>(&resolved.entry);
            let both = if name == REFUSED { outcomes_of_refused(&resolved) } else { outcomes(&resolved) };
            for (ours, outcome) in both {
                let lane = &outcome.lanes[0];
                assert_eq!(lane.killed, run.kill == Some(1), "{name} run {} {ours}: killed", run.n);
                if lane.killed {
                    continue;
                }
                let theirs = &run.out[TRUSTED];
                for (register, mask) in &file.written {
                    let letters = ["x", "y", "z", "w"].into_iter().zip(mask.chars()).enumerate();
                    for (c, (letter, _)) in letters.filter(|(_, (_, shown))| *shown != '_') {
                        let component = format!("{register}.{letter}");
                        let at = ComparedComponent {
                            file: name,
                            run: run.n,
                            component: &component,
                            ours,
                            theirs: TRUSTED,
                        };
                        let value = lane.outputs[output_index.get(output(file, register), c)];
                        let theirs = theirs[register][c].0;
                        let allowed = rasteriser_tolerance(run.d, run.magnitude(), theirs);
                        tally.compare(&at, value, theirs, allowed);
                    }
                }
            }
            tally.runs += 1;
            counts.killed += u32::from(run.kill == Some(1));
            counts.suspect += u32::from(!file.suspect.is_empty());
        }
    }

    fn report(counts: &Counts) {
        println!("{} runs killed, {} runs of files with a suspected fault", counts.killed, counts.suspect);
        assert_eq!(counts.killed, 14, "as FORMAT.md counts them");
    }

    fn spoil(file: &mut File) -> Option<usize> {
        file.runs.truncate(1);
        let register = file.written.keys().next()?;
        let run = &mut file.runs[0];
        if run.kill == Some(1) {
            return None;
        }
        let value = run.out.get_mut(TRUSTED).and_then(|out| out.get_mut(register))?;
        value[0] = Bits(value[0].0 + 0.01 * value[0].0.abs().max(1.0));
        // One comparison for each of our engines.
        Some(2)
    }
}

#[test]
fn golden_runs_of_d3d9_are_within_the_tolerance() {
    golden::check_all_runs::<D3d9>();
}

#[test]
fn values_outside_the_tolerance_are_detected() {
    golden::check_detection::<D3d9>();
}

/// Returns the program with every instruction issued alone, without coissue.
fn unpaired(bytes: &[u8]) -> Vec<u8> {
    let mut program = D3d9::decode(bytes).expect("a program");
    program.instructions.iter_mut().for_each(|i| i.coissue = 0);
    D3d9::encode(&program)
}

#[test]
fn every_exception_has_its_stated_cause() {
    let Some((root, paths)) = golden::<D3d9>() else { return };
    for Exception { file: name, run, component, .. } in EXCEPTIONS {
        let path = paths.iter().find(|path| path.ends_with(format!("{name}.runs.json")));
        let (_, file) = golden::read::<D3d9>(path.expect("the file of an exception"));
        let run = file.runs.iter().find(|found| found.n == run).expect("the run of an exception");
        let bytes = std::fs::read(root.join(&file.program)).expect("the program of the runs");
        assert!(file.suspect.iter().any(|suspect| suspect == "coissue"), "{name}");
        let resolved = case(&file, run, &unpaired(&bytes)).resolve::<D3d9>().expect("decodes");
        let (register, letter) = component.split_once('.').expect("a register and a letter");
        let c = "xyzw".find(letter).expect("a component");
        let place = OutputIndex::new::<D3d9>(&resolved.entry).get(output(&file, register), c);
        let theirs = run.out[TRUSTED][register][c].0;
        for (ours, outcome) in outcomes(&resolved) {
            let off = f64::from(outcome.lanes[0].outputs[place]) - f64::from(theirs);
            assert!(
                off.abs() <= rasteriser_tolerance(run.d, run.magnitude(), theirs),
                "{name} run {} {component} {ours}: {off}",
                run.n
            );
        }
    }
}

#[test]
fn all_files_decode_quickly_including_those_that_hang_other_tools() {
    let Some((root, _)) = golden::<D3d9>() else { return };
    let (mut files, mut hanging, mut bytes, mut spent) = (0, 0, 0, Duration::ZERO);
    for entry in std::fs::read_dir(root.join("open")).expect("a folder") {
        let path = entry.expect("an entry").path();
        let data = std::fs::read(&path).expect("readable");
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let status = root.join("golden").join(format!("{name}.vkd3d.status"));
        hanging += u32::from(std::fs::read_to_string(status).is_ok_and(|s| s.contains("124")));
        // The shortest of several times is used, because other load on the machine only makes times longer.
        let decode = |_| {
            let start = Instant::now();
            let program = D3d9::decode(&data).expect("a program");
            let time = start.elapsed();
            assert_eq!(D3d9::encode(&program), data, "{name}");
            time
        };
        let time = (0..20).map(decode).min().expect("a time");
        assert!(time < Duration::from_millis(5), "{name}: {time:?}");
        (files, bytes, spent) = (files + 1, bytes + data.len(), spent + time);
    }
    let speed = bytes as f64 / 1e6 / spent.as_secs_f64();
    println!(
        "{files} files, {hanging} of which vkd3d does not finish, {bytes} bytes in {spent:?}: {speed:.0} MB/s"
    );
    assert_eq!((files, hanging), (90, 8));
}
