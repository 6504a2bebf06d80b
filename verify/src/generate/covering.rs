//! Covering arrays of programs: small sets of generated programs in which modifiers occur together.
//!
//! Coverage points check that each modifier works with each opcode. A fault that needs two modifiers at once, such as a clamp that is dropped under a
//! predicate, has no coverage point. Among many [drawn programs](super::drawing), those with the most [interactions](crate::coverage::Interactions) that
//! are still too rare are selected, until no program adds any. Nothing is stored on disk: a new opcode or modifier is included as soon as it is in the
//! tables.

use super::Generate;
use super::drawing::{compares, drawings};
use lockstep_core::isa::IsaId;
use lockstep_core::with_isa;
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// The minimum number of programs that should contain each interaction: first for proofs, which examine each instruction by itself, then for runs,
/// which need more, since an instruction may be dead.
const TARGET_COUNTS: [u8; 2] = [1, 2];
/// For each pass, the number of interactions, among those still too rare, that a program must contain to be selected.
const THRESHOLDS: [usize; 4] = [48, 16, 5, 1];

/// A covering array: the bytes of legal programs that produce something to compare in the environment of seed 0.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Covering {
    programs: Vec<Vec<u8>>,
    once: usize,
}

impl Covering {
    /// Returns all programs. Most interactions occur in several of them.
    pub fn programs(&self) -> &[Vec<u8>] {
        &self.programs
    }

    /// Returns the first programs, which contain every interaction of the array at least once.
    pub fn once(&self) -> &[Vec<u8>] {
        &self.programs[..self.once]
    }
}

/// Returns the covering array of an instruction set; it is drawn once per process.
pub fn covering(isa: IsaId) -> &'static Covering {
    place(isa).get_or_init(|| with_isa!(isa, I => select::<I>()))
}

/// Stores a covering array that another process has drawn, unless this process has drawn one.
#[cfg(feature = "cli")]
pub(crate) fn store_covering(isa: IsaId, covering: Covering) {
    // The array is always the same, so a failure to set it loses nothing.
    let _ = place(isa).set(covering);
}

/// Returns the slot in which this process stores the array of an instruction set.
fn place(isa: IsaId) -> &'static OnceLock<Covering> {
    static DRAWN: [OnceLock<Covering>; IsaId::ALL.len()] = [const { OnceLock::new() }; IsaId::ALL.len()];
    &DRAWN[IsaId::ALL.iter().position(|each| *each == isa).unwrap_or_default()]
}

/// Selects the programs of a covering array.
fn select<I: Generate>() -> Covering {
    let drawings = drawings::<I>();
    let mut times = vec![0u8; drawings.interactions];
    let mut open = drawings.programs;
    let mut taken = Covering::default();
    for (most, least) in TARGET_COUNTS.into_iter().flat_map(|most| THRESHOLDS.map(|least| (most, least))) {
        open.retain(|drawn| {
            let is_rare = |at: &&u32| times[**at as usize] < most;
            if drawn.interactions.iter().filter(is_rare).take(least).count() < least {
                return true;
            }
            if compares::<I>(&drawn.program) {
                for at in &drawn.interactions {
                    let n = &mut times[*at as usize];
                    *n = n.saturating_add(1);
                }
                taken.programs.push(I::encode(&drawn.program));
            }
            false
        });
        if most == TARGET_COUNTS[0] {
            taken.once = taken.programs.len();
        }
    }
    taken
}
