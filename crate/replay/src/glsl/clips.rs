//! The clip volumes of `glClipControl`, which WebGL2 does not have (OpenGL 4.6, section 13.5): a
//! program that is drawn with another volume than the usual one maps it to that, after all that its
//! vertex shader does. A uniform says how, because the same program is drawn with others, too.

use super::{Translated, views};

/// The uniform: what y is multiplied by, and 1 where depths begin at 0, otherwise 0.
pub(crate) const UNIFORM: &str = "_cc";

const MAPPING: &str =
    "gl_Position.y *= _cc.x;\nif (_cc.y != 0.0) gl_Position.z = 2.0 * gl_Position.z - gl_Position.w;\n}\n";

/// A program that maps clip volumes.
pub(crate) fn mapping_clips(made: &Translated) -> Translated {
    // `main` comes last, after this declaration: see `Unit::text`.
    let declared = format!("uniform int {};\n", views::UNIFORM);
    let (before, main) = made.vertex.rsplit_once(&declared).unwrap_or(("", &made.vertex));
    let main = main.strip_suffix("}\n").unwrap_or(main);
    let vertex = format!("{before}{declared}uniform vec2 {UNIFORM};\n{main}{MAPPING}");
    Translated { vertex, maps_clips: true, ..made.clone() }
}

#[cfg(test)]
mod tests {
    use hashbrown::HashMap;

    use super::*;
    use crate::glsl::Translations;

    #[test]
    fn the_volume_is_mapped_after_all_else() {
        let translations = Translations::new(1 << 15);
        // The shader has a declaration like ours.
        let sources = [
            "uniform int _vw;\nvoid main() { gl_Position = ftransform(); gl_FrontColor = gl_Color; }",
            "void main() { gl_FragColor = gl_Color; }",
        ]
        .map(|text| translations.source(&text.into()));
        let none = HashMap::new();
        let made = mapping_clips(&translations.link(&sources, false, &none, &none).unwrap());
        let end = "uniform int _vw;\nuniform vec2 _cc;\nvoid main() {\n_main();\n_fcs = _fc;\n_fcf = _fc;\n\
                   gl_Position.y *= _cc.x;\nif (_cc.y != 0.0) gl_Position.z = 2.0 * gl_Position.z - gl_Position.w;\n}\n";
        assert!(made.vertex.ends_with(end), "{}", made.vertex);
        assert!(made.maps_clips);
    }
}
