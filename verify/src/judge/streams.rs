//! The pipes of a child process, each with a thread of its own and a limit on the data kept.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The maximum number of lines buffered; a subject that writes more is blocked.
const QUEUED_LINES: usize = 4;
/// The number of last bytes of the subject's output that are kept.
const KEPT_BYTES: usize = 8 << 10;

/// An item read from a pipe.
pub(super) enum Line {
    /// A line without its line feed.
    Text(Vec<u8>),
    /// A line that exceeds the maximum length. No further lines are read.
    TooLong,
    /// The end of the input, or a failed read.
    End,
}

/// Reads lines of at most `max_length` bytes until the end of input.
pub(super) fn lines(from: impl Read + Send + 'static, max_length: usize) -> Receiver<Line> {
    let (to, inbox) = sync_channel(QUEUED_LINES);
    std::thread::spawn(move || {
        let mut from = BufReader::new(from);
        loop {
            let mut line = Vec::new();
            let line = match from.by_ref().take(max_length as u64 + 1).read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => Line::End,
                Ok(_) if line.last() == Some(&b'\n') => {
                    line.pop();
                    Line::Text(line)
                }
                Ok(length) if length > max_length => Line::TooLong,
                // The last line may lack its line feed.
                Ok(_) => Line::Text(line),
            };
            let last = !matches!(line, Line::Text(_));
            // Sending fails if the receiver was dropped.
            if to.send(line).is_err() || last {
                return;
            }
        }
    });
    inbox
}

/// Writes the data sent to it, without blocking the sender.
pub(super) fn writer(mut to: impl Write + Send + 'static) -> Sender<Vec<u8>> {
    let (sender, inbox) = channel::<Vec<u8>>();
    std::thread::spawn(move || {
        for bytes in inbox {
            // A failed write is ignored: if the subject has ended, its answer will be missing.
            if to.write_all(&bytes).and_then(|()| to.flush()).is_err() {
                return;
            }
        }
    });
    sender
}

/// The last part of a subject's output.
#[derive(Clone, Default)]
pub(super) struct Printed {
    /// The last bytes of the output, and the total number of bytes of the output.
    kept: Arc<Mutex<(VecDeque<u8>, u64)>>,
    /// The number of pipes that are still being read.
    open: Arc<AtomicUsize>,
}

impl Printed {
    /// Returns the text, with a note on how much was omitted.
    pub(super) fn text(&self) -> String {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (bytes, all) = &*kept;
        let bytes: Vec<u8> = bytes.iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        match all - bytes.len() as u64 {
            0 => text,
            left => format!("({left} earlier bytes omitted)\n{text}"),
        }
    }

    /// Waits until all output is read, but not longer than `limit`, because other processes may hold the pipe of an ended process open.
    pub(super) fn wait_until_read(&self, limit: Duration) {
        let until = Instant::now() + limit;
        while self.open.load(Ordering::Acquire) > 0 && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn add(&self, bytes: &[u8]) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.0.extend(bytes);
        let beyond = kept.0.len().saturating_sub(KEPT_BYTES);
        kept.0.drain(..beyond);
        kept.1 += bytes.len() as u64;
    }
}

/// Reads a pipe to its end and keeps the last part.
pub(super) fn keep_last_output(printed: &Printed, mut from: impl Read + Send + 'static) {
    let printed = printed.clone();
    printed.open.fetch_add(1, Ordering::AcqRel);
    std::thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(count @ 1..) = from.read(&mut bytes) {
            printed.add(&bytes[..count]);
        }
        printed.open.fetch_sub(1, Ordering::AcqRel);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that returns a word after a delay, then the end of input.
    struct Late(bool);

    impl Read for Late {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            std::thread::sleep(Duration::from_millis(100));
            if std::mem::replace(&mut self.0, true) {
                return Ok(0);
            }
            into[..4].copy_from_slice(b"last");
            Ok(4)
        }
    }

    #[test]
    fn the_last_output_is_awaited() {
        let printed = Printed::default();
        keep_last_output(&printed, Late(false));
        printed.wait_until_read(Duration::from_secs(20));
        assert_eq!(printed.text(), "last");
    }

    #[test]
    fn lines_are_bounded_and_the_last_may_lack_its_end() {
        let read = |text: &'static [u8]| {
            let inbox = lines(text, 5);
            let mut all = Vec::new();
            for line in inbox {
                all.push(match line {
                    Line::Text(line) => String::from_utf8(line).unwrap(),
                    Line::TooLong => "TOO LONG".to_owned(),
                    Line::End => "END".to_owned(),
                });
            }
            all
        };
        assert_eq!(read(b"ab\n12345\ncd"), ["ab", "12345", "cd", "END"]);
        assert_eq!(read(b"ab\n123456\ncd"), ["ab", "TOO LONG"]);
        assert_eq!(read(b"ab\n1234567890"), ["ab", "TOO LONG"]);
    }

    #[test]
    fn the_end_of_the_output_is_kept() {
        let printed = Printed::default();
        printed.add(b"begin");
        printed.add(&[b'x'; KEPT_BYTES - 2]);
        let text = printed.text();
        assert!(
            text.starts_with("(3 earlier bytes omitted)\ninx") && text.len() == KEPT_BYTES + 26,
            "{}",
            text.len()
        );
    }
}
