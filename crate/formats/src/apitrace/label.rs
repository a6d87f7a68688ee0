//! The labels of markers and debug groups.

use alloc::string::String;
use alloc::vec::Vec;

use super::wire::{text_of, wide_char};

/// The label of a marker call: its last string, up to a length that fits in a timeline.
#[derive(Debug, Default)]
pub(crate) struct Label {
    text: Vec<u8>,
    /// High surrogate of a wide string.
    high: Option<u32>,
    /// The call is a marker.
    is_marker: bool,
    /// The next bytes belong to a string.
    open: bool,
    /// There was a string.
    found: bool,
}

impl Label {
    /// Maximum length in bytes.
    const MAX: usize = 256;

    /// An event begins.
    pub(crate) fn begin(&mut self, is_marker: bool) {
        self.text.clear();
        (self.is_marker, self.open, self.found, self.high) = (is_marker, false, false, None);
    }

    /// A string begins.
    pub(crate) fn string(&mut self) {
        if self.is_marker {
            self.text.clear();
            (self.open, self.found) = (true, true);
        }
    }

    /// A blob begins.
    pub(crate) fn other(&mut self) {
        self.open = false;
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        if self.open {
            let room = Self::MAX - self.text.len().min(Self::MAX);
            self.text.extend(bytes.iter().take(room));
        }
    }

    pub(crate) fn unit(&mut self, unit: u32) {
        if self.open
            && let Some(c) = wide_char(&mut self.high, unit)
        {
            let mut utf8 = [0; 4];
            self.bytes(c.encode_utf8(&mut utf8).as_bytes());
        }
    }

    /// The label, or `None` if there is none or it is empty.
    pub(crate) fn text(&self) -> Option<String> {
        let mut text = match core::str::from_utf8(&self.text) {
            // `MAX` cut a character.
            Err(error) if error.error_len().is_none() => text_of(self.text.get(..error.valid_up_to())?),
            _ => text_of(&self.text),
        };
        text.truncate(text.trim_end().len());
        (self.found && !text.is_empty()).then_some(text)
    }
}
