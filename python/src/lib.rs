//! The native part of the Python package `unspool`. `lib/unspool/__init__.py` is what programs see.
//!
//! A trace lives on a thread of its own ([`worker`]), so that Python's lock is free and Ctrl+C is
//! heard while it works. Rows leave as Arrow record batches ([`arrow`], [`tables`]); answers of
//! commands leave as the JSON that the commands print.

mod arrow;
mod stream;
mod tables;
mod worker;

use std::ffi::OsString;
use std::sync::Arc;

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use unspool_cli::opened::{Refusal, Scope};

use crate::stream::Stream;
use crate::tables::Table;
use crate::worker::{Failed, Worker};

create_exception!(unspool, TraceError, PyException, "A trace cannot be read. `offset` has the position, if it is one.");
create_exception!(unspool, QuestionError, TraceError, "What was asked for is wrong, not the trace.");

/// An exception for what went wrong.
pub(crate) fn exception(py: Python<'_>, failed: Failed) -> PyErr {
    match failed {
        Failed::Interrupted(error) => error,
        Failed::Closed => PyValueError::new_err("The trace is closed."),
        Failed::Forked => {
            PyRuntimeError::new_err("The trace was opened before this process was forked: open it again here.")
        }
        Failed::Lost => PyRuntimeError::new_err("The trace was lost to an internal error: open it again."),
        Failed::Refused(Refusal { sentence, at, is_usage }) => {
            let error = if is_usage { QuestionError::new_err(sentence) } else { TraceError::new_err(sentence) };
            match error.value(py).setattr("offset", at) {
                Ok(()) => error,
                Err(other) => other,
            }
        }
    }
}

/// An open trace.
#[pyclass(frozen)]
struct Trace {
    worker: Arc<Worker>,
}

#[pymethods]
impl Trace {
    /// Opens a trace. `args` has the path and options of `unspool info`.
    #[new]
    fn new(py: Python<'_>, args: Vec<OsString>) -> PyResult<Self> {
        Worker::open(py, args).map(|worker| Self { worker: Arc::new(worker) }).map_err(|failed| exception(py, failed))
    }

    /// What was wrong with the file while it was read.
    #[getter]
    fn said(&self) -> Vec<String> {
        self.worker.said().to_vec()
    }

    /// Carries out a command. Returns what it prints, and the lines on standard error.
    fn answer(&self, py: Python<'_>, args: Vec<OsString>) -> PyResult<(Vec<u8>, Vec<String>)> {
        let answer = self.worker.ask(py, move |state, stop| state.opened.answer(&args, stop));
        let answer =
            answer.and_then(|answer| answer.map_err(Failed::Refused)).map_err(|failed| exception(py, failed))?;
        Ok((answer.text, answer.said))
    }

    /// The rows of a table, of a range whose end is exclusive.
    #[pyo3(signature = (table, range=None, track=None, filter=None))]
    fn stream(
        &self,
        table: &str,
        range: Option<(u64, u64)>,
        track: Option<String>,
        filter: Option<String>,
    ) -> PyResult<Stream> {
        let table = Table::named(table).ok_or_else(|| PyValueError::new_err("There is no such table."))?;
        Ok(Stream::new(Arc::clone(&self.worker), table, Scope { range, track, filter }))
    }

    /// Closes the trace. Streams of it end with an error.
    fn close(&self) {
        self.worker.close();
    }
}

/// Removes temporary files. Called when Python ends.
#[pyfunction]
fn clean() {
    unspool_cli::opened::clean();
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("TraceError", module.py().get_type::<TraceError>())?;
    module.add("QuestionError", module.py().get_type::<QuestionError>())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<Trace>()?;
    module.add_class::<Stream>()?;
    module.add_class::<stream::Batch>()?;
    module.add_class::<stream::Batches>()?;
    module.add_function(wrap_pyfunction!(clean, module)?)
}
