import { effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Remote } from '../../base/remote.ts';
import { createScope, type Dispose } from '../../base/scope.ts';
import { furtherRunsOf, type RunFile } from '../../page/further_runs.ts';
import type { OpenTrace, Pair } from '../../timeline/open_trace.ts';
import type { Comparing, FoundSuspects, PointsOfRun } from './protocol.ts';
import { type Runs, whenRead } from './runs.ts';
import {
  haveValues,
  namesFilesOf,
  showPoints,
  type ValueDifferences,
  type ValuesSide,
  type WholeValues,
  wholeValues,
} from './values.ts';
import type { Work } from './work.ts';

/** The view that ranks what goes with failing. */
export const SUSPECTS_VIEW = 'suspects';

/** A run that counts: one of A passed, one of B failed. */
export interface CountedRun {
  readonly side: 'a' | 'b';
  /** null if it is the trace that is open on that side. */
  readonly file: RunFile | null;
  readonly name: string;
}

/** How far ranking is. */
export type SuspectsState = Work<{
  readonly found: FoundSuspects;
  readonly runs: readonly CountedRun[];
  /** Texts that its statements are shown as, by their names in the traces. */
  readonly names: ReadonlyMap<string, string>;
}>;

/** What goes with failing, over the runs of A, which passed, and those of B, which failed. */
export interface Suspects {
  readonly state: ReadonlySignal<SuspectsState>;
  /** Part of a statement's name or of a query. */
  readonly filter: Signal<string>;
  /** Whether values are listed, and not statements. */
  readonly ofValues: Signal<boolean>;
  readonly dispose: Dispose;
}

/** A trace, as far as it is ranked. */
export type SuspectsSide = ValuesSide & Pick<OpenTrace, 'file'>;

/** Ranks statements and values while they are shown, as soon as all runs are read, and again when runs or names change. */
export function createSuspects(
  sides: readonly [SuspectsSide, SuspectsSide],
  further: Pick<Runs, 'a' | 'b'> | null,
  values: Pick<ValueDifferences, 'state'>,
  isShown: () => boolean,
  comparing: () => Remote<Comparing>,
): Suspects {
  const scope = createScope();
  const state = signal<SuspectsState>({ at: 'waiting' });
  const rank = async (
    others: readonly [readonly WholeValues[], readonly WholeValues[]],
    runs: readonly CountedRun[],
    isOver: () => boolean,
  ) => {
    try {
      const [a, b] = await Promise.all(sides.map(wholeValues));
      if (isOver()) return;
      const all = a && b && [a, ...others[0], b, ...others[1]];
      const bytes = all?.map((of) => of.bytes);
      // A statement may be in few runs only, which need not be the ones that are open.
      const given = all?.flatMap((of) => of.names);
      const ranked = bytes && given && (await comparing().rankSuspects(bytes, 1 + others[0].length, given));
      if (isOver()) return;
      state.value = ranked
        ? { at: 'done', ...ranked, runs }
        : { at: 'failed', sentence: 'The values could not be read.' };
    } catch (thrown) {
      if (!isOver()) state.value = { at: 'failed', sentence: String(thrown) };
    }
  };
  scope.add(
    effect(() => {
      for (const { trace } of sides) void trace.names.version.value;
      const isRead = sides.every(({ trace }) => trace.status.value.at === 'ready');
      // One question about the values of a trace at a time.
      const isFree = values.state.value.at === 'done' || values.state.value.at === 'failed';
      if (!isRead || !sides.every(haveValues) || !isShown()) return undefined;
      const ofSides = (['a', 'b'] as const).map((side) =>
        (further?.[side].all.value ?? []).filter(({ failure }) => failure === ''),
      );
      const all = ofSides.flat();
      const read = all.filter((run) => run.values).length;
      state.value = { at: 'working', share: read / Math.max(1, all.length) };
      if (read < all.length || !isFree) return undefined;
      const runs = (['a', 'b'] as const).flatMap((side, i): CountedRun[] => [
        { side, file: null, name: sides[i]!.trace.name },
        ...ofSides[i]!.map(({ file }) => ({ side, file, name: file.name })),
      ]);
      const [a, b] = ofSides.map((of) => of.flatMap((run) => run.values ?? []));
      let isOver = false;
      void rank([a!, b!], runs, () => isOver);
      return () => {
        isOver = true;
      };
    }),
  );
  return { state, filter: signal(''), ofValues: signal(false), dispose: scope.dispose };
}

/** The points that a row leads to: of a run that failed, if there is one, and of one that is open, if that has some. */
export function bestOf(points: readonly PointsOfRun[], runs: readonly CountedRun[]): PointsOfRun | null {
  const rank = ({ run }: PointsOfRun) => {
    const of = runs[run];
    return (of?.side === 'b' ? 0 : 2) + (of?.file ? 1 : 0);
  };
  return points.reduce<PointsOfRun | null>((best, at) => (!best || rank(at) < rank(best) ? at : best), null);
}

/** Selects the first of these points, and a point of the other open trace below it. A run that is not open takes the place of that of its side. */
export async function showRun(
  pair: Pair,
  points: readonly PointsOfRun[],
  runs: readonly CountedRun[],
  wanted: PointsOfRun,
): Promise<void> {
  const of = runs[wanted.run];
  if (!of) return;
  const other = points.find(({ run }) => runs[run]?.file === null && runs[run].side !== of.side) ?? null;
  const shown = of.file ? await openRun(pair, of.side, of.file) : pair;
  if (!shown) return;
  shown.show(shown[of.side]);
  await showPoints(shown, of.side === 'a' ? wanted : other, of.side === 'a' ? other : wanted);
}

/** Opens a run in place of the trace of its side, which becomes a further run. Resolves with the new pair once it is read; null if not. */
async function openRun(pair: Pair, side: 'a' | 'b', { file, name }: RunFile): Promise<Pair | null> {
  const before = pair[side];
  const stays = pair[side === 'a' ? 'b' : 'a'];
  const { files } = furtherRunsOf(before);
  const left: RunFile = { file: before.file, name: before.trace.name };
  files.value = files.peek().map((run) => (run.file === file ? left : run));
  const { lifted, nested, companions } = before.trace;
  const own = namesFilesOf(companions.peek());
  pair.replace(before, { file, name, companions: own, lifted, nested });
  const next = stays.pair.peek();
  if (!next) return null;
  const why = await whenRead(next[side], new AbortController().signal);
  return why === '' && stays.pair.peek() === next ? next : null;
}
