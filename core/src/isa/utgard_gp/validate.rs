//! Checks a program against the rules. [`super::rules`] defines each rule and its severity; [`super::hazards`] checks the rules that depend on
//! earlier words.

use super::hazards;
use super::interface::{EntryFacts, REGISTERS, VERSION};

use super::UtgardGp;
use super::opcode::{Op, ResultKind, Unit};
use super::program::{Load, Program, Target, Word};
use super::rules::Rule;
use super::source::{ALSO_UNUSED, NOT_STORED, ResultOf, Source, StoreSource, is_used};
use super::vocabulary::{LOAD, Mark, STORE};
use crate::isa::registers::is_initial;
use crate::isa::{Entry, Options, Port, Stage, Violation, are_valid_ports, violation};

/// The maximum number of words that run.
pub const MAX_WORDS: u32 = 512;

/// Returns all violations, sorted by word: first those of the program as a whole.
pub fn validate(program: &Program, entry: &Entry, options: &Options) -> Vec<Violation> {
    let mut check = Check { found: Vec::new(), word: None };
    let Some(count) = check.check_program(program, entry) else { return check.found };
    for (k, word) in program.words[..count].iter().enumerate() {
        check.word = Some(k as u32);
        check.check_units(word);
        check.stores(word);
        check.branch(word, count);
    }
    check.found.extend(hazards::hazards(&program.words[..count], program, options));
    violation::sort(&mut check.found);
    check.found
}

/// Returns the violation of a rule at a word; `subject` names the unit or operand.
pub(super) fn violation(rule: Rule, word: Option<u32>, subject: &str) -> Violation {
    let mut violation = rule.row().violation(word);
    if !subject.is_empty() {
        violation.message = format!("{subject}: {}", violation.message);
    }
    violation
}

struct Check {
    found: Vec<Violation>,
    word: Option<u32>,
}

impl Check {
    fn report_if(&mut self, rule: Rule, broken: bool, subject: &str) {
        if broken {
            self.found.push(violation(rule, self.word, subject));
        }
    }

    /// Checks the rules for the whole program. Returns the number of words that run; `None` if that number is invalid.
    fn check_program(&mut self, program: &Program, entry: &Entry) -> Option<usize> {
        let ports = &entry.interface;
        let own = |p: &Port| usize::from(p.slot) < REGISTERS;
        let mismatch = entry.stage != Stage::Vertex
            || entry.version != VERSION
            || entry.start != 0
            || !EntryFacts::are_valid_words(entry.extra)
            || !are_valid_ports(&ports.inputs, |p| own(p) || is_initial::<UtgardGp>(entry, p))
            || !are_valid_ports(&ports.outputs, own);
        self.report_if(Rule::EntryMismatch, mismatch, "");
        let run = EntryFacts::from_words(entry.extra);
        let count = run.count as usize;
        let possible = count > 0 && count <= program.words.len();
        self.report_if(Rule::Count, !possible, "");
        self.report_if(Rule::TooLong, run.count > MAX_WORDS, "");
        self.report_if(Rule::Tail, !program.tail.is_empty(), "");
        if !possible || run.count > MAX_WORDS {
            return None;
        }
        let words = &program.words[..count];
        let last = words.iter().rposition(|w| w.port0_attribute != 0);
        // A driver passes 0 if no attribute is read.
        let given = run.prefetch.map(usize::from);
        self.report_if(Rule::Prefetch, given != last && given.unwrap_or(0) != last.unwrap_or(0), "");
        let mut stored = [0u8; REGISTERS];
        for (unit, store) in words.iter().flat_map(|w| w.store.iter().enumerate()) {
            if let Target::Varying(number) = store.target() {
                let mask = (0..2).filter(|k| store.sources[*k] != NOT_STORED).fold(0, |m, k| m | 1u8 << k);
                stored[usize::from(number) % REGISTERS] |= mask << (2 * unit);
            }
        }
        self.report_if(Rule::NoOutput, stored == [0; REGISTERS], "");
        let position = run.position.and_then(|p| stored.get(usize::from(p)));
        self.report_if(Rule::Position, position.is_some_and(|mask| *mask != 0xf), "");
        Some(count)
    }

    /// Checks operations, operands and the load port.
    fn check_units(&mut self, word: &Word) {
        let used = |codes: &[u8]| codes.iter().any(|c| is_used(*c));
        let [m0, m1] = word.mul;
        let accs = word.acc.map(|a| used(&[a.a, a.b]));
        let muls = [used(&[m0.a, m0.b]), used(&[m1.a, m1.b])];
        let unknown = |unit| word.named_op(unit).is_none();
        self.report_if(Rule::AccOp, unknown(Unit::Acc) && accs != [false; 2], Unit::Acc.name());
        self.report_if(Rule::MulOp, unknown(Unit::Mul) && muls != [false; 2], Unit::Mul.name());
        self.report_if(
            Rule::ComplexOp,
            unknown(Unit::Complex) && word.complex_op != 0 && is_used(word.complex_src),
            Unit::Complex.name(),
        );
        self.report_if(Rule::PassOp, unknown(Unit::Pass) && is_used(word.pass_src), Unit::Pass.name());
        let codes = [m0.a, m0.b, m1.a, m1.b, word.complex_src, word.pass_src];
        let codes = codes.into_iter().chain(word.acc.iter().flat_map(|acc| [acc.a, acc.b]));
        self.report_if(Rule::UnusedCode, codes.into_iter().any(|code| code == ALSO_UNUSED), "");
        for (source, _) in word.operands() {
            if let Source::Unknown(code) = source {
                self.report_if(Rule::SourceCode, true, &format!("operand {code}"));
            }
        }
        self.half_unused(word, accs, muls);
        let op = word.result_op(ResultOf::Mul0);
        self.report_if(Rule::IgnoredOperand, op == Some(Op::Select) && is_used(m1.b), Unit::Mul.name());
        let wide = matches!(op, Some(Op::Select | Op::Complex1));
        let negated = m0.neg != 0 && (wide || op == Some(Op::Complex2)) || m1.neg != 0 && wide;
        self.report_if(Rule::WideNegate, negated, Unit::Mul.name());
        let offset = word.load.offset;
        self.report_if(
            Rule::LoadOffset,
            word.loads() && word.load.register().is_none() && offset != Load::NO_OFFSET,
            LOAD,
        );
    }

