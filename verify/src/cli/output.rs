//! Writes to standard output and error: colours, escaping, closed pipes.

use crate::printable::{BEGIN, END, escaped, escaped_but_colours, is_plain};
use anstyle::{AnsiColor, Style};
use std::io::{IsTerminal, Write};

/// Whether to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Colour {
    /// On terminals, unless `NO_COLOR` is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The meaning of a part of the output, which determines its colour.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ink {
    /// Correct.
    Good,
    /// Wrong.
    Bad,
    /// Neither good nor bad.
    Doubtful,
    /// Less important.
    Faint,
    /// A heading.
    Head,
}

/// The output streams of the verbs.
pub(super) struct Output {
    out: std::io::BufWriter<std::io::StdoutLock<'static>>,
    colour: bool,
    errors: bool,
    terminal: bool,
}

fn uses_colour(colour: Colour, terminal: bool) -> bool {
    match colour {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto => terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()),
    }
}

impl Output {
    pub(super) fn new(colour: Colour) -> Output {
        let terminal = std::io::stdout().is_terminal();
        Output {
            out: std::io::BufWriter::new(std::io::stdout().lock()),
            colour: uses_colour(colour, terminal),
            errors: uses_colour(colour, std::io::stderr().is_terminal()),
            terminal,
        }
    }

    /// Whether standard output is a terminal.
    pub(super) fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// Whether standard error is coloured.
    pub(super) fn errors_coloured(&self) -> bool {
        self.errors
    }

    /// Returns `text`, coloured if colours are enabled.
    pub(super) fn paint(&self, ink: Ink, text: &str) -> String {
        if !self.colour {
            return text.to_owned();
        }
        let style = match ink {
            Ink::Good => AnsiColor::Green.on_default(),
            Ink::Bad => AnsiColor::Red.on_default().bold(),
            Ink::Doubtful => AnsiColor::Yellow.on_default(),
            Ink::Faint => Style::new().dimmed(),
            Ink::Head => Style::new().bold(),
        };
        let text = escaped(text);
        format!("{BEGIN}{style}{END}{text}{BEGIN}{style:#}{END}")
    }

    /// Writes messages and progress to standard error. Control characters are escaped, except for colours if these are enabled.
    #[allow(clippy::unused_self)] // a method, because verbs write to standard error only through this type
    pub(super) fn error(&self, text: &str) -> std::io::Result<()> {
        let text = if self.errors { escaped_but_colours(text) } else { escaped(text) };
        writeln!(std::io::stderr().lock(), "{text}")
    }

    /// Returns standard output for raw bytes: a program, a message between processes, or the content of a file.
    pub(super) fn raw_stdout(&mut self) -> &mut impl Write {
        &mut self.out
    }
}

/// Returns a text with its colours. All other control characters that affect a terminal are escaped.
fn shown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, style)) = rest.split_once(BEGIN) {
        out.push_str(&escaped(before));
        let Some((style, after)) = style.split_once(END) else {
            rest = style;
            continue;
        };
        // Only colour sequences are kept as they are. Anything else between the delimiters comes from untrusted text and is escaped.
        let is_colour = |c: char| c == '\u{1b}' || c == '[' || c == ';' || c == 'm' || c.is_ascii_digit();
        if style.chars().all(is_colour) {
            out.push_str(style);
        } else {
            out.push_str(&escaped(style));
        }
        rest = after;
    }
    out.push_str(&escaped(rest));
    out
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if is_plain(bytes) {
            return self.out.write(bytes);
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => self.out.write_all(shown(text).as_bytes())?,
            Err(_) => self.out.write_all(shown(&String::from_utf8_lossy(bytes)).as_bytes())?,
        }
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_colours_stay_and_names_are_escaped() {
        let ours = format!("{BEGIN}\u{1b}[31m{END}a\u{1b}]0;title\u{7}{BEGIN}\u{1b}[0m{END}\n");
        assert_eq!(shown(&ours), "\u{1b}[31ma\\u001b]0;title\\u0007\u{1b}[0m\n");
        // Delimiters in untrusted text can enclose nothing but a colour.
        let theirs = format!("{BEGIN}\u{1b}]0;t\u{7}{END}{BEGIN}x");
        assert_eq!(shown(&theirs), "\\u001b]0;t\\u0007x");
    }
}
