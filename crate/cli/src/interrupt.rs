//! Ctrl+C: ends a query of SQL, and otherwise the command. Nothing that it has begun to write is
//! left.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::process::exit;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use std::{fs, io, thread};

use rusqlite::{Connection, InterruptHandle};
use tempfile::{NamedTempFile, TempDir};

/// What a shell reports for a command that was interrupted.
pub(crate) const STATUS: u8 = 130;

/// Time that a query has to end once it is interrupted. After it, the command ends.
const PATIENCE: Duration = Duration::from_secs(1);

static STATE: Mutex<State> = Mutex::new(State { query: None, files: Vec::new() });
/// The directory of all temporary files that have a name.
static SCRATCH: OnceLock<TempDir> = OnceLock::new();

struct State {
    /// Ends the query that is running.
    query: Option<InterruptHandle>,
    /// Files that are not complete.
    files: Vec<PathBuf>,
}

thread_local! {
    /// What stops the work of this thread, in a program that has the command linked in.
    static STOP: RefCell<Option<Stop>> = const { RefCell::new(None) };
}

/// Stops work on another thread. Clones stop the same work.
#[derive(Clone, Default)]
pub struct Stop(Arc<Stopping>);

#[derive(Default)]
struct Stopping {
    is_stopped: AtomicBool,
    /// Ends the query of SQL that is running.
    query: Mutex<Option<InterruptHandle>>,
}

impl Stop {
    /// Stops the work, which then ends with an error as soon as it can.
    pub fn stop(&self) {
        self.0.is_stopped.store(true, Ordering::Relaxed);
        if let Some(query) = self.query().as_ref() {
            query.interrupt();
        }
    }

    /// Runs work on this thread that can be stopped from another.
    pub(crate) fn run<T>(&self, work: impl FnOnce() -> T) -> T {
        let before = STOP.replace(Some(self.clone()));
        let result = work();
        STOP.replace(before);
        result
    }

    fn query(&self) -> std::sync::MutexGuard<'_, Option<InterruptHandle>> {
        self.0.query.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What stops the work of this thread, for threads that it starts.
pub(crate) fn here() -> Stop {
    STOP.with_borrow(Clone::clone).unwrap_or_default()
}

/// Fails once the work of this thread is stopped: called wherever it may take long.
///
/// # Errors
///
/// Returns an error of the kind [`io::ErrorKind::Other`] once [`Stop::stop`] was called.
pub(crate) fn check() -> io::Result<()> {
    let is_stopped = STOP.with_borrow(|stop| stop.as_ref().is_some_and(|it| it.0.is_stopped.load(Ordering::Relaxed)));
    if is_stopped { Err(io::Error::other("stopped")) } else { Ok(()) }
}

/// Listens from now on.
pub(crate) fn listen() {
    // Without a handler Ctrl+C ends the command as well, and leaves its temporary files.
    let _ = ctrlc::set_handler(|| {
        let until = Instant::now() + PATIENCE;
        if !interrupt_query() {
            end();
        }
        // SQLite looks between rows and steps, and some functions run for hours.
        while state().query.is_some() {
            if Instant::now() > until {
                end();
            }
            thread::sleep(Duration::from_millis(10));
        }
    });
}

/// Interrupts the query that is running. Returns whether there is one.
fn interrupt_query() -> bool {
    let state = state();
    state.query.as_ref().map(InterruptHandle::interrupt).is_some()
}

/// Ends the command. Nothing that it has begun to write is left.
fn end() -> ! {
    state().files.iter().for_each(|file| drop(fs::remove_file(file)));
    clean();
    exit(STATUS.into());
}

/// Deletes the temporary files. Called before the command ends.
pub fn clean() {
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

/// While this lives, Ctrl+C ends the query of a connection and not the command, unless the query
/// does not end within [`PATIENCE`].
pub(crate) struct Query;

impl Query {
    pub(crate) fn of(connection: &Connection) -> Self {
        if let Some(stop) = STOP.with_borrow(Clone::clone) {
            *stop.query() = Some(connection.get_interrupt_handle());
            return Self;
        }
        state().query = Some(connection.get_interrupt_handle());
        Self
    }
}

impl Drop for Query {
    fn drop(&mut self) {
        match STOP.with_borrow(Clone::clone) {
            Some(stop) => *stop.query() = None,
            None => state().query = None,
        }
    }
}
