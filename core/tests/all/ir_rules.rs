//! Every rewrite rule, on boundary values.

use crate::ir_outcome;
use lockstep_core::host::{Environment, LaneInput};
use lockstep_core::ir::eval::Scalar;
use lockstep_core::ir::random::{FLOATS, INTS};
use lockstep_core::ir::rewrite::{EQUIVALENT_MUTANTS, Operand, Rule, RuleSet, Term, rewrite_with, rules};
use lockstep_core::ir::{Builder, Op, Terminator, Ty, Value, VarKey, verify};
use lockstep_core::value::{BBin, Concrete, FCmp, FUn, IBin, same};
use std::collections::BTreeSet;

type Number = Scalar<Concrete>;

fn numbers(ty: Ty) -> Vec<Number> {
    match ty {
        Ty::F32 => FLOATS.iter().map(|&b| Scalar::F(f32::from_bits(b))).collect(),
        Ty::I32 => INTS.iter().map(|&v| Scalar::I(v)).collect(),
        Ty::Bool => vec![Scalar::B(false), Scalar::B(true)],
    }
}

fn equal(a: &Number, b: &Number) -> bool {
    match (a, b) {
        (Scalar::F(a), Scalar::F(b)) => same(*a, *b),
        (Scalar::I(a), Scalar::I(b)) => a == b,
        (Scalar::B(a), Scalar::B(b)) => a == b,
        _ => false,
    }
}

/// Calls `found` with every tuple of boundary values until `found` returns true; returns whether it did.
fn any_tuple(operands: &[Operand], mut found: impl FnMut(&[Number]) -> bool) -> bool {
    let sets: Vec<Vec<Number>> = operands.iter().map(|o| numbers(o.ty)).collect();
    let total: usize = sets.iter().map(Vec::len).product();
    let mut tuple: Vec<Number> = sets.iter().map(|s| s[0].clone()).collect();
    (0..total).any(|mut n| {
        for (slot, set) in tuple.iter_mut().zip(&sets) {
            *slot = set[n % set.len()].clone();
            n /= set.len();
        }
        found(&tuple)
    })
}

/// Returns operands that satisfy the guard but for which the sides differ.
fn refute(rule: &Rule) -> Option<Vec<Number>> {
    let mut witness = None;
    any_tuple(&rule.operands, |tuple| {
        let wrong = rule.guard.eval(&Concrete, tuple)
            && !equal(&rule.lhs.eval(&Concrete, tuple), &rule.rhs.eval(&Concrete, tuple));
        if wrong {
            witness = Some(tuple.to_vec());
        }
        wrong
    });
    witness
}

fn mentioned(term: &Term, found: &mut BTreeSet<u8>) {
    match term {
        Term::Operand(k) => drop(found.insert(*k)),
        Term::Op(_, args) => args.iter().for_each(|a| mentioned(a, found)),
    }
}

#[test]
fn rules_are_well_formed_and_make_terms_cheaper() {
    let names: BTreeSet<&str> = rules().iter().map(|r| r.name.as_str()).collect();
    assert_eq!(names.len(), rules().len(), "names are unique");
    for rule in rules() {
        let name = &rule.name;
        assert!(rule.operands.len() <= 3, "{name}");
        assert!(rule.lhs.is_typed(&rule.operands) && rule.rhs.is_typed(&rule.operands), "{name}");
        assert_eq!(rule.lhs.ty(&rule.operands), rule.rhs.ty(&rule.operands), "{name}");
        let mut left = BTreeSet::new();
        mentioned(&rule.lhs, &mut left);
        assert_eq!(
            left.into_iter().collect::<Vec<u8>>(),
            (0..rule.operands.len() as u8).collect::<Vec<u8>>(),
            "{name}"
        );
        if let Some(guard) = &rule.guard.term {
            assert!(guard.is_typed(&rule.operands) && guard.ty(&rule.operands) == Ty::Bool, "{name}");
            let mut used = BTreeSet::new();
            mentioned(guard, &mut used);
            assert!(
                used.iter().all(|k| rule.operands[usize::from(*k)].literal),
                "{name}: guards use literals only"
            );
        }
        let (left, right) = (rule.lhs.cost(&rule.operands), rule.rhs.cost(&rule.operands));
        assert!(if rule.ordering { left == right } else { left > right }, "{name}: {left} to {right}");
    }
}

