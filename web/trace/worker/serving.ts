// Files that arrive have their methods.
import '../../base/ranged_file.ts';
import { type RemotePort, serve } from '../../base/remote.ts';
import { isTrap, sentenceOf } from './errors.ts';

/** Has the page end this worker if what was thrown is a trap, once it has the answer: the end would be faster. */
export function reportTrap(thrown: unknown): void {
  if (isTrap(thrown)) setTimeout(() => reportError(thrown));
}

/**
 * Serves an object to the other end of a port: to the page without one, from the worker's entry. The page gets what
 * `crossing` makes of what a method throws, by default a sentence. After a trap the worker ends, too.
 */
export function serveToPage<T extends object>(
  service: T,
  port: RemotePort = self as unknown as RemotePort,
  crossing: (thrown: unknown) => unknown = sentenceOf,
): void {
  serve(service, port, (thrown) => {
    reportTrap(thrown);
    return crossing(thrown);
  });
}
