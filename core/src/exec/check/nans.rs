//! The check of non-canonical NaNs from every possible source: input, constant, immediate, texel and buffer.
//!
//! The expected results follow from the definitions of the operations in [`crate::ir::Op`]. The evaluator and every level must return the expected
//! results.

use super::run_result::RunResult;
use crate::exec::{Batch, Level, plan};
use crate::host::{
    Access, Buffer, Dimension, Environment, FetchFormat, FetchKind, LaneInput, Texels, Texture,
};
use crate::ir::random::NANS;
use crate::ir::{BlockId, Builder, LodKind, Op, Program, SamplerDecl, Terminator, Ty, Value, VarKey};
use crate::value::{CANONICAL_NAN, FCmp};

/// The source of a NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NanSource {
    Input,
    Constant,
    Immediate,
    Texel,
    Buffer,
}

const SOURCES: [NanSource; 5] =
    [NanSource::Input, NanSource::Constant, NanSource::Immediate, NanSource::Texel, NanSource::Buffer];
const SIZES: [usize; 3] = [7, 64, 71];

const ONE: u32 = 0x3f80_0000;
const TWO: u32 = 0x4000_0000;
/// The results for a NaN x, in the order of [`program`]: x; the bits of x; x + 1; min(x, 1) and min(1, x), which return the second operand unless the
/// first is less; max(x, 1) and max(1, x), likewise; x == x ? 1 : 2; x converted to an integer; the legacy product of x and 0.
const EXPECTED: [u32; 10] =
    [CANONICAL_NAN, CANONICAL_NAN, CANONICAL_NAN, ONE, CANONICAL_NAN, ONE, CANONICAL_NAN, TWO, 0, 0];

fn program(source: NanSource, bits: u32) -> Program {
    let mut b = Builder::new(1);
    let x = match source {
        NanSource::Input => b.op(Op::Input(0), &[]),
        NanSource::Constant => b.op(Op::Uniform(0), &[]),
        NanSource::Immediate => b.op(Op::F32(bits), &[]),
        NanSource::Texel => {
            let (dimension, access) = (Dimension::One, Access::PLAIN);
            let s = b.sampler(SamplerDecl { unit: 0, dimension, state: None, access, lod: LodKind::Base });
            let at = b.f(0.5);
            b.op(Op::Sample(s), &[at, at, at])
        }
        NanSource::Buffer => {
            let index = b.i(0);
            let format = FetchFormat::packed(FetchKind::Float32, [32, 0, 0, 0]);
            b.op(Op::Fetch { buffer: 0, format }, &[index])
        }
    };
    let (zero, one, two) = (b.f(0.0), b.f(1.0), b.f(2.0));
    let same = b.cmp(FCmp::Eq, x, x);
    let results: [(Ty, Value); 10] = [
        (Ty::F32, x),
        (Ty::I32, b.op(Op::Bits, &[x])),
        (Ty::F32, b.op(Op::Add, &[x, one])),
        (Ty::F32, b.op(Op::Min, &[x, one])),
        (Ty::F32, b.op(Op::Min, &[one, x])),
        (Ty::F32, b.op(Op::Max, &[x, one])),
        (Ty::F32, b.op(Op::Max, &[one, x])),
        (Ty::F32, b.sel(same, one, two)),
        (Ty::I32, b.op(Op::TruncI, &[x])),
        (Ty::F32, b.op(Op::Mulz, &[x, zero])),
    ];
    for (n, (ty, value)) in results.into_iter().enumerate() {
        let var = b.var(VarKey { file: 0, index: n as u16, component: 0 }, ty, 0);
        b.write(var, value);
        b.output(n as u16, var);
    }
    b.end_block(0, Terminator::Return);
    b.finish(BlockId(0))
}

fn environment(bits: u32, lanes: usize) -> Environment {
    let four = [f32::from_bits(bits); 4];
    let texture = Texture {
        dimension: Dimension::One,
        size: [1; 3],
        levels: 1,
        texels: Texels::Explicit(vec![four]),
        ..Texture::default()
    };
    Environment {
        constants: vec![four],
        textures: vec![texture],
        buffers: vec![Buffer { words: vec![bits] }],
        lanes: vec![LaneInput { slots: vec![four] }; lanes],
        ..Environment::default()
    }
}

/// Passes every listed NaN, from every possible source, through every engine. Returns the number of words compared for each engine, and a message
/// about the first wrong word.
pub fn nans(levels: &[Level]) -> (u64, Option<String>) {
    let (mut batch, mut seen, mut words, mut wrong) = (Batch::new(), RunResult::default(), 0, None);
    for source in SOURCES {
        for bits in NANS {
            let program = program(source, bits);
            let plan = plan(&program);
            for lanes in SIZES {
                let env = environment(bits, lanes);
                let mut compare = |engine: &str, seen: &RunResult| {
                    for (lane, at) in seen.starts.iter().enumerate() {
                        // The lane's first three words are how it ended, its kill mark and the number of its effects. The outputs follow.
                        let got = &seen.words[*at as usize + 3..][..EXPECTED.len()];
                        words += got.len() as u64;
                        if let Some(n) = (0..EXPECTED.len()).find(|n| got[*n] != EXPECTED[*n]) {
                            wrong.get_or_insert(format!(
                                "NaN {bits:#010x} from {source:?}, {engine}, lane {lane}: result {n} is {:#010x}, expected {:#010x}",
                                got[n], EXPECTED[n]
                            ));
                        }
                    }
                };
                seen.evaluate(&program, &env);
                compare("the evaluator", &seen);
                for level in levels {
                    batch.run(&plan, &env, *level);
                    batch.assert_compiled();
                    seen.take_batch(&program, &batch);
                    compare(&format!("{level:?}"), &seen);
                }
            }
        }
    }
    (words / (1 + levels.len() as u64), wrong)
}
