//! Tests of the concrete host: reads, recorded effects and restarts.

use lockstep_core::host::*;
use lockstep_core::value::{Concrete, Freedom};

const D: Concrete = Concrete;

fn environment() -> Environment {
    Environment {
        constants: vec![[1.0; 4], [2.0; 4]],
        ints: vec![[1, 2, 3, 4]],
        bools: vec![false, true],
        textures: vec![Texture { texels: Texels::Explicit(vec![[5.0; 4]]), ..Texture::default() }],
        buffers: vec![Buffer { words: vec![7, 8] }],
        fuel: 0,
        effects: 2,
        lanes: (0..6u8).map(|lane| LaneInput { slots: vec![[f32::from(lane); 4]] }).collect(),
    }
}

fn effect(values: [f32; 4], mask: u8) -> Effect<Concrete> {
    Effect { when: true, kind: 1, index: 2, mask, values }
}

#[test]
fn reads_within_bounds_return_what_the_environment_contains() {
    let e = environment();
    let mut host = ConcreteHost::<false>::new(&e, 4);
    assert_eq!(host.input(&D, 1, 0), [5.0; 4]); // lane 4 + 1
    assert_eq!(host.constant(&D, &1), [2.0; 4]);
    assert_eq!(host.int_constant(&D, 0), [1, 2, 3, 4]);
    assert!(host.bool_constant(&D, 1));
    let request = SampleRequest {
        dimension: Dimension::Two,
        state: None,
        access: Access::PLAIN,
        coords: [0.0; 3],
        lod: Lod::Base,
    };
    assert_eq!(host.sample(&D, 0, &request), [5.0; 4]);
    let format = FetchFormat::packed(FetchKind::Uint, [32, 0, 0, 0]);
    assert_eq!(host.fetch(&D, 0, format, &1), [8.0, 0.0, 0.0, 1.0]);
}

#[test]
fn reads_out_of_bounds_return_defaults() {
    let e = environment();
    let mut host = ConcreteHost::<false>::new(&e, 4);
    for (lane, slot) in [(2, 0), (3, 0), (0, 1), (0, u16::MAX), (4, 0), (usize::MAX, 0)] {
        assert_eq!(host.input(&D, lane, slot), [0.0; 4]);
    }
    // A fifth lane is not in the group, even if the environment has one.
    host.restart(0);
    assert_eq!(host.input(&D, 3, 0), [3.0; 4]);
    assert_eq!(host.input(&D, 4, 0), [0.0; 4]);
    host.restart(usize::MAX);
    assert_eq!(host.input(&D, 1, 0), [0.0; 4]);
    for slot in [-1, 2, i32::MAX, i32::MIN] {
        assert_eq!(host.constant(&D, &slot), [0.0; 4]);
    }
    assert_eq!(host.int_constant(&D, 1), [0; 4]);
    assert!(!host.bool_constant(&D, 2));
    let request = SampleRequest {
        dimension: Dimension::Two,
        state: None,
        access: Access::PLAIN,
        coords: [0.0; 3],
        lod: Lod::Base,
    };
    assert_eq!(host.sample(&D, 1, &request), [0.0, 0.0, 0.0, 1.0]);
    assert_eq!(host.fetch(&D, 1, FetchFormat::packed(FetchKind::Uint, [8; 4]), &0), [0.0; 4]);
    assert_eq!(
        host.fetch(&D, 1, FetchFormat::packed(FetchKind::Uint, [8, 8, 8, 0]), &0),
        [0.0, 0.0, 0.0, 1.0]
    );
}

#[test]
fn effects_are_recorded_in_order_up_to_the_capacity() {
    let e = environment();
    let mut host = ConcreteHost::<false>::new(&e, 0);
    host.effect(&D, 1, effect([1.0, 2.0, 3.0, 4.0], 0b0101));
    host.effect(&D, 1, effect([9.0; 4], 0b1111));
    host.effect(&D, 0, effect([8.0; 4], 0b1111));
    assert!(!host.overflowed(1));
    host.effect(&D, 1, effect([7.0; 4], 0b1111));
    host.effect(&D, 4, effect([7.0; 4], 0b1111));
    assert_eq!(
        host.records(1).iter().map(|r| r.values).collect::<Vec<_>>(),
        [[1.0, 0.0, 3.0, 0.0], [9.0; 4]]
    );
    assert_eq!(host.records(1)[0], EffectRecord { kind: 1, index: 2, mask: 5, values: [1.0, 0.0, 3.0, 0.0] });
    assert_eq!([0, 1, 2, 3, 4].map(|lane| host.records(lane).len()), [1, 2, 0, 0, 0]);
    assert_eq!([0, 1, 2, 3, 4].map(|lane| host.overflowed(lane)), [false, true, false, false, false]);
    host.restart(0);
    assert!(host.records(1).is_empty() && !host.overflowed(1));
}

/// Two records are equal if they agree in kind, index, mask and each component that the mask selects; NaN equals NaN, and +0 differs from -0.
#[test]
fn records_are_compared_in_each_component_of_their_mask() {
    for mask in 0..16 {
        let plain = EffectRecord { kind: 1, index: 2, mask, values: [0.0, 1.0, f32::NAN, 2.0] };
        assert_eq!(plain, plain);
        assert_ne!(plain, EffectRecord { kind: 2, ..plain });
        assert_ne!(plain, EffectRecord { index: 3, ..plain });
        assert_ne!(plain, EffectRecord { mask: mask ^ 4, ..plain });
        for c in 0..4 {
            let mut other = plain;
            other.values[c] = -other.values[c].max(0.0);
            assert_eq!(plain == other, mask >> c & 1 == 0, "component {c} of mask {mask:#06b}");
        }
    }
}

#[test]
fn without_capacity_no_effect_is_recorded() {
    let e = Environment::default();
    let mut host = ConcreteHost::<false>::new(&e, 0);
    host.effect(&D, 0, effect([1.0; 4], 15));
    assert!(host.overflowed(0) && host.into_records()[0].is_empty());
}

#[test]
fn freedoms_are_recorded_only_when_tracked() {
    let e = Environment::default();
    let mut host = ConcreteHost::<true>::new(&e, 0);
    Host::<Concrete>::record(&mut host, Freedom::RsqOfZero, &false);
    assert!(host.freedoms().is_empty());
    Host::<Concrete>::record(&mut host, Freedom::RsqOfZero, &true);
    assert!(host.freedoms().contains(Freedom::RsqOfZero));
    let mut host = ConcreteHost::<false>::new(&e, 0);
    Host::<Concrete>::record(&mut host, Freedom::RsqOfZero, &true);
    assert!(host.freedoms().is_empty());
}
