//! A summary of the meta frame, for the properties of the trace.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::date::date;
use crate::hex::push_hex;

use super::message::{Capture, Message, Slot};

/// Limit for a text in bytes: each is shown in one line.
const MAX_TEXT: usize = 1024;

/// What the summary needs of the meta frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct Summary {
    tracer: Text,
    version: Text,
    tracer_arguments: Text,
    path: Text,
    arguments: Text,
    md5: Text,
    user: Text,
    host: Text,
    time: Option<f64>,
}

#[derive(Clone, Debug, Default)]
struct Text {
    bytes: Vec<u8>,
    cut: bool,
}

impl Text {
    fn add(&mut self, bytes: &[u8]) {
        let room = MAX_TEXT.saturating_sub(self.bytes.len());
        self.cut |= bytes.len() > room;
        self.bytes.extend(bytes.iter().take(room));
    }

    fn show(&self) -> Option<String> {
        let text = String::from_utf8_lossy(&self.bytes);
        match (text.is_empty(), self.cut) {
            (true, _) => None,
            (false, false) => Some(text.into()),
            (false, true) => Some(format!("{text}…")),
        }
    }
}

impl Summary {
    fn text(&mut self, slot: Slot) -> Option<&mut Text> {
        Some(match slot {
            Slot::TracerName => &mut self.tracer,
            Slot::TracerVersion => &mut self.version,
            Slot::TracerArgument => &mut self.tracer_arguments,
            Slot::TargetPath => &mut self.path,
            Slot::TargetArgument => &mut self.arguments,
            Slot::TargetMd5 => &mut self.md5,
            Slot::User => &mut self.user,
            Slot::Host => &mut self.host,
            _ => return None,
        })
    }

    /// Appends the properties of the trace.
    pub(crate) fn properties(&self, out: &mut Vec<(&'static str, String)>) {
        let tracer = match (self.tracer.show(), self.version.show()) {
            (Some(name), Some(version)) => Some(format!("{name} {version}")),
            (name, version) => name.or(version),
        };
        let md5 = (!self.md5.bytes.is_empty()).then(|| {
            let mut text = String::new();
            push_hex(&mut text, &self.md5.bytes);
            text
        });
        let all = [
            ("Program", self.path.show()),
            ("Arguments", self.arguments.show()),
            ("MD5", md5),
            ("Tracer", tracer),
            ("Traced with", self.tracer_arguments.show()),
            ("Traced by", self.user.show()),
            ("Host", self.host.show()),
            ("Traced on", self.time.and_then(date)),
        ];
        out.extend(all.into_iter().filter_map(|(name, value)| Some((name, value?))));
    }
}

impl Capture for Summary {
    fn message(&mut self, message: Message) {
        // Of a repeated message, the last one counts.
        let cleared: &mut [&mut Text] = match message {
            Message::Tracer => &mut [&mut self.tracer, &mut self.version, &mut self.tracer_arguments],
            Message::Target => &mut [&mut self.path, &mut self.md5, &mut self.arguments],
            _ => return,
        };
        for text in cleared {
            **text = Text::default();
        }
    }

    fn number(&mut self, slot: Slot, value: u64) {
        if slot == Slot::Time {
            self.time = Some(f64::from_bits(value));
        }
    }

    fn begin_bytes(&mut self, slot: Slot, _len: u64) {
        let Some(text) = self.text(slot) else { return };
        if !matches!(slot, Slot::TracerArgument | Slot::TargetArgument) {
            *text = Text::default();
        } else if !text.bytes.is_empty() {
            text.add(b" ");
        }
    }

    fn bytes(&mut self, slot: Slot, portion: &[u8]) {
        if let Some(text) = self.text(slot) {
            text.add(portion);
        }
    }
}
