//! Extracts the facts on OpenGL functions and constants that `crate/gl` needs from Khronos'
//! registry, `gl.xml`.
//!
//! The registry is not downloaded by itself: `--from` names the file. Debian has it in the package
//! `khronos-api`: `apt download khronos-api && dpkg-deb -x khronos-api_*.deb DIR`, then
//! `DIR/usr/share/khronos-api/gl.xml`. The names of GLX and WGL are taken from `glx.xml` and
//! `wgl.xml` beside it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use roxmltree::{Document, Node};

const OUTPUT: &str = "crate/gl/gl.txt";
/// Where Debian's package has the registry.
const INSTALLED: &str = "/usr/share/khronos-api/gl.xml";
/// Extensions whose functions and constants programs still use. Those of other vendors are left out
/// unless they are aliases.
const SUFFIXES: [&str; 7] = ["ARB", "EXT", "KHR", "OES", "APPLE", "ANGLE", "NV"];

/// What is written before the table.
const HEADER: &str = "\
# Functions and constants of OpenGL and OpenGL ES, extracted from Khronos' gl.xml by `cargo xtask gl`. Do not edit.
# Copyright 2013-2020 The Khronos Group Inc. SPDX-License-Identifier: Apache-2.0
# https://github.com/KhronosGroup/OpenGL-Registry
#
# f NAME[=ALIAS] PARAMETER[:GROUP][@CLASS]...   without the prefix gl
# e VALUE NAME[:GROUP,GROUP]                    hexadecimal, without the prefix GL_; the first name of a value is the usual one
# b VALUE NAME                                  bits of a mask, hexadecimal, without the prefix GL_
# n NAME                                        other functions, those of GLX and WGL included, with their prefix
";

pub fn run(args: &[String]) -> Result<()> {
    let mut from = PathBuf::from(INSTALLED);
    let mut check = false;
    let mut rest = args.iter();
    while let Some(option) = rest.next() {
        match option.as_str() {
            "--from" => from = rest.next().context("--from needs a file")?.into(),
            "--check" => check = true,
            other => bail!("unknown option {other:?}"),
        }
    }
    if check && !from.exists() {
        eprintln!("{} does not exist: {OUTPUT} was not compared with it", from.display());
        return Ok(());
    }
    let read = |path: &Path| fs::read_to_string(path).with_context(|| path.display().to_string());
    let windows = ["glx.xml", "wgl.xml"].map(|name| read(&from.with_file_name(name)));
    let table = extract(read(&from)?.trim_start_matches('\u{feff}'), windows.into_iter().collect::<Result<_>>()?)?;
    let output = crate::root().join(OUTPUT);
    if check {
        ensure!(
            fs::read_to_string(&output)? == table,
            "{OUTPUT} is not what `cargo xtask gl` makes of {}",
            from.display()
        );
        eprintln!("{OUTPUT} is what {} says", from.display());
        return Ok(());
    }
    fs::write(&output, table)?;
    Ok(())
}

/// The table, as text. `windows`: the registries of GLX and WGL.
fn extract(xml: &str, windows: Vec<String>) -> Result<String> {
    let document = Document::parse(xml)?;
    let registry = document.root_element();
    let core = of_versions(registry);
    let mut table = String::from(HEADER);
    functions(registry, &core, &mut table)?;
    constants(registry, &core, &mut table)?;
    bits(registry, &core, &mut table)?;
    names(registry, &core, &windows, &mut table)?;
    Ok(table)
}

/// The elements with a name below a node.
fn named<'a, 'i>(node: Node<'a, 'i>, tag: &'static str) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(move |child| child.has_tag_name(tag))
}

/// Functions and constants that a version of OpenGL or OpenGL ES has.
fn of_versions<'a>(registry: Node<'a, '_>) -> BTreeSet<&'a str> {
    let requires = named(registry, "feature").flat_map(|feature| named(feature, "require"));
    requires.flat_map(|require| require.children()).filter_map(|item| item.attribute("name")).collect()
}

/// Whether a name is of a version, or of an extension that programs still use.
fn is_kept(name: &str, core: &BTreeSet<&str>) -> bool {
    core.contains(name) || SUFFIXES.iter().any(|suffix| name.ends_with(suffix))
}

/// The name of a function or of a parameter.
fn name_of(node: Node<'_, '_>) -> Option<String> {
    named(node, "name").find_map(|name| name.text().map(str::to_string))
}

/// The functions of a registry, each with its name.
fn commands<'a, 'i>(registry: Node<'a, 'i>) -> impl Iterator<Item = Result<(String, Node<'a, 'i>)>> {
    named(registry, "commands").flat_map(|commands| named(commands, "command")).map(|command| {
        let name = named(command, "proto").find_map(name_of).context("a command without a name")?;
        Ok((name, command))
    })
}

