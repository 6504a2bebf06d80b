//! Generation of FETCH slots: vertex fetches and texture fetches.

use super::alu;
use super::body::{Body, Item, bits};
use super::flow;
use super::range::{PreferredRange, Range};
use super::weights::{choose, choose_of, flag};
use crate::generate::Entropy;
use lockstep_core::isa::Stage;
use lockstep_core::isa::a2xx::opcode::{FETCH_TABLE, FetchOp, ScalarOp, VectorOp};
use lockstep_core::isa::a2xx::program::{
    Alu, COORDINATE_SWIZZLE, KEEP, ONE, R0, RESULT_SWIZZLE, Slot, Source, Texture, Vertex, ZERO, swizzle,
};
use lockstep_core::isa::a2xx::word::{Anisotropy, Dimension, Filter, Kernel, Location};

/// Vertex formats: number, bytes of an element, and roughly the greatest value of a component as an integer (0 for floats). The last
/// row stands for all formats of [`OTHERS`].
const FORMATS: [(u8, u8, f32); 20] = [
    (2, 1, 255.0),
    (6, 4, 255.0),
    (7, 4, 1023.0),
    (10, 2, 255.0),
    (16, 4, 2047.0),
    (17, 4, 2047.0),
    (24, 2, 65535.0),
    (25, 4, 65535.0),
    (26, 8, 65535.0),
    (30, 2, 0.0),
    (31, 4, 0.0),
    (32, 8, 0.0),
    (33, 4, 4e9),
    (34, 8, 4e9),
    (35, 16, 4e9),
    (36, 4, 0.0),
    (37, 8, 0.0),
    (38, 16, 0.0),
    (57, 12, 0.0),
    (4, 2, 63.0),
];
/// The weight of each format.
const WEIGHTS: [u32; 20] = [3, 8, 6, 4, 3, 1, 3, 6, 6, 3, 6, 8, 2, 2, 3, 5, 8, 16, 16, 2];
/// Some of the formats that are not documented vertex formats.
const OTHERS: [u8; 6] = [3, 4, 5, 15, 22, 54];
/// The values of the facet `number` for formats of integers, with their weights.
const NUMBERS: [(&str, u32); 4] = [
    ("unsigned_normalized", 35),
    ("signed_normalized", 35),
    ("unsigned_integer", 12),
    ("signed_integer", 18),
];
/// The fields `signed` and `integer` of each row of [`NUMBERS`].
const NUMBER_FIELDS: [(u8, u8); NUMBERS.len()] = [(0, 0), (1, 0), (0, 1), (1, 1)];
/// The components that the coordinates of a texture fetch are read from.
const COORDINATES: [[u8; 3]; 5] = [[0, 1, 2], [0, 1, 2], [1, 2, 3], [3, 2, 1], [0, 1, 0]];

/// Appends a fetch.
pub(super) fn any(e: &mut Entropy<'_>, body: &mut Body) {
    let weight = |op: FetchOp| match op {
        FetchOp::Vertex if body.stage == Stage::Vertex => 60,
        FetchOp::Vertex => 0,
        FetchOp::Sample => 30,
        // Only pixel shaders have derivatives and weights.
        _ if body.stage == Stage::Vertex => 1,
        _ => 8,
    };
    let weights: Vec<u32> = FETCH_TABLE.iter().map(|row| weight(row.opcode)).collect();
    let op = FETCH_TABLE[e.weighted(&weights)].opcode;
    fetch(e, body, op);
}

/// Appends a fetch with this operation. If the operation sets state, a texture fetch that uses the state follows.
pub(super) fn fetch(e: &mut Entropy<'_>, body: &mut Body, op: FetchOp) {
    match op {
        FetchOp::Vertex => vertex(e, body),
        op if op.sets_state() => {
            set(e, body, op);
            sample(e, body, FetchOp::Sample, Some(op));
        }
        _ => sample(e, body, op, None),
    }
}

