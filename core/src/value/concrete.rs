//! The domain of plain numbers.

use super::{BBin, Domain, FBin, FCmp, FUn, IBin, ICmp, canonical_bits, elementary, narrow};

/// The domain of plain numbers: `f32`, `bool` and `i32`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Concrete;

impl Domain for Concrete {
    type F = f32;
    type B = bool;
    type I = i32;

    #[inline(always)]
    fn f(&self, v: f32) -> f32 {
        v
    }
    #[inline(always)]
    fn i(&self, v: i32) -> i32 {
        v
    }
    #[inline(always)]
    fn b(&self, v: bool) -> bool {
        v
    }

    #[inline(always)]
    fn un(&self, op: FUn, a: &f32) -> f32 {
        let a = *a;
        match op {
            FUn::Neg => -a,
            FUn::Abs => a.abs(),
            FUn::Sqrt => a.sqrt(),
            FUn::Floor => a.floor(),
            FUn::Trunc => a.trunc(),
            FUn::RoundEven => a.round_ties_even(),
            FUn::Exp2 => elementary::exp2(a),
            FUn::Log2 => elementary::log2(a),
            FUn::Sin => elementary::sin(a),
            FUn::Cos => elementary::cos(a),
            FUn::Narrow(mode) => narrow(mode, a),
        }
    }

    #[inline(always)]
    fn bin(&self, op: FBin, a: &f32, b: &f32) -> f32 {
        match op {
            FBin::Add => a + b,
            FBin::Mul => a * b,
            FBin::Div => a / b,
        }
    }

    #[inline(always)]
    fn fma(&self, a: &f32, b: &f32, c: &f32) -> f32 {
        a.mul_add(*b, *c)
    }

    #[inline(always)]
    fn cmp(&self, op: FCmp, a: &f32, b: &f32) -> bool {
        match op {
            FCmp::Lt => a < b,
            FCmp::Le => a <= b,
            FCmp::Eq => a == b,
        }
    }

    #[inline(always)]
    fn ibin(&self, op: IBin, a: &i32, b: &i32) -> i32 {
        match op {
            IBin::Add => a.wrapping_add(*b),
            IBin::Sub => a.wrapping_sub(*b),
            IBin::Mul => a.wrapping_mul(*b),
            IBin::And => a & b,
            IBin::Or => a | b,
            IBin::Xor => a ^ b,
            IBin::Shl => a.wrapping_shl(*b as u32),
            IBin::ShrU => (*a as u32).wrapping_shr(*b as u32) as i32,
            IBin::ShrS => a.wrapping_shr(*b as u32),
        }
    }

    #[inline(always)]
    fn icmp(&self, op: ICmp, a: &i32, b: &i32) -> bool {
        match op {
            ICmp::Eq => a == b,
            ICmp::LtS => a < b,
            ICmp::LtU => (*a as u32) < (*b as u32),
        }
    }

    #[inline(always)]
    fn logic(&self, op: BBin, a: &bool, b: &bool) -> bool {
        match op {
            BBin::And => *a && *b,
            BBin::Or => *a || *b,
            BBin::Xor => *a ^ *b,
        }
    }

    #[inline(always)]
    fn not(&self, a: &bool) -> bool {
        !*a
    }

    #[inline(always)]
    fn trunc_i(&self, a: &f32) -> i32 {
        *a as i32
    }
    #[inline(always)]
    fn to_f(&self, a: &i32) -> f32 {
        *a as f32
    }
    #[inline(always)]
    fn bits(&self, a: &f32) -> i32 {
        canonical_bits(*a) as i32
    }
    #[inline(always)]
    fn from_bits(&self, a: &i32) -> f32 {
        f32::from_bits(*a as u32)
    }

    #[inline(always)]
    fn sel(&self, c: &bool, a: &f32, b: &f32) -> f32 {
        if *c { *a } else { *b }
    }
    #[inline(always)]
    fn sel_i(&self, c: &bool, a: &i32, b: &i32) -> i32 {
        if *c { *a } else { *b }
    }
    #[inline(always)]
    fn sel_b(&self, c: &bool, a: &bool, b: &bool) -> bool {
        if *c { *a } else { *b }
    }

    #[inline(always)]
    fn known_f(&self, a: &f32) -> Option<f32> {
        Some(*a)
    }
    #[inline(always)]
    fn known_i(&self, a: &i32) -> Option<i32> {
        Some(*a)
    }
    #[inline(always)]
    fn known_b(&self, a: &bool) -> Option<bool> {
        Some(*a)
    }

    #[inline(always)]
    fn decide(&mut self, a: &bool) -> bool {
        *a
    }
}
