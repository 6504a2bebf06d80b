//! Checks whether two lowered programs are equal up to the order of independent instructions and the names of variables.
//!
//! The caller rewrites both programs first. They are compared backwards from observable results: effects in order, conditions, outputs, and writes to
//! the variables that these read. Values that are never read are ignored. The only algebraic law used is commutativity, where a rule of the rewriter
//! permits it. So equality found here relies only on this comparison, and on the lowering and the rewriting, which are proved.

use lockstep_core::ir::rewrite::{Term, rules};
use lockstep_core::ir::{Array, BlockId, Inst, Op, Program, SamplerDecl, Terminator, Value, Var};
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::LazyLock;

/// Whether two programs are known to be equivalent for all inputs. `false` means unknown.
pub fn same(a: &Program, b: &Program) -> bool {
    Pair::new(a, b).is_some_and(|mut pair| pair.matches())
}

/// Whether an operation is commutative according to the rewrite rules that sort operands.
fn commutes(op: Op) -> bool {
    static ALL: LazyLock<HashSet<Op>> = LazyLock::new(|| {
        let ordering = rules().iter().filter(|rule| rule.ordering);
        ordering.filter_map(|rule| if let Term::Op(op, _) = &rule.lhs { Some(*op) } else { None }).collect()
    });
    ALL.contains(&op)
}

/// The definition of a value.
#[derive(Clone, Copy)]
struct Def {
    /// The instruction.
    inst: u32,
    /// The index of the result.
    result: u32,
    /// The number of stores and fuel instructions before the instruction in its block. The result may depend on these as well as on the operands.
    before: u32,
    /// If the value reads a variable written earlier in the block, the value written.
    forward: Option<Value>,
    /// A hash of the computation, without variable names; equal values have equal hashes.
    shape: u64,
}

/// A program with lookup tables.
struct Side<'p> {
    program: &'p Program,
    /// Definitions, by value.
    defs: Vec<Option<Def>>,
    /// The last value written to a variable in a block.
    writes: HashMap<(u32, Var), Value>,
}

impl<'p> Side<'p> {
    fn new(program: &'p Program) -> Side<'p> {
        let mut side = Side { program, defs: vec![None; program.values as usize], writes: HashMap::new() };
        for number in 0..program.blocks.len() as u32 {
            let mut before = 0;
            let first = program.blocks[number as usize].insts.start;
            for (inst, at) in program.block(BlockId(number)).iter().zip(first..) {
                let forward = match inst.op {
                    Op::Read(var) => side.writes.get(&(number, var)).copied(),
                    _ => None,
                };
                let (_, results) = program.results(inst);
                for result in 0..u32::from(results) {
                    let shape = side.shape(inst, result, forward);
                    if let Some(def) = side.defs.get_mut((inst.result.0 + result) as usize) {
                        *def = Some(Def { inst: at, result, before, forward, shape });
                    }
                }
                match inst.op {
                    Op::Write(var) => {
                        if let [value] = program.args(inst) {
                            side.writes.insert((number, var), *value);
                        }
                    }
                    Op::Store(_) | Op::Fuel(_) => before += 1,
                    _ => {}
                }
            }
        }
        side
    }

    fn shape(&self, inst: &Inst, result: u32, forward: Option<Value>) -> u64 {
        let of = |value: Value| self.def(value).map_or(0, |def| def.shape);
        if let Some(value) = forward {
            return of(value);
        }
        let mut hasher = DefaultHasher::new();
        let mut operands: Vec<u64> = self.program.args(inst).iter().map(|value| of(*value)).collect();
        match inst.op {
            Op::Read(var) => {
                let var = self.program.var(var);
                (var.ty, var.init).hash(&mut hasher);
            }
            Op::Sample(sampler) => self.program.sampler(sampler).unit.hash(&mut hasher),
            op => op.hash(&mut hasher),
        }
        if commutes(inst.op) {
            operands.sort_unstable();
        }
        (operands, result).hash(&mut hasher);
        hasher.finish()
    }

    fn def(&self, value: Value) -> Option<Def> {
        self.defs.get(value.0 as usize).copied().flatten()
    }

    fn inst(&self, def: Def) -> &'p Inst {
        &self.program.insts[def.inst as usize]
    }

    /// Returns the effects of a block other than writes to variables.
    fn effects(&self, block: BlockId) -> impl Iterator<Item = &'p Inst> {
        let seen = |inst: &&Inst| inst.op.is_effect() && !matches!(inst.op, Op::Write(_));
        self.program.block(block).iter().filter(seen)
    }
}

/// Two programs that agree as [`Pair::new`] requires, while they are matched.
struct Pair<'p> {
    a: Side<'p>,
    b: Side<'p>,
    /// The correspondence of variables: from `a` to `b`, and from `b` to `a`.
    a_to_b: HashMap<Var, Var>,
    b_to_a: HashMap<Var, Var>,
    /// Pairs of variables whose writes have not been compared yet.
    open: Vec<(Var, Var)>,
    seen: HashSet<(Value, Value)>,
}

