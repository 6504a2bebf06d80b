//! The domain of ranges contains every concrete result, and is precise enough to be useful.

use lockstep_core::exec::check::boundary;
use lockstep_core::host::{
    Access, Buffer, ConcreteHost, Dimension, Environment, FetchFormat, FetchKind, Host, Lod, RangeHost,
    SampleRequest, Texels, Texture,
};
use lockstep_core::ir::eval::{self, Lane, Scalar, Stop, arithmetic};
use lockstep_core::ir::random::{self, FLOATS, INTS, Rules, Source};
use lockstep_core::ir::{Flush, Op, Program, Ty};
use lockstep_core::value::range::{FloatRange, IntRange, Ranged, Ranges, TruthRange, paths};
use lockstep_core::value::{BBin, Concrete, Domain, FBin, FCmp, FUn, IBin, ICmp, Narrow};

type Set = Scalar<Ranges>;
type Number = Scalar<Concrete>;

/// Returns every operation that has operands and depends on them only.
fn operations() -> Vec<Op> {
    use FUn::{Abs, Cos, Exp2, Floor, Log2, Neg, RoundEven, Sin, Sqrt, Trunc};
    use IBin::{Add, And, Mul, Or, Shl, ShrS, ShrU, Sub, Xor};
    let functions = [Neg, Abs, Sqrt, Floor, Trunc, RoundEven, Exp2, Log2, Sin, Cos];
    let mut all = vec![Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Fma, Op::Min, Op::Max, Op::Mulz, Op::MulzInf];
    all.extend(functions.into_iter().chain(Narrow::ALL.map(FUn::Narrow)).map(Op::Un));
    all.extend(Flush::ALL.map(Op::Flush));
    all.extend([FCmp::Lt, FCmp::Le, FCmp::Eq].map(Op::Cmp));
    all.extend([ICmp::Eq, ICmp::LtS, ICmp::LtU].map(Op::ICmp));
    all.extend([Add, Sub, Mul, And, Or, Xor, Shl, ShrU, ShrS].map(Op::IBin));
    all.extend([BBin::And, BBin::Or, BBin::Xor].map(Op::Logic));
    all.extend([Op::Not, Op::TruncI, Op::ToF, Op::Bits, Op::FromBits]);
    all.extend([Ty::F32, Ty::I32, Ty::Bool].map(Op::Sel));
    all
}

fn within(set: &Set, number: &Number) -> bool {
    match (set, number) {
        (Scalar::F(set), Scalar::F(v)) => set.range.contains(*v),
        (Scalar::I(set), Scalar::I(v)) => set.contains(*v),
        (Scalar::B(set), Scalar::B(v)) => set.contains(*v),
        _ => false,
    }
}

/// Draws a set of floats: all floats, or the hull of a few boundary values, in some cases without the numbers between two magnitudes around zero.
fn floats(source: &mut Source<'_>, boundary: &[u32]) -> FloatRange {
    let number = |source: &mut Source<'_>| f32::from_bits(source.pick(boundary));
    let (a, b) = (number(source), number(source));
    match source.below(8) {
        0 => FloatRange::ANYTHING,
        1 => FloatRange::of(a),
        2 => FloatRange::of(a).join(&FloatRange::of(b)).join(&FloatRange::of(number(source))),
        3 => FloatRange::of(a).join(&FloatRange::of(-a)).join(&FloatRange::of(b)),
        4 => FloatRange::between(a.abs().min(b.abs()), a.abs().max(b.abs())).join(&FloatRange::of(a)),
        5 => FloatRange::between(-8.0, 8.0).join(&FloatRange::of(b)),
        _ => FloatRange::of(a).join(&FloatRange::between(a.min(b), a.max(b))),
    }
}

fn integers(source: &mut Source<'_>) -> IntRange {
    let (a, b) = (source.pick(&INTS), source.pick(&INTS));
    match source.below(5) {
        0 => IntRange::ANYTHING,
        1 => IntRange::of(a),
        2 => IntRange::between(a, a.wrapping_add(source.below(40) as i32)),
        3 => IntRange::of(a).join(&IntRange::of(b)),
        _ => IntRange::between(a, b),
    }
}

fn set(source: &mut Source<'_>, boundary: &[u32], d: &Ranges, ty: Ty) -> Set {
    match ty {
        Ty::F32 => Scalar::F(d.new_value(floats(source, boundary))),
        Ty::I32 => Scalar::I(integers(source)),
        Ty::Bool => Scalar::B(match source.below(4) {
            0 => TruthRange::of(false),
            1 => TruthRange::of(true),
            _ => TruthRange::ANYTHING,
        }),
    }
}

