//! The diagnostics of assemblers for wrong texts.

use lockstep_core::text::Diagnostic;
use proptest::prelude::*;

/// Returns the line, column, message and help of each error.
pub(crate) fn diagnostic_fields<P: std::fmt::Debug>(
    read: Result<P, Vec<Diagnostic>>,
) -> Vec<(u32, u32, String, String)> {
    let errors = read.expect_err("this text has an error");
    let fields = |e: Diagnostic| (e.span.line, e.span.column, e.message, e.help.unwrap_or_default());
    errors.into_iter().map(fields).collect()
}

/// Checks that errors have messages and positions within the text.
pub(crate) fn check_diagnostics(text: &str, errors: &[Diagnostic]) -> Result<(), TestCaseError> {
    prop_assert!(!errors.is_empty(), "refused without a reason");
    for e in errors {
        let (start, end) = (e.span.offset as usize, (e.span.offset + e.span.len) as usize);
        prop_assert!(text.get(start..end).is_some() && !e.message.is_empty(), "{:?} of {:?}", e, text);
    }
    Ok(())
}
