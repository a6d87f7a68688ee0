//! The session as JavaScript sees it, in a real browser.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that panics has done its work"
)]
#![cfg(target_arch = "wasm32")]

use js_sys::{BigInt, Float64Array, Object, Reflect, Uint8Array, Uint32Array};
use unspool_formats::xray::encode::{FdrBuffer, header};
use unspool_formats::xray::wire::{FunctionKind, Mode};
use unspool_js::JsFile;
use unspool_wasm_records::{JsExpressions, RecordReader};
use unspool_wasm_session::{JsItem, JsQuestion, Session};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

/// Far above 2^53, where a double would be 256 ticks off.
const START: u64 = 1_800_000_000_000_000_001;

fn log() -> Vec<u8> {
    let mut b = FdrBuffer::new(70_000, 80_000, 3, START, (1, 2));
    b.function(FunctionKind::EnterArgs, 1, START);
    b.argument(u64::MAX);
    b.function(FunctionKind::Enter, 2, START + 10);
    b.event(None, START + 15, b"\x00payload\xff");
    b.function(FunctionKind::Exit, 2, START + 20);
    b.function(FunctionKind::Exit, 1, START + 30);
    let mut file = header(Mode::Fdr, 1_000_000_000, 4096).to_bytes().to_vec();
    file.extend(b.finish());
    file
}

fn read(file: &[u8]) -> Session {
    read_within(file, None)
}

fn read_within(file: &[u8], limit: Option<f64>) -> Session {
    let mut session = Session::new("a.xray", file.len() as f64, file, file, limit, None, None)
        .unwrap_or_else(|_| panic!("not recognised"));
    session.push(&Uint8Array::from(file));
    session.end();
    while session.step(1) == 1 {}
    assert_eq!(session.step(1), 2);
    session
}

fn get(from: &JsValue, path: &str) -> JsValue {
    path.split('.').fold(from.clone(), |value, key| Reflect::get(&value, &key.into()).unwrap())
}

fn bigint(value: u64) -> JsValue {
    BigInt::from(value).into()
}

/// A plain object.
fn entries(of: &[(&str, JsValue)]) -> JsValue {
    let object = Object::new();
    for (key, value) in of {
        Reflect::set(&object, &(*key).into(), value).unwrap();
    }
    object.into()
}

fn item(kind: &str, track: u32, depth: i32, index: u32) -> JsItem {
    let item = Object::new();
    for (key, value) in
        [("kind", JsValue::from_str(kind)), ("track", track.into()), ("depth", depth.into()), ("index", index.into())]
    {
        Reflect::set(&item, &key.into(), &value).unwrap();
    }
    item.unchecked_into()
}

fn field(details: &JsValue, name: &str) -> JsValue {
    let fields: js_sys::Array = get(details, "fields").unchecked_into();
    fields.iter().find(|f| get(f, "name") == *name).map_or(JsValue::UNDEFINED, |f| get(&f, "value"))
}

#[wasm_bindgen_test]
fn query_columns_are_relative_to_an_exact_origin() {
    let mut session = read(&log());
    let answer = session.query(START, START + 100, 1, &[0, 1], &[i32::MIN, i32::MAX, i32::MIN, i32::MAX]).into();
    assert_eq!(get(&answer, "origin"), bigint(START));
    assert_eq!(get(&answer, "complete"), JsValue::TRUE);
    let start: Float64Array = get(&answer, "rects.start").unchecked_into();
    let end: Float64Array = get(&answer, "rects.end").unchecked_into();
    assert_eq!((start.to_vec(), end.to_vec()), (vec![0.0, 10.0], vec![30.0, 20.0]));
    let track: Uint32Array = get(&answer, "rects.track").unchecked_into();
    assert_eq!(track.to_vec(), [1, 1]);
    let time: Float64Array = get(&answer, "instants.time").unchecked_into();
    assert_eq!(time.to_vec(), [15.0]);
}

