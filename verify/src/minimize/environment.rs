//! Minimises a case's environment: fewer lanes, fewer and simpler values, default options.

use super::FailurePredicate;
use crate::case::Case;
use crate::case::is_same;
use lockstep_core::host::{Texels, Texture};

/// Reduces and simplifies values of every kind.
pub(super) fn shrink(case: &mut Case, predicate: &mut FailurePredicate<'_>) {
    fewer_lanes(case, predicate);
    for name in case.options.keys().cloned().collect::<Vec<_>>() {
        attempt(case, predicate, |c| {
            c.options.remove(&name);
        });
    }
    least(case, predicate, |c| &mut c.env.effects);
    least(case, predicate, |c| &mut c.env.fuel);
    shorten(case, predicate, |c| &mut c.env.buffers);
    for number in 0..case.env.buffers.len() {
        shorten(case, predicate, |c| &mut c.env.buffers[number].words);
        for word in 0..case.env.buffers[number].words.len() {
            simpler(case, predicate, |c| &mut c.env.buffers[number].words[word], &[0, 1, 1f32.to_bits()]);
        }
    }
    shorten(case, predicate, |c| &mut c.env.ints);
    for slot in 0..case.env.ints.len() {
        for component in 0..4 {
            simpler(case, predicate, |c| &mut c.env.ints[slot][component], &[0, 1]);
        }
    }
    shorten(case, predicate, |c| &mut c.env.bools);
    for slot in 0..case.env.bools.len() {
        simpler(case, predicate, |c| &mut c.env.bools[slot], &[false]);
    }
    shorten(case, predicate, |c| &mut c.env.textures);
    for unit in 0..case.env.textures.len() {
        attempt(case, predicate, |c| plain(&mut c.env.textures[unit]));
    }
    shorten(case, predicate, |c| &mut c.env.constants);
    for slot in 0..case.env.constants.len() {
        vector(case, predicate, |c| &mut c.env.constants[slot]);
    }
    for lane in 0..case.env.lanes.len() {
        shorten(case, predicate, |c| &mut c.env.lanes[lane].slots);
        for slot in 0..case.env.lanes[lane].slots.len() {
            vector(case, predicate, |c| &mut c.env.lanes[lane].slots[slot]);
        }
    }
}

/// Keeps a change if the case differs and still fails.
fn attempt(case: &mut Case, predicate: &mut FailurePredicate<'_>, change: impl FnOnce(&mut Case)) -> bool {
    let mut candidate = case.clone();
    change(&mut candidate);
    let taken = !is_same(&candidate, case) && predicate.keeps_failing(&candidate);
    if taken {
        *case = candidate;
    }
    taken
}

/// Keeps a single lane, else a single quad; otherwise halves the number of lanes while there are more than eight and the case still fails.
pub(super) fn fewer_lanes(case: &mut Case, predicate: &mut FailurePredicate<'_>) {
    for size in [1, 4] {
        let count = case.env.lanes.len();
        for base in (0..count).step_by(size) {
            if count > size
                && attempt(case, predicate, |c| {
                    c.env.lanes = c.env.lanes[base..(base + size).min(count)].to_vec();
                })
            {
                return;
            }
        }
    }
    while case.env.lanes.len() > 8 {
        let half = case.env.lanes.len() / 2;
        let kept = attempt(case, predicate, |c| c.env.lanes.truncate(half))
            || attempt(case, predicate, |c| {
                c.env.lanes.drain(..half);
            });
        if !kept {
            return;
        }
    }
}

/// Drops values from the end of a list, such as a constant file, a lane's inputs or a buffer; missing values read as zero.
fn shorten<T: Clone>(
    case: &mut Case,
    predicate: &mut FailurePredicate<'_>,
    file: impl Fn(&mut Case) -> &mut Vec<T>,
) {
    // Finds the smallest sufficient length among 0, 1, 2, 4 ..., then decreases it in steps of one.
    let mut length = 0;
    while length < file(case).len() {
        if attempt(case, predicate, |c| file(c).truncate(length)) {
            break;
        }
        length = (length * 2).max(1);
    }
    while file(case).len() > 1
        && attempt(case, predicate, |c| {
            file(c).pop();
        })
    {}
}

/// Sets a value to the first of the given candidates with which the case still fails. Candidates after one that the value already equals are not
/// tried.
fn simpler<T: Copy + PartialEq>(
    case: &mut Case,
    predicate: &mut FailurePredicate<'_>,
    at: impl Fn(&mut Case) -> &mut T,
    plain: &[T],
) {
    for &plain in plain {
        if *at(case) == plain || attempt(case, predicate, |c| *at(c) = plain) {
            return;
        }
    }
}

