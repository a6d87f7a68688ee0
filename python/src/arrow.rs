//! The Arrow C data interface and the C stream interface, as far as the tables need them:
//! <https://arrow.apache.org/docs/format/CDataInterface.html> and `CStreamInterface.html` there.
//!
//! All memory that a structure refers to belongs to its private data, which its `release` frees.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::Arc;

use crate::tables::{Batch, Column, Field, Kind, Table, Texts, Values};

/// `ARROW_FLAG_NULLABLE`.
const NULLABLE: i64 = 2;

/// `struct ArrowSchema`.
#[repr(C)]
pub(crate) struct Schema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut Schema,
    dictionary: *mut Schema,
    release: Option<unsafe extern "C" fn(*mut Schema)>,
    private_data: *mut c_void,
}

// SAFETY: what it refers to belongs to it alone, and has no thread.
unsafe impl Send for Schema {}

/// What a schema refers to.
struct SchemaParts {
    _name: CString,
    children: Vec<*mut Schema>,
    dictionary: *mut Schema,
}

impl Schema {
    /// A structure of the columns of a table, as batches are.
    pub(crate) fn of(table: Table) -> Self {
        Self::new(c"+s", "", 0, table.fields().iter().map(Self::of_field).collect(), None)
    }

    fn of_field((name, kind, is_nullable): &Field) -> Self {
        let (format, dictionary) = match kind {
            Kind::Int64 => (c"l", None),
            Kind::Int32 => (c"i", None),
            Kind::UInt8 => (c"C", None),
            Kind::Float64 => (c"g", None),
            Kind::Text => (c"u", None),
            Kind::Name => (c"i", Some(Self::new(c"u", "", NULLABLE, Vec::new(), None))),
        };
        Self::new(format, name, if *is_nullable { NULLABLE } else { 0 }, Vec::new(), dictionary)
    }

    fn new(format: &'static CStr, name: &str, flags: i64, children: Vec<Self>, dictionary: Option<Self>) -> Self {
        // Names of columns have no zero bytes.
        let name = CString::new(name).unwrap_or_default();
        let name_at = name.as_ptr();
        let children: Vec<*mut Self> = children.into_iter().map(|child| Box::into_raw(Box::new(child))).collect();
        let dictionary = dictionary.map_or(null_mut(), |dictionary| Box::into_raw(Box::new(dictionary)));
        let mut parts = Box::new(SchemaParts { _name: name, children, dictionary });
        Self {
            format: format.as_ptr(),
            name: name_at,
            metadata: null(),
            flags,
            n_children: parts.children.len() as i64,
            children: parts.children.as_mut_ptr(),
            dictionary,
            release: Some(Self::release),
            private_data: Box::into_raw(parts).cast(),
        }
    }

    /// Frees what a schema refers to.
    ///
    /// # Safety
    ///
    /// `this` is a schema that was made here, perhaps moved since, and was not released.
    unsafe extern "C" fn release(this: *mut Self) {
        // SAFETY: the caller says so.
        let this = unsafe { &mut *this };
        // SAFETY: `new` made it of a box, which nothing else frees: `release` is cleared below.
        let parts = unsafe { Box::from_raw(this.private_data.cast::<SchemaParts>()) };
        for child in parts.children.iter().chain((!parts.dictionary.is_null()).then_some(&parts.dictionary)) {
            // SAFETY: `new` made it of a box. Dropping it releases what it refers to, if no
            // consumer has moved it away.
            drop(unsafe { Box::from_raw(*child) });
        }
        this.release = None;
    }
}

impl Drop for Schema {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: it is not released yet.
            unsafe { release(self) };
        }
    }
}

/// `struct ArrowArray`.
#[repr(C)]
pub(crate) struct Array {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut Array,
    dictionary: *mut Array,
    release: Option<unsafe extern "C" fn(*mut Array)>,
    private_data: *mut c_void,
}

// SAFETY: what it refers to belongs to it alone or is never changed, and has no thread.
unsafe impl Send for Array {}

