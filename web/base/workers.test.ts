import { resolveObjectURL } from 'node:buffer';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { failures } from './failures.ts';
import { sourceOf, startWorker } from './workers.ts';

it('allows the one origin of an address', () => {
  const base = 'https://host.example/a/b/?url=x';
  const sources = [
    ['samples/threads.xray', 'https://host.example'],
    ['https://other.example:8080/trace', 'https://other.example:8080'],
    ['http://[::1]/trace', 'http:'],
    ['http://a,b/trace', ''],
    ['http://*/', ''],
    ['https://*.example/trace', ''],
    ['blob:https://host.example/1-2', 'blob:'],
    ['data:,x', 'data:'],
    ['file:///etc/hosts', ''],
    ['javascript:1', ''],
    ['http://[', ''],
  ] as const;
  for (const [address, source] of sources) expect(sourceOf(address, base), address).toBe(source);
});

describe('a worker', () => {
  let name = '';
  let script = '';
  class FakeWorker extends EventTarget {
    constructor(url: string, options: WorkerOptions) {
      super();
      name = options.name ?? '';
      script = url;
    }
    terminate(): void {}
  }
  let granted: () => void = () => undefined;
  const start = async (isShared = true): Promise<{ worker: Worker; heard: unknown[]; errors: string[] }> => {
    granted = () => undefined;
    vi.stubGlobal('location', { href: 'https://host.example/a/', origin: 'https://host.example' });
    vi.stubGlobal('Worker', FakeWorker);
    vi.stubGlobal(
      'ErrorEvent',
      class extends Event {
        readonly message: string;
        constructor(type: string, init: { message: string }) {
          super(type, { cancelable: true });
          this.message = init.message;
        }
      },
    );
    vi.stubGlobal('navigator', {
      locks: {
        query: async () => ({ held: isShared ? [{ name }] : [] }),
        request: (_name: string, grant: () => void) => {
          granted = grant;
        },
      },
    });
    const worker = startWorker('./assets/worker-1.js');
    const heard: unknown[] = [];
    const errors: string[] = [];
    worker.addEventListener('message', (event) => heard.push((event as MessageEvent).data));
    worker.addEventListener('error', (event) => errors.push((event as ErrorEvent).message));
    worker.dispatchEvent(new MessageEvent('message', { data: 'unspool:alive' }));
    worker.dispatchEvent(new MessageEvent('message', { data: 'reply' }));
    await Promise.resolve();
    return { worker, heard, errors };
  };
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it('hears messages once its module is there, and keeps none of them', async () => {
    await start();
    const code = (await resolveObjectURL(script.replace(/#.*/, ''))?.text()) ?? '';
    const worker = new EventTarget();
    const heard: unknown[] = [];
    let load: () => void = () => undefined;
    const module = new Promise<void>((resolve) => {
      load = resolve;
    });
    const methods = ['addEventListener', 'removeEventListener', 'dispatchEvent'] as const;
    const run = new Function(...methods, 'navigator', 'load', `${code.replace('import(', 'load(')};return q`);
    const kept: unknown[] = run(...methods.map((method) => worker[method].bind(worker)), {}, () => module);
    worker.addEventListener('message', (event) => heard.push((event as MessageEvent).data));
    worker.dispatchEvent(new MessageEvent('message', { data: 1 }));
    worker.dispatchEvent(new MessageEvent('message', { data: 2 }));
    expect([heard, kept.length]).toEqual([[], 2]);
    load();
    await vi.waitFor(() => expect(heard).toEqual([1, 2]));
    worker.dispatchEvent(new MessageEvent('message', { data: 3 }));
    expect([heard, kept.length]).toEqual([[1, 2, 3], 0]);
  });

  it('gets an error when it ends by itself', async () => {
    const { heard, errors } = await start();
    expect([heard, errors]).toEqual([['reply'], []]);
    granted();
    expect(errors).toEqual(['the browser ended it']);
  });

  it('gets none when it is terminated', async () => {
    const { worker, errors } = await start();
    worker.terminate();
    granted();
    expect(errors).toEqual([]);
  });

  it('gets none where it shares no locks with the page', async () => {
    const { errors } = await start(false);
    granted();
    expect(errors).toEqual([]);
  });

  it('has its failures noted, and does not pass them on', async () => {
    failures.value = [];
    const { worker, heard } = await start();
    worker.dispatchEvent(new MessageEvent('message', { data: { failed: 'RuntimeError: unreachable' } }));
    granted();
    worker.dispatchEvent(new MessageEvent('messageerror'));
    expect(heard).toEqual(['reply']);
    expect(failures.value.map(({ part, text }) => `${part}: ${text}`)).toEqual([
      'worker: RuntimeError: unreachable',
      'worker: the browser ended it',
      'worker: a message could not be read',
    ]);
    for (let i = 0; i < 100; i += 1) worker.dispatchEvent(new MessageEvent('messageerror'));
    expect(failures.value).toHaveLength(20);
    failures.value = [];
  });

  it('must be a module of the page', async () => {
    await start();
    expect(() => startWorker('https://other.example/worker.js')).toThrow('not a module of the page');
  });
});
