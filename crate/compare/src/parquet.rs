//! Apache Parquet files of flat tables, without compression and dictionaries: small tables that
//! other programs read.
//!
//! A file is `PAR1`, the pages of the columns one after the other, the metadata with its length,
//! and `PAR1` again (<https://parquet.apache.org/docs/file-format/>). Headers of pages and metadata
//! are Thrift structures in the compact protocol; the numbers of their fields are those of
//! `parquet.thrift`.

/// A column, with the value of each row. `None` is null.
#[derive(Clone, Debug, PartialEq)]
pub enum Values<'a> {
    /// Texts.
    Text(Vec<&'a str>),
    /// Texts that may be missing.
    MaybeText(Vec<Option<&'a str>>),
    /// Whole numbers.
    Int(Vec<i64>),
    /// Whole numbers that may be missing.
    MaybeInt(Vec<Option<i64>>),
    /// Real numbers.
    Real(Vec<f64>),
    /// Real numbers that may be missing.
    MaybeReal(Vec<Option<f64>>),
}

/// A column with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Column<'a> {
    /// A name that is a word of SQL.
    pub name: &'static str,
    /// A value for each row.
    pub values: Values<'a>,
}

const MAGIC: &[u8; 4] = b"PAR1";
/// Bytes of values after which a page ends.
const PAGE: usize = 1 << 20;

// `Type` of parquet.thrift.
const INT64: i64 = 2;
const DOUBLE: i64 = 5;
const BYTE_ARRAY: i64 = 6;
// `Encoding`.
const PLAIN: i64 = 0;
const RLE: i64 = 3;

/// A file with a table, and texts about it by key. All columns have the same number of rows.
pub fn file(columns: &[Column<'_>], about: &[(&str, String)]) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    let rows = columns.first().map_or(0, |column| column.values.len());
    let mut chunks = Vec::new();
    for column in columns {
        let begin = out.len();
        push_pages(&column.values, &mut out);
        chunks.push((begin, out.len() - begin));
    }
    let begin = out.len();
    let mut metadata = Thrift::new(&mut out);
    metadata.int(1, 1);
    metadata.list(2, STRUCT, columns.len() + 1);
    metadata.nested(|root| {
        root.text(4, "schema");
        root.int(5, columns.len() as i64);
    });
    for Column { name, values } in columns {
        metadata.nested(|element| {
            element.int(1, values.physical());
            element.int(3, i64::from(values.is_optional()));
            element.text(4, name);
            if values.physical() == BYTE_ARRAY {
                // ConvertedType UTF8.
                element.int(6, 0);
            }
        });
    }
    metadata.long(3, rows as i64);
    metadata.list(4, STRUCT, 1);
    metadata.nested(|group| {
        group.list(1, STRUCT, columns.len());
        for (Column { name, values }, (begin, bytes)) in columns.iter().zip(&chunks) {
            group.nested(|chunk| {
                chunk.long(2, *begin as i64);
                chunk.field(3, STRUCT);
                chunk.nested(|column| {
                    column.int(1, values.physical());
                    column.list(2, INT, 2);
                    [PLAIN, RLE].into_iter().for_each(|encoding| column.bare(encoding));
                    column.list(3, BINARY, 1);
                    column.bytes(name.as_bytes());
                    column.int(4, 0);
                    column.long(5, values.len() as i64);
                    column.long(6, *bytes as i64);
                    column.long(7, *bytes as i64);
                    column.long(9, *begin as i64);
                });
            });
        }
        group.long(2, chunks.iter().map(|(_, bytes)| *bytes as i64).sum());
        group.long(3, rows as i64);
    });
    metadata.list(5, STRUCT, about.len());
    for (key, value) in about {
        metadata.nested(|pair| {
            pair.text(1, key);
            pair.text(2, value);
        });
    }
    metadata.text(6, "unspool");
    metadata.end();
    let length = u32::try_from(out.len() - begin).unwrap_or(u32::MAX);
    out.extend(length.to_le_bytes());
    out.extend(MAGIC);
    out
}

impl Values<'_> {
    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::Text(values) => values.len(),
            Self::MaybeText(values) => values.len(),
            Self::Int(values) => values.len(),
            Self::MaybeInt(values) => values.len(),
            Self::Real(values) => values.len(),
            Self::MaybeReal(values) => values.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn physical(&self) -> i64 {
        match self {
            Self::Text(_) | Self::MaybeText(_) => BYTE_ARRAY,
            Self::Int(_) | Self::MaybeInt(_) => INT64,
            Self::Real(_) | Self::MaybeReal(_) => DOUBLE,
        }
    }

    fn is_optional(&self) -> bool {
        matches!(self, Self::MaybeText(_) | Self::MaybeInt(_) | Self::MaybeReal(_))
    }

    /// Appends the value of a row in the encoding PLAIN. Returns false if it is null.
    fn push(&self, row: usize, out: &mut Vec<u8>) -> bool {
        let text = |text: &str, out: &mut Vec<u8>| {
            out.extend(u32::try_from(text.len()).unwrap_or(u32::MAX).to_le_bytes());
            out.extend(text.bytes());
        };
        match self {
            Self::Text(values) => values.get(row).map(|value| text(value, out)),
            Self::MaybeText(values) => values.get(row).copied().flatten().map(|value| text(value, out)),
            Self::Int(values) => values.get(row).map(|value| out.extend(value.to_le_bytes())),
            Self::MaybeInt(values) => values.get(row).copied().flatten().map(|value| out.extend(value.to_le_bytes())),
            Self::Real(values) => values.get(row).map(|value| out.extend(value.to_le_bytes())),
            Self::MaybeReal(values) => values.get(row).copied().flatten().map(|value| out.extend(value.to_le_bytes())),
        }
        .is_some()
    }
}

