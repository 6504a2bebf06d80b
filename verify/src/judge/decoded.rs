//! Compares decoders by the meaning of the decoded programs.
//!
//! Two programs have the same meaning if they have the same number of instructions, each with the same opcodes, define the same constants, and lower
//! to the same IR. The IR is scalar, so it contains neither components that an instruction does not read under its write mask, nor ignored bits, nor
//! alternative spellings. Programs that break a rule at error level cannot be lowered. For them, the number of instructions, the opcodes and the
//! facets are compared.

use super::compare::Compared;
use super::disagreement::{Class, Disagreement};
use super::ours::instructions;
use super::profile::{self, Profile};
use super::question::{Prepared, ValidationStatus};
use super::subject::{Decoded, InstructionData, Verdict};
use crate::case::{EntryRef, Resolved, is_same_environment};
use lockstep_core::host::Environment;
use lockstep_core::isa::lowering::Mode;
use lockstep_core::isa::{Isa, lower};
use lockstep_core::text::count;

/// Compares the answer of the subject's decoder with that of our decoder.
///
/// # Errors
/// The first disagreement, in the order verdict, consumed bytes, instructions.
pub(super) fn compare_decoded<I: Isa>(
    prepared: &Prepared,
    decoded: &Decoded,
    profile: &Profile,
) -> Result<Compared, Disagreement> {
    let expected = match prepared.status {
        ValidationStatus::Legal => profile::Expected::Accepted,
        ValidationStatus::Warned | ValidationStatus::Undefined => profile.invalid.doubtful,
        ValidationStatus::Illegal => profile.invalid.illegal,
        ValidationStatus::Malformed => profile.invalid.malformed,
    };
    let what = match prepared.status {
        ValidationStatus::Legal => "a legal program",
        ValidationStatus::Warned | ValidationStatus::Undefined => {
            "a program that breaks rules only at warning level"
        }
        ValidationStatus::Illegal => "a program that breaks a rule",
        ValidationStatus::Malformed => "bytes that are not a program",
    };
    let wrong = |verdict: &str| {
        let why = decoded.message.as_ref().map_or_else(String::new, |why| format!(": {why}"));
        let status = if prepared.status.runs() { ValidationStatus::Legal } else { prepared.status };
        let detail = format!("{verdict}-{status:?}").to_lowercase();
        Disagreement::new(Class::Verdict, detail, format!("{what} is {verdict}{why}"))
    };
    match (decoded.verdict, expected) {
        (Verdict::Unsupported, _) => return Ok(Compared { unsupported: 1, ..Compared::default() }),
        (Verdict::Accepted, profile::Expected::Rejected) => return Err(wrong("accepted")),
        (Verdict::Rejected, profile::Expected::Accepted) => return Err(wrong("rejected")),
        _ => {}
    }
    // Answers about illegal and malformed programs, and rejections of doubtful ones, do not count as compared.
    let counts = match prepared.status {
        ValidationStatus::Legal => true,
        ValidationStatus::Warned | ValidationStatus::Undefined => decoded.verdict == Verdict::Accepted,
        ValidationStatus::Illegal | ValidationStatus::Malformed => false,
    };
    let compared = Compared { decoded: counts, ..Compared::default() };
    if decoded.verdict == Verdict::Rejected || prepared.status == ValidationStatus::Malformed {
        return Ok(compared);
    }
    // Malformed programs were handled above, so resolving fails only for other reasons, which are not compared.
    let Ok(ours) = prepared.case.resolve::<I>() else { return Ok(compared) };
    if let Some(theirs) = decoded.consumed {
        let bytes = I::extent(&ours.program) as u64;
        if theirs != bytes {
            let message = format!("{} consumed, {bytes} belong to the program", count(theirs, "byte"));
            return Err(Disagreement::new(Class::Consumed, "bytes", message));
        }
    }
    if let Some(encoded) = &decoded.encoded {
        let program = I::decode(&encoded.0).map_err(|error| {
            Disagreement::new(
                Class::Instructions,
                "encoded",
                format!("the encoded bytes do not decode: {error}"),
            )
        })?;
        compare_programs(prepared, &ours, program)?;
    }
    if let Some(text) = &decoded.text {
        let program = I::assemble(text).map_err(|errors| {
            let first = errors.first().map_or_else(String::new, ToString::to_string);
            Disagreement::new(Class::Instructions, "text", format!("the text does not assemble: {first}"))
        })?;
        compare_programs(prepared, &ours, program)?;
    }
    if let Some(theirs) = &decoded.instructions {
        compare_typed(&instructions(&ours), theirs)?;
    }
    Ok(compared)
}

