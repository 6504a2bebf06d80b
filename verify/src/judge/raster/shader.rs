//! Builds shaders for a translated one: the vertex shader that provides the inputs of a fragment shader, and a vertex shader whose arithmetic
//! compilers must not rewrite.

use crate::judge::subject::ShaderVariable;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The name of the vertex attribute that contains the position of a point.
pub(super) const POSITION: &str = "lockstep_position";

/// Returns the name of the attribute for the input of this number.
pub(super) fn attribute(number: usize) -> String {
    format!("lockstep_input_{number}")
}

/// Returns the `#version` line of a shader if it has one, the version number (110 without a line), and whether the version is of OpenGL ES.
fn version(source: &str) -> (Option<&str>, u32, bool) {
    let line = source.lines().map(str::trim).find(|line| line.starts_with("#version"));
    let mut words = line.unwrap_or_default().split_whitespace().skip(1);
    let number = words.next().and_then(|word| word.parse().ok()).unwrap_or(110);
    (line, number, number == 100 || words.next() == Some("es"))
}

/// Returns a vertex shader with invariant outputs, which keeps compilers from rewriting sums and products. GLSL allows this only for vertex shaders.
/// A shader without a `#version` line, or of a version below 120, is returned unchanged.
pub(super) fn invariant(vertex: &str) -> String {
    match version(vertex) {
        (Some(line), number, _) if number >= 120 => {
            vertex.replacen(line, &format!("{line}\n#pragma STDGL invariant(all)"), 1)
        }
        _ => vertex.to_owned(),
    }
}

/// Returns the interpolation qualifier with which a fragment shader declares an input, such as `flat`; empty if there is none. The vertex shader's
/// output must have the same qualifier.
fn interpolation(fragment: &str, name: &str) -> &'static str {
    let declares = |statement: &&str| {
        let mut names = statement.split(',').map(|part| part.split_whitespace().next_back());
        statement.split_whitespace().any(|word| word == "in") && names.any(|declared| declared == Some(name))
    };
    let qualifier = |word: &str| ["smooth", "flat", "noperspective"].into_iter().find(|known| *known == word);
    let code = without_comments(fragment);
    let mut declarations = code.split(';').filter(declares);
    declarations.find_map(|statement| statement.split_whitespace().find_map(qualifier)).unwrap_or_default()
}

/// Returns a shader with a space in place of each comment.
fn without_comments(shader: &str) -> String {
    let (mut code, mut rest) = (String::new(), shader);
    while let Some(at) = rest.find("//").into_iter().chain(rest.find("/*")).min() {
        let (before, comment) = rest.split_at(at);
        let end = if comment.starts_with("//") { "\n" } else { "*/" };
        code.push_str(before);
        code.push(' ');
        rest = comment[2..].split_once(end).map_or("", |(_, after)| after);
    }
    code + rest
}

/// Returns a vertex shader that provides the inputs of a fragment shader, in the order of the map: input n gets the value of attribute n.
///
/// # Errors
/// The input that a vertex shader cannot provide.
pub(super) fn feeding_vertex_shader(
    fragment: &str,
    inputs: &BTreeMap<String, ShaderVariable>,
) -> Result<String, String> {
    let (version, number, embedded) = version(fragment);
    let (takes, gives) =
        if number >= if embedded { 300 } else { 130 } { ("in", "out") } else { ("attribute", "varying") };
    let mut head = String::new();
    let mut body = format!("    gl_Position = {POSITION};\n");
    // Writing to a string cannot fail.
    let _ = writeln!(head, "{}", version.unwrap_or("#version 110"));
    if embedded {
        let _ = writeln!(head, "precision highp float;");
    }
    let _ = writeln!(head, "{takes} vec4 {POSITION};");
    for (at, place) in inputs.values().enumerate() {
        let ShaderVariable { name, components } = place;
        let kind = match components {
            1 => "float",
            2 => "vec2",
            3 => "vec3",
            _ => "vec4",
        };
        let part =
            if *components < 4 { format!(".{}", &"xyz"[..usize::from(*components)]) } else { String::new() };
        let _ = writeln!(head, "{takes} vec4 {};", attribute(at));
        let name = match name.as_str() {
            "gl_Color" => "gl_FrontColor",
            "gl_SecondaryColor" => "gl_FrontSecondaryColor",
            name if name.starts_with("gl_TexCoord[") || name == "gl_FogFragCoord" => name,
            name if name.starts_with("gl_") => return Err(format!("no vertex shader writes {name}")),
            name => {
                let _ = writeln!(head, "{} {gives} {kind} {name};", interpolation(fragment, name));
                name
            }
        };
        let _ = writeln!(body, "    {name} = {}{part};", attribute(at));
    }
    Ok(format!("{head}void main() {{\n{body}}}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(name: &str, components: u8) -> ShaderVariable {
        ShaderVariable { name: name.to_owned(), components }
    }

    #[test]
    fn a_vertex_shader_is_declared_invariant_after_its_version() {
        let made = invariant("// x\n#version 120\nvoid main() {}\n");
        assert_eq!(made, "// x\n#version 120\n#pragma STDGL invariant(all)\nvoid main() {}\n");
        for same in ["void main() {}\n", "#version 110\nvoid main() {}\n"] {
            assert_eq!(invariant(same), same);
        }
    }

    #[test]
    fn inputs_are_declared_in_the_syntax_of_the_language_version() {
        let inputs = BTreeMap::from([("v0".to_owned(), place("a", 4)), ("v1".to_owned(), place("b", 2))]);
        let old = feeding_vertex_shader("varying vec4 a;\n", &inputs).unwrap();
        assert!(old.starts_with("#version 110\n") && old.contains("varying vec4 a;\n"), "{old}");
        let new = feeding_vertex_shader("// a comment\n#version 330 core\n", &inputs).unwrap();
        assert!(new.starts_with("#version 330 core\n") && new.contains("out vec2 b;\n"), "{new}");
        assert!(new.contains("    b = lockstep_input_1.xy;\n"), "{new}");
        let smooth = feeding_vertex_shader("#version 330\nsmooth in vec4 a;\nin vec2 b;\n", &inputs).unwrap();
        assert!(smooth.contains("\nsmooth out vec4 a;\n") && smooth.contains("\n out vec2 b;\n"), "{smooth}");
        assert!(
            feeding_vertex_shader("#version 100\n", &inputs)
                .unwrap()
                .contains("precision highp float;\nattribute ")
        );
    }

    #[test]
    fn a_declaration_may_share_its_line_with_a_comment_or_other_names() {
        let shader = "#version 330 // x\nflat in vec4 a, b; // c\n/* smooth in\nvec4 d; */ in\nnoperspective vec4 d;\n\
            in vec4 e;\nvec4 f() { flat; return e; }\n";
        let qualifiers = ["a", "b", "d", "e"].map(|name| interpolation(shader, name));
        assert_eq!(qualifiers, ["flat", "flat", "noperspective", ""]);
    }

    #[test]
    fn built_in_inputs_are_written_to_their_vertex_shader_counterparts() {
        let inputs = |name: &str| BTreeMap::from([("v0".to_owned(), place(name, 4))]);
        let color = feeding_vertex_shader("#version 120\n", &inputs("gl_Color")).unwrap();
        assert!(color.contains("    gl_FrontColor = lockstep_input_0;\n"), "{color}");
        assert!(!color.contains("varying"), "{color}");
        assert!(feeding_vertex_shader("", &inputs("gl_FragCoord")).unwrap_err().contains("gl_FragCoord"));
    }
}
