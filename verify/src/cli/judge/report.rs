//! Writes the results of `judge` to the terminal and to files.

use super::Arguments;
use super::inputs::BaselineCheck;
use super::party::Judged;
use crate::cli::output::Ink;
use crate::cli::{Failure, Output, interrupt};
use crate::judge::{
    Baseline, Campaign, Compared, Drawn, Entry, Event, Explained, Found, Party, opinions, summary, write,
    write_suspect,
};
use crate::report::Exit;
use lockstep_core::text::count;
use std::cell::Cell;
use std::io::Write;
use std::path::PathBuf;

/// Reports the findings about one subject as they occur.
pub(super) struct FindingReporter<'a> {
    judged: &'a Judged,
    baseline: Baseline,
    party: &'a Party<'a>,
    /// All subjects.
    parties: &'a [Party<'a>],
    /// The folder with the record of the suspect that is being triaged.
    suspect: Option<PathBuf>,
    /// The number of findings outside of the baseline, over all subjects.
    fresh: &'a Cell<u64>,
    /// The number of findings about this subject that are not in the baseline.
    pub(super) own: u64,
    /// The first error that occurred while reporting.
    pub(super) first_error: Option<Failure>,
}

impl<'a> FindingReporter<'a> {
    /// Creates a reporter.
    pub(super) fn new(
        judged: &'a Judged,
        baseline: Baseline,
        party: &'a Party<'a>,
        parties: &'a [Party<'a>],
        fresh: &'a Cell<u64>,
    ) -> FindingReporter<'a> {
        FindingReporter { judged, baseline, party, parties, suspect: None, fresh, own: 0, first_error: None }
    }

    /// Reports an event; writes a finding to its folder.
    pub(super) fn handle(&mut self, event: &Event<'_>, out: &mut Output) {
        if let Err(failure) = self.report_event(event, out) {
            self.first_error = self.first_error.take().or(Some(failure));
        }
    }

    fn report_event(&mut self, event: &Event<'_>, out: &mut Output) -> Result<(), Failure> {
        let root = &self.judged.folder;
        let command = &self.judged.command;
        let io = |error| Failure::Io(root.display().to_string(), error);
        let mut with_opinions = None;
        let (found, folder) = match event {
            Event::Suspect(met) => {
                self.remove_suspect().map_err(io)?;
                self.suspect = Some(write_suspect(root, met, command).map_err(io)?);
                return Ok(());
            }
            Event::Known => return self.remove_suspect().map_err(io),
            Event::Found(found) => {
                let found = if self.parties.len() > 1 {
                    let said = opinions(&found.case, &found.disagreement, self.parties);
                    &*with_opinions.insert(Found { opinions: Some(said), ..(*found).clone() })
                } else {
                    *found
                };
                let Party { open, profile, abilities, .. } = self.party;
                let folder = write(root, found, command, open, profile, abilities);
                (found, folder.map_err(io)?)
            }
            Event::NotTriaged(met) => (*met, self.suspect.take().unwrap_or_else(|| root.clone())),
        };
        self.remove_suspect().map_err(io)?;
        let is_new = !self.baseline.covers(found);
        self.fresh.set(self.fresh.get() + u64::from(is_new));
        self.own += u64::from(is_new);
        let text = summary(found, &self.judged.command.for_folder(&folder));
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

    /// Removes the suspect's folder after its triage.
    fn remove_suspect(&mut self) -> std::io::Result<()> {
        self.suspect.take().map_or(Ok(()), std::fs::remove_dir_all)
    }
}

/// Prints the summary of a campaign and returns its exit status.
pub(super) fn finish(
    campaign: &Campaign<'_>,
    drawn: &Drawn,
    known: &BaselineCheck,
    baseline: &Baseline,
    fresh: u64,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let summary = &campaign.summary;
    let interrupted = summary.interrupted || interrupt::is_interrupted();
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
            "{} drawn: {:.0} % inside the profile, {:.0} % once unsupported instructions were removed, the rest drawn again",
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
            "{} unsupported, or rejected as the profile allows",
            count(summary.compared.unsupported, "question")
        )?;
    }
    let too_much = undecided(campaign, out)?;
    report_options(campaign, out)?;
    for signature in &known.passing {
        let text = format!("the finding {signature} no longer fails: remove it from the baseline");
        writeln!(out, "{}", out.paint(Ink::Doubtful, &text))?;
    }
    for entry in &known.unchecked {
        writeln!(
            out,
            "the finding {} of the baseline was not tested: it is outside of the profile, or the run was interrupted",
            entry.signature
        )?;
    }
    if !baseline.findings.is_empty() {
        writeln!(out, "{} of the baseline found again", count(known.failing.len(), "finding"))?;
    }
    for found in &campaign.found {
        writeln!(out, "{:>6}  {}", found.count, found.signature)?;
    }
    if interrupted {
        writeln!(out, "{}", out.paint(Ink::Doubtful, "interrupted: these are the results so far"))?;
    }
    let compared = summary.compared.lanes + summary.decoded + summary.failing;
    let (exit, ink, text) = if fresh > 0 {
        (Exit::Findings, Ink::Bad, count(fresh, "finding"))
    } else if interrupted {
        (Exit::Inconclusive, Ink::Doubtful, "no findings so far".to_owned())
    } else if compared == 0 {
        (Exit::Inconclusive, Ink::Doubtful, "nothing was compared".to_owned())
    } else if too_much {
        (Exit::Inconclusive, Ink::Doubtful, "too many results are undecided".to_owned())
    } else {
        (Exit::Clean, Ink::Good, "clean".to_owned())
    };
    writeln!(out, "{}", out.paint(ink, &text))?;
    Ok(exit)
}

