//! `unspool convert`: traces in formats of other programs.

mod in_part;
#[cfg(feature = "parquet")]
mod parquet;
mod summary;

use std::collections::{HashSet, VecDeque};
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Instant;

use in_part::{Mark, Why};
use summary::{Outcome, Summary};
use unspool_cut::clean::Cleaner;
use unspool_engine::Session;
use unspool_export::{Arguments, Collector, Export, FORMATS, Format, Step, Stored, Trace, Writer};
use unspool_formats::has_arguments;
use unspool_trace::check_path_bytes;
use unspool_trace::problem::TRUNCATED;

use crate::clean::CleanArgs;
use crate::console;
use crate::find::{failed, reader_of, search_for};
use crate::output::{Inputs, Output};
use crate::progress::{self, Progress};
use crate::read_whole::{read_spilled, threads};
use crate::scope::ScopeArgs;
use crate::{Failure, NameArgs, Source, TraceArgs, complain, interrupt, scratch};

/// Converts traces to formats of other programs.
///
///     unspool convert app.xray --to perfetto -o app.pftrace     opens in ui.perfetto.dev
///     unspool convert *.xray --to speedscope --binary ./app -o profiles/
///     unspool convert game.trace --to chrome --where 'name:glDraw*' -o -
///
/// An input that is broken is converted as far as it can be read, and reported; the others are not
/// affected. Exit status 1 means that there was such an input, and 2 that one could not be converted at
/// all.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Convert {
    /// Traces to read; - for standard input.
    #[arg(required = true)]
    inputs: Vec<PathBuf>,
    /// Format to write: chrome (Trace Event JSON), perfetto, speedscope, folded (stacks with self
    /// times), pprof, vcd (counters), csv, parquet (a data set of tables).
    #[arg(long, value_parser = to)]
    to: To,
    /// File to write; - for standard output. For several inputs, and for Parquet, a directory.
    #[arg(short, long)]
    output: PathBuf,
    #[command(flatten)]
    scope: ScopeArgs,
    /// Only slices and instants that match this expression, as in `unspool find`. Counters are
    /// omitted.
    #[arg(long = "where", value_name = "EXPRESSION", allow_hyphen_values = true)]
    filter: Option<String>,
    /// Omit the arguments of calls and events (chrome, perfetto).
    #[arg(long)]
    no_args: bool,
    /// Skip inputs whose outputs exist. An input that was converted in part is converted again if
    /// it has changed since, and reported again otherwise.
    #[arg(long)]
    resume: bool,
    /// Print one JSON object: what became of each input.
    #[arg(long)]
    json: bool,
    /// Number of traces to convert at the same time. Large ones are still converted one by one.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Read on where a limit on unpacked bytes or memory would end the reading.
    #[arg(long)]
    no_limits: bool,
    /// Attribute the callee of a tail call to the function that jumped to it, not to that
    /// function's caller (XRay).
    #[arg(long, visible_alias = "deduce-sibling-calls")]
    nest_tail_calls: bool,
    #[command(flatten)]
    names: NameArgs,
    #[command(flatten)]
    clean: CleanArgs,
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum To {
    /// A file.
    File(Format),
    /// Tables of a data set.
    #[cfg(feature = "parquet")]
    Parquet,
}

impl To {
    fn is_file(self) -> bool {
        matches!(self, Self::File(_))
    }

    /// Call stacks only.
    fn is_stacks(self) -> bool {
        matches!(self, Self::File(Format::Speedscope | Format::Folded | Format::Pprof))
    }

    fn has_args(self) -> bool {
        match self {
            Self::File(format) => format.has_args(),
            #[cfg(feature = "parquet")]
            Self::Parquet => true,
        }
    }
}

fn to(text: &str) -> Result<To, String> {
    if let Some(format) = FORMATS.into_iter().find(|format| format.id() == text) {
        return Ok(To::File(format));
    }
    if text == "parquet" {
        #[cfg(feature = "parquet")]
        return Ok(To::Parquet);
        #[cfg(not(feature = "parquet"))]
        return Err("this program was built without Parquet; build it with --features parquet".into());
    }
    let all: Vec<&str> = FORMATS.iter().map(|format| format.id()).collect();
    Err(format!("expected one of {}, parquet", all.join(", ")))
}

/// Rows of a step, after which what was written goes to the file.
const ROWS: u32 = 1 << 14;
/// Bytes of inputs that are read at the same time, unless one alone has more.
const AT_ONCE: u64 = 256 << 20;

