//! The operations of the units. Decoder, assembler, validator, generator, coverage and the printed manual all use this table.

use super::vocabulary::{BRANCH as BRANCHES, NOP, StoreKind};
use crate::isa::OpcodeInfo;

pub use super::vocabulary::Unit;

/// The operands and result form of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// Two operands.
    Binary,
    /// Both multipliers together, with four operands. The result is that of mul 0.
    Wide,
    /// Both multipliers together. The condition is the second operand of mul 0; the values are the first operands.
    Select,
    /// One operand; the unit's second operand is ignored.
    One,
    /// One operand, and the limits in x and y of the load port.
    Clamp,
    /// One operand, which is written to an address register. There is no result.
    Address,
    /// No operand: the result of pass is written to address registers. The unit itself has no result.
    FromPass,
}

/// The kind of value that a unit produces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResultKind {
    /// A binary32 number.
    Number,
    /// A stage of a complex function, which is not a number.
    Stage,
    /// No result.
    Nothing,
}

macro_rules! operations {
    ($($op:ident $unit:ident $number:literal $name:literal [$($alias:literal)*] $info:literal $shape:ident $result_kind:ident, $meaning:literal, $source:literal;)*) => {
        /// An operation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Op { $(#[doc = $meaning] $op,)* }

        /// All operations, by unit and ascending number.
        pub static TABLE: &[Row] = &[$(Row {
            op: Op::$op, unit: Unit::$unit, number: $number, name: $name, aliases: &[$($alias),*], qualified: $info,
            shape: Shape::$shape, result_kind: ResultKind::$result_kind, meaning: $meaning, source: $source,
        },)*];

        const NUMBERS: &[(Op, Unit, u8)] = &[$((Op::$op, Unit::$unit, $number),)*];

        const NAMES: &[&str] = &[$($name,)*];

        /// The opcodes in the form common to all instruction sets: the table, then stores and the branch.
        pub static INFO: &[OpcodeInfo] = &[
            $(OpcodeInfo { number: $number, mnemonic: $info, meaning: $meaning, source: $source },)*
            STORE_REGISTER, STORE_VARYING, STORE_TEMPORARY, BRANCH,
        ];
    };
}

/// A row of [`TABLE`], which describes one operation.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The operation.
    pub op: Op,
    /// The unit that performs the operation.
    pub unit: Unit,
    /// The operation's number in the unit's field.
    pub number: u8,
    /// The operation's name in assembly text, without the name of the unit before it.
    pub name: &'static str,
    /// Aliases accepted in text, taken from other tools.
    pub aliases: &'static [&'static str],
    /// The operation's unique name, which begins with the unit's.
    pub qualified: &'static str,
    /// The operands and the form of the result.
    pub shape: Shape,
    /// The kind of the result.
    pub result_kind: ResultKind,
    /// The operation's meaning in one line.
    pub meaning: &'static str,
    /// Source and evidence tag.
    pub source: &'static str,
}

const fn store(stores: StoreKind, meaning: &'static str, source: &'static str) -> OpcodeInfo {
    OpcodeInfo { number: stores as u32, mnemonic: stores.opcode(), meaning, source }
}
const STORE_REGISTER: OpcodeInfo = store(
    StoreKind::Register,
    "stores results of this word in two components of a register, readable three words later",
    "SEED; M",
);
const STORE_VARYING: OpcodeInfo =
    store(StoreKind::Varying, "stores results of this word in two components of a varying", "SEED; M");
const STORE_TEMPORARY: OpcodeInfo = store(
    StoreKind::Temporary,
    "stores results of this word in two components of the temporary at address register 0, loadable four words later",
    "SEED",
);
const BRANCH: OpcodeInfo = OpcodeInfo {
    number: 1,
    mnemonic: BRANCHES,
    meaning: "jumps to an absolute word number if this word's pass result is true",
    source: "SEED; M; W",
};