/// Whether a function is in the table with its parameters.
fn is_whole(name: &str, command: Node<'_, '_>, core: &BTreeSet<&str>) -> bool {
    let has_alias = named(command, "alias").next().is_some();
    has_alias || (is_kept(name, core) && (!name.ends_with("NV") || core.contains(name)))
}

/// The names of all other functions.
fn names(registry: Node<'_, '_>, core: &BTreeSet<&str>, windows: &[String], table: &mut String) -> Result<()> {
    let mut all = BTreeSet::new();
    for command in commands(registry) {
        let (name, command) = command?;
        if !is_whole(&name, command, core) {
            all.insert(name);
        }
    }
    for text in windows {
        let document = Document::parse(text.trim_start_matches('\u{feff}'))?;
        for command in commands(document.root_element()) {
            all.insert(command?.0);
        }
    }
    for name in all {
        writeln!(table, "n {name}")?;
    }
    Ok(())
}

fn functions(registry: Node<'_, '_>, core: &BTreeSet<&str>, table: &mut String) -> Result<()> {
    let mut lines = BTreeMap::new();
    for command in commands(registry) {
        let (of, command) = command?;
        if !is_whole(&of, command, core) {
            continue;
        }
        let alias = named(command, "alias").find_map(|alias| alias.attribute("name"));
        let mut line = format!("f {}", of.trim_start_matches("gl"));
        if let Some(alias) = alias {
            write!(line, "={}", alias.trim_start_matches("gl"))?;
        }
        for parameter in named(command, "param") {
            write!(line, " {}", name_of(parameter).context("a parameter without a name")?)?;
            if let Some(group) = parameter.attribute("group") {
                write!(line, ":{group}")?;
            }
            if let Some(class) = parameter.attribute("class") {
                write!(line, "@{}", class.replace(' ', "_"))?;
            }
        }
        lines.insert(of, line);
    }
    for line in lines.values() {
        writeln!(table, "{line}")?;
    }
    Ok(())
}

fn constants(registry: Node<'_, '_>, core: &BTreeSet<&str>, table: &mut String) -> Result<()> {
    let mut names: BTreeMap<u32, Vec<(bool, &str, &str)>> = BTreeMap::new();
    for set in named(registry, "enums").filter(|set| set.attribute("type") != Some("bitmask")) {
        for constant in named(set, "enum") {
            let (Some(name), Some(value)) = (constant.attribute("name"), constant.attribute("value")) else { continue };
            let Some(value) = number(value) else { continue };
            let group = constant.attribute("group").unwrap_or_default();
            names.entry(value).or_default().push((!core.contains(name), name, group));
        }
    }
    for (value, mut names) in names {
        names.sort_by_key(|(is_extension, name, _)| {
            (*is_extension, SUFFIXES.iter().position(|suffix| name.ends_with(suffix)).is_none())
        });
        // Small numbers mean something else in each group. Others have one name of a version, or
        // one of an extension.
        let is_ambiguous = names.iter().filter(|(is_extension, ..)| !is_extension).count() > 1;
        let most = if is_ambiguous { names.len() } else { 1 };
        for (is_extension, name, group) in names.into_iter().take(most) {
            if is_ambiguous && is_extension {
                continue;
            }
            write!(table, "e {value:x} {}", name.trim_start_matches("GL_"))?;
            if is_ambiguous && !group.is_empty() {
                write!(table, ":{group}")?;
            }
            writeln!(table)?;
        }
    }
    Ok(())
}

/// Bits of masks that a version has. Several masks use the same bits.
fn bits(registry: Node<'_, '_>, core: &BTreeSet<&str>, table: &mut String) -> Result<()> {
    let masks = named(registry, "enums").filter(|set| set.attribute("type") == Some("bitmask"));
    let all = masks.flat_map(|set| named(set, "enum")).filter_map(|bit| {
        let name = bit.attribute("name").filter(|name| core.contains(name))?;
        Some((name, number(bit.attribute("value")?)?))
    });
    // By name, and once: some are in several masks.
    for (name, value) in all.collect::<BTreeMap<_, _>>() {
        writeln!(table, "b {value:x} {}", name.trim_start_matches("GL_"))?;
    }
    Ok(())
}

/// A number of the registry. `None` for those of 64 bits and for text.
fn number(value: &str) -> Option<u32> {
    value.strip_prefix("0x").and_then(|digits| u32::from_str_radix(digits, 16).ok()).or(value.parse().ok())
}
