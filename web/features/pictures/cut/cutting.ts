import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { type CleanChoices, type Cleaned, cleanOf, KEEP_ALL } from '../../../base/export_protocol.ts';
import type { Dispose } from '../../../base/scope.ts';
import type { FrameNeeds } from '../../../base/survey_protocol.ts';
import { isAlike } from '../both/difference.ts';
import type { Pixel } from '../pixel.ts';
import type { Picture } from '../protocol.ts';
import type { Replay } from '../replay.ts';
import type { FrameFiles, Replayed } from './files.ts';
import { countOf, smaller } from './smaller.ts';

/** What is being done, and how much of it. */
export type Step =
  | { readonly at: 'finding' | 'writing' | 'replaying'; readonly share: number }
  /** Calls are left out, as long as the picture stays the same. */
  | { readonly at: 'shrinking'; readonly tried: number; readonly share: number }
  | { readonly at: 'done' }
  | { readonly at: 'failed'; readonly sentence: string };

/** A frame as a trace of its own. */
export interface FrameFile {
  readonly file: Blob;
  readonly needs: FrameNeeds;
  /** The calls, as stretches of numbers. */
  readonly kept: Float64Array;
  /** The calls of the file, and those that were left out because the picture stays the same without them. */
  readonly calls: number;
  readonly leftOut: number;
}

/** A picture that is looked at: of the whole trace, or of the file. */
export interface Pictured {
  readonly replay: Replay;
  readonly call: number;
  readonly name: string;
}

/** The making of a file of one frame. It begins at once. */
export interface Cutting {
  readonly step: ReadonlySignal<Step>;
  /** The file, as soon as there is one. */
  readonly made: ReadonlySignal<FrameFile | null>;
  /** The pictures of the frame, in the trace and in the file. null until both are there. */
  readonly pictures: ReadonlySignal<readonly [Picture | null, Picture | null] | null>;
  /** Which pictures those are. */
  readonly sides: ReadonlySignal<{ readonly a: Pictured; readonly b: Pictured } | null>;
  /** What is hashed and left out. */
  readonly choices: Signal<CleanChoices>;
  /** Looks for what the choices are about. Rejects with a sentence. */
  look(): Promise<Cleaned>;
  /** Writes the file as the choices are now, unless it is so, and compares its picture. */
  rewrite(): Promise<void>;
  /** Leaves calls out as long as the picture stays the same, or a pixel of it. */
  shrink(pixel: Pixel | null): Promise<void>;
  /** Ends that. What was achieved is kept. */
  enough(): void;
  readonly dispose: Dispose;
}

