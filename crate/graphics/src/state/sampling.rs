//! The parameters by which a texture is sampled: those of the sampler that is bound to its unit,
//! else its own.

use unspool_gl::gl;
use unspool_gl::machine::Machine;
use unspool_gl::machine::cells::{Cell, Value};

use super::report::{constant, text};

/// Parameters with a word for people, the group of their constants, and whether only textures have
/// them: OpenGL 4.6, tables 23.15 to 23.18.
const PARAMETERS: [(u32, &str, &str, bool); 16] = [
    (gl::TEXTURE_MIN_FILTER, "min", "TextureMinFilter", false),
    (gl::TEXTURE_MAG_FILTER, "mag", "TextureMagFilter", false),
    (gl::TEXTURE_WRAP_S, "wrap S", "TextureWrapMode", false),
    (gl::TEXTURE_WRAP_T, "wrap T", "TextureWrapMode", false),
    (gl::TEXTURE_WRAP_R, "wrap R", "TextureWrapMode", false),
    (gl::TEXTURE_BASE_LEVEL, "first level", "", true),
    (gl::TEXTURE_MAX_LEVEL, "last level", "", true),
    (gl::TEXTURE_MIN_LOD, "least LOD", "", false),
    (gl::TEXTURE_MAX_LOD, "greatest LOD", "", false),
    (gl::TEXTURE_LOD_BIAS, "LOD bias", "", false),
    (gl::TEXTURE_MAX_ANISOTROPY, "anisotropy", "", false),
    (gl::TEXTURE_BORDER_COLOR, "border", "", false),
    (gl::TEXTURE_COMPARE_MODE, "compare", "TextureCompareMode", false),
    (gl::TEXTURE_COMPARE_FUNC, "compare by", "DepthFunction", false),
    (gl::GENERATE_MIPMAP, "makes levels", "", true),
    (gl::DEPTH_STENCIL_TEXTURE_MODE, "sampled as", "", true),
];

/// The value of a parameter that no call has set, if it is said without that: filters, and how
/// coordinates wrap.
fn initial(parameter: u32, target: u32, is_of_sampler: bool) -> Option<u32> {
    let has_no_levels = !is_of_sampler && matches!(target, gl::TEXTURE_RECTANGLE | gl::TEXTURE_EXTERNAL_OES);
    match parameter {
        gl::TEXTURE_MIN_FILTER => Some(if has_no_levels { gl::LINEAR } else { gl::NEAREST_MIPMAP_LINEAR }),
        gl::TEXTURE_MAG_FILTER => Some(gl::LINEAR),
        gl::TEXTURE_WRAP_S | gl::TEXTURE_WRAP_T if has_no_levels => Some(gl::CLAMP_TO_EDGE),
        gl::TEXTURE_WRAP_S => Some(gl::REPEAT),
        gl::TEXTURE_WRAP_T if !matches!(target, gl::TEXTURE_1D | gl::TEXTURE_1D_ARRAY) => Some(gl::REPEAT),
        gl::TEXTURE_WRAP_R if target == gl::TEXTURE_3D => Some(gl::REPEAT),
        _ => None,
    }
}

/// The parameters by which a texture that is bound to a target is sampled, for people, and the
/// latest call that has set a part of it. `texture` and `sampler`: the owners of their cells;
/// `sampler` is 0 without one. `None` for textures that are not filtered.
pub(super) fn sampling(machine: &Machine, target: u32, texture: u32, sampler: u32) -> Option<(String, Option<u32>)> {
    if matches!(target, gl::TEXTURE_BUFFER | gl::TEXTURE_2D_MULTISAMPLE | gl::TEXTURE_2D_MULTISAMPLE_ARRAY) {
        return None;
    }
    let (mut said, mut latest) = (Vec::new(), None);
    for (parameter, word, group, is_of_texture) in PARAMETERS {
        let owner = if sampler != 0 && !is_of_texture { sampler } else { texture };
        match (machine.cell(owner, parameter as u16, 0), initial(parameter, target, sampler != 0)) {
            (Some(Cell { value, call, .. }), _) if *value != Value::Unset => {
                said.push(format!("{word} {}", value_text(value, group)));
                latest = latest.max(Some(*call));
            }
            (_, Some(value)) if !machine.is_implicit() => said.push(format!("{word} {}", bare(value, group))),
            _ => {}
        }
    }
    said.extend(swizzles(machine, texture, &mut latest));
    (!said.is_empty()).then(|| (said.join(", "), latest))
}

