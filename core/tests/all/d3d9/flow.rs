//! Random programs of every version, with random control flow: three ways of lowering must agree with the reference.
//!
//! Straight-line pieces are instances of the lowering rules with other register numbers; around them come blocks, loops, subroutines, predicates and
//! breaks, wherever the version has them.

use lockstep_core::exec::{Batch, Level, Plan, Planner};
use lockstep_core::host::{ConcreteHost, Dimension, Environment, LaneInput, SamplerState, Texels, Texture};
use lockstep_core::ir::verify;
use lockstep_core::isa::d3d9::D3d9;
use lockstep_core::isa::d3d9::opcode::{Kind, Opcode};
use lockstep_core::isa::d3d9::profile::{Profile, Profiles};
use lockstep_core::isa::d3d9::program::{
    Dest, File, Index, Instruction, Modifier, Program, Relative, Source, Usage,
};
use lockstep_core::isa::facet::rule_instances;
use lockstep_core::isa::lowering::{LowerError, Mode, lower_validated};
use lockstep_core::isa::{self, Context, End, Format, Legality, Options, Reference, Syntax, Tables, run};
use lockstep_core::value::{Concrete, same};
use std::collections::BTreeMap;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) >> 32) as u32
    }
    fn below(&mut self, n: u32) -> u32 {
        self.next() % n
    }
    fn float(&mut self) -> f32 {
        match self.below(8) {
            0 => 0.0,
            1 => f32::from_bits(self.next()),
            2 => self.below(7) as f32 - 3.0,
            _ => self.below(4096) as f32 / 1024.0 - 2.0,
        }
    }
}

/// Straight-line pieces for each version, from the rule instances.
fn pieces() -> BTreeMap<Profile, Vec<Vec<Instruction>>> {
    let mut all: BTreeMap<Profile, Vec<Vec<Instruction>>> = BTreeMap::new();
    for rule in rule_instances::<D3d9>() {
        let instructions = &rule.program.instructions;
        if instructions.iter().any(|i| i.op().unwrap().row().kind == Kind::Flow) {
            continue;
        }
        let piece: Vec<Instruction> =
            instructions.iter().filter(|i| i.op() != Some(Opcode::Dcl)).cloned().collect();
        if piece.iter().any(|i| i.op() == Some(Opcode::Phase)) {
            continue;
        }
        // Pieces of one version may be legal in other versions of its stage. Where a piece breaks a rule, another is drawn.
        let profile = rule.program.version.profile().unwrap();
        for other in Profile::ALL {
            let alike = other.stage() == profile.stage()
                && (other.major() == profile.major() || profile.major() >= 2 && other.major() >= 2);
            if alike {
                all.entry(*other).or_default().push(piece.clone());
            }
        }
    }
    all
}

fn one(op: Opcode, sources: &[Source]) -> Instruction {
    let mut i = Instruction::new(op);
    i.sources.extend(sources.iter().copied());
    i
}

struct Writer<'a> {
    r: Random,
    profile: Profile,
    pieces: &'a [Vec<Instruction>],
    out: Vec<Instruction>,
    /// Labels that calls may still use: those after the current subroutine.
    labels: std::ops::Range<u16>,
    /// Whether a subroutine is being generated.
    called: bool,
}

