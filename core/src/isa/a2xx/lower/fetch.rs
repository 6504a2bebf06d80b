//! Lowers VERTEX fetches, and the writes of the results of all fetches.

use super::{Cx, LastFullFetch, Lower, Outline};
use crate::host::{FetchFormat, FetchKind};
use crate::ir::{Op, Ty, Value};
use crate::isa::a2xx::options::Choice;
use crate::isa::a2xx::program::{KEEP, Numbers, ONE, RESULT_SWIZZLE, Shader, Slot, Vertex, XENOS, ZERO};
use crate::isa::a2xx::variables::File;
use crate::isa::a2xx::word::{IndexRounding, Integers, SignedZero};
use crate::value::{FUn, ICmp};

/// Whether a fetch reuses the address of the last fetch that computed one.
pub(super) fn is_mini(cx: &Cx<'_>, vertex: &Vertex) -> bool {
    vertex.mini_fetch != 0
        && match cx.options.get(Choice::MiniFetch as usize) {
            0 => cx.entry.version == XENOS,
            choice => choice == 2,
        }
}

/// Whether slot `at` is a fetch whose address later fetches may reuse.
pub(super) fn sets_mini_fetch_address(cx: &Cx<'_>, outline: &Outline, shader: &Shader, at: usize) -> bool {
    let full = matches!(shader.slots.get(at), Some(Slot::Vertex(v)) if !is_mini(cx, v));
    full && outline.has_mini_fetches
}

impl Lower<'_, '_> {
    pub(super) fn vertex(&mut self, at: usize, vertex: &Vertex) {
        let runs = self.run_condition(vertex.pred_en, vertex.pred_cond);
        let index_var = self.b.var(File::Fetch.key(0, 0), Ty::I32, 0);
        if !is_mini(self.cx, vertex) {
            let number = self.register_number(vertex.src, vertex.src_rel != 0);
            let index = super::register(self.b, &number, vertex.src_component.into());
            let index = if vertex.round_index == IndexRounding::Floor as u8 {
                index
            } else {
                let half = self.b.f(0.5);
                self.b.add(index, half)
            };
            let whole = self.b.un(FUn::Floor, index);
            let index = self.b.op(Op::TruncI, &[whole]);
            let index = match runs {
                Some(runs) => {
                    let old = self.b.read(index_var);
                    self.b.sel_i(runs, index, old)
                }
                None => index,
            };
            self.b.write(index_var, index);
            let value = self.fetched(vertex, vertex, index);
            if matches!(self.last_full_fetch, LastFullFetch::Variable)
                && sets_mini_fetch_address(self.cx, self.outline, self.shader, at)
            {
                self.record_full_fetch(at);
            }
            self.store(vertex.dst, vertex.dst_rel, vertex.dst_swizzle, value, runs);
            return;
        }
        let index = self.b.read(index_var);
        let shader = self.shader;
        let value = match self.last_full_fetch {
            LastFullFetch::Known(full) => match full.and_then(|at| shader.slots.get(at)) {
                Some(Slot::Vertex(full)) => self.fetched(vertex, full, index),
                _ => self.fetched(vertex, vertex, index),
            },
            LastFullFetch::Variable => self.fetched_by_variable(vertex, index),
        };
        self.store(vertex.dst, vertex.dst_rel, vertex.dst_swizzle, value, runs);
    }

    /// Records in a variable that slot `at` contains the last fetch that computed an index.
    fn record_full_fetch(&mut self, at: usize) {
        let var = self.b.var(File::Fetch.key(0, 1), Ty::I32, 0);
        let number = self.b.i(at as i32 + 1);
        self.b.write(var, number);
    }

    /// Lowers a fetch that uses the buffer and stride of the slot whose number is in a variable.
    fn fetched_by_variable(&mut self, vertex: &Vertex, index: Value) -> [Value; 4] {
        let var = self.b.var(File::Fetch.key(0, 1), Ty::I32, 0);
        let full = self.b.read(var);
        let mut value = self.fetched(vertex, vertex, index);
        let shader = self.shader;
        for (at, slot) in shader.slots.iter().enumerate() {
            let Slot::Vertex(other) = slot else { continue };
            if is_mini(self.cx, other) {
                continue;
            }
            let number = self.b.i(at as i32 + 1);
            let is = self.b.icmp(ICmp::Eq, full, number);
            let this = self.fetched(vertex, other, index);
            for (value, this) in value.iter_mut().zip(this) {
                *value = self.b.sel(is, this, *value);
            }
        }
        value
    }

    /// Returns the four components fetched, with the format of `vertex` and the buffer and stride of `full`.
    fn fetched(&mut self, vertex: &Vertex, full: &Vertex, index: Value) -> [Value; 4] {
        let format = self.format(vertex, full);
        let first = self.b.op(Op::Fetch { buffer: full.buffer(), format }, &[index]);
        std::array::from_fn(|c| Value(first.0 + c as u32))
    }

    fn format(&self, vertex: &Vertex, full: &Vertex) -> FetchFormat {
        let version = self.cx.entry.version;
        let (numbers, bits) = vertex.components(version).unwrap_or((Numbers::Fields, [0; 4]));
        let integer = vertex.integer == Integers::Integer as u8;
        let has_zero = vertex.no_zero == SignedZero::Clamped as u8;
        let kind = match (numbers, integer, vertex.signed != 0, has_zero) {
            (Numbers::Single, ..) => FetchKind::Float32,
            (Numbers::Half, ..) => match self.cx.options.get(Choice::HalfFloat as usize) {
                1 => FetchKind::Float16,
                0 if version != XENOS => FetchKind::Float16,
                _ => FetchKind::Float16Finite,
            },
            (_, false, false, _) => FetchKind::Unorm,
            (_, false, true, true) => FetchKind::Snorm,
            (_, false, true, false) => FetchKind::SnormNoZero,
            (_, true, false, _) => FetchKind::Uint,
            (_, true, true, _) => FetchKind::Sint,
        };
        let choice = self.cx.options.get(Choice::StrideUnit as usize);
        let shift = if choice == 2 || choice == 0 && version == XENOS { 2 } else { 0 };
        FetchFormat {
            kind,
            bits,
            stride: u16::from(full.stride) << shift,
            offset: vertex.signed_offset() << shift,
            exponent: vertex.exponent(),
            missing_w_one: !self.option_is(Choice::MissingComponent, 0),
        }
    }

    /// Writes a fetched value through the destination swizzle.
    pub(super) fn store(
        &mut self,
        number: u8,
        relative: u8,
        swizzle: u16,
        value: [Value; 4],
        runs: Option<Value>,
    ) {
        if RESULT_SWIZZLE.split(swizzle) == [KEEP; 4] {
            return;
        }
        let number = self.register_number(number, relative != 0);
        for (c, selector) in RESULT_SWIZZLE.split(swizzle).into_iter().enumerate() {
            let value = match selector {
                k @ 0..=3 => value[usize::from(k)],
                ZERO => self.b.f(0.0),
                ONE => self.b.f(1.0),
                _ => continue,
            };
            self.write(&number, c, value, runs);
        }
    }
}
