import { type Chord, type CommandId, commandOf } from './commands.ts';

/** A line of the sheet of keys. */
export interface SheetRow {
  /** Alternatives, each a sequence of keys or gestures by their labels: `[['A', 'D'], ['←', '→']]`. */
  readonly keys: readonly (readonly string[])[];
  readonly does: string;
}

/** A part of the sheet with a heading. */
export interface SheetGroup {
  readonly title: string;
  readonly rows: readonly SheetRow[];
}

const LABELS: Readonly<Record<string, string>> = {
  arrowup: '↑',
  arrowdown: '↓',
  arrowleft: '←',
  arrowright: '→',
};

/** The sheet of keys: commands with the keys of the registry, and the gestures and keys of single controls. */
export const SHEET: readonly SheetGroup[] = [
  {
    title: 'Move',
    rows: [
      gesture('Drag', 'pan, in both directions'),
      gesture('Wheel', 'zoom at the pointer'),
      gesture('Shift Wheel', 'scroll sideways'),
      gesture('Alt Wheel', 'scroll the tracks'),
      commands(['zoom-in', 'zoom-out'], 'zoom in, out'),
      commands(['pan-left', 'pan-right'], 'left, right'),
      commands(['scroll-up', 'scroll-down'], 'scroll the tracks'),
      commands(['show-whole'], 'whole trace'),
      commands(['go-to'], 'go to a position'),
    ],
  },
  {
    title: 'Select',
    rows: [
      gesture('Click', 'select'),
      gesture('Double-click', 'fit what is under the pointer'),
      commands(['fit-selection'], 'fit the selection'),
      commands(['select-first'], 'select the first one on the screen'),
      commands(['select-next', 'select-previous'], 'next, previous in the row'),
      commands(['select-caller', 'select-callee'], 'caller, longest callee'),
      commands(['clear-latest'], 'take it back, the latest first'),
    ],
  },
  {
    title: 'Find',
    rows: [commands(['find'], 'find'), commands(['find-next', 'find-previous'], 'next, previous hit')],
  },
  {
    title: 'Range, for all panels below',
    rows: [
      gesture('Shift Drag', 'select a range'),
      commands(['select-range'], 'the range of the selection, or of what is on the screen'),
      commands(['clear-latest'], 'the whole trace again'),
    ],
  },
  {
    title: 'Flame graph and functions',
    rows: [
      gesture('Click', 'look closer at a node; make a function stand out'),
      gesture('↑ ↓ ← →', 'caller, callee, neighbours; the rows of the table'),
      gesture('Enter', 'look closer'),
      gesture('Escape', 'back to where one came from'),
    ],
  },
  {
    title: 'Page',
    rows: [commands(['open-file'], 'open a trace'), commands(['show-keys'], 'these keys')],
  },
];

/** The labels of a chord's keys: `['Ctrl', 'O']`. */
export function labelsOf(chord: Chord): readonly string[] {
  return chord.split(' ').map((key) => LABELS[key] ?? key.charAt(0).toUpperCase() + key.slice(1));
}

/** A row for what only one control or the pointer does; `keys` are labels with spaces between. */
function gesture(keys: string, does: string): SheetRow {
  return { keys: [keys.split(' ')], does };
}

/** A row for commands that belong together: their first keys are one alternative, their second keys another. */
function commands(ids: readonly CommandId[], does: string): SheetRow {
  const all = ids.map((id) => commandOf(id).keys);
  const alternatives = Math.max(...all.map((keys) => keys.length));
  return {
    keys: Array.from({ length: alternatives }, (_, i) => all.flatMap((keys) => (keys[i] ? labelsOf(keys[i]) : []))),
    does,
  };
}
