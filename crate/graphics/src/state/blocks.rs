//! Members of uniform blocks: where they are in a buffer, by the rules of `std140` (OpenGL 4.6,
//! 7.6.2.2), and their values.

use std::sync::Arc;

use super::conditions::{self, Active};
use unspool_gl::machine::cells::{Content, Numbers, Value};

/// A uniform block of layout `std140`.
#[derive(Debug, PartialEq)]
pub(super) struct Block<'a> {
    pub(super) name: &'a str,
    /// The binding point that the source gives it.
    pub(super) binding: u32,
    /// As far as their types are scalars, vectors and matrices: where the others end is not known.
    pub(super) members: Vec<Member<'a>>,
    /// Names of members begin with that of the block.
    pub(super) has_instance: bool,
}

/// A member of a block.
#[derive(Debug, PartialEq)]
pub(super) struct Member<'a> {
    pub(super) name: &'a str,
    pub(super) kind: &'a str,
    /// Elements of an array. `None` for what is not an array.
    pub(super) count: Option<u32>,
    offset: usize,
    /// Bytes from one element of the array to the next.
    stride: usize,
    is_row_major: bool,
}

/// Elements of an array up to which it is read.
const MOST_ELEMENTS: u32 = 1 << 14;

/// The blocks of a source. Arrays of blocks are left out.
pub(super) fn blocks(source: &str) -> Vec<Block<'_>> {
    let active = conditions::active(source);
    let words: Vec<&str> = active.words.iter().filter(|(_, is_sure)| *is_sure).map(|(word, _)| *word).collect();
    let mut found = Vec::new();
    let mut is_std140 = false;
    let mut is_row_major = false;
    // After the end of the declaration before.
    let mut first = 0;
    let mut at = 0;
    while let Some(word) = words.get(at) {
        match *word {
            "uniform" => {
                let before = words.get(first..at).unwrap_or_default();
                let own_std140 = is_std140 || before.contains(&"std140");
                let own_rows = before.contains(&"row_major") || is_row_major && !before.contains(&"column_major");
                match words.get(at + 1..at + 3) {
                    Some([";", _]) => (is_std140, is_row_major) = (own_std140, own_rows),
                    Some([name, "{"]) => {
                        let begin = at + 3;
                        let length = words.get(begin..).unwrap_or_default().iter().position(|word| *word == "}");
                        let Some(length) = length else { break };
                        at = begin + length;
                        let after = words.get(at + 1..).unwrap_or_default();
                        let is_array = after.get(1) == Some(&"[");
                        if own_std140 && !is_array {
                            let binding = number_after(&active, before, "binding").unwrap_or(0);
                            let inside = words.get(begin..at).unwrap_or_default();
                            let members = members(&active, inside, own_rows);
                            let has_instance = after.first().is_some_and(|word| *word != ";");
                            found.push(Block { name, binding, members, has_instance });
                        }
                    }
                    _ => {}
                }
            }
            ";" | "}" => first = at + 1,
            _ => {}
        }
        at += 1;
    }
    found
}

/// The number that a layout gives a name.
fn number_after<'a>(active: &Active<'a>, words: &[&'a str], name: &str) -> Option<u32> {
    let at = words.iter().position(|word| *word == name)?;
    let rest = words.get(at + 2..)?;
    let end = rest.iter().position(|word| matches!(*word, "," | ")"))?;
    u32::try_from(active.number(rest.get(..end)?)?).ok()
}

