//! What the server answers, and to whom.
//!
//! | path | answer |
//! |---|---|
//! | `/`, `/assets/…` | the page, which is public |
//! | `/TOKEN/` | names and sizes of the files named, as JSON |
//! | `/TOKEN/3` | the fourth file, or a range of it |
//! | `/TOKEN/alive` | a byte every three seconds, for as long as the tab is open |
//!
//! A path is looked up as it is: nothing of it becomes a path of the computer. A file is served as
//! long as its name still leads to the file that was named. A page of another site cannot read an
//! answer, since none allows it (CORS), nor by a name of its own for this computer (DNS rebinding),
//! since `Host` must be a loopback name. `Origin` and `Sec-Fetch-Site` keep it from asking at all.

use std::fs::{self, File, Metadata};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use hyper::body::Bytes;
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::http::response::Builder;
use hyper::{HeaderMap, Method, Request, Response, StatusCode};
use same_file::Handle;
use serde::Serialize;
use tokio::sync::watch;

use super::assets::{Asset, Assets};
use super::content::{Beats, Content, Part};
use crate::Failure;

/// What one run of the command serves.
pub(super) struct Site {
    /// 32 hexadecimal digits.
    token: String,
    files: Vec<Named>,
    compare: bool,
    /// The files are being written.
    follow: bool,
    assets: Assets,
    tabs: watch::Sender<usize>,
}

/// A file that was named.
struct Named {
    path: PathBuf,
    name: String,
    /// The file itself, which stays the same whatever its name leads to later.
    handle: Handle,
}

impl Named {
    /// Opens a file that is to be served.
    fn new(given: &Path) -> io::Result<Self> {
        // Another directory at the same relative path does not become another file, and a link is
        // followed once.
        let path = fs::canonicalize(given)?;
        let (file, _) = open_regular(&path)?;
        let name = given.file_name().or(path.file_name());
        let name = name.map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        Ok(Self { path, name, handle: Handle::from_file(file)? })
    }

    /// The file that was named, opened again. One that is followed may come and go by its name: a
    /// log that begins again, a write-ahead log.
    fn open(&self, follow: bool) -> Result<(File, Metadata), Refusal> {
        let opened = open_regular(&self.path).ok().filter(|(file, _)| {
            let now = file.try_clone().and_then(Handle::from_file);
            follow || now.is_ok_and(|now| now == self.handle)
        });
        opened.ok_or_else(|| Refusal {
            status: StatusCode::GONE,
            sentence: format!(
                "{} is no longer the file that was named, or cannot be read any more. Run unspool open again.",
                self.name
            ),
        })
    }
}

/// Opens a regular file, and neither waits for the other end of a pipe nor follows a link.
fn open_regular(path: &Path) -> io::Result<(File, Metadata)> {
    let mut options = File::options();
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        let flags = OFlags::NONBLOCK | OFlags::NOFOLLOW;
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits().cast_signed());
    }
    let file = options.read(true).open(path)?;
    let found = file.metadata()?;
    let is_file = found.is_file() && fs::symlink_metadata(path)?.is_file();
    if is_file { Ok((file, found)) } else { Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a file")) }
}

/// A request that is not answered with what it asks for.
struct Refusal {
    status: StatusCode,
    sentence: String,
}

impl From<StatusCode> for Refusal {
    fn from(status: StatusCode) -> Self {
        let sentence =
            if status == StatusCode::FORBIDDEN { "Only for pages of this server." } else { "Nothing is here." };
        Self { status, sentence: sentence.into() }
    }
}

/// What the page learns of the files.
#[derive(Serialize)]
struct List<'a> {
    compare: bool,
    follow: bool,
    files: Vec<Listed<'a>>,
}

#[derive(Serialize)]
struct Listed<'a> {
    name: &'a str,
    size: u64,
    /// Empty if there is no such file any more, while files are followed.
    tag: String,
    /// Milliseconds since 1970.
    modified: u64,
}

impl Site {
    /// Fails for what is not a file, and for a file that cannot be read.
    pub(super) fn new(paths: &[PathBuf], compare: bool, follow: bool, assets: Assets) -> Result<Self, Failure> {
        let mut files = Vec::new();
        for path in paths {
            let failed = |error: io::Error| Failure::io(path.display(), &error);
            if !fs::metadata(path).map_err(failed)?.is_file() {
                return Err(Failure::usage(format!("{}: not a file.", path.display())));
            }
            files.push(Named::new(path).map_err(failed)?);
        }
        let token = random_digits();
        let token = token.map_err(|error| Failure::new(format!("The system has no random numbers: {error}.")))?;
        Ok(Self { token, files, compare, follow, assets, tabs: watch::Sender::new(0) })
    }

