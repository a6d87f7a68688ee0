//! A trace in portions: the source of an export in another worker than the store's.
//!
//! Each part is read from its beginning to its end, so that one portion of it is enough. The parts
//! of a track take turns, as do all counters in a dump of values: the more they are, the shorter
//! are their portions. A portion that begins with a part goes on with the parts that follow, so
//! that thousands of short ones need few portions.

use std::rc::Rc;

use unspool_engine::tables::portions::{Answer, Ask, What};
use unspool_trace::batch::Name;

use crate::export::parts_of;
use crate::{Arg, Arguments, Head, Instant, Part, Sample, Slice, Source, Table, Trace};

/// Rows of all parts that take turns, about: 32 MiB.
const KEPT: usize = 1 << 19;
/// Rows of a portion, at least and at most.
const LEAST: usize = 128;
const MOST: usize = 1 << 13;
/// Names of a portion.
const NAMES: u32 = 1 << 13;

/// Rows of a table, one after the other.
struct Portion {
    first: u64,
    rows: Answer,
}

/// A trace whose store another worker has. [`Portions::ask`] says what is needed next.
pub struct Portions {
    range: Option<(u64, u64)>,
    head: Option<Head>,
    names: Vec<Name>,
    has_names: bool,
    parts: Vec<Part>,
    /// By part, the portion that it is read from.
    held: Vec<Option<Rc<Portion>>>,
    /// By table, the portion that came last: the next part may begin there.
    latest: [Option<Rc<Portion>>; 3],
    wanted: Option<Ask>,
    /// Arguments of slices and instants, if they are to be exported.
    pub args: Option<Arguments>,
}

impl Portions {
    /// Those of a range, the end exclusive, or of the whole trace. Nothing is there yet.
    pub fn new(range: Option<(u64, u64)>) -> Self {
        Self {
            range,
            head: None,
            names: Vec::new(),
            has_names: false,
            parts: Vec::new(),
            held: Vec::new(),
            latest: [const { None }; 3],
            wanted: None,
            args: None,
        }
    }

    /// The trace by the file's name, before the first row. `None` while something of it is missing,
    /// which is then wanted.
    pub fn trace(&mut self, name: &str) -> Option<Trace> {
        let what = if self.head.is_none() { Some(What::Head) } else { (!self.has_names).then_some(What::Names) };
        if let Some(what) = what {
            self.wanted = Some(Ask { what, range: self.range, first: self.names.len() as u64, most: NAMES });
            return None;
        }
        Some(Trace {
            name: name.into(),
            head: self.head.take()?,
            range: self.range,
            names: std::mem::take(&mut self.names),
        })
    }

    /// What is wanted next, for `Answer::to`. `None` if nothing is.
    pub fn ask(&self) -> Option<Vec<u8>> {
        self.wanted.map(|ask| ask.to_bytes())
    }

    /// Takes the answer to [`Portions::ask`].
    ///
    /// # Errors
    ///
    /// Returns a sentence for bytes that are no such answer.
    pub fn give(&mut self, answer: &[u8]) -> Result<(), &'static str> {
        const DAMAGED: &str = "the tables of the trace could not be read.";
        let Ask { what, first, most, .. } = self.wanted.take().ok_or(DAMAGED)?;
        match Answer::from_bytes(what, answer).ok_or(DAMAGED)? {
            Answer::Head(head, parts) if are_consecutive(&parts) => {
                self.held = vec![None; parts.len()];
                (self.head, self.parts) = (Some(head), parts);
            }
            Answer::Names(names) => {
                self.has_names = names.len() < most as usize;
                self.names.extend(names);
            }
            rows if is_sound(&rows) => {
                if let What::Rows(table) = what
                    && let Some(latest) = self.latest.get_mut(table as usize)
                {
                    *latest = Some(Rc::new(Portion { first, rows }));
                }
            }
            _ => return Err(DAMAGED),
        }
        Ok(())
    }

    /// A row of a part, of those in `of`. `None` if it is not there, and is wanted.
    fn row<T: Copy>(&mut self, part: usize, index: u64, of: fn(&Answer) -> &[T]) -> Option<T> {
        let Part { table, first, len, .. } = *self.parts.get(part).filter(|part| index < part.len)?;
        let held = self.held.get_mut(part)?;
        let find = |held: &Option<Rc<Portion>>| {
            let portion = held.as_ref()?;
            let at = (first + index).checked_sub(portion.first)?;
            of(&portion.rows).get(usize::try_from(at).ok()?).copied()
        };
        let mut row = find(held);
        if row.is_none() {
            held.clone_from(self.latest.get(table as usize)?);
            row = find(held);
        }
        if row.is_none() || index + 1 == len {
            *held = None;
        }
        if row.is_none() {
            self.wanted = Some(self.portion(part, index)?);
        }
        row
    }

    /// The portion of a part from a row on.
    fn portion(&self, part: usize, index: u64) -> Option<Ask> {
        let Part { table, track, first, len, .. } = *self.parts.get(part)?;
        let turns = match table {
            Table::Counters => parts_of(&self.parts, table, 0).start..self.parts.len(),
            Table::Slices | Table::Instants => parts_of(&self.parts, table, track),
        };
        let most = (KEPT / turns.len().max(1)).clamp(LEAST, MOST) as u64;
        // The parts that follow have begun, too.
        let most = if index > 0 { most.min(len - index) } else { most };
        Some(Ask { what: What::Rows(table), range: self.range, first: first + index, most: most as u32 })
    }
}

