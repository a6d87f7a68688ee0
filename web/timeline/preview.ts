import { effect, type ReadonlySignal, signal } from '@preact/signals';
import type { Details } from '../base/protocol.ts';
import type { Dispose } from '../base/scope.ts';
import type { Pointed } from '../trace/pointed.ts';
import type { Trace } from '../trace/trace.ts';

/** Hover delay before a request. */
const REST_MS = 20;
/** Details in the cache. */
const KEPT = 64;

/** The details of the hovered item. */
export interface Preview {
  /** null until they arrive. */
  readonly details: ReadonlySignal<Details | null>;
  dispose: Dispose;
}

/** Requests details of the hovered item after a delay, and caches the latest. */
export function createPreview(
  trace: Pick<Trace, 'details' | 'names'>,
  hovered: ReadonlySignal<Pointed | null>,
): Preview {
  const details = signal<Details | null>(null);
  /** The cache, the most recently used last. */
  const kept = new Map<string, Details>();

  /** That of the names in the cache. */
  let version = 0;

  const dispose = effect(() => {
    const pointed = hovered.value;
    if (version !== trace.names.version.value) {
      version = trace.names.version.value;
      kept.clear();
    }
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

/** The end and the flags are part of the key: a call that is still open changes while the file is being read. */
function keyOf({ track, depth, item, end, flags }: Pointed): string {
  return `${item?.kind} ${track} ${depth} ${item?.index} ${end} ${flags}`;
}
