//! A whole trace: from its bytes to pictures, statistics and lists.

use unspool_engine::{Session, Step};
use unspool_records::{RecordReader, Scope};

use crate::choices::Choices;
use crate::events;

/// Slices, instants and records that are looked at. A few bytes of a compressed trace can hold any
/// number.
const MOST: u64 = 100_000;
/// Rows of a list that are compared one by one.
const ROWS: u32 = 200;

/// A session gives the same trace in any portions and steps, and its lists have all of its records.
pub(crate) fn opened(file: &[u8]) {
    let mut choices = Choices::of(file);
    let Some(whole) = read(file, || (usize::MAX, usize::MAX), |_| {}) else { return };
    let mut looking = choices.clone();
    let parts = read(
        file,
        || (choices.portion(), 1 + choices.index(5000)),
        |session| {
            if looking.below(64) == 0 {
                events::answers(session.store(), &mut looking);
                session.take_names(usize::MAX);
                session.take_tracks();
                session.progress();
            }
        },
    );
    let mut parts = parts.unwrap_or_else(|| panic!("as many slices in portions"));
    let (store, other) = (whole.store(), parts.store());
    assert_eq!(format!("{:?}", store.problem_report()), format!("{:?}", other.problem_report()));
    assert_eq!((store.records(), store.slices()), (other.records(), other.slices()));
    assert_eq!(store.digest(), other.digest(), "the digest depends on portions");
    assert_eq!(whole.error().map(|error| &error.sentence), parts.error().map(|error| &error.sentence));
    assert!(whole.index() == parts.index(), "the index depends on portions");
    events::answers(store, &mut looking);
    parts.take_tracks();
    parts.problems(0, 50);
    lists(&whole, file, &mut looking);
}

/// Reads a file in portions and steps of the sizes that `sizes` returns. Returns `None` if it is
/// not a trace of bytes, or has more than is worth comparing.
pub(crate) fn read(
    file: &[u8],
    mut sizes: impl FnMut() -> (usize, usize),
    mut after: impl FnMut(&mut Session),
) -> Option<Session> {
    let head = &file[..file.len().min(64 * 1024)];
    let tail = &file[file.len().saturating_sub(64 * 1024)..];
    let mut session = Session::new("", file.len() as u64, head, tail).ok().filter(|session| !session.is_pulled())?;
    loop {
        let (portion, budget) = sizes();
        match session.step(budget) {
            Step::Done | Step::Broken => return Some(session),
            Step::More => {}
            Step::NeedsBytes => {
                let (at, len) = session.wants();
                let at = usize::try_from(at).unwrap_or(usize::MAX).min(file.len());
                let most = if len == 0 { usize::MAX } else { usize::try_from(len).unwrap_or(usize::MAX) };
                match &file[at..at.saturating_add(portion.min(most)).min(file.len())] {
                    [] => session.end(),
                    bytes => session.push(bytes),
                }
            }
        }
        after(&mut session);
        if session.store().slices().max(session.store().instants()).max(session.store().records()) > MOST {
            return None;
        }
    }
}

/// The list of all records has as many as the timeline, and its rows are found again, alone and by
/// their positions.
fn lists(session: &Session, file: &[u8], choices: &mut Choices) {
    let reader = RecordReader::open(session.format().id, &session.index(), Box::new(file.to_vec()));
    let mut reader = reader.unwrap_or_else(|error| panic!("the index: {}", error.sentence));
    let all = Scope { range: None, tracks: None };
    let Ok(mut list) = reader.list(&all, None) else { return };
    assert_eq!(list.len(), session.store().records(), "rows and records");
    let first = choices.below(list.len());
    let Ok(rows) = reader.rows_of(&mut list, first, ROWS) else { return };
    let expected = u64::from(ROWS).min(list.len() - first);
    if session.error().is_none() {
        assert_eq!(rows.len() as u64, expected, "rows of a list");
    }
    let Some(row) = rows.get(choices.index(rows.len())) else { return };
    if let Ok(found) = reader.row_at(&mut list, row.x, Some(row.track), Some(row.locator)) {
        assert!(found.is_some(), "{row:?} is found");
    }
    let (a, b) = (choices.index(rows.len()), choices.index(rows.len()));
    let (from, to) = (rows[a].x.min(rows[b].x), rows[a].x.max(rows[b].x).saturating_add(1));
    let some = Scope { range: Some(from..to), tracks: Some(vec![row.track]) };
    let Ok(mut list) = reader.list(&some, None) else { return };
    while reader.advance(&mut list) == Ok(false) {}
    let Ok(rows) = reader.rows_of(&mut list, 0, ROWS) else { return };
    for found in rows {
        assert_eq!(found.track, row.track);
        assert!((from..to).contains(&found.x), "{} in {from}..{to}", found.x);
    }
}
