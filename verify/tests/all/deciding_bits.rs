//! Determines which bits of instruction words decide the outcome of a vector's program: with the bit flipped, the outcome is different.

use lockstep::case::Case;
use lockstep::corpus::{Vector, vector_case};
use lockstep::engine::{Outcome, compare, reference_with};
use lockstep_core::binary::{Bits, Field, Layout};
use lockstep_core::isa::a2xx::opcode::ScalarShape;
use lockstep_core::isa::a2xx::program::{Alu, Clause, Slot};
use lockstep_core::isa::a2xx::word as a2xx;
use lockstep_core::isa::agal::edit::{A_FIELD, B_FIELD, DEST_FIELD};
use lockstep_core::isa::agal::program::SourceOrSampler;
use lockstep_core::isa::d3d9::edit::{
    DEST_FIELD as TO, DEST_INDEX_FIELD, PREDICATE_FIELD, SOURCE_FIELD, SOURCE_FIELDS,
};
use lockstep_core::isa::pica200::edit::{DESCRIPTOR_FIELD, WORD_FIELD};
use lockstep_core::isa::utgard_gp::word::FieldId;
use lockstep_core::isa::{Edit, Format, Isa, IsaId, a2xx::A2xx, agal, agal::Agal, d3d9, d3d9::D3d9};
use lockstep_core::isa::{pica200, pica200::Pica200, utgard_gp::UtgardGp};
use std::collections::BTreeMap;

/// One bit of a word of a program.
struct Bit {
    /// The name of the field, after that of its layout unless the instruction set has only one layout.
    field: String,
    /// The index of the bit in the field.
    place: u8,
    /// The edit that flips the bit.
    flip: Edit,
}

/// The bits of a program's words, collected by [`Words::add`].
struct Words {
    all: Vec<Bit>,
}

impl Words {
    /// Adds the bits of a word, whose fields are numbered from `first` on. `part` distinguishes words that share a layout.
    fn add<W: Bits + TryInto<u64>>(&mut self, at: usize, first: u16, layout: &Layout, part: &str, word: &W) {
        let layout_name = layout.name.split(',').next().unwrap_or_default();
        for (number, field) in (first..).zip(layout.fields) {
            if !counts(field, part) {
                continue;
            }
            let value: u64 = word.get(field).try_into().unwrap_or_default();
            for bit in 0..field.width {
                let flip = Edit::Field { at: at as u32, field: number, value: value ^ 1 << bit };
                self.all.push(Bit { field: format!("{layout_name}{part}.{}", field.name), place: bit, flip });
            }
        }
    }
}

/// Fields of an ALU slot that its vector half does not use.
const NOT_VECTOR: &[&str] = &["sdest", "sclamp", "sop"];
/// Fields of an ALU slot that its scalar half does not use.
const NOT_SCALAR: &[&str] = &[
    "vdest",
    "vdest_rel",
    "vclamp",
    "vop",
    "src1",
    "src2",
    "swz1",
    "swz2",
    "neg1",
    "neg2",
    "sel1",
    "sel2",
    "const1_rel",
];

/// Whether a field has a meaning in this part, beyond selecting the layout of the word.
fn counts(field: &Field, part: &str) -> bool {
    let other = match part {
        " vector half" => NOT_VECTOR,
        " scalar half" | " constant pair" => NOT_SCALAR,
        _ => &[],
    };
    field.kind.fixed().is_none() && field.name != "opcode" && !other.contains(&field.name)
}

fn clause_layout(clause: &Clause) -> &'static Layout {
    match clause {
        Clause::Plain(_) => &a2xx::Plain::LAYOUT,
        Clause::Exec(e) if e.op().tests_bool() => &a2xx::Exec::LAYOUT,
        Clause::Exec(_) => &a2xx::ExecWithoutBool::LAYOUT,
        Clause::LoopStart(_) => &a2xx::LoopStart::LAYOUT,
        Clause::LoopEnd(_) => &a2xx::LoopEnd::LAYOUT,
        Clause::Branch(_) => &a2xx::Branch::LAYOUT,
        Clause::Alloc(_) => &a2xx::Alloc::LAYOUT,
    }
}

/// Returns the half of an ALU slot that is active, or the constant pair in place of the scalar half; `None` if both halves or neither are active.
/// Both halves have fields of the same names and interpret them differently.
fn half(alu: &Alu) -> Option<&'static str> {
    let constant = alu.scalar().is_some_and(|op| op.shape() == ScalarShape::Constant);
    match (alu.vmask, alu.smask) {
        (0, 1..) if constant => Some(" constant pair"),
        (0, 1..) => Some(" scalar half"),
        (1.., 0) => Some(" vector half"),
        _ => None,
    }
}

