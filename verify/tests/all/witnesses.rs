//! Code that both engines share is checked by vectors whose numbers come from documents, devices or other implementations.
//!
//! Both engines decode words with the same tables. If a table is wrong, both engines misread the field alike, and no comparison of the engines
//! detects the error. A vector detects the error if the instruction with the field is live in the vector: changing the instruction's effect changes a
//! number that the vector states. There is a claim for each opcode, each modifier of any opcode, each choice of an option except the default, each
//! vertex format with components, each bit that `deciding_bits` examines, and each sign of a signed field. A vector that supports a claim is its
//! witness. Claims without a witness are listed in `corpora/ISA/unwitnessed.toml` with the reason.

use crate::deciding_bits;
use expect_test::expect_file;
use lockstep::corpus::{Content, Vector, load_own, own_corpora, run_vector, vector_case};
use lockstep::coverage::Coverage;
use lockstep_core::binary::FieldKind;
use lockstep_core::isa::a2xx::A2xx;
use lockstep_core::isa::a2xx::interface::ADRENO;
use lockstep_core::isa::a2xx::program::{Slot, Vertex};
use lockstep_core::isa::agal::Agal;
use lockstep_core::isa::d3d9::D3d9;
use lockstep_core::isa::facet::points;
use lockstep_core::isa::{Isa, IsaId, Syntax};
use lockstep_core::with_isa;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reasons {
    #[serde(default)]
    unwitnessed: Vec<Reason>,
}

/// Claims that no vector supports.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reason {
    /// Why no vector supports the claims, and which other evidence there is.
    reason: String,
    /// The claims.
    claims: Vec<String>,
}

fn vectors(isa: IsaId) -> Vec<Vector> {
    let items = load_own(&own_corpora(None).unwrap(), &[isa]).items;
    let lists = items.into_iter().filter_map(|item| match item.content {
        Content::Vectors { vectors, .. } => Some(vectors),
        _ => None,
    });
    lists.flatten().collect()
}

/// Returns a modifier without the name of its source operand, where all source operands have the same layout.
fn one_layout(isa: IsaId, modifier: &str) -> String {
    let (what, which) = modifier.split_once('=').unwrap();
    match isa {
        IsaId::Agal | IsaId::D3d9 => match what.split_once('.') {
            Some(("a" | "b" | "c" | "d", kind)) => format!("source.{kind}={which}"),
            _ => modifier.to_owned(),
        },
        IsaId::UtgardGp if matches!(what, "a" | "b" | "d" | "condition") => format!("operand={which}"),
        _ => modifier.to_owned(),
    }
}

/// Returns all claims of an instruction set, each with whether a vector supports it.
fn claims<I: Isa>(vectors: &[Vector]) -> BTreeMap<String, bool> {
    let mut all = BTreeMap::new();
    let mut coverage = Coverage::<I>::new();
    for vector in vectors {
        let case = vector_case(I::ID, vector).unwrap_or_else(|e| panic!("{}: {e:?}", vector.name));
        coverage.add(&case);
    }
    for point in points::<I>() {
        let live = coverage.is_live(point);
        let modifier = one_layout(I::ID, &point.modifier);
        for claim in [format!("opcode {}", point.opcode), format!("modifier {modifier}")] {
            *all.entry(claim).or_insert(false) |= live;
        }
    }
    for option in I::option_specs() {
        for choice in option.choices.iter().skip(1) {
            let decided = vectors.iter().any(|vector| decides(I::ID, vector, option.name, choice));
            all.insert(format!("option {}={choice}", option.name), decided);
        }
    }
    all.extend(formats(I::ID, vectors));
    all.extend(deciding_bits::bits::<I>(vectors));
    let signed = signed_fields(I::ID, vectors);
    for layout in I::layouts() {
        for field in layout.fields.iter().filter(|field| field.kind == FieldKind::Signed) {
            let values = signed.get(field.name).cloned().unwrap_or_default();
            let has = |negative: bool| {
                values.iter().any(|value| (value >> (field.width - 1) & 1 == 1) == negative && *value != 0)
            };
            all.insert(format!("field {}.{} below zero", layout.name, field.name), has(true));
            all.insert(format!("field {}.{} above zero", layout.name, field.name), has(false));
        }
    }
    all
}

