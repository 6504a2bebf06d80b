//! Facets of results: write mask, destination and predicate.

use super::draft::Draft;
use super::operands::{IDENTITY, PERMUTED};
use super::site::{Half, half, opcode};
use crate::isa::a2xx::names::EXPORT;
use crate::isa::a2xx::program::{Alu, KEEP, ONE, Program, RESULT_SWIZZLE, Slot, ZERO};
use crate::isa::component::NAMES;
use crate::isa::facet::choice::{Choice, field_value, names, value};
use crate::isa::facet::{Combination, Facet, Site, Sited};

/// Write masks. Any mask that is not listed counts as partial.
const MASKS: [Choice; 7] = [
    ("none", 0),
    ("full", 0b1111),
    (NAMES[0], 1),
    (NAMES[1], 2),
    (NAMES[2], 4),
    (NAMES[3], 8),
    ("partial", 0b0110),
];
/// The facet values for destinations: a register, a register relative to aL, an export.
const DESTINATIONS: [&str; 3] = ["register", "relative", EXPORT];
/// Whether a slot tests the predicate, and the required value.
pub(super) const PREDICATES: [Choice<(u8, u8)>; 3] = [("none", (0, 0)), ("true", (1, 1)), ("false", (1, 0))];
/// Selectors of the four components of a fetch result: for each facet value one example, which the setter uses. [`result`] assigns a value to every
/// other combination.
const RESULTS: [Choice<[u8; 4]>; 5] = [
    (IDENTITY, [0, 1, 2, 3]),
    (PERMUTED, [3, 2, 1, 0]),
    ("constant", [ZERO, 1, 0, ONE]),
    ("partial", [0, KEEP, 0, KEEP]),
    ("none", [KEEP; 4]),
];

/// The number of a relative destination. With aL added, it can exceed the last register.
const RELATIVE: u8 = 60;
/// The destination register of the vector half, and that of the scalar half, when a slot stops being an export.
const VECTOR_REGISTER: u8 = 1;
const SCALAR_REGISTER: u8 = 2;

pub(super) const MASK: Facet<Program> = Facet {
    name: "mask",
    meaning: "the components that a half of an ALU slot writes",
    values: &names(&MASKS),
    combination: Combination::ONE.in_threes(),
    get: |program, site| {
        let mask = half(program, site).map(|(alu, half)| match half {
            Half::Vector(_) => alu.vmask,
            Half::Scalar(_) => alu.smask,
        });
        mask.map(|mask| value(&MASKS, mask).unwrap_or("partial")).into_iter().collect()
    },
    set: |program, site, value| {
        let mask = field_value(&MASKS, value)?;
        change_half(program, site, |alu, half| match half {
            Half::Vector(_) => alu.vmask = mask,
            Half::Scalar(_) => alu.smask = mask,
        })
    },
    disturbs: &[],
};

pub(super) const DEST: Facet<Program> = Facet {
    name: "dest",
    meaning: "the destination of the result; in an export slot it applies to both halves",
    values: &DESTINATIONS,
    combination: Combination::ONE.in_threes(),
    get: |program, site| destination(program, site).map(|at| DESTINATIONS[at]).into_iter().collect(),
    set: set_destination,
    disturbs: &[],
};

pub(super) const CLAMP: Facet<Program> = Facet {
    name: "clamp",
    meaning: "whether the result is clamped to 0 … 1",
    values: &names(&super::OFF_ON),
    combination: Combination::ONE.in_threes(),
    get: |program, site| {
        let clamp = half(program, site).and_then(|(alu, half)| match half {
            Half::Vector(_) => value(&super::OFF_ON, alu.vclamp),
            Half::Scalar(_) => value(&super::OFF_ON, alu.sclamp),
        });
        clamp.into_iter().collect()
    },
    set: |program, site, value| {
        let clamp = field_value(&super::OFF_ON, value)?;
        change_half(program, site, |alu, half| match half {
            Half::Vector(_) => alu.vclamp = clamp,
            Half::Scalar(_) => alu.sclamp = clamp,
        })
    },
    disturbs: &[],
};

pub(super) const PREDICATE: Facet<Program> = Facet {
    name: "predicate",
    meaning: "the value that the predicate must have; both halves of a slot share it",
    values: &names(&PREDICATES),
    combination: Combination::ONE.in_threes(),
    get: |program, site| {
        let both = slot(program, site).and_then(|slot| match slot {
            Slot::Alu(alu) => Some((alu.pred_en, alu.pred_cond)),
            Slot::Vertex(vertex) => Some((vertex.pred_en, vertex.pred_cond)),
            Slot::Texture(texture) => Some((texture.pred_en, texture.pred_cond)),
            Slot::Raw(_) => None,
        });
        // The required value is read only if the predicate is tested.
        let both = both.map(|(tests, wanted)| (tests, tests & wanted));
        both.and_then(|both| value(&PREDICATES, both)).into_iter().collect()
    },
    set: |program, site, value| {
        let both = field_value(&PREDICATES, value)?;
        change_slot(program, site, |slot| {
            match slot {
                Slot::Alu(alu) => (alu.pred_en, alu.pred_cond) = both,
                Slot::Vertex(vertex) => (vertex.pred_en, vertex.pred_cond) = both,
                Slot::Texture(texture) => (texture.pred_en, texture.pred_cond) = both,
                Slot::Raw(_) => return None,
            }
            Some(false)
        })
    },
    disturbs: &[],
};

