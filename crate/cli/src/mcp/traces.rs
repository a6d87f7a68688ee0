//! The traces that are open, the directories that they may be in, and commands that answer for
//! them.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use crate::interrupt::{Started, Stop};
use crate::opened::Opened;
use crate::read_whole::read_named;
use crate::{Failure, NameArgs, TraceArgs, binaries, scratch, sql, sql_rows, unpack};

/// Most traces that are open. The one that was used least recently is closed.
pub(super) const MOST_OPEN: usize = 4;
/// Most bytes that a command may answer.
const MOST_BYTES: u64 = 64 << 20;

/// The traces that are open.
pub(super) struct Traces {
    roots: Vec<PathBuf>,
    timeout: Duration,
    /// When the answer to the current question has to be there.
    until: Deadline,
    /// The one that was used last is the last.
    open: Vec<Open>,
    /// The names with which traces were open in a process that was ended.
    earlier: BTreeMap<PathBuf, Recalled>,
    /// A file had changed, so the current question has read it again.
    has_changed: bool,
}

/// The names of a trace, or why there are none: one of their files is gone.
type Recalled = Result<NameArgs, String>;

/// Directories without symbolic links.
///
/// # Errors
///
/// Returns an error if one is not a directory.
pub(super) fn real(roots: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let root = |root: &PathBuf| {
        let path = root.canonicalize().map_err(|error| Failure::io(root.display(), &error))?;
        if path.is_dir() { Ok(path) } else { Err(Failure::usage(format!("{}: not a directory", root.display()))) }
    };
    roots.iter().map(root).collect()
}

/// A trace that was read.
pub(super) struct Open {
    /// Without symbolic links.
    path: PathBuf,
    names: NameArgs,
    /// Of its file and those of names, before they were read.
    stamps: Vec<Option<Stamp>>,
    opened: Opened,
}

/// Marks of a file that change with its content.
#[derive(PartialEq, Eq)]
struct Stamp {
    len: u64,
    modified: Option<SystemTime>,
    /// Its device and number there.
    identity: Option<(u64, u64)>,
}

impl Stamp {
    /// Of a file, or of the archive that has it; `None` if it is gone.
    fn of(path: &Path) -> Option<Self> {
        let about = unpack::file_of(path).metadata().ok()?;
        #[cfg(unix)]
        let identity = {
            use std::os::unix::fs::MetadataExt;
            Some((about.dev(), about.ino()))
        };
        #[cfg(not(unix))]
        let identity = None;
        Some(Self { len: about.len(), modified: about.modified().ok(), identity })
    }

    /// Of a trace and its names.
    fn of_all(path: &Path, names: &NameArgs) -> Vec<Option<Self>> {
        std::iter::once(path).chain(names.files()).map(Self::of).collect()
    }
}

impl Traces {
    /// Of traces below directories without symbolic links.
    pub(super) fn of(roots: Vec<PathBuf>, timeout: Duration) -> Self {
        let until = Deadline::after(timeout);
        Self { roots, timeout, until, open: Vec::new(), earlier: BTreeMap::new(), has_changed: false }
    }

    /// A path without symbolic links, if it is below a directory of this server. One that is not
    /// absolute is meant from such a directory.
    ///
    /// # Errors
    ///
    /// Returns an error if it leads elsewhere, or nowhere. The two sound alike.
    pub(super) fn allowed(&self, text: &str) -> Result<PathBuf, Failure> {
        let refused = || {
            let roots: Vec<String> = self.roots.iter().map(|root| root.display().to_string()).collect();
            let places = roots.join(", ");
            Failure::usage(format!("{text}: there is no such file below {places}, which is all that may be read."))
        };
        let candidates = self.roots.iter().map(|root| root.join(text));
        for path in candidates {
            // It may go on within an archive.
            let file = unpack::file_of(&path);
            let Ok(real) = file.canonicalize() else { continue };
            if !self.roots.iter().any(|root| real.starts_with(root)) || !real.is_file() {
                continue;
            }
            let within = path.strip_prefix(&file).map(Path::to_path_buf).unwrap_or_default();
            return Ok(if within.as_os_str().is_empty() { real } else { real.join(within) });
        }
        Err(refused())
    }

    /// Opens a trace, unless it is open with the same names and no file of it has changed.
    ///
    /// # Errors
    ///
    /// Returns an error if it may not or cannot be read.
    pub(super) fn open(&mut self, path: &str, names: Option<NameArgs>) -> Result<&Opened, Failure> {
        let path = self.allowed(path)?;
        let found = self.open.iter().position(|open| open.path == path).map(|at| self.open.remove(at));
        let open = match (found, names) {
            // Without a word about names, those of before stay.
            (Some(open), None) if open.stamps == Stamp::of_all(&path, &open.names) => open,
            (found, names) => {
                if let Some(before) = found {
                    self.has_changed = names.is_none();
                    self.earlier.insert(path.clone(), Ok(before.names));
                }
                if self.open.len() >= MOST_OPEN {
                    self.open.remove(0);
                }
                let none = NameArgs { names: None, binary: Vec::new(), short_names: false };
                let names = match names {
                    Some(names) => names,
                    None => self.names_of(&path)?.cloned().unwrap_or(none),
                };
                // Pictures are drawn from levels of detail.
                let stamps = Stamp::of_all(&path, &names);
                let opened = Opened::of(read_named(&TraceArgs::of(&path), &names)?);
                self.earlier.remove(&path);
                Open { path, names, stamps, opened }
            }
        };
        self.open.push(open);
        self.open.last().map(|open| &open.opened).ok_or_else(|| Failure::new("No trace is open."))
    }

