//! Buffers that a library writes into, and the values that its functions return. Everything is treated as untrusted.

use super::abi::{MAX_TEXT, Room, verdict};
use super::guarded::Guarded;
use crate::judge::subject::{Failure, FailureKind, Verdict};
use std::ffi::c_char;

/// The initial size of a text buffer in bytes.
const TEXT: usize = 16 << 10;
/// The value of the guard bytes after the end of buffers, which detect writes past the end.
pub(super) const GUARD: u8 = 0xa5;

/// The result of a call into a library.
pub(super) enum Outcome<T> {
    /// The library answered.
    Answer(T),
    /// The library requested larger buffers, and the call is to be repeated with these.
    Again,
}

pub(super) fn malformed_answer(message: impl Into<String>) -> Failure {
    Failure { kind: FailureKind::MalformedAnswer, message: message.into() }
}

/// A buffer for text or bytes that a library writes.
pub(super) struct Text {
    /// The name of the buffer in `lockstep.h`.
    name: &'static str,
    cells: Guarded<u8>,
    /// The size of the buffer in the next call.
    next_capacity: usize,
    length: usize,
}

impl Text {
    pub(super) fn new(name: &'static str) -> Text {
        Text { name, cells: Guarded::new(GUARD), next_capacity: TEXT, length: 0 }
    }

    pub(super) fn room(&mut self) -> Room {
        self.cells.reset(self.next_capacity, 0);
        Room { at: self.cells.at().cast::<c_char>(), capacity: self.cells.capacity(), length: 0 }
    }

    /// Checks the buffer after a call, and returns whether the library requests a larger one.
    pub(super) fn take(&mut self, room: &Room) -> Result<bool, Failure> {
        let (name, capacity) = (self.name, self.cells.capacity());
        self.next_capacity = TEXT;
        if !self.cells.is_intact() {
            return Err(malformed_answer(format!("it wrote past the {capacity} bytes of '{name}'")));
        }
        self.length = room.length;
        if room.length > MAX_TEXT {
            let message = format!("'{name}' needs {} bytes, and at most {MAX_TEXT} are allowed", room.length);
            return Err(malformed_answer(message));
        }
        let more = room.length > capacity;
        if more && capacity > TEXT {
            let length = room.length;
            let message =
                format!("'{name}' needs {length} bytes now, and was given the {capacity} it asked for");
            return Err(malformed_answer(message));
        }
        if more {
            self.next_capacity = room.length;
        }
        Ok(more)
    }

    pub(super) fn bytes(&self) -> Option<&[u8]> {
        (self.length > 0).then(|| self.cells.written(self.length))
    }

    pub(super) fn text(&self) -> Option<String> {
        self.bytes().map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }
}

/// A buffer for a message.
pub(super) struct Message(Text);

impl Message {
    pub(super) fn new() -> Message {
        Message(Text::new("message"))
    }

    pub(super) fn room(&mut self) -> Room {
        self.0.room()
    }

    pub(super) fn text(&mut self, room: &Room) -> String {
        match self.0.take(room) {
            Ok(_) => self.0.text().unwrap_or_else(|| "it gives no reason".to_owned()),
            Err(failure) => failure.message,
        }
    }
}

/// Converts a call's return value.
pub(super) fn read_verdict(number: u32, message: Option<String>) -> Result<Verdict, Failure> {
    match number {
        verdict::ACCEPTED => Ok(Verdict::Accepted),
        verdict::REJECTED => Ok(Verdict::Rejected),
        verdict::UNSUPPORTED => Ok(Verdict::Unsupported),
        verdict::FAILED => {
            let message = message.unwrap_or_else(|| "it gives no reason".to_owned());
            Err(Failure { kind: FailureKind::Reported, message })
        }
        other => Err(malformed_answer(format!("it returned {other}, which is not a verdict"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_and_guards_are_checked_against_the_buffer() {
        let mut text = Text::new("text");
        let room = text.room();
        assert_eq!((room.capacity, text.take(&room).unwrap(), text.text()), (TEXT, false, None));
        // A request for a larger buffer is granted once.
        let wanted = Room { length: TEXT + 1, ..text.room() };
        assert!(text.take(&wanted).unwrap());
        let wider = text.room();
        assert_eq!(wider.capacity, TEXT + 1);
        assert!(text.take(&Room { length: TEXT + 2, ..wider }).unwrap_err().message.contains("it asked for"));
        let absurd = Room { length: usize::MAX, ..text.room() };
        assert!(text.take(&absurd).unwrap_err().message.contains("are allowed"));
    }
}
