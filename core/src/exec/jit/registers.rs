//! Register allocation for one run of instructions: registers are a cache of the plan's rows.
//!
//! A register holds the current contents of a row; a row that was changed in its register is *dirty*. When a register is needed and none is free, the
//! one whose row is used furthest in the future is spilled: its contents are stored in the row if it is dirty. Every row keeps its address in memory,
//! so a spilled value needs no slot of its own, and code that is not compiled finds its operands there.

use super::encode::{Base, Code, K, Src, V, Width};

/// The position of the next use if there is none.
pub(super) const NEVER: u32 = u32::MAX;

/// Marks a row that no register holds.
const NONE: u8 = u8::MAX;

/// The mask register that selects the running lanes, in 512-bit code that runs for only some lanes.
pub(super) const ACTIVE: K = K(1);

/// The vector register with the running lanes as truth values, in 256-bit code that runs for only some lanes.
pub(super) const ACTIVE_VECTOR: V = V(15);

/// The size of a row in bytes.
pub(super) const ROW: i32 = 4 * crate::exec::WIDTH as i32;

/// The storage of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Home {
    /// A row that contains the same number in every lane.
    Scalar,
    /// The input at this index of [`crate::exec::Plan::inputs`], outside the rows.
    Input(u32),
    /// A variable's row: lanes that do not run keep their value in it.
    Variable,
    /// A row whose value is used in one block only.
    Temporary,
}

/// The contents of one register.
#[derive(Clone, Copy, Debug)]
struct RegisterState {
    row: u32,
    /// The position of the next use of the row; the length of the run if the next use is after the run; [`NEVER`] if there is none.
    next: u32,
    dirty: bool,
    /// Whether the current instruction uses the register.
    pinned: bool,
    taken: bool,
}

const EMPTY: RegisterState = RegisterState { row: 0, next: NEVER, dirty: false, pinned: false, taken: false };

/// The allocation of the vector registers during one run of instructions.
#[derive(Clone, Debug)]
pub(super) struct Registers {
    states: [RegisterState; 32],
    /// The register of each row.
    of_row: Vec<u8>,
    count: u8,
    width: Width,
    /// Whether only some lanes run.
    partial: bool,
    /// Whether an instruction needed more registers than the processor has.
    pub(super) exhausted: bool,
}

impl Default for Registers {
    fn default() -> Registers {
        Registers {
            states: [EMPTY; 32],
            of_row: Vec::new(),
            count: 0,
            width: Width::Ymm,
            partial: false,
            exhausted: false,
        }
    }
}

impl Registers {
    /// Marks all registers as empty, before code of this width. `partial` states whether the code runs for only some lanes.
    pub(super) fn begin(&mut self, rows: usize, width: Width, partial: bool) {
        self.states = [EMPTY; 32];
        self.of_row.clear();
        self.of_row.resize(rows, NONE);
        self.count = width.registers() - u8::from(partial && width == Width::Ymm);
        self.width = width;
        self.partial = partial;
        self.exhausted = false;
    }

    /// Returns where a row is in memory: a base register and a displacement.
    pub(super) fn memory_address(homes: &[Home], row: u32) -> (Base, i32) {
        match homes[row as usize] {
            Home::Scalar => (Base::Rows, row as i32 * ROW),
            Home::Input(k) => (Base::Inputs, k as i32 * ROW),
            Home::Variable | Home::Temporary => (Base::Group, row as i32 * ROW),
        }
    }

    /// The register that holds a row.
    pub(super) fn register_of(&self, row: u32) -> Option<V> {
        Some(self.of_row[row as usize]).filter(|r| *r != NONE).map(V)
    }

    /// Returns a register for a value that belongs to no row. The register stays allocated until it is released or [`Registers::end_instruction`] is
    /// called.
    pub(super) fn temporary(&mut self, code: &mut Code, homes: &[Home]) -> V {
        let free = (0..self.count).find(|r| !self.states[usize::from(*r)].taken);
        let register = free.unwrap_or_else(|| self.spill(code, homes));
        self.states[usize::from(register)] = RegisterState { pinned: true, taken: true, ..EMPTY };
        V(register)
    }

    /// Frees a temporary before its instruction ends.
    pub(super) fn release(&mut self, v: V) {
        self.states[usize::from(v.0)] = EMPTY;
    }

    /// Frees all temporaries except `kept` before their instruction ends.
    pub(super) fn release_all_but(&mut self, kept: &[V]) {
        for register in 0..self.count {
            let held = self.states[usize::from(register)];
            let is_row = self.of_row.get(held.row as usize) == Some(&register);
            if held.pinned && !is_row && !kept.iter().any(|v| v.0 == register) {
                self.release(V(register));
            }
        }
    }

