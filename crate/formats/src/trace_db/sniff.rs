//! Which of the two layouts a file has, if any.
//!
//! Both headers are tried. A wide file with less than 64 KiB of names has zeros in bytes 2 to 7;
//! read as narrow, its first names would be empty. A narrow file read as wide would have more names
//! than fit into any file. Points in the head must be valid as well, because a dictionary of 3 or
//! of 65,541 bytes begins like the header of an XRay log.

use alloc::format;

use unspool_trace::limits::Limits;
use unspool_trace::sniff::{Confidence, Guess, Probe};

use super::decode::{Sink, VariableHeader, Walk};
use super::wire::{Kind, Layout, Number, StatementId, Tables};

/// The result for one layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Evaluation {
    pub(crate) layout: Layout,
    confidence: Confidence,
    names: usize,
    types: usize,
    points: u64,
}

pub(crate) fn sniff(probe: &Probe<'_>) -> Option<Guess> {
    let Evaluation { layout, confidence, names, types, points } = layout(probe.head, probe.size)?;
    let header = format!("a header of the {} layout with {names} names and {types} types", layout.name());
    let reason = if points > 0 { format!("{header}, followed by {points} valid points") } else { header };
    Some(Guess { confidence, reason })
}

/// The layout that fits better; wide if both fit equally.
pub(crate) fn layout(head: &[u8], size: u64) -> Option<Evaluation> {
    let wide = evaluate(Layout::Wide, head, size);
    let narrow = evaluate(Layout::Narrow, head, size);
    match (wide, narrow) {
        (Some(wide), Some(narrow)) if narrow.confidence > wide.confidence => Some(narrow),
        (wide, narrow) => wide.or(narrow),
    }
}

fn evaluate(layout: Layout, head: &[u8], size: u64) -> Option<Evaluation> {
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
    let mut counter = Counter::default();
    let broken = walk.run(head, &mut counter).is_err();
    let cut = count.saturating_add(count_len as u64) > size;
    let evaluated = |confidence| {
        let (names, types) = (walk.tables.names(), walk.tables.types().len());
        Some(Evaluation { layout, confidence, names, types, points: counter.points })
    };
    if !walk.has_names() {
        // The dictionary continues after the head, or the file ends within it. In the latter case
        // it must hold a name.
        let names = dictionary.iter().filter(|b| **b == 0).count();
        return match cut {
            _ if broken || dictionary.is_empty() => None,
            false => evaluated(Confidence::Likely),
            true if layout == Layout::Wide && count < 1 << 24 && names > 0 => evaluated(Confidence::Possible),
            true => None,
        };
    }
    let closed = dictionary.last().is_none_or(|b| *b == 0);
    if !walk.has_header() {
        // The types continue after the head, or the file ends within them.
        let consistent = closed && !broken && count > 0 && are_valid(&walk.tables);
        let cut = head.len() as u64 >= size;
        return if consistent { evaluated(if cut { Confidence::Possible } else { Confidence::Likely }) } else { None };
    }
    let consistent = closed && are_valid(&walk.tables);
    let full = walk.tables.names() > 0 && !walk.tables.types().is_empty();
    let whole = head.len() as u64 >= size && head.len() == walk.points.at as usize;
    match (consistent, full) {
        (true, true) if counter.points > 0 && !broken => evaluated(Confidence::Certain),
        // Only the tag of the first entry is in the head, or no point is complete.
        (true, true) if !broken || counter.entries > 0 || counter.points > 0 => evaluated(Confidence::Likely),
        // Without types there are no variables; the only evidence is that the file is valid to its
        // end.
        (true, false) if whole && !broken => evaluated(Confidence::Possible),
        // The names look right, so opening the file can at least report what is wrong with the
        // rest.
        (_, true) => evaluated(Confidence::Possible),
        _ => None,
    }
}

/// Whether a dictionary looks like identifiers and types: text with hardly any empty name.
fn is_text(dictionary: &[u8]) -> bool {
    let names = dictionary.iter().filter(|b| **b == 0).count();
    let empty = dictionary.windows(2).filter(|w| *w == [0, 0]).count() + usize::from(dictionary.first() == Some(&0));
    empty <= 1 + names / 8 && dictionary.iter().all(|b| *b == 0 || (*b >= b' ' && *b != 0x7f))
}

fn are_valid(tables: &Tables) -> bool {
    // The reference does not check the name of a type, and there are files in which it is wrong.
    tables.types().iter().all(|t| Kind::from_format(t.format).is_some())
        && tables.types().iter().filter(|t| t.name as usize >= tables.names()).count() <= 1
}

#[derive(Default)]
struct Counter {
    entries: u64,
    points: u64,
}

impl Sink for Counter {
    fn statement(&mut self, _id: StatementId) {
        self.entries += 1;
    }
    fn number(&mut self, _variable: VariableHeader, _value: Number, _size: u8) {
        self.entries += 1;
    }
    fn blob(&mut self, _variable: VariableHeader, _len: u32) {
        self.entries += 1;
    }
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
