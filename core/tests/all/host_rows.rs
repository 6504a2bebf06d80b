//! Each read of a row of lanes equals a single read by the sampler, for any texture, state, level of detail and coordinates.

use crate::texture_reads::*;
use lockstep_core::host::*;
use lockstep_core::value::same;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_row_equals_its_single_reads(
        texture in texture(), own in prop::option::of(state()), dimension in dimension(), kind in 0..3, access in access(),
        rows in prop::collection::vec(row(), 10), lanes in prop_oneof![Just(u64::MAX), any::<u64>()],
    ) {
        let three = |at: usize| [&rows[at], &rows[at + 1], &rows[at + 2]];
        let lod = match kind {
            0 => Lod::Base,
            1 => Lod::Explicit(&rows[3]),
            _ => Lod::Gradient { dx: three(3), dy: three(6), bias: &rows[9] },
        };
        let mut out = [[f32::from_bits(0x1234_5678); LANES]; 4];
        sample_rows(&texture, &SampleRequest { dimension, state: own, access, coords: three(0), lod }, lanes, &mut out);
        for lane in (0..LANES).filter(|lane| lanes >> lane & 1 == 1) {
            let at = |row: [&Row; 3]| row.map(|row| row[lane]);
            let lod = match lod {
                Lod::Base => Lod::Base,
                Lod::Explicit(level) => Lod::Explicit(level[lane]),
                Lod::Gradient { dx, dy, bias } => Lod::Gradient { dx: at(dx), dy: at(dy), bias: bias[lane] },
            };
            let request = SampleRequest { dimension, state: own, access, coords: at(three(0)), lod };
            let one = sample(&texture, &request);
            for c in 0..4 {
                prop_assert!(same(one[c], out[c][lane]), "lane {lane}, component {c}: {} for {}", out[c][lane], one[c]);
            }
        }
    }
}
