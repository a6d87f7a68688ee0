/*
 * A typed object in another thread. One side has an object with methods and serves it on a port (`serve`). The other has a
 * `Remote` of the same type (`connect`), whose methods return promises.
 *
 * - A function among the arguments is called in the thread that passed it: progress, parts of an answer. So are the methods of
 *   an object of functions.
 * - An `AbortSignal` among the arguments aborts one in the other thread.
 * - A method that returns an async iterable is a stream: its next item is made when it is asked for, so a reader that is slow
 *   holds the writer up.
 * - Typed arrays of answers change hands. Those of arguments are copied unless they are given away (`give`). Ports change hands.
 *
 * Calls are made in the order of their messages and answered in any.
 */

import { transferables } from './transfer.ts';

/** The part of a `Worker` or `MessagePort` that is used. Tests substitute their own. */
export interface RemotePort {
  postMessage(message: unknown, transfer: Transferable[]): void;
  onmessage: ((event: MessageEvent) => void) | null;
}

/** A {@link RemotePort} that can end: a worker. */
export interface RemoteWorker extends RemotePort {
  terminate(): void;
  onerror: ((event: ErrorEvent) => void) | null;
  onmessageerror: ((event: MessageEvent) => void) | null;
}

/** The other side of a `T`: what methods return comes in a promise, and what they iterate over, one by one. */
export type Remote<T> = {
  readonly [M in keyof T]: T[M] extends (...args: infer A) => AsyncIterable<infer Item>
    ? (...args: A) => AsyncIterable<Item>
    : T[M] extends (...args: infer A) => infer Answer
      ? (...args: A) => Promise<Awaited<Answer>>
      : never;
};

/** A {@link Remote} and the end of it. */
export interface Connection<T> {
  readonly remote: Remote<T>;
  /** Rejects all calls without an answer, and those to come, with `reason`. */
  close(reason: unknown): void;
}

/** To the side that serves. */
type Question =
  | {
      readonly id: number;
      readonly call: string;
      /** Functions, objects of functions and signals are null here. */
      readonly args: readonly unknown[];
      /** Which of the arguments are functions. */
      readonly functions: readonly number[];
      /** Which of the arguments are objects of functions. */
      readonly objects: readonly number[];
      /** Which argument is the signal; -1 without one. */
      readonly signal: number;
    }
  | { readonly id: number; readonly go: 'abort' | 'next' | 'return' };

/** To the side that asks. */
type Reply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly thrown: unknown }
  /** The next item of a stream. */
  | { readonly id: number; readonly item: unknown }
  /** The function among the arguments at place `to` is called, or with a name a method of the object there. */
  | { readonly id: number; readonly to: number; readonly name: string | null; readonly args: readonly unknown[] };

/** Gives what arrives back what crossing took from it. */
let revive = <T>(message: T): T => message;

/** Has all messages that arrive in this thread changed by a function first. */
export function reviveBy(change: <T>(message: T) => T): void {
  revive = change;
}

const given = new WeakSet<ArrayBuffer>();

/** Marks the typed arrays in an argument to be moved with the next call instead of copied. Returns the argument. */
export function give<T>(value: T): T {
  for (const buffer of transferables(value)) given.add(buffer);
  return value;
}

/** What the arguments of a call move: ports, and what was given away. */
function moved(args: readonly unknown[]): Transferable[] {
  const buffers = transferables(args).filter((buffer) => given.has(buffer));
  return [...buffers, ...args.filter((arg) => arg instanceof MessagePort)];
}

/** A call that has no answer yet. */
interface Waiting {
  readonly args: readonly unknown[];
  resolve(value: unknown): void;
  reject(reason: unknown): void;
  /** For a stream: the one who waits for its next item. */
  item: ((item: IteratorResult<unknown, undefined>) => void) | null;
}

