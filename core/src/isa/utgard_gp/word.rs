//! The bit layout of a Utgard GP word, with the field names of Mesa's `codegen.h` (SEED has the same bits).

#![deny(clippy::cast_possible_truncation)]

use super::facts::Fact;
use super::opcode::Unit;
use super::program::Word;
use super::source::{SOURCES, STORE_SOURCES};
use super::vocabulary::{BRANCH, MARK, Mark, Offset};
use crate::binary::FieldKind::{self, Choice, Elements, Number, Reserved};
use crate::binary::{Bits, Field, Layout, List, stack_fields, words};

/// Size of a word in bytes; all words have this size.
pub const WORD_BYTES: usize = 16;

// The fields are members of a struct grouped by unit, so that semantics can refer to `mul[1]`; each is declared with its member.
macro_rules! fields {
    ($(#[doc = $meaning:literal] $id:ident $name:tt at ($($member:tt)+): $int:ty [$width:literal] $holds:expr;)*) => {
        /// The fields of a word, lowest bit first; a field's number is its index in [`WORD`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum FieldId { $(#[doc = $meaning] $id,)* }

        impl FieldId {
            /// All fields, lowest bit first.
            pub const ALL: [FieldId; COUNT] = [$(FieldId::$id,)*];
        }

        /// Number of fields of a word.
        pub const COUNT: usize = [$($width,)*].len();

        static WORD_FIELDS: [Field; COUNT] = stack_fields(128, [$(($name, $width, $holds, $meaning),)*]);

        impl Word {
            /// Returns the values of all fields, in the order of [`WORD`].
            #[inline]
            pub fn fields(&self) -> [u16; COUNT] {
                crate::work::count_work(1);
                [$(u16::from(self.$($member)+),)*]
            }

            /// Extracts the fields from 128 bits.
            #[inline]
            #[allow(clippy::cast_possible_truncation)] // asserted: the type of a field holds its bits
            pub fn from_bits(bits: u128) -> Word {
                $(const _: () = assert!($width <= <$int>::BITS, "the type of a field holds its bits");)*
                let mut word = Word::default();
                $(word.$($member)+ = bits.get(FieldId::$id.field()) as $int;)*
                word
            }
        }
    };
}

const SOURCE: FieldKind = Choice(&SOURCES);
const STORED: FieldKind = Choice(&STORE_SOURCES);

fields! {
    /// Mul 0, first operand; operand A of a wide operation.
    Mul0Src0 "mul0_src0" at (mul[0].a): u8 [5] SOURCE;
    /// Mul 0, second operand; operand B of a wide operation.
    Mul0Src1 "mul0_src1" at (mul[0].b): u8 [5] SOURCE;
    /// Mul 1, first operand; operand C of a wide operation.
    Mul1Src0 "mul1_src0" at (mul[1].a): u8 [5] SOURCE;
    /// Mul 1, second operand; operand D of a wide operation.
    Mul1Src1 "mul1_src1" at (mul[1].b): u8 [5] SOURCE;
    /// 1: the result of mul 0 is negated.
    Mul0Neg "mul0_neg" at (mul[0].neg): u8 [1] Number;
    /// 1: the result of mul 1 is negated.
    Mul1Neg "mul1_neg" at (mul[1].neg): u8 [1] Number;
    /// Acc 0, first operand.
    Acc0Src0 "acc0_src0" at (acc[0].a): u8 [5] SOURCE;
    /// Acc 0, second operand.
    Acc0Src1 "acc0_src1" at (acc[0].b): u8 [5] SOURCE;
    /// Acc 1, first operand.
    Acc1Src0 "acc1_src0" at (acc[1].a): u8 [5] SOURCE;
    /// Acc 1, second operand.
    Acc1Src1 "acc1_src1" at (acc[1].b): u8 [5] SOURCE;
    /// 1: the first operand of acc 0 is negated.
    Acc0Src0Neg "acc0_src0_neg" at (acc[0].neg_a): u8 [1] Number;
    /// 1: the second operand of acc 0 is negated.
    Acc0Src1Neg "acc0_src1_neg" at (acc[0].neg_b): u8 [1] Number;
    /// 1: the first operand of acc 1 is negated.
    Acc1Src0Neg "acc1_src0_neg" at (acc[1].neg_a): u8 [1] Number;
    /// 1: the second operand of acc 1 is negated.
    Acc1Src1Neg "acc1_src1_neg" at (acc[1].neg_b): u8 [1] Number;
    /// Slot of uniforms and temporaries that the load port reads.
    LoadAddr "load_addr" at (load.address): u16 [9] Number;
    /// Address register added to the slot.
    LoadOffset "load_offset" at (load.offset): u8 [3] Choice(Offset::CHOICES);
    /// Number of the register or attribute that read port 0 reads.
    Register0Addr "register0_addr" at (port0): u8 [4] Number;
    /// 1: read port 0 reads an attribute; 0: a register.
    Register0Attribute "register0_attribute" at (port0_attribute): u8 [1] Number;
    /// Number of the register that read port 1 reads; the field crosses the middle of the word.
    Register1Addr "register1_addr" at (port1): u8 [4] Number;
    /// 1: x and y are written to a temporary.
    Store0Temporary "store0_temporary" at (store[0].temporary): u8 [1] Number;
    /// 1: z and w are written to a temporary.
    Store1Temporary "store1_temporary" at (store[1].temporary): u8 [1] Number;
    /// 1: jumps to the target if the pass result is true.
    Branch BRANCH at (branch): u8 [1] Number;
    /// Inverse of bit 8 of the target.
    BranchTargetLo "branch_target_lo" at (branch_target_lo): u8 [1] Number;
    /// Result that is stored in x.
    Store0SrcX "store0_src_x" at (store[0].sources[0]): u8 [3] STORED;
    /// Result that is stored in y.
    Store0SrcY "store0_src_y" at (store[0].sources[1]): u8 [3] STORED;
    /// Result that is stored in z.
    Store1SrcZ "store1_src_z" at (store[1].sources[0]): u8 [3] STORED;
    /// Result that is stored in w.
    Store1SrcW "store1_src_w" at (store[1].sources[1]): u8 [3] STORED;
    /// Operation of both acc units.
    AccOp "acc_op" at (acc_op): u8 [3] Choice(&Unit::ACC);
    /// Operation of the complex unit.
    ComplexOp "complex_op" at (complex_op): u8 [4] Choice(&Unit::COMPLEX);
    /// Number of the varying or register to which x and y are written.
    Store0Addr "store0_addr" at (store[0].address): u8 [4] Number;
    /// 1: x and y are written to a varying.
    Store0Varying "store0_varying" at (store[0].varying): u8 [1] Number;
    /// Number of the varying or register to which z and w are written.
    Store1Addr "store1_addr" at (store[1].address): u8 [4] Number;
    /// 1: z and w are written to a varying.
    Store1Varying "store1_varying" at (store[1].varying): u8 [1] Number;
    /// Operation of both mul units.
    MulOp "mul_op" at (mul_op): u8 [3] Choice(&Unit::MUL);
    /// Operation of the pass unit.
    PassOp "pass_op" at (pass_op): u8 [3] Choice(&Unit::PASS);
    /// Operand of the complex unit.
    ComplexSrc "complex_src" at (complex_src): u8 [5] SOURCE;
    /// Operand of the pass unit.
    PassSrc "pass_src" at (pass_src): u8 [5] SOURCE;
    /// 0, 12 with a temporary store, 13 with a branch; its function is unknown.
    Unknown1 MARK at (unknown_1): u8 [4] Choice(Mark::CHOICES);
    /// Bits 0 to 7 of the target.
    BranchTarget "branch_target" at (branch_target): u8 [8] Number;
}

/// The layout of a word.
pub static WORD: Layout =
    Layout { name: "word", bits: 128, fields: &WORD_FIELDS, source: "SEED; M codegen.h" };

/// All layouts.
pub static LAYOUTS: [Layout; 1] = [WORD];

/// The value that stands for an unknown number in the fields of an entry.
pub const NONE: u16 = 0xffff;

/// The source of the layouts of an entry's additional numbers, which Lockstep itself defines.
const ENTRY: &str = "an additional number of an entry";
/// The source of the layouts of the container, which Lockstep itself defines.
const CONTAINER: &str = "container";

words! {
    /// The mask of known facts in a container.
    pub struct KnownFacts in u16, 16 bits, "known facts" from CONTAINER;
    {
        /// Facts that the container states: bit 0 prefetch, 1 uniforms, 2 viewport scale, 3 viewport offset, 4 position, 5 point size.
        /// Bit n for the [`Fact`](super::facts::Fact) with number n.
        facts: u8 [6] Elements(1),
        /// Bits above the mask.
        zero: u16 [10] Reserved,
    }

    /// Number 2 of `Entry::extra`: the varyings that are the position and the point size.
    pub struct Outputs in u32, 32 bits, "outputs" from ENTRY;
    {
        /// Number of the varying that is the position, or 65535 if it is not known.
        /// See [`NONE`].
        position: u16 [16],
        /// Number of the varying that is the point size, or 65535 if it is not known.
        /// See [`NONE`].
        point_size: u16 [16],
    }

    /// Number 3 of `Entry::extra`: the slots of the viewport's scale and offset.
    pub struct Viewport in u32, 32 bits, "viewport" from ENTRY;
    {
        /// Slot of the viewport's scale, or 65535 if it is not known.
        /// See [`NONE`].
        scale: u16 [16],
        /// Slot of the viewport's offset, or 65535 if it is not known.
        /// See [`NONE`].
        offset: u16 [16],
    }
}

/// The layouts of Lockstep's own words.
pub static OWN_LAYOUTS: [Layout; 3] = [KnownFacts::LAYOUT, Outputs::LAYOUT, Viewport::LAYOUT];

impl KnownFacts {
    /// The bits of the mask, in the order of [`Fact::ALL`].
    const BITS: List<{ Fact::ALL.len() }> = List::of(&KnownFacts::facts);

    /// Returns the mask for facts in the order of [`Fact::ALL`].
    pub fn of(known: [bool; Fact::ALL.len()]) -> KnownFacts {
        KnownFacts { facts: KnownFacts::BITS.join(known.map(u8::from)), zero: 0 }
    }

    /// Whether a fact is known.
    pub fn has(self, fact: Fact) -> bool {
        KnownFacts::BITS.get(self.facts, fact as usize) != 0
    }
}

impl FieldId {
    /// Returns the declaration of the field.
    pub fn field(self) -> &'static Field {
        &WORD_FIELDS[self as usize]
    }

    /// Returns the field with this name.
    pub fn from_name(name: &str) -> Option<FieldId> {
        FieldId::ALL.into_iter().find(|id| id.field().name == name)
    }
}

