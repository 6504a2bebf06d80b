//! Converts a finding to a C source file that needs only the header and the library.

use super::abi::Register;
use super::request::{ProgramView, RunView};
use crate::judge::subject::{
    Answer, Bits, Greeting, LaneData, LaneStatus, ProgramData, Question, RunData, Verdict,
};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The beginning of every C file, after its first comment.
const HEAD: &str = include_str!("page_head.h");
/// The end of every C file.
const MAIN: &str = include_str!("page_main.h");

/// Returns the C source for a case, given the questions and the reference's answers; `None` if there are no questions.
pub fn c_source(
    name: &str,
    greeting: &Greeting,
    questions: &[Question],
    expected: &[Answer],
) -> Option<String> {
    let program = match questions.first()? {
        Question::Decode(program) | Question::Translate(program) => program,
        Question::Run(run) | Question::Trace(run) => &run.program,
    };
    let run = questions.iter().zip(expected).find_map(|(question, answer)| match (question, answer) {
        (Question::Run(run), Answer::Ran(ran)) => Some((&**run, ran.lanes.as_slice())),
        _ => None,
    });
    let decodes = questions.iter().any(|question| matches!(question, Question::Decode(_)));
    let accepted = expected.iter().any(|answer| match answer {
        Answer::Decoded(decoded) => decoded.verdict == Verdict::Accepted,
        Answer::Ran(_) => true,
        Answer::Traced(_) | Answer::Translated(_) | Answer::Failed(_) => false,
    });
    let mut text = format!("/* {}: one program for one library, without a host.\n", comment(name));
    text.push_str(HEAD);
    let _ = writeln!(text, "enum {{ DECODES = {}, RUNS = {} }};", u8::from(decodes), u8::from(run.is_some()));
    let verdict = if accepted { "LOCKSTEP_ACCEPTED" } else { "LOCKSTEP_REJECTED" };
    let _ = writeln!(text, "static const uint32_t VERDICT = {verdict};");
    options(&mut text, greeting);
    let view = ProgramView::new(program);
    program_text(&mut text, program, &view);
    match run {
        Some((run, lanes)) => run_text(&mut text, run, &view, lanes),
        None => run_text(&mut text, &empty_run(program), &view, &[]),
    }
    text.push_str(MAIN);
    Some(text)
}

/// Returns a run without lanes and with an empty environment.
fn empty_run(program: &ProgramData) -> RunData {
    RunData {
        program: program.clone(),
        translation: None,
        constants: Vec::new(),
        ints: Vec::new(),
        bools: Vec::new(),
        textures: Vec::new(),
        buffers: Vec::new(),
        lanes: Vec::new(),
        initial: Vec::new(),
        finals: BTreeMap::new(),
    }
}

/// Returns the text changed so that it cannot end a C comment.
fn comment(text: &str) -> String {
    // In this order: a control character between the two would hide the end of the comment.
    text.replace(|c: char| c.is_control(), "").replace("*/", "* /")
}

