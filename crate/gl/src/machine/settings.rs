//! Settings of contexts, for those who keep objects themselves: which context a call is for, and in
//! which order calls come, is theirs to say.

use super::cells::Value;
use super::{Machine, Run, raster};
use crate::call::Call;
use crate::contexts::Contexts;
use crate::{Function, Variant};

/// A function that changes settings, and nothing else.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    run: Run,
    form: Variant,
}

impl Setting {
    /// The function, if it is one of settings.
    pub fn of(function: &Function) -> Option<Self> {
        function.own(&[raster::SETTINGS]).map(|(run, form)| Self { run, form })
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
        (setting.run)(self, call, setting.form);
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
