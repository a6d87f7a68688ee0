//! The process that reads traces and answers questions about them, and the server's side of it. The
//! server reads no trace itself, so it can end whatever takes too long, and goes on without it.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use clap::Parser;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::tools;
use super::traces::{MOST_OPEN, Traces, late, temporary};
use crate::interrupt::{self, Started};
use crate::{Failure, progress, scratch};

/// The word that stands in place of a command.
pub(crate) const NAME: &str = "mcp-worker";
/// Time that a question has to end once it was stopped. After it, the process is ended.
const PATIENCE: Duration = Duration::from_secs(1);

/// Answers questions on standard input, one a line, until that ends.
#[derive(clap::Parser)]
struct Questions {
    /// Directories whose traces may be read.
    #[arg(required = true)]
    roots: Vec<PathBuf>,
    /// Seconds after which a question is stopped.
    #[arg(long)]
    timeout: u64,
}

/// Answers with the arguments of the process. Returns its exit status.
pub(crate) fn main(args: &[OsString]) -> ExitCode {
    let what = Questions::parse_from(args.iter().skip(1));
    progress::hide_all();
    let (sent, lines) = mpsc::channel();
    thread::spawn(move || {
        for line in io::stdin().lock().lines().map_while(Result::ok) {
            let _ = sent.send(line);
        }
        // The server has ended, and wants no answer.
        interrupt::end();
    });
    let mut traces = Traces::of(what.roots, Duration::from_secs(what.timeout));
    let mut out = io::stdout().lock();
    for line in lines {
        let message: Value = serde_json::from_str(&line).unwrap_or_default();
        if let Some(earlier) = message.get("earlier").and_then(Value::as_array) {
            earlier.iter().for_each(|args| tools::recall(&mut traces, args));
            continue;
        }
        let name = message.get("name").and_then(Value::as_str).unwrap_or_default();
        let args = message.get("arguments").unwrap_or(&Value::Null);
        // An empty line first: the question was begun.
        let begun = writeln!(out).and_then(|()| out.flush());
        let answer = tools::call(&mut traces, name, args);
        if begun.and_then(|()| writeln!(out, "{answer}")).and_then(|()| out.flush()).is_err() {
            break;
        }
    }
    ExitCode::FAILURE
}

/// The process that answers, which is started when it is needed.
pub(super) struct Worker {
    roots: Vec<PathBuf>,
    timeout: Duration,
    running: Option<Running>,
    /// Arguments of `open`, of the traces that were opened last: a new process knows their names.
    opened: Vec<Value>,
}

impl Worker {
    /// A process for traces below directories without symbolic links.
    pub(super) fn new(roots: Vec<PathBuf>, seconds: u64) -> Self {
        Self { roots, timeout: Duration::from_secs(seconds), running: None, opened: Vec::new() }
    }

    /// The result of a tool.
    pub(super) fn call(&mut self, name: &str, args: &Value) -> Value {
        let answer = self.ask(name, args).unwrap_or_else(|error| tools::failed(&error));
        if name == "open" && answer.get("isError") == Some(&Value::Bool(false)) {
            self.opened.retain(|other| other.get("path") != args.get("path"));
            self.opened.push(args.clone());
            self.opened.drain(..self.opened.len().saturating_sub(MOST_OPEN));
        }
        answer
    }

    fn ask(&mut self, name: &str, args: &Value) -> Result<Value, Failure> {
        let until = Instant::now() + self.timeout + PATIENCE;
        let question = json!({ "name": name, "arguments": args });
        let mut running = match self.running.take() {
            Some(running) => running,
            None => Running::start(self)?,
        };
        running.send(&question);
        let mut begun = running.line(until);
        if begun == Err(RecvTimeoutError::Disconnected) {
            // It had ended before, perhaps for lack of memory.
            running = Running::start(self)?;
            running.send(&question);
            begun = running.line(until);
        }
        match begun.and_then(|_| running.line(until)) {
            Ok(line) => {
                self.running = Some(running);
                serde_json::from_str(&line)
                    .map_err(|error| Failure::new(format!("the answer is not complete: {error}")))
            }
            Err(RecvTimeoutError::Timeout) => Err(late(self.timeout)),
            Err(RecvTimeoutError::Disconnected) => Err(Failure::new(
                "The process that reads traces has ended without an answer. The next question starts another.",
            )),
        }
    }
}

/// A process that answers. It is ended when this is dropped, and its folder goes after it.
struct Running {
    _child: Started,
    /// A thread writes: a process that does not read holds up nothing.
    questions: Sender<String>,
    /// An empty line for each question that it begins, and the answer.
    lines: Receiver<String>,
    _folder: TempDir,
}

impl Running {
    fn start(worker: &Worker) -> Result<Self, Failure> {
        let folder = scratch::folder()?;
        let mut command = Command::new(std::env::current_exe()?);
        command.args([NAME, "--timeout", &worker.timeout.as_secs().to_string(), "--"]).args(&worker.roots);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        temporary(&mut command, folder.path());
        let (child, pipes) = Started::start(&mut command)?;
        let (Some(mut stdin), Some(stdout)) = (pipes.stdin, pipes.stdout) else {
            return Err(Failure::new("The process that reads traces cannot be started."));
        };
        let (questions, asked) = mpsc::channel::<String>();
        thread::spawn(move || {
            for line in asked {
                let _ = writeln!(stdin, "{line}");
            }
        });
        let (sent, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                let _ = sent.send(line);
            }
        });
        let running = Self { _child: child, questions, lines, _folder: folder };
        running.send(&json!({ "earlier": worker.opened }));
        Ok(running)
    }

    fn send(&self, message: &Value) {
        // That the process has ended is seen where the answer is awaited.
        let _ = self.questions.send(message.to_string());
    }

    /// The next line that it writes.
    fn line(&self, until: Instant) -> Result<String, RecvTimeoutError> {
        self.lines.recv_timeout(until.saturating_duration_since(Instant::now()))
    }
}
