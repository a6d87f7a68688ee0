//! Records and their fields as rows of two tables: `records` and `fields` of `unspool sql` and of
//! the SQL panel (`docs/sql.md`).

use std::ops::Range as Numbers;

use unspool_trace::records::RecordName;
use unspool_trace::{FieldValue, Record, TrackId, Visitor};

/// Takes the rows of the two tables, those of a record's fields after that of the record.
pub trait TableSink {
    /// A record: its position, its track and its name.
    fn record(&mut self, x: u64, track: TrackId, name: Option<&str>);
    /// A field of the latest record. `key` leads to it, with a dot between its parts. A value is
    /// never a symbol: `symbol` has its name.
    fn field(&mut self, key: &str, value: FieldValue<'_>, symbol: Option<&str>);
    /// Whether no more rows are wanted.
    fn is_full(&self) -> bool;
}

/// A visitor that turns records into rows.
pub struct Tabulate<'a> {
    sink: &'a mut dyn TableSink,
    range: Option<Numbers<u64>>,
    /// Keys of the open lists and structures, with a dot after each.
    path: String,
    /// For each of them: where its key begins, whether it is a list, and the number of its next
    /// part.
    open: Vec<(usize, bool, usize)>,
}

impl<'a> Tabulate<'a> {
    /// Rows of the records with positions in a range, or of all.
    pub fn new(sink: &'a mut dyn TableSink, range: Option<Numbers<u64>>) -> Self {
        Self { sink, range, path: String::new(), open: Vec::new() }
    }

    /// Appends the key of a field or of a part to the path. Returns the length before.
    fn push_key(&mut self, key: &str) -> usize {
        let before = self.path.len();
        match self.open.last_mut() {
            Some((_, true, next)) => {
                self.path.push_str(&next.to_string());
                *next += 1;
            }
            _ => self.path.push_str(key),
        }
        before
    }
}

impl Visitor for Tabulate<'_> {
    fn begin(&mut self, record: &Record<'_>) -> bool {
        self.path.clear();
        self.open.clear();
        if self.range.as_ref().is_some_and(|range| !range.contains(&record.x)) || self.sink.is_full() {
            return false;
        }
        match record.name {
            RecordName::None => self.sink.record(record.x, record.track, None),
            RecordName::Text(text) => self.sink.record(record.x, record.track, Some(text)),
            RecordName::Id(id) => self.sink.record(record.x, record.track, Some(&format!("#{id}"))),
        }
        true
    }

    fn field(&mut self, key: &str, value: FieldValue<'_>) {
        let before = self.push_key(key);
        let (value, symbol) = match value {
            FieldValue::Symbol { name, value } => (*value, Some(name)),
            value => (value, None),
        };
        self.sink.field(&self.path, value, symbol);
        self.path.truncate(before);
    }

    fn open(&mut self, key: &str, is_list: bool) {
        let before = self.push_key(key);
        self.path.push('.');
        self.open.push((before, is_list, 0));
    }

    fn close(&mut self) {
        if let Some((before, ..)) = self.open.pop() {
            self.path.truncate(before);
        }
    }

    fn is_full(&self) -> bool {
        self.sink.is_full()
    }
}

/// Rows as bytes, for another worker. All numbers are little-endian.
///
/// A record is 1, its position (64 bits), the number of its track (32) and a text; a field 2, a
/// text (its key), a text (its symbol) and a value. A text is its length (32 bits, all ones if
/// there is none) and its bytes. A value is its kind (8 bits): 0 null, 1 an integer and 2 a
/// floating point number (64 bits), 3 a text, 4 bytes, like a text.
#[derive(Debug, Default)]
pub struct TableBytes {
    /// The rows so far.
    pub bytes: Vec<u8>,
    /// How many there are.
    pub rows: u64,
    /// How many rows, and how many bytes about, are wanted at most.
    pub most: (u64, u64),
}

impl TableBytes {
    fn text(&mut self, text: Option<&[u8]>) {
        let len = text.map_or(u32::MAX, |text| text.len() as u32);
        self.bytes.extend_from_slice(&len.to_le_bytes());
        self.bytes.extend_from_slice(text.unwrap_or_default());
    }

    fn number(&mut self, kind: u8, bits: u64) {
        self.bytes.push(kind);
        self.bytes.extend_from_slice(&bits.to_le_bytes());
    }

