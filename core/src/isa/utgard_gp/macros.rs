//! Macros of assembly text: single statements for the words that a compiler puts at the end of a program.
//!
//! `NAME(FORM, VARYING, REGISTER, SLOT, …)` expands to the words of its row. The input must already be in the register; other values that the words
//! need are uniforms.

use super::facts::Fact;

/// A macro.
pub(super) struct Macro {
    /// The macro's name.
    pub(super) name: &'static str,
    /// The name of this form: the compiler or the document that its words follow.
    pub(super) form: &'static str,
    /// The operands after the form, in order; [`max_value`] returns their maximum values.
    pub(super) operands: &'static [&'static str],
    /// What the words compute.
    pub(super) meaning: &'static str,
    /// Source and evidence tag.
    pub(super) source: &'static str,
    /// The words, with `{OPERAND}` for an operand.
    pub(super) words: &'static str,
}

/// Returns the maximum value of an operand.
pub(super) fn max_value(operand: &str) -> u64 {
    match operand {
        "varying" | "register" => 15,
        _ => 511,
    }
}

/// The reciprocal of w, which the following word reads as `mul[0].out[2]`.
macro_rules! reciprocal {
    () => {
        "register[0].load({register}), complex.rcp(register[0].w), mul[0].complex2(register[0].w, register[0].w);
register[0].load({register}), mul.complex1(complex.out[1], mul[0].out[1], complex.out[1], register[0].w);
nop;
"
    };
}

/// `(xyz * w') * scale + offset` and w', where w' is the result of pass in the previous word.
macro_rules! inverse_first {
    () => {
        "register[0].load({register}), pass.mov(pass.out[1]), mul[0].mul(register[0].x, pass.out[1]), mul[1].mul(register[0].y, pass.out[1]);
uniform.load({scale}), pass.mov(pass.out[1]), mul[0].mul(mul[0].out[1], uniform.x), mul[1].mul(mul[1].out[1], uniform.y);
register[0].load({register}), uniform.load({offset}), pass.mov(pass.out[1]), mul[0].mul(register[0].z, pass.out[1]),
    acc[0].add(mul[0].out[1], uniform.x), acc[1].add(mul[1].out[1], uniform.y), store[0].varying({varying}, acc[0].out, acc[1].out);
uniform.load({scale}), pass.mov(pass.out[1]), mul[0].mul(mul[0].out[1], uniform.z);
uniform.load({offset}), pass.mov(pass.out[1]), acc[0].add(mul[0].out[1], uniform.z), store[1].varying({varying}, acc[0].out, pass.out);
"
    };
}

/// All macros.
pub(super) static MACROS: &[Macro] = &[
    Macro {
        name: Fact::Position.name(),
        form: "mesa",
        operands: &["varying", "register", "scale", "offset"],
        meaning: "w' = 1/w; (xyz * w') * scale + offset, and w'",
        source: "M",
        words: concat!(reciprocal!(), "pass.mov(mul[0].out[2]);\n", inverse_first!()),
    },
    Macro {
        name: Fact::Position.name(),
        form: "seed",
        operands: &["varying", "register", "scale", "offset", "limits"],
        meaning: "w' = 1/w clamped to [limits.x, limits.y]; (xyz * w') * scale + offset, and w'",
        source: "SEED, M",
        words: concat!(
            reciprocal!(),
            "uniform.load({limits}), pass.clamp(mul[0].out[2]);\n",
            inverse_first!()
        ),
    },
    Macro {
        name: Fact::Position.name(),
        form: "arm",
        operands: &["varying", "register", "scale", "offset", "limits"],
        meaning: "w' = 1/w clamped to [limits.x, limits.y]; (xyz * scale) * w' + offset, and w'",
        source: "D (M)",
        words: concat!(
            reciprocal!(),
            "uniform.load({limits}), pass.clamp(mul[0].out[2]);
register[0].load({register}), uniform.load({scale}), pass.mov(pass.out[1]), mul[0].mul(register[0].x, uniform.x), mul[1].mul(register[0].y, uniform.y);
pass.mov(pass.out[1]), mul[0].mul(mul[0].out[1], pass.out[1]), mul[1].mul(mul[1].out[1], pass.out[1]);
uniform.load({offset}), pass.mov(pass.out[1]),
    acc[0].add(mul[0].out[1], uniform.x), acc[1].add(mul[1].out[1], uniform.y), store[0].varying({varying}, acc[0].out, acc[1].out);
register[0].load({register}), uniform.load({scale}), pass.mov(pass.out[1]), mul[0].mul(register[0].z, uniform.z);
pass.mov(pass.out[1]), mul[0].mul(mul[0].out[1], pass.out[1]);
uniform.load({offset}), pass.mov(pass.out[1]), acc[0].add(mul[0].out[1], uniform.z), store[1].varying({varying}, acc[0].out, pass.out);
"
        ),
    },
    Macro {
        name: Fact::PointSize.name(),
        form: "mesa",
        operands: &["varying", "register", "limits"],
        meaning: "min(max(x, limits.x), limits.y), where the limits are 1 and 100",
        source: "M",
        words: "register[0].load({register}), uniform.load({limits}), acc[0].max(register[0].x, uniform.x);
uniform.load({limits}), acc[0].min(acc[0].out[1], uniform.y), store[0].varying({varying}, acc[0].out, unused);
",
    },
    Macro {
        name: Fact::PointSize.name(),
        form: "arm",
        operands: &["varying", "register", "limits"],
        meaning: "x clamped to [limits.x, limits.y], times limits.z",
        source: "D (M)",
        words: "register[0].load({register}), uniform.load({limits}), pass.clamp(register[0].x);
uniform.load({limits}), mul[0].mul(pass.out[1], uniform.z), store[0].varying({varying}, mul[0].out, unused);
",
    },
];

impl Macro {
    /// Returns the words as text, with the operands substituted.
    pub(super) fn text(&self, operands: &[u64]) -> String {
        let names = self.operands.iter().zip(operands);
        names.fold(self.words.to_owned(), |text, (name, value)| {
            text.replace(&format!("{{{name}}}"), &value.to_string())
        })
    }
}
