//! Initial registers and final control registers, on the reference and on every engine.

use lockstep::case::{Case, EntryRef};
use lockstep::engine::reference;
use lockstep::generate::{Entropy, Generate, ProgramRequest, case, with_registers};
use lockstep::oracle::{Engines, Verdict, execution_with};
use lockstep_core::host::{Environment, LaneInput};
use lockstep_core::isa::registers::registers;
use lockstep_core::isa::{IsaId, Port};
use lockstep_core::with_isa;

/// Returns a case of a program in assembly text with one lane. `initial` gives values to inputs and to registers by name, and `last` names control
/// registers that become outputs.
pub(crate) fn case_with_registers<I: Generate>(
    text: &str,
    initial: &[(&str, [f32; 4])],
    last: &[&str],
) -> Case {
    let program = I::assemble(text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
    let mut entry = I::entry(&program, 0).expect("an entry");
    let mut slots = vec![[0.0; 4]; 128];
    for slot in 0..128 {
        let name = I::input_name(&entry, slot);
        if let Some((_, value)) = initial.iter().find(|(given, _)| *given == name) {
            slots[usize::from(slot)] = *value;
            if entry.interface.inputs.iter().all(|port| port.slot != slot) {
                entry.interface.inputs.push(Port { slot, mask: 15 });
            }
        }
    }
    for (slot, register) in registers::<I>(&entry.clone()) {
        if last.contains(&register.name.as_str()) {
            entry.interface.outputs.push(Port { slot, mask: register.mask() });
        }
    }
    entry.interface.inputs.sort_by_key(|port| port.slot);
    let env = Environment { fuel: 9, effects: 9, lanes: vec![LaneInput { slots }], ..Environment::default() };
    let mut case = Case::new::<I>(&program, env);
    case.entry = EntryRef::Given(entry);
    case
}

/// Runs a case on all engines, which must agree. Returns the outputs and effects of its lane, in order.
fn run<I: Generate>(case: &Case) -> Vec<f32> {
    let verdict = execution_with::<I>(case, &Engines::all());
    assert!(matches!(verdict, Verdict::Holds(_)), "{verdict:?}");
    let resolved = case.resolve::<I>().unwrap();
    let lane = reference(&resolved.context(), &resolved.env).lanes.remove(0);
    let effects = lane.effects.iter().flat_map(|effect| effect.components().map(|(_, value)| value));
    lane.outputs.iter().copied().chain(effects).collect()
}

#[test]
fn registers_begin_and_end_with_the_values_that_the_program_implies() {
    use lockstep_core::isa::agal::Agal;
    use lockstep_core::isa::d3d9::D3d9;
    use lockstep_core::isa::pica200::Pica200;
    let vector = [1.0, 2.0, 3.0, 4.0];

    let text = "version 1 vertex\nadd op, vt3, va0\n";
    let got = run::<Agal>(&case_with_registers::<Agal>(text, &[("vt3", vector), ("va0", [10.0; 4])], &[]));
    assert_eq!(got, [11.0, 12.0, 13.0, 14.0]);

    // mova rounds to the nearest integer. Components that it does not write keep their initial values, which are truncated.
    let text = "vs_2_x\ndcl_position v0\nmova a0.xy, v0\nmov oPos, r1\n(p0.y) mov oPos.x, v0.x\n";
    let initial = [
        ("r1", vector),
        ("v0", [5.6, -7.2, 0.0, 0.0]),
        ("a0", [0.0, 0.0, -9.75, 100.0]),
        ("p0", [0.0, -2.5, 0.0, f32::NAN]),
        ("aL", [255.5, 0.0, 0.0, 0.0]),
    ];
    let got = run::<D3d9>(&case_with_registers::<D3d9>(text, &initial, &["a0", "p0", "aL"]));
    assert_eq!(got, [5.6, 2.0, 3.0, 4.0, 6.0, -7.0, -9.0, 100.0, 0.0, 1.0, 0.0, 1.0, 255.0]);

    let text = ".shader\n.in a v0\n.out b position o0\n.entry main\n.proc main\nmova a0.x, v0\ncmp v0, gt, lt, v0\nmov b, r2\nend\n.end\n";
    let initial = [
        ("r2", vector),
        ("v0", [3.0, 1.0, 0.0, 0.0]),
        ("a0", [50.0, -60.0, 70.0, 0.0]),
        ("cmp", [1.0, 1.0, 0.0, 0.0]),
    ];
    let got = run::<Pica200>(&case_with_registers::<Pica200>(text, &initial, &["a0", "cmp"]));
    assert_eq!(got, [1.0, 2.0, 3.0, 4.0, 3.0, -60.0, 70.0, 0.0, 0.0]);
}

/// Runs generated programs with random initial registers, on which all engines must agree. Returns the number of cases that ran, of those whose
/// results depend on the registers, and of those that leave a nonzero final register.
fn count_agreeing_cases<I: Generate>() -> [u32; 3] {
    let [mut holding, mut read, mut left] = [0; 3];
    for seed in 0..120 {
        let plain = case::<I>(&mut Entropy::seeded(seed), &ProgramRequest::default());
        let case = with_registers::<I>(&mut Entropy::seeded(!seed), &plain).expect("registers");
        match execution_with::<I>(&case, &Engines::all()) {
            Verdict::Holds(_) => holding += 1,
            Verdict::Skipped(_) => continue,
            Verdict::Fails(failure) => {
                panic!("{} seed {seed}: {failure:?}\n{}", I::ID, case.to_hex_text(None))
            }
        }
        let [before, after] = [&plain, &case].map(|case| {
            let resolved = case.resolve::<I>().unwrap();
            reference(&resolved.context(), &resolved.env).lanes
        });
        let own = |lane: usize| before[lane].outputs.len();
        let differs = |lane: &usize| {
            let (before, after) = (&before[*lane], &after[*lane]);
            before.end != after.end
                || before.effects != after.effects
                || before.outputs[..] != after.outputs[..own(*lane)]
        };
        read += u32::from((0..before.len()).any(|lane| differs(&lane)));
        left += u32::from(
            (0..after.len()).any(|lane| after[lane].outputs[own(lane)..].iter().any(|v| *v != 0.0)),
        );
    }
    [holding, read, left]
}

#[test]
fn engines_agree_on_random_initial_registers() {
    for isa in IsaId::ALL {
        let [holding, read, left] = with_isa!(isa, I => count_agreeing_cases::<I>());
        assert!(holding >= 100, "{isa}: {holding}");
        let has_control = !matches!(isa, IsaId::Agal | IsaId::UtgardGp);
        assert_eq!(left >= 60, has_control, "{isa}: {left}");
        assert!(read >= 3, "{isa}: {read}");
    }
}
