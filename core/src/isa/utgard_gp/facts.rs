//! Facts about a program that its words do not contain.
//!
//! The hardware has no end mark, no table of constants and no designated position. The driver passes the hardware the number of words and the index
//! of the last word that reads an attribute ("prefetch"). The compiler tells the driver which uniforms hold the viewport's scale and offset and the
//! literal constants, and which varying is the position (SEED, M, W). Bare words contain none of this; Lockstep's container stores it.

use super::word::NONE;
use crate::binary::vocabulary;

vocabulary! {
    /// A numeric fact. The number of a fact is its index in a container. A fact has two names: that of its directive in text, and one used in decode
    /// errors.
    pub enum Fact {
        /// Index of the last word that reads an attribute.
        Prefetch = 0 "prefetch",
        /// Number of slots that hold the program's own uniforms.
        Uniforms = 1 "uniforms",
        /// Slot of the viewport's scale.
        ViewportScale = 2 "viewport_scale" as "viewport scale",
        /// Slot of the viewport's offset.
        ViewportOffset = 3 "viewport_offset" as "viewport offset",
        /// Number of the varying that is the position.
        Position = 4 "position",
        /// Number of the varying that is the point size.
        PointSize = 5 "point_size" as "point size",
    }
}

/// The greatest slot of the viewport's scale and offset. Components of uniforms are numbered with 16 bits, four to a slot.
pub const MAX_VIEWPORT_SLOT: Slot = Slot::MAX / 4;

impl Fact {
    /// Returns the greatest value of the fact, and a description of its values for error messages. An entry stores all facts but
    /// [`Fact::Uniforms`], and there [`NONE`] means that a fact is unknown.
    pub fn limit(self) -> (u16, &'static str) {
        match self {
            Fact::ViewportScale | Fact::ViewportOffset => (MAX_VIEWPORT_SLOT, "a slot from 0 to 16383"),
            Fact::Uniforms => (u16::MAX, "a number from 0 to 65535"),
            Fact::Prefetch | Fact::Position | Fact::PointSize => (NONE - 1, "a number from 0 to 65534"),
        }
    }
}

/// The index of one vec4 of uniforms.
pub type Slot = u16;

/// Literal constants, which exist only as uniforms: packed four per slot, in consecutive slots.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Literals {
    /// The slot of the first four literals.
    pub slot: Slot,
    /// The bits of the literals: x, y, z, w of the first slot, then of the next slot, and so on.
    pub bits: Vec<u32>,
}

/// The name of literals in text and error messages.
pub const LITERAL: &str = "literal";

/// The known facts; `None` or empty where unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Index of the last word that reads an attribute, as passed by the driver (M, W).
    pub prefetch: Option<u16>,
    /// Number of slots, starting at 0, that hold the program's own uniforms.
    pub uniforms: Option<u16>,
    /// The slot of the viewport's scale in x, y, z.
    pub viewport_scale: Option<Slot>,
    /// The slot of the viewport's offset in x, y, z.
    pub viewport_offset: Option<Slot>,
    /// The varying that is the position.
    pub position: Option<u16>,
    /// The varying that is the point size.
    pub point_size: Option<u16>,
    /// Literal constants.
    pub literals: Literals,
}

impl Facts {
    /// Whether no fact is known.
    pub fn is_empty(&self) -> bool {
        *self == Facts::default()
    }

    /// Returns the value of a numeric fact; `None` if it is unknown.
    pub fn number(&self, fact: Fact) -> Option<u16> {
        match fact {
            Fact::Prefetch => self.prefetch,
            Fact::Uniforms => self.uniforms,
            Fact::ViewportScale => self.viewport_scale,
            Fact::ViewportOffset => self.viewport_offset,
            Fact::Position => self.position,
            Fact::PointSize => self.point_size,
        }
    }

    /// Sets a numeric fact.
    pub fn set_number(&mut self, fact: Fact, number: u16) {
        let noted = match fact {
            Fact::Prefetch => &mut self.prefetch,
            Fact::Uniforms => &mut self.uniforms,
            Fact::ViewportScale => &mut self.viewport_scale,
            Fact::ViewportOffset => &mut self.viewport_offset,
            Fact::Position => &mut self.position,
            Fact::PointSize => &mut self.point_size,
        };
        *noted = Some(number);
    }

    /// Returns the bits of the literal in a slot and component; `None` if there is none.
    pub fn literal(&self, slot: Slot, component: usize) -> Option<u32> {
        let first = usize::from(slot.checked_sub(self.literals.slot)?) * 4;
        self.literals.bits.get(first + (component & 3)).copied()
    }
}
