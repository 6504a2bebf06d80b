//! [`Arbitrary`] for generated programs, cases and environments, so that fuzz targets and property tests of any crate can use them:
//!
//! ```
//! use lockstep::generate::Generated;
//! use lockstep_core::isa::agal::Agal;
//!
//! // The body of `fuzz_target!(|generated: Generated<Agal>| { … })`.
//! fn body(generated: Generated<Agal>) {
//!     let _words = generated.case.bytes; // for one's own decoder
//! }
//! # use arbitrary::{Arbitrary, Unstructured};
//! # body(Generated::arbitrary(&mut Unstructured::new(&[7; 64])).unwrap());
//! ```
//!
//! Every choice that makes a program is read from the fuzzer's bytes, so the fuzzer's coverage feedback guides what is generated. The environment of
//! a generated case is derived from eight of the bytes. Only as many bytes are consumed as the choices need. Once the bytes are used up, each choice
//! takes its first alternative.

use super::{Entropy, Generate, Needs, ProgramRequest, any_case, case_for_program, environment};
use crate::case::Case;
use arbitrary::{Arbitrary, Result, Unstructured};
use lockstep_core::host::{Dimension, Environment};
use lockstep_core::isa::{Format, Interface, IsaId, Port, Syntax};
use std::fmt;

/// A program without error-level violations, with an environment to run it in: eight lanes, which are two quads.
#[derive(Clone)]
pub struct Generated<I: Format> {
    /// The program as typed values.
    pub program: I::Program,
    /// The program as bytes, with an entry and an environment, under default options.
    pub case: Case,
}

/// A program without error-level violations.
#[derive(Clone)]
pub struct GeneratedProgram<I: Format>(pub I::Program);

/// An environment that is not made for a particular program: up to 16 inputs, 64 constants of each kind and two textures.
#[derive(Clone, Debug, PartialEq)]
pub struct GeneratedEnvironment(pub Environment);

/// Generates a value from the next bytes and consumes those that were used.
fn drawn<'a, T>(u: &mut Unstructured<'a>, make: impl FnOnce(&mut Entropy<'a>) -> T) -> Result<T> {
    let bytes = u.peek_bytes(u.len()).unwrap_or_default();
    let mut entropy = Entropy::from_bytes(bytes);
    let made = make(&mut entropy);
    u.bytes(bytes.len() - entropy.bytes_left())?;
    Ok(made)
}

/// The size hint of [`Arbitrary`]: a value may use any number of bytes, including none.
const HINT: (usize, Option<usize>) = (0, None);

impl<'a, I: Generate> Arbitrary<'a> for Generated<I> {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        drawn(u, |entropy| {
            // The seed of the environment is read first, as in `generate::case`. Otherwise a short input would leave no bytes for values that
            // differ between lanes.
            let mut outside = entropy.fork();
            let program = I::program(entropy, &ProgramRequest::default());
            let case = case_for_program::<I>(&mut outside, &program);
            Generated { program, case }
        })
    }

    fn size_hint(_depth: usize) -> (usize, Option<usize>) {
        HINT
    }
}

impl<'a, I: Generate> Arbitrary<'a> for GeneratedProgram<I> {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        drawn(u, |entropy| GeneratedProgram(I::program(entropy, &ProgramRequest::default())))
    }

    fn size_hint(_depth: usize) -> (usize, Option<usize>) {
        HINT
    }
}

impl<'a> Arbitrary<'a> for GeneratedEnvironment {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        drawn(u, |e| {
            let inputs = (0..e.below(17) as u16).map(|slot| Port { slot, mask: 0xf }).collect();
            let [constants, ints, bools] = [0; 3].map(|_: u8| e.below(65) as u16);
            let interface = Interface { inputs, constants, ints, bools, ..Interface::default() };
            let textures = (0..e.below(3) as u8).map(|unit| (unit, Dimension::Two)).collect();
            let needs = Needs { textures, ..Needs::default() };
            GeneratedEnvironment(environment(e, &interface, &needs))
        })
    }

    fn size_hint(_depth: usize) -> (usize, Option<usize>) {
        HINT
    }
}

