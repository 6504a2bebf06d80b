//! Assembly text: accepted syntax, and error messages.

use lockstep_core::isa::a2xx::decode::MAX_FILE_SIZE;
use lockstep_core::isa::a2xx::encode::slot_words;
use lockstep_core::isa::a2xx::program::{Clause, Kind, Order, Program};
use lockstep_core::isa::a2xx::word::SLOT;
use lockstep_core::isa::a2xx::{assemble, disassemble, encode};

#[track_caller]
fn program(text: &str) -> Program {
    assemble::assemble(text).unwrap_or_else(|e| panic!("{e:#?}\n{text}"))
}

/// Returns the dwords of the slot with this text.
#[track_caller]
fn slot(line: &str) -> [u32; 3] {
    slot_words(&program(&format!("EXEC_END\n{line}")).shaders[0].slots[0])
}

/// Returns the line, column, message and help of the only error.
#[track_caller]
fn error(text: &str) -> (u32, u32, String, String) {
    let errors = assemble::assemble(text).expect_err(text);
    let [e] = &errors[..] else { panic!("{text}: {errors:#?}") };
    (e.span.line, e.span.column, e.message.clone(), e.help.clone().unwrap_or_default())
}

/// Returns the message and help of a slot's only error.
#[track_caller]
fn slot_error(line: &str) -> String {
    let (at, _, message, help) = error(&format!("EXEC_END\n{line}"));
    assert_eq!(at, 2, "{message}");
    format!("{message}; {help}")
}

#[test]
fn spellings_of_other_tools_are_accepted() {
    // Output of the driver (fd-notes).
    assert_eq!(slot("ALU: MULv R0 = R2.wwww, C7"), [0x140f_0000, 0x001b_0000, 0xa102_0700]);
    assert_eq!(
        slot("ALU: MULADDv R0.xyz_ = C11.xxzw, -R0, R4.xxxw"),
        [0x1407_0000, 0x0400_2c0c, 0xcb00_040b]
    );
    assert_eq!(
        slot("ALU: MULv export0 = R1, R0.xxxw\nMAXs export0.___w = R0"),
        [0x148f_8000, 0x0000_2c00, 0xe101_0000]
    );
    assert_eq!(
        slot("FETCH: VERTEX R1.xyz_ = R0.x FMT_32_32_32_FLOAT SIGNED STRIDE(12) CONST(20, 2) PREFETCH(3)"),
        [0x1d48_1000, 0x0039_3e88, 0x0000_000c]
    );
    // The driver's padding slot (xdk, mesa).
    assert_eq!(slot("ALU: MAXv R0.____ = R0, R0\nMAXs R0.____ = R0"), [0x1400_0000, 0, 0xe200_0000]);
    // Mesa's jumps (xenia, mesa).
    let text = "EXEC_END ADDR(0x2) CNT(0x1)\nALU: ADDv R0 = R0, R0\n\
                COND_JMP ADDR(0x2) DIR(0) FORCE_CALL COND(0)\nCOND_JMP ADDR(0x6) DIR(1) COND(1)";
    let clauses: Vec<u64> = program(text).shaders[0].clauses.iter().map(Clause::to_word).collect();
    assert_eq!(clauses[1..3], [0xb000_0000_6002, 0xb402_0000_4006]);
    // Golden listing of ir2_0005: the same slot by mesa, with its fillers made explicit.
    assert_eq!(slot("ALU: MAXv export62 = R0, R0 FILL(ADDs C0)"), [0x000f_803e, 0x0000_0000, 0xc200_0000]);
    // The compiler prints these destinations as o8.xy00 and oC0.xyz1 (xdk, xenia).
    let [a, ..] = slot("ALU: MAXv export8.xy__ = R0, R0 ZERO FILL(RETAIN_PREV)");
    assert_eq!(a, 0xc803_c008);
    let [a, ..] = slot("ALU: MAXv export0 = R0, R0 ZERO\nRETAIN_PREV export0.___w = R0");
    assert_eq!(a, 0xc88f_c000);
}

