//! Tests of the limits on cases: which excessive parts are truncated, and which are errors.

use super::*;
use crate::corpus::environment_from_seed;
use lockstep_core::host::LaneInput;
use lockstep_core::isa::a2xx::A2xx;
use lockstep_core::isa::agal::Agal;
use lockstep_core::isa::d3d9::D3d9;
use lockstep_core::isa::{Port, Stage, Syntax};

fn case(text: &str, lanes: usize) -> Case {
    let env = Environment {
        fuel: u32::MAX,
        effects: u32::MAX,
        lanes: vec![LaneInput::default(); lanes],
        ..Environment::default()
    };
    Case::new::<Agal>(&Agal::assemble(text).unwrap(), env)
}

fn refused(change: impl FnOnce(&mut Interface)) -> String {
    let mut case = case("version 1 vertex\nmov op, va0\n", 1);
    let mut entry = case.resolve::<Agal>().unwrap().entry;
    change(&mut entry.interface);
    case.entry = EntryRef::Given(entry);
    match case.resolve::<Agal>() {
        Err(error @ CaseError::Interface { .. }) => error.to_string(),
        other => panic!("not refused: {other:?}"),
    }
}

#[test]
fn impossible_entries_are_refused_with_a_reason() {
    let port = |slot| Port { slot, mask: 0xf };
    assert!(refused(|i| i.outputs = vec![port(u16::MAX)]).contains("slot 65535"));
    assert!(refused(|i| i.outputs = vec![port(MAX_SLOT)]).contains("slot 4096"));
    assert!(refused(|i| i.inputs = vec![port(3), port(3)]).contains("ascending"));
    assert!(refused(|i| i.outputs = vec![port(3), port(2)]).contains("3 before 2"));
    assert!(refused(|i| i.outputs = (0..=MAX_PORTS as u16).map(port).collect()).contains("257 registers"));
    for mask in 0x10..=u8::MAX {
        let wrong = format!("{mask:#x}");
        assert!(refused(|i| i.inputs = vec![Port { slot: 0, mask }]).contains(&wrong));
        assert!(refused(|i| i.outputs = vec![Port { slot: 0, mask }]).contains(&wrong));
    }
    assert!(refused(|i| i.bools = u16::MAX).contains("bools"));
    assert!(refused(|i| i.samplers = vec![0; 257]).contains("at most 256"));
}

#[test]
fn every_component_within_the_limits_has_a_number_of_its_own() {
    let last = lockstep_core::isa::output_number(MAX_SLOT - 1, 3);
    assert_eq!(u32::from(last), u32::from(MAX_SLOT) * 4 - 1);
}

#[test]
fn a_slot_counts_once_for_each_clause_that_runs_it_and_long_passes_have_few_lanes() {
    let shared = |clauses: usize| {
        let run = format!("EXEC ADDR({:#x}) CNT(0x6)\n", clauses / 2 + 1).repeat(clauses);
        let end = format!("ALLOC POSITION SIZE(0x0)\nEXEC_END ADDR({:#x}) CNT(0x1)\n", clauses / 2 + 7);
        let slots = " ALU: ADDv R0 = R0, R1\n".repeat(6) + " ALU: MAXv export62 = R0, R0\n";
        A2xx::assemble(&format!("{run}{end}{slots}")).unwrap()
    };
    let env = Environment { fuel: u32::MAX, lanes: vec![LaneInput::default(); 8], ..Environment::default() };
    let case = |clauses| Case::new::<A2xx>(&shared(clauses), env.clone()).resolve::<A2xx>().unwrap();
    // Instructions per pass: seven for each clause, one for ALLOC and two for the last clause.
    assert_eq!(case(1000).env.fuel, (MAX_STEPS / (8 * 7003)) as u32);
    for (clauses, lanes) in [(2000, 8), (4000, 4)] {
        let env = environment_from_seed(&case(clauses).context(), 1);
        assert_eq!(env.lanes.len(), lanes, "{clauses} clauses");
    }
}

#[test]
fn a_matrix_instruction_costs_as_much_fuel_as_its_rows() {
    let fuel = |body: &str| {
        let text = format!("vs_2_0\ndcl_position v0\n{}mov oPos, r0\n", body.repeat(100));
        let env =
            Environment { fuel: u32::MAX, lanes: vec![LaneInput::default(); 8], ..Environment::default() };
        Case::new::<D3d9>(&D3d9::assemble(&text).unwrap(), env).resolve::<D3d9>().unwrap().env.fuel
    };
    // Each program also has a declaration and a move: two more instructions.
    let passes = |instructions: u64| (MAX_STEPS / (8 * instructions)) as u32;
    assert_eq!(fuel("dp4 r0, v0, c0\n"), passes(102));
    for (matrix, rows) in
        [("m4x4 r0", 4), ("m3x4 r0", 4), ("m4x3 r0.xyz", 3), ("m3x3 r0.xyz", 3), ("m3x2 r0.xy", 2)]
    {
        assert_eq!(fuel(&format!("{matrix}, v0, c0\n")), passes(100 * rows + 2), "{matrix}");
    }
}

