import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Dispose } from '../base/scope.ts';
import type { StandingFinding } from '../base/summary_protocol.ts';
import { type Opened, perTrace } from './per_trace.ts';

/** A kind of finding. */
export interface FindingKind {
  /** Stable word. */
  readonly id: string;
  /** A noun in the plural, such as "Redundant state". */
  readonly title: string;
  /** When something is one, in a sentence: exactly what the format's page in `docs` defines. */
  readonly says: string;
}

/** Something in a trace that a person may want to change: it happens once or often, for one reason. */
export interface Finding {
  /** The id of its {@link FindingKind}. */
  readonly kind: string;
  /** What happens, and to what, for people. Without a full stop. */
  readonly sentence: string;
  /** How often it happens. */
  readonly count: number;
  /** What it costs in total. `unit` is a noun in the singular, or `byte`. */
  readonly cost: { readonly amount: number; readonly unit: string };
  /** Where it happens: positions on the axis of the trace, ascending. It may have fewer than `count`. */
  readonly positions: Float64Array;
}

/** What a {@link FindingSource} has found so far. */
export interface Found {
  /** Of the trace, from 0 to 1. */
  readonly share: number;
  /** Whether it has ended. */
  readonly isDone: boolean;
  /** In any order. May be empty until the end. */
  readonly findings: readonly Finding[];
  /** What stands out in them, for the summary, if this search says it: the greatest first. */
  readonly standing?: readonly StandingFinding[];
  /** Why it ended before the end of the trace, or ''. */
  readonly error: string;
}

/** What looks for findings in the traces of a format. Features set it: see {@link findingSource}. */
export interface FindingSource {
  readonly kinds: readonly FindingKind[];
  /** Begins to look, and reports. Called at most once. What it returns stops that. */
  look(report: (found: Found) => void): Dispose;
}

/** Where the search for findings stands. */
export type FindingsState =
  /** Not requested yet: nothing is done before. */
  | { readonly at: 'idle' }
  /** `share` of the trace has been looked at. */
  | { readonly at: 'looking'; readonly share: number }
  | { readonly at: 'done'; readonly isStopped: boolean }
  | { readonly at: 'failed'; readonly sentence: string };

/** What a finding is sorted by. */
export type FindingOrder = 'kind' | 'count' | 'cost' | 'first';

/** The findings of a trace. The header shows their number, the Findings panel a row for each. */
export interface Findings {
  readonly state: ReadonlySignal<FindingsState>;
  readonly kinds: ReadonlySignal<readonly FindingKind[]>;
  /** In the order of the kinds. */
  readonly all: ReadonlySignal<readonly Finding[]>;
  /** The kind that the list is narrowed to, or ''. */
  readonly kind: Signal<string>;
  readonly order: Signal<{ readonly by: FindingOrder; readonly descending: boolean }>;
  /** The finding that is chosen, and the index of one of its positions. */
  readonly chosen: Signal<{ readonly finding: Finding; readonly at: number } | null>;
  /** Looks for findings, unless that has begun. */
  look(): void;
  /**
   * Looks for findings ahead, once: the state stays as it is until {@link Findings.look}. `hear` gets what is found,
   * until the search ends.
   */
  ahead(hear: (found: Found) => void): void;
  /** Ends the search and keeps what it has found. */
  stop(): void;
  readonly dispose: Dispose;
}

/** Loads what looks for findings in a trace; null while nothing does. A feature sets it for traces that it knows. */
export const findingSource = perTrace((_: Opened) => signal<(() => Promise<FindingSource>) | null>(null));

/** The findings of a trace. null if nothing looks for any. Subscribes. */
export function findingsOf(open: Opened): Findings | null {
  return findingSource(open).value ? made(open) : null;
}

const made = perTrace((open: Opened) =>
  createFindings(async () => {
    const load = findingSource(open).peek();
    if (!load) throw new Error('nothing looks for findings');
    return load();
  }),
);

/** No findings yet. `load` makes the source on request. */
export function createFindings(load: () => Promise<FindingSource>): Findings {
  const state = signal<FindingsState>({ at: 'idle' });
  const kinds = signal<readonly FindingKind[]>([]);
  const all = signal<readonly Finding[]>([]);
  let end: Dispose | null = null;
  let isOver = false;
  let isBegun = false;
  /** The user has asked. */
  let isShown = false;
  /** What was found before that. */
  let latest: Found | null = null;
  let heard: (found: Found) => void = () => undefined;
  const stopLooking = () => {
    isOver = true;
    end?.();
    end = null;
  };
  let rank: ReadonlyMap<string, number> = new Map();
  const show = ({ share, isDone, findings, error }: Found) => {
    all.value = [...findings].sort((a, b) => (rank.get(a.kind) ?? 0) - (rank.get(b.kind) ?? 0));
    if (error !== '') state.value = { at: 'failed', sentence: error };
    else state.value = isDone ? { at: 'done', isStopped: false } : { at: 'looking', share };
  };
  const take = (found: Found) => {
    if (isOver) return;
    latest = found;
    if (found.isDone || found.error !== '') stopLooking();
    if (isShown) show(found);
    heard(found);
  };
  const begin = async () => {
    isBegun = true;
    try {
      const source = await load();
      if (isOver) return;
      kinds.value = source.kinds;
      rank = new Map(source.kinds.map(({ id }, at) => [id, at]));
      const stop = source.look(take);
      if (isOver) stop();
      else end = stop;
    } catch {
      const error = 'The search for findings could not be loaded. Reload the page to try again.';
      take({ share: 0, isDone: true, findings: [], error });
    }
  };
  return {
    state,
    kinds,
    all,
    kind: signal(''),
    order: signal<{ by: FindingOrder; descending: boolean }>({ by: 'cost', descending: true }),
    chosen: signal(null),
    look: () => {
      if (isShown) return;
      isShown = true;
      if (latest) show(latest);
      else state.value = { at: 'looking', share: 0 };
      if (!isBegun) void begin();
    },
    ahead: (hear) => {
      heard = hear;
      if (isBegun && latest) hear(latest);
      else if (!isBegun) void begin();
    },
    stop: () => {
      if (state.peek().at !== 'looking') return;
      stopLooking();
      state.value = { at: 'done', isStopped: true };
      heard({ share: 1, isDone: true, findings: [], error: '' });
    },
    dispose: stopLooking,
  };
}