    /// Has a trace be opened with these names, unless it may not be read any more.
    pub(super) fn recall(&mut self, path: &str, names: Result<NameArgs, Failure>) {
        if let Ok(path) = self.allowed(path) {
            let names = names.map_err(|error| format!("{error} The trace was opened with it. Open the trace again."));
            self.earlier.insert(path, names);
        }
    }

    /// What names functions, out of paths.
    ///
    /// # Errors
    ///
    /// Returns an error if a path leads elsewhere.
    pub(super) fn names(&self, binaries: &[String], names: Option<&str>) -> Result<NameArgs, Failure> {
        let binary = |text: &String| {
            let argument = binaries::parsed(text.as_ref()).map_err(Failure::usage)?;
            let path = self.allowed(&argument.path().to_string_lossy())?;
            Ok(argument.at_path(path))
        };
        let binary = binaries.iter().map(binary).collect::<Result<_, Failure>>()?;
        Ok(NameArgs { names: names.map(|names| self.allowed(names)).transpose()?, binary, short_names: false })
    }

    /// What names the functions of a trace, if it is or was open.
    ///
    /// # Errors
    ///
    /// Returns an error if a file with which it was open is gone.
    pub(super) fn names_of(&self, path: &Path) -> Result<Option<&NameArgs>, Failure> {
        if let Some(open) = self.open.iter().find(|open| open.path == path) {
            return Ok(Some(&open.names));
        }
        self.earlier.get(path).map(|names| names.as_ref().map_err(Failure::usage)).transpose()
    }

    /// A question begins. Returns how long it may take.
    pub(super) fn begin(&mut self) -> Duration {
        self.until = Deadline::after(self.timeout);
        self.has_changed = false;
        self.timeout
    }

    /// Whether the current question has read a trace again because a file had changed.
    pub(super) fn has_changed(&self) -> bool {
        self.has_changed
    }

    /// When the answer to the current question has to be there.
    pub(super) fn until(&self) -> Deadline {
        self.until
    }

    /// What another command answers, as JSON.
    ///
    /// # Errors
    ///
    /// Returns the error of the command, or one if it takes too long.
    pub(super) fn ask(&self, args: &[String]) -> Result<Value, Failure> {
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        let bytes = self.until.run(&args, "")?;
        serde_json::from_slice(&bytes).map_err(|error| Failure::new(format!("the answer is not complete: {error}")))
    }
}

/// When an answer has to be there.
#[derive(Clone, Copy)]
pub(super) struct Deadline {
    at: Instant,
    timeout: Duration,
}

impl Deadline {
    fn after(timeout: Duration) -> Self {
        Self { at: Instant::now() + timeout, timeout }
    }

    /// What another command of this program prints, with `input` on its standard input.
    ///
    /// # Errors
    ///
    /// Returns the error of the command, or one if it takes too long.
    fn run(self, args: &[OsString], input: &str) -> Result<Vec<u8>, Failure> {
        // What a process leaves that is ended here goes with its folder. The folder is dropped
        // last.
        let folder = scratch::folder()?;
        let mut command = Command::new(std::env::current_exe()?);
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        temporary(&mut command, folder.path());
        let (child, pipes) = Started::start(&mut command)?;
        let (Some(mut stdin), Some(out), Some(error)) = (pipes.stdin, pipes.stdout, pipes.stderr) else {
            return Err(Failure::new("The command cannot be run."));
        };
        let input = input.to_string();
        thread::spawn(move || stdin.write_all(input.as_bytes()));
        let (sent, received) = mpsc::channel();
        let collect = |source: Box<dyn Read + Send>, sent: mpsc::Sender<Vec<u8>>| {
            thread::spawn(move || {
                let mut bytes = Vec::new();
                let _ = source.take(MOST_BYTES).read_to_end(&mut bytes);
                let _ = sent.send(bytes);
            })
        };
        collect(Box::new(out), sent);
        let (sent, errors) = mpsc::channel();
        collect(Box::new(error), sent);
        let Ok(bytes) = received.recv_timeout(self.at.saturating_duration_since(Instant::now())) else {
            return Err(late(self.timeout));
        };
        wait(&child, Duration::from_secs(1))?;
        let said = errors.recv_timeout(Duration::from_secs(1)).unwrap_or_default();
        if !bytes.is_empty() {
            return Ok(bytes);
        }
        let last = said.rsplit(|byte| *byte == b'\n').find(|line| !line.is_empty()).unwrap_or_default();
        if last.is_empty() {
            return Err(Failure::new(
                "The process of this question has ended without an answer, perhaps for lack of memory. Ask for less.",
            ));
        }
        let error: Value = serde_json::from_slice(last).unwrap_or_default();
        let message = error.pointer("/error/message").and_then(Value::as_str);
        Err(Failure::new(message.map_or_else(|| String::from_utf8_lossy(last).into_owned(), String::from)))
    }
}