/// An input with its output.
struct Job {
    /// Its place among the inputs.
    number: usize,
    input: PathBuf,
    /// `None`: standard output. Of a data set its directory.
    output: Option<PathBuf>,
    /// The name of the trace in a data set.
    #[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "there are no data sets"))]
    trace: String,
    size: u64,
}

impl Job {
    /// Whether its output is there.
    fn is_done(&self, to: To) -> bool {
        self.output.as_ref().is_some_and(|output| match to {
            To::File(_) => output.exists(),
            #[cfg(feature = "parquet")]
            To::Parquet => parquet::Parquet::exists(output, &self.trace),
        })
    }

    /// The files that it writes.
    fn paths(&self, to: To) -> Vec<PathBuf> {
        let Some(output) = &self.output else { return Vec::new() };
        let mut paths = match to {
            To::File(_) => vec![output.clone()],
            #[cfg(feature = "parquet")]
            To::Parquet => parquet::Parquet::paths(output, &self.trace),
        };
        paths.extend(self.mark(to).map(Mark::into_path));
        paths
    }

    /// What says that its output has a part of the trace. `None` for standard output.
    fn mark(&self, to: To) -> Option<Mark> {
        let output = self.output.as_ref()?;
        Some(Mark::at(match to {
            To::File(_) => with_ending(output, ".in-part"),
            #[cfg(feature = "parquet")]
            To::Parquet => parquet::Parquet::mark(output, &self.trace),
        }))
    }
}

/// A path with an ending after its own.
fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut longer = OsString::from(path);
    longer.push(ending);
    longer.into()
}

pub(crate) fn run(what: &Convert) -> Result<ExitCode, Failure> {
    let jobs = jobs_of(what)?;
    let several = jobs.len() > 1;
    let threads = what.jobs.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from);
    let threads = threads.min(jobs.len());
    let summary = Mutex::new(Summary::new(several, what.json, jobs.iter().map(|job| job.size).sum()));
    if several {
        // One bar for all.
        progress::hide_all();
    }
    let queue = Mutex::new((VecDeque::from(jobs), 0_u64));
    let changed = Condvar::new();
    let work = || {
        while let Some(job) = take(&queue, &changed) {
            let outcome = one(what, &job);
            summary.lock().unwrap_or_else(PoisonError::into_inner).add(&job, outcome);
            queue.lock().unwrap_or_else(PoisonError::into_inner).1 -= job.size;
            changed.notify_all();
        }
    };
    let stop = interrupt::here();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| stop.run(work));
        }
    });
    let summary = summary.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(ExitCode::from(summary.print(&what.clean)?))
}

/// The next input, once there is room for it.
fn take(queue: &Mutex<(VecDeque<Job>, u64)>, changed: &Condvar) -> Option<Job> {
    let mut state = queue.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        let size = state.0.front()?.size;
        if state.1 == 0 || state.1 + size <= AT_ONCE {
            state.1 += size;
            return state.0.pop_front();
        }
        state = changed.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
}

/// The inputs with their outputs.
fn jobs_of(what: &Convert) -> Result<Vec<Job>, Failure> {
    let to_stdout = what.output == Path::new("-");
    let several = what.inputs.len() > 1;
    if to_stdout && several {
        return Err(Failure::usage("Several traces cannot be written to standard output. Use -o with a directory."));
    }
    if what.no_args && !what.to.has_args() {
        return Err(Failure::usage("--no-args is about formats that have arguments: chrome, perfetto and parquet."));
    }
    if to_stdout && what.json {
        return Err(Failure::usage(
            "Standard output cannot have both the trace and the JSON object. Use -o with a file.",
        ));
    }
    if to_stdout && !what.to.is_file() {
        return Err(Failure::usage("A data set has several files. Use -o with a directory."));
    }
    let in_directory = several
        || !what.to.is_file()
        || what.output.is_dir()
        || what.output.as_os_str().to_string_lossy().ends_with('/');
    if in_directory {
        let made = fs::create_dir_all(&what.output);
        made.map_err(|error| Failure::of(what.output.display(), error))?;
    }
    let mut names = HashSet::new();
    let mut jobs = Vec::new();
    for (place, input) in what.inputs.iter().enumerate() {
        let stem = if input == Path::new("-") {
            "trace".into()
        } else {
            input.file_name().unwrap_or(input.as_os_str()).to_string_lossy().into_owned()
        };
        // The names of a data set's partitions are part of addresses in some stores.
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        let stem = if what.to.is_file() { stem } else { stem.replace(|c| !is_plain(c), "_") };
        // Traces of one name in several directories are numbered.
        let mut trace = stem.clone();
        let mut number = 1;
        while !names.insert(trace.clone()) {
            number += 1;
            trace = format!("{stem}-{number}");
        }
        let output = match what.to {
            _ if to_stdout => None,
            To::File(format) if in_directory => Some(what.output.join(format!("{trace}{}", format.extension()))),
            _ => Some(what.output.clone()),
        };
        let size = fs::metadata(input).map_or(0, |metadata| metadata.len());
        jobs.push(Job { number: place, input: input.clone(), output, trace, size });
    }
    // Each output may be the input of another job.
    let mut inputs = Inputs::default();
    for input in what.inputs.iter().map(PathBuf::as_path).chain(what.names.files()) {
        inputs.add(input);
    }
    for path in jobs.iter().flat_map(|job| job.paths(what.to)) {
        inputs.spare(&path)?;
    }
    Ok(jobs)
}

