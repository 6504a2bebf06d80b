//! Fair timing of several contenders: they take turns in short rounds, and each contender's time is the median or the minimum of its rounds. The
//! rounds are short so that most of them run without preemption.

use std::time::{Duration, Instant};

/// The number of rounds.
const ROUNDS: usize = 101;
/// The time that each contender runs in a round.
const ROUND: Duration = Duration::from_millis(2);

/// A contender: its name and one run of it.
pub(crate) struct Contender<'a> {
    pub(crate) name: String,
    pub(crate) run: Box<dyn FnMut() + 'a>,
}

impl<'a> Contender<'a> {
    pub(crate) fn new(name: impl Into<String>, run: impl FnMut() + 'a) -> Contender<'a> {
        Contender { name: name.into(), run: Box::new(run) }
    }
}

/// Returns the seconds of one run of each contender, as the median of the rounds.
pub(crate) fn seconds(contenders: &mut [Contender<'_>]) -> Vec<f64> {
    rounds(contenders).into_iter().map(median).collect()
}

/// Returns the seconds of one run of each contender, in its fastest round.
pub(crate) fn fastest(contenders: &mut [Contender<'_>]) -> Vec<f64> {
    rounds(contenders).into_iter().map(|times| times.into_iter().fold(f64::INFINITY, f64::min)).collect()
}

/// Returns the seconds of one run of each contender in each round.
fn rounds(contenders: &mut [Contender<'_>]) -> Vec<Vec<f64>> {
    let mut times = vec![Vec::new(); contenders.len()];
    for _ in 0..ROUNDS {
        for (contender, times) in contenders.iter_mut().zip(&mut times) {
            let start = Instant::now();
            let mut runs = 0;
            while start.elapsed() < ROUND {
                (contender.run)();
                runs += 1;
            }
            times.push(start.elapsed().as_secs_f64() / f64::from(runs));
        }
    }
    times
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
