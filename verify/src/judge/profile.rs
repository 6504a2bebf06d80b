//! Profiles, which state the part of an instruction set that a subject supports, and its accuracy.

use super::loops::loop_depth;
use super::numbers::Numbers;
use super::ordinary::{Inputs, ordinary};
use super::question::ValidationStatus;
use super::raster::{Learned, OPERATIONS};
use crate::case::{Case, Resolved, from_toml};
use lockstep_core::isa::facet::Capabilities;
use lockstep_core::isa::{CoverPoint, IsaId, Legality, Options, Refinement, Stage, Tables};
use lockstep_core::text::{count, nearest};
use lockstep_core::with_isa;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A subject's claims. Programs outside of the profile are not sent: generator and minimiser only produce programs within it, and a user's programs
/// outside of it are counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Profile {
    /// The supported opcodes, facets and values of facets, as statements of [`Capabilities`].
    pub supports: String,
    /// The supported stages; if empty, all stages.
    pub stages: Vec<Stage>,
    /// The supported versions; if empty, all versions.
    pub versions: Vec<u32>,
    /// The maximum number of instructions of a program; `None` means no limit.
    pub instructions: Option<u32>,
    /// The maximum nesting depth of loops: 1 if no loop may be in another; `None` means no limit.
    pub loops: Option<u32>,
    /// The subject's choices for options, by name. Options exist where the documents disagree.
    pub options: BTreeMap<String, String>,
    /// The tolerance for results.
    pub numbers: Numbers,
    /// The opcodes whose results may differ from the reference's, each with its tolerance.
    pub inexact: BTreeMap<String, Numbers>,
    /// The opcodes that pass values on unchanged. Instructions with these opcodes may follow an opcode of `inexact`.
    pub passes: Vec<String>,
    /// For each listed opcode, the operation of the shading language that translations use for it. The tolerance of the opcode is the accuracy of
    /// that operation as measured on the rasteriser.
    pub operations: BTreeMap<String, String>,
    /// The set of numbers used as inputs and constants of programs.
    pub inputs: Inputs,
    /// Whether programs are excluded if they depend on a value that no document defines, such as that of an unwritten register.
    pub defined: bool,
    /// The verdicts expected for bytes that are not a legal program.
    pub invalid: Invalid,
    /// Whether the subject lists the steps of its runs, so that inexact opcodes are allowed anywhere in a program.
    #[serde(skip)]
    pub traces: bool,
    /// The parsed form of `supports`, set by [`Profile::check`].
    #[serde(skip)]
    capabilities: Capabilities,
}

/// The verdicts expected of a decoder for bytes that are not a legal program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Invalid {
    /// The verdict for bytes that do not decode, such as truncated ones or those with invalid numbers. By default they must be rejected.
    pub malformed: Expected,
    /// The verdict for programs that break only rules of warning level. By default accepting and rejecting are both right, and the generator prefers
    /// programs that depend on no undefined value.
    pub doubtful: Expected,
    /// The verdict for programs that break a rule at error level. By default accepting and rejecting are both right.
    pub illegal: Expected,
}

impl Default for Invalid {
    fn default() -> Self {
        Invalid { malformed: Expected::Rejected, doubtful: Expected::Any, illegal: Expected::Any }
    }
}

/// An expected verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expected {
    /// Both verdicts are right.
    #[default]
    Any,
    /// The program must be rejected.
    Rejected,
    /// The program must be accepted.
    Accepted,
}

impl Profile {
    /// Parses a profile for an instruction set.
    ///
    /// # Errors
    /// If the text does not parse, with line and column, or the profile does not fit the instruction set.
    pub fn from_text(text: &str, isa: IsaId) -> Result<Profile, String> {
        let mut profile: Profile = from_toml(text)?;
        profile.check(isa)?;
        Ok(profile)
    }

