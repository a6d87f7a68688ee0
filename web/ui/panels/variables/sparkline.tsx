/** Values over time in a cell of a table: a bar from the lowest to the highest value in each part of the trace. */
export function Sparkline({ cells }: { cells: Float64Array }) {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of cells) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (!(high >= low)) return null;
  // Infinite values leave the finite ones no room.
  const span = Number.isFinite(high - low) && high > low ? high - low : 1;
  const y = (value: number) => (high > low ? Math.min(16, Math.max(0, ((high - value) / span) * 16)) : 8);
  const bars: preact.JSX.Element[] = [];
  for (let i = 0; i + 1 < cells.length; i += 2) {
    const [least, most] = [cells[i]!, cells[i + 1]!];
    if (Number.isNaN(least)) continue;
    const top = y(most);
    bars.push(<rect key={i} x={i / 2} y={top} width="1.02" height={Math.max(2, y(least) - top)} />);
  }
  return (
    <svg viewBox={`0 -1 ${cells.length / 2} 20`} preserveAspectRatio="none" aria-hidden="true">
      {bars}
    </svg>
  );
}
