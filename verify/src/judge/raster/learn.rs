//! Measures where a rasteriser differs from binary32 arithmetic, using a table of operations in the language of a subject's translations.
//!
//! Operations are run on ordinary numbers, which every shader must handle correctly, and on special ones: infinities, NaN, subnormal numbers and -0,
//! which the language leaves to the implementation. Twice the difference measured on ordinary numbers becomes the tolerance. If an operation that
//! should be exact gives another result for special numbers, programs get only ordinary numbers, since a tolerance applies to the final results of a
//! program and not to intermediate ones.

use super::spirv::{Stage, term_shader};
use super::term::{Function, Infix, Term};
use crate::judge::connection::{AskError, Connection};
use crate::judge::numbers::{Numbers, Policy};
use crate::judge::subject::{
    Answer, Bits, EntryData, Hex, Language, ProgramData, Question, RunData, ShaderVariable, Translation,
    Vector, Verdict,
};
use lockstep_core::isa::{Interface, IsaId};
use lockstep_core::value::{Concrete, Domain, FUn, same};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// An operation of the shading language.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// The name of the operation in a profile's `operations`.
    pub name: &'static str,
    /// A term of the vectors a, b and c whose value is the same in all components.
    term: Term,
    /// The value expected for the operands, in binary32 arithmetic.
    value: fn([f32; 3]) -> f32,
    /// Whether the operands are in the domain where the language defines the operation.
    defined: fn([f32; 3]) -> bool,
}

const A: Term = Term::Operand(0);
const B: Term = Term::Operand(1);
const C: Term = Term::Operand(2);
const AB: Term = Term::Infix(Infix::Multiply, &A, &B);
const ZERO: Term = Term::Number(0.0);

/// Returns the term that applies a function to operand a.
const fn call(function: Function) -> Term {
    Term::Call(function, &[A])
}

/// The operations that shading languages do not require to be correctly rounded. A profile refers to them by name in `operations`.
pub const OPERATIONS: &[Operation] = &[
    operation("divide", Term::Infix(Infix::Divide, &A, &B), |[a, b, _]| a / b, |[_, b, _]| b != 0.0),
    operation("sqrt", call(Function::Sqrt), |[a, ..]| a.sqrt(), |[a, ..]| a >= 0.0),
    operation("inversesqrt", call(Function::InverseSqrt), |[a, ..]| 1.0 / a.sqrt(), |[a, ..]| a > 0.0),
    operation("exp2", call(Function::Exp2), |[a, ..]| elementary(FUn::Exp2, a), |[a, ..]| a.abs() < 126.0),
    operation("log2", call(Function::Log2), |[a, ..]| elementary(FUn::Log2, a), |[a, ..]| a > 0.0),
    operation(
        "pow",
        Term::Call(Function::Pow, &[A, B]),
        |[a, b, _]| elementary(FUn::Exp2, b * elementary(FUn::Log2, a)),
        |[a, b, _]| a > 0.0 && (b * a.log2()).abs() < 126.0,
    ),
    operation("sin", call(Function::Sin), |[a, ..]| elementary(FUn::Sin, a), |_| true),
    operation("cos", call(Function::Cos), |[a, ..]| elementary(FUn::Cos, a), |_| true),
    operation(
        "normalize",
        Term::Normalize,
        |[a, b, c]| a * (1.0 / (a * a + b * b + c * c).sqrt()),
        |[a, b, c]| (a * a + b * b + c * c) > 0.0,
    ),
    operation("mad", Term::Infix(Infix::Add, &AB, &C), |[a, b, c]| a * b + c, |_| true),
    operation("dot", Term::Dot, |[a, b, c]| a * b + b * c + c * a, |_| true),
    operation("mix", Term::Call(Function::Mix, &[A, B, C]), |[a, b, c]| a + c * (b - a), |_| true),
];

