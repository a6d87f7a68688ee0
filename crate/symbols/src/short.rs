//! Short names of functions of C++ and Rust: without return types, parameters, template arguments
//! and namespaces.
//!
//! A name is its components, from the last one on. Namespaces and classes look alike in it, so one
//! component is enough where no other function has the same, and more are taken where one has.
//! Names that are not of this form stay as they are.

use std::collections::HashMap;

/// Names that are alike up to this number of components stay as they are.
const MOST_COMPONENTS: usize = 8;

/// Names that are about another one, which follows.
const ABOUT: [&str; 10] = [
    "vtable for ",
    "construction vtable for ",
    "VTT for ",
    "typeinfo for ",
    "typeinfo name for ",
    "non-virtual thunk to ",
    "virtual thunk to ",
    "covariant return thunk to ",
    "guard variable for ",
    "reference temporary for ",
];

/// Operators, those first that begin with others.
const OPERATORS: [&str; 42] = [
    "()",
    "[]",
    "<=>",
    "->*",
    "<<=",
    ">>=",
    "<<",
    ">>",
    "->",
    "<=",
    ">=",
    "==",
    "!=",
    "&&",
    "||",
    "++",
    "--",
    "+=",
    "-=",
    "*=",
    "/=",
    "%=",
    "&=",
    "|=",
    "^=",
    ",",
    "+",
    "-",
    "*",
    "/",
    "%",
    "^",
    "&",
    "|",
    "~",
    "!",
    "=",
    "<",
    ">",
    " new[]",
    " delete[]",
    " new",
];

/// Short names, in the order of the names. Different names have different short ones.
pub fn short_names(names: &[&str]) -> Vec<String> {
    let parsed: Vec<Option<Parts<'_>>> = names.iter().map(|name| parse(name)).collect();
    let mut levels: Vec<usize> = parsed.iter().map(|parts| parts.as_ref().map_or(0, Parts::least)).collect();
    loop {
        let short: Vec<String> =
            names.iter().zip(&parsed).zip(&levels).map(|((name, parts), level)| text(name, parts, *level)).collect();
        // What each short text stands for; `None` for several names.
        let mut meanings: HashMap<&str, Option<&str>> = HashMap::new();
        for (short, name) in short.iter().zip(names) {
            let meaning = meanings.entry(short).or_insert(Some(name));
            if *meaning != Some(*name) {
                *meaning = None;
            }
        }
        let mut is_done = true;
        for ((short, level), parts) in short.iter().zip(&mut levels).zip(&parsed) {
            let most = parts.as_ref().map_or(0, |parts| parts.components.len() + 1);
            if meanings.get(short.as_str()) == Some(&None) && *level < most {
                *level = if *level < MOST_COMPONENTS { *level + 1 } else { most };
                is_done = false;
            }
        }
        if is_done {
            return short;
        }
    }
}

/// The last `level` components of a name; the name itself if it has fewer.
fn text(name: &str, parts: &Option<Parts<'_>>, level: usize) -> String {
    let Some(Parts { about, components, suffix }) = parts else { return name.into() };
    match components.len().checked_sub(level).and_then(|from| components.get(from..)) {
        Some(last) => format!("{about}{}{suffix}", last.join("::")),
        None => name.into(),
    }
}

/// A name in parts.
struct Parts<'a> {
    /// One of [`ABOUT`], or empty.
    about: &'a str,
    /// Never empty.
    components: Vec<String>,
    /// Of a function that the compiler made of another one: ` [clone .cold]`.
    suffix: &'a str,
}

impl Parts<'_> {
    /// The number of components that say something: operators and lambdas are of what is around
    /// them.
    fn least(&self) -> usize {
        let has_own_name = |component: &String| {
            let is_operator = component.strip_prefix("operator").is_some_and(is_symbol);
            !(is_operator || component.starts_with(['{', '\'', '<', '(']))
        };
        let around = self.components.iter().rev().position(has_own_name);
        around.map_or(self.components.len(), |at| at + 1)
    }
}

