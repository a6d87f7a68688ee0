//! The scan of a table in the file, compared with SQLite's own rows.

use std::path::Path;

use rusqlite::Connection;
use unspool_formats::rvn::btree::Scan;
use unspool_formats::rvn::wire::SCHEMA;
use unspool_trace::{RowScan, Rows};

type Pairs = Vec<(i64, i64)>;

/// The rows that a scan finds, whether it gave up, and how many reads it took.
fn scan(file: &[u8], statement: &str, root: i64) -> (Pairs, bool, usize) {
    let mut scan = Scan::of(statement, root, Some(file.len() as u64)).expect("the table as it always is");
    let mut rows = Rows::default();
    rows.clear(2);
    let mut reads = 0;
    while let Some(range) = scan.want() {
        let from = (range.at as usize).min(file.len());
        let to = (range.at.saturating_add(range.len) as usize).min(file.len());
        let _ = scan.push(&file[from..to], &mut rows);
        reads += 1;
    }
    let pairs = rows.column(0).iter().copied().zip(rows.column(1).iter().copied()).collect();
    (pairs, scan.has_given_up(), reads)
}

fn table(db: &Connection) -> rusqlite::Result<(String, i64)> {
    let sql = "select sql, rootpage from sqlite_schema where name='execution'";
    db.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))
}

fn of_sqlite(db: &Connection) -> rusqlite::Result<Pairs> {
    let mut statement = db.prepare("select transition_id,block_id from execution order by 1")?;
    statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// Repeatable random numbers.
fn chance() -> impl FnMut(u64) -> u64 {
    let mut seed = 1u64;
    move |below| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    }
}

/// A database with rows of every width, in pages that were split, emptied and filled again.
fn make(path: &Path, page: u32, rows: u64, pragmas: &str) -> Connection {
    let db = Connection::open(path).unwrap();
    db.execute_batch(&format!("pragma page_size={page}; pragma synchronous=off; {pragmas}")).unwrap();
    db.execute_batch(&SCHEMA.join("\n")).unwrap();
    let mut chance = chance();
    db.execute_batch("begin").unwrap();
    {
        let mut insert = db.prepare("insert or ignore into execution values(?,?)").unwrap();
        let mut other = db.prepare("insert into blocks values(?,zeroblob(?),1,0)").unwrap();
        for i in 0..rows {
            // Numbers of every width, mostly in ascending order, as traces are written.
            let scattered = chance(1 << 31) << chance(31);
            let transition = if i % 3 == 0 { scattered } else { i * 3 };
            let block = [0, 1, -1, 300, -70_000, 1 << 20, 1 << 40, i64::MIN][chance(8) as usize];
            insert.execute((transition as i64, block)).unwrap();
            if i % 50 == 0 {
                other.execute((i as i64, chance(2000) as i64)).unwrap();
            }
        }
    }
    db.execute_batch("delete from execution where transition_id % 7 = 0 or transition_id between 900 and 2000")
        .unwrap();
    db.execute_batch("commit").unwrap();
    db
}

#[test]
fn a_scan_finds_the_rows_of_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    for page in (9..=16).map(|bits| 1 << bits) {
        for (rows, pragmas) in [(0, ""), (3, ""), (20_000, ""), (20_000, "pragma auto_vacuum=full;")] {
            let path = folder.path().join(format!("{page}-{rows}-{}.sqlite", pragmas.len()));
            let db = make(&path, page, rows, pragmas);
            let (statement, root) = table(&db).unwrap();
            let expected = of_sqlite(&db).unwrap();
            assert!(rows < 1000 || expected.len() > 10_000);
            let (found, given_up, _) = scan(&std::fs::read(&path).unwrap(), &statement, root);
            assert!(!given_up, "pages of {page} bytes");
            assert!(
                found == expected,
                "{rows} rows in pages of {page} bytes: {} instead of {}",
                found.len(),
                expected.len()
            );
        }
    }
}

#[test]
fn a_scan_finds_the_rows_of_real_traces() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders = vec![root.join("tests/fixtures/rvn"), root.join("web/public/samples")];
    folders.extend(unspool_corpus::path("rvn"));
    let mut compared = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            if path.extension().is_none_or(|e| e != "sqlite") {
                continue;
            }
            let uri = format!("file:{}?immutable=1", path.display());
            let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY | rusqlite::OpenFlags::SQLITE_OPEN_URI;
            let db = Connection::open_with_flags(uri, flags).unwrap();
            // SQLite cannot read anything of a truncated one.
            let Ok((statement, root)) = table(&db) else { continue };
            let (found, given_up, _) = scan(&std::fs::read(&path).unwrap(), &statement, root);
            match of_sqlite(&db) {
                Ok(expected) => assert!(!given_up && found == expected, "{}", path.display()),
                Err(_) => assert!(given_up, "{}", path.display()),
            }
            compared += 1;
        }
    }
    assert!(compared > 0);
}

#[test]
fn damage_only_ends_the_scan() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.sqlite");
    let db = make(&path, 512, 3000, "");
    let (statement, root) = table(&db).unwrap();
    let good = std::fs::read(&path).unwrap();
    let expected = of_sqlite(&db).unwrap();
    let mut chance = chance();
    let mut ends = [0; 2];
    for round in 0..2000 {
        let mut file = good.clone();
        for _ in 0..=chance(8) {
            let at = chance(file.len() as u64) as usize;
            file[at] = chance(256) as u8;
        }
        if round % 10 == 0 {
            file.truncate(chance(good.len() as u64) as usize);
        }
        let (found, given_up, reads) = scan(&file, &statement, root);
        assert!(found.is_sorted_by(|a, b| a.0 < b.0), "SQLite continues after the last row");
        assert!(reads <= 2 + file.len() / 512, "each page is read at most once: {reads}");
        assert!(given_up || found.len() > expected.len() / 2, "pages are not lost silently");
        ends[usize::from(given_up)] += 1;
    }
    assert!(ends.iter().all(|n| *n > 200), "{ends:?}: damage is met, or lies elsewhere");
}
