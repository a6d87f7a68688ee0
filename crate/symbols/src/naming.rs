//! Function ids and their names.
//!
//! An id has the number of its object above the lower 24 bits: 0 for the program, and what the
//! runtime of XRay gave to a shared library when that was loaded (`__xray_register_dso` in
//! compiler-rt).

use std::collections::HashMap;

use unspool_trace::Naming;
use unspool_trace::naming::Place;

use crate::binary::Binary;
use crate::demangle::demangle;
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
    functions: HashMap<u64, Named>,
}

#[derive(Clone, Debug)]
struct Named {
    function: Function,
    is_macho: bool,
}

impl Names {
    /// Adds what a binary has found. A name that is there already stays.
    pub fn add(&mut self, binary: &mut Binary) {
        let is_macho = binary.is_macho();
        for (address, function) in binary.take_found() {
            self.functions.entry(address).or_insert(Named { function, is_macho });
        }
    }

    /// How many addresses have a name.
    pub fn len(&self) -> usize {
        self.functions.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }

    /// The addresses of these that have no name.
    pub fn missing(&self, addresses: &[u64]) -> Vec<u64> {
        addresses.iter().copied().filter(|address| !self.functions.contains_key(address)).collect()
    }

    /// The names of functions by address, `shift` added to each.
    pub fn by_address(&self, shift: u64) -> Naming {
        // Several addresses may belong to one function. Decoding a name takes a few microseconds.
        let mut places: HashMap<u64, Place> = HashMap::new();
        for Named { function, is_macho } in self.functions.values() {
            let start = function.address.wrapping_add(shift);
            let place = || {
                let text = demangle(&function.symbol, *is_macho);
                Place { start, size: function.size, text, source: String::new() }
            };
            places.entry(start).or_insert_with(place);
        }
        Naming::new(places.into_values().collect())
    }

    /// The names of the functions of one object, by id. `functions` are their addresses, from id 1
    /// on. `is_wanted` says which ids matter: decoding a name takes a few microseconds.
    pub fn by_id(&self, functions: &[u64], object: u32, is_wanted: impl Fn(u32) -> bool) -> Naming {
        let base = object.saturating_mul(FUNCTIONS_PER_OBJECT);
        let named = (1..FUNCTIONS_PER_OBJECT).zip(functions).filter_map(|(within, address)| {
            let id = base.checked_add(within).filter(|id| is_wanted(*id))?;
            let Named { function, is_macho } = self.functions.get(address)?;
            let text = demangle(&function.symbol, *is_macho);
            Some(Place { start: id.into(), size: 0, text, source: String::new() })
        });
        Naming::new(named.collect())
    }
}
