//! Execution on numbers instead of terms, to compare the semantics of instructions with the processor, and sequences with the kernels' meaning.

use crate::decode::Function;
use crate::error::Invalid;
use crate::machine::{Array, Lane, Location, Run};
use crate::sequence::{Vector, meaning, operand_types, sequence};
use crate::word::{Word, Words, float, int, truth};
use lockstep_core::exec::{Kernel, Level};
use lockstep_core::ir::Ty;
use lockstep_core::ir::eval::Scalar;
use lockstep_core::value::{BBin, Concrete, Domain, FBin, FCmp, FUn, IBin, ICmp, same};
use std::cell::Cell;

impl Words for Concrete {
    fn raw(&self, a: &f32) -> i32 {
        a.to_bits() as i32
    }
}

/// The memory of one lane.
#[derive(Clone, Debug)]
pub struct NumberRows {
    /// The lane's word in each row of the plan.
    pub rows: Vec<Word<Concrete>>,
    /// The lane's word of each input of the plan.
    pub inputs: Vec<Word<Concrete>>,
    /// The lane's word of each output of the plan.
    pub outputs: Vec<Word<Concrete>>,
    /// Whether the lane is active; `None` in a function for groups whose lanes are all active.
    pub active: Option<bool>,
}

impl NumberRows {
    /// Returns words with these bits.
    pub fn words(bits: &[u32]) -> Vec<Word<Concrete>> {
        bits.iter().map(|bits| Scalar::I(*bits as i32)).collect()
    }
}

/// Returns the lane's memory after each path through the function at `offset`.
///
/// # Errors
/// If the validator refuses the function's machine code.
pub fn run(
    (bytes, offset): (&[u8], usize),
    vector: Vector,
    level: Level,
    memory: NumberRows,
) -> Result<Vec<NumberRows>, Invalid> {
    let function = Function::decode(bytes, offset, vector, level)?;
    Run { d: &Concrete, bytes, function: &function, vector, active: memory.active }.run_paths(memory)
}

/// Runs the function at offset 0, which must be for groups whose lanes are all active, and returns the rows of one lane.
///
/// # Errors
/// If the validator refuses the function's machine code.
pub fn execute(
    bytes: &[u8],
    vector: Vector,
    level: Level,
    rows: &[u32],
) -> Result<Vec<Word<Concrete>>, Invalid> {
    let rows = NumberRows::words(rows);
    let memory = NumberRows { rows, inputs: Vec::new(), outputs: Vec::new(), active: None };
    let end = run((bytes, 0), vector, level, memory)?.pop();
    end.map(|end| end.rows).ok_or_else(|| Invalid::Layout("the function does not return".to_owned()))
}

impl Lane<Concrete> for NumberRows {
    fn load(&self, _: &Concrete, location: Location) -> Result<Word<Concrete>, String> {
        let words = match (location.array, self.active) {
            (Array::Rows, _) => &self.rows,
            (Array::Inputs, _) => &self.inputs,
            (Array::Outputs, _) => &self.outputs,
            (Array::Active, Some(active)) => return Ok(Scalar::B(active)),
            (Array::Active, None) => return Err("a function for all lanes has no mask".to_owned()),
        };
        let row = usize::try_from(location.row).ok();
        row.and_then(|row| words.get(row)).cloned().ok_or_else(|| format!("{location:?}"))
    }

    fn store(&mut self, _: &Concrete, location: Location, word: Word<Concrete>) -> Result<(), String> {
        let words = match location.array {
            Array::Rows => &mut self.rows,
            Array::Outputs => &mut self.outputs,
            _ => return Err(format!("{location:?}")),
        };
        let row = usize::try_from(location.row).ok();
        *row.and_then(|row| words.get_mut(row)).ok_or_else(|| format!("{location:?}"))? = word;
        Ok(())
    }
}

/// A domain of numbers with the restrictions of terms: only literal integers and truth values are known, and a register that holds a NaN gives
/// another NaN each time it is read as an integer, since a float does not determine the NaN's bits.
#[derive(Clone, Debug, Default)]
pub struct NumberDomain {
    reads: Cell<u32>,
}

/// A number, and whether it is a literal.
#[derive(Clone, Copy, Debug)]
pub struct Number<T> {
    value: T,
    literal: bool,
}

impl<T: Copy> Number<T> {
    /// Returns the number.
    pub fn value(self) -> T {
        self.value
    }
}

fn computed<T>(value: T) -> Number<T> {
    Number { value, literal: false }
}

impl Words for NumberDomain {
    fn raw(&self, a: &f32) -> Number<i32> {
        if !a.is_nan() {
            return computed(a.to_bits() as i32);
        }
        let read = self.reads.get().wrapping_add(1);
        self.reads.set(read);
        let payload = read.wrapping_mul(0x9e37_79b9);
        // A fraction of 0 would make it an infinity.
        computed((payload | 0x7f80_0000 | u32::from(payload << 9 == 0)) as i32)
    }
}

impl Domain for NumberDomain {
    type F = f32;
    type B = Number<bool>;
    type I = Number<i32>;

