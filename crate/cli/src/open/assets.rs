//! The files of the built page.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;
use std::{fs, io};

use hyper::body::Bytes;

use crate::Failure;

include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// A file of the build that is not served: it is for pages that stay when their server goes.
const LEFT_OUT: &str = "sw.js";

/// A file of the page.
pub(super) struct Asset {
    pub(super) kind: &'static str,
    /// Its name has a hash of its contents.
    pub(super) is_hashed: bool,
    /// The bytes as in zlib, which HTTP calls `deflate`. All browsers read it.
    pub(super) is_deflated: bool,
    pub(super) bytes: Bytes,
}

impl Asset {
    fn new(path: &str, is_deflated: bool, bytes: Bytes) -> Self {
        Self { kind: kind_of(path), is_hashed: path.starts_with("assets/"), is_deflated, bytes }
    }

    /// The bytes for a client that reads no `deflate`.
    pub(super) fn inflated(&self) -> Cow<'_, [u8]> {
        if !self.is_deflated {
            return Cow::Borrowed(&self.bytes);
        }
        // The build has deflated them.
        Cow::Owned(miniz_oxide::inflate::decompress_to_vec_zlib(&self.bytes).unwrap_or_default())
    }
}

/// The files of the page by their path, which is relative and has slashes.
pub(super) struct Assets(HashMap<String, Asset>);

impl Assets {
    /// The page in this command; `None` if it was built without.
    pub(super) fn built_in() -> Option<Self> {
        let files = PAGE.iter().filter(|(path, _)| *path != LEFT_OUT);
        let assets: HashMap<_, _> = files
            .map(|(path, bytes)| ((*path).to_string(), Asset::new(path, true, Bytes::from_static(bytes))))
            .collect();
        (!assets.is_empty()).then_some(Self(assets))
    }

    /// Reads the page from a folder.
    pub(super) fn read(folder: &Path) -> Result<Self, Failure> {
        let mut assets = HashMap::new();
        let failed = |error: io::Error| Failure::io(folder.display(), &error);
        read_into(&mut assets, folder, "").map_err(failed)?;
        if !assets.contains_key("index.html") {
            return Err(Failure::usage(format!("{}: no built page, which has an index.html.", folder.display())));
        }
        Ok(Self(assets))
    }

    pub(super) fn at(&self, path: &str) -> Option<&Asset> {
        self.0.get(if path.is_empty() { "index.html" } else { path })
    }
}

fn read_into(assets: &mut HashMap<String, Asset>, folder: &Path, within: &str) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let path = format!("{within}{name}");
        if entry.file_type()?.is_dir() {
            read_into(assets, &entry.path(), &format!("{path}/"))?;
        } else if path != LEFT_OUT {
            assets.insert(path.clone(), Asset::new(&path, false, fs::read(entry.path())?.into()));
        }
    }
    Ok(())
}

/// Browsers take no script or module of another kind.
fn kind_of(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("json") => "application/json",
        Some("webmanifest") => "application/manifest+json",
        _ => "application/octet-stream",
    }
}
