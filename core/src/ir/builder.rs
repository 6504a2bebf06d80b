//! The builder of IR programs.

use super::op::{Op, Sampler, Ty, Var};
use super::program::{
    ArrayDecl, ArrayInit, Block, BlockId, Inst, Program, SamplerDecl, Terminator, Value, VarDecl, VarKey,
};
use crate::value::{BBin, FCmp, FUn, IBin, ICmp};

/// The state of a variable in the block under construction.
#[derive(Clone, Copy, Default)]
struct Known {
    value: Option<Value>,
    /// Whether the block has written the variable, so a write must be emitted at the block's end.
    dirty: bool,
}

/// Builds a program block by block.
///
/// A read of a variable after a read or a write in the same block returns the value read or written there. Each written variable is written once, at
/// the end of the block.
/// The builder optimises nothing else; the rewrite rules do algebraic simplification.
#[derive(Default)]
pub struct Builder {
    program: Program,
    known: Vec<Known>,
    touched: Vec<u32>,
    start: u32,
    by_key: keys::KeyMap,
}

mod keys {
    use super::{Var, VarKey};

    /// Variables by key. Each file has a dense table, so a look-up takes two loads.
    #[derive(Default)]
    pub(super) struct KeyMap {
        files: Vec<Vec<u32>>,
    }

    /// Returns the index of the table for a key, which is the number of the key's file, and the index within that table.
    #[inline]
    fn table_and_index(key: VarKey) -> (usize, usize) {
        debug_assert!(key.component < 4, "a component is x, y, z or w");
        (usize::from(key.file), usize::from(key.index) * 4 + usize::from(key.component & 3))
    }

    impl KeyMap {
        #[inline]
        pub(super) fn slot(&mut self, key: VarKey) -> &mut u32 {
            let (file, at) = table_and_index(key);
            if self.files.get(file).is_none_or(|table| table.len() <= at) {
                self.grow(file, at);
            }
            &mut self.files[file][at]
        }

        /// Enlarges the table of a file to include index `at`, to a multiple of 32 entries.
        #[cold]
        fn grow(&mut self, file: usize, at: usize) {
            if self.files.len() <= file {
                self.files.resize_with(file + 1, Vec::new);
            }
            self.files[file].resize((at + 1).next_multiple_of(32), u32::MAX);
        }

        pub(super) fn get(&self, key: VarKey) -> Option<Var> {
            let (file, at) = table_and_index(key);
            let &slot = self.files.get(file)?.get(at)?;
            (slot != u32::MAX).then_some(Var(slot))
        }
    }
}

impl Builder {
    /// An empty program for groups of `group` lanes.
    pub fn new(group: u8) -> Builder {
        let mut builder = Builder::default();
        builder.program.group = group;
        builder.program.insts.reserve(256);
        builder.program.pool.reserve(512);
        builder.program.vars.reserve(64);
        builder.known.reserve(64);
        builder.touched.reserve(64);
        builder
    }

    /// Returns the variable for `key`. On first use, declares it with type `ty` and the bits `init` at entry.
    #[inline]
    pub fn var(&mut self, key: VarKey, ty: Ty, init: u32) -> Var {
        let slot = self.by_key.slot(key);
        if *slot == u32::MAX {
            *slot = self.program.vars.len() as u32;
            self.program.vars.push(VarDecl { ty, key, init });
            self.known.push(Known::default());
        }
        Var(*slot)
    }

    /// Returns the variable for `key`, if it is declared.
    pub fn find(&self, key: VarKey) -> Option<Var> {
        self.by_key.get(key)
    }

    /// Declares an array of `len` elements, initialised with zero. Four consecutive elements represent a register of the file.
    pub fn array(&mut self, file: u8, len: u32) -> super::op::Array {
        self.declare_array(ArrayDecl { len, file, component: None, init: ArrayInit::Zero })
    }

    /// Declares the array of one component of registers 0 to `len` - 1 of a file, initialised from the float constant file.
    pub fn uniforms(&mut self, file: u8, component: u8, len: u32) -> super::op::Array {
        let component = Some(component & 3);
        self.declare_array(ArrayDecl { len, file, component, init: ArrayInit::Uniforms })
    }

    /// Declares the array of one component of registers 0 to `len` - 1 of a file, initialised with zero.
    pub fn registers(&mut self, file: u8, component: u8, len: u32) -> super::op::Array {
        let component = Some(component & 3);
        self.declare_array(ArrayDecl { len, file, component, init: ArrayInit::Zero })
    }

    /// The number of arrays declared so far.
    pub fn arrays(&self) -> usize {
        self.program.arrays.len()
    }

    fn declare_array(&mut self, decl: ArrayDecl) -> super::op::Array {
        self.program.arrays.push(decl);
        super::op::Array(self.program.arrays.len() as u32 - 1)
    }

    /// Declares the static part of a texture read. An equal declaration is reused.
    pub fn sampler(&mut self, decl: SamplerDecl) -> Sampler {
        let at = self.program.samplers.iter().position(|s| *s == decl).unwrap_or_else(|| {
            self.program.samplers.push(decl);
            self.program.samplers.len() - 1
        });
        Sampler(at as u32)
    }

    /// Declares `var` as output `number` (slot * 4 + component) of a finished lane.
    pub fn output(&mut self, number: u16, var: Var) {
        self.program.outputs.push((number, var));
    }

    /// Appends an operation and returns its first result. Operands are not checked.
    #[inline]
    pub fn op(&mut self, op: Op, args: &[Value]) -> Value {
        let result = Value(self.program.values);
        let results = match op {
            Op::Read(_) => 1,
            _ => op.results().map_or(0, |r| r.1),
        };
        self.program.values += u32::from(results);
        let start = self.program.pool.len() as u32;
        self.program.pool.extend_from_slice(args);
        self.program.insts.push(Inst { op, args: start, arity: args.len() as u8, result });
        result
    }