/// The operations that should be exact. If one of them is not, the tolerance of all results is widened.
const EXACT: &[Operation] = &[
    operation("a + b", Term::Infix(Infix::Add, &A, &B), |[a, b, _]| a + b, |_| true),
    operation("a - b", Term::Infix(Infix::Subtract, &A, &B), |[a, b, _]| a - b, |_| true),
    operation("a * b", AB, |[a, b, _]| a * b, |_| true),
    // Expressions that compilers rewrite as if numbers were real.
    operation(
        "a * b + a * c",
        Term::Infix(Infix::Add, &AB, &Term::Infix(Infix::Multiply, &A, &C)),
        |[a, b, c]| a * b + a * c,
        |_| true,
    ),
    operation(
        "a * b + c * b",
        Term::Infix(Infix::Subtract, &AB, &Term::Infix(Infix::Multiply, &C, &Term::Negate(&B))),
        |[a, b, c]| a * b - c * -b,
        |_| true,
    ),
    operation("0 * a", Term::Infix(Infix::Multiply, &ZERO, &A), |[a, ..]| 0.0 * a, |_| true),
    operation("0 - a", Term::Infix(Infix::Subtract, &ZERO, &A), |[a, ..]| 0.0 - a, |_| true),
    operation("min", Term::Call(Function::Min, &[A, B]), |[a, b, _]| if b < a { b } else { a }, |_| true),
    operation("max", Term::Call(Function::Max, &[A, B]), |[a, b, _]| if a < b { b } else { a }, |_| true),
    operation("abs", call(Function::Abs), |[a, ..]| a.abs(), |_| true),
    operation("negate", Term::Negate(&A), |[a, ..]| -a, |_| true),
    operation("floor", call(Function::Floor), |[a, ..]| a.floor(), |_| true),
    operation("fract", call(Function::Fract), |[a, ..]| a - a.floor(), |_| true),
    operation("less", Term::Less, |[a, b, _]| f32::from(u8::from(a < b)), |_| true),
    operation(
        "clamp",
        Term::Call(Function::Clamp, &[A, ZERO, Term::Number(1.0)]),
        |[a, ..]| if a > 0.0 { if a < 1.0 { a } else { 1.0 } } else { 0.0 },
        |_| true,
    ),
];

const fn operation(
    name: &'static str,
    term: Term,
    value: fn([f32; 3]) -> f32,
    defined: fn([f32; 3]) -> bool,
) -> Operation {
    Operation { name, term, value, defined }
}

/// Returns the correctly rounded value of an elementary function.
fn elementary(function: FUn, a: f32) -> f32 {
    Concrete.un(function, &a)
}

/// Ordinary operands.
const ORDINARY: [f32; 20] = [
    0.0,
    1.0,
    -1.0,
    0.5,
    1.5,
    2.0,
    3.0,
    -3.7,
    0.15,
    7.25,
    15.3,
    0.125,
    -0.2,
    9.9,
    0.333_333,
    -0.7,
    1.000_000_1,
    0.999_999_94,
    -11.7,
    2.5,
];
/// Special operands, and extremes of magnitude.
const SPECIAL: [f32; 8] =
    [-0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 1e-40, -1e-45, f32::MIN_POSITIVE, f32::MAX];
/// The maximum difference that is measured in units in the last place; larger differences are measured as absolute differences.
const MAX_ULPS: u32 = 64;

/// The absolute tolerance if the compiler rewrites sums: several units in the last place of a sum of products of ordinary numbers.
const REWRITTEN: f64 = 1e-4;

/// The largest difference that counts as inaccuracy, as a multiple of 1 plus the magnitude of the correct value. A larger tolerance would hide the
/// subject's errors.
const MAX_INACCURACY: f64 = 0.01;

