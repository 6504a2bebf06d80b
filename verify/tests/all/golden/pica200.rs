//! Compares real vertex programs of PICA200 with emulators. The runs are in `pica200/golden` of the material that is not part of the project (see
//! `crate::material`).
//!
//! `FORMAT.md` there documents how the runs were made. Each run states the bits of every input, so the reference and the executor run in the same
//! environment here. Every component that the program can write is compared bit for bit, with all NaNs equal. All emulators compute in binary32, so
//! the options are set to the choices of the emulator that `FORMAT.md` trusts most, the interpreter of Azahar. Entries that may be affected by a bug
//! of that interpreter (`suspect`) are compared with the emulator that is trusted next, the interpreter of Panda3DS.

use super as golden;
use super::{
    Bits, ComparedComponent, Exception, OutputIndex, Registers, Runs, Tally, flip_lowest_bit, golden,
    outcomes, slots,
};
use lockstep::case::{Case, EntryRef};
use lockstep_core::host::{Environment, LaneInput};
use lockstep_core::isa::IsaId;
use lockstep_core::isa::pica200::Pica200;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The emulator that is trusted most, and the one used where a bug of the first may show.
const ENGINES: [&str; 2] = ["azahar_interpreter", "panda3ds_interpreter"];

/// The choices of Azahar's interpreter that are not the default.
const OPTIONS: [(&str, &str); 6] = [
    ("number", "f32"),
    ("subnormal", "keep"),
    ("negative_zero", "keep"),
    ("loop_address", "start"),
    ("compare_operator", "unchanged"),
    ("stray_break", "ignore"),
];

/// For a row of the divergence table of PICA200's emulators, the choice under which the row makes no difference. The choice replaces one of
/// [`OPTIONS`] or is added to them.
const ROWS: [(&str, (&str, &str)); 2] =
    [("D30", ("dot_order", "pairs")), ("D7", ("minmax_infinity", "second"))];

/// Components that may differ; a reason begins with the row of the divergence table.
const EXCEPTIONS: [Exception; 16] = [
    dot_of_zeros("homebrew__vshader_v__d5805af3", 4, "o3.y"),
    infinite_extreme("openlara__compose_room_v__6e8b3aae", 5, "o2.x"),
    infinite_extreme("openlara__compose_room_v__6e8b3aae", 5, "o2.y"),
    infinite_extreme("openlara__compose_room_v__6e8b3aae", 5, "o2.z"),
    infinite_extreme("openlara__compose_room_v__6e8b3aae", 6, "o2.x"),
    infinite_extreme("openlara__compose_room_v__6e8b3aae", 6, "o2.y"),
    infinite_extreme("openlara__compose_room_v__6e8b3aae", 6, "o2.z"),
    infinite_extreme("openlara__compose_room_v__e951a9d2", 5, "o2.x"),
    infinite_extreme("openlara__compose_room_v__e951a9d2", 5, "o2.y"),
    infinite_extreme("openlara__compose_room_v__e951a9d2", 5, "o2.z"),
    infinite_extreme("openlara__compose_room_v__e951a9d2", 12, "o2.x"),
    infinite_extreme("openlara__compose_room_v__e951a9d2", 12, "o2.y"),
    infinite_extreme("openlara__compose_room_v__e951a9d2", 12, "o2.z"),
    infinite_extreme("openlara__compose_sprite_u_v__b07ce9ab", 5, "o2.x"),
    infinite_extreme("openlara__compose_sprite_u_v__b07ce9ab", 5, "o2.y"),
    infinite_extreme("openlara__compose_sprite_u_v__b07ce9ab", 5, "o2.z"),
];

const fn dot_of_zeros(file: &'static str, run: u32, component: &'static str) -> Exception {
    let reason = "D30: a dot product of zeros, whose sum Azahar and we start with +0 and Panda3DS does not; the console has no -0";
    Exception { file, run, component, reason }
}

