//! Texture stages before 2_0 accept any texture bound to them. Each instance of a lowering rule that reads a stage is run with each kind of texture.
//!
//! A program does not specify the kinds of its textures. The entry derived from the program assumes a cube where the operation requires one, and 2D
//! textures elsewhere, and the proofs of the lowering rules cover only these kinds.

use crate::flow::{Random, Tally, compare};
use lockstep_core::host::{Dimension, Environment, LaneInput, SamplerState, Texels, Texture};
use lockstep_core::isa::d3d9::D3d9;
use lockstep_core::isa::d3d9::program::{File, Program};
use lockstep_core::isa::facet::rule_instances;
use lockstep_core::isa::lowering::Mode;
use lockstep_core::isa::{Context, Format, Options, Syntax, Tables};

/// The kinds of texture, by the four-bit number that an entry gives a stage.
const KINDS: [(u32, Dimension); 4] =
    [(1, Dimension::One), (2, Dimension::Two), (3, Dimension::Cube), (4, Dimension::Three)];

fn texture(r: &mut Random, dimension: Dimension) -> Texture {
    let texels = (0..64).map(|_| r.four()).collect();
    Texture {
        dimension,
        size: [2, 2, 2],
        levels: 1,
        texels: Texels::Explicit(texels),
        state: SamplerState::default(),
    }
}

/// Random numbers of the magnitude of coordinates.
fn coordinate(r: &mut Random) -> f32 {
    if r.one_in(8) { r.float() } else { r.below(64) as f32 / 32.0 - 0.5 }
}

/// Returns the program of a rule instance with a move of its last result to r0, the only output, appended.
fn with_output(form: &Program) -> Program {
    let written = form.instructions.iter().filter_map(|i| i.dest).next_back();
    let from = match written {
        Some(dest) if dest.file == File::Address as u8 => format!("t{}", dest.number),
        dest => format!("r{}", dest.map_or(0, |d| d.number)),
    };
    let mut program = form.clone();
    let text = format!("ps_1_4\nmov r0, {from}\n");
    program.instructions.push(D3d9::assemble(&text).unwrap().instructions.remove(0));
    program
}

#[test]
fn stages_before_version_two_accept_every_kind_of_texture() {
    let options = Options::new(D3d9::option_specs());
    let mut r = Random(0x57a6e);
    let (mut tally, mut forms) = (Tally::default(), 0);
    for form in rule_instances::<D3d9>() {
        let program = with_output(&form.program);
        let mut entry = D3d9::entries(&program).remove(0);
        let own = entry.extra[0];
        if own == 0 {
            continue;
        }
        forms += 1;
        for (kind, dimension) in KINDS {
            entry.extra[0] =
                (0..8).filter(|stage| own >> (4 * stage) & 15 != 0).map(|stage| kind << (4 * stage)).sum();
            let env = Environment {
                constants: (0..32).map(|_| r.four()).collect(),
                textures: (0..8).map(|_| texture(&mut r, dimension)).collect(),
                lanes: (0..8)
                    .map(|_| LaneInput {
                        slots: (0..40).map(|_| std::array::from_fn(|_| coordinate(&mut r))).collect(),
                    })
                    .collect(),
                fuel: 10,
                effects: 4,
                ..Environment::default()
            };
            let cx: Context<'_, D3d9> = Context { program: &program, entry: &entry, options: &options };
            compare(
                &format!("{}, {dimension:?}", form.name),
                cx,
                &env,
                &[Mode::Nodes, Mode::Fallback],
                &mut tally,
            );
        }
    }
    assert!(forms > 50 && tally.refused == 0, "{forms} forms, {tally:?}");
}
