//! The domain check: compares evaluation in Rust with the solver's evaluation, for every domain operation that the solver
//! interprets, on literals.
//!
//! Every proof relies on this agreement. Two-operand operations are compared on all pairs of about two hundred boundary values, one-operand float
//! operations on all of these values and more, three-operand operations on all triples of a few.

use crate::goal::Goal;
use crate::number::boundaries;
use crate::smt;
use crate::term::{Arena, Node, Term, Ty};
use lockstep_core::value::{BBin, Concrete, Domain, FBin, FCmp, FUn, IBin, ICmp, Narrow, canonical_bits};

/// An operation with a function that computes it on bits.
struct Operation {
    name: String,
    operands: &'static [Ty],
    node: Box<dyn Fn(&[Term]) -> Node + Send + Sync>,
    concrete: Box<dyn Fn(&[u32]) -> u32 + Send + Sync>,
}

fn f(v: u32) -> f32 {
    f32::from_bits(v)
}

fn operations() -> Vec<Operation> {
    let mut all: Vec<Operation> = Vec::new();
    let mut add = |name: String,
                   operands,
                   node: Box<dyn Fn(&[Term]) -> Node + Send + Sync>,
                   concrete: Box<dyn Fn(&[u32]) -> u32 + Send + Sync>| {
        all.push(Operation { name, operands, node, concrete });
    };
    let c = Concrete;
    // exp2, log2, sin and cos are uninterpreted for the solver, so there is nothing to compare.
    let unary = [FUn::Neg, FUn::Abs, FUn::Sqrt, FUn::Floor, FUn::Trunc, FUn::RoundEven];
    for op in unary.into_iter().chain(Narrow::ALL.map(FUn::Narrow)) {
        add(
            format!("{op:?}"),
            &[Ty::F],
            Box::new(move |t| Node::Un(op, t[0])),
            Box::new(move |v| canonical_bits(c.un(op, &f(v[0])))),
        );
    }
    for op in [FBin::Add, FBin::Mul, FBin::Div] {
        add(
            format!("{op:?}"),
            &[Ty::F, Ty::F],
            Box::new(move |t| Node::Bin(op, t[0], t[1])),
            Box::new(move |v| canonical_bits(c.bin(op, &f(v[0]), &f(v[1])))),
        );
    }
    add(
        "Fma".to_owned(),
        &[Ty::F, Ty::F, Ty::F],
        Box::new(|t| Node::Fma(t[0], t[1], t[2])),
        Box::new(move |v| canonical_bits(c.fma(&f(v[0]), &f(v[1]), &f(v[2])))),
    );
    for op in [FCmp::Lt, FCmp::Le, FCmp::Eq] {
        add(
            format!("float {op:?}"),
            &[Ty::F, Ty::F],
            Box::new(move |t| Node::Cmp(op, t[0], t[1])),
            Box::new(move |v| u32::from(c.cmp(op, &f(v[0]), &f(v[1])))),
        );
    }
    use IBin::{Add, And, Mul, Or, Shl, ShrS, ShrU, Sub, Xor};
    for op in [Add, Sub, Mul, And, Or, Xor, Shl, ShrU, ShrS] {
        add(
            format!("integer {op:?}"),
            &[Ty::I, Ty::I],
            Box::new(move |t| Node::IBin(op, t[0], t[1])),
            Box::new(move |v| c.ibin(op, &(v[0] as i32), &(v[1] as i32)) as u32),
        );
    }
    for op in [ICmp::Eq, ICmp::LtS, ICmp::LtU] {
        add(
            format!("integer {op:?}"),
            &[Ty::I, Ty::I],
            Box::new(move |t| Node::ICmp(op, t[0], t[1])),
            Box::new(move |v| u32::from(c.icmp(op, &(v[0] as i32), &(v[1] as i32)))),
        );
    }
    for op in [BBin::And, BBin::Or, BBin::Xor] {
        add(
            format!("{op:?}"),
            &[Ty::B, Ty::B],
            Box::new(move |t| Node::Logic(op, t[0], t[1])),
            Box::new(move |v| u32::from(c.logic(op, &(v[0] != 0), &(v[1] != 0)))),
        );
    }
    add("Not".to_owned(), &[Ty::B], Box::new(|t| Node::Not(t[0])), Box::new(|v| u32::from(v[0] == 0)));
    add(
        "TruncI".to_owned(),
        &[Ty::F],
        Box::new(|t| Node::TruncI(t[0])),
        Box::new(move |v| c.trunc_i(&f(v[0])) as u32),
    );
    add(
        "ToF".to_owned(),
        &[Ty::I],
        Box::new(|t| Node::ToF(t[0])),
        Box::new(move |v| c.to_f(&(v[0] as i32)).to_bits()),
    );
    add(
        "Bits".to_owned(),
        &[Ty::F],
        Box::new(|t| Node::Bits(t[0])),
        Box::new(move |v| c.bits(&f(v[0])) as u32),
    );
    add(
        "FromBits".to_owned(),
        &[Ty::I],
        Box::new(|t| Node::FromBits(t[0])),
        Box::new(move |v| canonical_bits(c.from_bits(&(v[0] as i32)))),
    );
    add(
        "Sel".to_owned(),
        &[Ty::B, Ty::F, Ty::F],
        Box::new(|t| Node::Sel(Ty::F, t[0], t[1], t[2])),
        Box::new(move |v| canonical_bits(c.sel(&(v[0] != 0), &f(v[1]), &f(v[2])))),
    );
    all
}

