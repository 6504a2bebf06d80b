//! Paths: both answers where control flow asks a value that may be either.

use super::Ranges;

/// The answers to be given, then those that were.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    script: Vec<bool>,
    asked: usize,
}

impl Path {
    /// The next answer of the script; yes beyond it.
    pub(super) fn decide(&mut self) -> bool {
        if self.asked == self.script.len() {
            self.script.push(true);
        }
        self.asked += 1;
        self.script[self.asked - 1]
    }

    /// The next path in depth-first order; `None` after the last.
    fn next(mut self) -> Option<Path> {
        self.script.truncate(self.asked);
        while !self.script.pop()? {}
        self.script.push(false);
        Some(Path { script: self.script, asked: 0 })
    }
}

/// Runs `body` once for each path through it, at most `limit` times, until it says with `false` that it has given up. Returns whether all paths were
/// run to their ends: what was seen on them is all that can be only then.
///
/// What control flow asks on a path is not looked at later on it, so some paths that are run are none that any input takes.
pub fn paths(limit: usize, mut body: impl FnMut(&mut Ranges) -> bool) -> bool {
    let mut d = Ranges::default();
    for _ in 0..limit {
        if !body(&mut d) {
            return false;
        }
        match std::mem::take(&mut d.path).next() {
            Some(path) => d.path = path,
            None => return true,
        }
    }
    false
}
