//! The values of one trace, asked in turns: reads the trace as far as a question needs it, and keeps what fits.

use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use hashbrown::HashMap;
use unspool_formats::Limits;
use unspool_formats::trace_db::Places;
use unspool_formats::trace_db::wire::{Number as Raw, Tables};

use crate::columns::{Dictionary, Segment, Value};
use crate::load::Loader;
use crate::run::{Match, Run};
use crate::syntax::{Fault, Query};

/// Bytes of segments that are kept for the next question.
const MOST_KEPT: usize = 768 << 20;
/// Points that are listed, as many as of other searches.
const MOST_LISTED: u64 = 1 << 20;
/// Different texts of results.
const MOST_TEXTS: usize = 1 << 17;
/// No text.
const NONE: u32 = u32::MAX;
/// Bytes of a value in the text of a result.
const MOST_BYTES: usize = 24;

/// What a step has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It needs bytes: [`Values::wants`].
    NeedsBytes,
    /// There is more to do.
    More,
    /// The question is answered.
    Done,
}

/// Points that were found, as columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundPoints {
    /// Numbers of points.
    pub x: Vec<u64>,
    /// Their tracks.
    pub track: Vec<u32>,
    /// Absolute offsets of their first entries.
    pub at: Vec<u64>,
    /// Numbers of the texts that say what the free variables stand for, among all texts of the question; 2^32 - 1 for none.
    pub matched: Vec<u32>,
    /// Texts that are new.
    pub texts: Vec<String>,
}

/// The values of a trace.
pub struct Values {
    places: Places,
    loader: Loader,
    /// Bytes of the file that were pushed.
    position: u64,
    is_loaded: bool,
    segments: VecDeque<Segment>,
    /// The number of the first of them, and their size in bytes.
    base: u64,
    kept: usize,
    most: usize,
    asked: Option<Asked>,
}

/// A question.
struct Asked {
    run: Run,
    found: Found,
    /// The number of the next segment.
    next: u64,
    /// All points are counted first, so that one can be picked.
    is_counting: bool,
}

struct Found {
    columns: FoundPoints,
    /// What the query calls its free variables.
    names: Vec<String>,
    texts: HashMap<String, u32>,
    /// Points found, and the latest one.
    count: u64,
    latest: Option<u64>,
    text: String,
}

impl Values {
    /// Nothing has been read yet.
    pub fn new(places: Places) -> Self {
        Self::keeping(places, MOST_KEPT)
    }

    /// With this many bytes of segments at most.
    fn keeping(places: Places, most: usize) -> Self {
        // The header was read before, within the limits; the trace ends where that reading has.
        let loader = Loader::new(places.layout(), Limits::LIFTED);
        let segments = VecDeque::new();
        Self { places, loader, position: 0, is_loaded: false, segments, base: 0, kept: 0, most, asked: None }
    }

    /// Names and types.
    pub fn tables(&self) -> &Tables {
        self.places.tables()
    }

    /// Reads a query.
    ///
    /// # Errors
    ///
    /// Returns what is wrong with it, or what it names that the trace does not have.
    pub fn check(&self, text: &str) -> Result<Query, Fault> {
        let query = Query::parse(text)?;
        match query.unknown(self.tables()).into_iter().next() {
            Some(fault) => Err(fault),
            None => Ok(query),
        }
    }

    /// Asks a question in place of the previous one.
    pub fn begin(&mut self, query: &Query) {
        if self.base > 0 {
            self.read_again();
        }
        let found = Found {
            columns: FoundPoints::default(),
            names: query.variables.iter().map(|variable| variable.name.clone()).collect(),
            texts: HashMap::new(),
            count: 0,
            latest: None,
            text: String::new(),
        };
        let run = Run::new(query, self.places.tables());
        let is_counting = run.must_count();
        self.asked = Some(Asked { run, found, next: 0, is_counting });
    }

    /// Forgets the question.
    pub fn stop(&mut self) {
        self.asked = None;
    }

    fn read_again(&mut self) {
        self.loader = Loader::new(self.places.layout(), Limits::LIFTED);
        self.segments.clear();
        (self.position, self.is_loaded, self.base, self.kept) = (0, false, 0, 0);
    }

    /// The range of the file that is needed next: from the first offset, at most up to the second.
    pub fn wants(&self) -> (u64, u64) {
        (self.position, self.places.end())
    }

    /// Takes bytes from the beginning of [`Values::wants`]; none if the file has ended.
    pub fn push(&mut self, bytes: &[u8]) {
        let Self { loader, segments, kept, .. } = self;
        let mut add = |mut segment: Segment| {
            segment.shrink();
            *kept += segment.size();
            segments.push_back(segment);
        };
        self.position += bytes.len() as u64;
        // What is wrong with the file was said when it was opened. Points before it are valid.
        let is_broken = loader.push(bytes, &mut add).is_err();
        if is_broken || bytes.is_empty() || self.position >= self.places.end() {
            add(loader.end().0);
            self.is_loaded = true;
        }
    }

