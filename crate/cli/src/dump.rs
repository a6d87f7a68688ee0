//! `unspool dump`: every record as text.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;

use unspool_engine::{pull, read, refusal};
use unspool_formats::decoder::TextDump;
use unspool_formats::{Format, OpenOptions, Probe, RowDecoder, Text, recognise};

use crate::progress::Progress;
use crate::sqlite::Database;
use crate::{As, Failure, Place, Source, complain};

/// Prints the trace as `form`, or as its format's own tool does where there is such a tool, and as JSON Lines otherwise.
/// `thread_ids` concerns the text of apitrace.
pub(crate) fn run(path: &Path, form: Option<As>, thread_ids: bool) -> Result<(), Failure> {
    let mut source = Source::open(path)?;
    if io::stdout().is_terminal() {
        // The records that scroll by show progress enough.
        source.bar = Progress::hidden();
    }
    let refused = |why: String| Failure::new(format!("{}: {why}", source.name));
    let probe = Probe { head: &source.head, tail: &source.tail, size: source.size, name: &source.name };
    let (format, _) = recognise(&probe).ok_or_else(|| refused(refusal(probe.head, probe.size).sentence))?;
    if let Some(decoder) = pull::row_decoder(&probe).map_err(|error| refused(error.sentence))? {
        if form == Some(As::Text) {
            return Err(refused(not_printed(As::Text)));
        }
        return database(decoder, &source);
    }
    let dump = text_dump(format, &source, form, thread_ids).map_err(refused)?;
    stream(dump, source)
}

/// The printer of a stream's records, in the first of the wanted forms that the format supports.
fn text_dump(
    format: &Format,
    source: &Source,
    form: Option<As>,
    thread_ids: bool,
) -> Result<Box<dyn TextDump>, String> {
    let options = OpenOptions { size: Some(source.size), ..OpenOptions::default() };
    let forms = match form {
        Some(form) => &[form][..],
        None => &[As::Text, As::Jsonl],
    };
    for form in forms {
        let text = match form {
            As::Jsonl => Text::Jsonl,
            As::Text => Text::Apitrace { thread_ids },
        };
        if let Some(dump) = (format.text)(&source.head, text, options).map_err(|error| error.to_string())? {
            return Ok(dump);
        }
    }
    Err(not_printed(form.unwrap_or(As::Jsonl)))
}

/// The sentence for a trace that cannot be printed as `form`, with the form to use.
fn not_printed(form: As) -> String {
    let sentence = match form {
        As::Text => "This trace cannot be printed as text: only apitrace traces can. Use --as jsonl.",
        As::Jsonl => "This trace cannot be printed as JSON Lines. Use --as text.",
    };
    sentence.into()
}

/// Prints the records of a file that is read as bytes.
fn stream(mut dump: Box<dyn TextDump>, mut source: Source) -> Result<(), Failure> {
    let name = source.name.clone();
    let refused = |why: String| Failure::new(format!("{name}: {why}"));
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
    let database = Database::open(&source.path).map_err(|error| refused(error.sentence))?;
    let noun = decoder.info().place_noun;
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
