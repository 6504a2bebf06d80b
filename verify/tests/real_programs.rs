//! Programs that nobody here wrote: each decodes, comes back as bytes and as text, and both engines agree on it; or it is refused for the
//! reason listed here.

#![allow(clippy::expect_used)] // a test that cannot go on fails

use lockstep::corpus::{judge, load_real, real_corpora};
use lockstep_core::isa::IsaId;
use std::collections::BTreeSet;

/// Programs that are refused: file, rule number, and why that is right.
const REFUSED: [(&str, &str, &str); 5] = [
    (
        "agal1_fs_ruffle_stage3d_agal_upload_errors_fs_17.agal",
        "rule 3646",
        "a negative test: reads an output register",
    ),
    (
        "agal1_fs_ruffle_stage3d_agal_upload_errors_fs_20.agal",
        "rule 3638",
        "a negative test: a sampler as an ordinary source",
    ),
    (
        "agal1_fs_ruffle_stage3d_agal_upload_errors_fs_23.agal",
        "rule 3652",
        "a negative test: writes a constant",
    ),
    (
        "agal1_fs_ruffle_stage3d_fractal_fs_3.agal",
        "rule 3634",
        "a fragment of a program: it writes no output",
    ),
    (
        "agal1_vs_ruffle_stage3d_agal_upload_errors_vs_26.agal",
        "rule 3651",
        "a negative test: writes an attribute",
    ),
];

#[test]
fn real_programs_run_alike_or_are_refused_for_a_known_reason() {
    let Some(root) = real_corpora(None) else {
        eprintln!("skipped: ../shared/corpora is not there, so no real program was read");
        return;
    };
    let collection = load_real(Some(&root), &[IsaId::Agal]);
    for skip in &collection.skipped {
        eprintln!("skipped: {}: {}", skip.name, skip.reason);
    }
    if collection.items.is_empty() {
        return;
    }
    assert!(collection.skipped.is_empty(), "files that nothing recognizes: {:?}", collection.skipped);
    let mut unused: BTreeSet<&str> = REFUSED.iter().map(|(file, ..)| *file).collect();
    let (mut run, mut components) = (0, 0);
    for item in &collection.items {
        let file = item.path.file_name().expect("a file").to_string_lossy().into_owned();
        let judgement = judge(item, 0..6);
        assert!(judgement.clean(), "{file}: {:?} {:#?}", judgement.problems, judgement.suspects);
        assert!(judgement.decoded && judgement.bytes && judgement.text, "{file}: {judgement:?}");
        let expected = REFUSED.iter().find(|(name, ..)| *name == file);
        match (&judgement.refused, expected) {
            (None, None) => {
                assert!(judgement.runs == 6 && judgement.compared.components > 0, "{file}: {judgement:?}");
                run += 1;
                components += judgement.compared.components;
            }
            (Some(reason), Some((name, rule, _))) => {
                assert!(reason.contains(rule), "{file}: refused, but for another reason: {reason}");
                unused.remove(name);
            }
            (Some(reason), None) => panic!("{file} is refused: {reason}"),
            (None, Some(_)) => panic!("{file} is listed as refused and runs"),
        }
    }
    assert!(unused.is_empty(), "listed as refused and not there: {unused:?}");
    println!("{run} programs run, {components} components compared, {} refused", REFUSED.len());
}
