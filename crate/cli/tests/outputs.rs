//! Commands that write: what they read stays as it is, whatever the paths, and an output is
//! complete or not there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures").join(name)
}

/// A command that reads `IN` and writes `OUT`.
struct Writer {
    args: &'static [&'static str],
    fixture: &'static str,
    /// What is named like the output, and belongs to it.
    besides: &'static [&'static str],
}

const WRITERS: &[Writer] = &[
    Writer { args: &["cut", "IN", "-o", "OUT"], fixture: "xray/threads.xray", besides: &[] },
    Writer {
        args: &["convert", "IN", "--to", "chrome", "-o", "OUT"],
        fixture: "xray/threads.xray",
        besides: &[".in-part"],
    },
    Writer {
        args: &["image", "IN", "--texture", "6", "-o", "OUT"],
        fixture: "apitrace/replay_bytes.trace",
        besides: &[],
    },
];
/// Commands that write and do not read, or write no file that is there.
const OTHERS: &[&[&str]] = &[
    &["generate", "xray", "--events", "100", "-o", "OUT"],
    &["generate", "rvn", "--events", "100", "-o", "OUT"],
    &["sql", "IN", "--save", "OUT"],
];

/// Runs a command in a directory, with `IN` and `OUT` replaced.
fn run(args: &[&str], directory: &Path, input: &str, output: &str) -> Output {
    let args = args.iter().map(|arg| match *arg {
        "IN" => input,
        "OUT" => output,
        other => other,
    });
    Command::new(env!("CARGO_BIN_EXE_unspool")).args(args).current_dir(directory).output().unwrap()
}

/// A directory with a trace.
fn with_trace(name: &str, from: &str) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::copy(fixture(from), directory.path().join(name)).unwrap();
    directory
}

