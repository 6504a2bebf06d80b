//! Follows a run of the reference along all choices of the options that it reads, one instruction at a time.
//!
//! Running the reference once for each joint setting of the options takes exponential time, and most settings give the same run: an option may be
//! read where its choices make no difference, and a difference may be overwritten later. Here a run splits only where an instruction leaves different
//! states for different choices, and branches of equal state are merged. The lanes of different groups never affect each other, so each
//! group is followed separately. An option that no path of a group records does not affect the group: a path that depends on an option records the
//! option's Freedom (a point that documents leave open).

use crate::case::Resolved;
use crate::engine::{LaneOutcome, lane_outcome};
use lockstep_core::exec::StandardMode;
use lockstep_core::host::ConcreteHost;
use lockstep_core::ir::VarKey;
use lockstep_core::ir::eval::Scalar;
use lockstep_core::isa::{Context, Isa, LaneState, Lowering, Options, Reference, run};
use lockstep_core::value::{Concrete, FreedomSet, canonical_bits};
use std::cell::Cell;

/// The maximum number of branches of one group. A run with more is not followed to its end.
const MAX_BRANCHES: usize = 512;
/// Up to this number of branches, branches are compared with one another only after some have split.
const MANY_BRANCHES: usize = 8;
/// The maximum number of steps of all branches of one group together, as a multiple of the steps under the choices that were sent to the subject.
const MAX_TIMES_AS_LONG: u64 = 256;
/// The maximum number of steps of all branches of one group together, however long the run is.
const MAX_STEPS: u64 = 1 << 20;
/// The size of the table of choices: options are numbered from 0 to 63.
const OPTIONS: usize = u64::BITS as usize;

/// Choices of some options; all others may have any choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Choices {
    /// The options that have a choice, as a bit set.
    pub(super) options: u64,
    /// The choice of each option; 0 where there is none.
    choices: [u8; OPTIONS],
}

impl Choices {
    /// No choice at all.
    pub(super) const NONE: Choices = Choices { options: 0, choices: [0; OPTIONS] };

    /// Returns these choices with a choice for one more option.
    #[must_use]
    pub(super) fn with(mut self, option: usize, choice: u8) -> Choices {
        self.options |= 1 << option;
        self.choices[option] = choice;
        self
    }

    fn without(mut self, option: usize) -> Choices {
        self.options &= !(1 << option);
        self.choices[option] = 0;
        self
    }

    /// Whether `setting` makes all these choices. An option without a choice in `setting` has the one in `sent`.
    pub(super) fn hold_in(&self, setting: &Choices, sent: &[u8]) -> bool {
        members(self.options).all(|option| {
            let is_set = setting.options >> option & 1 == 1;
            let choice = if is_set { setting.choices[option] } else { sent[option] };
            self.choices[option] == choice
        })
    }
}

/// Iterates over the members of a bit set.
fn members(set: u64) -> impl Iterator<Item = usize> {
    (0..OPTIONS).filter(move |member| set >> member & 1 == 1)
}

/// The outcome of a group's lanes under these choices, whatever the choices of all other options.
#[derive(Clone, Debug)]
pub(super) struct Path {
    pub(super) choices: Choices,
    pub(super) lanes: Vec<LaneOutcome>,
}

/// A group of lanes in the middle of a run under some choices.
struct Branch<'a, I: Isa> {
    choices: Choices,
    host: ConcreteHost<'a, true>,
    lanes: Vec<LaneState<I::Lane<Concrete>>>,
    has_ended: bool,
}

/// All that the rest of a run depends on.
type State<I> = (Vec<(Option<<I as Reference>::Position>, Option<<I as Lowering>::ControlState>)>, Vec<u32>);

/// Follows the group of lanes that begins with lane `base`, along all choices of those options in `open` that a path records, and adds the number of
/// steps to `steps`. For every setting there is exactly one path. Returns `None` if there are too many branches or steps, or if branches cannot be
/// merged: see [`Follower::merged`].
pub(super) fn paths<I: Isa>(
    resolved: &Resolved<I>,
    base: usize,
    open: u64,
    steps: &Cell<u64>,
) -> Option<Vec<Path>> {
    let _mode = StandardMode::enter();
    let (max_steps, freedoms) = (MAX_STEPS, FreedomSet::default());
    let mut follower = Follower { resolved, open: 0, steps: 0, max_steps, read: 0, freedoms };
    loop {
        let before = follower.steps;
        // At first no option is open, so there is one path.
        let paths = follower.follow(base);
        steps.set(steps.get() + follower.steps - before);
        let paths = paths?;
        follower.max_steps = follower.max_steps.min(follower.steps * MAX_TIMES_AS_LONG);
        let recorded = follower.recorded() & open;
        if recorded & !follower.open == 0 {
            return Some(paths);
        }
        // Other paths may record more options.
        follower.open |= recorded;
    }
}