    /// Checks the profile against an instruction set.
    ///
    /// # Errors
    /// If the profile names something that the instruction set or the rasteriser does not have, or states a number that is no tolerance.
    pub fn check(&mut self, isa: IsaId) -> Result<(), String> {
        self.capabilities = with_isa!(isa, I => self.read::<I>())?;
        with_isa!(isa, I => self.check_opcodes::<I>())?;
        for (opcode, operation) in &self.operations {
            if !OPERATIONS.iter().any(|known| known.name == operation) {
                let all: Vec<&str> = OPERATIONS.iter().map(|known| known.name).collect();
                return Err(format!(
                    "operations.{opcode} is '{operation}'; the operations are {}",
                    all.join(", ")
                ));
            }
        }
        for (opcode, numbers) in &self.inexact {
            numbers.check().map_err(|error| format!("inexact.{opcode}.{error}"))?;
        }
        self.numbers.check().map_err(|error| format!("numbers.{error}"))
    }

    /// Checks that the opcodes named outside of `supports` exist.
    fn check_opcodes<I: Tables>(&self) -> Result<(), String> {
        let inexact = self.inexact.keys().map(|opcode| ("inexact", opcode));
        let passes = self.passes.iter().map(|opcode| ("passes", opcode));
        let operations = self.operations.keys().map(|opcode| ("operations", opcode));
        let known = || I::opcodes().iter().map(|row| row.mnemonic);
        for (list, opcode) in inexact.chain(passes).chain(operations) {
            if !known().any(|mnemonic| mnemonic == opcode) {
                let near = nearest(opcode, known());
                let help = near.map_or_else(String::new, |near| format!("; did you mean '{near}'?"));
                return Err(format!("'{list}' names '{opcode}', which is no opcode of {}{help}", I::ID));
            }
        }
        Ok(())
    }

    fn read<I: Tables>(&self) -> Result<Capabilities, String> {
        let mut options = Options::new(I::option_specs());
        for (name, choice) in &self.options {
            options.set_named(name, choice).map_err(|error| error.to_string())?;
        }
        Capabilities::parse::<I>(&self.supports).map_err(|errors| {
            let all = errors.iter().map(|error| {
                let help = error.help.as_ref().map_or_else(String::new, |help| format!("; {help}"));
                format!("'supports', {error}{help}")
            });
            all.collect::<Vec<_>>().join("\n")
        })
    }

    /// Returns why a program is outside of the profile; `None` if it is within.
    pub fn outside<I: Tables + Legality + Refinement>(&self, resolved: &Resolved<I>) -> Option<String> {
        let entry = &resolved.entry;
        if !self.stages.is_empty() && !self.stages.contains(&entry.stage) {
            return Some(format!("the stage is {}", entry.stage.name()));
        }
        if !self.versions.is_empty() && !self.versions.contains(&entry.version) {
            return Some(format!("the version is {}", entry.version));
        }
        let words = I::instruction_count(&resolved.context());
        if self.instructions.is_some_and(|most| words > most) {
            return Some(format!("it has {}", count(words, "instruction")));
        }
        if let Some(most) = self.loops {
            match loop_depth(&resolved.context()) {
                Some(depth) if depth > most => return Some(format!("its loops are nested {depth} deep")),
                Some(_) => {}
                None => {
                    return Some("its control flow is too complex to determine its loop depth".to_owned());
                }
            }
        }
        if !self.capabilities.is_everything()
            && let Some(first) = self.capabilities.unsupported::<I>(&resolved.program).first()
        {
            return Some(first.to_string());
        }
        // The most expensive check comes last: it may run the program.
        let depends = self.defined && ValidationStatus::depends_on_undefined(resolved);
        depends.then(|| "it depends on a value that nothing defines".to_owned())
    }

    /// Returns the first instruction with an unsupported opcode or facet; `None` if there is none.
    pub(super) fn unsupported<I: Tables>(&self, program: &I::Program) -> Option<u32> {
        self.capabilities.unsupported::<I>(program).first().map(|outside| outside.word)
    }

