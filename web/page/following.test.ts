import { signal } from '@preact/signals';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { formatBytes } from '../base/format.ts';
import type { OpenTrace } from '../timeline/open_trace.ts';
import type { TraceFile } from '../trace/trace.ts';
import { becameOf, follow, lookAt } from './following.ts';
import type { Opener } from './opener.ts';
import type { FileHandle } from './recent.ts';

/** A file of this many bytes, which are `byte` from the offset `from` on. */
function file(size: number, from = size, byte = 1): File {
  return new File([Uint8Array.from({ length: size }, (_, i) => (i < from ? i % 251 : byte))], 'a.trace');
}

/** What has become of a file of 200 kB. */
const became = async (now: File) => becameOf(await lookAt(file(200_000)), now);

it('tells what has become of a file by its size, its first bytes and the last ones that were read', async () => {
  expect(await became(file(200_000))).toBe('grown');
  expect(await became(file(300_000))).toBe('grown');
  expect(await became(file(300_000, 200_000))).toBe('grown');
  expect(await became(file(300_000, 199_999))).toBe('rewritten');
  expect(await became(file(200_000, 150_000))).toBe('rewritten');
  expect(await became(file(100_000))).toBe('shrunk');
  expect(await became(file(0))).toBe('rotated');
  expect(await became(file(100_000, 0))).toBe('rotated');
  expect(await became(file(300_000, 0))).toBe('replaced');
});

it('knows a writer that fills in the beginning at the end', async () => {
  const bytes = new Uint8Array(await file(300_000).arrayBuffer());
  bytes.fill(0xff, 32, 48);
  expect(await became(new File([bytes], 'a.trace'))).toBe('completed');
});

it('tells small files apart, too', async () => {
  const small = (text: string) => new File([text], 'a.trace');
  const of = async (before: string, now: string) => becameOf(await lookAt(small(before)), small(now));
  expect(await of('', 'anything')).toBe('grown');
  expect(await of('head', 'head and more')).toBe('grown');
  expect(await of('head', 'other')).toBe('completed');
  const long = 'x'.repeat(100);
  expect(await of(long, `${long}y`)).toBe('grown');
  expect(await of(long, `${long.slice(0, 99)}yz`)).toBe('rewritten');
});

describe('a file that is followed', () => {
  const whole = file(200_000);
  let now: File;
  /** How often the file was looked for. */
  let looks: number;
  let hear: (() => void) | null;
  let grown: (number | null)[];
  let told: string[];
  let stop: () => void;
  let log: File;
  const disk = {
    again: async (of: Blob) => {
      looks += 1;
      return (of as File).name.endsWith('-wal') ? log : now;
    },
    handleOf: () => ({}) as FileHandle,
  };

  /** Follows this file from now on. */
  const begin = (opened: File) => {
    const trace = {
      name: 'a.trace',
      companions: signal([]),
      status: signal({ at: 'loading' }),
      info: signal({ offers: [] }),
      follows: signal(true),
      grow: (found: File | null) => grown.push(found?.size ?? null),
    };
    stop = follow(
      { trace, file: opened } as unknown as OpenTrace,
      disk,
      ({ sentence }) => told.push(sentence),
      {} as Opener,
    );
  };
  /** Becomes another file, and is looked at. */
  const becomes = async (next: File) => {
    now = next;
    await pass(300);
  };
  /** Lets time pass, and files be read. */
  const pass = async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms);
    for (let i = 0; i < 50; i += 1) await new Promise((resolve) => setImmediate(resolve));
  };

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    now = whole;
    [looks, hear, grown, told] = [0, null, [], []];
  });
  afterEach(() => {
    stop();
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });

  it('is read on while it grows, and no longer once it is another one', async () => {
    begin(whole);
    await becomes(file(300_000));
    await becomes(file(400_000));
    expect(grown).toEqual([300_000, 400_000]);
    await becomes(file(1000, 0));
    await becomes(file(2000, 0));
    expect(grown).toEqual([300_000, 400_000, null]);
    expect(told).toEqual([
      'a.trace was rotated: its writer has begun a new file. It is no longer followed. What was read before is kept.',
    ]);
  });

  it('has shrunk, even if the browser does not read what was opened any more', async () => {
    class Gone extends File {
      override slice(): Blob {
        return { arrayBuffer: () => Promise.reject(new DOMException('', 'NotReadableError')) } as Blob;
      }
    }
    begin(new Gone([await whole.arrayBuffer()], 'a.trace'));
    await becomes(file(199_000));
    expect(told).toEqual([
      `a.trace has shrunk by ${formatBytes(1000)}. It is no longer followed. What was read before is kept.`,
    ]);
    expect(grown).toEqual([null]);
  });

  it('is looked at sooner where the browser tells of a change', async () => {
    let isObserved = true;
    vi.stubGlobal(
      'FileSystemObserver',
      class {
        constructor(callback: () => void) {
          hear = callback;
        }
        observe = async () => undefined;
        disconnect = () => {
          isObserved = false;
        };
      },
    );
    begin(whole);
    now = file(300_000);
    for (let i = 0; i < 10; i += 1) hear?.();
    await pass(50);
    expect([looks, grown]).toEqual([1, [300_000]]);
    stop();
    expect(isObserved).toBe(false);
  });

  it('is opened again if it is a database, once neither it nor its log changes any more', async () => {
    const opened: File[] = [];
    const replace = (_: OpenTrace, { companions }: TraceFile) => opened.push(companions![0]!.file as File);
    log = new File(['one'], 'a.sqlite-wal');
    const trace = {
      name: 'a.sqlite',
      companions: signal([{ id: 1, kind: 'wal', name: log.name, file: log }]),
      status: signal({ at: 'ready', how: 'complete' }),
      info: signal({ offers: ['sql'] }),
      follows: signal(true),
      grow: () => undefined,
    };
    const opener = { pair: signal({ replace }) } as unknown as Opener;
    stop = follow({ trace, file: whole } as unknown as OpenTrace, disk, ({ sentence }) => told.push(sentence), opener);
    await pass(300);
    log = new File(['one and two'], 'a.sqlite-wal');
    await pass(250);
    expect(opened).toEqual([]);
    await pass(250);
    expect(opened).toEqual([log]);
  });

  it('is looked at without an observer, and with one that does not observe', async () => {
    begin(whole);
    await becomes(file(300_000));
    stop();
    vi.stubGlobal(
      'FileSystemObserver',
      class {
        observe = () => Promise.reject(new DOMException('', 'NotSupportedError'));
        disconnect = () => undefined;
      },
    );
    begin(now);
    await becomes(file(400_000));
    expect(grown).toEqual([300_000, 400_000]);
  });
});
