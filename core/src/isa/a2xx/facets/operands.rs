//! Facets of the sources of ALU slots.
//!
//! The constants of a slot share bits: the absolute value applies to all or none, all relative constants use the same address register, and all
//! constants except the first are relative together. A setter fails if it would change another operand. If both halves read source 3, it is an
//! operand of both.

use super::draft::Draft;
use super::site::{SCALAR, VECTOR, half};
use crate::binary::exact;
use crate::isa::a2xx::opcode::{ScalarOp, ScalarShape, VectorOp};
use crate::isa::a2xx::program::{Alu, Program, Source, component, swizzle};
use crate::isa::a2xx::word::Bank;
use crate::isa::facet::choice::{Choice, field_value, names, value};
use crate::isa::facet::{Combination, Facet, Site, Sited};

/// The register file of an operand, and whether it is relative.
#[derive(Clone, Copy, PartialEq, Eq)]
struct File {
    register: bool,
    relative: bool,
    /// Whether the operand is relative to a0 rather than aL.
    a0: bool,
}

const fn file(register: bool, relative: bool, a0: bool) -> File {
    File { register, relative, a0 }
}

const FILES: [Choice<File>; 5] = [
    (Bank::Register.name(), file(true, false, false)),
    ("relative_register", file(true, true, false)),
    (Bank::Constant.name(), file(false, false, false)),
    ("constant_al", file(false, true, false)),
    ("constant_a0", file(false, true, true)),
];
/// The facet values for the identity swizzle and for a permutation.
pub(super) const IDENTITY: &str = "identity";
pub(super) const PERMUTED: &str = "permuted";
/// Swizzles, as the component that each channel reads. Any swizzle that is neither the identity nor a replicated component counts as permuted.
const SWIZZLES: [Choice<[usize; 4]>; 3] =
    [(IDENTITY, [0, 1, 2, 3]), ("replicated", [2; 4]), (PERMUTED, [1, 0, 3, 2])];
/// Whether the operand is negated, and whether its absolute value is taken first.
const SIGNS: [Choice<(bool, bool)>; 4] = [
    ("plain", (false, false)),
    ("negated", (true, false)),
    ("absolute", (false, true)),
    ("negated_absolute", (true, true)),
];
/// Numbers for sources 1, 2 and 3 in each file: registers, relative registers (whose number plus aL can exceed the last register), and
/// constants.
const REGISTERS: [u8; 3] = [2, 3, 4];
const RELATIVE: [u8; 3] = [60, 61, 62];
const CONSTANTS: [u8; 3] = [253, 3, 40];
/// The number of the constant in a scalar operation that reads a constant.
const SCALAR_CONSTANT: u8 = 17;

/// An operand of one half of an ALU slot.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Operand {
    unit: u8,
    /// Number of the source in the slot, 1 to 3.
    source_number: u8,
    source: Source,
    a0: bool,
}

/// Returns the operands of the vector half of a slot, followed by those of the scalar half.
fn operands(alu: &Alu) -> Vec<Operand> {
    let operand = |unit, source_number, source: Source| {
        let a0 = !source.register && source.relative && alu.addr_a0 != 0;
        Operand { unit, source_number, source, a0 }
    };
    let count = exact::<u8, _>(alu.vector().map_or(0, VectorOp::sources));
    let mut all: Vec<Operand> = (1..=count).map(|n| operand(VECTOR, n, alu.source(n))).collect();
    match alu.scalar().map(ScalarOp::shape) {
        None | Some(ScalarShape::None) => {}
        Some(ScalarShape::Constant) => all.push(operand(SCALAR, 3, alu.constant_operands().0)),
        Some(_) => all.push(operand(SCALAR, 3, alu.source(3))),
    }
    all
}

fn has_constant_shape(alu: &Alu) -> bool {
    alu.scalar().is_some_and(|op| op.shape() == ScalarShape::Constant)
}

/// Returns operand `n` of a half: 0 is a, 1 is b, 2 is c. The scalar half has only operand a here: its second operand is a component of the same
/// source, or always a register.
fn operand(program: &Program, site: Site, n: usize) -> Option<(&Alu, Operand)> {
    let (alu, _) = half(program, site)?;
    Some((alu, operands(alu).into_iter().filter(|operand| operand.unit == site.unit).nth(n)?))
}

/// Returns the slot with one operand replaced; `None` if another operand would change.
fn with_operand(alu: &Alu, wanted: Operand) -> Option<Alu> {
    let before = operands(alu);
    let (mut alu, Operand { unit, source_number, source, a0 }) = (*alu, wanted);
    let of_scalar = unit == SCALAR && has_constant_shape(&alu);
    if source_number == 3 && of_scalar {
        (alu.src3, alu.neg3) = (source.byte(), source.negated.into());
    } else {
        alu.set_source(source_number, &source);
    }
    if !source.register {
        alu.abs_const = source.absolute.into();
        if source.relative {
            alu.addr_a0 = a0.into();
        }
    }
    let is_constant = [alu.sel1 == 0, alu.sel2 == 0, alu.sel3 == 0 || has_constant_shape(&alu)];
    let wants = |n: u8| {
        let read = before.iter().find(|operand| operand.source_number == n).map(|operand| operand.source);
        let source = if n == source_number { Some(source) } else { read };
        source.is_some_and(|source| !source.register && source.relative)
    };
    let mut constants = (1..=3).filter(|n| is_constant[usize::from(*n) - 1]);
    alu.const0_rel = constants.next().is_some_and(wants).into();
    alu.const1_rel = constants.any(wants).into();
    let stays = |(before, now): (&Operand, &Operand)| match before {
        _ if before.source_number != source_number => before == now,
        _ if before.unit == unit => *now == wanted,
        // The other half reads the same source, so its operand changes too.
        _ => true,
    };
    before.iter().zip(&operands(&alu)).all(stays).then_some(alu)
}

