//! Temporary files, and outputs that are not complete. All of them are written down before they are
//! made, so that nothing is left: a process removes its own when it ends, and those of one that was
//! killed are removed by the next that starts.
//!
//! A process has a list, `unspool-XXXXXX.lock` in the directory for temporary files, with the paths
//! of its unfinished outputs, and a folder `unspool-XXXXXX` for temporary files. While it lives, it
//! holds a lock on the list. Numbers of processes would not do: they are used again, and differ
//! between containers that share the directory.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::{env, process};

use same_file::Handle;
use tempfile::{Builder, NamedTempFile, TempDir};

/// Beginning of the names of lists and folders.
const PREFIX: &str = "unspool-";
/// End of the name of a list.
const LIST: &str = ".lock";
/// Beginning of the name of an output that is not complete. A dot hides it from programs that read
/// whole directories.
const OUTPUT: &str = ".unspool-";
/// End of the name of an output that is not complete.
const PARTIAL: &str = ".partial";
/// Most bytes that are read of a list: some ten thousand outputs.
const MOST_BYTES: u64 = 4 << 20;

static MINE: Mutex<Mine> = Mutex::new(Mine { list: None, outputs: Vec::new(), is_over: false });

/// The process that has a list. A fork of it may have the lock of [`MINE`] forever, if another
/// thread held it.
static OWNER: AtomicU32 = AtomicU32::new(0);

/// The things that this process has made.
struct Mine {
    list: Option<List>,
    /// Outputs that are not complete.
    outputs: Vec<PathBuf>,
    /// The process ends, and nothing more is made.
    is_over: bool,
}

/// The list of a process, which is locked.
struct List {
    path: PathBuf,
    file: File,
    /// The process that made it: a fork has its memory and its lock.
    process: u32,
}

/// The things that this process has made, for making more.
///
/// # Errors
///
/// Returns an error if the process ends.
fn mine() -> io::Result<MutexGuard<'static, Mine>> {
    let mine = locked();
    if mine.is_over { Err(io::Error::other("the command ends")) } else { Ok(mine) }
}

fn locked() -> MutexGuard<'static, Mine> {
    MINE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A temporary file with a name.
///
/// # Errors
///
/// Returns the error of the system.
pub(crate) fn temporary() -> io::Result<NamedTempFile> {
    mine()?.make(|at| NamedTempFile::new_in(at))
}

/// A temporary file with the beginning and the end of a name.
///
/// # Errors
///
/// Returns the error of the system.
#[cfg(feature = "server")]
pub(crate) fn temporary_named(beginning: &str, end: &str) -> io::Result<NamedTempFile> {
    mine()?.make(|at| Builder::new().prefix(beginning).suffix(end).tempfile_in(at))
}

/// A temporary file that goes when it is closed.
///
/// # Errors
///
/// Returns the error of the system.
pub(crate) fn unnamed() -> io::Result<File> {
    mine()?.make(|at| tempfile::tempfile_in(at))
}

/// A temporary folder.
///
/// # Errors
///
/// Returns the error of the system.
pub(crate) fn folder() -> io::Result<TempDir> {
    mine()?.make(|at| tempfile::tempdir_in(at))
}

/// Makes an output that is not complete, with a random name in a directory. It is created
/// exclusively, so a link that was planted under a name known beforehand leads nowhere.
///
/// # Errors
///
/// Returns the error of the system.
pub(crate) fn output(directory: &Path) -> io::Result<(NamedTempFile, Unfinished)> {
    let mut mine = mine()?;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    // A temporary file would be private to its owner. The process's mask applies to these
    // permissions.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o666);
    let file = Builder::new().prefix(OUTPUT).suffix(PARTIAL).make_in(directory, |path| {
        // Where no list can be written, an output can be, and is removed unless the process is
        // killed.
        let _ = mine.list().and_then(|list| list.write_down(path));
        options.open(path)
    })?;
    let path = file.path().to_path_buf();
    mine.outputs.push(path.clone());
    Ok((file, Unfinished(path)))
}

/// An output that goes if the command is interrupted before this is dropped.
#[derive(Debug)]
pub(crate) struct Unfinished(PathBuf);

impl Drop for Unfinished {
    fn drop(&mut self) {
        locked().outputs.retain(|path| *path != self.0);
    }
}

