//! Flash Player's responses to uploads of small programs: sixteen facts, paraphrased from the test `stage3d_agal_upload_errors` of ruffle (RUFT, at
//! 92057cd673). The test expects the responses of Flash Player, which come from the player's validator, not from a graphics card.

use lockstep_core::isa::agal::Agal;
use lockstep_core::isa::{Context, Format, Legality, Level, Options, Syntax, Tables};

/// A program to upload.
enum Upload {
    /// A file that is not a program.
    Bytes(&'static [u8]),
    /// A program, as text.
    Text(&'static str),
}

use Upload::{Bytes, Text};

/// The player's response.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Answer {
    Accepted,
    /// Rejected with the error of this number.
    Error(u16),
}

use Answer::{Accepted, Error};

const FACTS: [(&str, Upload, Answer); 16] = [
    ("a fragment program of one move", Text("version 1 fragment\nmov oc, fc0"), Accepted),
    (
        "a sampler is read linearly and then by the nearest texel",
        Text(
            "version 1 fragment\ntex ft0, v0, fs0 <2d,linear,nomip,repeat>\ntex ft1, v0, fs0 <2d,nearest,nomip,repeat>\nadd oc, ft0, ft1",
        ),
        Error(3696),
    ),
    ("no bytes", Bytes(&[]), Error(3615)),
    ("the header of version 99, and nothing more", Bytes(&[0xa0, 99, 0, 0, 0, 0xa1, 1]), Error(3615)),
    ("a header of stage 2, and nothing more", Bytes(&[0xa0, 1, 0, 0, 0, 0xa1, 2]), Error(3615)),
    ("opcode 255", Text("version 1 fragment\n.token 255, 0, 0, 0"), Error(3620)),
    ("the colour is read", Text("version 1 fragment\nmov ft0, oc\nmov oc, fc0"), Error(3646)),
    ("a sampler is moved", Text("version 1 fragment\nmov ft0, fs0\nmov oc, fc0"), Error(3638)),
    ("a constant is written", Text("version 1 fragment\nmov fc0, fc0"), Error(3652)),
    ("an attribute is written", Text("version 1 vertex\nmov va0, vc0"), Error(3651)),
    ("a sampler is written", Text("version 1 fragment\nmov fs0, fc0"), Error(3649)),
    ("the depth is written in version 1", Text("version 1 fragment\nmov fd, fc0"), Error(3749)),
    (
        "a temporary of a fragment program is indexed",
        Text("version 1 fragment\nmov oc, ft[fc0.x]"),
        Error(3639),
    ),
    ("a temporary of a vertex program is indexed", Text("version 1 vertex\nmov op, vt[va0.x]"), Error(3640)),
    ("a constant of a vertex program is indexed", Text("version 1 vertex\nmov op, vc[va0.x]"), Accepted),
    ("the depth is read in version 1", Text("version 1 fragment\nmov ft0, fd\nmov oc, fc0"), Error(3749)),
];

/// Checks that the validator reports the player's error, or no error if the player accepts the program. For a file that does not decode, the player's
/// answer must be 3615, no program.
fn compare_with_player(upload: &Upload, answer: Answer) -> Result<(), String> {
    let decoded = match upload {
        Bytes(bytes) => Agal::decode(bytes).ok(),
        Text(text) => Some(Agal::assemble(text).map_err(|e| format!("{e:?}"))?),
    };
    let Some(program) = decoded else {
        return if answer == Error(3615) {
            Ok(())
        } else {
            Err(format!("does not decode, but the player answers {answer:?}"))
        };
    };
    let options = Options::new(Agal::option_specs());
    let entry = &Agal::entries(&program)[0];
    let all = Agal::validate(&Context { program: &program, entry, options: &options });
    let errors: Vec<u16> = all.iter().filter(|v| v.level == Level::Error).map(|v| v.code).collect();
    let same = match answer {
        Accepted => errors.is_empty(),
        Error(number) => errors.contains(&number),
    };
    if same { Ok(()) } else { Err(format!("the player answers {answer:?}, the validator {errors:?}")) }
}

#[test]
fn the_validator_agrees_with_the_player() {
    let wrong: Vec<String> = FACTS
        .iter()
        .filter_map(|(name, upload, answer)| {
            compare_with_player(upload, *answer).err().map(|wrong| format!("{name}: {wrong}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_wrong_answer_of_the_player_is_detected() {
    for (name, upload, answer) in &FACTS {
        let other = if *answer == Accepted { Error(3646) } else { Accepted };
        assert!(compare_with_player(upload, other).is_err(), "{name}");
    }
}