/// The fields common to all fetches: destination, source register and predicate.
struct Common {
    dst: u8,
    dst_rel: u8,
    src: u8,
    src_rel: u8,
    result: u16,
    pred_en: u8,
    pred_cond: u8,
}

impl Common {
    /// Returns the components that the fetch writes.
    fn mask(&self) -> u8 {
        (0..4).filter(|c| RESULT_SWIZZLE.get(self.result, *c) != KEEP).fold(0, |mask, c| mask | 1 << c)
    }

    fn ranges(&self, value: Range) -> [Range; 4] {
        RESULT_SWIZZLE.split(self.result).map(|selector| match selector {
            ZERO => Range::ZERO,
            ONE => Range { low: 1.0, high: 1.0, ..Range::ZERO },
            _ => value,
        })
    }
}

fn common(e: &mut Entropy<'_>, body: &mut Body, components: u8, want: PreferredRange, size: f32) -> Common {
    let some = if body.predicate == Some(true) { 10 } else { 2 };
    let predicate = choose(e, facet!("predicate"), &[("none", 90), ("true", some), ("false", some)]);
    if predicate != 0 && body.predicate != Some(true) {
        flow::set_predicate(e, body);
    }
    let relative = if body.relative { 12 } else { 0 };
    // Fetches cannot export.
    let places = [("register", 90), ("relative", relative), ("export", 0)];
    let dst_rel = u8::from(choose(e, facet!("dest"), &places) == 1);
    let src_rel = choose(e, facet!("source"), &places[..2]) as u8;
    let from: Vec<u8> =
        body.unread_registers().iter().map(|n| *n as u8).chain(body.inputs.iter().copied()).collect();
    let mut src = e.pick(&body.inputs).copied().unwrap_or_default();
    for _ in 0..4 {
        let drawn = e.pick(&from).copied().unwrap_or(src);
        if want.fits(body.hull_of(drawn.into(), 0xf)) {
            src = drawn;
            break;
        }
    }
    let result = match choose(
        e,
        facet!("result"),
        &[("identity", 55), ("permuted", 20), ("constant", 4), ("partial", 20), ("none", 1)],
    ) {
        0 => [0, 1, 2, 3],
        1 => [[3, 2, 1, 0], [1, 2, 3, 0], [2, 0, 1, 3], [1, 1, 0, 0]][e.below(4)],
        2 => [[0, 1, 2, ONE], [0, 1, ZERO, ONE], [0, ZERO, ZERO, ONE], [2, 1, 0, ZERO]][e.below(4)],
        3 => {
            let partial = [
                [0, 1, 2, KEEP],
                [0, 1, KEEP, KEEP],
                [KEEP, KEEP, 0, 1],
                [0, KEEP, KEEP, KEEP],
                [KEEP, KEEP, KEEP, 0],
            ];
            partial[e.below(5)]
        }
        _ => [KEEP; 4],
    };
    // Components that the format lacks would be equal in all lanes, so they are replaced.
    let result = result.map(|c| if c < ZERO { c % components.max(1) } else { c });
    let mut common = Common {
        dst: 0,
        dst_rel,
        src,
        src_rel,
        result: RESULT_SWIZZLE.join(result),
        pred_en: u8::from(predicate != 0),
        pred_cond: u8::from(predicate == 1),
    };
    common.dst = alu::dest(e, body, common.mask(), size, predicate == 0);
    common
}

/// Appends the slot of a fetch and records its result.
fn done(body: &mut Body, common: &Common, slot: Slot, value: Range) {
    body.push(Item::Slot(slot));
    let mask = common.mask();
    if mask == 0 {
        return;
    }
    body.record_write(common.dst.into(), mask, &common.ranges(value), common.pred_en == 0);
    if common.dst_rel != 0 && body.loops > 0 {
        alu::read_back(body, common.dst, mask);
    }
}

