//! `unspool dump`: every record as text.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;

use unspool_engine::{pull, read, refusal};
use unspool_formats::{OpenOptions, Probe, RowDecoder, Text, recognise};

use crate::progress::Progress;
use crate::sqlite::Database;
use crate::{Failure, Place, Source, complain};

pub(crate) fn run(path: &Path, text: Text) -> Result<(), Failure> {
    let mut source = Source::open(path)?;
    if io::stdout().is_terminal() {
        // Text that scrolls by on the same terminal says enough.
        source.bar = Progress::hidden();
    }
    let (name, size) = (source.name.clone(), source.size);
    let refused = |why: String| Failure::new(format!("{name}: {why}"));
    let (format, _) = recognise(&Probe { head: &source.head, tail: &source.tail, size, name: &name })
        .ok_or_else(|| refused(refusal(&source.head, size).sentence))?;
    let probe = Probe { head: &source.head, tail: &source.tail, size, name: &name };
    if let Some(decoder) = pull::row_decoder(&probe).map_err(|error| refused(error.sentence))? {
        if text != Text::Jsonl {
            return Err(refused(format!("a {} cannot be printed in this form", format.name)));
        }
        return database(decoder, &source);
    }
    let options = OpenOptions { size: Some(size), ..OpenOptions::default() };
    let mut dump = (format.text)(&source.head, text, options)
        .map_err(|error| refused(error.to_string()))?
        .ok_or_else(|| refused(format!("a {} cannot be printed in this form", format.name)))?;
    let mut out = BufWriter::with_capacity(1 << 20, io::stdout().lock());
    let mut written = false;
    let end = read::text(
        dump.as_mut(),
        &mut source,
        |text| {
            written |= !text.is_empty();
            out.write_all(text.as_bytes())
        },
        |problem| complain(&name, Place::At { noun: "byte", at: problem.at }, &problem.to_string()),
    )?;
    out.flush()?;
    source.bar.finish();
    match end {
        Ok(()) => Ok(()),
        Err(error) if written => {
            complain(&name, Place::At { noun: "byte", at: error.at }, &error.cause.to_string());
            Ok(())
        }
        Err(error) => Err(refused(error.to_string())),
    }
}

/// Prints the records of a database.
fn database(decoder: Box<dyn RowDecoder>, source: &Source) -> Result<(), Failure> {
    let refused = |why: String| Failure::new(format!("{}: {why}", source.name));
    let noun = decoder.info().place_noun;
    let database = Database::open(&source.path).map_err(|error| refused(error.sentence))?;
    let mut out = BufWriter::with_capacity(1 << 20, io::stdout().lock());
    let mut written = false;
    let end = pull::text(
        decoder,
        Box::new(database),
        |text| {
            written |= !text.is_empty();
            out.write_all(text.as_bytes())
        },
        |problem| complain(&source.name, Place::At { noun, at: problem.at }, &problem.to_string()),
    )?;
    out.flush()?;
    match end {
        Ok(()) => Ok(()),
        Err(error) if written => {
            complain(&source.name, Place::Whole, &error.sentence);
            Ok(())
        }
        Err(error) => Err(refused(error.sentence)),
    }
}
