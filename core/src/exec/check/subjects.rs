//! The subjects of the check.

use crate::ir::{Builder, Flush, Op, Ty, Value};
use crate::value::{BBin, FCmp, FUn, IBin, ICmp, Narrow};

/// Builds a result from operands.
pub(super) type Build = Box<dyn Fn(&mut Builder, &[Value]) -> Value + Send + Sync>;

/// An operation, or several that one kernel combines.
pub(super) struct Subject {
    pub(super) name: String,
    pub(super) operands: Vec<Ty>,
    pub(super) result: Ty,
    pub(super) build: Build,
}

fn single(op: Op) -> Subject {
    Subject {
        name: format!("{op:?}"),
        operands: op.operands().to_vec(),
        result: op.results().map_or(Ty::F32, |r| r.0),
        build: Box::new(move |b, args| b.op(op, args)),
    }
}

fn sum(name: &str, products: usize, extra: bool) -> Subject {
    Subject {
        name: name.to_owned(),
        operands: vec![Ty::F32; 2 * products + usize::from(extra)],
        result: Ty::F32,
        build: Box::new(move |b, args| {
            let mut sum = b.mul(args[0], args[1]);
            let mut next = 2;
            if extra {
                sum = b.add(sum, args[2]);
                next = 3;
            }
            for pair in args[next..].chunks(2) {
                let product = b.mul(pair[0], pair[1]);
                sum = b.add(sum, product);
            }
            sum
        }),
    }
}

pub(super) fn subjects() -> Vec<Subject> {
    use FUn::{Abs, Cos, Exp2, Floor, Log2, Neg, RoundEven, Sin, Sqrt, Trunc};
    let unary = [Neg, Abs, Sqrt, Floor, Trunc, RoundEven, Exp2, Log2, Sin, Cos];
    let narrow = Narrow::ALL.map(FUn::Narrow);
    let compare = [FCmp::Lt, FCmp::Le, FCmp::Eq];
    let integer =
        [IBin::Add, IBin::Sub, IBin::Mul, IBin::And, IBin::Or, IBin::Xor, IBin::Shl, IBin::ShrU, IBin::ShrS];
    let mut all: Vec<Subject> = unary.into_iter().chain(narrow).map(|op| single(Op::Un(op))).collect();
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
    all.extend([
        sum("Mul+Add", 1, true),
        sum("Dot2", 2, false),
        sum("Dot3", 3, false),
        sum("Dot4", 4, false),
    ]);
    all.extend([sum("Chain2", 2, true), sum("Chain3", 3, true)]);
    let three = |name: &str, build: fn(&mut Builder, &[Value]) -> Value| Subject {
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
        all.push(Subject {
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
