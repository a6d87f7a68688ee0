import { type Signal, signal } from '@preact/signals';
import { formatCount, formatCounted } from '../../../base/format.ts';
import { frameOf } from '../gl/frames.ts';
import { drawsOf } from '../pictured_calls.ts';
import { picturedBy, picturesOf, type Side } from './comparing.ts';
import { isAlike } from './difference.ts';
import { firstDraw, momentsOf } from './first_draw.ts';

/** How far the search for the first draw whose picture differs is. */
export type Search =
  | { readonly at: 'idle' }
  | { readonly at: 'looking'; readonly step: number; readonly of: number }
  /** `calls`: what was selected on each side, if a draw was found. */
  | { readonly at: 'done'; readonly sentence: string; readonly calls: readonly [number, number] | null };

/** Two pictures whose frames are searched. */
export interface SearchedSides {
  readonly a: Omit<Side, 'open'>;
  readonly b: Omit<Side, 'open'>;
}

/** A search that can be ended. */
export interface Searching {
  readonly state: Signal<Search>;
  /** Searches the frames of two pictures, and shows the draw that is found, by its calls on both sides. */
  start(sides: SearchedSides, show: (calls: readonly [number, number]) => Promise<unknown>): Promise<void>;
  /** Ends the search at once. Replays end what they are at. */
  cancel(): void;
  /** Other pictures are looked at: ends the search, or forgets what was found, unless that is about to be shown. */
  forget(): void;
}

/** No search yet. */
export function createSearching(): Searching {
  const state = signal<Search>({ at: 'idle' });
  let running: { readonly controller: AbortController; readonly sides: SearchedSides } | null = null;
  const stop = () => {
    running?.controller.abort();
    running = null;
  };
  return {
    state,
    start: async (sides, show) => {
      stop();
      const controller = new AbortController();
      const own = { controller, sides };
      running = own;
      const { signal: stopped } = controller;
      const frames = framesOf(sides);
      if (!frames) {
        state.value = { at: 'done', sentence: 'Only frames that end can be searched.', calls: null };
        return;
      }
      const [a, b] = frames;
      const count = Math.min(a.draws.length, b.draws.length);
      const of = momentsOf(count);
      state.value = { at: 'looking', step: 0, of };
      let failure = '';
      const found = await firstDraw(
        count,
        async (moment) => {
          const calls = [callAt(a, moment), callAt(b, moment)] as const;
          // Before the first call of a trace there is nothing to see.
          if (calls[0] < 0 || calls[1] < 0) return false;
          const at = { a: { ...sides.a, call: calls[0] }, b: { ...sides.b, call: calls[1] } };
          const pictures = await picturesOf(at, stopped);
          if (!pictures) return null;
          failure = pictures.map((picture) => picture?.halted ?? '').find((why) => why !== '') ?? '';
          return failure === '' ? !isAlike(...pictures) : null;
        },
        (step) => {
          if (!stopped.aborted) state.value = { at: 'looking', step, of };
        },
      );
      if (stopped.aborted) return;
      running = null;
      if (!found) {
        state.value = failure === '' ? { at: 'idle' } : { at: 'done', sentence: failure, calls: null };
        return;
      }
      const number = found.is === 'draw' ? found.number : found.is === 'after' ? count + 1 : 0;
      const names = [sides.a.name, sides.b.name] as const;
      const calls = found.is === 'draw' ? ([a.draws[number - 1]!, b.draws[number - 1]!] as const) : null;
      if (calls) await show(calls);
      state.value = { at: 'done', sentence: sentenceOf(found.is, number, a, b, names), calls };
    },
    cancel: () => {
      const ended = running?.sides;
      stop();
      ended?.a.replay.enough();
      ended?.b.replay.enough();
      state.value = { at: 'idle' };
    },
    forget: () => {
      if (state.peek().at === 'looking' && !running) return;
      stop();
      state.value = { at: 'idle' };
    },
  };
}

/** A frame of one side. */
interface FrameDraws {
  readonly frame: number;
  readonly from: number;
  readonly to: number;
  readonly draws: readonly number[];
}

/** The frames that two pictures are of; null if one is of none, or of one that does not end. */
function framesOf({ a, b }: SearchedSides): readonly [FrameDraws, FrameDraws] | null {
  const found = [a, b].map(({ replay, call }): FrameDraws | null => {
    const pictured = picturedBy(replay);
    const frame = pictured ? frameOf(pictured.frames, call) : -1;
    if (!pictured || frame < 0) return null;
    const { frames, coverage } = pictured;
    return { frame, from: frames.from[frame]!, to: frames.to[frame]!, draws: drawsOf(coverage, frames, frame) };
  });
  return found[0] && found[1] ? [found[0], found[1]] : null;
}

function callAt({ from, to, draws }: FrameDraws, moment: number | 'end'): number {
  if (moment === 'end') return to;
  return moment === 0 ? from - 1 : draws[moment - 1]!;
}

function sentenceOf(
  is: 'draw' | 'equal' | 'before' | 'after',
  number: number,
  a: FrameDraws,
  b: FrameDraws,
  [first, second]: readonly [string, string],
): string {
  const more = a.draws.length === b.draws.length ? '' : a.draws.length > b.draws.length ? first : second;
  switch (is) {
    case 'equal':
      return 'The pictures at the end of the frame are equal.';
    case 'before':
      return 'The pictures differ before the frame draws: look at the frame before.';
    case 'after':
      return more === ''
        ? 'The pictures differ only after the last draw of the frame.'
        : `The first ${formatCounted(number - 1, 'draw')} have equal pictures; draw ${formatCount(number)} is only in ${more}.`;
    case 'draw':
      return `Draw ${formatCount(number)} of ${formatCount(Math.max(a.draws.length, b.draws.length))} is the first whose picture differs.`;
  }
}
