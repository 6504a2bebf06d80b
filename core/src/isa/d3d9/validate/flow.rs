//! Rules about blocks, loops, subroutines and the conditions that control them.

use super::super::limits::{Bound, limits};
use super::super::opcode::{Kind, Opcode};
use super::super::profile::Profile;
use super::super::program::{File, Instruction, Program};
use super::super::reads::{ReadResource, reads};
use super::super::rules::Rule;
use super::Checker;
use super::declared::Declared;
use std::collections::BTreeMap;

/// The maximum nesting depth of loops, and of calls, in every version (MS).
const MAX_NESTING: u16 = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Block {
    If { dynamic: bool, has_else: bool },
    Rep,
    Loop,
}

/// Facts about a subroutine, from the calls before its label.
#[derive(Clone, Copy, Debug)]
struct SubroutineFacts {
    /// The maximum nesting depth of the calls of the subroutine.
    depth: u16,
    /// Whether every call of the subroutine is in a `loop`.
    looped: bool,
}

/// The number of open blocks of each kind.
#[derive(Clone, Copy, Default)]
struct Opened {
    dynamic: u16,
    static_ifs: u16,
    reps: u16,
    loops: u16,
}

impl Opened {
    fn count_mut(&mut self, block: Block) -> &mut u16 {
        match block {
            Block::If { dynamic: true, .. } => &mut self.dynamic,
            Block::If { .. } => &mut self.static_ifs,
            Block::Rep => &mut self.reps,
            Block::Loop => &mut self.loops,
        }
    }

    fn any_loop(self) -> u16 {
        self.reps.saturating_add(self.loops)
    }
}

/// The blocks and the subroutine that are open at an instruction.
pub(super) struct Flow {
    blocks: Vec<Block>,
    opened: Opened,
    /// The first position of each label.
    labels: BTreeMap<u16, usize>,
    subroutines: BTreeMap<u16, SubroutineFacts>,
    /// Facts about the subroutine that contains the instruction. The main program has depth 0 and is not in a loop.
    current: SubroutineFacts,
    in_subroutine: bool,
    after_ret: bool,
    last_word: Option<u32>,
    static_count: u32,
}

impl Flow {
    pub(super) fn new(program: &Program) -> Flow {
        let mut labels = BTreeMap::new();
        for (at, i) in program.instructions.iter().enumerate() {
            if let (Some(Opcode::Label), Some(label)) = (i.op(), i.sources.first()) {
                labels.entry(label.number).or_insert(at);
            }
        }
        Flow {
            blocks: Vec::new(),
            opened: Opened::default(),
            labels,
            subroutines: BTreeMap::new(),
            current: SubroutineFacts { depth: 0, looped: false },
            in_subroutine: false,
            after_ret: false,
            last_word: None,
            static_count: 0,
        }
    }

    /// Whether a block or a subroutine is open.
    pub(super) fn inside(&self) -> bool {
        !self.blocks.is_empty() || self.in_subroutine
    }

    pub(super) fn check(
        &mut self,
        c: &mut Checker<'_>,
        at: usize,
        i: &Instruction,
        op: Opcode,
        declared: &Declared,
    ) {
        self.last_word = Some(at as u32);
        Flow::values(c, i, op, declared);
        self.conditions(c, i, op);
        if op.row().kind == Kind::Declaration {
            return;
        }
        self.counter(c, i, op);
        let predicate = i.sources.last().is_some_and(|s| s.is(File::Predicate));
        match op {
            Opcode::If => self.begin(c, Block::If { dynamic: predicate, has_else: false }),
            Opcode::Ifc => self.begin(c, Block::If { dynamic: true, has_else: false }),
            Opcode::Rep => self.begin(c, Block::Rep),
            Opcode::Loop => self.begin(c, Block::Loop),
            Opcode::Else => match self.blocks.last_mut() {
                Some(Block::If { has_else, .. }) => {
                    let twice = std::mem::replace(has_else, true);
                    c.report_if(Rule::ElseTwice, twice);
                }
                _ => c.report_if(Rule::Unopened, true),
            },
            Opcode::Endif => self.end(c, |b| matches!(b, Block::If { .. })),
            Opcode::Endrep => self.end(c, |b| b == Block::Rep),
            Opcode::Endloop => self.end(c, |b| b == Block::Loop),
            Opcode::Break | Opcode::Breakc | Opcode::Breakp => {
                c.report_if(Rule::BreakOutside, self.opened.any_loop() == 0);
                let own = u16::from(op == Opcode::Breakc);
                self.dynamic(c, own);
            }
            Opcode::Call | Opcode::Callnz => self.call(c, at, i, predicate),
            Opcode::Label => self.label(c, at, i),
            Opcode::Ret => {
                let next = c.program.instructions.get(at + 1).map(Instruction::op);
                let ends = next.is_none_or(|n| n == Some(Opcode::Label));
                c.report_if(Rule::RetPlace, !ends || !self.blocks.is_empty());
            }
            _ => {}
        }
        self.after_ret = op == Opcode::Ret;
        let counts = match op {
            Opcode::If | Opcode::Callnz => !predicate,
            Opcode::Else => matches!(self.blocks.last(), Some(Block::If { dynamic: false, .. })),
            Opcode::Rep | Opcode::Loop | Opcode::Call => true,
            _ => false,
        };
        if counts {
            self.static_count += 1;
            let most = limits(c.profile).flow_count.map(u32::from);
            c.report_if(Rule::FlowCount, most.is_some_and(|most| self.static_count == most + 1));
        }
    }