    /// Where the page finds its files.
    pub(super) fn entrance(&self) -> String {
        format!("/?open={}", self.token)
    }

    /// The number of tabs that are open.
    pub(super) fn tabs(&self) -> watch::Receiver<usize> {
        self.tabs.subscribe()
    }

    /// Answers a request.
    pub(super) fn answer<T>(&self, request: &Request<T>) -> Response<Content> {
        let answered = self.admit(request).and_then(|()| self.look_up(request));
        let mut response = answered.unwrap_or_else(|Refusal { status, sentence }| {
            let mut response = Response::new(Content::from(Bytes::from(sentence + "\n")));
            *response.status_mut() = status;
            response
        });
        let headers = response.headers_mut();
        for (name, value) in SAFETY {
            headers.insert(name, HeaderValue::from_static(value));
        }
        if request.method() == Method::HEAD {
            // hyper leaves the length of the body that there would be.
            let length = hyper::body::Body::size_hint(response.body()).exact();
            if let Some(length) = length {
                response.headers_mut().insert(header::CONTENT_LENGTH, length.into());
            }
            *response.body_mut() = Content::empty();
        }
        response
    }

    /// Refuses requests of other sites, and those that reached this computer by another name.
    fn admit<T>(&self, request: &Request<T>) -> Result<(), Refusal> {
        if ![Method::GET, Method::HEAD].contains(request.method()) {
            return Err(StatusCode::METHOD_NOT_ALLOWED.into());
        }
        let host = only(request.headers(), &header::HOST).filter(|host| is_loopback(host));
        let host = host.ok_or(StatusCode::FORBIDDEN)?;
        // A request to a proxy names the host twice.
        if request.uri().authority().is_some_and(|authority| authority.as_str() != host) {
            return Err(StatusCode::FORBIDDEN.into());
        }
        if request.headers().contains_key(header::ORIGIN) {
            let origin = only(request.headers(), &header::ORIGIN);
            if origin.and_then(|origin| origin.strip_prefix("http://")) != Some(host) {
                return Err(StatusCode::FORBIDDEN.into());
            }
        }
        Ok(())
    }

    fn look_up<T>(&self, request: &Request<T>) -> Result<Response<Content>, Refusal> {
        let path = request.uri().path().strip_prefix('/').ok_or(StatusCode::NOT_FOUND)?;
        let Some((first, rest)) = path.split_once('/') else { return self.asset(path, request) };
        if !is_same(first, &self.token) {
            return self.asset(path, request);
        }
        // Other sites may link to the page, but not to what only the page reads.
        let site = request.headers().get("sec-fetch-site").map(HeaderValue::as_bytes);
        if !matches!(site, None | Some(b"same-origin" | b"none")) {
            return Err(StatusCode::FORBIDDEN.into());
        }
        match rest {
            "" => self.list(),
            "alive" => {
                let kind = (header::CONTENT_TYPE, "application/octet-stream");
                respond(fresh().header(kind.0, kind.1), Content::Beats(Beats::new(&self.tabs)))
            }
            number => self.file(number, request.headers()),
        }
    }

    fn asset<T>(&self, path: &str, request: &Request<T>) -> Result<Response<Content>, Refusal> {
        let asset = self.assets.at(path).ok_or(StatusCode::NOT_FOUND)?;
        let Asset { kind, is_hashed, is_deflated, bytes } = asset;
        let kept = if *is_hashed { "private, max-age=31536000, immutable" } else { "no-cache" };
        let answer = Response::builder().header(header::CONTENT_TYPE, *kind).header(header::CACHE_CONTROL, kept);
        if !is_deflated {
            return respond(answer, bytes.clone().into());
        }
        let answer = answer.header(header::VARY, "accept-encoding");
        let accepts = request.headers().get(header::ACCEPT_ENCODING).and_then(|it| it.to_str().ok()).unwrap_or("");
        if accepts.split(',').any(|coding| coding.trim() == "deflate") {
            return respond(answer.header(header::CONTENT_ENCODING, "deflate"), bytes.clone().into());
        }
        respond(answer, Bytes::from(asset.inflated().into_owned()).into())
    }

