//! Logs as YAML, as `llvm-xray convert -f yaml` writes them and llvm-xray reads them.
//!
//! This accepts the tool's subset of YAML: a header of `key: value` lines, then one record in
//! braces per line. Comment lines, keys in any order, missing keys and both kinds of quotes are
//! accepted. A record must not span lines.

use alloc::vec::Vec;

use unspool_trace::problem::{MALFORMED, Problem};

use super::decode::{Event, Function, Sink};
use super::wire::{FunctionKind, Header, Mode};

/// Maximum length of a line in bytes. The rest of a longer line is left out, which makes it
/// malformed.
const LONGEST: usize = 1 << 20;
/// Maximum length of the header in bytes, comments included.
const HEAD: usize = 16 * 1024;

/// The header of a log in YAML, if `head` begins like one.
pub(crate) fn header(head: &[u8]) -> Option<Header> {
    let mut lines = head.get(..HEAD.min(head.len()))?.split(|b| *b == b'\n').map(trim);
    let content = |line: &&[u8]| !line.is_empty() && !line.starts_with(b"#");
    if lines.find(content)? != b"---" || lines.find(content)? != b"header:" {
        return None;
    }
    let mut fields: Vec<(&[u8], &[u8])> = Vec::new();
    for line in lines.filter(content) {
        if line == b"records:" || line == b"records: []" {
            let of = |name: &str| fields.iter().find(|(key, _)| *key == name.as_bytes()).map(|(_, value)| *value);
            let mode = if number(of("type")?)? == 0 { Mode::Basic } else { Mode::Fdr };
            return Some(Header {
                version: number(of("version")?)?.try_into().ok()?,
                mode,
                constant_tsc: of("constant-tsc") == Some(b"true"),
                nonstop_tsc: of("nonstop-tsc") == Some(b"true"),
                frequency: of("cycle-frequency").and_then(number).unwrap_or(0),
                buffer_size: 0,
                big_endian: false,
            });
        }
        let colon = line.iter().position(|b| *b == b':')?;
        let (key, value) = line.split_at_checked(colon)?;
        fields.push((trim(key), trim(value.get(1..)?)));
    }
    None
}

/// Walks over the records of a log in YAML.
#[derive(Clone, Debug)]
pub(crate) struct YamlWalk {
    /// Absolute offset of the next byte.
    at: u64,
    /// The current line, and the absolute offset of its beginning.
    line: Vec<u8>,
    begin: u64,
    thread: Option<(i32, i32)>,
}

impl YamlWalk {
    /// A walk that begins at the line at absolute offset `at`.
    pub(crate) fn new(at: u64) -> Self {
        Self { at, line: Vec::new(), begin: at, thread: None }
    }

    /// Walks over `input`. Returns the number of bytes used: all of them, unless the sink is full.
    pub(crate) fn run(&mut self, input: &[u8], sink: &mut impl Sink) -> usize {
        let mut rest = input;
        while !sink.is_full() && !rest.is_empty() {
            let end = rest.iter().position(|b| *b == b'\n');
            let (part, after) = rest.split_at_checked(end.map_or(rest.len(), |i| i + 1)).unwrap_or((rest, &[]));
            let room = LONGEST.saturating_sub(self.line.len());
            self.line.extend(part.iter().take(room));
            self.at = self.at.saturating_add(part.len() as u64);
            rest = after;
            if end.is_some() {
                self.finish_line(sink);
            }
        }
        input.len() - rest.len()
    }

    /// The file ends here.
    pub(crate) fn end(&mut self, sink: &mut impl Sink) {
        if !self.line.is_empty() {
            self.finish_line(sink);
        }
    }

    fn finish_line(&mut self, sink: &mut impl Sink) {
        let line = core::mem::take(&mut self.line);
        let begin = core::mem::replace(&mut self.begin, self.at);
        // Other lines belong to the header, are comments, or mark the beginning or end of the
        // document.
        let Some(body) = trim(&line).strip_prefix(b"-").filter(|body| !body.starts_with(b"-")) else { return };
        if self.record(begin, trim(body), sink).is_none() {
            sink.problem(Problem { at: begin, kind: &MALFORMED, value: self.at - begin });
        }
        self.line = line;
        self.line.clear();
    }

