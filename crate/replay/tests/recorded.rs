//! Replays of recorded traces, without a GPU: every draw can be shown, and no shader is left
//! untranslated.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use unspool_containers::{Container, peek};
use unspool_formats::apitrace;
use unspool_formats::apitrace::encode::snappy;
use unspool_records::memory::index_of;
use unspool_replay::{Bounds, Player, Turn};

/// The index of a trace.
fn index(file: &[u8]) -> Vec<u8> {
    index_of(&apitrace::ROW.format, file).unwrap()
}

/// Replays a trace to its end and checks that nothing of it is left out.
fn replay(name: &str, file: Vec<u8>) -> Player<Vec<u8>> {
    let mut player = Player::open(&index(&file), file, Bounds::default(), true).unwrap();
    player.seek(u64::MAX >> 1, [0; 2]);
    let mut words = 0;
    while player.step(10_000).unwrap() == Turn::Going {
        let stream = &mut player.replay().stream;
        words += stream.take().0.len();
    }
    words += player.replay().stream.words.len();
    let (calls, _) = player.progress();
    let frames = player.frames().len();
    let clears = player.frames().iter().filter(|frame| frame.clears.is_some()).count();
    let replay = player.replay();
    let verdict = &replay.verdict;
    eprintln!("{name}: {calls} calls, {} draws, {words} words, {clears} of {frames} frames clear", verdict.draws);
    assert_eq!(replay.halted, None, "{name}");
    assert_eq!(verdict.shaders.iter().map(|shader| &shader.error).collect::<Vec<_>>(), Vec::<&String>::new(), "{name}");
    assert_eq!(verdict.reasons, [], "{name}");
    assert!(verdict.draws > 0 && words > 0, "{name}");
    player
}

#[test]
fn all_draws_of_a_recorded_program_can_be_shown() {
    let file = include_bytes!("../../../tests/fixtures/graphics/draws.trace").to_vec();
    let mut player = replay("draws.trace", file);
    // Two clears and three draws each; what follows the last swap is a frame, too.
    let of_frames: Vec<_> = player.frames().iter().map(|frame| (frame.clears.is_some(), frame.draws)).collect();
    assert_eq!(of_frames, [(true, 5), (true, 5), (true, 5)]);
    assert_eq!(player.replay().verdict.draws, 15);
    // Its program, and that of the fixed function.
    let mut sources: Vec<_> = player.replay().programs.values().map(|made| made.source(1).contains("TINTED")).collect();
    sources.sort_unstable();
    assert_eq!(sources, [false, true]);
}

#[test]
fn all_draws_of_the_corpus_can_be_shown() {
    let traces = [
        "recorded/glmark2_medium",
        "recorded/glmix_3f",
        "recorded/glxgears_3s",
        "fetched/glxsimple",
        "fetched/tri",
        "fetched/tri_glsl",
        "fetched/glthreads",
        "modern/gtk4_widgets",
    ];
    for name in traces {
        if let Some(file) = unspool_corpus::read(&format!("apitrace/{name}.trace")) {
            replay(name, file);
        }
    }
}

#[test]
fn a_trace_that_ends_anywhere_is_replayed_up_to_there() {
    let whole = include_bytes!("../../../tests/fixtures/apitrace/replay_views.trace");
    let stream = peek(Container::of(whole), whole, usize::MAX);
    let mut latest = 0;
    for end in (stream.len() / 2..stream.len()).step_by(3) {
        for chunk in [7, 64, 1000] {
            let file = snappy(&stream[..end], chunk);
            let mut player = Player::open(&index(&file), file, Bounds::default(), true).unwrap();
            player.seek(u64::MAX >> 1, [0; 2]);
            while player.step(10_000).unwrap() == Turn::Going {
                player.replay().stream.take();
            }
            let (calls, _) = player.progress();
            assert!(calls >= latest, "{calls} calls of {end} bytes, and {latest} of fewer");
            latest = calls;
        }
    }
    assert!(latest > 0);
}

#[test]
fn textures_whose_uploads_were_interrupted_are_not_kept() {
    let file = include_bytes!("../../../tests/fixtures/apitrace/replay_windows.trace").to_vec();
    let mut player = Player::open(&index(&file), file, Bounds::default(), true).unwrap();
    let mut kept_after = |doubted: fn(&[u32]) -> &[u32]| {
        player.seek(u64::MAX >> 1, [0; 2]);
        let mut taken = Vec::new();
        while player.step(10_000).unwrap() == Turn::Going {
            taken.extend(player.replay().stream.take().0);
        }
        taken.extend(player.replay().stream.take().0);
        player.interrupted(doubted(&taken));
        let end = player.progress().1 + 1;
        player.seek(u64::MAX >> 1, [end; 2]);
        let kept = player.kept().len();
        player.forget();
        kept
    };
    assert_eq!(kept_after(|_| &[]), 1);
    assert_eq!(kept_after(|taken| taken), 0);
}
