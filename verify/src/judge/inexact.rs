//! Inexact opcodes, whose results may differ from the reference's: decides which runs that use them can be judged.
//!
//! A tolerance applies to a single result; values computed from that result may differ by any amount. So the tolerance of an opcode applies to a run
//! only if the program has one instruction with an inexact opcode, alone or as the last one of straight-line code. Later instructions may only pass
//! values on, as declared in the profile. Other runs with such an opcode are compared step by step if the subject lists its steps
//! ([`super::traced`]), or else with the sets of all results that a subject within its tolerances can compute ([`super::propagated`]). If these sets
//! are unknown or exclude nothing, the run is undecided, and counted as such.

use super::numbers::Numbers;
use super::profile::Profile;
use super::propagated::{Propagated, propagated};
use crate::case::Resolved;
use lockstep_core::ir::Block;
use lockstep_core::isa::lowering::Mode;
use lockstep_core::isa::{Isa, IsaId, Legality, Tables, lower};
use std::sync::Arc;

/// The tolerance with which a run is compared.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Grade {
    /// The run is compared with the profile's general tolerances.
    #[default]
    Exact,
    /// The run is compared with the tolerances of its inexact opcode.
    Within(Numbers),
    /// The run is compared step by step along the subject's trace, with the tolerance of each inexact opcode.
    Traced,
    /// The run is compared with the results that a subject within its tolerances can compute.
    Propagated(Arc<Propagated>),
    /// The run is not compared.
    Undecided,
}

impl Grade {
    /// Whether every lane is compared.
    pub(super) fn decides_all(&self) -> bool {
        match self {
            Grade::Exact | Grade::Within(_) | Grade::Traced => true,
            Grade::Propagated(sets) => sets.decides_all(),
            Grade::Undecided => false,
        }
    }
}

/// Returns the number of the first instruction that has an inexact opcode.
pub(super) fn first_inexact<I: Tables + Legality>(profile: &Profile, resolved: &Resolved<I>) -> Option<u32> {
    if profile.inexact.is_empty() {
        return None;
    }
    let points_of = I::cover_points(&resolved.program);
    let mut words = 0..I::instruction_count(&resolved.context());
    words.find(|word| points_of(*word).iter().any(|point| profile.inexact.contains_key(point.opcode)))
}