    /// Goes on with the question for at least `budget` combinations of variables.
    pub fn step(&mut self, budget: u64) -> Step {
        let Self { places, loader, segments, asked, .. } = self;
        let Some(asked) = asked else { return Step::Done };
        let Asked { run, found, next, is_counting } = asked;
        if let Some(segment) = segments.get((*next - self.base) as usize) {
            let dictionary = loader.dictionary();
            if *is_counting {
                run.count(segment, dictionary);
            } else if !run.segment(segment, dictionary, budget, &mut |it| found.add(it, places, dictionary)) {
                return Step::More;
            }
            *next += 1;
            if self.kept > self.most {
                self.kept -= segment.size();
                self.base += 1;
                segments.pop_front();
            }
            return Step::More;
        }
        if !self.is_loaded {
            return Step::NeedsBytes;
        }
        if *is_counting {
            run.choose();
            (*is_counting, *next) = (false, 0);
            if self.base > 0 {
                self.read_again();
            }
            return Step::More;
        }
        found.finish();
        Step::Done
    }

    /// How much of the trace has been asked, from 0 to 1.
    pub fn share(&self) -> f64 {
        let Some(asked) = &self.asked else { return 1.0 };
        let at = match self.segments.get((asked.next - self.base) as usize) {
            Some(segment) => segment.at(0),
            None => self.position,
        };
        let share = at as f64 / self.places.end().max(1) as f64;
        // A pick looks at the trace twice.
        if asked.is_counting { share / 2.0 } else { share }
    }

    /// Takes what was found since the last time. The latest point may still be missing until the question is answered.
    pub fn take(&mut self) -> FoundPoints {
        self.asked.as_mut().map(|asked| core::mem::take(&mut asked.found.columns)).unwrap_or_default()
    }

    /// Number of points found so far.
    pub fn count(&self) -> u64 {
        self.asked.as_ref().map_or(0, |asked| asked.found.count)
    }

    /// Combinations of variables looked at so far, and one for each point.
    pub fn tested(&self) -> u64 {
        self.asked.as_ref().map_or(0, |asked| asked.run.tested())
    }
}

impl Found {
    /// Adds a result. A point with several counts once, with the text of the first.
    fn add(&mut self, found: &Match<'_>, places: &Places, dictionary: &Dictionary) {
        let Match { segment, point, variables, .. } = found;
        let x = segment.first + *point as u64;
        if self.latest == Some(x) {
            return;
        }
        self.latest = Some(x);
        self.count += 1;
        if self.count > MOST_LISTED {
            return;
        }
        self.text.clear();
        for (name, index) in self.names.iter().zip(*variables) {
            if !self.text.is_empty() {
                self.text.push_str(", ");
            }
            put_variable(&mut self.text, name, segment, *index as usize, places.tables(), dictionary);
        }
        let number = if self.text.is_empty() { NONE } else { self.text_number() };
        let columns = &mut self.columns;
        columns.x.push(x);
        columns.track.push(places.track_of(dictionary.statement(segment.statement(*point))));
        columns.at.push(segment.at(*point));
        columns.matched.push(number);
    }

    fn text_number(&mut self) -> u32 {
        if let Some(known) = self.texts.get(&self.text) {
            return *known;
        }
        if self.texts.len() >= MOST_TEXTS {
            return NONE;
        }
        let number = self.texts.len() as u32;
        self.texts.insert(self.text.clone(), number);
        self.columns.texts.push(self.text.clone());
        number
    }

    fn finish(&mut self) {
        self.texts = HashMap::new();
    }
}

/// `i: 12` for the variable itself, `a = i: 12` for a free one that stands for it.
fn put_variable(
    out: &mut String,
    name: &str,
    segment: &Segment,
    index: usize,
    tables: &Tables,
    dictionary: &Dictionary,
) {
    let own = tables.text(dictionary.key(segment.key(index)).0).unwrap_or_default();
    // Writing to a String cannot fail.
    let _ = if own == name { write!(out, "{own}: ") } else { write!(out, "{name} = {own}: ") };
    put_value(out, segment.value(index));
    if let Some(left) = segment.buffer_size(index) {
        let _ = write!(out, " (size {left})");
    }
}

