//! Metamorphic testing: generates equivalent variants of a program, so that a subject can be compared with itself.
//!
//! A change is accepted only if the lowered programs of original and variant are the [`same`](same::same) after rewriting. The proofs (step
//! simulation, whole programs, rules) show that a lowered program is equivalent to its source and that rewriting preserves its meaning. So two
//! programs with the same rewritten lowering are equivalent for all inputs. So no kind of change needs a proof of its own.

mod same;
mod text;

pub use same::same;

use crate::case::{Case, EntryRef, Resolved};
use lockstep_core::host::Environment;
use lockstep_core::ir::{self, rewrite::rewrite};
use lockstep_core::isa::d3d9;
use lockstep_core::isa::d3d9::opcode::Opcode;
use lockstep_core::isa::lowering::Mode;
use lockstep_core::isa::pica200::Pica200;
use lockstep_core::isa::pica200::program::{DESCRIPTORS, DescriptorRow, Instruction};
use lockstep_core::isa::{Edit, Entry, Format, Isa, IsaId, Legality, Lowering, lower};
use lockstep_core::with_isa;
use std::any::Any;
use text::{registers, renamed, split};

/// The maximum number of instructions inserted into a program.
const MAX_INSERTED: usize = 3;
/// The maximum number of changes of one kind tried on a program.
const MAX_CHANGES: usize = 400;

/// The kind of change that makes a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Exchanges temporary registers.
    Renamed,
    /// Exchanges instructions that do not depend on each other.
    Reordered,
    /// Inserts instructions whose results are not read.
    Dead,
    /// Splits instructions that write several components into two each.
    Split,
    /// PICA200: gives each instruction its own copy of its operand descriptor.
    Descriptors,
    /// Moves the constants that the program defines to the case's environment.
    Constants,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 6] =
        [Kind::Renamed, Kind::Reordered, Kind::Dead, Kind::Split, Kind::Descriptors, Kind::Constants];

    /// Returns the name used in signatures.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Renamed => "renamed",
            Kind::Reordered => "reordered",
            Kind::Dead => "dead",
            Kind::Split => "split",
            Kind::Descriptors => "descriptors",
            Kind::Constants => "constants",
        }
    }

    /// Describes the change in a phrase.
    pub fn meaning(self) -> &'static str {
        match self {
            Kind::Renamed => "with temporary registers renamed",
            Kind::Reordered => "with independent instructions in another order",
            Kind::Dead => "with instructions whose results are not read",
            Kind::Split => "with instructions for several components split in two",
            Kind::Descriptors => "with operand descriptors duplicated",
            Kind::Constants => "with the constants that the program defines given as uniforms",
        }
    }
}

/// Returns variants of the case, whose programs are equivalent to its own: one for each kind of change that applies.
pub fn variants(case: &Case) -> Vec<(Kind, Case)> {
    with_isa!(case.isa, I => {
        let Some(original) = Original::<I>::new(case) else { return Vec::new() };
        Kind::ALL.into_iter().filter_map(|kind| Some((kind, original.variant(kind)?))).collect()
    })
}

/// The original program with its rewritten lowering.
struct Original<'c, I: Format> {
    case: &'c Case,
    resolved: Resolved<I>,
    lowered: ir::Program,
}

impl<'c, I: Isa> Original<'c, I> {
    fn new(case: &'c Case) -> Option<Self> {
        let resolved = case.resolve::<I>().ok().filter(Resolved::is_legal)?;
        let lowered = lowered(&resolved)?;
        Some(Original { case, resolved, lowered })
    }

    /// Returns the case with another program, at the same entry.
    fn with_program(&self, program: &I::Program) -> Case {
        self.case.with_program::<I>(program)
    }

    /// Whether a program is legal and shown to be equivalent to the original: see [`Original::is_same_case`].
    fn is_same(&self, program: &I::Program) -> bool {
        self.is_same_case(&self.with_program(program))
    }

    /// Whether the program of a case is legal and has the stage, version, interface and rewritten lowering of the original.
    fn is_same_case(&self, case: &Case) -> bool {
        let Ok(resolved) = case.resolve::<I>() else { return false };
        let (a, b) = (&self.resolved.entry, &resolved.entry);
        let is_alike = (a.stage, a.version, &a.interface) == (b.stage, b.version, &b.interface);
        is_alike && resolved.is_legal() && lowered(&resolved).is_some_and(|b| same(&self.lowered, &b))
    }

