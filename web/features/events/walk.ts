import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { FLAG_NEVER_ENDED, type Found } from '../../base/protocol.ts';
import type { StepFilter, WalkKind } from '../../base/steps_protocol.ts';
import { ticks } from '../../base/ticks.ts';
import type { Machine } from '../../trace/machine.ts';
import type { Selection } from '../../trace/selection.ts';
import type { Trace } from '../../trace/trace.ts';

/** Where a walk leads: over a call, out of one, or to the nearest step of a kind. */
export type WalkTo = 'over' | 'out' | WalkKind;

/** Walks through the steps of a trace of instructions. */
export interface Walk {
  /** Selects the next or previous step of a kind. Walks wait for one another. */
  go(to: WalkTo, next: boolean): Promise<void>;
  /** Steps that it does not match are passed over; null for none. */
  readonly filter: Signal<StepFilter | null>;
  /** Why the last walk led nowhere, or ''. */
  readonly remark: ReadonlySignal<string>;
}

/** The nouns of what a walk leads to. */
export const WALK_NOUNS: Readonly<Record<WalkTo, string>> = {
  over: 'step',
  out: 'call',
  step: 'step',
  execution: 'execution of this address',
  thread: 'change of thread',
  mode: 'change of mode',
  privilege: 'change between user and kernel',
  'system-call': 'system call',
  interrupt: 'interrupt or fault',
};

/** Walks that wait for one another at most: of a key that is held, the others are dropped. */
const MOST_WAITING = 4;

const NO_CALL = 'No call around this step is known.';
const NOT_INDEXED = 'This step is not indexed yet.';
const NO_RETURN = 'This call does not return in the recording.';

/** What is reached, or why nothing is. */
type Reached = { readonly step: number } | { readonly remark: string };

/**
 * A walk that begins at the `selection`, or at the position `start` if there is none. Calls are those of the timeline. `machine`
 * has the index of the trace: it is asked only where it is needed.
 */
