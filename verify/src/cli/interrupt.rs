//! Ctrl-C: the work stops, and what is known so far is still said.

use super::worker::BEAT;
use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Once, OnceLock, PoisonError, Weak};
use std::time::Duration;

/// A signal this soon after the first is the same one: some programs that end others send it to the process and then to its group.
const SAME: Duration = Duration::from_millis(500);

static CHILDREN: Mutex<Vec<Weak<Mutex<Child>>>> = Mutex::new(Vec::new());

fn flag() -> &'static Arc<AtomicBool> {
    static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    FLAG.get_or_init(|| Arc::new(AtomicBool::new(false)))
}

/// From now on the first interrupt, or wish to end, sets a mark and ends the children; one that comes later than [`SAME`] ends this process as usual.
///
/// # Errors
/// If the system does not allow it.
pub(super) fn listen() -> std::io::Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    let armed = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register_conditional_default(signal, armed.clone())?;
        signal_hook::flag::register(signal, flag().clone())?;
    }
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        drop(std::thread::spawn(move || {
            while !is_wanted() {
                std::thread::sleep(BEAT);
            }
            let children = std::mem::take(&mut *CHILDREN.lock().unwrap_or_else(PoisonError::into_inner));
            children.iter().for_each(kill);
            std::thread::sleep(SAME);
            armed.store(true, Ordering::Relaxed);
        }));
    });
    Ok(())
}

fn kill(child: &Weak<Mutex<Child>>) {
    if let Some(child) = child.upgrade() {
        // It may have ended by itself.
        let _ = child.lock().unwrap_or_else(PoisonError::into_inner).kill();
    }
}

/// Whether there was one.
pub(super) fn is_wanted() -> bool {
    flag().load(Ordering::Relaxed)
}

/// An interrupt ends this child.
pub(super) fn kills(child: &Arc<Mutex<Child>>) {
    let mut children = CHILDREN.lock().unwrap_or_else(PoisonError::into_inner);
    children.retain(|child| child.strong_count() > 0);
    children.push(Arc::downgrade(child));
    drop(children);
    // It may have come in between.
    if is_wanted() {
        kill(&Arc::downgrade(child));
    }
}
