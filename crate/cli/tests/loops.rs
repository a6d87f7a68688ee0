//! `unspool loops`: loops with known answers, and those of a recorded database compared with its
//! rows.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use unspool_formats::frames::encode::{Frame, Std, Table, Writer};

fn loops(path: &Path, args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_unspool")).arg("loops").arg(path).args(args).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn nested_loops_of_frames_have_first_and_last_iterations() {
    // Three times: an instruction, two to four times two others, and one more.
    let mut addresses = vec![0x400000];
    for times in [2, 4, 3] {
        addresses.push(0x401000);
        (0..times).for_each(|_| addresses.extend([0x401002, 0x401004]));
        addresses.push(0x401006);
    }
    addresses.push(0x402000);
    let mut writer = Writer::new(3, 9, 64, None);
    for address in addresses {
        let bytes = vec![0x90, 0x90];
        writer.frame(&Frame::Std(Std { address, thread: 1, bytes, pre: Vec::new(), post: None, mode: None }));
    }
    let path = std::env::temp_dir().join(format!("unspool-{}-loops.frames", std::process::id()));
    std::fs::write(&path, writer.finish(Table::None)).unwrap();
    let (json, text) = (loops(&path, &["--json"]), loops(&path, &["--least", "3"]));
    std::fs::remove_file(path).unwrap();
    let all: Vec<Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |key: &str| all.iter().map(|it| it[key].as_u64().unwrap()).collect::<Vec<_>>();
    assert_eq!(of("start"), [1, 2, 8, 18]);
    assert_eq!(of("end"), [25, 6, 16, 24]);
    assert_eq!(of("iterations"), [3, 2, 4, 3]);
    assert_eq!(of("cycle"), [3, 2, 2, 2]);
    assert_eq!(of("depth"), [0, 1, 1, 1]);
    assert_eq!((of("first_end")[0], of("last_start")[0]), (7, 17));
    assert_eq!((of("address")[0], of("address")[1]), (0x401000, 0x401002));
    let lines: Vec<_> =
        text.lines().skip(1).map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(lines, ["1 3 24 3 0x401000", "8 4 8 2 0x401002", "18 3 6 2 0x401002"]);
}

#[test]
fn loops_of_a_recorded_database_repeat_its_rows() {
    let Some(path) = unspool_corpus::path("rvn/medium.sqlite") else { return };
    let path = path.to_str().unwrap();
    let database = rusqlite::Connection::open_with_flags(path, rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    // Where each row ends, its block, and whether it left that early.
    let sql =
        "select transition_id, block_id, instruction_count > transition_id - lag(transition_id, 1, 0) over (order by
        transition_id) from execution join blocks on blocks.rowid = block_id order by transition_id";
    let mut statement = database.prepare(sql).unwrap();
    let rows: Vec<(u64, (i64, bool))> = statement
        .query_map([], |row| Ok((row.get::<_, i64>(0)? as u64, (row.get(1)?, row.get(2)?))))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    // The row that begins at a transition.
    let row_at = |begin: u64| match begin {
        0 => 0,
        _ => rows.binary_search_by_key(&begin, |row| row.0).unwrap() + 1,
    };
    let all: Vec<Value> =
        loops(Path::new(path), &["--json"]).lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    assert_eq!(all.len(), 19_476);
    let mut plain = 0;
    for (i, it) in all.iter().enumerate() {
        let number = |key: &str| it[key].as_u64().unwrap();
        let (from, to, period) = (row_at(number("start")), row_at(number("end")), number("cycle") as usize);
        assert!(row_at(number("first_end")) > from && row_at(number("last_start")) < to);
        // Loops with loops in them have iterations of different lengths.
        if all.get(i + 1).is_some_and(|next| next["start"].as_u64().unwrap() < number("end")) {
            continue;
        }
        plain += 1;
        let blocks: Vec<_> = rows[from..to].iter().map(|row| row.1).collect();
        assert_eq!(blocks.len(), period * number("iterations") as usize, "{it}");
        assert!(blocks.iter().zip(&blocks[period..]).all(|(a, b)| a == b), "{it}");
        // It ends where the next iteration would differ.
        let next: Vec<_> = rows[to..].iter().take(period).map(|row| row.1).collect();
        assert!(next != blocks[..period] || next.len() < period, "{it}");
    }
    assert!(plain > 19_000, "{plain}");
}
