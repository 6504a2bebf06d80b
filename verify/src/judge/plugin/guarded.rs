//! Memory that a library writes into, with a guard after it.

/// Cells after the end that must keep their value.
const GUARD: usize = 16;

/// Cells for a library, and after them some that are none of its business.
pub(super) struct Guarded<T> {
    cells: Vec<T>,
    capacity: usize,
    guard: T,
}

impl<T: Copy + PartialEq> Guarded<T> {
    /// No cells; `guard` is what stands after the end.
    pub(super) fn new(guard: T) -> Guarded<T> {
        Guarded { cells: vec![guard; GUARD], capacity: 0, guard }
    }

    /// So many cells of this content.
    pub(super) fn reset(&mut self, capacity: usize, fill: T) {
        self.cells.clear();
        self.cells.resize(capacity, fill);
        self.cells.resize(capacity + GUARD, self.guard);
        self.capacity = capacity;
    }

    /// Where the cells begin, to be written until the next call of anything here.
    pub(super) fn at(&mut self) -> *mut T {
        self.cells.as_mut_ptr()
    }

    /// How many there are.
    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    /// The first `length` cells, as far as there are so many.
    pub(super) fn written(&self, length: usize) -> &[T] {
        &self.cells[..length.min(self.capacity)]
    }

    /// Whether nothing was written right after the end.
    pub(super) fn is_intact(&self) -> bool {
        self.cells[self.capacity..].iter().all(|cell| *cell == self.guard)
    }
}
