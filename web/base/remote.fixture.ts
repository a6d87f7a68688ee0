import { callByName, methods } from './remote.ts';

type Method<T, M extends keyof T> = Extract<T[M], (...args: never) => unknown>;

/** A call of a {@link recorded} service, which waits for its answer. */
export interface Called<T, M extends keyof T = keyof T> {
  readonly name: M;
  readonly args: Parameters<Method<T, M>>;
  answer(value: Awaited<ReturnType<Method<T, M>>>): void;
  fail(thrown: unknown): void;
}

/** A {@link Called} of any method. */
type AnyCall<T> = { [M in keyof T]: Called<T, M> }[keyof T];

/** A service that does nothing, and the calls that it has got. */
export interface Recorded<T> {
  readonly service: T;
  readonly calls: AnyCall<T>[];
  /** Names of the calls. */
  names(): readonly (keyof T)[];
  /** The newest call of a method. */
  newest<M extends keyof T>(name: M): Called<T, M>;
}

/** A service without calls. A call waits unless it is one of `own`. */
export function recorded<T extends object>(own: Partial<T> = {}): Recorded<T> {
  const calls: AnyCall<T>[] = [];
  const call = (name: string, args: readonly unknown[]) =>
    new Promise<unknown>((answer, fail) => {
      calls.push({ name, args, answer, fail } as unknown as AnyCall<T>);
      if (name in own) answer(callByName(own, name, args));
    });
  return {
    service: methods<T>(call),
    calls,
    names: () => calls.map(({ name }) => name),
    newest: <M extends keyof T>(name: M) => {
      const found = calls.findLast((it) => it.name === name);
      if (!found) throw new Error(`${String(name)} was not called`);
      return found as unknown as Called<T, M>;
    },
  };
}
