//! The threads of both provers.

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Creates a pool of `count` threads, or of one thread for each core if `count` is 0.
///
/// # Panics
/// If the system cannot start the threads.
pub(crate) fn threads(count: usize) -> ThreadPool {
    let pool = ThreadPoolBuilder::new().num_threads(count).build();
    pool.unwrap_or_else(|error| panic!("the threads cannot be started: {error}"))
}
