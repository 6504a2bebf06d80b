//! The disassembler: prints a program as text.
//!
//! The syntax is that of the listings of freedreno and Mesa. Each clause is followed by the slots that it runs, and the scalar half of an ALU slot
//! has a line of its own.
//!
//! ```text
//! .a2xx vertex
//! EXEC ADDR(0x3) CNT(0x2)
//!       FETCH:  VERTEX  R1.xyz1 = R0.x FMT_32_32_32_FLOAT SIGNED STRIDE(12) CONST(20, 0)
//!    (S)ALU:    MULv    R2.xyz_ = R3.zzzw, C10
//!               RECIP_IEEE  R4.x___ = R0
//! ```
//!
//! Additions to that syntax:
//!
//! | spelling | meaning |
//! |---|---|
//! | `.a2xx vertex` | the instruction set, and the stage of a bare shader, as inferred from its words ([`stage_of`]) |
//! | `.shader vertex` | the beginning of a shader in a container, and its stage |
//! | `R[aL+3]`, `C[a0+3]`, `export[aL+3]` | relative numbers |
//! | `C200` | constants above 63, which those listings print as other constants |
//! | `ABS_CONST`, `ADDR_A0`, `CONST0_REL`, `CONST1_REL`, `PRED_COND` | bits of the slot that no operand shows |
//! | `ZERO` | export components that neither half writes become 0 |
//! | `SDEST(n)` | destination field of the scalar half of an export, if it differs from the export's number |
//! | `SRC2(operand)` | source 2 of a vector operation with one source, if it is not R0 |
//! | `FILL(RETAIN_PREV R4 = -C3 CLAMP)` | a scalar half that only fills the slot, unless it is `MAXs R0 = R0`, which is not printed |
//! | `ADD_CONST_1 R0.x___ = C255.z, R5.x` | an operation on a constant and a register, with both operands |
//! | `PRED_CLEAN` | bit 41 of EXEC |
//! | `SEQ(0x15)` | the field SEQ of EXEC (which slots are FETCH, and which wait), if the lines below the clause do not show it |
//! | `BOOL_COND(1)` | condition of a branch that does not test the predicate |
//! | `0x12: ALU: …`, `0x12: RAW 0x1 0x2 0x3` | a slot that is not listed below a clause |
//! | `ALU: RAW …`, `FETCH: RAW …` | a slot that is run as both kinds |
//! | `PAYLOAD`, `ZERO14` … | unused bits |
//! | `.tail`, `.bytes` | dwords after the last whole slot of a shader, and bytes around shaders |
//! | `.big_endian`, `.container` | the byte order of bare words, and the kind of container |

use super::encode::slot_words;
use super::format::listed_name;
use super::interface::stage_of;
use super::limits::export;
use super::names::{
    A_0, A_L, ABS_CONST, ADDR, ADDR_A0, Attribute, BOOL_COND, CLAMP, CNT, COND, CONST, CONST0_REL,
    CONST1_REL, CONSTANT, EXPORT, FORCE_CALL, FORMAT, KINDS, LETTERS, LOD, LOD_BIAS, NORMALIZED, OFFSET, OP,
    PRED_COND, PREDICATED, REGISTER, SCALAR_ALIASES, SDEST, SEQ, SIGNED, TEXTURE, TYPE, UNSIGNED, VERTEX,
    ZERO, clause_attributes,
};
use super::opcode::{CfOp, FetchOp, ScalarOp, ScalarShape, VectorOp};
use super::program::{
    Alu, COORDINATE_SWIZZLE, Clause, Exec, Kind, Order, Program, R0, RESULT_SWIZZLE, Shader, Slot, Source,
    Texture, Vertex, component,
};
use super::word::Buffer;
use crate::isa::Stage;
use std::cell::OnceCell;
use std::fmt::Write as _;

/// The style in which a program is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // a set of switches
pub struct Style {
    /// Whether to use the dialect of the document SEED: no `.a2xx` directive, the names COORD, RCP, RSQ and MOV, one number in the CONST of VERTEX if
    /// the second is 0, and no NOP to complete the last slot of clauses.
    pub seed: bool,
    /// Whether slots are listed below the clause that runs them, rather than after all clauses in memory order.
    pub interleaved: bool,
    /// Whether ADDR and CNT of EXEC are printed.
    pub addresses: bool,
}

