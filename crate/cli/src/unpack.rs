//! Containers around a trace: unpacks them to temporary files.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use serde::Serialize;
use tempfile::{TempDir, TempPath};
use unspool_archives::{Entry, Kind, Listing, Random, Stream, content, inner_name, list, peek};
use unspool_engine::read::{ReadAt, head_and_tail};
use unspool_formats::recognise;
use unspool_trace::{Limits, Probe};

use crate::console::one_line;
use crate::sqlite::{LOG, beside};
use crate::{Failure, GO_ON, Place, complain, interrupt, json, scratch};

/// Containers in containers.
const MAX_DEPTH: usize = 8;
const PORTION: usize = 1 << 20;
/// Bytes of an entry that recognise its format, and of the archive that they are unpacked from.
const PEEK: usize = 64 * 1024;
const PEEK_PACKED: usize = 256 * 1024;

/// A trace, perhaps out of containers.
pub(crate) struct Found {
    /// Path of the trace itself.
    pub(crate) path: PathBuf,
    /// Keeps the temporary file.
    pub(crate) unpacked: Unpacked,
    /// The containers around the trace, the innermost first.
    pub(crate) container: Option<String>,
}

/// A temporary file, deleted on drop.
pub(crate) enum Unpacked {
    /// The trace is where it was.
    None,
    /// One file.
    File { _path: TempPath },
    /// A database with its write-ahead log, beside which SQLite makes a further file.
    Folder { _folder: TempDir },
}

/// What an archive with several traces holds.
#[derive(Debug, Serialize)]
pub(crate) struct Archive {
    file: String,
    container: &'static str,
    traces: Vec<Trace>,
    /// Number of files that are not traces.
    others: usize,
}

#[derive(Debug, Serialize)]
struct Trace {
    name: String,
    /// Bytes, if the archive says.
    size: Option<u64>,
    format: &'static str,
}

impl Archive {
    /// Prints the traces and how to name one.
    pub(crate) fn print(&self, out: &mut impl Write, as_json: bool) -> io::Result<()> {
        if as_json {
            return json::print(out, self);
        }
        writeln!(out, "{}", self.sentence())
    }

    /// The traces and how to name one.
    pub(crate) fn sentence(&self) -> String {
        let mut lines = vec![format!(
            "{} holds {} traces and {} other {}. Name one of the traces:",
            self.file,
            self.traces.len(),
            self.others,
            if self.others == 1 { "file" } else { "files" }
        )];
        for Trace { name, size, format } in &self.traces {
            let size = size.map_or(String::new(), |size| format!(", {size} bytes"));
            lines.push(format!("  {}/{}  ({format}{size})", self.file, one_line(name)));
        }
        lines.join("\n")
    }
}

/// Finds the trace in the file at `path`, which may go on within an archive:
/// `traces.zip/first.xray`. `name` is the path as it was given, and `spooled` the file itself if it
/// is a temporary one.
pub(crate) fn find(path: &Path, name: &str, spooled: Option<TempPath>, limits: Limits) -> Result<Found, Failure> {
    let (path, mut wanted) = split(path);
    let unpacked = spooled.map_or(Unpacked::None, |path| Unpacked::File { _path: path });
    let mut found = Found { path, unpacked, container: None };
    let mut inner = match &wanted {
        Some(entry) => name.strip_suffix(entry.as_str()).map_or(name, |file| file.trim_end_matches('/')).to_string(),
        None => name.to_string(),
    };
    for _ in 0..MAX_DEPTH {
        let in_file = |error: io::Error| Failure::io(&inner, &error);
        let mut file = Packed(File::open(&found.path).map_err(in_file)?);
        let size = file.size();
        let (head, tail) = head_and_tail(&mut file, size).map_err(in_file)?;
        let probe = Probe { head: &head, tail: &tail, size, name: &inner };
        let kind = match Kind::of(&head, &inner) {
            Some(kind) if wanted.is_some() || recognise(&probe).is_none() => kind,
            _ => break,
        };
        let (target, layer, next);
        let mut beside = None;
        if kind.is_archive() {
            let (entry, choice, log) = choose(kind, &mut file, &inner, wanted.as_deref())?;
            target = extract(kind, &mut file, &entry, &inner, limits)?;
            beside = log.map(|log| extract(kind, &mut file, &log, &inner, limits)).transpose()?;
            layer = format!("{}: {}", kind.name(), entry.name);
            next = entry.name;
            wanted = choice;
        } else {
            let Some(stream) = Stream::new(kind) else { break };
            file.0.rewind().map_err(in_file)?;
            target = unpack(stream, kind, file.0, &inner, limits).map_err(in_file)?;
            layer = kind.name().into();
            next = inner_name(&inner);
        }
        found.container = Some(found.container.map_or(layer.clone(), |outer| format!("{layer} in {outer}")));
        (found.path, found.unpacked) = match beside {
            Some(log) => together(target, log).map_err(in_file)?,
            None => (target.to_path_buf(), Unpacked::File { _path: target }),
        };
        inner = next;
    }
    match wanted {
        Some(entry) => Err(Failure::of(name, format_args!("there is no {entry} in this file."))),
        None => Ok(found),
    }
}

