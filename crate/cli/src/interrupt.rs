//! Signals that end the command: nothing that it has begun to write is left. Ctrl+C ends a query of
//! SQL first, if one is running.

use std::cell::RefCell;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, exit};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{io, thread};

use rusqlite::{Connection, InterruptHandle};

use crate::scratch;

/// What a shell reports for a command that was interrupted.
pub(crate) const STATUS: u8 = 130;

/// Time that a query has to end once it is interrupted. After it, the command ends.
const PATIENCE: Duration = Duration::from_secs(1);

static STATE: Mutex<State> = Mutex::new(State { query: None, children: Vec::new(), is_over: false });

struct State {
    /// Ends the query that is running.
    query: Option<InterruptHandle>,
    /// Processes that end with this one.
    children: Vec<Arc<Mutex<Child>>>,
    /// The command ends, and starts no more processes.
    is_over: bool,
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

/// Listens from now on. Called before there are other threads.
pub(crate) fn listen() {
    // Without it signals end the command as well, and the next one removes what it leaves.
    #[cfg(unix)]
    let _ = unix::listen();
    #[cfg(not(unix))]
    let _ = ctrlc::set_handler(interrupt);
}

#[cfg(unix)]
mod unix {
    use std::process::Child;

    use nix::errno::Errno;
    use nix::sys::signal::{SigSet, Signal, kill, raise};
    use nix::unistd::Pid;

    /// Signals that end the command.
    const ENDING: [Signal; 3] = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP];

    /// Has a thread wait for the signals. Others do not get them, and a process that is started
    /// begins without this.
    pub(super) fn listen() -> Result<(), Errno> {
        let is_wanted = |signal: &Signal| !ignores(*signal);
        let signals: SigSet = ENDING.into_iter().filter(is_wanted).collect();
        signals.thread_block()?;
        std::thread::spawn(move || {
            while let Ok(signal) = signals.wait() {
                if signal == Signal::SIGINT {
                    super::interrupt();
                    continue;
                }
                super::clear();
                // The parent sees which signal has ended the command.
                let _ = signals.thread_unblock();
                let _ = raise(signal);
            }
        });
        Ok(())
    }

    /// Sends SIGTERM to a process unless it has ended. Returns whether it was sent.
    pub(super) fn terminate(child: &mut Child) -> bool {
        // One that was waited for may have left its number to another.
        let is_running = matches!(child.try_wait(), Ok(None));
        is_running && i32::try_from(child.id()).is_ok_and(|id| kill(Pid::from_raw(id), Signal::SIGTERM).is_ok())
    }

    /// Whether this process was started to ignore a signal, as `nohup` has it ignore SIGHUP, and a
    /// shell SIGINT of what runs in its background. Linux gives it to a thread that waits for it
    /// even then, other systems do not.
    fn ignores(signal: Signal) -> bool {
        let about = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let bits = about.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let bits = bits.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).unwrap_or_default();
        bits & (1 << (signal as u32 - 1)) != 0
    }
}

/// Ends the query that is running, and otherwise the command.
fn interrupt() {
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
}

/// Interrupts the query that is running. Returns whether there is one.
fn interrupt_query() -> bool {
    let state = state();
    state.query.as_ref().map(InterruptHandle::interrupt).is_some()
}

/// Ends the command. Nothing that it has begun to write is left.
pub(crate) fn end() -> ! {
    clear();
    exit(STATUS.into());
}

/// Waits for the end of the process if a signal ends it. Work that was waiting for a process which
/// has ended with it would otherwise return first, with a status of its own.
pub(crate) fn leave_to_signal() {
    if state().is_over {
        thread::sleep(10 * PATIENCE);
    }
}

/// Ends the processes that this one has started, and removes what is not complete.
fn clear() {
    let mut state = state();
    state.is_over = true;
    let children = std::mem::take(&mut state.children);
    drop(state);
    for child in children {
        // Its files are in a folder of this process.
        end_child(&mut child.lock().unwrap_or_else(PoisonError::into_inner));
    }
    scratch::end();
}

/// Ends a process of this program, which ends what it has started itself if the system has signals
/// for that.
fn end_child(child: &mut Child) {
    #[cfg(unix)]
    if unix::terminate(child) {
        let until = Instant::now() + PATIENCE;
        while matches!(child.try_wait(), Ok(None)) && Instant::now() < until {
            thread::sleep(Duration::from_millis(2));
        }
    }
    // Both do nothing if it has ended.
    let _ = child.kill().and_then(|()| child.wait());
}

fn state() -> std::sync::MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A process that ends with this one, and when this is dropped.
pub(crate) struct Started(Arc<Mutex<Child>>);

/// The ends of a process's pipes that this one has.
pub(crate) struct Pipes {
    pub(crate) stdin: Option<ChildStdin>,
    pub(crate) stdout: Option<ChildStdout>,
    pub(crate) stderr: Option<ChildStderr>,
}

impl Started {
    /// Starts it. What it reads and writes is returned as well.
    ///
    /// # Errors
    ///
    /// Returns the error of the system, or one if this process ends.
    pub(crate) fn start(command: &mut Command) -> io::Result<(Self, Pipes)> {
        let mut state = state();
        if state.is_over {
            return Err(io::Error::other("the command ends"));
        }
        let mut child = command.spawn()?;
        let pipes = Pipes { stdin: child.stdin.take(), stdout: child.stdout.take(), stderr: child.stderr.take() };
        let child = Arc::new(Mutex::new(child));
        state.children.push(Arc::clone(&child));
        Ok((Self(child), pipes))
    }

    /// Whether it has ended.
    ///
    /// # Errors
    ///
    /// Returns the error of the system.
    pub(crate) fn has_ended(&self) -> io::Result<bool> {
        Ok(self.child().try_wait()?.is_some())
    }

    fn child(&self) -> std::sync::MutexGuard<'_, Child> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        state().children.retain(|child| !Arc::ptr_eq(child, &self.0));
        end_child(&mut self.child());
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