impl Default for Style {
    fn default() -> Self {
        Style { seed: false, interleaved: true, addresses: true }
    }
}

/// Disassembles any program that can be decoded, to text that assembles to the same program.
pub fn disassemble(program: &Program) -> String {
    disassemble_with(program, Style::default())
}

/// Like [`disassemble`], in the given style. Whatever the style, addresses are printed unless they follow from the order of the slots, and slots are
/// listed below their clauses unless the clauses run them in memory order.
pub fn disassemble_with(program: &Program, style: Style) -> String {
    let mut text = String::new();
    if program.order == Order::Big && program.kind == Kind::Bare {
        let _ = writeln!(text, ".{BIG_ENDIAN}");
    }
    if program.kind != Kind::Bare {
        let _ = writeln!(text, ".{CONTAINER} {}", kind_name(program.kind));
    }
    for (k, shader) in program.shaders.iter().enumerate() {
        bytes(&mut text, program.gaps.get(k));
        if program.kind != Kind::Bare || !style.seed {
            let head = if program.kind == Kind::Bare { HEAD } else { SHADER };
            let _ = writeln!(text, ".{head} {}", stage_of(shader).name());
        }
        Listing::new(&mut text, shader, style).shader();
    }
    for gap in program.gaps.iter().skip(program.shaders.len()) {
        bytes(&mut text, Some(gap));
    }
    text
}

/// Disassembles one clause or slot, with both halves of an ALU slot on one line. Empty if the number is out of range.
pub fn disassemble_word(program: &Program, word: u32) -> String {
    let mut text = String::new();
    if let Some((shader, at)) = program.find(word) {
        let mut listing = Listing::new(&mut text, shader, Style::default());
        match shader.clauses.get(at) {
            Some(clause) => listing.clause(clause, false),
            None => {
                if let Some(slot) = shader.slots.get(at - shader.clauses.len()) {
                    listing.slot(slot);
                }
            }
        }
    }
    let lines = text.lines().map(|l| l.trim().replace('\t', " "));
    lines.collect::<Vec<_>>().join(" + ")
}

/// All kinds of containers, without bare words.
pub(super) const CONTAINERS: [Kind; 4] = [Kind::Xenos, Kind::Driver, Kind::Packets, Kind::Trace];

/// The directive for big-endian bare words.
pub(super) const BIG_ENDIAN: &str = "big_endian";
/// The directive that states the kind of container.
pub(super) const CONTAINER: &str = "container";
/// The directive that begins a shader in a container.
pub(super) const SHADER: &str = "shader";
/// The name of the Xenos container, and the extension of its files.
pub(super) const XENOS_FILE: &str = "xenos";

/// Whether `name` is the name of a container.
pub(super) fn is_kind_name(name: &str) -> bool {
    CONTAINERS.into_iter().any(|kind| kind_name(kind) == name)
}

/// Returns the name of a container in assembly text.
pub(super) fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Bare => "bare",
        Kind::Xenos => XENOS_FILE,
        Kind::Driver => "driver",
        Kind::Packets => "packets",
        Kind::Trace => "trace",
    }
}

fn bytes(text: &mut String, gap: Option<&Vec<u8>>) {
    for line in gap.map_or(&[][..], Vec::as_slice).chunks(32) {
        text.push_str(".bytes ");
        for byte in line {
            let _ = write!(text, "{byte:02x}");
        }
        text.push('\n');
    }
}

struct Listing<'a> {
    text: &'a mut String,
    shader: &'a Shader,
    /// The shader's stage, computed on first use, because this scans the whole shader.
    stage: OnceCell<Stage>,
    style: Style,
}

/// Whether a scalar half without results is there only because each slot has a scalar half. MAXs and ADDs are not fillers if source 3 has a swizzle,
/// a sign or a number other than 0 and the vector half does not read it: the next slot may read their result as the previous scalar result. `shared`
/// states whether the vector half also reads source 3.
fn is_filler_half(alu: &Alu, shared: bool) -> bool {
    let has_third_source = !shared && (alu.src3 != 0 || alu.swz3 != 0 || alu.neg3 != 0);
    alu.scalar().is_some_and(|op| op.is_filler() && (op == ScalarOp::RetainPrev || !has_third_source))
}