/// Whether a vector makes this choice and would not hold without it.
fn decides(isa: IsaId, vector: &Vector, option: &str, choice: &str) -> bool {
    if vector.options.get(option).is_none_or(|chosen| chosen != choice) {
        return false;
    }
    let mut without = vector.clone();
    without.options.remove(option);
    run_vector(isa, &without).is_err()
}

/// Returns the values of signed fields in vectors, by the field's name.
fn signed_fields(isa: IsaId, vectors: &[Vector]) -> BTreeMap<&'static str, BTreeSet<u64>> {
    let mut found: BTreeMap<&'static str, BTreeSet<u64>> = BTreeMap::new();
    let mut add = |name, value: u64| _ = found.entry(name).or_default().insert(value);
    for vector in vectors {
        match isa {
            IsaId::Agal => {
                let program = Agal::assemble(&vector.program).unwrap();
                program.tokens.iter().filter_map(|t| t.sampler()).for_each(|s| add("bias", s.bias.into()));
            }
            IsaId::A2xx => {
                let program = A2xx::assemble(&vector.program).unwrap();
                for slot in program.shaders.iter().flat_map(|shader| &shader.slots) {
                    match slot {
                        Slot::Vertex(v) => {
                            add("exp_adjust", v.exp_adjust.into());
                            add("offset", v.offset.into());
                        }
                        Slot::Texture(t) => {
                            add("lod_bias", t.lod_bias.into());
                            add("offset_x", t.offset_x.into());
                            add("offset_y", t.offset_y.into());
                            add("offset_z", t.offset_z.into());
                        }
                        _ => {}
                    }
                }
            }
            IsaId::D3d9 => {
                let program = D3d9::assemble(&vector.program).unwrap();
                program.instructions.iter().filter_map(|i| i.dest).for_each(|d| add("shift", d.shift.into()));
            }
            IsaId::Pica200 | IsaId::UtgardGp | IsaId::Unlisted(_) => {}
        }
    }
    found
}

/// Returns the vertex formats with components, each with whether a vector fetches it.
fn formats(isa: IsaId, vectors: &[Vector]) -> BTreeMap<String, bool> {
    if isa != IsaId::A2xx {
        return BTreeMap::new();
    }
    let mut fetched = BTreeSet::new();
    for vector in vectors {
        let program = A2xx::assemble(&vector.program).unwrap();
        for slot in program.shaders.iter().flat_map(|shader| &shader.slots) {
            if let Slot::Vertex(v) = slot {
                fetched.insert(v.format);
            }
        }
    }
    let has = |format: &u8| Vertex { format: *format, ..Vertex::default() }.components(ADRENO).is_some();
    (0..64).filter(has).map(|format| (format!("format {format}"), fetched.contains(&format))).collect()
}

/// The name of the file of an instruction set's vectors from outside. Their numbers come from observations of consoles and graphics cards, from tests
/// that their authors ran on such hardware, or from other people's implementations.
const OUTSIDE: &str = "witness.toml";

/// Returns a row of the table in `docs/coverage.md`: how many opcodes are live in a vector from outside, where flipping the sign of a result is also
/// tried, and the names of the others.
fn outside_row<I: Isa>() -> String {
    let items = load_own(&own_corpora(None).unwrap(), &[I::ID]).items;
    let mut coverage = Coverage::<I>::with_signs();
    let mut count = 0;
    for item in items.iter().filter(|item| item.path.file_name().is_some_and(|name| name == OUTSIDE)) {
        let Content::Vectors { vectors, .. } = &item.content else { continue };
        for vector in vectors {
            let case = vector_case(I::ID, vector).unwrap_or_else(|e| panic!("{}: {e:?}", vector.name));
            coverage.add(&case);
            count += 1;
        }
    }
    // Opcodes without an effect of their own, such as declarations and ends of blocks, have no coverage point and can have no witness.
    let mut opcodes = BTreeMap::<&str, bool>::new();
    for point in points::<I>() {
        *opcodes.entry(point.opcode).or_default() |= coverage.is_live(point);
    }
    let with = opcodes.values().filter(|live| **live).count();
    assert!(count > 0 && with > 0, "{}: {count} vectors from outside support {with} opcodes", I::ID);
    let without: Vec<&str> = opcodes.iter().filter(|(_, live)| !**live).map(|(name, _)| *name).collect();
    let names = if without.is_empty() { "none".to_owned() } else { without.join(" ") };
    format!("| {} | {count} | {with} of {} | {names} |", I::ID, opcodes.len())
}

