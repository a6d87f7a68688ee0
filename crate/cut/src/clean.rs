//! What is hashed or left out of a copy of a trace, so that it can be given away.
//!
//! Names of functions, numbers and times are the trace itself and stay. Texts and bytes of the
//! traced program do not have to: [`Cleaner`] decides by their [`Class`]. Hashes are keyed, so
//! texts cannot be guessed without the key; equal texts stay equal.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::hash::Hasher;

use siphasher::sip::SipHasher24;

/// What kind of text or bytes something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// An environment variable: `HOME=/home/ada`.
    Environment,
    /// A path, or a text with one, such as an argument of a program.
    Path,
    /// Any other text that the program passed on or was started with.
    Text,
    /// Bytes: contents of buffers, values of memory and registers, payloads of events.
    Payload,
}

impl Class {
    /// All classes, in the order of [`Cleaner::found`].
    pub const ALL: [Self; 4] = [Self::Environment, Self::Path, Self::Text, Self::Payload];

    /// A stable word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Environment => "environment",
            Self::Path => "path",
            Self::Text => "text",
            Self::Payload => "payload",
        }
    }

    /// The class of a text, as it looks.
    pub fn of(text: &str) -> Self {
        let begins = |word: &str| {
            let rest = word.strip_prefix(['~', '.']).unwrap_or(word);
            let rest = rest.strip_prefix('.').unwrap_or(rest);
            match rest.strip_prefix(['/', '\\']) {
                // Not a comment.
                Some(rest) => rest.starts_with(|c: char| c.is_alphanumeric() || "._-~\\".contains(c)),
                None => {
                    let drive = word.strip_prefix(|c: char| c.is_ascii_alphabetic());
                    drive.is_some_and(|rest| rest.starts_with(":\\") || rest.starts_with(":/"))
                        || word.starts_with("file:")
                }
            }
        };
        // Sources of shaders have divisions and comments, and are texts.
        if text.contains('\n') || text.len() > LONGEST_PATH {
            return Self::Text;
        }
        let is_bare = text.contains('/') && !text.contains(char::is_whitespace);
        let is_between = |c: char| c.is_whitespace() || "=,;\"'".contains(c);
        if is_bare || begins(text) || text.split(is_between).any(begins) { Self::Path } else { Self::Text }
    }
}

/// No text that is longer is taken for a path, in bytes.
const LONGEST_PATH: usize = 4096;

/// What becomes of a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// It stays as it is.
    #[default]
    Keep,
    /// A keyed hash takes its place.
    Hash,
    /// It is left out: texts are empty, bytes are 0 where their number is part of the layout.
    Omit,
}

/// The choice for each class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// For environment variables.
    pub environment: Choice,
    /// For paths.
    pub paths: Choice,
    /// For other texts.
    pub texts: Choice,
    /// For bytes.
    pub payloads: Choice,
}

/// What becomes of one text, for a preview.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// Its class.
    pub class: Class,
    /// The text, or the beginning of a long one.
    pub before: String,
    /// What is written in its place; empty if it is left out.
    pub after: String,
}

/// Examples of a class that are kept.
const MOST_EXAMPLES: usize = 20;
/// Characters of a text in an example.
const LONGEST_EXAMPLE: usize = 120;

/// Hashes and leaves out.
#[derive(Clone, Debug, Default)]
pub struct Cleaner {
    choices: Choices,
    key: [u8; 16],
    found: [u64; 4],
    examples: Option<Vec<Example>>,
}

impl Cleaner {
    /// A cleaner. `key` is random: with it, texts can be guessed.
    pub fn new(choices: Choices, key: [u8; 16]) -> Self {
        Self { choices, key, ..Self::default() }
    }

    /// A cleaner as the page asks for it: 0 to keep, 1 to hash and 2 to leave out environment
    /// variables, paths, texts and payloads, then 1 to keep examples; and 16 random bytes.
    pub fn of(choices: &[u8], key: &[u8]) -> Self {
        let choice = |i: usize| match choices.get(i) {
            Some(1) => Choice::Hash,
            Some(2) => Choice::Omit,
            _ => Choice::Keep,
        };
        let all = Choices { environment: choice(0), paths: choice(1), texts: choice(2), payloads: choice(3) };
        let mut secret = [0; 16];
        secret.iter_mut().zip(key).for_each(|(to, from)| *to = *from);
        let cleaner = Self::new(all, secret);
        if choices.get(4) == Some(&1) { cleaner.with_examples() } else { cleaner }
    }

    /// Keeps examples for a preview.
    #[must_use]
    pub fn with_examples(self) -> Self {
        Self { examples: Some(Vec::new()), ..self }
    }