fn parse(name: &str) -> Option<Parts<'_>> {
    let about = ABOUT.iter().copied().find(|about| name.starts_with(about)).unwrap_or_default();
    let rest = name.get(about.len()..)?;
    let end = rest.find(" [clone ").or_else(|| rest.find(" (.")).unwrap_or(rest.len());
    let (rest, suffix) = rest.split_at_checked(end)?;
    let mut parser = Parser { rest, components: Vec::new(), current: String::new(), state: State::default() };
    while !parser.rest.is_empty() {
        parser.step()?;
    }
    let Parser { mut components, current, state, .. } = parser;
    // Demanglers put a return type before templates with parameters alone. Other texts with spaces
    // are not names of functions.
    if current.is_empty() || (state.has_type && !(state.has_parameters && state.has_arguments)) {
        return None;
    }
    components.push(current);
    Some(Parts { about, components, suffix })
}

struct Parser<'a> {
    rest: &'a str,
    components: Vec<String>,
    current: String,
    state: State,
}

#[derive(Default)]
struct State {
    /// A return type was dropped: what came before a space.
    has_type: bool,
    /// Parameters follow the current component.
    has_parameters: bool,
    /// A component has template arguments, or is an operator.
    has_arguments: bool,
}

impl Parser<'_> {
    fn step(&mut self) -> Option<()> {
        let rest = self.rest;
        if self.state.has_parameters {
            return self.after_parameters();
        }
        if let Some(after) = rest.strip_prefix("::") {
            self.components.push(core::mem::take(&mut self.current));
            self.rest = after;
            // A name may begin with ::, but has no other empty component.
            return (self.components.len() == 1 || self.components.last().is_some_and(|last| !last.is_empty()))
                .then_some(());
        }
        if self.current.is_empty()
            && let Some(after) = rest.strip_prefix("operator")
            && is_symbol(after)
        {
            let len = operator(after)?;
            self.state.has_arguments = true;
            self.current = without_arguments(&format!("operator{}", after.get(..len)?))?;
            self.rest = after.get(len..)?;
            return Some(());
        }
        match rest.chars().next()? {
            '(' if rest.starts_with("(anonymous namespace)") => self.keep("(anonymous namespace)".len()),
            '(' if self.current.is_empty() => None,
            // A return type.
            '(' if self.current == "decltype" => self.skip(closed(rest)?),
            '(' => {
                self.rest = rest.get(closed(rest)?..)?;
                self.state.has_parameters = true;
                Some(())
            }
            '<' if self.current.is_empty() && (self.components.is_empty() || is_component(rest)) => {
                self.keep(closed(rest)?)
            }
            ' ' if rest.starts_with(" <") && self.current.starts_with("operator") => self.skip(1),
            '<' | '[' => {
                self.state.has_arguments |= rest.starts_with('<');
                self.rest = rest.get(closed(rest)?..)?;
                // Turbofish: the arguments belong to the component before.
                if self.current.is_empty() {
                    self.current = self.components.pop()?;
                }
                Some(())
            }
            '{' => {
                let len = closed(rest)?;
                let lambda = rest.get(..len)?;
                self.current.push_str(&match (lambda.find('('), lambda.rfind(')')) {
                    (Some(from), Some(to)) => format!("{}{}", lambda.get(..from)?, lambda.get(to + 1..)?),
                    _ => lambda.into(),
                });
                self.rest = rest.get(len..)?;
                Some(())
            }
            '\'' => self.keep(rest.get(1..)?.find('\'')? + 2),
            ' ' => {
                self.components.clear();
                self.current.clear();
                (self.state.has_type, self.state.has_arguments) = (true, false);
                self.rest = rest.get(1..)?;
                Some(())
            }
            c => self.keep(c.len_utf8()),
        }
    }

    /// Appends bytes of the text to the current component.
    fn keep(&mut self, len: usize) -> Option<()> {
        let (kept, rest) = self.rest.split_at_checked(len)?;
        self.current.push_str(kept);
        self.rest = rest;
        Some(())
    }

    fn skip(&mut self, len: usize) -> Option<()> {
        self.rest = self.rest.get(len..)?;
        Some(())
    }

    /// Skips what may follow parameters.
    fn after_parameters(&mut self) -> Option<()> {
        if self.rest.starts_with("::") {
            self.state.has_parameters = false;
            return Some(());
        }
        if self.rest.starts_with('(') {
            self.rest = self.rest.get(closed(self.rest)?..)?;
            return Some(());
        }
        let words = [" const", " volatile", " &&", " &", " noexcept"];
        self.rest = words.iter().find_map(|word| self.rest.strip_prefix(word))?;
        Some(())
    }
}