    fn list<'a>(&'a self) -> Result<Response<Content>, Refusal> {
        let listed = |named: &'a Named| {
            let name = &named.name;
            match named.open(self.follow) {
                Ok((_, found)) => {
                    let (size, modified) = (found.len(), modified(&found, 1_000_000));
                    Ok(Listed { name, size, tag: self.tag_of(&found), modified })
                }
                // A log may be on its way to another name, and a database has no write-ahead log
                // now and then.
                Err(_) if self.follow => Ok(Listed { name, size: 0, tag: String::new(), modified: 0 }),
                Err(refusal) => Err(refusal),
            }
        };
        let files = self.files.iter().map(listed).collect::<Result<Vec<_>, Refusal>>()?;
        let list = List { compare: self.compare, follow: self.follow, files };
        let text = serde_json::to_vec(&list).map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
        respond(fresh().header(header::CONTENT_TYPE, "application/json"), Bytes::from(text).into())
    }

    fn file(&self, number: &str, headers: &HeaderMap) -> Result<Response<Content>, Refusal> {
        let is_number = number.bytes().all(|digit| digit.is_ascii_digit());
        let number: usize = number.parse().ok().filter(|_| is_number).ok_or(StatusCode::NOT_FOUND)?;
        let named = self.files.get(number).ok_or(StatusCode::NOT_FOUND)?;
        let (file, found) = named.open(self.follow)?;
        let (size, tag) = (found.len(), self.tag_of(&found));
        let answer = fresh()
            .header(header::CONTENT_TYPE, "application/octet-stream")
            .header(header::ACCEPT_RANGES, "bytes")
            .header(header::ETAG, &tag);
        // The range of another version of the file is of no use: all of it is then the answer.
        let is_current = only(headers, &header::IF_RANGE).is_none_or(|version| version == tag);
        let asked = headers.contains_key(header::RANGE) && is_current;
        let range = if asked { range_in(only(headers, &header::RANGE), size) } else { Asked::Whole };
        let (answer, range) = match range {
            Asked::Whole => (answer, 0..size),
            Asked::Part(range) => {
                let part = format!("bytes {}-{}/{size}", range.start, range.end - 1);
                (answer.status(StatusCode::PARTIAL_CONTENT).header(header::CONTENT_RANGE, part), range)
            }
            Asked::Nothing => {
                let none = answer.status(StatusCode::RANGE_NOT_SATISFIABLE);
                return respond(none.header(header::CONTENT_RANGE, format!("bytes */{size}")), Content::empty());
            }
        };
        let part = Part::new(file, range.start, range.end - range.start).map_err(|_| StatusCode::GONE)?;
        respond(answer, Content::Part(part))
    }

    /// What differs between versions of a file, as an `ETag`. A file that is followed is the same
    /// while it grows, and the page looks at its bytes.
    fn tag_of(&self, found: &Metadata) -> String {
        #[cfg(unix)]
        let number = std::os::unix::fs::MetadataExt::ino(found);
        #[cfg(not(unix))]
        let number = 0_u64;
        if self.follow {
            return format!("\"{number:x}\"");
        }
        format!("\"{:x}-{number:x}-{:x}\"", found.len(), modified(found, 1))
    }
}

/// Headers of all answers. No other page may embed this one, or read what is served.
const SAFETY: [(HeaderName, &str); 5] = [
    (header::CONTENT_SECURITY_POLICY, "frame-ancestors 'none'"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
];

/// An answer that browsers do not keep.
fn fresh() -> Builder {
    Response::builder().header(header::CACHE_CONTROL, "no-store")
}

fn respond(answer: Builder, content: Content) -> Result<Response<Content>, Refusal> {
    answer.body(content).map_err(|_| StatusCode::INTERNAL_SERVER_ERROR.into())
}

/// The value of a header that is there once.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next().filter(|_| values.next().is_none())?;
    value.to_str().ok()
}

/// Whether a host is this computer, by a name that is so everywhere. With any port: a tunnel has
/// its own.
fn is_loopback(host: &str) -> bool {
    let rest = ["localhost", "127.0.0.1", "[::1]"].iter().find_map(|name| host.strip_prefix(name));
    rest.is_some_and(|rest| {
        let port = rest.strip_prefix(':');
        rest.is_empty() || port.is_some_and(|port| !port.is_empty() && port.bytes().all(|it| it.is_ascii_digit()))
    })
}