/// A value as the details show it.
pub(crate) fn put_value(out: &mut String, value: Value<'_>) {
    let _ = match value {
        Value::Number(Raw::Unsigned(n)) => write!(out, "{n}"),
        Value::Number(Raw::Signed(n)) => write!(out, "{n}"),
        Value::Number(Raw::Float(n)) if n == 0.0 || !n.is_finite() || (1e-5..1e16).contains(&n.abs()) => {
            write!(out, "{n}")
        }
        Value::Number(Raw::Float(n)) => write!(out, "{n:e}"),
        Value::Number(Raw::Pointer(n)) => write!(out, "{n:#x}"),
        Value::Bytes(bytes, _) => {
            let short = bytes.get(..MOST_BYTES).unwrap_or(bytes);
            match core::str::from_utf8(short) {
                Ok(text) if !text.chars().any(char::is_control) => write!(out, "{text:?}"),
                _ => short.iter().try_for_each(|byte| write!(out, "{byte:02x}")),
            }
            .and_then(|()| if short.len() < bytes.len() { write!(out, "…") } else { Ok(()) })
        }
    };
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use unspool_formats::trace_db::encode::Writer;
    use unspool_formats::trace_db::open_places;
    use unspool_formats::trace_db::wire::{Layout, StatementId, Type};
    use unspool_formats::{EventBatch, Opened, Want, trace_db};

    const POINTS: u64 = 60_000;

    /// A trace with several segments.
    fn trace() -> Vec<u8> {
        let types = [Type { name: 0, format: 1, size: 4 }];
        let names: [&[u8]; 3] = [b"int", b"i", b"half"];
        let mut writer = Writer::new(Layout::Wide, Tables::new(names, types));
        for i in 0..POINTS {
            writer.statement(StatementId::in_file(1, i % 5));
            writer.number(1, 0, Raw::Signed(i as i64));
            writer.number(2, 0, Raw::Signed(i as i64 / 2));
            writer.end();
        }
        writer.finish()
    }

    fn places(bytes: &[u8]) -> Places {
        let options = unspool_formats::OpenOptions { size: Some(bytes.len() as u64), limits: Limits::DEFAULT };
        let Ok(Opened::Stream(mut decoder)) = (trace_db::FORMAT.open)(bytes, options) else { panic!("no trace") };
        let (mut batch, mut at) = (EventBatch::with_capacity(4096), 0);
        while decoder.want() != Want::Nothing {
            batch.clear();
            let used = decoder.push(&bytes[at..], &mut batch).unwrap().used;
            at += used;
            if used == 0 {
                decoder.end(&bytes[at..], &mut batch).unwrap();
                break;
            }
        }
        open_places(&decoder.index()).unwrap()
    }

    /// Everything that a question finds, and how many bytes it has read.
    fn ask(values: &mut Values, bytes: &[u8], text: &str) -> (FoundPoints, usize) {
        let query = values.check(text).unwrap();
        values.begin(&query);
        let mut all = FoundPoints::default();
        let mut read = 0;
        loop {
            let step = values.step(1000);
            let part = values.take();
            all.x.extend(part.x);
            all.track.extend(part.track);
            all.at.extend(part.at);
            all.matched.extend(part.matched);
            all.texts.extend(part.texts);
            assert!((0.0..=1.0).contains(&values.share()));
            match step {
                Step::More => {}
                Step::Done => return (all, read),
                Step::NeedsBytes => {
                    let (from, to) = values.wants();
                    let portion = &bytes[from as usize..(to as usize).min(from as usize + 100_000)];
                    read += portion.len();
                    values.push(portion);
                }
            }
        }
    }

    #[test]
    fn a_second_question_reads_nothing_if_everything_is_kept() {
        let bytes = trace();
        let mut values = Values::new(places(&bytes));
        let (found, read) = ask(&mut values, &bytes, "i = 7 or i = 59999");
        assert_eq!((found.x, read), (vec![7, POINTS - 1], bytes.len()));
        assert_eq!(found.texts, ["i: 7", "i: 59999"]);
        let (found, read) = ask(&mut values, &bytes, "a, b: int where a > b and b = 4");
        assert_eq!((found.x.as_slice(), read), (&[8, 9][..], 0));
        assert_eq!(found.texts, ["a = i: 8, b = half: 4", "a = i: 9, b = half: 4"]);
    }

    #[test]
    fn what_does_not_fit_is_read_again() {
        let bytes = trace();
        let (mut small, mut large) = (Values::keeping(places(&bytes), 1 << 20), Values::new(places(&bytes)));
        for text in ["half > 29000 in file 1", "true pick 12345", "i >= 0 at 1:3"] {
            let (found, read) = ask(&mut small, &bytes, text);
            assert_eq!(found, ask(&mut large, &bytes, text).0, "{text}");
            assert!(read >= bytes.len() && !found.x.is_empty(), "{text}");
            assert!(small.kept < 3 << 20);
        }
    }
}
