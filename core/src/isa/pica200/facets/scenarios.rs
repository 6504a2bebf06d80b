//! The scenarios: relative positions of scopes, order of execution, first and last registers, and the last word of memory.

use super::super::program::MEMORY;
use crate::isa::facet::Scenario;

const fn scenario(name: &'static str, mutate: bool, text: &'static str) -> Scenario {
    Scenario { name, mutate, under: None, text }
}

macro_rules! vertex {
    [$($line:literal),*] => { concat!(".raw vertex, outputs=0x9\n", $($line, "\n"),*) };
}

macro_rules! geometry {
    [$($line:literal),*] => { concat!(".raw geometry, outputs=0x9\n", $($line, "\n"),*) };
}

/// The list of scenarios.
#[rustfmt::skip]
pub(super) const SCENARIOS: &[Scenario] = &[
    // Calls that are dropped, that return together or that nest too deep.
    scenario("call backward", true, vertex!["L0:", "mov r0, v1", "mov r1, v1", "end", "call L0, 2", "mov r2, v1", "end"]),
    scenario("call of nothing", true, vertex!["call L2, 0", "mov r0, v1", "L2:", "mov r1, v1", "end"]),
    scenario("call deeper than the ring", true, vertex![
        "call L2, 2", "end", "L2:", "call L4, 2", "mov r1, v1", "L4:", "call L6, 2", "mov r2, v1", "L6:", "call L8, 2",
        "mov r3, v1", "L8:", "call La, 2", "mov r4, v1", "La:", "mov r8, v1", "mov r9, v1", "mov r10, v1", "end"
    ]),
    scenario("call all return at once", true, vertex![
        "call L3, 2", "mov r0, v1", "end", "L3:", "mov r1, v1", "call L5, 2", "L5:", "mov r2, v1", "call L7, 2", "L7:",
        "mov r3, v1", "call L9, 2", "L9:", "mov r8, v1", "mov r9, v1", "end"
    ]),
    scenario("call last word of a block", true, vertex![
        "ifc cmp.x, L2, 1", "call L4, 2", "L2:", "mov r0, v1", "end", "L4:", "mov r1, v1", "mov r2, v1", "end"
    ]),
    scenario("call its own last word", true, vertex!["call L2, 2", "end", "L2:", "mov r0, v1", "call L2, 2", "end"]),
    scenario("call ends with a block", true, vertex![
        "call L3, 3", "mov r0, v1", "end", "L3:", "ifc cmp.x, L6, 0", "mov r1, v1", "mov r2, v1", "L6:", "end"
    ]),
    // Nested blocks.
    scenario("ifc nested", true, vertex![
        "ifc cmp.x, L6, 2", "ifc cmp.y, L3, 1", "mov r0, v1", "L3:", "mov r1, v1", "mov r2, v1", "nop",
        "L6:", "mov r3, v1", "mov r4, v1", "mov r5, v1", "end"
    ]),
    scenario("ifu nested", true, vertex![
        "ifc cmp.x, L6, 2", "ifu b3, L3, 1", "mov r0, v1", "L3:", "mov r1, v1", "mov r2, v1", "nop", "L6:",
        "mov r3, v1", "mov r4, v1", "mov r5, v1", "end"
    ]),
    scenario("ifc shared end", true, vertex![
        "ifc cmp.x, L4, 0", "ifc !cmp.y, L4, 1", "mov r0, v1", "mov r1, v1", "L4:", "mov r2, v1",
        "end"
    ]),
    scenario("ifc deeper than the ring", true, vertex![
        "ifc !cmp.x || !cmp.y, L1b, 1", "ifc !cmp.x && !cmp.y, L19, 1", "ifc !cmp.x, L17, 1",
        "ifc !cmp.y, L15, 1", "ifc !cmp.x || cmp.y, L13, 1", "ifc !cmp.x && cmp.y, L11, 1", "ifc !cmp.x, Lf, 1",
        "ifc cmp.y, Ld, 1", "ifc cmp.x || !cmp.y, Lb, 1", "mov r0, v1", "mov r1, v1", "Lb:", "mov r2, v1",
        "mov r3, v1", "Ld:", "mov r4, v1", "mov r5, v1", "Lf:", "mov r6, v1", "mov r7, v1", "L11:", "mov r8, v1",
        "mov r9, v1", "L13:", "mov r10, v1", "mov r11, v1", "L15:", "mov r12, v1", "mov r13, v1", "L17:", "mov r14, v1",
        "mov r15, v1", "L19:", "mov r0, v1", "mov r1, v1", "L1b:", "mov r2, v1", "mov r3, v1", "end"
    ]),
    scenario("ifc backward", true, vertex!["mov r0, v1", "L1:", "mov r1, v1", "ifc cmp.x, L1, 2", "mov r2, v1", "end"]),
    // Loops, and exits from loops.
    scenario("for nested", true, vertex![
        "for i0, L5", "mov r0, v1", "for i1, L4", "mov r1, v1", "L4:", "mov r2, v1", "L5:", "mov r3, v1", "mov r4, v1",
        "end"
    ]),
    scenario("for shared end", true, vertex![
        "for i0, L5", "mov r0, v1", "for i1, L5", "mov r1, v1", "mov r2, v1", "L5:", "mov r3, v1", "mov r4, v1", "end"
    ]),
    scenario("for backward", true, vertex!["L0:", "mov r0, v1", "for i2, L0", "mov r1, v1", "end"]),
    scenario("for deeper than the ring", true, vertex![
        "for i0, La", "for i1, L9", "for i2, L8", "for i3, L7", "for i0, L6", "mov r0, v1", "L6:", "mov r1, v1", "L7:",
        "mov r2, v1", "L8:", "mov r3, v1", "L9:", "mov r4, v1", "La:", "mov r5, v1", "mov r6, v1", "end"
    ]),
    scenario("for with a call and a block", true, vertex![
        "for i0, L5", "call L8, 2", "mov r0, v1", "ifu b1, L5, 0", "mov r1, v1", "L5:", "mov r2, v1", "mov r3, v1", "end",
        "L8:", "mov r4, v1", "mov r5, v1"
    ]),
    scenario("jmpc last word of a loop", true, vertex![
        "for i0, L2", "mov r0, v1", "L2:", "jmpc cmp.x, L4", "mov r1, v1", "L4:", "mov r2, v1", "end"
    ]),
    scenario("jmpc out of a loop", true, vertex![
        "for i0, L3", "mov r0, v1", "jmpc cmp.x, L5", "L3:", "mov r1, v1", "mov r2, v1", "L5:", "mov r3, v1",
        "end"
    ]),
    scenario("break last word of a block in a loop", true, vertex![
        "for i0, L4", "mov r0, v1", "ifc !cmp.y, L4, 0", "break", "L4:", "mov r1, v1", "mov r2, v1", "end"
    ]),
    scenario("break last word of a loop", true, vertex!["for i0, L2", "mov r0, v1", "L2:", "break", "mov r1, v1", "end"]),
    scenario("break inner loop", true, vertex![
        "for i0, L7", "mov r0, v1", "for i1, L5", "mov r1, v1", "break", "L5:", "mov r2, v1", "mov r3, v1", "L7:", "nop",
        "mov r4, v1", "end"
    ]),
    scenario("break in a procedure", true, vertex![
        "for i0, L2", "call L5, 2", "L2:", "mov r0, v1", "mov r1, v1", "end", "L5:", "mov r2, v1", "break", "mov r3, v1",
        "end"
    ]),
    scenario("breakc last word of a block in a loop", true, vertex![
        "for i0, L4", "mov r0, v1", "ifc !cmp.y, L4, 0", "breakc cmp.x", "L4:", "mov r1, v1",
        "mov r2, v1", "end"
    ]),
    scenario("breakc last word of a loop", true, vertex![
        "for i0, L2", "mov r0, v1", "L2:", "breakc cmp.x", "mov r1, v1", "end"
    ]),
    scenario("breakc inner loop", true, vertex![
        "for i0, L7", "mov r0, v1", "for i1, L5", "mov r1, v1", "breakc cmp.x", "L5:", "mov r2, v1", "mov r3, v1",
        "L7:", "nop", "mov r4, v1", "end"
    ]),
    scenario("breakc in a procedure", true, vertex![
        "for i0, L2", "call L5, 2", "L2:", "mov r0, v1", "mov r1, v1", "end", "L5:", "mov r2, v1", "breakc cmp.x",
        "mov r3, v1", "end"
    ]),
    scenario("end in a procedure and a loop", true, vertex![
        "for i0, L3", "call L5, 2", "mov r0, v1", "L3:", "mov r1, v1", "end", "L5:", "mov r2, v1", "end", "end"
    ]),
    // Outputs written before the first `emit` are in the active bank again after the second `emit`.
    scenario("emit banks", true, geometry!["mov o0, v2", "emit", "mov o3, v2", "emit", "emit", "end"]),
    scenario("emit last word of a loop", true, geometry!["for i0, L2", "mov o0, v2", "L2:", "emit", "mov r0, v1", "end"]),
    // A procedure breaks out of the loop that calls it. If the procedure is called outside a loop, the machine hangs.
    scenario("break in a procedure that is called in a loop and outside", true, vertex![
        "for i0, L2", "call L5, 2", "L2:", "mov r0, v1", "call L5, 2", "end", "L5:", "mov r1, v1", "break", "mov r2, v1", "end"
    ]),
    // Every condition, with every reference value.
    scenario("conditions", true, vertex![
        "ifc !cmp.x || !cmp.y, L2, 0", "mov r0, v1", "L2:", "ifc !cmp.x || cmp.y, L4, 0", "mov r1, v1", "L4:",
        "ifc cmp.x || !cmp.y, L6, 0", "mov r2, v1", "L6:", "ifc cmp.x || cmp.y, L8, 0", "mov r3, v1", "L8:",
        "ifc !cmp.x && !cmp.y, La, 0", "mov r4, v1", "La:", "ifc !cmp.x && cmp.y, Lc, 0", "mov r5, v1", "Lc:",
        "ifc cmp.x && !cmp.y, Le, 0", "mov r6, v1", "Le:", "ifc cmp.x && cmp.y, L10, 0", "mov r7, v1", "L10:",
        "ifc !cmp.x, L12, 0", "mov r8, v1", "L12:", "ifc cmp.x, L14, 0", "mov r9, v1", "L14:",
        "ifc !cmp.y, L16, 0", "mov r10, v1", "L16:", "ifc cmp.y, L18, 0", "mov r11, v1", "L18:", "mov r12, v1", "end"
    ]),
    // A reference that the condition does not test is still encoded.
    scenario("references that are not tested", false, vertex![
        "ifc cmp.x, L2, 0 {refy=0}", "mov r0, v1", "L2:", "ifc !cmp.y, L4, 0 {refx=0}", "mov r1, v1", "L4:", "mov r2, v1", "end"
    ]),
    // The upper bits of the number of an integer uniform are not used.
    scenario("integers", true, vertex![
        "for i1, L2", "mov r0, v1", "L2:", "mov r1, v1", "for i2, L5", "mov r2, v1", "L5:", "mov r3, v1", "for i3, L8",
        "mov r4, v1", "L8:", "mov r5, v1", "for i6, Lb", "mov r6, v1", "Lb:", "mov r7, v1", "end"
    ]),
    scenario("first and last Booleans", true, vertex![
        "ifu b0, L2, 0", "mov r0, v1", "L2:", "ifu b15, L4, 1", "mov r1, v1", "L4:", "mov r2, v1", "callu b0, L9, 1",
        "jmpu !b15, L8", "mov r3, v1", "L8:", "end", "L9:", "mov r4, v1", "end"
    ]),
    scenario("first and last registers", false, vertex![
        "mov o0, v0", "mov o15, v15", "mov r0, c0", "mov r15, c95", "add r0, c0[aL], v15", "add r15, c95[a0.y], r15",
        "mad r0.xyw, r15, c95[a0.x], r0", "end"
    ]),
    // An index has no effect on registers other than uniforms.
    scenario("indices of other registers", false, vertex![
        "mov r0, v3[a0.x]", "mov r1, r6[a0.y]", "dphi r2, v3, v3[aL]", "mad r3, v3, r6[a0.x], r7", "madi r4, v3, r6, v3[a0.y]", "end"
    ]),
    // By default, the last word of memory ends the program, whatever it contains.
    scenario("mov in the last word of memory", false, MOV),
    scenario("jmpc in the last word of memory", false, JMPC),
    scenario("end in the last word of memory", false, END),
];

