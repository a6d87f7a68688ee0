//! Builds the crates of [`MODULES`] for wasm32 and generates their JavaScript and TypeScript.
//!
//! wasm-bindgen's command line tool is a thin wrapper around a library. Calling the library needs
//! no second download, and lets Cargo pin the version.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use wasm_bindgen_cli_support::Bindgen;

/// The wasm modules, each loaded when it is needed, in the order in which the page needs them.
const MODULES: &str = include_str!("../modules.json");
const TARGET: &str = "wasm32-unknown-unknown";
const OUTPUT: &str = "web/worker/wasm";
/// The profile of the modules that are published: the same sources make the same bytes, wherever
/// they are built (`npm run repro`).
const PUBLISHED: &str = "wasm-release";

pub fn run(args: &[String]) -> Result<()> {
    let modules = modules()?;
    let (profile, only) = options(args, &modules)?;
    same_version()?;
    let wanted: Vec<_> = modules.iter().filter(|it| only.is_none_or(|only| it.name == only)).collect();
    for round in rounds(&wanted) {
        build(round, profile, |module, wasm| generate(module, wasm, profile))?;
    }
    Ok(())
}

/// Modules that one run of Cargo builds: the first one alone, which opens a trace, and then all
/// others. No two are of one crate.
///
/// Crates that several of them share are compiled once then, with all features that one of them
/// needs, and modules are linked side by side: with optimisation, each takes one core. A module
/// that is built alone, by `--only`, may differ by such features.
fn rounds<'a>(modules: &'a [&'a Module]) -> impl Iterator<Item = &'a [&'a Module]> {
    let (first, others) = modules.split_at(modules.len().min(1));
    [first, others].into_iter().filter(|round| !round.is_empty())
}

/// Writes the JavaScript and TypeScript of a module that was built.
fn generate(Module { name, .. }: &Module, wasm: &Path, profile: &str) -> Result<()> {
    let output = crate::root().join(OUTPUT);
    // `.omit_default_module_path(false)` keeps `new URL('…_bg.wasm', import.meta.url)`, by which
    // Vite finds the wasm.
    let mut bindgen = Bindgen::new();
    bindgen.input_path(wasm).out_name(name).web(true)?.typescript(true).omit_default_module_path(false);
    // Other projects' decoders may trap, and then a fresh instance takes over.
    bindgen.reset_state_function(matches!(name.as_str(), "unspool_disassembler" | "unspool_symbols"));
    // Function names take half as much again as the code, and the built page has no use for them.
    bindgen.remove_name_section(profile == PUBLISHED).generate(&output)?;
    // `npm start` has the page wait while it is there.
    let _ = fs::remove_file(output.join(".building").join(name));
    let written = output.join(format!("{name}_bg.wasm")).to_string_lossy().into_owned();
    let kib = fs::metadata(&written).with_context(|| written.clone())?.len() / 1024;
    eprintln!("{OUTPUT}: {kib} KiB of {name}, profile {profile}");
    Ok(())
}

/// A wasm module.
struct Module {
    name: String,
    package: String,
    /// In place of the default ones. Empty for a crate of `crate/wasm`, which is one module.
    features: Vec<String>,
}

fn modules() -> Result<Vec<Module>> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let module = |it: &Value| {
        let features: Option<Vec<_>> = it["features"].as_array().into_iter().flatten().map(text).collect();
        Some(Module { name: text(&it["name"])?, package: text(&it["package"])?, features: features? })
    };
    let all: Value = serde_json::from_str(MODULES)?;
    all.as_array().and_then(|all| all.iter().map(module).collect()).context("xtask/modules.json is not as expected")
}

/// The Cargo profile, and the one module to build, if not all.
fn options<'a>(args: &'a [String], modules: &[Module]) -> Result<(&'a str, Option<&'a str>)> {
    let mut profile = "wasm-dev";
    let mut only = None;
    let mut rest = args.iter().map(String::as_str);
    while let Some(option) = rest.next() {
        match (option, rest.next()) {
            ("--profile", Some(name)) => profile = name,
            ("--only", Some(name)) => {
                let known: Vec<_> = modules.iter().map(|it| it.name.as_str()).collect();
                ensure!(known.contains(&name), "there is no module {name:?}: there are {}", known.join(", "));
                only = Some(name);
            }
            _ => bail!("takes --profile NAME and --only MODULE, not {:?}", args.join(" ")),
        }
    }
    Ok((profile, only))
}

