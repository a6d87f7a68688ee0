//! Block databases written by our writer and others, read by the native command.

use std::path::Path;
use std::process::{Command, Output};

use rusqlite::Connection;
use unspool_formats::rvn::encode::Writer;
use unspool_formats::rvn::wire::{Block, Interrupt, Metadata, Mode, SCHEMA, SCHEMA_METADATA_0};
use unspool_trace::rows::Cell;

fn unspool(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_unspool")).args(args).output().unwrap()
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

fn dump(path: &Path) -> (Vec<serde_json::Value>, String, Option<i32>) {
    let output = unspool(&["dump", &text(path)]);
    let lines = String::from_utf8(output.stdout).unwrap();
    let records = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (records, String::from_utf8_lossy(&output.stderr).into_owned(), output.status.code())
}

fn info(path: &Path) -> serde_json::Value {
    let output = unspool(&["info", "--json", &text(path)]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn metadata() -> Metadata {
    Metadata {
        version: 1,
        format: "1.0.0".into(),
        tool: "test".into(),
        tool_version: "1.2.3".into(),
        tool_info: "by hand".into(),
        date: 1_700_000_000,
    }
}

/// Creates a database with these pragmas, and writes the tables to it.
fn save(path: &Path, pragmas: &str, writer: &mut Writer) -> Connection {
    let db = Connection::open(path).unwrap();
    db.execute_batch(pragmas).unwrap();
    db.execute_batch(&SCHEMA.join("\n")).unwrap();
    for insert in writer.take() {
        for row in insert.rows {
            let row = row.into_iter().map(|cell| match cell {
                Cell::Int(n) => n.into(),
                Cell::Text(text) => text.into(),
                Cell::Blob(bytes) => rusqlite::types::Value::from(bytes),
                Cell::Real(n) => n.into(),
                Cell::Null => rusqlite::types::Value::Null,
            });
            db.execute(&insert.sql, rusqlite::params_from_iter(row)).unwrap();
        }
    }
    db
}

/// A caller at 0x1000 calls 0x2000, which faults in its second instruction; the kernel handles the
/// fault.
fn small() -> Writer {
    let mut writer = Writer::new(&metadata());
    let block = |pc, data: &[u8], count| Block { pc, data: data.into(), count, mode: Mode::Bits64 };
    let caller = writer.block(&block(0x1000, &[0x90, 0xe8, 0xfa, 0x0f, 0, 0], 2), &[1]);
    let callee = writer.block(&block(0x2000, &[0x90, 0x48, 0x8b, 0x07, 0xc3], 3), &[1, 4]);
    let handler = writer.block(&block(u64::MAX - 0xfff, &[0x90, 0x48, 0xcf], 2), &[1]);
    let rest = writer.block(&block(0x2001, &[0x48, 0x8b, 0x07, 0xc3], 2), &[3]);
    let after = writer.block(&block(0x1006, &[0xeb, 0xfe], 1), &[]);
    writer.run(caller, 2);
    writer.run(callee, 3);
    writer.run(after, 1);
    writer.run(caller, 2);
    writer.run(callee, 1);
    writer.interrupt(Interrupt {
        transition: 0,
        pc: 0x2001,
        mode: Mode::Bits64,
        number: 14,
        is_hw: false,
        related: callee,
    });
    writer.run(handler, 2);
    writer.run(rest, 2);
    writer.run(after, 1);
    writer
}

#[test]
fn written_databases_can_be_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a b?c#d%e.sqlite");
    drop(save(&path, "", &mut small()));
    let (records, errors, code) = dump(&path);
    assert_eq!((errors.as_str(), code), ("", Some(0)));
    let spans: Vec<_> =
        records.iter().filter(|r| r["begin"].is_u64()).map(|r| (r["begin"].as_u64(), r["block"].as_u64())).collect();
    let expected = [(0, 2), (2, 3), (5, 6), (6, 2), (8, 3), (9, 1), (10, 4), (12, 5), (14, 6)];
    assert_eq!(spans, expected.map(|(begin, block)| (Some(begin), Some(block))));
    let interrupt = &records.iter().find(|r| r["interrupt"].is_object()).unwrap()["interrupt"];
    assert_eq!(interrupt["transition"], 9);
    assert_eq!(interrupt["related_bytes"], "488b07");
    let report = info(&path);
    let track = |name: &str| report["tracks"].as_array().unwrap().iter().find(|t| t["name"] == name).unwrap().clone();
    // 0x1000, 0x2000 twice, the fault.
    assert_eq!((track("calls")["slices"].as_f64(), track("calls")["rows"].as_u64()), (Some(4.0), Some(3)));
    assert_eq!(track("user and kernel")["slices"], 3.0);
    assert_eq!(report["extent"]["to"], 15);
    assert_eq!(report["clock"]["unit"], "transition");
    assert_eq!(report["problems"].as_array().unwrap().len(), 0);
}

#[test]
fn the_schema_matches_the_reference_writer() {
    // From sqlite_schema of a database that rvnblock 1.0.0 wrote.
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.sqlite");
    let made = unspool(&["generate", "rvn", "--events", "100", "-o", &text(&path)]);
    assert!(made.status.success());
    let db = Connection::open(&path).unwrap();
    let mut statement = db.prepare("select sql from sqlite_schema where type='table' order by rowid").unwrap();
    let sql: Vec<String> = statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert_eq!(
        sql,
        [
            "CREATE TABLE _metadata (metadata_version int,type int,format_version text,tool_name text,tool_version text,tool_info text,generation_date int8)",
            "CREATE TABLE blocks(pc int8 not null,instruction_data blob not null,instruction_count int2 not null,mode int1 not null)",
            "CREATE TABLE execution(transition_id int8 PRIMARY KEY not null,block_id int4 not null) WITHOUT ROWID",
            "CREATE TABLE instruction_indices(block_id INTEGER NOT NULL,instruction_id INTEGER NOT NULL,instruction_index INTEGER NOT NULL,PRIMARY KEY (block_id, instruction_id)) WITHOUT ROWID",
            "CREATE TABLE interrupts(transition_id int8 PRIMARY KEY NOT NULL,pc int8 NOT NULL,mode int1 NOT NULL,number INTEGER NOT NULL,is_hw BOOL NOT NULL,related_instruction_block_id INTEGER NOT NULL) WITHOUT ROWID",
        ]
    );
    let count = |sql: &str| db.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(
        count(
            "select count(*) from blocks where rowid=1 and pc=0 and instruction_data=cast('interrupt' as blob) and instruction_count=0 and mode=0"
        ),
        1
    );
    // After each interrupt block 1 runs, and the related instruction is in the tables.
    assert_eq!(
        count(
            "select count(*) from interrupts where transition_id+1 not in (select transition_id from execution where block_id=1)"
        ),
        0
    );
    assert_eq!(count("select count(*) from instruction_indices where instruction_index=0"), 0);
}

#[test]
fn any_page_size_vacuum_and_journal_mode_works() {
    let dir = tempfile::tempdir().unwrap();
    let plain = dir.path().join("plain.sqlite");
    drop(save(&plain, "", &mut small()));
    let expected = unspool(&["dump", &text(&plain)]).stdout;
    for (i, pragmas) in [
        "pragma page_size=512",
        "pragma page_size=65536",
        "pragma auto_vacuum=full",
        "pragma auto_vacuum=incremental",
        "pragma encoding='UTF-16le'",
        "pragma journal_mode=wal",
    ]
    .into_iter()
    .enumerate()
    {
        let path = dir.path().join(format!("{i}.sqlite"));
        drop(save(&path, &format!("{pragmas};"), &mut small()));
        assert!(unspool(&["dump", &text(&path)]).stdout == expected, "{pragmas}");
    }
    let left: Vec<_> = std::fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left.len(), 7, "reading leaves nothing behind: {left:?}");
}

#[test]
fn numbers_are_exact_to_the_last_bit() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.sqlite");
    let mut writer = Writer::new(&metadata());
    let block = Block { pc: u64::MAX - 4, data: vec![0xc3], count: 1, mode: Mode::Bits64 };
    let id = writer.block(&block, &[]);
    writer.run(id, (1 << 53) + 1);
    writer.run(id, (1 << 62) - 1);
    writer.interrupt(Interrupt {
        transition: 0,
        pc: u64::MAX - 4,
        mode: Mode::Bits64,
        number: 32,
        is_hw: true,
        related: 0,
    });
    drop(save(&path, "", &mut writer));
    let (records, _, _) = dump(&path);
    assert_eq!(records[0]["end"], 9_007_199_254_740_993u64);
    assert_eq!(records[1]["end"], 4_620_693_217_682_128_896u64);
    assert_eq!(records[2]["interrupt"]["pc"], u64::MAX - 4);
    assert_eq!(info(&path)["extent"]["to"], 4_620_693_217_682_128_897u64);
}

