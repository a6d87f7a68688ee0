//! Contents of buffers at a call: what the program gave them, and what calls copied between them.

use hashbrown::HashMap;
use unspool_gl::gl;
use unspool_records::{ByteSource, Unreadable};

use super::contents::{Contents, Functions, read};
use super::{Kind, MOST_EVENTS, Resources};
use crate::known::Known;
use crate::reader::CallVisitor;
use unspool_gl::call::{Call, Value};

/// Limit for the bytes of a buffer, and of all buffers that it was copied from.
const MOST_BYTES: u64 = 1 << 30;
/// Limit for the number of buffers that a buffer was copied from, over others.
const MOST_SOURCES: usize = 64;

/// A call that changes a buffer other than by an upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The call.
    pub call: u64,
    /// Its effect.
    pub does: Does,
}

/// The effect of a call on a buffer, besides uploads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// It copies from a buffer, by position in [`Resources::all`]. `None` if none is bound.
    Copy(Option<u32>),
    /// It fills the buffer with a value.
    Clear,
    /// It leaves contents undefined: all, or a part.
    Forget,
    /// It has the graphics processor write the buffer: all of it, as far as is known.
    Write,
    /// It binds the buffer where shaders may write to it.
    Expose,
}

/// Ranges of bytes, in order and apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranges(Vec<(usize, usize)>);

impl Ranges {
    /// Adds or removes a range.
    fn set(&mut self, from: usize, to: usize, is_in: bool) {
        if from >= to {
            return;
        }
        // Those that end before `from`, or begin after `to`, stay as they are.
        let first = self.0.partition_point(|range| range.1 < from);
        let last = self.0.partition_point(|range| range.0 <= to).max(first);
        let touched = self.0.get(first..last).unwrap_or_default();
        let begin = touched.first().map_or(from, |range| range.0);
        let end = touched.last().map_or(to, |range| range.1);
        let new: Vec<(usize, usize)> = if is_in {
            vec![(begin.min(from), end.max(to))]
        } else {
            [(begin, from), (to, end)].into_iter().filter(|(a, b)| a < b).collect()
        };
        self.0.splice(first..last, new);
    }

    /// Whether a range is in one of them.
    pub fn has(&self, from: usize, to: usize) -> bool {
        let next = self.0.partition_point(|range| range.1 < to);
        self.0.get(next).is_some_and(|range| range.0 <= from && to <= range.1)
    }

    /// The begin and the end of each, in order.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize)> {
        self.0.iter().copied()
    }

    /// The number of bytes in them.
    pub fn len(&self) -> usize {
        self.0.iter().map(|(from, to)| to - from).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The ranges within a range, relative to its begin.
    fn within(&self, from: usize, to: usize) -> Vec<(usize, usize)> {
        let inside = self.0.iter().map(|(a, b)| (*a.max(&from), *b.min(&to)));
        inside.filter(|(a, b)| a < b).map(|(a, b)| (a - from, b - from)).collect()
    }
}

/// A buffer after a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BufferAt {
    /// Its bytes. Those that are not known are 0.
    pub bytes: Vec<u8>,
    /// Which of them are known to be what calls gave it.
    pub known: Ranges,
    /// The call that gave it its size. `None` if it has none yet.
    pub sized: Option<u64>,
    /// Calls that let the graphics processor write it.
    pub gpu: GpuWrites,
    /// Calls that let the graphics processor write a buffer that its bytes were copied from,
    /// directly or by way of others.
    pub sources: GpuWrites,
    /// It has more bytes than are kept.
    pub is_cut: bool,
}

/// Calls that let the graphics processor write a buffer. What it wrote is not in a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GpuWrites {
    /// The latest that had it write the buffer, unless all bytes are known again.
    pub written: Option<u64>,
    /// The latest that bound the buffer where shaders or queries may write to it. Whether they do
    /// is not known, so that its bytes count as known.
    pub exposed: Option<u64>,
}

