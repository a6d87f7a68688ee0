//! Files in memory for readers that have an index.

use core::cell::RefCell;

use unspool_formats::FORMATS;
use unspool_records::ByteSource;
use unspool_records::memory::index_of;
use unspool_trace::Format;

use crate::choices::Choices;

/// The format with an id.
pub(crate) fn format(id: &str) -> &'static Format {
    FORMATS.iter().find(|format| format.id == id).unwrap_or_else(|| panic!("no format {id}"))
}

/// The index that the decoder of a format makes of a file. `None` if the format refuses it.
pub(crate) fn index(id: &str, file: &[u8]) -> Option<Vec<u8>> {
    index_of(format(id), file)
}

/// A file that gives fewer bytes than it is asked for.
pub(crate) struct Slow<'a> {
    file: &'a [u8],
    choices: RefCell<Choices>,
}

impl<'a> Slow<'a> {
    pub(crate) fn new(file: &'a [u8], choices: &Choices) -> Self {
        Self { file, choices: RefCell::new(choices.clone()) }
    }
}

impl ByteSource for Slow<'_> {
    fn read_at(&self, at: u64, buffer: &mut [u8]) -> Option<usize> {
        let portion = self.choices.borrow_mut().portion();
        let rest = usize::try_from(at).ok().and_then(|at| self.file.get(at..)).unwrap_or_default();
        let n = rest.len().min(buffer.len()).min(portion);
        buffer.get_mut(..n)?.copy_from_slice(rest.get(..n)?);
        Some(n)
    }
}
