//! The validator: checks a program against the rules in one pass. [`super::rules`] defines the rules and their levels.

use super::Agal;
use super::interface::{INSTANCE_SLOT, output_slot};
use super::limits::{count, limits};
use super::opcode::{Opcode, Shape};
use super::options::{Choice, OPTION_SPECS};
use super::program::{Dest, File, Program, Sampler, Source, SourceOrSampler, Token};
use super::reads::{self, is_file, reads};
use super::rules::Rule;
use super::word::{Dimension, Filter, Format, Mip, Special, Wrap};
use crate::isa::registers::is_initial;
use crate::isa::{Entry, Level, Options, Port, Stage, Violation, are_valid_ports};
use std::fmt::Write as _;

/// Maximum nesting depth of blocks (GCL, MINI3).
const MAX_NESTING: usize = 4;

/// Returns every violation: first those of the header, then those of each instruction, then those of the program as a whole.
pub fn validate(program: &Program, entry: &Entry) -> Vec<Violation> {
    validate_with_options(program, entry, &Options::new(OPTION_SPECS))
}

/// Like [`validate`], but takes the strictness options from `options`.
pub fn validate_with_options(program: &Program, entry: &Entry, options: &Options) -> Vec<Violation> {
    let mut check = Check {
        program,
        options,
        version_exists: (1..=4).contains(&program.version),
        word: None,
        found: Vec::new(),
        temporaries: [0; TEMPORARIES],
        written: Written::default(),
        samplers: [None; SAMPLERS],
        blocks: Vec::new(),
    };
    check.header(entry);
    for (word, token) in program.tokens.iter().enumerate() {
        check.word = Some(word as u32);
        check.token(token);
    }
    check.word = None;
    check.end();
    check.found
}

/// An upper bound for the number of temporaries in any version.
const TEMPORARIES: usize = 26;
/// An upper bound for the number of samplers in any version.
const SAMPLERS: usize = 16;

/// The number of outputs of a vertex program: the position, then the varyings.
const VERTEX_OUTPUTS: usize = 11;

/// A block that has begun and not yet ended.
struct Block {
    /// Whether the block's `els` has been seen.
    has_else: bool,
    /// Whether the current branch has no instruction yet.
    empty: bool,
    /// Output components written by the branches of the block.
    outputs: [u8; VERTEX_OUTPUTS],
    /// Output components written before the block in the enclosing branch.
    written_before: [u8; VERTEX_OUTPUTS],
}

/// The outputs written so far, and whether `kil` has occurred.
#[derive(Default)]
struct Written {
    /// Written components of `op`, or of the colours.
    outputs: [u8; 4],
    /// Written components of the varyings.
    varyings: [u8; 10],
    depth: bool,
    kills: bool,
    /// Components of the position and the varyings written in the current branch or in a block within it.
    in_branch: [u8; VERTEX_OUTPUTS],
}

struct Check<'a> {
    program: &'a Program,
    options: &'a Options,
    /// Whether the version exists. If it does not, versions of opcodes are not checked.
    version_exists: bool,
    word: Option<u32>,
    found: Vec<Violation>,
    /// Components of temporaries written so far, in program order.
    temporaries: [u8; TEMPORARIES],
    written: Written,
    /// By sampler number, the sampler operand of the first read.
    samplers: [Option<Sampler>; SAMPLERS],
    blocks: Vec<Block>,
}

/// The register files of outputs.
const FILES: [File; 3] = [File::Output, File::Varying, File::Depth];

/// Adds the components in `from` to the masks in `to`.
fn join(to: &mut [u8; VERTEX_OUTPUTS], from: [u8; VERTEX_OUTPUTS]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to |= from;
    }
}

