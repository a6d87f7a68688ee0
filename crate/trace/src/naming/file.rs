//! Names files: lines of text that give names to ids or addresses.
//!
//! A line is either CSV, or `start size name` as in the maps of Linux perf (`/tmp/perf-PID.map`,
//! tools/perf/Documentation/jit-interface.txt). In CSV it is `key,name`, `key,name,file:line`,
//! `key,name,file,line`, or `key,file,line`. A key is decimal, `#12` or `0x401000`, or `7:12` for a
//! statement of trace-db: the file and the index. The numbers of a map are hexadecimal.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::statement::StatementId;

use super::{Naming, Place};

/// How many lines decide whether a text is a names file.
const LINES_TRIED: usize = 50;

/// A names file that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamesFile {
    /// The names.
    pub naming: Naming,
    /// How many lines were left out because they have neither form.
    pub skipped: u64,
    /// Number of the first of them, counted from 1. 0 without any.
    pub first_skipped: u64,
}

impl NamesFile {
    /// Reads a whole file. Lines of neither form are counted and left out; a heading is not
    /// counted.
    pub fn read(bytes: &[u8]) -> Self {
        let mut places = Vec::new();
        let (mut skipped, mut first_skipped) = (0, 0);
        for (number, line) in (1..).zip(lines(bytes)) {
            let line = String::from_utf8_lossy(line);
            match read_line(&line) {
                Line::Place(place) => places.push(place),
                Line::Empty => {}
                Line::Other if number == 1 => {}
                Line::Other => {
                    skipped += 1;
                    if first_skipped == 0 {
                        first_skipped = number;
                    }
                }
            }
        }
        Self { naming: Naming::new(places), skipped, first_skipped }
    }
}

/// Whether a file that begins with `head` is a names file: text, of which most lines have one of
/// the two forms. If the file goes on after `head`, the last line of `head` may be incomplete.
pub fn is_names_file(head: &[u8], goes_on: bool) -> bool {
    let complete = if goes_on { head.iter().rposition(|b| *b == b'\n').unwrap_or(0) } else { head.len() };
    let (mut good, mut bad) = (0, 0);
    for line in lines(head.get(..complete).unwrap_or_default()).take(LINES_TRIED) {
        // A binary file has other control characters, and few lines.
        let Ok(line) = core::str::from_utf8(line) else { return false };
        if line.chars().any(|c| c.is_control() && c != '\t') {
            return false;
        }
        match read_line(line) {
            Line::Place(_) => good += 1,
            Line::Other => bad += 1,
            Line::Empty => {}
        }
    }
    // One may be a heading.
    good > 0 && bad <= good
}

enum Line {
    Place(Place),
    /// Nothing, or a comment.
    Empty,
    Other,
}

/// The lines of a file, without their ends and a byte order mark.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    bytes.split(|b| *b == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line))
}

fn read_line(line: &str) -> Line {
    let line = line.trim();
    if line.is_empty() || line.starts_with("# ") || line.starts_with("//") {
        return Line::Empty;
    }
    csv_line(line).or_else(|| map_line(line)).map_or(Line::Other, Line::Place)
}

/// `key,name` with or without a source. A name that is not in quotation marks may have commas:
/// `3,f(int, char)`.
fn csv_line(line: &str) -> Option<Place> {
    let (key, rest) = line.split_once([',', '\t'])?;
    let start = number(unquoted(key.trim()))?;
    let rest = rest.trim();
    let (text, source) = if let Some(quoted) = rest.strip_prefix('"') {
        let (text, after) = unquote(quoted)?;
        let after = after.trim_start();
        match after.strip_prefix([',', '\t']) {
            None if after.is_empty() => (text, ""),
            None => return None,
            Some(source) => (text, source.trim()),
        }
    } else {
        match rest.rsplit_once([',', '\t']) {
            Some((text, source)) if is_source(source.trim()) => (Cow::Borrowed(text.trim()), source.trim()),
            // The name may be empty, and the file has no commas.
            Some((before, line)) if is_line(unquoted(line.trim())) => match before.rsplit_once([',', '\t']) {
                Some((text, file)) => {
                    (Cow::Borrowed(text.trim()), rest.get(before.len() - file.len()..).unwrap_or_default())
                }
                None => (Cow::Borrowed(""), rest),
            },
            _ => (Cow::Borrowed(rest.trim_end_matches(',').trim()), ""),
        }
    };
    // `file,line` becomes `file:line`.
    let source = match source.rsplit_once([',', '\t']) {
        Some((file, line)) if is_line(unquoted(line.trim())) => match unquoted(file.trim()) {
            "" => String::new(),
            file => format!("{file}:{}", unquoted(line.trim())),
        },
        _ => unquoted(source).to_string(),
    };
    let text = if text.is_empty() { source.clone() } else { text.into_owned() };
    (!text.is_empty()).then_some(Place { start, size: 0, text, source })
}

fn unquoted(text: &str) -> &str {
    text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text)
}

