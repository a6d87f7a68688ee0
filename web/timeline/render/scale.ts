/** A value on the scale of a graph: itself, or with `log` a logarithm in both directions from 0, which stays 0. */
export function scaled(value: number, log: boolean): number {
  return log ? Math.sign(value) * Math.log1p(Math.abs(value)) : value;
}

/** The value at a place of the scale. */
export function unscaled(place: number, log: boolean): number {
  return log ? Math.sign(place) * Math.expm1(Math.abs(place)) : place;
}
