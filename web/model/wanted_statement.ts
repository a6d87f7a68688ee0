import { type Signal, signal } from '@preact/signals';

/** The statements that the user wants to see, by trace. */
const wanted = new WeakMap<object, Signal<string>>();

/** The statement of a trace whose points the user wants to see, by its name in the file; '' if that is shown already, or none is wanted. */
export function wantedStatement(trace: object): Signal<string> {
  const known = wanted.get(trace) ?? signal('');
  wanted.set(trace, known);
  return known;
}

/** Whether a name in the file is that of a statement. */
export function isStatement(own: string): boolean {
  return /^statement (\d+:)?\d+$/.test(own);
}
