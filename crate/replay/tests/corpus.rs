//! Replays of real traces, without a GPU: every draw can be shown, and no shader is left untranslated.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::path::Path;

use unspool_formats::apitrace;
use unspool_formats::records::index_of;
use unspool_replay::{Bounds, Player, Turn};

const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpus/apitrace");

/// The index of a trace.
fn index(file: &[u8]) -> Vec<u8> {
    index_of(&apitrace::ROW.format, file).unwrap()
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
        let path = Path::new(CORPUS).join(format!("{name}.trace"));
        let Ok(file) = std::fs::read(&path) else {
            eprintln!("{} is missing: skipped", path.display());
            continue;
        };
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
        assert_eq!(
            verdict.shaders.iter().map(|shader| &shader.error).collect::<Vec<_>>(),
            Vec::<&String>::new(),
            "{name}"
        );
        assert_eq!(verdict.reasons, [], "{name}");
        assert!(verdict.draws > 0 && words > 0, "{name}");
    }
}
