//! Terms over three operands, which can be written in GLSL and in WGSL.

use crate::judge::subject::Language;

/// A term whose value is a vector of four components. The operands are a, b and c.
#[derive(Clone, Copy, Debug)]
pub(super) enum Term {
    /// The operand of this number, from 0.
    Operand(usize),
    /// A vector with this number in all components.
    Number(f32),
    /// The negated value.
    Negate(&'static Term),
    /// A sum, difference, product or quotient.
    Infix(Infix, &'static Term, &'static Term),
    /// The value of a function.
    Call(Function, &'static [Term]),
    /// 1 in each component in which a is less than b, otherwise 0.
    Less,
    /// In all components: the x component of the unit vector in the direction (a.x, b.x, c.x).
    Normalize,
    /// In all components: the dot product of (a.x, b.x, c.x) and (b.x, c.x, a.x).
    Dot,
}

/// An operator between two terms.
#[derive(Clone, Copy, Debug)]
pub(super) enum Infix {
    Add,
    Subtract,
    Multiply,
    Divide,
}

/// A built-in function of the shading languages.
#[derive(Clone, Copy, Debug)]
pub(super) enum Function {
    Abs,
    Clamp,
    Cos,
    Exp2,
    Floor,
    Fract,
    InverseSqrt,
    Log2,
    Max,
    Min,
    Mix,
    Pow,
    Sin,
    Sqrt,
}

impl Function {
    fn name(self, language: Language) -> &'static str {
        match self {
            Function::Abs => "abs",
            Function::Clamp => "clamp",
            Function::Cos => "cos",
            Function::Exp2 => "exp2",
            Function::Floor => "floor",
            Function::Fract => "fract",
            Function::InverseSqrt if language == Language::Wgsl => "inverseSqrt",
            Function::InverseSqrt => "inversesqrt",
            Function::Log2 => "log2",
            Function::Max => "max",
            Function::Min => "min",
            Function::Mix => "mix",
            Function::Pow => "pow",
            Function::Sin => "sin",
            Function::Sqrt => "sqrt",
        }
    }
}

impl Term {
    /// Returns the term as text of GLSL or WGSL.
    pub(super) fn text(&self, language: Language) -> String {
        let of = |term: &Term| term.text(language);
        match self {
            Term::Operand(number) => ["a", "b", "c"][number % 3].to_owned(),
            Term::Number(value) => format!("vec4({value:?})"),
            Term::Negate(term) => format!("(-{})", of(term)),
            Term::Infix(infix, first, second) => {
                let sign = match infix {
                    Infix::Add => '+',
                    Infix::Subtract => '-',
                    Infix::Multiply => '*',
                    Infix::Divide => '/',
                };
                format!("({} {sign} {})", of(first), of(second))
            }
            Term::Call(function, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(of).collect();
                format!("{}({})", function.name(language), arguments.join(", "))
            }
            Term::Less if language == Language::Wgsl => "select(vec4(0.0), vec4(1.0), a < b)".to_owned(),
            Term::Less => "vec4(lessThan(a, b))".to_owned(),
            Term::Normalize => "vec4(normalize(vec3(a.x, b.x, c.x)).x)".to_owned(),
            Term::Dot => "vec4(dot(vec3(a.x, b.x, c.x), vec3(b.x, c.x, a.x)))".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_written_in_the_syntax_of_each_language() {
        let texts = |term: &Term| [Language::Glsl, Language::Wgsl].map(|language| term.text(language));
        const SUM: Term = Term::Infix(Infix::Add, &Term::Operand(2), &Term::Negate(&Term::Number(0.5)));
        assert_eq!(texts(&SUM), ["(c + (-vec4(0.5)))"; 2]);
        assert_eq!(
            texts(&Term::Call(Function::Max, &[Term::Operand(0), SUM])),
            ["max(a, (c + (-vec4(0.5))))"; 2]
        );
        assert_eq!(
            texts(&Term::Call(Function::InverseSqrt, &[Term::Operand(0)])),
            ["inversesqrt(a)", "inverseSqrt(a)"]
        );
        assert_eq!(texts(&Term::Less)[1], "select(vec4(0.0), vec4(1.0), a < b)");
    }
}
