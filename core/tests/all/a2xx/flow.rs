//! Random clauses over random slots, and the compiled programs of the corpus: both ways of lowering agree with the reference.

use crate::flow::{LaneResult, Random, Tally, compare, first_lane};
use crate::material::material;
use lockstep_core::host::{
    Buffer, Dimension, Environment, Filter, LaneInput, MipFilter, SamplerState, Texels, Texture, Wrap,
};
use lockstep_core::isa::a2xx::A2xx;
use lockstep_core::isa::a2xx::interface::REGISTERS;
use lockstep_core::isa::a2xx::opcode::{CfOp, FETCH_TABLE, FetchOp, SCALAR_TABLE, VECTOR_TABLE};
use lockstep_core::isa::a2xx::program::{
    Alu, Branch, Clause, Exec, LoopEnd, LoopStart, Program, Shader, Slot, Texture as Fetch, Vertex,
};
use lockstep_core::isa::lowering::Mode;
use lockstep_core::isa::{
    Context, End, Entry, Format, Interface, Lowering, Options, Port, Stage, Syntax, Tables,
};
use std::fmt::Write as _;

fn flag(r: &mut Random, one_in: u32) -> u8 {
    u8::from(r.one_in(one_in))
}

/// Draws one of a few registers, so that slots depend on each other.
fn source(r: &mut Random, relative: bool) -> u8 {
    r.below(6) as u8 | if relative { flag(r, 4) << 6 } else { 0 } | flag(r, 6) << 7
}

fn alu(r: &mut Random, relative: bool) -> Slot {
    let word = u128::from(r.next()) | u128::from(r.next()) << 32 | u128::from(r.next()) << 64;
    let mut alu = Alu::from_word(word);
    alu.vop = VECTOR_TABLE[r.below(VECTOR_TABLE.len() as u32) as usize].number;
    alu.sop = SCALAR_TABLE[r.below(SCALAR_TABLE.len() as u32) as usize].number;
    if r.one_in(3) {
        // Simple operations such as sums and maxima keep numbers in a moderate range.
        (alu.vop, alu.sop) = (r.below(4) as u8, r.below(8) as u8);
    }
    [alu.src1, alu.src2, alu.src3] = std::array::from_fn(|_| source(r, relative));
    // Most sources are registers. Bits 6 and 7 of their numbers have another meaning than for constants.
    [alu.sel1, alu.sel2, alu.sel3] = std::array::from_fn(|_| 1 - flag(r, 3));
    alu.swz3 &= !0x30;
    (alu.vdest, alu.sdest) = (r.below(6) as u8, r.below(6) as u8);
    alu.export = flag(r, 4);
    (alu.vdest_rel, alu.sdest_rel) =
        if relative || alu.export != 0 { (flag(r, 4), flag(r, 4)) } else { (0, 0) };
    alu.pred_en = flag(r, 3);
    alu.abs_const = flag(r, 8);
    Slot::Alu(alu)
}

fn vertex(r: &mut Random, relative: bool) -> Slot {
    let bits = u128::from(r.next()) | u128::from(r.next()) << 32 | u128::from(r.next()) << 64;
    let formats = [2, 6, 7, 10, 16, 17, 24, 25, 26, 30, 31, 32, 33, 34, 35, 36, 37, 38, 57, 0, 55];
    Slot::Vertex(Vertex {
        opcode: 0,
        src: r.below(6) as u8,
        src_rel: u8::from(relative) & flag(r, 4),
        dst: r.below(6) as u8,
        dst_rel: u8::from(relative) & flag(r, 4),
        one19: 1,
        const_index: flag(r, 2),
        const_sub: r.below(3) as u8,
        format: formats[r.below(formats.len() as u32) as usize],
        stride: r.below(20) as u8,
        offset: if r.one_in(3) { r.below(9).wrapping_sub(4) & 0x7f_ffff } else { 0 },
        pred_en: flag(r, 4),
        ..Vertex::from_word(bits)
    })
}

fn texture(r: &mut Random, relative: bool) -> Slot {
    let bits = u128::from(r.next()) | u128::from(r.next()) << 32 | u128::from(r.next()) << 64;
    let ops: Vec<_> = FETCH_TABLE.iter().filter(|row| row.opcode != FetchOp::Vertex).collect();
    let op = if r.one_in(2) { 1 } else { ops[r.below(ops.len() as u32) as usize].number };
    Slot::Texture(Fetch {
        opcode: op,
        src: r.below(6) as u8,
        src_rel: u8::from(relative) & flag(r, 4),
        dst: r.below(6) as u8,
        dst_rel: u8::from(relative) & flag(r, 4),
        const_index: r.below(4) as u8,
        use_reg_lod: flag(r, 3),
        use_reg_gradients: flag(r, 4),
        pred_en: flag(r, 4),
        ..Fetch::from_word(bits)
    })
}

