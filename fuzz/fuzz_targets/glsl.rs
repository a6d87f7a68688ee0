#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| unspool_properties::check("glsl", bytes));