fn is_line(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// The text up to the closing quotation mark, in which two stand for one, and what follows.
fn unquote(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let mut from = 0;
    loop {
        let at = from + text.get(from..)?.find('"')?;
        let after = text.get(at + 1..)?;
        if !after.starts_with('"') {
            let inside = text.get(..at)?;
            let inside =
                if inside.contains('"') { Cow::Owned(inside.replace("\"\"", "\"")) } else { Cow::Borrowed(inside) };
            return Some((inside, after));
        }
        from = at + 2;
    }
}

/// `start size name`, with hexadecimal numbers.
fn map_line(line: &str) -> Option<Place> {
    let (start, rest) = line.split_once(char::is_whitespace)?;
    let (size, name) = rest.trim_start().split_once(char::is_whitespace)?;
    let hex = |text: &str| u64::from_str_radix(text.strip_prefix("0x").unwrap_or(text), 16).ok();
    let text = name.trim();
    if text.is_empty() {
        return None;
    }
    Some(Place { start: hex(start)?, size: hex(size)?, text: text.to_string(), source: String::new() })
}

/// A decimal number, possibly after `#`, a hexadecimal one after `0x`, or that of a statement.
fn number(text: &str) -> Option<u64> {
    if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return u64::from_str_radix(hex, 16).ok();
    }
    if let Some((file, index)) = text.split_once(':') {
        let (file, index): (u32, u64) = (digits_of(file)?.parse().ok()?, digits_of(index)?.parse().ok()?);
        let id = StatementId::in_file(file, index);
        return (id.file() == Some(file) && id.place() == index).then(|| id.bits());
    }
    let digits = text.strip_prefix('#').unwrap_or(text);
    digits_of(digits)?.parse().ok()
}

/// The text, if it has digits only: `parse` takes a sign.
fn digits_of(text: &str) -> Option<&str> {
    text.bytes().all(|b| b.is_ascii_digit()).then_some(text)
}

/// Whether a text looks like `main.c:12`.
fn is_source(text: &str) -> bool {
    text.rsplit_once(':')
        .is_some_and(|(file, line)| !file.is_empty() && !line.is_empty() && line.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::Key;

    fn read(text: &str) -> (Vec<Place>, u64, u64) {
        let file = NamesFile::read(text.as_bytes());
        (file.naming.places, file.skipped, file.first_skipped)
    }

    fn row(start: u64, size: u64, text: &str, source: &str) -> Place {
        Place { start, size, text: text.into(), source: source.into() }
    }

    #[test]
    fn reads_csv() {
        let text = "key,name,where\r\n1,main,main.c:3\r\n#2,\"a \"\"b\"\", c\",x.c:9\n\n# a comment\n0x401000,f(int, char)\n7 , g(int, int) , dir/g.cpp:12\n8,std::x,\n";
        let expected = [
            row(1, 0, "main", "main.c:3"),
            row(2, 0, "a \"b\", c", "x.c:9"),
            row(7, 0, "g(int, int)", "dir/g.cpp:12"),
            row(8, 0, "std::x", ""),
            row(0x401000, 0, "f(int, char)", ""),
        ];
        assert_eq!(read(text), (expected.to_vec(), 0, 0));
    }

    #[test]
    fn reads_statements_with_their_lines() {
        let text = "statement,name,file,line\n1:31,j = i,stats.c,31\n0x8000020000000005,\"a, b\",\"dir/gcd.c\",5\n12,gcd.c,7\n1:2,,x.c,3\n1:4,f(int, char),x.c,9\n1:5,plain\n1:6,,,\n9000000:1,no file,a.c,1\n";
        let in_file = |file, place| StatementId::in_file(file, place).bits();
        let expected = [
            row(12, 0, "gcd.c:7", "gcd.c:7"),
            row(in_file(1, 2), 0, "x.c:3", "x.c:3"),
            row(in_file(1, 4), 0, "f(int, char)", "x.c:9"),
            row(in_file(1, 5), 0, "plain", ""),
            row(in_file(1, 31), 0, "j = i", "stats.c:31"),
            row(in_file(2, 5), 0, "a, b", "dir/gcd.c:5"),
        ];
        assert_eq!(read(text), (expected.to_vec(), 2, 8));
        assert!(is_names_file(text.as_bytes(), false));
    }

    #[test]
    fn reads_maps() {
        let text = "401000 20 _start\n0x401020 0x1f4 main + more\nffffffffffffffff 1 last\n";
        let expected =
            [row(0x401000, 0x20, "_start", ""), row(0x401020, 0x1f4, "main + more", ""), row(u64::MAX, 1, "last", "")];
        assert_eq!(read(text), (expected.to_vec(), 0, 0));
    }

    #[test]
    fn counts_lines_of_neither_form() {
        let (places, skipped, first) = read("1,a\nwhat is this\n2,b\n-3,c\n4,\n5,\"open\n99999999999999999999999,d\n");
        assert_eq!(places, [row(1, 0, "a", ""), row(2, 0, "b", "")]);
        assert_eq!((skipped, first), (5, 2));
        assert_eq!(read(""), (Vec::new(), 0, 0));
    }

    #[test]
    fn keeps_names_that_are_not_utf8() {
        let file = NamesFile::read(b"1,a\xff\n");
        assert_eq!(file.naming.of(Key::Id(1)).map(|it| it.place.text.as_str()), Some("a\u{fffd}"));
    }

    #[test]
    fn knows_names_files_by_their_first_lines() {
        assert!(is_names_file(b"key,name\n1,main\n2,f\n", false));
        assert!(is_names_file(b"401000 20 _start\n401020 1f4 ma", true));
        assert!(is_names_file(b"1,main", false));
        assert!(!is_names_file(b"1,mai", true));
        assert!(!is_names_file(b"", false));
        assert!(!is_names_file(b"Dear reader,\nthis is a letter,\nnot a names file\n", false));
        assert!(!is_names_file(b"1,a\0b\n", false));
        assert!(!is_names_file(b"a,b\nc,d\ne,f\n1,x\n", false));
        assert!(!is_names_file(b"\x7fELF\n1,a\n", false));
        assert!(!is_names_file(b"{\"a\": 1,\n\"b\": 2}", false));
    }
}
