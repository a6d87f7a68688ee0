//! `unspool`: what a trace contains, statistics of its functions, and its records as text.
//!
//! [`main`] is the command. Other programs keep a trace open ([`opened`]) and get the answers that
//! the command prints.
//!
//! Exit status: 0 if there is an answer, even if the trace is broken or empty, and 2 on an error. 1
//! is the answer to a question: `compare` found a difference, `find --fail` a hit,
//! `findings --fail` a finding, `convert` a trace that can only be read in part, `info` and `dump`
//! a file that is not a trace. What could be read goes to stdout, what is wrong to stderr, with
//! `--json` as JSON. docs/scripts.md describes it.

mod binaries;
mod buffer;
mod clean;
mod compare;
mod console;
mod convert;
mod coverage;
mod csv;
mod cut;
mod dump;
mod failure;
mod find;
mod findings;
mod frame_list;
mod generate;
mod graph;
mod graphics;
mod guide;
mod info;
mod interrupt;
mod json;
mod limit;
mod listing;
mod loops;
mod mcp;
#[cfg(feature = "server")]
mod open;
pub mod opened;
mod origin;
mod output;
mod progress;
mod query;
mod read_whole;
mod resources;
mod scope;
mod scratch;
mod segments;
mod shell;
mod slices;
mod sql;
mod sql_functions;
mod sql_rows;
mod sqlite;
mod stats;
mod steps;
mod suspects;
mod unpack;

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::Styles;
use clap::{CommandFactory, Parser, Subcommand};
use failure::Failure;
use progress::Progress;
use unspool_engine::read::{ReadAt, head_and_tail};
use unspool_formats::trace_db;
use unspool_symbols::short_names;
use unspool_trace::{Limits, Naming, OpenOptions, is_invisible};

#[derive(Parser)]
#[command(name = "unspool", version, about = "Inspects traces of programs.", arg_required_else_help = true)]
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
    Origin(origin::Origin),
    Coverage(coverage::Coverage),
    Loops(loops::Loops),
    FrameList(frame_list::FrameList),
    Findings(findings::Findings),
    Resources(resources::Resources),
    Image(resources::Image),
    Buffer(buffer::Buffer),
    Sql(sql::Sql),
    Convert(convert::Convert),
    Compare(compare::Compare),
    Suspects(suspects::Suspects),
    Cut(cut::Cut),
    Generate(Generate),
    #[cfg(feature = "server")]
    Open(open::Open),
    Mcp(mcp::Mcp),
    Guide(guide::Guide),
    Schema(guide::Schema),
    Completions(shell::Completions),
    Man(shell::Man),
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
    /// A file with the limits of those that are given without options.
    fn of(file: &Path) -> Self {
        Self { file: file.to_path_buf(), no_limits: false, nest_tail_calls: false, max_memory: None }
    }

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
    #[arg(long, value_name = "[OBJECT=]FILE[@BASE]", value_parser = binaries::argument())]
    binary: Vec<binaries::Argument>,
    /// Shorten these names, of C++ and Rust: no return types, parameters, template arguments and
    /// namespaces. Names that would be alike keep more. Searches are then for the short names.
    #[arg(long)]
    short_names: bool,
}

impl NameArgs {
    /// Fails if there are no names to shorten.
    fn check(&self) -> Result<(), Failure> {
        if self.short_names && self.names.is_none() && self.binary.is_empty() {
            return Err(Failure::usage("--short-names shortens names of --binary and --names: give one of them."));
        }
        Ok(())
    }

    /// Names as they are to be shown for a trace of this format. The statements of trace-db stay,
    /// even those that look like functions, such as `free(p)`.
    fn shown(&self, naming: Naming, format: &str) -> Naming {
        let has_functions = format != trace_db::ROW.format.id;
        if self.short_names && has_functions { naming.with_texts(short_names) } else { naming }
    }

    /// As options of a command whose options of names end in `suffix`.
    fn options(&self, suffix: &str) -> Vec<String> {
        let names = self.names.iter().map(|path| (format!("--names{suffix}"), path.display().to_string()));
        let binaries = self.binary.iter().map(|binary| (format!("--binary{suffix}"), binary.text()));
        names.chain(binaries).flat_map(|(option, value)| [option, value]).collect()
    }

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
    /// Number of threads (not trace-db and rvn). Default: 4.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    threads: Option<u32>,
    /// Maximum depth of calls or groups (not trace-db). Default: 12.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    depth: Option<u32>,
    /// Begin in the middle of calls, as flight recorders do (xray).
    #[arg(long)]
    mid_stack: bool,
    /// Write some buffers after later ones (xray).
    #[arg(long)]
    out_of_order: bool,
    /// File to write; - for standard output.
    #[arg(short, long)]
    output: PathBuf,
    /// Print one JSON object about the file.
    #[arg(long)]
    json: bool,
}

/// Runs the command with the arguments of the process. Returns its exit status.
pub fn main() -> ExitCode {
    interrupt::listen();
    scratch::sweep();
    let status = run();
    interrupt::leave_to_signal();
    scratch::clean();
    status
}

