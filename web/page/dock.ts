import { effect, type Signal, signal } from '@preact/signals';
import { recallValue, remember } from '../base/storage.ts';

/** The state of the dock below the timeline. */
export interface Dock {
  readonly open: Signal<boolean>;
  /** CSS pixels that the user has chosen, at least {@link LEAST_HEIGHT}; null for as much as what is shown needs. */
  readonly height: Signal<number | null>;
  /** CSS pixels that the open trace and the panel in front need; null until that is known. It is not stored. */
  readonly needed: Signal<number | null>;
  /** Ids of the panels that the user brought to the front, by the trace's format. */
  readonly front: Signal<Readonly<Record<string, string>>>;
  /** The view of the Functions panel that the user brought to the front, by the trace's format. */
  readonly calls: Signal<Readonly<Record<string, string>>>;
  /** The id of the pane about the selection that the user brought to the front, for traces that have it. It is not stored. */
  readonly pane: Signal<string>;
}

/** The id of the pane that every trace has. */
export const DETAILS = 'details';

/** The id of the panel of the hits of the search. */
export const HITS = 'results';
/** The id of the panel of findings. */
export const FINDINGS = 'findings';
/** The id of the panel of functions. */
export const FUNCTIONS = 'calls';
/** The view of the Functions panel that earlier versions had as a panel, with the same id. */
const WAS_PANEL = 'graph';
/** The ids of the panels of SQL and of variables. */
export const SQL_PANEL = 'query';
export const VARIABLES = 'variables';
/** CSS pixels of the lowest dock. */
export const LEAST_HEIGHT = 120;
/** CSS pixels of the dock until it is known how much is needed, and of one that could use more than there is. */
export const FIRST_HEIGHT = 300;
/** CSS pixels of the smallest window in which the dock starts open. */
const ROOMY = { width: 1000, height: 760 };
const KEY = 'unspool:dock';

/** The dock as stored in this browser, or else open if the window has room. Changes are stored. */
export function createDock(window: { innerWidth: number; innerHeight: number }): Dock {
  const roomy = window.innerWidth >= ROOMY.width && window.innerHeight >= ROOMY.height;
  const left = rememberedDock();
  const open = signal(left.open ?? roomy);
  const height = signal(left.height === undefined ? null : Math.max(LEAST_HEIGHT, left.height));
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
    remember(KEY, state);
  });
  return { open, height, needed: signal(null), front, calls, pane: signal(DETAILS) };
}

/** Opens the dock with a panel in front, for traces of a format. Does nothing before the format is known. */
export function bringToFront({ open, front }: Dock, format: string | undefined, panel: string): void {
  if (format === undefined) return;
  open.value = true;
  front.value = { ...front.peek(), [format]: panel };
}

/**
 * What this version has in front for what a link or an earlier version had there: the ids of a panel, and of a view of the
 * Functions panel. Each may be empty.
 */
export function frontOf(panel: string, view: string): { readonly panel: string; readonly view: string } {
  return panel === WAS_PANEL ? { panel: FUNCTIONS, view: WAS_PANEL } : { panel, view };
}

interface Remembered {
  readonly open?: boolean;
  readonly height?: number;
  readonly front?: Readonly<Record<string, string>>;
  readonly calls?: Readonly<Record<string, string>>;
}

function rememberedDock(): Remembered {
  const { open, height, ...choices }: Record<string, unknown> = Object(recallValue(KEY));
  const { front, calls } = current(texts(choices['front']), texts(choices['calls']));
  return {
    ...(typeof open === 'boolean' ? { open } : {}),
    // Earlier versions have stored this height although it was not chosen.
    ...(typeof height === 'number' && Number.isFinite(height) && height !== FIRST_HEIGHT ? { height } : {}),
    front,
    calls,
  };
}

/** The choices of all formats, as {@link frontOf} has them. */
function current(front: Record<string, string>, calls: Record<string, string>) {
  for (const [format, id] of Object.entries(front)) {
    const { panel, view } = frontOf(id, calls[format] ?? '');
    front[format] = panel;
    if (view !== '') calls[format] = view;
  }
  return { front, calls };
}

function texts(record: unknown): Record<string, string> {
  const entries = typeof record === 'object' && record !== null ? Object.entries(record) : [];
  return Object.fromEntries(entries.filter(([, value]) => typeof value === 'string'));
}
