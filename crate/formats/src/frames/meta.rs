//! What the meta frame says of the whole trace.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::date::date;
use crate::hex::push_hex;

use super::records::Meta;

/// Limit for a text in bytes: each is shown in one line.
const MAX_TEXT: usize = 1024;

/// The properties of a trace with this meta frame.
pub(super) fn properties(meta: &Meta<'_>) -> Vec<(&'static str, String)> {
    let (tracer, target) = (meta.tracer.unwrap_or_default(), meta.target.unwrap_or_default());
    let traced_by = match (line(tracer.name), line(tracer.last)) {
        (Some(name), Some(version)) => Some(format!("{name} {version}")),
        (name, version) => name.or(version),
    };
    let md5 = target.last.filter(|sum| !sum.is_empty()).map(|sum| {
        let mut text = String::new();
        push_hex(&mut text, sum.get(..MAX_TEXT).unwrap_or(sum));
        text
    });
    let all = [
        ("Program", line(target.name)),
        ("Arguments", line(target.arguments())),
        ("MD5", md5),
        ("Tracer", traced_by),
        ("Traced with", line(tracer.arguments())),
        ("Traced by", line(meta.user)),
        ("Host", line(meta.host)),
        ("Traced on", meta.time.and_then(date)),
    ];
    all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// Texts with spaces between them, shortened. `None` if they are empty.
fn line<'a>(texts: impl IntoIterator<Item = &'a [u8]>) -> Option<String> {
    let mut all: Vec<u8> = Vec::new();
    for text in texts {
        let space: &[u8] = if all.is_empty() { b"" } else { b" " };
        let room = (MAX_TEXT + 1).saturating_sub(all.len());
        all.extend(space.iter().chain(text).take(room));
    }
    let shown = String::from_utf8_lossy(all.get(..MAX_TEXT).unwrap_or(&all));
    match (shown.is_empty(), all.len() > MAX_TEXT) {
        (true, _) => None,
        (false, false) => Some(shown.into()),
        (false, true) => Some(format!("{shown}…")),
    }
}