    /// Reads one record in braces. Returns `None` if the line is not a record.
    fn record(&mut self, at: u64, body: &[u8], sink: &mut impl Sink) -> Option<()> {
        let mut record = Record::default();
        let mut rest = body.strip_prefix(b"{")?;
        loop {
            rest = trim(rest);
            if rest.starts_with(b"}") {
                break;
            }
            let colon = rest.iter().position(|b| *b == b':')?;
            let (key, value) = rest.split_at_checked(colon)?;
            let (value, after) = Scalar::read(trim(value.get(1..)?))?;
            record.set(key, value)?;
            rest = trim(after);
            rest = rest.strip_prefix(b",").unwrap_or(rest);
        }
        let (pid, tid) = (record.process.unwrap_or(0), record.thread?);
        if self.thread != Some((pid, tid)) {
            self.thread = Some((pid, tid));
            sink.thread(pid, tid, at);
        }
        let (clock, cpu) = (record.clock?, record.cpu);
        let kind = match record.kind.as_slice() {
            b"function-enter" => Some(FunctionKind::Enter),
            b"function-enter-arg" => Some(FunctionKind::EnterArgs),
            b"function-exit" => Some(FunctionKind::Exit),
            b"function-tail-exit" => Some(FunctionKind::TailExit),
            b"custom-event" | b"typed-event" => None,
            _ => return None,
        };
        if let Some(kind) = kind {
            // Without --symbolize, llvm-xray writes the id in place of a name.
            if let Ok(name) = core::str::from_utf8(&record.function)
                && !name.is_empty()
                && name.parse() != Ok(record.func)
            {
                sink.name(record.func, name);
            }
            sink.function(Function { at, kind, func: record.func, clock, cpu });
            record.args.iter().for_each(|arg| sink.argument(*arg));
        } else {
            let kind = (record.kind == b"typed-event").then_some(record.event_type);
            let size = record.data.len() as u32;
            sink.event(Event { at, clock, cpu, size, kind, overwritten: false });
            sink.payload(&record.data);
        }
        Some(())
    }
}

#[derive(Default)]
struct Record {
    func: i32,
    function: Vec<u8>,
    args: Vec<u64>,
    cpu: u16,
    thread: Option<i32>,
    process: Option<i32>,
    kind: Vec<u8>,
    clock: Option<u64>,
    data: Vec<u8>,
    event_type: u16,
}

impl Record {
    fn set(&mut self, key: &[u8], value: Scalar) -> Option<()> {
        match trim(key) {
            b"func-id" => self.func = value.number()? as i32,
            b"function" => self.function = value.0,
            b"args" => self.args = value.list()?,
            b"cpu" => self.cpu = value.number()? as u16,
            b"thread" => self.thread = Some(value.number()? as i32),
            b"process" => self.process = Some(value.number()? as i32),
            b"kind" => self.kind = value.0,
            b"tsc" => self.clock = Some(value.number()?),
            b"data" => self.data = value.0,
            // The type of a typed event. Other records have the record type of basic mode here.
            b"type" => self.event_type = value.number().unwrap_or(0) as u16,
            _ => {}
        }
        Some(())
    }
}

/// The text of a value, unquoted and unescaped.
struct Scalar(Vec<u8>);

impl Scalar {
    /// Reads a value. Returns it and the text after it.
    fn read(from: &[u8]) -> Option<(Self, &[u8])> {
        match from.first()? {
            b'\'' => Self::single(from.get(1..)?),
            b'"' => Self::double(from.get(1..)?),
            b'[' => {
                let end = from.iter().position(|b| *b == b']')?;
                let (list, after) = from.split_at_checked(end + 1)?;
                Some((Self(list.to_vec()), after))
            }
            _ => {
                let end = from.iter().position(|b| matches!(b, b',' | b'}'))?;
                let (plain, after) = from.split_at_checked(end)?;
                Some((Self(trim(plain).to_vec()), after))
            }
        }
    }

    fn single(mut from: &[u8]) -> Option<(Self, &[u8])> {
        let mut text = Vec::new();
        loop {
            let quote = from.iter().position(|b| *b == b'\'')?;
            let (part, after) = from.split_at_checked(quote)?;
            text.extend_from_slice(part);
            from = after.get(1..)?;
            // A doubled quote stands for one.
            match from.strip_prefix(b"'") {
                Some(after) => {
                    text.push(b'\'');
                    from = after;
                }
                None => return Some((Self(text), from)),
            }
        }
    }

