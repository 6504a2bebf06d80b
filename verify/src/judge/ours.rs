//! Our own engines as subjects: to test the connections and, with a fault added, to re-enact published bugs.

use super::bugs::FailureMode;
use super::registers;
use super::subject::MAX_STEPS;
use super::subject::{
    Ability, Answer, Bits, Decoded, EffectData, EntryData, Failure, FailureKind, Greeting, Hello, Hex,
    InstructionData, LaneData, LaneStatus, Language, PROTOCOL, ProgramData, Question, Ran, RunData, Subject,
    Traced, Verdict,
};
use super::traced::trace;
use crate::case::{Case, EntryRef, MAX_EFFECTS, MAX_FUEL, Resolved};
use crate::engine::{Executor, LaneOutcome, Outcome, Sampler, evaluate_with, reference_with};
use lockstep_core::host::{Buffer, Environment, LaneInput, Texture};
use lockstep_core::isa::lowering::Mode;
use lockstep_core::isa::registers::register;
use lockstep_core::isa::{End, Entry, Isa, IsaId, Legality, Syntax, Tables, lower};
use lockstep_core::with_isa;
use std::collections::{BTreeMap, HashMap};

/// Selects the engine that runs programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Programs run on the reference.
    Reference,
    /// Programs run on the executor at the highest vector level of this machine's processor.
    Executor,
}

/// A subject that uses one of our engines and our decoder.
pub struct OwnEngine {
    isa: IsaId,
    engine: Engine,
    options: BTreeMap<String, String>,
    executor: Executor,
    fault: Option<Box<dyn Fault>>,
    /// Whether a fault may end the process or keep it from answering.
    ends: bool,
    /// Whether answers contain only those components of final registers whose values are defined, as in the files of findings.
    only_defined: bool,
}

/// A fault of a subject: changes a case before the engine processes it, or makes the subject fail.
pub(super) trait Fault {
    /// Changes the case before it is decoded.
    ///
    /// # Errors
    /// How the subject fails instead.
    fn read(&self, case: Case) -> Result<Case, FailureMode>;

    /// Changes the case before it is run.
    ///
    /// # Errors
    /// How the subject fails instead.
    fn run(&self, case: Case) -> Result<Case, FailureMode>;
}

impl OwnEngine {
    /// Creates a subject for an instruction set.
    pub fn new(isa: IsaId, engine: Engine) -> OwnEngine {
        let (options, executor) = (BTreeMap::new(), Executor::default());
        OwnEngine { isa, engine, options, executor, fault: None, ends: false, only_defined: false }
    }

    /// Adds a fault to the subject.
    #[must_use]
    pub(super) fn with_fault(self, fault: Box<dyn Fault>, ends: bool) -> OwnEngine {
        OwnEngine { fault: Some(fault), ends, ..self }
    }

    /// Returns the case that a question is about.
    fn case(&self, program: &ProgramData, env: Environment) -> Case {
        Case {
            isa: self.isa,
            bytes: program.bytes.0.clone(),
            entry: program.entry.as_ref().map_or(EntryRef::Own(0), entry),
            options: self.options.clone(),
            env,
        }
    }

    /// Fails in the given way. Returns the message of a rejection, or a failure unless the process ends or hangs.
    fn fail(&self, by: FailureMode) -> Result<String, Failure> {
        let failed =
            |message: &str| Err(Failure { kind: FailureKind::Reported, message: message.to_owned() });
        match by {
            FailureMode::Refusal => Ok("the program is refused".to_owned()),
            FailureMode::Crash if self.ends => std::process::abort(),
            FailureMode::Crash => failed("the subject crashes on this program"),
            FailureMode::Hang if self.ends => loop {
                std::hint::spin_loop();
            },
            FailureMode::Hang => failed("the subject hangs on this program"),
        }
    }
}

/// Returns the entry that a message describes.
fn entry(data: &EntryData) -> EntryRef {
    if let Some(number) = data.number {
        return EntryRef::Own(number);
    }
    EntryRef::Given(described(data))
}

