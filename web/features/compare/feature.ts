import { differencesOf } from '../../page/differences.ts';
import type { Feature } from '../../page/page.ts';

/** Differences: what two traces that are compared take, function by function, and as a flame graph. */
export const COMPARE: Feature = {
  starts: async () => (await import('./starts.ts')).STARTS,
  panels: [
    {
      id: 'differences',
      title: 'Differences',
      place: 0,
      ofPair: true,
      offered: ({ pair }) => pair.value !== null,
      isAsked: ({ pair }) => pair.value !== null && differencesOf(pair.value).wanted.value,
      load: async () => (await import('./view.tsx')).compareView,
    },
  ],
};