/// Appends the data pages of a column.
fn push_pages(values: &Values<'_>, out: &mut Vec<u8>) {
    let mut row = 0;
    loop {
        let begin = row;
        let mut content = Vec::new();
        // Definition levels, of one bit: runs of equal ones.
        let mut levels: Vec<(u64, bool)> = Vec::new();
        while row < values.len() && content.len() < PAGE {
            let is = values.push(row, &mut content);
            match levels.last_mut() {
                Some((count, of)) if *of == is => *count += 1,
                _ => levels.push((1, is)),
            }
            row += 1;
        }
        let mut page = Vec::new();
        if values.is_optional() {
            let mut runs = Vec::new();
            for (count, is) in levels {
                push_varint(count << 1, &mut runs);
                runs.push(u8::from(is));
            }
            page.extend(u32::try_from(runs.len()).unwrap_or(u32::MAX).to_le_bytes());
            page.extend(runs);
        }
        page.append(&mut content);
        let mut header = Thrift::new(out);
        // DATA_PAGE.
        header.int(1, 0);
        header.int(2, page.len() as i64);
        header.int(3, page.len() as i64);
        header.field(5, STRUCT);
        header.nested(|data| {
            data.int(1, (row - begin) as i64);
            data.int(2, PLAIN);
            data.int(3, RLE);
            data.int(4, RLE);
        });
        header.end();
        out.append(&mut page);
        if row >= values.len() {
            return;
        }
    }
}

// Types of the compact protocol.
const INT: u8 = 5;
const LONG: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// A structure of Thrift's compact protocol
/// (<https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md>).
struct Thrift<'a> {
    out: &'a mut Vec<u8>,
    /// The number of the field before.
    last: u8,
}

impl<'a> Thrift<'a> {
    fn new(out: &'a mut Vec<u8>) -> Self {
        Self { out, last: 0 }
    }

    /// Begins a field. Fields are in ascending order, at most 15 apart.
    fn field(&mut self, id: u8, kind: u8) {
        self.out.push((id - self.last) << 4 | kind);
        self.last = id;
    }

    fn int(&mut self, id: u8, value: i64) {
        self.field(id, INT);
        self.bare(value);
    }