/// Returns the entry as described, even if it is one of the program's own.
pub(super) fn described(data: &EntryData) -> Entry {
    Entry {
        stage: data.stage,
        start: data.start,
        version: data.version,
        interface: data.interface.clone(),
        extra: data.extra,
    }
}

impl Subject for OwnEngine {
    fn hello(&mut self, greeting: &Greeting) -> Result<Hello, String> {
        if greeting.protocol != PROTOCOL {
            let asked = greeting.protocol;
            return Err(format!("the serving Lockstep uses version {PROTOCOL} of the protocol, not {asked}"));
        }
        if greeting.isa != self.isa {
            return Err(format!("the serving Lockstep was started for {}, not {}", self.isa, greeting.isa));
        }
        self.options.clone_from(&greeting.options);
        let engine = match self.engine {
            Engine::Reference => "reference",
            Engine::Executor => "executor",
        };
        Ok(Hello {
            protocol: PROTOCOL,
            name: format!("lockstep {engine}"),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            isas: vec![self.isa.name().to_owned()],
            abilities: match self.engine {
                Engine::Reference => vec![Ability::Decode, Ability::Run, Ability::Trace, Ability::Registers],
                // The executor offers no trace: it runs blocks of rewritten code, which do not correspond to instructions.
                Engine::Executor => vec![Ability::Decode, Ability::Run, Ability::Registers],
            },
            profile: None,
            language: Language::default(),
        })
    }

    fn decode(&mut self, program: &ProgramData) -> Result<Decoded, Failure> {
        let case = self.case(program, Environment::default());
        let case = self.fault.as_ref().map_or_else(|| Ok(case.clone()), |fault| fault.read(case.clone()));
        match case {
            Ok(case) => Ok(with_isa!(self.isa, I => decode::<I>(&case))),
            Err(by) => self.fail(by).map(refused),
        }
    }

    fn run(&mut self, run: &RunData) -> Result<Ran, Failure> {
        with_isa!(self.isa, I => self.run_as::<I>(run, None))
    }

    fn trace(&mut self, run: &RunData) -> Result<Traced, Failure> {
        with_isa!(self.isa, I => self.trace_as::<I>(run))
    }
}

/// Returns the answer that rejects a program.
fn refused(message: String) -> Decoded {
    Decoded {
        verdict: Verdict::Rejected,
        consumed: None,
        text: None,
        encoded: None,
        instructions: None,
        message: Some(message),
    }
}

fn decode<I: Isa>(case: &Case) -> Decoded {
    let program = match I::decode(&case.bytes) {
        Ok(program) => program,
        Err(error) => return refused(error.to_string()),
    };
    let resolved = match case.resolve::<I>() {
        Ok(resolved) => resolved,
        Err(error) => return refused(error.to_string()),
    };
    Decoded {
        verdict: Verdict::Accepted,
        consumed: Some(I::extent(&program) as u64),
        text: Some(I::disassemble(&program)),
        encoded: Some(Hex(I::encode(&program))),
        instructions: Some(instructions(&resolved)),
        message: None,
    }
}

/// Returns the instructions of a program as typed values: opcodes and facets.
pub(super) fn instructions<I: Tables + Legality>(resolved: &Resolved<I>) -> Vec<InstructionData> {
    let points_of = I::cover_points(&resolved.program);
    let instruction = |word| {
        let points = points_of(word);
        let mut opcodes: Vec<&str> = points.iter().map(|point| point.opcode).collect();
        opcodes.dedup();
        let mut values: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for point in &points {
            if let Some((facet, value)) = point.modifier.split_once('=') {
                let values = values.entry(facet.to_owned()).or_default();
                if !values.contains(&value) {
                    values.push(value);
                }
            }
        }
        let fields = values.into_iter().map(|(facet, mut values)| {
            values.sort_unstable();
            (facet, values.join("+"))
        });
        InstructionData { opcode: opcodes.join("+"), fields: fields.collect() }
    };
    (0..I::instruction_count(&resolved.context())).map(instruction).collect()
}

