import { effect } from '@preact/signals';
import { deviceMemory } from '../../base/device.ts';
import { overlayOf } from '../../timeline/canvas/overlay.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { framePicturesOf } from '../../timeline/small_pictures.ts';
import { perTrace } from '../../trace/per_trace.ts';
import { graphicsOf } from '../../trace/surveys.ts';
import { vertexOutputsOf } from '../../trace/vertex_outputs.ts';
import { writtenOf } from '../../trace/written.ts';
import { openingOf } from './drawn.ts';
import { FILM } from './film.ts';
import { filmOf } from './film.tsx';
import { openingPicture } from './opening_picture.tsx';
import { remarksOf } from './pictured_calls.ts';
import { createReplay, KEPT_BYTES } from './replay.ts';
import { whenGrown } from './when_grown.ts';
import { startReplayWorker } from './worker.ts';

/** The replay of a trace. Its worker starts with the first question, and stays while nothing shows it. */
export const replayOf = perTrace((open: OpenTrace) => {
  const graphics = graphicsOf(open);
  const replay = createReplay(open.trace, startReplayWorker, deviceMemory() ?? undefined, KEPT_BYTES, graphics.share);
  overlayOf(open).value = filmOf(open, replay);
  open.scope.add(whenGrown(open.trace, () => replay.again('')));
  openingOf(open).value = openingPicture(open, replay);
  vertexOutputsOf(open).value = replay.outputs;
  writtenOf(open).value = replay.written;
  framePicturesOf(open).value = {
    of: (frame) => {
      void replay.film.version.value;
      return replay.film.pictures.get(replay.frames.value?.to[frame] ?? -1) ?? null;
    },
    want: (frames) => {
      const to = replay.frames.peek()?.to;
      const calls = frames.flatMap((frame) => to?.[frame] ?? []);
      const scale = globalThis.devicePixelRatio || 1;
      replay.want(calls, FILM.width * scale, FILM.height * scale, 'frames');
    },
  };
  open.scope.add(
    effect(() => {
      const coverage = replay.coverage.value;
      open.events.remarks.value = coverage ? remarksOf(coverage, replay.refusals.value) : null;
    }),
  );
  return replay;
});

/**
 * Makes the first picture of a trace, unless that is a burden. `?pictures=now` in the address of the page makes it in any case: tests run
 * without a GPU.
 */
export function offerPictures(open: OpenTrace): void {
  const replay = replayOf(open);
  if (new URLSearchParams(location.search).get('pictures') === 'now') replay.insist();
  void replay.offer();
}
