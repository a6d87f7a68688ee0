//! `unspool open`: the page, and the files that it is to show, from a server on this computer.
//!
//! Browsers reach the server at the loopback address only. What another program, user or web page
//! could do with it is limited in `site.rs`: only the files named are served, below a random token,
//! and only to pages of the server itself.

mod assets;
mod content;
mod site;

use std::io::{self, IsTerminal, Write};
use std::net::{Ipv4Addr, Ipv6Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use hyper_util::rt::{TokioIo, TokioTimer};
use tempfile::NamedTempFile;
use tokio::net;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use crate::{Failure, console, scratch};
use assets::Assets;
use site::Site;

/// The port is a part of the origin under which a browser keeps notes and settings.
const PORT: u16 = 8677;
/// How long the server outlives the last tab: a tab that is reloaded is gone for less.
const LINGER: Duration = Duration::from_secs(10);
/// How long a connection may take to send a request, or stay without one.
const IDLE: Duration = Duration::from_secs(10);
/// The pause after a connection that the system does not accept, as when it has no more file
/// handles.
const REFUSED: Duration = Duration::from_millis(100);
/// Most bytes of a request: browsers send less than 2 KB.
const LONGEST_HEAD: usize = 16 << 10;

/// Opens traces in the browser, in the page that this command contains.
///
/// Prints the address and opens it in the browser. Ends on Ctrl+C, or ten seconds after the last tab
/// is closed. Only the files named are served, read-only, to browsers on this computer that know the
/// address. The page reads only the parts that it needs, so a large trace on another computer can be
/// viewed without copying it:
///
///     ssh -L 8677:localhost:8677 HOST unspool open --no-browser big.xray
///
/// Several files are opened as if they were dropped on the page together: a trace and the programs
/// and names that belong to it, or two traces to compare.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Open {
    /// Traces, and the files that belong to them.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Compare the second trace with the first, in this order.
    #[arg(long)]
    compare: bool,
    /// Read on while the files are being written. Of a database, name its `-wal` file, too.
    #[arg(long)]
    follow: bool,
    /// Port to listen on; 0 for any free port. Browsers keep notes and settings for each port.
    #[arg(long, default_value_t = PORT)]
    port: u16,
    /// Print the address, and do not open a browser.
    #[arg(long)]
    no_browser: bool,
    /// Folder with a built page to serve instead of the one in this command.
    #[arg(long, value_name = "FOLDER")]
    page: Option<PathBuf>,
}

pub(crate) fn run(what: &Open) -> Result<(), Failure> {
    let assets = match &what.page {
        Some(folder) => Assets::read(folder)?,
        None => Assets::built_in().ok_or_else(|| {
            Failure::usage(
                "This unspool was built without the page. `npm run release` makes one that does; \
                 --page FOLDER serves a built page from a folder.",
            )
        })?,
    };
    if what.compare && what.files.len() < 2 {
        return Err(Failure::usage("--compare needs two traces."));
    }
    let site = Site::new(&what.files, what.compare, what.follow, assets)?;
    let listeners = listen(what.port)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let served = runtime.and_then(|runtime| {
        // One thread answers: the browser of one user asks, and files are read on others.
        runtime.block_on(async {
            let port = listeners.first().map_or(Ok(what.port), |it| it.local_addr().map(|address| address.port()))?;
            let address = format!("http://localhost:{port}{}", site.entrance());
            let _door = announce(port, &address, what.no_browser)?;
            serve(listeners, site).await
        })
    });
    served.map_err(|error| Failure::new(format!("The server failed: {error}.")))
}

/// Listens at both loopback addresses: browsers try either for `localhost`, and another program
/// must not be able to take the other one and hear the token.
fn listen(port: u16) -> Result<Vec<TcpListener>, Failure> {
    let failed = |error: &io::Error| {
        if error.kind() != io::ErrorKind::AddrInUse {
            return Failure::new(format!("Cannot listen on port {port}: {error}."));
        }
        Failure::new(format!(
            "Port {port} is in use, perhaps by another `unspool open`. End that, or choose a port with --port; \
             the browser keeps notes and settings for each port."
        ))
    };
    let first = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| failed(&error))?;
    let port = first.local_addr().map_err(|error| failed(&error))?.port();
    match TcpListener::bind((Ipv6Addr::LOCALHOST, port)) {
        Ok(second) => Ok(vec![first, second]),
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => Err(failed(&error)),
        // This computer has no IPv6.
        Err(_) => Ok(vec![first]),
    }
}

