/*
 * Workers for tests: what the page starts as a worker runs in the same thread, and talks to the page over a `MessageChannel`. Workers
 * share the modules of WebAssembly that they start, so each is compiled once for all tests of a file.
 */

import { MessageChannel, MessagePort as NodePort } from 'node:worker_threads';

/** What a worker's entry calls `self`. */
export interface WorkerScope {
  postMessage(message: unknown, transfer?: readonly Transferable[]): void;
  onmessage: ((event: MessageEvent) => void) | null;
}

/** The scopes of workers whose entry is still to run, by number. The entry takes its own (`tests/engine/building.ts`). */
const scopes = new Map<number, WorkerScope>();
let started = 0;

/**
 * Makes a worker's scope the `self` of this thread, until the function that it returns is called. Its entry does so as long as it runs,
 * which is without a pause. Throws if there is no worker of that number.
 */
export function enterScope(number: number): () => void {
  const scope = scopes.get(number);
  if (!scope) throw new Error(`there is no worker ${number}`);
  scopes.delete(number);
  const before = Object.getOwnPropertyDescriptor(globalThis, 'self');
  Object.defineProperty(globalThis, 'self', { configurable: true, value: scope });
  return () => {
    if (before) Object.defineProperty(globalThis, 'self', before);
    else Reflect.deleteProperty(globalThis, 'self');
  };
}

/** Files that are on their way from one side to the other, which keep their identity. */
const crossing = new Map<number, Blob>();
let crossed = 0;

/** A message in which files are numbers, as no structured clone knows the files of tests. */
function packed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Blob) {
    crossed += 1;
    crossing.set(crossed, value);
    return { crossingFile: crossed };
  }
  if (Array.isArray(value)) return value.some(isObject) ? value.map(packed) : value;
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, packed(part)]));
}

/** A message that has arrived, with its files, and with ports that carry files. Changes it in place. */
function unpacked(value: unknown): unknown {
  if (!isObject(value)) return value;
  if (value instanceof NodePort) return carryFiles(value);
  if (ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) {
    for (const [place, part] of value.entries()) if (isObject(part)) value[place] = unpacked(part);
    return value;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  const parts = value as Record<string, unknown>;
  const number = parts['crossingFile'];
  if (typeof number === 'number') {
    const file = crossing.get(number);
    crossing.delete(number);
    return file;
  }
  for (const key in parts) if (isObject(parts[key])) parts[key] = unpacked(parts[key]);
  return value;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

type Hear = ((event: MessageEvent) => void) | null;

/** A port that carries files. */
interface FilePort extends WorkerScope {
  close(): void;
}

/** Has a port carry files, and not keep the thread alive. Returns it. */
function carryFiles(port: NodePort): FilePort {
  const post = port.postMessage.bind(port);
  let hear: Hear = null;
  let isStarted = false;
  Object.defineProperties(port, {
    postMessage: { value: (message: unknown, transfer: never) => post(packed(message), transfer) },
    onmessage: {
      get: () => hear,
      set: (next: Hear) => {
        hear = next;
        // Until then messages wait in the port.
        if (!isStarted) port.on('message', (data: unknown) => hear?.({ data: unpacked(data) } as MessageEvent));
        isStarted = true;
        port.unref();
      },
    },
  });
  return port as unknown as FilePort;
}

/** Stands for the channels of a browser, whose ports carry files. */
export class FileChannel {
  readonly port1: FilePort;
  readonly port2: FilePort;

  constructor() {
    const { port1, port2 } = new MessageChannel();
    this.port1 = carryFiles(port1);
    this.port2 = carryFiles(port2);
  }
}

/** The workers that run, with their names. */
const live = new Map<EngineWorker, string>();

/** The names of the workers that run: those of their modules. */
export function liveWorkers(): readonly string[] {
  return [...live.values()];
}

/** Ends all workers, as the end of their page does. */
export function endWorkers(): void {
  for (const worker of live.keys()) worker.terminate();
}

/** What listens to a worker. */
interface Heard {
  readonly type: string;
  readonly listener: (event: object) => void;
}

/** The scripts of workers, by the address that `URL.createObjectURL` gave them. */
const scripts = new Map<string, Blob>();

/** Notes what an address of the page stands for: the script of a worker, or a file to save. */
export function noteAddress(blob: Blob): string {
  const address = `blob:engine/${scripts.size + 1}`;
  scripts.set(address, blob);
  return address;
}

/** The blob at an address that was noted; undefined if there is none. */
export function blobAt(address: string): Blob | undefined {
  return scripts.get(address.replace(/#.*/, ''));
}

/** Stands for a browser's `Worker`. It imports the module that the script of `startWorker` imports. */
export class EngineWorker {
  onerror: ((event: ErrorEvent) => void) | null = null;
  onmessageerror: ((event: MessageEvent) => void) | null = null;
  readonly #page: FilePort;
  readonly #heard: Heard[] = [];
  #hear: Hear = null;
  #isOver = false;

  constructor(script: string) {
    const { port1, port2 } = new FileChannel();
    live.set(this, script.replace(/^.*#/, ''));
    this.#page = port1;
    port1.onmessage = ({ data }) => this.dispatchEvent({ type: 'message', data });
    void this.#run(script, port2).catch((error: unknown) => {
      this.dispatchEvent({ type: 'error', message: String(error) });
    });
  }

  async #run(script: string, port: FilePort): Promise<void> {
    const code = (await blobAt(script)?.text()) ?? '';
    const [, address = ''] = /import\("([^"]+)"\)/.exec(code) ?? [];
    const { pathname } = new URL(address);
    started += 1;
    // Addresses of modules are relative to it.
    scopes.set(started, Object.assign(port, { location: globalThis.location }));
    await import(/* @vite-ignore */ `${pathname}?engine=${started}`);
  }

  get onmessage(): Hear {
    return this.#hear;
  }

  set onmessage(hear: Hear) {
    if (!this.#hear && hear) this.addEventListener('message', (event) => this.#hear?.(event as MessageEvent));
    this.#hear = hear;
  }

  postMessage(message: unknown, transfer: readonly Transferable[] = []): void {
    if (!this.#isOver) this.#page.postMessage(message, transfer);
  }

  terminate(): void {
    this.#isOver = true;
    live.delete(this);
    this.#page.close();
  }

  addEventListener(type: string, listener: (event: object) => void): void {
    this.#heard.push({ type, listener });
  }

  dispatchEvent(event: { readonly type: string; readonly data?: unknown; readonly message?: string }): void {
    if (this.#isOver) return;
    let isStopped = false;
    const given = {
      ...event,
      preventDefault: () => undefined,
      stopImmediatePropagation: () => {
        isStopped = true;
      },
    };
    for (const { type, listener } of this.#heard) if (type === event.type && !isStopped) listener(given);
    if (event.type === 'error' && !isStopped) this.onerror?.(given as unknown as ErrorEvent);
  }
}