/// Returns the number of components of a format.
fn components(format: u8) -> u8 {
    match format {
        2 | 24 | 30 | 33 | 36 => 1,
        10 | 25 | 31 | 34 | 37 => 2,
        4 | 5 | 16 | 17 | 57 => 3,
        _ => 4,
    }
}

fn vertex(e: &mut Entropy<'_>, body: &mut Body) {
    let (mut format, bytes, greatest) = FORMATS[e.weighted(&WEIGHTS)];
    if format == FORMATS[FORMATS.len() - 1].0 {
        format = OTHERS[e.below(OTHERS.len())];
    }
    let float = greatest == 0.0;
    let number = if float { 1 + 2 * e.below(2) } else { choose(e, facet!("number"), &NUMBERS) };
    let power = choose(e, facet!("scale"), &[("none", 85), ("power", 15)]);
    let exponent: i8 = if power == 0 { 0 } else { [1, 2, -1, -2, -4][e.below(5)] };
    let scale = f32::from(exponent).exp2();
    let value = match (float, number) {
        (true, _) => Range::between(-8.0 * scale, 8.0 * scale, true),
        (_, 0) => Range::between(0.0, scale, true),
        (_, 1) => Range::between(-scale, scale, true),
        (_, 2) => Range { discrete: true, ..Range::between(0.0, greatest * scale, true) },
        _ => Range { discrete: true, ..Range::between(-greatest * scale, greatest * scale, true) },
    };
    // Half of all inputs are negative. So the index counts from the middle of its buffer, or its sign is removed first.
    let offset = choose(e, facet!("offset"), &[("zero", 45), ("positive", 50), ("negative", 5)]);
    let want = PreferredRange { varies: true, ..PreferredRange::of_size(64.0) };
    let want = if offset == 1 { want } else { want.positive() };
    let index = if offset == 1 { None } else { Some(magnitude(e, body)) };
    let mut common = common(e, body, components(format), want, value.size());
    if let Some(index) = index
        && common.src_rel == 0
    {
        common.src = index;
    }
    let component = choose(e, facet!("index.component"), &[("x", 40), ("y", 20), ("z", 20), ("w", 20)]) as u8;
    let unit = if body.xenos { 4u8 } else { 1 };
    let stride = bytes.div_ceil(unit) * [1, 1, 1, 2][e.below(4)];
    let offset = match offset {
        1 => i32::from(stride) * 8 + if e.chance(20) { 4 } else { 0 },
        2 => -i32::from(stride),
        _ => 0,
    };
    // A mini fetch uses the address of an earlier full fetch again.
    let percent = match (body.has_full_fetch, body.xenos) {
        (false, _) => 0,
        (true, true) => 4,
        (true, false) => 20,
    };
    let mini = flag(e, facet!("mini"), percent);
    body.has_full_fetch |= mini == 0;
    let buffer = buffer(e, body, format);
    let (signed, integer) = NUMBER_FIELDS[number];
    let mut vertex = Vertex {
        src: common.src,
        src_rel: common.src_rel,
        dst: common.dst,
        dst_rel: common.dst_rel,
        one19: 1,
        const_index: buffer / 3,
        const_sub: buffer % 3,
        prefetch: [0, 2, 3][e.below(3)],
        src_component: component,
        dst_swizzle: common.result,
        signed,
        integer,
        no_zero: flag(e, facet!("no_zero"), 10),
        round_index: choose(e, facet!("round"), &[("floor", 75), ("nearest", 25)]) as u8,
        format,
        mini_fetch: mini,
        pred_en: common.pred_en,
        stride,
        pred_cond: common.pred_cond,
        ..Vertex::default()
    };
    vertex.set_exponent(exponent);
    vertex.set_signed_offset(offset);
    if common.src_rel == 0 || body.loops == 0 {
        body.mark(common.src.into(), 1 << component);
    }
    done(body, &common, Slot::Vertex(vertex), value);
}