/// Compares the typed instructions of both decoders one by one: their opcodes, and the fields that the subject lists.
fn compare_typed(ours: &[InstructionData], theirs: &[InstructionData]) -> Result<(), Disagreement> {
    if ours.len() != theirs.len() {
        return Err(count_disagreement(theirs.len(), ours.len()));
    }
    // An instruction for which our decoder has no opcode name, such as an undefined encoding, is not compared.
    for (n, (a, b)) in ours.iter().zip(theirs).enumerate().filter(|(_, (ours, _))| !ours.opcode.is_empty()) {
        if a.opcode != b.opcode {
            return Err(field_disagreement(n, "opcode", &b.opcode, &a.opcode));
        }
        for (name, value) in &b.fields {
            match a.fields.get(name) {
                Some(known) if known == value => {}
                known => {
                    return Err(field_disagreement(n, name, value, known.map_or("nothing", String::as_str)));
                }
            }
        }
    }
    Ok(())
}

fn count_disagreement(theirs: usize, ours: usize) -> Disagreement {
    let message = format!("{} decoded, the program has {ours}", count(theirs, "instruction"));
    Disagreement::new(Class::Instructions, "count", message)
}

fn field_disagreement(instruction: usize, field: &str, theirs: &str, ours: &str) -> Disagreement {
    let message = format!("instruction {instruction}, {field}: {theirs}, the program has {ours}");
    Disagreement::new(Class::Instructions, field, message)
}

fn compare_programs<I: Isa>(
    prepared: &Prepared,
    ours: &Resolved<I>,
    theirs: I::Program,
) -> Result<(), Disagreement> {
    if theirs == ours.program {
        return Ok(());
    }
    // The other program is compared at the entry that the case names, or at that of our program if it has no such entry.
    let entry = match prepared.case.entry {
        EntryRef::Own(_) => prepared.case.entry::<I>(&theirs).unwrap_or_else(|_| ours.entry.clone()),
        EntryRef::Given(_) => ours.entry.clone(),
    };
    let theirs = Resolved::<I> {
        program: theirs,
        entry,
        options: ours.options.clone(),
        env: ours.env.clone(),
        limits: ours.limits,
    };
    let (a, b) = (instructions(ours), instructions(&theirs));
    if a.len() != b.len() {
        return Err(count_disagreement(b.len(), a.len()));
    }
    if let Some(n) = (0..a.len()).find(|n| a[*n].opcode != b[*n].opcode) {
        return Err(field_disagreement(n, "opcode", &b[n].opcode, &a[n].opcode));
    }
    if prepared.status.runs() {
        // The entries may differ in the components that are read of a register. Only the lowered programs are compared.
        let lowered = |one: &Resolved<I>| {
            lower(&one.context(), Mode::Nodes).or_else(|_| lower(&one.context(), Mode::Auto))
        };
        match (lowered(ours), lowered(&theirs)) {
            (Ok(a), Ok(b)) if a == b && define_the_same(ours, &theirs) => return Ok(()),
            (_, Err(error)) => {
                let message = format!("the decoded program is not legal: {error}");
                return Err(Disagreement::new(Class::Instructions, "rule", message));
            }
            _ => {}
        }
    }
    for (n, (a, b)) in a.iter().zip(&b).enumerate() {
        let facet =
            a.fields.keys().chain(b.fields.keys()).find(|name| a.fields.get(*name) != b.fields.get(*name));
        if let Some(name) = facet {
            let value =
                |one: &InstructionData| one.fields.get(name).cloned().unwrap_or_else(|| "nothing".to_owned());
            return Err(field_disagreement(n, name, &value(b), &value(a)));
        }
    }
    if !prepared.status.runs() {
        return Ok(());
    }
    let words = 0..a.len() as u32;
    let text = |one: &Resolved<I>, word| I::disassemble_word(&one.program, word);
    match words.into_iter().find(|word| text(ours, *word) != text(&theirs, *word)) {
        Some(word) => {
            Err(field_disagreement(word as usize, "operands", &text(&theirs, word), &text(ours, word)))
        }
        None => {
            Err(Disagreement::new(Class::Instructions, "program", "the data around the instructions differs"))
        }
    }
}

