//! Rules for what does not count when records are compared.

use std::collections::HashMap;

use unspool_filter::pattern::{Matcher, Pattern};

/// What [`Ignore::parse`] takes, for messages and helps.
pub const RULES: &str = "thread:NAME, name:NAME, arg.NAME, addresses and times";

/// Most rules: each is looked at for each name.
const MOST_RULES: usize = 1000;

/// What does not count.
#[derive(Default)]
pub struct Ignore {
    threads: Vec<Matcher>,
    names: Vec<Matcher>,
    arguments: Vec<Matcher>,
    /// Addresses count by what they are relative to a module, and pointers by where they are used
    /// first. Others do not count.
    pub addresses: bool,
    /// Values that tell the time do not count.
    pub times: bool,
}

impl Ignore {
    /// Reads rules: `thread:NAME`, `name:NAME` of a record, `arg.NAME`, `addresses`, `times`. In
    /// names, `*` stands for any characters.
    ///
    /// # Errors
    ///
    /// Returns a sentence about the first text that cannot be read.
    pub fn parse<'r>(rules: impl IntoIterator<Item = &'r str>) -> Result<Self, String> {
        let mut ignore = Self::default();
        for (number, rule) in rules.into_iter().enumerate() {
            if number >= MOST_RULES {
                return Err(format!("There are more than {MOST_RULES} rules for what to ignore."));
            }
            let (kind, name) = rule.split_at(rule.find([':', '.']).map_or(rule.len(), |at| at + 1));
            let list = match (kind, name) {
                ("addresses", "") => {
                    ignore.addresses = true;
                    continue;
                }
                ("times", "") => {
                    ignore.times = true;
                    continue;
                }
                ("thread:", _) => &mut ignore.threads,
                ("name:", _) => &mut ignore.names,
                ("arg.", _) => &mut ignore.arguments,
                _ => return Err(format!("`{rule}` is no rule for what to ignore; rules are {RULES}.")),
            };
            if name.is_empty() {
                return Err(format!("`{rule}` lacks a name; `{rule}*` ignores all."));
            }
            list.push(Matcher::Plain(Pattern::value(name)));
        }
        Ok(ignore)
    }

    /// Whether all records of a thread with this name are left out.
    #[must_use]
    pub fn thread(&self, name: &str) -> bool {
        any(&self.threads, name)
    }

    /// Whether there are rules for names of records.
    pub(crate) fn has_names(&self) -> bool {
        !self.names.is_empty()
    }

    /// Whether records with this name are left out.
    pub(crate) fn name(&self, name: &str) -> bool {
        any(&self.names, name)
    }

    /// Whether the value of an argument does not count.
    pub(crate) fn argument(&self, key: &str) -> bool {
        any(&self.arguments, key) || self.times && tells_time(key)
    }
}

fn any(matchers: &[Matcher], text: &str) -> bool {
    matchers.iter().any(|matcher| matcher.matches(text))
}

/// Whether a key has a word for a point in time: `timestamp`, `target_msc`, `startTime`. Lengths of
/// time, such as `timeout`, are chosen by the program.
fn tells_time(key: &str) -> bool {
    const WORDS: [&str; 11] =
        ["time", "timestamp", "timestamps", "times", "tick", "ticks", "tsc", "clock", "ust", "msc", "sbc"];
    let is_end = |before: char, here: char| !here.is_alphanumeric() || before.is_lowercase() && here.is_uppercase();
    let mut from = 0;
    let mut before = '_';
    let ends = key.char_indices().filter_map(|(at, here)| {
        let ends = is_end(before, here);
        before = here;
        ends.then_some(at)
    });
    ends.chain([key.len()]).any(|end| {
        let word = key.get(from..end).unwrap_or_default().trim_matches(|letter: char| !letter.is_alphanumeric());
        from = end;
        WORDS.iter().any(|it| it.eq_ignore_ascii_case(word))
    })
}

/// Whether an enum constant says that the numbers after it tell the time (`GL_ARB_timer_query`).
pub(crate) fn asks_for_time(constant: &str) -> bool {
    matches!(constant, "GL_TIMESTAMP" | "GL_TIMESTAMP_EXT" | "GL_TIME_ELAPSED" | "GL_TIME_ELAPSED_EXT")
}

