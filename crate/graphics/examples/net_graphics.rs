//! Prints what an apitrace means: the states at calls as hashes, frames, findings and resources
//! whole. `scripts/net.mjs` compares that between two builds.
//!
//!     cargo run --release -p unspool-graphics --example net_graphics -- FILE [STATES | --at CALL]
//!
//! STATES: the number of calls whose state is printed, 2,000 if it is not given. With `--at` only
//! the state at a call, in full.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "an example that panics has said what is wrong")]

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash};

use unspool_formats::apitrace;
use unspool_gl::pixels::Texels;
use unspool_graphics::findings::Findings;
use unspool_graphics::resources::{Contents, Kind};
use unspool_graphics::state::History;
use unspool_graphics::{Reader, Survey};
use unspool_records::memory::index_of;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let file = std::fs::read(&arguments[0]).unwrap();
    let Some(index) = index_of(&apitrace::ROW.format, &file) else { return println!("unreadable") };
    let at = arguments.iter().position(|argument| argument == "--at").map(|at| arguments[at + 1].parse().unwrap());
    states(&index, &file, arguments.get(1).and_then(|count| count.parse().ok()).unwrap_or(2000), at);
    if at.is_none() {
        survey(&index, &file);
        findings(&index, &file);
    }
}

fn hash(what: impl Hash) -> String {
    // One without keys: the same in each process.
    format!("{:016x}", BuildHasherDefault::<DefaultHasher>::default().hash_one(what))
}

/// States after `count` random calls, and before every eighth of them; or at one call.
fn states(index: &[u8], file: &[u8], count: u64, at: Option<u64>) {
    let Ok(mut history) = History::open("apitrace", index, file.to_vec(), usize::MAX) else { return };
    if history.progress().count == 0 {
        return;
    }
    while !history.build(64).unwrap() {}
    let calls = history.progress().count;
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut asked: Vec<u64> = (0..count)
        .map(|i| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            if calls <= count { i } else { random % calls }
        })
        .filter(|call| *call < calls)
        .collect();
    asked.sort_unstable();
    asked.dedup();
    for call in at.map_or(asked, |call| vec![call]) {
        for is_before in [false, true] {
            if at.is_none() && is_before && call % 8 != 0 {
                continue;
            }
            let Some(report) = history.at(call, is_before).unwrap() else { continue };
            let text = format!("{report:#?}\n{}", report.json());
            let of = if is_before { "before" } else { "after" };
            println!("state {call} {of} {}", if at.is_some() { text } else { hash(text) });
        }
    }
}

fn survey(index: &[u8], file: &[u8]) {
    let mut survey = Survey::open(index, file.to_vec()).unwrap();
    while !survey.step(64).unwrap() {}
    for (i, frame) in survey.frames().frames().iter().enumerate() {
        println!("frame {i} {frame:?} {:?}", survey.frames().redundant(frame));
    }
    for i in (0..survey.frames().frames().len() as u32).step_by(50) {
        println!("opened {i} {}", hash(format!("{:?}", survey.open_frame(i).unwrap())));
    }
    let resources = survey.resources();
    let contexts: Vec<_> = resources.contexts().map(|it| (it.handle, it.created, it.group)).collect();
    println!("contexts {contexts:?} {:?}", resources.switches().all());
    let mut reader = Reader::keeping(index, file.to_vec(), u64::MAX).unwrap();
    for (i, resource) in resources.all().iter().enumerate() {
        println!("resource {i} {resource:?} {}", resources.facts(resource));
        let end = resource.deleted.map_or(u64::MAX >> 1, |call| call - 1);
        let mut contents = Contents::new(resources, &mut reader);
        match resource.kind {
            // Each takes a pass over the uploads.
            _ if i >= 200 || resource.size > 32 << 20 => {}
            Kind::Texture => {
                let found = contents.texture(i as u32, 0, end).unwrap();
                let texels = found.image.as_ref().map(|image| match &image.texels {
                    Texels::Bytes(bytes) => (hash(bytes), hash(&image.known)),
                    Texels::Words(words) => (hash(words), hash(&image.known)),
                });
                println!("texels {i} {texels:?}");
            }
            Kind::Buffer => println!("bytes {i} {}", hash(&contents.buffer_at(i as u32, end).unwrap().bytes)),
            _ => {}
        }
    }
}

fn findings(index: &[u8], file: &[u8]) {
    let mut findings = Findings::open(index, file.to_vec()).unwrap();
    while !findings.step(64).unwrap() {}
    for finding in findings.all() {
        println!("finding {finding:?}");
    }
}
