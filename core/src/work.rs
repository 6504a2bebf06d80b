//! A counter of the items that code examines. Tests bound the growth of this count instead of time, which depends on the machine. Builds without
//! debug assertions count nothing.
//!
//! An instruction is counted each time its opcode or operands are queried. Code that scans instructions without such
//! queries adds the number of scanned instructions itself. Code that scans all instructions for each instruction is therefore detected: its count
//! grows with the square of the program's length.

#[cfg(debug_assertions)]
thread_local! {
    static EXAMINED: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Adds a number of examined items to this thread's count.
#[inline(always)]
pub(crate) fn count_work(items: usize) {
    #[cfg(debug_assertions)]
    EXAMINED.with(|examined| examined.set(examined.get().wrapping_add(items as u64)));
    #[cfg(not(debug_assertions))]
    let _ = items;
}

/// Runs `work` and returns the count that it added on this thread, with its result.
#[cfg(debug_assertions)]
pub fn measure_work<T>(work: impl FnOnce() -> T) -> (u64, T) {
    let before = EXAMINED.with(std::cell::Cell::get);
    let result = work();
    (EXAMINED.with(std::cell::Cell::get).wrapping_sub(before), result)
}
