//! Reads the listings that Mesa's compiler prints (`ir/gp/disasm.c`; source M).
//!
//! ```text
//! 000:    complex2.m0 ^2 a1.w a1.w
//!         rcp.c ^5 a1.w
//! 001:    complex1.m01 ^8 ^5 ^2 ^5 a1.w
//! ```
//!
//! A word begins with its number. Each line describes a unit: its operation, the number of its result (six results per word) with the destinations of
//! the result, and its operands. The listing does not show which read port provides an operand, nor whether that port belongs to this word or to the
//! previous word. The reader therefore uses only this word's ports if they suffice, and in any case sets as few of them as possible. Fields that the
//! listing omits have the values of the no-op. A listing contains no facts about the program, but directives with facts may precede it.

use super::super::names::{component, op_count};
use super::super::opcode::{Op, ResultKind, Row, Shape, TABLE, is_mul1_separate};
use super::super::program::{Load, Target, Word};
use super::super::source::{ALSO_UNUSED, IDENTITY, NOT_STORED, ResultOf, Source, StoreSource, UNUSED};
use super::super::vocabulary::{
    ADDRESS, BRANCH, MARK, MOVE, NOP, OPERATION, UNKNOWN, UNUSED as NO_OPERAND, Unit,
};
use crate::binary::exact;
use crate::isa::component::LETTERS;
use crate::text::{self, Diagnostic, Span};

/// An operand before its port is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operand {
    /// An attribute's number and component.
    Attribute(u8, u8),
    /// A register's number and component.
    Register(u8, u8),
    /// An operand that needs no port, by its code.
    Code(u8),
}

/// An operand whose read port is not chosen yet, with the function that sets its code in the word.
type PendingOperand = (fn(&mut Word, u8), Operand);

/// Units by their names in listings.
const UNITS: [(&str, ResultOf); 7] = [
    ("a0", ResultOf::Acc0),
    ("a1", ResultOf::Acc1),
    ("m0", ResultOf::Mul0),
    ("m1", ResultOf::Mul1),
    ("m01", ResultOf::Mul0),
    ("p", ResultOf::Pass),
    ("c", ResultOf::Complex),
];
/// The operand codes of a clamp's lower and upper limit.
const CLAMP_LIMITS: [u8; 2] = [Source::Load(0).known_code(), Source::Load(1).known_code()];

/// Returns the byte offset of the first line that is neither empty, a comment nor a directive, if that line starts with the number of word 0. `None`
/// if the text is not a listing of Mesa's compiler.
pub(super) fn begin(text: &str) -> Option<usize> {
    let mut offset = 0;
    let first = text.split_inclusive('\n').find_map(|line| {
        let (start, body) = (offset, line.trim());
        offset += line.len();
        let before = body.is_empty() || ["//", "#", "."].iter().any(|mark| body.starts_with(mark));
        (!before).then_some((start, body))
    });
    let digits = |head: &str| head.len() >= 3 && head.bytes().all(|b| b.is_ascii_digit());
    first
        .filter(|(_, body)| {
            body.split_once(':').is_some_and(|(head, _)| digits(head) && head.parse() == Ok(0u32))
        })
        .map(|(start, _)| start)
}