operations! {
    Add Acc 0 "add" [] "acc.add" Binary Number, "a + b; a move is a + (-identity)", "SEED; M";
    Floor Acc 1 "floor" [] "acc.floor" One Number, "the largest integer not above a", "SEED; M";
    Sign Acc 2 "sign" [] "acc.sign" One Number, "-1, 0 or 1 with the sign of a", "SEED; M";
    Ge Acc 4 "ge" [] "acc.ge" Binary Number, "a >= b ? 1 : 0", "SEED; M";
    Lt Acc 5 "lt" [] "acc.lt" Binary Number, "a < b ? 1 : 0", "SEED; M";
    Min Acc 6 "min" [] "acc.min" Binary Number, "the smaller of a and b; logical and of truth values", "SEED; M";
    Max Acc 7 "max" [] "acc.max" Binary Number, "the larger of a and b; logical or of truth values", "SEED; M";
    Mul Mul 0 "mul" [] "mul.mul" Binary Number, "a * b; a move is a * identity", "SEED; M";
    Complex1 Mul 1 "complex1" [] "mul.complex1" Wide Number, "last step of a complex function, readable two words later; for a logarithm the result is a stage for postlog2", "SEED; M; I94";
    Complex2 Mul 3 "complex2" [] "mul.complex2" Binary Stage, "middle step of a complex function, computed in mul 0; mul 1 executes a multiplication", "SEED; M; I94";
    Select Mul 4 "select" ["sel"] "mul.select" Select Number, "first operand of mul 1 if the condition is true, else first operand of mul 0 (an option swaps them)", "M; seed has the operands swapped";
    Exp2 Complex 2 "exp2" [] "complex.exp2" One Stage, "table lookup of 2 to the power of a", "SEED; M; I94";
    Log2 Complex 3 "log2" [] "complex.log2" One Stage, "table lookup of the base-2 logarithm of a", "SEED; M; I94";
    Rsqrt Complex 4 "rsqrt" [] "complex.rsqrt" One Stage, "table lookup of 1 / square root of a", "SEED; M; I94";
    Rcp Complex 5 "rcp" [] "complex.rcp" One Stage, "table lookup of 1 / a", "SEED; M; I94";
    ComplexMov Complex 9 "mov" ["pass"] "complex.mov" One Number, "a", "SEED; M";
    SetAddr01 Complex 10 "set_addr01" [] "complex.set_addr01" FromPass Nothing, "writes this word's pass result to address registers 0, in effect at once, and 1, in effect four words later", "SEED alone";
    SetAddr0 Complex 12 "set_addr0" ["st_addr"] "complex.set_addr0" Address Nothing, "writes a to address register 0, the address of temporary stores, in effect at once", "SEED; M; L";
    SetAddr1 Complex 13 "set_addr1" ["ld_addr_0"] "complex.set_addr1" Address Nothing, "writes a to address register 1, an offset of loads, in effect four words later", "SEED; M; L";
    SetAddr2 Complex 14 "set_addr2" ["ld_addr_1"] "complex.set_addr2" Address Nothing, "writes a to address register 2, an offset of loads, in effect four words later", "SEED; M; L";
    SetAddr3 Complex 15 "set_addr3" ["ld_addr_2"] "complex.set_addr3" Address Nothing, "writes a to address register 3, an offset of loads, in effect four words later", "SEED; M; L";
    PassMov Pass 2 "mov" ["pass"] "pass.mov" One Number, "a", "SEED; M";
    Preexp2 Pass 4 "preexp2" ["op4"] "pass.preexp2" One Stage, "a converted to a fixed-point number for exp2", "SEED; M; I94";
    Postlog2 Pass 5 "postlog2" ["op5"] "pass.postlog2" One Number, "the logarithm as a number, from a stage that complex1 computed", "SEED; M; I94";
    Clamp Pass 6 "clamp" [] "pass.clamp" Clamp Number, "min(max(a, load.x), load.y) (an option swaps min and max)", "W, L, D; SEED has max(min())";
}

/// Returns the number of a unit's operations.
const fn count(unit: Unit) -> usize {
    let (mut k, mut count) = (0, 0);
    while k < NUMBERS.len() {
        count += (NUMBERS[k].1 as u8 == unit as u8) as usize;
        k += 1;
    }
    count
}

