//! Tests of a lane's state and of `set_state`, with which faults are injected into the state.

use lockstep::generate::{Entropy, Generate, ProgramRequest, case};
use lockstep_core::host::ConcreteHost;
use lockstep_core::ir::VarKey;
use lockstep_core::ir::eval::Scalar;
use lockstep_core::isa::lowering;
use lockstep_core::isa::lowering::Mode;
use lockstep_core::isa::{IsaId, KILLED};
use lockstep_core::value::Concrete;
use lockstep_core::with_isa;

/// The number of programs tested for each instruction set.
const PROGRAMS: u64 = 10;

fn show(value: &Scalar<Concrete>) -> String {
    match value {
        Scalar::F(v) => format!("{:08x}", v.to_bits()),
        Scalar::I(v) => v.to_string(),
        Scalar::B(v) => v.to_string(),
    }
}

fn sets_state<I: Generate>() {
    let (mut keys, mut changed) = (0, 0);
    for seed in 0..PROGRAMS {
        let case = case::<I>(&mut Entropy::seeded(seed), &ProgramRequest::default());
        let resolved = case.resolve::<I>().unwrap();
        let cx = resolved.context();
        let mut host = ConcreteHost::<false>::new(&resolved.env, 0);
        let start = I::start(&Concrete, &mut host, &cx, 0);
        let state = |lane: &I::Lane<Concrete>| -> Vec<_> {
            I::state(&Concrete, &cx, lane).into_iter().map(|(key, value)| (key, show(&value))).collect()
        };
        let before = state(&start);
        let lowered = lowering::lower_validated(&cx, Mode::Nodes).unwrap();
        let variables: Vec<VarKey> = lowered.vars.iter().map(|var| var.key).collect();
        for (at, (key, value)) in I::state(&Concrete, &cx, &start).into_iter().enumerate() {
            let other = match value {
                Scalar::F(v) => Scalar::F(f32::from_bits(v.to_bits() ^ 1 << 22)),
                Scalar::I(v) => Scalar::I(v ^ 1),
                Scalar::B(v) => Scalar::B(!v),
            };
            let mut lane = start.clone();
            I::set_state(&cx, &mut lane, key, other.clone());
            let mut expected = before.clone();
            // `set_state` does not change control state, which no variable represents in a lowering by nodes.
            if state(&lane) != before || variables.contains(&key) {
                expected[at].1 = show(&other);
                changed += 1;
            }
            assert_eq!(state(&lane), expected, "{}: {key:?}", I::ID);
            assert_eq!(I::position(&cx, &lane), I::position(&cx, &start));
            assert_eq!(I::killed(&lane), I::killed(&start));
            keys += 1;
        }
        let mut lane = start.clone();
        I::set_state(&cx, &mut lane, KILLED, Scalar::B(true));
        assert!(I::killed(&lane) && !I::killed(&start) && state(&lane) == before, "{}", I::ID);
    }
    assert!(
        changed > 0 && changed * 2 > keys,
        "{}: {changed} of {keys} parts of the lane state can be set",
        I::ID
    );
}

#[test]
fn set_state_changes_one_value_of_a_lane() {
    for &isa in IsaId::ALL {
        with_isa!(isa, I => sets_state::<I>());
    }
}
