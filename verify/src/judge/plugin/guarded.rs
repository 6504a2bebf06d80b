//! Memory that a library writes into, with a guard after it.

/// Cells after the end that must keep their value.
const GUARD: usize = 16;

/// Cells for a library, followed by guard cells that it must not touch.
pub(super) struct Guarded<T> {
    cells: Vec<T>,
    capacity: usize,
    guard: T,
}

impl<T: Copy + PartialEq> Guarded<T> {
    /// No cells; `guard` is the value of the guard cells.
    pub(super) fn new(guard: T) -> Guarded<T> {
        Guarded { cells: vec![guard; GUARD], capacity: 0, guard }
    }

    /// Sets the number of cells and fills them.
    pub(super) fn reset(&mut self, capacity: usize, fill: T) {
        self.cells.clear();
        self.cells.resize(capacity, fill);
        self.cells.resize(capacity + GUARD, self.guard);
        self.capacity = capacity;
    }

    /// The address of the cells, valid until the next call of a method.
    pub(super) fn at(&mut self) -> *mut T {
        self.cells.as_mut_ptr()
    }

    /// How many there are.
    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    /// The first `length` cells, or all if there are fewer.
    pub(super) fn written(&self, length: usize) -> &[T] {
        &self.cells[..length.min(self.capacity)]
    }

    /// Whether the guard cells are unchanged.
    pub(super) fn is_intact(&self) -> bool {
        self.cells[self.capacity..].iter().all(|cell| *cell == self.guard)
    }
}
