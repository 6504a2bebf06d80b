//! The forms of an instruction, as small programs for the proofs of the lowering rules: every opcode in every stage, version and modifier class.

use super::opcode::{Opcode, Row, Shape, TABLE};
use super::program::{Dest, File, Program, Sampler, Second, Source, Token};
use crate::isa::{RuleProgram, Stage};

/// The identity swizzle, and others that tell every component apart from its neighbours.
const SWIZZLES: [(&str, u8); 5] =
    [("xyzw", 0xe4), ("wzyx", 0x1b), ("yzwx", 0x39), ("zzxy", 0x4a), ("wwww", 0xff)];

/// A source that is read directly.
fn direct(file: File, number: u16, swizzle: u8) -> Source {
    Source::register(file, number, swizzle)
}

/// A constant whose number comes from component `component` of a register, plus `offset`.
fn indirect(index_file: File, number: u16, component: u8, offset: u8, swizzle: u8) -> Source {
    Source {
        number,
        offset,
        swizzle,
        file: File::Constant as u8,
        index_file: index_file as u8,
        index_component: component,
        indirect: 1,
        ..Source::default()
    }
}

/// The files that instructions read in a stage.
fn readable(stage: Stage, version: u32) -> Vec<(File, u16)> {
    match stage {
        Stage::Vertex => {
            let mut all = vec![(File::Attribute, 3), (File::Constant, 17), (File::Temporary, 5)];
            if version >= 3 {
                all.push((File::Instance, 0));
            }
            all
        }
        _ => vec![(File::Varying, 6), (File::Constant, 9), (File::Temporary, 5)],
    }
}

/// The registers that instructions write in a stage, with the masks they may have.
fn writable(stage: Stage, version: u32) -> Vec<(File, u16, u8)> {
    match stage {
        Stage::Vertex => vec![(File::Temporary, 2, 15), (File::Output, 0, 15), (File::Varying, 7, 15)],
        _ if version >= 2 => {
            vec![(File::Temporary, 2, 15), (File::Output, 0, 15), (File::Output, 3, 15), (File::Depth, 0, 1)]
        }
        _ => vec![(File::Temporary, 2, 15), (File::Output, 0, 15)],
    }
}

struct List {
    stage: Stage,
    version: u32,
    row: &'static Row,
    all: Vec<RuleProgram<Program>>,
}

impl List {
    fn push(&mut self, class: &str, mutate: bool, dest: Dest, a: Source, b: Second) {
        let token = Token { opcode: self.row.number, dest, a, b };
        let mut tokens = vec![token];
        match self.row.shape {
            // A condition needs a block: one with an instruction to skip.
            Shape::Compare => tokens.extend(block(self.stage, false)),
            Shape::Marker => {
                let condition = Token {
                    opcode: 0x1c,
                    dest: Dest::default(),
                    a: direct(File::Temporary, 0, 0),
                    b: Second::Source(direct(File::Temporary, 1, 0)),
                };
                tokens = std::iter::once(condition).chain(block(self.stage, true)).collect();
            }
            _ => {}
        }
        let stage = self.stage.name();
        self.all.push(RuleProgram {
            name: format!("{} {stage} {} {class}", self.row.mnemonic, self.version),
            program: Program { version: self.version, stage: self.stage, tokens },
            mutate,
        });
    }

    fn default_dest(&self) -> Dest {
        match self.row.shape {
            Shape::Compare | Shape::Marker | Shape::Kill => Dest::default(),
            _ => Dest::register(File::Temporary, 2, self.full_mask()),
        }
    }

    fn full_mask(&self) -> u8 {
        if self.row.writes_w { 15 } else { 7 }
    }

