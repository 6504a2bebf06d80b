//! Generates random programs of growing size for a subject, within its profile.

use super::inexact::{first_inexact, grade};
use super::profile::{self, Profile};
use super::question::ValidationStatus;
use super::subject::Ability;
use crate::case::{Case, Resolved};
use crate::generate::{
    Entropy, Generate, ProgramRequest, case_for_program, legal_versions, noise, program_with, with_registers,
};
use lockstep_core::host::{Texels, Texture};
use lockstep_core::isa::facet::points;
use lockstep_core::isa::{CoverPoint, Edit, Isa, IsaId, Options, Stage, Tables};
use lockstep_core::with_isa;
use std::sync::{Arc, OnceLock};

/// The maximum number of programs generated for one case number.
const ATTEMPTS: u64 = 24;
/// The number of programs generated in search of one without undefined behaviour, even if another one is already usable.
const PREFERRED_ATTEMPTS: u64 = 6;
/// The maximum number of instructions requested from the generator.
const MAX_INSTRUCTIONS: usize = 40;
/// The percentage of programs that are small and made to test an opcode that the profile calls inexact, if there is one.
const INEXACT_PERCENT: usize = 25;
/// If a subject decodes, one case number in this many is used for bytes that do not decode, or for a nearly valid program.
const ONE_BROKEN_IN: u64 = 8;
/// One of this many consecutive case numbers has a program with an instruction at the next coverage point, so that rare points occur early:
/// [`Source::has_point`] chooses between the two.
const ONE_WITH_POINT_IN: u64 = 2;
/// One case number in this many has initial registers, if the subject exchanges them.
const ONE_WITH_REGISTERS_IN: u64 = 4;

/// Counts of generated programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    /// The number of generated programs.
    pub drawn: u64,
    /// The number of chosen programs that were within the profile as generated.
    pub inside: u64,
    /// The number of chosen programs that were within the profile after unsupported instructions were removed.
    pub mended: u64,
}

/// The coverage points within a profile, in table order, shared by all clones and determined at the first use. If the profile limits stages or
/// versions, determining them means validating several small programs for each point.
pub(super) type SupportedPoints = Arc<OnceLock<Vec<&'static CoverPoint>>>;

/// The source of generated cases.
#[derive(Clone, Debug)]
pub struct Source<'a> {
    /// The instruction set.
    pub isa: IsaId,
    /// The profile, which states what the subject supports.
    pub profile: &'a Profile,
    /// The seed of the first case.
    pub seed: u64,
    /// Whether malformed and illegal programs are generated, too.
    pub broken: bool,
    /// Whether some cases set registers before the first instruction and compare control registers after the last.
    pub registers: bool,
    /// The coverage points within the profile.
    pub(super) points: SupportedPoints,
}

