//! Operations that run lane by lane: reads of constants at an index, arrays, textures, buffers, effects.

use super::Row;
use super::machine::{Machine, lanes_of};
use crate::exec::{ArrayRows, Inst, WIDTH};
use crate::host::{Buffer, EffectRecord, Environment, Lod, SampleRequest, fetch, sample_rows};
use crate::ir::LodKind;

/// The indices of the bits set in a mask, ascending.
fn lanes(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (lane < WIDTH).then_some(lane)
    })
}

/// Reads component `c` of each lane's slot of the float constant file; 0 outside the file.
pub(super) fn uniform_at(env: &Environment, n: usize, d: &mut [u32; WIDTH], a: &[u32; WIDTH], c: u32) {
    let c = c as usize & 3;
    for (d, &slot) in d.iter_mut().zip(a).take(n) {
        // A negative index is a huge unsigned number, which is outside the file.
        *d = env.constants.get(slot as usize).map_or(0, |v| v[c].to_bits());
    }
}

/// Reads each lane's element of an array; 0 outside it. The destination row is not a row of the array.
pub(super) fn load(rows: &mut [Row], n: usize, array: ArrayRows, inst: Inst) {
    for lane in 0..n {
        let index = rows[inst.src[0] as usize].0[lane];
        let value = if index < array.len { rows[(array.start + index) as usize].0[lane] } else { 0 };
        rows[inst.dst as usize].0[lane] = value;
    }
}

/// Sets each active lane's element of an array; no effect outside the array.
pub(super) fn store(rows: &mut [Row], active: u64, array: ArrayRows, inst: Inst) {
    for lane in lanes(active) {
        let index = rows[inst.src[0] as usize].0[lane];
        if index < array.len {
            rows[(array.start + index) as usize].0[lane] = rows[inst.src[1] as usize].0[lane];
        }
    }
}

/// The first `N` numbers of a row, as floats with the same bits.
#[inline(always)]
fn floats<const N: usize>(row: &Row) -> &[f32; N] {
    const { assert!(N <= WIDTH) };
    // SAFETY: a row has at least N numbers; f32 has the size and alignment of u32, and any bit pattern is valid. Tested by every texture read that
    // `exec_equals_eval` compares.
    unsafe { &*row.0.as_ptr().cast() }
}

/// Reads a texture in each active lane.
#[inline(never)]
pub(super) fn texture<const N: usize>(machine: &mut Machine<'_>, active: u64, inst: Inst) {
    let decl = &machine.plan.samplers[inst.imm as usize];
    let pool = &machine.plan.pool[inst.pool_range()];
    let (args, results) = pool.split_at(pool.len() - 4);
    let mut texels = [[0.0; N]; 4];
    match machine.env.textures.get(usize::from(decl.unit)) {
        Some(texture) => {
            let row = |k: usize| floats(&machine.rows[args[k] as usize]);
            let rows = |k: usize| [row(k), row(k + 1), row(k + 2)];
            let lod = match decl.lod {
                LodKind::Base => Lod::Base,
                LodKind::Explicit => Lod::Explicit(row(3)),
                LodKind::Gradient => Lod::Gradient { dx: rows(3), dy: rows(6), bias: row(9) },
            };
            let coords = rows(0);
            let request = SampleRequest {
                dimension: decl.dimension,
                state: decl.state,
                access: decl.access,
                coords,
                lod,
            };
            sample_rows(texture, &request, active, &mut texels);
        }
        // As in `host::ConcreteHost`: a missing texture reads (0, 0, 0, 1).
        None => texels[3] = [1.0; N],
    }
    for (row, texels) in results.iter().zip(&texels) {
        for (bits, value) in machine.rows[*row as usize].0.iter_mut().zip(texels) {
            *bits = value.to_bits();
        }
    }
}

/// Reads a buffer in each active lane.
#[inline(never)]
pub(super) fn buffer(machine: &mut Machine<'_>, active: u64, inst: Inst) {
    static NONE: Buffer = Buffer { words: Vec::new() };
    let (number, format) = machine.plan.fetches[inst.imm as usize];
    let results = &machine.plan.pool[inst.pool_range()];
    let buffer = machine.env.buffers.get(usize::from(number)).unwrap_or(&NONE);
    for lane in lanes(active) {
        let index = machine.rows[inst.src[0] as usize].0[lane] as i32;
        for (row, value) in results.iter().zip(fetch(buffer, format, index)) {
            machine.rows[*row as usize].0[lane] = value.to_bits();
        }
    }
}

/// Appends the effect of each active lane whose condition holds. As in `host::ConcreteHost`, an effect beyond the limit of the environment is
/// dropped, and components outside the mask are zero.
#[inline(never)]
pub(super) fn effect(machine: &mut Machine<'_>, active: u64, inst: Inst) {
    let (kind, index, mask) = machine.plan.effects[inst.imm as usize];
    let args = &machine.plan.pool[inst.pool_range()];
    for lane in lanes(active & lanes_of::<WIDTH>(&machine.rows[args[0] as usize].0)) {
        let records = &mut machine.records[lane];
        if records.len() as u64 >= u64::from(machine.env.effects) {
            machine.control.end.effects_full |= 1 << lane;
            continue;
        }
        let mut values = [0.0; 4];
        for (c, value) in values.iter_mut().enumerate() {
            if mask >> c & 1 == 1 {
                *value = f32::from_bits(machine.rows[args[c + 1] as usize].0[lane]);
            }
        }
        records.push(EffectRecord { kind, index, mask, values });
    }
}