/// Whether the rows of each table are numbered without gaps.
fn are_consecutive(parts: &[Part]) -> bool {
    let mut next = [0_u64; 3];
    parts.iter().all(|part| {
        let Some(next) = next.get_mut(part.table as usize).filter(|next| **next == part.first) else { return false };
        // A third of all numbers: the sum over the tables is a number, too.
        *next = part.first.saturating_add(part.len);
        *next <= u64::MAX / 3
    })
}

/// Whether these are rows, at least one.
fn is_sound(rows: &Answer) -> bool {
    match rows {
        Answer::Slices(rows) => !rows.is_empty() && rows.iter().all(|slice| slice.start <= slice.end),
        Answer::Instants(rows) => !rows.is_empty(),
        Answer::Samples(rows) => !rows.is_empty(),
        Answer::Head(..) | Answer::Names(_) => false,
    }
}

impl Source for Portions {
    fn parts(&self) -> &[Part] {
        &self.parts
    }

    fn slice(&mut self, part: usize, index: u64) -> Option<Slice> {
        self.row(part, index, |rows| if let Answer::Slices(rows) = rows { rows } else { &[] })
    }

    fn instant(&mut self, part: usize, index: u64) -> Option<Instant> {
        self.row(part, index, |rows| if let Answer::Instants(rows) = rows { rows } else { &[] })
    }

    fn sample(&mut self, part: usize, index: u64) -> Option<Sample> {
        self.row(part, index, |rows| if let Answer::Samples(rows) = rows { rows } else { &[] })
    }

