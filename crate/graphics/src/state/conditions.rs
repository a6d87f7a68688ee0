//! Which parts of a shader its preprocessor keeps, as far as the source itself says so, and the
//! values of constant expressions.

use std::cell::Cell;

use hashbrown::HashMap;

use super::glsl::Words;

/// A source without the parts that are left out.
pub(super) struct Active<'a> {
    /// The words that are kept, each with whether that is certain.
    pub(super) words: Vec<(&'a str, bool)>,
    /// Macros without parameters and integer constants, by what they stand for.
    values: HashMap<&'a str, &'a str>,
    /// What macros stand for, those with parameters included.
    bodies: Vec<&'a str>,
    /// Words of expressions that may still be read: macros may stand for ever longer ones.
    budget: Cell<u32>,
}

/// Words of all expressions of a source.
const MOST_WORDS: u32 = 1 << 16;
/// Parentheses and macros in each other.
const MOST_DEPTH: u32 = 32;

/// Reads the directives of a source. What they stand for at their place is known for conditions;
/// macros that change later are not told apart.
pub(super) fn active(source: &str) -> Active<'_> {
    let mut it =
        Active { words: Vec::new(), values: HashMap::new(), bodies: Vec::new(), budget: Cell::new(MOST_WORDS) };
    // Of each #if: whether what it stands in is kept, whether its current part is, and whether an
    // earlier one was. `None` if that is not known.
    let mut open: Vec<[Option<bool>; 3]> = Vec::new();
    // Lines that follow each other: from where to where, and whether they are certain.
    let mut regions: Vec<(usize, usize, bool)> = Vec::new();
    let (mut is_comment, mut end) = (false, 0);
    for line in source.split_inclusive('\n') {
        let begin = end;
        end += line.len();
        let directive = if is_comment { None } else { line.trim_start().strip_prefix('#') };
        is_comment = ends_in_comment(line, is_comment);
        let kept = open.last().map_or(Some(true), |[outer, kept, _]| and(*outer, *kept));
        let Some(directive) = directive else {
            if kept != Some(false) {
                it.constant(line);
                match regions.last_mut() {
                    Some((_, to, is_sure)) if *to == begin && *is_sure == kept.is_some() => *to = end,
                    _ => regions.push((begin, end, kept.is_some())),
                }
            }
            continue;
        };
        let directive = directive.trim_start();
        let (name, rest) =
            directive.split_at(directive.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(directive.len()));
        match name {
            "define" if kept == Some(true) => it.define(rest),
            "undef" if kept == Some(true) => {
                it.values.remove(rest.trim());
            }
            // The value depends on what is not known.
            "define" | "undef" if kept.is_none() => {
                let name = Words { rest }.next().unwrap_or_default();
                it.values.insert(name, "?");
            }
            "if" | "ifdef" | "ifndef" => {
                let is = it.condition(name, rest);
                open.push([kept, is, is]);
            }
            "elif" => {
                if let Some([_, kept, before]) = open.last_mut() {
                    let is = it.condition("if", rest);
                    *kept = and(not(*before), is);
                    *before = not(and(not(*before), not(is)));
                }
            }
            "else" => {
                if let Some([_, kept, before]) = open.last_mut() {
                    *kept = not(*before);
                }
            }
            "endif" => {
                open.pop();
            }
            _ => {}
        }
    }
    for (from, to, is_sure) in regions {
        it.words.extend(Words { rest: source.get(from..to).unwrap_or_default() }.map(|word| (word, is_sure)));
    }
    it
}

fn not(is: Option<bool>) -> Option<bool> {
    is.map(|is| !is)
}

