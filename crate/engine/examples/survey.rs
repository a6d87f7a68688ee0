//! Times a pass over all records of a file with all their fields:
//! `cargo run --release --example survey -- FILE`.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a measurement that panics has shown something"
)]

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::sync::Mutex;
use std::time::Instant;

use unspool_engine::{Session, read};
use unspool_records::{ByteSource, RecordReader, Survey};

struct Source(Mutex<File>);

impl ByteSource for Source {
    fn read_at(&self, at: u64, buffer: &mut [u8]) -> Option<usize> {
        let mut file = self.0.lock().ok()?;
        file.seek(SeekFrom::Start(at)).ok()?;
        file.read(buffer).ok()
    }
}

struct Plain<'a>(&'a mut File);

impl read::ReadAt for Plain<'_> {
    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.0.seek(SeekFrom::Start(at))?;
        self.0.read(buffer)
    }
}

fn main() {
    for path in std::env::args().skip(1) {
        let mut file = File::open(&path).expect("a file");
        let size = file.metadata().expect("a size").len();
        let mut head = vec![0; 64 * 1024];
        let n = file.read(&mut head).expect("a head");
        head.truncate(n);
        let began = Instant::now();
        let mut session = Session::new(&path, size, &head, &head).expect("a trace");
        read::session(&mut session, &mut Plain(&mut file), |_| {}).expect("a file");
        let loaded = began.elapsed();
        let index = session.index();
        let mut reader =
            RecordReader::open(session.format().id, &index, Box::new(Source(Mutex::new(file)))).expect("an index");
        let began = Instant::now();
        let mut survey = Survey::default();
        while !reader.survey(&mut survey, 64).expect("a file") {}
        println!(
            "{path}: loaded {loaded:?}, {} kB of index, survey {:?}: {survey:?}",
            index.len() / 1000,
            began.elapsed()
        );
    }
}
