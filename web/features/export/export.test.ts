import { signal } from '@preact/signals';
import { describe, expect, it, vi } from 'vitest';
import type { CutJob, ExportJob, Writer } from '../../base/export_protocol.ts';
import type { TraceInfo, Track } from '../../base/protocol.ts';
import { connect, serve } from '../../base/remote.ts';
import { ticks } from '../../base/ticks.ts';
import type { TraceService } from '../../base/trace_protocol.ts';
import { workerOf } from '../../base/worker.fixture.ts';
import type { Sink } from '../../trace/save_file.ts';
import { createExports, EXPORT_FORMATS, type ExportedTrace, lackOfPart, ownFormat, unpackedName } from './export.ts';

const track = (id: number, more: Partial<Track>): Track =>
  ({ id, parent: -1, kind: 'thread', name: `t${id}`, slices: 1, overlapping: false, ...more }) as Track;

const exportRows = vi.fn(async (_: Uint8Array) => new Uint8Array(3));

function traceOf(): ExportedTrace {
  const tracks = [track(0, { kind: 'lane' }), track(1, { thread: 7 }), track(2, { overlapping: true })];
  return {
    name: 'a.xray',
    info: signal({ title: 'XRay', format: 'xray', offers: [] }),
    tracks: signal(new Map(tracks.map((it) => [it.id, it]))),
    content: signal(null),
    recordSource: {
      index: async () => new Uint8Array(7),
      share: (port: MessagePort) => {
        serve({ exportRows }, port);
        return new Promise(() => undefined);
      },
    },
  } as unknown as ExportedTrace;
}

type Job = ExportJob | CutJob;

/** A worker that writes four bytes of two rows, which it asks for unless it writes a stretch. `tells` are its reports. */
function writer(tells: readonly number[] = []) {
  const jobs: Job[] = [];
  const got: Uint8Array[] = [];
  const worker = workerOf<Writer<Job>>({
    write: async function* (job, port, tell) {
      jobs.push(job);
      for (const share of tells) tell(share);
      if ('format' in job) got.push((await connect<TraceService>(port).remote.exportRows(new Uint8Array([7])))!);
      if (!job.preview) yield { bytes: new Uint8Array(4), done: 1, rows: 2 };
    },
    result: () => ({ rows: 2, cleaned: CLEANED, head: HEAD, stopped: '' }),
  });
  return { jobs, got, worker };
}

/** A worker whose stream is another. */
const writes = (write: Writer<Job>['write']) =>
  workerOf<Writer<Job>>({ write, result: () => ({ rows: 0, cleaned: CLEANED }) });

function sinkOf() {
  const told: string[] = [];
  const sink: Sink = {
    overwrite: async (head) => void told.push(`head ${head.length}`),
    write: async (bytes) => void told.push(`write ${bytes.length}`),
    close: async () => void told.push('close'),
    abort: async () => void told.push('abort'),
  };
  return { sink, told };
}

const CLEANED = { found: [0, 1, 0, 0], examples: [{ of: 'paths', before: '/a', after: '' }] } as const;
const HEAD = new Uint8Array(2);
const WHOLE = { range: null, track: null };
const format = (id: string) => EXPORT_FORMATS.find((it) => it.id === id)!;