/// Draws a member of a set: an end, a boundary value, or any other member.
fn member(source: &mut Source<'_>, boundary: &[u32], set: &Set) -> Number {
    match set {
        Scalar::F(Ranged { range, .. }) => {
            let sides = [(range.negative, -1.0), (range.positive, 1.0)];
            let ends = sides.into_iter().filter_map(|(side, sign)| {
                let side = side?;
                let (least, most) = (side.least.to_bits(), side.most.to_bits());
                let within = f32::from_bits(least + source.below(most - least + 1));
                Some([sign * side.least, sign * side.most, sign * within])
            });
            let mut all: Vec<f32> = ends.flatten().collect();
            all.extend([f32::NAN, -0.0, 0.0].into_iter().filter(|v| range.contains(*v)));
            for _ in 0..4 {
                all.extend(Some(f32::from_bits(source.pick(boundary))).filter(|v| range.contains(*v)));
            }
            Scalar::F(source.pick(&all))
        }
        Scalar::I(range) => {
            let span = (i64::from(range.high) - i64::from(range.low)) as u32;
            let any = range.low.wrapping_add(source.below(span.saturating_add(1).max(1)) as i32);
            let mut all: Vec<i32> = vec![range.low, range.high, any, any & range.may as i32];
            all.extend((0..8).map(|_| source.pick(&INTS)));
            all.retain(|v| range.contains(*v));
            Scalar::I(source.pick(&all))
        }
        Scalar::B(range) => Scalar::B(if range.yes && range.no { source.below(2) == 0 } else { range.yes }),
    }
}

/// An expression: the sets of the inputs, followed by operations on earlier values.
struct Expression {
    types: Vec<Ty>,
    given: Vec<Set>,
    nodes: Vec<(Op, Vec<usize>)>,
}

impl Expression {
    fn values<D: Domain>(&self, d: &D, given: &[Scalar<D>]) -> Vec<Scalar<D>> {
        let mut values = given.to_vec();
        for (op, args) in &self.nodes {
            let value = arithmetic(d, *op, |k| &values[args[k]]).unwrap();
            values.push(value);
        }
        values
    }

    /// Checks every value of `members` runs against its set. Returns the number of operations that were checked.
    fn check(&self, source: &mut Source<'_>, boundary: &[u32], d: &Ranges, members: usize) -> usize {
        let sets = self.values(d, &self.given);
        for _ in 0..members {
            let given: Vec<Number> = self.given.iter().map(|set| member(source, boundary, set)).collect();
            let numbers = self.values(&Concrete, &given);
            for (k, (set, number)) in sets.iter().zip(&numbers).enumerate() {
                assert!(
                    within(set, number),
                    "{:?}\nvalue {k}: {number:?} is not within {set:?}\nnumbers {numbers:?}\nsets {sets:?}",
                    self.nodes
                );
            }
        }
        members * self.nodes.len()
    }
}

fn result(op: Op) -> Ty {
    op.results().map_or(Ty::F32, |(ty, _)| ty)
}

#[test]
fn results_of_each_operation_lie_within_its_range() {
    let (boundary, d) = (boundary(), Ranges::default());
    let mut source = Source::seeded(1);
    for op in operations() {
        let types = op.operands().to_vec();
        let mut checks = 0;
        for trial in 0..1500 {
            let given: Vec<Set> = types.iter().map(|ty| set(&mut source, &boundary, &d, *ty)).collect();
            // One time in four, all operands of a type are the same value.
            let args = (0..types.len()).map(|k| {
                if trial % 4 == 0 { types.iter().position(|ty| *ty == types[k]).unwrap() } else { k }
            });
            let nodes = vec![(op, args.collect())];
            let expression = Expression { types: types.clone(), given, nodes };
            checks += expression.check(&mut source, &boundary, &d, 12);
        }
        assert_eq!(checks, 1500 * 12, "{op:?}");
    }
}

