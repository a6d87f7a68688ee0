//! Declarations: variables, structures, blocks and functions (GLSL 4.60, 4 and 6.1).

use super::names::{Function, Meaning, Way};
use super::types::{Base, Type};
use super::{Checker, Value};
use crate::glsl::translate::is_qualifier;

/// The qualifiers of a declaration, as far as they matter here.
#[derive(Clone, Copy, Debug, Default)]
struct Qualifiers {
    /// The token `const`.
    constant: Option<usize>,
    /// Something else gives it its value: it is an input, an output or a uniform.
    is_interface: bool,
    way: Option<Way>,
}

impl<'a> Checker<'a> {
    /// Reads a declaration outside of functions. Returns the index after it.
    pub(super) fn global(&mut self, at: usize) -> usize {
        match self.text(at) {
            ";" => return at + 1,
            "precision" => return self.end_of_statement(at) + 1,
            _ => {}
        }
        let (_, begin) = self.qualifiers(at);
        if self.is_name(begin) && self.text(begin + 1) == "{" && self.text(begin) != "struct" {
            return self.block(begin);
        }
        // A function has a parenthesis after its name.
        let mut after = begin + 1;
        while self.text(after) == "[" {
            after = self.close(after) + 1;
        }
        if self.text(begin) != "struct" && self.is_name(after) && self.text(after + 1) == "(" {
            let of = self.names.type_of(self.text(begin)).unwrap_or(Type::UNKNOWN);
            let (of, _) = self.dimensions(begin + 1, of);
            return self.function(of, after);
        }
        let end = self.declaration(at);
        self.end_of_statement(end) + 1
    }

    fn qualifiers(&mut self, from: usize) -> (Qualifiers, usize) {
        let mut at = from;
        let mut found = Qualifiers::default();
        while is_qualifier(self.text(at)) {
            match self.text(at) {
                "const" => found.constant = Some(at),
                "in" => (found.way, found.is_interface) = (Some(Way::In), true),
                "out" => (found.way, found.is_interface) = (Some(Way::Out), true),
                "inout" => found.way = Some(Way::InOut),
                "uniform" | "attribute" | "varying" | "buffer" | "shared" => found.is_interface = true,
                "layout" => at = self.close(at + 1),
                _ => {}
            }
            at += 1;
        }
        (found, at)
    }

    /// Whether a statement is a declaration.
    pub(super) fn is_declaration(&mut self, at: usize) -> bool {
        let (_, at) = self.qualifiers(at);
        if self.text(at) == "struct" {
            return true;
        }
        let mut after = at + 1;
        while self.text(after) == "[" {
            after = self.close(after) + 1;
        }
        self.is_name(at) && self.is_name(after)
    }

    /// The type that is written at a token, and the index after it.
    fn read_type(&mut self, at: usize) -> (Type, usize) {
        // As in `layout(std140) uniform;`.
        if !self.is_name(at) {
            return (Type::UNKNOWN, at);
        }
        if self.text(at) == "struct" {
            let is_named = self.is_name(at + 1);
            let open = at + 1 + usize::from(is_named);
            let name = if is_named { self.text(at + 1) } else { "" };
            if self.text(open) != "{" {
                return (Type::UNKNOWN, open);
            }
            let members = self.members(open);
            let of = self.names.declare_struct(name, members);
            return self.dimensions(self.close(open) + 1, of);
        }
        let of = self.names.type_of(self.text(at)).unwrap_or(Type::UNKNOWN);
        self.dimensions(at + 1, of)
    }

    /// What is in brackets after a type or a name.
    fn dimensions(&mut self, from: usize, of: Type) -> (Type, usize) {
        let mut at = from;
        let mut count = 0u8;
        while self.text(at) == "[" {
            if self.text(at + 1) != "]" {
                self.expression(at + 1);
            }
            count = count.saturating_add(1);
            at = self.close(at) + 1;
        }
        (of.array(count), at)
    }

    /// The members of a structure or block whose bracket is at `open`.
    fn members(&mut self, open: usize) -> Vec<(&'a str, Type)> {
        let close = self.close(open);
        let mut all = Vec::new();
        let mut at = open + 1;
        while at < close {
            let (_, begin) = self.qualifiers(at);
            // GLSL does not define structures within structures.
            let (of, mut next) =
                if self.text(begin) == "struct" { (Type::UNKNOWN, begin + 1) } else { self.read_type(begin) };
            while next < close && self.is_name(next) {
                let name = self.text(next);
                let (own, after) = self.dimensions(next + 1, of);
                all.push((name, own));
                next = after + usize::from(self.text(after) == ",");
                if self.text(after) != "," {
                    break;
                }
            }
            at = self.end_of_statement(next).max(begin) + 1;
        }
        self.steps += close - open;
        all
    }

