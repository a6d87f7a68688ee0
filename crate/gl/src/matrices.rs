//! The matrix stacks of the fixed function, and what functions do with them.

use core::iter::Sum;
use core::ops::Mul;
use std::sync::Arc;

use crate::call::Call;
use crate::gl;
use crate::matrix::{IDENTITY, frustum, ortho, product, rotation, scaling, translation, transposed};

/// What drivers have room for at least. A push beyond that is an error and changes nothing.
const MAX_DEPTH: u32 = 64;

/// The numbers of matrices: single precision for what is drawn, double for what is shown.
pub trait Number: Copy + Default + Mul<Output = Self> + Sum {
    /// The nearest number.
    fn of(number: f64) -> Self;

    /// Sine and cosine of an angle in degrees, in the precision of these numbers.
    fn sin_cos(degrees: f64) -> (f64, f64);
}

impl Number for f32 {
    fn of(number: f64) -> Self {
        number as Self
    }

    fn sin_cos(degrees: f64) -> (f64, f64) {
        let (sine, cosine) = (degrees as Self).to_radians().sin_cos();
        (sine.into(), cosine.into())
    }
}

impl Number for f64 {
    fn of(number: f64) -> Self {
        number
    }

    fn sin_cos(degrees: f64) -> (f64, f64) {
        degrees.to_radians().sin_cos()
    }
}

/// A stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stack {
    /// That of `GL_MODELVIEW`.
    Modelview,
    /// That of `GL_PROJECTION`.
    Projection,
    /// That of a texture unit.
    Texture(u32),
    /// That of `GL_COLOR`.
    Color,
    /// All others, which are those of assembly programs.
    Other,
}

impl Stack {
    /// The stack that a matrix mode chooses, in an active texture unit.
    pub fn of(mode: u32, unit: u32) -> Self {
        match mode {
            gl::MODELVIEW => Self::Modelview,
            gl::PROJECTION => Self::Projection,
            gl::TEXTURE => Self::Texture(unit),
            gl::COLOR => Self::Color,
            gl::TEXTURE0..=gl::TEXTURE31 => Self::Texture(mode - gl::TEXTURE0),
            _ => Self::Other,
        }
    }
}

/// A function that changes a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    does: Does,
    /// Its numbers are 16.16 fixed point, of OpenGL ES 1.
    is_fixed: bool,
    /// Its first argument is the stack: `GL_EXT_direct_state_access`.
    names_stack: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Does {
    Push,
    Pop,
    LoadIdentity,
    Load,
    LoadTransposed,
    Multiply,
    MultiplyTransposed,
    Rotate,
    Translate,
    Scale,
    Ortho,
    Frustum,
}

/// Names without the type of their numbers, and with the stack as an argument.
const TABLE: [(&str, &str, Does); 12] = [
    ("PushMatrix", "MatrixPush", Does::Push),
    ("PopMatrix", "MatrixPop", Does::Pop),
    ("LoadIdentity", "MatrixLoadIdentity", Does::LoadIdentity),
    ("LoadMatrix", "MatrixLoad", Does::Load),
    ("LoadTransposeMatrix", "MatrixLoadTranspose", Does::LoadTransposed),
    ("MultMatrix", "MatrixMult", Does::Multiply),
    ("MultTransposeMatrix", "MatrixMultTranspose", Does::MultiplyTransposed),
    ("Rotate", "MatrixRotate", Does::Rotate),
    ("Translate", "MatrixTranslate", Does::Translate),
    ("Scale", "MatrixScale", Does::Scale),
    ("Ortho", "MatrixOrtho", Does::Ortho),
    ("Frustum", "MatrixFrustum", Does::Frustum),
];

impl Function {
    /// The function with this name, without the prefix `gl` and the ending of an extension. `None`
    /// for all that change no stack.
    pub(crate) fn of(plain: &str) -> Option<Self> {
        TABLE.iter().find_map(|(name, named, does)| {
            let of_kind = |begin: &str| plain.strip_prefix(begin).filter(|kind| matches!(*kind, "" | "f" | "d" | "x"));
            let (kind, names_stack) = of_kind(name).map(|kind| (kind, false)).or(of_kind(named).map(|it| (it, true)))?;
            Some(Self { does: *does, is_fixed: kind == "x", names_stack })
        })
    }

