//! Functions and constants of OpenGL, from the table that `cargo xtask gl` extracts from Khronos'
//! `gl.xml`.

use std::sync::OnceLock;

use hashbrown::HashMap;

/// The table. Its head says what its lines are.
const TABLE: &str = include_str!(concat!(env!("OUT_DIR"), "/table.txt"));

/// What is known of functions and constants.
#[derive(Debug)]
pub struct Functions {
    functions: HashMap<&'static str, Registered>,
    /// The usual name of each constant first, by value.
    constants: HashMap<u32, Vec<Constant>>,
}

/// What the registry has of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registered {
    /// The function that does the same, such as `ActiveTexture` for `ActiveTextureARB`.
    pub alias: Option<&'static str>,
    parameters: &'static str,
}

/// A parameter of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// The group of constants that it takes, such as `TextureTarget`.
    pub group: Option<&'static str>,
    /// The kind of object that it names, such as `texture` or `buffer`.
    pub class: Option<&'static str>,
}

#[derive(Clone, Copy, Debug)]
struct Constant {
    name: &'static str,
    /// Separated by commas. Only given where a value has several names.
    groups: &'static str,
}

/// The names of all functions of OpenGL, GLX, WGL, EGL and CGL, with their prefixes. For tests:
/// this reads whole files.
pub fn names() -> Vec<&'static str> {
    static NAMES: OnceLock<String> = OnceLock::new();
    let all = NAMES.get_or_init(|| {
        let table = include_str!("../gl.txt").lines().filter_map(|line| {
            let (kind, rest) = line.split_once(' ')?;
            let end = rest.find([' ', '=']).unwrap_or(rest.len());
            let name = rest.get(..end)?;
            match kind {
                "f" => Some(format!("gl{name}\n")),
                "n" => Some(format!("{name}\n")),
                _ => None,
            }
        });
        table.collect::<String>() + include_str!("../windows.txt")
    });
    all.lines().filter(|line| !line.starts_with('#')).collect()
}

/// The table, which is read on first use.
pub fn functions() -> &'static Functions {
    static FUNCTIONS: OnceLock<Functions> = OnceLock::new();
    FUNCTIONS.get_or_init(|| Functions::parse(TABLE))
}

impl Functions {
    fn parse(table: &'static str) -> Self {
        let mut all = Self { functions: HashMap::new(), constants: HashMap::new() };
        for line in table.lines() {
            let mut words = line.splitn(3, ' ');
            match (words.next(), words.next()) {
                (Some("f"), Some(name)) => {
                    let parameters = words.next().unwrap_or_default();
                    let (name, alias) = name.split_once('=').map_or((name, None), |(name, alias)| (name, Some(alias)));
                    all.functions.insert(name, Registered { alias, parameters });
                }
                (Some("e"), Some(value)) => {
                    let (Ok(value), Some(name)) = (u32::from_str_radix(value, 16), words.next()) else { continue };
                    let (name, groups) = name.split_once(':').unwrap_or((name, ""));
                    all.constants.entry(value).or_default().push(Constant { name, groups });
                }
                _ => {}
            }
        }
        all
    }

    /// The function with this name, such as `glBindTexture`.
    pub fn find(&self, name: &str) -> Option<&Registered> {
        self.functions.get(name.strip_prefix("gl")?)
    }

    /// All names of a constant, with the prefix `GL_`.
    pub fn names(&self, value: u32) -> Vec<String> {
        let names = self.constants.get(&value).map(Vec::as_slice).unwrap_or_default();
        names.iter().map(|constant| format!("GL_{}", constant.name)).collect()
    }

    /// The name of a constant, with the prefix `GL_`, as a group has it if several names have the
    /// value. `None` if there is none.
    pub fn constant(&self, value: u32, group: &str) -> Option<String> {
        let names = self.constants.get(&value)?;
        let of_group = names.iter().find(|constant| constant.groups.split(',').any(|it| it == group));
        // Constants of commands in buffers have small numbers. No state is one of them.
        let usual = names.first().filter(|constant| names.len() == 1 || !constant.groups.is_empty());
        of_group.or(usual).map(|constant| format!("GL_{}", constant.name))
    }
}

impl Registered {
    /// Its parameters, in order.
    pub fn parameters(&self) -> impl Iterator<Item = Parameter> + use<> {
        self.parameters.split_ascii_whitespace().map(|word| {
            let (word, class) = word.split_once('@').map_or((word, None), |(word, class)| (word, Some(class)));
            let (name, group) = word.split_once(':').map_or((word, None), |(name, group)| (name, Some(group)));
            Parameter { name, group, class }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_say_what_they_name() {
        let bind = functions().find("glBindTexture").unwrap();
        let parameters: Vec<Parameter> = bind.parameters().collect();
        let target = Parameter { name: "target", group: Some("TextureTarget"), class: None };
        assert_eq!(parameters, [target, Parameter { name: "texture", group: Some("Texture"), class: Some("texture") }]);
        assert!(functions().find("glXSwapBuffers").is_none());
    }

    #[test]
    fn small_constants_have_a_name_in_each_group() {
        let name = |value, group| functions().constant(value, group);
        assert_eq!(name(0, "Boolean").as_deref(), Some("GL_FALSE"));
        assert_eq!(name(0, "BlendingFactor").as_deref(), Some("GL_ZERO"));
        assert_eq!(name(1, "PrimitiveType").as_deref(), Some("GL_LINES"));
        assert_eq!(name(crate::gl::TEXTURE_2D, "").as_deref(), Some("GL_TEXTURE_2D"));
        assert_eq!(name(0xffff_fff0, ""), None);
    }
}