    /// Whether anything is to be changed, or looked at.
    pub fn is_active(&self) -> bool {
        self.choices != Choices::default() || self.examples.is_some()
    }

    /// What becomes of a class.
    pub fn choice(&self, class: Class) -> Choice {
        match class {
            Class::Environment => self.choices.environment,
            Class::Path => self.choices.paths,
            Class::Text => self.choices.texts,
            Class::Payload => self.choices.payloads,
        }
    }

    /// How many were found of each class, in the order of [`Class::ALL`].
    pub fn found(&self) -> [u64; 4] {
        self.found
    }

    /// Different examples of what was found.
    pub fn examples(&self) -> &[Example] {
        self.examples.as_deref().unwrap_or_default()
    }

    /// A text, by how it looks.
    pub fn text<'a>(&mut self, text: &'a str) -> Cow<'a, str> {
        if text.is_empty() || !self.is_active() {
            return Cow::Borrowed(text);
        }
        let class = Class::of(text);
        let after = match self.choice(class) {
            Choice::Keep => Cow::Borrowed(text),
            Choice::Hash => Cow::Owned(format!("{}-{:016x}", class.word(), self.hash(text.as_bytes()))),
            Choice::Omit => Cow::Borrowed(""),
        };
        self.note(class, text, &after);
        after
    }

    /// The name of a slice or a track. Only a path is cleaned; all others are names of functions
    /// and the like.
    pub fn name<'a>(&mut self, name: &'a str) -> Cow<'a, str> {
        // Operators of C++ have slashes: `operator/`, `operator/=`.
        if !self.is_active() || Class::of(name) != Class::Path || name.contains("operator/") {
            return Cow::Borrowed(name);
        }
        match self.text(name) {
            // Something without a name could not be told from others.
            after if after.is_empty() => Cow::Borrowed("path"),
            after => after,
        }
    }

    /// A payload that is shown as a text: as the payload that it is, or if that stays, as a text.
    pub fn payload_text<'a>(&mut self, text: &'a str) -> Cow<'a, str> {
        match self.choices.payloads {
            Choice::Keep => self.text(text),
            choice => {
                self.note_payload(text.len() as u64);
                let hash = || format!("{}-{:016x}", Class::Payload.word(), self.hash(text.as_bytes()));
                if choice == Choice::Hash { Cow::Owned(hash()) } else { Cow::Borrowed("") }
            }
        }
    }

    /// The bytes of a text of unknown encoding.
    pub fn bytes<'a>(&mut self, text: &'a [u8]) -> Cow<'a, [u8]> {
        let shown = String::from_utf8_lossy(text);
        match self.text(&shown) {
            after if *after == *shown => Cow::Borrowed(text),
            after => Cow::Owned(after.into_owned().into_bytes()),
        }
    }

    /// An environment variable. Its name stays if it is hashed. `None` if it is left out.
    pub fn variable<'a>(&mut self, variable: &'a [u8]) -> Option<Cow<'a, [u8]>> {
        let after = match self.choices.environment {
            Choice::Keep => Some(Cow::Borrowed(variable)),
            Choice::Hash => {
                let end = variable.iter().position(|byte| *byte == b'=').map_or(0, |at| at + 1);
                let (name, value) = variable.split_at_checked(end).unwrap_or((variable, &[]));
                let mut hashed = name.to_vec();
                hashed.extend(format!("{}-{:016x}", Class::Environment.word(), self.hash(value)).into_bytes());
                Some(Cow::Owned(hashed))
            }
            Choice::Omit => None,
        };
        let shown = after.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
        self.note(Class::Environment, &String::from_utf8_lossy(variable), &shown);
        after
    }

    /// Bytes that are all there.
    pub fn payload(&mut self, bytes: &mut [u8]) {
        if self.choices.payloads == Choice::Keep {
            self.note_payload(bytes.len() as u64);
            return;
        }
        let mut payload = self.begin_payload();
        payload.add(bytes);
        let filling = self.end_payload(payload, bytes.len() as u64);
        bytes.iter_mut().zip(filling.into_iter().cycle()).for_each(|(to, from)| *to = from);
    }

    /// Bytes that come in portions begin.
    pub fn begin_payload(&self) -> Payload {
        Payload(SipHasher24::new_with_key(&self.key))
    }

    /// `len` bytes have come. Returns what takes their place, over and over: their length stays,
    /// because it belongs to the layout. Not for [`Choice::Keep`].
    pub fn end_payload(&mut self, payload: Payload, len: u64) -> [u8; 8] {
        self.note_payload(len);
        match self.choices.payloads {
            Choice::Hash => payload.0.finish().to_le_bytes(),
            _ => [0; 8],
        }
    }

    /// Counts `len` bytes that stay.
    pub fn note_payload(&mut self, len: u64) {
        if len > 0 && self.is_active() {
            let before = format!("{len} bytes");
            let after = match self.choices.payloads {
                Choice::Keep => before.clone(),
                Choice::Hash => format!("{len} bytes of a hash"),
                Choice::Omit => String::new(),
            };
            self.note(Class::Payload, &before, &after);
        }
    }

    fn hash(&self, bytes: &[u8]) -> u64 {
        let mut hasher = SipHasher24::new_with_key(&self.key);
        hasher.write(bytes);
        hasher.finish()
    }

    fn note(&mut self, class: Class, before: &str, after: &str) {
        if let Some(count) = self.found.get_mut(class as usize) {
            *count += 1;
        }
        let Some(examples) = &mut self.examples else { return };
        let shown: String = before.chars().take(LONGEST_EXAMPLE).collect();
        let of_class = examples.iter().filter(|example| example.class == class);
        let (mut count, mut is_known) = (0, false);
        for example in of_class {
            count += 1;
            is_known |= example.before == shown;
        }
        if count < MOST_EXAMPLES && !is_known {
            examples.push(Example { class, before: shown, after: after.chars().take(LONGEST_EXAMPLE).collect() });
        }
    }
}

