import { describe, expect, it } from 'vitest';
import { isRanged } from '../base/ranged.ts';
import { type Address, addressOf, download, LARGEST_DOWNLOAD, type Net } from './download.ts';

const BASE = 'https://page.example/unspool/';
const ADDRESS: Address = { url: 'https://host.example/a.xray', host: 'host.example', name: 'a.xray' };

const net = (response: () => Promise<Response>, online = true): Net => ({ base: BASE, online, fetch: response });
const run = (response: () => Promise<Response>, online = true, signal = new AbortController().signal) =>
  download(ADDRESS, net(response, online), signal, () => undefined);
const body = (chunks: readonly Uint8Array[], end: (controller: ReadableStreamDefaultController) => void) =>
  new ReadableStream({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk);
      end(controller);
    },
  });

describe('an address', () => {
  it('is absolute, or relative to the page', () => {
    expect(addressOf('samples/a%20b.xray?x=1', BASE)).toEqual({
      url: 'https://page.example/unspool/samples/a%20b.xray?x=1',
      host: 'page.example',
      name: 'a b.xray',
    });
    expect(addressOf('https://h.example/', BASE).name).toBe('trace');
    expect(addressOf('data:,abc', BASE).name).toBe('trace');
  });

  it('may have a name that is not encoded', () => {
    expect(addressOf('https://h.example/100%25zz', BASE).name).toBe('100%zz');
    expect(addressOf('https://h.example/100%zz', BASE).name).toBe('100%zz');
  });

  it('is refused in words', () => {
    const sentence = (text: string) => {
      try {
        addressOf(text, BASE);
      } catch (error) {
        return (error as { sentence: string }).sentence;
      }
      return '';
    };
    expect(sentence('http://[')).toBe('“http://[” is not an address.');
    expect(sentence('http://*/')).toBe('“http://*/” is not an address: * is not a host.');
    expect(sentence('http://[::1]:8080/a')).toBe('');
    expect(sentence('file:///etc/passwd')).toContain('Open the file instead');
    expect(sentence('ftp://h.example/a')).toContain('begin with ftp: cannot be downloaded');
    expect(sentence('javascript:alert(1)')).toContain('begin with javascript: cannot be downloaded');
  });
});

describe('a download', () => {
  it('tells how much has arrived', async () => {
    const told: unknown[] = [];
    const chunks = [new Uint8Array(2), new Uint8Array(3)];
    const response = new Response(
      body(chunks, (it) => it.close()),
      { headers: { 'content-length': '5' } },
    );
    const blob = await download(
      ADDRESS,
      net(async () => response),
      new AbortController().signal,
      (...now) => {
        told.push(now);
      },
    );
    expect(blob.size).toBe(5);
    expect(told).toEqual([
      [2, 5],
      [5, 5],
    ]);
  });

  it('says what went wrong', async () => {
    const fails = async () => {
      throw new TypeError('Failed to fetch');
    };
    await expect(run(fails)).rejects.toMatchObject({ sentence: expect.stringContaining('(CORS)') });
    await expect(run(fails, false)).rejects.toMatchObject({ sentence: expect.stringContaining('is offline') });
    await expect(run(async () => new Response('', { status: 404 }))).rejects.toMatchObject({
      sentence: 'host.example answered with status 404 instead of the file.',
    });
    const broken = async () => new Response(body([new Uint8Array(7)], (it) => it.error(new TypeError('decoding'))));
    await expect(run(broken)).rejects.toMatchObject({
      sentence: expect.stringMatching(/^The download from host.example stopped/),
    });
  });

  it('ends with its signal', async () => {
    const controller = new AbortController();
    const waiting = run(
      async () =>
        new Response(
          body([new Uint8Array(7)], (it) =>
            controller.signal.addEventListener('abort', () => it.error(controller.signal.reason)),
          ),
        ),
      true,
      controller.signal,
    );
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('ends where a server does not', async () => {
    const large = { byteLength: LARGEST_DOWNLOAD + 1, buffer: new ArrayBuffer(0) } as unknown as Uint8Array;
    const endless = async () =>
      ({ ok: true, headers: new Headers(), body: body([large], () => undefined) }) as Response;
    await expect(run(endless)).rejects.toMatchObject({ sentence: expect.stringContaining('is larger than 16.0') });
  });
});

describe('a host with ranges', () => {
  const large = 5 << 20;
  /** A host that answers `Range` with a status and headers. */
  const host = (status: number, headers: Record<string, string>, refusesHeader = false) => {
    const asked: (string | undefined)[] = [];
    const fetched: Net['fetch'] = async (_, init) => {
      const range = init.headers?.['Range'];
      asked.push(range);
      if (range && refusesHeader) throw new TypeError('Failed to fetch');
      return range ? new Response('abc', { status, headers }) : new Response('plain');
    };
    return { asked, fetched };
  };
  const get = async ({ fetched }: ReturnType<typeof host>, address = ADDRESS) =>
    download(address, { base: BASE, online: true, fetch: fetched }, new AbortController().signal, () => undefined);
  const range = (total: number) => ({ 'content-range': `bytes 0-${total - 1}/${total}`, etag: '"v1"' });

  it('gives a file that loads what is read', async () => {
    const file = await get(host(206, range(large)));
    expect(isRanged(file) && [file.ranges.url, file.size, file.ranges.tag]).toEqual([ADDRESS.url, large, '"v1"']);
    const weak = await get(host(206, { ...range(large), etag: 'W/"v1"' }));
    expect(isRanged(weak) && weak.ranges.tag).toBe(null);
  });

  it('is read as a whole if that is small, packed on the way, or tells no size', async () => {
    for (const headers of [range(100), { ...range(large), 'content-encoding': 'gzip' }, {}]) {
      const file = await get(host(206, headers));
      expect([isRanged(file), await file.text()]).toEqual([false, 'abc']);
    }
    expect(await (await get(host(200, {}))).text()).toBe('abc');
  });

  it('is asked without ranges if it does not allow them to be asked for, or has none of an empty file', async () => {
    const shy = host(206, {}, true);
    expect(await (await get(shy)).text()).toBe('plain');
    expect(shy.asked).toEqual(['bytes=0-', undefined]);
    expect(await (await get(host(416, {}))).text()).toBe('plain');
    const data = host(206, range(large));
    await get(data, { ...ADDRESS, url: 'data:,abc' });
    expect(data.asked).toEqual([undefined]);
  });
});