/// What an array refers to.
struct ArrayParts {
    _held: Held,
    buffers: Vec<*const c_void>,
    children: Vec<*mut Array>,
    dictionary: *mut Array,
}

/// The memory of an array's buffers.
enum Held {
    Nothing,
    Column(#[expect(dead_code, reason = "it is freed with the array")] Column),
    Names(#[expect(dead_code, reason = "it is freed with the array")] Arc<Texts>),
}

impl Array {
    /// A batch as a structure of its columns.
    pub(crate) fn of(batch: Batch) -> Self {
        let Batch { columns, rows, names } = batch;
        let children = columns.into_iter().map(|column| Self::of_column(column, rows, &names)).collect();
        // It has no missing values, so its only buffer is not there.
        Self::new(rows, 0, vec![null()], children, None, Held::Nothing)
    }

    fn of_column(column: Column, rows: usize, names: &Arc<Texts>) -> Self {
        let missing = column.valid.as_ref().map_or(0, |valid| valid.missing);
        let valid = column.valid.as_ref().filter(|valid| valid.missing > 0).map_or(null(), |it| it.bits.as_ptr());
        let mut buffers = vec![valid.cast::<c_void>()];
        let mut dictionary = None;
        match &column.values {
            Values::Int64(values) => buffers.push(values.as_ptr().cast()),
            Values::Int32(values) => buffers.push(values.as_ptr().cast()),
            Values::UInt8(values) => buffers.push(values.as_ptr().cast()),
            Values::Float64(values) => buffers.push(values.as_ptr().cast()),
            Values::Text(texts) => buffers.extend(Self::buffers_of(texts)),
            Values::Name(values) => {
                buffers.push(values.as_ptr().cast());
                dictionary = Some(Self::of_names(names));
            }
        }
        // Moving the column moves none of its buffers.
        Self::new(rows, missing, buffers, Vec::new(), dictionary, Held::Column(column))
    }

    fn of_names(names: &Arc<Texts>) -> Self {
        let mut buffers = vec![null()];
        buffers.extend(Self::buffers_of(names));
        Self::new(names.ends.len() - 1, 0, buffers, Vec::new(), None, Held::Names(Arc::clone(names)))
    }

    fn buffers_of(texts: &Texts) -> [*const c_void; 2] {
        [texts.ends.as_ptr().cast(), texts.bytes.as_ptr().cast()]
    }

    fn new(
        length: usize,
        missing: usize,
        buffers: Vec<*const c_void>,
        children: Vec<Self>,
        dictionary: Option<Self>,
        held: Held,
    ) -> Self {
        let children: Vec<*mut Self> = children.into_iter().map(|child| Box::into_raw(Box::new(child))).collect();
        let dictionary = dictionary.map_or(null_mut(), |dictionary| Box::into_raw(Box::new(dictionary)));
        let mut parts = Box::new(ArrayParts { _held: held, buffers, children, dictionary });
        Self {
            length: length as i64,
            null_count: missing as i64,
            offset: 0,
            n_buffers: parts.buffers.len() as i64,
            n_children: parts.children.len() as i64,
            buffers: parts.buffers.as_mut_ptr(),
            children: parts.children.as_mut_ptr(),
            dictionary,
            release: Some(Self::release),
            private_data: Box::into_raw(parts).cast(),
        }
    }

    /// Frees what an array refers to.
    ///
    /// # Safety
    ///
    /// `this` is an array that was made here, perhaps moved since, and was not released.
    unsafe extern "C" fn release(this: *mut Self) {
        // SAFETY: the caller says so.
        let this = unsafe { &mut *this };
        // SAFETY: `new` made it of a box, which nothing else frees: `release` is cleared below.
        let parts = unsafe { Box::from_raw(this.private_data.cast::<ArrayParts>()) };
        for child in parts.children.iter().chain((!parts.dictionary.is_null()).then_some(&parts.dictionary)) {
            // SAFETY: `new` made it of a box. Dropping it releases what it refers to, if no
            // consumer has moved it away.
            drop(unsafe { Box::from_raw(*child) });
        }
        this.release = None;
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: it is not released yet.
            unsafe { release(self) };
        }
    }
}

/// Where the batches of a stream come from.
pub(crate) trait Source: Send {
    /// The table that they are of.
    fn table(&self) -> Table;

