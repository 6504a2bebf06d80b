//! The validator.

use crate::corpus::shaders;
use lockstep_core::isa::Level;
use lockstep_core::isa::d3d9::decode::decode;
use lockstep_core::isa::d3d9::interface::entries;
use lockstep_core::isa::d3d9::validate::validate;

#[test]
fn open_files_break_no_rule_that_matters() {
    let Some(shaders) = shaders() else { return };
    for shader in &shaders {
        let program = decode(&shader.bytes).unwrap();
        let found = validate(&program, &entries(&program)[0]);
        for v in &found {
            eprintln!("{} {:?} {v}", shader.name, v.level);
        }
        let errors: Vec<_> = found.iter().filter(|v| v.level == Level::Error).collect();
        assert!(errors.is_empty(), "{}: {errors:?}", shader.name);
    }
}
