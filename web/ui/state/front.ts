import { signal } from '@preact/signals';
import type { TraceInfo } from '../../base/protocol.ts';

/** What the pane about the selection can show. */
export type Tab = 'details' | 'picture' | 'state';

/** The titles of its tabs. */
export const TAB_TITLES: Readonly<Record<Tab, string>> = { details: 'Details', picture: 'Picture', state: 'State' };

/** What it shows of traces that have it. It outlives a trace. */
export const front = signal<Tab>('details');

/** What it can show of a trace, in the order of the tabs. */
export function tabsOf(offers: TraceInfo['offers']): readonly Tab[] {
  const draws = offers.includes('graphics');
  return [
    'details',
    ...(draws ? (['picture'] as const) : []),
    ...(draws || offers.includes('state') ? (['state'] as const) : []),
  ];
}
