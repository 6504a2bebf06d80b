//! Stress programs of AGAL.

use super::{StressFamily, repeat};

pub(super) const ALL: &[StressFamily] = &[
    StressFamily::new("straight line", straight),
    StressFamily::new("nested conditions", nested),
    StressFamily::new("nested conditions, two branches", branches),
    StressFamily::new("conditions in a row", row),
    StressFamily::new("indirect constants", indirect),
    StressFamily::new("texture reads", textures),
    StressFamily::new("broken lines", broken),
];

fn vertex(body: &str) -> String {
    format!("version 3 vertex\nmov vt0, va0\nmov vt1, va1\n{body}mov op, vt0\n")
}

fn straight(n: usize) -> String {
    vertex(&repeat(n, |k| format!("add vt{}, vt{}, va0\n", k % 2, (k + 1) % 2)))
}

fn nested(n: usize) -> String {
    vertex(&format!("{}add vt0, vt0, va0\n{}", "ifl vt0.x, vt1.x\n".repeat(n), "eif\n".repeat(n)))
}

fn branches(n: usize) -> String {
    let open = "ifg vt0.x, vt1.y\nadd vt0, vt0, vt1\nels\n".repeat(n);
    vertex(&format!("{open}add vt0, vt0, va0\n{}", "eif\n".repeat(n)))
}

fn row(n: usize) -> String {
    vertex(&"ine vt0.x, vt1.x\nadd vt0.x, vt0.x, vt1.y\nels\nadd vt1.x, vt0.y, vt1.x\neif\n".repeat(n))
}

fn indirect(n: usize) -> String {
    vertex(&repeat(n, |k| format!("add vt0, vt0, vc[va0.x+{}]\n", k % 128)))
}

fn textures(n: usize) -> String {
    let body = "tex ft0, v0, fs0 <2d,linear,miplinear,repeat>\n".repeat(n);
    format!("version 3 fragment\n{body}mov oc, ft0\n")
}

fn broken(n: usize) -> String {
    vertex(&".token 0xff, 0xffffffff, 0xffffffffffffffff, 0xffffffffffffffff\n".repeat(n))
}