#[wasm_bindgen_test]
fn details_are_exact_to_the_last_bit() {
    let file = log();
    let session = read(&file);
    let source: JsFile =
        js_sys::Function::new_with_args("bytes", "return { read: (from, to) => bytes.slice(from, to) }")
            .call1(&JsValue::UNDEFINED, &Uint8Array::from(file.as_slice()))
            .unwrap()
            .unchecked_into();
    let mut reader = RecordReader::new("xray", &session.index(false), source).unwrap_or_else(|_| panic!("no reader"));
    let described = session.describe(&item("slice", 1, 0, 0)).expect("a slice").into();
    assert_eq!(get(&described, "start"), bigint(START));
    let record = |reader: &mut RecordReader, described: &JsValue| {
        let locator = u64::try_from(get(described, "locator")).unwrap();
        JsValue::from(reader.details(locator).unwrap_or_else(|_| panic!("no record")))
    };
    let details = record(&mut reader, &described);
    let arguments = field(&details, "Arguments");
    assert_eq!(get(&arguments, "v.0.v"), bigint(u64::MAX));
    assert_eq!(get(&field(&details, "Process"), "v"), bigint(70_000));
    let described = session.describe(&item("instant", 1, 0, 0)).expect("an instant").into();
    assert!(get(&described, "end").is_null());
    let details = record(&mut reader, &described);
    let payload: Uint8Array = get(&field(&details, "Payload"), "v").unchecked_into();
    assert_eq!(payload.to_vec(), b"\x00payload\xff");
    assert!(session.describe(&item("slice", 1, 0, 9)).is_none());
    // The list has the same records.
    let expressions: JsExpressions = Object::new().unchecked_into();
    reader.list(None, None, None, None, None, &expressions).unwrap_or_else(|_| panic!("no list"));
    assert!(reader.advance().unwrap_or(false));
    assert_eq!(get(&JsValue::from(reader.listed()), "rows"), JsValue::from_f64(5.0));
    let rows = reader.rows(0.0, 9).unwrap_or_else(|_| panic!("no rows"));
    assert_eq!(rows.len(), 5);
    assert_eq!(get(&rows[0].js_value(), "x"), bigint(START));
    assert_eq!(get(&rows[2].js_value(), "fields.2.name"), JsValue::from_str("data"));
}

#[wasm_bindgen_test]
fn other_files_are_refused_with_a_reason() {
    let error = Session::new("a.txt", 5.0, b"hello", b"hello", None, None, None).err().unwrap();
    assert_eq!(get(&error, "kind"), "unrecognised");
    assert!(get(&error, "sentence").as_string().unwrap().contains("plain text"));
    assert!(get(&error, "offset").is_null());
}

#[wasm_bindgen_test]
fn names_and_tracks_are_returned_once() {
    let mut session = read(&log());
    let names = session.take_names().expect("new names").into();
    assert_eq!(get(&names, "first").as_f64(), Some(0.0));
    // Before those of the functions comes that of time without records.
    assert_eq!(get(&names, "names.ends.length").as_f64(), Some(4.0));
    assert!(session.take_names().is_none());
    assert_eq!(session.take_tracks().len(), 2);
    assert!(session.take_tracks().is_empty());
    assert_eq!(get(&session.progress().js_value(), "extent.to"), bigint(START + 30));
}

/// A `JobQuestion` about a range of two tracks.
fn question(kind: &str, range: (u64, u64), more: &[(&str, JsValue)]) -> JsQuestion {
    let question = Object::new();
    let tracks: JsValue = Uint32Array::from(&[0, 1][..]).into();
    let common =
        [("kind", JsValue::from_str(kind)), ("from", bigint(range.0)), ("to", bigint(range.1)), ("tracks", tracks)];
    for (key, value) in common.iter().chain(more) {
        Reflect::set(&question, &(*key).into(), value).unwrap();
    }
    question.unchecked_into()
}

/// Runs a job to its end and returns its result.
fn result(session: &mut Session, id: u32, question: &JsQuestion) -> JsValue {
    session.begin_job(id, get(question, "kind").as_string().unwrap().as_str(), question).unwrap();
    while !session.step_job(id, 1).unwrap() {}
    session.job_part(id).expect("a result").into()
}