impl OwnEngine {
    /// Returns the program of a question after the fault has changed it, or the reason for its rejection.
    fn resolved<I: Isa>(&self, run: &RunData) -> Result<Result<Resolved<I>, String>, Failure> {
        let case = self.case(&run.program, Environment::default());
        let resolved = match case.resolve::<I>() {
            Ok(resolved) => resolved,
            Err(error) => return Ok(Err(error.to_string())),
        };
        let mut case = with_registers::<I>(
            Case { env: environment::<I>(run, &resolved.entry), ..case },
            run,
            &resolved.entry,
        );
        if let Some(fault) = &self.fault {
            case = match fault.run(case) {
                Ok(case) => case,
                Err(by) => return self.fail(by).map(Err),
            };
        }
        Ok(case.resolve::<I>().map_err(|error| error.to_string()))
    }

    fn trace_as<I: Isa>(&mut self, run: &RunData) -> Result<Traced, Failure> {
        let refused =
            |verdict, message: String| Traced { verdict, steps: Vec::new(), message: Some(message) };
        Ok(match self.resolved::<I>(run)? {
            Ok(resolved) => match trace(&resolved) {
                Some(steps) => Traced { verdict: Verdict::Accepted, steps, message: None },
                None => refused(Verdict::Unsupported, format!("a lane takes more than {MAX_STEPS} steps")),
            },
            Err(message) => refused(Verdict::Rejected, message),
        })
    }

    /// Runs a program on the IR evaluator, with textures read by `sampler`.
    ///
    /// # Errors
    /// If the run fails.
    pub fn run_with(&mut self, run: &RunData, sampler: &mut Sampler<'_>) -> Result<Ran, Failure> {
        with_isa!(self.isa, I => self.run_as::<I>(run, Some(sampler)))
    }

    fn run_as<I: Isa>(&mut self, run: &RunData, sampler: Option<&mut Sampler<'_>>) -> Result<Ran, Failure> {
        let refused =
            |message| Ok(Ran { verdict: Verdict::Rejected, lanes: Vec::new(), message: Some(message) });
        let resolved = match self.resolved::<I>(run)? {
            Ok(resolved) => resolved,
            Err(message) => return refused(message),
        };
        let cx = resolved.context();
        let outcome = match (self.engine, sampler) {
            (Engine::Reference, None) => reference_with::<I, false>(&cx, &resolved.env),
            (_, sampler) => match (lower(&cx, Mode::Auto), sampler) {
                (Ok(program), None) => self.executor.run(cx.entry, &program, &resolved.env),
                (Ok(program), Some(sampler)) => evaluate_with(cx.entry, &program, &resolved.env, sampler),
                (Err(error), _) => return refused(error.to_string()),
            },
        };
        let mut lanes = lanes::<I>(&resolved.entry, &outcome);
        if self.only_defined {
            registers::leave_out_undefined::<I>(&resolved, &outcome, &mut lanes);
        }
        Ok(Ran { verdict: Verdict::Accepted, lanes, message: None })
    }
}

/// Returns the case that a question about a run describes, with these options.
pub(super) fn case_of(run: &RunData, options: &BTreeMap<String, String>) -> Case {
    let ours = OwnEngine { options: options.clone(), ..OwnEngine::new(run.program.isa, Engine::Reference) };
    let case = ours.case(&run.program, Environment::default());
    with_isa!(case.isa, I => match case.resolve::<I>() {
        Ok(resolved) => {
            let case = Case { env: environment::<I>(run, &resolved.entry), ..case };
            with_registers::<I>(case, run, &resolved.entry)
        }
        Err(_) => case,
    })
}

/// Adds the registers of a question to a case that runs at this entry.
fn with_registers<I: Isa>(mut case: Case, run: &RunData, entry: &Entry) -> Case {
    if !run.initial.is_empty() || !run.finals.is_empty() {
        let mut entry = entry.clone();
        registers::add::<I>(run, &mut entry, &mut case.env.lanes);
        case.entry = EntryRef::Given(entry);
    }
    case
}