/// Draws a clause. For each loop start that has no end so far, `open` has the number of the clause after it.
fn clause(r: &mut Random, at: u32, count: u32, kinds: &[bool], nests: bool, open: &mut Vec<u32>) -> Clause {
    let word = u64::from(r.next()) | u64::from(r.next()) << 32;
    // Mostly near targets, and more often forward than backward.
    let aim = if r.one_in(3) { r.below(count) } else { (at + r.below(7)).saturating_sub(2).min(count - 1) };
    let aim = aim as u16;
    let kind = r.below(20);
    match if nests || kind == 7 { kind } else { kind.max(8) } {
        0 => Clause::from_word(word & 0xfff_ffff_ffff | u64::from([0u32, 15, 12][r.below(3) as usize]) << 44),
        1 | 2 if !r.one_in(3) => {
            open.push(at + 1);
            Clause::LoopStart(LoopStart {
                addr: (at + 1 + r.below(5)).min(count - 1) as u16,
                repeat: flag(r, 4),
                loop_id: r.below(4) as u8,
                opcode: CfOp::LoopStart as u8,
                ..LoopStart::default()
            })
        }
        3 | 4 if !open.is_empty() || r.one_in(6) => Clause::LoopEnd(LoopEnd {
            addr: open.pop().map_or(aim, |start| start as u16),
            loop_id: r.below(4) as u8,
            pred_break: flag(r, 3),
            cond: flag(r, 2),
            opcode: CfOp::LoopEnd as u8,
            ..LoopEnd::default()
        }),
        k @ 5..=7 => {
            let op = [CfOp::CondCall, CfOp::Return, CfOp::CondJmp][k as usize - 5];
            Clause::Branch(Branch {
                addr: aim,
                unconditional: flag(r, 4),
                predicated: flag(r, 2),
                bool_addr: r.below(4) as u8,
                cond: flag(r, 2),
                opcode: op as u8,
                ..Branch::default()
            })
        }
        k => {
            let ops = [
                CfOp::Exec,
                CfOp::CondExec,
                CfOp::CondPredExec,
                CfOp::CondExecPredClean,
                CfOp::ExecEnd,
                CfOp::CondExecEnd,
                CfOp::CondPredExecEnd,
                CfOp::CondExecPredCleanEnd,
            ];
            let op = if k < 17 { ops[r.below(4) as usize] } else { ops[r.below(8) as usize] };
            let first = r.below(kinds.len() as u32);
            let cnt = r.below(7).min(kinds.len() as u32 - first);
            let seq = (0..cnt).filter(|k| kinds[(first + k) as usize]).fold(0, |seq, k| seq | 1 << (2 * k));
            Clause::Exec(Exec {
                addr: (count / 2 + first) as u16,
                cnt: cnt as u8,
                seq,
                bool_addr: r.below(4) as u8,
                cond: flag(r, 2),
                opcode: op as u8,
                ..Exec::default()
            })
        }
    }
}

fn program(r: &mut Random) -> (Program, Stage) {
    let count = 2 * (2 + r.below(9));
    let relative = r.one_in(2);
    let fragment = r.one_in(2);
    let fetches = r.below(4);
    // Without calls and loops the fallback is exact in quads, too.
    let nests = !r.one_in(3);
    let kinds: Vec<bool> = (0..4 + r.below(16)).map(|_| fetches > 0 && r.below(5) < fetches).collect();
    let slots = kinds
        .iter()
        .map(|is_fetch| match (is_fetch, fragment && !r.one_in(4)) {
            (false, _) => alu(r, relative),
            (true, true) => texture(r, relative),
            (true, false) => vertex(r, relative),
        })
        .collect();
    let mut open = Vec::new();
    let mut clauses: Vec<Clause> =
        (0..count).map(|at| clause(r, at, count, &kinds, nests, &mut open)).collect();
    if let Some(last) = clauses.last_mut().filter(|_| !r.one_in(4)) {
        *last = Clause::Exec(Exec { opcode: CfOp::ExecEnd as u8, ..Exec::default() });
    }
    let stage = if fragment { Stage::Fragment } else { Stage::Vertex };
    let shader = Shader { clauses, slots, ..Shader::default() };
    (Program { shaders: vec![shader], gaps: vec![Vec::new(); 2], ..Program::default() }, stage)
}

