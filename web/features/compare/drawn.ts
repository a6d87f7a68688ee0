import { effect, type ReadonlySignal, signal } from '@preact/signals';
import type { Remote } from '../../base/remote.ts';
import { createScope, type Dispose } from '../../base/scope.ts';
import { extentOf, type Survey } from '../../trace/survey.ts';
import type { Comparing } from './protocol.ts';

/** What the OpenGL calls of a trace add up to. */
export interface Drawn {
  /** What comes after the last swap is one, too. */
  readonly frames: number;
  readonly calls: number;
  readonly draws: number;
  /** Bytes. */
  readonly uploaded: number;
}

/** What the calls of two traces add up to. */
export interface DrawnOfBoth {
  /** A and B; null until all calls of both have been read. */
  readonly found: ReadonlySignal<readonly [Drawn, Drawn] | null>;
  /** Why there is nothing, or ''. */
  readonly failed: ReadonlySignal<string>;
  /** What differs, in words; '' if nothing does, or it is not known yet. */
  readonly sentence: ReadonlySignal<string>;
  readonly dispose: Dispose;
}

/** Adds up the frames of a survey that has read all calls; null of another one. Subscribes. */
export function drawnOf(survey: Pick<Survey, 'frames' | 'progress' | 'isStopped' | 'error'>): Drawn | null {
  const frames = survey.frames.value;
  if (!frames || extentOf(survey) !== 'all') return null;
  const sum = (of: 'calls' | 'draws' | 'uploaded') => frames.figures[of].reduce((all, one) => all + one, 0);
  return { frames: frames.count, calls: sum('calls'), draws: sum('draws'), uploaded: sum('uploaded') };
}

/** Compares what calls add up to. `surveys` gives the surveys of both, if both have OpenGL calls; it subscribes. */
export function createDrawnOfBoth(
  surveys: () => readonly [Survey, Survey] | null,
  comparing: () => Remote<Comparing>,
): DrawnOfBoth {
  const scope = createScope();
  const found = signal<readonly [Drawn, Drawn] | null>(null);
  const failed = signal('');
  const sentence = signal('');
  scope.add(
    effect(() => {
      const both = surveys();
      const [a, b] = both ? both.map(drawnOf) : [];
      found.value = a && b ? [a, b] : null;
      failed.value = both?.map(({ error }) => error.value).find((error) => error !== '') ?? '';
      sentence.value = '';
      if (!a || !b) return undefined;
      let isOver = false;
      const figures = ({ frames, calls, draws, uploaded }: Drawn) => Float64Array.of(frames, calls, draws, uploaded);
      comparing()
        .drawnSentence(figures(a), figures(b))
        .then(
          (text) => {
            if (!isOver) sentence.value = text;
          },
          () => undefined,
        );
      return () => {
        isOver = true;
      };
    }),
  );
  return { found, failed, sentence, dispose: scope.dispose };
}
