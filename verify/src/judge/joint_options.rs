//! Infers option choices that explain differences. Options exist where documents disagree; their choices explain a difference if the reference agrees
//! with the subject under these choices in every case so far.
//!
//! A difference is not excused merely because the case touches an option. The options that a difference needs become *free*. Only those joint
//! settings of the free options remain possible under which the subject agreed with the reference in every case that touched a free option. Of the
//! cases before an option became free, only the last [`KEPT_CASES`] count. If no setting remains, the subject is inconsistent about the options that
//! the contradiction involves, and the differences that these options explained become unexplained.

use super::compare::judge;
use super::disagreement::{Class, Disagreement};
use super::inexact::Grade;
use super::option_paths::Choices;
use super::profile::Profile;
use super::question::{Prepared, expected, is_legal};
use super::reach::{Reach, Work, is_traced};
use super::subject::Answer;
use crate::case::Case;
use lockstep_core::isa::{IsaId, OptionSpec};
use lockstep_core::with_isa;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::rc::Rc;

/// The maximum number of joint settings tried for a case. If there are more settings, the settings with the fewest changes are tried.
const MAX_SETTINGS: usize = 1024;
/// The maximum number of cases kept that touch an option. Kept cases are checked again under settings that become possible later.
const KEPT_CASES: usize = 512;
/// Up to this number of settings, running each is faster than following all paths.
const FEW_SETTINGS: usize = 2;

/// The choices of the free options, in the order of [`OptionInference::free`].
type Setting = Vec<u8>;

/// A case with the subject's answers.
#[derive(Clone, Debug)]
struct AnsweredCase {
    prepared: Rc<Prepared>,
    answers: Vec<Answer>,
    /// How often this case ruled out the last remaining settings.
    refutations: u32,
}

/// The differences that one set of choices explains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explained {
    /// Each option with the choice that the subject appears to make.
    pub options: Vec<(&'static str, &'static str)>,
    /// The number of cases whose difference these choices explain.
    pub count: u64,
}

/// A difference that option choices explain, or that they explained before later cases ruled these choices out.
#[derive(Clone, Debug)]
pub(super) struct Difference {
    /// The case.
    pub(super) prepared: Rc<Prepared>,
    /// How the subject's answer differs.
    pub(super) disagreement: Disagreement,
}

/// The option choices that fit a subject's answers so far.
#[derive(Clone, Debug, Default)]
pub(super) struct OptionInference {
    table: &'static [OptionSpec],
    /// The choices that were sent to the subject in the greeting.
    sent_choices: Vec<u8>,
    /// The options that may have other choices, as a bit set: at first those that the profile does not name, or all. Inconsistent ones are removed.
    open: u64,
    /// The options that are free because a difference needed them, in order of appearance.
    free: Vec<usize>,
    /// The joint settings of the free options that remain possible, with the fewest changes first.
    settings: Vec<Setting>,
    /// Earlier cases that touch an option. If there are too many, the oldest is dropped.
    kept: VecDeque<AnsweredCase>,
    /// The explained differences, grouped by the set of options that their cases touch: one difference of each group, and the size of the group.
    explained: BTreeMap<u64, (Difference, u64)>,
    /// Whether there were more settings than can be tried.
    capped: bool,
    /// The options for which the subject was inconsistent, as a bit set.
    inconsistent: u64,
    work: Work,
}

impl OptionInference {
    /// Starts an inference for a subject with this profile.
    pub(super) fn new(isa: IsaId, profile: &Profile) -> OptionInference {
        let table = with_isa!(isa, I => <I as lockstep_core::isa::Tables>::option_specs());
        let mut open = 0;
        let sent = table.iter().enumerate().map(|(at, option)| {
            let named = profile.options.get(option.name);
            open |= u64::from(named.is_none()) << at;
            let choice = option.choices.iter().position(|choice| named.is_some_and(|named| named == choice));
            choice.unwrap_or(0) as u8
        });
        OptionInference { sent_choices: sent.collect(), table, open, ..OptionInference::default() }
    }

    /// Starts an inference in which every option is open: the profile's choices do not count as claims.
    pub(super) fn with_every_option_open(isa: IsaId, profile: &Profile) -> OptionInference {
        OptionInference { open: u64::MAX, ..OptionInference::new(isa, profile) }
    }

