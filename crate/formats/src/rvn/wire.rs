//! Tables, rows and SQL of block databases, as tetrane's rvnblock, rvnsqlite and rvnmetadata write
//! and read them.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use unspool_trace::rows::{Cell, PAGE, Query, Shape};

/// `_metadata.type` of a block trace. Other numbers are other resources of REVEN; see
/// [`RESOURCES`].
pub const TYPE_BLOCK: i64 = 9;
/// Names of resources, by `_metadata.type` from 1 on (rvnmetadata, `ResourceType`).
pub const RESOURCES: [&str; 10] = [
    "trace_bin",
    "trace_cache",
    "memory_history",
    "strings",
    "stack_events",
    "binary_ranges",
    "pc_ranges",
    "kernel_description",
    "block",
    "ossi_ranges",
];
/// Limit for the bytes kept of a block. Real blocks end at the first jump and are far shorter.
pub const BLOCK_BYTES: usize = 65_536;
/// The content of block 1.
pub const INTERRUPT: &[u8] = b"interrupt";
/// Number of the block that stands for transitions that are not instructions.
pub const INTERRUPT_BLOCK: i64 = 1;

/// The statements that create the tables, as of 2021-07-27.
pub const SCHEMA: [&str; 5] = [
    "CREATE TABLE _metadata (metadata_version int,type int,format_version text,tool_name text,tool_version text,tool_info text,generation_date int8);",
    "CREATE TABLE blocks(pc int8 not null,instruction_data blob not null,instruction_count int2 not null,mode int1 not null);",
    "CREATE TABLE execution(transition_id int8 PRIMARY KEY not null,block_id int4 not null) WITHOUT ROWID;",
    "CREATE TABLE instruction_indices(block_id INTEGER NOT NULL,instruction_id INTEGER NOT NULL,instruction_index INTEGER NOT NULL,PRIMARY KEY (block_id, instruction_id)) WITHOUT ROWID;",
    "CREATE TABLE interrupts(transition_id int8 PRIMARY KEY NOT NULL,pc int8 NOT NULL,mode int1 NOT NULL,number INTEGER NOT NULL,is_hw BOOL NOT NULL,related_instruction_block_id INTEGER NOT NULL) WITHOUT ROWID;",
];

/// The statement that creates the metadata of version 0.
pub const SCHEMA_METADATA_0: &str =
    "CREATE TABLE _metadata (type int,format_version text,tool_name text,tool_info text,generation_date int8);";

/// Names of the tables, in the order of [`SCHEMA`], and their numbers of columns.
pub const TABLES: [(&str, usize); 5] =
    [("_metadata", 7), ("blocks", 4), ("execution", 2), ("instruction_indices", 3), ("interrupts", 6)];

/// One of three schemas, all called 1.0.0, which differ in their tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Schema {
    /// `blocks` and `execution`.
    Of20201014,
    /// Also `instruction_indices`.
    Of20201023,
    /// Also `interrupts`.
    Of2021,
}

/// A row of `blocks`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Address of the first instruction.
    pub pc: u64,
    /// The bytes of the instructions.
    pub data: Vec<u8>,
    /// The number of instructions.
    pub count: u64,
    /// The processor's mode.
    pub mode: Mode,
}

/// The processor's mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// 64 bit.
    Bits64,
    /// 32 bit.
    Bits32,
    /// 16 bit.
    Bits16,
    /// A number without a known meaning.
    Unknown(i64),
}

impl Mode {
    /// The mode with this number in the database.
    pub fn of(number: i64) -> Self {
        match number {
            0 => Self::Bits64,
            1 => Self::Bits32,
            2 => Self::Bits16,
            other => Self::Unknown(other),
        }
    }

    /// The number in the database.
    pub fn number(self) -> i64 {
        match self {
            Self::Bits64 => 0,
            Self::Bits32 => 1,
            Self::Bits16 => 2,
            Self::Unknown(n) => n,
        }
    }

    /// The width of the mode in bits, or `None` if it is unknown.
    pub fn bits(self) -> Option<u32> {
        match self {
            Self::Bits64 => Some(64),
            Self::Bits32 => Some(32),
            Self::Bits16 => Some(16),
            Self::Unknown(_) => None,
        }
    }

    /// The mode as text, such as `64 bit`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Bits64 => "64 bit",
            Self::Bits32 => "32 bit",
            Self::Bits16 => "16 bit",
            Self::Unknown(_) => "unknown mode",
        }
    }
}

/// A row of `interrupts`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interrupt {
    /// Its transition, from 0.
    pub transition: u64,
    /// The interrupted address.
    pub pc: u64,
    /// The mode there.
    pub mode: Mode,
    /// The vector.
    pub number: i64,
    /// Whether a device raised it, not an instruction.
    pub is_hw: bool,
    /// Number of the block with the instruction that faulted, or 0.
    pub related: i64,
}

impl Interrupt {
    /// From a row of [`interrupts`].
    pub fn of(row: [i64; 6]) -> Self {
        let [transition, pc, mode, number, is_hw, related] = row;
        Self { transition: transition as u64, pc: pc as u64, mode: Mode::of(mode), number, is_hw: is_hw != 0, related }
    }

