//! The location of the corpora.

use std::path::{Path, PathBuf};

/// The environment variable that overrides the location of our own corpora.
pub const OWN_VARIABLE: &str = "LOCKSTEP_CORPORA";
/// The environment variable that overrides the location of other people's shaders.
pub(super) const REAL_VARIABLE: &str = "LOCKSTEP_REAL_CORPORA";

/// Returns the folder of our own corpora, which is the first of: `given`, the folder named by `LOCKSTEP_CORPORA`, `corpora` in the workspace of this
/// build, the nearest `corpora` from the current folder upwards. The last two must contain a `README.md`. `None` if the first that is named does not
/// exist, or none is found.
pub fn own_corpora(given: Option<&Path>) -> Option<PathBuf> {
    let here = std::env::current_dir().ok();
    let upwards = here.iter().flat_map(|folder| folder.ancestors());
    let places = workspace().into_iter().chain(upwards).map(|root| root.join("corpora"));
    find(given, OWN_VARIABLE, places.filter(|folder| folder.join("README.md").is_file()))
}

/// Returns the folder of other people's shaders, which is the first of: `given`, the folder named by `LOCKSTEP_REAL_CORPORA`, `../shared/corpora`
/// beside the workspace of this build. Parent folders are not searched, as a folder of that name there would be unrelated. `None` if there is no such
/// folder.
pub fn real_corpora(given: Option<&Path>) -> Option<PathBuf> {
    find(given, REAL_VARIABLE, workspace().map(|root| root.join("../shared/corpora")).into_iter())
}

/// Returns the root folder of the workspace in which this crate was built.
fn workspace() -> Option<&'static Path> {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent()
}

fn find(given: Option<&Path>, variable: &str, mut places: impl Iterator<Item = PathBuf>) -> Option<PathBuf> {
    if let Some(given) = given {
        return given.is_dir().then(|| given.to_owned());
    }
    if let Some(named) = std::env::var_os(variable) {
        return Some(PathBuf::from(named)).filter(|folder| folder.is_dir());
    }
    places.find(|folder| folder.is_dir()).map(|f| f.canonicalize().unwrap_or(f))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_given_folder_wins_and_must_exist() {
        let here = tempfile::tempdir().expect("a folder");
        assert_eq!(own_corpora(Some(here.path())).as_deref(), Some(here.path()));
        assert_eq!(own_corpora(Some(&here.path().join("absent"))), None);
    }

    #[test]
    fn the_workspace_has_its_own_corpora() {
        let found = own_corpora(None).expect("corpora");
        assert!(found.join("agal/programs").is_dir(), "{found:?}");
    }

    #[test]
    fn the_first_existing_folder_is_used() {
        let here = tempfile::tempdir().expect("a folder");
        let places = ["absent", "a", "b"].map(|name| here.path().join(name));
        let find = || find(None, "LOCKSTEP_NO_SUCH_VARIABLE", places.clone().into_iter());
        assert_eq!(find(), None);
        for name in ["b", "a"] {
            let folder = here.path().join(name);
            std::fs::create_dir(&folder).expect("a folder");
            assert_eq!(find(), Some(folder.canonicalize().expect("it is there")));
        }
    }
}
