//! Snapshots of texts for people: manuals, listings and messages. A difference from the stored text shows what a change of the code affects. If the
//! difference is intended, `UPDATE_EXPECT=1 cargo test -p lockstep --features prove --test all` writes the new texts to `verify/tests/snapshots`, and
//! updates the other generated files that tests compare.

use expect_test::expect_file;
use lockstep::generate::Entropy;
use lockstep_core::isa::{Isa, IsaId};
use lockstep_core::text::Diagnostic;
use lockstep_core::with_isa;
use std::fmt::Write as _;
use std::path::PathBuf;

/// The number of damaged listings, and of truncated programs, for each instruction set.
const DAMAGED: u64 = 60;

/// Returns the path of a snapshot.
fn file(isa: IsaId, name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests/snapshots", isa.name(), name].iter().collect()
}

/// Compares the text of every instruction set with its file of this name.
fn compare(name: &str, text: impl Fn(IsaId) -> String) {
    for &isa in IsaId::ALL {
        let text = text(isa);
        assert!(text.lines().count() > 20, "{isa}: there is too little text:\n{text}");
        let file = file(isa, name);
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        }
        expect_file![file].assert_eq(&text);
    }
}

/// Returns the disassembled first program of each opcode's contexts.
fn listings<I: Isa>() -> Vec<String> {
    let contexts =
        I::opcodes().iter().filter_map(|op| (I::facets().contexts)(op.mnemonic).into_iter().next());
    contexts.map(|(program, _)| I::disassemble(&program)).collect()
}

/// Returns a listing with one character removed, doubled or replaced.
fn damage(listing: &str, e: &mut Entropy<'_>) -> String {
    let mut characters: Vec<char> = listing.chars().collect();
    let at = e.below(characters.len());
    match e.below(3) {
        0 => _ = characters.remove(at),
        1 => characters.insert(at, characters[at]),
        _ => characters[at] = *e.pick(&['x', '9', ',', '-', '(']).unwrap(),
    }
    characters.into_iter().collect()
}

/// Returns the line that a diagnostic refers to, the diagnostic, and its suggestion.
fn shown(text: &str, diagnostic: &Diagnostic) -> String {
    let line = text.lines().nth(diagnostic.span.line as usize - 1).unwrap_or_default();
    let help = diagnostic.help.as_ref().map_or_else(String::new, |help| format!("\n    help: {help}"));
    format!("{}\n    {diagnostic}{help}\n", line.trim())
}

fn messages<I: Isa>() -> String {
    let listings = listings::<I>();
    let mut text = String::new();
    for seed in 0..DAMAGED {
        let mut e = Entropy::seeded(seed);
        let damaged = damage(e.pick(&listings).unwrap(), &mut e);
        for diagnostic in I::assemble(&damaged).err().into_iter().flatten().take(2) {
            text.push_str(&shown(&damaged, &diagnostic));
        }
    }
    for (seed, listing) in (0..DAMAGED).zip(listings.iter().cycle()) {
        let mut e = Entropy::seeded(seed);
        let mut bytes = I::encode(&I::assemble(listing).unwrap());
        bytes.truncate(e.below(bytes.len()));
        if let Err(error) = I::decode(&bytes) {
            writeln!(
                text,
                "{} bytes of {}\n    {error}",
                bytes.len(),
                listing.lines().last().unwrap_or_default().trim()
            )
            .unwrap();
        }
    }
    text
}

#[test]
fn manuals_equal_the_committed_ones() {
    compare("manual.md", |isa| with_isa!(isa, I => <I as lockstep_core::isa::Tables>::manual()));
}

#[test]
fn listings_equal_the_committed_ones() {
    compare("listings.txt", |isa| with_isa!(isa, I => listings::<I>().join("\n")));
}

#[test]
fn messages_equal_the_committed_ones() {
    compare("messages.txt", |isa| with_isa!(isa, I => messages::<I>()));
}
