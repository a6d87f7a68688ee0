import { signal } from '@preact/signals';
import type { Places } from '../../../page/page.ts';
import { type Opened, perTrace } from '../../../trace/per_trace.ts';

/** The variable that the list of a trace's variables shows next; null for none. */
export const wantedVariable = perTrace((_: Opened) => signal<Places['variable'] | null>(null));