    fn args(&mut self, track: u32, locator: u64, into: &mut Vec<Arg>) {
        if let Some(args) = &mut self.args {
            args.get(track, locator, into);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Number;
    use crate::order::{Next, Order};

    /// Slices of two depths: each of the upper ones holds two of the lower ones.
    fn slice(row: u64, upper: u64) -> Slice {
        let (parent, depth, start, len) = match row.checked_sub(upper) {
            None => (None, 0, row * 10, 10),
            Some(at) => (Some(at / 2), 1, at * 5, 5),
        };
        // The highest bit of a locator is its kind.
        let locator = row | 1 << 63;
        Slice { row, parent, depth, start, end: start + len, name: row as u32 % 2, flags: 2, locator }
    }

    fn parts(upper: u64) -> Vec<Part> {
        let part = |table, track, depth, first, len| Part { table, track, depth, first, len };
        let mut parts = vec![part(Table::Slices, 0, 0, 0, upper), part(Table::Slices, 0, 1, upper, 2 * upper)];
        // Threads with one slice each.
        parts.extend((0..100).map(|thread| part(Table::Slices, 1 + thread, 0, 3 * upper + u64::from(thread), 1)));
        parts.push(part(Table::Counters, 0, 0, 0, 2));
        parts
    }

    fn name(number: u32) -> Name {
        format!("f{number}").into()
    }

    /// What the worker of the store answers.
    fn answer(ask: &[u8], upper: u64) -> Vec<u8> {
        let Ask { what, range, first, most } = Ask::from_bytes(ask).unwrap();
        let all = 3 * upper + 100;
        let rows = |len: u64| first..len.min(first + u64::from(most));
        assert_eq!(range, None);
        let answer = match what {
            What::Head => {
                let head = Head {
                    title: "XRay".into(),
                    frequency: None,
                    unit: "tick".into(),
                    origin: 5,
                    end: 9,
                    tracks: Vec::new(),
                };
                Answer::Head(head, parts(upper))
            }
            What::Names => Answer::Names(rows(u64::from(NAMES) + 1).map(|number| name(number as u32)).collect()),
            What::Rows(Table::Slices) => Answer::Slices(rows(all).map(|row| slice(row, upper)).collect()),
            What::Rows(_) => {
                let values = [Number::Real(-0.5), Number::Unsigned(u64::MAX)];
                let sample = |row: u64| Sample { time: row, value: values[row as usize] };
                Answer::Samples(rows(2).map(sample).collect())
            }
        };
        answer.to_bytes()
    }

    #[test]
    fn rows_are_found_in_portions_as_they_come() {
        let upper = 20_000;
        let mut portions = Portions::new(None);
        let mut asked = 0;
        let mut fetch = |portions: &mut Portions| {
            let ask = portions.ask().expect("something is wanted");
            portions.give(&answer(&ask, upper)).unwrap();
            asked += 1;
        };
        let trace = loop {
            match portions.trace("app.xray") {
                Some(trace) => break trace,
                None => fetch(&mut portions),
            }
        };
        assert_eq!((trace.name.as_str(), trace.head.origin), ("app.xray", 5));
        assert_eq!(trace.names, (0..=NAMES).map(name).collect::<Vec<_>>());
        let mut order = Order::new([(0, upper), (1, 2 * upper)].into_iter());
        let (mut count, mut last) = (0, 0);
        loop {
            match order.next(&mut portions) {
                Next::Stalled => fetch(&mut portions),
                Next::End => break,
                Next::Slice(found, ..) => {
                    // An upper one, then its two lower ones.
                    assert_eq!(found.depth == 0, count % 3 == 0);
                    assert!(found.start >= last);
                    assert_eq!(found.parent, (found.depth == 1).then_some(count / 3));
                    assert_eq!(found, slice(found.row, upper));
                    last = found.start;
                    count += 1;
                }
            }
        }
        assert_eq!(count, 3 * upper);
        for part in 2..102 {
            while portions.slice(part, 0).is_none() {
                fetch(&mut portions);
            }
        }
        let mut sample = |index| loop {
            match portions.sample(102, index) {
                Some(sample) => break (sample.time, sample.value),
                None => fetch(&mut portions),
            }
        };
        assert_eq!([sample(0), sample(1)], [(0, Number::Real(-0.5)), (1, Number::Unsigned(u64::MAX))]);
        // The head, names twice, 20,000 and 40,000 slices, those of all threads together, values.
        assert_eq!(asked, 1 + 2 + 3 + 5 + 1 + 1, "each row is fetched once");
    }

    #[test]
    fn other_bytes_are_no_answer() {
        let mut portions = Portions::new(None);
        assert!(portions.trace("").is_none());
        let ask = portions.ask().unwrap();
        assert!(portions.give(&[0xff; 64]).is_err());
        assert!(portions.trace("").is_none());
        portions.give(&answer(&ask, 5)).unwrap();
        assert_eq!(portions.slice(0, 0), None);
        // Rows of another table, none, and one that ends before it begins.
        let others = [
            Answer::Samples(vec![Sample { time: 0, value: Number::Int(0) }]),
            Answer::Slices(Vec::new()),
            Answer::Slices(vec![Slice { start: 1, ..Slice::default() }]),
        ];
        for other in others {
            assert_eq!(portions.slice(0, 0), None);
            assert!(portions.ask().is_some());
            assert!(portions.give(&other.to_bytes()).is_err());
        }
    }

    #[test]
    fn parts_have_no_gaps() {
        assert!(are_consecutive(&parts(7)));
        let mut gap = parts(7);
        gap[1].first += 1;
        assert!(!are_consecutive(&gap));
        let mut huge = parts(7);
        huge[101].len = u64::MAX;
        assert!(!are_consecutive(&huge));
    }
}
