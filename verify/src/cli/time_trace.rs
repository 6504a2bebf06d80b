//! Writes `--time-trace FILE`: spans and events in the trace event format that Chrome and Perfetto read.
//!
//! Source: "Trace Event Format" of the Chromium project: an array of complete events (`ph` is `X`) for spans and instant events (`i`) for log
//! messages, with times in microseconds. All processes of a run append to one file, and each write contains whole lines. The times are those of the
//! system's clock, which makes them comparable between processes.

use serde_json::{Map, Value, json};
use std::fmt::Debug;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

/// The environment variable that passes the path of the trace to child processes.
const VARIABLE: &str = "LOCKSTEP_TIME_TRACE";
/// The path of this process's trace.
static PATH: OnceLock<PathBuf> = OnceLock::new();
/// The number of buffered bytes at which the buffer is written.
const BUFFER_BYTES: usize = 1 << 16;

/// A trace file being written. The process that created the file closes the JSON array in [`TimeTrace::finish`].
pub(super) struct TimeTrace {
    file: Arc<Mutex<TraceWriter>>,
    is_creator: bool,
}

/// Returns the environment variable for child processes, which makes them write to the same trace.
pub(super) fn environment() -> Option<(&'static str, &'static Path)> {
    PATH.get().map(|path| (VARIABLE, path.as_path()))
}

/// Buffers and writes the events of one process.
struct TraceWriter {
    file: File,
    buffer: Vec<u8>,
}

impl TraceWriter {
    fn line(&mut self, event: &Value) {
        // Writing to memory cannot fail.
        let _ = serde_json::to_writer(&mut self.buffer, event);
        self.buffer.extend_from_slice(b",\n");
        if self.buffer.len() >= BUFFER_BYTES {
            self.flush();
        }
    }

    /// Closes the JSON array after the last buffered line.
    fn close_array(&mut self) {
        self.buffer.truncate(self.buffer.len().saturating_sub(2));
        self.buffer.extend_from_slice(b"\n]\n");
    }

    fn flush(&mut self) {
        // The buffer is written at once, because lines of several processes must not mix. A failure is ignored, since the trace is optional.
        let _ = self.file.write_all(&self.buffer);
        self.buffer.clear();
    }
}

impl Drop for TraceWriter {
    fn drop(&mut self) {
        self.flush();
    }
}

fn lock(part: &Mutex<TraceWriter>) -> std::sync::MutexGuard<'_, TraceWriter> {
    part.lock().unwrap_or_else(PoisonError::into_inner)
}

impl TimeTrace {
    /// Creates a trace file.
    pub(super) fn begin(path: &Path) -> io::Result<TimeTrace> {
        std::fs::write(path, "[\n")?;
        let path = path.canonicalize()?;
        let trace = TimeTrace::append(&path)?;
        Ok(TimeTrace { is_creator: true, ..trace })
    }

    /// Opens the trace file that the parent process created, if there is one.
    pub(super) fn inherited() -> Option<TimeTrace> {
        TimeTrace::append(Path::new(&std::env::var_os(VARIABLE)?)).ok()
    }

    fn append(path: &Path) -> io::Result<TimeTrace> {
        let file = OpenOptions::new().append(true).open(path)?;
        let file = Arc::new(Mutex::new(TraceWriter { file, buffer: Vec::new() }));
        // Setting fails only for a second trace in one process, which occurs only in tests.
        let _ = PATH.set(path.to_owned());
        Ok(TimeTrace { file, is_creator: false })
    }

    /// Returns the layer that receives spans and events.
    pub(super) fn layer(&self) -> Spans {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros() as u64);
        Spans { file: Arc::clone(&self.file), start: Instant::now(), clock: now }
    }

    /// Writes the buffered events, and closes the array if this process created the file.
    pub(super) fn finish(&self) {
        let mut part = lock(&self.file);
        if self.is_creator {
            let name = json!({ "name": "process_name", "ph": "M", "pid": std::process::id(), "args": { "name": "lockstep" } });
            // With an empty buffer, this line stays in it, where the comma after it can be removed.
            part.flush();
            part.line(&name);
            part.close_array();
        }
        part.flush();
    }
}

/// The tracing layer that writes spans.
pub(super) struct Spans {
    file: Arc<Mutex<TraceWriter>>,
    start: Instant,
    /// The system's clock at `start`, in microseconds.
    clock: u64,
}

/// Returns a small unique number for the current thread.
fn thread() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local!(static NUMBER: u64 = NEXT.fetch_add(1, Ordering::Relaxed));
    NUMBER.with(|number| *number)
}

/// The data of an open span.
struct Open {
    since: Instant,
    fields: Map<String, Value>,
}

/// Collects the fields of an event or span as JSON.
struct Fields<'a>(&'a mut Map<String, Value>);

impl Visit for Fields<'_> {
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}").into());
    }
}

impl Spans {
    fn micros(&self, at: Instant) -> f64 {
        self.clock as f64 + at.duration_since(self.start).as_nanos() as f64 / 1000.0
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Spans {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, cx: Context<'_, S>) {
        let Some(span) = cx.span(id) else { return };
        let mut fields = Map::new();
        attributes.record(&mut Fields(&mut fields));
        span.extensions_mut().insert(Open { since: Instant::now(), fields });
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, cx: Context<'_, S>) {
        let Some(span) = cx.span(id) else { return };
        if let Some(open) = span.extensions_mut().get_mut::<Open>() {
            values.record(&mut Fields(&mut open.fields));
        }
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut fields = Map::new();
        event.record(&mut Fields(&mut fields));
        let said = fields.remove("message");
        let name = said.as_ref().and_then(Value::as_str).unwrap_or(event.metadata().name());
        lock(&self.file).line(&json!({
            "name": name, "cat": event.metadata().target(), "ph": "i", "s": "t", "ts": self.micros(Instant::now()),
            "pid": std::process::id(), "tid": thread(), "args": fields,
        }));
    }

    fn on_close(&self, id: Id, cx: Context<'_, S>) {
        let Some(span) = cx.span(&id) else { return };
        let Some(Open { since, fields }) = span.extensions_mut().remove::<Open>() else { return };
        let mut part = lock(&self.file);
        part.line(&json!({
            "name": span.name(), "cat": span.metadata().target(), "ph": "X", "ts": self.micros(since),
            "dur": since.elapsed().as_nanos() as f64 / 1000.0, "pid": std::process::id(), "tid": thread(), "args": fields,
        }));
        // Written after each top-level span, so that a process that crashes loses only the unfinished span.
        if span.parent().is_none() {
            part.flush();
        }
    }
}
