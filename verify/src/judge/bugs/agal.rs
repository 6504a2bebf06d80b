//! The changes to AGAL programs that are implemented as functions. Each re-enacts how a published bug misreads a program.

use super::change::Misread;
use lockstep_core::isa::agal::Agal;
use lockstep_core::isa::agal::opcode::Opcode;
use lockstep_core::isa::agal::program::{Sampler, SourceOrSampler};

impl Misread for Agal {
    const CHANGES: &'static [(&'static str, super::change::Coded<Agal>)] = &[
        ("samplers without options", |program, _| {
            for token in &mut program.tokens {
                if let SourceOrSampler::Sampler(sampler) = &mut token.b {
                    let Sampler { number, file, .. } = *sampler;
                    *sampler = Sampler { number, file, ..Sampler::default() };
                }
            }
        }),
        ("m34 as m33", |program, _| {
            for token in program.tokens.iter_mut().filter(|token| token.op() == Some(Opcode::M34)) {
                token.opcode = Opcode::M33.row().number;
            }
        }),
    ];
}
