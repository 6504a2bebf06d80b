//! The output of `-v` to `-vvv`: nested steps and decisions with durations. Absolute times and module names are only in `--time-trace`.

use crate::printable::escaped;
use std::fmt::{Debug, Write as _};
use std::io::Write as _;
use std::time::{Duration, Instant};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

/// The tracing layer that prints to standard error. A nested span is printed when it ends, before the span that contains it.
pub(super) struct StderrLayer {
    pub(super) colour: bool,
}

/// The data of an open span.
struct Open {
    since: Instant,
    fields: Text,
}

/// The fields of an event or span as text.
#[derive(Default)]
struct Text {
    message: String,
    fields: String,
}

impl Visit for Text {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        // Writing to a string cannot fail.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}

/// Formats a time with a unit and three digits, or fewer below 100 ns.
fn shown(time: Duration) -> String {
    let nanos = time.as_nanos();
    let (value, unit) = match nanos {
        0..1_000 => return format!("{nanos} ns"),
        1_000..1_000_000 => (nanos as f64 / 1e3, "µs"),
        1_000_000..1_000_000_000 => (nanos as f64 / 1e6, "ms"),
        _ => (nanos as f64 / 1e9, "s"),
    };
    match value {
        ..10.0 => format!("{value:.2} {unit}"),
        10.0..100.0 => format!("{value:.1} {unit}"),
        _ => format!("{value:.0} {unit}"),
    }
}

impl StderrLayer {
    fn line(&self, time: &str, depth: usize, name: &str, fields: &str) {
        let (faint, plain) = if self.colour { ("\u{1b}[2m", "\u{1b}[0m") } else { ("", "") };
        let mut text = String::new();
        let (name, fields) = (&*escaped(name), &*escaped(fields));
        let indent = "  ".repeat(depth);
        let mut lines = name.lines();
        let first = lines.next().unwrap_or_default();
        let _ = writeln!(text, "{faint}{time:>8}{plain}  {indent}{first}{faint}{fields}{plain}");
        for line in lines {
            let _ = writeln!(text, "{:>8}  {indent}{line}", "");
        }
        // The text is written at once, because lines of several threads and processes must not mix. A failure is ignored, since it cannot be
        // reported.
        let _ = std::io::stderr().lock().write_all(text.as_bytes());
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for StderrLayer {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = Text::default();
        attributes.record(&mut fields);
        if let Some(span) = context.span(id) {
            span.extensions_mut().insert(Open { since: Instant::now(), fields });
        }
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        if let Some(span) = context.span(id)
            && let Some(open) = span.extensions_mut().get_mut::<Open>()
        {
            values.record(&mut open.fields);
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut text = Text::default();
        event.record(&mut text);
        let depth = context.event_scope(event).map_or(0, Iterator::count);
        self.line("", depth, &text.message, &text.fields);
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        let extensions = span.extensions();
        let Some(open) = extensions.get::<Open>() else { return };
        let depth = span.scope().skip(1).count();
        self.line(&shown(open.since.elapsed()), depth, span.name(), &open.fields.fields);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_digits_and_a_unit() {
        let times = [
            (7, "7 ns"),
            (1_234, "1.23 µs"),
            (45_678, "45.7 µs"),
            (999_000_000, "999 ms"),
            (61_000_000_000, "61.0 s"),
        ];
        for (nanos, text) in times {
            assert_eq!(shown(Duration::from_nanos(nanos)), text);
        }
    }
}
