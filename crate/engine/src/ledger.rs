//! One account of the memory of a trace: its store, and the results of jobs.
//!
//! The ledger counts and decides; it frees nothing itself. After each change the caller drops what
//! [`Ledger::evict`] returns, until it returns `None`.
//!
//! The account has room for at most 2 GB, an eighth of which is never the store's. Bytes are
//! counted after each step of a job. When the account is full, the least recently used results are
//! freed. Running jobs and the store stay. A job that does not fit even then fails with a sentence,
//! which the panel shows.
//!
//! What other workers hold for a trace is in the same account: `web/trace/ledger.ts` lists the
//! values of variables that the record worker keeps, the tables of the SQL panel, and the index of
//! steps, which never goes. It reports their sum to the trace's worker, which counts there like the
//! store, so that results make room. When that is not enough, or a job fails for lack of memory,
//! the least recently used of them goes, with a sentence.

use core::fmt;

/// Most bytes of a trace and of everything made from it. wasm32 addresses 4 GiB. The other half is
/// for what is not counted: a list that grows holds its old and its new memory for a moment,
/// replies are copied, and freed memory between live blocks is of no use to larger ones.
pub const LIMIT: u64 = 2_000_000_000;
/// The part of the limit that the store never uses up, as a divisor. A store may be larger than the
/// limit; its statistics shall work nevertheless.
const RESERVE: u64 = 8;

// Otherwise statistics of the largest store would run into the end of memory instead of this limit.
#[cfg(target_pointer_width = "32")]
const _: () = assert!(crate::store::MOST_BYTES + LIMIT / RESERVE < 1 << 32);

/// What is in memory, and how much of it. Its owner identifies the entries by keys.
// Generic, so that the page's build optimises it for size, as it does with `unspool-browser`.
#[derive(Debug)]
pub struct Ledger<K> {
    limit: u64,
    store: u64,
    entries: Vec<Entry<K>>,
    /// Counts uses: the entry with the lowest number was not used for the longest time.
    now: u64,
}

/// Something in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<K> {
    /// Identifies the entry.
    pub key: K,
    /// A noun phrase for the user: `statistics`.
    pub kind: &'static str,
    /// How much memory it takes.
    pub bytes: u64,
    /// Number of its last use.
    used: u64,
    evictable: bool,
}

/// There is no room for an entry, even without all that could go. Displays as a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full {
    /// What there is no room for.
    pub kind: &'static str,
    /// How many bytes it needs.
    pub needs: u64,
    /// How many bytes it could have at most.
    pub room: u64,
}

impl<K: Copy + PartialEq> Ledger<K> {
    /// An empty account with a limit in bytes.
    pub fn new(limit: u64) -> Self {
        Self { limit, store: 0, entries: Vec::new(), now: 0 }
    }

    /// Sets the size of the store, which always stays.
    pub fn set_store(&mut self, bytes: u64) {
        self.store = bytes;
    }

    /// Adds an entry or updates it. Either counts as a use.
    ///
    /// # Errors
    ///
    /// Returns an error if the entry does not fit even when all evictable ones have gone. It is
    /// then removed, and the others stay.
    pub fn set(&mut self, key: K, kind: &'static str, bytes: u64, evictable: bool) -> Result<(), Full> {
        if let Some(at) = self.entries.iter().position(|entry| entry.key == key) {
            self.entries.swap_remove(at);
        }
        let held: u64 = self.entries.iter().filter(|entry| !entry.evictable).map(|entry| entry.bytes).sum();
        let room = self.room().saturating_sub(held);
        if bytes > room {
            return Err(Full { kind, needs: bytes, room });
        }
        self.now += 1;
        self.entries.push(Entry { key, kind, bytes, used: self.now, evictable });
        Ok(())
    }

    /// Removes the evictable entry that was not used for the longest time, if the entries do not
    /// fit. Returns it: the caller frees its memory.
    pub fn evict(&mut self) -> Option<Entry<K>> {
        if self.entries_bytes() <= self.room() {
            return None;
        }
        let evictable = self.entries.iter().enumerate().filter(|(_, entry)| entry.evictable);
        let (at, _) = evictable.min_by_key(|(_, entry)| entry.used)?;
        Some(self.entries.swap_remove(at))
    }

    /// The limit in bytes.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Bytes of the store and of all entries.
    pub fn bytes(&self) -> u64 {
        self.store + self.entries_bytes()
    }