/// The measured accuracy of a rasteriser.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Learned {
    /// The tolerance for operations that should be exact.
    pub base: Numbers,
    /// The tolerance of each of [`OPERATIONS`].
    pub operations: BTreeMap<&'static str, Numbers>,
    /// The operations among [`OPERATIONS`] whose results are wrong rather than inaccurate, each with an example. Opcodes that are translated to one
    /// of these operations cannot be judged.
    pub wrong: BTreeMap<&'static str, String>,
    /// Whether an operation that should be exact gave a wrong result for special numbers, so that programs get only ordinary numbers.
    pub ordinary_only: bool,
}

/// Measures a rasteriser in both stages.
///
/// # Errors
/// Why the rasteriser cannot be measured or used.
pub fn measure_rasteriser(
    rasteriser: &mut dyn Connection,
    isa: IsaId,
    language: Language,
) -> Result<Learned, String> {
    let mut learned = Learned::default();
    let target = (isa, language);
    let table: Vec<(bool, &Operation)> =
        EXACT.iter().map(|one| (true, one)).chain(OPERATIONS.iter().map(|one| (false, one))).collect();
    let ordinary = triples(&ORDINARY, &ORDINARY);
    let others: Vec<[f32; 3]> = triples(&SPECIAL, &ORDINARY)
        .into_iter()
        .chain(triples(&ORDINARY, &SPECIAL))
        .chain(triples(&SPECIAL, &SPECIAL))
        .collect();
    for stage in [Stage::Vertex, Stage::Fragment] {
        for (is_exact, operation) in &table {
            let values = ask(rasteriser, target, stage, operation, &ordinary)?;
            let mut numbers = match measured(operation, &ordinary, &values) {
                Ok(numbers) => numbers,
                Err(example) if *is_exact => return Err(example),
                Err(example) => {
                    learned.wrong.insert(operation.name, example);
                    continue;
                }
            };
            if *is_exact {
                // Rewriting a sum changes its last digits, and a later subtraction can make that change large relative to the result.
                if numbers.ulps > 0 {
                    numbers.absolute = numbers.absolute.max(REWRITTEN);
                }
                learned.base = learned.base.wider(&numbers);
            } else {
                let before = learned.operations.entry(operation.name).or_default();
                *before = before.wider(&numbers);
            }
            if *is_exact && !learned.ordinary_only {
                let values = ask(rasteriser, target, stage, operation, &others)?;
                let differs =
                    |(operands, value): (&[f32; 3], &f32)| !same((operation.value)(*operands), *value);
                learned.ordinary_only = others.iter().zip(&values).any(differs);
            }
        }
    }
    Ok(learned)
}

/// Returns all pairs of operands, each with a third operand that varies.
fn triples(all_a: &[f32], all_b: &[f32]) -> Vec<[f32; 3]> {
    let mut all = Vec::with_capacity(all_a.len() * all_b.len());
    for (i, a) in all_a.iter().enumerate() {
        all.extend(all_b.iter().enumerate().map(|(j, b)| [*a, *b, all_b[(i * 7 + j * 5) % all_b.len()]]));
    }
    all
}

/// Returns the tolerance for an operation: twice the difference of its measured values from the expected ones.
///
/// # Errors
/// An example of a value that is wrong rather than inaccurate.
fn measured(operation: &Operation, operands: &[[f32; 3]], values: &[f32]) -> Result<Numbers, String> {
    let mut numbers = Numbers::default();
    for (operands, value) in
        operands.iter().zip(values).filter(|(operands, _)| (operation.defined)(**operands))
    {
        let expected = (operation.value)(*operands);
        if expected == 0.0 && *value == 0.0 && !same(expected, *value) {
            numbers.zero_sign = Policy::Any;
        }
        if numbers.accept(expected, *value) {
            continue;
        }
        let needed = (1..=MAX_ULPS)
            .find(|ulps| Numbers { ulps: *ulps, ..Numbers::default() }.accept(expected, *value));
        match needed {
            Some(ulps) => numbers.ulps = numbers.ulps.max(2 * ulps),
            None => {
                let difference = (f64::from(expected) - f64::from(*value)).abs();
                let most = MAX_INACCURACY * (1.0 + f64::from(expected).abs());
                // The difference may be infinite or NaN.
                if difference.partial_cmp(&most).is_none_or(Ordering::is_gt) || most.is_infinite() {
                    let name = operation.name;
                    return Err(format!("'{name}' of {operands:?} is {value} instead of {expected}"));
                }
                numbers.absolute = numbers.absolute.max(2.0 * difference);
            }
        }
    }
    Ok(numbers)
}