/// Returns the environment that a question describes.
fn environment<I: Syntax>(run: &RunData, entry: &Entry) -> Environment {
    let inputs = &entry.interface.inputs;
    let slots: HashMap<String, u16> =
        inputs.iter().map(|port| (I::input_name(entry, port.slot), port.slot)).collect();
    let most = inputs.iter().map(|port| usize::from(port.slot) + 1).max().unwrap_or(0);
    let lanes = run.lanes.iter().map(|lane| {
        let mut input = LaneInput { slots: vec![[0.0; 4]; most] };
        for (name, value) in lane {
            if let Some(place) = slots.get(name).and_then(|slot| input.slots.get_mut(usize::from(*slot))) {
                *place = value.map(Bits::value);
            }
        }
        input
    });
    let count = run.lanes.len().max(1) as u32;
    Environment {
        constants: run.constants.iter().map(|value| value.map(Bits::value)).collect(),
        ints: run.ints.clone(),
        bools: run.bools.clone(),
        textures: run.textures.iter().map(Texture::from).collect(),
        buffers: run
            .buffers
            .iter()
            .map(|words| Buffer { words: words.iter().map(|word| word.0).collect() })
            .collect(),
        fuel: MAX_FUEL / count,
        effects: MAX_EFFECTS / count,
        lanes: lanes.collect(),
    }
}

/// Returns a run as the lanes of an answer.
fn lanes<I: Syntax>(entry: &Entry, outcome: &Outcome) -> Vec<LaneData> {
    outcome.lanes.iter().map(|lane| lane_data::<I>(entry, lane)).collect()
}

fn lane_data<I: Syntax>(entry: &Entry, lane: &LaneOutcome) -> LaneData {
    let mut outputs: BTreeMap<String, [Option<Bits>; 4]> = BTreeMap::new();
    let mut finals = registers::Values::new();
    for ((slot, component), value) in entry.interface.components().zip(&lane.outputs) {
        if let Some(register) = register::<I>(entry, slot) {
            let bits = Some(registers::component_bits(register.ty, *value));
            finals.entry(register.name).or_default()[usize::from(component & 3)] = bits;
            continue;
        }
        let register = outputs.entry(I::output_name(entry, slot)).or_default();
        register[usize::from(component & 3)] = Some(Bits::from(*value));
    }
    let effects = lane.effects.iter().map(|effect| {
        let mut bits = [None; 4];
        for (component, value) in effect.components() {
            bits[usize::from(component & 3)] = Some(Bits::from(value));
        }
        EffectData { kind: effect.kind, index: effect.index, bits }
    });
    LaneData {
        status: match lane.end {
            End::Finished => LaneStatus::Finished,
            End::OutOfFuel => LaneStatus::OutOfFuel,
            End::EffectsFull | End::Hung => LaneStatus::Trap,
        },
        killed: lane.killed,
        outputs,
        finals,
        effects: effects.collect(),
    }
}

/// Returns the reference's answer to a question in the form of a subject's answer; findings show both side by side. Final registers have no value
/// where they are undefined.
pub fn own_answer(question: &Question, options: &BTreeMap<String, String>) -> Answer {
    let isa = match question {
        Question::Decode(program) | Question::Translate(program) => program.isa,
        Question::Run(run) | Question::Trace(run) => run.program.isa,
    };
    let ours = OwnEngine::new(isa, Engine::Reference);
    let mut ours = OwnEngine { options: options.clone(), only_defined: true, ..ours };
    match question {
        Question::Decode(program) => ours.decode(program).map(Answer::Decoded),
        Question::Run(run) => ours.run(run).map(Answer::Ran),
        Question::Trace(run) => ours.trace(run).map(Answer::Traced),
        Question::Translate(program) => ours.translate(program).map(|one| Answer::Translated(Box::new(one))),
    }
    .unwrap_or_else(Answer::Failed)
}
