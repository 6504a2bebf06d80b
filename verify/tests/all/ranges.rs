//! The references also run on sets of numbers. The results for numbers must lie within the results for sets that contain these numbers.

use lockstep::case::Resolved;
use lockstep::corpus::{load_own, own_corpora};
use lockstep_core::host::{ConcreteHost, RangeHost};
use lockstep_core::ir::VarKey;
use lockstep_core::ir::eval::Scalar;
use lockstep_core::isa::run::{LaneState, run, start, step};
use lockstep_core::isa::{End, Isa, IsaId, Legality, Refinement};
use lockstep_core::value::Concrete;
use lockstep_core::value::range::{FloatRange, IntRange, Ranges, paths};
use lockstep_core::with_isa;
use std::collections::BTreeMap;

/// The maximum number of paths followed in one program.
const MAX_PATHS: usize = 32;
/// The maximum number of steps of a group on one path.
const MAX_STEPS: usize = 3000;

/// Identifies a final value of a lane: an output, a register, the kill mark or part of an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum FinalValueKey {
    Output(u16, usize),
    Register(VarKey),
    Killed,
    /// Kind, index and component of an effect; all of a lane's effects with the same three share one key.
    Effect(u8, u16, usize),
}

/// The possible values for a key.
#[derive(Clone, Copy, Debug)]
enum Set {
    Float(FloatRange),
    Int(IntRange),
    Truth(bool, bool),
}

impl Set {
    fn join(&mut self, other: Set) {
        match (self, other) {
            (Set::Float(a), Set::Float(b)) => *a = a.join(&b),
            (Set::Int(a), Set::Int(b)) => *a = a.join(&b),
            (Set::Truth(yes, no), Set::Truth(also_yes, also_no)) => {
                *yes |= also_yes;
                *no |= also_no;
            }
            (one, other) => panic!("{one:?} and {other:?} are values of one key"),
        }
    }

    fn contains(&self, value: &Scalar<Concrete>) -> bool {
        match (self, value) {
            (Set::Float(set), Scalar::F(v)) => set.contains(*v),
            (Set::Int(set), Scalar::I(v)) => set.contains(*v),
            (Set::Truth(yes, no), Scalar::B(v)) => {
                if *v {
                    *yes
                } else {
                    *no
                }
            }
            _ => false,
        }
    }

    fn is_narrow(&self) -> bool {
        match self {
            Set::Float(set) => *set != FloatRange::ANYTHING && *set != FloatRange::NUMBERS,
            Set::Int(set) => *set != IntRange::ANYTHING,
            Set::Truth(yes, no) => yes != no,
        }
    }
}

impl From<Scalar<Ranges>> for Set {
    fn from(value: Scalar<Ranges>) -> Set {
        match value {
            Scalar::F(v) => Set::Float(v.range),
            Scalar::I(v) => Set::Int(v),
            Scalar::B(v) => Set::Truth(v.yes, v.no),
        }
    }
}

type Sets = BTreeMap<FinalValueKey, Set>;

fn add(sets: &mut Sets, place: FinalValueKey, set: Set) {
    sets.entry(place).and_modify(|known| known.join(set)).or_insert(set);
}

/// Returns the possible final values of each lane of a group; `None` if not all paths are followed.
fn sets<I: Legality + Refinement>(resolved: &Resolved<I>) -> Option<Vec<Sets>> {
    let (cx, env) = (resolved.context(), &resolved.env);
    let group = usize::from(I::group(&cx));
    let mut all = vec![Sets::new(); group];
    let whole = paths(MAX_PATHS, |d| {
        let mut host = RangeHost::new(env, group);
        let mut lanes = start::<I, _, _>(d, &mut host, &cx, group, env.fuel);
        let ended = (0..MAX_STEPS).any(|_| step::<I, _, _>(d, &mut host, &cx, &mut lanes).is_none());
        for (sets, lane) in all.iter_mut().zip(&lanes) {
            collect::<I>(d, resolved, lane, sets);
        }
        for (lane, effect) in host.effects() {
            for c in (0..4).filter(|c| effect.mask >> c & 1 == 1) {
                let place = FinalValueKey::Effect(effect.kind, effect.index, c);
                add(&mut all[*lane], place, Set::Float(effect.values[c].range));
            }
        }
        ended
    });
    whole.then_some(all)
}