    /// Swizzles that the operand may have: conditions and kil read one component, or should.
    fn swizzles(&self) -> &'static [(&'static str, u8)] {
        match self.row.shape {
            // Several components are for choices that look at all of them.
            Shape::Compare | Shape::Kill => {
                &[("xxxx", 0), ("yyyy", 0x55), ("zzzz", 0xaa), ("wwww", 0xff), ("wzyx", 0x1b)]
            }
            _ => &SWIZZLES,
        }
    }

    fn second(&self, file: File, number: u16, swizzle: u8) -> Second {
        match self.row.shape {
            Shape::Binary | Shape::Matrix { .. } | Shape::Compare => {
                Second::Source(direct(file, number, swizzle))
            }
            Shape::Texture => Second::Sampler(Sampler { file: File::Sampler as u8, ..Sampler::default() }),
            _ => Second::Source(Source::default()),
        }
    }

    /// The plain form: temporaries, and for a matrix constants.
    fn plain(&self) -> (Dest, Source, Second) {
        let swizzle = self.swizzles()[0].1;
        let a = if matches!(self.row.shape, Shape::Marker) {
            Source::default()
        } else {
            direct(File::Temporary, 5, swizzle)
        };
        let b = match self.row.shape {
            Shape::Matrix { .. } => self.second(File::Constant, 12, Source::XYZW),
            _ => self.second(File::Temporary, 6, swizzle),
        };
        (self.default_dest(), a, b)
    }

    /// Whether numbers tell mutants of forms with several operands apart. Of ife and ine they would have to be equal in all components but one.
    fn tells(&self) -> bool {
        !matches!(self.row.opcode, Opcode::Ife | Opcode::Ine)
    }

    fn versions_form(&mut self) {
        let (dest, a, b) = self.plain();
        self.push("plain", true, dest, a, b);
    }

    fn masks(&mut self) {
        let (dest, a, b) = self.plain();
        if dest.mask == 0 {
            return;
        }
        // With w too where only a choice of the validator's lets it be.
        for mask in 1..=15 {
            let name: String =
                "xyzw".chars().enumerate().filter(|(c, _)| mask >> c & 1 == 1).map(|(_, n)| n).collect();
            self.push(&format!("mask .{name}"), true, Dest { mask, ..dest }, a, b);
        }
        for (file, number, allowed) in writable(self.stage, self.version) {
            let mask = allowed & self.full_mask();
            self.push(&format!("to {file:?} {number}"), true, Dest::register(file, number, mask), a, b);
        }
    }

    fn sources(&mut self) {
        let (dest, a, b) = self.plain();
        if matches!(self.row.shape, Shape::Marker) {
            return;
        }
        for (name, swizzle) in self.swizzles().iter().skip(1) {
            self.push(&format!("a.{name}"), self.tells(), dest, Source { swizzle: *swizzle, ..a }, b);
        }
        for (file, number) in readable(self.stage, self.version) {
            self.push(&format!("a from {file:?}"), true, dest, direct(file, number, a.swizzle), b);
        }
        // The result overwrites what is still to be read.
        if dest.mask != 0 {
            let mixed = Source { swizzle: 0x1b, ..a };
            self.push("onto its source", true, Dest { number: 5, ..dest }, mixed, b);
        }
        if let (Second::Source(b), Shape::Binary | Shape::Compare) = (b, self.row.shape) {
            for (name, swizzle) in self.swizzles().iter().skip(1) {
                let b = Source { swizzle: *swizzle, ..b };
                self.push(&format!("b.{name}"), self.tells(), dest, a, Second::Source(b));
            }
            for (file, number) in readable(self.stage, self.version) {
                self.push(
                    &format!("b from {file:?}"),
                    true,
                    dest,
                    a,
                    Second::Source(direct(file, number, b.swizzle)),
                );
            }
            if dest.mask != 0 {
                let mixed = Source { swizzle: 0x39, ..b };
                self.push(
                    "onto its second source",
                    true,
                    Dest { number: 6, ..dest },
                    a,
                    Second::Source(mixed),
                );
                let same = Source { number: a.number, ..mixed };
                self.push("both sources one register", true, dest, a, Second::Source(same));
            }
        }
        if let Shape::Matrix { .. } = self.row.shape {
            for (file, number) in readable(self.stage, self.version) {
                let b = direct(file, number, Source::XYZW);
                self.push(&format!("matrix from {file:?}"), true, dest, a, Second::Source(b));
            }
            let b = direct(File::Temporary, 4, Source::XYZW);
            self.push("matrix that holds its vector", true, Dest { number: 4, ..dest }, a, Second::Source(b));
        }
    }

    fn indirect(&mut self) {
        let (dest, a, b) = self.plain();
        if self.stage != Stage::Vertex || matches!(self.row.shape, Shape::Marker) {
            return;
        }
        for (file, number) in [(File::Attribute, 3), (File::Constant, 17), (File::Temporary, 5)] {
            let from = indirect(file, number, 2, 7, a.swizzle);
            self.push(&format!("a indexed by {file:?}"), self.tells(), dest, from, b);
        }
        for component in 0..4 {
            let from = indirect(File::Temporary, 5, component, 0, a.swizzle);
            self.push(&format!("a indexed by component {component}"), false, dest, from, b);
        }
        // An offset that is negative where offsets have a sign.
        self.push("a indexed, offset 200", true, dest, indirect(File::Temporary, 5, 0, 200, a.swizzle), b);
        if let Second::Source(plain) = b
            && !matches!(self.row.shape, Shape::Unary | Shape::Kill | Shape::Texture)
        {
            let from = indirect(File::Temporary, 6, 3, 200, plain.swizzle);
            self.push("b indexed, offset 200", true, dest, a, Second::Source(from));
        }
    }

    fn samplers(&mut self) {
        let (dest, a, Second::Sampler(plain)) = self.plain() else { return };
        let mut with =
            |class: String, sampler: Sampler| self.push(&class, true, dest, a, Second::Sampler(sampler));
        for (what, field, values) in [
            ("unit", 0, &[0u8, 3][..]),
            ("dimension", 1, &[0, 1, 2]),
            ("special", 2, &[1, 2, 4]),
            ("wrap", 3, &[0, 1, 2, 3]),
            ("mip", 4, &[0, 1, 2]),
            ("filter", 5, &[0, 1, 2, 3, 4, 5]),
            ("format", 6, &[1, 2, 3]),
        ] {
            for value in values {
                // Most classes also with mip maps, where the level of detail is computed.
                for mip in [0, 2] {
                    let mut s = Sampler { mip, ..plain };
                    *[
                        &mut 0,
                        &mut s.dimension,
                        &mut s.special,
                        &mut s.wrap,
                        &mut s.mip,
                        &mut s.filter,
                        &mut s.format,
                    ][field] = *value;
                    if field == 0 {
                        s.number = u16::from(*value);
                    }
                    let mips = if mip == 0 { "" } else { " with mip maps" };
                    with(format!("{what} {value}{mips}"), s);
                }
            }
        }
        for bias in [1u8, 8, 0x7f, 0x80, 0xff] {
            for mip in [0, 1] {
                with(format!("bias {bias} mip {mip}"), Sampler { bias, mip, ..plain });
            }
        }
    }
}

