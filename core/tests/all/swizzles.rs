//! Tests which components each swizzle reads. Comparing engines cannot find errors here, because both engines and the validators use the same code to
//! determine whether a swizzle replicates one component.

use lockstep_core::isa::agal::program::Source as AgalSource;
use lockstep_core::isa::d3d9::program::{File, Source as D3d9Source, constant_file, constant_number};

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
