//! `unspool dump`: records as text.

mod blobs;
mod part;

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use clap::ValueEnum;
use unspool_engine::{pull, read, refusal};
use unspool_formats::{apitrace, recognise, trace_db};
use unspool_trace::decoder::TextDump;
use unspool_trace::{Format, Naming, OpenOptions, Part, Probe, RowDecoder, Text};

use crate::binaries::Binaries;
use crate::console;
use crate::output::Inputs;
use crate::progress::Progress;
use crate::read_whole::{read_names, read_with_binaries};
use crate::sqlite::Database;
use crate::{Failure, GO_ON, NameArgs, Place, Source, TraceArgs, complain};

use blobs::BlobFiles;
use part::{Offers, PartArgs};

/// Prints the records of a trace, or of a part of it.
///
///     unspool dump game.trace --frames 12 --name 'glDraw*'
///     unspool dump game.trace --calls 4000..4100 --blob-files blobs/
///     unspool dump app.xray --range 0x3f5a..0x9c00 --thread 17 --binary ./app
///
/// A part has the same lines as the whole, with the same numbers, and the lines that precede the
/// records. Reading stops where no later record can belong to it, except in logs of XRay, which need
/// not be in the order of time. What is wrong with the rest of the file is then not known.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Dump {
    #[command(flatten)]
    trace: TraceArgs,
    #[command(flatten)]
    names: NameArgs,
    /// Output format. Default: text for apitrace, jsonl for other formats.
    #[arg(long = "as", value_enum)]
    form: Option<As>,
    /// Print one JSON object per record: --as jsonl.
    #[arg(long, conflicts_with = "form")]
    json: bool,
    /// Print the thread before each call (apitrace, text). Default: no.
    #[arg(long, value_enum)]
    thread_ids: Option<YesNo>,
    /// Print the contents of blobs, not just their lengths (apitrace, jsonl).
    #[arg(long)]
    blobs: bool,
    /// Write the contents of each blob to a file in this directory, CALL-ARGUMENT.bin (apitrace),
    /// and print the records as well. Of the blobs of a call, at most 64 MiB are written.
    #[arg(long, value_name = "DIR")]
    blob_files: Option<PathBuf>,
    #[command(flatten)]
    part: PartArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum As {
    /// One JSON object per record.
    Jsonl,
    /// The output of the format's own tool: `apitrace dump -v --color=never`.
    Text,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum YesNo {
    Yes,
    No,
}

impl Dump {
    /// The form that the user wants.
    fn form(&self) -> Option<As> {
        if self.json { Some(As::Jsonl) } else { self.form }
    }
}

/// Prints the trace in the wanted form, or else as its format's own tool does where there is such a
/// tool, and as JSON Lines otherwise.
pub(crate) fn run(how: &Dump) -> Result<(), Failure> {
    how.names.check()?;
    let mut source = Source::open(&how.trace)?;
    if io::stdout().is_terminal() {
        // The records that scroll by show progress enough.
        source.bar = Progress::hidden();
    }
    let refused = |why: String| Failure::of(&source.name, why);
    // Neither changes a record.
    let ignored = [(how.trace.nest_tail_calls, "--nest-tail-calls"), (how.trace.max_memory.is_some(), "--max-memory")];
    for (_, option) in ignored.iter().filter(|(is_given, _)| *is_given && how.names.binary.is_empty()) {
        complain(&source.name, Place::Whole, &format!("{option} has no effect: records are printed as they are."));
    }
    let probe = Probe { head: &source.head, tail: &source.tail, size: source.size, name: &source.name };
    let (format, _) =
        recognise(&probe).ok_or_else(|| Failure::trace(&source.name, &refusal(probe.head, probe.size)))?;
    if let Some(decoder) = pull::row_decoder(&probe).map_err(|error| Failure::trace(&source.name, &error))? {
        if how.form() == Some(As::Text) {
            return Err(Failure::usage(NOT_TEXT));
        }
        if how.thread_ids.is_some() || how.blobs || how.blob_files.is_some() {
            return Err(Failure::usage("--thread-ids, --blobs and --blob-files are about apitrace traces."));
        }
        if !how.names.binary.is_empty() || how.names.names.is_some() {
            return Err(refused("its records have blocks and no addresses that could be named.".into()));
        }
        let names = Err("--name has no meaning here: the records of this trace have blocks, not names.");
        let part = how.part.part(Offers { calls: false, threads: false, names })?;
        return database(decoder, part, how, &source);
    }
    let mut dump = text_dump(format, &source, how)?;
    let namings = namings(how, format.id)?;
    if !namings.is_empty() && !dump.name_by(namings) {
        return Err(refused("its records have no ids that could be named.".into()));
    }
    let is_apitrace = format.id == apitrace::ROW.format.id;
    if how.blob_files.is_some() && !is_apitrace {
        return Err(Failure::usage("--blob-files is about apitrace traces."));
    }
    let is_named = is_apitrace || !how.names.binary.is_empty() || how.names.names.is_some();
    let names = if is_named { Ok(()) } else { Err("--name needs names: use it with --binary or --names.") };
    let threads = format.id != trace_db::ROW.format.id;
    *dump.part() = how.part.part(Offers { calls: is_apitrace, threads, names })?;
    stream(dump, how, source)
}

/// The names to print with the records. Which binary names what is known only when the whole trace
/// is.
fn namings(how: &Dump, format: &str) -> Result<Vec<Naming>, Failure> {
    let named = how.names.names.as_deref().map(read_names).transpose()?;
    let mut namings: Vec<Naming> = named.map(|naming| how.names.shown(naming, format)).into_iter().collect();
    if !how.names.binary.is_empty() {
        let mut binaries = Binaries::read(&how.names)?;
        // What is wrong with it is said as its records are printed.
        let (_, mut session, _) =
            read_with_binaries(&how.trace, &NameArgs { names: None, binary: Vec::new(), short_names: false })?;
        namings.extend(binaries.name_or_fail(&mut session)?);
    }
    Ok(namings)
}

/// The printer of a stream's records, in the first of the wanted forms that the format supports.
fn text_dump(format: &Format, source: &Source, how: &Dump) -> Result<Box<dyn TextDump>, Failure> {
    let options = OpenOptions { size: Some(source.size), ..how.trace.options() };
    let is_text = format.id == apitrace::ROW.format.id && how.form() != Some(As::Jsonl);
    if how.thread_ids.is_some() && !is_text {
        return Err(Failure::usage("--thread-ids is about the text of apitrace traces."));
    }
    if how.blobs && format.id != apitrace::ROW.format.id {
        return Err(Failure::usage("--blobs is about apitrace traces."));
    }
    if how.blobs && is_text {
        return Err(Failure::usage("--blobs is about apitrace traces as JSON: use --json."));
    }
    let forms: &[As] = match how.form() {
        Some(As::Text) => &[As::Text],
        Some(As::Jsonl) => &[As::Jsonl],
        None => &[As::Text, As::Jsonl],
    };
    for form in forms {
        let text = match form {
            As::Jsonl => Text::Jsonl { blobs: how.blobs },
            As::Text => Text::Apitrace { thread_ids: how.thread_ids == Some(YesNo::Yes) },
        };
        if let Some(dump) =
            (format.text)(&source.head, text, options).map_err(|error| Failure::of(&source.name, error))?
        {
            return Ok(dump);
        }
    }
    Err(Failure::usage(NOT_TEXT))
}

/// The sentence for a trace that cannot be printed as text.
const NOT_TEXT: &str = "This trace cannot be printed as text: only apitrace traces can. Use --as jsonl.";

/// Prints the records of a file that is read as bytes.
fn stream(mut dump: Box<dyn TextDump>, how: &Dump, mut source: Source) -> Result<(), Failure> {
    let name = source.name.clone();
    let refused = |why: String| Failure::of(&name, why);
    let mut files = match &how.blob_files {
        Some(directory) => {
            dump.part().blobs = Some(Vec::new());
            let created = BlobFiles::create(directory.clone(), Inputs::of(&how.trace, Some(&how.names)));
            Some(created.map_err(|error| unwritable(&format!("{}: {error}", directory.display())))?)
        }
        None => None,
    };
    let mut out = console::data();
    let mut written = false;
    let mut failed = None;
    let end = read::text(
        dump.as_mut(),
        &mut source,
        |text, part| {
            written |= !text.is_empty();
            out.write_all(text.as_bytes())?;
            match (&mut files, &mut part.blobs) {
                (Some(files), Some(blobs)) => {
                    let end = blobs.drain(..).try_for_each(|blob| files.write(&blob));
                    failed = end.as_ref().err().map(ToString::to_string);
                    end
                }
                _ => Ok(()),
            }
        },
        |problem| {
            let hint = if problem.kind.offers_to_go_on() { GO_ON } else { "" };
            let mark = if hint.is_empty() { "" } else { "." };
            complain(&name, Place::At { noun: "byte", at: problem.at }, &format!("{problem}{mark}{hint}"));
        },
    );
    if let Some(sentence) = failed {
        return Err(unwritable(&sentence));
    }
    let end = end?;
    out.flush()?;
    source.bar.finish();
    if let Some(BlobFiles { files, bytes, .. }) = &files {
        let plural = if *files == 1 { "" } else { "s" };
        console::say(format_args!("{files} file{plural} of blobs, {bytes} bytes"));
    }
    match end {
        Ok(()) => {
            say_if_nothing(how, dump.part());
            Ok(())
        }
        Err(error) if written => {
            complain(&name, Place::At { noun: "byte", at: error.at }, &error.cause.to_string());
            Ok(())
        }
        Err(error) => Err(refused(error.to_string())),
    }
}

/// The failure of a file of blobs, which says nothing of the trace.
fn unwritable(sentence: &str) -> Failure {
    Failure::usage(format!("{sentence}. Choose another directory for --blob-files."))
}

/// Says so if no record belongs to the part.
fn say_if_nothing(how: &Dump, part: &Part) {
    if let Some(sentence) = how.part.nothing().filter(|_| part.printed == 0) {
        console::say(sentence);
    }
}

/// Prints the records of a database.
fn database(decoder: Box<dyn RowDecoder>, mut part: Part, how: &Dump, source: &Source) -> Result<(), Failure> {
    let refused = |why: String| Failure::of(&source.name, why);
    let database = Database::open(&source.path).map_err(|error| refused(error.sentence))?;
    let noun = decoder.info().format.nouns.place;
    let mut out = console::data();
    let mut written = false;
    let end = pull::text(
        decoder,
        Box::new(database),
        &mut part,
        |text| {
            written |= !text.is_empty();
            out.write_all(text.as_bytes())
        },
        |problem| complain(&source.name, Place::At { noun, at: problem.at }, &problem.to_string()),
    )?;
    out.flush()?;
    match end {
        Ok(()) => {
            say_if_nothing(how, &part);
            Ok(())
        }
        Err(error) if written => {
            complain(&source.name, Place::Whole, &error.sentence);
            Ok(())
        }
        Err(error) => Err(refused(error.sentence)),
    }
}
