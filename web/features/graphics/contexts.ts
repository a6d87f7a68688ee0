import { formatCount, formatCounted } from '../../base/format.ts';
import type { Collected } from '../../base/record_protocol.ts';
import type { Contexts } from '../../base/survey_protocol.ts';
import type { Lane } from '../../trace/lanes.ts';

/** Identifies the tracks of all contexts. */
export const CONTEXTS = 'contexts';

/** The switch that made a context current, or none, on a thread before a call has returned. -1 if no call has. */
export function switchAt({ call, thread }: Contexts, of: number, at: number): number {
  for (let i = call.length - 1; i >= 0; i -= 1) if (thread[i] === of && call[i]! <= at) return i;
  return -1;
}

/** The other contexts with which one shares objects. */
export function sharing({ group }: Contexts, context: number): readonly number[] {
  return [...group.keys()].filter((other) => other !== context && group[other] === group[context]);
}

/** A context as people count it: from 1. */
function contextName(context: number): string {
  return `context ${context + 1}`;
}

/** Whether there is anything to tell apart. */
export function areSeveral({ handle, thread }: Contexts): boolean {
  return handle.length > 1 || new Set(thread).size > 1;
}

/** A lane per context with the intervals in which it was current, named after the thread. `end` is the last call. */
export function contextLanes(contexts: Contexts, end: number): { readonly lanes: Lane[]; readonly found: Collected } {
  const { call, thread, context, handle, created } = contexts;
  const { length } = call;
  const until = new BigUint64Array(length);
  /** The switch that comes after, by thread. */
  const next = new Map<number, number>();
  for (let i = length - 1; i >= 0; i -= 1) {
    until[i] = BigInt(Math.max(call[i]!, (next.get(thread[i]!) ?? end + 1) - 1));
    next.set(thread[i]!, call[i]!);
  }
  const lanes = handle.map((text, at) => {
    const rows = [...call.keys()].filter((i) => context[i] === at);
    const made = created[at]! < 0 ? 'created before the trace began' : `created by call ${formatCount(created[at]!)}`;
    const others = sharing(contexts, at).map((other) => `${other + 1}`);
    const shares = others.length === 0 ? '' : `, shares objects with context ${others.join(', ')}`;
    const threads = formatCounted(new Set(rows.map((i) => thread[i])).size, 'thread');
    const cut = contexts.isFull ? ` · only the first ${formatCount(length)} switches` : '';
    return {
      key: contextName(at),
      label: contextName(at),
      detail: `${text}, ${made}${shares}. Current on ${threads}${cut}`,
      noun: 'interval',
      rows,
      names: rows.map((i) => `thread ${thread[i]}`),
    };
  });
  const found: Collected = {
    time: BigUint64Array.from(call, BigInt),
    track: new Uint32Array(length),
    locator: new BigUint64Array(length),
    bits: new BigUint64Array(length),
    numbers: new Uint8Array(length),
    until,
  };
  return { lanes: lanes.filter(({ rows }) => rows.length > 0), found };
}