    /// The next one. `None` after the last one.
    ///
    /// # Errors
    ///
    /// Returns a sentence.
    fn next(&mut self) -> Result<Option<Batch>, String>;
}

/// `struct ArrowArrayStream`.
#[repr(C)]
pub(crate) struct ArrayStream {
    get_schema: Option<unsafe extern "C" fn(*mut ArrayStream, *mut Schema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut ArrayStream, *mut Array) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut ArrayStream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut ArrayStream)>,
    private_data: *mut c_void,
}

// SAFETY: its source can be sent, and belongs to it alone.
unsafe impl Send for ArrayStream {}

/// What a stream refers to.
struct StreamParts {
    source: Box<dyn Source>,
    error: CString,
}

/// `EIO`, which all systems number alike.
const EIO: c_int = 5;

impl ArrayStream {
    /// The batches of a source.
    pub(crate) fn new(source: Box<dyn Source>) -> Self {
        let parts = Box::new(StreamParts { source, error: CString::default() });
        Self {
            get_schema: Some(Self::get_schema),
            get_next: Some(Self::get_next),
            get_last_error: Some(Self::get_last_error),
            release: Some(Self::release),
            private_data: Box::into_raw(parts).cast(),
        }
    }

    /// # Safety
    ///
    /// `this` is a stream that was made here and was not released, and `into` has room for a
    /// schema.
    unsafe extern "C" fn get_schema(this: *mut Self, into: *mut Schema) -> c_int {
        // SAFETY: the caller says so.
        let parts = unsafe { &*(*this).private_data.cast::<StreamParts>() };
        // SAFETY: what is there is not initialised, so it is not dropped.
        unsafe { into.write(Schema::of(parts.source.table())) };
        0
    }

    /// # Safety
    ///
    /// `this` is a stream that was made here and was not released, and `into` has room for an
    /// array.
    unsafe extern "C" fn get_next(this: *mut Self, into: *mut Array) -> c_int {
        // SAFETY: the caller says so. A stream is called by one thread at a time.
        let parts = unsafe { &mut *(*this).private_data.cast::<StreamParts>() };
        let array = match parts.source.next() {
            Ok(Some(batch)) => Array::of(batch),
            // An array that is released marks the end.
            Ok(None) => {
                let mut end = Array::new(0, 0, Vec::new(), Vec::new(), None, Held::Nothing);
                if let Some(release) = end.release {
                    // SAFETY: it is not released yet.
                    unsafe { release(&raw mut end) };
                }
                end
            }
            Err(sentence) => {
                parts.error = CString::new(sentence.replace('\0', " ")).unwrap_or_default();
                return EIO;
            }
        };
        // SAFETY: what is there is not initialised, so it is not dropped.
        unsafe { into.write(array) };
        0
    }

    /// # Safety
    ///
    /// `this` is a stream that was made here and was not released.
    unsafe extern "C" fn get_last_error(this: *mut Self) -> *const c_char {
        // SAFETY: the caller says so.
        let parts = unsafe { &*(*this).private_data.cast::<StreamParts>() };
        if parts.error.is_empty() { null() } else { parts.error.as_ptr() }
    }

    /// # Safety
    ///
    /// `this` is a stream that was made here, perhaps moved since, and was not released.
    unsafe extern "C" fn release(this: *mut Self) {
        // SAFETY: the caller says so.
        let this = unsafe { &mut *this };
        // SAFETY: `new` made it of a box, which nothing else frees: `release` is cleared below.
        drop(unsafe { Box::from_raw(this.private_data.cast::<StreamParts>()) });
        this.release = None;
    }
}

impl Drop for ArrayStream {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: it is not released yet.
            unsafe { release(self) };
        }
    }
}
