//! Limits of the validators' rules, each tested from both sides: a program at the limit obeys the rule, one past it breaks it.
//!
//! The numbers are copied from the documents (`source`), not from the validators. A rule without a row must be in the list of rules without a limit,
//! so that every new rule requires a decision.

mod a2xx;
mod agal;
mod d3d9;
mod pica200;
mod utgard_gp;

use lockstep_core::isa::Level;
use std::collections::BTreeSet;

/// A limit: its value in each version, and the numbers of the rules that enforce it. A program that exceeds the limit breaks one of these rules.
struct Limit {
    /// The subject of the limit.
    what: &'static str,
    /// Rule numbers. A program within the limit breaks none of these rules, and a program past the limit breaks at least one. Each rule is broken in
    /// some version.
    rules: &'static [u16],
    /// The documents that state the limit.
    source: &'static str,
    /// A version, or another name for the context, and the last legal number.
    at: &'static [(&'static str, i64)],
    /// Step from the last legal number to the first illegal one: 1, or -1 for a minimum; 0 if no program can exceed the limit.
    step: i64,
    /// The reason why no program can exceed the limit; empty if a program can.
    why: &'static str,
    /// The last number that can be encoded. The assembler must refuse a text with a number past it.
    encodable: i64,
    /// A program that reaches this number in this version.
    program: fn(&str, i64) -> String,
}

/// Returns a maximum for each version.
const fn most(
    what: &'static str,
    rules: &'static [u16],
    source: &'static str,
    at: &'static [(&'static str, i64)],
    program: fn(&str, i64) -> String,
) -> Limit {
    Limit { what, rules, source, at, step: 1, why: "", encodable: i64::MAX, program }
}

/// Returns a minimum for each version.
const fn least(
    what: &'static str,
    rules: &'static [u16],
    source: &'static str,
    at: &'static [(&'static str, i64)],
    program: fn(&str, i64) -> String,
) -> Limit {
    Limit { what, rules, source, at, step: -1, why: "", encodable: i64::MAX, program }
}

/// Returns a limit of numbers that can be encoded only up to `encodable`.
const fn within(encodable: i64, limit: &Limit) -> Limit {
    Limit { encodable, ..*limit }
}

/// Returns numbers that are legal in each version and that no program can exceed, for the reason `why`. A rule that is too strict would reject them.
const fn legal(
    what: &'static str,
    rules: &'static [u16],
    source: &'static str,
    why: &'static str,
    at: &'static [(&'static str, i64)],
    program: fn(&str, i64) -> String,
) -> Limit {
    Limit { what, rules, source, at, step: 0, why, encodable: i64::MAX, program }
}

/// The number of a broken rule, and the level of the rule.
type Broken = (u16, Level);

/// Rules without a numeric limit, each group with what it requires.
type Unlimited = &'static [(&'static str, &'static [u16])];