    /// Returns the current value of a variable.
    #[inline]
    pub fn read(&mut self, var: Var) -> Value {
        if let Some(value) = self.known[var.0 as usize].value {
            return value;
        }
        let value = self.op(Op::Read(var), &[]);
        self.known[var.0 as usize].value = Some(value);
        self.touched.push(var.0);
        value
    }

    /// Assigns a value to a variable.
    #[inline]
    pub fn write(&mut self, var: Var, value: Value) {
        let known = &mut self.known[var.0 as usize];
        if known.value.is_none() {
            self.touched.push(var.0);
        }
        *known = Known { value: Some(value), dirty: true };
    }

    /// A float literal.
    #[inline]
    pub fn f(&mut self, v: f32) -> Value {
        self.op(Op::F32(crate::value::canonical_bits(v)), &[])
    }
    /// An integer literal.
    pub fn i(&mut self, v: i32) -> Value {
        self.op(Op::I32(v), &[])
    }
    /// A truth literal.
    pub fn b(&mut self, v: bool) -> Value {
        self.op(Op::Bool(v), &[])
    }
    /// One-operand float arithmetic.
    #[inline]
    pub fn un(&mut self, op: FUn, a: Value) -> Value {
        self.op(Op::Un(op), &[a])
    }
    /// a + b.
    #[inline]
    pub fn add(&mut self, a: Value, b: Value) -> Value {
        self.op(Op::Add, &[a, b])
    }
    /// a - b.
    #[inline]
    pub fn sub(&mut self, a: Value, b: Value) -> Value {
        self.op(Op::Sub, &[a, b])
    }
    /// a * b.
    #[inline]
    pub fn mul(&mut self, a: Value, b: Value) -> Value {
        self.op(Op::Mul, &[a, b])
    }
    /// a / b.
    #[inline]
    pub fn div(&mut self, a: Value, b: Value) -> Value {
        self.op(Op::Div, &[a, b])
    }
    /// a < b ? a : b.
    pub fn min(&mut self, a: Value, b: Value) -> Value {
        self.op(Op::Min, &[a, b])
    }
    /// a > b ? a : b.
    pub fn max(&mut self, a: Value, b: Value) -> Value {
        self.op(Op::Max, &[a, b])
    }
    /// Comparison of floats.
    pub fn cmp(&mut self, op: FCmp, a: Value, b: Value) -> Value {
        self.op(Op::Cmp(op), &[a, b])
    }
    /// Comparison of integers.
    pub fn icmp(&mut self, op: ICmp, a: Value, b: Value) -> Value {
        self.op(Op::ICmp(op), &[a, b])
    }
    /// Integer arithmetic.
    pub fn ibin(&mut self, op: IBin, a: Value, b: Value) -> Value {
        self.op(Op::IBin(op), &[a, b])
    }
    /// Two-operand logic.
    pub fn logic(&mut self, op: BBin, a: Value, b: Value) -> Value {
        self.op(Op::Logic(op), &[a, b])
    }
    /// Negation of a truth value.
    pub fn not(&mut self, a: Value) -> Value {
        self.op(Op::Not, &[a])
    }
    /// c ? a : b on floats.
    pub fn sel(&mut self, c: Value, a: Value, b: Value) -> Value {
        self.op(Op::Sel(Ty::F32), &[c, a, b])
    }
    /// c ? a : b on integers.
    pub fn sel_i(&mut self, c: Value, a: Value, b: Value) -> Value {
        self.op(Op::Sel(Ty::I32), &[c, a, b])
    }

    /// c ? a : b on truth values.
    pub fn sel_b(&mut self, c: Value, a: Value, b: Value) -> Value {
        self.op(Op::Sel(Ty::Bool), &[c, a, b])
    }
    /// Appends an effect that happens if `when` is true. Components outside `mask` may be any float values.
    pub fn effect(&mut self, when: Value, (kind, index, mask): (u8, u16, u8), values: [Value; 4]) {
        let [x, y, z, w] = values;
        self.op(Op::Effect { kind, index, mask }, &[when, x, y, z, w]);
    }

    /// Whether the block under construction has any instructions or written variables.
    pub fn is_open(&self) -> bool {
        self.start != self.program.insts.len() as u32 || self.known.iter().any(|k| k.dirty)
    }

    /// The number of instructions so far.
    pub fn instructions(&self) -> u32 {
        self.program.insts.len() as u32
    }

    /// The number of blocks finished so far.
    pub fn blocks(&self) -> u32 {
        self.program.blocks.len() as u32
    }

    /// Ends the block under construction and begins the next one. Emits a write for each variable that the block has written.
    pub fn end_block(&mut self, origin: u32, terminator: Terminator) -> BlockId {
        let mut touched = std::mem::take(&mut self.touched);
        // Ascending order makes the program independent of the order of writes.
        touched.sort_unstable();
        for &var in &touched {
            let known = std::mem::take(&mut self.known[var as usize]);
            if let (Some(value), true) = (known.value, known.dirty) {
                self.op(Op::Write(Var(var)), &[value]);
            }
        }
        touched.clear();
        self.touched = touched;
        let end = self.program.insts.len() as u32;
        self.program.blocks.push(Block { insts: self.start..end, terminator, origin });
        self.start = end;
        BlockId(self.program.blocks.len() as u32 - 1)
    }

    /// Returns the finished program. Execution starts at `entry`.
    pub fn finish(mut self, entry: BlockId) -> Program {
        self.program.entry = entry.0;
        self.program
    }
}
