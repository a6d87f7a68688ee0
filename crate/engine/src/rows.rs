//! Databases: where rows come from and go to. rusqlite is behind these in the native command, sql.js in the page.

use unspool_formats::rows::PAGE;
use unspool_formats::rvn::encode::Insert;
use unspool_formats::{Instructions, OpenOptions, Probe, Query, RowDecoder, RowError, Rows, recognise};

use crate::pages::Pages;
use crate::report::{TraceErrorOut, refusal};

/// Answers queries.
pub trait RowSource {
    /// Fetches all the rows of a query. When it fails in the middle, `rows` are those that came before.
    fn rows(&self, query: &Query, rows: &mut Rows) -> Result<(), RowError>;

    /// Reads the database's file itself from the absolute offset `at`, as much of `buffer` as is handy: none only at its
    /// end. Nothing where that cannot be, or would not be what SQLite sees.
    fn read_at(&self, _at: u64, _buffer: &mut [u8]) -> Option<usize> {
        None
    }
}

/// Takes in rows.
pub trait RowSink {
    /// Runs a statement that has no rows.
    fn run(&mut self, sql: &str) -> Result<(), RowError>;

    /// Inserts rows.
    fn insert(&mut self, insert: &Insert) -> Result<(), RowError>;
}

impl From<RowError> for TraceErrorOut {
    fn from(error: RowError) -> Self {
        let kind = crate::report::class_word(error.class);
        Self { kind, sentence: error.sentence, offset: None }
    }
}

/// A decoder and where its rows come from.
pub(crate) struct RowPath {
    pub(crate) decoder: Box<dyn RowDecoder>,
    pub(crate) source: Option<Box<dyn RowSource>>,
    rows: Rows,
    pages: Pages,
    /// The first failure of the source. What could be read in spite of it comes first.
    failed: Option<RowError>,
}

impl RowPath {
    pub(crate) fn new(decoder: Box<dyn RowDecoder>) -> Self {
        Self { decoder, source: None, rows: Rows::default(), pages: Pages::default(), failed: None }
    }

    /// Says who finds instructions.
    pub(crate) fn set_instructions(&mut self, instructions: Box<dyn Instructions>) {
        self.decoder.set_instructions(instructions);
    }

    /// Gives it its source, and reads what concerns the whole trace.
    pub(crate) fn attach(&mut self, source: Box<dyn RowSource>) -> Result<(), RowError> {
        self.source = Some(source);
        while !self.decoder.opened() && self.fetch(PAGE)? {}
        Ok(())
    }

    /// Fetches what the decoder wants; false when it wants nothing.
    pub(crate) fn fetch(&mut self, most: usize) -> Result<bool, RowError> {
        if self.scan(most) {
            return self.decoder.push(&mut self.rows, false).map(|()| true);
        }
        let Some(query) = self.decoder.want(most) else { return Ok(false) };
        let Some(source) = &self.source else { return Ok(false) };
        let fetched = source.rows(&query, &mut self.rows);
        let taken = self.decoder.push(&mut self.rows, fetched.is_err());
        if let Err(error) = fetched {
            // Where the decoder cannot go on without, the database's own words say more.
            if taken.is_err() {
                return Err(error);
            }
            self.failed.get_or_insert(error);
        }
        taken.map(|()| true)
    }

    /// Reads rows out of the file itself. False when there are none to be had so, and the database is to be asked.
    fn scan(&mut self, most: usize) -> bool {
        let (Some(scan), Some(source)) = (self.decoder.scan(), &self.source) else { return false };
        self.rows.clear(2);
        while self.rows.len() < most {
            // An empty page says that there are no more.
            let Some(range) = scan.want() else { return !scan.has_given_up() || !self.rows.is_empty() };
            match self.pages.read(range, source.as_ref()) {
                // What it does not know it remembers; the rows before that are good.
                Some(bytes) => _ = scan.push(bytes, &mut self.rows),
                None => scan.give_up(),
            }
        }
        true
    }

    /// Why the end is not the end of the trace.
    pub(crate) fn take_failure(&mut self) -> Option<RowError> {
        self.failed.take()
    }

    /// The rows of each query of details.
    pub(crate) fn rows_of(&self, queries: &[Query]) -> Result<Vec<Rows>, RowError> {
        let Some(source) = &self.source else { return Ok(Vec::new()) };
        queries
            .iter()
            .map(|query| {
                let mut rows = Rows::default();
                source.rows(query, &mut rows).map(|()| rows)
            })
            .collect()
    }
}

/// Whether a file is a database, to be opened with a [`RowSource`]: its decoder. Nothing when it is read as bytes.
pub fn database(probe: &Probe<'_>) -> Result<Option<Box<dyn RowDecoder>>, TraceErrorOut> {
    let (format, _) = recognise(probe).ok_or_else(|| refusal(probe.head, probe.size))?;
    let options = OpenOptions { size: Some(probe.size), ..OpenOptions::default() };
    Ok(match (format.open)(probe.head, options)? {
        unspool_formats::Opened::Rows(decoder) => Some(decoder),
        unspool_formats::Opened::Stream(_) => None,
    })
}

/// Prints everything of a database. `write` gets the text in portions; `problem` what is wrong.
pub fn text(
    decoder: Box<dyn RowDecoder>,
    source: Box<dyn RowSource>,
    mut write: impl FnMut(&str) -> std::io::Result<()>,
    mut problem: impl FnMut(unspool_formats::Problem),
) -> std::io::Result<Result<(), RowError>> {
    let mut path = RowPath::new(decoder);
    if let Err(error) = path.attach(source) {
        return Ok(Err(error));
    }
    let mut out = String::new();
    loop {
        let more = path.decoder.print(&mut out);
        write(&out)?;
        out.clear();
        path.decoder.take_problems().into_iter().for_each(&mut problem);
        match more.and_then(|more| if more { Ok(true) } else { path.fetch(PAGE) }) {
            Ok(true) => {}
            Ok(false) => return Ok(path.take_failure().map_or(Ok(()), Err)),
            Err(error) => return Ok(Err(error)),
        }
    }
}
