//! `lockstep case`.

use super::{Failure, Output, input};
use crate::case::{Case, EntryRef};
use crate::report::Exit;
use clap::Subcommand;
use lockstep_core::host::{Environment, LaneInput};
use lockstep_core::isa::IsaId;
use lockstep_core::with_isa;
use std::io::Write;
use std::path::PathBuf;

/// The description of the case format that `lockstep case format` prints.
const FORMAT: &str = include_str!("case_format.md");
/// The most slots of a file and lanes that numbers can be given for.
const MOST: usize = 4096;

/// Make a case of a program and numbers of one's own, or describe the format of cases.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  lockstep case new shader.agal --constant 0=1,0.5,0,1 --input 0=0x3f800000,0,0,1 -o c.toml\n  \
    lockstep case format"
)]
pub(super) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    New(New),
    /// Describe the text form of cases.
    Format,
}

/// Make a case of a program and numbers.
///
/// Numbers are decimal, `inf`, `-inf`, `nan`, or bits such as 0x3f800000. Components left out are 0, slots that nothing names read 0.
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
    #[arg(long, value_name = "[LANE:]SLOT=NUMBERS")]
    input: Vec<String>,
    /// A choice where the documents disagree.
    #[arg(short = 'O', long = "option", value_name = "OPTION=CHOICE")]
    options: Vec<String>,
    /// Which of the program's entries.
    #[arg(long, value_name = "N", default_value_t = 0)]
    entry: u16,
    /// Backward transfers a lane may make.
    #[arg(long, value_name = "N", default_value_t = 256)]
    fuel: u32,
    /// Effects a lane may record.
    #[arg(long, value_name = "N", default_value_t = 64)]
    effects: u32,
    /// Read the program as this instruction set.
    #[arg(long, value_name = "NAME")]
    isa: Option<IsaId>,
    /// Where to write the case; - is standard output.
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

pub(super) fn run(arguments: &Arguments, out: &mut Output) -> Result<Exit, Failure> {
    match &arguments.what {
        What::Format => write!(out, "{FORMAT}")?,
        What::New(new) => {
            let case = new.case()?;
            input::write(&new.output, case.to_text(None).as_bytes(), out)?;
        }
    }
    Ok(Exit::Clean)
}

impl New {
    fn case(&self) -> Result<Case, Failure> {
        let (isa, bytes) = input::program(&self.program, self.isa)?;
        let mut env = Environment { fuel: self.fuel, effects: self.effects, ..Environment::default() };
        for given in &self.constant {
            let (slot, numbers) = assignment(given)?;
            *at(&mut env.constants, slot, given)? = floats(numbers, given)?;
        }
        for given in &self.int {
            let (slot, numbers) = assignment(given)?;
            *at(&mut env.ints, slot, given)? = components(numbers, given, |n| n.parse().ok())?;
        }
        for given in &self.bool {
            let (slot, value) = assignment(given)?;
            *at(&mut env.bools, slot, given)? =
                value.parse().map_err(|_| wrong(given, "is neither true nor false"))?;
        }
        env.lanes.push(LaneInput::default());
        for given in &self.input {
            let (place, numbers) = assignment(given)?;
            let (lane, slot) = place.split_once(':').unwrap_or(("0", place));
            let slots = &mut at(&mut env.lanes, lane, given)?.slots;
            *at(slots, slot, given)? = floats(numbers, given)?;
        }
        let mut case = Case { env, entry: EntryRef::Own(self.entry), ..Case::bare(isa, &bytes) };
        input::set_options(&mut case, &self.options)?;
        with_isa!(isa, I => case.list_inputs::<I>())
            .map_err(|error| Failure::Usage(format!("{}: {error}", self.program.display())))?;
        Ok(case)
    }
}

fn wrong(given: &str, what: &str) -> Failure {
    Failure::Usage(format!("'{given}' {what}"))
}

/// Both sides of `slot=value`.
fn assignment(given: &str) -> Result<(&str, &str), Failure> {
    given.split_once('=').ok_or_else(|| wrong(given, "is not of the form SLOT=VALUE"))
}

/// The element of a file at a slot, which is given as text; the file grows to it.
fn at<'f, T: Clone + Default>(file: &'f mut Vec<T>, slot: &str, given: &str) -> Result<&'f mut T, Failure> {
    let number = slot.trim().parse::<usize>().ok().filter(|n| *n < MOST);
    let number =
        number.ok_or_else(|| wrong(given, &format!("has no slot or lane '{slot}': 0 to {}", MOST - 1)))?;
    if file.len() <= number {
        file.resize(number + 1, T::default());
    }
    file.get_mut(number).ok_or_else(|| wrong(given, "has no such slot"))
}

fn floats(numbers: &str, given: &str) -> Result<[f32; 4], Failure> {
    components(numbers, given, |number| match number.strip_prefix("0x") {
        Some(bits) => u32::from_str_radix(bits, 16).ok().map(f32::from_bits),
        None => number.parse().ok(),
    })
}

/// Up to four numbers with commas between them.
fn components<T: Copy + Default>(
    numbers: &str,
    given: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<[T; 4], Failure> {
    let mut vector = [T::default(); 4];
    for (n, number) in numbers.split(',').enumerate() {
        let component = vector.get_mut(n).ok_or_else(|| wrong(given, "has more than four components"))?;
        *component = parse(number.trim())
            .ok_or_else(|| wrong(given, &format!("has '{number}', which is no number")))?;
    }
    Ok(vector)
}