pub(super) const SOURCE: Facet<Program> = Facet {
    name: "source",
    meaning: "the register that holds the index or the coordinates of a fetch",
    values: &names(&SOURCE_FILES),
    combination: Combination::ONE,
    get: |program, site| {
        let relative = slot(program, site).and_then(|slot| match slot {
            Slot::Vertex(vertex) => Some(vertex.src_rel),
            Slot::Texture(texture) => Some(texture.src_rel),
            _ => None,
        });
        relative.and_then(|relative| value(&SOURCE_FILES, relative)).into_iter().collect()
    },
    set: |program, site, value| {
        let relative = field_value(&SOURCE_FILES, value)?;
        change_slot(program, site, |slot| {
            match slot {
                Slot::Vertex(vertex) => vertex.src_rel = relative,
                Slot::Texture(texture) => texture.src_rel = relative,
                _ => return None,
            }
            Some(relative != 0)
        })
    },
    disturbs: &[],
};
const SOURCE_FILES: [Choice; 2] = [("register", 0), ("relative", 1)];

pub(super) const RESULT: Facet<Program> = Facet {
    name: "result",
    meaning: "the contents of the result components of a fetch: fetched values, constants, or the previous contents of the register",
    values: &names(&RESULTS),
    combination: Combination::ONE.in_threes(),
    get: |program, site| {
        let swizzle = slot(program, site).and_then(|slot| match slot {
            Slot::Vertex(vertex) => Some(vertex.dst_swizzle),
            Slot::Texture(texture) => Some(texture.dst_swizzle),
            _ => None,
        });
        swizzle.map(result).into_iter().collect()
    },
    set: |program, site, value| {
        let selected = field_value(&RESULTS, value)?;
        let swizzle = RESULT_SWIZZLE.join(selected);
        change_slot(program, site, |slot| {
            match slot {
                Slot::Vertex(vertex) => vertex.dst_swizzle = swizzle,
                Slot::Texture(texture) => texture.dst_swizzle = swizzle,
                _ => return None,
            }
            Some(false)
        })
    },
    disturbs: &[],
};

/// Returns the value of the facet `result` for a destination swizzle.
fn result(swizzle: u16) -> &'static str {
    let selected = RESULT_SWIZZLE.split(swizzle);
    match selected {
        [0, 1, 2, 3] => IDENTITY,
        [KEEP, KEEP, KEEP, KEEP] => "none",
        _ if selected.contains(&KEEP) => "partial",
        _ if selected.iter().any(|one| *one >= ZERO) => "constant",
        _ => PERMUTED,
    }
}

/// Returns the slot of a site, if its opcode is known.
fn slot(program: &Program, site: Site) -> Option<&Slot> {
    opcode(program, site)?;
    let (shader, word) = program.find(site.word)?;
    shader.slots.get(word.checked_sub(shader.clauses.len())?)
}

/// Changes one half of an ALU slot.
pub(super) fn change_half(
    program: &Program,
    site: Site,
    change: impl FnOnce(&mut Alu, Half),
) -> Option<Sited<Program>> {
    let (_, half) = half(program, site)?;
    super::draft::change::<Alu>(program, site, |alu| {
        change(alu, half);
        Some(())
    })
}

/// Changes the slot of a site. `change` returns whether the slot needs a loop around it, or `None` if it fails.
fn change_slot(
    program: &Program,
    site: Site,
    change: impl FnOnce(&mut Slot) -> Option<bool>,
) -> Option<Sited<Program>> {
    slot(program, site)?;
    let mut draft = Draft::of(program, site)?;
    let super::site::ClauseOrSlot::Slot(at) = draft.position else { return None };
    if change(draft.shader.slots.get_mut(at)?)? {
        draft.in_loop()?;
    }
    draft.finish()
}

/// Returns the index in [`DESTINATIONS`] for the destination of a site.
fn destination(program: &Program, site: Site) -> Option<usize> {
    match slot(program, site)? {
        Slot::Alu(alu) if alu.export != 0 => Some(2),
        Slot::Alu(alu) => match half(program, site)?.1 {
            Half::Vector(_) => Some(alu.vdest_rel.into()),
            Half::Scalar(_) => Some(alu.sdest_rel.into()),
        },
        Slot::Vertex(vertex) => Some(vertex.dst_rel.into()),
        Slot::Texture(texture) => Some(texture.dst_rel.into()),
        Slot::Raw(_) => None,
    }
}

fn set_destination(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    let to = DESTINATIONS.iter().position(|destination| *destination == value)?;
    if destination(program, site)? == to {
        return Some((program.clone(), site));
    }
    let half = half(program, site).map(|(_, half)| half);
    let (exports, relative) = (to == 2, u8::from(to == 1));
    change_slot(program, site, |slot| {
        match slot {
            Slot::Alu(alu) => {
                if exports {
                    (alu.vdest, alu.vdest_rel, alu.sdest, alu.sdest_rel) = (0, 0, 0, 0);
                } else if alu.export != 0 {
                    (alu.vdest, alu.sdest, alu.sdest_rel) = (VECTOR_REGISTER, SCALAR_REGISTER, 0);
                    alu.vdest_rel = 0;
                }
                alu.export = exports.into();
                let (number, is_relative) = match half? {
                    _ if exports => return Some(false),
                    Half::Vector(_) => (&mut alu.vdest, &mut alu.vdest_rel),
                    Half::Scalar(_) => (&mut alu.sdest, &mut alu.sdest_rel),
                };
                *is_relative = relative;
                if relative != 0 {
                    *number = RELATIVE;
                }
            }
            Slot::Vertex(vertex) if !exports => vertex.dst_rel = relative,
            Slot::Texture(texture) if !exports => texture.dst_rel = relative,
            _ => return None,
        }
        Some(relative != 0)
    })
}
