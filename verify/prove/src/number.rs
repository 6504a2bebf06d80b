//! Evaluates goals on concrete values: to search for a difference cheaply, and to replay a solver's model.

use crate::goal::Goal;
use crate::term::{Function, Node, Term, Ty};
use lockstep_core::value::{Concrete, Domain, canonical_bits};
use std::array::from_fn;
use std::collections::HashMap;

/// Values for the unknowns and unknown functions of a goal, as bits: floats with canonical NaN, truth values as 0 or 1.
pub trait Assignment {
    /// Returns the value of a function for these operands, or of an unknown if there are no operands.
    fn value(&mut self, function: Function, ty: Ty, operands: &[u32]) -> u32;
}

/// Formats a value by its type: `1.5 (0x3fc00000)`, `-7 (0xfffffff9)`, `true`.
pub fn show(ty: Ty, bits: u32) -> String {
    match ty {
        Ty::F => format!("{:?} (0x{bits:08x})", f32::from_bits(bits)),
        Ty::I => format!("{} (0x{bits:08x})", bits as i32),
        Ty::B => (bits != 0).to_string(),
    }
}

/// Computes every term's value under an assignment, with the same arithmetic that executes shaders.
pub fn evaluate(goal: &Goal, assignment: &mut impl Assignment, values: &mut Vec<u32>) {
    let mut all = Vec::with_capacity(goal.nodes.len());
    evaluate_each(goal, std::array::from_mut(assignment), &mut all);
    values.clear();
    values.extend_from_slice(all.as_flattened());
}

/// Computes every term's value under several assignments at once, so that each node is dispatched only once.
fn evaluate_each<const N: usize>(
    goal: &Goal,
    assignments: &mut [impl Assignment; N],
    values: &mut Vec<[u32; N]>,
) {
    let c = Concrete;
    values.clear();
    let mut operands = Vec::new();
    for node in &goal.nodes {
        let at = |t: &Term| &values[t.0 as usize];
        let f = |v: &[u32; N], k: usize| f32::from_bits(v[k]);
        let float = canonical_bits;
        let value = match node {
            Node::LitF(v) => [*v; N],
            Node::LitI(v) => [*v as u32; N],
            Node::LitB(v) => [u32::from(*v); N],
            Node::Unknown(ty, name) => from_fn(|k| canonical(*ty, assignments[k].value(*name, *ty, &[]))),
            Node::Apply(ty, name, args) => from_fn(|k| {
                operands.clear();
                operands.extend(args.iter().map(|t| at(t)[k]));
                canonical(*ty, assignments[k].value(*name, *ty, &operands))
            }),
            Node::Un(op, a) => {
                let a = at(a);
                from_fn(|k| float(c.un(*op, &f(a, k))))
            }
            Node::Bin(op, x, y) => {
                let (x, y) = (at(x), at(y));
                from_fn(|k| float(c.bin(*op, &f(x, k), &f(y, k))))
            }
            Node::Fma(x, y, z) => {
                let (x, y, z) = (at(x), at(y), at(z));
                from_fn(|k| float(c.fma(&f(x, k), &f(y, k), &f(z, k))))
            }
            Node::Cmp(op, x, y) => {
                let (x, y) = (at(x), at(y));
                from_fn(|k| u32::from(c.cmp(*op, &f(x, k), &f(y, k))))
            }
            Node::IBin(op, x, y) => {
                let (x, y) = (at(x), at(y));
                from_fn(|k| c.ibin(*op, &(x[k] as i32), &(y[k] as i32)) as u32)
            }
            Node::ICmp(op, x, y) => {
                let (x, y) = (at(x), at(y));
                from_fn(|k| u32::from(c.icmp(*op, &(x[k] as i32), &(y[k] as i32))))
            }
            Node::Logic(op, x, y) => {
                let (x, y) = (at(x), at(y));
                from_fn(|k| u32::from(c.logic(*op, &(x[k] != 0), &(y[k] != 0))))
            }
            Node::Not(x) => at(x).map(|x| u32::from(x == 0)),
            Node::TruncI(x) => at(x).map(|x| c.trunc_i(&f32::from_bits(x)) as u32),
            Node::ToF(x) => at(x).map(|x| float(c.to_f(&(x as i32)))),
            Node::Bits(x) => *at(x),
            Node::FromBits(x) => at(x).map(|x| canonical(Ty::F, x)),
            Node::Sel(_, p, x, y) => {
                let (p, x, y) = (at(p), at(x), at(y));
                from_fn(|k| if p[k] != 0 { x[k] } else { y[k] })
            }
        };
        values.push(value);
    }
}

