//! Names of a trace that should not leave.

use unspool_cut::clean::Cleaner;

use crate::{Name, Trace, Track};

impl Trace {
    /// Hashes or leaves out paths among the names of slices and tracks, and names that are texts of
    /// the program or payloads.
    pub fn clean(&mut self, cleaner: &mut Cleaner) {
        for Name { text, kind, .. } in &mut self.names {
            let clean = match kind.as_str() {
                "group" | "marker" => cleaner.text(text),
                "event" => cleaner.payload_text(text),
                _ => cleaner.name(text),
            };
            if clean != text.as_str() {
                // Something without a name could not be told from others.
                *text = if clean.is_empty() { kind.clone() } else { clean.into_owned() };
            }
        }
        for Track { name, .. } in &mut self.tracks {
            let clean = cleaner.name(name);
            if clean != name.as_str() {
                *name = clean.into_owned();
            }
        }
    }
}
