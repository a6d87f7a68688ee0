import { effect } from '@preact/signals';
import { whenIdle } from '../../base/idle.ts';
import type { Feature } from '../../page/page.ts';
import { framesTrack } from '../../timeline/frames_track.ts';
import { SAVE_FRAME } from './cut/command.ts';
import { isDrawn } from './drawn.ts';
import { FILM_PIXELS } from './film.ts';

/** Milliseconds after which the first picture no longer waits for the page to be idle. */
const IDLE_MS = 3000;

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
  commands: [SAVE_FRAME],
  starts: async () => (await import('./starts.ts')).STARTS,
  overviews: [
    {
      offered: (open) => isDrawn(open).is.value,
      load: async () => (await import('./opening.tsx')).OpeningPicture,
    },
  ],
  start: (open) => {
    const { trace, timeline } = open;
    const stops = [
      // The room for small pictures is there from the start: rows do not move when they come.
      effect(() => {
        const track = isDrawn(open).is.value ? framesTrack(trace.tracks.value) : null;
        const before = timeline.below.peek();
        if (before?.track === track || (track === null && before === null)) return;
        timeline.below.value = track === null ? null : { track, pixels: FILM_PIXELS };
      }),
      effect(() => {
        const status = trace.status.value;
        if (status.at !== 'ready' || status.how !== 'complete' || !isDrawn(open).is.value) return undefined;
        return whenIdle(() => void import('./replays.ts').then(({ offerPictures }) => offerPictures(open)), IDLE_MS);
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  },
};
