//! Items and what to find, as the page describes them. Properties are read one by one:
//! deserialising tagged unions would make up a tenth of the module.

use unspool_engine::{Item, Neighbour};
use unspool_trace::Locator;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// `Item` of `web/base/protocol.ts`.
    #[wasm_bindgen(typescript_type = "Item")]
    pub type JsItem;

    #[wasm_bindgen(method, getter)]
    fn kind(this: &JsItem) -> String;
    #[wasm_bindgen(method, getter)]
    fn track(this: &JsItem) -> u32;
    /// Slices only.
    #[wasm_bindgen(method, getter)]
    fn depth(this: &JsItem) -> Option<i32>;
    #[wasm_bindgen(method, getter)]
    fn index(this: &JsItem) -> u32;

    /// `Find` of `web/base/protocol.ts`.
    #[wasm_bindgen(typescript_type = "Find")]
    pub type JsFind;

    #[wasm_bindgen(method, getter)]
    fn to(this: &JsFind) -> String;
    #[wasm_bindgen(method, getter)]
    fn time(this: &JsFind) -> u64;
    #[wasm_bindgen(method, getter, js_name = track)]
    fn on_track(this: &JsFind) -> Option<u32>;
    #[wasm_bindgen(method, getter)]
    fn item(this: &JsFind) -> JsItem;
    #[wasm_bindgen(method, getter)]
    fn depth(this: &JsFind) -> Option<i32>;
    #[wasm_bindgen(method, getter)]
    fn locator(this: &JsFind) -> u64;
    #[wasm_bindgen(method, getter)]
    fn name(this: &JsFind) -> u32;
}

impl From<&JsItem> for Item {
    fn from(item: &JsItem) -> Self {
        let (track, index) = (item.track(), item.index());
        if item.kind() == "instant" {
            return Self::Instant { track, index };
        }
        Self::Slice { track, depth: item.depth().unwrap_or(0), index }
    }
}

impl From<&JsFind> for Neighbour {
    fn from(find: &JsFind) -> Self {
        let item = || Item::from(&find.item());
        match find.to().as_str() {
            "next" => Self::Next { item: item() },
            "previous" => Self::Previous { item: item() },
            "caller" => Self::Caller { item: item() },
            "callee" => Self::Callee { item: item() },
            "named" => Self::Named { name: find.name(), time: find.time() },
            "row" => Self::InRow { track: find.on_track().unwrap_or(0), depth: find.depth(), time: find.time() },
            "record" => Self::Record {
                time: find.time(),
                track: find.on_track().unwrap_or(0),
                locator: Locator::from_bits(find.locator()),
            },
            _ => Self::At { time: find.time(), track: find.on_track() },
        }
    }
}
