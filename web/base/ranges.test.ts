import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { isRanged, NOT_LOADED } from './ranged.ts';
import { RangedFile } from './ranged_file.ts';
import { askAhead, giveUp, loadPart, openFlow, readPart } from './ranges.ts';
import { connect, serve } from './remote.ts';

const BYTES = Uint8Array.from({ length: 400_000 }, (_, i) => i % 251);
const URL_OF = 'https://host.example/a/0';

let channels = 0;
/** `toEqual` takes seconds for so many. */
const isSame = (a: Uint8Array, b: Uint8Array) => a.length === b.length && a.every((byte, i) => byte === b[i]);
/** The ranges that were asked for. */
let asked: string[];
/** What the host does with a request, by its number. */
let answer: (request: number) => 'range' | 'silence' | 'whole' | 'gone' | 'part';

function respond(range: string): Response | null {
  asked.push(range);
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range)!;
  const what = answer(asked.length);
  if (what === 'silence') return null;
  if (what === 'gone') return new Response('', { status: 404 });
  if (what === 'whole') return new Response(BYTES, { status: 200 });
  const part = BYTES.slice(Number(from), Number(to) + 1);
  const headers = { 'content-range': `bytes ${from}-${to}/${BYTES.length}`, etag: '"1"' };
  if (what === 'range') return new Response(part, { status: 206, headers });
  let sent = false;
  const broken = new ReadableStream({
    pull: (controller) => {
      if (sent) return controller.error(new TypeError());
      sent = true;
      return controller.enqueue(part.subarray(0, part.length / 2));
    },
  });
  return new Response(broken, { status: 206, headers });
}

/** A file whose blocks no other test has. */
function file(): RangedFile {
  channels += 1;
  const ranges = { url: URL_OF, total: BYTES.length, tag: '"1"', channel: `test ${channels}` };
  return new RangedFile(ranges, 'a.xray', 7);
}

