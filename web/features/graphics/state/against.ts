import { type Signal, signal } from '@preact/signals';
import { type OpenTrace, type Pair, sideOf } from '../../../timeline/open_trace.ts';
import { perTrace } from '../../../trace/per_trace.ts';

/** A call whose state is compared. */
export interface Kept {
  readonly open: OpenTrace;
  readonly call: number;
}

/** What the state is compared with: nothing, what is selected in the other trace, or a call that was chosen before. */
export type StateAgainst = null | 'other' | Kept;

const create = (): { readonly value: Signal<StateAgainst> } => ({ value: signal(null) });
const ofPair = perTrace((_: Pair) => create());
const ofOne = perTrace((_: OpenTrace) => create());

/** What the state of a trace is compared with: of two traces, it is the same for both. Subscribes. */
export function againstOf(open: OpenTrace): Signal<StateAgainst> {
  const pair = open.pair.value;
  return (pair ? ofPair(pair) : ofOne(open)).value;
}

/** The trace that one is compared with, and which of both it is. Subscribes. */
export function otherOf(open: OpenTrace): { readonly open: OpenTrace; readonly side: 'a' | 'b' } | null {
  const pair = open.pair.value;
  if (!pair) return null;
  return sideOf(open) === 'a' ? { open: pair.b, side: 'b' } : { open: pair.a, side: 'a' };
}
