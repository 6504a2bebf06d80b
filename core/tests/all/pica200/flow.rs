//! Random programs of up to 64 words, with any targets: lowering by nodes and lowering by words both agree with the reference.

use crate::flow::{Random, Tally, compare};
use lockstep_core::host::{ConcreteHost, Environment, LaneInput};
use lockstep_core::isa::lowering::{Mode, NODES_PER_WORD, lower_validated, lower_with_nodes};
use lockstep_core::isa::pica200::Pica200;
use lockstep_core::isa::pica200::interface::reachable;
use lockstep_core::isa::pica200::program::{Container, Descriptor, DescriptorRow, Instruction, Program, Raw};
use lockstep_core::isa::{
    Context, Entry, Format, Interface, Options, Port, Reference, Stage, Syntax, Tables, run,
};
use lockstep_core::value::Concrete;

/// The opcodes of control flow, some of them several times. The last two, `end` and `emit`, are drawn less often.
const FLOW: [u32; 17] =
    [0x20, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28, 0x29, 0x29, 0x2c, 0x2d, 0x24, 0x28, 0x27, 0x29, 0x22, 0x2a];

fn program(r: &mut Random, words: u32) -> Program {
    let near = r.below(2) == 0;
    let code = (0..words).map(|at| {
        let word = r.next();
        let word = match r.below(10) {
            0 => word,
            1..=4 => {
                let kinds = FLOW.len() as u32 - r.below(3);
                let op = FLOW[r.below(kinds) as usize];
                let dst = if near { (at + r.below(12)).saturating_sub(3) } else { r.below(words + 2) };
                let num = if near { r.below(6) } else { r.below(words) };
                op << 26 | (word & 0x03c0_0000) | dst << 10 | num
            }
            _ => {
                let op = [0u32, 2, 3, 7, 8, 9, 0xc, 0x12, 0x12, 0x13, 0x2b, 0x2e, 0x2f, 0x38, 0x30]
                    [r.below(15) as usize];
                (op << 26 | word & 0x03ff_ffff) & !0x7f | r.below(16)
            }
        };
        Instruction::from_word(word)
    });
    let code = code.collect();
    let descriptors =
        (0..16).map(|_| DescriptorRow { descriptor: Descriptor::from_word(r.next()), second: 0 }).collect();
    let raw = Raw { stage: Stage::Geometry, output_mask: r.next() as u16, start: r.below(4.min(words)) };
    Program { container: Container::Raw(raw), code, descriptors }
}

fn environment(r: &mut Random) -> Environment {
    Environment {
        constants: (0..96).map(|_| r.four()).collect(),
        ints: (0..4).map(|_| std::array::from_fn(|_| r.below(4) as i32)).collect(),
        bools: (0..16).map(|_| r.below(2) == 0).collect(),
        fuel: 60,
        effects: 5,
        lanes: (0..8).map(|_| LaneInput { slots: (0..20).map(|_| r.four()).collect() }).collect(),
        ..Environment::default()
    }
}

fn compare_random_program(seed: u64, tally: &mut Tally) {
    let mut r = Random(seed);
    let words = if seed.is_multiple_of(4) { 4 + r.below(12) } else { 64 };
    let program = program(&mut r, words);
    let env = environment(&mut r);
    let options = r.options::<Pica200>();
    let Container::Raw(raw) = &program.container else { unreachable!() };
    let entry = Entry {
        stage: raw.stage,
        start: raw.start,
        version: 0,
        interface: Interface {
            inputs: vec![Port { slot: 16, mask: 15 }, Port { slot: 18, mask: 5 }],
            outputs: (0..16).map(|slot| Port { slot, mask: 15 }).collect(),
            ..Interface::default()
        },
        extra: [u32::MAX, u32::from(raw.output_mask), 0, 0],
    };
    let cx: Context<'_, Pica200> = Context { program: &program, entry: &entry, options: &options };
    compare(&format!("seed {seed}"), cx, &env, &[Mode::Auto, Mode::Nodes, Mode::Fallback], tally);
}

#[test]
fn both_lowerings_of_any_words_agree() {
    let mut tally = Tally::default();
    for seed in 0..400 {
        compare_random_program(seed, &mut tally);
    }
    let all: u32 = tally.ends.iter().sum();
    assert!(tally.ends.iter().all(|n| *n > all / 100), "too few ends of some kind: {tally:?}");
    assert!(tally.refused < 160, "{} of 400 need too many nodes", tally.refused);
}

/// A program with as many nodes as [`Mode::Auto`] allows is lowered by nodes; a program with one more node is lowered by words.
#[test]
fn a_program_falls_back_above_its_node_limit() {
    let (mut at_limit, mut above) = (0, 0);
    for calls in 9..20 {
        for (body, rest) in (0..48).flat_map(|body| (0..8).map(move |rest| (body, rest))) {
            let calls = "call helper\n".repeat(calls) + &"nop\n".repeat(rest);
            let body = "add r0, r0, v0\n".repeat(body);
            let program =
                Pica200::assemble(&format!(".proc main\n{calls}end\n.end\n.proc helper\n{body}nop\n.end"))
                    .unwrap();
            let entry = &Pica200::entries(&program)[0];
            let options = Options::new(Pica200::option_specs());
            let cx: Context<'_, Pica200> = Context { program: &program, entry, options: &options };
            let nodes = lower_with_nodes(&cx).unwrap().1.len();
            let limit = NODES_PER_WORD * program.code.len() + 8;
            if nodes < limit || nodes > limit + 1 {
                continue;
            }
            let by_nodes = lower_validated(&cx, Mode::Auto) == lower_validated(&cx, Mode::Nodes);
            assert_eq!(by_nodes, nodes == limit, "{nodes} nodes, limit {limit}");
            *if by_nodes { &mut at_limit } else { &mut above } += 1;
        }
    }
    assert!(at_limit > 0 && above > 0, "{at_limit} at the limit, {above} above it");
}

// Words that do not count as reachable are in no interface: neither engine is given their inputs, and their outputs are not compared.
#[test]
fn every_executed_word_counts_as_reachable() {
    let mut far = 0;
    for seed in 0..4000 {
        let mut r = Random(1 << 40 | seed);
        let words = 4 + r.below(12);
        let program = program(&mut r, words);
        let Container::Raw(raw) = &program.container else { unreachable!() };
        let counted = reachable(&program, raw.start);
        let entry = Entry {
            stage: raw.stage,
            start: raw.start,
            version: 0,
            interface: Interface::default(),
            extra: [u32::MAX, u32::from(raw.output_mask), 0, 0],
        };
        let options = Options::new(Pica200::option_specs());
        let cx: Context<'_, Pica200> = Context { program: &program, entry: &entry, options: &options };
        for _ in 0..8 {
            let env = environment(&mut r);
            let mut host = ConcreteHost::<false>::new(&env, 0);
            let mut group = run::start::<Pica200, _, _>(&Concrete, &mut host, &cx, 1, env.fuel);
            for _ in 0..200 {
                let Some(at) = Pica200::position(&cx, &group[0].lane).filter(|_| group[0].end.is_none())
                else {
                    break;
                };
                let at = at as usize;
                assert!(counted.get(at) != Some(&false), "seed {seed}: word {at} of {:?}", program.code);
                far += u32::from(at > raw.start as usize + 6);
                run::step(&mut Concrete, &mut host, &cx, &mut group);
            }
        }
    }
    assert!(far > 10_000, "{far} steps far from the entry");
}
