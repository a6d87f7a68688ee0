//! Endings of the names of functions that came from extensions. `build.rs` reads them, too.

const ENDINGS: [&str; 14] =
    ["EXT", "ARB", "OES", "KHR", "APPLE", "NV", "ANGLE", "SGIS", "AMD", "ATI", "INGR", "SGI", "MESA", "IMG"];

/// Functions of extensions whose arguments are others than those of the function without the
/// ending.
const OTHERS: [&str; 1] = ["StencilFuncSeparateATI"];

/// The name of a function without the ending of the extension that it came from.
pub(crate) fn without_ending(name: &str) -> &str {
    // Most names have no such ending.
    if !name.ends_with(|last: char| last.is_ascii_uppercase()) || OTHERS.contains(&name) {
        return name;
    }
    ENDINGS.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}
