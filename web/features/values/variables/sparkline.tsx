/**
 * Values over time in a cell of a table: a bar from the lowest to the highest value in each part of the trace, and as on tracks a mark at
 * the bottom where a value is not a number. `nan` has a bit for each part with such a value, the lowest for the first.
 */
export function Sparkline({ cells, nan = 0n }: { cells: Float64Array; nan?: bigint }) {
  const bars = barsOf(cells);
  const marks = marksOf(nan, cells.length >> 1);
  if (bars.length === 0 && marks.length === 0) return null;
  return (
    <svg viewBox={`0 -1 ${cells.length / 2} 20`} preserveAspectRatio="none" aria-hidden="true">
      {bars.map(({ x, y, height }) => (
        <rect key={x} x={x} y={y} width="1.02" height={height} />
      ))}
      {marks.map((x) => (
        <rect key={`nan ${x}`} class="variables-nan" x={x + 0.2} y={HEIGHT} width="0.6" height={THIN} />
      ))}
    </svg>
  );
}

/** Height of the place of the highest value above that of the lowest one, and of the thinnest bar. */
const HEIGHT = 16;
const THIN = 2;

/** The parts whose bits are set. */
export function marksOf(bits: bigint, parts: number): readonly number[] {
  return Array.from({ length: parts }, (_, part) => part).filter((part) => (bits >> BigInt(part)) & 1n);
}

/**
 * The bars of pairs of a lowest and a highest value, NaN for parts without any. The finite values make the scale; infinite ones are
 * at its ends.
 */
export function barsOf(cells: Float64Array): { readonly x: number; readonly y: number; readonly height: number }[] {
  const finite = cells.filter(Number.isFinite);
  // Half of each, because the difference of two finite numbers may be infinite.
  const low = finite.reduce((least, value) => Math.min(least, value / 2), Number.POSITIVE_INFINITY);
  const high = finite.reduce((most, value) => Math.max(most, value / 2), Number.NEGATIVE_INFINITY);
  const y = (value: number) => {
    if (!Number.isFinite(value)) return value > 0 ? 0 : HEIGHT;
    return high > low ? ((high - value / 2) / (high - low)) * HEIGHT : HEIGHT / 2;
  };
  return Array.from({ length: cells.length >> 1 }, (_, x) => {
    const [least, most] = [cells[2 * x]!, cells[2 * x + 1]!];
    const top = y(most);
    return { x, y: top, height: Math.max(THIN, y(least) - top), isThere: !Number.isNaN(least) };
  }).filter(({ isThere }) => isThere);
}