/// Whether two programs write the same constants into an environment, bit by bit. The IR reads constants from the environment, so it does not hold the
/// values that programs and containers define.
fn define_the_same<I: Isa>(a: &Resolved<I>, b: &Resolved<I>) -> bool {
    let defined = |one: &Resolved<I>| {
        let mut env = Environment::default();
        I::preset(&one.program, &one.entry, &mut env);
        env
    };
    is_same_environment(&defined(a), &defined(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Case;
    use crate::judge::question::prepare;
    use crate::judge::subject::{Ability, Hex};
    use lockstep_core::isa::agal::Agal;
    use lockstep_core::isa::d3d9::D3d9;
    use lockstep_core::isa::pica200::Pica200;
    use lockstep_core::isa::utgard_gp::UtgardGp;
    use lockstep_core::isa::{Format, Syntax};
    use std::collections::BTreeMap;

    /// Compares an answer about a program with the reference.
    fn judged<I: Isa>(
        text: &str,
        profile: &str,
        answer: impl Fn(&mut Decoded),
    ) -> Result<Compared, Disagreement> {
        let profile = Profile::from_text(profile, I::ID).unwrap();
        let case = Case::new::<I>(&I::assemble(text).unwrap(), Environment::default());
        let prepared = prepare(&case, &profile, &[Ability::Decode]).unwrap();
        let mut decoded = Decoded {
            verdict: Verdict::Accepted,
            consumed: None,
            text: None,
            encoded: None,
            instructions: None,
            message: None,
        };
        answer(&mut decoded);
        compare_decoded::<I>(&prepared, &decoded, &profile)
    }

    const PROGRAM: &str = "version 1 vertex\nmov vt0, va0\nadd op, vt0, vc1\n";

    #[test]
    fn unnamed_fields_are_not_compared() {
        let named = |opcode: &str| InstructionData { opcode: opcode.to_owned(), fields: BTreeMap::new() };
        assert_eq!(compare_typed(&[named("")], &[named("mov")]), Ok(()));
        let other = compare_typed(&[named(""), named("add")], &[named("mov"), named("sub")]).unwrap_err();
        assert_eq!(other.detail, "opcode");
        assert!(other.message.starts_with("instruction 1, "), "{}", other.message);
    }

    #[test]
    fn unread_components_may_be_encoded_in_any_way() {
        let program = "version 1 vertex\nmov vt0, va0\nadd vt0.x, va0.xyzw, vt0.xyzw\nmov op, vt0\n";
        for same in ["add vt0.x, va0.xxxx, vt0.xwzy", "add vt0.x, va0.x, vt0.x", "add vt0.x, va0, vt0"] {
            let text = program.replace("add vt0.x, va0.xyzw, vt0.xyzw", same);
            let compared = judged::<Agal>(program, "", |decoded| decoded.text = Some(text.clone()));
            assert!(compared.is_ok_and(|compared| compared.decoded), "{same}");
        }
    }

    #[test]
    fn the_first_field_that_differs_is_named() {
        for (from, to, detail, part) in [
            ("add", "sub", "opcode", "instruction 1, opcode: sub, the program has add"),
            ("vt0, vc1", "vt0, vc2", "operands", "instruction 1, operands: add op, vt0, vc2"),
            (
                "vt0, vc1",
                "vt0.wzyx, vc1",
                "a.swizzle",
                "instruction 1, a.swizzle: permuted, the program has identity",
            ),
            ("mov vt0, va0\n", "", "count", "1 instruction decoded, the program has 2"),
            ("mov", "mvo", "text", "does not assemble"),
            ("mov vt0, va0", "mov vc0, va0", "rule", "is not legal"),
        ] {
            let text = PROGRAM.replace(from, to);
            let found = judged::<Agal>(PROGRAM, "", |decoded| decoded.text = Some(text.clone())).unwrap_err();
            assert_eq!(
                (found.class, found.detail.as_str()),
                (Class::Instructions, detail),
                "{}",
                found.message
            );
            assert!(found.message.contains(part), "{}", found.message);
        }
        let mut bytes = Agal::encode(&Agal::assemble(PROGRAM).unwrap());
        bytes[31] = 2;
        let found =
            judged::<Agal>(PROGRAM, "", |decoded| decoded.encoded = Some(Hex(bytes.clone()))).unwrap_err();
        assert_eq!(found.detail, "opcode", "{}", found.message);
        bytes.truncate(30);
        let found =
            judged::<Agal>(PROGRAM, "", |decoded| decoded.encoded = Some(Hex(bytes.clone()))).unwrap_err();
        assert_eq!(found.detail, "encoded", "{}", found.message);
    }

    #[test]
    fn defined_constants_are_compared_bit_by_bit() {
        fn check<I: Isa>(text: &str, from: &str, others: &[&str]) {
            assert!(judged::<I>(text, "", |decoded| decoded.text = Some(text.to_owned())).is_ok(), "{text}");
            for other in others {
                let other = text.replacen(from, other, 1);
                let encoded = I::encode(&I::assemble(&other).unwrap());
                for given in [0, 1] {
                    let found = judged::<I>(text, "", |decoded| match given {
                        0 => decoded.text = Some(other.clone()),
                        _ => decoded.encoded = Some(Hex(encoded.clone())),
                    });
                    assert_eq!(found.map_err(|found| found.class), Err(Class::Instructions), "{other}");
                }
            }
        }
        let text = "ps_3_0\ndef c0, 1, 2, 0, 4\ndefi i0, 1, 2, 3, 4\ndefb b0, true\nmov oC0, c0\n";
        check::<D3d9>(
            text,
            "def c0, 1, 2, 0, 4",
            &[
                "def c0, 3, 2, 0, 4",
                "def c0, 1, 3, 0, 4",
                "def c0, 1, 2, -0, 4",
                "def c0, 1, 2, 0, 3",
                "def c1, 1, 2, 0, 4",
            ],
        );
        check::<D3d9>(text, "defi i0, 1, 2, 3, 4", &["defi i0, 1, 2, 3, 5", "defi i1, 1, 2, 3, 4"]);
        check::<D3d9>(text, "defb b0, true", &["defb b0, false", "defb b1, true"]);
        let text = ".setf c3(1.0, 2.0, 0.0, 4.0)\n.seti i1(1, 2, 3, 4)\n.setb b2 true\n.in start v0\n.out pos position\n.proc main\n    mov pos, start\n    end\n.end\n";
        check::<Pica200>(
            text,
            "c3(1.0, 2.0, 0.0, 4.0)",
            &[
                "c4(1.0, 2.0, 0.0, 4.0)",
                "c3(1.5, 2.0, 0.0, 4.0)",
                "c3(1.0, 2.0, -0.0, 4.0)",
                "c3(1.0, 2.0, 0.0, 5.0)",
            ],
        );
        check::<Pica200>(text, "i1(1, 2, 3, 4)", &["i2(1, 2, 3, 4)", "i1(0, 2, 3, 4)", "i1(1, 2, 3, 5)"]);
        check::<Pica200>(text, "b2 true", &["b3 true", "b2 false"]);
        let text = include_str!("../../../corpora/utgard_gp/programs/diffuse.utgard_gp.txt");
        check::<UtgardGp>(text, "0x00000000 0x3f800000", &["0x80000000 0x3f800000", "0x00000000 0x3f800001"]);
    }

    #[test]
    fn given_typed_values_are_compared() {
        let given = |opcode: &str, fields: &[(&str, &str)]| {
            let fields =
                fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            InstructionData { opcode: opcode.to_owned(), fields }
        };
        let judged = |all: Vec<InstructionData>| {
            judged::<Agal>(PROGRAM, "", |decoded| decoded.instructions = Some(all.clone()))
                .map_err(|found| found.message)
        };
        assert!(
            judged(vec![given("mov", &[]), given("add", &[("b.file", "constant"), ("mask", "full")])])
                .is_ok()
        );
        let wrong = judged(vec![given("mov", &[]), given("add", &[("b.file", "input")])]).unwrap_err();
        assert_eq!(wrong, "instruction 1, b.file: input, the program has constant");
        assert!(judged(vec![given("mov", &[])]).is_err());
        assert!(judged(vec![given("mov", &[("colour", "red")]), given("add", &[])]).is_err());
    }

    #[test]
    fn verdicts_are_compared_with_the_profile() {
        let illegal = "version 1 vertex\nmov vc0, va0\n";
        // A program that reads an unwritten register.
        let doubtful = "version 1 vertex\nmov op, vt0\n";
        for (program, profile, verdict, class) in [
            (PROGRAM, "", Verdict::Rejected, Some(Class::Verdict)),
            (PROGRAM, "", Verdict::Unsupported, None),
            (illegal, "", Verdict::Rejected, None),
            (illegal, "", Verdict::Accepted, None),
            (illegal, "[invalid]\nillegal = 'rejected'", Verdict::Accepted, Some(Class::Verdict)),
            (illegal, "[invalid]\nillegal = 'accepted'", Verdict::Rejected, Some(Class::Verdict)),
            (doubtful, "", Verdict::Rejected, None),
            (doubtful, "", Verdict::Accepted, None),
            (doubtful, "[invalid]\ndoubtful = 'accepted'", Verdict::Rejected, Some(Class::Verdict)),
            (doubtful, "[invalid]\ndoubtful = 'rejected'", Verdict::Accepted, Some(Class::Verdict)),
        ] {
            let found = judged::<Agal>(program, profile, |decoded| decoded.verdict = verdict).err();
            assert_eq!(found.map(|found| found.class), class, "{program} {profile} {verdict:?}");
        }
    }

    #[test]
    fn a_direct3d_9_program_ends_at_its_end_token() {
        let program = D3d9::assemble("vs_2_0\nmov oPos, c0\n").unwrap();
        let mut bytes = D3d9::encode(&program);
        let end = bytes.len() as u64;
        bytes.extend([1, 2, 3, 4, 5, 6, 7, 8]);
        let case = Case::bare(D3d9::ID, &bytes);
        let profile = Profile::default();
        let prepared = prepare(&case, &profile, &[Ability::Decode]).unwrap();
        for (consumed, class) in [(end, None), (end + 8, Some(Class::Consumed))] {
            let decoded = Decoded {
                verdict: Verdict::Accepted,
                consumed: Some(consumed),
                text: None,
                encoded: None,
                instructions: None,
                message: None,
            };
            let found = compare_decoded::<D3d9>(&prepared, &decoded, &profile).err();
            assert_eq!(found.map(|found| found.class), class, "{consumed}");
        }
    }
}
