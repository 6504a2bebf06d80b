//! Adreno A2xx. Addresses of slots have twelve bits, those of clauses thirteen.

use super::{Worst, repeat};

const LARGEST: usize = 1 << 20;

pub(super) const ALL: &[Worst] = &[
    Worst { name: "straight line", text: straight, most: 1 << 15 },
    Worst { name: "clauses of one slot", text: clauses, most: 1 << 15 },
    Worst { name: "clauses that share slots", text: shared, most: 1 << 15 },
    Worst { name: "clauses on conditions", text: conditions, most: 1 << 15 },
    Worst { name: "clauses without slots", text: plain, most: 1 << 15 },
    Worst { name: "jumps on conditions", text: jumps, most: 1 << 15 },
    Worst { name: "loops in a row", text: loops, most: 1 << 14 },
    Worst { name: "loops three deep, again and again", text: loops_in_loops, most: 1 << 14 },
    Worst { name: "calls of one procedure", text: calls, most: 1 << 15 },
    Worst { name: "calls four deep", text: call_tree, most: 1 << 14 },
    Worst { name: "calls four deep of a fragment", text: call_tree_fragment, most: 1 << 14 },
    Worst { name: "vertex fetches", text: fetches, most: 1 << 15 },
    Worst { name: "fetches that use the address before", text: minis, most: 1 << 15 },
    Worst { name: "texture fetches", text: textures, most: 1 << 15 },
    Worst { name: "exports", text: exports, most: 1 << 15 },
    Worst { name: "many shaders", text: shaders, most: LARGEST },
];

const OUT: &str = "ALLOC POSITION SIZE(0x0)\nEXEC_END\n ALU: MAXv export62 = R0, R0\n";

fn straight(n: usize) -> String {
    repeat(n, |k| {
        let clause = if k % 6 == 0 { "EXEC\n" } else { "" };
        format!("{clause} ALU: ADDv R{} = R{}, R2\n", k % 2, (k + 1) % 2)
    }) + OUT
}

fn clauses(n: usize) -> String {
    "EXEC\n ALU: ADDv R0 = R0, R1\n".repeat(n) + OUT
}

fn shared(n: usize) -> String {
    // Every clause runs the same six slots.
    let clauses = n.div_ceil(2) * 2;
    let slots = clauses / 2 + 1;
    let all = format!("EXEC ADDR({slots:#x}) CNT(0x6)\n").repeat(clauses);
    format!("{all}EXEC_END ADDR({slots:#x}) CNT(0x6)\nNOP\n{}", " ALU: ADDv R0 = R0, R1\n".repeat(6))
}

fn conditions(n: usize) -> String {
    repeat(n, |k| format!("COND_EXEC BOOL_ADDR({:#x}) BOOL_COND(1)\n ALU: ADDv R0 = R0, R1\n", k % 32)) + OUT
}

fn plain(n: usize) -> String {
    "NOP\n".repeat(n) + OUT
}

fn jumps(n: usize) -> String {
    repeat(n, |k| {
        let to = (k * 7 + 3) % (2 * n);
        format!(
            "COND_JMP ADDR({to:#x}) DIR(1) BOOL_ADDR({:#x}) BOOL_COND(1)\nEXEC\n ALU: ADDv R0 = R0, R1\n",
            k % 32
        )
    }) + OUT
}

fn loops(n: usize) -> String {
    repeat(n, |k| {
        let at = 3 * k;
        format!(
            "LOOP_START ADDR({:#x}) LOOP_ID({})\nEXEC\n ALU: ADDv R0 = R0, R1\nLOOP_END ADDR({:#x}) LOOP_ID({})\n",
            at + 3,
            k % 32,
            at + 1,
            k % 32
        )
    }) + OUT
}

fn loops_in_loops(n: usize) -> String {
    repeat(n, |k| {
        let at = 7 * k;
        let starts = repeat(3, |d| format!("LOOP_START ADDR({:#x}) LOOP_ID({d})\n", at + 7 - d));
        let ends = repeat(3, |d| format!("LOOP_END ADDR({:#x}) LOOP_ID({})\n", at + 3 - d, 2 - d));
        format!("{starts}EXEC\n ALU: ADDv R0 = R0, C[aL+1]\n{ends}")
    }) + OUT
}

const CALL: &str = "DIR(1) FORCE_CALL\n";

fn calls(n: usize) -> String {
    let procedure = n + 2;
    let calls = format!("COND_CALL ADDR({procedure:#x}) {CALL}").repeat(n);
    format!("{calls}{OUT}EXEC\n ALU: ADDv R0 = R0, R1\nRETURN ADDR(0x0) DIR(0)\n")
}

fn tree(n: usize, out: &str) -> String {
    let mut text = format!("COND_CALL ADDR({:#x}) {CALL}", n + 2).repeat(n) + out;
    for level in 1..4 {
        let next = n + 2 + level * (n + 1);
        text += &format!("COND_CALL ADDR({next:#x}) {CALL}").repeat(n);
        text += "RETURN ADDR(0x0) DIR(0)\n";
    }
    text + "EXEC\n ALU: ADDv R0 = R0, R1\nRETURN ADDR(0x0) DIR(0)\n"
}

fn call_tree(n: usize) -> String {
    tree(n, OUT)
}

fn call_tree_fragment(n: usize) -> String {
    tree(
        n,
        "ALLOC PARAM/PIXEL SIZE(0x0)\nEXEC_END\n FETCH: SAMPLE R0 = R0.xyx CONST(0)\n ALU: MAXv export0 = R0, R0\n",
    )
}

fn fetches(n: usize) -> String {
    let fetch = " FETCH: VERTEX R1.xyz1 = R0.x FMT_32_32_32_FLOAT SIGNED STRIDE(12) CONST(10)\n";
    repeat(n, |k| format!("{}{fetch}", if k % 6 == 0 { "EXEC\n" } else { "" })) + OUT
}

fn minis(n: usize) -> String {
    repeat(n, |k| {
        let clause = if k % 2 == 0 {
            format!("COND_EXEC BOOL_ADDR({:#x}) BOOL_COND(1)\n", k % 32)
        } else {
            String::new()
        };
        let mini = if k % 2 == 1 { " MINI_FETCH" } else { "" };
        format!(
            "{clause} FETCH: VERTEX R1.xyz1 = R0.x FMT_32_32_32_FLOAT SIGNED STRIDE({}) CONST({}){mini}\n",
            k % 200 + 4,
            k % 90
        )
    }) + OUT
}

fn textures(n: usize) -> String {
    let text = repeat(n, |k| {
        format!("{} FETCH: SAMPLE R0 = R0.xyx CONST({})\n", if k % 6 == 0 { "EXEC\n" } else { "" }, k % 16)
    });
    text + "ALLOC PARAM/PIXEL SIZE(0x0)\nEXEC_END\n ALU: MAXv export0 = R0, R0\n"
}

fn exports(n: usize) -> String {
    let text =
        repeat(n, |k| format!("{} ALU: ADDv export0 = R0, R1\n", if k % 6 == 0 { "EXEC\n" } else { "" }));
    format!("ALLOC PARAM/PIXEL SIZE(0x7)\n{text}{OUT}")
}

fn shaders(n: usize) -> String {
    clauses(n)
}
