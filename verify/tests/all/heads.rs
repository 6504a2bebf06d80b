//! The first line of a text printed by `dis` states the instruction set and the entry. If the text is read back from a file of any name, it gives the
//! same program with the same entries, in all five instruction sets.

use lockstep::corpus::{Content, load_own, load_real, own_corpora, read_named, real_corpora};
use lockstep_core::isa::{IsaId, Syntax};
use lockstep_core::with_isa;
use std::path::Path;

/// Checks that a program's text, read back from a file named `shader`, gives the same program and entries.
fn check_round_trip<I: Syntax>(name: &str, bytes: &[u8], folder: &Path) {
    let program = I::decode(bytes).unwrap();
    let text = I::disassemble(&program);
    let first = text.lines().next().unwrap();
    let whose: Vec<IsaId> =
        IsaId::ALL.iter().copied().filter(|isa| with_isa!(*isa, J => J::begins_text(first))).collect();
    assert_eq!(whose, [I::ID], "{name}: {first}");
    let file = folder.join("shader");
    std::fs::write(&file, &text).unwrap();
    let Content::Program { isa, bytes: again } = read_named(&file, None).unwrap() else {
        panic!("{name}: no program")
    };
    assert_eq!((isa, &again[..]), (I::ID, bytes), "{name}");
    assert_eq!(I::entries(&I::decode(&again).unwrap()), I::entries(&program), "{name}");
}

#[test]
fn the_header_of_a_text_restores_instruction_set_and_entry() {
    let folder = tempfile::tempdir().unwrap();
    let mut items = load_own(&own_corpora(None).unwrap(), IsaId::ALL).items;
    items.extend(load_real(real_corpora(None).as_deref(), IsaId::ALL).items);
    let mut seen = vec![0; IsaId::ALL.len()];
    for item in &items {
        let Some(bytes) = item.content.program() else { continue };
        let isa = item.content.isa();
        let decodes = with_isa!(isa, I => I::decode(bytes).is_ok_and(|program| I::encode(&program) == bytes));
        if decodes {
            with_isa!(isa, I => check_round_trip::<I>(&item.name, bytes, folder.path()));
            seen[IsaId::ALL.iter().position(|known| *known == isa).unwrap()] += 1;
        }
    }
    assert!(seen.iter().all(|count| *count >= 60), "{seen:?}");
}

#[test]
fn a_header_that_contradicts_the_words_is_refused() {
    let assembled = |isa: IsaId, text: &str| with_isa!(isa, I => I::assemble(text).map(|p| I::encode(&p)));
    let wrong = |isa: IsaId, text: &str| {
        let errors = assembled(isa, text).expect_err(text);
        let [error] = &errors[..] else { panic!("{text}: {errors:#?}") };
        (error.span.line, error.span.column, error.message.clone())
    };
    // Export 62 is a position, which only vertex programs have.
    let vertex = "EXEC_END\nALU: MAXv export62 = R0, R0\n";
    let bare = assembled(IsaId::A2xx, vertex).unwrap();
    for head in [".a2xx vertex\n", ".a2xx\n"] {
        assert_eq!(assembled(IsaId::A2xx, &format!("{head}{vertex}")), Ok(bare.clone()));
    }
    let (line, column, message) = wrong(IsaId::A2xx, &format!("; c\n.a2xx fragment\n{vertex}"));
    assert!((line, column) == (2, 7) && message.contains("this is a vertex program"), "{message}");
    assert_eq!(wrong(IsaId::A2xx, &format!(".a2xx geometry\n{vertex}")).1, 7);
    assert_eq!(wrong(IsaId::A2xx, &format!("{vertex}.a2xx vertex\n")).0, 3);
    let word = "acc[0].mov(uniform.x);\n";
    let bare = assembled(IsaId::UtgardGp, word).unwrap();
    for head in [".utgard_gp vertex\n", ".utgard_gp\n"] {
        assert_eq!(assembled(IsaId::UtgardGp, &format!("{head}{word}")), Ok(bare.clone()));
    }
    assert_eq!(wrong(IsaId::UtgardGp, &format!(".utgard_gp fragment\n{word}")).1, 12);
    assert_eq!(wrong(IsaId::UtgardGp, &format!("{word}.utgard_gp vertex\n")).0, 2);
}
