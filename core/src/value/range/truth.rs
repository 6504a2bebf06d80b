//! Sets of truth values, with the facts that each value implies about the floats that were compared.

use super::float::FloatRange;
use crate::value::{BBin, FCmp};

/// The identity of a computed float, shared by its negation, magnitude and floor; 0 if there is none. Values with the same name, other than 0, derive
/// from the same float in every run.
pub(super) type Name = u32;

/// The fact that a float is in a set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fact {
    pub(super) name: Name,
    pub(super) range: FloatRange,
}

/// Facts about at most two floats. Further facts are dropped.
pub(super) type Facts = [Option<Fact>; 2];

const NO_FACTS: Facts = [None; 2];

/// A set of truth values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TruthRange {
    /// Whether true is a member.
    pub yes: bool,
    /// Whether false is a member.
    pub no: bool,
    pub(super) if_yes: Facts,
    pub(super) if_no: Facts,
}

impl TruthRange {
    /// Both truth values.
    pub const ANYTHING: TruthRange = TruthRange::either(true, true);

    /// The set with these members, and without facts about floats.
    pub const fn either(yes: bool, no: bool) -> TruthRange {
        TruthRange { yes, no, if_yes: NO_FACTS, if_no: NO_FACTS }
    }

    /// The set of one truth value.
    pub fn of(v: bool) -> TruthRange {
        TruthRange::either(v, !v)
    }

    /// Whether `v` is a member.
    pub fn contains(&self, v: bool) -> bool {
        if v { self.yes } else { self.no }
    }

    /// The only member, if there is just one.
    pub fn known(&self) -> Option<bool> {
        (self.yes != self.no).then_some(self.yes)
    }

    pub(super) fn not(self) -> TruthRange {
        TruthRange { yes: self.no, no: self.yes, if_yes: self.if_no, if_no: self.if_yes }
    }
}

/// The facts that hold if the facts of both lists hold.
fn facts_of_both(a: &Facts, b: &Facts) -> Facts {
    let mut all = *a;
    for fact in b.iter().flatten() {
        let same = all.iter_mut().flatten().find(|known| known.name == fact.name);
        if let Some(known) = same {
            known.range = known.range.meet(&fact.range);
        } else if let Some(free) = all.iter_mut().find(|slot| slot.is_none()) {
            *free = Some(*fact);
        }
    }
    all
}

/// The facts that hold if the facts of at least one list hold.
fn facts_of_either(a: &Facts, b: &Facts) -> Facts {
    a.map(|fact| {
        let fact = fact?;
        let other = b.iter().flatten().find(|other| other.name == fact.name)?;
        Some(Fact { name: fact.name, range: fact.range.join(&other.range) })
    })
}

/// The facts that hold in whichever of two cases occurs. `a` and `b` state whether each case is possible.
fn joined(a: bool, if_a: &Facts, b: bool, if_b: &Facts) -> Facts {
    match (a, b) {
        (true, false) => *if_a,
        (false, true) => *if_b,
        _ => facts_of_either(if_a, if_b),
    }
}

pub(super) fn logic(op: BBin, a: &TruthRange, b: &TruthRange) -> TruthRange {
    match op {
        BBin::And => TruthRange {
            yes: a.yes && b.yes,
            no: a.no && (b.yes || b.no) || b.no && (a.yes || a.no),
            if_yes: facts_of_both(&a.if_yes, &b.if_yes),
            if_no: joined(a.no, &a.if_no, b.no, &b.if_no),
        },
        BBin::Or => logic(BBin::And, &a.not(), &b.not()).not(),
        BBin::Xor => TruthRange::either(a.yes && b.no || a.no && b.yes, a.yes && b.yes || a.no && b.no),
    }
}

pub(super) fn choose(c: &TruthRange, a: &TruthRange, b: &TruthRange) -> TruthRange {
    let answer = |first: bool, if_first: &Facts, second: bool, if_second: &Facts| {
        let first_facts = facts_of_both(&c.if_yes, if_first);
        let second_facts = facts_of_both(&c.if_no, if_second);
        let (first, second) = (c.yes && first, c.no && second);
        (first || second, joined(first, &first_facts, second, &second_facts))
    };
    let (yes, if_yes) = answer(a.yes, &a.if_yes, b.yes, &b.if_yes);
    let (no, if_no) = answer(a.no, &a.if_no, b.no, &b.if_no);
    TruthRange { yes, no, if_yes, if_no }
}

