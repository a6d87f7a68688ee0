import type { Feature } from '../../page/page.ts';

/** What anyone may ask of any trace. The pane itself is what every trace has. */
export const DETAILS: Feature = { starts: async () => (await import('./starts.ts')).STARTS };