#[test]
fn older_tables_open_with_a_message() {
    let dir = tempfile::tempdir().unwrap();
    for (sql, words) in [
        ("drop table interrupts", "2020-10-23"),
        ("drop table interrupts; drop table instruction_indices", "2020-10-14"),
        ("drop table _metadata", "no metadata"),
        ("update blocks set instruction_data=cast('x' as blob) where rowid=1", "not \"interrupt\""),
        ("delete from blocks where rowid=3", "block 3 was executed"),
        ("insert into execution values(-5, 2)", "transition -5"),
        ("update instruction_indices set instruction_index=99", "outside of the block"),
    ] {
        let path = dir.path().join("a.sqlite");
        save(&path, "", &mut small()).execute_batch(sql).unwrap();
        let (records, errors, code) = dump(&path);
        assert_eq!(records.iter().filter(|r| r["begin"].is_u64()).count(), 9, "{sql}");
        assert_eq!(code, Some(0));
        let report = info(&path);
        let problems = report["problems"].to_string().replace('\\', "");
        assert!(errors.contains(words) || problems.contains(words), "{sql}: {errors} {problems}");
        let first = &report["problems"][0]["first"]["offset"];
        assert!(first.as_u64().is_some_and(|at| at <= 16), "{sql}: {first} is no place on the x axis");
        std::fs::remove_file(path).unwrap();
    }
}

