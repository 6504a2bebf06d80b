//! Capabilities of implementations, as statements and as a predicate over programs.

use lockstep_core::isa::agal::Agal;
use lockstep_core::isa::d3d9::D3d9;
use lockstep_core::isa::facet::{Capabilities, points, rule_instances};
use lockstep_core::isa::utgard_gp::UtgardGp;
use lockstep_core::isa::{Context, Isa, IsaId, Options, Syntax, Tables};
use lockstep_core::with_isa;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Every `STEP`-th coverage point and every `STEP`-th rule instance is tried.
const STEP: usize = 17;

/// Returns the opcodes and the coverage points of a program, computed from its instructions.
fn shown<I: Tables>(program: &I::Program) -> (BTreeSet<&'static str>, BTreeSet<String>) {
    let options = Options::new(I::option_specs());
    let words = |entry| I::instruction_count(&Context::<I> { program, entry: &entry, options: &options });
    let words = 0..I::entries(program).into_iter().map(words).max().unwrap_or(0);
    let opcodes = words.clone().flat_map(|word| I::facets().sites(program, word).map(|(_, opcode)| opcode));
    let points = words.flat_map(|word| I::facets().points(program, word));
    (opcodes.collect(), points.map(|point| format!("{}: {}", point.opcode, point.modifier)).collect())
}

/// Checks that a statement forbids exactly what it names, in lists of points and in programs.
fn forbids_what_it_names<I: Isa>() {
    let all = points::<I>();
    // A name in a statement must be either an opcode or a facet.
    let is_facet = |name: &str| I::facets().facets.iter().any(|facet| facet.name.eq_ignore_ascii_case(name));
    assert!(!I::opcodes().iter().any(|opcode| is_facet(opcode.mnemonic)), "{}", I::ID);
    let programs: Vec<_> = rule_instances::<I>().iter().step_by(STEP).map(|rule| &rule.program).collect();
    let shown: Vec<_> = programs.iter().map(|program| shown::<I>(program)).collect();
    let (mut inside, mut outside) = (0, 0);
    for named in all.iter().step_by(STEP) {
        let name = format!("{}: {}", named.opcode, named.modifier);
        let alone = Capabilities::parse::<I>(&format!("no {name}")).unwrap();
        let anywhere = Capabilities::parse::<I>(&format!("no {}", named.modifier)).unwrap();
        let no_opcode = Capabilities::parse::<I>(&format!("no {}", named.opcode)).unwrap();
        for point in all {
            assert_eq!(alone.allows(point), point != named, "{name}: {point:?}");
            assert_eq!(anywhere.allows(point), point.modifier != named.modifier, "{name}: {point:?}");
            assert_eq!(no_opcode.allows(point), point.opcode != named.opcode, "{name}: {point:?}");
        }
        for (program, (opcodes, points)) in programs.iter().zip(&shown) {
            let is_inside = !points.contains(&name);
            assert_eq!(alone.allows_program::<I>(program), is_inside, "{name}\n{}", I::disassemble(program));
            assert_eq!(no_opcode.allows_program::<I>(program), !opcodes.contains(named.opcode), "{name}");
            let found = alone.unsupported::<I>(program);
            assert_eq!(found.is_empty(), is_inside);
            let is_named = |modifier: Option<&String>| modifier == Some(&named.modifier);
            assert!(found.iter().all(|o| o.opcode == named.opcode && is_named(o.modifier.as_ref())));
            *(if is_inside { &mut inside } else { &mut outside }) += 1;
        }
        for capabilities in [alone, anywhere, no_opcode] {
            assert_eq!(Capabilities::parse::<I>(&capabilities.to_string()), Ok(capabilities));
        }
    }
    assert!(inside > 100 && outside > 10, "{}: {inside} inside, {outside} outside", I::ID);
}

#[test]
fn a_statement_excludes_exactly_what_it_names() {
    for &isa in IsaId::ALL {
        with_isa!(isa, I => forbids_what_it_names::<I>());
    }
}

/// Returns the instructions of an assembly text that violate the statements.
fn outside<I: Syntax + Tables>(statements: &str, text: &str) -> Vec<String> {
    let program = I::assemble(text).unwrap();
    let capabilities = Capabilities::parse::<I>(statements).unwrap();
    capabilities.unsupported::<I>(&program).iter().map(ToString::to_string).collect()
}

