//! Measures where a rasteriser differs from binary32 arithmetic, using a table of operations of its shading language.
//!
//! Operations are run on ordinary numbers, which every shader must handle correctly, and on special ones: infinities, NaN, subnormal numbers and -0,
//! which the language leaves to the implementation. Twice the difference measured on ordinary numbers becomes the tolerance. If the result for a
//! special number differs, programs get only ordinary numbers, since a tolerance applies to the final results of a program and not to intermediate
//! ones.

use crate::judge::connection::{AskError, Connection};
use crate::judge::numbers::{Numbers, Policy};
use crate::judge::subject::{
    Answer, Bits, EntryData, Hex, ProgramData, Question, RunData, ShaderVariable, Translation, Vector,
    Verdict,
};
use lockstep_core::isa::{Interface, IsaId};
use lockstep_core::value::{Concrete, Domain, FUn, same};
use std::collections::BTreeMap;

/// An operation of the shading language.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// The name of the operation in a profile's `operations`.
    pub name: &'static str,
    /// An expression of the vectors a, b and c whose value is the same in all components.
    expression: &'static str,
    /// The correct value for the operands.
    value: fn([f32; 3]) -> f32,
    /// Whether the operands are in the domain where the language defines the operation.
    defined: fn([f32; 3]) -> bool,
}

/// The operations for which the language does not specify the accuracy. A profile's `operations` names them.
pub const OPERATIONS: &[Operation] = &[
    operation("divide", "a / b", |[a, b, _]| a / b, |[_, b, _]| b != 0.0),
    operation("sqrt", "sqrt(a)", |[a, ..]| a.sqrt(), |[a, ..]| a >= 0.0),
    operation("inversesqrt", "inversesqrt(a)", |[a, ..]| 1.0 / a.sqrt(), |[a, ..]| a > 0.0),
    operation("exp2", "exp2(a)", |[a, ..]| elementary(FUn::Exp2, a), |[a, ..]| a.abs() < 126.0),
    operation("log2", "log2(a)", |[a, ..]| elementary(FUn::Log2, a), |[a, ..]| a > 0.0),
    operation(
        "pow",
        "pow(a, b)",
        |[a, b, _]| elementary(FUn::Exp2, b * elementary(FUn::Log2, a)),
        |[a, b, _]| a > 0.0 && (b * a.log2()).abs() < 126.0,
    ),
    operation("sin", "sin(a)", |[a, ..]| elementary(FUn::Sin, a), |_| true),
    operation("cos", "cos(a)", |[a, ..]| elementary(FUn::Cos, a), |_| true),
    operation(
        "normalize",
        "vec4(normalize(vec3(a.x, b.x, c.x)).x)",
        |[a, b, c]| a * (1.0 / (a * a + b * b + c * c).sqrt()),
        |[a, b, c]| (a * a + b * b + c * c) > 0.0,
    ),
    operation("mad", "a * b + c", |[a, b, c]| a * b + c, |_| true),
    operation(
        "dot",
        "vec4(dot(vec3(a.x, b.x, c.x), vec3(b.x, c.x, a.x)))",
        |[a, b, c]| a * b + b * c + c * a,
        |_| true,
    ),
    operation("mix", "mix(a, b, c)", |[a, b, c]| a + c * (b - a), |_| true),
];

