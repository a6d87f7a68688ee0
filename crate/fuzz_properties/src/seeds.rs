//! Where properties begin: files of the repository, and what is in them.

use std::fs;
use std::path::Path;

use unspool_formats::{FORMATS, open_row_records};
use unspool_trace::Format;

use crate::index::LISTS;
use crate::replay::SHADERS;
use crate::schema::SCHEMAS;
use crate::stream::stream_of;
use crate::values::QUERIES;

/// Folders of `tests/fixtures` whose files are seeds, by property. The others have those of the
/// folder with their name.
const FOLDERS: &[(&str, &[&str])] = &[
    ("align", &["frames", "xray"]),
    ("differ", &["frames", "xray"]),
    ("apitrace_stream", &["apitrace"]),
    ("rvn_rows", &["rvn", "xray"]),
    ("rvn_scan", &["rvn"]),
    ("container", &["apitrace", "containers"]),
    ("unpack", &["containers"]),
    ("events", &["xray", "trace_db"]),
    ("code", &["frames", "trace_db"]),
    ("symbols", &["binaries"]),
    ("survey", &["apitrace"]),
    ("gl_state", &["apitrace"]),
    ("replay", &["apitrace"]),
    ("steps", &["frames"]),
    ("runs", &["rvn"]),
    ("values", &["trace_db"]),
];

/// Properties whose seeds are the fixtures of every format that is read as bytes.
const OF_ALL_FORMATS: [&str; 3] = ["session", "cut", "export"];

/// Properties of the stream of an apitrace, which its container would protect from most damage.
const STREAMS: [&str; 4] = ["apitrace_stream", "survey", "gl_state", "replay"];

/// A names file in both of its forms.
const NAMES: &[u8] = b"1,main,main.c:12\n#2,f\n0x401000,\"g, h\"\n401000 20 start\n";

/// Expressions with each kind of term.
const EXPRESSIONS: &[&str] = &[
    "name:main or (f -\"a b\") and not /x+y/i",
    "dur>1.5ms start:10us..2s depth<=3 frame:1..2 flag:open thread:*1",
    "arg.size.0:0xff ret:-1 text:\"gl\\n\" bytes:0f 05 insn:call addr:0x40..",
];

/// Names and contents of the seeds of a property. Their order is that of their names.
///
/// # Panics
///
/// If the fixtures of the repository cannot be read.
pub fn seeds(property: &str) -> Vec<(String, Vec<u8>)> {
    let texts =
        |texts: &[&str]| (0..).zip(texts).map(|(i, text)| (format!("text {i}"), text.as_bytes().into())).collect();
    match property {
        "names" => return vec![("names.csv".into(), NAMES.into())],
        "language" => return texts(EXPRESSIONS),
        "query" => return texts(QUERIES),
        "rvn_schema" => return texts(SCHEMAS),
        "glsl" => return texts(SHADERS),
        "coverage_lists" => return (0..).zip(LISTS).map(|(i, list)| (format!("list {i}"), list.to_vec())).collect(),
        _ => {}
    }
    let is_read_as_bytes = |format: &&Format| open_row_records(format.id).is_err();
    let folders: Vec<String> = match FOLDERS.iter().find(|(name, _)| *name == property) {
        Some((_, folders)) => folders.iter().map(|folder| (*folder).into()).collect(),
        None if OF_ALL_FORMATS.contains(&property) => {
            FORMATS.iter().filter(is_read_as_bytes).map(|format| format.id.replace('-', "_")).collect()
        }
        None => vec![property.into()],
    };
    let mut seeds: Vec<_> = folders.iter().flat_map(|folder| files(folder)).collect();
    seeds.sort();
    if STREAMS.contains(&property) {
        seeds.iter_mut().for_each(|(_, file)| *file = stream_of(file));
    }
    seeds
}

fn files(folder: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures").join(folder);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.flatten().map(|entry| entry.path());
    let is_seed = |path: &std::path::PathBuf| path.extension().is_none_or(|ending| ending != "md" && ending != "txt");
    let read = |path: std::path::PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        (name, fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
    };
    paths.filter(is_seed).map(read).collect()
}