/// Sets a number to 0 or to a power of two: the smallest with which the case still fails.
fn least(case: &mut Case, predicate: &mut FailurePredicate<'_>, at: impl Fn(&mut Case) -> &mut u32) {
    let most = *at(case);
    let candidates = std::iter::once(0).chain((0..32).map(|k| 1 << k));
    for number in candidates.take_while(|number| *number < most) {
        if attempt(case, predicate, |c| *at(c) = number) {
            return;
        }
    }
}

/// Sets each component of a vector to the first of 0, 1 and its integer part with which the case still fails.
fn vector(case: &mut Case, predicate: &mut FailurePredicate<'_>, at: impl Fn(&mut Case) -> &mut [f32; 4]) {
    if attempt(case, predicate, |c| *at(c) = [0.0; 4]) {
        return;
    }
    for component in 0..4 {
        let value = at(case)[component];
        for plain in [0.0, 1.0, value.trunc()] {
            if value.to_bits() == plain.to_bits() || attempt(case, predicate, |c| at(c)[component] = plain) {
                break;
            }
        }
    }
}

/// Reduces a texture to one level of one texel.
fn plain(texture: &mut Texture) {
    texture.size = [1, 1, 1];
    texture.levels = 1;
    texture.texels = Texels::Explicit(vec![[1.0; 4]]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_core::host::{Buffer, Environment, LaneInput};
    use lockstep_core::isa::IsaId;

    #[test]
    fn every_file_shrinks_to_what_the_failure_needs() {
        let mut case = Case::bare(IsaId::Agal, &[]);
        case.env.fuel = 1000;
        case.env.effects = 1000;
        case.env.buffers = vec![Buffer { words: vec![0xdead_beef; 40] }; 5];
        case.env.ints = vec![[9; 4]; 30];
        case.env.bools = vec![true; 30];
        let mut fails = |c: &Case| {
            let env = &c.env;
            let word = env.buffers.get(1).and_then(|b| b.words.get(4)).is_some_and(|word| *word != 0);
            let int = env.ints.get(2).is_some_and(|int| int[1] > 5);
            word && int && env.bools.get(3) == Some(&true) && env.effects >= 3 && env.fuel >= 1
        };
        let mut predicate = FailurePredicate { fails: &mut fails, tries: 0 };
        shrink(&mut case, &mut predicate);
        assert_eq!((case.env.fuel, case.env.effects), (1, 4));
        assert_eq!(case.env.buffers, [Buffer::default(), Buffer { words: vec![0, 0, 0, 0, 1] }]);
        assert_eq!(case.env.ints, [[0; 4], [0; 4], [0, 9, 0, 0]]);
        assert_eq!(case.env.bools, [false, false, false, true]);
    }

    #[test]
    fn negative_zeros_become_zeros_and_a_nan_that_is_needed_stays_the_only_number() {
        let mut case = Case::bare(IsaId::Agal, &[]);
        case.env.constants = vec![[-0.0; 4], [f32::NAN, -0.0, 0.0, 1.0]];
        case.env.lanes = vec![LaneInput { slots: vec![[-0.0, f32::NAN, -0.0, 2.0]] }];
        let mut fails = |c: &Case| {
            let nan = |v: Option<&[f32; 4]>, at: usize| v.is_some_and(|v| v[at].is_nan());
            nan(c.env.constants.get(1), 0) && nan(c.env.lanes.first().and_then(|lane| lane.slots.first()), 1)
        };
        let mut predicate = FailurePredicate { fails: &mut fails, tries: 0 };
        shrink(&mut case, &mut predicate);
        let bits = |v: [f32; 4]| v.map(f32::to_bits);
        let nan = f32::NAN;
        assert_eq!(
            case.env.constants.iter().copied().map(bits).collect::<Vec<_>>(),
            [[0; 4], bits([nan, 0.0, 0.0, 0.0])]
        );
        assert_eq!(bits(case.env.lanes[0].slots[0]), bits([0.0, nan, 0.0, 0.0]));
        // A change that leaves the case the same is not taken.
        let whole = case.clone();
        assert!(!attempt(&mut case, &mut predicate, |_| {}));
        assert!(is_same(&case, &whole));
    }

    #[test]
    fn the_half_of_the_lanes_that_still_fails_is_kept() {
        for needed in [[1, 6], [9, 14]] {
            let mut case = Case::bare(IsaId::Agal, &[]);
            case.env.lanes = (0..16).map(|lane| LaneInput { slots: vec![[lane as f32; 4]] }).collect();
            let mut fails = |c: &Case| {
                let has = |lane: i32| c.env.lanes.iter().any(|input| input.slots[0][0] == lane as f32);
                needed.into_iter().all(has)
            };
            fewer_lanes(&mut case, &mut FailurePredicate { fails: &mut fails, tries: 0 });
            assert!(case.env.lanes.len() == 8 && fails(&case), "{needed:?}");
        }
    }

    /// Returns a case with two values of each kind, each of which can be reduced.
    fn full() -> Case {
        let texture = || Texture {
            size: [4, 4, 4],
            levels: 3,
            texels: Texels::Explicit(vec![[0.5; 4]; 2]),
            ..Texture::default()
        };
        let lane = || LaneInput { slots: vec![[2.5; 4]; 2] };
        let mut case = Case::bare(IsaId::Agal, &[]);
        case.options = [("a", "b"), ("c", "d")].map(|(k, v)| (k.to_owned(), v.to_owned())).into();
        case.env = Environment {
            textures: vec![texture(), texture()],
            constants: vec![[2.5; 4]; 2],
            ints: vec![[9; 4]; 2],
            bools: vec![true; 2],
            buffers: vec![Buffer { words: vec![7; 2] }; 2],
            fuel: 5,
            effects: 5,
            lanes: (0..2).map(|_| lane()).collect(),
        };
        case
    }

    /// Returns the ways to reduce one part of the case [`full`].
    fn smaller() -> Vec<(&'static str, fn(&mut Case))> {
        vec![
            ("an option is removed", |c| drop(c.options.remove("a"))),
            ("the other option is removed", |c| drop(c.options.remove("c"))),
            ("less room for effects", |c| c.env.effects = 4),
            ("less fuel", |c| c.env.fuel = 2),
            ("no room for effects", |c| c.env.effects = 0),
            ("a buffer is removed", |c| {
                c.env.buffers.pop();
            }),
            ("a word of a buffer is removed", |c| {
                c.env.buffers[1].words.pop();
            }),
            ("a word of a buffer is 0", |c| c.env.buffers[0].words[1] = 0),
            ("a word of a buffer has the bits of 1.0", |c| c.env.buffers[0].words[0] = 1f32.to_bits()),
            ("an integer constant is removed", |c| {
                c.env.ints.pop();
            }),
            ("an integer is 0", |c| c.env.ints[1][3] = 0),
            ("an integer is 1", |c| c.env.ints[0][2] = 1),
            ("a Boolean is removed", |c| {
                c.env.bools.pop();
            }),
            ("a Boolean is false", |c| c.env.bools[1] = false),
            ("a texture is removed", |c| {
                c.env.textures.pop();
            }),
            ("a texture is plain", |c| plain(&mut c.env.textures[0])),
            ("a constant is removed", |c| {
                c.env.constants.pop();
            }),
            ("all constants are removed", |c| c.env.constants.clear()),
            ("a constant is 0", |c| c.env.constants[1] = [0.0; 4]),
            ("a component of a constant is 0", |c| c.env.constants[0][3] = 0.0),
            ("a component of a constant is 1", |c| c.env.constants[0][2] = 1.0),
            ("a component of a constant is whole", |c| c.env.constants[1][1] = 2.0),
            ("an input is removed", |c| {
                c.env.lanes[1].slots.pop();
            }),
            ("an input is 0", |c| c.env.lanes[0].slots[1] = [0.0; 4]),
            ("a component of an input is 1", |c| c.env.lanes[1].slots[0][3] = 1.0),
            ("the first lane stays", |c| {
                c.env.lanes.pop();
            }),
            ("the last lane stays", |c| {
                c.env.lanes.remove(0);
            }),
        ]
    }

    #[test]
    fn each_reduction_is_taken_if_no_other_keeps_the_failure() {
        for (what, change) in smaller() {
            let whole = full();
            let mut one = whole.clone();
            change(&mut one);
            assert_ne!(one, whole, "{what}");
            let mut fails = |c: &Case| *c == whole || *c == one;
            let mut predicate = FailurePredicate { fails: &mut fails, tries: 0 };
            let mut case = whole.clone();
            shrink(&mut case, &mut predicate);
            assert!(case == one, "{what}: not taken");
        }
    }
}