/// A case of any instruction set, usually with a valid program: the input of this project's fuzz targets.
impl<'a> Arbitrary<'a> for Case {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        drawn(u, |entropy| {
            let isa = entropy.pick(IsaId::ALL).copied().unwrap_or(IsaId::Agal);
            any_case(isa, entropy)
        })
    }

    fn size_hint(_depth: usize) -> (usize, Option<usize>) {
        HINT
    }
}

/// Prints the case in the syntax of case files, with the program as text, ready for `lockstep reproduce`.
impl<I: Format> fmt::Debug for Generated<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.case.to_text(None))
    }
}

/// Prints the program as text.
impl<I: Syntax> fmt::Debug for GeneratedProgram<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&I::disassemble(&self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_core::with_isa;

    fn noise(seed: u64, count: usize) -> Vec<u8> {
        let mut entropy = Entropy::seeded(seed);
        (0..count).map(|_| entropy.bits() as u8).collect()
    }

    /// Draws 40 values of `Generated` and of `GeneratedProgram`, and checks the documented properties.
    fn is_as_generated<I: Generate>() {
        let mut programs = std::collections::HashSet::new();
        for seed in 0..40 {
            let bytes = noise(seed, 4096);
            let mut u = Unstructured::new(&bytes);
            let one = Generated::<I>::arbitrary(&mut u).expect("generators need no bytes");
            assert!(u.len() < bytes.len(), "bytes were taken");
            assert_eq!(one.case.bytes, I::encode(&one.program));
            let resolved = one.case.resolve::<I>().expect("it has an entry");
            assert!(resolved.is_legal(), "{one:?}");
            // A second draw starts from the same bytes.
            let again = Generated::<I>::arbitrary(&mut Unstructured::new(&bytes)).expect("as before");
            assert!(one.case.to_bytes() == again.case.to_bytes(), "the same bytes give the same case");
            programs.insert(one.case.bytes.clone());
            let text = format!("{one:?}");
            assert_eq!(Case::from_text(&text).expect("a case").to_text(None), text);
            let alone = GeneratedProgram::<I>::arbitrary(&mut Unstructured::new(&bytes)).expect("a program");
            assert_eq!(I::assemble(&format!("{alone:?}")).as_ref(), Ok(&alone.0));
        }
        assert!(programs.len() > 36, "{}: {} different programs of 40", I::ID, programs.len());
    }

    #[test]
    fn bytes_make_programs_that_can_run() {
        for &isa in IsaId::ALL {
            with_isa!(isa, I => is_as_generated::<I>());
        }
    }

    #[test]
    fn bytes_choose_the_instruction_set_and_the_environment() {
        let mut isas = std::collections::HashSet::new();
        let mut shapes = std::collections::HashSet::new();
        for seed in 0..60 {
            let bytes = noise(seed, 2048);
            let mut u = Unstructured::new(&bytes);
            isas.insert(Case::arbitrary(&mut u).expect("a case").isa);
            let GeneratedEnvironment(env) = GeneratedEnvironment::arbitrary(&mut u).expect("an environment");
            shapes.insert((env.constants.len(), env.textures.len(), env.lanes[0].slots.len()));
        }
        assert_eq!(isas.len(), IsaId::ALL.len());
        assert!(shapes.len() > 40, "{}", shapes.len());
    }

    #[test]
    fn an_empty_input_generates_a_program() {
        let mut u = Unstructured::new(&[]);
        for &isa in IsaId::ALL {
            with_isa!(isa, I => {
                let one = Generated::<I>::arbitrary(&mut u).expect("generators need no bytes");
                assert!(one.case.resolve::<I>().expect("it has an entry").is_legal());
            });
        }
    }
}
