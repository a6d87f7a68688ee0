//! Makes two files of the table `gl.txt`, whose head says what its lines are: `constants.rs` with a
//! Rust constant for each name, and `table.txt` with the lines that are read at run time.

use std::error::Error;
use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

const TABLE: &str = "gl.txt";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={TABLE}");
    let table = fs::read_to_string(TABLE)?;
    let (mut constants, mut rest) = (String::new(), String::new());
    for line in table.lines() {
        let mut words = line.split(' ');
        let kind = words.next();
        if let (Some("e" | "b"), Some(value), Some(name)) = (kind, words.next(), words.next()) {
            let name = name.split(':').next().unwrap_or_default();
            // GL_2D and others would begin with a digit.
            let prefix = if name.starts_with(|first: char| first.is_ascii_digit()) { "_" } else { "" };
            writeln!(constants, "pub const {prefix}{name}: u32 = 0x{value};")?;
        }
        if !matches!(kind, Some("b" | "n")) {
            writeln!(rest, "{line}")?;
        }
    }
    let out = env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?;
    fs::write(Path::new(&out).join("constants.rs"), constants)?;
    fs::write(Path::new(&out).join("table.txt"), rest)?;
    Ok(())
}