/** Makes the file of a frame. `call` ends the frame in the trace, whose pictures are those of `whole`. */
export function createCutting(files: FrameFiles, whole: Replay, frame: number, call: number): Cutting {
  const controller = new AbortController();
  const stopped = controller.signal;
  const step = signal<Step>({ at: 'finding', share: 0 });
  const made = signal<FrameFile | null>(null);
  const pictures = signal<readonly [Picture | null, Picture | null] | null>(null);
  const sides = signal<{ readonly a: Pictured; readonly b: Pictured } | null>(null);
  const choices = signal(KEEP_ALL);
  const key = crypto.getRandomValues(new Uint8Array(16));
  let shown: Replayed | null = null;
  let stopShrinking: AbortController | null = null;

  const tell = (at: 'finding' | 'writing') => (share: number) => {
    if (!stopped.aborted) step.value = { at, share };
  };
  const wanted = ({ texts }: FrameNeeds, only: Float64Array, preview: boolean) => {
    return { only, texts, clean: cleanOf(choices.peek(), key, preview), preview };
  };
  /** The picture at the end of the last frame of a file. */
  const pictureOf = async ({ replay, frames }: Replayed): Promise<Picture | null> => {
    const shownNow = await replay.ask(frames.to.at(-1) ?? 0, 'color');
    const failure = replay.failure.peek();
    if (!shownNow) throw new Error(failure?.sentence ?? 'No picture was made of the new file.');
    return shownNow.picture;
  };
  let asked: ReturnType<Replay['ask']> | null = null;
  /** The picture of the whole trace. It is asked for once. */
  const right = () => {
    asked ??= whole.ask(call, 'color');
    return asked;
  };
  /** The choices that the file was written with. */
  let written = KEEP_ALL;
  /** Writes a file, and compares its picture. */
  const show = async (needs: FrameNeeds, kept: Float64Array) => {
    written = choices.peek();
    const file = await files.write(wanted(needs, kept, false), tell('writing'), stopped);
    if (stopped.aborted) return;
    const calls = countOf(kept);
    made.value = { file, needs, kept, calls, leftOut: countOf(needs.calls) - calls };
    step.value = { at: 'replaying', share: 0 };
    const first = await right();
    if (stopped.aborted) return;
    if (!first) throw new Error(whole.failure.peek()?.sentence ?? 'No picture was made of the frame.');
    step.value = { at: 'replaying', share: 0.3 };
    shown?.end();
    shown = await files.replay(file, stopped);
    step.value = { at: 'replaying', share: 0.6 };
    const second = await pictureOf(shown);
    if (stopped.aborted) return;
    pictures.value = [first.picture, second];
    sides.value = {
      a: { replay: whole, call, name: 'Trace' },
      b: { replay: shown.replay, call: shown.frames.to.at(-1) ?? 0, name: 'File' },
    };
    step.value = { at: 'done' };
  };
  const make = async () => {
    // Another worker makes it meanwhile.
    right().catch(() => undefined);
    const needs = await files.needs(frame, tell('finding'), stopped);
    await show(needs, needs.calls);
  };
  const fail = (thrown: unknown) => {
    if (stopped.aborted) return;
    step.value = { at: 'failed', sentence: thrown instanceof Error ? thrown.message : String(thrown) };
  };
  void make().catch(fail);
  const rewrite = async () => {
    const before = made.peek();
    const isIdle = step.peek().at === 'done' || step.peek().at === 'failed';
    if (!before || !isIdle || written === choices.peek()) return;
    step.value = { at: 'writing', share: 0 };
    await show(before.needs, before.kept).catch(fail);
  };

  const shrink = async (pixel: Pixel | null) => {
    const [before, start] = [made.peek(), pictures.peek()];
    if (!before || !start || step.peek().at !== 'done') return;
    const [shownWhole] = start;
    const ending = new AbortController();
    const ended = ending.signal;
    stopShrinking = ending;
    stopped.addEventListener('abort', () => ending.abort(), { once: true });
    let [tried, best] = [0, before];
    const hear = (share: number) => {
      if (!stopped.aborted) step.value = { at: 'shrinking', tried, share };
    };
    hear(0);
    const isSame = async (calls: Float64Array): Promise<boolean> => {
      tried += 1;
      let replayed: Replayed | null = null;
      try {
        const file = await files.write(wanted(before.needs, calls, false), () => undefined, ended);
        replayed = await files.replay(file, ended);
        const picture = await pictureOf(replayed);
        const coverage = replayed.replay.coverage.peek();
        // What fails here might hang or end another replayer.
        const isWhole = picture?.halted === '' && replayed.replay.refusals.peek().length === 0 && coverage !== null;
        if (
          ended.aborted ||
          !isWhole ||
          !(pixel ? isAlikeAt(shownWhole, picture, pixel) : isAlike(shownWhole, picture))
        )
          return false;
        const left = countOf(calls);
        best = { ...before, file, kept: calls, calls: left, leftOut: countOf(before.needs.calls) - left };
        made.value = best;
        return true;
      } catch {
        return false;
      } finally {
        replayed?.end();
      }
    };
    // A try that was ended may say nothing any more.
    const over = new Promise<false>((resolve) => ended.addEventListener('abort', () => resolve(false)));
    await smaller(before.needs, (calls) => Promise.race([isSame(calls), over]), hear, ended);
    if (!stopped.aborted) step.value = { at: 'done' };
  };
  return {
    step,
    made,
    pictures,
    sides,
    choices,
    look: () => {
      const { needs, kept } = made.peek()!;
      return files.look(wanted(needs, kept, true), stopped);
    },
    rewrite,
    shrink,
    enough: () => stopShrinking?.abort(),
    dispose: () => {
      controller.abort();
      shown?.end();
    },
  };
}

/** Whether two pictures of one size have the same colour at a pixel. */
function isAlikeAt(a: Picture | null, b: Picture | null, { x, y }: Pixel): boolean {
  if (!a || !b || a.width !== b.width || a.height !== b.height) return false;
  const at = 4 * (y * a.width + x);
  return [0, 1, 2, 3].every((channel) => a.pixels[at + channel] === b.pixels[at + channel]);
}
