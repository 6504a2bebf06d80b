//! `lockstep vector`.

use super::{Failure, Output};
use crate::case::EntryRef;
use crate::corpus::{
    Alternative, CONTRADICTED, Content, LaneError, Number, Vector, VectorLane, alternative, contradiction,
    filed, isa_of_path, lane, read_named, read_written, run_vector, sentence,
};
use crate::report::Exit;
use clap::Subcommand;
use lockstep_core::isa::IsaId;
use lockstep_core::text::count;
use lockstep_core::with_isa;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Record known results of a program as vectors. `lockstep check` compares both engines with them.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: lockstep vector add mine.toml --from measured.toml; `lockstep vector add --help` shows more"
)]
pub(super) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Add(Box<Add>),
}

/// Add a vector to a file of vectors, which is created if it does not exist.
///
/// A vector is a program, inputs, and the numbers that every lane must produce. A vector is refused if its program does not assemble or breaks a
/// rule, a register does not exist, a number does not parse, nothing is expected, or the file already contains the vector. A vector that contradicts
/// the reference is added nevertheless, because it may be right. The contradiction is printed, and `lockstep check` fails on it as *reference
/// contradicted*.
///
/// A LANE is REGISTER=x,y,z,w for each input, separated by `;`, then `->`, then the same for outputs, and `killed` or `alive` where that matters.
/// Omitted components are 0 for inputs and not compared for outputs; `any` is not compared either. Numbers are decimals that binary32 represents
/// exactly, inf, -inf, nan, -0, bits such as 0x3f800000, and for outputs ranges such as 1..0x3f800002. Stages that run in quads take four lanes, or
/// one that is used for all four. Textures, buffers and effects are written in a file in the format of `corpora/README.md`, which --from reads.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  lockstep vector add mine.toml --program add.agal.txt --name sum --source 'SEED, row add' --derivation '1 + 2 = 3' --lane 'va0=1; va1=2 -> op=3'
  lockstep vector add mine.toml --program rcp.vs.txt --isa d3d9 --name rcp-0 --source 'own run' --device 'card, driver 53.03' --date 2004-02-29 \\
      --lane 'v0=0 -> oPos=0x7f7fffff' --or 'another card: oPos=inf'
  lockstep vector add mine.toml --from measured.toml")]
struct Add {
    /// The file of vectors.
    file: PathBuf,
    /// A TOML file of vectors, all of which are added; - is standard input. It replaces the arguments that describe one vector.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["program", "text", "name", "source", "lane"])]
    from: Option<PathBuf>,
    /// The program: bytes or assembly text.
    #[arg(long, value_name = "FILE", required_unless_present_any = ["from", "text"])]
    program: Option<PathBuf>,
    /// The program's assembly text itself.
    #[arg(long, value_name = "ASSEMBLY", conflicts_with = "program")]
    text: Option<String>,
    /// The name of the vector, unique in the file.
    #[arg(long, required_unless_present = "from")]
    name: Option<String>,
    /// The source of the numbers: a section of a document, or a publication.
    #[arg(long, required_unless_present = "from")]
    source: Option<String>,
    /// How the numbers follow from the source; required unless a device is given.
    #[arg(long)]
    derivation: Option<String>,
    /// The device that produced the numbers: a console, a graphics card with its driver, a program with its version.
    #[arg(long)]
    device: Option<String>,
    /// The date of the measurement.
    #[arg(long, value_name = "YYYY-MM-DD")]
    date: Option<String>,
    /// The instruction set, if neither the file nor the program determines it.
    #[arg(long, value_name = "NAME")]
    isa: Option<IsaId>,
    /// The number of the program's entry.
    #[arg(long, value_name = "N", default_value_t = 0)]
    entry: u16,
    /// A choice where the documents disagree.
    #[arg(short = 'O', long = "option", value_name = "OPTION=CHOICE")]
    options: Vec<String>,
    /// A float constant.
    #[arg(long, value_name = "NUMBER=x,y,z,w", allow_hyphen_values = true)]
    constant: Vec<String>,
    /// An integer constant.
    #[arg(long, value_name = "NUMBER=x,y,z,w")]
    int: Vec<String>,
    /// A Boolean constant.
    #[arg(long, value_name = "NUMBER=BOOL")]
    bool: Vec<String>,
    /// The inputs of a lane and its expected results. May be given several times.
    #[arg(long, required_unless_present = "from", allow_hyphen_values = true)]
    lane: Vec<String>,
    /// An alternative result of all lanes together: WHY: OUTPUTS, those of further lanes after `|`. May be given several times.
    #[arg(long = "or", value_name = "ALTERNATIVE")]
    or: Vec<String>,
}

