//! Files that commands write. A file has its name once it is complete, and no command writes to
//! what it reads.

use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use same_file::Handle;
use tempfile::NamedTempFile;

use crate::scratch::{self, Unfinished};
use crate::sqlite::{self, LOG};
use crate::unpack::{JOURNAL, file_of};
use crate::{Failure, NameArgs, TraceArgs};

/// A file that is being written. Without [`Output::finish`] nothing is left of it, and what was
/// there before stays.
#[derive(Debug)]
pub(crate) struct Output {
    file: Target,
    path: PathBuf,
    replaces: bool,
}

#[derive(Debug)]
enum Target {
    /// Has a random name in the directory of the output until it is complete.
    Beside {
        file: NamedTempFile,
        _unfinished: Unfinished,
    },
    /// A device or a pipe, such as /dev/stdout: it cannot be replaced.
    Special(File),
    Stdout(io::Stdout),
    /// A copy that goes there once it is complete: its beginning is written last.
    Held {
        file: NamedTempFile,
        then: Box<Target>,
    },
}

impl Output {
    /// A file that replaces what has its name, if anything. A symbolic link is replaced, and not
    /// what it leads to.
    ///
    /// # Errors
    ///
    /// Returns an error if the directory cannot be written to, or `path` is one.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let existing = fs::metadata(path).ok();
        if existing.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory"));
        }
        let file = match &existing {
            Some(it) if !it.is_file() => Target::Special(File::options().write(true).open(path)?),
            _ => beside(path)?,
        };
        if let (Target::Beside { file, .. }, Some(it)) = (&file, &existing) {
            file.as_file().set_permissions(it.permissions())?;
        }
        Ok(Self { file, path: path.to_path_buf(), replaces: true })
    }

    /// As [`Output::create`], and standard output for `-`.
    ///
    /// # Errors
    ///
    /// As [`Output::create`].
    pub(crate) fn create_or_stdout(path: &Path) -> io::Result<Self> {
        if !Self::is_stdout(path) {
            return Self::create(path);
        }
        Ok(Self { file: Target::Stdout(io::stdout()), path: path.to_path_buf(), replaces: true })
    }

    /// As [`Output::create_or_stdout`], for a writer that comes back to the beginning at the end.
    ///
    /// # Errors
    ///
    /// As [`Output::create`].
    pub(crate) fn create_seekable_or_stdout(path: &Path) -> io::Result<Self> {
        let Self { file, path, replaces } = Self::create_or_stdout(path)?;
        let file = match file {
            Target::Special(_) | Target::Stdout(_) => {
                Target::Held { file: scratch::temporary()?, then: Box::new(file) }
            }
            file => file,
        };
        Ok(Self { file, path, replaces })
    }

    /// Fails if both a file and an object about it would go to standard output.
    pub(crate) fn spare_json(path: &Path, is_json: bool) -> Result<(), Failure> {
        if is_json && Self::is_stdout(path) {
            return Err(Failure::usage("--json and --output - both write to standard output."));
        }
        Ok(())
    }

    /// Whether it is standard output, named by `-`.
    fn is_stdout(path: &Path) -> bool {
        path == Path::new("-")
    }

    /// A file with a name that is free, and must still be at the end.
    ///
    /// # Errors
    ///
    /// As [`Output::create`], and if there is a file of this name.
    pub(crate) fn create_new(path: &Path) -> io::Result<Self> {
        if fs::symlink_metadata(path).is_ok() {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "a file of this name exists"));
        }
        Ok(Self { file: beside(path)?, path: path.to_path_buf(), replaces: false })
    }

    /// Gives the file its name.
    ///
    /// # Errors
    ///
    /// Returns the error of the system. The file is then gone.
    pub(crate) fn finish(self) -> io::Result<()> {
        match self.file {
            Target::Special(mut file) => file.flush(),
            Target::Stdout(mut out) => out.flush(),
            Target::Held { mut file, then } => {
                file.rewind()?;
                match *then {
                    Target::Special(mut to) => io::copy(&mut file, &mut to).and_then(|_| to.flush()),
                    _ => {
                        let mut out = io::stdout().lock();
                        io::copy(&mut file, &mut out).and_then(|_| out.flush())
                    }
                }
            }
            Target::Beside { file, .. } if self.replaces => {
                file.persist(&self.path).map(drop).map_err(|error| error.error)
            }
            Target::Beside { file, .. } => file.persist_noclobber(&self.path).map(drop).map_err(|error| error.error),
        }
    }

    /// Where the file is until it has its name, for writers that open it by themselves. `None` if
    /// it has no name of its own, but leads elsewhere.
    pub(crate) fn path(&self) -> Option<&Path> {
        match &self.file {
            Target::Beside { file, .. } => Some(file.path()),
            Target::Special(_) | Target::Stdout(_) | Target::Held { .. } => None,
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.file {
            Target::Beside { file, .. } | Target::Held { file, .. } => file.write(bytes),
            Target::Special(file) => file.write(bytes),
            Target::Stdout(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.file {
            Target::Beside { file, .. } | Target::Held { file, .. } => file.flush(),
            Target::Special(file) => file.flush(),
            Target::Stdout(out) => out.flush(),
        }
    }
}

impl Seek for Output {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match &mut self.file {
            Target::Beside { file, .. } | Target::Held { file, .. } => file.seek(to),
            Target::Special(file) => file.seek(to),
            Target::Stdout(_) => Err(io::ErrorKind::NotSeekable.into()),
        }
    }
}

fn beside(path: &Path) -> io::Result<Target> {
    let directory = path.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
    let (file, _unfinished) = scratch::output(directory)?;
    Ok(Target::Beside { file, _unfinished })
}

/// The files that a command reads.
#[derive(Debug, Default)]
pub(crate) struct Inputs(Vec<(Handle, String)>);

impl Inputs {
    /// A trace and the files that name its functions.
    pub(crate) fn of(trace: &TraceArgs, names: Option<&NameArgs>) -> Self {
        let mut inputs = Self::default();
        inputs.add(&trace.file);
        for path in names.iter().flat_map(|names| names.files()) {
            inputs.add(path);
        }
        inputs
    }

    /// Adds a file, as it is named on the command line: `-` for standard input, perhaps within an
    /// archive, perhaps a database with its write-ahead log or its journal.
    pub(crate) fn add(&mut self, path: &Path) {
        if path == Path::new("-") {
            self.0.extend(Handle::stdin().ok().map(|file| (file, "standard input".into())));
            return;
        }
        let path = file_of(path);
        let logs = [LOG, JOURNAL].map(|end| sqlite::beside(&path, end));
        for path in logs.into_iter().chain([path]) {
            self.0.extend(handle(&path).map(|file| (file, path.display().to_string())));
        }
    }

    /// Fails if an output is one of the inputs, whatever the paths that lead there.
    ///
    /// # Errors
    ///
    /// Returns a failure of usage that names both.
    pub(crate) fn spare(&self, output: &Path) -> Result<(), Failure> {
        let Some(target) = handle(output) else { return Ok(()) };
        let Some((_, input)) = self.0.iter().find(|(input, _)| *input == target) else { return Ok(()) };
        let sentence = format!("{} would overwrite {input}, which is read. Choose another output.", output.display());
        Err(Failure::usage(sentence))
    }
}

/// The identity of a file. `None` if it cannot be opened, which is then not read either, or is a
/// pipe or a device, which cannot be overwritten.
fn handle(path: &Path) -> Option<Handle> {
    // Opening a pipe waits for its other end.
    fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    Handle::from_path(path).ok()
}
