import { type Signal, signal } from '@preact/signals';
import { formatCount } from '../../../base/format.ts';
import type { OpenTrace, Pair } from '../../../timeline/open_trace.ts';
import { perTrace } from '../../../trace/per_trace.ts';
import { frameOf } from '../gl/frames.ts';
import { drawsOf } from '../pictured_calls.ts';
import { picturedBy, picturesOf, type Side } from './comparing.ts';
import { isAlike } from './difference.ts';
import { firstDraw, momentsOf, type Step, stepsOf } from './first_draw.ts';

/** How far the search for the first draw whose picture differs is. */
export type Search =
  | { readonly at: 'idle' }
  | { readonly at: 'looking'; readonly step: number; readonly of: number }
  /** `calls`: the pictures that the sentence is about, on each side. */
  | { readonly at: 'done'; readonly sentence: string; readonly calls: readonly [number, number] };

/** Two pictures whose frames are searched. */
export interface SearchedSides {
  readonly a: Omit<Side, 'open'>;
  readonly b: Omit<Side, 'open'>;
}

/** A search that can be ended. */
export interface Searching {
  readonly state: Signal<Search>;
  /**
   * Searches the frames of two pictures, and shows the draw that is found, by its calls on both sides. `across`: the call of B that belongs to
   * one of A, as {@link Matched.across} has it. Without it, draws belong together by number.
   */
  start(
    sides: SearchedSides,
    show: (calls: readonly [number, number]) => Promise<unknown>,
    across?: (call: number) => number | null | undefined,
  ): Promise<void>;
  /** Ends the search at once. Replays end what they are at. */
  cancel(): void;
  /** Ends the search as its panel is left, and says so there. */
  leave(): void;
  /** Ends the search, or forgets what was found, unless it is about these pictures or is about to be shown. */
  look(calls: readonly [number, number]): void;
}

const ofPair = perTrace((_: Pair) => createSearching());
const ofOne = perTrace((_: OpenTrace) => createSearching());

/** The search among what {@link comparingOf} compares. It stays while its panel is not in sight. Subscribes. */
export function searchingOf(open: OpenTrace): Searching {
  const pair = open.pair.value;
  return pair ? ofPair(pair) : ofOne(open);
}

/** No search yet. */
export function createSearching(): Searching {
  const state = signal<Search>({ at: 'idle' });
  let running: { readonly controller: AbortController; readonly sides: SearchedSides } | null = null;
  const stop = () => {
    running?.controller.abort();
    running = null;
  };
  const halt = () => {
    const sides = running?.sides;
    stop();
    sides?.a.replay.enough();
    sides?.b.replay.enough();
    return sides;
  };
  return {
    state,
    start: async (sides, show, across = () => undefined) => {
      stop();
      const controller = new AbortController();
      const { signal: stopped } = controller;
      const frames = framesOf(sides);
      const end = (sentence: string, calls: readonly [number, number] = [sides.a.call, sides.b.call]) => {
        state.value = { at: 'done', sentence, calls };
      };
      if (!frames) return end('Only frames that end can be searched.');
      running = { controller, sides };
      const [a, b] = frames;
      const steps = stepsOf(a.draws, b.draws, across);
      const of = momentsOf(steps.length);
      state.value = { at: 'looking', step: 0, of };
      let failure = '';
      const found = await firstDraw(
        steps.length,
        async (moment) => {
          const calls = callsAt(frames, steps, moment);
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
      if (!found) return end(failure === '' ? 'The search ended without its pictures.' : failure);
      if (found.is !== 'draw') return end(SENTENCES[found.is]);
      const calls = callsAt(frames, steps, found.number);
      await show(calls);
      end(drawSentence(steps[found.number - 1]!, frames, sides), calls);
    },
    cancel: () => {
      halt();
      state.value = { at: 'idle' };
    },
    leave: () => {
      const sides = halt();
      if (sides) state.value = { at: 'done', sentence: LEFT, calls: [sides.a.call, sides.b.call] };
    },
    look: ([a, b]) => {
      const search = state.peek();
      if (search.at === 'looking' && !running) return;
      if (search.at === 'done' && search.calls[0] === a && search.calls[1] === b) return;
      state.value = running ? { at: 'done', sentence: OTHERS, calls: [a, b] } : { at: 'idle' };
      stop();
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

/** The calls after which both sides have drawn as much as a step says, or the whole frame. */
function callsAt(
  [a, b]: readonly [FrameDraws, FrameDraws],
  steps: readonly Step[],
  moment: number | 'end',
): readonly [number, number] {
  if (moment === 'end') return [a.to, b.to];
  const step = steps[moment - 1];
  const of = ({ from, draws }: FrameDraws, drawn: number) => {
    if (drawn > 0) return draws[drawn - 1]!;
    // As long as one side alone has drawn, the other one has begun, too: the first frame has nothing before it.
    return step && draws[0] !== from ? from : from - 1;
  };
  return [of(a, step?.a ?? 0), of(b, step?.b ?? 0)];
}

const LEFT = 'The search ended when its panel was left.';
const OTHERS = 'The search ended when other pictures were selected.';
const SENTENCES = {
  equal: 'The pictures at the end of the frame are equal.',
  before: 'The pictures differ before the frame draws: look at the frame before.',
  after: 'The pictures differ only after the last draw of the frame.',
} as const;

function drawSentence({ a, b, has }: Step, frames: readonly [FrameDraws, FrameDraws], sides: SearchedSides): string {
  const [ofA, ofB] = [`draw ${formatCount(a)} of ${sides.a.name}`, `draw ${formatCount(b)} of ${sides.b.name}`];
  const of = formatCount(Math.max(...frames.map(({ draws }) => draws.length)));
  const [draw, first] = [`Draw ${formatCount(a)}`, 'is the first whose picture differs'];
  if (has === 'a') return `${capital(ofA)}, which ${sides.b.name} lacks, ${first}.`;
  if (has === 'b') return `${capital(ofB)}, which ${sides.a.name} lacks, ${first}.`;
  return a === b ? `${draw} of ${of} ${first}.` : `${capital(ofA)}, which is ${ofB}, ${first}.`;
}

const capital = (sentence: string) => sentence.charAt(0).toUpperCase() + sentence.slice(1);