/// Addresses of a trace as numbers that are the same in another run of the program.
#[derive(Debug, Default)]
pub(crate) struct Addresses {
    /// Where each module begins, ascending, with the last part of its path.
    modules: Vec<(u64, String)>,
    /// Pointers that were used, by where first and in which order there.
    pointers: HashMap<u64, (u32, u32)>,
    /// Places by their numbers, and how many pointers were used first there.
    places: Vec<(Vec<u8>, u32)>,
    numbers: HashMap<Vec<u8>, u32>,
}

/// Below, values are sizes, offsets and handles rather than pointers: no system maps these pages.
const LEAST: u64 = 0x1_0000;

/// Places, and pointers, at most. Others count as they are.
const MOST: usize = 1 << 20;

impl Addresses {
    pub(crate) fn new<'p>(modules: impl IntoIterator<Item = (u64, &'p str)>) -> Self {
        let name = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or(path).to_string();
        let mut modules: Vec<_> = modules.into_iter().map(|(base, path)| (base, name(path))).collect();
        modules.sort_unstable();
        Self { modules, ..Self::default() }
    }

    /// The module of an instruction, and its offset there.
    pub(crate) fn within(&self, address: u64) -> Option<(&str, u64)> {
        let after = self.modules.partition_point(|(base, _)| *base <= address);
        let (base, name) = self.modules.get(after.checked_sub(1)?)?;
        Some((name, address - base))
    }

    /// A pointer by the place where it was used first, and its number among those. `place` is the
    /// name of the record and the key. What is new somewhere else does not change that number.
    /// `None` if it counts as it is.
    pub(crate) fn pointer(&mut self, value: u64, place: &[u8]) -> Option<(&[u8], u32)> {
        if value < LEAST {
            return None;
        }
        let (place, number) = match self.pointers.get(&value) {
            Some(known) => *known,
            None if self.pointers.len() >= MOST => return None,
            None => {
                let at = match self.numbers.get(place) {
                    Some(at) => *at,
                    None => {
                        let at = self.places.len() as u32;
                        self.places.push((place.into(), 0));
                        self.numbers.insert(place.into(), at);
                        at
                    }
                };
                let (_, count) = self.places.get_mut(at as usize)?;
                *count += 1;
                self.pointers.insert(value, (at, *count));
                (at, *count)
            }
        };
        Some((&self.places.get(place as usize)?.0, number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_and_what_is_none_is_refused() {
        assert!(Ignore::parse(vec!["name:a"; MOST_RULES]).is_ok());
        let refused = Ignore::parse(vec!["name:a"; MOST_RULES + 1]).err();
        assert_eq!(refused.as_deref(), Some("There are more than 1000 rules for what to ignore."));
        let ignore = Ignore::parse(["thread:Worker*", "name:glGet*", "arg.data", "addresses"]).unwrap();
        assert!(ignore.thread("Worker 3") && !ignore.thread("main"));
        assert!(ignore.name("glGetError") && !ignore.name("glDrawArrays"));
        assert!(ignore.argument("data") && !ignore.argument("time"));
        assert!(ignore.addresses && !ignore.times);
        for wrong in ["", "thread:", "thread", "adresses", "times:x", "name.x"] {
            assert!(Ignore::parse([wrong]).is_err(), "{wrong}");
        }
    }

    #[test]
    fn keys_tell_the_time_by_their_words() {
        for key in ["time", "startTime", "target_msc", "TIMESTAMP", "clock", "endTicks"] {
            assert!(tells_time(key), "{key}");
        }
        for key in ["timeout", "times_two_x2y", "lifetime", "", "data", "stick"] {
            assert_eq!(tells_time(key), key == "times_two_x2y", "{key}");
        }
    }

    #[test]
    fn addresses_are_relative_and_pointers_have_the_number_of_their_first_use() {
        let mut addresses = Addresses::new([(0x9000, "/lib/libc.so"), (0x4000, "/usr/bin/app")]);
        assert_eq!(addresses.within(0x4010), Some(("app", 0x10)));
        assert_eq!(addresses.within(0x9000), Some(("libc.so", 0)));
        assert_eq!(addresses.within(0x10), None);
        assert_eq!(addresses.pointer(0x10, b"a"), None);
        assert_eq!(addresses.pointer(0x7000_0000, b"a"), Some((&b"a"[..], 1)));
        assert_eq!(addresses.pointer(0x7000_1000, b"b"), Some((&b"b"[..], 1)));
        assert_eq!(addresses.pointer(0x7000_2000, b"a"), Some((&b"a"[..], 2)));
        assert_eq!(addresses.pointer(0x7000_0000, b"b"), Some((&b"a"[..], 1)));
    }
}
