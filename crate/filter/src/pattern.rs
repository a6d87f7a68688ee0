//! Patterns that texts are matched with.

use serde::{Deserialize, Serialize};

/// Compiles regular expressions. It is a trait so that a program can do without them, or have them
/// in another module.
pub trait Regexes {
    /// A regular expression that matches anywhere in a text.
    ///
    /// # Errors
    ///
    /// Returns why it is not one.
    fn compile(&self, source: &str, ignore_case: bool) -> Result<Box<dyn Regex>, String>;
}

/// A regular expression.
pub trait Regex {
    /// The first place in a text that matches: offset and length in bytes.
    fn place(&self, text: &str) -> Option<(usize, usize)>;
}

/// Regular expressions that are linked in. Matching is linear in the length of the text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Linked;

impl Regexes for Linked {
    fn compile(&self, source: &str, ignore_case: bool) -> Result<Box<dyn Regex>, String> {
        Ok(Box::new(linked(source, ignore_case)?))
    }
}

/// As [`Linked`] compiles it, for use in several threads.
///
/// # Errors
///
/// Returns why `source` is not a regular expression.
pub fn linked(source: &str, ignore_case: bool) -> Result<impl Regex + Send + Sync + use<>, String> {
    // `(a{1000}){1000}` is refused.
    let mut builder = regex_lite::RegexBuilder::new(source);
    builder.case_insensitive(ignore_case).size_limit(1 << 20).build().map_err(|error| error.to_string())
}

impl Regex for regex_lite::Regex {
    fn place(&self, text: &str) -> Option<(usize, usize)> {
        self.find(text).map(|found| (found.start(), found.len()))
    }
}

/// What a text must be like.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Pattern {
    /// The text itself.
    Exact(String),
    /// `*` stands for any characters, `?` for one.
    Glob(String),
    /// Contains this. Upper and lower case differ if `case` is true.
    Contains {
        /// The part. In lower case if `case` is false.
        part: String,
        /// Whether upper and lower case differ.
        case: bool,
    },
    /// A regular expression that matches anywhere.
    Regex {
        /// As written between the slashes.
        source: String,
        /// Upper and lower case are alike (`i`).
        ignore_case: bool,
    },
}

impl Pattern {
    /// A word as a person types it to look for it: without a capital, upper and lower case are
    /// alike.
    pub fn word(text: &str) -> Self {
        let case = text.bytes().any(|byte| byte.is_ascii_uppercase());
        Self::Contains { part: text.into(), case }
    }

    /// A value without quotes: a glob if it has a `*`, else the text itself.
    pub fn value(text: &str) -> Self {
        if text.contains('*') { Self::Glob(text.into()) } else { Self::Exact(text.into()) }
    }

    /// Prepares the pattern for many texts.
    ///
    /// # Errors
    ///
    /// Returns what is wrong with a regular expression.
    pub fn compile(&self, regexes: &dyn Regexes) -> Result<Matcher, String> {
        Ok(match self {
            Self::Regex { source, ignore_case } => Matcher::Regex(regexes.compile(source, *ignore_case)?),
            other => Matcher::Plain(other.clone()),
        })
    }
}

/// A pattern, prepared.
pub enum Matcher {
    /// Needs no preparation.
    Plain(Pattern),
    /// A regular expression.
    Regex(Box<dyn Regex>),
}

impl Matcher {
    /// Whether a text is as the pattern says.
    pub fn matches(&self, text: &str) -> bool {
        self.place(text).is_some()
    }

    /// Where in a text the pattern matches: offset and length in bytes. The whole text for patterns
    /// of whole texts.
    pub fn place(&self, text: &str) -> Option<(usize, usize)> {
        let whole = |is: bool| is.then_some((0, text.len()));
        match self {
            Self::Regex(regex) => regex.place(text),
            Self::Plain(Pattern::Exact(wanted)) => whole(wanted == text),
            Self::Plain(Pattern::Glob(glob)) => whole(glob_matches(glob, text)),
            Self::Plain(Pattern::Contains { part, case: true }) => text.find(part.as_str()).map(|at| (at, part.len())),
            Self::Plain(Pattern::Contains { part, case: false }) => {
                find_ignoring_case(text, part).map(|at| (at, part.len()))
            }
            Self::Plain(Pattern::Regex { .. }) => None,
        }
    }
}