/// What follows a condition: an instruction, if `turns` an `els` and another, and `eif`.
fn block(stage: Stage, turns: bool) -> Vec<Token> {
    let file = if stage == Stage::Vertex { File::Attribute } else { File::Varying };
    let write = |number, component: u8| Token {
        opcode: 0,
        dest: Dest::register(File::Temporary, number, 1 << component),
        a: direct(file, 1, component * 0x55),
        b: Second::Source(Source::default()),
    };
    let marker = |opcode| Token {
        opcode,
        dest: Dest::default(),
        a: Source::default(),
        b: Second::Source(Source::default()),
    };
    let mut all = vec![write(3, 1)];
    if turns {
        all.extend([marker(0x20), write(4, 2)]);
    }
    all.extend([marker(0x21), write(5, 3)]);
    all
}

/// The programs.
pub fn forms() -> Vec<RuleProgram<Program>> {
    let mut all = Vec::new();
    for row in TABLE {
        for stage in row.stages {
            for version in row.version..=4 {
                let mut list = List { stage: *stage, version, row, all: Vec::new() };
                list.versions_form();
                // Versions differ in which registers there are, so the classes are gone through in the first and the last.
                if version == row.version || version == 3 {
                    list.masks();
                    list.sources();
                    list.indirect();
                    list.samplers();
                }
                if version != row.version {
                    list.all.iter_mut().for_each(|rule| rule.mutate = false);
                }
                all.append(&mut list.all);
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::agal::{decode, encode};

    #[test]
    fn every_opcode_occurs_in_each_of_its_stages_and_programs_survive_encoding() {
        let all = forms();
        for row in TABLE {
            for stage in row.stages {
                let uses = |p: &Program| p.stage == *stage && p.tokens.iter().any(|t| t.opcode == row.number);
                assert!(all.iter().any(|r| uses(&r.program)), "{}", row.mnemonic);
            }
        }
        let mut names: Vec<&str> = all.iter().map(|r| r.name.as_str()).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|w| w[0] != w[1]), "names are unique");
        for rule in &all {
            assert_eq!(
                decode::decode(&encode::encode(&rule.program)).as_ref(),
                Ok(&rule.program),
                "{}",
                rule.name
            );
        }
    }
}
