//! Companions of a trace that name functions.

use unspool_trace::batch::Key;
use unspool_trace::{Companion, NamesFile, Naming, Probe};

use crate::choices::Choices;

/// Every name is found by its key, and crosses to the session as bytes.
pub(crate) fn read(bytes: &[u8]) {
    let head = &bytes[..bytes.len().min(64 * 1024)];
    let size = bytes.len() as u64;
    let _ = Companion::recognise(&Probe { head, tail: head, size, name: "names.txt" });
    let file = NamesFile::read(bytes);
    let lines = bytes.split(|byte| *byte == b'\n').count() as u64;
    assert!(file.skipped + file.naming.len() as u64 <= lines);
    assert!(file.first_skipped <= lines && (file.first_skipped > 0) == (file.skipped > 0));
    let crossed = file.naming.to_bytes();
    assert!(Naming::from_bytes(&crossed).as_ref() == Some(&file.naming), "crosses as bytes");
    // What is not a table is refused, or gives another one.
    let _ = Naming::from_bytes(bytes);
    let _ = Naming::from_bytes(&crossed[..Choices::of(bytes).index(crossed.len())]);
    let mut choices = Choices::of(bytes);
    for _ in 0..50 {
        let number = choices.extreme();
        for key in [Key::None, Key::Id(number as i64), Key::Address(number)] {
            if let Some(named) = file.naming.of(key) {
                assert!(!named.place.text.is_empty());
                assert!(named.offset == 0 || named.offset < named.place.size);
                assert_eq!(named.place.start + named.offset, number);
            }
        }
    }
}
