//! Writes traces: the mirror of the decoder, for cut traces, fixtures, samples and tests.

use alloc::vec::Vec;

use super::point::{Content, Point};
use super::wire::{
    AUXILIARY, BUFFER_SIZE, END_ENTRY, Layout, Number, NumberShape, STATEMENT, Shape, StatementId, Tables, VARIABLE,
};

/// Writes one trace into memory. Numbers too large for a layout lose their upper bits.
#[derive(Clone, Debug)]
pub struct Writer {
    layout: Layout,
    tables: Tables,
    bytes: Vec<u8>,
}

impl Writer {
    /// A trace with these names and types, and no points yet.
    pub fn new(layout: Layout, tables: Tables) -> Self {
        let mut writer = Self { layout, bytes: Vec::new(), tables };
        writer.put(writer.tables.dictionary.len() as u64, layout.count_len());
        writer.bytes.extend_from_slice(&writer.tables.dictionary);
        writer.put(writer.tables.types().len() as u64, layout.types_len());
        for t in writer.tables.types() {
            writer.bytes.extend_from_slice(&layout.type_bytes(t));
        }
        writer
    }

    /// Bytes written and not yet taken.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether no bytes are there to take.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Writes a point in the order of the reference's writer. Ignores [`Point::at`] and the buffer
    /// sizes of variables.
    pub fn point(&mut self, point: &Point) {
        if let Some(statement) = point.statement {
            self.statement(statement);
        }
        for (address, size) in &point.buffer_sizes {
            self.buffer_size(*address, *size);
        }
        for v in &point.variables {
            match &v.content {
                Content::Number(number) => self.number(v.name, v.of_type, *number),
                Content::Bytes(bytes) => self.blob(v.name, v.of_type, bytes),
            }
        }
        for value in &point.auxiliary {
            self.auxiliary(*value);
        }
        self.end();
    }

    /// Names the statement of the point.
    pub fn statement(&mut self, id: impl Into<StatementId>) {
        self.bytes.push(STATEMENT);
        self.put(id.into().bits(), self.layout.statement_len());
    }

    /// A variable that holds a number, in the size of its type.
    pub fn number(&mut self, name: u32, of_type: u32, value: Number) {
        let (size, raw) = match self.tables.shapes.get(of_type as usize) {
            Some(Shape::Number { size, number: NumberShape::Float }) => match value {
                Number::Float(v) => (usize::from(*size), (v as f32).to_bits().into()),
                _ => (usize::from(*size), value.bits()),
            },
            Some(Shape::Number { size, .. }) => (usize::from(*size), value.bits()),
            _ => (0, 0),
        };
        self.variable(name, of_type);
        self.put(raw, size);
    }

    /// A variable that holds bytes. Like the reference's reader, expects their number before them
    /// only if the type has no size. The reference's writer always writes it.
    pub fn blob(&mut self, name: u32, of_type: u32, bytes: &[u8]) {
        self.begin_blob(name, of_type, bytes.len() as u32);
        self.bytes.extend_from_slice(bytes);
    }

    /// A variable that holds `len` bytes, which follow by [`Writer::raw`].
    pub(super) fn begin_blob(&mut self, name: u32, of_type: u32, len: u32) {
        self.variable(name, of_type);
        if let Some(Shape::Blob) = self.tables.shapes.get(of_type as usize) {
            self.put(len.into(), self.layout.index_len());
        }
    }

    /// Sets the size of the buffer at `address`, in bytes. Size 0 frees the buffer.
    pub fn buffer_size(&mut self, address: u64, size: u64) {
        self.bytes.push(BUFFER_SIZE);
        self.put(address, 8);
        self.put(size, 8);
    }

    /// A number without a variable.
    pub fn auxiliary(&mut self, value: u64) {
        self.bytes.push(AUXILIARY);
        self.put(value, 8);
    }

    /// Ends the point.
    pub fn end(&mut self) {
        self.bytes.push(END_ENTRY);
    }

    /// Bytes of a blob, or arbitrary ones for invalid traces.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Takes the bytes since the last call, to write them out while the trace grows.
    pub fn take(&mut self) -> Vec<u8> {
        core::mem::take(&mut self.bytes)
    }

    /// The trace.
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }

    fn variable(&mut self, name: u32, of_type: u32) {
        self.bytes.push(VARIABLE);
        self.put(name.into(), self.layout.index_len());
        self.put(of_type.into(), self.layout.index_len());
    }

    fn put(&mut self, value: u64, len: usize) {
        self.bytes.extend(value.to_le_bytes().into_iter().take(len));
    }
}
