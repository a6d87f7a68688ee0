import type { Start } from '../../page/page.ts';

/** What a trace of drawing calls draws. */
export const STARTS: readonly Start[] = [
  {
    id: 'picture',
    place: 40,
    asked: ({ trace }) =>
      trace.info.value?.offers.includes('graphics')
        ? { words: 'What does it draw?', way: 'Picture: any frame after any of its draws, and what drew a pixel' }
        : null,
    answer: (_, { dock }) => {
      dock.pane.value = 'picture';
    },
  },
];