/// The content of an entry of an archive, in a temporary file.
fn extract(kind: Kind, file: &mut Packed, entry: &Entry, name: &str, limits: Limits) -> Result<TempPath, Failure> {
    if let Some(refusal) = entry.refusal() {
        return Err(Failure::of(name, refusal));
    }
    let (at, len) = content(kind, file, entry).map_err(|fault| Failure::of(name, fault.sentence(kind)).at(fault.at))?;
    let in_file = |error: io::Error| Failure::io(name, &error);
    file.0.seek(SeekFrom::Start(at)).map_err(in_file)?;
    let bytes = (&file.0).take(len);
    match Stream::of_entry(entry) {
        Some(stream) => unpack(stream, kind, bytes, &format!("{name}/{}", entry.name), limits),
        None => copy(bytes),
    }
    .map_err(in_file)
}

/// Moves a database and its write-ahead log to a folder, with the names by which SQLite finds the
/// log.
fn together(database: TempPath, log: TempPath) -> io::Result<(PathBuf, Unpacked)> {
    let folder = scratch::folder()?;
    let path = folder.path().join(COPY);
    database.persist(&path)?;
    log.persist(beside(&path, LOG))?;
    Ok((path, Unpacked::Folder { _folder: folder }))
}

/// The end of the name of a rollback journal, after that of its database.
pub(crate) const JOURNAL: &str = "-journal";

/// The first bytes of a database.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// The first bytes of a journal that must be rolled back. Those of one that is done with are 0.
const HOT: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];

/// Most copies of a database that changes meanwhile.
const ATTEMPTS: usize = 3;

/// The database at `path` with its write-ahead log or its journal, in a folder of its own, if there
/// is one: to read them where they are, SQLite would write beside them. `None` for any other file.
///
/// # Errors
///
/// Returns the error of the system, one if the database changes while it is copied, and one if what
/// has the name of its log is a link or a pipe: that may lead to any file.
pub(crate) fn with_log(path: &Path) -> io::Result<Option<TempDir>> {
    let begins_with = |path: &Path, bytes: &[u8]| {
        let mut head = vec![0; bytes.len()];
        File::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok() && head == bytes
    };
    if !begins_with(path, MAGIC) {
        return Ok(None);
    }
    let there: Vec<_> =
        [LOG, JOURNAL].iter().filter_map(|end| Some((*end, fs::symlink_metadata(beside(path, end)).ok()?))).collect();
    if let Some((end, _)) = there.iter().find(|(_, found)| !found.is_file()) {
        return Err(io::Error::other(format!("what has the name of its log ({end}) is not a file")));
    }
    let ending = if there.iter().any(|(end, found)| *end == LOG && found.len() > 0) {
        LOG
    } else if there.iter().any(|(end, _)| *end == JOURNAL) && begins_with(&beside(path, JOURNAL), &HOT) {
        JOURNAL
    } else {
        return Ok(None);
    };
    let folder = scratch::folder()?;
    let (copy, both) = (folder.path().join(COPY), [path.to_path_buf(), beside(path, ending)]);
    let versions = || -> io::Result<Vec<_>> {
        both.iter().map(|path| fs::metadata(path).and_then(|it| Ok((it.len(), it.modified()?)))).collect()
    };
    for _ in 0..ATTEMPTS {
        let before = versions()?;
        fs::copy(path, &copy)?;
        fs::copy(beside(path, ending), beside(&copy, ending))?;
        if versions()? == before {
            if ending == JOURNAL {
                // SQLite rolls the journal back when the database is opened for writing.
                Connection::open(&copy)
                    .and_then(|it| it.query_row("select count(*) from sqlite_schema", [], |_| Ok(())))
                    .map_err(|error| io::Error::other(format!("its journal cannot be rolled back: {error}")))?;
            }
            return Ok(Some(folder));
        }
    }
    Err(io::Error::other("the database changes while it is copied. Open it again when nothing writes to it"))
}

/// The name of a database in the folder of [`with_log`].
pub(crate) const COPY: &str = "database";

/// The file at the beginning of a path that may go on within an archive.
pub(crate) fn file_of(path: &Path) -> PathBuf {
    split(path).0
}

/// The path of the file, and what follows it: the name of an entry.
fn split(path: &Path) -> (PathBuf, Option<String>) {
    if !path.exists()
        && let Some(file) = path.ancestors().skip(1).find(|ancestor| ancestor.is_file())
        && let Ok(entry) = path.strip_prefix(file)
    {
        return (file.into(), Some(entry.to_string_lossy().into_owned()));
    }
    (path.into(), None)
}