/// Returns the rasteriser's values of an operation.
fn ask(
    rasteriser: &mut dyn Connection,
    (isa, language): (IsaId, Language),
    stage: Stage,
    operation: &Operation,
    operands: &[[f32; 3]],
) -> Result<Vec<f32>, String> {
    let name = operation.name;
    let translation = shader(language, stage, &operation.term);
    let lane = |operands: &[f32; 3]| -> BTreeMap<String, Vector> {
        REGISTERS
            .iter()
            .zip(operands)
            .map(|(name, value)| ((*name).to_owned(), [Bits::from(*value); 4]))
            .collect()
    };
    let entry = EntryData {
        number: None,
        stage: stage.in_pipeline(),
        version: 0,
        start: 0,
        extra: [0; 4],
        interface: Interface::default(),
        outputs: [("result".to_owned(), "x".to_owned())].into(),
    };
    let stage = stage.name();
    let run = RunData {
        program: ProgramData {
            isa,
            bytes: Hex::default(),
            code: None,
            table: Vec::new(),
            entry: Some(entry),
            opcodes: Vec::new(),
        },
        constants: Vec::new(),
        ints: Vec::new(),
        bools: Vec::new(),
        textures: Vec::new(),
        buffers: Vec::new(),
        lanes: operands.iter().map(lane).collect(),
        initial: Vec::new(),
        finals: BTreeMap::new(),
        translation: Some(translation),
    };
    let answers = rasteriser.ask(&[Question::Run(Box::new(run))]).map_err(|trouble| match trouble {
        AskError::Finding(found) => format!("{name}, {stage}: {}", found.message),
        AskError::Interrupted => "interrupted".to_owned(),
    })?;
    let Some(Answer::Ran(ran)) = answers.first() else {
        return Err(format!("{name}, {stage}: {answers:?}"));
    };
    let value = |lane: &crate::judge::subject::LaneData| {
        lane.outputs.get("result").and_then(|bits| bits[0]).map(Bits::value)
    };
    let values: Option<Vec<f32>> = ran.lanes.iter().map(value).collect();
    values
        .filter(|values| values.len() == operands.len())
        .ok_or_else(|| format!("{name}, {stage}: values are missing"))
}

/// The registers of the operands.
const REGISTERS: [&str; 3] = ["a", "b", "c"];

