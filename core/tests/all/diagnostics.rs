//! The diagnostics of assemblers for wrong texts.

use lockstep_core::isa::{a2xx, agal, d3d9, pica200};
use lockstep_core::text::Diagnostic;
use proptest::prelude::*;

/// Returns the line, column, message and help of each error.
pub(crate) fn diagnostic_fields<P: std::fmt::Debug>(
    read: Result<P, Vec<Diagnostic>>,
) -> Vec<(u32, u32, String, String)> {
    let errors = read.expect_err("this text has an error");
    let fields = |e: Diagnostic| (e.span.line, e.span.column, e.message, e.help.unwrap_or_default());
    errors.into_iter().map(fields).collect()
}

/// Checks that errors have messages and positions within the text.
pub(crate) fn check_diagnostics(text: &str, errors: &[Diagnostic]) -> Result<(), TestCaseError> {
    prop_assert!(!errors.is_empty(), "refused without a reason");
    for e in errors {
        let (start, end) = (e.span.offset as usize, (e.span.offset + e.span.len) as usize);
        prop_assert!(text.get(start..end).is_some() && !e.message.is_empty(), "{:?} of {:?}", e, text);
    }
    Ok(())
}

/// An error about a missing operand or punctuation at the end of a line is reported after the line's last word, where an editor should mark it. Each
/// line is cut after each of its characters.
#[test]
fn what_is_missing_at_the_end_of_a_line_is_reported_after_its_last_word() {
    type Read = fn(&str) -> Vec<Diagnostic>;
    let sets: [(&str, Read, &str, &[&str]); 5] = [
        (
            "AGAL, fragment",
            |text| agal::assemble::assemble(text).err().unwrap_or_default(),
            "version 2 fragment",
            &["mov ft0.xy, fc0.zw", "tex ft0, v0, fs0 <2d,linear>", ".token 0, 1, 2, 3"],
        ),
        (
            "AGAL, vertex",
            |text| agal::assemble::assemble(text).err().unwrap_or_default(),
            "version 2 vertex",
            &["mov vt0, vc[va0.x+4]"],
        ),
        (
            "Direct3D 9",
            |text| d3d9::assemble::assemble(text).err().unwrap_or_default(),
            "vs_3_0",
            &["mov_sat r0.xyz, -r1_abs.x", "def c0, 1, 2, 3, 4", "mov r0, c[a0.x + 3]", "(p0.x) mov r0, r1"],
        ),
        (
            "PICA200",
            |text| pica200::assemble::assemble(text).err().unwrap_or_default(),
            ".raw vertex",
            &["add r0.xy, v0.xy, v1", "call 4, 2", ".opdesc xyzw, xyzw, xyzw, xyzw", "mov r0, c1[a0.x]"],
        ),
        (
            "A2xx",
            |text| a2xx::assemble::assemble(text).err().unwrap_or_default(),
            "EXEC_END",
            &[
                "ALU: ADDv R0.xy__ = -R0.xyzw, C[a0+3]",
                "FETCH: VERTEX R1.xyzw = R0.x FMT_32_FLOAT SIGNED STRIDE(4) CONST(1, 0)",
            ],
        ),
    ];
    for (name, read, head, lines) in sets {
        let mut reported = 0;
        for line in lines {
            for cut in 1..line.len() {
                let text = format!("{head}\n{}", &line[..cut]);
                let after = line[..cut].trim_end().len() as u32 + 1;
                for error in read(&text).iter().filter(|e| e.message.contains("found the end of the line")) {
                    assert_eq!(
                        (error.span.line, error.span.column, error.span.len),
                        (2, after, 0),
                        "{text}: {error}"
                    );
                    reported += 1;
                }
            }
        }
        assert!(reported >= 3, "{name}: {reported}");
    }
}
