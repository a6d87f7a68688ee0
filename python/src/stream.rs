//! The rows of a table for Python: streams of Arrow record batches.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ThreadId};

use pyo3::ffi::PyErr_SetInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use unspool_cli::opened::{Refusal, Scope};

use crate::arrow::{Array, ArrayStream, Schema, Source};
use crate::tables::{Batch as Rows, Pass, Table};
use crate::worker::{Failed, State, Worker};
use crate::{exception, worker};

/// The number of the next pass.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Rows of a table, in batches. Libraries take them by the Arrow PyCapsule interface, as often as
/// they like: each time, the rows are passed on from the beginning.
#[pyclass(frozen)]
pub(crate) struct Stream {
    worker: Arc<Worker>,
    table: Table,
    scope: Scope,
}

impl Stream {
    pub(crate) fn new(worker: Arc<Worker>, table: Table, scope: Scope) -> Self {
        Self { worker, table, scope }
    }

    /// Begins a pass over the rows.
    fn begin(&self, py: Python<'_>) -> PyResult<Passing> {
        let (number, table, scope) = (NEXT.fetch_add(1, Ordering::Relaxed), self.table, self.scope.clone());
        // Dropping it frees what the pass has, even if the caller is interrupted before it begins.
        let passing = Passing { worker: Arc::clone(&self.worker), table, number, thread: thread::current().id() };
        let begun = self.worker.ask(py, move |state, stop| {
            let pass = Pass::new(&state.opened, table, &scope, stop)?;
            state.passes.insert(number, pass);
            Ok::<_, Refusal>(())
        });
        begun.and_then(|begun| begun.map_err(Failed::Refused)).map_err(|failed| exception(py, failed))?;
        Ok(passing)
    }
}

#[pymethods]
impl Stream {
    /// The columns, as a capsule with an `ArrowSchema`.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        PyCapsule::new_with_value(py, Schema::of(self.table), c"arrow_schema")
    }

    /// The rows, as a capsule with an `ArrowArrayStream`. The columns have one type each: another
    /// schema that is asked for is not taken into account, as the interface allows.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        PyCapsule::new_with_value(py, ArrayStream::new(Box::new(self.begin(py)?)), c"arrow_array_stream")
    }

    /// The batches, one by one.
    fn __iter__(&self, py: Python<'_>) -> PyResult<Batches> {
        self.begin(py).map(|passing| Batches { passing: Mutex::new(passing) })
    }

    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<&'static str> {
        self.table.fields().iter().map(|(name, ..)| *name).collect()
    }
}

/// A pass over the rows of a table, on the thread of the trace. Dropping it ends it.
struct Passing {
    worker: Arc<Worker>,
    table: Table,
    number: u64,
    /// The thread that has begun it, with Python's lock.
    thread: ThreadId,
}

/// The next rows of a pass.
fn next(number: u64) -> impl FnOnce(&mut State, &worker::Stop) -> Result<Option<Rows>, Refusal> {
    move |State { opened, passes }, stop| {
        let Some(pass) = passes.get_mut(&number) else { return Ok(None) };
        pass.next(opened, stop)
    }
}

impl Source for Passing {
    fn table(&self) -> Table {
        self.table
    }

    fn next(&mut self) -> Result<Option<Rows>, String> {
        // Python handles signals on one thread. On the one that has begun the pass, its lock is
        // either held, or can be had: who gave it back waits for the stream alone.
        let check =
            || if thread::current().id() == self.thread { Python::attach(|py| py.check_signals()) } else { Ok(()) };
        match self.worker.ask_outside(check, next(self.number)) {
            Ok(Ok(batch)) => {
                if batch.is_some() {
                    let number = self.number;
                    self.worker.tell(move |State { opened, passes }| {
                        if let Some(pass) = passes.get_mut(&number) {
                            pass.prepare(opened);
                        }
                    });
                }
                Ok(batch)
            }
            Ok(Err(refusal)) => Err(refusal.sentence),
            Err(Failed::Interrupted(error)) => {
                // The library raises an error of its own. Python's handler runs again after that.
                // SAFETY: it may be called at any time, without Python's lock, too.
                unsafe { PyErr_SetInterrupt() };
                Err(error.to_string())
            }
            Err(failed) => Err(Python::attach(|py| exception(py, failed).to_string())),
        }
    }
}

impl Drop for Passing {
    fn drop(&mut self) {
        let number = self.number;
        self.worker.tell(move |state| drop(state.passes.remove(&number)));
    }
}

/// The batches of a stream, one by one.
#[pyclass(frozen)]
pub(crate) struct Batches {
    passing: Mutex<Passing>,
}

#[pymethods]
impl Batches {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Batch>> {
        let passing = self.passing.lock().unwrap_or_else(PoisonError::into_inner);
        let (worker, number, table) = (Arc::clone(&passing.worker), passing.number, passing.table);
        drop(passing);
        let rows = worker.ask(py, next(number));
        let rows = rows.and_then(|rows| rows.map_err(Failed::Refused)).map_err(|failed| exception(py, failed))?;
        Ok(rows.map(|rows| Batch { table, len: rows.rows, rows: Mutex::new(Some(rows)) }))
    }
}

/// Rows of a table. A library takes them once.
#[pyclass(frozen)]
pub(crate) struct Batch {
    table: Table,
    len: usize,
    rows: Mutex<Option<Rows>>,
}

#[pymethods]
impl Batch {
    fn __len__(&self) -> usize {
        self.len
    }

    /// The columns and the rows, as capsules with an `ArrowSchema` and an `ArrowArray`.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        drop(requested_schema);
        let rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner).take();
        let rows = rows.ok_or_else(|| pyo3::exceptions::PyValueError::new_err("These rows were taken before."))?;
        let schema = PyCapsule::new_with_value(py, Schema::of(self.table), c"arrow_schema")?;
        Ok((schema, PyCapsule::new_with_value(py, Array::of(rows), c"arrow_array")?))
    }
}