    fn double(mut from: &[u8]) -> Option<(Self, &[u8])> {
        let mut text = Vec::new();
        loop {
            let (first, after) = from.split_first()?;
            from = after;
            match first {
                b'"' => return Some((Self(text), from)),
                b'\\' => {
                    let (escape, after) = from.split_first()?;
                    from = after;
                    let digits = match escape {
                        b'x' => 2,
                        b'u' => 4,
                        b'U' => 8,
                        other => {
                            text.push(simple_escape(*other)?);
                            continue;
                        }
                    };
                    let (code, after) = from.split_at_checked(digits)?;
                    from = after;
                    let code = u32::from_str_radix(core::str::from_utf8(code).ok()?, 16).ok()?;
                    // LLVM writes bytes that are not UTF-8 as \xNN.
                    match u8::try_from(code) {
                        Ok(byte) if digits == 2 => text.push(byte),
                        _ => {
                            let mut utf8 = [0; 4];
                            text.extend_from_slice(char::from_u32(code)?.encode_utf8(&mut utf8).as_bytes());
                        }
                    }
                }
                other => text.push(*other),
            }
        }
    }

    fn number(&self) -> Option<u64> {
        number(&self.0)
    }

    fn list(&self) -> Option<Vec<u64>> {
        let inner = trim(self.0.strip_prefix(b"[")?.strip_suffix(b"]")?);
        if inner.is_empty() {
            return Some(Vec::new());
        }
        inner.split(|b| *b == b',').map(|item| number(trim(item))).collect()
    }
}

fn simple_escape(escape: u8) -> Option<u8> {
    Some(match escape {
        b'0' => 0,
        b'a' => 7,
        b'b' => 8,
        b't' => 9,
        b'n' => 10,
        b'v' => 11,
        b'f' => 12,
        b'r' => 13,
        b'e' => 27,
        b'"' | b'\\' | b'/' | b' ' => escape,
        _ => return None,
    })
}

/// A decimal or hexadecimal number; a negative one as its two's complement.
fn number(text: &[u8]) -> Option<u64> {
    let text = core::str::from_utf8(text).ok()?;
    if let Some(hex) = text.strip_prefix("0x") {
        return u64::from_str_radix(hex, 16).ok();
    }
    text.parse::<u64>().ok().or_else(|| text.parse::<i64>().ok().map(|n| n as u64))
}

fn trim(text: &[u8]) -> &[u8] {
    text.trim_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scalar(text: &str) -> (Vec<u8>, &str) {
        let (value, after) = Scalar::read(text.as_bytes()).unwrap();
        (value.0, core::str::from_utf8(after).unwrap())
    }

    #[test]
    fn values_are_unquoted() {
        assert_eq!(scalar("run(int, char**) }"), (b"run(int".to_vec(), ", char**) }"));
        assert_eq!(scalar("'run(int, char**)', x"), (b"run(int, char**)".to_vec(), ", x"));
        assert_eq!(scalar("'it''s' }"), (b"it's".to_vec(), " }"));
        assert_eq!(scalar(r#""\0\x01\xff\u00e9\"\n" }"#), (b"\0\x01\xff\xc3\xa9\"\n".to_vec(), " }"));
        assert_eq!(scalar("[ 1, 0x10 ], x").0, b"[ 1, 0x10 ]");
        assert_eq!(Scalar(b"[ 1, 0x10 ]".to_vec()).list(), Some(alloc::vec![1, 16]));
        assert!(Scalar::read(b"'open").is_none());
        assert!(Scalar::read(b"\"\\q\"").is_none());
    }

    #[test]
    fn comments_may_precede_the_header() {
        let text = b"#RUN: llvm-xray\n\n---\nheader:\n  version: 1\n  type: 0\n  constant-tsc: true\n  cycle-frequency: 26\nrecords:\n";
        let header = header(text).unwrap();
        assert_eq!((header.version, header.mode, header.frequency), (1, Mode::Basic, 26));
        assert!(header.constant_tsc && !header.nonstop_tsc);
        assert_eq!(super::header(b"---\nrecords:\n"), None);
        assert_eq!(super::header(b"{\"header\": 1}"), None);
    }
}
