import { signal } from '@preact/signals';
import { type Opened, perTrace } from './per_trace.ts';

/** The statement of a trace whose points the user wants to see, by its name in the file; '' if that is shown already, or none is wanted. */
export const wantedStatement = perTrace((_: Opened) => signal(''));

/** Whether a name in the file is that of a statement. */
export function isStatement(own: string): boolean {
  return /^statement (\d+:)?\d+$/.test(own);
}
