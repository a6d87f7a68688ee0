import { signal } from '@preact/signals';
import { type Opened, perTrace } from '../../../trace/per_trace.ts';

/** A frame that a link leads to. */
export interface WantedFrame {
  /** One of its calls. */
  readonly call: number;
  /** Opened, with the calls that set state to its current value. */
  readonly redundant: boolean;
  /** It is shown again, and the selection returns by itself. */
  readonly isReturn: boolean;
}

/** The frame that the tree of a trace's frames shows next; null for none. */
export const wantedFrame = perTrace((_: Opened) => signal<WantedFrame | null>(null));
