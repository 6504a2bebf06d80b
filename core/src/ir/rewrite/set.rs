//! Sets of rules, indexed for matching.

use super::list::rules;
use super::rule::Rule;
use super::term::Term;
use crate::ir::op::{Op, Ty};
use crate::value::{FUn, Narrow};
use std::borrow::Cow;
use std::sync::LazyLock;

/// A set of rules, in the order in which they are tried.
#[derive(Clone, Debug)]
pub struct RuleSet {
    rules: Cow<'static, [Rule]>,
    /// The indices of the rules, by the [`root`] number of the operation at the root of the left side.
    by_root: Vec<Vec<u16>>,
}

impl RuleSet {
    /// Every rule of [`rules`].
    pub fn all() -> &'static RuleSet {
        static ALL: LazyLock<RuleSet> = LazyLock::new(|| RuleSet::arrange(Cow::Borrowed(rules()), |_| true));
        &ALL
    }

    /// Every rule of [`rules`] except those with these names. The other rules keep their indices.
    pub fn without(names: &[&str]) -> RuleSet {
        RuleSet::arrange(Cow::Borrowed(rules()), |rule| !names.contains(&rule.name.as_str()))
    }

    /// A set of the given rules, which may be wrong.
    pub fn of(rules: Vec<Rule>) -> RuleSet {
        RuleSet::arrange(Cow::Owned(rules), |_| true)
    }

    /// All rules, including those that [`RuleSet::without`] leaves out. The index of a rule in this list identifies the rule.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    fn arrange(rules: Cow<'static, [Rule]>, wanted: impl Fn(&Rule) -> bool) -> RuleSet {
        let mut by_root = vec![Vec::new(); ROOTS];
        for (n, rule) in rules.iter().enumerate().take(usize::from(u16::MAX)) {
            if let Term::Op(op, _) = &rule.lhs
                && let Some(root) = root(*op)
                && wanted(rule)
            {
                by_root[root].push(n as u16);
            }
        }
        RuleSet { rules, by_root }
    }

    /// The indices of the rules whose left side has an operation with the same [`root`] number at its root.
    #[inline]
    pub(super) fn candidates(&self, op: Op) -> &[u16] {
        root(op).map_or(&[], |root| &self.by_root[root])
    }
}

const ROOTS: usize = 48;

/// Returns a number below [`ROOTS`] for each operation that may be the root of a left side; `None` for others. Some operations share a number.
#[inline]
fn root(op: Op) -> Option<usize> {
    Some(match op {
        Op::Add => 0,
        Op::Sub => 1,
        Op::Mul => 2,
        Op::Div => 3,
        Op::Min => 4,
        Op::Max => 5,
        Op::Mulz | Op::MulzInf => 6,
        Op::Fma => 7,
        Op::Flush(_) => 8,
        Op::Not => 9,
        Op::TruncI => 10,
        Op::ToF => 11,
        Op::Bits => 12,
        Op::FromBits => 13,
        Op::Sel(Ty::F32) => 14,
        Op::Sel(Ty::I32) => 15,
        Op::Sel(Ty::Bool) => 16,
        Op::Cmp(cmp) => 17 + cmp as usize,
        Op::ICmp(cmp) => 20 + cmp as usize,
        Op::Logic(bin) => 23 + bin as usize,
        Op::IBin(bin) => 26 + bin as usize,
        Op::Un(FUn::Neg) => 35,
        Op::Un(FUn::Abs) => 36,
        Op::Un(FUn::Sqrt) => 37,
        Op::Un(FUn::Floor) => 38,
        Op::Un(FUn::Trunc) => 39,
        Op::Un(FUn::RoundEven) => 40,
        Op::Un(FUn::Exp2) => 41,
        Op::Un(FUn::Log2) => 42,
        Op::Un(FUn::Sin) => 43,
        Op::Un(FUn::Cos) => 44,
        Op::Un(FUn::Narrow(Narrow::F24Nearest)) => 45,
        Op::Un(FUn::Narrow(Narrow::F24Zero)) => 46,
        Op::Un(FUn::Narrow(Narrow::F24ZeroSaturate)) => 47,
        _ => return None,
    })
}