/// Returns the tolerance for runs of a program. `traces` states whether the subject lists its steps.
pub(super) fn grade<I: Isa>(profile: &Profile, traces: bool, resolved: &Resolved<I>) -> Grade {
    let Some(at) = first_inexact(profile, resolved) else { return Grade::Exact };
    let points_of = I::cover_points(&resolved.program);
    let opcodes = |word: u32| points_of(word).into_iter().map(|point| point.opcode);
    let passes = |opcode: &str| profile.passes.iter().any(|one| one == opcode);
    let elsewhere = || if traces { Grade::Traced } else { propagated(profile, resolved) };
    // The results of all units of the instruction get the same tolerance.
    let mut numbers = profile.numbers;
    for opcode in opcodes(at) {
        match profile.inexact.get(opcode) {
            Some(tolerance) => numbers = numbers.wider(tolerance),
            None if passes(opcode) => {}
            None => return elsewhere(),
        }
    }
    // In instruction sets with clauses or latencies, the position of an instruction does not determine execution order.
    let in_order = matches!(I::ID, IsaId::Agal | IsaId::D3d9 | IsaId::Pica200);
    let mut others = (0..I::instruction_count(&resolved.context())).filter(|word| *word != at);
    let is_last = others.all(|word| {
        let is_before = in_order && word < at;
        opcodes(word).all(|opcode| passes(opcode) || is_before && !profile.inexact.contains_key(opcode))
    });
    // A block that initializes registers may precede the block of the instruction.
    let goes_on = |block: &Block| block.terminator.targets().count() <= 1;
    let is_straight =
        || lower(&resolved.context(), Mode::Nodes).is_ok_and(|program| program.blocks.iter().all(goes_on));
    if is_last && is_straight() { Grade::Within(numbers) } else { elsewhere() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Case;
    use crate::judge::{
        Ability, Campaign, Connection, Engine, Failure, Greeting, Hello, InProcess, OwnEngine, ProgramData,
        Ran,
    };
    use crate::judge::{Bits, Decoded, RunData, StartError, Subject, greeting};
    use lockstep_core::host::{Environment, LaneInput};
    use lockstep_core::isa::Syntax;
    use lockstep_core::isa::a2xx::A2xx;
    use lockstep_core::isa::agal::Agal;
    use lockstep_core::isa::utgard_gp::UtgardGp;

    const PROFILE: &str =
        "passes = ['mov']\n[inexact.exp]\nulps = 3\nnan = 'any'\n[inexact.log]\nrelative = 1e-6\n";

    fn case(text: &str) -> Case {
        let program = Agal::assemble(&format!("version 2 vertex\n{text}")).unwrap();
        let lane = |n: u16| LaneInput { slots: vec![[1.5, 2.25, f32::from(n), 0.75]; 2] };
        let env = Environment { lanes: (0..4).map(lane).collect(), fuel: 100, ..Environment::default() };
        Case::new::<Agal>(&program, env)
    }

    #[test]
    fn inexact_opcodes_are_judged_alone_or_last() {
        let profile = Profile::from_text(PROFILE, IsaId::Agal).unwrap();
        let of = |text: &str| grade::<Agal>(&profile, false, &case(text).resolve().unwrap());
        let within = Numbers { ulps: 3, nan: crate::judge::Policy::Any, ..Numbers::default() };
        assert_eq!(of("mov op, va0"), Grade::Exact);
        assert_eq!(of("exp op, va0"), Grade::Within(within));
        assert_eq!(of("mul vt0, va0, va0\nexp vt0, vt0\nmov op, vt0"), Grade::Within(within));
        assert!(matches!(of("log op, va0"), Grade::Within(n) if n.relative > 0.0 && n.ulps == 0));
        for text in [
            "exp vt0, va0\nmul op, vt0, va0",
            "exp vt0, va0\nexp op, vt0",
            "log vt0, va0\nexp op, vt0",
            "ife va0.x, va1.x\nexp vt0, va0\nels\nmov vt0, va0\neif\nmov op, vt0",
        ] {
            assert!(matches!(of(text), Grade::Propagated(_)), "{text}");
            assert_eq!(
                grade::<Agal>(&profile, true, &case(text).resolve().unwrap()),
                Grade::Traced,
                "{text}"
            );
        }
        let wrong = |text: &str| Profile::from_text(text, IsaId::Agal).unwrap_err();
        assert!(wrong("[inexact.expp]\nulps = 1").contains("'expp'"));
        assert!(wrong("passes = ['movv']").contains("'movv'"));
        assert!(wrong("[inexact.exp]\nulp = 1").contains("ulp"));
        assert!(wrong("[inexact.exp]\nrelative = -1.0").contains("relative"));
    }

    /// Returns the grade of a program under a profile.
    fn graded<I: Isa>(profile: &str, text: &str) -> Grade {
        let program = I::assemble(text).unwrap();
        let lanes = vec![LaneInput { slots: vec![[1.5, 2.25, 3.0, 0.75]; 4] }];
        let case = Case::new::<I>(&program, Environment { lanes, fuel: 100, ..Environment::default() });
        grade::<I>(&Profile::from_text(profile, I::ID).unwrap(), false, &case.resolve().unwrap())
    }

    /// A2xx clauses name the words that they execute, and results of Utgard GP units are available several words later, so the last instruction of a
    /// program's text need not be executed last. In both programs here the sum is the last instruction and is executed last.
    #[test]
    fn without_program_order_an_inexact_instruction_is_last_only_if_all_others_pass_values_on() {
        let clause = "ALLOC PARAM/PIXEL SIZE(0x0)\n EXEC_END ADDR(0x1) CNT(0x2)\n ALU: MULv R1 = R0, R0\n ALU: ADDv export0 = R1, R1\n";
        let units = "attribute.load(0), mul[0].mul(attribute.x, attribute.y);\n\
                     acc[0].add(mul[0].out[1], mul[0].out[1]), store[0].varying(0, acc[0].out, unused);";
        let grades = |passes: &str, sum: &str| format!("passes = [{passes}]\n[inexact.'{sum}']\nulps = 1");
        let (control, units_of_moves) = ("'ALLOC', 'EXEC_END', 'MULv', 'MAXs'", "'mul.mul', 'store.varying'");
        assert!(!matches!(graded::<A2xx>(&grades("'MAXs'", "ADDv"), clause), Grade::Within(_)));
        assert!(matches!(graded::<A2xx>(&grades(control, "ADDv"), clause), Grade::Within(_)));
        assert!(!matches!(
            graded::<UtgardGp>(&grades("'store.varying'", "acc.add"), units),
            Grade::Within(_)
        ));
        assert!(matches!(graded::<UtgardGp>(&grades(units_of_moves, "acc.add"), units), Grade::Within(_)));
    }

    /// The reference as a subject whose outputs are `by` units in the last place too large if the program contains exp.
    struct Off {
        ours: OwnEngine,
        by: u32,
    }

    impl Subject for Off {
        fn hello(&mut self, greeting: &Greeting) -> Result<Hello, String> {
            self.ours.hello(greeting)
        }

        fn decode(&mut self, program: &ProgramData) -> Result<Decoded, Failure> {
            self.ours.decode(program)
        }

        fn run(&mut self, run: &RunData) -> Result<Ran, Failure> {
            let mut ran = self.ours.run(run)?;
            if run.program.opcodes.iter().any(|opcode| opcode == "exp") {
                let outputs = ran.lanes.iter_mut().flat_map(|lane| lane.outputs.values_mut());
                for bits in outputs.flatten().flatten() {
                    *bits = Bits(bits.0 + self.by);
                }
            }
            Ok(ran)
        }
    }

    /// Returns the numbers of findings, of undecided lanes and of compared lanes for a subject [`Off`] by `by` units in the last place.
    fn judged(by: u32, programs: &[&str]) -> (usize, u64, u64) {
        let profile = Profile::from_text(PROFILE, IsaId::Agal).unwrap();
        let open = || -> Result<Box<dyn Connection>, StartError> {
            let subject = Off { ours: OwnEngine::new(IsaId::Agal, Engine::Reference), by };
            Ok(Box::new(InProcess::open(subject, &greeting(IsaId::Agal, &profile))?))
        };
        let mut campaign = Campaign::new(&open, &profile, &[Ability::Run]);
        let cases: Vec<Case> = programs.iter().map(|text| case(text)).collect();
        campaign.batch(&cases, &mut |_| {}).unwrap();
        let compared = campaign.summary.compared;
        (campaign.found.len(), compared.undecided, compared.lanes)
    }

    #[test]
    fn an_error_of_four_times_the_tolerance_is_found_and_one_within_it_is_not() {
        let programs = ["exp op, va0", "mul vt0, va0, va1\nexp vt0, vt0\nmov op, vt0"];
        assert_eq!(judged(3, &programs), (0, 0, 8));
        assert_eq!(judged(12, &programs).0, 1);
        assert_eq!(judged(4, &programs).0, 1);
    }

    #[test]
    fn results_that_may_be_any_number_are_undecided() {
        // The difference of two inexact results may be zero, and its reciprocal infinite.
        let anything = "exp vt0, va0\nexp vt1, va0\nsub vt0, vt0, vt1\nrcp vt1, vt0\nmul op, vt0, vt1";
        assert_eq!(judged(12, &["mov op, va0", anything]), (0, 4, 4));
    }
}