/// Runs Cargo, and has each of the modules made of its wasm as soon as that is built.
fn build(modules: &[&Module], profile: &str, mut made: impl FnMut(&Module, &Path) -> Result<()>) -> Result<()> {
    let mut cargo = Command::new(std::env::var("CARGO").unwrap_or("cargo".into()));
    cargo
        .current_dir(crate::root())
        .args(["build", "--target", TARGET, "--profile", profile, "--no-default-features"])
        .arg("--message-format=json-render-diagnostics")
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit());
    for Module { package, features, .. } in modules {
        cargo.args(["--package", package]);
        for feature in features {
            cargo.arg("--features").arg(format!("{package}/{feature}"));
        }
    }
    if profile == PUBLISHED {
        // What could panic names its file, and crates lie in a folder of this machine.
        let from = cargo_home()?.join("registry").join("src");
        let flag = Value::from(format!("--remap-path-prefix={}=crates", from.display()));
        // Cargo adds these to the flags of .cargo/config.toml.
        cargo.arg("--config").arg(format!("target.{TARGET}.rustflags=[{flag}]"));
    }
    if std::env::var_os("CI").is_some() {
        cargo.arg("--locked");
    }
    let mut running = cargo.spawn().context("cannot run cargo")?;
    let mut missing: Vec<_> = modules.to_vec();
    for line in BufReader::new(running.stdout.take().context("cargo has no output")?).lines() {
        // The target directory can be set in four places: use what Cargo reports.
        let Some((library, wasm)) = built_library(&line?) else { continue };
        if let Some(at) = missing.iter().position(|it| it.package.replace('-', "_") == library) {
            made(missing.swap_remove(at), &wasm)?;
        }
    }
    ensure!(running.wait()?.success(), "the modules did not build");
    let names: Vec<_> = missing.iter().map(|it| it.package.as_str()).collect();
    ensure!(names.is_empty(), "Cargo named no .wasm file of {}: is it a cdylib?", names.join(", "));
    Ok(())
}

/// The name and the wasm of a library that a message of Cargo reports to be built; `None` for other
/// messages.
fn built_library(message: &str) -> Option<(String, PathBuf)> {
    let message: Value = serde_json::from_str(message).ok()?;
    let files = message["filenames"].as_array()?;
    let wasm = files.iter().filter_map(Value::as_str).find(|name| name.ends_with(".wasm"))?;
    Some((message["target"]["name"].as_str()?.to_owned(), wasm.into()))
}

/// Where Cargo keeps the sources of crates.
fn cargo_home() -> Result<PathBuf> {
    if let Some(home) = std::env::var_os("CARGO_HOME") {
        return Ok(home.into());
    }
    Ok(std::env::home_dir().context("neither CARGO_HOME nor a home directory is known")?.join(".cargo"))
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
    use std::collections::HashSet;

    use super::{built_library, modules, pinned, rounds};

    #[test]
    fn lists_the_modules() {
        let modules = modules().unwrap();
        assert_eq!(modules.first().map(|it| it.name.as_str()), Some("unspool_browser"));
        assert!(modules.iter().all(|it| it.package.starts_with("unspool-")));
    }

    #[test]
    fn builds_crates_together() {
        let modules = modules().unwrap();
        let all: Vec<_> = modules.iter().collect();
        let together: Vec<_> = rounds(&all).collect();
        assert_eq!(together.iter().map(|round| round.len()).collect::<Vec<_>>(), [1, all.len() - 1]);
        assert_eq!(together[0][0].name, "unspool_browser");
        assert_eq!(rounds(&all[..1]).count(), 1);
        let packages: HashSet<_> = all.iter().map(|it| &it.package).collect();
        assert_eq!(packages.len(), all.len(), "no two are of one crate");
    }

    #[test]
    fn finds_the_wasm_of_a_library() {
        let message = r#"{"reason":"compiler-artifact","target":{"name":"a_b"},"filenames":["x/a_b.d","x/a_b.wasm"]}"#;
        assert_eq!(built_library(message), Some(("a_b".into(), "x/a_b.wasm".into())));
        assert_eq!(built_library(r#"{"reason":"build-finished","success":true}"#), None);
    }

    #[test]
    fn finds_a_pinned_version() {
        let manifest =
            "wasm-bindgen-test = \"=0.3.1\"\nwasm-bindgen = { version = \"=0.2.1\", default-features = false }\n";
        assert_eq!(pinned(manifest, "wasm-bindgen"), Some("0.2.1"));
        assert_eq!(pinned(manifest, "wasm-bindgen-test"), Some("0.3.1"));
        assert_eq!(pinned("wasm-bindgen = \"0.2\"", "wasm-bindgen"), None);
    }
}
