//! Memory that a library writes into, followed by guard cells that detect overruns.

/// The number of guard cells after the end.
const GUARD: usize = 16;

/// A buffer for a library, followed by guard cells that the library must not change.
pub(super) struct Guarded<T> {
    cells: Vec<T>,
    capacity: usize,
    guard: T,
}

impl<T: Copy + PartialEq> Guarded<T> {
    /// Creates an empty buffer; `guard` is the value of the guard cells.
    pub(super) fn new(guard: T) -> Guarded<T> {
        Guarded { cells: vec![guard; GUARD], capacity: 0, guard }
    }

    /// Sets the capacity and fills the buffer with `fill`.
    pub(super) fn reset(&mut self, capacity: usize, fill: T) {
        self.cells.clear();
        self.cells.resize(capacity, fill);
        self.cells.resize(capacity + GUARD, self.guard);
        self.capacity = capacity;
    }

    /// Returns the address of the buffer, valid until the next method call.
    pub(super) fn at(&mut self) -> *mut T {
        self.cells.as_mut_ptr()
    }

    /// Returns the capacity in cells, without the guard cells.
    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    /// Returns the first `length` cells, or all cells if there are fewer.
    pub(super) fn written(&self, length: usize) -> &[T] {
        &self.cells[..length.min(self.capacity)]
    }

    /// Whether the guard cells are unchanged.
    pub(super) fn is_intact(&self) -> bool {
        self.cells[self.capacity..].iter().all(|cell| *cell == self.guard)
    }
}
