//! Implicit conversions of whole numbers to floating point numbers, which GLSL has from 1.20 on and GLSL ES lacks.

use hashbrown::HashMap;

use super::tokens::{Token, TokenKind};

/// What the names of a shader are.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    types: HashMap<String, String>,
    functions: HashMap<String, String>,
}

impl Scope {
    /// A variable of a type.
    pub(crate) fn declare(&mut self, name: &str, type_name: &str, array: &str) {
        self.types.insert(name.into(), format!("{type_name}{array}"));
    }

    /// The type of a variable.
    pub(crate) fn type_of(&self, name: &str) -> Option<&str> {
        self.types.get(name).map(String::as_str)
    }

    /// A function whose head this is.
    pub(crate) fn function(&mut self, head: &[Token]) {
        if let [result, name, ..] = head {
            self.functions.insert(name.text.clone(), result.text.clone());
        }
    }
}

/// A structure.
pub(crate) fn structure(_scope: &mut Scope, _tokens: &[Token]) {}
/// A block with an instance name.
pub(crate) fn block(_scope: &mut Scope, _name: &str, _instance: &str, _members: &[Token]) {}

/// A declaration of variables, without qualifiers.
pub(crate) fn declare(scope: &mut Scope, tokens: &[Token]) {
    if let [type_name, name, ..] = tokens
        && name.kind == TokenKind::Name
    {
        scope.declare(&name.text, &type_name.text, "");
    }
}

/// A function.
pub(crate) fn function(_scope: &mut Scope, tokens: &[Token]) -> Vec<Token> {
    tokens.to_vec()
}

/// A declaration with its value.
pub(crate) fn statement(_scope: &mut Scope, tokens: &[Token]) -> Vec<Token> {
    tokens.to_vec()
}