#[test]
fn values_of_expressions_lie_within_their_ranges() {
    let (boundary, d, operations) = (boundary(), Ranges::default(), operations());
    let mut checks = 0;
    for seed in 0..4000 {
        let mut source = Source::seeded(seed);
        let types = vec![Ty::F32, Ty::F32, Ty::F32, Ty::I32, Ty::Bool];
        let given = types.iter().map(|ty| set(&mut source, &boundary, &d, *ty)).collect();
        let mut e = Expression { types, given, nodes: Vec::new() };
        while e.nodes.len() < 24 {
            let op = source.pick(&operations);
            let mut operand = |ty: Ty| {
                let fit: Vec<usize> = (0..e.types.len()).filter(|k| e.types[*k] == ty).collect();
                // Mostly recent values, so that selections use the values that were compared.
                let newest = if source.one_in(4) { fit.len() } else { fit.len().min(4) };
                let back = source.below(newest as u32);
                fit[fit.len() - 1 - back as usize]
            };
            let args = op.operands().iter().map(|ty| operand(*ty)).collect();
            e.nodes.push((op, args));
            e.types.push(result(op));
        }
        checks += e.check(&mut source, &boundary, &d, 12);
    }
    assert_eq!(checks, 4000 * 24 * 12);
}

#[test]
fn one_number_gives_one_number() {
    let d = Ranges::default();
    let literals = |ty: Ty| -> Vec<Number> {
        match ty {
            Ty::F32 => FLOATS.iter().map(|bits| Scalar::F(f32::from_bits(*bits))).collect(),
            Ty::I32 => INTS.iter().map(|v| Scalar::I(*v)).collect(),
            Ty::Bool => [false, true].map(Scalar::B).into(),
        }
    };
    let set = |number: &Number| -> Set {
        match number {
            Scalar::F(v) => Scalar::F(d.f(*v)),
            Scalar::I(v) => Scalar::I(d.i(*v)),
            Scalar::B(v) => Scalar::B(d.b(*v)),
        }
    };
    for op in operations().into_iter().filter(|op| op.operands().len() <= 2) {
        let first = literals(op.operands()[0]);
        let second = op.operands().get(1).map_or(vec![Scalar::B(true)], |ty| literals(*ty));
        for a in &first {
            for b in &second {
                let numbers = [a, b];
                let sets = numbers.map(set);
                let is = arithmetic(&Concrete, op, |k| numbers[k]).unwrap();
                let of = arithmetic(&d, op, |k| &sets[k]).unwrap();
                let known = match &of {
                    Scalar::F(v) => d.known_f(v).is_some(),
                    Scalar::I(v) => d.known_i(v).is_some(),
                    Scalar::B(v) => d.known_b(v).is_some(),
                };
                assert!(known && within(&of, &is), "{op:?} {a:?} {b:?}: {is:?}, {of:?}");
            }
        }
    }
}

/// The maximum number of paths of a program that are followed.
const PATHS: usize = 48;
/// The maximum number of blocks on each path.
const BLOCKS: usize = 400;

/// Returns the final lanes of a group on each path; `None` if there are more than [`PATHS`] paths, or a path has more than [`BLOCKS`] blocks.
fn every_path(program: &Program, env: &Environment, group: usize) -> Option<Vec<Vec<Lane<Ranges>>>> {
    let mut all = Vec::new();
    let whole = paths(PATHS, |d| {
        let mut host = RangeHost::new(env, group);
        let mut lanes: Vec<Lane<Ranges>> =
            (0..group).map(|_| Lane::new(d, &mut host, program, env.fuel)).collect();
        let ended = (0..BLOCKS).any(|_| eval::step(d, &mut host, program, &mut lanes).is_none());
        all.push(lanes);
        ended
    });
    whole.then_some(all)
}

#[test]
fn random_programs_stay_within_their_ranges_on_some_path() {
    let (mut followed, mut forked, mut values) = (0, 0, 0);
    // Many programs are needed, because few of them branch on a value that differs between lanes.
    const PROGRAMS: u64 = 6000;
    for seed in 0..PROGRAMS {
        let mut source = Source::seeded(seed);
        let program = random::program(&mut source, Rules::Lax);
        let group = usize::from(program.group);
        let env = random::environment(&mut source, 12);
        let Some(all) = every_path(&program, &env, group) else { continue };
        followed += 1;
        forked += u64::from(all.len() > 1);
        for base in (0..env.lanes.len()).step_by(group) {
            let mut host = ConcreteHost::<false>::new(&env, base);
            let mut lanes: Vec<Lane<Concrete>> =
                (0..group).map(|_| Lane::new(&Concrete, &mut host, &program, env.fuel)).collect();
            eval::run(&mut Concrete, &mut host, &program, &mut lanes);
            // One of the paths must be that of this group: each lane ends in the same way, and its values lie within the sets.
            let is_of = |path: &Vec<Lane<Ranges>>| {
                lanes.iter().zip(path).all(|(lane, sets)| {
                    let vars = lane.vars.iter().zip(&sets.vars).all(|(v, set)| within(set, v));
                    let arrays = lane.arrays.iter().flatten().zip(sets.arrays.iter().flatten());
                    lane.stop == sets.stop && vars && sets.killed.contains(lane.killed) && { arrays }
                        .all(|(v, set)| set.range.contains(*v))
                })
            };
            assert!(all.iter().any(is_of), "seed {seed}, lanes from {base}: {lanes:?}\n{program:#?}");
            values += lanes.iter().filter(|l| l.stop == Some(Stop::Finished)).count() * program.vars.len();
        }
    }
    println!("{followed} programs followed, {forked} of them on several paths, {values} values");
    assert!(followed * 2 > PROGRAMS && forked >= 20 && values > 0, "{followed} {forked} {values}");
}

