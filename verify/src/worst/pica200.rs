//! Stress programs of PICA200. A geometry program may have 4096 words. A vertex program may have 512 and is refused with more.

use super::{StressFamily, repeat};

pub(super) const ALL: &[StressFamily] = &[
    StressFamily::new("straight line", straight),
    StressFamily::new("vertex program", vertex_program),
    StressFamily::new("conditions eight deep, again and again", nested),
    StressFamily::new("conditions in a row", row),
    StressFamily::new("loops in a row", loops),
    StressFamily::new("loops four deep, again and again", deep_loops),
    StressFamily::new("calls of one range", calls),
    StressFamily::new("calls four deep", call_tree),
    // The ranges are 1 to 97 words long.
    StressFamily::new("overlapping ranges", overlapping),
    StressFamily::new("jumps on conditions", jumps).up_to(1 << 14),
    StressFamily::new("emitted vertices", emitted),
    // Procedure names contain the entry's number.
    StressFamily::new("many entries", entries),
];

fn geometry(body: &str) -> String {
    format!(
        ".gsh\n.out pos position\n.constf k(0.0, 1.0, -1.0, 0.5)\n.proc main\nmov r0, k\nmov r1, v0\n{body}setemit 0\nmov pos, r0\nemit\nend\n.end\n"
    )
}

fn straight(n: usize) -> String {
    geometry(&repeat(n, |k| format!("add r{}, r{}, r2\n", k % 2, (k + 1) % 2)))
}

fn vertex_program(n: usize) -> String {
    let body = "add r0, r0, v0\n".repeat(n);
    format!(".out pos position\n.proc main\nmov r0, v0\n{body}mov pos, r0\nend\n.end\n")
}

fn nested(n: usize) -> String {
    let nest = format!("{}add r0, r0, r1\n{}", "ifu b0\n".repeat(8), "nop\n.end\n".repeat(8));
    geometry(&nest.repeat(n))
}

fn row(n: usize) -> String {
    geometry(&"cmp k.xy, lt, ge, r0.xy\nifc cmp.x\nadd r0, r0, r1\n.else\nadd r1, r1, r0\n.end\n".repeat(n))
}

fn loops(n: usize) -> String {
    geometry(&"for i0\nadd r0, r0, r1\n.end\n".repeat(n))
}

fn deep_loops(n: usize) -> String {
    let nest = format!("{}add r0, r0, r1\n{}", "for i0\n".repeat(4), "nop\n.end\n".repeat(4));
    geometry(&nest.repeat(n))
}

fn calls(n: usize) -> String {
    geometry(&"call helper\n".repeat(n)) + ".proc helper\nadd r0, r0, r1\n.end\n"
}

fn call_tree(n: usize) -> String {
    let procedures = repeat(4, |level| {
        let body = if level < 3 {
            format!("call level{}\n", level + 1).repeat(n)
        } else {
            "add r0, r0, r1\n".repeat(n)
        };
        format!(".proc level{level}\n{body}nop\n.end\n")
    });
    geometry(&"call level0\n".repeat(n)) + &procedures
}

fn overlapping(n: usize) -> String {
    // The ranges begin one word apart and have different lengths, so most of them overlap and contain other calls.
    geometry(&repeat(n, |k| {
        format!("callc cmp.x, {:#x}, {}\ncmp k.xy, lt, ge, r0.xy\n", (k + 3) & 0xfff, 1 + k % 97)
    }))
}

fn jumps(n: usize) -> String {
    geometry(&repeat(n, |k| format!("jmpu b{}, {:#x}\nadd r0, r0, r1\n", k % 16, (k * 7 + 5) % (2 * n + 2))))
}

fn emitted(n: usize) -> String {
    geometry(&"setemit 0\nmov pos, r0\nemit\n".repeat(n))
}

fn entries(n: usize) -> String {
    repeat(n.max(1), |k| {
        let shader = if k > 0 { ".shader\n" } else { "" };
        format!(
            "{shader}.out pos position\n.entry main{k}\n.proc main{k}\nadd r0, v0, v0\nmov pos, r0\nend\n.end\n"
        )
    })
}