/// Returns the buffer of a fetch. The buffer is usually a new one, because a buffer holds numbers of only one format.
fn buffer(e: &mut Entropy<'_>, body: &mut Body, format: u8) -> u8 {
    let same: Vec<u8> = body.buffers.iter().filter(|(_, f)| *f == format).map(|(n, _)| *n).collect();
    if e.chance(25)
        && let Some(number) = e.pick(&same)
    {
        return *number;
    }
    let taken = |n: u8| body.buffers.iter().any(|(other, _)| *other == n);
    let first = if e.chance(80) { 0 } else { e.below(96) as u8 };
    let number = (0..96u8).map(|k| (first + k) % 96).find(|n| !taken(*n)).unwrap_or(first);
    body.buffers.push((number, format));
    number
}

/// Returns a register with non-negative values that differ between lanes.
fn magnitude(e: &mut Entropy<'_>, body: &mut Body) -> u8 {
    let want = PreferredRange { varies: true, ..PreferredRange::of_size(64.0) }.positive();
    let found: Vec<u8> = body
        .working
        .iter()
        .copied()
        .filter(|n| body.written((*n).into()) == 0xf && want.fits(body.hull_of((*n).into(), 0xf)))
        .collect();
    if e.chance(50)
        && let Some(number) = e.pick(&found)
    {
        return *number;
    }
    let from = e.pick(&body.inputs).copied().unwrap_or_default();
    let to = alu::dest(e, body, 0xf, 8.0, true);
    let mut alu = Alu { vop: VectorOp::Max as u8, sel1: 1, sel2: 1, sel3: 1, vmask: 0xf, ..Alu::default() };
    let source = Source { number: from, absolute: true, ..R0 }.byte();
    (alu.vdest, alu.src1, alu.src2, alu.sop) = (to, source, source, ScalarOp::RetainPrev as u8);
    if e.chance(40) {
        alu.swz2 = swizzle([1, 0, 3, 2]);
    }
    body.push(Item::Slot(Slot::Alu(alu)));
    body.record_write(to.into(), 0xf, &[Range::between(0.0, 8.0, true); 4], true);
    // Only the fetch is meant to read this value.
    for c in bits(0xf) {
        body.cells[usize::from(to)][c].unread = false;
    }
    to
}

/// Appends SET_TEX_LOD, SET_GRADIENTS_H or SET_GRADIENTS_V, which set state for a texture fetch.
fn set(e: &mut Entropy<'_>, body: &mut Body, op: FetchOp) {
    let want = PreferredRange { varies: true, ..PreferredRange::of_size(64.0) };
    let mut common = common(e, body, 4, want, 1.0);
    common.result = RESULT_SWIZZLE.join([KEEP; 4]);
    let texture = texture(e, body, op, &common, None);
    if common.src_rel == 0 || body.loops == 0 {
        body.mark(
            common.src.into(),
            if op == FetchOp::SetTexLod { 1 << COORDINATE_SWIZZLE.get(texture.src_swizzle, 0) } else { 0xf },
        );
    }
    // These instructions set state that is not in a register.
    body.push(Item::Slot(Slot::Texture(texture)));
}

fn sample(e: &mut Entropy<'_>, body: &mut Body, op: FetchOp, set: Option<FetchOp>) {
    let want = PreferredRange { varies: true, ..PreferredRange::of_size(1024.0) };
    let value = Range::INPUT;
    let common = common(e, body, 4, want, value.size());
    let texture = texture(e, body, op, &common, set);
    if common.src_rel == 0 || body.loops == 0 {
        let read = COORDINATE_SWIZZLE.split(texture.src_swizzle).iter().fold(0, |mask, c| mask | 1 << c);
        body.mark(common.src.into(), read);
    }
    done(body, &common, Slot::Texture(texture), value);
}

