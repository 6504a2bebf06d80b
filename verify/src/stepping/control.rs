//! Compares the control flow of the reference and of the lowered program after an instruction.

use super::{Change, Shown, VariableIndex, equal};
use lockstep_core::host::Host;
use lockstep_core::ir::VarKey;
use lockstep_core::ir::eval::{Lane, Scalar, Stop};
use lockstep_core::isa::lowering::{PC_FILE, hang_word};
use lockstep_core::isa::{CONTROL, Context, End, LaneState, Refinement, Syntax};
use lockstep_core::value::Concrete;

/// The fallback's variable for the number of the next instruction.
pub(crate) const PC_KEY: VarKey = VarKey { file: PC_FILE, index: 0, component: 0 };

/// The next step of a lane.
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

/// Returns the differences in control flow after an instruction that the reference and the lowered program have run. These are a different next
/// instruction, or a different state of loops and calls in the lowered program, which determines later control flow.
pub(super) fn differences<I: Syntax + Refinement, H: Host<Concrete>>(
    cx: &Context<'_, I>,
    host: &mut H,
    places: &VariableIndex,
    left: &LaneState<I::Lane<Concrete>>,
    right: &Lane<Concrete>,
) -> Vec<Change> {
    let Some(lowered) = lowered_next(I::instruction_count(cx), places, right) else { return Vec::new() };
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
    // A lane that has ended has no control state.
    let Some(control) = I::control(cx, &left.lane).filter(|_| matches!(reference, Next::Word(_))) else {
        return Vec::new();
    };
    let mut first = None;
    for way in 0..I::fallback_encodings(cx, &control) {
        let kept = I::fallback_state(&Concrete, host, cx, &control, &left.lane, way);
        let differing = kept.into_iter().filter_map(|(key, expected)| {
            // A register for which the lowering declares no variable is ignored.
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

fn changed<I: Syntax>(
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

/// Returns the next instruction of the reference's lane, whether or not it has fuel left.
fn reference_next<I: Refinement>(cx: &Context<'_, I>, lane: &LaneState<I::Lane<Concrete>>) -> Next {
    if lane.end == Some(End::Hung) {
        return Next::Hang;
    }
    let there = I::position(cx, &lane.lane).and_then(|_| I::control(cx, &lane.lane));
    there.map_or(Next::End, |control| Next::Word(I::control_word(&control)))
}

/// Returns the successor that the lowered program chose at the end of an instruction's block; `None` if the lane ran out of fuel inside the block.
fn lowered_next(words: u32, places: &VariableIndex, lane: &Lane<Concrete>) -> Option<Next> {
    match lane.stop {
        Some(Stop::Finished) => return Some(Next::End),
        Some(Stop::Hung) => return Some(Next::Hang),
        Some(Stop::OutOfFuel) => return None,
        None => {}
    }
    let Some(Scalar::I(next)) = places.value(lane, PC_KEY) else { return None };
    let next = next as u32;
    Some(match next {
        _ if next < words => Next::Word(next),
        _ if next == hang_word(words) => Next::Hang,
        _ => Next::End,
    })
}
