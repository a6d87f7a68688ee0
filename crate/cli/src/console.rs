//! What commands print. No control character of a trace reaches a terminal, where it could move the
//! cursor, change what was printed before, or answer in place of the user.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::{Display, Write as _};
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use unspool_trace::is_invisible;

use crate::interrupt;

const CAPACITY: usize = 1 << 20;

/// Standard output, or where what is printed is held.
pub(crate) type Out = BufWriter<Printable<Sink>>;

thread_local! {
    /// What this thread prints, while it is held.
    static HELD: RefCell<Option<Held>> = const { RefCell::new(None) };
}

/// What was printed.
#[derive(Default)]
pub(crate) struct Held {
    /// On standard output.
    pub(crate) out: Vec<u8>,
    /// The lines on standard error.
    pub(crate) said: Vec<String>,
}

/// Holds what this thread prints while `run` runs, and returns it.
pub(crate) fn held<T>(run: impl FnOnce() -> T) -> (T, Held) {
    let before = HELD.replace(Some(Held::default()));
    let result = run();
    (result, HELD.replace(before).unwrap_or_default())
}

fn is_held() -> bool {
    HELD.with_borrow(Option::is_some)
}

/// Where output goes.
pub(crate) enum Sink {
    Stdout(StdoutLock<'static>),
    Held,
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(out) => out.write(bytes),
            Self::Held => {
                HELD.with_borrow_mut(|held| held.get_or_insert_default().out.extend_from_slice(bytes));
                Ok(bytes.len())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(out) => out.flush(),
            Self::Held => Ok(()),
        }
    }
}

/// Standard output for people. Control characters are always escaped, because `| head` leads to a
/// terminal, too.
pub(crate) fn text() -> Out {
    out(true)
}

/// Standard output for programs: exact, unless it is a terminal.
pub(crate) fn data() -> Out {
    out(!is_held() && io::stdout().is_terminal())
}

/// As [`data`] or as [`text`].
pub(crate) fn data_or_text(is_data: bool) -> Out {
    if is_data { data() } else { text() }
}

fn out(escapes: bool) -> Out {
    let sink = if is_held() { Sink::Held } else { Sink::Stdout(io::stdout().lock()) };
    BufWriter::with_capacity(CAPACITY, Printable::new(sink, escapes))
}

/// Whether programs read standard error: each of its lines is a JSON object then.
static FOR_PROGRAMS: AtomicBool = AtomicBool::new(false);

/// From now on, what goes to standard error is for programs.
pub(crate) fn speak_json() {
    FOR_PROGRAMS.store(true, Ordering::Relaxed);
}

/// Prints a remark to standard error.
pub(crate) fn say(line: impl Display) {
    let line = line.to_string();
    say_as(&line, "note", || serde_json::json!({ "message": line }));
}

/// Prints a line to standard error; for programs an object with one key, `kind`.
pub(crate) fn say_as<T: Serialize>(line: impl Display, kind: &'static str, object: impl FnOnce() -> T) {
    if !FOR_PROGRAMS.load(Ordering::Relaxed) {
        return say_line(line.to_string());
    }
    if let Ok(line) = serde_json::to_string(&BTreeMap::from([(kind, object())])) {
        say_line(line);
    }
}

fn say_line(line: String) {
    if is_held() {
        HELD.with_borrow_mut(|held| held.get_or_insert_default().said.push(line));
    } else {
        print_error(&line);
    }
}

/// Does two things at once, the second on another thread. Both stop with the work of this one, and
/// what the second says is said after what the first does.
pub(crate) fn both<T: Send>(a: impl FnOnce() -> T, b: impl FnOnce() -> T + Send) -> (T, T) {
    let stop = interrupt::here();
    std::thread::scope(|scope| {
        let other = scope.spawn(|| held(|| stop.run(b)));
        let a = a();
        let (b, held) = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        held.said.into_iter().for_each(say_line);
        (a, b)
    })
}

fn print_error(line: &str) {
    let mut clean = Vec::new();
    escape(line.as_bytes(), &mut clean);
    clean.push(b'\n');
    // There is nowhere to complain about standard error.
    let _ = io::stderr().write_all(&clean);
}

