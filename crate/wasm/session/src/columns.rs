//! Columns as typed arrays.

use js_sys::{BigUint64Array, Float64Array, Int32Array, Uint8Array, Uint32Array};
use unspool_engine::derived::MarksColumns;
use unspool_engine::statistics::{CallColumns, FlameColumns, FunctionColumns, TimeOrderColumns, TreeColumns};
use unspool_engine::{CounterColumns, InstantColumns, Overview, RectColumns};
use unspool_js::object;
use wasm_bindgen::JsValue;

/// Texts as one, `{all, ends}`, so that JavaScript decodes one and not each. Ends count UTF-16
/// units, as it does.
pub(crate) fn texts<'t>(of: impl Iterator<Item = &'t str>) -> JsValue {
    let (mut all, mut ends, mut end) = (String::new(), Vec::new(), 0);
    for text in of {
        all.push_str(text);
        end += text.encode_utf16().count() as u32;
        ends.push(end);
    }
    object(&[("all", JsValue::from_str(&all)), ("ends", u32s(&ends))])
}

pub(crate) fn rects(r: &RectColumns) -> JsValue {
    object(&[
        ("count", JsValue::from_f64(r.track.len() as f64)),
        ("track", u32s(&r.track)),
        ("depth", Int32Array::from(&r.depth[..]).into()),
        ("start", f64s(&r.start)),
        ("end", f64s(&r.end)),
        ("name", u32s(&r.name)),
        ("index", u32s(&r.index)),
        ("fill", bytes(&r.fill)),
        ("flags", bytes(&r.flags)),
    ])
}

pub(crate) fn instants(i: &InstantColumns) -> JsValue {
    object(&[
        ("count", JsValue::from_f64(i.track.len() as f64)),
        ("track", u32s(&i.track)),
        ("time", f64s(&i.time)),
        ("name", u32s(&i.name)),
        ("index", u32s(&i.index)),
        ("many", u32s(&i.many)),
    ])
}

pub(crate) fn counters(c: &CounterColumns) -> JsValue {
    object(&[
        ("count", JsValue::from_f64(c.track.len() as f64)),
        ("track", u32s(&c.track)),
        ("time", f64s(&c.time)),
        ("min", f64s(&c.min)),
        ("max", f64s(&c.max)),
        ("last", f64s(&c.last)),
        ("bits", BigUint64Array::from(&c.bits[..]).into()),
    ])
}

pub(crate) fn overview(o: &Overview) -> JsValue {
    object(&[
        ("from", o.from.into()),
        ("to", o.to.into()),
        ("buckets", JsValue::from_f64(f64::from(o.buckets))),
        ("rows", u32s(&o.rows)),
        ("density", bytes(&o.density)),
        ("name", u32s(&o.name)),
    ])
}

pub(crate) fn marks(m: &MarksColumns, step: u64) -> JsValue {
    object(&[
        ("length", JsValue::from_f64(m.cell.len() as f64)),
        ("step", step.into()),
        ("track", u32s(&m.track)),
        ("depth", Int32Array::from(&m.depth[..]).into()),
        ("cell", u32s(&m.cell)),
        ("count", u32s(&m.count)),
    ])
}

pub(crate) fn functions(f: &FunctionColumns) -> JsValue {
    object(&[
        ("length", JsValue::from_f64(f.name.len() as f64)),
        ("name", u32s(&f.name)),
        ("count", f64s(&f.count)),
        ("total", f64s(&f.total)),
        ("self", f64s(&f.own)),
        ("min", f64s(&f.min)),
        ("median", f64s(&f.median)),
        ("p90", f64s(&f.p90)),
        ("p99", f64s(&f.p99)),
        ("max", f64s(&f.max)),
        ("rounded", bytes(&f.rounded)),
        ("bytes", f64s(&f.bytes)),
    ])
}

pub(crate) fn flame(f: &FlameColumns) -> JsValue {
    object(&[
        ("length", JsValue::from_f64(f.name.len() as f64)),
        ("focus", JsValue::from_f64(f64::from(f.focus))),
        ("partial", f.partial.into()),
        ("name", u32s(&f.name)),
        ("parent", u32s(&f.parent)),
        ("total", f64s(&f.total)),
        ("self", f64s(&f.own)),
        ("count", f64s(&f.count)),
    ])
}

pub(crate) fn tree(t: &TreeColumns) -> JsValue {
    object(&[
        ("length", JsValue::from_f64(t.name.len() as f64)),
        ("cut", JsValue::from_f64(t.cut as f64)),
        ("whole", JsValue::from_f64(t.whole)),
        ("name", u32s(&t.name)),
        ("parent", u32s(&t.parent)),
        ("total", f64s(&t.total)),
        ("self", f64s(&t.own)),
        ("count", f64s(&t.count)),
        ("state", bytes(&t.state)),
    ])
}

pub(crate) fn calls(c: &CallColumns) -> JsValue {
    let bucket =
        |of: fn(&(u64, u64, u64)) -> u64| f64s(&c.bucket.iter().map(|bucket| of(bucket) as f64).collect::<Vec<_>>());
    object(&[
        ("all", JsValue::from_f64(c.all as f64)),
        ("chosen", JsValue::from_f64(c.chosen as f64)),
        ("listed", JsValue::from_f64(c.listed as f64)),
        ("at", JsValue::from_f64(c.at as f64)),
        ("found", c.found.into()),
        ("low", bucket(|(low, ..)| *low)),
        ("above", bucket(|(_, above, _)| *above)),
        ("count", bucket(|(.., count)| *count)),
        ("length", JsValue::from_f64(c.track.len() as f64)),
        ("track", u32s(&c.track)),
        ("depth", Int32Array::from(&c.depth[..]).into()),
        ("index", u32s(&c.index)),
        ("start", BigUint64Array::from(&c.start[..]).into()),
        ("end", BigUint64Array::from(&c.end[..]).into()),
        ("flags", bytes(&c.flags)),
    ])
}

pub(crate) fn time_order(t: &TimeOrderColumns) -> JsValue {
    object(&[
        ("from", t.from.into()),
        ("width", JsValue::from_f64(t.width)),
        ("partial", t.partial.into()),
        ("tracks", u32s(&t.tracks)),
        ("rows", u32s(&t.rows)),
        ("length", JsValue::from_f64(t.row.len() as f64)),
        ("row", u32s(&t.row)),
        ("start", f64s(&t.start)),
        ("end", f64s(&t.end)),
        ("name", u32s(&t.name)),
        ("fill", bytes(&t.fill)),
        ("track", u32s(&t.track)),
        ("depth", Int32Array::from(&t.depth[..]).into()),
        ("index", u32s(&t.index)),
    ])
}

fn u32s(from: &[u32]) -> JsValue {
    Uint32Array::from(from).into()
}

fn f64s(from: &[f64]) -> JsValue {
    Float64Array::from(from).into()
}

fn bytes(from: &[u8]) -> JsValue {
    Uint8Array::from(from).into()
}