/// Returns a texture fetch. `set` is the instruction that has set state for this fetch, if any.
fn texture(e: &mut Entropy<'_>, body: &Body, op: FetchOp, common: &Common, set: Option<FetchOp>) -> Texture {
    let filter = |e: &mut Entropy<'_>, what| {
        choose_of(e, what, &Filter::VALUES, |n| match n {
            _ if n == Filter::Constant as u8 => 64,
            _ if n == Filter::BaseMap as u8 => 8,
            _ => 14,
        })
    };
    let filters: [u8; 5] =
        [facet!("mag"), facet!("min"), facet!("mip"), facet!("vol_mag"), facet!("vol_min")]
            .map(|what| filter(e, what));
    let mostly = |constant: u8| move |n| if n == constant { 60 } else { 6 };
    let aniso = choose_of(e, facet!("aniso"), &Anisotropy::VALUES, mostly(Anisotropy::Constant as u8));
    let arbitrary = choose_of(e, facet!("arbitrary"), &Kernel::VALUES, mostly(Kernel::Constant as u8));
    let by_lod = set == Some(FetchOp::SetTexLod);
    let by_gradients = matches!(set, Some(FetchOp::SetGradientsH | FetchOp::SetGradientsV));
    let reg_lod = choose(
        e,
        facet!("reg_lod"),
        &[
            ("0", if by_lod { 0 } else { 96 }),
            ("1", if by_lod { 80 } else { 4 }),
            ("2", 4 * u32::from(!body.xenos)),
            ("3", 4 * u32::from(!body.xenos)),
        ],
    );
    let given = if by_lod { 60 } else { 6 };
    let lod = choose(e, facet!("lod"), &[("given", given), ("computed", 100 - given)]);
    let register = if by_gradients { 96 } else { 3 };
    let gradients =
        choose(e, facet!("gradients"), &[("computed", 100 - register), ("register", register + 4)]);
    let bias = choose(e, facet!("bias"), &[("zero", 85), ("nonzero", 15)]);
    let offset = choose(e, facet!("offset"), &[("zero", 92), ("nonzero", 8)]);
    let dimension = if body.xenos {
        choose_of(e, facet!("dimension"), &Dimension::VALUES, |n| match n {
            _ if n == Dimension::One as u8 => 10,
            _ if n == Dimension::Two as u8 => 60,
            _ => 15,
        })
    } else {
        0
    };
    let offsets: [u8; 3] = std::array::from_fn(|_| if offset == 0 { 0 } else { e.between(1, 31) as u8 });
    let unit = if e.chance(85) { e.below(4) } else { e.below(32) };
    Texture {
        opcode: op as u8,
        src: common.src,
        src_rel: common.src_rel,
        dst: common.dst,
        dst_rel: common.dst_rel,
        valid_only: flag(e, facet!("valid_only"), 20),
        const_index: unit as u8,
        denorm: flag(e, facet!("denorm"), 5),
        src_swizzle: COORDINATE_SWIZZLE.join(COORDINATES[e.below(5)]),
        dst_swizzle: common.result,
        mag_filter: filters[0],
        min_filter: filters[1],
        mip_filter: filters[2],
        aniso_filter: aniso,
        arbitrary_filter: arbitrary,
        vol_mag_filter: filters[3],
        vol_min_filter: filters[4],
        use_comp_lod: lod as u8,
        use_reg_lod: reg_lod as u8,
        pred_en: common.pred_en,
        use_reg_gradients: gradients as u8,
        sample_location: choose_of(e, facet!("location"), &Location::VALUES, |n| {
            if n == Location::Center as u8 { 80 } else { 20 }
        }),
        lod_bias: if bias == 0 { 0 } else { [16, 8, 127, 112, 1][e.below(5)] },
        zero73: 0,
        dimension,
        offset_x: offsets[0],
        offset_y: offsets[1],
        offset_z: offsets[2],
        pred_cond: common.pred_cond,
    }
}
