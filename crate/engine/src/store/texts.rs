//! The texts of names: those of the file, and those that companions of it give to its ids and
//! addresses.

use hashbrown::HashMap;
use unspool_trace::batch::{Key, Name, SliceKind};
use unspool_trace::{Naming, kept, sort};

/// The names of a trace by number.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    /// As they are shown.
    shown: Vec<String>,
    keys: Vec<(SliceKind, Key)>,
    /// Companions, the latest last.
    namings: Vec<(u32, Naming)>,
    /// The texts of the file, of names that are shown with others.
    own: HashMap<u32, String>,
    /// Names with a text of a companion, by that text.
    by_text: HashMap<String, u32>,
    /// There are names of groups.
    has_groups: bool,
    /// Numbers of names whose text has changed since [`Texts::take_changed`].
    changed: Vec<u32>,
    /// Bytes of the texts in `shown`, `own` and `by_text`.
    text_bytes: u64,
    /// Bytes of the companions' tables.
    naming_bytes: u64,
}

/// Bytes that a name takes in addition to its texts: its place and its key here, and in the page a
/// text with its place, its colour, and its key by which it is found.
const NAME_BYTES: usize = size_of::<String>() + size_of::<(SliceKind, Key)>() + 100;

impl Texts {
    /// The texts, as they are shown.
    pub(crate) fn shown(&self) -> &[String] {
        &self.shown
    }

    /// The kind of a name, and the key that the file has in place of a text. Defaults if there is
    /// no such name.
    pub(crate) fn key(&self, name: u32) -> (SliceKind, Key) {
        self.keys.get(name as usize).copied().unwrap_or_default()
    }

    /// The ids that names have as their keys.
    pub(crate) fn ids(&self) -> impl Iterator<Item = i64> {
        self.keys.iter().filter_map(|(_, key)| if let Key::Id(id) = key { Some(*id) } else { None })
    }

    /// The address that a name has in place of a text. `None` for other names.
    pub(crate) fn address(&self, name: u32) -> Option<u64> {
        let (_, key) = self.key(name);
        let Key::Address(address) = key else { return None };
        self.own_text(name).ends_with(&key.to_string()).then_some(address)
    }

    /// Loaded binaries have addresses, too, but their texts are their paths.
    pub(crate) fn modules(&self) -> impl Iterator<Item = (u64, &str)> {
        (0..).zip(&self.keys).filter_map(|(name, (_, key))| match key {
            Key::Address(address) if self.address(name).is_none() => Some((*address, self.own_text(name))),
            _ => None,
        })
    }

    /// Whether a name is that of a group of calls.
    pub(crate) fn is_group(&self, name: u32) -> bool {
        self.has_groups && self.key(name).0 == SliceKind::Group
    }

    /// Whether there are names of groups.
    pub(crate) fn has_groups(&self) -> bool {
        self.has_groups
    }

    /// The texts of the file itself.
    pub(crate) fn own(&self) -> impl Iterator<Item = &str> {
        (0..).zip(&self.shown).map(|(name, shown)| self.own.get(&name).unwrap_or(shown).as_str())
    }

    /// The text of the file itself for one name. Empty if there is no such name.
    pub(crate) fn own_text(&self, name: u32) -> &str {
        let shown = || self.shown.get(name as usize);
        self.own.get(&name).or_else(shown).map_or("", String::as_str)
    }

    /// Where the source of a name is, such as `main.c:12`. Empty if unknown.
    pub(crate) fn source(&self, name: u32) -> &str {
        self.find(self.key(name).1).map_or("", |named| &named.place.source)
    }

    /// Adds the name with the next number.
    pub(crate) fn define(&mut self, Name { text, kind, key }: Name) {
        let name = self.shown.len() as u32;
        self.has_groups |= kind == SliceKind::Group;
        self.text_bytes += text.len() as u64;
        self.shown.push(text);
        self.keys.push((kind, key));
        if !self.namings.is_empty() {
            self.rename(name);
        }
    }