    /// Returns the choices that a case needs, from the setting with the fewest changes that explains all cases.
    pub(super) fn needed(
        &self,
        prepared: &Prepared,
        answers: &[Answer],
        profile: &Profile,
    ) -> Vec<(&'static str, &'static str)> {
        let Some(setting) = self.settings.first() else { return Vec::new() };
        let mut needed = setting.clone();
        for (at, option) in self.free.iter().enumerate() {
            let mut fewer = needed.clone();
            fewer[at] = self.sent_choices[*option];
            if self.matches_reference(&self.free, &fewer, prepared, answers, profile) {
                needed = fewer;
            }
        }
        let places = (0..needed.len()).filter(|at| needed[*at] != self.sent_choices[self.free[*at]]);
        places.map(|at| self.named(at, needed[at])).collect()
    }

    /// Returns the names of a free option, given by its index in `free`, and of one of its choices.
    fn named(&self, at: usize, choice: u8) -> (&'static str, &'static str) {
        let option = &self.table[self.free[at]];
        (option.name, option.choices[usize::from(choice)])
    }

    /// Returns the numbers of explained differences by the choices that explain them, largest first.
    pub(super) fn explained(&self) -> Vec<Explained> {
        let Some(setting) = self.settings.first() else { return Vec::new() };
        let mut groups: BTreeMap<Vec<usize>, u64> = BTreeMap::new();
        for (touched, (_, count)) in &self.explained {
            let changed = |touched: u64| -> Vec<usize> {
                let places = 0..self.free.len();
                places
                    .filter(|at| {
                        let option = self.free[*at];
                        touched >> option & 1 == 1 && setting[*at] != self.sent_choices[option]
                    })
                    .collect()
            };
            let mut changes = changed(*touched);
            if changes.is_empty() {
                changes = changed(u64::MAX);
            }
            *groups.entry(changes).or_default() += count;
        }
        let named = |at: &usize| self.named(*at, setting[*at]);
        let groups = groups.into_iter();
        let mut all: Vec<Explained> = groups
            .map(|(changes, count)| Explained { options: changes.iter().map(named).collect(), count })
            .collect();
        all.sort_by_key(|group| std::cmp::Reverse(group.count));
        all
    }

