//! Parses the subject's command line.

use super::Arguments;
use crate::cli::Failure;
use crate::judge::plugin::is_library;
use crate::judge::quoted;
use std::path::{Path, PathBuf};

/// Returns the subject's command line, and the paths to judge.
pub(super) fn subject(arguments: &Arguments) -> Result<(Vec<String>, Vec<PathBuf>), Failure> {
    let (words, paths) = if arguments.command.is_empty() {
        let Some((subject, paths)) = arguments.words.split_first() else {
            return Err(Failure::Usage(
                "SUBJECT is missing: give a command line, a program file or a shared library".to_owned(),
            ));
        };
        (words_of(subject)?, paths)
    } else {
        (runnable(arguments.command.clone())?, arguments.words.as_slice())
    };
    Ok((words, paths.iter().map(PathBuf::from).collect()))
}

/// Splits a subject that is given as one argument into words, and checks and completes the first one as [`runnable`] does.
pub(in crate::cli) fn words_of(subject: &str) -> Result<Vec<String>, Failure> {
    // If a file has this name, the argument is a file name, even if it contains spaces.
    let words = if Path::new(subject).is_file() { vec![subject.to_owned()] } else { split(subject)? };
    runnable(words)
}

/// Checks that there is a first word and that, if it names a file, the file can be started or is a library; prepends `./` to a file name without a
/// folder. Returns the words.
fn runnable(mut words: Vec<String>) -> Result<Vec<String>, Failure> {
    if let Some(first) = words.first_mut()
        && Path::new(first).is_file()
    {
        // Without a folder, the system would search the name in PATH.
        if !first.contains('/') {
            *first = format!("./{first}");
        }
        #[cfg(unix)]
        if !is_library(Path::new(first.as_str())) {
            use std::os::unix::fs::PermissionsExt;
            let runs = std::fs::metadata(&*first).is_ok_and(|data| data.permissions().mode() & 0o111 != 0);
            if !runs {
                return Err(Failure::Usage(format!(
                    "{first} cannot be run as a program; give the command that runs it, such as 'python3 {first}'"
                )));
            }
        }
    }
    if words.is_empty() {
        return Err(Failure::Usage("SUBJECT is empty".to_owned()));
    }
    Ok(words)
}

/// Splits a command line at white space. Single and double quotes group. Outside single quotes, a backslash makes the next character literal.
fn split(line: &str) -> Result<Vec<String>, Failure> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        match (quote, c) {
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_with(String::new);
            }
            (Some(open), c) if open == c => quote = None,
            (None | Some('"'), '\\') => word.get_or_insert_with(String::new).extend(rest.next()),
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_with(String::new).push(c),
        }
    }
    if let Some(open) = quote {
        return Err(Failure::Usage(format!("a quote {open} of '{line}' is not closed")));
    }
    words.extend(word);
    Ok(words)
}

/// Returns the command line that judges the subject `words`, and `others` with `--also`. Paths and the options for generated programs are left out.
pub(super) fn command_line<'a>(
    arguments: &Arguments,
    words: &[String],
    others: impl Iterator<Item = &'a Vec<String>>,
) -> String {
    let line = |words: &[String]| words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
    let also: String = others.map(|words| format!(" --also {}", quoted(&line(words)))).collect();
    let line = line(words);
    let profile = arguments.profile.as_ref();
    let profile = profile.map(|path| format!(" --profile {}", quoted(&path.display().to_string())));
    let without: String = arguments.without.iter().map(|one| format!(" --without {}", quoted(one))).collect();
    let patience = (arguments.patience.0 != 1.0).then(|| format!(" --patience {}", arguments.patience.0));
    let memory = (arguments.memory != super::MEMORY).then(|| format!(" --memory {}", arguments.memory));
    let itself = arguments.itself.then(|| " --self".to_owned());
    let strict = arguments.strict.then(|| " --strict".to_owned());
    let strict_options = arguments.strict_options.then(|| " --strict-options".to_owned());
    let options = [Some(also), itself, profile, Some(without), strict, strict_options, patience, memory]
        .map(Option::unwrap_or_default)
        .concat();
    format!("lockstep judge {} --isa {}{options}", quoted(&line), arguments.isa)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_is_split_as_by_a_shell() {
        let words = |line: &str| split(line).ok();
        assert_eq!(words("a  b\tc").unwrap(), ["a", "b", "c"]);
        assert_eq!(words(r#"a 'b c' "d \"e" f\ g '' "#).unwrap(), ["a", "b c", "d \"e", "f g", ""]);
        assert_eq!(words(r"'\'x").unwrap(), [r"\x"]);
        assert!(words("a 'b").is_none() && words("").unwrap().is_empty());
        for word in ["a b", "it's", "", "plain-1.0", "\\"] {
            assert_eq!(split(&quoted(word)).ok().unwrap(), [word]);
        }
    }
}
