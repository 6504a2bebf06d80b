//! Where control goes after an instruction, in both engines.

use super::{Change, Places, Shown, equal};
use lockstep_core::host::Host;
use lockstep_core::ir::VarKey;
use lockstep_core::ir::eval::{Lane, Scalar, Stop};
use lockstep_core::ir::explore::{PC_FILE, hang_word};
use lockstep_core::isa::{CONTROL, Context, End, Isa, Running};
use lockstep_core::value::Concrete;

/// The variable of the fallback that holds the number of the next instruction.
pub(crate) const NEXT: VarKey = VarKey { file: PC_FILE, index: 0, component: 0 };

/// What a lane does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Word(u32),
    End,
    Hang,
}

impl Next {
    fn shown(self) -> Shown {
        Shown::text(match self {
            Next::Word(word) => format!("instruction {word}"),
            Next::End => "the end".to_owned(),
            Next::Hang => "a hang".to_owned(),
        })
    }
}

/// What differs in where the engines go after an instruction that both have run: the next instruction, or what the lowered program keeps of
/// loops and calls, which decides where it goes later.
pub(super) fn differences<I: Isa, H: Host<Concrete>>(
    cx: &Context<'_, I>,
    host: &mut H,
    places: &Places,
    left: &Running<I::Lane<Concrete>>,
    right: &Lane<Concrete>,
) -> Vec<Change> {
    let Some(lowered) = lowered_next(I::words(cx), places, right) else { return Vec::new() };
    let reference = reference_next::<I>(cx, left);
    if reference != lowered {
        return vec![Change {
            register: "goes to".to_owned(),
            key: Some(CONTROL),
            reference: reference.shown(),
            ir: lowered.shown(),
            differs: true,
        }];
    }
    // Of a lane that has ended nothing goes anywhere.
    let Some(config) = I::control(cx, &left.lane).filter(|_| matches!(reference, Next::Word(_))) else {
        return Vec::new();
    };
    let mut first = None;
    for way in 0..I::fallback_ways(cx, &config) {
        let kept = I::fallback_state(&Concrete, host, cx, &config, &left.lane, way);
        let differing = kept.into_iter().filter_map(|(key, expected)| {
            // A register that the lowering declares no variable for does not count.
            let held = places.value(right, key)?;
            (!equal(&expected, &held)).then(|| changed::<I>(cx, key, &expected, &held))
        });
        let differing: Vec<Change> = differing.collect();
        if differing.is_empty() {
            return differing;
        }
        first = first.or(Some(differing));
    }
    first.unwrap_or_default()
}

fn changed<I: Isa>(
    cx: &Context<'_, I>,
    key: VarKey,
    expected: &Scalar<Concrete>,
    held: &Scalar<Concrete>,
) -> Change {
    Change {
        register: I::var_name(cx.entry, key),
        key: Some(key),
        reference: Shown::of(expected),
        ir: Shown::of(held),
        differs: true,
    }
}

/// Where the reference's lane is now, whether or not it has fuel left to go on.
fn reference_next<I: Isa>(cx: &Context<'_, I>, lane: &Running<I::Lane<Concrete>>) -> Next {
    if lane.end == Some(End::Hung) {
        return Next::Hang;
    }
    let there = I::position(cx, &lane.lane).and_then(|_| I::control(cx, &lane.lane));
    there.map_or(Next::End, |config| Next::Word(I::config_word(&config)))
}

/// Where the lowered program goes from the block of an instruction; `None` where it ran out of fuel within.
fn lowered_next(words: u32, places: &Places, lane: &Lane<Concrete>) -> Option<Next> {
    match lane.stop {
        Some(Stop::Finished) => return Some(Next::End),
        Some(Stop::Hung) => return Some(Next::Hang),
        Some(Stop::OutOfFuel) => return None,
        None => {}
    }
    let Some(Scalar::I(next)) = places.value(lane, NEXT) else { return None };
    let next = next as u32;
    Some(match next {
        _ if next < words => Next::Word(next),
        _ if next == hang_word(words) => Next::Hang,
        _ => Next::End,
    })
}
