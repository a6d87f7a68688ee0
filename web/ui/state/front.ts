import { signal } from '@preact/signals';

/** What the pane about the selection can show. */
export type Tab = 'details' | 'picture' | 'state';

/** What it shows of traces that have it. It outlives a trace. */
export const front = signal<Tab>('details');
