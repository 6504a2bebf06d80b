//! Goals as SMT-LIB: the text that the solver is given, that the cache is keyed by, and that any other solver can read.
//!
//! Floats are `Float32` with its single NaN; equality is `=`, which distinguishes +0 from -0. `exp2`, `log2`, `sin` and `cos` are
//! uninterpreted. `fp.min` and `fp.max` are never used: they leave the sign of zero open.

use crate::goal::Goal;
use crate::sabotage::{self, Sabotage};
use crate::term::{Node, Term, Ty, axiom};
use lockstep_core::value::{BBin, FBin, FCmp, FUn, IBin, ICmp, Narrow};
use std::fmt::Write;

/// Returns the name of a symbol in the query.
pub fn symbol(number: u32) -> String {
    format!("s{number}")
}

fn sort(ty: Ty) -> &'static str {
    match ty {
        Ty::F => "Float32",
        Ty::I => "(_ BitVec 32)",
        Ty::B => "Bool",
    }
}

/// Returns the text of a literal with these bits.
pub fn literal(ty: Ty, bits: u32) -> String {
    match ty {
        Ty::F if f32::from_bits(bits).is_nan() => "(_ NaN 8 24)".to_owned(),
        Ty::F => format!("(fp #b{:b} #b{:08b} #b{:023b})", bits >> 31, bits >> 23 & 0xff, bits & 0x7f_ffff),
        Ty::I => format!("#x{bits:08x}"),
        Ty::B => (bits != 0).to_string(),
    }
}

/// Returns the name of a function that is uninterpreted for the solver; `None` for others.
fn elementary(op: FUn) -> Option<&'static str> {
    Some(match op {
        FUn::Exp2 => "exp2",
        FUn::Log2 => "log2",
        FUn::Sin => "sin",
        FUn::Cos => "cos",
        _ => return None,
    })
}

/// Returns the query for a goal: its negation, which is unsatisfiable exactly if the goal holds for all choices of the uninterpreted functions that
/// satisfy the axioms.
pub fn query(goal: &Goal) -> String {
    debug_assert!(!goal.paths.is_empty(), "`or` takes at least one operand");
    let mut text = String::new();
    declare(&mut text, goal);
    match goal.paths.as_slice() {
        [only] => {
            for condition in only {
                let _ = writeln!(text, "(assert {})", condition_text(goal, *condition));
            }
        }
        several => {
            let lost = usize::from(sabotage::is(Sabotage::QueryPathLost));
            let any: Vec<String> = several.iter().skip(lost).map(|path| path_condition(goal, path)).collect();
            let _ = writeln!(text, "(assert (or {}))", any.join(" "));
        }
    }
    let (left, right) = (name(goal, goal.left), name(goal, goal.right));
    let _ = if sabotage::is(Sabotage::NegationLost) {
        writeln!(text, "(assert (= {left} {right}))")
    } else {
        writeln!(text, "(assert (not (= {left} {right})))")
    };
    text
}

/// Returns the text of a condition that has this truth value.
fn condition_text(goal: &Goal, (term, holds): (Term, bool)) -> String {
    let name = name(goal, term);
    if holds { name } else { format!("(not {name})") }
}

/// Returns the text of the condition that a path is taken.
fn path_condition(goal: &Goal, path: &[(Term, bool)]) -> String {
    match path {
        [] => "true".to_owned(),
        [only] => condition_text(goal, *only),
        several => {
            let all: Vec<String> = several.iter().map(|c| condition_text(goal, *c)).collect();
            format!("(and {})", all.join(" "))
        }
    }
}

fn declare(text: &mut String, goal: &Goal) {
    for (number, s) in goal.symbols.iter().enumerate() {
        let operands: Vec<&str> = s.operands.iter().map(|ty| sort(*ty)).collect();
        let _ =
            writeln!(text, "(declare-fun {} ({}) {})", symbol(number as u32), operands.join(" "), sort(s.ty));
    }
    for op in [FUn::Exp2, FUn::Log2, FUn::Sin, FUn::Cos] {
        if goal.nodes.iter().any(|n| matches!(n, Node::Un(o, _) if *o == op)) {
            let _ = writeln!(text, "(declare-fun {} (Float32) Float32)", elementary(op).unwrap_or_default());
        }
    }
    for (number, node) in goal.nodes.iter().enumerate() {
        if !is_inline(node) {
            let _ = writeln!(text, "(define-fun t{number} () {} {})", sort(node.ty()), operation(goal, node));
        }
        // The axioms of the uninterpreted functions, instantiated for this term.
        if let Node::Un(op, _) = node {
            for says in axiom::assertions(*op, &format!("t{number}")) {
                let _ = writeln!(text, "(assert {says})");
            }
        }
    }
}

/// Whether a term is written inline at every use.
fn is_inline(node: &Node) -> bool {
    matches!(node, Node::LitF(_) | Node::LitI(_) | Node::LitB(_) | Node::Unknown(..))
}

