//! What the tests of every format need: everything that a decoder delivers, in a form that can be compared.

#![allow(dead_code, reason = "each test uses a part of this")]

use std::fs;
use std::path::Path;

use unspool_formats::{
    Decoder, Error, EventBatch, EventKind, FORMATS, Format, Locator, OpenOptions, Problem, ProblemKind, TrackDef,
};

/// Everything that a decoder delivers. What is on a track, each format's tests tell in their own way.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Delivered {
    pub(crate) events: Vec<(EventKind, u32, u64, u32, Locator)>,
    /// Where whole slices end.
    pub(crate) ends: Vec<u64>,
    pub(crate) tracks: Vec<TrackDef>,
    pub(crate) names: Vec<String>,
    pub(crate) problems: Vec<Problem>,
    pub(crate) records: u64,
    pub(crate) error: Option<Error>,
}

impl Delivered {
    pub(crate) fn take(&mut self, batch: &mut EventBatch) {
        for i in 0..batch.len() {
            self.events.push((batch.kinds[i], batch.tracks[i], batch.times[i], batch.names[i], batch.locators[i]));
        }
        self.tracks.append(&mut batch.new_tracks);
        self.names.extend(batch.new_names.drain(..).map(|name| name.text));
        self.ends.append(&mut batch.ends);
        self.problems.append(&mut batch.problems);
        self.records += batch.records;
        batch.clear();
    }

    pub(crate) fn kinds(&self) -> Vec<&'static ProblemKind> {
        self.problems.iter().map(|p| p.kind).collect()
    }
}

pub(crate) fn format(id: &str) -> &'static Format {
    FORMATS.iter().find(|f| f.id == id).unwrap()
}

pub(crate) fn options(file: &[u8]) -> OpenOptions {
    OpenOptions { size: Some(file.len() as u64), ..OpenOptions::default() }
}

pub(crate) fn open(id: &str, file: &[u8]) -> Box<dyn Decoder> {
    (format(id).open)(&file[..file.len().min(64 * 1024)], options(file)).unwrap().stream().unwrap()
}

/// Checks that files of the repository are what the encoder writes; with UNSPOOL_WRITE_FIXTURES set, writes them first.
pub(crate) fn are_written(files: &[(&str, &[u8])]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (name, bytes) in files {
        let path = root.join(name);
        if std::env::var_os("UNSPOOL_WRITE_FIXTURES").is_some() {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, bytes).unwrap();
        }
        assert!(fs::read(&path).unwrap() == *bytes, "{name} is not what the encoder writes");
    }
}
