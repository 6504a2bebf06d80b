//! Scenarios that no facet describes: nested control flow, co-issued pairs, and the outputs of early pixel shaders.

use crate::isa::facet::Scenario;

const fn scenario(name: &'static str, mutate: bool, text: &'static str) -> Scenario {
    Scenario { name, mutate, under: None, text }
}

/// Defines a scenario text once for both stages of version 3_0.
macro_rules! stages {
    ($name:ident, $text:literal) => {
        const $name: [&str; 2] = [concat!("vs_3_0\n", $text), concat!("ps_3_0\n", $text)];
    };
}

// Two nested loops; the inner one contains a `rep` loop that a break leaves.
stages!(
    LOOPS,
    "loop aL, i0
     loop aL, i1
     mov r1.xy, v[aL + 1]
     rep i2
     break
     endrep
     endloop
     mov r2.xy, v[aL + 1]
     endloop
     mov r3.xy, v[aL + 1]"
);
// Nested loops; a predicate ends the inner one.
stages!(
    PREDICATE,
    "loop aL, i0
     loop aL, i1
     mov r1.xy, v[aL + 1]
     breakp p0.z
     mov r2.xy, v[aL + 1]
     endloop
     mov r3.xy, v[aL + 1]
     break
     endloop"
);
// A subroutine, called in a loop and after it, returns from inside its own loop.
stages!(
    CALLS,
    "loop aL, i0
     callnz l3, b1
     endloop
     call l3
     ret
     label l3
     loop aL, i1
     if b2
     ret
     else
     call l4
     endif
     endloop
     ret
     label l4
     mov r1.xy, v[aL + 1]
     if b0
     mov r2.xy, v[aL + 1]
     endif"
);

/// The list of scenarios.
pub(super) const SCENARIOS: &[Scenario] = &[
    scenario("a loop in another, with one left between, vertex", true, LOOPS[0]),
    scenario("a loop in another, with one left between, pixel", false, LOOPS[1]),
    scenario("a loop left by a predicate, vertex", true, PREDICATE[0]),
    scenario("a loop left by a predicate, pixel", false, PREDICATE[1]),
    scenario("out of loops in a subroutine that is called in a loop, vertex", true, CALLS[0]),
    scenario("out of loops in a subroutine that is called in a loop, pixel", false, CALLS[1]),
    scenario("to what leaves", true, "ps_1_1\nmov r0, c2"),
    scenario("a phase ends", true, "ps_1_4\nmov r1, c2\nphase\nmov r2.w, c2"),
    // The second instruction of a co-issued pair reads the value that the first one's destination had before the pair.
    scenario(
        "reads its partner's register, ps_1_1",
        true,
        "ps_1_1
         mov r1.w, v0
         + mov r1.xyz, r1.a
         mov r1.w, v0
         + add r1.xyz, r1.a, r1.a
         mov r1.w, v0
         + sub r1.xyz, r1.a, r1.a
         mov r1.w, v0
         + mad r1.xyz, r1.a, r1.a, r1.a
         mov r1.w, v0
         + mul r1.xyz, r1.a, r1.a
         mov r1.w, v0
         + dp3 r1.xyz, r1.a, r1.a
         mov r1.w, v0
         + lrp r1.xyz, r1.a, r1.a, r1.a
         mov r0.w, v0
         + cnd r0.xyz, r0.a, r0.a, r0.a",
    ),
    // cnd has options that apply only to co-issued instructions: one for colour, one for alpha.
    scenario(
        "cnd issued with another instruction",
        true,
        "ps_1_1
         mov r1.w, v0
         + cnd r1.xyz, r0.a, v0, c1
         mov r1.xyz, v0
         + cnd r1.w, r0.a, v0, c1",
    ),
    scenario(
        "reads its partner's register, ps_1_4",
        true,
        "ps_1_4
         mov r1.w, v0
         + bem r1.xy, r1.a, r1.a
         mov r1.w, v0
         + dp4 r1.xyz, r1.a, r1.a
         mov r1.w, v0
         + cmp r1.xyz, r1.a, r1.a, r1.a",
    ),
];
