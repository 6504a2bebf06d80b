//! Stress programs of Mali Utgard GP. At most 512 words run; longer programs are refused.

use super::{StressFamily, repeat};

pub(super) const ALL: &[StressFamily] = &[
    StressFamily::new("straight line", straight),
    StressFamily::new("no operations", nothing),
    StressFamily::new("forward branches", branches),
    StressFamily::new("backward branches", back),
    StressFamily::new("branches everywhere", everywhere),
    StressFamily::new("stores", stores),
    StressFamily::new("temporaries", temporaries),
];

const OUT: &str = "attribute.load(0), acc[0].mov(attribute.x), acc[1].mov(attribute.y), store[0].varying(0, acc[0].out, acc[1].out);\n";
const BRANCH: &str = "attribute.load(0), pass.mov(attribute.x), ";

fn straight(n: usize) -> String {
    "attribute.load(1), acc[0].add(attribute.x, attribute.y), mul[0].mul(attribute.x, attribute.z);\n"
        .repeat(n)
        + OUT
}

fn nothing(n: usize) -> String {
    "nop;\n".repeat(n) + OUT
}

fn branches(n: usize) -> String {
    repeat(n, |k| format!("{BRANCH}branch(l{k}), unknown_1(13);\nnop;\nl{k}:\n")) + OUT
}

fn back(n: usize) -> String {
    repeat(n, |k| format!("l{k}:\nnop;\n{BRANCH}branch(l{k}), unknown_1(13);\n")) + OUT
}

fn everywhere(n: usize) -> String {
    repeat(n, |k| format!("l{k}:\n{BRANCH}branch(l{}), unknown_1(13);\n", (k * 7 + 3) % n.max(1))) + OUT
}

fn stores(n: usize) -> String {
    repeat(n, |k| {
        format!(
            "attribute.load(1), acc[0].mov(attribute.x), acc[1].mov(attribute.y), store[0].register({}, acc[0].out, acc[1].out);\n",
            k % 16
        )
    }) + OUT
}

fn temporaries(n: usize) -> String {
    "attribute.load(1), acc[0].mov(attribute.x), complex.set_addr0(attribute.x), store[0].temporary(acc[0].out, acc[0].out), unknown_1(12);\n".repeat(n) + OUT
}