    /// The matrix that a call has, and whether it replaces the one on top. `None` also for what is
    /// an error of OpenGL.
    fn matrix<T: Number>(self, call: &Call) -> Option<([f64; 16], bool)> {
        let (first, scale) = (usize::from(self.names_stack), if self.is_fixed { 1.0 / 65536.0 } else { 1.0 });
        let at = |place: usize| scale * call.float(first + place);
        let three = |from: usize| [at(from), at(from + 1), at(from + 2)];
        let six = || core::array::from_fn(at);
        let given = || {
            let (numbers, count) = call.floats(first);
            (count == 16).then(|| numbers.map(|number| scale * number))
        };
        let made = match self.does {
            Does::Push | Does::Pop => return None,
            Does::LoadIdentity => Some(IDENTITY),
            Does::Load | Does::Multiply => given(),
            Does::LoadTransposed | Does::MultiplyTransposed => given().map(|numbers| transposed(&numbers)),
            Does::Rotate => Some(rotation(T::sin_cos(at(0)), three(1))),
            Does::Translate => Some(translation(three(0))),
            Does::Scale => Some(scaling(three(0))),
            Does::Ortho => ortho(six()),
            Does::Frustum => frustum(six()),
        };
        Some((made?, matches!(self.does, Does::LoadIdentity | Does::Load | Does::LoadTransposed)))
    }
}

/// What a call has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Changed {
    /// The stack.
    pub stack: Stack,
    /// Its depth, if that has changed.
    pub depth: Option<u32>,
}

/// A level of a stack. Stacks that were copied share what is below.
#[derive(Clone, Debug)]
struct Level<T> {
    /// `None` if no call has set it.
    matrix: Option<[T; 16]>,
    depth: u32,
    below: Option<Arc<Self>>,
}

/// The stacks of a context.
#[derive(Clone, Debug)]
pub struct Stacks<T>(Vec<(Stack, Level<T>)>);

impl<T> Default for Stacks<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Number> Stacks<T> {
    /// The matrix on top of a stack. `None` if no call has set it.
    pub fn top(&self, stack: Stack) -> Option<&[T; 16]> {
        self.0.iter().find(|(of, _)| *of == stack).and_then(|(_, level)| level.matrix.as_ref())
    }

