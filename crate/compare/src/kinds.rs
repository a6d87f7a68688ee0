//! What records share that differ in arguments only, and what they have to do with calls.

use std::collections::HashMap;

use unspool_trace::records::Same;

use crate::contents::{Contents, kind_of, name_of, stem_of};

/// What a record has to do with calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It begins one.
    Begin,
    /// It ends one.
    End,
    /// Nothing.
    None,
}

/// Names and roles of records, by their tokens.
#[derive(Clone, Debug, Default)]
pub struct Kinds {
    /// Number of the name, by token. A record without a name has the number of what it begins with:
    /// the address of an instruction, or the kind of an event.
    names: Vec<u32>,
    roles: Vec<Role>,
    texts: Vec<String>,
    /// Whether any token begins a call.
    pub has_calls: bool,
}

impl Kinds {
    /// Of what tokens stand for.
    #[must_use]
    pub fn of(contents: &Contents, same: &Same) -> Self {
        let mut kinds = Self::default();
        let mut known: HashMap<&[u8], u32> = HashMap::new();
        for content in contents.iter() {
            let (key, text) =
                if same.name { name_of(content) } else { None }.unwrap_or_else(|| (stem_of(content), String::new()));
            let number = kinds.texts.len() as u32;
            let name = *known.entry(key).or_insert(number);
            if name == number {
                kinds.texts.push(text);
            }
            let role = if same.calls[0].is_empty() { Role::None } else { role_of(content, same) };
            kinds.has_calls |= role == Role::Begin;
            kinds.names.push(name);
            kinds.roles.push(role);
        }
        kinds
    }

    /// The number of the name of a token.
    #[must_use]
    pub fn name(&self, token: u32) -> u32 {
        self.names.get(token as usize).copied().unwrap_or(u32::MAX)
    }

    /// How many names there are: their numbers are below.
    pub(crate) fn names(&self) -> usize {
        self.texts.len()
    }

    /// What a token has to do with calls.
    #[must_use]
    pub fn role(&self, token: u32) -> Role {
        self.roles.get(token as usize).copied().unwrap_or(Role::None)
    }

    /// The name of a token, empty if it has none.
    #[must_use]
    pub fn text(&self, token: u32) -> &str {
        self.texts.get(self.name(token) as usize).map_or("", String::as_str)
    }

    /// Equal for records that are alike: those with the same name and role, which differ in
    /// arguments at most.
    pub(crate) fn stem(&self, token: u32) -> u32 {
        self.name(token).saturating_mul(4).saturating_add(self.role(token) as u32)
    }

    /// Of tokens by themselves, for tests.
    #[cfg(test)]
    pub(crate) fn of_names(names: Vec<u32>, roles: Vec<Role>, texts: Vec<String>) -> Self {
        let has_calls = roles.contains(&Role::Begin);
        Self { names, roles, texts, has_calls }
    }
}

fn role_of(content: &[u8], same: &Same) -> Role {
    let kind = kind_of(content, same).unwrap_or_default();
    let is = |kinds: &[&str]| kinds.iter().any(|it| it.as_bytes() == kind);
    match same.calls {
        [begins, _] if is(begins) => Role::Begin,
        [_, ends] if is(ends) => Role::End,
        _ => Role::None,
    }
}