impl Writer<'_> {
    fn is_legal(&self, piece: &[Instruction]) -> bool {
        let instructions = self.declarations().into_iter().chain(piece.iter().cloned()).collect();
        let program = self.program(instructions);
        let entry = &D3d9::entries(&program)[0];
        let options = Options::new(D3d9::option_specs());
        let cx = Context { program: &program, entry, options: &options };
        D3d9::validate(&cx).iter().all(|v| v.level < isa::Level::Error)
    }

    fn program(&self, instructions: Vec<Instruction>) -> Program {
        let version = self.profile.version();
        Program { version, instructions, comments: Vec::new(), tail: Vec::new() }
    }

    fn declarations(&self) -> Vec<Instruction> {
        if self.profile.major() < 2 || !self.profile.is_pixel() && self.profile.major() < 3 {
            return Vec::new();
        }
        let dcl = |number: u16| {
            let mut dcl = Instruction::new(Opcode::Dcl);
            dcl.usage = Some(Usage::of_texture(2 + (number % 3) as u8));
            dcl.dest = Some(Dest::register(File::Sampler, number, 15));
            dcl
        };
        (0..3).map(dcl).collect()
    }

    /// Draws a piece and gives it other registers.
    fn piece(&mut self) -> Vec<Instruction> {
        for _ in 0..20 {
            let at = self.r.below(self.pieces.len() as u32) as usize;
            let mut piece = self.pieces[at].clone();
            for i in &mut piece {
                let flags = self.r.next();
                if let Some(dest) = i.dest.as_mut().filter(|d| d.is(File::Temporary)) {
                    dest.number = (flags & 1) as u16;
                }
                for (k, source) in i.sources.iter_mut().enumerate() {
                    if source.is(File::Temporary) && i.opcode != Opcode::Sgn.row().number {
                        source.number = (flags >> (2 * k + 1) & 1) as u16;
                    } else if source.is(File::Sampler) {
                        source.number = (flags >> 8 & 3) as u16 % 3;
                    } else if source.is(File::Input) {
                        source.number = (flags >> 12 & 1) as u16;
                    } else if source.constant().is_some() {
                        source.number = (flags >> 10 & 3) as u16;
                    }
                }
            }
            if self.is_legal(&piece) {
                return piece;
            }
        }
        Vec::new()
    }

    fn source(&mut self) -> Source {
        let (file, number) = match self.r.below(3) {
            0 => (File::Temporary, self.r.below(2)),
            1 => (File::Constant, self.r.below(4)),
            _ => (File::Input, self.r.below(2)),
        };
        Source::register(file, number as u16, (self.r.below(4) * 0x55) as u8)
    }

    /// A condition: a Boolean, or a predicate in versions that have them.
    fn condition(&mut self, dynamic: bool) -> Source {
        let modifier = if self.r.below(3) == 0 { Modifier::Not as u8 } else { 0 };
        let source = if dynamic && self.r.below(2) == 0 {
            Source::register(File::Predicate, 0, (self.r.below(4) * 0x55) as u8)
        } else {
            Source::register(File::Bool, self.r.below(8) as u16, Source::XYZW)
        };
        Source { modifier, ..source }
    }

    fn compared(&mut self, op: Opcode) -> Instruction {
        let sources = [self.source(), self.source()];
        let mut i = one(op, &sources);
        i.control = 1 + self.r.below(6) as u8;
        i
    }

    fn setp(&mut self) -> Instruction {
        let mut i = self.compared(Opcode::Setp);
        i.dest = Some(Dest::register(File::Predicate, 0, 1 + self.r.below(15) as u8));
        for source in &mut i.sources {
            source.swizzle = if self.profile.is_pixel() { Source::XYZW } else { self.r.next() as u8 };
        }
        i
    }

    /// A read indexed by aL.
    fn counted(&mut self) -> Instruction {
        let index = Relative::Indexed(Index::register(File::Loop, 0));
        let file = if self.profile.is_pixel() || self.r.below(4) == 0 { File::Input } else { File::Constant };
        let from = Source::register(file, self.r.below(3) as u16, Source::XYZW);
        let onto = Source::register(File::Temporary, 0, Source::XYZW);
        let mut i = one(Opcode::Add, &[Source { relative: index, ..from }, onto]);
        i.dest = Some(Dest::register(File::Temporary, 0, 15));
        i
    }

    fn block(&mut self, depth: u32, loops: u32) {
        let flow = Profiles::VS2.or(Profiles::PS2X).has(self.profile);
        let dynamic = Profiles::VS2X.or(Profiles::PS2X).has(self.profile);
        for _ in 0..=self.r.below(4) {
            let kinds = if flow && depth < 4 { 10 } else { 2 };
            match self.r.below(kinds) {
                2 | 3 => {
                    let i = if dynamic && self.r.below(2) == 0 {
                        self.compared(Opcode::Ifc)
                    } else {
                        one(Opcode::If, &[self.condition(dynamic)])
                    };
                    self.out.push(i);
                    self.block(depth + 1, loops);
                    if self.r.below(2) == 0 {
                        self.out.push(one(Opcode::Else, &[]));
                        self.block(depth + 1, loops);
                    }
                    self.out.push(one(Opcode::Endif, &[]));
                }
                4 | 5 if loops < 3 => {
                    let int = Source::register(File::Int, self.r.below(4) as u16, Source::XYZW);
                    let counter = Source::register(File::Loop, 0, Source::XYZW);
                    let aloop =
                        (!self.profile.is_pixel() || self.profile.major() >= 3) && self.r.below(2) == 0;
                    self.out.push(if aloop {
                        one(Opcode::Loop, &[counter, int])
                    } else {
                        one(Opcode::Rep, &[int])
                    });
                    self.block(depth + 1, loops + 1);
                    self.out.push(one(if aloop { Opcode::Endloop } else { Opcode::Endrep }, &[]));
                }
                6 if loops > 0 && dynamic => {
                    let i = match self.r.below(3) {
                        0 if depth > loops => one(Opcode::Break, &[]),
                        1 => self.compared(Opcode::Breakc),
                        _ => {
                            let swizzle = (self.r.below(4) * 0x55) as u8;
                            one(Opcode::Breakp, &[Source::register(File::Predicate, 0, swizzle)])
                        }
                    };
                    self.out.push(i);
                }
                7 if !self.labels.is_empty() => {
                    let many = u32::from(self.labels.end - self.labels.start);
                    let label = self.labels.start + self.r.below(many) as u16;
                    let label = Source::register(File::Label, label, Source::XYZW);
                    let i = if self.r.below(2) == 0 {
                        one(Opcode::Call, &[label])
                    } else {
                        one(Opcode::Callnz, &[label, self.condition(dynamic)])
                    };
                    self.out.push(i);
                }
                8 if self.r.below(if self.called && loops > 0 { 1 } else { 8 }) == 0 => {
                    self.out.push(one(Opcode::Ret, &[]));
                }
                9 if self.profile.major() >= 3 || flow && !self.profile.is_pixel() => {
                    let i = self.counted();
                    if self.is_legal(std::slice::from_ref(&i)) {
                        self.out.push(i);
                    }
                }
                1 if dynamic => {
                    let i = self.setp();
                    self.out.push(i);
                }
                _ => {
                    let piece = self.piece();
                    self.out.extend(piece);
                }
            }
        }
    }

    fn write(mut self) -> (Program, Random) {
        self.out = self.declarations();
        let flow = Profiles::VS2.or(Profiles::PS2X).has(self.profile);
        let count = if flow { self.r.below(4) as u16 } else { 0 };
        self.labels = 0..count;
        self.block(0, 0);
        self.called = true;
        for label in 0..count {
            self.out.push(one(Opcode::Ret, &[]));
            self.out.push(one(Opcode::Label, &[Source::register(File::Label, label, Source::XYZW)]));
            self.labels = label + 1..count;
            self.block(1, 0);
        }
        if self.r.below(2) == 0 {
            self.out.push(one(Opcode::Ret, &[]));
        }
        let instructions = std::mem::take(&mut self.out);
        (self.program(instructions), self.r)
    }
}

