//! The exact meaning of the functions that queries initially leave uninterpreted: definitions in SMT-LIB's theory of floating point.
//!
//! `exp2`, `log2`, `sin` and `cos` stay uninterpreted, as do textures, buffers and constant files.

/// Conversions between words and floats. The theory does not specify the bits of NaN, so they are specified here.
const PREAMBLE: &str = "\
(define-fun of.word ((x (_ BitVec 32))) (_ FloatingPoint 8 24) ((_ to_fp 8 24) x))
(define-fun to.word ((x (_ FloatingPoint 8 24))) (_ BitVec 32) (ite (fp.isNaN x) #x7fc00000 (fp.to_ieee_bv x)))
";

/// A function with its definition.
struct Definition {
    name: &'static str,
    operands: &'static str,
    body: &'static str,
    /// Whether bit-blasting the definition is cheap.
    cheap: bool,
}

const fn unary(name: &'static str, body: &'static str, cheap: bool) -> Definition {
    Definition { name, operands: "(a (_ BitVec 32))", body, cheap }
}

const fn binary(name: &'static str, body: &'static str, cheap: bool) -> Definition {
    Definition { name, operands: "(a (_ BitVec 32)) (b (_ BitVec 32))", body, cheap }
}

const DEFINITIONS: &[Definition] = &[
    binary("f.add", "(to.word (fp.add RNE (of.word a) (of.word b)))", false),
    binary("f.mul", "(to.word (fp.mul RNE (of.word a) (of.word b)))", false),
    binary("f.div", "(to.word (fp.div RNE (of.word a) (of.word b)))", false),
    Definition {
        name: "f.fma",
        operands: "(a (_ BitVec 32)) (b (_ BitVec 32)) (c (_ BitVec 32))",
        body: "(to.word (fp.fma RNE (of.word a) (of.word b) (of.word c)))",
        cheap: false,
    },
    unary("f.sqrt", "(to.word (fp.sqrt RNE (of.word a)))", false),
    unary("f.floor", "(to.word (fp.roundToIntegral RTN (of.word a)))", true),
    unary("f.trunc", "(to.word (fp.roundToIntegral RTZ (of.word a)))", true),
    unary("f.even", "(to.word (fp.roundToIntegral RNE (of.word a)))", true),
    unary("f.narrow.nearest", "(to.word ((_ to_fp 8 24) RNE ((_ to_fp 7 17) RNE (of.word a))))", true),
    // Magnitudes from 2^64 up to infinity become infinity; NaN does not.
    unary(
        "f.narrow.zero",
        "(ite (and (bvuge (bvand a #x7fffffff) #x5f800000) (bvule (bvand a #x7fffffff) #x7f800000)) \
         (bvor (bvand a #x80000000) #x7f800000) (to.word ((_ to_fp 8 24) RNE ((_ to_fp 7 17) RTZ (of.word a)))))",
        true,
    ),
    unary("f.narrow.held", "(to.word ((_ to_fp 8 24) RNE ((_ to_fp 7 17) RTZ (of.word a))))", true),
    unary(
        "f.to_int",
        "(ite (fp.isNaN (of.word a)) #x00000000 \
         (ite (fp.geq (of.word a) (of.word #x4f000000)) #x7fffffff \
         (ite (fp.leq (of.word a) (of.word #xcf000000)) #x80000000 ((_ fp.to_sbv 32) RTZ (of.word a)))))",
        true,
    ),
    unary("f.of_int", "(to.word ((_ to_fp 8 24) RNE a))", true),
];

/// Selects the functions that get their exact meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Rounding and conversions.
    Cheap,
    /// All functions that the theory has.
    All,
}

/// Replaces the declarations of functions in a query by their definitions; `None` if the query declares none of these functions.
pub fn with_exact_functions(query: &str, extent: Extent) -> Option<String> {
    let mut text = query.to_owned();
    let mut any = false;
    for definition in DEFINITIONS.iter().filter(|d| d.cheap || extent == Extent::All) {
        let Some(start) = text.find(&format!("(declare-fun {} ", definition.name)) else { continue };
        let Some(length) = list_length(&text[start..]) else { continue };
        let Definition { name, operands, body, .. } = definition;
        text.replace_range(
            start..start + length,
            &format!("(define-fun {name} ({operands}) (_ BitVec 32) {body})"),
        );
        any = true;
    }
    any.then(|| format!("{PREAMBLE}{text}"))
}

/// Returns the length of the parenthesised list at the beginning of a text.
fn list_length(text: &str) -> Option<usize> {
    let mut open = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' => open += 1,
            ')' if open == 1 => return Some(at + 1),
            ')' => open -= 1,
            _ => {}
        }
    }
    None
}

/// Returns the query that is unsatisfiable if and only if `claim` holds. `claim` is SMT-LIB over words; it may convert words to floats with
/// `of.word`, and floats to words with `to.word`.
pub fn claim(declarations: &str, claim: &str) -> String {
    format!("{PREAMBLE}{declarations}(assert (not {claim}))\n(check-sat)\n")
}