/// Returns the number of lanes that run together.
pub(super) fn group_size<I: Isa>(resolved: &Resolved<I>) -> usize {
    usize::from(I::group(&resolved.context())).max(1)
}

/// Follows a run of one case under different choices.
struct Follower<'a, I: Isa> {
    resolved: &'a Resolved<I>,
    /// The options whose choices are tried.
    open: u64,
    /// The number of steps that were run.
    steps: u64,
    /// The maximum number of steps.
    max_steps: u64,
    /// The options that were read.
    read: u64,
    /// The Freedoms that were recorded.
    freedoms: FreedomSet,
}

impl<'a, I: Isa> Follower<'a, I> {
    /// Follows a group along all choices of the open options. Returns `None` if there are too many branches or steps.
    fn follow(&mut self, base: usize) -> Option<Vec<Path>> {
        let (group, env) = (group_size(self.resolved), &self.resolved.env);
        let start = self.split(&Choices::NONE, |cx| {
            let mut host = ConcreteHost::<true>::new(env, base);
            let lanes = run::start::<I, _, _>(&Concrete, &mut host, cx, group, env.fuel);
            (host, lanes, false)
        })?;
        let branch = |(choices, (host, lanes, has_ended))| Branch { choices, host, lanes, has_ended };
        let mut branches: Vec<Branch<'a, I>> = start.into_iter().map(branch).collect();
        while branches.iter().any(|branch| !branch.has_ended) {
            let mut next = Vec::with_capacity(branches.len());
            for before in &mut branches {
                let run = |cx: &Context<'_, I>| {
                    let (mut host, mut lanes) = (before.host.clone(), before.lanes.clone());
                    let position = run::step::<I, _, _>(&mut Concrete, &mut host, cx, &mut lanes);
                    (host, lanes, position.is_none())
                };
                if before.has_ended {
                    let lanes = std::mem::take(&mut before.lanes);
                    next.push(Branch { lanes, host: before.host.clone(), ..*before });
                    continue;
                }
                let after = self.split(&before.choices, run)?;
                self.steps += after.len() as u64;
                next.extend(after.into_iter().map(branch));
            }
            for branch in &next {
                self.freedoms = self.freedoms.union(branch.host.freedoms());
            }
            let may_merge = next.len() > branches.len() || next.len() > MANY_BRANCHES;
            branches = if may_merge { self.merged(next)? } else { next };
            if branches.len() > MAX_BRANCHES || self.steps > self.max_steps {
                return None;
            }
        }
        let reported = group.min(env.lanes.len() - base);
        let mut paths = Vec::with_capacity(branches.len());
        for branch in &branches {
            let ended = self.split(&branch.choices, |cx| {
                let lanes = branch.lanes.iter().enumerate().take(reported);
                lanes.map(|(at, lane)| lane_outcome::<I, true>(cx, lane, &branch.host, at)).collect()
            })?;
            paths.extend(ended.into_iter().map(|(choices, lanes)| Path { choices, lanes }));
        }
        Some(paths)
    }

    /// Returns the options that the paths so far recorded: options that they read and whose Freedom they recorded.
    fn recorded(&self) -> u64 {
        let specs = self.resolved.options.specs().iter().enumerate();
        let open_points = specs.map(|(at, option)| u64::from(self.freedoms.contains(option.freedom)) << at);
        self.read & open_points.fold(0, |all, option| all | option)
    }

    fn options(&self, choices: &Choices) -> Options {
        let mut options = self.resolved.options.clone();
        members(choices.options).for_each(|option| options.set(option, choices.choices[option]));
        options
    }

    fn context<'b>(&'b self, options: &'b Options) -> Context<'b, I> {
        Context { options, ..self.resolved.context() }
    }

    /// Executes `action` under all choices of the open options that it reads and that have no choice in `choices`. Returns the results with their
    /// choices; `None` if there are more than [`MAX_BRANCHES`].
    fn split<T>(
        &mut self,
        choices: &Choices,
        action: impl Fn(&Context<'_, I>) -> T,
    ) -> Option<Vec<(Choices, T)>> {
        let mut all_read = self.read;
        let mut run = |choices: &Choices| {
            let options = self.options(choices);
            let result = action(&self.context(&options));
            let read = options.take_read();
            all_read |= read;
            (read & self.open, result)
        };
        let mut results = Vec::new();
        let mut left = vec![(*choices, run(choices))];
        while let Some((choices, (read, result))) = left.pop() {
            let Some(option) = members(read & !choices.options).next() else {
                results.push((choices, result));
                continue;
            };
            // With the choice that was sent, the result is the one that was just computed.
            let sent = self.resolved.options.peek(option);
            let count = self.resolved.options.specs()[option].choices.len() as u8;
            for choice in (0..count).filter(|choice| *choice != sent) {
                let other = choices.with(option, choice);
                left.push((other, run(&other)));
            }
            left.push((choices.with(option, sent), (read, result)));
            if left.len() + results.len() > MAX_BRANCHES {
                return None;
            }
        }
        self.read = all_read;
        Some(results)
    }

    /// Merges branches of equal state if together they have all choices of an option and their other choices are equal. Returns `None` if a state
    /// depends on an option without a choice.
    fn merged<'b>(&self, mut branches: Vec<Branch<'b, I>>) -> Option<Vec<Branch<'b, I>>> {
        let mut states: Vec<State<I>> = Vec::with_capacity(branches.len());
        let mut numbers = Vec::with_capacity(branches.len());
        for branch in &branches {
            let state = self.state(branch)?;
            let number = states.iter().position(|known| *known == state).unwrap_or(states.len());
            if number == states.len() {
                states.push(state);
            }
            numbers.push(number);
        }
        if states.len() == branches.len() {
            return Some(branches);
        }
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for option in members(branches.iter().fold(0, |all, branch| all | branch.choices.options)) {
                let count = self.resolved.options.specs()[option].choices.len();
                let mut at = 0;
                while at < branches.len() {
                    let (rest, number) = (branches[at].choices.without(option), numbers[at]);
                    let is_like = |(other, other_number): (&Branch<'b, I>, &usize)| {
                        *other_number == number
                            && other.choices.options >> option & 1 == 1
                            && other.choices.without(option) == rest
                    };
                    let alike: Vec<usize> = (at..branches.len())
                        .filter(|other| is_like((&branches[*other], &numbers[*other])))
                        .collect();
                    if alike.len() == count {
                        for other in alike[1..].iter().rev() {
                            branches.swap_remove(*other);
                            numbers.swap_remove(*other);
                        }
                        branches[at].choices = rest;
                        has_changed = true;
                    }
                    at += 1;
                }
            }
        }
        Some(branches)
    }

    /// Returns a branch's state; `None` if it depends on an option without a choice.
    fn state(&self, branch: &Branch<'_, I>) -> Option<State<I>> {
        let options = self.options(&branch.choices);
        let cx = self.context(&options);
        let mut places = Vec::with_capacity(branch.lanes.len());
        let mut words = vec![u32::from(branch.has_ended)];
        for (at, LaneState { lane, fuel, end }) in branch.lanes.iter().enumerate() {
            let position = I::position(&cx, lane).filter(|_| end.is_none());
            let control = position.and_then(|_| I::control(&cx, lane));
            places.push((position, control));
            let end = end.map_or(u32::MAX, |end| end as u32);
            words.extend([*fuel, end, u32::from(I::killed(lane)), u32::from(branch.host.overflowed(at))]);
            let values = I::state(&Concrete, &cx, lane);
            for (VarKey { file, index, component }, value) in values {
                let key = u32::from(file) << 24 | u32::from(index) << 8 | u32::from(component);
                let value = match value {
                    Scalar::F(v) => canonical_bits(v),
                    Scalar::I(v) => v as u32,
                    Scalar::B(v) => u32::from(v),
                };
                words.extend([key, value]);
            }
            for effect in branch.host.records(at) {
                let head =
                    u32::from(effect.kind) << 24 | u32::from(effect.index) << 8 | u32::from(effect.mask);
                words.push(head);
                words.extend(effect.values.map(canonical_bits));
            }
        }
        (options.take_read() & self.open & !branch.choices.options == 0).then_some((places, words))
    }
}