/// The operations that should be exact. If one of them is not, the tolerance of all results is widened.
const EXACT: &[Operation] = &[
    operation("a + b", "a + b", |[a, b, _]| a + b, |_| true),
    operation("a - b", "a - b", |[a, b, _]| a - b, |_| true),
    operation("a * b", "a * b", |[a, b, _]| a * b, |_| true),
    // Expressions that compilers rewrite as if numbers were real.
    operation("a * b + a * c", "a * b + a * c", |[a, b, c]| a * b + a * c, |_| true),
    operation("a * b + c * b", "a * b - c * -b", |[a, b, c]| a * b - c * -b, |_| true),
    operation("0 * a", "0.0 * a", |[a, ..]| 0.0 * a, |_| true),
    operation("0 - a", "0.0 - a", |[a, ..]| 0.0 - a, |_| true),
    operation("min", "min(a, b)", |[a, b, _]| if b < a { b } else { a }, |_| true),
    operation("max", "max(a, b)", |[a, b, _]| if a < b { b } else { a }, |_| true),
    operation("abs", "abs(a)", |[a, ..]| a.abs(), |_| true),
    operation("negate", "-a", |[a, ..]| -a, |_| true),
    operation("floor", "floor(a)", |[a, ..]| a.floor(), |_| true),
    operation("fract", "fract(a)", |[a, ..]| a - a.floor(), |_| true),
    operation("less", "vec4(lessThan(a, b))", |[a, b, _]| f32::from(u8::from(a < b)), |_| true),
    operation(
        "clamp",
        "clamp(a, 0.0, 1.0)",
        |[a, ..]| if a > 0.0 { if a < 1.0 { a } else { 1.0 } } else { 0.0 },
        |_| true,
    ),
];

const fn operation(
    name: &'static str,
    expression: &'static str,
    value: fn([f32; 3]) -> f32,
    defined: fn([f32; 3]) -> bool,
) -> Operation {
    Operation { name, expression, value, defined }
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
const OTHERS: [f32; 8] =
    [-0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 1e-40, -1e-45, f32::MIN_POSITIVE, f32::MAX];
/// The maximum difference that is measured in units in the last place; larger differences are measured as absolute.
const MAX_ULPS: u32 = 64;

/// The absolute tolerance if the compiler rewrites sums: units in the last place of a sum of products of ordinary numbers.
const REWRITTEN: f64 = 1e-4;

/// The measured accuracy of a rasteriser.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Learned {
    /// The tolerance for operations that should be exact.
    pub base: Numbers,
    /// The tolerance of each of [`OPERATIONS`].
    pub operations: BTreeMap<&'static str, Numbers>,
    /// Whether operations on numbers that are not ordinary gave different results.
    pub ordinary_only: bool,
}

/// Measures a rasteriser in both stages.
///
/// # Errors
/// Why the rasteriser cannot be measured.
pub fn learn(rasteriser: &mut dyn Connection, isa: IsaId) -> Result<Learned, String> {
    let mut learned = Learned::default();
    let table: Vec<(bool, &Operation)> =
        EXACT.iter().map(|one| (true, one)).chain(OPERATIONS.iter().map(|one| (false, one))).collect();
    let ordinary = triples(&ORDINARY, &ORDINARY);
    let others: Vec<[f32; 3]> = triples(&OTHERS, &ORDINARY)
        .into_iter()
        .chain(triples(&ORDINARY, &OTHERS))
        .chain(triples(&OTHERS, &OTHERS))
        .collect();
    for stage in ["vertex", "fragment"] {
        for (is_exact, operation) in &table {
            let values = ask(rasteriser, isa, stage, operation, &ordinary)?;
            let mut numbers = measured(operation, &ordinary, &values);
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
                let values = ask(rasteriser, isa, stage, operation, &others)?;
                let differs =
                    |(operands, value): (&[f32; 3], &f32)| !same((operation.value)(*operands), *value);
                learned.ordinary_only = others.iter().zip(&values).any(differs);
            }
        }
    }
    Ok(learned)
}

/// Returns all pairs of operands, each with a third operand that varies.
fn triples(first: &[f32], second: &[f32]) -> Vec<[f32; 3]> {
    let mut all = Vec::with_capacity(first.len() * second.len());
    for (i, a) in first.iter().enumerate() {
        all.extend(second.iter().enumerate().map(|(j, b)| [*a, *b, second[(i * 7 + j * 5) % second.len()]]));
    }
    all
}

