//! Changes of tokens that are found out of order and made at the end.

use crate::glsl::tokens::{Token, TokenKind};

/// Tokens between brackets of a constructor.
#[derive(Debug)]
struct Wrap {
    from: usize,
    to: usize,
    name: &'static str,
}

/// Tokens that are moved, between two of others.
#[derive(Debug)]
struct Move {
    from: usize,
    to: usize,
    before: Vec<Token>,
    after: Vec<Token>,
}

/// Changes of a list of tokens. Indices are those of the list before all changes.
#[derive(Debug, Default)]
pub(super) struct Edits {
    wraps: Vec<Wrap>,
    replaced: Vec<(usize, Vec<Token>)>,
    inserted: Vec<(usize, Vec<Token>)>,
    moves: Vec<Move>,
    /// Where tokens are moved to: after all of them.
    destination: Option<usize>,
}

/// A name of the translation, which nothing replaces.
pub(super) fn name(text: &str, line: u32) -> Token {
    Token { is_final: true, ..Token::new(TokenKind::Name, text, line) }
}

pub(super) fn sign(text: &str, line: u32) -> Token {
    Token { space: false, ..Token::new(TokenKind::Sign, text, line) }
}

impl Edits {
    /// A constructor around tokens. Of two around the same the later one is outside.
    pub(super) fn wrap(&mut self, from: usize, to: usize, name: &'static str) {
        self.wraps.push(Wrap { from, to, name });
    }

    /// Other tokens in the place of one. Of two replacements the later one counts.
    pub(super) fn replace(&mut self, at: usize, with: Vec<Token>) {
        self.replaced.push((at, with));
    }

    /// More tokens before one.
    pub(super) fn insert(&mut self, at: usize, tokens: Vec<Token>) {
        self.inserted.push((at, tokens));
    }

    /// Takes tokens, with their changes, to [`Edits::set_destination`].
    pub(super) fn take_away(&mut self, from: usize, to: usize, before: Vec<Token>, after: Vec<Token>) {
        self.moves.push(Move { from, to, before, after });
    }

    /// Where tokens are moved to that were taken away before.
    pub(super) fn set_destination(&mut self, at: usize) {
        self.destination.get_or_insert(at);
    }

    /// The tokens with all changes.
    pub(super) fn apply(mut self, tokens: Vec<Token>) -> Vec<Token> {
        // Stable: what was put around something later comes first.
        self.wraps.reverse();
        self.wraps.sort_by_key(|wrap| (wrap.from, core::cmp::Reverse(wrap.to)));
        let mut ends: Vec<usize> = self.wraps.iter().map(|wrap| wrap.to).collect();
        ends.sort_unstable();
        self.replaced.sort_by_key(|(at, _)| *at);
        self.inserted.sort_by_key(|(at, _)| *at);
        let destination = self.destination;
        // What is declared after the place that it would be moved to stays.
        self.moves.retain(|it| destination.is_some_and(|at| it.to <= at));
        self.moves.sort_by_key(|it| it.from);

        let mut out = Vec::with_capacity(tokens.len() + 3 * self.wraps.len());
        let mut moved: Vec<Token> = Vec::new();
        let mut ends = ends.into_iter().peekable();
        let mut wraps = self.wraps.into_iter().peekable();
        let mut replaced = self.replaced.into_iter().peekable();
        let mut inserted = self.inserted.into_iter().peekable();
        let mut moves = self.moves.into_iter().peekable();
        // Where the tokens began that are being taken away, in `out`.
        let mut taken: Option<(usize, Move)> = None;
        let mut line = 0;
        for (i, token) in tokens.into_iter().enumerate() {
            while ends.next_if(|end| *end <= i).is_some() {
                out.push(sign(")", line));
            }
            if let Some((begin, it)) = taken.take_if(|(_, it)| it.to <= i) {
                moved.extend(it.before);
                moved.extend(out.drain(begin..));
                moved.extend(it.after);
            }
            if destination == Some(i) {
                out.append(&mut moved);
            }
            while let Some((_, more)) = inserted.next_if(|(at, _)| *at <= i) {
                out.extend(more);
            }
            if taken.is_none()
                && let Some(it) = moves.next_if(|it| it.from <= i)
            {
                taken = Some((out.len(), it));
            }
            line = token.line;
            while let Some(wrap) = wraps.next_if(|wrap| wrap.from <= i) {
                out.extend([name(wrap.name, line), sign("(", line)]);
            }
            let mut instead = None;
            while let Some((_, with)) = replaced.next_if(|(at, _)| *at <= i) {
                instead = Some(with);
            }
            match instead {
                Some(with) => out.extend(with),
                None => out.push(token),
            }
        }
        out.extend(ends.map(|_| sign(")", line)));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glsl::tokens::tokens_of_line;

    #[test]
    fn changes_nest() {
        let mut edits = Edits::default();
        edits.wrap(0, 1, "int");
        edits.wrap(2, 3, "uint");
        edits.wrap(0, 3, "float");
        edits.wrap(0, 3, "vec2");
        edits.replace(2, tokens_of_line("9", 1));
        edits.insert(0, tokens_of_line("x ;", 1));
        let text: Vec<String> = edits.apply(tokens_of_line("a + b", 1)).into_iter().map(|token| token.text).collect();
        assert_eq!(text.join(" "), "x ; vec2 ( float ( int ( a ) + uint ( 9 ) ) )");
    }

    #[test]
    fn what_is_moved_takes_its_changes_along() {
        let mut edits = Edits::default();
        edits.take_away(2, 4, tokens_of_line("a", 1), tokens_of_line(";", 1));
        edits.wrap(3, 4, "float");
        edits.set_destination(6);
        let text: Vec<String> =
            edits.apply(tokens_of_line("float a = b ; { }", 1)).into_iter().map(|token| token.text).collect();
        assert_eq!(text.join(" "), "float a ; { a = float ( b ) ; }");
    }
}
