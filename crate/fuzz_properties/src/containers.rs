//! Compressed streams and archives.

use unspool_archives::{Entry, Fault, Kind, Listing, Random, Stream, content, list};
use unspool_containers::{Buffer, Container, PIECE};
use unspool_trace::{Limits, Problem};

use crate::choices::Choices;

/// Bytes that are unpacked at most: a few bytes can hold any number.
const MOST: usize = 16 << 20;

/// The containers of apitrace give the same bytes and the same problem in any portions.
pub(crate) fn in_a_trace(file: &[u8]) {
    let container = Container::of(file);
    let mut choices = Choices::of(file);
    let Some(whole) = unpack(container, file, || usize::MAX) else { return };
    let parts = unpack(container, file, || choices.portion()).unwrap_or_else(|| panic!("as many bytes in portions"));
    assert_eq!(whole.1, parts.1, "{container:?}");
    assert!(whole.0 == parts.0, "{container:?}: {} bytes, and {} in portions", whole.0.len(), parts.0.len());
}

/// `None` if there is more than is worth comparing.
fn unpack(container: Container, file: &[u8], mut portion: impl FnMut() -> usize) -> Option<(Vec<u8>, Option<Problem>)> {
    let mut unpacker = container.unpacker(&Limits::DEFAULT);
    let mut all = Vec::new();
    let mut out = Buffer::default();
    let (mut from, mut to, mut ended) = (0, 0, false);
    loop {
        let unpacked = unpacker.unpack(&file[from..to], &mut out);
        let added = out.data().len();
        assert!(container == Container::Snappy || added <= PIECE, "{container:?}: {added} bytes at once");
        all.extend_from_slice(out.data());
        out.consume(added);
        if all.len() > MOST {
            return None;
        }
        let taken = match unpacked {
            Ok(taken) => taken,
            Err(problem) => return Some((all, Some(problem))),
        };
        assert!(taken <= to - from, "takes what it was given");
        from += taken;
        if taken > 0 || added > 0 {
            continue;
        }
        if to == file.len() {
            if ended {
                break;
            }
            unpacker.last();
            ended = true;
        }
        to = to.saturating_add(portion()).min(file.len());
    }
    let problem = unpacker.finish(&mut out).err();
    all.extend_from_slice(out.data());
    Some((all, problem))
}

/// Compressed streams and archives give the same bytes and the same fault in any portions, and
/// faults are in the file.
pub(crate) fn around_a_trace(file: &[u8]) {
    // Brotli has no magic number.
    let kind = Kind::of(file, "").unwrap_or(Kind::Brotli);
    let mut choices = Choices::of(file);
    if kind.is_archive() {
        return archive(kind, file, &mut choices);
    }
    if let (Some(stream), Some(again)) = (Stream::new(kind), Stream::new(kind)) {
        same(kind, [stream, again], file, &mut choices);
    }
}

fn archive(kind: Kind, file: &[u8], choices: &mut Choices) {
    let mut random = File(file);
    let Listing { entries, fault, .. } = list(kind, &mut random);
    assert!(fault.is_none_or(|fault| fault.at <= file.len() as u64));
    for entry in entries.iter().take(20) {
        let found = content(kind, &mut random, entry);
        let Ok((at, len)) = found else { continue };
        assert!(at.saturating_add(len) <= file.len() as u64 || len == 0, "{entry:?}: {at}, {len}");
        let packed = random.read(at, len as usize).unwrap_or_default();
        let open = |entry: &Entry| Stream::of_entry(entry);
        if let (Some(stream), Some(again)) = (open(entry), open(entry)) {
            same(kind, [stream, again], &packed, choices);
        }
    }
}

fn same(kind: Kind, [stream, again]: [Stream; 2], packed: &[u8], choices: &mut Choices) {
    let Some(whole) = unpacked(stream, packed, || usize::MAX) else { return };
    let parts = unpacked(again, packed, || choices.portion()).unwrap_or_else(|| panic!("as many bytes in portions"));
    assert_eq!(whole.1, parts.1, "{kind:?}");
    assert!(whole.0 == parts.0, "{kind:?}: {} bytes, and {} in portions", whole.0.len(), parts.0.len());
    assert!(whole.1.is_none_or(|fault| fault.at <= packed.len() as u64), "{:?} of {}", whole.1, packed.len());
}

/// `None` if there is more than is worth comparing.
fn unpacked(mut stream: Stream, packed: &[u8], mut portion: impl FnMut() -> usize) -> Option<(Vec<u8>, Option<Fault>)> {
    let mut all = Vec::new();
    let mut rest = packed;
    loop {
        let before = all.len();
        all.extend_from_slice(stream.unpack());
        if all.len() > MOST {
            return None;
        }
        if all.len() > before {
            continue;
        }
        if stream.is_over() {
            return Some((all, stream.fault()));
        }
        if rest.is_empty() {
            stream.end();
            continue;
        }
        let (next, after) = rest.split_at(portion().min(rest.len()));
        stream.push(next);
        rest = after;
    }
}

/// A file in memory.
struct File<'a>(&'a [u8]);

impl Random for File<'_> {
    fn size(&self) -> u64 {
        self.0.len() as u64
    }

    fn read(&mut self, at: u64, len: usize) -> Option<Vec<u8>> {
        let rest = usize::try_from(at).ok().and_then(|at| self.0.get(at..)).unwrap_or_default();
        Some(rest.get(..len).unwrap_or(rest).to_vec())
    }
}
