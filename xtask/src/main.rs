//! Tasks that need more than a shell line. `cargo xtask` lists them.

mod gl;
mod wasm;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;

type Task = fn(&[String]) -> Result<()>;

/// Every task: its name, its function, and its line in the help text.
const TASKS: &[(&str, Task, &str)] = &[
    ("wasm", wasm::run, "build the wasm modules into web/worker/wasm  [--profile NAME (wasm-dev)] [--only MODULE]"),
    ("gl", gl::run, "extract the table of OpenGL functions from Khronos' gl.xml  [--from FILE] [--check]"),
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some((name, rest)) = args.split_first() else {
        help();
        return ExitCode::SUCCESS;
    };
    let Some((_, task, _)) = TASKS.iter().find(|(task, ..)| task == name) else {
        help();
        return ExitCode::from(2);
    };
    match task(rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cargo xtask {name}: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn help() {
    eprintln!("cargo xtask TASK");
    for (name, _, help) in TASKS {
        eprintln!("  {name:8} {help}");
    }
}

/// The repository's root. Determined at run time, because clones can share a target directory.
fn root() -> PathBuf {
    let here = std::env::var("CARGO_MANIFEST_DIR").unwrap_or(env!("CARGO_MANIFEST_DIR").into());
    Path::new(&here).parent().map_or_else(PathBuf::new, Path::to_path_buf)
}