impl GpuWrites {
    /// Adds calls that are later.
    fn add(&mut self, other: Self) {
        self.written = self.written.max(other.written);
        self.exposed = self.exposed.max(other.exposed);
    }
}

/// Targets of which the graphics processor writes what is bound to them.
const EXPOSING: [u32; 3] = [gl::SHADER_STORAGE_BUFFER, gl::ATOMIC_COUNTER_BUFFER, gl::QUERY_BUFFER];

impl Resources {
    /// Notes a change of a buffer. Nothing of other resources.
    pub(super) fn changed(&mut self, buffer: u32, call: u64, does: Does) {
        if self.events >= MOST_EVENTS {
            self.is_full = true;
            return;
        }
        if let Some(it) = self.all.get_mut(buffer as usize).filter(|it| it.kind == Kind::Buffer) {
            it.changes.push(Change { call, does });
            self.events += 1;
        }
    }

    /// Notes that a buffer is bound where the graphics processor can write to it.
    pub(super) fn exposed(&mut self, buffer: u32, target: u32, call: u64) {
        if EXPOSING.contains(&target) {
            self.changed(buffer, call, Does::Expose);
        }
    }
}

impl<S: ByteSource> Contents<'_, S> {
    /// A buffer after a call.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn buffer_at(&mut self, resource: u32, call: u64) -> Result<BufferAt, Unreadable> {
        let resources = self.resources;
        if resources.all.get(resource as usize).is_none_or(|it| it.kind != Kind::Buffer) {
            return Ok(BufferAt::default());
        }
        let steps = steps(resources, resource, call);
        let mut visitor =
            BufferVisitor { steps: &steps, functions: Functions::default(), buffers: HashMap::new(), held: 0 };
        read(self.reader, steps.iter().map(|step| step.call), &mut visitor)?;
        Ok(visitor.buffers.remove(&resource).unwrap_or_default())
    }
}

/// A call, and its effect on a buffer.
#[derive(Clone, Copy, Debug)]
struct Step {
    call: u64,
    buffer: u32,
    does: Work,
}

#[derive(Clone, Copy, Debug)]
enum Work {
    /// It gives it contents. Of a copy to a mapped buffer: where in the buffer it begins.
    Upload(u64),
    Change(Does),
}

/// The steps up to a call of a buffer, and of those that it was copied from.
fn steps(resources: &Resources, buffer: u32, call: u64) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut wanted = vec![buffer];
    let mut next = 0;
    while let Some(buffer) = wanted.get(next).copied() {
        next += 1;
        let Some(it) = resources.all.get(buffer as usize) else { continue };
        let uploads = it.uploads.iter().take_while(|upload| upload.call <= call);
        steps.extend(uploads.map(|upload| Step { call: upload.call, buffer, does: Work::Upload(upload.offset) }));
        for change in it.changes.iter().take_while(|change| change.call <= call) {
            steps.push(Step { call: change.call, buffer, does: Work::Change(change.does) });
            if let Does::Copy(Some(from)) = change.does
                && wanted.len() < MOST_SOURCES
                && !wanted.contains(&from)
            {
                wanted.push(from);
            }
        }
    }
    steps.sort_by_key(|step| step.call);
    steps
}

struct BufferVisitor<'a> {
    /// Ascending.
    steps: &'a [Step],
    functions: Functions,
    buffers: HashMap<u32, BufferAt>,
    /// Bytes of all buffers.
    held: u64,
}

