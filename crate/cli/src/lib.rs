//! `unspool`: what a trace contains, statistics of its functions, and its records as text.
//!
//! [`main`] is the command. Other programs keep a trace open ([`opened`]) and get the answers that
//! the command prints.
//!
//! Exit status: 0 if the format was recognised, even if the trace is broken or empty. What could be
//! read goes to stdout, what is wrong to stderr. 1 if the format was not recognised or nothing
//! could be read, 2 for wrong usage. `compare` has those of diff(1).

mod binaries;
mod clean;
mod compare;
mod console;
mod convert;
mod coverage;
mod csv;
mod cut;
mod dump;
mod find;
mod findings;
mod frame_list;
mod generate;
mod graph;
mod graphics;
mod info;
mod interrupt;
mod json;
mod listing;
mod loops;
pub mod opened;
mod output;
mod progress;
mod query;
mod read_whole;
mod resources;
mod scope;
mod segments;
mod slices;
mod sql;
mod sql_functions;
mod sqlite;
mod stats;
mod steps;
mod suspects;
mod unpack;

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use progress::Progress;
use unspool_engine::read::{ReadAt, head_and_tail};
use unspool_trace::{Limits, OpenOptions};

#[derive(Parser)]
#[command(version, about = "Inspects traces of programs.", arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Shows what a trace contains: format, clock, tracks, counts, problems.
    Info {
        #[command(flatten)]
        trace: TraceArgs,
        #[command(flatten)]
        names: NameArgs,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
    Stats(stats::Stats),
    Graph(graph::Graph),
    Dump(dump::Dump),
    Slices(slices::Slices),
    Find(find::Find),
    Query(query::Query),
    State(steps::State),
    History(steps::History),
    Origin(steps::Origin),
    Coverage(coverage::Coverage),
    Loops(loops::Loops),
    FrameList(frame_list::FrameList),
    Findings(findings::Findings),
    Resources(resources::Resources),
    Image(resources::Image),
    Sql(sql::Sql),
    Convert(convert::Convert),
    Compare(compare::Compare),
    Suspects(suspects::Suspects),
    Cut(cut::Cut),
    Generate(Generate),
}

/// The trace that a command reads.
#[derive(Clone, clap::Args)]
struct TraceArgs {
    /// Trace to read; - for standard input; archive.zip/name for a file in an archive.
    file: PathBuf,
    /// Read on where a limit on unpacked bytes or memory would end the reading.
    #[arg(long)]
    no_limits: bool,
    /// Attribute the callee of a tail call to the function that jumped to it, not to that
    /// function's caller (XRay).
    #[arg(long, visible_alias = "deduce-sibling-calls")]
    nest_tail_calls: bool,
    /// Memory that slices may take before they are moved to a temporary file in TMPDIR: 500M, 2G.
    /// Default: an eighth of the free memory.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    max_memory: Option<u64>,
}

/// Parses a number of bytes: 4096, 500M, 2G.
fn size(text: &str) -> Result<u64, String> {
    let (digits, unit) = text.split_at(text.trim_end_matches(['K', 'M', 'G', 'T']).len());
    let unit = match unit {
        "" => 1,
        "K" => 1_000,
        "M" => 1_000_000,
        "G" => 1_000_000_000,
        "T" => 1_000_000_000_000,
        _ => 0,
    };
    let bytes = digits.parse().ok().and_then(|number: u64| number.checked_mul(unit)).filter(|_| unit > 0);
    bytes.ok_or_else(|| format!("{text} is not a size: write 500M or 2G"))
}

impl TraceArgs {
    fn limits(&self) -> Limits {
        if self.no_limits { Limits::LIFTED } else { Limits::DEFAULT }
    }

    fn options(&self) -> OpenOptions {
        OpenOptions { size: None, limits: self.limits(), nest_tail_calls: self.nest_tail_calls }
    }
}