#[test]
fn rules_hold_on_boundary_values_and_guards_are_satisfiable() {
    for rule in rules() {
        assert!(refute(rule).is_none(), "{}: {:?}", rule.name, refute(rule));
        assert!(any_tuple(&rule.operands, |t| rule.guard.eval(&Concrete, t)), "{}", rule.name);
    }
}

fn un(op: FUn, a: Term) -> Term {
    Term::Op(Op::Un(op), vec![a])
}
fn op<const N: usize>(op: Op, args: [Term; N]) -> Term {
    Term::Op(op, args.into())
}
fn f(v: f32) -> Term {
    op(Op::F32(v.to_bits()), [])
}
const X: Term = Term::Operand(0);
const Y: Term = Term::Operand(1);
const Z: Term = Term::Operand(2);

/// Returns wrong rules. Most of them hold for real numbers, or for a different definition of minimum.
fn false_rules() -> Vec<Rule> {
    use Op::{Add, Fma, Max, Min, Mul, Mulz, Sub};
    let lt = |a, b| op(Op::Cmp(FCmp::Lt), [a, b]);
    let le = |a, b| op(Op::Cmp(FCmp::Le), [a, b]);
    let sel = |c, a, b| op(Op::Sel(Ty::F32), [c, a, b]);
    let neg = |a| un(FUn::Neg, a);
    let (one, zero) = (|| f(1.0), || f(0.0));
    let one_operand = [
        ("add zero", op(Add, [X, zero()]), X),
        ("zero sub", op(Sub, [zero(), X]), neg(X)),
        ("mul zero", op(Mul, [X, zero()]), zero()),
        ("sub self", op(Sub, [X, X]), zero()),
        ("div self", op(Op::Div, [X, X]), one()),
        ("max neg is abs", op(Max, [X, neg(X)]), un(FUn::Abs, X)),
        ("saturation orders", op(Min, [op(Max, [X, zero()]), one()]), op(Max, [op(Min, [X, one()]), zero()])),
        ("max zero commutes", op(Max, [X, zero()]), op(Max, [zero(), X])),
        ("mulz one", op(Mulz, [X, one()]), X),
        ("eq self", op(Op::Cmp(FCmp::Eq), [X, X]), op(Op::Bool(true), [])),
        ("square is not negative", op(Max, [op(Mul, [X, X]), zero()]), op(Mul, [X, X])),
        ("abs sqrt", un(FUn::Abs, un(FUn::Sqrt, X)), un(FUn::Sqrt, X)),
        ("trunc to integer and back", op(Op::ToF, [op(Op::TruncI, [X])]), un(FUn::Trunc, X)),
    ];
    let two_operands = [
        ("min commutes", op(Min, [X, Y]), op(Min, [Y, X])),
        ("max commutes", op(Max, [X, Y]), op(Max, [Y, X])),
        ("min the other way", op(Min, [X, Y]), sel(lt(Y, X), Y, X)),
        ("min avoids NaN", op(Min, [X, Y]), sel(op(Op::Cmp(FCmp::Eq), [Y, Y]), op(Min, [X, Y]), X)),
        ("sge by slt", sel(le(Y, X), one(), zero()), op(Sub, [one(), sel(lt(X, Y), one(), zero())])),
        ("neg of sum", neg(op(Add, [X, Y])), op(Add, [neg(X), neg(Y)])),
        ("neg of difference", neg(op(Sub, [X, Y])), op(Sub, [Y, X])),
        ("not lt is ge", op(Op::Not, [lt(X, Y)]), le(Y, X)),
        ("div by reciprocal", op(Op::Div, [X, Y]), op(Mul, [X, op(Op::Div, [one(), Y])])),
        (
            "sum of square roots",
            op(Mul, [un(FUn::Sqrt, X), un(FUn::Sqrt, Y)]),
            un(FUn::Sqrt, op(Mul, [X, Y])),
        ),
        ("mulz is mul", op(Mulz, [X, Y]), op(Mul, [X, Y])),
    ];
    let three_operands = [
        ("cmp swapped", sel(le(zero(), X), Y, Z), sel(lt(X, zero()), Z, Y)),
        ("mad is fma", op(Add, [op(Mul, [X, Y]), Z]), op(Fma, [X, Y, Z])),
        ("add reassociates", op(Add, [op(Add, [X, Y]), Z]), op(Add, [X, op(Add, [Y, Z])])),
        ("mul reassociates", op(Mul, [op(Mul, [X, Y]), Z]), op(Mul, [X, op(Mul, [Y, Z])])),
        ("mul distributes", op(Mul, [X, op(Add, [Y, Z])]), op(Add, [op(Mul, [X, Y]), op(Mul, [X, Z])])),
        (
            "two forms of lrp",
            op(Add, [op(Mul, [X, op(Sub, [Y, Z])]), Z]),
            op(Add, [op(Mul, [X, Y]), op(Mul, [op(Sub, [one(), X]), Z])]),
        ),
        ("min of min", op(Min, [op(Min, [X, Y]), Z]), op(Min, [X, op(Min, [Y, Z])])),
    ];
    let why = "does not hold";
    let mut all = vec![
        Rule::new("bits of from_bits", why, [Ty::I32], op(Op::Bits, [op(Op::FromBits, [X])]), X),
        Rule::new(
            "shift right is division",
            why,
            [Ty::I32],
            op(Op::IBin(IBin::ShrS), [X, i(1)]),
            op(Op::IBin(IBin::ShrU), [X, i(1)]),
        ),
        Rule::new("to_f and back", why, [Ty::I32], op(Op::TruncI, [op(Op::ToF, [X])]), X),
        Rule::new(
            "xor is or",
            why,
            [Ty::Bool; 2],
            op(Op::Logic(BBin::Xor), [X, Y]),
            op(Op::Logic(BBin::Or), [X, Y]),
        ),
    ];
    all.extend(one_operand.map(|(name, lhs, rhs)| Rule::new(name, why, [Ty::F32], lhs, rhs)));
    all.extend(two_operands.map(|(name, lhs, rhs)| Rule::new(name, why, [Ty::F32; 2], lhs, rhs)));
    all.extend(three_operands.map(|(name, lhs, rhs)| Rule::new(name, why, [Ty::F32; 3], lhs, rhs)));
    all
}

