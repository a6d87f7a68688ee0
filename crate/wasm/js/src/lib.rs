//! What all wasm modules share: how values, errors, files and the disassembler cross between Rust and JavaScript.
//!
//! A structure crosses by [`to_js`]. Columns in it are those of [`columns`]: typed arrays that own their memory, so that they can
//! be transferred. No view on wasm memory leaves a call, unless the call says so. Errors are texts ([`thrown`]), except for those
//! of a session, which are structures.

pub mod columns;
mod disassembler;
mod file;

pub use disassembler::JsDisassembler;
pub use file::JsFile;
use js_sys::{Object, Reflect};
use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::JsValue;

/// A value for JavaScript: 64-bit numbers become `bigint`, missing values `null`, bytes `Uint8Array`.
pub fn to_js<T: Serialize + ?Sized>(value: &T) -> JsValue {
    let serializer = Serializer::new().serialize_large_number_types_as_bigints(true).serialize_missing_as_null(true);
    // Our structures have string keys and no serialisers that fail, so this cannot fail.
    value.serialize(&serializer).unwrap_or(JsValue::NULL)
}

/// A plain object, where a structure of its own would be longer.
pub fn object(entries: &[(&str, JsValue)]) -> JsValue {
    let object = Object::new();
    for (key, value) in entries {
        // Setting a property of a plain object cannot fail.
        let _ = Reflect::set(&object, &JsValue::from_str(key), value);
    }
    object.into()
}

/// An error as a call throws it: its text.
pub fn thrown(error: impl core::fmt::Display) -> JsValue {
    JsValue::from_str(&error.to_string())
}

/// What is wrong with an expression: a `WrongExpression` of `web/base/find_protocol.ts`. `at` and `len` say in bytes which part of
/// `text` it is; JavaScript counts UTF-16 units.
pub fn wrong_expression(text: &str, at: usize, len: usize, sentence: &str) -> JsValue {
    let units = |part: Option<&str>| number(part.map_or(0, |part| part.encode_utf16().count() as u64));
    object(&[
        ("sentence", JsValue::from_str(sentence)),
        ("at", units(text.get(..at))),
        ("length", units(text.get(at..at + len))),
    ])
}

/// A whole number as a double: exact below 2^53.
pub fn number(number: u64) -> JsValue {
    JsValue::from_f64(number as f64)
}

/// Declares structures that cross. The generated TypeScript has them, with their comments, so that there is no second
/// declaration. Fields are in camel case there; see [`to_js`] for their values. `cross` makes such a value one of JavaScript.
/// The other way, properties are read one by one: deserialising would make up a tenth of a module.
///
/// The caller depends on serde and tsify.
#[macro_export]
macro_rules! structures {
    ($($(#[$attribute:meta])* pub $kind:ident $name:ident $body:tt)*) => {$(
        #[derive(Debug, ::serde::Serialize, ::tsify::Tsify)]
        #[serde(rename_all = "camelCase")]
        #[tsify(missing_as_null, large_number_types_as_bigints)]
        $(#[$attribute])*
        pub $kind $name $body

        impl $name {
            /// The value for JavaScript.
            pub fn cross(&self) -> ::tsify::Ts<Self> {
                ::tsify::Ts::new_unchecked($crate::to_js(self))
            }
        }
    )*};
}