/// Checks a validator, given as a function that returns the rules that a text breaks, with their levels, against limits. `all` contains the numbers
/// of the validator's rules, and `unlimited` the rules without a numeric limit. `versions` lists the versions that rows may name; it is empty for an
/// instruction set whose rows name other contexts.
fn check(
    limits: &[Limit],
    all: &[u16],
    unlimited: Unlimited,
    versions: &[&str],
    broken: impl Fn(&str) -> Result<Vec<Broken>, String>,
) {
    let mut wrong = Vec::new();
    let mut limited = BTreeSet::new();
    for limit in limits {
        assert!(!limit.source.is_empty() && !limit.at.is_empty(), "{}", limit.what);
        assert!((limit.step == 0) == (limit.why.len() > 20), "{}: a reason is a sentence", limit.what);
        limited.extend(limit.rules);
        let mut unbroken: BTreeSet<u16> = limit.rules.iter().copied().filter(|_| limit.step != 0).collect();
        for (version, at) in limit.at {
            for (number, past) in [(*at, false), (at + limit.step, true)] {
                if past && limit.step == 0 {
                    continue;
                }
                let text = (limit.program)(version, number);
                let found =
                    broken(&text).map(|all| all.into_iter().map(|(rule, _)| rule).collect::<BTreeSet<u16>>());
                let right = match &found {
                    Ok(found) => {
                        limit.rules.iter().any(|rule| found.contains(rule)) == past
                            && number <= limit.encodable
                    }
                    Err(_) => past && number > limit.encodable,
                };
                if past && let Ok(found) = &found {
                    unbroken.retain(|rule| !found.contains(rule));
                }
                if !right {
                    let head: String = text.lines().take(6).map(|line| format!("    {line}\n")).collect();
                    let wanted = if number > limit.encodable {
                        "an error of the assembler".to_owned()
                    } else {
                        let article = if past { "a" } else { "no" };
                        format!("{article} violation of {:?}", limit.rules)
                    };
                    wrong.push(format!(
                        "{} of {version} at {number}: expected {wanted}, found {found:?}\n{head}",
                        limit.what
                    ));
                }
            }
        }
        if !unbroken.is_empty() {
            wrong.push(format!("{}: no version has a number that breaks {unbroken:?}", limit.what));
        }
        wrong.extend(unlisted(limits, limit, versions, &broken));
    }
    assert!(wrong.is_empty(), "{} limits:\n{}", wrong.len(), wrong.join("\n"));
    let all: BTreeSet<u16> = all.iter().copied().collect();
    let mut without = BTreeSet::new();
    for (reason, rules) in unlimited {
        assert!(reason.len() > 20, "a reason is a sentence: '{reason}'");
        for rule in *rules {
            assert!(without.insert(*rule), "{rule} is listed twice among the rules without a limit");
        }
    }
    let both: Vec<_> = limited.intersection(&without).collect();
    assert!(both.is_empty(), "both with and without a limit: {both:?}");
    let listed: BTreeSet<u16> = limited.union(&without).copied().collect();
    let (missing, unknown): (Vec<_>, Vec<_>) =
        (all.difference(&listed).collect(), listed.difference(&all).collect());
    assert!(missing.is_empty() && unknown.is_empty(), "not listed: {missing:?}; not rules: {unknown:?}");
}

/// Returns an error for each version that has the limit but is named by no row. A version has the limit if a value that every other version allows
/// breaks nothing at error level, and a value that no other version allows breaks the limit's rule and nothing else at that level.
fn unlisted(
    limits: &[Limit],
    limit: &Limit,
    versions: &[&str],
    broken: impl Fn(&str) -> Result<Vec<Broken>, String>,
) -> Vec<String> {
    let mut wrong = Vec::new();
    let same = |other: &&Limit| {
        other.what == limit.what && (other.step == limit.step || other.step == 0 || limit.step == 0)
    };
    let named: BTreeSet<&str> =
        limits.iter().filter(same).flat_map(|other| other.at).map(|(version, _)| *version).collect();
    if !named.iter().all(|version| versions.contains(version)) {
        return wrong;
    }
    let numbers = || limit.at.iter().map(|(_, at)| *at);
    let (mildest, last) =
        if limit.step < 0 { (numbers().max(), numbers().min()) } else { (numbers().min(), numbers().max()) };
    let (Some(mildest), Some(last)) = (mildest, last) else { return wrong };
    for version in versions.iter().filter(|version| !named.contains(*version)) {
        let Ok(found) = broken(&(limit.program)(version, mildest)) else { continue };
        if found.iter().any(|(_, level)| *level == Level::Error) {
            continue;
        }
        let found = broken(&(limit.program)(version, last + limit.step)).unwrap_or_default();
        let (own, others): (Vec<_>, Vec<_>) = found.iter().partition(|(rule, _)| limit.rules.contains(rule));
        if !own.is_empty() && others.iter().all(|(_, level)| *level != Level::Error) {
            wrong.push(format!("{}: {version} is in no row but breaks rule {own:?}", limit.what));
        }
    }
    wrong
}

/// Returns a line repeated `n` times.
fn times(line: &str, n: i64) -> String {
    format!("{line}\n").repeat(n as usize)
}
