//! Numbers of processes and threads, which other formats require of every track.

use hashbrown::HashSet;
use unspool_trace::TrackKind;

use crate::Trace;

/// The process and the number of each track, both from 1 to 2^31 - 1.
///
/// Those of the trace where they are in that range and unique, else free ones.
#[derive(Debug, Default)]
pub struct Ids {
    tracks: Vec<(i32, i32)>,
    /// The process of tracks without one.
    pub root: i32,
}

impl Ids {
    /// Numbers for all tracks.
    pub fn of(trace: &Trace) -> Self {
        let tracks = &trace.head.tracks;
        let small = |number: Option<i64>| number.and_then(|it| i32::try_from(it).ok()).filter(|it| *it > 0);
        let mut taken = HashSet::new();
        let mut own = Vec::new();
        for kind in [TrackKind::Process, TrackKind::Thread] {
            // A process and its main thread share a number.
            taken.clear();
            own.resize(tracks.len(), None);
            for (own, track) in own.iter_mut().zip(tracks).filter(|(_, track)| track.kind == kind) {
                *own = small(track.id).filter(|number| taken.insert(*number));
            }
        }
        let mut taken: HashSet<i32> = own.iter().copied().flatten().collect();
        let mut next = 1;
        let mut free = || {
            while !taken.insert(next) {
                next += 1;
            }
            next
        };
        let has_root = tracks.iter().any(|track| track.kind != TrackKind::Process && track.parent.is_none());
        let root = if has_root { free() } else { 0 };
        let mut all: Vec<(i32, i32)> = Vec::with_capacity(tracks.len());
        for (track, own) in tracks.iter().zip(own) {
            let number = own.unwrap_or_else(&mut free);
            let above = track.parent.and_then(|parent| all.get(parent as usize)).map(|(process, _)| *process);
            let process = if track.kind == TrackKind::Process { number } else { above.unwrap_or(root) };
            all.push((process, number));
        }
        Self { tracks: all, root }
    }

    /// Process and number of a track.
    pub fn get(&self, track: u32) -> (i32, i32) {
        self.tracks.get(track as usize).copied().unwrap_or((1, 1))
    }
}
