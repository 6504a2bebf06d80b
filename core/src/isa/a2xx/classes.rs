//! The opcode × modifier classes that coverage is counted in.
//!
//! A clause, a half of an ALU slot, or a fetch belongs to one class of each kind that applies to it, such as `mask=partial` or
//! `a.file=constant`. Both halves of a slot count. Classes are not combined with one another: that is a few dozen an opcode instead of
//! millions. Clauses and slots that nothing reaches or runs have classes all the same.

use super::interface::stage_of;
use super::names;
use super::opcode::{
    CF_TABLE, CfOp, FETCH_TABLE, FetchOp, SCALAR_TABLE, ScalarOp, ScalarShape, VECTOR_TABLE, VectorOp,
};
use super::program::{Alu, Clause, Program, Shader, Slot, Source, Texture, Vertex, component};
use crate::isa::{ClassPoint, Stage};

/// A kind of class and the classes of it, in the order of the numbers that [`Kinds`] finds.
type Dimension = (&'static str, &'static [&'static str]);

/// The kinds of class that an opcode has, each with the number of one of its classes.
type Kinds = Vec<(Dimension, usize)>;

const STAGE: Dimension = ("stage", &["vertex", "fragment"]);
const MASK: Dimension = ("mask", &["none", "x", "y", "z", "w", "partial", "full"]);
const DEST: Dimension = ("dest", &["register", "relative", "export"]);
const CLAMP: Dimension = ("clamp", &["off", "on"]);
const PREDICATE: Dimension = ("predicate", &["none", "true", "false"]);
const FILES: &[&str] = &["register", "relative_register", "constant", "constant_al", "constant_a0"];
const SWIZZLES: &[&str] = &["identity", "replicated", "permuted"];
const SIGNS: &[&str] = &["plain", "negated", "absolute", "negated_absolute"];
const LANES: &[&str] = &["x", "y", "z", "w"];
const OFF_ON: &[&str] = &["off", "on"];
/// Vertex formats whose layout is documented (xenia, mesa), by number.
const VERTEX_FORMATS: [u8; 19] = [2, 6, 7, 10, 16, 17, 24, 25, 26, 30, 31, 32, 33, 34, 35, 36, 37, 38, 57];
const FORMAT: Dimension = (
    "format",
    &[
        "8",
        "8_8_8_8",
        "2_10_10_10",
        "8_8",
        "10_11_11",
        "11_11_10",
        "16",
        "16_16",
        "16_16_16_16",
        "16_FLOAT",
        "16_16_FLOAT",
        "16_16_16_16_FLOAT",
        "32",
        "32_32",
        "32_32_32_32",
        "32_FLOAT",
        "32_32_FLOAT",
        "32_32_32_32_FLOAT",
        "32_32_32_FLOAT",
        "other",
    ],
);
const FILTERS: &[&str] = &["point", "linear", "basemap", "constant"];

fn flag(on: bool) -> usize {
    usize::from(on)
}

fn mask(mask: u8) -> usize {
    match mask & 15 {
        0 => 0,
        1 => 1,
        2 => 2,
        4 => 3,
        8 => 4,
        15 => 6,
        _ => 5,
    }
}

fn predicate(enabled: u8, condition: u8) -> usize {
    match (enabled, condition) {
        (0, _) => 0,
        (_, 0) => 2,
        _ => 1,
    }
}

fn file(source: &Source, a0: u8) -> usize {
    match (source.register, source.relative) {
        (true, relative) => flag(relative),
        (false, false) => 2,
        (false, true) => 3 + flag(a0 != 0),
    }
}

fn sign(source: &Source) -> usize {
    flag(source.negated) + 2 * flag(source.absolute)
}

fn swizzle(bits: u8) -> usize {
    let first = component(bits, 0);
    if bits == 0 {
        0
    } else if (1..4).all(|c| component(bits, c) == first) {
        1
    } else {
        2
    }
}

fn stage(stage: Stage) -> usize {
    flag(stage == Stage::Fragment)
}

fn clause(clause: &Clause) -> Kinds {
    let cond = |c: u8| (("cond", &["0", "1"][..]), usize::from(c & 1));
    match clause {
        Clause::Plain(_) => Vec::new(),
        Clause::Exec(e) => {
            let seq = e.seq & 0xaaa;
            let mut kinds = vec![
                (
                    ("cnt", &["none", "some", "six"][..]),
                    match e.run() {
                        0 => 0,
                        6 => 2,
                        _ => 1,
                    },
                ),
                (("yield", OFF_ON), usize::from(e.yields & 1)),
                (("serial", OFF_ON), flag(seq != 0)),
                (("cache", OFF_ON), flag(e.vc != 0)),
            ];
            if e.op().tests_bool() || e.op().tests_predicate() {
                kinds.push(cond(e.cond));
            }
            if !e.op().tests_bool() {
                kinds.push((("pred_clean", OFF_ON), flag(e.pred_clean())));
            }
            kinds
        }
        Clause::LoopStart(l) => vec![(("repeat", OFF_ON), usize::from(l.repeat & 1))],
        Clause::LoopEnd(l) => {
            let breaks = if l.pred_break == 0 { 0 } else { 2 - usize::from(l.cond & 1) };
            vec![(("break", &["none", "true", "false"]), breaks)]
        }
        Clause::Branch(_) if clause.op() == CfOp::Return => Vec::new(),
        Clause::Branch(b) => {
            let condition = match (b.unconditional, b.predicated) {
                (0, 0) => 1 + usize::from(b.cond & 1),
                (0, _) => 3 + usize::from(b.cond & 1),
                _ => 0,
            };
            vec![
                (("condition", &["always", "bool_0", "bool_1", "predicate_0", "predicate_1"]), condition),
                (("direction", &["backward", "forward"]), usize::from(b.direction & 1)),
            ]
        }
        Clause::Alloc(a) => vec![
            (("buffer", &["none", "position", "parameters", "memory"]), usize::from(a.buffer & 3)),
            (("size", &["zero", "more"]), flag(a.size != 0)),
            (("no_serial", OFF_ON), usize::from(a.no_serial & 1)),
        ],
    }
}

/// Names of the kinds of class of sources a, b and c.
const SOURCE_KINDS: [[&str; 3]; 3] =
    [["a.file", "a.swizzle", "a.sign"], ["b.file", "b.swizzle", "b.sign"], ["c.file", "c.swizzle", "c.sign"]];

fn vector(alu: &Alu, op: VectorOp) -> Kinds {
    let dest = if alu.export != 0 { 2 } else { flag(alu.vdest_rel != 0) };
    let mut kinds = vec![
        (MASK, mask(alu.vmask)),
        (DEST, dest),
        (CLAMP, flag(alu.vclamp != 0)),
        (PREDICATE, predicate(alu.pred_en, alu.pred_cond)),
    ];
    for (which, [f, z, s]) in (1..=op.sources() as u8).zip(SOURCE_KINDS) {
        let source = alu.source(which);
        kinds.push(((f, FILES), file(&source, alu.addr_a0)));
        kinds.push(((z, SWIZZLES), swizzle(source.swizzle)));
        kinds.push(((s, SIGNS), sign(&source)));
    }
    kinds
}

fn scalar(alu: &Alu, op: ScalarOp) -> Kinds {
    let dest = if alu.export != 0 { 2 } else { flag(alu.sdest_rel != 0) };
    let mut kinds = vec![
        (MASK, mask(alu.smask)),
        (DEST, dest),
        (CLAMP, flag(alu.sclamp != 0)),
        (PREDICATE, predicate(alu.pred_en, alu.pred_cond)),
    ];
    let source = alu.source(3);
    let (a, b) = alu.scalar_channels();
    let lane = |channel| component(source.swizzle, channel);
    match op.shape() {
        ScalarShape::None => {}
        ScalarShape::Constant => {
            let (constant, register) = alu.constant_operands();
            kinds.push((("a.file", &FILES[2..]), file(&constant, alu.addr_a0) - 2));
            kinds.push((("a.lane", LANES), usize::from(constant.swizzle)));
            kinds.push((("b.lane", LANES), usize::from(register.swizzle)));
            kinds.push((("a.sign", SIGNS), sign(&constant)));
        }
        shape => {
            kinds.push((("a.file", FILES), file(&source, alu.addr_a0)));
            kinds.push((("a.sign", SIGNS), sign(&source)));
            kinds.push((("a.lane", LANES), lane(a)));
            if matches!(shape, ScalarShape::Two | ScalarShape::TwoPrevious) {
                kinds.push((("b.lane", LANES), lane(b)));
                kinds.push((("beside", &["two_sources", "three_sources"]), flag(b == 2)));
            }
        }
    }
    kinds
}

/// The kinds of class that all fetches have.
fn fetch((dst_rel, src_rel): (u8, u8), result: u16, (enabled, condition): (u8, u8)) -> Kinds {
    let selected = [0, 3, 6, 9].map(|low| result >> low & 7);
    let result = if selected == [0, 1, 2, 3] {
        0
    } else if selected == [7; 4] {
        4
    } else if selected.contains(&7) {
        3
    } else if selected.iter().any(|s| *s > 3) {
        2
    } else {
        1
    };
    vec![
        (("dest", &["register", "relative"]), flag(dst_rel != 0)),
        (("source", &["register", "relative"]), flag(src_rel != 0)),
        (("result", &["identity", "permuted", "constant", "partial", "none"]), result),
        (PREDICATE, predicate(enabled, condition)),
    ]
}

fn vertex(v: &Vertex) -> Kinds {
    let mut kinds = fetch((v.dst_rel, v.src_rel), v.dst_swizzle, (v.pred_en, v.pred_cond));
    let format = VERTEX_FORMATS.iter().position(|f| *f == v.format).unwrap_or(VERTEX_FORMATS.len());
    let number = usize::from(v.signed & 1) + 2 * usize::from(v.integer & 1);
    let names = &["unsigned_normalized", "signed_normalized", "unsigned_integer", "signed_integer"];
    kinds.extend([
        (FORMAT, format),
        (("number", &names[..]), number),
        (("no_zero", OFF_ON), usize::from(v.no_zero & 1)),
        (("round", &["floor", "nearest"]), usize::from(v.round_index & 1)),
        (("lane", LANES), usize::from(v.src_component & 3)),
        (("sub", &["0", "1", "2"]), usize::from(v.const_sub.min(2))),
        (("scale", &["none", "power"]), flag(v.exp_adjust != 0)),
        (
            ("offset", &["zero", "positive", "negative"]),
            match v.offset {
                0 => 0,
                o if o >> 22 & 1 != 0 => 2,
                _ => 1,
            },
        ),
        (("mini", OFF_ON), usize::from(v.mini_fetch & 1)),
    ]);
    kinds
}

fn texture(t: &Texture) -> Kinds {
    let mut kinds = fetch((t.dst_rel, t.src_rel), t.dst_swizzle, (t.pred_en, t.pred_cond));
    let from_six = |filter: u8| usize::from(if filter == 7 { 6 } else { filter.min(5) });
    kinds.extend([
        (("valid_only", OFF_ON), usize::from(t.valid_only & 1)),
        (("denorm", OFF_ON), usize::from(t.denorm & 1)),
        (("mag", FILTERS), usize::from(t.mag_filter & 3)),
        (("min", FILTERS), usize::from(t.min_filter & 3)),
        (("mip", FILTERS), usize::from(t.mip_filter & 3)),
        (("vol_mag", FILTERS), usize::from(t.vol_mag_filter & 3)),
        (("vol_min", FILTERS), usize::from(t.vol_min_filter & 3)),
        (("aniso", &["off", "1", "2", "4", "8", "16", "constant"]), from_six(t.aniso_filter)),
        (
            ("arbitrary", &["2x4_sym", "2x4_asym", "4x2_sym", "4x2_asym", "4x4_sym", "4x4_asym", "constant"]),
            from_six(t.arbitrary_filter),
        ),
        (("lod", &["given", "computed"]), usize::from(t.use_comp_lod & 1)),
        (("reg_lod", &["0", "1", "2", "3"]), usize::from(t.use_reg_lod & 3)),
        (("gradients", &["computed", "register"]), usize::from(t.use_reg_gradients & 1)),
        (("location", &["centroid", "center"]), usize::from(t.sample_location & 1)),
        (("bias", &["zero", "nonzero"]), flag(t.lod_bias != 0)),
        (("dimension", &["1d", "2d", "3d", "cube"]), usize::from(t.dimension & 3)),
        (("offset", &["zero", "nonzero"]), flag(t.offset_x | t.offset_y | t.offset_z != 0)),
    ]);
    kinds
}

/// The opcodes in a word of a shader for a stage with their kinds of class.
fn word(shader: &Shader, at: usize, of: Stage) -> Vec<(&'static str, Kinds)> {
    let mut found = match shader.clauses.get(at) {
        Some(c) => vec![(c.op().row().mnemonic, clause(c))],
        None => match shader.slots.get(at - shader.clauses.len()) {
            Some(Slot::Alu(alu)) => {
                let v = alu.vector().map(|op| (op.row().mnemonic, vector(alu, op)));
                let s = alu.scalar().map(|op| (op.row().mnemonic, scalar(alu, op)));
                v.into_iter().chain(s).collect()
            }
            Some(Slot::Vertex(v)) => vec![(FetchOp::Vertex.row().mnemonic, vertex(v))],
            Some(Slot::Texture(t)) => t.op().map(|op| (op.row().mnemonic, texture(t))).into_iter().collect(),
            Some(Slot::Raw(_)) | None => Vec::new(),
        },
    };
    let stage = stage(of);
    for (_, kinds) in &mut found {
        kinds.push((STAGE, stage));
    }
    found
}

/// The classes of an instruction; none for a word that is no instruction.
pub fn classes(program: &Program, at: u32) -> Vec<ClassPoint> {
    program.find(at).map_or_else(Vec::new, |(shader, at)| points(shader, at, stage_of(shader)))
}

/// The classes of any instruction of a program, whose stages are told once.
pub fn classifier(program: &Program) -> impl Fn(u32) -> Vec<ClassPoint> {
    let shaders = program.shaders_from().map(|(first, shader)| (first, shader, stage_of(shader)));
    let shaders: Vec<(u32, &Shader, Stage)> = shaders.collect();
    move |at| {
        let before = shaders.partition_point(|(first, ..)| *first <= at);
        let found = before.checked_sub(1).map(|k| shaders[k]);
        found.map_or_else(Vec::new, |(first, shader, stage)| points(shader, (at - first) as usize, stage))
    }
}

fn points(shader: &Shader, at: usize, of: Stage) -> Vec<ClassPoint> {
    let point = |opcode, ((what, names), k): (Dimension, usize)| {
        names.get(k).map(|which: &&str| ClassPoint { opcode, modifier: format!("{what}={which}") })
    };
    word(shader, at, of)
        .into_iter()
        .flat_map(|(opcode, kinds)| kinds.into_iter().filter_map(move |kind| point(opcode, kind)))
        .collect()
}

/// Every class that an instruction of a legal program can belong to: what generators must reach and corpora should cover.
pub fn all_classes() -> Vec<ClassPoint> {
    let mut all = Vec::new();
    let mut add = |opcode: &'static str, kinds: Kinds| {
        for ((what, names), _) in kinds.into_iter().chain([(STAGE, 0)]) {
            let points = names.iter().map(|which| ClassPoint { opcode, modifier: format!("{what}={which}") });
            all.extend(points);
        }
    };
    // The kinds of class are those of any word with the opcode.
    for row in CF_TABLE {
        add(row.mnemonic, clause(&Clause::from_word(u64::from(row.number) << 44)));
    }
    for row in VECTOR_TABLE {
        add(row.mnemonic, vector(&Alu::default(), row.opcode));
    }
    for row in SCALAR_TABLE {
        let alu = Alu { sop: row.number, ..Alu::default() };
        add(row.mnemonic, scalar(&alu, row.opcode));
    }
    for row in FETCH_TABLE {
        match row.opcode {
            FetchOp::Vertex => add(row.mnemonic, vertex(&Vertex::default())),
            _ => add(row.mnemonic, texture(&Texture::default())),
        }
    }
    all
}

/// The name of a vertex format here; Adreno's where both families have one.
pub fn format_name(number: u8) -> Option<&'static str> {
    match number {
        16 => Some("10_11_11"),
        17 => Some("11_11_10"),
        _ => names::format_name(number),
    }
}

