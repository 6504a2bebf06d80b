//! Compares runs of real AGAL programs with those of another translator on a software rasteriser. The runs are in `agal/golden` of the material that
//! is not part of the project (see `crate::material`).
//!
//! Each run states the bits of every input, so the reference and the executor run in the same environment here. Every component that the program
//! writes is compared with `softpipe` within the tolerance [`rasteriser_tolerance`]; zeros of either sign are equal.

use super as golden;
use super::{
    Bits, ComparedComponent, Exception, OutputIndex, Ramp, Registers, Runs, Tally, magnitude, outcomes,
    rasteriser_tolerance, slots,
};
use lockstep::case::{Case, EntryRef};
use lockstep_core::host::{Environment, LaneInput};
use lockstep_core::isa::IsaId;
use lockstep_core::isa::agal::Agal;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

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
    s: BTreeMap<u16, Ramp>,
    #[serde(default)]
    dvx: Registers,
    #[serde(default)]
    dvy: Registers,
    kill: Option<u8>,
    out: BTreeMap<String, BTreeMap<String, [Bits; 4]>>,
    d: f64,
}

impl Run {
    /// Returns the largest magnitude among inputs, constants and the base values of textures.
    fn magnitude(&self) -> f64 {
        let registers = [&self.va, &self.v, &self.c].into_iter().flat_map(BTreeMap::values);
        magnitude(registers.chain(self.s.values().map(|s| &s.rgba)).flatten())
    }

    fn environment(&self, fragment: bool) -> Environment {
        let lanes = if fragment {
            [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)].map(|(px, py)| self.pixel(px, py)).to_vec()
        } else {
            vec![LaneInput { slots: slots(&self.va) }]
        };
        Environment {
            constants: slots(&self.c),
            textures: golden::textures(&self.s),
            fuel: 1 << 12,
            lanes,
            ..Environment::default()
        }
    }

    /// Returns a pixel's inputs. `FORMAT.md` defines them as varying + (px * dvx + py * dvy).
    fn pixel(&self, px: f32, py: f32) -> LaneInput {
        let mut slots = slots(&self.v);
        for slot in self.v.keys() {
            for (c, value) in slots[usize::from(*slot)].iter_mut().enumerate() {
                let change = |by: &Registers, n: f32| by.get(slot).map_or(0.0, |by| by[c].0) * n;
                *value += change(&self.dvx, px) + change(&self.dvy, py);
            }
        }
        LaneInput { slots }
    }
}

#[derive(Deserialize)]
pub(super) struct File {
    #[serde(rename = "file")]
    program: String,
    #[serde(rename = "type")]
    stage: String,
    written: BTreeMap<String, String>,
    runs: Vec<Run>,
}

impl Runs for Agal {
    type File = File;
    type Counts = ();
    const FORMAT: &'static str = "agal-golden-1";
    const TOTAL: (u32, u32) = (33, 528);

    fn check(root: &Path, name: &str, file: &File, tally: &mut Tally, (): &mut ()) {
        let bytes = std::fs::read(root.join(&file.program)).expect("the program that was run");
        for run in &file.runs {
            let case = Case {
                isa: IsaId::Agal,
                bytes: bytes.clone(),
                entry: EntryRef::Own(0),
                options: BTreeMap::new(),
                env: run.environment(file.stage == "fragment"),
            };
            let resolved = case.resolve::<Agal>().expect("decodes");
            let output_index = OutputIndex::new::<Agal>(&resolved.entry);
            let expected = &run.out["softpipe"];
            let magnitude = run.magnitude();
            for (ours, outcome) in outcomes(&resolved) {
                let lane = &outcome.lanes[0];
                assert_eq!(
                    lane.killed,
                    run.kill.unwrap_or(0) == 1,
                    "{name} run {} {ours}: the kill mark",
                    run.n
                );
                for (register, components) in &file.written {
                    for component in components.chars() {
                        let c = "xyzw".find(component).expect("a component");
                        let theirs = expected[register][c].0;
                        let at = format!("{register}.{component}");
                        let at = ComparedComponent {
                            file: name,
                            run: run.n,
                            component: &at,
                            ours,
                            theirs: "softpipe",
                        };
                        let allowed = rasteriser_tolerance(run.d, magnitude, theirs);
                        tally.compare(&at, lane.outputs[output_index.get(register, c)], theirs, allowed);
                    }
                }
            }
            tally.runs += 1;
        }
    }

    /// Changes one component by 1.5 times the tolerance.
    fn spoil(file: &mut File) -> Option<usize> {
        file.runs.truncate(1);
        let run = &mut file.runs[0];
        let (d, magnitude) = (run.d, run.magnitude());
        let value = run.out.get_mut("softpipe").and_then(|out| out.values_mut().next())?;
        let moved = f64::from(value[0].0) + 1.5 * rasteriser_tolerance(d, magnitude, value[0].0);
        value[0] = Bits(moved as f32);
        // One comparison for each of our engines.
        Some(2)
    }
}

#[test]
fn golden_runs_of_agal_match_within_the_tolerance() {
    golden::check_all_runs::<Agal>();
}

#[test]
fn a_run_outside_the_tolerance_is_detected() {
    golden::check_detection::<Agal>();
}

#[test]
#[should_panic(expected = "an exception that is not needed")]
fn an_unused_exception_fails() {
    const UNUSED: [Exception; 1] = [Exception { file: "a", run: 0, component: "op.x", reason: "none" }];
    let mut tally = Tally::new(&UNUSED);
    let at =
        ComparedComponent { file: "b", run: 0, component: "op.x", ours: "reference", theirs: "softpipe" };
    tally.compare(&at, 1.0, 1.0, 0.0);
    tally.runs = 1;
    tally.finish();
}
