import { signal } from '@preact/signals';
import { describe, expect, it, vi } from 'vitest';
import type { FromExport, ToCut, ToExport } from '../base/export_protocol.ts';
import type { Track } from '../base/protocol.ts';
import { ticks } from '../base/ticks.ts';
import {
  createExports,
  EXPORT_FORMATS,
  type ExportedTrace,
  type ExportPort,
  ownFormat,
  unpackedName,
} from './export.ts';
import type { Sink } from './save_file.ts';

const track = (id: number, more: Partial<Track>): Track =>
  ({ id, parent: -1, kind: 'thread', name: `t${id}`, slices: 1, overlapping: false, ...more }) as Track;

function traceOf(): ExportedTrace {
  const tracks = [track(0, { kind: 'lane' }), track(1, { thread: 7 }), track(2, { overlapping: true })];
  return {
    name: 'a.xray',
    info: signal({ title: 'XRay', format: 'xray', offers: [] }),
    tracks: signal(new Map(tracks.map((it) => [it.id, it]))),
    content: signal(null),
    recordSource: { index: async () => new Uint8Array(7) },
    exportRows: vi.fn(async () => new Uint8Array(3)),
  } as unknown as ExportedTrace;
}

class Fake implements ExportPort {
  onmessage: ((event: MessageEvent<FromExport>) => void) | null = null;
  onerror: ((event: ErrorEvent) => void) | null = null;
  onmessageerror: ((event: MessageEvent) => void) | null = null;
  readonly got: (ToExport | ToCut)[] = [];
  ended = false;
  private readonly answer: (message: ToExport | ToCut) => FromExport | null;
  constructor(answer: (message: ToExport | ToCut) => FromExport | null) {
    this.answer = answer;
  }
  postMessage(message: ToExport | ToCut): void {
    this.got.push(message);
    const answer = this.answer(message);
    if (answer) queueMicrotask(() => this.onmessage?.({ data: answer } as MessageEvent<FromExport>));
  }
  terminate(): void {
    this.ended = true;
  }
}

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
const answers: Record<(ToExport | ToCut)['t'], FromExport> = {
  cut: { t: 'bytes', bytes: new Uint8Array(4), done: 1, rows: 2 },
  begin: { t: 'want', ask: new Uint8Array([7]) },
  rows: { t: 'bytes', bytes: new Uint8Array(4), done: 1, rows: 2 },
  go: { t: 'done', rows: 2, cleaned: CLEANED, head: HEAD, stopped: '' },
};
const WHOLE = { range: null, track: null };
const format = (id: string) => EXPORT_FORMATS.find((it) => it.id === id)!;

describe('an export', () => {
  it('passes rows to its worker and bytes to the file', async () => {
    const port = new Fake((message) => answers[message.t]);
    const { sink, told } = sinkOf();
    const trace = traceOf();
    const exports = createExports(trace, () => port);
    await exports.run(format('perfetto'), WHOLE, 'a.pftrace', async () => sink);
    expect(told).toEqual(['write 4', 'head 2', 'close']);
    expect(exports.state.value).toEqual({ at: 'done', rows: 2, bytes: 4, name: 'a.pftrace', stopped: '' });
    expect(port.got.map(({ t }) => t)).toEqual(['begin', 'rows', 'go']);
    expect(trace.exportRows).toHaveBeenCalledWith(new Uint8Array([7]));
    expect(port.got[1]).toEqual({ t: 'rows', rows: new Uint8Array(3) });
    expect(port.ended).toBe(true);
    const [begin] = port.got;
    expect(begin).toMatchObject({ format: 'perfetto', name: 'a.xray', range: null, args: null });
    expect(begin?.t === 'begin' && [...begin.wanted]).toEqual([0, 1, 2]);
  });

  it('reads the file itself for a stretch of it, and hashes what is chosen', async () => {
    const port = new Fake((message) => answers[message.t]);
    const spawn = vi.fn(() => port);
    const file = new Blob(['x']);
    const exports = createExports({ ...traceOf(), content: signal(file) }, spawn);
    exports.choices.value = { ...exports.choices.value, paths: 'hash', payloads: 'omit' };
    const own = ownFormat('XRay FDR 5', 'a.xray');
    const range = { from: ticks(3n), to: ticks(7n) };
    await exports.run(own, { range, track: 1 }, 'a', async () => sinkOf().sink);
    expect(spawn).toHaveBeenCalledWith('stretch');
    expect(port.got[0]).toMatchObject({ t: 'cut', file, ...range, preview: false });
    const [begin] = port.got;
    expect(begin?.t === 'cut' && [...begin.clean.choices]).toEqual([0, 1, 0, 2, 0]);
    expect(await exports.preview(own, WHOLE)).toEqual(CLEANED);
    expect(port.got.at(-2)).toMatchObject({ t: 'cut', from: 0n, to: (1n << 64n) - 1n, preview: true });
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
      const port = new Fake((message) => (message.t === 'begin' ? { t: 'reading', share: 0.5 } : answers[message.t]));
      const trace = { ...traceOf(), content: signal(new Blob(['x'])), ...more };
      const exports = createExports(trace, () => port);
      exports.args.value = wanted;
      shares = [];
      exports.state.subscribe((state) => state.at === 'running' && shares.push(state.share));
      const running = exports.run(format(id), WHOLE, 'a', async () => sinkOf().sink);
      // The beginning, and what the worker reports of its reading.
      await vi.waitFor(() => expect(shares.length).toBe(2));
      port.onmessage?.({ data: answers.begin } as MessageEvent<FromExport>);
      await running;
      const [first] = port.got;
      const args = first?.t === 'begin' ? first.args : undefined;
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
    const exports = createExports(traceOf(), () => new Fake((message) => answers[message.t]));
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
    const port = new Fake((message) => answers[message.t]);
    await createExports(traceOf(), () => port).run(format('folded'), WHOLE, 'a', async () => sinkOf().sink);
    const [begin] = port.got;
    expect(begin?.t === 'begin' && [...begin.wanted]).toEqual([1]);
  });

  it('says why it failed, and throws away what it wrote', async () => {
    const { sink, told } = sinkOf();
    const exports = createExports(traceOf(), () => new Fake(() => ({ t: 'failed', sentence: 'No.' })));
    await exports.run(format('csv'), WHOLE, 'a', async () => sink);
    expect(exports.state.value).toEqual({ at: 'failed', sentence: 'No.' });
    expect(told).toEqual(['abort']);
    await exports.run(format('speedscope'), { range: null, track: 2 }, 'a', async () => sink);
    expect(exports.state.value).toEqual({ at: 'failed', sentence: 'There are no call stacks to export.' });
  });

  it('ends its worker when it is cancelled, and can begin again', async () => {
    const port = new Fake(() => null);
    const { sink, told } = sinkOf();
    const exports = createExports(traceOf(), () => port);
    const running = exports.run(format('csv'), WHOLE, 'a', async () => sink);
    await vi.waitFor(() => expect(port.got.length).toBe(1));
    exports.cancel();
    await running;
    expect([port.ended, told, exports.state.value.at]).toEqual([true, ['abort'], 'idle']);
    await exports.run(format('csv'), WHOLE, 'a', async () => null);
    expect(exports.state.value.at).toBe('idle');
  });
});
