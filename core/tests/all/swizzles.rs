//! Tests of swizzles, numbers of constants and write masks. Comparing engines cannot find errors in swizzles, because both engines and the validators
//! use the same code to determine whether a swizzle replicates one component.

use lockstep_core::isa::agal::program::Source as AgalSource;
use lockstep_core::isa::d3d9::program::{File, Source as D3d9Source, constant_file, constant_number};
use lockstep_core::isa::{a2xx, agal, d3d9};

#[test]
fn a_swizzle_names_one_component_if_all_four_that_it_reads_are_the_same() {
    for swizzle in 0..=u8::MAX {
        // Two bits for each component, x lowest.
        let read: [usize; 4] = std::array::from_fn(|lane| usize::from(swizzle) >> (2 * lane) & 3);
        let is_one = read.iter().all(|component| *component == read[0]);
        let agal = AgalSource { swizzle, ..AgalSource::default() };
        let d3d9 = D3d9Source::register(File::Temporary, 0, swizzle);
        for (component, expected) in read.into_iter().enumerate() {
            let actual = (agal.component(component), d3d9.component(component));
            assert_eq!(actual, (expected, expected), "{swizzle:#x}");
        }
        assert_eq!((agal.is_replicated(), d3d9.is_replicated()), (is_one, is_one), "{swizzle:#x}");
    }
}

#[test]
fn every_constant_of_direct3d_9_has_a_file_and_a_number_of_its_own() {
    // Four files of 2048 constants.
    for number in 0..4 * 2048 {
        let (file, inside) = constant_file(number);
        assert_eq!(constant_number(file as u8, inside), Some(number), "c{number}");
    }
}

/// A write mask names components in order and none twice (MINI3, MS, xdk). PICA200's assemblers accept any order, so it is not listed.
#[test]
fn each_sequence_of_letters_in_order_is_a_write_mask_and_no_other_is() {
    type Mask = fn(&str) -> Option<u8>;
    let sets: [(&str, Mask); 3] = [
        ("AGAL", |letters| {
            let program =
                agal::assemble::assemble(&format!("version 1 vertex\nmov vt0.{letters}, va0")).ok()?;
            Some(program.tokens[0].dest.mask)
        }),
        ("Direct3D 9", |letters| {
            let program = d3d9::assemble::assemble(&format!("vs_2_0\nmov r0.{letters}, v0")).ok()?;
            Some(program.instructions[0].dest?.mask)
        }),
        ("A2xx", |letters| {
            let program =
                a2xx::assemble::assemble(&format!("EXEC_END\nALU: MAXv R0.{letters} = R0, R0")).ok()?;
            match &program.shaders[0].slots[0] {
                a2xx::program::Slot::Alu(alu) => Some(alu.vmask),
                _ => None,
            }
        }),
    ];
    for length in 1..=4u32 {
        for number in 0..4usize.pow(length) {
            let components: Vec<usize> = (0..length).map(|k| number >> (2 * k) & 3).collect();
            let letters: String = components.iter().map(|c| ["x", "y", "z", "w"][*c]).collect();
            let ascending = components.windows(2).all(|pair| pair[0] < pair[1]);
            let expected = ascending.then(|| components.iter().fold(0u8, |mask, c| mask | 1 << c));
            for (name, mask) in sets {
                assert_eq!(mask(&letters), expected, "{name}: .{letters}");
            }
        }
    }
}
