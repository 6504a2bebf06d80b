//! With feature `prove`: lets the binary and the tests find the Z3 that `ci/setup` fetched.

use std::path::Path;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let (Some(_), Some(here)) =
        (std::env::var_os("CARGO_FEATURE_PROVE"), std::env::var_os("CARGO_MANIFEST_DIR"))
    else {
        return;
    };
    let library = Path::new(&here).join("../.z3/z3/lib");
    println!("cargo:rerun-if-changed={}", library.display());
    if let Ok(library) = library.canonicalize() {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{}", library.display());
    }
}
