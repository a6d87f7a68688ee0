import type { Feature } from '../../page/page.ts';

/** Pictures of traces that draw. */
export const PICTURES: Feature = {
  panes: [
    {
      id: 'picture',
      title: 'Picture',
      place: 1,
      offered: ({ trace }) => trace.info.value?.offers.includes('graphics') ?? false,
      load: async () => (await import('./picture.tsx')).pictureOf,
    },
  ],
  starts: async () => (await import('./starts.ts')).STARTS,
};
