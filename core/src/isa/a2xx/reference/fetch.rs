//! VERTEX fetches (xenia, mesa), and the writes of the results of all fetches.

use super::{Lane, LaneContext, Vec4};
use crate::host::{FetchFormat, FetchKind, Host};
use crate::isa::a2xx::options::Choice;
use crate::isa::a2xx::program::{Clause, Numbers, RESULT_SWIZZLE, Shader, Slot, Vertex};
use crate::isa::a2xx::word::{IndexRounding, Integers, SignedZero};
use crate::value::{Domain, FUn, Freedom};

/// Whether a VERTEX with bit 62 set reuses the address of the last VERTEX that computed one.
fn is_address_reused(choice: u8, xenos: bool) -> bool {
    match choice {
        0 => xenos,
        1 => false,
        _ => true,
    }
}

impl<D: Domain, H: Host<D>> LaneContext<'_, D, H> {
    /// Whether a fetch reuses the address of the last fetch that computed one.
    fn is_mini(&mut self, vertex: &Vertex) -> bool {
        vertex.mini_fetch != 0 && self.mini_fetches_reuse_address()
    }

    /// Whether fetches with bit 62 set reuse an address, as the option and the version decide. Records [`Freedom::IndexRange`].
    fn mini_fetches_reuse_address(&mut self) -> bool {
        self.record(Freedom::IndexRange, &self.d.b(true));
        is_address_reused(self.choice(Choice::MiniFetch), self.is_xenos())
    }

    /// Executes a VERTEX fetch.
    pub(super) fn vertex(&mut self, shader: &Shader, vertex: &Vertex, lane: &mut Lane<D>) {
        let d = self.d;
        let runs = self.run_condition(lane, vertex.pred_en, vertex.pred_cond);
        let mini = self.is_mini(vertex);
        // The fetch that provides buffer and stride.
        let mut full = *vertex;
        if mini {
            if let Some(Slot::Vertex(before)) =
                usize::from(lane.at.last_full_fetch).checked_sub(1).and_then(|at| shader.slots.get(at))
            {
                full = *before;
            }
        } else {
            let number = self.register_number(lane, vertex.src, vertex.src_rel != 0);
            let index = lane.component(d, &number, usize::from(vertex.src_component));
            let index = match IndexRounding::from_number(vertex.round_index) {
                Some(IndexRounding::Floor) => d.un(FUn::Floor, &index),
                Some(IndexRounding::Nearest) | None => d.un(FUn::Floor, &d.add(&index, &d.f(0.5))),
            };
            let index = d.trunc_i(&index);
            lane.index = runs.as_ref().map_or(index.clone(), |runs| d.sel_i(runs, &index, &lane.index));
            if lane.has_mini_fetches && self.mini_fetches_reuse_address() {
                lane.at.last_full_fetch = current_slot_number(shader, lane);
            }
        }
        let format = self.format(vertex, &full);
        let value = self.host.fetch(d, full.buffer(), format, &lane.index);
        self.store(lane, vertex.dst, vertex.dst_rel, vertex.dst_swizzle, &value, runs.as_ref());
    }

    /// Returns the fetch format, with the stride of the fetch that computed the address.
    fn format(&mut self, vertex: &Vertex, full: &Vertex) -> FetchFormat {
        let (numbers, bits) = vertex.components(self.cx.entry.version).unwrap_or((Numbers::Fields, [0; 4]));
        let signed = vertex.signed != 0;
        let ieee = match self.choice(Choice::HalfFloat) {
            0 => !self.is_xenos(),
            choice => choice == 1,
        };
        self.record(Freedom::Formula, &self.d.b(numbers == Numbers::Half));
        let kind = match (numbers, Integers::from_number(vertex.integer) == Some(Integers::Integer)) {
            (Numbers::Half, _) if ieee => FetchKind::Float16,
            (Numbers::Half, _) => FetchKind::Float16Finite,
            (Numbers::Single, _) => FetchKind::Float32,
            (Numbers::Fields, true) if signed => FetchKind::Sint,
            (Numbers::Fields, true) => FetchKind::Uint,
            (Numbers::Fields, false) if signed && vertex.no_zero == SignedZero::NoZero as u8 => {
                FetchKind::SnormNoZero
            }
            (Numbers::Fields, false) if signed => FetchKind::Snorm,
            (Numbers::Fields, false) => FetchKind::Unorm,
        };
        self.record(Freedom::IndexRange, &self.d.b(full.stride != 0 || vertex.offset != 0));
        let dwords = match self.choice(Choice::StrideUnit) {
            0 => self.is_xenos(),
            1 => false,
            _ => true,
        };
        let unit = if dwords { 4 } else { 1 };
        self.record(Freedom::Unwritten, &self.d.b(bits.contains(&0)));
        FetchFormat {
            kind,
            bits,
            stride: u16::from(full.stride) * unit,
            offset: vertex.signed_offset() * i32::from(unit),
            exponent: vertex.exponent(),
            missing_w_one: self.choice(Choice::MissingComponent) != 0,
        }
    }

    /// Writes a fetched value through the destination swizzle.
    pub(super) fn store(
        &mut self,
        lane: &mut Lane<D>,
        number: u8,
        relative: u8,
        swizzle: u16,
        value: &Vec4<D>,
        runs: Option<&D::B>,
    ) {
        let d = self.d;
        let number = self.register_number(lane, number, relative != 0);
        for (c, selector) in RESULT_SWIZZLE.split(swizzle).into_iter().enumerate() {
            let value = match selector {
                k @ 0..=3 => value[usize::from(k)].clone(),
                4 => d.f(0.0),
                5 => d.f(1.0),
                // The component keeps its value. The validator rejects selector 6.
                _ => continue,
            };
            self.write(lane, &number, c, &value, runs);
        }
    }
}

/// Returns the index of the lane's current slot plus one.
fn current_slot_number<D: Domain>(shader: &Shader, lane: &Lane<D>) -> u16 {
    let Some(Clause::Exec(exec)) = shader.clauses.get(usize::from(lane.at.clause)) else { return 0 };
    let at = usize::from(exec.addr) + usize::from(lane.at.slot);
    at.saturating_sub(shader.clauses.len() / 2) as u16
}
