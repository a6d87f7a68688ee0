//! Everything that state consists of: cells that calls set, in a persistent (copy-on-write) array.
//!
//! ```text
//! root ─▶ [ block of 512 cells ] ─▶ [ page of 16 cells ]      a root of an hour ago shares all pages that were not written since
//! ```
//!
//! A cell belongs to an *owner*, which is a context, a share group or an object, and is known by
//! *what* it is (mostly the constant that a program would pass to `glGet`) and an index (a texture
//! unit, a vertex attribute, a level). Its number is given on first use and stays, so the table of
//! numbers is shared by all roots.

use std::sync::Arc;

use hashbrown::HashMap;

const PAGE: usize = 16;
const BLOCK: usize = 32;
/// Most owners and indexes, so that a key has 64 bits.
const MAX_OWNER: u32 = 1 << 27;
/// Indexes are less than this.
pub(crate) const MAX_INDEX: u32 = 1 << 20;

/// A value of a cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    /// No call has set it.
    #[default]
    Unset,
    /// A call has set it to a value that is not in the trace.
    Unknown,
    /// Memory of the program. The address is not in the trace: this call has the bytes in its
    /// place.
    Memory {
        /// The number of the call.
        call: u32,
    },
    /// A truth value.
    Bool(bool),
    /// Four truth values.
    Bools([bool; 4]),
    /// A number.
    Int(i64),
    /// A constant of OpenGL.
    Constant(u32),
    /// Two constants, of the front and the back.
    Modes([u32; 2]),
    /// A floating point number.
    Float(f64),
    /// Up to four floating point numbers.
    Floats([f32; 4], u8),
    /// Up to four integers.
    Ints([i32; 4], u8),
    /// A matrix in column-major order.
    Matrix(Arc<[f64; 16]>),
    /// Numbers of a uniform that is an array or a matrix.
    Numbers(Arc<Numbers>),
    /// The content of a buffer.
    Content(Arc<Content>),
    /// A text.
    Text(Arc<str>),
    /// An object that is bound. Its name is 0 if there is none.
    Object {
        /// The name that the program knows it by.
        name: u32,
        /// The owner of its cells, 0 if there is none.
        instance: u32,
    },
    /// The sizes and format of a level of a texture, or of a renderbuffer.
    Image(Arc<Image>),
    /// What is attached to a framebuffer.
    Attachment(Arc<Attachment>),
    /// Owners of objects.
    Instances(Arc<Vec<u32>>),
    /// A display list.
    List(Arc<Vec<crate::call::Call>>),
}

impl Value {
    /// Whether the trace has all of it. Otherwise two that look the same may be different.
    pub(crate) fn is_known(&self) -> bool {
        match self {
            Self::Unknown => false,
            Self::Content(content) => content.known.iter().all(|is_known| *is_known),
            _ => true,
        }
    }
}

/// Numbers of a uniform.
#[derive(Clone, Debug, PartialEq)]
pub struct Numbers {
    /// Numbers of a column; 1 for scalars.
    pub rows: u8,
    /// Columns of an element; 1 for scalars and vectors.
    pub columns: u8,
    /// They are integers.
    pub is_integer: bool,
    /// All elements, one after the other, in column-major order.
    pub values: Vec<f64>,
}

/// The content of a buffer, as far as the trace has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Content {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Which of them are known.
    pub known: Vec<bool>,
}

/// A level of a texture, or a renderbuffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// Width in texels.
    pub width: u32,
    /// Height in texels, or layers.
    pub height: u32,
    /// Depth in texels, or layers.
    pub depth: u32,
    /// Internal format.
    pub format: u32,
    /// Samples of a texel; 0 for one that is not multisampled.
    pub samples: u32,
    /// The type of the pixels that came with it, 0 if none did: what an unsized format stands for.
    pub pixels: u32,
}

/// What is attached to a framebuffer.
#[derive(Clone, Debug, PartialEq)]
pub struct Attachment {
    /// It is a renderbuffer, otherwise a texture.
    pub is_renderbuffer: bool,
    /// Name of the object.
    pub name: u32,
    /// The owner of its cells.
    pub instance: u32,
    /// Level of the texture.
    pub level: u32,
    /// Layer, or `None` for all or the only one.
    pub layer: Option<u32>,
    /// Face of a cube map, or 0.
    pub face: u32,
}

/// A value and the call that set it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    /// What it holds.
    pub value: Value,
    /// The call.
    pub call: u32,
    /// Calls that the machine had executed when a call gave it its value, or gave it again: before
    /// a doubt, the value is not certain.
    pub(crate) since: u32,
}

/// What a cell is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) owner: u32,
    pub(crate) what: u16,
    pub(crate) index: u32,
}

impl Key {
    /// As one number. `None` beyond the limits.
    fn packed(self) -> Option<u64> {
        let fits = self.owner < MAX_OWNER && self.index < MAX_INDEX;
        fits.then(|| u64::from(self.owner) << 36 | u64::from(self.what) << 20 | u64::from(self.index))
    }
}

/// The numbers of cells.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slots {
    numbers: HashMap<u64, u32>,
    /// The cells of each owner, with what they are.
    owned: Vec<Vec<(u16, u32, u32)>>,
    count: u32,
}

impl Slots {
    /// The number of a cell.
    pub(crate) fn find(&self, key: Key) -> Option<u32> {
        self.numbers.get(&key.packed()?).copied()
    }

