//! A trace that stays open between questions, for programs that have the command linked in.
//!
//! [`Opened::answer`] prints what the command would print, without reading the trace again where
//! the question is about that trace alone. Rows come in portions: those of slices, instants and
//! counters to a [`Writer`], as [`unspool_export`] passes them on, and those of records to a
//! [`TableSink`].

use std::cell::RefCell;
use std::ffi::OsString;
use std::path::Path;

use clap::Parser;
use unspool_engine::Session;
use unspool_engine::find::{Find as Search, Order};
use unspool_engine::tables::portions::names;
use unspool_export::{Export, Step, Stored, Trace, Writer};
use unspool_records::{RecordReader, TableSink, Tabulate};
use unspool_trace::batch::Name;
use unspool_trace::{FieldValue, Operand, Record, RecordName, Visitor};

pub use crate::interrupt::Stop;
use crate::read_whole::{complete, read_spilled};
use crate::scope::ScopeArgs;
pub use crate::scratch::clean;
use crate::{Cli, Command, Failure, NameArgs, Source, TraceArgs, console, find, info, progress, sql, stats, steps};

/// What a command printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// On standard output.
    pub text: Vec<u8>,
    /// The lines on standard error: what is wrong with a file, and counts.
    pub said: Vec<String>,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What is wrong, for people.
    pub sentence: String,
    /// The byte of the file, or the place in a database, that is wrong, if it is one.
    pub at: Option<u64>,
    /// The question is wrong, not the file.
    pub is_usage: bool,
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self { at: failure.offset(), is_usage: failure.is_usage(), sentence: failure.to_string() }
    }
}

impl From<clap::Error> for Refusal {
    fn from(error: clap::Error) -> Self {
        let text = error.render().to_string();
        // What follows is about the command line.
        let sentence = text.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ").trim_end();
        Self { sentence: sentence.into(), at: None, is_usage: true }
    }
}

/// What part of a trace rows are from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// Positions of rows, the end exclusive; `None` for all. Of slices, those that overlap with it.
    pub range: Option<(u64, u64)>,
    /// The name or the number of a track, as `--track` takes it.
    pub track: Option<String>,
    /// Only rows that match this expression, as in `unspool find`.
    pub filter: Option<String>,
}

/// The options that open a trace, as those of `unspool info`.
#[derive(Parser)]
#[command(no_binary_name = true)]
struct Options {
    #[command(flatten)]
    trace: TraceArgs,
    #[command(flatten)]
    names: NameArgs,
}

/// An open trace. Its slices are in a temporary file if there are many.
pub struct Opened {
    pub(crate) source: Source,
    pub(crate) session: Session,
    /// For SQL, once they were asked for.
    pub(crate) tables: RefCell<Option<sql::Tables>>,
}

impl Opened {
    /// Opens a trace and reads all of it. `args` has the path of its file and options of
    /// `unspool info`, such as `--binary`.
    ///
    /// # Errors
    ///
    /// Returns an error if the trace cannot be opened, or nothing could be read before an error.
    /// Other errors of a file are among what was said.
    pub fn open(args: &[OsString], stop: &Stop) -> Result<(Self, Vec<String>), Refusal> {
        progress::hide_all();
        let Options { trace, names } = Options::try_parse_from(args)?;
        let (read, held) = console::held(|| stop.run(|| read_spilled(&trace, &names)));
        Ok((Self::of(read?), held.said))
    }

    /// Of a trace that was read.
    pub(crate) fn of((source, session): (Source, Session)) -> Self {
        Self { source, session, tables: RefCell::new(None) }
    }

    /// Carries out a command, and returns what it prints. `args` are those of the command line: the
    /// name of the command, options, and files.
    ///
    /// `info`, `stats`, `find`, `state` and `sql` of a single trace are about this one, whatever
    /// file is given. All others read their files.
    ///
    /// # Errors
    ///
    /// Returns the error of the command.
    pub fn answer(&self, args: &[OsString], stop: &Stop) -> Result<Answer, Refusal> {
        let program = OsString::from("unspool");
        let command = Cli::try_parse_from([&program].into_iter().chain(args))?.command;
        Ok(stop.run(|| self.carry_out(&command))?)
    }

    /// Carries out a command, as [`Opened::answer`] does, until the work of this thread is stopped.
    ///
    /// # Errors
    ///
    /// Returns the error of the command.
    pub(crate) fn carry_out(&self, command: &Command) -> Result<Answer, Failure> {
        let Self { source, session, tables } = self;
        let (result, held) = console::held(|| match command {
            Command::Info { json, .. } => info::answer(console::data_or_text(*json), source, session, None, *json),
            Command::Stats(what) => stats::answer(what, source, session),
            Command::Find(what) => find::answer(what, source, session).map(|_| ()),
            Command::State(what) => steps::state_of(what, source, session),
            Command::Sql(what) if what.is_of_one() => sql::answer(what, source, session, &mut tables.borrow_mut()),
            other => crate::carry_out(other).map(|_| ()),
        });
        result?;
        Ok(Answer { text: held.out, said: held.said })
    }

