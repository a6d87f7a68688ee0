//! The loops that a caller of decoders, text dumps and passes owns.

use unspool_trace::batch::Name;
use unspool_trace::decoder::Range;
use unspool_trace::decoder::TextDump;
use unspool_trace::records::{Row, Rows};
use unspool_trace::{Decoder, Error, EventBatch, EventKind, Locator, Pass, Problem, Records, TrackDef, Want};

/// Events, problems and so on that are compared at most. A few bytes of a compressed trace can hold
/// any number.
const MOST: usize = 200_000;
/// Text that is compared at most, in bytes.
const MOST_TEXT: usize = 8 << 20;

/// Everything that a decoder delivers.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Delivered {
    pub(crate) events: Vec<(EventKind, u32, u64, u32, Locator)>,
    /// Where whole slices end.
    pub(crate) ends: Vec<u64>,
    pub(crate) tracks: Vec<TrackDef>,
    pub(crate) names: Vec<Name>,
    pub(crate) problems: Vec<Problem>,
    pub(crate) records: u64,
    pub(crate) error: Option<Error>,
}

impl Delivered {
    /// Takes all of a batch, and checks that it defines what it uses.
    pub(crate) fn take(&mut self, batch: &mut EventBatch) {
        for track in &batch.new_tracks {
            assert!(track.parent.is_none_or(|parent| (parent as usize) < self.tracks.len()), "a parent comes first");
            self.tracks.push(track.clone());
        }
        self.names.append(&mut batch.new_names);
        let mut ends = batch.ends.iter();
        for i in 0..batch.len() {
            let event = (batch.kinds[i], batch.tracks[i], batch.times[i], batch.names[i], batch.locators[i]);
            assert!((event.1 as usize) < self.tracks.len(), "the track of {event:?} is defined");
            match event.0 {
                EventKind::Whole => assert!(ends.next().is_some_and(|end| *end >= event.2), "{event:?} has an end"),
                EventKind::LastRecord
                | EventKind::StackLost
                | EventKind::Disordered
                | EventKind::Restart
                | EventKind::Sample => {}
                _ => assert!((event.3 as usize) < self.names.len(), "the name of {event:?} is defined"),
            }
            self.events.push(event);
        }
        assert!(ends.next().is_none(), "an end without a slice");
        self.ends.append(&mut batch.ends);
        self.problems.append(&mut batch.problems);
        self.records += batch.records;
        batch.clear();
    }

    /// Whether there is more than is worth comparing.
    pub(crate) fn is_huge(&self) -> bool {
        self.events.len().max(self.problems.len()).max(self.names.len()).max(self.tracks.len()) > MOST
    }
}

/// A file and what was read of it.
struct Input<'a> {
    file: &'a [u8],
    /// Offset of the first byte that is not used.
    here: usize,
    /// Offset of the first byte that was not passed on.
    filled: usize,
    turns: usize,
}

impl<'a> Input<'a> {
    fn new(file: &'a [u8]) -> Self {
        Self { file, here: 0, filled: 0, turns: 0 }
    }

    fn left(&self) -> &'a [u8] {
        self.file.get(self.here..self.filled).unwrap_or_default()
    }

    /// Goes where the decoder wants to be.
    fn follow(&mut self, want: Want) {
        self.turns += 1;
        assert!(self.turns < 1000 * (self.file.len() + 1000), "no progress at {}", self.here);
        if let Want::Seek { at, .. } = want {
            let at = usize::try_from(at).unwrap_or(usize::MAX).min(self.file.len());
            if at != self.here {
                (self.here, self.filled) = (at, at);
            }
        }
    }

    fn consume(&mut self, used: usize) {
        assert!(used <= self.filled - self.here, "uses what it was given");
        self.here += used;
    }

    /// Adds a portion. Returns false at the end of the file.
    fn fill(&mut self, portion: usize) -> bool {
        let before = self.filled;
        self.filled = self.filled.saturating_add(portion).min(self.file.len());
        self.filled > before
    }

    /// Drops what is left.
    fn clear(&mut self) {
        self.here = self.filled;
    }
}

