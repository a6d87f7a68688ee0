//! Expressions as trees: nodes in a list, each after the nodes that it consists of.

use crate::glsl::tokens::{Token, TokenKind};

/// Limit for expressions within each other. WebGL2's compilers have one of 256.
const MAX_DEPTH: u32 = 200;
/// In place of the number of a node: there is none.
pub(super) const NONE: u32 = u32::MAX;

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Name,
    Number,
    /// Something in parentheses.
    Parens,
    /// An operator before its operand, or after it.
    Unary,
    Postfix,
    Binary,
    Assign,
    /// `a ? b : c`
    Choice,
    Comma,
    /// A function or a constructor.
    Call,
    /// The constructor of an array: `float[2](a, b)`.
    ArrayCall,
    Index,
    Member,
    /// `a.length()`
    Length,
    /// `{a, b}`
    List,
}

/// A node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    /// Its operator or name.
    pub(super) token: usize,
    /// Nodes that it consists of. Of [`Kind::ArrayCall`]: the dimensions of the array.
    pub(super) parts: [u32; 3],
    /// Of a call or list: the first of its nodes in [`Tree::args`], and their number.
    pub(super) args: (u32, u32),
    /// Its tokens.
    pub(super) from: usize,
    pub(super) to: usize,
}

/// An expression.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    pub(super) args: Vec<u32>,
    /// While it is read: operators that wait for their right side, with how tightly they bind, and
    /// arguments of calls that are open.
    operators: Vec<(u8, usize, u32)>,
    open: Vec<u32>,
}

/// It is not an expression, or one that is nested too deeply.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unread;

/// How tightly an operator binds (GLSL 4.60, 5.1).
fn strength(text: &str) -> Option<u8> {
    Some(match text {
        "||" => 1,
        "^^" => 2,
        "&&" => 3,
        "|" => 4,
        "^" => 5,
        "&" => 6,
        "==" | "!=" => 7,
        "<" | ">" | "<=" | ">=" => 8,
        "<<" | ">>" => 9,
        "+" | "-" => 10,
        "*" | "/" | "%" => 11,
        _ => return None,
    })
}

fn assigns(text: &str) -> bool {
    matches!(text, "=" | "+=" | "-=" | "*=" | "/=" | "%=" | "<<=" | ">>=" | "&=" | "|=" | "^=")
}

impl Tree {
    /// Reads an expression that begins at a token. Returns the index after it; its node is the last
    /// one.
    pub(super) fn read(&mut self, tokens: &[Token], at: usize) -> Result<usize, Unread> {
        let mut reader = self.reader(tokens, at);
        reader.expression()?;
        Ok(reader.at)
    }

    /// Reads what a variable may be set to: no comma, but lists.
    pub(super) fn read_initial(&mut self, tokens: &[Token], at: usize) -> Result<usize, Unread> {
        let mut reader = self.reader(tokens, at);
        reader.initial()?;
        Ok(reader.at)
    }

    fn reader<'a>(&'a mut self, tokens: &'a [Token], at: usize) -> Reader<'a> {
        self.nodes.clear();
        self.args.clear();
        self.operators.clear();
        self.open.clear();
        Reader { tokens, at, depth: 0, tree: self }
    }

    /// A node. `None` for [`NONE`].
    pub(super) fn node(&self, at: u32) -> Option<Node> {
        self.nodes.get(at as usize).copied()
    }

    /// The nodes of the arguments of a node.
    pub(super) fn args_of(&self, node: &Node) -> &[u32] {
        let (from, count) = node.args;
        self.args.get(from as usize..(from + count) as usize).unwrap_or_default()
    }

    /// The node of a whole expression.
    pub(super) fn root(&self) -> u32 {
        (self.nodes.len() as u32).wrapping_sub(1)
    }
}

struct Reader<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: u32,
    tree: &'a mut Tree,
}

