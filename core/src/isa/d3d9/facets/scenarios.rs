//! What is no property of one instruction: flow in flow, results that overwrite what is still to be read, and what leaves the first shaders.

use crate::isa::facet::Scenario;

const fn scenario(name: &'static str, mutate: bool, text: &'static str) -> Scenario {
    Scenario { name, mutate, under: None, text }
}

/// The same in the two stages of version 3_0.
macro_rules! stages {
    ($name:ident, $text:literal) => {
        const $name: [&str; 2] = [concat!("vs_3_0\n", $text), concat!("ps_3_0\n", $text)];
    };
}

// A loop in another, with one left between.
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
// Loops left by a predicate.
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
// Out of loops in a subroutine that is called in a loop.
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

/// The list.
pub(super) const SCENARIOS: &[Scenario] = &[
    scenario("a loop in another, with one left between, vertex", true, LOOPS[0]),
    scenario("a loop in another, with one left between, pixel", false, LOOPS[1]),
    scenario("a loop left by a predicate, vertex", true, PREDICATE[0]),
    scenario("a loop left by a predicate, pixel", false, PREDICATE[1]),
    scenario("out of loops in a subroutine that is called in a loop, vertex", true, CALLS[0]),
    scenario("out of loops in a subroutine that is called in a loop, pixel", false, CALLS[1]),
    scenario("to what leaves", true, "ps_1_1\nmov r0, c2"),
    scenario("a phase ends", true, "ps_1_4\nmov r1, c2\nphase\nmov r2.w, c2"),
    // Every component of the source is read before a component of the result is written. Before 2_0:
    scenario(
        "onto the source, vs_1_1",
        false,
        "vs_1_1
         mov r0, r0.wzyx
         mov r0, r0.w
         add r0, r0.wzyx, r0.wzyx
         add r0, r0.w, r0.w
         sub_opcode r0, r0.wzyx, r0.wzyx
         sub_opcode r0, r0.w, r0.w
         mad r0, r0.wzyx, r0.wzyx, r0.wzyx
         mad r0, r0.w, r0.w, r0.w
         mul r0, r0.wzyx, r0.wzyx
         mul r0, r0.w, r0.w
         rcp r0, r0.wzyx
         rcp r0, r0.w
         rsq r0, r0.wzyx
         rsq r0, r0.w
         dp3 r0, r0.wzyx, r0.wzyx
         dp3 r0, r0.w, r0.w
         dp4 r0, r0.wzyx, r0.wzyx
         dp4 r0, r0.w, r0.w
         min r0, r0.wzyx, r0.wzyx
         min r0, r0.w, r0.w
         max r0, r0.wzyx, r0.wzyx
         max r0, r0.w, r0.w
         slt r0, r0.wzyx, r0.wzyx
         slt r0, r0.w, r0.w
         sge r0, r0.wzyx, r0.wzyx
         sge r0, r0.w, r0.w
         exp r0, r0.wzyx
         exp r0, r0.w
         log r0, r0.wzyx
         log r0, r0.w
         lit r0, r0.wzyx
         lit r0, r0.w
         dst r0, r0.wzyx, r0.wzyx
         dst r0, r0.w, r0.w
         frc r0.xy, r0.wzyx
         frc r0.xy, r0.w
         m4x4 r0, r0.wzyx, c4
         m4x4 r0, r0.w, c4
         m4x3 r0.xyz, r0.wzyx, c4
         m4x3 r0.xyz, r0.w, c4
         m3x4 r0, r0.wzyx, c4
         m3x4 r0, r0.w, c4
         m3x3 r0.xyz, r0.wzyx, c4
         m3x3 r0.xyz, r0.w, c4
         m3x2 r0.xy, r0.wzyx, c4
         m3x2 r0.xy, r0.w, c4
         expp r0, r0.wzyx
         expp r0, r0.w
         logp r0, r0.wzyx
         logp r0, r0.w",
    ),
    scenario(
        "onto the source, vs_2_x",
        false,
        "vs_2_x
         mov r0, r0.wzyx
         mov r0, r0.w
         add r0, r0.wzyx, r0.wzyx
         add r0, r0.w, r0.w
         sub_opcode r0, r0.wzyx, r0.wzyx
         sub_opcode r0, r0.w, r0.w
         mad r0, r0.wzyx, r0.wzyx, r0.wzyx
         mad r0, r0.w, r0.w, r0.w
         mul r0, r0.wzyx, r0.wzyx
         mul r0, r0.w, r0.w
         rcp r0, r0.wzyx
         rcp r0, r0.w
         rsq r0, r0.wzyx
         rsq r0, r0.w
         dp3 r0, r0.wzyx, r0.wzyx
         dp3 r0, r0.w, r0.w
         dp4 r0, r0.wzyx, r0.wzyx
         dp4 r0, r0.w, r0.w
         min r0, r0.wzyx, r0.wzyx
         min r0, r0.w, r0.w
         max r0, r0.wzyx, r0.wzyx
         max r0, r0.w, r0.w
         slt r0, r0.wzyx, r0.wzyx
         slt r0, r0.w, r0.w
         sge r0, r0.wzyx, r0.wzyx
         sge r0, r0.w, r0.w
         exp r0, r0.wzyx
         exp r0, r0.w
         log r0, r0.wzyx
         log r0, r0.w
         lit r0, r0.wzyx
         lit r0, r0.w
         dst r0, r0.wzyx, r0.wzyx
         dst r0, r0.w, r0.w
         lrp r0, r0.wzyx, r0.wzyx, r0.wzyx
         lrp r0, r0.w, r0.w, r0.w
         frc r0, r0.wzyx
         frc r0, r0.w
         m4x4 r0, r0.wzyx, c4
         m4x4 r0, r0.w, c4
         m4x3 r0.xyz, r0.wzyx, c4
         m4x3 r0.xyz, r0.w, c4
         m3x4 r0, r0.wzyx, c4
         m3x4 r0, r0.w, c4
         m3x3 r0.xyz, r0.wzyx, c4
         m3x3 r0.xyz, r0.w, c4
         m3x2 r0.xy, r0.wzyx, c4
         m3x2 r0.xy, r0.w, c4
         pow r0, r0.wzyx, r0.wzyx
         pow r0, r0.w, r0.w
         crs r0.xyz, r0.wzyx, r0.wzyx
         crs r0.xyz, r0.w, r0.w
         sgn r0, r0.wzyx, r3, r4
         sgn r0, r0.w, r3, r4
         abs r0, r0.wzyx
         abs r0, r0.w
         nrm r0, r0.wzyx
         nrm r0, r0.w
         sincos r0.xy, r0.wzyx, c1, c2
         sincos r0.xy, r0.w, c1, c2
         expp r0, r0.wzyx
         expp r0, r0.w
         logp r0, r0.wzyx
         logp r0, r0.w",
    ),
    scenario(
        "onto the source, ps_1_4",
        false,
        "ps_1_4
         texld r1, r1
         bem r1.xy, r1, r1
         bem r1.xy, r1.a, r1.a
         mov r1, r1.a
         add r1, r1.a, r1.a
         sub r1, r1.a, r1.a
         mad r1, r1.a, r1.a, r1.a
         mul r1, r1.a, r1.a
         dp3 r1, r1.a, r1.a
         dp4 r1, r1.a, r1.a
         lrp r1, r1.a, r1.a, r1.a
         cnd r1, r1, r1, r1
         cnd r1, r1.a, r1.a, r1.a
         cmp r1, r1, r1, r1
         cmp r1, r1.a, r1.a, r1.a",
    ),
    scenario(
        "onto the source, ps_3_0",
        false,
        "ps_3_0
         dcl_2d s0
         dp2add r0, r0.wzyx, r0.wzyx, r0.wzyx
         dp2add r0, r0.w, r0.w, r0.w
         cmp r0, r0.wzyx, r0.wzyx, r0.wzyx
         cmp r0, r0.w, r0.w, r0.w
         dsx r0, r0.wzyx
         dsx r0, r0.w
         dsy r0, r0.wzyx
         dsy r0, r0.w
         texld r0, r0.wzyx, s0
         texld r0, r0.w, s0
         texldp r0, r0.wzyx, s0
         texldb r0, r0.wzyx, s0
         texldl r0, r0.wzyx, s0
         texldl r0, r0.w, s0
         texldd r0, r0.wzyx, s0, r0.wzyx, r0.wzyx
         texldd r0, r0.w, s0, r0.w, r0.w",
    ),
    // The second of two reads what was there before the first.
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