    fn value(&mut self, value: FieldValue<'_>) {
        match value {
            FieldValue::Bool(is) => self.number(1, is.into()),
            FieldValue::U64(number) | FieldValue::Hex(number) => self.number(1, number),
            FieldValue::I64(number) | FieldValue::Id(number) => self.number(1, number as u64),
            FieldValue::F32(number) => self.number(2, f64::from(number).to_bits()),
            FieldValue::F64(number) => self.number(2, number.to_bits()),
            FieldValue::Text(text) => {
                self.bytes.push(3);
                self.text(Some(text.as_bytes()));
            }
            FieldValue::Bytes { bytes, .. } | FieldValue::Code { bytes, .. } => {
                self.bytes.push(4);
                self.text(Some(bytes));
            }
            // A symbol of a symbol does not occur.
            FieldValue::Null | FieldValue::Symbol { .. } => self.bytes.push(0),
        }
    }
}

impl TableSink for TableBytes {
    fn record(&mut self, x: u64, track: TrackId, name: Option<&str>) {
        self.rows += 1;
        self.number(1, x);
        self.bytes.extend_from_slice(&track.to_le_bytes());
        self.text(name.map(str::as_bytes));
    }

    fn field(&mut self, key: &str, value: FieldValue<'_>, symbol: Option<&str>) {
        self.rows += 1;
        self.bytes.push(2);
        self.text(Some(key.as_bytes()));
        self.text(symbol.map(str::as_bytes));
        self.value(value);
    }

    fn is_full(&self) -> bool {
        self.rows >= self.most.0 || self.bytes.len() as u64 >= self.most.1
    }
}

#[cfg(test)]
mod tests {
    use unspool_trace::Locator;

    use super::*;

    fn record(x: u64, name: RecordName<'_>) -> Record<'_> {
        Record { lane: 0, row: 0, x, track: 3, locator: Locator::at(x), name }
    }

    /// Prints rows.
    #[derive(Default)]
    struct Printed(Vec<String>, usize);

    impl TableSink for Printed {
        fn record(&mut self, x: u64, track: TrackId, name: Option<&str>) {
            self.0.push(format!("{x} {track} {name:?}"));
        }

        fn field(&mut self, key: &str, value: FieldValue<'_>, symbol: Option<&str>) {
            self.0.push(format!("{key} {value:?} {symbol:?}"));
        }

        fn is_full(&self) -> bool {
            self.1 > 0 && self.0.len() >= self.1
        }
    }

    #[test]
    fn keys_lead_into_lists_and_structures() {
        let mut sink = Printed::default();
        let mut rows = Tabulate::new(&mut sink, None);
        assert!(rows.begin(&record(5, RecordName::Id(7))));
        rows.field("id", FieldValue::U64(1));
        rows.open("args", false);
        rows.open("m", true);
        rows.field("", FieldValue::I64(-2));
        rows.open("", false);
        rows.field("x", FieldValue::Symbol { name: "GL_ONE", value: &FieldValue::U64(1) });
        rows.close();
        rows.close();
        rows.field("last", FieldValue::Null);
        rows.close();
        assert!(rows.begin(&record(6, RecordName::None)));
        rows.field("a", FieldValue::Bool(true));
        let expected = [
            "5 3 Some(\"#7\")",
            "id U64(1) None",
            "args.m.0 I64(-2) None",
            "args.m.1.x U64(1) Some(\"GL_ONE\")",
            "args.last Null None",
            "6 3 None",
            "a Bool(true) None",
        ];
        assert_eq!(sink.0, expected);
    }

    #[test]
    fn records_beyond_the_range_and_the_limit_have_no_rows() {
        let mut sink = Printed(Vec::new(), 2);
        let mut rows = Tabulate::new(&mut sink, Some(10..12));
        let seen: Vec<_> = (9..15).map(|x| rows.begin(&record(x, RecordName::None))).collect();
        assert_eq!(seen, [false, true, true, false, false, false]);
        assert!(rows.is_full());
        assert_eq!(sink.0, ["10 3 None", "11 3 None"]);
    }

    #[test]
    fn bytes_are_as_documented() {
        let mut sink = TableBytes { most: (100, 100), ..TableBytes::default() };
        sink.record(258, 3, Some("ab"));
        sink.field("k", FieldValue::F32(0.5), Some("s"));
        sink.field("t", FieldValue::Text("x"), None);
        #[rustfmt::skip]
        let expected = [
            1, 2, 1, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, b'a', b'b',
            2, 1, 0, 0, 0, b'k', 1, 0, 0, 0, b's', 2, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f,
            2, 1, 0, 0, 0, b't', 255, 255, 255, 255, 3, 1, 0, 0, 0, b'x',
        ];
        assert_eq!(sink.bytes, expected);
        assert_eq!((sink.rows, sink.is_full()), (3, false));
    }
}