impl Reader<'_> {
    fn text(&self) -> &str {
        self.tokens.get(self.at).map(|token| token.text.as_str()).unwrap_or_default()
    }

    fn takes(&mut self, text: &str) -> Result<(), Unread> {
        if self.text() != text {
            return Err(Unread);
        }
        self.at += 1;
        Ok(())
    }

    fn push(&mut self, node: Node) -> u32 {
        self.tree.nodes.push(node);
        self.tree.root()
    }

    /// A node of others, which extends from the first of them to what was read last.
    fn join(&mut self, kind: Kind, token: usize, parts: [u32; 3]) -> u32 {
        let [first, ..] = parts;
        let from = self.tree.node(first).map_or(token, |node| node.from).min(token);
        let to = self.at;
        self.push(Node { kind, token, parts, args: (0, 0), from, to })
    }

    fn expression(&mut self) -> Result<u32, Unread> {
        let mut left = self.assignment()?;
        while self.text() == "," {
            let token = self.at;
            self.at += 1;
            let right = self.assignment()?;
            left = self.join(Kind::Comma, token, [left, right, NONE]);
        }
        Ok(left)
    }

    fn assignment(&mut self) -> Result<u32, Unread> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Unread);
        }
        let mut left = self.binary()?;
        let token = self.at;
        if self.text() == "?" {
            self.at += 1;
            let yes = self.expression()?;
            self.takes(":")?;
            let no = self.assignment()?;
            left = self.join(Kind::Choice, token, [left, yes, no]);
        } else if assigns(self.text()) {
            self.at += 1;
            let right = self.assignment()?;
            left = self.join(Kind::Assign, token, [left, right, NONE]);
        }
        self.depth -= 1;
        Ok(left)
    }

    fn initial(&mut self) -> Result<u32, Unread> {
        if self.text() != "{" {
            return self.assignment();
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Unread);
        }
        let begin = self.at;
        let base = self.tree.open.len();
        self.at += 1;
        while self.text() != "}" {
            let item = self.initial()?;
            self.tree.open.push(item);
            if self.text() != "}" {
                self.takes(",")?;
            }
        }
        self.at += 1;
        self.depth -= 1;
        Ok(self.with_args(Kind::List, begin, begin, [NONE; 3], base))
    }

    /// Operators of two operands, without recursion.
    fn binary(&mut self) -> Result<u32, Unread> {
        let base = self.tree.operators.len();
        let mut left = self.unary()?;
        loop {
            let next = strength(self.text()).unwrap_or(0);
            while self.tree.operators.len() > base
                && let Some((_, token, before)) = self.tree.operators.pop_if(|(strength, ..)| *strength >= next)
            {
                left = self.join(Kind::Binary, token, [before, left, NONE]);
            }
            if next == 0 {
                return Ok(left);
            }
            self.tree.operators.push((next, self.at, left));
            self.at += 1;
            left = self.unary()?;
        }
    }

    fn unary(&mut self) -> Result<u32, Unread> {
        let begin = self.at;
        while matches!(self.text(), "-" | "+" | "!" | "~" | "++" | "--") {
            self.at += 1;
        }
        let end = self.at;
        let mut node = self.postfix()?;
        for token in (begin..end).rev() {
            node = self.join(Kind::Unary, token, [node, NONE, NONE]);
        }
        Ok(node)
    }

    fn postfix(&mut self) -> Result<u32, Unread> {
        let mut node = self.primary()?;
        // Brackets after a name, as long as it is nothing else.
        let mut dimensions = 0u32;
        let name = self.at.wrapping_sub(1);
        let is_name = self.tree.node(node).is_some_and(|node| node.kind == Kind::Name);
        loop {
            let token = self.at;
            match self.text() {
                "[" => {
                    self.at += 1;
                    let index = if self.text() == "]" { NONE } else { self.expression()? };
                    self.takes("]")?;
                    node = self.join(Kind::Index, token, [node, index, NONE]);
                    dimensions = dimensions.saturating_add(1);
                }
                "." => {
                    self.at += 1;
                    if self.tokens.get(self.at).is_none_or(|token| token.kind != TokenKind::Name) {
                        return Err(Unread);
                    }
                    let member = self.at;
                    self.at += 1;
                    if self.text() == "(" {
                        self.at += 1;
                        self.takes(")")?;
                        node = self.join(Kind::Length, member, [node, NONE, NONE]);
                    } else {
                        node = self.join(Kind::Member, member, [node, NONE, NONE]);
                    }
                    dimensions = u32::MAX;
                }
                "++" | "--" => {
                    self.at += 1;
                    node = self.join(Kind::Postfix, token, [node, NONE, NONE]);
                    dimensions = u32::MAX;
                }
                "(" if is_name && dimensions < 8 => {
                    let base = self.tree.open.len();
                    self.at += 1;
                    self.arguments()?;
                    let kind = if dimensions == 0 { Kind::Call } else { Kind::ArrayCall };
                    node = self.with_args(kind, name, name, [dimensions, NONE, NONE], base);
                    dimensions = u32::MAX;
                }
                _ => return Ok(node),
            }
        }
    }

    /// The arguments of a call, up to the parenthesis that closes it.
    fn arguments(&mut self) -> Result<(), Unread> {
        let is_none = self.text() == "void" && self.tokens.get(self.at + 1).is_some_and(|token| token.is(")"));
        if is_none {
            self.at += 1;
        }
        while self.text() != ")" {
            let argument = self.assignment()?;
            self.tree.open.push(argument);
            if self.text() != ")" {
                self.takes(",")?;
            }
        }
        self.at += 1;
        Ok(())
    }

    fn with_args(&mut self, kind: Kind, token: usize, from: usize, parts: [u32; 3], base: usize) -> u32 {
        let first = self.tree.args.len() as u32;
        let Tree { args, open, .. } = &mut *self.tree;
        args.extend(open.drain(base.min(open.len())..));
        let count = args.len() as u32 - first;
        self.push(Node { kind, token, parts, args: (first, count), from, to: self.at })
    }

    fn primary(&mut self) -> Result<u32, Unread> {
        let token = self.at;
        let kind = match self.tokens.get(token) {
            Some(it) if it.kind == TokenKind::Name => Kind::Name,
            Some(it) if it.kind == TokenKind::Number => Kind::Number,
            Some(it) if it.is("(") => {
                self.at += 1;
                let inner = self.expression()?;
                self.takes(")")?;
                return Ok(self.push(Node {
                    kind: Kind::Parens,
                    token,
                    parts: [inner, NONE, NONE],
                    args: (0, 0),
                    from: token,
                    to: self.at,
                }));
            }
            _ => return Err(Unread),
        };
        self.at += 1;
        Ok(self.push(Node { kind, token, parts: [NONE; 3], args: (0, 0), from: token, to: token + 1 }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glsl::tokens::tokens_of_line;

    /// The tree with brackets around each node.
    fn shown(line: &str) -> Option<String> {
        let tokens = tokens_of_line(line, 1);
        let mut tree = Tree::default();
        let end = tree.read_initial(&tokens, 0).ok()?;
        assert_eq!(end, tokens.len(), "{line}");
        let mut texts: Vec<String> = Vec::new();
        for node in &tree.nodes {
            let name = &tokens[node.token].text;
            let part = |at: usize| texts[node.parts[at] as usize].clone();
            let args = || tree.args_of(node).iter().map(|at| texts[*at as usize].clone()).collect::<Vec<_>>().join(",");
            let text = match node.kind {
                Kind::Name | Kind::Number => name.clone(),
                Kind::Parens => part(0),
                Kind::Unary => format!("({name}{})", part(0)),
                Kind::Postfix => format!("({}{name})", part(0)),
                Kind::Binary | Kind::Assign | Kind::Comma => format!("({}{name}{})", part(0), part(1)),
                Kind::Choice => format!("({}?{}:{})", part(0), part(1), part(2)),
                Kind::Call => format!("{name}({})", args()),
                Kind::ArrayCall => format!("{name}{}({})", "[]".repeat(node.parts[0] as usize), args()),
                Kind::Index if node.parts[1] == NONE => format!("{}[]", part(0)),
                Kind::Index => format!("{}[{}]", part(0), part(1)),
                Kind::Member => format!("{}.{name}", part(0)),
                Kind::Length => format!("#{}", part(0)),
                Kind::List => format!("{{{}}}", args()),
            };
            texts.push(text);
        }
        texts.pop()
    }

    #[test]
    fn operators_bind_as_the_language_says() {
        for (line, tree) in [
            ("a + b * c - d", "((a+(b*c))-d)"),
            ("a || b && c | d ^ e & f == g < h << i + j", "(a||(b&&(c|(d^(e&(f==(g<(h<<(i+j)))))))))"),
            ("a * b + c << d < e == f & g ^ h | i && j", "(((((((((a*b)+c)<<d)<e)==f)&g)^h)|i)&&j)"),
            ("a = b += c ? d : e = f", "(a=(b+=(c?d:(e=f))))"),
            ("- - a++ * !b.c[1 + 2]", "((-(-(a++)))*(!b.c[(1+2)]))"),
            ("f(a, g(b), c).xy * h()", "(f(a,g(b),c).xy*h())"),
            ("float[](a, b)[1] + float[2][3](c).length()", "(float[](a,b)[1]+#float[][](c))"),
            ("(a + b) * c", "((a+b)*c)"),
            ("{ a, { b, c + 1 }, }", "{a,{b,(c+1)}}"),
            ("a[1](b)", "a[](b)"),
        ] {
            assert_eq!(shown(line).as_deref(), Some(tree), "{line}");
        }
    }

    #[test]
    fn what_is_no_expression_or_too_deep_is_not_read() {
        for line in ["", "a +", "(a", "f(a", "a ? b", "a..b", "f(a b)", "{ a", "a[1"] {
            assert_eq!(shown(line), None, "{line}");
        }
        let deep = |open: &str, close: &str| open.repeat(100_000) + "a" + &close.repeat(100_000);
        for line in
            [deep("(", ")"), deep("f(", ")"), deep("a[", "]"), deep("a = ", ""), deep("a ? b : ", ""), deep("{", "}")]
        {
            assert_eq!(shown(&line), None);
        }
        for line in [deep("- ", ""), deep("a + ", "")] {
            assert!(Tree::default().read(&tokens_of_line(&line, 1), 0).is_ok());
        }
    }
}
