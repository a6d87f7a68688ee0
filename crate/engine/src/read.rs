//! Reads a whole file into a session, a text dump or a part of it, for callers that may block: the
//! native command and tests.

use std::io;

use unspool_cut::Cut;
use unspool_trace::decoder::TextDump;
use unspool_trace::{Error, Part, Want};

use crate::input::Input;
use crate::session::{Session, Step};

/// Size of one read, in bytes.
const PORTION: usize = 1 << 20;

/// A file that is read by offset.
pub trait ReadAt {
    /// Reads from the absolute offset `at` and returns how many bytes it read: less than `buffer`
    /// holds only at the end of the file, 0 after it.
    ///
    /// # Errors
    ///
    /// Returns the error of the file.
    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize>;
}

impl ReadAt for &[u8] {
    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let rest = usize::try_from(at).ok().and_then(|at| self.get(at..)).unwrap_or_default();
        let n = rest.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..n), rest.get(..n)) {
            to.copy_from_slice(from);
        }
        Ok(n)
    }
}

/// The head and the tail of a file, for [`Session::new`]: at most 64 KiB each.
///
/// # Errors
///
/// Returns the error of the file.
pub fn head_and_tail(file: &mut impl ReadAt, size: u64) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let len = size.min(64 * 1024);
    let read = |at, file: &mut _| -> io::Result<Vec<u8>> {
        let mut buffer = vec![0; len as usize];
        let n = ReadAt::read_at(file, at, &mut buffer)?;
        buffer.truncate(n);
        Ok(buffer)
    };
    Ok((read(0, file)?, read(size - len, file)?))
}

/// Reads a whole file into a session. `after` is called after each portion.
///
/// # Errors
///
/// Returns the error of the file. Errors of decoding are in [`Session::error`].
///
/// # Examples
///
/// ```no_run
/// use unspool_engine::{Session, read};
///
/// let file = std::fs::read("threads.xray")?;
/// let size = file.len() as u64;
/// let (head, tail) = read::head_and_tail(&mut file.as_slice(), size)?;
/// let mut session = Session::new("threads.xray", size, &head, &tail).expect("an XRay log");
/// read::session(&mut session, &mut file.as_slice(), |_| {})?;
/// println!("{} slices", session.store().slices());
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn session(session: &mut Session, file: &mut impl ReadAt, mut after: impl FnMut(&Session)) -> io::Result<()> {
    loop {
        match session.step(usize::MAX) {
            Step::Done | Step::Broken => return Ok(()),
            Step::More => {}
            Step::NeedsBytes => {
                let (at, len) = session.wants();
                let mut read = Ok(0);
                session.push_with(portion(len), |room| {
                    read = file.read_at(at, room);
                    *read.as_ref().unwrap_or(&0)
                });
                if read? == 0 {
                    session.end();
                }
            }
        }
        after(session);
    }
}

/// Prints the records of a part of a file. `write` receives the text in portions, with the part,
/// whose blobs it may take; `problem` each problem in the file.
///
/// # Errors
///
/// The outer error is that of the file or of `write`. The inner one says why decoding stopped; what
/// was printed before remains valid.
pub fn text(
    dump: &mut dyn TextDump,
    file: &mut impl ReadAt,
    mut write: impl FnMut(&str, &mut Part) -> io::Result<()>,
    mut problem: impl FnMut(unspool_trace::Problem),
) -> io::Result<Result<(), Error>> {
    let mut input = Input::default();
    let mut out = String::new();
    loop {
        let want = dump.want();
        match want {
            Want::Nothing => return Ok(Ok(())),
            Want::Seek { at, .. } if at != input.here() => input.seek(at),
            Want::Seek { .. } | Want::Next => {}
        }
        let mut result = dump.push(input.left(), &mut out).map(|progress| progress.used);
        input.consume(result.unwrap_or(0));
        if result == Ok(0) && out.is_empty() && dump.want() == want {
            let (at, len) = input.wants(want);
            let mut read = Ok(0);
            input.push_with(portion(len), |room| {
                read = file.read_at(at, room);
                *read.as_ref().unwrap_or(&0)
            });
            if read? == 0 {
                result = dump.end(input.left(), &mut out).map(|()| 0);
                input.clear();
            }
        }
        write(&out, dump.part())?;
        out.clear();
        dump.take_problems().into_iter().for_each(&mut problem);
        if let Err(error) = result {
            return Ok(Err(error));
        }
    }
}

/// Writes a part of a file as a file of its own. `write` receives it in portions.
///
/// # Errors
///
/// The outer error is that of the file or of `write`. The inner one says why decoding stopped; the
/// new file has what came before.
pub fn cut(
    cut: &mut dyn Cut,
    file: &mut impl ReadAt,
    mut write: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<Result<(), Error>> {
    let mut input = Input::default();
    let mut out = Vec::new();
    let mut ended = false;
    loop {
        let mut result = cut.push(input.left(), &mut out).map(|progress| progress.used);
        input.consume(result.unwrap_or(0));
        if result == Ok(0) && out.is_empty() && !cut.is_done() {
            let at = input.position();
            let mut read = Ok(0);
            input.push_with(PORTION, |room| {
                read = file.read_at(at, room);
                *read.as_ref().unwrap_or(&0)
            });
            ended = read? == 0;
        }
        if ended || cut.is_done() || result.is_err() {
            let end = cut.end(input.left(), &mut out);
            write(&out)?;
            result = result.and(end.map(|()| 0));
            return Ok(result.map(|_| ()));
        }
        write(&out)?;
        out.clear();
    }
}

/// Size of the next read, if `len` bytes are useful. 0 means no limit.
fn portion(len: u64) -> usize {
    if len == 0 { PORTION } else { usize::try_from(len).unwrap_or(PORTION).min(PORTION) }
}
