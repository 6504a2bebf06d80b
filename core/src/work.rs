//! What rooms look at, counted: growth is held by it in tests, because time depends on the machine. Builds without debug assertions count
//! nothing.
//!
//! An instruction counts where it is asked what it is or what its operands are, a walk that asks neither by its length. So whatever looks
//! at all instructions for each of them shows.

#[cfg(debug_assertions)]
thread_local! {
    static LOOKS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Counts looks at so many things, on this thread.
#[inline(always)]
pub(crate) fn looks_at(things: usize) {
    #[cfg(debug_assertions)]
    LOOKS.with(|looks| looks.set(looks.get().wrapping_add(things as u64)));
    #[cfg(not(debug_assertions))]
    let _ = things;
}

/// The looks that `work` takes on this thread, and what it gives.
#[cfg(debug_assertions)]
pub fn looks<T>(work: impl FnOnce() -> T) -> (u64, T) {
    let before = LOOKS.with(std::cell::Cell::get);
    let result = work();
    (LOOKS.with(std::cell::Cell::get).wrapping_sub(before), result)
}