fn canonical(ty: Ty, bits: u32) -> u32 {
    match ty {
        Ty::F => canonical_bits(f32::from_bits(bits)),
        Ty::I => bits,
        Ty::B => bits & 1,
    }
}

/// Whether the values take one of the goal's paths and the sides differ.
pub fn refutes(goal: &Goal, values: &[u32]) -> bool {
    let at = |t: Term| values[t.0 as usize];
    at(goal.left) != at(goal.right) && goal.takes_a_path(values)
}

/// Values from a solver's model; missing values are zero.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// The values, by function and operands.
    pub values: HashMap<(Function, Vec<u32>), u32>,
}

impl Assignment for Model {
    fn value(&mut self, function: Function, _: Ty, operands: &[u32]) -> u32 {
        self.values.get(&(function, operands.to_vec())).copied().unwrap_or(0)
    }
}

/// Returns values at and around the boundaries of binary32, of f24, and of the integers that binary32 represents.
pub fn boundaries() -> Vec<u32> {
    let mut magnitudes: Vec<u32> =
        vec![0, 1, 2, 0x007f_ffff, 0x0080_0000, 0x0080_0001, 0x7f7f_fffe, 0x7f7f_ffff, 0x7f80_0000];
    let around = [
        1.0f32,
        2.0,
        3.0,
        4.0,
        0.5,
        0.25,
        1.5,
        2.5,
        0.1,
        0.75,
        255.0,
        256.0,
        128.0,
        65536.0,
        8_388_608.0,
        4_194_304.5,
        16_777_216.0,
        2_147_483_648.0,
        4_294_967_296.0,
        1.844_674_4e19,
        9.223_372e18,
        std::f32::consts::PI,
        100.0,
        10.0,
        1e-10,
        1e10,
        1e-30,
        1e30,
    ];
    for v in around {
        let bits = v.to_bits();
        magnitudes.extend([bits - 1, bits, bits + 1]);
    }
    // The smallest subnormal and normal f24 numbers, half of the latter, and the largest finite number.
    for exponent in [-78, -62, -63] {
        magnitudes.push(f32::from_bits(((exponent + 127) as u32) << 23).to_bits());
    }
    magnitudes.push(0x5f7f_ff80);
    let mut all: Vec<u32> = magnitudes.iter().flat_map(|m| [*m, *m | 1 << 31]).collect();
    all.push(lockstep_core::value::CANONICAL_NAN);
    all
}

/// A random assignment: common values, boundaries, values near the goal's literals, small numbers, or any bits. The value of an unknown function is
/// drawn by a hash of its operands.
///
/// Many values are from a small set, so that equal operands, on which many rules depend, are common.
pub struct Sample<'a> {
    boundaries: &'a [u32],
    near: &'a NearLiterals,
    seed: u64,
}

/// Values at and around the literals of a goal, where comparisons with them change their result.
#[derive(Clone, Debug, Default)]
pub struct NearLiterals {
    floats: Vec<u32>,
    ints: Vec<u32>,
    /// The integer literals themselves. An indexed access is often lowered to comparisons of the index with the number of each element, and these
    /// numbers are literals.
    int_literals: Vec<u32>,
    /// Square roots of small literals. The product of two such numbers is about as large as the literal.
    factors: Vec<f32>,
}

