//! The forward pass: applies rules, folds constants and merges common subexpressions.

use super::set::RuleSet;
use super::term::Term;
use super::uses::Uses;
use super::value_table::{ValueTable, hash};
use super::{Rule, Stats};
use crate::ir::eval::{Scalar, arithmetic};
use crate::ir::op::{Op, Ty, Var};
use crate::ir::program::{Block, Inst, Program, Terminator, Value};
use crate::value::{Concrete, canonical_bits};
use smallvec::SmallVec;

/// The maximum number of nested rule applications, where a rule is applied to the right side of another. With the listed rules, the depth
/// stays far below this limit, because each rule makes its term cheaper. A set with wrong rules might not terminate without the limit.
const MAX_DEPTH: u32 = 16;

const NONE: Value = Value(u32::MAX);

type Bindings = [Value; 3];
type Args = SmallVec<[Value; 10]>;

/// The rewritten program before dead code is removed, the instruction that defines each value, and for each instruction those that define its
/// operands.
pub(super) struct Forward {
    pub(super) program: Program,
    pub(super) definition: Vec<u32>,
    pub(super) uses: Uses,
}

/// Runs the pass over all blocks.
pub(super) fn run(program: &Program, rules: &RuleSet, stats: &mut Stats) -> Forward {
    let mut pass = Pass::new(program, rules, stats);
    for block in &program.blocks {
        pass.block(program, block);
    }
    Forward { program: pass.out, definition: pass.definition, uses: pass.uses }
}

struct Pass<'a> {
    rules: &'a RuleSet,
    stats: &'a mut Stats,
    out: Program,
    /// The instruction that defines each new value.
    definition: Vec<u32>,
    /// For each new instruction, those that define its operands.
    uses: Uses,
    /// The result of [`Pass::salt`] for each new instruction.
    salts: Vec<u32>,
    /// The new value for each old value.
    renamed: Vec<Value>,
    seen: ValueTable,
    /// For each variable, one more than the number of the block in which it was last read or written, and its value there.
    known: Vec<(u32, Value)>,
    /// The number of stores to each array so far.
    store_counts: Vec<u32>,
    /// The number of fuel instructions so far.
    fuel_count: u32,
}

