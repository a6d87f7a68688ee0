import { formatCount, formatLength, formatShare } from '../../base/format.ts';
import type { Clock } from '../../base/protocol.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import type { Compared } from './comparison.ts';

/** The columns of figures, in the order of `ComparedRows.figuresA`. */
const FIGURES = ['count', 'total', 'self', 'min', 'median', 'p90', 'p99', 'max', 'bytes'] as const;
export type FigureName = (typeof FIGURES)[number];

/** A figure of a row in A or B, in ticks of A; null if that side lacks the function. */
export function figureOf(
  { rows }: Pick<Compared, 'rows'>,
  side: 'a' | 'b',
  of: FigureName,
  row: number,
): number | null {
  const figures = side === 'a' ? rows.figuresA : rows.figuresB;
  const value = figures[FIGURES.indexOf(of) * rows.length + row] ?? Number.NaN;
  return Number.isNaN(value) ? null : Math.round(value);
}

/**
 * A figure of the trace of a side that is open, which may be another run than the one that stands for its side. `scale` is what its times are
 * multiplied by. null if it lacks the function.
 */
export function openFigureOf(
  { rows, ...sides }: Compared,
  side: 'a' | 'b',
  of: Exclude<FigureName, 'bytes'>,
  row: number,
  scale = 1,
): number | null {
  const value = sides[side].functions[of][rows[side][row] ?? -1];
  if (value === undefined) return null;
  return Math.round(side === 'b' && of !== 'count' ? value * scale : value);
}

/** A length; without a unit where all lengths of the panel have one. */
export function lengthOf(ticks: number, clock: Clock): string {
  const whole = BigInt(Math.round(ticks));
  return clock.kind === 'seconds' ? formatLength(whole, clock) : formatCount(whole);
}

/** A difference with its sign: `+1.204 ms`, `−14`. */
export function changeText(ticks: number, clock: Clock): string {
  if (ticks === 0) return lengthOf(0, clock);
  return `${ticks > 0 ? '+' : '−'}${lengthOf(Math.abs(ticks), clock)}`;
}

/** How often something is longer: `× 1.97`; '' if that is unknown. */
export function factorText(factor: number): string {
  return Number.isNaN(factor) ? '' : `×\u00a0${factor.toFixed(2)}`;
}

/** A share of all differences without its sign. */
export function shareText(share: number): string {
  return formatShare(Math.abs(share), 1);
}

/** What ticks of B are multiplied by, so that they are ticks of A. */
export function scaleOf(a: Pick<OpenTrace, 'trace'>, b: Pick<OpenTrace, 'trace'>): number {
  const [to, from] = [a, b].map(({ trace }) => trace.info.peek()?.clock);
  return to?.kind === 'seconds' && from?.kind === 'seconds' ? Number(to.frequency) / Number(from.frequency) : 1;
}
