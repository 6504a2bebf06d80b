//! Counts the results of a campaign within a fuzzer.

use crate::judge::compare::Compared;
use crate::judge::joint_options::Explained;
use crate::judge::question::NotSent;
use lockstep_core::text::count;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The totals of a campaign.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    /// The number of inputs.
    pub(super) inputs: u64,
    /// The number of inputs that are cases the subject was asked about.
    pub(super) asked: u64,
    /// The number of decoder answers that were compared.
    pub(super) decoded: u64,
    /// The totals of what was compared.
    pub(super) compared: Compared,
    /// The number of inputs that the subject was not asked about, by reason.
    pub(super) not_sent: BTreeMap<String, u64>,
}

impl Tally {
    /// Counts an input that the subject was not asked about. All programs outside of the profile are counted under one reason.
    pub(super) fn not_sent(&mut self, why: &NotSent) {
        let why = match why {
            // The reasons differ for almost every program, so they are counted together.
            NotSent::Outside(_) => "outside of the profile".to_owned(),
            other => other.to_string(),
        };
        self.count_not_sent(why);
    }

    /// Counts, under this reason, an input that the subject was not asked about.
    pub(super) fn count_not_sent(&mut self, why: String) {
        *self.not_sent.entry(why).or_default() += 1;
    }

    /// Counts an answer that was compared.
    pub(super) fn count_compared(&mut self, compared: Compared) {
        self.decoded += u64::from(compared.decoded);
        self.compared += compared;
    }

    /// Returns the counts as lines of text, with the differences that other choices of options explain.
    pub(super) fn text(&self, explained: &[Explained]) -> String {
        let Compared { lanes, components, unsupported, undecided, .. } = self.compared;
        let mut text = format!(
            "lockstep: {}, {} asked about, {lanes} lanes and {components} components compared, {} decoded\n",
            count(self.inputs, "input"),
            self.asked,
            count(self.decoded, "program"),
        );
        if unsupported > 0 {
            let _ = writeln!(text, "lockstep: {unsupported} unsupported, or rejected as the profile allows");
        }
        if undecided > 0 {
            let _ = writeln!(text, "lockstep: {}", count(undecided, "undecided lane"));
        }
        for (why, number) in &self.not_sent {
            let _ = writeln!(text, "lockstep: {number} not asked about: {why}");
        }
        for Explained { options, count: number } in explained {
            let choices: Vec<String> =
                options.iter().map(|(name, choice)| format!("{name} = {choice}")).collect();
            let _ = writeln!(
                text,
                "lockstep: {} explained by {}",
                count(*number, "difference"),
                choices.join(", ")
            );
        }
        if self.inputs > 0 && components == 0 && self.decoded == 0 {
            text.push_str("lockstep: nothing was compared\n");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_was_compared_if_no_component_and_no_decoder_answer_was() {
        let says_so = |components, decoded| {
            let compared = Compared { components, ..Compared::default() };
            let tally = Tally { inputs: 1, asked: 1, decoded, compared, ..Tally::default() };
            tally.text(&[]).contains("nothing was compared")
        };
        assert!(says_so(0, 0));
        // A subject may only decode, and a fuzzer may only run.
        assert!(!says_so(0, 1) && !says_so(1, 0) && !says_so(1, 1));
    }
}
