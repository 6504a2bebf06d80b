//! Fuel ends programs that would otherwise run forever. Calls consume fuel, too, and every engine consumes the same amount.

use lockstep::case::{Case, Resolved};
use lockstep::corpus::environment_from_seed;
use lockstep::engine::{Executor, Outcome, Tier, evaluate, reference_with};
use lockstep::generate::Generate;
use lockstep::worst::worst;
use lockstep_core::host::{ConcreteHost, Environment};
use lockstep_core::ir::rewrite::rewrite;
use lockstep_core::isa::a2xx::A2xx;
use lockstep_core::isa::d3d9::D3d9;
use lockstep_core::isa::lowering::{Mode, lower_validated};
use lockstep_core::isa::pica200::Pica200;
use lockstep_core::isa::run::{start, step};
use lockstep_core::isa::{End, IsaId};
use lockstep_core::value::Concrete;
use lockstep_core::with_isa;

fn resolved<I: Generate>(program: &I::Program, fuel: u32) -> Resolved<I> {
    let case = Case::new::<I>(program, Environment::default());
    let env = environment_from_seed(&case.resolve::<I>().unwrap().context(), 1);
    let mut resolved = Case { env, ..case }.resolve::<I>().unwrap();
    resolved.env.lanes.truncate(4);
    resolved.env.fuel = fuel;
    resolved
}

/// Returns how the lanes end on every engine, for every kind of lowering.
fn ends<I: Generate>(resolved: &Resolved<I>) -> Vec<(String, Vec<End>)> {
    let cx = resolved.context();
    let lane_ends = |outcome: Outcome| outcome.lanes.iter().map(|lane| lane.end).collect::<Vec<End>>();
    let mut all = vec![("reference".to_owned(), lane_ends(reference_with::<I, false>(&cx, &resolved.env)))];
    for mode in [Mode::Nodes, Mode::Fallback] {
        if mode == Mode::Fallback && !I::has_fallback(&cx) {
            continue;
        }
        let Ok(plain) = lower_validated(&cx, mode) else { continue };
        all.push((format!("evaluator, {mode:?}"), lane_ends(evaluate(cx.entry, &plain, &resolved.env))));
        for program in [&plain, &rewrite(&plain)] {
            for tier in Tier::available() {
                let run = Executor::new(tier).run(cx.entry, program, &resolved.env);
                all.push((format!("executor {tier}, {mode:?}"), lane_ends(run)));
            }
        }
    }
    all
}

fn check_ends<I: Generate>(text: &str, fuel: u32, end: End) {
    let program = I::assemble(text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let ends = ends(&resolved::<I>(&program, fuel));
    assert!(ends.len() >= 4, "{}: {} engines", I::ID, ends.len());
    for (engine, ends) in ends {
        assert!(
            !ends.is_empty() && ends.iter().all(|e| *e == end),
            "{}, {engine}, fuel {fuel}: {ends:?}\n{text}",
            I::ID
        );
    }
}

/// Checks that with `units` of fuel every lane finishes, and with one unit less no lane does. Each call uses one unit, at the call or at the return.
fn check_fuel<I: Generate>(text: &str, units: u32) {
    check_ends::<I>(text, units, End::Finished);
    check_ends::<I>(text, units - 1, End::OutOfFuel);
}

#[test]
fn a_call_takes_a_unit_of_fuel() {
    check_fuel::<D3d9>(
        "vs_2_0\ndcl_position v0\nmov r0, v0\ncall l0\ncall l0\ncall l1\nmov oPos, r0\nret\n\
         label l0\nadd r0, r0, v0\nret\nlabel l1\nmul r0, r0, v0\nret\n",
        3,
    );
    // A nested call, and one that is not executed.
    check_fuel::<D3d9>(
        "vs_2_x\ndcl_position v0\ndefb b0, true\ndefb b1, false\nmov r0, v0\ncallnz l0, b0\ncallnz l0, b1\nmov oPos, r0\nret\n\
         label l0\ncall l1\nadd r0, r0, v0\nret\nlabel l1\nmul r0, r0, v0\nret\n",
        2,
    );
    // Quads, whose lanes run together.
    check_fuel::<D3d9>(
        "ps_2_x\ndcl v0\nmov r0, v0\ncall l0\ncall l0\nmov oC0, r0\nret\nlabel l0\nadd r0, r0, v0\nret\n",
        2,
    );
    check_fuel::<A2xx>(
        "COND_CALL ADDR(0x5) DIR(1) FORCE_CALL\nCOND_CALL ADDR(0x5) DIR(1) FORCE_CALL\n\
         COND_CALL ADDR(0x5) DIR(1) FORCE_CALL\n\
         ALLOC POSITION SIZE(0x0)\nEXEC_END\n ALU: MAXv export62 = R0, R0\n\
         EXEC\n ALU: ADDv R0 = R0, R1\nCOND_CALL ADDR(0x8) DIR(1) FORCE_CALL\nRETURN ADDR(0x0) DIR(0)\n\
         EXEC\n ALU: MULv R0 = R0, R1\nRETURN ADDR(0x0) DIR(0)\n",
        6,
    );
    // There is one backward transfer whether the procedure is placed before the caller or after it.
    check_fuel::<Pica200>(
        ".out pos position\n.proc before\nadd r0, r0, v0\n.end\n.entry main\n.proc main\nmov r0, v0\ncall before\n\
         call behind\nmov pos, r0\nend\n.end\n.proc behind\nmul r0, r0, v0\n.end\n",
        2,
    );
}

/// Returns the number of steps of the reference until every lane of the first group has ended.
fn steps<I: Generate>(resolved: &Resolved<I>) -> u64 {
    let cx = resolved.context();
    let mut host = ConcreteHost::<false>::new(&resolved.env, 0);
    let size = usize::from(I::group(&cx));
    let mut group = start::<I, _, _>(&Concrete, &mut host, &cx, size, resolved.env.fuel);
    let mut steps = 0;
    while step(&mut Concrete, &mut host, &cx, &mut group).is_some() {
        steps += 1;
    }
    steps
}

#[test]
fn nested_calls_run_out_of_fuel_on_every_engine() {
    const FUEL: u32 = 64;
    const MAX_NESTING: u64 = 4;
    let mut met = 0;
    for &isa in IsaId::ALL {
        with_isa!(isa, I => {
            for family in worst(isa).iter().filter(|family| family.name.starts_with("calls four deep")) {
                // 48 calls on each of four levels: five million runs of the innermost.
                let program = I::assemble(&(family.text)(48)).unwrap();
                let resolved = resolved::<I>(&program, FUEL);
                assert!(resolved.is_legal(), "{isa}, {}", family.name);
                for (engine, ends) in ends(&resolved) {
                    assert!(ends.iter().all(|e| *e == End::OutOfFuel), "{isa}, {}, {engine}: {ends:?}", family.name);
                }
                let lanes = u64::from(I::group(&resolved.context()));
                let most = u64::from(FUEL + 1) * (MAX_NESTING + 1) * u64::from(I::instruction_count(&resolved.context())) * lanes;
                let steps = steps(&resolved);
                assert!(steps <= most, "{isa}, {}: {steps} steps, at most {most}", family.name);
                met += 1;
            }
        });
    }
    assert!(met >= 4, "{met} families of nested calls");
}