export function createWalk(
  trace: Pick<Trace, 'find' | 'records' | 'tracks'>,
  selection: Pick<Selection, 'place' | 'revealRecord'>,
  machine: () => Pick<Machine, 'nearestOf' | 'nearestMatch' | 'indexed' | 'ready'>,
  start: () => bigint | null,
): Walk {
  /** The latest remark, and where the walk began that it is about. */
  const refusal = signal<{ readonly text: string; readonly place: bigint | undefined }>({ text: '', place: undefined });
  const say = (text: string) => {
    refusal.value = { text, place: selection.place()?.start };
  };
  const filter = signal<StepFilter | null>(null);
  let walking: Promise<void> = Promise.resolve();
  let waiting = 0;

  const isThreaded = () => [...trace.tracks.peek().values()].filter(({ kind }) => kind === 'thread').length > 1;
  const none = (to: WalkTo, next: boolean): Reached => ({
    remark: `No ${next ? 'later' : 'earlier'} ${WALK_NOUNS[to]}${filter.peek() ? ' that matches' : ''}${isPartial(to) ? ' in the indexed part' : ''}.`,
  });
  /** Whether more may be found when more is indexed. */
  const isPartial = (to: WalkTo) =>
    to !== 'over' && to !== 'out' && to !== 'step' && machine().indexed.peek()?.done === false;
  /** The next or previous step of the same thread; null at the end. */
  const beside = async (step: number, next: boolean): Promise<number | null> => {
    const index = isThreaded() ? machine() : null;
    await index?.ready(step);
    const found = await index?.nearestOf(step, 'step', next, null);
    if (found !== undefined) return found;
    const at = next ? step + 1 : step - 1;
    return at < 0 ? null : at;
  };
  const callAt = (step: number, track: number) => trace.find({ to: 'at', time: ticks(BigInt(step)), track });
  const callerOf = async ({ item }: Found) => trace.find({ to: 'caller', item });

  /** The step after a call. */
  const after = async (call: Found): Promise<Reached> => {
    if (call.end === null || (call.flags & FLAG_NEVER_ENDED) !== 0) return { remark: NO_RETURN };
    const step = await beside(Number(call.end) - 1, true);
    return step === null ? { remark: NO_RETURN } : { step };
  };
  /** The step that called. */
  const before = async (call: Found): Promise<Reached> => {
    const step = await beside(Number(call.start), false);
    return step === null ? { remark: NO_CALL } : { step };
  };
  const out = async (step: number, track: number, next: boolean): Promise<Reached> => {
    const call = await callAt(step, track);
    if (!call) return { remark: NO_CALL };
    return next ? after(call) : before(call);
  };
  const over = async (step: number, track: number, next: boolean): Promise<Reached> => {
    const neighbour = await beside(step, next);
    if (neighbour === null) return none('over', next);
    const [here, there] = await Promise.all([callAt(step, track), callAt(neighbour, track)]);
    const depth = here ? depthOf(here) : Number.NEGATIVE_INFINITY;
    if (!there || depthOf(there) <= depth) return { step: neighbour };
    // A call that begins with the next step, or ended with the previous one: the outermost that is inside this one.
    let call = there;
    for (let caller = await callerOf(call); caller && depthOf(caller) > depth; caller = await callerOf(call)) {
      const isSame = next ? Number(caller.start) === neighbour : true;
      if (!isSame) break;
      call = caller;
    }
    if (!next) return before(call);
    return Number(call.start) === neighbour ? after(call) : { step: neighbour };
  };
  /** What is reached from a step, or the nearest match after it. */
  const matching = async (from: number, reached: Reached, to: WalkTo, next: boolean): Promise<Reached> => {
    const wanted = filter.peek();
    if (!wanted || 'remark' in reached) return reached;
    const index = machine();
    await index.ready(reached.step);
    const found = await index.nearestMatch(reached.step, next, from, wanted);
    const { done, full } = index.indexed.peek() ?? { done: false, full: false };
    // After the last step there is none.
    if (found === undefined && !(done && !full)) return { remark: NOT_INDEXED };
    return found === undefined || found === null ? none(to, next) : { step: found };
  };
  const reach = async (step: number, track: number, to: WalkTo, next: boolean): Promise<Reached> => {
    if (to === 'out') return matching(step, await out(step, track, next), to, next);
    if (to === 'over') return matching(step, await over(step, track, next), to, next);
    if (to === 'step') {
      const found = await beside(step, next);
      return found === null ? none(to, next) : matching(step, { step: found }, to, next);
    }
    const index = machine();
    await index.ready(step);
    const found = await index.nearestOf(step, to, next, filter.peek());
    if (found === undefined) return { remark: NOT_INDEXED };
    return found === null ? none(to, next) : { step: found };
  };
  const walk = async (to: WalkTo, next: boolean) => {
    const place = selection.place();
    const from = place?.start ?? start();
    if (from === null) return;
    const row = await trace.records.recordAt(ticks(from), place?.track ?? null);
    if (!row) return;
    // What is about a step begins with the first one. Other steps are looked for from there.
    if (!place && FROM_A_STEP.includes(to)) {
      say('');
      return selection.revealRecord(row);
    }
    const reached = await reach(Number(row.x), row.track, to, next);
    // A selection made in the meantime takes precedence.
    if (selection.place()?.start !== place?.start) return;
    if ('remark' in reached) {
      say(reached.remark);
      return;
    }
    const found = await trace.records.recordAt(ticks(BigInt(reached.step)), row.track);
    const isAway = found && (next ? found.x > row.x : found.x < row.x);
    say('');
    if (isAway) selection.revealRecord(found);
    else {
      const nowhere = none(to, next);
      if ('remark' in nowhere) say(nowhere.remark);
    }
  };
  return {
    remark: computed(() => (selection.place()?.start === refusal.value.place ? refusal.value.text : '')),
    filter,
    go: (to, next) => {
      if (waiting >= MOST_WAITING) return walking;
      waiting += 1;
      const step = () => walk(to, next);
      walking = walking.then(step, step).finally(() => {
        waiting -= 1;
      });
      return walking;
    },
  };
}

/** Ways that begin at a step that the user has selected. */
const FROM_A_STEP: readonly WalkTo[] = ['over', 'step', 'out', 'execution'];

function depthOf({ item }: Found): number {
  return item.kind === 'slice' ? item.depth : Number.NEGATIVE_INFINITY;
}
