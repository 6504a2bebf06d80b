//! Tests of the unknowns that represent external reads of a shader, in both provers: reads that differ in any part must be different unknowns. If the
//! name of an unknown omitted a part of the read, a lowering that reads wrongly in this part would be proved, and evaluation on numbers would not
//! refute it either.

use lockstep_core::host::{
    Access, Dimension, FetchFormat, FetchKind, Filter, Host, Lod, MipFilter, SampleRequest, SampleResult,
    SamplerState, Wrap,
};
use lockstep_core::value::Domain;
use lockstep_prove::host::SymbolicHost;
use lockstep_prove::term::Terms;
use std::collections::BTreeMap;
use std::fmt::Debug;

/// Sampler states that differ from the default in one field each.
fn states() -> Vec<SamplerState> {
    let plain = SamplerState::default();
    // Destructured completely, so that a new field does not compile until it is changed here.
    let SamplerState { min: _, mag: _, mip: _, wrap: _, border: _, lod_bias: _, max_anisotropy: _ } = plain;
    let mut all = vec![
        SamplerState { min: Filter::Linear, ..plain },
        SamplerState { mag: Filter::Linear, ..plain },
        SamplerState { mip: MipFilter::Linear, ..plain },
        SamplerState { lod_bias: 1.0, ..plain },
        SamplerState { max_anisotropy: 2, ..plain },
    ];
    for axis in 0..3 {
        let mut wrap = plain.wrap;
        wrap[axis] = Wrap::Mirror;
        all.push(SamplerState { wrap, ..plain });
    }
    for component in 0..4 {
        let mut border = plain.border;
        border[component] = 1.0;
        all.push(SamplerState { border, ..plain });
    }
    all
}

/// Accesses that differ from the plain one in one field each.
fn accesses() -> Vec<Access> {
    let plain = Access::PLAIN;
    let Access {
        result: _,
        texels: _,
        half_texels: _,
        faces_from_one: _,
        min: _,
        mag: _,
        mip: _,
        volume_min: _,
        volume_mag: _,
        direction_gradients: _,
    } = plain;
    let mut all = vec![
        Access { result: SampleResult::Weights, ..plain },
        Access { texels: true, ..plain },
        Access { faces_from_one: true, ..plain },
        Access { min: Some(Filter::Linear), ..plain },
        Access { mag: Some(Filter::Linear), ..plain },
        Access { mip: Some(MipFilter::Linear), ..plain },
        Access { volume_min: Some(Filter::Linear), ..plain },
        Access { volume_mag: Some(Filter::Linear), ..plain },
        Access { direction_gradients: true, ..plain },
    ];
    for axis in 0..3 {
        let mut half_texels = [0; 3];
        half_texels[axis] = 1;
        all.push(Access { half_texels, ..plain });
    }
    all
}

/// Formats that differ from a plain one in one field each, and the plain one.
fn formats() -> Vec<FetchFormat> {
    let plain = FetchFormat { kind: FetchKind::Unorm, bits: [8; 4], ..FetchFormat::default() };
    let FetchFormat { kind: _, bits: _, stride: _, offset: _, exponent: _, missing_w_one: _ } = plain;
    let mut all = vec![
        plain,
        FetchFormat { kind: FetchKind::Snorm, ..plain },
        FetchFormat { stride: 4, ..plain },
        FetchFormat { offset: 4, ..plain },
        FetchFormat { exponent: 1, ..plain },
        FetchFormat { missing_w_one: !plain.missing_w_one, ..plain },
    ];
    for component in 0..4 {
        let mut bits = plain.bits;
        bits[component] = 16;
        all.push(FetchFormat { bits, ..plain });
    }
    all
}