#[test]
fn other_databases_are_refused_with_a_reason() {
    let dir = tempfile::tempdir().unwrap();
    for (sql, words) in [
        ("delete from _metadata", "without an entry"),
        ("insert into _metadata select * from _metadata", "several entries"),
        ("update _metadata set metadata_version=2", "version 2"),
        ("update _metadata set type=4", "strings"),
        ("update _metadata set type=99", "unknown type 99"),
        ("update _metadata set format_version='2.0.0'", "version 2.0.0"),
        ("update _metadata set format_version='1.0'", "\"1.0\""),
        ("drop table _metadata; drop table blocks", "no table \"blocks\""),
        ("drop table blocks", "no table \"blocks\""),
        // The view never ends.
        (
            "drop table execution; create view execution as with recursive c(transition_id, block_id) as
             (select 1, 2 union all select transition_id + 1, 2 from c) select * from c",
            "no table \"execution\"",
        ),
    ] {
        let path = dir.path().join("a.sqlite");
        save(&path, "", &mut small()).execute_batch(sql).unwrap();
        for command in ["dump", "info"] {
            let output = unspool(&[command, &text(&path)]);
            assert_eq!(output.status.code(), Some(1), "{sql}");
            assert!(String::from_utf8_lossy(&output.stderr).contains(words), "{sql}: {output:?}");
        }
        std::fs::remove_file(path).unwrap();
    }
}

#[test]
fn metadata_of_version_0_works() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.sqlite");
    let sql = format!("drop table _metadata; {SCHEMA_METADATA_0} insert into _metadata values(9,'1.5.0','t','i',5);");
    save(&path, "", &mut small()).execute_batch(&sql).unwrap();
    assert_eq!(info(&path)["version"], "1.5.0");
}

