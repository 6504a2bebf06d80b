//! Which modifiers can meet in one instruction, as far as tables tell.

use super::Generate;
use crate::coverage::{Interaction, meets};
use lockstep_core::isa::ClassPoint;
use lockstep_core::isa::facet::{are_meant, contexts, points};
use std::collections::{BTreeMap, BTreeSet};

/// Modifiers that no generated program has together in an instruction. Each side is a modifier, or the kind of all that are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Apart {
    /// One.
    pub a: &'static str,
    /// The other.
    pub b: &'static str,
    /// Why.
    pub why: &'static str,
    /// Whether instances of lowering rules have them together: proofs are about them then.
    pub forms: bool,
}

impl Apart {
    /// Two modifiers, or kinds, and why they never meet.
    pub const fn new(a: &'static str, b: &'static str, why: &'static str) -> Apart {
        Apart { a, b, why, forms: false }
    }

    /// Two modifiers that meet in instances of lowering rules alone, and why.
    pub const fn forms(a: &'static str, b: &'static str, why: &'static str) -> Apart {
        Apart { a, b, why, forms: true }
    }

    /// Whether these two are meant, in either order.
    pub fn is_about(&self, a: &str, b: &str) -> bool {
        are_meant([self.a, self.b], [a, b])
    }
}

/// The modifiers that no generated program has together: those that no legal program has, by the facets, and those that the generator never
/// makes.
pub fn apart<I: Generate>() -> Vec<Apart> {
    let never =
        I::facets().infeasible.iter().filter(|row| !row.in_unit).map(|row| Apart::new(row.a, row.b, row.why));
    never.chain(I::APART.iter().copied()).collect()
}

/// The opcodes that have a modifier, by the modifier.
pub(super) type Opcodes = BTreeMap<String, BTreeSet<&'static str>>;

/// What modifiers an instruction set has, and with which opcodes.
pub(super) fn opcodes<I: Generate>() -> Opcodes {
    let mut with = Opcodes::new();
    for class in points::<I>() {
        if meets(&class.modifier) {
            with.entry(class.modifier.clone()).or_default().insert(class.opcode);
        }
    }
    with
}

/// The opcodes that can have all of these modifiers in one instruction, two at a time, as far as tables tell.
pub(super) fn common<I: Generate>(with: &Opcodes, modifiers: &[&str]) -> Vec<&'static str> {
    let Some(first) = modifiers.first().and_then(|modifier| with.get(*modifier)) else { return Vec::new() };
    let point = |opcode, modifier: &str| ClassPoint { opcode, modifier: modifier.to_owned() };
    let can = |opcode: &&'static str| {
        modifiers.iter().enumerate().all(|(k, a)| {
            with.get(*a).is_some_and(|opcodes| opcodes.contains(opcode))
                && modifiers[k + 1..]
                    .iter()
                    .all(|b| share_a_context::<I>(&point(*opcode, a), &point(*opcode, b)))
        })
    };
    first.iter().copied().filter(|opcode| can(opcode)).collect()
}

/// Whether setters reach both in one context of their opcode, such as a version, so that one instruction may have them.
fn share_a_context<I: Generate>(a: &ClassPoint, b: &ClassPoint) -> bool {
    let of_b = contexts::<I>(b);
    contexts::<I>(a).iter().any(|context| of_b.contains(context))
}

/// Whether one instruction can have two modifiers as far as the declarations of their facets tell, which is always so of different facets.
fn can_be_two<I: Generate>(a: &str, b: &str) -> bool {
    match (a.split_once('='), b.split_once('=')) {
        (Some((facet, of_a)), Some((other, of_b))) if facet == other => {
            I::facets().may_meet(facet, of_a, of_b)
        }
        _ => true,
    }
}

/// The pairs of modifiers that some opcode has both of, in order: those that can meet in one instruction, and those that are [`Apart`].
pub fn together<I: Generate>() -> (BTreeSet<Interaction>, BTreeSet<Interaction>) {
    let with = opcodes::<I>();
    let modifiers: Vec<&String> = with.keys().collect();
    let rows = apart::<I>();
    let (mut meet, mut apart) = (BTreeSet::new(), BTreeSet::new());
    for (k, a) in modifiers.iter().enumerate() {
        for b in &modifiers[k + 1..] {
            if !can_be_two::<I>(a, b) || common::<I>(&with, &[a, b]).is_empty() {
                continue;
            }
            let is_apart = rows.iter().any(|row| row.is_about(a, b));
            let pair = vec![(*a).clone(), (*b).clone()];
            if is_apart {
                apart.insert(pair)
            } else {
                meet.insert(pair)
            };
        }
    }
    (meet, apart)
}
