import { effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { CompanionFile } from '../../base/companions.ts';
import { type GivenNames, givenNames } from '../../base/given_names.ts';
import { resultOf } from '../../base/portions.ts';
import type { Remote } from '../../base/remote.ts';
import { createScope, type Dispose } from '../../base/scope.ts';
import { ticks } from '../../base/ticks.ts';
import type { PointRange } from '../../base/values_protocol.ts';
import { alignmentOf } from '../../timeline/alignment.ts';
import type { OpenTrace, Pair } from '../../timeline/open_trace.ts';
import type { Extent } from '../../trace/view.ts';
import type { ComparedValues, Comparing } from './protocol.ts';
import type { Work } from './work.ts';

/** How far the comparison of values is. */
export type ValuesState = Work<{ readonly found: ComparedValues }>;

/** What differs between the values of two traces, in their ranges. */
export interface ValueDifferences {
  readonly state: ReadonlySignal<ValuesState>;
  /** Part of the name of a statement or a variable. */
  readonly filter: Signal<string>;
  readonly dispose: Dispose;
}

/** A trace, as far as its values are compared. */
export type ValuesSide = Pick<OpenTrace, 'trace'> & {
  readonly statistics: { readonly range: ReadonlySignal<Extent | null> };
};

/** Whether the values of traces are compared: they say what variables hold. */
export function haveValues({ trace }: Pick<OpenTrace, 'trace'>): boolean {
  return trace.info.value?.offers.includes('values') ?? false;
}

/** What values of a whole file are compared by. */
export interface WholeValues {
  readonly bytes: Uint8Array;
  /** Names that companions give to its statements. */
  readonly names: GivenNames;
}

/** A run that is opened again, in place of another one, is not read again. `by`: the companions that its names are of. */
const whole = new WeakMap<Blob, WholeValues & { readonly by: readonly Blob[] }>();

/** What the values of a whole file are compared by, if they were read before, with these companions. */
export function valuesOf(file: Blob, companions: readonly Pick<CompanionFile, 'file'>[]): WholeValues | null {
  const known = whole.get(file);
  const isSame = known?.by.length === companions.length && companions.every(({ file }) => known.by.includes(file));
  return known && isSame ? known : null;
}

/** The same of a trace that has been read, of all its points. null if that cannot be found, or was asked for again meanwhile. */
export async function wholeValues(open: Pick<OpenTrace, 'trace' | 'file'>): Promise<WholeValues | null> {
  const { trace, file } = open;
  const known = whole.get(file)?.bytes;
  const bytes = known ?? (await trace.records.aboutValues((values) => values.profile(null, () => undefined)));
  if (!bytes) return null;
  const names = await resultOf(givenNames(trace.names));
  const found = { bytes, names, by: namesFilesOf(trace.companions.peek()).map((it) => it.file) };
  whole.set(file, found);
  return found;
}

/** The companions that give names, also to further runs. */
export function namesFilesOf<Of extends Pick<CompanionFile, 'kind'>>(companions: readonly Of[]): readonly Of[] {
  return companions.filter(({ kind }) => kind === 'names' || kind === 'binary');
}

/** Compares the values of B with those of A, and again when a range or a name changes. */
export function createValueDifferences(
  sides: readonly [ValuesSide, ValuesSide],
  comparing: () => Remote<Comparing>,
): ValueDifferences {
  const scope = createScope();
  const state = signal<ValuesState>({ at: 'waiting' });
  const filter = signal('');
  const compare = async (ranges: readonly (PointRange | null)[], stop: AbortSignal) => {
    const shares = [0, 0];
    const find = ({ trace }: ValuesSide, side: number) =>
      trace.records.aboutValues((values) =>
        values.profile(ranges[side]!, (share) => {
          shares[side] = share;
          if (!stop.aborted) state.value = { at: 'working', share: (shares[0]! + shares[1]!) / 2 };
        }),
      );
    try {
      const [a, b] = await Promise.all([find(sides[0], 0), find(sides[1], 1)]);
      if (stop.aborted) return;
      const given = await Promise.all(sides.map(({ trace }) => resultOf(givenNames(trace.names))));
      if (stop.aborted) return;
      const found = a && b && (await comparing().compareValues(a, b, given.flat()));
      if (stop.aborted) return;
      state.value = found ? { at: 'done', found } : { at: 'failed', sentence: 'The values could not be read.' };
    } catch (thrown) {
      if (!stop.aborted) state.value = { at: 'failed', sentence: String(thrown) };
    }
  };
  scope.add(
    effect(() => {
      for (const { trace } of sides) void trace.names.version.value;
      const ranges = sides.map(({ statistics }) => pointsIn(statistics.range.value));
      const isRead = sides.every(({ trace }) => trace.status.value.at === 'ready');
      const isWanted = isRead && sides.every(haveValues);
      state.value = isWanted ? { at: 'working', share: 0 } : { at: 'waiting' };
      if (!isWanted) return undefined;
      const controller = new AbortController();
      void compare(ranges, controller.signal);
      return () => controller.abort();
    }),
  );
  return { state, filter, dispose: scope.dispose };
}

/** Positions of such traces are numbers of points. */
function pointsIn(range: Extent | null): PointRange | null {
  return range && { from: Number(range.from), to: Number(range.to) };
}

/** A point of a trace, by its number and the id of its track; null for whatever is at that place of the axis, such as a call. */
export interface PointOf {
  readonly point: number;
  readonly track: number | null;
}

/** Selects a point in each trace that has one, and has both stand below each other. */
export async function showPoints(pair: Pair, a: PointOf | null, b: PointOf | null): Promise<void> {
  const row = ({ trace }: OpenTrace, at: PointOf | null) =>
    at && trace.records.recordAt(ticks(BigInt(at.point)), at.track);
  const [first, second] = await Promise.all([row(pair.a, a), row(pair.b, b)]);
  if (first && second) alignmentOf(pair).align({ a: first.x, b: second.x });
  if (first) pair.a.selection.revealRecord(first);
  if (second && first) {
    pair.b.selection.selectRecord(second);
    pair.b.selection.revealRow();
  } else if (second) {
    pair.b.selection.revealRecord(second);
  }
}

/** Selects a point of one trace, which comes to the front. */
export async function showPoint(pair: Pair, side: 'a' | 'b', at: PointOf): Promise<void> {
  pair.show(pair[side]);
  await showPoints(pair, side === 'a' ? at : null, side === 'b' ? at : null);
}
