import { signal } from '@preact/signals';
import { type Opened, perTrace } from './per_trace.ts';

/** The name of the variable that the user wants to see; '' if none is wanted, or once the panel shows it. */
export const wantedVariable = perTrace((_: Opened) => signal(''));
