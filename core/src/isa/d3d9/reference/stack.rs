//! A stack of fixed size.

/// A stack of at most `N` values, the newest last.
#[derive(Clone, Debug)]
pub struct Stack<T, const N: usize> {
    items: [Option<T>; N],
    len: usize,
}

impl<T, const N: usize> Default for Stack<T, N> {
    fn default() -> Self {
        Stack { items: [const { None }; N], len: 0 }
    }
}

impl<T, const N: usize> Stack<T, N> {
    /// Pushes a value. Returns false, and does nothing, if the stack is full.
    pub fn push(&mut self, value: T) -> bool {
        let Some(place) = self.items.get_mut(self.len) else { return false };
        *place = Some(value);
        self.len += 1;
        true
    }

    /// Pops the newest value.
    pub fn pop(&mut self) -> Option<T> {
        self.len = self.len.checked_sub(1)?;
        self.items[self.len].take()
    }

    /// Returns the newest value.
    pub fn top_mut(&mut self) -> Option<&mut T> {
        self.items.get_mut(self.len.checked_sub(1)?)?.as_mut()
    }

    /// Returns the number of values.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the stack is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns all values, the oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.items.iter().flatten()
    }

    /// Returns all values, the oldest first.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.items.iter_mut().flatten()
    }
}
