//! The operations, and the groups of operations combined by one kernel, on which the executor is checked against the IR evaluator.

use crate::ir::{Builder, Flush, Op, Ty, Value};
use crate::value::{BBin, FCmp, FUn, IBin, ICmp, Narrow};

/// Builds the operations that compute a result from operands.
pub(super) type Build = Box<dyn Fn(&mut Builder, &[Value]) -> Value + Send + Sync>;

/// An operation, or several that one kernel combines.
pub(super) struct CheckedOperation {
    pub(super) name: String,
    pub(super) operands: Vec<Ty>,
    pub(super) result: Ty,
    pub(super) build: Build,
}

fn single(op: Op) -> CheckedOperation {
    CheckedOperation {
        name: format!("{op:?}"),
        operands: op.operands().to_vec(),
        result: op.results().map_or(Ty::F32, |r| r.0),
        build: Box::new(move |b, args| b.op(op, args)),
    }
}

/// How each step of a sum of products is rounded.
#[derive(Clone, Copy)]
enum Rounding {
    Plain,
    /// f24 toward zero without subnormals and -0, with the product in which zero times infinity is +0.
    F24,
    Flush,
}

impl Rounding {
    fn round(self, b: &mut Builder, value: Value) -> Value {
        match self {
            Rounding::Plain => value,
            Rounding::F24 => {
                let narrow = b.un(FUn::Narrow(Narrow::F24Zero), value);
                b.op(Op::Flush(Flush::F24Unsigned), &[narrow])
            }
            Rounding::Flush => b.op(Op::Flush(Flush::Subnormal), &[value]),
        }
    }

    fn product(self, b: &mut Builder, x: Value, y: Value) -> Value {
        let product = b.op(if matches!(self, Rounding::F24) { Op::MulzInf } else { Op::Mul }, &[x, y]);
        self.round(b, product)
    }

    fn sum(self, b: &mut Builder, x: Value, y: Value) -> Value {
        let sum = b.add(x, y);
        self.round(b, sum)
    }
}

fn sum(name: &str, products: usize, extra: bool, rounding: Rounding) -> CheckedOperation {
    CheckedOperation {
        name: name.to_owned(),
        operands: vec![Ty::F32; 2 * products + usize::from(extra)],
        result: Ty::F32,
        build: Box::new(move |b, args| {
            let mut sum = rounding.product(b, args[0], args[1]);
            let mut next = 2;
            if extra {
                sum = rounding.sum(b, sum, args[2]);
                next = 3;
            }
            for pair in args[next..].chunks(2) {
                let product = rounding.product(b, pair[0], pair[1]);
                sum = rounding.sum(b, sum, product);
            }
            sum
        }),
    }
}

/// An operation of one or two operands with a rounded result.
fn rounded(
    name: &str,
    operands: usize,
    build: fn(&mut Builder, &[Value]) -> Value,
    rounding: Rounding,
) -> CheckedOperation {
    CheckedOperation {
        name: name.to_owned(),
        operands: vec![Ty::F32; operands],
        result: Ty::F32,
        build: Box::new(move |b, args| {
            let value = build(b, args);
            rounding.round(b, value)
        }),
    }
}

pub(super) fn operations() -> Vec<CheckedOperation> {
    use FUn::{Abs, Cos, Exp2, Floor, Log2, Neg, RoundEven, Sin, Sqrt, Trunc};
    let unary = [Neg, Abs, Sqrt, Floor, Trunc, RoundEven, Exp2, Log2, Sin, Cos];
    let narrow = Narrow::ALL.map(FUn::Narrow);
    let compare = [FCmp::Lt, FCmp::Le, FCmp::Eq];
    let integer =
        [IBin::Add, IBin::Sub, IBin::Mul, IBin::And, IBin::Or, IBin::Xor, IBin::Shl, IBin::ShrU, IBin::ShrS];
    let mut all: Vec<CheckedOperation> =
        unary.into_iter().chain(narrow).map(|op| single(Op::Un(op))).collect();
    all.extend(
        [
            Op::Flush(Flush::Subnormal),
            Op::Flush(Flush::F24),
            Op::Flush(Flush::F24Unsigned),
            Op::Flush(Flush::Sign),
            Op::TruncI,
            Op::ToF,
            Op::Bits,
            Op::FromBits,
            Op::Not,
            Op::Add,
            Op::Sub,
            Op::Mul,
            Op::Div,
            Op::Min,
            Op::Max,
            Op::Mulz,
            Op::MulzInf,
            Op::Fma,
            Op::Sel(Ty::F32),
            Op::Sel(Ty::I32),
            Op::Sel(Ty::Bool),
        ]
        .map(single),
    );
    all.extend(compare.map(|c| single(Op::Cmp(c))));
    all.extend([ICmp::Eq, ICmp::LtS, ICmp::LtU].map(|c| single(Op::ICmp(c))));
    all.extend(integer.map(|o| single(Op::IBin(o))));
    all.extend([BBin::And, BBin::Or, BBin::Xor].map(|o| single(Op::Logic(o))));
    for (suffix, rounding) in [("", Rounding::Plain), (" f24", Rounding::F24), (" flush", Rounding::Flush)] {
        let named = |name: &str| format!("{name}{suffix}");
        let sums = [("Mul+Add", 1, true), ("Dot2", 2, false), ("Dot3", 3, false), ("Dot4", 4, false)];
        let chains = [("Chain2", 2, true), ("Chain3", 3, true)];
        all.extend(
            sums.into_iter()
                .chain(chains)
                .map(|(name, products, extra)| sum(&named(name), products, extra, rounding)),
        );
        if !matches!(rounding, Rounding::Plain) {
            all.push(sum(&named("Mul"), 1, false, rounding));
            all.push(rounded(&named("Add"), 2, |b, a| b.add(a[0], a[1]), rounding));
            all.push(rounded(&named("Sub"), 2, |b, a| b.sub(a[0], a[1]), rounding));
        }
    }
    all.push(rounded("Round f24", 1, |_, a| a[0], Rounding::F24));
    let three = |name: &str, build: fn(&mut Builder, &[Value]) -> Value| CheckedOperation {
        name: name.to_owned(),
        operands: vec![Ty::F32; 3],
        result: Ty::F32,
        build: Box::new(build),
    };
    all.push(three("Mul+Sub", |b, a| {
        let product = b.mul(a[0], a[1]);
        b.sub(product, a[2])
    }));
    all.push(three("Sub+Mul", |b, a| {
        let product = b.mul(a[0], a[1]);
        b.sub(a[2], product)
    }));
    all.push(three("Max+Min", |b, a| {
        let low = b.max(a[0], a[1]);
        b.min(low, a[2])
    }));
    for c in compare {
        all.push(CheckedOperation {
            name: format!("{c:?}+Sel"),
            operands: vec![Ty::F32; 4],
            result: Ty::F32,
            build: Box::new(move |b, a| {
                let holds = b.cmp(c, a[0], a[1]);
                b.sel(holds, a[2], a[3])
            }),
        });
    }
    all
}