/// Changes an operand of a half. `change` returns `None` if it fails.
fn change_operand(
    program: &Program,
    site: Site,
    n: usize,
    change: impl FnOnce(&mut Operand) -> Option<()>,
) -> Option<Sited<Program>> {
    let (alu, mut operand) = operand(program, site, n)?;
    change(&mut operand)?;
    let changed = with_operand(alu, operand)?;
    let mut draft = Draft::of(program, site)?;
    *draft.word()? = changed;
    if operand.source.relative && !operand.a0 {
        draft.in_loop()?;
    }
    draft.finish()
}

impl Operand {
    fn file(&self) -> File {
        File { register: self.source.register, relative: self.source.relative, a0: self.a0 }
    }

    fn sign(&self) -> (bool, bool) {
        (self.source.negated, self.source.absolute)
    }
}

fn get_file(program: &Program, site: Site, n: usize) -> Vec<&'static str> {
    operand(program, site, n).and_then(|(_, operand)| value(&FILES, operand.file())).into_iter().collect()
}

fn set_file(program: &Program, site: Site, n: usize, name: &str) -> Option<Sited<Program>> {
    let wanted = field_value(&FILES, name)?;
    let (alu, now) = operand(program, site, n)?;
    let of_scalar = site.unit == SCALAR && has_constant_shape(alu);
    if now.file() == wanted {
        return Some((program.clone(), site));
    }
    if of_scalar && wanted.register {
        return None;
    }
    change_operand(program, site, n, |operand| {
        let at = usize::from(operand.source_number) - 1;
        operand.source.number = match wanted {
            File { register: true, relative: false, .. } => REGISTERS[at],
            File { register: true, .. } => RELATIVE[at],
            _ if of_scalar => SCALAR_CONSTANT,
            _ => CONSTANTS[at],
        };
        (operand.source.register, operand.source.relative) = (wanted.register, wanted.relative);
        operand.a0 = wanted.a0;
        Some(())
    })
}

/// Returns the kind of swizzle. Only operands of the vector half have one; the scalar half reads one or two components.
fn get_swizzle(program: &Program, site: Site, n: usize) -> Vec<&'static str> {
    let Some((_, operand)) = operand(program, site, n).filter(|_| site.unit == VECTOR) else {
        return Vec::new();
    };
    let components = [0, 1, 2, 3].map(|channel| component(operand.source.swizzle, channel));
    vec![match components {
        [0, 1, 2, 3] => IDENTITY,
        [first, ..] if components == [first; 4] => "replicated",
        _ => PERMUTED,
    }]
}

fn set_swizzle(program: &Program, site: Site, n: usize, name: &str) -> Option<Sited<Program>> {
    let wanted = field_value(&SWIZZLES, name).filter(|_| site.unit == VECTOR)?;
    change_operand(program, site, n, |operand| {
        operand.source.swizzle = swizzle(wanted);
        Some(())
    })
}

fn get_sign(program: &Program, site: Site, n: usize) -> Vec<&'static str> {
    operand(program, site, n).and_then(|(_, operand)| value(&SIGNS, operand.sign())).into_iter().collect()
}

fn set_sign(program: &Program, site: Site, n: usize, name: &str) -> Option<Sited<Program>> {
    let wanted = field_value(&SIGNS, name)?;
    change_operand(program, site, n, |operand| {
        (operand.source.negated, operand.source.absolute) = wanted;
        Some(())
    })
}

macro_rules! source {
    ($n:literal $letter:literal, $file:ident $swizzle:ident $sign:ident) => {
        pub(super) const $file: Facet<Program> = Facet {
            name: concat!($letter, ".file"),
            meaning: concat!("the location of operand ", $letter),
            values: &names(&FILES),
            combination: Combination::ONE,
            get: |program, site| get_file(program, site, $n),
            set: |program, site, value| set_file(program, site, $n, value),
            disturbs: &[],
        };
        pub(super) const $swizzle: Facet<Program> = Facet {
            name: concat!($letter, ".swizzle"),
            meaning: concat!("the component of operand ", $letter, " that each channel reads"),
            values: &names(&SWIZZLES),
            combination: Combination::ONE,
            get: |program, site| get_swizzle(program, site, $n),
            set: |program, site, value| set_swizzle(program, site, $n, value),
            disturbs: &[],
        };
        pub(super) const $sign: Facet<Program> = Facet {
            name: concat!($letter, ".sign"),
            meaning: concat!("the sign of operand ", $letter),
            values: &names(&SIGNS),
            combination: Combination::ONE,
            get: |program, site| get_sign(program, site, $n),
            set: |program, site, value| set_sign(program, site, $n, value),
            disturbs: &[],
        };
    };
}

source!(0 "a", A_FILE A_SWIZZLE A_SIGN);
source!(1 "b", B_FILE B_SWIZZLE B_SIGN);
source!(2 "c", C_FILE C_SWIZZLE C_SIGN);
