//! Generation of the environments in which programs run.
//!
//! Most lanes hold ordinary numbers, so that results differ. In about a third of the environments one or two lanes hold many special values, and in a
//! few environments all lanes do.

use super::value::{Extremes, value, vector, word};
use super::{BufferNeed, Entropy, LANES, Needs};
use lockstep_core::host::{
    Buffer, Dimension, Environment, Filter, LaneInput, MipFilter, SamplerState, Texels, Texture, Wrap,
};
use lockstep_core::isa::Interface;
use lockstep_core::value::{Concrete, Domain, FUn, Narrow};

/// The fuel of a generated environment, in backward transfers and calls per lane. It suffices for nested loops and is soon used up by endless ones.
const FUEL: u32 = 256;
/// The number of effects that each lane of a generated environment can record.
const MAX_EFFECTS: u32 = 64;
/// The maximum number of constants of a file, of inputs of a lane and of texture units, even if the interface has more.
const MAX_COUNT: usize = 1024;

/// The maximum number of words of a buffer that [`vary`] changes.
const VARIED_WORDS: usize = 16;

/// The number of elements of each kind of numbered resource in an environment.
#[derive(Clone, Copy)]
struct Counts {
    /// The number of inputs of a lane.
    slots: usize,
    /// The number of texture units.
    units: usize,
    /// The number of float constants.
    constants: usize,
    /// The number of integer constants.
    ints: usize,
    /// The number of Boolean constants.
    bools: usize,
}

impl Counts {
    /// Returns the resources that a program with this interface and these needs may read, except its buffers.
    fn of(interface: &Interface, needs: &Needs) -> Counts {
        let slots = interface.inputs.iter().map(|port| usize::from(port.slot) + 1).max().unwrap_or(0);
        let units = needs.textures.iter().map(|(unit, _)| usize::from(*unit) + 1).max().unwrap_or(0);
        Counts {
            slots: slots.min(MAX_COUNT),
            units: units.min(MAX_COUNT),
            constants: usize::from(interface.constants).min(MAX_COUNT),
            ints: usize::from(interface.ints).min(MAX_COUNT),
            bools: usize::from(interface.bools).min(MAX_COUNT),
        }
    }
}

/// Whether a program with this interface and these needs may read a resource that the environment lacks.
pub(super) fn lacks(env: &Environment, interface: &Interface, needs: &Needs) -> bool {
    let counts = Counts::of(interface, needs);
    let is_short = |need: &BufferNeed| {
        let words = need.words.min(BufferNeed::MAX_WORDS) as usize;
        let number = usize::from(need.number);
        number < BufferNeed::MAX_BUFFERS
            && env.buffers.get(number).is_none_or(|buffer| buffer.words.len() < words)
    };
    env.textures.len() < counts.units
        || env.constants.len() < counts.constants
        || env.ints.len() < counts.ints
        || env.bools.len() < counts.bools
        || env.lanes.iter().any(|lane| lane.slots.len() < counts.slots)
        || needs.buffers.iter().any(is_short)
}

/// Generates an environment for a program with this interface and these needs.
pub fn environment(e: &mut Entropy<'_>, interface: &Interface, needs: &Needs) -> Environment {
    let Counts { slots, units, constants, ints, bools } = Counts::of(interface, needs);
    let [hot, warm] = choose_special_lanes(e);
    let everywhere = if hot { Extremes::Full } else { Extremes::None };
    let special = [e.below(LANES), e.below(LANES)];
    let lanes = (0..LANES).map(|lane| {
        let extremes = if warm && special.contains(&lane) { Extremes::Full } else { everywhere };
        LaneInput { slots: (0..slots).map(|_| representable_vector(e, needs.narrow, extremes)).collect() }
    });
    let lanes = lanes.collect();
    let textures = (0..units).map(|unit| {
        let wanted = needs.textures.iter().find(|(u, _)| usize::from(*u) == unit).map(|(_, d)| *d);
        texture(e, wanted, everywhere)
    });
    let textures = textures.collect();
    // All lanes share a buffer, but most lanes read a part of their own, so a few unusual words affect few lanes.
    let buffer_extremes = if hot || warm { Extremes::Full } else { Extremes::None };
    Environment {
        textures,
        constants: (0..constants)
            .map(|_| {
                // All lanes share a constant, so a special value affects every lane.
                let extremes = if e.chance(20) { everywhere } else { Extremes::None };
                representable_vector(e, needs.narrow, extremes)
            })
            .collect(),
        ints: (0..ints).map(|_| if needs.bytes { bytes(e) } else { integers(e) }).collect(),
        bools: (0..bools).map(|_| e.chance(50)).collect(),
        buffers: buffers(e, &needs.buffers, buffer_extremes),
        fuel: FUEL,
        effects: MAX_EFFECTS,
        lanes,
    }
}

