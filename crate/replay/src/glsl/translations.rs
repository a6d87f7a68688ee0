//! Translations that were made before: several replays of a trace, one after the other, link the same programs.

use std::cell::RefCell;
use std::rc::Rc;

use hashbrown::HashMap;

use super::translate::{Stage, Translated, link};

/// What a translation depends on.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    sources: [String; 2],
    es: bool,
    /// Numbers of attributes and outputs by name, ascending.
    attributes: Vec<(String, u32)>,
    outputs: Vec<(String, u32)>,
}

type Made = Result<Rc<Translated>, (Stage, String)>;

/// Translations of the programs of a trace. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct Translations {
    known: Rc<RefCell<HashMap<Key, Made>>>,
}

/// Limit for the programs that are kept.
const MOST: usize = 4096;

impl Translations {
    /// As [`link`].
    pub(crate) fn link(
        &self,
        sources: &[String; 2],
        es: bool,
        attributes: &HashMap<String, u32>,
        outputs: &HashMap<String, u32>,
    ) -> Made {
        let key = Key { sources: sources.clone(), es, attributes: sorted(attributes), outputs: sorted(outputs) };
        let mut known = self.known.borrow_mut();
        if let Some(made) = known.get(&key) {
            return made.clone();
        }
        let [vertex, fragment] = sources;
        let made = link([vertex, fragment], es, attributes, outputs).map(Rc::new);
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(key, made.clone());
        made
    }
}

fn sorted(numbers: &HashMap<String, u32>) -> Vec<(String, u32)> {
    let mut all: Vec<(String, u32)> = numbers.iter().map(|(name, number)| (name.clone(), *number)).collect();
    all.sort_unstable();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_translated_once_unless_its_attributes_differ() {
        let sources =
            ["attribute vec4 p; void main() { gl_Position = p; }", "void main() { gl_FragColor = vec4(1.0); }"];
        let sources = sources.map(String::from);
        let (none, translations) = (HashMap::new(), Translations::default());
        let first = translations.link(&sources, false, &none, &none).unwrap();
        let again = translations.clone().link(&sources, false, &none, &none).unwrap();
        assert!(Rc::ptr_eq(&first, &again));
        let bound = HashMap::from([("p".to_owned(), 3)]);
        let other = translations.link(&sources, false, &bound, &none).unwrap();
        assert_ne!(first.inputs, other.inputs);
    }
}
