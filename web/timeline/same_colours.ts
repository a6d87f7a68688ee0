import { inPortions } from '../base/portions.ts';
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
    if ([a, b].some(({ trace }) => trace.status.peek().at === 'loading')) return undefined;
    return takeColours(b.trace.names, a.trace.names, b.trace.names.recoloured);
  });
}

type Coloured = Pick<Names, 'text' | 'colour'>;

/** Copies colours by the texts of names, in portions. Then calls `recoloured` if any has changed. Returns what stops it. */
export function takeColours(to: Coloured, from: Coloured, recoloured: () => void): Dispose {
  const known = new Map<string, number>();
  const note = (start: number, end: number) => {
    for (let id = start; id < end; id += 1) {
      const name = from.text[id] ?? '';
      if (!known.has(name)) known.set(name, from.colour[id] ?? 0);
    }
  };
  let isChanged = false;
  const copy = (start: number, end: number) => {
    for (let id = start; id < end; id += 1) {
      const colour = known.get(to.text[id] ?? '');
      if (colour === undefined || colour === to.colour[id]) continue;
      to.colour[id] = colour;
      isChanged = true;
    }
  };
  let stop: Dispose = () => undefined;
  const stopNoting = inPortions(from.text.length, note, () => {
    stop = inPortions(to.text.length, copy, () => {
      if (isChanged) recoloured();
    });
  });
  return () => {
    stopNoting();
    stop();
  };
}