impl<'a> Source<'a> {
    /// Creates the source of cases for subjects that are judged together, each with its abilities.
    pub fn new(isa: IsaId, profile: &'a Profile, seed: u64, subjects: &[&[Ability]]) -> Source<'a> {
        Source {
            isa,
            profile,
            seed,
            // Subjects that do not decode are not asked about malformed and illegal programs.
            broken: subjects.iter().any(|abilities| abilities.contains(&Ability::Decode)),
            // All subjects get the same cases.
            registers: subjects.iter().all(|abilities| abilities.contains(&Ability::Registers)),
            points: SupportedPoints::default(),
        }
    }

    /// Returns the case of this number; `None` if no program within the profile was found.
    pub fn case(&self, number: u64, tally: &mut Drawn) -> Option<Case> {
        with_isa!(self.isa, I => {
            let case = self.draw::<I>(number, tally)?;
            // Registers are drawn separately, so that a case is otherwise the same for subjects that do not exchange them.
            let has_registers = self.registers && number % ONE_WITH_REGISTERS_IN == 1;
            let seed = self.seed.wrapping_add(number) ^ 0x4e61;
            let varied = has_registers.then(|| with_registers::<I>(&mut Entropy::seeded(seed), &case));
            // Whether results can be compared also depends on the registers.
            let is_decided = |case: &Case| {
                case.resolve::<I>().is_ok_and(|resolved| is_decided(self.profile, &resolved))
            };
            Some(varied.flatten().filter(is_decided).unwrap_or(case))
        })
    }

    fn draw<I: Generate>(&self, number: u64, tally: &mut Drawn) -> Option<Case> {
        let mut first =
            Entropy::seeded(self.seed.wrapping_add(number).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x10c5);
        if self.is_broken(number) {
            return Some(self.broken::<I>(&mut first, tally));
        }
        let size = size(number);
        let wanted = self.point::<I>(number);
        let mut other = None;
        for attempt in 0..ATTEMPTS {
            if attempt >= PREFERRED_ATTEMPTS && other.is_some() {
                break;
            }
            let mut e = first.fork();
            // Later attempts do not request the point, so that there is a case even if no program within the profile has the point.
            let wanted = wanted.filter(|_| attempt < PREFERRED_ATTEMPTS);
            let request = self.request::<I>(&mut e, size, wanted);
            let wanted = wanted.filter(|point| request.opcode == Some(point.opcode));
            let program =
                program_with::<I>(&mut e.fork(), wanted.map_or(&[], std::slice::from_ref), &request);
            tally.drawn += 1;
            let case = self.profile.adapt_case(case_for_program::<I>(&mut e, &program));
            let Ok(resolved) = case.resolve::<I>() else { continue };
            let (case, is_preferred, mended) = if can_be_judged(self.profile, &resolved) {
                let is_preferred = self.is_preferred(&resolved);
                (case, is_preferred, false)
            } else {
                let Some(program) = repaired::<I>(self.profile, &case, resolved) else { continue };
                let case = self.profile.adapt_case(case_for_program::<I>(&mut e, &program));
                let resolved = case.resolve::<I>().ok();
                // Whether results can be compared also depends on the inputs, which are new.
                if resolved.as_ref().is_some_and(|resolved| !is_decided(self.profile, resolved)) {
                    continue;
                }
                (case, resolved.is_some_and(|resolved| self.is_preferred(&resolved)), true)
            };
            if is_preferred {
                return Some(counted(tally, case, mended));
            }
            other.get_or_insert((case, mended));
        }
        other.map(|(case, mended)| counted(tally, case, mended))
    }

    /// Adapts a case to the profile: removes unsupported instructions and shrinks textures to a size that can be sent. `None` if the case is for
    /// another instruction set or no legal program remains.
    pub fn fitted(&self, case: &Case) -> Option<Case> {
        if case.isa != self.isa {
            return None;
        }
        with_isa!(self.isa, I => {
            let case = self.profile.adapt_case(case.clone());
            let resolved = case.resolve::<I>().ok()?;
            if can_be_judged(self.profile, &resolved) {
                return resolved.is_legal().then(|| with_small_textures(case));
            }
            let program = repaired::<I>(self.profile, &case, resolved)?;
            Some(with_small_textures(case.with_program::<I>(&program)))
        })
    }

    /// Whether a program depends on nothing undefined, or the profile states a verdict on programs that break rules only at warning level.
    fn is_preferred<I: Isa>(&self, resolved: &Resolved<I>) -> bool {
        self.profile.invalid.doubtful != profile::Expected::Any
            || !ValidationStatus::depends_on_undefined(resolved)
    }

    /// Whether the case of this number is malformed or breaks a rule.
    fn is_broken(&self, number: u64) -> bool {
        self.broken && number % ONE_BROKEN_IN == ONE_BROKEN_IN - 1
    }

    /// Returns a nearly valid program, which usually breaks a rule and is otherwise within the profile, or bytes that do not decode.
    fn broken<I: Generate>(&self, e: &mut Entropy<'_>, tally: &mut Drawn) -> Case {
        if e.chance(50) {
            for _ in 0..ATTEMPTS {
                let mut outside = e.fork();
                let request = ProgramRequest { size: Some(4), ..self.request::<I>(e, 4, None) };
                let program = I::near_valid(e, &request);
                let case = self.profile.adapt_case(case_for_program::<I>(&mut outside, &program));
                tally.drawn += 1;
                let inside = |resolved: &Resolved<I>| self.profile.outside(resolved).is_none();
                if case.resolve::<I>().is_ok_and(|resolved| inside(&resolved)) {
                    tally.inside += 1;
                    return case;
                }
            }
        }
        // Random bytes may decode to a program outside of the profile, so several are tried.
        (0..ATTEMPTS)
            .map(|_| Case::bare(I::ID, &noise::<I>(e)))
            .find(|case| I::decode(&case.bytes).is_err())
            .unwrap_or_else(|| Case::bare(I::ID, &[]))
    }

    /// Returns the coverage point that the program of this case number should have. Successive case numbers visit all points within the profile before
    /// any point recurs, in an order that separates neighbours in the table.
    fn point<I: Generate>(&self, number: u64) -> Option<&'static CoverPoint> {
        if !self.has_point(number) {
            return None;
        }
        let points = self.points.get_or_init(|| self.supported_points::<I>());
        let count = points.len() as u64;
        let turn = (number / ONE_WITH_POINT_IN).checked_rem(count)?;
        Some(points[((self.seed % count + turn * step(count)) % count) as usize])
    }