/// Changes the inputs of every lane, some words of each buffer, and sometimes constants, for another run of a program with this interface and these
/// needs. The number of elements of each resource stays the same.
pub fn vary(e: &mut Entropy<'_>, interface: &Interface, needs: &Needs, env: &mut Environment) {
    let [hot, warm] = choose_special_lanes(e);
    let everywhere = if hot { Extremes::Full } else { Extremes::None };
    let special = [e.below(LANES), e.below(LANES)];
    for (lane, input) in env.lanes.iter_mut().enumerate() {
        let extremes = if warm && special.contains(&lane) { Extremes::Full } else { everywhere };
        for port in &interface.inputs {
            if let Some(slot) = input.slots.get_mut(usize::from(port.slot)) {
                *slot = representable_vector(e, needs.narrow, extremes);
            }
        }
    }
    for need in &needs.buffers {
        let Some(buffer) = env.buffers.get_mut(usize::from(need.number)) else { continue };
        for _ in 0..buffer.words.len().min(VARIED_WORDS) {
            let at = e.below(buffer.words.len());
            buffer.words[at] = word(e, need.kind, everywhere);
        }
    }
    if e.chance(50) {
        let at = e.below(env.constants.len());
        if let Some(constant) = env.constants.get_mut(at) {
            *constant = representable_vector(e, needs.narrow, everywhere);
        }
    }
    if e.chance(25) {
        let at = e.below(env.ints.len());
        if let Some(ints) = env.ints.get_mut(at) {
            *ints = if needs.bytes { bytes(e) } else { integers(e) };
        }
    }
    if e.chance(25) {
        let at = e.below(env.bools.len());
        if let Some(bool) = env.bools.get_mut(at) {
            *bool = !*bool;
        }
    }
}

/// Returns whether all lanes may have special values, and whether one or two lanes may.
fn choose_special_lanes(e: &mut Entropy<'_>) -> [bool; 2] {
    match e.weighted(&[66, 30, 4]) {
        0 => [false, false],
        1 => [false, true],
        _ => [true, true],
    }
}

/// Returns the buffers by number, up to the last one needed; unused ones in between are empty.
fn buffers(e: &mut Entropy<'_>, needs: &[BufferNeed], extremes: Extremes) -> Vec<Buffer> {
    let last = needs.iter().map(|need| usize::from(need.number) + 1).max().unwrap_or(0);
    let buffer = |number: usize| {
        let mut same = needs.iter().filter(|need| usize::from(need.number) == number);
        let Some(first) = same.next() else { return Buffer::default() };
        let words = same.map(|need| need.words).fold(first.words, u32::max).min(BufferNeed::MAX_WORDS);
        // Some buffers are up to a quarter too short, so that some reads are beyond their end and return zero.
        let short = if e.chance(10) { e.below(words as usize / 4 + 1) as u32 } else { 0 };
        Buffer { words: (short..words).map(|_| word(e, first.kind, extremes)).collect() }
    };
    (0..last.min(BufferNeed::MAX_BUFFERS)).map(buffer).collect()
}

/// Returns a vector. If registers have a narrow format, the vector is usually representable in this format.
pub(super) fn representable_vector(
    e: &mut Entropy<'_>,
    narrow: Option<Narrow>,
    extremes: Extremes,
) -> [f32; 4] {
    let any = vector(e, extremes);
    match narrow {
        Some(narrow) if !e.chance(15) => any.map(|v| Concrete.un(FUn::Narrow(narrow), &v)),
        _ => any,
    }
}

/// Returns four bytes, usually a small loop count, a start and a step. Sometimes a component exceeds a byte.
fn bytes(e: &mut Entropy<'_>) -> [i32; 4] {
    let most = [4, 40, 8, 255];
    let ordinary = most.map(|most| e.between(0, most) as i32);
    match e.weighted(&[94, 4, 2]) {
        0 => ordinary,
        1 => ordinary.map(|_| e.between(0, 255) as i32),
        _ => ordinary.map(|v| v | (e.bits() as i32) << 8),
    }
}