/// Returns a name as a C string literal. Characters that are not printable ASCII become question marks.
fn literal(text: &str) -> String {
    let escaped = text.chars().map(|c| match c {
        '"' | '\\' => format!("\\{c}"),
        ' '..='~' => c.to_string(),
        _ => "?".to_owned(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

/// Writes an array and its length. An empty array gets one zero element, since C has no empty arrays.
fn array(text: &mut String, kind: &str, name: &str, suffix: &str, all: &[String]) {
    let _ =
        write!(text, "enum {{ {name}_COUNT = {} }};\nstatic const {kind} {name}[]{suffix} = {{", all.len());
    let none = [if suffix.is_empty() && !kind.starts_with("lockstep") { "0" } else { "{0}" }.to_owned()];
    let shown = if all.is_empty() { &none[..] } else { all };
    let width = shown.iter().map(String::len).max().unwrap_or(1) + 2;
    for (n, one) in shown.iter().enumerate() {
        text.push_str(if n == 0 { "" } else { "," });
        text.push_str(if n % (100 / width).max(1) == 0 { "\n    " } else { " " });
        text.push_str(one);
    }
    text.push_str("\n};\n");
}

fn bytes(text: &mut String, name: &str, all: &[u8]) {
    let all: Vec<String> = all.iter().map(|byte| format!("0x{byte:02x}")).collect();
    array(text, "uint8_t", name, "", &all);
}

fn words(text: &mut String, name: &str, all: impl IntoIterator<Item = u32>) {
    let all: Vec<String> = all.into_iter().map(hex).collect();
    array(text, "uint32_t", name, "", &all);
}

fn vectors(text: &mut String, name: &str, all: impl IntoIterator<Item = [u32; 4]>) {
    let all: Vec<String> = all.into_iter().map(four).collect();
    array(text, "uint32_t", name, "[4]", &all);
}

fn hex(word: u32) -> String {
    format!("0x{word:08x}")
}

fn four(words: [u32; 4]) -> String {
    format!("{{{}}}", words.map(hex).join(", "))
}

fn options(text: &mut String, greeting: &Greeting) {
    let pair = |(name, choice): (&String, &String)| format!("{{{}, {}}}", literal(name), literal(choice));
    let all: Vec<String> = greeting.options.iter().map(pair).collect();
    array(text, "lockstep_option", "OPTIONS", "", &all);
}

fn register_list(text: &mut String, name: &str, registers: &[Register], names: &[String]) {
    let one = |(register, name): (&Register, &String)| {
        format!("{{{}, {}, {}}}", register.slot, register.mask, literal(name))
    };
    let all: Vec<String> = registers.iter().zip(names).map(one).collect();
    array(text, "lockstep_register", name, "", &all);
}

fn program_text(text: &mut String, data: &ProgramData, view: &ProgramView<'_>) {
    let raw = view.description();
    bytes(text, "FILE_BYTES", &data.bytes.0);
    bytes(text, "CODE", view.code());
    words(text, "TABLE", data.table.iter().map(|word| word.0));
    let [inputs, outputs] = view.registers();
    words(text, "SAMPLERS", view.samplers().iter().copied());
    let opcodes: Vec<String> = data.opcodes.iter().map(|opcode| literal(opcode)).collect();
    array(text, "char *const", "OPCODES", "", &opcodes);
    for (name, registers, names) in [("INPUTS", inputs, &view.inputs), ("OUTPUTS", outputs, &view.outputs)] {
        register_list(text, name, registers, names);
    }
    let extra = raw.extra.map(|number| format!("{number}u")).join(", ");
    let _ = writeln!(
        text,
        "static const lockstep_program PROGRAM = {{\n    sizeof(lockstep_program), {}u, {}u, {}u, {}u, {}u, {}u, {}u, {}u, {{{extra}}},\n    \
         {{FILE_BYTES, FILE_BYTES_COUNT}}, {{CODE, CODE_COUNT}}, {{TABLE, TABLE_COUNT}}, {{SAMPLERS, SAMPLERS_COUNT}},\n    \
         OPCODES, OPCODES_COUNT, INPUTS, INPUTS_COUNT, OUTPUTS, OUTPUTS_COUNT\n}};",
        raw.isa, raw.stage, raw.version, raw.start, raw.entry, raw.constants, raw.ints, raw.bools
    );
}

fn run_text(text: &mut String, run: &RunData, view: &ProgramView<'_>, expected: &[LaneData]) {
    let environment = RunView::new(run, view);
    vectors(text, "CONSTANTS", environment.constants().iter().copied());
    let ints: Vec<String> = run
        .ints
        .iter()
        .map(|int| format!("{{{}}}", int.map(|i| format!("INT32_C({i})")).join(", ")))
        .collect();
    array(text, "int32_t", "INTS", "[4]", &ints);
    bytes(text, "BOOLS", &run.bools.iter().map(|bool| u8::from(*bool)).collect::<Vec<_>>());
    let mut textures = Vec::new();
    for (n, (texture, texels)) in environment.textures().enumerate() {
        vectors(text, &format!("TEXELS_{n}"), texels.iter().copied());
        let numbers = |all: &[u32]| all.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        textures.push(format!(
            "{{{}, {{{}}}, {}, {}, {}, {}, {{{}}}, {}, {}, {}, TEXELS_{n}, TEXELS_{n}_COUNT}}",
            texture.dimension,
            numbers(&texture.extent),
            texture.levels,
            texture.min,
            texture.mag,
            texture.mip,
            numbers(&texture.wrap),
            four(texture.border),
            hex(texture.lod_bias),
            texture.max_anisotropy
        ));
    }
    array(text, "lockstep_texture", "TEXTURES", "", &textures);
    let mut buffers = Vec::new();
    for (n, buffer) in run.buffers.iter().enumerate() {
        words(text, &format!("BUFFER_{n}"), buffer.iter().map(|word| word.0));
        buffers.push(format!("{{BUFFER_{n}, BUFFER_{n}_COUNT}}"));
    }
    array(text, "lockstep_words", "BUFFERS", "", &buffers);
    let (lanes, asked) = environment.lanes();
    vectors(text, "VALUES", environment.inputs().iter().copied());
    let _ = writeln!(text, "enum {{ LANES = {lanes}, ASKED = {asked} }};");
    let registers = environment.registers();
    register_list(text, "INITIAL", &registers.initial, &registers.initial_names);
    vectors(text, "INITIAL_VALUES", registers.values.iter().copied());
    register_list(text, "FINALS", &registers.finals, &registers.final_names);
    let value = |all: &BTreeMap<String, [Option<Bits>; 4]>, name: &String| {
        let register = all.get(name).copied().unwrap_or_default();
        register.map(|bits| bits.map_or(0, |bits| bits.0))
    };
    vectors(
        text,
        "FINAL_EXPECTED",
        expected
            .iter()
            .flat_map(|lane| registers.final_names.iter().map(move |name| value(&lane.finals, name))),
    );
    // Components that are undefined on the reference are not compared.
    let defined = |lane: &LaneData, name: &String| {
        let register = lane.finals.get(name).copied().unwrap_or_default();
        (0..4).filter(|c| register[*c].is_some()).map(|c| 1 << c).sum()
    };
    words(
        text,
        "FINAL_DEFINED",
        expected.iter().flat_map(|lane| registers.final_names.iter().map(move |name| defined(lane, name))),
    );
    vectors(
        text,
        "EXPECTED",
        expected.iter().flat_map(|lane| view.outputs.iter().map(move |name| value(&lane.outputs, name))),
    );
    let killed: Vec<String> = expected.iter().map(|lane| u32::from(lane.killed).to_string()).collect();
    array(text, "uint32_t", "KILLED", "", &killed);
    debug_assert!(expected.iter().all(|lane| lane.status == LaneStatus::Finished));
    let mut effects = Vec::new();
    for (lane, data) in expected.iter().enumerate() {
        for effect in &data.effects {
            let mask: u32 = (0..4).filter(|c| effect.bits[*c].is_some()).map(|c| 1 << c).sum();
            let bits = effect.bits.map(|bits| bits.map_or(0, |bits| bits.0));
            effects.push(format!("{{{lane}, {}, {}, {mask}, {}}}", effect.kind, effect.index, four(bits)));
        }
    }
    array(text, "lockstep_effect", "EFFECTS", "", &effects);
}

#[cfg(test)]
mod tests {
    use super::comment;

    #[test]
    fn no_text_ends_a_comment() {
        for text in ["*/", "**//", "*\u{1}/", "*\n/", "*\u{7f}\t*/"] {
            let comment = comment(text);
            assert!(
                !comment.contains("*/") && !comment.chars().any(char::is_control),
                "{text:?}: {comment:?}"
            );
        }
        assert_eq!(comment("mul r0, r1 / 2"), "mul r0, r1 / 2");
    }
}
