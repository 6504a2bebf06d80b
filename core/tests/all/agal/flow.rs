//! Control flow: conditions, on both engines.

use crate::flow::first_lane;
use lockstep_core::host::{Environment, LaneInput};
use lockstep_core::isa::agal::Agal;
use lockstep_core::isa::lowering::Mode;
use lockstep_core::isa::{Context, End, Format, Options, Syntax, Tables};

/// A condition of which a source names several components compares one component (Flash Player) or, with an option, all four
/// (RUF).
#[test]
fn a_condition_compares_all_components_if_either_source_names_several() {
    // va0 is 1, 1, 1, 1, and va1 is 1, 2, 3, 4.
    let conditions = [
        ("ife va0.x, va1.x", [true, true]),
        ("ife va0, va1.x", [true, true]),
        ("ife va1.x, va0", [true, true]),
        ("ife va0.x, va1", [true, false]),
        ("ife va1, va0.x", [true, false]),
        ("ife va0, va1", [true, false]),
        ("ifl va1, va1.w", [true, false]),
        ("ifl va0.x, va1.yzww", [true, true]),
        ("ifg va1.w, va1.xyzz", [true, true]),
        ("ifg va1.w, va1", [true, false]),
    ];
    for (condition, holds) in conditions {
        let text = format!("version 2 vertex\nmov vt0, vc0\n{condition}\nmov vt0, vc1\neif\nmov op, vt0");
        let program = Agal::assemble(&text).unwrap();
        let entry = &Agal::entries(&program)[0];
        let env = Environment {
            constants: vec![[0.0; 4], [1.0; 4]],
            lanes: vec![LaneInput { slots: vec![[1.0; 4], [1.0, 2.0, 3.0, 4.0]] }],
            ..Environment::default()
        };
        for (choice, holds) in ["x", "all"].into_iter().zip(holds) {
            let mut options = Options::new(Agal::option_specs());
            options.set_named("conditions", choice).unwrap();
            let cx: Context<'_, Agal> = Context { program: &program, entry, options: &options };
            let result = first_lane(&text, cx, &env, &[Mode::Nodes, Mode::Fallback]);
            assert_eq!(result.end, End::Finished);
            assert_eq!(result.outputs[&(0, 0)], if holds { 1.0 } else { 0.0 }, "conditions={choice}: {text}");
        }
    }
}
