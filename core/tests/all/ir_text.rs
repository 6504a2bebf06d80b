//! The text form of programs.

use crate::ir_outcome;
use lockstep_core::host::{Access, Dimension, SamplerState, Wrap};
use lockstep_core::ir::{Builder, LodKind, Op, SamplerDecl, Terminator, Ty, VarKey, parse, print, verify};
use lockstep_core::value::{CANONICAL_NAN, FCmp, FUn};
use proptest::prelude::*;

const GOLDEN: &str = "group 4
entry 0
var v0 1.7.3 f32 = -0.0
var v1 2.0.0 i32 = -5
var v2 3.0.0 bool = true
array a0 file 4 len 16
sampler s0 unit 2 cube gradient min linear mag nearest mip linear wrap clamp repeat mirror border 0.0 1.0 0x7fc00000 inf \
bias -0.5 anisotropy 4
sampler s1 unit 0 2d base bound
output 3 = v0
block 0 @10:
  %0 = f32 0.1
  %1 = f32 0x7fc00001
  %2 = f32 1e-45
  %3..%6 = sample s0 (%0, %1, %2, %0, %0, %0, %0, %0, %0, %0)
  %7..%10 = sample s1 (%3, %4, %5)
  %11 = floor %7
  %12 = lt %11, %8
  kill %12
  %13 = i32 -2147483648
  store a0, %13, %9
  %14 = uniform_at 3, %13
  effect 1 513 0xf (%12, %3, %4, %5, %14)
  fuel 7
  write v0, %10
  branch %12, 1, 0
block 1 @4294967295:
  %15 = read v1
  switch %15 (1, 0, 2)
block 2 @0:
  %16 = input 9
  %17 = ddx_fine %16
  return
";

fn golden() -> lockstep_core::ir::Program {
    let mut b = Builder::new(4);
    let key = |file, index, component| VarKey { file, index, component };
    let v0 = b.var(key(1, 7, 3), Ty::F32, (-0f32).to_bits());
    let v1 = b.var(key(2, 0, 0), Ty::I32, -5i32 as u32);
    b.var(key(3, 0, 0), Ty::Bool, 1);
    let array = b.array(4, 16);
    let state = SamplerState {
        min: lockstep_core::host::Filter::Linear,
        mip: lockstep_core::host::MipFilter::Linear,
        wrap: [Wrap::Clamp, Wrap::Repeat, Wrap::Mirror],
        border: [0.0, 1.0, f32::from_bits(CANONICAL_NAN), f32::INFINITY],
        lod_bias: -0.5,
        max_anisotropy: 4,
        ..SamplerState::default()
    };
    let decl = SamplerDecl {
        unit: 2,
        dimension: Dimension::Cube,
        state: Some(state),
        access: Access::PLAIN,
        lod: LodKind::Gradient,
    };
    let s0 = b.sampler(decl);
    let s1 = b.sampler(SamplerDecl {
        unit: 0,
        dimension: Dimension::Two,
        state: None,
        access: Access::PLAIN,
        lod: LodKind::Base,
    });
    b.output(3, v0);
    let tenth = b.f(0.1);
    let nan = b.op(Op::F32(0x7fc0_0001), &[]);
    let tiny = b.f(f32::from_bits(1));
    let a = b.op(Op::Sample(s0), &[tenth, nan, tiny, tenth, tenth, tenth, tenth, tenth, tenth, tenth]);
    let of = |first: lockstep_core::ir::Value, k| lockstep_core::ir::Value(first.0 + k);
    let c = b.op(Op::Sample(s1), &[a, of(a, 1), of(a, 2)]);
    let floor = b.un(FUn::Floor, c);
    let less = b.cmp(FCmp::Lt, floor, of(c, 1));
    b.op(Op::Kill, &[less]);
    let index = b.i(i32::MIN);
    b.op(Op::Store(array), &[index, of(c, 2)]);
    let uniform = b.op(Op::UniformAt(3), &[index]);
    b.effect(less, (1, 513, 15), [a, of(a, 1), of(a, 2), uniform]);
    b.op(Op::Fuel(7), &[]);
    b.write(v0, of(c, 3));
    let to = lockstep_core::ir::BlockId;
    let entry = b.end_block(10, Terminator::Branch(less, to(1), to(0)));
    let pick = b.read(v1);
    b.end_block(u32::MAX, Terminator::Switch(pick, vec![to(1), to(0), to(2)]));
    let input = b.op(Op::Input(9), &[]);
    b.op(Op::Ddx { fine: true }, &[input]);
    b.end_block(0, Terminator::Return);
    b.finish(entry)
}