fn environment(r: &mut Random) -> Environment {
    let four = |r: &mut Random| std::array::from_fn(|_| r.float());
    let texture = |n: usize| Texture {
        dimension: [Dimension::Two, Dimension::Cube, Dimension::Three, Dimension::One][n % 4],
        size: [8; 3],
        levels: 3,
        state: SamplerState::default(),
        texels: Texels::Pattern { seed: n as u32 },
    };
    Environment {
        constants: (0..24).map(|_| four(r)).collect(),
        ints: (0..4)
            .map(|_| [r.below(5) as i32 - 1, r.below(5) as i32 - 1, r.below(4) as i32 - 1, 0])
            .collect(),
        bools: (0..8).map(|_| r.below(2) == 0).collect(),
        textures: (0..6).map(texture).collect(),
        fuel: 60,
        lanes: (0..8).map(|_| LaneInput { slots: (0..34).map(|_| four(r)).collect() }).collect(),
        ..Environment::default()
    }
}

#[derive(Default)]
struct Counts {
    ends: [u32; 4],
    killed: u32,
    refused: u32,
    components: u64,
    /// The number of programs that break a rule although none of their pieces does.
    illegal: u32,
    called: u32,
}

/// Runs one lane of a program on the reference and three times on the executor; returns component x of output 0, which
/// must be equal in all.
fn one_lane(text: &str, env: &Environment) -> f32 {
    let program = D3d9::assemble(text).unwrap();
    let entry = D3d9::entries(&program).pop().unwrap();
    let mut env = env.clone();
    D3d9::preset(&program, &entry, &mut env);
    let options = Options::new(D3d9::option_specs());
    let cx: Context<'_, D3d9> = Context { program: &program, entry: &entry, options: &options };
    let mut d = Concrete;
    let mut host = ConcreteHost::<true>::new(&env, 0);
    let mut group = run::start::<D3d9, _, _>(&d, &mut host, &cx, 1, env.fuel);
    run::run(&mut d, &mut host, &cx, &mut group);
    assert_eq!(group[0].end, Some(End::Finished));
    let value = D3d9::output(&d, &cx, &group[0].lane, 0)[0];
    for mode in [Mode::Auto, Mode::Nodes, Mode::Fallback] {
        let ir = isa::lower(&cx, mode).unwrap();
        let (mut planner, mut plan, mut batch) = (Planner::default(), Plan::default(), Batch::new());
        planner.plan(&ir, &mut plan);
        batch.run(&plan, &env, Level::detect());
        assert!(same(value, batch.output(0, 0)), "{mode:?}: {value} {}", batch.output(0, 0));
    }
    value
}

