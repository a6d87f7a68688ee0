import { type ReadonlySignal, signal } from '@preact/signals';
import { recall, remember } from '../base/storage.ts';

const KEY = 'unspool:short-names';

const choice = signal(recall(KEY) === '1');

/** Whether functions of C++ and Rust are shown with short names. The choice lasts with the browser, and is the same for all traces. */
export const wantsShortNames: ReadonlySignal<boolean> = choice;

/** Shows short names, or full ones again, and remembers that. */
export function chooseShortNames(short: boolean): void {
  choice.value = short;
  remember(KEY, short ? '1' : '');
}

/** The title of the switch to short names, or to full ones. */
export function shortNamesTitle(short: boolean): string {
  return short ? 'Show short names of functions' : 'Show full names of functions';
}