    /// Whether the program of this case number should have a coverage point. Of each even number and the next one, one should: not the one whose case
    /// is malformed or breaks a rule, and otherwise the first or the second in an order without a period. So shards, which take every n-th number,
    /// and cases with registers get their share.
    fn has_point(&self, number: u64) -> bool {
        let pair = number / ONE_WITH_POINT_IN;
        let is_second = pair.count_ones() % 2 == 1 && !self.is_broken(ONE_WITH_POINT_IN * pair + 1);
        number % ONE_WITH_POINT_IN == u64::from(is_second)
    }

    /// Returns the coverage points that programs within the profile can have.
    fn supported_points<I: Generate>(&self) -> Vec<&'static CoverPoint> {
        let profile = self.profile;
        let allows = |(stage, version): &(Stage, u32)| {
            (profile.stages.is_empty() || profile.stages.contains(stage))
                && (profile.versions.is_empty() || profile.versions.contains(version))
        };
        let has_limits = !profile.stages.is_empty() || !profile.versions.is_empty();
        let is_supported = |point: &&CoverPoint| {
            profile.allows(point)
                && (!has_limits || legal_versions::<I>(std::slice::from_ref(*point)).iter().any(allows))
        };
        points::<I>().iter().filter(is_supported).collect()
    }

    /// Returns the request for a program: sometimes for an inexact opcode, otherwise for the opcode of the coverage point, if there is one.
    fn request<I: Generate>(
        &self,
        e: &mut Entropy<'_>,
        size: usize,
        point: Option<&CoverPoint>,
    ) -> ProgramRequest {
        let supported = self.profile.opcodes::<I>();
        if !self.profile.inexact.is_empty() && e.chance(INEXACT_PERCENT) {
            // The fewer instructions use an inexact result, the narrower are the sets with which a subject's results are compared.
            let inexact: Vec<&'static str> = supported
                .iter()
                .copied()
                .filter(|opcode| self.profile.inexact.contains_key(*opcode))
                .collect();
            if let Some(opcode) = e.pick(&inexact).copied() {
                return ProgramRequest {
                    opcode: Some(opcode),
                    stage: e.pick(&self.profile.stages).copied(),
                    version: e.pick(&self.profile.versions).copied(),
                    size: Some(1),
                };
            }
        }
        // If no opcode is requested, most programs use the common opcodes; requests use every opcode equally often.
        let asked = !self.profile.is_everything() || e.chance(50);
        ProgramRequest {
            opcode: match point {
                Some(point) => Some(point.opcode),
                None if asked => e.pick(&supported).copied(),
                None => None,
            },
            stage: e.pick(&self.profile.stages).copied(),
            version: e.pick(&self.profile.versions).copied(),
            size: Some(size),
        }
    }
}

/// Counts a chosen case, and returns it with textures small enough to be sent.
fn counted(tally: &mut Drawn, case: Case, mended: bool) -> Case {
    *if mended { &mut tally.mended } else { &mut tally.inside } += 1;
    with_small_textures(case)
}

/// Returns the approximate number of instructions of the program with this case number: one for case 0, and more for higher case numbers.
fn size(number: u64) -> usize {
    let root = number.isqrt() as usize;
    (1 + root / 4).min(MAX_INSTRUCTIONS)
}

/// Returns a number without a common factor with `count`, near `count` divided by the golden ratio: its multiples visit all remainders, and
/// neighbours are visited at different times.
fn step(count: u64) -> u64 {
    let near = (count as f64 * 0.618_034) as u64;
    let is_coprime = |step: &u64| {
        let (mut a, mut b) = (count, *step);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a == 1
    };
    (near.max(1)..=count).find(is_coprime).unwrap_or(1)
}

/// Whether a program is within the profile and its results can be compared.
fn can_be_judged<I: Isa>(profile: &Profile, resolved: &Resolved<I>) -> bool {
    profile.outside(resolved).is_none() && is_decided(profile, resolved)
}

