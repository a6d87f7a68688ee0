//! What the calls of an apitrace mean: frames, resources, findings, state.

use unspool_gl::pixels::Image;
use unspool_graphics::findings::Findings;
use unspool_graphics::resources::{Contents, Kind};
use unspool_graphics::state::{History, Report};
use unspool_graphics::{Reader, Survey};
use unspool_records::ByteSource;

use crate::choices::Choices;
use crate::file::{Slow, index};
use crate::stream::stored;

/// Questions of each kind, per trace.
const QUESTIONS: u64 = 6;
/// Bytes of a texture that is looked at texel by texel.
const MOST: usize = 1 << 20;

/// Frames, resources and findings are the same in any steps and portions, and what resources hold
/// is the same whenever it is asked.
pub(crate) fn surveyed(stream: &[u8]) {
    let file = stored(stream);
    let Some(index) = index("apitrace", &file) else { return };
    let mut choices = Choices::of(stream);
    let mut whole = Survey::open(&index, file.clone()).expect("an index");
    while !whole.step(u32::MAX).expect("memory can be read") {}
    let mut parts = Survey::open(&index, Slow::new(&file, &choices)).expect("an index");
    while !parts.step(1 + choices.below(3) as u32).expect("memory can be read") {
        parts.resources().used(choices.extreme(), choices.extreme());
    }
    assert_eq!(whole.frames().frames(), parts.frames().frames());
    let (resources, others) = (whole.resources(), parts.resources());
    assert_eq!(format!("{:?}", resources.all()), format!("{:?}", others.all()));
    for it in resources.all() {
        assert_eq!(resources.facts(it), others.facts(it));
        assert!(
            it.parts
                .iter()
                .chain(it.uploads.iter().filter_map(|upload| upload.from.as_ref()))
                .all(|part| (*part as usize) < resources.all().len())
        );
    }
    contents(&whole, &index, &file, &mut choices);
    let frames = whole.frames().frames().len() as u64;
    for _ in 0..QUESTIONS {
        let frame = choices.below(frames + 1) as u32;
        let opened = whole.open_frame(frame).expect("memory can be read");
        let again = parts.open_frame(frame).expect("memory can be read");
        assert_eq!(format!("{opened:?}"), format!("{again:?}"), "frame {frame}");
    }
    findings(&index, &file, &mut choices);
}

/// Contents of resources, with a reader that has answered other questions before, and with a new
/// one.
fn contents(survey: &Survey<Vec<u8>>, index: &[u8], file: &[u8], choices: &mut Choices) {
    let resources = survey.resources();
    let open = || Reader::keeping(index, file.to_vec(), u64::MAX).expect("an index");
    let mut used = open();
    for _ in 0..QUESTIONS {
        let resource = choices.index(resources.all().len() + 1) as u32;
        let level = choices.below(3) as u32;
        let count = used.count();
        let call = if choices.below(4) == 0 { choices.extreme() } else { choices.below(count + 2) };
        let of = |reader: &mut Reader<Vec<u8>>| {
            let mut contents = Contents::new(resources, reader);
            let texture = contents.texture(resource, level, call).expect("memory can be read");
            let buffer = contents.buffer_at(resource, call).expect("memory can be read");
            let sources = contents.sources(resource, call).expect("memory can be read");
            let blob = contents.blob(call).expect("memory can be read");
            (texture, (buffer, sources, blob))
        };
        let ((texture, others), (again, others_again)) = (of(&mut used), of(&mut open()));
        assert_eq!(others, others_again, "resource {resource} at {call}");
        let places = |it: &unspool_graphics::resources::TextureAt| {
            (it.wrong.as_ref().map(ToString::to_string), it.written, it.uploaded, it.is_cut)
        };
        assert_eq!(places(&texture), places(&again), "texture {resource} at {call}");
        match (&texture.image, &again.image) {
            (Some(image), Some(again)) => same_image(image, again, choices),
            (image, again) => assert_eq!(image.is_some(), again.is_some(), "texture {resource} at {call}"),
        }
    }
    let found = resources.find(Kind::Texture, choices.below(4) as u32, choices.extreme());
    assert!(found.is_none_or(|found| resources.all()[found as usize].kind == Kind::Texture));
}

/// Two readings of a texture have the same pixels, and as many as it says.
fn same_image(image: &Image, again: &Image, choices: &mut Choices) {
    if image.size() > MOST {
        return;
    }
    let z = choices.below(u64::from(image.depth) + 1) as u32;
    let range = image.natural_range(z, u32::MAX);
    assert!(range.0 <= range.1 && range.0.is_finite() && range.1.is_finite(), "{range:?}");
    let channels = [Some(0), Some(1), Some(2), Some(3)];
    let pixels = image.pixels(z, range, channels);
    assert_eq!(pixels, again.pixels(z, range, channels));
    let expected = if z < image.depth { 4 * image.width as usize * image.height as usize } else { 0 };
    assert!(pixels.len() == expected || z >= image.depth, "{} bytes of pixels, not {expected}", pixels.len());
    image.texel(choices.extreme() as u32, choices.below(4) as u32, z);
    assert_eq!(image.is_known(z), again.is_known(z));
}

fn findings(index: &[u8], file: &[u8], choices: &mut Choices) {
    let mut whole = Findings::open(index, file.to_vec()).expect("an index");
    while !whole.step(u32::MAX).expect("memory can be read") {}
    let mut parts = Findings::open(index, Slow::new(file, choices)).expect("an index");
    while !parts.step(1).expect("memory can be read") {
        parts.all();
    }
    let all = whole.all();
    assert_eq!(all, parts.all());
    for finding in &all {
        assert!(!finding.sentence.is_empty() && finding.count > 0, "{finding:?}");
        assert!(finding.calls.is_sorted_by(|a, b| a < b) && finding.calls.len() as u64 <= finding.count, "{finding:?}");
    }
}

/// State at a call is the same whichever calls were asked before, and in whatever portions the
/// history was built.
pub(crate) fn state(stream: &[u8]) {
    let file = stored(stream);
    let Some(index) = index("apitrace", &file) else { return };
    let mut choices = Choices::of(stream);
    let mut whole = History::open("apitrace", &index, file.clone(), usize::MAX).expect("an index");
    while !whole.build(u32::MAX).expect("memory can be read") {}
    let mut parts = History::open("apitrace", &index, Slow::new(&file, &choices), usize::MAX).expect("an index");
    let count = whole.progress().count;
    let mut is_built = false;
    while !is_built {
        is_built = parts.build(1).expect("memory can be read");
        // A question in between changes nothing.
        at(&mut parts, choices.below(count + 2), choices.below(2) == 0);
    }
    for _ in 0..QUESTIONS {
        let (call, is_before) = (choices.below(count + 2), choices.below(2) == 0);
        let [first, second] = [at(&mut whole, call, is_before), at(&mut parts, call, is_before)];
        let text = |report: &Option<Report>| format!("{report:?}");
        assert_eq!(text(&first), text(&second), "state at {call}");
        assert_eq!(first.is_some(), call < count, "state at {call} of {count}");
        if let (Some(first), Some(second)) = (first, second) {
            assert_eq!(first.json(), second.json(), "state at {call}");
        }
    }
}

fn at<S: ByteSource>(history: &mut History<S>, call: u64, is_before: bool) -> Option<Report> {
    history.at(call, is_before).expect("memory can be read")
}
