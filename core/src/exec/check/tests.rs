//! Tests that the check detects a fault that affects a single set of operands, at any position in a batch.

use super::*;

/// Returns a trial in which the executor runs a variant of the evaluator's operation. The variant gives a different result only for the number `odd`.
fn trial<'a>(operation: &'a CheckedOperation, levels: &'a [Level], odd: u32) -> Trial<'a> {
    let mut trial = Trial::new(operation, 0, levels);
    let build: Build = Box::new(move |b, args| {
        let (bits, odd, other) = (b.op(Op::Bits, &[args[0]]), b.i(odd as i32), b.f(7.0));
        let is_odd = b.icmp(ICmp::Eq, bits, odd);
        b.sel(is_odd, other, args[0])
    });
    let faulty = CheckedOperation { name: String::new(), operands: vec![Ty::F32], result: Ty::F32, build };
    trial.plan = plan(&program(&faulty, 0));
    trial
}

/// A different number for each index; never 7, nor the `odd` number of the test.
fn number(position: usize) -> u32 {
    (100.0 + position as f32).to_bits()
}

#[test]
fn a_fault_at_any_position_of_a_batch_is_detected() {
    let same: Build = Box::new(|_, args| args[0]);
    let operation =
        CheckedOperation { name: "same".to_owned(), operands: vec![Ty::F32], result: Ty::F32, build: same };
    let odd = 3.0f32.to_bits();
    let cases = [1, 5, WIDTH, WIDTH + 1, 3 * WIDTH - 1]
        .into_iter()
        .flat_map(|count| (0..count).map(move |at| (count, at)));
    for level in Level::available() {
        for (count, at) in cases.clone() {
            let levels = [level];
            let mut trial = trial(&operation, &levels, odd);
            for position in 0..count {
                trial.add(&[if position == at { odd } else { number(position) }]);
            }
            trial.flush();
            let found = trial.report.mismatch.as_ref();
            let found = found.unwrap_or_else(|| panic!("position {at} of {count} was not compared"));
            assert_eq!(
                (&found.operands[..], found.expected, found.actual),
                (&[odd][..], odd, 7.0f32.to_bits())
            );
            assert_eq!(trial.report.count, count as u64);
        }
    }
    // Without the odd number there is no mismatch.
    let levels: Vec<Level> = Level::available().collect();
    let mut trial = trial(&operation, &levels, odd);
    (0..3 * WIDTH).for_each(|position| trial.add(&[number(position)]));
    trial.flush();
    assert_eq!(trial.report.mismatch, None);
}
