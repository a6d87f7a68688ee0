import { effect, type ReadonlySignal, signal } from '@preact/signals';
import type { Details } from '../base/protocol.ts';
import type { Dispose } from '../base/scope.ts';
import type { Pointed } from './pointing.ts';
import type { Trace } from './trace.ts';

/** The pointer rests so long before anything is asked for: on its way it crosses many calls. */
const REST_MS = 20;
const KEPT = 64;

/** The details of what the pointer rests on. */
export interface Preview {
  /** null until they are there. */
  readonly details: ReadonlySignal<Details | null>;
  dispose: Dispose;
}

/** Follows what is hovered, and remembers the last few. */
export function createPreview(trace: Pick<Trace, 'details'>, hovered: ReadonlySignal<Pointed | null>): Preview {
  const details = signal<Details | null>(null);
  /** The one that was of use last comes last. */
  const kept = new Map<string, Details>();

  const dispose = effect(() => {
    const pointed = hovered.value;
    const item = pointed?.item;
    if (!item) {
      details.value = null;
      return;
    }
    const key = keyOf(pointed);
    const known = kept.get(key);
    if (known) {
      kept.delete(key);
      kept.set(key, known);
      details.value = known;
      return;
    }
    details.value = null;
    let current = true;
    const timer = setTimeout(async () => {
      const reply = await trace.details(item);
      if (!reply?.details) return;
      kept.set(key, reply.details);
      for (const oldest of kept.keys()) {
        if (kept.size <= KEPT) break;
        kept.delete(oldest);
      }
      if (current) details.value = reply.details;
    }, REST_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  });
  return { details, dispose };
}

/** A call that is still open has another end later on, and perhaps a return value. */
function keyOf({ track, depth, item, end, flags }: Pointed): string {
  return `${item?.kind} ${track} ${depth} ${item?.index} ${end} ${flags}`;
}