    /// Returns the options for which the subject was inconsistent.
    pub(super) fn inconsistent_options(&self) -> Vec<&'static str> {
        let specs = self.table.iter().enumerate();
        specs.filter(|(at, _)| self.inconsistent >> at & 1 == 1).map(|(_, option)| option.name).collect()
    }

    /// Whether there were more settings than can be tried.
    pub(super) fn is_capped(&self) -> bool {
        self.capped
    }

    /// Whether any remaining setting explains answers that differ from the reference's.
    pub(super) fn covers(&self, prepared: &Prepared, answers: &[Answer], profile: &Profile) -> bool {
        !self.remaining_settings(prepared, answers, profile).is_empty()
    }

    /// Records a case whose answers equal the reference's. Returns the differences that become unexplained because this case rules out the choices
    /// that explained them.
    pub(super) fn record_agreement(
        &mut self,
        prepared: &Rc<Prepared>,
        answers: &[Answer],
        profile: &Profile,
    ) -> Vec<Difference> {
        let touched = self.touched(prepared);
        if touched == 0 {
            return Vec::new();
        }
        self.keep(prepared, answers);
        if !self.free.iter().any(|option| touched >> option & 1 == 1) {
            return Vec::new();
        }
        let left = self.remaining_settings(prepared, answers, profile);
        if !left.is_empty() {
            self.settings = left;
            return Vec::new();
        }
        let contradictory = self.contradictory_options(profile);
        self.close_options(bit_set(&contradictory))
    }

    /// Returns a minimal list of free options that the kept cases contradict: without the cases that touch any one of them, some joint setting of the
    /// others fits. If only cases that are no longer kept complete the contradiction, these are all free options.
    fn contradictory_options(&mut self, profile: &Profile) -> Vec<usize> {
        let mut involved = self.free.clone();
        for option in self.free.clone() {
            let fewer: Vec<usize> = involved.iter().copied().filter(|other| *other != option).collect();
            if self.settings_of(&fewer, profile).is_empty() {
                involved = fewer;
            }
        }
        involved
    }

    /// Returns the joint settings of some free options that fit the kept cases that touch one of these options and no other free one.
    fn settings_of(&mut self, free: &[usize], profile: &Profile) -> Vec<Setting> {
        let (mut settings, capped) = self.combine_settings(vec![Setting::new()], free);
        self.capped |= capped;
        let others = bit_set(&self.free) & !bit_set(free);
        for case in &self.kept {
            let touched = self.touched_by_any(&case.prepared);
            if touched & bit_set(free) != 0 && touched & others == 0 {
                self.retain_matching(free, &mut settings, &case.prepared, &case.answers, profile);
            }
        }
        settings
    }

    /// Marks free options as inconsistent. Returns the differences of cases that touch them, which become unexplained.
    fn close_options(&mut self, closed: u64) -> Vec<Difference> {
        // The subject's choices of these options are unknown, so the cases that touch them show nothing about other options.
        let kept = std::mem::take(&mut self.kept).into_iter();
        self.kept = kept.filter(|case| self.touched_by_any(&case.prepared) & closed == 0).collect();
        let without_closed = |setting: Setting| -> Setting {
            let choices = self.free.iter().zip(setting).filter(|(option, _)| closed >> **option & 1 == 0);
            choices.map(|(_, choice)| choice).collect()
        };
        let settings = std::mem::take(&mut self.settings).into_iter();
        let settings: BTreeSet<Setting> = settings.map(without_closed).collect();
        self.free.retain(|option| closed >> option & 1 == 0);
        if !self.free.is_empty() {
            self.settings = self.fewest_changes_first(&self.free, settings.into_iter().collect());
        }
        self.inconsistent |= closed;
        self.open &= !closed;
        let (unexplained, explained): (BTreeMap<_, _>, BTreeMap<_, _>) =
            std::mem::take(&mut self.explained).into_iter().partition(|(touched, _)| touched & closed != 0);
        self.explained = explained;
        unexplained.into_values().map(|(difference, _)| difference).collect()
    }

    /// Records a case whose answers differ from the reference's. Returns whether option choices explain it.
    pub(super) fn record_difference(
        &mut self,
        prepared: &Rc<Prepared>,
        answers: &[Answer],
        disagreement: &Disagreement,
        profile: &Profile,
    ) -> bool {
        if disagreement.class != Class::Value || !was_run(prepared, answers) {
            return false;
        }
        // Usually, if any setting explains a difference, the setting with the fewest changes does.
        let first = self.settings.first();
        let is_known =
            first.is_some_and(|s| self.matches_reference(&self.free, s, prepared, answers, profile));
        if !is_known && !self.is_possible(prepared, answers, profile) {
            return false;
        }
        let left = self.remaining_settings(prepared, answers, profile);
        let touched = self.touched_by_any(prepared);
        if !left.is_empty() {
            self.settings = left;
        } else if !self.free_touched_options(touched, prepared, answers, profile) {
            return false;
        }
        self.keep(prepared, answers);
        let needs = touched & bit_set(&self.free);
        let difference = || Difference { prepared: Rc::clone(prepared), disagreement: disagreement.clone() };
        self.explained.entry(needs).or_insert_with(|| (difference(), 0)).1 += 1;
        true
    }

    /// Returns the settings that remain possible after a case.
    fn remaining_settings(&self, prepared: &Prepared, answers: &[Answer], profile: &Profile) -> Vec<Setting> {
        let mut left = self.settings.clone();
        self.retain_matching(&self.free, &mut left, prepared, answers, profile);
        left
    }

    /// Whether any setting of the open options might explain a case's answers.
    fn is_possible(&self, prepared: &Prepared, answers: &[Answer], profile: &Profile) -> bool {
        let registers = prepared.expected.as_ref().is_some_and(|expected| !expected.registers.is_empty());
        if is_traced(answers) && !registers {
            return false;
        }
        with_isa!(prepared.case.isa, I => {
            let reach = Reach::<I>::new(prepared, answers, profile, self.open, &self.work);
            reach.is_none_or(|reach| reach.is_possible())
        })
    }

    /// Removes the settings of these options under which the answers to a case do not equal the reference's.
    fn retain_matching(
        &self,
        free: &[usize],
        settings: &mut Vec<Setting>,
        prepared: &Prepared,
        answers: &[Answer],
        profile: &Profile,
    ) {
        with_isa!(prepared.case.isa, I => {
        let open = bit_set(free);
        let has_many = settings.len() > FEW_SETTINGS;
        let reach = has_many.then(|| Reach::<I>::new(prepared, answers, profile, open, &self.work));
        let Some(mut reach) = reach.flatten() else {
            settings.retain(|setting| self.matches_reference(free, setting, prepared, answers, profile));
            return;
        };
        let mut verdicts: HashMap<Vec<Option<usize>>, bool> = HashMap::new();
        settings.retain(|setting| {
            let chosen = free.iter().zip(setting);
            let choices = chosen.fold(Choices::NONE, |all, (option, choice)| all.with(*option, *choice));
            let Some(paths) = reach.paths_of(&choices) else { return false };
            let matches = || self.matches_reference(free, setting, prepared, answers, profile);
            if paths.contains(&None) {
                return matches();
            }
            // Legality may depend on options that the run does not read.
            is_legal(&prepared.case, self.options_under(free, setting, prepared))
                && *verdicts.entry(paths).or_insert_with(matches)
        });
        });
    }

    /// Makes the options that a case touches free, if their choices can explain this case and all kept ones that touch a
    /// free option. Returns whether they can.
    fn free_touched_options(
        &mut self,
        touched: u64,
        prepared: &Prepared,
        answers: &[Answer],
        profile: &Profile,
    ) -> bool {
        let mut free = self.free.clone();
        free.extend(
            (0..self.table.len()).filter(|option| touched >> option & 1 == 1 && !self.free.contains(option)),
        );
        if free.len() == self.free.len() {
            return false;
        }
        let before = if self.settings.is_empty() { vec![Setting::new()] } else { self.settings.clone() };
        let (mut settings, capped) = self.combine_settings(before, &free);
        // This case is checked first, since it rules out the most settings.
        self.retain_matching(&free, &mut settings, prepared, answers, profile);
        let all = bit_set(&free);
        // The order does not affect which settings remain. Cases that ruled out the last settings before come first, so that the loop ends early.
        let mut order: Vec<usize> = (0..self.kept.len()).collect();
        order.sort_by_key(|at| std::cmp::Reverse(self.kept[*at].refutations));
        for at in order {
            if settings.is_empty() {
                break;
            }
            let case = &self.kept[at];
            if self.touched(&case.prepared) & all != 0 {
                self.retain_matching(&free, &mut settings, &case.prepared, &case.answers, profile);
                self.kept[at].refutations += u32::from(settings.is_empty());
            }
        }
        self.capped |= capped;
        if settings.is_empty() {
            return false;
        }
        (self.free, self.settings) = (free, settings);
        true
    }

    /// Combines settings of the first of these options with all choices of the others, fewest changes first. Also returns whether the list was
    /// truncated.
    fn combine_settings(&self, before: Vec<Setting>, free: &[usize]) -> (Vec<Setting>, bool) {
        let mut capped = false;
        let new = before.first().map_or(0, Vec::len)..;
        let mut all = before;
        for option in &free[new] {
            let choices = self.table[*option].choices.len() as u8;
            let sent = self.sent_choices[*option];
            let ordered = std::iter::once(sent).chain((0..choices).filter(|choice| *choice != sent));
            let mut longer = Vec::with_capacity(all.len() * usize::from(choices));
            for choice in ordered {
                longer.extend(all.iter().map(|setting| [setting.as_slice(), &[choice]].concat()));
            }
            // Settings with the most changes are removed by the truncation.
            all = self.fewest_changes_first(free, longer);
            capped |= all.len() > MAX_SETTINGS;
            all.truncate(MAX_SETTINGS);
        }
        (all, capped)
    }

    /// Sorts settings of these options, or of the first of them, by the number of choices that differ from those that were sent to the subject.
    fn fewest_changes_first(&self, free: &[usize], mut settings: Vec<Setting>) -> Vec<Setting> {
        settings.sort_by_key(|setting| {
            setting
                .iter()
                .zip(free)
                .filter(|(choice, option)| **choice != self.sent_choices[**option])
                .count()
        });
        settings
    }

    /// Whether the answers to a case equal the reference's results under a setting of these options.
    fn matches_reference(
        &self,
        free: &[usize],
        setting: &[u8],
        prepared: &Prepared,
        answers: &[Answer],
        profile: &Profile,
    ) -> bool {
        let other = self.prepare_under(free, setting, prepared);
        other.is_some_and(|other| judge(&other, answers, profile).is_ok())
    }

    /// Returns the options of a case under another setting.
    fn options_under(&self, free: &[usize], setting: &[u8], prepared: &Prepared) -> BTreeMap<String, String> {
        let mut options = prepared.case.options.clone();
        for (option, choice) in free.iter().zip(setting) {
            let option = &self.table[*option];
            options.insert(option.name.to_owned(), option.choices[usize::from(*choice)].to_owned());
        }
        options
    }

    /// Prepares a case under another setting; `None` if the reference does not finish it.
    fn prepare_under(&self, free: &[usize], setting: &[u8], prepared: &Prepared) -> Option<Prepared> {
        self.work.count_run();
        let options = self.options_under(free, setting, prepared);
        let grade = match prepared.expected.as_ref().map(|expected| &expected.grade) {
            Some(Grade::Propagated(sets)) => {
                sets.grade_of(&Case { options: options.clone(), ..prepared.case.clone() })
            }
            grade => grade.cloned().unwrap_or_default(),
        };
        let expected = expected(&prepared.case, options)?.graded(grade);
        Some(Prepared { expected: Some(expected), ..prepared.clone() })
    }

    /// Returns the open options that a case touches under the choices that were sent to the subject.
    fn touched(&self, prepared: &Prepared) -> u64 {
        prepared.expected.as_ref().map_or(0, |expected| expected.touched) & self.open
    }

    /// Returns the options of [`OptionInference::touched`], and those that the case touches only under another choice of one of these.
    fn touched_by_any(&self, prepared: &Prepared) -> u64 {
        let first = self.touched(prepared);
        let mut all = first;
        for option in (0..self.table.len()).filter(|option| first >> option & 1 == 1) {
            for choice in 0..self.table[option].choices.len() as u8 {
                if choice != self.sent_choices[option]
                    && let Some(other) = self.prepare_under(&[option], &[choice], prepared)
                {
                    all |= self.touched(&other);
                }
            }
        }
        all
    }

    fn keep(&mut self, prepared: &Rc<Prepared>, answers: &[Answer]) {
        if self.kept.len() >= KEPT_CASES {
            self.kept.pop_front();
        }
        self.kept.push_back(AnsweredCase {
            prepared: Rc::clone(prepared),
            answers: answers.to_vec(),
            refutations: 0,
        });
    }
}

