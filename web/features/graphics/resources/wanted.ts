import { signal } from '@preact/signals';
import type { ResourceColumns } from '../../../base/survey_protocol.ts';
import type { Places } from '../../../page/page.ts';
import { type Opened, perTrace } from '../../../trace/per_trace.ts';

/** The resource that the list of a trace's resources shows next; null for none. */
export const wantedResource = perTrace((_: Opened) => signal<Places['resource'] | null>(null));

/**
 * The position of the resource with a name at a call: names are used again, so it is the one that was created last. -1 if there is none.
 * An object may be bound before a call is known to create it.
 */
export function resourceAt(
  { count, kind, name, created, deleted }: ResourceColumns,
  wanted: Places['resource'],
): number {
  let found = -1;
  for (let i = 0; i < count; i += 1) {
    if (kind[i] !== wanted.kind || name[i] !== wanted.name) continue;
    const isAlive = created[i]! <= wanted.call && (deleted[i]! < 0 || deleted[i]! >= wanted.call);
    if (isAlive || found < 0) found = i;
  }
  return found;
}
