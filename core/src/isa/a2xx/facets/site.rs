//! Sites of facets: clauses, slots, and the two halves of an ALU slot.

use crate::isa::a2xx::opcode::{FetchOp, ScalarOp, VectorOp};
use crate::isa::a2xx::program::{
    Alloc, Alu, Branch, Clause, Exec, LoopEnd, LoopStart, Program, Shader, Slot, Texture, Vertex,
};
use crate::isa::facet::Site;

/// The maximum number of units of a word. An ALU slot has two, its halves; any other word has one.
pub(super) const MAX_UNITS: u8 = 2;
/// The unit of the vector half, and the only unit of words that are not ALU slots.
pub(super) const VECTOR: u8 = 0;
/// The unit of the scalar half.
pub(super) const SCALAR: u8 = 1;

/// The position of a word in a shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClauseOrSlot {
    /// A clause, by index.
    Clause(usize),
    /// A slot, by its index among the slots after the clauses.
    Slot(usize),
}

impl ClauseOrSlot {
    /// Returns the position of word number `word` of a shader.
    pub(super) fn of(shader: &Shader, word: usize) -> ClauseOrSlot {
        match word.checked_sub(shader.clauses.len()) {
            None => ClauseOrSlot::Clause(word),
            Some(slot) => ClauseOrSlot::Slot(slot),
        }
    }
}

/// A type of clause or slot, which can be looked up in a shader.
pub(super) trait WordKind: Sized {
    /// Returns the word at a position, if it is of this kind.
    fn of(shader: &Shader, position: ClauseOrSlot) -> Option<&Self>;
    /// Returns the word at a position mutably, if it is of this kind.
    fn of_mut(shader: &mut Shader, position: ClauseOrSlot) -> Option<&mut Self>;
}

macro_rules! word_kinds {
    ($($list:ident $kind:ident $variant:ident;)*) => {$(
        impl WordKind for $variant {
            fn of(shader: &Shader, position: ClauseOrSlot) -> Option<&Self> {
                let ClauseOrSlot::$kind(at) = position else { return None };
                if let $kind::$variant(word) = shader.$list.get(at)? { Some(word) } else { None }
            }
            fn of_mut(shader: &mut Shader, position: ClauseOrSlot) -> Option<&mut Self> {
                let ClauseOrSlot::$kind(at) = position else { return None };
                if let $kind::$variant(word) = shader.$list.get_mut(at)? { Some(word) } else { None }
            }
        }
    )*};
}

word_kinds! {
    clauses Clause Exec;
    clauses Clause LoopStart;
    clauses Clause LoopEnd;
    clauses Clause Branch;
    clauses Clause Alloc;
    slots Slot Alu;
    slots Slot Vertex;
    slots Slot Texture;
}

/// Returns the word of a site, if it is of kind `T` and the site has unit 0.
pub(super) fn word_at<T: WordKind>(program: &Program, site: Site) -> Option<&T> {
    let (shader, word) = program.find(site.word).filter(|_| site.unit == VECTOR)?;
    T::of(shader, ClauseOrSlot::of(shader, word))
}

/// The operation of one half of an ALU slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Half {
    /// The operation of the vector half.
    Vector(VectorOp),
    /// The operation of the scalar half.
    Scalar(ScalarOp),
}

/// Returns the slot of a site, and the operation of the half that the site selects.
pub(super) fn half(program: &Program, site: Site) -> Option<(&Alu, Half)> {
    let (shader, word) = program.find(site.word)?;
    let alu = Alu::of(shader, ClauseOrSlot::of(shader, word))?;
    let half = match site.unit {
        VECTOR => Half::Vector(alu.vector()?),
        SCALAR => Half::Scalar(alu.scalar()?),
        _ => return None,
    };
    Some((alu, half))
}

/// Returns the mnemonic at a site.
pub(super) fn opcode(program: &Program, site: Site) -> Option<&'static str> {
    let (shader, word) = program.find(site.word)?;
    if let Some((_, half)) = half(program, site) {
        return Some(match half {
            Half::Vector(op) => op.row().mnemonic,
            Half::Scalar(op) => op.row().mnemonic,
        });
    }
    match ClauseOrSlot::of(shader, word) {
        _ if site.unit != VECTOR => None,
        ClauseOrSlot::Clause(at) => Some(shader.clauses.get(at)?.op().row().mnemonic),
        ClauseOrSlot::Slot(at) => match shader.slots.get(at)? {
            Slot::Vertex(_) => Some(FetchOp::Vertex.row().mnemonic),
            Slot::Texture(texture) => texture.op().map(|op| op.row().mnemonic),
            Slot::Alu(_) | Slot::Raw(_) => None,
        },
    }
}