fn apply(d: &Ranges, op: Op, args: &[Ranged]) -> FloatRange {
    let args: Vec<Set> = args.iter().map(|v| Scalar::F(*v)).collect();
    arithmetic(d, op, |k| &args[k]).unwrap().f(d).range
}

#[test]
fn reads_with_known_operands_give_the_value_that_is_there() {
    let d = &Ranges::default();
    let texels = Texels::Pattern { seed: 1 };
    let texture = Texture { size: [4, 4, 1], levels: 2, texels, ..Texture::default() };
    // The elements are 1 and 2.
    let buffer = Buffer { words: vec![0x3f80_0000, 0x4000_0000] };
    let env = Environment { textures: vec![texture], buffers: vec![buffer], ..Environment::default() };
    let (mut host, mut concrete) = (RangeHost::new(&env, 1), ConcreteHost::<false>::new(&env, 0));
    let request = |x: Ranged, lod: Lod<Ranged>| {
        let (dimension, coords) = (Dimension::Two, [x, d.f(0.25), d.f(0.0)]);
        SampleRequest { dimension, state: None, access: Access::PLAIN, coords, lod }
    };
    let (known, unknown) = (d.f(0.75), d.new_value(FloatRange::between(0.0, 1.0)));
    for lod in
        [Lod::Base, Lod::Explicit(known), Lod::Gradient { dx: [known; 3], dy: [known; 3], bias: known }]
    {
        let read = request(known, lod);
        let texel = concrete.sample(&Concrete, 0, &read.try_map(|value| d.known_f(value)).unwrap());
        assert_eq!(host.sample(d, 0, &read).map(|value| value.range), texel.map(FloatRange::of));
        let anything = host.sample(d, 0, &request(unknown, lod)).map(|value| value.range);
        assert_eq!(anything, [FloatRange::ANYTHING; 4]);
    }
    let anything = host.sample(d, 0, &request(known, Lod::Explicit(unknown))).map(|value| value.range);
    assert_eq!(anything, [FloatRange::ANYTHING; 4]);
    let format = FetchFormat::packed(FetchKind::Float32, [32, 0, 0, 0]);
    assert_eq!(host.fetch(d, 0, format, &IntRange::of(1))[0].range, FloatRange::of(2.0));
    assert_eq!(host.fetch(d, 0, format, &IntRange::between(0, 1))[0].range, FloatRange::ANYTHING);
}

/// The smallest normal magnitude of f24.
const F24: f32 = f32::from_bits((127 - 62) << 23);

