//! Changes to assembly text: exchanges register names, and splits lines by write mask. The caller checks whether a change preserves the program's
//! meaning.

/// Returns the numbers of the registers with a prefix in a text, in ascending order without duplicates.
pub(super) fn registers(text: &str, prefix: &str) -> Vec<u32> {
    let mut all: Vec<u32> =
        names(text).filter_map(|(at, name)| number(&text[at..at + name], prefix)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Returns the text with two registers of a prefix exchanged; `None` if neither occurs.
pub(super) fn renamed(text: &str, prefix: &str, a: u32, b: u32) -> Option<String> {
    let (mut changed, mut done) = (String::with_capacity(text.len()), 0);
    for (at, length) in names(text) {
        let other = match number(&text[at..at + length], prefix) {
            Some(number) if number == a => b,
            Some(number) if number == b => a,
            _ => continue,
        };
        changed.push_str(&text[done..at]);
        changed.push_str(prefix);
        changed.push_str(&other.to_string());
        done = at + length;
    }
    if done == 0 {
        return None;
    }
    changed.push_str(&text[done..]);
    Some(changed)
}

/// Returns the names in a text, as offset and length.
fn names(text: &str) -> impl Iterator<Item = (usize, usize)> + '_ {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..)?;
        let begin = at + rest.find(is_part)?;
        let length = text[begin..].find(|c| !is_part(c)).unwrap_or(text.len() - begin);
        at = begin + length;
        Some((begin, length))
    })
}

/// Parses the number of a register; `r01` is not a register name.
fn number(name: &str, prefix: &str) -> Option<u32> {
    let digits = name.strip_prefix(prefix)?;
    let number: u32 = digits.parse().ok()?;
    (number.to_string() == digits).then_some(number)
}

/// Returns one change for each line. If the line writes several components, its change splits it into two lines: one for the first component, one for
/// the others. For other lines, the change returns `None`.
pub(super) fn split(text: &str) -> Vec<Box<dyn Fn(&str) -> Option<String>>> {
    // From the last line to the first, so that the numbers of earlier lines do not change.
    let lines = (0..text.lines().count()).rev();
    lines
        .map(|line| Box::new(move |text: &str| split_line(text, line)) as Box<dyn Fn(&str) -> Option<String>>)
        .collect()
}

fn split_line(text: &str, number: usize) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let line = lines.get(number)?;
    let begin = line.len() - line.trim_start().len();
    let space = begin + line[begin..].find(' ')?;
    let comma = space + line[space..].find(',')?;
    let destination = line[space..comma].trim();
    let (register, mask) = destination.split_once('.').unwrap_or((destination, "xyzw"));
    let plain = register.chars().all(|c| c.is_ascii_alphanumeric()) && !register.is_empty();
    let is_mask = mask.len() > 1 && mask.chars().all(|c| "xyzw".contains(c));
    if !plain || !is_mask {
        return None;
    }
    let (first, others) = mask.split_at(1);
    let with = |mask: &str| format!("{} {register}.{mask}{}", &line[..space], &line[comma..]);
    let mut all: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    all.splice(number..=number, [with(first), with(others)]);
    Some(all.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_are_found_and_exchanged_by_their_whole_names() {
        let text = "mov vt1.x, vt12.y\nadd vt01, vt2, xvt1\n";
        assert_eq!(registers(text, "vt"), [1, 2, 12]);
        assert_eq!(renamed(text, "vt", 1, 2).unwrap(), "mov vt2.x, vt12.y\nadd vt01, vt1, xvt1\n");
        assert_eq!(renamed(text, "vt", 12, 3).unwrap(), "mov vt1.x, vt3.y\nadd vt01, vt2, xvt1\n");
        assert_eq!(renamed(text, "ft", 1, 2), None);
        assert_eq!(registers("r1 r1 r0", "r"), [0, 1]);
    }

    #[test]
    fn lines_of_several_components_become_two() {
        let all = |text: &str| split(text).iter().filter_map(|change| change(text)).collect::<Vec<_>>();
        assert_eq!(
            all("a 1\nadd r0, r1, r2\nmov r0.x, r1\nmov r1.yzw, r2\n"),
            [
                "a 1\nadd r0, r1, r2\nmov r0.x, r1\nmov r1.y, r2\nmov r1.zw, r2\n",
                "a 1\nadd r0.x, r1, r2\nadd r0.yzw, r1, r2\nmov r0.x, r1\nmov r1.yzw, r2\n",
            ]
        );
        assert!(all("mov c[a0.x], r1\nend\nvs_2_0\n").is_empty());
    }
}
