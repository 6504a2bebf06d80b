//! Checks a program against the rules. [`super::rules`] defines each rule and its severity.

mod components;
mod declared;
mod early;
mod flow;
mod modifiers;
mod outputs;
mod ports;
mod registers;
mod size;

use super::opcode::{Kind, Opcode};
use super::profile::{Profile, Profiles};
use super::program::{Comparison, File, Instruction, Program, Source};
use super::reads::Textures;
use super::rules::Rule;
use super::word::Control;
use crate::isa::{Entry, Violation, violation};
pub(super) use registers::{RequiredKind, required_kind};

/// The versions in which instructions can be predicated.
const PREDICATES: Profiles = Profiles::VS2X.or(Profiles::PS2X);

/// Returns all violations, sorted by instruction: first those of the program as a whole, including the entry.
pub fn validate(program: &Program, entry: &Entry) -> Vec<Violation> {
    validate_for_device(program, entry, false)
}

/// Like [`validate`], on a device that processes vertices in software if `software` is set.
pub fn validate_for_device(program: &Program, entry: &Entry, software: bool) -> Vec<Violation> {
    let Some(profile) = program.version.profile() else {
        let mut c = Checker::new(program, Profile::Vs30, software);
        c.report_if(Rule::Version, true);
        return c.found;
    };
    let mut c = Checker::new(program, profile, software);
    let same = entry.stage == program.version.stage && entry.version == program.version.number();
    c.report_if(Rule::EntryMismatch, !same || entry.start != 0);
    let mut declared = declared::Declared::new(program);
    let mut outputs = outputs::Outputs::default();
    let mut flow = flow::Flow::new(program);
    let mut early = early::Early::new(program);
    let mut size = size::Size::default();
    let mut modifiers = modifiers::ModifierUses::default();
    let mut runs = false;
    for (at, i) in program.instructions.iter().enumerate() {
        c.word = Some(at as u32);
        let Some(op) = i.op() else {
            c.report_if(Rule::Opcode, true);
            continue;
        };
        if !c.words(i, op) {
            continue;
        }
        runs |= op.row().kind != Kind::Declaration;
        registers::check(&mut c, i, op);
        modifiers.check(&mut c, i, op);
        components::check(&mut c, i, op);
        ports::check(&mut c, at, i, op);
        declared.check(&mut c, i, op);
        outputs.check(&mut c, i, op, flow.inside());
        flow.check(&mut c, at, i, op, &declared);
        early.check(&mut c, at, i, op);
        size.check(&mut c, i, op);
    }
    c.word = None;
    c.report_if(Rule::Empty, !runs);
    modifiers.finish(&mut c);
    outputs.finish(&mut c, &declared);
    flow.finish(&mut c);
    early.finish(&mut c);
    size.finish(&mut c);
    violation::sort(&mut c.found);
    c.found
}

/// The state that all checks share.
struct Checker<'a> {
    program: &'a Program,
    profile: Profile,
    textures: Textures,
    /// Whether the device processes vertices in software.
    software: bool,
    found: Vec<Violation>,
    word: Option<u32>,
}

impl<'a> Checker<'a> {
    fn new(program: &'a Program, profile: Profile, software: bool) -> Checker<'a> {
        let textures = Textures::of(program);
        Checker { program, profile, textures, software, found: Vec::new(), word: None }
    }

    /// Records a violation if the rule is broken.
    fn report_if(&mut self, rule: Rule, broken: bool) {
        if broken {
            self.found.push(rule.row().violation(self.word));
        }
    }

    /// Records a violation if the rule is broken, and appends the text of `detail` to its message.
    fn report_if_about(&mut self, rule: Rule, broken: bool, detail: impl FnOnce() -> String) {
        self.report_if(rule, broken);
        if broken && let Some(last) = self.found.last_mut() {
            last.message = format!("{}: {}", last.message, detail());
        }
    }

    /// Records a violation if the rule is broken: at the instruction `word`, or of the program as a whole if `word` is `None`.
    fn report_if_at(&mut self, word: Option<u32>, rule: Rule, broken: bool) {
        let here = std::mem::replace(&mut self.word, word);
        self.report_if(rule, broken);
        self.word = here;
    }

    fn is_pixel(&self) -> bool {
        self.profile.is_pixel()
    }

    fn major(&self) -> u8 {
        self.profile.major()
    }

    /// Whether the version is one of ps_1_0 to ps_1_4.
    fn is_ps1(&self) -> bool {
        Profiles::PS1.has(self.profile)
    }

    /// Whether the version is one of ps_1_0 to ps_1_3.
    fn is_ps1_0_to_1_3(&self) -> bool {
        Profiles::PS13.has(self.profile)
    }

    /// Whether the version is ps_2_0, ps_2_x or ps_2_sw.
    fn is_ps2(&self) -> bool {
        self.is_pixel() && self.major() == 2
    }

    /// Checks the words of the instruction. Returns false if operands are missing, so that the other checks cannot run.
    fn words(&mut self, i: &Instruction, op: Opcode) -> bool {
        let version = self.program.version;
        let row = op.row();
        self.report_if_about(Rule::OpcodeVersion, !row.versions.has(self.profile), || {
            row.mnemonic.to_owned()
        });
        self.report_if(Rule::Reserved, i.has_reserved());
        self.report_if(Rule::Surplus, !i.surplus.is_empty());
        let control = match op {
            Opcode::Tex => version.major >= 2 && Control::from_number(i.control).is_some() || i.control == 0,
            op if op.compares() => Comparison::from_control(i.control).is_some() && i.control < 8,
            _ => i.control == 0,
        };
        self.report_if(Rule::Control, !control);
        self.report_if(Rule::CoissueVersion, i.coissue != 0 && !self.is_ps1());
        if i.predicated != 0 {
            self.predicate(i, op);
        }
        let implied = version.has_lengths()
            && i.dest
                .iter()
                .map(|d| &d.relative)
                .chain(i.sources.iter().map(|s| &s.relative))
                .any(|r| matches!(r, super::program::Relative::Implied));
        // If the predicate bit is clear, a decoder takes the predicate for a source.
        let missing = implied
            || i.predicated == 0 && i.predicate.is_some()
            || op.operands(version).is_none_or(|o| {
                o.usage != i.usage.is_some()
                    || o.dest != i.dest.is_some()
                    || usize::from(o.sources) != i.sources.len()
                    || usize::from(o.immediates) != i.immediates.len()
            });
        self.report_if(Rule::Missing, missing);
        !missing
    }

    fn predicate(&mut self, i: &Instruction, op: Opcode) {
        let kind = matches!(op.row().kind, Kind::Arithmetic | Kind::Texture);
        let allowed = kind && PREDICATES.has(self.profile);
        self.report_if(Rule::Predication, !allowed);
        if !allowed {
            return;
        }
        let Some(p) = &i.predicate else {
            self.report_if(Rule::Missing, true);
            return;
        };
        let fields = p.is(File::Predicate) && p.number == 0 && matches!(p.modifier, 0 | 13);
        let plain = !p.relative.is_relative() && p.has_documented_bits();
        let swizzle = p.swizzle == Source::XYZW || p.is_replicated();
        self.report_if(Rule::PredicateOperand, !(fields && plain && swizzle));
        // Before 3_0 sincos is a macro of several instructions, so one replicated component must predicate all of them.
        let mixed = op == Opcode::Sincos && self.major() == 2 && !p.is_replicated();
        self.report_if(Rule::PredicateOperand, mixed);
        self.report_if(Rule::PredicateCapability, matches!(self.profile, Profile::Vs2x | Profile::Ps2x));
    }
}