/// Returns a bit set of options.
fn bit_set(options: &[usize]) -> u64 {
    options.iter().fold(0, |all, option| all | 1 << option)
}

/// Whether the subject ran the case and the reference finishes it.
fn was_run(prepared: &Prepared, answers: &[Answer]) -> bool {
    prepared.expected.is_some() && answers.iter().any(|answer| matches!(answer, Answer::Ran(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Case;
    use crate::judge::bugs::FailureMode;
    use crate::judge::ours::{Engine, Fault, OwnEngine};
    use crate::judge::{
        Ability, Campaign, Connection, Found, InProcess, Question, StartError, Subject, greeting, prepare,
    };
    use lockstep_core::host::{Environment, LaneInput};
    use lockstep_core::isa::agal::Agal;
    use lockstep_core::isa::{Format, Syntax};

    /// Opcodes, each with the one that the subject runs instead if va1.x is [`MARK`] plus the index of the row. So a case triggers at most one row.
    const REPLACED: [(&str, &str); 10] = [
        ("add", "sub"),
        ("mul", "add"),
        ("min", "max"),
        ("max", "min"),
        ("dp3", "dp4"),
        ("frc", "sat"),
        ("neg", "abs"),
        ("slt", "sge"),
        ("seq", "sne"),
        ("exp", "neg"),
    ];

    const MARK: f32 = 3.25;

    /// The fault of a subject that makes another option choice wherever `when` holds, and replaces opcodes as [`REPLACED`] lists.
    struct Liberal {
        option: (&'static str, &'static str),
        when: fn(&str) -> bool,
    }

    impl Fault for Liberal {
        fn read(&self, case: Case) -> Result<Case, FailureMode> {
            Ok(case)
        }

        fn run(&self, mut case: Case) -> Result<Case, FailureMode> {
            let mut text = Agal::disassemble(&Agal::decode(&case.bytes).unwrap());
            if (self.when)(&text) {
                case.options.insert(self.option.0.to_owned(), self.option.1.to_owned());
            }
            let mark = case.env.lanes.first().and_then(|lane| lane.slots.get(1)).map(|slot| slot[0] - MARK);
            let replaced = REPLACED.iter().enumerate().find(|(at, _)| mark == Some(*at as f32));
            if let Some((_, (right, wrong))) = replaced {
                text = text.replace(&format!("\n{right} "), &format!("\n{wrong} "));
                case.bytes = Agal::encode(&Agal::assemble(&text).unwrap());
            }
            Ok(case)
        }
    }

    fn case(text: &str, va0: [[f32; 4]; 2], mark: f32) -> Case {
        let program = Agal::assemble(&format!("version 2 vertex\n{text}")).unwrap();
        let lanes = va0.into_iter().map(|va0| LaneInput { slots: vec![va0, [mark, -1.5, 0.75, 2.5]] });
        let env = Environment { lanes: lanes.collect(), fuel: 1000, ..Environment::default() };
        Case::new::<Agal>(&program, env)
    }

    /// Prepares a case and runs it on a subject with this fault.
    fn answered(case: &Case, fault: Liberal) -> (Rc<Prepared>, [Answer; 1]) {
        let profile = Profile::default();
        let prepared = Rc::new(prepare(case, &profile, &[Ability::Run]).unwrap());
        let mut subject = OwnEngine::new(IsaId::Agal, Engine::Reference).with_fault(Box::new(fault), false);
        subject.hello(&greeting(IsaId::Agal, &profile)).unwrap();
        let Question::Run(run) = &prepared.questions[0] else { panic!("no run") };
        let answers = [Answer::Ran(subject.run(run).unwrap())];
        (prepared, answers)
    }

    /// The findings, explained differences and inconsistent options of a campaign.
    type Results = (Vec<Found>, Vec<Explained>, Vec<&'static str>);

    fn campaign(
        option: (&'static str, &'static str),
        when: fn(&str) -> bool,
        profile: &Profile,
        cases: &[Case],
    ) -> Results {
        campaign_after(&|_| {}, option, when, profile, cases)
    }

    /// Runs a campaign after `prepare`.
    fn campaign_after(
        prepare: &dyn Fn(&mut Campaign<'_>),
        option: (&'static str, &'static str),
        when: fn(&str) -> bool,
        profile: &Profile,
        cases: &[Case],
    ) -> Results {
        let open = || -> Result<Box<dyn Connection>, StartError> {
            let fault = Box::new(Liberal { option, when });
            let subject = OwnEngine::new(IsaId::Agal, Engine::Reference).with_fault(fault, false);
            Ok(Box::new(InProcess::open(subject, &greeting(IsaId::Agal, profile))?))
        };
        let mut campaign = Campaign::new(&open, profile, &[Ability::Decode, Ability::Run]);
        prepare(&mut campaign);
        for batch in cases.chunks(16) {
            campaign.batch(batch, &mut |_| {}).unwrap();
        }
        let (explained, inconsistent) = (campaign.explained(), campaign.inconsistent_options());
        (campaign.found, explained, inconsistent)
    }

    /// Returns different programs that compute the logarithm of zero.
    fn logarithms(count: usize) -> Vec<Case> {
        let opcodes = ["mov", "abs", "sat"];
        let of = |n: usize| {
            let opcode = opcodes[n % 3];
            let first = [[0.0, 1.0 + n as f32, 2.0, 0.0], [n as f32, 0.0, 0.5, 1.0]];
            let swizzle = ["x", "y", "xyzw", "wxyz"][n / 3 % 4];
            case(&format!("log vt0, va0.{swizzle}\n{opcode} op, vt0\n"), first, 0.0)
        };
        (0..count).map(of).filter(|case| differs(case, ("log_zero", "max"))).collect()
    }

    /// Whether a choice changes the result of a case.
    fn differs(case: &Case, (name, choice): (&str, &str)) -> bool {
        let defaults = BTreeMap::new();
        let other = BTreeMap::from([(name.to_owned(), choice.to_owned())]);
        let [a, b] = [defaults, other].map(|options| expected(case, options).expect("it finishes").outcome);
        a.lanes
            .iter()
            .zip(&b.lanes)
            .any(|(a, b)| a.outputs.iter().zip(&b.outputs).any(|(a, b)| a.to_bits() != b.to_bits()))
    }

    #[test]
    fn differences_of_one_choice_are_one_group_and_bugs_beside_them_stay_findings() {
        let choice = ("log_zero", "max");
        let mut cases = logarithms(700);
        assert!(cases.len() >= 290, "{}", cases.len());
        cases.truncate(290);
        for (at, (opcode, _)) in REPLACED.iter().enumerate() {
            let one = matches!(*opcode, "frc" | "neg" | "exp");
            let sources = if one { "va1" } else { "va1, va0" };
            cases.insert(
                at * 29,
                case(&format!("{opcode} op.xyz, {sources}\n"), [[0.5, 7.0, -3.0, 1.0]; 2], MARK + at as f32),
            );
        }
        let (found, explained, inconsistent) = campaign(choice, |_| true, &Profile::default(), &cases);
        assert_eq!(explained, [Explained { options: vec![choice], count: 290 }]);
        assert_eq!(inconsistent, [""; 0]);
        let mut opcodes: Vec<_> =
            found.iter().flat_map(|found| found.opcodes.iter().map(String::as_str)).collect();
        opcodes.sort_unstable();
        let mut wanted = REPLACED.map(|(opcode, _)| opcode);
        wanted.sort_unstable();
        assert_eq!(opcodes, wanted);
    }

    /// A program that touches at least ten options. Only the choices for the reciprocal and the logarithm of zero show in its result: the
    /// results of the other instructions are overwritten or never read.
    const TOUCHES_MANY: &str = "rcp vt1, va0.x\nlog vt2, va0.x\nrsq vt0, va0.x\nsqt vt0, va0.y\n\
        pow vt0, va0.y, va0.z\npow vt0, va0.z, va0.x\npow vt0, va0.x, va0.z\nmul vt0, va0.x, vt1\n\
        rcp vt3, va0.x\nmul vt3, vt3, va0.x\nmin vt0, vt3, va0.x\nsat vt0, vt3\nsgn vt0, vt3\n\
        nrm vt0.xyz, va0.xxx\nmov vt0, va0\nmov vt3, va0\nadd op, vt1, vt2\nadd op.w, va1.y, va0.z\n";

    #[test]
    fn options_that_do_not_show_in_the_result_cost_few_runs() {
        let case = case(TOUCHES_MANY, [[0.0, -4.0, 2.0, 1.0], [1.0, 4.0, 2.0, 1.0]], MARK);
        let profile = Profile::default();
        // The mark makes the subject subtract, which no choice explains.
        let (prepared, answers) = answered(&case, Liberal { option: ("log_zero", "max"), when: |_| true });
        let touched = prepared.expected.as_ref().unwrap().touched;
        assert!(touched.count_ones() >= 10, "{touched:b}");
        let disagreement = judge(&prepared, &answers, &profile).unwrap_err();
        let mut inference = OptionInference::new(IsaId::Agal, &profile);
        assert!(!inference.record_difference(&prepared, &answers, &disagreement, &profile));
        // Each of the 18 instructions is executed on four paths, and a few times more to find out what its options do.
        let Work { runs, steps } = &inference.work;
        assert_eq!(runs.get(), 0);
        assert!(steps.get() <= 18 * 32, "{steps:?}");
    }

    #[test]
    fn a_case_that_ruled_out_the_last_settings_is_checked_first_the_next_time() {
        let profile = Profile::default();
        let mut inference = OptionInference::new(IsaId::Agal, &profile);
        // The subject makes another choice for the logarithm of zero only in programs with abs. Of the earlier cases, only the last shows its choice.
        let mut tell = |text: &str, first: f32| {
            let case = case(text, [[first, 1.0, 2.0, 3.0]; 2], 0.0);
            let when = |text: &str| text.contains("abs");
            let (prepared, answers) = answered(&case, Liberal { option: ("log_zero", "max"), when });
            let before = inference.work.runs.get();
            let is_explained = match judge(&prepared, &answers, &profile) {
                Ok(_) => inference.record_agreement(&prepared, &answers, &profile).is_empty(),
                Err(found) => inference.record_difference(&prepared, &answers, &found, &profile),
            };
            (is_explained, inference.work.runs.get() - before)
        };
        for n in 0..100u8 {
            assert!(tell("log vt0, va0.x\nmov vt0, va0\nmov op, vt0\n", f32::from(n % 2)).0);
        }
        assert!(tell("log op, va0.x\n", 0.0).0);
        let (is_explained, runs) = tell("log vt0, va0.x\nabs op, vt0\n", 0.0);
        assert!(!is_explained && runs > 50, "{runs}");
        let (is_explained, runs) = tell("log vt0, va0.xyzw\nabs op, vt0\n", 0.0);
        assert!(!is_explained && runs < 8, "{runs}");
    }

    #[test]
    fn an_inconsistent_choice_explains_nothing() {
        let cases = logarithms(60);
        let when = |text: &str| !text.contains("abs");
        let (found, explained, inconsistent) =
            campaign(("log_zero", "max"), when, &Profile::default(), &cases);
        let signatures: Vec<_> = found.iter().map(|found| found.signature.as_str()).collect();
        assert!(!found.is_empty() && signatures.iter().all(|name| name.contains("log")), "{signatures:?}");
        assert_eq!(explained, []);
        assert_eq!(inconsistent, ["log_zero"]);
    }

    #[test]
    fn a_contradiction_about_one_option_leaves_the_differences_of_others_explained() {
        let profile = Profile::default();
        let mut inference = OptionInference::new(IsaId::Agal, &profile);
        let [log, rsq] = ["log_zero", "rsq_zero"].map(|name| (name, "max"));
        // Returns whether the subject agrees, and the number of differences that become unexplained.
        let mut record = |text: &str, option, when: fn(&str) -> bool| {
            let case = case(text, [[0.0, 1.0, 2.0, 3.0]; 2], 0.0);
            let (prepared, answers) = answered(&case, Liberal { option, when });
            match judge(&prepared, &answers, &profile) {
                Ok(_) => (true, inference.record_agreement(&prepared, &answers, &profile).len()),
                Err(found) => {
                    assert!(inference.record_difference(&prepared, &answers, &found, &profile), "{text}");
                    (false, 0)
                }
            }
        };
        assert_eq!(record("log op, va0.x\n", log, |_| true), (false, 0));
        assert_eq!(record("rsq op, va0.x\n", rsq, |_| true), (false, 0));
        assert_eq!(record("rsq op, va0.x\n", rsq, |_| false), (true, 1));
        assert_eq!(record("log op, va0.xyzw\n", log, |_| true), (false, 0));
        assert_eq!(inference.inconsistent_options(), ["rsq_zero"]);
        assert_eq!(inference.explained(), [Explained { options: vec![log], count: 2 }]);
    }

    #[test]
    fn options_in_the_profile_are_claims() {
        let profile = Profile::from_text("[options]\nlog_zero = 'infinity'", IsaId::Agal).unwrap();
        let (found, explained, inconsistent) =
            campaign(("log_zero", "max"), |_| true, &profile, &logarithms(60));
        assert!(!found.is_empty(), "nothing is found");
        assert_eq!((explained, inconsistent), (Vec::new(), Vec::new()));
    }

    #[test]
    fn with_strict_options_no_choice_explains_a_difference() {
        let (option, profile) = (("log_zero", "max"), Profile::default());
        let strict = |campaign: &mut Campaign<'_>| campaign.strict_options();
        let (found, explained, inconsistent) =
            campaign_after(&strict, option, |_| true, &profile, &logarithms(60));
        assert!(!found.is_empty(), "nothing is found");
        assert_eq!((explained, inconsistent), (Vec::new(), Vec::new()));
    }

    #[test]
    fn joint_settings_are_tried_by_number_of_changes() {
        let inference = OptionInference::new(IsaId::Agal, &Profile::default());
        let of = |new: &[usize]| inference.combine_settings(vec![Setting::new()], new);
        let (two, capped) = of(&[0, 10]);
        assert!(!capped);
        assert_eq!(two, [[0, 0], [1, 0], [0, 1], [0, 2], [1, 1], [1, 2]]);
        let (many, capped) = of(&(0..16).collect::<Vec<_>>());
        assert!(capped && many.len() == MAX_SETTINGS);
        let single = many.iter().filter(|setting| setting.iter().filter(|choice| **choice > 0).count() == 1);
        let specs = &inference.table[..16];
        assert_eq!(single.count(), specs.iter().map(|option| option.choices.len() - 1).sum::<usize>());
    }
}