    /// Bytes of memory of all names, with those that the page has of them.
    pub(crate) fn bytes(&self) -> u64 {
        let names = self.shown.len() * NAME_BYTES;
        let own = kept::table::<(u32, String)>(self.own.capacity());
        let by_text = kept::table::<(String, u32)>(self.by_text.capacity());
        names as u64 + 2 * self.text_bytes + own + by_text + self.naming_bytes
    }

    /// Takes the texts of a companion, in place of those that an earlier one with this number gave.
    pub(crate) fn set(&mut self, companion: u32, naming: Naming) {
        self.namings.retain(|(id, _)| *id != companion);
        self.namings.push((companion, naming));
        self.rename_all();
    }

    /// Forgets the texts of a companion.
    pub(crate) fn remove(&mut self, companion: u32) {
        self.namings.retain(|(id, _)| *id != companion);
        self.rename_all();
    }

    /// How many names have a text of this companion.
    pub(crate) fn named_by(&self, companion: u32) -> usize {
        let by = |key| self.namings.iter().rev().find(|(_, naming)| naming.of(key).is_some()).map(|(id, _)| *id);
        self.own.keys().filter(|name| by(self.key(**name).1) == Some(companion)).count()
    }

    /// The text that a name has without companions, if it is shown with another.
    pub(crate) fn given(&self, name: u32) -> Option<&str> {
        self.own.get(&name).map(String::as_str)
    }

    /// The numbers of the names whose texts have changed since the last call.
    pub(crate) fn take_changed(&mut self) -> Vec<u32> {
        let changed = std::mem::take(&mut self.changed);
        let order = sort::order(changed.len(), &[&|at| changed.get(at).copied().map_or(0, u64::from)]);
        let mut changed = sort::in_order(changed, &order);
        changed.dedup();
        changed
    }

    /// The texts that companions give to functions of this trace, in the order of the names.
    pub(crate) fn functions(&self) -> impl Iterator<Item = &str> {
        self.named_functions().map(|(_, named)| named.place.text.as_str())
    }

    /// The names that change if functions have other texts, in the order of [`Texts::functions`],
    /// and what they are then. Functions with the same text stay apart by their keys.
    pub(crate) fn with_functions<'t>(&self, texts: impl Iterator<Item = &'t str>) -> Vec<(u32, String)> {
        let mut changed = Vec::new();
        for ((name, named), other) in self.named_functions().zip(texts) {
            let (_, key) = self.key(name);
            let (key_text, own) = (key.to_string(), self.own_text(name));
            let in_place = |text: &str| in_place_of(&key_text, own, text);
            let (Some(before), Some(after)) = (in_place(&text_of(&named)), in_place(&at_offset(other, named.offset)))
            else {
                continue;
            };
            if before != after {
                let is_apart = self.shown.get(name as usize) != Some(&before);
                changed.push((name, if is_apart { apart(&after, key) } else { after }));
            }
        }
        changed
    }

    /// The names that are those of functions in companions.
    fn named_functions(&self) -> impl Iterator<Item = (u32, unspool_trace::Named<'_>)> {
        (0..).zip(&self.keys).filter_map(|(name, (_, key))| Some((name, self.function(*key)?)))
    }

    /// The function that a companion says has this key, or that it is in.
    fn function(&self, key: Key) -> Option<unspool_trace::Named<'_>> {
        self.find(key).filter(|named| !named.is_statement)
    }

    fn find(&self, key: Key) -> Option<unspool_trace::Named<'_>> {
        self.namings.iter().rev().find_map(|(_, naming)| naming.of(key))
    }

    fn rename_all(&mut self) {
        self.naming_bytes = self.namings.iter().map(|(_, naming)| naming.kept_bytes()).sum();
        for (name, text) in self.own.drain() {
            if let Some(shown) = self.shown.get_mut(name as usize) {
                *shown = text;
            }
            self.changed.push(name);
        }
        self.by_text.clear();
        self.text_bytes = self.shown.iter().map(|text| text.len() as u64).sum();
        if !self.namings.is_empty() {
            (0..self.shown.len() as u32).for_each(|name| self.rename(name));
        }
    }

    /// Shows a name with the text of a companion, if there is one. Functions with the same text
    /// stay apart by their keys.
    fn rename(&mut self, name: u32) {
        let (_, key) = self.key(name);
        let Some(text) = self.find(key).map(|named| text_of(&named)) else { return };
        let Some(own) = self.shown.get(name as usize) else { return };
        let Some(text) = in_place_of(&key.to_string(), own, &text) else { return };
        match self.by_text.get(&text).copied() {
            None => {
                self.by_text.insert(text.clone(), name);
                self.text_bytes += text.len() as u64;
                self.show(name, text);
            }
            Some(first) => {
                if self.shown.get(first as usize) == Some(&text) {
                    self.show(first, apart(&text, self.key(first).1));
                }
                self.show(name, apart(&text, key));
            }
        }
    }

    fn show(&mut self, name: u32, text: String) {
        if let Some(shown) = self.shown.get_mut(name as usize) {
            self.text_bytes += text.len() as u64;
            let before = std::mem::replace(shown, text);
            self.own.entry(name).or_insert(before);
            self.changed.push(name);
        }
    }
}

