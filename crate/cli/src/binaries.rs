//! `--binary`: names of functions from programs and shared libraries.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops;
use std::path::{Path, PathBuf};

use clap::builder::{OsStringValueParser, TypedValueParser};
use unspool_engine::Session;
use unspool_symbols::{Called, Programs, Range, Report, Work};
use unspool_trace::{Jumps, Naming};

use crate::{Failure, NameArgs, Place, complain};

/// A binary, and what the user says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Argument {
    /// The object whose functions it names.
    object: Option<u32>,
    /// The address of its first page.
    base: Option<u64>,
    path: PathBuf,
}

impl Argument {
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The same of another path.
    pub(crate) fn at_path(self, path: PathBuf) -> Self {
        Self { path, ..self }
    }

    /// As it is written on the command line.
    pub(crate) fn text(&self) -> String {
        let object = self.object.map_or(String::new(), |object| format!("{object}="));
        let base = self.base.map_or(String::new(), |base| format!("@{base:#x}"));
        format!("{object}{}{base}", self.path.display())
    }
}

/// Parses `FILE`, `OBJECT=FILE` or `FILE@BASE`, where a path need not be UTF-8.
pub(crate) fn argument() -> impl TypedValueParser<Value = Argument> {
    OsStringValueParser::new().try_map(|text| parsed(&text))
}

/// The same of a text that is there.
///
/// # Errors
///
/// Returns what is wrong with it.
pub(crate) fn parsed(text: &OsStr) -> Result<Argument, String> {
    let bytes = text.as_encoded_bytes();
    let number = |bytes: &[u8]| std::str::from_utf8(bytes).ok()?.parse::<u32>().ok();
    let equals = bytes.iter().position(|byte| *byte == b'=');
    let numbered = equals.and_then(|at| Some((number(bytes.get(..at)?)?, at + 1)));
    let (object, begin) = numbered.map_or((None, 0), |(object, begin)| (Some(object), begin));
    if object.is_some_and(|object| object > 255) {
        return Err("XRay numbers objects from 0, the program, to 255".into());
    }
    // Other file names may have an `@`, too.
    let at = bytes.iter().rposition(|byte| *byte == b'@').filter(|at| *at >= begin);
    let based = at.and_then(|at| Some((address(std::str::from_utf8(bytes.get(at + 1..)?).ok()?)?, at)));
    let (base, end) = based.map_or((None, bytes.len()), |(base, end)| (Some(base), end));
    let path = part(text, begin..end).ok_or("the name of the file is not Unicode")?;
    Ok(Argument { object, base, path })
}

/// A part of a path between ASCII characters, in bytes.
fn part(text: &OsStr, range: ops::Range<usize>) -> Option<PathBuf> {
    #[cfg(unix)]
    let path = std::os::unix::ffi::OsStrExt::as_bytes(text)
        .get(range)
        .map(<OsStr as std::os::unix::ffi::OsStrExt>::from_bytes);
    #[cfg(not(unix))]
    let path = text.to_str().and_then(|text| text.get(range));
    path.map(PathBuf::from)
}

/// An address, with or without `0x` before its hexadecimal digits.
fn address(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x").unwrap_or(text), 16).ok()
}

/// The number of the first binary among the companions of the session. The names file has 0.
const FIRST: u32 = 1;

/// Binaries that were read.
pub(crate) struct Binaries {
    programs: Programs,
    files: Vec<File>,
    names: Vec<(u32, String)>,
    /// The form in which names are shown.
    arguments: NameArgs,
}

impl Binaries {
    /// Reads binaries.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be read.
    pub(crate) fn read(arguments: &NameArgs) -> Result<Self, Failure> {
        let mut programs = Programs::default();
        let (mut files, mut names) = (Vec::new(), Vec::new());
        for (id, Argument { object, base, path }) in (FIRST..).zip(&arguments.binary) {
            let name = path.display().to_string();
            let failed = |error: io::Error| Failure::io(&name, &error);
            let file = File::open(path).map_err(failed)?;
            programs.add(id, &name, file.metadata().map_err(failed)?.len());
            programs.choose(id, *object);
            programs.place(id, *base);
            files.push(file);
            names.push((id, name));
        }
        let mut binaries = Self { programs, files, names, arguments: arguments.clone() };
        binaries.run()?;
        Ok(binaries)
    }

