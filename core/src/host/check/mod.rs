//! Checks the sampler and the fetch formats against results computed by hand from their definitions.
//!
//! All engines share one scalar sampler, so a comparison of engines cannot find its errors. These vectors can find such errors.

mod fetch;
mod sampler;

pub use fetch::{FetchVector, fetch_vectors};
pub use sampler::{SamplerVector, sampler_vectors};

use super::{Lod, SampleRequest, fetch as read, sample, sample_rows};
use crate::value::same;

/// The number of lanes in a row of reads.
const LANES: usize = 8;
/// Coordinates within the texture.
const NEAR: [f32; 3] = [0.25; 3];
/// Coordinates so large that texel indices are not exact. Rows of lanes have a separate code path for them.
const FAR: [f32; 3] = [1e30; 3];

/// Results of checking vectors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VectorReport {
    /// The number of vectors.
    pub vectors: u64,
    /// The number of components compared.
    pub components: u64,
    /// A message for each failed vector, with the two results and the calculation.
    pub wrong: Vec<String>,
}

impl VectorReport {
    fn compare(&mut self, why: &str, expected: &[f32], results: &[[f32; 4]]) {
        self.vectors += 1;
        for got in results {
            self.components += expected.len() as u64;
            // Zeros of different sign differ, too.
            let differs = |(a, b): (&f32, &f32)| !same(*a, *b);
            if expected.iter().zip(got).any(differs) {
                self.wrong.push(format!("{got:?}, expected {expected:?} ({why})"));
                return;
            }
        }
    }
}

/// Checks every vector of the sampler, alone and in the last lane of a row whose other lanes read at the same coordinates or at near or far ones.
pub fn sampler() -> VectorReport {
    let mut report = VectorReport::default();
    for vector in sampler_vectors() {
        let alone = sample(&vector.texture, &vector.request);
        let [among_same, among_near, among_far] =
            [vector.request.coords, NEAR, FAR].map(|others| in_row(&vector, others));
        report.compare(vector.why, &vector.expected, &[alone, among_same, among_near, among_far]);
    }
    report
}

/// Returns the result of the vector in the last lane of a row. The other lanes read at `others`.
fn in_row(vector: &SamplerVector, others: [f32; 3]) -> [f32; 4] {
    let request = &vector.request;
    let rows = |v: [f32; 3]| v.map(|x| [x; LANES]);
    let mut coords = rows(others);
    for (row, own) in coords.iter_mut().zip(request.coords) {
        row[LANES - 1] = own;
    }
    let (mut x, mut y, mut number) = (rows([0.0; 3]), rows([0.0; 3]), [0.0; LANES]);
    match request.lod {
        Lod::Base => {}
        Lod::Explicit(level) => number = [level; LANES],
        Lod::Gradient { dx, dy, bias } => (x, y, number) = (rows(dx), rows(dy), [bias; LANES]),
    }
    let lod = match request.lod {
        Lod::Base => Lod::Base,
        Lod::Explicit(_) => Lod::Explicit(&number),
        Lod::Gradient { .. } => Lod::Gradient { dx: x.each_ref(), dy: y.each_ref(), bias: &number },
    };
    let wide = SampleRequest {
        dimension: request.dimension,
        state: request.state,
        access: request.access,
        coords: coords.each_ref(),
        lod,
    };
    let mut out = [[0.0; LANES]; 4];
    sample_rows(&vector.texture, &wide, (1 << LANES) - 1, &mut out);
    out.map(|component| component[LANES - 1])
}

/// Checks every vector of the fetch formats.
pub fn fetches() -> VectorReport {
    let mut report = VectorReport::default();
    for vector in fetch_vectors() {
        let got = read(&vector.buffer, vector.format, vector.index);
        report.compare(vector.why, &vector.expected, &[got]);
    }
    report
}