    /// Spills the register whose next use is furthest away.
    fn spill(&mut self, code: &mut Code, homes: &[Home]) -> u8 {
        let last = (0..self.count).filter(|r| !self.states[usize::from(*r)].pinned);
        let Some(register) = last.max_by_key(|r| self.states[usize::from(*r)].next) else {
            self.exhausted = true;
            return 0;
        };
        let held = self.states[usize::from(register)];
        if held.dirty {
            self.store(code, homes, held.row, V(register));
        }
        self.of_row[held.row as usize] = NONE;
        self.states[usize::from(register)] = EMPTY;
        register
    }

    /// Stores a row from its register. For a variable, stores only the lanes that run.
    fn store(&self, code: &mut Code, homes: &[Home], row: u32, v: V) {
        let (base, displacement) = Registers::memory_address(homes, row);
        match (self.partial && homes[row as usize] == Home::Variable, self.width) {
            (false, width) => code.store(width, base, displacement, v),
            (true, Width::Zmm) => code.store_masked(base, displacement, v, ACTIVE),
            (true, Width::Ymm) => code.store_where(base, displacement, v, ACTIVE_VECTOR),
        }
    }

    /// Returns the register that holds a row, after loading the row if no register holds it.
    pub(super) fn load(&mut self, code: &mut Code, homes: &[Home], row: u32) -> V {
        if let Some(v) = self.register_of(row) {
            self.states[usize::from(v.0)].pinned = true;
            return v;
        }
        let v = self.temporary(code, homes);
        let (base, displacement) = Registers::memory_address(homes, row);
        code.load(self.width, v, Src::Mem(base, displacement));
        self.states[usize::from(v.0)].row = row;
        self.of_row[row as usize] = v.0;
        v
    }

    /// Returns a row as the last operand of an instruction. A row in no register becomes a memory operand if this is its last use or all registers
    /// are taken; otherwise it is loaded.
    pub(super) fn source(&mut self, code: &mut Code, homes: &[Home], row: u32, next: u32) -> Src {
        let full = (0..self.count).all(|r| self.states[usize::from(r)].taken);
        if self.register_of(row).is_none() && (next == NEVER || full) {
            let (base, displacement) = Registers::memory_address(homes, row);
            return Src::Mem(base, displacement);
        }
        self.load(code, homes, row).into()
    }

    /// Frees the register of a row without storing it, because the row is about to be overwritten.
    pub(super) fn invalidate(&mut self, row: u32) {
        if let Some(v) = self.register_of(row) {
            self.states[usize::from(v.0)] = EMPTY;
            self.of_row[row as usize] = NONE;
        }
    }

    /// Records that the temporary register `v` now holds a row, which is used next at `next`.
    pub(super) fn hold(&mut self, v: V, row: u32, next: u32) {
        self.states[usize::from(v.0)] = RegisterState { row, next, dirty: true, pinned: true, taken: true };
        self.of_row[row as usize] = v.0;
    }

    /// Sets the next use of a row that is in a register.
    pub(super) fn set_next_use(&mut self, row: u32, next: u32) {
        if let Some(v) = self.register_of(row) {
            self.states[usize::from(v.0)].next = next;
        }
    }

    /// Ends an instruction: temporaries and rows that are never used again lose their registers.
    pub(super) fn end_instruction(&mut self) {
        for register in 0..self.count {
            let held = &mut self.states[usize::from(register)];
            held.pinned = false;
            if held.taken && held.next == NEVER {
                let row = held.row as usize;
                *held = EMPTY;
                if self.of_row[row] == register {
                    self.of_row[row] = NONE;
                }
            }
        }
    }

    /// Stores every dirty row.
    pub(super) fn write_back(&mut self, code: &mut Code, homes: &[Home]) {
        for register in 0..self.count {
            let held = self.states[usize::from(register)];
            if held.taken && held.dirty {
                self.store(code, homes, held.row, V(register));
                self.states[usize::from(register)].dirty = false;
            }
        }
    }

    /// Allows all registers to be spilled again.
    pub(super) fn unpin(&mut self) {
        self.states.iter_mut().for_each(|held| held.pinned = false);
    }

    /// Marks a row as stored, so that its register is not dirty.
    pub(super) fn mark_stored(&mut self, row: u32) {
        if let Some(v) = self.register_of(row) {
            self.states[usize::from(v.0)].dirty = false;
        }
    }
}