/// Returns four integers, usually loop counts, starts and steps.
fn integers(e: &mut Entropy<'_>) -> [i32; 4] {
    std::array::from_fn(|_| match e.weighted(&[80, 15, 5]) {
        0 => e.between(0, 6) as i32 - 1,
        1 => e.between(0, 255) as i32,
        _ => e.bits() as i32,
    })
}

/// Returns a texture, with the requested dimension nine times out of ten.
fn texture(e: &mut Entropy<'_>, wanted: Option<Dimension>, extremes: Extremes) -> Texture {
    const ALL: [Dimension; 4] = [Dimension::Two, Dimension::Cube, Dimension::Three, Dimension::One];
    let dimension = match wanted {
        Some(dimension) if !e.chance(10) => dimension,
        _ => ALL[e.below(ALL.len())],
    };
    let texels = match e.weighted(&[60, 25, 15]) {
        0 => Texels::Pattern { seed: e.bits() as u32 },
        1 => Texels::Ramp { base: vector(e, extremes), slope: value(e, extremes) },
        _ => Texels::Explicit((0..e.between(4, 32)).map(|_| vector(e, extremes)).collect()),
    };
    let size = match texels {
        // The size is close to the number of explicit texels.
        Texels::Explicit(_) => [4, 4, 2],
        _ => std::array::from_fn(|_| [64, 16, 33, 7, 1, 256][e.weighted(&[40, 25, 15, 10, 5, 5])]),
    };
    Texture { dimension, size, levels: e.between(1, 6) as u8, state: state(e), texels }
}