impl BufferVisitor<'_> {
    fn of(&self, call: u64) -> &[Step] {
        let from = self.steps.partition_point(|step| step.call < call);
        let to = self.steps.partition_point(|step| step.call <= call);
        self.steps.get(from..to).unwrap_or_default()
    }

    /// An upload, which may give the buffer its size.
    fn upload(&mut self, call: &Call, known: &Known, buffer: u32, mapped_offset: u64) {
        let is_whole = known.canonical.ends_with("BufferData") || known.canonical.ends_with("BufferStorage");
        let Some([offset, size]) = numbers(call, known, ["offset", "size"]) else { return };
        let held = &mut self.held;
        let it = self.buffers.entry(buffer).or_default();
        if let Some(size) = size.filter(|_| is_whole) {
            *held -= it.bytes.len() as u64;
            let kept = size.min(MOST_BYTES.saturating_sub(*held));
            *held += kept;
            it.bytes.clear();
            it.bytes.resize(kept as usize, 0);
            (it.known, it.sized, it.is_cut) = (Ranges::default(), Some(call.number), kept < size);
            (it.gpu.written, it.sources) = (None, GpuWrites::default());
        }
        let (data, offset) = match known.canonical.as_str() {
            "memcpy" => (known.arg(call, "src"), mapped_offset),
            _ if is_whole => (known.arg(call, "data"), 0),
            _ => (known.arg(call, "data"), offset.unwrap_or_default()),
        };
        let Value::Bytes(from, len) = data else { return };
        it.put(place(offset), from, len);
    }

    fn change(&mut self, call: &Call, known: &Known, buffer: u32, does: Does) {
        match does {
            Does::Copy(from) => self.copy(call, known, buffer, from),
            Does::Clear | Does::Forget => {
                let Some([offset, size, length]) = numbers(call, known, ["offset", "size", "length"]) else { return };
                let Some(it) = self.buffers.get_mut(&buffer) else { return };
                let size = size.or(length).filter(|_| !is_all(call, known));
                let from = if size.is_some() { place(offset.unwrap_or_default()) } else { 0 };
                let to = size.map_or(it.bytes.len(), |size| from.saturating_add(place(size)));
                let pattern = (does == Does::Clear).then(|| pattern(call, known)).flatten();
                if it.fits(to) {
                    it.fill(from, to, pattern);
                }
            }
            Does::Write => {
                let it = self.buffers.entry(buffer).or_default();
                it.forget(0, usize::MAX);
                it.gpu.written = Some(call.number);
            }
            Does::Expose => self.buffers.entry(buffer).or_default().gpu.exposed = Some(call.number),
        }
    }

    /// A copy, which takes over what is known of its source then.
    fn copy(&mut self, call: &Call, known: &Known, buffer: u32, from: Option<u32>) {
        let parameters = ["readOffset", "writeOffset", "size"];
        let Some(found) = numbers(call, known, parameters) else { return };
        let [first, at, size] = found.map(|number| place(number.unwrap_or_default()));
        let end = first.saturating_add(size);
        let source = from.and_then(|from| self.buffers.get(&from));
        // One that reads beyond its source is an error, and changes nothing.
        if source.is_some_and(|source| source.sized.is_some() && !source.fits(end)) {
            return;
        }
        let copied = source.and_then(|source| {
            let ranges = source.known.within(first, end);
            Some((source.bytes.get(first..end)?.to_vec(), ranges, source.doubts(first, end)))
        });
        let Some(it) = self.buffers.get_mut(&buffer).filter(|it| it.fits(at.saturating_add(size))) else { return };
        match copied {
            Some((bytes, ranges, doubts)) => {
                it.put_ranges(at, &bytes, &ranges);
                it.sources.add(doubts);
            }
            // It is beyond what is kept.
            None => it.forget(at, at.saturating_add(size)),
        }
    }
}

/// Numbers of a call by their parameters, `None` for those that it lacks. `None` if one is
/// negative: the call is an error then, and changes nothing.
fn numbers<const N: usize>(call: &Call, known: &Known, parameters: [&str; N]) -> Option<[Option<u64>; N]> {
    let found = parameters.map(|parameter| known.int(call, parameter));
    let is_error = found.iter().flatten().any(|number| *number < 0);
    (!is_error).then(|| found.map(|number| number.map(|number| number as u64)))
}

