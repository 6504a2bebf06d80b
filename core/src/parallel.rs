//! Running work on several threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The number of threads to use: one per core.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Applies `work` to every item on `threads` threads, starting items in order; returns the results in the order of the items.
///
/// `done` is called each time an item is finished.
///
/// # Panics
///
/// If `work` does.
pub fn parallel<T: Sync, R: Send>(
    threads: usize,
    items: &[T],
    done: &(dyn Fn() + Sync),
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::with_capacity(items.len()));
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, items.len().max(1)) {
            scope.spawn(|| {
                let mut mine = Vec::new();
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(at) else { break };
                    mine.push((at, work(item)));
                    done();
                }
                if let Ok(mut all) = results.lock() {
                    all.append(&mut mine);
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_default();
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<u32> = (0..1000).collect();
        let count = AtomicUsize::new(0);
        let done = || _ = count.fetch_add(1, Ordering::Relaxed);
        let doubled = parallel(4, &items, &done, |v| v * 2);
        assert_eq!(doubled, items.iter().map(|v| v * 2).collect::<Vec<_>>());
        assert_eq!(count.into_inner(), 1000);
        assert_eq!(parallel(4, &[] as &[u32], &|| {}, |v| *v), []);
    }

    #[test]
    #[should_panic(expected = "a scoped thread panicked")]
    fn a_panic_is_passed_on() {
        parallel(2, &[1, 2, 3], &|| {}, |v| assert_ne!(*v, 2));
    }
}
