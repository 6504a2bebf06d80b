//! The output of Mesa's disassembler, raw words included, assembles to the words that it printed.

use super::corpus::{files, folder};
use lockstep_core::isa::a2xx::{assemble, decode, encode};
use std::fs;

#[test]
fn listings_with_raw_words_assemble_to_them() {
    let Some(root) = folder() else { return };
    let (mut read, mut unprinted) = (0, 0);
    for (name, bytes) in files() {
        let Ok(text) = fs::read_to_string(root.join(format!("golden/{name}.listing.txt"))) else { continue };
        let program = assemble::assemble(&text).unwrap_or_else(|errors| panic!("{name}: {}", errors[0]));
        let [shader] = &program.shaders[..] else { panic!("{name}: one shader") };
        let words = encode::to_dwords(shader);
        let whole = decode::decode(&bytes).unwrap();
        // A container may have further shaders, which the listing does not contain.
        let original = whole.shaders.iter().map(encode::to_dwords).find(|all| all.starts_with(&words[..3]));
        let original = original.unwrap_or_else(|| panic!("{name}: no shader begins with these words"));
        assert_eq!(original[..words.len().min(original.len())], words, "{name}");
        // Slots that no clause runs are not printed.
        unprinted += usize::from(original.len() > words.len());
        read += 1;
    }
    assert_eq!(read, 72);
    assert!(unprinted < 12, "{unprinted} listings end before their program");
}

#[test]
fn raw_words_take_precedence_and_contradictions_are_reported() {
    let text = "\t6001 0000 2000\tEXEC_END ADDR(0x1) CNT(0x6)\n\
        \t0000 0000 0000\tNOP\n\
        01: 140f803e 00000000 e2000000\t      ALU:\tnonsense\n\
        \t\tmore of it\n";
    let program = assemble::assemble(text).expect("only the words matter");
    let words = [0x0000_6001, 0x0000_2000, 0, 0x140f_803e, 0, 0xe200_0000];
    assert_eq!(encode::to_dwords(&program.shaders[0]), words);
    let twice = format!("{text}01: 140f803e 00000000 e2000001 ALU:\n");
    let errors = assemble::assemble(&twice).unwrap_err();
    assert!(errors[0].message.contains("different words") && errors[0].span.line == 5, "{errors:?}");
    let among = format!("{text}\t0000 0000 0000 NOP\n");
    let errors = assemble::assemble(&among).unwrap_err();
    assert!(
        errors[0].message.contains("is one of the slots of the 3 clauses") && errors[0].span.line == 3,
        "{errors:?}"
    );
}

/// Text above a listing must agree with it.
#[test]
fn a_header_that_contradicts_the_raw_words_is_refused() {
    let words = "\t6001 0000 2000\tEXEC_END ADDR(0x1) CNT(0x6)\n\t0000 0000 0000\tNOP\n\
        01: 140f803e 00000000 e2000000\t      ALU:\tMAXv\texport62 = R0, R0\n";
    let bare = assemble::assemble(words).unwrap();
    let heads =
        ["; c\n", "// c\n\n", ".a2xx vertex\n", "// c\n  .a2xx\n@attribute(r0.x) a\n", ".a2xx vertex ; c\n"];
    for head in heads {
        assert_eq!(assemble::assemble(&format!("{head}{words}")).as_ref(), Ok(&bare), "{head}");
    }
    let error = |text: String| {
        let errors = assemble::assemble(&text).unwrap_err();
        assert_eq!(errors.len(), 1, "{errors:?}");
        (errors[0].span.line, errors[0].span.column, errors[0].message.clone())
    };
    // An export to 62 is a position: only vertex programs have one.
    let (line, column, message) = error(format!("; c\n .a2xx fragment\n{words}"));
    assert!((line, column) == (2, 2) && message.contains("this is a vertex program"), "{message}");
    assert!(error(format!(".a2xx geometry\n{words}")).2.contains("'vertex' or 'fragment'"));
    assert!(error(format!(".a2xx vertex vertex\n{words}")).2.contains("only the stage may follow"));
    assert!(error(format!(".a2xx\n.a2xx\n{words}")).2.contains("once"));
    assert_eq!(error(format!("{words}.a2xx vertex\n")).0, 4);
    for other in [".big_endian", ".container driver", ".tail 1"] {
        let (line, _, message) = error(format!("{other}\n{words}"));
        assert!(line == 1 && message.contains("only '.a2xx' may precede"), "{message}");
    }
}