fn members<'a>(active: &Active<'a>, words: &[&'a str], is_row_major: bool) -> Vec<Member<'a>> {
    let mut found = Vec::new();
    let mut end = 0usize;
    for declaration in words.split(|word| *word == ";") {
        // Of offsets and alignments of their own nothing is said here.
        if declaration.iter().any(|word| matches!(*word, "offset" | "align")) {
            break;
        }
        let own_rows = declaration.contains(&"row_major") || is_row_major && !declaration.contains(&"column_major");
        let Some(at) = declaration.iter().position(|word| Shape::of(word).is_some()) else { break };
        let Some((kind, names)) = declaration.get(at..).and_then(|words| words.split_first()) else { break };
        let (Some(shape), false) = (Shape::of(kind), names.first() == Some(&"[")) else { break };
        for one in names.split(|word| *word == ",") {
            let (name, count) = match one {
                [name] => (name, None),
                [name, "[", size @ .., "]"] => {
                    let count = active.number(size).and_then(|count| u32::try_from(count).ok());
                    let Some(count) = count.filter(|count| (1..=MOST_ELEMENTS).contains(count)) else { return found };
                    (name, Some(count))
                }
                _ => return found,
            };
            let (alignment, stride, size) = shape.place(count, own_rows);
            let offset = end.next_multiple_of(alignment);
            end = offset.saturating_add(size);
            found.push(Member { name, kind, count, offset, stride, is_row_major: own_rows });
        }
    }
    found
}

/// What a type consists of.
#[derive(Clone, Copy)]
struct Shape {
    scalar: Scalar,
    rows: u8,
    columns: u8,
}

#[derive(Clone, Copy, PartialEq)]
enum Scalar {
    Float,
    Int,
    Uint,
}

impl Shape {
    fn of(kind: &str) -> Option<Self> {
        let vector = |rows: &str, scalar| {
            let rows = rows.parse().ok().filter(|rows| (2..=4).contains(rows))?;
            Some(Self { scalar, rows, columns: 1 })
        };
        let scalar = |scalar| Some(Self { scalar, rows: 1, columns: 1 });
        match kind {
            "float" => scalar(Scalar::Float),
            "int" => scalar(Scalar::Int),
            "uint" | "bool" => scalar(Scalar::Uint),
            _ => {
                if let Some(matrix) = kind.strip_prefix("mat") {
                    let (columns, rows) = matrix.split_once('x').unwrap_or((matrix, matrix));
                    let columns = columns.parse().ok().filter(|columns| (2..=4).contains(columns))?;
                    return vector(rows, Scalar::Float).map(|column| Self { columns, ..column });
                }
                let (rest, scalar) = match kind.as_bytes().first()? {
                    b'v' => (kind, Scalar::Float),
                    b'i' => (kind.get(1..)?, Scalar::Int),
                    b'u' | b'b' => (kind.get(1..)?, Scalar::Uint),
                    _ => return None,
                };
                vector(rest.strip_prefix("vec")?, scalar)
            }
        }
    }

    /// Alignment, bytes from one element to the next, and bytes of all.
    fn place(self, count: Option<u32>, is_row_major: bool) -> (usize, usize, usize) {
        let (rows, columns) = (usize::from(self.rows), usize::from(self.columns));
        if columns > 1 {
            let stride = 16 * if is_row_major { rows } else { columns };
            return (16, stride, stride * count.unwrap_or(1) as usize);
        }
        match count {
            Some(count) => (16, 16, 16 * count as usize),
            None => (4 * if rows == 3 { 4 } else { rows }, 4 * rows, 4 * rows),
        }
    }
}

impl Member<'_> {
    /// The elements whose bytes are all known. `from`: where the block begins in the buffer.
    pub(super) fn values(&self, content: &Content, from: usize) -> Vec<(u32, Value)> {
        let Some(shape) = Shape::of(self.kind) else { return Vec::new() };
        let element = |index: u32| {
            let begin = from.checked_add(self.offset)?.checked_add(self.stride * index as usize)?;
            Some((index, shape.value(content, begin, self.is_row_major)?))
        };
        (0..self.count.unwrap_or(1)).filter_map(element).collect()
    }
}

