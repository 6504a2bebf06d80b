//! Stress programs of Adreno A2xx. Slot addresses have twelve bits and clause addresses thirteen, which limits the sizes.

use super::{StressFamily, repeat};

pub(super) const ALL: &[StressFamily] = &[
    StressFamily::new("straight line", straight).up_to(1 << 15),
    StressFamily::new("clauses of one slot", clauses).up_to(1 << 15),
    StressFamily::new("clauses that share slots", shared).up_to(1 << 15),
    StressFamily::new("clauses on conditions", conditions).up_to(1 << 15),
    StressFamily::new("clauses without slots", clauses_without_slots).up_to(1 << 15),
    StressFamily::new("jumps on conditions", jumps).up_to(1 << 15),
    StressFamily::new("loops in a row", loops).up_to(1 << 14),
    StressFamily::new("loops three deep, again and again", loops_in_loops).up_to(1 << 14),
    StressFamily::new("calls of one procedure", calls).up_to(1 << 15),
    StressFamily::new("calls four deep", call_tree).up_to(1 << 14),
    StressFamily::new("calls four deep of a fragment", call_tree_fragment).up_to(1 << 14),
    StressFamily::new("vertex fetches", fetches).up_to(1 << 15),
    StressFamily::new("fetches that reuse the previous address", minis).up_to(1 << 15),
    StressFamily::new("texture fetches", textures).up_to(1 << 15),
    StressFamily::new("exports", exports).up_to(1 << 15),
    StressFamily::new("clauses that overlap", overlapping).up_to(1 << 15),
    StressFamily::new("many shaders", shaders),
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
    // All EXEC clauses run the same six slots; the EXEC_END runs the slot after them.
    let clauses = n.div_ceil(2) * 2;
    let slots = clauses / 2 + 1;
    let all = format!("EXEC ADDR({slots:#x}) CNT(0x6)\n").repeat(clauses);
    let end = format!("ALLOC POSITION SIZE(0x0)\nEXEC_END ADDR({:#x}) CNT(0x1)\n", slots + 6);
    format!("{all}{end}{} ALU: MAXv export62 = R0, R0\n", " ALU: ADDv R0 = R0, R1\n".repeat(6))
}

fn conditions(n: usize) -> String {
    repeat(n, |k| format!("COND_EXEC BOOL_ADDR({:#x}) COND(1)\n ALU: ADDv R0 = R0, R1\n", k % 32)) + OUT
}

fn clauses_without_slots(n: usize) -> String {
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
        let clause =
            if k % 2 == 0 { format!("COND_EXEC BOOL_ADDR({:#x}) COND(1)\n", k % 32) } else { String::new() };
        let mini = if k % 2 == 1 { " MINI_FETCH" } else { "" };
        format!(
            "{clause} FETCH: VERTEX R1.xyz1 = R0.x FMT_32_32_32_FLOAT SIGNED STRIDE({}) CONST({}){mini}\n",
            k % 200 + 4,
            k % 32
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

fn overlapping(n: usize) -> String {
    // Each clause begins one slot after the preceding clause, so that six clauses run each slot except the first and the last five.
    let clauses = n.div_ceil(2) * 2;
    let area = clauses / 2 + 1;
    let all = repeat(clauses, |k| format!("EXEC ADDR({:#x}) CNT(0x6)\n", area + k));
    let slots = " ALU: ADDv R0 = R0, R1\n".repeat(clauses + 6);
    format!("{all}EXEC_END ADDR({:#x}) CNT(0x6)\nNOP\n{slots}", area + clauses)
}

fn shaders(n: usize) -> String {
    // The program consists of command-stream packets, each of which loads a vertex shader of six dwords.
    format!(".container packets\n{}", format!(".bytes 002b07c00000000006000000\n.shader\n{OUT}").repeat(n))
}
