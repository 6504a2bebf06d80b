//! Executes a function of machine code for one lane, on numbers or on terms.
//!
//! General-purpose registers hold addresses, the mask of active lanes and the number of groups. Their values are tracked exactly: a starting value
//! plus a constant, plus a multiple of the group's number if the value changes from group to group. One pass through the loop, for a group with an
//! arbitrary number, represents all passes: the state at the end of the pass must equal the state at the loop's head for the next group. Nothing is
//! computed across lanes, so one lane represents all lanes of its group.

use crate::decode::{Function, Gpr, Instruction, Kind, Memory, Operand, StoreMask, Target};
use crate::error::{Invalid, Reason};
use crate::sequence::Vector;
use crate::word::{Word, Words, select, sign};
use lockstep_core::exec::WIDTH;
use lockstep_core::ir::eval::Scalar;

/// The arrays in memory outside the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Array {
    Rows,
    Inputs,
    Outputs,
    /// The active lanes, as truth values.
    Active,
}

impl std::fmt::Display for Array {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Array::Rows => "rows",
            Array::Inputs => "inputs",
            Array::Outputs => "outputs",
            Array::Active => "mask of active lanes",
        })
    }
}

/// The location of a word in memory, for one lane or shared by all lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Location {
    pub(crate) array: Array,
    pub(crate) row: u64,
    /// Whether the word belongs to the lanes of the current group; otherwise it belongs to the lanes of the first group.
    pub(crate) group: bool,
}

/// The memory as one lane sees it.
pub(crate) trait Lane<D: Words>: Clone {
    /// Returns the word at a location.
    fn load(&self, d: &D, location: Location) -> Result<Word<D>, String>;
    /// Sets the word at a location.
    fn store(&mut self, d: &D, location: Location, word: Word<D>) -> Result<(), String>;
}

/// The contents of a general-purpose register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum General {
    Unknown,
    /// The address of the frame.
    Frame,
    /// The start of an array plus `bytes`; with `group`, plus the offset of the current group.
    Address {
        array: Array,
        group: bool,
        bytes: i64,
    },
    /// The mask of active lanes, shifted right by `lanes`; with `group`, also by the lanes of the groups that have already run.
    Lanes {
        group: bool,
        lanes: i64,
    },
    /// The number of groups minus `less`; with `group`, also minus the groups that have already run.
    Groups {
        group: bool,
        less: i64,
    },
}

impl std::fmt::Display for General {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let of = |group: bool| if group { " at the group" } else { "" };
        match self {
            General::Unknown => f.write_str("an unknown value"),
            General::Frame => f.write_str("the frame"),
            General::Address { array, group, bytes } => write!(f, "the {array}{} + {bytes}", of(*group)),
            General::Lanes { group, lanes } => write!(f, "the mask of lanes{} >> {lanes}", of(*group)),
            General::Groups { group, less } => write!(f, "the number of groups{} - {less}", of(*group)),
        }
    }
}

/// The condition that the zero flag represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flags {
    Unknown,
    /// Set if no lane of the group is active.
    NoLane,
    /// Set if the group is the last one.
    Last,
}

struct State<D: Words, M> {
    at: usize,
    general: [General; 16],
    vectors: [Option<Word<D>>; 32],
    masks: [Option<D::B>; 8],
    flags: Flags,
    memory: M,
    /// The general-purpose registers at the loop's head, as they are for every group; `None` before the loop.
    head: Option<[General; 16]>,
    /// Whether the last test found that groups remain.
    groups_remain: bool,
    /// Whether the last test found that no group remains.
    no_group_remains: bool,
}

impl<D: Words, M: Clone> Clone for State<D, M> {
    fn clone(&self) -> State<D, M> {
        State {
            at: self.at,
            general: self.general,
            vectors: self.vectors.clone(),
            masks: self.masks.clone(),
            flags: self.flags,
            memory: self.memory.clone(),
            head: self.head,
            groups_remain: self.groups_remain,
            no_group_remains: self.no_group_remains,
        }
    }
}

