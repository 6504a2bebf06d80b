//! Replaces reads of a result by reads of an operand of the slot that computes it, for minimisation.

use super::super::opcode::{FetchOp, ScalarOp, ScalarShape, VectorOp};
use super::super::program::{Alu, Program, R0, Slot, Source, Texture, Vertex};
use super::redirect::slot;
use crate::isa::edit::distinct_changes;

/// Returns the programs in which slot `to` reads an operand of slot `from` instead of the register that `from` writes, and keeps its own swizzles,
/// signs and absolute values. The result of one half of an ALU slot is replaced by operands of this half. Empty if the two are not slots of one
/// shader, if `from` writes no register or a relative one, if `to` cannot encode the operand, or if nothing would change.
pub fn forwarded(program: &Program, from: u32, to: u32) -> Vec<Program> {
    let (Some((shader, _, writer)), Some((k, at, reader))) = (slot(program, from), slot(program, to)) else {
        return Vec::new();
    };
    if shader != k {
        return Vec::new();
    }
    let addr_a0 = if let Slot::Alu(alu) = writer { alu.addr_a0 } else { 0 };
    let readers = results(writer).into_iter().flat_map(|(written, sources)| {
        sources.into_iter().filter_map(move |source| reading(reader, written, &source, addr_a0))
    });
    let edited = |reader| {
        let mut edited = program.clone();
        edited.shaders[k].slots[at] = reader;
        edited
    };
    distinct_changes(reader, readers).into_iter().map(edited).collect()
}

/// Returns the numbers of the registers that a slot writes, except relative ones, each with the sources of its value.
fn results(slot: &Slot) -> Vec<(u8, Vec<Source>)> {
    let fetched = |dst: u8, src: u8, src_rel: u8| {
        vec![(dst, vec![Source { number: src, relative: src_rel != 0, ..R0 }])]
    };
    match slot {
        Slot::Alu(alu) if alu.export == 0 => {
            let vector = (alu.vmask != 0 && alu.vdest_rel == 0).then(|| (alu.vdest, vector_sources(alu)));
            let scalar = (alu.smask != 0 && alu.sdest_rel == 0).then(|| (alu.sdest, scalar_sources(alu)));
            vector.into_iter().chain(scalar).collect()
        }
        Slot::Vertex(v) if v.dst_rel == 0 => fetched(v.dst, v.src, v.src_rel),
        Slot::Texture(t) if t.dst_rel == 0 && !t.op().is_some_and(FetchOp::sets_state) => {
            fetched(t.dst, t.src, t.src_rel)
        }
        _ => Vec::new(),
    }
}

fn vector_sources(alu: &Alu) -> Vec<Source> {
    let count = alu.vector().map_or(0, VectorOp::sources);
    (1..=3).take(count).map(|n| alu.source(n)).collect()
}

fn scalar_sources(alu: &Alu) -> Vec<Source> {
    match alu.scalar().map(ScalarOp::shape) {
        None | Some(ScalarShape::None) => Vec::new(),
        Some(ScalarShape::Constant) => {
            let (constant, register) = alu.constant_operands();
            vec![constant, register]
        }
        Some(_) => vec![alu.source(3)],
    }
}

/// Returns a slot whose direct reads of the register `written` are replaced by reads of the register or constant of `source`. A relative constant is
/// relative to a0 if `addr_a0` is 1. `None` if the slot does not read the register or cannot encode the operand.
fn reading(reader: &Slot, written: u8, source: &Source, addr_a0: u8) -> Option<Slot> {
    let (src, src_rel) = (source.number, source.relative.into());
    match reader {
        Slot::Alu(alu) => alu_reading(alu, written, source, addr_a0).map(Slot::Alu),
        Slot::Vertex(v) if source.register && (v.src, v.src_rel) == (written, 0) => {
            Some(Slot::Vertex(Vertex { src, src_rel, ..*v }))
        }
        Slot::Texture(t) if source.register && (t.src, t.src_rel) == (written, 0) => {
            Some(Slot::Texture(Texture { src, src_rel, ..*t }))
        }
        _ => None,
    }
}

/// Returns an ALU slot with replaced reads, as [`reading`] does. The constants of a slot share bits, so a constant may not fit beside those that the
/// slot reads already. `None`, too, for a scalar operation that reads a constant and a register, which are encoded in other fields.
fn alu_reading(reader: &Alu, written: u8, source: &Source, addr_a0: u8) -> Option<Alu> {
    if reader.scalar().is_some_and(|op| op.shape() == ScalarShape::Constant) {
        return None;
    }
    let replaced = |own: Source| {
        if !own.register || own.relative || own.number != written {
            return own;
        }
        Source { number: source.number, register: source.register, relative: source.relative, ..own }
    };
    let before = sources_read(reader);
    let wanted = before.map(|own| own.map(replaced));
    if wanted == before {
        return None;
    }
    let mut changed = *reader;
    for (n, own) in (1..).zip(&wanted) {
        if let Some(own) = own {
            changed.set_source(n, own);
        }
    }
    set_constant_flags(&mut changed, &wanted);
    let is_relative = |source: &Source| !source.register && source.relative;
    if is_relative(source) {
        changed.addr_a0 = addr_a0;
    }
    let keeps_address = changed.addr_a0 == reader.addr_a0 || !before.iter().flatten().any(is_relative);
    (keeps_address && sources_read(&changed) == wanted).then_some(changed)
}

