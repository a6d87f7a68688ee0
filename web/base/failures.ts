import { signal } from '@preact/signals';

/** What a worker posts about something thrown that should not be: its stack, or what it says. */
export interface FailedMessage {
  readonly failed: string;
}

/** Something that failed in a way that it should not: a defect, a trap of wasm, or a lack of memory. */
export interface Failure {
  /** The worker, or `page`. */
  readonly part: string;
  /** The stack, or what is known. It may have names and paths in it. */
  readonly text: string;
  /** Milliseconds since the page was opened. */
  readonly at: number;
}

/** The failures that are kept. */
const MOST = 20;

/** What has failed so far, the oldest first. */
export const failures = signal<readonly Failure[]>([]);

/** Notes a failure. Of many, those that came first are kept: the others may follow from them. */
export function noteFailure(part: string, text: string): void {
  failures.value = [...failures.peek(), { part, text, at: performance.now() }].slice(0, MOST);
}