/// The table of opcodes with a witness from outside in `docs/coverage.md` matches the corpora.
#[test]
fn the_table_of_outside_witnesses_matches_the_corpora() {
    let path = own_corpora(None).unwrap().join("../docs/coverage.md");
    let document = std::fs::read_to_string(&path).unwrap();
    let rows: Vec<String> = IsaId::ALL.iter().map(|&isa| with_isa!(isa, I => outside_row::<I>())).collect();
    let head = "| | vectors from outside | opcodes they support | opcodes without |\n|---|---|---|---|\n";
    let table = format!("{head}{}\n\n", rows.join("\n"));
    let begin = document.find(head).expect("the table in docs/coverage.md");
    let end = begin + document[begin..].find("\n\n").expect("a paragraph after the table") + 2;
    let updated = format!("{}{table}{}", &document[..begin], &document[end..]);
    expect_file![path].assert_eq(&updated);
}

fn reasons(isa: IsaId) -> Reasons {
    let path = own_corpora(None).unwrap().join(isa.name()).join("unwitnessed.toml");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn witnessed<I: Isa>() {
    let reasons = reasons(I::ID);
    let vectors = vectors(I::ID);
    let claims = claims::<I>(&vectors);
    let without: BTreeSet<&str> =
        claims.iter().filter(|(_, has)| !**has).map(|(claim, _)| claim.as_str()).collect();
    let mut excused = BTreeSet::new();
    for row in &reasons.unwitnessed {
        assert!(row.reason.len() > 20, "a reason must be a sentence: '{}'", row.reason);
        for claim in &row.claims {
            assert!(excused.insert(claim.as_str()), "{}: '{claim}' is listed twice", I::ID);
        }
    }
    println!(
        "{}: {} claims, {} vectors support {}",
        I::ID,
        claims.len(),
        vectors.len(),
        claims.len() - without.len()
    );
    println!(
        "{}: {} claims without a vector: {}",
        I::ID,
        without.len(),
        without.iter().copied().collect::<Vec<_>>().join(", ")
    );
    let bare: Vec<_> = without.difference(&excused).collect();
    let unused: Vec<_> = excused.difference(&without).collect();
    assert!(
        bare.is_empty(),
        "{}: {} claims without a vector and without a reason: {bare:#?}",
        I::ID,
        bare.len()
    );
    assert!(
        unused.is_empty(),
        "{}: a reason is given for a claim that has a vector or does not exist: {unused:#?}",
        I::ID
    );
}

#[test]
fn shared_tables_have_witnesses() {
    let mut failed = Vec::new();
    for &isa in IsaId::ALL {
        let judged = std::panic::catch_unwind(|| with_isa!(isa, I => witnessed::<I>()));
        failed.extend(judged.is_err().then_some(isa));
    }
    assert!(failed.is_empty(), "{failed:?}");
}

/// A reason must explain why no number can be stated. It is not a reason that nobody has derived a number yet, or that programs elsewhere contain the
/// claim.
#[test]
fn a_missing_vector_is_never_the_reason() {
    for &isa in IsaId::ALL {
        for row in reasons(isa).unwitnessed {
            let absence = [" yet", "derived", "../shared", "other people"]
                .iter()
                .find(|word| row.reason.contains(*word));
            assert_eq!(absence, None, "{isa}: {}", row.reason);
        }
    }
}
