//! Writes the seeds of all properties to a folder, one folder each, for `npm run fuzz`. Prints
//! their names.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a measurement that panics has shown something"
)]

use std::path::Path;
use std::{env, fs, io};

use unspool_fuzz_properties::{PROPERTIES, seeds};

fn main() -> io::Result<()> {
    let folder = env::args().nth(1).ok_or_else(|| io::Error::other("usage: seeds FOLDER"))?;
    for property in PROPERTIES {
        let folder = Path::new(&folder).join(property.name);
        fs::create_dir_all(&folder)?;
        for (name, bytes) in seeds(property.name) {
            fs::write(folder.join(name), bytes)?;
        }
        println!("{}", property.name);
    }
    Ok(())
}
