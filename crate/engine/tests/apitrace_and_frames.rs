//! apitrace and frames files of the corpus, from bytes to the store, in any portions.

use crate::common::{assert_portions_do_not_matter, corpus_of};

#[test]
fn portions_do_not_matter_to_apitrace() {
    for (path, file) in corpus_of("apitrace", 3_000) {
        assert_portions_do_not_matter(&path.display().to_string(), &file);
    }
}

#[test]
fn portions_do_not_matter_to_frames() {
    for (path, file) in corpus_of("frames", 20_000) {
        assert_portions_do_not_matter(&path.display().to_string(), &file);
    }
}