/// Returns all bits of the words of a program.
fn bits_of(isa: IsaId, bytes: &[u8]) -> Vec<Bit> {
    let mut words = Words { all: Vec::new() };
    match isa {
        IsaId::Agal => {
            for (at, token) in Agal::decode(bytes).unwrap().tokens.iter().enumerate() {
                let Some(op) = token.op() else { continue };
                if op.has_dest() {
                    words.add(at, DEST_FIELD, &agal::word::Dest::LAYOUT, "", &token.dest.to_word());
                }
                words.add(at, A_FIELD, &agal::word::Source::LAYOUT, "", &token.a.to_word());
                match &token.b {
                    SourceOrSampler::Source(b) => {
                        words.add(at, B_FIELD, &agal::word::Source::LAYOUT, "", &b.to_word());
                    }
                    SourceOrSampler::Sampler(b) => {
                        words.add(at, B_FIELD, &agal::word::Sampler::LAYOUT, "", &b.to_word());
                    }
                }
            }
        }
        IsaId::A2xx => {
            let program = A2xx::decode(bytes).unwrap();
            // The words of a vector's program are in the first shader.
            let shader = &program.shaders[0];
            for (at, clause) in shader.clauses.iter().enumerate() {
                words.add(at, 0, clause_layout(clause), "", &u128::from(clause.to_word()));
            }
            for (at, slot) in (shader.clauses.len()..).zip(&shader.slots) {
                match slot {
                    Slot::Alu(alu) => {
                        let Some(half) = half(alu) else { continue };
                        words.add(at, 0, &a2xx::Alu::LAYOUT, half, &alu.to_word());
                    }
                    Slot::Vertex(v) => words.add(at, 0, &a2xx::Vertex::LAYOUT, "", &v.to_word()),
                    Slot::Texture(t) => words.add(at, 0, &a2xx::Texture::LAYOUT, "", &t.to_word()),
                    Slot::Raw(_) => {}
                }
            }
        }
        IsaId::D3d9 => {
            use d3d9::word::{DestWord, SourceWord};
            for (at, i) in D3d9::decode(bytes).unwrap().instructions.iter().enumerate() {
                if let Some(dest) = &i.dest {
                    words.add(at, TO, &DestWord::LAYOUT, "", &dest.to_word());
                    if let Some(index) = dest.relative.index() {
                        words.add(
                            at,
                            DEST_INDEX_FIELD,
                            &SourceWord::LAYOUT,
                            " of an index",
                            &index.to_word(),
                        );
                    }
                }
                if let Some(predicate) = &i.predicate {
                    words.add(
                        at,
                        PREDICATE_FIELD,
                        &SourceWord::LAYOUT,
                        " of a predicate",
                        &predicate.to_word(),
                    );
                }
                for (k, source) in (0..).zip(&i.sources) {
                    let first = SOURCE_FIELD + k * SOURCE_FIELDS;
                    words.add(at, first, &SourceWord::LAYOUT, "", &source.to_word());
                    if let Some(index) = source.relative.index() {
                        let first = first + SOURCE_FIELDS / 2;
                        words.add(at, first, &SourceWord::LAYOUT, " of an index", &index.to_word());
                    }
                }
            }
        }
        IsaId::Pica200 => {
            let program = Pica200::decode(bytes).unwrap();
            for (at, instruction) in program.code.iter().enumerate() {
                words.add(at, WORD_FIELD, instruction.layout(), "", &instruction.to_word());
                if let Some(descriptor) = program.descriptor(instruction) {
                    let layout = &pica200::word::Descriptor::LAYOUT;
                    words.add(at, DESCRIPTOR_FIELD, layout, "", &descriptor.to_word());
                }
            }
        }
        IsaId::UtgardGp => {
            for (at, word) in UtgardGp::decode(bytes).unwrap().words.iter().enumerate() {
                for id in FieldId::ALL {
                    let field = id.field();
                    for bit in 0..field.width {
                        let value = u64::from(word.field(id)) ^ 1 << bit;
                        let flip = Edit::Field { at: at as u32, field: id as u16, value };
                        words.all.push(Bit { field: field.name.to_owned(), place: bit, flip });
                    }
                }
            }
        }
        IsaId::Unlisted(_) => {}
    }
    words.all
}

fn run<I: Isa>(case: &Case) -> Option<Outcome> {
    let resolved = case.resolve::<I>().ok()?;
    Some(reference_with::<I, false>(&resolved.context(), &resolved.env))
}

/// Returns a claim for every bit of every field in the programs of vectors, with whether the bit decides the outcome of some vector's program. A
/// field of which no bit decides anything has one claim for all its bits, and so has a field of a layout that is in no such program.
pub(crate) fn bits<I: Isa>(vectors: &[Vector]) -> BTreeMap<String, bool> {
    let mut all: BTreeMap<String, BTreeMap<u8, bool>> = BTreeMap::new();
    for vector in vectors {
        let case = vector_case(I::ID, vector).unwrap_or_else(|e| panic!("{}: {e:?}", vector.name));
        let resolved = case.resolve::<I>().unwrap();
        let normal = run::<I>(&case).unwrap();
        for bit in bits_of(I::ID, &case.bytes) {
            let decides = all.entry(bit.field).or_default().entry(bit.place).or_insert(false);
            if *decides {
                continue;
            }
            let Some(changed) = I::apply(&resolved.program, &bit.flip) else { continue };
            let other = Case { bytes: I::encode(&changed), ..case.clone() };
            *decides = run::<I>(&other).is_none_or(|o| compare(&resolved.entry, &normal, &o).is_err());
        }
    }
    let mut claims = BTreeMap::new();
    for layout in I::layouts() {
        let name = layout.name.split(',').next().unwrap_or_default();
        // If words have several layouts, a claim has the names of the layout and the field. If an instruction set has one layout, a claim has only
        // the name of the field.
        let is_of = |claim: &str, field: &str| match claim.rsplit_once('.') {
            Some((of, is)) => {
                is == field && (of == name || of.strip_prefix(name).is_some_and(|part| part.starts_with(' ')))
            }
            None => claim == field,
        };
        for field in layout.fields.iter().filter(|field| counts(field, "")) {
            if !all.keys().any(|claim| is_of(claim, field.name)) {
                claims.insert(format!("bits of {name}.{}", field.name), false);
            }
        }
    }
    for (field, bits) in all {
        if bits.values().any(|decides| *decides) {
            claims.extend(bits.iter().map(|(bit, decides)| (format!("bit {bit} of {field}"), *decides)));
        } else {
            claims.insert(format!("bits of {field}"), false);
        }
    }
    claims
}
