import type { FailedMessage } from '../../base/failures.ts';
import { ONE_FILE } from '../../base/one_file.ts';
import type { TraceError } from '../../base/protocol.ts';
import { NOT_LOADED } from '../../base/ranged.ts';

/** What a person reads when the file cannot be read. WebKit reads no file in a worker of a page from a disk. */
export const UNREADABLE = ONE_FILE
  ? 'The file cannot be read: it was changed, moved or deleted after it was opened, or this browser reads no files for a page from a disk, as Chromium and Firefox do.'
  : 'The file cannot be read any more: it was changed, moved or deleted after it was opened.';

/** The error for a `part` of the page (a noun phrase, capitalised) that did not load. */
export function notLoaded(part: string): TraceError {
  return { kind: 'crashed', sentence: `${part} could not be loaded. Reload the page to try again.`, offset: null };
}

/**
 * Anything that was thrown as a {@link TraceError}. A `DOMException` is a failed read of the file; any other error that
 * is not a {@link TraceError} is a wasm trap or a defect.
 */
export function asTraceError(error: unknown): TraceError {
  if (isTraceError(error)) {
    if (error.kind === 'crashed' || error.kind === 'memory') tellPage(`${error.kind}: ${error.sentence}`);
    return error;
  }
  if (error instanceof DOMException) {
    const sentence = error.name === NOT_LOADED ? error.message : UNREADABLE;
    return { kind: 'unreadable', sentence, offset: null };
  }
  const reason = error instanceof Error ? error.message : String(error);
  tellPage((error instanceof Error && error.stack) || reason);
  // A stack that overflows is a `RangeError`, too. An access out of bounds is a defect of a wasm module.
  const memory = /memory|allocation failed|array (buffer )?length/i.test(reason) && !/out of bounds/i.test(reason);
  return memory
    ? { kind: 'memory', sentence: 'This trace needs more memory than the browser gives a tab.', offset: null }
    : {
        kind: 'crashed',
        sentence: `The reader of this file stopped unexpectedly (${reason}). The page itself is fine.`,
        offset: null,
      };
}

/** Tells the page, which notes it for a report, what should not have been thrown. */
function tellPage(failed: string): void {
  // Tests run on the page's side.
  if ('WorkerGlobalScope' in globalThis) self.postMessage({ failed } satisfies FailedMessage);
}

/** The sentence for anything that was thrown. Wasm modules throw sentences. */
export function sentenceOf(thrown: unknown): string {
  return typeof thrown === 'string' ? thrown : asTraceError(thrown).sentence;
}

/** Whether something thrown is an error of the engine, after which the session is intact. */
export function isTraceError(error: unknown): error is TraceError {
  return typeof error === 'object' && error !== null && 'kind' in error && 'sentence' in error;
}

/**
 * Whether something thrown is a wasm trap or a defect, after which the memory of the module is unreliable. Its kind does not
 * tell: a misuse that the engine noticed is `crashed`, too. A sentence is neither.
 */
export function isTrap(error: unknown): boolean {
  return typeof error !== 'string' && !isTraceError(error) && !(error instanceof DOMException);
}