#[test]
fn long_programs_get_less_fuel_but_at_least_the_minimum() {
    let program =
        |words: usize| format!("version 1 vertex\nmov op, va0\n{}", "mov vt0, va0\n".repeat(words - 1));
    for (words, lanes) in [(1, 1), (1, 8), (100, 8), (100, 64), (100, MAX_LANES)] {
        let fuel = case(&program(words), lanes).resolve::<Agal>().unwrap().env.fuel;
        assert!(fuel >= MIN_FUEL && fuel <= MAX_FUEL / lanes as u32);
        assert!(
            u64::from(fuel) * (words * lanes) as u64 <= MAX_STEPS || fuel == MIN_FUEL,
            "{words} words, {lanes} lanes: {fuel}"
        );
    }
    let long = case(&program(10_000), MAX_LANES).resolve::<Agal>().unwrap();
    assert_eq!(long.env.fuel, MIN_FUEL);
    let mut short = case(&program(10_000), 1);
    short.env.fuel = 1;
    assert_eq!(short.resolve::<Agal>().unwrap().env.fuel, 1, "fuel is cut, never added");
}

#[test]
fn given_entries_are_used_and_missing_own_ones_are_errors() {
    let mut case = case("version 1 vertex\nmov op, va0\n", 1);
    let entry = case.resolve::<Agal>().unwrap().entry;
    assert_eq!(entry.stage, Stage::Vertex);
    case.entry = EntryRef::Given(entry.clone());
    assert_eq!(case.resolve::<Agal>().unwrap().entry, entry);
    case.entry = EntryRef::Own(7);
    assert_eq!(case.resolve::<Agal>().unwrap_err(), CaseError::Entry { asked: 7, there: 1 });
}

#[test]
fn instruction_set_numbers_are_stable() {
    for &isa in IsaId::ALL {
        assert_eq!(postcard::to_stdvec(&isa).unwrap(), [isa.number()], "{isa}");
        assert_eq!(IsaId::from_number(isa.number()), Some(isa));
    }
    assert_eq!(IsaId::from_number(u8::MAX), None);
}

#[test]
fn entries_at_the_limits_are_not_refused() {
    let port = |slot| Port { slot, mask: 0xf };
    let changes: [&dyn Fn(&mut Interface); 5] = [
        &|i| i.outputs = vec![port(MAX_SLOT - 1)],
        &|i| i.inputs = (0..MAX_PORTS as u16).map(port).collect(),
        &|i| i.outputs = (0..=0xf).map(|mask| Port { slot: mask, mask: mask as u8 }).collect(),
        &|i| (i.constants, i.ints, i.bools) = (MAX_CONSTANTS, MAX_CONSTANTS, MAX_CONSTANTS),
        &|i| i.samplers = vec![0; 256],
    ];
    for (n, change) in changes.into_iter().enumerate() {
        let mut case = case("version 1 vertex\nmov op, va0\n", 1);
        let mut entry = case.resolve::<Agal>().unwrap().entry;
        change(&mut entry.interface);
        case.entry = EntryRef::Given(entry);
        assert!(case.resolve::<Agal>().is_ok(), "change {n}: {:?}", case.resolve::<Agal>().err());
    }
}

#[test]
fn total_fuel_is_bounded_and_smaller_fuel_is_unchanged() {
    for lanes in [1, 2, 3, 7, 64, 1000, MAX_LANES, MAX_LANES + 1, 3 * MAX_LANES] {
        for asked in [0, 1, 3, 16, 1 << 12, 1 << 16, 1 << 18, u32::MAX] {
            let mut case = case("version 1 vertex\nmov op, va0\n", lanes);
            (case.env.fuel, case.env.effects) = (asked, asked);
            let env = case.resolve::<Agal>().unwrap().env;
            let run = env.lanes.len();
            assert_eq!(run, lanes.min(MAX_LANES));
            for (what, given, most) in [("effects", env.effects, MAX_EFFECTS), ("fuel", env.fuel, MAX_FUEL)] {
                let all = u64::from(given) * run as u64;
                assert!(given <= asked && all <= u64::from(most), "{lanes} lanes, {asked}: {given} {what}");
                // The value is cut off only if it exceeds the limit.
                let is_cut = given < asked;
                assert!(
                    !is_cut || all + run as u64 > u64::from(most),
                    "{lanes} lanes, {asked}: {given} {what}"
                );
            }
        }
    }
}

#[test]
fn an_input_that_is_minus_zero_everywhere_is_listed_like_any_other() {
    use lockstep_core::isa::pica200::Pica200;
    let program = ".in p v0\n.out o position o0\n.proc main\nmul o0, v0, r3\nend\n.end\n";
    let program = Pica200::assemble(program).expect("a program");
    let listed = |value: f32| {
        let mut lane = LaneInput::default();
        // Slot 19 is r3.
        *lane.slot_mut(19) = [value; 4];
        let environment = Environment { lanes: vec![lane], ..Environment::default() };
        let mut case = Case::new::<Pica200>(&program, environment);
        case.list_inputs::<Pica200>().expect("a case");
        let inputs = case.resolve::<Pica200>().expect("a case").entry.interface.inputs;
        inputs.iter().any(|port| port.slot == 19)
    };
    assert_eq!([0.0, -0.0, 1.0].map(listed), [false, true, true]);
}
