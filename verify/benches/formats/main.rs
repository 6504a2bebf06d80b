//! Measures the speed of decoders, encoders, disassemblers and assemblers, for each instruction set, on generated programs of a few hundred
//! instructions and on the corpus. As a baseline, copying the same bytes is timed in the same rounds.
//!
//! Rates of decoding and encoding are in bytes of programs, those of disassembling and assembling in bytes of text. The fastest of several turns
//! counts, in processor time. Arguments are the names of the instruction sets to measure; without arguments, all are measured.

use lockstep::generate::{Entropy, Generate, ProgramRequest};
use lockstep_core::isa::IsaId;
use lockstep_core::with_isa;
use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

#[path = "../../../core/benches/aim/mod.rs"]
mod aim;
#[path = "../clock/mod.rs"]
mod clock;

use aim::{Bound, aim};

/// The number of generated programs.
const PROGRAMS: u64 = 40;
/// The approximate number of instructions of a generated program.
const SIZE: usize = 300;
/// The number of turns, of which the fastest counts.
const TURNS: usize = 7;

/// The steps to measure on one set of programs, and the fastest turn of each step.
struct Steps<'a> {
    steps: Vec<(&'static str, usize, Box<dyn FnMut() + 'a>)>,
}

impl<'a> Steps<'a> {
    /// Adds a step that processes `bytes` bytes per call.
    fn add(&mut self, name: &'static str, bytes: usize, step: impl FnMut() + 'a) {
        self.steps.push((name, bytes, Box::new(step)));
    }

    /// Returns the speed of each step in megabytes per second. The steps are timed in alternation.
    fn rates(mut self) -> Vec<(&'static str, f64)> {
        let mut best = vec![Duration::MAX; self.steps.len()];
        for _ in 0..TURNS {
            for ((_, bytes, step), best) in self.steps.iter_mut().zip(&mut best) {
                // Repeats the step often enough for the resolution of the clock.
                let passes = (1usize << 21).div_ceil((*bytes).max(1)).min(64);
                let start = clock::now();
                (0..passes).for_each(|_| step());
                *best = (*best).min(clock::now().saturating_sub(start) / passes as u32);
            }
        }
        let rate = |bytes: usize, time: Duration| bytes as f64 / time.as_secs_f64() / 1e6;
        self.steps.iter().zip(best).map(|((name, bytes, _), best)| (*name, rate(*bytes, best))).collect()
    }
}

/// Returns the programs of the corpus as bytes.
fn corpus<I: Generate>() -> Vec<Vec<u8>> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../corpora"))
        .join(I::ID.to_string())
        .join("programs");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).into_iter().flatten().filter_map(|file| Some(file.ok()?.path())).collect();
    files.sort();
    let texts = files.iter().filter_map(|file| std::fs::read_to_string(file).ok());
    texts.filter_map(|text| Some(I::encode(&I::assemble(&text).ok()?))).collect()
}

fn measure<I: Generate>(what: &str, programs: &[Vec<u8>]) {
    let decoded: Vec<I::Program> = programs.iter().filter_map(|bytes| I::decode(bytes).ok()).collect();
    let texts: Vec<String> = decoded.iter().map(I::disassemble).collect();
    let size = programs.iter().map(Vec::len).sum();
    let text = texts.iter().map(String::len).sum();
    println!("\n{}, {what}: {} programs, {size} bytes, {text} bytes of text", I::ID, programs.len());
    let mut copy = Vec::new();
    let mut steps = Steps { steps: Vec::new() };
    steps.add("copy", size, || {
        for bytes in programs {
            copy.clear();
            copy.extend_from_slice(black_box(bytes));
            black_box(&copy);
        }
    });
    steps.add("decode", size, || programs.iter().for_each(|bytes| drop(black_box(I::decode(bytes)))));
    steps.add("encode", size, || decoded.iter().for_each(|program| drop(black_box(I::encode(program)))));
    steps.add("disassemble", text, || decoded.iter().for_each(|p| drop(black_box(I::disassemble(p)))));
    steps.add("assemble", text, || texts.iter().for_each(|text| drop(black_box(I::assemble(text)))));
    let rates = steps.rates();
    let copied = rates.first().map_or(f64::NAN, |(_, rate)| *rate);
    for (name, rate) in rates {
        let wanted = match (name, I::ID) {
            ("decode" | "encode", IsaId::Agal | IsaId::Pica200) => 1000.0,
            ("decode" | "encode", _) => 400.0,
            ("disassemble" | "assemble", _) => 100.0,
            _ => {
                println!("  copy: {rate:.0} MB/s");
                continue;
            }
        };
        let what = format!("{name} (a copy is {:.0} times as fast)", copied / rate);
        aim(&what, "MB/s", Bound::AtLeast, wanted, rate);
    }
}

fn rows<I: Generate>() {
    let request = ProgramRequest { size: Some(SIZE), ..ProgramRequest::default() };
    let generated: Vec<Vec<u8>> =
        (0..PROGRAMS).map(|seed| I::encode(&I::program(&mut Entropy::seeded(seed), &request))).collect();
    measure::<I>("generated", &generated);
    measure::<I>("corpus", &corpus::<I>());
}

fn main() {
    let asked: Vec<IsaId> = std::env::args().skip(1).filter_map(|name| name.parse().ok()).collect();
    for &isa in IsaId::ALL.iter().filter(|isa| asked.is_empty() || asked.contains(isa)) {
        with_isa!(isa, I => rows::<I>());
    }
}
