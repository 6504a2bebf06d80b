//! Facts computed once per program: where basic blocks begin, and the targets of stores.

use super::Cx;
use super::stores::{stores_temporary, targets};
use crate::isa::utgard_gp::program::{Program, Target};

/// Where a program's basic blocks begin, and which registers, address registers and temporaries it stores.
pub struct Outline {
    /// For each word, and for the position after the last, whether it begins a basic block. The first word is marked only if it is a branch target.
    leaders: Vec<bool>,
    /// Whether temporaries are stored; the lane then has its own memory of uniforms and temporaries.
    pub(super) memory: bool,
    /// For each component, the set of registers that are stored, as a bit mask.
    pub(super) registers: [u16; 4],
    /// The address registers 1 to 3 that are set, as a bit mask. Sets of address register 0 are not included, as they take effect at once.
    pub(super) addresses: u8,
}

impl Outline {
    /// Computes the outline of a program.
    pub fn of(cx: &Cx<'_>) -> Outline {
        Outline::of_program(cx.program)
    }

    /// Computes the outline of a program without a lowering context.
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
            memory: words.iter().any(stores_temporary),
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
