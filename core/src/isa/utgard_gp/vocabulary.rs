//! Names in assembly text and tables, each declared once: number, name, aliases.

use crate::binary::vocabulary;

vocabulary! {
    /// A unit with an operation field of its own.
    pub enum Unit {
        /// The two adders, which share their operation.
        Acc = 0 "acc",
        /// The two multipliers, which share their operation.
        Mul = 1 "mul",
        /// Table lookups, moves, and writes of address registers.
        Complex = 2 "complex",
        /// Moves, clamping and the two conversions around exp2 and log2. Branches test its result.
        Pass = 3 "pass",
    }

    /// A unit that produces results, numbered as in Mesa's listings.
    pub enum ResultOf {
        /// Adder 0.
        Acc0 = 0 "acc[0]" as "acc0",
        /// Adder 1.
        Acc1 = 1 "acc[1]" as "acc1",
        /// Multiplier 0, and wide operations.
        Mul0 = 2 "mul[0]" as "mul0",
        /// Multiplier 1.
        Mul1 = 3 "mul[1]" as "mul1",
        /// The pass unit.
        Pass = 4 "pass",
        /// The complex unit.
        Complex = 5 "complex",
    }

    /// The sources that ports can read. The two register read ports are distinguished by a number in brackets.
    pub enum Port {
        /// An attribute, at read port 0.
        Attribute = 0 "attribute" | "attrib",
        /// A register, at read port 0 or 1.
        Register = 1 "register",
        /// A uniform or a temporary, at the load port.
        Load = 2 "uniform" as "load" | "temporary",
    }

    /// The kind of target of a store unit.
    pub enum StoreKind {
        /// A store to a register.
        Register = 0 "register" as "store.register",
        /// A store to a varying.
        Varying = 1 "varying" as "store.varying",
        /// A store to the temporary at address register 0.
        Temporary = 2 "temporary" as "store.temporary",
    }
}

vocabulary! {
    /// The address register that the load port adds to its slot.
    pub enum Offset {
        /// Address register 1.
        Register1 = 1 "address register 1" as "1",
        /// Address register 2.
        Register2 = 2 "address register 2" as "2",
        /// Address register 3.
        Register3 = 3 "address register 3" as "3",
        /// Nothing is added.
        None = 7 "none",
    }

    /// The documented values of the field `unknown_1`, with which compilers mark words. The effect of the field is unknown.
    pub enum Mark {
        /// Neither a temporary store nor a branch.
        None = 0 "normal",
        /// A store to a temporary.
        Temporary = 12 "temporary store",
        /// A branch.
        Branch = 13 "branch",
    }
}

vocabulary! {
    /// The operands or the result that a unit negates. An adder negates operands, a multiplier its result.
    pub enum Negated {
        /// Nothing.
        None = 0 "none",
        /// The first operand.
        First = 1 "a",
        /// The second operand.
        Second = 2 "b",
        /// Both operands.
        Both = 3 "both",
        /// The result.
        Result = 4 "result",
    }

    /// Whether a unit computes, or only moves its first operand.
    pub enum Form {
        /// A move: the second operand is the identity.
        Move = 0 "move",
        /// An addition.
        Sum = 1 "sum",
        /// A multiplication.
        Product = 2 "product",
    }

    /// The direction of a branch.
    pub enum Direction {
        /// A branch to a later word.
        Forward = 0 "forward",
        /// A branch to its own word.
        Itself = 1 "itself",
        /// A branch to an earlier word.
        Backward = 2 "backward",
    }

    /// Whether the number of a target needs the ninth bit.
    pub enum TargetRange {
        /// The number is below 256.
        Low = 0 "low",
        /// The number is 256 or more.
        High = 1 "high",
    }
}

/// The name of a branch, as an item and as a unit.
pub const BRANCH: &str = "branch";
/// The name of a store unit, which its number in brackets follows.
pub const STORE: &str = "store";
/// The name of a word without effect, and of the complex unit's operation without effect.
pub const NOP: &str = "nop";
/// The name of a move in any unit.
pub const MOVE: &str = "mov";
/// The name of a port's load, which follows the port's name.
pub const LOAD: &str = "load";
/// The name of an address register that a load adds; its number in brackets follows.
pub const ADDRESS: &str = "addr";
/// The name of a result, which follows the name of its unit.
pub const OUT: &str = "out";
/// The name of the second operand that leaves the first operand unchanged.
pub const IDENTITY: &str = "ident";
/// The name for no operand, and for a component that is not stored.
pub const UNUSED: &str = "unused";
/// Prefix of an operand with an undocumented code; a number follows, which is 0 for code 8.
pub const UNKNOWN: &str = "unknown";
/// The name of the undocumented store code.
pub const UNKNOWN_STORE: &str = "unknown_5";
/// Prefix of an undocumented operation; its number follows.
pub const OPERATION: &str = "op";
/// The name of the field that compilers set with stores to temporaries and branches.
pub const MARK: &str = "unknown_1";

impl ResultOf {
    /// Returns the unit's facet value.
    pub const fn value(self) -> &'static str {
        Self::VALUES[self as usize].0
    }

    /// Returns the unit with this facet value.
    pub fn from_value(value: &str) -> Option<ResultOf> {
        ResultOf::ALL.into_iter().find(|of| of.value() == value)
    }

    /// Returns the kind of unit: the unit without its number.
    pub const fn unit(self) -> Unit {
        match self {
            ResultOf::Acc0 | ResultOf::Acc1 => Unit::Acc,
            ResultOf::Mul0 | ResultOf::Mul1 => Unit::Mul,
            ResultOf::Pass => Unit::Pass,
            ResultOf::Complex => Unit::Complex,
        }
    }

    /// Returns the unit with this operation field, selected by its index in brackets if there are two.
    pub fn of_unit(unit: Unit, index: Option<u64>) -> Option<ResultOf> {
        let mut all = ResultOf::ALL.into_iter().filter(|of| of.unit() == unit);
        match index {
            Some(index) if matches!(unit, Unit::Acc | Unit::Mul) => all.nth(usize::try_from(index).ok()?),
            None if matches!(unit, Unit::Pass | Unit::Complex) => all.next(),
            _ => None,
        }
    }
}

impl StoreKind {
    /// Returns the name of the opcode.
    pub const fn opcode(self) -> &'static str {
        Self::VALUES[self as usize].0
    }
}
