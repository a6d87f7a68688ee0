//! One number for everything that a trace holds, to compare two readings with.

use unspool_trace::Locator;

use super::Store;
use super::slice::Slice;
use crate::call_tree::NodeId;

/// FNV-1a over 64-bit words: needs no dependency, and is good enough without an adversary.
struct Digest(u64);

impl Digest {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        // Multiplication only carries upwards.
        self.0 ^= self.0 >> 29;
    }

    fn text(&mut self, text: &str) {
        self.add(text.len() as u64);
        text.bytes().for_each(|byte| self.add(u64::from(byte)));
    }
}

impl Store {
    /// A hash of the trace: two readings of the same bytes have the same one, and two different
    /// traces almost certainly do not.
    ///
    /// It covers every track with its name, and every slice (depth, start, end, name, flags),
    /// instant and sample, in order, and the levels of detail of slices, from which pictures are
    /// made. It depends neither on the portions in which the bytes came nor on how the store keeps
    /// them. It may change from version to version.
    pub fn digest(&self) -> u64 {
        let names: Vec<u64> = self
            .texts
            .own()
            .map(|name| {
                let mut digest = Digest::new();
                digest.text(name);
                digest.0
            })
            .collect();
        let name = |number: u32| names.get(number as usize).copied().unwrap_or(0);
        // A call path by its names: node numbers depend on the order in which paths were met. A
        // caller precedes its callees.
        let mut paths: Vec<u64> = Vec::with_capacity(self.calls.len());
        for node in 0..self.calls.len() as NodeId {
            let mut digest = Digest::new();
            digest.add(paths.get(self.calls.parent(node) as usize).copied().unwrap_or(0));
            digest.add(name(self.calls.name(node)));
            paths.push(digest.0);
        }
        let now = self.extent().map_or(0, |(_, to)| to);
        let mut digest = Digest::new();
        for track in &self.tracks {
            digest.text(&track.def.name);
            let mut slice = |depth: i64, slice: &Slice| {
                for word in [depth as u64, slice.start, slice.end, name(self.calls.name(slice.node))] {
                    digest.add(word);
                }
                digest.add(u64::from(slice.flags));
            };
            for (depth, column) in track.columns() {
                column.scan(0, column.len(), |_, it| {
                    slice(i64::from(depth - track.lowest()), &it);
                    true
                });
            }
            for open in track.open() {
                let it = Slice { start: open.start, end: now, node: open.node, flags: 0, locator: Locator::default() };
                slice(i64::from(open.depth - track.lowest()), &it);
            }
            for (_, column) in track.columns() {
                for level in 1..=column.levels() {
                    let mut i = 0;
                    while let run @ [_, ..] = column.nodes(level, i) {
                        for node in run {
                            node.words().into_iter().for_each(|word| digest.add(word));
                            digest.add(paths.get(node.dominant as usize).copied().unwrap_or(0));
                        }
                        i += run.len();
                    }
                }
            }
            for instant in (0..track.instants.len()).filter_map(|i| track.instants.get(i)) {
                digest.add(instant.time);
                digest.add(name(instant.name));
            }
            for sample in (0..track.samples.len()).filter_map(|i| track.samples.get(i)) {
                digest.add(sample.time);
                digest.add(sample.bits);
            }
        }
        digest.0
    }
}