/// Has a process make its temporary files in a folder.
pub(super) fn temporary(command: &mut Command, folder: &Path) {
    for variable in ["TMPDIR", "TMP", "TEMP"] {
        command.env(variable, folder);
    }
}

/// Waits for the end of a process for some time.
fn wait(child: &Started, time: Duration) -> std::io::Result<()> {
    let until = Instant::now() + time;
    while !child.has_ended()? && Instant::now() < until {
        thread::sleep(Duration::from_millis(2));
    }
    Ok(())
}

/// Does work on this thread, and stops it after a time.
///
/// # Errors
///
/// Returns the error of the work, or one if it was stopped.
pub(super) fn within<T>(timeout: Duration, work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    let stop = Stop::default();
    let watched = stop.clone();
    let (done, is_done) = mpsc::channel::<()>();
    let watch = thread::spawn(move || {
        let is_late = is_done.recv_timeout(timeout) == Err(mpsc::RecvTimeoutError::Timeout);
        if is_late {
            watched.stop();
        }
        is_late
    });
    let answer = stop.run(work);
    drop(done);
    let is_late = watch.join().unwrap_or_default();
    answer.map_err(|error| if is_late { late(timeout) } else { error })
}

/// The error of what took too long.
pub(super) fn late(timeout: Duration) -> Failure {
    let seconds = timeout.as_secs();
    Failure::new(format!("cut off after {seconds} s. Ask for less: a range, a narrower expression, an aggregate."))
}

/// Words that a statement may begin with: those of questions. A connection for reading attaches
/// databases, too, which may be anywhere.
const QUESTIONS: [&str; 4] = ["select", "with", "values", "explain"];

/// The rows of a statement, at most `most`, and whether there are more. The statement runs in a
/// process of its own: within one function, nothing else ends it.
///
/// # Errors
///
/// Returns an error if it is not one question, is wrong, or takes too long.
pub(super) fn rows(opened: &Opened, text: &str, most: usize, until: Deadline) -> Result<(Vec<Value>, bool), Failure> {
    let word = sql::first_word(text).to_ascii_lowercase();
    if !QUESTIONS.contains(&word.as_str()) {
        return Err(Failure::usage("Only questions are answered: a statement begins with SELECT, WITH or VALUES."));
    }
    let with_records = sql::mentions(text, "records") || sql::mentions(text, "fields");
    let mut held = opened.tables.borrow_mut();
    let tables = sql::tables(&opened.source, &opened.session, &mut held, with_records)?;
    let mut args: Vec<OsString> = vec![sql_rows::NAME.into(), tables.path().into()];
    if opened.session.is_pulled() {
        args.extend(["--rvn".into(), opened.source.path.clone().into_os_string()]);
    }
    args.extend(["--limit".into(), most.to_string().into()]);
    let bytes = until.run(&args, text)?;
    let mut lines: Vec<Value> =
        bytes.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
    let last = lines.pop().unwrap_or_default();
    match (last.get("error").and_then(Value::as_str), last.get("more").and_then(Value::as_bool)) {
        (Some(error), _) => Err(Failure::usage(error)),
        (None, Some(more)) => Ok((lines, more)),
        (None, None) => Err(Failure::new("SQLite has ended without an answer.")),
    }
}

/// The tables and views with their columns.
///
/// # Errors
///
/// Returns an error if the trace is too large for a database.
pub(super) fn schema(opened: &Opened, until: Deadline) -> Result<Value, Failure> {
    let (rows, _) = rows(opened, sql::LIST, usize::MAX, until)?;
    let table = |row: &Value| Some((row.get("table")?.as_str()?.to_string(), row.get("columns")?.clone()));
    let tables: BTreeMap<String, Value> = rows.iter().filter_map(table).collect();
    Ok(json!(tables))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interrupt;

    #[test]
    fn what_takes_too_long_is_stopped_and_said_so() {
        let endless = || -> Result<(), Failure> {
            loop {
                interrupt::check()?;
            }
        };
        let error = within(Duration::from_millis(1), endless).unwrap_err();
        assert!(error.to_string().starts_with("cut off after 0 s."), "{error}");
        let wrong = within(Duration::MAX, || Err::<(), _>(Failure::new("wrong"))).unwrap_err();
        assert_eq!(wrong.to_string(), "wrong");
        assert_eq!(within(Duration::MAX, || Ok(7)).unwrap(), 7);
    }
}
