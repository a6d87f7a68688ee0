//! Parts of a trace as traces of their own.

use unspool_cut::clean::{Choice, Choices as Cleaned, Cleaner};
use unspool_cut::{CutOptions, Selection};
use unspool_formats::begin_cut;
use unspool_formats::xray::problems::{COPIED_BUFFER, CUT_BUFFER};
use unspool_trace::{Error, Limits, Probe, Problem};

use crate::choices::Choices;
use crate::drive;
use crate::file::format;

/// Bytes of a new file that are compared at most. A few bytes of a compressed trace can hold any
/// number.
const MOST: usize = 4 << 20;

/// A new file, and what was said of it.
#[derive(Clone, Debug, PartialEq)]
struct Stretch {
    file: Vec<u8>,
    records: u64,
    found: [u64; 4],
    problems: Vec<Problem>,
    error: Option<Error>,
}

/// A part is the same in any portions, it is a sound trace with as many records as were said, and a
/// part of all of it is itself.
pub(crate) fn stretched(file: &[u8]) {
    let mut choices = Choices::of(file);
    let keep = Cleaner::default();
    let all = (0, u64::MAX);
    let Some(whole) = cut_out(file, all, &keep, || usize::MAX) else { return };
    readable(&whole);
    let again = cut_out(&whole.file, all, &keep, || usize::MAX);
    // Buffers of XRay that have lost their clocks may be equal afterwards, and then count as one
    // that was written twice.
    let is_copy = |problem: &Problem| *problem.kind == COPIED_BUFFER;
    if let Some(again) = again.filter(|again| whole.records > 0 && !again.problems.iter().any(is_copy)) {
        assert_eq!((again.error, again.records), (None, whole.records), "records of a stretch of a stretch");
        // An incomplete point at the end of a trace-db stays as it is. Where an XRay log has lost
        // records, its part has a buffer that ends too early, whatever the damage was: so nothing
        // is known of the same stretch.
        let has_gap = !whole.problems.is_empty();
        let is_old = |problem: &Problem| {
            whole.problems.iter().any(|known| known.kind == problem.kind) || has_gap && *problem.kind == CUT_BUFFER
        };
        assert!(again.problems.iter().all(is_old), "{:?}", again.problems);
        assert!(again.file == whole.file, "a stretch of all of a stretch");
    }
    let (a, b) = match choices.below(3) {
        0 => (choices.extreme(), choices.extreme()),
        _ => (choices.below(200), choices.below(200)),
    };
    let range = (a.min(b), a.max(b));
    let kind = |number: u64| [Choice::Keep, Choice::Hash, Choice::Omit][number as usize];
    let [environment, paths, texts, payloads] = [(); 4].map(|()| kind(choices.below(3)));
    let cleaner = Cleaner::new(Cleaned { environment, paths, texts, payloads }, *b"0123456789abcdef");
    let range = if choices.below(2) == 0 { all } else { range };
    let Some(cleaned) = cut_out(file, range, &cleaner, || usize::MAX) else { return };
    let parts = cut_out(file, range, &cleaner, || choices.portion());
    assert!(
        parts.as_ref() == Some(&cleaned),
        "{range:?} depends on portions: {:?} and {:?}",
        said(&cleaned),
        parts.as_ref().map(said)
    );
    assert!(cleaned.records <= whole.records, "{} of {} records", cleaned.records, whole.records);
    assert!(range != all || cleaned.records == whole.records, "cleaning leaves records");
    readable(&cleaned);
}

fn said(stretch: &Stretch) -> (usize, u64, [u64; 4], Option<Error>) {
    (stretch.file.len(), stretch.records, stretch.found, stretch.error)
}

/// `None` if the file cannot be cut, or there is more than is worth comparing.
fn cut_out(
    file: &[u8],
    (from, to): (u64, u64),
    cleaner: &Cleaner,
    mut portion: impl FnMut() -> usize,
) -> Option<Stretch> {
    let head = file.get(..64 << 10).unwrap_or(file);
    let tail = file.get(file.len().saturating_sub(64 << 10)..).unwrap_or(file);
    let size = file.len() as u64;
    let options = CutOptions {
        from,
        to,
        size: Some(size),
        limits: Limits::DEFAULT,
        cleaner: cleaner.clone(),
        only: None,
        texts: Selection::default(),
    };
    let mut cut = begin_cut(&Probe { head, tail, size, name: "" }, options)?.ok()?;
    let mut all = Stretch { file: Vec::new(), records: 0, found: [0; 4], problems: Vec::new(), error: None };
    let (mut used, mut filled) = (0, 0);
    while !cut.is_done() {
        let before = all.file.len();
        let pushed = cut.push(file.get(used..filled).unwrap_or_default(), &mut all.file);
        all.problems.extend(cut.take_problems());
        let progress = match pushed {
            Ok(progress) => progress.used,
            Err(error) => {
                all.error = Some(error);
                break;
            }
        };
        assert!(progress <= filled - used, "uses what it was given");
        used += progress;
        if all.file.len() > MOST || all.problems.len() > MOST {
            return None;
        }
        if progress == 0 && all.file.len() == before {
            if filled == file.len() {
                break;
            }
            filled = filled.saturating_add(portion()).min(file.len());
        }
    }
    let ended = cut.end(file.get(used..filled).unwrap_or_default(), &mut all.file);
    all.error = all.error.or(ended.err());
    all.problems.extend(cut.take_problems());
    if let Some(head) = cut.head() {
        all.file.get_mut(..head.len())?.copy_from_slice(&head);
    }
    (all.records, all.found) = (cut.records(), cut.cleaner().found());
    Some(all)
}

/// The decoder of its format finds nothing wrong with a new file.
fn readable(stretch: &Stretch) {
    if stretch.records == 0 {
        return;
    }
    let probe = Probe { head: &stretch.file, tail: &[], size: stretch.file.len() as u64, name: "" };
    let (found, _) = unspool_formats::recognise(&probe).unwrap_or_else(|| panic!("a stretch is of its format"));
    let options = unspool_trace::OpenOptions { size: Some(probe.size), ..Default::default() };
    let opened = (format(found.id).open)(&stretch.file, options);
    let mut decoder = opened.unwrap_or_else(|error| panic!("{error}")).stream().unwrap_or_else(|| panic!("a stream"));
    let Some(delivered) = drive::decode(&mut *decoder, &stretch.file, || usize::MAX, 1 << 16) else { return };
    assert_eq!(delivered.error, None, "a stretch is complete");
}