/// What names the ids and addresses of a trace.
#[derive(Clone, clap::Args)]
struct NameArgs {
    /// File of names for ids, addresses or statements, with lines of `key,name`,
    /// `key,name,file,line`, or `start size name` as in perf maps.
    #[arg(long, value_name = "FILE")]
    names: Option<PathBuf>,
    /// Program that ran, for the names of its functions. Repeat the option for shared libraries and
    /// debug files. XRay: if the log has several libraries, prefix each with its object number,
    /// such as 1=libx.so. Traces of instructions: if the address of its first page is not found,
    /// append it, as in prog@0x555555554000.
    #[arg(long, value_name = "[OBJECT=]FILE[@BASE]", value_parser = binaries::argument)]
    binary: Vec<binaries::Argument>,
}

impl NameArgs {
    /// The files that they name.
    fn files(&self) -> impl Iterator<Item = &Path> {
        self.names.as_deref().into_iter().chain(self.binary.iter().map(binaries::Argument::path))
    }
}

/// Generates a trace of any size, for tests and benchmarks.
#[derive(clap::Args)]
struct Generate {
    /// Format to write.
    #[arg(value_enum)]
    format: generate::Kind,
    /// Number of events, such as records or calls.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    events: u64,
    /// Seed; the same seed gives the same trace.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of threads.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    threads: u32,
    /// Maximum depth of calls or groups.
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    depth: u32,
    /// Begin in the middle of calls, as flight recorders do (xray).
    #[arg(long)]
    mid_stack: bool,
    /// Write some buffers after later ones (xray).
    #[arg(long)]
    out_of_order: bool,
    /// File to write; - for standard output.
    #[arg(short, long)]
    output: PathBuf,
}

/// Runs the command with the arguments of the process. Returns its exit status.
pub fn main() -> ExitCode {
    interrupt::listen();
    let status = run();
    interrupt::clean();
    status
}

/// Carries out a command. Returns its exit status.
fn carry_out(command: &Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Info { trace, names, json } => info::run(trace, names, *json),
        Command::Slices(what) => slices::run(what),
        Command::Stats(what) => stats::run(what),
        Command::Graph(what) => graph::run(what),
        Command::Find(what) => find::run(what),
        Command::Query(what) => query::run(what),
        Command::State(what) => steps::state(what),
        Command::History(what) => steps::history(what),
        Command::Origin(what) => steps::origin(what),
        Command::Coverage(what) => coverage::coverage(what),
        Command::Loops(what) => loops::run(what),
        Command::FrameList(what) => frame_list::run(what),
        Command::Findings(what) => findings::run(what),
        Command::Resources(what) => resources::resources(what),
        Command::Image(what) => resources::image(what),
        Command::Sql(what) => sql::run(what),
        Command::Convert(what) => return Ok(convert::run(what)),
        // 1 says that the traces differ.
        Command::Compare(what) => return compare::run(what).map_err(|error| Failure { usage: true, ..error }),
        Command::Suspects(what) => suspects::run(what),
        Command::Cut(what) => cut::run(what),
        Command::Generate(what) => generate::run(what),
        Command::Dump(what) => dump::run(what),
    }
    .map(|()| ExitCode::SUCCESS)
}

fn run() -> ExitCode {
    match carry_out(&Cli::parse().command) {
        Ok(status) => status,
        Err(error) => {
            // The reader of the pipe has closed it: `unspool dump … | head`.
            if error.io_kind == Some(io::ErrorKind::BrokenPipe) {
                return ExitCode::SUCCESS;
            }
            let status = match (error.is_interrupted, error.usage) {
                (true, _) => ExitCode::from(interrupt::STATUS),
                (_, true) => ExitCode::from(2),
                _ => ExitCode::FAILURE,
            };
            console::say(format_args!("unspool: {}", error.into_sentence()));
            status
        }
    }
}