    /// All names, by their numbers: what slices and instants refer to.
    pub fn names(&self) -> Vec<Name> {
        names(self.session.store(), 0).collect()
    }

    /// Begins to pass rows to a writer, those of the tables that it wants.
    ///
    /// # Errors
    ///
    /// Returns an error for a wrong expression, for a track that the trace does not have, and if
    /// the file cannot be read.
    pub fn rows(&self, scope: &Scope, writer: Box<dyn Writer>, stop: &Stop) -> Result<Rows, Refusal> {
        let hits = self.search(scope, stop)?;
        let tracks = match self.tracks(scope)? {
            Some(tracks) => tracks,
            None => (0..self.session.store().track_count() as u32).collect(),
        };
        let trace = Trace::of(&self.session, &self.source.name, scope.range);
        Ok(Rows { export: Export::new(trace, writer, tracks, false), range: scope.range, hits })
    }

    /// Passes the next rows on, at most `most`. Returns whether there are more.
    ///
    /// # Errors
    ///
    /// Returns an error if the temporary file cannot be read, or the work was stopped.
    pub fn pass_rows(&self, rows: &mut Rows, most: u32, stop: &Stop) -> Result<bool, Refusal> {
        stop.run(crate::interrupt::check).map_err(Failure::from)?;
        let Rows { export, range, hits } = rows;
        let mut stored = Stored::new(&self.session, *range, hits.as_mut().map(|hits| &*hits.hits()), None);
        let step = export.step(&mut stored, most, &mut Vec::new());
        complete(&self.session)?;
        Ok(step == Step::More)
    }

    /// Begins to pass records on.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Opened::rows`].
    pub fn records(&self, scope: &Scope, stop: &Stop) -> Result<Records, Refusal> {
        let wanted = match self.search(scope, stop)? {
            None => None,
            Some(mut search) => {
                let (hits, store) = (search.hits(), self.session.store());
                let mut wanted = Vec::new();
                while (wanted.len() as u64) < hits.len() {
                    let first = wanted.len() as u64;
                    let page = hits.page(store, 0..u64::MAX, first, find::PAGE, Order::Position);
                    if page.is_empty() {
                        break;
                    }
                    wanted.extend(page.iter().map(|hit| (hit.locator, hit.start)));
                }
                wanted.sort_unstable();
                Some(wanted)
            }
        };
        let reader = find::reader_of(&self.session, &self.source)?;
        let tracks = self.tracks(scope)?;
        Ok(Records { reader, next: 0, count: 0, range: scope.range, tracks, wanted })
    }

    /// Passes the records of the next piece of the file on. Returns whether there are more.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, or the work was stopped.
    pub fn pass_records(&self, records: &mut Records, sink: &mut dyn RecordSink, stop: &Stop) -> Result<bool, Refusal> {
        stop.run(crate::interrupt::check).map_err(Failure::from)?;
        let Records { reader, next, count, range, tracks, wanted } = records;
        let number = std::cell::Cell::new(*count);
        let mut numbered = Numbered { sink, number: &number };
        let mut chosen = Chosen {
            inner: Tabulate::new(&mut numbered, None),
            number: &number,
            range: *range,
            tracks: tracks.as_deref(),
            wanted: wanted.as_deref(),
        };
        let visited = reader.visit_all(*next, 1, &mut chosen);
        *count = number.get();
        *next = visited.map_err(|error| find::failed(&self.source, error))?;
        let (done, of) = reader.covered(*next);
        Ok(done < of)
    }

    /// The hits of the filter.
    fn search(&self, scope: &Scope, stop: &Stop) -> Result<Option<Search>, Refusal> {
        let Some(expression) = &scope.filter else { return Ok(None) };
        let (search, beyond) = stop.run(|| find::search_for(&self.session, &self.source, expression))?;
        if beyond > 0 {
            let sentence = format!("{beyond} further records match: choose a range, or a narrower filter");
            return Err(Failure::usage(sentence).into());
        }
        Ok(Some(search))
    }

    fn tracks(&self, scope: &Scope) -> Result<Option<Vec<u32>>, Refusal> {
        let args = ScopeArgs { range: None, track: scope.track.clone() };
        Ok(args.tracks(&self.session).map_err(Failure::into_usage)?)
    }

    /// The path that the trace was opened by.
    pub fn path(&self) -> &Path {
        Path::new(&self.source.name)
    }
}