/// The offset of a part. Upper and lower case of letters in ASCII are alike.
fn find_ignoring_case(text: &str, part: &str) -> Option<usize> {
    let (text, part) = (text.as_bytes(), part.as_bytes());
    let Some((first, rest)) = part.split_first() else { return Some(0) };
    let (low, high) = (first.to_ascii_lowercase(), first.to_ascii_uppercase());
    let last = text.len().checked_sub(part.len())?;
    let mut from = 0;
    while let Some(at) = text.get(from..=last)?.iter().position(|byte| *byte == low || *byte == high) {
        let after = text.get(from + at + 1..from + at + part.len())?;
        if after.eq_ignore_ascii_case(rest) {
            return Some(from + at);
        }
        from += at + 1;
    }
    None
}

/// Whether a glob matches a whole text. Linear in the product of both lengths at worst.
fn glob_matches(glob: &str, text: &str) -> bool {
    let (mut glob, mut text) = (glob.chars(), text.chars());
    // Where the last `*` was, and the text that it is tried at next.
    let mut retry = None;
    loop {
        let here = text.clone();
        match (glob.next(), text.next()) {
            (None, None) => return true,
            (Some('*'), _) => {
                text = here.clone();
                let mut next = here;
                retry = next.next().map(|_| (glob.clone(), next));
                // `*` at the end matches all that is left.
                if glob.clone().next().is_none() {
                    return true;
                }
            }
            (Some('?'), Some(_)) => {}
            (Some(wanted), Some(is)) if wanted == is => {}
            _ => {
                let Some((after_star, at)) = retry.take() else { return false };
                (glob, text) = (after_star.clone(), at.clone());
                let mut next = at;
                retry = next.next().map(|_| (after_star, next));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is(pattern: &Pattern, text: &str) -> bool {
        pattern.compile(&Linked).unwrap().matches(text)
    }

    #[test]
    fn globs() {
        let glob = |glob: &str, text: &str| is(&Pattern::value(glob), text);
        assert!(glob("gl*", "glClear") && glob("*Clear", "glClear") && glob("*C*r", "glClear") && glob("*", ""));
        assert!(glob("a*b*c", "a__b_bc") && glob("**", "x") && glob("*aab", "aaaab"));
        assert!(!glob("gl*x", "glClear") && !glob("a*b", "acbc") && !glob("*b", ""));
        assert!(is(&Pattern::Glob("g?C*".into()), "glClear") && !is(&Pattern::Glob("g?".into()), "g"));
        assert!(is(&Pattern::Glob("*ü?*".into()), "grün!"));
        assert!(is(&Pattern::value("a?"), "a?") && !is(&Pattern::value("a?"), "ab"), "? alone is no glob");
    }

    #[test]
    fn words_ignore_case_unless_they_have_a_capital() {
        assert!(is(&Pattern::word("clear"), "glClear") && !is(&Pattern::word("Clear"), "glclear"));
        assert!(
            is(&Pattern::word("grün"), "grüner") && is(&Pattern::word("aab"), "aAaB") && is(&Pattern::word(""), "")
        );
        assert!(!is(&Pattern::word("abc"), "ab") && !is(&Pattern::word("ab"), "b"));
        let place = |word: &str, text| Pattern::word(word).compile(&Linked).unwrap().place(text);
        assert_eq!((place("clear", "glClear"), place("x", "glClear")), (Some((2, 5)), None));
    }

    #[test]
    fn regular_expressions() {
        let regex = |source: &str, ignore_case| Pattern::Regex { source: source.into(), ignore_case };
        assert!(is(&regex("^gl(Clear|Draw)", false), "glDrawArrays") && !is(&regex("^clear", false), "Clear"));
        assert!(is(&regex("^clear", true), "Clear"));
        assert_eq!(regex("C.e", false).compile(&Linked).unwrap().place("glClear"), Some((2, 3)));
        assert!(
            regex("(", false).compile(&Linked).is_err()
                && regex("((a{1000}){1000}){1000}", false).compile(&Linked).is_err()
        );
    }
}
