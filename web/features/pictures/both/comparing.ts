import { type Signal, signal } from '@preact/signals';
import { framePairsOf } from '../../../timeline/frame_pairs.ts';
import { type OpenTrace, type Pair, sideOf } from '../../../timeline/open_trace.ts';
import { perTrace } from '../../../trace/per_trace.ts';
import type { Picture } from '../protocol.ts';
import type { Replay } from '../replay.ts';
import { replayOf } from '../replays.ts';
import { type Pictured, pairedCall } from './pairing.ts';
import type { Look, Mode } from './viewer.tsx';
import { ALL } from './viewport.ts';

/** What pictures are compared with: nothing, the same draw of the other trace, or a picture that was chosen before. */
export type Against = 'none' | 'other' | 'remembered';

/** A picture of a trace. */
export interface Remembered {
  readonly open: OpenTrace;
  readonly call: number;
}

/** What the user compares. It stays while other panes are in front. */
export interface Comparing extends Look {
  readonly against: Signal<Against>;
  /** What {@link Against} calls remembered. */
  readonly remembered: Signal<Remembered | null>;
}

function create(): Comparing {
  return {
    against: signal<Against>('none'),
    remembered: signal<Remembered | null>(null),
    mode: signal<Mode>('slider'),
    viewport: signal(ALL),
    wipe: signal(0.5),
  };
}

const ofPair = perTrace((_: Pair) => create());
const ofOne = perTrace((_: OpenTrace) => create());

/** What is compared while a trace is in front: of two traces, it is the same for both. Subscribes. */
export function comparingOf(open: OpenTrace): Comparing {
  const pair = open.pair.value;
  return pair ? ofPair(pair) : ofOne(open);
}

/** One of two pictures. */
export interface Side extends Remembered {
  readonly replay: Replay;
  /** What it is called in sentences, and as a mark. */
  readonly name: string;
}

/** Two pictures that are compared. */
export interface Sides {
  readonly a: Side;
  readonly b: Side;
  /** How they belong together, in a sentence; '' if the user has chosen both. */
  readonly how: string;
}

/** Frames and draws of a trace, once all of its calls were looked at. Subscribes. */
export function picturedBy(replay: Replay): Pictured | null {
  const [frames, coverage] = [replay.frames.value, replay.coverage.value];
  return frames && coverage && { frames, coverage };
}

/** The trace that one is compared with. Subscribes. */
export function otherOf(open: OpenTrace): OpenTrace | null {
  const pair = open.pair.value;
  return pair && (open === pair.a ? pair.b : pair.a);
}

/** The pictures that are compared while a call of a trace is shown; or why there are none, in a sentence. Subscribes. */
export function sidesOf(open: OpenTrace, call: number): Sides | string {
  const { against, remembered } = comparingOf(open);
  const own = { open, call, replay: replayOf(open), name: nameOf(open) };
  const kept = remembered.value;
  if (against.value === 'remembered' && kept) {
    const isOther = kept.open !== open;
    const a = { ...kept, replay: replayOf(kept.open), name: isOther ? nameOf(kept.open) : 'Kept' };
    const how = kept.call === call && !isOther ? 'Select another frame or draw to compare it with this picture.' : '';
    return { a, b: isOther ? own : { ...own, name: 'Shown' }, how };
  }
  const other = otherOf(open);
  if (!other) return 'There is no other trace.';
  const replay = replayOf(other);
  const name = nameOf(other);
  if (other.trace.status.value.at !== 'ready') return `${name} is still being read.`;
  const [here, there] = [picturedBy(own.replay), picturedBy(replay)];
  if (!here || !there) return `Scanning all calls of ${there ? own.name : name}…`;
  const pairs = framePairsOf(open.pair.value!);
  const side = sideOf(open) ?? 'a';
  const paired = pairedCall(call, here, there, name, {
    frame: (frame) => pairs.across(frame, side),
    call: (draw) => pairs.callAcross(draw, side),
  });
  if (paired.call === null) return paired.remark;
  const its = { open: other, call: paired.call, replay, name };
  const [a, b] = own.name === 'A' ? [own, its] : [its, own];
  return { a, b, how: paired.remark || PAIRED[pairs.paired.value] };
}

/** What frames and draws are paired by, in sentences. */
const PAIRED = {
  number: 'Paired by the numbers of frame and draw.',
  calls: 'Paired by the calls that both have.',
} as const;

function nameOf(open: OpenTrace): string {
  return sideOf(open)?.toUpperCase() ?? '';
}

/** The pictures of both sides, one after the other: two replays at a time would share one GPU. null if another question came. */
export async function picturesOf(
  { a, b }: Readonly<Record<'a' | 'b', Pick<Side, 'replay' | 'call'>>>,
  signal: AbortSignal,
): Promise<readonly [Picture | null, Picture | null] | null> {
  const found: (Picture | null)[] = [];
  for (const { replay, call } of [a, b]) {
    const shown = await replay.ask(call, 'color');
    if (!shown || signal.aborted) return null;
    found.push(shown.picture);
  }
  return [found[0]!, found[1]!];
}