/// Carries out a command. Returns its exit status.
fn carry_out(command: &Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Info { trace, names, json } => info::run(trace, names, *json).map(done),
        Command::Slices(what) => slices::run(what).map(done),
        Command::Stats(what) => stats::run(what).map(done),
        Command::Graph(what) => graph::run(what).map(done),
        Command::Find(what) => find::run(what),
        Command::Query(what) => query::run(what).map(done),
        Command::State(what) => steps::state(what).map(done),
        Command::History(what) => steps::history(what).map(done),
        Command::Origin(what) => origin::run(what).map(done),
        Command::Coverage(what) => coverage::coverage(what).map(done),
        Command::Loops(what) => loops::run(what).map(done),
        Command::FrameList(what) => frame_list::run(what).map(done),
        Command::Findings(what) => findings::run(what),
        Command::Resources(what) => resources::resources(what),
        Command::Image(what) => resources::image(what).map(done),
        Command::Buffer(what) => buffer::run(what).map(done),
        Command::Sql(what) => sql::run(what).map(done),
        Command::Convert(what) => convert::run(what),
        Command::Compare(what) => compare::run(what),
        Command::Suspects(what) => suspects::run(what).map(done),
        Command::Cut(what) => cut::run(what).map(done),
        Command::Generate(what) => generate::run(what).map(done),
        Command::Dump(what) => dump::run(what).map(done),
        #[cfg(feature = "server")]
        Command::Open(what) => open::run(what).map(done),
        Command::Mcp(what) => mcp::run(what).map(done),
        Command::Guide(what) => guide::guide(what).map(done),
        Command::Schema(what) => guide::schema(what).map(done),
        Command::Completions(what) => shell::completions(what).map(done),
        Command::Man(what) => shell::man(what).map(done),
    }
}

fn run() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    if asks_for_json(&args) {
        console::speak_json();
    }
    if args.get(1).is_some_and(|arg| arg == sql_rows::NAME) {
        return sql_rows::main(&args);
    }
    if args.get(1).is_some_and(|arg| arg == mcp::worker::NAME) {
        return mcp::worker::main(&args);
    }
    let command = match Cli::try_parse_from(&args) {
        Ok(cli) => cli.command,
        Err(error) if error.use_stderr() => {
            let text = unstyled(&error, &args);
            if asks_for_json(&args) {
                let sentence = text.strip_prefix("error: ").unwrap_or(&text).trim_end();
                Failure::usage(sentence).say();
            } else if text.contains(|c| c != '\n' && is_invisible(c)) {
                // Control characters of the arguments do not reach the terminal.
                console::say(text.trim_end());
            } else {
                error.exit();
            }
            return ExitCode::from(2);
        }
        Err(error) => error.exit(),
    };
    let asks_whether_it_is_a_trace = matches!(command, Command::Info { .. } | Command::Dump(_));
    match carry_out(&command) {
        Ok(status) => status,
        // The reader has what it wants: `unspool dump … | head`.
        Err(error) if error.is_closed_pipe() => ExitCode::SUCCESS,
        Err(error) => {
            error.say();
            if asks_whether_it_is_a_trace && error.is_about_the_trace() {
                return ExitCode::FAILURE;
            }
            ExitCode::from(error.status())
        }
    }
}

/// An error in the arguments without styles: they are sequences of control characters, as those
/// that an argument may have.
fn unstyled(error: &clap::Error, args: &[OsString]) -> String {
    let plain = Cli::command().styles(Styles::plain()).try_get_matches_from(args);
    plain.err().as_ref().unwrap_or(error).render().ansi().to_string()
}

/// The status of a command that has answered.
fn done((): ()) -> ExitCode {
    ExitCode::SUCCESS
}

/// Whether what a command prints is for programs. Errors in the arguments are, too, so this is
/// known before they are understood.
fn asks_for_json(args: &[OsString]) -> bool {
    let mut before = None;
    for arg in args.iter().skip(1).filter_map(|arg| arg.to_str()) {
        match (before, arg) {
            (_, "--") => return false,
            (_, "--json" | "--as=json" | "--as=jsonl") | (Some("--as"), "json" | "jsonl") => return true,
            _ => before = Some(arg),
        }
    }
    false
}

/// A file that is read by offset.
struct Source {
    file: File,
    /// Path of the file, for SQLite, which opens it by itself.
    path: PathBuf,
    /// The copy of standard input or of a database with its log, or the unpacked file. Deleted on
    /// drop.
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
        let in_file = |error: io::Error| Failure::io(&name, &error);
        let spooled = (path == Path::new("-")).then(standard_input).transpose().map_err(in_file)?;
        let path = spooled.as_deref().unwrap_or(path).to_path_buf();
        if path.is_dir() {
            return Err(Failure::usage(format!("{name}: it is a directory. Name a trace in it.")));
        }
        let unpack::Found { mut path, mut unpacked, container } = unpack::find(&path, &name, spooled, limits)?;
        // One with its log from an archive is in a folder of its own already.
        if matches!(unpacked, unpack::Unpacked::None)
            && let Some(folder) = unpack::with_log(&path).map_err(in_file)?
        {
            (path, unpacked) = (folder.path().join(unpack::COPY), unpack::Unpacked::Folder { _folder: folder });
        }
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
    let mut file = scratch::temporary()?;
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
    let (at, object) = match place {
        Place::At { noun, at } => (format!("at {noun} {at}: "), serde_json::json!({ "unit": noun, "at": at })),
        Place::Whole => ("error: ".into(), serde_json::json!({})),
    };
    let line = format!("unspool: {}: {at}{sentence}", console::one_line(name));
    console::say_as(line, "problem", || {
        let mut object = object;
        for (key, text) in [("file", name), ("message", sentence)] {
            object.as_object_mut().map(|object| object.insert(key.into(), text.into()));
        }
        object
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_asked_for_before_arguments_are_understood() {
        let asks = |line: &str| asks_for_json(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert!(asks("unspool info a --json") && asks("unspool graph a --as json") && asks("unspool dump --as=jsonl"));
        assert!(!asks("unspool info a") && !asks("unspool info -- --json") && !asks("unspool dump a --as text"));
    }
}