#[wasm_bindgen_test]
fn statistics_are_columns_and_exact_percentiles_bigints() {
    let mut session = read(&log());
    let column = |part: &JsValue, path: &str| get(part, path).unchecked_into::<Float64Array>().to_vec();
    assert!(session.job_part(1).is_none(), "no job has begun");
    let range = (START + 15, START + 40);
    let none: JsValue = Uint32Array::new_with_length(0).into();
    let transforms = entries(&[("kinds", none.clone()), ("ends", none.clone()), ("names", none.clone())]);
    let flame = |mode: &str, path: &[u32]| entries(&[("mode", mode.into()), ("path", Uint32Array::from(path).into())]);
    let tree = entries(&[
        ("inverted", JsValue::FALSE),
        ("listing", JsValue::from(0)),
        ("parents", none.clone()),
        ("names", none.clone()),
        ("everything", JsValue::from(0)),
    ]);
    let not_weighed = ("weighed", JsValue::FALSE);
    let wanted = [
        ("functions", JsValue::TRUE),
        ("flame", flame("down", &[])),
        ("tree", tree),
        not_weighed.clone(),
        ("transforms", transforms.clone()),
    ];
    let part = result(&mut session, 1, &question("statistics", range, &wanted));
    assert_eq!((get(&part, "exact"), get(&part, "complete")), (JsValue::TRUE, JsValue::TRUE));
    let progress = session.job_progress(1).into();
    assert_eq!((get(&progress, "done"), get(&progress, "of")), (2.into(), 2.into()));
    assert_eq!(column(&part, "functions.total"), [15.0, 5.0]);
    assert_eq!(column(&part, "functions.self"), [10.0, 5.0]);
    assert_eq!(column(&part, "functions.median"), [30.0, 10.0], "of whole calls");
    assert_eq!(column(&part, "flame.total"), [15.0, 15.0, 5.0]);
    assert_eq!(column(&part, "tree.self"), [10.0, 5.0]);
    let wanted = [
        ("functions", JsValue::FALSE),
        ("flame", flame("sandwich", &[2])),
        not_weighed.clone(),
        ("transforms", transforms.clone()),
    ];
    let part = result(&mut session, 2, &question("statistics", range, &wanted));
    assert_eq!((column(&part, "flame.total"), column(&part, "callers.total")), (vec![5.0, 5.0], vec![5.0, 5.0]));
    // Without the function that calls it.
    let hidden = entries(&[
        ("kinds", Uint32Array::from(&[2][..]).into()),
        ("ends", Uint32Array::from(&[1][..]).into()),
        ("names", Uint32Array::from(&[1][..]).into()),
    ]);
    let wanted =
        [("functions", JsValue::FALSE), ("flame", flame("down", &[])), not_weighed.clone(), ("transforms", hidden)];
    let part = result(&mut session, 2, &question("statistics", range, &wanted));
    assert_eq!(column(&part, "flame.total"), [15.0, 5.0]);
    let wanted =
        [("functions", JsValue::FALSE), ("flame", JsValue::NULL), not_weighed, ("transforms", transforms.clone())];
    let part = result(&mut session, 2, &question("statistics", range, &wanted));
    assert!(get(&part, "functions").is_null() && get(&part, "flame").is_null() && get(&part, "tree").is_null());

    let wanted = [
        ("name", 2.into()),
        ("path", none),
        ("shortest", bigint(0)),
        ("longest", bigint(u64::MAX)),
        ("order", "start".into()),
        ("first", 0.into()),
        ("rows", 9.into()),
        ("of", entries(&[("track", 1.into()), ("depth", 1.into()), ("index", 0.into())])),
    ];
    let calls = result(&mut session, 7, &question("calls", range, &wanted));
    assert_eq!((get(&calls, "chosen"), get(&calls, "at"), get(&calls, "found")), (1.into(), 0.into(), JsValue::TRUE));
    assert_eq!(get(&calls, "start").unchecked_into::<js_sys::BigUint64Array>().to_vec(), [START + 10]);
    assert_eq!(column(&calls, "low"), [10.0]);
    let drawn = result(&mut session, 8, &question("timeOrder", range, &[("transforms", transforms)]));
    assert_eq!((get(&drawn, "from"), column(&drawn, "end")), (bigint(START + 15), vec![15.0, 5.0]));
    session.cancel_job(2);
    assert!(session.job_part(2).is_none());

    let found = result(&mut session, 3, &question("percentiles", (0, u64::MAX), &[("name", 1.into())]));
    assert_eq!(get(&found, "p99"), bigint(30));
    assert!(result(&mut session, 4, &question("percentiles", (0, u64::MAX), &[("name", 99.into())])).is_null());
}

#[wasm_bindgen_test]
fn a_job_without_memory_is_refused_with_a_reason() {
    let mut session = read_within(&log(), Some(10_000.0));
    let wanted = question("percentiles", (0, u64::MAX), &[("name", 1.into())]);
    let error = session.begin_job(1, "percentiles", &wanted).err().unwrap();
    assert_eq!(get(&error, "kind"), "limit");
    assert!(get(&error, "sentence").as_string().unwrap().starts_with("Not enough memory for the exact percentiles"));
    assert!(session.job_part(1).is_none());
}
