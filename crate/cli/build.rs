//! Deflates the built page for `unspool open`, if the feature `page` is on. Otherwise there is
//! none.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs, io};

/// miniz's best: most files are WebAssembly, and it takes a few seconds for all.
const LEVEL: u8 = 9;

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let out = env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?;
    let out = Path::new(&out);
    let mut table = String::new();
    if env::var_os("CARGO_FEATURE_PAGE").is_some() {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../dist");
        println!("cargo::rerun-if-changed={}", page.display());
        if !page.join("index.html").is_file() {
            println!("cargo::error=The feature `page` takes the page from dist: `npm run build` makes it.");
            return Ok(());
        }
        deflate(&page, "", out, &mut table)?;
    }
    let code = format!("/// Files of the page by their path, deflated.\nstatic PAGE: &[(&str, &[u8])] = &[{table}];\n");
    fs::write(out.join("page.rs"), code)
}

fn deflate(folder: &Path, within: &str, out: &Path, table: &mut String) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().into_string().map_err(|_| io::ErrorKind::InvalidData)?;
        let path = format!("{within}{name}");
        if entry.file_type()?.is_dir() {
            deflate(&entry.path(), &format!("{path}/"), out, table)?;
            continue;
        }
        let deflated = miniz_oxide::deflate::compress_to_vec_zlib(&fs::read(entry.path())?, LEVEL);
        let file = out.join(path.replace('/', "+"));
        fs::write(&file, deflated)?;
        let _ = write!(table, "({path:?}, include_bytes!({:?})), ", file.display().to_string());
    }
    Ok(())
}
