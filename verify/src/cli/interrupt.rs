//! Handles Ctrl-C: the work stops, and the results so far are still reported.

use super::worker::POLL_INTERVAL;
use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Once, OnceLock, PoisonError, Weak};
use std::time::Duration;

/// The time after the first signal in which another signal is ignored, because some programs signal both the process and its group.
const REPEAT_WINDOW: Duration = Duration::from_millis(500);

static CHILDREN: Mutex<Vec<Weak<Mutex<Child>>>> = Mutex::new(Vec::new());

fn flag() -> &'static Arc<AtomicBool> {
    static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    FLAG.get_or_init(|| Arc::new(AtomicBool::new(false)))
}

/// Installs the handler: the first interrupt or termination signal sets a flag and kills the child processes. A signal later than [`REPEAT_WINDOW`]
/// after the first ends this process as it does by default.
///
/// # Errors
/// If the handler cannot be installed.
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
            while !is_interrupted() {
                std::thread::sleep(POLL_INTERVAL);
            }
            let children = std::mem::take(&mut *CHILDREN.lock().unwrap_or_else(PoisonError::into_inner));
            children.iter().for_each(kill);
            std::thread::sleep(REPEAT_WINDOW);
            armed.store(true, Ordering::Relaxed);
        }));
    });
    Ok(())
}

fn kill(child: &Weak<Mutex<Child>>) {
    if let Some(child) = child.upgrade() {
        // The child may already have ended.
        let _ = child.lock().unwrap_or_else(PoisonError::into_inner).kill();
    }
}

/// Whether the run was interrupted.
pub(super) fn is_interrupted() -> bool {
    flag().load(Ordering::Relaxed)
}

/// Registers a child process that an interrupt kills.
pub(super) fn register_child(child: &Arc<Mutex<Child>>) {
    let mut children = CHILDREN.lock().unwrap_or_else(PoisonError::into_inner);
    children.retain(|child| child.strong_count() > 0);
    children.push(Arc::downgrade(child));
    drop(children);
    // The interrupt may have arrived before the child was registered.
    if is_interrupted() {
        kill(&Arc::downgrade(child));
    }
}
