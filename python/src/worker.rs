//! The thread that a trace lives on.
//!
//! Questions are functions that it calls one after the other. The caller waits without Python's
//! lock, and looks now and then whether Ctrl+C was pressed: then the work is stopped, and the
//! caller does not wait for its end.

use std::collections::HashMap;
use std::ffi::OsString;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;
pub(crate) use unspool_cli::opened::Stop;
use unspool_cli::opened::{Opened, Refusal};

use crate::tables::Pass;

/// How long Ctrl+C may go unheard.
const PATIENCE: Duration = Duration::from_millis(50);
/// Bytes of the thread's stack. Demanglers and parsers recurse.
const STACK: usize = 32 << 20;

/// What the thread has.
pub(crate) struct State {
    /// The trace.
    pub(crate) opened: Opened,
    /// Rows that are being passed on, by the numbers of their streams.
    pub(crate) passes: HashMap<u64, Pass>,
}

/// Why there is no answer.
pub(crate) enum Failed {
    /// The trace or the question is wrong.
    Refused(Refusal),
    /// A handler of a signal has raised this.
    Interrupted(PyErr),
    /// The trace was closed.
    Closed,
    /// The thread is in another process.
    Forked,
    /// The thread has ended.
    Lost,
}

impl From<Refusal> for Failed {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

type Job = Box<dyn FnOnce(&mut State) + Send>;

/// A trace on its thread, which ends with this.
pub(crate) struct Worker {
    jobs: Mutex<Option<Sender<Job>>>,
    said: Vec<String>,
    /// The process that has the thread.
    process: u32,
}

impl Worker {
    /// Opens a trace on a new thread.
    pub(crate) fn open(py: Python<'_>, args: Vec<OsString>) -> Result<Self, Failed> {
        let (jobs, questions) = mpsc::channel::<Job>();
        let (answer, opened) = mpsc::sync_channel(1);
        let stop = Stop::default();
        let stopping = stop.clone();
        let run = move || match Opened::open(&args, &stopping) {
            Err(refusal) => drop(answer.send(Err(refusal))),
            Ok((trace, said)) => {
                let mut state = State { opened: trace, passes: HashMap::new() };
                // Otherwise the caller no longer waits for it.
                if answer.send(Ok(said)).is_ok() {
                    questions.into_iter().for_each(|job| job(&mut state));
                }
            }
        };
        let started = thread::Builder::new().name("unspool".into()).stack_size(STACK).spawn(run);
        started.map_err(|error| Refusal { sentence: error.to_string(), at: None, is_usage: false })?;
        let said = wait_in_python(py, opened, &stop)??;
        Ok(Self { jobs: Mutex::new(Some(jobs)), said, process: std::process::id() })
    }

    /// What was wrong with the file while it was read.
    pub(crate) fn said(&self) -> &[String] {
        &self.said
    }

    /// Calls a function on the thread, and waits for its end.
    pub(crate) fn ask<T: Send + 'static>(
        &self,
        py: Python<'_>,
        job: impl FnOnce(&mut State, &Stop) -> T + Send + 'static,
    ) -> Result<T, Failed> {
        let (answer, stop) = self.send(job)?;
        wait_in_python(py, answer, &stop)
    }

    /// As [`Worker::ask`], called without Python. `check` hears Ctrl+C where it can.
    pub(crate) fn ask_outside<T: Send + 'static>(
        &self,
        check: impl FnMut() -> PyResult<()>,
        job: impl FnOnce(&mut State, &Stop) -> T + Send + 'static,
    ) -> Result<T, Failed> {
        let (answer, stop) = self.send(job)?;
        wait(&stop, || answer.recv_timeout(PATIENCE), check)
    }

    /// Calls a function on the thread once that has time, without waiting for it.
    pub(crate) fn tell(&self, job: impl FnOnce(&mut State) + Send + 'static) {
        if self.process == std::process::id()
            && let Some(jobs) = self.jobs.lock().unwrap_or_else(PoisonError::into_inner).as_ref()
        {
            let _ = jobs.send(Box::new(job));
        }
    }

    /// Ends the thread once it has done what it was asked for.
    pub(crate) fn close(&self) {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    fn send<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut State, &Stop) -> T + Send + 'static,
    ) -> Result<(Receiver<T>, Stop), Failed> {
        if self.process != std::process::id() {
            return Err(Failed::Forked);
        }
        let (to, answer) = mpsc::sync_channel(1);
        let stop = Stop::default();
        let stopping = stop.clone();
        let job: Job = Box::new(move |state| {
            // The caller may no longer wait for the answer.
            let _ = to.send(job(state, &stopping));
        });
        let jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        jobs.as_ref().ok_or(Failed::Closed)?.send(job).map_err(|_| Failed::Lost)?;
        Ok((answer, stop))
    }
}

/// Waits without Python's lock.
fn wait_in_python<T: Send>(py: Python<'_>, answer: Receiver<T>, stop: &Stop) -> Result<T, Failed> {
    let answer = Mutex::new(answer);
    let next = || py.detach(|| answer.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(PATIENCE));
    wait(stop, next, || py.check_signals())
}

/// Waits for an answer, and stops the work if `check` fails.
fn wait<T>(
    stop: &Stop,
    mut next: impl FnMut() -> Result<T, RecvTimeoutError>,
    mut check: impl FnMut() -> PyResult<()>,
) -> Result<T, Failed> {
    loop {
        match next() {
            Ok(answer) => return Ok(answer),
            Err(RecvTimeoutError::Disconnected) => return Err(Failed::Lost),
            Err(RecvTimeoutError::Timeout) => {
                if let Err(error) = check() {
                    stop.stop();
                    return Err(Failed::Interrupted(error));
                }
            }
        }
    }
}
