//! Compares real programs with recorded runs of other people's engines. This file contains the code that all instruction sets share.
//!
//! The runs are files in `NAME/golden` of the material that is not part of the project (see `crate::material`). `FORMAT.md` there documents how the
//! runs were made. Each submodule implements [`Runs`] for one instruction set: it checks the content of a file of runs and defines which differences
//! are allowed.

mod a2xx;
mod agal;
mod d3d9;
mod pica200;
mod utgard_gp;

use crate::material::material;
use lockstep::case::Resolved;
use lockstep::engine::{Executor, Outcome, Tier, reference};
use lockstep::generate::Generate;
use lockstep_core::host::{Dimension, Texels, Texture};
use lockstep_core::isa::lowering;
use lockstep_core::isa::lowering::Mode;
use lockstep_core::isa::{Format, Level, Syntax};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Eight hexadecimal digits: the bits of a binary32.
#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Bits(pub(crate) f32);

impl TryFrom<String> for Bits {
    type Error = std::num::ParseIntError;
    fn try_from(text: String) -> Result<Bits, Self::Error> {
        u32::from_str_radix(&text, 16).map(|bits| Bits(f32::from_bits(bits)))
    }
}

/// The registers that are not zero, by number.
pub(crate) type Registers = BTreeMap<u16, [Bits; 4]>;

/// Returns registers as a dense table, filled up with zeros.
pub(crate) fn slots(registers: &Registers) -> Vec<[f32; 4]> {
    let len = registers.keys().last().map_or(0, |last| usize::from(*last) + 1);
    let mut slots = vec![[0.0; 4]; len];
    for (slot, value) in registers {
        slots[usize::from(*slot)] = value.map(|b| b.0);
    }
    slots
}

/// A texture unit whose reads are `rgba + k * (x, y, z, 0)`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ramp {
    /// `cube`, `volume`, or anything else for a plane.
    #[serde(rename = "type")]
    pub(crate) dimension: String,
    /// The value at the origin, where all coordinates are zero.
    pub(crate) rgba: [Bits; 4],
    /// The slope: the factor of the coordinates.
    pub(crate) k: Bits,
    /// The bump-environment matrix m00, m01, m10, m11 of the stage, where it has one.
    pub(crate) bem: Option<[Bits; 4]>,
    /// Luminance scale and offset of the stage.
    pub(crate) lum: Option<[Bits; 2]>,
}

/// Returns the texture units of a run as textures. A unit that the run does not define becomes the default texture.
pub(crate) fn textures(units: &BTreeMap<u16, Ramp>) -> Vec<Texture> {
    let count = units.keys().last().map_or(0, |last| *last + 1);
    let texture = |unit| {
        units.get(&unit).map_or_else(Texture::default, |s: &Ramp| Texture {
            dimension: match s.dimension.as_str() {
                "cube" => Dimension::Cube,
                "volume" => Dimension::Three,
                _ => Dimension::Two,
            },
            size: [1; 3],
            levels: 1,
            texels: Texels::Ramp { base: s.rgba.map(|b| b.0), slope: s.k.0 },
            ..Texture::default()
        })
    };
    (0..count).map(texture).collect()
}

/// Returns the largest magnitude among numbers.
pub(crate) fn magnitude<'a>(numbers: impl IntoIterator<Item = &'a Bits>) -> f64 {
    numbers.into_iter().map(|b| f64::from(b.0.abs())).fold(0.0, f64::max)
}