/// Why a command failed.
#[derive(Debug)]
struct Failure {
    sentence: String,
    io_kind: Option<io::ErrorKind>,
    /// The arguments are wrong, not the file.
    usage: bool,
    /// The user has stopped it.
    is_interrupted: bool,
    /// The file is an archive with several traces.
    archive: Option<unpack::Archive>,
    /// Byte of the file, or the place in a database, that is wrong.
    at: Option<u64>,
}

impl Failure {
    fn new(sentence: impl Into<String>) -> Self {
        Self { sentence: sentence.into(), io_kind: None, usage: false, is_interrupted: false, archive: None, at: None }
    }

    /// What is wrong, for people.
    fn into_sentence(self) -> String {
        self.archive.map_or(self.sentence, |archive| archive.sentence())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self { io_kind: Some(error.kind()), ..Self::new(error.to_string()) }
    }
}

/// A file that is read by offset.
struct Source {
    file: File,
    /// Path of the file, for SQLite, which opens it by itself.
    path: PathBuf,
    /// The copy of standard input, or the unpacked file. Deleted on drop.
    _spooled: unpack::Unpacked,
    /// The containers around the trace.
    container: Option<String>,
    size: u64,
    head: Vec<u8>,
    tail: Vec<u8>,
    name: String,
    bar: Progress,
}

impl Source {
    /// Opens a trace, out of its containers.
    fn open(trace: &TraceArgs) -> Result<Self, Failure> {
        let (path, limits) = (trace.file.as_path(), trace.limits());
        let name = path.display().to_string();
        let in_file = |error: io::Error| Failure::new(format!("{name}: {error}"));
        let spooled = (path == Path::new("-")).then(standard_input).transpose().map_err(in_file)?;
        let path = spooled.as_deref().unwrap_or(path).to_path_buf();
        let unpack::Found { path, unpacked, container } = unpack::find(&path, &name, spooled, limits)?;
        let file = File::open(&path).map_err(in_file)?;
        let size = file.metadata().map_err(in_file)?.len();
        let mut source = Self {
            file,
            path,
            _spooled: unpacked,
            container,
            size,
            head: Vec::new(),
            tail: Vec::new(),
            name: name.clone(),
            bar: Progress::new(size),
        };
        (source.head, source.tail) = head_and_tail(&mut source, size).map_err(in_file)?;
        // SQLite reads the log. The format's versions in the head would say that it is missing.
        if sqlite::has_log(&source.path)
            && let Some(versions) = source.head.get_mut(18..20)
            && *versions == [2, 2]
        {
            versions.fill(1);
        }
        Ok(source)
    }
}

/// Copies standard input to a temporary file: decoders seek.
fn standard_input() -> io::Result<tempfile::TempPath> {
    let mut file = interrupt::temporary()?;
    io::copy(&mut io::stdin().lock(), &mut file)?;
    Ok(file.into_temp_path())
}

impl ReadAt for Source {
    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        interrupt::check()?;
        self.file.seek(SeekFrom::Start(at))?;
        let mut filled = 0;
        while filled < buffer.len() {
            match self.file.read(buffer.get_mut(filled..).unwrap_or_default()) {
                Ok(0) => break,
                Ok(n) => filled += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.bar.set(at + filled as u64);
        Ok(filled)
    }
}

/// The position of a problem.
#[derive(Clone, Copy)]
enum Place {
    /// A file offset, or a position in the trace: `noun` says which.
    At { noun: &'static str, at: u64 },
    /// In the file as a whole.
    Whole,
}

/// What follows the sentence about a limit that ended the reading.
const GO_ON: &str = " Use --no-limits to go on.";

/// Prints to stderr what is wrong with the file, and where.
fn complain(name: &str, place: Place, sentence: &str) {
    let at = match place {
        Place::At { noun, at } => format!("at {noun} {at}: "),
        Place::Whole => "error: ".into(),
    };
    console::say(format_args!("unspool: {}: {at}{sentence}", console::one_line(name)));
}