/// Returns sources 1, 2 and 3 of a slot, as far as one of its halves reads them. A scalar half that is there only because each slot has one reads
/// none.
fn sources_read(alu: &Alu) -> [Option<Source>; 3] {
    let count = alu.vector().map_or(0, VectorOp::sources);
    let is_scalar_operand =
        alu.scalar().is_some_and(|op| op.shape() != ScalarShape::None && (alu.smask != 0 || !op.is_filler()));
    [1, 2, 3].map(|n: u8| (usize::from(n) <= count || n == 3 && is_scalar_operand).then(|| alu.source(n)))
}

/// Sets the bits of a slot that its constants share. `sources` are those that the slot reads, in their order.
fn set_constant_flags(alu: &mut Alu, sources: &[Option<Source>; 3]) {
    let is_constant = [alu.sel1, alu.sel2, alu.sel3].map(|sel| sel == 0);
    let constants = is_constant.into_iter().zip(sources).filter(|(is_constant, _)| *is_constant);
    let mut relative = constants.map(|(_, source)| source.is_some_and(|source| source.relative));
    if let Some(first) = relative.next() {
        alu.const0_rel = first.into();
        alu.const1_rel = relative.any(|other| other).into();
    }
    if let Some(constant) = sources.iter().flatten().find(|source| !source.register) {
        alu.abs_const = constant.absolute.into();
    }
}

#[cfg(test)]
mod tests {
    use crate::isa::a2xx::A2xx;
    use crate::isa::a2xx::program::Program;
    use crate::isa::{Edits, Syntax};

    /// Reads a fragment shader of two clauses, then three slots: the two given ones and an export of R3.
    fn read([first, second]: [&str; 2]) -> Program {
        let text = format!(
            ".a2xx fragment\nEXEC ADDR(0x1) CNT(0x3)\n  {first}\n  {second}\n  ALU: MAXv export0 = R3, R3\nEXEC_END ADDR(0x0) CNT(0x0)\n"
        );
        A2xx::assemble(&text).unwrap()
    }

    const FIRST: &str = "ALU: ADDv R1.xy__ = R0, C[aL+3]\n       ADDs R2.z = R4.x";

    /// Checks the programs in which the second slot reads operands of the first.
    #[track_caller]
    fn check(first: &str, second: &str, forwarded: &[&str]) {
        let expected: Vec<Program> = forwarded.iter().map(|second| read([first, second])).collect();
        assert_eq!(A2xx::forwarded(&read([first, second]), 2, 3), expected, "{second}");
    }

    #[test]
    fn a_read_of_a_result_becomes_a_read_of_its_operand() {
        check(
            FIRST,
            "ALU: MULv R3 = R1.yxwz, -R1",
            &["ALU: MULv R3 = R0.yxwz, -R0", "ALU: MULv R3 = C[aL+3].yxwz, -C[aL+3]"],
        );
        // The scalar half has its own result and operand.
        check(FIRST, "ALU: MULv R3 = R2, R5", &["ALU: MULv R3 = R4, R5"]);
        // A clause, the other register, or no such slot.
        let program = read([FIRST, "ALU: MULv R3 = R5, R5"]);
        for (from, to) in [(0, 3), (2, 0), (2, 3), (2, 4), (3, 2), (4, 3), (2, 5), (5, 2)] {
            assert!(A2xx::forwarded(&program, from, to).is_empty(), "{from} {to}");
        }
    }

    #[test]
    fn a_forwarded_constant_leaves_other_constants_as_they_are() {
        let both = ["ALU: MULv R3 = R0, C2", "ALU: MULv R3 = C[aL+3], C2"];
        check(FIRST, "ALU: MULv R3 = R1, C2", &both);
        // A slot has one address register for its constants.
        check(FIRST, "ALU: MULv R3 = R1, C[a0+2]", &["ALU: MULv R3 = R0, C[a0+2]"]);
        // All constants have absolute values or none.
        check(FIRST, "ALU: MULv R3 = |R1|, C2", &["ALU: MULv R3 = |R0|, C2"]);
    }

    #[test]
    fn fetches_read_and_write_registers() {
        let fetch = |coordinates: &str| {
            format!("FETCH: SAMPLE R3.xyzw = {coordinates}.xyz CONST(0) LOCATION(CENTER)")
        };
        check(FIRST, &fetch("R1"), &[fetch("R0").as_str()]);
        let first = "FETCH: SAMPLE R1.xyzw = R0.xyz CONST(0) LOCATION(CENTER)";
        check(first, "ALU: MULv R3 = R1, R5", &["ALU: MULv R3 = R0, R5"]);
    }
}
