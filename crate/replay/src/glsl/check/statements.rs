//! The statements of a function (GLSL 4.60, 6.2 to 6.4), without recursion.

use super::Checker;
use super::types::{Base, Type};

/// A statement that is open.
#[derive(Clone, Copy, Debug)]
enum Open {
    /// Statements in brackets; those of `switch` with the type of its labels.
    Block(Type),
    /// What follows the head of a loop.
    Loop,
    Do,
    If,
    Else,
}

impl Checker<'_> {
    /// Reads the body of a function, from its bracket on. Its parameters are in a scope already.
    pub(super) fn body(&mut self, open: usize) {
        let end = self.close(open);
        let mut all: Vec<Open> = Vec::new();
        let scopes = self.names.depth();
        let mut at = open + 1;
        while at < end && self.steps <= super::MAX_STEPS {
            at = self.statement(&mut all, at).max(at + 1);
        }
        while self.names.depth() > scopes {
            self.names.leave();
        }
    }

    /// Reads a statement, or the part of it before another one. Returns the index after it.
    fn statement(&mut self, all: &mut Vec<Open>, at: usize) -> usize {
        let is_call = self.text(at + 1) == "(";
        match self.text(at) {
            "{" => {
                all.push(Open::Block(Type::UNKNOWN));
                self.names.enter();
                at + 1
            }
            "}" => {
                // Statements that have no end have one here.
                while let Some(open) = all.pop() {
                    if !matches!(open, Open::If | Open::Else | Open::Do) {
                        self.names.leave();
                    }
                    if matches!(open, Open::Block(_)) {
                        break;
                    }
                }
                self.complete(all, at + 1)
            }
            "if" if is_call => {
                self.inside(at + 1);
                all.push(Open::If);
                self.close(at + 1) + 1
            }
            "for" | "while" if is_call => {
                let close = self.close(at + 1);
                self.names.enter();
                all.push(Open::Loop);
                let mut part = at + 2;
                while part < close {
                    let end = if self.is_declaration(part) {
                        self.declaration(part)
                    } else {
                        self.expression(part).map_or(part, |(end, _)| end)
                    };
                    part = self.end_of_statement(end).min(close) + 1;
                }
                close + 1
            }
            "do" => {
                all.push(Open::Do);
                at + 1
            }
            "switch" if is_call => {
                let of = self.inside(at + 1);
                let after = self.close(at + 1) + 1;
                if self.text(after) != "{" {
                    return after;
                }
                all.push(Open::Block(of));
                self.names.enter();
                after + 1
            }
            "case" => {
                let Some((end, label)) = self.expression(at + 1) else { return at + 1 };
                let blocks = all.iter().rev().find(|open| matches!(open, Open::Block(_)));
                if let Some(Open::Block(of)) = blocks
                    && of.base == Base::Uint
                {
                    self.convert(label, *of);
                }
                end + usize::from(self.text(end) == ":")
            }
            "precision" => self.end_and_complete(all, at + 1),
            "default" => at + 1 + usize::from(self.text(at + 1) == ":"),
            "return" => {
                let end = match self.expression(at + 1) {
                    Some((end, value)) => {
                        self.convert(value, self.returns);
                        end
                    }
                    None => at + 1,
                };
                self.end_and_complete(all, end)
            }
            _ if self.is_declaration(at) => {
                let end = self.declaration(at);
                self.end_and_complete(all, end)
            }
            _ => {
                let end = self.expression(at).map_or(at, |(end, _)| end);
                self.end_and_complete(all, end)
            }
        }
    }

    /// Reads the expression in parentheses. Returns its type.
    fn inside(&mut self, open: usize) -> Type {
        self.expression(open + 1).map_or(Type::UNKNOWN, |(_, value)| self.value(value).of)
    }

    fn end_and_complete(&mut self, all: &mut Vec<Open>, from: usize) -> usize {
        let end = self.end_of_statement(from);
        // A bracket that ends what is around closes that as well.
        let after = if self.text(end) == "}" { end } else { end + 1 };
        self.complete(all, after)
    }

    /// Ends the statements that end with the one before `at`. Returns where the next one begins.
    fn complete(&mut self, all: &mut Vec<Open>, at: usize) -> usize {
        let mut at = at;
        while let Some(open) = all.pop_if(|open| !matches!(open, Open::Block(_))) {
            match open {
                Open::Loop => self.names.leave(),
                Open::If if self.text(at) == "else" => {
                    all.push(Open::Else);
                    return at + 1;
                }
                Open::Do if self.text(at) == "while" => {
                    self.inside(at + 1);
                    at = self.close(at + 1) + 1;
                    at += usize::from(self.text(at) == ";");
                }
                _ => {}
            }
        }
        at
    }
}
