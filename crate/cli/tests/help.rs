//! docs/cli.md: its list of commands is what `unspool COMMAND --help` prints.
//!
//! `UNSPOOL_WRITE_FIXTURES=1 cargo test -p unspool-cli help` writes it.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The heading after which docs/cli.md is generated.
const HEADING: &str = "## Commands\n";
/// Columns of a line in documents.
const WIDTH: usize = 100;

/// What `unspool` prints when asked for help.
fn help(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_unspool")).args(args).arg("--help").output().unwrap();
    assert!(output.status.success(), "{args:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The lines of a help text, filled at [`WIDTH`] columns. Continuations begin below the last column
/// of a line.
fn filled(text: &str) -> String {
    let mut filled = String::new();
    for line in text.lines().map(str::trim_end) {
        let indent = line.rfind("  ").map_or(0, |at| at + 2);
        let (head, rest) = line.split_at(indent);
        filled.push_str(head);
        let mut column = indent;
        for (at, word) in rest.split(' ').enumerate() {
            if at > 0 && column + 1 + word.len() > WIDTH {
                write!(filled, "\n{:indent$}", "").unwrap();
                column = indent;
            } else if at > 0 {
                filled.push(' ');
                column += 1;
            }
            filled.push_str(word);
            column += word.len();
        }
        filled.push('\n');
    }
    filled
}

#[test]
fn the_commands_of_the_help_are_documented() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cli.md");
    let document = fs::read_to_string(&path).unwrap();
    let (by_hand, _) = document.split_once(HEADING).expect("the heading of the commands");
    let mut expected = format!("{by_hand}{HEADING}");
    let all = help(&[]);
    let commands = all.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    for command in commands.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help") {
        write!(expected, "\n### {command}\n\n```text\n{}```\n", filled(&help(&[command]))).unwrap();
    }
    if std::env::var_os("UNSPOOL_WRITE_FIXTURES").is_some() {
        fs::write(&path, &expected).unwrap();
    }
    assert!(
        fs::read_to_string(&path).unwrap() == expected,
        "docs/cli.md is out of date: UNSPOOL_WRITE_FIXTURES=1 cargo test -p unspool-cli help writes it"
    );
}
