//! `lockstep case`.

use super::slots::{self, Slots};
use super::{Failure, Output, input};
use crate::case::{Case, CaseError, EntryRef, MAX_LANES};
use crate::report::Exit;
use clap::Subcommand;
use lockstep_core::host::LaneInput;
use lockstep_core::isa::{InputFile, Isa, IsaId};
use lockstep_core::with_isa;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The description of the case format that `lockstep case format` prints.
const FORMAT: &str = include_str!("case_format.md");

/// Make a case from a program and given numbers, list the slots of a program, or describe the format of cases.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  lockstep case new shader.agal --constant 0=1,0.5,0,1 --input 0=0x3f800000,0,0,1 -o c.toml\n  \
    lockstep case new shader.vso --constant worldViewProj[0]=1,0,0,0 --input position0=1,2,3,1\n  lockstep case slots shader.vso\n  \
    lockstep case format"
)]
pub(super) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    New(New),
    /// Show the slots of a program's inputs, constants and outputs, with their names.
    Slots(SlotsArguments),
    /// Describe the text form of cases.
    Format,
}

/// Make a case from a program and numbers.
///
/// Numbers are decimal, `inf`, `-inf`, `nan`, or bits such as 0x3f800000; integer constants take decimal integers only. Omitted components are 0, and
/// so are slots without a value. A SLOT is a number or a name; `lockstep case slots PROGRAM` shows both. Names are those of registers (AGAL va0, v0,
/// vc3; D3D9 v0, t1, vPos, c3, i0, b0;
/// PICA200 v0, and r0, a0, cmp for values left by an earlier run, c3, i0, b0; A2xx R0, C3; Utgard GP as printed by `dis`) and those the program
/// defines itself: declared usages of D3D9 such as position0 or texcoord2, names of its constant table, symbols of PICA200. Slots that the program
/// does not have are refused.
#[derive(Debug, clap::Args)]
struct New {
    /// A program (bytes or assembly text).
    program: PathBuf,
    /// A float constant: SLOT=x,y,z,w.
    #[arg(long, value_name = "SLOT=NUMBERS")]
    constant: Vec<String>,
    /// An integer constant: SLOT=x,y,z,w.
    #[arg(long, value_name = "SLOT=NUMBERS", allow_hyphen_values = true)]
    int: Vec<String>,
    /// A Boolean constant: SLOT=true or SLOT=false.
    #[arg(long, value_name = "SLOT=BOOL")]
    bool: Vec<String>,
    /// An input, of lane 0 or of the lane named before it: [LANE:]SLOT=x,y,z,w.
    // A help text, in which rustdoc takes the brackets for a link.
    #[allow(rustdoc::broken_intra_doc_links)]
    #[arg(long, value_name = "[LANE:]SLOT=NUMBERS")]
    input: Vec<String>,
    /// A choice where the documents disagree.
    #[arg(short = 'O', long = "option", value_name = "OPTION=CHOICE")]
    options: Vec<String>,
    /// The number of the program's entry to run.
    #[arg(long, value_name = "N", default_value_t = 0)]
    entry: u16,
    /// The number of backward transfers and calls that a lane may make.
    #[arg(long, value_name = "N", default_value_t = 256)]
    fuel: u32,
    /// The number of effects that a lane may record.
    #[arg(long, value_name = "N", default_value_t = 64)]
    effects: u32,
    /// Read the program as this instruction set.
    #[arg(long, value_name = "NAME")]
    isa: Option<IsaId>,
    /// Where to write the case; - is standard output.
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

#[derive(Debug, clap::Args)]
struct SlotsArguments {
    /// A program (bytes or assembly text).
    program: PathBuf,
    /// The number of the program's entry.
    #[arg(long, value_name = "N", default_value_t = 0)]
    entry: u16,
    /// Read the program as this instruction set.
    #[arg(long, value_name = "NAME")]
    isa: Option<IsaId>,
}

pub(super) fn run(arguments: &Arguments, out: &mut Output) -> Result<Exit, Failure> {
    match &arguments.action {
        Action::Format => write!(out, "{FORMAT}")?,
        Action::Slots(shown) => {
            let (isa, bytes) = input::program(&shown.program, shown.isa)?;
            let case = Case { entry: EntryRef::Own(shown.entry), ..Case::bare(isa, &bytes) };
            let table = with_isa!(isa, I => case.resolve::<I>().map(|resolved| slots::table(&resolved)));
            let table = table.map_err(|error| unusable_program(&shown.program, &error))?;
            write!(out, "{table}")?;
        }
        Action::New(new) => {
            input::not_over_itself(&new.program, &new.output)?;
            let case = new.case()?;
            input::write(&new.output, case.to_text(None).as_bytes(), out)?;
        }
    }
    Ok(Exit::Clean)
}

impl New {
    fn case(&self) -> Result<Case, Failure> {
        let (isa, bytes) = input::program(&self.program, self.isa)?;
        let mut case = Case { entry: EntryRef::Own(self.entry), ..Case::bare(isa, &bytes) };
        input::set_options(&mut case, &self.options)?;
        with_isa!(isa, I => self.fill::<I>(case))
    }