    /// A call of a function, in a context with a matrix mode and an active texture unit.
    /// `is_known`: a matrix that no call has set is [`IDENTITY`]. Returns what has changed.
    pub fn call(
        &mut self,
        function: Function,
        call: &Call,
        (mode, unit): (u32, u32),
        is_known: bool,
    ) -> Option<Changed> {
        let mode = if function.names_stack { call.int(0) as u32 } else { mode };
        let stack = Stack::of(mode, unit);
        let at = self.0.iter().position(|(of, _)| *of == stack).unwrap_or(self.0.len());
        if at == self.0.len() {
            self.0.push((stack, Level { matrix: None, depth: 1, below: None }));
        }
        let (_, level) = self.0.get_mut(at)?;
        let depth = match function.does {
            Does::Push if level.depth < MAX_DEPTH => {
                let below = Level { matrix: level.matrix.or(Some(IDENTITY.map(T::of))), ..level.clone() };
                (level.depth, level.below) = (level.depth + 1, Some(Arc::new(below)));
                Some(level.depth)
            }
            Does::Push => return None,
            Does::Pop => {
                *level = Arc::unwrap_or_clone(level.below.take()?);
                Some(level.depth)
            }
            _ => {
                let (matrix, replaces) = function.matrix::<T>(call)?;
                let matrix = matrix.map(T::of);
                level.matrix = Some(match &level.matrix {
                    Some(top) if !replaces => product(top, &matrix),
                    None if !replaces && !is_known => return None,
                    _ => matrix,
                });
                None
            }
        };
        Some(Changed { stack, depth })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A call of a function with numbers, those from `list` on as a list.
    fn call(numbers: &[f64], list: usize) -> Call {
        let (mut call, count) = (Call::default(), list.min(numbers.len()));
        let (plain, list) = numbers.split_at(count);
        plain.iter().enumerate().for_each(|(i, number)| call.set(i, (*number).into()));
        call.set_list(count, list.iter().map(|number| (*number).into()));
        call
    }

    fn run(stacks: &mut Stacks<f64>, name: &str, numbers: &[f64], mode: u32) -> Option<Changed> {
        let function = Function::of(name).unwrap();
        let has_list = matches!(function.does, Does::Load | Does::LoadTransposed);
        let list = if has_list { usize::from(function.names_stack) } else { usize::MAX };
        stacks.call(function, &call(numbers, list), (mode, 1), true)
    }

    #[test]
    fn stacks_push_and_pop() {
        let mut stacks = Stacks::default();
        let changed = run(&mut stacks, "PushMatrix", &[], gl::MODELVIEW);
        assert_eq!(changed, Some(Changed { stack: Stack::Modelview, depth: Some(2) }));
        run(&mut stacks, "Translatef", &[1.0, 2.0, 3.0], gl::MODELVIEW);
        run(&mut stacks, "Scalex", &[131072.0, 65536.0, 65536.0], gl::MODELVIEW);
        let top = stacks.top(Stack::Modelview).unwrap();
        assert_eq!((top[0], top[5], top[12], top[14]), (2.0, 1.0, 1.0, 3.0));
        // A copy keeps what it had.
        let copy = stacks.clone();
        assert_eq!(run(&mut stacks, "PopMatrix", &[], gl::MODELVIEW).unwrap().depth, Some(1));
        assert_eq!(stacks.top(Stack::Modelview), Some(&IDENTITY));
        assert_eq!(copy.top(Stack::Modelview).unwrap()[0], 2.0);
        assert_eq!(run(&mut stacks, "PopMatrix", &[], gl::MODELVIEW), None);
        for depth in 2..=MAX_DEPTH {
            assert_eq!(run(&mut stacks, "PushMatrix", &[], gl::PROJECTION).unwrap().depth, Some(depth));
        }
        assert_eq!(run(&mut stacks, "PushMatrix", &[], gl::PROJECTION), None);
    }

    #[test]
    fn stacks_are_chosen_by_the_mode_or_named() {
        let mut stacks = Stacks::default();
        let stack = |changed: Option<Changed>| changed.map(|changed| changed.stack);
        assert_eq!(stack(run(&mut stacks, "LoadIdentity", &[], gl::TEXTURE)), Some(Stack::Texture(1)));
        let texture = f64::from(gl::TEXTURE0 + 3);
        assert_eq!(stack(run(&mut stacks, "MatrixRotatef", &[texture], gl::COLOR)), Some(Stack::Texture(3)));
        let numbers: Vec<f64> = [f64::from(gl::PROJECTION)].into_iter().chain((0..16).map(f64::from)).collect();
        assert_eq!(stack(run(&mut stacks, "MatrixLoadTransposed", &numbers, 0)), Some(Stack::Projection));
        assert_eq!(stacks.top(Stack::Projection).unwrap()[1], 4.0);
        assert_eq!(run(&mut stacks, "LoadMatrixf", &[1.0], gl::MODELVIEW), None);
        // Without a volume.
        assert_eq!(run(&mut stacks, "Ortho", &[1.0, 1.0], gl::MODELVIEW), None);
        let all = ["MatrixMode", "LoadMatrix4f", "RotateEXTf", "glRotatef"];
        assert_eq!(all.map(Function::of), [None; 4]);
    }

    #[test]
    fn what_no_call_has_set_may_be_unknown() {
        let (mut stacks, scale) = (Stacks::<f32>::default(), Function::of("Scalef").unwrap());
        let call = call(&[2.0; 3], 3);
        assert_eq!(stacks.call(scale, &call, (gl::MODELVIEW, 0), false), None);
        assert_eq!(stacks.top(Stack::Modelview), None);
        stacks.call(scale, &call, (gl::MODELVIEW, 0), true);
        assert!(stacks.call(scale, &call, (gl::MODELVIEW, 0), false).is_some());
        assert_eq!(stacks.top(Stack::Modelview).unwrap()[0], 4.0);
    }
}
