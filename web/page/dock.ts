import { effect, type Signal, signal } from '@preact/signals';

/** The state of the dock below the timeline. */
export interface Dock {
  readonly open: Signal<boolean>;
  /** CSS pixels, at least {@link LEAST_HEIGHT}. */
  readonly height: Signal<number>;
  /** Ids of the panels that the user brought to the front, by the trace's format. */
  readonly front: Signal<Readonly<Record<string, string>>>;
  /** The view of the Calls panel that the user brought to the front, by the trace's format. */
  readonly calls: Signal<Readonly<Record<string, string>>>;
  /** The id of the pane about the selection that the user brought to the front, for traces that have it. It is not stored. */
  readonly pane: Signal<string>;
}

/** The id of the pane that every trace has. */
export const DETAILS = 'details';

/** The id of the panel of results. */
export const RESULTS = 'results';
/** The ids of the panels of SQL and of variables. */
export const SQL_PANEL = 'query';
export const VARIABLES = 'variables';
/** CSS pixels of the lowest dock. */
export const LEAST_HEIGHT = 120;
/** CSS pixels of the dock until the user drags it. */
export const FIRST_HEIGHT = 300;
/** CSS pixels of the smallest window in which the dock starts open. */
const ROOMY = { width: 1000, height: 760 };
const KEY = 'unspool:dock';

/** The dock as stored in this browser, or else open if the window has room. Changes are stored. */
export function createDock(window: { innerWidth: number; innerHeight: number }): Dock {
  const roomy = window.innerWidth >= ROOMY.width && window.innerHeight >= ROOMY.height;
  const left = remembered();
  const open = signal(left.open ?? roomy);
  const height = signal(Math.max(LEAST_HEIGHT, left.height ?? FIRST_HEIGHT));
  const front = signal(left.front ?? {});
  const calls = signal(left.calls ?? {});
  // The effect lives as long as the page. It skips the first run: defaults depend on the window and are not stored.
  let first = true;
  effect(() => {
    const state = JSON.stringify({ open: open.value, height: height.value, front: front.value, calls: calls.value });
    if (first) {
      first = false;
      return;
    }
    try {
      localStorage.setItem(KEY, state);
    } catch {
      // Without storage the state lasts as long as the page.
    }
  });
  return { open, height, front, calls, pane: signal(DETAILS) };
}

/** Opens the dock with a panel in front, for traces of a format. Does nothing before the format is known. */
export function bringToFront({ open, front }: Dock, format: string | undefined, panel: string): void {
  if (format === undefined) return;
  open.value = true;
  front.value = { ...front.peek(), [format]: panel };
}

interface Remembered {
  readonly open?: boolean;
  readonly height?: number;
  readonly front?: Record<string, string>;
  readonly calls?: Record<string, string>;
}

function remembered(): Remembered {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    if (typeof stored !== 'object' || stored === null) return {};
    const { open, height, front, calls } = stored as Record<string, unknown>;
    return {
      ...(typeof open === 'boolean' ? { open } : {}),
      ...(typeof height === 'number' && Number.isFinite(height) ? { height } : {}),
      ...(typeof front === 'object' && front !== null ? { front: texts(front) } : {}),
      ...(typeof calls === 'object' && calls !== null ? { calls: texts(calls) } : {}),
    };
  } catch {
    return {};
  }
}

function texts(record: object): Record<string, string> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => typeof value === 'string'));
}