    /// Most bytes of all entries.
    fn room(&self) -> u64 {
        self.limit.saturating_sub(self.store).max(self.limit / RESERVE)
    }

    fn entries_bytes(&self) -> u64 {
        self.entries.iter().map(|entry| entry.bytes).sum()
    }
}

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, needs, room } = self;
        let mb = |bytes: u64| bytes.div_ceil(1_000_000);
        write!(
            f,
            "Not enough memory for the {kind}: {} MB needed so far, {} MB left. Choose a shorter range or one thread.",
            mb(*needs),
            room / 1_000_000
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds an entry and evicts what has to go. Returns the keys of that.
    fn set(ledger: &mut Ledger<u32>, key: u32, bytes: u64, evictable: bool) -> Result<Vec<u32>, Full> {
        ledger.set(key, "result", bytes, evictable)?;
        Ok(evicted(ledger))
    }

    fn evicted(ledger: &mut Ledger<u32>) -> Vec<u32> {
        std::iter::from_fn(|| ledger.evict()).map(|entry| entry.key).collect()
    }

    #[test]
    fn the_least_recently_used_entries_go_first() {
        let mut ledger = Ledger::new(100);
        ledger.set_store(40);
        for key in 1..=3 {
            assert_eq!(set(&mut ledger, key, 20, true), Ok(vec![]));
        }
        assert_eq!(ledger.bytes(), 100);
        // A use of the oldest.
        assert_eq!(set(&mut ledger, 1, 20, true), Ok(vec![]));
        assert_eq!(set(&mut ledger, 4, 21, true), Ok(vec![2, 3]));
        assert_eq!(ledger.bytes(), 40 + 20 + 21);
    }

    #[test]
    fn an_entry_never_evicts_itself() {
        let mut ledger = Ledger::new(100);
        set(&mut ledger, 1, 40, true).unwrap();
        set(&mut ledger, 2, 40, true).unwrap();
        assert_eq!(set(&mut ledger, 1, 100, true), Ok(vec![2]));
    }

    #[test]
    fn what_is_in_use_stays() {
        let mut ledger = Ledger::new(100);
        set(&mut ledger, 1, 30, false).unwrap();
        set(&mut ledger, 2, 30, true).unwrap();
        set(&mut ledger, 3, 30, true).unwrap();
        // All that could go would not be enough, so nothing goes.
        assert_eq!(set(&mut ledger, 4, 71, true), Err(Full { kind: "result", needs: 71, room: 70 }));
        assert_eq!((ledger.bytes(), ledger.evict()), (90, None));
        assert_eq!(set(&mut ledger, 4, 70, true), Ok(vec![2, 3]));
    }

    #[test]
    fn an_entry_that_outgrows_the_room_is_removed() {
        let mut ledger = Ledger::new(100);
        set(&mut ledger, 1, 90, false).unwrap();
        assert_eq!(set(&mut ledger, 1, 100, false), Ok(vec![]), "its own bytes do not count twice");
        assert_eq!(set(&mut ledger, 1, 101, false).map_err(|full| full.room), Err(100));
        assert_eq!(ledger.bytes(), 0);
    }

    #[test]
    fn a_growing_store_displaces_results() {
        let mut ledger = Ledger::new(800);
        set(&mut ledger, 1, 100, true).unwrap();
        set(&mut ledger, 2, 100, true).unwrap();
        set(&mut ledger, 3, 100, false).unwrap();
        for (store, gone) in [(500, vec![]), (600, vec![1]), (601, vec![2]), (10_000, vec![])] {
            ledger.set_store(store);
            assert_eq!(evicted(&mut ledger), gone, "a store of {store} bytes");
        }
        assert_eq!(ledger.bytes(), 10_100, "the rest is in use");
    }

    #[test]
    fn a_part_is_left_to_jobs_however_large_the_store_is() {
        let mut ledger = Ledger::new(800);
        ledger.set_store(10_000);
        assert_eq!(set(&mut ledger, 1, 100, false), Ok(vec![]));
        assert!(set(&mut ledger, 1, 101, false).is_err());
    }

    #[test]
    fn the_error_is_a_sentence() {
        let full = Full { kind: "statistics", needs: 300_100_000, room: 250_900_000 };
        assert_eq!(
            full.to_string(),
            "Not enough memory for the statistics: 301 MB needed so far, 250 MB left. Choose a shorter range or one thread."
        );
    }
}
