/* A {@link ReplayGpu} in another thread: each question is a message, and so is its answer. */

import { transferables } from '../transfer.ts';
import type { ReplayGpu } from './gpu.ts';

type Method = Exclude<keyof ReplayGpu, 'interrupt' | 'onportion'>;
/** A question. Answers come in the order of the questions. */
interface Asked {
  readonly method: Method | 'interrupt';
  readonly args: readonly unknown[];
}
type Answered = { readonly value: unknown } | { readonly thrown: unknown } | 'portion';

/** All of them: a type has no list. */
const METHODS: Readonly<Record<Method, true>> = {
  end: true,
  renderer: true,
  reset: true,
  watch: true,
  run: true,
  copy: true,
  putBack: true,
  drop: true,
  colors: true,
  small: true,
  depths: true,
  counted: true,
  touches: true,
  failures: true,
};

/** What asks through a port. Typed arrays of questions and answers change hands: they are not copied. */
export function gpuBehind(port: MessagePort): ReplayGpu {
  const waiting: { resolve(value: unknown): void; reject(thrown: unknown): void }[] = [];
  port.onmessage = ({ data }: MessageEvent<Answered>) => {
    if (data === 'portion') return gpu.onportion?.();
    const first = waiting.shift();
    if ('thrown' in data) first?.reject(data.thrown);
    else first?.resolve(data.value);
  };
  const asking =
    (method: Method) =>
    (...args: unknown[]) =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        port.postMessage({ method, args } satisfies Asked, transferables(args));
      });
  const methods = Object.keys(METHODS) as Method[];
  const asked = Object.fromEntries(methods.map((method) => [method, asking(method)])) as unknown as Pick<
    ReplayGpu,
    Method
  >;
  let runs = 0;
  const gpu: ReplayGpu = {
    ...asked,
    run: (...args) => {
      runs += 1;
      return asked.run(...args);
    },
    onportion: null,
    interrupt: () => port.postMessage({ method: 'interrupt', args: [runs] } satisfies Asked),
  };
  return gpu;
}

/** Answers what comes through a port, one question after the other; interrupts at once. */
export function serveGpu(gpu: ReplayGpu, port: MessagePort): void {
  let last: Promise<void> = Promise.resolve();
  const answer = async (method: Method, args: readonly unknown[]): Promise<void> => {
    const ask = gpu[method] as (...args: readonly unknown[]) => Promise<unknown>;
    const answered: Answered = await ask(...args).then(
      (value) => ({ value }),
      (thrown) => ({ thrown }),
    );
    port.postMessage(answered, transferables(answered));
  };
  gpu.onportion = () => port.postMessage('portion' satisfies Answered);
  port.onmessage = ({ data: { method, args } }: MessageEvent<Asked>) => {
    if (method === 'interrupt') gpu.interrupt(args[0] as number);
    else last = last.then(() => answer(method, args));
  };
}
