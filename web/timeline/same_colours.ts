import type { Dispose } from '../base/scope.ts';
import { watch } from '../base/watch.ts';
import type { Names } from '../trace/names.ts';
import type { Pair } from './open_trace.ts';

/**
 * Gives names of the second trace the colours that they have in the first one, until disposed: colours depend on the order of names, which
 * differs between builds.
 */
export function shareColours({ a, b }: Pair): Dispose {
  const signals = [a.trace.status, b.trace.status, a.trace.names.version, b.trace.names.version];
  return watch(signals, () => {
    if ([a, b].some(({ trace }) => trace.status.peek().at === 'loading')) return;
    if (takeColours(b.trace.names, a.trace.names)) b.trace.names.recoloured();
  });
}

/** Copies colours by the texts of names. Returns whether any has changed. */
export function takeColours(to: Pick<Names, 'text' | 'colour'>, from: Pick<Names, 'text' | 'colour'>): boolean {
  const known = new Map<string, number>();
  from.text.forEach((text, id) => {
    if (!known.has(text)) known.set(text, from.colour[id]!);
  });
  let changed = false;
  to.text.forEach((text, id) => {
    const colour = known.get(text);
    if (colour === undefined || colour === to.colour[id]) return;
    to.colour[id] = colour;
    changed = true;
  });
  return changed;
}
