//! Decoding and encoding.

use crate::corpus::shaders;
use lockstep_core::isa::d3d9::decode::decode;
use lockstep_core::isa::d3d9::encode::encode;
use lockstep_core::isa::d3d9::table::ConstantTable;

#[test]
fn open_files_round_trip_byte_for_byte() {
    let Some(shaders) = shaders() else { return };
    for shader in &shaders {
        let program = decode(&shader.bytes).unwrap_or_else(|e| panic!("{}: {e}", shader.name));
        assert!(encode(&program) == shader.bytes, "{}", shader.name);
        let profile = program.version.profile().unwrap();
        // Minor 1 is printed as x.
        assert_eq!(profile.name(), shader.version.replace("2_1", "2_x"), "{}", shader.name);
        assert_eq!(program.instructions.len(), shader.instructions, "{}", shader.name);
        for i in &program.instructions {
            assert!(i.is_complete(program.version), "{}: {i:?}", shader.name);
        }
        let tables: Vec<_> = program.comments.iter().filter_map(|c| ConstantTable::read(&c.words)).collect();
        assert_eq!(!tables.is_empty(), shader.features.contains("ctab"), "{}", shader.name);
        for table in tables {
            let table = table.unwrap_or_else(|e| panic!("{}: {e}", shader.name));
            assert_eq!(table.version & 0xffff, program.version.number(), "{}", shader.name);
        }
    }
}
