//! Columns of structures that cross by [`to_js`](crate::to_js). They have the names that JavaScript
//! gives them, which is what generated types of TypeScript refer to.

use serde::{Serialize, Serializer};

macro_rules! columns {
    ($($name:ident of $item:ty)*) => {$(
        #[doc = concat!("Becomes a `", stringify!($name), "` that owns its memory.")]
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $name(
            /// In the order of the rows.
            pub Vec<$item>,
        );

        impl FromIterator<$item> for $name {
            fn from_iter<I: IntoIterator<Item = $item>>(items: I) -> Self {
                Self(items.into_iter().collect())
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serde_wasm_bindgen::preserve::serialize(&js_sys::$name::from(&self.0[..]), serializer)
            }
        }
    )*};
}

columns! {
    Uint8Array of u8
    Uint32Array of u32
    Int32Array of i32
    Float64Array of f64
    BigUint64Array of u64
}