    fn begin(&mut self, c: &mut Checker<'_>, block: Block) {
        self.blocks.push(block);
        let count = self.opened.count_mut(block);
        *count = count.saturating_add(1);
        let l = limits(c.profile);
        match block {
            Block::Rep | Block::Loop => {
                let loops = self.opened.any_loop();
                c.report_if(Rule::Depth, loops > MAX_NESTING);
                check_depth(c, loops, l.loop_depth);
            }
            Block::If { dynamic: true, .. } => self.dynamic(c, 0),
            Block::If { .. } => check_depth(c, self.opened.static_ifs, l.static_depth),
        }
    }

    /// Checks the nesting depth of dynamic conditions: the number of open ones plus `more`.
    fn dynamic(&self, c: &mut Checker<'_>, more: u16) {
        check_depth(c, self.opened.dynamic.saturating_add(more), limits(c.profile).dynamic_depth);
    }

    fn end(&mut self, c: &mut Checker<'_>, fits: impl Fn(Block) -> bool) {
        let open = self.blocks.last().is_some_and(|b| fits(*b));
        c.report_if(Rule::Unopened, !open);
        if let Some(block) = self.blocks.pop_if(|_| open) {
            let count = self.opened.count_mut(block);
            *count = count.saturating_sub(1);
        }
    }

    fn call(&mut self, c: &mut Checker<'_>, at: usize, i: &Instruction, predicate: bool) {
        let Some(label) = i.sources.first().map(|s| s.number) else { return };
        let ahead = self.labels.get(&label).is_some_and(|to| *to > at);
        c.report_if(Rule::LabelMissing, !ahead);
        let depth = self.current.depth.saturating_add(1);
        c.report_if(Rule::Depth, depth > MAX_NESTING);
        check_depth(c, depth, limits(c.profile).call_depth);
        if predicate {
            self.dynamic(c, 1);
        }
        let looped = self.current.looped || self.opened.loops > 0;
        let known = self.subroutines.entry(label).or_insert(SubroutineFacts { depth, looped });
        known.depth = known.depth.max(depth);
        known.looped &= looped;
    }

    fn label(&mut self, c: &mut Checker<'_>, at: usize, i: &Instruction) {
        let Some(label) = i.sources.first().map(|s| s.number) else { return };
        c.report_if(Rule::LabelPlace, !self.blocks.is_empty() || !self.after_ret);
        c.report_if(Rule::LabelTwice, self.labels.get(&label) != Some(&at));
        c.report_if(Rule::SubroutineEnd, self.in_subroutine && !self.after_ret);
        self.in_subroutine = true;
        // A subroutine that is never called never runs, so its reads of aL are not reported.
        self.current =
            self.subroutines.get(&label).copied().unwrap_or(SubroutineFacts { depth: 1, looped: true });
    }

    /// Checks reads of the loop counter.
    fn counter(&self, c: &mut Checker<'_>, i: &Instruction, op: Opcode) {
        let looped = self.current.looped || self.opened.loops > 0;
        if looped || op == Opcode::Loop {
            return;
        }
        let mut read = false;
        reads(i, c.program.version, c.textures, |r| {
            read |= matches!(r.resource, ReadResource::Register(f, _) if f == File::Loop as u8);
        });
        c.report_if(Rule::LoopOutside, read);
    }

    /// Checks the values of a loop's integer constant, if the program itself defines it.
    fn values(c: &mut Checker<'_>, i: &Instruction, op: Opcode, declared: &Declared) {
        if c.profile.software() || !matches!(op, Opcode::Rep | Opcode::Loop) {
            return;
        }
        let Some([x, y, z, w]) = i.sources.last().and_then(|s| declared.int(s.number)) else { return };
        let stepped = y <= 255 && (-128..128).contains(&(z as i32)) && w == 0;
        c.report_if(Rule::LoopValues, x > 255 || op == Opcode::Loop && !stepped);
    }

    /// Checks for instructions that need a capability, derivatives under dynamic conditions, and reads of vFace.
    fn conditions(&self, c: &mut Checker<'_>, i: &Instruction, op: Opcode) {
        let predicate = i.sources.last().is_some_and(|s| s.is(File::Predicate));
        let flow = op.row().kind == Kind::Flow;
        let capability = match c.profile {
            Profile::Vs2x => {
                matches!(op, Opcode::Ifc | Opcode::Break | Opcode::Breakc | Opcode::Setp) || flow && predicate
            }
            Profile::Ps2x => flow || matches!(op, Opcode::Setp | Opcode::Dsx | Opcode::Dsy | Opcode::Texldd),
            _ => false,
        };
        c.report_if(Rule::FlowCapability, capability);
        let derives = matches!(op, Opcode::Dsx | Opcode::Dsy | Opcode::Tex);
        let computed = i.sources.first().is_some_and(|s| s.is(File::Temporary));
        if derives && computed && super::PREDICATES.has(c.profile) {
            c.report_if(Rule::GradientInFlow, self.opened.dynamic > 0 || i.predicate.is_some());
        }
        let asks = matches!(op, Opcode::Setp | Opcode::Ifc | Opcode::Breakc);
        let face = i.sources.iter().any(|s| s.is(File::Misc) && s.number == 1);
        c.report_if(Rule::FaceRead, face && !asks);
    }

    pub(super) fn finish(&self, c: &mut Checker<'_>) {
        c.report_if(Rule::Open, !self.blocks.is_empty());
        c.report_if_at(self.last_word, Rule::SubroutineEnd, self.in_subroutine && !self.after_ret);
    }
}

/// Records a violation if a depth exceeds the guaranteed limit of the version.
fn check_depth(c: &mut Checker<'_>, depth: u16, bound: Bound) {
    c.report_if(Rule::DepthVersion, depth > bound.guaranteed);
}