fn i(v: i32) -> Term {
    op(Op::I32(v), [])
}

#[test]
fn false_rules_are_refuted() {
    for rule in false_rules() {
        assert!(rule.lhs.is_typed(&rule.operands) && rule.rhs.is_typed(&rule.operands), "{}", rule.name);
        assert!(refute(&rule).is_some(), "{} was not refuted", rule.name);
    }
}

#[test]
fn mutants_are_refuted_or_excused() {
    let mut total = 0;
    let mut unexcused = Vec::new();
    let mut excused = BTreeSet::new();
    for rule in rules() {
        let mutants = rule.mutants();
        assert!(!mutants.is_empty(), "{}", rule.name);
        for (what, mutant) in mutants {
            total += 1;
            assert!(mutant.rhs.is_typed(&mutant.operands), "{}: {what}", rule.name);
            if refute(&mutant).is_some() {
                continue;
            }
            match EQUIVALENT_MUTANTS.iter().position(|(name, slip, _)| *name == rule.name && *slip == what) {
                Some(at) => drop(excused.insert(at)),
                None => unexcused.push((rule.name.clone(), what)),
            }
        }
    }
    assert!(unexcused.is_empty(), "{unexcused:#?}");
    assert_eq!(excused.len(), EQUIVALENT_MUTANTS.len(), "an exemption without a mutant");
    assert!(total > rules().len() * 2, "{total} mutants");
}