#[test]
fn a_truncated_database_shows_everything_before_the_cut() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.sqlite");
    unspool(&["generate", "rvn", "--events", "60000", "-o", &text(&path)]);
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let (records, errors, code) = dump(&path);
    assert!(records.len() > 1000, "{} {errors}", records.len());
    assert_eq!(code, Some(0));
    assert!(errors.contains("malformed"), "{errors}");
    assert!(info(&path)["error"]["sentence"].as_str().unwrap().contains("malformed"));
}

#[test]
fn damage_never_crashes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.sqlite");
    drop(save(&path, "pragma page_size=512;", &mut small()));
    let whole = std::fs::read(&path).unwrap();
    let mut seed = 7u64;
    for round in 0..150 {
        let mut bytes = whole.clone();
        for _ in 0..1 + round % 8 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let at = 100 + (seed >> 33) as usize % (bytes.len() - 100);
            bytes[at] = (seed >> 24) as u8;
        }
        std::fs::write(&path, bytes).unwrap();
        for command in ["info", "dump"] {
            let output = unspool(&[command, &text(&path)]);
            assert!(matches!(output.status.code(), Some(0 | 1)), "round {round}: {output:?}");
        }
    }
}

#[test]
fn fixtures_and_the_sample_can_be_read() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let report = info(&root.join("web/public/samples/blocks.sqlite"));
    assert_eq!(report["problems"].as_array().unwrap().len(), 0);
    let fixtures = root.join("tests/fixtures/rvn");
    assert!(unspool(&["dump", &text(&fixtures.join("blocks.sqlite"))]).stdout.starts_with(b"{\"begin\":0,"));
    let count = |name: &str| info(&fixtures.join(name))["events"].as_f64();
    assert_eq!(
        (count("blocks.sqlite"), count("tables_of_2020.sqlite"), count("beyond_2_53.sqlite")),
        (Some(9.0), Some(9.0), Some(4.0))
    );
}

/// `cargo test -p unspool-cli --test rvn -- --ignored` rewrites the fixtures. A loop, then a jump
/// that decides between two blocks, then what follows both.
fn branch(turns: usize, is_empty: bool) -> Writer {
    let mut writer = Writer::new(&metadata());
    let mut block = |pc, data: &[u8], starts: &[u32]| {
        let count = starts.len() as u64 + 1;
        writer.block(&Block { pc, data: data.into(), count, mode: Mode::Bits64 }, starts)
    };
    let begin = block(0x1000, &[0xb9, 3, 0, 0, 0], &[]); // mov ecx, 3
    let turn = block(0x1005, &[0xff, 0xc9, 0x75, 0xfc], &[2]); // dec ecx; jne 0x1005
    let check = block(0x1009, &[0x85, 0xc0, 0x74, 0x04], &[2]); // test eax, eax; je 0x1011
    let full = block(0x100d, &[0xff, 0xc3, 0xeb, 0x03], &[2]); // inc ebx; jmp 0x1014
    let empty = block(0x1011, &[0xff, 0xca, 0x90], &[2]); // dec edx; nop
    let end = block(0x1014, &[0x90, 0xeb, 0xfe], &[1]); // nop; jmp 0x1015
    writer.run(begin, 1);
    for _ in 0..turns {
        writer.run(turn, 2);
    }
    writer.run(check, 2);
    writer.run(if is_empty { empty } else { full }, 2);
    writer.run(end, 2);
    writer
}

