//! Which of the two layouts a file has, if any.
//!
//! Both headers are tried. In a wide file of less than 64 KiB of names bytes 2 to 7 are 0, so that read as narrow its first
//! names would all be empty; a narrow one read as wide has more names than any file. Where the head holds points, they
//! must be valid, too: a dictionary of 3 or of 65,541 bytes begins like the header of an XRay log.

use alloc::format;

use crate::limits::Limits;
use crate::sniff::{Confidence, Guess, Probe};

use super::decode::{Sink, VariableHeader, Walk};
use super::wire::{Kind, Layout, Number, StatementId, Tables};

/// What speaks for a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Judgement {
    pub(crate) layout: Layout,
    confidence: Confidence,
    names: usize,
    types: usize,
    points: u64,
}

pub(crate) fn sniff(probe: &Probe<'_>) -> Option<Guess> {
    let Judgement { layout, confidence, names, types, points } = layout(probe.head, probe.size)?;
    let header = format!("read in the {} layout, the header has {names} names and {types} types", layout.name());
    let reason = if points > 0 { format!("{header}, and {points} valid points follow") } else { header };
    Some(Guess { confidence, reason })
}

/// The layout that fits better; the wide one where both do.
pub(crate) fn layout(head: &[u8], size: u64) -> Option<Judgement> {
    let wide = judge(Layout::Wide, head, size);
    let narrow = judge(Layout::Narrow, head, size);
    match (wide, narrow) {
        (Some(wide), Some(narrow)) if narrow.confidence > wide.confidence => Some(narrow),
        (wide, narrow) => wide.or(narrow),
    }
}

fn judge(layout: Layout, head: &[u8], size: u64) -> Option<Judgement> {
    let count_len = layout.count_len();
    let mut count = [0; 8];
    count.iter_mut().zip(head.get(..count_len)?).for_each(|(to, from)| *to = *from);
    let count = u64::from_le_bytes(count);
    let here = head.get(count_len..).unwrap_or_default();
    let dictionary = here.get(..usize::try_from(count).unwrap_or(usize::MAX)).unwrap_or(here);
    if !is_text(dictionary) {
        return None;
    }
    let mut walk = Walk::new(layout, Limits::DEFAULT);
    let mut counted = Counted::default();
    let broken = walk.run(head, &mut counted).is_err();
    let cut = count_len as u64 + count > size;
    let judged = |confidence| {
        let (names, types) = (walk.tables.names(), walk.tables.types().len());
        Some(Judgement { layout, confidence, names, types, points: counted.points })
    };
    if !walk.has_names() {
        // The dictionary goes on behind the head, or the file ends in it: in that case it must hold a name at least.
        let names = dictionary.iter().filter(|b| **b == 0).count();
        return match cut {
            _ if broken || dictionary.is_empty() => None,
            false => judged(Confidence::Likely),
            true if layout == Layout::Wide && count < 1 << 24 && names > 0 => judged(Confidence::Possible),
            true => None,
        };
    }
    let closed = dictionary.last().is_none_or(|b| *b == 0);
    if !walk.has_header() {
        // The types go on behind the head, or the file ends in them.
        let consistent = closed && !broken && count > 0 && are_valid(&walk.tables);
        let cut = head.len() as u64 >= size;
        return if consistent { judged(if cut { Confidence::Possible } else { Confidence::Likely }) } else { None };
    }
    let consistent = closed && are_valid(&walk.tables);
    let full = walk.tables.names() > 0 && !walk.tables.types().is_empty();
    let whole = head.len() as u64 >= size && head.len() == walk.points.at as usize;
    match (consistent, full) {
        (true, true) if counted.points > 0 && !broken => judged(Confidence::Certain),
        // Nothing but the tag of the first entry is there to be judged, or no point is complete.
        (true, true) if !broken || counted.entries > 0 || counted.points > 0 => judged(Confidence::Likely),
        // Without types there can be no variables; that the file is valid to its end is all that speaks for it.
        (true, false) if whole && !broken => judged(Confidence::Possible),
        // The names look right: worth saying what is wrong with the rest.
        (_, true) => judged(Confidence::Possible),
        _ => None,
    }
}

/// Names are identifiers and types: text, and hardly ever empty.
fn is_text(dictionary: &[u8]) -> bool {
    let names = dictionary.iter().filter(|b| **b == 0).count();
    let empty = dictionary.windows(2).filter(|w| *w == [0, 0]).count() + usize::from(dictionary.first() == Some(&0));
    empty <= 1 + names / 8 && dictionary.iter().all(|b| *b == 0 || (*b >= b' ' && *b != 0x7f))
}

fn are_valid(tables: &Tables) -> bool {
    // The reference does not check a type's name, and there are files where it is wrong.
    tables.types().iter().all(|t| Kind::from_format(t.format).is_some())
        && tables.types().iter().filter(|t| t.name as usize >= tables.names()).count() <= 1
}

#[derive(Default)]
struct Counted {
    entries: u64,
    points: u64,
}

impl Sink for Counted {
    fn is_full(&self) -> bool {
        false
    }
    fn begin(&mut self, _at: u64) {}
    fn statement(&mut self, _id: StatementId) {
        self.entries += 1;
    }
    fn number(&mut self, _variable: VariableHeader, _value: Number, _size: u8) {
        self.entries += 1;
    }
    fn blob(&mut self, _variable: VariableHeader, _len: u32) {
        self.entries += 1;
    }
    fn bytes(&mut self, _bytes: &[u8]) {}
    fn buffer_size(&mut self, _at: u64, _address: u64, _size: u64) {
        self.entries += 1;
    }
    fn auxiliary(&mut self, _value: u64) {
        self.entries += 1;
    }
    fn end(&mut self, _next: u64) {
        self.points += 1;
    }
}