/// The execution of a function.
pub(crate) struct Run<'a, D: Words> {
    pub(crate) d: &'a D,
    pub(crate) bytes: &'a [u8],
    pub(crate) function: &'a Function,
    pub(crate) vector: Vector,
    /// Whether the lane is active; `None` in a function for groups whose lanes are all active.
    pub(crate) active: Option<bool>,
}

/// The next instruction to execute.
enum Next {
    Following,
    At(usize),
    /// Both the following instruction and the one with this index; the zero flag equals the second field where the jump is taken.
    Either(usize, bool),
    End,
}

/// The maximum number of paths through a function. Compiled code has only one branch besides that of the loop.
const MAX_PATHS: usize = 64;

/// The size of a row in bytes.
const ROW: i64 = 4 * WIDTH as i64;

const RDI: usize = 7;

/// The general-purpose registers that a function may change: the caller-saved ones of the System V convention.
const CALLER_SAVED: [Gpr; 9] = [0, 1, 2, 6, 7, 8, 9, 10, 11];

impl<D: Words> Run<'_, D> {
    /// Returns the lane's memory after each path through the function.
    pub(crate) fn run_paths<M: Lane<D>>(&self, memory: M) -> Result<Vec<M>, Invalid> {
        let mut general = [General::Unknown; 16];
        general[RDI] = General::Frame;
        let mut ways = vec![State {
            at: 0,
            general,
            vectors: [const { None }; 32],
            masks: [const { None }; 8],
            flags: Flags::Unknown,
            memory,
            head: None,
            groups_remain: false,
            no_group_remains: false,
        }];
        let (mut ends, mut taken) = (Vec::new(), 0);
        while let Some(mut state) = ways.pop() {
            taken += 1;
            let refused =
                |at: usize, reason| Invalid::Code { offset: self.function.instructions[at].offset, reason };
            if taken > MAX_PATHS {
                return Err(refused(0, Reason::Groups("the function has too many branches")));
            }
            loop {
                if state.at == self.function.head {
                    if let Some(head) = &state.head {
                        self.check_next_group(&state, head)
                            .map_err(|reason| refused(self.function.back, reason))?;
                        break;
                    }
                    self.enter(&mut state);
                }
                let at = state.at;
                let instruction = self.function.instructions[at];
                match self.step(&mut state, instruction).map_err(|reason| refused(at, reason))? {
                    Next::Following => state.at += 1,
                    Next::At(to) => state.at = to,
                    Next::Either(to, zero) => {
                        let mut other = state.clone();
                        other.at = to;
                        other.record_test(zero);
                        ways.push(other);
                        state.at += 1;
                        state.record_test(!zero);
                    }
                    Next::End => {
                        ends.push(state.memory);
                        break;
                    }
                }
            }
        }
        Ok(ends)
    }

    /// Returns the general-purpose registers that the loop changes.
    fn changed(&self) -> [bool; 16] {
        let mut changed = [false; 16];
        for instruction in &self.function.instructions[self.function.head..=self.function.back] {
            match instruction.kind {
                Kind::LoadField { gpr, .. }
                | Kind::Move { to: gpr, .. }
                | Kind::ShiftRight { gpr, .. }
                | Kind::Add { gpr, .. }
                | Kind::Decrement { gpr } => changed[usize::from(gpr & 15)] = true,
                _ => {}
            }
        }
        changed
    }

    /// Enters the loop: from here on, registers that the loop changes hold their values for an arbitrary group.
    fn enter<M>(&self, state: &mut State<D, M>) {
        for (value, changed) in state.general.iter_mut().zip(self.changed()) {
            if changed {
                *value = match *value {
                    General::Address { array, group: false, bytes } => {
                        General::Address { array, group: true, bytes }
                    }
                    General::Lanes { group: false, lanes } => General::Lanes { group: true, lanes },
                    General::Groups { group: false, less } => General::Groups { group: true, less },
                    _ => General::Unknown,
                };
            }
        }
        state.vectors = [const { None }; 32];
        state.masks = [const { None }; 8];
        state.flags = Flags::Unknown;
        state.head = Some(state.general);
    }

    /// Checks that the state equals the state at the loop's head for the next group.
    fn check_next_group<M>(&self, state: &State<D, M>, head: &[General; 16]) -> Result<(), Reason> {
        if !state.groups_remain || state.no_group_remains {
            return Err(Reason::Groups("the loop continues without a test whether groups are left"));
        }
        let lanes = self.vector.lanes() as i64;
        for (register, (at_head, found)) in head.iter().zip(&state.general).enumerate() {
            let expected = match *at_head {
                General::Address { array, group: true, bytes } => {
                    General::Address { array, group: true, bytes: bytes + 4 * lanes }
                }
                General::Lanes { group: true, lanes: from } => {
                    General::Lanes { group: true, lanes: from + lanes }
                }
                General::Groups { group: true, less } => General::Groups { group: true, less: less + 1 },
                other => other,
            };
            if expected != *found && expected != General::Unknown {
                let (found, expected) = (found.to_string(), expected.to_string());
                return Err(Reason::Step { register: register as u8, found, expected });
            }
        }
        Ok(())
    }

    fn step<M: Lane<D>>(&self, state: &mut State<D, M>, instruction: Instruction) -> Result<Next, Reason> {
        let d = self.d;
        match instruction.kind {
            Kind::Vector { operation, target, sources } => {
                let mut words = smallvec::SmallVec::<[Word<D>; 3]>::new();
                for source in &sources[..operation.sources()] {
                    words.push(self.word(state, *source)?);
                }
                let Some(result) = operation.apply(d, &words) else { return Err(Reason::NoInstruction) };
                self.set(state, target, result)?;
            }
            Kind::Blend { register, mask, no, yes } => {
                let condition = state.mask(mask)?;
                let result = select(d, &condition, &self.word(state, yes)?, &state.vector(no)?);
                state.vectors[usize::from(register)] = Some(result);
            }
            Kind::Spread { register, mask } => {
                state.vectors[usize::from(register)] = Some(Scalar::B(state.mask(mask)?));
            }
            Kind::BothMasks { register, a, b } => {
                let both = d.and(&state.mask(a)?, &state.mask(b)?);
                state.masks[usize::from(register)] = Some(both);
            }
            Kind::Store { memory, source, when } => self.store(state, memory, source, when)?,
            Kind::MaskFrom { register, gpr } => match (state.general(gpr), self.active) {
                (General::Lanes { group: true, lanes: 0 }, Some(active)) => {
                    state.masks[usize::from(register)] = Some(d.b(active));
                }
                (found, _) => return Err(register_error(gpr, found, "a mask of the lanes that run")),
            },
            Kind::LoadField { gpr, memory } => {
                let field = Self::field(state, memory)?;
                state.set_general(gpr, field)?;
            }
            Kind::Move { to, from } => state.set_general(to, state.general(from))?,
            Kind::TestLanes { gpr, lanes } => match (state.general(gpr), self.active) {
                (General::Lanes { group: true, lanes: 0 }, Some(_)) if lanes == self.vector.lanes() => {
                    state.flags = Flags::NoLane;
                }
                (found, _) => return Err(register_error(gpr, found, "the mask of the group's lanes")),
            },
            Kind::ShiftRight { gpr, count } => {
                let shifted = match state.general(gpr) {
                    General::Lanes { group, lanes } => {
                        General::Lanes { group, lanes: lanes + i64::from(count & 63) }
                    }
                    _ => General::Unknown,
                };
                state.set_general(gpr, shifted)?;
                state.flags = Flags::Unknown;
            }
            Kind::Add { gpr, value } => {
                let sum = match state.general(gpr) {
                    General::Address { array, group, bytes } => {
                        General::Address { array, group, bytes: bytes + value }
                    }
                    _ => General::Unknown,
                };
                state.set_general(gpr, sum)?;
                state.flags = Flags::Unknown;
            }
            Kind::Decrement { gpr } => {
                let less = match state.general(gpr) {
                    General::Groups { group, less } => General::Groups { group, less: less + 1 },
                    _ => General::Unknown,
                };
                state.set_general(gpr, less)?;
                let last = less == General::Groups { group: true, less: 1 };
                state.flags = if last { Flags::Last } else { Flags::Unknown };
            }
            Kind::Jump { to, zero } => {
                return match (state.flags, self.active) {
                    (Flags::Last, _) | (Flags::NoLane, Some(false)) => Ok(Next::Either(to, zero)),
                    // The lane is active, so its group has an active lane.
                    (Flags::NoLane, Some(true)) => Ok(if zero { Next::Following } else { Next::At(to) }),
                    _ => Err(Reason::Flags),
                };
            }
            // VZEROUPPER keeps the low 128 bits of each register, but no code may rely on them.
            Kind::ClearUpper => state.vectors = [const { None }; 32],
            Kind::Return if state.no_group_remains => return Ok(Next::End),
            Kind::Return => return Err(Reason::Groups("the function returns while groups may be left")),
        }
        Ok(Next::Following)
    }

    /// Sets the result of a vector instruction.
    fn set<M>(&self, state: &mut State<D, M>, target: Target, result: Word<D>) -> Result<(), Reason> {
        match target {
            Target::V { register, mask, zero } => {
                let result = match mask {
                    None => result,
                    Some(k) => {
                        let others = if zero { Scalar::I(self.d.i(0)) } else { state.vector(register)? };
                        select(self.d, &state.mask(k)?, &result, &others)
                    }
                };
                state.vectors[usize::from(register)] = Some(result);
            }
            Target::K { register, mask } => {
                let Scalar::B(result) = result else { return Err(Reason::NoInstruction) };
                let result = match mask {
                    None => result,
                    Some(k) => self.d.and(&state.mask(k)?, &result),
                };
                state.masks[usize::from(register)] = Some(result);
            }
        }
        Ok(())
    }

    fn word<M: Lane<D>>(&self, state: &State<D, M>, operand: Operand) -> Result<Word<D>, Reason> {
        match operand {
            Operand::V(v) => state.vector(v),
            Operand::Memory(Memory::Code(address)) => self.constant(address),
            Operand::Memory(Memory::Based(base, displacement)) => {
                let location = Self::location(state, base, displacement)?;
                state.memory.load(self.d, location).map_err(Reason::Memory)
            }
        }
    }

    /// Reads a vector constant from the bytes of the code. It must be the same in all lanes.
    fn constant(&self, address: u64) -> Result<Word<D>, Reason> {
        let outside = || Reason::Memory(format!("a constant at byte {address}, outside the code"));
        let start = usize::try_from(address).map_err(|_| outside())?;
        let end = start.checked_add(4 * self.vector.lanes()).ok_or_else(outside)?;
        let bytes = self.bytes.get(start..end).ok_or_else(outside)?;
        let (first, rest) = bytes.split_at(4);
        if rest.chunks(4).any(|other| other != first) {
            return Err(Reason::Memory(format!(
                "a constant at byte {address} that differs from lane to lane"
            )));
        }
        let value = first.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte));
        Ok(Scalar::I(self.d.i(value as i32)))
    }

    /// Returns the location in one lane's memory that a vector at an address covers.
    fn location<M>(state: &State<D, M>, base: Gpr, displacement: i64) -> Result<Location, Reason> {
        let found = state.general(base);
        let General::Address { array, group, bytes } = found else {
            return Err(register_error(base, found, "the base of a vector in memory"));
        };
        if state.head.is_none() || state.no_group_remains {
            return Err(Reason::Memory("an array is accessed outside the loop".to_owned()));
        }
        let total = bytes.wrapping_add(displacement);
        if total % ROW != 0 {
            return Err(Reason::Memory(format!("byte {total} of the {array} belongs to other lanes")));
        }
        let row = u64::try_from(total / ROW);
        let row =
            row.map_err(|_| Reason::Memory(format!("byte {total} is before the beginning of the {array}")))?;
        Ok(Location { array, row, group })
    }

    fn store<M: Lane<D>>(
        &self,
        state: &mut State<D, M>,
        memory: Memory,
        source: u8,
        when: StoreMask,
    ) -> Result<(), Reason> {
        let Memory::Based(base, displacement) = memory else {
            return Err(Reason::Memory("the code is overwritten".to_owned()));
        };
        let location = Self::location(state, base, displacement)?;
        if !location.group {
            return Err(Reason::Memory(
                "a store to the lanes of the first group instead of the current one".to_owned(),
            ));
        }
        let word = state.vector(source)?;
        let condition = match when {
            StoreMask::Always => None,
            StoreMask::Mask(k) => Some(state.mask(k)?),
            StoreMask::Sign(v) => Some(sign(self.d, &state.vector(v)?)),
        };
        let word = match condition {
            None => word,
            Some(condition) => {
                let before = state.memory.load(self.d, location).map_err(Reason::Memory)?;
                select(self.d, &condition, &word, &before)
            }
        };
        state.memory.store(self.d, location, word).map_err(Reason::Memory)
    }

    /// Loads a field of the frame: see [`lockstep_core::exec::Layout`].
    fn field<M>(state: &State<D, M>, memory: Memory) -> Result<General, Reason> {
        let Memory::Based(base, displacement) = memory else {
            return Err(Reason::Memory("an address is read from the code".to_owned()));
        };
        let found = state.general(base);
        if found != General::Frame {
            return Err(register_error(base, found, "the address of the frame"));
        }
        let array = |array| General::Address { array, group: false, bytes: 0 };
        Ok(match displacement {
            0 => array(Array::Rows),
            8 => array(Array::Inputs),
            16 => array(Array::Outputs),
            24 => General::Lanes { group: false, lanes: 0 },
            32 => array(Array::Active),
            40 => General::Groups { group: false, less: 0 },
            _ => return Err(Reason::Memory(format!("no field of the frame begins at byte {displacement}"))),
        })
    }
}