fn names_in(directory: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Runs a command that must refuse to write, and leaves everything as it was.
fn is_refused(args: &[&str], directory: &Path, input: &str, output: &str) {
    let contents = || -> Vec<_> {
        names_in(directory).into_iter().map(|name| (fs::read(directory.join(&name)).ok(), name)).collect()
    };
    let before = contents();
    let ran = run(args, directory, input, output);
    let said = String::from_utf8(ran.stderr).unwrap();
    assert_eq!(ran.status.code(), Some(2), "{args:?} {input} {output}: {said}");
    assert!(said.contains("would overwrite"), "{args:?} {input} {output}: {said}");
    assert!(before == contents(), "{args:?} {input} {output}: the directory has changed");
}

#[test]
fn no_output_is_an_input() {
    for Writer { args, fixture, .. } in WRITERS {
        let directory = with_trace("trace", fixture);
        let at = directory.path();
        is_refused(args, at, "trace", "trace");
        is_refused(args, at, "trace", "./trace");
        fs::hard_link(at.join("trace"), at.join("linked")).unwrap();
        is_refused(args, at, "trace", "linked");
        is_refused(args, at, "linked", "trace");
    }
}

#[cfg(unix)]
#[test]
fn no_output_leads_to_an_input() {
    for Writer { args, fixture, .. } in WRITERS {
        let directory = with_trace("trace", fixture);
        let at = directory.path();
        std::os::unix::fs::symlink("trace", at.join("link")).unwrap();
        is_refused(args, at, "trace", "link");
        is_refused(args, at, "link", "trace");
    }
}

#[test]
fn an_archive_is_not_replaced_by_what_is_read_of_it() {
    for Writer { args, .. } in WRITERS.iter().filter(|writer| writer.fixture.starts_with("xray")) {
        let directory = with_trace("traces.zip", "containers/traces.zip");
        is_refused(args, directory.path(), "traces.zip/threads.xray", "traces.zip");
    }
}

#[test]
fn what_is_beside_a_database_is_not_replaced() {
    for end in ["-wal", "-journal"] {
        let directory = with_trace("trace.sqlite", "rvn/blocks.sqlite");
        let beside = format!("trace.sqlite{end}");
        fs::write(directory.path().join(&beside), "not empty").unwrap();
        is_refused(&["convert", "IN", "--to", "chrome", "-o", "OUT"], directory.path(), "trace.sqlite", &beside);
    }
}

#[test]
fn tables_of_a_comparison_replace_no_trace() {
    for name in ["functions.parquet", "paths.parquet"] {
        let directory = with_trace(name, "xray/threads.xray");
        is_refused(&["compare", "IN", "IN", "--parquet", "OUT"], directory.path(), name, ".");
    }
}

#[test]
fn standard_input_is_not_replaced() {
    let directory = with_trace("trace", "xray/threads.xray");
    let path = directory.path().join("trace");
    let bytes = fs::read(&path).unwrap();
    let ran = Command::new(env!("CARGO_BIN_EXE_unspool"))
        .args(["cut", "-", "-o", "trace"])
        .current_dir(directory.path())
        .stdin(Stdio::from(fs::File::open(&path).unwrap()))
        .output()
        .unwrap();
    assert_eq!(ran.status.code(), Some(2), "{}", String::from_utf8_lossy(&ran.stderr));
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

#[test]
fn no_output_is_the_input_of_another_conversion() {
    let directory = with_trace("a", "xray/threads.xray");
    let at = directory.path();
    fs::copy(fixture("xray/threads.xray"), at.join("a.json")).unwrap();
    is_refused(&["convert", "a", "a.json", "--to", "chrome", "-o", "."], at, "", "");
    // What says that an output has a part of its trace is an output, too.
    fs::copy(fixture("xray/threads.xray"), at.join("out.in-part")).unwrap();
    is_refused(&["convert", "out.in-part", "--to", "chrome", "-o", "out"], at, "", "");
}

#[test]
fn no_output_is_a_list_of_names() {
    let directory = with_trace("trace", "xray/threads.xray");
    fs::write(directory.path().join("names.csv"), "1,main\n").unwrap();
    let args = ["convert", "IN", "--names", "names.csv", "--to", "chrome", "-o", "OUT"];
    is_refused(&args, directory.path(), "trace", "names.csv");
}

#[test]
fn an_input_may_have_the_name_of_a_file_in_the_making() {
    for Writer { args, fixture, .. } in WRITERS {
        let directory = with_trace("out.partial", fixture);
        let at = directory.path();
        let before = fs::read(at.join("out.partial")).unwrap();
        let ran = run(args, at, "out.partial", "out");
        assert!(ran.status.success(), "{args:?}: {}", String::from_utf8_lossy(&ran.stderr));
        assert_eq!(fs::read(at.join("out.partial")).unwrap(), before, "{args:?}");
        assert_eq!(names_in(at), ["out", "out.partial"], "{args:?}");
    }
}

#[cfg(unix)]
#[test]
fn links_that_were_planted_lead_nowhere() {
    use std::os::unix::fs::symlink;
    let others = OTHERS.iter().map(|args| Writer { args, fixture: "xray/threads.xray", besides: &[] });
    for Writer { args, fixture, besides } in WRITERS.iter().map(|it| Writer { ..*it }).chain(others) {
        let directory = with_trace("trace", fixture);
        let at = directory.path();
        // A trace that ends too early has its output marked.
        let bytes = fs::read(at.join("trace")).unwrap();
        if !besides.is_empty() {
            fs::write(at.join("trace"), &bytes[..bytes.len() - 3]).unwrap();
        }
        fs::write(at.join("victim"), "precious").unwrap();
        symlink("victim", at.join("out.partial")).unwrap();
        for ending in besides {
            symlink("victim", at.join(format!("out{ending}"))).unwrap();
        }
        if !args.contains(&"sql") {
            symlink("victim", at.join("out")).unwrap();
        }
        let ran = run(args, at, "trace", "out");
        assert_eq!(ran.status.success(), besides.is_empty(), "{args:?}: {}", String::from_utf8_lossy(&ran.stderr));
        assert_eq!(fs::read_to_string(at.join("victim")).unwrap(), "precious", "{args:?}");
        assert!(fs::symlink_metadata(at.join("out")).unwrap().is_file(), "{args:?}");
        for ending in besides {
            assert!(fs::symlink_metadata(at.join(format!("out{ending}"))).unwrap().is_file(), "{args:?}");
        }
    }
}

#[test]
fn an_existing_file_keeps_its_content_unless_the_output_is_complete() {
    for Writer { args, .. } in WRITERS {
        let directory = with_trace("trace", "xray/README.md");
        let at = directory.path();
        fs::write(at.join("out"), "before").unwrap();
        let ran = run(args, at, "trace", "out");
        assert!(!ran.status.success(), "{args:?}");
        assert_eq!(fs::read_to_string(at.join("out")).unwrap(), "before", "{args:?}");
        assert_eq!(names_in(at), ["out", "trace"], "{args:?}");
    }
}

#[test]
fn a_database_is_not_written_over_a_file() {
    let directory = with_trace("trace", "xray/threads.xray");
    let at = directory.path();
    fs::write(at.join("out"), "before").unwrap();
    let ran = run(&["sql", "IN", "--save", "OUT"], at, "trace", "out");
    assert_eq!(ran.status.code(), Some(2));
    assert_eq!(fs::read_to_string(at.join("out")).unwrap(), "before");
    assert_eq!(names_in(at), ["out", "trace"]);
}

#[cfg(unix)]
#[test]
fn a_part_goes_to_standard_output_as_it_goes_to_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let log = fixture("xray/threads.xray");
    let log = log.to_str().unwrap();
    let cut = |args: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_unspool"));
        command.args(["cut", log]).args(args).current_dir(at).output().unwrap()
    };
    assert!(cut(&["-o", "part"]).status.success());
    let part = fs::read(at.join("part")).unwrap();
    assert!(cut(&["-o", "-"]).stdout == part);
    assert!(cut(&["-o", "/dev/stdout"]).stdout == part);
    assert_eq!(cut(&["-o", "-", "--json"]).status.code(), Some(2));
    assert_eq!(names_in(at), ["part"]);
}

