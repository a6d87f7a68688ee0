import type { Clock, Ticks } from './protocol.ts';
import { ticks } from './ticks.ts';

const PS_PER_SECOND = 1_000_000_000_000n;
/** Powers of ten from a picosecond to each unit of time. */
const UNITS: Readonly<Record<string, number>> = { s: 12, ms: 9, us: 6, µs: 6, μs: 6, ns: 3 };

/**
 * Parses a position that a person typed. With an ordinal clock that is the number of a call, step, transition or point;
 * with the others it is ticks, or a time with a unit (`1.5 ms`, seconds by default), relative to `origin`. Separators
 * between digits are ignored. Returns null if the text is not a position.
 */
export function parsePosition(text: string, origin: bigint, clock: Clock): Ticks | null {
  // As positions are shown: `call 1,204`.
  const turned = text.trim().replace(/^([a-z]+)[\s\u00a0]+([\d,]+)$/iu, clock.kind === 'ordinal' ? '$2 $1' : '$&');
  const found = /^([\d.,_'\s\u00a0\u202f]*\d)\s*([a-zµμ]*)$/iu.exec(turned);
  if (!found) return null;
  const [, digits = '', word = ''] = found;
  const plain = digits.replace(/[,_'\s\u00a0\u202f]/gu, '');
  if (clock.kind !== 'seconds') {
    const unit = clock.kind === 'ordinal' ? clock.unit : 'tick';
    if (!/^\d+$/.test(plain) || !['', unit, `${unit}s`].includes(word.toLowerCase())) return null;
    return ticks(clock.kind === 'ordinal' ? BigInt(plain) : origin + BigInt(plain));
  }
  const places = UNITS[word === '' ? 's' : word.toLowerCase()];
  const parts = /^(\d+)(?:\.(\d+))?$/.exec(plain);
  if (places === undefined || !parts) return null;
  const [, whole = '', fraction = ''] = parts;
  const ps = BigInt(whole + fraction.slice(0, places).padEnd(places, '0'));
  return ticks(origin + (ps * clock.frequency) / PS_PER_SECOND);
}