    /// Returns the variant of one kind, with all changes that preserve equivalence, up to the limits above; `None` if there is none.
    fn variant(&self, kind: Kind) -> Option<Case> {
        let program = match kind {
            Kind::Renamed => self.with_text_changes(renamed_all::<I>),
            Kind::Split => self.with_text_changes(split),
            Kind::Reordered => self.reordered(),
            Kind::Dead => self.with_dead_code(),
            Kind::Descriptors => self.with_descriptors(),
            Kind::Constants => return self.with_moved_constants(),
        };
        Some(self.with_program(&program?))
    }

    /// Moves the constants that the program defines to the case's environment and removes their definitions.
    fn with_moved_constants(&self) -> Option<Case> {
        let (program, entry) = (&self.resolved.program, &self.resolved.entry);
        let defines = |program: &I::Program, entry: &Entry| {
            let mut env = Environment::default();
            I::preset(program, entry, &mut env);
            env != Environment::default()
        };
        if !defines(program, entry) {
            return None;
        }
        let moved = without_definitions::<I>(program).or_else(|| I::strip(program, entry))?;
        let mut case = self.with_program(&moved);
        I::preset(program, entry, &mut case.env);
        if let EntryRef::Own(number) = &mut case.entry {
            *number = (*number).min(u16::try_from(I::entry_count(&moved).saturating_sub(1)).unwrap_or(0));
        }
        let resolved = case.resolve::<I>().ok()?;
        (!defines(&moved, &resolved.entry) && self.is_same_case(&case)).then_some(case)
    }

    /// Applies changes one after the other and keeps those that preserve equivalence; `None` if none does.
    fn all_of(
        &self,
        changes: impl Iterator<Item = impl FnOnce(&I::Program) -> Option<I::Program>>,
    ) -> Option<I::Program> {
        let mut last = None;
        for change in changes.take(MAX_CHANGES) {
            let before = last.as_ref().unwrap_or(&self.resolved.program);
            if let Some(changed) = change(before).filter(|changed| self.is_same(changed)) {
                last = Some(changed);
            }
        }
        last
    }

    /// Applies changes of the program's text one after the other, like [`Self::all_of`].
    fn with_text_changes(
        &self,
        changes: fn(&str) -> Vec<Box<dyn Fn(&str) -> Option<String>>>,
    ) -> Option<I::Program> {
        let text = I::disassemble(&self.resolved.program);
        let changes = changes(&text);
        self.all_of(
            changes.into_iter().map(|change| {
                move |program: &I::Program| I::assemble(&change(&I::disassemble(program))?).ok()
            }),
        )
    }

    fn reordered(&self) -> Option<I::Program> {
        let words = I::instruction_count(&self.resolved.context());
        self.all_of(
            (0..words.saturating_sub(1))
                .map(|at| move |program: &I::Program| I::apply(program, &Edit::Swap { at })),
        )
    }

    fn with_dead_code(&self) -> Option<I::Program> {
        let words = I::instruction_count(&self.resolved.context());
        let mut last: Option<I::Program> = None;
        let mut inserted = 0;
        // From the last instruction to the first, so that the numbers of earlier instructions do not change.
        let places = (0..words).rev().flat_map(|at| (0..words).rev().map(move |from| (from, at)));
        let mut taken = words;
        for (from, at) in places.take(MAX_CHANGES) {
            if inserted >= MAX_INSERTED {
                break;
            }
            // At most one insertion per position.
            if at == taken {
                continue;
            }
            let before = last.as_ref().unwrap_or(&self.resolved.program);
            if let Some(changed) =
                I::apply(before, &Edit::Copy { from, at }).filter(|changed| self.is_same(changed))
            {
                last = Some(changed);
                inserted += 1;
                taken = at;
            }
        }
        last
    }

