//! The stacks of the control unit.

/// A stack of at most `N` frames. A push on a full stack drops the oldest frame (HW S1 rev 20748).
#[derive(Clone, Debug)]
pub struct Ring<T, const N: usize> {
    /// The frames, newest first, then `None` for each unused element.
    frames: [Option<T>; N],
}

impl<T, const N: usize> Default for Ring<T, N> {
    fn default() -> Self {
        Ring { frames: [const { None }; N] }
    }
}

impl<T, const N: usize> Ring<T, N> {
    /// Pushes a frame.
    pub fn push(&mut self, frame: T) {
        self.frames.rotate_right(1);
        self.frames[0] = Some(frame);
    }

    /// Pops the top frame.
    pub fn pop(&mut self) -> Option<T> {
        let top = self.frames[0].take();
        self.frames.rotate_left(1);
        top
    }

    /// Returns the top frame.
    pub fn top(&self) -> Option<&T> {
        self.frames[0].as_ref()
    }

    /// Returns the top frame.
    pub fn top_mut(&mut self) -> Option<&mut T> {
        self.frames[0].as_mut()
    }

    /// Returns all slots, newest first.
    pub fn frames(&self) -> &[Option<T>; N] {
        &self.frames
    }

    /// Returns all slots, newest first.
    pub fn frames_mut(&mut self) -> &mut [Option<T>; N] {
        &mut self.frames
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_frame_is_dropped() {
        let mut ring = Ring::<u32, 4>::default();
        (1..=6).for_each(|n| ring.push(n));
        let popped: Vec<_> = std::iter::from_fn(|| ring.pop()).collect();
        assert_eq!(popped, [6, 5, 4, 3]);
    }
}