/// c0 to c7 are powers of two, so a sum shows which of them were added.
#[test]
fn the_loop_counter_is_restored_however_a_loop_ends() {
    let mut env = environment(&mut Random(1));
    env.constants = (0..8).map(|n| [(1 << n) as f32; 4]).collect();
    let head = "vs_3_0\ndcl_position o0\ndefi i0, 2, 0, 1, 0\ndefi i1, 2, 4, 2, 0\nmov r0, c[aL + 7]\nmov r0, -r0\n\
        add r0, r0, c7\nloop aL, i0\n";
    // The body of the outer loop, the subroutines, and the sum: aL is 0 and 1 in the outer loop, 4 and 6 in the inner one.
    let bodies = [
        ("add r0, r0, c[aL]", "", 3.0),
        ("add r0, r0, c[aL]\nloop aL, i1\nadd r0, r0, c[aL]\nendloop", "", 3.0 + 2.0 * 80.0),
        ("loop aL, i1\nadd r0, r0, c[aL]\nendloop\nadd r0, r0, c[aL]", "", 3.0 + 2.0 * 80.0),
        ("loop aL, i1\nadd r0, r0, c[aL]\nbreak\nendloop\nadd r0, r0, c[aL]", "", 3.0 + 2.0 * 16.0),
        ("loop aL, i1\nbreak_ge c0, c0\nendloop\nadd r0, r0, c[aL]", "", 3.0),
        ("rep i0\nadd r0, r0, c[aL]\nendrep", "", 6.0),
        ("rep i0\nbreak\nendrep\nadd r0, r0, c[aL]", "", 3.0),
        ("call l1\nadd r0, r0, c[aL]", "label l1\nadd r0, r0, c[aL]\nret", 6.0),
        (
            "call l1\nadd r0, r0, c[aL]",
            "label l1\nloop aL, i1\nadd r0, r0, c[aL]\nret\nendloop",
            3.0 + 2.0 * 16.0,
        ),
        (
            "call l1\nadd r0, r0, c[aL]",
            "label l1\nloop aL, i1\nrep i0\nloop aL, i0\nadd r0, r0, c[aL]\nret\nendloop\nendrep\nendloop\nret",
            3.0 + 2.0,
        ),
        ("call l1\nadd r0, r0, c[aL]", "label l1\ncall l2\nret\nlabel l2\nadd r0, r0, c[aL]", 6.0),
    ];
    for (body, rest, expected) in bodies {
        let text = format!("{head}{body}\nendloop\nmov o0, r0\nret\n{rest}\n");
        assert_eq!(one_lane(&text, &env), expected, "{text}");
    }
}

