//! Settings of contexts, for those who keep objects themselves: which context a call is for, and in
//! which order calls come, is theirs to say.

use super::cells::Value;
use super::direct::Named;
use super::{Machine, Run, fixed, matrices, raster, what};
use crate::call::Call;
use crate::contexts::Contexts;
use crate::direct::About;
use crate::{Function, Variant, gl};

/// A function that changes settings, and nothing else.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    run: Run,
    form: Variant,
    /// The first argument is a texture unit.
    names_unit: bool,
}

impl Setting {
    /// The function, if it is one of settings.
    pub fn of(function: &Function) -> Option<Self> {
        let found = function.handler(&[fixed::SETTINGS, matrices::HANDLERS, raster::SETTINGS])?;
        let names_unit = match found.direct.map(|direct| direct.about) {
            None => false,
            Some(About::Unit) => true,
            Some(_) => return None,
        };
        Some(Self { run: found.run, form: found.form, names_unit })
    }
}

impl Clone for Machine {
    /// The same state, without the functions that were asked for and what the latest call did.
    fn clone(&self) -> Self {
        Self {
            root: self.root.clone(),
            slots: self.slots.clone(),
            interned: self.interned.clone(),
            has_indexed: self.has_indexed,
            is_observed: self.is_observed,
            changed: self.changed.clone(),
            ..Self::default()
        }
    }
}

impl Machine {
    /// A machine that notes what has changed.
    pub fn of_settings() -> Self {
        Self { changed: Some(Vec::new()), ..Self::default() }
    }

    /// Contexts, and which are current.
    pub fn all(&self) -> &Contexts {
        &self.root.all
    }

    /// Looks at the context at a position of [`Machine::contexts`].
    pub fn look_at(&mut self, context: Option<u32>) {
        self.enter(context);
    }

    /// Executes a call for the context at a position of [`Machine::contexts`].
    pub fn set_by(&mut self, setting: Setting, call: &Call, context: u32) {
        self.at = call.number.min(u32::MAX.into()) as u32;
        self.enter(Some(context));
        if setting.names_unit {
            self.named = Named::unit(call.uint(0).wrapping_sub(gl::TEXTURE0));
            (setting.run)(self, &call.without(1), setting.form);
            self.named = Named::default();
        } else {
            (setting.run)(self, call, setting.form);
        }
    }

    /// Sets a cell of the context at a position, by a call with a number.
    pub fn place(&mut self, call: u64, context: u32, (what, index): (u16, u32), value: Value) {
        self.at = call.min(u32::MAX.into()) as u32;
        self.enter(Some(context));
        self.set_at(what, index, value);
        if what == what::CURRENT_COLOR {
            fixed::follow_color(self);
        }
    }

    /// A cell of the context that is looked at which has changed since it was asked for: what it
    /// is, its index, and its value.
    pub fn next_changed(&mut self) -> Option<(u16, u32, &Value)> {
        let (what, index, number) = self.changed.as_mut()?.pop()?;
        Some((what, index, self.root.cells.get(number).map_or(&Value::Unset, |cell| &cell.value)))
    }

    /// A cell of the context that is looked at.
    pub fn setting(&self, what: u16, index: u32) -> &Value {
        self.value(self.context, what, index)
    }
}