fn one(what: &Convert, job: &Job) -> Outcome {
    if what.resume && job.is_done(what.to) {
        match job.mark(what.to).filter(Mark::is_set) {
            None => return Outcome::Skipped { broken: false },
            Some(mark) if mark.still_holds(&job.input, what.no_limits) => return Outcome::Skipped { broken: true },
            Some(_) => {}
        }
    }
    let began = Instant::now();
    match convert(what, job) {
        Ok((written, broken)) => Outcome::Converted { written, seconds: began.elapsed().as_secs_f64(), broken },
        Err(error) if error.is_closed_pipe() => {
            Outcome::Converted { written: Written::default(), seconds: 0.0, broken: false }
        }
        Err(error) => Outcome::Failed(error),
    }
}

/// What was written of a trace.
#[derive(Default)]
struct Written {
    rows: u64,
    bytes: u64,
    /// What could be hashed and left out: [`Cleaner::found`].
    found: [u64; 4],
}

/// Converts a trace. Returns what was written, and whether the trace was read in part.
fn convert(what: &Convert, job: &Job) -> Result<(Written, bool), Failure> {
    let trace = TraceArgs {
        file: job.input.clone(),
        no_limits: what.no_limits,
        nest_tail_calls: what.nest_tail_calls,
        max_memory: None,
    };
    let (source, session) = read_spilled(&trace, &what.names)?;
    // A file that ends too early is one whose rest is missing.
    let is_cut = session.progress().problems.iter().any(|problem| problem.kind == TRUNCATED.id());
    let at_limit = session.stopped_at_limit() && !what.no_limits;
    let broken = is_cut || session.error().is_some() || at_limit;
    let mark = job.mark(what.to);
    // Before the output has its name: an output without a mark is whole.
    let marked = || match &mark {
        Some(mark) if broken => mark.set(&job.input, if at_limit { Why::Limit } else { Why::Broken }),
        _ => Ok(()),
    };
    let written = match (what.to, &job.output) {
        (To::File(format), None) => {
            let mut out = console::data();
            let written = write(what, &source, &session, format.writer(), &mut |bytes| out.write_all(bytes))?;
            out.flush()?;
            written
        }
        (To::File(format), Some(output)) => {
            // An output is complete or not there, so that --resume can go by that.
            let in_file = |error: io::Error| Failure::io(output.display(), &error);
            let mut file = Output::create(output).map_err(in_file)?;
            let written = write(what, &source, &session, format.writer(), &mut |bytes| file.write_all(bytes))?;
            marked().and_then(|()| file.finish()).map_err(in_file)?;
            written
        }
        #[cfg(feature = "parquet")]
        (To::Parquet, output) => {
            let output = output.as_deref().unwrap_or(Path::new("."));
            let in_set = |error| Failure::of(output.display(), error);
            let lowest = session.store().track_report().iter().map(|track| track.lowest).collect();
            let files = parquet::Parquet::create(output, &job.trace, lowest);
            let written = files.map_err(in_set).and_then(|files| {
                let check = |_: &[u8]| files.take_error().map_or(Ok(()), |error| Err(io::Error::other(error)));
                let written = write(what, &source, &session, Box::new(files.clone()), &mut { check })?;
                let bytes = files.close(&marked).map_err(in_set)?;
                Ok(Written { bytes, ..written })
            });
            if written.is_err() {
                parquet::Parquet::remove(output, &job.trace);
            }
            written?
        }
    };
    if let Some(mark) = mark.filter(|_| !broken) {
        mark.clear();
    }
    Ok((written, broken))
}