    /// Reads what is needed of the files.
    fn run(&mut self) -> Result<(), Failure> {
        loop {
            match self.programs.step() {
                Work::Done => return Ok(()),
                Work::More => {}
                Work::Needs { binary, range } => {
                    let i = (binary - FIRST) as usize;
                    let (Some(file), Some((_, name))) = (self.files.get(i), self.names.get(i)) else { return Ok(()) };
                    let bytes = read(file, range).map_err(|error| Failure::of(name, error))?;
                    self.programs.push(binary, range.at, bytes);
                }
            }
        }
    }

    /// Shows the names in a trace that was read. Returns the names by id.
    ///
    /// # Errors
    ///
    /// Returns an error if the trace takes no names from binaries.
    pub(crate) fn name(&mut self, session: &mut Session) -> Result<Vec<Naming>, Failure> {
        if !session.info().companions.contains(&"binary") {
            return Err(Failure::new("Binaries name the functions of XRay logs, BAP frames and REVEN traces only.")
                .unsupported());
        }
        let addresses = session.addresses(false);
        if addresses.is_empty() {
            self.programs.set_ids(session.ids(), true);
        } else {
            let modules = session.modules().into_iter().map(|(base, path)| (base, path.into())).collect();
            self.programs.set_called(Called::new(addresses, session.addresses(true), modules), true);
            self.run()?;
        }
        let format = session.info().format;
        let naming = |id: u32| Some((id, self.arguments.shown(self.programs.naming(id)?, format)));
        let namings: Vec<(u32, Naming)> = self.names.iter().filter_map(|(id, _)| naming(*id)).collect();
        namings.iter().for_each(|(id, naming)| session.name_by(*id, naming.clone()));
        Ok(namings.into_iter().map(|(_, naming)| naming).collect())
    }

    /// How to read a trace again so that no call is below one that cannot have made it, as the code
    /// says. `None` if it is right. Call [`Binaries::name`] before.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be read.
    pub(crate) fn jumps(&mut self, session: &Session) -> Result<Option<Jumps>, Failure> {
        if session.store().unended() == 0 {
            return Ok(None);
        }
        self.programs.find_calls();
        self.run()?;
        Ok(session.store().jumps(self.programs.take_callees()))
    }

    /// The files, with what became of each.
    pub(crate) fn reports(&self, session: &Session) -> Vec<(String, Report)> {
        let report =
            |(id, name): &(u32, String)| Some((name.clone(), self.programs.report(*id, session.named_by(*id))?));
        self.names.iter().filter_map(report).collect()
    }

    /// Shows the names in a trace that was read, and reports what is wrong with a binary. Returns
    /// the names by id.
    ///
    /// # Errors
    ///
    /// Returns an error if no binary names anything.
    pub(crate) fn name_or_fail(&mut self, session: &mut Session) -> Result<Vec<Naming>, Failure> {
        let namings = self.name(session)?;
        for (name, report) in self.reports(session) {
            if report.is_wrong || namings.is_empty() {
                complain(&name, Place::Whole, &report.sentence);
            }
        }
        if namings.is_empty() { Err(Failure::new("No binary names functions of this trace.")) } else { Ok(namings) }
    }
}

/// Up to as many bytes as the file has there.
fn read(mut file: &File, Range { at, len }: Range) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(len as usize);
    file.seek(SeekFrom::Start(at))?;
    file.take(len).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_before_a_file_is_its_object_and_one_after_it_its_base() {
        let parts = |text: &str| parsed(OsStr::new(text)).map(|it| (it.object, it.base, it.path.display().to_string()));
        assert_eq!(parts("a.so"), Ok((None, None, "a.so".into())));
        assert_eq!(parts("3=a=b.so"), Ok((Some(3), None, "a=b.so".into())));
        assert_eq!(parts("a=b.so"), Ok((None, None, "a=b.so".into())));
        assert!(parts("256=a.so").is_err());
        assert_eq!(parts("a.so@0x7f00"), Ok((None, Some(0x7f00), "a.so".into())));
        assert_eq!(parts("a@b.so@7F00"), Ok((None, Some(0x7f00), "a@b.so".into())));
        assert_eq!(parsed(OsStr::new("3=a.so@0x7f00")).unwrap().text(), "3=a.so@0x7f00");
        assert_eq!(parts("a@b.so"), Ok((None, None, "a@b.so".into())));
    }
}