fn name(goal: &Goal, term: Term) -> String {
    match goal.node(term) {
        Node::Unknown(_, f) => symbol(f.0),
        node => match node.literal() {
            Some(bits) => literal(node.ty(), bits),
            None => format!("t{}", term.0),
        },
    }
}

fn operation(goal: &Goal, node: &Node) -> String {
    let n = |t: &Term| name(goal, *t);
    match node {
        Node::LitF(_) | Node::LitI(_) | Node::LitB(_) | Node::Unknown(..) => String::new(),
        Node::Apply(_, f, args) => {
            let args: Vec<String> = args.iter().map(n).collect();
            format!("({} {})", symbol(f.0), args.join(" "))
        }
        Node::Un(op, a) => unary(*op, &n(a)),
        Node::Bin(op, a, b) => {
            let op = match op {
                FBin::Add => "fp.add",
                FBin::Mul => "fp.mul",
                FBin::Div => "fp.div",
            };
            format!("({op} RNE {} {})", n(a), n(b))
        }
        Node::Fma(a, b, c) => format!("(fp.fma RNE {} {} {})", n(a), n(b), n(c)),
        Node::Cmp(op, a, b) => {
            let op = match op {
                FCmp::Lt => "fp.lt",
                FCmp::Le => "fp.leq",
                FCmp::Eq => "fp.eq",
            };
            format!("({op} {} {})", n(a), n(b))
        }
        Node::IBin(op, a, b) => integer(*op, &n(a), &n(b)),
        Node::ICmp(op, a, b) => {
            let op = match op {
                ICmp::Eq => "=",
                ICmp::LtS => "bvslt",
                ICmp::LtU => "bvult",
            };
            format!("({op} {} {})", n(a), n(b))
        }
        Node::Logic(op, a, b) => {
            let op = match op {
                BBin::And => "and",
                BBin::Or => "or",
                BBin::Xor => "xor",
            };
            format!("({op} {} {})", n(a), n(b))
        }
        Node::Not(a) => format!("(not {})", n(a)),
        Node::TruncI(a) => {
            let a = n(a);
            let (high, low) = (literal(Ty::F, 0x4f00_0000), literal(Ty::F, 0xcf00_0000)); // 2^31 and -2^31
            format!(
                "(ite (fp.isNaN {a}) #x00000000 (ite (fp.geq {a} {high}) #x7fffffff \
                 (ite (fp.leq {a} {low}) #x80000000 ((_ fp.to_sbv 32) RTZ {a}))))"
            )
        }
        Node::ToF(a) => format!("((_ to_fp 8 24) RNE {})", n(a)),
        // The theory leaves the bits of NaN open, so they are fixed here.
        Node::Bits(a) => format!("(ite (fp.isNaN {0}) #x7fc00000 (fp.to_ieee_bv {0}))", n(a)),
        Node::FromBits(a) => format!("((_ to_fp 8 24) {})", n(a)),
        Node::Sel(_, c, a, b) => format!("(ite {} {} {})", n(c), n(a), n(b)),
    }
}

fn unary(op: FUn, a: &str) -> String {
    match op {
        FUn::Neg => format!("(fp.neg {a})"),
        FUn::Abs => format!("(fp.abs {a})"),
        FUn::Sqrt => format!("(fp.sqrt RNE {a})"),
        FUn::Floor => format!("(fp.roundToIntegral RTN {a})"),
        FUn::Trunc => format!("(fp.roundToIntegral RTZ {a})"),
        FUn::RoundEven => format!("(fp.roundToIntegral RNE {a})"),
        FUn::Narrow(Narrow::F24Nearest) => format!("((_ to_fp 8 24) RNE ((_ to_fp 7 17) RNE {a}))"),
        // The theory rounds an overflow toward zero to the largest number; here it becomes infinity.
        FUn::Narrow(Narrow::F24Zero) => format!(
            "(let ((x {a})) (ite (fp.geq (fp.abs x) ((_ to_fp 8 24) #x5f800000)) (ite (fp.isNegative x) (_ -oo 8 24) (_ +oo 8 24)) \
             ((_ to_fp 8 24) RNE ((_ to_fp 7 17) RTZ x))))"
        ),
        FUn::Narrow(Narrow::F24ZeroSaturate) => format!("((_ to_fp 8 24) RNE ((_ to_fp 7 17) RTZ {a}))"),
        FUn::Exp2 | FUn::Log2 | FUn::Sin | FUn::Cos => {
            format!("({} {a})", elementary(op).unwrap_or_default())
        }
    }
}

fn integer(op: IBin, a: &str, b: &str) -> String {
    let shift = |name: &str| format!("({name} {a} (bvand {b} #x0000001f))");
    let plain = |name: &str| format!("({name} {a} {b})");
    match op {
        IBin::Add => plain("bvadd"),
        IBin::Sub => plain("bvsub"),
        IBin::Mul => plain("bvmul"),
        IBin::And => plain("bvand"),
        IBin::Or => plain("bvor"),
        IBin::Xor => plain("bvxor"),
        IBin::Shl => shift("bvshl"),
        IBin::ShrU => shift("bvlshr"),
        IBin::ShrS => shift("bvashr"),
    }
}