fn state(e: &mut Entropy<'_>) -> SamplerState {
    let filter = |e: &mut Entropy<'_>| if e.chance(50) { Filter::Linear } else { Filter::Nearest };
    let wrap = |e: &mut Entropy<'_>| [Wrap::Repeat, Wrap::Clamp][e.below(2)];
    SamplerState {
        min: filter(e),
        mag: filter(e),
        mip: [MipFilter::Linear, MipFilter::Nearest, MipFilter::None][e.below(3)],
        wrap: [wrap(e), wrap(e), wrap(e)],
        max_anisotropy: [1, 1, 2, 4, 16][e.below(5)],
        ..SamplerState::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_core::host::{FetchFormat, FetchKind, fetch};
    use lockstep_core::isa::Port;

    fn made(seed: u64, buffers: Vec<BufferNeed>) -> Vec<Buffer> {
        let needs = Needs { buffers, ..Needs::default() };
        environment(&mut Entropy::seeded(seed), &Interface::default(), &needs).buffers
    }

    #[test]
    fn needed_buffers_exist_and_are_bounded() {
        let need = |number, words| BufferNeed { number, words, kind: FetchKind::Float32 };
        for seed in 0..50 {
            let buffers = made(seed, vec![need(2, 40), need(0, u32::MAX), need(2, 80), need(255, 8)]);
            assert_eq!(buffers.len(), BufferNeed::MAX_BUFFERS);
            assert!((768..=1024).contains(&buffers[0].words.len()));
            assert!((60..=80).contains(&buffers[2].words.len()));
            assert!(buffers[1].words.is_empty());
        }
        assert!(made(1, Vec::new()).is_empty());
    }

    #[test]
    fn every_kind_of_vertex_fetch_reads_mostly_ordinary_numbers_and_some_boundaries() {
        for kind in FetchKind::ALL {
            let need = BufferNeed { number: 0, words: 64, kind };
            let (mut ordinary, mut all) = (0, 0);
            let mut seen = std::collections::BTreeSet::new();
            for seed in 0..40 {
                let buffer = &made(seed, vec![need])[0];
                seen.extend(buffer.words.iter().copied());
                let bits = if kind == FetchKind::Float32 || kind == FetchKind::Fixed1616 { 32 } else { 16 };
                let format = FetchFormat::packed(kind, [bits, 0, 0, 0]);
                for index in 0..buffer.words.len() as i32 {
                    let value = fetch(buffer, format, index)[0];
                    ordinary += u32::from(value.is_finite() && value.abs() <= 64.0);
                    all += 1;
                }
            }
            assert!(ordinary * 100 >= all * 80, "{kind:?}: {ordinary} of {all}");
            assert!(
                ordinary < all
                    || matches!(kind, FetchKind::Unorm | FetchKind::Snorm | FetchKind::SnormNoZero)
            );
            for boundary in [0, u32::MAX, 0x8000_0000, 0x7fff_ffff] {
                assert!(seen.contains(&boundary), "{kind:?}: {boundary:#x}");
            }
        }
    }

    #[test]
    fn an_environment_reports_every_shortage() {
        let need = BufferNeed { number: 1, words: 40, kind: FetchKind::Float32 };
        let needs = Needs { textures: vec![(2, Dimension::Two)], buffers: vec![need], ..Needs::default() };
        let port = Port { slot: 3, mask: 15 };
        let interface =
            Interface { inputs: vec![port], constants: 5, ints: 2, bools: 3, ..Interface::default() };
        let whole = |seed| environment(&mut Entropy::seeded(seed), &interface, &needs);
        // Searches for an environment with a buffer of full size.
        let whole = (0..99).map(whole).find(|env| env.buffers[1].words.len() == 40).unwrap();
        assert!(!lacks(&whole, &interface, &needs));
        let shorten: [fn(&mut Environment); 6] = [
            |env| _ = env.lanes[5].slots.pop(),
            |env| _ = env.textures.pop(),
            |env| _ = env.constants.pop(),
            |env| _ = env.ints.pop(),
            |env| _ = env.bools.pop(),
            |env| _ = env.buffers[1].words.pop(),
        ];
        for (k, shorten) in shorten.iter().enumerate() {
            let mut short = whole.clone();
            shorten(&mut short);
            assert!(lacks(&short, &interface, &needs), "part {k}");
        }
    }

    /// Whether a number is outside the range of ordinary lanes.
    fn is_special(v: f32) -> bool {
        !v.is_finite() || v.abs() > super::super::value::ORDINARY
    }

    fn special_lanes(env: &Environment) -> Vec<usize> {
        let special = |lane: &LaneInput| lane.slots.iter().flatten().any(|v| is_special(*v));
        env.lanes.iter().enumerate().filter(|(_, lane)| special(lane)).map(|(n, _)| n).collect()
    }

    /// A property of environments, with the minimum and the maximum percentage of environments that have it.
    type Statement = (String, [f64; 2], Box<dyn Fn(&Environment) -> bool>);

    fn statements() -> Vec<Statement> {
        let mut all: Vec<Statement> = Vec::new();
        let mut say = |what: &str, share: [f64; 2], holds: Box<dyn Fn(&Environment) -> bool>| {
            all.push((what.to_owned(), share, holds));
        };
        say("there are two quads", [100.0, 100.0], Box::new(|e| e.lanes.len() == LANES));
        say("every lane is ordinary", [60.0, 72.0], Box::new(|e| special_lanes(e).is_empty()));
        say(
            "one or two lanes are special",
            [25.0, 34.0],
            Box::new(|e| (1..=2).contains(&special_lanes(e).len())),
        );
        say("nearly all lanes are special", [2.0, 6.0], Box::new(|e| special_lanes(e).len() >= 6));
        say(
            "three to five lanes are special",
            [0.0, 0.1],
            Box::new(|e| (3..=5).contains(&special_lanes(e).len())),
        );
        for lane in 0..LANES {
            // If one or two lanes are special, the lane is one of them with probability 1 - (7/8)^2; if all are, it always is.
            say(
                &format!("lane {lane} is special"),
                [8.0, 14.0],
                Box::new(move |e| special_lanes(e).contains(&lane)),
            );
        }
        let has = |kind: fn(f32) -> bool| -> Box<dyn Fn(&Environment) -> bool> {
            Box::new(move |e| e.lanes.iter().flat_map(|lane| &lane.slots).flatten().any(|v| kind(*v)))
        };
        say("a lane has NaN", [4.0, 30.0], has(f32::is_nan));
        say("a lane has infinity", [4.0, 30.0], has(|v| v == f32::INFINITY));
        say("a lane has -infinity", [4.0, 30.0], has(|v| v == f32::NEG_INFINITY));
        say("a lane has the largest number", [4.0, 30.0], has(|v| v == f32::MAX));
        say("a lane has -0", [20.0, 60.0], has(|v| v == 0.0 && v.is_sign_negative()));
        say("a lane has a subnormal", [30.0, 90.0], has(f32::is_subnormal));
        say("a lane has 1", [20.0, 100.0], has(|v| v == 1.0));
        say(
            "a constant is special",
            [1.0, 5.0],
            Box::new(|e| e.constants.iter().flatten().any(|v| is_special(*v))),
        );
        say("the first Boolean is true", [47.0, 53.0], Box::new(|e| e.bools[0]));
        for count in -1..=5 {
            let share = [8.0, 16.0];
            say(&format!("the first count is {count}"), share, Box::new(move |e| e.ints[0][0] == count));
        }
        say("a count is above 255", [10.0, 40.0], Box::new(|e| e.ints.iter().flatten().any(|v| *v > 255)));
        say("a count is far below 0", [10.0, 40.0], Box::new(|e| e.ints.iter().flatten().any(|v| *v < -255)));
        let texture = |what: fn(&Texture) -> bool| -> Box<dyn Fn(&Environment) -> bool> {
            Box::new(move |e| what(&e.textures[1]))
        };
        say("a cube is wanted and generated", [88.0, 96.0], texture(|t| t.dimension == Dimension::Cube));
        say(
            "a cube is wanted, a 2D texture generated",
            [1.0, 4.0],
            texture(|t| t.dimension == Dimension::Two),
        );
        say(
            "a cube is wanted, a 3D texture generated",
            [1.0, 4.0],
            texture(|t| t.dimension == Dimension::Three),
        );
        say(
            "a cube is wanted, a 1D texture generated",
            [1.0, 4.0],
            texture(|t| t.dimension == Dimension::One),
        );
        say("texels are a pattern", [55.0, 65.0], texture(|t| matches!(t.texels, Texels::Pattern { .. })));
        say("texels are a ramp", [21.0, 29.0], texture(|t| matches!(t.texels, Texels::Ramp { .. })));
        say("texels are given", [11.0, 19.0], texture(|t| matches!(t.texels, Texels::Explicit(_))));
        say("the magnification filter is linear", [46.0, 54.0], texture(|t| t.state.mag == Filter::Linear));
        say("the minification filter is linear", [46.0, 54.0], texture(|t| t.state.min == Filter::Linear));
        say("the mip filter is linear", [29.0, 38.0], texture(|t| t.state.mip == MipFilter::Linear));
        say("the mip filter is nearest", [29.0, 38.0], texture(|t| t.state.mip == MipFilter::Nearest));
        say("the mip filter is none", [29.0, 38.0], texture(|t| t.state.mip == MipFilter::None));
        say("x wraps round", [46.0, 54.0], texture(|t| t.state.wrap[0] == Wrap::Repeat));
        say("y wraps round", [46.0, 54.0], texture(|t| t.state.wrap[1] == Wrap::Repeat));
        say("z wraps round", [46.0, 54.0], texture(|t| t.state.wrap[2] == Wrap::Repeat));
        say("the anisotropy is 1", [36.0, 44.0], texture(|t| t.state.max_anisotropy == 1));
        say("the anisotropy is 16", [16.0, 24.0], texture(|t| t.state.max_anisotropy == 16));
        for levels in 1..=6 {
            let is = move |e: &Environment| e.textures[1].levels == levels;
            say(&format!("there are {levels} levels"), [13.0, 20.0], Box::new(is));
        }
        say("unit 0, which is not read, has a texture", [100.0, 100.0], Box::new(|e| e.textures.len() == 2));
        say(
            "fuel and effect capacity are constant",
            [100.0, 100.0],
            Box::new(|e| (e.fuel, e.effects) == (FUEL, MAX_EFFECTS)),
        );
        all
    }

    #[test]
    fn environments_have_their_stated_properties() {
        const ENVIRONMENTS: u64 = 4000;
        let port = |slot| lockstep_core::isa::Port { slot, mask: 0xf };
        let interface = Interface {
            inputs: vec![port(0), port(2)],
            constants: 5,
            ints: 3,
            bools: 2,
            ..Interface::default()
        };
        let needs = Needs { textures: vec![(1, Dimension::Cube)], ..Needs::default() };
        let made: Vec<Environment> = (0..ENVIRONMENTS)
            .map(|seed| environment(&mut Entropy::seeded(seed), &interface, &needs))
            .collect();
        let statements = statements();
        let off: Vec<String> = statements
            .iter()
            .filter_map(|(what, [least, most], holds)| {
                let share = 100.0 * made.iter().filter(|env| holds(env)).count() as f64 / ENVIRONMENTS as f64;
                (!(*least..=*most).contains(&share))
                    .then(|| format!("{what}: {share:.1} %, not {least} to {most}"))
            })
            .collect();
        assert!(off.is_empty(), "{off:#?}");
        assert!(statements.len() > 50);
    }

    #[test]
    fn narrow_registers_are_mostly_given_representable_values() {
        let interface = Interface { constants: 50, ..Interface::default() };
        let (mut held, mut all) = (0, 0);
        for narrow in Narrow::ALL {
            let needs = Needs { narrow: Some(narrow), ..Needs::default() };
            for seed in 0..40 {
                let env = environment(&mut Entropy::seeded(seed), &interface, &needs);
                for v in env.constants.iter().flatten() {
                    held += u32::from(Concrete.un(FUn::Narrow(narrow), v).to_bits() == v.to_bits());
                    all += 1;
                }
            }
        }
        // 85 in 100 vectors are made representable; components of others may be representable by chance.
        let share = f64::from(held) / f64::from(all);
        assert!((0.84..0.96).contains(&share), "{share}");
    }

    #[test]
    fn bytes_are_counts_starts_and_steps() {
        let interface = Interface { ints: 100, ..Interface::default() };
        let needs = Needs { bytes: true, ..Needs::default() };
        let made: Vec<[i32; 4]> = (0..60)
            .flat_map(|seed| environment(&mut Entropy::seeded(seed), &interface, &needs).ints)
            .collect();
        let share = |holds: &dyn Fn(&[i32; 4]) -> bool| {
            made.iter().filter(|v| holds(v)).count() as f64 / made.len() as f64
        };
        // All ordinary vectors, plus some of the 4 in 100 that may hold any byte.
        let ordinary = |v: &[i32; 4]| v.iter().zip([4, 40, 8, 255]).all(|(v, most)| (0..=most).contains(v));
        assert!((0.92..0.96).contains(&share(&ordinary)), "{}", share(&ordinary));
        assert!((0.01..0.03).contains(&share(&|v| v.iter().any(|v| !(0..=255).contains(v)))));
        for (component, most) in [(0, 4), (1, 40), (2, 8), (3, 255)] {
            for end in [0, most] {
                assert!(share(&|v| v[component] == end) > 0.001, "{end} in component {component}");
            }
        }
    }

    #[test]
    fn every_kind_of_value_varies_between_runs_and_none_in_number() {
        let need = BufferNeed { number: 0, words: 40, kind: FetchKind::Float32 };
        let needs = Needs { buffers: vec![need], ..Needs::default() };
        let inputs = vec![Port { slot: 0, mask: 15 }];
        let interface = Interface { inputs, constants: 5, ints: 2, bools: 3, ..Interface::default() };
        let first = environment(&mut Entropy::seeded(1), &interface, &needs);
        let mut env = first.clone();
        for seed in 0..200 {
            vary(&mut Entropy::seeded(seed), &interface, &needs, &mut env);
        }
        let counts = |env: &Environment| {
            let slots: Vec<usize> = env.lanes.iter().map(|lane| lane.slots.len()).collect();
            (slots, env.constants.len(), env.ints.len(), env.bools.len(), env.buffers[0].words.len())
        };
        assert_eq!(counts(&env), counts(&first));
        // After 200 calls of `vary`, each value has changed; a Boolean constant may have changed back.
        let bits = |v: &[f32; 4]| v.map(f32::to_bits);
        assert!(env.lanes.iter().zip(&first.lanes).all(|(a, b)| bits(&a.slots[0]) != bits(&b.slots[0])));
        assert!(env.constants.iter().zip(&first.constants).all(|(a, b)| bits(a) != bits(b)));
        assert!(env.ints.iter().zip(&first.ints).all(|(a, b)| a != b));
        let other = env.buffers[0].words.iter().zip(&first.buffers[0].words).filter(|(a, b)| a != b).count();
        assert!(other * 10 >= first.buffers[0].words.len() * 8, "{other} words");
        let mut flipped = [false; 3];
        let mut env = first.clone();
        for seed in 0..200 {
            vary(&mut Entropy::seeded(seed), &interface, &needs, &mut env);
            flipped
                .iter_mut()
                .enumerate()
                .for_each(|(at, flipped)| *flipped |= env.bools[at] != first.bools[at]);
        }
        assert_eq!(flipped, [true; 3]);
    }
}
