//! Compares real programs of Utgard GP with two other evaluations. The runs are in `utgard-gp/golden` of the material that is not part of the project
//! (see `crate::material`).
//!
//! `FORMAT.md` there documents how the runs were made. Each run states the bits of every attribute and every constant slot that is read, including
//! literals, so the bare words run in the same environment here, on the reference and on the executor. The results are compared with two evaluations:
//!
//! * `model` is another model of the instruction words. The policies of this model are our defaults, and it rounds each complex function once. Values
//!   must have equal bits, with all NaNs equal, except where the value passed through rsqrt, which we compute as 1 / sqrt with two roundings.
//! * `nir` is the compiler's input, where it is known. Values must have equal bits where the value passed through no complex functions other than rcp
//!   and rsqrt, which are those of C, and the run has no tag. The values of a run with a tag depend on which of several policies the compiler
//!   follows.
//!
//! Values that need not have the same bits must be within `|ours - theirs| <= (amp 2^-22 + 4 * 2^-23) |theirs|`, `FORMAT.md`'s tolerance for
//! functions as accurate as those of C. A run states `amp` for each component. Where `amp` is above 1000, such values are not compared, because
//! `FORMAT.md` advises against a relative comparison.

use super as golden;
use super::{Bits, ComparedComponent, OutputIndex, Registers, Runs, Tally, flip_lowest_bit, outcomes, slots};
use lockstep::case::{Case, EntryRef};
use lockstep_core::host::{Environment, LaneInput};
use lockstep_core::isa::IsaId;
use lockstep_core::isa::utgard_gp::UtgardGp;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The outputs of an evaluation, by varying. `None` is a component that is not written.
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
pub(super) struct File {
    #[serde(rename = "file")]
    program: String,
    mode: String,
    /// For each component, one letter for each complex function through which its value passed.
    #[serde(default)]
    via: BTreeMap<u16, [Option<String>; 4]>,
    runs: Vec<Run>,
}

/// The numbers of components, over both engines, that were compared with each evaluation bit for bit, within the tolerance, and not at all.
#[derive(Default)]
pub(super) struct Counts {
    model: [u64; 3],
    nir: [u64; 3],
    tagged: u32,
}

/// Returns the entry for a component in a table by varying.
fn entry<T: Clone>(table: &BTreeMap<u16, [Option<T>; 4]>, varying: u16, c: usize) -> Option<T> {
    table.get(&varying).and_then(|four| four[c].clone())
}

/// How a component is compared with an evaluation.
#[derive(Clone, Copy)]
enum Comparison {
    Bits = 0,
    Near = 1,
    Unstable = 2,
}

/// Returns how a component is compared. `via` has the complex functions through which its value passed, and `alike` those that both sides round in
/// the same way.
fn choose_comparison(via: &str, alike: &[char], tagged: bool, amp: f64) -> Comparison {
    if !tagged && via.chars().all(|function| alike.contains(&function)) {
        Comparison::Bits
    } else if amp > 1000.0 {
        Comparison::Unstable
    } else {
        Comparison::Near
    }
}

fn compare(
    way: Comparison,
    amp: f64,
    (at, value, theirs): (&ComparedComponent<'_>, f32, f32),
    tally: &mut Tally,
) {
    let relative = amp * f64::exp2(-22.0) + 4.0 * f64::exp2(-23.0);
    match way {
        Comparison::Bits => tally.compare_bits(at, value, theirs),
        Comparison::Near => tally.compare(at, value, theirs, relative * f64::from(theirs).abs()),
        Comparison::Unstable => {}
    }
}

impl Runs for UtgardGp {
    type File = File;
    type Counts = Counts;
    const FORMAT: &'static str = "utgard-gp-golden-1";
    const TOTAL: (u32, u32) = (83, 1328);

    fn check(root: &Path, name: &str, file: &File, tally: &mut Tally, counts: &mut Counts) {
        let bytes = std::fs::read(root.join("open").join(&file.program)).expect("the program that was run");
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
            let output_index = OutputIndex::new::<UtgardGp>(&resolved.entry);
            for (ours, outcome) in outcomes(&resolved) {
                let outputs = &outcome.lanes[0].outputs;
                for (varying, four) in &run.model {
                    for (c, theirs) in four.iter().enumerate() {
                        let Some(Bits(theirs)) = *theirs else { continue };
                        let component = format!("v{varying}.{}", ["x", "y", "z", "w"][c]);
                        let value = outputs[output_index.get(&format!("v{varying}"), c)];
                        let at = ComparedComponent {
                            file: name,
                            run: run.n,
                            component: &component,
                            ours,
                            theirs: "model",
                        };
                        let via = entry(&file.via, *varying, c).expect("the functions of each value");
                        let amp = entry(&run.amp, *varying, c).unwrap_or(0.0);
                        // The model has our policies even in runs with tags.
                        let how = choose_comparison(&via, &['R', 'E', 'L'], false, amp);
                        counts.model[how as usize] += 1;
                        compare(how, amp, (&at, value, theirs), tally);
                        let Some(Bits(theirs)) = run.nir.as_ref().and_then(|nir| entry(nir, *varying, c))
                        else {
                            assert!(
                                run.nir.is_none(),
                                "{name} run {} {component}: only one evaluation",
                                run.n
                            );
                            continue;
                        };
                        let at = ComparedComponent { theirs: "nir", ..at };
                        let how = choose_comparison(&via, &['R', 'Q'], !run.tags.is_empty(), amp);
                        counts.nir[how as usize] += 1;
                        compare(how, amp, (&at, value, theirs), tally);
                    }
                }
            }
            tally.runs += 1;
            counts.tagged += u32::from(!run.tags.is_empty());
        }
    }

    fn report(counts: &Counts) {
        for (against, [bits, near, unstable]) in [("model", counts.model), ("source", counts.nir)] {
            println!(
                "{against}: {bits} components bit for bit, {near} within the tolerance, {unstable} not compared, as they are unstable"
            );
        }
        println!("{} runs with tags", counts.tagged);
    }

    fn spoil(file: &mut File) -> Option<usize> {
        if file.mode != "nir+model" {
            return None;
        }
        // A component that must have the same bits, in a run without tags.
        let exact = |via: &Option<String>| via.as_deref().is_some_and(|via| matches!(via, "" | "R"));
        let (varying, c) =
            (file.via.iter()).find_map(|(varying, four)| Some((*varying, four.iter().position(exact)?)))?;
        let at = file.runs.iter().position(|run| run.tags.is_empty())?;
        let mut run = file.runs.swap_remove(at);
        for outputs in [Some(&mut run.model), run.nir.as_mut()].into_iter().flatten() {
            flip_lowest_bit(outputs.get_mut(&varying).and_then(|four| four[c].as_mut())?);
        }
        file.runs = vec![run];
        // One comparison for each of our engines and each evaluation.
        Some(4)
    }
}

#[test]
fn golden_runs_of_utgard_gp_match_both_evaluations() {
    golden::check_all_runs::<UtgardGp>();
}

#[test]
fn a_changed_lowest_bit_is_detected_in_both_evaluations() {
    golden::check_detection::<UtgardGp>();
}
