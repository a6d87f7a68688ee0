//! Builds the crates in [`MODULES`] for wasm32 and generates their JavaScript and TypeScript.
//!
//! wasm-bindgen's command line tool is a thin wrapper around a library. Calling the library needs no second download,
//! and lets Cargo pin the version.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use wasm_bindgen_cli_support::Bindgen;

/// The wasm modules, each loaded when it is needed: package, features in place of its default ones, and name.
const MODULES: &[(&str, &[&str], &str)] = &[
    ("unspool-browser", &["session"], "unspool_browser"),
    ("unspool-browser", &["records"], "unspool_records"),
    ("unspool-browser", &["find"], "unspool_find"),
    ("unspool-browser", &["cut"], "unspool_cut"),
    ("unspool-symbols", &["page"], "unspool_symbols"),
    ("unspool-predicates", &["page"], "unspool_predicates"),
    ("unspool-index", &["page"], "unspool_index"),
    ("unspool-export", &["page"], "unspool_export"),
    ("unspool-graphics", &["state"], "unspool_graphics"),
    ("unspool-graphics", &["survey"], "unspool_survey"),
    ("unspool-replay", &["page"], "unspool_replay"),
    ("unspool-disassembler", &[], "unspool_disassembler"),
    ("unspool-unpack", &["page"], "unspool_unpack"),
];
const TARGET: &str = "wasm32-unknown-unknown";
const OUTPUT: &str = "web/worker/wasm";

pub fn run(args: &[String]) -> Result<()> {
    let (profile, only) = options(args)?;
    same_version()?;
    let output = crate::root().join(OUTPUT);
    for &(package, features, name) in MODULES.iter().filter(|(.., name)| only.is_none_or(|only| *name == only)) {
        let module = build(package, features, profile)?;
        // `.omit_default_module_path(false)` keeps `new URL('…_bg.wasm', import.meta.url)`, by which Vite finds the wasm.
        let mut bindgen = Bindgen::new();
        bindgen.input_path(&module).out_name(name).web(true)?.typescript(true).omit_default_module_path(false);
        // Other projects' decoders may trap, and then a fresh instance takes over.
        bindgen.reset_state_function(matches!(name, "unspool_disassembler" | "unspool_symbols"));
        // Function names take half as much again as the code, and the built page has no use for them.
        bindgen.remove_name_section(profile == "wasm-release").generate(&output)?;
        let wasm = output.join(format!("{name}_bg.wasm")).to_string_lossy().into_owned();
        let kib = fs::metadata(&wasm).with_context(|| wasm.clone())?.len() / 1024;
        eprintln!("{OUTPUT}: {kib} KiB of {name}, profile {profile}");
    }
    Ok(())
}

/// The Cargo profile, and the one module to build, if not all.
fn options(args: &[String]) -> Result<(&str, Option<&str>)> {
    let mut profile = "wasm-dev";
    let mut only = None;
    let mut rest = args.iter().map(String::as_str);
    while let Some(option) = rest.next() {
        match (option, rest.next()) {
            ("--profile", Some(name)) => profile = name,
            ("--only", Some(name)) => {
                let known: Vec<_> = MODULES.iter().map(|(.., name)| *name).collect();
                ensure!(known.contains(&name), "there is no module {name:?}: there are {}", known.join(", "));
                only = Some(name);
            }
            _ => bail!("takes --profile NAME and --only MODULE, not {:?}", args.join(" ")),
        }
    }
    Ok((profile, only))
}

/// Runs Cargo and returns the path of the module.
fn build(package: &str, features: &[&str], profile: &str) -> Result<PathBuf> {
    let mut cargo = Command::new(std::env::var("CARGO").unwrap_or("cargo".into()));
    cargo
        .current_dir(crate::root())
        .args(["build", "--package", package, "--target", TARGET, "--profile", profile])
        .args(if features.is_empty() { &[][..] } else { &["--no-default-features", "--features"][..] })
        .args(features)
        .arg("--message-format=json-render-diagnostics")
        .stderr(Stdio::inherit());
    if std::env::var_os("CI").is_some() {
        cargo.arg("--locked");
    }
    let run = cargo.output().context("cannot run cargo")?;
    ensure!(run.status.success(), "{package} did not build");
    // The target directory can be set in four places: use what Cargo reports.
    String::from_utf8(run.stdout)?
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter_map(|message| message["filenames"].as_array().cloned())
        .flatten()
        .filter_map(|name| name.as_str().map(PathBuf::from))
        .find(|name| name.extension().is_some_and(|e| e == "wasm"))
        .with_context(|| format!("{package} built, but Cargo named no .wasm file: is it a cdylib?"))
}

/// The generated code works with exactly one version of wasm-bindgen.
fn same_version() -> Result<()> {
    let path = crate::root().join("Cargo.toml");
    let manifest = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let theirs = pinned(&manifest, "wasm-bindgen").context("Cargo.toml does not pin wasm-bindgen as \"=X.Y.Z\"")?;
    let ours = pinned(include_str!("../Cargo.toml"), "wasm-bindgen-cli-support")
        .context("xtask/Cargo.toml does not pin wasm-bindgen-cli-support as \"=X.Y.Z\"")?;
    ensure!(
        theirs == ours,
        "Cargo.toml pins wasm-bindgen {theirs}, xtask/Cargo.toml wasm-bindgen-cli-support {ours}: make them equal"
    );
    Ok(())
}

/// The version in `name = "=1.2.3"` or `name = { version = "=1.2.3", … }`.
fn pinned<'a>(manifest: &'a str, name: &str) -> Option<&'a str> {
    let value = manifest.lines().find_map(|line| line.strip_prefix(name)?.trim_start().strip_prefix('='))?;
    value.split('"').find_map(|part| part.strip_prefix('='))
}

#[cfg(test)]
mod tests {
    use super::pinned;

    #[test]
    fn finds_a_pinned_version() {
        let manifest =
            "wasm-bindgen-test = \"=0.3.1\"\nwasm-bindgen = { version = \"=0.2.1\", default-features = false }\n";
        assert_eq!(pinned(manifest, "wasm-bindgen"), Some("0.2.1"));
        assert_eq!(pinned(manifest, "wasm-bindgen-test"), Some("0.3.1"));
        assert_eq!(pinned("wasm-bindgen = \"0.2\"", "wasm-bindgen"), None);
    }
}