/// Whether all results of a program can be compared.
fn is_decided<I: Isa>(profile: &Profile, resolved: &Resolved<I>) -> bool {
    grade(profile, profile.traces, resolved).decides_all()
}

/// Removes the instructions that prevent a case from being judged. Returns the program, if a legal one remains.
fn repaired<I: Generate>(profile: &Profile, case: &Case, resolved: Resolved<I>) -> Option<I::Program> {
    let resolved = if profile.outside(&resolved).is_none() {
        resolved
    } else {
        let program = without_unsupported::<I>(profile, case, resolved)?;
        case.with_program::<I>(&program).resolve::<I>().ok()?
    };
    without_inexact::<I>(profile, case, resolved)
}

/// Removes the instructions that the profile excludes. Returns the program, if it is legal and within the profile.
fn without_unsupported<I: Generate>(
    profile: &Profile,
    case: &Case,
    resolved: Resolved<I>,
) -> Option<I::Program> {
    let mut resolved = resolved;
    for _ in 0..I::instruction_count(&resolved.context()) {
        let Some(at) = profile.unsupported::<I>(&resolved.program) else { break };
        let program = I::apply(&resolved.program, &Edit::Remove { at, count: 1 })?;
        resolved = case.with_program::<I>(&program).resolve::<I>().ok()?;
    }
    let inside = profile.outside::<I>(&resolved).is_none() && resolved.is_legal();
    (inside && I::instruction_count(&resolved.context()) > 0).then_some(resolved.program)
}

/// Removes instructions with inexact opcodes one by one until the remaining program can be judged.
fn without_inexact<I: Isa>(profile: &Profile, case: &Case, resolved: Resolved<I>) -> Option<I::Program> {
    let mut resolved = resolved;
    while !is_decided(profile, &resolved) {
        let at = first_inexact(profile, &resolved)?;
        let program = I::apply(&resolved.program, &Edit::Remove { at, count: 1 })?;
        resolved = case.with_program::<I>(&program).resolve::<I>().ok()?;
    }
    let inside = profile.outside::<I>(&resolved).is_none() && resolved.is_legal();
    (inside && I::instruction_count(&resolved.context()) > 0).then_some(resolved.program)
}

/// Returns the same case with textures small enough to be sent.
fn with_small_textures(mut case: Case) -> Case {
    for texture in &mut case.env.textures {
        *texture = Texture {
            size: texture.size.map(|size| size.clamp(1, 4)),
            levels: texture.levels.clamp(1, 3),
            texels: match &texture.texels {
                Texels::Ramp { .. } => Texels::Pattern { seed: 1 },
                texels => texels.clone(),
            },
            ..*texture
        };
    }
    case
}

