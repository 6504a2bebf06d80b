//! Macros: statements that expand to several words.

use super::super::macros::{MACROS, Macro, max_value};
use super::{Assembler, assemble, quote};
use crate::text::{Kind, Token, nearest};

impl Assembler<'_> {
    /// Expands the statement if it is a macro. Returns whether it is a macro.
    pub(super) fn expand(&mut self, tokens: &[Token<'_>]) -> bool {
        let [name, open, rest @ ..] = tokens else { return false };
        let named = |m: &&Macro| m.name == name.text;
        if name.kind != Kind::Identifier || open.kind != Kind::Punct('(') || !MACROS.iter().any(|m| named(&m))
        {
            return false;
        }
        let Some((form, rest)) = rest.split_first() else {
            self.error(self.end, format!("'{}' needs a form", name.text), None);
            return true;
        };
        let Some(row) = MACROS.iter().find(|m| named(m) && m.form == form.text) else {
            let forms = MACROS.iter().filter(named).map(|m| m.form);
            let help = nearest(form.text, forms.clone()).map(|n| format!("did you mean '{n}'?"));
            let known = forms.collect::<Vec<_>>().join(", ");
            let message = format!("'{}' has no form {}: its forms are {known}", name.text, quote(Some(form)));
            self.error(form.span, message, help);
            return true;
        };
        let mut values = Vec::with_capacity(row.operands.len());
        let mut rest = rest.iter();
        for operand in row.operands {
            let (comma, value) = (rest.next(), rest.next());
            let limit = max_value(operand);
            match value.and_then(Token::integer).filter(|v| *v <= limit) {
                Some(number) if comma.is_some_and(|t| t.kind == Kind::Punct(',')) => values.push(number),
                _ => {
                    let span = value.or(comma).map_or(self.end, |token| token.span);
                    self.error(
                        span,
                        format!("expected ', {operand}', a number from 0 to {limit}"),
                        Some(usage(row)),
                    );
                    return true;
                }
            }
        }
        match (rest.next(), rest.next()) {
            (Some(close), None) if close.kind == Kind::Punct(')') => {}
            (found, other) => {
                let wrong = found.filter(|token| token.kind != Kind::Punct(')')).or(other);
                let span = wrong.map_or(self.end, |token| token.span);
                self.error(span, "expected ')' and nothing after it", Some(usage(row)));
                return true;
            }
        }
        match assemble(&row.text(&values)) {
            Ok(program) => self.program.words.extend(program.words),
            Err(errors) => self.errors.extend(errors),
        }
        true
    }
}

fn usage(row: &Macro) -> String {
    format!("write {}({}, {});", row.name, row.form, row.operands.join(", "))
}
