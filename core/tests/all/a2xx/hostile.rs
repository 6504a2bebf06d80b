//! Tests of malicious input: bytes and texts chosen to cause panics or excessive run time.

use super::corpus::files;
use lockstep_core::binary::Problem;
use lockstep_core::isa::a2xx::{assemble, decode, disassemble, encode, interface};

/// Decodes bytes; if they are a program, encodes it and lists its entries.
fn decode_and_encode(bytes: &[u8]) {
    if let Ok(program) = decode::decode(bytes) {
        assert_eq!(encode::encode(&program), bytes);
        let _ = interface::entries(&program);
    }
}

#[test]
fn truncated_or_changed_files_never_panic() {
    for (_, bytes) in files() {
        for len in 0..bytes.len() {
            decode_and_encode(&bytes[..len]);
        }
        for at in 0..bytes.len().min(120) {
            for value in [0, 0xff, bytes[at] ^ 0x10] {
                let mut bytes = bytes.clone();
                bytes[at] = value;
                decode_and_encode(&bytes);
            }
        }
    }
}

#[test]
fn too_few_and_too_many_bytes_are_refused_with_an_offset() {
    let none = decode::decode(&[]).unwrap_err();
    assert_eq!((none.field, none.problem), ("slot", Problem::NoProgram));
    // A Xenos object whose program has no bytes: header, description, and the offset and size of the program.
    let words = [0x102a_1101u32, 64, 0, 0, 0, 0, 32, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let object: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
    let none = decode::decode(&object).unwrap_err();
    assert_eq!((none.offset, none.field, none.problem), (64, "slot", Problem::NoProgram));
    assert!(decode::decode(&[0; 8]).unwrap_err().is_truncation());
    let odd = decode::decode(&[0; 14]).unwrap_err();
    assert_eq!((odd.offset, odd.field), (12, "dword"));
    assert_eq!(decode::decode(&vec![0; decode::MAX_FILE_SIZE + 4]).unwrap_err().field, "file");
}

/// Runs `f` on an input and on one eight times as long. The time may grow by a factor of 40, plus a constant, which a
/// quadratic cost (a factor of 64) exceeds.
fn grows_linearly(input: impl Fn(usize) -> Vec<u8>, f: impl Fn(&[u8])) {
    let time = |n: usize| {
        let bytes = input(n);
        let mut best = std::time::Duration::MAX;
        for _ in 0..3 {
            let start = std::time::Instant::now();
            f(&bytes);
            best = best.min(start.elapsed());
        }
        best
    };
    let (small, large) = (time(1 << 13), time(1 << 16));
    assert!(large < 40 * small + std::time::Duration::from_millis(200), "{small:?}, then {large:?}");
}

#[test]
fn time_and_text_grow_linearly_with_the_file() {
    let exec = 0x0006_0000_u64 | 2 << 12 | 1 << 44;
    let kinds: [fn(usize) -> Vec<u8>; 4] = [
        // Only NOPs; only jumps past the end; only section markers of a container; EXECs of the same slots.
        |n| vec![0; n],
        |n| 0xb000_0000_3fff_u64.to_le_bytes()[..6].repeat(n / 6),
        |n| 0xba5e_ba11_u32.to_le_bytes().repeat(n / 4),
        |n| [0xffu8, 0x1f, 0, 0xc0].repeat(n / 4),
    ];
    for input in kinds {
        let whole = |n| {
            let mut bytes = input(n);
            bytes.truncate(bytes.len() / 12 * 12);
            bytes
        };
        grows_linearly(whole, |bytes| {
            decode_and_encode(bytes);
            if let Ok(program) = decode::decode(bytes) {
                let text = disassemble::disassemble(&program);
                assert!(text.len() < 40 * bytes.len(), "{} bytes of text", text.len());
                assert_eq!(assemble::assemble(&text).as_ref(), Ok(&program));
            }
        });
    }
    // Many clauses that run the same slots: each slot is listed once.
    let mut bytes = exec.to_le_bytes()[..6].repeat(2 * 4000);
    bytes.extend([0; 24]);
    let program = decode::decode(&bytes).unwrap();
    assert!(disassemble::disassemble(&program).len() < 40 * bytes.len());
}

#[test]
fn short_texts_cannot_request_much_memory() {
    for text in [
        "EXEC_END ADDR(0xfff) CNT(0x1)\n ALU: ADDv R0 = R0, R0",
        "EXEC_END ADDR(0xfff) CNT(0x1) SEQ(0x0)\n0xffff: RAW 0 0 0",
        "EXEC_END ADDR(0xfff) CNT(0x1) SEQ(0x0)\n0xffffffff: RAW 0 0 0",
    ] {
        assert!(assemble::assemble(text).is_err(), "{text}");
    }
    for long in ["(".repeat(1 << 20), "ALU: ".repeat(1 << 18), "EXEC\n".repeat(1 << 18), "|".repeat(1 << 20)]
    {
        let errors = assemble::assemble(&long).err().map_or(0, |e| e.len());
        assert!(errors <= assemble::MAX_ERRORS);
    }
    // An error in each line.
    let errors = assemble::assemble(&"(\n".repeat(1 << 18)).unwrap_err();
    assert_eq!(errors.len(), assemble::MAX_ERRORS);
}