/// Returns a profile's choice for every option, by name.
pub(super) fn options(isa: IsaId, profile: &Profile) -> std::collections::BTreeMap<String, String> {
    with_isa!(isa, I => {
        let specs = <I as Tables>::option_specs();
        let mut options = Options::new(specs);
        for (name, choice) in &profile.options {
            // Setting an option cannot fail: the profile was checked against the table of options.
            let _ = options.set_named(name, choice);
        }
        specs.iter().enumerate().map(|(at, option)| {
            let choice = option.choices.get(usize::from(options.peek(at))).copied().unwrap_or_default();
            (option.name.to_owned(), choice.to_owned())
        }).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_core::host::{Environment, LaneInput};
    use lockstep_core::isa::agal::Agal;
    use lockstep_core::isa::pica200::Pica200;
    use lockstep_core::isa::{Format, Syntax};
    use std::collections::HashSet;

    /// One subject that neither decodes nor exchanges registers: every case runs a legal program at one of the program's own entries.
    const PLAIN: &[&[Ability]] = &[&[]];

    #[test]
    fn programs_are_inside_the_profile_and_legal() {
        let profile = "supports = 'only mov, add, mul'\nstages = ['vertex']\n";
        let profile = Profile::from_text(profile, IsaId::Agal).unwrap();
        let source = Source::new(IsaId::Agal, &profile, 3, PLAIN);
        let mut tally = Drawn::default();
        for number in (0..400).step_by(5) {
            let case = source.case(number, &mut tally).expect("a program");
            let resolved = case.resolve::<Agal>().unwrap();
            for opcode in super::super::question::opcodes(&resolved) {
                assert!(["mov", "add", "mul"].contains(&opcode.as_str()), "{opcode}");
            }
            assert!(resolved.is_legal());
        }
        assert!(tally.inside + tally.mended == 80 && tally.drawn >= 80, "{tally:?}");
    }

    #[test]
    fn programs_with_undefined_values_are_rare_unless_the_profile_defines_them() {
        let [few, many] = ["", "[invalid]\ndoubtful = 'accepted'\n"].map(|text| {
            let profile = Profile::from_text(text, IsaId::Pica200).unwrap();
            let source = Source::new(IsaId::Pica200, &profile, 3, PLAIN);
            let case = |number| source.case(number, &mut Drawn::default()).expect("a program");
            let undefined = |case: Case| {
                ValidationStatus::of(&case.resolve::<Pica200>().unwrap()) == ValidationStatus::Undefined
            };
            (0..64).map(case).filter(|case| undefined(case.clone())).count()
        });
        assert!(few * 6 < 64 && many > few * 3, "{few} and {many} of 64");
    }

    #[test]
    fn a_program_that_lost_unsupported_instructions_can_be_judged() {
        // Which constant an inexact address selects is unknown.
        let profile = "supports = 'no mul'\n[inexact.mova]\nulps = 4\n";
        let profile = Profile::from_text(profile, IsaId::Pica200).unwrap();
        let source = Source::new(IsaId::Pica200, &profile, 3, PLAIN);
        let mut tally = Drawn::default();
        for number in (0..2000).step_by(25) {
            let case = source.case(number, &mut tally).expect("a program");
            assert!(can_be_judged(&profile, &case.resolve::<Pica200>().unwrap()), "case {number}");
        }
        assert!(tally.mended > 0, "{tally:?}");
        let text =
            ".raw vertex, outputs=0x1, entry=0x0\nmul r0, v0, v0\nmova a0.xy, v0\nadd o0, c0[a0.x], v0\nend";
        let lanes = vec![LaneInput { slots: vec![[1.0; 4]] }];
        let env = Environment { lanes, fuel: 9, ..Environment::default() };
        let fitted = source.fitted(&Case::new::<Pica200>(&Pica200::assemble(text).unwrap(), env)).unwrap();
        let resolved = fitted.resolve::<Pica200>().unwrap();
        assert!(can_be_judged(&profile, &resolved), "{}", Pica200::disassemble(&resolved.program));
    }

    #[test]
    fn programs_grow_with_the_case_number() {
        let profile = Profile::default();
        let source = Source::new(IsaId::Agal, &profile, 3, PLAIN);
        let instructions = |numbers: std::ops::Range<u64>| -> u32 {
            let cases = numbers.map(|number| source.case(number, &mut Drawn::default()).expect("a program"));
            cases.map(|case| Agal::instruction_count(&case.resolve::<Agal>().unwrap().context())).sum()
        };
        assert!(instructions(0..20) * 2 < instructions(1600..1620));
    }

    #[test]
    fn cases_go_through_all_coverage_points() {
        for count in 1..2000 {
            let step = step(count);
            let visited: HashSet<u64> = (0..count).map(|k| k * step % count).collect();
            assert_eq!(visited.len() as u64, count, "multiples of {step} modulo {count}");
        }
        let profile = Profile::default();
        let source = Source::new(IsaId::Agal, &profile, 3, PLAIN);
        let all = points::<Agal>();
        let asked: HashSet<&CoverPoint> =
            (0..2 * all.len() as u64).filter_map(|number| source.point::<Agal>(number)).collect();
        assert_eq!(asked.len(), all.len());
        assert!((0..4).any(|k| source.point::<Agal>(u64::MAX - k).is_some()));
        // No point is lost to a case that breaks a rule.
        let decoder = Source { broken: true, ..source.clone() };
        let points: HashSet<&CoverPoint> = (0..2 * all.len() as u64)
            .filter(|number| !decoder.is_broken(*number))
            .filter_map(|number| decoder.point::<Agal>(number))
            .collect();
        assert_eq!(points.len(), all.len());
        // Nearly all requested points are in the program of their case.
        let shown = (0..400u64).filter(|number| {
            let Some(point) = source.point::<Agal>(*number) else { return false };
            let case = source.case(*number, &mut Drawn::default()).expect("a case");
            let program = case.resolve::<Agal>().unwrap().program;
            let words = 0..lockstep_core::isa::instruction_count::<Agal>(&program);
            words.into_iter().any(|word| Agal::facets().has_point(&program, word, point))
        });
        assert!(shown.count() > 180);
    }

    #[test]
    fn shards_and_cases_with_registers_have_their_share_of_coverage_points() {
        let profile = Profile::default();
        let source = Source::new(IsaId::Agal, &profile, 3, PLAIN);
        for shards in 2..=8 {
            for first in 0..shards {
                let numbers = (first..4096).step_by(shards);
                let all = numbers.len();
                let with = numbers.filter(|number| source.has_point(*number as u64)).count();
                assert!(4 * with > all && 4 * with < 3 * all, "{first} of {shards}: {with} of {all}");
            }
        }
        let with_registers = (1..4096).step_by(ONE_WITH_REGISTERS_IN as usize);
        let with = with_registers.clone().filter(|number| source.has_point(*number)).count();
        assert!(4 * with > with_registers.count(), "{with}");
    }

    #[test]
    fn only_coverage_points_within_the_profile_are_asked_for() {
        let all = points::<Agal>();
        type Excluded = fn(&CoverPoint) -> bool;
        let rows: [(&str, Excluded); 3] = [
            ("supports = 'only mov, tex'", |point| !["mov", "tex"].contains(&point.opcode)),
            ("supports = 'no a.file=constant'", |point| point.modifier == "a.file=constant"),
            ("stages = ['vertex']", |point| ["tex", "kil"].contains(&point.opcode)),
        ];
        for (text, is_excluded) in rows {
            let profile = Profile::from_text(text, IsaId::Agal).unwrap();
            let source = Source::new(IsaId::Agal, &profile, 3, &[&[Ability::Run]]);
            let supported = source.supported_points::<Agal>();
            assert!(!supported.is_empty() && supported.len() < all.len(), "{text}");
            assert!(
                all.iter().any(is_excluded) && !supported.iter().any(|point| is_excluded(point)),
                "{text}"
            );
            let asked: HashSet<&CoverPoint> =
                (0..2 * supported.len() as u64).filter_map(|number| source.point::<Agal>(number)).collect();
            assert_eq!(asked.len(), supported.len(), "{text}");
            for number in 0..60 {
                assert!(source.case(number, &mut Drawn::default()).is_some(), "{text}: {number}");
            }
        }
    }

    #[test]
    fn some_cases_have_registers_if_the_subject_exchanges_them() {
        use crate::case::EntryRef;
        let profile = Profile::default();
        let plain = Source::new(IsaId::D3d9, &profile, 3, PLAIN);
        let with = Source { registers: true, ..plain.clone() };
        let mut given = Vec::new();
        for number in 0..16 {
            let draw = |source: &Source<'_>| source.case(number, &mut Drawn::default()).expect("a case");
            let (without, case) = (draw(&plain), draw(&with));
            assert!(matches!(without.entry, EntryRef::Own(_)));
            assert_eq!(without.bytes, case.bytes);
            if matches!(case.entry, EntryRef::Given(_)) {
                given.push(number);
            }
        }
        assert_eq!(given, [1, 5, 9, 13]);
    }

    #[test]
    fn initial_registers_depend_on_the_seed() {
        let profile = Profile::default();
        // The bits that lane 0 has in the first register that the case sets and that is no input of the program.
        let first = |seed: u64| {
            let plain = Source::new(IsaId::D3d9, &profile, seed, PLAIN);
            let with = Source { registers: true, ..plain.clone() };
            let draw = |source: &Source<'_>| source.case(1, &mut Drawn::default()).expect("a case");
            let (plain, with) = (draw(&plain), draw(&with));
            let slots = |case: &Case| {
                let entry = case.resolve::<lockstep_core::isa::d3d9::D3d9>().unwrap().entry;
                entry.interface.inputs.iter().map(|port| port.slot).collect::<Vec<_>>()
            };
            let before = slots(&plain);
            let added = slots(&with).into_iter().find(|slot| !before.contains(slot))?;
            Some(with.env.lanes[0].slots[usize::from(added)].map(f32::to_bits))
        };
        let values: Vec<_> = (0..32).filter_map(first).collect();
        let distinct: std::collections::BTreeSet<_> = values.iter().collect();
        assert!(
            values.len() >= 16 && distinct.len() * 4 >= values.len() * 3,
            "{distinct:x?} of {}",
            values.len()
        );
    }
}