#[test]
fn a_handwritten_program_prints_and_parses() {
    let golden = golden();
    assert_eq!(verify(&golden), Ok(()));
    assert_eq!(print(&golden), GOLDEN);
    // The border contains a NaN, so the programs are compared as text.
    assert_eq!(print(&parse(GOLDEN).unwrap()), GOLDEN);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn programs_round_trip_as_text(tape in proptest::collection::vec(any::<u32>(), 0..400)) {
        let program = ir_outcome::program(&tape);
        let text = print(&program);
        prop_assert_eq!(parse(&text).map_err(|e| format!("{e:?}")), Ok(program), "{}", text);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "(\\PC|\n){0,200}") {
        if let Err(diagnostics) = parse(&text) {
            prop_assert!(!diagnostics.is_empty());
            for d in diagnostics {
                let (at, len) = (d.span.offset as usize, d.span.len as usize);
                prop_assert!(text.get(at..at + len).is_some() && !d.message.is_empty(), "{} at {:?}", d, d.span);
            }
        }
    }

    #[test]
    fn damaged_text_is_read_or_refused(
        tape in proptest::collection::vec(any::<u32>(), 0..100),
        damage in proptest::collection::vec((any::<u16>(), "[ -~é\n]{0,3}", 0usize..4), 1..4),
    ) {
        let mut text = print(&ir_outcome::program(&tape));
        for (at, insert, remove) in damage {
            let mut chars: Vec<char> = text.chars().collect();
            let at = usize::from(at) % chars.len();
            let end = (at + remove).min(chars.len());
            chars.splice(at..end, insert.chars());
            text = chars.into_iter().collect();
        }
        match parse(&text) {
            Ok(program) => prop_assert_eq!(verify(&program), Ok(())),
            Err(diagnostics) => for d in diagnostics {
                let (at, len) = (d.span.offset as usize, d.span.len as usize);
                prop_assert!(text.get(at..at + len).is_some(), "{} at {:?} in {}", d, d.span, text);
                let line = text.lines().nth(d.span.line as usize - 1).unwrap_or_default();
                prop_assert!(d.span.column as usize <= line.chars().count() + 1, "{}", d);
            },
        }
    }
}

/// Texts, each with the line, column and message of its first error.
const WRONG: [(&str, u32, u32, &str); 12] = [
    ("", 1, 1, "group size is 0 lanes"),
    ("group 1\nentry 0\nblock 0 @0:\n  frobnicate\n  return\n", 4, 3, "an operation"),
    ("group 1\nentry 0\nblock 0 @0:\n  %1 = f32 1.0\n  return\n", 4, 3, "the first result must be %0"),
    ("group 1\nentry 0\nblock 0 @0:\n  %0 = f32 one\n  return\n", 4, 12, "a float"),
    ("group 1\nentry 0\nblock 0 @0:\n  %0 = input 65536\n  return\n", 4, 14, "in range"),
    ("group 1\nentry 0\nblock 0 @0:\n  %0 = input 1 2\n  return\n", 4, 16, "a value"),
    ("group 1\nentry 0\nblock 0 @0:\n  %0 = neg %0\n  return\n", 4, 3, "does not define"),
    ("group 1\nentry 0\nblock 0 @0:\n  f32 1.0\n  return\n", 4, 10, "1 result; the line names 0"),
    ("group 1\nentry 0\nblock 0 @0:\n", 3, 1, "no terminator"),
    ("group 1\nentry 0\nblock 0 @0:\n  jump 5\n", 4, 3, "block 5, which does not exist"),
    ("group 1\nentry 0\nvar v0 1.2 f32 = 0.0\nblock 0 @0:\n  return\n", 3, 8, "a register"),
    ("group 1\nentry 0\nblock 0 @0:\n  return\nvar v0 0.0.0 f32 = 0.0\n", 5, 5, "before the first block"),
];

#[test]
fn errors_have_spans() {
    for (text, line, column, message) in WRONG {
        let first = parse(text).unwrap_err().remove(0);
        assert!(first.message.contains(message), "{first} for {text}");
        assert_eq!((first.span.line, first.span.column), (line, column), "{first} for {text}");
    }
}

/// A space of three bytes before an error moves the error's column by one, not by three.
#[test]
fn columns_count_characters() {
    for (text, line, column, message) in WRONG.into_iter().filter(|row| row.1 > 1) {
        let wide: Vec<String> = text
            .lines()
            .zip(1..)
            .map(|(row, number)| if number == line { format!("\u{2003}{row}") } else { row.to_owned() })
            .collect();
        let wide = wide.join("\n") + "\n";
        let first = parse(&wide).unwrap_err().remove(0);
        assert!(first.message.contains(message), "{first} for {wide}");
        let moved = column + u32::from(message != "no terminator");
        assert_eq!((first.span.line, first.span.column), (line, moved), "{first} for {wide}");
    }
}

#[test]
fn comments_and_blank_lines_are_ignored() {
    let text = "# a program\n\ngroup 1 # one lane\nentry 0\nblock 0 @0: # only\r\n  return\n";
    assert_eq!(print(&parse(text).unwrap()), "group 1\nentry 0\nblock 0 @0:\n  return\n");
}
