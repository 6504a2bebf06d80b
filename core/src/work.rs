//! How often instructions are looked at: what tests hold growth by, since time depends on the machine. Builds without debug assertions count
//! nothing.
//!
//! Every type of instruction counts where it is asked what it is or which operands it has. Whatever looks at all instructions for each of
//! them shows, whoever wrote it.

#[cfg(debug_assertions)]
thread_local! {
    static LOOKS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Counts a look at an instruction, on this thread.
#[inline(always)]
pub(crate) fn look() {
    #[cfg(debug_assertions)]
    LOOKS.with(|looks| looks.set(looks.get() + 1));
}

/// The looks that `work` takes on this thread, and what it gives.
#[cfg(debug_assertions)]
pub fn looks<T>(work: impl FnOnce() -> T) -> (u64, T) {
    let before = LOOKS.with(std::cell::Cell::get);
    let result = work();
    (LOOKS.with(std::cell::Cell::get) - before, result)
}
