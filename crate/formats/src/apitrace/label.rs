//! The labels of markers and debug groups.

use alloc::string::String;
use alloc::vec::Vec;

use super::wire::{text_of, wide_char};

/// The label of a marker: its last string, as far as it is of use in a row of a timeline.
#[derive(Debug, Default)]
pub(crate) struct Label {
    text: Vec<u8>,
    high: Option<u32>,
    /// The call is a marker.
    listening: bool,
    /// A string is being told.
    open: bool,
    heard: bool,
}

impl Label {
    const MAX: usize = 256;

    /// A marker begins, or a call that is none.
    pub(crate) fn begin(&mut self, is_marker: bool) {
        self.text.clear();
        (self.listening, self.open, self.heard, self.high) = (is_marker, false, false, None);
    }

    /// A string begins.
    pub(crate) fn string(&mut self) {
        if self.listening {
            self.text.clear();
            (self.open, self.heard) = (true, true);
        }
    }

    /// Something else begins.
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

    /// What was heard.
    pub(crate) fn text(&self) -> Option<String> {
        let mut text = match core::str::from_utf8(&self.text) {
            // Cut within a character by our own limit.
            Err(error) if error.error_len().is_none() => text_of(self.text.get(..error.valid_up_to())?),
            _ => text_of(&self.text),
        };
        text.truncate(text.trim_end().len());
        (self.heard && !text.is_empty()).then_some(text)
    }
}
