//! Paths that are not regular files: pipes, devices, and virtual files of the kernel.

use std::collections::BTreeSet;
use std::fs::Metadata;
use std::path::Path;
use std::sync::OnceLock;

/// Returns why a path with this metadata is not read; `None` for regular files and folders of ordinary file systems. Reading other files may block
/// forever, never end, or have side effects.
pub(super) fn unreadable(data: &Metadata) -> Option<&'static str> {
    if !data.is_file() && !data.is_dir() {
        return Some(kind(data));
    }
    is_virtual(data).then_some("a virtual file of the kernel, not a regular file")
}

#[cfg(unix)]
fn kind(data: &Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    let kind = data.file_type();
    if kind.is_fifo() {
        "a pipe, not a regular file"
    } else if kind.is_socket() {
        "a socket, not a regular file"
    } else {
        "a device, not a regular file"
    }
}

#[cfg(not(unix))]
fn kind(_: &Metadata) -> &'static str {
    "not a regular file"
}

#[cfg(unix)]
fn is_virtual(data: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    static DEVICES: OnceLock<BTreeSet<u64>> = OnceLock::new();
    DEVICES.get_or_init(devices).contains(&data.dev())
}

#[cfg(not(unix))]
fn is_virtual(_: &Metadata) -> bool {
    false
}

/// The names of Linux's virtual file systems.
const VIRTUAL_FILE_SYSTEMS: [&str; 15] = [
    "autofs",
    "binfmt_misc",
    "bpf",
    "cgroup",
    "cgroup2",
    "configfs",
    "debugfs",
    "devpts",
    "efivarfs",
    "fusectl",
    "proc",
    "pstore",
    "securityfs",
    "sysfs",
    "tracefs",
];

/// Returns the device numbers of mounted virtual file systems. The set is empty if the system does not list them.
#[cfg(unix)]
fn devices() -> BTreeSet<u64> {
    use std::os::unix::fs::MetadataExt;
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    let places = mounts.lines().filter_map(|line| {
        let mut fields = line.split(' ').skip(1);
        let (place, kind) = (fields.next()?, fields.next()?);
        VIRTUAL_FILE_SYSTEMS.contains(&kind).then_some(place)
    });
    // Spaces in paths are escaped in octal.
    let numbers = places.filter_map(|place| Path::new(&place.replace("\\040", " ")).metadata().ok());
    numbers.map(|data| data.dev()).collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn processes_and_devices_are_distinguished_from_files() {
        let of = |path: &str| unreadable(&Path::new(path).metadata().expect("it is there"));
        assert!(of("/proc/self").is_some_and(|why| why.contains("kernel")));
        assert!(of("/proc/version").is_some_and(|why| why.contains("kernel")));
        assert!(of("/dev/zero").is_some_and(|why| why.contains("device")));
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(of(&folder.path().display().to_string()), None);
        assert_eq!(of(env!("CARGO_MANIFEST_DIR")), None);
    }
}