    /// The row in the database.
    pub fn row(&self) -> [i64; 6] {
        let related = self.related;
        [self.transition as i64, self.pc as i64, self.mode.number(), self.number, i64::from(self.is_hw), related]
    }
}

/// Whether a table is anything but rows that are stored: a view or a virtual table, whatever the
/// schema calls it, or a table with generated columns. To read one row of such a table may take
/// hours, and nothing interrupts SQLite within a row.
const IS_COMPUTED: &str = "coalesce((select max(type<>'table') from pragma_table_list(s.name) where schema='main'),1) \
                           or exists(select 1 from pragma_table_xinfo(s.name) where hidden<>0)";

/// Queries names, root pages and statements of all tables, and whether they are computed. Computes
/// nothing of them.
pub fn tables() -> Query {
    cells(&["name", "rootpage", "sql", IS_COMPUTED], "from sqlite_schema s where type='table' limit 1000".into())
}

/// Queries all columns of the metadata, which depend on its version.
pub fn metadata() -> Query {
    cells(&["*"], "from _metadata limit 2".into())
}

/// Queries the largest transition, where the trace ends.
pub fn last_transition() -> Query {
    cells(&["max(transition_id)"], "from execution".into())
}

/// Queries blocks with a number above `after`.
pub fn blocks(after: Option<i64>) -> Query {
    let after = after.map_or_else(String::new, |id| format!("where rowid>{id} "));
    cells(
        // One byte above the limit shows that the block is longer.
        &["rowid", "pc", "cast(substr(instruction_data,1,65537) as blob)", "instruction_count", "mode"],
        format!("from blocks {after}order by rowid limit 1024"),
    )
}

/// Queries the instruction indices after this pair of block and instruction.
pub fn indices(after: Option<(i64, i64)>) -> Query {
    let after = after.map_or_else(String::new, |(b, i)| format!("where (block_id,instruction_id)>({b},{i}) "));
    Query {
        select: &["block_id", "instruction_id", "instruction_index"],
        rest: format!("from instruction_indices {after}order by block_id,instruction_id limit {PAGE}"),
        shape: Shape::Ints { small: false },
    }
}

/// Queries at most `most` block runs after transition `after`. `small`: all numbers are below 2^53.
pub fn execution(after: Option<i64>, most: usize, small: bool) -> Query {
    let after = after.map_or_else(String::new, |t| format!("where transition_id>{t} "));
    Query {
        select: &["transition_id", "block_id"],
        rest: format!("from execution {after}order by transition_id limit {}", most.clamp(1, PAGE)),
        shape: Shape::Ints { small },
    }
}

/// Queries the block run that ends with transition `end`, and the previous one.
pub fn block_run(end: u64) -> Query {
    Query {
        select: &["transition_id", "block_id"],
        rest: format!("from execution where transition_id<={} order by transition_id desc limit 2", end as i64),
        shape: Shape::Ints { small: false },
    }
}

/// Queries the last block run that ends at transition `at` or before.
pub fn run_before(at: u64) -> Query {
    Query {
        select: &["transition_id", "block_id"],
        rest: format!("from execution where transition_id<={} order by transition_id desc limit 1", at as i64),
        shape: Shape::Ints { small: false },
    }
}

/// Queries at most `most` interrupts from transition `from` on, and before `to` if there is a
/// limit.
pub fn interrupts(from: Option<i64>, to: Option<i64>, most: usize) -> Query {
    let from = from.map_or_else(|| String::from("where 1"), |t| format!("where transition_id>={t}"));
    let to = to.map_or_else(String::new, |t| format!(" and transition_id<{t}"));
    Query {
        select: &["transition_id", "pc", "mode", "number", "is_hw", "related_instruction_block_id"],
        rest: format!("from interrupts {from}{to} order by transition_id limit {}", most.clamp(1, PAGE)),
        shape: Shape::Ints { small: false },
    }
}

/// The statement that inserts a row into a table, by index in [`TABLES`].
pub fn insert(table: usize) -> String {
    let (name, columns) = TABLES.get(table).copied().unwrap_or(("", 1));
    let marks = Vec::from_iter(core::iter::repeat_n("?", columns)).join(",");
    format!("insert into {name} values({marks})")
}

fn cells(select: &'static [&'static str], rest: String) -> Query {
    Query { select, rest, shape: Shape::Cells }
}

/// The row of metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// Version of the metadata, 0 or 1.
    pub version: i64,
    /// Version of the format, such as `1.0.0`.
    pub format: String,
    /// Name of the tool that wrote the trace.
    pub tool: String,
    /// Version of the tool.
    pub tool_version: String,
    /// Details of the tool and its library.
    pub tool_info: String,
    /// Time of writing, in seconds since 1970.
    pub date: i64,
}

impl Metadata {
    /// The row in the database, in version 1.
    pub fn row(&self) -> Vec<Cell> {
        let text = |text: &String| Cell::Text(text.clone());
        alloc::vec![
            Cell::Int(1),
            Cell::Int(TYPE_BLOCK),
            text(&self.format),
            text(&self.tool),
            text(&self.tool_version),
            text(&self.tool_info),
            Cell::Int(self.date),
        ]
    }
}
