//! Facets of branches: direction, the ninth bit of the target, and the operation that computes the condition.

use super::feed::{OperandSlot, Words, attribute, bare, stores};
use super::functions::{finish, function};
use crate::binary::exact;
use crate::isa::facet::{Site, Sited};
use crate::isa::utgard_gp::opcode::Op;
use crate::isa::utgard_gp::program::{Program, Word};
use crate::isa::utgard_gp::source::{ResultOf, Source};
use crate::isa::utgard_gp::vocabulary::{Direction, TargetRange};
use std::cmp::Ordering;

/// The operations of the pass unit that may compute a condition.
const OPERATIONS: [Op; 3] = [Op::PassMov, Op::Postlog2, Op::Clamp];
/// The names of [`OPERATIONS`].
pub(super) const CONDITIONS: [&str; 3] = [OPERATIONS[0].name(), OPERATIONS[1].name(), OPERATIONS[2].name()];
/// The first target that needs a ninth bit.
const HIGH: u32 = 256;

/// Returns the word at the site, if the site is a branch.
fn branch(program: &Program, site: Site) -> Option<&Word> {
    let word = program.words.get(site.word as usize).filter(|word| word.branch != 0);
    word.filter(|_| site.unit == super::units::BRANCH)
}

/// Returns a word that stores the given component of the attribute.
pub(super) fn attribute_store(component: u8) -> Word {
    let mut word = Word { pass_src: component, ..attribute(bare()) };
    stores(&mut word, 0, [Some(ResultOf::Pass), None]);
    word
}

/// Returns the direction of the branch.
pub(super) fn direction(program: &Program, site: Site) -> Vec<&'static str> {
    let Some(word) = branch(program, site) else { return Vec::new() };
    let direction = match word.target().cmp(&site.word) {
        Ordering::Less => Direction::Backward,
        Ordering::Equal => Direction::Itself,
        Ordering::Greater => Direction::Forward,
    };
    vec![direction.name()]
}

/// Sets the direction, if it is another one, by changing the target to the word after the next one (or the last word), the branch itself, or the
/// first word. Before a branch that has to be backward and is the first word, another word is inserted. Returns `None` if the branch is the last word
/// and has to be forward.
pub(super) fn set_direction(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    branch(program, site)?;
    let mut words = Words { all: program.words.clone(), at: site.word as usize, open: Vec::new() };
    if !direction(program, site).contains(&value) {
        let wanted = Direction::from_name(value)?;
        if wanted == Direction::Backward && words.at == 0 {
            words.insert(0, &[attribute_store(1)])?;
        }
        let last = words.all.len() - 1;
        let target = match wanted {
            Direction::Backward => 0,
            Direction::Itself => words.at,
            Direction::Forward if words.at < last => last.min(words.at + 2),
            Direction::Forward => return None,
        };
        words.word().set_target(exact::<u32, _>(target))?;
    }
    Some(finish(program, words, site.unit))
}

/// Returns whether the target's number needs the ninth bit, as a facet value.
pub(super) fn target(program: &Program, site: Site) -> Vec<&'static str> {
    let Some(word) = branch(program, site) else { return Vec::new() };
    let half = if word.target() < HIGH { TargetRange::Low } else { TargetRange::High };
    vec![half.name()]
}

/// Sets the half of program memory in which the target is. Inserts words without effect if the target must be high.
pub(super) fn set_target(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    let to = branch(program, site)?.target();
    let mut words = Words { all: program.words.clone(), at: site.word as usize, open: Vec::new() };
    match TargetRange::from_name(value)? {
        TargetRange::High => {
            let missing = HIGH.saturating_sub(to) as usize;
            let at = if to > site.word { words.at + 1 } else { 0 };
            words.insert(at, &vec![bare(); missing])?;
        }
        TargetRange::Low if to < HIGH => {}
        TargetRange::Low if to > site.word && site.word + 1 < HIGH => {
            words.word().set_target(site.word + 1)?;
        }
        TargetRange::Low if to < site.word => words.word().set_target(0)?,
        TargetRange::Low => return None,
    }
    Some(finish(program, words, site.unit))
}

/// Returns the operation that computes the condition.
pub(super) fn condition(program: &Program, site: Site) -> Vec<&'static str> {
    let op = branch(program, site).and_then(|word| word.result_op(ResultOf::Pass));
    let name = op.map(|op| op.row().name);
    CONDITIONS.into_iter().filter(|condition| Some(*condition) == name).collect()
}

/// Changes the operation that computes the condition. For a logarithm, the words that compute it are inserted before the branch.
pub(super) fn set_condition(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    branch(program, site)?;
    let mut words = Words { all: program.words.clone(), at: site.word as usize, open: Vec::new() };
    if condition(program, site).contains(&value) {
        return Some(finish(program, words, site.unit));
    }
    let op = OPERATIONS.into_iter().find(|op| op.name() == value)?;
    if op == Op::Postlog2 {
        let mut logarithm = function(Op::Log2);
        let last = logarithm.pop()?;
        let at = words.at;
        words.insert(at, &logarithm)?;
        let word = words.word();
        (word.pass_op, word.pass_src) = (last.pass_op, last.pass_src);
        return Some(finish(program, words, site.unit));
    }
    words.open.push((0, OperandSlot::Pass));
    let code = words.provide(Source::Port0(0), true, 0, false)?;
    let word = words.word();
    (word.pass_op, word.pass_src) = (op.number(), code);
    Some(finish(program, words, site.unit))
}
