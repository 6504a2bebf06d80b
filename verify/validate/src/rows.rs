//! Dataflow analysis of a plan's rows: which rows may be read later, and which are known to hold truth values or constants.

use lockstep_core::exec::{Inst, Kernel, Plan, PlanTerminator, Scalar};

/// A set of rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rows(Vec<u64>);

impl Rows {
    pub(crate) fn none(rows: u32) -> Rows {
        Rows(vec![0; (rows as usize).div_ceil(64)])
    }

    pub(crate) fn contains(&self, row: u32) -> bool {
        self.0.get(row as usize / 64).is_some_and(|word| word >> (row % 64) & 1 == 1)
    }

    pub(crate) fn add(&mut self, row: u32) {
        if let Some(word) = self.0.get_mut(row as usize / 64) {
            *word |= 1 << (row % 64);
        }
    }

    fn remove(&mut self, row: u32) {
        if let Some(word) = self.0.get_mut(row as usize / 64) {
            *word &= !(1 << (row % 64));
        }
    }

    /// Adds all rows of another set; returns whether any of them is new.
    fn unite(&mut self, other: &Rows) -> bool {
        let mut grew = false;
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            grew |= *other & !*word != 0;
            *word |= *other;
        }
        grew
    }
}

/// The rows that an instruction reads and writes.
pub(crate) struct Access<'a> {
    reads: &'a [u32],
    pooled: &'a [u32],
    pub(crate) results: &'a [u32],
    row: Option<u32>,
    /// Whether the instruction modifies its result row in place, as [`Kernel::Flip`] does.
    changes: bool,
}

impl<'a> Access<'a> {
    pub(crate) fn of(plan: &'a Plan, inst: &'a Inst) -> Access<'a> {
        let pool = plan.pool().get(inst.pool_range()).unwrap_or_default();
        let results = if matches!(inst.kernel, Kernel::Sample | Kernel::Fetch) { 4 } else { 0 };
        let (pooled, results) = pool.split_at(pool.len().saturating_sub(results));
        let row = inst.kernel.has_row().then_some(inst.dst);
        let changes = inst.kernel == Kernel::Flip;
        Access { reads: &inst.src[..inst.kernel.operands()], pooled, results, row, changes }
    }

    /// Returns the operands' rows, in order.
    pub(crate) fn reads(&self) -> impl Iterator<Item = u32> + '_ {
        self.reads.iter().chain(self.pooled).copied()
    }

    fn writes(&self) -> impl Iterator<Item = u32> + '_ {
        self.results.iter().copied().chain(self.row)
    }
}

/// Returns the row that selects a block's successor; `None` if the block ends with neither a branch nor a switch.
pub(crate) fn branch_row(transfer: PlanTerminator) -> Option<u32> {
    match transfer {
        PlanTerminator::Branch { condition: row, .. } | PlanTerminator::Switch { index: row, .. } => {
            Some(row)
        }
        PlanTerminator::Jump(_) | PlanTerminator::Return | PlanTerminator::Hang => None,
    }
}

/// Liveness: the rows that lanes may read later, at the beginning of each block.
#[derive(Debug)]
pub(crate) struct Liveness {
    live_in: Vec<Rows>,
    /// The rows that inactive lanes may need: for waiting lanes those that are live at the beginning of any block, for ended lanes those that are
    /// read when a lane ends, and for both those of `always`.
    pub(crate) live_anywhere: Rows,
    /// The rows that are read when a lane ends.
    live_at_lane_end: Rows,
    /// The rows that are live everywhere.
    always: Rows,
}

impl Liveness {
    /// Computes liveness; `ended` are the rows that are read when a lane ends.
    pub(crate) fn of(plan: &Plan, ended: impl Iterator<Item = u32>) -> Liveness {
        let mut always = Rows::none(plan.rows());
        for array in plan.arrays() {
            (array.start..array.start + array.len).for_each(|row| always.add(row));
        }
        let mut at_end = always.clone();
        ended.for_each(|row| at_end.add(row));
        let mut live = Liveness {
            live_in: vec![Rows::none(plan.rows()); plan.blocks().len()],
            // A lane that has ended stays in its group while others run, and its outputs are read afterwards.
            live_anywhere: at_end.clone(),
            live_at_lane_end: at_end,
            always,
        };
        // Iterates backwards to a fixed point: predecessors of a changed block are visited again.
        let mut again = true;
        while again {
            again = false;
            for block in (0..plan.blocks().len()).rev() {
                let mut rows = live.live_out(plan, block);
                let range = plan.blocks()[block].start as usize..plan.blocks()[block].end as usize;
                for inst in plan.code()[range].iter().rev() {
                    live.update_backward(plan, inst, &mut rows);
                }
                again |= live.live_in[block].unite(&rows);
            }
        }
        for rows in &live.live_in {
            live.live_anywhere.unite(rows);
        }
        live
    }

