//! Fetches.

use super::{List, stage};
use crate::isa::Stage;
use crate::isa::a2xx::opcode::{FETCH_TABLE, FetchOp};
use crate::isa::a2xx::program::{Slot, Texture, Vertex};

/// Destination swizzles: identity, permuted, with constants, with components kept, all kept.
const RESULTS: [u16; 5] = [0x688, 0x053, 0xa0c, 0xe38, 0xfff];
/// Formats whose layout is documented, and some others.
const FORMATS: [u8; 22] =
    [2, 6, 7, 10, 16, 17, 24, 25, 26, 30, 31, 32, 33, 34, 35, 36, 37, 38, 57, 0, 55, 20];

fn predicate(k: usize) -> (u8, u8) {
    [(0, 0), (1, 1), (1, 0)][k % 3]
}

/// VERTEX in every format.
pub(super) fn vertex(list: &mut List) {
    let at = |k: usize| {
        let (pred_en, pred_cond) = predicate(k);
        Vertex {
            one19: 1,
            src: 2,
            src_rel: u8::from(k % 7 == 3),
            dst: 1,
            dst_rel: u8::from(k % 7 == 5),
            const_index: 2,
            const_sub: (k % 3) as u8,
            src_component: (k % 4) as u8,
            dst_swizzle: RESULTS[k % 5],
            signed: (k & 1) as u8,
            integer: (k >> 1 & 1) as u8,
            no_zero: (k >> 2 & 1) as u8,
            round_index: (k >> 1 & 1) as u8,
            format: FORMATS[k],
            exp_adjust: [0, 3, 61][k % 3],
            stride: 12,
            offset: [0, 5, 0x7f_fffc][k % 3],
            pred_en,
            pred_cond,
            ..Vertex::default()
        }
    };
    for k in 0..FORMATS.len() {
        let fetch = at(k);
        let in_loop = fetch.src_rel != 0 || fetch.dst_rel != 0;
        list.slots(&format!("VERTEX {k}"), k == 0, stage(k), in_loop, vec![Slot::Vertex(fetch)]);
    }
    // The second takes the address of the first, unless it has one of its own.
    let second = Vertex { mini_fetch: 1, dst: 3, const_index: 4, stride: 20, offset: 8, ..at(15) };
    let first = Vertex { dst_swizzle: 0xfff, ..at(12) };
    let both = vec![Slot::Vertex(first), Slot::Vertex(second)];
    list.slots("VERTEX at the address of another", true, Stage::Vertex, false, both);
    list.slots("VERTEX without another", false, Stage::Vertex, false, vec![Slot::Vertex(second)]);
}

/// What reads textures or says how.
pub(super) fn texture(list: &mut List) {
    for row in FETCH_TABLE.iter().filter(|row| row.opcode != FetchOp::Vertex) {
        for k in 0..14 {
            let (pred_en, pred_cond) = predicate(k);
            let k8 = k as u8;
            let fetch = Texture {
                opcode: row.number,
                src: 2,
                src_rel: u8::from(k == 3),
                dst: 1,
                dst_rel: u8::from(k == 4),
                valid_only: k8 & 1,
                const_index: 5,
                denorm: k8 >> 1 & 1,
                src_swizzle: [0b10_01_00, 0b00_11_01][k % 2],
                dst_swizzle: RESULTS[k % 5],
                mag_filter: k8 & 3,
                min_filter: (k8 >> 1) & 3,
                mip_filter: (k8 + 1) & 3,
                aniso_filter: [0, 1, 2, 3, 4, 5, 7][k % 7],
                arbitrary_filter: [7, 0, 1, 2, 3, 4, 5][k % 7],
                vol_mag_filter: k8 & 3,
                vol_min_filter: (k8 + 2) & 3,
                use_comp_lod: u8::from(k % 4 != 0),
                use_reg_lod: [0, 0, 1, 0, 2, 3, 0][k % 7],
                use_reg_gradients: u8::from(k % 5 == 1),
                sample_location: k8 & 1,
                lod_bias: [0, 0x13, 0x71][k % 3],
                dimension: (k8 >> 1) & 3,
                offset_x: [0, 3, 0x1e][k % 3],
                offset_y: [0, 0x11, 2][k % 3],
                pred_en,
                pred_cond,
                ..Texture::default()
            };
            let in_loop = fetch.src_rel != 0 || fetch.dst_rel != 0;
            // Quads are for a few of them: the others differ in what the sampler is told.
            let stage = if k % 3 == 0 || k == 1 { Stage::Fragment } else { Stage::Vertex };
            // One that takes derivatives, of those that do; all others are told apart by their first.
            let mutate = k == 0 || k == 9 && matches!(row.opcode, FetchOp::Sample | FetchOp::GetGradients);
            let name = format!("{} {k}", row.mnemonic);
            list.slots(&name, mutate, stage, in_loop, vec![Slot::Texture(fetch)]);
        }
    }
}
