//! The types of all expressions of a shader, and the conversions that GLSL makes by itself (GLSL
//! 4.60, 4.1.10). GLSL ES makes none, so that each becomes a constructor.
//!
//! ```text
//! tokens ──tree──▶ nodes ──expressions, calls──▶ types ──edits──▶ tokens
//!            statements, declarations: names and their scopes
//! ```
//!
//! An expression whose type is not known stays as it is, and so does what it is part of: WebGL2's
//! compiler has the last word. Other things that GLSL allows and GLSL ES does not are written
//! differently, too: lists of initial values, components of scalars, `length()` of vectors,
//! constants with values that vary, and initial values of globals.

mod calls;
mod declarations;
mod edits;
mod expressions;
mod functions;
mod names;
mod statements;
mod tree;
mod types;

use super::cost::closing;
use super::tokens::Token;
use edits::Edits;
use names::Names;
use tree::Tree;
use types::Type;

/// Limit for the steps: nodes, names and functions that are looked at.
const MAX_STEPS: usize = 1 << 22;

/// What is known of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Value {
    of: Type,
    /// It certainly is not a constant expression (GLSL 4.60, 4.3.3).
    varies: bool,
    /// The whole number that it is, if that is known.
    number: Option<i32>,
}

impl Value {
    const UNKNOWN: Self = Self::new(Type::UNKNOWN, false);

    const fn new(of: Type, varies: bool) -> Self {
        Self { of, varies, number: None }
    }
}

/// Checks a shader.
struct Checker<'a> {
    tokens: &'a [Token],
    /// The bracket that closes the one at an index.
    closing: &'a [usize],
    version: u32,
    /// Signed numbers become unsigned.
    to_unsigned: bool,
    names: Names<'a>,
    edits: Edits,
    tree: Tree,
    /// Of the nodes of the tree.
    values: Vec<Value>,
    /// Where the declaration begins that is being read, and what its function returns.
    begin: usize,
    returns: Type,
    steps: usize,
}

/// The tokens of a shader with conversions, and the steps that it took. `gpu_shader5`: with that
/// extension.
///
/// # Errors
///
/// A sentence if it takes too long.
pub(super) fn converted(tokens: Vec<Token>, version: u32, gpu_shader5: bool) -> Result<(Vec<Token>, usize), String> {
    let (edits, steps) = checked(&tokens, version, gpu_shader5);
    if steps > MAX_STEPS {
        return Err("the shader takes too long to be translated".into());
    }
    Ok((edits.apply(tokens), steps))
}

fn checked(tokens: &[Token], version: u32, gpu_shader5: bool) -> (Edits, usize) {
    let closing = closing(tokens);
    let mut checker = Checker {
        tokens,
        closing: &closing,
        version,
        to_unsigned: gpu_shader5 || version >= 400,
        names: Names::default(),
        edits: Edits::default(),
        tree: Tree::default(),
        values: Vec::new(),
        begin: 0,
        returns: Type::VOID,
        steps: 0,
    };
    let mut at = 0;
    while at < tokens.len() && checker.steps <= MAX_STEPS {
        checker.begin = at;
        at = checker.global(at).max(at + 1);
    }
    checker.set_sizes();
    (checker.edits, checker.steps)
}

impl<'a> Checker<'a> {
    fn text(&self, at: usize) -> &'a str {
        self.tokens.get(at).map(|token| token.text.as_str()).unwrap_or_default()
    }

    fn is_name(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == super::tokens::TokenKind::Name)
    }

    /// The index of the bracket that closes the one at `open`.
    fn close(&self, open: usize) -> usize {
        self.closing.get(open).copied().unwrap_or(self.tokens.len()).max(open)
    }

    /// The index of the semicolon that ends what is at `from`, or of the bracket that ends what it
    /// is in.
    fn end_of_statement(&mut self, from: usize) -> usize {
        let mut at = from;
        while at < self.tokens.len() && !matches!(self.text(at), ";" | "}" | ")") {
            at = self.close(at) + 1;
        }
        self.steps += at - from;
        at
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