/// The entry that is wanted, or the only trace. Returns also what is wanted within that entry, and
/// the write-ahead log beside it.
fn choose(
    kind: Kind,
    file: &mut Packed,
    name: &str,
    wanted: Option<&str>,
) -> Result<(Entry, Option<String>, Option<Entry>), Failure> {
    let Listing { entries, fault } = list(kind, file);
    if let Some(fault) = fault {
        complain(name, Place::At { noun: "byte", at: fault.at }, &fault.sentence(kind));
    }
    let with_log = |entry: &Entry, rest: Option<String>| {
        let entry = entry.clone();
        let log = format!("{}-wal", entry.name);
        let log = entries.iter().find(|other| other.name == log).cloned();
        (entry, rest, log)
    };
    if let Some(wanted) = wanted {
        let exact = entries.iter().find(|entry| entry.name == wanted);
        let outer = || entries.iter().find(|e| wanted.strip_prefix(&e.name).is_some_and(|rest| rest.starts_with('/')));
        let Some(entry) = exact.or_else(outer) else {
            return Err(Failure::of(name, format_args!("there is no {wanted} in this {} archive.", kind.name())));
        };
        let rest = wanted.get(entry.name.len() + 1..).map(String::from);
        return Ok(with_log(entry, rest));
    }
    let mut traces: Vec<(&Entry, &'static str)> = Vec::new();
    for entry in &entries {
        if let Some(format) = format_of(kind, file, entry) {
            traces.push((entry, format));
        }
    }
    match traces[..] {
        [] => Err(Failure::of(
            name,
            format_args!("none of the {} files in this {} archive is a trace.", entries.len(), kind.name()),
        )),
        [(only, _)] => Ok(with_log(only, None)),
        _ => {
            let others = entries.len() - traces.len();
            let traces = traces
                .into_iter()
                .map(|(entry, format)| Trace { name: entry.name.clone(), size: entry.size, format })
                .collect();
            let archive = Archive { file: name.into(), container: kind.name(), traces, others };
            Err(Failure::archive(name, archive))
        }
    }
}

/// The format of an entry, or the container that it is. `None` if it is neither.
fn format_of(kind: Kind, file: &mut Packed, entry: &Entry) -> Option<&'static str> {
    let (at, len) = content(kind, file, entry).ok()?;
    let packed = file.read(at, len.min(PEEK_PACKED as u64) as usize)?;
    let mut head = match Stream::of_entry(entry) {
        Some(mut stream) => peek(&mut stream, &packed, PEEK),
        None if entry.refusal().is_none() => packed,
        None => return None,
    };
    let mut size = entry.size;
    let mut name = entry.name.clone();
    for _ in 0..MAX_DEPTH {
        head.truncate(PEEK);
        let probe = Probe { head: &head, tail: &[], size: size.unwrap_or(u64::MAX), name: &name };
        if let Some((format, _)) = recognise(&probe) {
            return Some(format.name);
        }
        let kind = Kind::of(&head, &name)?;
        let Some(mut stream) = Stream::new(kind) else { return Some(kind.name()) };
        head = peek(&mut stream, &head, PEEK);
        name = inner_name(&name);
        size = None;
    }
    None
}

/// Unpacks a stream to a temporary file. What is wrong with it goes to stderr.
fn unpack(mut stream: Stream, kind: Kind, mut from: impl Read, name: &str, limits: Limits) -> io::Result<TempPath> {
    let mut target = scratch::temporary()?;
    let mut portion = vec![0; PORTION];
    if limits == Limits::LIFTED {
        stream.lift_limit();
    }
    while !stream.is_over() {
        interrupt::check()?;
        let bytes = stream.unpack();
        if !bytes.is_empty() {
            target.write_all(bytes)?;
        } else if !stream.is_over() {
            match from.read(&mut portion)? {
                0 => stream.end(),
                n => stream.push(portion.get(..n).unwrap_or_default()),
            }
        }
    }
    if let Some(fault) = stream.fault() {
        let hint = if fault.is_limit() { GO_ON } else { "" };
        complain(name, Place::At { noun: "byte", at: fault.at }, &format!("{}{hint}", fault.sentence(kind)));
    }
    Ok(target.into_temp_path())
}

fn copy(mut from: impl Read) -> io::Result<TempPath> {
    let mut target = scratch::temporary()?;
    while io::copy(&mut from.by_ref().take(PORTION as u64), &mut target)? > 0 {
        interrupt::check()?;
    }
    Ok(target.into_temp_path())
}

/// A file that is read by offset.
struct Packed(File);

impl Random for Packed {
    fn size(&self) -> u64 {
        self.0.metadata().map_or(0, |about| about.len())
    }

    fn read(&mut self, at: u64, len: usize) -> Option<Vec<u8>> {
        self.0.seek(SeekFrom::Start(at)).ok()?;
        let mut bytes = Vec::new();
        (&self.0).take(len as u64).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }
}

impl ReadAt for Packed {
    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.read(at, buffer.len()).ok_or(io::ErrorKind::Other)?;
        if let Some(to) = buffer.get_mut(..bytes.len()) {
            to.copy_from_slice(&bytes);
        }
        Ok(bytes.len())
    }
}