/// Returns the values tried for an operand of this type.
fn values(ty: Ty, operands: usize) -> Vec<u32> {
    let floats = boundaries();
    match (ty, operands) {
        (Ty::B, _) => vec![0, 1],
        (_, 3) => floats.iter().copied().step_by(17).chain([0x3f80_0001, 0xbf80_0001, 0x7fc0_0000]).collect(),
        (Ty::F, 1) => {
            // Includes ties of every rounding: odd mantissas at every exponent.
            let every = (0..512u32).flat_map(|e| {
                [0, 1, 0x20_0000, 0x40_0000, 0x40_0040, 0x7f_ffff, 0x40, 0xc0].map(|m| e << 23 | m)
            });
            floats.iter().copied().chain(every.map(|bits| canonical_bits(f32::from_bits(bits)))).collect()
        }
        (Ty::F, _) => floats,
        (Ty::I, _) => {
            let mut all: Vec<u32> =
                (0..34).chain((0..31).flat_map(|k| [(1u32 << k) - 1, 1 << k, (1 << k) + 1])).collect();
            all.extend([
                i32::MAX as u32,
                1 << 31,
                (1 << 31) + 1,
                0xdead_beef,
                0x7fc0_0001,
                0xffc0_0000,
                0x7f80_0000,
            ]);
            let negative: Vec<u32> = all.iter().map(|v| v.wrapping_neg()).collect();
            all.extend(negative);
            all.sort_unstable();
            all.dedup();
            all
        }
    }
}

/// Returns the number of operations to check.
pub fn count() -> usize {
    operations().len()
}

/// The operand values on which one operation is checked, and the results that the solver must confirm.
pub struct LiteralCheck {
    /// The name of the operation.
    pub operation: String,
    /// The operands and the result of evaluation, as bits.
    pub rows: Vec<(Vec<u32>, u32)>,
    /// The goal: its left side is the operation on unknown operands, its right side one more unknown, which stands for the result.
    goal: Goal,
    /// The types of the operands and of the result.
    #[cfg_attr(not(feature = "solver"), expect(dead_code, reason = "read only with a solver"))]
    types: Vec<Ty>,
}

/// Returns the check of operation `number`; `None` if there is no such operation.
pub fn literals(number: usize) -> Option<LiteralCheck> {
    let operation = operations().into_iter().nth(number)?;
    let n = operation.operands.len();
    let mut rows: Vec<Vec<u32>> = vec![Vec::new()];
    for ty in operation.operands {
        let values = values(*ty, n);
        rows = rows
            .into_iter()
            .flat_map(|row| {
                values.iter().map(move |v| row.iter().copied().chain([*v]).collect()).collect::<Vec<_>>()
            })
            .collect();
    }
    let rows = rows
        .into_iter()
        .map(|row| {
            let expected = (operation.concrete)(&row);
            (row, expected)
        })
        .collect();
    Some(LiteralCheck::new(operation.name, operation.operands, &operation.node, rows))
}

impl LiteralCheck {
    fn new(
        operation: String,
        operands: &[Ty],
        node: &dyn Fn(&[Term]) -> Node,
        rows: Vec<(Vec<u32>, u32)>,
    ) -> LiteralCheck {
        let mut arena = Arena::default();
        let unknowns: Vec<Term> =
            operands.iter().enumerate().map(|(k, ty)| arena.unknown(*ty, &format!("x{k}"))).collect();
        let node = node(&unknowns);
        let types = operands.iter().copied().chain([node.ty()]).collect();
        let left = arena.intern(node);
        let right = arena.unknown(arena.ty(left), "expected");
        LiteralCheck { operation, rows, goal: Goal::new(&arena, left, right).0, types }
    }

    /// Returns the key of the check's answer in the cache: a hash of the query with all rows.
    pub fn key(&self) -> String {
        let mut text = smt::query(&self.goal);
        for (operands, expected) in &self.rows {
            for value in operands.iter().chain([expected]) {
                text.extend(value.to_le_bytes().map(char::from));
            }
        }
        crate::cache::key(&text)
    }

    /// Returns the first difference between the results of evaluation and the solver's, or an error of the solver.
    #[cfg(feature = "solver")]
    pub fn compare(&self) -> Option<String> {
        match crate::solve::compare_on_literals(&self.goal, &self.types, &self.rows) {
            Ok(None) => None,
            Ok(Some(at)) => {
                let (operands, expected) = &self.rows[at];
                Some(format!(
                    "for {operands:x?} evaluation gives {expected:x}, the solver a different result"
                ))
            }
            Err(error) => Some(error),
        }
    }
}

#[cfg(all(test, feature = "solver"))]
mod tests {
    use super::*;

    #[test]
    fn evaluation_and_solver_agree_on_every_operation() {
        for k in 0..count() {
            let literals = literals(k).unwrap();
            assert_eq!(literals.compare(), None, "{}", literals.operation);
        }
    }

    #[test]
    fn a_wrong_operation_is_noticed_and_has_another_key() {
        let sum = |t: &[Term]| Node::Bin(FBin::Add, t[0], t[1]);
        let with = |result: u32| {
            let rows = vec![(vec![1f32.to_bits(), 0], 1f32.to_bits()), (vec![0, 1 << 31], result)];
            LiteralCheck::new("Add".into(), &[Ty::F, Ty::F], &sum, rows)
        };
        let (wrong, right) = (with(1 << 31), with(0));
        assert!(wrong.compare().unwrap().contains("[0, 80000000]")); // 0 + -0 is +0, not -0
        assert_eq!(right.compare(), None);
        assert_ne!(wrong.key(), right.key());
    }
}