    /// Returns the opcodes that are supported with at least one combination of facets.
    pub(super) fn opcodes<I: Tables>(&self) -> Vec<&'static str> {
        let all = I::opcodes().iter().map(|opcode| opcode.mnemonic);
        all.filter(|opcode| self.capabilities.allows_opcode(opcode)).collect()
    }

    /// Whether a coverage point is supported.
    pub(super) fn allows(&self, point: &CoverPoint) -> bool {
        self.capabilities.allows(point)
    }

    /// Whether every opcode is supported with all facets.
    pub(super) fn is_everything(&self) -> bool {
        self.capabilities.is_everything()
    }

    /// Returns the case adapted to the profile: with exactly the profile's options, which the greeting states, and with inputs and constants that the
    /// profile allows.
    #[must_use]
    pub fn adapt_case(&self, case: Case) -> Case {
        let env = if self.inputs == Inputs::Ordinary { ordinary(case.env) } else { case.env };
        Case { options: self.options.clone(), env, ..case }
    }

    /// Returns the profile for a subject whose translations are run by a rasteriser. This profile tolerates the rasteriser's inaccuracies, which are
    /// not errors of the subject.
    ///
    /// # Errors
    /// If a supported opcode is translated to an operation that the rasteriser computes wrongly.
    pub fn with_learned(mut self, learned: &Learned) -> Result<Profile, String> {
        self.numbers = self.numbers.wider(&learned.base);
        for (opcode, operation) in &self.operations {
            let wrong = learned.wrong.get(operation.as_str());
            if let Some(example) = wrong.filter(|_| self.capabilities.allows_opcode(opcode)) {
                return Err(format!(
                    "the rasteriser computes a wrong result: {example}; leave the opcode out with --without {opcode}"
                ));
            }
            let numbers = learned.operations.get(operation.as_str()).copied().unwrap_or_default();
            if numbers != Numbers::default() {
                let tolerance = self.inexact.entry(opcode.clone()).or_default();
                *tolerance = tolerance.wider(&numbers);
            }
        }
        if learned.ordinary_only {
            self.inputs = Inputs::Ordinary;
        }
        Ok(self)
    }
}

/// Returns a profile of the programs that all profiles support, with the inexact opcodes and the restrictions of all profiles. Options, `numbers`,
/// `passes`, `operations` and `invalid` are those of the first profile.
///
/// # Errors
/// If the profiles have no stage or no version in common, or as [`Profile::check`].
pub fn joint(profiles: &[&Profile], isa: IsaId) -> Result<Profile, String> {
    let mut rest = profiles.iter();
    let mut all = rest.next().map(|first| (*first).clone()).unwrap_or_default();
    for other in rest {
        all.supports = format!("{}\n{}", all.supports, other.supports);
        all.stages = common("stage", &all.stages, &other.stages)?;
        all.versions = common("version", &all.versions, &other.versions)?;
        all.instructions = all.instructions.into_iter().chain(other.instructions).min();
        all.loops = all.loops.into_iter().chain(other.loops).min();
        for (opcode, numbers) in &other.inexact {
            let tolerance = all.inexact.entry(opcode.clone()).or_insert(*numbers);
            *tolerance = tolerance.wider(numbers);
        }
        all.traces &= other.traces;
        if other.inputs == Inputs::Ordinary {
            all.inputs = Inputs::Ordinary;
        }
        all.defined |= other.defined;
    }
    all.check(isa)?;
    Ok(all)
}

