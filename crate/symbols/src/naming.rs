//! Function ids and their names.
//!
//! An id has the number of its object above the lower 24 bits: 0 for the program, and what the runtime of XRay gave to a
//! shared library when that was loaded (`__xray_register_dso` in compiler-rt).

use std::collections::HashMap;

use unspool_formats::Naming;
use unspool_formats::naming::Place;

use crate::binary::Binary;
use crate::lookup::Function;

/// Function ids of one object.
pub const FUNCTIONS_PER_OBJECT: u32 = 1 << 24;

/// The number of the object of a function id. `None` for an id that XRay does not give.
pub fn object_of(id: i64) -> Option<u32> {
    u32::try_from(id).ok().filter(|id| id % FUNCTIONS_PER_OBJECT != 0).map(|id| id / FUNCTIONS_PER_OBJECT)
}

/// Names of addresses, of one binary and of its debug file.
#[derive(Clone, Debug, Default)]
pub struct Names {
    texts: HashMap<u64, Name>,
}

#[derive(Clone, Debug)]
struct Name {
    function: Function,
    text: String,
}

impl Names {
    /// Adds what a binary has found. A name that is there already stays.
    pub fn add(&mut self, binary: &mut Binary) {
        for (address, function) in binary.take_found() {
            let text = binary.name_of(&function);
            self.texts.entry(address).or_insert(Name { function, text });
        }
    }

    /// How many addresses have a name.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// The name of an address, and the function as the binary has it.
    pub fn of(&self, address: u64) -> Option<(&str, &Function)> {
        self.texts.get(&address).map(|name| (name.text.as_str(), &name.function))
    }

    /// The addresses of these that have no name.
    pub fn missing(&self, addresses: &[u64]) -> Vec<u64> {
        addresses.iter().copied().filter(|address| !self.texts.contains_key(address)).collect()
    }

    /// The names of the functions of one object, by id. `functions` are their addresses, from id 1 on.
    pub fn by_id(&self, functions: &[u64], object: u32) -> Naming {
        let base = u64::from(object) * u64::from(FUNCTIONS_PER_OBJECT);
        let named = (base + 1..).zip(functions).filter_map(|(id, address)| {
            let text = self.texts.get(address)?.text.clone();
            Some(Place { start: id, size: 0, text, source: String::new() })
        });
        Naming::new(named.take(FUNCTIONS_PER_OBJECT as usize - 1).collect())
    }
}
