//! What is hashed or left out of what a command writes.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::OnceLock;

use clap::ValueEnum;
use unspool_cut::clean::{Choice, Choices, Class, Cleaner};

/// What is hashed or left out.
#[derive(Clone, clap::Args)]
pub(crate) struct CleanArgs {
    /// Hash these: environment, paths, texts, payloads, or all. Equal values stay equal; each run
    /// uses its own key.
    #[arg(long, value_enum, value_delimiter = ',')]
    hash: Vec<Part>,
    /// Omit these: environment, paths, texts, payloads, or all.
    #[arg(long, value_enum, value_delimiter = ',')]
    omit: Vec<Part>,
}

/// What can be hashed and left out.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Environment variables (frames).
    Environment,
    /// Paths, and texts that contain one, such as program arguments.
    Paths,
    /// Other texts.
    Texts,
    /// Bytes: contents of buffers, values of memory and registers, payloads of events.
    Payloads,
    /// All of these.
    All,
}

impl CleanArgs {
    /// What does this to what is written.
    pub(crate) fn cleaner(&self) -> Cleaner {
        let choice = |part| {
            let is_in = |list: &[Part]| list.contains(&part) || list.contains(&Part::All);
            match (self.omit.contains(&part), is_in(&self.hash), is_in(&self.omit)) {
                (true, ..) => Choice::Omit,
                (_, true, _) => Choice::Hash,
                (.., true) => Choice::Omit,
                _ => Choice::Keep,
            }
        };
        let choices = Choices {
            environment: choice(Part::Environment),
            paths: choice(Part::Paths),
            texts: choice(Part::Texts),
            payloads: choice(Part::Payloads),
        };
        Cleaner::new(choices, key())
    }

    /// What was hashed and left out of what was found ([`Cleaner::found`]), in words; empty if all
    /// stays.
    pub(crate) fn summary(&self, found: [u64; 4]) -> String {
        let cleaner = self.cleaner();
        let mut words = Vec::new();
        for (class, count) in Class::ALL.into_iter().zip(found) {
            let noun = match class {
                Class::Environment => "environment variable",
                Class::Path => "path",
                Class::Text => "text",
                Class::Payload => "payload",
            };
            let plural = if count == 1 { "" } else { "s" };
            match cleaner.choice(class) {
                Choice::Hash => words.push(format!("{count} {noun}{plural} hashed")),
                Choice::Omit => words.push(format!("{count} {noun}{plural} left out")),
                Choice::Keep => {}
            }
        }
        words.join(", ")
    }
}

/// The key of this run: traces that are written together have the same hashes.
fn key() -> [u8; 16] {
    static KEY: OnceLock<[u8; 16]> = OnceLock::new();
    *KEY.get_or_init(|| {
        // The standard library seeds each state from the random numbers of the system.
        let mut key = [0; 16];
        for (i, part) in key.as_chunks_mut::<8>().0.iter_mut().enumerate() {
            *part = RandomState::new().hash_one(i).to_le_bytes();
        }
        key
    })
}