/// Writes a trace that was read.
fn write(
    what: &Convert,
    source: &Source,
    session: &Session,
    writer: Box<dyn Writer>,
    save: &mut dyn FnMut(&[u8]) -> io::Result<()>,
) -> Result<Written, Failure> {
    let store = session.store();
    let range = what.scope.range();
    let of_stacks = what.to.is_stacks();
    if let (Some((from, to)), Some((first, last))) = (range, store.extent())
        && (to <= first || from > last)
    {
        let sentence = format!("nothing is in the range: positions of this trace are from {first} to {last}.");
        complain(&source.name, crate::Place::Whole, &sentence);
    }
    let tracks = match what.scope.tracks(session)? {
        Some(tracks) => tracks,
        // Lanes beside threads, such as those of frames, are not call stacks.
        None if of_stacks => threads(session),
        None => (0..store.track_count() as u32).collect(),
    };
    let mut trace = Trace::of(session, file_name(&source.name), range);
    if of_stacks && tracks.iter().all(|track| trace.is_overlapping(*track)) {
        return Err(Failure::of(&source.name, "This trace has no call stacks to write.").unsupported());
    }
    if what.to == To::File(Format::Vcd) && !tracks.iter().any(|track| store.has_samples(*track)) {
        return Err(Failure::of(&source.name, "This trace has no counters to write.").unsupported());
    }
    let mut search = match &what.filter {
        None => None,
        Some(expression) => {
            let (search, beyond) = search_for(session, source, expression)?;
            if beyond > 0 {
                complain(
                    &source.name,
                    crate::Place::Whole,
                    &format!("{beyond} further records match and are left out."),
                );
            }
            Some(search)
        }
    };
    let hits = search.as_mut().map(|search| &*search.hits());
    let with_args = what.to.has_args() && !what.no_args && has_arguments(session.format().id);
    let mut cleaner = what.clean.cleaner();
    let mut args = None;
    if with_args {
        let (collected, back) = arguments(session, source, cleaner)?;
        (args, cleaner) = (Some(collected), back);
    }
    let mut rows = Stored::new(session, range, hits, args);
    trace.clean(&mut cleaner);
    let mut export = Export::new(trace, writer, tracks, with_args);
    let bar = Progress::new(export.rows(&rows));
    let mut out = Vec::with_capacity(1 << 21);
    let mut bytes = 0;
    loop {
        let step = export.step(&mut rows, ROWS, &mut out);
        bytes += out.len() as u64;
        save(&out)?;
        out.clear();
        bar.set(export.passed());
        match step {
            Step::Done => break,
            Step::TooLarge(bytes) => return Err(too_large(source, bytes)),
            Step::More | Step::Stalled => {}
        }
    }
    bar.finish();
    if let Some(error) = store.take_shelf_error().or_else(|| rows.take_error()) {
        return Err(Failure::of(&source.name, format_args!("its slices in a temporary file: {error}")));
    }
    Ok(Written { rows: export.passed(), bytes, found: cleaner.found() })
}

/// The failure of an export whose call paths take so many bytes.
fn too_large(source: &Source, bytes: u64) -> Failure {
    let reason = check_path_bytes(bytes).err().unwrap_or_default();
    Failure::of(&source.name, format_args!("{reason} With --to speedscope or perfetto, each call is written once."))
}

/// Pieces of the file that are visited at once for arguments.
const PIECES: u32 = 64;

/// Collects the arguments of all records of a trace.
fn arguments(session: &Session, source: &Source, cleaner: Cleaner) -> Result<(Arguments, Cleaner), Failure> {
    let mut reader = reader_of(session, source)?;
    let mut collector = Collector::new(Box::new(scratch::unnamed()?), cleaner);
    let mut next = 0;
    loop {
        next = reader.visit_all(next, PIECES, &mut collector).map_err(|error| failed(source, error))?;
        if let Some(error) = collector.take_error() {
            return Err(error.into());
        }
        let (done, of) = reader.covered(next);
        if done >= of {
            return Ok(collector.finish()?);
        }
    }
}

/// The last part of a path.
fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}