/// A number as a place in a buffer. One beyond memory is beyond each buffer.
fn place(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// The bytes that a call clears a buffer with. `None` if they are converted to the internal format,
/// which is not done here.
fn pattern<'a>(call: &'a Call, known: &Known) -> Option<&'a [u8]> {
    match known.arg(call, "data") {
        // OpenGL 4.6, 6.2.1: a null pointer fills it with zeros.
        Value::Null => Some(&[0]),
        Value::Bytes(bytes, len) if !bytes.is_empty() && bytes.len() as u64 == len => {
            let uint = |parameter: &str| known.uint(call, parameter).unwrap_or_default();
            let (internal, format, of) = (uint("internalformat"), uint("format"), uint("type"));
            let components = |formats: [u32; 4]| formats.iter().position(|other| *other == format);
            let is_same = SAME.iter().any(|(kind, formats, internals)| {
                *kind == of && components(*formats).and_then(|at| internals.get(at)) == Some(&internal)
            });
            is_same.then_some(bytes)
        }
        _ => None,
    }
}

const FORMATS: [u32; 4] = [gl::RED, gl::RG, gl::RGB, gl::RGBA];
const INTEGERS: [u32; 4] = [gl::RED_INTEGER, gl::RG_INTEGER, gl::RGB_INTEGER, gl::RGBA_INTEGER];
/// Types and formats of values, and internal formats that hold them as they are. There are none
/// with three components of less than 32 bits: OpenGL 4.6, table 8.16.
const SAME: [(u32, [u32; 4], [u32; 4]); 6] = [
    (gl::FLOAT, FORMATS, [gl::R32F, gl::RG32F, gl::RGB32F, gl::RGBA32F]),
    (gl::INT, INTEGERS, [gl::R32I, gl::RG32I, gl::RGB32I, gl::RGBA32I]),
    (gl::UNSIGNED_INT, INTEGERS, [gl::R32UI, gl::RG32UI, gl::RGB32UI, gl::RGBA32UI]),
    (gl::UNSIGNED_SHORT, INTEGERS, [gl::R16UI, gl::RG16UI, u32::MAX, gl::RGBA16UI]),
    (gl::UNSIGNED_BYTE, INTEGERS, [gl::R8UI, gl::RG8UI, u32::MAX, gl::RGBA8UI]),
    (gl::UNSIGNED_BYTE, FORMATS, [gl::R8, gl::RG8, u32::MAX, gl::RGBA8]),
];

/// Whether a call that maps a range makes all of the buffer undefined, not only the range.
fn is_all(call: &Call, known: &Known) -> bool {
    known.uint(call, "access").is_some_and(|access| access & gl::MAP_INVALIDATE_BUFFER_BIT != 0)
}

impl BufferAt {
    /// Whether a write up to a place may be one without an error.
    fn fits(&self, end: usize) -> bool {
        end <= self.bytes.len() || self.is_cut
    }

    /// The calls that let the graphics processor write, as a copy of a range takes them over.
    fn doubts(&self, from: usize, to: usize) -> GpuWrites {
        let mut all = self.gpu;
        all.add(self.sources);
        if self.known.has(from, to) { GpuWrites { written: None, ..all } } else { all }
    }

    /// Writes `len` bytes, of which `bytes` are recorded. Writes that do not fit are errors, and
    /// change nothing.
    fn put(&mut self, at: usize, bytes: &[u8], len: u64) {
        let end = at.saturating_add(place(len));
        if !self.fits(end) {
            return;
        }
        self.forget(at, end);
        self.put_ranges(at, bytes, &[(0, bytes.len())]);
    }

    /// Writes bytes of which these ranges are known.
    fn put_ranges(&mut self, at: usize, bytes: &[u8], known: &[(usize, usize)]) {
        let end = at.saturating_add(bytes.len());
        if !self.fits(end) {
            return;
        }
        self.forget(at, end);
        for (from, to) in known {
            let (begin, end) = (at.saturating_add(*from), at.saturating_add(*to).min(self.bytes.len()));
            let Some(place) = self.bytes.get_mut(begin..end) else { continue };
            for (to, from) in place.iter_mut().zip(bytes.iter().skip(*from)) {
                *to = *from;
            }
            self.know(begin, end);
        }
    }

