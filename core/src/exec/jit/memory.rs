//! Memory for machine code: writable while it is filled, then executable, never both.

use memmap2::{Mmap, MmapMut};
use std::io;

/// A mapping that is kept from one program to the next: mapping memory costs as much as compiling.
#[derive(Debug, Default)]
pub(super) struct Memory {
    map: Option<Mmap>,
}

impl Memory {
    /// Replaces the contents with `code` and makes it executable.
    ///
    /// # Errors
    /// If the system provides no memory or does not allow it to be executed.
    pub(super) fn fill(&mut self, code: &[u8]) -> io::Result<()> {
        const PAGE: usize = 4096;
        let mut map = match self.map.take() {
            Some(map) if map.len() >= code.len() => map.make_mut()?,
            _ => MmapMut::map_anon(code.len().next_multiple_of(4 * PAGE).max(4 * PAGE))?,
        };
        map[..code.len()].copy_from_slice(code);
        // Remaining bytes of an earlier program are overwritten by traps.
        map[code.len()..].fill(0xcc);
        self.map = Some(map.make_exec()?);
        Ok(())
    }

    /// The address of the byte at `offset`; `None` if nothing is mapped there.
    pub(super) fn address(&self, offset: usize) -> Option<*const u8> {
        Some(&raw const *self.map.as_ref()?.get(offset)?)
    }
}