    /// The number of a cell, which gets one if it has none. `None` for one that cannot be kept.
    fn number(&mut self, key: Key) -> Option<u32> {
        let packed = key.packed()?;
        if let Some(number) = self.numbers.get(&packed) {
            return Some(*number);
        }
        let number = self.count;
        self.count = number.checked_add(1)?;
        self.numbers.insert(packed, number);
        let owner = key.owner as usize;
        if self.owned.len() <= owner {
            self.owned.resize_with(owner + 1, Vec::new);
        }
        self.owned.get_mut(owner)?.push((key.what, key.index, number));
        Some(number)
    }

    /// What the cells of an owner are: what, index and number, in the order of their first use.
    pub(crate) fn of(&self, owner: u32) -> &[(u16, u32, u32)] {
        self.owned.get(owner as usize).map_or(&[], Vec::as_slice)
    }

    /// Bytes of memory, about.
    pub(crate) fn bytes(&self) -> usize {
        self.count as usize * 36 + self.owned.len() * 24
    }
}

type Page = [Cell; PAGE];
type Block = Vec<Arc<Page>>;

/// The values of all cells at a moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cells {
    blocks: Vec<Arc<Block>>,
    /// Cells that were written, each time that one was.
    writes: u64,
}

impl Cells {
    /// A cell by its number.
    pub(crate) fn get(&self, number: u32) -> Option<&Cell> {
        let number = number as usize;
        let page = self.blocks.get(number / (PAGE * BLOCK))?.get(number / PAGE % BLOCK)?;
        page.get(number % PAGE)
    }

    /// A cell by what it is. `None` if no call has set it.
    pub(crate) fn find(&self, slots: &Slots, key: Key) -> Option<&Cell> {
        self.get(slots.find(key)?).filter(|cell| cell.value != Value::Unset)
    }

    /// Sets a cell. Returns the bytes that were copied for it.
    pub(crate) fn set(&mut self, slots: &mut Slots, key: Key, cell: Cell) -> usize {
        let Some(number) = slots.number(key) else { return 0 };
        self.put(number, cell)
    }

    /// The number of times that cells were written so far.
    pub(crate) fn writes(&self) -> u64 {
        self.writes
    }

    /// Sets a cell by its number.
    pub(crate) fn put(&mut self, number: u32, cell: Cell) -> usize {
        self.writes += 1;
        let number = number as usize;
        let mut copied = 0;
        let (block, page) = (number / (PAGE * BLOCK), number / PAGE % BLOCK);
        if self.blocks.len() <= block {
            self.blocks.resize_with(block + 1, Arc::default);
        }
        let Some(block) = self.blocks.get_mut(block) else { return 0 };
        if Arc::strong_count(block) > 1 {
            copied += size_of::<Block>() + block.len() * size_of::<Arc<Page>>();
        }
        let block = Arc::make_mut(block);
        if block.len() <= page {
            copied += (page + 1 - block.len()) * size_of::<Page>();
            block.resize_with(page + 1, || Arc::new(Page::default()));
        }
        let Some(page) = block.get_mut(page) else { return copied };
        if Arc::strong_count(page) > 1 {
            copied += size_of::<Page>();
        }
        if let Some(slot) = Arc::make_mut(page).get_mut(number % PAGE) {
            *slot = cell;
        }
        copied
    }

    /// Bytes of memory of the parts that a copy does not share.
    pub(crate) fn root_bytes(&self) -> usize {
        self.blocks.len() * size_of::<Arc<Block>>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::what;

    fn key(owner: u32, index: u32) -> Key {
        Key { owner, what: what::BLEND, index }
    }

    fn int(n: i64, call: u32) -> Cell {
        Cell { value: Value::Int(n), call, since: 0 }
    }

    #[test]
    fn a_root_keeps_what_it_had() {
        let (mut slots, mut cells) = (Slots::default(), Cells::default());
        for i in 0..2000 {
            cells.set(&mut slots, key(1, i), int(i.into(), i));
        }
        let before = cells.clone();
        let copied = cells.set(&mut slots, key(1, 1234), int(-1, 5000));
        assert!((size_of::<Page>()..2 * size_of::<Page>()).contains(&copied), "{copied}");
        assert_eq!(cells.set(&mut slots, key(1, 1235), int(-1, 5000)), 0, "the page is its own by now");
        assert_eq!(before.find(&slots, key(1, 1234)), Some(&int(1234, 1234)));
        assert_eq!(cells.find(&slots, key(1, 1234)), Some(&int(-1, 5000)));
        // A cell that came later is unknown to the older root.
        cells.set(&mut slots, key(2, 0), int(7, 5001));
        assert_eq!(before.find(&slots, key(2, 0)), None);
        assert_eq!((slots.of(2).len(), slots.of(1).len(), slots.of(9).len()), (1, 2000, 0));
    }

    #[test]
    fn content_is_known_if_all_of_its_bytes_are() {
        let of = |known: [bool; 2]| Value::Content(Arc::new(Content { bytes: vec![0; 2], known: known.into() }));
        let all = [Value::Unknown, of([true, false]), of([true, true]), Value::Memory { call: 7 }, Value::Unset];
        assert_eq!(all.map(|value| value.is_known()), [false, false, true, true, true]);
    }

    #[test]
    fn what_cannot_be_numbered_is_not_kept() {
        let (mut slots, mut cells) = (Slots::default(), Cells::default());
        assert_eq!(cells.set(&mut slots, key(1, MAX_INDEX), int(1, 1)), 0);
        assert_eq!(cells.set(&mut slots, key(MAX_OWNER, 0), int(1, 1)), 0);
        assert_eq!(cells.find(&slots, key(1, MAX_INDEX)), None);
    }
}
