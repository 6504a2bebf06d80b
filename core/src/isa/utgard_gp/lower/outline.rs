//! What is worked out once for a program: where basic blocks begin, and what its stores go to.

use super::Cx;
use super::stores::{targets, temporary};
use crate::isa::utgard_gp::program::{Program, Target};

/// The outline of a program.
pub struct Outline {
    /// Of each word, and of the place behind the last one, whether it begins a basic block.
    leaders: Vec<bool>,
    /// Whether temporaries are stored, so that uniforms are in a memory of the lane's own.
    pub(super) memory: bool,
    /// By component: the registers that are stored to.
    pub(super) registers: [u16; 4],
    /// The address registers that are set.
    pub(super) addresses: u8,
}

impl Outline {
    /// Reads a program once.
    pub fn of(cx: &Cx<'_>) -> Outline {
        Outline::of_program(cx.program)
    }

    /// The same, whatever runs of it.
    pub fn of_program(program: &Program) -> Outline {
        let words = &program.words;
        let mut leaders = vec![false; words.len() + 1];
        let mut registers = [0u16; 4];
        for (at, word) in words.iter().enumerate() {
            for (c, target) in targets(word).into_iter().enumerate() {
                if let Some(Target::Register(n)) = target {
                    registers[c] |= 1 << (n & 15);
                }
            }
            if word.branch == 0 {
                continue;
            }
            leaders[at + 1] = true;
            if let Some(leader) = leaders.get_mut(word.target() as usize) {
                *leader = true;
            }
        }
        Outline {
            leaders,
            memory: words.iter().any(temporary),
            registers,
            addresses: words
                .iter()
                .filter_map(|word| word.address_set()?.later)
                .fold(0u8, |all, n| all | 1 << n),
        }
    }

    /// Whether a word begins a basic block.
    pub fn is_leader(&self, at: u32) -> bool {
        self.leaders.get(at as usize).copied().unwrap_or(false)
    }
}