impl Mine {
    /// Makes something in the folder of this process.
    fn make<T>(&mut self, make: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
        // No one calls `clean` where unit tests end, so they have neither a list nor a folder.
        if cfg!(test) {
            return make(&env::temp_dir());
        }
        make(&self.list()?.folder()?)
    }

    /// The list of this process. It is made if there is none.
    fn list(&mut self) -> io::Result<&List> {
        if cfg!(test) {
            return Err(io::Error::other("unit tests have no list"));
        }
        sweep();
        // That of a process this one is a fork of stays: only its handle is closed.
        let list = match self.list.take().filter(|list| list.process == process::id()) {
            Some(list) => list,
            None => List::create(&env::temp_dir())?,
        };
        OWNER.store(list.process, Ordering::Relaxed);
        Ok(self.list.insert(list))
    }
}

impl List {
    /// A new list in a directory.
    fn create(directory: &Path) -> io::Result<Self> {
        for _ in 0..8 {
            let (file, path) = Builder::new().prefix(PREFIX).suffix(LIST).tempfile_in(directory)?.keep()?;
            // Between the two, another process may take it for one that a dead process has left.
            // Some file systems have no locks: then only this process removes it.
            if matches!(file.try_lock(), Err(fs::TryLockError::WouldBlock)) || !is_at(&file, &path) {
                continue;
            }
            let list = Self { path: std::path::absolute(path)?, file, process: process::id() };
            // The name of the list tells that of the folder, which another user could take before
            // it is needed.
            match list.folder() {
                Ok(_) => return Ok(list),
                Err(error) => {
                    remove(&list.path);
                    if error.kind() != io::ErrorKind::AlreadyExists {
                        return Err(error);
                    }
                }
            }
        }
        Err(io::Error::other(format!("files in {} do not stay", directory.display())))
    }

    /// The folder of temporary files. It is made if it is not there: programs that clean up the
    /// directory may have removed it.
    fn folder(&self) -> io::Result<PathBuf> {
        let folder = folder_of(&self.path);
        let mut builder = DirBuilder::new();
        builder.recursive(false);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        match builder.create(&folder) {
            Ok(()) => Ok(folder),
            Err(_) if is_own(&folder, fs::FileType::is_dir) => Ok(folder),
            Err(error) => Err(error),
        }
    }

    /// Writes down the path of an output.
    fn write_down(&self, output: &Path) -> io::Result<()> {
        let mut line = std::path::absolute(output)?.into_os_string().into_encoded_bytes();
        // No path contains it. A path without it was not written to its end, and not made.
        line.push(0);
        (&self.file).write_all(&line)
    }
}

/// Whether a path leads to a file that is open.
fn is_at(file: &File, path: &Path) -> bool {
    let handle = file.try_clone().and_then(Handle::from_file);
    matches!((handle, Handle::from_path(path)), (Ok(file), Ok(there)) if file == there)
}

/// The folder that belongs to a list.
fn folder_of(list: &Path) -> PathBuf {
    list.with_extension("")
}

/// Whether something belongs to this user, is of a type, and no link.
fn is_own(path: &Path, is_type: impl FnOnce(&fs::FileType) -> bool) -> bool {
    let Ok(about) = fs::symlink_metadata(path) else { return false };
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::uid(&about) != rustix::process::geteuid().as_raw() {
        return false;
    }
    is_type(&about.file_type())
}

/// Removes all that this process has made, and lets it make nothing more. Called when a signal ends
/// it, perhaps amid the work of other threads.
pub(crate) fn end() {
    let mut mine = locked();
    mine.is_over = true;
    mine.outputs.drain(..).for_each(|path| drop(fs::remove_file(path)));
    drop(mine);
    clean();
}

/// Deletes the temporary files of this process. Called before it ends.
pub fn clean() {
    // A fork ends before its parent, or after it.
    if OWNER.load(Ordering::Relaxed) != process::id() {
        return;
    }
    if let Some(list) = locked().list.take() {
        remove(&list.path);
    }
}

/// Deletes a list that is locked, and its folder before.
fn remove(list: &Path) {
    let folder = folder_of(list);
    // SQLite may make a file meanwhile.
    for _ in 0..3 {
        if !is_own(&folder, fs::FileType::is_dir) || fs::remove_dir_all(&folder).is_ok() {
            break;
        }
    }
    // As long as there is a folder, the next start has to know of it.
    if !is_own(&folder, fs::FileType::is_dir) {
        let _ = fs::remove_file(list);
    }
}

