import type { Clock } from './protocol.ts';

/** Between the digits of long fractions: narrow and without a line break. */
const THIN = '\u202f';
/** Between a number and its unit. */
export const NBSP = '\u00a0';

const PS_PER_SECOND = 1_000_000_000_000n;
const UNITS = [
  { name: 's', ps: PS_PER_SECOND },
  { name: 'ms', ps: 1_000_000_000n },
  { name: 'µs', ps: 1_000_000n },
  { name: 'ns', ps: 1_000n },
] as const;

/** A whole number with its thousands apart: `2,521,276`. */
export function formatCount(count: number | bigint): string {
  return count.toString().replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `1 call`, `2,000 calls`. `noun` is singular and takes a plain s, or es after s, x and ch. */
export function formatCounted(count: number | bigint, noun: string): string {
  return `${formatCount(count)}${NBSP}${plural(count, noun)}`;
}

/** The noun as it goes with the count. */
export function plural(count: number | bigint, noun: string): string {
  if (BigInt(count) === 1n) return noun;
  if (/(s|x|ch|sh)$/.test(noun)) return `${noun}es`;
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}

/** A size in decimal units, three digits: `20.2 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes}${NBSP}${bytes === 1 ? 'byte' : 'bytes'}`;
  const names = ['kB', 'MB', 'GB', 'TB'];
  let value = bytes / 1000;
  let unit = 0;
  // 999.95 would be rounded to four digits: that is the next unit's 1.00.
  while (value >= 999.5 && unit < names.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${threeDigits(value)}${NBSP}${names[unit]}`;
}

/** Ticks of a clock with a frequency in picoseconds, rounded down. */
export function toPicoseconds(ticks: bigint, frequency: bigint): bigint {
  return (ticks * PS_PER_SECOND) / frequency;
}

/** A length on the x axis, rounded for reading: `1.284 ms`, `12 ticks`, `3 calls`. */
export function formatLength(ticks: bigint, clock: Clock): string {
  switch (clock.kind) {
    case 'ticks':
      return formatCounted(ticks, 'tick');
    case 'ordinal':
      return formatCounted(ticks, clock.unit);
    case 'seconds':
      return formatPicoseconds(toPicoseconds(ticks, clock.frequency));
  }
}

/** The same length in the unit it is stored in, or '' when {@link formatLength} tells it already. */
export function formatRawLength(ticks: bigint, clock: Clock): string {
  return clock.kind === 'seconds' ? formatCounted(ticks, 'tick') : '';
}

/**
 * A position on the x axis, to the nanosecond: `418.337 122 ms` after `origin`. Ordinals are absolute: `call 1,204`.
 */
export function formatPosition(at: bigint, origin: bigint, clock: Clock): string {
  switch (clock.kind) {
    case 'ordinal':
      return `${clock.unit}${NBSP}${formatCount(at)}`;
    case 'ticks':
      return signed(at - origin, (length) => formatCounted(length, 'tick'));
    case 'seconds':
      return signed(at - origin, (length) => exactSeconds(toPicoseconds(length, clock.frequency)));
  }
}

/**
 * A range on the x axis, `to` not part of it: `412.6 ms – 431.2 ms`, `call 3 – call 17`. Times have as many digits as tell
 * its ends apart, and a few more.
 */
export function formatRange(from: bigint, to: bigint, origin: bigint, clock: Clock): string {
  if (clock.kind === 'ordinal') {
    const last = to > from ? to - 1n : from;
    const first = formatPosition(from, origin, clock);
    return last > from ? `${first} – ${formatPosition(last, origin, clock)}` : first;
  }
  if (clock.kind === 'ticks') return `${signed(from - origin, formatCount)} – ${formatPosition(to, origin, clock)}`;
  const ends = [from - origin, to - origin].map((at) => toPicoseconds(at, clock.frequency));
  const [first, last] = ends as [bigint, bigint];
  const size = last > 0n ? last : -last;
  const unit = UNITS.find(({ ps }) => size >= ps) ?? UNITS[3];
  const parts = Number(unit.ps) / Math.max(1, Number(last - first));
  const digits = Math.min(
    unit.name === 'ns' ? 0 : unit.ps.toString().length - 4,
    Math.max(1, Math.ceil(Math.log10(parts * 50))),
  );
  return ends.map((ps) => `${signed(ps, (p) => fixed(p, unit.ps, digits))}${NBSP}${unit.name}`).join(' – ');
}

/** An offset as a place in the file: `byte 3,771,904`. */
export function formatOffset(offset: bigint, noun = 'byte'): string {
  return `${noun}${NBSP}${formatCount(offset)}`;
}

/** How much of the whole, `0 %` and `100 %` only when it is nothing and all. */
export function formatPercent(part: number, whole: number): string {
  if (whole <= 0 || part >= whole) return `100${NBSP}%`;
  const percent = Math.floor((part / whole) * 100);
  return `${part > 0 ? Math.max(1, percent) : 0}${NBSP}%`;
}

/** A part of the whole for comparing: `78.4 %`, `0.23 %`, `below 0.01 %`. */
export function formatShare(part: number, whole: number): string {
  if (part <= 0 || whole <= 0) return `0${NBSP}%`;
  const percent = Math.min(100, (part / whole) * 100);
  if (percent < 0.01) return `below 0.01${NBSP}%`;
  return `${percent === 100 ? '100' : percent.toFixed(percent >= 9.995 ? 1 : 2)}${NBSP}%`;
}

function signed(value: bigint, format: (length: bigint) => string): string {
  return value < 0n ? `−${format(-value)}` : format(value);
}

function formatPicoseconds(ps: bigint): string {
  if (ps === 0n) return `0${NBSP}ns`;
  const seconds = Number(ps) / 1e12;
  if (seconds >= 3600) return `${Math.floor(seconds / 3600)}${NBSP}h ${Math.floor((seconds % 3600) / 60)}${NBSP}min`;
  if (seconds >= 60) return `${Math.floor(seconds / 60)}${NBSP}min ${Math.floor(seconds % 60)}${NBSP}s`;
  for (const unit of UNITS) {
    const value = Number(ps) / Number(unit.ps);
    if (value >= 0.9995 || unit.name === 'ns') return `${fourDigits(value)}${NBSP}${unit.name}`;
  }
  return '';
}

function exactSeconds(ps: bigint): string {
  const unit = UNITS.find((candidate) => ps >= candidate.ps) ?? UNITS[3];
  // To the nanosecond: finer digits are an artefact of the clock's frequency.
  const digits = unit.name === 'ns' ? 0 : UNITS.indexOf(unit) === 0 ? 9 : UNITS.indexOf(unit) === 1 ? 6 : 3;
  return `${fixed(ps, unit.ps, digits)}${NBSP}${unit.name}`;
}

/** With so many digits behind the point, rounded down. */
function fixed(ps: bigint, unit: bigint, digits: number): string {
  const whole = formatCount(ps / unit);
  if (digits === 0) return whole;
  const fraction = (((ps % unit) * 10n ** BigInt(digits)) / unit).toString().padStart(digits, '0');
  return `${whole}.${fraction.replace(/(\d{3})(?=\d)/g, `$1${THIN}`)}`;
}

function threeDigits(value: number): string {
  return value.toFixed(value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

function fourDigits(value: number): string {
  if (Number.isInteger(value)) return String(value);
  return value.toFixed(value < 9.9995 ? 3 : value < 99.995 ? 2 : 1);
}