impl Shape {
    fn value(self, content: &Content, begin: usize, is_row_major: bool) -> Option<Value> {
        let Self { scalar, rows, columns } = self;
        let mut values = Vec::with_capacity(usize::from(rows) * usize::from(columns));
        for column in 0..usize::from(columns) {
            for row in 0..usize::from(rows) {
                let (major, minor) = if is_row_major && columns > 1 { (row, column) } else { (column, row) };
                let at = begin.checked_add(16 * major + 4 * minor)?;
                let known = content.known.get(at..at + 4)?.iter().all(|is| *is);
                let bytes: [u8; 4] = content.bytes.get(at..at + 4).filter(|_| known)?.try_into().ok()?;
                values.push(match scalar {
                    Scalar::Float => f32::from_le_bytes(bytes).into(),
                    Scalar::Int => i32::from_le_bytes(bytes).into(),
                    Scalar::Uint => u32::from_le_bytes(bytes).into(),
                });
            }
        }
        Some(match values[..] {
            [one] if scalar == Scalar::Float => Value::Float(one),
            [one] => Value::Int(one as i64),
            _ => Value::Numbers(Arc::new(Numbers { rows, columns, is_integer: scalar != Scalar::Float, values })),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offsets(members: &str) -> Vec<(String, usize)> {
        let source = format!("#define N 2\nlayout(std140, binding = N + 1) uniform B {{ {members} }};");
        let found = blocks(&source);
        assert_eq!((found[0].name, found[0].binding), ("B", 3));
        found[0].members.iter().map(|it| (it.name.to_string(), it.offset)).collect()
    }

    #[test]
    fn offsets_of_std140() {
        let expected =
            [("a", 0), ("b", 16), ("c", 28), ("d", 32), ("e", 48), ("f", 80), ("g", 128), ("h", 192), ("i", 200)];
        let source = "float a; vec3 b; float c; vec2 d; float e[N]; mat3 f; highp mat4 g; uvec2 h; int i;";
        assert_eq!(offsets(source), expected.map(|(name, offset)| (name.to_string(), offset)));
        // A structure ends what is known; so do offsets of its own.
        assert_eq!(offsets("vec4 a; Light l; vec4 b;").len(), 1);
        assert_eq!(offsets("vec4 a; layout(offset = 64) vec4 b;").len(), 1);
        let rows = "layout(row_major) mat4x2 a, b; mat4x2 c; float d;";
        assert_eq!(offsets(rows).iter().map(|(_, offset)| *offset).collect::<Vec<_>>(), [0, 32, 64, 128]);
    }

    #[test]
    fn blocks_of_other_layouts_and_arrays_are_left_out() {
        let source = "uniform A { vec4 a; };\nlayout(std140) uniform B { vec4 b; } bs[2];\nlayout(shared) uniform C { vec4 c; };\n\
            layout(std140) uniform;\nuniform D { vec4 d; } block;\nlayout(std140) uniform E { float";
        let found: Vec<_> = blocks(source).iter().map(|it| (it.name, it.has_instance)).collect();
        assert_eq!(found, [("D", true)]);
    }

    #[test]
    fn values_are_read_as_far_as_they_are_known() {
        let bytes: Vec<u8> = (0..24).flat_map(|n| (n as f32).to_le_bytes()).collect();
        let mut content = Content { known: vec![true; bytes.len()], bytes };
        content.known[80] = false;
        let found = blocks("layout(std140) uniform B { vec3 a; layout(row_major) mat2 m; float f[3]; };");
        let values = |i: usize| found[0].members[i].values(&content, 0);
        let numbers = |rows, columns, values: &[f64]| {
            Value::Numbers(Arc::new(Numbers { rows, columns, is_integer: false, values: values.to_vec() }))
        };
        assert_eq!(values(0), [(0, numbers(3, 1, &[0.0, 1.0, 2.0]))]);
        assert_eq!(values(1), [(0, numbers(2, 2, &[4.0, 8.0, 5.0, 9.0]))]);
        assert_eq!(values(2), [(0, Value::Float(12.0)), (1, Value::Float(16.0))]);
    }
}
