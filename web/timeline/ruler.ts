import { formatCount } from '../base/format.ts';
import type { Clock } from '../base/protocol.ts';
import { toPixel, toTick, type View } from '../trace/view.ts';

/** A mark of the ruler. */
export interface Mark {
  /** CSS pixels from the left edge. */
  readonly x: number;
  readonly label: string;
  /** Whether there is room for all of the label. */
  readonly fits: boolean;
}

/** A mark of which it is not known whether its label fits. */
type Place = Omit<Mark, 'fits'>;

/** The ruler of a view. */
export interface Ruler {
  readonly marks: readonly Mark[];
  /** CSS pixels between two fine lines; each mark has a fine line. */
  readonly minor: number;
  /** A position to add to each label, or ''. */
  readonly base: string;
  /** The unit of the labels, or '' if each label has its own: `ticks`, `call`. */
  readonly unit: string;
}

type Places = Omit<Ruler, 'marks'> & { readonly marks: readonly Place[] };

/** CSS pixels between labels, at least. */
const SPACING = 104;
/** CSS pixels of a character of a label, and of the space on both of its sides. */
const CHARACTER = 7.7;
const AROUND = 10;
const PS = 1_000_000_000_000n;
const TIME_UNITS = [
  { name: 's', ps: PS },
  { name: 'ms', ps: 1_000_000_000n },
  { name: 'µs', ps: 1_000_000n },
  { name: 'ns', ps: 1_000n },
] as const;
/** Labels above this number of units are split into a base and a rest. */
const LONG = 100_000n;

/**
 * The ruler of a view, `width` CSS pixels wide. Times are relative to `origin`, ordinals are absolute. Steps are 1, 2
 * or 5 times a power of ten of the unit. All arithmetic on positions is exact.
 */
export function ruler(view: View, width: number, origin: bigint, clock: Clock): Ruler {
  const spaced = (spacing: number) =>
    clock.kind === 'seconds'
      ? timeRuler(view, width, origin, clock.frequency, spacing)
      : countRuler(view, width, origin, clock, spacing);
  const found = spaced(SPACING);
  const widest = Math.max(0, ...found.marks.map(({ label }) => labelWidth(label)));
  const { marks, ...rest } = widest > SPACING ? spaced(widest) : found;
  // A part of a number reads as another number.
  const fits = ({ x, label }: Place) => x >= -1 && x + labelWidth(label) <= width;
  return { ...rest, marks: marks.map((mark) => ({ ...mark, fits: fits(mark) })) };
}

/** CSS pixels of a label at most, and of the space around it. */
export function labelWidth(label: string): number {
  return label.length * CHARACTER + AROUND;
}

/** A segment of the ruler in CSS pixels from its left edge. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/**
 * The left edge of a label `width` CSS pixels wide that belongs to `x`: to the right of it, or else to the left. A label that
 * would cover `taken` goes beside that.
 */
export function besides(x: number, width: number, whole: number, taken: Stretch | null): number {
  const places = [x, x - width, ...(taken ? [taken.to, taken.from - width] : [])];
  const fits = (left: number) => left >= 0 && left + width <= whole;
  const isFree = (left: number) => !taken || left >= taken.to || left + width <= taken.from;
  return places.find((left) => fits(left) && isFree(left)) ?? Math.max(0, Math.min(x, whole - width));
}

/** Whether `over` covers any of the label of a mark at `x`: of a half-covered one, the rest would read as another. */
export function isCovered(x: number, label: string, over: Stretch | null): boolean {
  return over !== null && x < over.to && over.from < x + labelWidth(label);
}