/// The maximum number of integer literals of a goal that are subtracted from each other.
const MAX_LITERALS: usize = 8;

impl NearLiterals {
    /// Collects the values for a goal. Literals that draws include anyway, such as 0 and 1, are left out.
    pub fn new(goal: &Goal) -> NearLiterals {
        let (mut near, mut ints) = (NearLiterals::default(), Vec::new());
        for node in &goal.nodes {
            match node {
                Node::LitF(bits) if !matches!(bits & 0x7fff_ffff, 0 | 0x3f80_0000 | 0x7f80_0000..) => {
                    let v = f32::from_bits(bits & 0x7fff_ffff);
                    // Factors whose product with the large literal is small.
                    if v > 1e30 {
                        near.floats.extend([(1.0 / v).to_bits(), (-2.0 / v).to_bits()]);
                    }
                    if v < 1e-6 && !near.factors.contains(&v.sqrt()) {
                        near.factors.push(v.sqrt());
                    }
                    for v in [v, v.next_up(), v.next_down(), v / 2.0, v * 0.75, v * 2.0] {
                        near.floats.extend([v.to_bits(), (-v).to_bits()]);
                    }
                }
                Node::LitI(v) if !(-1..=3).contains(v) => ints.push(*v),
                _ => {}
            }
        }
        // An index that is compared with one literal may be the sum of the original index and another literal.
        near.int_literals = ints.iter().map(|v| *v as u32).collect();
        ints.truncate(MAX_LITERALS);
        for v in &ints {
            let differences = ints.iter().map(|w| v.wrapping_sub(*w));
            for v in differences.chain([*v]) {
                near.ints.extend([-1, 0, 1].map(|by| v.wrapping_add(by) as u32));
                // The index may also have been converted from a float.
                near.floats.push((v as f32).to_bits());
            }
        }
        near
    }
}

/// A few values, so that draws often coincide.
const COMMON_VALUES: [f32; 8] = [0.0, 1.0, -1.0, 2.0, -0.0, 0.5, f32::NAN, f32::INFINITY];

fn mix(mut x: u64) -> u64 {
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

impl<'a> Sample<'a> {
    /// Returns the assignment of the draw with this number.
    pub fn new(boundaries: &'a [u32], near: &'a NearLiterals, number: u64) -> Self {
        Sample { boundaries, near, seed: mix(number.wrapping_add(0x9e37_79b9_7f4a_7c15)) }
    }
}

impl Assignment for Sample<'_> {
    fn value(&mut self, function: Function, ty: Ty, operands: &[u32]) -> u32 {
        let start = self.seed ^ u64::from(function.0).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let h = operands.iter().fold(mix(start), |h, v| mix(h ^ u64::from(*v)));
        let low = h as u32;
        // A quarter of the draws use only numbers of medium size, whose differences survive long sums.
        if self.seed & 3 == 0 && ty == Ty::F {
            // Some of these numbers are 0, 1, -1 or 2, where comparisons change their result.
            if h >> 36 & 7 == 0 {
                return COMMON_VALUES[h as usize >> 40 & 3].to_bits();
            }
            return (((f64::from(low) / f64::from(u32::MAX) - 0.5) * 16.0) as f32).to_bits();
        }
        let pick = (h >> 40) as u32;
        // In one draw of sixteen, values, their products or their reciprocals are about as large as a small literal.
        if self.seed & 15 == 2 && ty == Ty::F && !self.near.factors.is_empty() {
            let factor = self.near.factors[(pick % self.near.factors.len() as u32) as usize];
            let of = [1.0, 1.0, -1.0, 0.5, 0.75, 1.5, -0.75, 2.0][low as usize % 8];
            let v = match h >> 32 & 7 {
                0..=3 => factor,
                4..=5 => factor * factor,
                6 => 1.0 / factor / factor,
                _ => return COMMON_VALUES[low as usize % COMMON_VALUES.len()].to_bits(),
            };
            return (v * of).to_bits();
        }
        // In one draw of four, most values are near literals of the goal.
        let near = match ty {
            Ty::F => &self.near.floats[..],
            Ty::I if h >> 35 & 1 == 0 => &self.near.int_literals[..],
            Ty::I => &self.near.ints[..],
            Ty::B => &[],
        };
        if self.seed & 3 == 1 && !near.is_empty() && h >> 36 & 3 != 0 {
            return near[(pick % near.len() as u32) as usize];
        }
        match ty {
            Ty::F => match h >> 32 & 7 {
                0..=2 => COMMON_VALUES[(pick % COMMON_VALUES.len() as u32) as usize].to_bits(),
                3..=5 => self.boundaries[(pick % self.boundaries.len() as u32) as usize],
                6 => ((low % 2001) as f32 / 8.0 - 125.0).to_bits(),
                _ => low,
            },
            Ty::I => match h >> 32 & 3 {
                0 => pick % 4,
                1 => ((pick % 300) as i32 - 20) as u32,
                2 => self.boundaries[(pick % self.boundaries.len() as u32) as usize],
                _ => low,
            },
            Ty::B => low & 1,
        }
    }
}