const fn infinite_extreme(file: &'static str, run: u32, component: &'static str) -> Exception {
    let reason =
        "D7: max or min whose second operand is an infinity, which Panda3DS always returns; Azahar is right";
    Exception { file, run, component, reason }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Run {
    n: u32,
    #[serde(rename = "class")]
    _class: String,
    #[serde(default)]
    v: Registers,
    #[serde(default)]
    c: Registers,
    i: [[i32; 4]; 4],
    b: [u8; 16],
    out: BTreeMap<String, Outputs>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Outputs {
    status: String,
    #[serde(rename = "why")]
    _why: Option<String>,
    #[serde(default)]
    o: BTreeMap<u16, [Bits; 4]>,
}

impl Run {
    fn environment(&self) -> Environment {
        Environment {
            constants: slots(&self.c),
            ints: self.i.to_vec(),
            bools: self.b.iter().map(|b| *b != 0).collect(),
            fuel: 1 << 12,
            lanes: vec![LaneInput { slots: slots(&self.v) }],
            ..Environment::default()
        }
    }

    fn case(&self, bytes: &[u8], dvle: u16, more: Option<(&str, &str)>) -> Case {
        let options = OPTIONS.into_iter().chain(more).map(|(option, choice)| (option.into(), choice.into()));
        Case {
            isa: IsaId::Pica200,
            bytes: bytes.to_vec(),
            entry: EntryRef::Own(dvle),
            options: options.collect(),
            env: self.environment(),
        }
    }
}

#[derive(Deserialize)]
struct Dvle {
    #[serde(rename = "dvle")]
    number: u16,
    #[serde(rename = "type")]
    stage: String,
    entry: u32,
    /// Components by register, with `_` for those that are not written.
    #[serde(default)]
    written: BTreeMap<u16, String>,
    #[serde(default)]
    suspect: BTreeMap<String, Vec<String>>,
    runs: Vec<Run>,
}

impl Dvle {
    /// Returns the engine that these runs are compared with.
    fn engine(&self) -> &'static str {
        ENGINES[usize::from(self.suspect.contains_key(ENGINES[0]))]
    }

    /// Returns the register and the component of every written value.
    fn components(&self) -> impl Iterator<Item = (u16, usize)> + '_ {
        let letters = |letters: &str| (0..4).zip(letters.chars().collect::<Vec<_>>());
        self.written.iter().flat_map(move |(register, mask)| {
            letters(mask).filter(|(_, letter)| *letter != '_').map(|(c, _)| (*register, c))
        })
    }
}

#[derive(Deserialize)]
pub(super) struct File {
    #[serde(rename = "file")]
    program: String,
    dvles: Vec<Dvle>,
}

/// The number of runs compared with each of the emulators.
pub(super) type Counts = BTreeMap<&'static str, u32>;

impl Runs for Pica200 {
    type File = File;
    type Counts = Counts;
    const FORMAT: &'static str = "pica200-golden-1";
    const EXCEPTIONS: &'static [Exception] = &EXCEPTIONS;
    const TOTAL: (u32, u32) = (92, 1872);

    fn check(root: &Path, name: &str, file: &File, tally: &mut Tally, counts: &mut Counts) {
        let bytes = std::fs::read(root.join("open").join(&file.program)).expect("the program of the runs");
        for dvle in file.dvles.iter().filter(|dvle| dvle.stage == "vertex") {
            let theirs = dvle.engine();
            for run in &dvle.runs {
                let expected = &run.out[theirs];
                assert_eq!(expected.status, "ok", "{name} run {}: {theirs}", run.n);
                let resolved = run.case(&bytes, dvle.number, None).resolve::<Pica200>().expect("decodes");
                assert_eq!(resolved.entry.start, dvle.entry, "{name}: the entry");
                let output_index = OutputIndex::new::<Pica200>(&resolved.entry);
                for (ours, outcome) in outcomes(&resolved) {
                    let lane = &outcome.lanes[0];
                    assert_eq!(
                        lane.outputs.len(),
                        dvle.components().count(),
                        "{name}: the components that are written"
                    );
                    for (register, c) in dvle.components() {
                        let at = format!("o{register}.{}", ["x", "y", "z", "w"][c]);
                        let value = lane.outputs[output_index.get(&format!("o{register}"), c)];
                        let at = ComparedComponent { file: name, run: run.n, component: &at, ours, theirs };
                        tally.compare_bits(&at, value, expected.o[&register][c].0);
                    }
                }
                tally.runs += 1;
                *counts.entry(theirs).or_default() += 1;
            }
        }
    }