function countRuler(
  view: View,
  width: number,
  origin: bigint,
  clock: Exclude<Clock, { kind: 'seconds' }>,
  spacing: number,
): Places {
  const ordinal = clock.kind === 'ordinal';
  const step = niceStep(view.perPixel * spacing, 1n);
  const zero = ordinal ? 0n : origin;
  const marks: Place[] = [];
  for (let at = firstMark(toTick(view, 0) - zero, step); ; at += step) {
    const x = toPixel(view, at + zero);
    if (x > width) break;
    // Ordinals start at 0; time does not.
    if (!ordinal || at >= 0n) marks.push({ x, label: signedCount(at) });
  }
  return { marks, minor: minorOf(Number(step) / view.perPixel, step), base: '', unit: ordinal ? clock.unit : 'ticks' };
}

function timeRuler(view: View, width: number, origin: bigint, frequency: bigint, spacing: number): Places {
  const psPerTick = 1e12 / Number(frequency);
  const step = niceStep(view.perPixel * psPerTick * spacing, 1n);
  const unit = TIME_UNITS.find((candidate) => step >= candidate.ps) ?? TIME_UNITS[3];
  const leftPs = psAt(toTick(view, 0), origin, frequency);
  const rightPs = psAt(toTick(view, width), origin, frequency);
  const index = TIME_UNITS.indexOf(unit);
  const larger = TIME_UNITS[index - 1];
  const far = larger !== undefined && magnitude(leftPs, rightPs) / unit.ps >= LONG;
  const base = far ? floorDiv(leftPs, larger.ps) * larger.ps : 0n;
  const marks: Place[] = [];
  for (let at = firstMark(leftPs - base, step); ; at += step) {
    const x = pixelOfPs(view, at + base, origin, frequency);
    if (x > width) break;
    marks.push({ x, label: `${far ? '+' : ''}${inUnit(at, unit.ps)}\u00a0${unit.name}` });
  }
  return {
    marks,
    minor: minorOf(Number(step) / psPerTick / view.perPixel, step),
    base: far ? `${inUnit(base, larger.ps)}\u00a0${larger.name}` : '',
    unit: '',
  };
}

function psAt(at: bigint, origin: bigint, frequency: bigint): bigint {
  return floorDiv((at - origin) * PS, frequency);
}

/** A time may fall between ticks. The fraction is exact because it is relative to the view's anchor. */
function pixelOfPs(view: View, ps: bigint, origin: bigint, frequency: bigint): number {
  const scaled = ps * frequency - (view.anchor - origin) * PS;
  const whole = floorDiv(scaled, PS);
  const rest = Number(scaled - whole * PS) / 1e12;
  return (Number(whole) + rest - view.fraction) / view.perPixel;
}

/** The smallest of 1, 2, 5 × 10^n that is at least `least`. */
function niceStep(least: number, smallest: bigint): bigint {
  if (!(least > 1)) return smallest;
  const power = 10n ** BigInt(Math.max(0, Math.floor(Math.log10(least))));
  for (const factor of [1n, 2n, 5n, 10n]) {
    if (Number(power * factor) >= least) return power * factor;
  }
  return power * 20n;
}

function firstMark(left: bigint, step: bigint): bigint {
  return floorDiv(left, step) * step;
}

/** CSS pixels between fine lines: four a mark for steps of 2, else five. None is finer than a tick or a picosecond. */
function minorOf(pixels: number, step: bigint): number {
  const leading = Number(step.toString()[0]);
  const parts = leading === 2 ? 4 : 5;
  return step < BigInt(parts) ? pixels : pixels / parts;
}

function inUnit(ps: bigint, unit: bigint): string {
  const negative = ps < 0n;
  const size = negative ? -ps : ps;
  const fraction = (size % unit)
    .toString()
    .padStart(unit.toString().length - 1, '0')
    .replace(/0+$/, '');
  return `${negative ? '−' : ''}${formatCount(size / unit)}${fraction === '' ? '' : `.${fraction}`}`;
}

function signedCount(value: bigint): string {
  return formatCount(value);
}

function magnitude(a: bigint, b: bigint): bigint {
  const absolute = (value: bigint) => (value < 0n ? -value : value);
  return absolute(a) > absolute(b) ? absolute(a) : absolute(b);
}

function floorDiv(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
}
