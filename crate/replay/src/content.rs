//! The content of a buffer of the trace, as far as it was written.
//!
//! ```text
//! glBufferData(500 MiB, NULL)      no page: zeros
//! glBufferSubData(70000, 4)        page 1; clones have the other ones in common
//! ```

use std::borrow::Cow;
use std::rc::Rc;

/// Bytes of a page. The last one of a buffer is as long as what is left.
pub(crate) const PAGE: usize = 1 << 16;

/// Bytes, in pages that clones share until one changes. Pages that nothing was written to take no
/// memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Content {
    len: usize,
    pages: Rc<Vec<Option<Rc<[u8]>>>>,
}

impl Content {
    /// Zeros.
    pub(crate) fn zeros(len: usize) -> Self {
        Self { len, pages: Rc::new(vec![None; len.div_ceil(PAGE)]) }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Bytes that take memory.
    pub(crate) fn held(&self) -> usize {
        self.pages.iter().flatten().map(|page| page.len()).sum()
    }

    /// Bytes that take memory beside what another one has, too.
    pub(crate) fn held_beside(&self, other: &Self) -> usize {
        if Rc::ptr_eq(&self.pages, &other.pages) {
            return 0;
        }
        let same = |(at, page): &(usize, &Rc<[u8]>)| {
            other.pages.get(*at).and_then(Option::as_ref).is_some_and(|known| Rc::ptr_eq(known, page))
        };
        let own = self.pages.iter().enumerate().filter_map(|(at, page)| Some((at, page.as_ref()?)));
        own.filter(|page| !same(page)).map(|(_, page)| page.len()).sum()
    }

    /// A range. `None` if it is not within.
    pub(crate) fn get(&self, at: usize, len: usize) -> Option<Cow<'_, [u8]>> {
        let end = at.checked_add(len).filter(|end| *end <= self.len)?;
        if len == 0 {
            return Some(Cow::Borrowed(&[]));
        }
        let (first, last) = (at / PAGE, (end - 1) / PAGE);
        if first == last
            && let Some(page) = self.pages.get(first)?
        {
            return page.get(at % PAGE..at % PAGE + len).map(Cow::Borrowed);
        }
        let mut out = Vec::with_capacity(len);
        for number in first..=last {
            let begin = (number * PAGE).max(at);
            let until = ((number + 1) * PAGE).min(end);
            match self.pages.get(number)? {
                Some(page) => out.extend_from_slice(page.get(begin % PAGE..begin % PAGE + (until - begin))?),
                None => out.resize(out.len() + (until - begin), 0),
            }
        }
        Some(Cow::Owned(out))
    }

    /// Writes bytes. Returns false if they do not fit, and writes nothing then.
    pub(crate) fn put(&mut self, at: usize, bytes: &[u8]) -> bool {
        let len = self.len;
        let Some(end) = at.checked_add(bytes.len()).filter(|end| *end <= len) else { return false };
        if bytes.is_empty() {
            return true;
        }
        let pages = Rc::make_mut(&mut self.pages);
        let mut rest = bytes;
        for number in at / PAGE..=(end - 1) / PAGE {
            let begin = (number * PAGE).max(at);
            let until = ((number + 1) * PAGE).min(end);
            let (part, others) = rest.split_at_checked(until - begin).unwrap_or_default();
            rest = others;
            let Some(slot) = pages.get_mut(number) else { return false };
            let whole = PAGE.min(len - number * PAGE);
            if part.len() == whole {
                *slot = Some(part.into());
                continue;
            }
            let page = slot.get_or_insert_with(|| vec![0; whole].into());
            if let Some(room) = Rc::make_mut(page).get_mut(begin % PAGE..begin % PAGE + part.len()) {
                room.copy_from_slice(part);
            }
        }
        true
    }

    /// The pages in a range that were written to: offset and bytes of each, cut to the range.
    pub(crate) fn written(&self, from: usize, to: usize) -> impl Iterator<Item = (usize, Part)> {
        let to = to.min(self.len);
        let numbers = from / PAGE..to.div_ceil(PAGE);
        numbers.filter_map(move |number| {
            let page = self.pages.get(number)?.as_ref()?;
            let (begin, end) = ((number * PAGE).max(from), ((number + 1) * PAGE).min(to));
            let range = begin - number * PAGE..end - number * PAGE;
            (!range.is_empty()).then(|| (begin, Part { page: Rc::clone(page), range }))
        })
    }
}

/// A part of a page.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    page: Rc<[u8]>,
    range: core::ops::Range<usize>,
}

impl Part {
    pub(crate) fn bytes(&self) -> &[u8] {
        self.page.get(self.range.clone()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_written_is_zero_and_takes_no_memory() {
        let mut content = Content::zeros(500 << 20);
        assert_eq!((content.held(), content.len()), (0, 500 << 20));
        assert!(content.put(PAGE - 2, &[1, 2, 3, 4]));
        assert_eq!(content.held(), 2 * PAGE);
        assert_eq!(*content.get(PAGE - 3, 6).unwrap(), [0, 1, 2, 3, 4, 0]);
        assert_eq!(content.get((500 << 20) - 2, 2).as_deref(), Some(&[0, 0][..]));
        assert_eq!(content.get((500 << 20) - 2, 3), None);
        assert!(!content.put((500 << 20) - 2, &[1, 2, 3]) && !content.put(usize::MAX, &[1]));
        let parts: Vec<(usize, usize)> =
            content.written(10, usize::MAX).map(|(at, part)| (at, part.bytes().len())).collect();
        assert_eq!(parts, [(10, PAGE - 10), (PAGE, PAGE)]);
        // The last page is as long as what is left.
        let mut small = Content::zeros(100);
        assert!(small.put(0, &[7; 100]));
        assert_eq!((small.held(), &*small.get(98, 2).unwrap()), (100, &[7, 7][..]));
        assert_eq!(Content::zeros(0).get(0, 0).as_deref(), Some(&[][..]));
    }

    #[test]
    fn clones_share_what_has_not_changed() {
        let mut content = Content::zeros(4 * PAGE);
        assert!(content.put(0, &vec![1; 4 * PAGE]));
        let copy = content.clone();
        assert_eq!(content.held_beside(&copy), 0);
        assert!(content.put(PAGE, &[2]));
        assert_eq!((content.held_beside(&copy), copy.get(PAGE, 1).as_deref()), (PAGE, Some(&[1][..])));
        assert_eq!(content.get(PAGE, 2).as_deref(), Some(&[2, 1][..]));
    }
}
