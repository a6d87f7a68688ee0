//! The values of one trace, asked in turns: reads the trace as far as a question needs it, and
//! keeps what fits.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use unspool_formats::trace_db::Places;
use unspool_formats::trace_db::wire::{StatementId, Tables};
use unspool_trace::{Finding, Limits};

use crate::buffers::Buffers;
use crate::columns::{Dictionary, Segment};
use crate::findings::ValueFindings;
use crate::found::{Found, FoundPoints};
use crate::invariants::Invariants;
use crate::load::Loader;
use crate::profile::{Profile, Profiling};
use crate::rows::Rows;
use crate::run::Run;
use crate::statements::Statements;
use crate::syntax::{Fault, Query};
use crate::variables::Variables;

/// Bytes of segments that are kept for the next question.
const MOST_KEPT: usize = 768 << 20;

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

/// The values of a trace.
pub struct Values {
    places: Places,
    loader: Loader,
    /// Bytes of the file that were pushed.
    position: u64,
    is_loaded: bool,
    /// It was, at least once.
    was_loaded: bool,
    segments: VecDeque<Segment>,
    /// The number of the first of them, and their size in bytes.
    base: u64,
    kept: usize,
    most: usize,
    statements: Statements,
    /// By slot.
    asked: [Option<Asked>; 7],
    invariants: Option<Invariants>,
}

/// Questions that are answered side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// A search for points.
    Search,
    /// The iteration table of a statement.
    Rows,
    /// What is known of each variable.
    Variables,
    /// The lifetimes of buffers.
    Buffers,
    /// What is known of each statement in a range.
    Statements,
    /// All that runs are compared by.
    Profile,
    /// What stands out.
    Findings,
}

/// What becomes of results.
enum Into {
    Found(Found),
    Rows(Rows),
}

/// How a question is answered.
enum Work {
    Query {
        run: Box<Run>,
        into: Box<Into>,
        /// All points are counted first, so that one can be picked.
        is_counting: bool,
    },
    Variables(Variables),
    Buffers(Box<Buffers>),
    Statements(Statements),
    Profile(Box<Profiling>),
    Findings(Box<ValueFindings>),
}

/// A question.
struct Asked {
    work: Work,
    is_done: bool,
    /// The number of the next segment.
    next: u64,
}

impl Asked {
    fn new(work: Work) -> Self {
        Self { work, is_done: false, next: 0 }
    }
}

impl Values {
    /// Nothing has been read yet.
    pub fn new(places: Places) -> Self {
        Self::keeping(places, MOST_KEPT)
    }

    /// With this many bytes of segments at most, unless questions that go on need more.
    pub fn keeping(places: Places, most: usize) -> Self {
        // The header was read before, within the limits; the trace ends where that reading has.
        let loader = Loader::new(places.layout(), Limits::LIFTED);
        let segments = VecDeque::new();
        let statements = Statements::new(0..places.points());
        let asked = [const { None }; 7];
        let was_loaded = false;
        Self {
            places,
            loader,
            position: 0,
            is_loaded: false,
            was_loaded,
            segments,
            base: 0,
            kept: 0,
            most,
            statements,
            asked,
            invariants: None,
        }
    }

    /// Bytes of segments that are kept.
    pub fn kept(&self) -> usize {
        self.kept
    }

