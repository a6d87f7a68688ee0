import type { PageHistory } from '../timeline/visits.ts';

/** How long the browser has to go to an entry. If it has forgotten the entry, it goes nowhere and says nothing. */
const PATIENCE_MS = 500;

/** The state of an entry: which trace of which page it belongs to, and its number. */
interface Entry {
  readonly trace: string;
  readonly entry: number;
}

/** The history of the browser's tab. The address of the page stays as it is. It lives as long as the page. */
export function createPageHistory(window: Window): PageHistory {
  const { history } = window;
  let trace = '';
  let show: ((entry: number) => void) | null = null;
  /** Entries to add once the browser is back at the first entry; null if it is. */
  let waiting: number[] | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const push = (entry: number) => write(() => history.pushState({ trace, entry } satisfies Entry, ''));
  const settle = () => {
    clearTimeout(timer);
    const late = waiting ?? [];
    waiting = null;
    write(() => history.replaceState({ trace, entry: 0 } satisfies Entry, ''));
    for (const entry of late) push(entry);
  };
  window.addEventListener('popstate', ({ state }) => {
    if (waiting) return settle();
    const now = entryIn(state);
    if (now && (now.trace === trace || now.entry === 0)) show?.(now.entry);
    // The next entries may be left over from a trace that this one has replaced.
    else if (now) history.go(-now.entry);
  });
  return {
    begin: (next) => {
      // Distinguishes traces of this page and those from before it was reloaded.
      trace = `${performance.timeOrigin + performance.now()}`;
      show = next;
      const entry = entryIn(history.state)?.entry ?? 0;
      // The browser may still be on the way back for a trace that was replaced at once.
      if (waiting) waiting = [];
      else if (entry > 0) {
        waiting = [];
        history.go(-entry);
        timer = setTimeout(settle, PATIENCE_MS);
      } else settle();
      return () => {
        if (show === next) show = null;
      };
    },
    push: (entry) => {
      if (waiting) waiting.push(entry);
      else push(entry);
    },
    go: (by) => history.go(by),
  };
}

function entryIn(state: unknown): Entry | null {
  if (typeof state !== 'object' || state === null) return null;
  const { trace, entry } = state as Partial<Entry>;
  return typeof trace === 'string' && Number.isSafeInteger(entry) ? (state as Entry) : null;
}

/** Browsers refuse too many entries at once, which then are missing. */
function write(change: () => void): void {
  try {
    change();
  } catch {
    // Going back skips the place.
  }
}