/// Whether `operator` is a word by itself before this text.
fn is_symbol(after: &str) -> bool {
    !after.starts_with(|c: char| c.is_alphanumeric() || c == '_')
}

/// Whether `<…>` stands for a component, and not for arguments of the one before.
fn is_component(text: &str) -> bool {
    text.starts_with("<impl ") || text.starts_with("<lambda")
}

/// The length of an operator, what `operator` is followed by. What it is shows by what follows it:
/// `operator<<int>()` is `operator<` with an argument.
fn operator(after: &str) -> Option<usize> {
    let is_followed = |len: &usize| {
        let Some(rest) = after.get(*len..) else { return false };
        // Some demanglers have a space before arguments.
        let arguments = rest.strip_prefix(' ').unwrap_or(rest);
        let rest = if arguments.starts_with('<') {
            closed(arguments).and_then(|len| arguments.get(len..)).unwrap_or("?")
        } else {
            rest
        };
        rest.is_empty() || rest.starts_with(['(', '[']) || rest.starts_with("::")
    };
    let symbols = OPERATORS.iter().filter(|symbol| after.starts_with(**symbol)).map(|symbol| symbol.len());
    if let Some(len) = symbols.into_iter().find(is_followed) {
        return Some(len);
    }
    // A conversion, `operator bool`, or a literal.
    (after.starts_with(' ') || after.starts_with("\"\"")).then(|| after.find('(').unwrap_or(after.len()))
}

/// A type without template arguments.
fn without_arguments(text: &str) -> Option<String> {
    if !text.starts_with("operator ") {
        return Some(text.into());
    }
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        out.push_str(rest.get(..at)?);
        rest = rest.get(at + closed(rest.get(at..)?)?..)?;
    }
    out.push_str(rest);
    Some(out)
}

