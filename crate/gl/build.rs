//! Makes three files of the table `gl.txt`, whose head says what its lines are: `constants.rs` with
//! a Rust constant for each name, `table.txt` with the lines that are read at run time, and
//! `aliases.rs` with the functions that are others by more than the ending of an extension.

#[path = "src/endings.rs"]
mod endings;

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

use endings::without_ending;

const TABLE: &str = "gl.txt";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={TABLE}");
    let table = fs::read_to_string(TABLE)?;
    let (mut constants, mut rest) = (String::new(), String::new());
    let mut functions = BTreeMap::new();
    for line in table.lines() {
        let mut words = line.split(' ');
        let kind = words.next();
        match (kind, words.next(), words.next()) {
            (Some("e" | "b"), Some(value), Some(name)) => {
                let name = name.split(':').next().unwrap_or_default();
                // GL_2D and others would begin with a digit.
                let prefix = if name.starts_with(|first: char| first.is_ascii_digit()) { "_" } else { "" };
                writeln!(constants, "pub const {prefix}{name}: u32 = 0x{value};")?;
            }
            (Some("f"), Some(name), _) => {
                let (name, alias) = name.split_once('=').unwrap_or((name, name));
                functions.insert(name, alias);
            }
            _ => {}
        }
        if !matches!(kind, Some("b" | "n")) {
            writeln!(rest, "{line}")?;
        }
    }
    let out = env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?;
    fs::write(Path::new(&out).join("constants.rs"), constants)?;
    fs::write(Path::new(&out).join("table.txt"), rest)?;
    fs::write(Path::new(&out).join("aliases.rs"), aliases(&functions)?)?;
    Ok(())
}

/// Functions without their endings, each with the one that it is.
fn aliases(functions: &BTreeMap<&str, &str>) -> Result<String, Box<dyn Error>> {
    let mut all = String::from("&[\n");
    for name in functions.keys() {
        let mut of = *name;
        // An alias may have an alias itself.
        while let Some(alias) = functions.get(of).filter(|alias| **alias != of) {
            of = alias;
        }
        if without_ending(of) != without_ending(name) {
            writeln!(all, "    (\"{name}\", \"{}\"),", without_ending(of))?;
        }
    }
    Ok(all + "]\n")
}
