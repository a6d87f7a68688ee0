import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { type HitColumns, MOST_SORTED } from '../base/find_protocol.ts';
import { capitalised, formatCount, formatCounted, plural, shortened } from '../base/format.ts';
import { hexText } from '../base/hex.ts';
import type { DerivedPart, JobKinds, JobQuestion, JobReply, TrackLabel } from '../base/job_protocol.ts';
import { inTurns } from '../base/portions.ts';
import { derivedTrack, type Track } from '../base/protocol.ts';
import { type Collected, type CollectWanted, MOST_COLLECTED } from '../base/record_protocol.ts';
import { createScope, type Dispose } from '../base/scope.ts';
import type { Loops } from '../base/steps_protocol.ts';
import { watch } from '../base/watch.ts';
import type { KeptField } from './kept_fields.ts';
import { CPU, cpusKey, eachKey, eventsKey, type Lane, MOST_LANES, rowsOf } from './lanes.ts';

import { type Pointed, pointedOf } from './pointed.ts';
import { titleOf } from './query_history.ts';
import type { Selection } from './selection.ts';
import type { RowPlace, RowsAsTrack } from './sql_track.ts';
import type { Trace } from './trace.ts';
import type { KeyedTrack } from './track_keys.ts';

/** Where a track with a key stands: its share that is made, or `kept`. */
export type Keeping = { readonly at: 'making'; readonly share: number } | { readonly at: 'kept' };

/** The tracks that the user has kept, above those of the trace. They never alter the trace. */
export interface DerivedTracks {
  /** The newest first. */
  readonly tracks: ReadonlySignal<readonly KeyedTrack[]>;
  /** By what they are made from, such as {@link functionKey}. */
  readonly keeping: ReadonlySignal<ReadonlyMap<string, Keeping>>;
  /** Makes a track of all calls of a function, by its name id. Nothing happens if there is one. */
  keepFunction(name: number): void;
  /** Makes a track of the numbers or the texts of a field. `name` is the name id of the records if it belongs to one function. */
  keepField(field: KeptField, name: number): void;
  /** Makes a track of the numbers of a field for each track that the records are on: {@link eachKey}. */
  keepFieldOfEach(field: KeptField): void;
  /** Makes a track of the executions of an instruction. */
  keepAddress(address: bigint): void;
  /** Makes a track of what memory holds over time: at most 8 bytes. */
  keepMemory(address: bigint, len: number): void;
  /** Makes a track of numbers over time. Without records (tracks and locators) a click selects the record at the position. */
  keepNumbers(
    key: string,
    shown: TrackLabel,
    numbers: Pick<Collected, 'time' | 'bits'>,
    records?: Pick<Collected, 'track' | 'locator'>,
  ): void;
  /** Makes a track of the hits of a search; nothing if they are null. */
  keepHits(expression: string, hits: HitColumns | null): void;
  /** Makes a track of the rows of a query. `cut`: the result has more of them. */
  keepRows(query: string, rows: RowsAsTrack, cut: boolean): void;
  /** Makes a track of loops: {@link LOOPS}. */
  keepLoops(loops: Loops): void;
  /** Makes a track of each lane. A click on one selects the record at the position. */
  keepLanes(group: string, lanes: readonly Lane[], found: Collected): void;
  /** Makes a track per CPU with the threads that ran on it: {@link CPUS}. */
  keepCpus(): void;
  /** Makes a track of the CPUs on which a thread ran, by the track of the thread. */
  keepCpusOf(track: number): void;
  /** Makes a track of the events of a type, or with null one per type: {@link EVENTS}. */
  keepEvents(type: string | null): void;
  /** Stops making the track with this key. */
  stop(key: string): void;
  /** Removes a track. */
  remove(id: number): void;
  /** Removes the tracks that were made together. */
  removeGroup(group: string): void;
  rename(id: number, name: string): void;
  /** Selects what a place on a derived track was made from. */
  selectOrigin(place: Pointed): void;
  dispose: Dispose;
}

/** Identifies the track of a function. */
export function functionKey(name: number): string {
  return `function ${name}`;
}

/** Identifies the track of a field. */
export function fieldKey({ path, ofName, isOfTexts }: KeptField, name: number): string {
  return [isOfTexts ? 'texts' : 'field', ofName ? name : '', ...path].join(' ');
}

/** Identifies the track of an address. */
export function addressKey(address: bigint): string {
  return `address ${address}`;
}

/** Identifies the track of memory. */
export function memoryKey(address: bigint, len: number): string {
  return `memory ${address}+${len}`;
}