fn environment(r: &mut Random, registers: u16) -> Environment {
    let dimensions = [Dimension::One, Dimension::Two, Dimension::Three, Dimension::Cube];
    Environment {
        constants: (0..64).map(|_| r.four()).collect(),
        ints: (0..4).map(|_| [r.below(4) as i32, r.below(9) as i32, r.below(5) as i32 - 2, 0]).collect(),
        bools: (0..4).map(|_| r.one_in(2)).collect(),
        textures: dimensions
            .into_iter()
            .map(|dimension| Texture {
                dimension,
                size: [4; 3],
                levels: 3,
                state: SamplerState {
                    min: Filter::Linear,
                    mip: MipFilter::Linear,
                    wrap: [Wrap::Repeat; 3],
                    ..SamplerState::default()
                },
                texels: Texels::Pattern { seed: r.next() },
            })
            .collect(),
        buffers: (0..6).map(|_| Buffer { words: (0..32).map(|_| r.next()).collect() }).collect(),
        fuel: 30,
        effects: 3,
        lanes: (0..8).map(|_| LaneInput { slots: (0..registers).map(|_| r.four()).collect() }).collect(),
    }
}

fn check_seed(seed: u64, tally: &mut Tally) {
    let mut r = Random(seed);
    let (program, stage) = program(&mut r);
    let env = environment(&mut r, 8);
    let options = r.options::<A2xx>();
    let entry = Entry {
        stage,
        start: 0,
        version: r.below(2),
        interface: Interface {
            inputs: (0..6).map(|slot| Port { slot, mask: 15 }).collect(),
            ..Interface::default()
        },
        extra: [0; 4],
    };
    let cx: Context<'_, A2xx> = Context { program: &program, entry: &entry, options: &options };
    let all = [Mode::Auto, Mode::Nodes, Mode::Fallback];
    let modes = if A2xx::has_fallback(&cx) { &all[..] } else { &all[..2] };
    compare(&format!("seed {seed}"), cx, &env, modes, tally);
}

#[test]
fn both_lowerings_of_random_clauses_agree() {
    let mut tally = Tally::default();
    for seed in 0..3000 {
        check_seed(seed, &mut tally);
    }
    println!("{tally:?}");
    let all: u32 = tally.ends.iter().sum();
    assert!(tally.ends.iter().all(|n| *n > all / 100), "too few ends of some kind: {tally:?}");
    assert!(tally.effects > 10_000, "too few effects: {tally:?}");
    assert!(tally.refused < 60, "too many programs need too many nodes: {tally:?}");
}

#[test]
fn both_lowerings_of_compiled_programs_agree() {
    let Some(folder) = material("a2xx/open") else { return };
    let mut tally = Tally::default();
    let mut files = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let program = A2xx::decode(&std::fs::read(&path).unwrap()).unwrap();
        files += 1;
        for seed in 0..6 {
            let mut r = Random(seed);
            let options = if seed > 0 { r.options::<A2xx>() } else { Options::new(A2xx::option_specs()) };
            for entry in &A2xx::entries(&program) {
                let env = environment(&mut r, REGISTERS);
                let cx: Context<'_, A2xx> = Context { program: &program, entry, options: &options };
                compare(
                    &format!("{name}, seed {seed}"),
                    cx,
                    &env,
                    &[Mode::Auto, Mode::Nodes, Mode::Fallback],
                    &mut tally,
                );
            }
        }
    }
    println!("{files} files, {tally:?}");
    assert_eq!(files, 72);
    assert!(tally.refused == 0 && tally.effects > 1000, "{tally:?}");
}

/// Runs a text with both lowerings. The inputs are the components of R0 in `mask`.
fn run(
    text: &str,
    mask: u8,
    r0: [f32; 4],
    change: impl FnOnce(&mut Environment, &mut Options),
) -> LaneResult {
    let program = A2xx::assemble(text).unwrap_or_else(|e| panic!("{e:#?}\n{text}"));
    let mut entry = A2xx::entries(&program).remove(0);
    entry.interface.inputs = vec![Port { slot: 0, mask }];
    let mut options = Options::new(A2xx::option_specs());
    let mut env = Environment {
        fuel: 1000,
        effects: 4,
        lanes: vec![LaneInput { slots: vec![r0] }; 4],
        ..Environment::default()
    };
    change(&mut env, &mut options);
    let cx: Context<'_, A2xx> = Context { program: &program, entry: &entry, options: &options };
    first_lane(text, cx, &env, &[Mode::Nodes, Mode::Fallback])
}

/// Returns the values of the only export.
#[track_caller]
fn export(result: &LaneResult) -> [f32; 4] {
    assert_eq!((result.end, result.effects.len()), (End::Finished, 1));
    result.effects[0].values
}

