//! `lockstep.h` compiles as C and C++, and agrees with our Rust declarations.

use super::compiled::{check_syntax, printed};
use super::{file, text};
use lockstep::judge::plugin::abi;
use lockstep_core::isa::IsaId;
use std::mem::offset_of;

#[test]
fn the_header_is_c99_and_cxx11_without_a_warning() {
    for standard in ["c99", "c11", "c++11", "c++17"] {
        check_syntax("include/lockstep.h", standard);
        check_syntax("tests/all/judge/minimal.c", standard);
    }
}

/// Structures with their sizes and members with their offsets, as `layout.cpp` prints them.
macro_rules! layout {
    ($($name:literal $type:ident { $($member:ident)* })*) => {{
        let mut text = String::new();
        $(
            text += &format!("{} {}\n", $name, size_of::<abi::$type>());
            $(text += &format!("{}.{} {}\n", $name, stringify!($member), offset_of!(abi::$type, $member));)*
        )*
        text
    }};
}

#[test]
fn our_structures_are_those_of_the_header() {
    let ours = layout! {
        "bytes" Bytes { at length }
        "words" Words { at length }
        "room" Room { at capacity length }
        "option" Choice { name choice }
        "register" Register { slot mask name }
        "greeting" Greeting { size abi isa host options option_count arguments argument_count }
        "program" Program {
            size isa stage version start entry constants ints bools extra file code table samplers opcodes opcode_count inputs input_count outputs
            output_count
        }
        "decoded" Decoded { size consumed text encoded instructions message }
        "translated" Translated { size source places message }
        "texture" Texture { dimension extent levels min mag mip wrap border lod_bias max_anisotropy texels texel_count }
        "read" Read { size unit dimension detail coords level dx dy bias state }
        "environment" Environment {
            size constants constant_count ints int_count bools bool_count textures texture_count buffers buffer_count lanes asked inputs
            initial initial_count initial_values finals final_count
            sample sampling
        }
        "effect" Effect { lane kind index mask bits }
        "batch" Batch { size status killed outputs effects effect_capacity effect_count lane message finals final_masks }
        "step" Step { lane word writes }
        "write" Write { name bits }
        "trace" Trace { size steps step_capacity step_count writes write_capacity write_count lane message }
        "subject" Subject { size abi isas name version profile open decode run close trace translate abilities language }
    };
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(printed(folder.path(), "tests/all/judge/layout.cpp"), ours);
    // `ours` contains each member of the header: it lists as many members of a structure as the header has lines with `;` outside of comments.
    let header = text(file("include/lockstep.h"));
    for (name, body) in header.split("typedef struct lockstep_").skip(1).filter_map(|rest| {
        let (name, rest) = rest.split_once(" {\n")?;
        Some((name, rest.split_once("\n}")?.0))
    }) {
        let lines =
            body.lines().filter(|line| line.split("/*").next().is_some_and(|code| code.contains(';')));
        // The two filters of a texture share a line.
        let members = lines.count() + usize::from(name == "texture");
        let listed = ours.lines().filter(|line| line.starts_with(&format!("{name}."))).count();
        assert_eq!(members, listed, "{name}");
    }
}

#[test]
fn numbers_of_the_header_are_ours() {
    let header = text(file("include/lockstep.h"));
    let number = |name: &str| -> u32 {
        let (_, rest) = header.split_once(&format!("LOCKSTEP_{name} = ")).unwrap_or_else(|| panic!("{name}"));
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().unwrap()
    };
    for isa in IsaId::ALL {
        assert_eq!(number(&isa.name().to_uppercase()), u32::from(isa.number()), "{isa}");
    }
    use abi::{detail, language, status, verdict};
    for (name, ours) in [
        ("FAILED", verdict::FAILED),
        ("ACCEPTED", verdict::ACCEPTED),
        ("REJECTED", verdict::REJECTED),
        ("UNSUPPORTED", verdict::UNSUPPORTED),
        ("NOT_RUN", status::NOT_RUN),
        ("FINISHED", status::FINISHED),
        ("OUT_OF_FUEL", status::OUT_OF_FUEL),
        ("TRAP", status::TRAP),
        ("NO_STAGE", abi::NO_STAGE),
        ("REGISTERS", abi::REGISTERS),
        ("DETAIL_BASE", detail::BASE),
        ("DETAIL_EXPLICIT", detail::EXPLICIT),
        ("DETAIL_GRADIENT", detail::GRADIENT),
        ("GLSL", language::GLSL),
        ("SPIRV", language::SPIRV),
        ("WGSL", language::WGSL),
    ] {
        assert_eq!(number(name), ours, "{name}");
    }
    assert!(header.contains(&format!("#define LOCKSTEP_ABI {}u\n", abi::ABI)));
    assert!(header.contains(&format!("const lockstep_subject *{}(void);", abi::SYMBOL)));
}
