import type { OtherNames } from '../../worker/wasm/unspool_browser.js';
import { loadSymbols } from './symbols.ts';

/** Time in which names stay as they are, as a multiple of the time that shortening took: more names come while a file is read. */
const REST = 20;

/** The part of a session that short names need. */
export interface Named {
  functionTexts(): string;
  withFunctionTexts(shortTexts: string): OtherNames | undefined;
}

/** The short names of functions that companions name. */
export interface ShortNames {
  /** Whether the page shows them. */
  want(isWanted: boolean): void;
  /** Names have changed. */
  changed(): void;
}

/**
 * Short names, of no trace yet. `run` calls something with the session. `tell` says whether there are any, and which if the page wants
 * them. The rule is in the module that has read the companions, so it is loaded by now.
 */
export function createShortNames(
  run: <T>(work: (session: Named) => T) => T | null,
  tell: (isOffered: boolean, names: OtherNames | null) => void,
  load: () => Promise<Pick<typeof import('../../worker/wasm/unspool_symbols.js'), 'shortNames'>> = loadSymbols,
): ShortNames {
  let isWanted = false;
  let hasNames = false;
  let isDue = false;
  let dueAt = 0;
  let isOffered = false;
  /** The short texts of the functions as they are named now; null if there are none, or if they are not known. */
  let texts: string | null = null;
  const say = () => {
    const short = texts;
    const names = short !== null && isWanted ? run((session) => session.withFunctionTexts(short)) : null;
    tell(isOffered, names ?? null);
  };
  const shorten = async () => {
    try {
      const { shortNames } = await load();
      // Another one was waiting for the module, too.
      if (!isDue) return;
      isDue = false;
      const began = performance.now();
      texts = shortNames(run((session) => session.functionTexts()) ?? '') ?? null;
      isOffered = texts !== null;
      say();
      dueAt = performance.now() + REST * (performance.now() - began);
    } catch {
      isOffered = false;
      tell(false, null);
    }
  };
  return {
    want: (isNowWanted) => {
      if (isNowWanted === isWanted) return;
      isWanted = isNowWanted;
      if (!hasNames) return;
      if (!isWanted || !isDue) return say();
      // They are not waited for.
      void shorten();
    },
    changed: () => {
      hasNames = true;
      texts = null;
      if (isDue) return;
      isDue = true;
      setTimeout(() => void shorten(), dueAt - performance.now());
    },
  };
}