/// Returns a program whose only output depends on the left side of `rule`, with operands from outside the program
/// except literals.
fn program_of(rule: &Rule) -> lockstep_core::ir::Program {
    let mut literals = None;
    any_tuple(&rule.operands, |t| {
        // Distinct literals, so that rules about a single literal do not apply first.
        let distinct = match t {
            [_, Scalar::F(y), Scalar::F(z)] => *y != *z && *y != 0.0 && *z != 0.0,
            [_, Scalar::I(y), Scalar::I(z)] => *y != *z && *y != 0 && *z != 0,
            [_, Scalar::I(y)] => *y != 0,
            _ => true,
        };
        let special = matches!(t, [.., Scalar::F(y)] if y.abs() == 1.0);
        let found = distinct && !special && rule.guard.eval(&Concrete, t);
        if found {
            literals = Some(t.to_vec());
        }
        found
    });
    let literals = literals.unwrap();
    let mut b = Builder::new(1);
    let mut operands = vec![Value(0); rule.operands.len()];
    // Highest first, so that operands are in the wrong order for rules that order them.
    for (k, operand) in rule.operands.iter().enumerate().rev() {
        let op = match (operand.literal, operand.ty, &literals[k]) {
            (true, _, Scalar::F(v)) => Op::F32(v.to_bits()),
            (true, _, Scalar::I(v)) => Op::I32(*v),
            (true, _, Scalar::B(v)) => Op::Bool(*v),
            (false, Ty::F32, _) => Op::Input(k as u16),
            (false, Ty::I32, _) => Op::IntUniform(k as u16),
            (false, Ty::Bool, _) => Op::BoolUniform(k as u16),
        };
        operands[k] = b.op(op, &[]);
    }
    let value = emit(&mut b, &rule.lhs, &operands);
    let value = match rule.lhs.ty(&rule.operands) {
        Ty::F32 => value,
        Ty::I32 => b.op(Op::FromBits, &[value]),
        Ty::Bool => {
            let (yes, no) = (b.op(Op::Input(7), &[]), b.op(Op::Input(6), &[]));
            b.sel(value, yes, no)
        }
    };
    let var = b.var(VarKey { file: 0, index: 0, component: 0 }, Ty::F32, 0);
    b.write(var, value);
    b.output(0, var);
    let block = b.end_block(0, Terminator::Return);
    b.finish(block)
}

fn emit(b: &mut Builder, term: &Term, operands: &[Value]) -> Value {
    match term {
        Term::Operand(k) => operands[usize::from(*k)],
        Term::Op(op, args) => {
            let args: Vec<Value> = args.iter().map(|a| emit(b, a, operands)).collect();
            b.op(*op, &args)
        }
    }
}

#[test]
fn every_rule_fires_and_can_be_switched_off() {
    for (n, rule) in rules().iter().enumerate() {
        let program = program_of(rule);
        verify(&program).unwrap();
        let (after, stats) = rewrite_with(&program, RuleSet::all());
        verify(&after).unwrap();
        assert!(stats.fired[n] >= 1, "{} did not fire in\n{program}\n{after}", rule.name);
        let (_, stats) = rewrite_with(&program, &RuleSet::without(&[&rule.name]));
        assert_eq!(stats.fired[n], 0, "{}", rule.name);
    }
}

#[test]
fn a_false_rule_changes_some_program() {
    let minus_zero = LaneInput { slots: vec![[-0.0; 4]; 2] };
    let environment = Environment { lanes: vec![minus_zero; 4], ..Environment::default() };
    let rule = || Rule::new("add zero", "does not hold", [Ty::F32], op(Op::Add, [X, f(0.0)]), X);
    let program = program_of(&rule());
    let (wrong, stats) = rewrite_with(&program, &RuleSet::of(vec![rule()]));
    assert_eq!(stats.fired, [1]);
    assert_ne!(ir_outcome::outcome(&program, &environment), ir_outcome::outcome(&wrong, &environment));
    let (right, _) = rewrite_with(&program, RuleSet::all());
    assert_eq!(ir_outcome::outcome(&program, &environment), ir_outcome::outcome(&right, &environment));
}

#[test]
fn a_cyclic_rule_set_terminates() {
    let rule = Rule::new(
        "grow",
        "does not end",
        [Ty::F32],
        un(FUn::Neg, X),
        un(FUn::Neg, un(FUn::Abs, un(FUn::Neg, X))),
    );
    let program = program_of(&rule);
    let (after, _) = rewrite_with(&program, &RuleSet::of(vec![rule]));
    verify(&after).unwrap();
}