    /// Gives each PICA200 instruction its own copy of its operand descriptor, as far as there is room; `None` for other instruction sets.
    fn with_descriptors(&self) -> Option<I::Program> {
        let mut program = self.resolved.program.clone();
        let pica: &mut <Pica200 as Format>::Program = (&mut program as &mut dyn Any).downcast_mut()?;
        let mut changed = false;
        for at in 0..pica.code.len() {
            let instruction = pica.code[at];
            let Some(descriptor) = pica.descriptor(&instruction).copied() else { continue };
            let number = pica.descriptors.len();
            // An instruction with three sources has only five bits for the descriptor's number.
            let is_ternary = matches!(instruction, Instruction::Ternary(_) | Instruction::TernaryInverse(_));
            if number < if is_ternary { DESCRIPTORS.min(32) } else { DESCRIPTORS } {
                let moved = instruction.with_field("desc", number as u32);
                if moved != instruction {
                    pica.descriptors.push(DescriptorRow { descriptor, second: 0 });
                    pica.code[at] = moved;
                    changed = true;
                }
            }
        }
        (changed && self.is_same(&program)).then_some(program)
    }
}

/// Returns a Direct3D 9 program without the instructions that define constants; `None` for other instruction sets.
fn without_definitions<I: Isa>(program: &I::Program) -> Option<I::Program> {
    let mut program = program.clone();
    let d3d9: &mut d3d9::program::Program = (&mut program as &mut dyn Any).downcast_mut()?;
    d3d9.instructions.retain(|i| !matches!(i.op(), Some(Opcode::Def | Opcode::Defi | Opcode::Defb)));
    Some(program)
}

fn lowered<I: Legality + Lowering>(resolved: &Resolved<I>) -> Option<ir::Program> {
    let cx = resolved.context();
    lower(&cx, Mode::Nodes).ok().map(|program| rewrite(&program))
}

