//! Compiles WGSL to SPIR-V with naga.

#[cfg(feature = "wgsl")]
mod compiler {
    use naga::back::spv;
    use naga::valid::{Capabilities, ValidationFlags, Validator};

    /// Compiles WGSL source text to the words of a SPIR-V module.
    ///
    /// # Errors
    /// The compiler's message, which shows the position in the source.
    pub(in crate::judge::raster) fn spirv(source: &str) -> Result<Vec<u32>, String> {
        let module = naga::front::wgsl::parse_str(source).map_err(|error| error.emit_to_string(source))?;
        let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
        let info = validator.validate(&module).map_err(|error| error.emit_to_string(source))?;
        // The compiler adds nothing to the source's meaning: it neither flips the position, nor clamps the depth, nor bounds loops.
        let options = spv::Options {
            lang_version: (1, 0),
            flags: spv::WriterFlags::empty(),
            force_loop_bounding: false,
            ..spv::Options::default()
        };
        spv::write_vec(&module, &info, &options, None).map_err(|error| error.to_string())
    }
}

#[cfg(not(feature = "wgsl"))]
mod compiler {
    pub(in crate::judge::raster) fn spirv(_: &str) -> Result<Vec<u32>, String> {
        Err("this build of Lockstep has no compiler of WGSL, which the feature 'wgsl' adds".to_owned())
    }
}

pub(super) use compiler::spirv;

#[cfg(all(test, feature = "wgsl"))]
mod tests {
    use super::*;

    #[test]
    fn compiler_errors_show_their_position() {
        let syntax = spirv("@vertex fn main() -> @builtin(position) vec4f {\n    return vec4f(1.0) ++;\n}\n");
        let types = spirv("@vertex fn main() -> @builtin(position) vec4f {\n    return vec3f(1.0);\n}\n");
        for (wrong, place) in [(syntax, "wgsl:2:23"), (types, "wgsl:2:12")] {
            let message = wrong.unwrap_err();
            assert!(message.contains(place), "{message}");
        }
        assert_eq!(
            spirv("@vertex fn main() -> @builtin(position) vec4f { return vec4f(); }").unwrap()[0],
            0x0723_0203
        );
    }
}
