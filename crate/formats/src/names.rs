//! Numbers for names. Each name is defined once.

use alloc::string::String;
use alloc::vec::Vec;

use hashbrown::HashMap;
use unspool_trace::batch::{EventBatch, Name, SliceKind};
use unspool_trace::error::{Cause, Error, Result};
use unspool_trace::kept;

/// Keys below this are looked up in an array. Function ids are small, except those of shared
/// libraries.
const SMALL: u64 = 1 << 16;
pub(crate) const NONE: u32 = u32::MAX;

/// Maps a format's keys, such as function ids, to numbers of names, counted from 0.
#[derive(Debug, Default)]
pub(crate) struct Names {
    small: Vec<u32>,
    large: HashMap<u64, u32>,
    count: u32,
}

impl Names {
    /// The number of the key's name. A new key's name is computed by `name` and defined in `out`.
    /// `at` is the offset of the key in the file.
    ///
    /// # Errors
    ///
    /// Fails with [`Cause::Limit`] if there are `limit` names already.
    #[inline]
    pub(crate) fn number(
        &mut self,
        key: u64,
        at: u64,
        limit: u32,
        out: &mut EventBatch,
        name: impl FnOnce(u64) -> Name,
    ) -> Result<u32> {
        let known = if key < SMALL {
            self.small.get(key as usize).copied().unwrap_or(NONE)
        } else {
            self.large.get(&key).copied().unwrap_or(NONE)
        };
        if known != NONE {
            return Ok(known);
        }
        self.define(key, at, limit, out, name)
    }

    /// The numbers of small keys' names, with [`NONE`] for keys without a name.
    #[inline]
    pub(crate) fn small(&self) -> &[u32] {
        &self.small
    }

    /// Whether the key has a name.
    pub(crate) fn knows(&self, key: u64) -> bool {
        match usize::try_from(key) {
            Ok(i) if key < SMALL => self.small.get(i).is_some_and(|n| *n != NONE),
            _ => self.large.contains_key(&key),
        }
    }

    /// Bytes of memory.
    pub(crate) fn bytes(&self) -> u64 {
        kept::list(&self.small) + kept::table::<(u64, u32)>(self.large.capacity())
    }

    #[cold]
    fn define(
        &mut self,
        key: u64,
        at: u64,
        limit: u32,
        out: &mut EventBatch,
        name: impl FnOnce(u64) -> Name,
    ) -> Result<u32> {
        if self.count >= limit {
            return Err(Error::new(at, Cause::Limit { what: "different names", limit: u64::from(limit) }));
        }
        let number = self.count;
        self.count += 1;
        if key < SMALL {
            let i = key as usize;
            if self.small.len() <= i {
                self.small.resize(i + 1, NONE);
            }
            if let Some(slot) = self.small.get_mut(i) {
                *slot = number;
            }
        } else {
            self.large.insert(key, number);
        }
        out.new_names.push(name(key));
        Ok(number)
    }
}

/// Maps texts to numbers of names, for formats that have no keys. A decoder uses either this or
/// [`Names`].
#[derive(Debug, Default)]
pub(crate) struct Texts {
    calls: HashMap<String, u32>,
    /// The other kinds, which are rare.
    others: Vec<(SliceKind, HashMap<String, u32>)>,
    count: u32,
    /// Bytes of the texts in the tables.
    text_bytes: u64,
}

impl Texts {
    /// The number of a call's name. A new name is defined in `out`. `at` is its offset in the file.
    ///
    /// # Errors
    ///
    /// Fails with [`Cause::Limit`] if there are `limit` names already.
    pub(crate) fn number(&mut self, text: &str, at: u64, limit: u32, out: &mut EventBatch) -> Result<u32> {
        self.number_of(SliceKind::Call, text, at, limit, out)
    }

    /// The number of a name for slices of this kind. A group and a call with the same text have
    /// different numbers.
    ///
    /// # Errors
    ///
    /// Fails with [`Cause::Limit`] if there are `limit` names already.
    pub(crate) fn number_of(
        &mut self,
        kind: SliceKind,
        text: &str,
        at: u64,
        limit: u32,
        out: &mut EventBatch,
    ) -> Result<u32> {
        let calls = kind == SliceKind::Call;
        let other = self.others.iter().position(|(known, _)| *known == kind);
        let names =
            if calls { Some(&self.calls) } else { other.and_then(|i| self.others.get(i)).map(|(_, names)| names) };
        let known = names.and_then(|names| names.get(text));
        if let Some(number) = known {
            return Ok(*number);
        }
        let number = self.once(Name { kind, ..Name::from(String::from(text)) }, at, limit, out)?;
        if !calls && other.is_none() {
            self.others.push((kind, HashMap::new()));
        }
        let names = if calls {
            Some(&mut self.calls)
        } else {
            self.others.iter_mut().find(|(k, _)| *k == kind).map(|(_, n)| n)
        };
        if let Some(names) = names {
            names.insert(text.into(), number);
            self.text_bytes += text.len() as u64;
        }
        Ok(number)
    }

    /// Bytes of memory.
    pub(crate) fn bytes(&self) -> u64 {
        let tables = self.others.iter().map(|(_, names)| names).chain([&self.calls]);
        self.text_bytes + tables.map(|names| kept::table::<(String, u32)>(names.capacity())).sum::<u64>()
    }

    /// Defines a name that is used only once, without keeping its text.
    ///
    /// # Errors
    ///
    /// Fails with [`Cause::Limit`] if there are `limit` names already.
    pub(crate) fn once(&mut self, name: impl Into<Name>, at: u64, limit: u32, out: &mut EventBatch) -> Result<u32> {
        if self.count >= limit {
            return Err(Error::new(at, Cause::Limit { what: "different names", limit: u64::from(limit) }));
        }
        out.new_names.push(name.into());
        self.count += 1;
        Ok(self.count - 1)
    }
}