/// The maximum percentage of lanes that may be undecided.
const MAX_UNDECIDED_PERCENT: u64 = 10;

/// Reports the number of undecided lanes, and returns whether it is too large.
fn undecided(campaign: &Campaign<'_>, out: &mut Output) -> Result<bool, Failure> {
    let Compared { undecided, lanes, .. } = campaign.summary.compared;
    if undecided == 0 {
        return Ok(false);
    }
    let share = 100 * undecided / (undecided + lanes);
    writeln!(
        out,
        "{} not compared, {share} %: inexact opcodes are neither alone nor last in their programs; at most {MAX_UNDECIDED_PERCENT} % are allowed",
        count(undecided, "lane")
    )?;
    Ok(100 * undecided > MAX_UNDECIDED_PERCENT * (undecided + lanes))
}

/// Reports the choices that the subject appears to make where documents disagree.
fn report_options(campaign: &Campaign<'_>, out: &mut Output) -> Result<(), Failure> {
    let explained = campaign.explained();
    for Explained { options, count: cases } in &explained {
        let options: Vec<String> =
            options.iter().map(|(name, choice)| format!("{name} = \"{choice}\"")).collect();
        let text = format!("{} explained by {}", count(*cases, "difference"), options.join(" and "));
        writeln!(out, "{}", out.paint(Ink::Doubtful, &text))?;
    }
    if !explained.is_empty() {
        writeln!(
            out,
            "if the subject makes these choices on purpose, state them in its profile's [options]"
        )?;
    }
    let inconsistent = campaign.inconsistent_options();
    if !inconsistent.is_empty() {
        let text =
            format!("no choice of {} fits all cases, so it explains no difference", inconsistent.join(", "));
        writeln!(out, "{}", out.paint(Ink::Doubtful, &text))?;
    }
    if campaign.is_capped() {
        writeln!(
            out,
            "not all joint choices of options were tried: those that change the most options were left out"
        )?;
    }
    Ok(())
}

/// Returns the combined exit status of two campaigns. The order of precedence is findings, usage, inconclusive, clean.
pub(super) fn combine_exits(a: Exit, b: Exit) -> Exit {
    let rank = |exit: &Exit| {
        [Exit::Clean, Exit::Inconclusive, Exit::Usage, Exit::Findings].iter().position(|e| e == exit)
    };
    if rank(&a) >= rank(&b) { a } else { b }
}

/// Writes a baseline into the folder of findings: the findings of this run, and the entries of the old baseline that still fail or were not checked.
/// If there are none, writes nothing.
pub(super) fn write_baseline(
    arguments: &Arguments,
    judged: &[Judged],
    campaigns: &[Campaign<'_>],
    known: &[BaselineCheck],
) -> Result<(), Failure> {
    let mut whole = Baseline::default();
    for ((one, campaign), known) in judged.iter().zip(campaigns).zip(known) {
        let mut all = Baseline { findings: known.failing.iter().chain(&known.unchecked).cloned().collect() };
        for found in &campaign.found {
            if !all.covers(found) {
                let subject = (judged.len() > 1).then(|| one.name.clone());
                all.findings.push(Entry { subject, ..Entry::new(found) });
            }
        }
        let is_there = |entry: &Entry| whole.findings.contains(entry);
        let new: Vec<Entry> = all.findings.into_iter().filter(|entry| !is_there(entry)).collect();
        whole.findings.extend(new);
    }
    if whole.findings.is_empty() {
        return Ok(());
    }
    let path = arguments.findings.join("baseline.toml");
    let io = |error| Failure::Io(path.display().to_string(), error);
    std::fs::create_dir_all(&arguments.findings).map_err(io)?;
    std::fs::write(&path, whole.to_text()).map_err(io)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exit_status_of_several_subjects_is_the_worst() {
        let worst_first = [Exit::Findings, Exit::Usage, Exit::Inconclusive, Exit::Clean];
        for (a, one) in worst_first.into_iter().enumerate() {
            for (b, other) in worst_first.into_iter().enumerate() {
                assert_eq!(combine_exits(one, other), worst_first[a.min(b)], "{one:?} {other:?}");
            }
        }
    }
}