/// How closely the clauses run the slots in memory order.
#[derive(Clone, Copy)]
struct SlotOrder {
    /// Whether the clauses run slots in memory order, without gaps and each once.
    in_memory_order: bool,
    /// Whether, in addition, the address of each clause that runs nothing is that of the next slot.
    addresses_are_implied: bool,
}

/// The directive that begins the text of a bare shader.
pub(super) const HEAD: &str = "a2xx";

/// The indentation before a slot's kind.
const INDENT: &str = "      ";
/// The indentation before a scalar half.
const HALF: &str = "          ";

impl<'a> Listing<'a> {
    fn new(text: &'a mut String, shader: &'a Shader, style: Style) -> Listing<'a> {
        Listing { text, shader, stage: OnceCell::new(), style }
    }

    fn shader(&mut self) {
        let Shader { clauses, slots, tail, .. } = self.shader;
        let slot_order = self.slot_order();
        self.style.addresses |= !slot_order.addresses_are_implied;
        self.style.interleaved |= !slot_order.in_memory_order;
        let mut shown = vec![false; slots.len()];
        let clauses = match clauses.split_last() {
            Some((last, rest)) if self.style.seed && last.to_word() == 0 => rest,
            _ => clauses,
        };
        for clause in clauses {
            let below = match clause {
                Clause::Exec(e) if self.style.interleaved => self.below(e, &shown),
                _ => None,
            };
            self.clause(clause, below.is_some() || !self.style.interleaved);
            self.text.push('\n');
            if let (Some(first), Clause::Exec(e)) = (below, clause) {
                self.run(e, first, &mut shown);
            }
        }
        if !self.style.interleaved {
            for clause in clauses {
                if let Clause::Exec(e) = clause {
                    self.run(e, usize::from(e.addr).saturating_sub(self.area()), &mut shown);
                }
            }
        }
        for (at, slot) in slots.iter().enumerate().filter(|(at, _)| !shown[*at]) {
            let _ = write!(self.text, "{:#x}: ", self.area() + at);
            match slot {
                Slot::Raw(_) => {}
                Slot::Alu(_) => self.text.push_str("ALU:\t"),
                Slot::Vertex(_) | Slot::Texture(_) => self.text.push_str("FETCH:\t"),
            }
            self.slot(slot);
            self.text.push('\n');
        }
        if !tail.is_empty() {
            self.text.push_str(".tail");
            for word in tail {
                let _ = write!(self.text, " {word:#010x}");
            }
            self.text.push('\n');
        }
    }

    /// Prints the slots that a clause runs, starting at slot `first` after the clauses.
    fn run(&mut self, e: &Exec, first: usize, shown: &mut [bool]) {
        for k in 0..e.slot_count() {
            let at = first + usize::from(k);
            let Some(slot) = self.shader.slots.get(at) else { return };
            shown[at] = true;
            self.kind(e.is_serial(k), KINDS[usize::from(e.is_fetch(k))]);
            self.slot(slot);
            self.text.push('\n');
        }
    }

    fn area(&self) -> usize {
        self.shader.clauses.len() / 2
    }

    /// Returns the index, among the slots after the clauses, of the first slot that a clause runs. `None` if lines below the clause cannot represent
    /// all its fields: a slot does not exist or is already listed, CNT is 0 or more than six, or SEQ has bits of slots that the clause does not run.
    fn below(&self, e: &Exec, shown: &[bool]) -> Option<usize> {
        let first = usize::from(e.addr).checked_sub(self.area())?;
        let run = shown.get(first..first + usize::from(e.slot_count()))?;
        let whole = e.cnt > 0 && e.cnt == e.slot_count() && !e.has_stray_sequence();
        (whole && !run.contains(&true)).then_some(first)
    }

    /// Computes how closely the clauses follow memory order.
    fn slot_order(&self) -> SlotOrder {
        let mut found = SlotOrder { in_memory_order: true, addresses_are_implied: true };
        let mut next = self.area();
        for clause in &self.shader.clauses {
            let Clause::Exec(e) = clause else { continue };
            found.addresses_are_implied &= usize::from(e.addr) == next;
            if e.cnt == 0 && e.seq == 0 {
                continue;
            }
            let at = self.below(e, &vec![false; self.shader.slots.len()]);
            found.in_memory_order &= at == Some(next - self.area());
            next += usize::from(e.slot_count());
        }
        found.addresses_are_implied &= found.in_memory_order;
        found
    }

    fn kind(&mut self, serial: bool, kind: &str) {
        self.text.push_str(if serial { "   (S)" } else { INDENT });
        self.text.push_str(kind);
        self.text.push_str(":\t");
    }

    // ---- clauses

    /// Prints a clause. `seq_is_implied` states whether the lines of the slots imply SEQ.
    fn clause(&mut self, clause: &Clause, seq_is_implied: bool) {
        let op = clause.op();
        self.text.push_str(op.row().mnemonic);
        let word = u128::from(clause.to_word());
        if let Clause::Alloc(alloc) = clause {
            let buffer = Buffer::from_number(alloc.buffer & 3).unwrap_or(Buffer::None);
            let name =
                if self.style.seed && buffer == Buffer::Position { seed_position() } else { buffer.name() };
            let _ = write!(self.text, " {name}");
        }
        for a in clause_attributes(op) {
            let position = matches!(a.name, ADDR | CNT) && op.is_exec();
            if a.is_written(word) && (self.style.addresses || !position) {
                a.write(self.text, word);
            }
            // The condition is printed at the same position as in other listings.
            if a.name == FORCE_CALL
                && let Clause::Branch(b) = clause
            {
                if b.predicated != 0 {
                    let _ = write!(self.text, " {COND}({})", b.cond);
                } else if b.cond != 0 || (b.unconditional == 0 && op != CfOp::Return) {
                    let _ = write!(self.text, " {BOOL_COND}({})", b.cond);
                }
            }
        }
        if let Clause::Exec(e) = clause
            && !seq_is_implied
            && (e.cnt > 0 || e.seq != 0)
        {
            let _ = write!(self.text, " {SEQ}({:#x})", e.seq);
        }
    }

    // ---- slots

    fn slot(&mut self, slot: &Slot) {
        match slot {
            Slot::Alu(alu) => self.alu(alu),
            Slot::Vertex(vertex) => self.vertex(vertex),
            Slot::Texture(texture) => self.texture(texture),
            Slot::Raw(_) => {
                let [a, b, c] = slot_words(slot);
                let _ = write!(self.text, "RAW {a:#010x} {b:#010x} {c:#010x}");
            }
        }
    }

    /// Prints the mnemonic of a vector operation or fetch, with its predicate suffix.
    fn name(&mut self, name: Option<&str>, number: u8, enabled: u8, condition: u8) {
        let suffix = match (enabled, condition) {
            (0, _) => "",
            (_, condition) => PREDICATED[usize::from(condition != 0)],
        };
        let _ = match name {
            Some(name) => write!(self.text, "{name}{suffix}\t"),
            None => write!(self.text, "{OP}{suffix}({number})\t"),
        };
    }

    fn flags(&mut self, flags: &[(bool, &str)]) {
        for (_, name) in flags.iter().filter(|(set, _)| *set) {
            let _ = write!(self.text, " {name}");
        }
    }

    fn alu(&mut self, alu: &Alu) {
        let vector = alu.vector();
        let scalar = alu.scalar();
        self.name(vector.map(|op| op.row().mnemonic), alu.vop, alu.pred_en, alu.pred_cond);
        let exports = alu.export != 0;
        let file = if exports { EXPORT } else { REGISTER };
        self.dest(file, alu.vdest, alu.vdest_rel, alu.vmask);
        self.text.push_str(" = ");
        let [s1, s2, s3] = [1, 2, 3].map(|k| alu.source(k));
        let sources = vector.map_or(2, VectorOp::sources);
        if sources == 3 {
            self.source(&s3, alu.addr_a0);
            self.text.push_str(", ");
        }
        self.source(&s1, alu.addr_a0);
        let once = vector == Some(VectorOp::Mova) && s1 == s2 && alu.src1 == alu.src2;
        if sources > 1 && !once {
            self.text.push_str(", ");
            self.source(&s2, alu.addr_a0);
        }
        let scalar_shown = alu.smask != 0 || alu.vmask == 0 || !is_filler_half(alu, sources == 3);
        // A constant operand shows whether it is relative, and to which address register.
        let constant = scalar.is_some_and(|op| op.shape() == ScalarShape::Constant);
        let constants = [!s1.register, !s2.register, !s3.register || constant];
        let count = constants.iter().filter(|c| **c).count();
        let relative = (1..=3).any(|k| constants[usize::from(k) - 1] && alu.constant_relative(k));
        self.flags(&[
            (alu.vclamp != 0, CLAMP),
            (exports && alu.sdest_rel != 0, ZERO),
            (alu.abs_const != 0, ABS_CONST),
            (alu.addr_a0 != 0 && !relative, ADDR_A0),
            (alu.const0_rel != 0 && count == 0, CONST0_REL),
            (alu.const1_rel != 0 && count < 2, CONST1_REL),
            (alu.pred_cond != 0 && alu.pred_en == 0, PRED_COND),
        ]);
        if sources == 1 && s2 != R0 {
            self.text.push_str(" SRC2(");
            self.source(&s2, alu.addr_a0);
            self.text.push(')');
        }
        if !scalar_shown {
            self.fill(alu, sources == 3);
        }
        self.comment(exports, alu.vdest);
        if scalar_shown {
            let _ = write!(self.text, "\n{HALF}\t");
            self.scalar(alu);
            self.comment(exports, alu.vdest);
        }
    }

    fn stage(&self) -> Stage {
        *self.stage.get_or_init(|| stage_of(self.shader))
    }

    fn comment(&mut self, exports: bool, number: u8) {
        if exports && let Some(comment) = export(self.stage(), number).and_then(|row| row.name) {
            let _ = write!(self.text, "\t; {comment}");
        }
    }

    fn scalar_name(&mut self, alu: &Alu) {
        let name = alu.scalar().map(|op| {
            let alias = SCALAR_ALIASES.iter().find(|(_, own)| self.style.seed && *own == op);
            alias.map_or(op.row().mnemonic, |(alias, _)| alias)
        });
        let _ = match name {
            Some(name) => write!(self.text, "{name}"),
            None => write!(self.text, "{OP}({})", alu.sop),
        };
    }

    fn scalar(&mut self, alu: &Alu) {
        self.scalar_name(alu);
        self.text.push('\t');
        if alu.export != 0 {
            self.dest(EXPORT, alu.vdest, alu.vdest_rel, alu.smask);
        } else {
            self.dest(REGISTER, alu.sdest, alu.sdest_rel, alu.smask);
        }
        self.text.push_str(" = ");
        if alu.scalar().is_some_and(|op| op.shape() == ScalarShape::Constant) {
            let (constant, register) = alu.constant_operands();
            self.operand(&constant, alu.addr_a0);
            self.letter(constant.swizzle);
            self.text.push_str(", ");
            self.operand(&register, 0);
            self.letter(register.swizzle);
        } else {
            self.source(&alu.source(3), alu.addr_a0);
        }
        self.flags(&[(alu.sclamp != 0, CLAMP)]);
        if alu.export != 0 && alu.sdest != alu.vdest {
            let _ = write!(self.text, " {SDEST}({})", alu.sdest);
        }
    }

    /// Prints a scalar half that only fills the slot, unless it is the default one.
    fn fill(&mut self, alu: &Alu, shared: bool) {
        let source = alu.source(3);
        let relative = alu.export == 0 && alu.sdest_rel != 0;
        let plain = shared || source == R0;
        if alu.sop == ScalarOp::Maxs as u8 && alu.sclamp == 0 && alu.sdest == 0 && !relative && plain {
            return;
        }
        self.text.push_str(" FILL(");
        self.scalar_name(alu);
        if alu.sdest != 0 || relative {
            self.text.push(' ');
            self.dest(REGISTER, alu.sdest, u8::from(relative), 0xf);
            self.text.push_str(" =");
        }
        if !plain {
            self.text.push(' ');
            self.source(&source, alu.addr_a0);
        }
        self.flags(&[(alu.sclamp != 0, CLAMP)]);
        self.text.push(')');
    }

    fn number(&mut self, file: &str, number: u8, relative: Option<&str>) {
        let _ = match relative {
            Some(register) => write!(self.text, "{file}[{register}+{number}]"),
            None => write!(self.text, "{file}{number}"),
        };
    }

    fn dest(&mut self, file: &str, number: u8, relative: u8, mask: u8) {
        self.number(file, number, (relative != 0).then_some(A_L));
        if mask != 0xf {
            self.text.push('.');
            self.text.extend((0..4).map(|c| if mask >> c & 1 != 0 { LETTERS[c] } else { '_' }));
        }
    }

    /// Prints an operand without swizzle and without the bars of an absolute value.
    fn operand(&mut self, source: &Source, a0: u8) {
        if source.negated {
            self.text.push('-');
        }
        let register = if !source.register && a0 != 0 { A_0 } else { A_L };
        let file = if source.register { REGISTER } else { CONSTANT };
        self.number(file, source.number, source.relative.then_some(register));
    }

    fn letter(&mut self, component: u8) {
        self.text.push('.');
        self.text.push(LETTERS[usize::from(component & 3)]);
    }

    fn source(&mut self, source: &Source, a0: u8) {
        let bars = source.register && source.absolute;
        if source.negated {
            self.text.push('-');
        }
        if bars {
            self.text.push('|');
        }
        self.operand(&Source { negated: false, ..*source }, a0);
        if source.swizzle != 0 {
            self.text.push('.');
            self.text.extend((0..4).map(|c| LETTERS[component(source.swizzle, c)]));
        }
        if bars {
            self.text.push('|');
        }
    }

    // ---- fetches

    fn attributes(&mut self, attributes: &[Attribute], word: u128) {
        let lod = attributes.iter().find(|a| a.name == LOD);
        for a in attributes {
            // Other listings print the bias wherever the level of detail is not computed.
            let bias = a.name == LOD_BIAS && lod.is_some_and(|lod| lod.is_written(word));
            if bias || a.is_written(word) {
                a.write(self.text, word);
            }
        }
    }

    fn fetch_operands(&mut self, dst: (u8, u8, u16), src: (u8, u8, &[u8])) {
        let (number, relative, swizzle) = dst;
        self.number(REGISTER, number, (relative != 0).then_some(A_L));
        self.text.push('.');
        self.text.extend(RESULT_SWIZZLE.split(swizzle).map(|selector| LETTERS[usize::from(selector)]));
        let (number, relative, components) = src;
        self.text.push_str(" = ");
        self.number(REGISTER, number, (relative != 0).then_some(A_L));
        self.text.push('.');
        self.text.extend(components.iter().map(|c| LETTERS[usize::from(c & 3)]));
    }

    fn vertex(&mut self, v: &Vertex) {
        self.name(Some(FetchOp::Vertex.row().mnemonic), 0, v.pred_en, v.pred_cond);
        self.fetch_operands((v.dst, v.dst_rel, v.dst_swizzle), (v.src, v.src_rel, &[v.src_component]));
        let _ = match listed_name(v.format) {
            Some(name) => write!(self.text, " {FORMAT}{name}"),
            None => write!(self.text, " {TYPE}({:#x})", v.format),
        };
        let _ = write!(self.text, " {}", if v.signed != 0 { SIGNED } else { UNSIGNED });
        if v.integer == 0 {
            let _ = write!(self.text, " {NORMALIZED}");
        }
        let word = v.to_word();
        let (head, rest) = VERTEX.split_at(2);
        self.attributes(head, word);
        if self.style.seed && v.const_sub == 0 {
            let _ = write!(self.text, " {CONST}({})", v.const_index);
        } else {
            let _ = write!(self.text, " {CONST}({}, {})", v.const_index, v.const_sub);
        }
        self.attributes(rest, word);
        self.flags(&[(v.pred_cond != 0 && v.pred_en == 0, PRED_COND)]);
    }

    fn texture(&mut self, t: &Texture) {
        self.name(t.op().map(|op| op.row().mnemonic), t.opcode, t.pred_en, t.pred_cond);
        let components = COORDINATE_SWIZZLE.split(t.src_swizzle);
        self.fetch_operands((t.dst, t.dst_rel, t.dst_swizzle), (t.src, t.src_rel, &components));
        self.attributes(TEXTURE, t.to_word());
        let offsets = [
            (Texture::offset_x, t.offset_x),
            (Texture::offset_y, t.offset_y),
            (Texture::offset_z, t.offset_z),
        ]
        .map(|(field, value)| field.signed(value.into()));
        if offsets != [0; 3] {
            let [x, y, z] = offsets;
            let _ = write!(self.text, " {OFFSET}({x},{y},{z})");
        }
        self.flags(&[(t.pred_cond != 0 && t.pred_en == 0, PRED_COND)]);
    }
}

/// Returns the name of the position buffer in the document SEED.
fn seed_position() -> &'static str {
    let position = |(_, number): &&(&str, u8)| *number == Buffer::Position as u8;
    Buffer::NAMES.iter().rfind(position).map_or(Buffer::Position.name(), |(name, _)| name)
}