    /// Fills a range with a pattern; with `None`, its contents are no longer known.
    fn fill(&mut self, from: usize, to: usize, pattern: Option<&[u8]>) {
        self.forget(from, to);
        let to = to.min(self.bytes.len());
        let (Some(pattern), Some(place)) = (pattern, self.bytes.get_mut(from..to)) else { return };
        for (to, from) in place.iter_mut().zip(pattern.iter().cycle()) {
            *to = *from;
        }
        self.know(from, to);
    }

    /// The contents of a range are known.
    fn know(&mut self, from: usize, to: usize) {
        self.known.set(from, to, true);
        if self.known.has(0, self.bytes.len()) {
            (self.gpu.written, self.sources.written) = (None, None);
        }
    }

    /// The contents of a range are no longer known.
    fn forget(&mut self, from: usize, to: usize) {
        let to = to.min(self.bytes.len());
        if let Some(bytes) = self.bytes.get_mut(from..to) {
            bytes.fill(0);
        }
        self.known.set(from, to, false);
        if from == 0 && to == self.bytes.len() {
            self.sources = GpuWrites::default();
        }
    }
}

impl CallVisitor for BufferVisitor<'_> {
    fn function(&mut self, name: &str) -> Option<u32> {
        Some(self.functions.number(name))
    }

    fn wants(&mut self, number: u64, _function: u32) -> bool {
        !self.of(number).is_empty()
    }

    fn call(&mut self, call: &Call) {
        let functions = core::mem::take(&mut self.functions);
        if let Some(known) = functions.known.get(call.function as usize) {
            for Step { buffer, does, .. } in self.of(call.number).to_vec() {
                match does {
                    Work::Upload(offset) => self.upload(call, known, buffer, offset),
                    Work::Change(does) => self.change(call, known, buffer, does),
                }
            }
        }
        self.functions = functions;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_join_and_are_cut() {
        let mut ranges = Ranges::default();
        ranges.set(4, 8, true);
        ranges.set(12, 16, true);
        ranges.set(8, 12, true);
        assert_eq!(ranges.0, [(4, 16)]);
        ranges.set(6, 7, false);
        assert_eq!(ranges.0, [(4, 6), (7, 16)]);
        assert!(ranges.has(4, 6) && !ranges.has(5, 8) && ranges.has(7, 16) && !ranges.has(15, 17));
        assert_eq!((ranges.len(), ranges.within(5, 8)), (11, vec![(0, 1), (2, 3)]));
        ranges.set(0, 20, false);
        assert!(ranges.is_empty());
        ranges.set(3, 3, true);
        assert!(ranges.is_empty());
    }

    /// Compared with a list of flags.
    #[test]
    fn ranges_are_as_flags() {
        let (mut ranges, mut flags, mut seed) = (Ranges::default(), [false; 40], 7_u32);
        for _ in 0..4000 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let (a, b) = ((seed >> 8) as usize % 40, (seed >> 16) as usize % 40);
            let is_in = seed >> 31 == 0;
            ranges.set(a, b, is_in);
            flags.iter_mut().take(b).skip(a).for_each(|flag| *flag = is_in);
            let expected: Vec<bool> = (0..40).map(|at| ranges.has(at, at + 1)).collect();
            assert_eq!(expected, flags);
        }
    }

    #[test]
    fn writes_that_do_not_fit_change_nothing() {
        let mut at = BufferAt { bytes: vec![0; 4], ..BufferAt::default() };
        at.put(2, &[1, 2, 3], 3);
        assert!(at.known.is_empty());
        at.put(1, &[1, 2, 3], 3);
        assert_eq!((&at.bytes[..], at.known.has(1, 4)), (&[0, 1, 2, 3][..], true));
        at.forget(2, 9);
        assert_eq!((&at.bytes[..], at.known.len()), (&[0, 1, 0, 0][..], 1));
        at.put(usize::MAX, &[9], 1);
        at.put_ranges(3, &[9, 9], &[(0, 2)]);
        assert_eq!((&at.bytes[..], at.known.len()), (&[0, 1, 0, 0][..], 1));
    }
}
