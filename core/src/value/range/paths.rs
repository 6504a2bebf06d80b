//! Paths: explores both branches where control flow depends on a value that may be true or false.

use super::Ranges;

/// The script of answers to return, extended by those returned beyond it.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    script: Vec<bool>,
    asked: usize,
}

impl Path {
    /// The next answer of the script; true beyond its end.
    pub(super) fn decide(&mut self) -> bool {
        if self.asked == self.script.len() {
            self.script.push(true);
        }
        self.asked += 1;
        self.script[self.asked - 1]
    }

    /// Moves to the next path in depth-first order; returns `None` after the last.
    fn next(mut self) -> Option<Path> {
        self.script.truncate(self.asked);
        while !self.script.pop()? {}
        self.script.push(false);
        Some(Path { script: self.script, asked: 0 })
    }
}

/// Runs `body` once for each path through it, at most `limit` times, until it returns `false` to give up. Returns whether every path ran to its end:
/// only then have all possible results been seen.
///
/// Later decisions on a path ignore earlier ones, so some of the paths are infeasible.
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
