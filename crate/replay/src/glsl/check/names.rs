//! What the names of a shader mean, with their scopes.

use hashbrown::HashMap;

use super::Value;
use super::functions::Builtin;
use super::types::{Base, Type};
use crate::glsl::builtins::{COMPATIBILITY, COMPATIBILITY_TYPES};

/// What a name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Variable(Value),
    Struct(u32),
}

/// A structure, or an interface block with a name for it.
#[derive(Debug, Default)]
pub(super) struct Struct<'a> {
    pub(super) name: &'a str,
    pub(super) members: Vec<(&'a str, Type)>,
}

/// How a function takes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    In,
    Out,
    InOut,
}

/// A function of a shader.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) returns: Type,
    pub(super) params: Vec<(Type, Way)>,
    /// What it is called in the translation, if another one of its name takes the same there.
    pub(super) shown: Option<String>,
}

/// Variables of the language without `gl_`: their type, dimensions as an array, and names.
const VARIABLES: &[(&str, u8, &str)] = &[
    (
        "vec4",
        0,
        "Position FragCoord FragColor Vertex Color SecondaryColor FrontColor FrontSecondaryColor BackColor BackSecondaryColor ClipVertex",
    ),
    ("vec4", 1, "FragData TexCoord"),
    ("vec3", 0, "Normal"),
    ("vec2", 0, "PointCoord SamplePosition"),
    ("float", 0, "PointSize FragDepth FogCoord FogFragCoord"),
    ("float", 1, "ClipDistance CullDistance"),
    ("bool", 0, "FrontFacing HelperInvocation"),
    ("int", 1, "SampleMask SampleMaskIn"),
    (
        "int",
        0,
        "VertexID InstanceID PrimitiveID Layer ViewportIndex SampleID NumSamples BaseVertex BaseInstance DrawID BaseVertexARB \
         BaseInstanceARB DrawIDARB",
    ),
];

/// What is known of a name.
#[derive(Debug, Default)]
pub(super) struct Entry {
    /// What it means in the scopes that are open, the inner one last, with their depth.
    meanings: Vec<(usize, Meaning)>,
    /// Functions of the shader.
    pub(super) functions: Vec<Function>,
    /// Functions of the language. `None` before it is called.
    pub(super) builtins: Option<Vec<Builtin>>,
    /// Of a global array without a size: the bracket that closes it, and the greatest index so far.
    pub(super) unsized_array: Option<(usize, i32)>,
}

/// The names of a shader.
#[derive(Debug, Default)]
pub(super) struct Names<'a> {
    entries: HashMap<&'a str, Entry>,
    /// Names that were declared, and how many had been when each scope began.
    declared: Vec<&'a str>,
    scopes: Vec<usize>,
    pub(super) structs: Vec<Struct<'a>>,
}

impl<'a> Names<'a> {
    /// What is known of a name. It is new if it was not known.
    pub(super) fn entry(&mut self, name: &'a str) -> &mut Entry {
        self.entries.entry(name).or_default()
    }

    /// Functions of the shader with a name.
    pub(super) fn functions(&self, name: &str) -> &[Function] {
        self.entries.get(name).map_or(&[], |entry| &entry.functions)
    }

    /// The global array without a size that a name means: see [`Entry::unsized_array`].
    pub(super) fn unsized_array(&mut self, name: &str) -> Option<&mut (usize, i32)> {
        let entry = self.entries.get_mut(name)?;
        entry.meanings.last().filter(|(depth, _)| *depth == 0)?;
        entry.unsized_array.as_mut()
    }

    /// All of these.
    pub(super) fn unsized_arrays(&self) -> Vec<(usize, i32)> {
        self.entries.values().filter_map(|entry| entry.unsized_array).collect()
    }

    pub(super) fn enter(&mut self) {
        self.scopes.push(self.declared.len());
    }

    pub(super) fn leave(&mut self) {
        let Some(begin) = self.scopes.pop() else { return };
        for name in self.declared.drain(begin..) {
            if let Some(entry) = self.entries.get_mut(name) {
                entry.meanings.pop();
            }
        }
    }

    /// Scopes that are open; 0 outside of functions.
    pub(super) fn depth(&self) -> usize {
        self.scopes.len()
    }

    pub(super) fn declare(&mut self, name: &'a str, meaning: Meaning) {
        let depth = self.scopes.len();
        let entry = self.entries.entry(name).or_default();
        match entry.meanings.last_mut().filter(|(known, _)| *known == depth) {
            // Declared again, as globals may be: with a size, or with other qualifiers.
            Some((_, last)) => *last = meaning,
            None => {
                entry.meanings.push((depth, meaning));
                self.declared.push(name);
            }
        }
    }