    fn fill<I: Isa>(&self, mut case: Case) -> Result<Case, Failure> {
        let resolved = case.resolve::<I>().map_err(|error| unusable_program(&self.program, &error))?;
        let env = &mut case.env;
        (env.fuel, env.effects) = (self.fuel, self.effects);
        let slot = |slots: &Slots, name: &str, text: &str| {
            slots.find(name.trim()).map(usize::from).map_err(|problem| wrong(text, &problem))
        };
        let constants = slots::slots_of_file(&resolved, InputFile::Constant);
        for text in &self.constant {
            let (name, numbers) = assignment(text)?;
            *at(&mut env.constants, slot(&constants, name, text)?) = floats(numbers, text)?;
        }
        let ints = slots::slots_of_file(&resolved, InputFile::Int);
        for text in &self.int {
            let (name, numbers) = assignment(text)?;
            *at(&mut env.ints, slot(&ints, name, text)?) = components(numbers, text, |n| n.parse().ok())?;
        }
        let bools = slots::slots_of_file(&resolved, InputFile::Bool);
        for text in &self.bool {
            let (name, value) = assignment(text)?;
            *at(&mut env.bools, slot(&bools, name, text)?) =
                value.parse().map_err(|_| wrong(text, "is neither true nor false"))?;
        }
        env.lanes.push(LaneInput::default());
        let inputs = slots::slots_of_file(&resolved, InputFile::Input);
        for text in &self.input {
            let (place, numbers) = assignment(text)?;
            let (lane, name) = place.split_once(':').unwrap_or(("0", place));
            let lane = lane.trim().parse::<usize>().ok().filter(|lane| *lane < MAX_LANES);
            let lane =
                lane.ok_or_else(|| wrong(text, &format!("names no lane: lanes are 0 to {}", MAX_LANES - 1)))?;
            *at(&mut at(&mut env.lanes, lane).slots, slot(&inputs, name, text)?) = floats(numbers, text)?;
        }
        case.list_inputs::<I>().map_err(|error| unusable_program(&self.program, &error))?;
        let resolved = case.resolve::<I>().map_err(|error| unusable_program(&self.program, &error))?;
        match resolved.exceeded_limits(&case.env).first() {
            Some(beyond) => Err(Failure::Usage(format!("{}: {beyond}", self.program.display()))),
            None => Ok(case),
        }
    }
}

fn unusable_program(program: &Path, error: &CaseError) -> Failure {
    Failure::Usage(format!("{}: {error}", program.display()))
}

fn wrong(text: &str, problem: &str) -> Failure {
    Failure::Usage(format!("'{text}' {problem}"))
}

/// Splits `slot=value` at the equals sign.
fn assignment(text: &str) -> Result<(&str, &str), Failure> {
    text.split_once('=').ok_or_else(|| wrong(text, "is not of the form SLOT=VALUE"))
}

/// Returns the element of a register file at a slot; the file is extended if needed.
fn at<T: Clone + Default>(file: &mut Vec<T>, slot: usize) -> &mut T {
    if file.len() <= slot {
        file.resize(slot + 1, T::default());
    }
    &mut file[slot]
}

fn floats(numbers: &str, text: &str) -> Result<[f32; 4], Failure> {
    components(numbers, text, |number| match number.strip_prefix("0x") {
        Some(bits) => u32::from_str_radix(bits, 16).ok().map(f32::from_bits),
        None => number.parse().ok(),
    })
}

/// Parses up to four numbers separated by commas.
fn components<T: Copy + Default>(
    numbers: &str,
    text: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<[T; 4], Failure> {
    let mut vector = [T::default(); 4];
    for (n, number) in numbers.split(',').enumerate() {
        let component = vector.get_mut(n).ok_or_else(|| wrong(text, "has more than four components"))?;
        *component = parse(number.trim())
            .ok_or_else(|| wrong(text, &format!("has '{number}', which is not a number")))?;
    }
    Ok(vector)
}