/** Asks the object that is served at the other end of a port. It takes over `onmessage`. */
export function connect<T extends object>(port: RemotePort): Connection<T> {
  const waiting = new Map<number, Waiting>();
  let asked = 0;
  let closed: { readonly reason: unknown } | null = null;

  port.onmessage = ({ data }: MessageEvent<Reply>) => {
    const call = waiting.get(data.id);
    if (!call) return;
    if ('to' in data) {
      const to = call.args[data.to] as object & ((...args: readonly unknown[]) => void);
      const args = revive(data.args);
      if (data.name === null) to(...args);
      else callByName(to, data.name, args);
    } else if ('item' in data) call.item?.({ done: false, value: data.item });
    else {
      waiting.delete(data.id);
      if ('thrown' in data) call.reject(data.thrown);
      else call.resolve(data.value);
    }
  };

  const ask = (name: string, args: readonly unknown[]) => {
    const id = asked;
    asked += 1;
    const say = (what: 'abort' | 'next' | 'return') => {
      if (waiting.has(id)) port.postMessage({ id, go: what } satisfies Question, []);
    };
    const signal = args.findIndex((arg) => arg instanceof AbortSignal);
    const stop = args[signal] as AbortSignal | undefined;
    const abort = () => say('abort');
    const answer = new Promise<unknown>((resolve, reject) => {
      if (closed) {
        reject(closed.reason);
        return;
      }
      const functions = placesOf(args, (arg) => typeof arg === 'function');
      const objects = placesOf(args, hasFunctions);
      const here = [signal, ...functions, ...objects];
      const plain = args.map((arg, place) => (here.includes(place) ? null : arg));
      waiting.set(id, { args, resolve, reject, item: null });
      port.postMessage({ id, call: name, args: plain, functions, objects, signal } satisfies Question, moved(plain));
      if (stop?.aborted) abort();
      else stop?.addEventListener('abort', abort, { once: true });
    });
    // A reader of the stream gets the error from its iteration.
    answer.finally(() => stop?.removeEventListener('abort', abort)).catch(() => undefined);
    const next = () =>
      new Promise<IteratorResult<unknown, undefined>>((resolve, reject) => {
        answer.then(() => resolve({ done: true, value: undefined }), reject);
        const call = waiting.get(id);
        if (call) call.item = resolve;
        say('next');
      });
    const end = async (): Promise<IteratorResult<unknown, undefined>> => {
      say('return');
      return { done: true, value: undefined };
    };
    return Object.assign(answer, { [Symbol.asyncIterator]: () => ({ next, return: end }) });
  };

  return {
    remote: methods<Remote<T>>(ask),
    close: (reason) => {
      closed ??= { reason };
      for (const { reject } of waiting.values()) reject(reason);
      waiting.clear();
    },
  };
}

/**
 * An object whose methods go through `call`, which gets the name of each and its arguments. Those of `own` are called as they
 * are.
 */
export function methods<T extends object>(
  call: (name: string, args: readonly unknown[]) => unknown,
  own: Partial<T> = {},
): T {
  const made = { ...own } as Record<string, unknown>;
  return new Proxy(made, {
    get: (_, name) => {
      // What is awaited is not a promise.
      if (typeof name !== 'string' || name === 'then') return undefined;
      made[name] ??= (...args: readonly unknown[]) => call(name, args);
      return made[name];
    },
  }) as T;
}

/** Calls a method of an object by its name. Returns undefined if it has none. */
export function callByName(object: object, name: string, args: readonly unknown[]): unknown {
  return (object as Readonly<Record<string, (...args: readonly unknown[]) => unknown>>)[name]?.(...args);
}

/**
 * Serves an object to the other end of a port. It takes over `onmessage`. `thrownBy` makes what crosses of what a method threw:
 * as it is by default.
 */
export function serve<T extends object>(
  service: T,
  port: RemotePort,
  thrownBy: (thrown: unknown) => unknown = (thrown) => thrown,
): void {
  const running = new Map<number, { readonly stop: AbortController; items: AsyncIterator<unknown> | null }>();
  const post = (reply: Reply) => port.postMessage(reply, transferables(reply));
  const end = (id: number, reply: Reply) => {
    if (running.delete(id)) post(reply);
  };
  const fail = (id: number) => (thrown: unknown) => end(id, { id, thrown: thrownBy(thrown) });

  const call = async (asked: Extract<Question, { readonly call: string }>) => {
    const { id, functions, objects, signal } = asked;
    const stop = new AbortController();
    const state = { stop, items: null as AsyncIterator<unknown> | null };
    running.set(id, state);
    const args = revive(asked.args).map((arg, place) => {
      const back = (name: string | null, values: readonly unknown[]) => {
        if (running.has(id)) post({ id, to: place, name, args: values });
      };
      if (place === signal) return stop.signal;
      if (functions.includes(place)) return (...values: readonly unknown[]) => back(null, values);
      return objects.includes(place) ? methods(back) : arg;
    });
    const answer = callByName(service, asked.call, args);
    if (isStream(answer)) state.items = answer[Symbol.asyncIterator]();
    else end(id, { id, value: await answer });
  };
  const next = async (id: number, items: AsyncIterator<unknown>) => {
    const { done, value } = await items.next();
    if (done) end(id, { id, value: undefined });
    else if (running.has(id)) post({ id, item: value });
  };

  port.onmessage = ({ data }: MessageEvent<Question>) => {
    const { id } = data;
    if ('call' in data) {
      call(data).catch(fail(id));
      return;
    }
    const state = running.get(id);
    if (data.go === 'abort') state?.stop.abort();
    else if (state?.items && data.go === 'next') next(id, state.items).catch(fail(id));
    else if (state?.items) {
      void state.items.return?.().then(undefined, () => undefined);
      end(id, { id, value: undefined });
    }
  };
}

function placesOf(args: readonly unknown[], is: (arg: unknown) => boolean): readonly number[] {
  return args.flatMap((arg, place) => (is(arg) ? [place] : []));
}

/** Whether something is a plain object that begins with a function. */
function hasFunctions(arg: unknown): boolean {
  if (typeof arg !== 'object' || arg === null || Object.getPrototypeOf(arg) !== Object.prototype) return false;
  for (const name in arg) return typeof Reflect.get(arg, name) === 'function';
  return false;
}

function isStream(answer: unknown): answer is AsyncIterable<unknown> {
  return typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer;
}
