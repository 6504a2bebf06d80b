//! Stress programs of Direct3D 9.

use super::{StressFamily, repeat};

pub(super) const ALL: &[StressFamily] = &[
    StressFamily::new("straight line", straight),
    StressFamily::new("no operations", nothing),
    StressFamily::new("nested conditions", nested),
    StressFamily::new("nested conditions, two branches", branches),
    StressFamily::new("conditions in a row", row),
    StressFamily::new("loops in a row", loops),
    StressFamily::new("nested loops", deep_loops),
    StressFamily::new("loops four deep, again and again", loops_in_loops),
    StressFamily::new("matrices by index, loops four deep", matrices_in_loops),
    StressFamily::new("breaks of one loop", breaks),
    StressFamily::new("calls of one subroutine", calls),
    // Labels have eleven bits.
    StressFamily::new("many subroutines", labels).up_to(1 << 14),
    StressFamily::new("calls four deep", call_tree),
    StressFamily::new("texture reads", textures),
    StressFamily::new("declarations", declarations),
    StressFamily::new("definitions", definitions),
    StressFamily::new("constants by index", indexed),
];

fn vertex(body: &str) -> String {
    format!("vs_2_sw\ndcl_position v0\ndcl_texcoord v1\ndefi i0, 1, 0, 1, 0\nmov r0, v0\nmov r1, v1\n{body}")
}

const OUT: &str = "mov oPos, r0\n";

fn straight(n: usize) -> String {
    vertex(&(repeat(n, |k| format!("add r{}, r{}, v0\n", k % 2, (k + 1) % 2)) + OUT))
}

fn nothing(n: usize) -> String {
    vertex(&("nop\n".repeat(n) + OUT))
}

fn nested(n: usize) -> String {
    vertex(&format!("{}add r0, r0, v0\n{}{OUT}", "if b0\n".repeat(n), "endif\n".repeat(n)))
}

fn branches(n: usize) -> String {
    let open = "if_lt r0.x, r1.x\nadd r0, r0, r1\nelse\n".repeat(n);
    vertex(&format!("{open}add r0, r0, v0\n{}{OUT}", "endif\n".repeat(n)))
}

fn row(n: usize) -> String {
    vertex(&("if_lt r0.x, r1.x\nadd r0, r0, r1\nelse\nadd r1, r1, r0\nendif\n".repeat(n) + OUT))
}

fn loops(n: usize) -> String {
    vertex(&("rep i0\nadd r0, r0, r1\nendrep\n".repeat(n) + OUT))
}

fn deep_loops(n: usize) -> String {
    vertex(&format!("{}add r0, r0, v0\n{}{OUT}", "rep i0\n".repeat(n), "endrep\n".repeat(n)))
}

fn loops_in_loops(n: usize) -> String {
    four_deep(&"add r0, r0, r1\n".repeat(n))
}

fn matrices_in_loops(n: usize) -> String {
    four_deep(&"m4x4 r0, r1, c[a0.x]\n".repeat(n))
}

fn four_deep(body: &str) -> String {
    let open = "loop aL, i1\n".repeat(4);
    vertex(&format!("{open}{body}{}{OUT}", "endloop\n".repeat(4)))
}

fn breaks(n: usize) -> String {
    vertex(&format!("rep i0\n{}endrep\n{OUT}", "break_lt r0.x, r1.x\n".repeat(n)))
}

fn calls(n: usize) -> String {
    vertex(&format!("{}{OUT}ret\nlabel l0\nadd r0, r0, r1\nret\n", "call l0\n".repeat(n)))
}

fn labels(n: usize) -> String {
    let calls = repeat(n, |k| format!("call l{k}\n"));
    let labels = repeat(n, |k| format!("label l{k}\nadd r0, r0, r1\nret\n"));
    vertex(&format!("{calls}{OUT}ret\n{labels}"))
}

fn call_tree(n: usize) -> String {
    let levels = repeat(4, |level| {
        let body =
            if level < 3 { format!("call l{}\n", level + 1).repeat(n) } else { "add r0, r0, r1\n".repeat(n) };
        format!("label l{level}\n{body}ret\n")
    });
    vertex(&format!("{}{OUT}ret\n{levels}", "call l0\n".repeat(n)))
}

fn textures(n: usize) -> String {
    let body = "texld r0, v0, s0\n".repeat(n);
    format!("ps_3_0\ndcl_texcoord v0\ndcl_2d s0\n{body}mov oC0, r0\n")
}

fn declarations(n: usize) -> String {
    let body = repeat(n, |k| format!("dcl_2d s{}\n", k % 16));
    format!("ps_3_0\ndcl_texcoord v0\n{body}texld r0, v0, s3\nmov oC0, r0\n")
}

fn definitions(n: usize) -> String {
    let body = repeat(n, |k| format!("def c{}, 0, 1, 2, {k}\n", k % 256));
    format!("vs_3_0\ndcl_position v0\ndcl_position o0\n{body}add o0, v0, c7\n")
}

fn indexed(n: usize) -> String {
    let body = "add r0, r0, c[a0.x]\n".repeat(n);
    vertex(&format!("mova a0.x, r1.x\n{body}{OUT}"))
}