/// Slices, instants or samples that are being passed on.
pub struct Rows {
    export: Export,
    range: Option<(u64, u64)>,
    hits: Option<Search>,
}

/// Records that are being passed on.
pub struct Records {
    reader: RecordReader,
    next: u64,
    count: u64,
    range: Option<(u64, u64)>,
    tracks: Option<Vec<u32>>,
    /// The locators and positions of those that match, sorted.
    wanted: Option<Vec<(u64, u64)>>,
}

/// Receives records with their numbers.
pub trait RecordSink {
    /// A record: its number among all of the trace, from 1 as in SQL, its position, its track and
    /// its name.
    fn record(&mut self, id: u64, x: u64, track: u32, name: Option<&str>);

    /// A field of the latest record, as [`TableSink::field`].
    fn field(&mut self, id: u64, key: &str, value: FieldValue<'_>, symbol: Option<&str>);
}

/// Gives records their numbers.
struct Numbered<'a> {
    sink: &'a mut dyn RecordSink,
    number: &'a std::cell::Cell<u64>,
}

impl TableSink for Numbered<'_> {
    fn record(&mut self, x: u64, track: u32, name: Option<&str>) {
        self.sink.record(self.number.get(), x, track, name);
    }

    fn field(&mut self, key: &str, value: FieldValue<'_>, symbol: Option<&str>) {
        self.sink.field(self.number.get(), key, value, symbol);
    }

    fn is_full(&self) -> bool {
        false
    }
}

/// Counts all records, and passes on those that are wanted.
struct Chosen<'a> {
    inner: Tabulate<'a>,
    number: &'a std::cell::Cell<u64>,
    range: Option<(u64, u64)>,
    tracks: Option<&'a [u32]>,
    wanted: Option<&'a [(u64, u64)]>,
}