beforeEach(() => {
  asked = [];
  answer = () => 'range';
  vi.stubGlobal('origin', 'https://host.example');
  vi.stubGlobal('fetch', async (_: string, { headers }: { headers: [string, string][] }) => {
    expect(headers).toContainEqual(['If-Range', '"1"']);
    const response = respond(new Map(headers).get('Range')!);
    if (!response) throw new TypeError('Failed to fetch');
    return response;
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

it('is a file, with slices as a Blob has them', async () => {
  const whole = file();
  expect(isRanged(whole)).toBe(true);
  expect(await whole.slice(10, 20).bytes()).toEqual(BYTES.slice(10, 20));
  expect(await whole.slice(-5).bytes()).toEqual(BYTES.slice(-5));
  expect(await whole.slice(100, 200).slice(-10, -2).bytes()).toEqual(BYTES.slice(190, 198));
  expect([whole.slice(5, 2).size, whole.slice(1e9).size, (await whole.slice(5, 5).bytes()).length]).toEqual([0, 0, 0]);
  expect(asked).toEqual(['bytes=10-19', 'bytes=399995-399999', 'bytes=190-197']);
  expect(isSame(new Uint8Array(await new Response(whole.stream()).arrayBuffer()), BYTES)).toBe(true);
});

it('has its methods in another thread, however deep in a message', async () => {
  const { port1, port2 } = new MessageChannel();
  const heard: Blob[] = [];
  serve(
    {
      open: (what: { readonly file: Blob; readonly others: readonly { file: Blob }[] }, hear: (file: Blob) => void) => {
        heard.push(what.file, what.others[1]!.file);
        hear(what.file.slice(1, 3));
      },
    },
    port1,
  );
  type Service = { open(what: object, hear: (file: Blob) => void): void };
  const { remote } = connect<Service>(port2);
  const back = await new Promise<Blob>((resolve) => {
    void remote.open({ file: file(), others: [{ file: new Blob() }, { file: file() }] }, resolve);
  });
  expect([...heard, back].map((it) => it instanceof RangedFile)).toEqual([true, true, true]);
  expect(new Uint8Array(await back.arrayBuffer())).toEqual(BYTES.slice(1, 3));
  port1.close();
});

it('tries twice, and then says who does not answer', async () => {
  answer = (request) => (request === 1 ? 'silence' : 'range');
  expect(new Uint8Array(await loadPart(file().slice(0, 4)))).toEqual(BYTES.slice(0, 4));
  expect(asked.length).toBe(2);
  answer = () => 'silence';
  const lost = loadPart(file().slice(0, 4));
  await expect(lost).rejects.toMatchObject({ name: NOT_LOADED, message: 'host.example does not answer any more.' });
  expect(asked.length).toBe(4);
});

it('does not take the bytes of another version, nor try again for a file that is gone', async () => {
  answer = () => 'whole';
  await expect(loadPart(file().slice(0, 4))).rejects.toThrow('has changed since it was opened');
  answer = () => 'gone';
  await expect(loadPart(file().slice(0, 4))).rejects.toThrow('no longer at host.example');
  expect(asked.length).toBe(2);
});

it('goes on with a flow that breaks off where it was, and waits for a host that is silent until it is told to go on', async () => {
  const whole = file();
  const flow = openFlow(whole, 100);
  answer = (request) => (request === 1 ? 'part' : request < 4 ? 'silence' : 'range');
  const page = new BroadcastChannel(whole.ranges.channel);
  const waits = new Promise<{ waits: string; bytes: number }>((resolve) => {
    page.onmessage = ({ data }: MessageEvent) => data.waits !== '' && resolve(data);
  });
  const read = flow.next(BYTES.length);
  expect(await waits).toMatchObject({ waits: expect.stringContaining('host.example does not answer'), bytes: 199_950 });
  page.postMessage('go on');
  expect(isSame(await read, BYTES.slice(100))).toBe(true);
  expect(asked).toEqual(['bytes=100-399999', ...Array(3).fill('bytes=200050-399999')]);
  expect((await flow.next(10)).length).toBe(0);
  flow.close();
  page.close();
});

it('asks ahead once', async () => {
  const whole = file();
  askAhead(whole);
  expect(asked).toEqual(['bytes=0-399999']);
  const flow = openFlow(whole, 0);
  expect(await flow.next(5)).toEqual(BYTES.slice(0, 5));
  expect(await openFlow(whole, 0).next(5)).toEqual(BYTES.slice(0, 5));
  expect(asked.length).toBe(2);
});

it('keeps blocks that were read synchronously, and reads ahead in a scan', () => {
  vi.stubGlobal(
    'XMLHttpRequest',
    class {
      response: ArrayBuffer | null = null;
      status = 0;
      #range = '';
      open() {}
      setRequestHeader(name: string, value: string) {
        if (name === 'Range') this.#range = value;
      }
      getResponseHeader = (name: string) => (name === 'etag' ? '"1"' : null);
      send() {
        const [, from, to] = /(\d+)-(\d+)/.exec(this.#range)!;
        asked.push(this.#range);
        if (answer(asked.length) === 'silence') throw new TypeError();
        this.status = 206;
        this.response = BYTES.slice(Number(from), Number(to) + 1).buffer;
      }
    },
  );
  const whole = file();
  const read = (from: number, to: number) => new Uint8Array(readPart(whole.slice(from, to)));
  expect(read(10, 20)).toEqual(BYTES.slice(10, 20));
  expect(read(100_000, 100_010)).toEqual(BYTES.slice(100_000, 100_010));
  expect(asked).toEqual(['bytes=0-131071']);
  expect(read(131_070, 131_080)).toEqual(BYTES.slice(131_070, 131_080));
  expect(read(399_990, 399_999)).toEqual(BYTES.slice(399_990, 399_999));
  expect(read(300_000, 300_001)).toEqual(BYTES.slice(300_000, 300_001));
  const before = asked.length;
  expect(isSame(read(0, 400_000), BYTES)).toBe(true);
  expect(asked.length).toBe(before);
  answer = () => 'silence';
  const other = file();
  expect(() => readPart(other.slice(0, 1))).toThrow('host.example does not answer any more.');
  expect(asked.length).toBe(before + 2);
});

it('ends waits when the user gives up', async () => {
  answer = () => 'silence';
  const whole = file();
  const flow = openFlow(whole, 0);
  const page = new BroadcastChannel(whole.ranges.channel);
  const waits = new Promise((resolve) => {
    page.onmessage = ({ data }: MessageEvent) => data.waits !== '' && resolve(data);
  });
  const read = flow.next(1);
  await waits;
  giveUp();
  await expect(read).rejects.toMatchObject({ name: 'AbortError' });
  page.close();
});