/// Bytes that come in portions.
#[derive(Clone, Debug)]
pub struct Payload(SipHasher24);

impl Payload {
    /// The next portion.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: fn(Choice) -> Choices = |it| Choices { environment: it, paths: it, texts: it, payloads: it };

    #[test]
    fn paths_are_known_by_their_looks() {
        for path in [
            "/home/ada/a.out",
            "~/x",
            "./a",
            "../b/c",
            "C:\\Users\\ada",
            "d:/x",
            "\\\\server\\share",
            "file:///etc/passwd",
            "src/main.c",
            "--output=/tmp/x",
            "-I \"/usr/include\" x.c",
        ] {
            assert_eq!(Class::of(path), Class::Path, "{path}");
        }
        for text in ["hello", "a / b", "// comment", "/* comment */", "void main() {\n  x = /a;\n}", "50 %", "=1", "."]
        {
            assert_eq!(Class::of(text), Class::Text, "{text}");
        }
    }

    #[test]
    fn equal_texts_stay_equal_and_the_key_decides() {
        let mut cleaner = Cleaner::new(ALL(Choice::Hash), [1; 16]);
        let first = cleaner.text("secret").into_owned();
        assert_eq!(first, cleaner.text("secret"));
        assert!(first.starts_with("text-") && first.len() == 21, "{first}");
        assert_ne!(first, Cleaner::new(ALL(Choice::Hash), [2; 16]).text("secret"));
        assert!(cleaner.text("/etc/secret").starts_with("path-"));
        assert!(cleaner.payload_text("/etc/secret").starts_with("payload-"));
        assert!(cleaner.variable(b"KEY=secret").unwrap().starts_with(b"KEY=environment-"));
        let mut bytes = *b"secret and more";
        cleaner.payload(&mut bytes);
        assert_eq!((bytes.len(), &bytes[..7]), (15, &bytes[8..]));
        assert_ne!(&bytes, b"secret and more");
        assert_eq!(cleaner.found(), [1, 1, 2, 2]);
    }

    #[test]
    fn what_is_left_out_is_gone() {
        let mut cleaner = Cleaner::new(ALL(Choice::Omit), [0; 16]).with_examples();
        assert_eq!(cleaner.text("secret"), "");
        assert_eq!(cleaner.bytes(b"\xff/secret"), Cow::Borrowed(&[][..]) as Cow<'_, [u8]>);
        assert_eq!(cleaner.variable(b"KEY=secret"), None);
        assert_eq!(cleaner.name("operator/="), "operator/=");
        let mut texts = Cleaner::new(Choices { texts: Choice::Omit, ..Choices::default() }, [0; 16]);
        assert_eq!((&*texts.payload_text("secret"), &*texts.payload_text("/secret")), ("", "/secret"));
        assert_eq!(cleaner.name("/usr/lib/libc.so.6"), "path");
        let mut bytes = *b"secret";
        cleaner.payload(&mut bytes);
        assert_eq!(bytes, [0; 6]);
        cleaner.text("secret");
        let examples: Vec<_> = cleaner.examples().iter().map(|it| (it.class, it.before.as_str())).collect();
        let expected = [
            (Class::Text, "secret"),
            (Class::Path, "\u{fffd}/secret"),
            (Class::Environment, "KEY=secret"),
            (Class::Path, "/usr/lib/libc.so.6"),
            (Class::Payload, "6 bytes"),
        ];
        assert_eq!(examples, expected);
        assert_eq!(Cleaner::default().text("secret"), "secret");
    }
}
