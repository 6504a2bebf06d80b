//! What is printed and written.

use super::Arguments;
use super::inputs::Known;
use crate::cli::output::Ink;
use crate::cli::{Failure, Output, interrupt};
use crate::judge::{
    Baseline, Campaign, Command, Door, Drawn, Entry, Explained, Found, Hello, Profile, StartError, Told,
    summary, write, write_suspect,
};
use crate::report::Exit;
use lockstep_core::text::count;
use std::cell::Cell;
use std::io::Write;
use std::path::PathBuf;

/// What telling of findings needs.
pub(super) struct Teller<'a> {
    pub(super) arguments: &'a Arguments,
    pub(super) baseline: &'a Baseline,
    pub(super) command: &'a Command,
    pub(super) open: &'a dyn Fn() -> Result<Box<dyn Door>, StartError>,
    pub(super) profile: &'a Profile,
    pub(super) hello: &'a Hello,
    /// The folder of the suspect that is being looked into.
    pub(super) suspect: Option<PathBuf>,
    /// Findings outside of the baseline.
    pub(super) fresh: &'a Cell<u64>,
}

impl Teller<'_> {
    /// Says what was found, and writes it.
    pub(super) fn tell(&mut self, told: &Told<'_>, out: &mut Output) -> Result<(), Failure> {
        let root = &self.arguments.findings;
        let io = |error| Failure::Io(root.display().to_string(), error);
        let (found, folder) = match told {
            Told::Suspect(met) => {
                self.settled().map_err(io)?;
                self.suspect = Some(write_suspect(root, met, self.command).map_err(io)?);
                return Ok(());
            }
            Told::Known => return self.settled().map_err(io),
            Told::Found(found) => {
                let abilities = &self.hello.abilities;
                let folder = write(root, found, self.command, &self.open, self.profile, abilities);
                (found, folder.map_err(io)?)
            }
            Told::Left(met) => (met, self.suspect.take().unwrap_or_else(|| root.clone())),
        };
        self.settled().map_err(io)?;
        let is_new = !self.baseline.covers(found);
        self.fresh.set(self.fresh.get() + u64::from(is_new));
        let text = summary(found, &self.command.of(&folder));
        let (head, rest) = text.split_once('\n').unwrap_or((&text, ""));
        let head = if is_new {
            out.paint(Ink::Bad, head)
        } else {
            out.paint(Ink::Doubtful, &format!("{head} (in the baseline)"))
        };
        writeln!(out, "\n{head}\n{}", rest.trim_end())?;
        out.flush()?;
        Ok(())
    }

    /// The suspect has become a finding, or is one that was there.
    fn settled(&mut self) -> std::io::Result<()> {
        self.suspect.take().map_or(Ok(()), std::fs::remove_dir_all)
    }
}

/// The summary.
pub(super) fn finish(
    campaign: &Campaign<'_>,
    drawn: &Drawn,
    known: &Known,
    baseline: &Baseline,
    fresh: u64,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let summary = &campaign.summary;
    let interrupted = summary.interrupted || interrupt::is_wanted();
    writeln!(
        out,
        "\n{} sent, {} and {} compared, {} decoded",
        count(summary.sent, "case"),
        count(summary.compared.lanes, "lane"),
        count(summary.compared.components, "component"),
        count(summary.decoded, "program"),
    )?;
    if drawn.drawn > 0 {
        let share = |part: u64| 100.0 * part as f64 / drawn.drawn as f64;
        writeln!(
            out,
            "{} drawn: {:.0} % inside the profile, {:.0} % once instructions outside were taken out, the rest drawn again",
            count(drawn.drawn, "program"),
            share(drawn.inside),
            share(drawn.mended)
        )?;
    }
    for (why, number) in &summary.not_sent {
        writeln!(out, "{} not sent: {why}", count(*number, "case"))?;
    }
    if summary.compared.unsupported > 0 {
        writeln!(
            out,
            "{} unsupported, as the subject says",
            count(summary.compared.unsupported, "question")
        )?;
    }
    liberties(campaign, out)?;
    for signature in &known.gone {
        let text = format!("the baseline's {signature} fails no more: take it out");
        writeln!(out, "{}", out.paint(Ink::Doubtful, &text))?;
    }
    for entry in &known.left {
        writeln!(
            out,
            "the baseline's {} was not asked about: it is outside of the profile, or there was no time",
            entry.signature
        )?;
    }
    if !baseline.findings.is_empty() {
        writeln!(out, "{} of the baseline still there", count(known.still.len(), "finding"))?;
    }
    for found in &campaign.found {
        writeln!(out, "{:>6}  {}", found.count, found.signature)?;
    }
    if interrupted {
        writeln!(out, "{}", out.paint(Ink::Doubtful, "interrupted: this is what was known by then"))?;
    }
    let compared = summary.compared.lanes + summary.decoded + summary.failing;
    let (exit, ink, text) = if fresh > 0 {
        (Exit::Findings, Ink::Bad, count(fresh, "finding"))
    } else if interrupted {
        (Exit::Inconclusive, Ink::Doubtful, "no finding by then".to_owned())
    } else if compared == 0 {
        (Exit::Inconclusive, Ink::Doubtful, "nothing was compared".to_owned())
    } else {
        (Exit::Clean, Ink::Good, "clean".to_owned())
    };
    writeln!(out, "{}", out.paint(ink, &text))?;
    Ok(exit)
}

/// What the subject seems to choose where documents disagree.
fn liberties(campaign: &Campaign<'_>, out: &mut Output) -> Result<(), Failure> {
    let explained = campaign.explained();
    for Explained { options, count: cases } in &explained {
        let options: Vec<String> =
            options.iter().map(|(name, choice)| format!("{name} = \"{choice}\"")).collect();
        let text = format!("{} explained by {}", count(*cases, "difference"), options.join(" and "));
        writeln!(out, "{}", out.paint(Ink::Doubtful, &text))?;
    }
    if !explained.is_empty() {
        writeln!(out, "if that is what the subject means, its profile's [options] say so")?;
    }
    let inconsistent = campaign.inconsistent();
    if !inconsistent.is_empty() {
        let text = format!(
            "no choice holds in every case for {}: nothing is explained by it",
            inconsistent.join(", ")
        );
        writeln!(out, "{}", out.paint(Ink::Doubtful, &text))?;
    }
    if campaign.is_capped() {
        writeln!(out, "there are more joint choices than were tried: those with many changes were left out")?;
    }
    Ok(())
}

/// Writes what a baseline of this run would be, beside the findings.
pub(super) fn write_baseline(arguments: &Arguments, found: &[Found], known: &Known) -> Result<(), Failure> {
    let mut all = Baseline { findings: known.still.iter().chain(&known.left).cloned().collect() };
    for found in found {
        if !all.covers(found) {
            all.findings.push(Entry::of(found));
        }
    }
    if all.findings.is_empty() {
        return Ok(());
    }
    let path = arguments.findings.join("baseline.toml");
    let io = |error| Failure::Io(path.display().to_string(), error);
    std::fs::create_dir_all(&arguments.findings).map_err(io)?;
    std::fs::write(&path, all.to_text()).map_err(io)
}
