//! Which modifiers can occur together in one instruction, according to the tables. A modifier is a facet with a value, such as `mask=full`.

use super::Generate;
use crate::coverage::{Interaction, is_combined};
use lockstep_core::isa::CoverPoint;
use lockstep_core::isa::facet::{contexts, points, sides_match};
use std::collections::{BTreeMap, BTreeSet};

/// Two modifiers that never occur together in one instruction of a generated program. Each side is a modifier, or a facet that stands for all of its
/// values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NeverTogether {
    /// The first modifier or facet.
    pub a: &'static str,
    /// The second modifier or facet.
    pub b: &'static str,
    /// Why the two modifiers never occur together.
    pub why: &'static str,
    /// Whether instances of lowering rules combine the two modifiers, so that proofs cover the combination although generated programs do not contain
    /// it.
    pub in_rule_instances: bool,
}

impl NeverTogether {
    /// Returns a row for two modifiers or facets that never occur together.
    pub const fn new(a: &'static str, b: &'static str, why: &'static str) -> NeverTogether {
        NeverTogether { a, b, why, in_rule_instances: false }
    }

    /// Returns a row for two modifiers that occur together only in instances of lowering rules.
    pub const fn only_in_rule_instances(
        a: &'static str,
        b: &'static str,
        why: &'static str,
    ) -> NeverTogether {
        NeverTogether { a, b, why, in_rule_instances: true }
    }

    /// Whether this row covers the two modifiers, in either order.
    pub fn is_about(&self, a: &str, b: &str) -> bool {
        sides_match([self.a, self.b], [a, b])
    }
}

/// Returns the pairs of modifiers that no generated program combines: those that the facets exclude in any legal program, and those that the
/// generator never combines.
pub fn never_together<I: Generate>() -> Vec<NeverTogether> {
    let never = I::facets()
        .infeasible
        .iter()
        .filter(|row| !row.in_unit)
        .map(|row| NeverTogether::new(row.a, row.b, row.why));
    never.chain(I::NEVER_TOGETHER.iter().copied()).collect()
}

/// Opcodes by modifier.
pub(super) type Opcodes = BTreeMap<String, BTreeSet<&'static str>>;

/// Returns the modifiers of an instruction set, except versions, each with its opcodes.
pub(super) fn opcodes<I: Generate>() -> Opcodes {
    let mut with = Opcodes::new();
    for point in points::<I>() {
        if is_combined(&point.modifier) {
            with.entry(point.modifier.clone()).or_default().insert(point.opcode);
        }
    }
    with
}

/// Returns the opcodes for which every two of these modifiers can occur in one instruction, according to the tables.
pub(super) fn common<I: Generate>(with: &Opcodes, modifiers: &[&str]) -> Vec<&'static str> {
    let Some(first) = modifiers.first().and_then(|modifier| with.get(*modifier)) else { return Vec::new() };
    let point = |opcode, modifier: &str| CoverPoint { opcode, modifier: modifier.to_owned() };
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

/// Whether setters can set both coverage points in a common context of their opcode, such as a version, so that one instruction may have both.
fn share_a_context<I: Generate>(a: &CoverPoint, b: &CoverPoint) -> bool {
    let of_b = contexts::<I>(b);
    contexts::<I>(a).iter().any(|context| of_b.contains(context))
}

/// Whether the facets' declarations allow two modifiers in one instruction. Modifiers of different facets are always allowed.
fn can_be_two<I: Generate>(a: &str, b: &str) -> bool {
    match (a.split_once('='), b.split_once('=')) {
        (Some((facet, of_a)), Some((other, of_b))) if facet == other => {
            I::facets().allows_both(facet, of_a, of_b)
        }
        _ => true,
    }
}

/// Returns the pairs of modifiers that share an opcode, in order: those that can occur in one instruction, and those that are [`NeverTogether`].
pub fn together<I: Generate>() -> (BTreeSet<Interaction>, BTreeSet<Interaction>) {
    let with = opcodes::<I>();
    let modifiers: Vec<&String> = with.keys().collect();
    let rows = never_together::<I>();
    let (mut meet, mut separate) = (BTreeSet::new(), BTreeSet::new());
    for (k, a) in modifiers.iter().enumerate() {
        for b in &modifiers[k + 1..] {
            if !can_be_two::<I>(a, b) || common::<I>(&with, &[a, b]).is_empty() {
                continue;
            }
            let is_apart = rows.iter().any(|row| row.is_about(a, b));
            let pair = vec![(*a).clone(), (*b).clone()];
            if is_apart {
                separate.insert(pair)
            } else {
                meet.insert(pair)
            };
        }
    }
    (meet, separate)
}
