//! Ctrl+C: ends a query of SQL, and otherwise the command. Nothing that it has begun to write is
//! left.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::exit;
use std::sync::{Mutex, OnceLock, PoisonError};

use rusqlite::{Connection, InterruptHandle};
use tempfile::{NamedTempFile, TempDir};

/// What a shell reports for a command that was interrupted.
pub(crate) const STATUS: u8 = 130;

static STATE: Mutex<State> = Mutex::new(State { query: None, files: Vec::new() });
/// The directory of all temporary files that have a name.
static SCRATCH: OnceLock<TempDir> = OnceLock::new();

struct State {
    /// Ends the query that is running.
    query: Option<InterruptHandle>,
    /// Files that are not complete.
    files: Vec<PathBuf>,
}

/// Listens from now on.
pub(crate) fn listen() {
    // Without a handler Ctrl+C ends the command as well, and leaves its temporary files.
    let _ = ctrlc::set_handler(|| {
        let mut state = state();
        match state.query.take() {
            Some(query) => query.interrupt(),
            None => {
                state.files.iter().for_each(|file| drop(fs::remove_file(file)));
                clean();
                exit(STATUS.into());
            }
        }
    });
}

/// Deletes the temporary files. Called before the command ends.
pub(crate) fn clean() {
    if let Some(scratch) = SCRATCH.get() {
        let _ = fs::remove_dir_all(scratch.path());
    }
}

fn state() -> std::sync::MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The directory for temporary files.
///
/// # Errors
///
/// Returns the error of the system.
pub(crate) fn scratch() -> std::io::Result<&'static Path> {
    if SCRATCH.get().is_none() {
        // Another thread may have been first; its directory stays.
        let _ = SCRATCH.set(tempfile::tempdir()?);
    }
    Ok(SCRATCH.get().map_or(Path::new("."), TempDir::path))
}

/// A temporary file with a name.
///
/// # Errors
///
/// Returns the error of the system.
pub(crate) fn temporary() -> std::io::Result<NamedTempFile> {
    NamedTempFile::new_in(scratch()?)
}

/// A file that goes if the command is interrupted before this is dropped.
#[derive(Debug)]
pub(crate) struct Unfinished(PathBuf);

impl Unfinished {
    pub(crate) fn new(path: &Path) -> Self {
        state().files.push(path.to_path_buf());
        Self(path.to_path_buf())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        state().files.retain(|file| *file != self.0);
    }
}

/// While this lives, Ctrl+C ends the query of a connection and not the command. The second time it
/// ends the command.
pub(crate) struct Query;

impl Query {
    pub(crate) fn of(connection: &Connection) -> Self {
        state().query = Some(connection.get_interrupt_handle());
        Self
    }
}

impl Drop for Query {
    fn drop(&mut self) {
        state().query = None;
    }
}
