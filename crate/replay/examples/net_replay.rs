//! Prints the commands that an apitrace becomes, as a hash for each thousand calls, and what is
//! said of its draws. `scripts/net.mjs` compares that between two builds.
//!
//!     cargo run --release -p unspool-replay --example net_replay -- FILE

#![allow(clippy::unwrap_used, reason = "an example that panics has said what is wrong")]

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use unspool_formats::apitrace;
use unspool_records::memory::index_of;
use unspool_replay::{Bounds, Drawn, Frame, Player, Turn};

/// Calls of a turn.
const TURN: u64 = 1000;

fn main() {
    let file = std::fs::read(std::env::args().nth(1).unwrap()).unwrap();
    let Some(index) = index_of(&apitrace::ROW.format, &file) else { return println!("unreadable") };
    let mut verdict = Player::open(&index, file.clone(), Bounds::default(), false).unwrap();
    play(&mut verdict, u64::MAX >> 1, [0; 2], "verdict");
    let frames = verdict.frames().to_vec();
    for (i, frame) in frames.iter().enumerate() {
        println!("frame {i} {frame:?}");
    }
    let replay = verdict.replay();
    println!("halted {:?}", replay.halted);
    let known = &replay.verdict;
    println!("verdict {} {} {:?} {:?}", known.draws, known.unshown, known.reasons, known.ignored);
    println!("listed {}", hash(&(&known.calls, &known.listed)));
    for shader in &known.shaders {
        println!("shader {:?}", shader.error);
    }
    let mut player = verdict.drawing(file);
    play(&mut player, u64::MAX >> 1, [0; 2], "all");
    earlier(&verdict, &frames);
    let bytes = |it: &Drawn| 4 * u64::from(it.width) * u64::from(it.height);
    let drawn = player.replay().drawn().map(|all| all.iter().map(bytes).sum::<u64>());
    println!("a copy of all that is drawn at the end takes {drawn:?} bytes");
    // Jumps to the ends of frames, the last one first.
    for frame in frames.iter().rev().step_by((frames.len() / 8).max(1)) {
        let skip = verdict.skip_before(frame.to);
        println!("skip {} {skip:?}", frame.to);
        play(&mut player, frame.to, skip, "jump");
    }
}

/// Prints how many draws the pictures of all frames take that are of earlier frames.
fn earlier(verdict: &Player<Vec<u8>>, frames: &[Frame]) {
    let (mut need, mut own, mut before, mut most) = (0, 0, 0, 0);
    for (i, frame) in frames.iter().enumerate() {
        let from = verdict.skip_before(frame.to).into_iter().min().unwrap_or(0);
        let draws: u64 = frames.iter().take(i).rev().take_while(|frame| frame.to >= from).map(|it| it.draws).sum();
        (need, own, before) = (need + u64::from(draws > 0), own + frame.draws, before + draws);
        most = draws.max(most);
    }
    println!("{need} of {} frames need {before} draws before them, at most {most} each, and have {own}", frames.len());
}

/// Executes calls up to one, and prints what that becomes.
fn play(player: &mut Player<Vec<u8>>, call: u64, skip: [u64; 2], name: &str) {
    let starts = player.seek(call, skip);
    println!("{name} {call} {starts}");
    loop {
        let turn = player.step(TURN).unwrap();
        let (words, bytes) = player.replay().stream.take();
        if !words.is_empty() {
            // A jump makes objects again in an order that maps have by chance.
            let (count, size) = (words.len(), bytes.len());
            let same = if name == "jump" { String::new() } else { hash(&(words, bytes)) };
            println!("commands {:?} {count} {size} {same}", player.progress());
        }
        if turn == Turn::Done {
            return;
        }
    }
}

fn hash(what: &impl std::hash::Hash) -> String {
    // One without keys: the same in each process.
    format!("{:016x}", BuildHasherDefault::<DefaultHasher>::default().hash_one(what))
}