    /// Returns the rows that are live at the end of a block.
    pub(crate) fn live_out(&self, plan: &Plan, block: usize) -> Rows {
        let transfer = plan.blocks()[block].terminator;
        let mut rows = match transfer {
            PlanTerminator::Return | PlanTerminator::Hang => self.live_at_lane_end.clone(),
            _ => self.always.clone(),
        };
        let mut to = |target: u32| {
            if let Some(before) = self.live_in.get(target as usize) {
                rows.unite(before);
            }
        };
        match transfer {
            PlanTerminator::Jump(target) => to(target),
            PlanTerminator::Branch { yes, no, .. } => [yes, no].into_iter().for_each(to),
            PlanTerminator::Switch { start, len, .. } => {
                plan.targets()[start as usize..(start + len) as usize].iter().for_each(|target| to(*target));
            }
            PlanTerminator::Return | PlanTerminator::Hang => {}
        }
        if let Some(row) = branch_row(transfer) {
            rows.add(row);
        }
        rows
    }

    /// Returns the rows that are live at the end of a lane, given the rows of the outputs.
    pub(crate) fn at_end(&self, outputs: impl Iterator<Item = u32>) -> Rows {
        let mut rows = self.always.clone();
        outputs.for_each(|row| rows.add(row));
        rows
    }

    /// Changes `rows` from the rows that are live after an instruction to those that are live before it.
    pub(crate) fn update_backward(&self, plan: &Plan, inst: &Inst, rows: &mut Rows) {
        let access = Access::of(plan, inst);
        if !access.changes {
            access.writes().filter(|row| !self.always.contains(*row)).for_each(|row| rows.remove(row));
        }
        access.reads().for_each(|row| rows.add(row));
        if inst.kernel == Kernel::Fuel {
            // A lane may end at this instruction.
            rows.unite(&self.live_at_lane_end);
        }
    }
}

/// The static knowledge about the words of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// Nothing is known.
    Word,
    /// Each word is a truth value: 0, or all bits set.
    Truth,
    /// Every word is this constant.
    Bits(u32),
}

/// Returns the static knowledge about each row at the beginning of every block.
pub(crate) fn known(plan: &Plan) -> Vec<Known> {
    let mut known = vec![Known::Word; plan.rows() as usize];
    let mut written: Vec<Option<bool>> = vec![None; plan.rows() as usize];
    for inst in plan.code() {
        let access = Access::of(plan, inst);
        for row in access.writes() {
            let truth = inst.truth && access.row == Some(row) && !access.changes;
            let known = &mut written[row as usize];
            *known = Some(known.unwrap_or(true) && truth);
        }
    }
    let mut initial: Vec<Option<u32>> = vec![None; plan.rows() as usize];
    for (row, bits) in plan.inits() {
        initial[*row as usize] = Some(*bits);
    }
    for (row, known) in known.iter_mut().enumerate() {
        *known = match (written[row], initial[row]) {
            (None, Some(bits)) => Known::Bits(bits),
            (Some(true), None | Some(0 | u32::MAX)) => Known::Truth,
            _ => Known::Word,
        };
    }
    for (row, scalar) in plan.scalars() {
        let by_prologue = |inst: &Inst| inst.dst == *row && inst.truth;
        known[*row as usize] = match scalar {
            Scalar::Bits(bits) => Known::Bits(*bits),
            Scalar::BoolUniform(_) => Known::Truth,
            Scalar::Computed if plan.prologue().iter().any(by_prologue) => Known::Truth,
            _ => Known::Word,
        };
    }
    known
}

/// Updates the knowledge about rows after an instruction.
pub(crate) fn learn(plan: &Plan, inst: &Inst, known: &mut [Known]) {
    let access = Access::of(plan, inst);
    for row in access.writes() {
        let truth = inst.truth && access.row == Some(row) && !access.changes;
        known[row as usize] = if truth { Known::Truth } else { Known::Word };
    }
}
