//! Texts for what a trace names by number only: the ids and addresses of functions.
//!
//! A log of XRay has ids, traces of instructions have addresses, and trace-db traces have
//! statements. The texts are in other files, *companions* of the trace. Each of them becomes a
//! [`Naming`].
//!
//! # Names and companions
//!
//! A name's text can be given later, by its key. `naming` makes a table of texts by key out of a
//! *companion*, a file that adds to a trace (`Companion`, and `Format::companions` says which kinds
//! a format takes). `Store` shows names with these texts and keeps those of the file
//! (`store/texts.rs`); the digest is of the latter. Two keys with one text are shown with their
//! keys. The page hears of it by `renamed`, and everything that shows names follows
//! `Names.version`. Short names are beside these texts: the page shows them in drawings and tables
//! (`Names.shown`), and the store knows nothing of them. Companions are read by a wasm module of
//! their own (`crate/symbols`), which passes the table on as bytes. A binary is read in parts:
//! `Programs` says which bytes it needs, `web/trace/worker/binaries.ts` reads them from the file,
//! and a question whose bytes were missing (`Stop::Missing`) is repeated. `Programs` also decides
//! which binary names which functions, from the ids that the session has or from the addresses that
//! were called, to which it fits the binaries' bases (`bases.rs`, `placing.rs`; `docs/names.md`).
//! `web/page/opening.ts` decides what to do with files that were chosen together, by what a worker
//! says they are (`look`). Binaries also say which functions can call which (`calls.rs`): where the
//! store has calls without ends (`store/jumps.rs`), the trace is read again with that
//! (`Decoder::rule_out`), and the page opens it again for it (`again`). A write-ahead log is laid
//! over the database's pages (`web/trace/worker/wal.ts`) wherever it is read, so it comes with the
//! file: adding or removing it opens the file again.

mod file;

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::batch::Key;
use crate::bytes::to_bytes;
use crate::sort;
pub use file::{NamesFile, is_names_file};

/// A function, or another place in a program, with its text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Its id, its address, or the number of the statement.
    pub start: u64,
    /// How many addresses belong to it. 0 if only the first is known; an id has no more.
    pub size: u64,
    /// Its name. Never empty.
    pub text: String,
    /// Where its source is, such as `main.c:12`. Empty if unknown.
    pub source: String,
}

/// Texts by key, made from one companion.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Naming {
    /// Sorted by start, one for each.
    places: Vec<Place>,
}

/// What a [`Naming`] says about a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named<'a> {
    /// The place to which the key belongs.
    pub place: &'a Place,
    /// How far behind its start an address is.
    pub offset: u64,
    /// The key is that of a statement.
    pub is_statement: bool,
}

impl Naming {
    /// Bytes of memory.
    pub fn kept_bytes(&self) -> u64 {
        let texts = self.places.iter().map(|place| (place.text.len() + place.source.len()) as u64).sum::<u64>();
        crate::kept::list(&self.places) + texts
    }

    /// A table of these places. If several have the same start, the last is kept.
    pub fn new(mut places: Vec<Place>) -> Self {
        // Stable: the last in the file comes last.
        let order = sort::order(places.len(), &[&|at| places.get(at).map_or(0, |place| place.start)]);
        places = sort::in_order(places, &order);
        places.reverse();
        places.dedup_by_key(|place| place.start);
        places.reverse();
        Self { places }
    }

    /// The same places with other texts, in the order of those that `texts` receives.
    pub fn with_texts(mut self, texts: impl FnOnce(&[&str]) -> Vec<String>) -> Self {
        let old: Vec<&str> = self.places.iter().map(|place| place.text.as_str()).collect();
        let new = texts(&old);
        for (place, text) in self.places.iter_mut().zip(new) {
            place.text = text;
        }
        self
    }

    /// How many places there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// What it says about a key, if anything. An address inside a place belongs to it, an id only
    /// if it is the start.
    pub fn of(&self, key: Key) -> Option<Named<'_>> {
        let (number, is_address) = match key {
            Key::None => return None,
            Key::Id(id) => (u64::try_from(id).ok()?, false),
            Key::Address(address) => (address, true),
            Key::Statement(number) => (number, false),
        };
        let after = self.places.partition_point(|place| place.start <= number);
        let place = self.places.get(after.checked_sub(1)?)?;
        let offset = number - place.start;
        (offset == 0 || (is_address && offset < place.size)).then_some(Named {
            place,
            offset,
            is_statement: matches!(key, Key::Statement(_)),
        })
    }

    /// The table as bytes, for [`Naming::from_bytes`] of the same build.
    pub fn to_bytes(&self) -> Vec<u8> {
        to_bytes(self)
    }

    /// The table that [`Naming::to_bytes`] wrote. `None` for other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        postcard::from_bytes(bytes).ok()
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;
    use alloc::vec;

    use super::*;

    fn place(start: u64, size: u64, text: &str) -> Place {
        Place { start, size, text: text.to_string(), source: String::new() }
    }

    #[test]
    fn addresses_inside_a_place_belong_to_it_and_ids_do_not() {
        let naming = Naming::new(vec![place(0x40, 0x10, "b"), place(0x10, 0, "a"), place(0x40, 0x8, "c")]);
        assert_eq!(naming.len(), 2);
        let text = |key| naming.of(key).map(|it| (it.place.text.as_str(), it.offset));
        assert_eq!(text(Key::Address(0x10)), Some(("a", 0)));
        assert_eq!(text(Key::Address(0x11)), None);
        assert_eq!(text(Key::Address(0x40)), Some(("c", 0)));
        assert_eq!(text(Key::Address(0x47)), Some(("c", 7)));
        assert_eq!(text(Key::Address(0x48)), None);
        assert_eq!(text(Key::Address(0xf)), None);
        assert_eq!(text(Key::Id(0x40)), Some(("c", 0)));
        assert_eq!(text(Key::Id(0x41)), None);
        assert_eq!(text(Key::Id(-1)), None);
        assert_eq!(text(Key::None), None);
    }

    #[test]
    fn bytes_give_the_table_back() {
        let naming = Naming::new(vec![place(1, 2, "x"), place(u64::MAX, u64::MAX, "y")]);
        let bytes = naming.to_bytes();
        assert_eq!(Naming::from_bytes(&bytes), Some(naming.clone()));
        assert_eq!(Naming::from_bytes(&bytes[..bytes.len() - 1]), None);
        assert_eq!(naming.of(Key::Address(u64::MAX)).map(|it| it.offset), Some(0));
    }
}
