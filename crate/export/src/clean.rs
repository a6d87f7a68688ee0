//! Names of a trace that should not leave.

use unspool_cut::clean::Cleaner;
use unspool_trace::TrackDef;
use unspool_trace::batch::{Name, SliceKind};

use crate::Trace;

impl Trace {
    /// Hashes or leaves out paths among the names of slices and tracks, and names that are texts of
    /// the program or payloads.
    pub fn clean(&mut self, cleaner: &mut Cleaner) {
        for Name { text, kind, .. } in &mut self.names {
            let clean = match kind {
                SliceKind::Group | SliceKind::Marker => cleaner.text(text),
                SliceKind::Event => cleaner.payload_text(text),
                _ => cleaner.name(text),
            };
            if clean != text.as_str() {
                // Something without a name could not be told from others.
                *text = if clean.is_empty() { kind.word().into() } else { clean.into_owned() };
            }
        }
        for TrackDef { name, .. } in &mut self.head.tracks {
            let clean = cleaner.name(name);
            if clean != name.as_str() {
                *name = clean.into_owned();
            }
        }
    }
}
