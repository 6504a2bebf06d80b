//! The hashes of the results of decoding, listing, validating and lowering generated programs, unchanged and with bytes changed, equal the committed
//! hashes.
//!
//! The test detects a change of a table that should change the meaning of no program but changes one.

use expect_test::expect;
use lockstep::case::Case;
use lockstep::digest::Hash;
use lockstep::generate::{Entropy, Generate, ProgramRequest, case};
use lockstep_core::ir::print;
use lockstep_core::isa::lowering::Mode;
use lockstep_core::isa::{IsaId, lower};
use lockstep_core::with_isa;

/// The number of programs of each instruction set; each is also tested with bytes changed.
const PROGRAMS: u64 = 400;

/// Changes up to four bytes or bits of a program.
fn change(bytes: &mut [u8], seed: u64) {
    let mut e = Entropy::seeded(seed ^ 0x6368_616e_6765);
    for _ in 0..=e.below(4) {
        let at = e.below(bytes.len());
        bytes[at] ^= if e.chance(50) { 1 << e.below(8) } else { e.bits() as u8 };
    }
}

/// Adds the results for a case to the hash, without the wording of messages. Returns whether the case was lowered.
fn made<I: Generate>(case: &Case, hash: &mut Hash) -> bool {
    let Ok(resolved) = case.resolve::<I>() else {
        hash.add(b"does not decode");
        return false;
    };
    hash.add(I::disassemble(&resolved.program).as_bytes());
    let cx = resolved.context();
    for violation in I::validate(&cx) {
        hash.add(format!("{} {:?} {:?}", violation.code, violation.level, violation.word).as_bytes());
    }
    let lowered = lower(&cx, Mode::Auto);
    hash.add(lowered.as_ref().map_or_else(|_| "not lowered".to_owned(), print).as_bytes());
    lowered.is_ok()
}

fn hashed<I: Generate>() -> (IsaId, u64, u64) {
    let (mut programs, mut outcomes) = (Hash::default(), Hash::default());
    let mut lowered = 0;
    for seed in 0..PROGRAMS {
        let mut case = case::<I>(&mut Entropy::seeded(seed), &ProgramRequest::default());
        for changed in [false, true] {
            if changed {
                change(&mut case.bytes, seed);
            }
            programs.add(&case.bytes);
            lowered += u64::from(made::<I>(&case, &mut outcomes));
        }
    }
    assert!(lowered > PROGRAMS * 9 / 10, "{}: only {lowered} are lowered", I::ID);
    (I::ID, programs.value(), outcomes.value())
}

#[test]
#[allow(clippy::needless_raw_string_hashes)] // expect-test writes them
fn programs_are_decoded_listed_validated_and_lowered_as_before() {
    let now: Vec<_> = std::thread::scope(|scope| {
        let each = IsaId::ALL.iter().map(|&isa| scope.spawn(move || with_isa!(isa, I => hashed::<I>())));
        each.collect::<Vec<_>>().into_iter().map(|one| one.join().unwrap()).collect()
    });
    let lines = now.iter().map(|(isa, programs, made)| format!("{isa}: {programs:#018x}, {made:#018x}\n"));
    // By instruction set: the hash of the programs, and that of the results. If the first changes, the generator draws other programs, and both must
    // be committed. If only the second changes, programs are decoded, listed, validated or lowered in another way.
    expect![[r#"
        agal: 0x3c2fa7c00dbdc863, 0xef6cb9957a864a2a
        pica200: 0xa1c334cc2ebaa3c1, 0x470a450e93839652
        utgard_gp: 0x2b06880a0c88e8df, 0x2fa18417952255a7
        a2xx: 0x557aaeb2ed242cb7, 0x8980255a886df6f3
        d3d9: 0x31b8922e0c62cf07, 0x5d900df2d8fe1304
    "#]]
    .assert_eq(&lines.collect::<String>());
}