/// A text of the trace as a part of a line: line ends and tabs are escaped as well.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    if !text.contains(is_invisible) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::new();
    for c in text.chars() {
        match c {
            '\n' => clean.push_str("\\n"),
            '\r' => clean.push_str("\\r"),
            '\t' => clean.push_str("\\t"),
            c if is_invisible(c) => push_escaped(&mut clean, c),
            c => clean.push(c),
        }
    }
    Cow::Owned(clean)
}

/// Characters that a row is indented by at a level. The deepest levels share one: a line would be
/// nothing but blanks.
pub(crate) fn indent(level: usize) -> usize {
    level.min(60) * 2
}

/// Characters of a line around what is marked in it.
const AROUND: usize = 60;

/// A sentence about a part of a text, above the line that the part is in, with marks below the
/// part. `at` and `len` are bytes. Of a long line only what is around the part is shown.
pub(crate) fn pointed(sentence: &str, text: &str, at: usize, len: usize) -> String {
    let (before, from) = text.split_at_checked(at).unwrap_or((text, ""));
    let before = before.rsplit('\n').next().unwrap_or_default();
    let rest = from.lines().next().unwrap_or_default();
    let marked = from.get(..len).and_then(|marked| marked.lines().next()).unwrap_or_default();
    let skipped = before.chars().count().saturating_sub(AROUND);
    let left: String = if skipped > 0 { "…" } else { "" }.chars().chain(before.chars().skip(skipped)).collect();
    let right: String = rest.chars().take(AROUND).collect();
    let more = if right.len() < rest.len() { "…" } else { "" };
    let blanks = " ".repeat(left.chars().count());
    let marks = "^".repeat(marked.chars().count().clamp(1, right.chars().count().max(1)));
    format!("{sentence}\n  {left}{right}{more}\n  {blanks}{marks}")
}

/// As in JSON, whose strings keep their meaning.
pub(crate) fn push_escaped(out: &mut String, c: char) {
    for unit in c.encode_utf16(&mut [0; 2]) {
        let _ = write!(out, "\\u{unit:04x}");
    }
}

/// Passes text on, with invisible characters escaped except line ends and tabs.
pub(crate) struct Printable<W> {
    out: W,
    escapes: bool,
    /// The beginning of a character or a line end that goes on in the next portion.
    held: Vec<u8>,
    clean: Vec<u8>,
}

impl<W: Write> Printable<W> {
    fn new(out: W, escapes: bool) -> Self {
        Self { out, escapes, held: Vec::new(), clean: Vec::new() }
    }
}

impl<W: Write> Write for Printable<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.escapes || (self.held.is_empty() && !bytes.iter().any(|&byte| is_suspicious(byte))) {
            return self.out.write(bytes);
        }
        self.held.extend_from_slice(bytes);
        self.clean.clear();
        let used = escape(&self.held, &mut self.clean);
        self.held.drain(..used);
        self.out.write_all(&self.clean)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Whether a byte is, or may begin, what is escaped.
fn is_suspicious(byte: u8) -> bool {
    // The first bytes of invisible characters in UTF-8.
    (byte < 0x20 && !matches!(byte, b'\n' | b'\t'))
        || matches!(byte, 0x7f | 0xc2 | 0xcd | 0xd8 | 0xdb | 0xdc | 0xe0..=0xe3 | 0xef | 0xf0 | 0xf3)
}