/// The numbers below a bound, and the bound itself if `inclusive`. Without a bound, the set is empty.
fn below(bound: Option<f32>, inclusive: bool) -> FloatRange {
    let Some(bound) = bound else { return FloatRange::EMPTY };
    // Zeros of either sign are equal.
    let most = match (bound == 0.0, inclusive) {
        (true, true) => 0.0,
        (true, false) => (-0.0f32).next_down(),
        (false, true) => bound,
        (false, false) => bound.next_down(),
    };
    if bound == f32::NEG_INFINITY && !inclusive {
        return FloatRange::EMPTY;
    }
    FloatRange::between(f32::NEG_INFINITY, most)
}

fn above(bound: Option<f32>, inclusive: bool) -> FloatRange {
    below(bound.map(|bound| -bound), inclusive).negated()
}

/// The possible results of a comparison, and for each result the sets that then contain the left and the right operand.
pub(super) struct Comparison {
    pub(super) yes: bool,
    pub(super) no: bool,
    pub(super) if_yes: [FloatRange; 2],
    pub(super) if_no: [FloatRange; 2],
}

/// Compares two sets. `same` states that both operands are the same value.
pub(super) fn compare(op: FCmp, a: &FloatRange, b: &FloatRange, same: bool) -> Comparison {
    let numbers = |r: &FloatRange| FloatRange { nan: false, ..*r };
    let (x, y) = (numbers(a), numbers(b));
    let unordered = a.nan && !b.is_empty() || b.nan && !a.is_empty();
    if same {
        // No value is less than itself. Every value except NaN equals itself.
        let strict = op == FCmp::Lt;
        let (yes, no) = (!strict && !x.is_empty(), a.nan || strict && !x.is_empty());
        let if_no = if strict { FloatRange::ANYTHING } else { FloatRange::NAN };
        return Comparison { yes, no, if_yes: [FloatRange::NUMBERS; 2], if_no: [if_no; 2] };
    }
    // Zeros of either sign are equal.
    let zeros = |r: &FloatRange| if r.may_be_zero() { r.join(&FloatRange::ZEROS) } else { *r };
    if op == FCmp::Eq {
        let meet = zeros(&x).meet(&zeros(&y));
        let ordered = !x.is_empty() && !y.is_empty();
        // The operands may differ unless both are the same single number.
        let one = |r: &FloatRange| zeros(r) == FloatRange::ZEROS || r.known().is_some();
        let differ = ordered && !(one(&x) && one(&y) && !meet.is_empty());
        // A set with the values that may differ from a member of `r`: all floats, except zeros if all members are zeros.
        let other = |r: &FloatRange, nan: bool| {
            if !r.is_empty() && !nan && r.meet(&FloatRange::ZEROS) == *r {
                FloatRange { minus_zero: false, plus_zero: false, ..FloatRange::ANYTHING }
            } else {
                FloatRange::ANYTHING
            }
        };
        return Comparison {
            yes: !meet.is_empty(),
            no: unordered || differ,
            if_yes: [zeros(&y), zeros(&x)],
            if_no: [other(&y, b.nan), other(&x, a.nan)],
        };
    }
    let inclusive = op == FCmp::Le;
    let less = |low: Option<f32>, high: Option<f32>, or_equal: bool| {
        low.zip(high).is_some_and(|(low, high)| low < high || or_equal && low == high)
    };
    let nan = |r: FloatRange| FloatRange { nan: true, ..r };
    // If the comparison is false, an operand is NaN, or the opposite comparison is true.
    let if_no = [
        if b.nan { FloatRange::ANYTHING } else { nan(above(y.low(), !inclusive)) },
        if a.nan { FloatRange::ANYTHING } else { nan(below(x.high(), !inclusive)) },
    ];
    Comparison {
        yes: less(x.low(), y.high(), inclusive),
        no: unordered || less(y.low(), x.high(), !inclusive),
        if_yes: [below(y.high(), inclusive), above(x.low(), inclusive)],
        if_no,
    }
}