/** Identifies the track of the hits of a search. */
export function hitsKey(expression: string): string {
  return `hits ${expression}`;
}

/** Identifies the track of the rows of a query. */
export function rowsKey(query: string): string {
  return `rows ${query.trim()}`;
}

/** Characters of a query in the name of its track, and in its detail. */
const LONGEST_TITLE = 60;
const LONGEST_DETAIL = 300;

/** Identifies all tracks of CPUs, and all of types of events. */
export const CPUS = 'CPUs';
export const EVENTS = 'events';
/** Identifies the track of loops. */
export const LOOPS = 'loops';

type Making = typeof import('./making_lanes.ts');

const NO_NAMES = new Uint32Array();
const RUNS = { what: 'runs', key: CPU } as const;

/** The kinds of jobs that make a track. */
type Kind = { [K in keyof JobKinds]: JobKinds[K]['part'] extends DerivedPart ? K : never }[keyof JobKinds];

interface Kept {
  readonly key: string;
  /** What it was made together with, or null. */
  readonly group: string | null;
  /** What the track is named after; null if the user has named it, or it keeps its name. */
  readonly nameOf: (() => string) | null;
  readonly track: Track;
}

/** No tracks yet. `tell` shows a sentence to the user. */
export function createDerived(
  trace: Pick<Trace, 'names' | 'info' | 'begin' | 'origin' | 'removeTrack' | 'evicted' | 'records' | 'find' | 'tracks'>,
  selection: Pick<Selection, 'selected' | 'selectRecord'>,
  tell: (sentence: string) => void,
): DerivedTracks {
  const scope = createScope();
  const kept = signal<readonly Kept[]>([]);
  const tracks = signal<readonly KeyedTrack[]>([]);
  const making = signal<ReadonlyMap<string, number>>(new Map());
  const keeping = signal<ReadonlyMap<string, Keeping>>(new Map());
  let begun = 0;
  /** What stops the making of tracks, by key. */
  const stops = new Map<string, Dispose>();
  /** Of tracks of rows, by key: what the rows say about their places. Only the page knows it. */
  const rowPlaces = new Map<string, ReadonlyMap<bigint, RowPlace>>();
  /** The place whose origin was asked for last. */
  let newest: Pointed | null = null;

  scope.add(
    effect(() => {
      tracks.value = kept.value.map(({ key, track, nameOf }) => {
        const own = { ...track, madeFrom: key };
        return nameOf ? { ...own, name: nameOf() } : own;
      });
      const next = new Map<string, Keeping>([...making.value].map(([key, share]) => [key, { at: 'making', share }]));
      for (const { key, group } of kept.value) {
        next.set(key, { at: 'kept' });
        if (group !== null && !next.has(group)) next.set(group, { at: 'kept' });
      }
      keeping.value = next;
    }),
  );
  scope.add(
    watch([trace.evicted], () => {
      const gone = kept.peek().filter(({ track }) => trace.evicted.peek().includes(track.id));
      if (gone.length === 0) return;
      kept.value = kept.peek().filter((one) => !gone.includes(one));
      const [first] = gone;
      const what = gone.length === 1 ? `The kept track ${first!.track.name} was` : `${gone.length} kept tracks were`;
      tell(`${what} removed to make room in memory.`);
    }),
  );
  const setShare = (key: string, share: number | null) => {
    const next = new Map(making.peek());
    if (share === null) next.delete(key);
    else next.set(key, share);
    making.value = next;
  };
  /** Goes on once names have ids. What finds them is loaded then. */
  const withIds = async (names: readonly string[], goOn: (ids: Uint32Array) => void) => {
    if (names.length === 0) return goOn(NO_NAMES);
    try {
      const { idsOf } = await import('./ids_of_texts.ts');
      scope.add(inTurns(idsOf(trace.names, names), goOn));
    } catch (error) {
      tell(String(error));
    }
  };
  const keep = <K extends Kind>(
    key: string,
    question: JobQuestion<K>,
    nameOf: (() => string) | null,
    polish: (part: DerivedPart) => Track,
    { group = null, next = () => undefined }: { readonly group?: string | null; readonly next?: () => void } = {},
  ) => {
    if (keeping.peek().has(key)) return;
    setShare(key, 0);
    begun += 1;
    const take = (reply: JobReply<K>) => {
      if (reply.t === 'job-progress') {
        setShare(key, reply.progress.done / Math.max(1, reply.progress.of));
        return;
      }
      setShare(key, null);
      stops.delete(key);
      if (reply.t === 'job-failed') return tell(reply.error.sentence);
      const track = polish(reply.part);
      kept.value = [{ key, group, nameOf, track: { ...track, id: derivedTrack(reply.id) } }, ...kept.peek()];
      next();
    };
    stops.set(key, trace.begin(question, take, `derived ${begun}`));
  };

  /** Selects what a row is about: the slice that it names, else what is there. */
  const selectRow = async (place: Pointed, row: RowPlace | undefined) => {
    const time = place.start;
    const on = row?.track == null ? undefined : trace.tracks.peek().get(row.track);
    const exact =
      on && row?.depth != null
        ? await trace.find({ to: 'row', time, track: on.id, depth: row.depth + on.lowest })
        : null;
    const isCounted = trace.info.peek()?.clock.kind === 'ordinal';
    const found =
      exact?.start === time ? exact : isCounted ? null : await trace.find({ to: 'at', time, track: on?.id ?? null });
    if (newest !== place) return;
    if (found) {
      selection.selected.value = pointedOf(found);
      return;
    }
    // Each position of a counting axis has a record.
    const record = await trace.records.recordAt(time, on?.id ?? null);
    if (record && newest === place) selection.selectRecord(record);
  };

  /** Collects records by a pass over the file; null if that failed or was stopped. */
  const collected = async (key: string, wanted: CollectWanted): Promise<Collected | null> => {
    const at = keeping.peek().get(key)?.at;
    // Of those that are made together, some may have been removed.
    if (at === 'making' || (at === 'kept' && key !== CPUS && key !== EVENTS)) return null;
    setShare(key, 0);
    const stop = new AbortController();
    stops.set(key, () => stop.abort());
    const tellShare = (share: number) => {
      if (!stop.signal.aborted) setShare(key, share);
    };
    const answer = await trace.records.collect(wanted, tellShare, stop.signal).catch(() => null);
    if (stop.signal.aborted) return null;
    stops.delete(key);
    setShare(key, null);
    if (!answer?.value) tell(answer?.error?.sentence ?? 'The file could not be searched.');
    return answer?.value ?? null;
  };

  /** Makes a track of records. */
  const collect = async (key: string, wanted: CollectWanted, shown: TrackLabel, values: boolean) => {
    const found = await collected(key, wanted);
    if (!found) return;
    const count = found.time.length;
    if (count === 0)
      return tell(`Nothing to keep: no ${values ? 'number' : 'execution'} was found for ${shown.label}.`);
    const cut = count === MOST_COLLECTED ? ` · only the first ${formatCount(count)}` : '';
    const question = { kind: 'gather', ...shown, ...found, values, names: NO_NAMES } as const;
    keep<'gather'>(key, question, null, ({ track }) => ({
      ...track,
      noun: 'execution',
      detail: `${shown.detail}${cut}`,
    }));
  };

  /** Makes a track of each lane. The first one comes out above the others. */
  const keepLanes = (group: string | null, lanes: readonly Lane[], found: Collected) => {
    // A track that was made is above the earlier ones.
    const rest = lanes.slice(0, MOST_LANES);
    if (rest.length < lanes.length)
      tell(`Only the first ${formatCount(MOST_LANES)} of ${formatCount(lanes.length)} tracks were created.`);
    const next = () => {
      const lane = rest.pop();
      if (!lane) return;
      const { key, label, detail, noun, rows, names, ends, isOfValues: values = false } = lane;
      const ids = names ? Uint32Array.from(names, (name) => trace.names.apart(name)) : NO_NAMES;
      const question = { kind: 'gather', label, detail, ...rowsOf(found, rows, ends), values, names: ids } as const;
      const polish = ({ track, hidden }: DerivedPart) => {
        const left = hidden > 0 ? ` · ${formatCount(hidden)} more at the same time, not shown` : '';
        return { ...track, noun, detail: `${detail}${left}` };
      };
      // The user may give a name to a type of event.
      const nameOf = names || values ? null : () => trace.names.inPlaceOf(label);
      if (keeping.peek().get(key)) next();
      else keep<'gather'>(key, question, nameOf, polish, { group, next });
    };
    next();
  };

  /** Collects records, and makes a track of each lane that they have; `none` says that they have none. */
  const collectLanes = async (
    key: string,
    wanted: CollectWanted,
    group: string | null,
    lanesOf: (making: Making, found: Collected) => readonly (Lane | null)[],
    none: string,
  ) => {
    const found = await collected(key, wanted);
    if (!found) return;
    const making = await import('./making_lanes.ts').catch(() => null);
    if (!making) return tell('The part of this page that makes these tracks could not be loaded.');
    const lanes = lanesOf(making, found).filter((lane) => lane !== null);
    if (lanes.length === 0) tell(none);
    else keepLanes(group, lanes, found);
  };

  return {
    tracks,
    keeping,
    keepFunction: (name) => {
      const label = trace.names.of(name);
      const noun = trace.info.peek()?.sliceNoun ?? 'call';
      const detail = `All calls of ${label}`;
      keep(
        functionKey(name),
        { kind: 'keep', name, label, detail },
        () => trace.names.of(name),
        ({ track, hidden }) => {
          const left = hidden > 0 ? ` · ${formatCounted(hidden, 'overlapping call')} not shown` : '';
          return { ...track, noun, detail: `${detail}${left}` };
        },
      );
    },
    keepField: (field, name) => {
      const noun = plural(2, trace.info.peek()?.eventNoun ?? 'record');
      const of = trace.names.of(name);
      const names = field.ofName ? [of, trace.names.keyOf(name)].filter((text) => text !== '') : [];
      const label = field.ofName ? `${of}: ${field.label}` : field.label;
      const detail = field.ofName
        ? `${capitalised(field.label)} of all calls of ${of}`
        : `${field.label} of all ${noun}`;
      const key = fieldKey(field, name);
      const { path } = field;
      if (!field.isOfTexts) return void collect(key, { what: 'field', names, path }, { label, detail }, true);
      const lanes = (making: Making, columns: Collected) => [making.textLane(columns, key, label, detail)];
      const refusal = `Nothing to keep: no text was found for ${label}.`;
      void collectLanes(key, { what: 'texts', names, path }, null, lanes, refusal);
    },
    keepFieldOfEach: (field) => {
      const key = eachKey(field);
      const lanes = (making: Making, found: Collected) => making.valueLanes(found, field, trace.tracks.peek());
      const none = `Nothing to keep: no number was found for ${field.label}.`;
      void collectLanes(key, { what: 'field', names: [], path: field.path }, key, lanes, none);
    },
    keepAddress: (address) => {
      const label = hexText(address);
      const wanted = { what: 'address', address } as const;
      void collect(addressKey(address), wanted, { label, detail: `All executions of ${label}` }, false);
    },
    keepMemory: (address, len) => {
      const label = len === 1 ? `[${hexText(address)}]` : `[${hexText(address)}] +${len}`;
      const detail = `Value of ${formatCounted(len, 'byte')} at ${hexText(address)} after each access`;
      void collect(memoryKey(address, len), { what: 'memory', address, len }, { label, detail }, true);
    },
    keepNumbers: (key, { label, detail }, numbers, records) => {
      const { length } = numbers.time;
      const rest = {
        ...(records ?? { track: new Uint32Array(length), locator: new BigUint64Array(length) }),
        until: new BigUint64Array(),
        numbers: new Uint8Array(length),
        values: true,
        names: NO_NAMES,
      };
      if (!records) rowPlaces.set(key, new Map());
      keep<'gather'>(key, { kind: 'gather', label, detail, ...numbers, ...rest }, null, ({ track }) => ({
        ...track,
        noun: 'value',
        detail,
      }));
    },
    keepHits: (expression, hits) => {
      if (!hits) return;
      const { length } = hits.time;
      const cut = length === MOST_SORTED ? ` · only the first ${formatCount(length)}` : '';
      const none = {
        bits: new BigUint64Array(length),
        until: new BigUint64Array(),
        numbers: new Uint8Array(length),
        values: false,
        names: NO_NAMES,
      };
      const shown = { label: expression, detail: `Hits of ${expression}${cut}` };
      keep<'gather'>(hitsKey(expression), { kind: 'gather', ...shown, ...hits, ...none }, null, ({ track }) => ({
        ...track,
        noun: 'hit',
        detail: shown.detail,
      }));
    },
    keepRows: (query, { shape, places, left, names, ...columns }, cut) => {
      const { length } = columns.time;
      if (length === 0) return tell('Nothing to keep: no row has a position within the trace.');
      const label = shortened(titleOf(query), LONGEST_TITLE);
      const detail = `Rows of ${shortened(titleOf(query), LONGEST_DETAIL)}`;
      const notes = [
        cut ? ` · only the first ${formatCount(length + left)}` : '',
        left > 0 ? ` · ${formatCounted(left, 'row')} without a position omitted` : '',
      ];
      const key = rowsKey(query);
      const question = { kind: 'gather', label, detail, ...columns, values: shape === 'values' } as const;
      rowPlaces.set(key, places);
      void withIds(shape === 'slices' ? names : [], (ids) =>
        keep<'gather'>(key, { ...question, names: ids }, null, ({ track, hidden }) => {
          const over = hidden > 0 ? ` · ${formatCounted(hidden, 'overlapping row')} not shown` : '';
          return { ...track, noun: 'row', detail: `${detail}${notes.join('')}${over}` };
        }),
      );
    },
    keepLoops: (loops) => {
      const names = Array.from(loops.count, (count) => `× ${formatCount(count)}`);
      const { length } = loops.start;
      const none = {
        track: new Uint32Array(length),
        locator: new BigUint64Array(length),
        bits: new BigUint64Array(length),
        numbers: new Uint8Array(length),
        values: false,
      };
      const time = BigUint64Array.from(loops.start, BigInt);
      const until = BigUint64Array.from(loops.end, BigInt);
      const more = loops.unlisted > 0 ? ` · ${formatCount(loops.unlisted)} within them not shown` : '';
      const shown = { label: 'loops', detail: `Repeated cycles of instructions${more}` };
      // Positions say it all: a click selects the step there.
      rowPlaces.set(LOOPS, new Map());
      const question = { kind: 'gather', ...shown, ...none, time, until } as const;
      void withIds(names, (ids) =>
        keep<'gather'>(LOOPS, { ...question, names: ids }, null, ({ track, hidden }) => {
          const over = hidden > 0 ? ` · ${formatCounted(hidden, 'loop')} nested too deeply not shown` : '';
          return { ...track, noun: 'loop', detail: `${shown.detail}${over}` };
        }),
      );
    },
    keepLanes: (group, lanes, found) => {
      for (const { key } of lanes) rowPlaces.set(key, new Map());
      keepLanes(group, lanes, found);
    },
    keepCpus: () => {
      const threadOf = (track: number) => trace.tracks.peek().get(track)?.name ?? '';
      const lanes = (making: Making, found: Collected) => making.cpuLanes(found, threadOf);
      void collectLanes(CPUS, RUNS, CPUS, lanes, 'No record names a CPU.');
    },
    keepCpusOf: (track) => {
      const thread = trace.tracks.peek().get(track)?.name ?? 'the thread';
      const lanes = (making: Making, found: Collected) => [making.threadLane(found, track, thread)];
      void collectLanes(cpusKey(track), RUNS, null, lanes, 'No record of this thread names a CPU.');
    },
    keepEvents: (type) => {
      const key = type === null ? EVENTS : eventsKey(type);
      const lanes = (making: Making, found: Collected) => making.eventLanes(found, type);
      void collectLanes(key, { what: 'events' }, EVENTS, lanes, 'The trace has no custom or typed events.');
    },
    stop: (key) => {
      stops.get(key)?.();
      stops.delete(key);
      setShare(key, null);
    },
    remove: (id) => {
      const gone = kept.peek().find(({ track }) => track.id === id);
      if (gone) rowPlaces.delete(gone.key);
      kept.value = kept.peek().filter((one) => one !== gone);
      trace.removeTrack(id);
    },
    removeGroup: (group) => {
      const [gone, left] = [true, false].map((is) => kept.peek().filter((one) => (one.group === group) === is));
      kept.value = left!;
      for (const { track } of gone!) trace.removeTrack(track.id);
    },
    rename: (id, name) => {
      if (name.trim() === '') return;
      kept.value = kept
        .peek()
        .map((one) =>
          one.track.id === id ? { ...one, nameOf: null, track: { ...one.track, name: name.trim() } } : one,
        );
    },
    selectOrigin: (place) => {
      newest = place;
      const own = kept.peek().find(({ track }) => track.id === place.track);
      const places = own && rowPlaces.get(own.key);
      if (places) {
        void selectRow(place, places.get(place.start));
        return;
      }
      void trace.origin(place.track, place.start, place.item).then((origin) => {
        if (!origin || newest !== place) return;
        const { x, track, locator, found } = origin;
        // A step of an instruction may be the last of a call, but it is not the call.
        const isStep = trace.info.peek()?.clock.kind === 'ordinal';
        if (found && (!isStep || found.start === x)) selection.selected.value = pointedOf(found);
        else selection.selectRecord({ x, track, locator, name: '', fields: [], dropped: 0 });
      });
    },
    dispose: scope.dispose,
  };
}
