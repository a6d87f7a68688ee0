import { ticks } from '../base/ticks.ts';
import type { Link } from '../page/link.ts';
import type { Extent } from '../trace/view.ts';

/** The parts of a view that another page can ask for. */
export type EmbeddedView = Pick<Link, 'view' | 'range' | 'place' | 'tab' | 'find'>;

/** Characters of a text that another page sends. */
const LONGEST = 2000;
/** Positions have 64 bits. */
const LAST = (1n << 64n) - 1n;

/**
 * Reads a message `{type: 'unspool:view', view, range, select, tab, find}` of another page. What is missing or wrong is left as it
 * is on the screen. Positions are numbers, bigints or texts of digits.
 */
export function readView(message: object): EmbeddedView {
  const { view, range, select, tab, find } = message as Record<string, unknown>;
  return { view: extentOf(view), range: extentOf(range), place: placeOf(select), tab: textOf(tab), find: textOf(find) };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, LONGEST) : '';
}

function positionOf(value: unknown): bigint | null {
  if (typeof value === 'bigint') return value >= 0n && value <= LAST ? value : null;
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : null;
  if (typeof value !== 'string' || !/^\d{1,20}$/.test(value)) return null;
  return positionOf(BigInt(value));
}

function extentOf(value: unknown): Extent | null {
  if (typeof value !== 'object' || value === null) return null;
  const { from, to } = value as { from?: unknown; to?: unknown };
  const [first, end] = [positionOf(from), positionOf(to)];
  return first !== null && end !== null && first < end ? { from: ticks(first), to: ticks(end) } : null;
}

function placeOf(value: unknown): EmbeddedView['place'] {
  if (typeof value !== 'object' || value === null) return null;
  const { from, track, depth = null } = value as { from?: unknown; track?: unknown; depth?: unknown };
  const at = positionOf(from);
  if (at === null || !Number.isSafeInteger(track) || (depth !== null && !Number.isSafeInteger(depth))) return null;
  return { from: ticks(at), track: track as number, depth: depth as number | null };
}