    fn report(counts: &Counts) {
        for (engine, runs) in counts {
            println!("{runs} runs compared with {engine}");
        }
    }

    fn spoil(file: &mut File) -> Option<usize> {
        let dvle = file.dvles.iter_mut().find(|dvle| dvle.stage == "vertex")?;
        let engine = dvle.engine();
        let (register, c) = dvle.components().next()?;
        dvle.runs.truncate(1);
        flip_lowest_bit(&mut dvle.runs[0].out.get_mut(engine)?.o.get_mut(&register)?[c]);
        // One comparison for each of our engines.
        Some(2)
    }
}

#[test]
fn golden_runs_of_pica200_have_the_same_bits() {
    golden::check_all_runs::<Pica200>();
}

/// Returns the row of the divergence table at the beginning of a reason.
fn row(exception: &Exception) -> &'static str {
    exception.reason.split(':').next().unwrap_or_default()
}

#[test]
fn every_exception_is_explained_by_its_row() {
    let Some((root, paths)) = golden::<Pica200>() else { return };
    for exception in &EXCEPTIONS {
        let Exception { file: name, run, component, .. } = *exception;
        let path = paths.iter().find(|path| path.ends_with(format!("{name}.runs.json")));
        let (_, file) = golden::read::<Pica200>(path.expect("the file of an exception"));
        let dvle = file.dvles.iter().find(|dvle| dvle.stage == "vertex").expect("a vertex program");
        let row = row(exception);
        // The sign of a zero may differ anywhere: FORMAT.md does not mark where.
        let touched = row == "D30" || dvle.suspect.values().flatten().any(|suspect| suspect == row);
        assert!(touched, "{name}: reachable code does not touch {row}");
        let (_, choice) = ROWS.into_iter().find(|(known, _)| *known == row).expect("a row with a choice");
        let bytes = std::fs::read(root.join("open").join(&file.program)).expect("the program of the runs");
        let found = dvle.runs.iter().find(|found| found.n == run).expect("the run of an exception");
        let resolved = found.case(&bytes, dvle.number, Some(choice)).resolve::<Pica200>().expect("decodes");
        let (register, letter) = component.split_once('.').expect("a register and a letter");
        let c = "xyzw".find(letter).expect("a component");
        let place = OutputIndex::new::<Pica200>(&resolved.entry).get(register, c);
        let number: u16 = register[1..].parse().expect("an output's number");
        let theirs = found.out[dvle.engine()].o[&number][c].0;
        for (ours, outcome) in outcomes(&resolved) {
            let value = outcome.lanes[0].outputs[place];
            assert!(
                lockstep_core::value::same(value, theirs),
                "{name} run {run} {component} {ours} with {choice:?}: {value:?} and {theirs:?}"
            );
        }
    }
}

#[test]
fn signed_zeros_and_a_changed_lowest_bit_are_detected() {
    golden::check_detection::<Pica200>();
    let mut tally = Tally::new(&[]);
    let at = ComparedComponent {
        file: "a",
        run: 0,
        component: "o0.x",
        ours: "reference",
        theirs: "azahar_interpreter",
    };
    tally.compare_bits(&at, 0.0, -0.0);
    tally.compare_bits(&at, f32::NAN, f32::from_bits(0xffc0_0001));
    assert_eq!((tally.outside.len(), tally.bits), (1, 1), "{:?}", tally.outside);
}