/// Returns whether one of these draws refutes the goal. If so, the values of all terms are in `values`.
pub fn search(goal: &Goal, boundaries: &[u32], draws: std::ops::Range<u64>, values: &mut Vec<u32>) -> bool {
    let near = NearLiterals::new(goal);
    let sample = |number| Sample::new(boundaries, &near, number);
    // Most refuted goals are refuted by one of the first draws.
    let alone = draws.start..draws.end.min(draws.start + SINGLE_DRAWS);
    let mut next = alone.end;
    let mut one = Vec::with_capacity(goal.nodes.len());
    for number in alone {
        evaluate_each(goal, &mut [sample(number)], &mut one);
        if refutes(goal, one.as_flattened()) {
            values.clear();
            values.extend_from_slice(one.as_flattened());
            return true;
        }
    }
    if next >= draws.end {
        return false;
    }
    let mut all: Vec<[u32; GROUP]> = Vec::with_capacity(goal.nodes.len());
    while next < draws.end {
        // The last group may extend beyond the end; the excess is ignored.
        evaluate_each(goal, &mut from_fn(|k| sample(next + k as u64)), &mut all);
        let (left, right) = (all[goal.left.0 as usize], all[goal.right.0 as usize]);
        let last = GROUP.min((draws.end - next) as usize);
        for k in (0..last).filter(|k| left[*k] != right[*k]) {
            values.clear();
            values.extend(all.iter().map(|value| value[k]));
            if refutes(goal, values) {
                return true;
            }
        }
        next += GROUP as u64;
    }
    false
}

/// The number of draws of a search that are evaluated one by one; afterwards, groups of [`GROUP`] draws are evaluated together.
const SINGLE_DRAWS: u64 = 8;
const GROUP: usize = 8;

/// Summaries of the values of a goal's terms on some draws, by which terms can be distinguished.
pub struct Signatures {
    /// A hash of a term's values on all draws; a condition and its negation have the same hash.
    pub everywhere: Vec<u64>,
    /// A hash of a term's values on the draws that take one of the goal's paths.
    pub on_paths: Vec<u64>,
    /// The value of a term on the first draw.
    pub first: Vec<u32>,
    /// The value of a term if it is the same on all draws.
    pub constant: Vec<Option<u32>>,
}

