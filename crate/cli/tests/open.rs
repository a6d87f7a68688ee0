//! `unspool open`: what its server gives, and to whom. `tests/e2e/served.spec.ts` has the page.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

/// A server with a page of two files.
struct Server {
    child: Child,
    port: u16,
    token: String,
    _page: tempfile::TempDir,
}

/// An answer.
struct Answer {
    status: u16,
    /// In lower case.
    head: String,
    body: Vec<u8>,
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures").join(name)
}

impl Server {
    fn new(files: &[PathBuf]) -> Self {
        let page = tempfile::tempdir().unwrap();
        fs::create_dir(page.path().join("assets")).unwrap();
        fs::write(page.path().join("index.html"), "<!doctype html>").unwrap();
        fs::write(page.path().join("sw.js"), "self").unwrap();
        fs::write(page.path().join("unspool.webmanifest"), "{}").unwrap();
        fs::write(page.path().join("assets/one-123.js"), "1").unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_unspool"))
            .args(["open", "--no-browser", "--port", "0", "--page"])
            .arg(page.path())
            .args(files)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let (port, token) = line.trim().strip_prefix("http://localhost:").unwrap().split_once("/?open=").unwrap();
        Self { port: port.parse().unwrap(), token: token.into(), child, _page: page }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }

    /// The answer to bytes.
    fn answer(&self, request: &str) -> Answer {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).unwrap();
        let mut all = Vec::new();
        let _ = stream.read_to_end(&mut all);
        let at = all.windows(4).position(|it| it == b"\r\n\r\n").unwrap_or(all.len());
        let head = String::from_utf8_lossy(&all[..at]).to_lowercase().replace("\r\n", "\n");
        let status = head.get(9..12).and_then(|status| status.parse().ok()).unwrap_or(0);
        Answer { status, head, body: all.get(at + 4..).unwrap_or_default().to_vec() }
    }

    /// The answer to a request of a browser.
    fn get(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        let port = self.port;
        let more: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        self.answer(&format!("GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n{more}\r\n"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn server() -> (Server, Vec<u8>) {
    let path = fixture("xray/threads.xray");
    (Server::new(&[path.clone(), fixture("apitrace/scene.trace")]), fs::read(path).unwrap())
}

#[test]
fn it_serves_the_page_and_the_files_named_and_nothing_else() {
    let (server, bytes) = server();
    let token = &server.token;
    let page = server.get("/", &[]);
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
    assert_eq!(page.header("content-security-policy"), Some("frame-ancestors 'none'"));
    assert_eq!(server.get("/assets/one-123.js", &[]).body, b"1");
    let manifest = server.get("/unspool.webmanifest", &[]);
    assert_eq!((manifest.header("content-type"), &*manifest.body), (Some("application/manifest+json"), &b"{}"[..]));
    let list: Value = serde_json::from_slice(&server.get(&format!("/{token}/"), &[]).body).unwrap();
    assert_eq!((&list["files"][0]["name"], &list["files"][1]["name"]), (&"threads.xray".into(), &"scene.trace".into()));
    assert_eq!(list["files"][0]["size"], bytes.len());
    assert!(!list.to_string().contains("fixtures"), "no path is told");
    let whole = server.get(&format!("/{token}/0"), &[]);
    assert_eq!((whole.status, whole.body == bytes), (200, true));
    assert!(whole.header("access-control-allow-origin").is_none());
    assert_eq!(whole.header("cross-origin-resource-policy"), Some("same-origin"));

    let other = "0".repeat(32);
    let paths = [
        "/sw.js".into(),
        "/index.htm".into(),
        "/assets/".into(),
        "/assets".into(),
        "//".into(),
        "/0".into(),
        "//0".into(),
        format!("/{token}"),
        format!("/{other}/"),
        format!("/{other}/0"),
        format!("/{}/0", &token[1..]),
        format!("/{token}0/0"),
        format!("/{token}/2"),
        format!("/{token}/-1"),
        format!("/{token}/+1"),
        format!("/{token}/99999999999999999999999"),
        format!("/{token}/0/"),
        format!("/{token}//0"),
        format!("/{token}/threads.xray"),
        format!("/{token}/../{token}/0"),
        format!("/{token}/..%2f..%2fetc%2fpasswd"),
        format!("/{token}/%30"),
        format!("/{}%30/0", &token[..31]),
        "/../../../../../../etc/passwd".into(),
        "/%2e%2e/%2e%2e/%2e%2e/etc/passwd".into(),
        "/..%5c..%5cetc%5cpasswd".into(),
        "/etc/passwd".into(),
        "/assets/../index.html".into(),
        "/once/".into(),
        format!("/once/{token}"),
    ];
    for path in paths {
        let answer = server.get(&path, &[]);
        assert_eq!((answer.status, answer.body.as_slice()), (404, b"Nothing is here.\n".as_slice()), "{path}");
    }
}

#[test]
fn other_sites_and_other_names_of_this_computer_are_refused() {
    let (server, _) = server();
    let (port, token) = (server.port, &server.token);
    let with =
        |headers: &str| server.answer(&format!("GET /{token}/0 HTTP/1.1\r\nConnection: close\r\n{headers}\r\n")).status;
    for host in ["localhost", "127.0.0.1", "[::1]", "localhost:1", "127.0.0.1:65535"] {
        assert_eq!(with(&format!("Host: {host}\r\n")), 200, "{host}");
    }
    // What a browser sends after a name of another site was made to lead here.
    for host in ["evil.example", "localhost.evil.example", "0.0.0.0", "localhost:", "", "localhost, evil.example"] {
        assert_eq!(with(&format!("Host: {host}:{port}\r\n")), 403, "{host}");
    }
    assert_eq!(with(""), 403, "no host");
    assert_eq!(with("Host: localhost\r\nHost: evil.example\r\n"), 403, "two hosts");
    let own = format!("Host: localhost:{port}\r\n");
    assert_eq!(with(&format!("{own}Origin: http://localhost:{port}\r\n")), 200);
    for origin in ["https://evil.example", "null", "http://localhost:1", "http://evil.example:80", "file://", ""] {
        assert_eq!(with(&format!("{own}Origin: {origin}\r\n")), 403, "{origin}");
    }
    for (site, status) in [("same-origin", 200), ("none", 200), ("cross-site", 403), ("same-site", 403), ("x", 403)] {
        assert_eq!(with(&format!("{own}Sec-Fetch-Site: {site}\r\n")), status, "{site}");
    }
    // As for a proxy.
    let absolute = format!("GET http://evil.example/{token}/0 HTTP/1.1\r\nConnection: close\r\n{own}\r\n");
    assert_eq!(server.answer(&absolute).status, 403);
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "PROPFIND"] {
        let request = format!("{method} /{token}/0 HTTP/1.1\r\nConnection: close\r\n{own}Content-Length: 0\r\n\r\n");
        assert_eq!(server.answer(&request).status, 405, "{method}");
    }
}

#[test]
fn ranges_are_of_the_version_that_was_opened() {
    let (server, bytes) = server();
    let path = format!("/{}/0", server.token);
    let part = server.get(&path, &[("Range", "bytes=10-19")]);
    assert_eq!((part.status, part.body.as_slice()), (206, &bytes[10..20]));
    assert_eq!(part.header("content-range"), Some(format!("bytes 10-19/{}", bytes.len()).as_str()));
    assert_eq!(part.header("cache-control"), Some("no-store"));
    let tag = part.header("etag").unwrap();
    let size = bytes.len();
    for range in ["bytes=-7".to_string(), format!("bytes={}-{}", size - 7, size * 2)] {
        assert_eq!(server.get(&path, &[("Range", &range), ("If-Range", tag)]).body, &bytes[size - 7..], "{range}");
    }
    for range in [format!("bytes={size}-"), "bytes=5-4".into(), "bytes=0-1,3-4".into(), "bytes=a".into(), "0-1".into()]
    {
        let refused = server.get(&path, &[("Range", &range)]);
        assert_eq!((refused.status, refused.body.len()), (416, 0), "{range}");
        assert_eq!(refused.header("content-range"), Some(format!("bytes */{size}").as_str()));
    }
    assert_eq!(server.get(&path, &[("Range", "bytes=0-1"), ("Range", "bytes=0-2")]).status, 416);
    let other = server.get(&path, &[("Range", "bytes=10-19"), ("If-Range", "\"other\"")]);
    assert_eq!((other.status, other.body.len()), (200, size));
    let port = server.port;
    let head = server.answer(&format!("HEAD {path} HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n\r\n"));
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert_eq!(head.header("content-length"), Some(size.to_string().as_str()));
}

#[test]
fn a_file_that_changes_has_another_tag_and_one_that_goes_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.xray");
    fs::write(&file, vec![1; 3_000_000]).unwrap();
    let server = Server::new(std::slice::from_ref(&file));
    let path = format!("/{}/0", server.token);
    let whole = server.get(&path, &[]);
    assert_eq!((whole.status, whole.body.len()), (200, 3_000_000));
    let tag = whole.header("etag").unwrap();
    fs::write(&file, vec![2; 3_000_001]).unwrap();
    let now = server.get(&path, &[("Range", "bytes=0-0"), ("If-Range", tag)]);
    assert_eq!((now.status, now.body.len()), (200, 3_000_001));
    fs::remove_file(&file).unwrap();
    assert_eq!(server.get(&path, &[]).status, 410);
    assert_eq!(server.get(&format!("/{}/", server.token), &[]).status, 410);
}

#[cfg(unix)]
#[test]
fn a_name_that_leads_to_something_else_is_said_and_blocks_nobody() {
    use std::os::unix::fs::symlink;
    use std::path::Path;
    let folder = tempfile::tempdir().unwrap();
    let [file, secret, link] = ["run.xray", "secret", "link.xray"].map(|name| folder.path().join(name));
    fs::write(&file, "trace").unwrap();
    fs::write(&secret, "secret").unwrap();
    symlink(&file, &link).unwrap();
    // A link that is named is followed then, and never again.
    let server = Server::new(&[file.clone(), link.clone()]);
    let answers = || [0, 1].map(|number| server.get(&format!("/{}/{number}", server.token), &[]));
    assert!(answers().iter().all(|answer| answer.body == b"trace"));
    let make_pipe = |path: &Path| assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    let others: [&dyn Fn(&Path); 4] =
        [&|path| symlink(&secret, path).unwrap(), &|path| fs::create_dir(path).unwrap(), &make_pipe, &|path| {
            fs::write(path, "secret").unwrap()
        }];
    for (number, make) in others.iter().enumerate() {
        fs::rename(&file, folder.path().join(format!("old {number}"))).unwrap();
        make(&file);
        for answer in answers() {
            assert_eq!(answer.status, 410);
            assert!(String::from_utf8_lossy(&answer.body).contains("no longer the file that was named"));
        }
        assert_eq!(server.get(&format!("/{}/", server.token), &[]).status, 410);
    }
    // Its old name leads to the file again.
    fs::remove_file(&file).unwrap();
    fs::rename(folder.path().join("old 0"), &file).unwrap();
    assert!(answers().iter().all(|answer| answer.body == b"trace"));
    fs::remove_file(&link).unwrap();
    symlink(&secret, &link).unwrap();
    assert!(answers().iter().all(|answer| answer.body == b"trace"), "the link was followed at the beginning");
}

#[test]
fn no_request_ends_it() {
    let (server, bytes) = server();
    let port = server.port;
    let path = format!("/{}/0", server.token);
    let whole = format!(
        "GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\nRange: bytes=0-9\r\nIf-Range: \"1\"\r\nConnection: close\r\n\r\n"
    );
    let mut seed = 1_u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    for _ in 0..500 {
        let mut request = whole.clone().into_bytes();
        for _ in 0..=random(4) {
            let at = random(request.len().max(1));
            if request.is_empty() {
                break;
            }
            match random(4) {
                0 => request[at] = random(256) as u8,
                1 => drop(request.remove(at)),
                2 => request.insert(at, b"/%.:\r\n\0 -,"[random(10)]),
                _ => request.truncate(at),
            }
        }
        let mut stream = server.connect();
        let _ = stream.write_all(&request);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let _ = stream.read_to_end(&mut Vec::new());
    }
    assert_eq!(server.get(&path, &[]).body, bytes);
}

/// Runs a program as another user, where the tests may.
#[cfg(target_os = "linux")]
fn as_another_user(program: &str, arguments: &[&str]) -> Option<Child> {
    use std::os::unix::process::CommandExt;
    let is_root = String::from_utf8_lossy(&Command::new("id").arg("-u").output().ok()?.stdout).trim() == "0";
    if !is_root {
        return None;
    }
    Command::new(program)
        .args(arguments)
        .uid(65_534)
        .gid(65_534)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_browser_is_started_with_is_of_no_use_to_other_users() {
    use std::os::unix::fs::PermissionsExt;
    // A browser that takes its time.
    let bin = tempfile::tempdir().unwrap();
    let seen = bin.path().join("seen");
    let browser = bin.path().join("xdg-open");
    fs::write(&browser, format!("#!/bin/sh\nsleep 2\ncat \"$1\" > {0}.new; mv {0}.new {0}\n", seen.display())).unwrap();
    fs::set_permissions(&browser, fs::Permissions::from_mode(0o755)).unwrap();
    // All command lines, and what they name, for three seconds.
    let poll = "end=$(($(date +%s) + 4)); while [ $(date +%s) -lt $end ]; do \
                for it in /proc/[0-9]*/cmdline; do tr '\\0' '\\n' < $it; done; \
                cat /tmp/*/open-*.html; done 2>/dev/null";
    let Some(other) = as_another_user("sh", &["-c", poll]) else {
        eprintln!("Left out: only root can poll as another user.");
        return;
    };
    let page = tempfile::tempdir().unwrap();
    fs::write(page.path().join("index.html"), "<!doctype html>").unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut child = Command::new(env!("CARGO_BIN_EXE_unspool"))
        .args(["open", "--port", "0", "--page"])
        .arg(page.path())
        .arg(fixture("xray/threads.xray"))
        .env("PATH", format!("{}:{path}", bin.path().display()))
        .env("DISPLAY", ":0")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let polled = other.wait_with_output().unwrap();
    for _ in 0..600 {
        if seen.exists() {
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    let led = fs::read_to_string(&seen).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(led.contains(&format!("url={}\"", line.trim())), "the browser comes to the page: {led}");
    let polled = String::from_utf8_lossy(&polled.stdout);
    assert!(polled.contains("xdg-open"), "the browser was seen");
    let token = line.trim().rsplit('=').next().unwrap();
    assert!(token.len() == 32 && !polled.contains(token) && !polled.contains("http://localhost"));
}

#[test]
fn a_thousand_connections_that_say_nothing_do_not_hold_up_others() {
    let (server, bytes) = server();
    // A test has 1,024 files on many systems, and so has the server.
    let silent: Vec<TcpStream> = (0..900).map(|_| server.connect()).collect();
    let mut slow = server.connect();
    slow.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ").unwrap();
    assert_eq!(server.get(&format!("/{}/0", server.token), &[]).body, bytes);
    drop(silent);
    for _ in 0..1000 {
        assert_eq!(server.get("/", &[]).status, 200);
    }
    // A head without an end is cut off.
    let mut endless = server.connect();
    let _ = endless.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n");
    let line = format!("X: {}\r\n", "x".repeat(8000));
    let written = (0..1000).take_while(|_| endless.write_all(line.as_bytes()).is_ok()).count();
    assert!(written < 1000, "8 MB of headers were read");
}

#[cfg(unix)]
#[test]
fn it_ends_on_an_interrupt_also_while_a_tab_is_open() {
    let (mut server, _) = server();
    let mut tab = server.connect();
    let port = server.port;
    write!(tab, "GET /{}/alive HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n", server.token).unwrap();
    let mut beat = String::new();
    BufReader::new(tab).read_line(&mut beat).unwrap();
    assert_eq!(beat, "HTTP/1.1 200 OK\r\n");
    assert!(Command::new("kill").args(["-INT", &server.child.id().to_string()]).status().unwrap().success());
    assert_eq!(server.child.wait().unwrap().code(), Some(130));
}

#[test]
fn what_cannot_be_opened_is_refused_in_a_sentence() {
    let said = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_unspool")).arg("open").args(args).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let file = fixture("xray/threads.xray").display().to_string();
    let folder = fixture("xray").display().to_string();
    if cfg!(not(feature = "page")) {
        assert!(said(&[&file]).contains("built without the page"));
    }
    assert!(said(&[&file, "--page", &folder]).contains("no built page"));
    let page = tempfile::tempdir().unwrap();
    fs::write(page.path().join("index.html"), "").unwrap();
    let page = page.path().display().to_string();
    assert!(said(&["/no/such.xray", "--page", &page]).contains("/no/such.xray"));
    assert!(said(&[&folder, "--page", &page]).contains("not a file"));
    assert!(said(&[&file, "--compare", "--page", &page]).contains("two traces"));
    let (server, _) = server();
    let port = server.port.to_string();
    assert!(said(&[&file, "--page", &page, "--port", &port]).contains("is in use"));
}

#[test]
fn a_file_that_is_followed_is_the_same_while_it_grows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("growing.xray");
    fs::write(&path, [1; 10]).unwrap();
    let server = Server::new(&["--follow".into(), path.clone()]);
    let token = &server.token;
    let listed = || -> Value { serde_json::from_slice(&server.get(&format!("/{token}/"), &[]).body).unwrap() };
    let before = listed();
    assert_eq!((&before["follow"], &before["files"][0]["size"]), (&true.into(), &10.into()));
    fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(&[2; 5]).unwrap();
    let after = listed();
    assert_eq!(after["files"][0]["size"], 15);
    let tag = after["files"][0]["tag"].as_str().unwrap();
    assert_eq!(before["files"][0]["tag"], tag);
    let rest = server.get(&format!("/{token}/0"), &[("Range", "bytes=10-14"), ("If-Range", tag)]);
    assert_eq!((rest.status, rest.body), (206, vec![2; 5]));

    fs::remove_file(&path).unwrap();
    assert_eq!((&listed()["files"][0]["size"], &listed()["files"][0]["tag"]), (&0.into(), &"".into()));
    assert_eq!(server.get(&format!("/{token}/0"), &[]).status, 410);
}
