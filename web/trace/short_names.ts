import { type ReadonlySignal, signal } from '@preact/signals';

const KEY = 'unspool:short-names';

const choice = signal(storedChoice());

/** Whether functions of C++ and Rust are shown with short names. The choice lasts with the browser, and is the same for all traces. */
export const wantsShortNames: ReadonlySignal<boolean> = choice;

/** Shows short names, or full ones again, and remembers that. */
export function chooseShortNames(short: boolean): void {
  choice.value = short;
  try {
    if (short) localStorage.setItem(KEY, '1');
    else localStorage.removeItem(KEY);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
}

/** The title of the switch to short names, or to full ones. */
export function shortNamesTitle(short: boolean): string {
  return short ? 'Show short names of functions' : 'Show full names of functions';
}

function storedChoice(): boolean {
  try {
    return localStorage.getItem(KEY) === '1';
  } catch {
    return false;
  }
}