impl Check<'_> {
    fn report(&mut self, rule: Rule) {
        let row = rule.row();
        let choice = match rule {
            Rule::DirectFields => Some(Choice::DirectFields),
            Rule::SamplerDiffers => Some(Choice::SamplerReuse),
            Rule::MaskW => Some(Choice::MaskW),
            _ => None,
        };
        let lenient = choice.is_some_and(|choice| self.options.peek(choice as usize) != 0);
        let level = if lenient { Level::Warning } else { row.level };
        self.found.push(Violation { level, ..row.violation(self.word) });
    }

    /// Records a violation of the rule if `broken`.
    fn report_if(&mut self, rule: Rule, broken: bool) {
        if broken {
            self.report(rule);
        }
    }

    fn is_fragment(&self) -> bool {
        self.program.stage == Stage::Fragment
    }

    fn count(&self, file: File) -> u16 {
        count(self.program.version, self.program.stage, file)
    }

    // ---- the program as a whole

    fn header(&mut self, entry: &Entry) {
        let program = self.program;
        let ports = &entry.interface;
        let input = |p: &Port| p.slot <= INSTANCE_SLOT || is_initial::<Agal>(entry, p);
        let output = |p: &Port| {
            FILES.iter().any(|f| (0..16).any(|n| output_slot(program.stage, *f, n) == Some(p.slot)))
        };
        let other = entry.stage != program.stage
            || entry.version != program.version
            || entry.start != 0
            || !are_valid_ports(&ports.inputs, input)
            || !are_valid_ports(&ports.outputs, output);
        self.report_if(Rule::EntryMismatch, other);
        self.report_if(Rule::Version, !self.version_exists);
        self.report_if(Rule::Empty, program.tokens.is_empty());
        let (count, most) = (program.tokens.len(), limits(program.version).instructions as usize);
        if count > most {
            self.report(Rule::Tokens);
            if let Some(found) = self.found.last_mut() {
                let _ = write!(found.message, ": {count}, at most {most}");
            }
        }
    }

    fn end(&mut self) {
        self.report_if(Rule::Open, !self.blocks.is_empty());
        if self.program.tokens.is_empty() {
            return;
        }
        let Written { outputs, varyings, depth, kills, .. } = std::mem::take(&mut self.written);
        let any = |masks: &[u8]| masks.iter().any(|m| *m != 0);
        let something = any(&outputs) || any(&varyings) || depth || kills;
        if self.is_fragment() {
            let rule = if something { Rule::NoColor } else { Rule::NothingOut };
            self.report_if(rule, outputs[0] == 0);
            let gap = outputs.windows(2).skip(usize::from(outputs[0] == 0)).any(|o| o[0] == 0 && o[1] != 0);
            self.report_if(Rule::ColorGap, gap);
        } else {
            let rule = if something { Rule::Position } else { Rule::NothingOutVertex };
            self.report_if(rule, outputs[0] != 0xf);
            self.report_if(Rule::VaryingPartial, varyings.iter().any(|m| *m != 0 && *m != 0xf));
        }
    }

    // ---- an instruction

    fn token(&mut self, token: &Token) {
        let Some(op) = token.op() else { return self.report(Rule::Opcode) };
        self.structure(op);
        // An opcode that is not available is one error; errors in its operands could only follow from it.
        if !self.is_available(op) {
            return;
        }
        self.report_if(Rule::NotImplemented, op == Opcode::Sgn);
        self.operands(token, op);
        self.check_combinations(token, op);
        self.check_flow(token, op);
    }

    fn structure(&mut self, op: Opcode) {
        match op {
            Opcode::Els => match self.blocks.last_mut() {
                None => self.report(Rule::Underflow),
                Some(block) => {
                    let (empty, other) = (block.empty, block.has_else);
                    (block.has_else, block.empty) = (true, true);
                    join(&mut block.outputs, std::mem::take(&mut self.written.in_branch));
                    self.report_if(Rule::EmptyBranch, empty);
                    self.report_if(Rule::Else, other);
                }
            },
            Opcode::Eif => match self.blocks.pop() {
                None => self.report(Rule::Underflow),
                Some(block) => {
                    join(&mut self.written.in_branch, block.outputs);
                    join(&mut self.written.in_branch, block.written_before);
                    self.report_if(Rule::EmptyBranch, block.empty);
                }
            },
            _ => {
                if let Some(block) = self.blocks.last_mut() {
                    block.empty = false;
                }
                if op.row().shape == Shape::Compare {
                    let around = std::mem::take(&mut self.written.in_branch);
                    self.blocks.push(Block {
                        has_else: false,
                        empty: true,
                        outputs: Default::default(),
                        written_before: around,
                    });
                    self.report_if(Rule::Nesting, self.blocks.len() > MAX_NESTING);
                }
            }
        }
    }

    /// Whether the opcode is available in this stage and version.
    fn is_available(&mut self, op: Opcode) -> bool {
        let row = op.row();
        let rule = if !row.stages.contains(&self.program.stage) {
            if row.stages.contains(&Stage::Fragment) { Rule::FragmentOnly } else { Rule::VertexOnly }
        } else if self.version_exists && row.version > self.program.version {
            if row.version == 4 { Rule::VersionFour } else { Rule::VersionTwo }
        } else {
            return true;
        };
        self.report(rule);
        false
    }

    fn operands(&mut self, token: &Token, op: Opcode) {
        if op.has_dest() {
            self.dest(token.dest);
            self.report_if(Rule::MaskW, token.dest.mask & 8 != 0 && !op.row().writes_w);
        } else {
            self.report_if(Rule::NoDestination, token.dest != Dest::default());
        }
        if op.sources() > 0 {
            self.source(&token.a, reads::rows(op, false));
        } else {
            self.report_if(Rule::Unused, token.a != Source::default());
        }
        match &token.b {
            SourceOrSampler::Sampler(s) => self.sampler(s, op),
            SourceOrSampler::Source(s) if op.sources() > 1 => self.source(s, reads::rows(op, true)),
            SourceOrSampler::Source(s) => self.report_if(Rule::Unused, *s != Source::default()),
        }
    }

    fn dest(&mut self, dest: Dest) {
        self.report_if(Rule::Reserved, dest.has_reserved());
        self.report_if(Rule::MaskZero, dest.mask == 0);
        let Some(file) = File::from_number(dest.file) else { return self.report(Rule::RegisterType) };
        let outside = dest.number >= self.count(file);
        let rule = match file {
            File::Attribute => Rule::AttributeWrite,
            File::Constant => Rule::ConstantWrite,
            File::Sampler => Rule::SamplerWrite,
            File::Instance => Rule::InstanceWrite,
            File::Varying if self.is_fragment() => Rule::VaryingWrite,
            File::Depth if !self.is_fragment() => Rule::DepthInVertex,
            File::Temporary if outside => Rule::TemporaryRange,
            File::Output if outside => Rule::OutputRange,
            File::Varying if outside => Rule::VaryingRange,
            File::Depth if outside => Rule::DepthRange,
            File::Temporary | File::Output | File::Varying | File::Depth => return,
        };
        self.report(rule);
    }

    fn source(&mut self, source: &Source, rows: u16) {
        self.report_if(Rule::Reserved, source.has_reserved());
        if source.indirect == 0 {
            let index = source.offset != 0 || source.index_file != 0 || source.index_component != 0;
            self.report_if(Rule::DirectFields, index);
            self.register(source.file, u32::from(source.number) + u32::from(rows) - 1);
            return;
        }
        self.report_if(Rule::IndirectInFragment, self.is_fragment());
        self.report_if(Rule::IndirectFile, !is_file(source.file, File::Constant));
        match File::from_number(source.index_file) {
            None => self.report(Rule::RegisterType),
            Some(File::Attribute | File::Constant | File::Temporary) => {
                // In a fragment program, an error about the indexing itself has already been recorded.
                if !self.is_fragment() {
                    self.register(source.index_file, u32::from(source.number));
                }
            }
            Some(_) => self.report(Rule::IndexFile),
        }
    }

    /// Checks a register that is read. `last` is the register number, or for a matrix that of the last row.
    fn register(&mut self, file: u8, last: u32) {
        let Some(file) = File::from_number(file) else { return self.report(Rule::RegisterType) };
        let fragment = self.is_fragment();
        let outside = last >= u32::from(self.count(file));
        let rule = match file {
            File::Attribute if fragment => Rule::AttributeRead,
            File::Varying if !fragment => Rule::VaryingRead,
            File::Sampler if fragment => Rule::SamplerAsSource,
            File::Sampler => Rule::SamplerInVertex,
            File::Output => Rule::OutputRead,
            // For a depth register in version 1, the player reports "out of range", whether it is read or written (RUFT).
            File::Depth if fragment && outside => Rule::DepthRange,
            File::Depth => Rule::OutputRead,
            File::Instance if fragment => Rule::InstanceInFragment,
            File::Instance if self.version_exists && self.program.version < 3 => Rule::InstanceVersion,
            File::Attribute | File::Instance if outside => Rule::AttributeRange,
            File::Constant if outside => Rule::ConstantRange,
            File::Temporary if outside => Rule::TemporaryRange,
            File::Varying if outside => Rule::VaryingRange,
            File::Attribute | File::Instance | File::Constant | File::Temporary | File::Varying => return,
        };
        self.report(rule);
    }

    fn sampler(&mut self, s: &Sampler, op: Opcode) {
        self.report_if(Rule::Reserved, s.has_reserved_besides_padding());
        self.report_if(Rule::SamplerPadding, s.zero24 != 0);
        self.report_if(Rule::SamplerWanted, !is_file(s.file, File::Sampler));
        let outside = s.number >= self.count(File::Sampler);
        self.report_if(Rule::SamplerRange, outside);
        let (dimension, wrap) = (Dimension::from_number(s.dimension), Wrap::from_number(s.wrap));
        let mip = Mip::from_number(s.mip);
        self.report_if(Rule::SamplerFormat, Format::from_number(s.format).is_none());
        self.report_if(Rule::Dimension, dimension.is_none());
        self.report_if(
            Rule::Special,
            Special::ALL.iter().fold(s.special, |rest, flag| rest & !(*flag as u8)) != 0,
        );
        self.report_if(Rule::Wrap, wrap.is_none());
        self.report_if(Rule::Mip, mip.is_none());
        self.report_if(Rule::Filter, Filter::from_number(s.filter).is_none());
        let cube = dimension == Some(Dimension::Cube);
        self.report_if(Rule::CubeClamp, cube && wrap != Some(Wrap::Clamp));
        self.report_if(Rule::CubeMip, cube && mip == Some(Mip::None));
        self.report_if(Rule::TedBias, op == Opcode::Ted && s.bias != 0);
        self.report_if(Rule::TedMip, op == Opcode::Ted && mip == Some(Mip::None));
        let anisotropic = Filter::from_number(s.filter) >= Some(Filter::Anisotropic2x);
        self.report_if(Rule::VertexAnisotropic, op == Opcode::Tld && anisotropic);
        if !outside {
            let first = *self.samplers[usize::from(s.number)].get_or_insert(*s);
            self.report_if(Rule::SamplerDiffers, first != *s);
        }
    }

    /// Checks rules about combinations of operands.
    fn check_combinations(&mut self, token: &Token, op: Opcode) {
        // An indexed constant cannot be folded.
        let constant = |s: &Source| is_file(s.file, File::Constant) && s.indirect == 0;
        let scalar = |s: &Source| s.is_replicated();
        match (op.row().shape, &token.b) {
            (Shape::Binary | Shape::Compare | Shape::Matrix { .. }, SourceOrSampler::Source(b)) => {
                self.report_if(Rule::BothConstant, constant(&token.a) && constant(b));
                self.report_if(Rule::BothIndirect, token.a.indirect != 0 && b.indirect != 0);
                match op.row().shape {
                    Shape::Matrix { .. } => self.report_if(Rule::MatrixSwizzle, b.swizzle != Source::XYZW),
                    Shape::Compare => {
                        self.report_if(Rule::NotScalar, !scalar(&token.a) || !scalar(b));
                        self.report_if(Rule::ConstantCondition, token.a == *b);
                    }
                    _ => {}
                }
            }
            (Shape::Unary, _) => self.report_if(Rule::OneConstant, op != Opcode::Mov && constant(&token.a)),
            (Shape::Kill, _) => self.report_if(Rule::NotScalar, !scalar(&token.a)),
            _ => {}
        }
    }

    /// Records a write of the position or of a varying. A write in a block is not reported as a repetition of an earlier write outside the block,
    /// because it may be meant to replace the value in some lanes.
    fn record_vertex_output(&mut self, at: usize, mask: u8) {
        if let Some(here) = self.written.in_branch.get_mut(at).filter(|_| self.program.stage == Stage::Vertex)
        {
            let again = *here & mask != 0;
            *here |= mask;
            self.report_if(Rule::OutputAgain, again);
        }
    }

    /// Checks rules about blocks and about earlier instructions.
    fn check_flow(&mut self, token: &Token, op: Opcode) {
        let inside = !self.blocks.is_empty();
        self.report_if(Rule::Derivative, inside && matches!(op, Opcode::Ddx | Opcode::Ddy));
        let computed = inside && op == Opcode::Tex && !is_file(token.a.file, File::Varying);
        self.report_if(Rule::ComputedCoordinates, computed);
        // Within one instruction all reads precede the write.
        let (mut unwritten, mut partly) = (false, false);
        let temporaries = &self.temporaries[..usize::from(self.count(File::Temporary)).min(TEMPORARIES)];
        reads(token, |read| {
            if let (true, Some(number)) = (is_file(read.file, File::Temporary), read.number)
                && let Some(written) = temporaries.get(usize::from(number))
            {
                unwritten |= *written == 0;
                partly |= *written != 0 && read.mask & !written != 0;
            }
        });
        self.report_if(Rule::Unwritten, unwritten);
        self.report_if(Rule::UnwrittenComponent, partly);
        self.written.kills |= op == Opcode::Kil;
        if !op.has_dest() {
            return;
        }
        let Dest { number, mask, file, .. } = token.dest;
        let at = usize::from(number);
        match File::from_number(file) {
            Some(File::Temporary) => {
                if let Some(written) = self.temporaries.get_mut(at) {
                    *written |= mask;
                }
            }
            Some(File::Varying) => {
                if let Some(written) = self.written.varyings.get_mut(at) {
                    *written |= mask;
                    self.record_vertex_output(1 + at, mask);
                }
            }
            Some(File::Output) => {
                self.report_if(Rule::OutputInBlock, inside);
                if let Some(written) = self.written.outputs.get_mut(at) {
                    let twice = *written != 0;
                    *written |= mask;
                    self.report_if(Rule::ColorTwice, twice && self.is_fragment());
                    self.report_if(Rule::ColorMask, mask != 0xf && self.is_fragment());
                    if at == 0 {
                        self.record_vertex_output(0, mask);
                    }
                }
            }
            Some(File::Depth) => {
                self.report_if(Rule::OutputInBlock, inside);
                self.report_if(Rule::DepthMask, mask != 1 && self.is_fragment());
                self.written.depth = true;
            }
            _ => {}
        }
    }
}