/// Returns the numbers and names of a unit's operations, preceded by those in `first`. `N` is their total number.
const fn choices<const N: usize>(unit: Unit, first: &[(u64, &'static str)]) -> [(u64, &'static str); N] {
    let mut all = [(0, ""); N];
    let (mut k, mut count) = (0, 0);
    while count < first.len() {
        all[count] = first[count];
        count += 1;
    }
    while k < NUMBERS.len() {
        let (_, op_unit, number) = NUMBERS[k];
        if op_unit as u8 == unit as u8 {
            all[count] = (number as u64, NAMES[k]);
            count += 1;
        }
        k += 1;
    }
    assert!(count == N, "N is the number of operations");
    all
}

impl Unit {
    /// Values of the operation field of both acc units.
    pub const ACC: [(u64, &'static str); count(Unit::Acc)] = choices(Unit::Acc, &[]);
    /// Values of the operation field of both mul units.
    pub const MUL: [(u64, &'static str); count(Unit::Mul)] = choices(Unit::Mul, &[]);
    /// Values of the operation field of the complex unit.
    pub const COMPLEX: [(u64, &'static str); 1 + count(Unit::Complex)] = choices(Unit::Complex, &[(0, NOP)]);
    /// Values of the operation field of the pass unit.
    pub const PASS: [(u64, &'static str); count(Unit::Pass)] = choices(Unit::Pass, &[]);
}

/// Whether multiplier 1 multiplies separately under this operation; undocumented operations use both multipliers.
pub fn is_mul1_separate(mul_op: u8) -> bool {
    matches!(Op::from_number(Unit::Mul, mul_op), Some(Op::Mul | Op::Complex2))
}

impl Op {
    /// Returns the operation's row.
    #[inline]
    pub fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }

    /// Whether an adder reads its second operand under this operation.
    #[inline]
    pub fn reads_second(self) -> bool {
        self.row().shape != Shape::One
    }

    /// Returns the operation's name in assembly text, without the name of the unit before it.
    pub const fn name(self) -> &'static str {
        NAMES[self as usize]
    }

    /// Returns the operation's number in the unit's field.
    #[inline]
    pub const fn number(self) -> u8 {
        NUMBERS[self as usize].2
    }

    /// Returns the operation of a unit with this number. `None` if it is undocumented, and for number 0 of the complex unit, which has no effect.
    #[inline]
    pub fn from_number(unit: Unit, number: u8) -> Option<Op> {
        static INDEX: [[Option<Op>; 16]; 4] = {
            let mut index = [[None; 16]; 4];
            let mut k = 0;
            while k < NUMBERS.len() {
                let (op, unit, number) = NUMBERS[k];
                index[unit as usize][number as usize] = Some(op);
                k += 1;
            }
            index
        };
        *INDEX[unit as usize].get(usize::from(number))?
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binary::FieldKind;
    use crate::isa::utgard_gp::word::FieldId;

    #[test]
    fn numbers_find_their_rows_and_the_layout_names_the_same_operations() {
        for row in TABLE {
            assert_eq!(row.op.row().op, row.op);
            assert_eq!(Op::from_number(row.unit, row.number), Some(row.op));
        }
        let fields = [FieldId::AccOp, FieldId::MulOp, FieldId::ComplexOp, FieldId::PassOp];
        for (unit, field) in Unit::ALL.into_iter().zip(fields) {
            let FieldKind::Choice(choices) = field.field().kind else { panic!("{unit:?}") };
            let named: Vec<_> = choices.iter().filter(|(_, name)| *name != NOP).copied().collect();
            let rows: Vec<_> =
                TABLE.iter().filter(|r| r.unit == unit).map(|r| (u64::from(r.number), r.name)).collect();
            assert_eq!(named, rows, "{unit:?}");
            let known = (0..16).filter(|n| Op::from_number(unit, *n).is_some()).count();
            assert_eq!(known, rows.len());
        }
    }

    #[test]
    fn names_are_unique_and_each_has_a_source() {
        let mut names: Vec<_> = INFO.iter().map(|i| i.mnemonic).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|w| w[0] != w[1]));
        assert!(INFO.iter().all(|i| !i.source.is_empty() && !i.meaning.is_empty()));
    }
}