/// Removes what processes have left that were killed. Done once.
pub(crate) fn sweep() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| sweep_in(&env::temp_dir()));
}

fn sweep_in(directory: &Path) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name.to_str().is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(LIST)) {
            let _ = sweep_list(&entry.path());
        }
    }
}

/// Removes what is in a list, unless the process lives that holds it.
fn sweep_list(path: &Path) -> io::Result<()> {
    if !is_own(path, fs::FileType::is_file) {
        return Ok(());
    }
    let list = File::options().read(true).write(true).open(path)?;
    if list.try_lock().is_err() || !is_at(&list, path) {
        return Ok(());
    }
    let mut outputs = Vec::new();
    (&list).take(MOST_BYTES).read_to_end(&mut outputs)?;
    for output in outputs.split_inclusive(|byte| *byte == 0).filter_map(|line| path_of(line.strip_suffix(&[0])?)) {
        // A list that another program has written removes no other file.
        let name = output.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.starts_with(OUTPUT) && name.ends_with(PARTIAL) && is_own(&output, fs::FileType::is_file) {
            let _ = fs::remove_file(output);
        }
    }
    remove(path);
    Ok(())
}

/// The path of a line.
fn path_of(line: &[u8]) -> Option<PathBuf> {
    #[cfg(unix)]
    return Some(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(line).into());
    #[cfg(not(unix))]
    return std::str::from_utf8(line).ok().map(PathBuf::from);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(at: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(at).unwrap().map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Runs a test that has tables of SQL in a file, in a process with its own directory.
    #[test]
    fn unit_tests_leave_nothing() {
        let tmp = tempfile::tempdir().unwrap();
        let mut command = process::Command::new(env::current_exe().unwrap());
        let ran = command.arg("rows_are_those_of_sql").env("TMPDIR", tmp.path()).output().unwrap();
        assert!(String::from_utf8_lossy(&ran.stdout).contains("1 passed"), "{ran:?}");
        assert_eq!(names(tmp.path()), [""; 0]);
    }

    #[test]
    fn what_a_living_process_has_made_stays() {
        let (tmp, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let list = List::create(tmp.path()).unwrap();
        let partial = out.path().join(".unspool-a.partial");
        list.write_down(&partial).unwrap();
        fs::write(&partial, "begun").unwrap();
        fs::write(list.folder().unwrap().join("file"), "temporary").unwrap();
        sweep_in(tmp.path());
        assert_eq!((names(tmp.path()).len(), names(out.path())), (2, vec![".unspool-a.partial".into()]));
        // Its end frees the lock.
        drop(list);
        sweep_in(tmp.path());
        assert_eq!((names(tmp.path()), names(out.path())), (Vec::new(), Vec::new()));
    }

    #[test]
    fn a_list_removes_nothing_but_unfinished_outputs() {
        let (tmp, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let at = |name: &str| out.path().join(name);
        for name in ["notes.txt", ".unspool-cut.partial", ".unspool-folder.partial"] {
            if name.contains("folder") { fs::create_dir(at(name)).unwrap() } else { fs::write(at(name), "").unwrap() }
        }
        let mut list = Vec::new();
        for name in ["notes.txt", ".unspool-folder.partial", ".unspool-gone.partial"] {
            list.extend(at(name).into_os_string().into_encoded_bytes());
            list.push(0);
        }
        // The process was killed while it wrote this one down.
        list.extend(at(".unspool-cut.partial").into_os_string().into_encoded_bytes());
        fs::write(tmp.path().join("unspool-x.lock"), list).unwrap();
        sweep_in(tmp.path());
        assert_eq!(names(out.path()), [".unspool-cut.partial", ".unspool-folder.partial", "notes.txt"]);
        assert_eq!(names(tmp.path()), [""; 0]);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let (tmp, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(out.path().join("mine"), "").unwrap();
        std::os::unix::fs::symlink(out.path(), tmp.path().join("unspool-a")).unwrap();
        fs::write(tmp.path().join("unspool-a.lock"), "").unwrap();
        std::os::unix::fs::symlink(out.path().join("mine"), tmp.path().join("unspool-b.lock")).unwrap();
        sweep_in(tmp.path());
        assert_eq!(names(out.path()), ["mine"]);
    }
}