/// Requests that differ from a plain one in one part each, and the plain one.
fn requests<T: Clone>(number: &dyn Fn(usize) -> T) -> Vec<SampleRequest<T>> {
    let numbers = |first: usize| -> [T; 3] { std::array::from_fn(|k| number(first + k)) };
    let gradient = || Lod::Gradient { dx: numbers(3), dy: numbers(6), bias: number(9) };
    let plain = SampleRequest {
        dimension: Dimension::Two,
        state: Some(SamplerState::default()),
        access: Access::PLAIN,
        coords: numbers(0),
        lod: gradient(),
    };
    let SampleRequest { dimension: _, state: _, access: _, coords: _, lod: _ } = &plain;
    let with = |change: &dyn Fn(&mut SampleRequest<T>)| {
        let mut request = plain.clone();
        change(&mut request);
        request
    };
    let mut all = vec![
        plain.clone(),
        with(&|r| r.dimension = Dimension::Cube),
        with(&|r| r.state = None),
        with(&|r| r.lod = Lod::Base),
        with(&|r| r.lod = Lod::Explicit(number(9))),
        with(&|r| r.lod = Lod::Explicit(number(10))),
    ];
    all.extend(states().into_iter().map(|state| with(&|r| r.state = Some(state))));
    all.extend(accesses().into_iter().map(|access| with(&|r| r.access = access)));
    for at in 0..3 {
        all.push(with(&|r| r.coords[at] = number(10)));
        for second in [false, true] {
            all.push(with(&|r| {
                if let Lod::Gradient { dx, dy, .. } = &mut r.lod {
                    (if second { dy } else { dx })[at] = number(10);
                }
            }));
        }
    }
    all.push(with(&|r| {
        if let Lod::Gradient { bias, .. } = &mut r.lod {
            *bias = number(10);
        }
    }));
    all
}

/// Reads everything that a host provides. Returns a description of each component read, with the component's value.
fn reads<D, H>(
    d: &D,
    host: &mut H,
    number: &dyn Fn(usize) -> D::F,
    index: &[D::I; 2],
) -> Vec<(String, String)>
where
    D: Domain,
    H: Host<D>,
{
    let mut all = Vec::new();
    let mut note = |what: String, values: &[&dyn Debug]| {
        for (c, value) in values.iter().enumerate() {
            all.push((format!("{what}, component {c}"), format!("{value:?}")));
        }
    };
    for (at, request) in requests(number).iter().enumerate() {
        for unit in 0..2 {
            let [x, y, z, w] = host.sample(d, unit, request);
            note(format!("texture {unit}, request {at}"), &[&x, &y, &z, &w]);
        }
    }
    for (at, format) in formats().into_iter().enumerate() {
        for (buffer, index) in [(0, &index[0]), (1, &index[0]), (0, &index[1])] {
            let [x, y, z, w] = host.fetch(d, buffer, format, index);
            note(format!("buffer {buffer}, format {at}, {index:?}"), &[&x, &y, &z, &w]);
        }
    }
    for (lane, slot) in [(0, 0), (0, 1), (1, 0), (1, 11), (11, 1)] {
        let [x, y, z, w] = host.input(d, lane, slot);
        note(format!("input {slot} of lane {lane}"), &[&x, &y, &z, &w]);
    }
    for slot in index {
        let [x, y, z, w] = host.constant(d, slot);
        note(format!("constant {slot:?}"), &[&x, &y, &z, &w]);
    }
    for slot in [0, 1, 11] {
        let [x, y, z, w] = host.int_constant(d, slot);
        note(format!("integer constant {slot}"), &[&x, &y, &z, &w]);
        note(format!("Boolean constant {slot}"), &[&host.bool_constant(d, slot)]);
    }
    all
}

fn assert_distinct(reads: Vec<(String, String)>) {
    assert!(reads.len() > 400, "{}", reads.len());
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    for (what, term) in reads {
        if let Some(other) = seen.insert(term, what.clone()) {
            panic!("{what} is the same unknown as {other}");
        }
    }
}

fn main_prover_reads() -> Vec<(String, String)> {
    let d = Terms::default();
    let numbers: Vec<_> = (0..11).map(|k| d.unknown_f(&format!("number {k}"))).collect();
    let index = [d.unknown_i("index"), d.unknown_i("another")];
    reads(&d, &mut SymbolicHost::default(), &|k| numbers[k], &index)
}

#[cfg(feature = "solver")]
fn independent_prover_reads() -> Vec<(String, String)> {
    use lockstep_core::ir::Ty;
    use lockstep_prove::independent::logic::Logic;
    use lockstep_prove::independent::outside::{RecordingHost, Source, Terms};
    let (d, source) = (Logic::default(), Terms::default());
    let numbers: Vec<_> = (0..11).map(|k| source.value(&d, Ty::F32, &format!("number{k}")).f(&d)).collect();
    let index = ["index", "another"].map(|name| source.value(&d, Ty::I32, name).i(&d));
    reads(&d, &mut RecordingHost::new(&source), &|k| numbers[k].clone(), &index)
}

#[test]
fn reads_that_differ_in_any_argument_are_distinct_unknowns_in_both_provers() {
    assert_distinct(main_prover_reads());
    #[cfg(feature = "solver")]
    assert_distinct(independent_prover_reads());
}