/// Drives a decoder over a file, with batches of `capacity` events, as the engine does. Returns
/// `None` if there is more than is worth comparing.
pub(crate) fn decode(
    decoder: &mut dyn Decoder,
    file: &[u8],
    mut portion: impl FnMut() -> usize,
    capacity: usize,
) -> Option<Delivered> {
    let mut all = Delivered::default();
    let mut batch = EventBatch::with_capacity(capacity);
    let mut input = Input::new(file);
    loop {
        let want = decoder.want();
        if want == Want::Nothing {
            break;
        }
        input.follow(want);
        let pushed = decoder.push(input.left(), &mut batch);
        let full = batch.is_full();
        all.take(&mut batch);
        if all.is_huge() {
            return None;
        }
        let used = match pushed {
            Ok(progress) => progress.used,
            Err(error) => {
                assert_eq!(decoder.push(&[], &mut batch), Err(error), "an error stays");
                all.error = Some(error);
                break;
            }
        };
        input.consume(used);
        if used > 0 || full || decoder.want() != want || input.fill(portion()) {
            continue;
        }
        all.error = decoder.end(input.left(), &mut batch).err();
        input.clear();
        all.take(&mut batch);
        if all.error.is_some() {
            break;
        }
    }
    decoder.finish(&mut batch);
    all.take(&mut batch);
    Some(all)
}

/// A text dump.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Dumped {
    pub(crate) text: String,
    pub(crate) problems: Vec<Problem>,
    pub(crate) error: Option<Error>,
}

/// Drives a text dump over a file, as the engine does. Returns `None` if there is more than is
/// worth comparing.
pub(crate) fn dump(dump: &mut dyn TextDump, file: &[u8], mut portion: impl FnMut() -> usize) -> Option<Dumped> {
    let mut all = Dumped::default();
    let mut input = Input::new(file);
    loop {
        let want = dump.want();
        if want == Want::Nothing {
            return Some(all);
        }
        input.follow(want);
        let before = all.text.len();
        let pushed = dump.push(input.left(), &mut all.text);
        all.problems.extend(dump.take_problems());
        if all.text.len() > MOST_TEXT || all.problems.len() > MOST {
            return None;
        }
        let used = match pushed {
            Ok(progress) => progress.used,
            Err(error) => return Some(Dumped { error: Some(error), ..all }),
        };
        input.consume(used);
        if used > 0 || all.text.len() > before || dump.want() != want || input.fill(portion()) {
            continue;
        }
        all.error = dump.end(input.left(), &mut all.text).err();
        all.problems.extend(dump.take_problems());
        input.clear();
        if all.error.is_some() {
            return Some(all);
        }
    }
}

/// The records that a pass passes on, by lane and row, and the error that ends it.
pub(crate) fn pass(
    records: &dyn Records,
    pieces: std::ops::Range<u32>,
    file: &[u8],
    mut portion: impl FnMut() -> usize,
) -> (Vec<Row>, Option<Error>) {
    let mut rows = Vec::new();
    let mut error = None;
    for lane in 0..records.lanes().len() as u32 {
        let mut visitor = Rows::new(lane, 0..u64::MAX, 64, 64);
        let mut pass = records.pass(pieces.clone());
        error = read_all(&mut *pass, file, &mut portion, &mut visitor).err();
        rows.extend(visitor.into_rows());
    }
    (rows, error)
}

/// As [`unspool_records::memory::read_all`], but with portions of any sizes.
fn read_all(
    pass: &mut dyn Pass,
    file: &[u8],
    portion: &mut dyn FnMut() -> usize,
    visitor: &mut Rows,
) -> Result<(), Error> {
    let mut offered = 0_usize;
    let mut turns = 0;
    while let Some(range) = pass.want() {
        turns += 1;
        assert!(turns < 1000 * (file.len() + 1000), "no progress at {range:?}");
        let wanted = bytes(file, range);
        let given = wanted.get(..offered).unwrap_or(wanted);
        let used = pass.push(given, visitor)?;
        assert!(used <= given.len(), "uses what it was given");
        let is_stuck = used == 0 && pass.want() == Some(range);
        match is_stuck {
            true if given.len() == wanted.len() => pass.end(given, visitor)?,
            true => offered = offered.saturating_add(portion()),
            false => offered = offered.saturating_sub(used),
        }
    }
    Ok(())
}

/// The bytes of a range, as far as they exist.
pub(crate) fn bytes(file: &[u8], range: Range) -> &[u8] {
    let from = usize::try_from(range.at).unwrap_or(usize::MAX).min(file.len());
    let to = usize::try_from(range.at.saturating_add(range.len)).unwrap_or(usize::MAX).min(file.len());
    &file[from..to]
}
