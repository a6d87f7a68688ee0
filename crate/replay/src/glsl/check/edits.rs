//! Changes of tokens that are found out of order and made at the end.

use std::borrow::Cow;

use crate::glsl::tokens::{Token, TokenKind, tokens_of_line};

type Text = Cow<'static, str>;

/// What is done at a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The text, a parenthesis, the tokens up to another one, and a parenthesis.
    Wrap,
    /// The text takes its place.
    Replace,
    /// The text is put before it.
    Insert,
    /// The tokens up to another one are taken to the destination, between the text and a semicolon.
    Move,
}

#[derive(Debug)]
struct Change {
    kind: Kind,
    at: usize,
    to: usize,
    text: Text,
    /// Its names are those of the translation.
    is_final: bool,
    /// The change before this one at the same token.
    before: Option<usize>,
}

/// Changes of a list of tokens. Indices are those of the list before all changes.
#[derive(Debug, Default)]
pub(super) struct Edits {
    changes: Vec<Change>,
    /// Where tokens are moved to: after all of them.
    destination: Option<usize>,
}

impl Edits {
    fn push(&mut self, kind: Kind, [at, to]: [usize; 2], text: Text, is_final: bool) {
        self.changes.push(Change { kind, at, to, text, is_final, before: None });
    }

    /// A constructor around tokens. What is inside was wrapped before.
    pub(super) fn wrap(&mut self, from: usize, to: usize, name: &'static str) {
        self.push(Kind::Wrap, [from, to], name.into(), true);
    }

    /// Another text in the place of a token. The last one counts. `is_final`: its names are those
    /// of the translation.
    pub(super) fn replace(&mut self, at: usize, text: impl Into<Text>, is_final: bool) {
        self.push(Kind::Replace, [at, at], text.into(), is_final);
    }

    /// Takes a token away.
    pub(super) fn remove(&mut self, at: usize) {
        self.push(Kind::Replace, [at, at], "".into(), true);
    }

    /// A text before a token, with the names of the shader.
    pub(super) fn insert(&mut self, at: usize, text: String) {
        self.push(Kind::Insert, [at, at], text.into(), false);
    }

    /// Takes tokens, with their changes, to [`Edits::set_destination`], after a text.
    pub(super) fn take_away(&mut self, from: usize, to: usize, text: String) {
        self.push(Kind::Move, [from, to], text.into(), false);
    }

    /// Where tokens are moved to that were taken away before.
    pub(super) fn set_destination(&mut self, at: usize) {
        self.destination.get_or_insert(at);
    }

    /// The tokens with all changes.
    pub(super) fn apply(mut self, tokens: Vec<Token>) -> Vec<Token> {
        // The last change of each token, and how many constructors end before it.
        let mut last: Vec<Option<usize>> = vec![None; tokens.len()];
        let mut ends = vec![0u32; tokens.len() + 1];
        for (i, change) in self.changes.iter_mut().enumerate() {
            if let Some(slot) = last.get_mut(change.at) {
                change.before = slot.replace(i);
            }
            if change.kind == Kind::Wrap
                && let Some(count) = ends.get_mut(change.to)
            {
                *count += 1;
            }
        }
        let all = |at: usize| {
            let first = last.get(at).copied().flatten().and_then(|i| self.changes.get(i));
            core::iter::successors(first, |change| self.changes.get(change.before?))
        };
        let mut out: Vec<Token> = Vec::with_capacity(tokens.len() + 3 * self.changes.len());
        let mut moved: Vec<Token> = Vec::new();
        // What is being taken away, and where it begins in `out`.
        let mut taken: Option<(usize, &Change)> = None;
        let count = tokens.len();
        let mut line = 0;
        for (i, token) in tokens.into_iter().enumerate() {
            close(&mut out, ends.get(i), line);
            if let Some((begin, change)) = taken.take_if(|(_, change)| change.to <= i) {
                put(&mut moved, &change.text, line, false);
                moved.extend(out.drain(begin..));
                put(&mut moved, ";", line, false);
            }
            if self.destination == Some(i) {
                out.append(&mut moved);
            }
            line = token.line;
            for change in all(i).filter(|change| change.kind == Kind::Insert) {
                put(&mut out, &change.text, line, change.is_final);
            }
            // What is declared after the place that it would be moved to stays.
            let mut moves = all(i).filter(|it| it.kind == Kind::Move && self.destination >= Some(it.to));
            if let (None, Some(change)) = (&taken, moves.next()) {
                taken = Some((out.len(), change));
            }
            for change in all(i).filter(|change| change.kind == Kind::Wrap) {
                put(&mut out, &change.text, line, true);
                put(&mut out, "(", line, true);
            }
            match all(i).find(|change| change.kind == Kind::Replace) {
                Some(change) => put(&mut out, &change.text, line, change.is_final),
                None => out.push(token),
            }
        }
        close(&mut out, ends.get(count), line);
        out
    }
}

fn close(out: &mut Vec<Token>, count: Option<&u32>, line: u32) {
    for _ in 0..count.copied().unwrap_or(0) {
        put(out, ")", line, true);
    }
}

fn put(out: &mut Vec<Token>, text: &str, line: u32, is_final: bool) {
    for token in tokens_of_line(text, line) {
        let is_final = is_final && token.kind == TokenKind::Name;
        out.push(Token { is_final, ..token });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(edits: Edits, line: &str) -> String {
        let all = edits.apply(tokens_of_line(line, 1));
        all.into_iter().map(|token| token.text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn changes_nest() {
        let mut edits = Edits::default();
        edits.wrap(0, 1, "int");
        edits.wrap(2, 3, "uint");
        edits.wrap(0, 3, "float");
        edits.wrap(0, 3, "vec2");
        edits.replace(2, "8", true);
        edits.replace(2, "9", true);
        edits.insert(0, "x;".into());
        assert_eq!(applied(edits, "a + b"), "x ; vec2 ( float ( int ( a ) + uint ( 9 ) ) )");
    }

    #[test]
    fn what_is_moved_takes_its_changes_along() {
        let mut edits = Edits::default();
        edits.take_away(2, 4, "a".into());
        edits.wrap(3, 4, "float");
        edits.set_destination(6);
        assert_eq!(applied(edits, "float a = b ; { }"), "float a ; { a = float ( b ) ; }");
        let mut late = Edits::default();
        late.set_destination(1);
        late.take_away(4, 6, "a".into());
        assert_eq!(applied(late, "{ } float a = b ;"), "{ } float a = b ;");
    }
}
