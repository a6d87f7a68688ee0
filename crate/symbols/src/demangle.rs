//! Names as in the source, from those of the linker.

use std::fmt::{self, Write};

use cpp_demangle::{DemangleOptions, ParseOptions};

/// Longest decoded name in bytes. A short name can stand for one of any length, because its parts
/// refer to earlier ones.
const MAX_TEXT: usize = 64 * 1024;
/// Longest encoded name in bytes that is decoded.
const MAX_SYMBOL: usize = 32 * 1024;
/// Depth of structures in a name. The decoder calls itself for each.
const MAX_DEPTH: u32 = 96;

/// The name of a function as in the source: of C++ (Itanium ABI) or Rust, else the symbol itself.
/// `is_macho` says that symbols have an underscore before them.
pub fn demangle(symbol: &str, is_macho: bool) -> String {
    let symbol = if is_macho { symbol.strip_prefix('_').unwrap_or(symbol) } else { symbol };
    // What a linker appends: `f@@VERSION`.
    let bare = symbol.split('@').next().unwrap_or(symbol);
    if bare.len() > MAX_SYMBOL {
        return symbol.into();
    }
    rust(bare).or_else(|| cpp(bare)).unwrap_or_else(|| symbol.into())
}

/// Without the hash at its end.
fn rust(symbol: &str) -> Option<String> {
    let name = rustc_demangle::try_demangle(symbol).ok()?;
    let mut text = Bounded::default();
    write!(text, "{name:#}").ok()?;
    text.whole()
}

fn cpp(symbol: &str) -> Option<String> {
    let is_mangled = ["_Z", "__Z", "___Z", "____Z"].iter().any(|start| symbol.starts_with(start));
    if !is_mangled {
        return None;
    }
    let options = ParseOptions::default().recursion_limit(MAX_DEPTH);
    let parsed = cpp_demangle::Symbol::new_with_options(symbol, &options).ok()?;
    let mut text = Bounded::default();
    let options = DemangleOptions::default().recursion_limit(MAX_DEPTH);
    parsed.structured_demangle(&mut text, &options).ok()?;
    text.whole().map(|text| if is_as_llvm(&text) { text } else { as_llvm(&text) })
}

/// Suffixes of numbers by their types.
const LITERALS: [(&str, &str); 5] = [
    ("(unsigned int)", "u"),
    ("(unsigned long)", "ul"),
    ("(long)", "l"),
    ("(unsigned long long)", "ull"),
    ("(long long)", "ll"),
];

/// Whether [`as_llvm`] has nothing to change for certain. Most names are so, and its searches took
/// a third of the time of a name.
fn is_as_llvm(text: &str) -> bool {
    let may_change = |pair: &[u8]| matches!(pair, [b' ', b'>' | b')'] | [b'<', b' '] | [b')', b'0'..=b'9' | b'-']);
    !text.as_bytes().windows(2).any(may_change)
}

/// Writes a decoded name as LLVM's tools do: `a<b<c>>` for `a<b<c> >`, `4u` for `(unsigned int)4`,
/// and nothing for the separator of an empty pack.
fn as_llvm(text: &str) -> String {
    let mut text = text.replace("operator<< <", "operator<<<").replace(", >", ">").replace(", )", ")");
    while text.contains("> >") {
        text = text.replace("> >", ">>");
    }
    for (kind, suffix) in LITERALS {
        if text.contains(kind) {
            text = with_suffix(&text, kind, suffix);
        }
    }
    text
}

/// `4u` for `(unsigned int)4`.
fn with_suffix(text: &str, kind: &str, suffix: &str) -> String {
    let mut parts = text.split(kind);
    let mut out: String = parts.next().unwrap_or_default().into();
    for part in parts {
        let digits = part.strip_prefix('-').unwrap_or(part);
        let rest = digits.trim_start_matches(|c: char| c.is_ascii_digit());
        if rest.len() == digits.len() {
            // The type of a parameter.
            out.push_str(kind);
            out.push_str(part);
        } else {
            out.push_str(part.strip_suffix(rest).unwrap_or(part));
            out.push_str(suffix);
            out.push_str(rest);
        }
    }
    out
}

/// A text that refuses to grow beyond [`MAX_TEXT`].
#[derive(Default)]
struct Bounded {
    text: String,
}

impl Bounded {
    fn whole(self) -> Option<String> {
        (!self.text.is_empty()).then_some(self.text)
    }
}

impl Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.text.len() + text.len() > MAX_TEXT {
            return Err(fmt::Error);
        }
        self.text.push_str(text);
        Ok(())
    }
}