    /// An interface block whose name is at a token.
    fn block(&mut self, at: usize) -> usize {
        let close = self.close(at + 1);
        let members = self.members(at + 1);
        let is_builtin = self.text(at).starts_with("gl_");
        if self.is_name(close + 1) {
            let of = self.names.declare_struct("", members);
            let (of, _) = self.dimensions(close + 2, of);
            self.names.declare_variable(self.text(close + 1), of);
        } else if !is_builtin {
            for (name, of) in members {
                self.names.declare_variable(name, of);
            }
        }
        self.end_of_statement(close + 1) + 1
    }

    /// A function whose name is at a token.
    fn function(&mut self, returns: Type, at: usize) -> usize {
        let close = self.close(at + 1);
        let name = self.text(at);
        let mut params = Vec::new();
        let mut named = Vec::new();
        let mut next = at + 2;
        while next < close {
            let (qualifiers, begin) = self.qualifiers(next);
            let (of, after) = self.read_type(begin);
            let is_named = self.is_name(after);
            let (of, after_name) = if is_named { self.dimensions(after + 1, of) } else { (of, after) };
            if of != Type::VOID {
                params.push((of, qualifiers.way.unwrap_or(Way::In)));
                named.push((if is_named { self.text(after) } else { "" }, of));
            }
            next = after_name.max(begin);
            while next < close && self.text(next) != "," {
                next = self.close(next) + 1;
            }
            next += 1;
        }
        let known = &mut self.names.entry(name).functions;
        self.steps += known.len() * (1 + params.len());
        let shown = match known.iter().find(|it| it.params == params) {
            Some(before) => before.shown.clone(),
            None => {
                let types = |of: &[(Type, Way)]| of.iter().map(|(of, _)| of.in_translation()).collect::<Vec<_>>();
                let own = types(&params);
                let is_taken = known.iter().any(|it| it.params.len() == own.len() && types(&it.params) == own);
                let shown = is_taken.then(|| format!("_f{at}"));
                known.push(Function { returns, params, shown: shown.clone() });
                shown
            }
        };
        if let Some(shown) = shown {
            self.edits.replace(at, shown, true);
        }
        if self.text(close + 1) != "{" {
            return self.end_of_statement(close + 1) + 1;
        }
        let end = self.close(close + 1);
        self.returns = returns;
        self.names.enter();
        for (name, of) in named {
            self.names.declare_variable(name, of);
        }
        self.body(close + 1);
        self.names.leave();
        if name == "main" {
            self.edits.set_destination(close + 2);
        }
        end + 1
    }

    /// Reads variables of one type, from their qualifiers on. Returns the index of what ends them.
    pub(super) fn declaration(&mut self, at: usize) -> usize {
        let (qualifiers, begin) = self.qualifiers(at);
        let (of, mut next) = self.read_type(begin);
        let is_global = self.names.depth() == 0;
        while self.is_name(next) {
            let place = next;
            let name = self.text(place);
            let (own, after) = self.dimensions(place + 1, of);
            next = after;
            let mut made = Value::new(own, qualifiers.constant.is_none());
            if self.text(after) == "=" {
                let Some((end, value)) = self.initial(after + 1) else {
                    self.declare(name, made);
                    return after;
                };
                self.fill(value, own);
                next = end;
                let Value { varies, number, .. } = self.value(value);
                if varies {
                    // From 4.20 on a constant may have any value. GLSL ES takes it as a variable.
                    if let Some(at) = qualifiers.constant {
                        self.edits.remove(at);
                    }
                    made.varies = true;
                    if is_global && !qualifiers.is_interface {
                        self.set_in_main(place, after, end);
                    }
                } else if !made.varies && own.base != Base::Float {
                    made.number = number;
                }
            } else if is_global && after == place + 3 && own.dimensions == 1 && !name.starts_with("gl_") {
                self.names.entry(name).unsized_array = Some((place + 2, 0));
            }
            self.declare(name, made);
            if self.text(next) != "," {
                break;
            }
            next += 1;
        }
        next
    }

    fn declare(&mut self, name: &'a str, value: Value) {
        // What the language has keeps its type.
        if !name.starts_with("gl_") {
            self.names.declare(name, Meaning::Variable(value));
        }
    }

    /// Gives a global its value in `main`, because it needs a constant one where it is declared.
    fn set_in_main(&mut self, place: usize, from: usize, to: usize) {
        self.edits.take_away(from, to, self.text(place).to_owned());
    }
}
