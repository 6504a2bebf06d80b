//! Paths: explores both directions of each branch on a value that may be true or false.

use super::Ranges;

/// A path: a script of the directions to take at branches. Beyond the end of the script, each direction taken is appended to it.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    script: Vec<bool>,
    asked: usize,
}

impl Path {
    /// Returns the next direction of the script, or true beyond its end.
    pub(super) fn decide(&mut self) -> bool {
        if self.asked == self.script.len() {
            self.script.push(true);
        }
        self.asked += 1;
        self.script[self.asked - 1]
    }

    /// Returns the next path in depth-first order; `None` after the last one.
    fn next(mut self) -> Option<Path> {
        self.script.truncate(self.asked);
        while !self.script.pop()? {}
        self.script.push(false);
        Some(Path { script: self.script, asked: 0 })
    }
}

/// Runs `body` once for each path through it, at most `limit` times. `body` returns `false` to give up. Returns whether `body` ran on every path and
/// never gave up: only then has it computed all possible results.
///
/// Decisions on a path do not constrain later ones, so some paths may be infeasible.
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
