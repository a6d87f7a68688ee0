import { computed, type ReadonlySignal, signal } from '@preact/signals';

/** What the person chose. */
export type ThemeChoice = 'system' | 'dark' | 'light';

/** The theme of the page. */
export interface ThemeControl {
  readonly choice: ReadonlySignal<ThemeChoice>;
  /** What the choice comes to now. */
  readonly theme: ReadonlySignal<'dark' | 'light'>;
  /** System, dark, light, system, … */
  next(): void;
}

const KEY = 'unspool:theme';
const ORDER: readonly ThemeChoice[] = ['system', 'dark', 'light'];

/** Follows the system until the person chooses, and remembers the choice where the browser lets it. */
export function createTheme(): ThemeControl {
  const choice = signal<ThemeChoice>(remembered());
  const query = matchMedia('(prefers-color-scheme: light)');
  const systemLight = signal(query.matches);
  // Lives as long as the page.
  query.addEventListener('change', () => {
    systemLight.value = query.matches;
  });
  const theme = computed(() => {
    if (choice.value !== 'system') return choice.value;
    return systemLight.value ? 'light' : 'dark';
  });
  return {
    choice,
    theme,
    next: () => {
      choice.value = ORDER[(ORDER.indexOf(choice.value) + 1) % ORDER.length]!;
      try {
        localStorage.setItem(KEY, choice.value);
      } catch {
        // Storage may be off; the choice then lasts as long as the page.
      }
    },
  };
}

function remembered(): ThemeChoice {
  try {
    const stored = localStorage.getItem(KEY);
    return ORDER.find((choice) => choice === stored) ?? 'system';
  } catch {
    return 'system';
  }
}
