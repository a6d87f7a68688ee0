use std::io::Write;

use proptest::prelude::*;
use rusqlite::types::Value as Sql;
use rusqlite::{Connection, OpenFlags};

use super::*;

/// Rows in memory, of any columns.
struct Plain(Vec<Vec<Value>>);

impl Rows for Plain {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn row(&self, row: u64, values: &mut [Value]) {
        values.copy_from_slice(&self.0[row as usize]);
    }
}

/// Opens a database with SQLite, all pages written one after the other.
fn opened(database: &Database<'_>) -> (tempfile::NamedTempFile, Connection) {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    let mut page = Box::new([0; PAGE]);
    for number in 1..=database.size() / PAGE as u64 {
        database.page(number, &mut page);
        file.write_all(&page[..]).unwrap();
    }
    let connection = Connection::open_with_flags(file.path(), OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let said: String = connection.query_row("pragma integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(said, "ok");
    (file, connection)
}

fn rows_of(connection: &Connection, sql: &str) -> Vec<Vec<Sql>> {
    let mut statement = connection.prepare(sql).unwrap();
    let columns = statement.column_count();
    let rows = statement.query_map([], |row| (0..columns).map(|column| row.get(column)).collect());
    rows.unwrap().collect::<Result<_, _>>().unwrap()
}

const COLUMNS: [(&str, Column); 6] = [
    ("track", Column::Int(1)),
    ("depth", Column::Int(2)),
    ("start", Column::Int(6)),
    ("value", Column::Number),
    ("name", Column::Int(4)),
    ("parent", Column::OrNull(4)),
];

fn sql(value: Value) -> Sql {
    match value {
        Value::Null => Sql::Null,
        Value::Int(int) => Sql::Integer(int),
        Value::Real(real) => Sql::Real(real),
    }
}

#[test]
fn sqlite_reads_tables_of_any_length() {
    let of = |row: i64| {
        let value = if row % 2 == 0 { Value::Int(i64::MIN + row) } else { Value::Real(row as f64 / 4.0) };
        let parent = if row % 3 == 0 { Value::Null } else { Value::Int(row / 2) };
        let wide = Value::Int(row << 20 & 0x7fff_ffff);
        vec![Value::Int(row % 100 - 50), Value::Int(-row % 20_000), Value::Int((row << 25) - 7), value, wide, parent]
    };
    let page = Shape::new(COLUMNS.iter().map(|(_, column)| *column).collect()).on_a_page() as i64;
    for count in [0, 1, page - 1, page, page + 1, 3 * page + 5] {
        let rows: Vec<_> = (0..count).map(of).collect();
        let expected: Vec<Vec<Sql>> = (1..)
            .zip(&rows)
            .map(|(id, row)| [Sql::Integer(id)].into_iter().chain(row.iter().copied().map(sql)).collect())
            .collect();
        let table = Table::even("slices", &COLUMNS, Box::new(Plain(rows)));
        let database = Database::new(vec![table], &[]).unwrap();
        let (_file, connection) = opened(&database);
        assert_eq!(rows_of(&connection, "select * from slices"), expected, "{count} rows");
        assert_eq!(rows_of(&connection, "select count(*) from slices"), [[Sql::Integer(count)]]);
        for id in [1, page, page + 1, count] {
            let found = rows_of(&connection, &format!("select * from slices where id = {id}"));
            assert_eq!(
                found.first(),
                (id as usize).checked_sub(1).and_then(|i| expected.get(i)),
                "row {id} of {count}"
            );
        }
    }
}

#[test]
fn sqlite_reads_a_tree_of_three_levels() {
    /// As many rows as there have to be, without memory.
    struct Many(u64);
    impl Rows for Many {
        fn len(&self) -> u64 {
            self.0
        }
        fn row(&self, row: u64, values: &mut [Value]) {
            values[0] = Value::Int(row as i64 * 3);
        }
    }
    let columns = [("x", Column::Int(8))];
    let per_leaf = Shape::new(vec![Column::Int(8)]).on_a_page() as u64;
    // One leaf more than a root can lead to. Only some pages are looked at.
    let leaves = ((PAGE - 12) / 11 + 1) as u64 + 1;
    let table = Table::even("t", &columns, Box::new(Many(per_leaf * leaves - 1)));
    let database = Database::new(vec![table], &[]).unwrap();
    let pages = database.size() / PAGE as u64;
    assert_eq!(pages, 1 + leaves + 2 + 1);
    let mut page = Box::new([0; PAGE]);
    database.page(pages, &mut page);
    // The root has one cell and two children, each with half of the leaves.
    let u16_at = |page: &[u8], at: usize| u16::from_be_bytes([page[at], page[at + 1]]);
    assert_eq!((page[0], u16_at(&page[..], 3)), (5, 1));
    for child in [pages - 2, pages - 1] {
        database.page(child, &mut page);
        assert_eq!(
            (page[0], u16_at(&page[..], 3) as u64),
            (5, if child == pages - 2 { leaves / 2 } else { leaves.div_ceil(2) } - 1)
        );
    }
    database.page(1 + leaves, &mut page);
    assert_eq!((page[0], u16_at(&page[..], 3) as u64), (13, per_leaf - 1));
}

#[test]
fn nothing_is_in_the_page_that_sqlite_locks() {
    let locked = (1 << 30) / PAGE as u64 + 1;
    let numbers = [1, locked - 1, locked, locked + 1, 3 * locked];
    assert_eq!(numbers.map(layout::in_file), [1, locked - 1, locked + 1, locked + 2, 3 * locked + 1]);
    assert!(numbers.iter().all(|page| layout::counted(layout::in_file(*page)) == Some(*page)));
    assert_eq!(layout::counted(locked), None);
    /// Rows of more than a gigabyte.
    struct Many;
    impl Rows for Many {
        fn len(&self) -> u64 {
            80_000_000
        }
        fn row(&self, row: u64, values: &mut [Value]) {
            values[0] = Value::Int(row as i64);
        }
    }
    let table = Table::even("t", &[("x", Column::Int(4))], Box::new(Many));
    let database = Database::new(vec![table], &[]).unwrap();
    let mut page = Box::new([7; PAGE]);
    database.page(locked, &mut page);
    assert!(page.iter().all(|byte| *byte == 0));
    // No page leads to it, and the leaves around it follow one another.
    let first_id =
        |page: &[u8; PAGE]| page[PAGE - 12..PAGE - 7].iter().fold(0u64, |id, byte| id << 7 | u64::from(byte & 127));
    let per_leaf = Shape::new(vec![Column::Int(4)]).on_a_page() as u64;
    let mut ids = [0, 0];
    for (id, number) in ids.iter_mut().zip([locked - 1, locked + 1]) {
        database.page(number, &mut page);
        *id = first_id(&page);
    }
    assert_eq!(ids[1] - ids[0], per_leaf);
}

#[test]
fn listed_tables_have_texts_and_views_see_all() {
    let long = "é".repeat(40_000);
    let names = ["main".to_string(), String::new(), long.clone(), "x".repeat(9_000)];
    let rows = (0..30).map(|i| {
        vec![
            Item::Text(names[i % 4].clone()),
            Item::Number(if i % 2 == 0 { Value::Null } else { Value::Int(i as i64) }),
        ]
    });
    let listed = Table::listed("names", &[("text", " TEXT"), ("key", " INTEGER")], Rc::new(super::Listed::new(rows)));
    let even = Table::even(
        "calls",
        &[("name", Column::Int(4))],
        Box::new(Plain((0..30).map(|i| vec![Value::Int(i % 4 + 1)]).collect())),
    );
    let view = ("named", "select calls.id, names.text from calls join names on names.id = calls.name".to_string());
    let database = Database::new(
        vec![listed, even, Table::listed("empty", &[("a", "")], Rc::new(super::Listed::new([].into_iter())))],
        &[view],
    )
    .unwrap();
    assert_eq!((database.rows("names"), database.rows("calls"), database.rows("none")), (30, 30, 0));
    let (_file, connection) = opened(&database);
    assert_eq!(rows_of(&connection, "select count(*), sum(key) from names"), [[Sql::Integer(30), Sql::Integer(225)]]);
    let text = |text: &str| vec![Sql::Text(text.to_string())];
    assert_eq!(rows_of(&connection, "select text from named where id < 3"), [text("main"), text("")]);
    // Too long for a page: cut, and marked.
    let Sql::Text(cut) = &rows_of(&connection, "select text from names where id = 3")[0][0] else { panic!() };
    assert!(cut.len() < 60_000 && cut.ends_with("é…") && long.starts_with(cut.trim_end_matches('…')));
    assert_eq!(rows_of(&connection, "select * from empty"), [] as [Vec<Sql>; 0]);
}

#[test]
fn columns_are_as_narrow_as_their_values() {
    let most = [0, 127, 128, 32_767, 8_388_607, 1 << 31, (1 << 47) - 1, 1 << 47, u64::MAX];
    assert_eq!(most.map(Column::up_to), [1, 1, 2, 2, 3, 6, 6, 8, 8].map(Column::Int));
}

#[test]
fn a_page_that_does_not_exist_is_empty() {
    let database = Database::new(vec![], &[]).unwrap();
    let mut page = Box::new([7; PAGE]);
    database.page(2, &mut page);
    assert!(page.iter().all(|byte| *byte == 0));
    opened(&database);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn every_record_reads_as_written(
        rows in prop::collection::vec((any::<i8>(), any::<i16>(), -(1i64 << 47)..1 << 47, any::<i64>(), any::<i32>(), any::<Option<i32>>()), 0..300)
    ) {
        let rows: Vec<Vec<Value>> = rows
            .into_iter()
            .map(|(a, b, c, d, e, f)| {
                let f = f.map_or(Value::Null, |f| Value::Int(f.into()));
                vec![Value::Int(a.into()), Value::Int(b.into()), Value::Int(c), Value::Int(d), Value::Int(e.into()), f]
            })
            .collect();
        let expected: Vec<Vec<Sql>> = rows.iter().map(|row| row.iter().copied().map(sql).collect()).collect();
        let database = Database::new(vec![Table::even("t", &COLUMNS, Box::new(Plain(rows)))], &[]).unwrap();
        let (_file, connection) = opened(&database);
        prop_assert_eq!(rows_of(&connection, "select track, depth, start, value, name, parent from t"), expected);
    }
}