/// The swizzles of the channels that are set.
fn swizzles(machine: &Machine, texture: u32, latest: &mut Option<u32>) -> Option<String> {
    let cells: Vec<(char, &Cell)> = (gl::TEXTURE_SWIZZLE_R..=gl::TEXTURE_SWIZZLE_A)
        .zip("RGBA".chars())
        .filter_map(|(parameter, channel)| Some((channel, machine.cell(texture, parameter as u16, 0)?)))
        .collect();
    *latest = (*latest).max(cells.iter().map(|(_, cell)| cell.call).max());
    let one = |(channel, cell): &(char, &Cell)| match cell.value {
        Value::Constant(value) => format!("{channel} = {}", bare(value, "TextureSwizzle")),
        _ => format!("{channel} unknown"),
    };
    (!cells.is_empty()).then(|| format!("swizzle {}", cells.iter().map(one).collect::<Vec<_>>().join(" ")))
}

fn value_text(value: &Value, group: &str) -> String {
    match value {
        Value::Constant(number) => bare(*number, group),
        value => text(value, ""),
    }
}

/// The name of a constant without the prefix, which each of them has.
fn bare(number: u32, group: &str) -> String {
    let name = constant(number, group);
    name.strip_prefix("GL_").unwrap_or(&name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use unspool_gl::example::{self, Example};
    use unspool_gl::machine::what;

    #[test]
    fn a_sampler_takes_the_place_of_what_the_texture_has() {
        let mut machine = Machine::default();
        let mut number = 0;
        let mut apply = |machine: &mut Machine, name: &str, args: &[u32]| {
            number += 1;
            let args = args.iter().map(|it| example::Value::Int((*it).into())).collect();
            let function = machine.function(name).unwrap();
            machine.apply(&Example { number, name: name.into(), args, ..Example::default() }.call(function));
        };
        apply(&mut machine, "glBindTexture", &[gl::TEXTURE_2D, 7]);
        apply(&mut machine, "glTexParameteri", &[gl::TEXTURE_2D, gl::TEXTURE_MAG_FILTER, gl::NEAREST]);
        apply(&mut machine, "glTexParameteri", &[gl::TEXTURE_2D, gl::TEXTURE_SWIZZLE_R, gl::ALPHA]);
        apply(&mut machine, "glBindSampler", &[0, 9]);
        apply(&mut machine, "glSamplerParameteri", &[9, gl::TEXTURE_MAG_FILTER, gl::LINEAR]);
        machine.look_again();
        let context = machine.context_owner();
        let texture = machine.object(context, what::TEXTURE_BINDING_2D, 0).1;
        let sampler = machine.object(context, what::SAMPLER_BINDING, 0).1;
        let of = |sampler| sampling(&machine, gl::TEXTURE_2D, texture, sampler).unwrap();
        assert_eq!(of(0), ("mag NEAREST, swizzle R = ALPHA".into(), Some(3)));
        assert_eq!(of(sampler), ("mag LINEAR, swizzle R = ALPHA".into(), Some(5)));
        assert_eq!(sampling(&machine, gl::TEXTURE_BUFFER, texture, 0), None);
        assert_eq!(initial(gl::TEXTURE_MIN_FILTER, gl::TEXTURE_RECTANGLE, false), Some(gl::LINEAR));
        assert_eq!(initial(gl::TEXTURE_MIN_FILTER, gl::TEXTURE_RECTANGLE, true), Some(gl::NEAREST_MIPMAP_LINEAR));
    }
}
