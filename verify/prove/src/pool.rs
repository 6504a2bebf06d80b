//! The threads of both provers.

use rayon::{ThreadPool, ThreadPoolBuilder};

/// A pool of `count` threads, or of one for each core if that is 0.
///
/// # Panics
/// If the system cannot start them.
pub(crate) fn threads(count: usize) -> ThreadPool {
    let pool = ThreadPoolBuilder::new().num_threads(count).build();
    pool.unwrap_or_else(|error| panic!("{count} threads cannot be started: {error}"))
}