/// Reads a listing from byte offset `start` on. Lines that are not part of a listing are reported.
pub(super) fn read(source: &mut super::Assembler<'_>, text: &str, start: usize) {
    let mut reader = Reader {
        words: Vec::new(),
        spans: Vec::new(),
        word: None,
        pending: Vec::new(),
        at: source.end,
        acc_op: None,
        given: Vec::new(),
        line: exact(text[..start].matches('\n').count()),
        start,
        errors: std::mem::take(&mut source.errors),
    };
    let mut offset = start;
    for line in text[start..].split_inclusive('\n') {
        reader.line += 1;
        reader.start = offset;
        offset += line.len();
        let body = line.trim();
        if body.is_empty() {
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        if let Err(message) = reader.read(body) {
            reader.errors.push(Diagnostic::new(reader.place(indent, body.len()), message));
            if reader.errors.len() >= super::MAX_ERRORS {
                break;
            }
        }
    }
    reader.end_word();
    source.program.words = reader.words;
    source.spans = reader.spans;
    source.errors = reader.errors;
}

struct Reader {
    words: Vec<Word>,
    /// The span of each word.
    spans: Vec<Option<Span>>,
    word: Option<Word>,
    pending: Vec<PendingOperand>,
    /// The span of the current word.
    at: Span,
    acc_op: Option<u8>,
    /// The names of units, and of items that may occur once, that already have a line in the current word.
    given: Vec<&'static str>,
    line: u32,
    start: usize,
    errors: Vec<Diagnostic>,
}

impl Reader {
    fn place(&self, column: usize, len: usize) -> Span {
        Span {
            line: self.line,
            column: exact::<u32, _>(column) + 1,
            offset: exact(self.start + column),
            len: exact(len),
        }
    }

    /// Returns the index of the current word.
    fn number(&self) -> usize {
        self.words.len()
    }

    fn read(&mut self, body: &str) -> Result<(), String> {
        let mut rest = body;
        if let Some((head, tail)) = body.split_once(':')
            && let Ok(number) = head.parse::<usize>()
        {
            self.end_word();
            if number != self.number() {
                return Err(format!("this is word {}, not {number}", self.number()));
            }
            self.word = Some(Word::default());
            self.at = self.place(0, head.len());
            rest = tail.trim_start();
        }
        if self.word.is_none() {
            return Err(
                "this line is not part of a word: the first line of a listing begins with '000:'".to_owned()
            );
        }
        let parts: Vec<&str> = rest.split_whitespace().collect();
        match parts[..] {
            [] | [NOP] => Ok(()),
            [BRANCH, condition, target] => {
                self.once(BRANCH)?;
                self.branch(condition, target)
            }
            [MARK, value] => {
                self.once(MARK)?;
                let value = value.parse().ok().filter(|v| *v < 16).ok_or("unknown_1 must be from 0 to 15")?;
                self.set(|word| word.unknown_1 = value);
                Ok(())
            }
            [op, dest, ref operands @ ..] => self.unit(op, dest, operands),
            [only] => Err(format!("'{only}' is not an operation with a result")),
        }
    }

    /// Records that the current word has a line for `name`; a second such line is an error.
    fn once(&mut self, name: &'static str) -> Result<(), String> {
        if self.given.contains(&name) {
            return Err(format!("this word has a line for {name} already"));
        }
        self.given.push(name);
        Ok(())
    }

    fn set(&mut self, change: impl FnOnce(&mut Word)) {
        if let Some(word) = &mut self.word {
            change(word);
        }
    }

    fn branch(&mut self, condition: &str, target: &str) -> Result<(), String> {
        let own = format!("^{}", 6 * self.number() + ResultOf::Pass as usize);
        if condition != own {
            return Err(format!("the condition of a branch must be the pass result of its own word, {own}"));
        }
        let target = target.parse().ok();
        let Some(word) = &mut self.word else { return Ok(()) };
        word.branch = 1;
        target
            .and_then(|target| word.set_target(target))
            .ok_or_else(|| "a target must be from 0 to 511".to_owned())
    }

    fn unit(&mut self, op: &str, dest: &str, operands: &[&str]) -> Result<(), String> {
        let (name, unit) = op.split_once('.').ok_or_else(|| format!("'{op}' names no unit"))?;
        let known = UNITS.iter().find(|(known, _)| *known == unit);
        let (unit, result) = *known.ok_or_else(|| format!("there is no unit '{unit}'"))?;
        // The name `m01` denotes both multipliers.
        let (first, second) = if unit == "m01" { ("m0", Some("m1")) } else { (unit, None) };
        self.once(first)?;
        second.map_or(Ok(()), |second| self.once(second))?;
        let mut targets = dest.split('/');
        let own = format!("^{}", 6 * self.number() + result as usize);
        if targets.next() != Some(own.as_str()) {
            return Err(format!("the result of this unit in this word must be named {own}"));
        }
        let mut address = None;
        for target in targets {
            match target.strip_prefix(ADDRESS).and_then(|n| n.parse::<u8>().ok()) {
                Some(n @ 0..=3) => {
                    if address.replace(n).is_some() {
                        return Err("a result can go to only one address register".to_owned());
                    }
                }
                _ => self.store(target, result)?,
            }
        }
        let count = |wanted: usize| {
            if operands.len() == wanted {
                Ok(())
            } else {
                Err(format!("'{op}' has {}, not {}", text::count(wanted, "operand"), operands.len()))
            }
        };
        match result {
            ResultOf::Acc0 | ResultOf::Acc1 => self.acc(name, result == ResultOf::Acc1, operands),
            ResultOf::Mul0 if unit == "m01" => self.wide(name, operands),
            ResultOf::Mul0 | ResultOf::Mul1 => self.mul(name, result == ResultOf::Mul1, operands),
            ResultOf::Complex => {
                count(1)?;
                let number = match (name, address) {
                    (MOVE, Some(n)) => Some(Op::SetAddr0.number() + n),
                    (_, Some(_)) => numbered(Unit::Complex, name),
                    (_, None) => operation(Unit::Complex, name),
                };
                let number = number.ok_or_else(|| format!("there is no operation '{name}' of complex"))?;
                self.set(|word| word.complex_op = number);
                self.expect(operands[0], false, |word, code| word.complex_src = code)
            }
            ResultOf::Pass => {
                count(if name == Op::Clamp.row().name { 3 } else { 1 })?;
                let number = operation(Unit::Pass, name)
                    .ok_or_else(|| format!("there is no operation '{name}' of pass"))?;
                self.set(|word| word.pass_op = number);
                for (operand, limit) in operands.iter().skip(1).zip(CLAMP_LIMITS) {
                    if self.operand(operand, false)? != Operand::Code(limit) {
                        return Err("the limits of a clamp must be x and y of the loaded uniform".to_owned());
                    }
                }
                self.expect(operands[0], false, |word, code| word.pass_src = code)
            }
        }
    }

    fn store(&mut self, target: &str, result: ResultOf) -> Result<(), String> {
        let wrong = || format!("'{target}' is not a destination of a result");
        let (span, letters) = target.split_once('.').ok_or_else(wrong)?;
        let target = match (span, span.get(..1), span.get(1..).and_then(|n| n.parse::<u8>().ok())) {
            ("t[addr0]", ..) => Target::Temporary,
            (_, Some("$"), Some(n @ 0..16)) => Target::Register(n),
            (_, Some("v"), Some(n @ 0..16)) => Target::Varying(n),
            _ => return Err(wrong()),
        };
        for letter in letters.chars() {
            let c = LETTERS.iter().position(|known| *known == letter).ok_or_else(wrong)?;
            let Some(word) = &mut self.word else { return Ok(()) };
            let store = &mut word.store[c / 2];
            if store.stores_any() && store.target() != target {
                return Err(format!("store {} has two destinations", c / 2));
            }
            if store.sources[c % 2] != NOT_STORED {
                return Err(format!("two results are stored to component {letter}"));
            }
            store.sources[c % 2] = StoreSource::Result(result).code();
            match target {
                Target::Register(n) => store.address = n,
                Target::Varying(n) => (store.address, store.varying) = (n, 1),
                _ => store.temporary = 1,
            }
        }
        Ok(())
    }

    fn acc(&mut self, name: &str, is_acc1: bool, operands: &[&str]) -> Result<(), String> {
        let negated = |text: &str| u8::from(text.starts_with('-'));
        let a: fn(&mut Word, u8) =
            if is_acc1 { |word, code| word.acc[1].a = code } else { |word, code| word.acc[0].a = code };
        let b: fn(&mut Word, u8) =
            if is_acc1 { |word, code| word.acc[1].b = code } else { |word, code| word.acc[0].b = code };
        let k = usize::from(is_acc1);
        let op = operation(Unit::Acc, name);
        let unary = op.and_then(|op| Op::from_number(Unit::Acc, op)).map(|op| op.row().shape == Shape::One);
        let wanted = if name == MOVE || unary == Some(true) { 1 } else { 2 };
        let (Some(first), true) = (operands.first(), operands.len() == wanted) else {
            return Err(format!("'{name}' has {}, not {}", text::count(wanted, "operand"), operands.len()));
        };
        match op {
            None if name == MOVE => self.set(|word| (word.acc[k].b, word.acc[k].neg_b) = (IDENTITY, 1)),
            None => return Err(format!("there is no operation '{name}' of acc")),
            Some(op) => {
                if self.acc_op.replace(op).is_some_and(|other| other != op) {
                    return Err("both adders of a word execute the same operation".to_owned());
                }
                self.set(|word| word.acc_op = op);
            }
        }
        self.set(|word| word.acc[k].neg_a = negated(first));
        self.expect(unsigned(first), false, a)?;
        if let Some(other) = operands.get(1) {
            self.set(|word| word.acc[k].neg_b = negated(other));
            self.expect(unsigned(other), true, b)?;
        }
        Ok(())
    }

    fn mul(&mut self, name: &str, is_mul1: bool, operands: &[&str]) -> Result<(), String> {
        let k = usize::from(is_mul1);
        let a: fn(&mut Word, u8) =
            if is_mul1 { |word, code| word.mul[1].a = code } else { |word, code| word.mul[0].a = code };
        let b: fn(&mut Word, u8) =
            if is_mul1 { |word, code| word.mul[1].b = code } else { |word, code| word.mul[0].b = code };
        let op = known(Unit::Mul, name).and_then(|op| Op::from_number(Unit::Mul, op));
        match (op, operands) {
            (None, [operand]) if name == MOVE => {
                self.set(|word| word.mul[k].b = IDENTITY);
                self.expect(operand, false, a)
            }
            (Some(op @ (Op::Mul | Op::Complex2)), [first, other]) if op == Op::Mul || !is_mul1 => {
                if op == Op::Complex2 {
                    self.set(|word| word.mul_op = op.number());
                }
                self.set(|word| word.mul[k].neg = u8::from(other.starts_with('-')));
                self.expect(first, false, a)?;
                self.expect(unsigned(other), true, b)
            }
            _ => {
                let operands = text::count(operands.len(), "operand");
                Err(format!("'{name}' with {operands} is not an operation of one multiplier"))
            }
        }
    }

    fn wide(&mut self, name: &str, operands: &[&str]) -> Result<(), String> {
        let setters: [(bool, fn(&mut Word, u8)); 4] = [
            (false, |word, code| word.mul[0].a = code),
            (true, |word, code| word.mul[0].b = code),
            (false, |word, code| word.mul[1].a = code),
            (true, |word, code| word.mul[1].b = code),
        ];
        let number = known(Unit::Mul, name)
            .filter(|number| !is_mul1_separate(*number))
            .or_else(|| numbered(Unit::Mul, name))
            .ok_or_else(|| format!("there is no operation '{name}' of both multipliers"))?;
        let select = number == Op::Select.number();
        let order: &[usize] = if select { &[1, 0, 2] } else { &[0, 1, 2, 3] };
        if operands.len() != order.len() {
            let wanted = text::count(order.len(), "operand");
            return Err(format!("'{name}' has {wanted}, not {}", operands.len()));
        }
        self.set(|word| word.mul_op = number);
        for (operand, at) in operands.iter().zip(order) {
            let (is_b, put) = setters[*at];
            self.expect(operand, is_b, put)?;
        }
        Ok(())
    }

    fn expect(&mut self, text: &str, is_b: bool, put: fn(&mut Word, u8)) -> Result<(), String> {
        let operand = self.operand(text, is_b)?;
        self.pending.push((put, operand));
        Ok(())
    }

    fn operand(&mut self, text: &str, is_b: bool) -> Result<Operand, String> {
        let wrong = || format!("'{text}' is not an operand here");
        if let Some(number) = text.strip_prefix('^') {
            let number: usize = number.parse().map_err(|_| wrong())?;
            let age =
                self.number().checked_sub(number / 6).filter(|age| matches!(age, 1 | 2)).ok_or_else(wrong)?;
            let source = Source::Result { of: ResultOf::ALL[number % 6], age: exact(age) };
            let code = source.code().filter(|code| !(is_b && *code == IDENTITY)).ok_or_else(wrong)?;
            return Ok(Operand::Code(code));
        }
        match text {
            "0" | "1" if is_b => return Ok(Operand::Code(IDENTITY)),
            NO_OPERAND => return Ok(Operand::Code(UNUSED)),
            _ => {}
        }
        if let Some(number) = text.strip_prefix(UNKNOWN).and_then(|number| number.parse::<u8>().ok()) {
            let code = number.checked_add(ALSO_UNUSED).and_then(|code| Source::Unknown(code).code());
            return code.map(Operand::Code).ok_or_else(wrong);
        }
        let (span, letter) = text.rsplit_once('.').ok_or_else(wrong)?;
        let c = component(letter).ok_or_else(wrong)?;
        if let Some(inside) = span.strip_prefix("t[").and_then(|rest| rest.strip_suffix(']')) {
            let (slot, offset) = match inside.split_once("+addr") {
                Some((slot, offset)) => (slot, offset.parse().map_err(|_| wrong())?),
                None => (inside, Load::NO_OFFSET),
            };
            let slot = slot.parse().map_err(|_| wrong())?;
            let load = Load { address: slot, offset };
            if slot > 511 || offset > 7 {
                return Err(wrong());
            }
            let Some(word) = &mut self.word else { return Err(wrong()) };
            let nothing = Word::default().load;
            if word.load != nothing && word.load != load {
                return Err("a word can load only one uniform or temporary".to_owned());
            }
            word.load = load;
            return Source::Load(c).code().map(Operand::Code).ok_or_else(wrong);
        }
        let number = span.get(1..).and_then(|n| n.parse().ok()).filter(|n| *n < 16).ok_or_else(wrong)?;
        match span.as_bytes()[0] {
            b'a' => Ok(Operand::Attribute(number, c)),
            b'$' => Ok(Operand::Register(number, c)),
            _ => Err(wrong()),
        }
    }

    /// Ends the current word: chooses its ports and sets the operands.
    fn end_word(&mut self) {
        let Some(mut word) = self.word.take() else { return };
        self.spans.push(Some(self.at));
        self.acc_op = None;
        self.given.clear();
        let pending = std::mem::take(&mut self.pending);
        let before = self.words.last().copied();
        let mut ports: Vec<(Option<(u8, u8)>, Option<u8>)> = vec![(None, None)];
        // A port is offered once, although several operands of a word may read it.
        let mut offer = |port| {
            if !ports.contains(&port) {
                ports.push(port);
            }
        };
        for (_, operand) in &pending {
            match *operand {
                Operand::Attribute(n, _) => offer((Some((1, n)), None)),
                Operand::Register(n, _) => {
                    offer((None, Some(n)));
                    offer((Some((0, n)), None));
                }
                Operand::Code(_) => {}
            }
        }
        // Also try every pair of candidates, one for each port; candidates that set the fewest ports come first.
        let single = ports.clone();
        let both = single.iter().flat_map(|(zero, _)| single.iter().map(move |(_, one)| (*zero, *one)));
        ports.extend(both.collect::<Vec<_>>());
        let own = |(zero, one): (Option<(u8, u8)>, Option<u8>), operand: Operand| match operand {
            Operand::Code(code) => Some(code),
            Operand::Attribute(n, c) if zero == Some((1, n)) => Source::Port0(c).code(),
            Operand::Register(n, c) if one == Some(n) => Source::Port1(c).code(),
            Operand::Register(n, c) if zero == Some((0, n)) => Source::Port0(c).code(),
            _ => None,
        };
        let earlier = |operand: Operand| {
            let word = before?;
            match operand {
                Operand::Attribute(n, c) if (word.port0_attribute, word.port0) == (1, n) => {
                    Source::Port0Before(c).code()
                }
                Operand::Register(n, c) if (word.port0_attribute, word.port0) == (0, n) => {
                    Source::Port0Before(c).code()
                }
                _ => None,
            }
        };
        let by_own = ports.iter().find(|ports| pending.iter().all(|(_, o)| own(**ports, *o).is_some()));
        let found = by_own.or_else(|| {
            ports
                .iter()
                .find(|ports| pending.iter().all(|(_, o)| own(**ports, *o).or_else(|| earlier(*o)).is_some()))
        });
        let Some(&(zero, one)) = found else {
            let message = "the two read ports of this word and of the word before it cannot provide all operands of this word";
            self.errors.push(Diagnostic::new(self.at, message));
            self.words.push(word);
            return;
        };
        if let Some((attribute, n)) = zero {
            (word.port0_attribute, word.port0) = (attribute, n);
        }
        word.port1 = one.unwrap_or(0);
        for (put, operand) in pending {
            if let Some(code) = own((zero, one), operand).or_else(|| earlier(operand)) {
                put(&mut word, code);
            }
        }
        self.words.push(word);
    }
}

/// Returns an operand without its sign. Of several signs, only the first is taken, so that the rest is an error.
fn unsigned(operand: &str) -> &str {
    operand.strip_prefix('-').unwrap_or(operand)
}

/// Returns the number of a unit's operation from its name in listings or from an `unknown` name.
fn operation(unit: Unit, name: &str) -> Option<u8> {
    known(unit, name).or_else(|| numbered(unit, name))
}

/// Returns the number of a unit's named operation. Operations that set an address register are excluded: listings print them as moves.
fn known(unit: Unit, name: &str) -> Option<u8> {
    let has_result = |row: &&Row| row.unit == unit && row.result_kind != ResultKind::Nothing;
    let row = TABLE.iter().filter(has_result).find(|row| row.name == name || row.aliases.contains(&name));
    row.map(|row| row.number)
}

/// Parses the number in the name of an unknown operation: `unk7`, `unknown7`, `op7`.
fn numbered(unit: Unit, name: &str) -> Option<u8> {
    let digits = [UNKNOWN, "unk", OPERATION].iter().find_map(|head| name.strip_prefix(head))?;
    digits.parse().ok().filter(|n| *n < op_count(unit))
}
