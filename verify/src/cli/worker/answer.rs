//! Answers requests in the child process.

use super::minimise::minimise;
use super::wire::{Answer, Reply, Request, receive, send};
use crate::corpus::{JudgingStep, judge_with};
use crate::generate::{covering, store_covering};
use crate::oracle::{Verdict, ask, record_panic_positions};
use crate::report::Exit;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};

/// Answers requests until the input ends.
pub(in crate::cli) fn run(out: &mut impl Write) -> Exit {
    record_panic_positions();
    let (requests, inbox) = mpsc::channel();
    let busy = Arc::new(AtomicBool::new(false));
    let at_work = Arc::clone(&busy);
    // If the parent ends while a request is being processed, nothing can receive the answer, so the child process ends, too.
    std::thread::spawn(move || {
        let mut input = std::io::stdin().lock();
        while let Ok(Some(request)) = receive::<Request>(&mut input) {
            at_work.store(true, Ordering::SeqCst);
            if requests.send(request).is_err() {
                return;
            }
        }
        if at_work.load(Ordering::SeqCst) {
            std::process::exit(Exit::Inconclusive.code().into());
        }
    });
    for request in inbox {
        let reply = answer(request, out);
        busy.store(false, Ordering::SeqCst);
        if send(out, &reply).is_err() {
            break;
        }
    }
    Exit::Clean
}

fn answer(request: Request, out: &mut impl Write) -> Reply {
    match request {
        Request::Judge { item, seeds, announce } => {
            let mut asking = |asked: JudgingStep<'_>| {
                if announce {
                    let next = match asked {
                        JudgingStep::Claim(oracle, case) => Reply::Claim(oracle, Box::new(case.clone())),
                        JudgingStep::Vector(name) => Reply::Vector(name.to_owned()),
                    };
                    // The error is ignored: if the reader has ended, sending the answer will fail, too.
                    let _ = send(out, &next);
                }
            };
            let mut judged = judge_with(&item.item(), 0..seeds, &mut asking);
            let suspects = std::mem::take(&mut judged.suspects);
            let keys = std::mem::take(&mut judged.problem_keys);
            Reply::Judged(Box::new(judged), suspects, keys)
        }
        Request::Draw { isa } => Reply::Drawn(covering(isa).clone()),
        Request::Shared { part } => Reply::Shared(crate::shared::check(part)),
        Request::Ask { oracle, case } => Reply::Answered(match ask(oracle, &case) {
            Verdict::Holds(statistics) => Answer::Holds(statistics),
            Verdict::Skipped(skip) => Answer::Skipped(skip.to_string()),
            Verdict::Fails(failure) => Answer::Fails(failure),
        }),
        Request::Minimise { oracle, case, how, folder } => {
            Reply::Minimised(minimise(oracle, &case, how, &folder).map(Box::new))
        }
        Request::Prove { corpora, isas, drawn, recheck } => {
            for (isa, covering) in drawn {
                store_covering(isa, covering);
            }
            Reply::Proved(crate::proof::summaries(corpora.as_ref(), &isas, recheck))
        }
    }
}
