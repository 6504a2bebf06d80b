//! The scenarios of A2xx, for properties that no facet covers: both halves of a slot together, consecutive slots, loops, jumps and calls.

use crate::isa::facet::Scenario;

/// Text of a slot with an observable effect: SET_TEX_LOD from a component of a register.
macro_rules! mark {
    ($component:literal) => {
        concat!("\n FETCH: SET_TEX_LOD R0.____ = R2.", $component, "xx CONST(0) LOCATION(CENTROID)\n")
    };
}

/// Defines a scenario. With `mutants`, mutants of its lowering are checked.
macro_rules! scenario {
    ($name:literal, mutants, $($text:expr),+) => {
        Scenario { name: $name, mutate: true, under: None, text: concat!($($text),+) }
    };
    ($name:literal, $($text:expr),+) => {
        Scenario { name: $name, mutate: false, under: None, text: concat!($($text),+) }
    };
}

/// Text of a program that runs one slot once.
macro_rules! once {
    ($slots:literal) => {
        concat!("ALLOC PARAM/PIXEL SIZE(0x0)\n EXEC_END ADDR(0x1) CNT(0x1)\n", $slots)
    };
}

/// Text of a program with a conditional backward jump.
macro_rules! back {
    ($condition:literal) => {
        concat!(
            "EXEC ADDR(0x3) CNT(0x1)",
            mark!("x"),
            "COND_JMP ADDR(0x0) DIR(0) ",
            $condition,
            " BOOL_ADDR(0x2)\n COND_PRED_EXEC_END ADDR(0x4) CNT(0x1) COND(0)",
            mark!("y"),
            "EXEC ADDR(0x5) CNT(0x1)",
            mark!("z"),
            "EXEC_END ADDR(0x6) CNT(0x1)",
            mark!("w")
        )
    };
}

/// Text of a program with nested conditional calls. The first RETURN has no call to return from.
macro_rules! calls {
    ($condition:literal) => {
        concat!(
            "RETURN ADDR(0x0) DIR(0)\n COND_CALL ADDR(0x4) DIR(1) ",
            $condition,
            " BOOL_ADDR(0x2)\n COND_CALL ADDR(0x7) DIR(1) ",
            $condition,
            " BOOL_ADDR(0x2)\n EXEC_END ADDR(0x5) CNT(0x1)",
            mark!("x"),
            "EXEC ADDR(0x6) CNT(0x1)",
            mark!("y"),
            "COND_CALL ADDR(0x7) DIR(1) ",
            $condition,
            " BOOL_ADDR(0x2)\n RETURN ADDR(0x0) DIR(0)\n EXEC ADDR(0x7) CNT(0x1)",
            mark!("z"),
            "RETURN ADDR(0x0) DIR(0)\n"
        )
    };
}

/// Text of a program with two nested loops, with additional attributes for LOOP_START and LOOP_END of the inner loop.
macro_rules! loops {
    ($start:literal, $end:literal) => {
        concat!(
            "LOOP_START ADDR(0x7) LOOP_ID(0)\n EXEC ADDR(0x4) CNT(0x1)",
            mark!("x"),
            "LOOP_START ADDR(0x5) LOOP_ID(1)",
            $start,
            "\n EXEC ADDR(0x5) CNT(0x1)",
            mark!("y"),
            "LOOP_END ADDR(0x3) LOOP_ID(1)",
            $end,
            "\n EXEC ADDR(0x6) CNT(0x1)",
            mark!("z"),
            "LOOP_END ADDR(0x1) LOOP_ID(0)\n EXEC_END ADDR(0x7) CNT(0x1)",
            mark!("w")
        )
    };
}