    fn half_unused(&mut self, word: &Word, accs: [bool; 2], muls: [bool; 2]) {
        let unary = word.named_op(Unit::Acc).is_some_and(|op| !op.reads_second());
        for (k, of) in [ResultOf::Acc0, ResultOf::Acc1].into_iter().enumerate() {
            // The second operand of an operation with one operand is ignored.
            let live = if unary { is_used(word.acc[k].a) } else { accs[k] };
            let known = word.named_op(Unit::Acc).is_some();
            self.report_if(Rule::HalfUnused, known && live && word.result_op(of).is_none(), of.name());
        }
        let (m0, m1) = (word.result_op(ResultOf::Mul0), word.result_op(ResultOf::Mul1));
        match word.named_op(Unit::Mul) {
            Some(Op::Complex1 | Op::Select) => {
                self.report_if(Rule::HalfUnused, muls != [false; 2] && m0.is_none(), Unit::Mul.name());
            }
            Some(_) => {
                self.report_if(Rule::HalfUnused, muls[0] && m0.is_none(), ResultOf::Mul0.name());
                self.report_if(Rule::HalfUnused, muls[1] && m1.is_none(), ResultOf::Mul1.name());
            }
            None => {}
        }
        // Setting address registers from pass needs no operand.
        let from_pass = word.address_set().is_some_and(|set| set.from_pass);
        let half = (word.complex_op != 0) != is_used(word.complex_src);
        self.report_if(Rule::HalfUnused, half && !from_pass, Unit::Complex.name());
        self.report_if(Rule::IgnoredOperand, from_pass && is_used(word.complex_src), Unit::Complex.name());
        self.report_if(Rule::SeedAddress, from_pass, Unit::Complex.name());
        let is_number =
            word.result_op(ResultOf::Pass).is_some_and(|op| op.row().result_kind == ResultKind::Number);
        self.report_if(Rule::AddressPass, from_pass && !is_number, Unit::Complex.name());
    }

    fn stores(&mut self, word: &Word) {
        let mut temporary = false;
        for (unit, store) in word.store.iter().enumerate().filter(|(_, s)| s.stores_any()) {
            let name = format!("{STORE}[{unit}]");
            match store.target() {
                Target::Unknown => self.report_if(Rule::StoreTarget, true, &name),
                Target::Temporary => {
                    temporary = true;
                    self.report_if(Rule::TemporaryField, store.address != 0, &name);
                }
                Target::Register(_) | Target::Varying(_) => {}
            }
            for stored in store.stored() {
                match stored {
                    StoreSource::Nothing => {}
                    StoreSource::Unknown => self.report_if(Rule::StoreSource, true, &name),
                    StoreSource::Result(of) => {
                        let subject = format!("{name} of {}", of.name());
                        let op = word.result_op(of);
                        self.report_if(Rule::StoreIdle, op.is_none(), &subject);
                        self.report_if(Rule::StoreLate, op == Some(Op::Complex1), &subject);
                        let stage = op.is_some_and(|op| op.row().result_kind == ResultKind::Stage);
                        self.report_if(Rule::StoreStage, stage, &subject);
                    }
                }
            }
        }
        self.report_if(
            Rule::TemporaryMark,
            temporary && word.unknown_1 & Mark::Temporary as u8 != Mark::Temporary as u8,
            "",
        );
        self.report_if(
            Rule::TemporaryAddress,
            temporary && !word.address_set().is_some_and(|set| set.zero),
            "",
        );
        let explained = match Mark::from_number(word.unknown_1) {
            Some(Mark::None) => true,
            Some(Mark::Temporary) => temporary,
            Some(Mark::Branch) => word.branch != 0,
            None => false,
        };
        self.report_if(Rule::Mark, !explained, "");
    }

    fn branch(&mut self, word: &Word, count: usize) {
        if word.branch == 0 {
            return;
        }
        let op = word.result_op(ResultOf::Pass);
        self.report_if(Rule::BranchCondition, op.is_none(), "");
        self.report_if(Rule::BranchStage, op == Some(Op::Preexp2), "");
        self.report_if(Rule::BranchMove, matches!(op, Some(Op::Clamp | Op::Postlog2)), "");
        self.report_if(Rule::BranchMark, word.unknown_1 != Mark::Branch as u8, "");
        self.report_if(Rule::BranchTarget, word.target() as usize >= count, "");
    }
}