    fn f(&self, v: f32) -> f32 {
        v
    }
    fn i(&self, v: i32) -> Number<i32> {
        Number { value: v, literal: true }
    }
    fn b(&self, v: bool) -> Number<bool> {
        Number { value: v, literal: true }
    }
    fn un(&self, op: FUn, a: &f32) -> f32 {
        Concrete.un(op, a)
    }
    fn bin(&self, op: FBin, a: &f32, b: &f32) -> f32 {
        Concrete.bin(op, a, b)
    }
    fn fma(&self, a: &f32, b: &f32, c: &f32) -> f32 {
        Concrete.fma(a, b, c)
    }
    fn cmp(&self, op: FCmp, a: &f32, b: &f32) -> Number<bool> {
        computed(Concrete.cmp(op, a, b))
    }
    fn ibin(&self, op: IBin, a: &Number<i32>, b: &Number<i32>) -> Number<i32> {
        computed(Concrete.ibin(op, &a.value, &b.value))
    }
    fn icmp(&self, op: ICmp, a: &Number<i32>, b: &Number<i32>) -> Number<bool> {
        computed(Concrete.icmp(op, &a.value, &b.value))
    }
    fn logic(&self, op: BBin, a: &Number<bool>, b: &Number<bool>) -> Number<bool> {
        computed(Concrete.logic(op, &a.value, &b.value))
    }
    fn not(&self, a: &Number<bool>) -> Number<bool> {
        computed(!a.value)
    }
    fn trunc_i(&self, a: &f32) -> Number<i32> {
        computed(Concrete.trunc_i(a))
    }
    fn to_f(&self, a: &Number<i32>) -> f32 {
        Concrete.to_f(&a.value)
    }
    fn bits(&self, a: &f32) -> Number<i32> {
        computed(Concrete.bits(a))
    }
    fn from_bits(&self, a: &Number<i32>) -> f32 {
        Concrete.from_bits(&a.value)
    }
    fn sel(&self, c: &Number<bool>, a: &f32, b: &f32) -> f32 {
        if c.value { *a } else { *b }
    }
    fn sel_i(&self, c: &Number<bool>, a: &Number<i32>, b: &Number<i32>) -> Number<i32> {
        computed(if c.value { a.value } else { b.value })
    }
    fn sel_b(&self, c: &Number<bool>, a: &Number<bool>, b: &Number<bool>) -> Number<bool> {
        computed(if c.value { a.value } else { b.value })
    }
    fn known_f(&self, _: &f32) -> Option<f32> {
        None
    }
    fn known_i(&self, a: &Number<i32>) -> Option<i32> {
        a.literal.then_some(a.value)
    }
    fn known_b(&self, a: &Number<bool>) -> Option<bool> {
        a.literal.then_some(a.value)
    }
    fn decide(&mut self, a: &Number<bool>) -> bool {
        a.value
    }
}

/// Returns the ways in which operands of these types may be held: a float as a loaded word or as a computed number.
pub fn operand_forms(types: &[Ty]) -> Vec<Vec<OperandForm>> {
    let floats = types.iter().filter(|ty| **ty == Ty::F32).count();
    let way = |choice: u32| {
        let mut choice = choice;
        let held = types.iter().map(|ty| match ty {
            Ty::F32 => {
                let computed = choice & 1 == 1;
                choice >>= 1;
                if computed { OperandForm::Float } else { OperandForm::Word }
            }
            Ty::I32 => OperandForm::Word,
            Ty::Bool => OperandForm::Truth,
        });
        held.collect()
    };
    (0..1 << floats).map(way).collect()
}

/// The form in which an operand is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OperandForm {
    /// As bits.
    Word,
    /// As a computed float.
    Float,
    /// As a truth value: whether the lowest bit is set.
    Truth,
}

/// Whether the sequence of a kernel gives the kernel's meaning for operands with these bits; `None` if the kernel has no sequence for such operands.
pub fn agrees(
    kernel: Kernel,
    vector: Vector,
    operands: impl Iterator<Item = (OperandForm, u32)>,
) -> Option<bool> {
    let d = NumberDomain::default();
    let words = operands.map(|(held, bits)| match held {
        OperandForm::Word => Scalar::I(computed(bits as i32)),
        OperandForm::Float => Scalar::F(f32::from_bits(bits)),
        OperandForm::Truth => Scalar::B(computed(bits & 1 == 1)),
    });
    let words: smallvec::SmallVec<[Word<NumberDomain>; 8]> = words.collect();
    let found = sequence(&d, vector, kernel, &words)?;
    Some(match meaning(&d, kernel, &words)? {
        Scalar::F(expected) => same(float(&d, &found), expected),
        Scalar::I(expected) => int(&d, &found).value == expected.value,
        Scalar::B(expected) => truth(&d, &found).is_some_and(|found| found.value == expected.value),
    })
}

/// Returns the kernels of one operand that have a sequence, with each form in which the operand may be held.
pub fn one_operand_kernels() -> Vec<(Kernel, OperandForm)> {
    let mut all = Vec::new();
    for kernel in Kernel::ALL {
        let single = operand_types(*kernel).into_iter().filter(|types| types.len() == 1);
        all.extend(single.flat_map(|types| operand_forms(&types)).map(|held| (*kernel, held[0])));
    }
    // A word may be both a float and an integer operand, which gives duplicates.
    all.sort();
    all.dedup();
    all
}