impl Visitor for Chosen<'_> {
    fn may_want(&mut self, _name: RecordName<'_>, _keys: &mut dyn Iterator<Item = &str>) -> bool {
        true
    }

    fn begin(&mut self, record: &Record<'_>) -> bool {
        self.number.set(self.number.get() + 1);
        let is_wanted = self.range.is_none_or(|(from, to)| (from..to).contains(&record.x))
            && self.tracks.is_none_or(|tracks| tracks.contains(&record.track))
            && self.wanted.is_none_or(|wanted| wanted.binary_search(&(record.locator.bits(), record.x)).is_ok());
        is_wanted && self.inner.begin(record)
    }

    fn field(&mut self, key: &str, value: FieldValue<'_>) {
        self.inner.field(key, value);
    }

    fn operand(&mut self, operand: &Operand<'_>) {
        self.inner.operand(operand);
    }

    fn open(&mut self, key: &str, is_list: bool) {
        self.inner.open(key, is_list);
    }

    fn close(&mut self) {
        self.inner.close();
    }

    fn end(&mut self) {
        self.inner.end();
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::Value;
    use unspool_export::{Arg, Slice, Table};

    use super::*;

    const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/xray/threads.xray");

    fn args(all: &[&str]) -> Vec<OsString> {
        all.iter().map(OsString::from).collect()
    }

    fn open() -> Opened {
        Opened::open(&args(&[FILE]), &Stop::default()).unwrap().0
    }

    /// The lines of JSON that a command prints.
    fn lines(opened: &Opened, command: &[&str]) -> Vec<Value> {
        let answer = opened.answer(&args(command), &Stop::default()).unwrap();
        answer.text.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
    }

    #[derive(Default)]
    struct Starts(std::rc::Rc<RefCell<Vec<(u64, u64)>>>);

    impl Writer for Starts {
        fn begin(&mut self, _: &Trace, _: &mut Vec<u8>) {}

        fn wants(&self, _: &Trace, table: Table, _: u32) -> bool {
            table == Table::Slices
        }

        fn slice(&mut self, _: &Trace, _: u32, slice: &Slice, _: &[Arg], _: &mut Vec<u8>) {
            self.0.borrow_mut().push((slice.row, slice.start));
        }

        fn finish(&mut self, _: &Trace, _: &mut Vec<u8>) -> bool {
            false
        }
    }

    impl RecordSink for Vec<u64> {
        fn record(&mut self, id: u64, _: u64, _: u32, _: Option<&str>) {
            self.push(id);
        }

        fn field(&mut self, id: u64, _: &str, _: FieldValue<'_>, _: Option<&str>) {
            assert_eq!(self.last(), Some(&id));
        }
    }

    #[test]
    fn an_open_trace_answers_without_being_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("copy.xray");
        fs::copy(FILE, &path).unwrap();
        let (opened, said) = Opened::open(&[path.clone().into()], &Stop::default()).unwrap();
        assert!(said.is_empty());
        fs::remove_file(&path).unwrap();
        let printed = |command: &[&str]| opened.answer(&args(command), &Stop::default()).map(|answer| answer.text);
        let stats: Value = serde_json::from_slice(&printed(&["stats", "--json", "x"]).unwrap()).unwrap();
        assert!(stats["functions"].as_array().unwrap().iter().any(|function| function["name"] == "#8"));
        assert!(printed(&["info", "--json", "x"]).unwrap().starts_with(b"{"));
        let sum = lines(&opened, &["sql", "--json", "x", "select sum(dur) as sum from slices"]);
        assert_eq!(sum, lines(&opened, &["sql", "--json", "x", "select sum(dur) as sum from slices"]));
        assert!(sum[0]["sum"].as_u64().unwrap() > 0);
        let refusal = printed(&["stats", "--range", "5", "x"]).unwrap_err();
        assert!(refusal.is_usage && refusal.sentence.contains("such as 100..200"), "{}", refusal.sentence);
        let refusal = printed(&["sql", "x", "select"]).unwrap_err();
        assert!(refusal.is_usage && refusal.sentence.contains("incomplete input"), "{}", refusal.sentence);
    }

    #[test]
    fn rows_are_those_of_sql() {
        let opened = open();
        let all = lines(&opened, &["sql", "--json", "x", "select id, start from slices where name = 8 order by 1"]);
        let expected: Vec<(u64, u64)> =
            all.iter().map(|row| (row["id"].as_u64().unwrap() - 1, row["start"].as_u64().unwrap())).collect();
        let starts = Starts::default();
        let found = std::rc::Rc::clone(&starts.0);
        let name = opened.names()[7].text.clone();
        let scope = Scope { filter: Some(format!("name:{name}")), ..Scope::default() };
        let mut rows = opened.rows(&scope, Box::new(starts), &Stop::default()).unwrap();
        while opened.pass_rows(&mut rows, 5, &Stop::default()).unwrap() {}
        found.borrow_mut().sort_unstable();
        assert_eq!(*found.borrow(), expected);
        assert!(!expected.is_empty());
    }

    #[test]
    fn records_keep_their_numbers_when_some_are_left_out() {
        let opened = open();
        let ids = |scope: &Scope| {
            let (mut ids, stop) = (Vec::new(), Stop::default());
            let mut records = opened.records(scope, &stop).unwrap();
            while opened.pass_records(&mut records, &mut ids, &stop).unwrap() {}
            ids
        };
        let all = ids(&Scope::default());
        assert_eq!(all, (1..=all.len() as u64).collect::<Vec<_>>());
        let sql = |text: &str| -> Vec<u64> {
            lines(&opened, &["sql", "--json", "x", text]).iter().map(|row| row["id"].as_u64().unwrap()).collect()
        };
        assert_eq!(all, sql("select id from records"));
        let (from, to) = (sql("select time as id from records where id = 9")[0], u64::MAX);
        let late = ids(&Scope { range: Some((from, to)), ..Scope::default() });
        assert_eq!(late, sql(&format!("select id from records where time >= {from}")));
        let events = ids(&Scope { filter: Some("arg.cpu>=0".into()), ..Scope::default() });
        assert!(!events.is_empty() && events.len() <= all.len());
    }

    #[test]
    fn work_that_is_stopped_ends_with_an_error() {
        let stop = Stop::default();
        stop.stop();
        assert!(Opened::open(&args(&[FILE]), &stop).is_err());
        let opened = open();
        assert!(opened.answer(&args(&["sql", "x", "select * from records"]), &stop).is_err());
        assert!(
            opened
                .records(&Scope::default(), &stop)
                .and_then(|mut records| { opened.pass_records(&mut records, &mut Vec::new(), &stop) })
                .is_err()
        );
        assert!(opened.answer(&args(&["sql", "x", "select 1"]), &Stop::default()).is_ok());
    }

    #[test]
    fn what_is_wrong_with_a_file_has_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("head.frames");
        let bytes = fs::read(FILE.replace("xray/threads.xray", "frames/mips.frames")).unwrap();
        fs::write(&path, &bytes[..28]).unwrap();
        let refusal = Opened::open(&[path.into()], &Stop::default()).map(|_| ()).unwrap_err();
        assert_eq!((refusal.at, refusal.is_usage), (Some(24), false), "{}", refusal.sentence);
        let refusal = Opened::open(&args(&["--nothing"]), &Stop::default()).map(|_| ()).unwrap_err();
        assert!(refusal.is_usage && refusal.sentence.contains("--nothing"), "{}", refusal.sentence);
    }
}
