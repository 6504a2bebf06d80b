//! Judges other people's decoders and executors.
//!
//! A [`Subject`] decodes, runs or translates programs. A [`Connection`] connects to a subject. The subject may be a process that exchanges JSON-RPC
//! messages ([`Child`]), such as our own worker process with a loaded library ([`plugin`]), or part of this process ([`InProcess`]), which may be a
//! fuzzer ([`in_process`]). A [`Campaign`] sends cases that are within the subject's [`Profile`] and that the reference finishes, and compares the
//! answers with the reference. Disagreements, crashes, hangs and malformed answers become findings, which are replayed in a fresh worker, minimised
//! and deduplicated. `verify/PROTOCOL.md` describes the messages.

mod baseline;
pub mod bugs;
mod campaign;
#[cfg(test)]
mod changed;
mod child;
mod compare;
mod comparison;
mod connection;
mod decoded;
mod disagreement;
mod draw;
mod explain;
mod folder;
mod history;
pub mod in_process;
mod inexact;
mod itself;
mod joint_options;
mod loops;
mod numbers;
mod option_paths;
mod ordinary;
mod ours;
pub mod plugin;
mod process;
mod profile;
mod propagated;
mod question;
pub mod raster;
mod reach;
mod recent_times;
mod record;
mod registers;
mod serve;
mod standard;
mod stray_processes;
mod streams;
mod subject;
mod traced;
mod triage;
mod wire;

pub use baseline::{Baseline, Entry};
pub use campaign::{Campaign, Event, Open, Summary};
pub use child::{Child, Launch};
pub use compare::{Compared, judge};
pub use comparison::{Group, Opinions, Party, REFERENCE, opinions};
pub use connection::{AskError, Connection, InProcess, StartError, check_hello};
pub use disagreement::{Class, Disagreement};
pub use draw::{Drawn, Source};
pub use explain::{Remedy, StoredFinding, explain, opcodes_to_exclude};
pub use folder::{Command, folder_name, quoted, summary, write, write_suspect};
pub use inexact::Grade;
pub use itself::SelfComparison;
pub use joint_options::Explained;
pub use numbers::{Numbers, Policy};
pub use ordinary::Inputs;
pub use ours::{Engine, OwnEngine, own_answer};
pub use profile::{Expected as ExpectedVerdict, Invalid, Profile, joint};
pub use propagated::Propagated;
pub use question::{Expected, MAX_TEXELS, NotSent, Prepared, ValidationStatus, prepare};
pub use record::{Record, Reproduction, SubjectCommand};
pub use serve::serve;
pub use subject::*;
pub use triage::Found;
pub use wire::{MAX_LINE, METHOD_NOT_FOUND, batch};

use lockstep_core::isa::IsaId;

/// Returns the first message to a subject.
pub fn greeting(isa: IsaId, profile: &Profile) -> Greeting {
    Greeting {
        protocol: PROTOCOL,
        host: format!("lockstep {}", env!("CARGO_PKG_VERSION")),
        isa,
        options: draw::options(isa, profile),
    }
}
