//! Compares the effects of the reference and of the lowered program, one by one.

use crate::claims::ClaimBuilder;
use crate::host::SymbolicHost;
use crate::sabotage::{self, Sabotage};
use crate::term::Terms;
use lockstep_core::host::Effect;
use lockstep_core::ir::{self, Op};
use lockstep_core::value::Domain;

/// Returns the number of effects of a lane that runs these blocks to their ends.
pub(super) fn count_effects(program: &ir::Program, blocks: impl IntoIterator<Item = ir::BlockId>) -> usize {
    let effects = |block| program.block(block).iter().filter(|i| matches!(i.op, Op::Effect { .. })).count();
    blocks.into_iter().map(effects).sum()
}

/// Makes the claims about the effects of one lane, where `left` is the reference's host. Records a missing claim if the claims do not cover all
/// effects.
pub(super) fn claim_effects(
    d: &Terms,
    l: usize,
    left: &SymbolicHost<'_>,
    right: &SymbolicHost<'_>,
    claims: &mut ClaimBuilder,
) {
    let all = (left.effects[l].len(), right.effects[l].len());
    let covered = compare_effects(d, l, &left.effects[l], &right.effects[l], claims);
    if covered != all || left.effect_count(l).is_none() || right.effect_count(l).is_none() {
        claims.record_missing(|| {
            format!(
                "lane {l}: claims cover {covered:?} of {all:?} effects (reference, IR), or not all were recorded"
            )
        });
    }
}

/// Compares the recorded effects of one lane and returns the number of effects of each side that claims cover. If only one side has recorded an
/// effect, because the other side evaluated its condition to false, the claim is that the effect does not happen.
pub(super) fn compare_effects(
    d: &Terms,
    l: usize,
    left: &[Effect<Terms>],
    right: &[Effect<Terms>],
    claims: &mut ClaimBuilder,
) -> (usize, usize) {
    let skipped = usize::from(sabotage::is(Sabotage::EffectSkipped)).min(left.len()).min(right.len());
    let (left, right) = (&left[skipped..], &right[skipped..]);
    // Destructured without `..`, so that a new field must be handled here.
    let kind = |e: &Effect<Terms>| {
        let Effect { kind, index, mask, when: _, values: _ } = e;
        (*kind, *index, *mask)
    };
    let never = d.b(false).0;
    let mut covered = (0, 0);
    let mut spare = left.len().abs_diff(right.len());
    let longer = left.len() > right.len();
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    let mut k = 0;
    loop {
        let alike = match (left.peek(), right.peek()) {
            (None, None) => break,
            (Some(a), Some(b)) => kind(a) == kind(b),
            _ => false,
        };
        let name = format!("lane {l}: whether effect {k} happens");
        if alike && let (Some(a), Some(b)) = (left.next(), right.next()) {
            claims.claim_equal(d, || name.clone(), a.when.0, b.when.0);
            for (c, (x, y)) in a.values.iter().zip(&b.values).enumerate() {
                claims.claim_equal(d, || format!("lane {l}: effect {k}, component {c}"), x.0, y.0);
            }
            covered = (covered.0 + 1, covered.1 + 1);
        } else if let Some(only) = (if longer { left.next() } else { right.next() }).filter(|_| spare > 0) {
            spare -= 1;
            claims.claim_equal(d, || name.clone(), only.when.0, never);
            covered = if longer { (covered.0 + 1, covered.1) } else { (covered.0, covered.1 + 1) };
        } else {
            claims.claim_holds(d, || format!("lane {l}: the list of effects"), false);
            // This claim does not hold, and covers all the remaining effects.
            return (covered.0 + left.count(), covered.1 + right.count());
        }
        k += 1;
    }
    claims.claim_holds(d, || format!("lane {l}: the list of effects"), true);
    covered
}

/// Describes a corruption of a lane's recorded effects that no claim detects; `None` if claims detect every corruption. Each effect of the lowered
/// program is omitted, and each of its fields corrupted, in turn.
pub(super) fn find_undetected(
    d: &Terms,
    l: usize,
    left: &SymbolicHost<'_>,
    right: &SymbolicHost<'_>,
) -> Option<String> {
    let (left, right) = (left.effects[l].as_slice(), right.effects[l].as_slice());
    let claims_with = |right: &[Effect<Terms>]| {
        let mut claims = ClaimBuilder::listing();
        compare_effects(d, l, left, right, &mut claims);
        claims.listed().to_vec()
    };
    let right_claims = claims_with(right);
    for k in 0..right.len() {
        let mut without = right.to_vec();
        without.remove(k);
        if claims_with(&without) == right_claims {
            return Some(format!("a missing effect {k}"));
        }
        for (field, wrong) in corrupted_effects(d, &right[k]) {
            let mut all = right.to_vec();
            all[k] = wrong;
            if claims_with(&all) == right_claims {
                return Some(format!("effect {k} with a wrong {field}"));
            }
        }
    }
    None
}

/// Returns the corrupted versions of an effect, each with the name of the corrupted field.
fn corrupted_effects(d: &Terms, effect: &Effect<Terms>) -> Vec<(String, Effect<Terms>)> {
    // Destructured without `..`, so that a new field must be corrupted here.
    let Effect { when: _, kind, index, mask, values } = effect;
    let other = |field: &str, change: &dyn Fn(&mut Effect<Terms>)| {
        let mut wrong = effect.clone();
        change(&mut wrong);
        (field.to_owned(), wrong)
    };
    let mut all = vec![
        other("condition", &|e| e.when = d.unknown_b("another condition")),
        other("kind", &|e| e.kind = kind ^ 1),
        other("index", &|e| e.index = index ^ 1),
        other("mask", &|e| e.mask = mask ^ 1),
    ];
    all.extend(
        (0..values.len())
            .map(|c| other(&format!("component {c}"), &|e| e.values[c] = d.unknown_f("another component"))),
    );
    all
}