impl<'a> Pass<'a> {
    fn new(program: &Program, rules: &'a RuleSet, stats: &'a mut Stats) -> Pass<'a> {
        let insts = program.insts.len();
        let out = Program {
            vars: program.vars.clone(),
            arrays: program.arrays.clone(),
            samplers: program.samplers.clone(),
            outputs: program.outputs.clone(),
            entry: program.entry,
            group: program.group,
            insts: Vec::with_capacity(insts),
            pool: Vec::with_capacity(program.pool.len()),
            blocks: Vec::with_capacity(program.blocks.len()),
            values: 0,
        };
        Pass {
            rules,
            stats,
            out,
            definition: Vec::with_capacity(program.values as usize),
            uses: Uses::with_capacity(insts, program.pool.len()),
            salts: Vec::with_capacity(insts),
            renamed: vec![NONE; program.values as usize],
            seen: ValueTable::new(),
            known: vec![(0, NONE); program.vars.len()],
            store_counts: vec![0; program.arrays.len()],
            fuel_count: 0,
        }
    }

    fn block(&mut self, program: &Program, block: &Block) {
        let start = self.out.insts.len() as u32;
        self.seen.begin(start);
        let number = self.out.blocks.len() as u32 + 1;
        for inst in &program.insts[block.insts.start as usize..block.insts.end as usize] {
            let args: Args = program.args(inst).iter().map(|a| self.renamed[a.0 as usize]).collect();
            let result = match inst.op {
                Op::Read(var) => self.read(var, number),
                Op::Write(var) => {
                    self.known[var.0 as usize] = (number, args[0]);
                    self.push(inst.op, &args, 0)
                }
                op => {
                    match op {
                        Op::Store(array) => self.store_counts[array.0 as usize] += 1,
                        Op::Fuel(_) => self.fuel_count += 1,
                        _ => {}
                    }
                    if op.is_effect() { self.push(op, &args, 0) } else { self.get_or_emit(op, &args, 0) }
                }
            };
            let (_, count) = program.results(inst);
            for k in 0..u32::from(count) {
                self.renamed[(inst.result.0 + k) as usize] = Value(result.0 + k);
            }
        }
        let renamed = |v: &Value| self.renamed[v.0 as usize];
        let terminator = match &block.terminator {
            Terminator::Branch(v, yes, no) => Terminator::Branch(renamed(v), *yes, *no),
            Terminator::Switch(v, targets) => Terminator::Switch(renamed(v), targets.clone()),
            other => other.clone(),
        };
        let end = self.out.insts.len() as u32;
        self.out.blocks.push(Block { insts: start..end, terminator, origin: block.origin });
    }

    /// Returns the value of a variable: the value last read or written in this block, otherwise the result of a new read.
    fn read(&mut self, var: Var, block: u32) -> Value {
        let (when, value) = self.known[var.0 as usize];
        if when == block {
            self.stats.merged += 1;
            return value;
        }
        let value = self.push(Op::Read(var), &[], 0);
        self.known[var.0 as usize] = (block, value);
        value
    }

    /// Returns a number that distinguishes instructions with the same operation and operands that may have different results. A load differs after a
    /// store to the array. A derivative differs after a fuel instruction, because lanes may have ended there.
    fn salt(&self, op: Op) -> u32 {
        match op {
            Op::Load(array) => self.store_counts[array.0 as usize],
            op if op.is_quad() => self.fuel_count,
            _ => 0,
        }
    }

    fn push(&mut self, op: Op, args: &[Value], salt: u32) -> Value {
        let result = Value(self.out.values);
        let number = self.out.insts.len() as u32;
        let count = match op {
            Op::Read(_) => 1,
            op => op.results().map_or(0, |r| u32::from(r.1)),
        };
        self.out.values += count;
        for _ in 0..count {
            self.definition.push(number);
        }
        self.uses.push(op, args.iter().map(|arg| self.definition[arg.0 as usize]));
        let start = self.out.pool.len() as u32;
        self.out.pool.extend_from_slice(args);
        self.out.insts.push(Inst { op, args: start, arity: args.len() as u8, result });
        self.salts.push(salt);
        result
    }

    #[inline]
    fn definition(&self, value: Value) -> &Inst {
        &self.out.insts[self.definition[value.0 as usize] as usize]
    }

    /// Returns the literal that defines the value; `None` if another operation defines it.
    #[inline]
    fn literal(&self, value: Value) -> Option<Scalar<Concrete>> {
        match self.definition(value).op {
            Op::F32(bits) => Some(Scalar::literal(&Concrete, Ty::F32, bits)),
            Op::I32(v) => Some(Scalar::I(v)),
            Op::Bool(v) => Some(Scalar::B(v)),
            _ => None,
        }
    }

    /// Returns the value of an operation without effects. It is a value computed earlier, a literal, the result of a rule, or the result of a new
    /// instruction.
    fn get_or_emit(&mut self, op: Op, args: &[Value], depth: u32) -> Value {
        let salt = self.salt(op);
        let hash = hash(op, args, salt);
        let found = self.seen.find(hash, |number| {
            let inst = &self.out.insts[number as usize];
            inst.op == op && self.salts[number as usize] == salt && self.out.args(inst) == args
        });
        if let Some(number) = found {
            self.stats.merged += 1;
            return self.out.insts[number as usize].result;
        }
        if let Some(value) = self.fold(op, args) {
            return value;
        }
        if depth < MAX_DEPTH
            && let Some(value) = self.apply(op, args, depth)
        {
            return value;
        }
        self.seen.insert(hash, self.out.insts.len() as u32);
        self.push(op, args, salt)
    }

    /// Returns the result of an operation as a literal, if all operands are literals.
    fn fold(&mut self, op: Op, args: &[Value]) -> Option<Value> {
        let first = self.literal(*args.first()?)?;
        let mut literals: SmallVec<[Scalar<Concrete>; 3]> = SmallVec::new();
        literals.push(first);
        for arg in &args[1..] {
            literals.push(self.literal(*arg)?);
        }
        let op = match arithmetic(&Concrete, op, |k| &literals[k])? {
            Scalar::F(v) => Op::F32(canonical_bits(v)),
            Scalar::I(v) => Op::I32(v),
            Scalar::B(v) => Op::Bool(v),
        };
        self.stats.folded += 1;
        Some(self.get_or_emit(op, &[], MAX_DEPTH))
    }

    /// Applies the first rule that matches, and returns the value of its right side.
    fn apply(&mut self, op: Op, args: &[Value], depth: u32) -> Option<Value> {
        let rules = self.rules;
        for &number in rules.candidates(op) {
            let rule = &rules.rules()[usize::from(number)];
            let mut bindings = [NONE; 3];
            let Term::Op(root, patterns) = &rule.lhs else { continue };
            if *root == op && self.match_all(patterns, args, &mut bindings) && self.applies(rule, &bindings) {
                self.stats.fired[usize::from(number)] += 1;
                return Some(self.build(&rule.rhs, &bindings, depth + 1));
            }
        }
        None
    }

    fn match_all(&self, patterns: &[Term], args: &[Value], bindings: &mut Bindings) -> bool {
        patterns.len() == args.len() && patterns.iter().zip(args).all(|(p, a)| self.matches(p, *a, bindings))
    }

    fn matches(&self, pattern: &Term, value: Value, bindings: &mut Bindings) -> bool {
        match pattern {
            Term::Operand(k) => match bindings.get_mut(usize::from(*k)) {
                Some(slot) if *slot == NONE => {
                    *slot = value;
                    true
                }
                Some(slot) => *slot == value,
                None => false,
            },
            Term::Op(op, patterns) => {
                let inst = self.definition(value);
                inst.op == *op && self.match_all(patterns, self.out.args(inst), bindings)
            }
        }
    }

    /// Whether a rule whose left side matches may be applied: its requirements on literals, its guard and its order hold.
    fn applies(&self, rule: &Rule, bindings: &Bindings) -> bool {
        if rule.ordering {
            let rank = |v: Value| (self.literal(v).is_some(), v);
            return rank(bindings[0]) > rank(bindings[1]);
        }
        if !rule.operands.iter().zip(bindings).all(|(o, v)| !o.literal || self.literal(*v).is_some()) {
            return false;
        }
        if rule.guard.term.is_none() {
            return true;
        }
        let values: SmallVec<[Scalar<Concrete>; 3]> = bindings
            .iter()
            .map(|v| if *v == NONE { None } else { self.literal(*v) }.unwrap_or(Scalar::B(false)))
            .collect();
        rule.guard.eval(&Concrete, &values)
    }

    fn build(&mut self, term: &Term, bindings: &Bindings, depth: u32) -> Value {
        match term {
            Term::Operand(k) => bindings[usize::from(*k)],
            Term::Op(op, args) => {
                let args: Args = args.iter().map(|a| self.build(a, bindings, depth)).collect();
                self.get_or_emit(*op, &args, depth)
            }
        }
    }
}
