//! Blobs of calls as files.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use unspool_trace::part::Blob;

use crate::output::{Inputs, Output};

/// Length limit for the name of an argument in the name of a file.
const MOST_NAME: usize = 64;

/// A directory that gets a file for each blob: `CALL-ARGUMENT.bin`.
pub(super) struct BlobFiles {
    directory: PathBuf,
    inputs: Inputs,
    /// The call of the last blob, and the names of its files.
    last: (u64, Vec<String>),
    pub(super) files: u64,
    pub(super) bytes: u64,
}

impl BlobFiles {
    /// Creates the directory if there is none.
    ///
    /// # Errors
    ///
    /// Returns the error of the system.
    pub(super) fn create(directory: PathBuf, inputs: Inputs) -> io::Result<Self> {
        fs::create_dir_all(&directory)?;
        Ok(Self { directory, inputs, last: (u64::MAX, Vec::new()), files: 0, bytes: 0 })
    }

    /// Writes a blob.
    ///
    /// # Errors
    ///
    /// Returns an error that names the file.
    pub(super) fn write(&mut self, blob: &Blob) -> io::Result<()> {
        let name = self.name(blob);
        let path = self.directory.join(name);
        let named = |why: String| io::Error::other(format!("{}: {why}", path.display()));
        self.inputs.spare(&path).map_err(|failure| named(failure.to_string()))?;
        let written = Output::create(&path).and_then(|mut file| {
            file.write_all(&blob.bytes)?;
            file.finish()
        });
        written.map_err(|error| named(error.to_string()))?;
        self.files += 1;
        self.bytes += blob.bytes.len() as u64;
        Ok(())
    }

    /// A name that no other blob of the call has: `7-data.bin`, then `7-data-2.bin`.
    fn name(&mut self, blob: &Blob) -> String {
        if self.last.0 != blob.call {
            self.last = (blob.call, Vec::new());
        }
        let argument = blob.argument.as_deref().unwrap_or("return");
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let argument: String = argument.chars().take(MOST_NAME).map(|c| if is_plain(c) { c } else { '_' }).collect();
        let earlier = self.last.1.iter().filter(|name| **name == argument).count();
        let name = match earlier {
            0 => format!("{}-{argument}.bin", blob.call),
            _ => format!("{}-{argument}-{}.bin", blob.call, earlier + 1),
        };
        self.last.1.push(argument);
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_plain_and_differ() {
        let inputs = Inputs::default();
        let directory = tempfile::tempdir().unwrap();
        let mut files = BlobFiles::create(directory.path().join("new"), inputs).unwrap();
        let blob = |call, argument: Option<&str>| Blob { call, argument: argument.map(String::from), bytes: vec![1] };
        let names = [
            blob(7, Some("data")),
            blob(7, Some("data")),
            blob(7, None),
            blob(8, Some("data")),
            blob(8, Some("../a b")),
        ]
        .map(|blob| {
            files.write(&blob).unwrap();
            files.name(&blob)
        });
        assert_eq!(names[0], "7-data-2.bin");
        let mut written: Vec<_> =
            fs::read_dir(directory.path().join("new")).unwrap().map(|file| file.unwrap().file_name()).collect();
        written.sort();
        assert_eq!(written, ["7-data-3.bin", "7-data.bin", "7-return.bin", "8-___a_b.bin", "8-data.bin"]);
        assert_eq!((files.files, files.bytes), (5, 5));
    }

    #[test]
    fn a_directory_that_is_a_file_is_an_error() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(BlobFiles::create(file.path().into(), Inputs::default()).is_err());
    }
}