/// Prints the address, and opens it by a file that leads there, which is returned.
fn announce(port: u16, address: &str, no_browser: bool) -> io::Result<Option<NamedTempFile>> {
    let mut out = io::stdout().lock();
    writeln!(out, "{address}")?;
    out.flush()?;
    if io::stderr().is_terminal() {
        console::say("Ctrl+C ends it, or closing the last tab.");
        if std::env::var_os("SSH_CONNECTION").is_some() {
            console::say(format_args!("From the other computer: ssh -L {port}:localhost:{port} HOST"));
        }
    }
    if no_browser {
        return Ok(None);
    }
    let door = door_to(address)?;
    if !browse(door.path()) {
        console::say("No browser was found. Open the address in one.");
    }
    Ok(Some(door))
}

/// A file that leads a browser to an address. Lists of processes show all users of the computer
/// what a browser is started with. The file tells them nothing: only its owner can read it, and
/// look into its folder.
fn door_to(address: &str) -> io::Result<NamedTempFile> {
    let mut door = scratch::temporary_named("open-", ".html")?;
    write!(
        door,
        "<!doctype html>\n<meta charset=\"utf-8\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>Unspool</title>\n<meta http-equiv=\"refresh\" content=\"0; url={address}\">\n\
         <a href=\"{address}\">Unspool</a>\n"
    )?;
    door.flush()?;
    Ok(door)
}

/// Opens a file in the user's browser. Returns false if there is none.
fn browse(file: &Path) -> bool {
    let mut command = if cfg!(target_os = "macos") {
        Command::new("open")
    } else if cfg!(windows) {
        let mut command = Command::new("rundll32");
        command.arg("url.dll,FileProtocolHandler");
        command
    } else if ["DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"].iter().any(|name| std::env::var_os(name).is_some()) {
        Command::new("xdg-open")
    } else {
        // Without a display xdg-open starts a browser in the terminal.
        return false;
    };
    command.arg(file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().is_ok()
}

/// Serves until the last tab is gone.
async fn serve(listeners: Vec<TcpListener>, site: Site) -> io::Result<()> {
    let site = Arc::new(site);
    for listener in listeners {
        listener.set_nonblocking(true)?;
        tokio::spawn(accept(net::TcpListener::from_std(listener)?, site.clone()));
    }
    gone(site.tabs()).await;
    Ok(())
}

/// Answers all connections of a listener.
async fn accept(listener: net::TcpListener, site: Arc<Site>) {
    let mut server = hyper::server::conn::http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(IDLE).max_buf_size(LONGEST_HEAD);
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            sleep(REFUSED).await;
            continue;
        };
        // Heads and short bodies are written at once, so nothing is gained by waiting for more.
        let _ = stream.set_nodelay(true);
        let site = site.clone();
        let answer = hyper::service::service_fn(move |request| {
            let answer = site.answer(&request);
            async move { Ok::<_, std::convert::Infallible>(answer) }
        });
        // A connection that breaks is of no interest to the others.
        let connection = server.serve_connection(TokioIo::new(stream), answer);
        tokio::spawn(async { drop(connection.await) });
    }
}

/// Resolves when there have been tabs, and none for a while. Waits for the first one.
async fn gone(mut tabs: watch::Receiver<usize>) {
    let _ = tabs.wait_for(|open| *open > 0).await;
    loop {
        let _ = tabs.wait_for(|open| *open == 0).await;
        if timeout(LINGER, tabs.wait_for(|open| *open > 0)).await.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn it_ends_ten_seconds_after_the_last_tab_and_not_on_a_reload() {
        let (tabs, open) = watch::channel(0_usize);
        let end = tokio::spawn(gone(open));
        sleep(Duration::from_secs(3600)).await;
        assert!(!end.is_finished(), "it waits for the first tab");
        for _ in 0..3 {
            tabs.send_replace(1);
            sleep(Duration::from_secs(3600)).await;
            // As long as it takes to load again.
            tabs.send_replace(0);
            sleep(Duration::from_secs(9)).await;
            assert!(!end.is_finished(), "the tab may be on its way");
        }
        sleep(Duration::from_secs(2)).await;
        assert!(end.is_finished());
    }
}
