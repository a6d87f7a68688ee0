import type { Start } from '../../page/page.ts';
import { isDrawn } from './drawn.ts';

/** What a trace of drawing calls draws. */
export const STARTS: readonly Start[] = [
  {
    id: 'picture',
    place: 40,
    asked: (open) =>
      isDrawn(open).is.value
        ? {
            words: 'Which draw painted a pixel?',
            way: 'Picture: click the pixel, in any frame and after any of its draws',
          }
        : null,
    answer: (_, { dock }) => {
      dock.pane.value = 'picture';
    },
  },
];
