import { type RemotePort, serve } from '../base/remote.ts';
import { isTrap, sentenceOf } from './errors.ts';

/**
 * Serves an object to the other end of a port: to the page without one, from the worker's entry. The page gets a sentence for
 * what a method throws. After a trap the worker ends, too.
 */
export function serveToPage<T extends object>(service: T, port: RemotePort = self as unknown as RemotePort): void {
  serve(service, port, (thrown) => {
    // After the sentence, which the end of the worker would be faster than.
    if (isTrap(thrown)) queueMicrotask(() => reportError(thrown));
    return sentenceOf(thrown);
  });
}
