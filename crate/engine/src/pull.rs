//! Traces that are databases: fetches the rows that the decoder wants.

use std::io;

use unspool_formats::recognise;
use unspool_records::RowSource;
use unspool_records::TraceErrorOut;
use unspool_trace::part::Part;
use unspool_trace::rows::PAGE;
use unspool_trace::{EventBatch, Instructions, OpenOptions, Opened, Probe, Problem, RowDecoder, RowError, Rows};

use crate::read_ahead::ReadAhead;
use crate::report::refusal;
use crate::turn::Turn;

/// A decoder and the database that its rows come from.
pub(crate) struct Pull {
    pub(crate) decoder: Box<dyn RowDecoder>,
    source: Option<Box<dyn RowSource>>,
    rows: Rows,
    file: ReadAhead,
    /// The decoder has turned all rows that it has into events.
    hungry: bool,
    /// The first failure of the source. The rows that could still be read are decoded before it is
    /// reported.
    failed: Option<RowError>,
    size: u64,
    /// The file's size times the share of its rows that are decoded.
    pub(crate) read: u64,
}

impl Pull {
    /// `size` is the file's, in bytes.
    pub(crate) fn new(decoder: Box<dyn RowDecoder>, size: u64) -> Self {
        Self {
            decoder,
            source: None,
            rows: Rows::default(),
            file: ReadAhead::default(),
            hungry: false,
            failed: None,
            size,
            read: 0,
        }
    }

    /// Attaches the database, and reads the tables that concern the whole trace.
    pub(crate) fn attach(
        &mut self,
        source: Box<dyn RowSource>,
        instructions: Option<Box<dyn Instructions>>,
    ) -> Result<(), RowError> {
        if let Some(instructions) = instructions {
            self.decoder.set_instructions(instructions);
        }
        self.source = Some(source);
        while !self.decoder.opened() && self.fetch(PAGE)? {}
        Ok(())
    }

    /// Decodes rows until the batch is full, or fetches more when there are none left. `max_events`
    /// bounds the fetch.
    pub(crate) fn turn(&mut self, max_events: usize, batch: &mut EventBatch) -> Result<Turn, RowError> {
        if !self.hungry {
            self.hungry = !self.decoder.work(batch)?;
            return Ok(Turn::Progressed);
        }
        // A row gives about three events.
        let fetched = self.fetch((max_events / 3).clamp(1024, PAGE));
        let (done, of) = self.decoder.progress();
        let share = if of == 0 { 0.0 } else { done as f64 / of as f64 };
        self.read = self.read.max((self.size as f64 * share) as u64);
        if fetched? {
            self.hungry = false;
            return Ok(Turn::Progressed);
        }
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        self.read = self.size;
        Ok(Turn::Finished)
    }

    /// Fetches the rows that the decoder wants. Returns false if it wants none.
    fn fetch(&mut self, most: usize) -> Result<bool, RowError> {
        if self.scan(most) {
            return self.decoder.push(&mut self.rows, false).map(|()| true);
        }
        let Some(query) = self.decoder.want(most) else { return Ok(false) };
        let Some(source) = &self.source else { return Ok(false) };
        let fetched = source.rows(&query, &mut self.rows);
        let taken = self.decoder.push(&mut self.rows, fetched.is_err());
        if let Err(error) = fetched {
            // If the decoder cannot continue without these rows, the database's own error says
            // more.
            if taken.is_err() {
                return Err(error);
            }
            self.failed.get_or_insert(error);
        }
        taken.map(|()| true)
    }

    /// Reads rows from the file itself. Returns false if the database must be queried instead.
    fn scan(&mut self, most: usize) -> bool {
        let (Some(scan), Some(source)) = (self.decoder.scan(), &self.source) else { return false };
        self.rows.clear(scan.columns());
        while self.rows.len() < most {
            // An empty page tells the decoder that the table has no more rows.
            let Some(range) = scan.want() else { return !scan.has_given_up() || !self.rows.is_empty() };
            match self.file.read(range, |at, buffer| source.read_at(at, buffer)) {
                // On an error the scan has given up; the rows before it are valid.
                Some(bytes) => _ = scan.push(bytes, &mut self.rows),
                None => scan.give_up(),
            }
        }
        true
    }
}

/// The decoder of a file that is a database and must be opened with a [`RowSource`]. `None` if it
/// is read as bytes.
///
/// # Errors
///
/// Returns an error if no format recognises the file, or if its head is damaged.
pub fn row_decoder(probe: &Probe<'_>) -> Result<Option<Box<dyn RowDecoder>>, TraceErrorOut> {
    let (format, _) = recognise(probe).ok_or_else(|| refusal(probe.head, probe.size))?;
    let options = OpenOptions { size: Some(probe.size), ..OpenOptions::default() };
    Ok(match (format.open)(probe.head, options)? {
        Opened::Rows(decoder) => Some(decoder),
        Opened::Stream(_) => None,
    })
}

/// Prints the records of a part of a database as one JSON object a line. `write` receives the text
/// in portions of about 1 MiB, `problem` each problem in the file.
///
/// # Errors
///
/// The outer error is that of `write`. The inner one says why the database could not be read to its
/// end; what was printed before remains valid.
pub fn text(
    decoder: Box<dyn RowDecoder>,
    source: Box<dyn RowSource>,
    part: &mut Part,
    mut write: impl FnMut(&str) -> io::Result<()>,
    mut problem: impl FnMut(Problem),
) -> io::Result<Result<(), RowError>> {
    // The size only serves progress, which is not reported here.
    let mut pull = Pull::new(decoder, 0);
    if let Err(error) = pull.attach(source, None) {
        return Ok(Err(error));
    }
    let mut out = String::new();
    loop {
        let more = pull.decoder.print(part, &mut out);
        write(&out)?;
        out.clear();
        pull.decoder.take_problems().into_iter().for_each(&mut problem);
        if more.is_ok() && part.is_over {
            return Ok(Ok(()));
        }
        match more.and_then(|more| if more { Ok(true) } else { pull.fetch(PAGE) }) {
            Ok(true) => {}
            Ok(false) => return Ok(pull.failed.take().map_or(Ok(()), Err)),
            Err(error) => return Ok(Err(error)),
        }
    }
}
