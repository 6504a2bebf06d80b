//! Shrinking what surrounds a program: fewer lanes, fewer and plainer values, no options.

use super::Judge;
use crate::case::Case;
use lockstep_core::host::{Texels, Texture};

pub(super) fn shrink(case: &mut Case, judge: &mut Judge<'_>) {
    lanes(case, judge);
    for name in case.options.keys().cloned().collect::<Vec<_>>() {
        attempt(case, judge, |c| {
            c.options.remove(&name);
        });
    }
    attempt(case, judge, |c| c.env.buffers.clear());
    attempt(case, judge, |c| c.env.ints.clear());
    attempt(case, judge, |c| c.env.bools.clear());
    attempt(case, judge, |c| c.env.effects = 0);
    attempt(case, judge, |c| c.env.fuel = 0);
    attempt(case, judge, |c| c.env.textures.clear());
    for unit in 0..case.env.textures.len() {
        attempt(case, judge, |c| plain(&mut c.env.textures[unit]));
    }
    shorten(case, judge, |c| &mut c.env.constants);
    for slot in 0..case.env.constants.len() {
        vector(case, judge, |c| &mut c.env.constants[slot]);
    }
    for lane in 0..case.env.lanes.len() {
        shorten(case, judge, |c| &mut c.env.lanes[lane].slots);
        for slot in 0..case.env.lanes[lane].slots.len() {
            vector(case, judge, |c| &mut c.env.lanes[lane].slots[slot]);
        }
    }
}

/// Takes a change if the case differs by it and keeps failing.
fn attempt(case: &mut Case, judge: &mut Judge<'_>, change: impl FnOnce(&mut Case)) -> bool {
    let mut candidate = case.clone();
    change(&mut candidate);
    let taken = candidate != *case && judge.keeps_failing(&candidate);
    if taken {
        *case = candidate;
    }
    taken
}

/// Keeps a single lane, else a single quad, else half of them as often as that works.
fn lanes(case: &mut Case, judge: &mut Judge<'_>) {
    for size in [1, 4] {
        let count = case.env.lanes.len();
        for base in (0..count).step_by(size) {
            if count > size
                && attempt(case, judge, |c| {
                    c.env.lanes = c.env.lanes[base..(base + size).min(count)].to_vec();
                })
            {
                return;
            }
        }
    }
    while case.env.lanes.len() > 8 {
        let half = case.env.lanes.len() / 2;
        let kept = attempt(case, judge, |c| c.env.lanes.truncate(half))
            || attempt(case, judge, |c| {
                c.env.lanes.drain(..half);
            });
        if !kept {
            return;
        }
    }
}

/// Drops values from the end of a file; what is not there reads as zero.
fn shorten(case: &mut Case, judge: &mut Judge<'_>, file: impl Fn(&mut Case) -> &mut Vec<[f32; 4]>) {
    let mut length = 0;
    while length < file(case).len() {
        if attempt(case, judge, |c| file(c).truncate(length)) {
            return;
        }
        length = (length * 2).max(1);
    }
}

/// Makes each component 0, else 1, else a whole number.
fn vector(case: &mut Case, judge: &mut Judge<'_>, at: impl Fn(&mut Case) -> &mut [f32; 4]) {
    if attempt(case, judge, |c| *at(c) = [0.0; 4]) {
        return;
    }
    for component in 0..4 {
        let value = at(case)[component];
        for plain in [0.0, 1.0, value.trunc()] {
            if value.to_bits() == plain.to_bits() || attempt(case, judge, |c| at(c)[component] = plain) {
                break;
            }
        }
    }
}

/// One level of one texel.
fn plain(texture: &mut Texture) {
    texture.size = [1, 1, 1];
    texture.levels = 1;
    texture.texels = Texels::Explicit(vec![[1.0; 4]]);
}
