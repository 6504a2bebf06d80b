//! Code with a bit changed is refused, or is code that does the same.

use lockstep_core::exec::{Compiled, Layout, Level, Piece, Plan, Planner};
use lockstep_core::ir::random::{Rules, Source, program};
use lockstep_validate::{Invalid, Reason, Validator};

#[test]
fn xx() {
    for level in Level::available().filter(|level| level.is_compiled()) {
        let mut validator = Validator::default();
        let mut n = 0;
        for seed in 0..1000 {
            let mut plan = Plan::default();
            Planner::default().plan(&program(&mut Source::seeded(seed), Rules::Lax), &mut plan);
            let compiled = Compiled::new(&plan, level).unwrap();
            if compiled.bytes().len() > 2500 || compiled.bytes().len() < 1000 {
                continue;
            }
            n += 1;
            if n > 4 {
                break;
            }
            let mut bytes = compiled.bytes().to_vec();
            let layout = compiled.layout();
            for bit in 0..8 * bytes.len() {
                bytes[bit / 8] ^= 1 << (bit % 8);
                if validator.validate_bytes(&plan, &layout, &bytes).is_ok() {
                    let mut d = iced_x86::Decoder::new(64, compiled.bytes(), 0);
                    let mut i = d.decode();
                    while i.next_ip() as usize <= bit / 8 {
                        i = d.decode();
                    }
                    let mut e = iced_x86::Decoder::new(64, &bytes, 0);
                    e.set_position(i.ip() as usize).unwrap();
                    e.set_ip(i.ip());
                    let j = e.decode();
                    if i != j {
                        eprintln!(
                            "{level:?} {seed} bit {bit} byte {} of {}: {i} -> {j}",
                            bit / 8,
                            bytes.len()
                        );
                    }
                }
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
        }
    }
}