describe('an export', () => {
  it('passes rows to its worker and bytes to the file', async () => {
    const { jobs, got, worker } = writer();
    const { sink, told } = sinkOf();
    const trace = traceOf();
    const exports = createExports(trace, () => worker);
    await exports.run(format('perfetto'), WHOLE, 'a.pftrace', async () => sink);
    expect(told).toEqual(['write 4', 'head 2', 'close']);
    expect(exports.state.value).toEqual({ at: 'done', rows: 2, bytes: 4, name: 'a.pftrace', stopped: '' });
    expect(exportRows).toHaveBeenCalledWith(new Uint8Array([7]));
    expect(got).toEqual([new Uint8Array(3)]);
    expect(worker.isEnded()).toBe(true);
    const [job] = jobs;
    expect(job).toMatchObject({ format: 'perfetto', name: 'a.xray', range: null, args: null });
    expect(job && 'wanted' in job && [...job.wanted]).toEqual([0, 1, 2]);
  });

  it('reads the file itself for a part of it, and hashes what is chosen', async () => {
    const all: ReturnType<typeof writer>[] = [];
    const spawn = vi.fn(() => {
      all.push(writer());
      return all.at(-1)!.worker;
    });
    const file = new Blob(['x']);
    const exports = createExports({ ...traceOf(), content: signal(file) }, spawn);
    exports.choices.value = { ...exports.choices.value, paths: 'hash', payloads: 'omit' };
    const own = ownFormat('XRay FDR 5', 'a.xray');
    const range = { from: ticks(3n), to: ticks(7n) };
    await exports.run(own, { range, track: 1 }, 'a', async () => sinkOf().sink);
    expect(spawn).toHaveBeenCalledWith('stretch');
    const job = all[0]!.jobs[0]!;
    expect(job).toMatchObject({ file, ...range, preview: false });
    expect([...job.clean.choices]).toEqual([0, 1, 0, 2, 0]);
    expect(await exports.preview(own, WHOLE)).toEqual(CLEANED);
    expect(all[1]!.jobs[0]).toMatchObject({ from: 0n, to: (1n << 64n) - 1n, preview: true });
    expect(own.ending).toBe('.xray');
    expect(['a.xray.gz', 'a.tar.ZST', '.gz', 'a.trace'].map(unpackedName)).toEqual([
      'a.xray',
      'a.tar',
      '.gz',
      'a.trace',
    ]);
  });

  it('has the arguments of calls, unless they are not wanted or the trace has none', async () => {
    let shares: number[] = [];
    const begin = async (more: Partial<ExportedTrace>, id: string, wanted = true) => {
      const { jobs, worker } = writer([0.5]);
      const trace = { ...traceOf(), content: signal(new Blob(['x'])), ...more };
      const exports = createExports(trace, () => worker);
      exports.args.value = wanted;
      shares = [];
      exports.state.subscribe((state) => state.at === 'running' && shares.push(state.share));
      await exports.run(format(id), WHOLE, 'a', async () => sinkOf().sink);
      const [job] = jobs;
      const args = job && 'args' in job ? job.args : undefined;
      return args && [args.format, args.index.length];
    };
    expect(await begin({}, 'chrome')).toEqual(['xray', 7]);
    expect(shares).toEqual([0, 0.25, 0.75]);
    expect(await begin({}, 'chrome', false)).toBe(null);
    expect(await begin({}, 'csv')).toBe(null);
    const steps = signal({ ...traceOf().info.value!, offers: ['state'] });
    expect(await begin({ info: steps } as Partial<ExportedTrace>, 'perfetto')).toBe(null);
  });

  it('takes one file at a time, from the moment that one is asked for', async () => {
    const exports = createExports(traceOf(), () => writer().worker);
    let choose: (sink: Sink | null) => void = () => undefined;
    const open = vi.fn(() => new Promise<Sink | null>((resolve) => (choose = resolve)));
    const first = exports.run(format('csv'), WHOLE, 'a', open);
    await exports.run(format('csv'), WHOLE, 'b', open);
    expect(open).toHaveBeenCalledTimes(1);
    choose(null);
    await first;
    void exports.run(format('csv'), WHOLE, 'c', open);
    expect(open).toHaveBeenCalledTimes(2);
  });

  it('takes the threads for stacks', async () => {
    const { jobs, worker } = writer();
    await createExports(traceOf(), () => worker).run(format('folded'), WHOLE, 'a', async () => sinkOf().sink);
    const [job] = jobs;
    expect(job && 'wanted' in job && [...job.wanted]).toEqual([1]);
  });

  it('says why it failed, and throws away what it wrote', async () => {
    const { sink, told } = sinkOf();
    const exports = createExports(traceOf(), () =>
      writes(() => {
        throw 'No.';
      }),
    );
    await exports.run(format('csv'), WHOLE, 'a', async () => sink);
    expect(exports.state.value).toEqual({ at: 'failed', sentence: 'No.' });
    expect(told).toEqual(['abort']);
    await exports.run(format('speedscope'), { range: null, track: 2 }, 'a', async () => sink);
    expect(exports.state.value).toEqual({ at: 'failed', sentence: 'There are no call stacks to export.' });
  });

  it('ends its worker when it is cancelled, and can begin again', async () => {
    const begun = vi.fn();
    const worker = writes(async function* () {
      begun();
      await new Promise(() => undefined);
    });
    const { sink, told } = sinkOf();
    const exports = createExports(traceOf(), () => worker);
    const running = exports.run(format('csv'), WHOLE, 'a', async () => sink);
    await vi.waitFor(() => expect(begun).toHaveBeenCalled());
    exports.cancel();
    await running;
    expect([worker.isEnded(), told, exports.state.value.at]).toEqual([true, ['abort'], 'idle']);
    await exports.run(format('csv'), WHOLE, 'a', async () => null);
    expect(exports.state.value.at).toBe('idle');
  });

  it('says why its worker ended, and that the trace has none', async () => {
    const dying = writes(async function* () {
      queueMicrotask(() => dying.onerror?.({ preventDefault: () => undefined, message: 'no memory' } as ErrorEvent));
      await new Promise(() => undefined);
    });
    const exports = createExports(traceOf(), () => dying);
    await exports.run(format('csv'), WHOLE, 'a', async () => sinkOf().sink);
    expect(exports.state.value).toEqual({ at: 'failed', sentence: 'The export stopped (no memory).' });
    const ended = traceOf();
    const source = { ...ended.recordSource, share: async () => undefined };
    const gone = createExports({ ...ended, recordSource: source }, () => writer().worker);
    await gone.run(format('csv'), WHOLE, 'a', async () => sinkOf().sink);
    expect(gone.state.value).toEqual({ at: 'failed', sentence: 'The reader of this trace has stopped.' });
  });
});

describe('the hint of a part', () => {
  const range = { from: ticks(3n), to: ticks(9n) };
  const hint = (offers: TraceInfo['offers'], of: typeof range | null) =>
    lackOfPart({ offers } as TraceInfo, { range: of, track: null });

  it('says what the part lacks, unless it has the open calls or is the whole trace', () => {
    expect(hint(['stretches', 'callStacks'], range)).toBe(
      'A part has no state from before it, and no calls that enclose it.',
    );
    expect(hint(['stretches', 'openCalls', 'callStacks'], range)).toBeNull();
    expect(hint(['stretches', 'callStacks'], null)).toBeNull();
  });
});