pub(super) fn run(arguments: &Arguments, out: &mut Output) -> Result<Exit, Failure> {
    let Action::Add(add) = &arguments.action;
    add.run(out)
}

impl Add {
    fn run(&self, out: &mut Output) -> Result<Exit, Failure> {
        let path = self.file.display().to_string();
        let path_isa = isa_of_path(&self.file);
        let before = match std::fs::metadata(&self.file) {
            Ok(_) => Some(read_existing(&self.file, self.isa.or(path_isa))?),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(Failure::Io(path, error)),
        };
        let asked = self.isa.or(before.as_ref().map(|(isa, _)| *isa)).or(path_isa);
        let (isa, vectors) = match &self.from {
            Some(from) => match read_named(from, asked)? {
                Content::Vectors { isa, vectors } => (isa, vectors),
                _ => return Err(Failure::Usage(format!("{} contains no vectors", from.display()))),
            },
            None => self.vector(asked).map(|(isa, vector)| (isa, vec![vector]))?,
        };
        let mut text = before.map(|(_, text)| text);
        for vector in &vectors {
            let whole = filed(text.as_deref(), path_isa, isa, vector)
                .map_err(|error| Failure::Usage(format!("{path}: {error}")))?;
            text = Some(whole);
        }
        write_whole(&self.file, text.as_deref().unwrap_or_default())?;
        writeln!(out, "{}: {} filed", path, count(vectors.len(), "vector"))?;
        let mut exit = Exit::Clean;
        for vector in &vectors {
            if let Err(failure) = run_vector(isa, vector) {
                exit = Exit::Findings;
                let problems = failure.problems.join("; ");
                match contradiction(isa, vector, &failure) {
                    Some(found) => {
                        writeln!(out, "{}: {CONTRADICTED}: {problems}; {}", vector.name, sentence(&found))?;
                    }
                    None => writeln!(out, "{}: {problems}", vector.name)?,
                }
            }
        }
        Ok(exit)
    }

    /// Returns the vector that the arguments describe.
    fn vector(&self, asked: Option<IsaId>) -> Result<(IsaId, Vector), Failure> {
        let (isa, program) = self.program(asked)?;
        let lanes = self
            .lane
            .iter()
            .zip(1..)
            .map(|(text, n)| lane(text).map_err(|error| bad_value(&format!("--lane {n}"), text, &error)));
        let alternatives = self.or.iter().zip(1..).map(|(text, n)| {
            alternative(text).map_err(|error| bad_value(&format!("--or {n}"), text, &error))
        });
        let (lane, alternative): (Vec<VectorLane>, Vec<Alternative>) =
            (lanes.collect::<Result<_, _>>()?, alternatives.collect::<Result<_, _>>()?);
        let of = |text: &Option<String>| text.clone().unwrap_or_default();
        let vector = Vector {
            name: of(&self.name),
            source: of(&self.source),
            derivation: of(&self.derivation),
            device: self.device.clone(),
            date: self.date.clone(),
            program,
            options: pairs("--option", &self.options, |_, choice| Ok(choice.to_owned()))?,
            constants: numbered("--constant", &self.constant, numbers)?,
            entry: EntryRef::Own(self.entry),
            ints: numbered("--int", &self.int, integers)?,
            bools: numbered("--bool", &self.bool, |text| {
                text.parse().map_err(|_| format!("'{text}' is neither true nor false"))
            })?,
            buffer: Vec::new(),
            fuel: None,
            room: None,
            texture: Vec::new(),
            lane,
            alternative,
        };
        Ok((isa, vector))
    }