    /// A variable that is not a constant.
    pub(super) fn declare_variable(&mut self, name: &'a str, of: Type) {
        self.declare(name, Meaning::Variable(Value::new(of, true)));
    }

    pub(super) fn declare_struct(&mut self, name: &'a str, members: Vec<(&'a str, Type)>) -> Type {
        let number = self.structs.len() as u32;
        self.structs.push(Struct { name, members });
        if !name.is_empty() {
            self.declare(name, Meaning::Struct(number));
        }
        Type::scalar(Base::Struct(number))
    }

    pub(super) fn meaning(&self, name: &str) -> Option<Meaning> {
        self.entries.get(name).and_then(|entry| entry.meanings.last()).map(|(_, meaning)| *meaning)
    }

    /// The type with this name.
    pub(super) fn type_of(&mut self, name: &'a str) -> Option<Type> {
        match self.meaning(name) {
            Some(Meaning::Struct(number)) => Some(Type::scalar(Base::Struct(number))),
            Some(_) => None,
            None => Type::by_name(name).or_else(|| self.of_compatibility(name)),
        }
    }

    pub(super) fn members(&self, of: Type) -> Option<&Struct<'a>> {
        match of.base {
            Base::Struct(number) if of.dimensions == 0 => self.structs.get(number as usize),
            _ => None,
        }
    }

    /// A structure of the compatibility profile, which is declared with the first use.
    fn of_compatibility(&mut self, name: &'a str) -> Option<Type> {
        let short = name.strip_prefix("gl_").or(name.strip_prefix("ff_"))?;
        let (name, text) = COMPATIBILITY_TYPES.iter().find(|(known, _)| known.strip_prefix("ff_") == Some(short))?;
        if let Some(Meaning::Struct(number)) = self.meaning(name) {
            return Some(Type::scalar(Base::Struct(number)));
        }
        let members = text.split(';').filter_map(|member| member.trim().split_once(' '));
        let members = members.filter_map(|(of, name)| Some((name, Type::by_name(of)?))).collect();
        Some(self.declare_struct(name, members))
    }

    /// A variable of the language.
    pub(super) fn builtin(&mut self, name: &str) -> Option<Value> {
        let short = name.strip_prefix("gl_")?;
        if let Some((of, dimensions, _)) =
            VARIABLES.iter().find(|(.., names)| names.split(' ').any(|known| known == short))
        {
            return Some(Value::new(Type::by_name(of)?.array(*dimensions), true));
        }
        let of = if short == "DepthRange" {
            let members = vec![("near", Type::FLOAT), ("far", Type::FLOAT), ("diff", Type::FLOAT)];
            self.structs.push(Struct { name: "", members });
            Type::scalar(Base::Struct(self.structs.len() as u32 - 1))
        } else if short.starts_with("MultiTexCoord") {
            Type::vector(Base::Float, 4)
        } else if short.starts_with("Max") || short.starts_with("Min") {
            return Some(Value::new(Type::INT, false));
        } else {
            let (_, of, elements) = COMPATIBILITY.iter().find(|(known, ..)| *known == short)?;
            let of = Type::by_name(of).or_else(|| self.of_compatibility(of))?;
            of.array(u8::from(*elements > 0))
        };
        Some(Value::new(of, true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_names_hide_outer_ones() {
        let mut names = Names::default();
        let variable = |of: Type| Meaning::Variable(Value::new(of, true));
        names.declare("a", variable(Type::INT));
        names.enter();
        names.declare("a", variable(Type::FLOAT));
        assert_eq!(names.meaning("a"), Some(variable(Type::FLOAT)));
        names.enter();
        let of = names.declare_struct("a", vec![("x", Type::INT)]);
        assert_eq!(names.type_of("a"), Some(of));
        assert_eq!(names.members(of).unwrap().members, [("x", Type::INT)]);
        names.leave();
        names.leave();
        assert_eq!(names.meaning("a"), Some(variable(Type::INT)));
        assert_eq!(names.type_of("a"), None);
    }

    #[test]
    fn state_of_the_fixed_function_has_types() {
        let mut names = Names::default();
        let light = names.builtin("gl_LightSource").unwrap().of;
        let members = &names.members(light.element()).unwrap().members;
        assert!(members.contains(&("spotCutoff", Type::FLOAT)), "{members:?}");
        assert_eq!(names.builtin("gl_NormalMatrix"), Some(Value::new(Type::matrix(3, 3), true)));
        assert_eq!(names.builtin("gl_MaxLights"), Some(Value::new(Type::INT, false)));
        assert_eq!(names.type_of("gl_FogParameters").map(|of| names.members(of).unwrap().members.len()), Some(5));
        assert_eq!(names.builtin("gl_Nothing"), None);
    }
}
