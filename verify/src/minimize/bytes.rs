//! Shrinking input that is no program: shorter, then closer to zeros.

use super::Judge;
use crate::case::Case;

pub(super) fn shrink(case: &mut Case, judge: &mut Judge<'_>) {
    let mut chunk = case.bytes.len().next_power_of_two() / 2;
    while chunk > 0 && !judge.exhausted() {
        let mut at = 0;
        while at < case.bytes.len() && !judge.exhausted() {
            let mut candidate = case.clone();
            candidate.bytes.drain(at..(at + chunk).min(candidate.bytes.len()));
            if judge.keeps_failing(&candidate) {
                *case = candidate;
            } else {
                at += chunk;
            }
        }
        chunk /= 2;
    }
    for at in 0..case.bytes.len() {
        if case.bytes[at] != 0 {
            let mut candidate = case.clone();
            candidate.bytes[at] = 0;
            if judge.keeps_failing(&candidate) {
                *case = candidate;
            }
        }
    }
}
