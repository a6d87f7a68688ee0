//! Whole numbers among floating point numbers: GLSL converts them from 1.20 on, and GLSL ES never
//! does.
//!
//! Only literals beside a variable whose type is known are converted, as in `x * 2` and
//! `float x = 1`: that is what shaders do. What is left makes WebGL2's compiler complain, and the
//! user sees that.

use hashbrown::HashMap;

use super::tokens::{Token, TokenKind};

/// The types of the variables of a shader, by name. A name with several types has none.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    types: HashMap<String, String>,
}

impl Scope {
    /// A variable of a type.
    pub(crate) fn declare(&mut self, name: &str, type_name: &str) {
        match self.types.get_mut(name) {
            Some(known) if known != type_name => known.clear(),
            Some(_) => {}
            None => {
                self.types.insert(name.into(), type_name.into());
            }
        }
    }

    /// The type of a variable.
    pub(crate) fn type_of(&self, name: &str) -> Option<&str> {
        self.types.get(name).map(String::as_str)
    }

    fn is_float(&self, name: &str) -> bool {
        self.type_of(name).is_some_and(is_float)
    }
}

fn is_float(type_name: &str) -> bool {
    matches!(type_name, "float" | "vec2" | "vec3" | "vec4" | "mat2" | "mat3" | "mat4")
}

fn is_type(name: &str) -> bool {
    is_float(name)
        || matches!(name, "int" | "uint" | "bool" | "ivec2" | "ivec3" | "ivec4" | "uvec2" | "uvec3" | "uvec4")
}

fn is_operator(text: &str) -> bool {
    matches!(text, "+" | "-" | "*" | "/" | "<" | ">" | "<=" | ">=" | "==" | "!=" | "=" | "+=" | "-=" | "*=" | "/=")
}

fn is_whole(token: &Token) -> bool {
    token.kind == TokenKind::Number && token.text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The tokens of a declaration or function, with whole numbers beside floats as floats. Its
/// variables become known.
pub(crate) fn floats(scope: &mut Scope, tokens: &[Token]) -> Vec<Token> {
    for pair in tokens.windows(2) {
        if let [type_name, name] = pair
            && is_type(&type_name.text)
            && name.kind == TokenKind::Name
        {
            scope.declare(&name.text, &type_name.text);
        }
    }
    let mut out = tokens.to_vec();
    for (i, token) in tokens.iter().enumerate() {
        if is_whole(token)
            && (before(scope, tokens, i) || after(scope, tokens, i))
            && let Some(token) = out.get_mut(i)
        {
            token.text.push_str(".0");
        }
    }
    out
}

fn at(tokens: &[Token], i: Option<usize>) -> Option<&Token> {
    i.and_then(|i| tokens.get(i))
}

/// Whether the number at `i` follows an operator and a float: `x * 2`, `v.xy - 1`, `float x = 1`.
fn before(scope: &Scope, tokens: &[Token], i: usize) -> bool {
    let mut operator = i.checked_sub(1);
    // A sign: `x * -2`.
    if at(tokens, operator).is_some_and(|token| token.is("-") || token.is("+"))
        && at(tokens, i.checked_sub(2)).is_some_and(|token| is_operator(&token.text))
    {
        operator = i.checked_sub(2);
    }
    if !at(tokens, operator).is_some_and(|token| is_operator(&token.text)) {
        return false;
    }
    let operand = operator.and_then(|at| at.checked_sub(1));
    let Some(last) = at(tokens, operand).filter(|token| token.kind == TokenKind::Name) else { return false };
    let is_member = at(tokens, operand.and_then(|at| at.checked_sub(1))).is_some_and(|token| token.is("."));
    match is_member {
        // Components of a vector; members of structures are not known.
        true => at(tokens, operand.and_then(|at| at.checked_sub(2))).is_some_and(|base| scope.is_float(&base.text)),
        false => scope.is_float(&last.text),
    }
}

/// Whether the number at `i` stands before an operator and a float: `2 * x`, `1 - v.x`.
fn after(scope: &Scope, tokens: &[Token], i: usize) -> bool {
    let is_first = at(tokens, i.checked_sub(1)).is_none_or(|token| token.kind == TokenKind::Sign && !token.is("["));
    let Some(operator) = tokens.get(i + 1).filter(|token| is_operator(&token.text)) else { return false };
    let Some(base) = tokens.get(i + 2).filter(|token| token.kind == TokenKind::Name) else { return false };
    let next = tokens.get(i + 3).map(|token| token.text.as_str()).unwrap_or_default();
    is_first && !operator.text.ends_with('=') && next != "[" && next != "(" && scope.is_float(&base.text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glsl::tokens::tokens_of_line;

    fn converted(line: &str) -> String {
        let all = floats(&mut Scope::default(), &tokens_of_line(line, 1));
        all.iter().map(|token| token.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn whole_numbers_beside_floats_are_floats() {
        assert_eq!(converted("float x = 1; x = x * 2 - 3; x += 1;"), "float x = 1.0 ; x = x * 2.0 - 3 ; x += 1.0 ;");
        assert_eq!(
            converted("vec3 v; v.xy = 2 * v.xy; if (v.x > 0) v.x = -1;"),
            "vec3 v ; v . xy = 2.0 * v . xy ; if ( v . x > 0.0 ) v . x = - 1.0 ;"
        );
        assert_eq!(
            converted("int i = 1; a[2] = i + 1; vec2 w = vec2(1);"),
            "int i = 1 ; a [ 2 ] = i + 1 ; vec2 w = vec2 ( 1 ) ;"
        );
        // One name, two types: nothing is known.
        assert_eq!(converted("float k; int k; k = 1;"), "float k ; int k ; k = 1 ;");
    }
}