/// The alpha of every temporary register is lost at `phase` (MS), and the other components are kept. By default, the lost alpha reads as 0.
#[test]
fn phase_clears_the_alpha_of_every_temporary() {
    let mut env = environment(&mut Random(1));
    env.constants = vec![[0.5; 4]];
    for number in 0..6 {
        let text = |swizzle: &str| format!("ps_1_4\nmov r{number}, c0\nphase\nmov r0, r{number}.{swizzle}\n");
        assert_eq!(one_lane(&text("a"), &env), 0.0, "r{number}");
        assert_eq!(one_lane(&text("b"), &env), 0.5, "r{number}");
    }
}

fn compare_random_program(seed: u64, pieces: &BTreeMap<Profile, Vec<Vec<Instruction>>>, counts: &mut Counts) {
    let mut r = Random(seed);
    let profile = Profile::ALL[r.below(Profile::ALL.len() as u32) as usize];
    let (program, mut r) =
        Writer { r, profile, pieces: &pieces[&profile], out: Vec::new(), labels: 0..0, called: false }
            .write();
    let env = environment(&mut r);
    let mut options = Options::new(D3d9::option_specs());
    for option in 0..D3d9::option_specs().len() {
        if r.below(3) == 0 {
            options.set(option, r.below(4) as u8);
        }
    }
    let Some(entry) = D3d9::entries(&program).pop() else { unreachable!() };
    let cx: Context<'_, D3d9> = Context { program: &program, entry: &entry, options: &options };
    if program.instructions.is_empty() || D3d9::validate(&cx).iter().any(|v| v.level == isa::Level::Error) {
        counts.illegal += 1;
        return;
    }
    counts.called += u32::from(program.instructions.iter().any(|i| i.op() == Some(Opcode::Call)));
    for mode in [Mode::Auto, Mode::Nodes, Mode::Fallback] {
        let ir = match lower_validated(&cx, mode) {
            Ok(ir) => ir,
            Err(LowerError::TooManyNodes) => {
                counts.refused += 1;
                continue;
            }
            Err(error) => panic!("seed {seed}, {mode:?}: {error}"),
        };
        verify(&ir).unwrap();
        let (mut planner, mut plan, mut batch) = (Planner::default(), Plan::default(), Batch::new());
        planner.plan(&ir, &mut plan);
        batch.run(&plan, &env, Level::detect());
        let group_size = usize::from(D3d9::group(&cx));
        for base in (0..env.lanes.len()).step_by(group_size) {
            let mut d = Concrete;
            let mut host = ConcreteHost::<true>::new(&env, base);
            let mut group = run::start::<D3d9, _, _>(&d, &mut host, &cx, group_size, env.fuel);
            run::run(&mut d, &mut host, &cx, &mut group);
            for (l, running) in group.iter().enumerate() {
                let lane = base + l;
                let case = || format!("seed {seed}, {mode:?}, lane {lane}\n{}", D3d9::disassemble(&program));
                let end = running.end.unwrap();
                assert_eq!(end, batch.end(lane), "{}", case());
                counts.ends[end as usize] += 1;
                if matches!(end, End::OutOfFuel | End::Hung) {
                    continue;
                }
                let killed = running.lane.killed;
                assert_eq!(killed, batch.is_killed(lane), "killed {}", case());
                counts.killed += u32::from(killed);
                for (slot, c) in entry.interface.components() {
                    let value = D3d9::output(&d, &cx, &running.lane, slot)[usize::from(c)];
                    let other = batch.output(lane, slot * 4 + u16::from(c));
                    let name = || D3d9::output_name(&entry, slot);
                    assert!(same(value, other), "{}.{c}: {value:?} {other:?}, {}", name(), case());
                    counts.components += 1;
                }
            }
        }
    }
}

#[test]
fn three_lowerings_of_random_programs_agree() {
    let pieces = pieces();
    let mut counts = Counts::default();
    for seed in 0..1500 {
        compare_random_program(seed, &pieces, &mut counts);
    }
    let Counts { ends, killed, refused, components, illegal, called } = counts;
    println!(
        "{ends:?} {killed} killed, {components} components, {illegal} illegal, {refused} refused, {called} call"
    );
    assert!(ends[0] > 10_000 && ends[1] > 100, "too few ends of some kind: {ends:?}");
    assert!(killed > 50 && components > 50_000 && called > 100, "{killed} {components} {called}");
    assert!(illegal < 500, "{illegal} of 1500 programs are not legal");
    assert!(refused < 300, "{refused} of 1500 need too many nodes");
}