/// The text of a place, with the distance from its start: `main+0x12`. A statement is known by its
/// line, too: `total += x (sum.c:12)`.
pub(crate) fn text_of(named: &unspool_trace::Named<'_>) -> String {
    match named.offset {
        0 if named.is_statement && !named.place.source.is_empty() && named.place.source != named.place.text => {
            format!("{} ({})", named.place.text, named.place.source)
        }
        offset => at_offset(&named.place.text, offset),
    }
}

fn at_offset(text: &str, offset: u64) -> String {
    if offset == 0 { text.into() } else { format!("{text}+{offset:#x}") }
}

/// `signal 0x401000` becomes `signal main`. `None` for a name that the file itself has a text for.
fn in_place_of(key: &str, own: &str, text: &str) -> Option<String> {
    own.strip_suffix(key).map(|before| format!("{before}{text}"))
}

fn apart(text: &str, key: Key) -> String {
    format!("{text} ({key})")
}

#[cfg(test)]
mod tests {
    use unspool_trace::StatementId;
    use unspool_trace::naming::Place;

    use super::*;

    fn named(places: &[(u64, u64, &str)]) -> Naming {
        let place = |(start, size, text): &(u64, u64, &str)| Place {
            start: *start,
            size: *size,
            text: (*text).into(),
            source: String::new(),
        };
        Naming::new(places.iter().map(place).collect())
    }

    fn address(text: &str, at: u64) -> Name {
        Name { text: text.into(), key: Key::Address(at), ..Name::default() }
    }

    #[test]
    fn companions_name_what_is_there_and_what_comes_later() {
        let mut texts = Texts::default();
        texts.define(Name { text: "#1".into(), key: Key::Id(1), ..Name::default() });
        texts.define(Name::from(String::from("plain")));
        texts.set(7, named(&[(1, 0, "main"), (2, 0, "f"), (9, 0, "never")]));
        texts.define(Name { text: "#2".into(), key: Key::Id(2), ..Name::default() });
        assert_eq!(texts.shown(), ["main", "plain", "f"]);
        assert_eq!(texts.own().collect::<Vec<_>>(), ["#1", "plain", "#2"]);
        assert_eq!(texts.ids().collect::<Vec<_>>(), [1, 2]);
        assert_eq!((texts.named_by(7), texts.named_by(8)), (2, 0));
        assert_eq!(texts.take_changed(), [0, 2]);
        texts.set(8, named(&[(2, 0, "g")]));
        assert_eq!(texts.shown(), ["main", "plain", "g"]);
        assert_eq!((texts.named_by(7), texts.named_by(8)), (1, 1));
        texts.remove(8);
        texts.remove(7);
        assert_eq!(texts.shown(), ["#1", "plain", "#2"]);
        assert_eq!(texts.take_changed(), [0, 2]);
        assert_eq!(texts.take_changed(), [0_u32; 0]);
    }

