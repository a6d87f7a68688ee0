//! Translations that were made before: several replays of a trace, one after the other, link the
//! same programs.

use std::cell::RefCell;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use hashbrown::{HashMap, HashSet};

use super::translate::{Budget, Stage, Translated, link};

/// The sources of a program, vertex and fragment shader. Those that are the same text are the same
/// allocation ([`Translations::source`]), so that comparing them takes no time, however often a
/// program is linked.
pub(crate) type Sources = [Rc<str>; 2];

/// What a translation depends on.
struct Key {
    sources: Sources,
    es: bool,
    /// Numbers of attributes and outputs by name, ascending.
    attributes: Vec<(String, u32)>,
    outputs: Vec<(String, u32)>,
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        let same = self.sources.iter().zip(&other.sources).all(|(one, other)| Rc::ptr_eq(one, other));
        same && (self.es, &self.attributes, &self.outputs) == (other.es, &other.attributes, &other.outputs)
    }
}

impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for source in &self.sources {
            source.as_ptr().hash(state);
        }
        (self.es, &self.attributes, &self.outputs).hash(state);
    }
}

type Made = Result<Rc<Translated>, (Stage, String)>;

#[derive(Default)]
struct Known {
    made: HashMap<Key, Made>,
    sources: HashSet<Rc<str>>,
    /// Bytes of the sources, and of what was made of them.
    bytes: usize,
    made_bytes: u64,
    /// Steps of translations since they were asked for last.
    steps: usize,
}

/// Translations of the programs of a trace. Clones share them.
#[derive(Clone)]
pub(crate) struct Translations {
    known: Rc<RefCell<Known>>,
    /// Limit for the size of a shader: see [`super::cost::weigh`].
    limit: u64,
}

/// Limits for the programs that are kept, and for the bytes of these and of sources.
const MOST: usize = 4096;
const MOST_BYTES: usize = 64 << 20;

impl Translations {
    /// None yet. `limit`: operations of a shader once all calls are written out.
    pub(crate) fn new(limit: u64) -> Self {
        Self { known: Rc::default(), limit }
    }

    /// The one allocation of a source.
    pub(crate) fn source(&self, source: &Rc<str>) -> Rc<str> {
        let mut known = self.known.borrow_mut();
        if let Some(same) = known.sources.get(source) {
            return Rc::clone(same);
        }
        if known.bytes > MOST_BYTES {
            known.sources.clear();
            known.bytes = 0;
        }
        known.bytes += source.len();
        known.sources.insert(Rc::clone(source));
        Rc::clone(source)
    }

    /// As [`link`]. The sources are those of [`Translations::source`].
    pub(crate) fn link(
        &self,
        sources: &Sources,
        es: bool,
        attributes: &HashMap<String, u32>,
        outputs: &HashMap<String, u32>,
    ) -> Made {
        let key = Key { sources: sources.clone(), es, attributes: sorted(attributes), outputs: sorted(outputs) };
        let mut known = self.known.borrow_mut();
        if let Some(made) = known.made.get(&key) {
            return made.clone();
        }
        let [vertex, fragment] = sources;
        let mut budget = Budget { size: self.limit, steps: 0 };
        let made = link([vertex, fragment], es, attributes, outputs, &mut budget).map(Rc::new);
        known.steps += budget.steps;
        known.made_bytes += made.as_ref().map_or(0, |made| made.bytes());
        if known.made.len() >= MOST || known.made_bytes > 4 * MOST_BYTES as u64 {
            known.made.clear();
            known.made_bytes = 0;
        }
        known.made.insert(key, made.clone());
        made
    }

    /// Steps of translations since this was asked last: other programs were known.
    pub(crate) fn take_steps(&self) -> usize {
        core::mem::take(&mut self.known.borrow_mut().steps)
    }
}

fn sorted(numbers: &HashMap<String, u32>) -> Vec<(String, u32)> {
    let mut all: Vec<(String, u32)> = numbers.iter().map(|(name, number)| (name.clone(), *number)).collect();
    // There are few, and the sort of the standard library would be 5 kB of the module.
    for end in 1..all.len() {
        let mut at = end;
        while at > 0 && all.get(at - 1) > all.get(at) {
            all.swap(at - 1, at);
            at -= 1;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_translated_once_unless_its_attributes_differ() {
        let texts = ["attribute vec4 p; void main() { gl_Position = p; }", "void main() { gl_FragColor = vec4(1.0); }"];
        let (none, translations) = (HashMap::new(), Translations::new(1 << 15));
        let sources = || texts.map(|text| translations.source(&text.into()));
        let first = translations.link(&sources(), false, &none, &none).unwrap();
        let again = translations.clone().link(&sources(), false, &none, &none).unwrap();
        assert!(Rc::ptr_eq(&first, &again));
        assert!(translations.take_steps() > 0);
        translations.link(&sources(), false, &none, &none).unwrap();
        assert_eq!(translations.take_steps(), 0);
        let bound = HashMap::from([("p".to_owned(), 3)]);
        let other = translations.link(&sources(), false, &bound, &none).unwrap();
        assert_ne!(first.inputs, other.inputs);
    }
}