/// Returns the changes that exchange two temporary registers, by name.
fn renamed_all<I: Format>(text: &str) -> Vec<Box<dyn Fn(&str) -> Option<String>>> {
    let prefixes: &[&str] = match I::ID {
        IsaId::Agal => &["vt", "ft"],
        IsaId::D3d9 | IsaId::Pica200 => &["r"],
        IsaId::A2xx => &["R"],
        // Most intermediate values of Utgard GP are not in registers: operands name them by the unit and the word that computed them.
        IsaId::UtgardGp | IsaId::Unlisted(_) => &[],
    };
    let mut all: Vec<Box<dyn Fn(&str) -> Option<String>>> = Vec::new();
    for prefix in prefixes {
        let there = registers(text, prefix);
        let Some(most) = there.last() else { continue };
        for a in &there {
            // Includes unused registers below the highest one used, and the next one above it.
            for b in a + 1..=most + 1 {
                let (prefix, a) = (*prefix, *a);
                all.push(Box::new(move |text| renamed(text, prefix, a, b)));
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::environment_from_seed;
    use crate::engine::reference;
    use crate::generate::{Entropy, Generate, ProgramRequest, case_for_program};
    use lockstep_core::isa::Syntax;
    use lockstep_core::isa::agal::Agal;
    use lockstep_core::isa::d3d9::D3d9;

    fn case<I: Syntax>(text: &str) -> Case {
        Case::new::<I>(&I::assemble(text).unwrap(), Environment::default())
    }

    /// Returns the variants of a program text, as texts.
    fn made<I: Syntax>(text: &str) -> Vec<(Kind, String)> {
        let text_of = |case: &Case| I::disassemble(&I::decode(&case.bytes).unwrap());
        variants(&case::<I>(text)).iter().map(|(kind, case)| (*kind, text_of(case))).collect()
    }

    fn is_same<I: Isa>(a: &str, b: &str) -> bool {
        let lowered = |text: &str| lowered(&case::<I>(text).resolve::<I>().unwrap()).unwrap();
        same(&lowered(a), &lowered(b))
    }

    #[test]
    fn equality_ignores_order_and_register_names_only() {
        let vertex = |body: &str| format!("version 1 vertex\n{body}");
        let same = |a: &str, b: &str| is_same::<Agal>(&vertex(a), &vertex(b));
        let first = "mov vt0, va0\nmul vt1, va1, vc0\nadd op, vt0, vt1\n";
        assert!(same(first, "mul vt1, va1, vc0\nmov vt0, va0\nadd op, vt0, vt1\n"));
        assert!(same(first, "mov vt5, va0\nmul vt3, va1, vc0\nadd op, vt5, vt3\n"));
        assert!(same(first, "mov vt1, va1\nmov vt0, va0\nmul vt1, va1, vc0\nadd op, vt0, vt1\n"));
        assert!(same(first, "mov vt0.x, va0\nmov vt0.yzw, va0\nmul vt1, va1, vc0\nadd op, vt0, vt1\n"));
        for other in [
            "mov vt0, va1\nmul vt1, va1, vc0\nadd op, vt1, vt0\n",
            "mov vt0, va0\nmax vt1, va1, vc0\nadd op, vt0, vt1\n",
            "mov vt0, va0\nmul vt1, va0, vc0\nadd op, vt0, vt1\n",
            "mov vt0, va0\nmul vt1, va1, vc1\nadd op, vt0, vt1\n",
            "mov vt0, va0\nmul vt1, va1, vc0\nsub op, vt0, vt1\n",
            "mov vt0, va0\nmul vt1, va1, vc0\nadd op, vt0, vt1.y\n",
            "mov vt0, va0\nmul vt1, va1, vc0\nadd op, vt0, vt1\nmov v0, vt0\n",
        ] {
            assert!(!same(first, other), "{other}");
        }
        assert!(!same("slt op, va0, va1\n", "slt op, va2, va1\n"));
    }

    #[test]
    fn kills_and_conditions_keep_their_order() {
        let fragment = |body: &str| format!("version 2 fragment\n{body}");
        let same = |a: &str, b: &str| is_same::<Agal>(&fragment(a), &fragment(b));
        let first = "kil v0.x\nifl v1.x, v2.x\nmov ft0, v0\nels\nmov ft0, v1\neif\nmov oc, ft0\n";
        assert!(same(first, &first.replace("ft0", "ft3")));
        for (from, to) in [
            ("v0.x", "v0.y"),
            ("v1.x, v2.x", "v2.x, v1.x"),
            ("ft0, v0\nels", "ft0, v1\nels"),
            ("ifl", "ine"),
            ("els\nmov ft0, v1", "els\nmov ft1, v1"),
        ] {
            assert!(!same(first, &first.replace(from, to)), "{from}");
        }
    }

    #[test]
    fn each_kind_is_made_where_it_applies() {
        let text = "version 1 vertex\nmov vt0, va0\nmul vt1, va1, vc0\nadd op, vt0, vt1\n";
        let all = made::<Agal>(text);
        let kinds: Vec<Kind> = all.iter().map(|(kind, _)| *kind).collect();
        assert_eq!(kinds, [Kind::Renamed, Kind::Reordered, Kind::Dead, Kind::Split]);
        for (kind, made) in &all {
            assert!(made != text && is_same::<Agal>(text, made), "{kind:?}: {made}");
        }
        let lines = |kind: Kind| all.iter().find(|(of, _)| *of == kind).map(|(_, text)| text.lines().count());
        assert_eq!(lines(Kind::Renamed), Some(4));
        assert_eq!(lines(Kind::Reordered), Some(4));
        assert!(lines(Kind::Dead) > Some(4) && lines(Kind::Split) == Some(7), "{all:?}");
        // This program has no temporary to rename.
        assert!(made::<D3d9>("ps_2_0\nmov oC0, c0\n").iter().all(|(kind, _)| *kind != Kind::Renamed));
        let d3d9 =
            made::<D3d9>("vs_3_0\ndcl_position0 v0\ndcl_position0 o0\ndef c1, 1, 2, 3, 4\nadd o0, v0, c1\n");
        let without = "vs_3_0\ndcl_position0 v0\ndcl_position0 o0\nadd o0, v0, c1\n";
        assert!(d3d9.contains(&(Kind::Constants, without.to_owned())), "{d3d9:?}");
        let pica = made::<Pica200>(".raw vertex, outputs=0x1, entry=0x0\nmov r0, v0\nmov o0, r0\nend\n");
        assert!(pica.iter().any(|(kind, _)| *kind == Kind::Descriptors), "{pica:?}");
    }

    /// Checks that generated programs and their variants have equal outcomes; returns the number of variants by kind.
    fn check_variants<I: Generate>() -> [u32; 6] {
        let mut counts = [0; 6];
        for seed in 0..40 {
            let mut e = Entropy::seeded(seed);
            let request = ProgramRequest { size: Some(6), ..ProgramRequest::default() };
            let program = I::program(&mut e, &request);
            let case = case_for_program::<I>(&mut e, &program);
            let case_of_original = case.clone();
            for (kind, other) in variants(&case) {
                counts[Kind::ALL.iter().position(|one| *one == kind).unwrap()] += 1;
                for seed in 0..3 {
                    let ran = |case: &Case| {
                        let resolved = case.resolve::<I>().unwrap();
                        let mut env = if seed == 0 {
                            resolved.env.clone()
                        } else {
                            environment_from_seed(&resolved.context(), seed)
                        };
                        // The environment gets the values of the moved constants.
                        let defining = case_of_original.resolve::<I>().unwrap();
                        I::preset(&defining.program, &defining.entry, &mut env);
                        let outcome = reference(&resolved.context(), &env);
                        (resolved.entry.clone(), outcome)
                    };
                    let ((entry, a), (_, b)) = (ran(&case), ran(&other));
                    let compared = crate::engine::compare(&entry, &a, &b);
                    assert!(compared.is_ok(), "{} {kind:?}: {compared:?}", I::ID);
                }
            }
        }
        counts
    }

    #[test]
    fn moved_constants_are_in_the_environment() {
        let text = "vs_2_0\ndcl_position v0\ndefi i0, 3, 0, 0, 0\ndef c2, 1, 2, 3, 4\nrep i0\nadd oPos, v0, c2\nendrep\n";
        let all = variants(&case::<D3d9>(text));
        let (_, moved) =
            all.iter().find(|(kind, _)| *kind == Kind::Constants).expect("constants are defined");
        assert_eq!((moved.env.constants[2], moved.env.ints[0]), ([1.0, 2.0, 3.0, 4.0], [3, 0, 0, 0]));
        // A program that defines another value has another variant: the value is taken from the program.
        let other = case::<D3d9>(&text.replace("4\nrep", "5\nrep"));
        assert_ne!(variants(&other).iter().find(|(kind, _)| *kind == Kind::Constants).unwrap().1, *moved);
        assert!(
            variants(&case::<D3d9>("vs_2_0\ndcl_position v0\nmov oPos, v0\n"))
                .iter()
                .all(|(kind, _)| *kind != Kind::Constants)
        );
    }

    #[test]
    fn variants_of_generated_programs_have_equal_outcomes() {
        for isa in IsaId::ALL {
            let counts = with_isa!(*isa, I => check_variants::<I>());
            println!("{isa}: {counts:?}");
            // Each instruction set has variants of the kinds `Reordered` and `Dead`.
            assert!(counts.iter().sum::<u32>() >= 20, "{isa}: {counts:?}");
            assert!(counts[1] > 0 && counts[2] > 0, "{isa}: {counts:?}");
        }
    }

    /// A variant has the stage, version, inputs and outputs of its original, since the subject runs it with the original's inputs.
    #[test]
    fn a_program_with_another_interface_is_no_variant() {
        let text = "vs_2_0\ndcl_position v0\nmov oPos, v0\n";
        let original = case::<D3d9>(text);
        let original = Original::<D3d9>::new(&original).unwrap();
        assert!(original.is_same(&D3d9::assemble(text).unwrap()));
        assert!(original.is_same(&D3d9::assemble(&format!("{text}nop\n")).unwrap()));
        let mut unread = 0;
        for other in [
            // The result of a read of a constant or an input is not used, so both programs have the same lowering.
            "vs_2_0\ndcl_position v0\nmov r0, c5\nmov oPos, v0\n",
            "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov r0, v1\nmov oPos, v0\n",
            "vs_2_0\ndcl_position v1\nmov oPos, v1\n",
            "vs_2_0\ndcl_position v0\nmov oPos, v0\nmov oT0, v0\n",
            "vs_3_0\ndcl_position v0\ndcl_position o0\nmov o0, v0\n",
        ] {
            let resolved = case::<D3d9>(other).resolve::<D3d9>().unwrap();
            let (a, b) = (&original.resolved.entry, &resolved.entry);
            assert_ne!((a.version, &a.interface), (b.version, &b.interface), "{other}");
            assert!(!original.is_same(&resolved.program), "{other}");
            unread += u32::from(lowered(&resolved).is_some_and(|b| same(&original.lowered, &b)));
        }
        assert!(unread > 0, "no program differs from the original only in its interface");
    }
}
