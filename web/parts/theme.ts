import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { recall, remember } from '../base/storage.ts';

/** The user's choice. */
export type ThemeChoice = 'system' | 'dark' | 'light';

/** The theme of the page. */
export interface ThemeControl {
  readonly choice: ReadonlySignal<ThemeChoice>;
  /** The theme in effect. */
  readonly theme: ReadonlySignal<'dark' | 'light'>;
  /** Switches to the next choice: system, dark, light, system, … */
  next(): void;
}

const KEY = 'unspool:theme';
const ORDER: readonly ThemeChoice[] = ['system', 'dark', 'light'];

/** The theme as stored in this browser, or else that of the system. Changes are stored. */
export function createTheme(): ThemeControl {
  const choice = signal<ThemeChoice>(rememberedChoice());
  const query = matchMedia('(prefers-color-scheme: light)');
  const systemLight = signal(query.matches);
  // The listener lives as long as the page.
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
      remember(KEY, choice.value);
    },
  };
}

function rememberedChoice(): ThemeChoice {
  const stored = recall(KEY);
  return ORDER.find((choice) => choice === stored) ?? 'system';
}