/// Returns the outcomes of a case on both engines. Fails if a rule refuses the program.
pub(crate) fn outcomes<I: Generate>(resolved: &Resolved<I>) -> [(&'static str, Outcome); 2] {
    let refused = I::validate(&resolved.context()).into_iter().find(|v| v.level == Level::Error);
    assert_eq!(refused, None, "a rule refuses the program");
    outcomes_of_refused(resolved)
}

/// Like [`outcomes`], for a program that a rule refuses although it has a meaning.
pub(crate) fn outcomes_of_refused<I: Generate>(resolved: &Resolved<I>) -> [(&'static str, Outcome); 2] {
    let cx = resolved.context();
    let lowered = lowering::lower_validated(&cx, Mode::Auto).unwrap_or_else(|error| panic!("{error}"));
    let executed = Executor::new(Tier::best_interpreted()).run(cx.entry, &lowered, &resolved.env);
    [("reference", reference(&cx, &resolved.env)), ("executor", executed)]
}

/// The index of an output component in [`lockstep::engine::LaneOutcome::outputs`], by the register's name and the component's number.
pub(crate) struct OutputIndex(BTreeMap<(String, usize), usize>);

impl OutputIndex {
    /// Creates the index of an entry's output components.
    pub(crate) fn new<I: Syntax>(entry: &lockstep_core::isa::Entry) -> OutputIndex {
        let outputs = entry.interface.outputs.iter().flat_map(|port| {
            (0..4).filter(|c| port.mask >> c & 1 == 1).map(|c| (I::output_name(entry, port.slot), c))
        });
        OutputIndex(outputs.enumerate().map(|(at, key)| (key, at)).collect())
    }

    /// Returns the index of a component.
    pub(crate) fn get(&self, register: &str, component: usize) -> usize {
        let place = self.0.get(&(register.to_owned(), component));
        *place.unwrap_or_else(|| panic!("{register}.{component} is no output"))
    }
}

/// A component that may be outside the tolerance.
#[derive(Clone, Copy)]
pub(crate) struct Exception {
    /// The file without its endings.
    pub(crate) file: &'static str,
    /// The run's number.
    pub(crate) run: u32,
    /// The component, as `register.letter`.
    pub(crate) component: &'static str,
    /// Why the component may differ.
    pub(crate) reason: &'static str,
}

/// A component that is compared.
pub(crate) struct ComparedComponent<'a> {
    /// The file without its endings.
    pub(crate) file: &'a str,
    /// The run's number.
    pub(crate) run: u32,
    /// The component, as `register.letter`.
    pub(crate) component: &'a str,
    /// The name of our engine.
    pub(crate) ours: &'a str,
    /// The name of the other engine, which made the run.
    pub(crate) theirs: &'a str,
}

/// The counts of a comparison.
pub(crate) struct Tally {
    exceptions: &'static [Exception],
    used: BTreeSet<(String, u32, String)>,
    /// Files read.
    pub(crate) files: u32,
    /// Runs compared.
    pub(crate) runs: u32,
    /// Components compared.
    pub(crate) components: u64,
    /// Compared values that count as having the same bits. In [`Tally::compare`] this includes zeros of either sign, in [`Tally::compare_bits`] all
    /// NaNs.
    pub(crate) bits: u64,
    /// Differences outside the tolerance that are not exceptions.
    pub(crate) outside: Vec<String>,
}

impl Tally {
    /// Returns counts that are all zero.
    pub(crate) fn new(exceptions: &'static [Exception]) -> Tally {
        Tally {
            exceptions,
            used: BTreeSet::new(),
            files: 0,
            runs: 0,
            components: 0,
            bits: 0,
            outside: Vec::new(),
        }
    }

    /// Compares a component; `allowed` is the largest difference within the tolerance. An infinity is only equal to itself: a tolerance that is relative
    /// to an infinite value does not make finite values equal to it.
    pub(crate) fn compare(&mut self, at: &ComparedComponent<'_>, ours: f32, theirs: f32, allowed: f64) {
        self.components += 1;
        let same = ours.to_bits() == theirs.to_bits() || ours == theirs;
        self.bits += u64::from(same);
        let off = (f64::from(ours) - f64::from(theirs)).abs();
        // The difference is not finite if there is a NaN or an infinity on only one side.
        let is_near = off.is_finite() && off <= allowed;
        if same || is_near || (ours.is_nan() && theirs.is_nan()) {
            return;
        }
        let wrong = format!("off by {off:e} where {allowed:e} is allowed");
        self.differs(at, ours, theirs, &wrong);
    }

    /// Compares a component that must have the same bits. Zeros of opposite sign differ; all NaNs are equal.
    pub(crate) fn compare_bits(&mut self, at: &ComparedComponent<'_>, ours: f32, theirs: f32) {
        self.components += 1;
        if lockstep_core::value::same(ours, theirs) {
            self.bits += 1;
        } else {
            let wrong = format!("bits {:08x} and {:08x}", ours.to_bits(), theirs.to_bits());
            self.differs(at, ours, theirs, &wrong);
        }
    }

    /// Records a component that differs.
    fn differs(&mut self, at: &ComparedComponent<'_>, ours: f32, theirs: f32, wrong: &str) {
        let ComparedComponent { file, run, component, .. } = *at;
        if self.exceptions.iter().any(|e| (e.file, e.run, e.component) == (file, run, component)) {
            self.used.insert((file.to_owned(), run, component.to_owned()));
            return;
        }
        self.outside.push(format!(
            "{file} run {run} {component} {}: {ours:?}, {} has {theirs:?}, {wrong}",
            at.ours, at.theirs
        ));
    }

    /// Prints the counts. Fails if a difference is outside the tolerance, nothing was compared, or an exception is no longer needed.
    pub(crate) fn finish(&self) {
        println!(
            "{} files, {} runs, {} components compared over two engines, {} with the same bits, {} exceptions",
            self.files,
            self.runs,
            self.components,
            self.bits,
            self.exceptions.len()
        );
        assert!(self.outside.is_empty(), "{} outside:\n{}", self.outside.len(), self.outside.join("\n"));
        assert!(self.components > 0 && self.runs > 0, "nothing was compared");
        for Exception { file, run, component, reason } in self.exceptions {
            let key = ((*file).to_owned(), *run, (*component).to_owned());
            let used = self.used.contains(&key);
            assert!(used, "an exception that is not needed: {file} run {run} {component} ({reason})");
        }
    }
}

/// Returns the folder of an instruction set's real programs and the files of runs in it. If the material is missing, prints what is skipped and
/// returns `None`. Folders have hyphens where names have underscores.
pub(crate) fn golden<I: Format>() -> Option<(PathBuf, Vec<PathBuf>)> {
    let name = I::ID.name().replace('_', "-");
    let root = material(&name)?;
    let folder = std::fs::read_dir(root.join("golden")).expect("a folder");
    let paths = folder.map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<_> = paths.filter(|path| path.to_string_lossy().ends_with(".runs.json")).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{name}/golden contains no runs");
    Some((root, paths))
}

/// Runs of an instruction set's programs by another engine.
trait Runs: Generate {
    /// A file of runs.
    type File: for<'de> Deserialize<'de>;
    /// Counts that only this instruction set keeps, in addition to the counts of [`Tally`].
    type Counts: Default;
    /// The name of the format of the files.
    const FORMAT: &'static str;
    /// Components that may be outside the tolerance.
    const EXCEPTIONS: &'static [Exception] = &[];
    /// The numbers of files and of runs, as `FORMAT.md` counts them.
    const TOTAL: (u32, u32);

    /// Compares every run of the file with this name. `root` is the folder of the instruction set's real programs.
    fn check(root: &Path, name: &str, file: &Self::File, tally: &mut Tally, counts: &mut Self::Counts);

    /// Prints and checks the counts after all files.
    fn report(_counts: &Self::Counts) {}

    /// Changes values of one run by the least amount that a comparison must detect, and drops the other runs. Returns how many comparisons must
    /// detect the change, or `None` if the file has no suitable run.
    fn spoil(file: &mut Self::File) -> Option<usize>;
}

/// Reads a file of runs. Returns its name without endings, and its content.
fn read<I: Runs>(path: &Path) -> (String, I::File) {
    #[derive(Deserialize)]
    struct Head {
        format: String,
    }
    let name = path.file_name().expect("a file").to_string_lossy().replace(".runs.json", "");
    let bytes = std::fs::read(path).expect("readable");
    let wrong = |error| panic!("{name}: not in the format of FORMAT.md: {error}");
    let head: Head = serde_json::from_slice(&bytes).unwrap_or_else(wrong);
    assert_eq!(head.format, I::FORMAT, "{name}");
    let file = serde_json::from_slice(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
    (name, file)
}

/// Fails unless all runs of an instruction set agree. Does nothing where the material is missing.
fn check_all_runs<I: Runs>() {
    let Some((root, paths)) = golden::<I>() else { return };
    let (mut tally, mut counts) = (Tally::new(I::EXCEPTIONS), I::Counts::default());
    for path in &paths {
        let (name, file) = read::<I>(path);
        I::check(&root, &name, &file, &mut tally, &mut counts);
        tally.files += 1;
    }
    I::report(&counts);
    tally.finish();
    assert_eq!((tally.files, tally.runs), I::TOTAL, "as FORMAT.md counts them");
}

/// Applies [`Runs::spoil`] to the first file with a suitable run. Fails unless [`Runs::check`] detects as many differences as `spoil` states.
fn check_detection<I: Runs>() {
    let Some((root, paths)) = golden::<I>() else { return };
    let spoiled = paths.iter().map(|path| read::<I>(path)).find_map(|(name, mut file)| {
        let noticing = I::spoil(&mut file)?;
        Some((name, file, noticing))
    });
    let (name, file, noticing) = spoiled.expect("a file with a suitable run");
    let mut tally = Tally::new(&[]);
    I::check(&root, &name, &file, &mut tally, &mut I::Counts::default());
    assert_eq!(tally.outside.len(), noticing, "{:?}", tally.outside);
}

/// Inverts the lowest bit of `value`.
pub(crate) fn flip_lowest_bit(value: &mut Bits) {
    value.0 = f32::from_bits(value.0.to_bits() ^ 1);
}

/// Returns the tolerance of `FORMAT.md` for GLSL on rasterisers: `max(1e-5, 8 d)` of the value, where `d` is the largest relative difference between
/// two rasterisers in the run, plus a millionth of `magnitude`, the largest magnitude among inputs and constants.
pub(crate) fn rasteriser_tolerance(d: f64, magnitude: f64, theirs: f32) -> f64 {
    f64::max(1e-5, 8.0 * d) * f64::from(theirs).abs() + 1e-6 * magnitude
}

/// A tolerance that is relative to an infinite value is infinite, too. Still, only the same infinity is equal to it, and only a NaN to a NaN.
#[test]
fn infinities_and_nans_are_near_no_other_number() {
    let at = ComparedComponent { file: "file", run: 0, component: "r0.x", ours: "ours", theirs: "theirs" };
    let is_equal = |ours: f32, theirs: f32, allowed: f64| {
        let mut tally = Tally::new(&[]);
        tally.compare(&at, ours, theirs, allowed);
        tally.outside.is_empty()
    };
    let numbers = [1.0, f32::MAX, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
    for (i, ours) in numbers.into_iter().enumerate() {
        for (j, theirs) in numbers.into_iter().enumerate() {
            let both_finite = i < 2 && j < 2;
            assert_eq!(is_equal(ours, theirs, f64::INFINITY), i == j || both_finite, "{ours} and {theirs}");
        }
    }
    assert!(is_equal(1.0, 1.5, 0.5) && !is_equal(1.0, 1.5, 0.25));
}
