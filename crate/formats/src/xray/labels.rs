//! The names of custom and typed events: what their payload says.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use hashbrown::HashMap;
use unspool_trace::kept;
use unspool_trace::limits::Limits;

use super::decode::Event;

/// Keys of names beyond the 32 bits of function ids.
const CUSTOM_EVENT: u64 = 1 << 32;
const TYPED_EVENT: u64 = 2 << 32;
const LABEL: u64 = 3 << 32;

/// Bytes of a payload that are part of the name.
const SHOWN: usize = 64;
/// Bytes of a payload that is not text.
const SHOWN_BYTES: usize = 8;
/// Limit for the names of events. Payloads often contain numbers, so that each is another text.
const MAX_LABELS: usize = 1 << 16;

/// An event with the beginning of its payload.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) event: Event,
    payload: Vec<u8>,
}

impl Held {
    pub(super) fn new(event: Event) -> Self {
        Self { event, payload: Vec::new() }
    }

    /// Takes a portion of the payload. Returns true if no more of it is needed.
    pub(super) fn take(&mut self, bytes: &[u8]) -> bool {
        let wanted = if self.event.overwritten { 0 } else { SHOWN.min(self.event.size as usize) };
        let missing = wanted - self.payload.len();
        self.payload.extend(bytes.iter().take(missing));
        self.payload.len() == wanted
    }
}

/// The names of events that there are so far, by what they say.
#[derive(Debug)]
pub(super) struct Labels {
    keys: HashMap<String, u64>,
    /// Bytes of these texts.
    text_bytes: u64,
    limit: usize,
}

impl Labels {
    pub(super) fn new(limits: Limits) -> Self {
        // Functions need names, too.
        Self { keys: HashMap::new(), text_bytes: 0, limit: MAX_LABELS.min(limits.names as usize / 2) }
    }

    /// Bytes of memory.
    pub(super) fn bytes(&self) -> u64 {
        self.text_bytes + kept::table::<(String, u64)>(self.keys.capacity())
    }

    /// The key and the text of an event's name: `9: payload` for a typed event, `payload` for a
    /// custom one. An event without a payload, or beyond the limit of names, is named by its kind.
    pub(super) fn of(&mut self, held: &Held) -> (u64, String) {
        let kind = held.event.kind;
        if let Some(text) = label(&held.event, &held.payload) {
            if let Some(key) = self.keys.get(&text) {
                return (*key, text);
            }
            if self.keys.len() < self.limit {
                let key = LABEL + self.keys.len() as u64;
                self.keys.insert(text.clone(), key);
                self.text_bytes += text.len() as u64;
                return (key, text);
            }
        }
        (kind.map_or(CUSTOM_EVENT, |kind| TYPED_EVENT | u64::from(kind)), kind_name(&held.event))
    }
}

/// What an event with this payload, or the beginning of it, says. `None` without a payload.
fn label(event: &Event, payload: &[u8]) -> Option<String> {
    let shown = if event.overwritten { &[][..] } else { payload.get(..SHOWN).unwrap_or(payload) };
    let payload = text(shown, event.size as usize)?;
    Some(event.kind.map_or(payload.clone(), |kind| format!("{kind}: {payload}")))
}

/// The name of events that say nothing.
fn kind_name(event: &Event) -> String {
    event.kind.map_or("custom event".into(), |kind| format!("typed event {kind}"))
}

/// The name of the record of an event: that of its mark on the timeline, but for the limit of
/// names.
pub(super) fn record_name(event: &Event, payload: &[u8]) -> String {
    label(event, payload).unwrap_or_else(|| kind_name(event))
}

/// A payload of `size` bytes, of which `bytes` are the first, in one line: as text if it is text,
/// else as its first bytes. `None` if it is empty.
fn text(bytes: &[u8], size: usize) -> Option<String> {
    // C programs often pass the terminator along.
    let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let printed = bytes.get(..end).unwrap_or_default();
    let is_whole = bytes.len() >= size;
    let (printed, rest) = match core::str::from_utf8(printed) {
        Ok(all) => (all, &[][..]),
        Err(error) => {
            let (valid, rest) = printed.split_at(error.valid_up_to());
            // A character may continue after the bytes that are here.
            let cut = !is_whole && error.error_len().is_none();
            (core::str::from_utf8(valid).unwrap_or_default(), if cut { &[][..] } else { rest })
        }
    };
    let more = if is_whole { "" } else { "…" };
    let is_text = |c: char| !c.is_control() || matches!(c, '\t' | '\n' | '\r');
    if rest.is_empty() && !printed.trim().is_empty() && printed.chars().all(is_text) {
        let words: Vec<&str> = printed.split_whitespace().collect();
        return Some(words.join(" ") + more);
    }
    let (first, others) = bytes.split_at(bytes.len().min(SHOWN_BYTES));
    let mut line = String::new();
    for byte in first {
        // Writing to a String cannot fail.
        let _ = write!(line, "{}{byte:02x}", if line.is_empty() { "" } else { " " });
    }
    if !others.is_empty() || !is_whole {
        line.push_str(" …");
    }
    (!first.is_empty()).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_is_a_text_or_bytes() {
        let of = |bytes: &[u8]| text(bytes, bytes.len());
        assert_eq!(of(b"begin frame 1\0").as_deref(), Some("begin frame 1"));
        assert_eq!(of("  größe\n\t= 2".as_bytes()).as_deref(), Some("größe = 2"));
        assert_eq!(of(b"\x01\0\0\0").as_deref(), Some("01 00 00 00"));
        assert_eq!(of(b"caf\xc3").as_deref(), Some("63 61 66 c3"), "half a character is no text");
        assert_eq!(of(&[0xff; 9]).as_deref(), Some("ff ff ff ff ff ff ff ff …"));
        assert_eq!(of(b"\0\0").as_deref(), Some("00 00"));
        assert_eq!(of(b" ").as_deref(), Some("20"));
        assert_eq!(of(b""), None);
        // Of a longer payload, only the beginning is here.
        assert_eq!(text("größe".as_bytes().get(..3).unwrap(), 100).as_deref(), Some("gr…"));
        assert_eq!(text(b"\x01", 100).as_deref(), Some("01 …"));
        assert_eq!(text(b"", 100), None);
    }

    #[test]
    fn events_have_few_names() {
        let mut labels = Labels::new(Limits { names: 4, ..Limits::DEFAULT });
        let mut name = |kind, payload: &[u8]| {
            let size = payload.len() as u32;
            let mut held = Held::new(Event { at: 0, clock: 0, cpu: 0, size, kind, overwritten: false });
            assert!(held.take(payload));
            labels.of(&held)
        };
        let one = name(None, b"one");
        assert_eq!(one.1, "one");
        assert_eq!(name(Some(9), b"one").1, "9: one");
        assert_eq!(name(None, b"two").1, "custom event");
        assert_eq!(name(Some(9), b"two").1, "typed event 9");
        assert_eq!(name(None, b"one"), one);
        assert_ne!(name(None, b"two").0, name(Some(0), b"two").0);
    }
}
