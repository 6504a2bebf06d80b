//! Reports panics as failures of the claim being checked.

use super::Failure;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

thread_local! {
    /// The nesting depth of calls of [`caught`] in this thread.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    /// The position of the last panic inside a call of [`caught`].
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// A panic that was caught.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panic {
    /// File, line and column; empty unless [`record_panic_positions`] was called.
    pub place: String,
    /// The panic message.
    pub message: String,
}

impl std::fmt::Display for Panic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.place.is_empty() {
            write!(f, "panic: {}", self.message)
        } else {
            write!(f, "panic at {}: {}", self.place, self.message)
        }
    }
}

impl Panic {
    /// The text of [`Failure::between`] for a panic, before the position.
    pub(crate) const BETWEEN: &'static str = "panic";

    pub(crate) fn failure(&self) -> Failure {
        let at = if self.place.is_empty() { String::new() } else { format!(" at {}", self.place) };
        Failure::new(format!("{}{at}", Panic::BETWEEN), self.message.clone())
    }
}

/// Makes panics inside [`caught`] silent and records their positions, from this call on. Other panics are not affected.
pub fn record_panic_positions() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if DEPTH.get() == 0 {
                return before(info);
            }
            let place = info.location().map(ToString::to_string).unwrap_or_default();
            PLACE.with_borrow_mut(|kept| *kept = place);
        }));
    });
}

/// Runs `call` and catches a panic in it.
///
/// # Errors
/// The panic that was caught.
pub fn caught<T>(call: impl FnOnce() -> T) -> Result<T, Panic> {
    DEPTH.set(DEPTH.get() + 1);
    // Unwind safety: the unfinished state of a call is never used again. Callers pass owned values, or values that stay valid after every step.
    let result = catch_unwind(AssertUnwindSafe(call));
    DEPTH.set(DEPTH.get() - 1);
    result.map_err(|payload| {
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let message = text.or_else(|| payload.downcast_ref::<String>().cloned());
        Panic {
            place: PLACE.with_borrow_mut(std::mem::take),
            message: message.unwrap_or_else(|| "a payload that is not text".to_owned()),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_returned_with_its_location() {
        record_panic_positions();
        let panic = caught(|| -> u32 { panic!("no {}", 7) }).expect_err("it panics");
        assert_eq!(panic.message, "no 7");
        assert!(panic.place.contains("panics.rs:"), "{panic}");
        assert_eq!(caught(|| 3), Ok(3));
        // Both calls are over, so the next panic is reported as before.
        assert_eq!(DEPTH.get(), 0);
        let failure = panic.failure();
        assert!(failure.between.starts_with("panic at ") && failure.message == "no 7", "{failure:?}");
    }
}
