//! PICA200. A geometry program has 4096 words; a vertex program has 512 and is refused with more.

use super::{Worst, repeat};

const LARGEST: usize = 1 << 18;

pub(super) const ALL: &[Worst] = &[
    Worst { name: "straight line", text: straight, most: LARGEST },
    Worst { name: "vertex program", text: vertex_program, most: LARGEST },
    Worst { name: "nested conditions", text: nested, most: LARGEST },
    Worst { name: "conditions in a row", text: row, most: LARGEST },
    Worst { name: "loops in a row", text: loops, most: LARGEST },
    Worst { name: "loops in one another", text: deep_loops, most: LARGEST },
    Worst { name: "calls of one range", text: calls, most: LARGEST },
    Worst { name: "calls four deep", text: call_tree, most: LARGEST },
    // Ranges are at most 255 words long.
    Worst { name: "overlapping ranges", text: overlapping, most: LARGEST },
    Worst { name: "jumps on conditions", text: jumps, most: 1 << 14 },
    Worst { name: "emitted vertices", text: emitted, most: LARGEST },
    // Entries are numbered in the names of their procedures.
    Worst { name: "many entries", text: entries, most: LARGEST },
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
    geometry(&format!("{}add r0, r0, r1\n{}", "ifu b0\n".repeat(n), "nop\n.end\n".repeat(n)))
}

fn row(n: usize) -> String {
    geometry(&"cmp k.xy, lt, ge, r0.xy\nifc cmp.x\nadd r0, r0, r1\n.else\nadd r1, r1, r0\n.end\n".repeat(n))
}

fn loops(n: usize) -> String {
    geometry(&"for i0\nadd r0, r0, r1\n.end\n".repeat(n))
}

fn deep_loops(n: usize) -> String {
    geometry(&format!("{}add r0, r0, r1\n{}", "for i0\n".repeat(n), "nop\n.end\n".repeat(n)))
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
    // Each call runs words that hold other calls, on to another end.
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