impl<'p> Pair<'p> {
    /// Prepares a comparison; `None` if the programs differ in the number of blocks, the entry, the group, the arrays or the numbers of the outputs.
    fn new(a: &'p Program, b: &'p Program) -> Option<Pair<'p>> {
        let numbers =
            |program: &Program| program.outputs.iter().map(|(number, _)| *number).collect::<Vec<_>>();
        let is_alike = a.blocks.len() == b.blocks.len()
            && (a.entry, a.group, &a.arrays) == (b.entry, b.group, &b.arrays)
            && numbers(a) == numbers(b);
        is_alike.then(|| Pair {
            a: Side::new(a),
            b: Side::new(b),
            a_to_b: HashMap::new(),
            b_to_a: HashMap::new(),
            open: Vec::new(),
            seen: HashSet::new(),
        })
    }

    fn matches(&mut self) -> bool {
        let (a, b) = (self.a.program, self.b.program);
        let outputs = a.outputs.iter().zip(&b.outputs);
        for ((_, a), (_, b)) in outputs {
            if !self.bind(*a, *b) {
                return false;
            }
        }
        for number in 0..a.blocks.len() {
            if !self.same_block(
                BlockId(number as u32),
                &a.blocks[number].terminator,
                &b.blocks[number].terminator,
            ) {
                return false;
            }
        }
        while let Some((a, b)) = self.open.pop() {
            for number in 0..self.a.program.blocks.len() as u32 {
                let writes = (self.a.writes.get(&(number, a)), self.b.writes.get(&(number, b)));
                let same = match writes {
                    (None, None) => true,
                    (Some(a), Some(b)) => self.same_value(*a, *b),
                    _ => false,
                };
                if !same {
                    return false;
                }
            }
        }
        true
    }

    fn same_block(&mut self, block: BlockId, a: &Terminator, b: &Terminator) -> bool {
        let to = |terminator: &Terminator| terminator.targets().collect::<Vec<_>>();
        if std::mem::discriminant(a) != std::mem::discriminant(b) || to(a) != to(b) {
            return false;
        }
        if let (Some(a), Some(b)) = (a.operand(), b.operand())
            && !self.same_value(a, b)
        {
            return false;
        }
        let (a, b): (Vec<&Inst>, Vec<&Inst>) =
            (self.a.effects(block).collect(), self.b.effects(block).collect());
        a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| a.op == b.op && self.same_operands(a, b))
    }

    /// Whether two variables may correspond; if so, records the pair.
    fn bind(&mut self, a: Var, b: Var) -> bool {
        let (first, second) = (self.a.program.var(a), self.b.program.var(b));
        match (self.a_to_b.get(&a), self.b_to_a.get(&b)) {
            (None, None) if (first.ty, first.init) == (second.ty, second.init) => {
                self.a_to_b.insert(a, b);
                self.b_to_a.insert(b, a);
                self.open.push((a, b));
                true
            }
            (there, back) => there == Some(&b) && back == Some(&a),
        }
    }

    fn same_operands(&mut self, a: &Inst, b: &Inst) -> bool {
        let (first, second) = (self.a.program.args(a).to_vec(), self.b.program.args(b).to_vec());
        first.len() == second.len() && first.iter().zip(&second).all(|(a, b)| self.same_value(*a, *b))
    }

    /// Whether two values are equal. Iterative, since chains of operations may be long.
    fn same_value(&mut self, a: Value, b: Value) -> bool {
        let mut waiting = vec![(a, b)];
        while let Some((a, b)) = waiting.pop() {
            if !self.seen.insert((a, b)) {
                continue;
            }
            let (Some(first), Some(second)) = (self.a.def(a), self.b.def(b)) else { return false };
            match (first.forward, second.forward) {
                (None, None) => {}
                (first, second) => {
                    waiting.push((first.unwrap_or(a), second.unwrap_or(b)));
                    continue;
                }
            }
            let (x, y) = (self.a.inst(first), self.b.inst(second));
            if first.result != second.result || !self.same_op(x.op, y.op, first.before == second.before) {
                return false;
            }
            let commutes = commutes(x.op);
            let (x, y) = (self.a.program.args(x), self.b.program.args(y));
            if x.len() != y.len() {
                return false;
            }
            let shape = |side: &Side<'_>, value: Value| side.def(value).map(|def| def.shape);
            match (x, y) {
                // If the operands match in both orders, either pairing is correct.
                ([a, b], [c, d]) if commutes && shape(&self.a, *a) != shape(&self.b, *c) => {
                    waiting.extend([(*a, *d), (*b, *c)]);
                }
                _ => waiting.extend(x.iter().copied().zip(y.iter().copied())),
            }
        }
        true
    }

    /// Whether two operations are equal; `at_once` states that equally many stores and fuel instructions precede
    /// both.
    fn same_op(&mut self, a: Op, b: Op, at_once: bool) -> bool {
        let sampler = |program: &'p Program, op: Op| -> Option<&'p SamplerDecl> {
            if let Op::Sample(sampler) = op { Some(program.sampler(sampler)) } else { None }
        };
        match (a, b) {
            (Op::Read(a), Op::Read(b)) => self.bind(a, b),
            (Op::Sample(_), Op::Sample(_)) => sampler(self.a.program, a) == sampler(self.b.program, b),
            (Op::Load(Array(a)), Op::Load(Array(b))) => a == b && at_once,
            (a, b) if a.is_quad() => a == b && at_once,
            (a, b) => a == b,
        }
    }
}