fn register_error(register: Gpr, found: General, needed: &'static str) -> Reason {
    Reason::Register { register, found: found.to_string(), needed }
}

impl<D: Words, M> State<D, M> {
    fn general(&self, register: Gpr) -> General {
        self.general[usize::from(register & 15)]
    }

    fn set_general(&mut self, register: Gpr, value: General) -> Result<(), Reason> {
        if !CALLER_SAVED.contains(&register) {
            return Err(Reason::Preserved(register));
        }
        self.general[usize::from(register & 15)] = value;
        Ok(())
    }

    fn vector(&self, register: u8) -> Result<Word<D>, Reason> {
        let word = self.vectors.get(usize::from(register)).and_then(Option::as_ref);
        word.cloned().ok_or_else(|| Reason::Unset(format!("vector register {register}")))
    }

    fn mask(&self, register: u8) -> Result<D::B, Reason> {
        let mask = self.masks.get(usize::from(register)).and_then(Option::as_ref);
        mask.cloned().ok_or_else(|| Reason::Unset(format!("mask register {register}")))
    }

    /// Records the outcome of a test of the zero flag.
    fn record_test(&mut self, zero: bool) {
        if self.flags == Flags::Last {
            self.groups_remain = !zero;
            self.no_group_remains = zero;
        }
    }
}
