//! Progress bar on stderr, if that is a terminal.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// Bars would overwrite one another.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Hides all bars from now on, for commands that read several traces at once.
pub(crate) fn hide_all() {
    QUIET.store(true, Ordering::Relaxed);
}

/// A bar that disappears when it is done.
#[derive(Clone)]
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// A bar that never shows.
    pub(crate) fn hidden() -> Self {
        Self(ProgressBar::hidden())
    }

    /// A bar for `of` bytes or events. Hidden if stderr is not a terminal.
    pub(crate) fn new(of: u64) -> Self {
        if QUIET.load(Ordering::Relaxed) {
            return Self::hidden();
        }
        let bar = ProgressBar::new(of);
        if let Ok(style) = ProgressStyle::with_template("{wide_bar} {percent:>3} % {eta:>4}") {
            bar.set_style(style);
        }
        Self(bar)
    }

    /// The time that something of unknown length has taken. Hidden if stderr is not a terminal.
    pub(crate) fn spinner(what: &'static str) -> Self {
        if QUIET.load(Ordering::Relaxed) {
            return Self::hidden();
        }
        let bar = ProgressBar::new_spinner().with_prefix(what);
        if let Ok(style) = ProgressStyle::with_template("{prefix} {elapsed} {msg} (Ctrl+C stops it)") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(250));
        Self(bar)
    }

    /// Says more of what a spinner shows.
    pub(crate) fn say(&self, message: &str) {
        self.0.set_message(message.to_string());
    }

    pub(crate) fn set(&self, done: u64) {
        self.0.set_position(done);
    }

    /// Calls `print` while the bar is not there.
    pub(crate) fn suspend(&self, print: impl FnOnce()) {
        self.0.suspend(print);
    }

    pub(crate) fn finish(&self) {
        self.0.finish_and_clear();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.finish();
    }
}