#[test]
fn a_branch_without_a_direction_leads_forward_only_to_a_later_clause() {
    let direction = |target: u8| {
        let text = format!(
            "NOP\nCOND_JMP ADDR({target:#x}) COND(1)\nEXEC_END ADDR(0x2) CNT(0x1)\nALU: ADDv R0 = R0, R0"
        );
        match &program(&text).shaders[0].clauses[1] {
            Clause::Branch(branch) => branch.direction,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!([0, 1, 2].map(direction), [0, 0, 1]);
}

#[test]
fn relative_numbers_set_the_flag_of_their_constant() {
    let flags = |line: &str| slot(line)[1] >> 29;
    // Bit 31: the first constant in the order of sources is relative. Bit 30: a later constant is relative. Bit 29: the index register is a0 (fd-hdr,
    // xenia).
    assert_eq!(flags("ALU: ADDv R0 = C[aL+1], R0"), 0b100);
    assert_eq!(flags("ALU: ADDv R0 = C[a0+1], R0"), 0b101);
    assert_eq!(flags("ALU: ADDv R0 = R0, C[a0+1]"), 0b101);
    assert_eq!(flags("ALU: ADDv R0 = C1, C[aL+1]"), 0b010);
    assert_eq!(flags("ALU: ADDv R0 = C[a0+2], C[a0+1]"), 0b111);
    assert_eq!(flags("ALU: MULADDv R0 = C[aL+1], R1, R2"), 0b100);
    assert_eq!(flags("ALU: MULADDv R0 = C[aL+1], C5, R2"), 0b010);
    assert_eq!(flags("ALU: ADDv R0 = R0, R0\nADD_CONST_0 R0.x___ = C[a0+3].x, R2.y"), 0b101);
    assert_eq!(slot("ALU: ADDv R0 = |R[aL+3]|, R0")[2] >> 16 & 0xff, 0xc3);
    assert!(slot_error("ALU: ADDv R0 = C[a0+2], C[aL+1]").contains("same register"));
    assert!(slot_error("ALU: MULADDv R0 = C[aL+1], C5, C6").contains("both be relative"));
    assert!(slot_error("ALU: ADDv R0 = R[a0+1], R0").contains("only constants can be relative to a0"));
}

#[test]
fn two_operands_of_a_scalar_half_share_one_source() {
    let source = |line: &str| {
        let [_, b, _] = slot(&format!("ALU: ADDv R0 = R0, R0\n{line}"));
        b & 0xff
    };
    // The first operand is in channels Z and W and the second in X and Y, as in the Xenos compiler's output: yyxx and xxyy.
    assert_eq!(source("SUBs R0.x___ = R1.x, R1.y"), source("SUBs R0.x___ = R1.yyxx"));
    assert_eq!(source("SUBs R0.x___ = R1.y, R1.x"), source("SUBs R0.x___ = R1.xxyy"));
    let (_, _, message, _) = error("EXEC_END\nALU: ADDv R0 = R0, R0\nSUBs R0.x___ = R1.x, R2.y");
    assert!(message.contains("the same source"), "{message}");
}

#[test]
fn containers_and_byte_orders_are_directives() {
    let text = ".big_endian\nEXEC_END ADDR(0x1) CNT(0x1)\nALU: ADDv R0 = R0, R0";
    let big = program(text);
    assert_eq!((big.order, big.kind), (Order::Big, Kind::Bare));
    assert_eq!(encode::encode(&big)[..4], [0, 0, 0x10, 1]);
    assert_eq!(program(&disassemble::disassemble(&big)), big);
    let (.., message, _) = error(".container xenos\n.bytes 102a1100\n.shader\nEXEC_END ADDR(0x1) CNT(0x0)");
    assert!(message.contains("shader's description"), "{message}");
}

#[test]
fn every_error_is_reported_with_its_span() {
    let text =
        "EXEC ADR(0x1)\nALU: ADV R0 = R0, R0\n  ALU: ADDv R64 = R0, R0\nFETCH: SAMPEL R0.xyzw\nEXEC_ENDE";
    let errors = assemble::assemble(text).unwrap_err();
    let found: Vec<_> = errors.iter().map(|e| (e.span.line, e.span.column, e.help.as_deref())).collect();
    assert_eq!(
        found,
        [
            (1, 6, Some("did you mean 'ADDR'?")),
            (2, 6, Some("did you mean 'ADDv'?")),
            (3, 13, None),
            (4, 8, Some("did you mean 'SAMPLE'?")),
            (5, 1, Some("did you mean 'EXEC_END'?")),
        ],
        "{errors:#?}"
    );
}

/// A write mask names components in order, each at most once, or has four letters with `_` for the omitted ones. Every other word of these letters
/// is refused.
#[test]
fn write_masks_are_read_as_written_or_refused() {
    let letters = ['x', 'y', 'z', 'w', '_'];
    let mut words = vec![String::new()];
    let mut accepted = 0;
    for _ in 0..4 {
        words = words.iter().flat_map(|word| letters.map(|letter| format!("{word}{letter}"))).collect();
        for word in &words {
            let place = |c: char| letters.iter().position(|letter| *letter == c).unwrap();
            let places: Vec<usize> = word.chars().map(place).collect();
            let at_own = places.iter().enumerate().all(|(at, place)| *place == at || *place == 4);
            let means = if word.len() == 4 && places.contains(&4) {
                at_own.then(|| places.iter().filter(|place| **place < 4).map(|place| 1u32 << place).sum())
            } else {
                let in_order = !places.contains(&4) && places.is_sorted_by(|a, b| a < b);
                in_order.then(|| places.iter().map(|place| 1u32 << place).sum::<u32>())
            };
            let text = format!("EXEC_END\nALU: ADDv R1.{word} = R0, R0");
            let read = assemble::assemble(&text).ok().map(|program| slot_words(&program.shaders[0].slots[0]));
            assert_eq!(read.map(|words| words[0] >> 16 & 0xf), means, "{word}");
            accepted += u32::from(means.is_some());
        }
    }
    assert_eq!(accepted, 30, "15 masks of one to four letters, and 15 with the letters at their places");
}

#[test]
fn errors_say_what_is_wrong() {
    let check_error = |line: &str, what: &str| {
        let said = slot_error(line);
        assert!(said.contains(what), "{line}: {said}");
    };
    check_error("ALU: ADDv R0 = R0", "2 sources, not 1");
    check_error("ALU: RECIP_IEEE R0 = R0", "vector half first");
    check_error("ALU: ADDv R0.yx__ = R0, R0", "in order");
    check_error("ALU: ADDv R0 = R0.xy, R0", "four of the letters");
    check_error("ALU: ADDv R0 = C256, R0", "0 to 255");
    check_error("ALU: ADDv R0 = |C3|, R0", "ABS_CONST");
    check_error("ALU: ADDv R0 = R0, R0 CLAMB", "did you mean 'CLAMP'?");
    check_error("ALU: ADDv R0 = R0, R0 ZERO", "only in exports");
    check_error("ALU: FRACv R0 = R0 FILL(SIN R1)", "line of its own");
    check_error(
        "FETCH: VERTEX R0.xyzw = R0.x FMT_32_32_FLAOT SIGNED STRIDE(4) CONST(1)",
        "did you mean '32_32_FLOAT'?",
    );
    check_error("FETCH: VERTEX R0.xyzw = R0.x FMT_32 SIGNED STRIDE(256) CONST(1)", "up to 255");
    check_error("FETCH: VERTEX R0.xyzw = R0.x FMT_32 SIGNED STRIDE(4) CONST(32)", "up to 31");
    check_error("FETCH: VERTEX R0.xyzw = R0.x FMT_32 SIGNED STRIDE(4) OFFSET(4194304) CONST(1)", "4194303");
    check_error("FETCH: SAMPLE R0.xyzw = R0.xy CONST(0) LOCATION(CENTER)", "3 of the letters");
    check_error(
        "FETCH: SAMPLE R0.xyzw = R0.xyz CONST(0) MAG(LINEER) LOCATION(CENTER)",
        "did you mean 'LINEAR'?",
    );
    check_error("FETCH: SAMPLE R0.xyzw = R0.xyz CONST(0) CONST(1)", "twice");
    assert!(error("ALU: ADDv R0 = R0, R0").2.contains("below clauses"));
    assert!(error("NOP\nALU: ADDv R0 = R0, R0").2.contains("EXEC"));
    assert!(error("EXEC_END CNT(0x2)\nALU: ADDv R0 = R0, R0").2.contains("CNT says 2"));
    for (vector, scalar) in [
        ("ADDv export[aL+0] = R0, R0", "SIN export0.x___ = R0"),
        ("ADDv export0 = R0, R0", "SIN export[aL+0].x___ = R0"),
    ] {
        let text = format!("EXEC_END ADDR(0x1) CNT(0x1)\nALU: {vector}\n {scalar}");
        assert!(error(&text).2.contains("same export"), "{text}");
    }
    assert!(error("EXEC_END\nSIN R0.x___ = R0").2.contains("below the line of its vector half"));
    assert!(error("EXEC_END ADDR(0x2) CNT(0x1)\nALU: ADDv R0 = R0, R0").2.contains("slot 0x1"));
    assert!(error("EXEC_END ADDR(0x1) CNT(0x1)").3.contains("SEQ"));
    assert!(
        error(
            "EXEC ADDR(0x2) CNT(0x1)\nALU: ADDv R0 = R0, R0\nEXEC_END ADDR(0x2)\nALU: ADDv R0 = R0, R0\nNOP"
        )
        .2
        .contains("twice")
    );
    assert!(error("").2.contains("at least one clause"));
    assert!(error("@attribute(R1) position\n").2.contains("at least one clause"));
    assert!(error("ALLOC NOTHING SIZE(0x0)").3.contains("POSITION"));
}

#[test]
fn a_program_has_at_most_as_many_bytes_as_a_file() {
    const RUN: &str = "EXEC_END\nALU: ADDv R0 = R0, R0\n";
    // Slot 0 contains the clauses, and slot 1 is the one that they run.
    let slots = |count: usize| {
        let rows: Vec<String> = (2..count).map(|at| format!("{at:#x}: RAW 0 0 0\n")).collect();
        format!("{RUN}{}", rows.concat())
    };
    let most = MAX_FILE_SIZE / SLOT;
    assert_eq!(encode::encode(&program(&slots(most))).len(), most * SLOT);
    let gap = format!(".container driver\n.shader\n{RUN}.bytes {}\n", "00".repeat(MAX_FILE_SIZE));
    for text in [slots(most + 1), gap] {
        let errors = assemble::assemble(&text).unwrap_err();
        let messages: Vec<&str> = errors.iter().map(|error| error.message.as_str()).collect();
        assert_eq!(messages, [format!("a program can have at most {MAX_FILE_SIZE} bytes")]);
    }
}

/// As in old sources for assemblers, a FETCH may continue on the next line.
#[test]
fn a_fetch_may_span_two_lines() {
    let whole = "EXEC_END\n   (S)FETCH: VERTEX R1.xyz1 = R0.x FMT_32_32_32_FLOAT SIGNED STRIDE(12) CONST(10, 0)\n      ALU: MAXv export62 = R1, R1\n";
    let wrapped = whole.replace(" FMT", "\n              FMT");
    assert_eq!(assemble::assemble(&wrapped), assemble::assemble(whole));
    assert!(assemble::assemble(whole).is_ok());
}
