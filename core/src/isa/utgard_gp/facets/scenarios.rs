//! Scenarios: situations that no facet covers, such as several units of a word together, delayed stores, or the output transforms after the program.

use crate::isa::facet::Scenario;

const fn scenario(name: &'static str, mutate: bool, text: &'static str) -> Scenario {
    Scenario { name, mutate, under: None, text }
}

/// The scenarios.
pub(super) const SCENARIOS: &[Scenario] = &[
    scenario(
        "both adders, a move and a sum",
        true,
        "attribute.load(0), acc[0].mov(attribute.x), acc[1].add(-attribute.y, -attribute.z),
             store[0].varying(0, acc[0].out, acc[1].out);",
    ),
    // Sets an address register, and uses it in the first word in which the new value has arrived.
    scenario(
        "address register 1 arrives",
        false,
        "attribute.load(0), complex.set_addr1(attribute.x); nop; nop; nop;
         uniform.load(3, addr[1]), pass.mov(uniform.x), store[0].varying(0, pass.out, unused);",
    ),
    scenario(
        "address register 2 arrives",
        false,
        "attribute.load(0), complex.set_addr2(attribute.x); nop; nop; nop;
         uniform.load(3, addr[2]), pass.mov(uniform.x), store[0].varying(0, pass.out, unused);",
    ),
    scenario(
        "address register 3 arrives",
        false,
        "attribute.load(0), complex.set_addr3(attribute.x); nop; nop; nop;
         uniform.load(3, addr[3]), pass.mov(uniform.x), store[0].varying(0, pass.out, unused);",
    ),
    scenario(
        "address registers of a clamp",
        false,
        "uniform.load(0), attribute.load(0), complex.set_addr01(), pass.clamp(attribute.x);",
    ),
    // The store uses address register 0 at once; the load uses address register 1 in the first word in which its value has arrived.
    scenario(
        "address registers of pass arrive",
        false,
        "attribute.load(0), complex.set_addr01(), pass.mov(attribute.x), store[0].temporary(pass.out, unused), unknown_1(12);
         nop; nop; nop;
         uniform.load(3, addr[1]), pass.mov(uniform.x), store[0].varying(0, pass.out, unused);",
    ),
    scenario(
        "a temporary arrives",
        false,
        "attribute.load(2), complex.set_addr0(attribute.w), pass.mov(attribute.x), store[0].temporary(pass.out, unused),
             unknown_1(12);
         nop; nop; nop;
         uniform.load(3), pass.mov(uniform.x), store[0].varying(0, pass.out, unused);",
    ),
    // The two operands of complex2 have different sources.
    scenario(
        "a square of a result and its port",
        false,
        "attribute.load(3), complex.mov(attribute.x);
         attribute.load(3), mul[0].complex2(complex.out[1], attribute.x), complex.rcp(complex.out[1]);
         attribute.load(3), mul.complex1(complex.out[1], mul[0].out[1], complex.out[1], attribute.x);
         nop;
         pass.mov(mul[0].out[2]), store[0].varying(0, pass.out, unused);",
    ),
    // A store in the word of a branch, whose register is read afterwards; the result depends on the bubbles.
    scenario(
        "a store in a forward branch",
        false,
        "register[1].load(4), pass.mov(register[1].x), store[0].varying(0, pass.out, unused);
         attribute.load(0), pass.mov(attribute.x), store[0].register(4, pass.out, unused), branch(l2), unknown_1(13);
         l2:
         register[1].load(4), pass.mov(register[1].x), store[0].varying(0, pass.out, unused);",
    ),
    scenario(
        "a store in a backward branch",
        false,
        "l0:
         register[1].load(4), pass.mov(register[1].x), store[0].varying(0, pass.out, unused);
         attribute.load(0), pass.mov(attribute.x), store[0].register(4, pass.out, unused), branch(l0), unknown_1(13);
         register[1].load(4), pass.mov(register[1].x), store[0].varying(0, pass.out, unused);",
    ),
    // The output transforms after the program. Options affect them only if the facts give the position, the point size and the viewport's slots.
    scenario(
        "outputs position",
        true,
        ".viewport_scale 4
         .viewport_offset 7
         .position 0
         .point_size 3
         attribute.load(0), mul[0].mov(attribute.z), mul[1].mov(attribute.w), acc[0].mov(attribute.x), acc[1].mov(attribute.y),
             store[0].varying(0, acc[0].out, acc[1].out), store[1].varying(0, mul[0].out, mul[1].out);",
    ),
    scenario(
        "outputs point size",
        false,
        ".viewport_scale 4
         .viewport_offset 7
         .position 3
         .point_size 0
         attribute.load(0), mul[0].mov(attribute.z), mul[1].mov(attribute.w), acc[0].mov(attribute.x), acc[1].mov(attribute.y),
             store[0].varying(0, acc[0].out, acc[1].out), store[1].varying(0, mul[0].out, mul[1].out);",
    ),
    // If the last word branches, only lanes that end perform the output transforms.
    scenario(
        "outputs after a branch",
        false,
        ".viewport_scale 4
         .viewport_offset 7
         .position 0
         .point_size 3
         l0:
         attribute.load(0), mul[0].mov(attribute.z), mul[1].mov(attribute.w), acc[0].mov(attribute.x), acc[1].mov(attribute.y),
             store[0].varying(0, acc[0].out, acc[1].out), store[1].varying(0, mul[0].out, mul[1].out);
         attribute.load(0), mul[0].mov(attribute.z), mul[1].mov(attribute.w), acc[0].mov(attribute.x), acc[1].mov(attribute.y),
             pass.mov(attribute.x), store[0].varying(0, acc[0].out, acc[1].out),
             store[1].varying(0, mul[0].out, mul[1].out), branch(l0), unknown_1(13);",
    ),
];