fn and(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

/// Whether a comment that began in a line or before goes on after it.
fn ends_in_comment(line: &str, mut is_comment: bool) -> bool {
    let mut rest = line;
    loop {
        let found = if is_comment { rest.find("*/") } else { rest.find("/*") };
        let Some(at) = found.filter(|at| is_comment || !rest.get(..*at).unwrap_or_default().contains("//")) else {
            return is_comment;
        };
        is_comment = !is_comment;
        rest = rest.get(at + 2..).unwrap_or_default();
    }
}

impl<'a> Active<'a> {
    /// The value of a constant expression. `None` if that is not known.
    pub(super) fn number(&self, words: &[&'a str]) -> Option<i64> {
        let mut reader = Reader { active: self, words: words.to_vec(), at: 0, depth: 0, is_condition: false };
        let value = reader.level(0)?;
        (reader.at == reader.words.len()).then_some(value)
    }

    /// Whether a macro mentions a name: where the macro stands, the name does.
    pub(super) fn is_in_macro(&self, name: &str) -> bool {
        self.bodies.iter().any(|body| body.contains(name) && Words { rest: body }.any(|word| word == name))
    }

    fn condition(&self, directive: &str, rest: &'a str) -> Option<bool> {
        let words: Vec<&str> = Words { rest }.collect();
        let is_defined = |name: &&str| match self.values.get(*name) {
            Some(&"?") => None,
            Some(_) => Some(true),
            // Versions, extensions and the like.
            None => (!name.starts_with("GL_") && !name.starts_with("__")).then_some(false),
        };
        match directive {
            "ifdef" => is_defined(words.first()?),
            "ifndef" => not(is_defined(words.first()?)),
            _ => {
                let mut reader = Reader { active: self, words, at: 0, depth: 0, is_condition: true };
                let value = reader.level(0)?;
                (reader.at == reader.words.len()).then_some(value != 0)
            }
        }
    }

    fn define(&mut self, rest: &'a str) {
        let rest = rest.trim_start();
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let (name, body) = rest.split_at(end);
        self.bodies.push(body);
        self.values.insert(name, if body.starts_with('(') { "?" } else { body });
    }

    /// Notes `const int NAME = VALUE;`.
    fn constant(&mut self, line: &'a str) {
        let Some((_, rest)) = line.split_once("const").filter(|(before, _)| before.trim().is_empty()) else { return };
        let Some((name, value)) = rest.split_once('=') else { return };
        let mut words = Words { rest: name };
        let (kind, name) = (words.find(|word| !matches!(*word, "lowp" | "mediump" | "highp")), words.next());
        if let (Some("int" | "uint"), Some(name), None, Some((value, _))) =
            (kind, name, words.next(), value.split_once(';'))
        {
            self.values.insert(name, value);
        }
    }
}

/// Reads an expression.
struct Reader<'a, 'b> {
    active: &'b Active<'a>,
    words: Vec<&'a str>,
    at: usize,
    depth: u32,
    /// `defined` has a meaning, and so have names that stand for nothing.
    is_condition: bool,
}

impl<'a> Reader<'a, '_> {
    fn peek(&self, ahead: usize) -> &'a str {
        self.words.get(self.at + ahead).copied().unwrap_or_default()
    }

    /// The operator of a level that comes next, of one sign or two.
    fn operator(&mut self, level: usize) -> Option<&'static str> {
        const LEVELS: [&[&str]; 6] =
            [&["||"], &["&&"], &["==", "!="], &["<=", ">=", "<<", ">>", "<", ">"], &["+", "-"], &["*", "/", "%"]];
        let [first, second] = [self.peek(0), self.peek(1)];
        let is = |operator: &&&str| match operator.split_at_checked(1) {
            Some((one, "")) => first == one,
            Some((one, two)) => first == one && second == two,
            None => false,
        };
        let found = LEVELS.get(level)?.iter().find(is)?;
        self.at += found.len();
        Some(found)
    }

    /// An expression of operators of a level and above.
    fn level(&mut self, level: usize) -> Option<i64> {
        if level == 6 {
            return self.one();
        }
        let mut value = self.level(level + 1)?;
        while let Some(operator) = self.operator(level) {
            let other = self.level(level + 1)?;
            value = match operator {
                "||" => i64::from(value != 0 || other != 0),
                "&&" => i64::from(value != 0 && other != 0),
                "==" => i64::from(value == other),
                "!=" => i64::from(value != other),
                "<=" => i64::from(value <= other),
                ">=" => i64::from(value >= other),
                "<" => i64::from(value < other),
                ">" => i64::from(value > other),
                "+" => value.checked_add(other)?,
                "-" => value.checked_sub(other)?,
                "*" => value.checked_mul(other)?,
                "/" => value.checked_div(other)?,
                "%" => value.checked_rem(other)?,
                _ => return None,
            };
        }
        Some(value)
    }

    fn one(&mut self) -> Option<i64> {
        let left = self.active.budget.get().checked_sub(1)?;
        self.active.budget.set(left);
        let word = self.peek(0);
        self.at += 1;
        self.depth += 1;
        let value = (self.depth <= MOST_DEPTH).then(|| self.of(word)).flatten();
        self.depth -= 1;
        value
    }

    fn of(&mut self, word: &'a str) -> Option<i64> {
        match word {
            "!" => Some(i64::from(self.one()? == 0)),
            "-" => self.one()?.checked_neg(),
            "(" => {
                let value = self.level(0)?;
                self.at += 1;
                (self.words.get(self.at - 1) == Some(&")")).then_some(value)
            }
            "defined" if self.is_condition => {
                let has_brackets = self.peek(0) == "(";
                let name = self.peek(usize::from(has_brackets));
                self.at += if has_brackets { 3 } else { 1 };
                self.active.condition("ifdef", name).map(i64::from)
            }
            _ if word.starts_with(|c: char| c.is_ascii_digit()) => {
                let digits = word.trim_end_matches(['u', 'U']);
                match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
                    Some(digits) => i64::from_str_radix(digits, 16).ok(),
                    None => digits.parse().ok(),
                }
            }
            _ => {
                let stands_for = self.active.values.get(word)?;
                let words = Words { rest: stands_for }.collect();
                let mut inner =
                    Reader { active: self.active, words, at: 0, depth: self.depth, is_condition: self.is_condition };
                let value = inner.level(0)?;
                (inner.at == inner.words.len()).then_some(value)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(source: &str) -> Vec<(&str, bool)> {
        active(source).words
    }

    #[test]
    fn conditions_that_the_source_decides() {
        let source =
            "#define A 3\n#if A > 2 && defined(A)\na\n#elif A\nb\n#else\nc\n#endif\n#ifndef A\nd\n#else\ne\n#endif\n";
        assert_eq!(kept(source), [("a", true), ("e", true)]);
        // Versions and extensions are not known, nor is what follows from them.
        let source = "#ifdef GL_ES\n#define B 1\na\n#else\nb\n#endif\n#ifdef B\nc\n#endif\n#if 0\nd\n#else\ne\n#endif";
        assert_eq!(kept(source), [("a", false), ("b", false), ("c", false), ("e", true)]);
        assert_eq!(kept("/* \n#if 0\n*/ a\n"), [("a", true)]);
        assert_eq!(kept("#endif\n#else\n#if\na"), [("a", false)]);
    }

    #[test]
    fn expressions() {
        let it = active("#define N (2 + 3)\nconst int M = N * 2;\n#define LOOP LOOP + 1\n#define F(x) x\n");
        let number = |text: &'static str| it.number(&Words { rest: text }.collect::<Vec<_>>());
        assert_eq!(number("N * M - 0x10u"), Some(34));
        assert_eq!(number("-(1 + 2) * 3"), Some(-9));
        for unknown in ["", "X", "LOOP", "F(1)", "1 +", "1 / 0", "9223372036854775807 + 1", "(1"] {
            assert_eq!(number(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn expressions_that_grow_end() {
        let mut source = "#define A0 1\n".to_string();
        for i in 1..30 {
            source.push_str(&format!("#define A{i} A{} + A{}\n", i - 1, i - 1));
        }
        let it = active(&source);
        assert_eq!(it.number(&["A29"]), None);
        assert_eq!(it.budget.get(), 0);
    }
}
