//! Functions that do the same as others with other numbers: fixed-point ones of OpenGL ES 1, and
//! packed ones. Each is executed as the function that takes floats.

use unspool_gl::call::{Call, Value};
use unspool_gl::{gl, plain};

use super::Run;
use crate::driver::Replay;

/// The handler of a function in another form, if `exists` knows the one with floats.
pub(super) fn other_form(name: &str, exists: impl Fn(&str) -> bool) -> Option<Run> {
    if as_floats(name, &exists).is_some() {
        return Some(|r, c| {
            let name = r.name(c);
            if let Some(float) = as_floats(&name, |name| r.handlers.handles(name)) {
                r.execute_as(&float, |function| Some(unfixed(c, &name, function)));
            }
        });
    }
    let (packed, _) = as_unpacked(name)?;
    exists(&packed).then_some(|r, c| {
        if let Some((float, at)) = as_unpacked(&r.name(c)) {
            r.execute_as(&float, |function| unpacked(c, &float, at, function));
        }
    })
}

impl Replay {
    /// Executes the call of a function that is made for its number.
    fn execute_as(&mut self, name: &str, call: impl FnOnce(u32) -> Option<Call>) {
        let function = self.handlers.number(name);
        if let (Some(call), Some(function)) = (call(function), self.handlers.get(function)) {
            self.execute_by(&call, &function);
        }
    }
}

/// The function that takes floats in place of numbers of 16.16 bits: OpenGL ES 1.1, section 2.3.
fn as_floats(name: &str, exists: impl Fn(&str) -> bool) -> Option<String> {
    let plain = plain(name);
    let (begin, vector) =
        plain.strip_suffix("xv").map_or_else(|| Some((plain.strip_suffix('x')?, "")), |it| Some((it, "v")))?;
    // `glAlphaFunc` has no letter for its numbers.
    [format!("{begin}f{vector}"), begin.to_owned()].into_iter().find(|name| exists(name))
}

/// Functions whose first arguments are constants or names, with how many of these they have.
const LEADING: [(&str, usize); 10] = [
    ("glLightModel", 1),
    ("glLight", 2),
    ("glMaterial", 2),
    ("glTexEnv", 2),
    ("glTexGen", 2),
    ("glTexParameter", 2),
    ("glAlphaFunc", 1),
    ("glClipPlane", 1),
    ("glFog", 1),
    ("glPointParameter", 1),
];

/// A call of a function, with floats in place of fixed-point numbers. `name` is that of the one
/// that it replaces.
fn unfixed(c: &Call, name: &str, function: u32) -> Call {
    let known = LEADING.iter().find(|(begin, _)| name.starts_with(begin));
    let leading = known.map_or(usize::from(name.starts_with("glMultiTexCoord")), |(_, leading)| *leading);
    // What a parameter takes as a constant or as a truth value is not scaled.
    let is_constant = leading > 0
        && known.is_some()
        && matches!(
            c.uint(leading - 1),
            gl::FOG_MODE
                | gl::LIGHT_MODEL_TWO_SIDE
                | gl::TEXTURE_ENV_MODE
                | gl::COORD_REPLACE
                | gl::TEXTURE_GEN_MODE
                | gl::COMBINE_RGB
                | gl::COMBINE_ALPHA
                | gl::SRC0_RGB..=gl::SRC2_RGB
                | gl::SRC0_ALPHA..=gl::SRC2_ALPHA
                | gl::OPERAND0_RGB..=gl::OPERAND2_RGB
                | gl::OPERAND0_ALPHA..=gl::OPERAND2_ALPHA
                | gl::TEXTURE_MAG_FILTER..=gl::TEXTURE_WRAP_T
                | gl::GENERATE_MIPMAP
        );
    let scale = if is_constant { 1.0 } else { 65536.0 };
    let scaled = |value: Value<'_>| Value::Float(value.float().unwrap_or_default() / scale);
    let mut made = c.in_place(function);
    for i in 0..c.len() {
        match c.argument(i) {
            value if i < leading => made.set(i, value),
            Value::List(all) => made.set_list(i, all.map(scaled)),
            value => made.set(i, scaled(value)),
        }
    }
    made
}

/// The function that takes floats in place of numbers that are packed into one: OpenGL 3.3, section
/// 2.7. With the index of the argument that is their type.
fn as_unpacked(name: &str) -> Option<(String, usize)> {
    let (begin, end) = name.split_once('P')?;
    let count =
        end.strip_suffix("ui").or_else(|| end.strip_suffix("uiv")).filter(|it| matches!(*it, "1" | "2" | "3" | "4"))?;
    let at = match begin {
        "glVertex" | "glColor" | "glSecondaryColor" | "glNormal" | "glTexCoord" => 0,
        "glMultiTexCoord" | "glVertexAttrib" => 1,
        _ => return None,
    };
    Some((format!("{begin}{count}f"), at))
}

/// A call of a function, with the numbers that are packed into one. `at` is the argument with their
/// type.
fn unpacked(c: &Call, name: &str, at: usize, function: u32) -> Option<Call> {
    let is_signed = match c.uint(at) {
        gl::INT_2_10_10_10_REV => true,
        gl::UNSIGNED_INT_2_10_10_10_REV => false,
        _ => return None,
    };
    let is_attribute = name.starts_with("glVertexAttrib");
    let is_color = ["glColor", "glSecondaryColor", "glNormal"].iter().any(|begin| name.starts_with(begin));
    let normalizes = if is_attribute { c.int(at + 1) != 0 } else { is_color };
    let packed = c.uint(at + 1 + usize::from(is_attribute));
    let number = |(first, bits): (u32, u32)| {
        let raw = packed << (32 - bits - first);
        let number = if is_signed { f64::from(raw as i32 >> (32 - bits)) } else { f64::from(raw >> (32 - bits)) };
        let most = f64::from((1u32 << (bits - u32::from(is_signed))) - 1);
        Value::Float(if normalizes { (number / most).max(-1.0) } else { number })
    };
    let count = name.strip_suffix('f')?.chars().next_back()?.to_digit(10)? as usize;
    let parts = [(0, 10), (10, 10), (20, 10), (30, 2)].into_iter().take(count);
    let mut made = c.in_place(function);
    (0..at).for_each(|i| made.set(i, c.argument(i)));
    parts.enumerate().for_each(|(i, part)| made.set(at + i, number(part)));
    Some(made)
}