#[test]
#[ignore = "writes"]
fn write_fixtures() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/rvn");
    let fresh = |name: &str| {
        let path = dir.join(name);
        let _ = std::fs::remove_file(&path);
        path
    };
    let pages = "pragma page_size=512;";
    drop(save(&fresh("blocks.sqlite"), pages, &mut small()));
    let old = save(&fresh("tables_of_2020.sqlite"), pages, &mut small());
    old.execute_batch("drop table interrupts; drop table instruction_indices; vacuum").unwrap();
    let mut writer = Writer::new(&metadata());
    let id = writer.block(&Block { pc: u64::MAX - 4, data: vec![0xc3], count: 1, mode: Mode::Bits64 }, &[]);
    for transitions in [5, 1 << 33, (1 << 53) + 1, 1] {
        writer.run(id, transitions);
    }
    drop(save(&fresh("beyond_2_53.sqlite"), pages, &mut writer));
    drop(save(&fresh("compare-good.sqlite"), pages, &mut branch(3, false)));
    drop(save(&fresh("compare-bad.sqlite"), pages, &mut branch(3, true)));
}

#[test]
fn a_write_ahead_log_belongs_to_its_database() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/rvn");
    let folder = tempfile::tempdir().unwrap();
    let alone = folder.path().join("logged.sqlite");
    std::fs::copy(fixtures.join("logged.sqlite"), &alone).unwrap();
    let lacking = info(&alone);
    assert_eq!(lacking["problems"][0]["kind"], "without-log", "{lacking}");
    std::fs::copy(fixtures.join("logged.sqlite-wal"), folder.path().join("logged.sqlite-wal")).unwrap();
    let (whole, bare) = (info(&alone), info(&fixtures.join("blocks.sqlite")));
    assert_eq!(whole["problems"], bare["problems"]);
    assert_eq!(whole["digest"], bare["digest"]);
    assert_ne!(lacking["digest"], bare["digest"]);
}

#[test]
fn reading_a_database_with_a_log_or_a_journal_writes_nothing_beside_it() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/rvn");
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for name in ["logged.sqlite", "logged.sqlite-wal"] {
        std::fs::copy(fixtures.join(name), path(name)).unwrap();
    }
    // A transaction that was not committed has changed the file, and its journal has what was
    // there.
    std::fs::copy(fixtures.join("blocks.sqlite"), path("held.sqlite")).unwrap();
    let whole = info(&path("held.sqlite"));
    let connection = Connection::open(path("held.sqlite")).unwrap();
    connection.execute_batch("pragma cache_size = 1; pragma cache_spill = 1; begin; delete from execution;").unwrap();
    connection.execute_batch("create table t as with recursive c(i) as (select 1 union all select i + 1 from c limit 20000) select i, hex(randomblob(50)) from c").unwrap();
    for name in ["held.sqlite", "held.sqlite-journal"] {
        std::fs::copy(path(name), path(&name.replace("held", "hot"))).unwrap();
    }
    drop(connection);
    let files = || {
        let mut files: Vec<_> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.map(|it| (it.file_name(), std::fs::read(it.path()).unwrap())).unwrap())
            .collect();
        files.sort();
        files
    };
    let before = files();
    assert!(before.iter().any(|(name, bytes)| name == "hot.sqlite-journal" && bytes.len() > 8));
    for name in ["logged.sqlite", "hot.sqlite"] {
        let read = info(&path(name));
        assert_eq!(read["digest"], whole["digest"], "{name}");
        let counted = unspool(&["sql", &text(&path(name)), "select count(*) from rvn.execution"]);
        assert!(counted.status.success());
        assert!(unspool(&["coverage", &text(&path(name))]).status.success());
    }
    assert!(files() == before);
    // A link may lead to any file.
    #[cfg(unix)]
    {
        std::fs::remove_file(path("logged.sqlite-wal")).unwrap();
        std::os::unix::fs::symlink(fixtures.join("logged.sqlite-wal"), path("logged.sqlite-wal")).unwrap();
        let refused = unspool(&["info", &text(&path("logged.sqlite"))]);
        assert!(String::from_utf8_lossy(&refused.stderr).contains("name of its log (-wal) is not a file"));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn names_are_bytes() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::process::Command;
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures");
    let folder = tempfile::tempdir().unwrap();
    let odd = |ending: &str| folder.path().join(OsStr::from_bytes(&[b"\xff\xfe%3f #", ending.as_bytes()].concat()));
    for (from, ending) in [
        ("rvn/blocks.sqlite", ".sqlite"),
        ("rvn/logged.sqlite", ".log.sqlite"),
        ("rvn/logged.sqlite-wal", ".log.sqlite-wal"),
        ("xray/threads.xray", ".xray"),
        ("containers/threads.xray.gz", ".xray.gz"),
    ] {
        std::fs::copy(fixtures.join(from), odd(ending)).unwrap();
    }
    std::fs::create_dir(odd(".tmp")).unwrap();
    let output = |args: &[&OsStr]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_unspool"));
        command.args(args).env("TMPDIR", odd(".tmp")).output().unwrap()
    };
    let run = |args: &[&OsStr]| {
        let output = output(args);
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    let word = OsStr::new;
    for ending in [".sqlite", ".log.sqlite"] {
        let path = odd(ending);
        run(&[word("info"), path.as_os_str()]);
        run(&[word("coverage"), path.as_os_str()]);
        run(&[word("sql"), path.as_os_str(), word("select count(*) from rvn.execution")]);
    }
    let (log, packed, program) = (odd(".xray"), odd(".xray.gz"), std::env::current_exe().unwrap());
    run(&[word("info"), packed.as_os_str()]);
    run(&[word("sql"), log.as_os_str(), word("select 1"), word("--save"), odd(".saved").as_os_str()]);
    run(&[word("sql"), log.as_os_str(), word("select 1"), word("--with"), packed.as_os_str()]);
    std::fs::copy(program, odd(".program")).unwrap();
    let read = output(&[word("stats"), log.as_os_str(), word("--binary"), odd(".program").as_os_str()]);
    assert!(String::from_utf8_lossy(&read.stderr).contains("no functions of XRay"), "the program was read");
    run(&[word("convert"), log.as_os_str(), word("--to"), word("chrome"), word("-o"), odd(".json").as_os_str()]);
    run(&[word("cut"), log.as_os_str(), word("-o"), odd(".cut").as_os_str()]);
    assert!([".saved", ".json", ".cut"].iter().all(|ending| odd(ending).exists()));
    assert_eq!(std::fs::read_dir(odd(".tmp")).unwrap().count(), 0);
}