/// Four calls and four loops may be active at a time. Each level of calls adds 1; each level of loops doubles the number of additions.
#[test]
fn four_calls_and_four_loops_may_be_nested() {
    const ADD: &str = "EXEC\nALU: ADDv R1 = R1, C0\n";
    let finished = |text: &str| {
        export(&run(text, 15, [0.0; 4], |env, _| {
            env.constants = vec![[1.0; 4]];
            env.ints = vec![[2, 0, 0, 0]; 4];
        }))
    };
    for depth in 1..=4usize {
        // Clauses 0 and 1 call and end; each subroutine but the last has three clauses: a sum, a call and RETURN.
        let mut text =
            "COND_CALL ADDR(0x2) DIR(1) FORCE_CALL\nEXEC_END\nALU: MAXv export0 = R1, R1\n".to_owned();
        for level in 1..=depth {
            text += ADD;
            if level < depth {
                let _ = writeln!(text, "COND_CALL ADDR({:#x}) DIR(1) FORCE_CALL", 2 + 3 * level);
            }
            text += "RETURN ADDR(0x0) DIR(0)\n";
        }
        assert_eq!(finished(&text), [depth as f32; 4], "{text}");

        let starts =
            (0..depth).map(|at| format!("LOOP_START ADDR({:#x}) LOOP_ID({at})\n", 2 * depth - at + 1));
        let ends = (0..depth).rev().map(|at| format!("LOOP_END ADDR({:#x}) LOOP_ID({at})\n", at + 1));
        let text = starts.chain([ADD.to_owned()]).chain(ends).collect::<String>()
            + "EXEC_END\nALU: MAXv export0 = R1, R1\n";
        assert_eq!(finished(&text), [(1 << depth) as f32; 4], "{text}");
    }
}

/// A fetch that reuses an address reads from the buffer of the fetch that computed it, even if a clause ends between them.
#[test]
fn the_address_of_a_fetch_is_kept_after_the_end_of_its_clause() {
    for between in ["", "EXEC\n", "EXEC\nALU: MAXv R3 = R0, R0\n"] {
        let text = format!(
            "EXEC\nFETCH: VERTEX R1.xyzw = R0.x FMT_32_FLOAT SIGNED STRIDE(4) CONST(0, 0)\n{between}\
             EXEC\nFETCH: VERTEX R2.xyzw = R0.x FMT_32_FLOAT SIGNED STRIDE(4) CONST(0, 1) MINI_FETCH\n\
             EXEC_END\nALU: MAXv export0 = R2, R2\n"
        );
        let result = run(&text, 15, [1.0; 4], |env, options| {
            options.set_named("mini_fetch", "always").unwrap();
            let filled = |number: f32| Buffer { words: vec![number.to_bits(); 16] };
            env.buffers = vec![filled(2.0), filled(3.0)];
        });
        assert_eq!(export(&result)[0], 2.0, "{text}");
    }
}

/// A register component that is not an input is zero, even if the caller gave it a value.
#[test]
fn only_the_components_of_inputs_are_loaded() {
    for mask in 0..16u8 {
        let result = run("EXEC_END\nALU: MAXv export0 = R0, R0", mask, [1.0, 2.0, 3.0, 4.0], |_, _| {});
        let expected = [0, 1, 2, 3].map(|c| if mask >> c & 1 == 1 { c as f32 + 1.0 } else { 0.0 });
        assert_eq!(export(&result), expected, "{mask:04b}");
    }
}

/// a0 is a signed number of nine bits: MOVAv and MOVAs round to the nearest integer, MOVA_FLOORs rounds down, and all limit it to -256 and 255.
#[test]
fn the_address_register_is_limited_to_its_nine_bits() {
    let halves = [
        ("ALU: MOVAv R1.____ = R0, R0\n", 0.5),
        ("ALU: MAXv R1 = R0, R0\nMOVAs R2.x___ = R0.w, R0.w\n", 0.5),
        ("ALU: MAXv R1 = R0, R0\nMOVA_FLOORs R2.x___ = R0.w, R0.w\n", 0.0),
    ];
    for (line, half) in halves {
        let text = format!("EXEC_END\n{line}ALU: MAXv export0 = C[a0+1], C[a0+1]\n");
        for w in [-1.0f32, 0.0, 0.75, 253.5, 254.0, 254.25, 254.5, 254.75, 255.0, 255.5, 256.0, 1000.0, 1e30]
        {
            let result = run(&text, 15, [0.0, 0.0, 0.0, w], |env, _| {
                env.constants = (0..512).map(|n| [n as f32; 4]).collect();
            });
            assert_eq!(export(&result)[0], (w + half).floor().min(255.0) + 1.0, "{w}: {text}");
        }
    }
}