    /// Returns the program's assembly text and its instruction set.
    fn program(&self, asked: Option<IsaId>) -> Result<(IsaId, String), Failure> {
        let Some(path) = &self.program else {
            let text = self.text.clone().unwrap_or_default();
            let isa = asked.or_else(|| crate::head::isa_of_text(&text));
            let isa = isa.ok_or_else(|| {
                Failure::Usage("the instruction set is missing: give it with --isa".to_owned())
            })?;
            return Ok((isa, text));
        };
        let (content, written) = read_written(path, asked)?;
        match (content, written) {
            (Content::Program { isa, .. }, Some(text)) => Ok((isa, text)),
            (Content::Program { isa, bytes }, None) => {
                let text = with_isa!(isa, I => I::decode(&bytes).map(|program| I::disassemble(&program)));
                let text = text.map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))?;
                Ok((isa, text))
            }
            _ => Err(Failure::Usage(format!("{} is not a program", path.display()))),
        }
    }
}

/// Returns the text of an existing file of vectors, and its instruction set.
fn read_existing(path: &Path, isa: Option<IsaId>) -> Result<(IsaId, String), Failure> {
    match read_named(path, isa)? {
        Content::Vectors { isa, .. } => {
            let text = std::fs::read_to_string(path);
            Ok((isa, text.map_err(|error| Failure::Io(path.display().to_string(), error))?))
        }
        _ => Err(Failure::Usage(format!("{} is not a file of vectors", path.display()))),
    }
}

/// Replaces a file's content atomically.
fn write_whole(path: &Path, text: &str) -> Result<(), Failure> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let new = path.with_file_name(name);
    let failed = |error| Failure::Io(path.display().to_string(), error);
    std::fs::write(&new, text).map_err(failed)?;
    std::fs::rename(&new, path).map_err(failed)
}

fn bad_value(argument: &str, text: &str, error: &LaneError) -> Failure {
    Failure::Usage(format!("{argument} '{text}': {error}"))
}

/// Parses arguments of the form NAME=VALUE.
fn pairs<T>(
    argument: &str,
    all: &[String],
    read: impl Fn(&str, &str) -> Result<T, String>,
) -> Result<BTreeMap<String, T>, Failure> {
    let mut pairs = BTreeMap::new();
    for (text, n) in all.iter().zip(1..) {
        let wrong = |message: String| Failure::Usage(format!("{argument} {n} '{text}': {message}"));
        let (name, value) =
            text.split_once('=').ok_or_else(|| wrong("it is not of the form NAME=VALUE".to_owned()))?;
        let value = read(name, value).map_err(wrong)?;
        if pairs.insert(name.to_owned(), value).is_some() {
            return Err(wrong(format!("{name} is given twice")));
        }
    }
    Ok(pairs)
}

/// Parses arguments of the form `NUMBER=VALUE`.
fn numbered<T>(
    argument: &str,
    all: &[String],
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<BTreeMap<u16, T>, Failure> {
    let pairs = pairs(argument, all, |name, value| {
        let number: u16 = name.parse().map_err(|_| format!("'{name}' is not the number of a constant"))?;
        Ok((number, read(value)?))
    })?;
    Ok(pairs.into_values().collect())
}

/// Parses up to four values; omitted ones are `missing`.
fn four<T: Copy>(text: &str, missing: T, read: impl Fn(&str) -> Result<T, String>) -> Result<[T; 4], String> {
    let mut values = [missing; 4];
    for (part, n) in text.split(',').zip(0..) {
        let at = |message: String| format!("component {}: {message}", n + 1);
        let place = values.get_mut(n).ok_or_else(|| at("a constant has only four components".to_owned()))?;
        *place = read(part.trim()).map_err(at)?;
    }
    Ok(values)
}

fn numbers(text: &str) -> Result<[Number; 4], String> {
    four(text, Number::Exactly(0.0), Number::from_text)
}

fn integers(text: &str) -> Result<[i32; 4], String> {
    four(text, 0, |part| part.parse().map_err(|_| format!("'{part}' is not a 32-bit integer")))
}