#[test]
fn unsupported_instructions_are_reported_with_the_facet() {
    let text =
        "vs_2_0\ndcl_position v0\ndef c0, 1, 0, 0, 0\nmova a0.x, c0.x\nmov oPos, c[a0.x + 3]\nmov oD0, -v0\n";
    let none = Vec::<String>::new();
    assert_eq!(outside::<D3d9>("", text), none);
    assert_eq!(outside::<D3d9>("no mova # comments\n\n", text), ["instruction 2: no mova"]);
    assert_eq!(outside::<D3d9>("no DEF; no dcl", text), ["instruction 0: no dcl", "instruction 1: no def"]);
    assert_eq!(outside::<D3d9>("no a.index", text), ["instruction 3: no mov: a.index=x"]);
    assert_eq!(outside::<D3d9>("a.index=none", text), ["instruction 3: no mov: a.index=x"]);
    // A name without its operand stands for all operands.
    assert_eq!(outside::<D3d9>("no index", text), ["instruction 3: no mov: a.index=x"]);
    let second = "version 1 vertex\nmov vt0, va0\nadd op, va1, vc[vt0.x+4]\n";
    assert_eq!(outside::<Agal>("no index", second), ["instruction 1: no add: b.index=temporary"]);
    assert_eq!(outside::<Agal>("no a.index", second), none);
    assert_eq!(outside::<D3d9>("a.index = x", text), none);
    assert_eq!(outside::<D3d9>("only dcl, def, mov", text), ["instruction 2: no mova"]);
    assert_eq!(outside::<D3d9>("no mova: a.modifier=neg\nno sub", text), none);
    let negated = "instruction 4: no mov: a.modifier=neg";
    assert_eq!(outside::<D3d9>("no mov: a.modifier=neg", text), [negated]);
    // A facet with a value named `none`.
    let has_none = Capabilities::parse::<UtgardGp>("sign=none").unwrap();
    let signs = points::<UtgardGp>().iter().filter(|point| point.modifier.starts_with("sign="));
    signs.for_each(|point| assert_eq!(has_none.allows(point), point.modifier == "sign=none", "{point:?}"));
}

#[test]
fn unknown_names_are_reported_with_a_span_and_the_known_ones() {
    let wrong = |text: &str| {
        let found = Capabilities::parse::<Agal>(text).unwrap_err();
        found
            .iter()
            .map(|error| (error.to_string(), error.help.clone().unwrap_or_default()))
            .collect::<Vec<_>>()
    };
    let found = wrong(
        "no kil\n  no movv; é # no x\nfilter=lineer\nonly mov,  ad\nmask\nno kill: filter\nno mov: mask=",
    );
    let places: Vec<&str> = found.iter().map(|(error, _)| error.split_once(": ").unwrap().0).collect();
    assert_eq!(places, ["2:3", "2:12", "3:1", "4:1", "5:1", "6:1", "7:1"]);
    for (at, message, help) in [
        (0, "no opcode or facet is called 'movv'; opcodes are mov, add, ", "did you mean 'mov'?"),
        (0, "; facets are stage, version, mask, ", ""),
        (1, "no facet is called 'é'; the facets are stage, version, ", ""),
        (2, "'filter' has no value 'lineer'; its values are nearest, linear", "did you mean 'linear'?"),
        (3, "no opcode is called 'ad'; the opcodes are mov, add, ", "did you mean 'add'?"),
        (4, "incomplete statement 'mask': write 'no mask' or 'mask=…'", ""),
        (5, "no opcode is called 'kill'", "did you mean 'kil'?"),
        (6, "'mask' has no value ''", ""),
    ] {
        assert!(found[at].0.contains(message) && found[at].1.contains(help), "{message}: {:?}", found[at]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_or_refused_with_spans(text in "(no|only|mov|[a-z.]{1,6}|é|[ :=,;#\n]){0,30}") {
        if let Err(wrong) = Capabilities::parse::<Agal>(&text) {
            for error in wrong {
                let (from, len) = (error.span.offset as usize, error.span.len as usize);
                prop_assert!(!text[from..from + len].trim().is_empty());
            }
        }
    }
}
