//! Generators: programs that are valid, nearly valid or noise, environments to run them in, and mutations of cases.
//!
//! Each generator takes its choices from an [`Entropy`], so the same code serves fuzzers, tests and the command line. What only one
//! instruction set knows is in [`Generate`], one folder each; everything else is generic.

mod a2xx;
mod agal;
mod apart;
mod arbitrary;
mod covering;
mod d3d9;
mod entropy;
mod environment;
mod health;
mod mutate;
mod named;
mod needs;
mod pica200;
mod range;
mod requested;
mod until;
mod utgard_gp;
mod value;

pub use apart::{Apart, apart, together};
pub use arbitrary::{Generated, GeneratedEnvironment, GeneratedProgram};
#[cfg(feature = "cli")]
pub(crate) use covering::was_drawn;
pub use covering::{Covering, covering};
pub use entropy::Entropy;
pub use environment::environment;
pub use health::Health;
pub use mutate::{crossover, mutate};
pub use needs::{BufferNeed, Needs};

use crate::case::{Case, EntryRef};
use lockstep_core::host::Environment;
use lockstep_core::isa::{ClassPoint, Context, Interface, Isa, IsaId, Options, Stage};
use lockstep_core::with_isa;

/// Lanes of a generated environment: two quads.
pub const LANES: usize = 8;

/// What a generated program should be like. What a wish leaves open, or what cannot be had together, is chosen.
#[derive(Clone, Debug, Default)]
pub struct Wish {
    /// Some instruction belongs to this class.
    pub class: Option<ClassPoint>,
    /// The same instruction belongs to these classes of the same opcode, too.
    pub also: Vec<ClassPoint>,
    /// Some instruction has this mnemonic.
    pub opcode: Option<&'static str>,
    /// The stage.
    pub stage: Option<Stage>,
    /// The version or profile number.
    pub version: Option<u32>,
    /// About how many instructions, before those that bring results to the outputs.
    pub size: Option<usize>,
}

impl Wish {
    /// The classes that one instruction is to belong to.
    pub fn classes(&self) -> impl Iterator<Item = &ClassPoint> {
        self.class.iter().chain(&self.also)
    }

    /// The kinds of these classes, each with which of the kind it is.
    pub fn modifiers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.classes().map(|class| class.modifier.split_once('=').unwrap_or_default())
    }

    /// How often something is tried for which `usual` attempts are made: classes together are too rare to be worth as many as one.
    pub fn attempts(&self, usual: usize) -> usize {
        if self.also.is_empty() { usual } else { usual.div_ceil(6) }
    }

    /// Whether an instruction belongs to all classes that are wished for.
    pub fn is_met_at<I: Isa>(&self, program: &I::Program, word: u32) -> bool {
        self.classes().all(|class| I::facets().is_of(program, word, class))
    }
}

/// What a generator needs to know about an instruction set.
pub trait Generate: Isa {
    /// The stages that programs are generated for; a wish for one of them comes true.
    const STAGES: &'static [Stage];

    /// The modifiers that no instruction of a generated program has together, though some opcode has both, besides those that facets say never
    /// meet.
    const APART: &'static [Apart] = &[];

    /// What tests hold the generator to.
    const HEALTH: Health = Health::USUAL;

    /// A program without error-level violations, nearly all of whose instructions have a say in an output.
    fn program(e: &mut Entropy<'_>, wish: &Wish) -> Self::Program;

    /// A valid program with one thing broken. Some breakages only deserve a warning, and a few none.
    fn near_valid(e: &mut Entropy<'_>, wish: &Wish) -> Self::Program;

    /// Bytes that begin like a program and go on at random.
    fn noise(e: &mut Entropy<'_>) -> Vec<u8>;

    /// What a program reads, run in this way, that its interface does not count.
    fn needs(cx: &Context<'_, Self>) -> Needs;

    /// A program made of the beginning of one and the end of the other; `None` if they do not go together.
    fn splice(e: &mut Entropy<'_>, a: &Self::Program, b: &Self::Program) -> Option<Self::Program>;
}

/// A valid program with an environment to run it in.
pub fn case<I: Generate>(e: &mut Entropy<'_>, wish: &Wish) -> Case {
    // The environment's bulk comes first, or a short input would leave nothing to tell lanes apart.
    let mut outside = e.fork();
    let program = program::<I>(e, wish);
    around::<I>(&mut outside, &program)
}

/// A valid program. Where the generator did not come to the classes that are wished for, setters of facets do; what no setter can do either
/// stays undone.
pub fn program<I: Generate>(e: &mut Entropy<'_>, wish: &Wish) -> I::Program {
    let program = I::program(e, wish);
    let is_open = wish.class.is_some() && !requested::is_met::<I>(&program, wish);
    is_open.then(|| requested::requested::<I>(&program, wish)).flatten().unwrap_or(program)
}

/// A program, entered at one of its entries, with an environment made for that.
pub fn around<I: Generate>(e: &mut Entropy<'_>, program: &I::Program) -> Case {
    let entries = I::entries(program);
    let number = e.below(entries.len());
    let mut case = Case::new::<I>(program, Environment::default());
    case.entry = EntryRef::Own(number as u16);
    case.env = match entries.get(number) {
        Some(entry) => {
            let options = Options::new(I::axes());
            let cx = Context { program, entry, options: &options };
            environment(e, &entry.interface, &I::needs(&cx))
        }
        None => environment(e, &Interface::default(), &Needs::default()),
    };
    case
}

/// A case as a fuzzer wants it: mostly valid, sometimes nearly, now and then noise; options at times not the default.
pub fn any_case(isa: IsaId, e: &mut Entropy<'_>) -> Case {
    with_isa!(isa, I => {
        let mut case = match e.weighted(&[80, 14, 6]) {
            0 => case::<I>(e, &Wish::default()),
            1 => {
                let mut outside = e.fork();
                let program = <I as Generate>::near_valid(e, &Wish::default());
                around::<I>(&mut outside, &program)
            }
            _ => {
                let env = environment(&mut e.fork(), &Interface::default(), &Needs::default());
                Case { env, ..Case::bare(isa, &noise::<I>(e)) }
            }
        };
        choose_options::<I>(e, &mut case);
        case
    })
}

/// Bytes: a program's beginning with noise, a program cut short, or nothing but noise.
pub fn noise<I: Generate>(e: &mut Entropy<'_>) -> Vec<u8> {
    match e.weighted(&[60, 15, 25]) {
        0 => I::noise(e),
        1 => {
            let mut bytes = I::encode(&I::program(e, &Wish { size: Some(3), ..Wish::default() }));
            bytes.truncate(e.below(bytes.len() + 1));
            bytes
        }
        _ => e.bytes(512),
    }
}

/// Sets one or two options, in one case of four.
fn choose_options<I: Isa>(e: &mut Entropy<'_>, case: &mut Case) {
    if !e.chance(25) {
        return;
    }
    for _ in 0..e.between(1, 2) {
        if let Some(axis) = e.pick(I::axes())
            && let Some(choice) = e.pick(axis.choices)
        {
            case.options.insert(axis.name.to_owned(), (*choice).to_owned());
        }
    }
}
