//! Generators: valid, nearly valid and noise programs, environments to run them in, and mutations of cases.
//!
//! Each generator takes its choices from an [`Entropy`], so the same code serves fuzzers, tests and the command line. Each instruction
//! set implements [`Generate`] in a folder of its own; everything else is generic.

mod a2xx;
mod agal;
mod arbitrary;
mod covering;
mod d3d9;
mod drawing;
mod entropy;
mod environment;
mod health;
mod mutate;
mod needs;
mod never_together;
mod pica200;
mod range;
mod registers;
mod requested;
mod retry;
mod utgard_gp;
mod value;

pub use arbitrary::{Generated, GeneratedEnvironment, GeneratedProgram};
#[cfg(feature = "cli")]
pub(crate) use covering::store_covering;
pub use covering::{Covering, covering};
pub use entropy::Entropy;
use environment::representable_vector;
pub use environment::{environment, vary};
pub use health::Health;
pub use mutate::{Mutant, Runs, any_edit, child, crossover, mutate};
pub use needs::{BufferNeed, Needs};
pub use never_together::{NeverTogether, never_together, together};
pub use registers::with_registers;
pub(crate) use requested::legal_versions;
pub use requested::program_with;

use crate::case::{Case, EntryRef};
use lockstep_core::host::Environment;
use lockstep_core::isa::{Context, CoverPoint, Interface, Isa, IsaId, Options, Stage, Tables};
use lockstep_core::with_isa;

/// The number of lanes of a generated environment: two quads.
pub const LANES: usize = 8;

/// A request for a program. The generator chooses the properties that the request leaves open, and resolves conflicts between requested ones.
#[derive(Clone, Debug, Default)]
pub struct ProgramRequest {
    /// A mnemonic that some instruction must have.
    pub opcode: Option<&'static str>,
    /// The shader stage.
    pub stage: Option<Stage>,
    /// The version or profile number.
    pub version: Option<u32>,
    /// The approximate number of instructions, not counting those that combine results into outputs.
    pub size: Option<usize>,
}

/// The generator of an instruction set.
pub trait Generate: Isa {
    /// The stages for which programs are generated. A request for one of these stages is satisfied unless
    /// the requested opcode does not exist in that stage.
    const STAGES: &'static [Stage];

    /// Pairs of modifiers of one opcode that no instruction of a generated program combines, in addition to those that the facets exclude.
    const NEVER_TOGETHER: &'static [NeverTogether] = &[];

    /// The quality bounds that tests enforce for the generator.
    const HEALTH: Health = Health::USUAL;

    /// Generates a program without error-level violations. Most of its instructions influence an output.
    fn program(e: &mut Entropy<'_>, request: &ProgramRequest) -> Self::Program;

    /// Generates a valid program and makes one invalidating change. Some changes only cause a warning, and a few do not affect validity.
    fn near_valid(e: &mut Entropy<'_>, request: &ProgramRequest) -> Self::Program;

    /// Generates bytes that begin like a program and continue with random bytes.
    fn noise(e: &mut Entropy<'_>) -> Vec<u8>;

    /// Returns the resources that a program reads in this context and that its interface does not list.
    fn needs(cx: &Context<'_, Self>) -> Needs;

    /// Joins the beginning of one program and the end of the other; `None` if they cannot be joined.
    fn splice(e: &mut Entropy<'_>, a: &Self::Program, b: &Self::Program) -> Option<Self::Program>;
}

/// Generates a valid program with an environment to run it in.
pub fn case<I: Generate>(e: &mut Entropy<'_>, request: &ProgramRequest) -> Case {
    // The environment's choices are made first. Otherwise a short input would leave no bytes for values that differ between lanes.
    let mut outside = e.fork();
    let program = I::program(e, request);
    case_for_program::<I>(&mut outside, &program)
}

/// Generates a case like [`case`] whose program has an instruction with all of these coverage points, if [`program_with`] finds one.
pub fn case_with<I: Generate>(e: &mut Entropy<'_>, points: &[CoverPoint], request: &ProgramRequest) -> Case {
    let mut outside = e.fork();
    let program = program_with::<I>(e, points, request);
    case_for_program::<I>(&mut outside, &program)
}

/// Builds a case that starts the program at one of its entries, in an environment generated for it.
pub fn case_for_program<I: Generate>(e: &mut Entropy<'_>, program: &I::Program) -> Case {
    let entries = I::entries(program);
    let number = e.below(entries.len());
    let mut case = Case::new::<I>(program, Environment::default());
    case.entry = EntryRef::Own(number as u16);
    case.env = match entries.get(number) {
        Some(entry) => {
            let options = Options::new(I::option_specs());
            let cx = Context { program, entry, options: &options };
            environment(e, &entry.interface, &I::needs(&cx))
        }
        None => environment(e, &Interface::default(), &Needs::default()),
    };
    case
}

/// Generates a case for a fuzzer. The program is usually valid, sometimes nearly valid, and occasionally random bytes; some cases have non-default
/// options.
pub fn any_case(isa: IsaId, e: &mut Entropy<'_>) -> Case {
    with_isa!(isa, I => any_case_of::<I>(e))
}

/// Generates a case as [`any_case`] does, for the instruction set `I`.
pub fn any_case_of<I: Generate>(e: &mut Entropy<'_>) -> Case {
    let mut case = match e.weighted(&[80, 14, 6]) {
        0 => case::<I>(e, &ProgramRequest::default()),
        1 => {
            let mut outside = e.fork();
            let program = I::near_valid(e, &ProgramRequest::default());
            case_for_program::<I>(&mut outside, &program)
        }
        _ => {
            let env = environment(&mut e.fork(), &Interface::default(), &Needs::default());
            Case { env, ..Case::bare(I::ID, &noise::<I>(e)) }
        }
    };
    choose_options::<I>(e, &mut case);
    case
}

/// Generates bytes: a program's beginning followed by noise, a truncated program, or only noise.
pub fn noise<I: Generate>(e: &mut Entropy<'_>) -> Vec<u8> {
    match e.weighted(&[60, 15, 25]) {
        0 => I::noise(e),
        1 => {
            let mut bytes =
                I::encode(&I::program(e, &ProgramRequest { size: Some(3), ..ProgramRequest::default() }));
            bytes.truncate(e.below(bytes.len() + 1));
            bytes
        }
        _ => e.bytes(512),
    }
}

/// Sets one or two options in a quarter of all cases.
fn choose_options<I: Tables>(e: &mut Entropy<'_>, case: &mut Case) {
    if !e.chance(25) {
        return;
    }
    for _ in 0..e.between(1, 2) {
        if let Some(option) = e.pick(I::option_specs())
            && let Some(choice) = e.pick(option.choices)
        {
            case.options.insert(option.name.to_owned(), (*choice).to_owned());
        }
    }
}