/// Returns a shader that computes a term.
fn shader(language: Language, stage: Stage, term: &Term) -> Translation {
    let text = || term.text(language);
    let arguments = "@location(0) a: vec4f, @location(1) b: vec4f, @location(2) c: vec4f";
    let (source, inputs, output) = match (language, stage) {
        (Language::Glsl, Stage::Vertex) => {
            let head = "attribute vec4 a;\nattribute vec4 b;\nattribute vec4 c;\nvarying vec4 result;\n";
            let body = format!("gl_Position = a;\n    result = {};", text());
            (format!("#version 120\n{head}void main() {{\n    {body}\n}}\n"), REGISTERS, "result")
        }
        (Language::Glsl, Stage::Fragment) => {
            let head = "varying vec4 a;\nvarying vec4 b;\nvarying vec4 c;\n";
            let body = format!("gl_FragColor = {};", text());
            (format!("#version 120\n{head}void main() {{\n    {body}\n}}\n"), REGISTERS, "gl_FragColor")
        }
        (Language::Wgsl, Stage::Vertex) => {
            let head =
                "struct Out {\n    @builtin(position) position: vec4f,\n    @location(0) result: vec4f,\n}\n";
            let body = format!("return Out(a, {});", text());
            (format!("{head}@vertex fn main({arguments}) -> Out {{\n    {body}\n}}\n"), LOCATIONS, "0")
        }
        (Language::Wgsl, Stage::Fragment) => {
            let body = format!("return {};", text());
            let result = "@location(0) vec4f";
            (format!("@fragment fn main({arguments}) -> {result} {{\n    {body}\n}}\n"), LOCATIONS, "0")
        }
        (Language::Spirv, stage) => {
            let bytes = term_shader(stage, term).into_iter().flat_map(u32::to_le_bytes).collect();
            (Hex(bytes).text(), LOCATIONS, "0")
        }
    };
    let place = |name: &str| ShaderVariable { name: name.to_owned(), components: 4 };
    let inputs = REGISTERS.iter().zip(inputs).map(|(register, name)| ((*register).to_owned(), place(name)));
    Translation {
        verdict: Verdict::Accepted,
        language,
        source,
        inputs: inputs.collect(),
        outputs: [("result".to_owned(), place(output))].into(),
        ..Translation::default()
    }
}

/// The locations of the operands, in languages that identify variables by location.
const LOCATIONS: [&str; 3] = ["0", "1", "2"];

#[cfg(test)]
mod tests {
    use super::*;

    fn by_name(name: &str) -> &'static Operation {
        OPERATIONS.iter().chain(EXACT).find(|one| one.name == name).unwrap()
    }

    #[test]
    fn wrong_values_are_errors_not_inaccuracies() {
        for (name, value) in [("log2", 0.25), ("exp2", f32::INFINITY), ("sin", f32::NAN), ("a + b", -30.0)] {
            let operation = by_name(name);
            let error = measured(operation, &[[2.0, 1.0, 0.0]], &[value]).unwrap_err();
            assert!(
                error.starts_with(&format!("'{name}' of [2.0, 1.0, 0.0] is {value} instead of ")),
                "{error}"
            );
        }
    }

    /// Returns the tolerance measured if `change` is applied to the correct values.
    fn tolerance_of(name: &str, change: fn(f32) -> f32) -> Numbers {
        let operands = triples(&ORDINARY, &ORDINARY);
        let operation = by_name(name);
        let values: Vec<f32> = operands.iter().map(|operands| change((operation.value)(*operands))).collect();
        measured(operation, &operands, &values).unwrap()
    }

    #[test]
    fn exact_values_need_no_tolerance_and_others_twice_their_difference() {
        assert_eq!(tolerance_of("divide", |v| v), Numbers::default());
        let next = |v: f32| if v.is_finite() && v != 0.0 { f32::from_bits(v.to_bits() + 3) } else { v };
        assert_eq!(tolerance_of("divide", next), Numbers { ulps: 6, ..Numbers::default() });
        let far = tolerance_of("log2", |v| v + 0.008);
        assert!(far.absolute >= 0.015 && far.absolute < 0.017, "{far:?}");
        assert_eq!(tolerance_of("a * b", |v| if v == 0.0 { -v } else { v }).zero_sign, Policy::Any);
    }

    #[test]
    fn operands_outside_of_the_domain_are_not_measured() {
        // Values outside of the domain are ignored: a power of zero, the logarithm of a negative number, and a quotient by zero.
        assert_eq!(tolerance_of("pow", |v| if v == 0.0 { 7.0 } else { v }), Numbers::default());
        assert_eq!(tolerance_of("log2", |v| if v.is_nan() { 7.0 } else { v }), Numbers::default());
        assert_eq!(tolerance_of("divide", |v| if v.is_finite() { v } else { 7.0 }), Numbers::default());
    }
}