#[test]
fn ranges_are_tight_enough_for_shaders() {
    let d = &Ranges::default();
    let between = |low: f32, high: f32| d.new_value(FloatRange::between(low, high));
    let is = FloatRange::between;
    let numbers = d.new_value(FloatRange::NUMBERS);
    let anything = d.new_value(FloatRange::ANYTHING);
    let x = between(-8.0, 8.0);
    assert_eq!(apply(d, Op::Add, &[between(1.0, 2.0), between(-0.5, 4.0)]).low(), Some(0.5));
    assert_eq!(apply(d, Op::Sub, &[between(1.0, 2.0), between(3.0, 5.0)]), is(-4.0, -1.0));
    assert_eq!(apply(d, Op::Mul, &[between(-2.0, -1.0), between(3.0, 5.0)]), is(-10.0, -3.0));
    assert_eq!(apply(d, Op::Div, &[d.f(1.0), between(2.0, 4.0)]), is(0.25, 0.5));
    assert_eq!(apply(d, Op::Fma, &[between(1.0, 2.0), between(3.0, 4.0), between(1.0, 1.5)]), is(4.0, 9.5));
    // A square is never negative.
    assert_eq!(apply(d, Op::Mul, &[x, x]), is(0.0, 64.0));
    assert_eq!(apply(d, Op::Fma, &[x, x, d.f(1.0)]), is(1.0, 65.0));
    // Infinities and NaN appear only where they are possible.
    let others = d.new_value(FloatRange::NUMBERS);
    assert!(!apply(d, Op::Mul, &[x, x]).nan && !apply(d, Op::Mul, &[numbers, numbers]).nan);
    assert!(!apply(d, Op::Mul, &[x, between(-8.0, 8.0)]).nan && apply(d, Op::Mul, &[numbers, others]).nan);
    assert!(!apply(d, Op::Div, &[d.f(1.0), between(1.0, f32::INFINITY)]).nan);
    assert!(
        apply(d, Op::Div, &[x, between(-8.0, 8.0)]).nan
            && apply(d, Op::Div, &[d.f(1.0), x]).may_be_infinite()
    );
    // Functions.
    for (op, from, to) in [
        (FUn::Sqrt, (4.0, 16.0), (2.0, 4.0)),
        (FUn::Exp2, (-1.0, 1.0), (0.5, 2.0)),
        (FUn::Log2, (0.5, 8.0), (-1.0, 3.0)),
        (FUn::Cos, (-1.0, 0.5), (1.0f32.cos(), 1.0)),
        (FUn::Floor, (-1.5, 2.5), (-2.0, 2.0)),
        (FUn::Sin, (-1e9, 1e9), (-1.0, 1.0)),
    ] {
        let range = apply(d, Op::Un(op), &[between(from.0, from.1)]);
        assert_eq!((range.low(), range.high(), range.nan), (Some(to.0), Some(to.1), false), "{op:?}");
    }
    let fraction = d.sub(&x, &d.un(FUn::Floor, &x)).range;
    assert_eq!((fraction.low(), fraction.high(), fraction.nan), (Some(0.0), Some(1.0), false));
    // Comparisons narrow the values that they select.
    let saturated = d.sel(&d.lt(&anything, &d.f(0.0)), &d.f(0.0), &anything);
    let saturated = apply(d, Op::Min, &[saturated, d.f(1.0)]);
    assert_eq!((saturated.low(), saturated.high()), (Some(0.0), Some(1.0)));
    let known = d.sel(&d.is_nan(&anything), &d.f(0.0), &anything);
    assert!(!known.range.nan);
    // A flushed value is not subnormal, and flushing changes nothing in a set without subnormals.
    for (kind, limit) in [(Flush::Subnormal, f32::MIN_POSITIVE), (Flush::F24, F24), (Flush::F24Unsigned, F24)]
    {
        let flushed = apply(d, Op::Flush(kind), &[anything]);
        assert!(anything.range.may_be_below(limit) && !flushed.may_be_below(limit), "{kind:?}");
        assert_eq!(flushed.minus_zero, kind != Flush::F24Unsigned, "{kind:?}");
        let again = apply(d, Op::Flush(kind), &[d.new_value(flushed)]);
        assert_eq!(again, flushed, "{kind:?}");
    }
    // The magnitude of a nonzero integer is at least 1, and that of a nonzero difference at least the unit in the last place of 1.
    let whole = d.un(FUn::Trunc, &between(-100.0, 100.0));
    assert!(whole.range.may_be_below(1.5) && !whole.range.may_be_below(1.0));
    let difference = apply(d, Op::Sub, &[whole, d.un(FUn::Trunc, &x)]);
    assert!(difference.may_be_below(1.0) && !difference.may_be_below(f32::EPSILON));
    // Indices.
    let index = d.trunc_i(&between(0.5, 7.9));
    assert_eq!((index.low, index.high), (0, 7));
    let masked = d.ibin(IBin::And, &IntRange::ANYTHING, &d.i(3));
    assert_eq!((masked.low, masked.high), (0, 3));
    assert_eq!(d.to_f(&masked).range, FloatRange { minus_zero: false, ..is(1.0, 3.0).join(&is(0.0, 0.0)) });
    // Comparisons of disjoint sets.
    let (small, large) = (between(1.0, 2.0), between(3.0, 4.0));
    assert_eq!(d.known_b(&d.lt(&small, &large)), Some(true));
    assert_eq!(d.known_b(&d.eq(&small, &large)), Some(false));
    assert_eq!(d.known_b(&d.le(&large, &small)), Some(false));
    assert_eq!(d.known_b(&d.icmp(ICmp::LtU, &masked, &d.i(-1))), Some(true));
    assert_eq!(apply(d, Op::Add, &[d.bin(FBin::Mul, &x, &x), d.f(1.0)]), is(1.0, 65.0));
}
