import type { Clock } from './protocol.ts';

/** Narrow no-break space, between groups of digits in a fraction. */
const THIN = '\u202f';
/** No-break space, between a number and its unit. */
export const NBSP = '\u00a0';

const PS_PER_SECOND = 1_000_000_000_000n;
const UNITS = [
  { name: 's', ps: PS_PER_SECOND },
  { name: 'ms', ps: 1_000_000_000n },
  { name: 'µs', ps: 1_000_000n },
  { name: 'ns', ps: 1_000n },
] as const;

/** A whole number with thousands separators and a true minus sign: `2,521,276`, `−48`. */
export function formatCount(count: number | bigint): string {
  const digits = count.toString().replace(/\B(?=(\d{3})+$)/g, ',');
  return digits.startsWith('-') ? `−${digits.slice(1)}` : digits;
}

/** A number with six significant digits at most, as {@link formatNumeral} has it. */
export function formatNumber(value: number): string {
  return formatNumeral(codeNumber(value));
}

/** A number with six significant digits at most, as code has it: for lists, where commas are between numbers. */
export function codeNumber(value: number): string {
  return String(Number(value.toPrecision(6)));
}

/**
 * A number in decimal, or `inf`, as the page shows numbers outside of code: `-2147483648.5` becomes `−2,147,483,648.5`. Other
 * texts stay as they are.
 */
export function formatNumeral(text: string): string {
  const [, sign, whole, rest] = /^(-?)(\d+|inf)((?:\.\d+)?(?:e[+-]?\d+)?)$/.exec(text) ?? [];
  if (whole === undefined) return text;
  return `${sign === '-' ? '−' : ''}${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${rest}`;
}

/** A count with its noun: `1 call`, `2,000 calls`. `noun` is singular and has a regular plural. */
export function formatCounted(count: number | bigint, noun: string): string {
  return `${formatCount(count)}${NBSP}${plural(count, noun)}`;
}

/** The singular or plural form of a singular `noun` that fits the count. */
export function plural(count: number | bigint, noun: string): string {
  if (BigInt(count) === 1n) return noun;
  if (/(s|x|ch|sh)$/.test(noun)) return `${noun}es`;
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}

/** A text with a capital letter at the beginning. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Characters of a name in a title, a heading or a tooltip. */
const LONGEST_NAME = 200;

/** A name of at most `most` characters: of a longer one the beginning, with an ellipsis. */
export function shortened(name: string, most = LONGEST_NAME): string {
  if (name.length <= most) return name;
  // Half of a character outside the basic plane is not a character.
  const end = /[\ud800-\udbff]/.test(name[most - 2]!) ? most - 2 : most - 1;
  return `${name.slice(0, end)}…`;
}

/** Characters of a name in a tooltip: the browser lays out all of them. */
const LONGEST_TITLE = 1000;

/** A name for a tooltip, where it is whole unless it is very long. */
export function titled(name: string): string {
  return shortened(name, LONGEST_TITLE);
}

/** A size in bytes as text, in decimal units with three digits: `20.2 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes}${NBSP}${bytes === 1 ? 'byte' : 'bytes'}`;
  const names = ['kB', 'MB', 'GB', 'TB'];
  let value = bytes / 1000;
  let unit = 0;
  // 999.5 would round to four digits; it is 1.00 of the next unit.
  while (value >= 999.5 && unit < names.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${threeDigits(value)}${NBSP}${names[unit]}`;
}

/** Ticks as picoseconds, rounded down. `frequency` is in ticks a second and not 0. */
export function toPicoseconds(ticks: bigint, frequency: bigint): bigint {
  return (ticks * PS_PER_SECOND) / frequency;
}

/** A length on the x axis in ticks as text, rounded: `1.284 ms`, `12 ticks`, `3 calls`. */
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

/** The same length in ticks, or '' if {@link formatLength} already shows ticks or ordinals. */
export function formatRawLength(ticks: bigint, clock: Clock): string {
  return clock.kind === 'seconds' ? formatCounted(ticks, 'tick') : '';
}

/**
 * A position on the x axis as text. Times are relative to `origin` and exact to the nanosecond: `418.337 122 ms`.
 * Ordinals are absolute: `call 1,204`.
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
 * The range from `from` up to but not including `to` as text: `412.6 ms – 431.2 ms`, `call 3 – call 17`. Times have
 * enough digits to distinguish the ends.
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

/** A place in the file as text: `byte 3,771,904`. `noun` is what the offset counts. */
export function formatOffset(offset: bigint, noun = 'byte'): string {
  return `${noun}${NBSP}${formatCount(offset)}`;
}

/** A part of the whole in whole percent. `0 %` means none of it and `100 %` all of it, never a rounded value. */
export function formatPercent(part: number, whole: number): string {
  if (whole <= 0 || part >= whole) return `100${NBSP}%`;
  const percent = Math.floor((100 * part) / whole);
  return `${part > 0 ? Math.max(1, percent) : 0}${NBSP}%`;
}

/** A part of the whole with three digits, for comparison: `78.4 %`, `0.23 %`, `<0.01 %`. */
export function formatShare(part: number, whole: number): string {
  if (part <= 0 || whole <= 0) return `0${NBSP}%`;
  const percent = Math.min(100, (part / whole) * 100);
  if (percent < 0.01) return `<0.01${NBSP}%`;
  return `${percent === 100 ? '100' : percent.toFixed(percent >= 9.995 ? 1 : 2)}${NBSP}%`;
}

function signed(value: bigint, format: (length: bigint) => string): string {
  return value < 0n ? `−${format(-value)}` : format(value);
}

function formatPicoseconds(ps: bigint): string {
  if (ps === 0n) return `0${NBSP}ns`;
  const seconds = Number(ps) / 1e12;
  const days = seconds / 86_400;
  if (days >= 730) return `${formatCount(Math.floor(days / 365.25))}${NBSP}years`;
  if (days >= 2) return `${Math.floor(days)}${NBSP}days ${Math.floor((seconds % 86_400) / 3600)}${NBSP}h`;
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
  // Digits below a nanosecond are artefacts of the clock's frequency.
  const digits = unit.name === 'ns' ? 0 : UNITS.indexOf(unit) === 0 ? 9 : UNITS.indexOf(unit) === 1 ? 6 : 3;
  return `${fixed(ps, unit.ps, digits)}${NBSP}${unit.name}`;
}

/** `ps / unit` with `digits` decimals, rounded down. */
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
