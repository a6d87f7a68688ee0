import { computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Loops } from '../../base/steps_protocol.ts';
import type { Events } from '../../timeline/events.ts';
import type { Machine } from '../../trace/machine.ts';
import type { Trace } from '../../trace/trace.ts';
import { type Fold, type FoldedCall, type FoldedRows, foldedRows, loopAt, unfolded } from './folds.ts';

/** What the listing of a trace of instructions hides. */
export interface ListingFolds {
  /** The rows of the list, some of which stand for hidden ones. */
  readonly rows: ReadonlySignal<FoldedRows>;
  /** The position of the first row, if each row is the next step: otherwise nothing can be folded, and this is null. */
  readonly base: ReadonlySignal<number | null>;
  /** Whether loops are folded, or are to be once they are found. */
  readonly isFolding: Signal<boolean>;
  /** The loops; null before they are found. */
  readonly loops: ReadonlySignal<Loops | null>;
  /** How far the search for loops is; null while there is none. */
  readonly share: ReadonlySignal<number | null>;
  /** Folds the loops. Looks for them first, unless they are known. */
  foldLoops(): void;
  /** Shows all iterations, or stops looking for loops. */
  unfoldLoops(): void;
  /** Resolves with the loops of the trace, for its timeline; null if they cannot be found or the search was stopped. */
  findLoops(): Promise<Loops | null>;
  /** The loop that begins at a step and can be folded: its index, or -1. */
  loopAt(step: number): number;
  /** Whether the iterations of a loop are shown. */
  isOpen(loop: number): boolean;
  /** Shows the iterations of a loop, or hides them. */
  toggleLoop(loop: number): void;
  /** Hides the steps of a call. */
  foldCall(call: FoldedCall): void;
  /** Shows what a fold hides. */
  open(fold: Fold): void;
}

/** The folds of the list of `events`: none. `machine` has the index of the trace: it is asked when loops are folded first. */
export function createListingFolds(
  trace: Pick<Trace, 'records'>,
  events: Pick<Events, 'listed' | 'question' | 'portion' | 'sort'>,
  machine: () => Pick<Machine, 'ready' | 'indexed'> & { readonly ask: Pick<Machine['ask'], 'loops'> },
): ListingFolds {
  const base = signal<number | null>(null);
  const isFolding = signal(false);
  const loops = signal<Loops | null>(null);
  const share = signal<number | null>(null);
  const opened = signal<ReadonlySet<number>>(new Set());
  const calls = signal<readonly FoldedCall[]>([]);
  /** The loops are those of all that the index will have. */
  let isWhole = false;
  let searching: { readonly stop: AbortController; readonly found: Promise<Loops | null> } | null = null;

  // A list whose rows are steps without gaps: not one of some threads, or of what a filter has left.
  effect(() => {
    const listed = events.listed.value;
    base.value = null;
    // Sorted steps are not one after the other.
    if (
      events.sort.value ||
      !listed ||
      listed.rows === 0 ||
      trace.records.listing.value ||
      events.question.peek()?.filter
    )
      return;
    const last = listed.rows - 1;
    void Promise.all([events.portion(0, 1), events.portion(last, 1)]).then(([head, tail]) => {
      const [from, to] = [head?.[0]?.x, tail?.[0]?.x];
      const isNewest = events.listed.peek() === listed;
      if (isNewest && from !== undefined && to !== undefined && to - from === BigInt(last)) base.value = Number(from);
    });
  });
  const rows = computed(() => {
    const count = events.listed.value?.rows ?? 0;
    const folded = isFolding.value ? loops.value : null;
    if (base.value === null || (!folded && calls.value.length === 0)) return unfolded(count);
    const open = opened.value;
    return foldedRows(base.value, count, folded, (loop) => open.has(loop), calls.value);
  });

  const findLoops = (): Promise<Loops | null> => {
    if (loops.peek() && isWhole) return Promise.resolve(loops.peek());
    if (searching) return searching.found;
    const stop = new AbortController();
    share.value = 0;
    const search = async () => {
      const index = machine();
      await index.ready(Number.MAX_SAFE_INTEGER);
      const isDone = index.indexed.peek()?.done ?? false;
      const found = await index.ask.loops((done) => {
        if (!stop.signal.aborted) share.value = done;
      }, stop.signal);
      if (stop.signal.aborted) return null;
      searching = null;
      share.value = null;
      loops.value = found;
      isWhole = isDone;
      // Loops have other numbers than before.
      opened.value = new Set();
      return found;
    };
    const found = search();
    searching = { stop, found };
    return found;
  };
  return {
    rows,
    base,
    isFolding,
    loops,
    share,
    foldLoops: () => {
      isFolding.value = true;
      void findLoops().then((found) => {
        if (!found) isFolding.value = false;
      });
    },
    unfoldLoops: () => {
      isFolding.value = false;
      searching?.stop.abort();
      searching = null;
      share.value = null;
    },
    findLoops,
    loopAt: (step) => (isFolding.value && loops.value && base.value !== null ? loopAt(loops.value, step) : -1),
    isOpen: (loop) => opened.value.has(loop),
    toggleLoop: (loop) => {
      const next = new Set(opened.peek());
      if (!next.delete(loop)) next.add(loop);
      opened.value = next;
    },
    foldCall: (call) => {
      const others = calls.peek().filter(({ from, to }) => from !== call.from || to !== call.to);
      // By their begin, outer ones first.
      calls.value = [...others, call].sort((a, b) => a.from - b.from || b.to - a.to);
    },
    open: ({ loop, call }) => {
      if (loop !== null) opened.value = new Set(opened.peek()).add(loop);
      if (call) calls.value = calls.peek().filter((one) => one !== call);
    },
  };
}