impl Word {
    /// Returns the value of a field.
    pub fn field(&self, id: FieldId) -> u16 {
        self.fields()[id as usize]
    }

    /// Returns the word with these field values, in the order of [`WORD`]; `None` if one does not fit its field.
    pub fn from_fields(values: &[u16; COUNT]) -> Option<Word> {
        let fits = |(field, value): (&Field, &u16)| u128::from(*value) <= field.max();
        let fit = WORD_FIELDS.iter().zip(values).all(fits);
        fit.then(|| Word::from_bits(WORD.join(&values.map(u128::from), 0)))
    }

    /// Returns the word with a field set; `None` if the value does not fit the field.
    pub fn with_field(&self, id: FieldId, value: u16) -> Option<Word> {
        id.field().replace_in(self.to_bits(), value.into()).map(Word::from_bits)
    }

    /// Returns the 128 bits of the word.
    ///
    /// # Panics
    /// If a value does not fit its field.
    #[inline]
    pub fn to_bits(&self) -> u128 {
        WORD.join(&self.fields().map(u128::from), 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_tile_the_word_and_find_their_names() {
        assert!(WORD.tiles());
        for (k, id) in FieldId::ALL.into_iter().enumerate() {
            assert_eq!(id as usize, k);
            assert_eq!(FieldId::from_name(id.field().name), Some(id));
        }
        assert_eq!(FieldId::from_name("mul2_src0"), None);
    }
}
