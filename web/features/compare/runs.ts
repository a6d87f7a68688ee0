import { computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import { shortened } from '../../base/format.ts';
import { createScope, type Dispose } from '../../base/scope.ts';
import { MAX_TICKS, ticks } from '../../base/ticks.ts';
import { watch } from '../../base/watch.ts';
import { furtherRunsOf, type RunFile } from '../../page/further_runs.ts';
import type { OpenTrace, Pair } from '../../timeline/open_trace.ts';
import { tracksOf } from '../../trace/statistics.ts';
import { profileOf } from './profile.ts';
import type { Profile } from './protocol.ts';
import { haveValues, namesFilesOf, valuesOf, type WholeValues, wholeValues } from './values.ts';

/** A further run of a side, as far as its figures are read. */
export interface Run {
  readonly file: RunFile;
  /** null until they are, and if they cannot be; of a trace that has values in place of functions, always. */
  readonly profile: Profile | null;
  /** What values are compared by, of a trace that has them; null until they are read, and if they cannot be. */
  readonly values: WholeValues | null;
  /** Why there are none, in a sentence; '' otherwise. */
  readonly failure: string;
}

/** The further runs of both sides. The files are read one after the other, each closed again once its figures are known. */
export interface Runs {
  readonly a: SideRuns;
  readonly b: SideRuns;
  readonly dispose: Dispose;
}

/** The further runs of one side. */
export interface SideRuns {
  readonly all: ReadonlySignal<readonly Run[]>;
  /** Those that count, in the order of their files; null while some are still being read. None while a range or a thread is chosen. */
  readonly profiles: ReadonlySignal<readonly Profile[] | null>;
  add(files: readonly RunFile[]): void;
  remove(file: RunFile): void;
}

/** Key of the figures in the ledger. */
const HELD = 'figures of further runs';

/** The further runs of two traces. */
export function createRuns(pair: Pick<Pair, 'a' | 'b' | 'openFurther' | 'endFurther'>): Runs {
  const scope = createScope();
  const controller = new AbortController();
  scope.add(() => controller.abort());
  // One file at a time: each takes the memory of a trace.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (read: () => Promise<void>) => {
    last = last.then(read, read);
  };
  const sideOf = (open: OpenTrace): SideRuns => {
    const { files } = furtherRunsOf(open);
    const { trace, statistics } = open;
    const read = signal<ReadonlyMap<RunFile, Omit<Run, 'file'>>>(new Map());
    const all = computed(() =>
      files.value.map((file): Run => ({ file, profile: null, values: null, failure: '', ...read.value.get(file) })),
    );
    const hold = () => {
      const bytes = all
        .peek()
        .reduce(
          (sum, { profile, values }) => sum + (profile ? bytesOf(profile) : 0) + (values?.bytes.byteLength ?? 0),
          0,
        );
      trace.ledger.set(HELD, { noun: HELD, bytes, free: null });
    };
    // What the run is called depends on the programs and names that the trace has.
    const named = computed(() => trace.companions.value.map(({ id }) => id).join());
    scope.add(
      watch([named], () => {
        read.value = new Map();
      }),
    );
    const asked = new Set<RunFile>();
    scope.add(
      effect(() => {
        const waiting = all.value.filter(
          ({ profile, values, failure, file }) => !profile && !values && failure === '' && !asked.has(file),
        );
        if (trace.status.value.at !== 'ready') return;
        for (const { file } of waiting) {
          asked.add(file);
          inTurn(async () => {
            const before = named.peek();
            const found = files.peek().includes(file) ? await readRun(pair, open, file, controller.signal) : null;
            asked.delete(file);
            // With other names, it is read again.
            if (found && before === named.peek()) read.value = new Map(read.peek()).set(file, found);
            else read.value = new Map(read.peek());
            hold();
          });
        }
      }),
    );
    const profiles = computed((): readonly Profile[] | null => {
      if (statistics.range.value || statistics.whose.value !== 'all') return [];
      const known = all.value.filter(({ failure }) => failure === '').map(({ profile }) => profile);
      return known.every((profile) => profile !== null) ? known : null;
    });
    return {
      all,
      profiles,
      add: (more) => {
        files.value = [...files.peek(), ...more];
      },
      remove: (file) => {
        files.value = files.peek().filter((other) => other !== file);
        hold();
      },
    };
  };
  return { a: sideOf(pair.a), b: sideOf(pair.b), dispose: scope.dispose };
}

/** Reads the figures of a run, with the companions of the trace that it stands with. Resolves with null if the comparison is over. */
async function readRun(
  pair: Pick<Pair, 'openFurther' | 'endFurther'>,
  beside: OpenTrace,
  { file, name }: RunFile,
  signal: AbortSignal,
): Promise<Omit<Run, 'file'> | null> {
  if (signal.aborted) return null;
  const { lifted, nested, companions, info } = beside.trace;
  // A write-ahead log is of one database only, and times of calls are of one recording.
  const own = namesFilesOf(companions.peek());
  const known = valuesOf(file, own);
  if (known) return { profile: null, values: known, failure: '' };
  const open = pair.openFurther({ file, name, companions: own, lifted, nested });
  const failed = (sentence: string) => ({ profile: null, values: null, failure: `${shortened(name)}: ${sentence}` });
  try {
    const why = await whenRead(open, signal);
    if (signal.aborted) return null;
    if (why !== '') return failed(why);
    const format = open.trace.info.peek();
    if (format?.format !== info.peek()?.format) {
      return failed(`It is ${format?.title}, and the open trace ${info.peek()?.title}.`);
    }
    if (haveValues(open)) {
      const values = await wholeValues(open);
      return values ? { profile: null, values, failure: '' } : failed('Its values could not be read.');
    }
    const tracks = Uint32Array.from(tracksOf(open.trace.tracks.peek().values(), 'all'), ({ id }) => id);
    const asked = { from: ticks(0n), to: MAX_TICKS, tracks };
    const found = await profileOf(open, asked, () => undefined, signal);
    return found && { profile: found.profile, values: null, failure: '' };
  } catch (thrown) {
    return failed(String(thrown));
  } finally {
    pair.endFurther(open);
  }
}

/** Resolves once a trace and its companions are read, with '' or with why that cannot be. */
export function whenRead({ trace, scope }: OpenTrace, signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    const stop = effect(() => {
      const status = trace.status.value;
      const isNamed = trace.companions.value.every(({ attachment }) => attachment !== null);
      if (status.at === 'failed') resolve(status.error.sentence);
      else if (status.at === 'choosing') resolve('It is an archive with several traces.');
      else if (status.at === 'ready' && isNamed) resolve('');
    });
    const end = () => resolve('It was closed.');
    signal.addEventListener('abort', end);
    scope.add(() => {
      stop();
      end();
    });
  });
}

function bytesOf({ names, keys, figures, function: functions, start, own }: Profile): number {
  const texts = 2 * (names.all.length + keys.all.length) + names.ends.byteLength + keys.ends.byteLength;
  return texts + figures.byteLength + functions.byteLength + start.byteLength + own.byteLength;
}