    fn long(&mut self, id: u8, value: i64) {
        self.field(id, LONG);
        self.bare(value);
    }

    fn text(&mut self, id: u8, text: &str) {
        self.field(id, BINARY);
        self.bytes(text.as_bytes());
    }

    /// Begins a list, whose elements follow.
    fn list(&mut self, id: u8, kind: u8, len: usize) {
        self.field(id, LIST);
        match u8::try_from(len) {
            Ok(len) if len < 15 => self.out.push(len << 4 | kind),
            _ => {
                self.out.push(0xf0 | kind);
                push_varint(len as u64, self.out);
            }
        }
    }

    /// A number without a field.
    fn bare(&mut self, value: i64) {
        push_varint(((value << 1) ^ (value >> 63)) as u64, self.out);
    }

    /// Bytes without a field.
    fn bytes(&mut self, bytes: &[u8]) {
        push_varint(bytes.len() as u64, self.out);
        self.out.extend(bytes);
    }

    /// A structure without a field.
    fn nested(&mut self, write: impl FnOnce(&mut Thrift<'_>)) {
        let mut nested = Thrift::new(self.out);
        write(&mut nested);
        nested.end();
    }

    fn end(&mut self) {
        self.out.push(0);
    }
}

fn push_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_file_has_the_bytes_of_the_format() {
        let table = [Column { name: "n", values: Values::MaybeInt(vec![Some(-2), None]) }];
        #[rustfmt::skip]
        let expected = [
            b"PAR1".as_slice(),
            // The header of the page: DATA_PAGE, its length twice, two values, PLAIN, RLE, RLE.
            &[0x15, 0x00, 0x15, 0x20, 0x15, 0x20, 0x2c, 0x15, 0x04, 0x15, 0x00, 0x15, 0x06, 0x15, 0x06, 0, 0],
            // Definition levels: one 1, one 0. Then the value.
            &[4, 0, 0, 0, 2, 1, 2, 0],
            &(-2_i64).to_le_bytes(),
            // Version 1, two elements of the schema: the root, and an optional INT64.
            &[0x15, 0x02, 0x19, 0x2c],
            &[0x48, 6], b"schema", &[0x15, 0x02, 0],
            &[0x15, 0x04, 0x25, 0x02, 0x18, 1], b"n", &[0],
            // Two rows, a row group of one column chunk at byte 4.
            &[0x16, 0x04, 0x19, 0x1c, 0x19, 0x1c, 0x26, 0x08, 0x1c],
            &[0x15, 0x04, 0x19, 0x25, 0x00, 0x06, 0x19, 0x18, 1], b"n",
            &[0x15, 0x00, 0x16, 0x04, 0x16, 0x42, 0x16, 0x42, 0x26, 0x08, 0, 0],
            &[0x16, 0x42, 0x16, 0x04, 0],
            // A pair of texts, and who wrote it.
            &[0x19, 0x1c, 0x18, 1], b"k", &[0x18, 1], b"v", &[0],
            &[0x18, 7], b"unspool", &[0],
        ]
        .concat();
        let found = file(&table, &[("k", "v".into())]);
        let metadata = expected.len() - 4 - 33;
        assert_eq!(found[..expected.len()], expected);
        assert_eq!(found[expected.len()..], [&(metadata as u32).to_le_bytes()[..], b"PAR1"].concat());
    }

    #[test]
    fn pages_end_before_they_are_long() {
        let texts: Vec<String> = (0..5).map(|i| format!("{i}").repeat(700_000)).collect();
        let found =
            file(&[Column { name: "t", values: Values::Text(texts.iter().map(String::as_str).collect()) }], &[]);
        assert!(found.len() > 3_500_000 && found.len() < 3_501_000);
        for text in texts {
            let wanted = &text.as_bytes()[..100];
            assert!(found.windows(100).any(|part| part == wanted));
        }
        assert!(file(&[Column { name: "t", values: Values::Int(Vec::new()) }], &[]).ends_with(MAGIC));
    }
}