/// Escapes text. Returns how many bytes were used: all but the beginning of something that may go
/// on.
fn escape(bytes: &[u8], out: &mut Vec<u8>) -> usize {
    let mut rest = bytes;
    loop {
        let plain = rest.iter().position(|&byte| is_suspicious(byte)).unwrap_or(rest.len());
        let (before, from) = rest.split_at(plain);
        out.extend_from_slice(before);
        rest = from;
        let (len, c) = match *rest {
            [] | [b'\r'] => return bytes.len() - rest.len(),
            [b'\r', b'\n', ..] => (2, None),
            [byte @ ..0x80, ..] => (1, Some(char::from(byte))),
            [first, ..] => {
                let len = match first {
                    ..0xe0 => 2,
                    0xe0..0xf0 => 3,
                    0xf0.. => 4,
                };
                let text = match std::str::from_utf8(rest.get(..len).unwrap_or(rest)) {
                    Ok(text) => text,
                    // It may go on.
                    Err(error) if error.valid_up_to() == 0 && error.error_len().is_none() => {
                        return bytes.len() - rest.len();
                    }
                    Err(_) => "",
                };
                match text.chars().next() {
                    Some(c) => (len, Some(c).filter(|c| is_invisible(*c))),
                    None => (1, None),
                }
            }
        };
        let Some((taken, after)) = rest.split_at_checked(len) else { return bytes.len() - rest.len() };
        match c {
            None => out.extend_from_slice(taken),
            Some(c) => {
                let mut escaped = String::new();
                push_escaped(&mut escaped, c);
                out.extend_from_slice(escaped.as_bytes());
            }
        }
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "a\x1b[31mb\u{9b}2J\x7f\r\n…é\tx\u{202e}y\u{2066}\u{200b}\u{feff}\u{e0041}中z\u{2028}\0\rq\u{6dd}\u{70f}\u{890}\n";
    const ESCAPED: &str = "a\\u001b[31mb\\u009b2J\\u007f\r\n…é\tx\\u202ey\\u2066\\u200b\\ufeff\\udb40\\udc41中z\\u2028\\u0000\\u000dq\\u06dd\\u070f\\u0890\n";

    #[test]
    fn control_characters_are_escaped_in_any_portions() {
        for size in 1..TEXT.len() {
            let mut out = Printable::new(Vec::new(), true);
            for portion in TEXT.as_bytes().chunks(size) {
                out.write_all(portion).unwrap();
            }
            assert_eq!(String::from_utf8_lossy(&out.out), ESCAPED, "portions of {size}");
        }
    }

    #[test]
    fn what_is_exact_stays_exact() {
        let mut out = Printable::new(Vec::new(), false);
        out.write_all(TEXT.as_bytes()).unwrap();
        assert_eq!(out.out, TEXT.as_bytes());
    }

    #[test]
    fn a_place_in_a_text_is_pointed_at() {
        assert_eq!(pointed("Wrong.", "a b\nc dd e\nf", 6, 2), "Wrong.\n  c dd e\n    ^^");
        assert_eq!(pointed("Wrong.", "ab", 2, 1), "Wrong.\n  ab\n    ^");
        assert_eq!(pointed("Wrong.", "ab", 9, 1), "Wrong.\n  ab\n    ^");
        let long = format!("{}!{}", "x".repeat(70_000), "y".repeat(70_000));
        let expected = format!("Wrong.\n  …{}!{}…\n  {}^", "x".repeat(60), "y".repeat(59), " ".repeat(61));
        assert_eq!(pointed("Wrong.", &long, 70_000, 1), expected);
    }

    #[test]
    fn what_two_threads_say_is_said_in_their_order() {
        let (spoke, speaks) = std::sync::mpsc::channel();
        let first = || {
            speaks.recv().unwrap();
            say("first");
        };
        let second = move || {
            say("second");
            spoke.send(()).unwrap();
        };
        assert_eq!(held(|| both(first, second)).1.said, ["first", "second"]);
    }

    #[test]
    fn both_threads_stop_with_the_work() {
        let stop = interrupt::Stop::default();
        assert!(matches!(stop.run(|| both(interrupt::check, interrupt::check)), (Ok(()), Ok(()))));
        stop.stop();
        assert!(matches!(stop.run(|| both(interrupt::check, interrupt::check)), (Err(_), Err(_))));
    }

    #[test]
    fn a_part_of_a_line_has_no_line_ends() {
        assert_eq!(one_line("a\nb\x1b\t\u{85}"), "a\\nb\\u001b\\t\\u0085");
        assert!(matches!(one_line("f(int, …)"), Cow::Borrowed(_)));
    }
}
