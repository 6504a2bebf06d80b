//! Sets the run-time library path of the built executables to the Z3 that `ci/setup` fetched. Packages that depend on this one need the same
//! lines: link arguments are not inherited.

use std::path::Path;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let (Some(_), Some(here)) =
        (std::env::var_os("CARGO_FEATURE_SOLVER"), std::env::var_os("CARGO_MANIFEST_DIR"))
    else {
        return;
    };
    let library = Path::new(&here).join("../../.z3/z3/lib");
    println!("cargo:rerun-if-changed={}", library.display());
    if let Ok(library) = library.canonicalize() {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{}", library.display());
    }
}