const HEAD: &str = ".raw geometry, outputs=0x9, entry=0xffe\n";
const WORD: &str = "end\n";
/// The number of words before the last two, at which execution starts.
const BEFORE: usize = MEMORY as usize - 2;

/// Returns the length of a text that [`last`] makes.
const fn length(tail: &str) -> usize {
    HEAD.len() + BEFORE * WORD.len() + tail.len()
}

/// Returns the text of a program that fills memory, ending with these words.
const fn last<const LENGTH: usize>(tail: &str) -> [u8; LENGTH] {
    let mut text = [0; LENGTH];
    let mut at = 0;
    while at < LENGTH {
        text[at] = if at < HEAD.len() {
            HEAD.as_bytes()[at]
        } else if at < LENGTH - tail.len() {
            WORD.as_bytes()[(at - HEAD.len()) % WORD.len()]
        } else {
            tail.as_bytes()[at + tail.len() - LENGTH]
        };
        at += 1;
    }
    text
}

macro_rules! last_words {
    ($tail:literal) => {{
        const TEXT: [u8; length($tail)] = last($tail);
        match std::str::from_utf8(&TEXT) {
            Ok(text) => text,
            // Unreachable: the text is ASCII.
            Err(_) => "",
        }
    }};
}

const MOV: &str = last_words!("mov r1, v1\nmov r0, v1\n");
const JMPC: &str = last_words!("mov r1, v1\njmpc cmp.x, 0xffd\n");
const END: &str = last_words!("mov r1, v1\nend\n");