    #[test]
    fn functions_with_one_text_stay_apart() {
        let mut texts = Texts::default();
        (0..3).for_each(|i| texts.define(address(&format!("{:#x}", 0x10 + i), 0x10 + i)));
        texts.set(0, named(&[(0x10, 0, "f"), (0x11, 0, "g"), (0x12, 0, "f")]));
        assert_eq!(texts.shown(), ["f (0x10)", "g", "f (0x12)"]);
    }

    #[test]
    fn statements_are_shown_with_their_lines() {
        let mut texts = Texts::default();
        let id = StatementId::in_file(7, 12).bits();
        for (text, number) in [("statement 7:12", id), ("statement 5", 5), ("statement 6", 6)] {
            texts.define(Name { text: text.into(), key: Key::Statement(number), ..Name::default() });
        }
        let place =
            |start, text: &str, source: &str| Place { start, size: 0, text: text.into(), source: source.into() };
        texts.set(0, Naming::new(vec![place(id, "i = 0", "a.c:3"), place(5, "a.c:4", "a.c:4")]));
        assert_eq!(texts.shown(), ["i = 0 (a.c:3)", "a.c:4", "statement 6"]);
        texts.remove(0);
        assert_eq!(texts.shown(), ["statement 7:12", "statement 5", "statement 6"]);
    }

    #[test]
    fn what_precedes_a_key_stays() {
        let mut texts = Texts::default();
        texts.define(address("signal 0x14", 0x14));
        texts.define(address("0x14", 0x14));
        texts.define(address("from the file", 0x15));
        texts.set(0, named(&[(0x10, 8, "handler")]));
        assert_eq!(texts.shown(), ["signal handler+0x4", "handler+0x4", "from the file"]);
    }

    #[test]
    fn functions_in_other_words_keep_what_is_around_them() {
        let mut texts = Texts::default();
        for (text, at) in [("signal 0x14", 0x14), ("0x10", 0x10), ("from the file", 0x11), ("0x20", 0x20)] {
            texts.define(address(text, at));
        }
        texts.define(address("0x30", 0x30));
        texts.define(address("0x40", 0x40));
        let id = StatementId::in_file(7, 12).bits();
        texts.define(Name { text: "statement 7:12".into(), key: Key::Statement(id), ..Name::default() });
        texts.set(
            0,
            named(&[(0x10, 8, "a::f()"), (0x20, 8, "g"), (0x30, 8, "b::h()"), (0x40, 8, "b::h()"), (id, 0, "s::t()")]),
        );
        let functions: Vec<&str> = texts.functions().collect();
        assert_eq!(functions, ["a::f()", "a::f()", "a::f()", "g", "b::h()", "b::h()"]);
        let changed = texts.with_functions(["f", "f", "f", "g", "h", "h"].into_iter());
        let changed: Vec<_> = changed.iter().map(|(name, text)| (*name, text.as_str())).collect();
        assert_eq!(changed, [(0, "signal f+0x4"), (1, "f"), (4, "h (0x30)"), (5, "h (0x40)")]);
    }

    #[test]
    fn loaded_binaries_are_no_functions() {
        let mut texts = Texts::default();
        texts.define(address("signal 0x14", 0x14));
        texts.define(address("/lib/libc.so", 0x10));
        assert_eq!(texts.modules().collect::<Vec<_>>(), [(0x10, "/lib/libc.so")]);
        assert_eq!((texts.address(0), texts.address(1)), (Some(0x14), None));
        texts.set(0, named(&[(0x10, 8, "f")]));
        assert_eq!(texts.shown(), ["signal f+0x4", "/lib/libc.so"]);
        assert_eq!(texts.address(0), Some(0x14), "what it is shown as does not matter");
    }
}
