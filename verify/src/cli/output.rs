//! Standard output and error: colours, and what happens when nobody reads.

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

/// What a stretch of text is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ink {
    /// As it should be.
    Good,
    /// Wrong.
    Bad,
    /// Neither.
    Doubtful,
    /// Less important.
    Faint,
    /// A heading.
    Head,
}

/// Where verbs write.
pub(super) struct Output {
    out: std::io::BufWriter<std::io::StdoutLock<'static>>,
    colour: bool,
    errors: bool,
    terminal: bool,
}

fn wanted(colour: Colour, terminal: bool) -> bool {
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
            colour: wanted(colour, terminal),
            errors: wanted(colour, std::io::stderr().is_terminal()),
            terminal,
        }
    }

    /// Whether standard output is a terminal.
    pub(super) fn terminal(&self) -> bool {
        self.terminal
    }

    /// Whether standard error is coloured.
    pub(super) fn errors_coloured(&self) -> bool {
        self.errors
    }

    /// `text`, coloured if colours are on.
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
        format!("{style}{text}{style:#}")
    }

    /// Writes to standard error, where messages and progress go.
    #[allow(clippy::unused_self)] // the one place that writes there
    pub(super) fn error(&self, text: &str) -> std::io::Result<()> {
        writeln!(std::io::stderr().lock(), "{text}")
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.out.write(bytes)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}