#[cfg(test)]
mod tests {
    use super::super::decode::from_dwords;
    use super::super::interface::entries;
    use super::super::validate::validate;
    use super::*;
    use crate::isa::Level;
    use std::collections::BTreeSet;

    /// Adds the classes of a word of a legal program, and nothing for others.
    fn legal(words: &[u32], at: u32, found: &mut BTreeSet<ClassPoint>) {
        for stage in [Stage::Vertex, Stage::Fragment] {
            let mut shader = from_dwords(words);
            shader.stage = Some(stage);
            let program = Program { shaders: vec![shader], gaps: vec![Vec::new(); 2], ..Program::default() };
            let errors = validate(&program, &entries(&program)[0]).iter().any(|v| v.level == Level::Error);
            if !errors {
                found.extend(classes(&program, at));
            }
        }
    }

    #[test]
    fn the_list_is_exactly_what_legal_programs_reach() {
        let mut random = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random
        };
        let mut reached = BTreeSet::new();
        // EXEC, a loop around one clause, an end, and six slots: words 1 to 3 are what is looked at.
        let (start, end) = (0x7000_0000_0004, 0x8000_0000_0002);
        let clause_program = |clauses: [u64; 3]| {
            let [start, clause, end] = clauses;
            let pairs = [[0x1000_0000_1003, start], [clause, end], [0x2000_0000_0003, 0]];
            let dwords =
                pairs.map(|[a, b]: [u64; 2]| [a as u32, (a >> 32 | b << 16) as u32, (b >> 16) as u32]);
            [dwords.concat(), [0x1400_0000, 0, 0xe200_0000].repeat(6)].concat()
        };
        for op in 0..16u64 {
            for _ in 0..400 {
                let bits = next();
                // Addresses, and kinds of slots, as they have to be.
                let (clauses, at) = match op {
                    7 => ([start | bits & 0x2000, 0, end], 1),
                    8 => ([start, 0, end | bits & (1 << 21 | 1 << 42)], 3),
                    1..=6 | 13 | 14 => {
                        ([start, (op << 44) | 3 | ((next() % 7) << 12) | (bits & 0x7ff_0aaa_8000), end], 2)
                    }
                    _ => ([start, (op << 44) | (next() % 6) | (bits & 0x7ff_ffff_e000), end], 2),
                };
                legal(&clause_program(clauses), at, &mut reached);
            }
        }
        let slot_program =
            |fetch: u32, slot: [u32; 3]| [[0x0000_1001 | fetch << 16, 0x2000, 0], slot].concat();
        for op in 0..64u32 {
            for k in 0..3000 {
                let [mut a, mut b, mut c] = [next() as u32, next() as u32, next() as u32];
                if k % 2 == 0 {
                    a &= !0x8000;
                } else {
                    a = a & !0x3f | [0, 1, 62][k % 3];
                }
                // One component, or a plain operand, now and then.
                if k % 4 == 0 {
                    a = a & !0x00ff_0000 | 1 << (16 + k / 4 % 4) | 1 << (20 + k / 16 % 4);
                    b &= 0xff00_0000;
                }
                if k % 5 == 0 {
                    b = b & 0xff00_0000 | 0x6c_6c6c;
                }
                if k % 7 == 0 {
                    a &= !0x00f0_0000;
                }
                if k % 11 == 0 {
                    a &= !0x000f_0000;
                }
                if k % 13 == 0 {
                    a |= 0x00ff_0000;
                }
                let vector = c & 0xe0ff_ffff | (op % 30) << 24;
                legal(&slot_program(0, [a & !0xfc00_0000 | 50 << 26, b, vector]), 2, &mut reached);
                c = c & 0xe0ff_ffff | [2u32, 11][k % 2] << 24;
                legal(&slot_program(0, [a & 0x03ff_ffff | op << 26, b, c]), 2, &mut reached);
                let [mut a, mut b, mut c] = [next() as u32, next() as u32, next() as u32];
                a = a & !0x1f | op & 0x1f;
                if op == 0 {
                    a |= 1 << 19;
                }
                b = match k % 4 {
                    0 => b & !0xfff | 0x688,
                    1 => b | 0xfff,
                    2 => b & !0x924,
                    _ => b,
                };
                if k % 3 == 0 {
                    (b, c) = (b & 0x8000_0fff, c & 0x8000_00ff);
                }
                legal(&slot_program(1, [a, b, c]), 2, &mut reached);
            }
        }
        let all = all_classes();
        let listed: BTreeSet<_> = all.iter().cloned().collect();
        assert_eq!(all.len(), listed.len(), "no class is listed twice");
        let none = Vec::<&ClassPoint>::new();
        assert_eq!(listed.difference(&reached).collect::<Vec<_>>(), none, "listed, not reached");
        assert_eq!(reached.difference(&listed).collect::<Vec<_>>(), none, "reached, not listed");
        eprintln!("{} classes", all.len());
    }

    #[test]
    fn a_slot_has_the_classes_that_its_listing_tells() {
        // MULv R2.xyz_ = R3.zzzw, C10 / RECIP_IEEE R4.x___ = R0 (fd-notes), and the same with bits changed.
        let slot = |a: u32, b: u32| {
            let shader =
                from_dwords(&[0x0000_1001, 0x2000, 0, 0x4c17_0402 ^ a, 0x0006_0000 ^ b, 0xa103_0a00]);
            let program = Program { shaders: vec![shader], gaps: vec![Vec::new(); 2], ..Program::default() };
            let points = classes(&program, 2);
            points.into_iter().map(|p| format!("{} {}", p.opcode, p.modifier)).collect::<BTreeSet<_>>()
        };
        let has = |found: &BTreeSet<String>, wanted: &[&str]| {
            for point in wanted {
                assert!(found.contains(*point), "{point} in {found:?}");
            }
        };
        let plain = slot(0, 0);
        has(
            &plain,
            &["MULv mask=partial", "MULv dest=register", "MULv a.file=register", "MULv b.file=constant"],
        );
        has(&plain, &["MULv a.swizzle=permuted", "MULv b.swizzle=identity", "MULv a.sign=plain"]);
        has(
            &plain,
            &["RECIP_IEEE mask=x", "RECIP_IEEE a.lane=w", "MULv predicate=none", "MULv stage=fragment"],
        );
        // Masks z and w; predicate true, source 1 negated.
        let other = slot(0x0017_0000 ^ 0x0084_0000, 0x1c00_0000);
        has(&other, &["MULv mask=z", "RECIP_IEEE mask=w", "MULv predicate=true", "MULv a.sign=negated"]);
        // Export, and the first constant relative to aL.
        has(&slot(0x8000, 0x8000_0000), &["MULv dest=export", "MULv b.file=constant_al"]);
    }

    #[test]
    fn formats_have_the_names_of_the_table() {
        for (number, name) in VERTEX_FORMATS.iter().zip(FORMAT.1) {
            assert_eq!(format_name(*number), Some(*name));
        }
    }
}