/// Returns the tolerance that an operation's measured values need.
fn measured(operation: &Operation, operands: &[[f32; 3]], values: &[f32]) -> Numbers {
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
                // The difference is not finite only if the value is entirely wrong, which a tolerance would hide.
                if difference.is_finite() {
                    numbers.absolute = numbers.absolute.max(2.0 * difference);
                }
            }
        }
    }
    numbers
}

/// Returns the rasteriser's values of an operation.
fn ask(
    rasteriser: &mut dyn Connection,
    isa: IsaId,
    stage: &str,
    operation: &Operation,
    operands: &[[f32; 3]],
) -> Result<Vec<f32>, String> {
    let Operation { name, expression, .. } = operation;
    let (source, output) = match stage {
        "vertex" => {
            let body = format!("gl_Position = a;\n    result = {expression};");
            let head = "attribute vec4 a;\nattribute vec4 b;\nattribute vec4 c;\nvarying vec4 result;\n";
            (format!("#version 120\n{head}void main() {{\n    {body}\n}}\n"), "result")
        }
        _ => {
            let head = "varying vec4 a;\nvarying vec4 b;\nvarying vec4 c;\n";
            (
                format!("#version 120\n{head}void main() {{\n    gl_FragColor = {expression};\n}}\n"),
                "gl_FragColor",
            )
        }
    };
    let place = |name: &str| ShaderVariable { name: name.to_owned(), components: 4 };
    let names = ["a", "b", "c"];
    let translation = Translation {
        verdict: Verdict::Accepted,
        language: "glsl".to_owned(),
        source,
        inputs: names.map(|name| (name.to_owned(), place(name))).into(),
        outputs: [("result".to_owned(), place(output))].into(),
        ..Translation::default()
    };
    let lane = |operands: &[f32; 3]| -> BTreeMap<String, Vector> {
        names
            .iter()
            .zip(operands)
            .map(|(name, value)| ((*name).to_owned(), [Bits::from(*value); 4]))
            .collect()
    };
    let entry = EntryData {
        number: None,
        stage: stage.to_owned(),
        version: 0,
        start: 0,
        extra: [0; 4],
        interface: Interface::default(),
        outputs: [("result".to_owned(), "x".to_owned())].into(),
    };
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

#[cfg(test)]
mod tests {
    use super::*;

    fn by_name(name: &str) -> &'static Operation {
        OPERATIONS.iter().chain(EXACT).find(|one| one.name == name).unwrap()
    }

    /// Returns the tolerance measured if `change` is applied to the correct values.
    fn of(name: &str, change: fn(f32) -> f32) -> Numbers {
        let operands = triples(&ORDINARY, &ORDINARY);
        let operation = by_name(name);
        let values: Vec<f32> = operands.iter().map(|operands| change((operation.value)(*operands))).collect();
        measured(operation, &operands, &values)
    }

    #[test]
    fn exact_values_need_no_tolerance_and_others_twice_their_difference() {
        assert_eq!(of("divide", |v| v), Numbers::default());
        let next = |v: f32| if v.is_finite() && v != 0.0 { f32::from_bits(v.to_bits() + 3) } else { v };
        assert_eq!(of("divide", next), Numbers { ulps: 6, ..Numbers::default() });
        let far = of("log2", |v| v + 0.25);
        assert!(far.absolute >= 0.49 && far.absolute < 0.51, "{far:?}");
        assert_eq!(of("a * b", |v| if v == 0.0 { -v } else { v }).zero_sign, Policy::Any);
    }

    #[test]
    fn what_the_language_leaves_undefined_is_not_measured() {
        // Values outside of the domain are ignored: a power of zero, the logarithm of a negative number, and a quotient by zero.
        assert_eq!(of("pow", |v| if v == 0.0 { 7.0 } else { v }), Numbers::default());
        assert_eq!(of("log2", |v| if v.is_nan() { 7.0 } else { v }), Numbers::default());
        assert_eq!(of("divide", |v| if v.is_finite() { v } else { 7.0 }), Numbers::default());
    }
}
