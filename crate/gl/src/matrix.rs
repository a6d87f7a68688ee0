//! Matrices of four columns, as OpenGL stores them: column by column.

use core::iter::Sum;
use core::ops::Mul;

/// The matrix that changes nothing.
pub const IDENTITY: [f64; 16] = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];

/// `a` times `b`.
pub fn product<T: Copy + Default + Mul<Output = T> + Sum>(a: &[T; 16], b: &[T; 16]) -> [T; 16] {
    let at = |m: &[T; 16], column: usize, row: usize| m.get(4 * column + row).copied().unwrap_or_default();
    core::array::from_fn(|i| (0..4).map(|k| at(a, k, i % 4) * at(b, i / 4, k)).sum())
}

/// Rows as columns.
pub fn transposed<T: Copy + Default>(m: &[T; 16]) -> [T; 16] {
    core::array::from_fn(|i| m.get(i % 4 * 4 + i / 4).copied().unwrap_or_default())
}

/// `glRotate`: a rotation by an angle with this sine and cosine. Without an axis there is none: so
/// Mesa does it.
pub fn rotation((s, c): (f64, f64), [x, y, z]: [f64; 3]) -> [f64; 16] {
    let length = (x * x + y * y + z * z).sqrt();
    if length <= 1.0e-4 {
        return IDENTITY;
    }
    let (x, y, z) = (x / length, y / length, z / length);
    let n = 1.0 - c;
    [
        x * x * n + c,
        y * x * n + z * s,
        x * z * n - y * s,
        0.0,
        x * y * n - z * s,
        y * y * n + c,
        y * z * n + x * s,
        0.0,
        x * z * n + y * s,
        y * z * n - x * s,
        z * z * n + c,
        0.0,
        0.0,
        0.0,
        0.0,
        1.0,
    ]
}

/// `glTranslate`.
pub fn translation([x, y, z]: [f64; 3]) -> [f64; 16] {
    [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, x, y, z, 1.0]
}

/// `glScale`.
pub fn scaling([x, y, z]: [f64; 3]) -> [f64; 16] {
    [x, 0.0, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, 0.0, z, 0.0, 0.0, 0.0, 0.0, 1.0]
}

/// `glOrtho`: left, right, bottom, top, near, far. `None` for what is an error of OpenGL.
pub fn ortho([l, r, b, t, n, f]: [f64; 6]) -> Option<[f64; 16]> {
    let mut made = scaling([2.0 / (r - l), 2.0 / (t - b), -2.0 / (f - n)]);
    [made[12], made[13], made[14]] = [-(r + l) / (r - l), -(t + b) / (t - b), -(f + n) / (f - n)];
    (l != r && b != t && n != f).then_some(made)
}

/// `glFrustum`: left, right, bottom, top, near, far. `None` for what is an error of OpenGL.
pub fn frustum([l, r, b, t, n, f]: [f64; 6]) -> Option<[f64; 16]> {
    (n > 0.0 && f > 0.0 && n != f && l != r && t != b).then(|| {
        [
            2.0 * n / (r - l),
            0.0,
            0.0,
            0.0,
            0.0,
            2.0 * n / (t - b),
            0.0,
            0.0,
            (r + l) / (r - l),
            (t + b) / (t - b),
            -(f + n) / (f - n),
            -1.0,
            0.0,
            0.0,
            -2.0 * f * n / (f - n),
            0.0,
        ]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_volume_of_view_becomes_a_cube() {
        let corner = |m: [f64; 16], [x, y, z]: [f64; 3]| {
            let moved = product(&m, &translation([x, y, z]));
            [moved[12] / moved[15], moved[13] / moved[15], moved[14] / moved[15]]
        };
        let sides = [-2.0, 4.0, -1.0, 3.0, 1.0, 5.0];
        assert_eq!(corner(ortho(sides).unwrap(), [4.0, -1.0, -5.0]), [1.0, -1.0, 1.0]);
        assert_eq!(corner(frustum(sides).unwrap(), [4.0, -1.0, -1.0]), [1.0, -1.0, -1.0]);
        assert_eq!((ortho([1.0; 6]), frustum([-1.0, 1.0, -1.0, 1.0, 0.0, 1.0])), (None, None));
    }

    #[test]
    fn a_rotation_turns_columns() {
        let turned = product(&rotation((1.0, 0.0), [0.0, 0.0, 2.0]), &translation([1.0, 0.0, 0.0]));
        assert!((turned[13] - 1.0).abs() < 1e-12 && turned[12].abs() < 1e-12);
        assert_eq!(transposed(&transposed(&turned)), turned);
        assert_eq!(rotation((1.0, 0.0), [0.0; 3]), IDENTITY);
        assert_eq!(product(&scaling([2.0, 3.0, 4.0]), &IDENTITY)[5], 3.0);
    }
}
