/** Values over time in a cell of a table: a bar from the lowest to the highest value in each part of the trace. */
export function Sparkline({ cells }: { cells: Float64Array }) {
  const bars = barsOf(cells);
  if (bars.length === 0) return null;
  return (
    <svg viewBox={`0 -1 ${cells.length / 2} 20`} preserveAspectRatio="none" aria-hidden="true">
      {bars.map(({ x, y, height }) => (
        <rect key={x} x={x} y={y} width="1.02" height={height} />
      ))}
    </svg>
  );
}

/** Height of the place of the highest value above that of the lowest one, and of the thinnest bar. */
const HEIGHT = 16;
const THIN = 2;

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