/// Compares a secret in a time that does not depend on how much of it is right.
fn is_same(given: &str, secret: &str) -> bool {
    let differences = given.bytes().zip(secret.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b));
    given.len() == secret.len() && differences == 0
}

fn random_digits() -> Result<String, getrandom::Error> {
    Ok(format!("{:016x}{:016x}", getrandom::u64()?, getrandom::u64()?))
}

/// When a file was last written, since 1970; 0 if that is unknown. `unit` is in nanoseconds.
fn modified(found: &Metadata, unit: u128) -> u64 {
    let since = found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since.and_then(|since| u64::try_from(since.as_nanos() / unit).ok()).unwrap_or(0)
}

/// What a `Range` asks for.
#[derive(Debug, PartialEq, Eq)]
enum Asked {
    Whole,
    /// Not empty, and within the file.
    Part(Range<u64>),
    /// Nothing of it is in the file, or it is malformed.
    Nothing,
}

/// Parses a `Range` of a file of `size` bytes (RFC 9110, section 14.2). `None` stands for a
/// malformed one. Several ranges at once are not offered.
fn range_in(value: Option<&str>, size: u64) -> Asked {
    let Some((unit, set)) = value.and_then(|value| value.split_once('=')) else { return Asked::Nothing };
    if !unit.eq_ignore_ascii_case("bytes") {
        // "A recipient … MUST ignore a Range header field that contains a range unit it does not
        // understand."
        return Asked::Whole;
    }
    // More digits than fit are beyond any file.
    let number = |text: &str| {
        let is_number = !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
        is_number.then(|| text.parse().unwrap_or(u64::MAX))
    };
    let Some((first, last)) = set.trim().split_once('-') else { return Asked::Nothing };
    let range = match (first.is_empty(), number(first), last.is_empty(), number(last)) {
        (true, _, _, Some(length)) => size.saturating_sub(length)..size,
        (_, Some(from), true, _) => from..size,
        (_, Some(from), _, Some(to)) if from <= to => from..size.min(to.saturating_add(1)),
        _ => return Asked::Nothing,
    };
    if range.is_empty() { Asked::Nothing } else { Asked::Part(range) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_within_the_file_or_refused() {
        let asked = |value| range_in(Some(value), 1000);
        for (value, range) in [
            ("bytes=0-0", 0..1),
            ("bytes=0-", 0..1000),
            ("bytes=999-", 999..1000),
            ("bytes=10-1000000", 10..1000),
            ("bytes=10-99999999999999999999999999", 10..1000),
            ("bytes=-1", 999..1000),
            ("bytes=-5000", 0..1000),
            ("BYTES= 1-2", 1..3),
        ] {
            assert_eq!(asked(value), Asked::Part(range), "{value}");
        }
        for value in [
            "bytes=1000-",
            "bytes=1000-2000",
            "bytes=99999999999999999999999999-",
            "bytes=-0",
            "bytes=2-1",
            "bytes=",
            "bytes=-",
            "bytes=a-b",
            "bytes=+1-2",
            "bytes=0x1-2",
            "bytes=1--2",
            "bytes=1-2-3",
            "bytes=0-1,5-6",
            "bytes",
            "",
        ] {
            assert_eq!(asked(value), Asked::Nothing, "{value}");
        }
        assert_eq!(asked("lines=1-2"), Asked::Whole);
        assert_eq!(range_in(None, 1000), Asked::Nothing);
        assert_eq!(range_in(Some("bytes=0-"), 0), Asked::Nothing);
    }

    #[test]
    fn a_host_is_a_loopback_name_with_any_port() {
        for host in ["localhost", "localhost:8677", "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:65535"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in [
            "",
            "localhost:",
            "localhost:80a",
            "localhost.evil.example",
            "localhost.",
            "evil.example",
            "evil.example:8677",
            "127.0.0.1.evil.example",
            "127.0.0.2",
            "0.0.0.0",
            "::1",
            "[::1].evil.example",
            "localhost@evil.example",
            "user@localhost",
        ] {
            assert!(!is_loopback(host), "{host}");
        }
    }

    #[test]
    fn secrets_are_equal_or_not() {
        let one = random_digits().unwrap();
        assert_eq!(one.len(), 32);
        assert_ne!(one, random_digits().unwrap());
        assert!(
            is_same(&one, &one)
                && one.get(1..).is_some_and(|rest| !is_same(rest, &one))
                && !is_same("", &one)
                && !is_same(&one, "")
        );
    }
}