/// Returns the intersection of two lists, where an empty list means all elements.
fn common<T: Copy + PartialEq>(what: &str, a: &[T], b: &[T]) -> Result<Vec<T>, String> {
    let both: Vec<T> = a.iter().filter(|one| b.is_empty() || b.contains(one)).copied().collect();
    match (a.is_empty(), both.is_empty()) {
        (true, _) => Ok(b.to_vec()),
        (false, true) => Err(format!("no {what} is supported by every subject")),
        (false, false) => Ok(both),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_core::isa::Syntax;
    use lockstep_core::isa::{agal::Agal, d3d9::D3d9};

    fn outside(profile: &str, program: &str) -> Option<String> {
        let profile = Profile::from_text(profile, IsaId::Agal).unwrap();
        let program = Agal::assemble(program).unwrap();
        let case = Case::new::<Agal>(&program, lockstep_core::host::Environment::default());
        profile.outside::<Agal>(&case.resolve().unwrap())
    }

    #[test]
    fn programs_outside_the_profile_are_reported_with_the_reason() {
        let program = "version 1 vertex\nmov vt0, vc[va0.x+2]\nadd op.xy, vt0, va1\n";
        assert_eq!(outside("", program), None);
        let inside =
            "supports = 'only mov, add; no mask=x'\nstages = ['vertex']\nversions = [1]\ninstructions = 2";
        assert_eq!(outside(inside, program), None);
        for (profile, why) in [
            ("supports = 'only mov'", "instruction 1: no add"),
            ("supports = 'no index'", "instruction 0: no mov: a.index="),
            ("stages = ['fragment']", "the stage is vertex"),
            ("versions = [2, 3]", "the version is 1"),
            ("instructions = 1", "it has 2 instructions"),
        ] {
            let said = outside(profile, program).unwrap_or_default();
            assert!(said.starts_with(why), "{profile}: {said}");
        }
    }

    #[test]
    fn a_profile_limits_how_deep_loops_nest() {
        let program = "vs_3_0\nrep i0\nrep i1\nadd r0, r0, c0\nendrep\nendrep\nmov r1, r0\n";
        let program = D3d9::assemble(program).unwrap();
        let case = Case::new::<D3d9>(&program, lockstep_core::host::Environment::default());
        let outside = |profile: &str| {
            Profile::from_text(profile, IsaId::D3d9).unwrap().outside::<D3d9>(&case.resolve().unwrap())
        };
        assert_eq!(outside("loops = 1"), Some("its loops are nested 2 deep".to_owned()));
        assert_eq!(outside("loops = 2"), None);
    }

    #[test]
    fn a_profile_may_exclude_programs_that_depend_on_undefined_values() {
        for (profile, program, is_outside) in [
            ("defined = true", "version 1 vertex\nmov op, vt0\n", true),
            ("", "version 1 vertex\nmov op, vt0\n", false),
            ("defined = true", "version 1 vertex\nmov vt0, va0\nmov op, vt0\n", false),
        ] {
            let said = outside(profile, program).unwrap_or_default();
            assert_eq!(said.contains("nothing defines"), is_outside, "{profile}, {program}: {said}");
        }
    }

    #[test]
    fn inaccuracies_of_a_rasteriser_become_tolerances() {
        let base = Numbers { ulps: 2, ..Numbers::default() };
        let learned = Learned {
            base,
            operations: [("exp2", Numbers { ulps: 8, ..base })].into(),
            ordinary_only: true,
            ..Learned::default()
        };
        let profile = "[operations]\nexp = 'exp2'\nlog = 'log2'\n[inexact.exp]\nrelative = 0.5\n";
        let profile = Profile::from_text(profile, IsaId::Agal).unwrap().with_learned(&learned).unwrap();
        assert_eq!((profile.numbers, profile.inputs), (base, Inputs::Ordinary));
        let exp = &profile.inexact["exp"];
        assert!(exp.ulps == 8 && exp.relative > 0.4 && !profile.inexact.contains_key("log"), "{profile:?}");
        let lane = lockstep_core::host::LaneInput { slots: vec![[f32::NAN, 1.0, -0.0, 1e30]] };
        let env = lockstep_core::host::Environment { lanes: vec![lane], ..Default::default() };
        let program = Agal::assemble("version 1 vertex\nmov op, va0\n").unwrap();
        let given = profile.adapt_case(Case::new::<Agal>(&program, env)).env.lanes[0].slots[0];
        assert!(
            given[0].is_finite() && given[1] == 1.0 && given[2].is_sign_positive() && given[3] < 16.0,
            "{given:?}"
        );
        let wrong = |text: &str| Profile::from_text(text, IsaId::Agal).unwrap_err();
        assert!(wrong("[operations]\nexpp = 'exp2'").contains("'expp'"));
        assert!(wrong("[operations]\nexp = 'exp3'").contains("inversesqrt"));
    }

    #[test]
    fn opcodes_translated_to_a_wrongly_computed_operation_are_refused() {
        let learned =
            Learned { wrong: [("exp2", "'exp2' of 1 is 7".to_owned())].into(), ..Learned::default() };
        let with = |text: &str| Profile::from_text(text, IsaId::Agal).unwrap().with_learned(&learned);
        let error = with("[operations]\nexp = 'exp2'").unwrap_err();
        assert!(error.contains("'exp2' of 1 is 7; leave the opcode out with --without exp"), "{error}");
        assert!(with("[operations]\nlog = 'log2'").is_ok());
        assert!(with("supports = 'no exp'\n[operations]\nexp = 'exp2'").is_ok());
    }

    #[test]
    fn joint_profiles_are_intersections() {
        let read = |text: &str| Profile::from_text(text, IsaId::Agal).unwrap();
        let first =
            read("supports = 'no add'\nversions = [1, 2]\ninstructions = 5\noptions = { ifg = 'ge' }");
        let second =
            read("supports = 'no mul'\nstages = ['vertex']\nversions = [2, 3]\ninstructions = 4\nloops = 2");
        let both = joint(&[&first, &second], IsaId::Agal).unwrap();
        assert_eq!((both.versions.as_slice(), both.instructions, both.loops), (&[2][..], Some(4), Some(2)));
        assert_eq!((both.stages.as_slice(), both.options.len()), (&[Stage::Vertex][..], 1));
        let opcodes = both.opcodes::<Agal>();
        assert!(!opcodes.contains(&"add") && !opcodes.contains(&"mul") && opcodes.contains(&"mov"));
        assert_eq!(joint(&[&first], IsaId::Agal), Ok(first.clone()));
        let third = read("versions = [3]");
        assert!(joint(&[&first, &third], IsaId::Agal).unwrap_err().contains("no version"));
    }

    #[test]
    fn unknown_names_in_a_profile_are_refused_with_the_known_ones() {
        for (profile, part) in [
            ("supports = 'only movv'", "movv"),
            ("supports = 'no masc'", "masc"),
            ("[inexact.movv]\nulps = 1", "'inexact' names 'movv', which is no opcode of agal"),
            ("passes = ['movv']", "'passes' names 'movv', which is no opcode of agal; did you mean 'mov'?"),
            ("[operations]\nmovv = 'exp2'", "'operations' names 'movv'"),
            ("[options]\nifgg = 'ge'", "no option 'ifgg'"),
            ("[options]\nifg = 'geq'", "no choice 'geq'"),
            ("[numbers]\nrelative = -1.0", "numbers.relative"),
            ("suports = 'no mov'", "line 1, column 1"),
            ("stages = ['pixel']", "pixel"),
            ("supports = ", "line 1"),
        ] {
            let error = Profile::from_text(profile, IsaId::Agal).unwrap_err();
            assert!(error.contains(part), "{profile}: {error}");
        }
    }

    #[test]
    fn a_joint_profile_has_every_restriction_of_every_subject() {
        let read = |text: &str| Profile::from_text(text, IsaId::Agal).unwrap();
        let plain = read("");
        // The statements of a profile that decide which programs are sent.
        for text in [
            "stages = ['vertex']",
            "versions = [2]",
            "instructions = 4",
            "loops = 1",
            "inputs = 'ordinary'",
            "defined = true",
            "[inexact.rcp]\nulps = 2",
        ] {
            let one = read(text);
            assert_ne!(one, plain, "{text}");
            for all in [[&one, &plain], [&plain, &one], [&one, &one]] {
                let mut both = joint(&all, IsaId::Agal).unwrap();
                // Joining adds an empty line to the statements about opcodes.
                both.supports.clear();
                both.check(IsaId::Agal).unwrap();
                assert_eq!(both, one, "{text}");
            }
        }
        // An opcode that several subjects compute inexactly has a tolerance that accepts all of them.
        let [narrow, wide] =
            ["ulps = 2\nabsolute = 0.5", "ulps = 8"].map(|limits| read(&format!("[inexact.rcp]\n{limits}")));
        for all in [[&narrow, &wide], [&wide, &narrow]] {
            let both = joint(&all, IsaId::Agal).unwrap();
            let rcp = &both.inexact["rcp"];
            assert!(rcp.ulps == 8 && rcp.absolute == 0.5, "{rcp:?}");
        }
        // Steps are listed only if all subjects list them.
        for (first, second) in [(false, false), (false, true), (true, false), (true, true)] {
            let with = |traces| Profile { traces, ..plain.clone() };
            let both = joint(&[&with(first), &with(second)], IsaId::Agal).unwrap();
            assert_eq!(both.traces, first && second);
        }
    }
}