#[cfg(target_os = "linux")]
#[test]
fn what_the_system_does_not_write_is_an_error() {
    let full = || Stdio::from(fs::OpenOptions::new().write(true).open("/dev/full").unwrap());
    let status = |args: &[&str], out: Stdio, scratch: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_unspool"));
        command.args(args).env("TMPDIR", scratch).stdout(out).stderr(Stdio::null()).status().unwrap().code()
    };
    let [log, packed] =
        ["xray/threads.xray", "containers/threads.xray.gz"].map(|name| fixture(name).display().to_string());
    for command in ["info", "dump", "stats", "slices", "findings"] {
        assert_eq!(status(&[command, &log, "--json"], full(), "/tmp"), Some(2), "{command}");
    }
    for command in ["info", "dump", "stats"] {
        assert_eq!(status(&[command, &packed], Stdio::null(), "/no/such/folder"), Some(2), "{command}");
    }
    assert_eq!(status(&["cut", &log, "-o", "/dev/full"], Stdio::null(), "/tmp"), Some(2));
}

#[test]
fn outputs_have_the_permissions_of_any_file() {
    use std::os::unix::fs::PermissionsExt;
    let directory = with_trace("trace", "xray/threads.xray");
    let at = directory.path();
    fs::write(at.join("any"), "").unwrap();
    let mode = |name: &str| fs::metadata(at.join(name)).unwrap().permissions().mode();
    assert!(run(WRITERS[0].args, at, "trace", "out").status.success());
    assert_eq!(mode("out"), mode("any"));
    fs::set_permissions(at.join("out"), fs::Permissions::from_mode(0o640)).unwrap();
    assert!(run(WRITERS[0].args, at, "trace", "out").status.success());
    assert_eq!(mode("out") & 0o777, 0o640);
    // What is not a file is written to.
    assert!(run(WRITERS[0].args, at, "trace", "/dev/null").status.success());
}