fn collect<I: Legality + Refinement>(
    d: &Ranges,
    resolved: &Resolved<I>,
    LaneState { lane, .. }: &LaneState<I::Lane<Ranges>>,
    sets: &mut Sets,
) {
    let cx = resolved.context();
    for (slot, c) in cx.entry.interface.components() {
        let c = usize::from(c);
        add(sets, FinalValueKey::Output(slot, c), Set::Float(I::output(d, &cx, lane, slot)[c].range));
    }
    for (key, value) in I::state(d, &cx, lane) {
        add(sets, FinalValueKey::Register(key), value.into());
    }
    add(sets, FinalValueKey::Killed, Scalar::<Ranges>::B(I::killed(lane)).into());
}

#[derive(Default)]
struct Count {
    programs: usize,
    followed: usize,
    values: usize,
    narrow: usize,
}

fn check<I: Isa>(name: &str, resolved: &Resolved<I>, count: &mut Count) {
    count.programs += 1;
    let Some(sets) = sets(resolved) else { return };
    count.followed += 1;
    let (cx, env) = (resolved.context(), &resolved.env);
    for base in (0..env.lanes.len()).step_by(sets.len()) {
        let mut host = ConcreteHost::<false>::new(env, base);
        let mut lanes = start::<I, _, _>(&Concrete, &mut host, &cx, sets.len(), env.fuel);
        run(&mut Concrete, &mut host, &cx, &mut lanes);
        for (l, (LaneState { lane, end, .. }, sets)) in lanes.iter().zip(&sets).enumerate() {
            // The state of a lane that does not finish depends on where the lane stopped.
            if *end != Some(End::Finished) || base + l >= env.lanes.len() {
                continue;
            }
            let mut hold = |place: FinalValueKey, value: Scalar<Concrete>| {
                let set = sets.get(&place);
                assert!(
                    set.is_some_and(|set| set.contains(&value)),
                    "{name}, lane {}: {place:?} is {value:?}, not within {set:?}\n{}",
                    base + l,
                    I::disassemble(&resolved.program)
                );
                count.values += 1;
                count.narrow += usize::from(set.is_some_and(Set::is_narrow));
            };
            for (slot, c) in cx.entry.interface.components() {
                let c = usize::from(c);
                hold(FinalValueKey::Output(slot, c), Scalar::F(I::output(&Concrete, &cx, lane, slot)[c]));
            }
            for (key, value) in I::state(&Concrete, &cx, lane) {
                hold(FinalValueKey::Register(key), value);
            }
            hold(FinalValueKey::Killed, Scalar::B(I::killed(lane)));
            for record in host.records(l) {
                for (c, v) in record.components() {
                    hold(FinalValueKey::Effect(record.kind, record.index, usize::from(c)), Scalar::F(v));
                }
            }
        }
    }
}

fn checked<I: Isa>() {
    let mut count = Count::default();
    for item in load_own(&own_corpora(None).unwrap(), &[I::ID]).items {
        for case in item.content.cases(0..2) {
            let resolved = case.resolve::<I>();
            if let Some(resolved) = resolved.ok().filter(Resolved::is_legal) {
                check::<I>(&item.name, &resolved, &mut count);
            }
        }
    }
    let Count { programs, followed, values, narrow } = count;
    println!("{}: {followed} of {programs} runs followed, {narrow} of {values} values narrowed down", I::ID);
    assert!(
        followed * 10 > programs * 8 && followed > 0,
        "{}: {followed} of {programs} runs are followed",
        I::ID
    );
    assert!(narrow * 10 > values * 9, "{}: {narrow} of {values} values are narrowed down", I::ID);
}

#[test]
fn results_of_corpus_programs_lie_within_their_ranges() {
    for &isa in IsaId::ALL {
        with_isa!(isa, I => checked::<I>());
    }
}