/// The length of a text in brackets, which begins with one.
fn closed(text: &str) -> Option<usize> {
    let mut open = Vec::new();
    let mut at = 0;
    loop {
        let rest = text.get(at..)?;
        let c = rest.chars().next()?;
        // Within parentheses, < and > may be comparisons.
        let in_parentheses = open.last() == Some(&')');
        let mut len = c.len_utf8();
        match c {
            '(' => open.push(')'),
            '[' => open.push(']'),
            '{' => open.push('}'),
            '<' if !in_parentheses => open.push('>'),
            '-' if rest.starts_with("->") => len = 2,
            'o' if rest.starts_with("operator") => {
                // The longest symbol. Where that is wrong, the brackets do not match.
                let after = rest.get("operator".len()..)?;
                let symbol = OPERATORS.iter().find(|symbol| after.starts_with(**symbol));
                len = "operator".len() + symbol.map_or(0, |symbol| symbol.len());
            }
            '>' if in_parentheses => {}
            ')' | ']' | '}' | '>' => {
                open.pop().filter(|open| *open == c)?;
            }
            _ => {}
        }
        at += len;
        if open.is_empty() {
            return Some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn short(name: &str) -> String {
        short_names(&[name]).remove(0)
    }

    #[test]
    fn names_become_short() {
        for (name, expected) in [
            ("main", "main"),
            ("ns::f(int)", "f"),
            ("void ns::Foo<int>::bar<char>(int, std::vector<int>&) const", "bar"),
            ("unsigned long a::b<(c)0>(d (*)(e))", "b"),
            ("a<b<c>>::f", "f"),
            ("a<(1>2)>::f()", "f"),
            ("a<(b->c)>::f()", "f"),
            ("ns::Foo::~Foo()", "~Foo"),
            ("ns::Foo<int>::Foo(int)", "Foo"),
            ("ns::Foo::operator()(int) const", "Foo::operator()"),
            ("ns::Foo::operator->() const", "Foo::operator->"),
            ("ns::Foo::operator[](unsigned long)", "Foo::operator[]"),
            ("bool ns::operator<(ns::A const&, ns::A const&)", "ns::operator<"),
            ("bool ns::operator<<int>(ns::A<int> const&)", "ns::operator<"),
            ("std::ostream& std::operator<<<std::char_traits<char>>(std::ostream&, char)", "std::operator<<"),
            ("std::operator<< <std::char_traits<char> >(std::ostream&, char)", "std::operator<<"),
            ("ns::Foo::operator bool() const", "Foo::operator bool"),
            ("ns::Foo::operator std::vector<int>() const", "Foo::operator std::vector"),
            ("Foo::operator new(unsigned long)", "Foo::operator new"),
            ("operator delete(void*)", "operator delete"),
            ("ns::operatoring(int)", "operatoring"),
            ("ns::run(int)::{lambda(int, char)#1}::operator()(int, char) const", "run::{lambda#1}::operator()"),
            ("ns::run()::'lambda'(int)::operator()(int) const", "run::'lambda'::operator()"),
            ("(anonymous namespace)::helper(int)", "helper"),
            ("void (anonymous namespace)::Foo::bar<int>(int)", "bar"),
            ("f(int) [clone .cold]", "f [clone .cold]"),
            ("ns::f(int) (.part.0)", "f (.part.0)"),
            ("ns::f[abi:cxx11](int)", "f"),
            ("decltype(a + b) ns::add<int>(int, int)", "add"),
            ("vtable for ns::Foo<int>", "vtable for Foo"),
            ("non-virtual thunk to ns::Foo::bar()", "non-virtual thunk to bar"),
            // Rust.
            ("alloc::vec::Vec<T,A>::push", "push"),
            ("app::run::{{closure}}", "run::{{closure}}"),
            ("<app::A as core::fmt::Display>::fmt", "fmt"),
            ("core::slice::<impl [T]>::len", "len"),
            ("core::mem::swap::<u8>", "swap"),
        ] {
            assert_eq!(short(name), expected, "{name}");
        }
    }

    #[test]
    fn texts_that_are_not_such_names_stay() {
        for text in [
            "",
            "i < n",
            "x = f (y)",
            "copy = malloc(n)",
            "read file(name)",
            "GET /index(1)",
            "int plain(int)",
            "compute step 3",
            "LazyCompile:~foo bar.js:1",
            "void (*signal(int))(int)",
            "a::",
            "f(int",
            "a<b",
            "::",
            "f(int) is slow",
            "a::::b",
            "<",
            "{",
            "'",
            "operator",
            "glDrawArrays",
        ] {
            assert_eq!(short(text), text);
        }
    }

    #[test]
    fn names_that_would_be_alike_keep_more() {
        let names = ["ui::Foo::draw(int)", "ui::Bar::draw(int)", "ui::Bar::draw(char)", "gl::clear()", "gl::clear()"];
        assert_eq!(short_names(&names), ["Foo::draw", "ui::Bar::draw(int)", "ui::Bar::draw(char)", "clear", "clear"]);
        assert_eq!(short_names(&["f", "a::f()"]), ["f", "a::f"]);
        assert_eq!(short_names(&["A<int>::f()", "A<char>::f()"]), ["A<int>::f()", "A<char>::f()"]);
    }
}
