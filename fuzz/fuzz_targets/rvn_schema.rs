#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| unspool_fuzz_properties::check("rvn_schema", bytes));