    /// Keeps this many bytes of segments at most from here on, unless questions that go on need
    /// more.
    pub fn keep_at_most(&mut self, most: usize) {
        self.most = most;
        self.drop_some();
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

    /// Searches for points, in place of the previous search.
    pub fn begin(&mut self, query: &Query) {
        let names = query.variables.iter().map(|variable| variable.name.clone()).collect();
        self.ask(Slot::Search, query, Into::Found(Found::named(names)));
    }

    /// Makes the iteration table of the statement with a number in the dictionary, in place of the
    /// previous table. Only points of the range that the query finds become rows.
    pub fn begin_rows(&mut self, statement: u32, query: &Query, range: Range<u64>) {
        let mut query = query.clone();
        if let Some(id) = self.statements.summaries().get(statement as usize).and_then(|it| it.id) {
            query.statement = Some((u64::MAX, id.bits()));
        }
        self.invariants = None;
        self.ask(Slot::Rows, &query, Into::Rows(Rows::new(statement, range)));
    }

    /// Looks at the values that each variable has at the points of a range, once.
    pub fn begin_variables(&mut self, range: Range<u64>) {
        let range = self.within(range);
        if self.variables().map(Variables::range) != Some(&range) {
            self.put(Slot::Variables, Work::Variables(Variables::new(range)));
        }
    }

    /// Counts the points of each statement in a range, once. Those of the whole trace are counted
    /// anyway: [`Values::statements`].
    pub fn begin_statements(&mut self, range: Range<u64>) {
        let range = self.within(range);
        if self.statements_within().map(Statements::range) != Some(&range) {
            self.put(Slot::Statements, Work::Statements(Statements::new(range)));
        }
    }

    /// Looks at what runs are compared by, at the points of a range, once.
    pub fn begin_profile(&mut self, range: Range<u64>) {
        let range = self.within(range);
        if self.profiling().map(Profiling::range) != Some(&range) {
            self.put(Slot::Profile, Work::Profile(Box::new(Profiling::new(range))));
        }
    }

    fn profiling(&self) -> Option<&Profiling> {
        match &self.asked(Slot::Profile)?.work {
            Work::Profile(profiling) => Some(profiling),
            _ => None,
        }
    }

    /// What runs are compared by, as far as the trace was read for that.
    pub fn profile(&self) -> Option<Profile> {
        let track_of = |id| self.places.track_of(id);
        Some(self.profiling()?.profile(self.dictionary(), self.tables(), track_of))
    }

    /// A range without what is beyond the trace.
    fn within(&self, range: Range<u64>) -> Range<u64> {
        let end = range.end.min(self.places.points());
        range.start.min(end)..end
    }

    /// Follows all buffers, once.
    pub fn begin_buffers(&mut self) {
        if self.asked(Slot::Buffers).is_none() {
            self.put(Slot::Buffers, Work::Buffers(Box::default()));
        }
    }

    /// Looks for what stands out in all of the trace, once.
    pub fn begin_findings(&mut self) {
        if self.asked(Slot::Findings).is_none() {
            self.put(Slot::Findings, Work::Findings(Box::default()));
        }
    }

    /// What stands out, as far as the trace was read for that. `name_of` names a statement.
    pub fn findings(&self, name_of: impl Fn(Option<StatementId>) -> String) -> Vec<Finding> {
        match self.asked(Slot::Findings).map(|asked| &asked.work) {
            Some(Work::Findings(findings)) => findings.found(self.dictionary(), self.tables(), name_of).0,
            _ => Vec::new(),
        }
    }

    /// Goes on with what likely always holds in the iteration table, for at least `budget` rows.
    /// Returns whether that is done.
    pub fn step_invariants(&mut self, budget: usize) -> bool {
        let Self { asked, invariants, places, loader, .. } = self;
        let Some(Some(Asked { work: Work::Query { into, .. }, is_done: true, .. })) = asked.get(Slot::Rows as usize)
        else {
            return true;
        };
        let Into::Rows(rows) = &**into else { return true };
        let invariants = invariants.get_or_insert_with(|| Invariants::new(rows, places.tables(), loader.dictionary()));
        invariants.step(rows, budget)
    }

    /// The reason why the search that was asked last, and is done, has found nothing. `None` if it
    /// has found something.
    pub fn why_none(&self, query: &Query) -> Option<String> {
        match self.asked(Slot::Search) {
            Some(Asked { work: Work::Query { run, .. }, is_done: true, .. }) if self.count() == 0 => {
                Some(run.why_none(query, self.tables()))
            }
            _ => None,
        }
    }

    /// What likely always holds in the iteration table, as far as it was compared.
    pub fn invariants(&self) -> Option<&Invariants> {
        self.invariants.as_ref()
    }

    fn ask(&mut self, slot: Slot, query: &Query, into: Into) {
        let run = Box::new(Run::new(query, self.places.tables()));
        let is_counting = run.must_count();
        self.put(slot, Work::Query { run, into: Box::new(into), is_counting });
    }

    fn put(&mut self, slot: Slot, work: Work) {
        if self.base > 0 {
            self.read_again();
        }
        if let Some(place) = self.asked.get_mut(slot as usize) {
            *place = Some(Asked::new(work));
        }
    }

    fn asked(&self, slot: Slot) -> Option<&Asked> {
        self.asked.get(slot as usize)?.as_ref()
    }

    /// Forgets a question.
    pub fn stop(&mut self, slot: Slot) {
        if let Some(place) = self.asked.get_mut(slot as usize) {
            *place = None;
        }
    }

    /// Reads from the beginning again. Statements and variables get the numbers that they had, so
    /// questions can go on.
    fn read_again(&mut self) {
        self.loader = Loader::new(self.places.layout(), Limits::LIFTED);
        self.segments.clear();
        (self.position, self.is_loaded, self.base, self.kept) = (0, false, 0, 0);
    }

    /// Whether all of the trace has been read at least once, so that [`Values::statements`] is
    /// complete.
    pub fn was_loaded(&self) -> bool {
        self.was_loaded
    }

    /// What is known of each statement, by its number in the dictionary.
    pub fn statements(&self) -> &Statements {
        &self.statements
    }

    /// What is known of each statement in the range that was asked about last, by its number in the
    /// dictionary, as far as the trace was read for that.
    pub fn statements_within(&self) -> Option<&Statements> {
        match &self.asked(Slot::Statements)?.work {
            Work::Statements(statements) => Some(statements),
            _ => None,
        }
    }

    /// The track of the points at a statement.
    pub fn track_of(&self, id: Option<StatementId>) -> u32 {
        self.places.track_of(id)
    }

    /// What statements and variables are numbered by.
    pub fn dictionary(&self) -> &Dictionary {
        self.loader.dictionary()
    }

    /// The iteration table, as far as it is made.
    pub fn rows(&mut self) -> Option<&mut Rows> {
        match &mut self.asked.get_mut(Slot::Rows as usize)?.as_mut()?.work {
            Work::Query { into, .. } => match &mut **into {
                Into::Rows(rows) => Some(rows),
                Into::Found(_) => None,
            },
            _ => None,
        }
    }

    /// What is known of each variable, as far as the trace was read for that.
    pub fn variables(&self) -> Option<&Variables> {
        match &self.asked(Slot::Variables)?.work {
            Work::Variables(variables) => Some(variables),
            _ => None,
        }
    }

    /// The buffers, as far as the trace was read for them.
    pub fn buffers(&mut self) -> Option<&mut Buffers> {
        match &mut self.asked.get_mut(Slot::Buffers as usize)?.as_mut()?.work {
            Work::Buffers(buffers) => Some(buffers),
            _ => None,
        }
    }

    /// The range of the file that is needed next: from the first offset, at most up to the second.
    pub fn wants(&self) -> (u64, u64) {
        (self.position, self.places.end())
    }

    /// Takes bytes from the beginning of [`Values::wants`]; none if the file has ended.
    pub fn push(&mut self, bytes: &[u8]) {
        self.position += bytes.len() as u64;
        let mut full = Vec::new();
        // What is wrong with the file was said when it was opened. Points before it are valid.
        let is_broken = self.loader.push(bytes, |segment| full.push(segment)).is_err();
        if is_broken || bytes.is_empty() || self.position >= self.places.end() {
            full.push(self.loader.end().0);
            (self.is_loaded, self.was_loaded) = (true, true);
        }
        for mut segment in full {
            segment.shrink();
            self.statements.add(&segment, self.loader.dictionary());
            self.kept += segment.size();
            self.segments.push_back(segment);
        }
    }

    /// Goes on with a question for at least `budget` combinations of variables.
    pub fn step(&mut self, slot: Slot, budget: u64) -> Step {
        let Self { places, loader, segments, asked: slots, .. } = self;
        let Some(Some(asked)) = slots.get_mut(slot as usize) else { return Step::Done };
        let Asked { work, is_done, next } = asked;
        if *is_done {
            return Step::Done;
        }
        let place = next.checked_sub(self.base).and_then(|place| segments.get(place as usize));
        if let Some(segment) = place {
            let dictionary = loader.dictionary();
            let is_through = match work {
                Work::Variables(variables) => {
                    variables.add(segment, dictionary);
                    true
                }
                Work::Buffers(buffers) => {
                    buffers.add(segment, dictionary, places.tables());
                    true
                }
                Work::Statements(statements) => {
                    statements.add(segment, dictionary);
                    true
                }
                Work::Findings(findings) => {
                    findings.add(segment, dictionary, places.tables());
                    true
                }
                Work::Profile(profiling) => {
                    profiling.add(segment, dictionary);
                    true
                }
                Work::Query { run, is_counting: true, .. } => {
                    run.count(segment, dictionary);
                    true
                }
                Work::Query { run, into, .. } => {
                    run.segment(segment, dictionary, budget, &mut |it| match &mut **into {
                        Into::Found(found) => found.add(it, places, dictionary),
                        Into::Rows(rows) => rows.add(it.segment, it.point),
                    })
                }
            };
            if is_through {
                *next += 1;
                self.drop_some();
            }
            return Step::More;
        }
        if !self.is_loaded {
            return Step::NeedsBytes;
        }
        if let Work::Query { run, is_counting, .. } = work
            && *is_counting
        {
            run.choose();
            (*is_counting, *next) = (false, 0);
            if self.base > 0 {
                self.read_again();
            }
            return Step::More;
        }
        if let Work::Findings(findings) = work
            && findings.end_pass(loader.dictionary(), places.tables())
        {
            *next = 0;
            if self.base > 0 {
                self.read_again();
            }
            return Step::More;
        }
        *is_done = true;
        if let Work::Query { into, .. } = work
            && let Into::Found(found) = &mut **into
        {
            found.end();
        }
        Step::Done
    }

    /// Drops the first segments if too much is kept, unless a question needs them still.
    fn drop_some(&mut self) {
        let is_needed = |base: u64| self.asked.iter().flatten().any(|asked| !asked.is_done && asked.next <= base);
        while self.kept > self.most && !is_needed(self.base) {
            let Some(segment) = self.segments.pop_front() else { return };
            self.kept -= segment.size();
            self.base += 1;
        }
    }

    /// How much of the trace a question has been asked of, from 0 to 1.
    pub fn share(&self, slot: Slot) -> f64 {
        let Some(asked) = self.asked(slot) else { return 1.0 };
        let segment = asked.next.checked_sub(self.base).and_then(|place| self.segments.get(place as usize));
        let at = segment.map_or(self.position, |segment| segment.at(0));
        let share = at as f64 / self.places.end().max(1) as f64;
        // A pick looks at the trace twice.
        if matches!(asked.work, Work::Query { is_counting: true, .. }) { share / 2.0 } else { share }
    }

    /// Takes what the search has found since the last time.
    pub fn take(&mut self) -> FoundPoints {
        match self.asked.get_mut(Slot::Search as usize).and_then(Option::as_mut).map(|asked| &mut asked.work) {
            Some(Work::Query { into, .. }) => match &mut **into {
                Into::Found(found) => core::mem::take(&mut found.columns),
                Into::Rows(_) => FoundPoints::default(),
            },
            _ => FoundPoints::default(),
        }
    }

    /// Number of points that the search has found so far.
    pub fn count(&self) -> u64 {
        match self.asked(Slot::Search).map(|asked| &asked.work) {
            Some(Work::Query { into, .. }) => match &**into {
                Into::Found(found) => found.count,
                Into::Rows(_) => 0,
            },
            _ => 0,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
mod tests {
    use unspool_formats::trace_db;
    use unspool_formats::trace_db::encode::Writer;
    use unspool_formats::trace_db::open_places;
    use unspool_formats::trace_db::wire::{Layout, Number as Raw, Type};
    use unspool_records::memory::index_of;

    use super::*;
    use crate::statements::CELLS;

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
        open_places(&index_of(&trace_db::ROW.format, bytes).unwrap()).unwrap()
    }

    /// Everything that a question finds, and how many bytes it has read.
    fn ask(values: &mut Values, bytes: &[u8], text: &str) -> (FoundPoints, usize) {
        let query = values.check(text).unwrap();
        values.begin(&query);
        let mut all = FoundPoints::default();
        let mut read = 0;
        loop {
            let step = values.step(Slot::Search, 1000);
            let part = values.take();
            all.x.extend(part.x);
            all.track.extend(part.track);
            all.at.extend(part.at);
            all.matched.extend(part.matched);
            all.texts.extend(part.texts);
            assert!((0.0..=1.0).contains(&values.share(Slot::Search)));
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

    /// Answers the question of a slot.
    fn run(values: &mut Values, bytes: &[u8], slot: Slot) {
        loop {
            match values.step(slot, 1000) {
                Step::More => {}
                Step::Done => return,
                Step::NeedsBytes => {
                    let (from, to) = values.wants();
                    values.push(&bytes[from as usize..(to as usize).min(from as usize + 100_000)]);
                }
            }
        }
    }

    #[test]
    fn statements_have_counts_and_tables() {
        let bytes = trace();
        for most in [1 << 20, MOST_KEPT] {
            let mut values = Values::keeping(places(&bytes), most);
            ask(&mut values, &bytes, "false and i = 0");
            assert!(values.was_loaded());
            let all = values.statements().summaries();
            assert_eq!(all.len(), 5);
            assert_eq!((all[3].count, all[3].first, all[3].last), (POINTS / 5, 3, POINTS - 2));
            assert_eq!(all[3].heat.iter().map(|n| u64::from(*n)).sum::<u64>(), POINTS / 5);
            let table = |values: &mut Values, text: &str| {
                let query = values.check(text).unwrap();
                values.begin_rows(3, &query, 0..u64::MAX);
                run(values, &bytes, Slot::Rows);
                values.rows().unwrap().counts()
            };
            assert_eq!(table(&mut values, "true"), (POINTS / 5, POINTS as usize / 5));
            let rows = values.rows().unwrap();
            let texts =
                |rows: &Rows, row| rows.cells(row).into_iter().map(|it| (it.text, it.changed)).collect::<Vec<_>>();
            assert_eq!(texts(rows, 0), [("3".into(), false), ("1".into(), false)]);
            assert_eq!(texts(rows, 1), [("8".into(), true), ("4".into(), true)]);
            rows.sort(Some(1), true);
            assert_eq!((rows.point(0).unwrap().0, rows.row_of(14), rows.row_of(2)), (POINTS - 2, Some(11_997), None));
            assert_eq!(table(&mut values, "i < 10 or half > 29998"), (3, 3));
        }
    }

    #[test]
    fn a_range_has_statements_variables_and_rows_of_its_own() {
        let bytes = trace();
        for most in [1 << 20, MOST_KEPT] {
            let mut values = Values::keeping(places(&bytes), most);
            // Statement 4 is at point 30,004 for the first time there.
            values.begin_statements(30_000..30_004);
            run(&mut values, &bytes, Slot::Statements);
            let within = values.statements_within().unwrap().summaries();
            let counts: Vec<_> = within.iter().map(|it| it.count).collect();
            assert_eq!(counts, [1, 1, 1, 1, 0]);
            assert_eq!((within[2].first, within[2].last), (30_002, 30_002));
            assert_eq!(within[0].heat[0], 1);
            assert_eq!(within[1].heat[CELLS / 4], 1);
            // Those of the whole trace stay.
            assert_eq!(values.statements().summaries()[4].count, POINTS / 5);
            values.begin_variables(30_000..30_004);
            run(&mut values, &bytes, Slot::Variables);
            let (_, i) = values.variables().unwrap().iter().next().unwrap();
            let of = (i.count, i.first.bits, i.last.bits, i.different());
            assert_eq!(of, (4, 30_000, 30_003, (4, true)));
            assert_eq!(i.over_time()[CELLS - CELLS / 4], (30_003.0, 30_003.0));
            let every = values.check("true").unwrap();
            values.begin_rows(2, &every, 30_000..30_010);
            run(&mut values, &bytes, Slot::Rows);
            assert_eq!(values.rows().unwrap().counts(), (2, 2));
            // Another range, the whole trace, and one beyond its end.
            for (range, count) in [(0..u64::MAX, POINTS), (POINTS..u64::MAX, 0), (5..5, 0)] {
                values.begin_variables(range.clone());
                run(&mut values, &bytes, Slot::Variables);
                assert_eq!(values.variables().unwrap().iter().map(|(_, it)| it.count).max().unwrap_or(0), count);
                values.begin_statements(range);
                run(&mut values, &bytes, Slot::Statements);
                let within = values.statements_within().unwrap().summaries();
                assert_eq!(within.iter().map(|it| it.count).sum::<u64>(), count);
            }
        }
    }

    #[test]
    fn parts_of_the_trace_say_where_a_value_is_not_a_number() {
        let types = [Type { name: 0, format: 2, size: 8 }];
        let names: [&[u8]; 2] = [b"double", b"f"];
        let mut writer = Writer::new(Layout::Wide, Tables::new(names, types));
        for i in 0..CELLS {
            writer.statement(StatementId::in_file(1, 0));
            let value = if i % 2 == 1 { f64::NAN } else { i as f64 };
            writer.number(1, 0, Raw::Float(value));
            writer.end();
        }
        let bytes = writer.finish();
        let mut values = Values::new(places(&bytes));
        values.begin_variables(0..u64::MAX);
        run(&mut values, &bytes, Slot::Variables);
        let (_, f) = values.variables().unwrap().iter().next().unwrap();
        assert_eq!(f.nan_over_time(), 0xaaaa_aaaa_aaaa_aaaa);
        assert_eq!(f.over_time()[2], (2.0, 2.0));
        assert!(f.over_time()[3].0.is_nan());
    }

    #[test]
    fn two_questions_go_on_side_by_side() {
        let bytes = trace();
        let mut values = Values::keeping(places(&bytes), 1 << 20);
        let query = values.check("i >= 0").unwrap();
        values.begin(&query);
        (0..20).for_each(|_| {
            if values.step(Slot::Search, 1000) == Step::NeedsBytes {
                let from = values.wants().0 as usize;
                values.push(&bytes[from..from + 100_000]);
            }
        });
        values.begin_rows(0, &query, 0..u64::MAX);
        run(&mut values, &bytes, Slot::Rows);
        run(&mut values, &bytes, Slot::Search);
        assert_eq!((values.count(), values.rows().unwrap().counts().0), (POINTS, POINTS / 5));
        assert!(values.take().x.is_sorted());
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
        // The room becomes less, and then more.
        let all = large.kept();
        large.keep_at_most(1 << 20);
        assert!(large.kept() <= 1 << 20 && all > 2 << 20, "{} of {all}", large.kept());
        let (found, read) = ask(&mut large, &bytes, "i = 7");
        assert_eq!((found.x, read), (vec![7], bytes.len()));
        large.keep_at_most(usize::MAX);
        ask(&mut large, &bytes, "i = 7");
        assert_eq!(ask(&mut large, &bytes, "i = 8").1, 0);
    }
}
