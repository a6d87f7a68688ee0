import { effect, type Signal, signal } from '@preact/signals';

/** The dock below the timeline, as the person left it. */
export interface Dock {
  readonly open: Signal<boolean>;
  /** CSS pixels, {@link LEAST_HEIGHT} or more. */
  readonly height: Signal<number>;
  /** Id of the panel in front. */
  readonly panel: Signal<string>;
}

/** CSS pixels. */
export const LEAST_HEIGHT = 120;
export const FIRST_HEIGHT = 300;
/** In smaller windows the timeline needs the room more. */
const ROOMY = { width: 1000, height: 760 };
const KEY = 'unspool:dock';

/** The dock as it was left, where the browser lets one remember; open at first if there is room. */
export function createDock(window: { innerWidth: number; innerHeight: number }, firstPanel: string): Dock {
  const roomy = window.innerWidth >= ROOMY.width && window.innerHeight >= ROOMY.height;
  const left = remembered();
  const open = signal(left.open ?? roomy);
  const height = signal(Math.max(LEAST_HEIGHT, left.height ?? FIRST_HEIGHT));
  const panel = signal(left.panel ?? firstPanel);
  // Lives as long as the page. What was never touched is not kept: a larger window may come.
  let first = true;
  effect(() => {
    const state = JSON.stringify({ open: open.value, height: height.value, panel: panel.value });
    if (first) {
      first = false;
      return;
    }
    try {
      localStorage.setItem(KEY, state);
    } catch {
      // Storage may be off; the dock then stays as it is for as long as the page.
    }
  });
  return { open, height, panel };
}

function remembered(): { open?: boolean; height?: number; panel?: string } {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    if (typeof stored !== 'object' || stored === null) return {};
    const { open, height, panel } = stored as Record<string, unknown>;
    return {
      ...(typeof open === 'boolean' ? { open } : {}),
      ...(typeof height === 'number' && Number.isFinite(height) ? { height } : {}),
      ...(typeof panel === 'string' ? { panel } : {}),
    };
  } catch {
    return {};
  }
}