/// The scenarios of A2xx.
pub(super) const SCENARIOS: &[Scenario] = &[
    scenario!(
        "both halves read before they write",
        mutants,
        once!("ALU: CNDEv R3 = R3, R1, R2.yzwx\n SETGTs R1 = R3\n")
    ),
    scenario!(
        "both halves write the same components",
        mutants,
        once!("ALU: CNDEv R3 = R3, R1, R2.yzwx\n SETGTs R3._yz_ = R3\n")
    ),
    scenario!(
        "both halves write perhaps the same",
        mutants,
        "LOOP_START ADDR(0x3) LOOP_ID(1)\n EXEC ADDR(0x2) CNT(0x1)\n",
        "ALU: CNDEv R[aL+3] = R3, R1, R2.yzwx\n SETGTs R1.xy__ = R3\n",
        "LOOP_END ADDR(0x1) LOOP_ID(1)\n EXEC_END ADDR(0x2) CNT(0x0)\n"
    ),
    scenario!(
        "both halves export a one",
        mutants,
        once!("ALU: CNDEv export1.xyz_ = R3, R1, R2.yzwx\n SETGTs export1.__zw = R3\n")
    ),
    scenario!(
        "both halves export zeros",
        mutants,
        once!("ALU: CNDEv export1.x___ = R3, R1, R2.yzwx ZERO\n SETGTs export1.__z_ = R3\n")
    ),
    scenario!(
        "both halves export nothing",
        mutants,
        once!("ALU: CNDEv export1.____ = R3, R1, R2.yzwx\n SETGTs export1.____ = R3\n")
    ),
    scenario!(
        "the previous scalar is passed on",
        mutants,
        "ALLOC PARAM/PIXEL SIZE(0x0)\n EXEC_END ADDR(0x1) CNT(0x4)\n",
        "ALU: MAXv R3.____ = R1, R2.yzwx\n SETGTs R1 = R3\n",
        "ALU: MAXv R3.____ = R1, R2.yzwx\n RETAIN_PREV R1 = R3\n",
        "ALU: MAXv R3.____ = R1, R2.yzwx\n PRED_SET_INVs R4.____ = R3\n",
        "ALU: MAXv R3.____ = R1, R2.yzwx\n RETAIN_PREV R1 = R3\n"
    ),
    scenario!(
        "both halves kill, and exports are dropped",
        mutants,
        "ALLOC PARAM/PIXEL SIZE(0x0)\n EXEC_END ADDR(0x1) CNT(0x2)\n",
        "ALU: KILLNEv R3 = R1, R2.yzwx\n KILLGTs R1 = R3\n",
        "ALU: CNDEv export1.xyz_ = R3, R1, R2.yzwx\n SETGTs export1.__zw = R3\n"
    ),
    scenario!(
        "both halves set the predicate",
        mutants,
        once!("ALU: PRED_SETE_PUSHv R3 = R1, R2.yzwx\n PRED_SETEs R1 = R3\n")
    ),
    scenario!(
        "both halves set the address",
        mutants,
        once!("ALU: MOVAv R3 = R1, R2.yzwx\n MOVA_FLOORs R1 = R3\n")
    ),
    // By option, the second fetch (MINI_FETCH) uses the address of the first or one of its own.
    scenario!(
        "VERTEX at the address of another",
        mutants,
        "ALLOC PARAM/PIXEL SIZE(0x0)\n EXEC_END ADDR(0x1) CNT(0x2)\n",
        "FETCH: VERTEX R[aL+1].____ = R2.x FMT_32 UNSIGNED NORMALIZED STRIDE(12) CONST(2, 0) NO_ZERO\n",
        "FETCH: VERTEX R3.xyzw = R2.w FMT_32_FLOAT SIGNED STRIDE(20) OFFSET(8) CONST(4, 0) MINI_FETCH ROUND_INDEX NO_ZERO\n"
    ),
    scenario!(
        "VERTEX without components",
        once!("FETCH: VERTEX R1.xyzw = R2.y FMT_DXT4_5 SIGNED STRIDE(12) CONST(2, 0)\n")
    ),
    scenario!(
        "VERTEX of one bit",
        once!("FETCH: VERTEX R1.xyzw = R2.y FMT_1_REVERSE SIGNED STRIDE(12) CONST(2, 0) EXP_ADJUST(3)\n")
    ),
    // If the level of detail is both computed and set, an option selects which is used.
    scenario!(
        "SAMPLE at both levels of detail",
        mutants,
        once!("FETCH: SAMPLE R1.xyzw = R2.xyz CONST(0) LOCATION(CENTER) REG_LOD(1)\n")
    ),
    scenario!("loops", mutants, loops!("", "")),
    scenario!("loops, aL stays", loops!(" REPEAT", "")),
    scenario!("loops that break on true", loops!("", " PRED_BREAK COND(1)")),
    scenario!("loops that break on false, aL stays", loops!(" REPEAT", " PRED_BREAK")),
    scenario!(
        "a jump back in any case",
        "EXEC ADDR(0x2) CNT(0x1)",
        mark!("x"),
        "COND_PRED_EXEC_END ADDR(0x3) CNT(0x1) COND(0)",
        mark!("y"),
        "COND_JMP ADDR(0x0) DIR(0) FORCE_CALL\n"
    ),
    scenario!("a jump back on a false constant", back!("BOOL_COND(0)")),
    scenario!("a jump back on a true constant", back!("BOOL_COND(1)")),
    scenario!("a jump back on the negated predicate", back!("COND(0)")),
    scenario!("a jump back on the predicate", back!("COND(1)")),
    scenario!("calls on a false constant", calls!("BOOL_COND(0)")),
    scenario!("calls on a true constant", calls!("BOOL_COND(1)")),
    scenario!("calls on the negated predicate", calls!("COND(0)")),
    scenario!("calls on the predicate", calls!("COND(1)")),
];