impl Signatures {
    /// Evaluates the goal on `draws` draws.
    pub fn new(goal: &Goal, boundaries: &[u32], draws: u64) -> Signatures {
        let (near, mut one) = (NearLiterals::new(goal), Vec::with_capacity(goal.nodes.len()));
        let count = goal.nodes.len();
        let (mut everywhere, mut on_paths) = (vec![0; count], vec![0; count]);
        let is_truth: Vec<bool> = goal.nodes.iter().map(|node| node.ty() == Ty::B).collect();
        let mut first: Vec<u32> = Vec::new();
        let mut constant: Vec<Option<u32>> = Vec::new();
        for number in 0..draws {
            evaluate_each(goal, &mut [Sample::new(boundaries, &near, number)], &mut one);
            let values: &[u32] = one.as_flattened();
            if number == 0 {
                first.extend_from_slice(values);
                constant = values.iter().copied().map(Some).collect();
            }
            let met = goal.takes_a_path(values);
            for (k, value) in values.iter().enumerate() {
                let like_first = if is_truth[k] { *value ^ first[k] } else { *value };
                everywhere[k] = mix(everywhere[k] ^ u64::from(like_first) ^ number << 32);
                if met {
                    on_paths[k] = mix(on_paths[k] ^ u64::from(*value) ^ number << 32);
                }
                constant[k] = constant[k].filter(|c| c == value);
            }
        }
        Signatures { everywhere, on_paths, first, constant }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Arena;
    use lockstep_core::value::{FBin, FCmp};

    #[test]
    fn there_are_about_two_hundred_boundaries() {
        let mut all = boundaries();
        let n = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), n);
        assert!((190..=220).contains(&n), "{n}");
    }

    #[test]
    fn max_of_signed_zeros_is_distinguished_from_its_mirror() {
        let mut a = Arena::default();
        let (x, y) = (a.unknown(Ty::F, "x"), a.unknown(Ty::F, "y"));
        let less = a.intern(Node::Cmp(FCmp::Lt, x, y));
        let one = a.intern(Node::Sel(Ty::F, less, x, y));
        let other = a.intern(Node::Cmp(FCmp::Lt, y, x));
        let other = a.intern(Node::Sel(Ty::F, other, y, x));
        let (goal, _) = Goal::new(&a, one, other);
        let mut values = Vec::new();
        assert!(search(&goal, &boundaries(), 0..300, &mut values));
        let xy = a.intern(Node::Bin(FBin::Mul, x, y));
        let yx = a.intern(Node::Bin(FBin::Mul, y, x));
        let (goal, _) = Goal::new(&a, xy, yx);
        assert!(!search(&goal, &boundaries(), 0..3000, &mut values));
        // If the assumption never holds, nothing is refuted.
        let never = a.intern(Node::Cmp(FCmp::Lt, x, x));
        let (goal, _) = Goal::on_paths(&[vec![(never, true)]], &a, one, other);
        assert!(!search(&goal, &boundaries(), 0..3000, &mut values));
    }

    #[test]
    fn batched_draws_equal_single_draws() {
        let mut a = Arena::default();
        let names = ["x", "y", "z", "v", "w"];
        let all: Vec<Term> = names.iter().map(|name| a.unknown(Ty::F, name)).collect();
        // Both sides are equal unless the five values are in ascending order.
        let mut left = all[0];
        for two in all.windows(2) {
            let less = a.intern(Node::Cmp(FCmp::Lt, two[0], two[1]));
            left = a.intern(Node::Sel(Ty::F, less, left, all[1]));
        }
        let (goal, _) = Goal::new(&a, left, all[1]);
        let boundaries = boundaries();
        let (mut alone, mut values) = (Vec::new(), Vec::new());
        let refuting: Vec<u64> =
            (0..4000).filter(|n| search(&goal, &boundaries, *n..n + 1, &mut alone)).collect();
        let (mut start, mut together) = (0, 0);
        for number in refuting {
            assert!(!search(&goal, &boundaries, start..number, &mut values), "{start}..{number}");
            assert!(search(&goal, &boundaries, start..number + 1, &mut values), "{start}..={number}");
            assert!(search(&goal, &boundaries, number..number + 1, &mut alone));
            assert_eq!(values, alone, "{start}..={number}");
            together += u32::from(number >= start + SINGLE_DRAWS);
            start = number + 1;
        }
        assert!(together > 10, "{together}");
    }
}