/// To read a row of such a table may take hours, and nothing interrupts SQLite within a row.
#[test]
fn tables_that_are_computed_are_not_opened() {
    let dir = tempfile::tempdir().unwrap();
    let made = |name: &str, change: &str| {
        let path = dir.path().join(name);
        assert!(unspool(&["generate", "rvn", "--events", "100", "-o", &text(&path)]).status.success());
        Connection::open(&path).unwrap().execute_batch(change).unwrap();
        path
    };
    let computed = "pc + 1";
    let columns = "pc int8, instruction_data blob, instruction_count int2";
    let paths = [
        made(
            "column.sqlite",
            &format!("drop table blocks; create table blocks({columns}, mode int1 as ({computed})); insert into blocks values(1, x'90', 1)"),
        ),
        // The schema calls a view a table.
        made(
            "view.sqlite",
            "drop table blocks; create view blocks as select 1 as pc, x'90' as instruction_data, 1 as instruction_count, 0 as mode, 1 as rowid;
                 pragma writable_schema = on; update sqlite_schema set type = 'table' where name = 'blocks';",
        ),
        made("virtual.sqlite", "drop table execution; create virtual table execution using rtree(transition_id, block_id, b)"),
        made("metadata.sqlite", "alter table _metadata add column more as (type + 1)"),
    ];
    for path in paths {
        for command in ["info", "coverage"] {
            let refused = unspool(&[command, &text(&path)]);
            let said = String::from_utf8_lossy(&refused.stderr).into_owned();
            assert!(!refused.status.success() && said.contains("is computed"), "{command} {}: {said}", path.display());
        }
    }
    // A computed column of another table does no harm.
    let path = made("other.sqlite", &format!("create table other(pc, b as ({computed})); insert into other values(1)"));
    assert!(unspool(&["info", &text(&path)]).status.success());
}
