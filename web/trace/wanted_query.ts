import { signal } from '@preact/signals';
import { type Opened, perTrace } from './per_trace.ts';

/** The SQL query of a trace that the user wants to run; '' if none is wanted, or once the panel has it. */
export const wantedQuery = perTrace((_: Opened) => signal(''));

/** Whether a text is the beginning of an SQL query rather than words to look for. */
export function isSql(text: string): boolean {
  return /^\s*(select|with)\s+\S/i.test(text);
}
