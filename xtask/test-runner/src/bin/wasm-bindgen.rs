//! `wasm-pack` runs this program for its version and expects the test runner beside it.

fn main() -> anyhow::Result<()> {
    wasm_bindgen_cli::wasm_bindgen::run_cli_with_args(std::env::args_os())
}
